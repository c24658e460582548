import type { Member, WorkerCaller } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Workers from "@orgplane/schema/workers"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { momentOf } from "../../infra/audit/moment.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { Principals } from "../../identity/auth/principals.ts"
import { Settings } from "../../infra/config/settings.ts"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { makeToken } from "../../infra/crypto/tokens.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { Provisioner } from "../../infra/ports/provisioner.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import * as repo from "./repo.ts"

const workersMax = 50
/** Anyone can create an unclaimed workspace, and each cloud worker is a process of the operator. */
const provisionalCloudMax = 1
const tokensMax = 5
const pastMillisMax = 86_400_000
const futureMillisMax = 300_000

/** The creator of a worker must be a member, because the worker is removed when the membership ends. */
const creatorOf = ({ principal }: Member): Effect.Effect<repo.Creator, Forbidden> =>
  principal.kind === "session"
    ? Effect.succeed({ membershipId: principal.membershipId, userId: principal.userId })
    : Effect.fail(
        new Forbidden({
          reason: "session_required",
          message: "A worker belongs to a member. Use a member's session instead of an API key."
        })
      )

/**
 * The specification allows any text as an ID in a path. A value of another form matches no worker, so the database is
 * not queried.
 */
const isWorkerId = (id: string): id is Id<"wrk"> => /^wrk_[0-9a-z]{26}$/.test(id)

