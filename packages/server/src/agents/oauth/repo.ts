import type { RegistrationMethod } from "@orgplane/schema/mcp-connections"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sealed } from "../../infra/crypto/key-ring.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { AuthMethod, CredentialRef, Purpose } from "./credential.ts"
import type { OAuthServer } from "./server.ts"

interface SealedColumns {
  readonly key_id: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

export const sealedOf = (row: SealedColumns): Sealed => ({
  keyId: row.key_id,
  nonce: row.nonce,
  ciphertext: row.ciphertext
})

export interface CredentialRow extends SealedColumns {
  readonly membership_id: string
  readonly kind: "oauth" | "apikey"
  readonly status: "ready" | "reconnect_required"
  readonly status_reason: string | null
  readonly issuer: string | null
  readonly resource: string | null
  readonly client_id: string | null
  readonly registration: RegistrationMethod | null
  readonly has_client_secret: boolean
  readonly auth_method: AuthMethod | null
  readonly scopes_json: ReadonlyArray<string>
  readonly requested_scopes_json: ReadonlyArray<string>
  /** Required by the server since it was first connected: 403 `insufficient_scope`. */
  readonly demanded_scopes_json: ReadonlyArray<string>
  /** With whether the operator named it. */
  readonly server_json: { readonly server: OAuthServer; readonly isConfigured: boolean } | null
  readonly expires_at: Date | null
  readonly generation: number
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) =>
  sql.literal(`c.membership_id, c.kind, c.status, c.status_reason, c.issuer, c.resource, c.client_id, c.registration,
    c.has_client_secret, c.auth_method, c.scopes_json, c.requested_scopes_json, c.demanded_scopes_json, c.server_json, c.key_id, c.nonce, c.ciphertext, c.expires_at,
    c.generation, c.created_at, c.updated_at`)

/** Of the organization that the statement names. */
const here = (sql: Sql, ref: CredentialRef) =>
  sql`c.purpose = ${ref.purpose} AND c.subject_id = ${ref.subjectId} AND c.membership_id = ${ref.membershipId ?? ""}`

export const find = (sql: Sql, ref: CredentialRef) =>
  sql<CredentialRow>`SELECT ${columns(sql)} FROM oauth_credentials c
    WHERE c.organization_id = ${ref.organizationId} AND ${here(sql, ref)}`.pipe(Effect.map((rows) => rows[0]))

export interface NewCredential {
  readonly kind: CredentialRow["kind"]
  readonly issuer: string | null
  readonly resource: string | null
  readonly clientId: string | null
  readonly registration: RegistrationMethod | null
  readonly hasClientSecret: boolean
  readonly authMethod: AuthMethod | null
  readonly scopes: ReadonlyArray<string>
  readonly requestedScopes: ReadonlyArray<string>
  readonly server: CredentialRow["server_json"]
  readonly sealed: Sealed
  readonly expiresInSeconds: number | null
}

/** Keeps a credential in place of the one there was. */
export const put = (sql: Sql, ref: CredentialRef, made: NewCredential) =>
  sql`INSERT INTO oauth_credentials AS c (organization_id, purpose, subject_id, membership_id, kind, status, issuer,
      resource, client_id, registration, has_client_secret, auth_method, scopes_json, requested_scopes_json, server_json, key_id, nonce,
      ciphertext, expires_at, created_at, updated_at)
    VALUES (${ref.organizationId}, ${ref.purpose}, ${ref.subjectId}, ${ref.membershipId ?? ""}, ${made.kind}, 'ready',
      ${made.issuer}, ${made.resource}, ${made.clientId}, ${made.registration}, ${made.hasClientSecret},
      ${made.authMethod}, ${sql.json(made.scopes)}, ${sql.json(made.requestedScopes)}, ${made.server === null ? null : sql.json(made.server)},
      ${made.sealed.keyId}, ${made.sealed.nonce}, ${made.sealed.ciphertext},
      now() + make_interval(secs => ${made.expiresInSeconds}), now(), now())
    ON CONFLICT (organization_id, purpose, subject_id, membership_id) DO UPDATE SET
      kind = excluded.kind, status = 'ready', status_reason = NULL, issuer = excluded.issuer,
      resource = excluded.resource, client_id = excluded.client_id, registration = excluded.registration,
      has_client_secret = excluded.has_client_secret, auth_method = excluded.auth_method,
      scopes_json = excluded.scopes_json, requested_scopes_json = excluded.requested_scopes_json, server_json = excluded.server_json, key_id = excluded.key_id,
      nonce = excluded.nonce, ciphertext = excluded.ciphertext, expires_at = excluded.expires_at,
      generation = c.generation + 1, refresh_holder = NULL, refresh_until = NULL, created_at = now(),
      updated_at = now()`

/**
 * Takes the right to renew a credential, for as long as a renewal may last: false while somebody else has it, or when it
 * is not the credential any more that was read.
 */
export const claimRefresh = (sql: Sql, ref: CredentialRef, generation: number, holder: string, seconds: number) =>
  sql`UPDATE oauth_credentials c SET refresh_holder = ${holder}, refresh_until = now() + make_interval(secs => ${seconds})
    WHERE c.organization_id = ${ref.organizationId} AND ${here(sql, ref)} AND c.generation = ${generation}
      AND c.status = 'ready' AND (c.refresh_until IS NULL OR c.refresh_until < now())
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

/** Gives the right back: nothing came of it. */
export const releaseRefresh = (sql: Sql, ref: CredentialRef, holder: string) =>
  sql`UPDATE oauth_credentials c SET refresh_holder = NULL, refresh_until = NULL
    WHERE c.organization_id = ${ref.organizationId} AND ${here(sql, ref)} AND c.refresh_holder = ${holder}`

/** Keeps what a renewal brought; false when the credential is another one, or gone. */
export const keepRefreshed = (
  sql: Sql,
  ref: CredentialRef,
  holder: string,
  made: Pick<NewCredential, "sealed" | "expiresInSeconds" | "scopes">
) =>
  sql`UPDATE oauth_credentials c SET key_id = ${made.sealed.keyId}, nonce = ${made.sealed.nonce},
      ciphertext = ${made.sealed.ciphertext}, scopes_json = ${sql.json(made.scopes)},
      expires_at = now() + make_interval(secs => ${made.expiresInSeconds}), generation = c.generation + 1,
      refresh_holder = NULL, refresh_until = NULL, updated_at = now()
    WHERE c.organization_id = ${ref.organizationId} AND ${here(sql, ref)} AND c.refresh_holder = ${holder}
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

/** Says that a credential no longer works, unless it is another one by now. */
export const markReconnect = (sql: Sql, ref: CredentialRef, generation: number, reason: string) =>
  sql`UPDATE oauth_credentials c SET status = 'reconnect_required', status_reason = ${reason},
      refresh_holder = NULL, refresh_until = NULL, updated_at = now()
    WHERE c.organization_id = ${ref.organizationId} AND ${here(sql, ref)} AND c.generation = ${generation}`

/** Stores the scopes that a server requires in addition to the requested ones. */
export const demandScopes = (sql: Sql, ref: CredentialRef, scopes: ReadonlyArray<string>) =>
  sql`UPDATE oauth_credentials c SET demanded_scopes_json = ${sql.json(scopes)}, updated_at = now()
    WHERE c.organization_id = ${ref.organizationId} AND ${here(sql, ref)}`

/** Ends one credential; what it was comes back, for the server that gave it to be told. */
export const remove = (sql: Sql, ref: CredentialRef) =>
  sql<CredentialRow>`DELETE FROM oauth_credentials c
    WHERE c.organization_id = ${ref.organizationId} AND ${here(sql, ref)} RETURNING ${columns(sql)}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** What a subject has: everybody's credentials, clients, and what was begun. */
export const forgetAll = (sql: Sql, organizationId: Id<"org">, purpose: Purpose, subjectId: string) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM oauth_credentials
      WHERE organization_id = ${organizationId} AND purpose = ${purpose} AND subject_id = ${subjectId}`
    yield* sql`DELETE FROM oauth_clients
      WHERE organization_id = ${organizationId} AND purpose = ${purpose} AND subject_id = ${subjectId}`
    yield* sql`DELETE FROM oauth_states
      WHERE organization_id = ${organizationId} AND purpose = ${purpose} AND subject_id = ${subjectId}`
  })

