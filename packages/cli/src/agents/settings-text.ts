/** Changes single values of a JSON text, and keeps everything else as it is, including its format. */
import { findNodeAtLocation, type Node, parse, type ParseError, parseTree } from "jsonc-parser"
import { isObject } from "../output/value.ts"

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** A value that orgplane sets. */
export interface Entry {
  readonly path: readonly [string, string]
  readonly value: Json
  /** Whether a change by the user is reverted. */
  readonly locked: boolean
  /** The key belongs to orgplane, so a value that was there before is not restored. */
  readonly exclusive: boolean
}

/** A value that orgplane has set, and what was there before. */
export interface WrittenEntry extends Entry {
  readonly previous?: Json
}

/** What orgplane has written into a file. */
export interface Written {
  readonly entries: ReadonlyArray<WrittenEntry>
  /** The objects that orgplane added for its entries. */
  readonly containers: ReadonlyArray<string>
  /** Whether orgplane created the file. */
  readonly isCreated: boolean
}

export const nothingWritten: Written = { entries: [], containers: [], isCreated: false }

export interface SettingStep {
  readonly action: "set" | "remove" | "restore" | "keep" | "leave"
  readonly key: string
  readonly value: Json | null
}

export interface SettingsChange {
  /** The new text. Undefined: the file is removed, or does not exist. */
  readonly text: string | undefined
  readonly steps: ReadonlyArray<SettingStep>
  readonly written: Written
}

/** The settings are not a JSON object, so they are left alone. */
export class InvalidSettings extends Error {
  override readonly name = "InvalidSettings"
}

const parseOptions = { allowTrailingComma: true, allowEmptyContent: true }

const objectIn = (text: string): Readonly<Record<string, unknown>> => {
  const errors: Array<ParseError> = []
  const value: unknown = text.trim() === "" ? {} : parse(text, errors, parseOptions)
  if (errors.length > 0 || !isObject(value)) throw new InvalidSettings("The settings are not a valid JSON object.")
  return value
}

const nameOf = (property: Node): unknown => property.children?.[0]?.value

/** Programs differ in which of two members with the same name they read, so such an object cannot be changed safely. */
const refuseDuplicates = (text: string, containers: ReadonlySet<string>): void => {
  const names = (parseTree(text, [], parseOptions)?.children ?? []).map(nameOf)
  if ([...containers].some((name) => names.indexOf(name) !== names.lastIndexOf(name))) {
    throw new InvalidSettings("The settings contain a name twice.")
  }
}

const isEqual = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => isEqual(one[name], other[name]))
}

interface Layout {
  readonly indent: string
  readonly eol: string
}

const layoutOf = (text: string): Layout => ({
  indent: /\n([ \t]+)\S/u.exec(text)?.[1] ?? "  ",
  eol: text.includes("\r\n") ? "\r\n" : "\n"
})

const endOf = ({ length, offset }: Node) => offset + length

/** The object at a path. */
const objectAt = (text: string, path: ReadonlyArray<string>): Node | undefined => {
  const root = parseTree(text, [], parseOptions)
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path])
  return node?.type === "object" ? node : undefined
}

/** The text of a value, with the lines after the first at this depth. */
const valueText = (value: Json, depth: number, { eol, indent }: Layout) =>
  JSON.stringify(value, null, indent).replaceAll("\n", `${eol}${indent.repeat(depth)}`)

interface Splice {
  readonly start: number
  readonly end: number
  readonly content: string
}

/** Replaces parts of a text that do not overlap, in ascending order. */
const spliced = (text: string, splices: ReadonlyArray<Splice>): string => {
  let result = ""
  let position = 0
  for (const { content, end, start } of splices) {
    result += text.slice(position, start) + content
    position = end
  }
  return result + text.slice(position)
}

/** What is done to members of an object. Undefined: the member is removed. */
type Changes = ReadonlyMap<string, Json | undefined>

/**
 * Sets and removes members of an object. The text is parsed once, because a file can have thousands of entries. The
 * library's own edits would also format the lines around each change.
 */
const editMembers = (text: string, parent: ReadonlyArray<string>, changes: Changes, layout: Layout): string => {
  const object = objectAt(text, parent)
  if (object === undefined) return text
  const properties = object.children ?? []
  const depth = parent.length + 1
  const line = `${layout.eol}${layout.indent.repeat(depth)}`
  const changeOf = (property: Node): { readonly value: Json | undefined } | undefined => {
    const name = nameOf(property)
    return typeof name === "string" && changes.has(name) ? { value: changes.get(name) } : undefined
  }
  const isKept = (property: Node) => {
    const change = changeOf(property)
    return change === undefined || change.value !== undefined
  }
  const names = new Set(properties.map(nameOf))
  const added = [...changes].flatMap(([name, value]): ReadonlyArray<readonly [string, Json]> =>
    value === undefined || names.has(name) ? [] : [[name, value]]
  )
  const last = properties.findLast(isKept)
  if (last === undefined) {
    if (properties.length === 0 && added.length === 0) return text
    const members = added.map(([name, value]) => `${line}${JSON.stringify(name)}: ${valueText(value, depth, layout)}`)
    const content =
      members.length === 0 ? "{}" : `{${members.join(",")}${layout.eol}${layout.indent.repeat(depth - 1)}}`
    return spliced(text, [{ start: object.offset, end: endOf(object), content }])
  }
  const isOnOneLine = !text.slice(object.offset, last.offset).includes("\n")
  const additions = added
    .map(([name, value]) =>
      isOnOneLine
        ? `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`
        : `,${line}${JSON.stringify(name)}: ${valueText(value, depth, layout)}`
    )
    .join("")
  const splices: Array<Splice> = []
  let hasKept = false
  for (const [index, property] of properties.entries()) {
    const change = changeOf(property)
    const [before, after] = [properties[index - 1], properties[index + 1]]
    if (isKept(property)) {
      hasKept = true
      const current = property.children?.[1]
      // Of a name that occurs more than once, programs use the last value or the first, so each is set.
      if (change?.value !== undefined && current !== undefined) {
        splices.push({ start: current.offset, end: endOf(current), content: valueText(change.value, depth, layout) })
      }
      if (property === last) splices.push({ start: endOf(last), end: endOf(last), content: additions })
    } else if (hasKept && before !== undefined) {
      splices.push({ start: endOf(before), end: endOf(property), content: "" })
    } else if (after !== undefined) {
      splices.push({ start: property.offset, end: after.offset, content: "" })
    }
  }
  return spliced(text, splices)
}

