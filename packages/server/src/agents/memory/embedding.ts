/** Creates vectors in the background for memories that have none of the current model. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Embedder, type EmbedderFailed } from "../../infra/ports/embedder.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { restSeconds, roundsOf } from "../../infra/sql/wakes.ts"
import * as repo from "./embedding-repo.ts"
import { bytesOf, textOf, vectorsOf } from "./vectors.ts"

const batchMax = 32
const rejectedBatchMax = 4
const pauseMillis = { least: 2000, most: 60_000 }

type Service = Embedder["Service"]

const inputOf = ({ content, contexts_json: contexts, tags }: repo.DueRow) =>
  textOf({ content, tags, snippets: contexts.map(({ snippet }) => snippet) })

/**
 * Retries each text after a whole batch was rejected. If some texts are accepted, the model cannot embed the rejected
 * ones. If all are rejected, the cause may be elsewhere, so they wait for their next attempt.
 */
const embedEach = Effect.fnUntraced(function* (
  sql: Sql,
  embedder: Service,
  rows: ReadonlyArray<repo.DueRow>,
  refusal: EmbedderFailed
) {
  const rejected: Array<repo.DueRow> = []
  for (const row of rows) {
    const [vector] = yield* vectorsOf(embedder, [inputOf(row)]).pipe(
      Effect.catchIf(
        ({ code }) => code === "refused",
        () => Effect.succeed([])
      )
    )
    if (vector === undefined) rejected.push(row)
    else yield* repo.put(sql, row, embedder.model, bytesOf(vector))
  }
  if (rejected.length === rows.length) {
    // They are retried, but do not always take precedence over other members' texts.
    for (const row of rejected) yield* repo.countRejection(sql, row)
    return yield* refusal
  }
  for (const row of rejected) yield* repo.put(sql, row, embedder.model, null)
})

/** The last user of the previous batch; the next batch continues after it. */
interface Position {
  after: string
}

/**
 * Claims due memories: first those without a vector, then those with a vector of another model, then those set aside.
 */
const claim = Effect.fnUntraced(function* (sql: Sql, { model }: Service, position: Position) {
  const start = position.after
  for (const after of start === "" ? [""] : [start, ""]) {
    const rows = yield* repo.claim(sql, model, null, after, batchMax)
    const last = rows.reduce((last, row) => (row.user_id > last ? row.user_id : last), "")
    position.after = rows.length < batchMax ? "" : last
    if (rows.length > 0) return rows
  }
  for (const otherModel of yield* repo.otherModels(sql, model)) {
    const rows = yield* repo.claim(sql, model, otherModel, "", batchMax)
    if (rows.length > 0) return rows
  }
  return yield* repo.claimRefused(sql, model, rejectedBatchMax)
})

/** Processes one batch and returns its size. */
const embedBatch = Effect.fnUntraced(function* (sql: Sql, embedder: Service, position: Position) {
  const rows = yield* claim(sql, embedder, position)
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
      (refusal) => embedEach(sql, embedder, rows, refusal)
    ),
    Effect.tapError((error) =>
      error._tag === "EmbedderFailed" && error.code === "unavailable"
        ? Effect.forEach(rows, (row) => repo.release(sql, row), { discard: true })
        : Effect.void
    )
  )
  return rows.length
})

/** Runs until it is interrupted. Returns immediately if no embedder is configured. */
export const embedding = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const embedder = Option.getOrUndefined(yield* Effect.serviceOption(Embedder))
  if (embedder === undefined) return
  const position: Position = { after: "" }
  let pause = pauseMillis.least
  /** Processes one batch and returns the seconds until the next one. */
  const pass: Effect.Effect<number> = Effect.gen(function* () {
    const done = yield* embedBatch(sql, embedder, position).pipe(
      Effect.catchTag("EmbedderFailed", ({ message }) =>
        Effect.as(Effect.logWarning(`Cannot create vectors for memories. Retrying. ${message}`), undefined)
      ),
      Effect.catchCause((cause) =>
        Effect.as(Effect.logWarning("Cannot create vectors for memories. Retrying.", cause), undefined)
      )
    )
    if (done === batchMax) return yield* Effect.andThen(Effect.yieldNow, pass)
    if (done !== undefined) {
      pause = pauseMillis.least
      return done === 0 ? restSeconds : 0
    }
    // New memories do not shorten the pause after a failure.
    pause = Math.min(2 * pause, pauseMillis.most)
    return yield* Effect.as(Effect.sleep(pause), 0)
  })
  yield* roundsOf(sql, ["memories"], pass)
})
