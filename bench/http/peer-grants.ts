/**
 * The conditions on grants in the statements of the peers: as `identity/grants/index.ts` builds them for a member who is
 * no admin. $1 is the organization, $2 the membership.
 */

export type Kind = "plugin" | "marketplace" | "configObject" | "connectorInstance"

/** The live grants `g` on objects of a kind that name the caller: directly, through a team or the organization. */
export const liveGrants = (kind: Kind) => `g.organization_id = $1 AND g.object_kind = '${kind}' AND g.removed_at IS NULL
  AND g.receiver = ANY (ARRAY(SELECT tm.team_id FROM team_members tm
    WHERE tm.organization_id = $1 AND tm.membership_id = $2 UNION ALL SELECT $2::text UNION ALL SELECT ''))`

export const rank = "CASE g.role WHEN 'manager' THEN 3 WHEN 'editor' THEN 2 ELSE 1 END"

/** The level of the grants on the row itself. */
export const ownLevel = (kind: Kind, id: string) =>
  `coalesce((SELECT max(${rank}) FROM grants g WHERE ${liveGrants(kind)} AND g.object_id = ${id}), 0)`

/** Whether a marketplace or plugin exists and is not archived. */
export const isShowing = (table: "plugins" | "marketplaces", id: string) => `(SELECT TRUE FROM ${table} t
  WHERE t.organization_id = $1 AND t.id = ${id} AND t.deleted_at IS NULL AND t.archived_at IS NULL)`

/** The level by any path: a marketplace shows its plugins, and a plugin its objects. */
const level = (kind: Kind, id: string): string => {
  const own = ownLevel(kind, id)
  if (kind === "plugin") {
    return `greatest(${own}, (SELECT 1 FROM marketplace_memberships via_mm
      WHERE via_mm.organization_id = $1 AND via_mm.plugin_id = ${id} AND via_mm.removed_at IS NULL
        AND ${level("marketplace", "via_mm.marketplace_id")} > 0
        AND ${isShowing("marketplaces", "via_mm.marketplace_id")} LIMIT 1))`
  }
  if (kind === "configObject") {
    return `greatest(${own}, (SELECT 1 FROM plugin_memberships via_pm
      WHERE via_pm.organization_id = $1 AND via_pm.config_object_id = ${id} AND via_pm.removed_at IS NULL
        AND ${level("plugin", "via_pm.plugin_id")} > 0 AND ${isShowing("plugins", "via_pm.plugin_id")} LIMIT 1))`
  }
  return own
}

/** The ids of everything of a kind that grants show. */
const visibleIds = (kind: "plugin" | "marketplace" | "configObject"): string => {
  const own = `SELECT g.object_id AS id FROM grants g WHERE ${liveGrants(kind)}`
  if (kind === "plugin") {
    return `${own} UNION ALL SELECT h.id FROM (${visibleIds("marketplace")}) c
      CROSS JOIN LATERAL (SELECT mm.plugin_id AS id FROM marketplace_memberships mm
        WHERE mm.organization_id = $1 AND mm.marketplace_id = c.id AND mm.removed_at IS NULL OFFSET 0) h
      WHERE ${isShowing("marketplaces", "c.id")}`
  }
  if (kind === "configObject") {
    return `${own} UNION ALL SELECT h.id FROM (${visibleIds("plugin")}) c
      CROSS JOIN LATERAL (SELECT pm.config_object_id AS id FROM plugin_memberships pm
        WHERE pm.organization_id = $1 AND pm.plugin_id = c.id AND pm.removed_at IS NULL OFFSET 0) h
      WHERE ${isShowing("plugins", "c.id")}`
  }
  return own
}

const fewMax = 1000
const newestFactor = 20

/**
 * The ids of the newest rows that the caller can see, by the server's strategy. `limit` is a placeholder; `after` is one,
 * or undefined for the first page.
 */
export const pageOfVisible = (
  kind: "plugin" | "configObject",
  where: string,
  limit: string,
  after: string | undefined
): string => {
  const table = kind === "plugin" ? "plugins" : "config_objects"
  const older = (id: string) => (after === undefined ? "TRUE" : `${id} < ${after}`)
  const walk = (source: string, condition: string) => `SELECT o.id FROM (${source}) w
    CROSS JOIN LATERAL (SELECT o.id FROM ${table} o
      WHERE o.organization_id = $1 AND o.id = w.id AND o.deleted_at IS NULL AND ${where} AND ${condition} LIMIT 1) o
    ORDER BY w.id DESC LIMIT ${limit}`
  const sorted = (ids: string, condition: string) =>
    `SELECT DISTINCT i.id FROM (${ids}) i WHERE ${older("i.id")} AND ${condition} ORDER BY i.id DESC`
  const newest = (condition: string) => `SELECT o.id FROM ${table} o
    WHERE o.organization_id = $1 AND ${older("o.id")} AND ${condition} ORDER BY o.id DESC`
  const all = visibleIds(kind)
  const many = `(SELECT count(*) FROM few) > ${fewMax}`
  const edge = `(${newest("TRUE")} OFFSET ${limit} * ${newestFactor} - 1 LIMIT 1)`
  return `WITH few AS MATERIALIZED (SELECT a.id FROM (${all}) a LIMIT ${fewMax + 1}),
    near AS MATERIALIZED (${walk(`${newest(many)} LIMIT ${limit} * ${newestFactor}`, `${level(kind, "o.id")} > 0`)})
    SELECT u.id FROM ((${walk(sorted("SELECT s.id FROM few s", `NOT ${many}`), "TRUE")})
      UNION ALL SELECT n.id FROM near n
      UNION ALL (${walk(sorted(all, `i.id < ${edge} AND ${many} AND (SELECT count(*) FROM near) < ${limit}`), "TRUE")})) u
    ORDER BY u.id DESC LIMIT ${limit}`
}
