/** Compares a document with the state of an organization, object by object. */
import type { Change, FieldChange, Problem } from "@orgplane/schema/configuration"
import type { Document } from "@orgplane/schema/shared/configuration-document"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { mapSteps, type Steps } from "../../infra/time-slices.ts"
import type { Entries, Entry } from "./entry.ts"
import { type Item, isSingleton, type KeyReference, type Kind, type Path } from "./kind.ts"
import { secretChanges, type SecretValues } from "./secrets.ts"
import type { Keyed, State } from "./state.ts"

/** One change, with the data to make it. */
export interface Step {
  readonly kind: Kind
  readonly change: Change
  /** The location in the document. */
  readonly path: Path
  readonly current: Keyed | undefined
  /** The new object, or the fields that change. */
  readonly item: Item
  /** The object as in the document. */
  readonly stated: Item
  /** The key to store. */
  readonly key: string | null
}

const isSame = (one: unknown, other: unknown) => canonicalJson(one) === canonicalJson(other)
const json = (value: unknown) => (value === undefined ? null : value) as FieldChange["before"]

const entriesOf = (document: Document, { kind, normalize }: Kind): Steps<ReadonlyArray<Entry>> => {
  if (isSingleton(kind)) {
    const stated = document[kind]
    return mapSteps(stated === undefined ? [] : [stated], (one) => ({
      key: null,
      item: normalize(one),
      stated: one,
      path: [kind]
    }))
  }
  const list: ReadonlyArray<{ readonly key: string }> = document[kind] ?? []
  return mapSteps(list, ({ key, ...stated }, index) => ({ key, item: normalize(stated), stated, path: [kind, index] }))
}

export const readEntries = function* (document: Document, kinds: ReadonlyArray<Kind>): Steps<Entries> {
  const entries = new Map<Kind, ReadonlyArray<Entry>>()
  for (const kind of kinds) entries.set(kind, yield* entriesOf(document, kind))
  return entries
}

const fieldOf = ({ shown }: Kind, field: string, was: unknown, is: unknown): FieldChange => {
  const [before, after] = shown?.(field, was, is) ?? [was, is]
  return { field, before: json(before), after: json(after) }
}

const isSecret = ({ secrets }: Kind, name: string) => secrets?.fields.some(({ field }) => field === name) === true

const fieldsOf = (kind: Kind, before: Item, after: Item): ReadonlyArray<FieldChange> =>
  Object.keys(after)
    .filter((field) => !isSecret(kind, field) && !isSame(before[field], after[field]))
    .map((field) => fieldOf(kind, field, before[field], after[field]))

const picked = (item: Item, fields: ReadonlyArray<FieldChange>): Item =>
  Object.fromEntries(fields.map(({ field }) => [field, item[field]]))

/** Why a reference to an object that is not in the document does not identify one. */
const undeclaredProblem = ({ key, kind }: KeyReference, { derivedFrom, names }: State): string | undefined => {
  const object = derivedFrom(kind, key)
  if (object !== undefined) {
    return `is derived from the name of an object that may be another one: ${object.name}. Add the object to the document, or store its key with: orgplane configuration adopt ${kind}/${object.id}=${key}`
  }
  return names.idOf(kind, key) === undefined ? `does not exist: ${key}` : undefined
}

const demandReferences = (
  { path, stated }: Entry,
  kind: Kind,
  state: State,
  listed: ReadonlySet<string>,
  problems: Array<Problem>
) => {
  const { ambiguous, names } = state
  for (const reference of kind.references(stated)) {
    const at = [...path, ...reference.path]
    if ("email" in reference) {
      if (ambiguous.has(reference.email)) {
        problems.push({ path: at, message: `is the email address of several members: ${reference.email}` })
      } else if (names.membershipOf(reference.email) === undefined) {
        problems.push({ path: at, message: `is not the email address of a member: ${reference.email}` })
      }
    } else if (!listed.has(`${reference.kind}/${reference.key}`)) {
      const message = undeclaredProblem(reference, state)
      if (message !== undefined) problems.push({ path: at, message })
    }
  }
}

/** The moves of a kind by the new key. A move whose new key is in use already was made by an earlier apply. */
const movesOf = (document: Document, kind: Kind, byKey: ReadonlyMap<string | null, Keyed>, state: State) => {
  const problems: Array<Problem> = []
  const moves = new Map<string, Keyed>()
  const moved = new Set<Keyed>()
  ;(document.moved ?? []).forEach((move, index) => {
    if (move.kind !== kind.kind) return
    const object = byKey.get(move.from)
    if (byKey.has(move.to)) {
      if (object !== undefined) {
        problems.push({ path: ["moved", index, "to"], message: `is the key of another object: ${move.to}` })
      }
    } else if (object === undefined) {
      problems.push({ path: ["moved", index, "from"], message: `is not the key of an object: ${move.from}` })
    } else if (moves.has(move.to) || moved.has(object)) {
      problems.push({ path: ["moved", index], message: "moves a key that another move already moves" })
    } else if (state.retired.get(kind.kind)?.has(move.to) === true) {
      problems.push({ path: ["moved", index, "to"], message: `was used by another object: ${move.to}` })
    } else {
      moves.set(move.to, object)
      moved.add(object)
    }
  })
  return { moves, problems }
}

/** The changes of a kind. */
interface KindSteps {
  readonly adopts: ReadonlyArray<Step>
  readonly updates: ReadonlyArray<Step>
  readonly creates: ReadonlyArray<Step>
  readonly removals: ReadonlyArray<Step>
  readonly problems: ReadonlyArray<Problem>
}

/**
 * Whether an entry with the derived key of an object means this object. A member can give an object a name from which the
 * key of the document is derived, so the names must be equal, or the sources of imported objects.
 */