const keyOf = (path: Entry["path"]) => path.join(".")

const valueIn = (settings: Readonly<Record<string, unknown>>, [container, name]: Entry["path"]): unknown => {
  const parent = settings[container]
  return isObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined
}

/** A value that came from JSON. */
const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json

/**
 * Computes the text in which exactly `next` is set. `records` is what orgplane wrote before: the last completed change,
 * and one that may have been interrupted, first. A value that differs from every record was changed by the user: it is
 * overwritten if the new entry is locked, and otherwise left alone.
 */
export const changeSettings = (
  current: string | undefined,
  records: ReadonlyArray<Written>,
  next: ReadonlyArray<Entry>
): SettingsChange => {
  const before = objectIn(current ?? "")
  let text = current ?? ""
  refuseDuplicates(
    text,
    new Set([...next, ...records.flatMap(({ entries }) => entries)].map(({ path: [container] }) => container))
  )
  const layout = layoutOf(text)
  const steps: Array<SettingStep> = []
  const changes = new Map<string, Map<string, Json | undefined>>()
  const edit = ([container, name]: Entry["path"], value: Json | undefined) => {
    const members = changes.get(container) ?? new Map<string, Json | undefined>()
    changes.set(container, members.set(name, value))
  }
  const recordedEntries = new Map<string, Array<WrittenEntry>>()
  for (const each of records.flatMap(({ entries }) => entries)) {
    const key = keyOf(each.path)
    recordedEntries.set(key, [...(recordedEntries.get(key) ?? []), each])
  }
  const recorded = (path: Entry["path"]) => recordedEntries.get(keyOf(path)) ?? []

  if (text.trim() === "") text = "{}"
  const containers = new Set(records.flatMap((record) => record.containers))
  const written: Array<WrittenEntry> = []
  const nextKeys = new Set(next.map(({ path }) => keyOf(path)))
  const removed = new Set<string>()
  for (const { path } of records.flatMap(({ entries }) => entries)) {
    const key = keyOf(path)
    if (nextKeys.has(key) || removed.has(key)) continue
    removed.add(key)
    const value = valueIn(before, path)
    const own = recorded(path).find((entry) => isEqual(entry.value, value))
    // The user has removed or changed it.
    if (own === undefined) continue
    edit(path, own.previous)
    steps.push({ action: own.previous === undefined ? "remove" : "restore", key, value: own.previous ?? null })
  }
  for (const entry of next) {
    const { path, value } = entry
    const key = keyOf(path)
    const present = valueIn(before, path)
    const own = recorded(path)
    const unchanged = own.find((each) => isEqual(each.value, present))
    const [first] = own
    if (first !== undefined && unchanged === undefined && !entry.locked && isEqual(first.value, value)) {
      written.push(first)
      steps.push({ action: "leave", key, value: present === undefined ? null : jsonOf(present) })
      continue
    }
    const previous = first === undefined ? present : (unchanged ?? first).previous
    written.push({ ...entry, ...(previous === undefined || entry.exclusive ? {} : { previous: jsonOf(previous) }) })
    if (isEqual(present, value)) {
      steps.push({ action: "keep", key, value })
      continue
    }
    if (!isObject(before[path[0]])) containers.add(path[0])
    edit(path, value)
    steps.push({ action: "set", key, value })
  }
  for (const [container, members] of changes) {
    const isNeeded = [...members.values()].some((value) => value !== undefined)
    if (isNeeded && objectAt(text, [container]) === undefined) {
      text = editMembers(text, [], new Map([[container, {}]]), layout)
    }
    text = editMembers(text, [container], members, layout)
  }
  const after = objectIn(text)
  const kept = [...containers].filter((name) => {
    const container = after[name]
    if (!isObject(container) || Object.keys(container).length > 0) return isObject(container)
    text = editMembers(text, [], new Map([[name, undefined]]), layout)
    return false
  })
  const isCreated = current === undefined || records.some((record) => record.isCreated)
  const isEmpty = Object.keys(objectIn(text)).length === 0
  if (current === undefined && isEmpty) return { text: undefined, steps, written: nothingWritten }
  if (isCreated && isEmpty && next.length === 0) return { text: undefined, steps, written: nothingWritten }
  const final = current === undefined && !text.endsWith("\n") ? `${text}\n` : text
  return { text: final, steps, written: { entries: written, containers: kept, isCreated } }
}

/** The values that differ from what orgplane wrote, by key. */
export const changedEntries = (current: string | undefined, { entries }: Written): ReadonlyArray<WrittenEntry> => {
  let settings: Readonly<Record<string, unknown>>
  try {
    settings = objectIn(current ?? "")
  } catch {
    return entries
  }
  return entries.filter(({ path, value }) => !isEqual(valueIn(settings, path), value))
}
