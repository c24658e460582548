const units = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
] as const

/** A time such as `3 hours ago` or `in 2 days`. Seconds are `just now`. */
export const relativeTime = (time: string, now: number): string => {
  const seconds = Math.round((Date.parse(time) - now) / 1000)
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? []
  if (unit === undefined || size === undefined) return seconds > 0 ? "in seconds" : "just now"
  const count = Math.floor(Math.abs(seconds) / size)
  const text = `${count} ${unit}${count === 1 ? "" : "s"}`
  return seconds > 0 ? `in ${text}` : `${text} ago`
}
