import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

export interface Lock {
  readonly watermark: string
  /** Every transaction before this one has completed. */
  readonly ended: string
  /** Events up to this ledger ID were aggregated before the database was restored into another server. */
  readonly restored_upto: string
}

/** The next transaction ID. Higher IDs come from the server that the database was dumped from. */
const next = (sql: Sql) => sql.literal("pg_snapshot_xmax(pg_current_snapshot())")

/** A single transaction may have written more than fits the statement timeout; a batch always runs to completion. */
export const disableStatementTimeout = (sql: Sql) => sql`SET LOCAL statement_timeout = 0`

/** Locks the summary's single row until the transaction ends. Returns undefined if another process holds the lock. */
export const lock = (sql: Sql) =>
  sql<Lock>`SELECT watermark::text AS watermark, pg_snapshot_xmin(pg_current_snapshot())::text AS ended,
      restored_upto::text AS restored_upto
    FROM telemetry_summary FOR UPDATE SKIP LOCKED`.pipe(Effect.map((rows) => rows[0]))

/** Whether anything was written since the watermark of the summary `s`. */
const hasUnsummed = (sql: Sql) =>
  sql`(EXISTS (SELECT 1 FROM telemetry_events e
      WHERE e.written_in >= s.watermark AND e.written_in < ${next(sql)} AND e.ledger_id > s.restored_upto)
    OR EXISTS (SELECT 1 FROM audit_events a
      WHERE a.created_txid >= s.watermark::text::bigint AND a.created_txid < ${next(sql)}::text::bigint))`

/** Whether there is anything to aggregate. */
export const hasPending = (sql: Sql) =>
  sql<{ is_pending: boolean }>`SELECT ${hasUnsummed(sql)} AS is_pending FROM telemetry_summary s`.pipe(
    Effect.map((rows) => rows[0]?.is_pending === true)
  )

/**
 * The end of one batch: before the transaction that would exceed `rowsMax` events or changes, but after at least one
 * transaction.
 */
export const batchEnd = (sql: Sql, { ended, restored_upto: restored, watermark }: Lock, rowsMax: number) =>
  Effect.gen(function* () {
    const events = yield* sql<{ written_in: string }>`SELECT written_in::text AS written_in FROM telemetry_events
      WHERE written_in >= ${watermark}::text::xid8 AND written_in < ${ended}::text::xid8
        AND ledger_id > ${restored}::bigint
      ORDER BY telemetry_events.written_in OFFSET ${rowsMax} LIMIT 1`
    const changes = yield* sql<{ written_in: string }>`SELECT created_txid::text AS written_in FROM audit_events
      WHERE created_txid >= ${watermark}::text::bigint AND created_txid < ${ended}::text::bigint
      ORDER BY created_txid OFFSET ${rowsMax} LIMIT 1`
    const [candidate, ...others] = [...events, ...changes].map((row) => BigInt(row.written_in))
    if (candidate === undefined) return ended
    const smallest = others.reduce((one, other) => (other < one ? other : one), candidate)
    return String(smallest === BigInt(watermark) ? smallest + 1n : smallest)
  })

/** The sums of each row, in the order of the columns. */
const sums = ["events", "succeeded", "failed", "durations", "duration_sum"]
const ofApp = sums.map((name) => `app_${name}`)
/** The columns of sums of all events and of those from the app. */
const splitSums = [...sums, ...ofApp].join(", ")
/** Their values, from rows by source. */
const splitValues = [
  ...sums.map((name) => `sum(${name}) AS ${name}`),
  ...sums.map((name) => `coalesce(sum(${name}) FILTER (WHERE source = 'app'), 0) AS app_${name}`)
].join(", ")
const added = (table: string) =>
  [...sums, ...ofApp].map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ")
const subtracted = [...sums, ...ofApp].map((name) => `${name} = p.${name} - g.${name}`).join(", ")
/** The first day of the period of 28 days. */
const periodOf = "day - (day - DATE '0001-01-01') % 28"

/**
 * Adds the events of these transactions to all sums, except those of deleted organizations. Rows are written in key
 * order, so that neighbors are stored together in index and table, as they are read.
 */
