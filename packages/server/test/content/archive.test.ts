/** Archived items are hidden and kept; removed items are not found. */
import { describe, expect, it } from "vitest"
import { commit } from "../../../../test/fixtures/git.ts"
import { makeId } from "../../src/infra/ids.ts"
import { connect, imported, marketplace, objectsOf, repositoryIn, skill, synced } from "./connectors.fixture.ts"
import { addMember, makeControlPlane, makeWorkspace, type Person, rowCounts, type Workspace } from "../harness.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)
const stranger = await makeWorkspace(plane, "Theirs")
const member = await addMember(plane, owner, "member")

const idsOf = async (path: string, person: Person = owner): Promise<ReadonlyArray<string>> =>
  (await person.call("GET", path)).body.items.map(
    (item: { id: string; pluginId?: string; configObjectId?: string }) =>
      (path.includes("/config-objects?") ? item.configObjectId : undefined) ??
      (path.includes("/plugins?") ? item.pluginId : undefined) ??
      item.id
  )
const statusOf = async (path: string, person: Person = owner) => (await person.call("GET", path)).status
const makeObject = async (pluginIds: ReadonlyArray<string> = [], person: Person = owner) =>
  (
    await person.call("POST", "/v1/config-objects", {
      input: { type: "context", rawSourceText: "# It" },
      pluginIds
    })
  ).body.item
const paths = { object: "/v1/config-objects", plugin: "/v1/plugins", marketplace: "/v1/marketplaces" } as const

/** One object, plugin and marketplace, each in the next; the marketplace is shared with everyone. */
const shelf = async () => {
  const plugin = await owner.client.plugins.create({ name: "A plugin" })
  const object = await makeObject([plugin.id])
  const shop = await owner.client.marketplaces.create({ name: "A marketplace" })
  await owner.client.marketplaces.addPlugin(shop.id, { pluginId: plugin.id })
  await owner.client.marketplaces.grantAccess(shop.id, { orgWide: true, role: "viewer" })
  return { object: object.id as string, plugin: plugin.id, marketplace: shop.id }
}

describe.each(["object", "plugin", "marketplace"] as const)("an archived %s", (kind) => {
  const at = paths[kind]
  const change = (id: string, verb: "archive" | "restore", person: Person = owner) =>
    person.call("POST", `${at}/${id}/${verb}`)

  it("is hidden from lists by default, keeps its name and grants, and can be restored", async () => {
    const { [kind]: id } = await shelf()
    const before = (await owner.call("GET", `${at}/${id}`)).body.item
    const grants = await idsOf(`${at}/${id}/access`)
    const archived = await change(id, "archive")
    expect([archived.status, archived.body.ok]).toEqual([200, true])
    const isArchived = ({ archivedAt, status }: { archivedAt?: string | null; status?: string }) =>
      kind === "object" ? status === "archived" : typeof archivedAt === "string"
    expect([isArchived(before), isArchived(archived.body.item)]).toEqual([false, true])
    expect((await owner.call("GET", `${at}/${id}`)).body.item).toEqual(archived.body.item)
    expect(await idsOf(at)).not.toContain(id)
    expect(await idsOf(`${at}?archived=false`)).not.toContain(id)
    expect(await idsOf(`${at}?archived=true`)).toContain(id)
    expect(await idsOf(`${at}/${id}/access`)).toEqual(grants)
    expect((await owner.call("GET", "/v1/me/library?limit=100")).text).not.toContain(id)

    const restored = await change(id, "restore")
    expect([restored.status, { ...restored.body.item, updatedAt: before.updatedAt }]).toEqual([200, before])
    expect(await idsOf(at)).toContain(id)
  })

  it("changes only once when the request is repeated", async () => {
    const { [kind]: id } = await shelf()
    expect((await change(id, "restore")).status).toBe(200)
    const first = (await change(id, "archive")).body
    expect((await change(id, "archive")).body).toEqual(first)
    const back = (await change(id, "restore")).body
    expect((await change(id, "restore")).body).toEqual(back)
  })

  it("can be archived and restored only by its managers", async () => {
    const { [kind]: id } = await shelf()
    const editor = await addMember(plane, owner, "admin")
    await owner.call("PATCH", `/v1/members/${editor.membershipId}`, { role: "member" })
    const before = await rowCounts(plane)
    for (const verb of ["archive", "restore"] as const) {
      const missing = await owner.call(
        "POST",
        `${at}/${makeId(kind === "object" ? "cob" : kind === "plugin" ? "plg" : "mkt")}/${verb}`
      )
      const foreign = await change(id, verb, stranger)
      expect([missing.status, foreign.status, foreign.text]).toEqual([404, 404, missing.text])
      expect((await owner.call("POST", `${at}/x/${verb}`)).status).toBe(400)
      const refused = await change(id, verb, member)
      expect([refused.status, refused.body.reason]).toEqual([
        403,
        kind === "marketplace" ? "permission_required" : "grant_required"
      ])
    }
    expect(await rowCounts(plane)).toEqual(before)
  })
})

