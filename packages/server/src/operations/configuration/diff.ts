/** Compares a document with the state of an organization. */
import type { Change, FieldChange, Problem } from "@orgplane/schema/configuration"
import type { Document } from "@orgplane/schema/shared/configuration-document"
import { canonicalJson } from "../../infra/canonical-json.ts"
import type { Item, Kind } from "./kind.ts"
import type { Keyed, State } from "./state.ts"

/** One change, with what is needed to make it. */
export interface Step {
  readonly kind: Kind
  readonly change: Change
  /** The location in the document. */
  readonly path: ReadonlyArray<string | number>
  readonly current: Keyed | undefined
  /** The new object, or the fields that change. */
  readonly item: Item
  /** The key to store. */
  readonly key: string | null
}

interface Entry {
  readonly key: string | null
  readonly item: Item
  /** The item as written, so that the locations of its references are those in the document. */
  readonly written: Item
  readonly path: ReadonlyArray<string | number>
}

const isSame = (one: unknown, other: unknown) => canonicalJson(one) === canonicalJson(other)
const json = (value: unknown) => (value === undefined ? null : value) as FieldChange["before"]

const entriesOf = (document: Document, { kind, normalize }: Kind): ReadonlyArray<Entry> => {
  if (kind === "organization") {
    const item = document.organization
    return item === undefined ? [] : [{ key: null, item: normalize(item), written: item, path: ["organization"] }]
  }
  const list: ReadonlyArray<{ readonly key: string }> = document[kind] ?? []
  return list.map(({ key, ...item }, index) => ({ key, item: normalize(item), written: item, path: [kind, index] }))
}

const fieldsOf = (before: Item, after: Item): ReadonlyArray<FieldChange> =>
  Object.keys(after)
    .filter((field) => !isSame(before[field], after[field]))
    .map((field) => ({ field, before: json(before[field]), after: json(after[field]) }))

const picked = (item: Item, fields: ReadonlyArray<FieldChange>): Item =>
  Object.fromEntries(fields.map(({ field }) => [field, item[field]]))

const demandReferences = (
  { path, written }: Entry,
  kind: Kind,
  { ambiguous, names }: State,
  listed: ReadonlySet<string>,
  problems: Array<Problem>
) => {
  for (const reference of kind.references(written)) {
    const at = [...path, ...reference.path]
    if ("email" in reference) {
      const email = reference.email.toLowerCase()
      if (ambiguous.has(email)) {
        problems.push({ path: at, message: `is the email address of several members: ${email}` })
      } else if (names.membershipOf(email) === undefined) {
        problems.push({ path: at, message: `is not the email address of a member: ${email}` })
      }
    } else if (
      !listed.has(`${reference.kind}/${reference.key}`) &&
      names.idOf(reference.kind, reference.key) === undefined
    ) {
      problems.push({ path: at, message: `does not exist: ${reference.key}` })
    }
  }
}

/** The moves of a kind by the new key. A move whose new key is in use already was made by an earlier apply. */
const movesOf = (document: Document, kind: Kind, byKey: ReadonlyMap<string | null, Keyed>, state: State) => {
  const problems: Array<Problem> = []
  const moves = new Map<string, Keyed>()
  ;(document.moved ?? []).forEach((move, index) => {
    if (move.kind !== kind.kind) return
    const object = byKey.get(move.from)
    if (byKey.has(move.to)) {
      if (object !== undefined) {
        problems.push({ path: ["moved", index, "to"], message: `is the key of another object: ${move.to}` })
      }
    } else if (object === undefined) {
      problems.push({ path: ["moved", index, "from"], message: `is not the key of an object: ${move.from}` })
    } else if (moves.has(move.to) || [...moves.values()].includes(object)) {
      problems.push({ path: ["moved", index], message: "moves a key that another move already moves" })
    } else if (state.retired.get(kind.kind)?.has(move.to) === true) {
      problems.push({ path: ["moved", index, "to"], message: `was used by another object: ${move.to}` })
    } else {
      moves.set(move.to, object)
    }
  })
  return { moves, problems }
}

