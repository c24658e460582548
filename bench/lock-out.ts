import { createHash } from "node:crypto"
import pg from "pg"
import { makeToken } from "../packages/server/src/infra/crypto/tokens.ts"
import { cpuMicros, median, migrated, openDatabase, say, startCandidate } from "./harness.ts"

export interface LockOutOptions {
  /** Valid users at the address: half with sessions, half with API keys. */
  readonly users: number
  /** Requests per user, one every half second. */
  readonly asks: number
  /** Concurrent requests of the script. */
  readonly atOnce: number
}

const kinds = ["no requests", "one revoked token", "random tokens"] as const
type Kind = (typeof kinds)[number]

const numbered = (prefix: string, n: number) => `${prefix}_01k5qdz${String(n).padStart(19, "0")}`
const digestOf = (token: string) => createHash("sha256").update(token).digest("hex")

/** An organization with users; the first half have sessions, the second half API keys. */
const fill = async (client: pg.Client, users: number) => {
  const organization = numbered("org", 1)
  await client.query(
    "INSERT INTO organizations (id, name, plan, created_at, updated_at) VALUES ($1, $1, 'enterprise', now(), now())",
    [organization]
  )
  const headers: Array<Record<string, string>> = []
  for (let n = 0; n < users; n += 1) {
    const user = numbered("usr", n)
    const isKey = n >= users / 2
    const token = makeToken(isKey ? "opk" : "ops")
    await client.query("INSERT INTO users (id, name, created_at, updated_at) VALUES ($1, 'A user', now(), now())", [
      user
    ])
    await client.query(
      `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
       VALUES ($1, $2, $3, 'owner', now(), now())`,
      [organization, numbered("om", n), user]
    )
    if (isKey) {
      await client.query(
        `INSERT INTO api_keys (organization_id, id, name, hint, token_digest, permissions_json, requests_per_minute,
           created_by_membership_id, created_at, updated_at)
         VALUES ($1, $2, 'A key', 'opk', decode($3, 'hex'), '["connectors:read"]', 1200, $4, now(), now())`,
        [organization, numbered("key", n), digestOf(token), numbered("om", n)]
      )
      headers.push({ "x-api-key": token })
    } else {
      await client.query(
        `INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, created_at, expires_at)
         VALUES ($1, decode($2, 'hex'), $3, $4, 'email', now(), now() + interval '1 day')`,
        [numbered("ses", n), digestOf(token), user, organization]
      )
      headers.push({ authorization: `Bearer ${token}` })
    }
  }
  return headers
}

const tally = () => {
  const counts = new Map<number, number>()
  return {
    add: (status: number) => void counts.set(status, (counts.get(status) ?? 0) + 1),
    text: () =>
      [...counts]
        .toSorted(([a], [b]) => a - b)
        .map(([status, count]) => `${count} × ${status}`)
        .join(", ") || "none"
  }
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Valid users and a failing script at one address; each kind runs on a freshly started server. */
export const lockOutBench = async ({ asks, atOnce, users }: LockOutOptions): Promise<string> => {
  const database = await openDatabase()
  const url = await migrated(await database.createDatabase("lock_out"))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rows: Array<string> = []
  try {
    const headers = await fill(client, users)
    const revoked = makeToken("ops")
    const measure = async (kind: Kind) => {
      await client.query("TRUNCATE rate_windows")
      const server = await startCandidate({ name: kind, file: new URL("http/orgplane.ts", import.meta.url) }, url)
      const ask = async (credential: Record<string, string>) => {
        const response = await fetch(`http://127.0.0.1:${server.port}/v1/organization`, { headers: credential })
        await response.arrayBuffer()
        return response.status
      }
      try {
        const [script, valid] = [tally(), tally()]
        const waits: Array<number> = []
        const ended = new AbortController()
        let refused = 0
        const runs = Array.from({ length: kind === "no requests" ? 0 : atOnce }, async () => {
          while (!ended.signal.aborted) {
            const token = kind === "random tokens" ? makeToken("ops") : revoked
            script.add(await ask({ authorization: `Bearer ${token}` }))
            refused += 1
          }
        })
        // The address exceeds the failure limit before its users start.
        await pause(3000)
        const [began, cpu, before] = [performance.now(), cpuMicros(server.pid), refused]
        await Promise.all(
          headers.map(async (credential, n) => {
            await pause((500 * n) / headers.length)
            for (let turn = 0; turn < asks; turn += 1) {
              const sent = performance.now()
              valid.add(await ask(credential))
              waits.push(performance.now() - sent)
              await pause(500)
            }
          })
        )
        const seconds = (performance.now() - began) / 1000
        const perRequest = (cpuMicros(server.pid) - cpu) / (refused - before + waits.length)
        ended.abort()
        await Promise.all(runs)
        rows.push(
          `| ${kind} | ${valid.text()} | ${median(waits).toFixed(1)} | ${script.text()} | ${((refused - before) / seconds).toFixed(0)} | ${perRequest.toFixed(0)} |`
        )
        say(rows.at(-1) ?? "")
      } finally {
        await server.stop()
      }
    }
    for (const kind of kinds) await measure(kind)
  } finally {
    await client.end()
    await database.stop()
  }
  return [
    `${users} valid users, one request each every 0.5 s, and a script at the same address`,
    "",
    "| Script sends | User responses | User median, ms | Script responses | Script requests per second | CPU µs per request |",
    "|---|---|---:|---|---:|---:|",
    ...rows
  ].join("\n")
}
