import type { Id } from "@orgplane/schema/shared/ids"
import type { Worker, WorkerActivity, WorkerHeartbeat, WorkerInstance, WorkerToken } from "@orgplane/schema/workers"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { contains } from "../../infra/sql/like.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import { wake } from "../../infra/sql/wakes.ts"

export interface Row {
  readonly id: Id<"wrk">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly description: string | null
  readonly destination: Worker["destination"]
  readonly status: Worker["status"]
  readonly status_reason: string | null
  readonly image_version: string | null
  readonly workspace_path: string | null
  readonly sandbox_backend: string | null
  readonly last_heartbeat_at: Date | null
  readonly last_active_at: Date | null
  readonly created_by_membership_id: Id<"om">
  readonly created_by_user_id: Id<"usr">
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) =>
  sql.literal(`w.id, w.organization_id, w.name, w.description, w.destination, w.status, w.status_reason, w.image_version,
    w.workspace_path, w.sandbox_backend, w.last_heartbeat_at, w.last_active_at, w.created_by_membership_id,
    w.created_by_user_id, w.created_at, w.updated_at`)

/** `mine` is the caller's membership; null for an API key. */
export const toWire = (row: Row, mine: Id<"om"> | null): Worker => ({
  id: row.id,
  orgId: row.organization_id,
  createdByUserId: row.created_by_user_id,
  isMine: row.created_by_membership_id === mine,
  name: row.name,
  description: row.description,
  destination: row.destination,
  status: row.status,
  statusReason: row.status_reason,
  imageVersion: row.image_version,
  workspacePath: row.workspace_path,
  sandboxBackend: row.sandbox_backend,
  lastHeartbeatAt: isoOrNull(row.last_heartbeat_at),
  lastActiveAt: isoOrNull(row.last_active_at),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export interface Filters {
  readonly q?: string
  readonly mine?: boolean
  readonly membershipId: Id<"om"> | null
  readonly status?: string
  readonly destination?: string
}

export const list = (sql: Sql, organizationId: Id<"org">, filters: Filters, after: string | null, limit: number) =>
  sql<Row>`SELECT ${columns(sql)} FROM workers w
    WHERE w.organization_id = ${organizationId} AND w.removed_at IS NULL
      AND (${after}::text IS NULL OR w.id < ${after})
      AND (${filters.q ?? null}::text IS NULL OR w.name ILIKE ${contains(filters.q)})
      AND (${filters.mine ?? null}::boolean IS NULL
        OR coalesce(w.created_by_membership_id = ${filters.membershipId}::text, false) = ${filters.mine ?? null}::boolean)
      AND (${filters.status ?? null}::text IS NULL OR w.status = ${filters.status ?? null})
      AND (${filters.destination ?? null}::text IS NULL OR w.destination = ${filters.destination ?? null})
    ORDER BY w.id DESC LIMIT ${limit}`

const first = <A>(rows: ReadonlyArray<A>): A | undefined => rows[0]

export const find = (sql: Sql, organizationId: Id<"org">, id: string) =>
  sql<Row>`SELECT ${columns(sql)} FROM workers w
    WHERE w.organization_id = ${organizationId} AND w.id = ${id} AND w.removed_at IS NULL`.pipe(Effect.map(first))

/** Locks the worker until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: string) =>
  sql<Row>`SELECT ${columns(sql)} FROM workers w
    WHERE w.organization_id = ${organizationId} AND w.id = ${id} AND w.removed_at IS NULL FOR UPDATE`.pipe(
    Effect.map(first)
  )

/** The number of a member's workers. Locks the membership, so that concurrent counts run one after the other. */
export const countOf = (sql: Sql, organizationId: Id<"org">, membershipId: Id<"om">) =>
  Effect.gen(function* () {
    yield* sql`SELECT id FROM memberships
      WHERE organization_id = ${organizationId} AND id = ${membershipId} FOR NO KEY UPDATE`
    const [row] = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM workers
      WHERE organization_id = ${organizationId} AND created_by_membership_id = ${membershipId} AND removed_at IS NULL`
    return row?.count ?? 0
  })

/** The number of an organization's cloud workers. */
export const countCloud = (sql: Sql, organizationId: Id<"org">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM workers
    WHERE organization_id = ${organizationId} AND destination = 'cloud' AND removed_at IS NULL`.pipe(
    Effect.map((rows) => rows[0]?.count ?? 0)
  )

export interface Creator {
  readonly membershipId: Id<"om">
  readonly userId: Id<"usr">
}

export const create = (
  sql: Sql,
  organizationId: Id<"org">,
  worker: { readonly id: Id<"wrk">; readonly name: string; readonly description: string | null },
  destination: Worker["destination"],
  creator: Creator
) =>
  sql<Row>`INSERT INTO workers AS w (organization_id, id, name, description, destination, status,
      created_by_membership_id, created_by_user_id, created_at, updated_at)
    VALUES (${organizationId}, ${worker.id}, ${worker.name}, ${worker.description}, ${destination}, 'provisioning',
      ${creator.membershipId}, ${creator.userId}, now(), now())
    RETURNING ${columns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "worker")))

export const update = (
  sql: Sql,
  organizationId: Id<"org">,
  id: string,
  worker: { readonly name: string; readonly description: string | null }
) =>
  sql<Row>`UPDATE workers w SET name = ${worker.name}, description = ${worker.description}, updated_at = now()
    WHERE w.organization_id = ${organizationId} AND w.id = ${id} AND w.removed_at IS NULL
    RETURNING ${columns(sql)}`.pipe(Effect.map(first))

/** Removes a worker and its devices, revokes its tokens, and requests that its runtime stop. */
export const remove = (sql: Sql, organizationId: Id<"org">, id: string) =>
  Effect.gen(function* () {
    yield* sql`UPDATE workers SET removed_at = now(), status = 'stopped', updated_at = now()
      WHERE organization_id = ${organizationId} AND id = ${id}`
    yield* sql`DELETE FROM devices WHERE organization_id = ${organizationId} AND worker_id = ${id}`
    yield* sql`UPDATE worker_instances SET wanted = 'stopped', settled = false, updated_at = now()
      WHERE organization_id = ${organizationId} AND worker_id = ${id} AND wanted = 'running'`
    return yield* revokeTokens(sql, organizationId, id)
  })

// Heartbeats and activity

/**
 * Stores a heartbeat. Returns undefined if the worker was removed or the token revoked in the meantime.
 * The row is locked first, so that a heartbeat cannot overwrite the stop that came with the end of a membership.
 */
export const beat = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"wrk">,
  tokenId: Id<"wkt">,
  heartbeat: WorkerHeartbeat
) => {
  const valueOr = (value: string | null | undefined, column: string) =>
    value === undefined ? sql.literal(column) : sql`${value}::text`
  const status = heartbeat.stopping === true ? "stopped" : "healthy"
  const update = sql<{ status: Worker["status"] }>`UPDATE workers SET last_heartbeat_at = now(), status = ${status},
      status_reason = ${heartbeat.detail ?? null}::text,
      image_version = ${valueOr(heartbeat.imageVersion, "image_version")},
      workspace_path = ${valueOr(heartbeat.workspacePath, "workspace_path")},
      sandbox_backend = ${valueOr(heartbeat.sandboxBackend, "sandbox_backend")}
    WHERE organization_id = ${organizationId} AND id = ${id} AND removed_at IS NULL AND EXISTS (
        SELECT FROM worker_tokens t
        WHERE t.organization_id = ${organizationId} AND t.id = ${tokenId} AND t.revoked_at IS NULL)
    RETURNING status`.pipe(Effect.map(first))
  return Effect.andThen(lock(sql, organizationId, id), update).pipe(sql.withTransaction)
}

export interface ActivityRow {
  readonly id: Id<"wka">
  readonly worker_id: string
  readonly kind: string
  readonly message: string
  readonly session_id: string | null
  readonly occurred_at: Date
  readonly created_at: Date
}

export const activityToWire = (row: ActivityRow): WorkerActivity => ({
  id: row.id,
  workerId: row.worker_id,
  kind: row.kind,
  message: row.message,
  sessionId: row.session_id,
  occurredAt: iso(row.occurred_at),
  createdAt: iso(row.created_at)
})

/** Undefined when the worker has been removed. */
export const addActivity = (
  sql: Sql,
  organizationId: Id<"org">,
  activity: Omit<ActivityRow, "created_at" | "occurred_at"> & { readonly occurred_at: Date | null }
) =>
  sql<ActivityRow>`WITH active AS (UPDATE workers SET last_active_at = now()
      WHERE organization_id = ${organizationId} AND id = ${activity.worker_id} AND removed_at IS NULL
      RETURNING organization_id, id)
    INSERT INTO worker_activity (organization_id, id, worker_id, kind, message, session_id, occurred_at, created_at)
    SELECT a.organization_id, ${activity.id}, a.id, ${activity.kind}, ${activity.message}, ${activity.session_id}::text,
      coalesce(${activity.occurred_at}::timestamptz, now()), now()
    FROM active a
    RETURNING id, worker_id, kind, message, session_id, occurred_at, created_at`.pipe(Effect.map(first))

export const listActivity = (
  sql: Sql,
  organizationId: Id<"org">,
  workerId: string,
  after: string | null,
  limit: number
) =>
  sql<ActivityRow>`SELECT id, worker_id, kind, message, session_id, occurred_at, created_at FROM worker_activity
    WHERE organization_id = ${organizationId} AND worker_id = ${workerId}
      AND (${after}::text IS NULL OR id < ${after})
    ORDER BY id DESC LIMIT ${limit}`

// Tokens

export interface TokenRow {
  readonly id: Id<"wkt">
  readonly worker_id: string
  readonly created_at: Date
  readonly expires_at: Date | null
}

const tokenColumns = (sql: Sql) => sql.literal("id, worker_id, created_at, expires_at")

export const tokenToWire = (row: TokenRow): WorkerToken => ({
  id: row.id,
  workerId: row.worker_id,
  createdAt: iso(row.created_at),
  expiresAt: isoOrNull(row.expires_at)
})

export const addToken = (
  sql: Sql,
  organizationId: Id<"org">,
  token: { readonly id: Id<"wkt">; readonly workerId: string; readonly digest: Uint8Array },
  creator: Creator,
  expiresInSeconds: number | null
) =>
  sql<TokenRow>`INSERT INTO worker_tokens (organization_id, id, worker_id, token_digest, created_by_membership_id,
      created_by_user_id, created_at, expires_at)
    VALUES (${organizationId}, ${token.id}, ${token.workerId}, ${token.digest}, ${creator.membershipId},
      ${creator.userId}, now(),
      now() + make_interval(secs => ${expiresInSeconds}::double precision))
    RETURNING ${tokenColumns(sql)}`.pipe(Effect.flatMap(([row]) => expectRow(row, "worker token")))

export const countTokens = (sql: Sql, organizationId: Id<"org">, workerId: string) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM worker_tokens
    WHERE organization_id = ${organizationId} AND worker_id = ${workerId} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())`.pipe(Effect.map((rows) => rows[0]?.count ?? 0))

/** Makes the worker's other tokens expire after `graceSeconds`, unless they expire earlier. */
export const limitOthers = (
  sql: Sql,
  organizationId: Id<"org">,
  workerId: string,
  except: Id<"wkt">,
  graceSeconds: number
) =>
  sql`UPDATE worker_tokens
    SET expires_at = least(expires_at, now() + make_interval(secs => ${graceSeconds}::double precision))
    WHERE organization_id = ${organizationId} AND worker_id = ${workerId} AND id <> ${except} AND revoked_at IS NULL`

export const listTokens = (
  sql: Sql,
  organizationId: Id<"org">,
  workerId: string,
  after: string | null,
  limit: number
) =>
  sql<TokenRow>`SELECT ${tokenColumns(sql)} FROM worker_tokens
    WHERE organization_id = ${organizationId} AND worker_id = ${workerId} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now()) AND (${after}::text IS NULL OR id < ${after})
    ORDER BY id DESC LIMIT ${limit}`

/** False when no such active token exists. */
export const revokeToken = (sql: Sql, organizationId: Id<"org">, workerId: string, id: Id<"wkt">) =>
  sql<{ id: string }>`UPDATE worker_tokens SET revoked_at = now()
    WHERE organization_id = ${organizationId} AND worker_id = ${workerId} AND id = ${id} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())
    RETURNING id`.pipe(Effect.map((rows) => rows.length === 1))

export const revokeTokens = (sql: Sql, organizationId: Id<"org">, workerId: string) =>
  sql<{ id: Id<"wkt"> }>`UPDATE worker_tokens SET revoked_at = now()
    WHERE organization_id = ${organizationId} AND worker_id = ${workerId} AND revoked_at IS NULL RETURNING id`.pipe(
    Effect.map((rows) => rows.map(({ id }) => id))
  )

// Instances as the API returns them

export interface InstanceRow {
  readonly id: Id<"wki">
  readonly provider: string
  readonly region: string
  readonly url: string | null
  readonly status: WorkerInstance["status"]
  readonly key_id: string | null
  readonly nonce: Uint8Array | null
  readonly ciphertext: Uint8Array | null
  readonly created_at: Date
  readonly updated_at: Date
}

export const instanceToWire = (row: InstanceRow): WorkerInstance => ({
  provider: row.provider,
  region: row.region,
  url: row.url,
  status: row.status,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

const instanceColumns = (sql: Sql) =>
  sql.literal("id, provider, region, url, status, key_id, nonce, ciphertext, created_at, updated_at")

export const findLatestInstance = (sql: Sql, organizationId: Id<"org">, workerId: string) =>
  sql<InstanceRow>`SELECT ${instanceColumns(sql)} FROM worker_instances
    WHERE organization_id = ${organizationId} AND worker_id = ${workerId} ORDER BY id DESC LIMIT 1`.pipe(
    Effect.map(first)
  )

/** Requests a runtime. The row is the queue entry and stays until the work is done. */
export const createInstance = (
  sql: Sql,
  organizationId: Id<"org">,
  instance: { readonly id: Id<"wki">; readonly workerId: string; readonly provider: string; readonly region: string }
) =>
  sql<InstanceRow>`INSERT INTO worker_instances (organization_id, id, worker_id, provider, region, status, wanted, settled,
      created_at, updated_at)
    VALUES (${organizationId}, ${instance.id}, ${instance.workerId}, ${instance.provider}, ${instance.region}, 'starting',
      'running', false, now(), now())
    RETURNING ${instanceColumns(sql)}`.pipe(
    Effect.map(first),
    Effect.tap(() => wake(sql, "runtimes"))
  )
