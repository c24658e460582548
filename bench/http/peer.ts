import { hash } from "node:crypto"
import { ownLevel } from "./peer-grants.ts"

/** The code that the peers share: SQL statements, authentication and response bodies. */

export const port = Number(process.env["PORT"])
export const databaseUrl = process.env["DATABASE_URL"] ?? ""

export interface Principal {
  readonly organizationId: string
  readonly membershipId: string
  readonly userId: string
  readonly sessionId: string
  readonly permissions: ReadonlySet<string>
}

const lifetimeMillis = 30_000
const permissionsOfMember: ReadonlySet<string> = new Set(["plugins:read", "plugins:write", "connectors:read"])
const permissionsOfAdmin: ReadonlySet<string> = new Set([...permissionsOfMember, "audit:read"])

/** Runs a statement as a prepared one. */
export type Query = <Row>(name: string, text: string, values: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>

export const sessionText = `SELECT m.id, m.organization_id, m.role, m.user_id, s.id AS session_id
  FROM sessions s
  JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL
  JOIN memberships m ON m.user_id = s.user_id AND m.organization_id = s.organization_id AND m.removed_at IS NULL
  JOIN organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
  WHERE s.token_digest = $1 AND s.revoked_at IS NULL AND s.expires_at > now()`

/** Resolves a bearer token to its principal by digest, and caches the principal for 30 seconds. */
export const makePrincipals = (query: Query) => {
  const cache = new Map<string, { readonly principal: Principal; readonly until: number }>()
  const load = async (token: string): Promise<Principal | undefined> => {
    const digest = hash("sha256", token, "buffer")
    const [row] = await query<{
      id: string
      organization_id: string
      role: string
      user_id: string
      session_id: string
    }>("session", sessionText, [digest])
    if (row === undefined) return undefined
    const principal = {
      organizationId: row.organization_id,
      membershipId: row.id,
      userId: row.user_id,
      sessionId: row.session_id,
      permissions: row.role === "admin" ? permissionsOfAdmin : permissionsOfMember
    }
    cache.set(token, { principal, until: Date.now() + lifetimeMillis })
    return principal
  }
  /** Returns a cached principal synchronously, without creating a promise. */
  return (authorization: string | undefined): Principal | undefined | Promise<Principal | undefined> => {
    if (authorization === undefined || !authorization.startsWith("Bearer ")) return undefined
    const token = authorization.slice(7)
    const entry = cache.get(token)
    return entry !== undefined && entry.until > Date.now() ? entry.principal : load(token)
  }
}

export const memberCount = `(SELECT count(*)::int FROM plugin_memberships c
    WHERE c.organization_id = p.organization_id AND c.plugin_id = p.id AND c.removed_at IS NULL
      AND (SELECT co.status <> 'archived' FROM config_objects co
        WHERE co.organization_id = p.organization_id AND co.id = c.config_object_id)) AS member_count`

/** $1 organization, $2 membership. */
export const pluginColumns = `p.id, p.organization_id, p.name, p.description, p.manifest_json,
    p.created_by_membership_id, p.created_at, p.updated_at, p.archived_at, p.deleted_at, ${memberCount},
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name) ORDER BY s.id), '[]'::jsonb)
      FROM (SELECT k.id, k.name FROM marketplace_memberships km
        JOIN marketplaces k ON k.organization_id = km.organization_id AND k.id = km.marketplace_id
          AND k.deleted_at IS NULL AND k.archived_at IS NULL
        WHERE km.organization_id = p.organization_id AND km.plugin_id = p.id AND km.removed_at IS NULL
          AND ${ownLevel("marketplace", "k.id")} > 0
        ORDER BY k.id LIMIT 100) s) AS marketplaces`

/** $1 organization, $2 membership, $3 plugin. */
export const pluginText = `SELECT ${pluginColumns}, ${ownLevel("plugin", "p.id")} AS own_level
  FROM plugins p
  WHERE p.organization_id = $1 AND p.id = $3 AND p.deleted_at IS NULL`

export interface PluginRow<Time> {
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly description: string | null
  readonly manifest_json: { readonly id: string; readonly name: string; readonly description: string } | null
  readonly created_by_membership_id: string | null
  readonly created_at: Time
  readonly updated_at: Time
  readonly archived_at: Time | null
  readonly deleted_at: Time | null
  readonly member_count: number
  readonly marketplaces: ReadonlyArray<{ readonly id: string; readonly name: string }>
  readonly own_level: number
}

/** Whether the caller has a grant on the plugin, or on a marketplace that contains it. */
export const isSeen = <Row extends Pick<PluginRow<unknown>, "marketplaces" | "own_level">>(
  row: Row | undefined
): row is Row => row !== undefined && (row.own_level > 0 || row.marketplaces.length > 0)

/** `time` formats the driver's timestamp; a driver that returns text needs no conversion. */
export const pluginItem = <Time>(row: PluginRow<Time>, time: (value: Time) => string) => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  description: row.description,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: time(row.created_at),
  updatedAt: time(row.updated_at),
  archivedAt: row.archived_at === null ? null : time(row.archived_at),
  deletedAt: row.deleted_at === null ? null : time(row.deleted_at),
  memberCount: row.member_count,
  marketplaces: row.marketplaces,
  // The peers have no approvals.
  pendingReleaseId: null,
  extension:
    row.manifest_json === null
      ? null
      : {
          id: row.manifest_json.id,
          name: row.manifest_json.name,
          description: row.manifest_json.description,
          manifest: row.manifest_json
        }
})

