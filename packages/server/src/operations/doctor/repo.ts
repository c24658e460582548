/** What the doctor reads. It changes nothing. */
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { relationName } from "../../infra/sql/schema.ts"

export interface BlockedSessions {
  readonly sessions: number
  /** How long the longest has waited. */
  readonly seconds: number
  /** The processes of PostgreSQL that hold the locks. */
  readonly blockers: ReadonlyArray<number>
}

/** The sessions of this database that have waited for a lock for some time. */
export const findBlocked = (sql: Sql, seconds: number) =>
  Effect.map(
    sql<BlockedSessions>`WITH waiting AS (
        SELECT pid, extract(epoch FROM clock_timestamp() - query_start)::float8 AS seconds, pg_blocking_pids(pid) AS by
        FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')
      SELECT count(*)::int AS sessions, coalesce(max(seconds), 0)::float8 AS seconds,
        (SELECT coalesce(array_agg(DISTINCT pid ORDER BY pid), '{}') FROM (
          SELECT unnest(w.by) AS pid FROM waiting w WHERE w.seconds > ${seconds}::float8) b
          WHERE pid NOT IN (SELECT w.pid FROM waiting w)) AS blockers
      FROM waiting WHERE seconds > ${seconds}::float8`,
    ([row]) => row ?? { sessions: 0, seconds: 0, blockers: [] }
  )

/** The time of the database server, in milliseconds. */
export const databaseMillis = (sql: Sql) =>
  Effect.map(
    sql<{ millis: number }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS millis`,
    ([row]) => row?.millis ?? 0
  )

export interface QueueState {
  readonly name: string
  /** Jobs that are due. */
  readonly waiting: number
  /** Jobs that will be due later. */
  readonly delayed: number
  readonly running: number
  readonly failed: number
  /** How long the oldest due job has waited. */
  readonly seconds: number
  /** Jobs whose worker has not renewed its lock in time. */
  readonly abandoned: number
}

/** The first start creates the queue's table. */
const hasQueue = (sql: Sql) =>
  Effect.map(
    sql<{ there: boolean }>`SELECT to_regclass(${relationName(sql, "effect_queue")}) IS NOT NULL AS there`,
    ([row]) => row?.there === true
  )

export const queueStates = Effect.fnUntraced(function* (sql: Sql, lockSeconds: number) {
  if (!(yield* hasQueue(sql))) return []
  return yield* sql<QueueState>`SELECT queue_name AS name,
      (count(*) FILTER (WHERE state = 'pending' AND acquired_at IS NULL AND visible_at <= CURRENT_TIMESTAMP))::int AS waiting,
      (count(*) FILTER (WHERE state = 'pending' AND acquired_at IS NULL AND visible_at > CURRENT_TIMESTAMP))::int AS delayed,
      (count(*) FILTER (WHERE state = 'pending' AND acquired_at IS NOT NULL))::int AS running,
      (count(*) FILTER (WHERE state = 'failed'))::int AS failed,
      coalesce(max(extract(epoch FROM CURRENT_TIMESTAMP - visible_at))
        FILTER (WHERE state = 'pending' AND acquired_at IS NULL), 0)::float8 AS seconds,
      (count(*) FILTER (WHERE state = 'pending'
        AND acquired_at < CURRENT_TIMESTAMP - make_interval(secs => ${lockSeconds}::float8)))::int AS abandoned
    FROM effect_queue GROUP BY queue_name ORDER BY queue_name`
})

/** The webhooks that were accepted and not yet processed. */
export const inboxState = (sql: Sql) =>
  Effect.map(
    sql<{ waiting: number; seconds: number; attempts: number }>`SELECT count(*)::int AS waiting,
        coalesce(max(extract(epoch FROM now() - due_at)), 0)::float8 AS seconds, coalesce(max(attempts), 0) AS attempts
      FROM webhook_inbox`,
    ([row]) => row ?? { waiting: 0, seconds: 0, attempts: 0 }
  )

/** Syncs that no job of the queue will run. */
export const countLostSyncs = Effect.fnUntraced(function* (sql: Sql) {
  if (!(yield* hasQueue(sql))) return 0
  const [row] = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM sync_events e
    WHERE e.status IN ('queued', 'running') AND e.created_at < now() - interval '5 minutes'
      AND NOT EXISTS (SELECT 1 FROM effect_queue q WHERE q.queue_name = 'connector-sync' AND q.state = 'pending'
        AND (q.id = e.id OR starts_with(q.id, e.id || '/')))`
  return row?.count ?? 0
})

export interface ExpiredLeases {
  readonly branches: number
  readonly runtimes: number
  readonly consumers: number
}

/** Work whose process has not renewed its lease. */
export const countExpiredLeases = (sql: Sql, graceSeconds: number) =>
  Effect.map(
    sql<ExpiredLeases>`SELECT
      (SELECT count(*) FROM connector_targets WHERE lease_holder IS NOT NULL
        AND lease_until < now() - make_interval(secs => ${graceSeconds}::float8))::int AS branches,
      (SELECT count(*) FROM worker_instances WHERE lease_id IS NOT NULL
        AND lease_until < now() - make_interval(secs => ${graceSeconds}::float8))::int AS runtimes,
      (SELECT count(*) FROM event_consumers WHERE lease_holder IS NOT NULL
        AND lease_until < now() - make_interval(secs => ${graceSeconds}::float8))::int AS consumers`,
    ([row]) => row ?? { branches: 0, runtimes: 0, consumers: 0 }
  )
