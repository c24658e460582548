/** Edits of plugins in a repository: every edit that adds a capability is held for approval, and edits of text are not. */
import { expect, it } from "vitest"
import { commit, type Content } from "../../../../test/fixtures/git.ts"
import { type Files, growing, harmless, plugins } from "../../src/content/plugin-capabilities/mutations.fixture.ts"
import { addMember, makeControlPlane, makeWorkspace, type Person } from "../harness.ts"
import { all, connect, ended, imported, marketplace, repositoryIn, rows, synced, until } from "./connectors.fixture.ts"
import { fetched, sha256 } from "./plugin-archives.fixture.ts"

const plane = await makeControlPlane()
const manifestPath = ".claude-plugin/plugin.json"

interface Mutation {
  /** The name of the plugin. Each mutation has its own. */
  readonly name: string
  readonly of: string
  readonly label: string
  readonly before: Files
  readonly after: Files
}

type File = Files[string]
const textOf = (file: File | undefined) => (typeof file === "object" ? file.executable : (file ?? ""))
const isSameFile = (one: File | undefined, other: File | undefined) =>
  one !== undefined && typeof one === typeof other && textOf(one) === textOf(other)
const changedPaths = ({ after, before }: Pick<Mutation, "after" | "before">) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => !isSameFile(before[path], after[path]))

const named = (files: Files, name: string): Files => ({
  ...files,
  [manifestPath]: JSON.stringify({ ...(JSON.parse(textOf(files[manifestPath])) as object), name }, null, 2)
})

/** Each edit of each plugin that changes a file. */
const mutationsOf = (kind: string, edits: typeof growing): ReadonlyArray<Mutation> =>
  Object.entries(edits).flatMap(([of, list], at) =>
    list.flatMap((edit, index) =>
      Object.entries(plugins).flatMap(([plugin, files]) => {
        const name = `${plugin}-${kind}-${at}-${index}`
        const before = named(files, name)
        const mutation = { name, of, label: `${of} ${index} ${plugin}`, before, after: edit(before) }
        return changedPaths(mutation).length === 0 ? [] : [mutation]
      })
    )
  )

/**
 * Edits that the import leaves out, so that nothing waits: a file whose path differs from another one only in its case is not
 * imported, and a plugin whose manifest exceeds 1 MiB keeps its files.
 */
const leftOut: ReadonlySet<string> = new Set([
  "case and Unicode tricks 0 deploy",
  "case and Unicode tricks 1 deploy",
  "case and Unicode tricks 2 deploy",
  "padding of 1 MiB 6 review",
  "padding of 1 MiB 6 deploy",
  "padding of 1 MiB 6 database"
])

const contentOf = (path: string, file: File): Content =>
  typeof file === "string" && path.endsWith(".png") ? Buffer.from(file, "latin1") : (file ?? "")

/** The archives that a member can download from the marketplace, by plugin. */
const offered = async (member: Person, marketplaceId: string) => {
  const path = `/v1/marketplaces/${marketplaceId}/marketplace.json`
  // The digests of many archives are computed over several requests.
  const { body } = await until(
    () => member.call("GET", path),
    ({ status }) => status !== 503
  )
  const entries: ReadonlyArray<{ readonly source: { readonly sha256: string; readonly url: string } }> = body.plugins
  return new Map(entries.map(({ source }) => [/plg_\w+/u.exec(source.url)?.[0] ?? "", source]))
}

const table = (mutations: ReadonlyArray<Mutation>, isHeld: (mutation: Mutation) => boolean) => {
  const classes = Map.groupBy(mutations, ({ of }) => of)
  const lines = [...classes].map(([of, list]) => {
    const held = list.filter(isHeld).length
    return `${of.padEnd(44)} ${String(held).padStart(4)} / ${list.length}`
  })
  process.stdout.write(`${lines.join("\n")}\n`)
}

