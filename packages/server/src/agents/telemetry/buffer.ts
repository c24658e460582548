import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { counter, readGauge } from "../../infra/metrics/metrics.ts"
import { type EventBatch, EventsNotStored, EventStore } from "../../infra/ports/event-store.ts"

/** The number of concurrent writes: while one waits for the disk, the next is prepared. */
const writesMax = 2
/** The limits of one write; a larger batch is written alone. */
const writeEventsMax = 5000
const writeBytesMax = 4_000_000
/** The limits of all batches in memory, queued or being written. */
const eventsMax = 20_000
const bytesMax = 32_000_000
/** A write that takes longer counts as failed. */
const writeTimeout = Duration.seconds(10)
/** The number of batches written concurrently, one per statement, after their common write failed. */
const retriesAtOnceMax = 4

/** The outcome of a batch: durable, rejected because the organization was deleted, or not known to be durable. */
export type Outcome = "stored" | "gone" | "unavailable"

interface Waiting {
  readonly batch: EventBatch
  readonly bytes: number
  /** Undefined once the request was canceled. */
  resume: ((outcome: Outcome) => void) | undefined
  isResolved: boolean
}

/** The approximate size of the batch in memory and in transit. */
const bytesOf = ({ columns }: EventBatch): number => 500 + columns.length

const outcomes = {
  stored: counter("orgplane_telemetry_batches_total", { outcome: "stored" }),
  gone: counter("orgplane_telemetry_batches_total", { outcome: "gone" }),
  unavailable: counter("orgplane_telemetry_batches_total", { outcome: "unavailable" })
} as const satisfies Readonly<Record<Outcome, unknown>>

/**
 * Combines the events of many requests into one write, so that they share one wait for the disk, and resolves each
 * request after the commit. The buffer is bounded: requests beyond its limits fail at once.
 */
export class IngestBuffer extends Context.Service<IngestBuffer>()("@orgplane/server/telemetry/IngestBuffer", {
  make: Effect.gen(function* () {
    const store = yield* EventStore
    const context = yield* Effect.context()
    const run = Effect.runForkWith(context)
    let queue: Array<Waiting> = []
    let events = 0
    let bytes = 0
    let activeWrites = 0
    let isScheduled = false
    let isClosing = false
    let whenIdle: (() => void) | undefined
    readGauge(context, "orgplane_telemetry_buffer_events", {}, () => events)
    readGauge(context, "orgplane_telemetry_buffer_bytes", {}, () => bytes)

    const resolve = (waiting: Waiting, outcome: Outcome) => {
      if (waiting.isResolved) return
      waiting.isResolved = true
      events -= waiting.batch.kept
      bytes -= waiting.bytes
      outcomes[outcome].updateUnsafe(1, context)
      waiting.resume?.(outcome)
    }

    const append = (batchesToWrite: ReadonlyArray<Waiting>) =>
      store.append(batchesToWrite.map(({ batch }) => batch)).pipe(
        Effect.timeoutOrElse({
          duration: writeTimeout,
          orElse: () => {
            // Batches queued after it have waited for the same time.
            const queued = queue
            queue = []
            for (const waiting of queued) resolve(waiting, "unavailable")
            return Effect.fail(new EventsNotStored({ fault: "unknown", cause: new Error("The write timed out.") }))
          }
        }),
        Effect.map((removed) => {
          for (const [index, waiting] of batchesToWrite.entries())
            resolve(waiting, removed.has(index) ? "gone" : "stored")
        })
      )

    const failAll = (batchesToWrite: ReadonlyArray<Waiting>, error: EventsNotStored) =>
      Effect.andThen(
        Effect.logWarning("Cannot store telemetry events.", error.cause),
        Effect.sync(() => {
          for (const waiting of batchesToWrite) resolve(waiting, "unavailable")
        })
      )

    /** After a rejected write, writes each batch separately, so that one invalid batch does not block the others. */
    const write = (batchesToWrite: ReadonlyArray<Waiting>) =>
      Effect.catch(append(batchesToWrite), (error) =>
        error.fault === "refused"
          ? Effect.forEach(
              batchesToWrite,
              (single) => Effect.catch(append([single]), (retryError) => failAll([single], retryError)),
              {
                concurrency: retriesAtOnceMax,
                discard: true
              }
            )
          : failAll(batchesToWrite, error)
      )

    const take = (): ReadonlyArray<Waiting> => {
      let count = 0
      let eventCount = 0
      let size = 0
      for (const { batch, bytes } of queue) {
        eventCount += batch.kept
        size += bytes
        if (count > 0 && (eventCount > writeEventsMax || size > writeBytesMax)) break
        count += 1
      }
      if (count === queue.length) {
        const batchesToWrite = queue
        queue = []
        return batchesToWrite
      }
      return queue.splice(0, count)
    }

    const startWrites = () => {
      isScheduled = false
      while (activeWrites < writesMax && queue.length > 0) {
        const batchesToWrite = take()
        activeWrites += 1
        run(write(batchesToWrite)).addObserver((exit) => {
          activeWrites -= 1
          // After a defect, every waiting request must still be resolved.
          if (exit._tag === "Failure") for (const waiting of batchesToWrite) resolve(waiting, "unavailable")
          if (queue.length > 0) schedule()
          else if (activeWrites === 0) whenIdle?.()
        })
      }
    }

    const schedule = () => {
      if (isScheduled || activeWrites >= writesMax) return
      isScheduled = true
      setImmediate(startWrites)
    }

    /** Waits until the batch is durable or has failed. */
    const put = (batch: EventBatch): Effect.Effect<Outcome> => {
      const size = bytesOf(batch)
      return Effect.callback<Outcome>((resume) => {
        if (isClosing || events + batch.kept > eventsMax || bytes + size > bytesMax) {
          outcomes.unavailable.updateUnsafe(1, context)
          return resume(Effect.succeed("unavailable"))
        }
        const waiting: Waiting = {
          batch,
          bytes: size,
          resume: (outcome) => resume(Effect.succeed(outcome)),
          isResolved: false
        }
        events += batch.kept
        bytes += size
        queue.push(waiting)
        schedule()
        // After a cancellation the batch is still written, but nothing is resolved.
        return Effect.sync(() => {
          waiting.resume = undefined
        })
      })
    }

    // Accepted batches are written before the database connection closes.
    yield* Effect.addFinalizer(() =>
      Effect.callback<void>((resume) => {
        isClosing = true
        if (activeWrites === 0 && queue.length === 0) return resume(Effect.void)
        whenIdle = () => resume(Effect.void)
      })
    )

    return { put } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
