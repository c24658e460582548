import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { bounds } from "@orgplane/schema/telemetry"
import { Settings } from "../../infra/config/settings.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { beginningOf, dropBefore, ensure, events, ledger } from "./partitions-repo.ts"

const dayMillis = 86_400_000

/** Makes, once, the partitions of the time that comes next, and drops those that are past their time. */
export const keepPartitionsOnce = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const { telemetry } = yield* Settings
  const now = yield* Clock.currentTimeMillis
  yield* ensure(sql, events, now, beginningOf(events, now, 1))
  yield* ensure(sql, ledger, now, beginningOf(ledger, now, 2))
  // Of a month or day whose last moment is past as well: until then answers leave out what is too old.
  yield* dropBefore(sql, events, now - telemetry.retentionDays * dayMillis)
  yield* dropBefore(sql, ledger, now - bounds.ledgerDays * dayMillis)
})

/** Once an hour, beginning a minute after the start. */
export const keepPartitions = keepPartitionsOnce.pipe(
  Effect.catchCause((cause) =>
    Effect.logWarning("The partitions of telemetry were not kept; it is tried again in an hour.", cause)
  ),
  Effect.repeat(Schedule.spaced("1 hour")),
  Effect.delay("1 minute")
)