describe("the contents of an archived plugin or marketplace", () => {
  it("are hidden from users who see them only through it, and visible to users with other access", async () => {
    const { marketplace, object, plugin } = await shelf()
    const direct = await addMember(plane, owner, "member")
    await owner.client.plugins.grantAccess(plugin, { orgMembershipId: direct.membershipId, role: "viewer" })
    const seen = async (person: Person) => [
      await statusOf(`${paths.marketplace}/${marketplace}`, person),
      await statusOf(`${paths.plugin}/${plugin}`, person),
      await statusOf(`${paths.object}/${object}`, person)
    ]
    expect([await seen(member), await seen(direct)]).toEqual([
      [200, 200, 200],
      [200, 200, 200]
    ])
    await owner.client.marketplaces.archive(marketplace)
    expect([await seen(member), await seen(direct)]).toEqual([
      [200, 404, 404],
      [200, 200, 200]
    ])
    const inside = `${paths.marketplace}/${marketplace}/plugins?limit=9`
    expect([await idsOf(inside, member), await idsOf(inside, direct), await idsOf(inside)]).toEqual([
      [],
      [plugin],
      [plugin]
    ])
    expect((await direct.client.plugins.get(plugin)).marketplaces).toEqual([])
    expect((await member.call("GET", `${paths.marketplace}/${marketplace}/resolved`)).body.item.plugins).toEqual([])
    await owner.client.marketplaces.restore(marketplace)
    expect(await seen(member)).toEqual([200, 200, 200])

    await owner.client.plugins.archive(plugin)
    expect([await seen(member), await seen(direct), await seen(owner)]).toEqual([
      [200, 200, 404],
      [200, 200, 404],
      [200, 200, 200]
    ])
    expect([await idsOf(inside, member), await idsOf(inside)]).toEqual([[], []])
    expect((await owner.client.marketplaces.get(marketplace)).pluginCount).toBe(0)
    const objects = `${paths.plugin}/${plugin}/config-objects?limit=9`
    expect([await idsOf(objects, direct), await idsOf(objects)]).toEqual([[], [object]])
    await owner.client.plugins.restore(plugin)
    expect(await idsOf(objects, direct)).toEqual([object])

    await owner.client.configObjects.archive(object)
    expect([await idsOf(objects, direct), (await owner.client.plugins.get(plugin)).memberCount]).toEqual([[], 0])
    await owner.client.configObjects.restore(object)
    expect([await idsOf(objects, direct), (await owner.client.plugins.get(plugin)).memberCount]).toEqual([[object], 1])
  })

  it("are listed by explain, and stay accessible when a grant on the archived parent ends", async () => {
    const { marketplace, object, plugin } = await shelf()
    await owner.client.marketplaces.archive(marketplace)
    const explained = await owner.call("POST", "/v1/access/explain", {
      orgMembershipId: member.membershipId,
      object: { kind: "configObject", id: object },
      action: "view"
    })
    expect(explained.body.explanation).toMatchObject({ allowed: false, level: null, paths: [] })
    const grants = (await owner.call("GET", `${paths.marketplace}/${marketplace}/access`)).body.items
    const { id } = grants.find((grant: { orgWide: boolean }) => grant.orgWide)
    const impact = (await owner.call("POST", "/v1/access/impact", { grantId: id })).body.impact
    const lost = impact.losses.map((loss: { object: { id: string } }) => loss.object.id)
    expect(new Set(lost)).toEqual(new Set([marketplace]))
    expect(lost).not.toContain(plugin)
  })
})

