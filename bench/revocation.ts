/**
 * Measures how long a credential that is revoked on one server still works on another. Two control planes share one
 * PostgreSQL; the second is polled until it rejects the credential. Also measures this with notifications cut, blocked
 * and never sent.
 */
import * as Effect from "effect/Effect"
import { BootstrapService } from "../packages/server/src/identity/bootstrap/service.ts"
import { SqlDatabase } from "../packages/server/src/infra/sql/client.ts"
import { start } from "../packages/server/src/start.ts"
import { startNoticeProxy } from "../test/postgres/notice-proxy.ts"
import { startPostgres } from "../test/postgres/start.ts"
import { median, say, spreadOut, stepAside } from "./harness.ts"

export interface RevocationOptions {
  /** Revocations of each kind. */
  readonly rounds: number
  /** Revocations while notifications are cut, and as many while they are blocked. */
  readonly disturbed: number
}

type Plane = Awaited<ReturnType<typeof start>>

const startOn = (url: string) =>
  start({
    database: { kind: "postgres", url, maxConnections: 6 },
    secretKeys: ["a secret for a benchmark only, long enough to be one"],
    logLevel: "error"
  })

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

const makeOwner = (on: Plane) =>
  Effect.runPromise(
    Effect.flatMap(BootstrapService, (bootstrap) => bootstrap.seedWorkspace("Bench")).pipe(
      Effect.provideContext(on.services)
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

const makeKey = async (on: Plane, owner: string, permissions: ReadonlyArray<string>) =>
  secretOf((await ask(on, owner, "POST", "/v1/api-keys", { name: "Bench", permissions })).text)

const sessionSignedOut = async (on: Plane): Promise<Case> => {
  const { token } = await makeOwner(on)
  const revoke = () => ask(on, token, "DELETE", "/v1/sessions/current")
  return { credential: token, path: "/v1/organization", revoke }
}

const keyRevoked = async (on: Plane): Promise<Case> => {
  const { token } = await makeOwner(on)
  const { id, key } = await makeKey(on, token, [])
  const revoke = () => ask(on, token, "DELETE", `/v1/api-keys/${id}`)
  return { credential: key, path: "/v1/api-keys/current", revoke }
}

const keyNarrowed = async (on: Plane): Promise<Case> => {
  const { token } = await makeOwner(on)
  const { id, key } = await makeKey(on, token, ["members:read"])
  const revoke = () => ask(on, token, "PATCH", `/v1/api-keys/${id}`, { permissions: [] })
  return { credential: key, path: "/v1/members", revoke }
}

const keyRotated = async (on: Plane): Promise<Case> => {
  const { token } = await makeOwner(on)
  const { id, key } = await makeKey(on, token, [])
  const revoke = () => ask(on, token, "POST", `/v1/api-keys/${id}/rotate`, { graceSeconds: 0 })
  return { credential: key, path: "/v1/api-keys/current", revoke }
}

const organizationDeleted = async (on: Plane): Promise<Case> => {
  const { token } = await makeOwner(on)
  const { key } = await makeKey(on, token, [])
  const revoke = () => ask(on, token, "DELETE", "/v1/organization")
  return { credential: key, path: "/v1/api-keys/current", revoke }
}

const cases = [
  ["session signed out", sessionSignedOut],
  ["key revoked", keyRevoked],
  ["key narrowed", keyNarrowed],
  ["key rotated, no grace", keyRotated],
  ["organization deleted", organizationDeleted]
] as const

/** Makes the other server cache the credential. */
const warmCache = async (other: Plane, { credential, path }: Case) => {
  for (let warm = 0; warm < 3; warm += 1) {
    const { status, text } = await ask(other, credential, "GET", path)
    if (status !== 200) throw new Error(`A valid credential got ${status}: ${text}`)
  }
}

const revokeNow = async ({ revoke }: Case) => {
  const { status, text } = await revoke()
  if (status >= 300) throw new Error(`The revocation got ${status}: ${text}`)
}

/** Milliseconds until the other server refuses the credential. */
const untilRefused = async (other: Plane, { credential, path }: Case, everyMillis: number) => {
  const began = performance.now()
  while ((await ask(other, credential, "GET", path)).status === 200) await pause(everyMillis)
  return performance.now() - began
}

const row = (revoked: string, notifications: string, times: ReadonlyArray<number>) => {
  const sorted = times.toSorted((a, b) => a - b)
  const figures = [
    median(sorted),
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? Number.NaN,
    sorted.at(-1) ?? Number.NaN
  ]
  const cells = [revoked, notifications, times.length, ...figures.map((millis) => millis.toFixed(1))]
  return `| ${cells.join(" | ")} |`
}

type Proxy = Awaited<ReturnType<typeof startNoticeProxy>>

/** Revokes on the first server. The other one receives the notifications through the proxy. */
const measure = async (one: Plane, other: Plane, proxy: Proxy, { disturbed, rounds }: RevocationOptions) => {
  const rows: Array<string> = []
  for (const [name, makeCase] of cases) {
    const times: Array<number> = []
    for (let round = 0; round < rounds; round += 1) {
      const access = await makeCase(one)
      await warmCache(other, access)
      await revokeNow(access)
      times.push(await untilRefused(other, access, 1))
    }
    rows.push(row(name, "delivered", times))
    say(`${name}: measured.`)
  }

  for (const [name, disturb] of [
    ["cut", proxy.cut],
    ["blocked", proxy.hold]
  ] as const) {
    const times: Array<number> = []
    for (let round = 0; round < disturbed; round += 1) {
      const access = await keyRevoked(one)
      await warmCache(other, access)
      disturb()
      await revokeNow(access)
      times.push(await untilRefused(other, access, 20))
      proxy.open()
      // The other server listens again before the next revocation.
      await pause(5000)
    }
    rows.push(row("key revoked", name, times))
    say(`Notifications ${name}: measured.`)
  }

  // A direct update of the database, without a notification: the cache entry must expire.
  const unannounced = await keyRevoked(one)
  await warmCache(other, unannounced)
  await Effect.runPromise(
    Effect.flatMap(SqlDatabase, (sql) => sql`UPDATE api_keys SET revoked_at = now() WHERE revoked_at IS NULL`).pipe(
      Effect.provideContext(one.services)
    )
  )
  rows.push(row("key revoked", "never sent", [await untilRefused(other, unannounced, 100)]))
  return rows
}

export const revocationBench = async (options: RevocationOptions): Promise<string> => {
  // Both servers run in this process, beside PostgreSQL.
  spreadOut()
  const server = await startPostgres()
  try {
    const url = await server.createDatabase("revocation")
    const proxy = await startNoticeProxy(url)
    const one = await startOn(url)
    const other = await startOn(proxy.url)
    await pause(1500)
    const rows = await measure(one, other, proxy, options)
    await Promise.all([one.dispose(), other.dispose()])
    proxy.stop()
    return [
      "| revoked | notifications | rounds | median ms | p95 ms | max ms |",
      "|---|---|---:|---:|---:|---:|",
      ...rows
    ].join("\n")
  } finally {
    await server.stop()
    stepAside()
  }
}
