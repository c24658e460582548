/** The word index: a search returns the same as without it, whatever was saved and deleted. */
import { PgClient } from "@effect/sql-pg"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { engines } from "../../../../../test/postgres/engines.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { migrate } from "../../infra/sql/migrate.ts"
import { migrations } from "../../infra/sql/migrations/index.ts"
import { runToEnd } from "../../infra/time-slices.ts"
import * as wordIndex from "./index-repo.ts"
import { queryWordsOf } from "./question.ts"
import * as repo from "./repo.ts"
import { search } from "./search.ts"
import { indexOf } from "./words.ts"

const organizationId: Id<"org"> = "org_01h455vb4pex5vsknk084sn02q"
const userOf = (number: number): Id<"usr"> => `usr_01h455vb4pex5vsknk${String(number).padStart(8, "0")}`
const idOf = (number: number): Id<"mem"> => `mem_01h455vb4pex5vsknk${String(number).padStart(8, "0")}`

const words = ["amber", "ambers", "birch", "brich", "cedar", "cedarwood", "the", "who", "海鲜", "海", "deployment"]
const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((each) => each.join(" "))
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ save: text, tags: fc.subarray(["red", "blue"]) }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.constant("index" as const) }
)

/** The entries of the index, and those that the indexed memories should have. */
const entries = (sql: Sql, userId: Id<"usr">) =>
  Effect.all([
    sql`SELECT w.word, w.stem, e.entry::text AS entry FROM memory_words w CROSS JOIN LATERAL unnest(w.entries) AS e (entry)
      WHERE w.organization_id = ${organizationId} AND w.user_id = ${userId} ORDER BY w.word, e.entry`,
    sql`SELECT i.word, i.stem, (i.number * 4194304 + i.word_count * 1024 + i.weight)::text AS entry
      FROM (SELECT number, word_count, unnest(words) AS word, unnest(stems) AS stem, unnest(weights) AS weight FROM memories
        WHERE organization_id = ${organizationId} AND user_id = ${userId} AND is_indexed) i
      ORDER BY i.word COLLATE "C", i.number`,
    sql`SELECT 1 AS one FROM memory_words WHERE entries = '{}'`
  ])

it.each(engines)(
  "finds the same with and without the index on $name after random saves and deletions",
  async ({ open }) => {
    const engine = await open()
    try {
      await Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* migrate(migrations)
        yield* sql`INSERT INTO organizations (id, name, plan, created_at, updated_at)
        VALUES (${organizationId}, 'A', 'enterprise', now(), now())`
        let people = 0
        const play = Effect.fnUntraced(function* (
          steps: ReadonlyArray<typeof step extends fc.Arbitrary<infer S> ? S : never>,
          q: string
        ) {
          const [indexed, plain] = [userOf((people += 1)), userOf((people += 1))]
          for (const [n, each] of steps.entries()) {
            for (const userId of [indexed, plain]) {
              if (each === "index") {
                if (userId === indexed) yield* wordIndex.indexOldest(sql, organizationId, userId, 0)
              } else if ("remove" in each) yield* wordIndex.remove(sql, organizationId, userId, idOf(each.remove))
              else {
                yield* repo.create(sql, organizationId, userId, {
                  id: idOf(n),
                  content: each.save,
                  tags: each.tags,
                  tagKeys: each.tags,
                  contexts: [],
                  index: runToEnd(indexOf({ content: each.save, tags: each.tags, snippets: [] }))
                })
              }
            }
          }
          // Equal times, so that equal scores are ordered by ID.
          yield* sql`UPDATE memories SET created_at = '2026-01-01' WHERE organization_id = ${organizationId}`
          for (const tagKey of [null, "red"]) {
            const find = (userId: Id<"usr">) =>
              Effect.map(
                search(sql, { userId, organizationIds: [organizationId], tagKey }, queryWordsOf(q), 5),
                (rows) => rows.map(({ id, score }) => [id, score])
              )
            expect(yield* find(indexed)).toEqual(yield* find(plain))
          }
          const [actual, expected, empty] = yield* entries(sql, indexed)
          expect(actual).toEqual(expected)
          expect(empty).toEqual([])
          yield* wordIndex.removeAll(sql, organizationId, indexed)
          expect(yield* sql`SELECT 1 AS one FROM memory_words`).toEqual([])
        })
        const run = yield* Effect.context()
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.array(step, { maxLength: 20 }), text, (steps, q) =>
              Effect.runPromiseWith(run)(play(steps, q))
            ),
            { numRuns: 25 }
          )
        )
      }).pipe(Effect.provide(engine.layer), Effect.runPromise)
    } finally {
      await engine.close()
    }
  },
  240_000
)
