import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { attemptsMax, SyncJobs } from "../../infra/jobs/index.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import type { CodeHostFailed } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import * as repo from "./repo.ts"
import * as events from "./sync-repo.ts"
import { endUnpublished, type Failure, makeLease, type Run } from "./sync-run.ts"

/** Permanent failures, which would occur again on the next attempt. They are recorded on the instance. */
export const permanentCodes: ReadonlySet<CodeHostFailed["code"]> = new Set([
  "unauthorized",
  "branch_not_found",
  "empty_repository",
  "not_a_repository",
  "blocked",
  "limit_exceeded",
  "not_configured"
])

/** How long a run waits for a busy branch. */
export const busyDelay = Duration.seconds(1)

const retryDelayMax = Duration.hours(1)
/** The delay before the next attempt. It doubles each time, and is never shorter than the host requests. */
const retryDelay = (attempt: number, retryAfterMillis = 0) =>
  Duration.min(Duration.max(Duration.seconds(2 ** (attempt - 1)), Duration.millis(retryAfterMillis)), retryDelayMax)

/** The delay if the host requests one without a duration. */
const pauseUsual = Duration.minutes(1)
const pauseMin = Duration.seconds(1)
const pauseMax = Duration.hours(24)
/** Maximum number of delays that a host can request (`Retry-After`) for one sync, in addition to failed attempts. */
const pausesMax = 48
/** The duration of a delay: the one that the host requests, otherwise longer each time. */
const pauseOf = (pauses: number, retryAfterMillis: number | undefined) =>
  Duration.clamp(
    retryAfterMillis === undefined
      ? Duration.times(pauseUsual, 2 ** Math.min(pauses, 6))
      : Duration.millis(retryAfterMillis),
    { minimum: pauseMin, maximum: pauseMax }
  )

/** Maximum delay of a postponed job, and the time for which postponed jobs are counted. */
const postponedMillisMax = 60_000

/** Creates the functions that end a failed run or retry it later. */
export const makeFailures = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const fenced = yield* organizationTransaction
  const jobs = yield* SyncJobs
  const { mutate } = yield* Mutate
  const { holding } = yield* makeLease

  /** Ends the event as failed, and records the error on the instance. */
  const giveUp = (run: Run, failure: Failure) => {
    const { event, instance, organizationId } = run
    const error =
      failure.code === "branch_not_found"
        ? { ...failure, message: `${failure.message} Content imported from ${run.target.branch} is kept.` }
        : failure
    return mutate(
      { kind: "system", organizationId },
      "connector.sync_failed",
      Effect.andThen(
        endUnpublished(sql, organizationId, event.id, { status: "failed", error }),
        // A failed rollback does not mean that the repository is unreadable.
        event.mode === "rollback"
          ? Effect.void
          : Effect.asVoid(repo.setFailed(sql, organizationId, instance.id, error.message))
      ).pipe((end) => holding(run, end)),
      () => ({ target: instance.id, after: { syncEventId: event.id, code: error.code } })
    )
  }

  /** Handles a transient failure: retries later while attempts remain. */
  const failed = (run: Run, error: Failure, retryAfterMillis?: number) =>
    error.code === "rate_limited" && run.event.pauses < pausesMax
      ? Effect.suspend(() => {
          const pause = pauseOf(run.event.pauses, retryAfterMillis)
          return Effect.andThen(
            events.pause(sql, run.organizationId, run.event, Duration.toMillis(pause), error),
            jobs.again(run.organizationId, run.event.id, pause)
          ).pipe((note) => fenced(run.organizationId, holding(run, note)))
        })
      : run.event.attempt >= attemptsMax || error.code === "rate_limited"
        ? giveUp(run, error)
        : Effect.andThen(
            events.noteFailure(sql, run.organizationId, run.event.id, error),
            jobs.again(run.organizationId, run.event.id, retryDelay(run.event.attempt, retryAfterMillis))
          ).pipe((note) => fenced(run.organizationId, note))

  return { giveUp, failed } as const
})

/** Creates the function that returns the delay before a job whose limit is full is taken again. */
export const makePostponedDelay = (perOrigin: number) => {
  /** Jobs postponed within the last minute, by full limit. More postponed jobs wait longer. */
  const postponed = new Map<string, { count: number; readonly until: number }>()

  return Effect.fnUntraced(function* (fullLimit: string) {
    const now = yield* Clock.currentTimeMillis
    const recentCount = postponed.get(fullLimit)
    const current =
      recentCount === undefined || recentCount.until <= now
        ? { count: 0, until: now + postponedMillisMax }
        : recentCount
    current.count += 1
    if (postponed.size > 10_000) postponed.clear()
    postponed.set(fullLimit, current)
    const spread = yield* Random.next
    return Duration.millis(Math.min(postponedMillisMax, 500 * Math.max(1, current.count / perOrigin)) * (0.5 + spread))
  })
}