/** $1 organization, $2 membership, $3 target, $4 after, $5 limit. */
export const mappingsText = `SELECT m.id, m.connector_instance_id, m.connector_target_id, m.mapping_kind, m.selector,
    m.object_type, m.plugin_id, m.auto_add_to_plugin, m.remote_id, m.config_json, m.created_at, m.updated_at
  FROM connector_mappings m
  WHERE m.organization_id = $1 AND m.connector_target_id = $3 AND m.removed_at IS NULL
    AND ($4::text IS NULL OR m.id < $4)
    AND EXISTS (SELECT 1 FROM connector_targets t
      WHERE t.organization_id = $1 AND t.id = $3 AND t.removed_at IS NULL
        AND ${ownLevel("connectorInstance", "t.connector_instance_id")} > 0)
  ORDER BY m.id DESC LIMIT $5`

export interface MappingRow<Time> {
  readonly id: string
  readonly connector_instance_id: string
  readonly connector_target_id: string
  readonly mapping_kind: string
  readonly selector: string
  readonly object_type: string
  readonly plugin_id: string | null
  readonly auto_add_to_plugin: boolean
  readonly remote_id: string | null
  readonly config_json: Record<string, unknown> | null
  readonly created_at: Time
  readonly updated_at: Time
}

export const mappingToWire = <Time>(row: MappingRow<Time>, time: (value: Time) => string) => ({
  id: row.id,
  connectorInstanceId: row.connector_instance_id,
  connectorTargetId: row.connector_target_id,
  connectorType: "codehost",
  remoteId: row.remote_id,
  mappingKind: row.mapping_kind,
  selector: row.selector,
  objectType: row.object_type,
  pluginId: row.plugin_id,
  autoAddToPlugin: row.auto_add_to_plugin,
  mappingConfigJson: row.config_json,
  createdAt: time(row.created_at),
  updatedAt: time(row.updated_at)
})

/** Expects up to one row more than the limit. The extra row means that there is a next page. */
export const pageOf = <Row, Wire>(
  rows: ReadonlyArray<Row>,
  limit: number,
  toWire: (row: Row) => Wire,
  idOf: (row: Row) => string
) => {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: (last === undefined ? rows : rows.slice(0, limit)).map(toWire),
    nextCursor: last === undefined ? null : Buffer.from(idOf(last)).toString("base64url")
  }
}

export const isoOf = (date: Date) => date.toISOString()

export const pluginIdPattern = "^plg_[0-7][0-9a-hjkmnp-tv-z]{25}$"
export const targetIdPattern = "^ctg_[0-7][0-9a-hjkmnp-tv-z]{25}$"
