/** Syncs with a host that asks for a delay, and fair shares of a process for hosts and organizations. */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { IncomingMessage, ServerResponse } from "node:http"
import { afterAll, describe, expect, it } from "vitest"
import { commit, gitDirOf, readRefs, writeRef } from "../../../../test/fixtures/git.ts"
import { serveGit } from "../../../../test/fixtures/git-server.ts"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { ReconcileService } from "../../src/content/connectors/reconcile.ts"
import { SyncService } from "../../src/content/connectors/sync.ts"
import { connect, contents, ended, imported, marketplace, repositoryIn, rows, until } from "./connectors.fixture.ts"
import {
  engine,
  makeControlPlane,
  makeDatabase,
  makeWorkspace,
  type TestPlane,
  withServices,
  type Workspace
} from "../harness.ts"

const outbound = { allowCidrs: ["127.0.0.0/8"], allowHttp: true }
/** Without workers: the tests run the jobs. */
const idle = await makeControlPlane({ workers: false, outbound })

const closing: Array<() => Promise<void>> = []
afterAll(() => Promise.all(closing.map((close) => close())))

const text = "plugins/alpha/commands/go.md"
const files = { ".claude-plugin/marketplace.json": marketplace(["alpha"]), [text]: "# Go\n" }

const work = (plane: TestPlane, organizationId: string, syncEventId: string) =>
  withServices(
    plane,
    Effect.flatMap(SyncService, (sync) =>
      sync.work({ organizationId: organizationId as Id<"org">, syncEventId: syncEventId as Id<"cse"> })
    )
  )

/** A repository on its own host, whose responses can be replaced. */
const world = async (plane: TestPlane, owner?: Workspace) => {
  const person = owner ?? (await makeWorkspace(plane))
  const dir = repositoryIn(plane, files)
  const state: {
    respond: ((response: ServerResponse) => void) | undefined
    /** Requests that still get the regular response. */
    leaves: ((request: IncomingMessage) => boolean) | undefined
  } = { respond: undefined, leaves: undefined }
  const held: Array<ServerResponse> = []
  const server = await serveGit(dir, {
    intercept: (request, response) => {
      if (state.respond === undefined || state.leaves?.(request) === true) return false
      held.push(response)
      state.respond(response)
      return true
    }
  })
  closing.push(server.close)
  const connected = await connect(person, server.url)
  const applied = await person.call("POST", `/v1/connector-instances/${connected.instance.id}/discovery/apply?wait=0`, {
    selectedKeys: ["marketplace:alpha"],
    autoImportNewPlugins: false
  })
  const first: string = applied.body.item.syncEvent.id
  return { owner: person, dir, state, held, server, connected, first }
}
type World = Awaited<ReturnType<typeof world>>

const limited = (seconds: number) => (response: ServerResponse) => {
  response.writeHead(429, { "retry-after": String(seconds) })
  response.end()
}
const eventOf = (owner: Workspace, id: string) => owner.client.connectors.getSyncEvent(id)
const visible = async (owner: Workspace) => (await contents(owner))["alpha"]?.[`command ${text}`]
const pendingOf = (plane: TestPlane, eventId: string) =>
  rows<{ seconds: number }>(
    plane,
    (sql) => sql`SELECT round(extract(epoch FROM visible_at - now()::timestamp))::int AS seconds FROM effect_queue
      WHERE state = 'pending' AND element LIKE ${`%${eventId}%`} ORDER BY sequence DESC`
  )
const unpause = (plane: TestPlane, { connected }: World) =>
  rows(plane, (sql) => sql`UPDATE connector_targets SET paused_until = now() WHERE id = ${connected.target.id}`)
const pausesOf = async (plane: TestPlane, eventId: string) =>
  (await rows<{ pauses: number }>(plane, (sql) => sql`SELECT pauses FROM sync_events WHERE id = ${eventId}`))[0]?.pauses

