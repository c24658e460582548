import { type Freeze, weekdays } from "@orgplane/schema/rollouts"
import { localDayOf, toInstant } from "./local-time.ts"

const millisPerMinute = 60_000
const millisPerDay = 86_400_000
/** Weekly freezes that leave no time in this number of days have no end. This also limits the work. */
const endlessDays = 28
/** Callers get this time instead of infinity, which is not a date. */
const farDays = 400

interface Window {
  readonly start: number
  readonly end: number
}

/** Returns the first window that ends after a time. The times of consecutive calls must not decrease. */
type NextWindow = (at: number) => Window

const never: Window = { start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY }

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/** The day of the week of a day since 1970-01-01, which was a Thursday. Monday is 0. */
const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

const weeklyWindows = ({ timeZone, weekdays: names }: Freeze, startTime: string, endTime: string): NextWindow => {
  const days = weekdays.map((name) => names.includes(name))
  const startMinutes = minutesOf(startTime)
  const endMinutes = minutesOf(endTime) + (endTime <= startTime ? 1440 : 0)
  const search: NextWindow = (at) => {
    const today = localDayOf(timeZone, at)
    // A freeze lasts until the next day. When clocks are set back over midnight, it can last a little longer.
    for (let day = today - 2; day <= today + 14; day += 1) {
      if (days[weekdayOf(day)] !== true) continue
      const midnight = day * millisPerDay
      const end = toInstant(timeZone, midnight + endMinutes * millisPerMinute, "last")
      if (end <= at) continue
      const start = toInstant(timeZone, midnight + startMinutes * millisPerMinute, "first")
      if (start < end) return { start, end }
    }
    return never
  }
  let window: Window | undefined
  return (at) => {
    if (window === undefined || window.end <= at) window = search(at)
    return window
  }
}

const isPresent = <A>(value: A | undefined): value is A => value !== undefined

/** The end of the freezes that apply at a time, or the time itself if none applies. Infinity if they have no end. */
const endOf = (freezes: ReadonlyArray<Freeze>, now: number): number => {
  const periods = freezes
    .map(({ endsAt, startsAt }) =>
      startsAt === null || endsAt === null ? undefined : { start: Date.parse(startsAt), end: Date.parse(endsAt) }
    )
    .filter(isPresent)
    .filter(({ end, start }) => Number.isFinite(start) && Number.isFinite(end))
  const weekly = freezes
    .map((freeze) =>
      freeze.startTime === null || freeze.endTime === null
        ? undefined
        : weeklyWindows(freeze, freeze.startTime, freeze.endTime)
    )
    .filter(isPresent)
  let at = now
  let limit = now + endlessDays * millisPerDay
  let hasMoved = true
  while (hasMoved) {
    hasMoved = false
    for (const { end, start } of periods) {
      if (at < start || end <= at) continue
      at = end
      limit = end + endlessDays * millisPerDay
      hasMoved = true
    }
    for (const windowAfter of weekly) {
      for (let window = windowAfter(at); window.start <= at; window = windowAfter(at)) {
        at = window.end
        hasMoved = true
        if (at >= limit) return Number.POSITIVE_INFINITY
      }
    }
  }
  return at
}

/**
 * Returns when the freeze that applies now ends, or undefined if none applies. If freezes adjoin or overlap, this is
 * the end of all of them. If weekly freezes leave no time in four weeks, it is 400 days from now. Times are Unix
 * timestamps in milliseconds.
 *
 * Weekly freezes follow the clocks of their time zone. If clocks are set forward over a time, it becomes the time of the
 * change. If clocks are set back over it, a freeze starts at its first occurrence and ends at its second.
 */
export const frozenUntil = (freezes: ReadonlyArray<Freeze>, now: number): number | undefined => {
  const end = endOf(freezes, now)
  if (end === now) return undefined
  return Number.isFinite(end) ? end : now + farDays * millisPerDay
}

/** Returns the first time from `at` on in which no freeze applies, or null if the freeze that applies has no end. */
export const nextAllowed = (freezes: ReadonlyArray<Freeze>, at: number): number | null => {
  const end = endOf(freezes, at)
  return Number.isFinite(end) ? end : null
}

/** `nextAllowed` for the freezes of an organization. */
export type NextAllowed = (at: number) => number | null

/** Returns `nextAllowed` for many times, and computes the end of each freeze only once. */
export const makeNextAllowed = (freezes: ReadonlyArray<Freeze>): NextAllowed => {
  if (freezes.length === 0) return (at) => at
  const cached: Array<{ readonly from: number; readonly end: number | null }> = []
  return (at) => {
    const frozen = cached.find(({ end, from }) => at === from || (end !== null && from < at && at <= end))
    if (frozen !== undefined) return frozen.end
    const end = nextAllowed(freezes, at)
    cached.push({ from: at, end })
    return end
  }
}
