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
  /** Required by the server after the connection was made: 403 `insufficient_scope`. */
  readonly demanded_scopes_json: ReadonlyArray<string>
  /** `isConfigured`: the operator configured the server. */
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

/** Excludes the organization, which every statement specifies separately. */
const matches = (sql: Sql, ref: CredentialRef) =>
  sql`c.purpose = ${ref.purpose} AND c.subject_id = ${ref.subjectId} AND c.membership_id = ${ref.membershipId ?? ""}`

export const find = (sql: Sql, ref: CredentialRef) =>
  sql<CredentialRow>`SELECT ${columns(sql)} FROM oauth_credentials c
    WHERE c.organization_id = ${ref.organizationId} AND ${matches(sql, ref)}`.pipe(Effect.map((rows) => rows[0]))

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

/** Stores a credential and replaces an existing one. */
export const put = (sql: Sql, ref: CredentialRef, created: NewCredential) =>
  sql`INSERT INTO oauth_credentials AS c (organization_id, purpose, subject_id, membership_id, kind, status, issuer,
      resource, client_id, registration, has_client_secret, auth_method, scopes_json, requested_scopes_json, server_json, key_id, nonce,
      ciphertext, expires_at, created_at, updated_at)
    VALUES (${ref.organizationId}, ${ref.purpose}, ${ref.subjectId}, ${ref.membershipId ?? ""}, ${created.kind}, 'ready',
      ${created.issuer}, ${created.resource}, ${created.clientId}, ${created.registration}, ${created.hasClientSecret},
      ${created.authMethod}, ${sql.json(created.scopes)}, ${sql.json(created.requestedScopes)}, ${created.server === null ? null : sql.json(created.server)},
      ${created.sealed.keyId}, ${created.sealed.nonce}, ${created.sealed.ciphertext},
      now() + make_interval(secs => ${created.expiresInSeconds}), now(), now())
    ON CONFLICT (organization_id, purpose, subject_id, membership_id) DO UPDATE SET
      kind = excluded.kind, status = 'ready', status_reason = NULL, issuer = excluded.issuer,
      resource = excluded.resource, client_id = excluded.client_id, registration = excluded.registration,
      has_client_secret = excluded.has_client_secret, auth_method = excluded.auth_method,
      scopes_json = excluded.scopes_json, requested_scopes_json = excluded.requested_scopes_json, server_json = excluded.server_json, key_id = excluded.key_id,
      nonce = excluded.nonce, ciphertext = excluded.ciphertext, expires_at = excluded.expires_at,
      generation = c.generation + 1, refresh_holder = NULL, refresh_until = NULL, created_at = now(),
      updated_at = now()`

/**
 * Claims the renewal of a credential for a limited time. False while another process holds the claim, or when the
 * credential has been replaced since it was read.
 */
export const claimRefresh = (sql: Sql, ref: CredentialRef, generation: number, holder: string, seconds: number) =>
  sql`UPDATE oauth_credentials c SET refresh_holder = ${holder}, refresh_until = now() + make_interval(secs => ${seconds})
    WHERE c.organization_id = ${ref.organizationId} AND ${matches(sql, ref)} AND c.generation = ${generation}
      AND c.status = 'ready' AND (c.refresh_until IS NULL OR c.refresh_until < now())
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

/** Releases the claim after a failed renewal. */
export const releaseRefresh = (sql: Sql, ref: CredentialRef, holder: string) =>
  sql`UPDATE oauth_credentials c SET refresh_holder = NULL, refresh_until = NULL
    WHERE c.organization_id = ${ref.organizationId} AND ${matches(sql, ref)} AND c.refresh_holder = ${holder}`

/** Stores the result of a renewal. False when the credential was replaced or deleted. */
export const storeRefreshed = (
  sql: Sql,
  ref: CredentialRef,
  holder: string,
  created: Pick<NewCredential, "sealed" | "expiresInSeconds" | "scopes">
) =>
  sql`UPDATE oauth_credentials c SET key_id = ${created.sealed.keyId}, nonce = ${created.sealed.nonce},
      ciphertext = ${created.sealed.ciphertext}, scopes_json = ${sql.json(created.scopes)},
      expires_at = now() + make_interval(secs => ${created.expiresInSeconds}), generation = c.generation + 1,
      refresh_holder = NULL, refresh_until = NULL, updated_at = now()
    WHERE c.organization_id = ${ref.organizationId} AND ${matches(sql, ref)} AND c.refresh_holder = ${holder}
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

