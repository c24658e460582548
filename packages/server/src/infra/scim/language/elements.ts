import type { Attribute } from "./attribute.ts"
import type { JsonObject } from "./json.ts"
import { foldOne } from "./resource.ts"

const hasValue = (attribute: Attribute) => attribute.subAttributes?.some(({ name }) => name === "value") === true

/**
 * What makes a value of an attribute the same one: its value and its type, as RFC 7643 §2.4 says, or all of it where the
 * attribute has no `value`.
 */
const identityOf = (attribute: Attribute, element: JsonObject): string => {
  const known = identities.get(element)
  if (known !== undefined) return known
  const { primary: _, ...folded } = foldedElement(attribute, element)
  const identity = JSON.stringify(hasValue(attribute) ? [folded["value"], folded["type"]] : sorted(folded))
  identities.set(element, identity)
  return identity
}

/*
 * A request may look at the same values a thousand times, and folding a text is dear. A value belongs to one attribute, and
 * is never changed where it is.
 */
const identities = new WeakMap<JsonObject, string>()
const foldedOnes = new WeakMap<JsonObject, JsonObject>()

export const foldedElement = (attribute: Attribute, element: JsonObject): JsonObject => {
  const known = foldedOnes.get(element)
  if (known !== undefined) return known
  const folded = foldOne(attribute, element) as JsonObject
  foldedOnes.set(element, folded)
  return folded
}

const sorted = (object: JsonObject) =>
  Object.entries(object).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))

/**
 * Values by what they are; the later of two that are the same adds what it says to the earlier one. Of those that are
 * primary one is left: the last that `made` names, or else none is touched.
 */
export const merged = (
  attribute: Attribute,
  elements: ReadonlyArray<JsonObject>,
  made: ReadonlyArray<JsonObject>
): ReadonlyArray<JsonObject> => {
  const byIdentity = new Map<string, JsonObject>()
  for (const element of elements) {
    const identity = identityOf(attribute, element)
    const same = byIdentity.get(identity)
    byIdentity.set(identity, same === undefined ? element : { ...same, ...element })
  }
  const chosen = made
    .map((element) => byIdentity.get(identityOf(attribute, element)))
    .findLast((element) => element?.["primary"] === true)
  return onePrimary([...byIdentity.values()], chosen)
}

/** RFC 7644 §3.5.2: whichever value was made the primary one last is, and no other. */
const onePrimary = (elements: ReadonlyArray<JsonObject>, chosen: JsonObject | undefined): ReadonlyArray<JsonObject> =>
  chosen === undefined
    ? elements
    : elements.map((element) =>
        element !== chosen && element["primary"] === true ? { ...element, primary: false } : element
      )

/** What is kept of them: a value of nothing but a type is none. */
export const settled = (attribute: Attribute, elements: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const valued = hasValue(attribute) ? elements.filter((element) => element["value"] !== undefined) : elements
  return merged(attribute, valued, valued)
}
