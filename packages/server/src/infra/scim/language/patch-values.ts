import type { Attribute } from "./attribute.ts"
import { foldedElement, merged } from "./elements.ts"
import { evaluateElement } from "./evaluate.ts"
import { refuse } from "./fault.ts"
import { isList, isRecord, isSame, type Json, type JsonObject, listOf } from "./json.ts"
import { readElements, readMembers, readOne, valuesMax } from "./read-value.ts"
import { resolveValueFilter } from "./resolve.ts"
import { attributeNamed } from "./schemas.ts"
import type { Filter } from "./syntax.ts"

export type Verb = "add" | "replace" | "remove"

/** One operation on the values of one attribute. */
export interface Deed {
  readonly verb: Verb
  readonly attribute: Attribute
  readonly sub: Attribute | undefined
  readonly filter: Filter | undefined
  /** Undefined if the operation has no value. */
  readonly value: Json | undefined
  /** The path as text, for messages. */
  readonly where: string
}

type Elements = ReadonlyArray<JsonObject>

const without = (element: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(element).filter(([member]) => member !== name))

const withSub = (element: JsonObject, sub: Attribute, value: Json | undefined): JsonObject =>
  value === undefined ? without(element, sub.name) : { ...element, [sub.name]: value }

/** The sub-attributes that a filter implies, when it only has equality tests: `type eq "work" and …`. */
const impliedBy = (attribute: Attribute, filter: Filter): JsonObject | undefined => {
  if (filter.kind === "and") {
    const parts = filter.filters.map((one) => impliedBy(attribute, one))
    return parts.every((part) => part !== undefined)
      ? Object.fromEntries(parts.flatMap((part) => Object.entries(part)))
      : undefined
  }
  if (filter.kind !== "compare" || filter.operator !== "eq" || filter.value === null) return undefined
  const sub = attributeNamed(attribute.subAttributes, filter.name.attribute)
  const value = sub && readOne(sub, filter.value, `${attribute.name}.${sub.name}`)
  return sub === undefined || value === undefined ? undefined : { [sub.name]: value }
}

const noTarget = (where: string) => refuse("noTarget", `There is no value at ${where}.`)
/** Changes values in place, which may make two of them equal. */
const each = (
  attribute: Attribute,
  elements: Elements,
  chosen: ReadonlySet<JsonObject>,
  change: (element: JsonObject) => JsonObject
): Elements => {
  const primaries: Array<JsonObject> = []
  const next = elements.map((element) => {
    if (!chosen.has(element)) return element
    const after = change(element)
    if (after["primary"] === true && element["primary"] !== true) primaries.push(after)
    return after
  })
  return merged(attribute, next, primaries)
}

const plus = (attribute: Attribute, elements: Elements, added: Elements): Elements =>
  merged(
    attribute,
    [...elements, ...added],
    added.filter((element) => element["primary"] === true)
  )

/** Entra removes values by listing them: values are removed that have all the listed sub-attributes. */
const minus = ({ attribute, value = null, where }: Deed, elements: Elements): Elements => {
  const named = readElements(attribute, value, where).map((one) => foldedElement(attribute, one))
  return elements.filter((element) => !named.some((one) => hasAll(attribute, foldedElement(attribute, element), one)))
}

const hasAll = (attribute: Attribute, element: JsonObject, wanted: JsonObject): boolean =>
  (attribute.subAttributes ?? []).every((sub) => {
    const value = wanted[sub.name]
    const own = element[sub.name]
    return value === undefined || (own !== undefined && isSame(own, value))
  })

const unfiltered = (deed: Deed, elements: Elements): Elements => {
  const { attribute, sub, value = null, verb, where } = deed
  if (sub !== undefined) {
    const given = verb === "remove" ? undefined : readOne(sub, value, where)
    if (elements.length === 0) return given === undefined ? [] : [{ [sub.name]: given }]
    return each(attribute, elements, new Set(elements), (element) => withSub(element, sub, given))
  }
  switch (verb) {
    case "add":
      return plus(attribute, elements, readElements(attribute, value, where))
    case "replace":
      return plus(attribute, [], readElements(attribute, value, where))
    case "remove":
      return value === null ? [] : minus(deed, elements)
  }
}

