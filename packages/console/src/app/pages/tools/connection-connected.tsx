/** The page after the sign-in of an MCP connection. */
import { client } from "../../api/client.ts"
import { usePathParameter } from "../../parameters.ts"
import { Completed } from "./completed.tsx"

export const Page = () => {
  const connectionId = usePathParameter("connectionId")
  return (
    <Completed
      path={`/mcp-connections/${connectionId}`}
      complete={(returned, headers) =>
        client.mcpConnections.completeConnect(connectionId, returned, { headers, signal: undefined })
      }
    />
  )
}
