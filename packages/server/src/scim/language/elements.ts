import type { Attribute } from "./attribute.ts"
import type { Json, JsonObject } from "./json.ts"
import { foldOne } from "./resource.ts"

const hasValue = (attribute: Attribute) => attribute.subAttributes?.some(({ name }) => name === "value") === true

/**
 * What makes a value of an attribute the same one: its value and its type, as RFC 7643 §2.4 says, or all of it where the
 * attribute has no `value`.
 */
const identityOf = (attribute: Attribute, element: JsonObject): string => {
  const { primary: _, ...folded } = foldOne(attribute, element) as JsonObject
  return JSON.stringify(hasValue(attribute) ? [folded["value"], folded["type"]] : sorted(folded))
}

const sorted = (object: JsonObject) =>
  Object.entries(object).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))

/** Values by what they are; the later of two that are the same adds what it says to the earlier one. */
export const merged = (
  attribute: Attribute,
  present: ReadonlyArray<JsonObject>,
  added: ReadonlyArray<JsonObject> = []
): { readonly elements: ReadonlyArray<JsonObject>; readonly touched: ReadonlySet<JsonObject> } => {
  const byIdentity = new Map<string, JsonObject>()
  for (const element of present) {
    const identity = identityOf(attribute, element)
    byIdentity.set(identity, { ...byIdentity.get(identity), ...element })
  }
  const touched = new Map<string, JsonObject>()
  for (const element of added) {
    const identity = identityOf(attribute, element)
    const whole = { ...byIdentity.get(identity), ...element }
    byIdentity.set(identity, whole)
    touched.delete(identity)
    touched.set(identity, whole)
  }
  return { elements: [...byIdentity.values()], touched: new Set(touched.values()) }
}

/** RFC 7644 §3.5.2: whichever value was made the primary one last is, and no other. */
export const onePrimary = (
  elements: ReadonlyArray<JsonObject>,
  touched: ReadonlySet<JsonObject> = new Set(elements)
): ReadonlyArray<JsonObject> => {
  const chosen = [...touched].findLast((element) => element["primary"] === true)
  return chosen === undefined
    ? elements
    : elements.map((element) =>
        element !== chosen && element["primary"] === true ? { ...element, primary: false } : element
      )
}

/** What is kept of them: a value of nothing but a type is none. */
export const settled = (attribute: Attribute, elements: ReadonlyArray<JsonObject>): ReadonlyArray<Json> => {
  const valued = hasValue(attribute) ? elements.filter((element) => element["value"] !== undefined) : elements
  return onePrimary(merged(attribute, valued).elements)
}
