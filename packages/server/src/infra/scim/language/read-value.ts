import type { Attribute } from "./attribute.ts"
import { refuse } from "./fault.ts"
import { isStorable } from "./fold.ts"
import { isList, isRecord, type Json, type JsonObject, listOf } from "./json.ts"
import { parseMoment } from "./moment.ts"
import { attributeNamed } from "./schemas.ts"

/** Values of one attribute. */
export const valuesMax = 200

const lengthMax = { string: 1024, reference: 2048, binary: 16_384, dateTime: 64 } as const
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/

const wrong = (where: string, what: string) => refuse("invalidValue", `${where} ${what}.`)

const readText = (attribute: Attribute, input: Json, where: string): string | undefined => {
  if (typeof input !== "string") throw wrong(where, "is to be a text")
  const max = lengthMax[attribute.type === "boolean" || attribute.type === "complex" ? "string" : attribute.type]
  if (input.length > max) throw wrong(where, `is longer than ${max} characters`)
  if (!isStorable(input)) throw wrong(where, "holds what is no text")
  if (attribute.type === "binary" && !base64.test(input)) throw wrong(where, "is to be Base64")
  if (attribute.type === "dateTime" && parseMoment(input) === undefined) throw wrong(where, "is to be a date with time")
  // An empty text is no value (as RFC 7643 §2.5 has it of null and of an empty array).
  return input === "" ? undefined : input
}

const readBoolean = (input: Json, where: string): boolean => {
  if (typeof input === "boolean") return input
  // Entra writes "True".
  const word = typeof input === "string" ? input.toLowerCase() : ""
  if (word === "true" || word === "false") return word === "true"
  throw wrong(where, "is to be true or false")
}

/** An attribute's names as they came, told without regard to case; what the schemas do not know is left out. */
export const readMembers = (
  attributes: ReadonlyArray<Attribute>,
  input: JsonObject,
  where: string
): ReadonlyArray<readonly [Attribute, Json]> => {
  const found = new Map<Attribute, Json>()
  for (const [name, value] of Object.entries(input)) {
    const attribute = attributeNamed(attributes, name)
    if (attribute === undefined) continue
    if (found.has(attribute)) throw refuse("invalidSyntax", `${where}${attribute.name} is there twice.`)
    found.set(attribute, value)
  }
  return [...found]
}

const readComplex = (attribute: Attribute, input: Json, where: string): JsonObject | undefined => {
  const subAttributes = attribute.subAttributes ?? []
  const value = attributeNamed(subAttributes, "value")
  // Entra sends a manager as its id alone, others roles as their names.
  if (typeof input === "string" && value !== undefined) return readComplex(attribute, { value: input }, where)
  if (!isRecord(input)) throw wrong(where, "is to be an object")
  const read: Record<string, Json> = {}
  for (const [sub, given] of readMembers(subAttributes, input, `${where}.`)) {
    const one = readOne(sub, given, `${where}.${sub.name}`)
    if (one !== undefined) read[sub.name] = one
  }
  return Object.keys(read).length === 0 ? undefined : read
}

/** One value, judged by its attribute's type; undefined when it says nothing. */
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

/** The values of an attribute with several; one that stands alone is taken too. */
export const readElements = (attribute: Attribute, input: Json, where: string): ReadonlyArray<JsonObject> => {
  const given = listOf(input)
  if (given.length > valuesMax) throw wrong(where, `has more than ${valuesMax} values`)
  return given.flatMap((one) => {
    const element = readOne(attribute, one, where)
    return isRecord(element) ? [element] : []
  })
}

/** An attribute's whole value. */
export const readAttribute = (attribute: Attribute, input: Json, where: string): Json | undefined => {
  if (attribute.multiValued) return readElements(attribute, input, where)
  if (isList(input)) throw wrong(where, "has one value at most")
  return readOne(attribute, input, where)
}
