import { bounds } from "@orgplane/schema/telemetry"
import { fieldSeparatorByte, unitSeparatorByte } from "../../infra/ports/event-store.ts"
import { dayOf } from "./moment.ts"

/** A batch of which everything is accepted, with its columns encoded for the store. */
export interface PlainBatch {
  readonly kept: number
  readonly earliest: number
  readonly latest: number
  readonly columns: Uint8Array
}

/** A longer body is left to the parser. */
const bodyBytesMax = 64 * 1024

/** The columns after the time, in the order of the store. Each value is a range of the body. */
const columns = { type: 0, source: 1, sessionId: 2, durationMs: 3, success: 4, dimensions: 5, id: 6 } as const
const columnCount = 7
/** The time is a field, but no range. */
const timestampField = 7

const bytesOf = (text: string) => new TextEncoder().encode(text)

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const zero = 0x30
const letterD = 0x64
const letterI = 0x69
const letterL = 0x6c
const letterN = 0x6e
const letterO = 0x6f
const letterS = 0x73
const letterT = 0x74
const letterU = 0x75
const letterV = 0x76
const letterY = 0x79

/** 1 for bytes that a JSON string contains unescaped and that stand for themselves: printable ASCII. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte <= 0x7e && byte !== quote && byte !== 0x5c ? 1 : 0
)

// The names, without their opening quotes.
const eventsName = bytesOf('events"')
const fieldNames = [...Object.keys(columns), "timestamp"].map((name) => bytesOf(`${name}"`))
const typeName = bytesOf('type"')
const valueName = bytesOf('value"')
const labelName = bytesOf('label"')
const appValue = bytesOf('app"')
const workerValue = bytesOf('worker"')
const trueValue = bytesOf("true")
const falseValue = bytesOf("false")
const nullValue = bytesOf("null")

/** Skips white space. */
const skip = (body: Uint8Array, from: number): number => {
  let i = from
  for (;;) {
    const byte = body[i] ?? 0
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return i
    i += 1
  }
}

/** Whether only white space follows. */
const isEnd = (body: Uint8Array, from: number): boolean => from === body.length || skip(body, from) === body.length

/** The end of `expected` at this position; -1 if the body continues otherwise. */
const after = (body: Uint8Array, from: number, expected: Uint8Array): number => {
  for (let i = 0; i < expected.length; i++) if (body[from + i] !== expected[i]) return -1
  return from + expected.length
}

/** The start of the value after a name; -1 if the body continues otherwise. */
const valueAfter = (body: Uint8Array, from: number, name: Uint8Array): number => {
  const end = after(body, from, name)
  if (end === -1) return -1
  const separator = skip(body, end)
  return body[separator] === colon ? skip(body, separator + 1) : -1
}

/** The closing quote of a plain string that starts at this position; -1 if it is not plain, or longer than allowed. */
const closingQuote = (body: Uint8Array, from: number, minimum: number, maximum: number): number => {
  if (body[from] !== quote) return -1
  let i = from + 1
  while (isPlain[body[i] ?? 0] === 1) i += 1
  const length = i - from - 1
  return body[i] === quote && length >= minimum && length <= maximum ? i : -1
}

