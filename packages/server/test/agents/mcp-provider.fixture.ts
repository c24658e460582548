/** A control plane on a port, a third-party authorization server, an MCP server behind it, and a browser. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import express from "express"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { errors, Provider } from "oidc-provider"
import { z } from "zod"
import { ControlPlane, type ControlPlaneOptions, toNodeHandler } from "../../src/index.ts"

export interface Listening {
  readonly origin: string
  readonly close: () => Promise<unknown>
}

/** Listens first, because the servers need their own URL. */
const listen = async (
  make: (origin: string) => RequestListener | Promise<RequestListener>
): Promise<Listening & { readonly server: Server }> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on("request", await make(origin))
  return {
    origin,
    server,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }
  }
}

/** A control plane that is allowed to reach loopback, and an organization owner. */
export const servePlane = async (
  options: Pick<ControlPlaneOptions, "suites" | "modelsUrl"> = {}
): Promise<Listening & { readonly token: string }> => {
  let plane: Awaited<ReturnType<typeof ControlPlane.make>> | undefined
  const listening = await listen(async (origin) => {
    plane = await ControlPlane.make({
      database: ControlPlane.pglite("memory"),
      publicUrl: origin,
      outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
      logLevel: "none",
      ...options
    })
    return toNodeHandler(plane)
  })
  const result = await fetch(`${listening.origin}/v1/bootstrap/workspace`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workspaceName: "Acme" })
  })
  const { session } = (await result.json()) as { readonly session: { readonly token: string } }
  return {
    origin: listening.origin,
    token: session.token,
    close: async () => {
      await listening.close()
      await plane?.dispose()
    }
  }
}

export interface GuardedServer {
  readonly mcpUrl: string
  /** The user's choice on the consent page. */
  consent: "allow" | "deny"
  readonly close: () => Promise<unknown>
}

/** An MCP server of the SDK with tools that echo and fail, protected by a key or by `judge`. */
const tools = async (request: express.Request, response: express.Response) => {
  const server = new McpServer({ name: "counterpart", version: "1" })
  server.registerTool(
    "echo",
    {
      description: "Echoes its input.",
      inputSchema: { text: z.string(), times: z.number().optional() },
      annotations: { readOnlyHint: true }
    },
    ({ text, times = 1 }) => ({ content: [{ type: "text", text: Array<string>(times).fill(text).join(" ") }] })
  )
  server.registerTool("fail", { description: "Never works." }, () => ({
    isError: true,
    content: [{ type: "text", text: "It did not work." }]
  }))
  const transport = new StreamableHTTPServerTransport({})
  response.on("close", () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
}

/** An MCP server that requires `key` in `x-key`, or no key at all. */
export const serveTools = async (key: string | undefined): Promise<Listening & { readonly mcpUrl: string }> => {
  const listening = await listen(() => {
    const app = express()
    app.use(express.json())
    app.all("/mcp", async (request, response) => {
      if (key !== undefined && request.headers["x-key"] !== key) return void response.status(401).json({})
      return tools(request, response)
    })
    return app
  })
  return { ...listening, mcpUrl: `${listening.origin}/mcp` }
}

/** An MCP server with tokens issued by `oidc-provider`. */
export const serveGuarded = async (): Promise<GuardedServer> => {
  let mcpUrl = ""
  const holder: { provider?: Provider } = {}
  const issuer = await listen((origin) => {
    const provider = new Provider(origin, {
      features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_, resource) => {
            if (resource !== mcpUrl) throw new errors.InvalidTarget()
            return { scope: "tools:read", audience: resource, accessTokenFormat: "opaque" }
          }
        }
      },
      scopes: ["openid", "offline_access"],
      clientAuthMethods: ["none", "client_secret_basic"],
      interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
      cookies: { keys: ["a key for cookies in tests"] },
      ttl: { AccessToken: 600, Grant: 3600, Interaction: 600, Session: 3600, RefreshToken: 3600 }
    })
    holder.provider = provider
    const handle = provider.callback()
    return (request, response) => {
      if (request.url?.startsWith("/interaction/") !== true) return void handle(request, response)
      void (async () => {
        const details = await provider.interactionDetails(request, response)
        const accountId = "a person"
        if (details.prompt.name === "login") {
          return provider.interactionFinished(request, response, { login: { accountId } })
        }
        if (guarded.consent === "deny") {
          return provider.interactionFinished(request, response, { error: "access_denied" })
        }
        const grant = new provider.Grant({ accountId, clientId: String(details.params["client_id"]) })
        grant.addOIDCScope("openid offline_access")
        grant.addResourceScope(mcpUrl, "tools:read")
        return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
      })()
    }
  })
  const resource = await listen((origin) => {
    mcpUrl = `${origin}/mcp`
    const app = express()
    app.use(express.json())
    app.get("/.well-known/oauth-protected-resource/mcp", (_, response) => {
      response.json({ resource: mcpUrl, authorization_servers: [issuer.origin], scopes_supported: ["tools:read"] })
    })
    app.all("/mcp", async (request, response) => {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1]
      const accessToken = token === undefined ? undefined : await holder.provider?.AccessToken.find(token)
      if (accessToken === undefined || accessToken.aud !== mcpUrl || !accessToken.isValid) {
        return void response.status(401).set("www-authenticate", "Bearer").json({})
      }
      return tools(request, response)
    })
    return app
  })
  const guarded: GuardedServer = {
    mcpUrl,
    consent: "allow",
    close: async () => {
      await issuer.close()
      await resource.close()
    }
  }
  return guarded
}

/** A browser that follows redirects with cookies and stops before the first URL that matches `stop`. */
export const browse = async (
  address: string,
  stop: (url: URL) => boolean = () => false
): Promise<{ readonly url: URL; readonly status: number; readonly text: string }> => {
  const cookies = new Map<string, string>()
  let url = new URL(address)
  for (let hops = 0; hops < 20; hops += 1) {
    if (stop(url)) return { url, status: 0, text: "" }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const result = await fetch(url, { redirect: "manual", headers: { cookie } })
    for (const line of result.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = result.headers.get("location")
    if (location === null) return { url, status: result.status, text: await result.text() }
    url = new URL(location, url)
  }
  throw new Error("The browser was sent round and round.")
}
