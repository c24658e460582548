/** Which streams have something to send, and what was sent. */
import type { EventStreamDestination } from "@orgplane/schema/event-streams"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

export interface StreamKey {
  readonly organization_id: Id<"org">
  readonly id: Id<"evs">
}

/** A stream, and the ends of the chain that it sends. */
export interface SendingRow extends StreamKey {
  readonly destination_json: EventStreamDestination
  readonly types_json: ReadonlyArray<string>
  readonly position: number
  readonly checkpoint_position: number
  readonly batch_to: number | null
  readonly attempts: number
  readonly key_id: string | null
  readonly nonce: Uint8Array | null
  readonly ciphertext: Uint8Array | null
  /** The first and the last line of the chain. Null if there is none yet. */
  readonly feed_start: number | null
  readonly feed_sequence: number | null
  /** The last checkpoint, at most the last line. */
  readonly checkpoint_sequence: number
}

const isBehind = (sql: Sql) =>
  sql.literal(`c.feed_sequence IS NOT NULL
    AND (c.feed_sequence > s.position OR least(c.checkpoint_sequence, c.feed_sequence) > s.checkpoint_position)`)

/** Takes the lease of streams that are due and have something to send, those that have waited longest first. */
export const claim = (sql: Sql, holder: string, seconds: number, limit: number) =>
  sql<StreamKey>`UPDATE event_streams u SET lease_holder = ${holder},
      lease_until = now() + make_interval(secs => ${seconds})
    FROM (SELECT s.organization_id, s.id FROM event_streams s
      JOIN audit_chains c ON c.organization_id = s.organization_id
      JOIN organizations o ON o.id = s.organization_id AND o.deleted_at IS NULL
      WHERE s.state = 'active' AND s.next_attempt_at <= now() AND (s.lease_until IS NULL OR s.lease_until < now())
        AND ${isBehind(sql)}
      ORDER BY s.next_attempt_at, s.organization_id, s.id LIMIT ${limit} FOR UPDATE OF s SKIP LOCKED) d
    WHERE u.organization_id = d.organization_id AND u.id = d.id
    RETURNING u.organization_id, u.id`

/** The seconds until a stream that has something to send is due, in all organizations; null if there is none. */
export const secondsUntilDue = (sql: Sql) =>
  sql<{ seconds: number | null }>`SELECT extract(epoch FROM min(s.next_attempt_at) - now())::float8 AS seconds
    FROM event_streams s
    JOIN audit_chains c ON c.organization_id = s.organization_id
    JOIN organizations o ON o.id = s.organization_id AND o.deleted_at IS NULL
    WHERE s.state = 'active' AND (s.lease_until IS NULL OR s.lease_until < now()) AND ${isBehind(sql)}`.pipe(
    Effect.map((rows) => rows[0]?.seconds ?? null)
  )

/** Renews the lease and reads the stream. Undefined if the lease was taken by another, or if the stream is not active. */
export const renew = Effect.fnUntraced(function* (
  sql: Sql,
  { id, organization_id }: StreamKey,
  holder: string,
  seconds: number
) {
  const leased = yield* sql`UPDATE event_streams SET lease_until = now() + make_interval(secs => ${seconds})
    WHERE organization_id = ${organization_id} AND id = ${id} AND lease_holder = ${holder} AND state = 'active'
    RETURNING 1 AS one`
  if (leased.length === 0) return undefined
  return yield* find(sql, organization_id, id)
})

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"evs">) =>
  sql<SendingRow>`SELECT s.organization_id, s.id, s.destination_json, s.types_json, s.position, s.checkpoint_position,
      s.batch_to, s.attempts, s.key_id, s.nonce, s.ciphertext, c.feed_start, c.feed_sequence,
      coalesce(least(c.checkpoint_sequence, c.feed_sequence), 0) AS checkpoint_sequence
    FROM event_streams s LEFT JOIN audit_chains c ON c.organization_id = ${organizationId}
    WHERE s.organization_id = ${organizationId} AND s.id = ${id}`.pipe(Effect.map((rows) => rows[0]))

export const release = (sql: Sql, { id, organization_id }: StreamKey, holder: string) =>
  sql`UPDATE event_streams SET lease_holder = NULL, lease_until = NULL
    WHERE organization_id = ${organization_id} AND id = ${id} AND lease_holder = ${holder}`

/** Stores the end of the batch before it is sent, so that a retry sends the same batch. */
export const startBatch = (sql: Sql, { id, organization_id }: StreamKey, holder: string, to: number) =>
  sql`UPDATE event_streams SET batch_to = ${to}
    WHERE organization_id = ${organization_id} AND id = ${id} AND lease_holder = ${holder}
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length > 0))

/** Advances a stream after the destination accepted a batch. */
export const delivered = (
  sql: Sql,
  { id, organization_id }: StreamKey,
  holder: string,
  position: number,
  checkpointPosition: number
) =>
  sql`UPDATE event_streams SET position = greatest(position, ${position}::bigint),
      checkpoint_position = greatest(checkpoint_position, ${checkpointPosition}::bigint), batch_to = NULL,
      attempts = 0, next_attempt_at = now(), failing_since = NULL, last_error = NULL, last_delivered_at = now()
    WHERE organization_id = ${organization_id} AND id = ${id} AND lease_holder = ${holder}`

/** Advances a stream past checkpoints that do not sign its lines. */
export const skipCheckpoints = (
  sql: Sql,
  { id, organization_id }: StreamKey,
  holder: string,
  checkpointPosition: number
) =>
  sql`UPDATE event_streams SET checkpoint_position = ${checkpointPosition}
    WHERE organization_id = ${organization_id} AND id = ${id} AND lease_holder = ${holder}`

export const failed = (
  sql: Sql,
  { id, organization_id }: StreamKey,
  holder: string,
  error: string,
  pauseSeconds: number
) =>
  sql`UPDATE event_streams SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${pauseSeconds}),
      failing_since = coalesce(failing_since, now()), last_error = ${error}
    WHERE organization_id = ${organization_id} AND id = ${id} AND lease_holder = ${holder}`
