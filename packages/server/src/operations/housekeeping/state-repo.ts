import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

export interface TableState {
  readonly table: string
  readonly rows: number
  readonly seconds: number
}

/** The tables with rows past their retention at the last check, and the time since it, or since the first start. */
export const retentionState = Effect.fnUntraced(function* (sql: Sql) {
  const tables = yield* sql<TableState>`SELECT table_name AS "table", overdue_rows AS rows, overdue_seconds AS seconds
    FROM retention_checks WHERE overdue_rows > 0 ORDER BY overdue_rows DESC, table_name`
  const [row] = yield* sql<{ age: number; checked: boolean }>`SELECT
      coalesce(extract(epoch FROM now() - coalesce((SELECT max(checked_at) FROM retention_checks),
        (SELECT created_at FROM orgplane_migrations WHERE migration_id = 57))), 0)::float8 AS age,
      EXISTS (SELECT 1 FROM retention_checks) AS checked`
  return { tables, ageSeconds: row?.age ?? 0, isChecked: row?.checked === true }
})
