import { MemberNotFound } from "@orgplane/schema/members"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Teams from "@orgplane/schema/teams"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { digestOf, recordAudits } from "../../infra/audit/record.ts"
import { makeId } from "../../infra/ids.ts"
import { teamGrantsEnding } from "../access/removal.ts"
import * as members from "../members/repo.ts"
import { Mutate, stale } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import * as managed from "../members/managed-repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import * as repo from "./repo.ts"

/** Manages teams: groups of members who are granted access together. */
export class TeamsService extends Context.Service<TeamsService>()("@orgplane/server/teams/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const { mutate } = yield* Mutate

    const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"tem">) {
      const row = yield* repo.lock(sql, caller.organizationId, id)
      return row === undefined ? yield* new Teams.TeamNotFound() : row
    })

    /** The team, unless it is managed by SCIM. */
    const lockedOwn = Effect.fnUntraced(function* (caller: Member, id: Id<"tem">) {
      const row = yield* locked(caller, id)
      if (yield* managed.isGroup(sql, caller.organizationId, id)) {
        return yield* new Forbidden({
          reason: "managed_by_scim",
          message: "The team is managed by SCIM. Change it in your identity provider."
        })
      }
      return row
    })

    const create = (caller: Member, input: typeof Teams.CreateTeam.Type) =>
      mutate(
        caller,
        "team.create",
        Effect.gen(function* () {
          const team = { id: makeId("tem"), name: input.name, description: input.description ?? null }
          const row = yield* repo.create(sql, caller.organizationId, team)
          return row === undefined ? yield* new Teams.TeamExists() : { team: repo.toWire(row) }
        }),
        ({ team }) => ({ target: team.id, after: { name: digestOf(team.name) } })
      )

    const list = (caller: Member, query: PageQuery & { readonly q?: string; readonly orgMembershipId?: Id<"om"> }) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        toWire: repo.toWire
      })
    }

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"tem">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      if (row === undefined) return yield* new Teams.TeamNotFound()
      return { item: repo.toWire(row), version: row.version }
    })

    const update = (caller: Member, id: Id<"tem">, input: typeof Teams.UpdateTeam.Type) =>
      mutate(
        caller,
        "team.update",
        Effect.gen(function* () {
          const before = yield* Object.keys(input).length === 0 ? locked(caller, id) : lockedOwn(caller, id)
          yield* stale(caller, before.version)
          const { description = before.description, name = before.name } = input
          if (name === before.name && description === before.description) return { before, after: before }
          const after = yield* repo
            .update(sql, caller.organizationId, id, { name, description })
            .pipe(whenTaken(() => new Teams.TeamExists()))
          return { before, after: after ?? before }
        }),
        ({ after, before }) => ({
          target: id,
          before: { name: digestOf(before.name), version: before.version },
          after: { name: digestOf(after.name), version: after.version }
        })
      ).pipe(Effect.map(({ after }) => ({ item: repo.toWire(after), version: after.version })))

    /** Removes a team with all its grants. Its members lose the access through the team immediately. */
    const remove = (caller: Member, id: Id<"tem">) =>
      mutate(
        caller,
        "team.remove",
        Effect.gen(function* () {
          const before = yield* lockedOwn(caller, id)
          yield* stale(caller, before.version)
          const grants = yield* repo.remove(sql, caller.organizationId, id)
          return { before, grants }
        }),
        ({ before, grants }) => ({
          target: id,
          before: { name: digestOf(before.name), members: before.member_count, grants }
        })
      ).pipe(Effect.asVoid)

    /** What a removal would end. */
    const impact = Effect.fnUntraced(function* (caller: Member, id: Id<"tem">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      if (row === undefined) return yield* new Teams.TeamNotFound()
      const counts = yield* repo.countEnding(sql, caller.organizationId, id)
      const managedByScim = yield* managed.isGroup(sql, caller.organizationId, id)
      const grants = yield* teamGrantsEnding(sql, caller, id)
      return { impact: { teamId: id, managedByScim, memberCount: row.member_count, ...grants, ...counts } }
    })

    const listMembers = Effect.fnUntraced(function* (caller: Member, id: Id<"tem">, query: PageQuery) {
      yield* get(caller, id)
      return yield* pages.list(caller, query, {
        filters: id,
        rows: (after, limit) => repo.listMembers(sql, caller.organizationId, id, after, limit),
        toWire: members.toWire
      })
    })

    /**
     * Fails unless the member exists. Locks the membership until the transaction ends, so that a team has no former
     * members.
     */
    const demandMember = Effect.fnUntraced(function* (caller: Member, id: Id<"om">) {
      if (!(yield* members.keep(sql, caller.organizationId, id))) return yield* new MemberNotFound()
    })

    const addMember = (caller: Member, id: Id<"tem">, membershipId: Id<"om">) =>
      mutate(
        caller,
        "team.add_member",
        Effect.gen(function* () {
          const before = yield* lockedOwn(caller, id)
          yield* demandMember(caller, membershipId)
          const isNew = yield* repo.addMember(sql, caller.organizationId, id, membershipId)
          const after = yield* repo.find(sql, caller.organizationId, id)
          return { isNew, row: after ?? before }
        }),
        ({ isNew }) => ({ target: id, after: { membershipId, changed: isNew } })
      ).pipe(Effect.map(({ row }) => ({ team: repo.toWire(row) })))

    const removeMember = (caller: Member, id: Id<"tem">, membershipId: Id<"om">) =>
      mutate(
        caller,
        "team.remove_member",
        Effect.gen(function* () {
          yield* lockedOwn(caller, id)
          yield* demandMember(caller, membershipId)
          return yield* repo.removeMember(sql, caller.organizationId, id, membershipId)
        }),
        (wasThere) => ({ target: id, before: { membershipId, changed: wasThere } })
      ).pipe(Effect.asVoid)

    /** Runs `write` for different members, with an audit event for each of them. */
    const changeMembers = (
      caller: Member,
      action: "team.add_member" | "team.remove_member",
      id: Id<"tem">,
      membershipIds: ReadonlyArray<Id<"om">>,
      write: typeof repo.addMembers
    ) => {
      const last = membershipIds.at(-1)
      if (last === undefined) return Effect.void
      const changeOf = (membershipId: Id<"om">, changed: ReadonlySet<Id<"om">>) => {
        const change = { membershipId, changed: changed.has(membershipId) }
        return { target: id, ...(action === "team.add_member" ? { after: change } : { before: change }) }
      }
      return mutate(
        caller,
        action,
        Effect.gen(function* () {
          yield* lockedOwn(caller, id)
          const kept = yield* members.keepAll(sql, caller.organizationId, membershipIds)
          if (kept !== membershipIds.length) return yield* new MemberNotFound()
          const changed = yield* write(sql, caller.organizationId, id, membershipIds)
          // The mutation records the last one.
          const others = membershipIds.slice(0, -1).map((one) => changeOf(one, changed))
          yield* recordAudits(sql, caller, action, others)
          return changed
        }),
        (changed) => changeOf(last, changed)
      ).pipe(Effect.asVoid)
    }

    /** Like `addMember` for several different members. */
    const addMembers = (caller: Member, id: Id<"tem">, membershipIds: ReadonlyArray<Id<"om">>) =>
      changeMembers(caller, "team.add_member", id, membershipIds, repo.addMembers)

    /** Like `removeMember` for several different members. */
    const removeMembers = (caller: Member, id: Id<"tem">, membershipIds: ReadonlyArray<Id<"om">>) =>
      changeMembers(caller, "team.remove_member", id, membershipIds, repo.removeMembers)

    return {
      create,
      list,
      get,
      update,
      remove,
      impact,
      listMembers,
      addMember,
      removeMember,
      addMembers,
      removeMembers
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
