/** Queues events for webhook endpoints, and records what was sent. */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"

/** With more pending messages, no further events are queued. They stay in the feed. */
export const pendingMax = 10_000
/** With more stored messages, no events are queued again. They are deleted after 30 days. */
export const storedMax = 100_000
/** How long the pending messages of an endpoint with too many of them are not counted again. */
const fullSeconds = 15

export interface BehindRow {
  readonly organization_id: Id<"org">
  readonly id: Id<"whe">
}

/**
 * A page of the endpoints to which events can be queued: the feed has later ones, and the last count of their pending
 * messages was not too high.
 */
export const behind = (sql: Sql, after: BehindRow | undefined, limit: number) =>
  sql<BehindRow>`SELECT e.organization_id, e.id FROM webhook_endpoints e
    JOIN audit_chains c ON c.organization_id = e.organization_id AND c.sequence > e.position
    JOIN organizations o ON o.id = e.organization_id AND o.deleted_at IS NULL
    WHERE e.state <> 'disabled'
      AND (e.organization_id, e.id) > (${after?.organization_id ?? ""}::text, ${after?.id ?? ""}::text)
      AND (e.full_until IS NULL OR e.full_until < now())
    ORDER BY e.organization_id, e.id LIMIT ${limit}`

export interface QueueRow {
  readonly position: number
  readonly head: number
  readonly types_json: ReadonlyArray<string>
  readonly permissions_json: ReadonlyArray<string>
  readonly permissions_version: number
  readonly plan: string
}

/** Locks an endpoint until the transaction ends; undefined if another process has locked it, or if it is disabled. */
export const lockForQueue = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">) =>
  sql<QueueRow>`SELECT e.position, c.sequence AS head, e.types_json, e.permissions_json,
      e.permissions_version, o.plan FROM webhook_endpoints e
    JOIN audit_chains c ON c.organization_id = ${organizationId}
    JOIN organizations o ON o.id = ${organizationId} AND o.deleted_at IS NULL
    WHERE e.organization_id = ${organizationId} AND e.id = ${id} AND e.state <> 'disabled'
    FOR UPDATE OF e SKIP LOCKED`.pipe(Effect.map((rows) => rows[0]))

