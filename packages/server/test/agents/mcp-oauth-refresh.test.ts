import { beforeEach, describe, expect, it } from "vitest"
import { addMember, call, engine, makeControlPlane, makeWorkspace, runSql, type Workspace } from "../harness.ts"
import { connectAs, makeConnection, reachesLoopback, startOAuthWorld } from "./oauth.fixture.ts"

const plane = await makeControlPlane({ outbound: reachesLoopback })
// The embedded engine supports one process, a database server any number.
const twin =
  engine === "postgres" ? await makeControlPlane({ outbound: reachesLoopback, database: plane.database }) : plane
const world = await startOAuthWorld()
const owner = await makeWorkspace(plane)
beforeEach(() => world.reset())

const use = (person: Pick<Workspace, "call">, id: string) =>
  person.call("GET", `/v1/mcp-connections/${id}/tools?refresh=true`)
const statusOf = async (id: string) => {
  const { status, statusReason } = (await owner.call("GET", `/v1/mcp-connections/${id}`)).body.mcpConnection
  return { status, statusReason }
}

/** The number of requests that carried a token or requested one. Metadata and challenges are public. */
const countTokenRequests = () => world.requestedPaths.filter((path) => path === "/token").length + world.shown()

/** A connection whose token is about to expire. */
const ending = async (input: object = {}) => {
  const id = await makeConnection(owner, { url: world.mcpUrl, ...input })
  world.behavior.expiresIn = 30
  const result = await connectAs(owner, id)
  if (result.status !== 200) throw new Error(result.text)
  world.behavior.expiresIn = 3600
  return id
}

