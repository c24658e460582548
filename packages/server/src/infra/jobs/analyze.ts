import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Sql } from "../sql/client.ts"

const tablesMax = 20
/** The number of changed rows after which a table is analyzed again: a fixed number plus a fraction of the table. */
const changes = { least: 100, share: 0.2 }
/** ANALYZE samples 300 times this number of rows. The embedded database cannot serve requests during this time. */
const statisticsTarget = 20

/**
 * Analyzes the tables that have changed much since they were last analyzed, each in its own transaction, and returns
 * their names. A PostgreSQL server does this with autovacuum, which the embedded engine does not have.
 */
export const analyzeGrown = Effect.fnUntraced(function* (sql: Sql) {
  // Makes this session's pending statistics visible to the next statement.
  yield* sql`SELECT pg_stat_force_next_flush()::text`
  const grown = yield* sql<{ name: string }>`SELECT relname::text AS name FROM pg_stat_user_tables
    WHERE schemaname = current_schema() AND n_mod_since_analyze > ${changes.least}::int + ${changes.share}::float8 * n_live_tup
    ORDER BY n_mod_since_analyze DESC, relid LIMIT ${tablesMax}`
  for (const { name } of grown) {
    yield* Effect.andThen(
      sql`SELECT set_config('default_statistics_target', ${String(statisticsTarget)}, true)`,
      sql`ANALYZE ${sql(name)}`
    ).pipe(sql.withTransaction)
  }
  return grown.map(({ name }) => name)
})

/** Runs once a minute; does nothing on a PostgreSQL server, which has autovacuum. */
export const keepAnalyzed = (sql: Sql) =>
  sql.config.stream === undefined
    ? Effect.void
    : analyzeGrown(sql).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning("Updating table statistics failed. Retrying in one minute.", cause)
        ),
        Effect.repeat(Schedule.spaced("1 minute")),
        Effect.delay("10 seconds")
      )
