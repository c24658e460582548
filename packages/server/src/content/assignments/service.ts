import * as Assignments from "@orgplane/schema/assignments"
import { MemberNotFound } from "@orgplane/schema/members"
import { PluginNotFound } from "@orgplane/schema/plugins"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { demandAssignees } from "../../identity/audiences/demand.ts"
import { isAdminRole } from "../../identity/auth/permissions.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate, stale } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { deleteOldContents, lockContents } from "../approvals/retention-repo.ts"
import { changedPlan, createdPlan, differences, type Plan, type PlanChange, recordOf } from "./plan.ts"
import * as repo from "./repo.ts"
import { allowsChoice, effectiveOf, groupByTarget, isEnabled, type PluginState } from "./resolve.ts"
import { makeSimulate } from "./simulation.ts"

type Place = ReadonlyArray<string | number>

const isNothing = "does not exist in the organization"

interface EffectiveQuery extends PageQuery {
  readonly pluginId?: Id<"plg">
  readonly explain?: "true" | "false"
}

interface EffectiveRead {
  readonly membershipId: Id<"om">
  readonly pluginId: Id<"plg"> | null
  readonly seenOnly: boolean
  readonly after: string | null
  readonly limit: number
}

/** Assignments of plugins and marketplaces, their effect on members, the members' choices, and simulations of changes. */
export class AssignmentsService extends Context.Service<AssignmentsService>()("@orgplane/server/assignments/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const { mutate } = yield* Mutate

    const find = Effect.fnUntraced(function* (caller: Member, id: Id<"asg">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      return row === undefined ? yield* new Assignments.AssignmentNotFound() : row
    })

    const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"asg">) {
      if (!(yield* repo.lock(sql, caller.organizationId, id))) return yield* new Assignments.AssignmentNotFound()
      return yield* find(caller, id)
    })

    /**
     * Fails unless the pinned digest is that of an approved release of the plugin whose files are stored. With `locks`, they
     * stay stored until the transaction ends.
     */
    const demandPin = Effect.fnUntraced(function* (caller: Member, plan: Plan, place: Place, locks: boolean) {
      if (plan.pinnedDigest === null) return
      const at = [...place, "pinnedDigest"]
      if (plan.pluginId === null) {
        return yield* InvalidRequest.at(at, "must be null for an assignment of a marketplace")
      }
      if (locks) yield* lockContents(sql, caller.organizationId, plan.pluginId)
      const release = yield* repo.findPinnable(sql, caller.organizationId, plan.pluginId, plan.pinnedDigest)
      if (release === undefined) {
        return yield* InvalidRequest.at(at, "must be the digest of an approved release of the plugin")
      }
      if (!release.has_contents) {
        return yield* InvalidRequest.at(
          at,
          "must be the digest of a release whose files are stored: the served release, or one that another assignment pins"
        )
      }
    })

    /** Deletes the contents of releases that the assignment no longer pins, unless something else keeps them. */
    const deleteUnpinnedContents = Effect.fnUntraced(function* (caller: Member, before: Plan, after?: Plan) {
      const { pinnedDigest, pluginId } = before
      if (pinnedDigest === null || pluginId === null || after?.pinnedDigest === pinnedDigest) return
      yield* lockContents(sql, caller.organizationId, pluginId)
      yield* deleteOldContents(sql, caller.organizationId, pluginId)
    })

    /** Fails unless an assignment can be created as requested. */
    const demandCreated = Effect.fnUntraced(function* (
      caller: Member,
      input: Assignments.CreateAssignment,
      place: Place,
      locks: boolean
    ) {
      const plan = createdPlan(input)
      yield* demandAssignees(sql, caller, input, place, locks)
      if (!(yield* repo.isTargetSeen(sql, caller, plan))) {
        return yield* InvalidRequest.at([...place, plan.pluginId === null ? "marketplaceId" : "pluginId"], isNothing)
      }
      yield* demandPin(caller, plan, place, locks)
      if ((yield* repo.count(sql, caller.organizationId)) >= Assignments.assignmentsMax) {
        return yield* new Assignments.AssignmentQuotaExceeded()
      }
      return plan
    })

    /** The state of an assignment after a change. Fails unless it can be changed as requested. */
    const demandChanged = Effect.fnUntraced(function* (
      caller: Member,
      before: Plan,
      input: PlanChange,
      place: Place,
      locks: boolean
    ) {
      const plan = changedPlan(before, input)
      if (plan.pinnedDigest !== before.pinnedDigest) yield* demandPin(caller, plan, place, locks)
      return plan
    })

    const create = (caller: Member, input: Assignments.CreateAssignment) =>
      mutate(
        caller,
        "assignment.create",
        Effect.gen(function* () {
          const plan = yield* demandCreated(caller, input, ["body"], true)
          const id = makeId("asg")
          yield* repo.create(sql, caller.organizationId, id, plan, membershipOf(caller))
          return repo.toWire(yield* find(caller, id).pipe(Effect.orDie))
        }),
        ({ id }) => ({ target: id, after: recordOf(createdPlan(input), 1) })
      )

    const list = (caller: Member, query: PageQuery & repo.Filters) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller, filters, after, limit),
        toWire: repo.toWire
      })
    }

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"asg">) {
      const row = yield* find(caller, id)
      return { item: repo.toWire(row), version: row.version }
    })

    const update = Effect.fnUntraced(function* (caller: Member, id: Id<"asg">, input: PlanChange) {
      const { after } = yield* mutate(
        caller,
        "assignment.update",
        Effect.gen(function* () {
          // Locks the members first, then the assignment, in the same order as when a membership ends, to avoid
          // deadlocks.
          yield* find(caller, id)
          yield* demandAssignees(sql, caller, input, ["body"], true)
          const before = yield* locked(caller, id)
          yield* stale(caller, before.version)
          const plan = yield* demandChanged(caller, repo.planOf(before), input, ["body"], true)
          if (differences(repo.planOf(before), plan).isSame) return { before, after: before }
          yield* repo.update(sql, caller.organizationId, id, plan)
          yield* deleteUnpinnedContents(caller, repo.planOf(before), plan)
          return { before, after: yield* find(caller, id) }
        }),
        ({ after, before }) => {
          const differ = differences(repo.planOf(before), repo.planOf(after))
          return {
            target: id,
            before: { ...differ.before, version: before.version },
            after: { ...differ.after, version: after.version }
          }
        }
      )
      return { item: repo.toWire(after), version: after.version }
    })

    const remove = (caller: Member, id: Id<"asg">) =>
      mutate(
        caller,
        "assignment.remove",
        Effect.gen(function* () {
          const before = yield* locked(caller, id)
          yield* stale(caller, before.version)
          yield* repo.remove(sql, caller.organizationId, id)
          yield* deleteUnpinnedContents(caller, repo.planOf(before))
          return before
        }),
        (before) => ({ target: id, before: recordOf(repo.planOf(before), before.version) })
      ).pipe(Effect.asVoid)

    /** The assignments that apply to a member, and the plugins that they name; undefined when the member does not exist. */
    const read = Effect.fnUntraced(function* (caller: Member, { membershipId, ...which }: EffectiveRead) {
      const { organizationId } = caller
      const applied = yield* repo.applied(sql, organizationId, membershipId)
      if (applied === undefined) return undefined
      const { candidates, role } = applied
      const principal = { kind: "session", membershipId } as const
      const holder = { organizationId, isAdmin: isAdminRole(role), principal }
      const plugins = yield* repo.plugins(sql, { ...which, caller, holder, candidates })
      return { applied: groupByTarget(candidates), plugins }
    })

    /** A page of what the assignments mean for a member. Two statements, regardless of the number of assignments. */
    const page = (caller: Member, membershipId: Id<"om">, query: EffectiveQuery, seenOnly: boolean) => {
      const explains = { isExplained: query.explain === "true", isReader: caller.permissions.has("assignments:read") }
      const pluginId = query.pluginId ?? null
      return pages.listBy(caller, query, {
        filters: [membershipId, pluginId, query.explain],
        rows: (after, limit) =>
          Effect.flatMap(read(caller, { membershipId, pluginId, seenOnly, after, limit }), (result) =>
            result === undefined
              ? Effect.fail(new MemberNotFound())
              : Effect.succeed(result.plugins.map((plugin) => ({ plugin, applied: result.applied })))
          ),
        idOf: ({ plugin }) => plugin.id,
        toWire: ({ applied, plugin }) => effectiveOf(applied, plugin, explains)
      })
    }

    const effective = (caller: Member, membershipId: Id<"om">, query: EffectiveQuery) =>
      page(caller, membershipId, query, false)

    const demandSession = (caller: Member) => {
      const membershipId = membershipOf(caller)
      return membershipId === null
        ? Effect.die(new Error("An API key requested the assignments of a user."))
        : Effect.succeed(membershipId)
    }

    const own = (caller: Member, query: EffectiveQuery) =>
      Effect.flatMap(demandSession(caller), (membershipId) => page(caller, membershipId, query, true)).pipe(
        // The membership ended after the caller was authenticated.
        Effect.catchTag("MemberNotFound", () => Effect.succeed({ items: [], nextCursor: null }))
      )

    /** A plugin that the caller sees and may turn on or off. */
    const demandChoice = Effect.fnUntraced(function* (caller: Member, pluginId: Id<"plg">) {
      const membershipId = yield* demandSession(caller)
      const result = yield* read(caller, { membershipId, pluginId, seenOnly: true, after: null, limit: 1 })
      const plugin: PluginState | undefined = result?.plugins[0]
      if (result === undefined || plugin === undefined) return yield* new PluginNotFound()
      const before = effectiveOf(result.applied, plugin, {
        isExplained: false,
        isReader: caller.permissions.has("assignments:read")
      })
      if (!allowsChoice(before.mode)) return yield* new Assignments.PluginChoiceFixed()
      return { membershipId, before }
    })

    const setChoice = (caller: Member, pluginId: Id<"plg">, choice: boolean) =>
      mutate(
        caller,
        "plugin_choice.set",
        Effect.gen(function* () {
          const { before, membershipId } = yield* demandChoice(caller, pluginId)
          yield* repo.setChoice(sql, caller.organizationId, membershipId, pluginId, choice)
          return { before, after: { ...before, choice, enabled: isEnabled(before.mode, choice) } }
        }),
        ({ after, before }) => ({
          target: pluginId,
          before: { enabled: before.choice },
          after: { enabled: after.choice }
        })
      ).pipe(Effect.map(({ after }) => after))

    const resetChoice = (caller: Member, pluginId: Id<"plg">) =>
      mutate(
        caller,
        "plugin_choice.reset",
        Effect.gen(function* () {
          const { before, membershipId } = yield* demandChoice(caller, pluginId)
          yield* repo.resetChoice(sql, caller.organizationId, membershipId, pluginId)
          return before
        }),
        (before) => ({ target: pluginId, before: { enabled: before.choice }, after: { enabled: null } })
      ).pipe(Effect.asVoid)

    const simulate = makeSimulate(sql, { demandCreated, demandChanged })

    return { create, list, get, update, remove, effective, own, setChoice, resetChoice, simulate } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
