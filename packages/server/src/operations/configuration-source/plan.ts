/** What a run stores of a plan, and whether the plan requires approval. */
import type { Change } from "@orgplane/schema/configuration"
import { type ConfigurationRunSummary, runChangesMax } from "@orgplane/schema/configuration-runs"
import type { Document } from "@orgplane/schema/shared/configuration-document"
import { needsReview } from "../../content/connectors/plan.ts"

const count = (changes: ReadonlyArray<Change>, action: Change["action"]) =>
  changes.filter((change) => change.action === action).length

export const summaryOf = (changes: ReadonlyArray<Change>): ConfigurationRunSummary => ({
  create: count(changes, "create"),
  update: count(changes, "update"),
  delete: count(changes, "delete"),
  move: count(changes, "move"),
  adopt: count(changes, "adopt")
})

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

/** The number of entries of a kind in the document. */
const entryCount = (document: Document, kind: string): number => {
  const entries: unknown = (document as Readonly<Record<string, unknown>>)[kind]
  return Array.isArray(entries) ? entries.length : 0
}

/**
 * Whether too many objects would be removed, by the limit of syncs: of one kind, or of all kinds that lose objects. The
 * current objects of a pruned kind are those of the document and the removed ones, without the new ones.
 */
export const removesTooMuch = (document: Document, changes: ReadonlyArray<Change>): boolean => {
  const kinds = [...new Set(changes.filter(({ action }) => action === "delete").map(({ kind }) => kind))]
  const counts = kinds.map((kind) => {
    const ofKind = changes.filter((change) => change.kind === kind)
    const removed = count(ofKind, "delete")
    return { removed, present: entryCount(document, kind) - count(ofKind, "create") + removed }
  })
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
