/** The secrets of a document: compared with the current ones, and passed to the changes that need them. */
import type { FieldChange, Problem } from "@orgplane/schema/configuration"
import type { Member } from "@orgplane/schema/shared/caller"
import { type SecretReference, secretNameOf, type Secrets } from "@orgplane/schema/shared/configuration/secrets"
import type { Document } from "@orgplane/schema/shared/configuration-document"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { equalBytes, sha256Bytes } from "../../infra/crypto/digest.ts"
import type { Entries, Entry } from "./entry.ts"
import { type Current, currentSecret, type Item, type Kind } from "./kind.ts"
import type { Keyed, State } from "./state.ts"

export interface SecretValues {
  readonly valueOf: (reference: SecretReference) => Redacted.Redacted | undefined
  /** Whether the object has this value already. */
  readonly isCurrent: (kind: Pick<Kind, "kind">, current: Current, field: string) => boolean
}

const referenceOf = (item: Item, field: string) => item[field] as SecretReference | undefined

const isEqual = (one: Redacted.Redacted, other: string) =>
  equalBytes(sha256Bytes(Redacted.value(one)), sha256Bytes(other))

/** The references of the document, with their locations. */
const referencesOf = (entries: Entries) =>
  [...entries].flatMap(([{ secrets }, list]) =>
    list.flatMap(({ item, path }) =>
      (secrets?.fields ?? []).flatMap(({ field }) => {
        const reference = referenceOf(item, field)
        return reference === undefined ? [] : [{ reference, path: [...path, field] }]
      })
    )
  )

/** The kinds that refer to one of the secrets. */
export const kindsOfSecrets = (entries: Entries, secrets: Secrets): ReadonlyArray<Kind> =>
  [...entries].flatMap(([kind, list]) =>
    referencesOf(new Map([[kind, list]])).some(({ reference }) => Object.hasOwn(secrets, secretNameOf(reference)))
      ? [kind]
      : []
  )

/** The objects that an entry may be: the one with its key, and those that get the key. */
const targetsOf = (document: Document, kind: Kind, { key }: Entry, { objects }: State): ReadonlyArray<Keyed> => {
  const sources = (document.moved ?? []).filter((move) => move.kind === kind.kind && move.to === key)
  const keys = new Set([key, ...sources.map(({ from }) => from)])
  return (objects.get(kind.kind) ?? []).filter((object) => keys.has(object.key))
}

/**
 * Compares the values with the current secrets. Fails if a value is not for a reference of the document; the error does
 * not contain names, because a caller may have confused names and values.
 */
export const readSecrets = Effect.fnUntraced(function* (
  caller: Member,
  document: Document,
  entries: Entries,
  state: State,
  secrets: Secrets
) {
  const references = referencesOf(entries)
  const named = new Map(references.map(({ reference }) => [secretNameOf(reference), reference]))
  if (Object.keys(secrets).some((name) => !named.has(name))) {
    return yield* InvalidRequest.at(["body", "secrets"], "must contain only names that the document refers to")
  }
  const problems = references.flatMap(({ path, reference }): ReadonlyArray<Problem> => {
    const other = named.get(secretNameOf(reference)) ?? reference
    return "fromFile" in other === "fromFile" in reference
      ? []
      : [
          {
            path,
            message:
              "must not have the same name as a secret of the other type: fromEnvironment and fromFile share one list of names"
          }
        ]
  })
  const values = new Map(Object.entries(secrets).map(([name, value]) => [name, Redacted.make(value)]))
  const valueOf = (reference: SecretReference) => values.get(secretNameOf(reference))
  const current = new Set<string>()
  for (const [kind, list] of entries) {
    for (const entry of list) {
      for (const { field } of kind.secrets?.fields ?? []) {
        const reference = referenceOf(entry.item, field)
        const value = reference === undefined ? undefined : valueOf(reference)
        if (value === undefined) continue
        for (const target of targetsOf(document, kind, entry, state)) {
          if (target.item[field] === undefined) continue
          const stored = yield* kind.secrets?.read(caller, target, field) ?? Effect.undefined
          const text = Redacted.value(value)
          const compared = kind.secrets?.normalize?.(field, text) ?? text
          if (stored !== undefined && isEqual(stored, compared)) current.add(`${kind.kind}/${target.id}/${field}`)
        }
      }
    }
  }
  return {
    valueOf,
    isCurrent: ({ kind }: Pick<Kind, "kind">, { id }: Current, field: string) => current.has(`${kind}/${id}/${field}`),
    problems
  }
})

/** The start of the message of a problem whose secret has no value. */
export const missingSecret = "needs the value of the secret in `secrets`"

/** The secrets of an entry that must be set; `current` is undefined for a new object. */
export const secretChanges = (
  { kind, secrets }: Kind,
  { item, path }: Entry,
  current: Keyed | undefined,
  changes: ReadonlyArray<FieldChange>,
  { isCurrent, valueOf }: SecretValues
) => {
  const problems: Array<Problem> = []
  const set: Array<FieldChange> = []
  let isReset = false
  for (const { field, resetBy } of secrets?.fields ?? []) {
    const isRemoved = changes.some((change) => resetBy.includes(change.field))
    if (isRemoved) isReset = true
    const reference = referenceOf(item, field)
    if (reference === undefined) continue
    const isKept = current !== undefined && current.item[field] !== undefined && !isRemoved
    const value = valueOf(reference)
    if (value === undefined) {
      if (isKept) continue
      const cause = isRemoved ? ", because the change removes the current secret" : ""
      problems.push({ path: [...path, field], message: `${missingSecret}${cause}` })
    } else if (!isKept || !isCurrent({ kind }, current, field)) {
      set.push({ field, before: current?.item[field] === undefined ? null : currentSecret, after: { ...reference } })
    }
  }
  return { changes: set, problems, isReset }
}

/** The item with its secrets in place of the references. */
export const withSecrets = ({ secrets }: Kind, item: Item, { valueOf }: SecretValues): Item =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => {
      if (secrets?.fields.some(({ field }) => field === name) !== true) return [[name, value]]
      const secret = valueOf(value as SecretReference)
      return secret === undefined ? [] : [[name, secret]]
    })
  )

const variableOf = (...words: ReadonlyArray<string>): string =>
  words
    .join("_")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase()

/** The items with a reference in place of each secret. Each name is used once, also if keys differ only in punctuation. */
export const withReferences = <A extends Item & { readonly key: string }>(
  { secrets }: Kind,
  items: ReadonlyArray<A>
): ReadonlyArray<A> => {
  if (secrets === undefined) return items
  const used = new Set<string>()
  const referenceFor = (key: string, field: string) => {
    const base = variableOf(secrets.prefix, key, field)
    let name = base
    for (let number = 2; used.has(name); number += 1) name = `${base}_${number}`
    used.add(name)
    return { fromEnvironment: name }
  }
  return items.map((item) => ({
    ...item,
    ...Object.fromEntries(
      secrets.fields.flatMap(({ field }) => (item[field] === undefined ? [] : [[field, referenceFor(item.key, field)]]))
    )
  }))
}
