/** Objects into plugins, plugins into marketplaces; and what plugins and marketplaces say of themselves. */
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import {
  addMember,
  type TestResponse,
  makeControlPlane,
  makeKey,
  makeRole,
  makeWorkspace,
  rowCounts,
  type Workspace
} from "../harness.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)
const stranger = await makeWorkspace(plane, "Theirs")
/** Who may change marketplaces where they are granted one, which members may not by themselves. */
const merchants = await makeRole(owner, [
  "configObjects:read",
  "configObjects:write",
  "plugins:read",
  "plugins:write",
  "marketplaces:read",
  "marketplaces:write"
])

const objectOf = async (person: Workspace = owner): Promise<string> =>
  (await person.client.configObjects.create({ input: { type: "context", rawSourceText: "# It" } })).id
const pluginOf = async (person: Workspace = owner): Promise<string> =>
  (await person.client.plugins.create({ name: "A plugin" })).id
const marketplaceOf = async (person: Workspace = owner): Promise<string> =>
  (await person.client.marketplaces.create({ name: "A marketplace" })).id

interface Way {
  readonly name: string
  readonly container: () => Promise<string>
  readonly thing: () => Promise<string>
  readonly things: string
  readonly containers: string
  /** Prefix of a thing's id. */
  readonly prefix: "cob" | "plg"
  readonly add: (container: string, thing: string) => readonly [path: string, body: object]
  readonly remove: (container: string, thing: string) => string
  /** The member of the body that names the other one, and which of the two that is. */
  readonly named: readonly [member: string, names: "thing" | "container"]
  readonly absent: string
}

const ways: ReadonlyArray<Way> = [
  {
    name: "plugins.addObject, plugins.removeObject",
    container: pluginOf,
    thing: objectOf,
    containers: "/v1/plugins",
    things: "/v1/config-objects",
    prefix: "cob",
    add: (plugin, object) => [`/v1/plugins/${plugin}/config-objects`, { configObjectId: object }],
    remove: (plugin, object) => `/v1/plugins/${plugin}/config-objects/${object}`,
    named: ["configObjectId", "thing"],
    absent: "plugin_membership_not_found"
  },
  {
    name: "configObjects.attachPlugin, configObjects.detachPlugin",
    container: pluginOf,
    thing: objectOf,
    containers: "/v1/plugins",
    things: "/v1/config-objects",
    prefix: "plg",
    add: (plugin, object) => [`/v1/config-objects/${object}/plugins`, { pluginId: plugin }],
    remove: (plugin, object) => `/v1/config-objects/${object}/plugins/${plugin}`,
    named: ["pluginId", "container"],
    absent: "plugin_membership_not_found"
  },
  {
    name: "marketplaces.addPlugin, marketplaces.removePlugin",
    container: marketplaceOf,
    thing: pluginOf,
    containers: "/v1/marketplaces",
    things: "/v1/plugins",
    prefix: "plg",
    add: (marketplace, plugin) => [`/v1/marketplaces/${marketplace}/plugins`, { pluginId: plugin }],
    remove: (marketplace, plugin) => `/v1/marketplaces/${marketplace}/plugins/${plugin}`,
    named: ["pluginId", "thing"],
    absent: "marketplace_membership_not_found"
  }
]
const outcomeOf = ({ body, status }: TestResponse) => [status, body?.error ?? body?.reason]

