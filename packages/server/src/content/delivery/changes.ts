import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { BoundedMap } from "../../infra/bounded-map.ts"
import { isRelevant } from "./irrelevant-actions.ts"
import type { EventRow, Observation } from "./repo.ts"
import { unsealedMax } from "./unsealed-repo.ts"

const organizationsMax = 10_000
/** If an organization has more new events than this, their actions are not read, and one of them counts as relevant. */
const eventsMax = 1000

/** The audit events of an organization that a process has taken into account. */
interface Seen {
  /** Their number. Sealing an event does not change it. */
  readonly total: number
  /** The last sequence number among them, and the hash of that event. */
  readonly sealed: number
  readonly hash: string | null
  /** Those that were not sealed yet. */
  readonly unsealed: ReadonlySet<string>
  /** Changes with each relevant event. */
  readonly epoch: number
}

/** The sealed and unsealed audit events of an organization in one snapshot. */
export type Counts = Pick<Observation, "sealed" | "sealed_hash" | "unsealed">

/**
 * Returns a function that makes an observation and returns it with the epoch of the organization. The epoch is the same for
 * two observations only if no change between them affects a desired state. A change without effect costs one statement
 * per process, and not one computation per device.
 */
export const makeEpochs = <R>(
  eventsFrom: (
    organizationId: Id<"org">,
    sequence: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<EventRow>, SqlError, R>
) => {
  const organizations = new BoundedMap<Id<"org">, Seen>(organizationsMax)
  // Unique across organizations, so that an epoch of an organization that was evicted is never used again.
  let nextEpoch = 1

  /** Takes the events from `after` on into account, which were read after the observation. */
  const add = (
    organizationId: Id<"org">,
    before: Seen | undefined,
    after: number,
    observed: Counts,
    read: ReadonlyArray<EventRow>
  ): number => {
    const rows = read.filter(({ sequence }) => sequence !== after)
    const sequences = rows.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]))
    const sealed = Math.max(observed.sealed, after, ...sequences)
    const hashAt = (sequence: number) =>
      sequence === observed.sealed
        ? observed.sealed_hash
        : (read.find((row) => row.sequence === sequence)?.hash ?? null)
    // Otherwise, there are too many events, or retention has deleted some of them.
    const isComplete = rows.length < eventsMax && sequences.length === sealed - after
    // After a failover or a restore, other events may have the numbers of those that were taken into account.
    const isContinued = after === 0 || (before !== undefined && hashAt(after) === before.hash)
    // A concurrent request may have taken some of the events into account already. Then they count again.
    const isSame =
      isComplete &&
      isContinued &&
      before?.sealed === after &&
      !rows.some(({ action, id }) => !before.unsealed.has(id) && isRelevant(action))
    const unsealed = new Set(rows.flatMap(({ id, sequence }) => (sequence === null ? [id] : [])))
    const epoch = isSame ? before.epoch : nextEpoch++
    const total = Math.max(sealed + unsealed.size, observed.sealed + observed.unsealed)
    organizations.set(organizationId, { total, sealed, hash: hashAt(sealed), unsealed, epoch })
    return epoch
  }

  /** `before` is what the process had taken into account when the observation started. */
  const epochOf = Effect.fnUntraced(function* (organizationId: Id<"org">, before: Seen | undefined, observed: Counts) {
    if (observed.unsealed >= unsealedMax) return nextEpoch++
    const seen = organizations.get(organizationId)
    const total = observed.sealed + observed.unsealed
    if (seen !== undefined && total < seen.total && seen === before) {
      // The number of events decreases only after a failover to a lagging standby, or a restore. Earlier events may then be
      // others, too.
      const rows = yield* eventsFrom(organizationId, observed.sealed, eventsMax)
      return add(organizationId, undefined, observed.sealed, observed, rows)
    }
    const isReplaced = total === seen?.total && observed.sealed === seen.sealed && observed.sealed_hash !== seen.hash
    // An older observation can arrive after a newer one. Its request reads the state afterwards.
    if (seen !== undefined && total <= seen.total && !isReplaced) return seen.epoch
    const after = seen?.sealed ?? observed.sealed
    const rows = yield* eventsFrom(organizationId, after, eventsMax)
    return add(organizationId, organizations.get(organizationId), after, observed, rows)
  })

  return Effect.fnUntraced(function* <O extends Counts, E, R2>(
    organizationId: Id<"org">,
    observe: Effect.Effect<O | undefined, E, R2>
  ) {
    const before = organizations.get(organizationId)
    const observed = yield* observe
    if (observed === undefined) return undefined
    return { observed, epoch: yield* epochOf(organizationId, before, observed) }
  })
}
