import type { Id } from "@orgplane/schema/shared/ids"
import { ReleaseChecks } from "../approvals/checks.ts"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeId } from "../../infra/ids.ts"
import { attemptsMax, lockSeconds, type SyncJob, SyncJobs } from "../../infra/jobs/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { laneOf, makeLanes } from "./lanes.ts"
import * as repo from "./repo.ts"
import * as events from "./sync-repo.ts"
import * as targets from "./targets-repo.ts"
import { makeHeadSync } from "./sync-head.ts"
import { makeQueue } from "./sync-queue.ts"
import { busyDelay, makeFailures, makePostponedDelay, permanentCodes } from "./sync-retry.ts"
import { makeRestore } from "./sync-rollback.ts"
import { endUnpublished, makeLease, type Run } from "./sync-run.ts"

/** Concurrent syncs per process. A single host or organization can use at most a quarter of them. */
const laneLimits = { total: 12, perOrganization: 3, perOrigin: 3 }
/** Number of jobs taken at once. It exceeds the number that can run, so that a waiting job does not block others. */
const workers = laneLimits.total + 2

/**
 * Makes an organization's content of a branch equal to the branch's head. Everything is read and staged first; then one
 * transaction publishes it. A run that is repeated after a crash starts again and produces the same result.
 */
export class SyncService extends Context.Service<SyncService>()("@orgplane/server/connectors/SyncService", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const checks = yield* ReleaseChecks
    const fenced = yield* organizationTransaction
    const jobs = yield* SyncJobs
    const lanes = makeLanes(laneLimits)
    const postponedDelay = makePostponedDelay(laneLimits.perOrigin)
    const { keepLease } = yield* makeLease
    const { failed, giveUp } = yield* makeFailures
    const { approve, queue } = yield* makeQueue
    const synchronize = yield* makeHeadSync
    const restore = yield* makeRestore

    /** One run of an event whose branch is leased to it. */
    const attempt = Effect.fnUntraced(function* (
      queuedEvent: events.EventRow,
      organizationId: Id<"org">,
      holder: string,
      later: Run["later"]
    ) {
      const instance = yield* repo.findInstance(sql, organizationId, queuedEvent.connector_instance_id)
      const target = yield* targets.find(sql, organizationId, queuedEvent.connector_target_id)
      if (
        instance === undefined ||
        target === undefined ||
        instance.status === "disabled" ||
        instance.status === "archived"
      ) {
        yield* fenced(organizationId, endUnpublished(sql, organizationId, queuedEvent.id, { status: "ignored" }))
        return
      }
      const event = yield* events.start(sql, organizationId, queuedEvent.id)
      if (event === undefined) return
      const run: Run = { organizationId, instance, target, event, holder, later }
      if (event.attempt > attemptsMax) {
        yield* giveUp(run, { code: "interrupted", message: "The sync was interrupted too many times." }).pipe(
          Effect.orDie
        )
        return
      }
      yield* Effect.raceFirst(event.mode === "rollback" ? restore(run) : synchronize(run), keepLease(run)).pipe(
        Effect.catchTags({
          CodeHostFailed: ({ code, message, retryAfterMillis }) =>
            permanentCodes.has(code)
              ? giveUp(run, { code, message })
              : failed(run, { code, message }, retryAfterMillis),
          SyncOvertaken: ({ message }) => failed(run, { code: "overtaken", message })
        }),
        Effect.tapCause((cause) =>
          Cause.hasInterruptsOnly(cause) || event.attempt < attemptsMax
            ? Effect.void
            : giveUp(run, { code: "internal_error", message: "The sync failed because of an internal error." })
        ),
        Effect.onInterrupt(() => Effect.ignore(events.giveBack(sql, organizationId, event.id))),
        Effect.catchTag("LeaseLost", () => jobs.again(organizationId, event.id, busyDelay))
      )
    })

    /** Runs the job of an event after a slot was taken. */
    const runWithin = Effect.fnUntraced(function* (queuedEvent: events.EventRow, organizationId: Id<"org">) {
      const { connector_target_id: targetId, id: syncEventId } = queuedEvent
      const paused = yield* events.pausedMillis(sql, organizationId, targetId)
      if (paused > 0) {
        yield* jobs.again(organizationId, syncEventId, Duration.millis(paused))
        return
      }
      const holder = `${syncEventId}/${makeId("req")}`
      if (!(yield* events.lease(sql, organizationId, targetId, holder, lockSeconds))) {
        yield* jobs.again(organizationId, syncEventId, busyDelay)
        return
      }
      const later: Array<Effect.Effect<void>> = []
      yield* attempt(queuedEvent, organizationId, holder, later).pipe(
        Effect.ensuring(Effect.ignore(events.release(sql, organizationId, targetId, holder)))
      )
      yield* Effect.all(later, { discard: true })
      yield* checks.wake
    })

    /**
     * Runs a job. If a limit is full, the branch is busy, or the host does not respond, the job is queued again for
     * later. Only actual runs count as attempts.
     */
    const runNext = Effect.fn("connectors.sync")(function* (job: SyncJob) {
      const { organizationId, syncEventId } = job
      const queuedEvent = yield* events.findEvent(sql, organizationId, syncEventId)
      if (queuedEvent === undefined || (queuedEvent.status !== "queued" && queuedEvent.status !== "running")) return
      const instance = yield* repo.findInstance(sql, organizationId, queuedEvent.connector_instance_id)
      const runJob = runWithin(queuedEvent, organizationId)
      if (instance === undefined) return yield* runJob
      yield* lanes.tryWithin(laneOf(organizationId, instance), runJob, (fullLimit) =>
        Effect.flatMap(postponedDelay(fullLimit), (delay) => jobs.again(organizationId, syncEventId, delay))
      )
    })

    /** Processes jobs until interrupted, a few at a time. Each branch is processed by one worker at a time. */
    const worker = Effect.gen(function* () {
      const loop = jobs.take(runNext).pipe(
        Effect.tapCause((cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logWarning("A sync failed.", cause)
        ),
        Effect.exit,
        Effect.forever
      )
      const loops = Array.from({ length: workers }, () => loop)
      yield* Effect.all([jobs.wakeOnNotice, ...loops], { concurrency: "unbounded", discard: true })
    })

    return { queue, approve, work: runNext, worker } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
