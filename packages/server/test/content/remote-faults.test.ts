import { createClient } from "@orgplane/client"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, describe, expect, it } from "vitest"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { commit } from "../../../../test/fixtures/git.ts"
import { RemotePlugins } from "../../src/content/connectors/remote-plugins.ts"
import { RemoteContent } from "../../src/infra/ports/remote-content.ts"
import * as trees from "../../src/content/connectors/remote-trees-repo.ts"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import { integrityOf, sha256Of, tarGz, zip } from "./archives.fixture.ts"
import {
  connect,
  contents,
  ended,
  imported,
  objectsOf,
  repositoryIn,
  rows,
  skill,
  synced,
  until,
  versionsOf
} from "./connectors.fixture.ts"
import {
  engine,
  makeControlPlane,
  makeDatabase,
  makeWorkspace,
  runSql,
  signIn,
  type TestPlane,
  withServices
} from "../harness.ts"
import {
  type Form,
  forms,
  hosts,
  marketplaceOf,
  objectsPerPlugin,
  placePlugin,
  pluginFiles,
  serveElsewhere
} from "./remote.fixture.ts"

const elsewhere = await serveElsewhere()
const plane = await makeControlPlane({ remoteSources: elsewhere.sources })

const listing = async (
  entries: ReadonlyArray<unknown>,
  own: Readonly<Record<string, string | Uint8Array>> = {},
  on: TestPlane = plane
) => {
  const owner = await makeWorkspace(on)
  const dir = repositoryIn(on, { ...marketplaceOf(entries), ...own })
  const connected = await connect(owner, dir)
  return {
    owner,
    connected,
    dir,
    discover: () => owner.client.connectors.discovery(connected.instance.id),
    /** The discovery of this commit: a recently read head is cached. */
    discoverAt: (revision: string) =>
      until(
        () => owner.client.connectors.discovery(connected.instance.id),
        ({ sourceRevisionRef }) => sourceRevisionRef === revision
      ),
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

let count = 0
const fresh = (form: string) => `f-${form.replaceAll(".", "-")}-${++count}`

const remoteForms = forms.filter((form) => form !== "local")
type Source = Readonly<Record<string, unknown>>

const zeros = "0".repeat(40)
/** The same source with another pin: a valid but wrong one, and an invalid one. */
const wrong = (form: Form, source: Source): Source =>
  form === "npm"
    ? { ...source, integrity: integrityOf(Buffer.from("another")) }
    : form === "tar.gz" || form === "zip"
      ? { ...source, sha256: sha256Of(Buffer.from("another")) }
      : { ...source, sha: zeros }
const malformed = (form: Form, source: Source): Source =>
  form === "npm"
    ? { ...source, integrity: `sha1-${Buffer.alloc(20).toString("base64")}` }
    : form === "tar.gz" || form === "zip"
      ? { ...source, sha256: "abc123" }
      : { ...source, sha: String(source["sha"]).slice(0, 12) }

const one = async (source: Source) => {
  const world = await listing([{ name: "tool", source }])
  const discovered = await world.discover()
  return { world, found: discovered, plugin: discovered.discoveredPlugins[0] }
}

describe("a pin", () => {
  it.each(remoteForms)("that does not match is rejected, and imported content stays: %s", async (form) => {
    const name = fresh(form)
    const { entry } = await placePlugin(elsewhere, form, name)
    const good = await placePlugin(elsewhere, "npm", fresh("good"))
    const world = await listing([entry, good.entry])
    await world.import()
    const before = await world.contents()
    const discovered = await world.discoverAt(
      world.list([{ name, source: wrong(form, entry.source as Source) }, good.entry])
    )
    expect(discovered.discoveredPlugins[0]).toMatchObject({ supported: false, selectedByDefault: false })
    expect(discovered.discoveredPlugins[1]).toMatchObject({ supported: true })
    const [warning = ""] = discovered.warnings
    expect(warning).toContain(`Plugin "${name}"`)
    expect(warning).toMatch(/does not match its pin|does not have this commit/)
    expect(await world.sync()).toMatchObject({
      status: "partial",
      counts: { objectsDeleted: 0, objectsUpdated: 0, objectsUnchanged: 2 * objectsPerPlugin },
      warnings: expect.arrayContaining([expect.stringContaining(`"${name}" keeps its current content`)])
    })
    expect(await world.contents()).toEqual(before)
    // After the pin is corrected, imports continue.
    world.list([entry, good.entry])
    expect(await world.sync()).toMatchObject({
      status: "completed",
      counts: { objectsUnchanged: 2 * objectsPerPlugin }
    })
    expect(await world.contents()).toEqual(before)
  })

  it.each(remoteForms)("that is short, weak or malformed is rejected without a request: %s", async (form) => {
    const name = fresh(form)
    const { entry } = await placePlugin(elsewhere, form, name)
    elsewhere.seen.length = 0
    const { plugin } = await one(malformed(form, entry.source as Source))
    expect(plugin).toMatchObject({ supported: false })
    expect(plugin?.warnings[0]).toMatch(/"(sha|sha256|integrity)" is not/)
    expect(elsewhere.seen).toEqual([])
  })

  it.each(remoteForms)("is required: %s", async (form) => {
    const { entry } = await placePlugin(elsewhere, form, fresh(form))
    const { integrity: _i, sha256: _d, sha: _s, ...loose } = entry.source as Source
    const { plugin } = await one(loose)
    expect(plugin).toMatchObject({ supported: false })
    expect(plugin?.warnings[0]).toContain("without a pinned revision")
  })

  it("that changes produces an ordinary difference: only changed files get new versions", async () => {
    const name = fresh("github")
    const files = pluginFiles(name)
    const { entry } = await placePlugin(elsewhere, "github", name, files)
    const world = await listing([entry])
    const { plugins } = await world.import()
    const sha = elsewhere.commit(`acme/${name}`, {
      "commands/go.md": "# Changed\n",
      [`skills/${name}/notes.md`]: null,
      "commands/more.md": "# More\n"
    })
    world.list([{ name, source: { ...(entry.source as Source), sha } }])
    expect(await world.sync()).toMatchObject({
      status: "completed",
      counts: { objectsCreated: 1, objectsUpdated: 1, objectsDeleted: 1, objectsUnchanged: 1 }
    })
    const objects = await objectsOf(world.owner, plugins[0]?.id ?? "")
    const versions = await Promise.all(
      [...objects].map(async ([path, object]) => [path, (await versionsOf(world.owner, object.id)).length])
    )
    expect(Object.fromEntries(versions)).toEqual({
      [`@remote/${name}/commands/go.md`]: 2,
      [`@remote/${name}/commands/more.md`]: 1,
      [`@remote/${name}/skills/${name}/SKILL.md`]: 1
    })
  })

  it("moves with its plugin between the repository and another source, and objects keep their identity", async () => {
    const name = fresh("moving")
    const files = pluginFiles(name)
    const local = await placePlugin(elsewhere, "local", name, files)
    const remote = await placePlugin(elsewhere, "npm", name, files)
    const world = await listing([local.entry], local.own)
    const { plugins } = await world.import()
    const ids = async () =>
      [...(await objectsOf(world.owner, plugins[0]?.id ?? "")).values()].map(({ id }) => id).toSorted()
    const before = await ids()
    expect(before).toHaveLength(objectsPerPlugin)
    world.list([remote.entry], Object.fromEntries(Object.keys(local.own).map((path) => [path, null])))
    expect(await world.sync()).toMatchObject({ status: "completed", counts: { objectsUnchanged: objectsPerPlugin } })
    expect(await ids()).toEqual(before)
  })
})

describe("a source that fails", () => {
  it("does not block the others, and is read by a later sync", async () => {
    const placed = await Promise.all(
      (["npm", "tar.gz", "github"] as const).map((form) => placePlugin(elsewhere, form, fresh(form)))
    )
    const [npm, archive] = placed
    const name = archive?.entry.name ?? ""
    elsewhere.override(`/${name}.tar.gz`, (response) => void response.writeHead(503).end("<h1>no</h1>"))
    const world = await listing(placed.map(({ entry }) => entry))
    const discovered = await world.discover()
    expect(discovered.discoveredPlugins.map(({ supported }) => supported)).toEqual([true, false, true])
    expect(discovered.discoveredPlugins[1]?.warnings[0]).toContain("status 503")
    const refusal = await world.import({ selectedKeys: [`marketplace:${name}`] }).then(
      () => undefined,
      (cause: unknown) => cause
    )
    expect(refusal).toMatchObject({ status: 400 })
    const applied = await world.import({ autoImportNewPlugins: true })
    expect(applied.syncEvent).toMatchObject({ status: "partial", counts: { objectsCreated: 2 * objectsPerPlugin } })
    elsewhere.override(`/${name}.tar.gz`, undefined)
    elsewhere.seen.length = 0
    expect(await world.sync()).toMatchObject({
      status: "completed",
      counts: { objectsCreated: objectsPerPlugin, pluginsCreated: 1 }
    })
    // The stored listings of the others are not requested again.
    expect(new Set(elsewhere.seen)).toEqual(new Set([`GET /${name}.tar.gz`]))
    expect(Object.keys(await world.contents()).toSorted()).toEqual(
      [npm, archive, placed[2]].map((one) => one?.entry.name ?? "").toSorted()
    )
  })

  it("keeps existing content if it disappears between listing and reading", async () => {
    const name = fresh("tar.gz")
    const { entry } = await placePlugin(elsewhere, "tar.gz", name)
    const world = await listing([entry])
    await world.import()
    const before = await world.contents()
    const sha256 = elsewhere.file(`/${name}-2.tar.gz`, await tarGz(pluginFiles(name, "Otherwise.")))
    const revision = world.list([
      { name, source: { source: "archive", url: `https://${hosts.files}/${name}-2.tar.gz`, sha256 } }
    ])
    await world.discoverAt(revision)
    elsewhere.override(`/${name}-2.tar.gz`, (response) => void response.destroy())
    expect(await world.sync()).toMatchObject({ status: "partial", counts: { objectsDeleted: 0, objectsUpdated: 0 } })
    expect(await world.contents()).toEqual(before)
    elsewhere.override(`/${name}-2.tar.gz`, undefined)
    expect(await world.sync()).toMatchObject({ status: "completed", counts: { objectsUpdated: 1 } })
    expect((await world.contents())[name]?.[`skill @remote/${name}/skills/${name}/SKILL.md`]).toBe(
      skill(name, "Otherwise.")
    )
  })

  it("is not contacted repeatedly, and an unresponsive host blocks no other", async () => {
    const names = Array.from({ length: 12 }, () => fresh("silent"))
    const entries = names.map((name) => {
      const path = `/${name}.zip`
      elsewhere.override(path, (response) => void response.destroy())
      return { name, source: { source: "archive", url: `https://${hosts.files}${path}`, sha256: "0".repeat(64) } }
    })
    const good = await placePlugin(elsewhere, "npm", fresh("good"))
    const world = await listing([...entries, good.entry])
    elsewhere.seen.length = 0
    const discovered = await world.discover()
    expect(discovered.discoveredPlugins.map(({ supported }) => supported)).toEqual([...names.map(() => false), true])
    expect(elsewhere.seen.filter((request) => request.includes("silent")).length).toBeLessThan(10)
    expect(discovered.discoveredPlugins[11]?.warnings[0]).toContain("its host does not respond")
  })

  it.each([
    ["the marketplace is broken", () => "{ broken"],
    ["its entry says no place any more", (name: string) => JSON.stringify({ name: "t", plugins: [{ name }] })]
  ])("is not treated as removed when %s", async (_, manifest) => {
    const { entry } = await placePlugin(elsewhere, "npm", fresh("npm"))
    const world = await listing([entry])
    await world.import()
    const before = await world.contents()
    commit(world.dir, { ".claude-plugin/marketplace.json": manifest(entry.name) })
    expect(await world.sync()).toMatchObject({ counts: { objectsDeleted: 0, objectsUnchanged: objectsPerPlugin } })
    expect(await world.contents()).toEqual(before)
    world.list([entry])
    expect(await world.sync()).toMatchObject({ status: "completed", counts: { objectsUnchanged: objectsPerPlugin } })
  })

  it("removes its plugin when the marketplace no longer lists it", async () => {
    const keptPlugin = await placePlugin(elsewhere, "npm", fresh("kept"))
    const dropped = await placePlugin(elsewhere, "github", fresh("dropped"))
    const world = await listing([keptPlugin.entry, dropped.entry])
    await world.import()
    world.list([keptPlugin.entry])
    expect(await world.sync()).toMatchObject({ status: "completed", counts: { objectsDeleted: objectsPerPlugin } })
    expect(Object.keys(await world.contents())).toEqual([keptPlugin.entry.name])
  })
})

describe("allowed content sources", () => {
  it.each([
    [{ source: "github", repo: "acme/x", sha: zeros }, "github.com"],
    [{ source: "npm", package: "x", version: "1.0.0", integrity: integrityOf(Buffer.from("x")) }, "npm"]
  ])("are none unless the operator configures them: %j", async (source, host) => {
    const closed = await makeControlPlane()
    elsewhere.seen.length = 0
    const world = await listing([{ name: "tool", source }], {}, closed)
    const [plugin] = (await world.discover()).discoveredPlugins
    expect(plugin).toMatchObject({ supported: false })
    expect(plugin?.warnings[0]).toContain(`on ${host}; this server is not configured to read from that host`)
    expect(elsewhere.seen).toEqual([])
  })

  it("are hosts with exactly the configured name", async () => {
    for (const host of ["files.example.com.", "files.example.com:8443", "x.files.example.com", "FILES.example.com"]) {
      const { plugin } = await one({ source: "archive", url: `https://${host}/a.zip`, sha256: "0".repeat(64) })
      expect([host, plugin?.warnings[0]?.includes("not configured to read from that host")]).toEqual([
        host,
        host !== "FILES.example.com"
      ])
    }
  })

  it("have URLs without credentials and queries", async () => {
    for (const url of [`https://user:secret@${hosts.files}/a.zip`, `https://${hosts.files}/a.zip?token=secret`]) {
      elsewhere.seen.length = 0
      const { found: discovered, plugin } = await one({ source: "archive", url, sha256: "0".repeat(64) })
      expect(plugin?.warnings[0]).toContain("has user information, a query or a fragment")
      expect(JSON.stringify(discovered)).not.toContain("secret")
      expect(elsewhere.seen).toEqual([])
    }
  })

  it("do not redirect to another host", async () => {
    const { entry } = await placePlugin(elsewhere, "zip", fresh("zip"))
    const path = new URL((entry.source as { url: string }).url).pathname
    const other = await serveElsewhere()
    for (const location of [
      `${other.origin}${path}`,
      "https://elsewhere.example.org/a.zip",
      "http://169.254.169.254/latest"
    ]) {
      elsewhere.override(path, (response) => void response.writeHead(302, { location }).end())
      const world = await listing([entry])
      const [plugin] = (await world.discover()).discoveredPlugins
      expect(plugin).toMatchObject({ supported: false })
      expect(plugin?.warnings[0]).toContain("is not allowed")
      expect(plugin?.warnings[0]).not.toContain("169.254")
    }
    elsewhere.override(path, undefined)
    expect(other.seen).toEqual([])
  })

  it("do not include tarballs on another host than the registry", async () => {
    const name = fresh("npm")
    const { entry } = await placePlugin(elsewhere, "npm", name)
    const path = `/npm/@acme%2f${name}`
    elsewhere.override(path, (response) => {
      const dist = { tarball: "https://elsewhere.example.org/x.tgz" }
      response.writeHead(200).end(JSON.stringify({ versions: { "1.0.0": { dist } } }))
    })
    const world = await listing([entry])
    expect((await world.discover()).discoveredPlugins[0]?.warnings[0]).toContain("on a host that is not allowed")
    elsewhere.override(path, undefined)
  })

  it("do not include private addresses from a document, allowed or not", async () => {
    const host = new URL(elsewhere.origin).host
    const open = await makeControlPlane({ remoteSources: [host, "127.0.0.1", "localhost"] })
    elsewhere.seen.length = 0
    for (const source of [
      { source: "archive", url: `${elsewhere.origin}/a.zip`, sha256: "0".repeat(64) },
      { source: "archive", url: "https://127.0.0.1/a.zip", sha256: "0".repeat(64) },
      { source: "url", url: "https://localhost/a/b", sha: zeros },
      {
        source: "npm",
        package: "x",
        version: "1.0.0",
        integrity: integrityOf(Buffer.from("x")),
        registry: "https://127.0.0.1"
      }
    ]) {
      const world = await listing([{ name: "tool", source }], {}, open)
      const [plugin] = (await world.discover()).discoveredPlugins
      expect(plugin).toMatchObject({ supported: false })
      expect(plugin?.warnings[0]).toContain("is not allowed")
    }
    expect(elsewhere.seen).toEqual([])
  })

  it("are checked again when the configuration changes, and imported content stays", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "orgplane-remote-"))
    afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
    const database = engine === "pglite" ? ({ kind: "pglite", dataDir } as const) : await makeDatabase()
    const { entry } = await placePlugin(elsewhere, "npm", fresh("npm"))
    const first = await makeControlPlane({ database, remoteSources: elsewhere.sources })
    const world = await listing([entry], {}, first)
    await world.import()
    const before = await world.contents()
    await first.dispose()

    const second = await makeControlPlane({ database, git: { localRoots: [first.repositories] } })
    const { token } = await signIn(second, world.owner.userId, world.owner.organizationId)
    const client = createClient({ baseUrl: "http://localhost", token, fetch: second.fetch, retries: 0 })
    const discovered = await client.connectors.discovery(world.connected.instance.id)
    expect(discovered.discoveredPlugins[0]).toMatchObject({ supported: false })
    const event = await synced({ ...world.owner, token, client }, world.connected)
    expect(event).toMatchObject({
      status: "partial",
      counts: { objectsDeleted: 0, objectsUnchanged: objectsPerPlugin }
    })
    const storedRows = await rows<{ text: string }>(
      second,
      (sql) => sql`SELECT v.source_text AS text FROM config_objects o
      JOIN config_object_versions v ON v.organization_id = o.organization_id AND v.id = o.latest_version_id
      WHERE o.organization_id = ${world.owner.organizationId} AND o.status = 'active'`
    )
    expect(storedRows.map(({ text }) => text).toSorted()).toEqual(Object.values(before[entry.name] ?? {}).toSorted())
  })
})

