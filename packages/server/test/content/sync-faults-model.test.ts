import type { Id } from "@orgplane/schema/shared/ids"
import * as fc from "fast-check"
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import { afterAll, describe, expect, it } from "vitest"
import { commit, readRefs, writeRef } from "../../../../test/fixtures/git.ts"
import { serveGit } from "../../../../test/fixtures/git-server.ts"
import { ReconcileService } from "../../src/content/connectors/reconcile.ts"
import { SyncService } from "../../src/content/connectors/sync.ts"
import {
  all,
  connect,
  type Connected,
  contents,
  ended,
  hurry,
  imported,
  isEnded,
  marketplace,
  repositoryIn,
  rows,
  until
} from "./connectors.fixture.ts"
import {
  engine,
  makeControlPlane,
  makeDatabase,
  makeWorkspace,
  type TestPlane,
  withServices,
  type Workspace
} from "../harness.ts"
import { filesIn, replay, type Revision } from "./sync-model.ts"
import { push, tell } from "./webhooks.fixture.ts"

/**
 * Random histories of a repository with lost, repeated and late events, while syncs are interrupted at named points.
 * Only complete revisions are ever visible, and in the end everything equals the head, including the number of
 * versions.
 */
const outbound = { allowCidrs: ["127.0.0.0/8"], allowHttp: true }
const seed = 20_260_301
const listed = ["alpha", "beta"]
const manifestPath = ".claude-plugin/marketplace.json"
const slots = listed.flatMap((plugin) => [0, 1, 2].map((index) => `plugins/${plugin}/commands/f${index}.md`))

/** The points where a run is interrupted. */
const faults = ["publish", "stage", "lease", "limit", "cut"] as const
type Fault = (typeof faults)[number]

interface Model {
  head: Revision
  sha: string
  readonly history: Map<string, Revision>
  delivered: number
}

interface Real {
  readonly planes: ReadonlyArray<TestPlane>
  readonly owner: Workspace
  readonly dir: string
  readonly connected: Connected
  readonly server: { respond: ((response: ServerResponse) => void) | undefined }
  /** Which of the runs the test starts itself. */
  readonly isByHand: boolean
}

const closing: Array<() => Promise<void>> = []
afterAll(() => Promise.all(closing.map((close) => close())))

let count = 0
const openEvents = ({ owner, planes }: Real) =>
  rows<{ id: string }>(
    planes[0] as TestPlane,
    (sql) => sql`SELECT id FROM sync_events
      WHERE organization_id = ${owner.organizationId} AND status IN ('queued', 'running') ORDER BY id`
  )

/** Makes everything that is delayed due. */
const letTimePass = async ({ owner, planes: [plane] }: Real) => {
  if (plane === undefined) return
  await rows(
    plane,
    (sql) => sql`UPDATE connector_targets SET paused_until = NULL, lease_holder = NULL, reconcile_at = now()
      WHERE organization_id = ${owner.organizationId}`
  )
}

/** Interrupts every run that reaches the point, until reset. Each plane has its own database with triggers. */
const prepared = async (plane: TestPlane) => {
  await rows(plane, (sql) => sql`CREATE TABLE test_faults (kind text NOT NULL)`)
  await rows(plane, (sql) => sql`GRANT SELECT ON test_faults TO PUBLIC`)
  await rows(plane, (sql) =>
    sql.unsafe(`CREATE FUNCTION test_fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT 1 FROM test_faults WHERE kind = TG_ARGV[0]) THEN RAISE EXCEPTION 'broken off at %', TG_ARGV[0]; END IF;
      IF TG_ARGV[0] = 'stage' AND EXISTS (SELECT 1 FROM test_faults WHERE kind = 'lease') THEN
        UPDATE connector_targets SET lease_holder = 'another' WHERE lease_holder IS NOT NULL;
      END IF;
      RETURN NULL; END $$`)
  )
  await rows(plane, (sql) =>
    sql.unsafe(`CREATE TRIGGER test_publish AFTER INSERT ON source_bindings FOR EACH STATEMENT
      EXECUTE FUNCTION test_fault('publish')`)
  )
  await rows(plane, (sql) =>
    sql.unsafe(`CREATE TRIGGER test_stage AFTER INSERT ON sync_staged FOR EACH STATEMENT
      EXECUTE FUNCTION test_fault('stage')`)
  )
}

const withFault = async (real: Real, fault: Fault | undefined, run: () => Promise<unknown>) => {
  const [plane] = real.planes
  if (plane === undefined) return
  if (fault === "limit") {
    real.server.respond = (response) => {
      response.writeHead(429, { "retry-after": "60" })
      response.end()
    }
  } else if (fault === "cut") real.server.respond = (response) => response.destroy()
  else if (fault !== undefined) await rows(plane, (sql) => sql`INSERT INTO test_faults (kind) VALUES (${fault})`)
  await run()
  real.server.respond = undefined
  await rows(plane, (sql) => sql`DELETE FROM test_faults`)
}

