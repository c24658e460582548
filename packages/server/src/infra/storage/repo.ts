import * as Effect from "effect/Effect"
import { advisoryLocks } from "../sql/advisory-locks.ts"
import type { Sql } from "../sql/client.ts"
import { countedTables } from "../sql/storage-counter.ts"
import { lockKey } from "../sql/schema.ts"

export interface Usage {
  readonly plan: string
  readonly provisional: boolean
  readonly bytes: number
}

/** The size of all content of an organization, without the counter. */
const contentBytes = (sql: Sql, organizationId: string) =>
  countedTables.reduce(
    (sum, { size, table }) => sql`${sum} + (SELECT coalesce(sum(${sql.literal(size)}), 0) FROM ${sql(table)} r
      WHERE r.organization_id = ${organizationId})`,
    sql`0`
  )

const changedBytes = (sql: Sql, organizationId: string) =>
  sql`(SELECT coalesce(sum(c.bytes), 0) FROM storage_changes c WHERE c.organization_id = ${organizationId})`

/** The plan and the stored bytes of an organization, including the changes of this transaction. */
export const findUsage = (sql: Sql, organizationId: string) =>
  sql<Usage>`SELECT o.plan, o.provisional_until IS NOT NULL AS provisional,
      (u.bytes + ${changedBytes(sql, organizationId)})::float8 AS bytes
    FROM organizations o JOIN storage_usage u ON u.organization_id = o.id
    WHERE o.id = ${organizationId}`.pipe(
    Effect.flatMap(([row]) =>
      row === undefined
        ? // Organizations from before the counter, until housekeeping has counted them.
          Effect.map(
            sql<Usage>`SELECT o.plan, o.provisional_until IS NOT NULL AS provisional,
                (${contentBytes(sql, organizationId)})::float8 AS bytes
              FROM organizations o WHERE o.id = ${organizationId}`,
            (rows) => rows[0]
          )
        : Effect.succeed(row)
    )
  )

/** Until the transaction ends, other transactions that take the lock of the organization wait. */
export const lockUsage = (sql: Sql, organizationId: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${organizationId}, ${lockKey(sql, advisoryLocks.storage)}::bigint))::text`

const changesMax = 5000

/** One process at a time moves changes to the totals, and counts. */
const lockTotals = (sql: Sql) => sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.storage)}::bigint)::text`

/** Adds a batch of changes to the totals, and returns their number. */
const addBatch = (sql: Sql) =>
  sql.withTransaction(
    Effect.andThen(
      lockTotals(sql),
      sql<{ count: number }>`WITH moved AS (
          DELETE FROM storage_changes WHERE id IN (SELECT id FROM storage_changes ORDER BY id LIMIT ${changesMax})
          RETURNING organization_id, bytes),
        added AS (UPDATE storage_usage u SET bytes = u.bytes + m.bytes
          FROM (SELECT organization_id, sum(bytes)::bigint AS bytes FROM moved GROUP BY organization_id) m
          WHERE u.organization_id = m.organization_id)
        SELECT count(*)::int AS count FROM moved`
    )
  )

/** Adds the changes to the totals, in batches. */
export const addChanges = (sql: Sql) =>
  addBatch(sql).pipe(
    Effect.map(([row]) => row?.count ?? 0),
    Effect.repeat({ while: (count) => count === changesMax })
  )

/** Totals of organizations that were deleted by an earlier release, which does not have the table. */
export const deleteForeign = (sql: Sql) =>
  sql`DELETE FROM storage_usage u WHERE NOT EXISTS (SELECT 1 FROM organizations o WHERE o.id = u.organization_id)`

/**
 * Organizations that have never been counted, then those that were counted longest ago, before this many days. `hasMore` is
 * true if more of the former may be left.
 */
export const findUncounted = (sql: Sql, days: number, limit: number) =>
  Effect.map(
    sql<{
      id: string
      isNew: boolean
    }>`SELECT o.id, u.counted_at IS NULL AS "isNew" FROM organizations o LEFT JOIN storage_usage u ON u.organization_id = o.id
      WHERE u.counted_at IS NULL OR u.counted_at < now() - make_interval(days => ${days})
      ORDER BY u.counted_at NULLS FIRST, o.id LIMIT ${limit}`,
    (rows) => ({ ids: rows.map(({ id }) => id), hasMore: rows.length === limit && rows.every(({ isNew }) => isNew) })
  )

/** Counts all content of an organization, and returns by how many bytes the counter was wrong; null before the first count. */
export const recount = (sql: Sql, organizationId: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* lockTotals(sql)
      const [before] = yield* sql<{ bytes: number }>`SELECT bytes::float8 AS bytes FROM storage_usage
        WHERE organization_id = ${organizationId}`
      // Content and changes are read in one snapshot. The content of a change that is not in it is not counted either.
      const [after] = yield* sql<{ bytes: number }>`INSERT INTO storage_usage AS u (organization_id, bytes, counted_at)
        SELECT o.id, ${contentBytes(sql, organizationId)} - ${changedBytes(sql, organizationId)}, now()
        FROM organizations o WHERE o.id = ${organizationId}
        ON CONFLICT (organization_id) DO UPDATE SET bytes = excluded.bytes, counted_at = excluded.counted_at
        RETURNING u.bytes::float8 AS bytes`
      return before === undefined || after === undefined ? null : after.bytes - before.bytes
    })
  )

export interface OrganizationUsage extends Usage {
  readonly organization_id: string
}

/** The stored bytes of every organization, for the metrics. */
export const allUsage = (sql: Sql) =>
  sql<OrganizationUsage>`SELECT o.id AS organization_id, o.plan, o.provisional_until IS NOT NULL AS provisional,
      (u.bytes + coalesce(c.bytes, 0))::float8 AS bytes
    FROM storage_usage u JOIN organizations o ON o.id = u.organization_id
    LEFT JOIN (SELECT organization_id, sum(bytes) AS bytes FROM storage_changes GROUP BY organization_id) c
      ON c.organization_id = u.organization_id`