it(
  "holds every one of at least 300 pushed edits that add a capability, and at most 2 % of at least 300 edits of text",
  { timeout: 600_000 },
  async () => {
    const [growth, edits] = [mutationsOf("grow", growing), mutationsOf("edit", harmless)]
    expect(Math.min(growth.length, edits.length)).toBeGreaterThanOrEqual(300)
    const mutations = [...growth, ...edits]
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const dir = repositoryIn(plane, [
      [".claude-plugin/marketplace.json", marketplace(mutations.map(({ name }) => name))],
      ...mutations.flatMap(({ before, name }) =>
        Object.entries(before).map(([path, file]) => [`plugins/${name}/${path}`, contentOf(path, file)] as const)
      )
    ])
    const connected = await connect(owner, dir)
    const applied = await imported(owner, connected, { share: "orgWide" })
    expect((await ended(owner, applied.syncEvent.id)).status).toBe("completed")
    const idOf = new Map(applied.plugins.map(({ id, name }) => [name, id]))
    expect(idOf.size).toBe(mutations.length)
    const marketplaceId = applied.marketplace?.id ?? ""
    const before = await offered(member, marketplaceId)
    expect(before.size).toBe(mutations.length)
    const pluginOf = ({ name }: Mutation) => idOf.get(name) ?? ""
    const omitted = growth.filter(({ label }) => leftOut.has(label))
    expect(omitted.length).toBe(leftOut.size)
    /** The digests of the capabilities that members receive. */
    const servedElements = async (mutation: Mutation) => {
      const { elements } = await member.client.plugins.capabilities(pluginOf(mutation))
      return elements.map(({ digest }) => digest)
    }
    const servedBefore = new Map<string, ReadonlySet<string>>()
    for (const mutation of omitted) servedBefore.set(mutation.name, new Set(await servedElements(mutation)))

    commit(
      dir,
      mutations.flatMap((mutation) =>
        changedPaths(mutation).map((path) => {
          const file = mutation.after[path]
          return [`plugins/${mutation.name}/${path}`, file === undefined ? null : contentOf(path, file)] as const
        })
      )
    )
    // Some of the edits are malformed files, which cannot become config objects.
    expect((await synced(owner, connected)).status).toBe("partial")
    await until(
      () =>
        rows<{ open: number }>(
          plane,
          (sql) => sql`SELECT count(*)::int AS open FROM plugin_release_checks
            WHERE organization_id = ${owner.organizationId}`
        ),
      ([row]) => row?.open === 0
    )

    const pending = new Set((await all(owner.client.approvals.list({ limit: 100 }))).map(({ pluginId }) => pluginId))
    const isHeld = (mutation: Mutation) => pending.has(pluginOf(mutation))
    table(growth, isHeld)
    table(edits, isHeld)
    const labels = (list: ReadonlyArray<Mutation>) => list.map(({ label }) => label)
    expect(labels(growth.filter((mutation) => !isHeld(mutation)))).toEqual(labels(omitted))
    for (const mutation of omitted) {
      const grown = (await servedElements(mutation)).filter(
        (digest) => servedBefore.get(mutation.name)?.has(digest) !== true
      )
      expect([mutation.label, grown]).toEqual([mutation.label, []])
    }
    const heldEdits = edits.filter(isHeld)
    expect(heldEdits.length, labels(heldEdits).join("\n")).toBeLessThanOrEqual(edits.length * 0.02)

    // A member receives exactly the archive from before the push, or the edited one.
    const after = await offered(member, marketplaceId)
    expect(after.size).toBe(mutations.length)
    const isUnchanged = (mutation: Mutation) =>
      after.get(pluginOf(mutation))?.sha256 === before.get(pluginOf(mutation))?.sha256
    const held = growth.filter(isHeld)
    expect(labels(held.filter((mutation) => !isUnchanged(mutation)))).toEqual([])
    expect(labels(edits.filter((mutation) => isUnchanged(mutation) !== isHeld(mutation)))).toEqual([])
    for (const mutation of held) {
      const { status, bytes } = await fetched(plane, after.get(pluginOf(mutation))?.url ?? "")
      expect([mutation.label, status, sha256(bytes)]).toEqual([
        mutation.label,
        200,
        before.get(pluginOf(mutation))?.sha256
      ])
    }
  }
)
