import type { SsoConnection, SsoRefusal } from "@orgplane/schema/sso"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sealed } from "../../infra/crypto/key-ring.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"

/** The settings of an OpenID Connect provider. The client secret is sealed and stored separately. */
export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  readonly scopes: ReadonlyArray<string>
}

export interface StoredCertificate {
  readonly pem: string
  readonly sha256: string
  readonly subject: string
  readonly notBefore: string
  readonly notAfter: string
}

export interface SamlConfig {
  readonly idpEntityId: string
  readonly ssoUrl: string
  readonly certificates: ReadonlyArray<StoredCertificate>
  readonly attributes: { readonly email: string | null; readonly name: string | null }
}

export interface LastTest {
  readonly ok: boolean
  readonly at: string
  readonly by: Id<"om">
  readonly code: SsoRefusal | null
  readonly subject: string | null
  readonly email: string | null
}

interface Common {
  readonly organization_id: Id<"org">
  readonly id: Id<"sso">
  readonly key_id: string | null
  readonly nonce: Uint8Array | null
  readonly ciphertext: Uint8Array | null
  readonly enabled: boolean
  readonly enforced: boolean
  readonly break_glass_json: ReadonlyArray<Id<"om">>
  readonly jit_enabled: boolean
  readonly jit_role: string
  readonly settings_revision: number
  readonly last_test_json: LastTest | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}
export type OidcRow = Common & { readonly protocol: "oidc"; readonly config_json: OidcConfig }
export type SamlRow = Common & { readonly protocol: "saml"; readonly config_json: SamlConfig }
export type Row = OidcRow | SamlRow

/** The context that a client secret is sealed for, so that no other provider can receive it. */
export const clientSecretContext = (organizationId: Id<"org">, id: Id<"sso">, issuer: string, clientId: string) =>
  `sso-client\n${organizationId}\n${id}\n${issuer}\n${clientId}`

/**
 * The values that an identity provider needs to know about this service provider. They depend only on the
 * organization, not on a connection.
 */
export const serviceProviderOf = (publicUrl: string, organizationId: Id<"org">): SsoConnection["serviceProvider"] => ({
  redirectUri: `${publicUrl}/v1/sso/oidc/${organizationId}/callback`,
  entityId: `${publicUrl}/v1/sso/saml/${organizationId}/metadata`,
  acsUrl: `${publicUrl}/v1/sso/saml/${organizationId}/acs`,
  metadataUrl: `${publicUrl}/v1/sso/saml/${organizationId}/metadata`
})

