import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../../infra/sql/client.ts"

/** A sealed value and its key. */
export interface Row {
  readonly key_id: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

export interface NewSeal {
  readonly keyId: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

/** Selects rows that are sealed with a key other than the newest, after those already visited. */
export interface StaleSelection {
  readonly newest: string
  readonly limit: number
  readonly skipped: number
}

export interface SigningKeyRow extends Row {
  readonly id: string
}

export const staleSigningKeys = (sql: Sql, { limit, newest, skipped }: StaleSelection) =>
  sql<SigningKeyRow>`SELECT id, key_id, nonce, ciphertext FROM signing_keys WHERE key_id <> ${newest}
    ORDER BY id LIMIT ${limit} OFFSET ${skipped}`

// The nonce identifies the value's version: a value that was replaced meanwhile is not overwritten.
export const putSigningKey = (sql: Sql, row: SigningKeyRow, sealed: NewSeal) =>
  sql`UPDATE signing_keys SET key_id = ${sealed.keyId}, nonce = ${sealed.nonce}, ciphertext = ${sealed.ciphertext}
    WHERE id = ${row.id} AND nonce = ${row.nonce}`

export interface CredentialRow extends Row {
  readonly organization_id: Id<"org">
  readonly purpose: string
  readonly subject_id: string
  readonly membership_id: string
}

export const staleCredentials = (sql: Sql, { limit, newest, skipped }: StaleSelection) =>
  sql<CredentialRow>`SELECT organization_id, purpose, subject_id, membership_id, key_id, nonce, ciphertext
    FROM oauth_credentials WHERE key_id <> ${newest}
    ORDER BY organization_id, purpose, subject_id, membership_id LIMIT ${limit} OFFSET ${skipped}`

export const putCredential = (sql: Sql, row: CredentialRow, sealed: NewSeal) =>
  sql`UPDATE oauth_credentials SET key_id = ${sealed.keyId}, nonce = ${sealed.nonce}, ciphertext = ${sealed.ciphertext}
    WHERE organization_id = ${row.organization_id} AND purpose = ${row.purpose} AND subject_id = ${row.subject_id}
      AND membership_id = ${row.membership_id} AND nonce = ${row.nonce}`

export interface ClientRow extends Row {
  readonly organization_id: Id<"org">
  readonly purpose: string
  readonly subject_id: string
  readonly issuer: string
}

export const staleClients = (sql: Sql, { limit, newest, skipped }: StaleSelection) =>
  sql<ClientRow>`SELECT organization_id, purpose, subject_id, issuer, key_id, nonce, ciphertext
    FROM oauth_clients WHERE key_id IS NOT NULL AND key_id <> ${newest}
    ORDER BY organization_id, purpose, subject_id LIMIT ${limit} OFFSET ${skipped}`

export const putClient = (sql: Sql, row: ClientRow, sealed: NewSeal) =>
  sql`UPDATE oauth_clients SET key_id = ${sealed.keyId}, nonce = ${sealed.nonce}, ciphertext = ${sealed.ciphertext}
    WHERE organization_id = ${row.organization_id} AND purpose = ${row.purpose} AND subject_id = ${row.subject_id}
      AND issuer = ${row.issuer} AND nonce = ${row.nonce}`

export interface ValueRow extends Row {
  readonly organization_id: Id<"org">
  readonly id: string
  /** The owner of the value, as used in its seal context. */
  readonly owner: string
}

export const staleConnectorCredentials = (sql: Sql, { limit, newest, skipped }: StaleSelection) =>
  sql<ValueRow>`SELECT v.organization_id, v.id, i.remote_id AS owner, v.key_id, v.nonce, v.ciphertext
    FROM sealed_values v
    JOIN connector_instances i ON i.organization_id = v.organization_id AND i.credential_id = v.id
    WHERE v.key_id <> ${newest} ORDER BY v.organization_id, v.id LIMIT ${limit} OFFSET ${skipped}`

export const staleClientSecrets = (sql: Sql, { limit, newest, skipped }: StaleSelection) =>
  sql<ValueRow>`SELECT v.organization_id, v.id, c.id AS owner, v.key_id, v.nonce, v.ciphertext
    FROM sealed_values v
    JOIN mcp_connections c ON c.organization_id = v.organization_id AND c.oauth_client_secret_id = v.id
    WHERE v.key_id <> ${newest} ORDER BY v.organization_id, v.id LIMIT ${limit} OFFSET ${skipped}`

export const putValue = (sql: Sql, row: ValueRow, sealed: NewSeal) =>
  sql`UPDATE sealed_values SET key_id = ${sealed.keyId}, nonce = ${sealed.nonce}, ciphertext = ${sealed.ciphertext}
    WHERE organization_id = ${row.organization_id} AND id = ${row.id} AND nonce = ${row.nonce}`

export interface SsoSecretRow extends Row {
  readonly organization_id: Id<"org">
  readonly id: Id<"sso">
  readonly config_json: { readonly issuer: string; readonly clientId: string }
}

export const staleSsoSecrets = (sql: Sql, { limit, newest, skipped }: StaleSelection) =>
  sql<SsoSecretRow>`SELECT organization_id, id, config_json, key_id, nonce, ciphertext FROM sso_connections
    WHERE key_id IS NOT NULL AND key_id <> ${newest} ORDER BY organization_id LIMIT ${limit} OFFSET ${skipped}`

export const putSsoSecret = (sql: Sql, row: SsoSecretRow, sealed: NewSeal) =>
  sql`UPDATE sso_connections SET key_id = ${sealed.keyId}, nonce = ${sealed.nonce}, ciphertext = ${sealed.ciphertext}
    WHERE organization_id = ${row.organization_id} AND nonce = ${row.nonce}`

export interface SsoSignInRow extends Row {
  readonly organization_id: Id<"org">
  readonly id: Id<"ssi">
}

export const staleSsoSignIns = (sql: Sql, { limit, newest, skipped }: StaleSelection) =>
  sql<SsoSignInRow>`SELECT organization_id, id, key_id, nonce, ciphertext FROM sso_sign_ins
    WHERE key_id IS NOT NULL AND key_id <> ${newest} ORDER BY organization_id, id LIMIT ${limit} OFFSET ${skipped}`

export const putSsoSignIn = (sql: Sql, row: SsoSignInRow, sealed: NewSeal) =>
  sql`UPDATE sso_sign_ins SET key_id = ${sealed.keyId}, nonce = ${sealed.nonce}, ciphertext = ${sealed.ciphertext}
    WHERE organization_id = ${row.organization_id} AND id = ${row.id} AND nonce = ${row.nonce}`

export interface RuntimeTokenRow extends Row {
  readonly organization_id: Id<"org">
  readonly id: Id<"wki">
}

export const staleRuntimeTokens = (sql: Sql, { limit, newest, skipped }: StaleSelection) =>
  sql<RuntimeTokenRow>`SELECT organization_id, id, key_id, nonce, ciphertext FROM worker_instances
    WHERE key_id IS NOT NULL AND key_id <> ${newest} ORDER BY organization_id, id LIMIT ${limit} OFFSET ${skipped}`

export const putRuntimeToken = (sql: Sql, row: RuntimeTokenRow, sealed: NewSeal) =>
  sql`UPDATE worker_instances SET key_id = ${sealed.keyId}, nonce = ${sealed.nonce}, ciphertext = ${sealed.ciphertext}
    WHERE organization_id = ${row.organization_id} AND id = ${row.id} AND nonce = ${row.nonce}`
