import * as Policies from "@orgplane/schema/desktop-policies"
import { MemberNotFound } from "@orgplane/schema/members"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest, OrganizationNotFound } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AssigneesInput } from "../../identity/audiences/index.ts"
import { demandAssignees } from "../../identity/audiences/demand.ts"
import { OwnDesktopPolicy } from "../../identity/users/own-policy.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate, stale } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import { eachSteps, inTimeSlices } from "../../infra/time-slices.ts"
import { changedPlan, createdPlan, differences, planOf, recordOf } from "./plan.ts"
import * as repo from "./repo.ts"
import { decide, effectiveOf, explain } from "./resolve.ts"
import { makeComparison, type SimulatedPolicy, worldOf } from "./simulate.ts"

/** Members that a simulation reads per batch. */
const membersAtOnce = 2000
/** Team assignments that a simulation reads per batch. */
const teamsAtOnce = 5000

type Place = ReadonlyArray<string | number>

const isNothing = "does not exist in the organization"

/** A policy in the form that a simulation uses. */
const simulatedPolicyOf = (row: repo.PlannedRow, teamIds: ReadonlyArray<Id<"tem">>): SimulatedPolicy => ({
  id: row.id,
  name: row.name,
  priority: row.priority,
  createdAt: row.created_at,
  settings: row.settings_json,
  forOrganization: row.for_organization,
  teamIds
})

const writtenOf = (id: Id<"dpo"> | null, createdAt: Date | null, plan: repo.Plan): SimulatedPolicy => ({
  id,
  name: plan.name,
  priority: plan.priority,
  createdAt,
  settings: plan.settings,
  forOrganization: plan.forOrganization,
  teamIds: plan.teamIds,
  memberIds: new Set(plan.memberIds)
})

/** The enabled policies of an organization, and its members. Members are absent without an enabled policy. */
export interface PolicySnapshot {
  readonly policies: ReadonlyArray<SimulatedPolicy>
  readonly members: ReadonlyMap<Id<"om">, repo.MemberRow>
}