export const addEvents = (sql: Sql, { restored_upto: restored, watermark }: Lock, to: string) =>
  sql`WITH happened AS MATERIALIZED (
      SELECT organization_id, (occurred_at AT TIME ZONE 'UTC')::date AS day, occurred_at, coalesce(user_id, '') AS user_id,
        type, source, duration_ms, success, dimensions_json
      FROM telemetry_events
      WHERE written_in >= ${watermark}::text::xid8 AND written_in < ${to}::text::xid8 AND ledger_id > ${restored}::bigint
        AND organization_id IN (SELECT id FROM organizations)),
    marked AS MATERIALIZED (
      SELECT h.organization_id, '' AS dimension_type, '' AS dimension_value, NULL::text AS label, h.day, h.occurred_at,
        h.user_id, h.type, h.source, h.duration_ms, h.success
      FROM happened h
      UNION ALL
      SELECT h.organization_id, d.type, d.value, d.label, h.day, h.occurred_at, h.user_id, h.type, h.source,
        h.duration_ms, h.success
      FROM happened h CROSS JOIN LATERAL (
        SELECT one ->> 'type' AS type, one ->> 'value' AS value, max(one ->> 'label') AS label
        FROM jsonb_array_elements(CASE WHEN jsonb_typeof(h.dimensions_json) = 'array' THEN h.dimensions_json ELSE '[]' END)
          AS one
        WHERE one ->> 'type' <> '' AND one ->> 'value' <> '' GROUP BY 1, 2) d
      WHERE h.dimensions_json IS NOT NULL),
    of_people AS MATERIALIZED (
      SELECT organization_id, dimension_type, day, dimension_value, user_id, type, source, count(*) AS events,
        count(*) FILTER (WHERE success) AS succeeded, count(*) FILTER (WHERE NOT success) AS failed,
        count(duration_ms) AS durations, coalesce(sum(duration_ms), 0) AS duration_sum
      FROM marked GROUP BY 1, 2, 3, 4, 5, 6, 7),
    people AS (
      INSERT INTO telemetry_user_days (organization_id, dimension_type, day, dimension_value, user_id, type, source,
        events, succeeded, failed, durations, duration_sum)
      SELECT organization_id, dimension_type, day, dimension_value, user_id, type, source, events, succeeded, failed,
        durations, duration_sum
      FROM of_people ORDER BY 1, 2, 3, 4, 5, 6, 7
      ON CONFLICT (organization_id, dimension_type, day, dimension_value, user_id, type, source) DO UPDATE SET
        events = telemetry_user_days.events + excluded.events,
        succeeded = telemetry_user_days.succeeded + excluded.succeeded,
        failed = telemetry_user_days.failed + excluded.failed,
        durations = telemetry_user_days.durations + excluded.durations,
        duration_sum = telemetry_user_days.duration_sum + excluded.duration_sum),
    totals AS (
      INSERT INTO telemetry_user_totals (organization_id, dimension_type, day, dimension_value, user_id,
        ${sql.literal(splitSums)})
      SELECT organization_id, dimension_type, day, dimension_value, user_id, ${sql.literal(splitValues)}
      FROM of_people GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT (organization_id, dimension_type, day, dimension_value, user_id) DO UPDATE SET
        ${sql.literal(added("telemetry_user_totals"))}),
    periods AS (
      INSERT INTO telemetry_user_periods (organization_id, dimension_type, type, period, dimension_value, user_id,
        app_days, worker_days, ${sql.literal(splitSums)})
      SELECT organization_id, dimension_type, CASE GROUPING(type) WHEN 1 THEN '' ELSE type END, period, dimension_value,
        user_id, coalesce(bit_or(1 << (day - period)) FILTER (WHERE source = 'app'), 0),
        coalesce(bit_or(1 << (day - period)) FILTER (WHERE source = 'worker'), 0), ${sql.literal(splitValues)}
      FROM (SELECT organization_id, dimension_type, type, day, ${sql.literal(periodOf)} AS period, dimension_value, user_id,
          source, events, succeeded, failed, durations, duration_sum FROM of_people) d
      GROUP BY organization_id, dimension_type, period, dimension_value, user_id, GROUPING SETS ((type), ())
      HAVING GROUPING(type) = 1 OR dimension_type = '' ORDER BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (organization_id, dimension_type, type, period, dimension_value, user_id) DO UPDATE SET
        app_days = telemetry_user_periods.app_days | excluded.app_days,
        worker_days = telemetry_user_periods.worker_days | excluded.worker_days,
        ${sql.literal(added("telemetry_user_periods"))}),
    sums AS (
      INSERT INTO telemetry_days (organization_id, dimension_type, day, dimension_value, type, source,
        events, succeeded, failed, durations, duration_sum)
      SELECT organization_id, dimension_type, day, dimension_value, type, source, sum(events), sum(succeeded),
        sum(failed), sum(durations), sum(duration_sum)
      FROM of_people GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (organization_id, dimension_type, day, dimension_value, type, source) DO UPDATE SET
        events = telemetry_days.events + excluded.events,
        succeeded = telemetry_days.succeeded + excluded.succeeded,
        failed = telemetry_days.failed + excluded.failed,
        durations = telemetry_days.durations + excluded.durations,
        duration_sum = telemetry_days.duration_sum + excluded.duration_sum),
    -- Durations are rounded down to five significant binary digits.
    lasted AS (
      INSERT INTO telemetry_duration_days (organization_id, dimension_type, day, dimension_value, type, source,
        duration_from, durations)
      SELECT organization_id, dimension_type, day, dimension_value, type, source,
        (duration_ms >> greatest(0, length(ltrim(duration_ms::bit(32)::text, '0')) - 5))
          << greatest(0, length(ltrim(duration_ms::bit(32)::text, '0')) - 5), count(*)
      FROM marked WHERE duration_ms IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
      ON CONFLICT (organization_id, dimension_type, day, dimension_value, type, source, duration_from) DO UPDATE SET
        durations = telemetry_duration_days.durations + excluded.durations),
    named AS (
      INSERT INTO telemetry_dimensions (organization_id, type, value, label, label_at, events, first_seen_at, last_seen_at)
      SELECT organization_id, dimension_type, dimension_value,
        (array_agg(label ORDER BY occurred_at DESC, label DESC) FILTER (WHERE label IS NOT NULL))[1],
        max(occurred_at) FILTER (WHERE label IS NOT NULL), count(*), min(occurred_at), max(occurred_at)
      FROM marked WHERE dimension_type <> '' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (organization_id, type, value) DO UPDATE SET
        label = CASE WHEN telemetry_dimensions.label_at IS NULL
            OR (excluded.label_at, excluded.label) > (telemetry_dimensions.label_at, telemetry_dimensions.label)
          THEN excluded.label ELSE telemetry_dimensions.label END,
        label_at = greatest(telemetry_dimensions.label_at, excluded.label_at),
        events = telemetry_dimensions.events + excluded.events,
        first_seen_at = least(telemetry_dimensions.first_seen_at, excluded.first_seen_at),
        last_seen_at = greatest(telemetry_dimensions.last_seen_at, excluded.last_seen_at)),
    firsts AS (
      INSERT INTO telemetry_first_days (organization_id, user_id, day)
      SELECT organization_id, user_id, min(day) FROM happened WHERE user_id <> '' GROUP BY 1, 2
      ON CONFLICT (organization_id, user_id) DO UPDATE SET day = excluded.day
        WHERE excluded.day < telemetry_first_days.day),
    used AS (
      INSERT INTO release_uses (organization_id, digest, user_id, is_failed, created_at)
      SELECT DISTINCT ON (organization_id, dimension_value, user_id) organization_id, dimension_value, user_id,
        NOT success, now()
      FROM marked
      WHERE dimension_type = 'plugin_release' AND length(dimension_value) = 64 AND user_id <> '' AND success IS NOT NULL
      ORDER BY organization_id, dimension_value, user_id, occurred_at, success
      ON CONFLICT (organization_id, digest, user_id) DO NOTHING)
    INSERT INTO activity_days (organization_id, day, user_id, is_real, by_app, by_worker)
    SELECT organization_id, day, user_id, bool_or(type LIKE 'task.%'), bool_or(source = 'app'), bool_or(source = 'worker')
    FROM happened WHERE user_id <> '' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (organization_id, day, user_id) DO UPDATE SET
      is_real = activity_days.is_real OR excluded.is_real,
      by_app = activity_days.by_app OR excluded.by_app,
      by_worker = activity_days.by_worker OR excluded.by_worker
      WHERE (activity_days.is_real, activity_days.by_app, activity_days.by_worker) IS DISTINCT FROM
        (activity_days.is_real OR excluded.is_real, activity_days.by_app OR excluded.by_app,
          activity_days.by_worker OR excluded.by_worker)`

