const dateTime = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/i

const first = Date.parse("0001-01-01T00:00:00Z")
const last = Date.parse("9999-12-31T23:59:59.999Z")

/**
 * The milliseconds of an xsd:dateTime; without a zone it is in UTC. Undefined when it is invalid or outside the range
 * of the database.
 */
export const parseMoment = (text: string): number | undefined => {
  const match = dateTime.exec(text)
  if (match === null) return undefined
  const [, date = "", time = "", fraction = "", zone = "Z"] = match
  const millis = Date.parse(`${date}T${time}${fraction.slice(0, 4)}${zone.toUpperCase()}`)
  if (!(millis >= first && millis <= last)) return undefined
  // Dates that do not exist, such as February 31, are parsed as another day.
  const day = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(day) || !new Date(day).toISOString().startsWith(date) ? undefined : millis
}
