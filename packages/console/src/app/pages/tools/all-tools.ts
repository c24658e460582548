/** All tools of an MCP connection, which the server reads at most every five minutes. */
import type { McpTool } from "@orgplane/client"
import { client } from "../../api/client.ts"

/** More tools than this are not shown. */
export const toolsMax = 2_000
const pageSize = 100

export const allTools = (connectionId: string) => ({
  queryKey: ["mcp-connections", connectionId, "all-tools"],
  queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyArray<McpTool>> =>
    client.mcpConnections.listTools(connectionId, { limit: pageSize }, { signal }).take(toolsMax),
  staleTime: 2_000
})