/** The subjects for which there is a credential of the member's, or a shared one. */
export const statuses = (
  sql: Sql,
  organizationId: Id<"org">,
  purpose: Purpose,
  subjectIds: ReadonlyArray<string>,
  membershipId: Id<"om"> | null
) =>
  sql<CredentialRow & { readonly subject_id: string }>`SELECT c.subject_id, ${columns(sql)} FROM oauth_credentials c
    WHERE c.organization_id = ${organizationId} AND c.purpose = ${purpose}
      AND c.subject_id IN (SELECT jsonb_array_elements_text(${sql.json(subjectIds)}))
      AND c.membership_id IN ('', ${membershipId ?? ""})`

export interface ClientRow {
  readonly client_id: string
  readonly redirect_uri: string
  readonly auth_method: AuthMethod
  readonly key_id: string | null
  readonly nonce: Uint8Array | null
  readonly ciphertext: Uint8Array | null
}

type Subject = Pick<CredentialRef, "organizationId" | "purpose" | "subjectId">

/** The client that we registered there, unless its secret ends within the hour. */
export const findClient = (sql: Sql, subject: Subject, issuer: string) =>
  sql<ClientRow>`SELECT client_id, redirect_uri, auth_method, key_id, nonce, ciphertext FROM oauth_clients
    WHERE organization_id = ${subject.organizationId} AND purpose = ${subject.purpose}
      AND subject_id = ${subject.subjectId} AND issuer = ${issuer}
      AND (expires_at IS NULL OR expires_at > now() + interval '1 hour')`.pipe(Effect.map((rows) => rows[0]))

