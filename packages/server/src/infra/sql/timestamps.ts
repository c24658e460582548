const dayMillis = 86_400_000
const two = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"))
const three = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, "0"))
const cachedDaysMax = 1000
/** The date and `T`, by days since 1970. Most timestamps of a page share a few days, and dates are slow to compute. */
const days = new Map<number, string>()

const dayText = (day: number, date: Date): string => {
  const cached = days.get(day)
  if (cached !== undefined) return cached
  const text = date.toISOString().slice(0, -13)
  if (days.size >= cachedDaysMax) days.clear()
  days.set(day, text)
  return text
}

/** A timestamp in the API's format, which is that of `toISOString`: with milliseconds and `Z`. The driver returns `Date`. */
export const iso = (date: Date): string => {
  const at = date.getTime()
  const day = Math.floor(at / dayMillis)
  const text = dayText(day, date)
  const millis = at - day * dayMillis
  const seconds = (millis / 1000) | 0
  const minutes = (seconds / 60) | 0
  const hours = (minutes / 60) | 0
  return `${text}${two[hours]}:${two[minutes - hours * 60]}:${two[seconds - minutes * 60]}.${three[millis - seconds * 1000]}Z`
}

export const isoOrNull = (date: Date | null): string | null => (date === null ? null : iso(date))
