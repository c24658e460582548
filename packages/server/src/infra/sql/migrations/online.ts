/** Steps of migrations that run outside a transaction, while servers use the tables. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import { codeOf, rootOf } from "../failure-code.ts"
import { relationName, schemaOf } from "../schema.ts"

type Migration = Effect.Effect<void, unknown, SqlClient.SqlClient>

const onlineMigrations = new WeakSet<Migration>()

/**
 * Marks a migration that takes long on large tables. On a PostgreSQL server that has data, each of its statements is
 * committed on its own, and after an interruption the migration starts again, so each step must be idempotent: use only
 * the steps of this file. In a new or an embedded database, it runs in the transaction of the other migrations.
 */
export const online = (migration: Migration): Migration => {
  onlineMigrations.add(migration)
  return migration
}
export const isOnline = (migration: Migration | undefined): migration is Migration =>
  migration !== undefined && onlineMigrations.has(migration)

/** Whether other processes use the tables, so that no step may lock them for long. */
export const IsConcurrent = Context.Reference<boolean>("@orgplane/server/sql/IsConcurrent", {
  defaultValue: () => false
})

export interface Progress {
  readonly step: string
  readonly done: number
  /** The number of rows that PostgreSQL estimates. */
  readonly total: number
}

/** Such as `Update memories: 1200000 of about 10000000 rows (12 %)`. */
export const progressLine = ({ done, step, total }: Progress): string =>
  total === 0 ? step : `${step}: ${done} of about ${total} rows (${Math.floor((done / total) * 100)} %)`

/**
 * Reports the first and the last progress of each step, and one per interval between them. Long work in a pipe or
 * a log shows that it continues, without a line for every batch.
 */
export const everyInterval = (millis: number, show: (line: string) => Effect.Effect<void>) => {
  let shownAt = 0
  let shownStep = ""
  return (progress: Progress) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const isDue = progress.step !== shownStep || now - shownAt >= millis || progress.done === progress.total
      if (!isDue) return
      shownAt = now
      shownStep = progress.step
      yield* show(progressLine(progress))
    })
}

/** Receives the progress of long steps. Default: the log. */
export const MigrationProgress = Context.Reference<(progress: Progress) => Effect.Effect<void>>(
  "@orgplane/server/sql/MigrationProgress",
  { defaultValue: () => everyInterval(10_000, (line) => Effect.logInfo(`Migration: ${line}`)) }
)

/** How long a statement that locks a table waits for it: requests that need the table wait behind the statement. */
export const lockMillisMax = 400
/** How long a statement that locks rows or a table runs, with the wait. */
export const lockedStatementMillisMax = 900

/** PostgreSQL error codes for a lock timeout, a statement timeout, a deadlock and a serialization failure. */
const blockedCodes = new Set(["55P03", "57014", "40P01", "40001"])

/** Whether a statement failed because other transactions hold what it needs. */
export const isBlocked = (error: unknown): boolean => {
  let at = error
  for (let depth = 0; depth < 10 && typeof at === "object" && at !== null; depth += 1) {
    if (at instanceof SqlError) return blockedCodes.has(codeOf(rootOf(at.reason.cause)) ?? "")
    at = "cause" in at ? at.cause : undefined
  }
  return false
}

export interface Index {
  readonly name: string
  readonly table: string
  /** The part after the name of the table, such as `(organization_id, created_at) WHERE revoked_at IS NULL`. */
  readonly definition: string
  readonly isUnique?: boolean
}

/** Creates an index without blocking writes. An index that an interrupted attempt left invalid is built again. */
export const createIndex = Effect.fnUntraced(function* ({ definition, isUnique, name, table }: Index) {
  const sql = yield* SqlClient.SqlClient
  const create = (how: string) =>
    sql.unsafe(`CREATE ${isUnique === true ? "UNIQUE " : ""}INDEX ${how} ${name} ON ${table} ${definition}`)
  if (!(yield* IsConcurrent)) return yield* Effect.asVoid(create("IF NOT EXISTS"))
  const [existing] = yield* sql<{ valid: boolean }>`SELECT indisvalid AS valid FROM pg_index
    WHERE indexrelid = to_regclass(${relationName(sql, name)})`
  if (existing?.valid === true) return
  const report = yield* MigrationProgress
  yield* report({ step: `Create index ${name} on ${table}`, done: 0, total: 0 })
  // Other statements do not wait behind it, so it may wait for long transactions.
  yield* sql`SET lock_timeout = 0`
  const schema = schemaOf(sql)
  const own = schema === undefined ? name : `"${schema}".${name}`
  if (existing !== undefined) yield* sql.unsafe(`DROP INDEX CONCURRENTLY IF EXISTS ${own}`)
  yield* create("CONCURRENTLY")
  yield* sql.unsafe(`SET lock_timeout = ${lockMillisMax}`)
})

