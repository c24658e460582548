import * as Effect from "effect/Effect"
import fc from "fast-check"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, posix } from "node:path"
import { describe, expect, it } from "vitest"
import { commit, type Content, gitDirOf } from "../../../../test/fixtures/git.ts"
import { writeObject } from "../../../../test/fixtures/git-objects.ts"
import { ReconcileService } from "../../src/content/connectors/reconcile.ts"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import {
  all,
  connect,
  type Connected,
  ended,
  imported,
  repositoryIn,
  rows,
  skill,
  synced,
  until,
  withoutApprovals
} from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace, withServices, type Workspace } from "../harness.ts"
import { fetched, unpacked } from "./plugin-archives.fixture.ts"

const plane = await makeControlPlane()

type Tree = Record<string, Content>
interface Held {
  readonly bytes: string
  readonly isExecutable: boolean
}

const archiveOf = async (person: Workspace, pluginId: string) => {
  const response = await fetched(plane, `/v1/plugins/${pluginId}/archive`, { authorization: `Bearer ${person.token}` })
  if (response.status !== 200) return { status: response.status, text: new TextDecoder().decode(response.bytes) }
  const { executable, files } = unpacked(response.bytes)
  return {
    status: 200,
    files: Object.fromEntries(
      Object.entries(files).map(([path, bytes]): [string, Held] => [
        path,
        { bytes, isExecutable: executable.includes(path) }
      ])
    )
  }
}

const archives = async (person: Workspace) => {
  const results: Record<string, Awaited<ReturnType<typeof archiveOf>>> = {}
  for (const plugin of await all(person.client.plugins.list()))
    results[plugin.name] = await archiveOf(person, plugin.id)
  return results
}

const latin = (content: string | Uint8Array) => Buffer.from(content).toString("latin1")

/**
 * The expected content of a repository folder: links to its own files are replaced by those files, other links are
 * left out.
 */
const folderOf = (tree: Tree, root: string): Record<string, Held> => {
  const held: Record<string, Held> = {}
  for (const [path, content] of Object.entries(tree)) {
    if (root !== "" && !path.startsWith(`${root}/`)) continue
    const inside = root === "" ? path : path.slice(root.length + 1)
    if (typeof content === "string" || content instanceof Uint8Array) {
      held[inside] = { bytes: latin(content), isExecutable: false }
    } else if ("executable" in content) held[inside] = { bytes: latin(content.executable), isExecutable: true }
    else if ("symlink" in content) {
      const target = posix.normalize(posix.join(posix.dirname(path), content.symlink))
      const isInside = root === "" || target.startsWith(`${root}/`)
      const whole =
        isInside && tree[target] !== undefined ? folderOf({ [target]: tree[target] }, "")[target] : undefined
      if (whole !== undefined) held[inside] = whole
    }
  }
  return held
}

const importedAll = async (person: Workspace, tree: Tree): Promise<Connected & { readonly dir: string }> => {
  const dir = repositoryIn(plane, tree)
  const connected = await withoutApprovals(person, await connect(person, dir))
  const { syncEvent } = await imported(person, connected)
  if (syncEvent !== null) await ended(person, syncEvent.id)
  return { ...connected, dir }
}

const manifest = (name: string) => JSON.stringify({ name, version: "1.0.0" }, null, 4)

const segment = fc
  .array(fc.constantFrom("a", "b", "é", "文", "_", "7", "x y", "Ω", "👩‍🚀"), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(""))
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 4000 }),
  fc.string({ maxLength: 200 }).map((text) => new TextEncoder().encode(text)),
  fc.constant(new TextEncoder().encode("\uFEFFa\r\nb\u0000"))
)
const roots = ["", "plugins/one", "plugins/one/inner", "plugins/two"]

