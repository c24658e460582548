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
import * as repo from "./repo.ts"

const workersMax = 50
/** Strangers make workspaces that nobody has claimed, and each of these is a process of ours. */
const provisionalCloudMax = 1
const tokensMax = 5
const pastMillisMax = 86_400_000
const futureMillisMax = 300_000

const written = <A>(row: A | undefined): Effect.Effect<A> =>
  row === undefined ? Effect.die(new Error("A worker that was just written is not there.")) : Effect.succeed(row)

/** Who a new worker belongs to: a person, because it ends with their membership. */
const makerOf = ({ principal }: Member): Effect.Effect<repo.Maker, Forbidden> =>
  principal.kind === "session"
    ? Effect.succeed({ membershipId: principal.membershipId, userId: principal.userId })
    : Effect.fail(
        new Forbidden({ reason: "session_required", message: "A worker belongs to a person; a key makes none." })
      )

/** By the specification an id in a path is any text; what has another form is no worker's, and no database is asked. */
const isWorkerId = (id: string): id is Id<"wrk"> => /^wrk_[0-9a-z]{26}$/.test(id)

/** Workers of people, what they are known by and what they report. */
export class WorkersService extends Context.Service<WorkersService>()("@orgplane/server/workers/Service", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const principals = yield* Principals
    const { heartbeatSeconds } = yield* Settings
    const provisioner = yield* Effect.serviceOption(Provisioner)
    const { mutate } = yield* Mutate

    const forget = (id: string) => Effect.sync(() => principals.forget(id))

    /** Whose worker it is, and owners, admins and keys that manage workers, decide about it and look inside. */
    const demandOwn = (caller: Member, row: repo.Row) =>
      row.created_by_membership_id === membershipOf(caller) ||
      caller.isAdmin ||
      (caller.principal.kind === "key" && caller.permissions.has("workers:manage"))
        ? Effect.succeed(row)
        : Effect.fail(
            new Forbidden({
              reason: "not_creator",
              message: "The worker belongs to somebody else; an owner or admin may do this."
            })
          )

    const locked = Effect.fnUntraced(function* (caller: Member, id: string) {
      const row = isWorkerId(id) ? yield* repo.lock(sql, caller.organizationId, id) : undefined
      return row === undefined ? yield* new Workers.WorkerNotFound() : yield* demandOwn(caller, row)
    })

    const find = Effect.fnUntraced(function* (caller: Member, id: string) {
      const row = isWorkerId(id) ? yield* repo.get(sql, caller.organizationId, id) : undefined
      return row === undefined ? yield* new Workers.WorkerNotFound() : row
    })

    /** The worker, for whoever may look inside. */
    const own = (caller: Member, id: string) => Effect.flatMap(find(caller, id), (row) => demandOwn(caller, row))

    const response = (caller: Member, row: repo.Row, instance: repo.InstanceRow | undefined) => ({
      worker: repo.toWire(row, membershipOf(caller)),
      instance: instance === undefined ? null : repo.instanceToWire(instance)
    })

    const addToken = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      workerId: string,
      by: repo.Maker,
      expiresInSeconds: number | null
    ) {
      const token = makeToken("opw")
      const made = { id: makeId("wkt"), workerId, digest: sha256Bytes(token) }
      const row = yield* written(yield* repo.addToken(sql, organizationId, made, by, expiresInSeconds))
      return { row, token }
    })

    /** A worker of the caller's. A local one gets its token, which is told once; a cloud one is on its way. */
    const create = Effect.fnUntraced(function* (caller: Member, input: typeof Workers.CreateWorker.Type) {
      const by = yield* makerOf(caller)
      const { destination } = input
      const place = Option.getOrUndefined(provisioner)
      if (destination === "cloud" && place === undefined) return yield* new Workers.ProvisionerUnavailable()
      return yield* mutate(
        caller,
        "worker.create",
        Effect.gen(function* () {
          const { organizationId } = caller
          if ((yield* repo.countOf(sql, organizationId, by.membershipId)) >= workersMax) {
            return yield* new Workers.WorkerQuotaExceeded()
          }
          if (caller.provisional && destination === "cloud") {
            if ((yield* repo.countCloud(sql, organizationId)) >= provisionalCloudMax) {
              return yield* new Forbidden({
                reason: "provisional_organization",
                message: "A workspace that nobody has claimed has one worker in the cloud."
              })
            }
          }
          const worker = { id: makeId("wrk"), name: input.name, description: input.description ?? null }
          const row = yield* written(yield* repo.create(sql, organizationId, worker, destination, by))
          if (destination === "local" || place === undefined) {
            const { token } = yield* addToken(organizationId, worker.id, by, null)
            return { ...response(caller, row, undefined), token }
          }
          const { provider, region } = place
          const wanted = { id: makeId("wki"), workerId: worker.id, provider, region }
          const instance = yield* repo.createInstance(sql, organizationId, wanted)
          return { ...response(caller, row, instance), token: null }
        }),
        ({ worker }) => ({ target: worker.id, after: { name: digestOf(worker.name), destination } })
      )
    })

    const list = (
      caller: Member,
      query: PageQuery & { readonly mine?: "true" | "false"; readonly status?: string; readonly destination?: string }
    ) => {
      const { cursor: _cursor, limit: _limit, mine, ...rest } = query
      const membershipId = membershipOf(caller)
      const filters = { ...rest, membershipId, ...(mine === undefined ? {} : { mine: mine === "true" }) }
      return pages.read(
        { operation: "workers.list", organizationId: caller.organizationId, filters },
        query,
        (after, limit) => repo.list(sql, caller.organizationId, filters, after, limit),
        (row) => row.id,
        (row) => repo.toWire(row, membershipId)
      )
    }

    const get = Effect.fnUntraced(function* (caller: Member, id: string) {
      const row = yield* find(caller, id)
      return response(caller, row, yield* repo.latestInstance(sql, caller.organizationId, id))
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
          const instance = yield* repo.latestInstance(sql, caller.organizationId, id)
          return { before, after: yield* written(after), instance }
        }),
        ({ after, before }) => ({
          target: id,
          before: { name: digestOf(before.name) },
          after: { name: digestOf(after.name) }
        })
      ).pipe(Effect.map(({ after, instance }) => response(caller, after, instance)))

    /** Ends a worker with its tokens at once; whoever provides its runtime stops that by and by. */
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
      ).pipe(Effect.andThen(forget(id)))

    /** Another token, beside the others or, with a grace, in their place. */
    const createToken = Effect.fnUntraced(function* (
      caller: Member,
      id: string,
      input: typeof Workers.CreateWorkerToken.Type
    ) {
      // What is not there is told before what an idempotency key stood for.
      yield* own(caller, id)
      const made = yield* mutate(
        caller,
        "worker.create_token",
        Effect.gen(function* () {
          const { organizationId } = caller
          const worker = yield* locked(caller, id)
          if (worker.destination === "cloud") return yield* new Workers.WorkerIsProvided()
          if ((yield* repo.countTokens(sql, organizationId, id)) >= tokensMax) {
            return yield* new Workers.WorkerQuotaExceeded()
          }
          // It is as good as the membership of whose worker it is, whoever makes it.
          const by = { membershipId: worker.created_by_membership_id, userId: worker.created_by_user_id }
          const made = yield* addToken(organizationId, id, by, input.expiresInSeconds ?? null)
          const { graceSeconds } = input
          if (graceSeconds !== undefined) {
            yield* repo.limitOthers(sql, organizationId, id, made.row.id, graceSeconds)
            yield* principals.announce(id)
          }
          return { workerToken: repo.tokenToWire(made.row), token: made.token }
        }),
        ({ workerToken }) => ({
          target: id,
          after: { tokenId: workerToken.id, expiresAt: workerToken.expiresAt, graceSeconds: input.graceSeconds ?? null }
        })
      )
      yield* forget(id)
      return made
    })

    const listTokens = Effect.fnUntraced(function* (caller: Member, id: string, query: PageQuery) {
      yield* own(caller, id)
      return yield* pages.read(
        { operation: "workers.listTokens", organizationId: caller.organizationId, filters: id },
        query,
        (after, limit) => repo.listTokens(sql, caller.organizationId, id, after, limit),
        (row) => row.id,
        repo.tokenToWire
      )
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
      ).pipe(Effect.andThen(forget(tokenId)))

    /** A worker speaks for itself alone: another one is not there for it. */
    const demandSelf = (caller: WorkerCaller, id: string) =>
      caller.workerId === id ? Effect.succeed(caller.workerId) : Effect.fail(new Workers.WorkerNotFound())

    const heartbeat = Effect.fnUntraced(function* (caller: WorkerCaller, id: string, told: Workers.WorkerHeartbeat) {
      yield* demandSelf(caller, id)
      const row = yield* repo.beat(sql, caller.organizationId, id, told)
      return row === undefined ? yield* new Workers.WorkerNotFound() : { status: row.status, heartbeatSeconds }
    })

    /** When it happened as the worker's clock says, if that can be. */
    const happenedAt = Effect.fnUntraced(function* (text: string | undefined) {
      if (text === undefined) return null
      const at = momentOf(text)
      const now = yield* Clock.currentTimeMillis
      if (at === undefined || at < now - pastMillisMax || at > now + futureMillisMax) {
        return yield* InvalidRequest.at(["body", "occurredAt"], "is not a moment of the last day with its offset")
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
      yield* own(caller, id)
      return yield* pages.read(
        { operation: "workers.listActivity", organizationId: caller.organizationId, filters: id },
        query,
        (after, limit) => repo.listActivity(sql, caller.organizationId, id, after, limit),
        (row) => row.id,
        repo.activityToWire
      )
    })

    return {
      create,
      list,
      get,
      own,
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
