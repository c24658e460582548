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
const requiresClient = (server: ServerRow, known: ReadyRow | undefined): boolean =>
  server.declares_client && (known === undefined || known.auth_type === "oauth")

/** The organization's connections by server URL. The first one is used. */
export type Known = ReadonlyMap<string, ReadyRow>

export const knownAt = (rows: ReadonlyArray<ReadyRow>): Known =>
  // The first row of each URL is set last, so it wins.
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

const connectionOf = (server: ServerRow, known: ReadyRow | undefined): Readiness["connections"][number] => ({
  configObjectId: server.object_id,
  id: known?.id ?? null,
  name: known?.name ?? server.title,
  serverName: server.server_name,
  url: server.url,
  authTypeMismatch: known !== undefined && isMismatched(server, known),
  connectedForMe: known !== undefined && isConnected(known),
  oauthClientConfigured: known !== undefined && known.oauth_client_id !== null,
  oauthClientRequired: requiresClient(server, known)
})

interface Step {
  readonly state: "ready" | "needs_signin" | "needs_admin_setup"
  readonly nextAction: string | null
}

/** The next step before the caller can use a server. */
const stepOf = (server: ServerRow, known: ReadyRow | undefined): Step => {
  const admin = (nextAction: string): Step => ({ state: "needs_admin_setup", nextAction })
  if (known === undefined) return admin(`Ask an administrator to connect ${server.server_name}.`)
  const { name } = known
  if (known.granted_level === 0) return admin(`Ask a manager of ${name} to grant you access.`)
  if (known.drift_is_whole) return admin(`Ask a manager of ${name} to review its changes.`)
  if (isConnected(known)) return { state: "ready", nextAction: null }
  if (isMismatched(server, known)) return admin(`Ask a manager of ${name} to check its authentication type.`)
  if (requiresClient(server, known) && known.oauth_client_id === null) {
    return admin(`Ask a manager of ${name} to configure an OAuth client.`)
  }
  return known.credential_mode === "shared"
    ? admin(`Ask a manager of ${name} to connect it.`)
    : { state: "needs_signin", nextAction: `Connect ${name} with your own account.` }
}

/**
 * The readiness of a plugin for the caller: which connection an administrator must set up, where the caller must sign
 * in, what runs only on a desktop, or `ready`.
 */
export const readinessOf = (counts: ComponentCounts, servers: ReadonlyArray<ServerRow>, known: Known): Readiness => {
  const found = servers.map((server) => ({ server, known: known.get(keyOf(server.url) ?? "") }))
  const connections = found.map((pair) => connectionOf(pair.server, pair.known))
  const hasInstructional = counts.skill + counts.agent + counts.command + counts.context > 0
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const told = (state: Readiness["state"], nextAction: string | null): Readiness => ({
    state,
    nextAction,
    hasInstructional,
    connections
  })
  if (total === 0) return told("not_synced", "Wait for the sync, or check its warnings.")
  const steps = found.filter(({ server }) => server.url !== null).map((pair) => stepOf(pair.server, pair.known))
  const next =
    steps.find(({ state }) => state === "needs_admin_setup") ?? steps.find(({ state }) => state === "needs_signin")
  if (next !== undefined) return told(next.state, next.nextAction)
  if (connections.length > steps.length || (!hasInstructional && steps.length === 0 && counts.hook > 0)) {
    return told("desktop_only", "Use this plugin in the desktop app. It starts local programs.")
  }
  return told("ready", null)
}
