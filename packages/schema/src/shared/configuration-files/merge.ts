/** Merges configuration files: lists and objects are joined, and other members must be equal. */
import { type Faults, type Path, type Place, placeText } from "./faults.ts"
import { isObject } from "./is-object.ts"
import type { Source } from "./source.ts"

export interface Merged {
  readonly document: Readonly<Record<string, unknown>>
  /** The location of a value of the document. Undefined if no file contains it. */
  readonly placeOf: (path: Path) => Place | undefined
}

interface Origin {
  readonly source: Source
  readonly path: Path
}

const keyOf = (entry: unknown): string | undefined => {
  const key = isObject(entry) ? entry["key"] : undefined
  return typeof key === "string" ? key : undefined
}

const typeName = (value: unknown): string =>
  Array.isArray(value) ? "a list" : isObject(value) ? "an object" : "a value"

const placeOf = ({ path, source }: Origin): Place => source.placeOf(path)

/** Joins the lists of one member. A duplicate key is a fault. */
const joinLists = (faults: Faults, member: string, origins: ReadonlyArray<Origin>, values: ReadonlyArray<unknown>) => {
  const items: Array<unknown> = []
  const places: Array<Origin> = []
  const byKey = new Map<string, Origin>()
  for (const [index, { source }] of origins.entries()) {
    for (const [position, item] of ((values[index] ?? []) as ReadonlyArray<unknown>).entries()) {
      const origin = { source, path: [member, position] }
      items.push(item)
      places.push(origin)
      const key = keyOf(item)
      if (key === undefined) continue
      const first = byKey.get(key)
      if (first === undefined) byKey.set(key, origin)
      else {
        faults.add(
          source.placeOf([member, position, "key"]),
          [member, position, "key"],
          `is '${key}', like that of the object in ${placeText(placeOf(first))}. Each key must be unique for its kind`
        )
      }
    }
  }
  return { items, places }
}

const uniteObjects = (
  faults: Faults,
  member: string,
  origins: ReadonlyArray<Origin>,
  values: ReadonlyArray<unknown>
) => {
  const united = new Map<string, unknown>()
  const places = new Map<string, Origin>()
  for (const [index, { source }] of origins.entries()) {
    for (const [name, value] of Object.entries(values[index] as object)) {
      const origin = { source, path: [member, name] }
      const first = places.get(name)
      if (first === undefined) {
        united.set(name, value)
        places.set(name, origin)
      } else faults.add(placeOf(origin), [member, name], `is already set in ${placeText(placeOf(first))}`)
    }
  }
  return { united: Object.fromEntries(united), places }
}

export const mergeSources = (sources: ReadonlyArray<Source>, faults: Faults): Merged => {
  const members = new Map<string, Array<{ readonly source: Source; readonly value: unknown }>>()
  for (const source of sources) {
    for (const [member, value] of Object.entries(source.value)) {
      members.set(member, [...(members.get(member) ?? []), { source, value }])
    }
  }
  const merged = new Map<string, unknown>()
  const lists = new Map<string, ReadonlyArray<Origin>>()
  const objects = new Map<string, ReadonlyMap<string, Origin>>()
  const wholes = new Map<string, Origin>()
  for (const [member, parts] of members) {
    const [first, ...others] = parts
    if (first === undefined) continue
    const origins = parts.map(({ source }) => ({ source, path: [member] }))
    const values = parts.map(({ value }) => value)
    const whole = { source: first.source, path: [member] }
    wholes.set(member, whole)
    const other = others.find(({ value }) => typeName(value) !== typeName(first.value))
    if (other !== undefined) {
      faults.add(
        other.source.placeOf([member]),
        [member],
        `is ${typeName(other.value)}, but ${typeName(first.value)} in ${placeText(placeOf(whole))}`
      )
    } else if (Array.isArray(first.value)) {
      const { items, places } = joinLists(faults, member, origins, values)
      merged.set(member, items)
      lists.set(member, places)
    } else if (isObject(first.value)) {
      const { places, united } = uniteObjects(faults, member, origins, values)
      merged.set(member, united)
      objects.set(member, places)
    } else {
      merged.set(member, first.value)
      for (const { source, value } of others) {
        // Each file can refer to its schema in its own way.
        if (value === first.value || member === "$schema") continue
        faults.add(source.placeOf([member]), [member], `differs from that in ${placeText(placeOf(whole))}`)
      }
    }
  }
  const document = Object.fromEntries(merged)
  return {
    document,
    placeOf: ([member, next, ...rest]) => {
      if (typeof member !== "string") return undefined
      const origin =
        typeof next === "number"
          ? lists.get(member)?.[next]
          : next === undefined
            ? undefined
            : objects.get(member)?.get(next)
      if (origin !== undefined) return origin.source.placeOf([...origin.path, ...rest])
      const whole = wholes.get(member)
      return whole === undefined ? undefined : placeOf(whole)
    }
  }
}
