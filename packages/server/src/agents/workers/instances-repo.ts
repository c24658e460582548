import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sealed } from "../../infra/crypto/key-ring.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** A runtime that must be started or stopped, leased to one process. */
export interface DueRow {
  readonly organization_id: Id<"org">
  readonly id: Id<"wki">
  readonly worker_id: Id<"wrk">
  readonly wanted: "running" | "stopped"
  readonly starts: number
  readonly created_by_membership_id: Id<"om">
  readonly created_by_user_id: Id<"usr">
}

export interface Location {
  readonly provider: string
  readonly region: string
}

/** Leases due instances of one location, over all organizations; concurrent processes get different rows. */
export const takeDue = (sql: Sql, location: Location, leaseId: string, leaseSeconds: number, limit: number) =>
  sql<DueRow>`UPDATE worker_instances i
    SET lease_id = ${leaseId}, lease_until = now() + make_interval(secs => ${leaseSeconds}::double precision)
    FROM workers w
    WHERE w.organization_id = i.organization_id AND w.id = i.worker_id
      AND (i.organization_id, i.id) IN (
        SELECT d.organization_id, d.id FROM worker_instances d
        WHERE NOT d.settled AND d.region = ${location.region} AND d.provider = ${location.provider}
          AND (d.lease_until IS NULL OR d.lease_until < now())
        ORDER BY d.created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING i.organization_id, i.id, i.worker_id, i.wanted, i.starts, w.created_by_membership_id, w.created_by_user_id`

const isOneRow = (rows: ReadonlyArray<unknown>) => rows.length === 1

/** False when another process has taken over the lease. */
export const renewLease = (sql: Sql, organizationId: Id<"org">, id: Id<"wki">, leaseId: string, leaseSeconds: number) =>
  sql<{ id: string }>`UPDATE worker_instances
    SET lease_until = now() + make_interval(secs => ${leaseSeconds}::double precision)
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_id = ${leaseId} RETURNING id`.pipe(
    Effect.map(isOneRow)
  )

/**
 * Stores the secret with which this server authenticates to the runtime, before it is started. False when another
 * process has taken over the lease.
 */
export const markStarting = (sql: Sql, organizationId: Id<"org">, id: Id<"wki">, leaseId: string, sealed: Sealed) =>
  sql<{ id: string }>`UPDATE worker_instances
    SET status = 'starting', url = NULL, starts = starts + 1, key_id = ${sealed.keyId}, nonce = ${sealed.nonce},
      ciphertext = ${sealed.ciphertext}, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_id = ${leaseId} AND wanted = 'running'
    RETURNING id`.pipe(Effect.map(isOneRow))

/** Marks the instance as running, and as settled unless a stop has been requested in the meantime. */
export const markRunning = (sql: Sql, organizationId: Id<"org">, id: Id<"wki">, leaseId: string, url: string) =>
  sql`UPDATE worker_instances
    SET status = 'running', url = ${url}, started_at = now(), settled = (wanted = 'running'), lease_id = NULL,
      lease_until = NULL, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_id = ${leaseId}`

/**
 * Marks the instance as stopped or failed and deletes its secret. No further work is due. False when another process
 * has taken over the lease.
 */
export const markEnded = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"wki">,
  leaseId: string,
  status: "stopped" | "failed"
) =>
  sql<{ id: string }>`UPDATE worker_instances
    SET status = ${status}, wanted = 'stopped', settled = true, url = NULL, key_id = NULL, nonce = NULL,
      ciphertext = NULL, lease_id = NULL, lease_until = NULL, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_id = ${leaseId}
    RETURNING id`.pipe(Effect.map(isOneRow))

/** Releases the lease so that the work is retried after a delay. False when another process has taken over the lease. */
export const postpone = (sql: Sql, organizationId: Id<"org">, id: Id<"wki">, leaseId: string, seconds: number) =>
  sql<{ id: string }>`UPDATE worker_instances
    SET lease_id = NULL, lease_until = now() + make_interval(secs => ${seconds}::double precision), updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_id = ${leaseId}
    RETURNING id`.pipe(Effect.map(isOneRow))

