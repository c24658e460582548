import { beforeEach, describe, expect, it } from "vitest"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeWorkspace,
  runSql,
  signIn,
  type Workspace
} from "../harness.ts"
import { atCallback, connectAs, makeConnection, reachesLoopback, startOAuthWorld, visit } from "./oauth.fixture.ts"

const plane = await makeControlPlane({ outbound: reachesLoopback, corsOrigins: ["https://app.example"] })
const world = await startOAuthWorld()
const owner = await makeWorkspace(plane)
beforeEach(() => world.reset())

const start = (person: Workspace, id: string, body: object = {}) =>
  person.call("POST", `/v1/mcp-connections/${id}/connect/start`, body)
const complete = (person: Pick<Workspace, "call">, id: string, body: unknown) =>
  person.call("POST", `/v1/mcp-connections/${id}/connect/complete`, body)
const connection = async (person: Workspace, id: string) =>
  (await person.call("GET", `/v1/mcp-connections/${id}`)).body.mcpConnection
const share = (id: string, role = "viewer") =>
  owner.call("POST", `/v1/mcp-connections/${id}/access`, { orgWide: true, role })
const stored = (id: string) =>
  runSql(
    plane,
    (sql) => sql<{ membership_id: string; text: string }>`SELECT membership_id, c::text AS text
      FROM oauth_credentials c WHERE subject_id = ${id} ORDER BY membership_id`
  )

describe("POST /v1/mcp-connections/{id}/connect/start", () => {
  it("returns an authorization URL with PKCE, state, resource and scopes, and registers a client once", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const result = await start(owner, id)
    expect(result.status, result.text).toBe(200)
    const { state, url } = result.body.connect
    const authorizationUrl = new URL(url)
    expect(Object.fromEntries(authorizationUrl.searchParams)).toMatchObject({
      response_type: "code",
      client_id: "client-1",
      redirect_uri: "http://localhost/v1/mcp-connections/callback",
      state,
      code_challenge_method: "S256",
      resource: world.mcpUrl,
      scope: "tools:read"
    })
    expect(state).toMatch(/^[\w-]{43}$/)
    expect(authorizationUrl.searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/)
    expect(new URL((await start(owner, id)).body.connect.url).searchParams.get("client_id")).toBe("client-1")
    expect(world.registrations).toHaveLength(1)
    expect(world.registrations[0]).toMatchObject({
      redirect_uris: ["http://localhost/v1/mcp-connections/callback"],
      token_endpoint_auth_method: "none",
      application_type: "native"
    })
  })

  it("uses the connection's pre-registered client and its own scopes", async () => {
    const oauthClient = { clientId: "by hand", clientSecret: "a secret of ours" }
    const id = await makeConnection(owner, { url: world.mcpUrl, oauthClient, scopes: ["one", "two"] })
    const authorizationUrl = new URL((await start(owner, id)).body.connect.url).searchParams
    expect([authorizationUrl.get("client_id"), authorizationUrl.get("scope")]).toEqual(["by hand", "one two"])
    expect(world.registrations).toEqual([])
    expect((await connectAs(owner, id)).status).toBe(200)
    expect(world.tokenRequests.at(-1)?.authorization).toBe(
      `Basic ${Buffer.from("by+hand:a+secret+of+ours").toString("base64")}`
    )
  })

  it("returns 409 with instructions when no client can be registered", async () => {
    world.behavior.metadata = { registration_endpoint: undefined }
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const result = await start(owner, id)
    expect([result.status, result.body.error]).toEqual([409, "connection_not_ready"])
    expect(result.body.message).toContain("Register a client there")
  })

  it("returns 403 for an API key, 404 without a grant, and 403 below manager for a shared credential", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const shared = await makeConnection(owner, { url: world.mcpUrl, credentialMode: "shared" })
    const member = await addMember(plane, owner, "member")
    const key = await makeKey(plane, owner, ["mcpConnections:read", "mcpConnections:manage"])
    expect((await key.call("POST", `/v1/mcp-connections/${id}/connect/start`, {})).body.reason).toBe("session_required")
    expect((await start(member, id)).body.error).toBe("connection_not_found")
    await share(id)
    await share(shared)
    expect((await start(member, id)).status).toBe(200)
    expect((await start(member, shared)).body.reason).toBe("grant_required")
  })

  it("rejects a connection that uses a key, and a returnTo that the operator does not allow", async () => {
    const keyed = await makeConnection(owner, { url: world.mcpUrl, authType: "apikey" })
    expect((await start(owner, keyed)).body.details[0].path).toEqual(["path", "connectionId"])
    const id = await makeConnection(owner, { url: world.mcpUrl })
    for (const returnTo of ["https://evil.example/", "https://app.example.evil.example/", "http://localhost:1/"]) {
      const result = await start(owner, id, { returnTo })
      expect([result.status, result.body.details[0].path]).toEqual([400, ["body", "returnTo"]])
    }
    for (const returnTo of ["https://app.example/back?a=b", "http://127.0.0.1:9/done"]) {
      expect((await start(owner, id, { returnTo })).status).toBe(200)
    }
  })
})