describe("names and entry types with different meanings on different machines", () => {
  const good = (name: string) => pluginFiles(name)
  const bad: ReadonlyArray<string> = [
    "../outside.md",
    "commands/../../outside.md",
    "/etc/outside.md",
    "commands/a\u0001.md",
    "commands/Go.md",
    "commands/cafe\u0301.md",
    "commands/caf\u00e9.md",
    ".git/hooks/post-checkout"
  ]

  it.each(["git", "tar.gz", "zip"])("are rejected with a warning, and the rest is imported: %s", async (form) => {
    const name = fresh(form)
    const evil = Object.fromEntries(bad.map((path) => [path, "# Evil\n"]))
    const files = { ...good(name), ...evil }
    let source: Source
    if (form === "git") {
      const sha = elsewhere.repository(`evil/${name}`, [
        // Git itself has no absolute names.
        ...Object.entries(files).filter(([path]) => !path.startsWith("/")),
        ["commands/link.md", { symlink: "/etc/passwd" }],
        ["commands/module", { submodule: zeros }],
        [Buffer.from("commands/bad-\xff.md", "latin1"), "# Evil\n"]
      ])
      source = { source: "github", repo: `evil/${name}`, sha }
    } else {
      const header = (name: string, type: "symlink" | "link" | "character-device" | "fifo") => ({
        header: { name, type, size: 0, linkname: "/etc/passwd" }
      })
      const bytes =
        form === "tar.gz"
          ? await tarGz(files, "", [
              header("commands/link.md", "symlink"),
              header("commands/hard.md", "link"),
              header("commands/device.md", "character-device"),
              header("commands/pipe.md", "fifo"),
              { header: { name: "commands/go.md", type: "file", size: 4 }, body: "twin" }
            ])
          : zip([
              ...Object.entries(files).map(([name, content]) => ({ name, content })),
              { name: "commands/link.md", content: "/etc/passwd", mode: 0o120777 },
              { name: "commands/device.md", content: "", mode: 0o020666 },
              { name: "commands/secret.md", content: "x", flags: 0x801 },
              { name: Buffer.from("commands/bad-\xff.md", "latin1"), content: "x" },
              { name: "commands/go.md", content: "twin" }
            ])
      const sha256 = elsewhere.file(`/${name}.${form}`, bytes)
      source = { source: "archive", url: `https://${hosts.files}/${name}.${form}`, sha256 }
    }
    const world = await listing([{ name, source }])
    const [plugin] = (await world.discover()).discoveredPlugins
    expect([plugin?.supported, plugin?.warnings[0]]).toEqual([true, expect.stringContaining("Refused")])
    expect(plugin?.warnings.length).toBeGreaterThan(5)
    expect(plugin?.warnings.every((warning) => /^Refused|^and \d+ more/.test(warning))).toBe(true)
    await world.import()
    const seen = (await world.contents())[name] ?? {}
    // Both sides of the collision are rejected; of the rest, only valid files are imported.
    expect(Object.keys(seen).toSorted()).toEqual([
      `context @remote/${name}/skills/${name}/notes.md`,
      `skill @remote/${name}/skills/${name}/SKILL.md`
    ])
  })

  it("cannot be below the folder of other sources", async () => {
    const { entry } = await placePlugin(elsewhere, "npm", "victim")
    const own = {
      "@remote/victim/commands/own.md": "# Own\n",
      "@REMOTE/victim/commands/own.md": "# Own\n",
      "commands/fine.md": "# Fine\n"
    }
    const world = await listing(
      [
        entry,
        { name: "thief", source: "./@remote/victim" },
        { name: "all", source: "./", agents: ["./@remote/victim/commands"] }
      ],
      own
    )
    const discovered = await world.discover()
    expect(discovered.warnings).toContainEqual(expect.stringContaining('Refused "@remote/"'))
    expect(discovered.discoveredPlugins.map(({ supported }) => supported)).toEqual([true, false, true])
    await world.import()
    const seen = await world.contents()
    expect(Object.keys(seen["all"] ?? {})).toEqual(["command commands/fine.md"])
    expect(JSON.stringify(seen)).not.toContain("# Own")
  })
})

