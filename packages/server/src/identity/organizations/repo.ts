import type { Organization } from "@orgplane/schema/organizations"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { advisoryLocks } from "../../infra/sql/advisory-locks.ts"
import { lockKey } from "../../infra/sql/schema.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"org">
  readonly name: string
  readonly plan: string
  readonly provisional_until: Date | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) => sql.literal("id, name, plan, provisional_until, version, created_at, updated_at")

export const toWire = (row: Row): Organization => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  provisional: row.provisional_until !== null,
  provisionalExpiresAt: isoOrNull(row.provisional_until),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const find = (sql: Sql, organizationId: Id<"org">) =>
  sql<Row>`SELECT ${columns(sql)} FROM organizations WHERE id = ${organizationId} AND deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export const create = (
  sql: Sql,
  organization: {
    readonly id: Id<"org">
    readonly name: string
    readonly plan: string
    readonly isProvisional: boolean
  }
) =>
  sql<Row>`INSERT INTO organizations (id, name, plan, provisional_until, created_at, updated_at)
    VALUES (${organization.id}, ${organization.name}, ${organization.plan},
      CASE WHEN ${organization.isProvisional} THEN now() + interval '24 hours' END, now(), now())
    RETURNING ${columns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "organization")))

/** Serializes the creation of unclaimed workspaces until the transaction ends. */
export const lockProvisional = (sql: Sql) =>
  sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.provisionalWorkspaces)}::bigint)::text AS locked`
/**
 * The organization. Locks it until the transaction ends. Every change of the owners takes this lock first, so that of
 * two owners who leave concurrently, the second one is rejected as the last.
 */
export const lock = (sql: Sql, organizationId: Id<"org">) =>
  sql<Row>`SELECT ${columns(sql)} FROM organizations WHERE id = ${organizationId} AND deleted_at IS NULL
    FOR UPDATE`.pipe(Effect.map((rows) => rows[0]))

/**
 * Whether the organization has another owner. While single sign-on is enforced, only break-glass owners count:
 * without one, no one could sign in when the identity provider fails.
 */
export const hasOtherOwner = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId} AND m.id <> ${membershipId} AND m.role = 'owner'
      AND m.removed_at IS NULL AND u.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM sso_connections c WHERE c.organization_id = ${organizationId} AND c.enforced
        AND NOT jsonb_exists(c.break_glass_json, m.id))) AS exists`.pipe(Effect.map((rows) => rows[0]?.exists === true))

export const rename = (sql: Sql, organizationId: Id<"org">, name: string) =>
  sql<Row>`UPDATE organizations SET name = ${name}, version = version + 1, updated_at = now()
    WHERE id = ${organizationId} AND deleted_at IS NULL RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const setRole = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">, role: string) =>
  sql`UPDATE memberships SET role = ${role}, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${membershipId} AND removed_at IS NULL`

/** Deletes an organization with all its secrets, and releases its domains. Its rows are purged later. */
export const remove = (sql: Sql, organizationId: Id<"org">) =>
  Effect.gen(function* () {
    yield* sql`UPDATE organizations SET deleted_at = now(), version = version + 1, updated_at = now()
      WHERE id = ${organizationId} AND deleted_at IS NULL`
    yield* sql`DELETE FROM sealed_values WHERE organization_id = ${organizationId}`
    yield* sql`DELETE FROM oauth_credentials WHERE organization_id = ${organizationId}`
    yield* sql`DELETE FROM oauth_clients WHERE organization_id = ${organizationId}`
    yield* sql`DELETE FROM oauth_states WHERE organization_id = ${organizationId}`
    yield* sql`DELETE FROM webhook_secrets WHERE organization_id = ${organizationId}`
    yield* sql`UPDATE event_streams SET key_id = NULL, nonce = NULL, ciphertext = NULL
      WHERE organization_id = ${organizationId}`
    yield* sql`UPDATE domains SET removed_at = now(), updated_at = now()
      WHERE organization_id = ${organizationId} AND removed_at IS NULL`
    yield* sql`DELETE FROM sso_sign_ins WHERE organization_id = ${organizationId}`
    yield* sql`DELETE FROM sso_connections WHERE organization_id = ${organizationId}`
  })

/** The number of live organizations that a user owns. */
export const countOwned = (sql: Sql, userId: Id<"usr">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM memberships m
    JOIN organizations o ON o.id = m.organization_id AND o.deleted_at IS NULL
    WHERE m.user_id = ${userId} AND m.role = 'owner' AND m.removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0]?.count ?? 0)
  )

/** The number of unclaimed workspaces. */
export const countProvisional = (sql: Sql) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM organizations
    WHERE provisional_until > now() AND deleted_at IS NULL`.pipe(Effect.map((rows) => rows[0]?.count ?? 0))

/** Whether there is no organization. */
export const isEmpty = (sql: Sql) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM organizations WHERE deleted_at IS NULL) AS exists`.pipe(
    Effect.map((rows) => rows[0]?.exists !== true)
  )
