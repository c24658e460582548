/** Moments as people say them: a duration from now on or before now. */
import { usage } from "./failure.ts"

const second = 1_000
const minute = second * 60
const hour = minute * 60
const day = hour * 24
const units: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day, w: day * 7 }

/** A hundred years: what is longer was not meant, and soon is no date. */
const daysMax = 36_525

/** `90d` or `1d12h` in milliseconds; undefined for what is no duration. */
export const durationMillis = (text: string): number | undefined => {
  if (!/^(\d{1,9}[smhdw])+$/.test(text)) return undefined
  let millis = 0
  for (const [, count = "", unit = ""] of text.matchAll(/(\d+)([smhdw])/g)) millis += Number(count) * (units[unit] ?? 0)
  return millis
}

/** A moment as the server reads it: what is no duration is sent as it was told. */
export const momentOf = (text: string, direction: "ahead" | "ago", now: number): string => {
  const millis = durationMillis(text)
  if (millis === undefined) {
    // Not left to the server: its sentence is about moments, and this was to be a duration.
    if (/^\d+\s*[a-z]*$/i.test(text))
      throw usage(`'${text}' is neither a moment nor a duration such as 90d, 12h or 30m.`)
    return text
  }
  if (millis === 0 || millis > daysMax * day) throw usage(`'${text}' is no duration that can be meant.`)
  return new Date(direction === "ahead" ? now + millis : now - millis).toISOString()
}