/** Checks the existing rows of a constraint that was added as NOT VALID, without blocking writes. */
export const validateConstraint = Effect.fnUntraced(function* (table: string, constraint: string) {
  const sql = yield* SqlClient.SqlClient
  const report = yield* MigrationProgress
  yield* report({ step: `Validate constraint ${constraint} of ${table}`, done: 0, total: 0 })
  yield* sql.unsafe(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${constraint}`)
})

export interface Backfill {
  readonly table: string
  /** The columns of a unique index, in its order. They must not change, or be null. */
  readonly key: readonly [string, ...Array<string>]
  /** The assignments, such as `size = length(body)`. */
  readonly set: string
  /** The rows that still need the change, such as `size IS NULL`. */
  readonly where: string
}

const rowsMin = 10
const rowsMax = 10_000
/** After a batch that takes longer, the next batches are smaller. */
const batchMillis = 100
const attemptsMax = 100
const pauseMillisMax = 200

/**
 * Changes the rows of a table in batches in the order of a key, each committed on its own. The size of the batches follows
 * their duration. After an interruption, rows that already have the change are read and not written again.
 */
export const backfill = Effect.fnUntraced(function* ({ key, set, table, where }: Backfill) {
  const sql = yield* SqlClient.SqlClient
  const report = yield* MigrationProgress
  const isConcurrent = yield* IsConcurrent
  const columns = yield* sql<{ name: string; type: string; total: number }>`SELECT a.attname::text AS name,
      format_type(a.atttypid, a.atttypmod) AS type, greatest(c.reltuples, 0)::float8 AS total
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.oid = to_regclass(${relationName(sql, table)}) AND a.attname::text IN ${sql.in([...key])}`
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  const total = Math.round(columns[0]?.total ?? 0)
  const list = key.join(", ")
  let rows = 500
  let done = 0
  let attempts = 0
  let last: ReadonlyArray<string> | undefined
  if (isConcurrent) yield* sql.unsafe(`SET statement_timeout = ${lockedStatementMillisMax}`)
  while (true) {
    const after =
      last === undefined
        ? ""
        : `WHERE (${list}) > (${key.map((name, n) => `$${n + 1}::text::${types.get(name) ?? "text"}`).join(", ")})`
    const startedAt = yield* Clock.currentTimeMillis
    const outcome = yield* Effect.result(
      sql.unsafe<{ read: number; last: ReadonlyArray<string> | null }>(
        `WITH batch AS MATERIALIZED (SELECT ${list} FROM ${table} ${after} ORDER BY ${list} LIMIT ${rows}),
          changed AS (UPDATE ${table} AS target SET ${set} FROM batch
            WHERE ${key.map((name) => `target.${name} = batch.${name}`).join(" AND ")} AND (${where}))
        SELECT (SELECT count(*)::int FROM batch) AS read, (SELECT ARRAY[${key.map((name) => `${name}::text`).join(", ")}]
          FROM batch ORDER BY ${key.map((name) => `${name} DESC`).join(", ")} LIMIT 1) AS last`,
        last === undefined ? [] : [...last]
      )
    )
    const millis = (yield* Clock.currentTimeMillis) - startedAt
    if (outcome._tag === "Failure") {
      attempts += 1
      if (!isConcurrent || !isBlocked(outcome.failure) || attempts > attemptsMax) return yield* outcome.failure
      rows = Math.max(rowsMin, Math.floor(rows / 2))
      yield* Effect.sleep(pauseMillisMax)
      continue
    }
    attempts = 0
    const [batch] = outcome.success
    const read = batch?.read ?? 0
    done += read
    if (read > 0) yield* report({ step: `Update ${table}`, done, total: Math.max(total, done) })
    if (read < rows || batch === undefined || batch.last === null) break
    last = batch.last
    rows =
      millis > batchMillis
        ? Math.max(rowsMin, Math.floor(rows / 2))
        : Math.min(rowsMax, millis < batchMillis / 2 ? rows * 2 : rows)
    // The pause leaves half of the time to other statements.
    if (isConcurrent) yield* Effect.sleep(Math.min(pauseMillisMax, millis))
  }
  if (isConcurrent) yield* sql`SET statement_timeout = 0`
})
