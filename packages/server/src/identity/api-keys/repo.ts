import type { ApiKey } from "@orgplane/schema/api-keys"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"key">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly hint: string
  readonly permissions_json: ReadonlyArray<Permission>
  readonly requests_per_minute: number
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly previous_usable_until: Date | null
  readonly revoked_at: Date | null
}

const columns = (sql: Sql) =>
  sql.literal(`id, organization_id, name, hint, permissions_json, requests_per_minute, created_by_membership_id,
    created_at, updated_at, expires_at, last_used_at, revoked_at,
    CASE WHEN previous_usable_until > now() AND revoked_at IS NULL THEN previous_usable_until END
      AS previous_usable_until`)

export const toWire = (row: Row): ApiKey => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  hint: row.hint,
  permissions: row.permissions_json,
  requestsPerMinute: row.requests_per_minute,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
  expiresAt: isoOrNull(row.expires_at),
  lastUsedAt: isoOrNull(row.last_used_at),
  previousUsableUntil: isoOrNull(row.previous_usable_until),
  revokedAt: isoOrNull(row.revoked_at)
})

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly isRevoked: boolean; readonly q?: string; readonly isOnlyByName?: boolean },
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM api_keys
    WHERE organization_id = ${organizationId} AND (revoked_at IS NOT NULL) = ${filters.isRevoked}
      AND (${after}::text IS NULL OR id < ${after})
      AND (${filters.q ?? null}::text IS NULL OR name ILIKE ${contains(filters.q)}
        OR (NOT ${filters.isOnlyByName ?? false}::boolean AND hint ILIKE ${contains(filters.q)}))
    ORDER BY id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"key">) =>
  sql<Row>`SELECT ${columns(sql)} FROM api_keys WHERE organization_id = ${organizationId} AND id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The key, unless it is revoked. Locks it until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"key">) =>
  sql<Row>`SELECT ${columns(sql)} FROM api_keys
    WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The number of keys that are neither revoked nor expired. */
export const countLive = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM api_keys
    WHERE organization_id = ${organizationId} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())`.pipe(Effect.map((rows) => rows[0]?.count ?? 0))

export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  key: {
    readonly id: Id<"key">
    readonly name: string
    readonly hint: string
    readonly digest: Uint8Array
    readonly permissions: ReadonlyArray<Permission>
    readonly requestsPerMinute: number
    readonly expiresAt: Date | null
    readonly createdBy: Id<"om"> | null
  }
) =>
  sql<Row>`INSERT INTO api_keys (organization_id, id, name, hint, token_digest, permissions_json,
      requests_per_minute, expires_at, created_by_membership_id, created_at, updated_at)
    VALUES (${organizationId}, ${key.id}, ${key.name}, ${key.hint}, ${key.digest}, ${sql.json(key.permissions)},
      ${key.requestsPerMinute}, ${key.expiresAt}, ${key.createdBy}, now(), now())
    RETURNING ${columns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "API key")))

export const update = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"key">,
  key: {
    readonly name: string
    readonly permissions: ReadonlyArray<Permission>
    readonly requestsPerMinute: number
    readonly expiresAt: Date | null
  }
) =>
  sql<Row>`UPDATE api_keys SET name = ${key.name}, permissions_json = ${sql.json(key.permissions)},
      requests_per_minute = ${key.requestsPerMinute}, expires_at = ${key.expiresAt}, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Sets a new secret. The current secret works for the grace period; an earlier one stops working. */
export const rotate = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"key">,
  secret: { readonly digest: Uint8Array; readonly hint: string; readonly graceSeconds: number }
) =>
  sql<Row>`UPDATE api_keys SET token_digest = ${secret.digest}, hint = ${secret.hint},
      previous_digest = CASE WHEN ${secret.graceSeconds}::int > 0 THEN token_digest END,
      previous_usable_until = CASE WHEN ${secret.graceSeconds}::int > 0
        THEN now() + make_interval(secs => ${secret.graceSeconds}::int) END,
      updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

const endGrants = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"key">>) =>
  sql`UPDATE grants SET removed_at = now()
    WHERE organization_id = ${organizationId} AND removed_at IS NULL
      AND key_id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))`

/** Whether a key has access beyond its permissions: to the objects it created. */
export const holdsGrants = (sql: Sql, organizationId: Id<"org">, id: Id<"key">) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM grants
    WHERE organization_id = ${organizationId} AND key_id = ${id} AND removed_at IS NULL) AS exists`.pipe(
    Effect.map((rows) => rows[0]?.exists === true)
  )

/** Revokes a key and its grants. The row is kept for the audit log. Returns false if there is no such live key. */
export const revoke = (sql: Sql, organizationId: Id<"org">, id: Id<"key">) =>
  Effect.gen(function* () {
    const rows = yield* sql<{ id: string }>`UPDATE api_keys SET revoked_at = now(), updated_at = now()
      WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL RETURNING id`
    yield* endGrants(sql, organizationId, [id])
    return rows.length === 1
  })

/** Revokes the keys that a member created, and returns their ids. */
export const revokeMadeBy = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  Effect.gen(function* () {
    const rows = yield* sql<{ id: Id<"key"> }>`UPDATE api_keys SET revoked_at = now(), updated_at = now()
      WHERE organization_id = ${organizationId} AND created_by_membership_id = ${membershipId}
        AND revoked_at IS NULL RETURNING id`
    const ids = rows.map((row) => row.id)
    yield* endGrants(sql, organizationId, ids)
    return ids
  })
