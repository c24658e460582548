/** Blocked plugins: every path by which members and agents read them, on the next request. */
import { describe, expect, it } from "vitest"
import { addToTeam } from "../infra/http-world.ts"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeRole,
  makeTeam,
  makeWorkspace,
  type Person,
  type Workspace
} from "../harness.ts"
import { received, toolFiles } from "./approvals.fixture.ts"
import { commit } from "../../../../test/fixtures/git.ts"
import { connect, imported, repositoryIn, skill, synced, withoutApprovals } from "./connectors.fixture.ts"
import { fetched } from "./plugin-archives.fixture.ts"

const plane = await makeControlPlane()

const start = async () => {
  const owner = await makeWorkspace(plane)
  const member = await addMember(plane, owner, "member")
  const { id: pluginId } = await owner.client.plugins.create({ name: "Review" })
  const { id: objectId } = await owner.client.configObjects.create({
    input: { type: "skill", rawSourceText: skill("review") },
    pluginIds: [pluginId]
  })
  const marketplaceId = await makeMarketplace(plane, owner, [pluginId])
  await owner.client.marketplaces.grantAccess(marketplaceId, { role: "viewer", orgWide: true })
  const assign = async (input: object): Promise<string> => {
    const response = await owner.call("POST", "/v1/assignments", { pluginId, mode: "blocked", ...input })
    expect([response.status, response.text]).toEqual([201, response.text])
    return response.body.item.id
  }
  const unassign = async (id: string) => expect((await owner.call("DELETE", `/v1/assignments/${id}`)).status).toBe(204)
  return { owner, member, pluginId, objectId, marketplaceId, assign, unassign }
}
type Started = Awaited<ReturnType<typeof start>>

const idsIn = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)

/** Every API read of the plugin and its object by a person: whether it succeeds or lists them. */
const reads = async (
  person: Pick<Person, "call">,
  { marketplaceId, objectId, pluginId }: Started,
  hasLibrary = true
) => {
  const status = async (path: string) => (await person.call("GET", path)).status === 200
  const lists = async (path: string, id: string) => idsIn((await person.call("GET", path)).body.items).includes(id)
  const { latestVersion } = (await person.call("GET", `/v1/config-objects/${objectId}`)).body.item ?? {}
  const versions = (await person.call("GET", `/v1/config-objects/${objectId}/versions`)).body.items ?? []
  const resolved = (await person.call("GET", `/v1/marketplaces/${marketplaceId}/resolved`)).body.item
  return {
    plugin: await status(`/v1/plugins/${pluginId}`),
    capabilities: await status(`/v1/plugins/${pluginId}/capabilities`),
    pluginObjects: await status(`/v1/plugins/${pluginId}/config-objects`),
    plugins: await lists("/v1/plugins", pluginId),
    pluginsOfMarketplace: await lists(`/v1/plugins?marketplaceId=${marketplaceId}`, pluginId),
    memberships: (await person.call("GET", `/v1/marketplaces/${marketplaceId}/plugins`)).text.includes(pluginId),
    resolved: idsIn(resolved.plugins).includes(pluginId),
    object: latestVersion !== undefined && latestVersion !== null,
    versions: versions.length > 0,
    objects: await lists("/v1/config-objects", objectId),
    objectsOfPlugin: await lists(`/v1/config-objects?pluginId=${pluginId}`, objectId),
    ...(hasLibrary
      ? {
          library: await lists("/v1/me/library", pluginId),
          libraryObject: await lists("/v1/me/library?kind=configObject", objectId)
        }
      : {})
  }
}

/** What an agent with the person's credential downloads. */
const deliveries = async (person: Person, { marketplaceId, pluginId }: Started, links: ReadonlyArray<string>) => {
  const document = (await person.call("GET", `/v1/marketplaces/${marketplaceId}/marketplace.json`)).body
  const linked = await Promise.all(
    links.map(async (url) => (await fetched(plane, new URL(url).pathname + new URL(url).search)).status === 200)
  )
  return {
    archive: (await received(plane, person, pluginId)) !== null,
    document: document.plugins.length === 1,
    linked: linked.includes(true)
  }
}

