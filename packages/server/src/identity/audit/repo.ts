import type { AuditEvent } from "@orgplane/schema/audit"
import { auditActionOf } from "@orgplane/schema/shared/audit-actions"
import type { Id } from "@orgplane/schema/shared/ids"
import type { JsonObject } from "@orgplane/schema/shared/values"
import * as Effect from "effect/Effect"
import { firstId } from "../../infra/ids.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"aud">
  readonly organization_id: Id<"org"> | null
  readonly sequence: number | null
  readonly action: string
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

const columns = (sql: Sql) =>
  sql.literal(`id, organization_id, sequence, action, actor_kind, actor_id, target_id, request_id, address, user_agent,
    before_json, after_json, created_at`)

const textOrNull = (sql: Sql, value: string | undefined) => sql`${value ?? null}::text`
const dateOrNull = (millis: number | undefined) => (millis === undefined ? null : new Date(millis))

/**
 * An id is created shortly before its row, perhaps on a machine whose clock is off. The difference is less than this.
 */
const slackMillis = 86_400_000

const matches = (sql: Sql, filters: Filters) => {
  const from = filters.since === undefined ? undefined : firstId("aud", filters.since - slackMillis)
  const to = filters.until === undefined ? undefined : firstId("aud", filters.until + slackMillis)
  return sql`(${textOrNull(sql, filters.action)} IS NULL OR action = ${filters.action ?? null})
    AND (${textOrNull(sql, filters.actorId)} IS NULL OR actor_id = ${filters.actorId ?? null})
    AND (${textOrNull(sql, filters.targetId)} IS NULL OR target_id = ${filters.targetId ?? null})
    AND (${dateOrNull(filters.since)}::timestamptz IS NULL OR created_at >= ${dateOrNull(filters.since)})
    AND (${dateOrNull(filters.until)}::timestamptz IS NULL OR created_at < ${dateOrNull(filters.until)})
    AND (${textOrNull(sql, from)} IS NULL OR id >= ${from ?? null})
    AND (${textOrNull(sql, to)} IS NULL OR id < ${to ?? null})`
}

/** Newest first, sealed or not. */
export const list = (sql: Sql, organizationId: Id<"org">, filters: Filters, after: string | null, limit: number) =>
  sql<Row>`SELECT ${columns(sql)} FROM audit_events
    WHERE organization_id = ${organizationId} AND (${after}::text IS NULL OR id < ${after}) AND ${matches(sql, filters)}
    ORDER BY id DESC LIMIT ${limit}`

/** Events after a sequence number, up to and including `last`, in the sealed order, which is append-only. */
export const listSealed = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: Filters,
  after: number,
  last: number,
  limit: number
) =>
  sql<SealedRow>`SELECT ${columns(sql)} FROM audit_events
    WHERE organization_id = ${organizationId} AND sequence > ${after}::bigint AND sequence <= ${last}::bigint
      AND ${matches(sql, filters)}
    ORDER BY sequence LIMIT ${limit}`

/** The sequence number of an event: null until it is sealed, undefined when the event does not exist. */
export const findPlace = (sql: Sql, organizationId: Id<"org">, id: Id<"aud">) =>
  sql<{ sequence: number | null }>`SELECT sequence FROM audit_events
    WHERE organization_id = ${organizationId} AND id = ${id}`.pipe(Effect.map((rows) => rows[0]?.sequence))

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