/** Marks a credential as no longer working. False if it was replaced or is marked already. */
export const markReconnect = (sql: Sql, ref: CredentialRef, generation: number, reason: string) =>
  sql`UPDATE oauth_credentials c SET status = 'reconnect_required', status_reason = ${reason},
      refresh_holder = NULL, refresh_until = NULL, updated_at = now()
    WHERE c.organization_id = ${ref.organizationId} AND ${matches(sql, ref)} AND c.generation = ${generation}
      AND c.status = 'ready'
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

/** Stores the scopes that a server requires in addition to the requested ones. */
export const demandScopes = (sql: Sql, ref: CredentialRef, scopes: ReadonlyArray<string>) =>
  sql`UPDATE oauth_credentials c SET demanded_scopes_json = ${sql.json(scopes)}, updated_at = now()
    WHERE c.organization_id = ${ref.organizationId} AND ${matches(sql, ref)}`

/** Deletes one credential and returns it, so that its server can be notified. */
export const remove = (sql: Sql, ref: CredentialRef) =>
  sql<CredentialRow>`DELETE FROM oauth_credentials c
    WHERE c.organization_id = ${ref.organizationId} AND ${matches(sql, ref)} RETURNING ${columns(sql)}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Deletes everything of a subject: all credentials, registered clients and sign-ins in progress. */
export const removeAll = (sql: Sql, organizationId: Id<"org">, purpose: Purpose, subjectId: string) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM oauth_credentials
      WHERE organization_id = ${organizationId} AND purpose = ${purpose} AND subject_id = ${subjectId}`
    yield* sql`DELETE FROM oauth_clients
      WHERE organization_id = ${organizationId} AND purpose = ${purpose} AND subject_id = ${subjectId}`
    yield* sql`DELETE FROM oauth_states
      WHERE organization_id = ${organizationId} AND purpose = ${purpose} AND subject_id = ${subjectId}`
  })

/** The credentials of these subjects that are the member's own or shared. */
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

/** The client registered at this issuer, unless its secret expires within the hour. */
export const findClient = (sql: Sql, subject: Subject, issuer: string) =>
  sql<ClientRow>`SELECT client_id, redirect_uri, auth_method, key_id, nonce, ciphertext FROM oauth_clients
    WHERE organization_id = ${subject.organizationId} AND purpose = ${subject.purpose}
      AND subject_id = ${subject.subjectId} AND issuer = ${issuer}
      AND (expires_at IS NULL OR expires_at > now() + interval '1 hour')`.pipe(Effect.map((rows) => rows[0]))

/** Stores a registered client. Each sign-in keeps the client that it was started with. */
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

export const removeClient = (sql: Sql, subject: Subject, issuer: string) =>
  sql`DELETE FROM oauth_clients
    WHERE organization_id = ${subject.organizationId} AND purpose = ${subject.purpose}
      AND subject_id = ${subject.subjectId} AND issuer = ${issuer}`

/** Whether the organization and, if given, the membership are active. Both stay active until the transaction ends. */
export const lockActive = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om"> | null) =>
  Effect.gen(function* () {
    const organizations = yield* sql`SELECT 1 AS one FROM organizations
      WHERE id = ${organizationId} AND deleted_at IS NULL FOR SHARE`
    if (organizations.length === 0) return false
    if (membershipId === null) return true
    const memberships = yield* sql`SELECT 1 AS one FROM memberships
      WHERE organization_id = ${organizationId} AND id = ${membershipId} AND removed_at IS NULL FOR SHARE`
    return memberships.length > 0
  })
