/** A sync that stops at any step leaves the old state or the new one, and the next sync completes it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { rename, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { type ApplyInput, applyState, removeApplied } from "./apply.ts"
import { type Files, nodeFiles } from "./files.ts"
import type { FormatName, Scope } from "./paths.ts"
import { recordsOf, readRecord } from "./record.ts"
import { type DesiredState, desiredStateOf } from "./state.ts"
import type { UnpackedFile } from "./unpack.ts"

const folders: Array<string> = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

class Killed extends Error {}

/** Without flushing, which takes most of the time and matters only for power failures. */
const fastFiles: Files = {
  ...nodeFiles,
  create: (path, content, mode) => writeFile(path, content, { flag: "wx", mode }),
  rename
}

/** Fails at the given change, and at every later one, as if the process did not exist any more. */
const killedAt = (step: number): { readonly files: Files } => {
  let count = 0
  const changing = async <A>(change: () => Promise<A>): Promise<A> => {
    count += 1
    if (count >= step) throw new Killed()
    return change()
  }
  return {
    files: {
      ...fastFiles,
      makeDirectory: (path, mode) => changing(() => fastFiles.makeDirectory(path, mode)),
      create: (path, content, mode) =>
        changing(async () => {
          // Half of the file is on disk when the process is killed in the middle of a write.
          if (count + 1 === step) {
            await fastFiles.create(path, content.slice(0, Math.floor(content.length / 2)), mode)
            return
          }
          await fastFiles.create(path, content, mode)
        }),
      rename: (from, to) => changing(() => fastFiles.rename(from, to)),
      remove: (path) => changing(() => fastFiles.remove(path))
    }
  }
}

const stateOf = (
  revision: number,
  plugins: Readonly<Record<string, string>>,
  blocked: ReadonlyArray<string>
): DesiredState =>
  desiredStateOf({
    formatVersion: 1,
    organizationId: "org_1",
    orgMembershipId: "om_1",
    workerId: null,
    revision,
    generatedAt: "2026-01-15T06:00:00.000Z",
    validUntil: "2999-01-15T06:00:00.000Z",
    signingKeyId: "k1",
    policy: { desktopPolicy: { allowManageExtensions: false } },
    plugins: Object.entries(plugins).map(([name, text]) => ({
      pluginId: `plg_${name}`,
      name,
      archive: { url: text, format: "zip", sha256: Buffer.from(text.padEnd(32, ".")).toString("hex") },
      mode: "required",
      enabled: true,
      locked: true
    })),
    blocked: blocked.map((name) => ({ kind: "plugin", id: `plg_${name}`, name })),
    marketplaces: [{ marketplaceId: "mkt_1", name: "tools", plugins: [] }]
  })

const download: ApplyInput["download"] = async ({ archive, plugin }) => [
  {
    path: ".claude-plugin/plugin.json",
    content: Buffer.from(JSON.stringify({ name: plugin.name })),
    isExecutable: false
  },
  { path: "skills/a/SKILL.md", content: Buffer.from(archive?.url ?? ""), isExecutable: true } satisfies UnpackedFile
]

const states = {
  first: stateOf(1, { deploy: "First.", notes: "Notes." }, []),
  second: stateOf(2, { deploy: "Second.", review: "Review." }, ["mine"])
}

