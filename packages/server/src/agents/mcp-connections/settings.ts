import type {
  AuthType,
  CreateMcpConnection,
  CredentialMode,
  UpdateMcpConnection
} from "@orgplane/schema/mcp-connections"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import type { Row, Settings } from "./repo.ts"
import { urlKeyOf } from "./url-key.ts"

type Input = typeof UpdateMcpConnection.Type & Partial<typeof CreateMcpConnection.Type>

const modeOf = (authType: AuthType): CredentialMode => (authType === "oauth" ? "per_member" : "shared")
const keyHeader = "authorization"
const schemeOf = (header: string) => (header === keyHeader ? "Bearer" : null)

const misplacedField = (input: Input, authType: AuthType): string | undefined => {
  if (authType !== "oauth" && input.oauthClient != null) return "oauthClient"
  if (authType !== "oauth" && input.scopes != null) return "scopes"
  if (authType !== "apikey" && input.apiKeyHeader !== undefined) return "apiKeyHeader"
  if (authType !== "apikey" && input.apiKeyScheme != null) return "apiKeyScheme"
  return undefined
}

/**
 * The settings after the input is applied; `before` is null for a new connection, whose input has all required members.
 */
export const settingsOf = Effect.fnUntraced(function* (
  input: Input,
  before: Pick<
    Row,
    "name" | "url" | "auth_type" | "credential_mode" | "scopes_json" | "api_key_header" | "api_key_scheme"
  > | null
) {
  const authType = input.authType ?? before?.auth_type ?? "none"
  const misplaced = misplacedField(input, authType)
  if (misplaced !== undefined) {
    return yield* InvalidRequest.at(["body", misplaced], `is not allowed for a connection with authType ${authType}`)
  }
  const existing = before !== null && before.auth_type === authType ? before : undefined
  const credentialMode = input.credentialMode ?? existing?.credential_mode ?? modeOf(authType)
  if (authType === "none" && credentialMode === "per_member") {
    return yield* InvalidRequest.at(["body", "credentialMode"], "must be shared for a connection with authType none")
  }
  const isKey = authType === "apikey"
  const header = input.apiKeyHeader?.toLowerCase() ?? existing?.api_key_header ?? keyHeader
  const existingScheme =
    existing === undefined || existing.api_key_header !== header ? schemeOf(header) : existing.api_key_scheme
  const scopes = input.scopes === undefined ? (existing?.scopes_json ?? null) : input.scopes
  const url = input.url ?? before?.url ?? ""
  const settings: Settings = {
    name: input.name ?? before?.name ?? "",
    url,
    urlKey: urlKeyOf(url),
    authType,
    credentialMode,
    scopes: authType !== "oauth" || scopes === null ? null : [...new Set(scopes)],
    apiKeyHeader: isKey ? header : null,
    apiKeyScheme: isKey ? (input.apiKeyScheme === undefined ? existingScheme : input.apiKeyScheme) : null
  }
  return settings
})

/** Whether the change makes the stored credentials invalid. */
export const invalidatesCredentials = (
  before: Pick<Row, "url" | "auth_type" | "credential_mode">,
  after: Settings
): boolean =>
  before.url !== after.url || before.auth_type !== after.authType || before.credential_mode !== after.credentialMode

export const isSame = (before: Row, after: Settings): boolean =>
  !invalidatesCredentials(before, after) &&
  before.name === after.name &&
  before.api_key_header === after.apiKeyHeader &&
  before.api_key_scheme === after.apiKeyScheme &&
  JSON.stringify(before.scopes_json) === JSON.stringify(after.scopes)
