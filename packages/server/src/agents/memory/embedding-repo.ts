import type { MemoryContext } from "@orgplane/schema/memory"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "../../infra/sql/client.ts"

export interface DueRow {
  readonly user_id: Id<"usr">
  readonly organization_id: Id<"org">
  readonly id: Id<"mem">
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly contexts_json: ReadonlyArray<MemoryContext>
}

/** The memory is not claimed, or its claim is from a process that stopped, and its owner can still read it. */
const isClaimable = (
  sql: Sql
) => sql`(m.embedding_tried_at IS NULL OR m.embedding_tried_at < now() - interval '5 minutes')
  AND (m.left_at IS NULL OR EXISTS (SELECT 1 FROM memberships p
    WHERE p.organization_id = m.organization_id AND p.user_id = m.user_id AND p.removed_at IS NULL))`

/** The number of rejections after which a text is set aside and retried only once a day, when nothing else is due. */
const triesMax = 3
/** Maximum number of members per claim. */
const membersMax = 128

const claimDue = (sql: Sql, model: string, due: Fragment, limit: number) =>
  sql<DueRow>`WITH RECURSIVE ${due},
    claimed AS MATERIALIZED (
      SELECT m.user_id, m.id FROM memories m JOIN due d ON d.user_id = m.user_id AND d.id = m.id
      -- Checked again: another process may have claimed the row in between.
      WHERE m.embedding_model IS DISTINCT FROM ${model} AND ${isClaimable(sql)}
      LIMIT ${limit} FOR UPDATE OF m SKIP LOCKED)
    UPDATE memories m SET embedding_tried_at = now() FROM claimed c
    WHERE m.user_id = c.user_id AND m.id = c.id
    RETURNING m.user_id, m.organization_id, m.id, m.content, m.tags, m.contexts_json`

/**
 * Claims memories with a vector of the model `storedModel`, or without one, so that no other process takes them:
 * starting with the user after `after`, one memory per user per round, oldest first. Each step reads only the start of
 * an index.
 */
export const claim = (sql: Sql, model: string, storedModel: string | null, after: string, limit: number) => {
  const isDue = sql`${storedModel === null ? sql`m.embedding_model IS NULL` : sql`m.embedding_model = ${storedModel}`}
    AND m.embedding_tries < ${sql.literal(String(triesMax))}`
  return claimDue(
    sql,
    model,
    sql`people (user_id) AS (
      (SELECT m.user_id FROM memories m WHERE ${isDue} AND m.user_id > ${after} ORDER BY m.user_id LIMIT 1)
      UNION ALL
      SELECT (SELECT m.user_id FROM memories m WHERE ${isDue} AND m.user_id > p.user_id ORDER BY m.user_id LIMIT 1)
      FROM people p WHERE p.user_id IS NOT NULL),
    due AS MATERIALIZED (
      SELECT d.user_id, d.id
      FROM (SELECT user_id FROM people WHERE user_id IS NOT NULL LIMIT ${membersMax}) p
      CROSS JOIN LATERAL (
        SELECT o.user_id, o.id, row_number() OVER (ORDER BY o.id) AS place
        FROM (SELECT m.user_id, m.id FROM memories m WHERE ${isDue} AND m.user_id = p.user_id AND ${isClaimable(sql)}
          ORDER BY m.id LIMIT ${limit}) o) d
      ORDER BY d.place, d.user_id LIMIT ${limit})`,
    limit
  )
}

/** Claims a few memories that were set aside at least a day ago. */
export const claimRefused = (sql: Sql, model: string, limit: number) =>
  claimDue(
    sql,
    model,
    sql`due AS MATERIALIZED (
      SELECT m.user_id, m.id FROM memories m
      WHERE m.embedding_tries >= ${sql.literal(String(triesMax))} AND m.embedding_tried_at < now() - interval '1 day'
        AND m.embedding_model IS DISTINCT FROM ${model}
      ORDER BY m.embedding_tried_at LIMIT ${limit})`,
    limit
  )

/**
 * Models of stored vectors other than the current one: at most one that sorts before it, and one that sorts after it.
 */
export const otherModels = (sql: Sql, model: string) =>
  sql<{ model: string | null }>`SELECT min(embedding_model) AS model FROM memories
      WHERE embedding_tries < ${sql.literal(String(triesMax))} AND embedding_model < ${model}
    UNION ALL SELECT min(embedding_model) FROM memories
      WHERE embedding_tries < ${sql.literal(String(triesMax))} AND embedding_model > ${model}`.pipe(
    Effect.map((rows) => rows.flatMap((row) => row.model ?? []))
  )

/** Counts a rejection, so that the text is set aside after a few. */
export const countRejection = (sql: Sql, row: DueRow) =>
  sql`UPDATE memories SET embedding_tries = least(embedding_tries + 1, 100), embedding_tried_at = now()
    WHERE organization_id = ${row.organization_id} AND user_id = ${row.user_id} AND id = ${row.id}`

/** Stores a vector; null for a text that the model does not accept. */
export const put = (sql: Sql, row: DueRow, model: string, embedding: Uint8Array | null) =>
  sql`UPDATE memories SET embedding = ${embedding}::bytea, embedding_model = ${model}, embedding_tried_at = NULL,
      embedding_tries = 0
    WHERE organization_id = ${row.organization_id} AND user_id = ${row.user_id} AND id = ${row.id}
      AND embedding_model IS DISTINCT FROM ${model}`

/** Releases a claim without a result. */
export const release = (sql: Sql, row: DueRow) =>
  sql`UPDATE memories SET embedding_tried_at = NULL
    WHERE organization_id = ${row.organization_id} AND user_id = ${row.user_id} AND id = ${row.id}`
