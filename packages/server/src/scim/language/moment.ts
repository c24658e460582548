const dateTime = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/i

/** Milliseconds of an xsd:dateTime with date and time; one that names no zone is in UTC. Undefined when it is none. */
export const parseMoment = (text: string): number | undefined => {
  const match = dateTime.exec(text)
  if (match === null) return undefined
  const [, date = "", time = "", fraction = "", zone = "Z"] = match
  const millis = Date.parse(`${date}T${time}${fraction.slice(0, 4)}${zone.toUpperCase()}`)
  // What no calendar holds, such as the 31st of February, comes out as another day.
  if (Number.isNaN(millis) || !new Date(Date.parse(`${date}T00:00:00Z`)).toISOString().startsWith(date))
    return undefined
  return millis
}
