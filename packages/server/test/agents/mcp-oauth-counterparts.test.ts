/** Sign-ins at third-party authorization servers. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js"
import type { OAuthServerProvider } from "@modelcontextprotocol/sdk/server/auth/provider.js"
import { mcpAuthRouter } from "@modelcontextprotocol/sdk/server/auth/router.js"
import { InvalidGrantError, InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import type { OAuthClientInformationFull } from "@modelcontextprotocol/sdk/shared/auth.js"
import express from "express"
import { randomUUID } from "node:crypto"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { errors, Provider } from "oidc-provider"
import { afterAll, describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace, runSql } from "../harness.ts"
import { makeConnection, reachesLoopback } from "./oauth.fixture.ts"

const plane = await makeControlPlane({ outbound: reachesLoopback })
const owner = await makeWorkspace(plane)

/** Listens first, because the servers need their own URL. */
const listen = async (make: (origin: string, server: Server) => RequestListener) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on("request", make(origin, server))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return origin
}

/** A browser whose user consents to everything; it follows redirects with cookies until it reaches the callback. */
const browse = async (address: string): Promise<URLSearchParams> => {
  const cookies = new Map<string, string>()
  let url = new URL(address)
  for (let hops = 0; hops < 20; hops += 1) {
    if (url.pathname === "/v1/mcp-connections/callback") return url.searchParams
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const result = await fetch(url, { redirect: "manual", headers: { cookie } })
    for (const line of result.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = result.headers.get("location")
    if (location === null) throw new Error(`${url.pathname} answered ${result.status}: ${await result.text()}`)
    url = new URL(location, url)
  }
  throw new Error("The browser was sent round and round.")
}

/** An MCP server of the SDK behind the given token verification. */
const tools = async (request: express.Request, response: express.Response) => {
  const server = new McpServer({ name: "counterpart", version: "1" })
  server.registerTool("who", { description: "Returns the user." }, () => ({
    content: [{ type: "text", text: "a user" }]
  }))
  const transport = new StreamableHTTPServerTransport({})
  response.on("close", () => void server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
}

const connected = async (url: string) => {
  const id = await makeConnection(owner, { url })
  const started = await owner.call("POST", `/v1/mcp-connections/${id}/connect/start`, {})
  expect(started.status, started.text).toBe(200)
  const callbackParameters = Object.fromEntries(await browse(started.body.connect.url))
  const result = await owner.call("POST", `/v1/mcp-connections/${id}/connect/complete`, callbackParameters)
  expect(result.status, result.text).toBe(200)
  return { id, connection: result.body.mcpConnection }
}

const namesOf = async (id: string) => {
  const result = await owner.call("GET", `/v1/mcp-connections/${id}/tools?refresh=true`)
  expect(result.status, result.text).toBe(200)
  return result.body.items.map((tool: { name: string }) => tool.name)
}

const makeItEnd = (id: string) =>
  runSql(plane, (sql) => sql`UPDATE oauth_credentials SET expires_at = now() WHERE subject_id = ${id}`)

describe("OAuth with oidc-provider", () => {
  it("registers a client, signs the user in, issues tokens for the resource, and rotates them", async () => {
    let mcpUrl = ""
    let provider: Provider | undefined
    const requestedPaths: Array<string> = []
    const issuer = await listen((origin) => {
      const oidcProvider = new Provider(origin, {
        features: {
          devInteractions: { enabled: false },
          registration: { enabled: true },
          revocation: { enabled: true },
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
      provider = oidcProvider
      const handle = oidcProvider.callback()
      return (request, response) => {
        requestedPaths.push(request.url?.split("?")[0] ?? "")
        if (request.url?.startsWith("/interaction/") !== true) return void handle(request, response)
        void (async () => {
          const details = await oidcProvider.interactionDetails(request, response)
          const accountId = "a person"
          if (details.prompt.name === "login") {
            return oidcProvider.interactionFinished(request, response, { login: { accountId } })
          }
          const grant = new oidcProvider.Grant({ accountId, clientId: String(details.params["client_id"]) })
          grant.addOIDCScope("openid offline_access")
          grant.addResourceScope(mcpUrl, "tools:read")
          return oidcProvider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
        })()
      }
    })
    const resource = await listen((origin) => {
      mcpUrl = `${origin}/deep/mcp`
      const app = express()
      app.use(express.json())
      app.get("/.well-known/oauth-protected-resource/deep/mcp", (_, response) => {
        response.json({ resource: mcpUrl, authorization_servers: [issuer], scopes_supported: ["tools:read"] })
      })
      app.all("/deep/mcp", async (request, response) => {
        const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1]
        const accessToken = token === undefined ? undefined : await provider?.AccessToken.find(token)
        if (accessToken === undefined || accessToken.aud !== mcpUrl || !accessToken.isValid) {
          return void response.status(401).set("www-authenticate", "Bearer").json({})
        }
        return tools(request, response)
      })
      return app
    })
    expect(mcpUrl.startsWith(resource)).toBe(true)
    const { connection, id } = await connected(mcpUrl)
    expect(connection).toMatchObject({ status: "ready", oauthClient: { registration: "dynamic" } })
    expect(await namesOf(id)).toEqual(["who"])
    // Its refresh tokens can be used once, so the second renewal works only if the first new token was stored.
    const exchanges = () => requestedPaths.filter((path) => path === "/token").length
    const before = exchanges()
    for (const renewal of [1, 2]) {
      await makeItEnd(id)
      expect(await namesOf(id)).toEqual(["who"])
      expect(exchanges() - before).toBe(renewal)
    }
  })
})

describe("OAuth with the MCP SDK's authorization server", () => {
  it("registers a client, exchanges a code, renews and revokes", async () => {
    const clients = new Map<string, OAuthClientInformationFull>()
    const codes = new Map<string, { challenge: string; resource: string | undefined }>()
    const access = new Map<string, string | undefined>()
    const refresh = new Set<string>()
    const grant = (resource: string | undefined) => {
      const tokens = { access_token: randomUUID(), refresh_token: randomUUID(), token_type: "Bearer", expires_in: 600 }
      access.set(tokens.access_token, resource)
      refresh.add(tokens.refresh_token)
      return tokens
    }
    const provider: OAuthServerProvider = {
      clientsStore: {
        getClient: (id) => clients.get(id),
        registerClient: (client) => {
          const registration = client as OAuthClientInformationFull
          clients.set(registration.client_id, registration)
          return registration
        }
      },
      authorize: (_, { codeChallenge, redirectUri, resource, state }, response) => {
        const code = randomUUID()
        codes.set(code, { challenge: codeChallenge, resource: resource?.href })
        const back = new URL(redirectUri)
        back.searchParams.set("code", code)
        back.searchParams.set("state", state ?? "")
        response.redirect(back.href)
        return Promise.resolve()
      },
      challengeForAuthorizationCode: (_, code) => Promise.resolve(codes.get(code)?.challenge ?? ""),
      exchangeAuthorizationCode: (_, code, __, ___, resource) => {
        const begun = codes.get(code)
        codes.delete(code)
        if (begun === undefined || begun.resource !== resource?.href) throw new InvalidGrantError("no")
        return Promise.resolve(grant(begun.resource))
      },
      exchangeRefreshToken: (_, token, __, resource) => {
        if (!refresh.delete(token)) throw new InvalidGrantError("no")
        return Promise.resolve(grant(resource?.href))
      },
      verifyAccessToken: (token) => {
        if (!access.has(token)) throw new InvalidTokenError("no")
        const expiresAt = Math.floor(Date.now() / 1000) + 600
        return Promise.resolve({ token, clientId: "", scopes: [], expiresAt })
      },
      revokeToken: (_, { token }) => {
        refresh.delete(token)
        return Promise.resolve()
      }
    }
    const origin = await listen((origin) => {
      const app = express()
      const issuerUrl = new URL(origin)
      app.use(mcpAuthRouter({ provider, issuerUrl, resourceServerUrl: new URL(`${origin}/mcp`) }))
      const resourceMetadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`
      app.post("/mcp", express.json(), requireBearerAuth({ verifier: provider, resourceMetadataUrl }), tools)
      return app
    })
    const { id } = await connected(`${origin}/mcp`)
    expect([...access.values()]).toEqual([`${origin}/mcp`])
    expect(await namesOf(id)).toEqual(["who"])
    await makeItEnd(id)
    expect(await namesOf(id)).toEqual(["who"])
    expect([access.size, refresh.size]).toEqual([2, 1])
    access.clear()
    expect(await namesOf(id)).toEqual(["who"])
    await owner.call("POST", `/v1/mcp-connections/${id}/disconnect`)
    for (let tries = 0; tries < 100 && refresh.size > 0; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(refresh.size).toBe(0)
  })
})
