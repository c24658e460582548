import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
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

/** A lease of a stopped process expires after this time. */
const leaseSeconds = 15
const concurrencyMax = 8
/** The number of starts after which a runtime is marked as failed. */
const startsMax = 3
/** The timeout of one start or stop, including retries. */
const workMillisMax = 60_000
/** The number of heartbeats that may be missed, and the number that a new runtime may take to send its first. */
const missedBeatsMax = 3
const firstBeatsMax = 10

const logFailure = <A, E, R>(message: string, work: Effect.Effect<A, E, R>) =>
  work.pipe(
    Effect.asVoid,
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : Effect.logWarning(message, cause)
    )
  )

/**
 * Starts and stops runtimes as requested, and marks workers without heartbeats as failed. Rows are the queue: a process
 * leases a row, and if the process is killed, another one completes the work. The provisioner's operations are
 * idempotent, so nothing is started twice.
 */
export class WorkerSupervisor extends Context.Service<WorkerSupervisor>()("@orgplane/server/workers/Supervisor", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const principals = yield* Principals
    const transaction = yield* organizationTransaction
    const { controlPlaneUrl, heartbeatSeconds } = yield* Settings
    const provisioner = Option.getOrUndefined(yield* Effect.serviceOption(Provisioner))
    const own = makeId("wki")

    /**
     * Issues new secrets for the worker and for this server, and revokes those of an earlier runtime. Returns undefined
     * if the runtime is no longer needed.
     */
    const issueSecrets = Effect.fnUntraced(function* (due: instances.DueRow) {
      const { organization_id: organizationId, worker_id: workerId } = due
      const [runtimeToken, workerToken] = [makeSecret(), makeToken("opw")]
      const sealed = keys.seal(sealedFor(organizationId, due.id), runtimeToken)
      const hasLease = yield* transaction(
        organizationId,
        Effect.gen(function* () {
          if (!(yield* instances.markStarting(sql, organizationId, due.id, own, sealed))) return false
          yield* repo.revokeTokens(sql, organizationId, workerId)
          const by = { membershipId: due.created_by_membership_id, userId: due.created_by_user_id }
          const token = { id: makeId("wkt"), workerId, digest: sha256Bytes(workerToken) }
          yield* repo.addToken(sql, organizationId, token, by, null)
          yield* principals.announce(workerId)
          return true
        })
      )
      principals.forget(workerId)
      return hasLease
        ? {
            controlPlaneUrl,
            workerId,
            workerToken: Redacted.make(workerToken),
            runtimeToken: Redacted.make(runtimeToken),
            heartbeatSeconds
          }
        : undefined
    })

    const startRuntime = Effect.fnUntraced(function* (due: instances.DueRow, provider: typeof Provisioner.Service) {
      const { id, organization_id: organizationId } = due
      // A process that was killed may already have started this runtime.
      const existingRuntime = due.starts === 0 ? undefined : yield* provider.find(id)
      if (existingRuntime !== undefined)
        return yield* instances.markRunning(sql, organizationId, id, own, existingRuntime.url)
      if (due.starts >= startsMax) {
        yield* provider.stop(id)
        const reason = `The runtime was started ${startsMax} times and exited each time.`
        // In one transaction: `markEnded` releases the lease, and the renewal of the lease then interrupts this fiber.
        return yield* transaction(
          organizationId,
          Effect.gen(function* () {
            if (!(yield* instances.markEnded(sql, organizationId, id, own, "failed"))) return
            yield* repo.revokeTokens(sql, organizationId, due.worker_id)
            yield* instances.failWorker(sql, organizationId, due.worker_id, reason)
          })
        )
      }
      const settings = yield* issueSecrets(due)
      if (settings === undefined) return yield* instances.postpone(sql, organizationId, id, own, 0)
      const { url } = yield* provider.start(id, settings)
      return yield* instances.markRunning(sql, organizationId, id, own, url)
    })

    const stopRuntime = Effect.fnUntraced(function* (due: instances.DueRow, provider: typeof Provisioner.Service) {
      yield* provider.stop(due.id)
      yield* repo.revokeTokens(sql, due.organization_id, due.worker_id)
      yield* instances.markEnded(sql, due.organization_id, due.id, own, "stopped")
    })

    /** Starts or stops one runtime while holding its lease. Failures are retried with increasing delays. */
    const settle = Effect.fn("workers.settle")(function* (due: instances.DueRow, provider: typeof Provisioner.Service) {
      const { id, organization_id: organizationId } = due
      const keepLease = instances.renewLease(sql, organizationId, id, own, leaseSeconds).pipe(
        Effect.flatMap((hasLease) => (hasLease ? Effect.sleep(`${leaseSeconds / 3} seconds`) : Effect.interrupt)),
        Effect.forever
      )
      const work = due.wanted === "running" ? startRuntime(due, provider) : stopRuntime(due, provider)
      yield* Effect.raceFirst(work, keepLease).pipe(
        Effect.timeoutOrElse({
          duration: workMillisMax,
          orElse: () => Effect.fail(new ProvisionerFailed({ message: "The provisioner timed out." }))
        }),
        Effect.catchTag("ProvisionerFailed", ({ message }) =>
          Effect.gen(function* () {
            yield* Effect.logWarning("A worker runtime could not be started or stopped.", { instanceId: id, message })
            yield* transaction(
              organizationId,
              Effect.gen(function* () {
                if (!(yield* instances.postpone(sql, organizationId, id, own, 2 ** Math.min(due.starts, 6)))) return
                if (due.wanted === "running") {
                  yield* instances.markWorkerProvisioning(sql, organizationId, due.worker_id, `${message} Retrying.`)
                }
              })
            )
          })
        )
      )
    })

    /** Schedules the restart of runtimes that exited; false when there are no instances to watch. */
    const restartCrashed = Effect.fnUntraced(function* (provider: typeof Provisioner.Service) {
      const watchedInstances = yield* instances.listWatched(sql, provider)
      for (const { id, organization_id: organizationId, settled, wanted, worker_id: workerId } of watchedInstances) {
        if (wanted !== "running" || !settled || (yield* provider.find(id)) !== undefined) continue
        const reason = "The runtime exited and is being restarted."
        yield* transaction(
          organizationId,
          Effect.gen(function* () {
            if (!(yield* instances.markCrashed(sql, organizationId, id))) return
            yield* instances.markWorkerProvisioning(sql, organizationId, workerId, reason)
          })
        )
      }
      return watchedInstances.length > 0
    })

    let active = 0
    let isWatching = true
    let state: "unconfigured" | "idle" | "ok" | "failed" = provisioner === undefined ? "unconfigured" : "idle"
    /** One pass: starts the due work without waiting for it. */
    const pass = Effect.gen(function* () {
      if (provisioner === undefined) return
      isWatching = true
      isWatching = yield* restartCrashed(provisioner)
      if (!isWatching || active >= concurrencyMax) return
      const due = yield* instances.takeDue(sql, provisioner, own, leaseSeconds, concurrencyMax - active)
      for (const row of due) {
        active += 1
        yield* logFailure("Cannot start or stop a worker runtime.", settle(row, provisioner)).pipe(
          Effect.ensuring(Effect.sync(() => (active -= 1))),
          Effect.forkChild
        )
      }
    })

    const observed = Effect.onExit(pass, (exit) =>
      Effect.sync(() => {
        state = Exit.isSuccess(exit) ? "ok" : "failed"
      })
    )

    const silentReason = `No heartbeat for ${missedBeatsMax * heartbeatSeconds} seconds.`
    const neverHeardReason = `The runtime has sent no heartbeat for ${firstBeatsMax * heartbeatSeconds} seconds.`

    const failUnresponsive = Effect.gen(function* () {
      yield* instances.failSilent(sql, missedBeatsMax * heartbeatSeconds, silentReason)
      yield* instances.failNeverHeard(sql, firstBeatsMax * heartbeatSeconds, neverHeardReason)
    })

    /** Stops the runtimes of deleted organizations and removes runtimes that have no row. */
    const removeLeftovers = Effect.gen(function* () {
      if (provisioner === undefined) return
      yield* instances.stopForRemoved(sql)
      const localKeys = yield* provisioner.keys
      const existingIds = new Set(yield* instances.existingAmong(sql, provisioner, localKeys))
      for (const key of localKeys) {
        // A failed stop must not block the others.
        if (!existingIds.has(key)) yield* logFailure("Cannot remove a leftover worker runtime.", provisioner.stop(key))
      }
    })

    /** Runs until it is interrupted. */
    const worker = Effect.all(
      [
        provisioner === undefined
          ? Effect.void
          : roundsOf(
              sql,
              ["runtimes"],
              Effect.map(logFailure("The worker runtime pass failed.", observed), () => (isWatching ? 0 : restSeconds))
            ),
        Effect.forever(
          Effect.andThen(
            logFailure("The check for workers without heartbeats failed.", failUnresponsive),
            Effect.sleep(`${Math.max(1, heartbeatSeconds / 3)} seconds`)
          )
        ),
        Effect.forever(
          Effect.andThen(
            logFailure("The cleanup of worker runtimes failed.", removeLeftovers),
            Effect.sleep("30 seconds")
          )
        )
      ],
      { concurrency: "unbounded", discard: true }
    )

    /** The result of the last pass of this process; `idle` before the first pass. */
    const lastPass = () => state

    return { worker, lastPass } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
