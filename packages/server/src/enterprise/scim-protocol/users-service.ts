import type { ScimDecision } from "@orgplane/schema/scim"
import type { DirectoryCaller } from "@orgplane/schema/shared/caller"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { digestOf } from "../../infra/audit/record.ts"
import { Principals } from "../../identity/auth/principals.ts"
import { makeId } from "../../infra/ids.ts"
import { type Change, Mutate } from "../../infra/mutate/index.ts"
import { differencesOf } from "../scim/differences.ts"
import { endMembers, isOwnersToken } from "../scim/end.ts"
import { checkDeactivation, withdrawHeld } from "../scim/holds.ts"
import { isSame, ScimFault } from "../../infra/scim/language/index.ts"
import { type Entry, lineOfChange, recordInTransaction, ScimLog } from "../../infra/scim/log.ts"
import { applyRoles } from "../scim/roles.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import * as people from "../../identity/users/repo.ts"
import { notFound, uniqueness } from "./faults.ts"
import { findPerson, nameOf } from "./people.ts"
import * as directory from "./directory-repo.ts"
import * as repo from "./users-repo.ts"
import { demandVersion } from "./versions.ts"

/** The request as the log shows it. */
export type RequestLine = Pick<Entry, "method" | "path">

/** The kind of change to a SCIM user. */
type ChangeKind = "update" | "deactivate" | "reactivate"

/** Another request changed the SCIM user between reading and locking it, so that this is a different kind of change. */
class ChangeKindMoved extends Data.TaggedError("Moved") {}

const changeKindOf = (before: repo.Row, after: directory.StoredResource): ChangeKind =>
  before.active === after.columns.active ? "update" : after.columns.active ? "reactivate" : "deactivate"

const movesMax = 5

const textOf = (resource: directory.StoredResource["resource"], name: string) => {
  const value = resource[name]
  return typeof value === "string" ? value : undefined
}

interface Changed {
  readonly row: repo.Row
  readonly decision: ScimDecision
  readonly change: Change
  /** The subjects to evict from the cache of `Principals`. */
  readonly subjects: ReadonlyArray<string>
}

