/** A `timestamptz` as the wire tells it: ISO 8601 in UTC with milliseconds, as in `2026-01-31T12:00:00.000Z`. */
export const toTimestamp = (value: Date | string): string => {
  const date = typeof value === "string" ? new Date(value) : value
  if (Number.isNaN(date.getTime())) {
    throw new RangeError(`Not a point in time that can be told: ${typeof value === "string" ? value : "infinity"}`)
  }
  return date.toISOString()
}
