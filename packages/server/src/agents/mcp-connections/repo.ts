import type {
  AuthType,
  ConnectionStatus,
  CredentialMode,
  McpConnection,
  RegistrationMethod
} from "@orgplane/schema/mcp-connections"
import type { ToolPolicy } from "@orgplane/schema/mcp-tools"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { grantedLevelOf, levelOf, pageOfVisible, visible } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import type { Identity } from "./fingerprint.ts"

/** The credential purpose of MCP connections: OAuth credentials, API keys and client secrets. */
export const purpose = "mcp"

export interface Row {
  readonly id: Id<"emc">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly url: string
  readonly preset_id: string | null
  readonly auth_type: AuthType
  readonly credential_mode: CredentialMode
  readonly scopes_json: ReadonlyArray<string> | null
  readonly oauth_client_id: string | null
  readonly oauth_registration: RegistrationMethod | null
  readonly oauth_client_secret_id: string | null
  readonly api_key_header: string | null
  readonly api_key_scheme: string | null
  readonly tool_policy_json: ToolPolicy
  readonly accepted_identity_json: Identity | null
  readonly observed_identity_json: Identity | null
  readonly fingerprint: string | null
  readonly observed_fingerprint: string | null
  readonly drift_detected_at: Date | null
  /** The authorization server has changed, so the connection must not be used. */
  readonly drift_is_whole: boolean
  readonly drift_decision: "reject" | null
  readonly tools_checked_at: Date | null
  readonly version: number
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** A connection with one caller's access to it. */
export interface CallerRow extends Row {
  readonly level: number
  /** The access level from grants only: even owners and admins need a grant to use the connection. */
  readonly granted_level: number
  readonly credential_status: "ready" | "reconnect_required" | null
  readonly credential_reason: string | null
  /** The client with which the credential was obtained, unless it was registered manually. */
  readonly credential_client_id: string | null
  readonly credential_registration: RegistrationMethod | null
  readonly credential_has_secret: boolean | null
  readonly credential_requested_scopes: ReadonlyArray<string> | null
  readonly credential_demanded_scopes: ReadonlyArray<string> | null
}

const ownColumnNames = [
  "id",
  "organization_id",
  "name",
  "url",
  "preset_id",
  "auth_type",
  "credential_mode",
  "scopes_json",
  "oauth_client_id",
  "oauth_registration",
  "oauth_client_secret_id",
  "api_key_header",
  "api_key_scheme",
  "tool_policy_json",
  "accepted_identity_json",
  "observed_identity_json",
  "fingerprint",
  "observed_fingerprint",
  "drift_detected_at",
  "drift_is_whole",
  "drift_decision",
  "tools_checked_at",
  "version",
  "created_by_membership_id",
  "created_at",
  "updated_at"
]
const ownColumns = (sql: Sql) => sql.literal(ownColumnNames.map((column) => `m.${column}`).join(", "))

/** The owner of the credential that the caller uses: '' for the shared one; API keys have no personal credential. */
export const holderOf = (caller: Member, mode: CredentialMode): string | null =>
  mode === "shared" ? "" : caller.principal.kind === "session" ? caller.principal.membershipId : null

/** Joins the credential `c` that the caller uses for a connection `m`. */
export const credentialOf = (sql: Sql, caller: Member): Fragment =>
  sql`LEFT JOIN oauth_credentials c ON c.organization_id = ${caller.organizationId} AND c.purpose = ${purpose}
      AND c.subject_id = m.id
      AND c.membership_id = CASE m.credential_mode WHEN 'shared' THEN '' ELSE ${holderOf(caller, "per_member")}::text END`

const columns = (sql: Sql, caller: Member) =>
  sql`${ownColumns(sql)}, ${levelOf(sql, caller, "mcpConnection", sql`m.id`)} AS level,
    ${grantedLevelOf(sql, caller, "mcpConnection", sql`m.id`)} AS granted_level,
    c.status AS credential_status, c.status_reason AS credential_reason,
    c.client_id AS credential_client_id, c.registration AS credential_registration,
    c.has_client_secret AS credential_has_secret, c.requested_scopes_json AS credential_requested_scopes,
    c.demanded_scopes_json AS credential_demanded_scopes`

/** Whether the caller has a credential, even if it no longer works. */
export const isConnected = (row: Pick<CallerRow, "auth_type" | "credential_status">): boolean =>
  row.auth_type === "none" || row.credential_status !== null

const driftReason = (row: Row): string => {
  const subject = row.drift_is_whole
    ? "The server uses a different authorization server than the accepted one"
    : "The server differs from its accepted state"
  return row.drift_decision === "reject"
    ? `${subject}, and a manager has rejected the change.`
    : `${subject}. A manager must review the change.`
}

/** Drift takes precedence, because no credential may be sent to a changed server until a manager accepts the change. */
export const statusOf = (row: CallerRow): Pick<McpConnection, "status" | "statusReason"> => {
  if (row.drift_detected_at !== null) return { status: "review_required", statusReason: driftReason(row) }
  if (!isConnected(row)) {
    return {
      status: "not_connected",
      statusReason:
        row.credential_mode === "shared" ? "A manager must connect it." : "You have not connected your account yet."
    }
  }
  if (row.credential_status === "reconnect_required") {
    return { status: "reconnect_required", statusReason: row.credential_reason ?? "Connect it again." }
  }
  return { status: "ready", statusReason: null }
}

const clientOf = (row: CallerRow): McpConnection["oauthClient"] => {
  if (row.oauth_client_id !== null && row.oauth_registration !== null) {
    const isPreRegistered = row.oauth_registration === "pre_registered"
    const hasSecret = isPreRegistered ? row.oauth_client_secret_id !== null : row.credential_has_secret === true
    return { clientId: row.oauth_client_id, registration: row.oauth_registration, hasSecret }
  }
  return row.credential_client_id === null || row.credential_registration === null
    ? null
    : {
        clientId: row.credential_client_id,
        registration: row.credential_registration,
        hasSecret: row.credential_has_secret === true
      }
}

/** Scopes that the server requires but the sign-in did not request. */
const missingScopesOf = (row: CallerRow): ReadonlyArray<string> =>
  (row.credential_demanded_scopes ?? []).filter((scope) => row.credential_requested_scopes?.includes(scope) !== true)

export const toWire = (row: CallerRow): McpConnection => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  url: row.url,
  presetId: row.preset_id,
  authType: row.auth_type,
  credentialMode: row.credential_mode,
  ...statusOf(row),
  connectedForMe: isConnected(row),
  scopes: row.scopes_json,
  missingScopes: missingScopesOf(row),
  oauthClient: clientOf(row),
  apiKeyHeader: row.api_key_header,
  apiKeyScheme: row.api_key_scheme,
  fingerprint: row.fingerprint,
  toolsCheckedAt: isoOrNull(row.tools_checked_at),
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const get = (sql: Sql, caller: Member, id: Id<"emc">) =>
  sql<CallerRow>`SELECT ${columns(sql, caller)} FROM mcp_connections m ${credentialOf(sql, caller)}
    WHERE m.organization_id = ${caller.organizationId} AND m.id = ${id} AND m.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface Filters {
  readonly q?: string
  readonly urlKey?: string
  readonly status?: ConnectionStatus
}

/** The status of the connection `o` for the caller, as `statusOf` has it. */
const hasStatus = (sql: Sql, caller: Member, status: ConnectionStatus) =>
  sql`CASE WHEN o.drift_detected_at IS NOT NULL THEN 'review_required' ELSE coalesce(
      (SELECT c.status FROM oauth_credentials c WHERE c.organization_id = ${caller.organizationId}
        AND c.purpose = ${purpose} AND c.subject_id = o.id
        AND c.membership_id = CASE o.credential_mode WHEN 'shared' THEN '' ELSE ${holderOf(caller, "per_member")}::text END),
      CASE o.auth_type WHEN 'none' THEN 'ready' ELSE 'not_connected' END) END = ${status}`

const matches = (sql: Sql, caller: Member, { q, status, urlKey }: Filters): Fragment => {
  const conditions = [
    ...(q === undefined ? [] : [sql`(o.name ILIKE ${contains(q)} OR o.url ILIKE ${contains(q)})`]),
    ...(urlKey === undefined ? [] : [sql`o.url_key = ${urlKey}`]),
    ...(status === undefined ? [] : [hasStatus(sql, caller, status)])
  ]
  return conditions.length === 0 ? sql`TRUE` : sql.and(conditions)
}

export const list = (sql: Sql, caller: Member, filters: Filters, after: string | null, limit: number) =>
  sql<CallerRow>`SELECT ${columns(sql, caller)} FROM (${pageOfVisible(sql, caller, {
    kind: "mcpConnection",
    where: matches(sql, caller, filters),
    after,
    limit
  })}) page
    JOIN mcp_connections m ON m.organization_id = ${caller.organizationId} AND m.id = page.id
    ${credentialOf(sql, caller)}
    ORDER BY m.id DESC`

/** The fields of a connection that a marketplace shows. */
export interface ReadyRow extends Pick<
  CallerRow,
  | "id"
  | "name"
  | "auth_type"
  | "credential_mode"
  | "preset_id"
  | "oauth_client_id"
  | "drift_is_whole"
  | "granted_level"
  | "credential_status"
> {
  readonly url_key: string
}

/** The caller's visible connections to these URLs; for each server, the most usable ones first. */
export const listAtUrls = (sql: Sql, caller: Member, urlKeys: ReadonlyArray<string>) =>
  sql<ReadyRow>`SELECT m.id, m.name, m.url_key, m.auth_type, m.credential_mode, m.preset_id,
      coalesce(m.oauth_client_id, c.client_id) AS oauth_client_id, m.drift_is_whole,
      ${grantedLevelOf(sql, caller, "mcpConnection", sql`m.id`)} AS granted_level, c.status AS credential_status
    FROM mcp_connections m ${credentialOf(sql, caller)}
    WHERE m.organization_id = ${caller.organizationId} AND m.deleted_at IS NULL
      AND m.url_key = ANY (ARRAY(SELECT jsonb_array_elements_text(${sql.json(urlKeys)})))
      AND ${visible(sql, caller, "mcpConnection", sql`m.id`)}
    ORDER BY (${grantedLevelOf(sql, caller, "mcpConnection", sql`m.id`)}) > 0 DESC,
      (m.auth_type = 'none' OR coalesce(c.status, '') = 'ready') DESC, m.id DESC
    LIMIT 10000`

/**
 * Whether the connection still has the same URL, authentication and mode; otherwise credentials and observations of the
 * earlier state do not apply.
 */
export const isUnchanged = (before: Row, now: Row): boolean =>
  before.url === now.url && before.auth_type === now.auth_type && before.credential_mode === now.credential_mode

/** The current connection, without an access check. */
export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  sql<Row>`SELECT ${ownColumns(sql)} FROM mcp_connections m
    WHERE m.organization_id = ${organizationId} AND m.id = ${id} AND m.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Locks the connection until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  sql<Row>`SELECT ${ownColumns(sql)} FROM mcp_connections m
    WHERE m.organization_id = ${organizationId} AND m.id = ${id} AND m.deleted_at IS NULL FOR UPDATE`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The settings of a connection. */
export interface Settings {
  readonly name: string
  readonly url: string
  readonly urlKey: string
  readonly authType: AuthType
  readonly credentialMode: CredentialMode
  readonly scopes: ReadonlyArray<string> | null
  readonly apiKeyHeader: string | null
  readonly apiKeyScheme: string | null
}

const jsonOrNull = (sql: Sql, value: unknown) => (value === null ? null : sql.json(value))

export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"emc">,
  settings: Settings & { readonly presetId: string | null },
  createdBy: Id<"om"> | null
) =>
  sql`INSERT INTO mcp_connections (organization_id, id, name, url, url_key, preset_id, auth_type, credential_mode,
      scopes_json, api_key_header, api_key_scheme, created_by_membership_id, created_at, updated_at)
    VALUES (${organizationId}, ${id}, ${settings.name}, ${settings.url}, ${settings.urlKey}, ${settings.presetId},
      ${settings.authType}, ${settings.credentialMode}, ${jsonOrNull(sql, settings.scopes)}, ${settings.apiKeyHeader},
      ${settings.apiKeyScheme}, ${createdBy}, now(), now())`

