import type { AuditEvent } from "@orgplane/schema/audit"
import { auditActionOf, type StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Period } from "../../infra/audit/moment.ts"
import { firstId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { read } from "../../infra/sql/read.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"aud">
  readonly organization_id: Id<"org"> | null
  readonly sequence: number | null
  readonly action: StoredAuditAction
  readonly actor_kind: AuditEvent["actorKind"]
  readonly actor_id: string | null
  readonly target_id: string | null
  readonly request_id: string | null
  readonly address: string | null
  readonly user_agent: string | null
  readonly before_json: JsonObject | null
  readonly after_json: JsonObject | null
  readonly created_at: Date
}

export interface SealedRow extends Row {
  readonly sequence: number
}

export const toWire = (row: Row): AuditEvent => ({
  id: row.id,
  organizationId: row.organization_id,
  sequence: row.sequence,
  action: auditActionOf(row.action),
  actorKind: row.actor_kind,
  actorId: row.actor_id,
  targetId: row.target_id,
  requestId: row.request_id,
  address: row.address,
  userAgent: row.user_agent,
  before: row.before_json,
  after: row.after_json,
  createdAt: iso(row.created_at)
})

export interface Filters {
  /** As stored. */
  readonly action?: string
  readonly actorId?: string
  readonly targetId?: string
  /** A Unix timestamp in milliseconds. */
  readonly since?: number
  readonly until?: number
}

export const columns = (sql: Sql) =>
  sql.literal(`id, organization_id, sequence, action, actor_kind, actor_id, target_id, request_id, address, user_agent,
    before_json, after_json, created_at`)

export const dateOrNull = (millis: number | undefined) => (millis === undefined ? null : new Date(millis))

/**
 * An id is created shortly before its row, perhaps on a machine whose clock is off. The difference is less than this.
 */
const slackMillis = 86_400_000

/** The filters as values of a statement; null where a filter is absent. */
const criteriaOf = ({ action, actorId, since, targetId, until }: Filters) => ({
  action: action ?? null,
  actorId: actorId ?? null,
  targetId: targetId ?? null,
  since: dateOrNull(since),
  until: dateOrNull(until),
  from: since === undefined ? null : firstId("aud", since - slackMillis),
  to: until === undefined ? null : firstId("aud", until + slackMillis)
})
type Criteria = ReturnType<typeof criteriaOf>

const matches = (sql: Sql, { action, actorId, from, since, targetId, to, until }: Criteria) =>
  sql`(${action}::text IS NULL OR action = ${action}) AND (${actorId}::text IS NULL OR actor_id = ${actorId})
    AND (${targetId}::text IS NULL OR target_id = ${targetId})
    AND (${since}::timestamptz IS NULL OR created_at >= ${since})
    AND (${until}::timestamptz IS NULL OR created_at < ${until})
    AND (${from}::text IS NULL OR id >= ${from}) AND (${to}::text IS NULL OR id < ${to})`

interface NewestRead extends Criteria {
  readonly organizationId: Id<"org">
  readonly last: string | null
  readonly limit: number
}

const readNewest = read<Row, NewestRead>(
  (sql, criteria) =>
    sql<Row>`SELECT ${columns(sql)} FROM audit_events
      WHERE organization_id = ${criteria.organizationId} AND (${criteria.last}::text IS NULL OR id < ${criteria.last})
        AND ${matches(sql, criteria)}
      ORDER BY id DESC LIMIT ${criteria.limit}`
)

/** Newest first, sealed or not. */
export const list = (sql: Sql, organizationId: Id<"org">, filters: Filters, after: string | null, limit: number) =>
  readNewest(sql, { organizationId, last: after, limit, ...criteriaOf(filters) })

interface SealedRead extends Criteria {
  readonly organizationId: Id<"org">
  readonly after: number
  readonly last: number
  readonly limit: number
}

