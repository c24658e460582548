import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

/** The age in seconds of the oldest audit event that is not sealed; 0 if all are sealed. */
export const sealLagSeconds = (sql: Sql) =>
  Effect.map(
    sql<{ seconds: number | null }>`SELECT extract(epoch FROM now() - created_at)::float8 AS seconds
      FROM audit_events WHERE sequence IS NULL ORDER BY created_txid, id LIMIT 1`,
    ([row]) => row?.seconds ?? 0
  )

/** The number of the latest migration of the database, which another process may have run since the start of this one. */
export const schemaVersionNow = (sql: Sql) =>
  Effect.map(
    sql<{ version: number | null }>`SELECT max(migration_id)::int AS version FROM orgplane_migrations`,
    ([row]) => row?.version ?? 0
  )
