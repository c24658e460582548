import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { commit } from "../../../../test/fixtures/git.ts"
import { all, connect, contents, ended, imported, repositoryIn, synced, until } from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import {
  below,
  forms,
  generateMarketplace,
  marketplaceOf,
  objectsPerPlugin,
  placePlugin,
  pluginFiles,
  serveElsewhere
} from "./remote.fixture.ts"

const elsewhere = await serveElsewhere()
const plane = await makeControlPlane({ remoteSources: elsewhere.sources })

/** An organization with a repository that lists these entries. */
const listing = async (entries: ReadonlyArray<unknown>, own: Readonly<Record<string, string | Uint8Array>> = {}) => {
  const owner = await makeWorkspace(plane)
  const dir = repositoryIn(plane, { ...marketplaceOf(entries), ...own })
  const connected = await connect(owner, dir)
  return {
    owner,
    connected,
    discover: () => owner.client.connectors.discovery(connected.instance.id),
    list: (entries: ReadonlyArray<unknown>, more: Readonly<Record<string, string | null>> = {}) =>
      commit(dir, { ...marketplaceOf(entries), ...more }),
    sync: () => synced(owner, connected),
    /** Applies, and waits for the sync without a limit. */
    import: async (more: Parameters<typeof imported>[2] = {}) => {
      const applied = await imported(owner, connected, more)
      return { ...applied, syncEvent: await ended(owner, applied.syncEvent.id) }
    },
    contents: () => contents(owner)
  }
}

const textsOf = (files: Readonly<Record<string, string | null>>) => Object.values(files).toSorted()
const importedTexts = (files: Readonly<Record<string, string>>) =>
  Object.entries(files)
    .flatMap(([path, text]) => (path.endsWith("plugin.json") || path === "package.json" ? [] : [text]))
    .toSorted()

let count = 0
const fresh = (form: string) => `${form.replaceAll(".", "-")}-${++count}`

describe("a plugin from another source", () => {
  it("is planned as it is synced: a changed manifest changes only its changed components", async () => {
    const name = fresh("github")
    const manifest = (description: string) =>
      JSON.stringify({ name, description, mcpServers: { one: { url: "https://mcp.example/" } } })
    const { entry } = await placePlugin(elsewhere, "github", name, {
      ...pluginFiles(name),
      ".claude-plugin/plugin.json": manifest("Before.")
    })
    const world = await listing([entry])
    await world.import()
    const sha = elsewhere.commit(`acme/${name}`, { ".claude-plugin/plugin.json": manifest("After.") })
    const head = world.list([{ name, source: { source: "github", repo: `acme/${name}`, sha } }])
    const body = { selectedKeys: [`marketplace:${name}`], autoImportNewPlugins: false }
    // A recently read head is cached for a while.
    const plan = await until(
      () => world.owner.client.connectors.plan(world.connected.instance.id, body),
      ({ revision }) => revision === head
    )
    expect((await world.sync()).counts).toMatchObject({ objectsCreated: 0, objectsUpdated: 0 })
    expect(plan.counts.changed).toMatchObject({ plugins: 1, objects: 0 })
  })

  it.each(forms)("is discovered, imported and read: %s", async (form) => {
    const name = fresh(form)
    const { entry, own } = await placePlugin(elsewhere, form, name)
    const world = await listing([entry], own)
    const discovered = await world.discover()
    expect(discovered.warnings).toEqual([])
    expect(discovered.discoveredPlugins).toMatchObject([
      {
        key: `marketplace:${name}`,
        supported: true,
        selectedByDefault: true,
        warnings: [],
        description: `Does ${name}.`
      }
    ])
    expect(discovered.discoveredPlugins[0]?.componentKinds).toEqual(["commands", "skills"])
    const applied = await world.import()
    expect(applied.syncEvent).toMatchObject({
      status: "completed",
      warnings: [],
      counts: { objectsCreated: objectsPerPlugin }
    })
    expect(textsOf((await world.contents())[name] ?? {})).toEqual(importedTexts(pluginFiles(name)))
    const [plugin] = await all(world.owner.client.plugins.list())
    const place = {
      local: "/plugins@",
      github: `github.com/acme/${name}@`,
      url: `https://git.example.com/team/${name}.git@`,
      "git-subdir": `https://git.example.com/mono/${name}#packages/${name}@`,
      npm: `npm/@acme/${name}@1.0.0`,
      "tar.gz": `https://files.example.com/${name}.tar.gz@`,
      zip: `https://files.example.com/${name}.zip@`
    }[form]
    expect(JSON.stringify(await world.owner.client.plugins.get(plugin?.id ?? ""))).toContain(place)
  })
})

