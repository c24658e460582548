/** Who can approve a release with four-eyes approval: members who did not change it, and who still can approve. */
import { describe, expect, it } from "vitest"
import { connect, imported, repositoryIn, skill } from "./connectors.fixture.ts"
import { addMember, makeControlPlane, makeWorkspace, type Workspace } from "../harness.ts"

const plane = await makeControlPlane()

const start = async () => {
  const owner = await makeWorkspace(plane)
  await owner.call("PATCH", "/v1/approval-settings", { fourEyes: true, deliveryMode: "hold_all" })
  const admin = () => addMember(plane, owner, "admin")
  return { owner, first: await admin(), second: await admin(), third: await admin() }
}

const pending = async (person: Workspace, pluginId: string) =>
  (await person.call("GET", `/v1/approvals?pluginId=${pluginId}`)).body.items[0]

const approve = async (by: Workspace, pluginId: string) => {
  const { digest, id } = await pending(by, pluginId)
  const { body, status } = await by.call("POST", "/v1/approvals/approve", { releases: [{ releaseId: id, digest }] })
  return status === 200 ? [body.item.releases[0].state, body.item.releases[0].approvals] : body.error
}

describe("four-eyes approval of content made in orgplane", () => {
  it("rejects the authors of all versions since the approved one", async () => {
    const { first, owner, second, third } = await start()
    const { id } = await owner.client.plugins.create({ name: "Notes" })
    const object = await owner.client.configObjects.create({
      input: { type: "skill", rawSourceText: skill("review") },
      pluginIds: [id]
    })
    expect(await approve(first, id)).toEqual(["approved", 1])
    const edit = (by: Workspace, text: string) =>
      by.client.configObjects.createVersion(object.id, { input: { rawSourceText: skill("review", text) } })
    await edit(first, "Runs a script.")
    await edit(second, "Runs a script. And a typo less.")
    expect(await approve(first, id)).toBe("approver_took_part")
    expect(await approve(second, id)).toBe("approver_took_part")
    // The owner wrote only the approved version.
    expect(await approve(owner, id)).toEqual(["approved", 1])
    await edit(third, "Another text.")
    expect(await approve(first, id)).toEqual(["approved", 1])
  })

  it("rejects the member who added an object to the plugin", async () => {
    const { first, owner, second } = await start()
    const { id } = await owner.client.plugins.create({ name: "Notes" })
    const object = await owner.client.configObjects.create({
      input: { type: "skill", rawSourceText: skill("review") }
    })
    await first.client.plugins.addObject(id, { configObjectId: object.id })
    expect(await approve(first, id)).toBe("approver_took_part")
    expect(await approve(second, id)).toEqual(["approved", 1])
  })
})

describe("four-eyes approval of a repository", () => {
  it("counts only approvals of members who can still approve", async () => {
    const { first, owner, second, third } = await start()
    const dir = repositoryIn(plane, {
      ".claude-plugin/marketplace.json": JSON.stringify({
        name: "acme",
        owner: { name: "Acme" },
        plugins: [{ name: "tools", source: "./tools" }]
      }),
      "tools/.claude-plugin/plugin.json": JSON.stringify({ name: "tools" }),
      "tools/skills/review/SKILL.md": skill("review")
    })
    const { plugins } = await imported(owner, await connect(owner, dir))
    const id = plugins[0]?.id ?? ""
    expect(await approve(first, id)).toEqual(["pending", 1])
    await owner.client.members.remove(first.membershipId)
    expect((await pending(owner, id)).approvals).toBe(0)
    expect(await approve(second, id)).toEqual(["pending", 1])
    await owner.client.members.update(second.membershipId, { role: "member" })
    expect(await approve(third, id)).toEqual(["pending", 1])
    await owner.client.members.update(second.membershipId, { role: "admin" })
    expect(await approve(third, id)).toEqual(["approved", 2])
  })
})