export const update = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">, settings: Settings) =>
  sql`UPDATE mcp_connections SET name = ${settings.name}, url = ${settings.url}, url_key = ${settings.urlKey},
      auth_type = ${settings.authType}, credential_mode = ${settings.credentialMode},
      scopes_json = ${jsonOrNull(sql, settings.scopes)}, api_key_header = ${settings.apiKeyHeader},
      api_key_scheme = ${settings.apiKeyScheme}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** Removes the connection and its OAuth client. The caller deletes the client's secret. */
export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  sql`UPDATE mcp_connections SET deleted_at = now(), updated_at = now(), version = version + 1,
      oauth_client_id = NULL, oauth_registration = NULL, oauth_client_secret_id = NULL
    WHERE organization_id = ${organizationId} AND id = ${id} AND deleted_at IS NULL`

/** This server's client at the authorization server of a connection. */
export interface OAuthClient {
  readonly clientId: string
  readonly registration: RegistrationMethod
  /** The ID of the secret in `sealed_values`. */
  readonly secretId: string | null
}

/** Sets the client. The caller deletes the secret of the previous client. */
export const setClient = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">, client: OAuthClient | null) =>
  sql`UPDATE mcp_connections SET oauth_client_id = ${client?.clientId ?? null},
      oauth_registration = ${client?.registration ?? null}, oauth_client_secret_id = ${client?.secretId ?? null},
      updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const setPolicy = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">, policy: ToolPolicy) =>
  sql`UPDATE mcp_connections SET tool_policy_json = ${sql.json(policy)}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** A server's observed state, compared with its accepted state. */
export interface Observation {
  readonly accepted: Identity | null
  readonly observed: Identity | null
  readonly fingerprint: string
  readonly observedFingerprint: string
  readonly isWhole: boolean
}

/** Stores an observation. A rejection stays in effect until the observed state changes. */
export const storeObservation = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">, observation: Observation) => {
  const { observedFingerprint: observed } = observation
  const differs = observation.fingerprint !== observed
  return sql`UPDATE mcp_connections SET accepted_identity_json = ${jsonOrNull(sql, observation.accepted)},
      observed_identity_json = ${jsonOrNull(sql, observation.observed)}, fingerprint = ${observation.fingerprint},
      drift_decision = CASE WHEN observed_fingerprint = ${observed} AND ${differs} THEN drift_decision END,
      drift_detected_at = CASE WHEN ${differs} THEN
        CASE WHEN observed_fingerprint = ${observed} THEN coalesce(drift_detected_at, now()) ELSE now() END END,
      drift_is_whole = ${differs && observation.isWhole}, observed_fingerprint = ${observed},
      tools_checked_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`
}

export const reject = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  sql`UPDATE mcp_connections SET drift_decision = 'reject', version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const accept = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">, fingerprint: string) =>
  sql`UPDATE mcp_connections SET accepted_identity_json = observed_identity_json, fingerprint = ${fingerprint},
      observed_fingerprint = ${fingerprint}, drift_detected_at = NULL, drift_is_whole = FALSE, drift_decision = NULL,
      version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** Deletes the accepted state; the next observation becomes the new baseline. */
export const deleteBaseline = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM mcp_tools WHERE organization_id = ${organizationId} AND connection_id = ${id}`
    yield* sql`DELETE FROM mcp_tool_looks WHERE organization_id = ${organizationId} AND connection_id = ${id}`
    yield* sql`UPDATE mcp_connections SET accepted_identity_json = NULL, observed_identity_json = NULL,
        fingerprint = NULL, observed_fingerprint = NULL, drift_detected_at = NULL, drift_is_whole = FALSE,
        drift_decision = NULL, tools_checked_at = NULL
      WHERE organization_id = ${organizationId} AND id = ${id}`
  })

// The secret of an OAuth client

export interface SealedRow {
  readonly key_id: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

/** The context of a sealed client secret: it cannot be opened for another organization or connection. */
export const secretContext = (organizationId: Id<"org">, id: Id<"emc">) => `mcp-client/${organizationId}/${id}`

export const findSecret = (sql: Sql, organizationId: Id<"org">, secretId: string) =>
  sql<SealedRow>`SELECT key_id, nonce, ciphertext FROM sealed_values
    WHERE organization_id = ${organizationId} AND id = ${secretId}`.pipe(Effect.map((rows) => rows[0]))

export const putSecret = (sql: Sql, organizationId: Id<"org">, secretId: string, sealed: SealedRow) =>
  sql`INSERT INTO sealed_values (organization_id, id, purpose, key_id, nonce, ciphertext, created_at)
    VALUES (${organizationId}, ${secretId}, 'mcp-client', ${sealed.key_id}, ${sealed.nonce}, ${sealed.ciphertext},
      now())`

export const deleteSecret = (sql: Sql, organizationId: Id<"org">, secretId: string | null) =>
  secretId === null
    ? Effect.void
    : Effect.asVoid(sql`DELETE FROM sealed_values WHERE organization_id = ${organizationId} AND id = ${secretId}`)
