/** Permissions on a connector of members who are neither owner nor admin. */
import { describe, expect, it } from "vitest"
import { addMember, call, makeControlPlane, makeRole, makeWorkspace } from "../harness.ts"
import { connect, imported, marketplace, repositoryIn, skill } from "./connectors.fixture.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)
const repository = repositoryIn(plane, {
  ".claude-plugin/marketplace.json": marketplace(["alpha", "beta"]),
  "plugins/alpha/skills/one/SKILL.md": skill("one"),
  "plugins/beta/skills/two/SKILL.md": skill("two")
})
const elsewhere = repositoryIn(plane, { "skills/three/SKILL.md": skill("three") })
const connected = await connect(owner, repository)
const applied = await imported(owner, connected, { selectedKeys: ["marketplace:alpha"], share: "orgWide" })
const path = `/v1/connector-instances/${connected.instance.id}`

const role = await makeRole(owner, ["connectors:read", "connectors:write", "plugins:read", "marketplaces:read"])
const engineer = await addMember(plane, owner, role)
const grant = (at: string, level: string) =>
  owner.call("POST", `${at}/access`, { orgMembershipId: engineer.membershipId, role: level })

describe("an editor of a connector with a custom role", () => {
  it("can change it, but only its manager can move it to another repository", async () => {
    await grant(path, "editor")
    expect((await engineer.call("PATCH", path, { name: "Renamed" })).status).toBe(200)
    const moved = await engineer.call("PATCH", path, { remoteId: elsewhere })
    expect([moved.status, moved.body.reason]).toEqual([403, "grant_required"])
    const [event] = (await owner.call("GET", `/v1/audit-events?targetId=${connected.instance.id}&limit=1`)).body.items
    expect(event).toMatchObject({
      action: "connector.update",
      before: { name: { length: connected.instance.name.length } },
      after: { name: { length: "Renamed".length } }
    })
    expect(event.after.remoteId).toEqual(event.before.remoteId)
    await grant(path, "manager")
    expect((await engineer.call("PATCH", path, { remoteId: elsewhere })).status).toBe(200)
    expect((await engineer.call("PATCH", path, { remoteId: repository })).status).toBe(200)
  })

  it("can add to the marketplace of its branch only with permission to change that too", async () => {
    const apply = () =>
      engineer.call("POST", `${path}/discovery/apply`, {
        selectedKeys: ["marketplace:beta"],
        autoImportNewPlugins: false
      })
    const plugins = async () =>
      (await owner.client.marketplaces.listPlugins(applied.marketplace?.id ?? "")).items.map(
        ({ plugin }) => plugin.name
      )
    const refused = await apply()
    expect([refused.status, refused.body.reason]).toEqual([403, "grant_required"])
    expect(await plugins()).toHaveLength(1)
    await grant(`/v1/marketplaces/${applied.marketplace?.id ?? ""}`, "editor")
    expect((await apply()).status).toBe(200)
    expect(await plugins()).toHaveLength(2)
  })

  it("can share a marketplace by an import only as its manager", async () => {
    const marketplaceId = applied.marketplace?.id ?? ""
    const share = async (more: object) => {
      const body = { selectedKeys: ["marketplace:beta"], autoImportNewPlugins: false, share: "orgWide", ...more }
      const response = await engineer.call("POST", `${path}/discovery/apply`, body)
      return [response.status, response.body.reason]
    }
    await grant(path, "editor")
    await grant(`/v1/marketplaces/${marketplaceId}`, "editor")
    for (const more of [{}, { marketplaceId }]) expect(await share(more)).toEqual([403, "grant_required"])
    await grant(`/v1/marketplaces/${marketplaceId}`, "manager")
    for (const more of [{}, { marketplaceId }]) expect(await share(more)).toEqual([200, undefined])
  })

  it("cannot access a connector without the grant, and can do nothing without the role", async () => {
    const other = await addMember(plane, owner, role)
    expect((await other.call("PATCH", path, { name: "Mine" })).status).toBe(404)
    const member = await addMember(plane, owner, "member")
    const response = await call(plane, member.token)("PATCH", path, { name: "Mine" })
    expect([response.status, response.body.reason]).toEqual([403, "permission_required"])
  })
})
