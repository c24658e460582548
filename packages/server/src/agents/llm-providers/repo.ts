import type { ApiFormat, CredentialMode, EnabledModel, LlmProvider } from "@orgplane/schema/llm-providers"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import { grantedLevelOf, levelOf, pageOfVisible } from "../../identity/grants/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso } from "../../infra/sql/timestamps.ts"

/** The credential purpose of provider keys. */
export const purpose = "llm"

export interface Row {
  readonly id: Id<"llm">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly provider_id: string
  readonly api_format: ApiFormat
  readonly base_url: string | null
  readonly env_json: ReadonlyArray<string>
  readonly npm: string | null
  readonly doc_url: string | null
  readonly models_json: ReadonlyArray<EnabledModel> | null
  readonly credential_mode: CredentialMode
  readonly headers_json: Readonly<Record<string, string>>
  readonly options_json: JsonObject
  readonly version: number
  readonly created_by_membership_id: Id<"om"> | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** A provider with one caller's access to it. */
export interface CallerRow extends Row {
  readonly level: number
  /** The access level from grants only: even owners and admins need a grant to receive the key. */
  readonly granted_level: number
  readonly has_credential: boolean
}

const ownColumns = (sql: Sql) =>
  sql.literal(`p.id, p.organization_id, p.name, p.provider_id, p.api_format, p.base_url, p.env_json, p.npm, p.doc_url,
    p.models_json, p.credential_mode, p.headers_json, p.options_json, p.version, p.created_by_membership_id,
    p.created_at, p.updated_at`)

/**
 * The owner of the key that the caller uses: '' for the shared key; null if the caller is an API key, which cannot have
 * a personal key.
 */
export const holderOf = ({ principal }: Member, mode: CredentialMode): Id<"om"> | "" | null =>
  mode !== "per_member" ? "" : principal.kind === "session" ? principal.membershipId : null

const columns = (sql: Sql, caller: Member) =>
  sql`${ownColumns(sql)}, ${levelOf(sql, caller, "llmProvider", sql`p.id`)} AS level,
    ${grantedLevelOf(sql, caller, "llmProvider", sql`p.id`)} AS granted_level,
    EXISTS (SELECT 1 FROM oauth_credentials c
      WHERE c.organization_id = p.organization_id AND c.purpose = ${purpose} AND c.subject_id = p.id
        AND c.status = 'ready' AND c.membership_id = CASE p.credential_mode WHEN 'shared' THEN '' ELSE ${holderOf(caller, "per_member")}::text END
    ) AS has_credential`

/** Whether the caller's key exists or none is needed. */
export const isConnected = (row: Pick<CallerRow, "credential_mode" | "has_credential">): boolean =>
  row.credential_mode === "none" || row.has_credential

/** Why the caller cannot use the provider yet, in one sentence. */
export const notConnectedReason = (row: Pick<Row, "credential_mode">): string =>
  row.credential_mode === "shared"
    ? "A manager must set the provider's key."
    : "You have not set your personal key yet."

export const toWire = (row: CallerRow): LlmProvider => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  providerId: row.provider_id,
  apiFormat: row.api_format,
  baseUrl: row.base_url,
  env: row.env_json,
  npm: row.npm,
  docUrl: row.doc_url,
  models: row.models_json,
  credentialMode: row.credential_mode,
  status: isConnected(row) ? "ready" : "not_connected",
  statusReason: isConnected(row) ? null : notConnectedReason(row),
  connectedForMe: isConnected(row),
  headers: row.headers_json,
  options: row.options_json,
  createdByOrgMembershipId: row.created_by_membership_id,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const get = (sql: Sql, caller: Member, id: Id<"llm">) =>
  sql<CallerRow>`SELECT ${columns(sql, caller)} FROM llm_providers p
    WHERE p.organization_id = ${caller.organizationId} AND p.id = ${id} AND p.deleted_at IS NULL`.pipe(
    Effect.map((rows) => rows[0])
  )

export const list = (sql: Sql, caller: Member, q: string | undefined, after: string | null, limit: number) =>
  sql<CallerRow>`SELECT ${columns(sql, caller)} FROM (${pageOfVisible(sql, caller, {
    kind: "llmProvider",
    where: q === undefined ? sql`TRUE` : sql`o.name ILIKE ${contains(q)}`,
    after,
    limit
  })}) page
    JOIN llm_providers p ON p.organization_id = ${caller.organizationId} AND p.id = page.id
    ORDER BY p.id DESC`

/** Locks the provider until the transaction ends; `share` allows other shared locks. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"llm">, mode: "change" | "share" = "change") =>
  sql<Row>`SELECT ${ownColumns(sql)} FROM llm_providers p
    WHERE p.organization_id = ${organizationId} AND p.id = ${id} AND p.deleted_at IS NULL
    ${mode === "change" ? sql`FOR UPDATE` : sql`FOR SHARE`}`.pipe(Effect.map((rows) => rows[0]))

/** Whether a key that was set for the earlier settings is still valid for the current ones. */
export const isUnchanged = (before: Row, current: Row): boolean =>
  before.provider_id === current.provider_id &&
  before.base_url === current.base_url &&
  before.credential_mode === current.credential_mode

/** The settings of a provider, from the request and the catalog. */
export interface Settings {
  readonly name: string
  readonly providerId: string
  readonly apiFormat: ApiFormat
  readonly baseUrl: string | null
  readonly env: ReadonlyArray<string>
  readonly npm: string | null
  readonly docUrl: string | null
  readonly models: ReadonlyArray<EnabledModel> | null
  readonly credentialMode: CredentialMode
  readonly headers: Readonly<Record<string, string>>
  readonly options: JsonObject
}

const jsonOrNull = (sql: Sql, value: unknown) => (value === null ? null : sql.json(value))

export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"llm">,
  settings: Settings,
  createdBy: Id<"om"> | null
) =>
  sql`INSERT INTO llm_providers (organization_id, id, name, provider_id, api_format, base_url, env_json, npm, doc_url,
      models_json, credential_mode, headers_json, options_json, created_by_membership_id, created_at, updated_at)
    VALUES (${organizationId}, ${id}, ${settings.name}, ${settings.providerId}, ${settings.apiFormat},
      ${settings.baseUrl}, ${sql.json(settings.env)}, ${settings.npm}, ${settings.docUrl},
      ${jsonOrNull(sql, settings.models)}, ${settings.credentialMode}, ${sql.json(settings.headers)},
      ${sql.json(settings.options)}, ${createdBy}, now(), now())`

export const update = (sql: Sql, organizationId: Id<"org">, id: Id<"llm">, settings: Settings) =>
  sql`UPDATE llm_providers SET name = ${settings.name}, provider_id = ${settings.providerId},
      api_format = ${settings.apiFormat}, base_url = ${settings.baseUrl}, env_json = ${sql.json(settings.env)},
      npm = ${settings.npm}, doc_url = ${settings.docUrl}, models_json = ${jsonOrNull(sql, settings.models)},
      credential_mode = ${settings.credentialMode}, headers_json = ${sql.json(settings.headers)},
      options_json = ${sql.json(settings.options)}, version = version + 1, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"llm">) =>
  sql`UPDATE llm_providers SET deleted_at = now(), updated_at = now(), version = version + 1
    WHERE organization_id = ${organizationId} AND id = ${id} AND deleted_at IS NULL`
