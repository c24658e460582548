import type { ScimDecision } from "@orgplane/schema/scim"
import type { DirectoryCaller } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { digestOf } from "../../infra/audit/record.ts"
import { Principals } from "../../identity/auth/principals.ts"
import { makeId } from "../../infra/ids.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { differencesOf, membersDifference } from "../scim/differences.ts"
import { isSame, type JsonObject } from "../../infra/scim/language/index.ts"
import { type Entry, recordInTransaction, ScimLog } from "../../infra/scim/log.ts"
import { applyRoles } from "../scim/roles.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import * as teams from "../../identity/teams/repo.ts"
import { notFound, uniqueness, invalidValue } from "./faults.ts"
import * as repo from "./groups-repo.ts"
import type { RequestLine } from "./users-service.ts"
import { keepDirectory, lockDirectory, type StoredResource } from "./directory-repo.ts"
import { demandVersion } from "./versions.ts"

/** A change of a group's members: replace all, or add and remove some. */
export interface MemberChange {
  readonly replace?: ReadonlyArray<string> | undefined
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}

export interface GroupChange {
  readonly group: StoredResource
  readonly members: MemberChange | undefined
}

/** The maximum number of members of a group. */
export const membersMax = 50_000
const nameMax = 120
const namesMax = 50

/** Candidate names for the group's team, in order of preference. Team names are unique in the organization. */
const teamNames = (displayName: string): ReadonlyArray<string> => {
  const named = (suffix: string) =>
    `${Array.from(displayName.trim())
      .slice(0, nameMax - suffix.length)
      .join("")
      .trim()}${suffix}`
  return [named(""), named(" (SCIM)"), ...Array.from({ length: namesMax }, (_, index) => named(` (SCIM ${index + 2})`))]
}

/** Another team took the name concurrently. */
class NameTaken extends Data.TaggedError("NameLost") {}
const nameRetriesMax = 5

const nameOf = (resource: JsonObject): string =>
  typeof resource["displayName"] === "string" ? resource["displayName"] : ""

const wholeOf = ({ add, remove, replace }: MemberChange): ReadonlyArray<string> | undefined => {
  if (replace === undefined) return undefined
  const removedIds = new Set(remove)
  return [...new Set([...replace, ...add])].filter((id) => !removedIds.has(id))
}

