/** The words for the states of an MCP connection and of its tools. */
import type { McpAuthType, McpConnection, McpConnectionStatus, McpCredentialMode, McpTool } from "@orgplane/client"
import { Badge, type Tone } from "../../design/ui.tsx"

const statuses: Readonly<Record<McpConnectionStatus, readonly [Tone, string]>> = {
  ready: ["good", "ready"],
  not_connected: ["neutral", "not connected"],
  reconnect_required: ["bad", "connect again"],
  review_required: ["warn", "waits for review"]
}

export const statusName = (status: McpConnectionStatus): string => statuses[status][1]

export const isStatus = (text: string | undefined): text is McpConnectionStatus =>
  text !== undefined && Object.hasOwn(statuses, text)

/** As the choices of a filter. */
export const statusOptions: ReadonlyArray<readonly [value: string, label: string]> = Object.entries(statuses).map(
  ([status, [, name]]) => [status, name]
)

export const StatusBadge = ({ status }: Pick<McpConnection, "status">) => {
  const [tone, name] = statuses[status]
  return <Badge tone={tone}>{name}</Badge>
}

export const authNames: Readonly<Record<McpAuthType, string>> = {
  oauth: "OAuth",
  apikey: "API key",
  none: "None"
}

export const modeNames: Readonly<Record<McpCredentialMode, string>> = {
  per_member: "One for each member",
  shared: "One shared by everyone with access"
}

/** What the server states about a tool. It is not verified. */
const hintsOf = (
  tool: Pick<McpTool, "readOnlyHint" | "destructiveHint" | "openWorldHint"> & { readonly idempotentHint?: boolean }
): ReadonlyArray<string> => [
  ...(tool.readOnlyHint ? ["read only"] : []),
  // The hint means nothing for a tool that only reads.
  ...(tool.destructiveHint && !tool.readOnlyHint ? ["can destroy data"] : []),
  ...(tool.idempotentHint === true && !tool.readOnlyHint ? ["repeatable"] : []),
  ...(tool.openWorldHint ? ["open world"] : [])
]

export const Hints = ({ tool }: { readonly tool: Parameters<typeof hintsOf>[0] }) => (
  <span className="tags">
    {hintsOf(tool).map((hint) => (
      <Badge key={hint} tone={hint === "can destroy data" ? "warn" : "neutral"}>
        {hint}
      </Badge>
    ))}
  </span>
)