/** A repository of four plugins: the root, a nested one, one nested in that, and a separate one. */
const repository = fc
  .record({
    files: fc.array(
      fc.record({
        root: fc.constantFrom(...roots),
        folders: fc.array(segment, { maxLength: 3 }),
        name: segment,
        content: bytes,
        isExecutable: fc.boolean()
      }),
      { maxLength: 25 }
    ),
    links: fc.array(fc.record({ root: fc.constantFrom(...roots), to: fc.nat(), escape: fc.boolean() }), {
      maxLength: 4
    })
  })
  .map(({ files, links }): Tree => {
    const tree: Tree = {
      ".claude-plugin/marketplace.json": JSON.stringify({
        name: "generated",
        owner: { name: "Acme" },
        plugins: roots.map((root, index) => ({ name: `p${index}`, source: `./${root}` }))
      })
    }
    for (const [index, root] of roots.entries()) {
      const at = (path: string) => (root === "" ? path : `${root}/${path}`)
      tree[at(".claude-plugin/plugin.json")] = manifest(`p${index}`)
      tree[at("skills/main/SKILL.md")] = skill(`main${index}`)
    }
    const names: Array<string> = []
    for (const [index, { content, folders, isExecutable, name, root }] of files.entries()) {
      // No path is a file and a folder, and no two paths differ only by case.
      const path = posix.join(root, ...folders.map((folder) => `${folder}.d`), `${name}-${index}.f`)
      names.push(path)
      tree[path] = isExecutable ? { executable: content } : content
    }
    for (const [index, { escape, root, to }] of links.entries()) {
      const target = escape || names.length === 0 ? "../../../../etc/passwd" : (names[to % names.length] ?? "")
      const at = posix.join(root, `link-${index}`)
      tree[at] = { symlink: escape ? target : posix.relative(posix.dirname(at) || ".", target) }
    }
    return tree
  })

