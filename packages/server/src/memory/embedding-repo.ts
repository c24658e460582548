import type { MemoryContext } from "@orgplane/schema/memory"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Sql } from "../sql/client.ts"

export interface DueRow {
  readonly user_id: Id<"usr">
  readonly organization_id: Id<"org">
  readonly id: Id<"mem">
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly contexts_json: ReadonlyArray<MemoryContext>
}

/** Nobody is at it, or whoever was is gone; and its person may still read it. */
const isFree = (sql: Sql) => sql`(m.embedding_tried_at IS NULL OR m.embedding_tried_at < now() - interval '5 minutes')
  AND (m.left_at IS NULL OR EXISTS (SELECT 1 FROM memberships p
    WHERE p.organization_id = m.organization_id AND p.user_id = m.user_id AND p.removed_at IS NULL))`

/**
 * Takes memories that the model has made no vector of, the oldest of new ones first, so that no other process takes them
 * meanwhile. Each of the three parts reads the beginning of an index, also when there are millions.
 */
export const claim = (sql: Sql, model: string, limit: number) =>
  sql<DueRow>`WITH due AS MATERIALIZED (
      (SELECT m.user_id, m.id FROM memories m WHERE m.embedding_model IS NULL AND ${isFree(sql)}
        ORDER BY m.id LIMIT ${limit})
      UNION ALL (SELECT m.user_id, m.id FROM memories m WHERE m.embedding_model < ${model} AND ${isFree(sql)}
        ORDER BY m.embedding_model, m.id LIMIT ${limit})
      UNION ALL (SELECT m.user_id, m.id FROM memories m WHERE m.embedding_model > ${model} AND ${isFree(sql)}
        ORDER BY m.embedding_model, m.id LIMIT ${limit})),
    claimed AS MATERIALIZED (
      SELECT m.user_id, m.id FROM memories m JOIN due d ON d.user_id = m.user_id AND d.id = m.id
      -- Once more, of a row that another process took in between.
      WHERE m.embedding_model IS DISTINCT FROM ${model} AND ${isFree(sql)}
      LIMIT ${limit} FOR UPDATE OF m SKIP LOCKED)
    UPDATE memories m SET embedding_tried_at = now() FROM claimed c
    WHERE m.user_id = c.user_id AND m.id = c.id
    RETURNING m.user_id, m.organization_id, m.id, m.content, m.tags, m.contexts_json`

/** Keeps what was made; null of a text that the model does not take. */
export const put = (sql: Sql, row: DueRow, model: string, embedding: Uint8Array | null) =>
  sql`UPDATE memories SET embedding = ${embedding}::bytea, embedding_model = ${model}, embedding_tried_at = NULL
    WHERE organization_id = ${row.organization_id} AND user_id = ${row.user_id} AND id = ${row.id}
      AND embedding_model IS DISTINCT FROM ${model}`

/** Gives one back that nothing was made of. */
export const release = (sql: Sql, row: DueRow) =>
  sql`UPDATE memories SET embedding_tried_at = NULL
    WHERE organization_id = ${row.organization_id} AND user_id = ${row.user_id} AND id = ${row.id}`
