import type { Attribute } from "./attribute.ts"
import { refuse } from "./fault.ts"
import { fold } from "./fold.ts"
import { parseMoment } from "./moment.ts"
import { attributeNamed, type Name, type Place, placeOf, type ResourceType, resourceTypes, spell } from "./schemas.ts"
import type { Filter, Literal, Operator } from "./syntax.ts"

/** The test of a value; a text is already folded unless the attribute is case-exact. */
export type Test =
  | { readonly kind: "present" }
  | { readonly kind: "text"; readonly operator: Operator; readonly value: string }
  | { readonly kind: "boolean"; readonly operator: "eq" | "ne"; readonly value: boolean }
  | { readonly kind: "moment"; readonly operator: Operator; readonly value: number }

/** A filter with resolved attributes: the basis of the SQL and of the evaluator. */
export type Condition =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "and" | "or"; readonly conditions: ReadonlyArray<Condition> }
  | { readonly kind: "not"; readonly condition: Condition }
  | { readonly kind: "test"; readonly place: Place; readonly test: Test }
  /** One of the attribute's values matches the condition on its sub-attributes. */
  | { readonly kind: "some"; readonly place: Place; readonly condition: ElementCondition }

export type ElementCondition =
  | { readonly kind: "and" | "or"; readonly conditions: ReadonlyArray<ElementCondition> }
  | { readonly kind: "not"; readonly condition: ElementCondition }
  | { readonly kind: "test"; readonly sub: Attribute; readonly test: Test }

const isKnownSomewhere = (name: Name) =>
  (Object.keys(resourceTypes) as ReadonlyArray<ResourceType>).some((type) => placeOf(type, name) !== undefined)

const unknown = (name: Name) => refuse("invalidFilter", `The attribute ${spell(name)} cannot be used in a filter.`)
/** Generated attributes whose value depends on the base URL of the request. */
const isAddress = ({ attribute, sub }: Place) =>
  (attribute.name === "meta" && sub?.name === "location") ||
  ((attribute.name === "members" || attribute.name === "groups") && sub?.name === "$ref")

const booleanOf = (value: Literal): boolean | undefined => {
  if (typeof value === "boolean") return value
  // Entra sends booleans as strings.
  const text = typeof value === "string" ? value.toLowerCase() : ""
  return text === "true" ? true : text === "false" ? false : undefined
}

/** Undefined when the comparison is not possible. */
const comparison = (leaf: Attribute, operator: Operator, value: Literal): Test | undefined => {
  const isEquality = operator === "eq" || operator === "ne"
  switch (leaf.type) {
    case "boolean": {
      const truth = booleanOf(value)
      return isEquality && truth !== undefined ? { kind: "boolean", operator, value: truth } : undefined
    }
    case "dateTime": {
      const millis = typeof value === "string" ? parseMoment(value) : undefined
      const isOrdered = operator !== "co" && operator !== "sw" && operator !== "ew"
      return isOrdered && millis !== undefined ? { kind: "moment", operator, value: millis } : undefined
    }
    case "binary":
      // RFC 7644: binary values have no order.
      if (operator === "gt" || operator === "ge" || operator === "lt" || operator === "le") return undefined
      break
    case "complex":
      return undefined
    case "string":
    case "reference":
      break
  }
  if (typeof value !== "string") return undefined
  return { kind: "text", operator, value: leaf.caseExact ? value : fold(value) }
}

interface Leaf {
  readonly test: Test
  readonly isNot: boolean
}

/** A test, possibly negated: null is the same as absent. */
const leafTest = (name: Name, leaf: Attribute, operator: Operator, value: Literal): Leaf => {
  if (value === null && (operator === "eq" || operator === "ne")) {
    return { test: { kind: "present" }, isNot: operator === "eq" }
  }
  const test = comparison(leaf, operator, value)
  if (test === undefined) {
    throw refuse(
      "invalidFilter",
      `${spell(name)} is a ${leaf.type} and cannot be compared with ${operator} ${JSON.stringify(value)}.`
    )
  }
  return { test, isNot: false }
}

/** A complex attribute means its `value`, if it has one. */
const toValue = (place: Place): Place => {
  if (place.sub !== undefined || place.attribute.type !== "complex") return place
  const value = attributeNamed(place.attribute.subAttributes, "value")
  return value === undefined ? place : { ...place, sub: value }
}

