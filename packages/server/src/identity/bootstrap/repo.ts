import type { ClaimRole } from "@orgplane/schema/bootstrap"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"

type Role = typeof ClaimRole.Type

export const createClaim = (
  sql: Sql,
  organizationId: Id<"org">,
  claim: {
    readonly id: Id<"inv">
    readonly tokenDigest: Uint8Array
    readonly role: Role
    readonly email: string | null
  }
) =>
  sql<{ expires_at: Date }>`INSERT INTO claims (organization_id, id, token_digest, role, email, created_at, expires_at)
    VALUES (${organizationId}, ${claim.id}, ${claim.tokenDigest}, ${claim.role}, ${claim.email}, now(),
      now() + interval '24 hours')
    RETURNING expires_at`.pipe(
    Effect.flatMap(([row]) => expectRow(row, "claim")),
    Effect.map((row) => row.expires_at)
  )

/** A claim is looked up by its secret; the claim determines the organization. */
export const findClaim = (sql: Sql, tokenDigest: Uint8Array) =>
  sql<{
    role: Role
    organization_name: string
    expires_at: Date
  }>`SELECT c.role, o.name AS organization_name, c.expires_at
    FROM claims c JOIN organizations o ON o.id = c.organization_id AND o.deleted_at IS NULL
    WHERE c.token_digest = ${tokenDigest} AND c.used_at IS NULL AND c.expires_at > now()`.pipe(
    Effect.map((rows) => rows[0])
  )

/**
 * Locks the workspace of a claim until the transaction ends. Call it before the claim is taken: otherwise two owners
 * who follow their links at the same time would each lock the claim that the other one ends.
 */
export const lockWorkspace = (sql: Sql, tokenDigest: Uint8Array) =>
  sql`SELECT o.id FROM organizations o JOIN claims c ON c.organization_id = o.id
    WHERE c.token_digest = ${tokenDigest} FOR UPDATE OF o`

/** Uses up a claim in the transaction that acts on it: only one of two concurrent requests finds it. */
export const takeClaim = (sql: Sql, tokenDigest: Uint8Array) =>
  sql<{ organization_id: Id<"org">; role: Role; email: string | null }>`UPDATE claims c SET used_at = now()
    FROM organizations o
    WHERE c.token_digest = ${tokenDigest} AND c.used_at IS NULL AND c.expires_at > now()
      AND o.id = c.organization_id AND o.deleted_at IS NULL
      AND (o.provisional_until IS NULL OR o.provisional_until > now())
    RETURNING c.organization_id, c.role, c.email`.pipe(Effect.map((rows) => rows[0]))

/**
 * Makes a claimed workspace permanent: removes its agent and ends the other owner links. The agent's access is
 * transferred to the API key that replaces it, if there is one.
 */
export const makePermanent = (sql: Sql, organizationId: Id<"org">, keyId: Id<"key"> | null) =>
  Effect.gen(function* () {
    yield* sql`UPDATE organizations SET provisional_until = NULL, version = version + 1, updated_at = now()
      WHERE id = ${organizationId}`
    // Including an agent that has signed out: it is a member until its workspace is claimed.
    const agents = yield* sql<{ user_id: string }>`UPDATE sessions SET revoked_at = coalesce(revoked_at, now())
      WHERE organization_id = ${organizationId} AND kind = 'bootstrap' RETURNING user_id`
    const users = sql.json(agents.map((agent) => agent.user_id))
    const removed = yield* sql<{ id: string }>`UPDATE memberships SET removed_at = now(), updated_at = now()
      WHERE organization_id = ${organizationId} AND removed_at IS NULL
        AND user_id IN (SELECT jsonb_array_elements_text(${users})) RETURNING id`
    yield* sql`UPDATE grants SET key_id = ${keyId}::text,
        membership_id = CASE WHEN ${keyId}::text IS NULL THEN membership_id END,
        removed_at = CASE WHEN ${keyId}::text IS NULL THEN now() END
      WHERE organization_id = ${organizationId} AND removed_at IS NULL
        AND membership_id IN (SELECT jsonb_array_elements_text(${sql.json(removed.map((row) => row.id))}))`
    // The email addresses of the claims are no longer needed.
    yield* sql`UPDATE claims SET used_at = coalesce(used_at, now()), email = NULL
      WHERE organization_id = ${organizationId} AND role = 'owner'`
  })

/**
 * Removes a demo workspace whose creation was interrupted: one that only the demo's own session ever used. The
 * database contains nothing else then, because the demo is created before the first request.
 */
export const dropHalfMadeDemo = (sql: Sql) =>
  sql`UPDATE organizations o SET deleted_at = now(), updated_at = now()
    WHERE o.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM organizations x WHERE x.deleted_at IS NULL AND x.id <> o.id)
      AND EXISTS (SELECT 1 FROM sessions s WHERE s.organization_id = o.id AND s.kind = 'seed')
      AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.kind <> 'seed')`