const readSealed = read<SealedRow, SealedRead>(
  (sql, criteria) =>
    sql<SealedRow>`SELECT ${columns(sql)} FROM audit_events
      WHERE organization_id = ${criteria.organizationId} AND sequence > ${criteria.after}::bigint
        AND sequence <= ${criteria.last}::bigint AND ${matches(sql, criteria)}
      ORDER BY sequence LIMIT ${criteria.limit}`
)

/** Events after a sequence number, up to and including `last`, in the sealed order, which is append-only. */
export const listSealed = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: Filters,
  after: number,
  last: number,
  limit: number
) => readSealed(sql, { organizationId, after, last, limit, ...criteriaOf(filters) })

/** An event, sealed or not. */
export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"aud">) =>
  sql<Row>`SELECT ${columns(sql)} FROM audit_events
    WHERE organization_id = ${organizationId} AND id = ${id}`.pipe(Effect.map((rows) => rows[0]))

/** The sequence number of an event: null until it is sealed, undefined when the event does not exist. */
export const findPlace = (sql: Sql, organizationId: Id<"org">, id: Id<"aud">) =>
  sql<{ sequence: number | null }>`SELECT sequence FROM audit_events
    WHERE organization_id = ${organizationId} AND id = ${id}`.pipe(Effect.map((rows) => rows[0]?.sequence))

interface Bounds {
  readonly first?: number
  readonly last?: number
}

/**
 * Sequence numbers between which all events of a period are; undefined where the period or the events have no bound.
 * Events are sealed in the order in which they were created, except within the time that ids and transactions take.
 */
export const findBounds = (
  sql: Sql,
  organizationId: Id<"org">,
  { since, until }: Period
): Effect.Effect<Bounds, SqlError> => {
  if (since === undefined && until === undefined) return Effect.succeed({})
  const from = since === undefined ? null : firstId("aud", since - slackMillis)
  const to = until === undefined ? null : firstId("aud", until + slackMillis)
  return sql<{ first: number | null; last: number | null }>`SELECT
      (SELECT sequence FROM audit_events WHERE organization_id = ${organizationId} AND id < ${from}::text
        AND sequence IS NOT NULL ORDER BY id DESC LIMIT 1) AS first,
      (SELECT sequence FROM audit_events WHERE organization_id = ${organizationId} AND id >= ${to}::text
        AND sequence IS NOT NULL ORDER BY id LIMIT 1) AS last`.pipe(
    Effect.map(([row]) => ({
      ...(row === undefined || row.first === null ? {} : { first: row.first }),
      ...(row === undefined || row.last === null ? {} : { last: row.last })
    }))
  )
}

export interface CheckpointRow {
  readonly sequence: number
  readonly hash: string
  readonly key_id: string
  readonly signature: string
  readonly created_at: Date
}

export const listCheckpoints = (sql: Sql, organizationId: Id<"org">, before: number | null, limit: number) =>
  sql<CheckpointRow>`SELECT sequence, hash, key_id, signature, created_at FROM audit_checkpoints
    WHERE organization_id = ${organizationId} AND (${before}::bigint IS NULL OR sequence < ${before}::bigint)
    ORDER BY sequence DESC LIMIT ${limit}`

export interface FeedCheckpointRow {
  readonly organization_id: Id<"org">
  readonly sequence: number
  readonly hash: string
  readonly key_id: string
  readonly signature: string
  readonly signed_at: Date
}

/** The checkpoints that sign the chain over the lines, newest first. */
export const listFeedCheckpoints = (sql: Sql, organizationId: Id<"org">, before: number | null, limit: number) =>
  sql<FeedCheckpointRow>`SELECT organization_id, sequence, feed_hash AS hash, key_id, feed_signature AS signature,
      feed_signed_at AS signed_at FROM audit_checkpoints
    WHERE organization_id = ${organizationId} AND feed_signature IS NOT NULL
      AND (${before}::bigint IS NULL OR sequence < ${before}::bigint)
    ORDER BY sequence DESC LIMIT ${limit}`
