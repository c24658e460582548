import type { ClaimRole } from "@orgplane/schema/bootstrap"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"

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
    Effect.flatMap(([row]) =>
      row === undefined
        ? Effect.die(new Error("A claim that was just written is not there."))
        : Effect.succeed(row.expires_at)
    )
  )

/** A claim is found by its secret; the secret says which organization. */
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