export const toWire = (publicUrl: string, row: Row): SsoConnection => ({
  id: row.id,
  organizationId: row.organization_id,
  protocol: row.protocol,
  enabled: row.enabled,
  enforced: row.enforced,
  breakGlass: row.break_glass_json,
  jit: { enabled: row.jit_enabled, role: row.jit_role },
  oidc:
    row.protocol === "oidc"
      ? {
          issuer: row.config_json.issuer,
          clientId: row.config_json.clientId,
          scopes: row.config_json.scopes,
          hasClientSecret: row.ciphertext !== null
        }
      : null,
  saml:
    row.protocol === "saml"
      ? {
          idpEntityId: row.config_json.idpEntityId,
          ssoUrl: row.config_json.ssoUrl,
          certificates: row.config_json.certificates.map(({ notAfter, notBefore, sha256, subject }) => ({
            sha256,
            subject,
            notBefore,
            notAfter
          })),
          attributes: row.config_json.attributes
        }
      : null,
  serviceProvider: serviceProviderOf(publicUrl, row.organization_id),
  lastTest: row.last_test_json,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

const columns = (sql: Sql) =>
  sql.literal(`organization_id, id, protocol, config_json, key_id, nonce, ciphertext, enabled, enforced,
    break_glass_json, jit_enabled, jit_role, settings_revision, last_test_json, version, created_at, updated_at`)

export const find = (sql: Sql, organizationId: Id<"org">) =>
  sql<Row>`SELECT ${columns(sql)} FROM sso_connections WHERE organization_id = ${organizationId}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The connection. Locks it until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">) =>
  sql<Row>`SELECT ${columns(sql)} FROM sso_connections WHERE organization_id = ${organizationId} FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

/**
 * The connection with a shared lock, for transactions that do not change it, because many users sign in concurrently.
 */
export const lockShared = (sql: Sql, organizationId: Id<"org">) =>
  sql<Row>`SELECT ${columns(sql)} FROM sso_connections WHERE organization_id = ${organizationId} FOR SHARE`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Whether the organization exists and is claimed. */
export const isLive = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ id: string }>`SELECT id FROM organizations
    WHERE id = ${organizationId} AND deleted_at IS NULL AND provisional_until IS NULL`.pipe(
    Effect.map((rows) => rows.length === 1)
  )

export interface Settings {
  readonly id: Id<"sso">
  readonly protocol: "oidc" | "saml"
  readonly config: OidcConfig | SamlConfig
  readonly sealed: Sealed | null
  readonly jit: { readonly enabled: boolean; readonly role: string }
  /** The new settings are for another provider or client, so the connection is disabled. */
  readonly isOther: boolean
  /** The last test does not apply to the new settings. */
  readonly isUntested: boolean
}

/** Versions start at a random number, so that a cached version of a removed connection does not match its successor. */
export const put = (sql: Sql, organizationId: Id<"org">, settings: Settings) =>
  sql<Row>`INSERT INTO sso_connections AS c (organization_id, id, protocol, config_json, key_id, nonce, ciphertext,
      jit_enabled, jit_role, version, created_at, updated_at)
    VALUES (${organizationId}, ${settings.id}, ${settings.protocol}, ${sql.json(settings.config)},
      ${settings.sealed?.keyId ?? null}, ${settings.sealed?.nonce ?? null}, ${settings.sealed?.ciphertext ?? null},
      ${settings.jit.enabled}, ${settings.jit.role}, 1 + floor(random() * 1000000000)::integer, now(), now())
    ON CONFLICT (organization_id) DO UPDATE SET protocol = excluded.protocol, config_json = excluded.config_json,
      key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext,
      jit_enabled = excluded.jit_enabled, jit_role = excluded.jit_role,
      enabled = c.enabled AND NOT ${settings.isOther},
      last_test_json = CASE WHEN ${settings.isUntested} THEN NULL ELSE c.last_test_json END,
      settings_revision = c.settings_revision + CASE WHEN ${settings.isUntested} THEN 1 ELSE 0 END,
      version = c.version + 1, updated_at = now()
    RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const setEnabled = (sql: Sql, organizationId: Id<"org">, enabled: boolean) =>
  sql<Row>`UPDATE sso_connections SET enabled = ${enabled}, enforced = enforced AND ${enabled},
      break_glass_json = CASE WHEN ${enabled} THEN break_glass_json ELSE '[]'::jsonb END,
      version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

export const enforce = (sql: Sql, organizationId: Id<"org">, breakGlass: ReadonlyArray<Id<"om">>) =>
  sql<Row>`UPDATE sso_connections SET enforced = true, break_glass_json = ${sql.json(breakGlass)},
      version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} RETURNING ${columns(sql)}`.pipe(Effect.map((rows) => rows[0]))

/** Only if the settings are still those that were tested. Increments the version, because the response changes. */
export const setLastTest = (sql: Sql, organizationId: Id<"org">, settingsRevision: number, test: LastTest) =>
  sql`UPDATE sso_connections SET last_test_json = ${sql.json(test)}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND settings_revision = ${settingsRevision}`

export const forgetIdentities = (sql: Sql, organizationId: Id<"org">) =>
  sql`DELETE FROM sso_identities WHERE organization_id = ${organizationId}`

/** Signs out all users who signed in with the provider, except for one session. */
export const signOut = (sql: Sql, organizationId: Id<"org">, except: Id<"ses"> | null) =>
  sql`UPDATE sessions SET revoked_at = now()
    WHERE organization_id = ${organizationId} AND kind = 'sso' AND revoked_at IS NULL
      AND id IS DISTINCT FROM ${except}::text`

/** Removes the connection with its identities, pending sign-ins and sessions. */
export const remove = (sql: Sql, organizationId: Id<"org">) =>
  Effect.gen(function* () {
    yield* forgetIdentities(sql, organizationId)
    yield* sql`DELETE FROM sso_sign_ins WHERE organization_id = ${organizationId}`
    yield* sql`DELETE FROM sso_assertions WHERE organization_id = ${organizationId}`
    yield* signOut(sql, organizationId, null)
    yield* sql`DELETE FROM sso_connections WHERE organization_id = ${organizationId}`
  })

/** Owners who can sign in without the identity provider: by an email code, or through the host application. */
export const reachableOwners = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"om">>) =>
  sql<{ id: Id<"om"> }>`SELECT m.id FROM memberships m JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
    WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL AND m.role = 'owner'
      AND m.id IN (SELECT jsonb_array_elements_text(${sql.json(ids)}))
      AND (u.email IS NOT NULL AND u.email_verified OR EXISTS (SELECT 1 FROM user_subjects s WHERE s.user_id = u.id))`

