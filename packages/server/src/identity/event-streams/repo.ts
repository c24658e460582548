import type { EventStream, EventStreamDestination } from "@orgplane/schema/event-streams"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sealed } from "../../infra/crypto/key-ring.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { contains } from "../../infra/sql/like.ts"

export interface Row {
  readonly id: Id<"evs">
  readonly organization_id: Id<"org">
  readonly name: string
  readonly destination_json: EventStreamDestination
  readonly has_secret: boolean
  readonly types_json: ReadonlyArray<string>
  readonly state: EventStream["state"]
  readonly position: number
  readonly lag: number
  readonly next_attempt_at: Date
  readonly failing_since: Date | null
  readonly last_error: string | null
  readonly last_delivered_at: Date | null
  readonly created_by_membership_id: Id<"om"> | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = (sql: Sql) =>
  sql.literal(`s.id, s.organization_id, s.name, s.destination_json, s.ciphertext IS NOT NULL AS has_secret, s.types_json,
    s.state, s.position, s.next_attempt_at, s.failing_since, s.last_error, s.last_delivered_at,
    s.created_by_membership_id, s.version, s.created_at, s.updated_at,
    coalesce((SELECT greatest(c.sequence - s.position, 0) FROM audit_chains c
      WHERE c.organization_id = s.organization_id), 0) AS lag`)

export const list = (
  sql: Sql,
  organizationId: Id<"org">,
  filters: { readonly q?: string },
  after: string | null,
  limit: number
) =>
  sql<Row>`SELECT ${columns(sql)} FROM event_streams s
    WHERE s.organization_id = ${organizationId} AND (${after}::text IS NULL OR s.id < ${after})
      AND (${filters.q ?? null}::text IS NULL OR s.name ILIKE ${contains(filters.q)})
    ORDER BY s.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, id: Id<"evs">) =>
  sql<Row>`SELECT ${columns(sql)} FROM event_streams s
    WHERE s.organization_id = ${organizationId} AND s.id = ${id}`.pipe(Effect.map((rows) => rows[0]))

/** Locks a stream until the transaction ends, and reads it. */
export const lock = (sql: Sql, organizationId: Id<"org">, id: Id<"evs">) =>
  Effect.andThen(
    sql`SELECT 1 AS one FROM event_streams WHERE organization_id = ${organizationId} AND id = ${id} FOR UPDATE`,
    find(sql, organizationId, id)
  )

/** Counts the streams, and keeps others from being created until the transaction ends. */
export const count = (sql: Sql, organizationId: Id<"org">) =>
  Effect.andThen(
    sql`SELECT 1 AS one FROM organizations WHERE id = ${organizationId} FOR UPDATE`,
    sql<{
      count: number
    }>`SELECT count(*)::int AS count FROM event_streams WHERE organization_id = ${organizationId}`
  ).pipe(Effect.map((rows) => rows[0]?.count ?? 0))

export interface NewStream {
  readonly id: Id<"evs">
  readonly name: string
  readonly destination: EventStreamDestination
  readonly types: ReadonlyArray<string>
  readonly position: number
  readonly createdBy: Id<"om"> | null
}

/** The checkpoints up to the position sign nothing that the stream sends. */
export const insert = (sql: Sql, organizationId: Id<"org">, stream: NewStream) =>
  sql`INSERT INTO event_streams (organization_id, id, name, destination_json, types_json, state, position,
      checkpoint_position, attempts, next_attempt_at, created_by_membership_id, version, created_at, updated_at)
    VALUES (${organizationId}, ${stream.id}, ${stream.name}, ${sql.json(stream.destination)},
      ${sql.json(stream.types)}, 'active', ${stream.position}, ${stream.position}, 0, now(), ${stream.createdBy}, 1, now(),
      now())`

export interface Changes {
  readonly name: string
  readonly destination: EventStreamDestination
  readonly types: ReadonlyArray<string>
}

/** A failing stream tries again at once. */
export const update = (sql: Sql, organizationId: Id<"org">, id: Id<"evs">, changes: Changes) =>
  sql`UPDATE event_streams SET name = ${changes.name}, destination_json = ${sql.json(changes.destination)},
      types_json = ${sql.json(changes.types)}, attempts = 0, next_attempt_at = now(), version = version + 1,
      updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`

/** Replaces the secret; null removes it. */
export const putSecret = (sql: Sql, organizationId: Id<"org">, id: Id<"evs">, secret: Sealed | null) =>
  sql`UPDATE event_streams SET key_id = ${secret?.keyId ?? null}, nonce = ${secret?.nonce ?? null}::bytea,
      ciphertext = ${secret?.ciphertext ?? null}::bytea
    WHERE organization_id = ${organizationId} AND id = ${id}`

export const remove = (sql: Sql, organizationId: Id<"org">, id: Id<"evs">) =>
  sql`DELETE FROM event_streams WHERE organization_id = ${organizationId} AND id = ${id}`

export const setState = (sql: Sql, organizationId: Id<"org">, id: Id<"evs">, state: EventStream["state"]) =>
  sql`UPDATE event_streams SET state = ${state}, attempts = 0, next_attempt_at = now(), version = version + 1,
      updated_at = now()
    WHERE organization_id = ${organizationId} AND id = ${id}`
