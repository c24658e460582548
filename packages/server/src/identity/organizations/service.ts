import * as Organizations from "@orgplane/schema/organizations"
import type { Member, SignedIn } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest, OrganizationNotFound } from "@orgplane/schema/shared/errors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { digestOf } from "../../infra/audit/record.ts"
import { Principals } from "../auth/principals.ts"
import { Settings } from "../../infra/config/settings.ts"
import { linesOf } from "../../infra/http/lines.ts"
import { makeId } from "../../infra/ids.ts"
import * as members from "../members/repo.ts"
import { Mutate, stale } from "../../infra/mutate/index.ts"
import * as sessions from "../sessions/repo.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { Storage } from "../../infra/storage/index.ts"
import { demandUnbound } from "../users/bound.ts"
import * as users from "../users/repo.ts"
import * as exports from "./export-repo.ts"
import * as repo from "./repo.ts"

const ownedMax = 10

/** Creates, renames, transfers and deletes organizations. */
export class OrganizationsService extends Context.Service<OrganizationsService>()(
  "@orgplane/server/organizations/Service",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const settings = yield* Settings
      const principals = yield* Principals
      const { mutate } = yield* Mutate
      const storage = yield* Storage

      const get = Effect.fnUntraced(function* (caller: Member) {
        const row = yield* repo.find(sql, caller.organizationId)
        if (row === undefined) return yield* new OrganizationNotFound()
        return { item: repo.toWire(row), version: row.version }
      })

      const getStorage = (caller: Member) =>
        Effect.map(storage.usage(caller.organizationId), ({ bytes, limit }) => ({
          usedBytes: Math.max(0, bytes),
          limitBytes: limit
        }))

      /** Creates an organization whose owner is the caller. */
      const create = Effect.fnUntraced(function* (
        caller: SignedIn,
        input: typeof Organizations.CreateOrganization.Type
      ) {
        yield* demandUnbound(caller)
        if (caller.verifiedEmail === null) {
          return yield* new Forbidden({
            reason: "email_not_verified",
            message: "This requires a verified email address. Sign in with an email code first."
          })
        }
        const creation = yield* mutate(
          caller,
          "organization.create",
          Effect.gen(function* () {
            // The user is locked, so that two concurrent requests cannot both create the last allowed organization.
            yield* users.lock(sql, caller.userId)
            if ((yield* repo.countOwned(sql, caller.userId)) >= ownedMax) {
              return yield* new Organizations.OrganizationQuotaExceeded()
            }
            const row = yield* repo.create(sql, {
              id: makeId("org"),
              name: input.name,
              plan: settings.defaultPlan,
              isProvisional: false
            })
            yield* members.create(sql, row.id, { id: makeId("om"), userId: caller.userId, role: "owner" })
            if (caller.sessionId !== null) yield* sessions.selectOrganization(sql, caller.sessionId, row.id, true)
            yield* principals.announce(caller.userId)
            return { organization: repo.toWire(row) }
          }),
          ({ organization }) => ({
            target: organization.id,
            after: { organizationId: organization.id, name: digestOf(organization.name), plan: organization.plan }
          })
        )
        principals.forget(caller.userId)
        return creation
      })

      const locked = Effect.fnUntraced(function* (caller: Member) {
        const row = yield* repo.lock(sql, caller.organizationId)
        return row === undefined ? yield* new OrganizationNotFound() : row
      })

      /** Checked after the lock, because the cached caller may no longer be an owner. */
      const demandOwnerNow = Effect.fnUntraced(function* ({ organizationId, principal }: Member) {
        const row =
          principal.kind === "session" ? yield* members.find(sql, organizationId, principal.membershipId) : undefined
        if (row?.role !== "owner") {
          return yield* new Forbidden({ reason: "owner_required", message: "This requires the owner role." })
        }
      })

      const update = Effect.fnUntraced(function* (caller: Member, input: typeof Organizations.UpdateOrganization.Type) {
        const { after } = yield* mutate(
          caller,
          "organization.update",
          Effect.gen(function* () {
            const before = yield* locked(caller)
            yield* stale(caller, before.version)
            const { name } = input
            const after =
              name === undefined || name === before.name
                ? before
                : ((yield* repo.rename(sql, caller.organizationId, name)) ?? before)
            return { after, before }
          }),
          ({ after, before }) => ({
            target: after.id,
            before: { name: digestOf(before.name), version: before.version },
            after: { name: digestOf(after.name), version: after.version }
          })
        )
        return { item: repo.toWire(after), version: after.version }
      })

      /** Deletes the organization. From the next request on, no user and no key can access it. */
      const remove = Effect.fnUntraced(function* (caller: Member) {
        yield* mutate(
          caller,
          "organization.remove",
          Effect.gen(function* () {
            const row = yield* locked(caller)
            yield* demandOwnerNow(caller)
            yield* stale(caller, row.version)
            yield* sessions.leaveOrganization(sql, caller.organizationId, null)
            yield* repo.remove(sql, caller.organizationId)
            yield* principals.announce(caller.organizationId)
            return row
          }),
          (row) => ({ target: row.id, before: { name: digestOf(row.name), plan: row.plan, version: row.version } })
        )
        principals.forget(caller.organizationId)
      })

      /** Makes another member an owner and gives the caller the chosen role, in one transaction. */
      const transferOwnership = Effect.fnUntraced(function* (
        caller: Member,
        input: typeof Organizations.TransferOwnership.Type
      ) {
        const from = caller.principal.kind === "session" ? caller.principal.membershipId : null
        if (from === null) {
          return yield* new Forbidden({
            reason: "session_required",
            message: "API keys cannot transfer ownership. Sign in as an owner."
          })
        }
        if (caller.provisional) {
          return yield* new Forbidden({
            reason: "provisional_organization",
            message: "An unclaimed workspace gets its owners through claim links. Claim it first."
          })
        }
        const keep = input.keep ?? "admin"
        const response = yield* mutate(
          caller,
          "organization.transfer_ownership",
          Effect.gen(function* () {
            const row = yield* locked(caller)
            yield* demandOwnerNow(caller)
            const to = yield* members.find(sql, caller.organizationId, input.orgMembershipId)
            if (to === undefined) {
              return yield* InvalidRequest.at(["body", "orgMembershipId"], "does not exist in the organization")
            }
            if (to.id === from) {
              return yield* InvalidRequest.at(["body", "orgMembershipId"], "must be another member")
            }
            yield* repo.setRole(sql, caller.organizationId, to.id, "owner")
            // The new owner may be unable to sign in without the identity provider.
            if (keep !== "owner" && !(yield* repo.hasOtherOwner(sql, caller.organizationId, from))) {
              return yield* new Forbidden({
                reason: "last_owner",
                message:
                  "Single sign-on is enforced, and you are the last owner who can sign in without it. You must remain an owner."
              })
            }
            yield* repo.setRole(sql, caller.organizationId, from, keep)
            yield* principals.announce(caller.organizationId)
            return { organization: repo.toWire(row), before: to.role }
          }),
          ({ before, organization }) => ({
            target: organization.id,
            before: {
              from: { membershipId: from, role: "owner" },
              to: { membershipId: input.orgMembershipId, role: before }
            },
            after: {
              from: { membershipId: from, role: keep },
              to: { membershipId: input.orgMembershipId, role: "owner" }
            }
          })
        )
        principals.forget(caller.organizationId)
        return { organization: response.organization }
      })

      /** Streams everything the organization owns, as lines. */
      const exportData = Effect.fnUntraced(function* (caller: Member) {
        const { organizationId } = caller
        const row = yield* repo.find(sql, organizationId)
        if (row === undefined) return yield* new OrganizationNotFound()
        return linesOf("organization", repo.toWire(row), [
          ...exports.parts.map((part) => ({
            kind: part.kind,
            ...(part.rowsMax === undefined ? {} : { rowsMax: part.rowsMax }),
            read: (after: string, limit: number) => exports.rows(sql, part, organizationId, after, limit)
          })),
          {
            kind: "teamMember",
            read: (after: string, limit: number) => exports.teamMembers(sql, organizationId, after, limit)
          }
        ])
      })

      return { get, getStorage, create, update, remove, transferOwnership, exported: exportData } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
