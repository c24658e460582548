import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { addMember, makeConnector, makeControlPlane, makeMarketplace, makeWorkspace, withServices } from "../harness.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)

const pluginWith = async (name: string, ...inputs: ReadonlyArray<object>): Promise<string> => {
  const { id } = await owner.client.plugins.create({ name })
  for (const input of inputs) {
    const response = await owner.call("POST", "/v1/config-objects", { input, pluginIds: [id] })
    if (response.status !== 201) throw new Error(response.text)
  }
  return id
}
const resolvedOf = async (marketplace: string, person = owner) =>
  (await person.call("GET", `/v1/marketplaces/${marketplace}/resolved`)).body.item

const skill = { type: "skill", rawSourceText: "---\nname: a-skill\ndescription: Does it.\n---\n# A skill" }
const hook = { type: "hook", rawSourceText: '{"hooks":{"Stop":[]}}' }
const mcp = (servers: unknown) => ({ type: "mcp", normalizedPayloadJson: { servers } })

describe("GET /v1/marketplaces/{id}/resolved", () => {
  it.each([
    ["not_synced", [], { hasInstructional: false, connections: [] }],
    ["ready", [skill], { hasInstructional: true, connections: [] }],
    ["ready", [skill, hook], { hasInstructional: true }],
    ["desktop_only", [hook], { hasInstructional: false }],
    ["desktop_only", [skill, mcp({ local: { command: "run" } })], { hasInstructional: true }],
    ["needs_admin_setup", [mcp({ remote: { url: "https://mcp.example/sse" } })], { hasInstructional: false }],
    ["needs_admin_setup", [skill, mcp({ local: { command: "run" }, remote: { url: "https://mcp.example" } })], {}]
  ] as const)("reports a plugin as %s, depending on its contents", async (state, inputs, readiness) => {
    const plugin = await pluginWith("P", ...inputs)
    const { plugins } = await resolvedOf(await makeMarketplace(plane, owner, [plugin]))
    expect(plugins).toHaveLength(1)
    expect(plugins[0].cloudReadiness).toMatchObject({ state, ...readiness })
    expect(plugins[0].cloudReadiness.nextAction === null).toBe(state === "ready")
    const counts: Record<string, number> = {
      skill: 0,
      agent: 0,
      command: 0,
      tool: 0,
      mcp: 0,
      hook: 0,
      context: 0,
      custom: 0
    }
    for (const { type } of inputs) counts[type] = (counts[type] ?? 0) + 1
    expect(plugins[0].componentCounts).toEqual(counts)
  })

  it("lists each server that a plugin requires", async () => {
    const plugin = await pluginWith("P", mcp({ a: { url: "https://a.example" }, b: { command: "b" } }))
    const { plugins } = await resolvedOf(await makeMarketplace(plane, owner, [plugin]))
    const { connections } = plugins[0].cloudReadiness
    expect(
      connections.map(({ serverName, url }: { serverName: string; url: string | null }) => [serverName, url])
    ).toEqual([
      ["a", "https://a.example"],
      ["b", null]
    ])
    expect(connections[0]).toMatchObject({
      id: null,
      authTypeMismatch: false,
      connectedForMe: false,
      oauthClientConfigured: false,
      oauthClientRequired: false
    })
  })

  it("accepts any content that an author declares as servers", async () => {
    const odd = [
      null,
      "text",
      7,
      [],
      ["x"],
      { a: null },
      { a: 1 },
      { a: [] },
      { a: { url: 1 } },
      { a: { url: null } },
      {}
    ]
    const plugin = await pluginWith("Odd", ...odd.map(mcp))
    const response = await owner.call(
      "GET",
      `/v1/marketplaces/${await makeMarketplace(plane, owner, [plugin])}/resolved`
    )
    expect(response.status).toBe(200)
    expect(response.body.item.plugins[0].componentCounts.mcp).toBe(odd.length)
  })

  it("includes the source of a marketplace that a connector created", async () => {
    const marketplace = await makeMarketplace(plane, owner)
    expect((await resolvedOf(marketplace)).source).toBeNull()
    const connector = await makeConnector(plane, owner, "acme/plugins")
    await withServices(
      plane,
      Effect.flatMap(
        SqlDatabase,
        (sql) =>
          sql`UPDATE marketplaces SET connector_target_id = ${connector.connectorTargetId} WHERE id = ${marketplace}`
      )
    )
    const item = await resolvedOf(marketplace)
    expect(item.source).toEqual({
      connectorAccountId: connector.connectorAccountId,
      connectorInstanceId: connector.connectorInstanceId,
      accountLogin: "file",
      repositoryFullName: "acme/plugins",
      branch: "main"
    })
    // A marketplace of a connector cannot be deleted manually.
    expect(item.marketplace.canDelete).toBe(false)
  })

  it("counts existing contents only: nothing archived, removed or deleted", async () => {
    const [plugin, removedPlugin] = [await pluginWith("P", skill, skill, skill), await pluginWith("Gone", skill)]
    const marketplace = await makeMarketplace(plane, owner, [plugin, removedPlugin])
    await withServices(
      plane,
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        const rows = yield* sql<{ config_object_id: string }>`SELECT config_object_id FROM plugin_memberships
          WHERE plugin_id = ${plugin} ORDER BY id`
        yield* sql`UPDATE config_objects SET status = 'archived' WHERE id = ${rows[0]?.config_object_id ?? ""}`
        yield* sql`UPDATE plugin_memberships SET removed_at = now()
          WHERE config_object_id = ${rows[1]?.config_object_id ?? ""}`
        yield* sql`UPDATE plugins SET deleted_at = now() WHERE id = ${removedPlugin}`
      })
    )
    const item = await resolvedOf(marketplace)
    expect(item.plugins.map(({ id }: { id: string }) => id)).toEqual([plugin])
    expect(item.plugins[0].componentCounts.skill).toBe(1)
    expect(item.marketplace.pluginCount).toBe(1)
  })
})

