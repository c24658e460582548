import type { McpConnectionEntry } from "@orgplane/schema/shared/configuration-outside"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { McpConnectService } from "../../../agents/mcp-connections/connect-service.ts"
import * as repo from "../../../agents/mcp-connections/repo.ts"
import type { McpConnectionsService } from "../../../agents/mcp-connections/service.ts"
import type { McpToolsService } from "../../../agents/mcp-connections/tools-service.ts"
import type { OAuthTokens } from "../../../agents/oauth/index.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { accessReferences, normalizeAccess, readAccess, setAccess } from "../access.ts"
import { defined } from "../defined.ts"
import { at, currentSecret, type Kind, type Names } from "../kind.ts"
import { readPages } from "../read-pages.ts"
import { sharedKey } from "../shared-key.ts"

type Entry = Omit<typeof McpConnectionEntry.Type, "key">
/** An entry with its secrets in place of the references. */
type Input = Omit<Entry, "apiKey" | "oauthClientSecret"> & {
  readonly apiKey?: Redacted.Redacted
  readonly oauthClientSecret?: Redacted.Redacted
}

const itemOf = (row: repo.CallerRow) => ({
  name: row.name,
  url: row.url,
  ...(row.preset_id === null ? {} : { presetId: row.preset_id }),
  authType: row.auth_type,
  credentialMode: row.credential_mode,
  ...(row.auth_type === "oauth"
    ? {
        scopes: row.scopes_json,
        // A client that was registered automatically belongs to the authorization server's registration.
        oauthClient:
          row.oauth_client_id === null || row.oauth_registration !== "pre_registered"
            ? null
            : { clientId: row.oauth_client_id },
        ...(row.oauth_registration === "pre_registered" && row.oauth_client_secret_id !== null
          ? { oauthClientSecret: currentSecret }
          : {})
      }
    : {}),
  ...(row.auth_type === "apikey"
    ? {
        apiKeyHeader: row.api_key_header,
        apiKeyScheme: row.api_key_scheme,
        ...(row.credential_mode === "shared" && row.credential_status !== null ? { apiKey: currentSecret } : {})
      }
    : {}),
  toolPolicy: row.tool_policy_json
})

/** The input of the client, with its current ID if only the secret changes. */
const clientOf = ({ oauthClient, oauthClientSecret }: Partial<Input>, current: Partial<Entry>) => {
  if (oauthClient === undefined && oauthClientSecret === undefined) return undefined
  const client = oauthClient === undefined ? current.oauthClient : oauthClient
  return client == null
    ? null
    : {
        clientId: client.clientId,
        ...(oauthClientSecret === undefined ? {} : { clientSecret: Redacted.value(oauthClientSecret) })
      }
}

