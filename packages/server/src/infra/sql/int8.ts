import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"

/**
 * How columns are decoded, on both engines:
 *
 * - `smallint`, `integer`, `real`, `double precision`: number
 * - `bigint`, `count(*)`, `sum(integer)`: number if it is a safe integer, otherwise BigInt
 * - `numeric`, and therefore `sum(bigint)` and `avg`: string
 * - `text`, `varchar`, `uuid`, `date`: string (`date` as `YYYY-MM-DD`)
 * - `boolean`: boolean
 * - `timestamptz`, `timestamp`: Date, truncated to milliseconds; `infinity` is an invalid Date
 * - `time`: BigInt microseconds
 * - `json`, `jsonb`: the value
 * - `bytea`: Uint8Array
 * - arrays of these: array; NULL elements are null
 * - NULL: null
 *
 * Other types, such as `tsvector`, ranges and enums, are not decoded correctly: select them `::text`.
 *
 * How parameters are encoded: an integer as `integer` or `bigint` by its size, a fraction as `double precision`, a
 * string as the type that the statement expects, a Date as `timestamptz`, objects only by `sql.json`.
 */
export const makeTypes = (): PgTypes.Registry => {
  const types = PgTypes.makeRegistry()
  types.register(PgTypes.OID.int8, int8, { arrayOid: PgTypes.OID.int8Array })
  return types
}

const read = (bytes: Uint8Array, offset: number, size: number): Result.Result<number | bigint, PgTypes.CodecError> => {
  if (size !== 8) {
    return Result.fail(new PgTypes.CodecError({ message: `Expected 8 bytes for int8, received ${size}` }))
  }
  const value = new DataView(bytes.buffer, bytes.byteOffset + offset, size).getBigInt64(0)
  const number = Number(value)
  return Result.succeed(Number.isSafeInteger(number) ? number : value)
}

const int8: PgTypes.Codec<number | bigint> = {
  decode: (bytes) => read(bytes, 0, bytes.length),
  read,
  encode: (value) => {
    if (typeof value === "number" && !Number.isSafeInteger(value)) {
      return Result.fail(new PgTypes.CodecError({ message: `Expected a safe integer for int8, received ${value}` }))
    }
    const big = BigInt(value)
    if (BigInt.asIntN(64, big) !== big) {
      return Result.fail(new PgTypes.CodecError({ message: `int8 out of range: ${value}` }))
    }
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigInt64(0, big)
    return Result.succeed(bytes)
  }
}