/** Counts the pending messages. If there are too many, no events are queued for a while, or until some were sent. */
export const isFull = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">) =>
  sql`UPDATE webhook_endpoints SET full_until = now() + make_interval(secs => ${fullSeconds})
    WHERE organization_id = ${organizationId} AND id = ${id}
      AND (SELECT count(*) FROM (SELECT 1 FROM webhook_messages m
        WHERE m.organization_id = ${organizationId} AND m.endpoint_id = ${id} AND m.state = 'pending'
        LIMIT ${pendingMax}) p) >= ${pendingMax}
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

/** The stored messages of an endpoint, up to the maximum. */
export const countStored = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">) =>
  sql<{ count: number }>`SELECT count(*)::int AS count FROM (SELECT 1 FROM webhook_messages
    WHERE organization_id = ${organizationId} AND endpoint_id = ${id} LIMIT ${storedMax}) m`.pipe(
    Effect.map((rows) => rows[0]?.count ?? 0)
  )

/**
 * The first event after a position whose type this version does not know; undefined if there is none. Another process of a
 * later version queues it. After a day, no upgrade is in progress, so events are no longer kept waiting behind it.
 */
export const firstUnknown = (
  sql: Sql,
  organizationId: Id<"org">,
  known: ReadonlyArray<string>,
  after: number,
  last: number
) =>
  sql<{ sequence: number }>`SELECT sequence FROM audit_events
    WHERE organization_id = ${organizationId} AND sequence > ${after}::bigint AND sequence <= ${last}::bigint
      AND action <> ALL(${texts(known)}::text[]) AND created_at > now() - interval '1 day'
    ORDER BY sequence LIMIT 1`.pipe(Effect.map((rows) => rows[0]?.sequence))

export interface NewMessage {
  readonly id: Id<"whm">
  readonly eventId: string
  readonly sequence: number
  readonly type: string
  readonly body: string
}

/**
 * Queues messages in their order, and moves the position of the endpoint. An event that was queued before with the same
 * permissions keeps its body.
 */
export const enqueue = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"whe">,
  permissionsVersion: number,
  messages: ReadonlyArray<NewMessage>,
  position: number | null
) {
  if (messages.length > 0) {
    yield* sql`INSERT INTO webhook_messages (organization_id, endpoint_id, id, event_id, sequence, type, body,
        permissions_version, state, attempts, failures, next_attempt_at, created_at)
      SELECT ${organizationId}, ${id}, x.id, x."eventId", x.sequence, x.type, coalesce((SELECT m.body
          FROM webhook_messages m WHERE m.organization_id = ${organizationId} AND m.endpoint_id = ${id}
            AND m.event_id = x."eventId" AND m.permissions_version = ${permissionsVersion} ORDER BY m.number LIMIT 1), x.body),
        ${permissionsVersion}::int, 'pending', 0, 0, now(), now()
      FROM jsonb_to_recordset(${sql.json(messages)})
        AS x(id text, "eventId" text, sequence bigint, type text, body text) ORDER BY x.sequence`
  }
  yield* sql`UPDATE webhook_endpoints SET position = greatest(position, coalesce(${position}::bigint, position)),
      -- The messages of an ordered endpoint wait for its first one, which determines when it is due.
      due_at = CASE WHEN ${messages.length}::int = 0 THEN due_at WHEN ordering = 'parallel' THEN least(due_at, now())
        ELSE coalesce(due_at, now()) END
    WHERE organization_id = ${organizationId} AND id = ${id}`
})

export interface ClaimedRow {
  readonly organization_id: Id<"org">
  readonly id: Id<"whe">
  readonly url: string
  readonly ordering: "ordered" | "parallel"
}

/** Takes the lease of endpoints that are due, those that have waited longest first. */
export const claim = (sql: Sql, holder: string, seconds: number, limit: number) =>
  sql<ClaimedRow>`UPDATE webhook_endpoints u SET lease_holder = ${holder},
      lease_until = now() + make_interval(secs => ${seconds})
    FROM (SELECT e.organization_id, e.id FROM webhook_endpoints e
      JOIN organizations o ON o.id = e.organization_id AND o.deleted_at IS NULL
      WHERE e.state = 'active' AND e.due_at <= now() AND (e.lease_until IS NULL OR e.lease_until < now())
      ORDER BY e.due_at LIMIT ${limit} FOR UPDATE OF e SKIP LOCKED) d
    WHERE u.organization_id = d.organization_id AND u.id = d.id
    RETURNING u.organization_id, u.id, u.url, u.ordering`

/** What a renewed lease returns: the settings can have changed since the last time. */
export interface LeasedRow extends ClaimedRow {
  readonly version: number
  readonly is_failing: boolean
}

/** Renews the lease. Undefined if another process has it, or if the endpoint is no longer active. */
export const renew = (sql: Sql, { id, organization_id }: ClaimedRow, holder: string, seconds: number) =>
  sql<LeasedRow>`UPDATE webhook_endpoints SET lease_until = now() + make_interval(secs => ${seconds})
    WHERE organization_id = ${organization_id} AND id = ${id} AND lease_holder = ${holder} AND state = 'active'
      AND EXISTS (SELECT 1 FROM organizations o WHERE o.id = ${organization_id} AND o.deleted_at IS NULL)
    RETURNING organization_id, id, url, ordering, version, failing_since IS NOT NULL AS is_failing`.pipe(
    Effect.map((rows) => rows[0])
  )

/** Whether the lease is still held, and neither the settings nor the secrets have changed since it was renewed. */
export const isCurrent = (sql: Sql, { id, organization_id, version }: LeasedRow, holder: string) =>
  sql`SELECT 1 AS one FROM webhook_endpoints
    WHERE organization_id = ${organization_id} AND id = ${id} AND lease_holder = ${holder} AND state = 'active'
      AND version = ${version}`.pipe(Effect.map((rows) => rows.length > 0))

/** The seconds until the next endpoint without a lease is due, in all organizations; null if none is. */
export const secondsUntilDue = (sql: Sql) =>
  sql<{ seconds: number | null }>`SELECT extract(epoch FROM min(e.due_at) - now())::float8 AS seconds
    FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id AND o.deleted_at IS NULL
    WHERE e.state = 'active' AND e.due_at IS NOT NULL AND (e.lease_until IS NULL OR e.lease_until < now())`.pipe(
    Effect.map((rows) => rows[0]?.seconds ?? null)
  )

const withTransaction = <A, E, R>(work: Effect.Effect<A, E, R>, sql: Sql) => sql.withTransaction(work)

/**
 * Releases the lease, and sets when the endpoint is due again: when its first or its earliest message is. The endpoint is
 * locked by a statement of its own, because the next one must see the messages of a transaction that it waited for.
 * After an error, it is not due before the pause has ended. Returns whether no events were queued because there were too
 * many pending messages.
 */
export const release = Effect.fnUntraced(function* (
  sql: Sql,
  { id, organization_id }: ClaimedRow,
  holder: string,
  pauseSeconds: number
) {
  const [locked] = yield* sql<{ is_full: boolean }>`SELECT full_until IS NOT NULL AS is_full FROM webhook_endpoints
    WHERE organization_id = ${organization_id} AND id = ${id} FOR UPDATE`
  yield* sql`UPDATE webhook_endpoints e SET lease_holder = NULL, lease_until = NULL, full_until = NULL,
      due_at = n.due_at + greatest(interval '0', now() + make_interval(secs => ${pauseSeconds}) - n.due_at)
    FROM (SELECT CASE WHEN l.ordering = 'ordered'
        THEN (SELECT m.next_attempt_at FROM webhook_messages m WHERE m.organization_id = ${organization_id}
          AND m.endpoint_id = ${id} AND m.state = 'pending' ORDER BY m.number LIMIT 1)
        ELSE (SELECT min(m.next_attempt_at) FROM webhook_messages m WHERE m.organization_id = ${organization_id}
          AND m.endpoint_id = ${id} AND m.state = 'pending') END AS due_at
      FROM webhook_endpoints l WHERE l.organization_id = ${organization_id} AND l.id = ${id}) n
    WHERE e.organization_id = ${organization_id} AND e.id = ${id} AND e.lease_holder = ${holder}`
  return locked?.is_full === true
}, withTransaction)

export interface PendingRow {
  readonly id: Id<"whm">
  readonly event_id: string
  readonly body: string
  readonly attempts: number
  readonly failures: number
  readonly is_due: boolean
}

/** The next messages of an endpoint in their order. With `onlyDue`, only those that are due. */
export const pending = (sql: Sql, { id, organization_id }: ClaimedRow, onlyDue: boolean, limit: number) =>
  sql<PendingRow>`SELECT m.id, m.event_id, m.body, m.attempts, m.failures, m.next_attempt_at <= now() AS is_due
    FROM webhook_messages m
    WHERE m.organization_id = ${organization_id} AND m.endpoint_id = ${id} AND m.state = 'pending'
      AND (NOT ${onlyDue} OR m.next_attempt_at <= now())
    ORDER BY m.number LIMIT ${limit}`

export interface Outcome {
  readonly messageId: Id<"whm">
  readonly number: number
  readonly state: "delivered" | "pending" | "failed"
  /** Until the next attempt of a pending message. */
  readonly pauseSeconds: number | null
  readonly sentAt: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number | null
  readonly error: string | null
  readonly durationMillis: number
  readonly response: string | null
}

/** Records attempts in one transaction. Repeating it is a no-op. */
export const record = Effect.fnUntraced(function* (
  sql: Sql,
  { id, organization_id }: ClaimedRow,
  outcomes: ReadonlyArray<Outcome>
) {
  const rows = sql`jsonb_to_recordset(${sql.json(outcomes)}) AS x("messageId" text, number int, state text,
    "pauseSeconds" float8, "sentAt" timestamptz, url text, headers jsonb, status int, error text, "durationMillis" int, response text)`
  // The endpoint is locked before its messages, as everywhere.
  const isDelivered = outcomes.some(({ state }) => state === "delivered")
  yield* sql`UPDATE webhook_endpoints SET
      failing_since = CASE WHEN ${isDelivered} THEN NULL ELSE coalesce(failing_since, now()) END,
      last_delivered_at = CASE WHEN ${isDelivered} THEN now() ELSE last_delivered_at END
    WHERE organization_id = ${organization_id} AND id = ${id}`
  // The message may have been deleted in the meantime, with its endpoint.
  yield* sql`INSERT INTO webhook_attempts (organization_id, endpoint_id, message_id, number, url, headers_json, status,
      error, duration_millis, response, created_at)
    SELECT ${organization_id}, ${id}, m.id, x.number, x.url, x.headers, x.status, x.error, x."durationMillis", x.response,
      x."sentAt"
    FROM ${rows} JOIN webhook_messages m ON m.organization_id = ${organization_id} AND m.endpoint_id = ${id}
      AND m.id = x."messageId"
    ON CONFLICT DO NOTHING`
  yield* sql`UPDATE webhook_messages m SET state = x.state, attempts = x.number,
      failures = m.failures + CASE WHEN x.state = 'delivered' THEN 0 ELSE 1 END,
      next_attempt_at = CASE WHEN x.state = 'pending' THEN now() + make_interval(secs => x."pauseSeconds") END,
      delivered_at = CASE WHEN x.state = 'delivered' THEN now() END
    FROM ${rows}
    WHERE m.organization_id = ${organization_id} AND m.endpoint_id = ${id} AND m.id = x."messageId"
      AND m.attempts < x.number
      -- A message that was skipped during the attempt stays skipped unless it was delivered.
      AND (m.state = 'pending' OR x.state = 'delivered')`
}, withTransaction)

/**
 * Stops an endpoint. Returns whether it was active, and with `failingDays`, whether nothing was delivered for that long.
 * The lease ends with the batch that is being sent.
 */
export const stop = (
  sql: Sql,
  { id, organization_id }: Pick<ClaimedRow, "id" | "organization_id">,
  state: "paused" | "disabled",
  pauseReason: "failing" | "gone",
  failingDays: number
) =>
  sql`UPDATE webhook_endpoints SET state = ${state}, pause_reason = ${pauseReason}, due_at = NULL, version = version + 1,
      updated_at = now()
    WHERE organization_id = ${organization_id} AND id = ${id} AND state = 'active'
      AND (${failingDays}::int = 0 OR failing_since < now() - make_interval(days => ${failingDays}))
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

