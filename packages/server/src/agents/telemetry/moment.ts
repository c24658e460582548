const digits = (text: string, from: number, count: number): number => {
  let value = 0
  for (let i = from; i < from + count; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

const dayPattern = /^\d{4}-\d\d-\d\d$/
const pattern =
  /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/

let cachedDay = ""
let cachedMillis = Number.NaN

/** The start of a calendar day in UTC in milliseconds; NaN for invalid dates such as February 30. */
export const dayOf = (day: string): number => {
  if (day === cachedDay) return cachedMillis
  const millis = dayPattern.test(day)
    ? Date.UTC(digits(day, 0, 4), digits(day, 5, 2) - 1, digits(day, 8, 2))
    : Number.NaN
  // `Date.UTC` moves years below 100 to the 20th century, and invalid days to the next month.
  const isValid = !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(day)
  cachedDay = day
  cachedMillis = isValid ? millis : Number.NaN
  return cachedMillis
}

/**
 * The milliseconds of an ISO 8601 date-time with `Z` or an offset; NaN for anything else. Nearly all events use the
 * format of `Date#toISOString` and the same day as the previous event, so that format is parsed without a regular
 * expression.
 */
export const momentOf = (text: string): number => {
  if (text.length === 24 && text.charCodeAt(23) === 90 && text.charCodeAt(10) === 84) {
    const hours = digits(text, 11, 2)
    const minutes = digits(text, 14, 2)
    const seconds = digits(text, 17, 2)
    const millis = digits(text, 20, 3)
    if (
      hours < 24 &&
      minutes < 60 &&
      seconds < 60 &&
      millis < 1000 &&
      text.charCodeAt(13) === 58 &&
      text.charCodeAt(16) === 58 &&
      text.charCodeAt(19) === 46
    ) {
      return dayOf(text.slice(0, 10)) + hours * 3_600_000 + minutes * 60_000 + seconds * 1000 + millis
    }
  }
  if (text.length > 40) return Number.NaN
  const match = pattern.exec(text)
  if (match === null) return Number.NaN
  const [, fraction, sign, offsetHours, offsetMinutes] = match
  const offset = sign === undefined ? 0 : (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  return (
    dayOf(text.slice(0, 10)) +
    digits(text, 11, 2) * 3_600_000 +
    digits(text, 14, 2) * 60_000 +
    digits(text, 17, 2) * 1000 +
    (fraction === undefined ? 0 : Math.floor(Number(`0.${fraction}`) * 1000)) -
    (sign === "-" ? -offset : offset)
  )
}
