import * as ApiKeys from "@orgplane/schema/api-keys"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { momentOf } from "../../infra/audit/moment.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { ordered } from "../auth/permissions.ts"
import { Principals } from "../auth/principals.ts"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { makeToken } from "../../infra/crypto/tokens.ts"
import { managePermissions } from "../grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import { limits } from "../../infra/limits/index.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import * as organizations from "../organizations/repo.ts"
import { Pages } from "../../infra/pages/index.ts"
import { callerNow, demandHeld } from "../roles/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import { iso, isoOrNull } from "../../infra/sql/timestamps.ts"
import * as repo from "./repo.ts"
import { hintOf } from "./hint.ts"

const liveMax = 100
const overAll: ReadonlySet<Permission> = new Set(Object.values(managePermissions))

const wider = (message: string) => new Forbidden({ reason: "exceeds_own_permissions", message })

/**
 * Fails unless the caller may create a key with these permissions. A key with the `manage` permission of a group
 * manages every object of it, which among people only owners and admins can; a key that creates sessions can act as
 * any member.
 */
const demandGivable = Effect.fnUntraced(function* (caller: Member, permissions: ReadonlyArray<Permission>) {
  if (permissions.includes("sessions:mint") && !caller.isOwner) {
    return yield* new Forbidden({
      reason: "owner_required",
      message: "Only an owner can create a key with the permission sessions:mint."
    })
  }
  yield* demandHeld(caller, permissions)
  const over = permissions.find((permission) => overAll.has(permission))
  if (over !== undefined && !caller.isAdmin) {
    return yield* wider(
      `A key with the permission ${over} has access to every object in its group. Only owners and admins can create one.`
    )
  }
})

