/** Calls that need more scopes than a credential has: 403 `insufficient_scope`. */
import { beforeEach, expect, it } from "vitest"
import { addMember, makeControlPlane, makeWorkspace, type Workspace } from "../harness.ts"
import { connectAs, makeConnection, reachesLoopback, startOAuthWorld } from "./oauth.fixture.ts"

const plane = await makeControlPlane({ outbound: reachesLoopback })
const world = await startOAuthWorld()
const owner = await makeWorkspace(plane)
beforeEach(() => world.reset())

const callEcho = (person: Workspace, id: string) =>
  person.call("POST", `/v1/mcp-connections/${id}/tools/call`, { toolName: "echo", arguments: {} })
const scopesAsked = async (person: Workspace, id: string) => {
  const response = await person.call("POST", `/v1/mcp-connections/${id}/connect/start`, {})
  return new URL(response.body.connect.url).searchParams.get("scope")
}
const connection = async (person: Workspace, id: string) =>
  (await person.call("GET", `/v1/mcp-connections/${id}`)).body.mcpConnection

it("stores the required scopes, links to a sign-in that requests them, and then the call succeeds", async () => {
  const id = await makeConnection(owner, { url: world.mcpUrl })
  await connectAs(owner, id)
  world.behavior.callScopes = ["tools:read", "tools:write"]
  const refused = await callEcho(owner, id)
  expect([refused.status, refused.body.diagnostic]).toMatchObject([
    502,
    {
      code: "insufficient_scope",
      requiredScopes: ["tools:read", "tools:write"],
      connectUrl: `/v1/mcp-connections/${id}/connect/start`,
      message: "The server requires the scopes tools:read tools:write. Connect again to request them."
    }
  ])
  expect(await connection(owner, id)).toMatchObject({ status: "ready", missingScopes: ["tools:write"] })
  expect(await scopesAsked(owner, id)).toBe("tools:read tools:write")
  expect((await connectAs(owner, id)).status).toBe(200)
  expect((await callEcho(owner, id)).status).toBe(200)
  expect(await connection(owner, id)).toMatchObject({ status: "ready", missingScopes: [] })
  // A later sign-in for another reason keeps the scopes.
  expect(await scopesAsked(owner, id)).toBe("tools:read tools:write")
})

it("does not ask for a second sign-in for scopes that were already requested", async () => {
  const id = await makeConnection(owner, { url: world.mcpUrl })
  await connectAs(owner, id)
  world.behavior.callScopes = ["tools:admin"]
  world.behavior.grantsScopes = false
  expect((await callEcho(owner, id)).body.diagnostic.connectUrl).toBeDefined()
  await connectAs(owner, id)
  const { diagnostic } = (await callEcho(owner, id)).body
  expect(diagnostic).toMatchObject({ code: "insufficient_scope", requiredScopes: ["tools:admin"] })
  expect(diagnostic.connectUrl).toBeUndefined()
  expect(diagnostic.operatorAction).toContain("Connecting again does not help")
  expect((await connection(owner, id)).missingScopes).toEqual([])
})

it("does not extend a manager's fixed list of scopes, and names the manager as the one who can", async () => {
  const id = await makeConnection(owner, { url: world.mcpUrl, scopes: ["tools:read"] })
  await connectAs(owner, id)
  world.behavior.callScopes = ["tools:write"]
  const { diagnostic } = (await callEcho(owner, id)).body
  expect(diagnostic.message).toContain("A manager must add them to the connection's scopes.")
  expect(diagnostic.connectUrl).toBeUndefined()
  expect(await scopesAsked(owner, id)).toBe("tools:read")
  await owner.call("PATCH", `/v1/mcp-connections/${id}`, { scopes: ["tools:read", "tools:write"] })
  expect((await callEcho(owner, id)).body.diagnostic.connectUrl).toBeDefined()
  await connectAs(owner, id)
  expect((await callEcho(owner, id)).status).toBe(200)
})

it("stores required scopes per member, and deletes them with the credential", async () => {
  const id = await makeConnection(owner, { url: world.mcpUrl })
  await owner.call("POST", `/v1/mcp-connections/${id}/access`, { orgWide: true, role: "viewer" })
  const member = await addMember(plane, owner, "admin")
  await connectAs(owner, id)
  await connectAs(member, id)
  world.behavior.callScopes = ["tools:write"]
  await callEcho(owner, id)
  expect([await scopesAsked(owner, id), await scopesAsked(member, id)]).toEqual([
    "tools:read tools:write",
    "tools:read"
  ])
  expect((await connection(member, id)).missingScopes).toEqual([])
  await owner.call("POST", `/v1/mcp-connections/${id}/disconnect`)
  expect(await scopesAsked(owner, id)).toBe("tools:read")
})

it("ignores scopes that contain the credential or a part of it, and stores at most 64", async () => {
  const id = await makeConnection(owner, { url: world.mcpUrl })
  await connectAs(owner, id)
  world.behavior.callScopes = ["{token}", "x{token}x", "tools:write"]
  const { body } = await callEcho(owner, id)
  expect(body.diagnostic.requiredScopes).toEqual(["tools:write"])
  expect((await connection(owner, id)).missingScopes).toEqual(["tools:write"])
  world.behavior.callScopes = Array.from({ length: 100 }, (_, index) => `tools:${index}`)
  await callEcho(owner, id)
  expect((await connection(owner, id)).missingScopes).toHaveLength(64)
})
