import type { SsoRefusal } from "@orgplane/schema/sso"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sealed } from "../../infra/crypto/key-ring.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"

const lifetime = "10 minutes"
const codeLifetime = "2 minutes"

export type Purpose = "sign_in" | "test"

/** `requestId` is the id of the request that a SAML response must refer to. */
export type StartedRequest = { readonly protocol: "oidc" } | { readonly protocol: "saml"; readonly requestId: string }

/** The secrets of an OpenID Connect sign-in are sealed for this sign-in only. */
export const sealContext = (organizationId: Id<"org">, id: Id<"ssi">) => `sso-sign-in\n${organizationId}\n${id}`

export interface NewSignIn {
  readonly id: Id<"ssi">
  readonly connectionId: Id<"sso">
  readonly settingsRevision: number
  readonly purpose: Purpose
  readonly stateDigest: Uint8Array
  readonly codeChallenge: string | null
  readonly returnTo: string | null
  readonly begun: StartedRequest
  readonly sealed: Sealed | null
  readonly testedBy: Id<"om"> | null
}

export const begin = (sql: Sql, organizationId: Id<"org">, row: NewSignIn) =>
  sql<{ expires_at: Date }>`INSERT INTO sso_sign_ins (organization_id, id, connection_id, settings_revision, purpose,
      state_digest, code_challenge, return_to, begun_json, key_id, nonce, ciphertext, tested_by_membership_id,
      created_at, expires_at)
    VALUES (${organizationId}, ${row.id}, ${row.connectionId}, ${row.settingsRevision}, ${row.purpose},
      ${row.stateDigest}, ${row.codeChallenge}, ${row.returnTo}, ${sql.json(row.begun)}, ${row.sealed?.keyId ?? null},
      ${row.sealed?.nonce ?? null}, ${row.sealed?.ciphertext ?? null}, ${row.testedBy}, now(),
      now() + ${lifetime}::interval)
    RETURNING expires_at`.pipe(
    Effect.flatMap(([row]) => expectRow(row, "SSO sign-in")),
    Effect.map((row) => row.expires_at)
  )

export interface Row {
  readonly organization_id: Id<"org">
  readonly id: Id<"ssi">
  readonly connection_id: Id<"sso">
  readonly settings_revision: number
  readonly purpose: Purpose
  readonly return_to: string | null
  readonly begun_json: StartedRequest
  readonly key_id: string | null
  readonly nonce: Uint8Array | null
  readonly ciphertext: Uint8Array | null
  readonly tested_by_membership_id: Id<"om"> | null
}

/** A browser sends nothing but the state, which determines the sign-in and its organization. */
export const findByState = (sql: Sql, digest: Uint8Array) =>
  sql<{
    readonly organization_id: Id<"org">
    readonly protocol: string
  }>`SELECT s.organization_id, s.begun_json->>'protocol' AS protocol FROM sso_sign_ins s
    JOIN organizations o ON o.id = s.organization_id AND o.deleted_at IS NULL
    WHERE s.state_digest = ${digest} AND s.returned_at IS NULL AND s.expires_at > now()`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Takes a pending sign-in once: only one of two concurrent browsers with the same state finds it. */
export const take = (sql: Sql, organizationId: Id<"org">, digest: Uint8Array) =>
  sql<Row>`UPDATE sso_sign_ins SET returned_at = now()
    WHERE organization_id = ${organizationId} AND state_digest = ${digest} AND returned_at IS NULL
      AND expires_at > now()
    RETURNING organization_id, id, connection_id, settings_revision, purpose, return_to, begun_json, key_id, nonce,
      ciphertext, tested_by_membership_id`.pipe(Effect.map((rows) => rows[0]))

/** Records the user. The session goes to the client with the code and the verifier. The sealed secrets are deleted. */
export const accept = (sql: Sql, organizationId: Id<"org">, id: Id<"ssi">, userId: Id<"usr">, codeDigest: Uint8Array) =>
  sql`UPDATE sso_sign_ins SET user_id = ${userId}, code_digest = ${codeDigest},
      code_expires_at = now() + ${codeLifetime}::interval, key_id = NULL, nonce = NULL, ciphertext = NULL
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** Ends a sign-in that was refused, or a test. */
export const end = (sql: Sql, organizationId: Id<"org">, id: Id<"ssi">, refusal: SsoRefusal | null) =>
  sql`UPDATE sso_sign_ins SET refusal = ${refusal}, completed_at = now(), key_id = NULL, nonce = NULL,
      ciphertext = NULL
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** A client that completes a sign-in does not send the organization; the code determines it. */
export const findByCode = (sql: Sql, codeDigest: Uint8Array) =>
  sql<{ readonly organization_id: Id<"org"> }>`SELECT s.organization_id FROM sso_sign_ins s
    JOIN organizations o ON o.id = s.organization_id AND o.deleted_at IS NULL
    WHERE s.code_digest = ${codeDigest} AND s.completed_at IS NULL AND s.code_expires_at > now()`.pipe(
    Effect.map((rows) => rows[0]?.organization_id)
  )

/** Uses up the code for a client with all three values: only one of two concurrent requests finds it. */
export const complete = (
  sql: Sql,
  organizationId: Id<"org">,
  proof: { readonly codeDigest: Uint8Array; readonly stateDigest: Uint8Array; readonly codeChallenge: string }
) =>
  sql<{
    readonly id: Id<"ssi">
    readonly connection_id: Id<"sso">
    readonly settings_revision: number
    readonly user_id: Id<"usr">
  }>`UPDATE sso_sign_ins SET completed_at = now()
    WHERE organization_id = ${organizationId} AND code_digest = ${proof.codeDigest}
      AND state_digest = ${proof.stateDigest} AND code_challenge = ${proof.codeChallenge} AND purpose = 'sign_in'
      AND user_id IS NOT NULL AND completed_at IS NULL AND code_expires_at > now()
    RETURNING id, connection_id, settings_revision, user_id`.pipe(Effect.map((rows) => rows[0]))
