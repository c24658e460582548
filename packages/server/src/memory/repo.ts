import type { Memory, MemoryContext, WholeMemory } from "@orgplane/schema/memory"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../sql/client.ts"
import { texts } from "../sql/texts.ts"
import { iso } from "../sql/timestamps.ts"
import type { Asked } from "./question.ts"
import type { Index } from "./words.ts"

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

export interface FoundRow extends Row {
  readonly score: number
}

const columns = (sql: Sql) =>
  sql.literal("m.id, m.organization_id, m.content, m.tags, m.source, m.created_at, m.updated_at")

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

/** Whose memories: one person's, in these organizations. */
export interface Bank {
  readonly userId: Id<"usr">
  readonly organizationIds: ReadonlyArray<Id<"org">>
  /** As tags are compared. */
  readonly tagKey: string | null
}

const inBank = (sql: Sql, { tagKey, userId }: Bank) =>
  sql`m.user_id = ${userId} AND (${tagKey}::text IS NULL OR m.tag_keys @> ARRAY[${tagKey}]::text[])`

export const list = (sql: Sql, bank: Bank, after: string | null, limit: number) =>
  sql<Row>`SELECT ${columns(sql)} FROM memories m
    WHERE m.organization_id = ANY(${texts(bank.organizationIds)}::text[]) AND ${inBank(sql, bank)}
      AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`

/** Memories read at once with their contexts, which may have 64 000 characters each. */
export const wholeRowsMax = 20

/** With where they come from. */
export const listWhole = (sql: Sql, bank: Bank, after: string | null, limit: number) =>
  sql<WholeRow>`SELECT ${columns(sql)}, m.contexts_json FROM memories m
    WHERE m.organization_id = ANY(${texts(bank.organizationIds)}::text[]) AND ${inBank(sql, bank)}
      AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`

/** Everything that is kept of a person, also where they are no member any more. */
export const listEverywhere = (sql: Sql, userId: Id<"usr">, after: string | null, limit: number) =>
  sql<WholeRow>`SELECT ${columns(sql)}, m.contexts_json FROM memories m
    WHERE m.user_id = ${userId} AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`

export const get = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">, id: string) =>
  sql<WholeRow>`SELECT ${columns(sql)}, m.contexts_json FROM memories m
    WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId} AND m.id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** How much a person has, and nobody saves for them until the transaction ends. */
export const measure = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">) =>
  Effect.gen(function* () {
    yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`memory/${organizationId}/${userId}`}, 11))`
    const [row] = yield* sql<{ memories: number; words: number }>`SELECT count(*)::int AS memories,
        coalesce(sum(word_count), 0)::int AS words
      FROM memories WHERE organization_id = ${organizationId} AND user_id = ${userId}`
    return row ?? { memories: 0, words: 0 }
  })

export interface NewMemory {
  readonly id: Id<"mem">
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly tagKeys: ReadonlyArray<string>
  readonly contexts: ReadonlyArray<MemoryContext>
  readonly index: Index
}

export const create = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">, memory: NewMemory) =>
  sql<{ created_at: Date }>`INSERT INTO memories (organization_id, user_id, id, content, tags, tag_keys, source,
      contexts_json, words, stems, weights, word_count, created_at, updated_at)
    VALUES (${organizationId}, ${userId}, ${memory.id}, ${memory.content}, ${texts(memory.tags)}::text[],
      ${texts(memory.tagKeys)}::text[], 'chat', ${sql.json(memory.contexts)}, ${texts(memory.index.words)}::text[],
      ${texts(memory.index.stems)}::text[], ${texts(memory.index.weights.map(String))}::text[]::integer[],
      ${memory.index.words.length}, now(), now())
    RETURNING created_at`.pipe(Effect.map((rows) => rows[0]?.created_at))

/** The content's length, of one that was there. */
export const remove = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">, id: string) =>
  sql<{ length: number }>`DELETE FROM memories
    WHERE organization_id = ${organizationId} AND user_id = ${userId} AND id = ${id}
    RETURNING char_length(content) AS length`.pipe(Effect.map((rows) => rows[0]))

