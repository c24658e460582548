import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** Stands between the values of one column: no value holds it. */
export const unitSeparator = "\u001f"

/**
 * The events of one request, column by column: values in the order of the events, with `unitSeparator` between them and
 * nothing where there is none. Moments are milliseconds, booleans `t` and `f`, dimensions JSON.
 */
export interface EventColumns {
  at: string
  type: string
  source: string
  sessionId: string
  durationMs: string
  success: string
  dimensions: string
  id: string
}

/** What one request brought, judged, with whose it is as the authentication said. */
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
  /** JSON: how many for which reason. */
  readonly reasons: string | null
  readonly columns: EventColumns
  /** Moments of the first and the last event that is kept; without one both are when the request came. */
  readonly earliest: number
  readonly latest: number
}

/** Why a write ended: `refused` is about these batches, `away` and `unknown` about the store. */
export class EventsNotStored extends Data.TaggedError("EventsNotStored")<{
  /** `unknown`: it may have been stored, or not. */
  readonly fault: "refused" | "away" | "unknown"
  readonly cause: unknown
}> {}

/**
 * Where events are kept. One write is all or nothing, and what it has answered is durable: each batch's events that were
 * not there before by their id, and one row of the ledger that counts them.
 */
export class EventStore extends Context.Service<
  EventStore,
  {
    /** Tells which of the batches, by their place, were not taken, because their organization has ended. */
    readonly append: (batches: ReadonlyArray<EventBatch>) => Effect.Effect<ReadonlySet<number>, EventsNotStored>
  }
>()("@orgplane/server/ports/EventStore") {}
