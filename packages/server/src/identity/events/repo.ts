/** Reads the sealed audit events that a reader can see. */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { columns, dateOrNull, type SealedRow } from "../audit/repo.ts"

export interface Selection {
  readonly organizationId: Id<"org">
  /** Stored names. */
  readonly types: ReadonlyArray<string>
  /** Stored names of types that are visible only to the person who acted. */
  readonly personalTypes: ReadonlyArray<string>
  /** The membership of the reader; null for an API key. */
  readonly self: Id<"om"> | null
  readonly actorId: string | null
  readonly objectId: string | null
  readonly since?: number
  readonly until?: number
}

const matches = (sql: Sql, { actorId, objectId, personalTypes, self, since, types, until }: Selection) =>
  sql`(action IN (SELECT jsonb_array_elements_text(${sql.json(types)}))
      OR (actor_id = ${self}::text AND action IN (SELECT jsonb_array_elements_text(${sql.json(personalTypes)}))))
    AND (${actorId}::text IS NULL OR actor_id = ${actorId}) AND (${objectId}::text IS NULL OR target_id = ${objectId})
    AND (${dateOrNull(since)}::timestamptz IS NULL OR created_at >= ${dateOrNull(since)})
    AND (${dateOrNull(until)}::timestamptz IS NULL OR created_at < ${dateOrNull(until)})`

/** Events with a sequence number above `after` and at most `last`, oldest first. */
export const listAfter = (sql: Sql, selection: Selection, after: number, last: number, limit: number) =>
  sql<SealedRow>`SELECT ${columns(sql)} FROM audit_events
    WHERE organization_id = ${selection.organizationId} AND sequence > ${after}::bigint AND sequence <= ${last}::bigint
      AND ${matches(sql, selection)}
    ORDER BY sequence LIMIT ${limit}`

/** Events with a sequence number below `before` and at least `first`, newest first. */
export const listBefore = (sql: Sql, selection: Selection, before: number, first: number, limit: number) =>
  sql<SealedRow>`SELECT ${columns(sql)} FROM audit_events
    WHERE organization_id = ${selection.organizationId} AND sequence < ${before}::bigint AND sequence >= ${first}::bigint
      AND ${matches(sql, selection)}
    ORDER BY sequence DESC LIMIT ${limit}`

/** An event that is sealed; undefined if there is none, or if the reader cannot see it. */
export const find = (sql: Sql, selection: Selection, id: Id<"aud">) =>
  sql<SealedRow>`SELECT ${columns(sql)} FROM audit_events
    WHERE organization_id = ${selection.organizationId} AND id = ${id} AND sequence IS NOT NULL
      AND ${matches(sql, selection)}`.pipe(Effect.map((rows) => rows[0]))

/** The last sequence number of each organization. */
export const heads = (sql: Sql, organizationIds: ReadonlyArray<Id<"org">>) =>
  sql<{ organization_id: Id<"org">; sequence: number }>`SELECT organization_id, sequence FROM audit_chains
    WHERE organization_id IN (SELECT jsonb_array_elements_text(${sql.json(organizationIds)}))`