describe("an unclaimed workspace", () => {
  it("reads five sources at a time, and continues with the next sync", async () => {
    const placed = await Promise.all(Array.from({ length: 7 }, () => placePlugin(elsewhere, "npm", fresh("few"))))
    const world = await listing(placed.map(({ entry }) => entry))
    const { organizationId } = world.owner
    await runSql(
      plane,
      (sql) => sql`UPDATE organizations SET provisional_until = now() + interval '1 day' WHERE id = ${organizationId}`
    )
    const discovered = await world.discover()
    expect(discovered.discoveredPlugins.map(({ supported }) => supported)).toEqual(placed.map((_, index) => index < 5))
    expect(discovered.discoveredPlugins[6]?.warnings[0]).toContain("only 5 sources are read per run")
    // The sync reads five more sources.
    expect((await world.import({ autoImportNewPlugins: true })).syncEvent).toMatchObject({
      status: "completed",
      counts: { objectsCreated: 7 * objectsPerPlugin }
    })
  })
})

describe("stored listings of other sources", () => {
  it("are deleted after a month without use, and listed again on request", async () => {
    const { entry } = await placePlugin(elsewhere, "npm", fresh("old"))
    const world = await listing([entry])
    await world.import()
    const { organizationId } = world.owner
    const storedTrees = () =>
      rows<{ place: string }>(
        plane,
        (sql) => sql`SELECT place FROM remote_trees WHERE organization_id = ${organizationId}`
      )
    expect(await storedTrees()).toHaveLength(1)
    await runSql(
      plane,
      (sql) =>
        sql`UPDATE remote_trees SET used_at = now() - interval '31 days' WHERE organization_id = ${organizationId}`
    )
    await runSql(plane, (sql) => sweep(sql))
    expect(await storedTrees()).toEqual([])
    elsewhere.seen.length = 0
    expect(await world.sync()).toMatchObject({ status: "completed", counts: { objectsUnchanged: objectsPerPlugin } })
    expect(elsewhere.seen.length).toBeGreaterThan(0)
    expect(await storedTrees()).toHaveLength(1)
  })

  it("are limited: the most recently used ones stay", async () => {
    const { organizationId } = await makeWorkspace(plane)
    const id = organizationId as Id<"org">
    await runSql(plane, (sql) =>
      Effect.forEach(["a", "b", "c"], (place) =>
        trees.put(sql, id, { place, entries: [], manifests: { x: "x".repeat(1000) }, warnings: [] })
      )
    )
    await runSql(plane, (sql) => sql`UPDATE remote_trees SET used_at = now() - interval '2 days' WHERE place = 'b'`)
    await runSql(plane, (sql) => trees.trim(sql, id, 2500))
    const left = await runSql(plane, (sql) => trees.find(sql, id, ["a", "b", "c"]))
    expect(left.map(({ place }) => place).toSorted()).toEqual(["a", "c"])
  })
})

