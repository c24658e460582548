/** Measures how long one request delays others: the latency of health checks during the most expensive requests. */
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import pg from "pg"
import { randomOf } from "./cost-bodies.ts"
import { sha256Bytes } from "../packages/server/src/infra/crypto/digest.ts"
import { makeToken, type TokenPrefix } from "../packages/server/src/infra/crypto/tokens.ts"
import { idsIn, operationsOf, type Operation, pathOf, triesOf, type Try } from "./cost-tries.ts"
import { openDatabase, say, startCandidate } from "./harness.ts"

export interface CostOptions {
  /** Only operations whose name begins with this. */
  readonly only: string | undefined
  /** Maximum latency of a health check, in milliseconds. */
  readonly stallMax: number
  /** Seed of the random bodies. */
  readonly seed: number
  /** After this time the remaining requests are skipped; every operation has had the same number of them. */
  readonly minutes: number
}

/** Operations that delete what the others need. They run last, in this order, with one effective request each. */
const ends = ["sessions.revoke", "organizations.remove", "sessions.signOut"]
const administrator = "admin@example.com"
const isLast = ({ method, name }: Operation) =>
  method === "DELETE" || /\.(?:remove|revoke|rotate|archive|reject|disconnect|disable|leave|signOut)[A-Z]?/u.test(name)

/** Number of credentials per kind, so that no rate limit hides the cost of a request. */
const credentialsOfKind = 40

/** Credentials without the restrictions of the demo: an owner of a claimed workspace on the largest plan. */
const prepare = async (databaseUrl: string, organizationId: string, ids: Map<string, string>) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const several = (prefix: TokenPrefix) => Array.from({ length: credentialsOfKind }, () => makeToken(prefix))
  const tokens = { none: [""], person: several("ops"), worker: several("opw"), scim: several("opd") }
  const [directory, worker, end] = ["scd", "wrk", "01k5qdz00000000000000000"]
  const directoryId = `${directory}_${end}10`
  const workerId = `${worker}_${end}10`
  try {
    await client.query("UPDATE organizations SET plan = 'enterprise', provisional_until = NULL WHERE id = $1", [
      organizationId
    ])
    await client.query(
      `UPDATE users SET email = $2, email_verified = true
       WHERE id = (SELECT user_id FROM memberships WHERE organization_id = $1 AND role = 'owner')`,
      [organizationId, administrator]
    )
    await client.query(
      `INSERT INTO scim_directories (organization_id, id, name, provider, created_at, updated_at)
       VALUES ($1, $2, 'A directory', 'other', now() - interval '2 hours', now())`,
      [organizationId, directoryId]
    )
    for (let n = 0; n < credentialsOfKind; n += 1) {
      const number = String(n + 10)
      await client.query(
        `INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, created_at, expires_at)
         SELECT $2, $3, s.user_id, s.organization_id, s.kind, now(), now() + interval '1 day' FROM sessions s
         JOIN memberships m ON m.user_id = s.user_id AND m.organization_id = $1 WHERE m.role = 'owner' LIMIT 1`,
        [organizationId, `ses_${end}${number}`, sha256Bytes(tokens.person[n] ?? "")]
      )
      await client.query(
        `INSERT INTO scim_tokens (organization_id, id, directory_id, token_digest, made_by_owner, created_at)
         VALUES ($1, $2, $3, $4, true, now())`,
        [organizationId, `sct_${end}${number}`, directoryId, sha256Bytes(tokens.scim[n] ?? "")]
      )
      await client.query(
        `INSERT INTO worker_tokens (organization_id, id, worker_id, token_digest, created_by_membership_id,
           created_by_user_id, created_at)
         SELECT organization_id, $2, $3, $4, id, user_id, now() FROM memberships
         WHERE organization_id = $1 AND role = 'owner'`,
        [organizationId, `wkt_${end}${number}`, workerId, sha256Bytes(tokens.worker[n] ?? "")]
      )
    }
    ids.set(directory, directoryId).set(worker, workerId)
    return tokens
  } finally {
    await client.end()
  }
}

interface Seen {
  readonly operation: Operation
  readonly tries: Generator<Try, void, undefined>
  sent: number
  millis: number
  what: string
  status: number
  statuses: Set<number>
  notBefore: number
}

