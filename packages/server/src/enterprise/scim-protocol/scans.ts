import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { ScimFault } from "../../infra/scim/language/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { boundTime } from "./users-repo.ts"

/** Of this process, whosever they are; the rest of its connections is for others. */
const atOnce = 3
/** Of one organization: running, or waiting for those before. */
const waitingMax = 16
const secondsMax = 5

const tooLong = () =>
  new ScimFault({
    status: 400,
    scimType: "tooMany",
    detail: `The list takes longer than ${secondsMax} seconds: make fewer comparisons, or ask for a userName, displayName, externalId or id alone.`
  })

const tooManyAtOnce = () =>
  new ScimFault({ status: 429, detail: "Too many lists at once that no index answers: ask for one after the other." })

const isTimeout = (error: unknown): error is SqlError =>
  isSqlError(error) && error.reason._tag === "StatementTimeoutError"

interface Line {
  readonly turn: Semaphore.Semaphore
  length: number
}

/**
 * Lists that look at every record. Statements outside a transaction share few connections, where one that lasts keeps
 * everybody waiting: so each of these has a connection to itself and a bounded time, and an organization's come one after
 * the other.
 */
export const makeScans = (sql: Sql) => {
  const all = Semaphore.makeUnsafe(atOnce)
  const lines = new Map<string, Line>()

  return <A, E>(
    organizationId: string,
    read: Effect.Effect<A, E | SqlError>
  ): Effect.Effect<A, E | SqlError | ScimFault> =>
    Effect.suspend((): Effect.Effect<A, E | SqlError | ScimFault> => {
      const line = lines.get(organizationId) ?? { turn: Semaphore.makeUnsafe(1), length: 0 }
      if (line.length >= waitingMax) return Effect.fail(tooManyAtOnce())
      line.length += 1
      lines.set(organizationId, line)
      return Effect.andThen(boundTime(sql, secondsMax), read).pipe(
        sql.withTransaction,
        Effect.catchIf(isTimeout, () => Effect.fail(tooLong())),
        all.withPermits(1),
        line.turn.withPermits(1),
        Effect.ensuring(
          Effect.sync(() => {
            line.length -= 1
            if (line.length === 0) lines.delete(organizationId)
          })
        )
      )
    })
}