/** The groups of a directory. Each has a team. */
export class ScimGroupsService extends Context.Service<ScimGroupsService>()("@orgplane/server/scim-protocol/Groups", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const principals = yield* Principals
    const log = yield* ScimLog
    const { mutate } = yield* Mutate

    const forget = (subjects: ReadonlyArray<string>) =>
      Effect.sync(() => {
        for (const subject of subjects) principals.forget(subject)
      })

    const entryOf = (
      requestLine: RequestLine,
      row: repo.Row,
      rest: Pick<Entry, "status" | "decision" | "differences">
    ) => ({
      ...requestLine,
      ...rest,
      resourceType: "Group" as const,
      resourceId: row.id,
      displayName: nameOf(row.resource_json)
    })

    const displayNameTaken = () => uniqueness("A group with this displayName already exists in the directory.")

    const freeName = Effect.fnUntraced(function* (caller: DirectoryCaller, id: string, resource: JsonObject) {
      const name = yield* repo.freeName(sql, caller.organizationId, teamNames(nameOf(resource)), id)
      return name === undefined ? yield* uniqueness("The organization has too many teams with this name.") : name
    })

    /**
     * Inside a transaction that has locked the directory: changes the members of the group and its team, and their
     * roles.
     */
    const applyMembers = Effect.fnUntraced(function* (caller: DirectoryCaller, group: repo.Row, members: MemberChange) {
      const whole = wholeOf(members)
      const wanted = whole ?? [...new Set(members.add)]
      if (wanted.length > membersMax) {
        return yield* invalidValue(`A group can have at most ${membersMax} members.`)
      }
      const removed =
        whole === undefined
          ? members.remove.length === 0
            ? []
            : yield* repo.removeMembers(sql, caller, group.id, { these: members.remove })
          : yield* repo.removeMembers(sql, caller, group.id, { allBut: whole })
      const put = wanted.length === 0 ? undefined : yield* repo.addMembers(sql, caller, group.id, wanted)
      if (put !== undefined && put.good < wanted.length) {
        return yield* invalidValue("Each member must be the ID of a user in this directory.")
      }
      const added = put?.added ?? []
      if (removed.length > 0) yield* repo.leaveTeam(sql, caller, group.id, removed)
      if (added.length > 0) yield* repo.joinTeam(sql, caller, group.id, added)
      const roles =
        group.role === null
          ? undefined
          : yield* applyRoles(sql, caller.organizationId, [...removed, ...added] as ReadonlyArray<Id<"scu">>)
      const subjects = roles?.subjects ?? []
      yield* Effect.forEach(subjects, (subject) => principals.announce(subject), { discard: true })
      return { removed, added, subjects }
    })

    const noMembers = {
      removed: [] as ReadonlyArray<string>,
      added: [] as ReadonlyArray<string>,
      subjects: [] as ReadonlyArray<string>
    }

    const retryName = <A, E>(effect: Effect.Effect<A, E | NameTaken>) =>
      effect.pipe(
        Effect.retry({ times: nameRetriesMax, while: (error) => error instanceof NameTaken }),
        Effect.catchIf((error): error is NameTaken => error instanceof NameTaken, displayNameTaken)
      )

    const create = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      requestLine: RequestLine,
      { group, members }: GroupChange
    ) {
      const creation = yield* retryName(
        mutate(
          caller,
          "scim.group_create",
          Effect.gen(function* () {
            const isThere = yield* members === undefined ? keepDirectory(sql, caller) : lockDirectory(sql, caller)
            if (!isThere) return yield* notFound()
            const id = makeId("tem")
            const teamName = yield* freeName(caller, id, group.resource)
            const row = yield* repo
              .create(sql, caller, { ...group, id, teamName })
              .pipe(whenTaken(() => new NameTaken()))
            if (row === undefined) return yield* displayNameTaken()
            const changed = members === undefined ? noMembers : yield* applyMembers(caller, row, members)
            yield* recordInTransaction(
              sql,
              caller,
              entryOf(requestLine, row, {
                status: 201,
                decision: "created",
                differences: [...differencesOf({}, group.resource), ...membersDifference([], changed.added)]
              })
            )
            return { row, ...changed }
          }),
          ({ added, row }) => ({
            target: row.id,
            after: { name: digestOf(nameOf(row.resource_json)), members: added.length }
          })
        )
      )
      yield* forget(creation.subjects)
      return creation.row
    })

    const find = Effect.fnUntraced(function* (caller: DirectoryCaller, id: string) {
      const row = yield* repo.find(sql, caller, id)
      return row === undefined ? yield* notFound() : row
    })

    const get = Effect.fnUntraced(function* (caller: DirectoryCaller, requestLine: RequestLine, id: string) {
      const row = yield* find(caller, id)
      yield* log.note(caller, entryOf(requestLine, row, { status: 200, decision: "read" }))
      return row
    })

    /** When all members are replaced, only the change itself can compare them. */
    const changesMembers = (caller: DirectoryCaller, id: string, members: MemberChange | undefined) =>
      members === undefined
        ? Effect.succeed(false)
        : members.replace === undefined
          ? repo.wouldChange(sql, caller, id, members)
          : Effect.succeed(true)

    const change = Effect.fnUntraced(function* <E>(
      caller: DirectoryCaller,
      requestLine: RequestLine,
      id: string,
      wantedOf: (before: repo.Row) => Effect.Effect<GroupChange, E>,
      status: 200 | 204
    ) {
      const seen = yield* find(caller, id)
      const wanted = yield* wantedOf(seen)
      const isUnchanged =
        isSame(seen.resource_json, wanted.group.resource) && !(yield* changesMembers(caller, id, wanted.members))
      if (isUnchanged) {
        yield* demandVersion(caller, seen.version)
        yield* log.note(caller, entryOf(requestLine, seen, { status, decision: "unchanged" }))
        return seen
      }
      const changed = yield* retryName(
        mutate(
          caller,
          "scim.group_update",
          Effect.gen(function* () {
            // Changes of group members and changes of memberships lock the directory, so that they do not run
            // concurrently.
            if (wanted.members !== undefined && !(yield* lockDirectory(sql, caller))) return yield* notFound()
            const before = yield* repo.lock(sql, caller, id)
            if (before === undefined) return yield* notFound()
            yield* demandVersion(caller, before.version)
            const { group, members } = before.version === seen.version ? wanted : yield* wantedOf(before)
            const named = nameOf(group.resource)
            if (named !== nameOf(before.resource_json)) {
              const name = yield* freeName(caller, id, group.resource)
              yield* repo.renameTeam(sql, caller.organizationId, id, name).pipe(whenTaken(() => new NameTaken()))
            }
            const who = members === undefined ? noMembers : yield* applyMembers(caller, before, members)
            const isOther = who.removed.length + who.added.length > 0 || !isSame(before.resource_json, group.resource)
            const row = isOther ? yield* repo.update(sql, caller, id, group).pipe(whenTaken(displayNameTaken)) : before
            if (row === undefined) return yield* notFound()
            const decision: ScimDecision = isOther ? "updated" : "unchanged"
            yield* recordInTransaction(
              sql,
              caller,
              entryOf(requestLine, row, {
                status,
                decision,
                differences: [
                  ...differencesOf(before.resource_json, group.resource),
                  ...membersDifference(who.removed, who.added)
                ]
              })
            )
            return { before, row, ...who }
          }),
          ({ added, before, removed, row }) => ({
            target: row.id,
            before: { name: digestOf(nameOf(before.resource_json)), version: before.version },
            after: {
              name: digestOf(nameOf(row.resource_json)),
              version: row.version,
              membersAdded: added.length,
              membersRemoved: removed.length
            }
          })
        )
      )
      yield* forget(changed.subjects)
      return changed.row
    })

    /** Removes the group with its team and all its grants. */
    const remove = Effect.fnUntraced(function* (caller: DirectoryCaller, requestLine: RequestLine, id: string) {
      const removed = yield* mutate(
        caller,
        "scim.group_delete",
        Effect.gen(function* () {
          if (!(yield* lockDirectory(sql, caller))) return yield* notFound()
          const before = yield* repo.lock(sql, caller, id)
          if (before === undefined) return yield* notFound()
          yield* demandVersion(caller, before.version)
          const left = yield* repo.remove(sql, caller, id)
          const grants = yield* teams.remove(sql, caller.organizationId, before.id)
          const roles =
            before.role === null
              ? undefined
              : yield* applyRoles(sql, caller.organizationId, left as ReadonlyArray<Id<"scu">>)
          const subjects = roles?.subjects ?? []
          yield* Effect.forEach(subjects, (subject) => principals.announce(subject), { discard: true })
          yield* recordInTransaction(sql, caller, entryOf(requestLine, before, { status: 204, decision: "deleted" }))
          return { before, grants, left, subjects }
        }),
        ({ before, grants, left }) => ({
          target: before.id,
          before: { name: digestOf(nameOf(before.resource_json)), members: left.length, grants }
        })
      )
      yield* forget(removed.subjects)
    })

    return { create, get, find, change, remove } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
