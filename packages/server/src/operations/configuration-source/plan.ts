/** What a run stores of a plan, and whether the plan requires approval. */
import type { Change } from "@orgplane/schema/configuration"
import { type ConfigurationRunSummary, runChangesMax } from "@orgplane/schema/configuration-runs"
import type { Document } from "@orgplane/schema/shared/configuration-document"
import { needsReview } from "../../content/connectors/plan.ts"
import { count } from "../configuration/summary.ts"

/** The changes without their values, removals first. */
export const storedChanges = (changes: ReadonlyArray<Change>) =>
  [...changes.filter(({ action }) => action === "delete"), ...changes.filter(({ action }) => action !== "delete")]
    .slice(0, runChangesMax)
    .map(({ action, fields, key, kind, name }) => ({
      action,
      kind,
      key,
      name,
      fields: fields.map(({ field }) => field)
    }))

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

interface Part {
  readonly kind: Change["kind"]
  /** The parts in the current or the new value of a field. */
  readonly of: (field: string, value: unknown) => ReadonlyArray<string>
}

const lowerCase = (value: unknown) => listOf(value).map((email) => String(email).toLowerCase())

/** What updates can remove like objects: members of teams, roles of members, and mappings of connectors. */
const parts: ReadonlyArray<Part> = [
  { kind: "teams", of: (field, value) => (field === "members" ? lowerCase(value) : []) },
  { kind: "memberRoles", of: (_, value) => lowerCase(value) },
  {
    kind: "connectors",
    of: (field, value) =>
      field !== "branches"
        ? []
        : listOf(value).flatMap((branch) =>
            listOf(memberOf(branch, "mappings")).map((mapping) =>
              // A mapping with another plugin is not removed.
              JSON.stringify([
                memberOf(branch, "branch"),
                memberOf(mapping, "selector"),
                memberOf(mapping, "objectType")
              ])
            )
          )
  }
]

interface Removal {
  readonly removed: number
  readonly present: number
}

/**
 * The removed objects of a kind. The current objects of a pruned kind are those of the document and the removed ones,
 * without the new ones.
 */
const removedObjects = (document: Document, changes: ReadonlyArray<Change>, kind: Change["kind"]): Removal => {
  const ofKind = changes.filter((change) => change.kind === kind)
  const removed = count(ofKind, "delete")
  return { removed, present: listOf(memberOf(document, kind)).length - count(ofKind, "create") + removed }
}

/** The number of values that are not among the others. Equal values count separately. */
const countWithout = (values: ReadonlyArray<string>, others: ReadonlyArray<string>): number => {
  const left = new Map<string, number>()
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1)
  return values.filter((value) => {
    const count = left.get(value) ?? 0
    left.set(value, count - 1)
    return count <= 0
  }).length
}

/** The removed parts of the objects that stay. */
const removedParts = (document: Document, changes: ReadonlyArray<Change>, { kind, of }: Part): Removal => {
  const stated = memberOf(document, kind)
  const objects = Array.isArray(stated) ? listOf(stated) : [stated]
  const wanted = objects.reduce<number>(
    (sum, object) => Object.entries(object ?? {}).reduce((all, [name, value]) => all + of(name, value).length, sum),
    0
  )
  const differences = changes
    .filter((change) => change.kind === kind && (change.action === "create" || change.action === "update"))
    .map(({ fields }) => {
      const before = fields.flatMap((field) => of(field.field, field.before))
      const after = fields.flatMap((field) => of(field.field, field.after))
      return { removed: countWithout(before, after), added: countWithout(after, before) }
    })
  const removed = differences.reduce((sum, one) => sum + one.removed, 0)
  const added = differences.reduce((sum, one) => sum + one.added, 0)
  return { removed, present: wanted - added + removed }
}

/**
 * Whether too much would be removed, by the limit of syncs: objects of one kind, parts of objects, or of all that lose
 * some.
 */
export const removesTooMuch = (document: Document, changes: ReadonlyArray<Change>): boolean => {
  const kinds = [...new Set(changes.filter(({ action }) => action === "delete").map(({ kind }) => kind))]
  const counts = [
    ...kinds.map((kind) => removedObjects(document, changes, kind)),
    ...parts.map((part) => removedParts(document, changes, part)).filter(({ removed }) => removed > 0)
  ]
  const all = counts.reduce(
    (sum, { present, removed }) => ({ removed: sum.removed + removed, present: sum.present + present }),
    { removed: 0, present: 0 }
  )
  return [...counts, all].some(({ present, removed }) => needsReview(removed, present))
}

const actions = [
  ["create", "to create"],
  ["update", "to update"],
  ["delete", "to remove"],
  ["move", "to move"],
  ["adopt", "to adopt"]
] as const

/** `2 to create, 1 to update` */
export const summaryText = (summary: ConfigurationRunSummary | null): string => {
  const parts = actions.flatMap(([action, text]) =>
    summary === null || summary[action] === 0 ? [] : [`${summary[action]} ${text}`]
  )
  return parts.length === 0 ? "no changes" : parts.join(", ")
}
