/** Events taken and made durable, beside what else could take them, and what the judging of a batch costs. */
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import pg from "pg"
import { judge } from "../packages/server/src/telemetry/events.ts"
import { median, say } from "./harness.ts"
import { compare, doubts, type Effort, type Name, prepare, table, type Work } from "./http/compare.ts"
import { batchSchema, type EventBody, typeNames } from "./http/peer-ingest.ts"

/** Fifty of them are about 7.5 kB. */
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

/** Every eighth of fifty: most of what there is to compile lies outside of judging, and PostgreSQL has to keep up. */
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

/** The same rows with the same indexes, for the peers; nothing counts theirs and nothing keeps them in partitions. */
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

/** The least microseconds that one call took, over windows of many. */
const least = (call: () => unknown): number => {
  const windows = Array.from({ length: 30 }, () => {
    const began = process.hrtime.bigint()
    for (let i = 0; i < 500; i++) call()
    return Number(process.hrtime.bigint() - began) / 500_000
  })
  return Math.min(...windows)
}

/** What a batch of fifty costs once it is parsed: a compiled check says yes or no, `judge` also makes what is written. */
const judging = (): string => {
  const ajv = new Ajv({ allErrors: false })
  addFormats.default(ajv)
  const check = ajv.compile(batchSchema)
  const batches = Array.from({ length: 50 }, (_, i) => {
    const batch: { events: ReadonlyArray<unknown> } = JSON.parse(bodiesOf(50)(i))
    return batch
  })
  const rules = { types: new Set(typeNames), from: Date.now() - 86_400_000 * 400, until: Date.now() + 86_400_000 }
  let turn = 0
  const next = () => batches[(turn += 1) % batches.length] as { events: ReadonlyArray<unknown> }
  const runs = Array.from({ length: 3 }, () => ({
    ajv: least(() => check(next())),
    judge: least(() => judge(rules, next().events))
  }))
  const [a, j] = [median(runs.map((run) => run.ajv)), median(runs.map((run) => run.judge))]
  return [
    "| a batch of 50, parsed | us |",
    "|---|---:|",
    `| ajv, compiled, with formats: yes or no | ${a.toFixed(1)} |`,
    `| judge: each event by itself, with the columns that are written | ${j.toFixed(1)} |`,
    `| ratio (goal 1.0, floor 1.2) | ${(j / a).toFixed(2)} |`
  ].join("\n")
}

export const ingestBench = async (names: ReadonlyArray<Name>, chosen: ReadonlyArray<Work>, effort: Effort) => {
  say("judging")
  const judged = judging()
  const result = await compare(names, chosen, effort, prepareEvents)
  return [table(result, ingestWorks), ...doubts(result), judged].join("\n\n")
}
