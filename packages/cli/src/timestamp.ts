/** Points in time on the command line: an ISO 8601 time, or a duration from now or before now. */
import { usage } from "./failure.ts"

const second = 1_000
const minute = second * 60
const hour = minute * 60
const day = hour * 24
const units: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day, w: day * 7 }

/** A hundred years. Longer durations are probably typos, and very long ones exceed the range of dates. */
const daysMax = 36_525

/** Converts `90d` or `1d12h` to milliseconds; undefined if the text is not a duration. */
export const durationMillis = (text: string): number | undefined => {
  if (!/^(\d{1,9}[smhdw])+$/.test(text)) return undefined
  let millis = 0
  for (const [, count = "", unit = ""] of text.matchAll(/(\d+)([smhdw])/g)) millis += Number(count) * (units[unit] ?? 0)
  return millis
}

/** Converts a duration to an ISO 8601 time. Other text is passed to the server unchanged. */
export const timestampOf = (text: string, direction: "future" | "past", now: number): string => {
  const millis = durationMillis(text)
  if (millis === undefined) {
    // The server's error message would be about times, but the text was meant as a duration.
    if (/^\d+\s*[a-z]*$/i.test(text))
      throw usage(`'${text}' is neither an ISO 8601 time nor a duration such as 90d, 12h or 30m.`)
    return text
  }
  if (millis === 0 || millis > daysMax * day)
    throw usage(`'${text}' is out of range. A duration must be longer than 0 and at most ${daysMax}d.`)
  return new Date(direction === "future" ? now + millis : now - millis).toISOString()
}
