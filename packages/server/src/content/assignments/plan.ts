import type { CreateAssignment, Mode, UpdateAssignment } from "@orgplane/schema/assignments"
import type { Id } from "@orgplane/schema/shared/ids"
import {
  type Assignees,
  type AssigneesInput,
  audienceOf,
  changedAssignees,
  createdAssignees,
  differencesOf
} from "../../identity/audiences/index.ts"

/** The complete state of an assignment. */
export interface Plan extends Assignees {
  readonly pluginId: Id<"plg"> | null
  readonly marketplaceId: Id<"mkt"> | null
  readonly mode: Mode
  readonly priority: number
  readonly pinnedDigest: string | null
}

export const createdPlan = (input: CreateAssignment): Plan => ({
  pluginId: input.pluginId ?? null,
  marketplaceId: input.marketplaceId ?? null,
  mode: input.mode,
  priority: input.priority ?? 0,
  pinnedDigest: input.pinnedDigest ?? null,
  ...createdAssignees(input)
})

/** A change of an assignment, which can also set whether it applies to the whole organization. */
export type PlanChange = UpdateAssignment & AssigneesInput

/** The state of an assignment after a change. */
export const changedPlan = (before: Plan, input: PlanChange): Plan => ({
  ...before,
  mode: input.mode ?? before.mode,
  priority: input.priority ?? before.priority,
  pinnedDigest: input.pinnedDigest === undefined ? before.pinnedDigest : input.pinnedDigest,
  ...changedAssignees(before, input)
})

/** The fields of an assignment that the audit log records. */
const record = (plan: Plan): Readonly<Record<string, unknown>> => ({
  pluginId: plan.pluginId,
  marketplaceId: plan.marketplaceId,
  mode: plan.mode,
  priority: plan.priority,
  pinnedDigest: plan.pinnedDigest,
  audience: audienceOf(plan),
  memberIds: plan.memberIds,
  teamIds: plan.teamIds
})

export const recordOf = (plan: Plan, version: number) => ({ ...record(plan), version })

/** The differences between two states, for the audit log. */
export const differences = (before: Plan, after: Plan) => differencesOf(record(before), record(after))
