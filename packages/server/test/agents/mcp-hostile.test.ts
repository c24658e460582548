/** Malicious MCP and authorization servers, used through the HTTP API. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace, type Workspace } from "../harness.ts"
import { connectAs, makeConnection, reachesLoopback, startOAuthWorld } from "./oauth.fixture.ts"

const plane = await makeControlPlane({ outbound: reachesLoopback, corsOrigins: ["https://app.example"] })
const world = await startOAuthWorld()
const owner = await makeWorkspace(plane)
beforeEach(() => world.reset())

const start = (person: Workspace, id: string) => person.call("POST", `/v1/mcp-connections/${id}/connect/start`, {})

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly name?: string }
}
type Deed = (message: Message, request: IncomingMessage, response: ServerResponse) => void

const closing: Array<() => void> = []
afterAll(() => {
  for (const close of closing) close()
})

/** An MCP server of a revision with sessions, whose tool responses the test defines. */
const serve = async (tools: ReadonlyArray<unknown>, deed: Deed) => {
  const server = createServer((request, response) => {
    void (async () => {
      let text = ""
      for await (const chunk of request) text += String(chunk)
      const message = JSON.parse(text || "{}") as Message
      const sendResult = (result: unknown) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }))
      }
      if (message.method === "initialize") {
        return sendResult({
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "hostile", version: "1" }
        })
      }
      if (message.method === "tools/list") return sendResult({ tools })
      if (message.method === "tools/call") return deed(message, request, response)
      response.writeHead(message.id === undefined ? 202 : 400)
      return response.end()
    })().catch(() => response.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

const connect = async (url: string) => makeConnection(owner, { url, authType: "none", credentialMode: "shared" })

const run = (id: string, toolName: string) =>
  owner.call("POST", `/v1/mcp-connections/${id}/tools/call`, { toolName, arguments: {} })

const named = (name: string) => ({ name, inputSchema: { type: "object" } })

const unprintable = ["\u0000", "\ud800", "\n", "\u001b[2J", "\u202e"]

describe("metadata with characters that no URL has", () => {
  const places: Readonly<Record<string, (odd: string) => void>> = {
    "the authorization endpoint": (odd) => {
      world.behavior.metadata = { authorization_endpoint: `${world.origin}/authorize${odd}` }
    },
    "the token endpoint": (odd) => {
      world.behavior.metadata = { token_endpoint: `${world.origin}/token${odd}` }
    },
    "the revocation endpoint": (odd) => {
      world.behavior.metadata = { revocation_endpoint: `${world.origin}/revoke${odd}` }
    },
    "the registration endpoint": (odd) => {
      world.behavior.metadata = { registration_endpoint: `${world.origin}/register${odd}` }
    },
    "the issuer": (odd) => {
      const issuer = `${world.origin}/${odd}`
      world.behavior.resource = { authorization_servers: [issuer] }
      world.behavior.instead = (path, response) => {
        if (!path.startsWith("/.well-known/oauth-authorization-server/")) return false
        response.writeHead(200, { "content-type": "application/json" })
        response.end(
          JSON.stringify({
            issuer,
            authorization_endpoint: `${world.origin}/authorize`,
            token_endpoint: `${world.origin}/token`,
            registration_endpoint: `${world.origin}/register`,
            code_challenge_methods_supported: ["S256"]
          })
        )
        return true
      }
    },
    "the resource": (odd) => {
      world.behavior.resource = { resource: `${world.origin}/mcp${odd}` }
    },
    "how clients prove themselves": (odd) => {
      world.behavior.metadata = { token_endpoint_auth_methods_supported: ["none", odd], grant_types_supported: [odd] }
    },
    "the client that it registers": (odd) => {
      world.behavior.instead = (path, response) => {
        if (path !== "/register") return false
        response.writeHead(201, { "content-type": "application/json" })
        response.end(
          JSON.stringify({
            client_id: `client${odd}`,
            redirect_uris: ["http://localhost/v1/mcp-connections/callback"],
            token_endpoint_auth_method: "none"
          })
        )
        return true
      }
    }
  }
  const cases = Object.entries(places).flatMap(([where, put]) =>
    unprintable.map((odd) => [where, `U+${odd.charCodeAt(0).toString(16)}`, () => put(odd)] as const)
  )

  it.each(cases)("%s with %s starts no sign-in that cannot be stored or shown", async (_where, _odd, put) => {
    put()
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const response = await start(owner, id)
    expect([200, 409, 502]).toContain(response.status)
    expect(response.text).not.toMatch(/\\u0000|\\ud800|\\u001b|\\n|\u202e/i)
    const resolved = await owner.call("POST", "/v1/mcp-connections/resolve", { query: world.mcpUrl })
    expect([200, 429]).toContain(resolved.status)
    expect(resolved.text).not.toMatch(/\\u0000|\\ud800|\\u001b|\\n|\u202e/i)
  })
})

describe("a malicious token endpoint", () => {
  it.each([
    ["an endless life", { expires_in: 1e308 }],
    ["no life", { expires_in: 0 }],
    ["part of a second", { expires_in: 0.5 }],
    ["less than nothing", { expires_in: -1e9 }],
    ["a token with a line break", { access_token: "a\r\nx-evil: 1" }],
    ["a token that is not ASCII", { access_token: "caf\u00e9\u0000" }],
    ["a refresh token with U+0000", { refresh_token: "r\u0000\ud800" }],
    ["scopes that are none", { scope: "a\u0000b \ud800 ok" }],
    ["a scope of 100 000 letters", { scope: "s".repeat(100_000) }],
    ["members of the prototype", { __proto__: { access_token: "x" }, constructor: "x", toString: "y" }]
  ])("%s results in a documented response", async (_what, token) => {
    world.behavior.token = token
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const response = await connectAs(owner, id)
    expect([200, 400, 409, 502]).toContain(response.status)
    // Not just `caf`, which may occur in identifiers.
    expect(response.text).not.toMatch(/\\u0000|\\ud800|x-evil|caf(?:é|\\u00e9)/)
  })
})

it("causes no error code to be repeated that is not an identifier", async () => {
  world.behavior.instead = (path, response) => {
    if (path !== "/token") return false
    response.writeHead(400, { "content-type": "application/json" })
    response.end(JSON.stringify({ error: "refresh-Canary-4711", error_description: "Canary-4711" }))
    return true
  }
  const id = await makeConnection(owner, { url: world.mcpUrl })
  const connectResponse = await connectAs(owner, id)
  expect(connectResponse.status).toBe(502)
  expect(connectResponse.text).not.toContain("Canary")
})

it.each(["authorization_endpoint", "token_endpoint"])(
  "starts no sign-in at another %s than the accepted one",
  async (endpoint) => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    expect((await connectAs(owner, id)).status).toBe(200)
    expect((await owner.call("GET", `/v1/mcp-connections/${id}/tools`)).status).toBe(200)
    expect((await start(owner, id)).status).toBe(200)
    world.behavior.metadata = { [endpoint]: `${world.origin}/elsewhere` }
    const response = await start(owner, id)
    expect([response.status, response.body.message]).toEqual([
      502,
      expect.stringMatching(/^authorization_server_changed: /)
    ])
  }
)

