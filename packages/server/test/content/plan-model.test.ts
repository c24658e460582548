import * as fc from "fast-check"
import { expect, it } from "vitest"
import { commit, readRefs } from "../../../../test/fixtures/git.ts"
import { serveGit } from "../../../../test/fixtures/git-server.ts"
import {
  all,
  connect,
  type Connected,
  contents,
  ended,
  isEnded,
  repositoryIn,
  synced,
  until
} from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace, type Workspace } from "../harness.ts"

/**
 * Two invariants over random repositories and imports: an apply does exactly what the plan with its digest says, and a
 * rollback makes the content of a branch byte-identical to the publication of that revision.
 */
const plane = await makeControlPlane({ outbound: { allowCidrs: ["127.0.0.0/8"], allowHttp: true } })

const manifestPath = ".claude-plugin/marketplace.json"
const folders = ["alpha", "beta", "gamma"] as const
const kinds = ["commands", "agents"] as const

interface Repository {
  files: ReadonlyMap<string, string>
  /** The entries of the marketplace: the folder, and the name of the plugin. */
  listed: ReadonlyMap<string, string>
  renames: Readonly<Record<string, string>>
  /** Servers in the marketplace entry of alpha. */
  servers: Readonly<Record<string, string>>
}

let texts = 0
const aText = () => `# Text ${(texts += 1)}\n`

const manifestOf = ({ listed, renames, servers }: Repository) =>
  JSON.stringify({
    name: "acme-tools",
    owner: { name: "Acme" },
    renames,
    plugins: [...listed].map(([folder, name]) => ({
      name,
      source: `./plugins/${folder}`,
      ...(folder === "alpha" && Object.keys(servers).length > 0
        ? {
            mcpServers: Object.fromEntries(
              Object.entries(servers).map(([server, url]) => [server, { type: "http", url }])
            )
          }
        : {})
    }))
  })

const filesOf = (repository: Repository): Record<string, string> => ({
  [manifestPath]: manifestOf(repository),
  ...Object.fromEntries(repository.files)
})

type Step = (repository: Repository) => Repository

const step = fc
  .record({ pick: fc.nat(1000), where: fc.nat(11), what: fc.nat(8) })
  .map(({ pick, what, where }): Step => (repository) => {
    const files = new Map(repository.files)
    const paths = [...files.keys()].sort()
    const path = paths[pick % Math.max(1, paths.length)] ?? "plugins/alpha/commands/only.md"
    const folder = folders[where % 3] ?? "alpha"
    const place = `plugins/${folder}/${kinds[where % 2]}/f${pick % 13}.md`
    const listed = new Map(repository.listed)
    switch (what) {
      case 0:
        return { ...repository, files: files.set(path, aText()) }
      case 1:
        return { ...repository, files: files.set(place, aText()) }
      case 2:
        files.delete(path)
        return { ...repository, files }
      case 3: {
        const text = files.get(path) ?? aText()
        files.delete(path)
        return { ...repository, files: files.set(place, text) }
      }
      case 4:
        if (listed.has(folder)) listed.delete(folder)
        else listed.set(folder, folder)
        return { ...repository, listed }
      case 5: {
        const before = listed.get(folder)
        if (before === undefined) return repository
        const name = `${folder}-${pick}`
        listed.set(folder, name)
        return { ...repository, listed, renames: { [before]: name } }
      }
      case 6:
        return { ...repository, servers: { ...repository.servers, [`s${where}`]: `https://mcp.example/${pick}` } }
      case 7: {
        const { [`s${where}`]: _gone, ...servers } = repository.servers
        return { ...repository, servers }
      }
      default:
        for (const other of paths) if (other.startsWith(`plugins/${folder}/`)) files.delete(other)
        return { ...repository, files }
    }
  })

const start = (): Repository => ({
  files: new Map(
    folders.flatMap((folder) => [0, 1, 2].map((index) => [`plugins/${folder}/commands/f${index}.md`, aText()] as const))
  ),
  listed: new Map(folders.map((folder) => [folder, folder])),
  renames: {},
  servers: { s0: "https://mcp.example/0" }
})

const advance = (dir: string, before: Repository, after: Repository): string => {
  const changes: Record<string, string | null> = {}
  const [old, next] = [filesOf(before), filesOf(after)]
  for (const path of Object.keys(old)) if (!(path in next)) changes[path] = null
  for (const [path, text] of Object.entries(next)) if (old[path] !== text) changes[path] = text
  return commit(dir, changes)
}

/** Approves held syncs, and waits until all have ended. */
const through = async (owner: Workspace, id: string) => {
  const event = await ended(owner, id)
  if (event.status !== "review_required") return event
  await owner.client.connectors.approveSync(id)
  return ended(owner, id)
}

const snapshotOf = async (owner: Workspace, { target }: Connected) => {
  const seen = await contents(owner)
  const mappings = await all(owner.client.connectors.listMappings(target.id))
  const plugins = await all(owner.client.plugins.list())
  return {
    seen,
    objects: Object.entries(seen).flatMap(([plugin, files]) =>
      Object.entries(files).map(([path, text]) => [`${plugin} ${path}`, text] as const)
    ),
    mappings: new Set(mappings.map(({ id }) => id)),
    plugins: new Map<string, string>(plugins.map(({ id, name }) => [id, name]))
  }
}