const machine = (format: FormatName, scope: Scope) => {
  const folder = mkdtempSync(join(tmpdir(), "orgplane-apply-"))
  folders.push(folder)
  const settingsFile = join(folder, "settings", "settings.json")
  const dataDirectory = join(folder, "data")
  mkdirSync(join(folder, "settings"))
  mkdirSync(dataDirectory)
  if (format === "claude-code" && scope === "user") {
    writeFileSync(settingsFile, '{"model": "opus", "enabledPlugins": {"mine@tools": true, "mine@x": true}}')
  }
  const context = (files: Files) => ({ files, paths: { settingsFile, dataDirectory }, format, scope, dryRun: false })
  const sync = (state: DesiredState, files: Files = fastFiles) =>
    applyState({ ...context(files), state, baseUrl: "https://orgplane.example", now: 0, download })
  /** What an agent reads. The number of the directory does not matter. */
  const view = (): unknown => {
    if (!existsSync(settingsFile)) return undefined
    const text = readFileSync(settingsFile, "utf8")
    const directory = /[^"]*\/generations\/\d+/.exec(text)?.[0]
    const contents =
      directory === undefined
        ? {}
        : Object.fromEntries(
            readdirSync(directory, { recursive: true, withFileTypes: true })
              .filter((entry) => entry.isFile())
              .map((entry) => {
                const path = join(entry.parentPath, entry.name)
                return [path.slice(directory.length), readFileSync(path, "utf8")]
              })
          )
    return { settings: JSON.parse(text.replaceAll(/\/generations\/\d+/gu, "/generations/N")) as unknown, contents }
  }
  return {
    dataDirectory,
    sync,
    remove: (files: Files = fastFiles) => removeApplied(context(files)),
    view,
    generations: () => readdirSync(join(dataDirectory, "generations")).length,
    leftovers: () => readdirSync(folder, { recursive: true }).filter((path) => /staging|-tmp$/u.test(String(path))),
    record: () => readRecord(fastFiles, dataDirectory)
  }
}
type MachineOf = ReturnType<typeof machine>

const targets = [
  ["claude-code", "user"],
  ["claude-code", "managed"],
  ["json", "user"]
] as const

describe.each(targets)("a sync of %s in the scope %s that is killed at any step", (format, scope) => {
  const expectedViews = async () => {
    const reference = machine(format, scope)
    const none = reference.view()
    await reference.sync(states.first)
    const first = reference.view()
    await reference.sync(states.second)
    const second = reference.view()
    const rename = (view: unknown, other: MachineOf) =>
      JSON.parse(JSON.stringify(view ?? null).replaceAll(reference.dataDirectory, other.dataDirectory)) as unknown
    return { none, first, second, rename }
  }

  const isOneOf = (actual: unknown, views: ReadonlyArray<unknown>) =>
    views.some((view) => JSON.stringify(view ?? null) === JSON.stringify(actual ?? null))

  it("leaves the old or the new state, and is completed by the next one", async () => {
    const { first, none, rename, second } = await expectedViews()
    let steps = 0
    for (let step = 1; ; step += 1) {
      const one = machine(format, scope)
      await one.sync(states.first)
      const { files } = killedAt(step)
      const outcome = await one.sync(states.second, files).then(
        () => "completed",
        (error: unknown) => (error instanceof Killed ? "killed" : error)
      )
      expect(["completed", "killed"]).toContain(outcome)
      const views = [rename(first, one), rename(second, one)]
      expect([step, isOneOf(one.view(), views)]).toEqual([step, true])
      // The next attempt may be killed too.
      await one.sync(states.second, killedAt(Math.max(1, step - 3)).files).catch(() => {})
      expect([step, isOneOf(one.view(), views)]).toEqual([step, true])
      await one.sync(states.second)
      expect(one.view()).toEqual(views[1])
      expect([one.generations() <= 2, one.leftovers()]).toEqual([true, []])
      expect(recordsOf(await one.record())).toHaveLength(1)
      await one.remove()
      expect(one.view()).toEqual(none)
      steps = step
      if (outcome === "completed") break
    }
    expect(steps).toBeGreaterThan(20)
  })

  it("goes back to an older state that is applied next", async () => {
    const { first, rename } = await expectedViews()
    for (const step of [5, 18, 22, 25, 27, 28, 29, 30, 31]) {
      const one = machine(format, scope)
      await one.sync(states.first)
      await one.sync(states.second, killedAt(step).files).catch(() => {})
      // As with a member whose assignments change back before the next sync.
      await one.sync({ ...states.first, revision: format === "json" ? 1 : 3 })
      expect([step, one.view()]).toEqual([step, rename(first, one)])
    }
  })

  it("removes everything, even if the removal is killed at any step", async () => {
    const { none } = await expectedViews()
    for (let step = 1; ; step += 1) {
      const one = machine(format, scope)
      await one.sync(states.first)
      const outcome = await one.remove(killedAt(step).files).then(
        () => "completed",
        () => "killed"
      )
      await one.remove()
      expect([step, one.view()]).toEqual([step, none])
      expect(readdirSync(one.dataDirectory)).toEqual([])
      if (outcome === "completed") break
    }
  })
})

describe("a settings file", () => {
  it("that another program changes during the sync is not overwritten", async () => {
    const one = machine("claude-code", "user")
    await one.sync(states.first)
    const file = join(one.dataDirectory, "../settings/settings.json")
    const files: Files = {
      ...fastFiles,
      create: async (path, content, mode) => {
        await fastFiles.create(path, content, mode)
        if (path.includes("staging")) writeFileSync(file, readFileSync(file, "utf8").replace("opus", "sonnet"))
      }
    }
    await expect(one.sync(states.second, files)).rejects.toThrow("was changed by another program. Try again.")
    await one.sync(states.second)
    expect(readFileSync(file, "utf8")).toContain('"model": "sonnet"')
  })
})
