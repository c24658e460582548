/** Measures durable event ingestion compared with the peers, and the cost of validating a batch. */
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import pg from "pg"
import { checkEvents } from "../packages/server/src/agents/telemetry/events.ts"
import { median, say } from "./harness.ts"
import { compare, doubts, type Effort, type Figure, type Name, prepare, type Work } from "./http/compare.ts"
import { batchSchema, type EventBody, typeNames } from "./http/peer-ingest.ts"

/** Fifty events are about 7.5 kB. */
const anEvent = (n: number): EventBody => ({
  type: typeNames[n % typeNames.length] ?? "task.completed",
  timestamp: new Date(Date.now() - (n % 1000) * 1000).toISOString(),
  source: n % 4 === 0 ? "worker" : "app",
  sessionId: `session-${String(n % 200).padStart(6, "0")}`,
  durationMs: (n * 7919) % 43_200_000,
  success: n % 5 !== 0,
  ...(n % 3 === 0 ? { dimensions: [{ type: "model", label: "A model", value: `model-${n % 7}` }] } : {})
})

const bodiesOf = (events: number) => {
  const bodies = Array.from({ length: 200 }, (_, i) =>
    JSON.stringify({ events: Array.from({ length: events }, (_, j) => anEvent(i * events + j)) })
  )
  return (n: number) => bodies[n % bodies.length] ?? ""
}

/** One large batch in eight: most code to warm up is outside of validation, and PostgreSQL must keep up. */
const [many, one] = [bodiesOf(50), bodiesOf(1)]
const shared = {
  path: () => "/v1/telemetry/ingest",
  warmBody: (n: number) => (n % 8 === 0 ? many(n) : one(n)),
  sessions: 400
}
export const ingestWorks: ReadonlyArray<Work> = [
  { ...shared, name: "50 events, durable", body: many, goals: { bare: 1.3, hono: 6 } },
  { ...shared, name: "1 event, durable", body: one, goals: { bare: 1.4 } }
]

/** The peers' table: the same rows and indexes, without totals and partitions. */
const prepareEvents = async () => {
  const prepared = await prepare()
  const client = new pg.Client({ connectionString: prepared.server.url })
  await client.connect()
  await client.query(`CREATE TABLE bench_events (organization_id text NOT NULL, occurred_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL, type text NOT NULL, source text NOT NULL, user_id text, membership_id text,
    session_id text, duration_ms integer, success boolean, dimensions_json jsonb,
    written_in xid8 NOT NULL DEFAULT pg_current_xact_id())`)
  await client.query("CREATE INDEX ON bench_events (organization_id, occurred_at)")
  await client.query("CREATE INDEX ON bench_events (written_in)")
  await client.end()
  return prepared
}

/** The lowest average of one call in microseconds, over windows of many calls. */
const least = (call: () => unknown): number => {
  const windows = Array.from({ length: 30 }, () => {
    const began = process.hrtime.bigint()
    for (let i = 0; i < 500; i++) call()
    return Number(process.hrtime.bigint() - began) / 500_000
  })
  return Math.min(...windows)
}

/** The cost of validating a parsed batch of 50: ajv returns a boolean, `checkEvents` also creates the rows to write. */
const judging = () => {
  const ajv = new Ajv({ allErrors: false })
  addFormats.default(ajv)
  const check = ajv.compile(batchSchema)
  const batches = Array.from({ length: 50 }, (_, i) => {
    const batch: { events: ReadonlyArray<unknown> } = JSON.parse(many(i))
    return batch
  })
  const rules = { types: new Set(typeNames), from: Date.now() - 86_400_000 * 400, until: Date.now() + 86_400_000 }
  let turn = 0
  const next = () => batches[(turn += 1) % batches.length] as { events: ReadonlyArray<unknown> }
  const runs = Array.from({ length: 3 }, () => ({
    ajv: least(() => check(next())),
    judge: least(() => checkEvents(rules, next().events))
  }))
  return { ajv: median(runs.map((run) => run.ajv)), judge: median(runs.map((run) => run.judge)) }
}

const peers = ["bare", "fastify", "hono"] as const

/** A row of the table: the cost of each candidate, and the ratios to orgplane. */
const lineOf = (work: string, figures: ReadonlyMap<Name, Figure>): string => {
  const own = figures.get("orgplane")
  const micros = (name: Name) => figures.get(name)?.cpuMicros.toFixed(0) ?? ""
  const goals = ingestWorks.find(({ name }) => name === work)?.goals
  const ratio = (name: Name) => {
    const peer = figures.get(name)
    if (peer === undefined || own === undefined) return ""
    const goal = goals?.[name]
    return `${(peer.cpuMicros / own.cpuMicros).toFixed(2)}${goal === undefined ? "" : ` (floor ${goal})`}`
  }
  const bare = figures.get("bare")
  const cells = [
    work,
    ...peers.map(micros),
    micros("orgplane"),
    ...peers.map(ratio),
    own === undefined || bare === undefined ? "" : (own.perSecond / bare.perSecond).toFixed(2)
  ]
  return `| ${cells.join(" | ")} |`
}

export const ingestBench = async (names: ReadonlyArray<Name>, chosen: ReadonlyArray<Work>, effort: Effort) => {
  say("Validating")
  const { ajv, judge: own } = judging()
  const result = await compare(names, chosen, effort, prepareEvents)
  const table = [
    "| CPU µs per request | bare | Fastify | Hono + zod + drizzle | orgplane | bare / orgplane | Fastify / orgplane | Hono / orgplane | requests per second, relative to bare |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ...[...result].map(([work, figures]) => lineOf(work, figures)),
    `| validation of 50 parsed events; ajv for bare | ${ajv.toFixed(1)} | | | ${own.toFixed(1)} | ${(ajv / own).toFixed(2)} (floor 0.83) | | | |`
  ].join("\n")
  return [table, ...doubts(result)].join("\n\n")
}
