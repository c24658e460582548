import type { Attribute } from "./attribute.ts"
import { refuse } from "./fault.ts"
import { isStorable } from "./fold.ts"
import { isList, isRecord, type Json, type JsonObject, listOf } from "./json.ts"
import { parseMoment } from "./moment.ts"
import { attributeNamed } from "./schemas.ts"

/** Maximum number of values of one attribute. */
export const valuesMax = 200

const lengthMax = { string: 1024, reference: 2048, binary: 16_384, dateTime: 64 } as const
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/

const wrong = (where: string, problem: string) => refuse("invalidValue", `${where} ${problem}.`)

const readText = (attribute: Attribute, input: Json, where: string): string | undefined => {
  if (typeof input !== "string") throw wrong(where, "must be a string")
  const max = lengthMax[attribute.type === "boolean" || attribute.type === "complex" ? "string" : attribute.type]
  if (input.length > max) throw wrong(where, `must have at most ${max} characters`)
  if (!isStorable(input)) throw wrong(where, "must not contain U+0000 or lone surrogates")
  if (attribute.type === "binary" && !base64.test(input)) throw wrong(where, "must be Base64")
  if (attribute.type === "dateTime" && parseMoment(input) === undefined)
    throw wrong(where, "must be a date and time like 2026-01-31T12:00:00Z")
  // An empty string means that there is no value, like null and an empty array (RFC 7643 §2.5).
  return input === "" ? undefined : input
}

const readBoolean = (input: Json, where: string): boolean => {
  if (typeof input === "boolean") return input
  // Entra sends `"True"`.
  const word = typeof input === "string" ? input.toLowerCase() : ""
  if (word === "true" || word === "false") return word === "true"
  throw wrong(where, "must be true or false")
}

/** Members by attribute; names are case-insensitive, and unknown ones are ignored. */
export const readMembers = (
  attributes: ReadonlyArray<Attribute>,
  input: JsonObject,
  where: string
): ReadonlyArray<readonly [Attribute, Json]> => {
  const members = new Map<Attribute, Json>()
  for (const [name, value] of Object.entries(input)) {
    const attribute = attributeNamed(attributes, name)
    if (attribute === undefined) continue
    if (members.has(attribute)) throw refuse("invalidSyntax", `${where}${attribute.name} occurs twice.`)
    members.set(attribute, value)
  }
  return [...members]
}

const readComplex = (attribute: Attribute, input: Json, where: string): JsonObject | undefined => {
  const subAttributes = attribute.subAttributes ?? []
  const value = attributeNamed(subAttributes, "value")
  // Entra sends a manager as an ID, others send roles as names.
  if (typeof input === "string" && value !== undefined) return readComplex(attribute, { value: input }, where)
  if (!isRecord(input)) throw wrong(where, "must be an object")
  const read: Record<string, Json> = {}
  for (const [sub, given] of readMembers(subAttributes, input, `${where}.`)) {
    const one = readOne(sub, given, `${where}.${sub.name}`)
    if (one !== undefined) read[sub.name] = one
  }
  return Object.keys(read).length === 0 ? undefined : read
}

/** One value, validated by its attribute's type; undefined when it is empty. */
export const readOne = (attribute: Attribute, input: Json, where: string): Json | undefined => {
  if (input === null) return undefined
  switch (attribute.type) {
    case "boolean":
      return readBoolean(input, where)
    case "complex":
      return readComplex(attribute, input, where)
    default:
      return readText(attribute, input, where)
  }
}

/** The values of a multi-valued attribute; a single value is accepted too. */
export const readElements = (attribute: Attribute, input: Json, where: string): ReadonlyArray<JsonObject> => {
  const given = listOf(input)
  if (given.length > valuesMax) throw wrong(where, `must have at most ${valuesMax} values`)
  return given.flatMap((one) => {
    const element = readOne(attribute, one, where)
    return isRecord(element) ? [element] : []
  })
}

/** The complete value of an attribute. */
export const readAttribute = (attribute: Attribute, input: Json, where: string): Json | undefined => {
  if (attribute.multiValued) return readElements(attribute, input, where)
  if (isList(input)) throw wrong(where, "must have at most one value")
  return readOne(attribute, input, where)
}
