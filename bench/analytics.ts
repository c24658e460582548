import { PgClient } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import pg from "pg"
import { makeToken } from "../packages/server/src/infra/crypto/tokens.ts"
import { layerPostgres } from "../packages/server/src/infra/sql/postgres.ts"
import { longStatementMillis, StatementMillisMax } from "../packages/server/src/infra/sql/statement-timeout.ts"
import * as summary from "../packages/server/src/agents/telemetry/summary-repo.ts"
import { median, openDatabase, say, spreadOut, startCandidate, stepAside } from "./harness.ts"

export interface AnalyticsOptions {
  /** Total number of events; a hundredth and a tenth of them are measured first. */
  readonly events: number
  readonly members: number
  readonly days: number
  /** Requests per operation and size; the first three are not measured. */
  readonly rounds: number
}

const numbered = (prefix: string, n: number) => `${prefix}_01k5qdy${String(n).padStart(19, "0")}`
const organization = numbered("org", 1)
const warm = 3
const rowsAtOnce = 250_000
/** This many events of each size are summarized by the server as if they came from requests; the rest is one batch. */
const tailOf = (size: number) => Math.min(200_000, Math.floor(size / 20))
const rowsOfFlight = 1000

/** An organization with many members in ten teams, and a session of its owner. */
const makeOrganization = async (client: pg.Client, token: string, members: number) => {
  const digest = createHash("sha256").update(token).digest("hex")
  await client.query(
    "INSERT INTO organizations (id, name, plan, created_at, updated_at) VALUES ($1, $1, 'enterprise', now(), now())",
    [organization]
  )
  const id = (prefix: string) => `'${prefix}_01k5qdy' || lpad(n::text, 19, '0')`
  await client.query(
    `INSERT INTO users (id, email, email_verified, name, created_at, updated_at)
     SELECT ${id("usr")}, 'person-' || n || '@example.com', n % 3 > 0, 'Person ' || n, now() - n % 60 * interval '1 day', now()
     FROM generate_series(1, $1::int) n`,
    [members]
  )
  await client.query(
    `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
     SELECT $1, ${id("om")}, ${id("usr")}, CASE n WHEN 1 THEN 'owner' ELSE 'member' END, now() - n % 60 * interval '1 day',
       now()
     FROM generate_series(1, $2::int) n`,
    [organization, members]
  )
  await client.query(
    `INSERT INTO teams (organization_id, id, name, created_at, updated_at)
     SELECT $1, ${id("tem")}, 'Team ' || n, now(), now() FROM generate_series(1, 10) n`,
    [organization]
  )
  await client.query(
    `INSERT INTO team_members (organization_id, team_id, membership_id)
     SELECT $1, 'tem_01k5qdy' || lpad((n % 10 + 1)::text, 19, '0'), ${id("om")} FROM generate_series(1, $2::int) n`,
    [organization, members]
  )
  await client.query(
    `INSERT INTO sessions (id, token_digest, user_id, organization_id, kind, created_at, expires_at)
     VALUES ($1, decode($2, 'hex'), $3, $4, 'email', now(), now() + interval '30 days')`,
    [numbered("ses", 1), digest, numbered("usr", 1), organization]
  )
}