/** The users of a directory and their memberships. */
export class ScimUsersService extends Context.Service<ScimUsersService>()("@orgplane/server/scim-protocol/Users", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const principals = yield* Principals
    const log = yield* ScimLog
    const { mutate } = yield* Mutate

    const announce = (subjects: ReadonlyArray<string>) =>
      Effect.forEach(subjects, (subject) => principals.announce(subject), { discard: true })
    const forget = (subjects: ReadonlyArray<string>) =>
      Effect.sync(() => {
        for (const subject of subjects) principals.forget(subject)
      })

    const entryOf = (
      requestLine: RequestLine,
      row: Pick<repo.Row, "id" | "resource_json">,
      rest: Pick<Entry, "status" | "decision" | "differences" | "detail">
    ) => ({
      ...requestLine,
      ...rest,
      resourceType: "User" as const,
      resourceId: row.id,
      displayName: textOf(row.resource_json, "userName")
    })

    const userNameTaken = () => uniqueness("A user with this userName already exists in the directory.")
    const memberTaken = () => uniqueness("Another SCIM user is linked to the same member.")

    const create = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      requestLine: RequestLine,
      user: directory.StoredResource
    ) {
      const creation = yield* mutate(
        caller,
        "scim.user_create",
        Effect.gen(function* () {
          const person = yield* findPerson(
            sql,
            principals,
            caller.organizationId,
            user,
            directory.selectDirectoryForShare(sql, caller)
          )
          if (person.isMissing && !(yield* directory.keepDirectory(sql, caller))) return yield* notFound()
          const id = makeId("scu")
          const membershipId = user.columns.active ? makeId("om") : undefined
          const line = yield* lineOfChange(
            caller,
            entryOf(
              requestLine,
              { id, resource_json: user.resource },
              { status: 201, decision: "created", differences: differencesOf({}, user.resource) }
            )
          )
          const row = yield* repo
            .create(
              sql,
              caller,
              {
                ...user,
                id,
                userId: person.userId,
                newPerson: person.isMissing ? { name: nameOf(user.resource) } : undefined,
                membershipId
              },
              line
            )
            .pipe(whenTaken(memberTaken))
          if (row === undefined) return yield* userNameTaken()
          const isAdopted = row.membership_id !== null && row.membership_id !== membershipId
          // Succeeds a removed SCIM user of the same member whose removal is held for approval.
          const subjects: Array<string> = person.isExisting ? [person.userId] : []
          if (
            isAdopted &&
            row.membership_id !== null &&
            (yield* repo.isHeldElsewhere(sql, caller, row.membership_id))
          ) {
            yield* withdrawHeld(sql, caller, row.id)
            yield* repo.succeed(sql, caller, row.id, row.membership_id)
            subjects.push(...(yield* applyRoles(sql, caller.organizationId, [row.id])).subjects)
          }
          yield* announce(subjects)
          return { row, subjects, isAdopted }
        }),
        ({ isAdopted, row }) => ({
          target: row.id,
          after: {
            userName: digestOf(user.columns.name),
            active: row.active,
            membershipId: row.membership_id,
            isAdopted
          }
        })
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

    /** Inside a transaction that has locked the directory: ends the membership, or holds it for approval. */
    const leave = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      row: repo.Row,
      action: "deactivate" | "delete"
    ) {
      const none: ReadonlyArray<string> = []
      if (row.membership_id === null) return { isHeld: false, subjects: none }
      if ((yield* checkDeactivation(sql, caller, row.id, action)) === "held") return { isHeld: true, subjects: none }
      const isOwner = yield* isOwnersToken(sql, caller.organizationId, caller.tokenId)
      const { kept, subjects } = yield* endMembers(sql, caller.organizationId, [row.membership_id], { isOwner })
      if (kept.length > 0) {
        return yield* new ScimFault({
          status: 403,
          detail: isOwner
            ? "An organization must keep at least one owner, or at least one break-glass owner while single sign-on is enforced. Add another one first."
            : "Removing an owner requires a SCIM token that an owner created."
        })
      }
      yield* announce(subjects)
      return { isHeld: false, subjects }
    })

    /** Inside a transaction that has locked the directory: ensures that the user is a member. */
    const join = Effect.fnUntraced(function* (caller: DirectoryCaller, row: repo.Row, after: directory.StoredResource) {
      if (row.membership_id !== null) return { userId: row.user_id, membershipId: row.membership_id, subjects: [] }
      const existingUser = yield* people.lock(sql, row.user_id)
      // The user may have deleted their account in the meantime.
      const person =
        existingUser === undefined
          ? yield* findPerson(sql, principals, caller.organizationId, after)
          : { userId: existingUser.id }
      if ("isMissing" in person && person.isMissing) {
        yield* repo.createPerson(sql, person.userId, nameOf(after.resource))
      }
      const membershipId = yield* expectRow(
        yield* repo.joinOrganization(sql, caller.organizationId, person.userId, makeId("om")),
        "membership"
      )
      return { userId: person.userId, membershipId, subjects: [person.userId] }
    })

    const apply = Effect.fnUntraced(function* (
      caller: DirectoryCaller,
      requestLine: RequestLine,
      before: repo.Row,
      after: directory.StoredResource,
      kind: ChangeKind
    ) {
      const left = kind === "deactivate" ? yield* leave(caller, before, "deactivate") : undefined
      const joined = kind === "reactivate" ? yield* join(caller, before, after) : undefined
      const membershipId = joined?.membershipId ?? (left !== undefined && !left.isHeld ? null : before.membership_id)
      const row = yield* repo
        .update(sql, caller, before.id, { ...after, membershipId, userId: joined?.userId ?? before.user_id })
        .pipe(
          whenTaken(() =>
            membershipId !== null && membershipId !== before.membership_id ? memberTaken() : userNameTaken()
          )
        )
      if (row === undefined) return yield* notFound()
      const subjects = [...(left?.subjects ?? []), ...(joined?.subjects ?? [])]
      if (joined !== undefined) {
        yield* repo.joinTeams(sql, caller, row.id, joined.membershipId)
        const roles = yield* applyRoles(sql, caller.organizationId, [row.id])
        yield* announce([...joined.subjects, ...roles.subjects])
        subjects.push(...roles.subjects)
      }
      const decision: ScimDecision = left?.isHeld === true ? "held" : "updated"
      yield* recordInTransaction(
        sql,
        caller,
        entryOf(requestLine, row, {
          status: 200,
          decision,
          detail: decision === "held" ? heldDetail : undefined,
          differences: differencesOf(before.resource_json, after.resource)
        })
      )
      const change: Change = {
        target: row.id,
        before: { version: before.version, active: before.active, membershipId: before.membership_id },
        after: { version: row.version, active: row.active, membershipId: row.membership_id, decision }
      }
      const changed: Changed = { row, decision, change, subjects }
      return changed
    })

    const heldDetail = "Held for approval: too many deactivations within an hour. An administrator must approve them."

    const tryChange = Effect.fnUntraced(function* <E>(
      caller: DirectoryCaller,
      requestLine: RequestLine,
      id: string,
      afterOf: (before: repo.Row) => Effect.Effect<directory.StoredResource, E>
    ) {
      const seen = yield* find(caller, id)
      const wanted = yield* afterOf(seen)
      if (isSame(seen.resource_json, wanted.resource)) {
        yield* demandVersion(caller, seen.version)
        yield* log.note(caller, entryOf(requestLine, seen, { status: 200, decision: "unchanged" }))
        return seen
      }
      const kind = changeKindOf(seen, wanted)
      const changed = yield* mutate(
        caller,
        `scim.user_${kind}`,
        Effect.gen(function* () {
          // Changes of memberships and changes of group members lock the directory, so that they do not run
          // concurrently.
          if (kind !== "update" && !(yield* directory.lockDirectory(sql, caller))) return yield* notFound()
          if (kind === "reactivate") yield* withdrawHeld(sql, caller, seen.id)
          const before = yield* repo.lock(sql, caller, id)
          if (before === undefined) return yield* notFound()
          yield* demandVersion(caller, before.version)
          const after = before.version === seen.version ? wanted : yield* afterOf(before)
          if (changeKindOf(before, after) !== kind || isSame(before.resource_json, after.resource))
            return yield* new ChangeKindMoved()
          return yield* apply(caller, requestLine, before, after, kind)
        }),
        ({ change }) => change
      )
      yield* forget(changed.subjects)
      return changed.row
    })

    /** Changes a SCIM user. Resending the same values is a no-op that is only logged. */
    const change = <E>(
      caller: DirectoryCaller,
      requestLine: RequestLine,
      id: string,
      afterOf: (before: repo.Row) => Effect.Effect<directory.StoredResource, E>
    ) =>
      tryChange(caller, requestLine, id, afterOf).pipe(
        Effect.retry({ times: movesMax, while: (error) => error instanceof ChangeKindMoved }),
        Effect.catchIf(
          (error): error is ChangeKindMoved => error instanceof ChangeKindMoved,
          () =>
            Effect.fail(new ScimFault({ status: 409, detail: "Other requests are changing the same user. Try again." }))
        )
      )

    const remove = Effect.fnUntraced(function* (caller: DirectoryCaller, requestLine: RequestLine, id: string) {
      const removed = yield* mutate(
        caller,
        "scim.user_delete",
        Effect.gen(function* () {
          if (!(yield* directory.lockDirectory(sql, caller))) return yield* notFound()
          const before = yield* repo.lock(sql, caller, id)
          if (before === undefined) return yield* notFound()
          yield* demandVersion(caller, before.version)
          const { isHeld, subjects } = yield* leave(caller, before, "delete")
          yield* repo.remove(sql, caller, before.id, { isHeld })
          const decision: ScimDecision = isHeld ? "held" : "deleted"
          yield* recordInTransaction(
            sql,
            caller,
            entryOf(requestLine, before, { status: 204, decision, detail: isHeld ? heldDetail : undefined })
          )
          return { before, decision, subjects }
        }),
        ({ before, decision }) => ({
          target: before.id,
          before: { version: before.version, active: before.active, membershipId: before.membership_id },
          after: { decision }
        })
      )
      yield* forget(removed.subjects)
    })

    return { create, get, find, change, remove } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
