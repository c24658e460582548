import type { StoredAuditAction } from "@orgplane/schema/shared/audit-actions"
import type { Caller, Member } from "@orgplane/schema/shared/caller"
import * as Errors from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as SqlError from "effect/sql/SqlError"
import { type Change, recordAudit, type SystemActor } from "../audit/record.ts"
import { SqlDatabase } from "../sql/client.ts"
import { commitWith } from "../sql/defer.ts"
import { organizationScope } from "../sql/organization-scope.ts"
import * as idempotency from "./idempotency.ts"
import { demandUnmanaged } from "./managed.ts"

export type { Change, SystemActor } from "../audit/record.ts"

const isDeadlock = (error: unknown) => SqlError.isSqlError(error) && error.reason._tag === "DeadlockError"
const deadlockPauses = Schedule.jittered(Schedule.spaced("30 millis"))

/**
 * On a deadlock, the database rolls back one of the transactions, which is then retried. `Effect.retry` takes CPU time
 * even if the first attempt succeeds, so it is used only after the first deadlock.
 */
const retryDeadlocks = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catch(transaction, (error) =>
    isDeadlock(error)
      ? Effect.delay(Effect.retry(transaction, { while: isDeadlock, times: 2, schedule: deadlockPauses }), "30 millis")
      : Effect.fail(error)
  )

/** Whether mutations join the current transaction instead of beginning their own. */
const JoinsTransaction = Context.Reference<boolean>("@orgplane/server/mutate/JoinsTransaction", {
  defaultValue: () => false
})

/** Whether mutations join the current transaction, which must not wait for requests to other servers. */
export const isJoined: Effect.Effect<boolean> = Effect.map(JoinsTransaction, (joins) => joins)

/** The value of a rehearsal. Failing with it rolls the transaction back. */
class Rehearsed<A> {
  readonly value: A
  constructor(value: A) {
    this.value = value
  }
}

/** The membership recorded as the creator; null for an API key. */
export const membershipOf = ({ principal }: Member): Id<"om"> | null =>
  principal.kind === "session" ? principal.membershipId : null

/**
 * Every write of the service: one transaction with the change, its audit event and the response stored for an
 * idempotency key, restricted to the caller's organization by row-level security.
 */
