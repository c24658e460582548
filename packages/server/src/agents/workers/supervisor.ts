import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Settings } from "../../infra/config/settings.ts"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeSecret, makeToken } from "../../infra/crypto/tokens.ts"
import { Principals } from "../../identity/auth/principals.ts"
import { makeId } from "../../infra/ids.ts"
import { Provisioner, ProvisionerFailed } from "../../infra/ports/provisioner.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { restSeconds, roundsOf } from "../../infra/sql/wakes.ts"
import * as instances from "./instances-repo.ts"
import * as repo from "./repo.ts"
import { sealedFor } from "./runtime-token.ts"

/** Whoever has a lease and is gone is believed alive no longer than this. */
const leaseSeconds = 15
const atOnceMax = 8
/** Times a runtime is started until it is given up. */
const startsMax = 3
/** What one start or stop may take, with all its patience. */
const workMillisMax = 60_000
/** Heartbeats that may be missed; and those that a new runtime may take for its first. */
const missedMax = 3
const firstMax = 10

const passes = <A, E, R>(what: string, work: Effect.Effect<A, E, R>) =>
  work.pipe(
    Effect.asVoid,
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : Effect.logWarning(what, cause)
    )
  )

/**
 * Makes runtimes as they are wanted, and says of workers that are silent that they failed. Rows are the queue: a process
 * takes one by a lease, and after a process that was killed the next one does the work to its end. What the provisioner
 * does may be asked twice, so nothing is started twice.
 */