/** Records the users with audited changes of their own in these transactions as active. */
export const addChanges = (sql: Sql, { watermark }: Lock, to: string) =>
  sql`INSERT INTO activity_days (organization_id, day, user_id, is_real, by_app, by_worker)
    SELECT DISTINCT a.organization_id, (a.created_at AT TIME ZONE 'UTC')::date, coalesce(m.user_id, a.actor_id), true, false,
      false
    FROM audit_events a
    JOIN organizations o ON o.id = a.organization_id
    LEFT JOIN memberships m ON m.organization_id = a.organization_id AND m.id = a.actor_id
    WHERE a.created_txid >= ${watermark}::text::bigint AND a.created_txid < ${to}::text::bigint
      AND a.actor_kind = 'session' AND a.action <> 'access.refuse'
      AND (m.user_id IS NOT NULL OR a.actor_id LIKE 'usr\\_%')
    ON CONFLICT (organization_id, day, user_id) DO UPDATE SET is_real = true WHERE NOT activity_days.is_real`

/** Moves the watermark. `summed_at` moves only when everything visible has been aggregated. */
export const moveWatermark = (sql: Sql, { ended, restored_upto: restored }: Lock, to: string) =>
  to === ended
    ? sql`UPDATE telemetry_summary SET watermark = ${to}::text::xid8, summed_at = least(transaction_timestamp(),
        (SELECT min(received_at) FROM telemetry_events
          WHERE written_in >= ${to}::text::xid8 AND written_in < ${next(sql)} AND ledger_id > ${restored}::bigint),
        (SELECT min(created_at) FROM audit_events
          WHERE created_txid >= ${to}::text::bigint AND created_txid < ${next(sql)}::text::bigint))`
    : sql`UPDATE telemetry_summary SET watermark = ${to}::text::xid8`

