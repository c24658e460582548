import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { ScimFault } from "../../infra/scim/language/index.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { boundTime } from "./users-repo.ts"

/** Per process, over all organizations. The remaining connections are for other work. */
const atOnce = 3
/** Per organization: running and waiting. */
const waitingMax = 16
const secondsMax = 5

const tooLong = () =>
  new ScimFault({
    status: 400,
    scimType: "tooMany",
    detail: `The list request took more than ${secondsMax} seconds. Filter only by userName, displayName, externalId or id.`
  })

const tooManyAtOnce = () =>
  new ScimFault({
    status: 429,
    detail: "Too many concurrent unindexed list requests. Send them one at a time."
  })

const isTimeout = (error: unknown): error is SqlError =>
  isSqlError(error) && error.reason._tag === "StatementTimeoutError"

interface Line {
  readonly turn: Semaphore.Semaphore
  length: number
}

/**
 * Lists that read every row. Statements outside a transaction share a few connections, on which a slow statement delays
 * all others. Therefore each of these lists gets its own connection and a time limit, and an organization's lists run
 * one after another.
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