const work = async (real: Real, fault?: Fault) => {
  const [plane] = real.planes
  if (plane === undefined) return
  await withFault(real, fault, async () => {
    for (const { id } of await openEvents(real)) {
      await withServices(
        plane,
        Effect.flatMap(SyncService, (sync) =>
          Effect.exit(
            sync.work({ organizationId: real.owner.organizationId as Id<"org">, syncEventId: id as Id<"cse"> })
          )
        )
      )
    }
  })
}

const reconcile = ({ planes }: Real) =>
  Promise.all(
    planes.map((plane) =>
      withServices(
        plane,
        Effect.flatMap(ReconcileService, (service) => service.round)
      )
    )
  )

const shownIn = async ({ owner }: Real) => {
  const seen = await contents(owner)
  return new Map(
    Object.values(seen)
      .flatMap((files) => Object.entries(files).map(([name, text]) => [name.replace(/^\w+ /, ""), text] as const))
      .sort()
  )
}
const expected = (revision: Revision | undefined) =>
  new Map([...filesIn(revision ?? { files: new Map(), listed })].sort())

/** The visible content is one complete revision: the last published one. */
const judge = async (model: Model, real: Real) => {
  const before = await real.owner.client.connectors.getInstance(real.connected.instance.id)
  const visible = await shownIn(real)
  const after = await real.owner.client.connectors.getInstance(real.connected.instance.id)
  if (before.lastSyncCursor !== after.lastSyncCursor) return
  expect(visible).toEqual(expected(model.history.get(after.lastSyncCursor ?? "")))
}

const advance = (model: Model, real: Real, files: ReadonlyMap<string, string>) => {
  const changes: Record<string, string | null> = {}
  for (const path of model.head.files.keys()) if (!files.has(path)) changes[path] = null
  for (const [path, text] of files) if (model.head.files.get(path) !== text) changes[path] = text
  if (Object.keys(changes).length === 0) return
  model.sha = commit(real.dir, changes)
  model.head = { files, listed }
  model.history.set(model.sha, model.head)
}

type Command = fc.AsyncCommand<Model, Real>
const command = (name: string, run: (model: Model, real: Real) => Promise<unknown> | void): Command => ({
  check: () => true,
  run: async (model, real) => {
    await run(model, real)
    await judge(model, real)
  },
  toString: () => name
})

/** Sends an event about the current or an earlier head, with a new delivery id or an earlier one. */
const notify = (name: string, pick: number, model: Model, real: Real) => {
  const plane = real.planes[pick % real.planes.length]
  const shas = [...model.history.keys()]
  const isAgain = name === "again" && model.delivered > 0
  const number = isAgain ? pick % model.delivered : model.delivered
  if (!isAgain) model.delivered += 1
  if (plane === undefined) return
  const after = name === "late" ? (shas[pick % shas.length] ?? model.sha) : model.sha
  const payload = push({ cloneUrl: real.connected.instance.remoteId, after })
  return tell(plane, "push", payload, `${real.owner.organizationId}-${number}`)
}

const commands = [
  fc.record({ slot: fc.nat(slots.length - 1), delivered: fc.boolean() }).map(({ slot, delivered: withDelivery }) =>
    command(`edit(${slot}, ${withDelivery})`, async (model, real) => {
      advance(model, real, new Map(model.head.files).set(slots[slot] ?? "", `# Text ${(count += 1)}\n`))
      if (withDelivery) await notify("new", slot, model, real)
    })
  ),
  fc.record({ slot: fc.nat(slots.length - 1), delivered: fc.boolean() }).map(({ slot, delivered: withDelivery }) =>
    command(`remove(${slot}, ${withDelivery})`, async (model, real) => {
      const files = new Map(model.head.files)
      files.delete(slots[slot] ?? "")
      advance(model, real, files)
      if (withDelivery) await notify("new", slot, model, real)
    })
  ),
  fc.record({ pick: fc.nat(1000), delivered: fc.boolean() }).map(({ pick, delivered: withDelivery }) =>
    command(`forcePush(${pick}, ${withDelivery})`, async (model, real) => {
      const shas = [...model.history.keys()]
      const sha = shas[pick % shas.length] ?? model.sha
      writeRef(real.dir, "refs/heads/main", sha)
      model.sha = sha
      model.head = model.history.get(sha) ?? model.head
      if (withDelivery) await notify("new", pick, model, real)
    })
  ),
  fc
    .record({ name: fc.constantFrom("new", "again", "late"), pick: fc.nat(1000) })
    .map(({ name, pick }) => command(`tell(${name}, ${pick})`, (model, real) => notify(name, pick, model, real))),
  fc.option(fc.constantFrom(...faults), { nil: undefined, freq: 4 }).map((fault) =>
    command(`work(${fault ?? "whole"})`, async (_, real) => {
      if (real.isByHand) await work(real, fault)
      else if (fault === "cut" || fault === "limit") await withFault(real, fault, () => reconcile(real))
    })
  ),
  fc.constant(command("time", (_, real) => letTimePass(real))),
  fc.constant(
    command("reconcile", async (_, real) => {
      await letTimePass(real)
      await reconcile(real)
    })
  )
]

