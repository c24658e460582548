/**
 * The conditions on grants in the peers' statements, as `identity/grants/index.ts` builds them for a member who is not an
 * admin. $1 is the organization, $2 the membership.
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

/** The pages of visible rows. The text of each comes from the server's own code, through `visible-pages.ts`. */
export const pageConditions = {
  plugins: { kind: "plugin", where: "o.archived_at IS NULL" },
  configObjects: { kind: "configObject", where: "o.status <> 'archived'" }
} as const
export type PageName = keyof typeof pageConditions

interface PageText {
  readonly first: string
  readonly next: string
}
const texts: Readonly<Record<PageName, PageText>> = JSON.parse(process.env["VISIBLE_PAGES"] ?? "{}")

/**
 * A SELECT of the IDs of the newest rows that the caller can see. $3 is the limit, and $4 the ID after which the next
 * page starts.
 */
export const pageOfVisible = (name: PageName, page: keyof PageText): string => texts[name][page]
