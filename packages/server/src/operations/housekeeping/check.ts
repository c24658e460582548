/** Checks that no table has rows past its bound, and stores the result for the metrics and `doctor`. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { Retention } from "../../infra/config/retention.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { daysOf, isUnused, removals } from "../purge/purge-removed.ts"
import { bounds, boundsOf, type Expiry, intervalOf, type Newest, type Unused, unusedFor } from "./bounds.ts"
import { earliest } from "./earliest.ts"

/** Rows that the next run deletes anyway are not reported. */
const grace = "1 day"
/** At most this many rows of a table are counted. */
const countMax = 10_000

/** Rows past a bound, and how long the oldest row has been past it. */
interface Overdue {
  readonly rows: number
  readonly seconds: number
}

const none: Overdue = { rows: 0, seconds: 0 }

const countExpired = (sql: Sql, table: string, expiry: Expiry, retention: Retention) => {
  const at = earliest(sql, expiry.since)
  const due = sql`now() - ${intervalOf(expiry, retention)}::interval`
  return sql<Overdue>`SELECT count(*)::int AS rows, coalesce(max(extract(epoch FROM ${due} - at)), 0)::float8 AS seconds
    FROM (SELECT ${at} AS at FROM ${sql(table)} WHERE ${at} < ${due} - ${grace}::interval LIMIT ${countMax}) r`
}

const countRemoved = (sql: Sql, removal: (typeof removals)[number], days: number) => {
  const due = sql`now() - make_interval(days => ${days})`
  return sql<Overdue>`SELECT count(*)::int AS rows, coalesce(max(extract(epoch FROM ${due} - at)), 0)::float8 AS seconds
    FROM (SELECT r.${sql(removal.removedAt)} AS at FROM ${sql(removal.table)} r
      WHERE r.${sql(removal.removedAt)} < ${due} - ${grace}::interval AND ${isUnused(sql, removal)}
      LIMIT ${countMax}) r`
}

const countBeyondNewest = (sql: Sql, table: string, newest: Newest, retention: Retention) => {
  const { deletable = "TRUE", distinct, per } = newest
  const max = newest.max === "syncsMax" ? retention.syncsMax : newest.max
  const counted = distinct === undefined ? sql`count(*)` : sql`count(DISTINCT ${sql(distinct)})`
  const groups = sql.csv(["organization_id", ...per].map((column) => sql`${sql(column)}`))
  return sql<Overdue>`SELECT least(coalesce(sum(over), 0), ${countMax})::int AS rows, 0::float8 AS seconds
    FROM (SELECT ${counted} - ${max}::int AS over FROM ${sql(table)} WHERE ${sql.literal(deletable)}
      GROUP BY ${groups} HAVING ${counted} > ${max}::int LIMIT ${countMax}) r`
}

/** The tables whose rows each belong to one organization. */
const findTenantTables = (sql: Sql) =>
  Effect.map(
    sql<{ name: string }>`SELECT table_name::text AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND column_name = 'organization_id' AND is_nullable = 'NO'
        AND table_name IN ${sql.in(Object.keys(bounds))}`,
    (rows) => new Set(rows.map(({ name }) => name))
  )

const countOrphans = (
  sql: Sql,
  table: string,
  {
    by,
    isOfTenant,
    parent
  }: { readonly by: Readonly<Record<string, string>>; readonly isOfTenant: boolean; readonly parent: string }
) => {
  const columns = isOfTenant ? { organization_id: "organization_id", ...by } : by
  const same = sql.and(Object.entries(columns).map(([own, other]) => sql`p.${sql(other)} = r.${sql(own)}`))
  return sql<Overdue>`SELECT count(*)::int AS rows, 0::float8 AS seconds FROM (SELECT 1 FROM ${sql(table)} r
    WHERE NOT EXISTS (SELECT 1 FROM ${sql(parent)} p WHERE ${same}) LIMIT ${countMax}) r`
}

const countDays = (sql: Sql, table: string, day: string, spanDays: number, telemetryDays: number) => {
  const due = sql`now() - make_interval(days => ${telemetryDays + spanDays})`
  return sql<Overdue>`SELECT count(*)::int AS rows,
      coalesce(max(extract(epoch FROM ${due} - at::timestamptz)), 0)::float8 AS seconds
    FROM (SELECT ${sql(day)} AS at FROM ${sql(table)} WHERE ${sql(day)} < ${due} - ${grace}::interval
      LIMIT ${countMax}) r`
}