/** The single object for a selected value; undefined for none. */
const readWhole = ({ attribute, value = null, where }: Deed): JsonObject | undefined => {
  const elements = readElements(attribute, value, where)
  if (elements.length > 1) throw refuse("invalidValue", `${where} must have a single value.`)
  return elements[0]
}

const filtered = (deed: Deed, filter: Filter, elements: Elements): Elements => {
  const { attribute, sub, value = null, verb, where } = deed
  const condition = resolveValueFilter(attribute, filter)
  const isChosen = (element: JsonObject) => evaluateElement(condition, foldedElement(attribute, element), true)
  const chosen = new Set(elements.filter(isChosen))
  if (verb === "remove") {
    return sub === undefined
      ? elements.filter((element) => !chosen.has(element))
      : each(attribute, elements, chosen, (element) => without(element, sub.name))
  }
  const given = sub === undefined ? readWhole(deed) : readOne(sub, value, where)
  if (chosen.size === 0) {
    if (given === undefined) return elements
    const implied = impliedBy(attribute, filter)
    // RFC 7644 §3.5.2.3: replacing a missing value fails; replacing a sub-attribute of one adds it, as Entra requires.
    if (implied === undefined || !isChosen(implied) || (verb === "replace" && sub === undefined)) throw noTarget(where)
    return plus(attribute, elements, [
      sub === undefined ? { ...implied, ...(given as JsonObject) } : { ...implied, [sub.name]: given }
    ])
  }
  if (sub !== undefined) return each(attribute, elements, chosen, (element) => withSub(element, sub, given))
  if (given === undefined) return verb === "replace" ? elements.filter((element) => !chosen.has(element)) : elements
  const whole = given as JsonObject
  return each(attribute, elements, chosen, (element) => (verb === "add" ? { ...element, ...whole } : whole))
}

const onSeveral = (deed: Deed, present: Json | undefined): Json => {
  const elements = listOf(present).filter(isRecord)
  const after = deed.filter === undefined ? unfiltered(deed, elements) : filtered(deed, deed.filter, elements)
  // Checked immediately, because values that a later operation removes cost as much as those that remain.
  if (after.length > valuesMax)
    throw refuse("invalidValue", `${deed.attribute.name} must have at most ${valuesMax} values.`)
  return after
}

/** RFC 7644 §3.5.2.1 and .3: omitted sub-attributes of a complex attribute are unchanged. */
const onComplex = (
  { attribute, sub, value = null, verb, where }: Deed,
  present: Json | undefined
): Json | undefined => {
  const before = isRecord(present) ? present : {}
  if (sub !== undefined) return withSub(before, sub, verb === "remove" ? undefined : readOne(sub, value, where))
  if (verb === "remove" || value === null || value === "") return undefined
  const after = readOne(attribute, value, where)
  if (!isRecord(value)) return after
  const changed = isRecord(after) ? after : {}
  const named = readMembers(attribute.subAttributes ?? [], value, `${where}.`).map(([{ name }]) => name)
  const otherEntries = Object.entries(before).filter(([name]) => !named.includes(name))
  return { ...Object.fromEntries(otherEntries), ...changed }
}

/** The attribute's value after an operation; undefined when it has none. */
export const perform = (deed: Deed, present: Json | undefined): Json | undefined => {
  const { attribute, filter, value = null, verb, where } = deed
  if (attribute.multiValued) return onSeveral(deed, present)
  if (filter !== undefined) throw refuse("invalidPath", `${attribute.name} is single-valued and cannot be filtered.`)
  if (attribute.type === "complex") {
    if (isList(value)) throw refuse("invalidValue", `${where} must have at most one value.`)
    return onComplex(deed, present)
  }
  if (verb === "remove") return undefined
  return readOne(attribute, value, where)
}