/** Links that were created before a block: the signed archive of a document, and that of a marketplace link. */
const linksOf = async (person: Person, { marketplaceId }: Started) => {
  const document = (await person.call("GET", `/v1/marketplaces/${marketplaceId}/marketplace.json`)).body
  const link = await person.client.marketplaces.createLink(marketplaceId, { name: "A laptop" })
  const published = await fetched(plane, new URL(link.url).pathname)
  const { source } = JSON.parse(Buffer.from(published.bytes).toString()).plugins[0]
  return { document: link.url, archives: [document.plugins[0].source.url as string, source.url as string] }
}

const namesIn = async (url: string): Promise<number> => {
  const { bytes, status } = await fetched(plane, new URL(url).pathname)
  expect(status).toBe(200)
  return JSON.parse(Buffer.from(bytes).toString()).plugins.length
}

const every = (result: object, value: boolean) =>
  expect(result).toEqual(Object.fromEntries(Object.keys(result).map((name) => [name, value])))

describe("a blocked plugin", () => {
  it("disappears from every read of a viewer, and returns when the block is removed", async () => {
    const started = await start()
    const { assign, member, owner, unassign } = started
    const team = await makeTeam(owner, [])
    await addToTeam(owner, team, member)
    const links = await linksOf(member, started)
    every(await reads(member, started), true)
    every(await deliveries(member, started, links.archives), true)
    for (const input of [
      {},
      { memberIds: [member.membershipId] },
      { teamIds: [team] },
      { pluginId: undefined, marketplaceId: started.marketplaceId },
      { pluginId: undefined, marketplaceId: started.marketplaceId, teamIds: [team] }
    ]) {
      const id = await assign(input)
      every(await reads(member, started), false)
      every(await deliveries(member, started, links.archives), false)
      expect(await namesIn(links.document)).toBe(0)
      await unassign(id)
      every(await reads(member, started), true)
      every(await deliveries(member, started, links.archives), true)
      expect(await namesIn(links.document)).toBe(1)
    }
  })

  it("gets exactly the responses of a missing one", async () => {
    const started = await start()
    const { assign, member, objectId, pluginId } = started
    await assign({})
    const missing = "01h455vb4pex5vsknk084sn02q"
    for (const path of [
      `/v1/plugins/${pluginId}`,
      `/v1/plugins/${pluginId}/archive`,
      `/v1/plugins/${pluginId}/access`,
      `/v1/config-objects/${objectId}`,
      `/v1/config-objects/${objectId}/versions`,
      `/v1/config-objects/${objectId}/access`
    ]) {
      const response = await member.call("GET", path)
      const absent = await member.call("GET", path.replace(/(plg|cob)_\w{26}/u, `$1_${missing}`))
      expect([path, response.status, response.text]).toEqual([path, 404, absent.text])
    }
    const edited = await member.call("PATCH", `/v1/plugins/${pluginId}`, { name: "Mine" })
    expect(edited.status).toBe(404)
  })

  it("stays readable for its editors, owners, and API keys, but their agents do not receive it", async () => {
    const started = await start()
    const { assign, member, owner, pluginId } = started
    await owner.client.plugins.grantAccess(pluginId, {
      role: "editor",
      orgMembershipId: member.membershipId
    })
    const { call: keyCall } = await makeKey(plane, owner, [
      "plugins:read",
      "plugins:manage",
      "marketplaces:read",
      "configObjects:read",
      "configObjects:manage"
    ])
    const links = await linksOf(member, started)
    const [before, ownerBefore] = [await reads(member, started), await reads(owner, started)]
    const keyBefore = await reads({ call: keyCall }, started, false)
    await assign({})
    expect(await reads(member, started)).toEqual(before)
    every(before, true)
    expect(await reads(owner, started)).toEqual(ownerBefore)
    expect(await reads({ call: keyCall }, started, false)).toEqual(keyBefore)
    expect((await keyCall("GET", `/v1/plugins/${pluginId}/archive`)).status).toBe(200)
    every(await deliveries(member, started, links.archives), false)
    every(await deliveries(owner, started, links.archives), false)
  })

  it("is blocked only for the members that the assignment names", async () => {
    const started = await start()
    const { assign, member, owner } = started
    const other = await addMember(plane, owner, "member")
    const links = await linksOf(other, started)
    await assign({ memberIds: [member.membershipId] })
    every(await reads(member, started), false)
    every(await reads(other, started), true)
    every(await deliveries(other, started, links.archives), true)
    expect(await namesIn(links.document)).toBe(1)
  })

  it("does not hide objects that another plugin shows or that are shared themselves", async () => {
    const started = await start()
    const { assign, member, objectId, owner } = started
    await assign({})
    const object = async () => (await member.call("GET", `/v1/config-objects/${objectId}`)).status
    expect(await object()).toBe(404)
    const other = await owner.client.plugins.create({ name: "Other" })
    await owner.client.plugins.grantAccess(other.id, { role: "viewer", orgWide: true })
    await owner.client.plugins.addObject(other.id, { configObjectId: objectId })
    expect(await object()).toBe(200)
    await owner.client.plugins.removeObject(other.id, objectId)
    expect(await object()).toBe(404)
    await owner.client.configObjects.grantAccess(objectId, { role: "viewer", orgWide: true })
    expect(await object()).toBe(200)
    expect((await member.call("GET", `/v1/config-objects/${objectId}/versions`)).body.items).toHaveLength(1)
  })

  it("is not in marketplace links of a blocked team, and of others for an organization-wide block", async () => {
    const started = await start()
    const { assign, marketplaceId, owner, unassign } = started
    const team = await makeTeam(owner, [] as ReadonlyArray<Workspace>)
    const link = await owner.client.marketplaces.createLink(marketplaceId, {
      name: "A pool",
      teamId: team
    })
    expect(await namesIn(link.url)).toBe(1)
    for (const input of [{}, { teamIds: [team] }]) {
      const id = await assign(input)
      expect(await namesIn(link.url)).toBe(0)
      await unassign(id)
    }
    await assign({ memberIds: [owner.membershipId] })
    expect(await namesIn(link.url)).toBe(1)
  })

  it("stays blocked while its releases are pending approval", async () => {
    const started = await start()
    const { assign, member, objectId, owner, pluginId } = started
    await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
    await owner.client.configObjects.createVersion(objectId, {
      input: { rawSourceText: skill("review", "Second text.") }
    })
    every(await reads(member, started), true)
    await assign({})
    every(await reads(member, started), false)
    expect(await received(plane, member, pluginId)).toBeNull()
  })

  it("is counted in `pluginCount` of its marketplaces only for owners, admins and editors", async () => {
    const { assign, marketplaceId, member, owner } = await start()
    const count = async (person: Person) => {
      const { items } = (await person.call("GET", "/v1/marketplaces")).body
      return [(await person.client.marketplaces.get(marketplaceId)).pluginCount, items[0].pluginCount]
    }
    expect(await count(member)).toEqual([1, 1])
    await assign({ memberIds: [member.membershipId] })
    expect([await count(member), await count(owner)]).toEqual([
      [0, 0],
      [1, 1]
    ])
  })

  it("is not named as a path to a config object in the library and in explanations of access", async () => {
    const { member, objectId, owner, pluginId } = await start()
    const other = await owner.client.plugins.create({ name: "Other" })
    await owner.client.plugins.addObject(other.id, { configObjectId: objectId })
    for (const id of [pluginId, other.id]) {
      await owner.client.plugins.grantAccess(id, { role: "viewer", orgMembershipId: member.membershipId })
    }
    const shown = async () => {
      const library = (await member.call("GET", "/v1/me/library?kind=configObject")).body.items
      const explained = await member.call("POST", "/v1/access/explain", {
        action: "view",
        object: { kind: "configObject", id: objectId }
      })
      expect(explained.body.explanation.allowed).toBe(true)
      return { through: library[0].through, explained: explained.text }
    }
    const before = await shown()
    expect(before.through).toEqual({ kind: "plugin", id: [pluginId, other.id].toSorted()[0] })
    for (const [blocked, name] of [
      [pluginId, "Review"],
      [other.id, "Other"]
    ] as const) {
      expect(before.explained).toContain(name)
      const response = await owner.call("POST", "/v1/assignments", { pluginId: blocked, mode: "blocked" })
      const after = await shown()
      expect(after.through).toEqual({ kind: "plugin", id: blocked === pluginId ? other.id : pluginId })
      expect(after.explained).not.toContain(blocked)
      expect(after.explained).not.toContain(name)
      expect((await owner.call("DELETE", `/v1/assignments/${response.body.item.id}`)).status).toBe(204)
    }
  })

  it("is not named in another member's assignments if the reader cannot see it", async () => {
    const { assign, member, owner, pluginId } = await start()
    await owner.client.plugins.grantAccess(pluginId, { role: "viewer", orgWide: true })
    const reader = await addMember(plane, owner, await makeRole(owner, ["assignments:read", "plugins:read"]))
    const path = `/v1/members/${member.membershipId}/assignments`
    const named = async (query = "") =>
      (await reader.call("GET", `${path}${query}`)).body.items.map((item: { pluginName: string }) => item.pluginName)
    expect(await named(`?pluginId=${pluginId}`)).toEqual(["Review"])
    const id = await assign({ memberIds: [reader.membershipId] })
    expect(await named(`?pluginId=${pluginId}`)).toEqual([])
    await assign({ mode: "required", memberIds: [member.membershipId] })
    expect(await named()).toEqual([null])
    expect((await owner.call("DELETE", `/v1/assignments/${id}`)).status).toBe(204)
    expect(await named()).toEqual(["Review"])
    // Members see the names of the plugins that are blocked for themselves.
    await assign({ memberIds: [member.membershipId] })
    const own = (await member.call("GET", "/v1/me/assignments")).body.items
    expect(own).toMatchObject([{ pluginName: "Review", mode: "blocked" }])
  })
})

