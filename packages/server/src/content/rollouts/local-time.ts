/**
 * Local times of IANA time zones. A local time is a number of milliseconds, as if it were a Unix timestamp in UTC.
 */

const millisPerSecond = 1000
const millisPerDay = 86_400_000
/** More than the largest offset from UTC, so that the local time is between both ends of the searched range. */
const margin = 1.5 * millisPerDay
const zonesMax = 200
const blocksMax = 500
/** In this time, offsets change at most once. In Morocco, they change twice within about 30 days. */
const millisPerBlock = 16 * millisPerDay

/** The offsets from UTC in a block and around it. `change` is the time from which `after` applies. */
interface Offsets {
  readonly before: number
  readonly after: number
  readonly change: number
}

interface Zone {
  readonly format: Intl.DateTimeFormat
  readonly blocks: Map<number, Offsets>
}

const zones = new Map<string, Zone>()

const zoneOf = (name: string): Zone => {
  const cached = zones.get(name)
  if (cached !== undefined) return cached
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric"
  })
  const zone: Zone = { format, blocks: new Map() }
  if (zones.size >= zonesMax) zones.clear()
  zones.set(name, zone)
  return zone
}

/** The offset from UTC at a time that is a whole number of seconds. */
const readOffset = ({ format }: Zone, at: number): number => {
  const parts: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(at)) parts[type] = Number(value)
  const { day = 1, hour = 0, minute = 0, month = 1, second = 0, year = 1970 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - at
}

const readBlock = (zone: Zone, block: number): Offsets => {
  let low = block * millisPerBlock - margin
  let high = (block + 1) * millisPerBlock + margin
  const before = readOffset(zone, low)
  const after = readOffset(zone, high)
  if (before === after) return { before, after, change: low }
  while (high - low > millisPerSecond) {
    const middle = Math.floor((low + high) / 2 / millisPerSecond) * millisPerSecond
    if (readOffset(zone, middle) === before) low = middle
    else high = middle
  }
  return { before, after, change: high }
}

const offsetsOf = (name: string, time: number): Offsets => {
  const zone = zoneOf(name)
  const block = Math.floor(time / millisPerBlock)
  const cached = zone.blocks.get(block)
  if (cached !== undefined) return cached
  const offsets = readBlock(zone, block)
  if (zone.blocks.size >= blocksMax) zone.blocks.clear()
  zone.blocks.set(block, offsets)
  return offsets
}

/** The local day at a time, as the number of days since 1970-01-01. */
export const localDayOf = (timeZone: string, at: number): number => {
  const { after, before, change } = offsetsOf(timeZone, at)
  return Math.floor((at + (at < change ? before : after)) / millisPerDay)
}

/**
 * Returns when clocks show a local time. If they never do, because they are set forward over it, this is the time of
 * the change. If they do so twice, `occurrence` chooses.
 */
export const toInstant = (timeZone: string, local: number, occurrence: "first" | "last"): number => {
  const { after, before, change } = offsetsOf(timeZone, local)
  const first = local - before
  const last = local - after
  if (occurrence === "first") return first < change ? first : Math.max(change, last)
  return last >= change ? last : Math.min(change, first)
}