/** Runs everything to the end without the events that are still pending. */
const settle = async (model: Model, real: Real) => {
  for (let turn = 0; ; turn += 1) {
    if (turn > 50) throw new Error("It does not come to an end.")
    await letTimePass(real)
    await reconcile(real)
    if (real.isByHand) await work(real)
    else {
      await until(
        async () => {
          for (const plane of real.planes) await hurry(plane)
          await letTimePass(real)
          return openEvents(real)
        },
        ({ length }) => length === 0
      )
    }
    const instance = await real.owner.client.connectors.getInstance(real.connected.instance.id)
    const isOpen = (await openEvents(real)).length > 0
    const [last] = await all(real.owner.client.connectors.listSyncEvents(real.connected.instance.id))
    if (last?.status === "review_required") {
      await real.owner.client.connectors.approveSync(last.id)
      continue
    }
    if (!isOpen && instance.lastSyncCursor === model.sha && instance.status === "active") return
  }
}

const prove = async (planes: ReadonlyArray<TestPlane>, isByHand: boolean, sequence: Iterable<Command>) => {
  const [plane] = planes
  if (plane === undefined) return
  const owner = await makeWorkspace(plane)
  const first: Revision = {
    listed,
    files: new Map(slots.slice(0, 4).map((path) => [path, `# Text ${(count += 1)}\n`]))
  }
  const dir = repositoryIn(plane, { [manifestPath]: marketplace(listed), ...Object.fromEntries(first.files) })
  const state: Real["server"] = { respond: undefined }
  const server = await serveGit(dir, {
    intercept: (_, response) => {
      state.respond?.(response)
      return state.respond !== undefined
    }
  })
  closing.push(server.close)
  const connected = await connect(owner, server.url)
  const sha = readRefs(dir).get("refs/heads/main") ?? ""
  const real: Real = { planes, owner, dir, connected, server: state, isByHand }
  const model: Model = { head: first, sha, history: new Map([[sha, first]]), delivered: 0 }
  if (isByHand) {
    const discovered = await owner.client.connectors.discovery(connected.instance.id)
    await owner.call("POST", `/v1/connector-instances/${connected.instance.id}/discovery/apply?wait=0`, {
      autoImportNewPlugins: false,
      selectedKeys: discovered.discoveredPlugins.map(({ key }) => key)
    })
    await work(real)
  } else {
    const { syncEvent } = await imported(owner, connected)
    await ended(owner, syncEvent.id)
  }
  await fc.asyncModelRun(() => ({ model, real }), sequence)
  await settle(model, real)

  const events = (await all(owner.client.connectors.listSyncEvents(connected.instance.id))).filter(
    ({ status, trigger }) => trigger !== "apply" && (status === "completed" || status === "review_required")
  )
  expect(events.every(isEnded)).toBe(true)
  const inOrder = [...events].sort((a, b) => ((a.endedAt ?? "") < (b.endedAt ?? "") ? -1 : 1))
  const { present, versions } = replay(model, first, inOrder)
  expect(present).toEqual(filesIn(model.head))
  expect(await shownIn(real)).toEqual(expected(model.head))
  const stored = await rows<{ versions: number; live: number; bound: number; staged: number }>(
    plane,
    (sql) => sql`SELECT
        (SELECT count(*)::int FROM config_object_versions WHERE organization_id = ${owner.organizationId}) AS versions,
        (SELECT count(*)::int FROM config_objects
          WHERE organization_id = ${owner.organizationId} AND deleted_at IS NULL) AS live,
        (SELECT count(*)::int FROM source_bindings WHERE organization_id = ${owner.organizationId}) AS bound,
        (SELECT count(*)::int FROM sync_staged WHERE organization_id = ${owner.organizationId}) AS staged`
  )
  expect(stored).toEqual([{ versions, live: present.size, bound: present.size, staged: 0 }])
}

describe("an organization's content ends equal to the head", () => {
  it("in 25 random histories with lost, repeated, late and interrupted work", async () => {
    const plane = await makeControlPlane({ workers: false, outbound, reconcileSeconds: 600, logLevel: "none" })
    await prepared(plane)
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 25 }), (sequence) => prove([plane], true, sequence)),
      { numRuns: 25, seed, endOnFailure: true }
    )
  }, 240_000)

  it.runIf(engine === "postgres")(
    "in 5 random histories with two processes on one queue",
    async () => {
      const options = {
        database: await makeDatabase(),
        outbound,
        reconcileSeconds: 600,
        logLevel: "none" as const
      }
      const planes = [await makeControlPlane(options), await makeControlPlane(options)]
      await prepared(planes[0] as TestPlane)
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, { maxCommands: 20 }), (sequence) => prove(planes, false, sequence)),
        { numRuns: 5, seed, endOnFailure: true }
      )
    },
    240_000
  )
})