describe("a host that asks for a delay", () => {
  it("is not contacted for that time, and the delay is not counted as an attempt", async () => {
    const it = await world(idle)
    const { first, owner, server, state } = it
    state.respond = limited(600)
    for (let turn = 1; turn <= 9; turn += 1) {
      await work(idle, owner.organizationId, first)
      expect(await eventOf(owner, first)).toMatchObject({
        status: "running",
        attempt: 0,
        error: { code: "rate_limited" }
      })
      expect(await pausesOf(idle, first)).toBe(turn)
      if (turn === 1) {
        const [{ seconds } = { seconds: 0 }] = await pendingOf(idle, first)
        expect(seconds).toBeGreaterThan(500)
        // The host is not contacted earlier, whatever wakes the job.
        const seen = server.seen.length
        await work(idle, owner.organizationId, first)
        await work(idle, owner.organizationId, (await owner.client.connectors.sync(it.connected.instance.id)).id)
        expect(server.seen.length).toBe(seen)
      }
      await unpause(idle, it)
    }
    expect(await owner.client.connectors.getInstance(it.connected.instance.id)).toMatchObject({ status: "active" })
    state.respond = undefined
    await work(idle, owner.organizationId, first)
    expect(await eventOf(owner, first)).toMatchObject({ status: "completed", attempt: 1, error: null })
    expect(await visible(owner)).toBe("# Go\n")
  })

  it("forever makes the sync fail in the end, with the reason on the connector", async () => {
    const it = await world(idle)
    const { first, owner, state } = it
    state.respond = limited(600)
    await rows(idle, (sql) => sql`UPDATE sync_events SET pauses = 48 WHERE id = ${first}`)
    await work(idle, owner.organizationId, first)
    expect(await eventOf(owner, first)).toMatchObject({ status: "failed", error: { code: "rate_limited" } })
    const instance = await owner.client.connectors.getInstance(it.connected.instance.id)
    expect(instance).toMatchObject({ status: "error", statusReason: expect.stringMatching(/./) })
  })

  it("during a sync publishes no partial content, and everything is read again", async () => {
    const it = await world(idle)
    const { connected, dir, first, owner, server, state } = it
    await work(idle, owner.organizationId, first)
    commit(dir, { [text]: "# Gone on\n", "plugins/alpha/commands/two.md": "# Two\n" })
    const { id } = await owner.client.connectors.sync(connected.instance.id)
    // The head request succeeds, and the content requests do not.
    let requestCount = 0
    state.leaves = ({ method }) => method === "GET" || (requestCount += 1) === 1
    state.respond = limited(30)
    const before = server.seen.length
    await work(idle, owner.organizationId, id)
    expect(requestCount).toBe(2)
    expect(server.seen.length).toBeGreaterThan(before)
    expect(await eventOf(owner, id)).toMatchObject({ status: "running", error: { code: "rate_limited" } })
    expect(await visible(owner)).toBe("# Go\n")
    state.leaves = undefined
    state.respond = undefined
    await unpause(idle, it)
    await work(idle, owner.organizationId, id)
    expect(await eventOf(owner, id)).toMatchObject({
      status: "completed",
      attempt: 1,
      counts: { objectsCreated: 1, objectsUpdated: 1 }
    })
    expect(await visible(owner)).toBe("# Gone on\n")
  })
})

describe("a permanent failure", () => {
  it("is attempted six times, then reported with its reason, and not retried automatically", async () => {
    const it = await world(idle)
    const { connected, first, owner, state } = it
    state.respond = (response) => response.destroy()
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      expect((await eventOf(owner, first)).status).not.toBe("failed")
      await work(idle, owner.organizationId, first)
    }
    const event = await eventOf(owner, first)
    expect(event).toMatchObject({ status: "failed", attempt: 6, error: { code: "unreachable" } })
    expect(await owner.client.connectors.getInstance(connected.instance.id)).toMatchObject({
      status: "error",
      statusReason: event.error?.message
    })
    const audit = await owner.call("GET", "/v1/audit-events?action=connector.sync_failed")
    expect(audit.body.items).toHaveLength(1)
    const { length } = it.held
    await work(idle, owner.organizationId, first)
    expect(it.held.length).toBe(length)
  })
})