/** API keys of an organization, for automation. */
export class ApiKeysService extends Context.Service<ApiKeysService>()("@orgplane/server/api-keys/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const { mutate } = yield* Mutate

    const demandSettled = (caller: Member) =>
      caller.provisional
        ? Effect.fail(
            new Forbidden({
              reason: "provisional_organization",
              message: "An unclaimed workspace cannot have API keys. Claim it first."
            })
          )
        : Effect.void

    const endOf = Effect.fnUntraced(function* (text: string) {
      const millis = momentOf(text)
      if (millis === undefined) {
        return yield* InvalidRequest.at(
          ["body", "expiresAt"],
          "must be an ISO 8601 date and time with an offset or Z, such as 2030-01-31T12:00:00Z"
        )
      }
      if (millis <= (yield* Clock.currentTimeMillis)) {
        return yield* InvalidRequest.at(["body", "expiresAt"], "must be in the future")
      }
      return new Date(millis)
    })

    const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"key">) {
      const row = yield* repo.lock(sql, caller.organizationId, id)
      return row === undefined ? yield* new ApiKeys.ApiKeyNotFound() : row
    })

    /** Creates a key. Its secret is returned only to the caller and only once. */
    const create = Effect.fnUntraced(function* (caller: Member, input: typeof ApiKeys.CreateApiKey.Type) {
      yield* demandSettled(caller)
      const expiresAt = input.expiresAt == null ? null : yield* endOf(input.expiresAt)
      const key = makeToken("opk")
      const row = yield* mutate(
        caller,
        "apiKey.create",
        Effect.gen(function* () {
          // The organization is locked so that two concurrent requests cannot both create the last allowed key, and so
          // that a member who is being removed or demoted cannot create one.
          yield* organizations.lock(sql, caller.organizationId)
          yield* demandGivable(yield* callerNow(sql, caller, "apiKeys:manage"), input.permissions)
          if ((yield* repo.countLive(sql, caller.organizationId)) >= liveMax) {
            return yield* new ApiKeys.ApiKeyQuotaExceeded()
          }
          return yield* repo.create(sql, caller.organizationId, {
            id: makeId("key"),
            name: input.name,
            hint: hintOf(key),
            digest: sha256Bytes(key),
            permissions: ordered(input.permissions),
            requestsPerMinute: input.requestsPerMinute ?? limits.key.perWindow,
            expiresAt,
            createdBy: membershipOf(caller)
          })
        }),
        (row) => ({
          target: row.id,
          after: {
            name: digestOf(row.name),
            permissions: row.permissions_json,
            requestsPerMinute: row.requests_per_minute,
            expiresAt: isoOrNull(row.expires_at)
          }
        })
      )
      return { apiKey: repo.toWire(row), key }
    })

    const list = (caller: Member, query: PageQuery & { readonly q?: string; readonly revoked?: "true" | "false" }) => {
      const filters = { isRevoked: query.revoked === "true", ...(query.q === undefined ? {} : { q: query.q }) }
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        toWire: repo.toWire
      })
    }

    const get = Effect.fnUntraced(function* (caller: Member, id: Id<"key">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      return row === undefined ? yield* new ApiKeys.ApiKeyNotFound() : { apiKey: repo.toWire(row) }
    })

    const current = Effect.fnUntraced(function* (caller: Member) {
      if (caller.principal.kind !== "key") return yield* new ApiKeys.ApiKeyNotFound()
      return yield* get(caller, caller.principal.keyId)
    })

    /** Renames a key or narrows its rights. Widening requires a new key, with the checks of `create`. */
    const update = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"key">,
      input: typeof ApiKeys.UpdateApiKey.Type
    ) {
      const expiresAt = input.expiresAt === undefined ? undefined : yield* endOf(input.expiresAt)
      const { after } = yield* mutate(
        caller,
        "apiKey.update",
        Effect.gen(function* () {
          const before = yield* locked(caller, id)
          if (Object.keys(input).length === 0) return { before, after: before }
          const held = new Set(before.permissions_json)
          const permissions = input.permissions === undefined ? before.permissions_json : ordered(input.permissions)
          const requestsPerMinute = input.requestsPerMinute ?? before.requests_per_minute
          if (permissions.some((permission) => !held.has(permission))) {
            return yield* wider("A key cannot be given permissions it does not have. Create a new key.")
          }
          if (requestsPerMinute > before.requests_per_minute) {
            return yield* wider("The rate limit of a key cannot be raised. Create a new key.")
          }
          if (expiresAt !== undefined && before.expires_at !== null && expiresAt > before.expires_at) {
            return yield* wider("The expiry of a key cannot be extended. Create a new key.")
          }
          const row = yield* repo.update(sql, caller.organizationId, id, {
            name: input.name ?? before.name,
            permissions,
            requestsPerMinute,
            expiresAt: expiresAt ?? before.expires_at
          })
          yield* principals.announce(id)
          return { before, after: yield* expectRow(row, "API key") }
        }),
        ({ after, before }) => ({
          target: id,
          before: {
            name: digestOf(before.name),
            permissions: before.permissions_json,
            requestsPerMinute: before.requests_per_minute,
            expiresAt: isoOrNull(before.expires_at)
          },
          after: {
            name: digestOf(after.name),
            permissions: after.permissions_json,
            requestsPerMinute: after.requests_per_minute,
            expiresAt: isoOrNull(after.expires_at)
          }
        })
      )
      principals.forget(id)
      return { apiKey: repo.toWire(after) }
    })

    /**
     * Sets a new secret for a live key. The caller receives the secret, so the caller must be allowed to grant what
     * the key can do, and must not gain access to what another member's key created. The old secret works for the
     * grace period, counted from now; an even older secret stops working.
     */
    const rotate = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"key">,
      input: typeof ApiKeys.RotateApiKey.Type
    ) {
      yield* demandSettled(caller)
      yield* get(caller, id)
      const graceSeconds = input.graceSeconds ?? 0
      const key = makeToken("opk")
      const row = yield* mutate(
        caller,
        "apiKey.rotate",
        Effect.gen(function* () {
          yield* organizations.lock(sql, caller.organizationId)
          const before = yield* locked(caller, id)
          const by = yield* callerNow(sql, caller, "apiKeys:manage")
          yield* demandGivable(by, before.permissions_json)
          const isMaker = membershipOf(caller) !== null && membershipOf(caller) === before.created_by_membership_id
          if (!by.isAdmin && !isMaker && (yield* repo.holdsGrants(sql, caller.organizationId, id))) {
            return yield* wider(
              "The key has access to objects it created. Only its creator, an owner or an admin can rotate it."
            )
          }
          if (before.expires_at !== null && before.expires_at.getTime() <= (yield* Clock.currentTimeMillis)) {
            return yield* new ApiKeys.ApiKeyNotFound()
          }
          const secret = { digest: sha256Bytes(key), hint: hintOf(key), graceSeconds }
          const row = yield* expectRow(yield* repo.rotate(sql, caller.organizationId, id, secret), "API key")
          yield* principals.announce(id)
          return row
        }),
        (row) => ({
          target: id,
          after: { previousUsableUntil: row.previous_usable_until === null ? null : iso(row.previous_usable_until) }
        })
      )
      principals.forget(id)
      return { apiKey: repo.toWire(row), key }
    })

    const revoke = Effect.fnUntraced(function* (caller: Member, id: Id<"key">) {
      yield* mutate(
        caller,
        "apiKey.revoke",
        Effect.gen(function* () {
          if (!(yield* repo.revoke(sql, caller.organizationId, id))) return yield* new ApiKeys.ApiKeyNotFound()
          yield* principals.announce(id)
        }),
        () => ({ target: id })
      )
      principals.forget(id)
    })

    return { create, list, get, current, update, rotate, revoke } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
