import { beforeEach, expect, it } from "vitest"
import { addMember, makeControlPlane, makeWorkspace } from "../../harness.ts"
import { connectAs, makeConnection, reachesLoopback, startOAuthWorld } from "../../agents/oauth.fixture.ts"
import { polled, stateOf } from "./desired-state.fixture.ts"

const plane = await makeControlPlane({ outbound: reachesLoopback })
const world = await startOAuthWorld()
const owner = await makeWorkspace(plane)
beforeEach(() => world.reset())

it("reports a connection as not connected from the next poll on after its credential was rejected", async () => {
  const member = await addMember(plane, owner, "member")
  const id = await makeConnection(owner, { url: world.mcpUrl, credentialMode: "shared" })
  const grant = await owner.call("POST", `/v1/mcp-connections/${id}/access`, {
    orgMembershipId: member.membershipId,
    role: "viewer"
  })
  expect(grant.status).toBe(201)
  const state = async () => {
    const { body, etag } = await stateOf(plane, member.token)
    return { connected: body.mcpConnections.map((one: { connected: boolean }) => one.connected), etag }
  }
  expect((await connectAs(owner, id)).status).toBe(200)
  const connected = await state()
  expect([connected.connected, await polled(plane, member.token, connected.etag)]).toEqual([[true], 304])
  world.behavior.instead = (path, response) => {
    if (!path.startsWith("/mcp")) return false
    response.writeHead(401).end()
    return true
  }
  const use = () => owner.call("GET", `/v1/mcp-connections/${id}/tools?refresh=true`)
  expect((await use()).status).toBe(502)
  expect(await polled(plane, member.token, connected.etag)).toBe(200)
  const rejected = await state()
  expect(rejected.connected).toEqual([false])
  world.reset()
  expect((await use()).status).toBe(409)
  const events = (await owner.call("GET", "/v1/audit-events?action=mcp_connection.credential.reject")).body.items
  expect(events).toMatchObject([{ targetId: id, actorKind: "system" }])
  expect((await connectAs(owner, id)).status).toBe(200)
  expect(await polled(plane, member.token, rejected.etag)).toBe(200)
  expect((await state()).connected).toEqual([true])
})
