/** The endpoints that have something to send, and what was sent. Several endpoints share a statement. */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"

export interface EndpointKey {
  readonly organization_id: Id<"org">
  readonly id: Id<"whe">
}

/** An endpoint whose lease was taken or renewed. The settings can have changed since the last time. */
export interface LeasedRow extends EndpointKey {
  readonly url: string
  readonly ordering: "ordered" | "parallel"
  readonly version: number
  readonly is_failing: boolean
}

const leasedColumns = (sql: Sql) =>
  sql.literal(`u.organization_id, u.id, u.url, u.ordering, u.version, u.failing_since IS NOT NULL AS is_failing`)

/** Takes the lease of endpoints that are due, those that have waited longest first. */
export const claim = (sql: Sql, holder: string, seconds: number, limit: number) =>
  sql<LeasedRow>`UPDATE webhook_endpoints u SET lease_holder = ${holder},
      lease_until = now() + make_interval(secs => ${seconds})
    FROM (SELECT e.organization_id, e.id FROM webhook_endpoints e
      JOIN organizations o ON o.id = e.organization_id AND o.deleted_at IS NULL
      WHERE e.state = 'active' AND e.due_at <= now() AND (e.lease_until IS NULL OR e.lease_until < now())
      ORDER BY e.due_at LIMIT ${limit} FOR UPDATE OF e SKIP LOCKED) d
    WHERE u.organization_id = d.organization_id AND u.id = d.id
    RETURNING ${leasedColumns(sql)}`

export interface Lease extends EndpointKey {
  readonly holder: string
}

/**
 * Renews leases, except those that another process has taken and those of endpoints that are no longer active. Unless it
 * waits, it also skips endpoints that another transaction has locked.
 */
export const renew = (sql: Sql, leases: ReadonlyArray<Lease>, seconds: number, waits: boolean) =>
  sql<LeasedRow>`UPDATE webhook_endpoints u SET lease_until = now() + make_interval(secs => ${seconds})
    FROM (SELECT e.organization_id, e.id FROM jsonb_to_recordset(${sql.json(leases)})
        AS x(organization_id text, id text, holder text)
      JOIN webhook_endpoints e ON e.organization_id = x.organization_id AND e.id = x.id AND e.lease_holder = x.holder
      JOIN organizations o ON o.id = e.organization_id AND o.deleted_at IS NULL
      WHERE e.state = 'active' ORDER BY e.organization_id, e.id
      FOR UPDATE OF e ${sql.literal(waits ? "" : "SKIP LOCKED")}) d
    WHERE u.organization_id = d.organization_id AND u.id = d.id
    RETURNING ${leasedColumns(sql)}`

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

export interface PendingRow {
  readonly organization_id: Id<"org">
  readonly endpoint_id: Id<"whe">
  readonly id: Id<"whm">
  readonly event_id: string
  readonly body_id: string
  readonly attempts: number
  readonly failures: number
  readonly is_due: boolean
}

export interface Wanted extends EndpointKey {
  /** Only messages that are due. */
  readonly onlyDue: boolean
  readonly limit: number
}

/** The next messages of each endpoint, in their order. */
export const pending = (sql: Sql, wanted: ReadonlyArray<Wanted>) =>
  sql<PendingRow>`SELECT m.organization_id, m.endpoint_id, m.id, m.event_id, m.body_id, m.attempts, m.failures,
      m.next_attempt_at <= now() AS is_due
    FROM jsonb_to_recordset(${sql.json(wanted)}) AS x(organization_id text, id text, "onlyDue" boolean, "limit" int)
    CROSS JOIN LATERAL (SELECT w.organization_id, w.endpoint_id, w.id, w.event_id, w.body_id, w.attempts, w.failures,
        w.next_attempt_at, w.number
      FROM webhook_messages w
      WHERE w.organization_id = x.organization_id AND w.endpoint_id = x.id AND w.state = 'pending'
        AND (NOT x."onlyDue" OR w.next_attempt_at <= now())
      ORDER BY w.number LIMIT x."limit") m
    ORDER BY m.organization_id, m.endpoint_id, m.number`