const madeIn = async (way: "path" | "http") => {
  const owner = await makeWorkspace(plane)
  const repository = start()
  const dir = repositoryIn(plane, filesOf(repository))
  const server = way === "http" ? await serveGit(dir) : undefined
  const connected = await connect(owner, server?.url ?? dir)
  return { owner, dir, repository, connected, close: server?.close ?? (() => Promise.resolve()) }
}

const planLaw = async (way: "path" | "http", rounds: ReadonlyArray<Round>) => {
  const { close, connected, dir, owner, ...world } = await madeIn(way)
  const { id } = connected.instance
  const other = await connect(owner, repositoryIn(plane, { "skills/one/SKILL.md": "# One" }))
  let repository = world.repository
  let head = readRefs(dir).get("refs/heads/main")
  try {
    for (const round of rounds) {
      const next = round.steps.reduce((current, change) => change(current), repository)
      head = advance(dir, repository, next)
      repository = next
      const discovered = await until(
        async () => {
          // The last head is cached for two seconds, for whatever repository it was read.
          await owner.client.connectors.discovery(other.instance.id)
          return owner.client.connectors.discovery(id)
        },
        ({ sourceRevisionRef }) => sourceRevisionRef === head
      )
      const keys = discovered.discoveredPlugins.filter(({ supported }) => supported).map(({ key }) => key)
      const selectedKeys = keys.filter((_, index) => ((round.selected >> index) & 1) === 1)
      const body = { selectedKeys, autoImportNewPlugins: round.isAuto }
      const before = await snapshotOf(owner, connected)
      const plan = await owner.client.connectors.plan(id, body)
      expect(await owner.client.connectors.plan(id, { ...body, selectedKeys: [...selectedKeys].reverse() })).toEqual(
        plan
      )
      expect(await snapshotOf(owner, connected)).toEqual(before)
      const response = await owner.call("POST", `/v1/connector-instances/${id}/discovery/apply`, {
        ...body,
        planDigest: plan.digest
      })
      expect([response.status, response.body.error]).toEqual([200, undefined])
      const event = await through(owner, response.body.item.syncEvent.id)
      expect(event).toMatchObject({ status: "completed", revision: plan.revision })
      expect(event.counts).toMatchObject({
        objectsCreated: plan.counts.added.objects,
        objectsUpdated: plan.changed.filter(({ kind, was }) => kind === "object" && was === null).length,
        objectsDeleted: plan.counts.removed.objects
      })
      const after = await snapshotOf(owner, connected)
      const removedFrom = (from: ReadonlySet<string>, to: ReadonlySet<string>) =>
        [...from].filter((each) => !to.has(each))
      expect({
        added: removedFrom(after.mappings, before.mappings).length,
        removed: removedFrom(before.mappings, after.mappings).length
      }).toEqual({ added: plan.counts.added.mappings, removed: plan.counts.removed.mappings })
      const [idsBefore, idsAfter] = [new Set<string>(before.plugins.keys()), new Set<string>(after.plugins.keys())]
      const named = (changes: typeof plan.added) =>
        changes
          .filter(({ kind }) => kind === "plugin")
          .map(({ name }) => name)
          .sort()
      expect(
        removedFrom(idsAfter, idsBefore)
          .map((each) => after.plugins.get(each))
          .sort()
      ).toEqual(named(plan.added))
      expect(
        removedFrom(idsBefore, idsAfter)
          .map((each) => before.plugins.get(each))
          .sort()
      ).toEqual(named(plan.removed))
      const renamed = [...idsAfter].filter(
        (each) => idsBefore.has(each) && before.plugins.get(each) !== after.plugins.get(each)
      )
      expect(renamed.map((each) => after.plugins.get(each)).sort()).toEqual(named(plan.changed))
      // If no plugin was renamed, the paths can be matched by name with those of the plan.
      if (renamed.length === 0) {
        const [was, is] = [
          new Map<string, string | null>(before.objects),
          new Map<string, string | null>(after.objects)
        ]
        const nameOf = new Map(discovered.discoveredPlugins.map(({ displayName, key }) => [key, displayName]))
        const plannedObjects = plan.added.flatMap(({ kind, name, objectType, pluginKey, pointer }) =>
          kind === "object" && pointer === null ? [`${nameOf.get(pluginKey ?? "")} ${objectType} ${name}`] : []
        )
        const arrived = [...is.keys()].filter((key) => !was.has(key) && !key.includes(manifestPath))
        const movedTo = plan.changed.flatMap(({ name, was: from }) => (from === null ? [] : [name]))
        expect(arrived.filter((key) => !movedTo.some((path) => key.endsWith(` ${path}`))).sort()).toEqual(
          plannedObjects.filter((key) => !was.has(key)).sort()
        )
      }
      const idle = await owner.client.connectors.plan(id, body)
      expect([idle.added, idle.changed, idle.removed]).toEqual([[], [], []])
    }
  } finally {
    await close()
  }
}

