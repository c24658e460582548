import { readFileSync } from "node:fs"
import { createServer as createSecureServer, request } from "node:https"
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net"

const fixtures = new URL("../packages/server/src/infra/outbound/fixtures/", import.meta.url)
const file = (name: string) => readFileSync(new URL(name, fixtures), "utf8")
/** A certificate that only the measured server trusts. */
export const authority = file("authority.pem")

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

export interface Silent {
  readonly url: string
  /** The maximum number of concurrent connections so far. */
  readonly most: () => number
  readonly close: () => void
}

/** Accepts connections and never responds. */
export const silentServer = async (): Promise<Silent> => {
  const sockets = new Set<Socket>()
  let most = 0
  const server = createTcpServer((socket) => {
    sockets.add(socket.resume())
    most = Math.max(most, sockets.size)
    socket.on("error", () => undefined)
    socket.once("close", () => sockets.delete(socket))
  })
  const port = await listening(server)
  return {
    url: `https://127.0.0.1:${port}/tools`,
    most: () => most,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}

const version = "2026-07-28"
const tool = {
  name: "echo",
  description: "Returns its input.",
  inputSchema: { type: "object", properties: { text: { type: "string" } } }
}

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly arguments?: { readonly text?: string } }
}

const resultOf = ({ method, params }: Message): object | undefined => {
  if (method === "server/discover") {
    return {
      resultType: "complete",
      supportedVersions: [version],
      capabilities: { tools: {} },
      serverInfo: { name: "bench", version: "1" }
    }
  }
  if (method === "tools/list") return { resultType: "complete", tools: [tool] }
  if (method === "tools/call") {
    return { resultType: "complete", content: [{ type: "text", text: params?.arguments?.text ?? "" }] }
  }
  return undefined
}

/** A minimal MCP server without sessions, so that its own cost is negligible. */
export const leastMcpServer = async (): Promise<{ readonly url: string; readonly close: () => void }> => {
  const server = createSecureServer({ cert: file("server.pem"), key: file("server-key.pem") }, (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (request.method !== "POST" || request.url !== "/mcp") return response.writeHead(404).end()
      const message = JSON.parse(Buffer.concat(chunks).toString()) as Message
      const result = resultOf(message)
      const outcome = result === undefined ? { error: { code: -32_601, message: "Method not found" } } : { result }
      return response
        .writeHead(result === undefined ? 404 : 200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id: message.id ?? null, ...outcome }))
    })
  })
  const port = await listening(server)
  return {
    url: `https://127.0.0.1:${port}/mcp`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** A minimal client: one message, one response. */
export const directCall = async (url: string, text: string) => {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: tool.name,
      arguments: { text },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { name: "direct", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
      }
    }
  })
  const responseText = await new Promise<string>((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: "POST",
        ca: authority,
        // One connection per request. orgplane keeps its connections to MCP servers open for a few seconds.
        agent: false,
        headers: {
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-protocol-version": version,
          "mcp-method": "tools/call",
          "mcp-name": tool.name
        }
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => resolve(Buffer.concat(chunks).toString()))
      }
    )
    outgoing.once("error", reject)
    outgoing.end(body)
  })
  if (!responseText.includes(text)) throw new Error(`Unexpected response: ${responseText.slice(0, 500)}`)
}