/** Marks a worker that has not been removed as failed, with the reason. */
export const failWorker = (sql: Sql, organizationId: Id<"org">, id: Id<"wrk">, reason: string) =>
  sql`UPDATE workers SET status = 'failed', status_reason = ${reason}
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL AND status <> 'stopped'`

/** The instances of a location that should run or still have to be stopped. */
export const listWatched = (sql: Sql, location: Location) =>
  sql<{ organization_id: Id<"org">; id: Id<"wki">; worker_id: Id<"wrk">; wanted: string; settled: boolean }>`
    SELECT organization_id, id, worker_id, wanted, settled FROM worker_instances
    WHERE region = ${location.region} AND provider = ${location.provider} AND (wanted = 'running' OR NOT settled)`

/**
 * Schedules the restart of a runtime that exited unexpectedly. If it ran for at least five minutes, the start count is
 * reset. Returns true only to the process that recorded the restart.
 */
export const markCrashed = (sql: Sql, organizationId: Id<"org">, id: Id<"wki">) =>
  sql<{ id: string }>`UPDATE worker_instances
    SET status = 'starting', url = NULL, settled = false, lease_until = NULL, updated_at = now(),
      starts = CASE WHEN started_at < now() - interval '5 minutes' THEN 0 ELSE starts END
    WHERE organization_id = ${organizationId} AND id = ${id} AND status = 'running' AND wanted = 'running' AND settled
    RETURNING id`.pipe(Effect.map(isOneRow))

/** Marks the worker as provisioning while its runtime is restarted. */
export const markWorkerProvisioning = (sql: Sql, organizationId: Id<"org">, id: Id<"wrk">, reason: string) =>
  sql`UPDATE workers SET status = 'provisioning', status_reason = ${reason}
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL`

/** Stops the runtimes of deleted organizations. */
export const stopForRemoved = (sql: Sql) =>
  sql`UPDATE worker_instances i SET wanted = 'stopped', settled = false, updated_at = now()
    FROM organizations o
    WHERE o.id = i.organization_id AND o.deleted_at IS NOT NULL AND i.wanted = 'running'`

/**
 * Marks all workers without a heartbeat for this time as failed, over all organizations, unless their runtime is to be
 * stopped.
 */
export const failSilent = (sql: Sql, seconds: number, reason: string) =>
  sql`UPDATE workers w SET status = 'failed', status_reason = ${reason}
    WHERE w.status = 'healthy' AND w.removed_at IS NULL
      AND w.last_heartbeat_at < now() - make_interval(secs => ${seconds}::double precision)
      AND NOT EXISTS (SELECT FROM worker_instances i
        WHERE i.organization_id = w.organization_id AND i.worker_id = w.id AND i.wanted <> 'running')`

/** Marks workers whose runtime runs but has never sent a heartbeat as failed. */
export const failNeverHeard = (sql: Sql, seconds: number, reason: string) =>
  sql`UPDATE workers w SET status = 'failed', status_reason = ${reason}
    FROM worker_instances i
    WHERE i.organization_id = w.organization_id AND i.worker_id = w.id AND w.status = 'provisioning'
      AND w.removed_at IS NULL AND i.wanted = 'running' AND i.status = 'running'
      AND i.started_at < now() - make_interval(secs => ${seconds}::double precision)`

/** The IDs that have a row, regardless of its requested state. */
export const existingAmong = (sql: Sql, location: Location, ids: ReadonlyArray<string>) =>
  ids.length === 0
    ? Effect.succeed([])
    : sql<{ id: string }>`SELECT id FROM worker_instances
        WHERE region = ${location.region} AND provider = ${location.provider} AND ${sql.in("id", ids)}`.pipe(
        Effect.map((rows) => rows.map(({ id }) => id))
      )
