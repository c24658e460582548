import * as Effect from "effect/Effect"
import { advisoryLocks } from "../../infra/sql/advisory-locks.ts"
import { lockKey, relationName } from "../../infra/sql/schema.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { rowSecurity } from "../../infra/sql/migrations/row-security.ts"

/** A table partitioned by month or day (UTC); partitions are named after their start. */
export interface Partitioned {
  readonly table: "telemetry_events" | "telemetry_ledger"
  readonly unit: "month" | "day"
}

export const events: Partitioned = { table: "telemetry_events", unit: "month" }
export const ledger: Partitioned = { table: "telemetry_ledger", unit: "day" }

/** The start of the month or day of a time, plus an offset in units. */
export const startOf = ({ unit }: Partitioned, millis: number, offset = 0): number => {
  const date = new Date(millis)
  return unit === "month"
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1)
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + offset)
}

const nameOf = ({ table, unit }: Partitioned, start: number) =>
  `${table}_${new Date(start)
    .toISOString()
    .slice(0, unit === "month" ? 7 : 10)
    .replaceAll("-", "")}`

const literal = (millis: number) => `'${new Date(millis).toISOString()}'`

/**
 * Creates the missing partitions of a time range. Each is created as a separate table and then attached, which does not
 * block writers.
 */
export const ensure = (sql: Sql, partitioned: Partitioned, from: number, until: number) =>
  Effect.gen(function* () {
    const starts: Array<number> = []
    for (let at = startOf(partitioned, from); at <= until; at = startOf(partitioned, at, 1)) starts.push(at)
    const names = starts.map((start) => nameOf(partitioned, start))
    const isMissing = (name: string) => Effect.map(find(sql, [name]), (existing) => existing.length === 0)
    if ((yield* find(sql, names)).length === names.length) return
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.telemetryPartitions)}::bigint)::text`
        for (const [i, start] of starts.entries()) {
          const name = names[i] ?? ""
          if (!(yield* isMissing(name))) continue
          const { table } = partitioned
          // DDL statements take no parameters. The inserted text consists only of constants and timestamps of this
          // code.
          yield* sql.unsafe(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`)
          for (const text of rowSecurity([name])) yield* sql.unsafe(text)
          yield* sql.unsafe(`ALTER TABLE ${table} ATTACH PARTITION ${name}
            FOR VALUES FROM (${literal(start)}) TO (${literal(startOf(partitioned, start, 1))})`)
        }
      })
    )
  })

const find = (sql: Sql, names: ReadonlyArray<string>) =>
  sql<{ name: string }>`SELECT name FROM jsonb_array_elements_text(${sql.json(names)}) AS name
    WHERE to_regclass(${relationName(sql, "")} || name) IS NOT NULL`

/** Drops the partitions that end before a time, and returns their names. */
export const dropBefore = (sql: Sql, partitioned: Partitioned, millis: number) =>
  Effect.gen(function* () {
    const { table } = partitioned
    const first = nameOf(partitioned, startOf(partitioned, millis))
    const expired = yield* sql<{ name: string }>`SELECT c.relname::text AS name
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = ${relationName(sql, table)}::regclass AND length(c.relname) = ${first.length} AND c.relname < ${first}
      ORDER BY c.relname`
    for (const { name } of expired) {
      yield* sql.withTransaction(
        Effect.gen(function* () {
          // Does not wait for long reads, because all writers would queue behind the lock. The next run retries.
          yield* sql`SET LOCAL lock_timeout = '2s'`
          yield* sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.telemetryPartitions)}::bigint)::text`
          yield* sql.unsafe(`DROP TABLE IF EXISTS ${name}`)
        })
      )
    }
    return expired.map(({ name }) => name)
  })
