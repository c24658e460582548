/** Statements and bodies of the pages and of the caller's own data, which bare and Fastify share. */
import { isShowing, liveGrants, pageOfVisible, rank } from "./peer-grants.ts"
import { pluginColumns } from "./peer.ts"

/** A statement for the first page ($3 limit) and one for later pages ($4 the ID to continue after). */
export interface PageTexts {
  readonly first: string
  readonly next: string
}

const pluginsText = (which: keyof PageTexts) => `SELECT ${pluginColumns}
  FROM (${pageOfVisible("plugins", which)}) page
  JOIN plugins p ON p.organization_id = $1 AND p.id = page.id ORDER BY p.id DESC`
/** $1 organization, $2 membership. */
export const pluginsTexts: PageTexts = { first: pluginsText("first"), next: pluginsText("next") }

const own = (kind: "plugin" | "configObject") => `SELECT ${rank} AS level,
    CASE WHEN g.membership_id IS NOT NULL THEN 1 WHEN g.team_id IS NOT NULL THEN 2 ELSE 3 END AS place,
    CASE WHEN g.membership_id IS NOT NULL THEN 'direct' WHEN g.team_id IS NOT NULL THEN 'team' ELSE 'orgWide' END AS kind,
    CASE WHEN g.team_id IS NOT NULL THEN g.team_id ELSE g.id END AS id
  FROM grants g WHERE e.kind = '${kind}' AND ${liveGrants(kind)} AND g.object_id = e.id`
const granted = (kind: "plugin" | "marketplace", id: string) =>
  `(SELECT 1 FROM grants g WHERE ${liveGrants(kind)} AND g.object_id = ${id} LIMIT 1) = 1
    AND ${isShowing(kind === "plugin" ? "plugins" : "marketplaces", id)}`
const inMarketplaces = (id: string, condition: string) => `(SELECT mm.marketplace_id FROM marketplace_memberships mm
  WHERE mm.organization_id = $1 AND mm.plugin_id = ${id} AND mm.removed_at IS NULL AND ${condition}
    AND ${granted("marketplace", "mm.marketplace_id")} OFFSET 0) mm`
const inPlugins = (condition: string) => `(SELECT pm.plugin_id FROM plugin_memberships pm
  WHERE e.kind = 'configObject' AND pm.organization_id = $1 AND pm.config_object_id = e.id AND pm.removed_at IS NULL
    AND ${condition} OFFSET 0) pm`
const edges = `${own("plugin")} UNION ALL ${own("configObject")}
  UNION ALL SELECT 1, 5, 'marketplace', mm.marketplace_id FROM ${inMarketplaces("e.id", "e.kind = 'plugin'")}
  UNION ALL SELECT 1, 4, 'plugin', pm.plugin_id FROM ${inPlugins(granted("plugin", "pm.plugin_id"))}
  UNION ALL SELECT 1, 5, 'marketplace', mm.marketplace_id FROM ${inPlugins(isShowing("plugins", "pm.plugin_id"))}
    CROSS JOIN LATERAL ${inMarketplaces("pm.plugin_id", "TRUE")}`

const libraryText = (which: keyof PageTexts) => `WITH entries AS MATERIALIZED (SELECT x.id, x.kind, x.name FROM (
      (SELECT p.id, 'plugin' AS kind, p.name
        FROM (${pageOfVisible("plugins", which)}) page
        JOIN plugins p ON p.organization_id = $1 AND p.id = page.id)
      UNION ALL (SELECT c.id, 'configObject' AS kind, c.title AS name
        FROM (${pageOfVisible("configObjects", which)}) page
        JOIN config_objects c ON c.organization_id = $1 AND c.id = page.id)) x ORDER BY x.id DESC LIMIT $3)
  SELECT e.id, e.kind, e.name, t.kind AS through_kind, t.id AS through_id
  FROM entries e CROSS JOIN LATERAL (SELECT edges.kind, edges.id FROM (${edges}) edges
    ORDER BY edges.level DESC, edges.place, edges.id LIMIT 1) t
  ORDER BY e.id DESC`
