import type { Role } from "@orgplane/schema/roles"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"rol">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly description: string | null
  readonly permissions_json: ReadonlyArray<Permission>
  readonly created_by_membership_id: Id<"om"> | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) =>
  sql.literal(`id, organization_id, name, description, permissions_json, created_by_membership_id, version, created_at,
    updated_at`)

export const toWire = (row: Row): Role => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  description: row.description,
  permissions: row.permissions_json,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly q?: string },
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM roles
    WHERE organization_id = ${organizationId} AND removed_at IS NULL
      AND (${after}::text IS NULL OR id < ${after})
      AND (${filters.q ?? null}::text IS NULL OR name ILIKE ${contains(filters.q)})
    ORDER BY id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"rol">) =>
  sql<Row>`SELECT ${columns(sql)} FROM roles
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL`.pipe(Effect.map((rows) => rows[0]))

/** The role. Locks it until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"rol">) =>
  sql<Row>`SELECT ${columns(sql)} FROM roles
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The permissions of a custom role. With a lock, it can neither be changed nor removed before the transaction ends. */
export const permissions = (sql: Sql, organizationId: Id<"org">, id: string, isKept: boolean) =>
  sql<{ permissions_json: ReadonlyArray<Permission> }>`SELECT permissions_json FROM roles
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL
    ${isKept ? sql`FOR SHARE` : sql``}`.pipe(Effect.map((rows) => rows[0]?.permissions_json))

/**
 * The current role of a member; undefined when the membership or the session ended. A user of the host has no
 * session.
 */
export const ofMember = (sql: Sql, organizationId: Id<"org">, id: Id<"om">, sessionId: Id<"ses"> | null) =>
  sql<{ role: string; permissions_json: ReadonlyArray<Permission> | null }>`SELECT m.role, r.permissions_json
    FROM memberships m
    LEFT JOIN roles r ON r.organization_id = m.organization_id AND r.id = m.role AND r.removed_at IS NULL
    WHERE m.organization_id = ${organizationId} AND m.id = ${id} AND m.removed_at IS NULL
      AND (${sessionId}::text IS NULL OR EXISTS (SELECT 1 FROM sessions s
        WHERE s.id = ${sessionId} AND s.revoked_at IS NULL AND s.expires_at > now()))`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The current permissions of an API key; undefined when it was revoked or has expired. */
export const ofKey = (sql: Sql, organizationId: Id<"org">, id: Id<"key">) =>
  sql<{ permissions_json: ReadonlyArray<Permission> }>`SELECT permissions_json FROM api_keys
    WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())`.pipe(Effect.map((rows) => rows[0]))

/** Undefined when the name exists already. */
export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  role: {
    readonly id: Id<"rol">
    readonly name: string
    readonly description: string | null
    readonly permissions: ReadonlyArray<Permission>
    readonly createdBy: Id<"om"> | null
  }
) =>
  sql<Row>`INSERT INTO roles (organization_id, id, name, description, permissions_json, created_by_membership_id,
      created_at, updated_at)
    VALUES (${organizationId}, ${role.id}, ${role.name}, ${role.description}, ${sql.json(role.permissions)},
      ${role.createdBy}, now(), now())
    ON CONFLICT (organization_id, lower(name)) WHERE removed_at IS NULL DO NOTHING
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const update = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"rol">,
  role: {
    readonly name: string
    readonly description: string | null
    readonly permissions: ReadonlyArray<Permission>
  }
) =>
  sql<Row>`UPDATE roles SET name = ${role.name}, description = ${role.description},
      permissions_json = ${sql.json(role.permissions)}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Whether a member has the role, or a pending invitation or a SCIM group would assign it. */
export const isInUse = (sql: Sql, organizationId: Id<"org">, id: Id<"rol">) =>
  sql<{ exists: boolean }>`SELECT
      EXISTS (SELECT 1 FROM memberships
        WHERE organization_id = ${organizationId} AND role = ${id} AND removed_at IS NULL)
      OR EXISTS (SELECT 1 FROM scim_groups
        WHERE organization_id = ${organizationId} AND role = ${id} AND removed_at IS NULL)
      OR EXISTS (SELECT 1 FROM invitations
        WHERE organization_id = ${organizationId} AND role = ${id} AND accepted_at IS NULL AND cancelled_at IS NULL
          AND expires_at > now()) AS exists`.pipe(Effect.map((rows) => rows[0]?.exists === true))

export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"rol">) =>
  sql`UPDATE roles SET removed_at = now(), version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`
