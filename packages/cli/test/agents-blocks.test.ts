/** What `orgplane agents sync` does with blocked plugins and marketplaces, also when a part of the work fails. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { filesOf, idOf, makeMachine, startAuthority } from "./agents.fixture.ts"

const setUp = async (settings?: string) => {
  const authority = await startAuthority()
  return { authority, machine: await makeMachine(authority, settings) }
}

const blockedPlugin = (name: string, names: ReadonlyArray<string>) => ({
  kind: "plugin",
  id: idOf(name),
  name,
  names,
  manifestUrl: null
})

const blockedMarketplace = {
  kind: "marketplace",
  id: "mkt_2",
  name: "Bad tools",
  names: ["bad-tools-2"],
  manifestUrl: "https://plugins.example/v1/marketplaces/mkt_2/marketplace.json"
}

describe("a blocked plugin", () => {
  it("is turned off under every name that the server states, and under no other", async () => {
    const { authority, machine } = await setUp(
      '{"enabledPlugins":{"deployer@tools":true,"deploy@tools":true,"a@bad-tools-2":true,"a@bad-tools":true}}'
    )
    const blocked = [blockedPlugin("deploy", ["deployer@tools", "deployer@old"]), blockedMarketplace]
    await authority.publish({ plugins: [{ name: "review" }], more: { blocked } })
    expect((await machine.run(["sync"])).code).toBe(0)
    expect(machine.settings().enabledPlugins).toEqual({
      "deployer@tools": false,
      "deployer@old": false,
      "deploy@tools": true,
      "a@bad-tools-2": false,
      "a@bad-tools": true,
      "review@orgplane": true
    })
  })

  it("stays off while the state is incomplete, until the state contains the plugin", async () => {
    const { authority, machine } = await setUp('{"enabledPlugins":{"deploy@tools":true}}')
    await authority.publish({ more: { blocked: [blockedPlugin("deploy", ["deploy@tools"])] } })
    await machine.run(["sync"])
    await authority.publish({ revision: 2, more: { truncated: true } })
    await machine.run(["sync"])
    expect(machine.settings().enabledPlugins?.["deploy@tools"]).toBe(false)
    const marketplaces = [
      { marketplaceId: "mkt_1", name: "tools", plugins: [{ pluginId: idOf("deploy"), name: "deploy" }] }
    ]
    const plugins = [{ name: "deploy", enabled: false }]
    await authority.publish({ revision: 3, plugins, more: { truncated: true, marketplaces } })
    await machine.run(["sync"])
    expect(machine.settings().enabledPlugins?.["deploy@tools"]).toBe(true)
  })

  it("is turned off even if the archive of a different plugin cannot be downloaded", async () => {
    const { authority, machine } = await setUp('{"enabledPlugins":{"mine@tools":true}}')
    await authority.publish({ plugins: [{ name: "deploy" }, { name: "notes" }] })
    await machine.run(["sync"])
    await authority.publish({
      revision: 2,
      plugins: [
        { name: "deploy", text: "Second." },
        { name: "review", sent: Buffer.from("other") }
      ],
      more: { blocked: [blockedPlugin("notes", ["notes@tools"]), blockedPlugin("mine", ["mine@tools"])] }
    })
    const failed = await machine.run(["sync"])
    expect([failed.code, failed.err]).toEqual([
      1,
      expect.stringContaining(
        "The archive of review does not have the digest in the desired state. Plugins that are blocked or no longer assigned were turned off. Nothing else was changed."
      )
    ])
    const { plugins, settings } = machine.view()
    expect(Object.keys(plugins)).toEqual(["deploy"])
    expect(JSON.stringify(plugins)).toContain("First.")
    expect(settings?.enabledPlugins).toEqual({ "mine@tools": false, "notes@tools": false, "deploy@orgplane": true })
    expect((await machine.run(["status"])).out).toContain("revision 2 is not applied")
    await authority.publish({ revision: 2, plugins: [{ name: "deploy", text: "Second." }, { name: "review" }] })
    expect((await machine.run(["sync"])).code).toBe(0)
    expect(Object.keys(machine.view().plugins)).toEqual(["deploy", "review"])
  })

  it("is turned off on the first sync too, although nothing can be installed", async () => {
    const { authority, machine } = await setUp('{"enabledPlugins":{"mine@tools":true}}')
    const blocked = [blockedPlugin("mine", ["mine@tools"])]
    await authority.publish({ plugins: [{ name: "deploy", sent: Buffer.from("other") }], more: { blocked } })
    expect((await machine.run(["sync"])).code).toBe(1)
    expect(machine.settings().enabledPlugins).toEqual({ "mine@tools": false })
  })
})

describe("a blocked marketplace", () => {
  it("is written to managed settings with the URL that the server states", async () => {
    const { authority, machine } = await setUp()
    const args = [
      "--scope",
      "managed",
      "--settings-dir",
      join(machine.home, "etc"),
      "--data-dir",
      join(machine.home, "lib")
    ]
    const settings = () =>
      JSON.parse(readFileSync(join(machine.home, "etc/managed-settings.d/50-orgplane.json"), "utf8")) as Record<
        string,
        unknown
      >
    await authority.publish({ more: { blocked: [blockedMarketplace] } })
    expect((await machine.run(["sync", ...args])).code).toBe(0)
    const expected = [{ source: "url", url: blockedMarketplace.manifestUrl }]
    expect(settings()["blockedMarketplaces"]).toEqual(expected)
    await authority.publish({ revision: 2, more: { truncated: true } })
    await machine.run(["sync", ...args])
    expect(settings()["blockedMarketplaces"]).toEqual(expected)
    await authority.publish({ revision: 3 })
    await machine.run(["sync", ...args])
    expect(settings()["blockedMarketplaces"]).toBeUndefined()
  })
})

describe("files that orgplane did not write", () => {
  it("are not replaced or removed by the JSON format", async () => {
    const { authority, machine } = await setUp()
    const directory = join(machine.home, "out")
    const file = join(directory, "agents.json")
    const args = ["--format", "json", "--settings-dir", directory]
    mkdirSync(directory)
    writeFileSync(file, '{"agents":[]}')
    await authority.publish({ plugins: [{ name: "deploy" }] })
    const refused = await machine.run(["sync", ...args])
    expect([refused.code, refused.err]).toEqual([5, expect.stringContaining(`${file} was not written by orgplane.`)])
    expect(readFileSync(file, "utf8")).toBe('{"agents":[]}')
    writeFileSync(file, "")
    const empty = await machine.run(["sync", ...args])
    expect(empty.code).toBe(5)
  })

  it("are left alone if they are not UTF-8", async () => {
    const { authority, machine } = await setUp("")
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    writeFileSync(machine.settingsFile, bytes)
    await authority.publish({ plugins: [{ name: "deploy" }] })
    expect((await machine.run(["sync"])).code).toBe(1)
    expect(readFileSync(machine.settingsFile).equals(bytes)).toBe(true)
  })

  it("of a plugin that no agent can read do not stop a sync", async () => {
    const { authority, machine } = await setUp()
    const files = {
      ...filesOf("deploy", ""),
      ".mcp.json/nested": "x",
      ".claude-plugin/plugin.json": JSON.stringify({ name: "deploy", mcpServers: ["a\u0000b", "./skills"] })
    }
    await authority.publish({ plugins: [{ name: "deploy", files }] })
    expect((await machine.run(["sync"])).code).toBe(0)
    expect(Object.keys(machine.view().plugins)).toEqual(["deploy"])
  })
})
