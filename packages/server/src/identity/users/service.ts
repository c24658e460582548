import type { SignedIn } from "@orgplane/schema/shared/caller"
import { Forbidden, OrganizationNotFound } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import type * as Users from "@orgplane/schema/users"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { digestOf } from "../../infra/audit/record.ts"
import { isListedAdmin } from "../auth/platform.ts"
import { Principals } from "../auth/principals.ts"
import { Settings } from "../../infra/config/settings.ts"
import { linesOf } from "../../infra/http/lines.ts"
import { endMembership } from "../members/end.ts"
import * as members from "../members/repo.ts"
import * as memories from "./memories-repo.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import * as organizations from "../organizations/repo.ts"
import { Pages } from "../../infra/pages/index.ts"
import * as sessions from "../sessions/repo.ts"
import * as managed from "../members/managed-repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { demandUnbound } from "./bound.ts"
import * as repo from "./repo.ts"

const missingUser = () => Effect.die(new Error("The signed-in user does not exist."))

/** The signed-in user, across organizations. */
export class UsersService extends Context.Service<UsersService>()("@orgplane/server/users/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const { mutate } = yield* Mutate
    const { platformAdmins } = yield* Settings

    const get = Effect.fnUntraced(function* (caller: SignedIn) {
      const row = yield* repo.find(sql, caller.userId)
      if (row === undefined) return yield* missingUser()
      const isPlatformAdministrator = isListedAdmin(caller.verifiedEmail, platformAdmins)
      return { user: { ...repo.toWire(row, caller.verifiedEmail), isPlatformAdministrator } }
    })

    const update = Effect.fnUntraced(function* (caller: SignedIn, input: typeof Users.UpdateUser.Type) {
      yield* demandUnbound(caller)
      const row = yield* mutate(
        caller,
        "user.update",
        Effect.gen(function* () {
          const row =
            input.name === undefined
              ? yield* repo.find(sql, caller.userId)
              : yield* repo.rename(sql, caller.userId, input.name)
          return row === undefined ? yield* missingUser() : row
        }),
        (row) => ({ target: row.id, after: input.name ? { name: digestOf(input.name) } : {} })
      )
      return { user: repo.toWire(row, caller.verifiedEmail) }
    })

    /** Ends one membership of the user, unless the organization would be left without an owner. */
    const endOne = Effect.fnUntraced(function* (organizationId: Id<"org">, id: Id<"om">, message: string) {
      const organization = yield* organizations.lock(sql, organizationId)
      // Read after the lock: the user may have become an owner concurrently.
      const member = yield* members.find(sql, organizationId, id)
      const isLast =
        organization !== undefined &&
        member?.role === "owner" &&
        !(yield* organizations.hasOtherOwner(sql, organizationId, id))
      if (isLast) return yield* new Forbidden({ reason: "last_owner", message })
      return yield* endMembership(sql, organizationId, id)
    })

    /** Removes the user from one organization. Resources that they created there are kept. */
    const leaveOrganization = Effect.fnUntraced(function* (caller: SignedIn, organizationId: Id<"org">) {
      yield* demandUnbound(caller)
      const { membershipId } = yield* mutate(
        caller,
        "user.leave_organization",
        Effect.gen(function* () {
          const [row] = yield* repo.listOrganizations(sql, caller.userId, organizationId, null, 1)
          if (row === undefined) return yield* new OrganizationNotFound()
          if (yield* managed.isProvisioned(sql, organizationId, row.membership_id)) {
            return yield* new Forbidden({
              reason: "managed_by_scim",
              message: "Your membership is managed by SCIM. Ask your identity provider's administrator to remove you."
            })
          }
          const message = "You are the last owner. Make another member an owner, or remove the organization."
          const hasEnded = yield* endOne(organizationId, row.membership_id, message)
          if (!hasEnded) return yield* new OrganizationNotFound()
          yield* principals.announce(row.membership_id)
          yield* principals.announce(caller.userId)
          return { membershipId: row.membership_id }
        }),
        ({ membershipId }) => ({ target: organizationId, after: { organizationId, membershipId } })
      )
      principals.forget(membershipId)
      principals.forget(caller.userId)
    })

    /** Deletes the user's account and memories. Resources that they created stay with the organizations. */
    const remove = Effect.fnUntraced(function* (caller: SignedIn) {
      yield* demandUnbound(caller)
      yield* mutate(
        caller,
        "user.remove",
        Effect.gen(function* () {
          // Locks the user first, then the organizations, in the same order as when a user joins one, to avoid
          // deadlocks.
          const user = yield* repo.lock(sql, caller.userId)
          const memberships = yield* repo.listMemberships(sql, caller.userId)
          for (const { id, organization_id: organizationId } of memberships) {
            const message =
              "You are the last owner of an organization. Make another member an owner, or remove the organization."
            yield* endOne(organizationId, id, message)
          }
          if (user?.email != null) yield* sessions.forgetChallenge(sql, user.email)
          yield* sessions.revokeAll(sql, caller.userId)
          yield* memories.removeAll(sql, caller.userId)
          yield* repo.erase(sql, caller.userId)
          yield* principals.announce(caller.userId)
          return memberships.length
        }),
        (memberships) => ({ target: caller.userId, before: { memberships } })
      )
      principals.forget(caller.userId)
    })

    /** The organization used for requests that do not specify one. */
    const activeOf = Effect.fnUntraced(function* (caller: SignedIn) {
      const selectedId = caller.sessionId === null ? null : yield* sessions.selectedOrganization(sql, caller.sessionId)
      if (selectedId !== null) return selectedId
      const [first, ...others] = yield* repo.listOrganizations(sql, caller.userId, null, null, 2)
      return others.length === 0 ? (first?.id ?? null) : null
    })

    const listOrganizations = Effect.fnUntraced(function* (caller: SignedIn, query: PageQuery) {
      const active: Id<"org"> | null = yield* activeOf(caller)
      return yield* pages.read(
        { operation: "users.organizations", organizationId: caller.boundTo, filters: caller.userId },
        query,
        (after, limit) => repo.listOrganizations(sql, caller.userId, caller.boundTo, after, limit),
        (row) => row.membership_id,
        (row) => ({
          organization: organizations.toWire(row),
          orgMembershipId: row.membership_id,
          role: row.role,
          active: row.id === active
        })
      )
    })

    const setActiveOrganization = Effect.fnUntraced(function* (caller: SignedIn, organizationId: Id<"org">) {
      yield* demandUnbound(caller)
      const { sessionId } = caller
      if (sessionId === null) {
        return yield* new Forbidden({
          reason: "session_required",
          message:
            "This requires an orgplane session token. With other credentials, set the organization ID in the x-organization-id header."
        })
      }
      const row = yield* mutate(
        caller,
        "user.set_active_organization",
        Effect.gen(function* () {
          const [row] = yield* repo.listOrganizations(sql, caller.userId, organizationId, null, 1)
          if (row === undefined) return yield* new OrganizationNotFound()
          yield* sessions.selectOrganization(sql, sessionId, organizationId, false)
          yield* principals.announce(sessionId)
          return row
        }),
        (row) => ({ target: sessionId, after: { organizationId: row.id } })
      )
      principals.forget(sessionId)
      return { organization: organizations.toWire(row) }
    })

    /**
     * Streams everything that is stored about the user, as lines. Resources that they created belong to the
     * organizations.
     */
    const exportData = Effect.fnUntraced(function* (caller: SignedIn) {
      yield* demandUnbound(caller)
      const { user } = yield* get(caller)
      const { userId } = caller
      const toWire = sessions.toWire(caller.sessionId)
      return linesOf("user", user, [
        {
          kind: "subject",
          read: (after, limit) =>
            Effect.map(repo.listSubjects(sql, userId, after, limit), (rows) =>
              rows.map((item) => ({ id: item.subject, item }))
            )
        },
        {
          kind: "membership",
          read: (after, limit) =>
            Effect.map(repo.listOrganizations(sql, userId, null, after === "" ? null : after, limit), (rows) =>
              rows.map((row) => ({
                id: row.membership_id,
                item: { orgMembershipId: row.membership_id, role: row.role, organization: organizations.toWire(row) }
              }))
            )
        },
        {
          kind: "memory",
          rowsMax: memories.wholeRowsMax,
          read: (after, limit) =>
            Effect.map(memories.listEverywhere(sql, userId, after === "" ? null : after, limit), (rows) =>
              rows.map((row) => ({ id: row.id, item: memories.toWhole(row) }))
            )
        },
        {
          kind: "session",
          read: (after, limit) =>
            Effect.map(sessions.list(sql, userId, null, after === "" ? null : after, limit), (rows) =>
              rows.map((row) => ({ id: row.id, item: toWire(row) }))
            )
        }
      ])
    })

    return {
      get,
      update,
      remove,
      leaveOrganization,
      listOrganizations,
      setActiveOrganization,
      exported: exportData
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
