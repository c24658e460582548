import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { ServerResponse } from "node:http"
import { afterAll, describe, expect, it } from "vitest"
import { commit } from "../../../../test/fixtures/git.ts"
import { serveGit } from "../../../../test/fixtures/git-server.ts"
import { SyncService } from "../../src/content/connectors/sync.ts"
import {
  connect,
  contents,
  ended,
  imported,
  isEnded,
  marketplace,
  repositoryIn,
  rows,
  until
} from "./connectors.fixture.ts"
import {
  addMember,
  engine,
  makeControlPlane,
  makeDatabase,
  makeWorkspace,
  type TestPlane,
  withServices
} from "../harness.ts"

const outbound = { allowCidrs: ["127.0.0.0/8"], allowHttp: true }
/** Without workers: the tests run the jobs. */
const idle = await makeControlPlane({ workers: false, outbound })

const files = {
  ".claude-plugin/marketplace.json": marketplace(["alpha"]),
  "plugins/alpha/commands/go.md": "# Go\n"
}

const closing: Array<() => Promise<void>> = []
afterAll(() => Promise.all(closing.map((close) => close())))

const work = (plane: TestPlane, organizationId: string, syncEventId: string) =>
  withServices(
    plane,
    Effect.flatMap(SyncService, (sync) =>
      sync.work({ organizationId: organizationId as Id<"org">, syncEventId: syncEventId as Id<"cse"> })
    )
  )

/** A run that staged content and then lost its lease to another run, which has stopped as well. */
const breakOff = async (plane: TestPlane, organizationId: string, syncEventId: string, target: string) => {
  await rows(plane, (sql) =>
    sql.unsafe(`CREATE FUNCTION steal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      UPDATE connector_targets SET lease_holder = 'another' WHERE id = '${target}'; RETURN NULL; END $$`)
  )
  await rows(plane, (sql) =>
    sql.unsafe("CREATE TRIGGER steal AFTER INSERT ON sync_staged FOR EACH STATEMENT EXECUTE FUNCTION steal()")
  )
  await work(plane, organizationId, syncEventId)
  await rows(plane, (sql) => sql.unsafe("DROP TRIGGER steal ON sync_staged"))
  await rows(plane, (sql) => sql.unsafe("DROP FUNCTION steal()"))
  await rows(plane, (sql) => sql`UPDATE connector_targets SET lease_holder = NULL WHERE id = ${target}`)
}

/** An imported repository on a host that can be made unresponsive. */
const world = async (plane: TestPlane) => {
  const owner = await makeWorkspace(plane)
  const dir = repositoryIn(plane, files)
  const state = { holds: false }
  const held: Array<ServerResponse> = []
  const server = await serveGit(dir, {
    intercept: (_, response) => {
      if (state.holds) held.push(response)
      return state.holds
    }
  })
  closing.push(server.close)
  const connected = await connect(owner, server.url)
  const id = connected.instance.id
  const applied = await owner.call("POST", `/v1/connector-instances/${id}/discovery/apply?wait=0`, {
    selectedKeys: ["marketplace:alpha"],
    autoImportNewPlugins: false
  })
  const first: string = applied.body.item.syncEvent.id
  return { owner, dir, state, held, server, connected, first, target: connected.target.id }
}

interface Lease {
  readonly holder: string | null
  readonly seconds: number | null
}
const leaseOf = async (plane: TestPlane, targetId: string): Promise<Lease | undefined> =>
  (
    await rows<Lease>(
      plane,
      (sql) => sql`SELECT lease_holder AS holder,
      ceil(extract(epoch FROM lease_until - now()))::int AS seconds FROM connector_targets WHERE id = ${targetId}`
    )
  )[0]

const pendingOf = (plane: TestPlane, eventId: string) =>
  rows<{ id: string }>(
    plane,
    (sql) => sql`SELECT id FROM effect_queue
    WHERE state = 'pending' AND element LIKE ${`%${eventId}%`} ORDER BY sequence`
  )

