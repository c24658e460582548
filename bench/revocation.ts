/**
 * Measures how long a credential that is revoked on one process still works on another. Two control planes share one
 * PostgreSQL; the second is polled until it refuses. Also with notifications cut, blocked, and never sent.
 *
 *   node bench/revocation.ts [rounds]
 */
import * as Effect from "effect/Effect"
import { BootstrapService } from "../packages/server/src/identity/bootstrap/service.ts"
import { SqlDatabase } from "../packages/server/src/infra/sql/client.ts"
import { start } from "../packages/server/src/start.ts"
import { startNoticeProxy } from "../test/postgres/notice-proxy.ts"
import { startPostgres } from "../test/postgres/start.ts"

const rounds = Number(process.argv[2] ?? 50)
type Plane = Awaited<ReturnType<typeof start>>

const server = await startPostgres()
const url = await server.createDatabase("revocation")
const proxy = await startNoticeProxy(url)
const startOn = (url: string) =>
  start({
    database: { kind: "postgres", url, maxConnections: 6 },
    secretKeys: ["a secret for a benchmark only, long enough to be one"],
    logLevel: "error"
  })
const one = await startOn(url)
const other = await startOn(proxy.url)

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
let addresses = 0

const ask = async (on: Plane, credential: string, method: string, path: string, body?: object) => {
  const isKey = credential.startsWith("opk_")
  addresses += 1
  const response = await on.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: {
        [isKey ? "x-api-key" : "authorization"]: isKey ? credential : `Bearer ${credential}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }),
    { remoteAddress: `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}` }
  )
  const text = await response.text()
  return { status: response.status, text }
}

const makeOwner = () =>
  Effect.runPromise(
    Effect.flatMap(BootstrapService, (bootstrap) => bootstrap.seedWorkspace("Bench")).pipe(
      Effect.provideContext(one.services)
    )
  )

const secretOf = (text: string): { readonly id: string; readonly key: string } => {
  const body: unknown = JSON.parse(text)
  if (typeof body !== "object" || body === null || !("key" in body) || !("apiKey" in body)) throw new Error(text)
  const { apiKey, key } = body
  if (typeof apiKey !== "object" || apiKey === null || !("id" in apiKey)) throw new Error(text)
  return { id: String(apiKey.id), key: String(key) }
}

interface Case {
  readonly credential: string
  readonly path: string
  readonly revoke: () => Promise<{ readonly status: number; readonly text: string }>
}

const makeKey = async (owner: string, permissions: ReadonlyArray<string>) =>
  secretOf((await ask(one, owner, "POST", "/v1/api-keys", { name: "Bench", permissions })).text)

const cases: Readonly<Record<string, () => Promise<Case>>> = {
  "session signed out": async () => {
    const { token } = await makeOwner()
    return {
      credential: token,
      path: "/v1/organization",
      revoke: () => ask(one, token, "DELETE", "/v1/sessions/current")
    }
  },
  "key revoked": async () => {
    const { token } = await makeOwner()
    const { id, key } = await makeKey(token, [])
    const revoke = () => ask(one, token, "DELETE", `/v1/api-keys/${id}`)
    return { credential: key, path: "/v1/api-keys/current", revoke }
  },
  "key narrowed": async () => {
    const { token } = await makeOwner()
    const { id, key } = await makeKey(token, ["members:read"])
    const revoke = () => ask(one, token, "PATCH", `/v1/api-keys/${id}`, { permissions: [] })
    return { credential: key, path: "/v1/members", revoke }
  },
  "key rotated, no grace": async () => {
    const { token } = await makeOwner()
    const { id, key } = await makeKey(token, [])
    const revoke = () => ask(one, token, "POST", `/v1/api-keys/${id}/rotate`, { graceSeconds: 0 })
    return { credential: key, path: "/v1/api-keys/current", revoke }
  },
  "organization deleted": async () => {
    const { token } = await makeOwner()
    const { key } = await makeKey(token, [])
    return {
      credential: key,
      path: "/v1/api-keys/current",
      revoke: () => ask(one, token, "DELETE", "/v1/organization")
    }
  }
}

/** Makes the other process cache the credential. */
const warmCache = async ({ credential, path }: Case) => {
  for (let warm = 0; warm < 3; warm += 1) {
    const { status, text } = await ask(other, credential, "GET", path)
    if (status !== 200) throw new Error(`A valid credential got ${status}: ${text}`)
  }
}

const untilRefused = async ({ credential, path }: Case, everyMillis: number) => {
  const began = performance.now()
  while ((await ask(other, credential, "GET", path)).status === 200) await pause(everyMillis)
  return performance.now() - began
}

const table: Array<Record<string, string | number>> = []
const addRow = (what: string, notices: string, times: ReadonlyArray<number>) => {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1))
  table.push({
    revoked: what,
    notices,
    rounds: sorted.length,
    "median ms": at(0.5),
    "p95 ms": at(0.95),
    "max ms": at(1)
  })
}

const measure = async (make: () => Promise<Case>, everyMillis = 1) => {
  const access = await make()
  await warmCache(access)
  const { status, text } = await access.revoke()
  if (status >= 300) throw new Error(`The revocation got ${status}: ${text}`)
  return await untilRefused(access, everyMillis)
}

await pause(1500)
for (const [what, make] of Object.entries(cases)) {
  const times: Array<number> = []
  for (let round = 0; round < rounds; round += 1) times.push(await measure(make))
  addRow(what, "delivered", times)
}

const keyRevoked = cases["key revoked"]
if (keyRevoked === undefined) throw new Error("The case does not exist.")
for (const [notices, disturb] of [
  ["cut", proxy.cut],
  ["blocked", proxy.hold]
] as const) {
  const times: Array<number> = []
  for (let round = 0; round < 5; round += 1) {
    const access = await keyRevoked()
    await warmCache(access)
    disturb()
    await access.revoke()
    times.push(await untilRefused(access, 20))
    proxy.open()
    await pause(5000)
  }
  addRow("key revoked", notices, times)
}

// A direct update of the database, without a notification: the cache entry must expire.
const unannounced = await keyRevoked()
await warmCache(unannounced)
await Effect.runPromise(
  Effect.flatMap(SqlDatabase, (sql) => sql`UPDATE api_keys SET revoked_at = now() WHERE revoked_at IS NULL`).pipe(
    Effect.provideContext(one.services)
  )
)
addRow("key revoked", "never sent", [await untilRefused(unannounced, 100)])

console.table(table)
await Promise.all([one.dispose(), other.dispose()])
proxy.stop()
await server.stop()
