import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Sql } from "../sql/client.ts"

const tablesMax = 20
/** Changed rows after which a table is analyzed again: a fixed number, and a share of the table. */
const changes = { least: 100, share: 0.2 }
/** Rows that ANALYZE samples are 300 times this: the embedded database serves nobody meanwhile. */
const statisticsTarget = 20

/**
 * Analyzes the tables that have changed much since they were last analyzed, each in a transaction of its own, and
 * returns their names. A PostgreSQL server does so by itself; the embedded engine has no process that would.
 */
export const analyzeGrown = Effect.fnUntraced(function* (sql: Sql) {
  // What this session has counted so far becomes visible to the next statement.
  yield* sql`SELECT pg_stat_force_next_flush()::text`
  const grown = yield* sql<{ name: string }>`SELECT relid::regclass::text AS name FROM pg_stat_user_tables
    WHERE n_mod_since_analyze > ${changes.least}::int + ${changes.share}::float8 * n_live_tup
    ORDER BY n_mod_since_analyze DESC, relid LIMIT ${tablesMax}`
  for (const { name } of grown) {
    yield* Effect.andThen(
      sql`SELECT set_config('default_statistics_target', ${String(statisticsTarget)}, true)`,
      sql`ANALYZE ${sql.literal(name)}`
    ).pipe(sql.withTransaction)
  }
  return grown.map(({ name }) => name)
})

/** Once a minute, for as long as it runs; nothing on a server, which has autovacuum. */
export const keepAnalyzed = (sql: Sql) =>
  sql.config.stream === undefined
    ? Effect.void
    : analyzeGrown(sql).pipe(
        Effect.catchCause((cause) => Effect.logWarning("Updating table statistics failed. Retrying in one minute.", cause)),
        Effect.repeat(Schedule.spaced("1 minute")),
        Effect.delay("10 seconds")
      )
