import type { Sql } from "../../infra/sql/client.ts"
import type { Asked } from "./question.ts"
import { columns, type Row } from "../../identity/users/memories-repo.ts"
import { type Bank, inBank } from "./repo.ts"

export interface FoundRow extends Row {
  readonly score: number
}

/** What a word of a memory is to a word that was asked, in thousandths. */
const near = { same: 1000, stem: 870, single: 900, slip: 620 }
/** Words of a question that nothing has, and that are looked for with slips: the longest so many. */
const slipsMax = 6

/**
 * The memories that answer a question, best first. All numbers are whole or exact, so that every engine ranks alike:
 *
 * - a word of the question is worth more the fewer memories have it (the logarithm of one in how many);
 * - a memory gets of that as much as its best word is near to it, times the weight of the place where it stands;
 * - what is got of all that could be got is the score, a tenth less for the longest memories.
 *
 * Words that are only near are looked for among the person's own words, so nothing here grows with other people's rows.
 */
export const search = (sql: Sql, bank: Bank, asked: ReadonlyArray<Asked>, limit: number) =>
  sql<FoundRow>`WITH asked AS MATERIALIZED (
      SELECT a.n, a.word, a.stem, a.weight, a.is_stop, a.leads, a.hides, a.slip, char_length(a.word) AS length
      FROM jsonb_to_recordset(${sql.json(asked)}) AS a (
        n integer, word text, stem text, weight integer, is_stop boolean, leads boolean, hides boolean, slip text)),
    own AS MATERIALIZED (
      SELECT m.words, m.stems FROM memories m
      WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND ${inBank(sql, bank)}),
    known AS MATERIALIZED (
      SELECT w.word, w.stem, char_length(w.word) AS length
      FROM (SELECT DISTINCT unnest(own.words) AS word, unnest(own.stems) AS stem FROM own) w),
    same AS MATERIALIZED (
      SELECT a.n, k.word, CASE WHEN k.word = a.word THEN ${near.same}::int ELSE ${near.stem}::int END AS near
      FROM asked a JOIN known k ON k.stem = a.stem),
    slips AS MATERIALIZED (
      SELECT a.n, a.slip, a.length FROM asked a
      WHERE a.slip IS NOT NULL AND NOT EXISTS (SELECT 1 FROM same s WHERE s.n = a.n)
      ORDER BY a.length DESC, a.n LIMIT ${slipsMax}),
    pairs AS (
      SELECT s.n, s.word, s.near FROM same s
      UNION ALL SELECT a.n, k.word, CASE WHEN a.length = 1 THEN ${near.single}::int
          WHEN a.leads AND starts_with(k.word, a.word) THEN 500 + 350 * a.length / k.length
          ELSE 400 + 300 * a.length / k.length END
      FROM asked a JOIN known k ON k.length > a.length
        AND (a.leads AND starts_with(k.word, a.word) OR a.hides AND position(a.word IN k.word) > 0)
      UNION ALL SELECT a.n, k.word, 350 + 300 * k.length / a.length
      FROM asked a JOIN known k ON a.hides AND k.length BETWEEN 5 AND a.length - 1 AND position(k.word IN a.word) > 0
      UNION ALL SELECT s.n, k.word, ${near.slip}::int
      FROM slips s JOIN known k
        -- In this order: patterns are dear.
        ON CASE WHEN k.length BETWEEN s.length - 2 AND s.length + 2 THEN k.word ~ s.slip END),
    best AS MATERIALIZED (SELECT p.n, p.word, max(p.near) AS near FROM pairs p GROUP BY p.n, p.word),
    hits AS MATERIALIZED (
      SELECT w.id, w.created_at, w.word_count, b.n, max(b.near * w.weight) AS got
      FROM (SELECT m.id, m.created_at, m.word_count, unnest(m.words) AS word, unnest(m.weights) AS weight FROM memories m
        WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND ${inBank(sql, bank)}) w
      JOIN best b ON b.word = w.word
      GROUP BY w.id, w.created_at, w.word_count, b.n),
    held AS MATERIALIZED (SELECT h.n, count(*)::numeric AS memories FROM hits h GROUP BY h.n),
    worth AS MATERIALIZED (
      SELECT a.n, a.is_stop,
        a.weight * round(1000 * ln(1 + (SELECT count(*) FROM own)::numeric
          / greatest(coalesce(h.memories, 0), 0.5))) AS worth
      FROM asked a LEFT JOIN held h ON h.n = a.n),
    ranked AS (
      SELECT h.id, sum(h.got * v.worth) * (1000 - 250 * h.word_count / (h.word_count + 60))
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
