/** A large database that was never analyzed, and the number of rows that each statement reads. */
import * as Effect from "effect/Effect"
import * as Statement from "effect/sql/Statement"
import type { Sql } from "../../src/infra/sql/client.ts"
import { relationName } from "../../src/infra/sql/schema.ts"
import { runSql, type TestPlane } from "../harness.ts"

interface Column {
  readonly name: string
  readonly type: string
  readonly unique: boolean
  readonly checked: boolean
}

const idForm = "^[a-z]{2,3}_[0-9a-z]{26}$"

/** Part of a unique index, but with a few allowed values, so that the responses stay valid. */
const keptColumns = new Set(["organization_id", "adapter", "state", "status"])

/** The value of a column in the nth copy: ids are replaced consistently, so that copies refer to each other. */
const copied = ({ checked, name, type, unique }: Column): string => {
  const value = `s."${name}"`
  if (keptColumns.has(name)) return value
  if (type === "text") {
    const other = unique && !checked ? `${value} || '-' || n` : value
    return `CASE WHEN ${value} ~ '${idForm}' THEN left(${value}, -5) || lpad(to_hex(n), 5, '0') ELSE ${other} END`
  }
  if (unique && type === "bytea") return `${value} || int4send(n)`
  if (unique && (type === "bigint" || type === "integer") && name !== "ordinal") return `${value} + n * 1000`
  return value
}

/** Tables with a single row, or whose rows belong to no organization. */
const skippedTables = new Set([
  "organizations",
  "signing_keys",
  "rate_windows",
  "sso_connections",
  "orgplane_migrations",
  "effect_queue_migrations",
  "idempotency_keys"
])

const tablesOf = (sql: Sql) =>
  sql<{ name: string }>`SELECT c.relname::text AS name FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'created_at')
      OR c.relname IN ('telemetry_dimensions', 'telemetry_events', 'plugin_memberships')
    ORDER BY 1`

const columnsOf = (sql: Sql, table: string) =>
  sql<Column>`SELECT a.attname::text AS name, format_type(a.atttypid, NULL) AS type,
      EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique
        AND pg_get_indexdef(i.indexrelid) ~ ('[( ]' || a.attname || '[,) ]')) AS unique,
      EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'c'
        AND a.attnum = ANY (k.conkey)) AS checked
    FROM pg_attribute a
    WHERE a.attrelid = ${relationName(sql, table)}::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''`

/** Copies every row the given number of times within its organization, without triggers. */
export const multiply = (plane: TestPlane, copies: number): Promise<Readonly<Record<string, number>>> =>
  runSql(plane, (sql) =>
    Effect.gen(function* () {
      const counts: Record<string, number> = {}
      yield* sql`SET LOCAL session_replication_role = replica`
      yield* sql`DO $$ DECLARE t regclass; BEGIN
          FOR t IN SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' LOOP
            EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', t);
          END LOOP; END $$`
      for (const { name } of yield* tablesOf(sql)) {
        if (skippedTables.has(name)) continue
        const columns = yield* columnsOf(sql, name)
        const rows = yield* sql
          .unsafe(`INSERT INTO "${name}" (${columns.map((column) => `"${column.name}"`).join()})
          OVERRIDING SYSTEM VALUE SELECT ${columns.map(copied).join()} FROM "${name}" s
          CROSS JOIN generate_series(1, ${copies}) n ON CONFLICT DO NOTHING RETURNING 1 AS one`)
          .pipe(
            sql.withTransaction,
            // A table whose rows cannot be copied stays unchanged; the test counts how many were filled.
            Effect.orElseSucceed(() => [])
          )
        counts[name] = rows.length
      }
      return counts
    }).pipe(sql.withTransaction)
  )

interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Actual Rows"?: number
  readonly "Actual Loops"?: number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Join Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<PlanNode>
}

/** Every row that a plan touched: read, joined or filtered out. */
const rowsOf = (node: PlanNode): number =>
  (node["Actual Loops"] ?? 0) *
    ((node["Actual Rows"] ?? 0) +
      (node["Rows Removed by Filter"] ?? 0) +
      (node["Rows Removed by Join Filter"] ?? 0) +
      (node["Rows Removed by Index Recheck"] ?? 0)) +
  (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan), 0)

/** The node that touched the most rows. */
const worstOf = (node: PlanNode): readonly [rows: number, name: string] => {
  const own = rowsOf({ ...node, Plans: [] })
  const name = `${node["Node Type"]} ${node["Relation Name"] ?? ""} ${node["Index Name"] ?? ""}`
  return (node.Plans ?? []).map(worstOf).reduce((most, each) => (each[0] > most[0] ? each : most), [own, name])
}

export interface Read {
  readonly text: string
  readonly rows: number
  readonly worst: string
}

const isPlanned = (text: string) => /^\s*(select|with|insert|update|delete)\b/i.test(text)

class Undo {
  readonly _tag = "Undo"
  readonly read: Read
  constructor(read: Read) {
    this.read = read
  }
}

/** Explains every statement before it is sent, in its own transaction, and rolls the explanation back. */
export const explaining = () => {
  let reads: Array<Read> | undefined
  let sql: Sql | undefined
  const transformer: Statement.Transformer = (statement) => {
    const [text, bound] = statement.compile()
    const [into, client] = [reads, sql]
    if (into === undefined || client === undefined || !isPlanned(text)) return Effect.succeed(statement)
    return client
      .withTransaction(
        Effect.flatMap(
          client.unsafe<{ "QUERY PLAN": string | ReadonlyArray<{ Plan: PlanNode }> }>(
            `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
            bound
          ),
          ([row]) => {
            const plan = row?.["QUERY PLAN"] ?? []
            const parsed: ReadonlyArray<{ Plan: PlanNode }> = typeof plan === "string" ? JSON.parse(plan) : plan
            const root = parsed[0]?.Plan
            if (root === undefined) return Effect.die(new Error("There is no plan."))
            return Effect.fail(new Undo({ text, rows: rowsOf(root), worst: worstOf(root).join(" ") }))
          }
        )
      )
      .pipe(
        Effect.provideService(Statement.CurrentTransformer, undefined),
        Effect.catch((error) =>
          Effect.sync(() => {
            if (error instanceof Undo) into.push(error.read)
          })
        ),
        Effect.as(statement)
      )
  }
  /** The rows that the statements of an effect read. */
  const during = async (plane: TestPlane, work: () => Promise<unknown>): Promise<ReadonlyArray<Read>> => {
    sql = await runSql(plane, (client) => Effect.succeed(client))
    const own: Array<Read> = []
    reads = own
    await work()
    reads = undefined
    return own
  }
  return { transformer, during } as const
}
