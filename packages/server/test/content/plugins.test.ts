import { describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { addMember, makeControlPlane, makeKey, makeMarketplace, makeWorkspace, withServices } from "../harness.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)

const objectIn = async (pluginId: string, text = "# A skill"): Promise<string> =>
  (
    await owner.call("POST", "/v1/config-objects", {
      input: { type: "context", rawSourceText: text },
      pluginIds: [pluginId]
    })
  ).body.item.id

describe("POST /v1/plugins", () => {
  it("creates an empty plugin that its creator manages and others cannot see", async () => {
    const member = await addMember(plane, owner, "member")
    const response = await member.call("POST", "/v1/plugins", { name: "Mine" })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      ok: true,
      item: {
        id: expect.stringMatching(/^plg_/),
        organizationId: owner.organizationId,
        name: "Mine",
        description: null,
        createdByOrgMembershipId: member.membershipId,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        archivedAt: null,
        deletedAt: null,
        memberCount: 0,
        marketplaces: [],
        pendingReleaseId: null,
        extension: null
      }
    })
    const { id } = response.body.item
    expect((await member.call("GET", `/v1/plugins/${id}`)).body.item).toEqual(response.body.item)
    expect((await member.call("GET", `/v1/plugins/${id}/config-objects`)).body).toEqual({ items: [], nextCursor: null })
    const other = await addMember(plane, owner, "member")
    expect((await other.call("GET", `/v1/plugins/${id}`)).status).toBe(404)
    expect((await other.call("GET", "/v1/plugins")).body.items).toEqual([])
    expect((await owner.call("GET", `/v1/plugins/${id}`)).status).toBe(200)
  })

  it("accepts a description of up to 2000 characters, or none", async () => {
    for (const description of [null, "", "x".repeat(2000)]) {
      const response = await owner.call("POST", "/v1/plugins", { name: "n", description })
      expect([response.status, response.body.item.description]).toEqual([201, description])
    }
    expect((await owner.call("POST", "/v1/plugins", { name: "n", description: "x".repeat(2001) })).status).toBe(400)
  })
})

describe("the contents of a plugin", () => {
  it("are listed newest first with each object, and counted", async () => {
    const plugin = await owner.client.plugins.create({ name: "Full" })
    const ids = [await objectIn(plugin.id), await objectIn(plugin.id), await objectIn(plugin.id)]
    const list = (await owner.call("GET", `/v1/plugins/${plugin.id}/config-objects`)).body.items
    expect(list.map(({ configObject }: { configObject: { id: string } }) => configObject.id)).toEqual(ids.toReversed())
    for (const membership of list) {
      expect(membership).toMatchObject({
        pluginId: plugin.id,
        configObjectId: membership.configObject.id,
        connectorMappingId: null,
        createdByOrgMembershipId: owner.membershipId,
        removedAt: null
      })
      expect(membership.configObject.latestVersion.rawSourceText).toBe("# A skill")
    }
    expect((await owner.client.plugins.get(plugin.id)).memberCount).toBe(3)
  })

  it("are visible to everyone who can see the plugin, whatever the grants of the object", async () => {
    const member = await addMember(plane, owner, "member")
    const plugin = await owner.client.plugins.create({ name: "Shown" })
    const object = await objectIn(plugin.id)
    const beside = await objectIn((await owner.client.plugins.create({ name: "Beside" })).id)
    await owner.client.plugins.grantAccess(plugin.id, { orgMembershipId: member.membershipId, role: "manager" })
    expect((await member.call("GET", `/v1/config-objects/${object}`)).status).toBe(200)
    expect((await member.call("GET", `/v1/config-objects/${beside}`)).status).toBe(404)
    // A grant on the plugin is a view of what is in it, not more.
    const refused = await member.call("POST", `/v1/config-objects/${object}/access`, { orgWide: true, role: "viewer" })
    expect([refused.status, refused.body.reason]).toEqual([403, "grant_required"])
  })

  it("no longer include an object that is archived or removed from the plugin", async () => {
    const plugin = await owner.client.plugins.create({ name: "Losing" })
    const [keptObject, archived, removed] = [
      await objectIn(plugin.id),
      await objectIn(plugin.id),
      await objectIn(plugin.id)
    ]
    const member = await addMember(plane, owner, "member")
    await owner.client.plugins.grantAccess(plugin.id, { orgWide: true, role: "viewer" })
    await withServices(
      plane,
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        yield* sql`UPDATE config_objects SET status = 'archived' WHERE id = ${archived}`
        yield* sql`UPDATE plugin_memberships SET removed_at = now() WHERE config_object_id = ${removed}`
      })
    )
    const list = (await member.call("GET", `/v1/plugins/${plugin.id}/config-objects`)).body.items
    expect(list.map(({ configObjectId }: { configObjectId: string }) => configObjectId)).toEqual([keptObject])
    expect((await member.call("GET", `/v1/config-objects/${removed}`)).status).toBe(404)
  })
})