/** How many there were. */
export const removeAll = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">) =>
  sql<{ one: number }>`DELETE FROM memories WHERE organization_id = ${organizationId} AND user_id = ${userId}
    RETURNING 1 AS one`.pipe(Effect.map((rows) => rows.length))

/** Forgets all that a person had remembered anywhere. */
export const forget = (sql: Sql, userId: Id<"usr">) => sql`DELETE FROM memories WHERE user_id = ${userId}`

/** Marks what a person leaves behind in an organization: it waits a while for one who comes back. */
export const leave = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">) =>
  sql`UPDATE memories SET left_at = now() WHERE organization_id = ${organizationId} AND user_id = ${userId}`

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
      SELECT m.id, m.words, m.stems, m.weights, m.word_count FROM memories m
      WHERE m.organization_id = ANY(${texts(bank.organizationIds)}::text[]) AND ${inBank(sql, bank)}),
    known AS MATERIALIZED (
      SELECT DISTINCT w.word, w.stem, char_length(w.word) AS length
      FROM own CROSS JOIN LATERAL unnest(own.words, own.stems) AS w (word, stem)),
    same AS MATERIALIZED (
      SELECT a.n, k.word, CASE WHEN k.word = a.word THEN ${near.same}::int ELSE ${near.stem}::int END AS near
      FROM asked a JOIN known k ON k.stem = a.stem),
    slips AS MATERIALIZED (
      SELECT a.n, a.slip, a.length FROM asked a
      WHERE a.slip IS NOT NULL AND NOT EXISTS (SELECT 1 FROM same s WHERE s.n = a.n)
      ORDER BY a.length DESC, a.n LIMIT ${slipsMax}),
    pairs AS (
      SELECT s.n, s.word, s.near FROM same s
      UNION ALL SELECT a.n, k.word, 500 + 350 * a.length / k.length
      FROM asked a JOIN known k ON a.leads AND k.length > a.length AND starts_with(k.word, a.word)
      UNION ALL SELECT a.n, k.word, CASE WHEN a.length = 1 THEN ${near.single}::int ELSE 400 + 300 * a.length / k.length END
      FROM asked a JOIN known k ON a.hides AND k.length > a.length AND position(a.word IN k.word) > 0
      UNION ALL SELECT a.n, k.word, 350 + 300 * k.length / a.length
      FROM asked a JOIN known k ON a.hides AND k.length BETWEEN 5 AND a.length - 1 AND position(k.word IN a.word) > 0
      UNION ALL SELECT s.n, k.word, ${near.slip}::int
      FROM slips s JOIN known k ON k.length BETWEEN s.length - 2 AND s.length + 2 AND k.word ~ s.slip),
    best AS MATERIALIZED (SELECT p.n, p.word, max(p.near) AS near FROM pairs p GROUP BY p.n, p.word),
    hits AS MATERIALIZED (
      SELECT own.id, own.word_count, b.n, max(b.near * w.weight) AS got
      FROM own CROSS JOIN LATERAL unnest(own.words, own.weights) AS w (word, weight)
      JOIN best b ON b.word = w.word
      GROUP BY own.id, own.word_count, b.n),
    worth AS MATERIALIZED (
      SELECT a.n, a.is_stop,
        a.weight * round(1000 * ln(1 + (SELECT count(*) FROM own)::numeric
          / greatest((SELECT count(*) FROM hits h WHERE h.n = a.n)::numeric, 0.5))) AS worth
      FROM asked a),
    ranked AS (
      SELECT h.id, sum(h.got * v.worth) * (1000 - 250 * h.word_count / (h.word_count + 60))
          / ((SELECT sum(worth) FROM worth) * 1000000000) AS score
      FROM hits h JOIN worth v ON v.n = h.n
      GROUP BY h.id, h.word_count
      HAVING bool_or(NOT v.is_stop) OR (SELECT bool_and(is_stop) FROM worth))
    SELECT ${columns(sql)}, round(r.score, 6)::float8 AS score
    FROM ranked r JOIN memories m ON m.id = r.id
    WHERE m.organization_id = ANY(${texts(bank.organizationIds)}::text[]) AND ${inBank(sql, bank)}
    ORDER BY r.score DESC, m.created_at DESC, m.id COLLATE "C" DESC
    LIMIT ${limit}`
