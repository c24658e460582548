import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { type EventBatch, EventsNotStored, EventStore } from "../../infra/ports/event-store.ts"

/** Writes under way at once: while one waits for the disk the next is put together. */
const flightsMax = 2
/** Of one write; a batch that is larger goes alone. */
const flightEventsMax = 5000
const flightCharactersMax = 4_000_000
/** Of all that is here, waiting or under way. */
const eventsMax = 20_000
const charactersMax = 32_000_000
/** A database that has not answered a write by then is not believed to be there. */
const patience = Duration.seconds(10)
/** Batches that are written at once, each alone, after their common write failed. */
const aloneMax = 4

/** What came of a batch: durable, of an organization that has ended, or not known to be durable. */
export type Outcome = "stored" | "gone" | "unavailable"

interface Waiting {
  readonly batch: EventBatch
  readonly characters: number
  /** Undefined when nobody waits for it any more. */
  resume: ((outcome: Outcome) => void) | undefined
  isAnswered: boolean
}

/** About as many as the batch takes in memory and on its way. */
const charactersOf = ({ columns, kept }: EventBatch): number =>
  500 + kept * 32 + columns.dimensions.length + columns.sessionId.length + columns.id.length + columns.type.length

const batches = Metric.counter("orgplane_telemetry_batches_total", {
  description: "Batches of events, by what came of them.",
  incremental: true
})
const outcomes: Record<Outcome, Metric.Metric<number, unknown>> = {
  stored: Metric.withAttributes(batches, { outcome: "stored" }),
  gone: Metric.withAttributes(batches, { outcome: "gone" }),
  unavailable: Metric.withAttributes(batches, { outcome: "unavailable" })
}

/**
 * Puts what many requests bring into one write, so that they wait for the disk together, and answers each after the
 * commit. What is here is bounded: whoever comes beyond that is sent away at once.
 */
export class IngestBuffer extends Context.Service<IngestBuffer>()("@orgplane/server/telemetry/IngestBuffer", {
  make: Effect.gen(function* () {
    const store = yield* EventStore
    const context = yield* Effect.context()
    const run = Effect.runForkWith(context)
    let queue: Array<Waiting> = []
    let events = 0
    let characters = 0
    let flights = 0
    let isComing = false
    let isClosing = false
    let whenIdle: (() => void) | undefined

    const response = (waiting: Waiting, outcome: Outcome) => {
      if (waiting.isAnswered) return
      waiting.isAnswered = true
      events -= waiting.batch.kept
      characters -= waiting.characters
      outcomes[outcome].updateUnsafe(1, context)
      waiting.resume?.(outcome)
    }

    const append = (all: ReadonlyArray<Waiting>) =>
      store.append(all.map(({ batch }) => batch)).pipe(
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => {
            // Whatever waits behind it has waited as long.
            const behind = queue
            queue = []
            for (const waiting of behind) response(waiting, "unavailable")
            return Effect.fail(new EventsNotStored({ fault: "unknown", cause: new Error("The write took too long.") }))
          }
        }),
        Effect.map((gone) => {
          for (const [place, waiting] of all.entries()) response(waiting, gone.has(place) ? "gone" : "stored")
        })
      )

    const giveUp = (all: ReadonlyArray<Waiting>, error: EventsNotStored) =>
      Effect.andThen(
        Effect.logWarning("Events could not be stored.", error.cause),
        Effect.sync(() => {
          for (const waiting of all) response(waiting, "unavailable")
        })
      )

    /** One by one after a refusal, so that one that cannot be written keeps no other from it. */
    const write = (all: ReadonlyArray<Waiting>) =>
      Effect.catch(append(all), (error) =>
        error.fault === "refused"
          ? Effect.forEach(all, (one) => Effect.catch(append([one]), (again) => giveUp([one], again)), {
              concurrency: aloneMax,
              discard: true
            })
          : giveUp(all, error)
      )

    const take = (): ReadonlyArray<Waiting> => {
      let count = 0
      let taken = 0
      let size = 0
      for (const { batch, characters } of queue) {
        taken += batch.kept
        size += characters
        if (count > 0 && (taken > flightEventsMax || size > flightCharactersMax)) break
        count += 1
      }
      if (count === queue.length) {
        const all = queue
        queue = []
        return all
      }
      return queue.splice(0, count)
    }

    const fly = () => {
      isComing = false
      while (flights < flightsMax && queue.length > 0) {
        const all = take()
        flights += 1
        run(write(all)).addObserver((exit) => {
          flights -= 1
          // A defect is nobody's outcome: nobody may be left waiting for it.
          if (exit._tag === "Failure") for (const waiting of all) response(waiting, "unavailable")
          if (queue.length > 0) schedule()
          else if (flights === 0) whenIdle?.()
        })
      }
    }

    const schedule = () => {
      if (isComing || flights >= flightsMax) return
      isComing = true
      setImmediate(fly)
    }

    /** Waits until the batch is durable, or cannot be. */
    const put = (batch: EventBatch): Effect.Effect<Outcome> => {
      const size = charactersOf(batch)
      return Effect.callback<Outcome>((resume) => {
        if (isClosing || events + batch.kept > eventsMax || characters + size > charactersMax) {
          outcomes.unavailable.updateUnsafe(1, context)
          return resume(Effect.succeed("unavailable"))
        }
        const waiting: Waiting = {
          batch,
          characters: size,
          resume: (outcome) => resume(Effect.succeed(outcome)),
          isAnswered: false
        }
        events += batch.kept
        characters += size
        queue.push(waiting)
        schedule()
        // Whoever left is not told; what it brought is written, as any other that was taken.
        return Effect.sync(() => {
          waiting.resume = undefined
        })
      })
    }

    // What was taken is written before the database is closed.
    yield* Effect.addFinalizer(() =>
      Effect.callback<void>((resume) => {
        isClosing = true
        if (flights === 0 && queue.length === 0) return resume(Effect.void)
        whenIdle = () => resume(Effect.void)
      })
    )

    return { put } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
