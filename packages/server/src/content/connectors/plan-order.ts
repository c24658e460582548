/** The order and the counts of planned changes. */
import type { PlannedChange } from "@orgplane/schema/connector-operations"
import { jsonSteps, mapSteps, sortedSteps, type Steps } from "../../infra/time-slices.ts"
import type { BindingRow } from "./sync-repo.ts"

const kindOrder = { marketplace: 0, plugin: 1, mapping: 2, object: 3, file: 4 } as const

/** Sorts independently of the database, because the plan's digest depends on the order. */
export const sorted = function* (changes: ReadonlyArray<PlannedChange>): Steps<ReadonlyArray<PlannedChange>> {
  const sortableChanges = yield* mapSteps(changes, (change) => ({
    change,
    order: kindOrder[change.kind],
    text: JSON.stringify(change)
  }))
  const ordered = yield* sortedSteps(
    sortableChanges,
    (a, b) => a.order - b.order || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
  )
  return yield* mapSteps(ordered, ({ change }) => change)
}

/** Bindings as text, sorted independently of the database. */
export const boundText = function* (bindings: ReadonlyArray<BindingRow>): Steps<string> {
  const texts = yield* mapSteps(bindings, (row) => JSON.stringify(Object.values(row)))
  return yield* jsonSteps(yield* sortedSteps(texts, (a, b) => (a < b ? -1 : a > b ? 1 : 0)))
}

export const countsOf = (changes: ReadonlyArray<PlannedChange>) => {
  const of = (kind: PlannedChange["kind"]) => changes.filter((change) => change.kind === kind).length
  return {
    marketplaces: of("marketplace"),
    plugins: of("plugin"),
    mappings: of("mapping"),
    objects: of("object"),
    files: of("file")
  }
}