/** `count` digits as a number; NaN if there are other characters. */
const digits = (body: Uint8Array, from: number, count: number): number => {
  let value = 0
  for (let i = from; i < from + count; i++) {
    const digit = (body[i] ?? 0) - zero
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

const asText = (body: Uint8Array, from: number, end: number) => String.fromCharCode(...body.subarray(from, end))

let cachedDay = Number.NaN
let cachedMillis = Number.NaN

/** A time in the format of `Date#toISOString`, in milliseconds; NaN for other formats. */
const momentAt = (body: Uint8Array, from: number): number => {
  const day = digits(body, from, 4) * 10_000 + digits(body, from + 5, 2) * 100 + digits(body, from + 8, 2)
  const hours = digits(body, from + 11, 2)
  const minutes = digits(body, from + 14, 2)
  const seconds = digits(body, from + 17, 2)
  const millis = digits(body, from + 20, 3)
  if (
    !(hours < 24 && minutes < 60 && seconds < 60) ||
    body[from + 4] !== 0x2d ||
    body[from + 7] !== 0x2d ||
    body[from + 10] !== 0x54 ||
    body[from + 13] !== colon ||
    body[from + 16] !== colon ||
    body[from + 19] !== 0x2e ||
    body[from + 23] !== 0x5a
  ) {
    return Number.NaN
  }
  if (day !== cachedDay) {
    cachedMillis = dayOf(asText(body, from, from + 10))
    cachedDay = day
  }
  return cachedMillis + hours * 3_600_000 + minutes * 60_000 + seconds * 1000 + millis
}

/** Writes `count` digits of an integer below 2^31 and returns the position after them. */
const writeDigits = (out: Uint8Array, from: number, value: number, count: number): number => {
  let rest = value | 0
  for (let i = from + count - 1; i >= from; i--) {
    const tenth = (rest / 10) | 0
    out[i] = zero + rest - tenth * 10
    rest = tenth
  }
  return from + count
}

/** Times have 13 digits until the year 2286; they are split, because 32-bit integers are faster. */
const [timeMin, timeMax] = [10 ** 12, 10 ** 13 - 1]
const timeDigits = 13
const writeTime = (out: Uint8Array, from: number, millis: number): number => {
  const high = Math.floor(millis / 1_000_000)
  return writeDigits(out, writeDigits(out, from, high, timeDigits - 6), millis - high * 1_000_000, 6)
}

const required = (1 << columns.type) | (1 << columns.source) | (1 << timestampField)

/** The only field whose name can start at this position. */
const fieldAt = (body: Uint8Array, from: number): number => {
  const second = body[from + 1]
  switch (body[from]) {
    case letterT:
      return second === letterY ? columns.type : timestampField
    case letterS:
      return second === letterO ? columns.source : second === letterU ? columns.success : columns.sessionId
    case letterD:
      return second === letterU ? columns.durationMs : columns.dimensions
    case letterI:
      return columns.id
    default:
      return -1
  }
}

/** Copying a few bytes in a loop is faster than a call. */
const loopBytesMax = 32

/**
 * Creates the reader of plain batches: JSON of known fields, each at most once, with valid values in printable ASCII
 * without escapes, and without metadata. Nearly all batches are plain. Their fields are copied from the body to the
 * columns in one pass, without a string or an object for each of them. The reader returns undefined for all other
 * batches, valid or not; these are parsed and checked with `checkEvents`, and the result for a plain batch is the same.
 */
export const makePlainReader = (types: ReadonlySet<string>) => {
  /** The types by length and by first and last byte. */
  const knownTypes = new Map<number, Array<Uint8Array>>()
  const keyOf = (body: Uint8Array, from: number, end: number) =>
    ((end - from) << 16) | ((body[from] ?? 0) << 8) | (body[end - 1] ?? 0)
  for (const type of types) {
    const bytes = bytesOf(type)
    if (!bytes.every((byte) => isPlain[byte] === 1)) continue
    const key = keyOf(bytes, 0, bytes.length)
    knownTypes.set(key, [...(knownTypes.get(key) ?? []), bytes])
  }
  const isKnownType = (body: Uint8Array, from: number, end: number): boolean => {
    const candidates = knownTypes.get(keyOf(body, from, end))
    if (candidates === undefined) return false
    for (const candidate of candidates) if (after(body, from, candidate) === end) return true
    return false
  }

  // Reading never waits, so all batches share the memory for the positions of one.
  const times = new Float64Array(bounds.events)
  const starts = new Int32Array(bounds.events * columnCount)
  const ends = new Int32Array(bounds.events * columnCount)
  /** The number of bytes in all ranges. */
  let length = 0

  const setRange = (event: number, column: number, from: number, end: number) => {
    const cell = event * columnCount + column
    starts[cell] = from
    ends[cell] = end
    length += end - from
  }

  /** Reads one dimension and returns the position after it; -1 if it is not plain. */
  const readDimension = (body: Uint8Array, from: number): number => {
    if (body[from] !== openBrace) return -1
    let i = from
    let seen = 0
    do {
      i = skip(body, i + 1)
      if (body[i] !== quote) return -1
      i += 1
      let field: number
      let value: number
      let minimum = 0
      let maximum: number
      switch (body[i]) {
        case letterT:
          field = 1
          value = valueAfter(body, i, typeName)
          minimum = 1
          maximum = bounds.dimensionTypeLength
          break
        case letterV:
          field = 2
          value = valueAfter(body, i, valueName)
          maximum = bounds.dimensionValueLength
          break
        case letterL:
          field = 4
          value = valueAfter(body, i, labelName)
          maximum = bounds.dimensionLabelLength
          break
        default:
          return -1
      }
      if (value === -1 || (seen & field) !== 0) return -1
      seen |= field
      const end = closingQuote(body, value, minimum, maximum)
      if (end === -1) return -1
      i = skip(body, end + 1)
    } while (body[i] === comma)
    return body[i] === closeBrace && (seen & 1) === 1 ? i + 1 : -1
  }

  /** Reads the dimensions and returns the position after them; -1 if they are not plain. */
  const readDimensions = (body: Uint8Array, from: number, event: number): number => {
    if (body[from] !== openBracket) return -1
    let i = skip(body, from + 1)
    if (body[i] === closeBracket) return i + 1
    for (let count = 1; count <= bounds.dimensions; count++) {
      i = readDimension(body, i)
      if (i === -1) return -1
      i = skip(body, i)
      if (body[i] === closeBracket) {
        setRange(event, columns.dimensions, from, i + 1)
        return i + 1
      }
      if (body[i] !== comma) return -1
      i = skip(body, i + 1)
    }
    return -1
  }

  const readText = (body: Uint8Array, from: number, event: number, column: number, maximum: number): number => {
    const end = closingQuote(body, from, 1, maximum)
    if (end === -1) return -1
    setRange(event, column, from + 1, end)
    return end + 1
  }

  const readType = (body: Uint8Array, from: number, event: number): number => {
    const end = closingQuote(body, from, 1, bodyBytesMax)
    if (end === -1 || !isKnownType(body, from + 1, end)) return -1
    setRange(event, columns.type, from + 1, end)
    return end + 1
  }

  const readSource = (body: Uint8Array, from: number, event: number): number => {
    if (body[from] !== quote) return -1
    const app = after(body, from + 1, appValue)
    const end = app === -1 ? after(body, from + 1, workerValue) : app
    if (end !== -1) setRange(event, columns.source, from + 1, end - 1)
    return end
  }

  const readDuration = (body: Uint8Array, from: number, event: number): number => {
    let value = 0
    let i = from
    for (;;) {
      const digit = (body[i] ?? 0) - zero
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
      if (value > bounds.durationMsMax) return -1
      i += 1
    }
    // A fraction or an exponent follows as an unexpected character.
    if (i === from || (body[from] === zero && i > from + 1)) return -1
    setRange(event, columns.durationMs, from, i)
    return i
  }

  const readSuccess = (body: Uint8Array, from: number, event: number): number => {
    const end = after(body, from, body[from] === letterT ? trueValue : falseValue)
    if (end !== -1) setRange(event, columns.success, from, from + 1)
    return end
  }

  /** The fields of the current event, as bits. */
  let seen = 0

  /** Reads the field whose name starts at `i` and returns the position after it; -1 if it is not plain. */
  const readField = (body: Uint8Array, i: number, event: number): number => {
    const field = fieldAt(body, i)
    const name = fieldNames[field]
    if (name === undefined) return -1
    const value = valueAfter(body, i, name)
    if (value === -1 || (seen & (1 << field)) !== 0) return -1
    seen |= 1 << field
    if (body[value] === letterN) {
      const isRequired = (required & (1 << field)) !== 0
      return isRequired ? -1 : after(body, value, nullValue)
    }
    switch (field) {
      case columns.type:
        return readType(body, value, event)
      case columns.source:
        return readSource(body, value, event)
      case columns.sessionId:
        return readText(body, value, event, field, bounds.sessionIdLength)
      case columns.durationMs:
        return readDuration(body, value, event)
      case columns.success:
        return readSuccess(body, value, event)
      case columns.dimensions:
        return readDimensions(body, value, event)
      case columns.id:
        return readText(body, value, event, field, bounds.idLength)
      default: {
        if (body[value] !== quote || body[value + 25] !== quote) return -1
        times[event] = momentAt(body, value + 1)
        return value + 26
      }
    }
  }

  /** Reads one event and returns the position after it; -1 if it is not plain. */
  const readEvent = (body: Uint8Array, from: number, event: number): number => {
    if (body[from] !== openBrace) return -1
    const cell = event * columnCount
    for (let i = cell; i < cell + columnCount; i++) starts[i] = ends[i] = 0
    seen = 0
    let i = from
    do {
      i = skip(body, i + 1)
      if (body[i] !== quote) return -1
      i = readField(body, i + 1, event)
      if (i === -1) return -1
      i = skip(body, i)
    } while (body[i] === comma)
    return body[i] === closeBrace && (seen & required) === required ? i + 1 : -1
  }

  const write = (body: Uint8Array, kept: number): Uint8Array => {
    const out = Buffer.allocUnsafe(length + kept * (timeDigits + 1 + columnCount) - 1)
    let place = 0
    for (let event = 0; event < kept; event++) {
      if (event > 0) out[place++] = unitSeparatorByte
      place = writeTime(out, place, times[event] ?? 0)
    }
    for (let column = 0; column < columnCount; column++) {
      out[place++] = fieldSeparatorByte
      for (let event = 0; event < kept; event++) {
        if (event > 0) out[place++] = unitSeparatorByte
        const from = starts[event * columnCount + column] ?? 0
        const end = ends[event * columnCount + column] ?? 0
        if (end - from > loopBytesMax) {
          out.set(body.subarray(from, end), place)
          place += end - from
        } else for (let i = from; i < end; i++) out[place++] = body[i] ?? 0
      }
    }
    return out
  }

  return (body: Uint8Array, from: number, until: number): PlainBatch | undefined => {
    if (body.length > bodyBytesMax) return undefined
    length = 0
    let i = skip(body, 0)
    if (body[i] !== openBrace) return undefined
    i = skip(body, i + 1)
    if (body[i] !== quote) return undefined
    i = valueAfter(body, i + 1, eventsName)
    if (i === -1 || body[i] !== openBracket) return undefined
    let kept = 0
    let earliest = Number.POSITIVE_INFINITY
    let latest = Number.NEGATIVE_INFINITY
    do {
      if (kept === bounds.events) return undefined
      i = readEvent(body, skip(body, i + 1), kept)
      if (i === -1) return undefined
      const at = times[kept] ?? Number.NaN
      if (!(at >= from && at <= until && at >= timeMin && at <= timeMax)) return undefined
      if (at < earliest) earliest = at
      if (at > latest) latest = at
      kept += 1
      i = skip(body, i)
    } while (body[i] === comma)
    if (body[i] !== closeBracket) return undefined
    i = skip(body, i + 1)
    if (body[i] !== closeBrace || !isEnd(body, i + 1)) return undefined
    return { kept, earliest, latest, columns: write(body, kept) }
  }
}
