import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { makeId } from "../../infra/ids.ts"
import { counter } from "../../infra/metrics/metrics.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { restSeconds, roundsOf, wake } from "../../infra/sql/wakes.ts"
import { makeAttempt } from "./attempt.ts"
import * as repo from "./repo.ts"
import { makeStatuses } from "./statuses.ts"

/** Runs at once per process. Most of them wait for a code host: only two documents are planned at once. */
const runsAtOnce = 16
const statusesAtOnce = 20
const leaseSeconds = 60

/** Runs the configuration source of each organization when a commit, a member or an API key queued a run. */
export class ConfigurationWorker extends Context.Service<ConfigurationWorker>()(
  "@orgplane/server/configurationSource/Worker",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const attempt = yield* makeAttempt
      const sendStatuses = yield* makeStatuses

      /**
       * Ends if another process holds the lease, so that no two processes work on one run. If the run has ended, its
       * attempt returns the outcome.
       */
      const keepLease = (run: repo.RunRow, holder: string) =>
        Effect.sleep(Duration.seconds(leaseSeconds / 3)).pipe(
          Effect.andThen(Effect.orElseSucceed(repo.renew(sql, run, holder, leaseSeconds), () => "held" as const)),
          Effect.repeat({ while: (lease) => lease === "held" }),
          Effect.flatMap((lease) => (lease === "lost" ? Effect.succeed(undefined) : Effect.never))
        )

      const work = (run: repo.RunRow, holder: string) =>
        Effect.raceFirst(attempt(run, holder), keepLease(run, holder)).pipe(
          Effect.tap((outcome) =>
            outcome === undefined
              ? Effect.void
              : Metric.update(counter("orgplane_configuration_runs_total", { status: outcome.status }), 1)
          ),
          // If the lease is lost too, this changes nothing.
          Effect.catchTag("RunLost", () => repo.putOff(sql, run, holder, 0, run.attempts)),
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause)
              : Effect.logWarning("A configuration run failed. Retrying.", cause)
          ),
          // Another process, or the next start, continues without waiting for the end of the lease.
          Effect.onInterrupt(() => Effect.ignore(repo.putOff(sql, run, holder, 0, run.attempts - 1)))
        )

      let running = 0

      /** Starts the runs that are due, and returns their number. Looks for others when one of them has ended. */
      const startDue = Effect.gen(function* () {
        if (running >= runsAtOnce) return 0
        const holder = makeId("req")
        const scope = yield* Effect.scope
        const runs = yield* repo.claim(sql, holder, leaseSeconds, runsAtOnce - running)
        for (const run of runs) {
          running += 1
          const ended = Effect.andThen(
            Effect.sync(() => (running -= 1)),
            wake(sql, "configuration")
          )
          yield* Effect.forkIn(Effect.ensuring(work(run, holder), ended), scope)
        }
        return runs.length
      })

      /** Repeats the work until nothing is due. */
      const repeated = <R>(round: Effect.Effect<number, unknown, R>) =>
        roundsOf(
          sql,
          ["configuration"],
          Effect.flatMap(round, (count) =>
            count > 0 ? Effect.succeed(0) : repo.nextDueSeconds(sql, restSeconds)
          ).pipe(
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.interrupt
                : Effect.as(Effect.logWarning("Cannot read which configuration runs are due. Retrying.", cause), 1)
            )
          )
        )

      const worker = Effect.scoped(
        Effect.all([repeated(startDue), repeated(sendStatuses(statusesAtOnce))], {
          concurrency: "unbounded",
          discard: true
        })
      )

      return { worker } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
