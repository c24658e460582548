import type { MemoryContext } from "@orgplane/schema/memory"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { columns, type Row, type WholeRow } from "../../identity/users/memories-repo.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { texts } from "../../infra/sql/texts.ts"
import { wake } from "../../infra/sql/wakes.ts"

/** A selection of one user's memories in these organizations. */
export interface Bank {
  readonly userId: Id<"usr">
  readonly organizationIds: ReadonlyArray<Id<"org">>
  /** The folded form in which tags are compared. */
  readonly tagKey: string | null
}

export const inBank = (sql: Sql, { tagKey, userId }: Bank) =>
  // Without a tag, the statement does not name the column, so that it can read an index only.
  tagKey === null ? sql`m.user_id = ${userId}` : sql`m.user_id = ${userId} AND m.tag_keys @> ARRAY[${tagKey}]::text[]`

export const list = (sql: Sql, bank: Bank, after: string | null, limit: number) =>
  sql<Row>`SELECT ${columns(sql)} FROM memories m
    WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND ${inBank(sql, bank)}
      AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`

/** The memories with their contexts. */
export const listWithContexts = (sql: Sql, bank: Bank, after: string | null, limit: number) =>
  sql<WholeRow>`SELECT ${columns(sql)}, m.contexts_json FROM memories m
    WHERE m.organization_id IN ${sql.in(bank.organizationIds)} AND ${inBank(sql, bank)}
      AND (${after}::text IS NULL OR m.id < ${after})
    ORDER BY m.id DESC LIMIT ${limit}`

export const find = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">, id: string) =>
  sql<WholeRow>`SELECT ${columns(sql)}, m.contexts_json FROM memories m
    WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId} AND m.id = ${id}`.pipe(
    Effect.map((rows) => rows[0])
  )

/** The user's usage, and the number of words that are not in the word index; call it with the lock. */
export const measure = (sql: Sql, organizationId: Id<"org">, userId: Id<"usr">) =>
  sql<{ memories: number; words: number; unindexed: number }>`SELECT count(*)::int AS memories,
      coalesce(sum(m.word_count), 0)::int AS words,
      coalesce(sum(m.word_count) FILTER (WHERE NOT m.is_indexed), 0)::int AS unindexed
    FROM memories m WHERE m.organization_id = ${organizationId} AND m.user_id = ${userId}`.pipe(
    Effect.map((rows) => rows[0] ?? { memories: 0, words: 0, unindexed: 0 })
  )

/** The search index of a memory: distinct words, with the stem and weight of each at the same position. */
export interface Index {
  readonly words: ReadonlyArray<string>
  readonly stems: ReadonlyArray<string>
  readonly weights: ReadonlyArray<number>
}

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
    RETURNING created_at`.pipe(
    Effect.map((rows) => rows[0]?.created_at),
    Effect.tap(() => wake(sql, "memories"))
  )