export class Mutate extends Context.Service<Mutate>()("@orgplane/server/mutate/Mutate", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const restrict = yield* organizationScope

    /**
     * Runs `work` in a transaction as `caller`, and retries it after a deadlock. For a repeated request with an idempotency
     * key, returns the stored response without running it.
     */
    const transact = <A, E, R>(
      caller: Caller | SystemActor,
      work: (claim: idempotency.Claimed | undefined) => Effect.Effect<A, E | SqlError.SqlError, R>
    ): Effect.Effect<A, E, R> =>
      Effect.flatMap(JoinsTransaction, (joins) =>
        // A database failure reaches the outer transaction, which is rolled back and, after a deadlock, retried.
        joins ? (work(undefined) as Effect.Effect<A, E, R>) : transactAlone(caller, work)
      )

    const transactAlone = <A, E, R>(
      caller: Caller | SystemActor,
      work: (claim: idempotency.Claimed | undefined) => Effect.Effect<A, E | SqlError.SqlError, R>
    ): Effect.Effect<A, E, R> => {
      const claimed = Effect.flatMap(idempotency.claim(sql, caller), (claim) =>
        claim?.kind === "done" ? (Effect.succeed(claim.value) as Effect.Effect<A>) : work(claim)
      )
      const organizationId = "organizationId" in caller ? caller.organizationId : null
      const transaction = sql.withTransaction(Effect.andThen(restrict(organizationId), claimed))
      return Effect.catch(retryDeadlocks(transaction), (error): Effect.Effect<never, E> =>
        SqlError.isSqlError(error)
          ? Effect.die(error)
          : Effect.andThen(idempotency.keepRefusal(sql, caller, error), Effect.fail(error))
      )
    }

    /** Writes the audit event of a change. A configuration document may make any change to the objects that it manages. */
    const record = (caller: Caller | SystemActor, action: StoredAuditAction, change: Change) =>
      Effect.flatMap(JoinsTransaction, (joins) => {
        const recorded = recordAudit(sql, caller, action, change)
        return joins ? recorded : Effect.andThen(demandUnmanaged(sql, caller, action, change), recorded)
      })

    /**
     * Runs `effect` as `caller` under the audit action `action`. `describe` returns what the audit event records.
     */
    const mutate = <A, E, R>(
      caller: Caller | SystemActor,
      action: StoredAuditAction,
      effect: Effect.Effect<A, E, R>,
      describe: (value: A) => Change
    ): Effect.Effect<A, E, R> =>
      transact(caller, (claim) =>
        Effect.flatMap(effect, (value) => {
          const change = describe(value)
          const recorded = record(caller, action, change)
          const kept =
            claim === undefined
              ? recorded
              : Effect.andThen(recorded, idempotency.keep(sql, claim, 200, value, change.target ?? null))
          return Effect.as(kept, value)
        })
      )

    /**
     * Like `mutate`, for a change whose audit event depends only on the result of `write`. `read` must be a single
     * statement. It returns the response, and must not fail after the statement, because the change is then committed.
     * Without an idempotency key, audit event, `read` and commit are sent together, which saves a round trip.
     */
    const mutateAndRead = <W, E, R, A, R2>(
      caller: Caller,
      action: StoredAuditAction,
      write: Effect.Effect<W, E, R>,
      describe: (written: W) => Change,
      read: (written: W) => Effect.Effect<A, SqlError.SqlError, R2>
    ): Effect.Effect<A, E, R | R2> =>
      transact(caller, (claim) =>
        Effect.flatMap(write, (written) => {
          const change = describe(written)
          const recorded = record(caller, action, change)
          if (claim === undefined) {
            return Effect.flatMap(JoinsTransaction, (joins) =>
              Effect.andThen(recorded, joins ? read(written) : commitWith(sql, read(written)))
            )
          }
          return Effect.tap(Effect.andThen(recorded, read(written)), (value) =>
            idempotency.keep(sql, claim, 200, value, change.target ?? null)
          )
        })
      )

    /**
     * The stored response of an earlier request with this key, for operations that do expensive work before they write.
     */
    const recall = <A>(caller: Caller): Effect.Effect<A | undefined> =>
      idempotency.recall(sql, caller).pipe(Effect.orDie) as Effect.Effect<A | undefined>

    /**
     * Runs work outside the database, and the `mutate` that ends it, as the only request with its idempotency key: a
     * concurrent repeat fails with `idempotency_key_in_use`. The claim ends with the work, or expires within two
     * minutes if the process exits.
     */
    const alone = <A, E, R>(caller: Caller, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.orDie(idempotency.claimAlone(sql, caller)),
        (done) => (done === undefined ? work : (Effect.succeed(done.value) as Effect.Effect<A>)),
        () => Effect.orDie(idempotency.releaseAlone(sql, caller))
      )

    /**
     * Inside the effect of a `mutate`: mutations in `work` join its transaction. Each writes its own audit event, and the
     * first failure rolls all of them back, so `work` must not recover from it. Pass them a caller without an idempotency
     * key.
     */
    const joined = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.provideService(work, JoinsTransaction, true)

    /** Runs `work` with its mutations in one transaction, and rolls it back: nothing is changed. */
    const rehearse = <A, E, R>(caller: Member, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      const rehearsal = Effect.flatMap(joined(work), (value) => Effect.fail(new Rehearsed(value)))
      const transaction = sql.withTransaction(Effect.andThen(restrict(caller.organizationId), rehearsal))
      return Effect.catch(retryDeadlocks(transaction), (error): Effect.Effect<A, E> =>
        error instanceof Rehearsed
          ? Effect.succeed(error.value)
          : SqlError.isSqlError(error)
            ? Effect.die(error)
            : Effect.fail(error)
      )
    }

    return { mutate, mutateAndRead, recall, alone, joined, rehearse } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export const stale = (caller: Caller, version: number): Effect.Effect<void, Errors.PreconditionFailed> => {
  const expected = caller.request.ifMatch
  return expected === null || expected === "*" || expected.split(",").some((tag) => tag.trim() === `"${version}"`)
    ? Effect.void
    : Effect.fail(new Errors.PreconditionFailed())
}
