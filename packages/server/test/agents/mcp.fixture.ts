/** An MCP server on loopback with configurable tools, requested through the outbound HTTP client. */
import { createServer, type IncomingMessage, type Server } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { Server as McpServer } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js"

export const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  ...more
})

/** Loopback is a private address; in these tests the operator allows it. */
export const letIn = { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } as const

export interface ToolServer {
  readonly url: string
  /** The current tools; a function of the `authorization` header when members see different ones. */
  tools: ReadonlyArray<Tool> | ((authorization: string | undefined) => ReadonlyArray<Tool>)
  /** Required request headers. */
  demands: Readonly<Record<string, string>>
  /** JSON documents at other paths, such as OAuth metadata. */
  documents: Readonly<Record<string, unknown>>
  /** The number of tool listings. */
  lists: number
  /** Returns only this status. */
  broken: number | null
  /** Results of tools report an error. */
  reportsErrors: boolean
  /** Delays responses until it is released. */
  gate: Promise<void> | null
  readonly close: () => Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString("utf8")
  return text === "" ? undefined : JSON.parse(text)
}

const closed = async (server: Server) => {
  server.closeAllConnections()
  server.close()
  await once(server, "close")
}

/** The SDK's server, a new one for each request. */
export const serveTools = async (tools: ToolServer["tools"]): Promise<ToolServer> => {
  const server = createServer((request, response) => {
    void (async () => {
      const document = served.documents[request.url ?? ""]
      if (document !== undefined || !(request.url ?? "").startsWith("/mcp")) {
        request.resume()
        response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" })
        response.end(JSON.stringify(document ?? {}))
        return
      }
      const missing = Object.entries(served.demands).some(([name, value]) => request.headers[name] !== value)
      if (served.broken !== null || missing) {
        request.resume()
        response.writeHead(served.broken ?? 401).end()
        return
      }
      if (request.method !== "POST") {
        response.writeHead(405).end()
        return
      }
      const mcp = new McpServer({ name: "changing", version: "1.0.0" }, { capabilities: { tools: {} } })
      mcp.setRequestHandler(ListToolsRequestSchema, async () => {
        served.lists += 1
        const { authorization } = request.headers
        const tools = typeof served.tools === "function" ? served.tools(authorization) : served.tools
        await served.gate
        return { tools: [...tools] }
      })
      mcp.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
        content: [{ type: "text", text: `did ${params.name}` }],
        ...(served.reportsErrors ? { isError: true } : {})
      }))
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
      await mcp.connect(transport)
      await transport.handleRequest(request, response, await bodyOf(request))
    })().catch(() => response.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const served: ToolServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    tools,
    demands: {},
    documents: {},
    lists: 0,
    broken: null,
    reportsErrors: false,
    gate: null,
    close: () => closed(server)
  }
  return served
}
