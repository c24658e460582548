/** Makes vectors of memories that have none of the model's yet, in the background. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Embedder, type EmbedderFailed } from "../../infra/ports/embedder.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { restSeconds, roundsOf } from "../../infra/sql/wakes.ts"
import * as repo from "./embedding-repo.ts"
import { bytesOf, textOf, vectorsOf } from "./vectors.ts"

const batchMax = 32
const refusedAtOnce = 4
const pauseMillis = { least: 2000, most: 60_000 }

type Service = Embedder["Service"]

const inputOf = ({ content, contexts_json: contexts, tags }: repo.DueRow) =>
  textOf({ content, tags, snippets: contexts.map(({ snippet }) => snippet) })

/**
 * After a refusal of all of them together: a text that is refused alone while others are taken is one that the model
 * cannot do. Where none is taken, the fault may be anywhere: they wait for their next turn.
 */
const oneByOne = Effect.fnUntraced(function* (
  sql: Sql,
  embedder: Service,
  rows: ReadonlyArray<repo.DueRow>,
  refusal: EmbedderFailed
) {
  const refused: Array<repo.DueRow> = []
  for (const row of rows) {
    const [vector] = yield* vectorsOf(embedder, [inputOf(row)]).pipe(
      Effect.catchIf(
        ({ code }) => code === "refused",
        () => Effect.succeed([])
      )
    )
    if (vector === undefined) refused.push(row)
    else yield* repo.put(sql, row, embedder.model, bytesOf(vector))
  }
  if (refused.length === rows.length) {
    // They are retried, but not always before other members' texts.
    for (const row of refused) yield* repo.refuse(sql, row)
    return yield* refusal
  }
  for (const row of refused) yield* repo.put(sql, row, embedder.model, null)
})

/** The last person of the previous batch: the next batch continues after it. */
interface Place {
  after: string
}

/** What is due: of those without a vector first, then of those with another model's, and at last what was set aside. */
const claim = Effect.fnUntraced(function* (sql: Sql, { model }: Service, place: Place) {
  const began = place.after
  for (const after of began === "" ? [""] : [began, ""]) {
    const rows = yield* repo.claim(sql, model, null, after, batchMax)
    const last = rows.reduce((last, row) => (row.user_id > last ? row.user_id : last), "")
    place.after = rows.length < batchMax ? "" : last
    if (rows.length > 0) return rows
  }
  for (const other of yield* repo.otherModels(sql, model)) {
    const rows = yield* repo.claim(sql, model, other, "", batchMax)
    if (rows.length > 0) return rows
  }
  return yield* repo.claimRefused(sql, model, refusedAtOnce)
})

/** One batch; how many there were. */
const pass = Effect.fnUntraced(function* (sql: Sql, embedder: Service, place: Place) {
  const rows = yield* claim(sql, embedder, place)
  if (rows.length === 0) return 0
  yield* vectorsOf(embedder, rows.map(inputOf)).pipe(
    Effect.flatMap((vectors) =>
      Effect.forEach(
        rows,
        (row, at) => repo.put(sql, row, embedder.model, bytesOf(vectors[at] ?? new Float32Array(0))),
        {
          discard: true
        }
      )
    ),
    Effect.catchIf(
      (error): error is EmbedderFailed => error._tag === "EmbedderFailed" && error.code === "refused",
      (refusal) => oneByOne(sql, embedder, rows, refusal)
    ),
    Effect.tapError((error) =>
      error._tag === "EmbedderFailed" && error.code === "unavailable"
        ? Effect.forEach(rows, (row) => repo.release(sql, row), { discard: true })
        : Effect.void
    )
  )
  return rows.length
})

/** Works for as long as it runs; ends at once where nothing makes vectors. */
export const embedding = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const embedder = Option.getOrUndefined(yield* Effect.serviceOption(Embedder))
  if (embedder === undefined) return
  const place: Place = { after: "" }
  let pause = pauseMillis.least
  /** One batch; in how many seconds to look for the next one. */
  const round: Effect.Effect<number> = Effect.gen(function* () {
    const done = yield* pass(sql, embedder, place).pipe(
      Effect.catchTag("EmbedderFailed", ({ message }) =>
        Effect.as(Effect.logWarning(`No vectors were made of memories; it is tried again. ${message}`), undefined)
      ),
      Effect.catchCause((cause) =>
        Effect.as(Effect.logWarning("No vectors were made of memories; it is tried again.", cause), undefined)
      )
    )
    if (done === batchMax) return yield* Effect.andThen(Effect.yieldNow, round)
    if (done !== undefined) {
      pause = pauseMillis.least
      return done === 0 ? restSeconds : 0
    }
    // New memories are no reason to ask a service sooner that fails.
    pause = Math.min(2 * pause, pauseMillis.most)
    return yield* Effect.as(Effect.sleep(pause), 0)
  })
  yield* roundsOf(sql, ["memories"], round)
})
