import type { PgClient } from "@effect/sql-pg"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { SqlError } from "effect/sql/SqlError"
import { databaseAway } from "./unavailable.ts"

/**
 * When its connection is closed, a transaction cannot send ROLLBACK, and the client reports that as a defect. The
 * server has rolled the transaction back, so only the original failure is reported, or the lost connection if there is
 * none.
 */
const withoutLostRollbacks = <E>(cause: Cause.Cause<E>): Cause.Cause<E | SqlError> => {
  const lost = cause.reasons
    .filter(Cause.isDieReason)
    .flatMap(({ defect }) => (defect instanceof SqlError && databaseAway(defect) ? [defect] : []))
  const first = lost[0]
  if (first === undefined) return cause
  const others = cause.reasons.filter(
    (reason) => !(Cause.isDieReason(reason) && lost.some((defect) => defect === reason.defect))
  )
  return others.length > 0 ? Cause.fromReasons(others) : Cause.fail(first)
}

/** A client whose transactions fail with an error instead of a defect if their connection is closed. */
export const withLostRollbacks = (client: PgClient.PgClient): PgClient.PgClient => {
  const { withTransaction } = client
  return Object.assign(client, {
    withTransaction: <R, E, A>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
      Effect.catchCause(withTransaction(effect), (cause) => Effect.failCause(withoutLostRollbacks(cause)))
  })
}
