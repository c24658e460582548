import { describe, expect, it } from "vitest"
import { commit } from "../../../test/fixtures/git.ts"
import { connect, contents, imported, repositoryIn, synced } from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace } from "./harness.ts"
import {
  type Form,
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
    import: (more: Parameters<typeof imported>[2] = {}) => imported(owner, connected, more),
    contents: () => contents(owner)
  }
}

const textsOf = (files: Readonly<Record<string, string | null>>) => Object.values(files).toSorted()
const importedTexts = (files: Readonly<Record<string, string>>) =>
  Object.entries(files)
    .flatMap(([path, text]) => (path.endsWith("plugin.json") || path === "package.json" ? [] : [text]))
    .toSorted()

let count = 0
const fresh = (form: Form) => `${form.replaceAll(".", "-")}-${++count}`

describe("a plugin that lies elsewhere", () => {
  it.each(forms)("is discovered, imported and read: %s", async (form) => {
    const name = fresh(form)
    const { entry, own } = await placePlugin(elsewhere, form, name)
    const world = await listing([entry], own)
    const found = await world.discover()
    expect(found.warnings).toEqual([])
    expect(found.discoveredPlugins).toMatchObject([
      {
        key: `marketplace:${name}`,
        supported: true,
        selectedByDefault: true,
        warnings: [],
        description: `Does ${name}.`
      }
    ])
    expect(found.discoveredPlugins[0]?.componentKinds).toEqual(["commands", "skills"])
    const applied = await world.import()
    expect(applied.syncEvent).toMatchObject({
      status: "completed",
      warnings: [],
      counts: { objectsCreated: objectsPerPlugin }
    })
    expect(textsOf((await world.contents())[name] ?? {})).toEqual(importedTexts(pluginFiles(name)))
  })
})

describe("a marketplace of over a hundred plugins in every form", () => {
  it("is imported whole, and a second sync reads nothing", async () => {
    const { entries, own, plugins } = await generateMarketplace(elsewhere, 112, 7)
    const world = await listing(entries, own)
    const applied = await world.import()
    const files = [...plugins.values()].reduce((sum, { files }) => sum + Object.keys(files).length - 1, 0)
    expect(applied.plugins).toHaveLength(112)
    expect(applied.syncEvent).toMatchObject({ status: "completed", counts: { objectsCreated: files }, warnings: [] })
    const seen = await world.contents()
    for (const [name, { files }] of plugins) expect(textsOf(seen[name] ?? {})).toEqual(importedTexts(files))
    // Another commit, so that everything is discovered anew.
    world.list(entries, { "README.md": "# Changed\n" })
    elsewhere.seen.length = 0
    expect(await world.sync()).toMatchObject({
      status: "completed",
      counts: { objectsCreated: 0, objectsUpdated: 0, objectsDeleted: 0, objectsUnchanged: files }
    })
    expect(elsewhere.seen).toEqual([])
  })
})