describe("the archive of a plugin from a repository", () => {
  it("equals the plugin's folder byte for byte, including modes, for any folder content", async () => {
    await fc.assert(
      fc.asyncProperty(repository, async (tree) => {
        const person = await makeWorkspace(plane)
        await importedAll(person, tree)
        const archivesByName = await archives(person)
        expect(Object.keys(archivesByName).toSorted()).toEqual(["p0", "p1", "p2", "p3"])
        for (const [index, root] of roots.entries()) {
          expect(archivesByName[`p${index}`]).toEqual({ status: 200, files: folderOf(tree, root) })
        }
      }),
      { numRuns: 12 }
    )
  })

  it("follows the repository through pushes, and is restored by a rollback", async () => {
    const person = await makeWorkspace(plane)
    const first: Tree = {
      ".claude-plugin/plugin.json": manifest("moving"),
      "skills/a/SKILL.md": skill("a"),
      "bin/run": { executable: "#!/bin/sh\necho one\n" },
      "data/old.bin": new Uint8Array([0, 1, 2, 255])
    }
    const connected = await importedAll(person, first)
    const second: Tree = {
      ".claude-plugin/plugin.json": manifest("moving"),
      "skills/a/SKILL.md": skill("a"),
      "bin/run": "#!/bin/sh\necho one\n",
      "data/new.bin": new Uint8Array([9])
    }
    const revision = commit(connected.dir, { ...second, "data/old.bin": null })
    const selection = { autoImportNewPlugins: false, selectedKeys: ["."] }
    const plan = await until(
      () => person.client.connectors.plan(connected.instance.id, selection),
      (planned) => planned.revision === revision
    )
    expect(
      [plan.added, plan.changed, plan.removed].map((changes) => changes.map(({ kind, name }) => [kind, name]))
    ).toEqual([[["file", "data/new.bin"]], [["file", "bin/run"]], [["file", "data/old.bin"]]])
    expect([plan.counts.added.files, plan.counts.changed.files, plan.counts.removed.files]).toEqual([1, 1, 1])
    const event = await synced(person, connected)
    expect(event.counts).toMatchObject({
      objectsCreated: 0,
      objectsUpdated: 0,
      filesAdded: 1,
      filesChanged: 1,
      filesRemoved: 1
    })
    expect((await archives(person))["moving"]).toEqual({ status: 200, files: folderOf(second, "") })
    expect((await synced(person, connected)).counts).toMatchObject({ filesAdded: 0, filesChanged: 0, filesRemoved: 0 })
    const [row] = await rows<{ count: number }>(
      plane,
      (sql) => sql`SELECT count(*)::int AS count FROM plugin_files
        WHERE organization_id = ${person.organizationId} AND connector_target_id = ${connected.target.id}`
    )
    // Four at first, one new and one changed: unchanged files are not written again.
    expect(row).toEqual({ count: 6 })

    const rolledBack = await person.client.connectors.rollback(connected.instance.id, {
      revision: event.baseRevision ?? ""
    })
    const { counts } = await ended(person, rolledBack.id)
    expect(counts).toMatchObject({ filesAdded: 1, filesChanged: 1, filesRemoved: 1 })
    expect((await archives(person))["moving"]).toEqual({ status: 200, files: folderOf(first, "") })
  })

  it("contains the script that its hook runs", async () => {
    const person = await makeWorkspace(plane)
    const hooks = {
      hooks: { Stop: [{ hooks: [{ type: "command", command: "${CLAUDE_PLUGIN_ROOT}/hooks/stop-hook.sh" }] }] }
    }
    await importedAll(person, {
      ".claude-plugin/plugin.json": manifest("hooked"),
      "hooks/hooks.json": JSON.stringify(hooks),
      "hooks/stop-hook.sh": { executable: '#!/bin/sh\n. "$(dirname "$0")/lib/say.sh"\nsay "stopped"\n' },
      "hooks/lib/say.sh": 'say() { printf "hook: %s" "$1"; }\n'
    })
    const archive = (await archives(person))["hooked"]
    const folder = mkdtempSync(join(tmpdir(), "orgplane-installed-"))
    try {
      for (const [path, { bytes, isExecutable }] of Object.entries(archive?.files ?? {})) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), Buffer.from(bytes, "latin1"))
        chmodSync(join(folder, path), isExecutable ? 0o755 : 0o644)
      }
      const installed = JSON.parse(Buffer.from(archive?.files?.["hooks/hooks.json"]?.bytes ?? "", "latin1").toString())
      const { command } = installed.hooks.Stop[0].hooks[0]
      const output = execFileSync("/bin/sh", ["-c", command], { env: { ...process.env, CLAUDE_PLUGIN_ROOT: folder } })
      expect(output.toString()).toBe("hook: stopped")
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("adds objects that members add to the plugin, and leaves out objects that they archived", async () => {
    const person = await makeWorkspace(plane)
    const tree: Tree = {
      ".claude-plugin/plugin.json": manifest("edited"),
      "skills/a/SKILL.md": skill("a"),
      "commands/go.md": "Go.",
      "lib/data.bin": new Uint8Array([0, 200])
    }
    await importedAll(person, tree)
    const [plugin] = await all(person.client.plugins.list())
    if (plugin === undefined) throw new Error("There is no plugin.")
    const created = await person.client.configObjects.create({
      pluginIds: [plugin.id],
      input: { type: "skill", rawSourceText: skill("b") }
    })
    const objects = await all(person.client.plugins.listObjects(plugin.id))
    const command = objects.find(({ configObject }) => configObject.objectType === "command")?.configObject
    if (command === undefined) throw new Error("There is no command.")
    await person.client.configObjects.archive(command.id)
    const { "commands/go.md": _archived, ...keptFiles } = folderOf(tree, "")
    expect(created.objectType).toBe("skill")
    expect((await archives(person))["edited"]).toEqual({
      status: 200,
      files: { ...keptFiles, "skills/b/SKILL.md": { bytes: latin(skill("b")), isExecutable: false } }
    })
  })

  it("merges components of the marketplace entry into the repository's manifest, and generates a missing manifest", async () => {
    const person = await makeWorkspace(plane)
    const entry = { mcpServers: { more: { url: "https://mcp.example/" } }, commands: ["./extra/go.md"] }
    await importedAll(person, {
      ".claude-plugin/marketplace.json": JSON.stringify({
        name: "m",
        owner: { name: "Acme" },
        plugins: [
          { name: "with", source: "./with", ...entry },
          { name: "without", source: "./without", ...entry }
        ]
      }),
      "with/.claude-plugin/plugin.json": JSON.stringify({ name: "with", license: "MIT", commands: "./own.md" }),
      "with/own.md": "Own.",
      "with/extra/go.md": "Go.",
      "without/extra/go.md": "Go.",
      "without/data.txt": "data"
    })
    const archivesByName = await archives(person)
    const manifestIn = (name: string) =>
      JSON.parse(archivesByName[name]?.files?.[".claude-plugin/plugin.json"]?.bytes ?? "null")
    expect(manifestIn("with")).toEqual({
      name: "with",
      license: "MIT",
      commands: ["./own.md", "./extra/go.md"],
      mcpServers: { more: { url: "https://mcp.example/" } }
    })
    expect(manifestIn("without")).toMatchObject({ name: "without", ...entry })
    expect(Object.keys(archivesByName["without"]?.files ?? {}).toSorted()).toEqual([
      ".claude-plugin/plugin.json",
      "data.txt",
      "extra/go.md"
    ])
  })
})