describe("GET /v1/plugins", () => {
  it("includes only those marketplaces of a plugin that the caller can see", async () => {
    const member = await addMember(plane, owner, "member")
    const plugin = await owner.client.plugins.create({ name: "Offered" })
    const [open, closed] = [
      await makeMarketplace(plane, owner, [plugin.id], "Open"),
      await makeMarketplace(plane, owner, [plugin.id], "Closed")
    ]
    await owner.client.marketplaces.grantAccess(open, { orgWide: true, role: "viewer" })
    const names = async (person: typeof member) =>
      (await person.client.plugins.get(plugin.id)).marketplaces.map(({ name }) => name)
    expect(await names(member)).toEqual(["Open"])
    expect(await names(owner)).toEqual(["Open", "Closed"])
    const listed = async (marketplace: string) =>
      (await member.call("GET", `/v1/plugins?marketplaceId=${marketplace}`)).body.items.length
    expect([await listed(open), await listed(closed)]).toEqual([1, 0])
  })

  it("filters by a config object that they contain and the caller can see", async () => {
    const workspace = await makeWorkspace(plane)
    const member = await addMember(plane, workspace, "member")
    const make = async (name: string) => (await workspace.client.plugins.create({ name })).id
    const [one, two, other] = [await make("One"), await make("Two"), await make("Other")]
    const { id } = await workspace.client.configObjects.create({
      input: { type: "context", rawSourceText: "# Shared" },
      pluginIds: [one, two]
    })
    const marketplace = await makeMarketplace(plane, workspace, [one, other])
    const listed = async (query: string, person: Pick<typeof owner, "call"> = workspace) =>
      (await person.call("GET", `/v1/plugins?configObjectId=${query}`)).body.items.map(({ id }: { id: string }) => id)
    expect(await listed(id)).toEqual([two, one])
    expect(await listed(`${id}&q=tw`)).toEqual([two])
    expect(await listed(`${id}&marketplaceId=${marketplace}`)).toEqual([one])
    const { nextCursor } = (await workspace.call("GET", `/v1/plugins?configObjectId=${id}&limit=1`)).body
    expect(await listed(`${id}&limit=1&cursor=${nextCursor}`)).toEqual([one])
    expect((await workspace.call("GET", `/v1/plugins?cursor=${nextCursor}`)).status).toBe(400)

    // A member sees only the plugins that are shared, and none before that.
    expect(await listed(id, member)).toEqual([])
    await workspace.client.plugins.grantAccess(one, { role: "viewer", orgWide: true })
    expect(await listed(id, member)).toEqual([one])
    expect(await listed(id, owner)).toEqual([])
    expect(await listed("cob_01h455vb4pex5vsknk084sn02q")).toEqual([])
    expect((await workspace.call("GET", "/v1/plugins?configObjectId=one")).status).toBe(400)
    await workspace.client.plugins.archive(one)
    expect([await listed(id), await listed(id, member)]).toEqual([[two], []])
    expect(await listed(`${id}&archived=true`)).toEqual([two, one])
    expect(await listed(`${id}&archived=true`, member)).toEqual([])
    await workspace.client.configObjects.detachPlugin(id, two)
    expect(await listed(id)).toEqual([])
  })

  it("filters by a config object only in the content that the caller reads", async () => {
    const workspace = await makeWorkspace(plane)
    const member = await addMember(plane, workspace, "member")
    await workspace.client.approvals.updateSettings({ deliveryMode: "hold_all" })
    const plugin = await workspace.client.plugins.create({ name: "Held" })
    await workspace.client.plugins.grantAccess(plugin.id, { role: "viewer", orgWide: true })
    const decided = async () => {
      const [release] = (await workspace.client.approvals.list({ pluginId: plugin.id })).items
      if (release === undefined || release.digest === null) throw new Error("No release waits.")
      await workspace.client.approvals.approve({ releases: [{ releaseId: release.id, digest: release.digest }] })
    }
    const add = (title: string) =>
      workspace.client.configObjects.create({
        input: { type: "context", rawSourceText: `# ${title}`, metadata: { title } },
        pluginIds: [plugin.id]
      })
    const first = await add("First")
    await decided()
    const second = await add("Second")
    // The object itself is shared, but not that the plugin will contain it.
    await workspace.client.configObjects.grantAccess(second.id, { role: "viewer", orgWide: true })
    const listed = async (id: string, person: Pick<typeof owner, "call">) =>
      (await person.call("GET", `/v1/plugins?configObjectId=${id}`)).body.items.length
    expect([await listed(first.id, member), await listed(second.id, member)]).toEqual([1, 0])
    expect([await listed(first.id, workspace), await listed(second.id, workspace)]).toEqual([1, 1])
    await decided()
    expect(await listed(second.id, member)).toBe(1)
  })

  it("filters by a part of the name, and pages to the end", async () => {
    const person = await makeWorkspace(plane, "Many")
    for (let n = 0; n < 7; n++) await person.client.plugins.create({ name: `Plugin ${n}` })
    await person.client.plugins.create({ name: "Other" })
    const names: Array<string> = []
    for await (const plugin of person.client.plugins.list({ q: "plugin", limit: 3 })) names.push(plugin.name)
    expect(names).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `Plugin ${n}`))
    const exact = await person.call("GET", "/v1/plugins?limit=8")
    expect([exact.body.items.length, exact.body.nextCursor]).toEqual([8, null])
  })
})

