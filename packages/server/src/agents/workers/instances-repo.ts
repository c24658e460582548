import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sealed } from "../../infra/crypto/key-ring.ts"
import type { Sql } from "../../infra/sql/client.ts"

/** What is to be done with a runtime, taken by one process for as long as its lease lasts. */
export interface DueRow {
  readonly organization_id: Id<"org">
  readonly id: Id<"wki">
  readonly worker_id: Id<"wrk">
  readonly wanted: "running" | "stopped"
  readonly starts: number
  readonly created_by_membership_id: Id<"om">
  readonly created_by_user_id: Id<"usr">
}

export interface Place {
  readonly provider: string
  readonly region: string
}

/** Takes what is due of one place, over all organizations: of several processes one gets each. */
export const takeDue = (sql: Sql, place: Place, leaseId: string, leaseSeconds: number, limit: number) =>
  sql<DueRow>`UPDATE worker_instances i
    SET lease_id = ${leaseId}, lease_until = now() + make_interval(secs => ${leaseSeconds}::double precision)
    FROM workers w
    WHERE w.organization_id = i.organization_id AND w.id = i.worker_id
      AND (i.organization_id, i.id) IN (
        SELECT d.organization_id, d.id FROM worker_instances d
        WHERE NOT d.settled AND d.region = ${place.region} AND d.provider = ${place.provider}
          AND (d.lease_until IS NULL OR d.lease_until < now())
        ORDER BY d.created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING i.organization_id, i.id, i.worker_id, i.wanted, i.starts, w.created_by_membership_id, w.created_by_user_id`

const held = (rows: ReadonlyArray<unknown>) => rows.length === 1

/** False when somebody else has taken it over. */
export const keepLease = (sql: Sql, organizationId: Id<"org">, id: Id<"wki">, leaseId: string, leaseSeconds: number) =>
  sql<{ id: string }>`UPDATE worker_instances
    SET lease_until = now() + make_interval(secs => ${leaseSeconds}::double precision)
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_id = ${leaseId} RETURNING id`.pipe(
    Effect.map(held)
  )

/** Before a runtime is started: what we prove ourselves to it by. False when somebody else has taken it over. */
export const begin = (sql: Sql, organizationId: Id<"org">, id: Id<"wki">, leaseId: string, sealed: Sealed) =>
  sql<{ id: string }>`UPDATE worker_instances
    SET status = 'starting', url = NULL, starts = starts + 1, key_id = ${sealed.keyId}, nonce = ${sealed.nonce},
      ciphertext = ${sealed.ciphertext}, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_id = ${leaseId} AND wanted = 'running'
    RETURNING id`.pipe(Effect.map(held))

/** It runs; and is done with, unless meanwhile it is wanted no more. */
export const runs = (sql: Sql, organizationId: Id<"org">, id: Id<"wki">, leaseId: string, url: string) =>
  sql`UPDATE worker_instances
    SET status = 'running', url = ${url}, started_at = now(), settled = (wanted = 'running'), lease_id = NULL,
      lease_until = NULL, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_id = ${leaseId}`

/** It has ended, with what we were known by; nothing more is to be done. */
export const ended = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"wki">,
  leaseId: string,
  status: "stopped" | "failed"
) =>
  sql`UPDATE worker_instances
    SET status = ${status}, wanted = 'stopped', settled = true, url = NULL, key_id = NULL, nonce = NULL,
      ciphertext = NULL, lease_id = NULL, lease_until = NULL, updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_id = ${leaseId}`

/** It did not come to an end: once more, in a while. */
export const putOff = (sql: Sql, organizationId: Id<"org">, id: Id<"wki">, leaseId: string, seconds: number) =>
  sql`UPDATE worker_instances
    SET lease_id = NULL, lease_until = now() + make_interval(secs => ${seconds}::double precision), updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id} AND lease_id = ${leaseId}`

/** Says of a worker that is still there why it is not well. */
export const workerFails = (sql: Sql, organizationId: Id<"org">, id: Id<"wrk">, reason: string) =>
  sql`UPDATE workers SET status = 'failed', status_reason = ${reason}
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL AND status <> 'stopped'`

/** What should run in a place, or is still to be ended there. */
export const watched = (sql: Sql, place: Place) =>
  sql<{ organization_id: Id<"org">; id: Id<"wki">; worker_id: Id<"wrk">; wanted: string; settled: boolean }>`
    SELECT organization_id, id, worker_id, wanted, settled FROM worker_instances
    WHERE region = ${place.region} AND provider = ${place.provider} AND (wanted = 'running' OR NOT settled)`

/**
 * A runtime that ended by itself is to be started again; one that ran for five minutes begins to count anew. True for
 * the one process that wrote it down.
 */
export const gone = (sql: Sql, organizationId: Id<"org">, id: Id<"wki">) =>
  sql<{ id: string }>`UPDATE worker_instances
    SET status = 'starting', url = NULL, settled = false, lease_until = NULL, updated_at = now(),
      starts = CASE WHEN started_at < now() - interval '5 minutes' THEN 0 ELSE starts END
    WHERE organization_id = ${organizationId} AND id = ${id} AND status = 'running' AND wanted = 'running' AND settled
    RETURNING id`.pipe(Effect.map(held))

/** The runtime is on its way again. */
export const workerStarts = (sql: Sql, organizationId: Id<"org">, id: Id<"wrk">, reason: string) =>
  sql`UPDATE workers SET status = 'provisioning', status_reason = ${reason}
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL`

/** Nothing runs for an organization that is no more. */
export const stopForRemoved = (sql: Sql) =>
  sql`UPDATE worker_instances i SET wanted = 'stopped', settled = false, updated_at = now()
    FROM organizations o
    WHERE o.id = i.organization_id AND o.deleted_at IS NOT NULL AND i.wanted = 'running'`

/** Says of every worker that has been silent for too long that it failed, over all organizations. */
export const findSilent = (sql: Sql, seconds: number, reason: string) =>
  sql`UPDATE workers SET status = 'failed', status_reason = ${reason}
    WHERE status = 'healthy' AND removed_at IS NULL
      AND last_heartbeat_at < now() - make_interval(secs => ${seconds}::double precision)`

/** Says it of runtimes that run and have never been heard of. */
export const findMute = (sql: Sql, seconds: number, reason: string) =>
  sql`UPDATE workers w SET status = 'failed', status_reason = ${reason}
    FROM worker_instances i
    WHERE i.organization_id = w.organization_id AND i.worker_id = w.id AND w.status = 'provisioning'
      AND w.removed_at IS NULL AND i.wanted = 'running' AND i.status = 'running'
      AND i.started_at < now() - make_interval(secs => ${seconds}::double precision)`

/** Which of these there is a row of, whatever is wanted of it. */
export const knownAmong = (sql: Sql, place: Place, ids: ReadonlyArray<string>) =>
  ids.length === 0
    ? Effect.succeed([])
    : sql<{ id: string }>`SELECT id FROM worker_instances
        WHERE region = ${place.region} AND provider = ${place.provider} AND ${sql.in("id", ids)}`.pipe(
        Effect.map((rows) => rows.map(({ id }) => id))
      )