/** Sends requests during health checks, one operation at a time. Slow requests are repeated; the fastest counts. */
export const costBench = async ({ minutes, only, seed, stallMax }: CostOptions): Promise<string> => {
  say(`Seed of the random bodies: ${seed}`)
  const random = randomOf(seed)
  const database = await openDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), "orgplane-cost-"))
  const server = await startCandidate(
    { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) },
    database.url,
    [],
    {
      ORGPLANE_BOOTSTRAP: "open",
      ORGPLANE_TRUSTED_PROXIES: "127.0.0.1/32",
      ORGPLANE_SEED: "demo",
      ORGPLANE_DATA_DIR: dataDir,
      ORGPLANE_PLATFORM_ADMINS: administrator
    }
  )
  try {
    const baseUrl = `http://127.0.0.1:${server.port}`
    const demo: unknown = JSON.parse(await readFile(join(dataDir, "seed.json"), "utf8"))
    const ids = new Map<string, string>()
    idsIn(demo, ids)
    const tokens = await prepare(database.url, ids.get("org") ?? "", ids)
    let addresses = 0
    /** Each request has its own source IP address, so that rate limits per address do not hide its cost. */
    const send = async ({ credential, method }: Operation, one: Try) => {
      addresses += 1
      const response = await fetch(`${baseUrl}${one.url}`, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(30_000),
        headers: {
          "x-forwarded-for": `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`,
          ...(credential === "none"
            ? {}
            : { authorization: `Bearer ${tokens[credential][addresses % credentialsOfKind]}` }),
          ...(one.contentType === undefined || one.body === undefined ? {} : { "content-type": one.contentType })
        },
        ...(one.body === undefined ? {} : { body: one.body })
      })
      if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
        await response.body?.cancel()
        return { status: response.status, retryAfter: 0 }
      }
      const text = await response.text()
      const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
      if (response.ok && isJson && text.length < 100_000) idsIn(JSON.parse(text), ids)
      return { status: response.status, retryAfter: Number(response.headers.get("retry-after") ?? "1") }
    }
    const worker = new Worker(new URL("health-watch.ts", import.meta.url), {
      workerData: { port: server.port, everyMillis: 5 }
    })
    await once(worker, "online")
    const stall = async (): Promise<number> => {
      const message = once(worker, "message")
      worker.postMessage("window")
      const [millis]: ReadonlyArray<unknown> = await message
      return Number(millis)
    }
    let sent = 0
    /** Sends the next request of an operation; false if there was none left. */
    const next = async (seen: Seen): Promise<boolean> => {
      const { done, value: one } = seen.tries.next()
      if (done === true) return false
      let millis = Number.POSITIVE_INFINITY
      let status = 0
      for (let time = 0; time < 3 && millis > stallMax / 2; time += 1) {
        await stall()
        const response = await send(seen.operation, one).catch((cause: unknown) => {
          if (cause instanceof Error && cause.name === "TimeoutError") return { status: 0, retryAfter: 0 }
          throw new Error(`${seen.operation.name} with ${one.what} got no response.`, { cause })
        })
        status = response.status
        if (status === 429) seen.notBefore = Date.now() + Math.min(60, response.retryAfter) * 1000
        millis = Math.min(millis, await stall())
        sent += 1
      }
      seen.sent += 1
      seen.statuses.add(status)
      if (millis > seen.millis) Object.assign(seen, { millis, what: one.what, status })
      if (millis > stallMax) say(`${seen.operation.name}: ${one.what}: ${millis.toFixed(0)} ms (${status})`)
      return true
    }
    const all = operationsOf(only).map((operation): Seen => ({
      operation,
      tries: triesOf(operation, ids, random),
      sent: 0,
      millis: 0,
      what: "",
      status: 0,
      statuses: new Set(),
      notBefore: 0
    }))
    // Lists return the IDs of the demo's objects.
    for (const { operation } of all) {
      if (operation.method === "GET" && operation.credential === "person") {
        await send(operation, { what: "", url: pathOf(operation, ids), contentType: undefined, body: undefined })
      }
    }
    const until = Date.now() + minutes * 60_000
    const last = all.filter(({ operation }) => isLast(operation) || ends.includes(operation.name))
    // Creating operations come first, so that the others find objects.
    let open = all
      .filter((seen) => !last.includes(seen))
      .toSorted((a, b) => Number(b.operation.method === "POST") - Number(a.operation.method === "POST"))
    const cutOff = until - minutes * 60_000 * 0.2
    const rounds = async (some: ReadonlyArray<Seen>, end: number) => {
      open = [...some]
      while (open.length > 0 && Date.now() < end) {
        const still: Array<Seen> = []
        for (const seen of open) {
          if (Date.now() >= end && seen.sent > 0) still.push(seen)
          else if (seen.notBefore > Date.now() || (await next(seen))) still.push(seen)
        }
        if (still.every(({ notBefore }) => notBefore > Date.now())) {
          await new Promise((resume) => setTimeout(resume, 1000))
        }
        open = still
      }
      return open.length
    }
    const unfinished =
      (await rounds(open, cutOff)) +
      (await rounds(
        last.filter(({ operation }) => !ends.includes(operation.name)),
        until
      ))
    for (const name of ends) {
      const seen = last.find(({ operation }) => operation.name === name)
      if (seen !== undefined) await next(seen)
    }
    await worker.terminate()
    const rows = all.toSorted((a, b) => b.millis - a.millis)
    const slow = rows.filter(({ millis }) => millis > stallMax)
    if (slow.length > 0) process.exitCode = 1
    const reached = rows.filter(({ statuses }) => [...statuses].some((status) => status >= 200 && status < 300))
    const unreached = rows.filter((seen) => !reached.includes(seen))
    return [
      `${sent} requests to ${rows.filter((seen) => seen.sent > 0).length} of ${rows.length} operations, ${reached.length} of them with a 2xx response; seed ${seed}.`,
      `Health checks took more than ${stallMax} ms during ${slow.length} operations. ${unfinished} operations had requests left when the time was up.`,
      "",
      "| Operation | Slowest health check, ms | Request at that time | Status | Distinct requests |",
      "|---|---|---|---|---|",
      ...rows.map(
        (one) => `| ${one.operation.name} | ${one.millis.toFixed(0)} | ${one.what} | ${one.status} | ${one.sent} |`
      ),
      "",
      "Operations without a 2xx response, with the statuses that they returned:",
      "",
      ...unreached.map(
        ({ operation, statuses }) => `- ${operation.name}: ${[...statuses].toSorted((a, b) => a - b).join(", ")}`
      )
    ].join("\n")
  } finally {
    await server.stop()
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
