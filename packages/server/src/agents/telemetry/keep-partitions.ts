import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { bounds } from "@orgplane/schema/telemetry"
import { Settings } from "../../infra/config/settings.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { startOf, dropBefore, ensure, events, ledger } from "./partitions-repo.ts"

const dayMillis = 86_400_000

/** Creates the partitions of the coming period and drops expired ones, once. */
export const keepPartitionsOnce = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { telemetry } = yield* Settings
  const now = yield* Clock.currentTimeMillis
  yield* ensure(sql, events, now, startOf(events, now, 1))
  yield* ensure(sql, ledger, now, startOf(ledger, now, 2))
  // A partition is dropped when all of it has expired; until then queries exclude expired rows.
  yield* dropBefore(sql, events, now - telemetry.retentionDays * dayMillis)
  yield* dropBefore(sql, ledger, now - bounds.ledgerDays * dayMillis)
})

/** Runs once an hour, starting one minute after startup. */
export const keepPartitions = keepPartitionsOnce.pipe(
  Effect.catchCause((cause) =>
    Effect.logWarning("Cannot maintain the telemetry partitions. Retrying in an hour.", cause)
  ),
  Effect.repeat(Schedule.spaced("1 hour")),
  Effect.delay("1 minute")
)
