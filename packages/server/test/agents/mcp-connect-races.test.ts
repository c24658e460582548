import type { ServerResponse } from "node:http"
import { beforeEach, describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace, runSql } from "../harness.ts"
import { connectAs, makeConnection, reachesLoopback, startOAuthWorld, visit } from "./oauth.fixture.ts"

const plane = await makeControlPlane({ outbound: reachesLoopback })
const world = await startOAuthWorld()
const other = await startOAuthWorld()
const owner = await makeWorkspace(plane)
beforeEach(() => {
  world.reset()
  other.reset()
})

const at = (id: string) => `/v1/mcp-connections/${id}`
const start = (id: string) => owner.call("POST", `${at(id)}/connect/start`, {})
const listTools = (id: string) => owner.call("GET", `${at(id)}/tools?refresh=true`)
const get = async (id: string) => (await owner.call("GET", at(id))).body.mcpConnection
const json = (response: ServerResponse, body: unknown) => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
  return true
}

describe("a connection that changes during a request", () => {
  it("sends no credential of its new URL to its previous one", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    expect((await connectAs(owner, id)).status).toBe(200)
    const credentials: Array<string | undefined> = []
    const pendingResponses: Array<ServerResponse> = []
    world.behavior.instead = (path, response) => {
      if (path === "/mcp") credentials.push(response.req.headers.authorization)
      if (!path.startsWith("/.well-known/oauth-protected-resource")) return false
      pendingResponses.push(response)
      return true
    }
    const looking = listTools(id)
    await expect.poll(() => pendingResponses.length, { interval: 100 }).toBe(1)
    expect((await owner.call("PATCH", at(id), { url: other.mcpUrl })).status).toBe(200)
    expect((await connectAs(owner, id)).status).toBe(200)
    world.behavior.instead = (path, response) => {
      if (path === "/mcp") credentials.push(response.req.headers.authorization)
      return false
    }
    for (const response of pendingResponses) response.writeHead(404).end()
    const result = await looking
    expect([result.status, result.body.error]).toEqual([409, "connection_not_ready"])
    expect(credentials.filter((authorization) => authorization !== undefined)).toEqual([])
    expect((await listTools(id)).body.items).toMatchObject([{ name: "echo" }])
  })

  it("keeps the client that a manager sets, and no credential obtained with another one", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const callbackParameters = Object.fromEntries(await visit((await start(id)).body.connect.url))
    const pendingResponses: Array<ServerResponse> = []
    world.behavior.instead = (path, response) => path === "/token" && pendingResponses.push(response) > 0
    const completing = owner.call("POST", `${at(id)}/connect/complete`, callbackParameters)
    await expect.poll(() => pendingResponses.length, { interval: 100 }).toBe(1)
    const oauthClient = { clientId: "by hand", clientSecret: "a secret of ours" }
    expect((await owner.call("PATCH", at(id), { oauthClient })).status).toBe(200)
    for (const response of pendingResponses)
      json(response, { access_token: "got", token_type: "Bearer", expires_in: 3600 })
    const result = await completing
    expect([result.status, result.body.error]).toEqual([409, "connection_not_ready"])
    expect(await get(id)).toMatchObject({
      connectedForMe: false,
      oauthClient: { clientId: "by hand", registration: "pre_registered", hasSecret: true }
    })
    const stored = await runSql(plane, (sql) => sql`SELECT 1 AS one FROM oauth_credentials WHERE subject_id = ${id}`)
    expect(stored).toEqual([])
  })

  it("reports a concurrent completion as in progress, and its outcome afterwards", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const callbackParameters = Object.fromEntries(await visit((await start(id)).body.connect.url))
    const pendingResponses: Array<ServerResponse> = []
    world.behavior.instead = (path, response) => path === "/token" && pendingResponses.push(response) > 0
    const complete = () =>
      owner.call("POST", `${at(id)}/connect/complete`, callbackParameters, { "idempotency-key": `connect-${id}` })
    const first = complete()
    await expect.poll(() => pendingResponses.length, { interval: 100 }).toBe(1)
    const twin = await complete()
    expect([twin.status, twin.body.error]).toEqual([409, "idempotency_key_in_use"])
    for (const response of pendingResponses)
      json(response, { access_token: "got", token_type: "Bearer", expires_in: 3600 })
    const done = await first
    expect([done.status, done.body.mcpConnection.connectedForMe]).toEqual([200, true])
    const again = await complete()
    expect([again.status, again.headers.get("idempotent-replayed"), again.text]).toEqual([200, "true", done.text])
  })
})

describe("signing in again", () => {
  const accepted = async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    const connected = await connectAs(owner, id)
    expect(connected.status, connected.text).toBe(200)
    expect((await listTools(id)).status).toBe(200)
    expect((await owner.call("POST", `${at(id)}/disconnect`)).status).toBe(200)
    return id
  }

  it("is rejected when the authorization server has changed, even before an observation", async () => {
    const id = await accepted()
    world.behavior.metadata = { token_endpoint: `${world.origin}/moved` }
    const rejected = await start(id)
    expect([rejected.status, rejected.body.message.split(":")[0]]).toEqual([502, "authorization_server_changed"])
    expect((await listTools(id)).body.message).toMatch(/^review_required: /)
    const { fingerprint } = (await owner.call("GET", `${at(id)}/review`)).body.review
    await owner.call("POST", `${at(id)}/review`, { fingerprint, decision: "accept" })
    expect((await start(id)).status).toBe(200)
  })

  it("uses the accepted one of several authorization servers, in any order", async () => {
    const id = await accepted()
    world.behavior.resource = { authorization_servers: [other.origin, world.origin] }
    const { url } = (await start(id)).body.connect
    expect(new URL(url).origin).toBe(world.origin)
    expect((await connectAs(owner, id)).status).toBe(200)
    expect((await listTools(id)).status).toBe(200)
    expect((await get(id)).status).toBe("ready")
  })

  it("uses the same metadata document as the observation when only the challenge names it", async () => {
    const issuer = `${world.origin}/as`
    world.behavior.resourceMetadata = "/about-us"
    world.behavior.iss = issuer
    world.behavior.instead = (path, response) => {
      if (path === "/about-us") return json(response, { resource: world.mcpUrl, authorization_servers: [issuer] })
      if (path.startsWith("/.well-known/oauth-protected-resource")) return response.writeHead(404).end() === response
      if (path !== "/.well-known/oauth-authorization-server/as") return false
      return json(response, {
        issuer,
        authorization_endpoint: `${world.origin}/authorize`,
        token_endpoint: `${world.origin}/token`,
        registration_endpoint: `${world.origin}/register`,
        token_endpoint_auth_methods_supported: ["none"],
        code_challenge_methods_supported: ["S256"]
      })
    }
    const id = await accepted()
    expect((await start(id)).status).toBe(200)
  })
})
