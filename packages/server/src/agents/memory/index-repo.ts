/**
 * The word index of a member's memories. A member's newest words are not in it, so that few memories need none, and so
 * that a word that is in most memories is not rewritten with each new one.
 */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

/**
 * Words that a search reads from the memories themselves. Saving a memory indexes the oldest ones beyond `kept`, if
 * there are more than `max`. At most `step` words are indexed at once, which takes about 100 ms.
 */
const unindexedWords = { kept: 3000, max: 4000, step: 8000 }

/**
 * An entry: the memory's number, its number of words as 12 bits, and the weight of the word in it as 10 bits, so that a
 * search reads nothing else of a memory.
 */
export const entryOf = (sql: Sql, memory: string, weight: string) =>
  sql.literal(`((${memory}.number << 22) | (least(${memory}.word_count, 4095) << 10) | ${weight})`)
export const numberOf = (sql: Sql, entry: string) => sql.literal(`(${entry} >> 22)`)

/** Serializes saving and deleting per member until the transaction ends. */
export const lock = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${`memory/${organizationId}/${userId}`}, 11))`

/** Adds the oldest memories to the index; call it with the lock. Returns the number of indexed memories. */
export const indexOldest = (
  sql: Sql,
  organizationId: Id<"org">,
  userId: Id<"usr">,
  kept: number = unindexedWords.kept
) =>
  sql<{ memories: number }>`WITH due AS MATERIALIZED (
      SELECT s.id FROM (
        SELECT m.id, m.word_count,
          sum(m.word_count) OVER (ORDER BY m.id DESC) AS newer, sum(m.word_count) OVER (ORDER BY m.id) AS older
        FROM memories m
        WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId} AND NOT m.is_indexed) s
      WHERE s.newer > ${kept}::int AND s.older <= ${unindexedWords.step}::int),
    indexed AS (
      UPDATE memories m SET is_indexed = true, left_at = NULL
      WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId} AND m.ctid = ANY(ARRAY(SELECT o.place
        FROM due d CROSS JOIN LATERAL (SELECT t.ctid AS place FROM memories t
          WHERE t.organization_id = ${organizationId} AND t.user_id = ${userId} AND t.id = d.id OFFSET 0) o))
      RETURNING m.number, m.word_count, m.words, m.stems, m.weights),
    added AS (
      INSERT INTO memory_words AS w (organization_id, user_id, word, stem, entries)
      SELECT ${organizationId}, ${userId}, i.word, min(i.stem),
        array_agg(${entryOf(sql, "i", "i.weight")} ORDER BY i.number)
      FROM (SELECT number, word_count, unnest(words) AS word, unnest(stems) AS stem, unnest(weights) AS weight FROM indexed) i
      GROUP BY i.word
      ON CONFLICT (organization_id, user_id, word) DO UPDATE SET entries = w.entries || excluded.entries)
    SELECT count(*)::int AS memories FROM indexed`.pipe(Effect.map((rows) => rows[0]?.memories ?? 0))

/** Whether a member with this many words outside the index needs `indexOldest`. */
export const isIndexDue = (words: number) => words > unindexedWords.max

/** Deletes a memory, also from the index, and returns the length of its content; call it with the lock. */
export const remove = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">, id: string) =>
  sql<{ length: number }>`WITH removed AS (
      DELETE FROM memories WHERE organization_id = ${organizationId} AND user_id = ${userId} AND id = ${id}
      RETURNING content, is_indexed, number, word_count, words, weights),
    gone AS MATERIALIZED (
      SELECT g.word, ${entryOf(sql, "g", "g.weight")} AS entry
      FROM (SELECT number, word_count, unnest(words) AS word, unnest(weights) AS weight FROM removed WHERE is_indexed) g),
    unused AS (
      DELETE FROM memory_words w USING gone g
      WHERE w.organization_id = ${organizationId} AND w.user_id = ${userId} AND w.word = g.word
        AND w.entries = ARRAY[g.entry]),
    reduced AS (
      UPDATE memory_words w SET entries = array_remove(w.entries, g.entry) FROM gone g
      WHERE w.organization_id = ${organizationId} AND w.user_id = ${userId} AND w.word = g.word
        AND w.entries <> ARRAY[g.entry])
    SELECT char_length(content) AS length FROM removed`.pipe(Effect.map((rows) => rows[0]))

/** Deletes all memories of a member, also from the index, and returns their number; call it with the lock. */
export const removeAll = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">) =>
  Effect.andThen(
    sql`DELETE FROM memory_words WHERE organization_id = ${organizationId} AND user_id = ${userId}`,
    sql<{ one: number }>`DELETE FROM memories WHERE organization_id = ${organizationId} AND user_id = ${userId}
      RETURNING 1 AS one`
  ).pipe(Effect.map((rows) => rows.length))