describe("a run of a sync", () => {
  it("keeps the lease of its branch while it runs, and stops without a trace when it loses the lease", async () => {
    const { connected, dir, first, held, owner, server, state, target } = await world(idle)
    await work(idle, owner.organizationId, first)
    const before = await contents(owner)
    commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    state.holds = true
    const { id } = await owner.client.connectors.sync(connected.instance.id)
    await withServices(
      idle,
      Effect.gen(function* () {
        const sync = yield* SyncService
        const run = yield* sync
          .work({ organizationId: owner.organizationId as Id<"org">, syncEventId: id as Id<"cse"> })
          .pipe(Effect.forkChild)
        yield* Effect.promise(() =>
          until(
            async () => held.length,
            (count) => count > 0
          )
        )
        const newLease = yield* Effect.promise(() => leaseOf(idle, target))
        expect(newLease?.holder).toMatch(new RegExp(`^${id}/`))
        for (let turn = 0; turn < 4; turn++) {
          yield* Effect.promise(() =>
            rows(
              idle,
              (sql) => sql`UPDATE connector_targets SET lease_until = now() + interval '5 seconds' WHERE id = ${target}`
            )
          )
          yield* TestClock.adjust("10 seconds")
          yield* Effect.promise(() =>
            until(
              () => leaseOf(idle, target),
              (lease) => lease?.holder === newLease?.holder && (lease?.seconds ?? 0) > 20
            )
          )
        }
        yield* Effect.promise(() =>
          rows(idle, (sql) => sql`UPDATE connector_targets SET lease_holder = 'another' WHERE id = ${target}`)
        )
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(run)
      }).pipe(Effect.provide(TestClock.layer()))
    )
    // The other run keeps the lease, and the event waits.
    expect((await leaseOf(idle, target))?.holder).toBe("another")
    expect(isEnded(await owner.client.connectors.getSyncEvent(id))).toBe(false)
    expect(await contents(owner)).toEqual(before)
    expect((await pendingOf(idle, id)).length).toBe(2)
    // Without the lease it only waits.
    const seen = server.seen.length
    await work(idle, owner.organizationId, id)
    expect(server.seen.length).toBe(seen)
    expect(await owner.client.connectors.getSyncEvent(id)).toMatchObject({ attempt: 1 })
    state.holds = false
    await rows(
      idle,
      (sql) => sql`UPDATE connector_targets SET lease_until = now() - interval '1 second' WHERE id = ${target}`
    )
    await work(idle, owner.organizationId, id)
    expect(await owner.client.connectors.getSyncEvent(id)).toMatchObject({ status: "completed", attempt: 2 })
    // A third delivery of the job finds it completed.
    await work(idle, owner.organizationId, id)
    expect(await owner.client.connectors.getSyncEvent(id)).toMatchObject({ status: "completed", attempt: 2 })
    expect(await leaseOf(idle, target)).toEqual({ holder: null, seconds: null })
  })

  it("that loses its lease at the last moment does not publish its staged content", async () => {
    const { connected, dir, first, owner, target } = await world(idle)
    await work(idle, owner.organizationId, first)
    const before = await contents(owner)
    commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    const { id } = await owner.client.connectors.sync(connected.instance.id)
    await breakOff(idle, owner.organizationId, id, target)
    expect(await contents(owner)).toEqual(before)
    expect(isEnded(await owner.client.connectors.getSyncEvent(id))).toBe(false)
    await work(idle, owner.organizationId, id)
    expect(await contents(owner)).toEqual({ alpha: { "command plugins/alpha/commands/go.md": "# Gone on\n" } })
    expect(
      await rows(
        idle,
        (sql) => sql`SELECT 1 FROM config_object_versions WHERE organization_id = ${owner.organizationId}`
      )
    ).toHaveLength(2)
  })

  it("does not publish with an old setting when automatic import is switched on meanwhile", async () => {
    const { connected, dir, first, owner } = await world(idle)
    await work(idle, owner.organizationId, first)
    const before = await contents(owner)
    commit(dir, {
      ".claude-plugin/marketplace.json": marketplace(["alpha", "beta"]),
      "plugins/alpha/commands/go.md": "# Gone on\n",
      "plugins/beta/commands/new.md": "# New\n"
    })
    const { id } = await owner.client.connectors.sync(connected.instance.id)
    await rows(idle, (sql) =>
      sql.unsafe(`CREATE FUNCTION switch_on() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE connector_instances SET auto_import_new_plugins = true WHERE id = '${connected.instance.id}';
        RETURN NULL; END $$`)
    )
    await rows(idle, (sql) =>
      sql.unsafe("CREATE TRIGGER switch_on AFTER INSERT ON sync_staged FOR EACH STATEMENT EXECUTE FUNCTION switch_on()")
    )
    await work(idle, owner.organizationId, id)
    await rows(idle, (sql) => sql.unsafe("DROP TRIGGER switch_on ON sync_staged"))
    await rows(idle, (sql) => sql.unsafe("DROP FUNCTION switch_on()"))
    expect(await contents(owner)).toEqual(before)
    const next = await owner.client.connectors.sync(connected.instance.id)
    for (const event of new Set([id, next.id])) await work(idle, owner.organizationId, event)
    expect(Object.keys(await contents(owner)).toSorted()).toEqual(["alpha", "beta"])
  })

  it("that was started manually before a rollback does not follow the head after it", async () => {
    const { connected, dir, first, owner, target } = await world(idle)
    const { instance } = connected
    await work(idle, owner.organizationId, first)
    const before = await contents(owner)
    const { revision } = await owner.client.connectors.getSyncEvent(first)
    commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    const second = await owner.client.connectors.sync(instance.id)
    await work(idle, owner.organizationId, second.id)
    commit(dir, { "plugins/alpha/commands/go.md": "# Further\n" })
    // A running sync is not superseded by the rollback.
    const early = await owner.client.connectors.sync(instance.id)
    await breakOff(idle, owner.organizationId, early.id, target)
    const rollback = await owner.client.connectors.rollback(instance.id, { revision: revision ?? "" })
    await work(idle, owner.organizationId, rollback.id)
    expect((await owner.client.connectors.getSyncEvent(rollback.id)).status).toBe("completed")
    await work(idle, owner.organizationId, early.id)
    expect((await owner.client.connectors.getSyncEvent(early.id)).status).toBe("ignored")
    expect(await contents(owner)).toEqual(before)
    const late = await owner.client.connectors.sync(instance.id)
    await work(idle, owner.organizationId, late.id)
    expect((await owner.client.connectors.getSyncEvent(late.id)).status).toBe("completed")
    expect(await contents(owner)).toEqual({ alpha: { "command plugins/alpha/commands/go.md": "# Further\n" } })
  })

  it("that is held for its removals deletes the staged content of an earlier run", async () => {
    const { connected, dir, first, owner, target } = await world(idle)
    const more = Array.from({ length: 8 }, (_, index) => `plugins/alpha/commands/c${index}.md`)
    commit(dir, Object.fromEntries(more.map((path) => [path, `# ${path}\n`])))
    await work(idle, owner.organizationId, first)
    const staged = () =>
      rows(idle, (sql) => sql`SELECT 1 FROM sync_staged WHERE organization_id = ${owner.organizationId}`)

    commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    const { id } = await owner.client.connectors.sync(connected.instance.id)
    await breakOff(idle, owner.organizationId, id, target)
    expect(await staged()).toHaveLength(1)
    commit(dir, Object.fromEntries(more.map((path) => [path, null])))
    await work(idle, owner.organizationId, id)
    expect(await owner.client.connectors.getSyncEvent(id)).toMatchObject({ status: "review_required" })
    expect(await staged()).toEqual([])
  })

  it("that is stopped by a shutdown is not counted as an attempt", async () => {
    const { first, held, owner, state, target } = await world(idle)
    state.holds = true
    await withServices(
      idle,
      Effect.gen(function* () {
        const sync = yield* SyncService
        const run = yield* sync
          .work({ organizationId: owner.organizationId as Id<"org">, syncEventId: first as Id<"cse"> })
          .pipe(Effect.forkChild)
        yield* Effect.promise(() =>
          until(
            async () => held.length,
            (count) => count > 0
          )
        )
        yield* Fiber.interrupt(run)
      })
    )
    expect(await owner.client.connectors.getSyncEvent(first)).toMatchObject({ status: "running", attempt: 0 })
    expect(await leaseOf(idle, target)).toEqual({ holder: null, seconds: null })
  })

  it("fails with a reason after too many interruptions", async () => {
    const { connected, first, owner } = await world(idle)
    await rows(idle, (sql) => sql`UPDATE sync_events SET status = 'running', attempt = 6 WHERE id = ${first}`)
    await work(idle, owner.organizationId, first)
    expect(await owner.client.connectors.getSyncEvent(first)).toMatchObject({
      status: "failed",
      error: { code: "interrupted", message: "The sync was interrupted too many times." }
    })
    expect(await owner.client.connectors.getInstance(connected.instance.id)).toMatchObject({
      status: "error",
      statusReason: "The sync was interrupted too many times."
    })
  })

  it("is retried after an internal error, and fails without internal details", async () => {
    const { first, owner } = await world(idle)
    await rows(idle, (sql) =>
      sql.unsafe(`CREATE FUNCTION burst() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'secret words'; END $$`)
    )
    await rows(idle, (sql) =>
      sql.unsafe("CREATE TRIGGER burst BEFORE INSERT ON source_bindings FOR EACH STATEMENT EXECUTE FUNCTION burst()")
    )
    for (let attempt = 1; attempt <= 6; attempt++) {
      expect(isEnded(await owner.client.connectors.getSyncEvent(first))).toBe(false)
      await expect(work(idle, owner.organizationId, first)).rejects.toThrow()
      expect(await contents(owner)).toEqual({ alpha: {} })
    }
    await rows(idle, (sql) => sql.unsafe("DROP TRIGGER burst ON source_bindings"))
    await rows(idle, (sql) => sql.unsafe("DROP FUNCTION burst()"))
    expect(await owner.client.connectors.getSyncEvent(first)).toMatchObject({
      status: "failed",
      error: { code: "internal_error", message: "The sync failed because of an internal error." }
    })
    expect(
      await rows(idle, (sql) => sql`SELECT 1 FROM sync_staged WHERE organization_id = ${owner.organizationId}`)
    ).toEqual([])
  })
})