/** MCP connections, with their shared credentials, tool policy and grants. */
export const mcpConnectionsKind = (
  sql: Sql,
  connections: McpConnectionsService["Service"],
  connect: McpConnectService["Service"],
  tools: McpToolsService["Service"],
  tokens: OAuthTokens["Service"]
): Kind => {
  const put = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"emc">,
    { access, apiKey, authType, credentialMode = "shared", toolPolicy }: Partial<Input>,
    names: Names,
    isNew: boolean
  ) {
    if (apiKey !== undefined) {
      // For another mode, the key would become the caller's own.
      if (authType !== "apikey" || credentialMode !== "shared") {
        return yield* InvalidRequest.at(
          ["apiKey"],
          "is not allowed unless authType is apikey and credentialMode is shared"
        )
      }
      yield* connect.setApiKey(caller, id, Redacted.value(apiKey))
    }
    if (toolPolicy !== undefined) yield* tools.setToolPolicy(caller, id, toolPolicy)
    if (access !== undefined) yield* setAccess(sql, caller, "mcpConnection", id, connections, access, names, isNew)
  })
  const demandClient = (item: Partial<Input>, client: unknown) =>
    item.oauthClientSecret !== undefined && client == null
      ? Effect.fail(InvalidRequest.at(["oauthClientSecret"], "requires oauthClient"))
      : Effect.void
  return {
    kind: "mcpConnections",
    refersTo: ["teams"],
    grantedAs: ["mcpConnection"],
    permissions: {
      read: ["mcpConnections:read", "members:read"],
      write: "mcpConnections:write",
      remove: "mcpConnections:manage",
      fields: { access: "mcpConnections:read", apiKey: "mcpConnections:read" }
    },
    secrets: {
      prefix: "MCP",
      fields: [
        { field: "oauthClientSecret", resetBy: ["url", "authType", "credentialMode", "oauthClient"] },
        { field: "apiKey", resetBy: ["url", "authType", "credentialMode"] }
      ],
      read: Effect.fnUntraced(function* ({ organizationId }, { id }, field) {
        if (field === "apiKey") return yield* sharedKey(tokens, organizationId, repo.purpose, id)
        const row = yield* repo.find(sql, organizationId, id as Id<"emc">)
        if (row === undefined) return undefined
        const secret = yield* Effect.catch(connections.clientSecretOf(row), () => Effect.succeed(null))
        return secret ?? undefined
      })
    },
    read: Effect.fnUntraced(function* (caller, names) {
      const accessOf = yield* readAccess(sql, caller.organizationId, "mcpConnection", names)
      const rows = yield* readPages((after, limit) => repo.list(sql, caller, {}, after, limit))
      return rows.map((row) => ({
        id: row.id,
        version: row.version,
        name: row.name,
        item: { ...itemOf(row), access: accessOf(row.id) }
      }))
    }),
    normalize: (item) => {
      const { access, apiKeyHeader, scopes, toolPolicy, ...rest } = item as unknown as Entry
      return {
        ...rest,
        ...defined({
          scopes: scopes == null ? scopes : [...new Set(scopes)],
          apiKeyHeader: apiKeyHeader?.toLowerCase(),
          toolPolicy: toolPolicy && {
            mode: toolPolicy.mode,
            allowed: [...new Set(toolPolicy.allowed)],
            denied: [...new Set(toolPolicy.denied)]
          },
          access: access && normalizeAccess(access)
        })
      }
    },
    references: (item) => accessReferences((item as unknown as Entry).access),
    create: Effect.fnUntraced(function* (caller, item, { names }) {
      const entry = item as unknown as Input
      const {
        access: _access,
        apiKey: _apiKey,
        oauthClient: _client,
        oauthClientSecret: _clientSecret,
        toolPolicy: _policy,
        ...input
      } = entry
      const oauthClient = clientOf(entry, {})
      yield* demandClient(entry, oauthClient)
      const { id } = yield* connections.create(caller, { ...input, ...defined({ oauthClient }) })
      yield* put(caller, id, entry, names, true)
      return id
    }),
    update: Effect.fnUntraced(function* (caller, current, fields, { names }) {
      const id = current.id as Id<"emc">
      const before = current.item as unknown as Entry
      const changed = fields as Partial<Input>
      const {
        access: _access,
        apiKey: _apiKey,
        oauthClient: _client,
        oauthClientSecret: _clientSecret,
        presetId,
        toolPolicy: _policy,
        ...settings
      } = changed
      if (presetId !== before.presetId && presetId !== undefined) {
        return yield* InvalidRequest.at(["presetId"], "cannot be changed")
      }
      const oauthClient = clientOf(changed, before)
      yield* demandClient(changed, oauthClient)
      const input = { ...settings, ...defined({ oauthClient }) }
      if (Object.keys(input).length > 0) yield* connections.update(at(caller, current), id, input)
      // Another authentication type has its own default.
      const credentialMode = changed.authType === undefined ? before.credentialMode : undefined
      yield* put(caller, id, { authType: before.authType, ...defined({ credentialMode }), ...changed }, names, false)
    }),
    remove: (caller, current) => connections.remove(at(caller, current), current.id as Id<"emc">)
  }
}