describe("a plugin that exceeds the limits", () => {
  const small = async () => {
    const narrow = await makeControlPlane({ pluginBounds: { fileBytesMax: 1000, filesMax: 4, bytesMax: 2000 } })
    return { narrow, person: await makeWorkspace(narrow) }
  }

  it("has no archive, and discovery, plan and sync report the size, the limit and the fix", async () => {
    const { narrow, person } = await small()
    const dir = repositoryIn(narrow, {
      "one/.claude-plugin/plugin.json": manifest("one"),
      "one/skills/a/SKILL.md": skill("a"),
      "one/big.bin": Buffer.alloc(1001),
      "two/.claude-plugin/plugin.json": manifest("two"),
      "two/skills/a/SKILL.md": skill("a"),
      ...Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`two/${index}.txt`, "x"])),
      "three/.claude-plugin/plugin.json": manifest("three"),
      "three/skills/a/SKILL.md": skill("a"),
      "three/a.bin": Buffer.alloc(999),
      "three/b.bin": Buffer.alloc(999, 1),
      "four/.claude-plugin/plugin.json": manifest("four"),
      "four/skills/a/SKILL.md": skill("a")
    })
    const connected = await withoutApprovals(person, await connect(person, dir))
    const discovered = await person.client.connectors.discovery(connected.instance.id)
    const reports = [
      expect.stringContaining(
        'Plugin "one": The plugin has no archive: "one/big.bin" has 1 001 bytes, and the limit for a file is 1 000 bytes. Make the file smaller, keep it elsewhere, or raise ORGPLANE_PLUGIN_FILE_BYTES.'
      ),
      expect.stringContaining('Plugin "three": The plugin has no archive: its folder has 2 '),
      expect.stringContaining('Plugin "two": The plugin has no archive: its folder has 5 files, and the limit is 4.')
    ]
    expect(discovered.warnings).toEqual(expect.arrayContaining(reports))
    const selectedKeys = discovered.discoveredPlugins.map(({ key }) => key)
    const plan = await person.client.connectors.plan(connected.instance.id, {
      autoImportNewPlugins: false,
      selectedKeys
    })
    expect(plan.warnings).toEqual(expect.arrayContaining(reports))
    const { syncEvent } = await imported(person, connected, { selectedKeys })
    const event = await ended(person, syncEvent?.id ?? "")
    expect(event.warnings).toEqual(expect.arrayContaining(reports))
    const delivered: Record<string, number> = {}
    for (const plugin of await all(person.client.plugins.list())) {
      const response = await fetched(narrow, `/v1/plugins/${plugin.id}/archive`, {
        authorization: `Bearer ${person.token}`
      })
      delivered[plugin.name] = response.status
      if (plugin.name === "one") expect(new TextDecoder().decode(response.bytes)).toContain("one/big.bin")
    }
    expect(delivered).toEqual({ one: 409, two: 409, three: 409, four: 200 })
  })
})

describe("references to files that a plugin does not have", () => {
  it("are reported by discovery, plan and sync", async () => {
    const person = await makeWorkspace(plane)
    const dir = repositoryIn(plane, {
      ".claude-plugin/plugin.json": manifest("dead"),
      "hooks/hooks.json": JSON.stringify({ a: "${CLAUDE_PLUGIN_ROOT}/hooks/gone.sh", b: "${CLAUDE_PLUGIN_ROOT}/lib" }),
      "lib/there.sh": "",
      ".mcp.json": '{"mcpServers":{"s":{"command":"node","args":["${CLAUDE_PLUGIN_ROOT}/dist/index.js"]}}}',
      "skills/a/SKILL.md": `${skill("a")}See [that](references/none.md), [this](more.md) and \`[no](code.md)\`.\n`,
      "skills/a/more.md": "More."
    })
    const connected = await withoutApprovals(person, await connect(person, dir))
    const reports = [
      'Plugin "dead": "hooks/hooks.json" refers to "hooks/gone.sh", which is not in the plugin.',
      'Plugin "dead": ".mcp.json" refers to "dist/index.js", which is not in the plugin.',
      'Plugin "dead": "skills/a/SKILL.md" refers to "skills/a/references/none.md", which is not in the plugin.'
    ]
    const dead = (warnings: ReadonlyArray<string>) =>
      warnings.filter((warning) => warning.includes("refers to")).toSorted()
    const discovered = await person.client.connectors.discovery(connected.instance.id)
    expect(dead(discovered.warnings)).toEqual(reports.toSorted())
    const plan = await person.client.connectors.plan(connected.instance.id, {
      autoImportNewPlugins: false,
      selectedKeys: ["."]
    })
    expect(dead(plan.warnings)).toEqual(reports.toSorted())
    const { syncEvent } = await imported(person, connected)
    expect(dead((await ended(person, syncEvent?.id ?? "")).warnings)).toEqual(reports.toSorted())
  })
})

