import * as fc from "fast-check"
import { expect, it } from "vitest"
import { commit, readRefs, writeRef } from "../../../../test/fixtures/git.ts"
import {
  all,
  connect,
  type Connected,
  contents,
  ended,
  imported,
  isEnded,
  marketplace,
  repositoryIn,
  rows,
  synced,
  until
} from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace, type Workspace } from "../harness.ts"
import { filesIn, kindOf, replay, type Revision } from "./sync-model.ts"

/**
 * Random histories of a repository compared with the content of an organization. Each sync equals the model at the
 * revision it read, and in the end everything equals the head.
 */
const plane = await makeControlPlane()

const sequences = 30
const plugins = ["alpha", "beta"]
const folders = ["commands", "agents"] as const
const manifestPath = ".claude-plugin/marketplace.json"

/** The repository after the commands. */
interface Model {
  head: Revision
  sha: string
  readonly history: Map<string, Revision>
  texts: number
}

interface Real {
  readonly owner: Workspace
  readonly dir: string
  readonly connected: Connected
}

const advance = (model: Model, real: Real, next: Revision) => {
  const changes: Record<string, string | null> = { [manifestPath]: marketplace(next.listed) }
  for (const path of model.head.files.keys()) if (!next.files.has(path)) changes[path] = null
  for (const [path, text] of next.files) if (model.head.files.get(path) !== text) changes[path] = text
  model.sha = commit(real.dir, changes)
  model.head = next
  model.history.set(model.sha, next)
}

type Command = fc.AsyncCommand<Model, Real>

const command = (name: string, run: (model: Model, real: Real) => Promise<void> | void): Command => ({
  check: () => true,
  run: async (model, real) => run(model, real),
  toString: () => name
})

/** A change of files; `pick` chooses among the paths there are. */
const edit = (
  name: string,
  change: (files: Map<string, string>, path: string, fresh: (path?: string) => string) => void
) =>
  fc.record({ pick: fc.nat(1000), where: fc.nat(11) }).map(({ pick, where }) =>
    command(`${name}(${pick}, ${where})`, (model, real) => {
      const files = new Map(model.head.files)
      const paths = [...files.keys()].sort()
      const path = paths[pick % Math.max(1, paths.length)]
      if (path === undefined) return
      const place = `plugins/${plugins[where % 2]}/${folders[(where >> 1) % 2]}`
      change(files, path, (current) => current ?? `${place}/f${pick % 17}.md`)
      if (
        ![...files].every(([key, text]) => model.head.files.get(key) === text) ||
        files.size !== model.head.files.size
      ) {
        advance(model, real, { ...model.head, files })
      }
    })
  )

const textOf = (model: { texts: number }) => `# Text ${++model.texts}\n`
const texts = { texts: 0 }

const commands = [
  edit("edit", (files, path) => files.set(path, textOf(texts))),
  edit("add", (files, _, fresh) => files.set(fresh(), textOf(texts))),
  edit("remove", (files, path) => files.delete(path)),
  edit("rename", (files, path) => {
    files.set(path.replace(/f(\d+)\.md$/, "deep/g$1.md"), files.get(path) ?? "")
    if (!path.includes("/deep/")) files.delete(path)
  }),
  edit("copy", (files, path, fresh) => files.set(fresh(), files.get(path) ?? "")),
  edit("move", (files, path, fresh) => {
    const text = files.get(path) ?? ""
    files.delete(path)
    files.set(fresh(), text)
  }),
  edit("removeMany", (files, path) => {
    for (const other of [...files.keys()]) if (kindOf(other) === kindOf(path)) files.delete(other)
  }),
  fc
    .subarray(plugins, { minLength: 1 })
    .map((listed) =>
      command(`list(${listed.join()})`, (model, real) => advance(model, real, { ...model.head, listed }))
    ),
  fc.nat(1000).map((pick) =>
    command(`forcePush(${pick})`, (model, real) => {
      const shas = [...model.history.keys()]
      const sha = shas[pick % shas.length] ?? model.sha
      writeRef(real.dir, "refs/heads/main", sha)
      model.sha = sha
      model.head = model.history.get(sha) ?? model.head
    })
  ),
  fc.integer({ min: 1, max: 4 }).map((times) =>
    command(`request(×${times})`, async (_, { connected, owner }) => {
      await Promise.all(Array.from({ length: times }, () => owner.client.connectors.sync(connected.instance.id)))
    })
  ),
  fc.constant(command("sync", async (_, { connected, owner }) => void (await synced(owner, connected))))
]

const settle = ({ connected, owner }: Real) =>
  until(
    () => all(owner.client.connectors.listSyncEvents(connected.instance.id)),
    (events) => events.every(isEnded)
  )

it(`makes an organization's content equal to the head through ${sequences} random histories`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 18 }), async (sequence) => {
      const owner = await makeWorkspace(plane)
      const first: Revision = {
        listed: plugins,
        files: new Map(
          plugins.flatMap((plugin) =>
            Array.from({ length: 5 }, (_, index) => [`plugins/${plugin}/commands/f${index}.md`, textOf(texts)] as const)
          )
        )
      }
      const dir = repositoryIn(plane, { [manifestPath]: marketplace(plugins), ...Object.fromEntries(first.files) })
      const sha = readRefs(dir).get("refs/heads/main") ?? ""
      const connected = await connect(owner, dir)
      await imported(owner, connected, { autoImportNewPlugins: true })
      const real: Real = { owner, dir, connected }
      const model: Model = { head: first, sha, history: new Map([[sha, first]]), texts: 0 }
      await fc.asyncModelRun(() => ({ model, real }), sequence)

      await settle(real)
      const last = await synced(owner, connected)
      if (last.status === "review_required") {
        await owner.client.connectors.approveSync(last.id)
        expect((await ended(owner, last.id)).status).toBe("completed")
      }
      const events = (await settle(real)).filter(({ trigger }) => trigger !== "apply")
      const inOrder = [...events].sort((a, b) => ((a.endedAt ?? "") < (b.endedAt ?? "") ? -1 : 1))
      // An approved hold is no longer held, so holds are checked against the content when they ended.
      const { present, versions } = replay(model, first, inOrder)

      expect(present).toEqual(filesIn(model.head))
      const seen = await contents(owner)
      const visibleFiles = Object.values(seen).flatMap((files) =>
        Object.entries(files).map(([name, text]) => [name.replace(/^\w+ /, ""), text] as const)
      )
      expect(new Map(visibleFiles.sort())).toEqual(new Map([...filesIn(model.head)].sort()))
      expect(visibleFiles).toHaveLength(present.size)
      const stored = await rows<{ versions: number; live: number; bound: number; members: number }>(
        plane,
        (sql) => sql`SELECT
            (SELECT count(*)::int FROM config_object_versions WHERE organization_id = ${owner.organizationId}) AS versions,
            (SELECT count(*)::int FROM config_objects
              WHERE organization_id = ${owner.organizationId} AND deleted_at IS NULL) AS live,
            (SELECT count(*)::int FROM source_bindings WHERE organization_id = ${owner.organizationId}) AS bound,
            (SELECT count(*)::int FROM plugin_memberships
              WHERE organization_id = ${owner.organizationId} AND removed_at IS NULL) AS members`
      )
      expect(stored).toEqual([{ versions, live: present.size, bound: present.size, members: present.size }])
      expect(await rows(plane, (sql) => sql`SELECT 1 FROM sync_staged`)).toEqual([])
    }),
    { numRuns: sequences, endOnFailure: false, interruptAfterTimeLimit: 800_000, markInterruptAsFailure: true }
  )
}, 900_000)
