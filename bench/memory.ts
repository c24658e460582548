/** Measures memory search with few users, with many users, and for one user with many memories. */
import { PgClient } from "@effect/sql-pg"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { indexOldest } from "../packages/server/src/agents/memory/index-repo.ts"
import { queryWordsOf } from "../packages/server/src/agents/memory/question.ts"
import type { Bank } from "../packages/server/src/agents/memory/repo.ts"
import { listEntries } from "../packages/server/src/agents/memory/search-repo.ts"
import { search } from "../packages/server/src/agents/memory/search.ts"
import type { Sql } from "../packages/server/src/infra/sql/client.ts"
import { execute } from "../packages/server/src/infra/sql/execute.ts"
import { migrate } from "../packages/server/src/infra/sql/migrate.ts"
import { migrations } from "../packages/server/src/infra/sql/migrations/index.ts"
import { layerPostgres } from "../packages/server/src/infra/sql/postgres.ts"
import { startPostgres } from "../test/postgres/start.ts"
import { median, say } from "./harness.ts"

export interface MemoryOptions {
  readonly memories: number
  readonly users: number
  /** Number of memories of the user with many memories. */
  readonly own: number
  readonly runs: number
  readonly plans: boolean
}

const organizationId: Id<"org"> = "org_01k5qdy0000000000000000001"
const person = (number: number): Id<"usr"> => `usr_01k5qdy${String(number).padStart(19, "0")}`
const vocabulary = 5000
const wordsEach = 20

/** Words of a memory; frequent words are more likely. The numbers are ranks. */
const fill = (firstUser: number, users: number, each: number) => `
  INSERT INTO memories (user_id, id, organization_id, content, tags, tag_keys, source, contexts_json, words, stems, weights,
    word_count, created_at, updated_at)
  SELECT 'usr_01k5qdy' || lpad((${firstUser} + r % ${users})::text, 19, '0'),
    'mem_01k5qdy' || lpad(${firstUser} || 'x' || r, 19, '0'), '${organizationId}', repeat('about this ', 10), '{}', '{}', 'chat',
    '[]', w.words, w.words, array_fill(850, ARRAY[cardinality(w.words)]), cardinality(w.words), now(), now()
  FROM generate_series(0, ${users * each - 1}) r
  CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT 'word' || translate((power(abs(hashint8(r::bigint * 64 + n)) % 100000 / 100000.0, 2)
      * ${vocabulary})::int::text, '0123456789', 'abcdefghij')) AS words
    FROM generate_series(1, ${wordsEach}) n) w`

const rankWord = (rank: number) => `word${String(rank).replace(/\d/g, (digit) => "abcdefghij".charAt(Number(digit)))}`
const questions: ReadonlyArray<readonly [name: string, (run: number) => string]> = [
  ["one word", (run) => rankWord(40 + (run % 50))],
  [
    "a question of six words",
    (run) => [1, 20, 300, 900, 2000, 4000].map((rank) => rankWord(rank + (run % 50))).join(" ")
  ],
  [
    "six words that are in no memory",
    (run) =>
      [1, 2, 3, 4, 5, 6].map((n) => `zyx${"klmnop".charAt(n - 1).repeat(3)}${"qrstuv".charAt(run % 6)}uvyz`).join(" ")
  ],
  ["words with a typo", (run) => `${rankWord(300 + (run % 50)).replace("o", "u")} ${rankWord(900).replace("r", "")}`]
]

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Shared Hit Blocks"?: number
  readonly "Shared Read Blocks"?: number
  readonly Plans?: ReadonlyArray<Node>
}
const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const cells = (values: ReadonlyArray<string | number>) => `| ${values.join(" | ")} |`
const part = (values: ReadonlyArray<number>, of: number) =>
  values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) * of)] ?? Number.NaN

const measure = Effect.fnUntraced(function* (sql: Sql, data: string, userId: Id<"usr">, options: MemoryOptions) {
  const bank: Bank = { userId, organizationIds: [organizationId], tagKey: null }
  const rows: Array<string> = []
  for (const [name, question] of questions) {
    const times: Array<number> = []
    let rowCount = 0
    for (let run = -8; run < options.runs; run += 1) {
      const q = queryWordsOf(question(Math.abs(run)))
      const began = performance.now()
      rowCount = (yield* search(sql, bank, q, 20)).length
      if (run >= 0) times.push(performance.now() - began)
    }
    const [text, parameters] = listEntries(sql, bank, queryWordsOf(question(1))).compile()
    const [response] = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ readonly Plan: Node }> }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      parameters
    )
    const plan = response?.["QUERY PLAN"][0]?.Plan
    if (plan === undefined) throw new Error("PostgreSQL returned no plan.")
    if (options.plans) {
      const lines = yield* sql.unsafe<{ "QUERY PLAN": string }>(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, parameters)
      say(lines.map((line) => line["QUERY PLAN"]).join("\n"))
    }
    const ways = nodesOf(plan).flatMap((node) => (node["Relation Name"] === undefined ? [] : [node["Node Type"]]))
    rows.push(
      cells([
        data,
        name,
        rowCount,
        median(times).toFixed(2),
        part(times, 0.99).toFixed(2),
        (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0),
        [...new Set(ways)].join(", ")
      ])
    )
    say(rows.at(-1) ?? "")
  }
  return rows
})

export const memoryBench = async (options: MemoryOptions): Promise<string> => {
  const server = await startPostgres({
    fsync: true,
    settings: { shared_buffers: "512MB", max_wal_size: "4GB", synchronous_commit: "off" }
  })
  try {
    await execute(server.url, "CREATE ROLE orgplane LOGIN PASSWORD 'orgplane'")
    await execute(server.url, "CREATE DATABASE orgplane OWNER orgplane")
    const url = new URL(server.url)
    url.username = "orgplane"
    url.password = "orgplane"
    url.pathname = "/orgplane"
    const each = Math.max(1, Math.round(options.memories / options.users))
    const few = Math.max(1, Math.round(options.users / 1000))
    const rows = await Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* migrate(migrations)
      yield* sql`INSERT INTO organizations (id, name, plan, created_at, updated_at)
        VALUES (${organizationId}, 'Acme', 'enterprise', now(), now())`
      const measured: Array<string> = []
      const stage = Effect.fnUntraced(function* (data: string, statement: string, userId: Id<"usr">) {
        const began = performance.now()
        yield* sql.unsafe(statement)
        // As saved memories are: the statement above writes only `memories`.
        while ((yield* sql.withTransaction(indexOldest(sql, organizationId, userId))) > 0);
        yield* sql.unsafe("VACUUM ANALYZE memories, memory_words")
        say(`${data}: filled in ${((performance.now() - began) / 1000).toFixed(0)} s`)
        measured.push(...(yield* measure(sql, data, userId, options)))
      })
      yield* stage(`${each} per user, ${few} users`, fill(1, few, each), person(1))
      yield* stage(`${each} per user, ${options.users} users`, fill(few + 1, options.users - few, each), person(1))
      yield* stage(`${options.own} of one user`, fill(options.users + 1, 1, options.own), person(options.users + 1))
      return measured
    }).pipe(Effect.provide(layerPostgres({ url: url.href })), Effect.runPromise)
    return [
      cells(["memories", "query", "results", "p50 ms", "p99 ms", "blocks", "access paths"]),
      "|---|---|---:|---:|---:|---:|---|",
      ...rows
    ].join("\n")
  } finally {
    await server.stop()
  }
}
