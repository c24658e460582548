import * as PgProtocol from "@effect/sql-pg/PgProtocol"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"
import { Buffer } from "node:buffer"

/** The messages of the extended query protocol that a statement consists of. */

const { OID } = PgTypes

/** A parameter as it is sent: its type (0 if PostgreSQL infers it) and its bytes; null is NULL. */
type Bytes = Uint8Array | string | number | null

const int4Min = -2_147_483_648
const int4Max = 2_147_483_647

/** A type for each parameter. A string has none, so it can be compared with a column of any type. */
const typeOf = (value: unknown): number => {
  switch (typeof value) {
    case "string":
    case "undefined":
      return 0
    case "boolean":
      return OID.bool
    case "bigint":
      return OID.int8
    case "number":
      if (!Number.isSafeInteger(value)) return OID.float8
      return value >= int4Min && value <= int4Max ? OID.int4 : OID.int8
    default:
      if (value === null) return 0
      if (PgTypes.isParameter(value)) return value.oid
      if (value instanceof Date) return OID.timestamptz
      if (value instanceof Uint8Array) return OID.bytea
      throw new PgTypes.CodecError({ message: `A parameter of the type ${typeof value} cannot be sent` })
  }
}

const arrayTypeOf = (values: ReadonlyArray<unknown>, registry: PgTypes.Registry): number => {
  if (values.length === 0) return 0
  const types = new Set(values.filter((value) => value !== null && value !== undefined).map(typeOf))
  const [type] = types
  if (type === undefined || types.size > 1) {
    throw new PgTypes.CodecError({ message: "The elements of an array parameter must have one type" })
  }
  const arrayType = PgTypes.arrayOidFor(type === 0 ? OID.text : type, registry)
  if (arrayType === undefined) {
    throw new PgTypes.CodecError({ message: `No array type is known for elements of the type ${type}` })
  }
  return arrayType
}

export const typesOf = (values: ReadonlyArray<unknown>, registry: PgTypes.Registry): ReadonlyArray<number> =>
  values.map((value) => (Array.isArray(value) ? arrayTypeOf(value, registry) : typeOf(value)))

const bytesOf = (value: unknown, type: number, registry: PgTypes.Registry): Bytes => {
  if (value === null || value === undefined) return null
  if (typeof value === "string") return value
  if (type === OID.int4 && typeof value === "number") return value
  if (Array.isArray(value) && value.length === 0) return "{}"
  const plain: unknown = PgTypes.isParameter(value) ? value.value : value
  if (plain === null) return null
  if (type === 0) throw new PgTypes.CodecError({ message: "A parameter without a type must be text" })
  return Result.getOrThrow(
    PgTypes.encode(type === OID.int8 && typeof plain === "number" ? BigInt(plain) : plain, type, registry)
  )
}

const bytesMin = 1024

/** Collects messages for one write. */
export class Frames {
  #bytes = Buffer.allocUnsafeSlow(8192)
  #at = 0

  get isEmpty(): boolean {
    return this.#at === 0
  }

  /** The collected messages, copied, so that the space is used again. */
  take(): Buffer {
    const taken = Buffer.allocUnsafe(this.#at)
    this.#bytes.copy(taken, 0, 0, this.#at)
    this.#at = 0
    return taken
  }

  append(frame: Uint8Array): void {
    this.#reserve(frame.length)
    this.#bytes.set(frame, this.#at)
    this.#at += frame.length
  }

  parse(name: string, text: string, parameterTypes: ReadonlyArray<number>): void {
    this.append(Result.getOrThrow(PgProtocol.encodeParse({ name, query: text, parameterTypes })))
  }

  /** Binds the unnamed portal, with all results in the binary format. */
  bind(
    statement: string,
    values: ReadonlyArray<unknown>,
    types: ReadonlyArray<number>,
    registry: PgTypes.Registry
  ): void {
    const count = values.length
    this.#reserve(bytesMin + statement.length + count * 2)
    const begin = this.#at
    try {
      this.#bytes[this.#at] = 0x42
      this.#at += 5
      this.#bytes[this.#at++] = 0
      this.#at += this.#bytes.write(statement, this.#at, "latin1")
      this.#bytes[this.#at++] = 0
      this.#int16(count)
      for (let index = 0; index < count; index++) this.#int16(types[index] === 0 ? 0 : 1)
      this.#int16(count)
      for (let index = 0; index < count; index++) this.#value(bytesOf(values[index], types[index] ?? 0, registry))
      this.#reserve(4)
      this.#int16(1)
      this.#int16(1)
      this.#bytes.writeInt32BE(this.#at - begin - 1, begin + 1)
    } catch (error) {
      this.#at = begin
      throw error
    }
  }

  #value(value: Bytes): void {
    if (value === null) {
      this.#reserve(4)
      this.#int32(-1)
    } else if (typeof value === "number") {
      this.#reserve(8)
      this.#int32(4)
      this.#int32(value)
    } else if (typeof value === "string") {
      this.#reserve(4 + value.length * 3)
      const size = this.#bytes.write(value, this.#at + 4, "utf8")
      this.#int32(size)
      this.#at += size
    } else {
      this.#reserve(4 + value.length)
      this.#int32(value.length)
      this.#bytes.set(value, this.#at)
      this.#at += value.length
    }
  }

  #int16(value: number): void {
    this.#at = this.#bytes.writeInt16BE(value, this.#at)
  }

  #int32(value: number): void {
    this.#at = this.#bytes.writeInt32BE(value, this.#at)
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + size))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}

const execute = PgProtocol.encodeExecute({ portal: "", maxRows: 0 })
const sync = PgProtocol.encodeSync()
/** Executes the bound portal, as a part of a unit that ends with a later statement. */
export const executeOnlyFrame = Buffer.from(execute)
/** Requests the columns of the bound portal. */
export const describeFrame = Buffer.from(PgProtocol.encodeDescribe({ target: "portal", name: "" }))
/** Executes the bound portal, and ends the unit. */
export const executeFrame = Buffer.concat([execute, sync])
export const closeFrame = (statement: string) => PgProtocol.encodeClose({ target: "statement", name: statement })
