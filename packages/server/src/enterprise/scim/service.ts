import * as Scim from "@orgplane/schema/scim"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { momentOf } from "../../infra/audit/moment.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { Principals } from "../../identity/auth/principals.ts"
import { Settings } from "../../infra/config/settings.ts"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { makeToken } from "../../infra/crypto/tokens.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import * as organizations from "../../identity/organizations/repo.ts"
import { Pages } from "../../infra/pages/index.ts"
import { callerNow, demandRole } from "../../identity/roles/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { endMembers } from "./end.ts"
import * as holds from "./holds-repo.ts"
import { ScimLog } from "../../infra/scim/log.ts"
import * as log from "../../infra/scim/log-repo.ts"
import { reconcileDirectory } from "./reconcile.ts"
import * as repo from "./repo.ts"
import { applyRoles } from "./roles.ts"

const directoriesMax = 10
const tokensMax = 5
const graceDefault = 86_400

const demandSettled = (caller: Member) =>
  caller.provisional
    ? Effect.fail(
        new Forbidden({
          reason: "provisional_organization",
          message: "An unclaimed workspace cannot have SCIM directories. Claim it first."
        })
      )
    : Effect.void

/** SCIM directories of an organization, their tokens and their request log. */
export class ScimService extends Context.Service<ScimService>()("@orgplane/server/scim/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const scimLog = yield* ScimLog
    const { publicUrl } = yield* Settings
    const { mutate } = yield* Mutate

    const toWire = repo.toWire(`${publicUrl}/v1/scim/v2`)

    const announceAll = (subjects: ReadonlyArray<string>) =>
      Effect.forEach(subjects, (subject) => principals.announce(subject), { discard: true })
    const forgetAll = (subjects: ReadonlyArray<string>) => {
      for (const subject of subjects) principals.forget(subject)
    }

    const find = Effect.fnUntraced(function* (caller: Member, id: Id<"scd">) {
      const row = yield* repo.find(sql, caller.organizationId, id)
      return row === undefined ? yield* new Scim.ScimDirectoryNotFound() : row
    })

    /** Inside a transaction: locks the directory and checks the caller's permission again. */
    const locked = Effect.fnUntraced(function* (caller: Member, id: Id<"scd">) {
      if (!(yield* holds.lockDirectory(sql, caller.organizationId, id))) {
        return yield* new Scim.ScimDirectoryNotFound()
      }
      return yield* callerNow(sql, caller, "scim:manage")
    })

    const endOf = Effect.fnUntraced(function* (member: string, text: string | null | undefined) {
      if (text === null || text === undefined) return null
      const millis = momentOf(text)
      if (millis === undefined || millis <= (yield* Clock.currentTimeMillis)) {
        return yield* InvalidRequest.at(
          ["body", member],
          "must be a date and time in the future, such as 2030-01-31T12:00:00Z"
        )
      }
      return new Date(millis)
    })

    const addToken = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      directoryId: Id<"scd">,
      expiresAt: Date | null,
      { isOwner }: Member
    ) {
      const token = makeToken("opd")
      const id = makeId("sct")
      const digest = sha256Bytes(token)
      yield* repo.addToken(sql, organizationId, { id, directoryId, digest, expiresAt, isOwners: isOwner })
      return { id, token }
    })

    /** The directory and its new token, which is returned only once. */
    const response = Effect.fnUntraced(function* (caller: Member, id: Id<"scd">, token: string) {
      const row = yield* find(caller, id).pipe(Effect.catchTag("ScimDirectoryNotFound", Effect.die))
      return { directory: toWire(row), token }
    })

    /** Creates a directory without a token. `rotateToken` can create the first one. */
    const make = Effect.fnUntraced(function* <Token extends { readonly token: string } | undefined, E, R>(
      caller: Member,
      input: Pick<typeof Scim.CreateScimDirectory.Type, "name" | "provider">,
      makeToken: (id: Id<"scd">, by: Member) => Effect.Effect<Token, E, R>
    ) {
      yield* demandSettled(caller)
      const { organizationId } = caller
      return yield* mutate(
        caller,
        "scim.create_directory",
        Effect.gen(function* () {
          yield* organizations.lock(sql, organizationId)
          const by = yield* callerNow(sql, caller, "scim:manage")
          if ((yield* repo.count(sql, organizationId)) >= directoriesMax) {
            return yield* new Scim.ScimDirectoryQuotaExceeded()
          }
          const id = makeId("scd")
          const { name, provider = "other" } = input
          yield* repo.create(sql, organizationId, { id, name, provider, createdBy: membershipOf(caller) })
          const made = yield* makeToken(id, by)
          const row = yield* find(caller, id).pipe(Effect.catchTag("ScimDirectoryNotFound", Effect.die))
          return { directory: toWire(row), made }
        }),
        ({ directory }) => ({
          target: directory.id,
          after: {
            name: digestOf(directory.name),
            provider: directory.provider,
            tokenId: directory.tokens[0]?.id ?? null,
            expiresAt: directory.tokens[0]?.expiresAt ?? null
          }
        })
      )
    })

    const create = Effect.fnUntraced(function* (caller: Member, input: typeof Scim.CreateScimDirectory.Type) {
      const expiresAt = yield* endOf("tokenExpiresAt", input.tokenExpiresAt)
      const { directory, made } = yield* make(caller, input, (id, by) =>
        addToken(caller.organizationId, id, expiresAt, by)
      )
      return { directory, token: made.token }
    })

    const createWithoutToken = (
      caller: Member,
      input: Pick<typeof Scim.CreateScimDirectory.Type, "name" | "provider">
    ) =>
      Effect.map(
        make(caller, input, () => Effect.undefined),
        ({ directory }) => directory
      )

    const list = (caller: Member, query: PageQuery & { readonly q?: string }) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        toWire
      })
    }

    const get = (caller: Member, id: Id<"scd">) => Effect.map(find(caller, id), (row) => ({ directory: toWire(row) }))

    const remove = Effect.fnUntraced(function* (caller: Member, id: Id<"scd">, what: "keep" | "end") {
      const { organizationId } = caller
      const { subjects } = yield* mutate(
        caller,
        "scim.remove_directory",
        Effect.gen(function* () {
          const by = yield* locked(caller, id)
          const before = yield* find(caller, id)
          const theirs = what === "end" ? yield* repo.memberships(sql, organizationId, id) : []
          const { ended, kept, subjects } = yield* endMembers(sql, organizationId, theirs, by)
          const pending = yield* holds.findPendingHold(sql, organizationId, id)
          if (pending !== undefined) {
            const decidedBy =
              caller.principal.kind === "session" ? caller.principal.membershipId : caller.principal.keyId
            yield* holds.decide(sql, organizationId, pending, what === "end" ? "approved" : "rejected", decidedBy)
          }
          yield* holds.forgetDeactivations(sql, organizationId, id)
          yield* repo.remove(sql, organizationId, id)
          const all = [id, ...subjects]
          yield* announceAll(all)
          return { before: before.name, ended: ended.length, kept: kept.length, subjects: all }
        }),
        ({ before, ended, kept }) => ({
          target: id,
          before: { name: digestOf(before) },
          after: { members: what, ended, kept }
        })
      )
      forgetAll(subjects)
    })

    /**
     * Adds a token. Earlier tokens expire after the grace period, and the oldest ones above the maximum are revoked
     * now.
     */
    const rotateToken = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"scd">,
      input: typeof Scim.RotateScimToken.Type
    ) {
      // A missing directory is reported even if the idempotency key has a stored response.
      yield* find(caller, id)
      const expiresAt = yield* endOf("expiresAt", input.expiresAt)
      const { organizationId } = caller
      const graceSeconds = input.graceSeconds ?? graceDefault
      const rotation = yield* mutate(
        caller,
        "scim.rotate_token",
        Effect.gen(function* () {
          const by = yield* locked(caller, id)
          // The holder of a token can add anyone to a group, including themselves.
          const given = yield* repo.rolesGiven(sql, organizationId, id)
          yield* Effect.forEach(given, (role) => demandRole(sql, by, role), { discard: true })
          const { id: tokenId, token } = yield* addToken(organizationId, id, expiresAt, by)
          yield* repo.limitOthers(sql, organizationId, id, tokenId, graceSeconds)
          yield* repo.endOldest(sql, organizationId, id, tokensMax)
          yield* principals.announce(id)
          return { tokenId, ...(yield* response(caller, id, token)) }
        }),
        ({ directory, tokenId }) => ({
          target: id,
          after: {
            tokenId,
            graceSeconds,
            expiresAt: directory.tokens.find((token) => token.id === tokenId)?.expiresAt ?? null
          }
        })
      )
      principals.forget(id)
      return { directory: rotation.directory, token: rotation.token }
    })

    const revokeToken = Effect.fnUntraced(function* (caller: Member, id: Id<"scd">, tokenId: Id<"sct">) {
      yield* mutate(
        caller,
        "scim.revoke_token",
        Effect.gen(function* () {
          yield* locked(caller, id)
          if (!(yield* repo.revokeToken(sql, caller.organizationId, id, tokenId))) {
            return yield* new Scim.ScimTokenNotFound()
          }
          yield* principals.announce(tokenId)
        }),
        () => ({ target: id, before: { tokenId } })
      )
      principals.forget(tokenId)
    })

    const listGroups = Effect.fnUntraced(function* (caller: Member, id: Id<"scd">, query: PageQuery) {
      yield* find(caller, id)
      return yield* pages.list(caller, query, {
        filters: id,
        rows: (after, limit) => repo.listGroups(sql, caller.organizationId, id, after, limit),
        toWire: repo.groupToWire
      })
    })

    const findGroup = Effect.fnUntraced(function* (caller: Member, id: Id<"scd">, teamId: Id<"tem">) {
      const row = yield* repo.findGroup(sql, caller.organizationId, id, teamId)
      return row === undefined ? yield* new Scim.ScimGroupNotFound() : row
    })

    const setGroupRole = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"scd">,
      teamId: Id<"tem">,
      role: string | null
    ) {
      const { organizationId } = caller
      if (role === "owner") {
        return yield* InvalidRequest.at(["body", "role"], "cannot be owner. Make members owners individually")
      }
      const { after, subjects } = yield* mutate(
        caller,
        "scim.set_group_role",
        Effect.gen(function* () {
          const by = yield* locked(caller, id)
          const before = yield* findGroup(caller, id, teamId)
          if (role !== null) yield* demandRole(sql, by, role)
          yield* repo.setRole(sql, organizationId, teamId, role)
          const theirs = yield* repo.groupMembers(sql, organizationId, teamId)
          const { changed, subjects } = yield* applyRoles(sql, organizationId, theirs)
          yield* announceAll(subjects)
          const after = yield* findGroup(caller, id, teamId)
          return { before: before.role, after: repo.groupToWire(after), changed: changed.length, subjects }
        }),
        ({ before, changed }) => ({
          target: teamId,
          before: { directoryId: id, role: before },
          after: { role, changed },
          describedObjects: before === role ? [] : [id]
        })
      )
      forgetAll(subjects)
      return { group: after }
    })

    /** The request log of a directory. The log of a removed directory is available as long as it is kept. */
    const readLog = Effect.fnUntraced(function* (
      caller: Member,
      id: Id<"scd">,
      query: PageQuery & {
        readonly decision?: Scim.ScimDecision
        readonly resourceId?: string
        readonly changesOnly?: "true" | "false"
      }
    ) {
      if (!(yield* repo.isKnown(sql, caller.organizationId, id))) return yield* new Scim.ScimDirectoryNotFound()
      const { changesOnly, cursor: _cursor, limit: _limit, ...rest } = query
      const filters = { ...rest, changesOnly: changesOnly === "true" }
      // The log includes this process's latest requests.
      yield* scimLog.flush
      return yield* pages.list(caller, query, {
        filters: [id, filters],
        rows: (after, limit) => log.list(sql, caller.organizationId, id, filters, after, limit),
        toWire: log.toWire
      })
    })

    const reconcile = Effect.fnUntraced(function* (caller: Member, id: Id<"scd">) {
      // A missing directory is reported even if the idempotency key has a stored response.
      yield* find(caller, id)
      const { reconciliation, subjects } = yield* mutate(
        caller,
        "scim.reconcile",
        Effect.gen(function* () {
          const by = yield* locked(caller, id)
          const done = yield* reconcileDirectory(sql, caller.organizationId, id, by)
          yield* announceAll(done.subjects)
          return done
        }),
        ({ reconciliation }) => ({ target: id, after: reconciliation })
      )
      forgetAll(subjects)
      return { reconciliation }
    })

    return {
      create,
      createWithoutToken,
      list,
      get,
      remove,
      rotateToken,
      revokeToken,
      listGroups,
      setGroupRole,
      log: readLog,
      reconcile
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