describe("slow hosts and busy organizations", () => {
  const running = (plane: TestPlane) =>
    rows<{ id: string }>(plane, (sql) => sql`SELECT id FROM connector_targets WHERE lease_holder IS NOT NULL`)
  const silent = () => {}

  it("leave capacity for others: one organization runs a few syncs at once, and the rest waits without an attempt", async () => {
    const plane = await makeControlPlane({ workers: false, outbound })
    const slow = await makeWorkspace(plane, "Slow")
    const worlds: Array<World> = []
    for (let index = 0; index < 6; index += 1) worlds.push(await world(plane, slow))
    const other = await world(plane)
    for (const { state } of worlds) state.respond = silent
    await withServices(
      plane,
      Effect.gen(function* () {
        const sync = yield* SyncService
        const all = yield* Effect.forEach(worlds, ({ first, owner }) =>
          Effect.forkChild(
            sync.work({ organizationId: owner.organizationId as Id<"org">, syncEventId: first as Id<"cse"> })
          )
        )
        yield* Effect.promise(() =>
          until(
            async () => worlds.filter(({ held }) => held.length > 0).length,
            (n) => n === 3
          )
        )
        yield* Effect.promise(() =>
          until(
            () => running(plane),
            ({ length }) => length === 3
          )
        )
        // The others are queued again without an attempt.
        yield* Effect.promise(() =>
          until(
            () => Promise.all(worlds.map(({ first }) => pendingOf(plane, first))),
            (pending) => pending.filter(({ length }) => length === 2).length === 3
          )
        )
        const attempts = yield* Effect.promise(() =>
          Promise.all(worlds.map(({ first, owner }) => eventOf(owner, first)))
        )
        expect(attempts.map(({ attempt }) => attempt).sort()).toEqual([0, 0, 0, 1, 1, 1])
        // Another organization is served meanwhile.
        yield* Effect.promise(() => work(plane, other.owner.organizationId, other.first))
        expect(yield* Effect.promise(() => eventOf(other.owner, other.first))).toMatchObject({ status: "completed" })
        for (const world of worlds) world.state.respond = undefined
        yield* Fiber.interruptAll(all)
      })
    )
    for (const { first, owner } of worlds) {
      await work(plane, owner.organizationId, first)
      expect(await eventOf(owner, first)).toMatchObject({ status: "completed", attempt: 1 })
    }
  })

  it("leave capacity for others: at most a few syncs per host run at once, across all organizations", async () => {
    const plane = await makeControlPlane({ outbound })
    const dir = repositoryIn(plane, files)
    const state = { isSilent: false }
    const held: Array<ServerResponse> = []
    const server = await serveGit(dir, {
      intercept: (_, response) => {
        if (!state.isSilent) return false
        held.push(response)
        return true
      }
    })
    closing.push(server.close)
    const owners = await Promise.all(Array.from({ length: 6 }, () => makeWorkspace(plane)))
    const connections = []
    for (const owner of owners) {
      const connected = await connect(owner, server.url)
      await imported(owner, connected)
      connections.push({ owner, connected })
    }
    const other = await world(plane)
    await ended(other.owner, other.first)
    state.isSilent = true
    const waiting = []
    for (const { connected, owner } of connections) {
      waiting.push({ owner, id: (await owner.client.connectors.sync(connected.instance.id)).id })
    }
    await until(
      () => running(plane),
      ({ length }) => length === 3
    )
    commit(other.dir, { [text]: "# Meanwhile\n" })
    const event = await other.owner.client.connectors.sync(other.connected.instance.id)
    expect(await ended(other.owner, event.id)).toMatchObject({ status: "completed" })
    expect(await visible(other.owner)).toBe("# Meanwhile\n")
    // A finished run releases its branch a moment later.
    await until(
      () => running(plane),
      ({ length }) => length === 3
    )
    expect(held).toHaveLength(3)
    state.isSilent = false
    for (const response of held) response.destroy()
    for (const { id, owner } of waiting) expect((await ended(owner, id)).status).toBe("completed")
  })
})