describe("a token that expires", () => {
  it("is renewed once for fifty concurrent requests in two processes", async () => {
    const id = await ending()
    // Makes both processes need the renewal at the same time.
    world.behavior.slowMillis = 1500
    const callers = [call(plane, owner.token), call(twin, owner.token)]
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => use({ call: callers[index % 2] ?? owner.call }, id))
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect([world.renewals(), world.isReused()]).toEqual([1, false])
    const last = world.tokenRequests.at(-1)?.parameters
    expect([last?.get("grant_type"), last?.get("resource")]).toEqual(["refresh_token", world.mcpUrl])
    world.behavior.slowMillis = 0
    // The replacement token is stored.
    world.endTokens()
    expect((await use(owner, id)).status).toBe(200)
    expect([world.renewals(), world.isReused()]).toEqual([2, false])
  })

  it("is renewed when the server rejects it before its expiry", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    await connectAs(owner, id)
    world.endTokens()
    expect((await use(owner, id)).status).toBe(200)
    expect((await use(owner, id)).status).toBe(200)
    expect(world.renewals()).toBe(1)
  })

  it("keeps its refresh token when the server issues no new one", async () => {
    const id = await ending()
    world.behavior.token = { refresh_token: undefined }
    expect((await use(owner, id)).status).toBe(200)
    world.endTokens()
    world.behavior.token = {}
    await use(owner, id)
    const refreshTokens = world.tokenRequests.slice(-2).map(({ parameters }) => parameters.get("refresh_token"))
    expect(refreshTokens[0]).toBe(refreshTokens[1])
  })

  it("returns 409 reconnect_required after a rejected renewal, and is not renewed again", async () => {
    const id = await ending()
    world.behavior.instead = (path, response) => {
      if (path !== "/token") return false
      response.writeHead(400, { "content-type": "application/json" })
      response.end(JSON.stringify({ error: "invalid_grant", error_description: "a secret: opk_1" }))
      return true
    }
    const result = await use(owner, id)
    expect([result.status, result.body.error]).toEqual([409, "connection_not_ready"])
    expect(result.body.message).toMatch(/^reconnect_required: /)
    expect(result.text).not.toContain("a secret")
    expect(await statusOf(id)).toMatchObject({
      status: "reconnect_required",
      statusReason: expect.stringContaining("no longer")
    })
    const before = countTokenRequests()
    expect((await use(owner, id)).status).toBe(409)
    expect(countTokenRequests()).toBe(before)
    world.reset()
    expect((await connectAs(owner, id)).body.mcpConnection.status).toBe("ready")
  })

  it("requires a reconnect when the server rejects a fresh token too", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    await connectAs(owner, id)
    world.behavior.instead = (path, response) => {
      if (!path.startsWith("/mcp")) return false
      response.writeHead(401).end()
      return true
    }
    const result = await use(owner, id)
    expect([result.status, result.body.error]).toEqual([502, "mcp_server_error"])
    expect(world.renewals()).toBe(1)
    expect(await statusOf(id)).toMatchObject({
      status: "reconnect_required",
      statusReason: expect.stringContaining("no longer accepts")
    })
    world.reset()
    expect((await use(owner, id)).status).toBe(409)
    expect((await connectAs(owner, id)).body.mcpConnection.status).toBe("ready")
  })

  it("returns 409 reconnect_required without a refresh token", async () => {
    world.behavior.hasRefreshToken = false
    const id = await ending()
    const result = await use(owner, id)
    expect(result.body.message).toMatch(/^reconnect_required: /)
    expect(world.renewals()).toBe(0)
  })

  it("returns 502 and keeps the credential while the authorization server fails", async () => {
    const id = await ending()
    world.behavior.tokenStatus = 503
    const result = await use(owner, id)
    expect([result.status, result.body.diagnostic.code, result.body.diagnostic.retryable]).toEqual([
      502,
      "refresh_failed",
      true
    ])
    world.behavior.tokenStatus = 200
    world.behavior.instead = (path, response) =>
      path === "/token" && (response.writeHead(200, { "content-type": "text/html" }).end("<html>"), true)
    expect((await use(owner, id)).status).toBe(502)
    world.behavior.instead = () => false
    expect((await use(owner, id)).status).toBe(200)
    expect(world.isReused()).toBe(false)
  })

  it("returns 502 with a named warning after its authorization server changed, and sends it nothing", async () => {
    const id = await ending()
    const thief = await startOAuthWorld()
    for (const metadata of [{ token_endpoint: `${thief.origin}/token` }, { issuer: thief.origin }]) {
      world.behavior.metadata = metadata
      const result = await use(owner, id)
      expect([result.status, result.body.diagnostic.code]).toEqual([502, "authorization_server_invalid"])
      expect(result.body.message).toMatch(/^(authorization_server_changed|issuer_mismatch): /)
    }
    expect([world.renewals(), thief.tokenRequests]).toEqual([0, []])
    world.behavior.metadata = {}
    expect((await use(owner, id)).status).toBe(200)
  })
})

describe("the owner of a credential", () => {
  it("determines its use: no other member and no other connection can use it", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    await connectAs(owner, id)
    await owner.call("POST", `/v1/mcp-connections/${id}/access`, { orgWide: true, role: "viewer" })
    const member = await addMember(plane, owner, "member")
    expect((await use(member, id)).body.message).toMatch(/^not_connected: /)
    const other = await makeConnection(owner, { url: world.mcpUrl })
    expect((await use(owner, other)).body.message).toMatch(/^not_connected: /)
  })

  it("is everyone with a grant when it is shared", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl, credentialMode: "shared" })
    await connectAs(owner, id)
    await owner.call("POST", `/v1/mcp-connections/${id}/access`, { orgWide: true, role: "viewer" })
    const member = await addMember(plane, owner, "member")
    expect((await use(member, id)).status).toBe(200)
  })

  it("is part of its seal: it cannot be opened for another owner", async () => {
    const id = await makeConnection(owner, { url: world.mcpUrl })
    await connectAs(owner, id)
    const other = await makeConnection(owner, { url: world.mcpUrl })
    await runSql(plane, (sql) => sql`UPDATE oauth_credentials SET subject_id = ${other} WHERE subject_id = ${id}`)
    const before = countTokenRequests()
    expect((await use(owner, other)).status).toBe(409)
    expect(countTokenRequests()).toBe(before)
  })
})
