import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { Sql } from "./client.ts"

/** How long a connection is kept. Transactions that wait for a connection get one after this time at the latest. */
const leaseMillis = 20

interface Lease {
  readonly connection: Connection
  readonly scope: Scope.Closeable
  readonly timer: ReturnType<typeof setTimeout>
  isInUse: boolean
  isOver: boolean
}

/** Runs a statement on a connection of its own. */
export type ConnectionLeases = <A>(
  use: (connection: Connection) => Effect.Effect<A, SqlError>
) => Effect.Effect<A, SqlError>

/**
 * Runs statements on reserved connections, one at a time on each, and keeps a connection for a short time for the next
 * statement: reserving one takes more of this process's time than sending a statement. A connection on which a
 * statement has failed is not kept.
 */
export const makeConnectionLeases = Effect.fnUntraced(function* (sql: Sql, keptMillis: number = leaseMillis) {
  const run = Effect.runForkWith(yield* Effect.context())
  // The embedded database has one connection, which is cheap to reserve.
  const millis = sql.config.stream === undefined ? keptMillis : 0
  let idle: Array<Lease> = []
  let isClosed = false

  const end = (lease: Lease) =>
    Effect.suspend(() => {
      clearTimeout(lease.timer)
      return Scope.close(lease.scope, Exit.void)
    })

  const expire = (lease: Lease) => {
    lease.isOver = true
    if (lease.isInUse) return
    idle = idle.filter((other) => other !== lease)
    run(end(lease))
  }

  const acquire = Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    return sql.reserve.pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
      Effect.map((connection): Lease => {
        const lease: Lease = {
          connection,
          scope,
          timer: setTimeout(() => expire(lease), millis),
          isInUse: false,
          isOver: millis === 0
        }
        return lease
      })
    )
  })

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isClosed = true
      return Effect.forEach(idle.splice(0), end, { discard: true })
    })
  )

  const withConnection: ConnectionLeases = (use) =>
    Effect.uninterruptibleMask((restore) => {
      const kept = idle.pop()
      return Effect.flatMap(kept === undefined ? restore(acquire) : Effect.succeed(kept), (lease) => {
        lease.isInUse = true
        return Effect.onExit(restore(use(lease.connection)), (exit) => {
          lease.isInUse = false
          if (lease.isOver || isClosed || Exit.isFailure(exit)) return end(lease)
          idle.push(lease)
          return Effect.void
        })
      })
    })
  return withConnection
})