it("limits the number of listings in memory, however small they are", async () => {
  const { organizationId } = await makeWorkspace(plane)
  const entries = Array.from({ length: 100_000 }, (_, index) => ({
    path: `commands/${index}`,
    kind: "file" as const,
    sha: zeros,
    size: 0
  }))
  let openCount = 0
  const content = RemoteContent.of({
    allows: () => true,
    fingerprint: "test",
    open: () =>
      Effect.sync(() => {
        openCount += 1
        return { entries, warnings: [], bytes: 0, read: () => Effect.succeed(new Map()) }
      })
  })
  const wanted = Array.from({ length: 30 }, (_, index) => ({
    folder: `@remote/p${index}`,
    source: {
      kind: "archive" as const,
      host: hosts.files,
      locator: `https://${hosts.files}/p${index}.tar.gz`,
      isPlain: true,
      path: null,
      pin: zeros + "0".repeat(24),
      ref: null,
      registry: null,
      version: null
    }
  }))
  const lists = await withServices(
    plane,
    Effect.flatMap(RemotePlugins.make, ({ session }) => session(organizationId as Id<"org">, true)).pipe(
      Effect.flatMap(({ remotes }) => remotes.list(wanted)),
      Effect.scoped,
      Effect.provideService(RemoteContent, content)
    )
  )
  expect(lists.size).toBe(30)
  expect(openCount).toBeLessThan(15)
  expect(JSON.stringify([...lists.values()])).toContain("have too many files in total")
})

