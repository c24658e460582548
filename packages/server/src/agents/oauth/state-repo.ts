import type { RegistrationMethod } from "@orgplane/schema/mcp-connections"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sealed } from "../../infra/crypto/key-ring.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import type { AuthMethod, Purpose } from "./credential.ts"
import type { OAuthServer } from "./server.ts"

interface SignInColumn {
  readonly server: OAuthServer
  readonly isConfigured: boolean
  readonly resource: string | null
  readonly clientId: string
  readonly registration: RegistrationMethod
  readonly authMethod: AuthMethod
  readonly redirectUri: string
  /** Absent from rows written before this member was introduced. */
  readonly scopes?: ReadonlyArray<string>
}

export interface NewState {
  readonly digest: Uint8Array
  readonly purpose: Purpose
  readonly subjectId: string
  readonly isShared: boolean
  readonly returnTo: string | null
  readonly started: SignInColumn
  readonly sealed: Sealed
}

interface SessionMember {
  readonly organizationId: Id<"org">
  readonly membershipId: Id<"om">
  readonly sessionId: Id<"ses"> | null
}

export const begin = (sql: Sql, member: SessionMember, row: NewState, lifetimeSeconds: number) =>
  sql<{ expires_at: Date }>`INSERT INTO oauth_states (organization_id, state_digest, purpose, subject_id,
      membership_id, session_id, is_shared, return_to, begun_json, key_id, nonce, ciphertext, created_at, expires_at)
    VALUES (${member.organizationId}, ${row.digest}, ${row.purpose}, ${row.subjectId}, ${member.membershipId},
      ${member.sessionId}, ${row.isShared}, ${row.returnTo}, ${sql.json(row.started)}, ${row.sealed.keyId},
      ${row.sealed.nonce}, ${row.sealed.ciphertext}, now(), now() + ${lifetimeSeconds}::int * interval '1 second')
    RETURNING expires_at`.pipe(
    Effect.flatMap(([row]) => expectRow(row, "OAuth state")),
    Effect.map((row) => row.expires_at)
  )

/**
 * Takes the sign-in that this session started and deletes it. For any other caller, returns no row and keeps the state.
 */
export const take = (sql: Sql, member: SessionMember, purpose: Purpose, subjectId: string, digest: Uint8Array) =>
  sql<{
    readonly is_shared: boolean
    readonly begun_json: SignInColumn
    readonly key_id: string
    readonly nonce: Uint8Array
    readonly ciphertext: Uint8Array
  }>`DELETE FROM oauth_states
    WHERE organization_id = ${member.organizationId} AND state_digest = ${digest} AND purpose = ${purpose}
      AND subject_id = ${subjectId} AND membership_id = ${member.membershipId}
      AND session_id IS NOT DISTINCT FROM ${member.sessionId} AND expires_at > now()
    RETURNING is_shared, begun_json, key_id, nonce, ciphertext`.pipe(Effect.map((rows) => rows[0]))

/** The browser sends only the state, so the row is looked up by state across all organizations. */
export const findReturnTo = (sql: Sql, purpose: Purpose, digest: Uint8Array) =>
  sql<{ readonly return_to: string | null }>`SELECT return_to FROM oauth_states
    WHERE state_digest = ${digest} AND purpose = ${purpose} AND expires_at > now()`.pipe(
    Effect.map((rows) => (rows[0] === undefined ? undefined : rows[0].return_to))
  )