/** Policies for the desktop app, their effect on members, and simulations of changes. */
export class DesktopPoliciesService extends Context.Service<DesktopPoliciesService>()(
  "@orgplane/server/desktop-policies/Service",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const pages = yield* Pages
      const { mutate } = yield* Mutate

      const find = Effect.fnUntraced(function* (caller: Member, id: Id<"dpo">) {
        const row = yield* repo.find(sql, caller.organizationId, id)
        return row === undefined ? yield* new Policies.DesktopPolicyNotFound() : row
      })

      const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"dpo">) {
        if (!(yield* repo.lock(sql, caller.organizationId, id))) return yield* new Policies.DesktopPolicyNotFound()
        return yield* find(caller, id)
      })

      /** Fails when another policy has the name. Returns the number of policies. */
      const demandName = Effect.fnUntraced(function* (caller: Member, name: string, id: Id<"dpo"> | null) {
        const { count, taken } = yield* repo.nameAndCount(sql, caller.organizationId, name, id)
        return taken ? yield* new Policies.DesktopPolicyExists() : count
      })

      /** Fails when the name is taken or the quota is reached. */
      const demandQuota = Effect.fnUntraced(function* (caller: Member, name: string) {
        const count = yield* demandName(caller, name, null)
        if (count >= Policies.policiesMax) return yield* new Policies.DesktopPolicyQuotaExceeded()
      })

      const create = (caller: Member, input: typeof Policies.CreateDesktopPolicy.Type & AssigneesInput) => {
        const plan = createdPlan(input)
        return mutate(
          caller,
          "desktop_policy.create",
          Effect.gen(function* () {
            yield* demandAssignees(sql, caller, input, ["body"], true)
            yield* demandQuota(caller, input.policyName)
            const id = makeId("dpo")
            yield* repo
              .create(sql, caller.organizationId, id, plan, membershipOf(caller))
              .pipe(whenTaken(() => new Policies.DesktopPolicyExists()))
            const row = yield* find(caller, id).pipe(Effect.orDie)
            return { desktopPolicy: repo.toWire(row) }
          }),
          ({ desktopPolicy }) => ({ target: desktopPolicy.id, after: recordOf(plan, 1) })
        )
      }

      const list = (caller: Member, query: PageQuery & { readonly q?: string }) => {
        const { cursor: _cursor, limit: _limit, ...filters } = query
        return pages.list(caller, query, {
          filters,
          rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
          toWire: repo.toWire
        })
      }

      const get = Effect.fnUntraced(function* (caller: Member, id: Id<"dpo">) {
        const row = yield* find(caller, id)
        return { item: repo.toWire(row), version: row.version }
      })

      const update = Effect.fnUntraced(function* (
        caller: Member,
        id: Id<"dpo">,
        input: typeof Policies.UpdateDesktopPolicy.Type & AssigneesInput
      ) {
        const { after } = yield* mutate(
          caller,
          "desktop_policy.update",
          Effect.gen(function* () {
            // Locks the members first, then the policy, in the same order as when a membership ends, to avoid
            // deadlocks.
            const unseen = yield* repo.find(sql, caller.organizationId, id)
            if (unseen === undefined) return yield* new Policies.DesktopPolicyNotFound()
            yield* demandAssignees(sql, caller, input, ["body"], true)
            const before = yield* locked(caller, id)
            yield* stale(caller, before.version)
            const plan = changedPlan(planOf(before), input)
            if (differences(planOf(before), plan).isSame) return { before, after: before }
            if (plan.name !== before.name) yield* demandName(caller, plan.name, id)
            yield* repo
              .update(sql, caller.organizationId, id, plan)
              .pipe(whenTaken(() => new Policies.DesktopPolicyExists()))
            return { before, after: yield* find(caller, id) }
          }),
          ({ after, before }) => {
            const differ = differences(planOf(before), planOf(after))
            return {
              target: id,
              before: { ...differ.before, version: before.version },
              after: { ...differ.after, version: after.version }
            }
          }
        )
        return { item: repo.toWire(after), version: after.version }
      })

      const remove = (caller: Member, id: Id<"dpo">) =>
        mutate(
          caller,
          "desktop_policy.remove",
          Effect.gen(function* () {
            const before = yield* locked(caller, id)
            yield* stale(caller, before.version)
            yield* repo.remove(sql, caller.organizationId, id)
            return before
          }),
          (before) => ({ target: id, before: recordOf(planOf(before), before.version) })
        ).pipe(Effect.asVoid)

      /**
       * The settings for a member; undefined when the member does not exist. One statement, regardless of the number
       * of policies.
       */
      const resolved = Effect.fnUntraced(function* (
        caller: Member,
        membershipId: Id<"om">,
        query: { readonly explain?: "true" | "false" }
      ) {
        const candidates = yield* repo.applied(sql, caller.organizationId, membershipId)
        if (candidates === undefined) return undefined
        const response: Policies.EffectiveResponse = {
          desktopPolicy: effectiveOf(decide(candidates)),
          explanation:
            query.explain === "true" ? explain(candidates, caller.permissions.has("desktopPolicies:read")) : null
        }
        return response
      })

      const effective = Effect.fnUntraced(function* (
        caller: Member,
        membershipId: Id<"om">,
        query: { readonly explain?: "true" | "false" }
      ) {
        return (yield* resolved(caller, membershipId, query)) ?? (yield* new MemberNotFound())
      })

      const own = Effect.fnUntraced(function* (caller: Member, query: { readonly explain?: "true" | "false" }) {
        const membershipId = membershipOf(caller)
        if (membershipId === null) {
          return yield* Effect.die(new Error("An API key requested the desktop policy of a user."))
        }
        return (yield* resolved(caller, membershipId, query)) ?? (yield* new OrganizationNotFound())
      })

      /**
       * The teams of all policies, up to a million in total: read in batches, with each id stored once. `proceed` runs
       * before each batch.
       */
      const teamsOfAll = Effect.fnUntraced(function* <E = never>(
        organizationId: Id<"org">,
        proceed: Effect.Effect<void, E> = Effect.void
      ) {
        const teams = new Map<Id<"dpo">, Array<Id<"tem">>>()
        const shared = new Map<Id<"tem">, Id<"tem">>()
        let last: repo.PolicyTeamRow | undefined
        for (;;) {
          yield* proceed
          const rows: ReadonlyArray<repo.PolicyTeamRow> = yield* repo.teamsAfter(sql, organizationId, last, teamsAtOnce)
          for (const { policy_id: policyId, team_id: read } of rows) {
            const teamId = shared.get(read) ?? read
            shared.set(teamId, teamId)
            const own = teams.get(policyId)
            if (own === undefined) teams.set(policyId, [teamId])
            else own.push(teamId)
          }
          last = rows.at(-1)
          if (rows.length < teamsAtOnce) return teams
        }
      })

      /** The policies before and after the change, and the members it can affect. Validated like the change itself. */
      const worlds = Effect.fnUntraced(function* (caller: Member, input: Policies.SimulateDesktopPolicies) {
        const { organizationId } = caller
        const rows = yield* repo.all(sql, organizationId)
        const teams = yield* teamsOfAll(organizationId)
        const simulatedOf = (row: repo.PlannedRow) => simulatedPolicyOf(row, teams.get(row.id) ?? [])
        const byId = new Map(rows.map((row) => [row.id, row]))
        const enabled = rows.filter((row) => row.is_enabled).map(simulatedOf)
        const but = (id: Id<"dpo">) => enabled.filter((one) => one.id !== id)
        const rowAt = (id: Id<"dpo">, place: Place) => {
          const row = byId.get(id)
          return row === undefined ? Effect.fail(InvalidRequest.at(["body", ...place], isNothing)) : Effect.succeed(row)
        }
        /** A change to one policy: its states before and after. */
        const one = (
          id: Id<"dpo"> | null,
          was: ReadonlyArray<SimulatedPolicy>,
          is: ReadonlyArray<SimulatedPolicy>
        ) => ({
          before: enabled,
          after: [...(id === null ? enabled : but(id)), ...is],
          reach: {
            everybody: [...was, ...is].some((one) => one.forOrganization),
            policyIds: id === null ? [] : [id],
            memberIds: is.flatMap((one) => [...(one.memberIds ?? [])]),
            teamIds: is.flatMap((one) => one.teamIds)
          }
        })

        if (input.create !== undefined) {
          yield* demandAssignees(sql, caller, input.create, ["body", "create"], false)
          yield* demandQuota(caller, input.create.policyName)
          const plan = createdPlan(input.create)
          return one(null, [], plan.isEnabled ? [writtenOf(null, null, plan)] : [])
        }
        if (input.patch !== undefined) {
          const { changes, desktopPolicyId: id } = input.patch
          const { created_at: createdAt } = yield* rowAt(id, ["patch", "desktopPolicyId"])
          yield* demandAssignees(sql, caller, changes, ["body", "patch", "changes"], false)
          const row = yield* repo.find(sql, organizationId, id)
          if (row === undefined) return yield* InvalidRequest.at(["body", "patch", "desktopPolicyId"], isNothing)
          const before = planOf(row)
          const after = changedPlan(before, changes)
          if (after.name !== before.name) yield* demandName(caller, after.name, id)
          return one(
            id,
            before.isEnabled ? [writtenOf(id, createdAt, before)] : [],
            after.isEnabled ? [writtenOf(id, createdAt, after)] : []
          )
        }
        if (input.delete !== undefined) {
          const row = yield* rowAt(input.delete.desktopPolicyId, ["delete", "desktopPolicyId"])
          return one(row.id, row.is_enabled ? [simulatedOf(row)] : [], [])
        }
        const priorities = new Map<Id<"dpo">, number>()
        for (const [index, { desktopPolicyId: id, priority }] of (input.reorder ?? []).entries()) {
          const place = ["reorder", index, "desktopPolicyId"]
          yield* rowAt(id, place)
          if (priorities.has(id)) return yield* InvalidRequest.at(["body", ...place], "must not be repeated")
          priorities.set(id, priority)
        }
        const isMoved = ({ id }: SimulatedPolicy) => id !== null && priorities.has(id)
        return {
          before: enabled,
          after: enabled.map((one) => ({
            ...one,
            priority: (one.id === null ? undefined : priorities.get(one.id)) ?? one.priority
          })),
          reach: {
            everybody: enabled.some((one) => isMoved(one) && one.forOrganization),
            policyIds: [...priorities.keys()],
            memberIds: [],
            teamIds: []
          }
        }
      })

      /** Simulates a change, with a few statements per 2000 members that it can affect. */
      const simulate = Effect.fnUntraced(function* (caller: Member, input: Policies.SimulateDesktopPolicies) {
        const { after, before, reach } = yield* worlds(caller, input)
        const comparison = makeComparison(yield* inTimeSlices(worldOf(before)), yield* inTimeSlices(worldOf(after)))
        let last = ""
        for (;;) {
          const members = yield* repo.reached(sql, caller.organizationId, reach, last, membersAtOnce)
          yield* inTimeSlices(eachSteps(members, (member) => comparison.visit(member)))
          last = members.at(-1)?.id ?? ""
          if (members.length < membersAtOnce) return { simulation: comparison.result() }
        }
      })

      /**
       * The enabled policies and all members, to compare with the state after other changes. Fails with the error of
       * `proceed`, which runs before each batch.
       */
      const snapshot = Effect.fnUntraced(function* <E>(organizationId: Id<"org">, proceed: Effect.Effect<void, E>) {
        yield* proceed
        const rows = yield* repo.all(sql, organizationId)
        const teams = yield* teamsOfAll(organizationId, proceed)
        const policies = rows.filter((row) => row.is_enabled)
        const members = new Map<Id<"om">, repo.MemberRow>()
        const reach = { everybody: true, policyIds: [], memberIds: [], teamIds: [] }
        for (let last = ""; policies.length > 0;) {
          yield* proceed
          const page = yield* repo.reached(sql, organizationId, reach, last, membersAtOnce)
          for (const member of page) members.set(member.id, member)
          last = page.at(-1)?.id ?? ""
          if (page.length < membersAtOnce) break
        }
        return { policies: policies.map((row) => simulatedPolicyOf(row, teams.get(row.id) ?? [])), members }
      })

      /** The differences between two snapshots. Policies that exist only in the second one have no ID in the result. */
      const compare = Effect.fnUntraced(function* (before: PolicySnapshot, after: PolicySnapshot) {
        const existing = new Set(before.policies.map(({ id }) => id))
        const comparison = makeComparison(
          yield* inTimeSlices(worldOf(before.policies)),
          yield* inTimeSlices(worldOf(after.policies))
        )
        const members = new Map([...after.members, ...before.members])
        yield* inTimeSlices(
          eachSteps([...members.keys()].toSorted(), (id) => {
            const none = { id, team_ids: [], policy_ids: [] }
            // Without a policy, the members are not read: none of them has one.
            comparison.visit(before.members.get(id) ?? none, after.members.get(id) ?? none)
          })
        )
        const result = comparison.result()
        return {
          ...result,
          changes: result.changes.map((change) => {
            const { winner } = change.after
            return winner === null || existing.has(winner.id)
              ? change
              : { ...change, after: { ...change.after, winner: { ...winner, id: null, createdAt: null } } }
          })
        } satisfies Policies.Simulation
      })

      return { create, list, get, update, remove, effective, own, simulate, snapshot, compare } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export const layerOwnDesktopPolicy = Layer.effect(
  OwnDesktopPolicy,
  Effect.map(DesktopPoliciesService, ({ own }) => ({ get: own }))
).pipe(Layer.provide(DesktopPoliciesService.layer))
