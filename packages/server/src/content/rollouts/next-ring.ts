import type { Promotion, RolloutState } from "@orgplane/schema/rollouts"
import type { NextAllowed } from "./freezes.ts"

/** The settings of a ring that determine when the next ring starts. */
export interface RingTiming {
  readonly soakMinutes: number
  readonly promotion: Promotion
}

/** The progress of a rollout. Times are Unix timestamps in milliseconds. */
export interface RolloutProgress {
  readonly state: RolloutState
  /** The number of rings that have the release. */
  readonly reached: number
  /** When the soak time of the latest ring started. Null before the first ring. */
  readonly soaksFrom: number | null
  /** When a scheduled rollout starts. Null: as soon as no freeze applies. */
  readonly startsAt: number | null
}

export interface RingStarts {
  /**
   * When the next ring starts: `now` if it is due. Null if it waits for a promotion or for the end of a freeze that has
   * no end, or if the rollout is paused or has ended.
   */
  readonly nextRingAt: number | null
  /**
   * The earliest start of each ring, and of `Everyone` after the last ring. Null for rings that have started, and for
   * rings that wait for the decision of a person or for the end of a freeze that has no end.
   */
  readonly starts: ReadonlyArray<number | null>
}

const millisPerMinute = 60_000
/** The end of the year 9999. A freeze that ends later has no end, because responses contain no later time. */
const timeMax = Date.UTC(10_000, 0) - 1

/**
 * Computes when the rings of a rollout start if nothing pauses it. `rings` does not include `Everyone`. With `isNextOnly`,
 * only the start of the next ring is computed.
 */
export const ringStarts = (
  rings: ReadonlyArray<RingTiming>,
  { reached, soaksFrom, startsAt, state }: RolloutProgress,
  nextAllowed: NextAllowed,
  now: number,
  isNextOnly = false
): RingStarts => {
  const starts: Array<number | null> = Array.from({ length: rings.length + 1 }, () => null)
  if (state !== "scheduled" && state !== "active") return { nextRingAt: null, starts }

  /** The end of the soak time of a ring that starts at the given time. */
  const soakEnd = (ring: RingTiming | undefined, start: number | null): number | null =>
    ring === undefined || ring.promotion === "manual" || start === null
      ? null
      : start + ring.soakMinutes * millisPerMinute

  const length = isNextOnly ? Math.min(reached + 1, starts.length) : starts.length
  let earliest = reached === 0 ? (startsAt ?? now) : soakEnd(rings[reached - 1], soaksFrom)
  for (let index = reached; index < length && earliest !== null; index += 1) {
    const allowed = nextAllowed(Math.max(now, earliest))
    const start = allowed === null || allowed > timeMax ? null : allowed
    starts[index] = start
    earliest = soakEnd(rings[index], start)
  }
  return { nextRingAt: starts[reached] ?? null, starts }
}
