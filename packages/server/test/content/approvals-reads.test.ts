/** What members who do not edit a plugin read while a release waits: in versions, lists, searches and explanations. */
import { describe, expect, it } from "vitest"
import { skill } from "./connectors.fixture.ts"
import { addMember, makeControlPlane, makeWorkspace, type Workspace } from "../harness.ts"

const plane = await makeControlPlane()

const start = async () => {
  const owner = await makeWorkspace(plane)
  await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
  return { owner, member: await addMember(plane, owner, "member") }
}

const makePlugin = async (owner: Workspace, name: string, isShared = true) => {
  const { id } = await owner.client.plugins.create({ name })
  if (isShared) await owner.client.plugins.grantAccess(id, { role: "viewer", orgWide: true })
  return id
}

const makeSkill = async (owner: Workspace, pluginIds: ReadonlyArray<string>, text: string, name = "review") =>
  (await owner.client.configObjects.create({ input: { type: "skill", rawSourceText: skill(name, text) }, pluginIds }))
    .id

const edit = (owner: Workspace, id: string, text: string, name = "review") =>
  owner.client.configObjects.createVersion(id, { input: { rawSourceText: skill(name, text) } })

const decide = async (owner: Workspace, pluginId: string, decision: "approve" | "reject") => {
  const [release] = (await owner.call("GET", `/v1/approvals?pluginId=${pluginId}`)).body.items
  const body = { releases: [{ releaseId: release.id, digest: release.digest }], comment: "Reviewed." }
  expect((await owner.call("POST", `/v1/approvals/${decision}`, body)).status).toBe(200)
}

describe("a config object in several plugins", () => {
  it("is read in the version that is served by the plugins that the member sees", async () => {
    const { member, owner } = await start()
    const [shared, hidden] = [await makePlugin(owner, "Shared"), await makePlugin(owner, "Hidden", false)]
    const id = await makeSkill(owner, [shared, hidden], "First text.")
    for (const pluginId of [shared, hidden]) await decide(owner, pluginId, "approve")
    await edit(owner, id, "Second text.")
    await decide(owner, hidden, "approve")

    const one = (await member.call("GET", `/v1/config-objects/${id}`)).body.item.latestVersion
    expect(one.rawSourceText).toContain("First text.")
    const listed = (await member.call("GET", "/v1/config-objects")).body.items
    expect(listed.map(({ latestVersion }: { latestVersion: { id: string } }) => latestVersion.id)).toEqual([one.id])
    const versions = (await member.call("GET", `/v1/config-objects/${id}/versions`)).body.items
    expect(versions.map((version: { id: string }) => version.id)).toEqual([one.id])

    await decide(owner, shared, "approve")
    const next = (await member.call("GET", `/v1/config-objects/${id}`)).body.item.latestVersion
    expect(next.rawSourceText).toContain("Second text.")
  })

  it("is read in an approved version by members with whom only the object is shared", async () => {
    const { member, owner } = await start()
    const hidden = await makePlugin(owner, "Hidden", false)
    const id = await makeSkill(owner, [hidden], "First text.")
    await owner.client.configObjects.grantAccess(id, { role: "viewer", orgWide: true })
    expect((await member.call("GET", `/v1/config-objects/${id}`)).status).toBe(404)
    await decide(owner, hidden, "approve")
    await edit(owner, id, "Second text.")
    const read = await member.call("GET", `/v1/config-objects/${id}`)
    expect(read.body.item.latestVersion.rawSourceText).toContain("First text.")
  })
})

describe("the history of a config object", () => {
  it("does not contain rejected and replaced versions after a later one is approved", async () => {
    const { member, owner } = await start()
    const pluginId = await makePlugin(owner, "Notes")
    const id = await makeSkill(owner, [pluginId], "First text.")
    await decide(owner, pluginId, "approve")
    const { id: rejected } = await edit(owner, id, "Rejected text.")
    await decide(owner, pluginId, "reject")
    const { id: replaced } = await edit(owner, id, "Replaced text.")
    await owner.call("GET", "/v1/approvals")
    const { id: last } = await edit(owner, id, "Last text.")
    await decide(owner, pluginId, "approve")

    const path = `/v1/config-objects/${id}/versions`
    const listed = (await member.call("GET", path)).body.items
    expect(listed.map((version: { id: string }) => version.id)).toEqual([last])
    for (const hidden of [rejected, replaced]) {
      expect((await member.call("GET", `${path}/${hidden}`)).status).toBe(404)
      expect((await member.call("GET", `${path}/${hidden}/diff`)).status).toBe(404)
      expect((await member.call("GET", `${path}/${last}/diff?against=${hidden}`)).status).toBe(400)
    }
    const diff = await member.call("GET", `${path}/${last}/diff`)
    expect(diff.text).toContain("Last text.")
    expect(diff.text).not.toMatch(/Rejected|Replaced/u)
    expect((await owner.call("GET", path)).body.items).toHaveLength(4)
    expect((await owner.call("GET", `${path}/${last}/diff`)).text).toContain("Replaced text.")
  })
})

