import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { type Ask, inSession } from "../../packages/server/src/infra/sql/execute.ts"
import { startPostgres } from "../postgres/start.ts"
import { ask, makeFolder, makeWorkspace, startServer, until } from "./server.fixture.ts"

const postgres = await startPostgres({ fsync: true })
const url = await postgres.createDatabase("faults")
afterAll(() => postgres.stop())
const server = await startServer({
  ORGPLANE_DATABASE_URL: url,
  ORGPLANE_DATA_DIR: join(makeFolder(), "data"),
  ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one",
  ORGPLANE_LOG_LEVEL: "none"
})
const token = await makeWorkspace(server.baseUrl)

let sequence = 0
const batchOf = (count: number) => ({
  events: Array.from({ length: count }, () => ({
    id: `e${(sequence += 1)}`,
    type: "task.completed",
    timestamp: new Date().toISOString(),
    source: "app"
  }))
})
const send = (body: unknown) =>
  fetch(`${server.baseUrl}/v1/telemetry/ingest`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const connected = <A>(use: (ask: Ask) => Promise<A>): Promise<A> => inSession(url, use)
interface Stored {
  readonly events: number
  readonly ids: number
  readonly accepted: number
}
const stored = (): Promise<Stored> =>
  connected(async (query) => {
    const [row] = await query<Stored>(
      `SELECT count(*)::int AS events, count(DISTINCT event_id)::int AS ids,
        (SELECT coalesce(sum(accepted), 0)::int FROM telemetry_ledger) AS accepted FROM telemetry_events`
    )
    return row ?? { events: 0, ids: 0, accepted: 0 }
  })
/** Blocks writes to the ledger, as a disk that does not respond would. */
const stalled = <A>(use: (query: Ask) => Promise<A>): Promise<A> =>
  connected(async (query) => {
    await query("BEGIN")
    await query("LOCK TABLE telemetry_ledger IN ACCESS EXCLUSIVE MODE")
    try {
      return await use(query)
    } finally {
      await query("ROLLBACK")
    }
  })
/** Clears the snapshot first: within a transaction, pg_stat_activity shows what the first query of it saw. */
const waiting = async (query: Ask) => {
  await query("SELECT pg_stat_clear_snapshot()")
  return query<{ readonly pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%telemetry_ledger_ids%'"
  )
}

it("returns 503 while events cannot be written or exceed the buffer, and recovers automatically", async () => {
  expect((await send(batchOf(1))).status).toBe(204)
  const batches = Array.from({ length: 420 }, () => batchOf(50))
  const responses = await stalled(() => Promise.all(batches.map(send)))
  // The first requests fail after ten seconds, the last ones immediately.
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]))
  for (const response of responses) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  const health = await ask(server.baseUrl, undefined, "GET", "/v1/health")
  expect(health.status).toBe(200)
  const [again] = batches
  await until(
    () => send(again),
    ({ status }) => status === 204
  )
  const { accepted, events, ids } = await stored()
  expect([events, accepted]).toEqual([ids, events])
}, 300_000)

it("returns 503 if the connection is cut during a write, and counts no event twice after a retry", async () => {
  const batch = batchOf(20)
  const before = await stored()
  const cut = await stalled(async (query) => {
    const response = send(batch)
    const waitingPids = await until(
      () => waiting(query),
      (pids) => pids.length > 0
    )
    for (const { pid } of waitingPids) await query(`SELECT pg_terminate_backend(${pid})`)
    return response
  })
  expect(cut.status).toBe(503)
  await until(
    () => send(batch),
    ({ status }) => status === 204
  )
  const after = await stored()
  expect(after.ids - before.ids).toBe(20)
  expect(after.events).toBe(after.ids)
}, 300_000)

it("finishes accepted requests when it is stopped", async () => {
  const batch = batchOf(7)
  const before = await stored()
  const { response, ended } = await stalled(async (query) => {
    const response = send(batch)
    await until(
      () => waiting(query),
      (pids) => pids.length > 0
    )
    server.signal("SIGTERM")
    return { response, ended: server.ended }
  })
  expect((await response).status).toBe(204)
  expect((await ended).code).toBe(0)
  expect((await stored()).ids).toBe(before.ids + 7)
}, 300_000)