const makePartitions = async (client: pg.Client, days: number) => {
  const { rows } = await client.query<{ name: string; from: string; to: string }>(
    `SELECT 'telemetry_events_' || to_char(m, 'YYYYMM') AS name, m::text AS from, (m + interval '1 month')::text AS to
     FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC' - $1 * interval '1 day'),
       date_trunc('month', now() AT TIME ZONE 'UTC'), interval '1 month') m`,
    [days + 1]
  )
  for (const { from, name, to } of rows) {
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF telemetry_events FOR VALUES FROM ('${from}+00') TO ('${to}+00')`
    )
  }
}

/** Events of every type with different frequencies per member; half have one or two of about sixty dimensions. */
const putEvents = (client: pg.Client, first: number, count: number, options: AnalyticsOptions) =>
  client.query(
    `INSERT INTO telemetry_events (organization_id, occurred_at, received_at, type, source, user_id, membership_id,
       duration_ms, success, dimensions_json, ledger_id)
     SELECT $1, now() - random() * $4 * interval '1 day', now(), t.type,
       CASE WHEN random() < 0.8 THEN 'app' ELSE 'worker' END,
       'usr_01k5qdy' || lpad(t.n::text, 19, '0'), 'om_01k5qdy' || lpad(t.n::text, 19, '0'),
       CASE WHEN t.type IN ('task.completed', 'task.failed', 'session.ended') THEN (exp(random() * 12) * 10)::int END,
       CASE t.type WHEN 'task.completed' THEN true WHEN 'task.failed' THEN false END,
       CASE WHEN t.dice < 0.25 THEN jsonb_build_array(
           jsonb_build_object('type', 'model', 'value', 'model-' || (t.n % 5), 'label', 'Model'))
         WHEN t.dice < 0.5 THEN jsonb_build_array(
           jsonb_build_object('type', 'model', 'value', 'model-' || (t.n % 5), 'label', 'Model'),
           jsonb_build_object('type', 'skill', 'value', 'skill-' || floor(t.dice * 200)::int % 50, 'label', 'Skill')) END,
       1
     FROM (SELECT 1 + floor(power(random(), 2) * $5)::int AS n, random() AS dice,
         (ARRAY['user.active', 'session.started', 'session.active', 'session.ended', 'task.started', 'task.completed',
           'task.completed', 'task.failed'])[1 + floor(random() * 8)::int] AS type
       FROM generate_series($2::bigint, $3::bigint)) t`,
    [organization, first, first + count - 1, options.days, options.members]
  )

const today = () => new Date().toISOString().slice(0, 10)
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const operations = (days: number): ReadonlyArray<readonly [name: string, path: string]> => {
  const month = `from=${daysAgo(29)}&to=${today()}`
  const whole = `from=${daysAgo(days)}&to=${today()}`
  // Neither end is the first or last day with events.
  const middle = `from=${daysAgo(Math.floor(days * 0.9))}&to=${daysAgo(Math.floor(days * 0.1))}`
  const analytics = "/v1/telemetry/analytics"
  return [
    ["dimensions, a page", "/v1/telemetry/dimensions"],
    ["adoption, 30 days", `/v1/telemetry/adoption?${month}`],
    ["adoption by model, 30 days", `/v1/telemetry/adoption?${month}&dimensionType=model`],
    ["adoption by week, all days", `/v1/telemetry/adoption?${whole}&interval=week`],
    ["events by type, 30 days", `${analytics}?${month}&groupBy=type`],
    ["events by type, all days", `${analytics}?${whole}&groupBy=type`],
    ["success by model, all days", `${analytics}?${whole}&measure=taskSuccessRate&groupBy=dimension:model`],
    ["p95 by skill, 30 days", `${analytics}?${month}&measure=durationP95&groupBy=dimension:skill`],
    ["users by team, 30 days", `${analytics}?${month}&measure=users&groupBy=team`],
    ["users of one type, 30 days", `${analytics}?${month}&measure=users&type=task.started`],
    ["events by member, 30 days", `${analytics}?${month}&groupBy=member`],
    ["events by member, all days", `${analytics}?${whole}&groupBy=member`],
    ["events by member, the middle of all days", `${analytics}?${middle}&groupBy=member`],
    ["task success by member, all days", `${analytics}?${whole}&measure=taskSuccessRate&groupBy=member`],
    ["metrics", "/v1/admin/metrics"]
  ]
}

/** Large batches are the fastest way to summarize, and this size needs little memory. */
const batch = 1_000_000

/** Fills in batches, and returns the time that the server's statements took to summarize them. */
const fill = async (url: string, from: number, to: number, options: AnalyticsOptions) => {
  let millis = 0
  for (let at = from; at < to; at += batch) {
    millis += await fillBatch(url, at, Math.min(to, at + batch), options)
    say(`${Math.min(to, at + batch)} events stored and summarized.`)
  }
  return millis
}

/** Inserts events over two connections, and summarizes them as one batch. */
const fillBatch = async (url: string, from: number, to: number, options: AnalyticsOptions) => {
  let next = from
  const put = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query("SET synchronous_commit = off")
      while (next < to) {
        const first = next
        next += Math.min(rowsAtOnce, to - first)
        await putEvents(client, first, next - first, options)
      }
    } finally {
      await client.end()
    }
  }
  await Promise.all([put(), put()])
  const began = performance.now()
  await Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* Effect.gen(function* () {
      yield* sql`SET LOCAL work_mem = '512MB'`
      const held = yield* summary.lock(sql)
      if (held === undefined) throw new Error("Another process holds the summary lock.")
      yield* summary.addEvents(sql, held, held.ended)
      yield* summary.addChanges(sql, held, held.ended)
      yield* summary.moveWatermark(sql, held, held.ended)
    }).pipe(sql.withTransaction, Effect.provideService(StatementMillisMax, longStatementMillis))
  }).pipe(Effect.provide(layerPostgres({ url, statementMillisMax: 0 })), Effect.runPromise)
  return performance.now() - began
}

/** Measures reads with a hundredth, a tenth and all of the events, and how fast the server summarizes events. */
export const analyticsBench = async (options: AnalyticsOptions): Promise<string> => {
  const database = await openDatabase()
  const token = makeToken("ops")
  try {
    const url = await database.createDatabase("analytics")
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query("ALTER SYSTEM SET max_wal_size = '16GB'")
    await client.query("SELECT pg_reload_conf()")
    const orgplane = { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) }
    const start = () => startCandidate(orgplane, url, [], {}, false)
    // The first server creates the tables.
    await (await start()).stop()
    try {
      await makeOrganization(client, token, options.members)
      await makePartitions(client, options.days)
      const queries = operations(options.days)
      const sizes = [options.events / 100, options.events / 10, options.events].map(Math.floor)
      const figures = new Map<string, Array<string>>()
      const add = (name: string, figure: string) => figures.set(name, [...(figures.get(name) ?? []), figure])
      let there = 0
      for (const size of sizes) {
        const tail = tailOf(size)
        const began = performance.now()
        spreadOut()
        const millis = await fill(url, there, size - tail, options)
        say(`${size} events: filled in ${((performance.now() - began) / 1000).toFixed(0)} s.`)
        add("summarized in one batch, events per second", String(Math.round(((size - tail - there) / millis) * 1000)))
        // Autovacuum is off, so statistics are collected here.
        await client.query("VACUUM ANALYZE")
        stepAside()
        for (let first = size - tail; first < size; first += rowsOfFlight) {
          await putEvents(client, first, Math.min(rowsOfFlight, size - first), options)
        }
        there = size
        // Nothing is summarized before the measurement starts.
        await client.query("BEGIN")
        await client.query("SELECT 1 FROM telemetry_summary FOR UPDATE")
        const server = await start()
        try {
          const ask = async (path: string) => {
            const began = performance.now()
            const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
              headers: { authorization: `Bearer ${token}` }
            })
            const text = await response.text()
            if (response.status !== 200) throw new Error(`${response.status} ${text.slice(0, 500)}`)
            return { millis: performance.now() - began, text }
          }
          const isBehind = async () => {
            const { rows } = await client.query<{ behind: boolean }>(
              `SELECT EXISTS (SELECT 1 FROM telemetry_events e WHERE e.written_in >= s.watermark AND e.ledger_id > s.restored_upto) AS behind
               FROM telemetry_summary s`
            )
            return rows[0]?.behind === true
          }
          const since = performance.now()
          await client.query("COMMIT")
          while (await isBehind()) await new Promise((resolve) => setTimeout(resolve, 50))
          add(
            "summarized by the server, events per second",
            String(Math.round((tail / (performance.now() - since)) * 1000))
          )
          for (const [name, path] of queries) {
            const times: Array<number> = []
            for (let round = 0; round < options.rounds + warm; round += 1) times.push((await ask(path)).millis)
            add(name, median(times.slice(warm)).toFixed(1))
            say(`${name}: ${figures.get(name)?.at(-1)} ms`)
          }
        } finally {
          await server.stop()
        }
        const { rows } = await client.query<{
          days: string
          people: string
          durations: string
          totals: string
          periods: string
        }>(
          `SELECT (SELECT count(*) FROM telemetry_days) AS days, (SELECT count(*) FROM telemetry_user_days) AS people,
            (SELECT count(*) FROM telemetry_duration_days) AS durations,
            (SELECT count(*) FROM telemetry_user_totals) AS totals, (SELECT count(*) FROM telemetry_user_periods) AS periods`
        )
        add(
          "rows of telemetry_days / telemetry_user_days / telemetry_duration_days",
          `${rows[0]?.days} / ${rows[0]?.people} / ${rows[0]?.durations}`
        )
        add("rows of telemetry_user_totals / telemetry_user_periods", `${rows[0]?.totals} / ${rows[0]?.periods}`)
      }
      return [
        `Medians of ${options.rounds} requests in milliseconds; ${options.members} members, ${options.days} days, PostgreSQL.`,
        "",
        `| | ${sizes.map((size) => `${size} events`).join(" | ")} |`,
        `|---|${sizes.map(() => "---:").join("|")}|`,
        ...[...figures].map(([name, of]) => `| ${name} | ${of.join(" | ")} |`)
      ].join("\n")
    } finally {
      await client.end()
    }
  } finally {
    await database.stop()
  }
}
