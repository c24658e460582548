import type { Member } from "@orgplane/schema/shared/caller"
import type { GrantRole } from "@orgplane/schema/shared/grants"
import type { Id, Prefix } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../sql/client.ts"

/** The kinds of object that can be granted, and the prefix of their grants. */
export const grantPrefixes = {
  connectorInstance: "cia",
  configObject: "coa",
  plugin: "pag",
  marketplace: "mag",
  mcpConnection: "emg",
  llmProvider: "lla"
} as const satisfies Record<string, Prefix>
export type GrantedKind = keyof typeof grantPrefixes
/** The kinds whose objects exist in this release. */
export type HeldKind = Exclude<GrantedKind, "mcpConnection" | "llmProvider">

/** How far a caller's access goes: 0 nothing, then viewer, editor, manager. */
export const levels = { viewer: 1, editor: 2, manager: 3 } as const satisfies Record<GrantRole, number>

/** The role that a level is; null for none. */
export const roleOf = (level: number): GrantRole | null =>
  level >= levels.manager ? "manager" : level >= levels.editor ? "editor" : level >= levels.viewer ? "viewer" : null

/** The level of a grant `g`. */
export const rank = (sql: Sql) => sql`CASE g.role WHEN 'manager' THEN 3 WHEN 'editor' THEN 2 ELSE 1 END`

/** Whose access is asked for: a caller, or a member whom a caller asks about. */
export interface Holder extends Pick<Member, "organizationId" | "isAdmin"> {
  readonly principal:
    | { readonly kind: "session"; readonly membershipId: Id<"om"> }
    | { readonly kind: "key"; readonly keyId: Id<"key"> }
  /** An API key's own; of a person nothing here depends on it. */
  readonly permissions?: ReadonlySet<Permission>
}

/** The permission that makes an API key the manager of every object of a kind. */
export const managePermissions = {
  connectorInstance: "connectors:manage",
  configObject: "configObjects:manage",
  plugin: "plugins:manage",
  marketplace: "marketplaces:manage",
  mcpConnection: "mcpConnections:manage",
  llmProvider: "llmProviders:manage"
} as const satisfies Record<GrantedKind, Permission>

/**
 * Whether the holder manages every object of the kind without a grant: owners and admins do, and an API key that holds
 * the group's `manage`, because nobody can grant a key anything. Only an owner or admin can make such a key. Any other
 * key reaches what is shared with everybody, and what it made itself.
 */
export const managesAll = (holder: Holder, kind: GrantedKind): boolean =>
  holder.isAdmin || (holder.principal.kind === "key" && holder.permissions?.has(managePermissions[kind]) === true)

/** The grants `g` that name the holder: directly, through a team, or because they name everybody. */
export const holds = (sql: Sql, caller: Holder): Fragment =>
  caller.principal.kind === "session"
    ? sql`(g.org_wide OR g.membership_id = ${caller.principal.membershipId} OR g.team_id IN (
        SELECT tm.team_id FROM team_members tm
        WHERE tm.organization_id = ${caller.organizationId} AND tm.membership_id = ${caller.principal.membershipId}))`
    : sql`(g.org_wide OR g.key_id = ${caller.principal.keyId})`

/** The live grants `g` on objects of a kind that name the holder. */
export const liveGrants = (sql: Sql, caller: Holder, kind: GrantedKind) =>
  sql`g.organization_id = ${caller.organizationId} AND g.object_kind = ${kind} AND g.removed_at IS NULL
      AND ${holds(sql, caller)}`

const marketplacesOf = (sql: Sql, caller: Holder, pluginId: Fragment) =>
  sql`SELECT mm.marketplace_id FROM marketplace_memberships mm
      JOIN marketplaces m ON m.organization_id = mm.organization_id AND m.id = mm.marketplace_id
        AND m.deleted_at IS NULL
      WHERE mm.organization_id = ${caller.organizationId} AND mm.plugin_id = ${pluginId} AND mm.removed_at IS NULL`

const pluginsOf = (sql: Sql, caller: Holder, objectId: Fragment) =>
  sql`SELECT pm.plugin_id FROM plugin_memberships pm
      JOIN plugins p2 ON p2.organization_id = pm.organization_id AND p2.id = pm.plugin_id AND p2.deleted_at IS NULL
      WHERE pm.organization_id = ${caller.organizationId} AND pm.config_object_id = ${objectId}
        AND pm.removed_at IS NULL`

/**
 * The caller's level on one row as an SQL expression: the highest live grant by any path. A grant on a marketplace shows
 * its plugins, a grant on a plugin shows what is in it.
 */
export const levelOf = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment => {
  if (managesAll(caller, kind)) return sql`3`
  const direct = sql`SELECT max(${rank(sql)}) FROM grants g WHERE ${liveGrants(sql, caller, kind)} AND g.object_id = ${id}`
  if (kind === "plugin") {
    return sql`greatest((${direct}), (
      SELECT 1 FROM grants g WHERE ${liveGrants(sql, caller, "marketplace")}
        AND g.object_id IN (${marketplacesOf(sql, caller, id)}) LIMIT 1), 0)`
  }
  if (kind === "configObject") {
    return sql`greatest((${direct}), (
      SELECT 1 FROM grants g WHERE ${liveGrants(sql, caller, "plugin")}
        AND g.object_id IN (${pluginsOf(sql, caller, id)}) LIMIT 1), (
      SELECT 1 FROM grants g WHERE ${liveGrants(sql, caller, "marketplace")}
        AND g.object_id IN (
          SELECT mm.marketplace_id FROM marketplace_memberships mm
          JOIN marketplaces m ON m.organization_id = mm.organization_id AND m.id = mm.marketplace_id
            AND m.deleted_at IS NULL
          WHERE mm.organization_id = ${caller.organizationId} AND mm.removed_at IS NULL
            AND mm.plugin_id IN (${pluginsOf(sql, caller, id)})) LIMIT 1), 0)`
  }
  return sql`coalesce((${direct}), 0)`
}

/** Whether the caller can see a row, as an SQL condition for lists. */
export const visible = (sql: Sql, caller: Holder, kind: GrantedKind, id: Fragment): Fragment =>
  managesAll(caller, kind) ? sql`TRUE` : sql`${levelOf(sql, caller, kind, id)} > 0`