describe("an authorization server that does not conform", () => {
  const metadata = "/.well-known/oauth-authorization-server"
  const html = "<!doctype html><title>Hello</title>"
  const cases: ReadonlyArray<readonly [string, () => void, string]> = [
    ["another issuer", () => (world.behavior.metadata = { issuer: "https://other.example" }), "issuer_mismatch"],
    [
      "no S256",
      () => (world.behavior.metadata = { code_challenge_methods_supported: ["plain"] }),
      "pkce_not_supported"
    ],
    [
      "nothing of PKCE",
      () => (world.behavior.metadata = { code_challenge_methods_supported: undefined }),
      "pkce_not_supported"
    ],
    [
      "an endpoint of another scheme",
      () => (world.behavior.metadata = { token_endpoint: "javascript:alert(1)" }),
      "endpoint_refused"
    ],
    [
      "a resource of another server",
      () => (world.behavior.resource = { resource: "https://other.example/mcp" }),
      "resource_mismatch"
    ],
    [
      "HTML",
      () => {
        world.behavior.instead = (path, response) => path.startsWith(metadata) && (response.end(html), true)
      },
      "metadata_invalid"
    ],
    [
      "five hundreds",
      () => {
        world.behavior.instead = (path, response) =>
          path.startsWith("/.well-known/o") && !path.includes("resource") && (response.writeHead(500).end(), true)
      },
      "metadata_invalid"
    ],
    [
      "a document without an end",
      () => {
        world.behavior.instead = (path, response) => {
          if (!path.startsWith(metadata)) return false
          const timer = setInterval(() => response.write(" ".repeat(64 * 1024)), 1)
          response.on("close", () => clearInterval(timer))
          return true
        }
      },
      "metadata_invalid"
    ],
    [
      "redirects without an end",
      () => {
        world.behavior.instead = (path, response) =>
          path.startsWith(metadata) && (response.writeHead(302, { location: metadata }).end(), true)
      },
      "metadata_invalid"
    ]
  ]

  it.each(cases)("returns 502 with a named warning: %s", async (_, lie, warning) => {
    lie()
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const result = await start(owner, id)
    expect([result.status, result.body.error]).toEqual([502, "mcp_server_error"])
    expect(result.body.message).toContain(`${warning}: `)
    expect(result.body.diagnostic).toMatchObject({ category: "authentication", code: "authorization_server_invalid" })
    expect(world.requestedPaths).not.toContain("/token")
  })

  it("returns 502 when the authorization server is unreachable", async () => {
    const id = await makeConnection(owner, { url: "http://127.0.0.1:1/mcp" })
    const result = await start(owner, id)
    expect(result.body.diagnostic).toMatchObject({ category: "network", code: "unreachable" })
  })

  it("returns 502 for an issuer other than the stored credential's, until it is disconnected", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    await connectAs(owner, id)
    const other = await startOAuthWorld()
    world.behavior.resource = { authorization_servers: [other.origin] }
    const result = await start(owner, id)
    expect([result.status, result.body.message.split(":")[0]]).toEqual([502, "authorization_server_changed"])
  })
})