/** The workers of members, their tokens, and their reports. */
export class WorkersService extends Context.Service<WorkersService>()("@orgplane/server/workers/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const { heartbeatSeconds } = yield* Settings
    const provisioner = yield* Effect.serviceOption(Provisioner)
    const { mutate } = yield* Mutate

    const dropCached = (id: string) => Effect.sync(() => principals.forget(id))

    /** The creator, owners, admins, and API keys with `workers:manage` may manage a worker and read its details. */
    const demandManaged = (caller: Member, row: repo.Row) =>
      row.created_by_membership_id === membershipOf(caller) ||
      caller.isAdmin ||
      (caller.principal.kind === "key" && caller.permissions.has("workers:manage"))
        ? Effect.succeed(row)
        : Effect.fail(
            new Forbidden({
              reason: "not_creator",
              message: "The worker belongs to another member. Only its creator, an owner or an admin can do this."
            })
          )

    const locked = Effect.fnUntraced(function* (caller: Member, id: string) {
      const row = isWorkerId(id) ? yield* repo.lock(sql, caller.organizationId, id) : undefined
      return row === undefined ? yield* new Workers.WorkerNotFound() : yield* demandManaged(caller, row)
    })

    const find = Effect.fnUntraced(function* (caller: Member, id: string) {
      const row = isWorkerId(id) ? yield* repo.find(sql, caller.organizationId, id) : undefined
      return row === undefined ? yield* new Workers.WorkerNotFound() : row
    })

    /** The worker, if the caller may read its details. */
    const findManaged = (caller: Member, id: string) =>
      Effect.flatMap(find(caller, id), (row) => demandManaged(caller, row))

    const response = (caller: Member, row: repo.Row, instance: repo.InstanceRow | undefined) => ({
      worker: repo.toWire(row, membershipOf(caller)),
      instance: instance === undefined ? null : repo.instanceToWire(instance)
    })

    const addToken = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      workerId: string,
      creator: repo.Creator,
      expiresInSeconds: number | null
    ) {
      const token = makeToken("opw")
      const created = { id: makeId("wkt"), workerId, digest: sha256Bytes(token) }
      const row = yield* repo.addToken(sql, organizationId, created, creator, expiresInSeconds)
      return { row, token }
    })

    /**
     * Creates a worker of the caller. The response of a local worker contains its token, which is shown once; a cloud
     * worker is provisioned in the background.
     */
    const create = Effect.fnUntraced(function* (caller: Member, input: typeof Workers.CreateWorker.Type) {
      const creator = yield* creatorOf(caller)
      const { destination } = input
      const provisionerInUse = Option.getOrUndefined(provisioner)
      if (destination === "cloud" && provisionerInUse === undefined) return yield* new Workers.ProvisionerUnavailable()
      return yield* mutate(
        caller,
        "worker.create",
        Effect.gen(function* () {
          const { organizationId } = caller
          if ((yield* repo.countOf(sql, organizationId, creator.membershipId)) >= workersMax) {
            return yield* new Workers.WorkerQuotaExceeded({
              message: `You have reached the limit of ${workersMax} workers. Remove a worker first.`
            })
          }
          if (caller.provisional && destination === "cloud") {
            if ((yield* repo.countCloud(sql, organizationId)) >= provisionalCloudMax) {
              return yield* new Forbidden({
                reason: "provisional_organization",
                message: "An unclaimed workspace can have one cloud worker. Claim the workspace to create more."
              })
            }
          }
          const worker = { id: makeId("wrk"), name: input.name, description: input.description ?? null }
          const row = yield* repo.create(sql, organizationId, worker, destination, creator)
          if (destination === "local" || provisionerInUse === undefined) {
            const { token } = yield* addToken(organizationId, worker.id, creator, null)
            return { ...response(caller, row, undefined), token }
          }
          const { provider, region } = provisionerInUse
          const newInstance = { id: makeId("wki"), workerId: worker.id, provider, region }
          const instance = yield* repo.createInstance(sql, organizationId, newInstance)
          return { ...response(caller, row, instance), token: null }
        }),
        ({ worker }) => ({ target: worker.id, after: { name: digestOf(worker.name), destination } })
      )
    })

    const list = (
      caller: Member,
      query: PageQuery & {
        readonly q?: string
        readonly mine?: "true" | "false"
        readonly status?: string
        readonly destination?: string
      }
    ) => {
      const { cursor: _cursor, limit: _limit, mine, ...rest } = query
      const membershipId = membershipOf(caller)
      const filters = { ...rest, membershipId, ...(mine === undefined ? {} : { mine: mine === "true" }) }
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        toWire: (row) => repo.toWire(row, membershipId)
      })
    }

    const get = Effect.fnUntraced(function* (caller: Member, id: string) {
      const row = yield* find(caller, id)
      return response(caller, row, yield* repo.findLatestInstance(sql, caller.organizationId, id))
    })

    const update = (caller: Member, id: string, input: typeof Workers.UpdateWorker.Type) =>
      mutate(
        caller,
        "worker.update",
        Effect.gen(function* () {
          const before = yield* locked(caller, id)
          const { description = before.description, name = before.name } = input
          const isSame = name === before.name && description === before.description
          const after = isSame ? before : yield* repo.update(sql, caller.organizationId, id, { name, description })
          const instance = yield* repo.findLatestInstance(sql, caller.organizationId, id)
          return { before, after: yield* expectRow(after, "worker"), instance }
        }),
        ({ after, before }) => ({
          target: id,
          before: { name: digestOf(before.name) },
          after: { name: digestOf(after.name) }
        })
      ).pipe(Effect.map(({ after, instance }) => response(caller, after, instance)))

    /** Removes a worker and revokes its tokens immediately. The provisioner stops its runtime in the background. */
    const remove = (caller: Member, id: string) =>
      mutate(
        caller,
        "worker.remove",
        Effect.gen(function* () {
          const before = yield* locked(caller, id)
          const tokens = yield* repo.remove(sql, caller.organizationId, id)
          yield* principals.announce(id)
          return { before, tokens }
        }),
        ({ before, tokens }) => ({
          target: id,
          before: { name: digestOf(before.name), destination: before.destination, tokens: tokens.length }
        })
      ).pipe(Effect.andThen(dropCached(id)))

    /** Creates a token. The other tokens stay valid, or with a grace period expire after it. */
    const createToken = Effect.fnUntraced(function* (
      caller: Member,
      id: string,
      input: typeof Workers.CreateWorkerToken.Type
    ) {
      // A missing worker is reported before a stored response is replayed.
      yield* findManaged(caller, id)
      const created = yield* mutate(
        caller,
        "worker.create_token",
        Effect.gen(function* () {
          const { organizationId } = caller
          const worker = yield* locked(caller, id)
          if (worker.destination === "cloud") return yield* new Workers.WorkerIsProvided()
          if ((yield* repo.countTokens(sql, organizationId, id)) >= tokensMax) {
            return yield* new Workers.WorkerQuotaExceeded({
              message: `The worker has reached the limit of ${tokensMax} tokens. Revoke a token first.`
            })
          }
          // The token ends with the membership of the worker's creator, not of the caller.
          const creator = { membershipId: worker.created_by_membership_id, userId: worker.created_by_user_id }
          const created = yield* addToken(organizationId, id, creator, input.expiresInSeconds ?? null)
          const { graceSeconds } = input
          if (graceSeconds !== undefined) {
            yield* repo.limitOthers(sql, organizationId, id, created.row.id, graceSeconds)
            yield* principals.announce(id)
          }
          return { workerToken: repo.tokenToWire(created.row), token: created.token }
        }),
        ({ workerToken }) => ({
          target: id,
          after: { tokenId: workerToken.id, expiresAt: workerToken.expiresAt, graceSeconds: input.graceSeconds ?? null }
        })
      )
      yield* dropCached(id)
      return created
    })

    const listTokens = Effect.fnUntraced(function* (caller: Member, id: string, query: PageQuery) {
      yield* findManaged(caller, id)
      return yield* pages.list(caller, query, {
        filters: id,
        rows: (after, limit) => repo.listTokens(sql, caller.organizationId, id, after, limit),
        toWire: repo.tokenToWire
      })
    })

    const revokeToken = (caller: Member, id: string, tokenId: Id<"wkt">) =>
      mutate(
        caller,
        "worker.revoke_token",
        Effect.gen(function* () {
          yield* locked(caller, id)
          if (!(yield* repo.revokeToken(sql, caller.organizationId, id, tokenId))) {
            return yield* new Workers.WorkerTokenNotFound()
          }
          yield* principals.announce(tokenId)
        }),
        () => ({ target: id, before: { tokenId } })
      ).pipe(Effect.andThen(dropCached(tokenId)))

    /** A worker can act only for itself. For any other worker, the response is 404. */
    const demandSelf = (caller: WorkerCaller, id: string) =>
      caller.workerId === id ? Effect.succeed(caller.workerId) : Effect.fail(new Workers.WorkerNotFound())

    const heartbeat = Effect.fnUntraced(function* (caller: WorkerCaller, id: string, report: Workers.WorkerHeartbeat) {
      const workerId = yield* demandSelf(caller, id)
      const row = yield* repo.beat(sql, caller.organizationId, workerId, caller.tokenId, report)
      return row === undefined ? yield* new Workers.WorkerNotFound() : { status: row.status, heartbeatSeconds }
    })

    /** The time according to the worker's clock, if it is plausible. */
    const happenedAt = Effect.fnUntraced(function* (text: string | undefined) {
      if (text === undefined) return null
      const at = momentOf(text)
      const now = yield* Clock.currentTimeMillis
      if (at === undefined || at < now - pastMillisMax || at > now + futureMillisMax) {
        return yield* InvalidRequest.at(
          ["body", "occurredAt"],
          "must be an RFC 3339 timestamp with offset, from the last 24 hours"
        )
      }
      return new Date(at)
    })

    const reportActivity = Effect.fnUntraced(function* (
      caller: WorkerCaller,
      id: string,
      input: typeof Workers.ReportWorkerActivity.Type
    ) {
      const workerId = yield* demandSelf(caller, id)
      const occurredAt = yield* happenedAt(input.occurredAt)
      const row = yield* repo.addActivity(sql, caller.organizationId, {
        id: makeId("wka"),
        worker_id: workerId,
        kind: input.kind,
        message: input.message,
        session_id: input.sessionId ?? null,
        occurred_at: occurredAt
      })
      return row === undefined ? yield* new Workers.WorkerNotFound() : { activity: repo.activityToWire(row) }
    })

    const listActivity = Effect.fnUntraced(function* (caller: Member, id: string, query: PageQuery) {
      yield* findManaged(caller, id)
      return yield* pages.list(caller, query, {
        filters: id,
        rows: (after, limit) => repo.listActivity(sql, caller.organizationId, id, after, limit),
        toWire: repo.activityToWire
      })
    })

    return {
      create,
      list,
      get,
      findManaged,
      update,
      remove,
      createToken,
      listTokens,
      revokeToken,
      heartbeat,
      reportActivity,
      listActivity
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