describe("a package that npm itself created", () => {
  it("is imported", async () => {
    const name = fresh("npm")
    const folder = mkdtempSync(join(tmpdir(), "orgplane-pack-"))
    const files = { "package.json": JSON.stringify({ name, version: "2.1.0-rc.1" }), ...pluginFiles(name) }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--offline"], { cwd: folder, stdio: "pipe" })
    const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? ""
    const integrity = elsewhere.publish(name, "2.1.0-rc.1", readFileSync(join(folder, tarball)))
    rmSync(folder, { recursive: true })
    const world = await listing([{ name, source: { source: "npm", package: name, version: "2.1.0-rc.1", integrity } }])
    expect((await world.import()).syncEvent).toMatchObject({ status: "completed", warnings: [] })
    expect(textsOf((await world.contents())[name] ?? {})).toEqual(importedTexts(pluginFiles(name)))
  })
})

describe("plugins of one remote repository", () => {
  it("are fetched together, and each has only its own folder", async () => {
    const names = ["one", "two", "three"].map((name) => `${fresh("mono")}-${name}`)
    const sha = elsewhere.repository(
      "acme/mono",
      Object.assign({ "README.md": "# Many\n" }, ...names.map((name) => below(`tools/${name}`, pluginFiles(name))))
    )
    const world = await listing(
      names.map((name) => ({ name, source: { source: "git-subdir", url: "acme/mono", path: `./tools/${name}`, sha } }))
    )
    elsewhere.seen.length = 0
    await world.discover()
    expect(elsewhere.seen).toHaveLength(2)
    await world.import()
    const seen = await world.contents()
    for (const name of names) expect(textsOf(seen[name] ?? {})).toEqual(importedTexts(pluginFiles(name)))
  })

  it("can lack the named folder", async () => {
    const sha = elsewhere.repository("acme/bare", { "README.md": "# Nothing\n" })
    const world = await listing([
      { name: "gone", source: { source: "git-subdir", url: "git@github.com:acme/bare.git", path: "tools/gone", sha } },
      { name: "out", source: { source: "git-subdir", url: "acme/bare", path: "../out", sha } }
    ])
    const discovered = await world.discover()
    expect(discovered.discoveredPlugins.map(({ warnings }) => warnings[0])).toEqual([
      expect.stringContaining('it has no folder "tools/gone"'),
      expect.stringContaining('its "path" "../out" is not a valid path')
    ])
  })
})

describe("a marketplace of over a hundred plugins in every form", () => {
  it("is imported completely, and a second sync reads nothing", async () => {
    const { entries, own, plugins } = await generateMarketplace(elsewhere, 112, 7)
    const world = await listing(entries, own)
    elsewhere.seen.length = 0
    const applied = await world.import()
    // Once for the listing and once for the import.
    expect(Math.max(...[...Map.groupBy(elsewhere.seen, (request) => request).values()].map((all) => all.length))).toBe(
      2
    )
    const files = [...plugins.values()].reduce((sum, { files }) => sum + Object.keys(files).length - 1, 0)
    expect(applied.plugins).toHaveLength(112)
    expect(applied.syncEvent).toMatchObject({ status: "completed", counts: { objectsCreated: files }, warnings: [] })
    const seen = await world.contents()
    for (const [name, { files }] of plugins) expect(textsOf(seen[name] ?? {})).toEqual(importedTexts(files))
    // Another commit, so that everything is discovered again.
    world.list(entries, { "README.md": "# Changed\n" })
    elsewhere.seen.length = 0
    expect(await world.sync()).toMatchObject({
      status: "completed",
      counts: { objectsCreated: 0, objectsUpdated: 0, objectsDeleted: 0, objectsUnchanged: files }
    })
    expect(elsewhere.seen).toEqual([])
  })
})
