/** What a support bundle contains of the database: its state and its sizes, but no rows of the tables. */
import * as Effect from "effect/Effect"
import { lockSeconds } from "../../infra/jobs/index.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { databaseState, schemaFault } from "../../infra/sql/database.ts"
import { relationName } from "../../infra/sql/schema.ts"
import { inboxState, queueStates } from "../doctor/repo.ts"

const settingNames = [
  "autovacuum",
  "default_transaction_isolation",
  "effective_cache_size",
  "fsync",
  "idle_in_transaction_session_timeout",
  "jit",
  "lock_timeout",
  "maintenance_work_mem",
  "max_connections",
  "max_wal_size",
  "random_page_cost",
  "server_encoding",
  "server_version",
  "shared_buffers",
  "statement_timeout",
  "synchronous_commit",
  "TimeZone",
  "wal_level",
  "work_mem"
]

/** The rows of a larger table are estimated. */
const countedBytesMax = 8 * 1024 * 1024

/** The number of rows of each small table by its name. */
const countRows = Effect.fnUntraced(function* (sql: Sql, migrations: string) {
  const [built] = yield* sql<{ statement: string | null }>`SELECT string_agg(
      format('SELECT %L AS name, count(*)::float8 AS rows FROM %I.%I', c.relname, n.nspname, c.relname), ' UNION ALL ')
      AS statement
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND pg_table_size(c.oid) <= ${countedBytesMax}
      AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass(${migrations}))`
  if (built === undefined || built.statement === null) return new Map<string, number>()
  const rows = yield* sql.unsafe<{ name: string; rows: number }>(built.statement)
  return new Map(rows.map(({ name, rows: count }) => [name, count]))
})

/** The jobs of each queue, and the webhooks that wait. */
const readQueues = Effect.fnUntraced(function* (sql: Sql) {
  const queues = yield* queueStates(sql, 2 * lockSeconds)
  const { attempts, seconds, waiting } = yield* inboxState(sql)
  return {
    jobs: queues.map(({ abandoned, delayed, failed, name, running, seconds: oldestSeconds, waiting: due }) => ({
      queue: name,
      waiting: due,
      delayed,
      running,
      failed,
      abandoned,
      oldestSeconds
    })),
    webhooks: { waiting, attemptsMax: attempts, oldestSeconds: Math.max(0, seconds) }
  }
})

export type DatabaseReading = Effect.Success<typeof readDatabase>

export const readDatabase = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { isWritable, pending, schema, server } = yield* databaseState
  const migrations = relationName(sql, "orgplane_migrations")
  const applied =
    schema.version === 0
      ? []
      : yield* sql<{ id: number; name: string; at: string }>`SELECT migration_id AS id, name, created_at::text AS at
        FROM orgplane_migrations ORDER BY migration_id`
  const [size] = yield* sql<{ bytes: number }>`SELECT pg_database_size(current_database())::float8 AS bytes`
  const tables = yield* sql<{
    name: string
    rows: number | null
    dead: number
    bytes: number
    vacuumed_at: string | null
    analyzed_at: string | null
  }>`SELECT c.relname::text AS name, CASE WHEN c.reltuples < 0 THEN s.n_live_tup ELSE c.reltuples END::float8 AS rows,
      coalesce(s.n_dead_tup, 0)::float8 AS dead, pg_total_relation_size(c.oid)::float8 AS bytes,
      greatest(s.last_vacuum, s.last_autovacuum)::text AS vacuumed_at,
      greatest(s.last_analyze, s.last_autoanalyze)::text AS analyzed_at
    FROM pg_class c LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
    WHERE c.relkind = 'r'
      AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass(${migrations}))
    ORDER BY bytes DESC, name`
  const counts = yield* countRows(sql, migrations)
  // The tables of another version can have other columns.
  const isCurrent = pending.length === 0 && schemaFault(schema, "") === undefined
  const queues = isCurrent ? yield* readQueues(sql) : null
  const sessions = yield* sql<{ state: string | null; wait: string | null; sessions: number; seconds: number | null }>`
    SELECT state, wait_event_type AS wait, count(*)::int AS sessions,
      max(extract(epoch FROM clock_timestamp() - xact_start))::float8 AS seconds
    FROM pg_stat_activity WHERE datname = current_database() GROUP BY state, wait_event_type ORDER BY sessions DESC`
  const settings = yield* sql<{ name: string; setting: string; unit: string | null; source: string }>`
    SELECT name, setting, unit, source FROM pg_settings WHERE name = ANY(${settingNames}) ORDER BY name`
  return {
    server,
    isWritable,
    schemaVersion: schema.version,
    pendingMigrations: pending,
    migrations: applied,
    bytes: size?.bytes ?? 0,
    tables: tables.map(({ analyzed_at, bytes, dead, name, rows, vacuumed_at }) => ({
      name,
      rows: counts.get(name) ?? rows,
      isEstimate: !counts.has(name),
      deadRows: dead,
      bytes,
      vacuumedAt: vacuumed_at,
      analyzedAt: analyzed_at
    })),
    queues,
    sessions: sessions.map(({ seconds, sessions: count, state, wait }) => ({
      state,
      waitsFor: wait,
      sessions: count,
      longestTransactionSeconds: seconds
    })),
    settings
  }
})
