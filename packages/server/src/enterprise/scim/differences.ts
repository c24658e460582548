import type { ScimDifference } from "@orgplane/schema/scim"
import type * as Schema from "effect/Schema"

type Json = Schema.Json
type Resource = Readonly<Record<string, unknown>>

const differencesMax = 100
const textMax = 256
/** Maximum number of list elements that are logged. For the rest, only the count is logged. */
const elementsMax = 50

/** Attributes that are not logged: they carry no information about the user or group, or are secret. */
const unloggedAttributes: ReadonlySet<string> = new Set(["schemas", "meta", "id", "password"])

const isObject = (value: unknown): value is Resource =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isSecret = (name: string) => unloggedAttributes.has(name.toLowerCase()) || /password/i.test(name)

/** Text that the database can store: without NUL characters or lone surrogates. */
const textOf = (text: string) =>
  (text.length > textMax ? `${text.slice(0, textMax)}…` : text).replaceAll("\u0000", "").toWellFormed()

/** A value as it is logged: shortened, and without secrets at any depth. */
const toLogValue = (value: unknown, depth = 0): Json => {
  if (typeof value === "string") return textOf(value)
  if (typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (value === null || value === undefined || depth > 4) return null
  if (Array.isArray(value)) return listOf(value, depth)
  const entries = Object.entries(value).filter(([name]) => !/password/i.test(name))
  return Object.fromEntries(
    entries.slice(0, elementsMax).map(([name, inner]) => [textOf(name), toLogValue(inner, depth + 1)])
  )
}

const listOf = (values: ReadonlyArray<unknown>, depth: number): Json => [
  ...values.slice(0, elementsMax).map((value) => toLogValue(value, depth + 1)),
  ...(values.length > elementsMax ? [`… and ${values.length - elementsMax} more`] : [])
]

/** Returns the same text for equal values, regardless of the order of fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  ) ?? "null"

/** The removed and added elements of a list; undefined when there are none. */
const ofLists = (path: string, before: ReadonlyArray<unknown>, after: ReadonlyArray<unknown>) => {
  const had = new Set(before.map(canonical))
  const has = new Set(after.map(canonical))
  const removed = before.filter((value) => !has.has(canonical(value)))
  const added = after.filter((value) => !had.has(canonical(value)))
  return removed.length + added.length === 0 ? undefined : { path, before: listOf(removed, 0), after: listOf(added, 0) }
}

const pathOf = (parent: string, name: string) =>
  parent === "" ? name : `${parent}${parent.startsWith("urn:") && !/:[^:.]*\.[^:]*$/.test(parent) ? ":" : "."}${name}`

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

/**
 * The changed attributes with their SCIM paths; for lists, the removed and added elements. Limited in size, and
 * without passwords.
 */
export const differencesOf = (before: Resource, after: Resource): ReadonlyArray<ScimDifference> => {
  const differences: Array<ScimDifference> = []
  const walk = (parent: string, old: Resource, fresh: Resource, depth: number) => {
    for (const name of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
      if (differences.length >= differencesMax) return
      if (isSecret(name)) continue
      const path = pathOf(parent, name)
      const [was, is] = [old[name], fresh[name]]
      if (isList(was) || isList(is)) {
        const difference = ofLists(textOf(path), isList(was) ? was : [], isList(is) ? is : [])
        if (difference !== undefined) differences.push(difference)
      } else if (depth < 4 && (isObject(was) || isObject(is))) {
        walk(path, isObject(was) ? was : {}, isObject(is) ? is : {}, depth + 1)
      } else if (canonical(was) !== canonical(is)) {
        differences.push({ path: textOf(path), before: toLogValue(was), after: toLogValue(is) })
      }
    }
  }
  walk("", before, after, 0)
  return differences
}

/** The added and removed members of a group, without reading those who stay. */
export const membersDifference = (
  removed: ReadonlyArray<string>,
  added: ReadonlyArray<string>
): ReadonlyArray<ScimDifference> =>
  removed.length + added.length === 0 ? [] : [{ path: "members", before: listOf(removed, 0), after: listOf(added, 0) }]
