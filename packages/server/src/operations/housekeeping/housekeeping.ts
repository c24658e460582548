import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import { keepAnalyzed } from "../../infra/jobs/analyze.ts"
import { findEnded, purge } from "../purge/purge.ts"
import { purgeRemoved } from "../purge/purge-removed.ts"

const batchMax = 1000

/** Repeats a statement, with a pause, while it affects as many rows as its limit. */
const inBatches = (step: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  step.pipe(Effect.repeat({ while: (rows) => rows.length === batchMax, schedule: Schedule.spaced("50 millis") }))

/** Deletes expired data once. */
export const sweep = Effect.fnUntraced(function* (sql: Sql) {
  yield* inBatches(
    sql`DELETE FROM idempotency_keys WHERE ctid IN (
        SELECT ctid FROM idempotency_keys WHERE created_at < now() - interval '24 hours' LIMIT ${batchMax})
        RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM rate_windows WHERE ctid IN (
        SELECT ctid FROM rate_windows WHERE ends_at < now() - interval '1 minute' LIMIT ${batchMax}) RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`WITH ended AS (
          UPDATE organizations SET deleted_at = now(), updated_at = now()
          WHERE id IN (SELECT id FROM organizations
            WHERE provisional_until < now() AND deleted_at IS NULL LIMIT ${batchMax})
          RETURNING id),
        opened AS (DELETE FROM sealed_values WHERE organization_id IN (SELECT id FROM ended) RETURNING 1),
        credentials AS (DELETE FROM oauth_credentials WHERE organization_id IN (SELECT id FROM ended) RETURNING 1),
        clients AS (DELETE FROM oauth_clients WHERE organization_id IN (SELECT id FROM ended) RETURNING 1),
        states AS (DELETE FROM oauth_states WHERE organization_id IN (SELECT id FROM ended) RETURNING 1),
        freed AS (UPDATE domains SET removed_at = now(), updated_at = now()
          WHERE organization_id IN (SELECT id FROM ended) AND removed_at IS NULL RETURNING 1)
        SELECT id FROM ended`
  )
  yield* inBatches(
    sql`DELETE FROM sessions WHERE ctid IN (
        SELECT ctid FROM sessions
        WHERE least(expires_at, revoked_at) < now() - interval '30 days' LIMIT ${batchMax}) RETURNING 1 AS one`
  )
  // The content is fetched again from its source if it is needed.
  yield* inBatches(
    sql`DELETE FROM remote_trees WHERE (organization_id, place) IN (
        SELECT organization_id, place FROM remote_trees
        WHERE used_at < now() - interval '30 days' LIMIT ${batchMax}) RETURNING 1 AS one`
  )
  // An expired code is useless, and its row contains an email address.
  yield* inBatches(
    sql`DELETE FROM sign_in_challenges WHERE email IN (
        SELECT email FROM sign_in_challenges WHERE expires_at < now() - interval '1 hour' LIMIT ${batchMax})
        RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM webhook_deliveries WHERE ctid IN (
        SELECT ctid FROM webhook_deliveries WHERE received_at < now() - interval '30 days' LIMIT ${batchMax})
        RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM webhook_receipts WHERE ctid IN (
        SELECT ctid FROM webhook_receipts WHERE received_at < now() - interval '30 days' LIMIT ${batchMax})
        RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM connector_installs WHERE ctid IN (
        SELECT ctid FROM connector_installs WHERE expires_at < now() LIMIT ${batchMax}) RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM oauth_states WHERE ctid IN (
        SELECT ctid FROM oauth_states WHERE expires_at < now() LIMIT ${batchMax}) RETURNING 1 AS one`
  )
  // A code is valid for two minutes after the browser returned, which is at most ten minutes after the start.
  yield* inBatches(
    sql`DELETE FROM sso_sign_ins WHERE ctid IN (
        SELECT ctid FROM sso_sign_ins WHERE expires_at < now() - interval '1 hour' LIMIT ${batchMax}) RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM sso_assertions WHERE ctid IN (
        SELECT ctid FROM sso_assertions WHERE expires_at < now() LIMIT ${batchMax}) RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM worker_activity WHERE ctid IN (
        SELECT ctid FROM worker_activity WHERE created_at < now() - interval '30 days' LIMIT ${batchMax})
        RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM worker_tokens WHERE ctid IN (
        SELECT ctid FROM worker_tokens
        WHERE least(expires_at, revoked_at) < now() - interval '30 days' LIMIT ${batchMax}) RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM scim_tokens WHERE ctid IN (
        SELECT ctid FROM scim_tokens
        WHERE least(expires_at, revoked_at) < now() - interval '30 days' LIMIT ${batchMax}) RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM scim_log WHERE ctid IN (
        SELECT ctid FROM scim_log WHERE created_at < now() - interval '30 days' LIMIT ${batchMax}) RETURNING 1 AS one`
  )
  yield* inBatches(
    sql`DELETE FROM scim_deactivations WHERE ctid IN (
        SELECT ctid FROM scim_deactivations WHERE created_at < now() - interval '1 hour' LIMIT ${batchMax})
        RETURNING 1 AS one`
  )
  // Catalogs whose URL was not requested for a month: the operator has configured another one.
  yield* sql`DELETE FROM model_catalogs WHERE tried_at < now() - interval '30 days'`
  yield* purgeRemoved(sql)
  const endedOrganizations = yield* findEnded(sql)
  yield* Effect.forEach(endedOrganizations, ({ id }) => purge(sql, id), { discard: true })
})

/**
 * Deletes expired data every hour. Removes expired unclaimed workspaces and their sessions. Rows are deleted in
 * batches, so that no statement blocks the database for long. Also updates the statistics of the embedded database.
 */
export const housekeeping = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const sweepOnce = sweep(sql)
  const sweeping = sweepOnce.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Housekeeping failed. Retrying in one hour.", cause)),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.delay("1 minute"),
    // Uses separate connections, so that long statements do not time out those of requests.
    Effect.provideService(StatementMillisMax, longStatementMillis)
  )
  yield* Effect.all([sweeping, keepAnalyzed(sql)], { concurrency: 2, discard: true })
})
