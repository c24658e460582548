import * as Effect from "effect/Effect"
import { advisoryLocks } from "../../infra/sql/advisory-locks.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { rowSecurity } from "../../infra/sql/migrations/row-security.ts"

/** A table in partitions of one month or one day (UTC) each, which are named by their beginning. */
export interface Partitioned {
  readonly table: "telemetry_events" | "telemetry_ledger"
  readonly unit: "month" | "day"
}

export const events: Partitioned = { table: "telemetry_events", unit: "month" }
export const ledger: Partitioned = { table: "telemetry_ledger", unit: "day" }

/** The beginning of the month or day that a moment lies in, or of one of the next ones. */
export const beginningOf = ({ unit }: Partitioned, millis: number, further = 0): number => {
  const date = new Date(millis)
  return unit === "month"
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + further, 1)
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + further)
}

const nameOf = ({ table, unit }: Partitioned, beginning: number) =>
  `${table}_${new Date(beginning)
    .toISOString()
    .slice(0, unit === "month" ? 7 : 10)
    .replaceAll("-", "")}`

const literal = (millis: number) => `'${new Date(millis).toISOString()}'`

/**
 * Makes the partitions that a stretch of time lies in and that are not there yet. Each is made as a table of its own and
 * then joined, because that lets others write meanwhile.
 */
export const ensure = (sql: Sql, partitioned: Partitioned, from: number, until: number) =>
  Effect.gen(function* () {
    const beginnings: Array<number> = []
    for (let at = beginningOf(partitioned, from); at <= until; at = beginningOf(partitioned, at, 1)) beginnings.push(at)
    const names = beginnings.map((beginning) => nameOf(partitioned, beginning))
    const absent = (name: string) => Effect.map(find(sql, [name]), (found) => found.length === 0)
    if ((yield* find(sql, names)).length === names.length) return
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT pg_advisory_xact_lock(${advisoryLocks.telemetryPartitions}::bigint)::text`
        for (const [i, beginning] of beginnings.entries()) {
          const name = names[i] ?? ""
          if (!(yield* absent(name))) continue
          const { table } = partitioned
          // A statement that defines takes no parameters. What is put together here are our own words and moments.
          yield* sql.unsafe(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`)
          for (const text of rowSecurity([name])) yield* sql.unsafe(text)
          yield* sql.unsafe(`ALTER TABLE ${table} ATTACH PARTITION ${name}
            FOR VALUES FROM (${literal(beginning)}) TO (${literal(beginningOf(partitioned, beginning, 1))})`)
        }
      })
    )
  })

const find = (sql: Sql, names: ReadonlyArray<string>) =>
  sql<{ name: string }>`SELECT name FROM jsonb_array_elements_text(${sql.json(names)}) AS name
    WHERE to_regclass(name) IS NOT NULL`

/** Drops the partitions whose time ended before a moment, and tells their names. */
export const dropBefore = (sql: Sql, partitioned: Partitioned, millis: number) =>
  Effect.gen(function* () {
    const { table } = partitioned
    const first = nameOf(partitioned, beginningOf(partitioned, millis))
    const old = yield* sql<{ name: string }>`SELECT c.relname::text AS name
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = ${table}::regclass AND length(c.relname) = ${first.length} AND c.relname < ${first}
      ORDER BY c.relname`
    for (const { name } of old) {
      yield* sql.withTransaction(
        Effect.gen(function* () {
          // Whoever reads the table for long is not waited for with all writers behind: the next sweep comes.
          yield* sql`SET LOCAL lock_timeout = '2s'`
          yield* sql`SELECT pg_advisory_xact_lock(${advisoryLocks.telemetryPartitions}::bigint)::text`
          yield* sql.unsafe(`DROP TABLE IF EXISTS ${name}`)
        })
      )
    }
    return old.map(({ name }) => name)
  })