describe("tools named like members of every object", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]

  it("are listed, denied and called by name", async () => {
    const url = await serve(names.map(named), ({ id, params }, _request, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: params?.name }] } }))
    })
    const id = await connect(url)
    const listed = await owner.call("GET", `/v1/mcp-connections/${id}/tools?limit=100`)
    expect(listed.status, listed.text).toBe(200)
    expect(listed.body.items.map(({ name }: { name: string }) => name)).toEqual(names.toSorted())
    for (const name of names) expect((await run(id, name)).status, name).toBe(200)
    const policy = { mode: "all", allowed: [], denied: ["__proto__", "constructor"] }
    expect((await owner.call("PUT", `/v1/mcp-connections/${id}/tool-policy`, policy)).status).toBe(200)
    for (const name of names) expect((await run(id, name)).status, name).toBe(policy.denied.includes(name) ? 403 : 200)
  })

  it("are not found when the server does not have them", async () => {
    const id = await connect(await serve([named("other")], (_message, _request, response) => void response.end()))
    for (const name of names) {
      const response = await run(id, name)
      expect([response.status, response.body.diagnostic?.code ?? response.text], name).toEqual([502, "tool_not_found"])
    }
  })
})

it("are called in time when the exchange is built to be slow to inspect", async () => {
  const long = 512 * 1024
  const texts: Readonly<Record<string, string>> = {
    session: `\\u0061${"a".repeat(long)}`,
    quotes: `"${'\\"'.repeat(long / 2)}\n`,
    tokens: "eyJ-".repeat(long / 4)
  }
  const url = await serve(Object.keys(texts).map(named), ({ params }, _request, response) => {
    response.writeHead(500, {
      "content-type": "text/plain",
      "mcp-session-id": `${"a".repeat(4000)}b`,
      "set-cookie": [`a=${"a".repeat(2000)}b`, `b=b${"a".repeat(2000)}`]
    })
    response.end(texts[params?.name ?? ""])
  })
  const id = await connect(url)
  for (const name of Object.keys(texts)) expect((await run(id, name)).status, name).toBe(502)
}, 20_000)