describe("a marketplace", () => {
  it("shows its plugins and their contents to everyone it is shared with", async () => {
    const member = await addMember(plane, owner, "member")
    const plugin = await pluginWith("P", skill)
    const marketplace = await makeMarketplace(plane, owner, [plugin])
    const path = `/v1/marketplaces/${marketplace}`
    for (const at of [path, `${path}/plugins`, `${path}/resolved`, `${path}/access`, `/v1/plugins/${plugin}`]) {
      expect([at, (await member.call("GET", at)).status]).toEqual([at, 404])
    }
    const grant = await owner.call("POST", `${path}/access`, { orgWide: true, role: "viewer" })
    for (const at of [path, `${path}/plugins`, `${path}/resolved`, `${path}/access`, `/v1/plugins/${plugin}`]) {
      expect([at, (await member.call("GET", at)).status]).toEqual([at, 200])
    }
    const [inside] = (await member.call("GET", `/v1/plugins/${plugin}/config-objects`)).body.items
    expect((await member.call("GET", `/v1/config-objects/${inside.configObjectId}`)).status).toBe(200)
    const listed = (await member.call("GET", "/v1/marketplaces")).body.items
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([marketplace])
    expect(listed[0]).toMatchObject({ canDelete: false, pluginCount: 1 })
    expect((await owner.call("GET", path)).body.item.canDelete).toBe(true)
    expect((await owner.call("DELETE", `${path}/access/${grant.body.item.id}`)).status).toBe(204)
    expect((await member.call("GET", path)).status).toBe(404)
    expect((await member.call("GET", `/v1/config-objects/${inside.configObjectId}`)).status).toBe(404)
  })

  it("lists its plugins newest first, in pages", async () => {
    const ids: Array<string> = []
    for (let n = 0; n < 5; n++) ids.push(await pluginWith(`P${n}`))
    const marketplace = await makeMarketplace(plane, owner, ids)
    const seen: Array<string> = []
    for await (const { plugin, pluginId, removedAt } of owner.client.marketplaces.listPlugins(marketplace, {
      limit: 2
    })) {
      expect([plugin.id, removedAt]).toEqual([pluginId, null])
      seen.push(pluginId)
    }
    expect(seen).toEqual(ids.toReversed())
  })
})