export class WorkerSupervisor extends Context.Service<WorkerSupervisor>()("@orgplane/server/workers/Supervisor", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const principals = yield* Principals
    const fenced = yield* organizationTransaction
    const { controlPlaneUrl, heartbeatSeconds } = yield* Settings
    const provisioner = Option.getOrUndefined(yield* Effect.serviceOption(Provisioner))
    const own = makeId("wki")

    /** New secrets for both sides, in place of those of a runtime before; undefined when it is wanted no more. */
    const arm = Effect.fnUntraced(function* (due: instances.DueRow) {
      const { organization_id: organizationId, worker_id: workerId } = due
      const [runtimeToken, workerToken] = [makeSecret(), makeToken("opw")]
      const sealed = keys.seal(sealedFor(organizationId, due.id), runtimeToken)
      const isOurs = yield* fenced(
        organizationId,
        Effect.gen(function* () {
          if (!(yield* instances.begin(sql, organizationId, due.id, own, sealed))) return false
          yield* repo.revokeTokens(sql, organizationId, workerId)
          const by = { membershipId: due.created_by_membership_id, userId: due.created_by_user_id }
          const token = { id: makeId("wkt"), workerId, digest: sha256Bytes(workerToken) }
          yield* repo.addToken(sql, organizationId, token, by, null)
          yield* principals.announce(workerId)
          return true
        })
      )
      principals.forget(workerId)
      return isOurs
        ? {
            controlPlaneUrl,
            workerId,
            workerToken: Redacted.make(workerToken),
            runtimeToken: Redacted.make(runtimeToken),
            heartbeatSeconds
          }
        : undefined
    })

    const run = Effect.fnUntraced(function* (due: instances.DueRow, provider: typeof Provisioner.Service) {
      const { id, organization_id: organizationId } = due
      // Of a process that was killed in between: it has started what we would start.
      const there = due.starts === 0 ? undefined : yield* provider.find(id)
      if (there !== undefined) return yield* instances.runs(sql, organizationId, id, own, there.url)
      if (due.starts >= startsMax) {
        yield* provider.stop(id)
        yield* instances.ended(sql, organizationId, id, own, "failed")
        yield* repo.revokeTokens(sql, organizationId, due.worker_id)
        const reason = `The runtime was started ${startsMax} times and did not stay.`
        return yield* instances.workerFails(sql, organizationId, due.worker_id, reason)
      }
      const settings = yield* arm(due)
      if (settings === undefined) return yield* instances.putOff(sql, organizationId, id, own, 0)
      const { url } = yield* provider.start(id, settings)
      return yield* instances.runs(sql, organizationId, id, own, url)
    })

    const end = Effect.fnUntraced(function* (due: instances.DueRow, provider: typeof Provisioner.Service) {
      yield* provider.stop(due.id)
      yield* repo.revokeTokens(sql, due.organization_id, due.worker_id)
      yield* instances.ended(sql, due.organization_id, due.id, own, "stopped")
    })

    /** Does what is wanted of one runtime, holding its lease; what fails is tried again, later each time. */
    const settle = Effect.fn("workers.settle")(function* (due: instances.DueRow, provider: typeof Provisioner.Service) {
      const { id, organization_id: organizationId } = due
      const beat = instances.keepLease(sql, organizationId, id, own, leaseSeconds).pipe(
        Effect.flatMap((isOurs) => (isOurs ? Effect.sleep(`${leaseSeconds / 3} seconds`) : Effect.interrupt)),
        Effect.forever
      )
      const work = due.wanted === "running" ? run(due, provider) : end(due, provider)
      yield* Effect.raceFirst(work, beat).pipe(
        Effect.timeoutOrElse({
          duration: workMillisMax,
          orElse: () => Effect.fail(new ProvisionerFailed({ message: "The provisioner took too long." }))
        }),
        Effect.catchTag("ProvisionerFailed", ({ message }) =>
          Effect.gen(function* () {
            yield* Effect.logWarning("A runtime is not as it is wanted.", { instanceId: id, message })
            yield* instances.putOff(sql, organizationId, id, own, 2 ** Math.min(due.starts, 6))
            if (due.wanted === "running") {
              yield* instances.workerStarts(sql, organizationId, due.worker_id, `${message} It is tried again.`)
            }
          })
        )
      )
    })

    /** Finds runtimes that ended by themselves; false when there is none to look after. */
    const look = Effect.fnUntraced(function* (provider: typeof Provisioner.Service) {
      const watched = yield* instances.watched(sql, provider)
      for (const { id, organization_id: organizationId, settled, wanted, worker_id: workerId } of watched) {
        if (wanted !== "running" || !settled || (yield* provider.find(id)) !== undefined) continue
        if (yield* instances.gone(sql, organizationId, id)) {
          yield* instances.workerStarts(
            sql,
            organizationId,
            workerId,
            "The runtime ended by itself; it is started again."
          )
        }
      }
      return watched.length > 0
    })

    let active = 0
    let isWatching = true
    /** One turn: what is due is begun; what takes its time is in nobody's way. */
    const round = Effect.gen(function* () {
      if (provisioner === undefined) return
      isWatching = true
      isWatching = yield* look(provisioner)
      if (!isWatching || active >= atOnceMax) return
      const due = yield* instances.takeDue(sql, provisioner, own, leaseSeconds, atOnceMax - active)
      for (const row of due) {
        active += 1
        yield* passes("A runtime could not be settled.", settle(row, provisioner)).pipe(
          Effect.ensuring(Effect.sync(() => (active -= 1))),
          Effect.forkChild
        )
      }
    })

    const silence = `No heartbeat for ${missedMax * heartbeatSeconds} seconds.`
    const muteness = `Its runtime runs and was not heard of for ${firstMax * heartbeatSeconds} seconds.`

    const listen = Effect.gen(function* () {
      yield* instances.findSilent(sql, missedMax * heartbeatSeconds, silence)
      yield* instances.findMute(sql, firstMax * heartbeatSeconds, muteness)
    })

    /** What an organization leaves behind when it ends, and what is left here of rows that are no more. */
    const tidy = Effect.gen(function* () {
      if (provisioner === undefined) return
      yield* instances.stopForRemoved(sql)
      const here = yield* provisioner.keys
      const known = new Set(yield* instances.knownAmong(sql, provisioner, here))
      for (const key of here) {
        // One that does not end is in no other's way.
        if (!known.has(key)) yield* passes("What is left of a runtime could not be removed.", provisioner.stop(key))
      }
    })

    /** For ever. */
    const worker = Effect.all(
      [
        provisioner === undefined
          ? Effect.void
          : roundsOf(
              sql,
              ["runtimes"],
              Effect.map(passes("Runtimes could not be looked after.", round), () => (isWatching ? 0 : restSeconds))
            ),
        Effect.forever(
          Effect.andThen(
            passes("Silent workers could not be looked for.", listen),
            Effect.sleep(`${Math.max(1, heartbeatSeconds / 3)} seconds`)
          )
        ),
        Effect.forever(Effect.andThen(passes("Runtimes could not be tidied up.", tidy), Effect.sleep("30 seconds")))
      ],
      { concurrency: "unbounded", discard: true }
    )

    return { worker } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
