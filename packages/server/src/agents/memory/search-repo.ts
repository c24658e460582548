import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"
import { columns, type Row } from "../../identity/users/memories-repo.ts"
import { entryOf, numberOf } from "./index-repo.ts"
import type { QueryWord } from "./question.ts"
import type { Bank } from "./repo.ts"

/** The entries of all words that match a query word with the same similarity, and the number of memories. */
export interface EntriesRow {
  readonly n: number
  readonly similarity: number
  readonly memories: number
  readonly entries: Uint8Array
}

/** The similarity of a memory's word to a query word, in thousandths. */
const similarity = { same: 1000, stem: 870, single: 900, typo: 620 }
/** The number of query words without a match, longest first, that are searched with typos. */
const typosMax = 6

/**
 * The entries of all words that match the query. Query words are compared with the member's distinct words, from the
 * word index and from memories that are not in it.
 *
 * `OFFSET 0` makes the database read rows by their key, regardless of estimates. The user is a subquery, because plans for
 * single users look cheaper than the prepared one, and planning takes longer than a search of few memories.
 */
export const listEntries = (sql: Sql, bank: Bank, words: ReadonlyArray<QueryWord>) => {
  const userId = sql`(SELECT ${bank.userId}::text)`
  // The index contains the words of memories without the tag, too.
  const hasTag = bank.tagKey !== null
  const entries = hasTag
    ? sql`ARRAY(SELECT t.entry FROM unnest(i.entries) AS t (entry)
        WHERE ${numberOf(sql, "t.entry")} IN (SELECT o.number FROM own o))`
    : sql`i.entries`
  return sql<EntriesRow>`WITH query_words AS MATERIALIZED (
      SELECT a.n, a.word, a.stem, a.is_prefix, a.is_infix, a.typo, a.typo_edits, char_length(a.word) AS length
      FROM jsonb_to_recordset(${sql.json(words)}) AS a (
        n integer, word text, stem text, is_prefix boolean, is_infix boolean, typo text, typo_edits integer)),
    own AS MATERIALIZED (
      SELECT m.id, m.is_indexed${hasTag ? sql`, m.number` : sql``} FROM memories m
      WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND m.user_id = ${userId}${
        hasTag ? sql` AND m.tag_keys @> ARRAY[${bank.tagKey}]::text[]` : sql``
      }),
    unindexed AS MATERIALIZED (
      SELECT u.number, u.word_count, unnest(u.words) AS word, unnest(u.stems) AS stem, unnest(u.weights) AS weight
      FROM own o CROSS JOIN LATERAL (SELECT m.number, m.word_count, m.words, m.stems, m.weights FROM memories m
        WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND m.user_id = ${userId} AND m.id = o.id
        OFFSET 0) u
      WHERE NOT o.is_indexed),
    own_words AS MATERIALIZED (
      SELECT w.word, w.stem, char_length(w.word) AS length
      FROM (SELECT u.word, u.stem FROM unindexed u
        UNION SELECT i.word, i.stem FROM memory_words i
          WHERE i.organization_id IN ${sql.in(bank.organizationIds)} AND i.user_id = ${userId}) w),
    same AS MATERIALIZED (
      SELECT a.n, k.word,
        CASE WHEN k.word = a.word THEN ${similarity.same}::int ELSE ${similarity.stem}::int END AS similarity
      FROM query_words a JOIN own_words k ON k.stem = a.stem${
        hasTag
          ? sql`
      WHERE k.word IN (SELECT u.word FROM unindexed u) OR k.word IN (
        SELECT i.word FROM memory_words i JOIN query_words q ON q.stem = i.stem
        WHERE i.organization_id IN ${sql.in(bank.organizationIds)} AND i.user_id = ${userId} AND ${entries} <> '{}')`
          : sql``
      }),
    typos AS MATERIALIZED (
      SELECT a.n, a.word, a.typo, a.typo_edits, a.length FROM query_words a
      WHERE a.typo IS NOT NULL AND NOT EXISTS (SELECT 1 FROM same s WHERE s.n = a.n)
      ORDER BY a.length DESC, a.n LIMIT ${typosMax}),
    pairs AS (
      SELECT s.n, s.word, s.similarity FROM same s
      UNION ALL SELECT a.n, k.word, CASE WHEN a.length = 1 THEN ${similarity.single}::int
          WHEN k.length < a.length THEN 350 + 300 * k.length / a.length
          WHEN a.is_prefix AND starts_with(k.word, a.word) THEN 500 + 350 * a.length / k.length
          ELSE 400 + 300 * a.length / k.length END
      FROM query_words a CROSS JOIN LATERAL (SELECT k.word, k.length FROM own_words k
        WHERE CASE WHEN k.length > a.length
            THEN a.is_prefix AND starts_with(k.word, a.word) OR a.is_infix AND position(a.word IN k.word) > 0
          WHEN k.length >= 5 AND k.length < a.length THEN a.is_infix AND position(k.word IN a.word) > 0 END
        OFFSET 0) k
      WHERE a.is_prefix OR a.is_infix
      UNION ALL SELECT s.n, k.word, ${similarity.typo}::int
      FROM typos s CROSS JOIN LATERAL (SELECT k.word FROM own_words k
        -- The cheap conditions come first, because matching a pattern is expensive.
        WHERE CASE WHEN k.length BETWEEN s.length - s.typo_edits AND s.length + s.typo_edits
          THEN CASE WHEN char_length(translate(k.word, s.word, '')) <= s.typo_edits THEN k.word ~ s.typo END END
        OFFSET 0) k),
    best AS MATERIALIZED (SELECT p.n, p.word, max(p.similarity) AS similarity FROM pairs p GROUP BY p.n, p.word)
    SELECT e.n, e.similarity, (SELECT count(*)::int FROM own) AS memories, string_agg(e.entries, '') AS entries
    FROM (SELECT b.n, b.similarity, array_send(ARRAY[${entryOf(sql, "u", "u.weight")}]) AS entries
      FROM unindexed u JOIN best b ON b.word = u.word
      UNION ALL SELECT b.n, b.similarity, array_send(${entries}) FROM best b
      CROSS JOIN LATERAL (SELECT w.entries FROM memory_words w
        WHERE w.organization_id IN ${sql.in(bank.organizationIds)} AND w.user_id = ${userId} AND w.word = b.word
        OFFSET 0) i) e
    GROUP BY e.n, e.similarity`
}

/** A memory of a ranking; memories with equal scores have the same place. */
export interface Place {
  readonly number: number
  readonly place: number
}

/** The memories of a ranking, best first; newest first where scores are equal. */
export const listRanked = (sql: Sql, bank: Bank, places: ReadonlyArray<Place>, limit: number) =>
  sql<Row & Place>`SELECT ${columns(sql, "f")}, f.number::float8 AS number, r.place
    FROM unnest(${texts(places.map(({ number }) => String(number)))}::text[]::bigint[],
      ${texts(places.map(({ place }) => String(place)))}::text[]::integer[]) AS r (number, place)
    CROSS JOIN LATERAL (SELECT ${columns(sql)}, m.number FROM memories m
      WHERE m.number = r.number AND m.user_id = ${bank.userId} AND m.organization_id IN ${sql.in(bank.organizationIds)}
      OFFSET 0) f
    ORDER BY r.place, f.created_at DESC, f.id COLLATE "C" DESC LIMIT ${limit}`