describe("symbolic links of a plugin", () => {
  it("become copies of their targets inside its folder, and are refused with a warning when they leave it", async () => {
    const person = await makeWorkspace(plane)
    const tree: Tree = {
      "p/.claude-plugin/plugin.json": manifest("linked"),
      "p/skills/a/SKILL.md": skill("a"),
      "p/lib/run.sh": { executable: "#!/bin/sh\n" },
      "p/run": { symlink: "lib/run.sh" },
      "p/again": { symlink: "./run" },
      "p/folder": { symlink: "lib" },
      "p/outside": { symlink: "../secret.txt" },
      "p/absolute": { symlink: "/etc/passwd" },
      "p/climbing": { symlink: "../../../../etc/passwd" },
      "p/circle": { symlink: "circle" },
      "p/parent": { symlink: "." },
      "p/module": { submodule: "1".repeat(40) },
      "secret.txt": "secret"
    }
    const { instance } = await importedAll(person, tree)
    const files = (await archives(person))["linked"]?.files ?? {}
    const script = { bytes: "#!/bin/sh\n", isExecutable: true }
    expect(files).toEqual({
      ".claude-plugin/plugin.json": { bytes: manifest("linked"), isExecutable: false },
      "skills/a/SKILL.md": { bytes: latin(skill("a")), isExecutable: false },
      "lib/run.sh": script,
      "folder/run.sh": script,
      run: script,
      again: script
    })
    const { warnings } = await person.client.connectors.discovery(instance.id)
    expect(warnings).toContain(
      'Plugin "linked": Ignored "p/outside": it is a symbolic link to "secret.txt", outside the plugin\'s folder. Copy the file into the plugin.'
    )
    for (const path of ["absolute", "climbing", "circle", "parent"]) {
      expect(warnings).toContain(`Ignored "p/${path}": it is a symbolic link.`)
    }
    expect(warnings).toContain('Ignored "p/module": it is a submodule.')
  })
})

describe("a repository with a file that cannot be read", () => {
  it("is imported without that file, which is named in a warning", async () => {
    const person = await makeWorkspace(plane)
    const dir = repositoryIn(plane, {
      ".claude-plugin/plugin.json": manifest("hurt"),
      "skills/a/SKILL.md": skill("a"),
      "skills/b/SKILL.md": skill("b"),
      "data/lost.bin": "lost for ever"
    })
    for (const content of ["lost for ever", skill("b")]) {
      const sha = writeObject(gitDirOf(dir), "blob", content)
      rmSync(join(gitDirOf(dir), "objects", sha.slice(0, 2), sha.slice(2)))
    }
    const connected = await withoutApprovals(person, await connect(person, dir))
    const { syncEvent } = await imported(person, connected)
    const event = await ended(person, syncEvent?.id ?? "")
    expect(event.status).toBe("partial")
    for (const path of ["data/lost.bin", "skills/b/SKILL.md"]) {
      expect(event.warnings.filter((warning) => warning.includes(`"${path}" cannot be read`))).toHaveLength(1)
    }
    expect(Object.keys((await archives(person))["hurt"]?.files ?? {}).toSorted()).toEqual([
      ".claude-plugin/plugin.json",
      "skills/a/SKILL.md"
    ])
  })
})

