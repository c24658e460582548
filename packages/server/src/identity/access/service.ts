import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { CreateGrant, GrantRole } from "@orgplane/schema/shared/grants"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type GrantedKind, grantPrefixes, levels } from "../grants/index.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import * as repo from "./repo.ts"

/** Fails unless the caller's level on an object it can see is high enough. */
export const demandLevel = (level: number, needed: keyof typeof levels): Effect.Effect<void, Forbidden> =>
  level >= levels[needed]
    ? Effect.void
    : Effect.fail(new Forbidden({ reason: "grant_required", message: `This requires ${needed} access to the object.` }))

/** 403: the object is defined in a repository. */
export const managedByConnector = (what: string): Forbidden =>
  new Forbidden({
    reason: "managed_by_connector",
    message: `${what} is managed by a connector. Change it in the repository.`
  })

/** The resources with grants in audit actions. */
type GrantedName = StoredAuditAction extends infer A ? (A extends `${infer Name}.grant` ? Name : never) : never

/** A kind of object whose module lets callers grant access to it. */
interface GrantedObject<K extends GrantedKind, I extends string, D, E, R> {
  readonly kind: K
  /** The prefix of the audit actions. */
  readonly audited: GrantedName
  /** Fails unless the caller has the access level on the object. */
  readonly demand: (caller: Member, id: I, needed: keyof typeof levels) => Effect.Effect<unknown, D, R>
  readonly grantNotFound: () => E
}

/** Grants on any kind of object. */
export class AccessService extends Context.Service<AccessService>()("@orgplane/server/access/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const { mutate } = yield* Mutate

    const list = <K extends GrantedKind>(caller: Member, kind: K, objectId: string, query: PageQuery) =>
      pages.read(
        { operation: `${kind}.access`, organizationId: caller.organizationId, filters: objectId },
        query,
        (after, limit) => repo.list(sql, caller.organizationId, kind, objectId, after, limit),
        (row) => row.id,
        (row) => repo.toWire<(typeof grantPrefixes)[K]>(row)
      )

    /**
     * Creates a grant, changes its role or restores it; `isNew` is true when it was created. The receiver must be in
     * the organization.
     */
    const grant = Effect.fnUntraced(function* <K extends GrantedKind>(
      caller: Member,
      action: StoredAuditAction,
      kind: K,
      objectId: string,
      input: CreateGrant
    ) {
      const receiver = {
        membershipId: input.orgMembershipId ?? null,
        teamId: input.teamId ?? null,
        orgWide: input.orgWide === true
      }
      const createdBy = membershipOf(caller)
      return yield* mutate(
        caller,
        action,
        Effect.gen(function* () {
          if (!(yield* repo.receiverExists(sql, caller.organizationId, receiver))) {
            const member = receiver.teamId === null ? "orgMembershipId" : "teamId"
            return yield* InvalidRequest.at(["body", member], "does not exist in the organization")
          }
          const fresh = makeId(grantPrefixes[kind])
          const id = yield* repo.put(sql, caller.organizationId, kind, objectId, fresh, receiver, input.role, createdBy)
          const row = yield* expectRow(yield* repo.find(sql, caller.organizationId, kind, objectId, id), "grant")
          return { isNew: id === fresh, grant: repo.toWire<(typeof grantPrefixes)[K]>(row) }
        }),
        ({ grant }) => ({
          target: objectId,
          after: { grantId: grant.id, role: grant.role, ...receiver }
        })
      )
    })

    /** The operations on the grants of one kind of object. Revoking a grant keeps its row. */
    const grantOperations = <K extends GrantedKind, I extends string, D, E, R>({
      audited,
      demand,
      kind,
      grantNotFound
    }: GrantedObject<K, I, D, E, R>) => ({
      listAccess: (caller: Member, id: I, query: PageQuery) =>
        Effect.andThen(demand(caller, id, "viewer"), list(caller, kind, id, query)),
      grantAccess: (caller: Member, id: I, input: CreateGrant) =>
        Effect.andThen(demand(caller, id, "manager"), grant(caller, `${audited}.grant`, kind, id, input)),
      revokeAccess: Effect.fnUntraced(function* (caller: Member, id: I, grantId: string) {
        yield* demand(caller, id, "manager")
        yield* mutate(
          caller,
          `${audited}.revoke`,
          Effect.filterOrFail(
            repo.revoke(sql, caller.organizationId, kind, id, grantId),
            (isRevoked) => isRevoked,
            grantNotFound
          ),
          () => ({ target: id, before: { grantId } })
        )
      })
    })

    /**
     * The grants for the creator of new objects, inside the transaction that creates them. The creator is a user or
     * an API key. An API key cannot receive grants in any other way.
     */
    const grantCreatorOfAll = (caller: Member, kind: GrantedKind, objectIds: ReadonlyArray<string>) => {
      const { principal } = caller
      const receiver =
        principal.kind === "session"
          ? { membershipId: principal.membershipId, teamId: null, orgWide: false }
          : { membershipId: null, teamId: null, orgWide: false, keyId: principal.keyId }
      const grants = objectIds.map((objectId) => ({ id: makeId(grantPrefixes[kind]), objectId }))
      return repo.putOnNew(sql, caller.organizationId, kind, grants, receiver, "manager", receiver.membershipId)
    }

    const grantCreator = (caller: Member, kind: GrantedKind, objectId: string) =>
      grantCreatorOfAll(caller, kind, [objectId])

    /** A grant for the whole organization, inside the transaction that creates the object. */
    const share = (organizationId: Id<"org">, createdBy: Id<"om"> | null, kind: GrantedKind, objectId: string) =>
      Effect.gen(function* () {
        const receiver = { membershipId: null, teamId: null, orgWide: true }
        const role: GrantRole = "viewer"
        yield* repo.put(sql, organizationId, kind, objectId, makeId(grantPrefixes[kind]), receiver, role, createdBy)
      })

    return { grantOperations, grantCreator, grantCreatorOfAll, share } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
