import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"

const form = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

const daysOf = (year: number, month: number) =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

/** The years 1 to 9999 in UTC: the range that can be stored and written in ISO 8601. */
const first = Date.parse("0001-01-01T00:00:00.000Z")
const last = Date.parse("9999-12-31T23:59:59.999Z")

/** A timestamp with an offset, as a Unix timestamp in milliseconds; undefined if it is invalid. */
export const momentOf = (text: string): number | undefined => {
  const [, year, month, day] = form.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  if (Number(month) < 1 || Number(month) > 12) return undefined
  if (Number(day) < 1 || Number(day) > daysOf(Number(year), Number(month))) return undefined
  const millis = Date.parse(text.toUpperCase())
  return millis >= first && millis <= last ? millis : undefined
}

/** The bounds of a period as Unix timestamps in milliseconds. */
export interface Period {
  readonly since?: number
  readonly until?: number
}

/** The period in the query of a request. */
export const parsePeriod = Effect.fnUntraced(function* (query: {
  readonly since?: string
  readonly until?: string
}): Effect.fn.Return<Period, InvalidRequest> {
  const period: { since?: number; until?: number } = {}
  for (const name of ["since", "until"] as const) {
    const text = query[name]
    if (text === undefined) continue
    const millis = momentOf(text)
    if (millis === undefined) {
      return yield* InvalidRequest.at(
        ["query", name],
        "must be a date and time with an offset, such as 2026-03-01T09:30:00Z"
      )
    }
    period[name] = millis
  }
  return period
})
