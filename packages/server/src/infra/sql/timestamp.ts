/** A `timestamptz` in the API's format: ISO 8601 in UTC with milliseconds, such as `2026-01-31T12:00:00.000Z`. */
export const toTimestamp = (value: Date | string): string => {
  const date = typeof value === "string" ? new Date(value) : value
  if (Number.isNaN(date.getTime())) {
    throw new RangeError(`Not a valid timestamp: ${typeof value === "string" ? value : "infinity"}`)
  }
  return date.toISOString()
}