it("do not leak a key that the server returns as a request ID or error code", async () => {
  const key = "canary-key-4711"
  let isWell = true
  const server = createServer((request, response) => {
    request.resume()
    const scheme = isWell ? {} : { "www-authenticate": `Bearer error="${key}"`, "x-request-id": `req-${key}` }
    response.writeHead(isWell ? 500 : 403, scheme).end()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const settings = { authType: "apikey", apiKeyHeader: "x-key", apiKeyScheme: null, credentialMode: "shared" }
  const id = await makeConnection(owner, { url, ...settings })
  expect((await owner.call("PUT", `/v1/mcp-connections/${id}/api-key`, { apiKey: key })).status).toBe(200)
  isWell = false
  for (const response of [await owner.call("GET", `/v1/mcp-connections/${id}/tools`), await run(id, "any")]) {
    expect(response.status).toBe(502)
    expect(response.body.diagnostic.providerStatus).toBe(403)
    expect(response.text).not.toContain(key)
  }
})

describe("the redirect after a sign-in", () => {
  const bad = [
    "http://127.0.0.1:80@evil.example/",
    "http://127.0.0.1@evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://evil.example\\@127.0.0.1/",
    "http://evil.example/\\127.0.0.1",
    "http://[::ffff:127.0.0.1]/",
    "http://[::]/",
    "http://0.0.0.0/",
    "http://localhost.evil.example/",
    "http://169.254.169.254/",
    "http://127.0.0.2/",
    "https://evil.example/",
    "https://app.example:8443/",
    "https://app.example.evil.example/",
    "https://app.example@evil.example/",
    "https://\u0430pp.example/",
    "https://user:word@app.example/",
    "https://app.example/#here",
    "javascript:alert(1)",
    "data:text/html,hello",
    "//evil.example/",
    "/there",
    "file:///etc/passwd"
  ]

  it.each(bad)("to %s is rejected, and no sign-in is started", async (returnTo) => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const response = await owner.call("POST", `/v1/mcp-connections/${id}/connect/start`, { returnTo })
    expect(response.status, response.text).toBe(400)
    expect(world.requestedPaths).toEqual([])
  })

  it("goes to the given URL, whatever parameters the callback has", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const body = { returnTo: "http://127.0.0.1:1/done?state=mine&code=mine" }
    const { state } = (await owner.call("POST", `/v1/mcp-connections/${id}/connect/start`, body)).body.connect
    const maliciousValues = [
      '"><script>alert(1)</script>',
      "\r\nset-cookie: a=b",
      "https://evil.example/",
      "\u0000\u2028"
    ]
    for (const odd of maliciousValues) {
      const query = new URLSearchParams({ state, code: odd, iss: odd, error_description: odd })
      const response = await owner.call("GET", `/v1/mcp-connections/callback?${query}`)
      expect(response.status).toBe(303)
      const to = new URL(response.headers.get("location") ?? "")
      expect([to.origin, to.pathname, to.searchParams.getAll("state"), to.searchParams.getAll("code")]).toEqual([
        "http://127.0.0.1:1",
        "/done",
        [state],
        [odd]
      ])
      expect(response.headers.get("set-cookie")).toBeNull()
      const unknown = new URLSearchParams({ state: "A".repeat(43), code: odd, iss: odd, error: odd })
      const lost = await owner.call("GET", `/v1/mcp-connections/callback?${unknown}`)
      expect(lost.text).not.toMatch(/alert|evil/)
    }
  })
})
