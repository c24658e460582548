import type { ScimDifference } from "@orgplane/schema/scim"
import type * as Schema from "effect/Schema"

type Json = Schema.Json
type Resource = Readonly<Record<string, unknown>>

const differencesMax = 100
const textMax = 256
/** Elements of a list that are named; of more, how many there were. */
const elementsMax = 50

/** What says nothing of the person or group, and what nobody may read. */
const untold: ReadonlySet<string> = new Set(["schemas", "meta", "id", "password"])

const isObject = (value: unknown): value is Resource =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isSecret = (name: string) => untold.has(name.toLowerCase()) || /password/i.test(name)

/** As the database can keep it: without the character zero and halves of pairs. */
const textOf = (text: string) =>
  (text.length > textMax ? `${text.slice(0, textMax)}…` : text).replaceAll("\u0000", "").toWellFormed()

/** A value as the log keeps it: short, and without what is secret, however deep. */
const told = (value: unknown, depth = 0): Json => {
  if (typeof value === "string") return textOf(value)
  if (typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (value === null || value === undefined || depth > 4) return null
  if (Array.isArray(value)) return listOf(value, depth)
  const entries = Object.entries(value).filter(([name]) => !/password/i.test(name))
  return Object.fromEntries(
    entries.slice(0, elementsMax).map(([name, inner]) => [textOf(name), told(inner, depth + 1)])
  )
}

const listOf = (values: ReadonlyArray<unknown>, depth: number): Json => [
  ...values.slice(0, elementsMax).map((value) => told(value, depth + 1)),
  ...(values.length > elementsMax ? [`… and ${values.length - elementsMax} more`] : [])
]

/** The same text for the same value, in whatever order its members come. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  ) ?? "null"

/** Of two lists what went and what came; undefined when nothing did. */
const ofLists = (path: string, before: ReadonlyArray<unknown>, after: ReadonlyArray<unknown>) => {
  const had = new Set(before.map(canonical))
  const has = new Set(after.map(canonical))
  const went = before.filter((value) => !has.has(canonical(value)))
  const came = after.filter((value) => !had.has(canonical(value)))
  return went.length + came.length === 0 ? undefined : { path, before: listOf(went, 0), after: listOf(came, 0) }
}

const pathOf = (parent: string, name: string) =>
  parent === "" ? name : `${parent}${parent.startsWith("urn:") && !/:[^:.]*\.[^:]*$/.test(parent) ? ":" : "."}${name}`

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

/**
 * What became another, attribute by attribute, as SCIM writes their paths; of lists what came and went. Bounded, whatever
 * is put in, and without passwords.
 */
export const differencesOf = (before: Resource, after: Resource): ReadonlyArray<ScimDifference> => {
  const found: Array<ScimDifference> = []
  const walk = (parent: string, old: Resource, fresh: Resource, depth: number) => {
    for (const name of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
      if (found.length >= differencesMax) return
      if (isSecret(name)) continue
      const path = pathOf(parent, name)
      const [was, is] = [old[name], fresh[name]]
      if (isList(was) || isList(is)) {
        const difference = ofLists(textOf(path), isList(was) ? was : [], isList(is) ? is : [])
        if (difference !== undefined) found.push(difference)
      } else if (depth < 4 && (isObject(was) || isObject(is))) {
        walk(path, isObject(was) ? was : {}, isObject(is) ? is : {}, depth + 1)
      } else if (canonical(was) !== canonical(is)) {
        found.push({ path: textOf(path), before: told(was), after: told(is) })
      }
    }
  }
  walk("", before, after, 0)
  return found
}

/** The members of a group that came or went, without all who stayed having been read. */
export const membersDifference = (
  went: ReadonlyArray<string>,
  came: ReadonlyArray<string>
): ReadonlyArray<ScimDifference> =>
  went.length + came.length === 0 ? [] : [{ path: "members", before: listOf(went, 0), after: listOf(came, 0) }]
