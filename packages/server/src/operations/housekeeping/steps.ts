/** Housekeeping consists of independent steps: if one fails, the others still run. */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { counter } from "../../infra/metrics/metrics.ts"
import { maintenanceNames } from "../../infra/storage/index.ts"
import { checkedTables } from "./bounds.ts"

export interface Step {
  /** The value of the metric's label `step`: a table, or one of a few other names. */
  readonly name: string
  readonly work: Effect.Effect<unknown, unknown>
}

/** The steps that neither a table nor the storage totals name. */
const ownNames = ["unclaimed_workspaces", "check"] as const

export const ownStep = (name: (typeof ownNames)[number], work: Step["work"]): Step => ({ name, work })

/** The names of all steps. Every other step is named after a table that the daily check examines. */
export const stepNames: ReadonlyArray<string> = [
  ...new Set<string>([...checkedTables, ...ownNames, ...maintenanceNames])
]

/** The steps that failed. Each failure is in the log. */
export class StepsFailed extends Data.TaggedError("StepsFailed")<{ readonly names: ReadonlyArray<string> }> {}

/** Logs and counts a failure. An interruption ends the run: another process has taken it over. */
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
