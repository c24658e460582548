import type { Change } from "@orgplane/schema/configuration"
import type { ConfigurationRunSummary } from "@orgplane/schema/configuration-runs"

/** The number of changes with this action. */
export const count = (changes: ReadonlyArray<Change>, action: Change["action"]) =>
  changes.filter((change) => change.action === action).length

/** The number of changes, by action. */
export const summaryOf = (changes: ReadonlyArray<Change>): ConfigurationRunSummary => ({
  create: count(changes, "create"),
  update: count(changes, "update"),
  delete: count(changes, "delete"),
  move: count(changes, "move"),
  adopt: count(changes, "adopt")
})