const means = ({ item }: Entry, object: Keyed) => {
  const [source, name] = [object.item["source"], object.item["name"]]
  if (source !== undefined || item["source"] !== undefined) return isSame(source, item["source"])
  return name === undefined || item["name"] === name
}

const stepsOf = function* (
  document: Document,
  [kind, entries]: readonly [Kind, ReadonlyArray<Entry>],
  state: State,
  listed: ReadonlySet<string>,
  values: SecretValues
): Steps<KindSteps> {
  const objects = state.objects.get(kind.kind) ?? []
  const byKey = new Map(objects.map((object) => [object.key, object]))
  const { moves, problems } = movesOf(document, kind, byKey, state)
  const moved = new Set(moves.values())
  const bySource = new Map(
    objects.flatMap((object) =>
      object.item["source"] === undefined ? [] : [[canonicalJson(object.item["source"]), object] as const]
    )
  )
  const addressed = new Set<Keyed>()
  const [adopts, updates, creates]: [Array<Step>, Array<Step>, Array<Step>] = [[], [], []]
  for (const entry of entries) {
    yield
    const { item, key, path, stated } = entry
    demandReferences(entry, kind, state, listed, problems)
    const unmoved = byKey.get(key)
    const isRetired = key !== null && state.retired.get(kind.kind)?.has(key) === true
    const target =
      (key === null ? undefined : moves.get(key)) ??
      (unmoved && moved.has(unmoved) ? undefined : unmoved) ??
      // An imported object may get any key.
      (item["source"] === undefined || isRetired ? undefined : bySource.get(canonicalJson(item["source"])))
    const base = { kind, path, item, stated, key, current: target }
    const change = {
      kind: kind.kind,
      key,
      name: target?.name ?? (typeof item["name"] === "string" ? item["name"] : (key ?? kind.kind))
    }
    if (target !== undefined && !target.isStored && !means(entry, target)) {
      addressed.add(target)
      problems.push({
        path: [...path, "key"],
        message: `is derived from the name of an object that may be another one: ${target.name}. Adopt the object with this key, or choose another key`
      })
    } else if (target !== undefined) {
      addressed.add(target)
      if (target.key !== key)
        adopts.push({
          ...base,
          change: {
            ...change,
            action: target.isStored || moved.has(target) ? "move" : "adopt",
            fields: [{ field: "key", before: target.key, after: key }]
          }
        })
      else if (!target.isStored) adopts.push({ ...base, change: { ...change, action: "adopt", fields: [] } })
      const plain = fieldsOf(kind, target.item, item)
      const secrets = secretChanges(kind, entry, target, plain, values)
      problems.push(...secrets.problems)
      const fields = [...plain, ...secrets.changes]
      if (fields.length > 0) {
        updates.push({
          ...base,
          item: secrets.isReset ? item : picked(item, fields),
          change: { ...change, action: "update", fields }
        })
      }
    } else if (isRetired || unmoved !== undefined) {
      problems.push({
        path: [...path, "key"],
        message: `was the key of another object, which was removed or has another key now: ${key ?? ""}`
      })
    } else if (kind.create !== undefined) {
      const secrets = secretChanges(kind, entry, undefined, [], values)
      problems.push(...secrets.problems)
      const fields = [...fieldsOf(kind, {}, item), ...secrets.changes]
      creates.push({ ...base, change: { ...change, action: "create", fields } })
    }
  }
  const isPruned = !isSingleton(kind.kind) && document.prune?.[kind.kind] === true
  const removed = isPruned
    ? objects.filter((object) => !addressed.has(object) && object.isManagedElsewhere !== true)
    : []
  const removals = yield* mapSteps(removed, (object): Step => ({
    kind,
    path: ["prune", kind.kind],
    current: object,
    item: {},
    stated: {},
    key: object.key,
    change: {
      kind: kind.kind,
      key: object.key,
      name: object.name,
      action: "delete",
      fields: Object.keys(object.item).map((field) => fieldOf(kind, field, object.item[field], undefined))
    }
  }))
  return { adopts, updates, creates, removals, problems }
}

/** Whether the document contains the kind. */
export const concerns = (document: Document, { kind }: Kind): boolean =>
  document[kind] !== undefined ||
  (!isSingleton(kind) &&
    (document.prune?.[kind] === true || document.moved?.some((move) => move.kind === kind) === true))

/** Removals come first, in reverse order of the kinds, so that their names can be used again. */
export const diff = function* (
  document: Document,
  entries: Entries,
  state: State,
  values: SecretValues
): Steps<{ readonly steps: ReadonlyArray<Step>; readonly problems: ReadonlyArray<Problem> }> {
  const listed = new Set([...entries].flatMap(([{ kind }, list]) => list.map(({ key }) => `${kind}/${key ?? ""}`)))
  const parts: Array<KindSteps> = []
  for (const part of entries) parts.push(yield* stepsOf(document, part, state, listed, values))
  const removed = new Set(parts.flatMap(({ removals }) => removals.map(({ key, kind }) => `${kind.kind}/${key ?? ""}`)))
  const problems = parts.flatMap((part) => part.problems)
  for (const [kind, list] of removed.size === 0 ? [] : entries) {
    for (const { path, stated } of list) {
      yield
      for (const reference of kind.references(stated)) {
        if (!("key" in reference) || !removed.has(`${reference.kind}/${reference.key}`)) continue
        problems.push({ path: [...path, ...reference.path], message: `is removed by the document: ${reference.key}` })
      }
    }
  }
  return {
    steps: [
      ...parts.toReversed().flatMap(({ removals }) => removals),
      ...parts.flatMap(({ adopts, creates, updates }) => [...adopts, ...updates, ...creates])
    ],
    problems
  }
}
