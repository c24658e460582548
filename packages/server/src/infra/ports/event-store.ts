import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** Separates the columns of a batch; no value contains it. */
export const fieldSeparator = "\u001e"
export const fieldSeparatorByte = 0x1e
/** Separates the values of one column; no value contains it. */
export const unitSeparator = "\u001f"
export const unitSeparatorByte = 0x1f

/** The validated events of one request, with the principal that sent them. */
export interface EventBatch {
  readonly organizationId: Id<"org">
  readonly requestId: string
  readonly receivedAt: number
  readonly userId: Id<"usr"> | null
  readonly membershipId: Id<"om"> | null
  readonly workerId: Id<"wrk"> | null
  readonly keyId: Id<"key"> | null
  readonly sent: number
  readonly kept: number
  readonly dropped: number
  readonly fieldsRemoved: number
  /** JSON: the number of dropped events by reason. */
  readonly reasons: string | null
  /**
   * The events by column, as UTF-8: time in milliseconds, type, source, session, duration, success (`t` or `f`),
   * dimensions (JSON) and ID. Columns are separated by `fieldSeparator`; the values of a column are in the order of the
   * events, separated by `unitSeparator`, and empty where an event has none.
   */
  readonly columns: Uint8Array
  /** The times of the first and the last event that is kept; without one, both are the time of the request. */
  readonly earliest: number
  readonly latest: number
}

/** Why a write failed: `refused` because of these batches, `away` and `unknown` because of the store. */
export class EventsNotStored extends Data.TaggedError("EventsNotStored")<{
  /** `unknown`: it is not known whether the events were stored. */
  readonly fault: "refused" | "away" | "unknown"
  readonly cause: unknown
}> {}

/**
 * The store of events. One write is atomic, and durable when it returns: each batch's events whose IDs are new, and one
 * row of the ledger that counts them.
 */
export class EventStore extends Context.Service<
  EventStore,
  {
    /** Returns the indexes of the batches that were not stored, because their organization has ended. */
    readonly append: (batches: ReadonlyArray<EventBatch>) => Effect.Effect<ReadonlySet<number>, EventsNotStored>
  }
>()("@orgplane/server/ports/EventStore") {}
