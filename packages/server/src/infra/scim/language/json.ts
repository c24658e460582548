export type Json = string | number | boolean | null | JsonArray | JsonObject
export type JsonArray = ReadonlyArray<Json>
export interface JsonObject {
  readonly [name: string]: Json
}

export const isList = (value: unknown): value is JsonArray => Array.isArray(value)

export const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !isList(value)

/** Converts a single value to a list with one element, and an absent value to an empty list. */
export const listOf = (value: Json | undefined): JsonArray =>
  value === undefined || value === null ? [] : isList(value) ? value : [value]

/** Whether two values are equal, regardless of the order of members. */
export const isSame = (left: Json | undefined, right: Json | undefined): boolean => {
  if (left === right) return true
  if (isList(left) || isList(right)) {
    return (
      isList(left) &&
      isList(right) &&
      left.length === right.length &&
      left.every((value, index) => isSame(value, right[index]))
    )
  }
  if (!isRecord(left) || !isRecord(right)) return false
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]))
  )
}
