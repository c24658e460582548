import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeMarketplace, makeWorkspace, type Workspace } from "../harness.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)

const namesOf = async (
  person: Workspace,
  id: string
): Promise<ReadonlyArray<readonly [name: string, plugin: string]>> => {
  const { body } = await person.call("GET", `/v1/marketplaces/${id}/marketplace.json`)
  return body.plugins.map((plugin: { name: string; source: { url: string } }) => [
    plugin.name,
    new URL(plugin.source.url).pathname.split("/").at(-1) ?? ""
  ])
}

const action = fc.oneof(
  fc.record({ kind: fc.constant("create"), name: fc.constantFrom("deploy", "Deploy!", "review"), at: fc.nat(9) }),
  fc.record({
    kind: fc.constantFrom("add", "remove", "archive", "restore"),
    name: fc.constant(""),
    at: fc.nat(9)
  }),
  fc.record({ kind: fc.constant("rename"), name: fc.constantFrom("deploy", "review", "other"), at: fc.nat(9) })
)

describe("a plugin's name in a marketplace", () => {
  it("is never reused after plugins are created, renamed, archived, added or removed, and is the same for every caller", async () => {
    const member = await addMember(plane, owner, "member")
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 6, maxLength: 14 }), async (actions) => {
        const marketplace = await makeMarketplace(plane, owner, [])
        const { client } = owner
        await client.marketplaces.grantAccess(marketplace, { orgMembershipId: member.membershipId, role: "viewer" })
        const plugins: Array<string> = []
        const bearers = new Map<string, string>()
        const names = new Map<string, string>()
        for (const { at, kind, name } of actions) {
          const id = plugins[at % Math.max(1, plugins.length)]
          if (kind === "create") {
            const { id } = await client.plugins.create({ name })
            plugins.push(id)
            await client.marketplaces.addPlugin(marketplace, { pluginId: id })
          } else if (id !== undefined) {
            const path = `/v1/marketplaces/${marketplace}/plugins`
            if (kind === "add") await owner.call("POST", path, { pluginId: id })
            if (kind === "remove") await owner.call("DELETE", `${path}/${id}`)
            if (kind === "archive") await client.plugins.archive(id)
            if (kind === "restore") await client.plugins.restore(id)
            if (kind === "rename") await client.plugins.update(id, { name })
          }
          for (const [name, plugin] of [
            ...(await namesOf(owner, marketplace)),
            ...(await namesOf(member, marketplace))
          ]) {
            expect([name, bearers.get(name) ?? plugin]).toEqual([name, plugin])
            expect([plugin, names.get(plugin) ?? name]).toEqual([plugin, name])
            bearers.set(name, plugin)
            names.set(plugin, name)
          }
        }
      }),
      { numRuns: 8 }
    )
  })

  it("is assigned once when plugins with the same name are added concurrently", async () => {
    const marketplace = await makeMarketplace(plane, owner, [])
    const created = await Promise.all(Array.from({ length: 8 }, () => owner.client.plugins.create({ name: "twin" })))
    await Promise.all(created.map(({ id }) => owner.client.marketplaces.addPlugin(marketplace, { pluginId: id })))
    const names = await namesOf(owner, marketplace)
    expect([names.length, new Set(names.map(([name]) => name)).size]).toEqual([8, 8])
    for (const [name, plugin] of names) {
      expect([name === "twin" || name === `twin-${plugin.slice(-6)}`, name]).toEqual([true, name])
    }
  })

  it("is rejected with the reason when it looks like another name", async () => {
    for (const [group, id] of [
      ["plugins", (await owner.client.plugins.create({ name: "plain" })).id],
      ["marketplaces", await makeMarketplace(plane, owner, [])]
    ] as const) {
      for (const name of ["de\u200Bploy", "deploy\u202E", "d\u0435ploy"]) {
        const created = await owner.call("POST", `/v1/${group}`, { name })
        const renamed = await owner.call("PATCH", `/v1/${group}/${id}`, { name })
        expect([created.status, renamed.status, created.text.includes("must not")]).toEqual([400, 400, true])
      }
    }
  })

  it("keeps the marketplace's own name after a rename, and never uses a reserved one", async () => {
    const at = async (id: string) => (await owner.call("GET", `/v1/marketplaces/${id}/marketplace.json`)).body.name
    const { id } = await owner.client.marketplaces.create({ name: "Kit" })
    expect(await at(id)).toBe("kit")
    await owner.client.marketplaces.update(id, { name: "Other" })
    expect(await at(id)).toBe("kit")
    const second = await owner.client.marketplaces.create({ name: "kit" })
    expect(await at(second.id)).toBe(`kit-${second.id.slice(-6)}`)
    for (const [name, published] of [
      ["claude-code-marketplace", "org-code-marketplace"],
      ["Anthropic", "org-marketplace"],
      ["agent skills", "org-agent-skills"],
      ["inline", "org-inline"]
    ] as const) {
      expect(await at((await owner.client.marketplaces.create({ name })).id)).toBe(published)
    }
  })
})