describe("a pending release", () => {
  it("shows its names in no list, search, count or explanation", async () => {
    const { member, owner } = await start()
    const pluginId = await makePlugin(owner, "Notes")
    const id = await makeSkill(owner, [pluginId], "First text.")
    await decide(owner, pluginId, "approve")
    await owner.client.plugins.update(pluginId, { name: "Secret plugin" })
    await edit(owner, id, "Second text.", "secret-skill")
    await makeSkill(owner, [pluginId], "Added.", "secret-other")

    const library = await member.call("GET", "/v1/me/library")
    expect(library.body.items.map(({ name }: { name: string }) => name).sort()).toEqual(["Notes", "review"])
    const search = async (person: Workspace, path: string) =>
      (await person.call("GET", path)).body.items.map(({ name, title }: Record<string, string>) => name ?? title)
    expect(await search(member, "/v1/plugins?q=secret")).toEqual([])
    expect(await search(member, "/v1/plugins?q=notes")).toEqual(["Notes"])
    expect(await search(owner, "/v1/plugins?q=secret")).toEqual(["Secret plugin"])
    expect(await search(member, "/v1/config-objects?q=secret")).toEqual([])
    expect(await search(member, "/v1/config-objects?q=review")).toEqual(["review"])
    expect(await search(owner, "/v1/config-objects?q=secret")).toEqual(["secret-other", "secret-skill"])
    expect(await search(member, "/v1/search?q=secret")).toEqual([])
    expect(await search(member, "/v1/search?q=review")).toEqual(["review"])
    expect(await search(owner, "/v1/search?q=secret&kind=configObject")).toEqual(["secret-other", "secret-skill"])
    expect((await member.call("GET", `/v1/plugins/${pluginId}`)).body.item.memberCount).toBe(1)
    expect((await owner.call("GET", `/v1/plugins/${pluginId}`)).body.item.memberCount).toBe(2)
    for (const object of [
      { kind: "plugin", id: pluginId },
      { kind: "configObject", id }
    ]) {
      const explained = await member.call("POST", "/v1/access/explain", { object, action: "edit" })
      expect(explained.status).toBe(200)
      expect(explained.text).not.toMatch(/secret/iu)
    }
  })

  it("hides a plugin and its objects from libraries and explanations before the first approval", async () => {
    const { member, owner } = await start()
    const pluginId = await makePlugin(owner, "Notes")
    const id = await makeSkill(owner, [pluginId], "First text.")
    const read = async () => [
      (await member.call("GET", "/v1/me/library")).body.items.length,
      (await member.call("POST", "/v1/access/explain", { object: { kind: "plugin", id: pluginId }, action: "view" }))
        .status,
      (await member.call("POST", "/v1/access/explain", { object: { kind: "configObject", id }, action: "view" })).status
    ]
    expect(await read()).toEqual([0, 404, 404])
    expect((await owner.call("GET", "/v1/me/library")).body.items).toHaveLength(2)
    await decide(owner, pluginId, "approve")
    expect(await read()).toEqual([2, 200, 200])
  })

  it("changes the ETag of a config object when it is approved", async () => {
    const { member, owner } = await start()
    const pluginId = await makePlugin(owner, "Notes")
    const id = await makeSkill(owner, [pluginId], "First text.")
    await decide(owner, pluginId, "approve")
    await edit(owner, id, "Second text.")
    const before = await member.call("GET", `/v1/config-objects/${id}`)
    expect(before.body.item.latestVersion.rawSourceText).toContain("First text.")
    const cached = { "if-none-match": before.headers.get("etag") ?? "" }
    expect((await member.call("GET", `/v1/config-objects/${id}`, undefined, cached)).status).toBe(304)
    await decide(owner, pluginId, "approve")
    const after = await member.call("GET", `/v1/config-objects/${id}`, undefined, cached)
    expect(after.status).toBe(200)
    expect(after.body.item.latestVersion.rawSourceText).toContain("Second text.")
  })
})
