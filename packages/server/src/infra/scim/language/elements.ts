import type { Attribute } from "./attribute.ts"
import type { JsonObject } from "./json.ts"
import { foldOne } from "./resource.ts"

const hasValue = (attribute: Attribute) => attribute.subAttributes?.some(({ name }) => name === "value") === true

/**
 * The identity of a value: its value and its type, as RFC 7643 §2.4 defines, or all of it when the attribute has no
 * `value`.
 */
const identityOf = (attribute: Attribute, element: JsonObject): string => {
  const cached = identities.get(element)
  if (cached !== undefined) return cached
  const { primary: _, ...folded } = foldedElement(attribute, element)
  const identity = JSON.stringify(hasValue(attribute) ? [folded["value"], folded["type"]] : sorted(folded))
  identities.set(element, identity)
  return identity
}

/*
 * A request may compare the same values a thousand times, and folding a text is expensive. A value belongs to one
 * attribute and is never mutated.
 */
const identities = new WeakMap<JsonObject, string>()
const foldedOnes = new WeakMap<JsonObject, JsonObject>()

export const foldedElement = (attribute: Attribute, element: JsonObject): JsonObject => {
  const cached = foldedOnes.get(element)
  if (cached !== undefined) return cached
  const folded = foldOne(attribute, element) as JsonObject
  foldedOnes.set(element, folded)
  return folded
}

const sorted = (object: JsonObject) =>
  Object.entries(object).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))

/**
 * Merges values with the same identity: the later one's sub-attributes are added to the earlier one. Of several primary
 * values only one remains: the last one in `primaries`. If `primaries` has none, they are unchanged.
 */
export const merged = (
  attribute: Attribute,
  elements: ReadonlyArray<JsonObject>,
  primaries: ReadonlyArray<JsonObject>
): ReadonlyArray<JsonObject> => {
  const byIdentity = new Map<string, JsonObject>()
  for (const element of elements) {
    const identity = identityOf(attribute, element)
    const same = byIdentity.get(identity)
    byIdentity.set(identity, same === undefined ? element : { ...same, ...element })
  }
  const chosen = primaries
    .map((element) => byIdentity.get(identityOf(attribute, element)))
    .findLast((element) => element?.["primary"] === true)
  return onePrimary([...byIdentity.values()], chosen)
}

/** RFC 7644 §3.5.2: only the value that was last made primary is primary. */
const onePrimary = (elements: ReadonlyArray<JsonObject>, chosen: JsonObject | undefined): ReadonlyArray<JsonObject> =>
  chosen === undefined
    ? elements
    : elements.map((element) =>
        element !== chosen && element["primary"] === true ? { ...element, primary: false } : element
      )

/** The values to store. A value that has only a type is dropped. */
export const settled = (attribute: Attribute, elements: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const valued = hasValue(attribute) ? elements.filter((element) => element["value"] !== undefined) : elements
  return merged(attribute, valued, valued)
}