export interface ManagerRow {
  readonly email: string
  readonly organization_name: string
  readonly endpoint_name: string
}

/** The members who can manage webhook endpoints, with a verified email address. */
export const managers = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">, roles: ReadonlyArray<string>) =>
  sql<ManagerRow>`SELECT DISTINCT u.email, o.name AS organization_name, e.name AS endpoint_name
    FROM memberships m
    JOIN organizations o ON o.id = m.organization_id AND o.provisional_until IS NULL
    JOIN webhook_endpoints e ON e.organization_id = ${organizationId} AND e.id = ${id}
    JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL AND u.email IS NOT NULL AND u.email_verified
    LEFT JOIN roles r ON r.organization_id = ${organizationId} AND r.id = m.role AND r.removed_at IS NULL
    WHERE m.organization_id = ${organizationId} AND m.removed_at IS NULL
      AND (m.role IN (SELECT jsonb_array_elements_text(${sql.json(roles)}))
        OR jsonb_exists(r.permissions_json, 'webhookEndpoints:manage'))
    ORDER BY u.email LIMIT 50`

export interface SecretRow {
  readonly id: string
  readonly key_id: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

/** The secrets that sign now: the newest first, then the one before the last rotation during its overlap. */
export const usableSecrets = (sql: Sql, organizationId: Id<"org">, id: Id<"whe">) =>
  sql<SecretRow>`SELECT id, key_id, nonce, ciphertext FROM webhook_secrets
    WHERE organization_id = ${organizationId} AND endpoint_id = ${id} AND (usable_until IS NULL OR usable_until > now())
    ORDER BY usable_until DESC NULLS FIRST, created_at DESC LIMIT 2`