describe("POST /v1/mcp-connections/{id}/connect/complete", () => {
  it("stores the member's own credential, sealed, and sends the resource", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const result = await connectAs(owner, id)
    expect(result.status, result.text).toBe(200)
    expect(result.body.mcpConnection).toMatchObject({
      status: "ready",
      connectedForMe: true,
      oauthClient: { clientId: "client-1", registration: "dynamic", hasSecret: false }
    })
    expect(world.tokenRequests.at(-1)?.parameters.get("resource")).toBe(world.mcpUrl)
    const rows = await stored(id)
    expect(rows.map((row) => row.membership_id)).toEqual([owner.membershipId])
    expect(JSON.stringify(rows)).not.toMatch(/access-|refresh-/)
    const tools = await owner.call("GET", `/v1/mcp-connections/${id}/tools`)
    expect(tools.body.items.map((tool: { name: string }) => tool.name)).toEqual(["echo"])
    const member = await addMember(plane, owner, "member")
    await share(id)
    expect(await connection(member, id)).toMatchObject({ status: "not_connected", connectedForMe: false })
  })

  it("rejects any session but the one that started the sign-in, whose state stays valid", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const member = await addMember(plane, owner, "admin")
    await share(id)
    const stranger = await makeWorkspace(plane)
    const callbackParameters = Object.fromEntries(await visit((await start(owner, id)).body.connect.url))
    const sameState = { status: 400, path: ["body", "state"] }
    const { token } = await signIn(plane, owner.userId, owner.organizationId)
    for (const person of [member, { call: call(plane, token) }]) {
      const result = await complete(person, id, callbackParameters)
      expect({ status: result.status, path: result.body.details[0].path }).toEqual(sameState)
    }
    expect((await complete(stranger, id, callbackParameters)).body.error).toBe("connection_not_found")
    const other = await makeConnection(owner, { url: world.mcpUrl })
    expect((await complete(owner, other, callbackParameters)).status).toBe(400)
    expect(await stored(id)).toEqual([])
    expect(world.tokenRequests).toEqual([])
    expect((await complete(owner, id, callbackParameters)).status).toBe(200)
  })

  it("rejects a state that is used, expired or unknown", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const callbackParameters = Object.fromEntries(await visit((await start(owner, id)).body.connect.url))
    expect((await complete(owner, id, callbackParameters)).status).toBe(200)
    expect((await complete(owner, id, callbackParameters)).body.details[0].path).toEqual(["body", "state"])
    const late = Object.fromEntries(await visit((await start(owner, id)).body.connect.url))
    await runSql(plane, (sql) => sql`UPDATE oauth_states SET expires_at = now() - interval '1 second'`)
    expect((await complete(owner, id, late)).body.details[0].path).toEqual(["body", "state"])
    expect((await complete(owner, id, { state: "x".repeat(43), code: "c" })).status).toBe(400)
  })

  it("rejects a code that the server rejects, consumes the state, and stores nothing", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const callbackParameters = Object.fromEntries(await visit((await start(owner, id)).body.connect.url))
    const result = await complete(owner, id, { ...callbackParameters, code: "wrong" })
    expect([result.status, result.body.details[0].path]).toEqual([400, ["body", "code"]])
    expect((await complete(owner, id, callbackParameters)).body.details[0].path).toEqual(["body", "state"])
    expect(await stored(id)).toEqual([])
  })

  const faults: ReadonlyArray<readonly [string, () => void, object]> = [
    [
      "another issuer in the browser",
      () => (world.behavior.iss = "https://other.example"),
      { code: "authorization_server_invalid" }
    ],
    ["no issuer in the browser", () => (world.behavior.iss = null), { code: "authorization_server_invalid" }],
    ["no bearer token", () => (world.behavior.token = { token_type: "mac" }), { category: "authentication" }],
    ["no token", () => (world.behavior.token = { access_token: undefined }), { category: "authentication" }],
    ["a life that is no number", () => (world.behavior.token = { expires_in: "soon" }), { category: "authentication" }],
    [
      "five hundreds",
      () => (world.behavior.tokenStatus = 500),
      { category: "authentication", providerStatus: 500, retryable: true }
    ]
  ]
  it.each(faults)("returns 502 and stores nothing: %s", async (_, lie, diagnostic) => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    lie()
    const result = await connectAs(owner, id)
    expect([result.status, result.body.error]).toEqual([502, "mcp_server_error"])
    expect(result.body.diagnostic).toMatchObject(diagnostic)
    expect(await stored(id)).toEqual([])
  })

  it("stores nothing for a connection that was changed or removed meanwhile", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const callbackParameters = Object.fromEntries(await visit((await start(owner, id)).body.connect.url))
    await owner.call("PATCH", `/v1/mcp-connections/${id}`, { url: `${world.origin}/other` })
    expect((await complete(owner, id, callbackParameters)).status).toBe(400)
    expect(await stored(id)).toEqual([])
  })
})