describe("branches that were published before plugin files were imported", () => {
  it("are synced again once, although their commit is the same", async () => {
    const person = await makeWorkspace(plane)
    const tree: Tree = {
      ".claude-plugin/plugin.json": manifest("older"),
      "skills/a/SKILL.md": skill("a"),
      "data/x.bin": new Uint8Array([1, 0, 2])
    }
    const { instance, target } = await importedAll(person, tree)
    const { organizationId } = person
    // The state that the previous version left.
    await rows(
      plane,
      (sql) => sql`DELETE FROM plugin_files WHERE organization_id = ${organizationId} RETURNING 1 AS one`
    )
    await rows(
      plane,
      (sql) => sql`UPDATE plugins SET manifest_json = manifest_json #- '{setup,files}'
        WHERE organization_id = ${organizationId} RETURNING 1 AS one`
    )
    await rows(
      plane,
      (sql) => sql`UPDATE connector_targets SET reading_version = NULL, reconcile_at = now()
        WHERE organization_id = ${organizationId} RETURNING 1 AS one`
    )
    const before = await all(person.client.connectors.listSyncEvents(instance.id))
    expect(Object.keys((await archives(person))["older"]?.files ?? {})).not.toContain("data/x.bin")
    const round = () =>
      withServices(
        plane,
        Effect.flatMap(ReconcileService, (reconcile) => reconcile.round)
      )
    await round()
    const [again, ...others] = await all(person.client.connectors.listSyncEvents(instance.id))
    expect(others).toHaveLength(before.length)
    const event = await ended(person, again?.id ?? "")
    expect(event).toMatchObject({ trigger: "reconcile", revision: before[0]?.revision, connectorTargetId: target.id })
    expect((await archives(person))["older"]).toEqual({ status: 200, files: folderOf(tree, "") })
    await rows(
      plane,
      (sql) => sql`UPDATE connector_targets SET reconcile_at = now()
        WHERE organization_id = ${organizationId} RETURNING 1 AS one`
    )
    await round()
    expect(await all(person.client.connectors.listSyncEvents(instance.id))).toHaveLength(before.length + 1)
  })
})

describe("contents of files", () => {
  const blobsOf = (person: Workspace) =>
    rows<{ count: number; staged: number }>(
      plane,
      (sql) => sql`SELECT count(*)::int AS count, count(staged_at)::int AS staged FROM plugin_file_blobs
        WHERE organization_id = ${person.organizationId}`
    )

  it("are stored once for all plugins and versions, and are purged when nothing refers to them", async () => {
    const person = await makeWorkspace(plane)
    const shared = Buffer.from("shared by all")
    const { instance } = await importedAll(person, {
      "a/.claude-plugin/plugin.json": manifest("a"),
      "a/skills/s/SKILL.md": skill("s"),
      "a/data.bin": shared,
      "b/.claude-plugin/plugin.json": manifest("b"),
      "b/skills/s/SKILL.md": skill("s"),
      "b/data.bin": shared
    })
    // Two manifests, one skill and one content for both.
    expect(await blobsOf(person)).toEqual([{ count: 4, staged: 0 }])
    await person.client.connectors.remove(instance.id)
    expect(await blobsOf(person)).toEqual([{ count: 4, staged: 4 }])
    const purge = () =>
      withServices(
        plane,
        Effect.flatMap(SqlDatabase, (sql) => sweep(sql))
      )
    await purge()
    expect(await blobsOf(person)).toEqual([{ count: 4, staged: 4 }])
    await rows(
      plane,
      (sql) => sql`UPDATE plugin_file_blobs SET staged_at = now() - interval '25 hours'
        WHERE organization_id = ${person.organizationId} RETURNING 1 AS one`
    )
    await purge()
    expect(await blobsOf(person)).toEqual([{ count: 0, staged: 0 }])
  })

  it("count toward the storage quota of an unclaimed workspace, and are removed when it is exceeded", async () => {
    const person = await makeWorkspace(plane)
    await rows(
      plane,
      (sql) => sql`UPDATE organizations SET provisional_until = now() + interval '1 day'
        WHERE id = ${person.organizationId} RETURNING 1 AS one`
    )
    const dir = repositoryIn(plane, {
      ".claude-plugin/plugin.json": manifest("full"),
      "skills/a/SKILL.md": skill("a"),
      ...Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`data/${index}`, Buffer.alloc(4_700_000, index)]))
    })
    const connected = await withoutApprovals(person, await connect(person, dir))
    const { syncEvent } = await imported(person, connected)
    expect((await ended(person, syncEvent?.id ?? "")).error).toMatchObject({ code: "limit_exceeded" })
    expect(await blobsOf(person)).toEqual([{ count: 0, staged: 0 }])
  })
})