export interface Identity {
  readonly user_id: Id<"usr">
}

/** The user of a provider's subject; undefined when the user was deleted. */
export const findIdentity = (sql: Sql, organizationId: Id<"org">, connectionId: Id<"sso">, subject: string) =>
  sql<Identity>`SELECT i.user_id FROM sso_identities i JOIN users u ON u.id = i.user_id AND u.deleted_at IS NULL
    WHERE i.organization_id = ${organizationId} AND i.connection_id = ${connectionId} AND i.subject = ${subject}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Whether the user is linked to another subject of the provider. */
export const hasOtherSubject = (
  sql: Sql,
  organizationId: Id<"org">,
  connectionId: Id<"sso">,
  userId: Id<"usr">,
  subject: string
) =>
  sql<{ subject: string }>`SELECT subject FROM sso_identities
    WHERE organization_id = ${organizationId} AND connection_id = ${connectionId} AND user_id = ${userId}
      AND subject <> ${subject} LIMIT 1`.pipe(Effect.map((rows) => rows.length === 1))

export const forgetSubjectsOf = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">) =>
  sql`DELETE FROM sso_identities WHERE organization_id = ${organizationId} AND user_id = ${userId}`

export const link = (
  sql: Sql,
  organizationId: Id<"org">,
  connectionId: Id<"sso">,
  subject: string,
  userId: Id<"usr">
) =>
  sql`INSERT INTO sso_identities (organization_id, connection_id, subject, user_id, created_at, last_used_at)
    VALUES (${organizationId}, ${connectionId}, ${subject}, ${userId}, now(), now())
    ON CONFLICT (organization_id, connection_id, subject)
    DO UPDATE SET user_id = excluded.user_id, last_used_at = now()`

/** The user's live membership. Locks it until the transaction ends. */
export const membershipOf = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">) =>
  sql<{ id: Id<"om"> }>`SELECT id FROM memberships
    WHERE organization_id = ${organizationId} AND user_id = ${userId} AND removed_at IS NULL FOR SHARE`.pipe(
    Effect.map((rows) => rows[0]?.id)
  )

/**
 * Whether a SCIM directory of the organization has deactivated the user. This checks the SCIM user linked to the user,
 * and any SCIM user with the same email address that is not linked because the domain was unverified when it was
 * created.
 */
export const isDeactivated = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr"> | null, email: string) =>
  sql<{ id: string }>`SELECT s.id FROM scim_users s
    JOIN scim_directories d ON d.organization_id = s.organization_id AND d.id = s.directory_id AND d.removed_at IS NULL
    WHERE s.organization_id = ${organizationId} AND NOT s.active AND s.removed_at IS NULL
      AND (s.user_id = ${userId}::text OR s.user_name = ${email}
        OR s.folded_json->'emails' @> ${sql.json([{ value: email }])})
    LIMIT 1`.pipe(Effect.map((rows) => rows.length === 1))

/** Records that an assertion is used; false when it was used before. */
export const useAssertion = (
  sql: Sql,
  organizationId: Id<"org">,
  connectionId: Id<"sso">,
  digest: Uint8Array,
  usableUntil: Date
) =>
  sql<{ one: number }>`INSERT INTO sso_assertions (organization_id, connection_id, assertion_digest, expires_at)
    VALUES (${organizationId}, ${connectionId}, ${digest}, ${usableUntil})
    ON CONFLICT DO NOTHING RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length === 1))

/** The organization that has verified a domain, for users who sign in with an email address in it. */
export const findOrganizationOfDomain = (sql: Sql, domain: string) =>
  sql<{ organization_id: Id<"org"> }>`SELECT organization_id FROM domains
    WHERE domain = ${domain} AND status = 'verified' AND removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0]?.organization_id)
  )