/** Bodies of messages. Messages of several endpoints can have the same body. */
export const bodies = (sql: Sql, messages: ReadonlyArray<Pick<PendingRow, "organization_id" | "body_id">>) =>
  sql<{ id: string; body: string }>`SELECT b.id, b.body
    FROM unnest(${texts(messages.map((message) => message.organization_id))}::text[],
      ${texts(messages.map((message) => message.body_id))}::text[]) AS x(organization_id, id)
    JOIN webhook_bodies b ON b.organization_id = x.organization_id AND b.id = x.id`

export interface SecretRow extends EndpointKey {
  readonly secret_id: string
  readonly key_id: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

/** The secrets that sign now: the newest first, then the one before the last rotation during its overlap. */
export const usableSecrets = (sql: Sql, endpoints: ReadonlyArray<EndpointKey>) =>
  sql<SecretRow>`SELECT s.organization_id, s.endpoint_id AS id, s.id AS secret_id, s.key_id, s.nonce, s.ciphertext
    FROM unnest(${texts(endpoints.map((endpoint) => endpoint.organization_id))}::text[],
      ${texts(endpoints.map((endpoint) => endpoint.id))}::text[]) AS x(organization_id, id)
    JOIN webhook_secrets s ON s.organization_id = x.organization_id AND s.endpoint_id = x.id
    WHERE s.usable_until IS NULL OR s.usable_until > now()
    ORDER BY s.organization_id, s.endpoint_id, s.usable_until DESC NULLS FIRST, s.created_at DESC`

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

/** What was sent to an endpoint. */
export interface Report extends Lease {
  readonly outcomes: ReadonlyArray<Outcome>
  /** Whether the last attempt decides if the endpoint is failing, and not whether any was successful. */
  readonly isOrdered: boolean
  /** Whether the lease is released; the endpoint is then due again when a message is, and after the pause. */
  readonly releases: boolean
  readonly pauseSeconds: number
}

export interface Recorded {
  /** Whether no events were queued because there were too many pending messages. */
  readonly wasFull: boolean
  /** Whether messages are pending. */
  readonly isPending: boolean
}

type Failing = "ended" | "started" | "continues"

const failingOf = ({ isOrdered, outcomes }: Report): Failing | null => {
  const last = outcomes.at(-1)
  if (last === undefined) return null
  if (!outcomes.some(({ state }) => state === "delivered")) return "continues"
  return isOrdered && last.state !== "delivered" ? "started" : "ended"
}

const withTransaction = <A, E, R>(work: Effect.Effect<A, E, R>, sql: Sql) => sql.withTransaction(work)

/**
 * Records attempts of several endpoints, and releases their leases. Repeating it is a no-op. The results have the order of
 * the reports. Unless it waits, endpoints that another transaction has locked have no result.
 *
 * The endpoints are locked by a statement of its own, before their messages, as everywhere: the next statements must see
 * the messages of a transaction that it waited for.
 */
export const record = Effect.fnUntraced(function* (sql: Sql, reports: ReadonlyArray<Report>, waits: boolean) {
  const keys = sql.json(reports.map(({ id, organization_id }) => ({ organization_id, id })))
  const locked = yield* sql<
    EndpointKey & { ordering: string; was_full: boolean }
  >`SELECT e.organization_id, e.id, e.ordering, e.full_until IS NOT NULL AS was_full
    FROM jsonb_to_recordset(${keys}) AS x(organization_id text, id text)
    JOIN webhook_endpoints e ON e.organization_id = x.organization_id AND e.id = x.id
    ORDER BY e.organization_id, e.id FOR UPDATE OF e ${sql.literal(waits ? "" : "SKIP LOCKED")}`
  const rows = new Map(locked.map((row) => [row.id, row]))
  const recorded = reports.filter(({ id }) => rows.has(id))
  const outcomes = recorded.flatMap(({ id, organization_id, outcomes }) =>
    outcomes.map((outcome) => ({ organization_id, endpointId: id, ...outcome }))
  )
  if (outcomes.length > 0) {
    const attempts = sql`jsonb_to_recordset(${sql.json(outcomes)}) AS x(organization_id text, "endpointId" text,
      "messageId" text, number int, state text, "pauseSeconds" float8, "sentAt" timestamptz, url text, headers jsonb,
      status int, error text, "durationMillis" int, response text)`
    // The message may have been deleted in the meantime, with its endpoint.
    yield* sql`INSERT INTO webhook_attempts (organization_id, endpoint_id, message_id, number, url, headers_json, status,
        error, duration_millis, response, created_at)
      SELECT m.organization_id, m.endpoint_id, m.id, x.number, x.url, x.headers, x.status, x.error, x."durationMillis",
        x.response, x."sentAt"
      FROM ${attempts} JOIN webhook_messages m ON m.organization_id = x.organization_id
        AND m.endpoint_id = x."endpointId" AND m.id = x."messageId"
      ON CONFLICT DO NOTHING`
    yield* sql`UPDATE webhook_messages m SET state = x.state, attempts = x.number,
        failures = m.failures + CASE WHEN x.state = 'delivered' THEN 0 ELSE 1 END,
        next_attempt_at = CASE WHEN x.state = 'pending' THEN now() + make_interval(secs => x."pauseSeconds") END,
        delivered_at = CASE WHEN x.state = 'delivered' THEN now() END
      FROM ${attempts}
      WHERE m.organization_id = x.organization_id AND m.endpoint_id = x."endpointId" AND m.id = x."messageId"
        AND m.attempts < x.number
        -- A message that was skipped during the attempt stays skipped unless it was delivered.
        AND (m.state = 'pending' OR x.state = 'delivered')`
  }
  const changes = recorded.map((report) => ({
    organization_id: report.organization_id,
    id: report.id,
    holder: report.holder,
    ordering: rows.get(report.id)?.ordering,
    failing: failingOf(report),
    delivered: report.outcomes.some(({ state }) => state === "delivered"),
    releases: report.releases,
    pauseSeconds: report.pauseSeconds
  }))
  const due =
    changes.length === 0
      ? []
      : yield* sql<EndpointKey & { is_pending: boolean }>`UPDATE webhook_endpoints e SET
      failing_since = CASE n.failing WHEN 'ended' THEN NULL WHEN 'started' THEN now()
        WHEN 'continues' THEN coalesce(e.failing_since, now()) ELSE e.failing_since END,
      last_delivered_at = CASE WHEN n.delivered THEN now() ELSE e.last_delivered_at END,
      lease_holder = CASE WHEN n.releases AND e.lease_holder = n.holder THEN NULL ELSE e.lease_holder END,
      lease_until = CASE WHEN n.releases AND e.lease_holder = n.holder THEN NULL ELSE e.lease_until END,
      full_until = CASE WHEN n.releases AND e.lease_holder = n.holder THEN NULL ELSE e.full_until END,
      due_at = CASE WHEN n.releases AND e.lease_holder = n.holder
        THEN n.due_at + greatest(interval '0', now() + make_interval(secs => n."pauseSeconds") - n.due_at) ELSE e.due_at END
    FROM (SELECT x.organization_id, x.id, x.holder, x.failing, x.delivered, x.releases, x."pauseSeconds",
        CASE WHEN NOT x.releases THEN NULL WHEN x.ordering = 'ordered'
          THEN (SELECT m.next_attempt_at FROM webhook_messages m WHERE m.organization_id = x.organization_id
            AND m.endpoint_id = x.id AND m.state = 'pending' ORDER BY m.number LIMIT 1)
          ELSE (SELECT min(m.next_attempt_at) FROM webhook_messages m WHERE m.organization_id = x.organization_id
            AND m.endpoint_id = x.id AND m.state = 'pending') END AS due_at
      FROM jsonb_to_recordset(${sql.json(changes)}) AS x(organization_id text, id text, holder text, ordering text,
        failing text, delivered boolean, releases boolean, "pauseSeconds" float8)) n
    WHERE e.organization_id = n.organization_id AND e.id = n.id
    RETURNING e.organization_id, e.id, e.due_at IS NOT NULL AS is_pending`
  const pendingOf = new Map(due.map((row) => [row.id, row.is_pending]))
  return reports.map(({ id }): Recorded | undefined => {
    const row = rows.get(id)
    if (row !== undefined) return { wasFull: row.was_full, isPending: pendingOf.get(id) === true }
    // An endpoint that was removed.
    return waits ? { wasFull: false, isPending: false } : undefined
  })
}, withTransaction)

/**
 * Stops an endpoint. Returns whether it was active, and with `failingDays`, whether nothing was delivered for that long.
 * The lease ends with the batch that is being sent.
 */
export const stop = (
  sql: Sql,
  { id, organization_id }: EndpointKey,
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