describe("an archived object of a connector", () => {
  it("stays archived when its file changes, and has the new version after it is restored", async () => {
    const person = await makeWorkspace(plane, "Imports")
    const path = "plugins/alpha/skills/one/SKILL.md"
    const dir = repositoryIn(plane, {
      ".claude-plugin/marketplace.json": marketplace(["alpha"]),
      "plugins/alpha/.claude-plugin/plugin.json": JSON.stringify({ name: "alpha" }),
      [path]: skill("one")
    })
    const connected = await connect(person, dir)
    const [plugin] = (await imported(person, connected)).plugins
    const object = (await objectsOf(person, plugin?.id ?? "")).get(path)
    if (object === undefined) throw new Error("The skill was not imported.")
    await person.client.configObjects.archive(object.id)
    commit(dir, { [path]: skill("one", "Do it better.") })
    expect((await synced(person, connected)).status).toBe("completed")
    expect(await person.client.configObjects.get(object.id)).toMatchObject({
      status: "archived",
      latestVersion: { ordinal: 2, rawSourceText: skill("one", "Do it better.") }
    })
    expect((await person.client.configObjects.restore(object.id)).status).toBe("active")
    // The object of an archived plugin is updated too, and stays archived.
    await person.client.plugins.archive(plugin?.id ?? "")
    commit(dir, { [path]: skill("one", "Do it best.") })
    expect((await synced(person, connected)).status).toBe("completed")
    expect((await person.client.plugins.get(plugin?.id ?? "")).archivedAt).not.toBeNull()
    expect((await person.client.configObjects.get(object.id)).latestVersion?.ordinal).toBe(3)
  })
})

describe("DELETE /v1/config-objects/{id}", () => {
  it("204 removes the object from every plugin and list, ends its grants, and hides its history", async () => {
    const plugin = await owner.client.plugins.create({ name: "A plugin" })
    const object = await makeObject([plugin.id])
    await owner.client.configObjects.grantAccess(object.id, { orgWide: true, role: "manager" })
    const removal = await owner.call("DELETE", `${paths.object}/${object.id}`)
    expect([removal.status, removal.text]).toEqual([204, ""])
    const missing = await owner.call("GET", `${paths.object}/${makeId("cob")}`)
    for (const path of ["", "/versions", `/versions/${object.latestVersion.id}`, "/access"]) {
      const response = await owner.call("GET", `${paths.object}/${object.id}${path}`)
      expect([path, response.status, response.text]).toEqual([path, 404, missing.text])
    }
    expect(await idsOf(`${paths.object}?archived=true`)).not.toContain(object.id)
    expect(await idsOf(`${paths.plugin}/${plugin.id}/config-objects?limit=9`)).toEqual([])
    expect((await owner.client.plugins.get(plugin.id)).memberCount).toBe(0)
    expect((await owner.call("DELETE", `${paths.object}/${object.id}`)).text).toBe(missing.text)
    expect((await owner.call("POST", `${paths.object}/${object.id}/restore`)).status).toBe(404)
  })

  it("412 for a stale version, without removing anything", async () => {
    const object = await makeObject()
    const { headers } = await owner.call("GET", `${paths.object}/${object.id}`)
    const etag = headers.get("etag") ?? ""
    await owner.client.configObjects.createVersion(object.id, { input: { rawSourceText: "# Other" } })
    const stale = await owner.call("DELETE", `${paths.object}/${object.id}`, undefined, { "if-match": etag })
    expect([stale.status, stale.body.error]).toEqual([412, "precondition_failed"])
    expect(await statusOf(`${paths.object}/${object.id}`)).toBe(200)
    const fresh = (await owner.call("GET", `${paths.object}/${object.id}`)).headers.get("etag") ?? ""
    expect((await owner.call("DELETE", `${paths.object}/${object.id}`, undefined, { "if-match": fresh })).status).toBe(
      204
    )
  })

  it("requires the manager level, whether or not the object is archived", async () => {
    const mine = await makeObject([], member)
    const other = await addMember(plane, owner, "member")
    const grant = (role: string) =>
      member.call("POST", `${paths.object}/${mine.id}/access`, { orgMembershipId: other.membershipId, role })
    const remove = (person: Workspace) => person.call("DELETE", `${paths.object}/${mine.id}`)
    expect((await remove(other)).status).toBe(404)
    await grant("editor")
    expect((await remove(other)).body.reason).toBe("grant_required")
    await grant("manager")
    await member.client.configObjects.archive(mine.id)
    expect((await remove(other)).status).toBe(204)
  })
})

describe("the export of an organization", () => {
  it("contains which objects are archived, and since when", async () => {
    const person = await makeWorkspace(plane, "Exported")
    const plugin = await person.client.plugins.create({ name: "A plugin" })
    const shop = await person.client.marketplaces.create({ name: "A marketplace" })
    const { archivedAt } = await person.client.plugins.archive(plugin.id)
    const { text } = await person.call("GET", "/v1/organization/export")
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; item?: Record<string, unknown> })
    const of = (kind: string) =>
      lines.filter((line) => line.kind === kind).map(({ item }) => [item?.["id"], item?.["archivedAt"]])
    expect(of("plugin")).toEqual([[plugin.id, archivedAt]])
    expect(of("marketplace")).toEqual([[shop.id, null]])
  })
})
