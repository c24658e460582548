/** The config objects of plugins, in the shortest form that describes them. */
import type { ObjectEntry } from "@orgplane/schema/shared/configuration-document"
import { parseContent } from "../../content/config-objects/parse.ts"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import type { ObjectRow } from "./plugins-repo.ts"

/** An object with all values that are read from its content by default. */
interface Complete {
  readonly type: ObjectEntry["type"]
  readonly relativePath: string | null
  readonly fileName: string | null
  readonly title: string
  readonly description: string | null
  readonly text: string | null
  readonly payload: NonNullable<ObjectEntry["normalizedPayloadJson"]> | null
  readonly schemaVersion: string | null
}

const lastPart = (path: string | null | undefined): string | null => path?.split("/").at(-1) ?? null

const completeOf = (entry: ObjectEntry): Complete => {
  const { description, relativePath = null, title, type } = entry
  const fileName = entry.fileName ?? lastPart(relativePath)
  const [text, payload] = [entry.rawSourceText ?? null, entry.normalizedPayloadJson ?? null]
  const metadata = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) }
  const parsed = parseContent({ objectType: type, fileName, text, payload, metadata })
  return {
    type,
    relativePath,
    fileName,
    title: parsed.title,
    description: parsed.description,
    text,
    payload: parsed.normalizedPayloadJson,
    schemaVersion: entry.schemaVersion ?? parsed.schemaVersion
  }
}

/** The object without the values that are read from its content. */
const shortest = ({ description, fileName, payload, relativePath, schemaVersion, text, title, type }: Complete) => {
  const read = parseContent({ objectType: type, fileName, text, payload: null })
  const isRead = text !== null && canonicalJson(read.normalizedPayloadJson) === canonicalJson(payload)
  const parsed = isRead ? read : parseContent({ objectType: type, fileName, text, payload })
  const entry: ObjectEntry = {
    type,
    ...(relativePath === null ? {} : { relativePath }),
    ...(fileName === null || fileName === lastPart(relativePath) ? {} : { fileName }),
    ...(title === parsed.title || title === "" ? {} : { title }),
    ...(description === parsed.description || description === null || description === "" ? {} : { description }),
    ...(schemaVersion === parsed.schemaVersion || schemaVersion === null ? {} : { schemaVersion }),
    ...(text === null ? {} : { rawSourceText: text }),
    ...(isRead ? {} : { normalizedPayloadJson: payload ?? {} })
  }
  return entry
}

export const normalizeObject = (entry: ObjectEntry): ObjectEntry => shortest(completeOf(entry))

export const objectOf = (row: ObjectRow): ObjectEntry =>
  shortest({
    type: row.object_type,
    relativePath: row.relative_path,
    fileName: row.file_name,
    title: row.title,
    description: row.description,
    text: row.v_text,
    payload: row.v_payload,
    schemaVersion: row.v_schema_version
  })

const contentOf = ({ normalizedPayloadJson, rawSourceText }: ObjectEntry) =>
  canonicalJson([rawSourceText, normalizedPayloadJson])

export const isSameObject = (one: ObjectEntry, other: ObjectEntry): boolean =>
  canonicalJson(one) === canonicalJson(other)

/** An object with what it is compared by, which is computed once. */
export interface Compared {
  readonly entry: ObjectEntry
  /** Equal for the same objects. */
  readonly whole: string
  /** Equal for objects with the same content. */
  readonly content: string
  readonly place: string
}

/** Objects with the same place are the same object with different content. Those without a file are named by their title. */
const placeOf = (entry: ObjectEntry): string => {
  const { fileName, relativePath, type } = entry
  const isNamed = fileName === undefined && relativePath === undefined
  return canonicalJson([type, relativePath, fileName, isNamed ? completeOf(entry).title : null])
}

export const comparedOf = (entry: ObjectEntry): Compared => ({
  entry,
  whole: sha256(canonicalJson(entry)),
  content: sha256(contentOf(entry)),
  place: placeOf(entry)
})

/** The objects that differ, matched one to one. */
export interface Matched<A extends Compared> {
  /** Objects that get new content, which are not shared. */
  readonly changed: ReadonlyArray<readonly [before: A, after: Compared]>
  readonly removed: ReadonlyArray<A>
  readonly added: ReadonlyArray<Compared>
}

/** Takes the objects of `wanted` out of those of `existing`: first equal ones, then those at the same place. */
export const matched = <A extends Compared & { readonly isShared: boolean }>(
  existing: ReadonlyArray<A>,
  wanted: ReadonlyArray<Compared>
): Matched<A> => {
  const left = new Set(existing)
  const equal = Map.groupBy(existing, ({ whole }) => whole)
  const differing = wanted.filter(({ whole }) => {
    const one = equal.get(whole)?.shift()
    return one === undefined || !left.delete(one)
  })
  const atPlace = Map.groupBy(left, ({ place }) => place)
  const changed: Array<readonly [A, Compared]> = []
  const added: Array<Compared> = []
  for (const one of differing) {
    const places = atPlace.get(one.place) ?? []
    const index = places.findIndex(({ content, isShared }) => !isShared && content !== one.content)
    const [before] = index === -1 ? [] : places.splice(index, 1)
    if (before === undefined) added.push(one)
    else {
      left.delete(before)
      changed.push([before, one])
    }
  }
  return { changed, removed: [...left], added }
}

export const inOrder = (objects: ReadonlyArray<ObjectEntry>): ReadonlyArray<ObjectEntry> =>
  objects
    .map((object) => ({ object, text: `${placeOf(object)} ${canonicalJson(object)}` }))
    .toSorted((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ object }) => object)

/** An object in a plan, with a digest in place of its content. */
const described = (entry: ObjectEntry) => {
  const { normalizedPayloadJson: _payload, rawSourceText: _text, ...rest } = entry
  const { title } = completeOf(entry)
  return { ...rest, title, sha256: sha256(contentOf(entry)) }
}

/** The objects that differ. */
export const shownObjects = (before: ReadonlyArray<ObjectEntry>, after: ReadonlyArray<ObjectEntry>) => {
  const [old, current] = [before, after].map((list) => new Set(list.map(canonicalJson)))
  return [
    before.filter((one) => current?.has(canonicalJson(one)) !== true).map(described),
    after.filter((one) => old?.has(canonicalJson(one)) !== true).map(described)
  ] as const
}