describe("GET /v1/mcp-connections/callback", () => {
  it("redirects to the returnTo with state, code and issuer, and stores nothing", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const returnTo = "https://app.example/back?a=b"
    const { connect } = (await start(owner, id, { returnTo })).body
    const callbackParameters = Object.fromEntries(await visit(connect.url))
    const result = await atCallback(plane, callbackParameters)
    expect(result.status).toBe(303)
    const location = new URL(result.headers.get("location") ?? "")
    expect(location.origin).toBe("https://app.example")
    expect(Object.fromEntries(location.searchParams)).toEqual({ a: "b", ...callbackParameters })
    expect([result.headers.get("cache-control"), result.headers.get("referrer-policy")]).toEqual([
      "no-store",
      "no-referrer"
    ])
    expect((await complete(owner, id, callbackParameters)).status).toBe(200)
    const again = await atCallback(plane, callbackParameters)
    expect([again.status, again.text.includes(callbackParameters["code"] ?? "-")]).toEqual([410, false])
  })

  it("shows state and code on a page, with everything escaped", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const { state } = (await start(owner, id)).body.connect
    const evil = `"><script>alert(1)</script>`
    const shown = await atCallback(plane, { state, code: evil, iss: evil })
    expect(shown.status).toBe(200)
    expect(shown.text).toContain(state)
    expect(shown.text).toContain("&lt;script&gt;")
    expect(shown.text).not.toContain("<script")
    expect(shown.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/)
    const rejected = await atCallback(plane, { state, error: evil })
    expect([rejected.status, rejected.text.includes("alert")]).toEqual([403, false])
    const unknowns: ReadonlyArray<Record<string, string>> = [
      { state: evil, code: evil },
      { state: "x".repeat(43), code: evil },
      { code: evil }
    ]
    for (const unknown of unknowns) {
      const page = await atCallback(plane, unknown)
      expect([page.status, page.text.includes("alert")]).toEqual([410, false])
    }
  })
})