/** Reads after this time include everything that was acknowledged before it. */
export const summedAt = (sql: Sql) =>
  sql<{
    summed_at: Date
  }>`SELECT CASE WHEN ${hasUnsummed(sql)} THEN s.summed_at ELSE statement_timestamp() END AS summed_at
    FROM telemetry_summary s`.pipe(Effect.map((rows) => rows[0]?.summed_at ?? new Date(0)))

const isFromOtherServer = (sql: Sql) =>
  sql<{ is_ahead: boolean }>`SELECT watermark > ${next(sql)} AS is_ahead FROM telemetry_summary`.pipe(
    Effect.map((rows) => rows[0]?.is_ahead === true)
  )

/**
 * A database restored into a new server counts transaction IDs from the start again, and its watermark is ahead of them
 * all: new events would not be aggregated for a long time, and old ones would be aggregated twice when the IDs reach
 * it.
 * So all pending events are added, and everything in the database is marked as added. Returns true in that case. Runs
 * before the new server accepts its first event.
 */
export const resume = (sql: Sql) =>
  Effect.gen(function* () {
    if (!(yield* isFromOtherServer(sql))) return false
    // Checked again after waiting for the lock: another process may have done the work.
    const [held] = yield* sql<Lock>`SELECT watermark::text AS watermark, '18446744073709551615' AS ended,
        restored_upto::text AS restored_upto
      FROM telemetry_summary FOR UPDATE`
    if (held === undefined || !(yield* isFromOtherServer(sql))) return false
    yield* addEvents(sql, held, held.ended)
    yield* addChanges(sql, held, "9223372036854775807")
    yield* sql`UPDATE telemetry_summary SET watermark = pg_snapshot_xmin(pg_current_snapshot()),
      restored_upto = (SELECT last_value FROM telemetry_ledger_ids), summed_at = transaction_timestamp()`
    return true
  }).pipe(sql.withTransaction)

