/** Inspects an MCP server, connects it with an API key, calls a tool, and shows the diagnostic of a failure. */
import { createClient, ServerError } from "@orgplane/client"
import { ControlPlane } from "@orgplane/server"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

// A minimal server: one tool, available with the API key.
const tools = [{ name: "greet", description: "Says hello.", inputSchema: { type: "object" } }]
const results: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "greeter", version: "1.0.0" }
  },
  "tools/list": { tools },
  "tools/call": { content: [{ type: "text", text: "Hello!" }] }
}
const key = "k-4711-greeter"
let isDown = false
const greeter = async (request: IncomingMessage, response: ServerResponse) => {
  const send = (status: number, body?: unknown) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
  if (request.url !== "/mcp" || request.method !== "POST") return send(404)
  if (isDown) return send(503)
  const { id, method } = (await json(request)) as { readonly id?: number; readonly method: string }
  // Without the key a client can see that this is an MCP server, but nothing else.
  if (method !== "initialize" && request.headers["x-api-key"] !== key) return send(401, {})
  if (id === undefined) return send(202)
  const result = results[method]
  const unknown = { code: -32601, message: "Unknown" }
  return send(200, { jsonrpc: "2.0", id, ...(result === undefined ? { error: unknown } : { result }) })
}
const server = createServer((request, response) => void greeter(request, response))
server.listen(0, "127.0.0.1")
await new Promise((resolve) => server.once("listening", resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`

// This example allows loopback and plain http. By default neither is allowed.
const controlPlane = await ControlPlane.make({
  database: ControlPlane.pglite("memory"),
  outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }
})
const connection = { baseUrl: "http://localhost", fetch: controlPlane.fetch }
const { session } = await createClient(connection).bootstrap.workspace({ workspaceName: "Acme" })
const client = createClient({ ...connection, token: session.token })

// Discover the server. This stores and registers nothing.
const { match, resolution } = await client.mcpConnections.resolve({ query: url })
console.log(resolution, match?.url === url) // => discovered true

// One key, used by everyone with a grant. Using the tools requires a grant, even for the creator of the connection.
const mcpConnection = await client.mcpConnections.create({
  name: "Greeter",
  url,
  authType: "apikey",
  apiKeyHeader: "x-api-key"
})
console.log(mcpConnection.status) // => not_connected
await client.mcpConnections.grantAccess(mcpConnection.id, { orgWide: true, role: "viewer" })
const connected = await client.mcpConnections.setApiKey(mcpConnection.id, { apiKey: key })
console.log(connected.status) // => ready

const { items } = await client.mcpConnections.listTools(mcpConnection.id)
console.log(items.map(({ decision, name }) => `${name} ${decision}`)) // => [ 'greet allowed' ]

// Call the tool. The response contains the exchange, with secrets redacted.
const greet = { toolName: "greet", arguments: {} }
const { inspection, result } = await client.mcpConnections.callTool(mcpConnection.id, greet)
console.log(result) // => { content: [ { type: 'text', text: 'Hello!' } ] }
console.log(inspection.request?.headers.find(({ name }) => name === "x-api-key")?.value) // => [redacted]

// A failure reports the layer, what to do, and the exchange.
isDown = true
await client.mcpConnections.callTool(mcpConnection.id, greet).catch((error: unknown) => {
  if (!(error instanceof ServerError)) throw error
  console.log(error.code, error.diagnostic?.category, error.diagnostic?.code) // => tool_execution_failed http server_error
  console.log(error.inspection?.response?.status) // => 503
})

server.close()
server.closeAllConnections()
await controlPlane.dispose()
