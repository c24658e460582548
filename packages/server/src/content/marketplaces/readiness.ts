import type { ComponentCounts, ResolvedPlugin } from "@orgplane/schema/marketplaces"
import type { ReadyRow } from "../../agents/mcp-connections/repo.ts"
import { urlKeyOf } from "../../agents/mcp-connections/url-key.ts"
import type { ComponentRow, ServerRow } from "./repo.ts"

type Readiness = ResolvedPlugin["cloudReadiness"]

const noComponents: ComponentCounts = {
  skill: 0,
  agent: 0,
  command: 0,
  tool: 0,
  mcp: 0,
  hook: 0,
  context: 0,
  custom: 0
}

export const countsOf = (rows: ReadonlyArray<ComponentRow>): ComponentCounts =>
  rows.reduce((counts, row) => ({ ...counts, [row.object_type]: row.count }), noComponents)

/**
 * The server's authorization server does not register clients automatically, so an OAuth client must be configured
 * manually.
 */
const requiresClient = (server: ServerRow, connection: ReadyRow | undefined): boolean =>
  server.declares_client && (connection === undefined || connection.auth_type === "oauth")

/** The organization's connections by server URL. The first one is used. */
export type ConnectionsByUrl = ReadonlyMap<string, ReadyRow>

export const connectionsByUrl = (rows: ReadonlyArray<ReadyRow>): ConnectionsByUrl =>
  // The first row of each URL is set last, so it takes precedence.
  new Map(rows.toReversed().map((row) => [row.url_key, row]))

const keyOf = (url: string | null): string | undefined => {
  const parsed = url === null ? null : URL.parse(url)
  return url !== null && (parsed?.protocol === "https:" || parsed?.protocol === "http:") ? urlKeyOf(url) : undefined
}

export const urlKeysOf = (servers: ReadonlyArray<ServerRow>): ReadonlyArray<string> => [
  ...new Set(servers.flatMap(({ url }) => keyOf(url) ?? []))
]

const isConnected = (row: ReadyRow) => row.auth_type === "none" || row.credential_status === "ready"

const isMismatched = (server: ServerRow, { auth_type: authType }: ReadyRow) =>
  (server.declares_oauth && authType !== "oauth") ||
  (server.declares_key && !server.declares_oauth && authType !== "apikey")

const connectionOf = (server: ServerRow, connection: ReadyRow | undefined): Readiness["connections"][number] => ({
  configObjectId: server.object_id,
  id: connection?.id ?? null,
  name: connection?.name ?? server.title,
  serverName: server.server_name,
  url: server.url,
  authTypeMismatch: connection !== undefined && isMismatched(server, connection),
  connectedForMe: connection !== undefined && isConnected(connection),
  oauthClientConfigured: connection !== undefined && connection.oauth_client_id !== null,
  oauthClientRequired: requiresClient(server, connection)
})

interface Step {
  readonly state: "ready" | "needs_signin" | "needs_admin_setup"
  readonly nextAction: string | null
}

/** The next step before the caller can use a server. */
const stepOf = (server: ServerRow, connection: ReadyRow | undefined): Step => {
  const admin = (nextAction: string): Step => ({ state: "needs_admin_setup", nextAction })
  if (connection === undefined) return admin(`Ask an administrator to connect ${server.server_name}.`)
  const { name } = connection
  if (connection.granted_level === 0) return admin(`Ask a manager of ${name} to grant you access.`)
  if (connection.drift_is_whole) return admin(`Ask a manager of ${name} to review its changes.`)
  if (isConnected(connection)) return { state: "ready", nextAction: null }
  if (isMismatched(server, connection)) return admin(`Ask a manager of ${name} to check its authentication type.`)
  if (requiresClient(server, connection) && connection.oauth_client_id === null) {
    return admin(`Ask a manager of ${name} to configure an OAuth client.`)
  }
  return connection.credential_mode === "shared"
    ? admin(`Ask a manager of ${name} to connect it.`)
    : { state: "needs_signin", nextAction: `Connect ${name} with your own account.` }
}

/**
 * The readiness of a plugin for the caller: which connection an administrator must set up, where the caller must sign
 * in, what runs only on a desktop, or `ready`.
 */
export const readinessOf = (
  counts: ComponentCounts,
  servers: ReadonlyArray<ServerRow>,
  connection: ConnectionsByUrl
): Readiness => {
  const pairs = servers.map((server) => ({ server, known: connection.get(keyOf(server.url) ?? "") }))
  const connections = pairs.map((pair) => connectionOf(pair.server, pair.known))
  const hasInstructional = counts.skill + counts.agent + counts.command + counts.context > 0
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const readiness = (state: Readiness["state"], nextAction: string | null): Readiness => ({
    state,
    nextAction,
    hasInstructional,
    connections
  })
  if (total === 0) return readiness("not_synced", "Wait for the sync, or check its warnings.")
  const steps = pairs.filter(({ server }) => server.url !== null).map((pair) => stepOf(pair.server, pair.known))
  const next =
    steps.find(({ state }) => state === "needs_admin_setup") ?? steps.find(({ state }) => state === "needs_signin")
  if (next !== undefined) return readiness(next.state, next.nextAction)
  if (connections.length > steps.length || (!hasInstructional && steps.length === 0 && counts.hook > 0)) {
    return readiness("desktop_only", "This plugin starts local programs. Use it in the desktop app.")
  }
  return readiness("ready", null)
}