const resolveElement = (parent: Attribute, filter: Filter): ElementCondition => {
  switch (filter.kind) {
    case "and":
    case "or":
      return { kind: filter.kind, conditions: filter.filters.map((one) => resolveElement(parent, one)) }
    case "not":
      return { kind: "not", condition: resolveElement(parent, filter.filter) }
    case "value":
      throw refuse("invalidFilter", "Filters cannot be nested in brackets.")
    case "present":
    case "compare": {
      const { name } = filter
      const sub =
        name.schema === undefined && name.sub === undefined
          ? attributeNamed(parent.subAttributes, name.attribute)
          : undefined
      if (sub === undefined)
        throw refuse("invalidFilter", `${parent.name} does not have the sub-attribute ${spell(name)}.`)
      if ((parent.name === "members" || parent.name === "groups") && sub.name === "$ref") throw unknown(name)
      if (filter.kind === "present") return { kind: "test", sub, test: { kind: "present" } }
      const { isNot, test } = leafTest(name, sub, filter.operator, filter.value)
      const condition: ElementCondition = { kind: "test", sub, test }
      return isNot ? { kind: "not", condition } : condition
    }
  }
}

/** The filter in a PATCH path, on the values of one attribute. */
export const resolveValueFilter = (parent: Attribute, filter: Filter): ElementCondition => {
  if (parent.type !== "complex") throw refuse("invalidFilter", `${parent.name} has no sub-attributes to filter by.`)
  return resolveElement(parent, filter)
}

/**
 * An attribute that no resource type has is an error: otherwise a misspelled `ne` would match everything. One that only
 * the other resource type has counts as absent (RFC 7644 §3.4.2.1), so that a search over both types works.
 */
export const resolveFilter = (type: ResourceType, filter: Filter): Condition => {
  switch (filter.kind) {
    case "and":
    case "or":
      return { kind: filter.kind, conditions: filter.filters.map((one) => resolveFilter(type, one)) }
    case "not":
      return { kind: "not", condition: resolveFilter(type, filter.filter) }
    case "present":
    case "compare":
    case "value":
      return resolveLeaf(type, filter)
  }
}

/** A filter in brackets after a single-valued attribute: the value exists and matches the filter. */
const ofOne = (place: Place, condition: ElementCondition): Condition => {
  const inside = (one: ElementCondition): Condition => {
    switch (one.kind) {
      case "and":
      case "or":
        return { kind: one.kind, conditions: one.conditions.map(inside) }
      case "not":
        return { kind: "not", condition: inside(one.condition) }
      case "test":
        return { kind: "test", place: { ...place, sub: one.sub }, test: one.test }
    }
  }
  return { kind: "and", conditions: [{ kind: "test", place, test: { kind: "present" } }, inside(condition)] }
}

const otherType = (type: ResourceType): ResourceType => (type === "User" ? "Group" : "User")

const resolveLeaf = (
  type: ResourceType,
  filter: Extract<Filter, { readonly kind: "present" | "compare" | "value" }>
): Condition => {
  const { name } = filter
  const attributePlace = placeOf(type, name)
  if (attributePlace === undefined) {
    if (!isKnownSomewhere(name)) throw unknown(name)
    return ofNothing(resolveLeaf(otherType(type), filter))
  }
  if (isAddress(attributePlace)) throw unknown(name)
  if (filter.kind === "value") {
    const condition = resolveValueFilter(attributePlace.attribute, filter.filter)
    return attributePlace.attribute.multiValued
      ? { kind: "some", place: attributePlace, condition }
      : ofOne(attributePlace, condition)
  }
  if (filter.kind === "present") return { kind: "test", place: attributePlace, test: { kind: "present" } }
  const place = toValue(attributePlace)
  const { isNot, test } = leafTest(name, place.sub ?? place.attribute, filter.operator, filter.value)
  if (place.attribute.name === "password") throw unknown(name)
  const condition: Condition = { kind: "test", place, test }
  return isNot ? { kind: "not", condition } : condition
}

/** The condition for a resource that has none of the attributes. */
const ofNothing = (condition: Condition): Condition => {
  switch (condition.kind) {
    case "not":
      return { kind: "not", condition: ofNothing(condition.condition) }
    case "test":
      // An attribute without values matches only `ne`.
      return { kind: "constant", value: condition.test.kind !== "present" && condition.test.operator === "ne" }
    default:
      return { kind: "constant", value: false }
  }
}
