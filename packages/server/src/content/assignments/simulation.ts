import type { SimulateAssignments, UpdateAssignment } from "@orgplane/schema/assignments"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AssignmentQuotaExceeded, CreateAssignment } from "@orgplane/schema/assignments"
import { demandAssignees } from "../../identity/audiences/demand.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { eachSteps, inTimeSlices } from "../../infra/time-slices.ts"
import type { Plan } from "./plan.ts"
import * as assignments from "./repo.ts"
import * as repo from "./simulate-repo.ts"
import { classesOf, makeComparison, type SimulatedAssignment, worldOf } from "./simulate.ts"

/** Members that a simulation reads per batch. */
const membersAtOnce = 2000
/** Team assignments and plugins that a simulation reads per batch. */
const rowsAtOnce = 5000

type Place = ReadonlyArray<string | number>

/** The checks of the changes themselves, which a simulation repeats. */
interface Checks {
  readonly demandCreated: (
    caller: Member,
    input: CreateAssignment,
    place: Place,
    locks: boolean
  ) => Effect.Effect<Plan, InvalidRequest | AssignmentQuotaExceeded | SqlError>
  readonly demandChanged: (
    caller: Member,
    before: Plan,
    input: UpdateAssignment,
    place: Place,
    locks: boolean
  ) => Effect.Effect<Plan, InvalidRequest | SqlError>
}

/** One assignment before and after the change. */
interface SimulatedChange {
  readonly id: Id<"asg"> | null
  readonly createdAt: Date | null
  readonly before: Plan | undefined
  readonly after: Plan | undefined
}

const storedOf = (row: repo.StoredRow, teamIds: ReadonlyArray<Id<"tem">>): SimulatedAssignment => ({
  id: row.id,
  pluginId: row.plugin_id,
  marketplaceId: row.marketplace_id,
  mode: row.mode,
  priority: row.priority,
  pinnedDigest: row.pinned_digest,
  createdAt: row.created_at,
  forOrganization: row.for_organization,
  teamIds
})

const writtenOf = ({ createdAt, id }: SimulatedChange, plan: Plan): SimulatedAssignment => ({
  id,
  pluginId: plan.pluginId,
  marketplaceId: plan.marketplaceId,
  mode: plan.mode,
  priority: plan.priority,
  pinnedDigest: plan.pinnedDigest,
  createdAt,
  forOrganization: plan.forOrganization,
  teamIds: plan.teamIds,
  memberIds: new Set(plan.memberIds)
})

/** Simulates changes of assignments. */
export const makeSimulate = (sql: Sql, { demandChanged, demandCreated }: Checks) => {
  /** The change of a request. Validated like the change itself. */
  const changeOf = Effect.fnUntraced(function* (caller: Member, input: SimulateAssignments) {
    if (input.create !== undefined) {
      const after = yield* demandCreated(caller, input.create, ["body", "create"], false)
      return { id: null, createdAt: null, before: undefined, after } satisfies SimulatedChange
    }
    const [id, name] =
      input.patch === undefined ? [input.delete?.assignmentId, "delete"] : [input.patch.assignmentId, "patch"]
    const row = id === undefined ? undefined : yield* assignments.find(sql, caller.organizationId, id)
    if (row === undefined) {
      return yield* InvalidRequest.at(["body", name, "assignmentId"], "does not exist in the organization")
    }
    const before = assignments.planOf(row)
    const change = { id: row.id, createdAt: row.created_at, before } as const
    if (input.patch === undefined) return { ...change, after: undefined } satisfies SimulatedChange
    const place = ["body", "patch", "changes"]
    yield* demandAssignees(sql, caller, input.patch.changes, place, false)
    const after = yield* demandChanged(caller, before, input.patch.changes, place, false)
    return { ...change, after } satisfies SimulatedChange
  })

  /** The teams of all assignments, up to a million in total: read in batches, with each id stored once. */
  const teamsOfAll = Effect.fnUntraced(function* (organizationId: Id<"org">) {
    const teams = new Map<Id<"asg">, Array<Id<"tem">>>()
    const shared = new Map<Id<"tem">, Id<"tem">>()
    let last: repo.TeamRow | undefined
    for (;;) {
      const rows: ReadonlyArray<repo.TeamRow> = yield* repo.teamsAfter(sql, organizationId, last, rowsAtOnce)
      for (const { assignment_id: id, team_id: read } of rows) {
        const teamId = shared.get(read) ?? read
        shared.set(teamId, teamId)
        const own = teams.get(id)
        if (own === undefined) teams.set(id, [teamId])
        else own.push(teamId)
      }
      last = rows.at(-1)
      if (rows.length < rowsAtOnce) return teams
    }
  })

  /** The plugins of the assignment, in batches. */
  const pluginsOf = Effect.fnUntraced(function* (
    organizationId: Id<"org">,
    target: repo.Target,
    marketplaceIds: ReadonlyArray<Id<"mkt">>
  ) {
    const plugins: Array<repo.TargetRow> = []
    for (;;) {
      const rows: ReadonlyArray<repo.TargetRow> = yield* repo.targets(
        sql,
        organizationId,
        target,
        marketplaceIds,
        plugins.at(-1)?.id ?? "",
        rowsAtOnce
      )
      for (const row of rows) plugins.push(row)
      if (rows.length < rowsAtOnce) return plugins
    }
  })

  /** Simulates a change, with a few statements per 2000 members that it can affect. */
  return Effect.fnUntraced(function* (caller: Member, input: SimulateAssignments) {
    const { organizationId } = caller
    const change: SimulatedChange = yield* changeOf(caller, input)
    const target = change.after ?? change.before ?? { pluginId: null, marketplaceId: null }
    const rows = yield* repo.all(sql, organizationId)
    const teams = yield* teamsOfAll(organizationId)
    const others = rows.filter(({ id }) => id !== change.id).map((row) => storedOf(row, teams.get(row.id) ?? []))
    const own = (plan: Plan | undefined) => (plan === undefined ? [] : [writtenOf(change, plan)])
    const before = [...others, ...own(change.before)]
    const after = [...others, ...own(change.after)]

    const marketplaceIds = new Set([...before, ...after].flatMap((one) => one.marketplaceId ?? []))
    const assignedPlugins = new Set([...before, ...after].flatMap((one) => one.pluginId ?? []))
    const plugins = yield* pluginsOf(organizationId, target, [...marketplaceIds])
    const classes = classesOf(plugins, (id) => assignedPlugins.has(id))
    const comparison = makeComparison(
      yield* inTimeSlices(worldOf(before, classes)),
      yield* inTimeSlices(worldOf(after, classes)),
      classes
    )
    const plans = [change.before, change.after].filter((plan) => plan !== undefined)
    const reach: repo.Reach = {
      everybody: plans.some(({ forOrganization }) => forOrganization),
      assignmentId: change.id,
      memberIds: change.after?.memberIds ?? [],
      teamIds: change.after?.teamIds ?? []
    }
    let last = ""
    for (;;) {
      const members = yield* repo.reached(sql, organizationId, reach, last, membersAtOnce)
      yield* inTimeSlices(eachSteps(members, comparison.visit))
      last = members.at(-1)?.id ?? ""
      if (members.length < membersAtOnce) return { simulation: comparison.result() }
    }
  })
}
