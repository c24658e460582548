import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"
import type { Buffer } from "node:buffer"

/** A column of a result, as PostgreSQL describes it. */
export interface Column {
  readonly name: string
  readonly type: number
}

export type Row = Readonly<Record<string, unknown>>
/** Decodes the row whose columns begin at an offset. */
export type DecodeRow = (bytes: Buffer, at: number) => Row
type DecodeCell = (bytes: Buffer, at: number, size: number) => unknown

const { OID } = PgTypes

const text: DecodeCell = (bytes, at, size) => bytes.toString("utf8", at, at + size)
const json: DecodeCell = (bytes, at, size) => JSON.parse(bytes.toString("utf8", at, at + size))
/** The first byte is the version of the format. */
const jsonb: DecodeCell = (bytes, at, size) => JSON.parse(bytes.toString("utf8", at + 1, at + size))
const bool: DecodeCell = (bytes, at) => bytes[at] === 1
const int4: DecodeCell = (bytes, at) => bytes.readInt32BE(at)

/** The cell types of nearly all rows. Their decoders create nothing but the value. */
const frequent: Readonly<Record<number, DecodeCell>> = {
  [OID.text]: text,
  [OID.varchar]: text,
  [OID.json]: json,
  [OID.jsonb]: jsonb,
  [OID.bool]: bool,
  [OID.int4]: int4
}

/**
 * Consecutive rows often repeat a value, such as the id of their parent, and comparing a few bytes is cheaper than
 * decoding them. Both cells are in the same bytes.
 */
const repeating = (): DecodeCell => {
  let lastBytes: Buffer | undefined
  let lastAt = 0
  let lastSize = -1
  let last = ""
  return (bytes, at, size) => {
    if (size === lastSize && bytes === lastBytes) {
      let offset = size - 1
      // Ids of different objects differ at their ends.
      while (offset >= 0 && bytes[at + offset] === bytes[lastAt + offset]) offset -= 1
      if (offset === -1) return last
    }
    lastBytes = bytes
    lastAt = at
    lastSize = size
    last = bytes.toString("utf8", at, at + size)
    return last
  }
}

/** Copies byte arrays, because the library may return views of the read buffer, which the next read overwrites. */
const copyBytes = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  return Array.isArray(value) ? value.map(copyBytes) : value
}

const decoderOf = (columns: ReadonlyArray<Column>, index: number, registry: PgTypes.Registry): DecodeCell => {
  const type = columns[index]?.type ?? 0
  if (type === OID.text || type === OID.varchar) return repeating()
  const existing = frequent[type]
  if (existing !== undefined) return existing
  const read = Result.getOrThrow(PgTypes.makeFieldReader([{ dataTypeOid: type, format: 1 }], registry))
  return (bytes, at, size) => copyBytes(read(bytes, at, size, 0))
}

const mismatch = (found: number): never => {
  throw new Error(`The server sent a row of ${found} columns that does not match its description.`)
}

/** Without generated code, where strings cannot become code. */
const interpreted =
  (columns: ReadonlyArray<Column>, cells: ReadonlyArray<DecodeCell>): DecodeRow =>
  (bytes, begin) => {
    let at = begin + 2
    return Object.fromEntries(
      columns.map(({ name }, index) => {
        const size = bytes.readInt32BE(at)
        at += 4
        const value = size < 0 ? null : cells[index]?.(bytes, at, size)
        if (size > 0) at += size
        return [name, value]
      })
    )
  }

type Build = (cells: ReadonlyArray<DecodeCell>) => DecodeRow

/** A function that reads the columns in order and creates an object with a constant shape, which is fast to use. */
const generated = (columns: ReadonlyArray<Column>, cells: ReadonlyArray<DecodeCell>): DecodeRow => {
  const size = "size = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]; at += 4"
  const reads = columns.map(
    (_, index) => `${size}; let c${index} = null; if (size >= 0) { c${index} = d${index}(bytes, at, size); at += size }`
  )
  // A repeated name keeps the last value; "__proto__" is an ordinary name only if it is computed.
  const members = columns.map(({ name }, index) => `[${JSON.stringify(name)}]: c${index}`)
  const names = columns.map((_, index) => `d${index}`)
  // oxlint-disable-next-line typescript/no-implied-eval -- contains only column names, quoted
  const build = new Function(
    "cells",
    `"use strict"; const [${names.join(", ")}] = cells; return (bytes, begin) => { let at = begin + 2, size = 0; ${reads.join("; ")}; return { ${members.join(", ")} } }`
  ) as Build
  return build(cells)
}

/** Prepares the decoder of a statement's rows once. All columns are in PostgreSQL's binary format. */
export const makeRowDecoder = (columns: ReadonlyArray<Column>, registry: PgTypes.Registry): DecodeRow => {
  const cells = columns.map((_, index) => decoderOf(columns, index, registry))
  let decode: DecodeRow
  try {
    decode = generated(columns, cells)
  } catch (error) {
    if (!(error instanceof EvalError)) throw error
    decode = interpreted(columns, cells)
  }
  return (bytes, at) => {
    const count = bytes.readInt16BE(at)
    return count === columns.length ? decode(bytes, at) : mismatch(count)
  }
}
