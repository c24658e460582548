/** Housekeeping consists of steps that do not depend on each other: a failure of one does not prevent the others. */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { counter } from "../../infra/metrics/metrics.ts"

export interface Step {
  /** The label of its metric: a table, or one of a few other names. */
  readonly name: string
  readonly work: Effect.Effect<unknown, unknown>
}

/** The steps that failed. Each failure is in the log. */
export class StepsFailed extends Data.TaggedError("StepsFailed")<{ readonly names: ReadonlyArray<string> }> {}

/** Logs and counts a failure. An interruption, because another process has taken the run over, ends the run. */
const reportFailure = (name: string, cause: Cause.Cause<unknown>) =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.failCause(cause as Cause.Cause<never>)
    : Effect.logWarning(`Housekeeping failed in the step ${name}. Retrying in one hour.`, cause).pipe(
        Effect.andThen(Metric.update(counter("orgplane_housekeeping_failures_total", { step: name }), 1)),
        Effect.as([name])
      )

/** Runs every step, and then fails if any of them has failed. */
export const runSteps = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const failures = yield* Effect.forEach(steps, ({ name, work }) =>
    work.pipe(
      Effect.as<ReadonlyArray<string>>([]),
      Effect.catchCause((cause) => reportFailure(name, cause))
    )
  )
  const names = failures.flat()
  if (names.length > 0) return yield* new StepsFailed({ names })
})
