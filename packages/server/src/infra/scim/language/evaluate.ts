import type { Attribute } from "./attribute.ts"
import { compareText, fold } from "./fold.ts"
import { isRecord, type Json, type JsonObject, listOf } from "./json.ts"
import { parseMoment } from "./moment.ts"
import { type Condition, type ElementCondition, resolveFilter, type Test } from "./resolve.ts"
import type { Place, ResourceType } from "./schemas.ts"
import type { Filter, Operator } from "./syntax.ts"

const compares = (operator: Operator, order: number): boolean => {
  switch (operator) {
    case "gt":
      return order > 0
    case "ge":
      return order >= 0
    case "lt":
      return order < 0
    case "le":
      return order <= 0
    case "ne":
      return order !== 0
    default:
      return order === 0
  }
}

const textMatches = (operator: Operator, have: string, want: string): boolean => {
  switch (operator) {
    case "co":
      return have.includes(want)
    case "sw":
      return have.startsWith(want)
    case "ew":
      return have.endsWith(want)
    default:
      return compares(operator, compareText(have, want))
  }
}

/** For a single value: an absent value matches only `ne`. */
const fulfills = (leaf: Attribute, test: Test, value: Json | undefined, isFolded = false): boolean => {
  if (value === undefined || value === null) return test.kind !== "present" && test.operator === "ne"
  switch (test.kind) {
    case "present":
      return true
    case "boolean":
      return (value === test.value) === (test.operator === "eq")
    case "moment": {
      const moment = typeof value === "string" ? parseMoment(value) : undefined
      return moment !== undefined && compares(test.operator, moment - test.value)
    }
    case "text":
      return (
        typeof value === "string" &&
        textMatches(test.operator, isFolded || leaf.caseExact ? value : fold(value), test.value)
      )
  }
}

/** Evaluates a condition on one value; `isFolded` when its case is already folded. */
export const evaluateElement = (condition: ElementCondition, element: JsonObject, isFolded = false): boolean => {
  switch (condition.kind) {
    case "and":
      return condition.conditions.every((one) => evaluateElement(one, element, isFolded))
    case "or":
      return condition.conditions.some((one) => evaluateElement(one, element, isFolded))
    case "not":
      return !evaluateElement(condition.condition, element, isFolded)
    case "test":
      return fulfills(condition.sub, condition.test, element[condition.sub.name], isFolded)
  }
}

const valueAt = ({ attribute, extension }: Place, resource: JsonObject): Json | undefined => {
  const home = extension === undefined ? resource : resource[extension]
  return isRecord(home) ? home[attribute.name] : undefined
}

const evaluateTest = (place: Place, test: Test, resource: JsonObject): boolean => {
  const { attribute, sub } = place
  const leaf = sub ?? attribute
  const whole = valueAt(place, resource)
  const values = attribute.multiValued ? listOf(whole) : [whole]
  // An attribute without values matches only `ne`.
  if (values.length === 0) return test.kind !== "present" && test.operator === "ne"
  return values.some((value) =>
    fulfills(leaf, test, sub === undefined ? value : isRecord(value) ? value[sub.name] : undefined)
  )
}

const evaluateCondition = (condition: Condition, resource: JsonObject): boolean => {
  switch (condition.kind) {
    case "constant":
      return condition.value
    case "and":
      return condition.conditions.every((one) => evaluateCondition(one, resource))
    case "or":
      return condition.conditions.some((one) => evaluateCondition(one, resource))
    case "not":
      return !evaluateCondition(condition.condition, resource)
    case "test":
      return evaluateTest(condition.place, condition.test, resource)
    case "some":
      return listOf(valueAt(condition.place, resource)).some(
        (element) => isRecord(element) && evaluateElement(condition.condition, element)
      )
  }
}

/** Evaluates a filter on a complete resource, as the reference for the SQL of a filter. */
export const evaluate = (type: ResourceType, filter: Filter, resource: JsonObject): boolean =>
  evaluateCondition(resolveFilter(type, filter), resource)