/** $1 organization, $2 membership. */
export const libraryTexts: PageTexts = { first: libraryText("first"), next: libraryText("next") }

export interface LibraryRow {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly through_kind: string
  readonly through_id: string | null
}

export const entryToWire = (row: LibraryRow) => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  through: { kind: row.through_kind, id: row.through_id }
})

const auditText = (after: string) => `SELECT id, organization_id, sequence, action, actor_kind, actor_id, target_id,
    request_id, address, user_agent, before_json, after_json, created_at
  FROM audit_events WHERE organization_id = $1 AND ${after} ORDER BY id DESC LIMIT $2`
/** $1 organization, $2 limit, $3 the ID to continue after. */
export const auditTexts: PageTexts = { first: auditText("TRUE"), next: auditText("id < $3") }

export interface AuditRow<Time> {
  readonly id: string
  readonly organization_id: string
  readonly sequence: string | null
  readonly action: string
  readonly actor_kind: string
  readonly actor_id: string | null
  readonly target_id: string | null
  readonly request_id: string | null
  readonly address: string | null
  readonly user_agent: string | null
  readonly before_json: Record<string, unknown> | null
  readonly after_json: Record<string, unknown> | null
  readonly created_at: Time
}

export const eventToWire = <Time>(row: AuditRow<Time>, time: (value: Time) => string) => ({
  id: row.id,
  organizationId: row.organization_id,
  sequence: row.sequence === null ? null : Number(row.sequence),
  action: row.action,
  actorKind: row.actor_kind,
  actorId: row.actor_id,
  targetId: row.target_id,
  requestId: row.request_id,
  address: row.address,
  userAgent: row.user_agent,
  before: row.before_json,
  after: row.after_json,
  createdAt: time(row.created_at)
})

/** $1 user. */
export const userText = `SELECT id, email, email_verified, name, created_at, updated_at
  FROM users WHERE id = $1 AND deleted_at IS NULL`

export interface UserRow<Time> {
  readonly id: string
  readonly email: string | null
  readonly email_verified: boolean
  readonly name: string | null
  readonly created_at: Time
  readonly updated_at: Time
}

export const userToWire = <Time>(row: UserRow<Time>, time: (value: Time) => string) => ({
  user: {
    id: row.id,
    email: row.email,
    emailVerified: row.email_verified,
    name: row.name,
    createdAt: time(row.created_at),
    updatedAt: time(row.updated_at),
    // No administrators are configured.
    isPlatformAdministrator: false
  }
})

/** $1 session. */
export const selectedText = "SELECT organization_id FROM sessions WHERE id = $1"

/** $1 user, $2 the membership to continue after, $3 limit. */
export const organizationsText = `SELECT m.id AS membership_id, m.role, o.id, o.name, o.plan, o.provisional_until,
    o.created_at, o.updated_at
  FROM memberships m JOIN organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
    AND (o.provisional_until IS NULL OR o.provisional_until > now())
  WHERE m.user_id = $1 AND m.removed_at IS NULL AND ($2::text IS NULL OR m.id < $2)
  ORDER BY m.id DESC LIMIT $3`

export interface OrganizationRow<Time> {
  readonly membership_id: string
  readonly role: string
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly provisional_until: Time | null
  readonly created_at: Time
  readonly updated_at: Time
}

export const organizationToWire = <Time>(
  row: OrganizationRow<Time>,
  selectedId: string | null,
  time: (value: Time) => string
) => ({
  organization: {
    id: row.id,
    name: row.name,
    plan: row.plan,
    provisional: row.provisional_until !== null,
    provisionalExpiresAt: row.provisional_until === null ? null : time(row.provisional_until),
    createdAt: time(row.created_at),
    updatedAt: time(row.updated_at)
  },
  orgMembershipId: row.membership_id,
  role: row.role,
  active: row.id === selectedId
})