interface Round {
  readonly steps: ReadonlyArray<Step>
  readonly selected: number
  readonly isAuto: boolean
}

const rounds = fc.array(
  fc.record({ steps: fc.array(step, { maxLength: 4 }), selected: fc.nat(7), isAuto: fc.boolean() }),
  { minLength: 1, maxLength: 3 }
)

it.each([
  ["path", 10],
  ["http", 5]
] as const)(
  "a plan over %s equals the result of its apply, in %i random histories",
  async (way, numRuns) => {
    await fc.assert(
      fc.asyncProperty(rounds, (history) => planLaw(way, history)),
      { numRuns, endOnFailure: true, interruptAfterTimeLimit: 800_000, markInterruptAsFailure: true }
    )
  },
  900_000
)

const rollbackLaw = async (way: "path" | "http", history: ReadonlyArray<RollbackRound>) => {
  const { close, connected, dir, owner, ...world } = await madeIn(way)
  const { id } = connected.instance
  let repository = world.repository
  const published = new Map<string, Awaited<ReturnType<typeof contents>>>()
  const keep = async (revision: string | null) => {
    if (revision !== null) published.set(revision, await contents(owner))
  }
  try {
    const discovered = await owner.client.connectors.discovery(id)
    const applied = await owner.client.connectors.apply(id, {
      selectedKeys: discovered.discoveredPlugins.map(({ key }) => key),
      autoImportNewPlugins: true
    })
    await keep((await through(owner, applied.syncEvent.id)).revision)
    for (const round of history) {
      for (const change of round.steps) {
        const next = change(repository)
        advance(dir, repository, next)
        repository = next
        const event = await owner.client.connectors.sync(id)
        await keep((await through(owner, event.id)).revision)
      }
      const revisions = [...published.keys()]
      const revision = revisions[round.pick % revisions.length] ?? ""
      const objects = () => all(owner.client.configObjects.list({ connectorInstanceId: id }))
      const before = new Map((await objects()).map((object) => [object.id, object]))
      const event = await ended(owner, (await owner.client.connectors.rollback(id, { revision })).id)
      expect(event).toMatchObject({ status: "completed", trigger: "rollback", revision, error: null })
      expect(await contents(owner)).toEqual(published.get(revision))
      expect(await owner.client.connectors.getTarget(connected.target.id)).toMatchObject({ pinnedRevision: revision })
      const after = await objects()
      // What differs got a new version; what was the same got none.
      const changed = after.filter((object) => {
        const was = before.get(object.id)
        return was !== undefined && was.latestVersion?.id !== object.latestVersion?.id
      })
      const fresh = after.filter((object) => !before.has(object.id))
      expect([changed.length, fresh.length]).toEqual([event.counts.objectsUpdated, event.counts.objectsCreated])
      for (const object of changed) {
        expect(object.latestVersion?.rawSourceText).not.toBe(before.get(object.id)?.latestVersion?.rawSourceText)
      }
      const keptIds = new Set(after.map((object) => object.id))
      expect([...before.keys()].filter((each) => !keptIds.has(each))).toHaveLength(event.counts.objectsDeleted)
      // Doing it twice is doing it once.
      const again = await ended(owner, (await owner.client.connectors.rollback(id, { revision })).id)
      expect(again.counts).toMatchObject({ objectsCreated: 0, objectsUpdated: 0, objectsDeleted: 0, pluginsCreated: 0 })
      if (!round.isFollowing) continue
      // What nobody asked for does not undo it; a sync by hand does.
      await owner.client.connectors.disable(id)
      await owner.client.connectors.enable(id)
      const events = await until(
        () => all(owner.client.connectors.listSyncEvents(id)),
        (list) => list.every(isEnded)
      )
      expect(events[0]).toMatchObject({ trigger: "enable", status: "ignored" })
      expect(await contents(owner)).toEqual(published.get(revision))
      const followed = await synced(owner, connected)
      await keep((await through(owner, followed.id)).revision)
      expect(await owner.client.connectors.getTarget(connected.target.id)).toMatchObject({ pinnedRevision: null })
    }
  } finally {
    await close()
  }
}

interface RollbackRound {
  readonly steps: ReadonlyArray<Step>
  readonly pick: number
  readonly isFollowing: boolean
}

const rollbackRounds = fc.array(
  fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    pick: fc.nat(100),
    isFollowing: fc.boolean()
  }),
  { minLength: 1, maxLength: 3 }
)

it.each([
  ["path", 10],
  ["http", 5]
] as const)(
  "a rollback over %s restores what was published, in %i random histories",
  async (way, numRuns) => {
    await fc.assert(
      fc.asyncProperty(rollbackRounds, (history) => rollbackLaw(way, history)),
      { numRuns, endOnFailure: true, interruptAfterTimeLimit: 800_000, markInterruptAsFailure: true }
    )
  },
  900_000
)