describe("the grants of a plugin", () => {
  it("are created once per receiver, revoked once, and kept", async () => {
    const plugin = await owner.client.plugins.create({ name: "Shared" })
    const path = `/v1/plugins/${plugin.id}/access`
    const first = await owner.call("POST", path, { orgWide: true, role: "viewer" })
    const second = await owner.call("POST", path, { orgWide: true, role: "editor" })
    expect([first.status, second.status, second.body.item.id]).toEqual([201, 200, first.body.item.id])
    const end = () => owner.call("DELETE", `${path}/${first.body.item.id}`)
    expect([(await end()).status, (await end()).body.error]).toEqual([204, "plugin_grant_not_found"])
    const keptGrants = (await owner.call("GET", path)).body.items
    expect(keptGrants).toHaveLength(2)
    const third = await owner.call("POST", path, { orgWide: true, role: "viewer" })
    expect([third.status, third.body.item.id, third.body.item.removedAt]).toEqual([200, first.body.item.id, null])
  })

  it("belong to the plugin in the path", async () => {
    const [one, two] = [
      await owner.client.plugins.create({ name: "1" }),
      await owner.client.plugins.create({ name: "2" })
    ]
    const grant = (await owner.call("POST", `/v1/plugins/${one.id}/access`, { orgWide: true, role: "viewer" })).body
      .item.id
    expect((await owner.call("DELETE", `/v1/plugins/${two.id}/access/${grant}`)).status).toBe(404)
    const [live] = (await owner.call("GET", `/v1/plugins/${one.id}/access`)).body.items
    expect(live).toMatchObject({ id: grant, removedAt: null })
  })
})

describe("two API keys", () => {
  it("see only what each of them is allowed to, whichever is used first", async () => {
    const managing = ["plugins:read", "plugins:manage"]
    for (const order of [
      [managing, managing.slice(0, 1)],
      [managing.slice(0, 1), managing]
    ]) {
      const fresh = await makeControlPlane({ workers: false })
      const boss = await makeWorkspace(fresh)
      const { id } = await boss.client.plugins.create({ name: "Of keys" })
      for (const permissions of order) {
        const response = await (await makeKey(fresh, boss, permissions)).call("GET", `/v1/plugins/${id}`)
        expect([permissions, response.status]).toEqual([permissions, permissions.length === 2 ? 200 : 404])
      }
    }
  })
})
