import type { Memory, MemoryContext, WholeMemory } from "@orgplane/schema/memory"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"

export interface Row {
  readonly id: Id<"mem">
  readonly organization_id: Id<"org">
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly source: string
  readonly created_at: Date
  readonly updated_at: Date
}

export interface WholeRow extends Row {
  readonly contexts_json: ReadonlyArray<MemoryContext>
}

export const columns = (sql: Sql, name = "m") =>
  sql.literal(
    ["id", "organization_id", "content", "tags", "source", "created_at", "updated_at"]
      .map((column) => `${name}.${column}`)
      .join(", ")
  )

export const toWire = (row: Row): Memory => ({
  id: row.id,
  organizationId: row.organization_id,
  content: row.content,
  tags: row.tags,
  source: row.source,
  scope: "user",
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const toWhole = (row: WholeRow): WholeMemory => ({
  ...toWire(row),
  contexts: row.contexts_json.map(({ conversation_id, message_id, origin, snippet }) => ({
    snippet,
    conversation_id: conversation_id ?? null,
    message_id: message_id ?? null,
    origin: origin ?? null
  }))
})

/** Memories read at a time with their contexts, which can have 64,000 characters each. */
export const wholeRowsMax = 20

/** All memories of a user, including those in organizations they have left. */
export const listEverywhere = (sql: Sql, userId: Id<"usr">, after: string | null, limit: number) =>
  sql<WholeRow>`SELECT ${columns(sql)}, m.contexts_json FROM memories m
    WHERE m.user_id = ${userId} AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`

/** Deletes all memories of a user, in every organization. */
export const removeAll = (sql: Sql, userId: Id<"usr">) =>
  Effect.andThen(
    sql`DELETE FROM memory_words w USING (SELECT DISTINCT m.organization_id FROM memories m WHERE m.user_id = ${userId}) o
      WHERE w.organization_id = o.organization_id AND w.user_id = ${userId}`,
    sql`DELETE FROM memories WHERE user_id = ${userId}`
  )

/**
 * Marks the memories of former members: they are deleted later, unless the member returns. Until then they are not in
 * the word index.
 */
export const leave = (sql: Sql, organizationId: Id<"org">, userIds: ReadonlyArray<Id<"usr">>) => {
  const users = sql`SELECT jsonb_array_elements_text(${sql.json(userIds)})`
  return Effect.andThen(
    sql`UPDATE memories SET left_at = now(), is_indexed = false
      WHERE organization_id = ${organizationId} AND user_id IN (${users})`,
    sql`DELETE FROM memory_words WHERE organization_id = ${organizationId} AND user_id IN (${users})`
  )
}
