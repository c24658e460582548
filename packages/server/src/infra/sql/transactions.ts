import type { PgClient } from "@effect/sql-pg"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"
import type { Connection } from "effect/sql/SqlConnection"
import { BeginTransaction } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { isTraced } from "./is-traced.ts"
import { OwnConnection, type OwnConnections } from "./own-connections.ts"

type Callback = Effect.Effect<void>

/** A transaction, or a nested one, which is a savepoint. */
interface Level {
  /** Effects that run after the commit. */
  readonly callbacks: Array<Callback>
  /** Runs one nested transaction at a time, because savepoints form a stack. */
  nestedLock: Semaphore.Semaphore | undefined
  isOpen: boolean
}

const levels = new WeakMap<readonly [connection: Connection, depth: number], Level>()

const runAfterCommit = (callback: Callback) =>
  Effect.ignoreCause(callback, { log: "Unhandled", message: "Work after a commit failed." })

/**
 * Replaces the client's transactions with cheaper ones that behave the same: they use our own connections and create no
 * spans or scopes. The client still runs a transaction while traces are exported, or if it has its own BEGIN statement.
 * After-commit effects run in the fiber that began the transaction, outside the transaction.
 */
export const withOwnTransactions = (
  client: PgClient.PgClient,
  connections: OwnConnections,
  commit: (connection: Connection) => Effect.Effect<void, SqlError>
): PgClient.PgClient => {
  const { afterCommit, transactionService, withTransaction } = client

  const levelIn = (context: Context.Context<never>) => {
    const active = Context.getOrUndefined(context, transactionService)
    const level = active === undefined ? undefined : levels.get(active)
    return active === undefined || level === undefined ? undefined : { active, level }
  }

  const provideLevel = <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    connection: Connection,
    depth: number,
    level: Level
  ) => {
    const active = [connection, depth] as const
    levels.set(active, level)
    return Effect.updateContext(effect, (context: Context.Context<R>) =>
      Context.add(context, transactionService, active)
    )
  }

  const runOutermost = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(connections.take(restore), (session) => {
        const connection = new OwnConnection(session)
        connection.begin()
        const level: Level = { callbacks: [], nestedLock: undefined, isOpen: true }
        return Effect.flatMap(Effect.exit(restore(provideLevel(effect, connection, 0, level))), (exit) => {
          // The change is committed even if the fiber was interrupted afterwards.
          const isSuccess = Exit.isSuccess(exit) || connection.hasCommitted
          level.isOpen = false
          if (!isSuccess) connection.discardDeferred()
          const end = isSuccess ? commit(connection) : Effect.asVoid(connection.execute("ROLLBACK", [], undefined))
          return Effect.flatMap(Effect.exit(end), (ended): Effect.Effect<A, E | SqlError> => {
            connections.release(session)
            // If the rollback fails, the connection is closed, and the server rolls back.
            if (!isSuccess) return exit
            if (Exit.isFailure(ended)) return Effect.failCause(ended.cause)
            return level.callbacks.length === 0
              ? exit
              : Effect.andThen(Effect.forEach(level.callbacks, runAfterCommit, { discard: true }), exit)
          })
        })
      })
    )

  const runNested = <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    [connection, depth]: readonly [Connection, number],
    outer: Level
  ): Effect.Effect<A, E | SqlError, R> => {
    const name = `orgplane_${depth + 1}`
    const level: Level = { callbacks: [], nestedLock: undefined, isOpen: true }
    const run = (text: string) => connection.execute(text, [], undefined)
    outer.nestedLock ??= Semaphore.makeUnsafe(1)
    return outer.nestedLock.withPermit(
      Effect.uninterruptibleMask((restore) =>
        Effect.andThen(
          run(`SAVEPOINT ${name}`),
          Effect.flatMap(Effect.exit(restore(provideLevel(effect, connection, depth + 1, level))), (exit) => {
            level.isOpen = false
            if (Exit.isFailure(exit)) {
              if (connection instanceof OwnConnection) connection.discardDeferred()
              return run(`ROLLBACK TO SAVEPOINT ${name}`).pipe(
                Effect.andThen(run(`RELEASE SAVEPOINT ${name}`)),
                Effect.andThen(exit)
              )
            }
            outer.callbacks.push(...level.callbacks)
            return Effect.andThen(run(`RELEASE SAVEPOINT ${name}`), exit)
          })
        )
      )
    )
  }

  return Object.assign(client, {
    withTransaction: <R, E, A>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
      Effect.withFiber((fiber): Effect.Effect<A, E | SqlError, R> => {
        const current = levelIn(fiber.context)
        if (current !== undefined) return runNested(effect, current.active, current.level)
        const isPlain =
          !isTraced(fiber) &&
          Context.getOrUndefined(fiber.context, transactionService) === undefined &&
          fiber.getRef(BeginTransaction) === undefined
        return isPlain ? runOutermost(effect) : withTransaction(effect)
      }),
    afterCommit: <R>(effect: Effect.Effect<void, never, R>): Effect.Effect<void, never, R> =>
      Effect.withFiber((fiber): Effect.Effect<void, never, R> => {
        const current = levelIn(fiber.context)
        if (current === undefined) return afterCommit(effect)
        if (!current.level.isOpen) return Effect.die(new Error("The transaction has already ended."))
        // The transaction's fiber has the services that its work requires.
        current.level.callbacks.push(effect as Callback)
        return Effect.void
      })
  })
}
