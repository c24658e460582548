import type { ComponentCounts, ResolvedPlugin } from "@orgplane/schema/marketplaces"
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

const connectionOf = (row: ServerRow): Readiness["connections"][number] => ({
  configObjectId: row.object_id,
  id: null,
  name: row.title,
  serverName: row.server_name,
  url: row.url,
  authTypeMismatch: false,
  connectedForMe: false,
  oauthClientConfigured: false,
  oauthClientRequired: false
})

/**
 * How far a plugin is from being useful to the caller: what runs only on a desktop, what an administrator has to
 * connect, or nothing.
 */
export const readinessOf = (counts: ComponentCounts, servers: ReadonlyArray<ServerRow>): Readiness => {
  const connections = servers.map(connectionOf)
  const hasInstructional = counts.skill + counts.agent + counts.command + counts.context > 0
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const told = (state: Readiness["state"], nextAction: string | null): Readiness => ({
    state,
    nextAction,
    hasInstructional,
    connections
  })
  if (total === 0) return told("not_synced", "Wait for the sync, or look at its warnings.")
  const remote = connections.find((connection) => connection.url !== null)
  if (remote !== undefined) return told("needs_admin_setup", `An administrator has to connect ${remote.serverName}.`)
  if (connections.length > 0 || (!hasInstructional && counts.hook > 0)) {
    return told("desktop_only", "Use it in the desktop app: it starts programs of its own.")
  }
  return told("ready", null)
}
