/** Ranking quality on the labeled set: our ranking on both engines, and two simple ones. */
import { PgClient } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import { fillSet, fullText, judge, like, ndcg, ours, type Quality } from "../test/fixtures/memory-quality.ts"
import { memories, questions } from "../test/fixtures/memory-set.ts"
import { engines } from "../test/postgres/engines.ts"
import { say } from "./harness.ts"

const row = (cells: ReadonlyArray<string | number>) => `| ${cells.join(" | ")} |`
const figure = (value: number) => value.toFixed(3)

const report = (quality: Quality) => {
  for (const { id, score } of quality.noise) say(`expected nothing, found ${id} ${score.toFixed(3)}`)
  for (const [question, ranking] of quality.rankings) {
    const gained = ndcg(question, ranking)
    if (gained > 0.999) continue
    const first = ranking.slice(0, 4).map(({ id, score }) => `${id} ${score.toFixed(3)}`)
    say(`${gained.toFixed(2)} ${question.q} (${Object.keys(question.relevant).join(", ")}): ${first.join(", ")}`)
  }
}

export interface MemoryQualityOptions {
  /** Number of queries from the set to run. */
  readonly queries: number
  /** Prints the queries with a suboptimal order to standard error. */
  readonly misses: boolean
}

export const memoryQuality = async ({ misses, queries }: MemoryQualityOptions): Promise<string> => {
  // Samples the whole set evenly, because it is ordered by kind.
  const every = Math.max(1, Math.floor(questions.length / queries))
  const chosen = questions.filter((_, index) => index % every === 0).slice(0, queries)
  const results: Array<readonly [name: string, Quality]> = []
  for (const { name, open } of engines) {
    const engine = await open()
    try {
      await Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* fillSet(sql)
        const quality = yield* judge(sql, ours, chosen)
        results.push([`orgplane on ${name}`, quality])
        if (name !== "PostgreSQL") return
        if (misses) report(quality)
        results.push(["`ts_rank`, any word", yield* judge(sql, fullText, chosen)])
        results.push(["`ILIKE` of each word", yield* judge(sql, like, chosen)])
      }).pipe(Effect.provide(engine.layer), Effect.runPromise)
    } finally {
      await engine.close()
    }
  }
  const lists = results
    .filter(([name]) => name.startsWith("orgplane"))
    .map(([, { rankings }]) => JSON.stringify(rankings.map(([, ranking]) => ranking)))
  const kinds = [...(results[0]?.[1].byKind.keys() ?? [])]
  return [
    `${memories.length} memories, ${chosen.length} questions.`,
    "",
    row(["", ...results.flatMap(([name]) => [`${name}: nDCG@10`, "recall@10"])]),
    row(["---", ...results.flatMap(() => ["---:", "---:"])]),
    row(["**all**", ...results.flatMap(([, quality]) => [figure(quality.ndcg), figure(quality.recall)])]),
    ...kinds.map((kind) =>
      row([
        kind,
        ...results.flatMap(([, { byKind }]) => {
          const of = byKind.get(kind)
          return [figure(of?.ndcg ?? Number.NaN), figure(of?.recall ?? Number.NaN)]
        })
      ])
    ),
    row(["results for questions without a relevant memory", ...results.flatMap(([, { noise }]) => [noise.length, ""])]),
    "",
    new Set(lists).size === 1
      ? "Both engines return the same rankings and scores."
      : "**The engines rank differently.**"
  ].join("\n")
}
