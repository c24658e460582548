import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"

/** `bucketOf` in SQL, for a column. */
export const bucketOfColumn = (sql: Sql, membershipId: Fragment): Fragment =>
  sql`(('x' || left(encode(sha256(convert_to(${membershipId}, 'UTF8')), 'hex'), 8))::bit(32)::bigint % 100)`

/** The same in SQL, for a parameter: prepared statements have no values when they are built. */
export const bucketOfParameter = (sql: Sql, membershipId: string): Fragment =>
  bucketOfColumn(sql, sql`${membershipId}::text`)