/** Keeps a client that was registered; each sign-in holds the one it was begun with. */
export const putClient = (
  sql: Sql,
  subject: Subject,
  issuer: string,
  client: {
    readonly clientId: string
    readonly redirectUri: string
    readonly authMethod: AuthMethod
    readonly sealed: Sealed | null
    readonly expiresAt: number | null
  }
) =>
  sql`INSERT INTO oauth_clients (organization_id, purpose, subject_id, issuer, client_id, redirect_uri, auth_method,
      key_id, nonce, ciphertext, expires_at, created_at)
    VALUES (${subject.organizationId}, ${subject.purpose}, ${subject.subjectId}, ${issuer}, ${client.clientId},
      ${client.redirectUri}, ${client.authMethod}, ${client.sealed?.keyId ?? null}, ${client.sealed?.nonce ?? null},
      ${client.sealed?.ciphertext ?? null}, to_timestamp(${client.expiresAt}), now())
    ON CONFLICT (organization_id, purpose, subject_id, issuer) DO UPDATE SET client_id = excluded.client_id,
      redirect_uri = excluded.redirect_uri, auth_method = excluded.auth_method, key_id = excluded.key_id,
      nonce = excluded.nonce, ciphertext = excluded.ciphertext, expires_at = excluded.expires_at, created_at = now()`

export const forgetClient = (sql: Sql, subject: Subject, issuer: string) =>
  sql`DELETE FROM oauth_clients
    WHERE organization_id = ${subject.organizationId} AND purpose = ${subject.purpose}
      AND subject_id = ${subject.subjectId} AND issuer = ${issuer}`

/** Whether the organization is there, and the membership in it when one is named; neither ends before the transaction. */
export const isLive = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om"> | null) =>
  Effect.gen(function* () {
    const organizations = yield* sql`SELECT 1 AS one FROM organizations
      WHERE id = ${organizationId} AND deleted_at IS NULL FOR SHARE`
    if (organizations.length === 0) return false
    if (membershipId === null) return true
    const memberships = yield* sql`SELECT 1 AS one FROM memberships
      WHERE organization_id = ${organizationId} AND id = ${membershipId} AND removed_at IS NULL FOR SHARE`
    return memberships.length > 0
  })