describe.runIf(engine === "postgres")("several control planes on one database", () => {
  it("take over the job of a stopped process when its lease expires", async () => {
    const database = await makeDatabase()
    const stoppedPlane = await makeControlPlane({ database, workers: false, outbound })
    const { first, owner, target } = await world(stoppedPlane)
    // The state that a killed process leaves behind.
    await rows(
      stoppedPlane,
      (sql) => sql`UPDATE sync_events SET status = 'running', attempt = 1, started_at = now() WHERE id = ${first}`
    )
    await rows(
      stoppedPlane,
      (sql) => sql`UPDATE connector_targets SET lease_holder = 'ghost', lease_until = now() + interval '2 seconds'
      WHERE id = ${target}`
    )
    await rows(
      stoppedPlane,
      (sql) =>
        sql`UPDATE effect_queue SET acquired_by = gen_random_uuid(), acquired_at = now() - interval '29 seconds', attempts = 1`
    )
    await rows(
      stoppedPlane,
      (sql) => sql`INSERT INTO sync_staged (organization_id, sync_event_id, object_id, version_id, object_type,
      title, content_digest) VALUES (${owner.organizationId}, ${first}, 'cob_half', 'cov_half', 'command', 'Half', 'x')`
    )
    await makeControlPlane({ database, outbound })
    expect(await ended(owner, first)).toMatchObject({ status: "completed", attempt: 2, counts: { objectsCreated: 1 } })
    expect(await contents(owner)).toEqual({ alpha: { "command plugins/alpha/commands/go.md": "# Go\n" } })
    expect(await rows(stoppedPlane, (sql) => sql`SELECT 1 FROM sync_staged`)).toEqual([])
  })

  it("share the work without repeating any", async () => {
    const database = await makeDatabase()
    const [a, b] = [await makeControlPlane({ database, outbound }), await makeControlPlane({ database, outbound })]
    const owner = await makeWorkspace(a)
    const askers = [await addMember(a, owner, "admin"), await addMember(b, owner, "admin")]
    const dirs = Array.from({ length: 6 }, () => repositoryIn(a, files))
    const connections = await Promise.all(
      dirs.map(async (dir) => {
        const server = await serveGit(dir)
        closing.push(server.close)
        return connect(owner, server.url)
      })
    )
    for (const connected of connections) await imported(owner, connected)
    for (const round of [1, 2]) {
      for (const dir of dirs) commit(dir, { "plugins/alpha/commands/go.md": `# Round ${round}\n` })
      await Promise.all(
        connections.flatMap(({ instance }) =>
          [...askers, ...askers].map(({ client }) => client.connectors.sync(instance.id))
        )
      )
      await until(
        () => rows(a, (sql) => sql`SELECT 1 FROM sync_events WHERE status IN ('queued', 'running')`),
        (open) => open.length === 0
      )
    }
    const events = await rows<{ status: string; attempt: number }>(
      a,
      (sql) => sql`SELECT DISTINCT status, attempt FROM sync_events`
    )
    expect(events).toEqual([{ status: "completed", attempt: 1 }])
    expect(
      await rows(
        a,
        (sql) => sql`SELECT ordinal, count(*)::int AS count FROM config_object_versions GROUP BY 1 ORDER BY 1`
      )
    ).toEqual([1, 2, 3].map((ordinal) => ({ ordinal, count: 6 })))
    // A job is removed from the queue a moment after its sync has ended.
    await until(
      () => rows(a, (sql) => sql`SELECT 1 FROM effect_queue WHERE state = 'pending'`),
      (pending) => pending.length === 0
    )
  })
})