describe("the reconciler", () => {
  const round = (plane: TestPlane) =>
    withServices(
      plane,
      Effect.flatMap(ReconcileService, (reconcile) => reconcile.round)
    )
  const makeDue = (plane: TestPlane) => rows(plane, (sql) => sql`UPDATE connector_targets SET reconcile_at = now()`)
  const queued = (plane: TestPlane) =>
    rows<{ id: string; trigger: string; organization_id: string }>(
      plane,
      (sql) => sql`SELECT id, trigger, organization_id FROM sync_events WHERE status = 'queued'`
    )
  const done = async (plane: TestPlane) => {
    for (const event of await queued(plane)) await work(plane, event.organization_id, event.id)
  }

  it("finds a push without a webhook once, and checks no earlier than the interval", async () => {
    const plane = await makeControlPlane({ workers: false, outbound, reconcileSeconds: 600 })
    const { dir, owner } = await world(plane)
    // A branch that was never imported from is skipped.
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 0, queued: 0 })
    await done(plane)
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 1, queued: 0 })
    commit(dir, { [text]: "# Missed\n" })
    // It is not due again yet.
    expect(await round(plane)).toEqual({ taken: 0, queued: 0 })
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 1, queued: 1 })
    expect((await queued(plane)).map(({ trigger }) => trigger)).toEqual(["reconcile"])
    await done(plane)
    expect(await visible(owner)).toBe("# Missed\n")
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 1, queued: 0 })
    const [{ seconds } = { seconds: 0 }] = await rows<{ seconds: number }>(
      plane,
      (sql) => sql`SELECT extract(epoch FROM reconcile_at - now())::int AS seconds FROM connector_targets`
    )
    expect([seconds > 400, seconds < 800]).toEqual([true, true])
  })

  it("skips branches that are disabled, held for approval or rejected", async () => {
    const plane = await makeControlPlane({ workers: false, outbound, reconcileSeconds: 600 })
    const { connected, dir, owner } = await world(plane)
    await done(plane)
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`plugins/alpha/commands/c${index}.md`, `# ${index}\n`])
    )
    commit(dir, many)
    await makeDue(plane)
    await round(plane)
    await done(plane)
    commit(dir, Object.fromEntries(Object.keys(many).map((path) => [path, null])))
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 1, queued: 1 })
    await done(plane)
    const [held] = (await owner.call("GET", `/v1/connector-instances/${connected.instance.id}/sync-events?limit=1`))
      .body.items
    expect(held.status).toBe("review_required")
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 1, queued: 0 })
    await owner.client.connectors.rejectSync(held.id)
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 1, queued: 0 })
    // The branch moves, which is a new revision to decide on.
    commit(dir, many)
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 1, queued: 1 })
    await done(plane)
    commit(dir, { [text]: "# Unseen\n" })
    await owner.client.connectors.disable(connected.instance.id)
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 0, queued: 0 })
  })

  it("reports an unreadable branch once, and notices when it is readable again", async () => {
    const plane = await makeControlPlane({ workers: false, outbound, reconcileSeconds: 600 })
    const { connected, dir, owner, state } = await world(plane)
    await done(plane)
    const status = async () => (await owner.client.connectors.getInstance(connected.instance.id)).status
    // A transient failure changes nothing.
    for (const respond of [(response: ServerResponse) => response.destroy(), limited(3600)]) {
      state.respond = respond
      await makeDue(plane)
      expect(await round(plane)).toEqual({ taken: 1, queued: 0 })
      expect(await status()).toBe("active")
    }
    state.respond = undefined
    const head = readRefs(dir).get("refs/heads/main") ?? ""
    writeRef(dir, "refs/heads/other", head)
    rmSync(join(gitDirOf(dir), "refs/heads/main"))
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 1, queued: 1 })
    await done(plane)
    expect(await status()).toBe("error")
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 1, queued: 0 })
    expect(await visible(owner)).toBe("# Go\n")
    writeRef(dir, "refs/heads/main", head)
    await makeDue(plane)
    expect(await round(plane)).toEqual({ taken: 1, queued: 1 })
    await done(plane)
    expect(await status()).toBe("active")
  })

  it("checks the branches of others while one organization's host is slow", async () => {
    const plane = await makeControlPlane({ workers: false, outbound, reconcileSeconds: 600 })
    const [slow, other] = [await world(plane), await world(plane)]
    await done(plane)
    await rows(
      plane,
      (sql) => sql`INSERT INTO connector_targets (organization_id, id, connector_instance_id, remote_id, branch,
          last_sync_cursor, created_at, updated_at)
        SELECT organization_id, id || n, connector_instance_id, remote_id || n, branch || n, last_sync_cursor, now(), now()
        FROM connector_targets, generate_series(1, 40) AS n WHERE id = ${slow.connected.target.id}`
    )
    commit(other.dir, { [text]: "# Missed\n" })
    slow.state.respond = () => undefined
    // They are claimed in the order of their due times.
    for (const { owner } of [slow, other]) {
      await rows(
        plane,
        (sql) => sql`UPDATE connector_targets SET reconcile_at = now() WHERE organization_id = ${owner.organizationId}`
      )
    }
    const whole = round(plane)
    const [pending] = await until(
      () => queued(plane),
      (events) => events.length > 0
    )
    expect(pending?.organization_id).toBe(other.owner.organizationId)
    expect(slow.held).toHaveLength(3)
    slow.state.respond = undefined
    for (const response of slow.held) response.destroy()
    expect(await whole).toMatchObject({ taken: 42 })
  })

  it.runIf(engine === "postgres")("checks each branch once per interval in several processes", async () => {
    const database = await makeDatabase()
    const options = { database, workers: false, outbound, reconcileSeconds: 600 }
    const planes = [await makeControlPlane(options), await makeControlPlane(options), await makeControlPlane(options)]
    const [first] = planes
    if (first === undefined) throw new Error("There is a first.")
    const worlds = []
    for (let index = 0; index < 5; index += 1) worlds.push(await world(first))
    await done(first)
    for (const { dir } of worlds) commit(dir, { [text]: "# Missed\n" })
    await makeDue(first)
    const rounds = await Promise.all(planes.map(round))
    expect(rounds.reduce((sum, { taken: claimed }) => sum + claimed, 0)).toBe(5)
    expect(rounds.reduce((sum, { queued }) => sum + queued, 0)).toBe(5)
    expect(await queued(first)).toHaveLength(5)
  })

  it("runs by itself in a process with workers", async () => {
    const plane = await makeControlPlane({ outbound, reconcileSeconds: 1 })
    const { dir, first, owner } = await world(plane)
    await ended(owner, first)
    // Nothing makes the branch due: a new branch is checked after one interval.
    commit(dir, { [text]: "# Found\n" })
    await until(
      () => visible(owner),
      (text) => text === "# Found\n"
    )
  })
})