/**
 * The first events of each chain that are too old. A chain is truncated only up to a checkpoint, which follows within a
 * minute. Reads one event of a chain that has none.
 */
const countAudit = (sql: Sql, days: number) => {
  const due = sql`now() - make_interval(days => ${days})`
  const first = (of: Fragment, limit: number) => sql`(SELECT e.created_at AS at FROM audit_events e
    WHERE ${of} AND e.sequence IS NOT NULL ORDER BY e.sequence LIMIT ${limit})`
  const ofChain = sql`e.organization_id = c.organization_id`
  const ofPlatform = sql`e.organization_id IS NULL`
  return sql<Overdue>`SELECT least(count(*), ${countMax})::int AS rows,
      coalesce(max(extract(epoch FROM ${due} - at)), 0)::float8 AS seconds
    FROM (SELECT s.at FROM audit_chains c CROSS JOIN LATERAL ${first(ofChain, 1)} f
        CROSS JOIN LATERAL ${first(ofChain, countMax)} s
        WHERE f.at < ${due} - ${grace}::interval AND s.at < ${due} - ${grace}::interval
      UNION ALL SELECT p.at FROM ${first(ofPlatform, countMax)} p WHERE p.at < ${due} - ${grace}::interval) r`
}

/** Contents that no row has used for a while. */
const countUnused = (sql: Sql, table: string, { by, column }: Unused) => {
  const due = sql`now() - ${unusedFor}::interval`
  return sql<Overdue>`SELECT count(*)::int AS rows, coalesce(max(extract(epoch FROM ${due} - at)), 0)::float8 AS seconds
    FROM (SELECT r.used_at AS at FROM ${sql(table)} r
      WHERE r.used_at < ${due} - ${grace}::interval AND NOT EXISTS (SELECT 1 FROM ${sql(by)} k
        WHERE k.organization_id = r.organization_id AND k.${sql(column)} = r.digest)
      LIMIT ${countMax}) r`
}

/** Ranges of publications that ended before the oldest publication of their branch. */
const countEnded = (sql: Sql, table: string) =>
  sql<Overdue>`SELECT count(*)::int AS rows, 0::float8 AS seconds FROM (SELECT 1 FROM ${sql(table)} r
    JOIN (SELECT organization_id, connector_target_id, min(sequence) AS oldest FROM target_publications GROUP BY 1, 2) p
      ON p.organization_id = r.organization_id AND p.connector_target_id = r.connector_target_id
    WHERE r.to_sequence < p.oldest LIMIT ${countMax}) r`

/** Rows of organizations that do not exist. Reads one row for each organization of the table. */
const countForeign = (sql: Sql, table: string) =>
  sql<Overdue>`WITH RECURSIVE o AS (
      (SELECT organization_id FROM ${sql(table)} ORDER BY organization_id LIMIT 1)
      UNION ALL SELECT (SELECT t.organization_id FROM ${sql(table)} t WHERE t.organization_id > o.organization_id
        ORDER BY t.organization_id LIMIT 1) FROM o WHERE o.organization_id IS NOT NULL)
    SELECT count(*)::int AS rows, 0::float8 AS seconds FROM o
    WHERE o.organization_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM organizations g WHERE g.id = o.organization_id)`

/** Organizations that should have been deleted with all their rows. */
const countEndedOrganizations = (sql: Sql, days: number) =>
  sql<Overdue>`SELECT count(*)::int AS rows,
      coalesce(max(extract(epoch FROM now() - make_interval(days => ${days}) - deleted_at)), 0)::float8 AS seconds
    FROM organizations WHERE deleted_at < now() - make_interval(days => ${days}) - ${grace}::interval`

export interface CheckSettings {
  readonly retention: Retention
  /** How long telemetry is kept. */
  readonly telemetryDays: number
}

const endedOrganizationDays = 30

interface Count {
  readonly table: string
  readonly statement: Fragment
}

/** Counts that one statement reads. */
const countsAtOnce = 10