describe("limits", () => {
  const offered = async (bytes: Buffer, extension: string) => {
    const name = fresh("bomb")
    const sha256 = elsewhere.file(`/${name}.${extension}`, bytes)
    const { plugin } = await one({ source: "archive", url: `https://${hosts.files}/${name}.${extension}`, sha256 })
    return plugin
  }
  it("apply to unpacked content", async () => {
    const bomb = await tarGz({ "commands/a.md": Buffer.alloc(150 * 1024 * 1024) })
    expect((await offered(bomb, "tar.gz"))?.warnings[0]).toContain("exceeds a size limit")
  })

  it("on file sizes do not block other files", async () => {
    const name = fresh("large")
    const files = { ...pluginFiles(name), "commands/huge.md": Buffer.alloc(6 * 1024 * 1024, "x") }
    const { entry } = await placePlugin(elsewhere, "tar.gz", name, files)
    const world = await listing([entry])
    expect((await world.import()).syncEvent).toMatchObject({
      status: "partial",
      counts: { objectsCreated: objectsPerPlugin }
    })
  })

  it("apply to the number of files", async () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`commands/c${index}.md`, "x"]))
    expect((await offered(await tarGz(many), "tar.gz"))?.warnings[0]).toContain("more than 10000 files")
    const more = zip(Array.from({ length: 20_001 }, (_, index) => ({ name: `c${index}`, content: "" })))
    expect((await offered(more, "zip"))?.warnings[0]).toContain("more than 20000 entries")
  })

  it("and invalid archives are reported", async () => {
    const whole = await tarGz(pluginFiles("x"))
    for (const bytes of [
      Buffer.from("<html>"),
      Buffer.alloc(0),
      whole.subarray(0, whole.length - 40),
      gzipSync("no tar at all"),
      Buffer.from("PK\x03\x04 no zip")
    ]) {
      expect((await offered(bytes, "tar.gz"))?.warnings[0]).toMatch(
        /damaged|neither a gzipped tar nor a zip|it is empty/
      )
    }
  })
})
