import type { Id } from "@orgplane/schema/shared/ids"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { lockSeconds } from "../../infra/jobs/index.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import type { FolderPlan } from "./plugin-folders.ts"
import * as repo from "./repo.ts"
import * as staging from "./staging-repo.ts"
import type { SyncPlan } from "./sync-plan.ts"
import * as events from "./sync-repo.ts"

/** The repository or its instance changed during the sync, so the result is not published. */
export class SyncOvertaken extends Data.TaggedError("SyncOvertaken")<{ readonly message: string }> {}
/** Another run holds the lease of the branch, so this run must stop. */
export class LeaseLost extends Data.TaggedError("LeaseLost") {}

export interface Run {
  readonly organizationId: Id<"org">
  readonly instance: repo.InstanceRow
  readonly target: repo.TargetRow
  readonly event: events.EventRow
  /** The holder of the lease: this run only, not another run of the same event. */
  readonly holder: string
  /** Effects to run after the lease is released, because no caller waits for them. */
  readonly later: Array<Effect.Effect<void>>
}

export interface Failure {
  readonly code: string
  readonly message: string
}

export interface Plan extends SyncPlan {
  readonly folders: FolderPlan
  /** The state that the plan was made from; a publication requires that it is unchanged. */
  readonly basis: string
}

/** Ends an event that publishes nothing, and deletes what it or an earlier attempt staged. */
export const endUnpublished = (
  sql: Sql,
  organizationId: Id<"org">,
  eventId: Id<"cse">,
  outcome: Pick<events.Outcome, "status"> & Partial<events.Outcome>
) =>
  Effect.andThen(
    staging.clear(sql, organizationId, eventId),
    events.end(sql, organizationId, eventId, {
      revision: null,
      counts: events.noCounts,
      warnings: [],
      error: null,
      ...outcome
    })
  )

/** Creates the functions that require and renew the lease of a run's branch. */
export const makeLease = Effect.gen(function* () {
  const sql = yield* SqlDatabase

  /** Runs statements in a transaction while this run holds the lease of the branch; otherwise fails. */
  const holding = <A, E, R>(run: Run, effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      // All transactions that lock both lock the instance first, which prevents deadlocks.
      yield* repo.lockInstance(sql, run.organizationId, run.instance.id)
      if (!(yield* events.holds(sql, run.organizationId, run.target.id, run.holder))) {
        return yield* new LeaseLost()
      }
      return yield* effect
    })

  /** Renews the lease during a run, however long the host takes. Ends the run when the lease is lost. */
  const keepLease = (run: Run) =>
    Effect.sleep(Duration.seconds(lockSeconds / 3)).pipe(
      // Uses a transaction, and therefore a separate connection. If this run is publishing, the renewal waits for it,
      // and on a shared connection all other reads would wait too.
      Effect.andThen(
        sql.withTransaction(events.lease(sql, run.organizationId, run.target.id, run.holder, lockSeconds))
      ),
      Effect.filterOrFail(
        (isOurs) => isOurs,
        () => new LeaseLost()
      ),
      // A failed statement is retried at the next renewal. By then another worker may hold the lease.
      Effect.catchTag("SqlError", () => Effect.void),
      Effect.forever
    )

  return { holding, keepLease } as const
})
