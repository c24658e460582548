/** The desired state of a member, as another caller sees it. */
import { describe, expect, it } from "vitest"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeRole,
  makeTeam,
  makeWorkspace
} from "../../harness.ts"
import { requested, stateOf } from "./desired-state.fixture.ts"

const plane = await makeControlPlane()
const needed = ["access:read", "assignments:read", "desktopPolicies:read"]
const at = (membershipId: string) => `/v1/members/${membershipId}/desired-state`

/** An organization with a member who has something in each list of the state. */
const start = async () => {
  const owner = await makeWorkspace(plane)
  const member = await addMember(plane, owner, "member")
  const teamId = await makeTeam(owner, [member], "Platform")
  const plugin = await owner.client.plugins.create({ name: "Reviewer" })
  await owner.client.configObjects.create({
    input: { type: "context", rawSourceText: "# How we review" },
    pluginIds: [plugin.id]
  })
  const blocked = await owner.client.plugins.create({ name: "Unwanted" })
  for (const { id } of [plugin, blocked]) await owner.client.plugins.grantAccess(id, { role: "viewer", teamId })
  const marketplaceId = await makeMarketplace(plane, owner, [plugin.id])
  await owner.client.marketplaces.grantAccess(marketplaceId, { role: "viewer", orgWide: true })
  const assigned = await owner.client.assignments.create({ pluginId: plugin.id, mode: "required", teamIds: [teamId] })
  await owner.client.assignments.create({ pluginId: blocked.id, mode: "blocked" })
  const connection = await owner.client.mcpConnections.create({
    name: "Docs",
    url: "https://docs.example/mcp",
    authType: "none"
  })
  await owner.client.mcpConnections.grantAccess(connection.id, { role: "viewer", teamId })
  return { owner, member, teamId, plugin, blocked, marketplaceId, assigned, connection }
}

describe("GET /v1/members/{orgMembershipId}/desired-state", () => {
  it("returns to an administrator what the member receives, without archives and without a new revision", async () => {
    const { assigned, member, owner, plugin, teamId } = await start()
    const before = (await owner.call("GET", at(member.membershipId))).body.item
    expect(before).toMatchObject({ orgMembershipId: member.membershipId, revision: null, partial: false })
    const { body: own, etag } = await stateOf(plane, member.token)
    const response = await owner.call("GET", at(member.membershipId))
    expect(response.status).toBe(200)
    expect(response.headers.get("x-desired-state-signature")).toBeNull()
    const { item } = response.body
    expect(item).toEqual({
      organizationId: own.organizationId,
      orgMembershipId: own.orgMembershipId,
      revision: own.revision,
      policy: own.policy,
      plugins: own.plugins.map(({ archive: _archive, ...rest }: { archive: unknown }) => rest),
      blocked: own.blocked,
      marketplaces: own.marketplaces,
      mcpConnections: own.mcpConnections,
      models: [],
      truncated: false,
      partial: false
    })
    expect(item.plugins).toMatchObject([
      {
        pluginId: plugin.id,
        enabled: true,
        locked: true,
        reason: { rule: "required", assignmentId: assigned.id, via: "team", viaId: teamId }
      }
    ])
    expect(item.blocked).toHaveLength(1)
    expect(item.mcpConnections).toHaveLength(1)
    expect(response.text).not.toContain("archive")
    // The request did not change the state of the member.
    expect((await requested(plane, member.token, { "if-none-match": etag })).status).toBe(304)
    expect(await owner.client.desiredState.getMember(member.membershipId)).toEqual(item)
    expect((await owner.call("GET", at(member.membershipId))).body.item).toEqual(item)
  })

  it("returns LLM providers without their headers and options", async () => {
    const { member, owner, teamId } = await start()
    const provider = await owner.client.llmProviders.create({
      name: "Internal",
      providerId: "custom",
      apiFormat: "openai_compatible",
      baseUrl: "https://llm.example/v1",
      headers: { "x-route": "internal-route" },
      models: [{ id: "small" }]
    })
    await owner.client.llmProviders.grantAccess(provider.id, { role: "viewer", teamId })
    expect((await stateOf(plane, member.token)).text).toContain("internal-route")
    const { body, text } = await owner.call("GET", at(member.membershipId))
    expect(body.item.models).toMatchObject([
      { llmProviderId: provider.id, name: "Internal", connected: false, reason: { via: "team", viaId: teamId } }
    ])
    expect(text).not.toContain("internal-route")
    expect(text).not.toContain("llm.example")
  })

  it("leaves out what the caller cannot see", async () => {
    const { marketplaceId, member, owner, plugin } = await start()
    const role = await makeRole(owner, [...needed, "marketplaces:read"])
    const reader = await addMember(plane, owner, role)
    const seen = (await reader.call("GET", at(member.membershipId))).body.item
    expect(seen).toMatchObject({ plugins: [], blocked: [], mcpConnections: [], partial: true })
    expect(seen.marketplaces).toMatchObject([{ marketplaceId, plugins: [] }])
    const wider = await addMember(plane, owner, await makeRole(owner, [...needed, "plugins:read"]))
    const other = (await wider.call("GET", at(member.membershipId))).body.item
    // The plugin is visible through the marketplace, which the caller cannot read, and the team is hidden too.
    expect(other.plugins).toMatchObject([
      { pluginId: plugin.id, marketplaceIds: [], reason: { via: "team", viaId: null } }
    ])
    expect(other).toMatchObject({ blocked: [], marketplaces: [], mcpConnections: [], partial: true })
    const key = await makeKey(plane, owner, needed)
    expect((await key.call("GET", at(member.membershipId))).body.item).toMatchObject({ plugins: [], partial: true })
  })

  it("requires each of its permissions", async () => {
    const { member, owner } = await start()
    for (const missing of needed) {
      const key = await makeKey(
        plane,
        owner,
        needed.filter((permission) => permission !== missing)
      )
      const { body, status } = await key.call("GET", at(member.membershipId))
      expect([status, body.reason, body.permission ?? body.message]).toEqual([
        403,
        "permission_required",
        expect.stringContaining(missing)
      ])
    }
    expect((await member.call("GET", at(owner.membershipId))).status).toBe(403)
  })

  it("returns 404 for members that do not exist, were removed, or are of another organization", async () => {
    const { member, owner } = await start()
    const stranger = await makeWorkspace(plane)
    const absent = await owner.call("GET", at("om_01h455vb4pex5vsknk084sn02q"))
    expect([absent.status, absent.body.error]).toEqual([404, "member_not_found"])
    const foreign = await owner.call("GET", at(stranger.membershipId))
    expect([foreign.status, foreign.body.error]).toEqual([404, "member_not_found"])
    await owner.call("DELETE", `/v1/members/${member.membershipId}`)
    expect((await owner.call("GET", at(member.membershipId))).body.error).toBe("member_not_found")
    const malformed = await owner.call("GET", at("ada"))
    expect([malformed.status, malformed.body.error]).toEqual([400, "invalid_request"])
  })
})
