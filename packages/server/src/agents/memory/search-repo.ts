import type { Sql } from "../../infra/sql/client.ts"
import type { QueryWord } from "./question.ts"
import { columns, type Row } from "../../identity/users/memories-repo.ts"
import { type Bank, inBank } from "./repo.ts"

export interface ScoredRow extends Row {
  readonly score: number
}

/** The similarity of a memory's word to a query word, in thousandths. */
const similarity = { same: 1000, stem: 870, single: 900, typo: 620 }
/** The number of query words without a match, longest first, that are searched with typos. */
const typosMax = 6

/**
 * The memories that match a query, best first. All numbers are integers or exact decimals, so that results are ranked
 * identically on every database engine:
 *
 * - the weight of a query word is its inverse document frequency: the fewer memories contain it, the higher its weight;
 * - each query word adds its weight × the similarity of the memory's best matching word × the weight of that word's
 *   field;
 * - the score is the sum as a share of the maximum, reduced by up to a quarter for long memories.
 *
 * Approximate matches are searched only among the user's own words, so the cost does not grow with other users' rows.
 */
export const search = (sql: Sql, bank: Bank, words: ReadonlyArray<QueryWord>, limit: number) =>
  sql<ScoredRow>`WITH query_words AS MATERIALIZED (
      SELECT a.n, a.word, a.stem, a.weight, a.is_stop, a.is_prefix, a.is_infix, a.typo, char_length(a.word) AS length
      FROM jsonb_to_recordset(${sql.json(words)}) AS a (
        n integer, word text, stem text, weight integer, is_stop boolean, is_prefix boolean, is_infix boolean,
        typo text)),
    own AS MATERIALIZED (
      SELECT m.words, m.stems FROM memories m
      WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND ${inBank(sql, bank)}),
    own_words AS MATERIALIZED (
      SELECT w.word, w.stem, char_length(w.word) AS length
      FROM (SELECT DISTINCT unnest(own.words) AS word, unnest(own.stems) AS stem FROM own) w),
    same AS MATERIALIZED (
      SELECT a.n, k.word,
        CASE WHEN k.word = a.word THEN ${similarity.same}::int ELSE ${similarity.stem}::int END AS similarity
      FROM query_words a JOIN own_words k ON k.stem = a.stem),
    typos AS MATERIALIZED (
      SELECT a.n, a.typo, a.length FROM query_words a
      WHERE a.typo IS NOT NULL AND NOT EXISTS (SELECT 1 FROM same s WHERE s.n = a.n)
      ORDER BY a.length DESC, a.n LIMIT ${typosMax}),
    pairs AS (
      SELECT s.n, s.word, s.similarity FROM same s
      UNION ALL SELECT a.n, k.word, CASE WHEN a.length = 1 THEN ${similarity.single}::int
          WHEN a.is_prefix AND starts_with(k.word, a.word) THEN 500 + 350 * a.length / k.length
          ELSE 400 + 300 * a.length / k.length END
      FROM query_words a JOIN own_words k ON k.length > a.length
        AND (a.is_prefix AND starts_with(k.word, a.word) OR a.is_infix AND position(a.word IN k.word) > 0)
      UNION ALL SELECT a.n, k.word, 350 + 300 * k.length / a.length
      FROM query_words a JOIN own_words k
        ON a.is_infix AND k.length BETWEEN 5 AND a.length - 1 AND position(k.word IN a.word) > 0
      UNION ALL SELECT s.n, k.word, ${similarity.typo}::int
      FROM typos s JOIN own_words k
        -- The length check comes first, because matching a pattern is expensive.
        ON CASE WHEN k.length BETWEEN s.length - 2 AND s.length + 2 THEN k.word ~ s.typo END),
    best AS MATERIALIZED (SELECT p.n, p.word, max(p.similarity) AS similarity FROM pairs p GROUP BY p.n, p.word),
    hits AS MATERIALIZED (
      SELECT w.id, w.created_at, w.word_count, b.n, max(b.similarity * w.weight) AS earned
      FROM (SELECT m.id, m.created_at, m.word_count, unnest(m.words) AS word, unnest(m.weights) AS weight FROM memories m
        WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND ${inBank(sql, bank)}) w
      JOIN best b ON b.word = w.word
      GROUP BY w.id, w.created_at, w.word_count, b.n),
    occurrences AS MATERIALIZED (SELECT h.n, count(*)::numeric AS memories FROM hits h GROUP BY h.n),
    worth AS MATERIALIZED (
      SELECT a.n, a.is_stop,
        a.weight * round(1000 * ln(1 + (SELECT count(*) FROM own)::numeric
          / greatest(coalesce(h.memories, 0), 0.5))) AS worth
      FROM query_words a LEFT JOIN occurrences h ON h.n = a.n),
    ranked AS (
      SELECT h.id, sum(h.earned * v.worth) * (1000 - 250 * h.word_count / (h.word_count + 60))
          / ((SELECT sum(worth) FROM worth) * 1000000000) AS score
      FROM hits h JOIN worth v ON v.n = h.n
      GROUP BY h.id, h.created_at, h.word_count
      HAVING bool_or(NOT v.is_stop) OR (SELECT bool_and(is_stop) FROM worth)
      ORDER BY score DESC, h.created_at DESC, h.id COLLATE "C" DESC
      LIMIT ${limit})
    SELECT ${columns(sql, "f")}, round(r.score, 6)::float8 AS score
    FROM ranked r JOIN memories f ON f.id = r.id
    WHERE f.user_id = ${bank.userId} AND f.organization_id IN ${sql.in(bank.organizationIds)}
    ORDER BY r.score DESC, f.created_at DESC, f.id COLLATE "C" DESC`