/** Counts the rows past the bounds of every table. */
const countOverdue = Effect.fnUntraced(function* (sql: Sql, { retention, telemetryDays }: CheckSettings) {
  const tenantTables = yield* findTenantTables(sql)
  const counts: ReadonlyArray<Count> = [
    ...boundsOf("expires").map(({ bound, table }) => ({
      table,
      statement: countExpired(sql, table, bound, retention)
    })),
    ...removals.flatMap((removal) => {
      const days = daysOf(removal, retention)
      return days === null ? [] : [{ table: removal.table, statement: countRemoved(sql, removal, days) }]
    }),
    ...boundsOf("newest").map(({ bound, table }) => ({
      table,
      statement: countBeyondNewest(sql, table, bound, retention)
    })),
    ...boundsOf("parent").map(({ bound, table }) => {
      const isOfTenant = tenantTables.has(table) && tenantTables.has(bound.parent)
      return { table, statement: countOrphans(sql, table, { ...bound, isOfTenant }) }
    }),
    ...boundsOf("telemetry").map(({ bound, table }) => ({
      table,
      statement: countDays(sql, table, bound.day, bound.spanDays, telemetryDays)
    })),
    ...boundsOf("day").map(({ bound, table }) => ({
      table,
      statement: countDays(sql, table, bound.day, 1, bound.keptDays)
    })),
    ...boundsOf("unused").map(({ bound, table }) => ({ table, statement: countUnused(sql, table, bound) })),
    ...(retention.auditDays === null
      ? []
      : [{ table: "audit_events", statement: countAudit(sql, retention.auditDays) }]),
    ...boundsOf("publications").map(({ table }) => ({ table, statement: countEnded(sql, table) })),
    { table: "organizations", statement: countEndedOrganizations(sql, endedOrganizationDays) },
    // The audit log covers organizations that were deleted.
    ...[...tenantTables]
      .filter((table) => !table.startsWith("audit_"))
      .map((table) => ({ table, statement: countForeign(sql, table) }))
  ]
  const overdue = new Map<string, Overdue>(Object.keys(bounds).map((table) => [table, none]))
  for (const group of Arr.chunksOf(counts, countsAtOnce)) {
    const parts = group.map(
      ({ statement, table }) => sql`SELECT ${table}::text AS "table", c.rows, c.seconds FROM (${statement}) c`
    )
    const rows = yield* sql<Overdue & { readonly table: string }>`${sql.join(" UNION ALL ", false)(parts)}`
    for (const { rows: more, seconds, table } of rows) {
      const before = overdue.get(table) ?? none
      overdue.set(table, { rows: before.rows + more, seconds: Math.max(before.seconds, seconds) })
    }
  }
  return overdue
})

const store = (sql: Sql, overdue: ReadonlyMap<string, Overdue>) => {
  const rows = [...overdue].map(([table, { rows, seconds }]) => ({ table, rows, seconds }))
  return sql`WITH checked AS (SELECT c.table, c.rows, c.seconds FROM jsonb_to_recordset(${sql.json(rows)})
      AS c("table" text, rows int, seconds float8)),
    forgotten AS (DELETE FROM retention_checks r WHERE r.table_name NOT IN (SELECT c.table FROM checked c))
    INSERT INTO retention_checks (table_name, overdue_rows, overdue_seconds, checked_at)
    SELECT c.table, c.rows, c.seconds, now() FROM checked c
    ON CONFLICT (table_name) DO UPDATE SET overdue_rows = excluded.overdue_rows,
      overdue_seconds = excluded.overdue_seconds, checked_at = excluded.checked_at`
}

/** Checks every table, stores the result, and logs the tables with rows past their bounds. */
export const checkBounds = Effect.fnUntraced(function* (sql: Sql, settings: CheckSettings) {
  const overdue = yield* countOverdue(sql, settings)
  yield* store(sql, overdue)
  const tables = [...overdue].flatMap(([table, { rows }]) => (rows === 0 ? [] : [`${table} (${rows})`]))
  if (tables.length > 0) {
    yield* Effect.logWarning(`Tables have rows past their retention: ${tables.join(", ")}. See docs/retention.md.`)
  }
})
