import type { Sql } from "../../infra/sql/client.ts"

/** The earliest of the times. A single column is not wrapped in `least`, so that its index is used. */
export const earliest = (sql: Sql, [first, ...others]: readonly [string, ...ReadonlyArray<string>]) =>
  others.length === 0
    ? sql`${sql(first)}`
    : sql`least(${sql.csv([first, ...others].map((column) => sql`${sql(column)}`))})`
