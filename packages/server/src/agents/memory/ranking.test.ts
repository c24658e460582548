/** Memory search on the labeled set: its quality, and equal results on both engines. */
import { PgClient } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { fillSet, judge, ours, type Quality } from "../../../../../test/fixtures/memory-quality.ts"
import { memories, questions } from "../../../../../test/fixtures/memory-set.ts"
import { engines } from "../../../../../test/postgres/engines.ts"
import { runToEnd } from "../../infra/time-slices.ts"
import { queryWordsOf } from "./question.ts"
import { fold, indexOf, piecesOf, wordsMax } from "./words.ts"

const qualityOn = async ({ open }: (typeof engines)[number]): Promise<Quality> => {
  const engine = await open()
  try {
    return await Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* fillSet(sql)
      return yield* judge(sql, ours)
    }).pipe(Effect.provide(engine.layer), Effect.runPromise)
  } finally {
    await engine.close()
  }
}

it("ranks the labeled set equally and well on both engines", async () => {
  expect([memories.length, questions.length]).toEqual([expect.any(Number), expect.any(Number)])
  expect(memories.length).toBeGreaterThanOrEqual(200)
  expect(questions.length).toBeGreaterThanOrEqual(100)
  const [first, second] = [await qualityOn(engines[0]), await qualityOn(engines[1])]
  expect(first.rankings.map(([{ q }, ranking]) => [q, ranking])).toEqual(
    second.rankings.map(([{ q }, ranking]) => [q, ranking])
  )
  // Well below the measured values: detects failures, not small regressions.
  expect(first.ndcg).toBeGreaterThan(0.93)
  expect(first.recall).toBeGreaterThan(0.96)
  for (const [kind, { ndcg }] of first.byKind)
    expect([kind, ndcg]).toEqual([kind, expect.toSatisfy((value) => value > 0.8)])
}, 600_000)

it("folds spelling variants into one form", () => {
  const same = [
    ["Straße", "STRASSE"],
    ["Ångström", "angstrom"],
    ["Ёлка", "елка"],
    ["ΓΙΑΤΡΌΣ", "γιατρός"],
    ["الـمَدرَسَة", "المدرسه"],
    ["٣٤", "34"],
    ["ＡＢＣ", "abc"],
    ["ｺｰﾋｰ", "コーヒー"],
    ["Cafe\u0301", "café"]
  ] as const
  for (const [left, right] of same) expect(fold(left)).toBe(fold(right))
  // Distinctive marks are kept.
  expect(fold("दिन")).not.toBe(fold("दन"))
  expect(fold("학교")).toBe("학교")
})

it("splits text into words, and into character pairs where a script has no spaces", () => {
  const texts = (text: string) => piecesOf(text).map((piece) => piece.text)
  expect(texts("我喜欢咖啡v2")).toEqual(["我喜", "喜欢", "欢咖", "咖啡", "v2"])
  expect(texts("C++ don't 🇩🇪!")).toEqual(["c++", "don", "t", "🇩🇪"])
  expect(texts("%_\\ \"'&|!<>()")).toEqual([])
  expect(queryWordsOf("\u0000 \u202e -- '")).toEqual([])
})

it("weighs tags more than content, and content more than snippets", () => {
  const { weights, words } = runToEnd(indexOf({ content: "amber", tags: ["birch"], snippets: ["cedar"] }))
  const weightOf = (word: string) => weights[words.indexOf(word)] ?? 0
  expect(weightOf("birch")).toBeGreaterThan(weightOf("amber"))
  expect(weightOf("amber")).toBeGreaterThan(weightOf("cedar"))
  expect(weightOf("cedar")).toBeGreaterThan(0)
})

it("limits the indexed words of a memory", () => {
  const snippets = Array.from({ length: 16 }, (_, n) => Array.from({ length: 600 }, (_, m) => `w${n}x${m}`).join(" "))
  const { stems, weights, words } = runToEnd(indexOf({ content: "first", tags: ["tag"], snippets }))
  expect([words.length, stems.length, weights.length]).toEqual([wordsMax, wordsMax, wordsMax])
  expect(words.slice(0, 2)).toEqual(["tag", "first"])
  expect(Math.max(...weights)).toBeLessThanOrEqual(1000)
})