describe.each(ways.map((way) => [way.name, way] as const))("%s", (_, way) => {
  const both = async () => ({ container: await way.container(), thing: await way.thing() })
  const add = (container: string, thing: string, person: Workspace = owner) =>
    person.call("POST", ...way.add(container, thing))
  const remove = (container: string, thing: string, person: Workspace = owner) =>
    person.call("DELETE", way.remove(container, thing))
  const grant = (path: string, person: Workspace, role: string) =>
    owner.call("POST", `${path}/access`, { orgMembershipId: person.membershipId, role })
  const inside = async (container: string) => {
    const list = way.containers === "/v1/plugins" ? "config-objects" : "plugins"
    const { items } = (await owner.call("GET", `${way.containers}/${container}/${list}`)).body
    return items.map((item: { configObjectId?: string; pluginId: string }) => item.configObjectId ?? item.pluginId)
  }

  it("adds it once, and shows it to callers who can see the container", async () => {
    const { container, thing } = await both()
    const member = await addMember(plane, owner, "member")
    await grant(`${way.containers}/${container}`, member, "viewer")
    expect((await member.call("GET", `${way.things}/${thing}`)).status).toBe(404)
    const first = await add(container, thing)
    expect([first.status, first.body.ok, first.body.item.removedAt]).toEqual([201, true, null])
    expect(Object.values(first.body.item)).toEqual(expect.arrayContaining([container, thing, owner.membershipId]))
    const second = await add(container, thing)
    expect([second.status, second.body]).toEqual([200, first.body])
    expect(await inside(container)).toEqual([thing])
    expect((await member.call("GET", `${way.things}/${thing}`)).status).toBe(200)

    expect((await remove(container, thing)).status).toBe(204)
    expect(await inside(container)).toEqual([])
    expect((await member.call("GET", `${way.things}/${thing}`)).status).toBe(404)
    expect((await owner.call("GET", `${way.things}/${thing}`)).status).toBe(200)
    expect(outcomeOf(await remove(container, thing))).toEqual([404, way.absent])
    const again = await add(container, thing)
    expect([again.status, again.body.item.id === first.body.item.id]).toEqual([201, false])
  })

  it("adds it once for many concurrent requests", async () => {
    const { container, thing } = await both()
    const responses = await Promise.all(Array.from({ length: 8 }, () => add(container, thing)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(new Set(responses.map(({ body }) => body.item.id)).size).toBe(1)
    expect(await inside(container)).toEqual([thing])
  })

  it("400 with the same bytes for an object that is missing, not visible or foreign, and nothing is written", async () => {
    const member = await addMember(plane, owner, merchants)
    const mine = {
      container: await way.container(),
      thing: await way.thing()
    }
    const [named, names] = way.named
    const path = names === "thing" ? `${way.containers}/${mine.container}` : `${way.things}/${mine.thing}`
    await grant(path, member, "manager")
    const foreign = names === "thing" ? await makeForeign(way, "thing") : await makeForeign(way, "container")
    const before = await rowCounts(plane)
    const responses: Array<TestResponse> = []
    for (const other of [makeId(way.prefix), foreign, mine[names]]) {
      const ids = { ...mine, [names]: other }
      responses.push(await add(ids.container, ids.thing, member))
    }
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(responses[0]?.body).toEqual({
      error: "invalid_request",
      details: [{ path: ["body", named], message: "does not exist in the organization" }]
    })
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("requires a manager of the added object, and an editor of the container", async () => {
    const { container, thing } = await both()
    const member = await addMember(plane, owner, merchants)
    const at = { container: `${way.containers}/${container}`, thing: `${way.things}/${thing}` }
    for (const [onContainer, onThing, status] of [
      ["viewer", "manager", 403],
      ["editor", "viewer", 403],
      ["editor", "editor", 403],
      ["editor", "manager", 201]
    ] as const) {
      await grant(at.container, member, onContainer)
      await grant(at.thing, member, onThing)
      const response = await add(container, thing, member)
      expect([onContainer, onThing, response.status]).toEqual([onContainer, onThing, status])
      if (status === 403) expect(response.body.reason).toBe("grant_required")
    }
    const outsider = await remove(container, thing, stranger)
    const missing = await remove(makeId(way.containers === "/v1/plugins" ? "plg" : "mkt"), thing, stranger)
    expect([outsider.status, outsider.text]).toEqual([404, missing.text])
  })
})

const makeForeign = (way: Way, which: "thing" | "container") => {
  const path = which === "thing" ? way.things : way.containers
  if (path === "/v1/plugins") return pluginOf(stranger)
  return path === "/v1/marketplaces" ? marketplaceOf(stranger) : objectOf(stranger)
}

describe("removing an object from a plugin", () => {
  it("is allowed for the plugin's editors, and for the object's managers anywhere", async () => {
    const [plugin, object] = [await pluginOf(), await objectOf()]
    const member = await addMember(plane, owner, "member")
    const put = () => owner.client.plugins.addObject(plugin, { configObjectId: object })
    const at = { plugin: `/v1/plugins/${plugin}`, object: `/v1/config-objects/${object}` }
    const grant = (path: string, role: string) =>
      owner.call("POST", `${path}/access`, { orgMembershipId: member.membershipId, role })
    const fromPlugin = () => member.call("DELETE", `${at.plugin}/config-objects/${object}`)
    const fromObject = () => member.call("DELETE", `${at.object}/plugins/${plugin}`)
    await put()
    await grant(at.plugin, "viewer")
    expect([outcomeOf(await fromPlugin()), outcomeOf(await fromObject())]).toEqual([
      [403, "grant_required"],
      [403, "grant_required"]
    ])
    await grant(at.plugin, "editor")
    expect((await fromObject()).status).toBe(403)
    expect((await fromPlugin()).status).toBe(204)
    await put()
    await grant(at.plugin, "viewer")
    await grant(at.object, "manager")
    expect((await fromPlugin()).status).toBe(403)
    expect((await fromObject()).status).toBe(204)
  })

  it("409 when an archived object is added to a plugin", async () => {
    const [plugin, object] = [await pluginOf(), await objectOf()]
    await owner.client.configObjects.archive(object)
    for (const response of [
      await owner.call("POST", `/v1/plugins/${plugin}/config-objects`, { configObjectId: object }),
      await owner.call("POST", `/v1/config-objects/${object}/plugins`, { pluginId: plugin })
    ]) {
      expect(outcomeOf(response)).toEqual([409, "config_object_archived"])
    }
  })
})

describe("PATCH /v1/plugins/{id}", () => {
  const patch = (id: string, body: object, headers = {}, person: Workspace = owner) =>
    person.call("PATCH", `/v1/plugins/${id}`, body, headers)

  it("changes only the given members", async () => {
    const id = (await owner.client.plugins.create({ name: "One", description: "First" })).id
    const before = await owner.client.plugins.get(id)
    const named = await patch(id, { name: "Two", memberCount: 7, archivedAt: null, createdAt: null })
    expect(named.status).toBe(200)
    expect(named.body.item).toEqual({ ...before, name: "Two", updatedAt: expect.any(String) })
    expect((await patch(id, { description: null })).body.item).toMatchObject({ name: "Two", description: null })
    const same = (await patch(id, {})).body.item
    expect(same).toEqual(await owner.client.plugins.get(id))
    for (const body of [{ name: "" }, { name: "x".repeat(256) }, { name: null }, { description: "x".repeat(2001) }]) {
      expect((await patch(id, body)).status).toBe(400)
    }
    expect(await owner.client.plugins.get(id)).toEqual(same)
  })

  it("412 for an older version", async () => {
    const id = await pluginOf()
    const etag = (await patch(id, { name: "Two" })).headers.get("etag") ?? ""
    expect(etag).toBe('"2"')
    expect((await patch(id, { name: "Three" }, { "if-match": etag })).status).toBe(200)
    expect(outcomeOf(await patch(id, { name: "Four" }, { "if-match": etag }))).toEqual([412, "precondition_failed"])
    expect((await owner.client.plugins.get(id)).name).toBe("Three")
  })

  it("is allowed for editors of the plugin", async () => {
    const id = await pluginOf()
    const member = await addMember(plane, owner, "member")
    expect((await patch(id, { name: "X" }, {}, member)).status).toBe(404)
    await owner.client.plugins.grantAccess(id, { orgMembershipId: member.membershipId, role: "viewer" })
    expect(outcomeOf(await patch(id, { name: "X" }, {}, member))).toEqual([403, "grant_required"])
    await owner.client.plugins.grantAccess(id, { orgMembershipId: member.membershipId, role: "editor" })
    expect((await patch(id, { name: "X" }, {}, member)).status).toBe(200)
  })
})

describe("a marketplace", () => {
  it("201 creates it empty and private, with the given members", async () => {
    const logoUrl = "https://cdn.example/logo.png"
    const response = await owner.call("POST", "/v1/marketplaces", { name: "Shop", description: "Ours", logoUrl })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      ok: true,
      item: {
        id: expect.stringMatching(/^mkt_/),
        organizationId: owner.organizationId,
        name: "Shop",
        description: "Ours",
        logoUrl,
        createdByOrgMembershipId: owner.membershipId,
        createdAt: expect.any(String),
        updatedAt: response.body.item.createdAt,
        archivedAt: null,
        deletedAt: null,
        canDelete: true,
        pluginCount: 0
      }
    })
    const { id } = response.body.item
    const member = await addMember(plane, owner, "member")
    expect((await member.call("GET", `/v1/marketplaces/${id}`)).status).toBe(404)
    expect(outcomeOf(await member.call("POST", "/v1/marketplaces", { name: "Mine" }))).toEqual([
      403,
      "permission_required"
    ])
    const merchant = await addMember(plane, owner, merchants)
    const own = await merchant.client.marketplaces.create({ name: "Mine" })
    expect([own.description, own.logoUrl, own.canDelete]).toEqual([null, null, true])
  })

  it.each([
    "http://cdn.example/logo.png",
    "javascript:alert(1)",
    "data:image/png;base64,AAAA",
    "https://",
    "/logo.png",
    "",
    `https://cdn.example/${"x".repeat(2048)}`
  ])("400 for a logo at %j", async (logoUrl) => {
    for (const [method, path] of [
      ["POST", "/v1/marketplaces"],
      ["PATCH", `/v1/marketplaces/${await marketplaceOf()}`]
    ] as const) {
      const response = await owner.call(method, path, { name: "Shop", logoUrl })
      expect([response.status, response.body.details[0].path]).toEqual([400, ["body", "logoUrl"]])
    }
  })

  it("is renamed, described and given a logo by its editors, with versions", async () => {
    const id = await marketplaceOf()
    const patch = (body: object, headers = {}, person: Workspace = owner) =>
      person.call("PATCH", `/v1/marketplaces/${id}`, body, headers)
    const first = await patch({ name: "Two", description: "D", logoUrl: "https://a.example/b.svg" })
    expect(first.body.item).toMatchObject({ name: "Two", description: "D", logoUrl: "https://a.example/b.svg" })
    const etag = first.headers.get("etag") ?? ""
    expect((await patch({ description: null, logoUrl: null }, { "if-match": etag })).body.item).toMatchObject({
      name: "Two",
      description: null,
      logoUrl: null
    })
    expect(outcomeOf(await patch({ name: "Three" }, { "if-match": etag }))).toEqual([412, "precondition_failed"])
    const merchant = await addMember(plane, owner, merchants)
    const as = (role: "viewer" | "editor") =>
      owner.client.marketplaces.grantAccess(id, { orgMembershipId: merchant.membershipId, role })
    expect((await patch({ name: "X" }, {}, merchant)).status).toBe(404)
    await as("viewer")
    expect(outcomeOf(await patch({ name: "X" }, {}, merchant))).toEqual([403, "grant_required"])
    await as("editor")
    expect((await patch({ name: "X" }, {}, merchant)).body.item.canDelete).toBe(false)
  })

  it("of an API key can be filled by the key, with its own objects", async () => {
    const key = await makeKey(plane, owner, [
      "marketplaces:read",
      "marketplaces:write",
      "plugins:read",
      "plugins:write"
    ])
    const shop = (await key.call("POST", "/v1/marketplaces", { name: "Shop" })).body.item
    expect(shop.createdByOrgMembershipId).toBeNull()
    const own = (await key.call("POST", "/v1/plugins", { name: "Own" })).body.item
    const add = (pluginId: string) => key.call("POST", `/v1/marketplaces/${shop.id}/plugins`, { pluginId })
    expect((await add(own.id)).status).toBe(201)
    expect((await add(await pluginOf())).status).toBe(400)
    expect((await key.call("POST", `/v1/marketplaces/${shop.id}/archive`)).status).toBe(200)
  })
})
