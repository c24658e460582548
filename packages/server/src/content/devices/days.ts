/** UTC dates of queries. */
import { historyDaysMax } from "@orgplane/schema/delivery"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const dayMillis = 86_400_000
const daysDefault = 30

export interface DaysQuery {
  readonly from?: string
  readonly to?: string
}

/** The first and the last UTC date. */
export interface Days {
  readonly from: string
  readonly to: string
}

/** The number of days since 1970; undefined for a date that does not exist. */
const dayNumber = (text: string): number | undefined => {
  const millis = Date.parse(`${text}T00:00:00.000Z`)
  return Number.isNaN(millis) || !new Date(millis).toISOString().startsWith(text) ? undefined : millis / dayMillis
}

const dayText = (number: number) => new Date(number * dayMillis).toISOString().slice(0, 10)

/** The days that a query selects. */
export const daysOf = Effect.fnUntraced(function* (query: DaysQuery) {
  const today = Math.floor((yield* Clock.currentTimeMillis) / dayMillis)
  const to = query.to === undefined ? today : dayNumber(query.to)
  if (to === undefined) return yield* InvalidRequest.at(["query", "to"], "must be a valid date, such as 2026-03-01")
  const from = query.from === undefined ? to - daysDefault + 1 : dayNumber(query.from)
  if (from === undefined) return yield* InvalidRequest.at(["query", "from"], "must be a valid date, such as 2026-03-01")
  if (from > to) return yield* InvalidRequest.at(["query", "from"], "must not be after `to`")
  if (to - from >= historyDaysMax) {
    return yield* InvalidRequest.at(["query", "from"], `must be at most ${historyDaysMax} days before \`to\``)
  }
  return { from: dayText(from), to: dayText(to) } satisfies Days
})