describe("a plugin that its repository removes and adds again", () => {
  it("is a new plugin with the same assignments, also the second time", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const dir = repositoryIn(plane, toolFiles)
    const connected = await withoutApprovals(owner, await connect(owner, dir))
    const { plugins } = await imported(owner, connected, { share: "orgWide", autoImportNewPlugins: true })
    const first = plugins[0]?.id ?? ""
    const assign = async (input: object) =>
      expect((await owner.call("POST", "/v1/assignments", { pluginId: first, ...input })).status).toBe(201)
    await assign({ mode: "blocked", memberIds: [member.membershipId] })
    await assign({ mode: "default_on", teamIds: [await makeTeam(owner, [owner])], priority: 7 })
    const listing = (plugins: ReadonlyArray<object>) => ({
      ".claude-plugin/marketplace.json": JSON.stringify({ name: "acme", owner: { name: "Acme" }, plugins })
    })
    const ids = new Set([first])
    for (let times = 0; times < 2; times += 1) {
      commit(dir, listing([]))
      expect((await synced(owner, connected)).status).toBe("completed")
      commit(dir, listing([{ name: "tools", source: "./tools" }]))
      expect((await synced(owner, connected)).status).toBe("completed")
      const { items } = (await owner.call("GET", "/v1/plugins")).body
      expect(items).toHaveLength(1)
      const { id } = items[0]
      ids.add(id)
      const assignments = (await owner.call("GET", `/v1/assignments?pluginId=${id}`)).body.items
      expect(
        assignments
          .map(({ memberIds, mode, priority, teamIds }: Record<string, unknown>) => ({
            memberIds,
            mode,
            priority,
            teamIds
          }))
          .toSorted((a: { mode: string }, b: { mode: string }) => (a.mode < b.mode ? -1 : 1))
      ).toMatchObject([
        { mode: "blocked", memberIds: [member.membershipId], teamIds: [], priority: 0 },
        { mode: "default_on", memberIds: [], teamIds: [expect.stringMatching(/^tem_/u)], priority: 7 }
      ])
      expect(await received(plane, member, id)).toBeNull()
      expect(Object.keys((await received(plane, owner, id)) ?? {})).not.toEqual([])
    }
    expect(ids.size).toBe(3)
  })
})
