/** The settings of an MCP connection, in the form that creates it and in the one that changes it. */
import type {
  CreateMcpConnection,
  McpAuthType,
  McpConnection,
  McpCredentialMode,
  McpResolution
} from "@orgplane/client"
import { SelectField, TextArea } from "../../design/fields.tsx"
import { Field } from "../../design/ui.tsx"
import { authNames, modeNames } from "./connection-states.tsx"

export interface Settings {
  readonly name: string
  readonly url: string
  readonly authType: McpAuthType
  readonly credentialMode: McpCredentialMode
  /** One in each line. Empty: those that the server asks for. */
  readonly scopes: string
  readonly clientId: string
  readonly clientSecret: string
  readonly apiKeyHeader: string
  readonly apiKeyScheme: string
}

export const emptySettings: Settings = {
  name: "",
  url: "",
  authType: "oauth",
  credentialMode: "per_member",
  scopes: "",
  clientId: "",
  clientSecret: "",
  apiKeyHeader: "authorization",
  apiKeyScheme: "Bearer"
}

const modeFor = (authType: McpAuthType): McpCredentialMode => (authType === "oauth" ? "per_member" : "shared")

/** The settings for a server that was found. */
export const settingsFor = ({ match, preset }: McpResolution): Settings => {
  const authentication = match?.discovery.authentication
  const authType: McpAuthType =
    authentication === undefined
      ? "oauth"
      : authentication === null
        ? "none"
        : authentication.authorizationServers.length === 0
          ? "apikey"
          : "oauth"
  return {
    ...emptySettings,
    name: match?.suggestedName ?? preset?.displayName ?? "",
    url: match?.url ?? preset?.url ?? "",
    authType,
    credentialMode: modeFor(authType)
  }
}

export const settingsOf = (connection: McpConnection): Settings => ({
  name: connection.name,
  url: connection.url,
  authType: connection.authType,
  credentialMode: connection.credentialMode,
  scopes: connection.scopes?.join("\n") ?? "",
  clientId: connection.oauthClient?.registration === "pre_registered" ? connection.oauthClient.clientId : "",
  clientSecret: "",
  apiKeyHeader: connection.apiKeyHeader ?? "authorization",
  apiKeyScheme: connection.apiKeyScheme ?? ""
})

const scopesOf = (text: string): ReadonlyArray<string> | null => {
  const scopes = text.split(/\s+/).filter((scope) => scope !== "")
  return scopes.length === 0 ? null : scopes
}

/** The input of the API. Fields that the kind of sign-in does not have are left out. */
export const inputOf = (settings: Settings): CreateMcpConnection => {
  const { apiKeyHeader, apiKeyScheme, authType, clientId, clientSecret, credentialMode, name, scopes, url } = settings
  return {
    name: name.trim(),
    url: url.trim(),
    authType,
    credentialMode,
    ...(authType === "oauth"
      ? {
          scopes: scopesOf(scopes),
          ...(clientId.trim() === ""
            ? {}
            : {
                oauthClient: { clientId: clientId.trim(), ...(clientSecret === "" ? {} : { clientSecret }) }
              })
        }
      : {}),
    ...(authType === "apikey"
      ? { apiKeyHeader: apiKeyHeader.trim(), apiKeyScheme: apiKeyScheme.trim() === "" ? null : apiKeyScheme.trim() }
      : {})
  }
}

const authOptions: ReadonlyArray<readonly [McpAuthType, string]> = [
  ["oauth", authNames.oauth],
  ["apikey", authNames.apikey],
  ["none", authNames.none]
]
const modeOptions: ReadonlyArray<readonly [McpCredentialMode, string]> = [
  ["per_member", modeNames.per_member],
  ["shared", modeNames.shared]
]

/** Fields whose problems the form shows itself. */
export const settingsFields = ["name", "url", "clientId", "clientSecret", "apiKeyHeader", "apiKeyScheme"]

export const SettingsFields = ({
  hasSecret = false,
  needsClient = false,
  onChange,
  problem,
  value
}: {
  readonly value: Settings
  readonly onChange: (value: Settings) => void
  readonly problem: (field: string) => string | undefined
  /** The connection has a client secret, which stays if none is entered. */
  readonly hasSecret?: boolean
  readonly needsClient?: boolean
}) => {
  const set = (changes: Partial<Settings>) => onChange({ ...value, ...changes })
  const { authType } = value
  return (
    <>
      <Field
        label="Name"
        required
        maxLength={120}
        value={value.name}
        problem={problem("name")}
        onChange={({ target }) => set({ name: target.value })}
      />
      <Field
        label="Address"
        hint="The https address of the server's MCP endpoint, which usually ends with /mcp."
        type="url"
        required
        maxLength={2048}
        value={value.url}
        problem={problem("url")}
        onChange={({ target }) => set({ url: target.value })}
      />
      <SelectField
        label="Sign-in"
        options={authOptions}
        value={authType}
        onChange={({ target }) => {
          const next = authOptions.find(([type]) => type === target.value)?.[0] ?? "none"
          set({ authType: next, credentialMode: modeFor(next) })
        }}
      />
      {authType !== "none" && (
        <SelectField
          label="Credential"
          options={modeOptions}
          value={value.credentialMode}
          hint={
            value.credentialMode === "shared"
              ? "A manager of the connection connects it once. The server sees all calls as that account."
              : "Each member connects an account of their own. The server sees who calls."
          }
          onChange={({ target }) => set({ credentialMode: target.value === "shared" ? "shared" : "per_member" })}
        />
      )}
      {authType === "oauth" && (
        <>
          <Field
            label={needsClient ? "Client ID" : "Client ID (optional)"}
            hint={
              needsClient
                ? "Register a client with the provider, and enter its ID."
                : "Only if you have registered a client with the authorization server yourself."
            }
            required={needsClient}
            maxLength={2048}
            autoComplete="off"
            value={value.clientId}
            problem={problem("clientId")}
            onChange={({ target }) => set({ clientId: target.value })}
          />
          {value.clientId.trim() !== "" && (
            <Field
              label="Client secret (optional)"
              hint={
                hasSecret ? "A secret is stored. Enter a new one to replace it." : "Stored encrypted, and never shown."
              }
              type="password"
              autoComplete="new-password"
              maxLength={4096}
              value={value.clientSecret}
              problem={problem("clientSecret")}
              onChange={({ target }) => set({ clientSecret: target.value })}
            />
          )}
          <TextArea
            label="Scopes (optional)"
            hint="One per line. Without any, the sign-in asks for those that the server requires."
            rows={3}
            maxLength={8000}
            spellCheck={false}
            value={value.scopes}
            problem={problem("scopes")}
            onChange={({ target }) => set({ scopes: target.value })}
          />
        </>
      )}
      {authType === "apikey" && (
        <>
          <Field
            label="Header"
            hint="The header of the request that has the key."
            required
            maxLength={128}
            value={value.apiKeyHeader}
            problem={problem("apiKeyHeader")}
            onChange={({ target }) => set({ apiKeyHeader: target.value })}
          />
          <Field
            label="Scheme (optional)"
            hint="A word before the key, such as Bearer."
            maxLength={64}
            value={value.apiKeyScheme}
            problem={problem("apiKeyScheme")}
            onChange={({ target }) => set({ apiKeyScheme: target.value })}
          />
        </>
      )}
    </>
  )
}
