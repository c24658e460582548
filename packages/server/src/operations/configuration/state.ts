import type { Document } from "@orgplane/schema/shared/configuration-document"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as membersRepo from "../../identity/members/repo.ts"
import { canonicalJson } from "../../infra/canonical-json.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { keyObjects } from "./derive-key.ts"
import { type ChangedKind, type Current, isSingleton, type Item, type Kind, type Named, type Names } from "./kind.ts"
import * as keysRepo from "./keys-repo.ts"
import { readPages } from "./read-pages.ts"

/** An object with its key. */
export interface Keyed extends Current {
  /** Null for settings. */
  readonly key: string | null
  /** Whether the key is stored. Otherwise it was derived from the name. */
  readonly isStored: boolean
}

export interface State {
  readonly objects: ReadonlyMap<ChangedKind, ReadonlyArray<Keyed>>
  /** The keys that no object has now, but that were used before, by kind. */
  readonly retired: ReadonlyMap<string, ReadonlySet<string>>
  readonly keyCount: number
  readonly names: Names
  /** The object whose derived key this is; undefined for stored keys. */
  readonly derivedFrom: (kind: ChangedKind, key: string) => Named | undefined
  /** Email addresses of several members. */
  readonly ambiguous: ReadonlySet<string>
  /** Whether the plan creates the object. */
  readonly isCreated: (id: string) => boolean
  /** The kinds of the objects that were removed in this apply. */
  readonly removedKinds: Set<ChangedKind>
  /** Records an object that was created. */
  readonly add: (kind: ChangedKind, key: string, id: string) => void
}

const people = Effect.fnUntraced(function* (sql: Sql, organizationId: Id<"org">) {
  const emails = new Map<string, string>()
  const memberships = new Map<string, Id<"om">>()
  const ambiguous = new Set<string>()
  const members = new Set<string>()
  for (const { email, id } of yield* readPages((after, limit) =>
    membersRepo.list(sql, organizationId, {}, after, limit)
  )) {
    members.add(id)
    if (email === null) continue
    const lower = email.toLowerCase()
    emails.set(id, lower)
    if (memberships.has(lower)) ambiguous.add(lower)
    memberships.set(lower, id)
  }
  return { ambiguous, emails, members, memberships }
})

/** The kinds, and those that their items refer to, in the order of `all`. */
export const withReferred = (all: ReadonlyArray<Kind>, kinds: ReadonlyArray<Kind>): ReadonlyArray<Kind> => {
  const reached = new Set<ChangedKind>()
  const reach = ({ kind, refersTo = [] }: Kind): void => {
    if (reached.has(kind)) return
    reached.add(kind)
    for (const one of all) if (refersTo.some((name) => name === one.kind)) reach(one)
  }
  for (const kind of kinds) reach(kind)
  return all.filter(({ kind }) => reached.has(kind))
}

/** The keys that objects get: moved ones by their earlier key, and those of imported objects by their source. */
const newKeys = (document: Document | undefined, { kind }: Kind) => {
  const byKey = new Map<string, string>()
  const bySource = new Map<string, string>()
  if (document === undefined || isSingleton(kind)) return { byKey, bySource }
  for (const move of document.moved ?? []) if (move.kind === kind) byKey.set(move.from, move.to)
  for (const entry of document[kind] ?? []) {
    if ("source" in entry && entry.source !== undefined) bySource.set(canonicalJson(entry.source), entry.key)
  }
  return { byKey, bySource }
}

/**
 * Reads the objects of these kinds with their keys, and the keys of the kinds that they refer to. References use the keys
 * that `document` gives to objects.
 */
export const readState = Effect.fnUntraced(function* (
  sql: Sql,
  caller: Member,
  all: ReadonlyArray<Kind>,
  kinds: ReadonlyArray<Kind>,
  document?: Document
) {
  const { organizationId } = caller
  const rows = yield* keysRepo.list(sql, organizationId)
  const { ambiguous, emails, members, memberships } = yield* people(sql, organizationId)
  const keyById = new Map<string, string>()
  const idByKey = new Map<string, string>()
  const retired = new Map<string, Set<string>>()
  const objects = new Map<ChangedKind, ReadonlyArray<Keyed>>()
  const link = (kind: ChangedKind, key: string, id: string) => {
    keyById.set(`${kind}/${id}`, key)
    idByKey.set(`${kind}/${key}`, id)
  }
  const derived = new Map<string, Named>()
  const created = new Set<string>()
  const add: State["add"] = (kind, key, id) => {
    created.add(id)
    link(kind, key, id)
  }
  const names: Names = {
    keyOf: (kind, id) => keyById.get(`${kind}/${id}`),
    idOf: (kind, key) => idByKey.get(`${kind}/${key}`),
    emailOf: (membershipId) => emails.get(membershipId),
    membershipOf: (email) => (ambiguous.has(email) ? undefined : memberships.get(email)),
    isMember: (membershipId) => members.has(membershipId)
  }
  /** The stored or derived keys of the objects of a kind. */
  const keyAll = <A extends Named & { readonly item?: Item }>(kind: Kind, current: ReadonlyArray<A>) => {
    const { byKey, bySource } = newKeys(document, kind)
    const keyed = keyObjects(rows, kind.kind, current)
    const live = new Set(keyed.flatMap(({ isStored, key }) => (isStored ? [key] : [])))
    retired.set(
      kind.kind,
      new Set(rows.flatMap((row) => (row.kind === kind.kind && !live.has(row.key) ? [row.key] : [])))
    )
    for (const { id, isStored, item, key, name } of keyed) {
      const source = item?.["source"]
      const sourced = source === undefined ? undefined : bySource.get(canonicalJson(source))
      const linked = byKey.get(key) ?? sourced ?? key
      link(kind.kind, linked, id)
      if (!isStored) derived.set(`${kind.kind}/${linked}`, { id, name })
    }
    return keyed
  }
  for (const kind of withReferred(all, kinds)) {
    // Oldest first, so that the keys that are derived from names do not change when objects are added.
    if (!kinds.includes(kind)) keyAll(kind, (yield* (kind.readNames ?? kind.read)(caller, names)).toReversed())
    else {
      const current = (yield* kind.read(caller, names)).toReversed()
      const isKeyed = !isSingleton(kind.kind)
      objects.set(
        kind.kind,
        isKeyed ? keyAll(kind, current) : current.map((object) => ({ ...object, key: null, isStored: true }))
      )
    }
  }
  return {
    objects,
    retired,
    keyCount: rows.length,
    names,
    derivedFrom: (kind, key) => derived.get(`${kind}/${key}`),
    ambiguous,
    isCreated: (id) => created.has(id),
    removedKinds: new Set(),
    add
  } satisfies State
})