/** Deletes the sums of earlier days and subtracts them from the dimensions; returns the number of deleted rows. */
export const deleteBefore = (sql: Sql, day: string, rowsMax: number) =>
  Effect.gen(function* () {
    const days = yield* sql`WITH gone AS (
        DELETE FROM telemetry_days WHERE ctid IN (SELECT ctid FROM telemetry_days WHERE day < ${day}::date LIMIT ${rowsMax})
        RETURNING organization_id, dimension_type, dimension_value, events),
      less AS (
        UPDATE telemetry_dimensions d SET events = d.events - g.events
        FROM (SELECT organization_id, dimension_type, dimension_value, sum(events) AS events FROM gone
          WHERE dimension_type <> '' GROUP BY 1, 2, 3) g
        WHERE d.organization_id = g.organization_id AND d.type = g.dimension_type AND d.value = g.dimension_value)
      SELECT 1 AS one FROM gone`
    // Periods in which all days have expired are deleted as a whole, so nothing is subtracted from them first.
    const periods = yield* sql`DELETE FROM telemetry_user_periods WHERE ctid IN (
        SELECT ctid FROM telemetry_user_periods WHERE period <= ${day}::date - 28 LIMIT ${rowsMax}) RETURNING 1 AS one`
    const people = yield* sql`WITH gone AS (
        DELETE FROM telemetry_user_days WHERE ctid IN (
          SELECT ctid FROM telemetry_user_days WHERE day < ${day}::date LIMIT ${rowsMax})
        RETURNING organization_id, dimension_type, ${sql.literal(periodOf)} AS period, day, user_id, type, source,
          events, succeeded, failed, durations, duration_sum),
      less AS (
        UPDATE telemetry_user_periods p SET app_days = p.app_days & ~g.app_days, worker_days = p.worker_days & ~g.worker_days,
          ${sql.literal(subtracted)}
        FROM (SELECT organization_id, type, period, user_id,
            coalesce(bit_or(1 << (day - period)) FILTER (WHERE source = 'app'), 0) AS app_days,
            coalesce(bit_or(1 << (day - period)) FILTER (WHERE source = 'worker'), 0) AS worker_days,
            ${sql.literal(splitValues)}
          FROM gone WHERE dimension_type = '' AND period > ${day}::date - 28 GROUP BY 1, 2, 3, 4) g
        WHERE p.organization_id = g.organization_id AND p.dimension_type = '' AND p.type = g.type AND p.period = g.period
          AND p.dimension_value = '' AND p.user_id = g.user_id)
      SELECT 1 AS one FROM gone`
    const totals = yield* sql`WITH gone AS (
        DELETE FROM telemetry_user_totals WHERE ctid IN (
          SELECT ctid FROM telemetry_user_totals WHERE day < ${day}::date LIMIT ${rowsMax})
        RETURNING organization_id, dimension_type, ${sql.literal(periodOf)} AS period, day, dimension_value, user_id,
          ${sql.literal(splitSums)}),
      less AS (
        UPDATE telemetry_user_periods p SET app_days = p.app_days & ~g.app_days, worker_days = p.worker_days & ~g.worker_days,
          ${sql.literal(subtracted)}
        FROM (SELECT organization_id, dimension_type, period, dimension_value, user_id,
            coalesce(bit_or(1 << (day - period)) FILTER (WHERE app_events > 0), 0) AS app_days,
            coalesce(bit_or(1 << (day - period)) FILTER (WHERE events > app_events), 0) AS worker_days,
            ${sql.literal([...sums, ...ofApp].map((name) => `sum(${name}) AS ${name}`).join(", "))}
          FROM gone WHERE period > ${day}::date - 28 GROUP BY 1, 2, 3, 4, 5) g
        WHERE p.organization_id = g.organization_id AND p.dimension_type = g.dimension_type AND p.type = ''
          AND p.period = g.period AND p.dimension_value = g.dimension_value AND p.user_id = g.user_id)
      SELECT 1 AS one FROM gone`
    const durations = yield* sql`DELETE FROM telemetry_duration_days WHERE ctid IN (
        SELECT ctid FROM telemetry_duration_days WHERE day < ${day}::date LIMIT ${rowsMax}) RETURNING 1 AS one`
    const activity = yield* sql`DELETE FROM activity_days WHERE ctid IN (
        SELECT ctid FROM activity_days WHERE day < ${day}::date LIMIT ${rowsMax}) RETURNING 1 AS one`
    return Math.max(...[days, periods, people, totals, durations, activity].map(({ length }) => length))
  })

/** Deletes dimensions without remaining events. */
export const deleteEmptyDimensions = (sql: Sql) => sql`DELETE FROM telemetry_dimensions WHERE events <= 0`