const stepsOf = (document: Document, kind: Kind, state: State, listed: ReadonlySet<string>) => {
  const objects = state.objects.get(kind.kind) ?? []
  const byKey = new Map(objects.map((object) => [object.key, object]))
  const { moves, problems } = movesOf(document, kind, byKey, state)
  const moved = new Set(moves.values())
  const addressed = new Set<Keyed>()
  const [adopts, updates, creates]: [Array<Step>, Array<Step>, Array<Step>] = [[], [], []]
  for (const entry of entriesOf(document, kind)) {
    const { item, key, path } = entry
    demandReferences(entry, kind, state, listed, problems)
    const unmoved = byKey.get(key)
    const target = (key === null ? undefined : moves.get(key)) ?? (unmoved && moved.has(unmoved) ? undefined : unmoved)
    const base = { kind, path, item, key, current: target }
    const change = { kind: kind.kind, key, name: target?.name ?? String(item["name"]) }
    if (target !== undefined) {
      addressed.add(target)
      if (target.key !== key)
        adopts.push({
          ...base,
          change: { ...change, action: "move", fields: [{ field: "key", before: target.key, after: key }] }
        })
      else if (!target.isStored) adopts.push({ ...base, change: { ...change, action: "adopt", fields: [] } })
      const fields = fieldsOf(target.item, item)
      if (fields.length > 0) {
        updates.push({ ...base, item: picked(item, fields), change: { ...change, action: "update", fields } })
      }
    } else if (key !== null && (state.retired.get(kind.kind)?.has(key) === true || unmoved !== undefined)) {
      problems.push({
        path: [...path, "key"],
        message: `was the key of another object, which was removed or has another key now: ${key}`
      })
    } else if (kind.create !== undefined) {
      creates.push({ ...base, change: { ...change, action: "create", fields: fieldsOf({}, item) } })
    }
  }
  const isPruned = kind.kind !== "organization" && document.prune?.[kind.kind] === true
  const removals = !isPruned
    ? []
    : objects
        .filter((object) => !addressed.has(object) && object.isManagedElsewhere !== true)
        .map((object): Step => ({
          kind,
          path: ["prune", kind.kind],
          current: object,
          item: {},
          key: object.key,
          change: {
            kind: kind.kind,
            key: object.key,
            name: object.name,
            action: "delete",
            fields: Object.keys(object.item).map((field) => ({ field, before: json(object.item[field]), after: null }))
          }
        }))
  return { adopts, updates, creates, removals, problems }
}

/** Whether the document says anything about the kind. */
export const concerns = (document: Document, { kind }: Kind): boolean =>
  document[kind] !== undefined ||
  (kind !== "organization" &&
    (document.prune?.[kind] === true || document.moved?.some((move) => move.kind === kind) === true))

/** Removals come first, in reverse order of the kinds, so that their names can be used again. */
export const diff = (document: Document, kinds: ReadonlyArray<Kind>, state: State) => {
  const listed = new Set(
    kinds.flatMap((kind) => entriesOf(document, kind).map(({ key }) => `${kind.kind}/${key ?? ""}`))
  )
  const parts = kinds.map((kind) => stepsOf(document, kind, state, listed))
  return {
    steps: [
      ...parts.toReversed().flatMap(({ removals }) => removals),
      ...parts.flatMap(({ adopts, creates, updates }) => [...adopts, ...updates, ...creates])
    ],
    problems: parts.flatMap(({ problems }) => problems)
  }
}

/** The same document with its defaults, lists and letters in the form in which they are compared. */
export const normalized = (document: Document, kinds: ReadonlyArray<Kind>) => ({
  prune: document.prune ?? {},
  moved: document.moved ?? [],
  entries: kinds.map((kind) => [kind.kind, entriesOf(document, kind).map(({ item, key }) => [key, item])])
})