describe("PUT /v1/mcp-connections/{id}/api-key", () => {
  const keyed = { authType: "apikey", apiKeyHeader: "x-key", apiKeyScheme: null }
  const set = (person: Workspace, id: string, apiKey: string) =>
    person.call("PUT", `/v1/mcp-connections/${id}/api-key`, { apiKey })

  it("rejects a key that the server rejects, and accepts one while the server is unreachable", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl, ...keyed })
    const rejected = await set(owner, id, "wrong")
    expect([rejected.status, rejected.body.details[0].path]).toEqual([400, ["body", "apiKey"]])
    expect(await stored(id)).toEqual([])
    const away = await makeConnection(owner, { url: "http://127.0.0.1:1/mcp", ...keyed })
    expect((await set(owner, away, "a-key-of-ours")).body.mcpConnection.status).toBe("ready")
    expect(JSON.stringify(await stored(away))).not.toContain("a-key-of-ours")
  })

  it("returns 403 to a member for the shared key", async () => {
    const id = await makeConnection(owner, { url: "http://127.0.0.1:1/mcp", ...keyed })
    await share(id)
    const member = await addMember(plane, owner, "member")
    expect((await set(member, id, "mine")).body.reason).toBe("grant_required")
  })
})

describe("POST /v1/mcp-connections/{id}/disconnect", () => {
  it("deletes the credential and revokes it at its server, and a second disconnect is a no-op", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    await connectAs(owner, id)
    const result = await owner.call("POST", `/v1/mcp-connections/${id}/disconnect`)
    expect(result.body.mcpConnection).toMatchObject({ status: "not_connected", connectedForMe: false })
    expect(await stored(id)).toEqual([])
    for (let tries = 0; tries < 100 && world.revoked.length === 0; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(world.revoked[0]).toMatch(/^refresh-/)
    expect((await owner.call("POST", `/v1/mcp-connections/${id}/disconnect`)).status).toBe(200)
    expect(world.revoked).toHaveLength(1)
  })
})

describe("the end of an MCP credential", () => {
  it("comes with the removal of its member or connection, or with a new URL", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    await share(id)
    const member = await addMember(plane, owner, "member")
    await connectAs(owner, id)
    await connectAs(member, id)
    expect(await stored(id)).toHaveLength(2)
    await start(member, id)
    await owner.call("DELETE", `/v1/members/${member.membershipId}`)
    expect((await stored(id)).map((row) => row.membership_id)).toEqual([owner.membershipId])
    await owner.call("PATCH", `/v1/mcp-connections/${id}`, { url: `${world.origin}/other` })
    expect(await stored(id)).toEqual([])
    const states = await runSql(plane, (sql) => sql`SELECT 1 AS one FROM oauth_states WHERE subject_id = ${id}`)
    expect(states).toEqual([])
  })

  it("comes with the deletion of its organization", async () => {
    const workspace = await makeWorkspace(plane)
    const id = await makeConnection(workspace, { url: world.mcpUrl })
    await connectAs(workspace, id)
    expect(await stored(id)).toHaveLength(1)
    const deletion = await workspace.call("DELETE", "/v1/organization")
    expect(deletion.status).toBeLessThan(300)
    expect(await stored(id)).toEqual([])
  })
})

describe("GET /v1/mcp-connections/client-metadata.json", () => {
  it("returns the client metadata document, whose URL is the client ID when the server is public over https", async () => {
    const result = await call(plane)("GET", "/v1/mcp-connections/client-metadata.json")
    expect(result.body).toMatchObject({
      client_id: "http://localhost/v1/mcp-connections/client-metadata.json",
      redirect_uris: ["http://localhost/v1/mcp-connections/callback"],
      token_endpoint_auth_method: "none"
    })
    const secure = await makeControlPlane({ outbound: reachesLoopback, publicUrl: "https://control.example/org" })
    const person = await makeWorkspace(secure)
    world.behavior.metadata = { client_id_metadata_document_supported: true }
    const id = await makeConnection(person, { url: world.mcpUrl })
    const authorizationUrl = new URL((await start(person, id)).body.connect.url).searchParams
    expect(authorizationUrl.get("client_id")).toBe(
      "https://control.example/org/v1/mcp-connections/client-metadata.json"
    )
    expect(world.registrations).toEqual([])
  })
})
