/** Authorization servers that do not follow the newest revision, and MCP servers of revision 2025-03-26. */
import { beforeEach, describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace, runSql } from "../harness.ts"
import { connectAs, makeConnection, reachesLoopback, startOAuthWorld } from "./oauth.fixture.ts"

const plane = await makeControlPlane({ outbound: reachesLoopback })
const world = await startOAuthWorld()
const owner = await makeWorkspace(plane)
beforeEach(() => world.reset())

const start = (id: string) => owner.call("POST", `/v1/mcp-connections/${id}/connect/start`, {})
const tools = (id: string) => owner.call("GET", `/v1/mcp-connections/${id}/tools?refresh=true`)
const endSoon = (id: string) =>
  runSql(plane, (sql) => sql`UPDATE oauth_credentials SET expires_at = now() WHERE subject_id = ${id}`)
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`

describe("a registration with a secret", () => {
  const methods = { token_endpoint_auth_methods_supported: ["client_secret_basic"] }

  it.each([{}, { client_secret_expires_at: null }, { client_secret_expires_at: 0 }])(
    "is accepted when the response states its expiry as %j",
    async (expiry) => {
      world.behavior.metadata = methods
      world.behavior.registration = { client_id: "pre-registered_1.0", client_secret: "s3-cret_~!'()*. :%", ...expiry }
      const id = await makeConnection(owner, { url: world.mcpUrl })
      const connected = await connectAs(owner, id)
      expect(connected.status, connected.text).toBe(200)
      expect(connected.body.mcpConnection.oauthClient).toMatchObject({ registration: "dynamic", hasSecret: true })
      // Servers that do not decode the form encoding see the characters that it leaves unchanged.
      expect(world.tokenRequests.at(-1)?.authorization).toBe(
        basic("pre-registered_1.0:s3-cret_%7E%21%27%28%29*.+%3A%25")
      )
      expect((await start(id)).status).toBe(200)
      expect(world.registrations).toHaveLength(1)
    }
  )

  it("is discarded when the secret expires, and rejected when the expiry is not a number", async () => {
    world.behavior.metadata = methods
    const secret = { client_id: "c", client_secret: "s" }
    world.behavior.registration = { ...secret, client_secret_expires_at: Math.floor(Date.now() / 1000) + 60 }
    const id = await makeConnection(owner, { url: world.mcpUrl })
    await start(id)
    await start(id)
    expect(world.registrations).toHaveLength(2)
    world.behavior.registration = { ...secret, client_secret_expires_at: "never" }
    const result = await start(id)
    expect([result.status, result.body.diagnostic.code]).toEqual([502, "authorization_server_invalid"])
    expect(result.body.message).toMatch(/^registration_failed: /)
  })
})

it("reports a failed code exchange as such, not as a failed token refresh", async () => {
  const id = await makeConnection(owner, { url: world.mcpUrl })
  world.behavior.tokenStatus = 503
  const result = await connectAs(owner, id)
  expect([result.status, result.body.diagnostic.code]).toEqual([502, "authorization_server_invalid"])
})

describe("a server of revision 2025-03-26", () => {
  const absent = (...paths: ReadonlyArray<string>) => {
    world.behavior.challenge = "Bearer"
    world.behavior.instead = (path, response) =>
      paths.some((one) => path.startsWith(one)) && (response.writeHead(404).end(), true)
  }

  it("is its own authorization server according to its origin's metadata, also when the issuer is below the origin", async () => {
    absent("/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server/")
    const issuer = `${world.origin}/oauth`
    world.behavior.metadata = { issuer }
    world.behavior.iss = issuer
    const id = await makeConnection(owner, { url: world.mcpUrl })
    expect((await connectAs(owner, id)).status).toBe(200)
    expect((await tools(id)).status).toBe(200)
    await endSoon(id)
    expect((await tools(id)).status).toBe(200)
    expect(world.renewals()).toBe(1)
    for (const elsewhere of ["https://thief.example", `${world.origin}.thief.example/`, `${world.origin}/x?y=z`]) {
      world.behavior.metadata = { issuer: elsewhere }
      const other = await makeConnection(owner, { url: world.mcpUrl })
      expect((await start(other)).body.message).toContain("issuer_mismatch")
    }
  })

  it("is connected and refreshed at the default endpoints of its origin when it has no metadata", async () => {
    absent("/.well-known/")
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const started = await start(id)
    expect(started.status, started.text).toBe(200)
    const authorizationUrl = new URL(started.body.connect.url)
    expect(authorizationUrl.origin + authorizationUrl.pathname).toBe(`${world.origin}/authorize`)
    expect(authorizationUrl.searchParams.get("code_challenge_method")).toBe("S256")
    world.behavior.iss = null
    expect((await connectAs(owner, id)).status).toBe(200)
    expect((await tools(id)).status).toBe(200)
    await endSoon(id)
    expect((await tools(id)).status).toBe(200)
    expect(world.renewals()).toBe(1)
  })

  it("is not assumed when a document, another challenge or a missing challenge contradicts it", async () => {
    absent("/.well-known/")
    world.behavior.challenge = 'Basic realm="tools"'
    const id = await makeConnection(owner, { url: world.mcpUrl })
    expect((await start(id)).body.message).toContain("authorization_server_unknown")
    world.behavior.challenge = `Bearer resource_metadata="${world.origin}/.well-known/oauth-protected-resource/mcp"`
    expect((await start(id)).body.message).toContain("authorization_server_unknown")
    world.behavior.challenge = "Bearer"
    world.behavior.instead = (path, response) =>
      path.startsWith("/.well-known/") && (response.writeHead(500).end(), true)
    expect((await start(id)).status).toBe(502)
    expect(world.registrations).toEqual([])
    expect(world.requestedPaths).not.toContain("/register")
  })

  it("reports that clients cannot register when the default endpoint does not exist", async () => {
    absent("/.well-known/", "/register")
    const id = await makeConnection(owner, { url: world.mcpUrl })
    expect((await start(id)).body.message).toContain("authorization_server_unknown")
  })
})
