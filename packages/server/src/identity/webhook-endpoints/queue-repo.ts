/** Queues events for webhook endpoints, and records what was sent. */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { rowsAtOnce, texts } from "../../infra/sql/texts.ts"

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

export interface QueueRow extends BehindRow {
  readonly position: number
  readonly head: number
  readonly types_json: ReadonlyArray<string>
  readonly permissions_json: ReadonlyArray<string>
  readonly permissions_version: number
  readonly plan: string
}

/** Locks endpoints of an organization until the transaction ends, without those that are locked or disabled. */
export const lockForQueue = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"whe">>) =>
  sql<QueueRow>`SELECT e.organization_id, e.id, e.position, c.sequence AS head, e.types_json, e.permissions_json,
      e.permissions_version, o.plan FROM webhook_endpoints e
    JOIN audit_chains c ON c.organization_id = ${organizationId}
    JOIN organizations o ON o.id = ${organizationId} AND o.deleted_at IS NULL
    WHERE e.organization_id = ${organizationId} AND e.id = ANY(${texts(ids)}::text[]) AND e.state <> 'disabled'
    ORDER BY e.id FOR UPDATE OF e SKIP LOCKED`

/**
 * Counts the pending messages, and returns the endpoints with too many of them. No events are queued to these for a while, or
 * until some were sent.
 */
export const full = (sql: Sql, organizationId: Id<"org">, ids: ReadonlyArray<Id<"whe">>) =>
  sql<{ id: Id<"whe"> }>`UPDATE webhook_endpoints e SET full_until = now() + make_interval(secs => ${fullSeconds})
    WHERE e.organization_id = ${organizationId} AND e.id = ANY(${texts(ids)}::text[])
      AND (SELECT count(*) FROM (SELECT 1 FROM webhook_messages m
        WHERE m.organization_id = ${organizationId} AND m.endpoint_id = e.id AND m.state = 'pending'
        LIMIT ${pendingMax}) p) >= ${pendingMax}
    RETURNING e.id`.pipe(Effect.map((rows) => new Set(rows.map(({ id }) => id))))

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

export interface NewBody {
  readonly id: string
  readonly body: string
}

export interface NewMessage {
  readonly id: Id<"whm">
  readonly endpointId: Id<"whe">
  readonly permissionsVersion: number
  readonly eventId: string
  readonly sequence: number
  readonly type: string
  readonly bodyId: string
}

/** Stores bodies, and queues messages in the order of their events. */
export const insertMessages = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  bodies: ReadonlyArray<NewBody>,
  messages: ReadonlyArray<NewMessage>
) {
  yield* sql`INSERT INTO webhook_bodies (organization_id, id, body, created_at)
    SELECT ${organizationId}, x.id, x.body, now()
    FROM unnest(${texts(bodies.map(({ id }) => id))}::text[], ${texts(bodies.map(({ body }) => body))}::text[])
      AS x(id, body)`
  for (let start = 0; start < messages.length; start += rowsAtOnce) {
    const rows = messages.slice(start, start + rowsAtOnce)
    yield* sql`INSERT INTO webhook_messages (organization_id, endpoint_id, id, event_id, sequence, type, body_id,
        permissions_version, state, attempts, failures, next_attempt_at, created_at)
      SELECT ${organizationId}, x."endpointId", x.id, x."eventId", x.sequence, x.type, x."bodyId", x."permissionsVersion",
        'pending', 0, 0, now(), now()
      FROM jsonb_to_recordset(${sql.json(rows)}) AS x(id text, "endpointId" text, "permissionsVersion" int,
        "eventId" text, sequence bigint, type text, "bodyId" text) ORDER BY x.sequence`
  }
})

/** Moves the position of endpoints. Those with new messages become due. */
export const advance = (
  sql: Sql,
  organizationId: Id<"org">,
  ids: ReadonlyArray<Id<"whe">>,
  hasMessages: boolean,
  position: number
) =>
  sql`UPDATE webhook_endpoints SET position = greatest(position, ${position}::bigint),
      -- The messages of an ordered endpoint wait for its first one, which determines when it is due.
      due_at = CASE WHEN NOT ${hasMessages} THEN due_at WHEN ordering = 'parallel' THEN least(due_at, now())
        ELSE coalesce(due_at, now()) END
    WHERE organization_id = ${organizationId} AND id = ANY(${texts(ids)}::text[])`

/** The bodies that were made for events with the current permissions of an endpoint, the first of each event. */
export const storedBodies = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"whe">,
  permissionsVersion: number,
  eventIds: ReadonlyArray<string>
) =>
  sql<{ event_id: string; body: string }>`SELECT DISTINCT ON (m.event_id) m.event_id, b.body
    FROM webhook_messages m JOIN webhook_bodies b ON b.organization_id = ${organizationId} AND b.id = m.body_id
    WHERE m.organization_id = ${organizationId} AND m.endpoint_id = ${id}
      AND m.event_id = ANY(${texts(eventIds)}::text[]) AND m.permissions_version = ${permissionsVersion}
    ORDER BY m.event_id, m.number`.pipe(Effect.map((rows) => new Map(rows.map((row) => [row.event_id, row.body]))))
