/** The checks of the doctor that read the database. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { lockSeconds } from "../../infra/jobs/index.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { quantity } from "../../infra/quantity.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { databaseState, newerSchemaFix, schemaFault, schemaVersion } from "../../infra/sql/database.ts"
import { endpointOf } from "../../infra/sql/await-postgres.ts"
import { finding, type Finding, type Status } from "../report.ts"
import { retentionState } from "../housekeeping/state-repo.ts"
import { checkKeys } from "./keys.ts"
import * as repo from "./repo.ts"

/** `12 s`, `5 min`, `3 h` or `2 d`. */
const duration = (seconds: number): string => {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

/** Above the first value, a wait is a warning; above the second, a failure. */
const waitSecondsMax = { warning: 300, failed: 3600 }
const waitStatus = (seconds: number): Status =>
  seconds > waitSecondsMax.failed ? "failed" : seconds > waitSecondsMax.warning ? "warning" : "ok"

const startFix = "Start a server that runs background work (workers is not false)."

const checkSchema = ({ database }: ControlPlaneOptions, state: Effect.Success<typeof databaseState>): Finding => {
  const { pending, schema } = state
  const { version } = schema
  const fault = schemaFault(schema, "The schema version is")
  if (fault !== undefined) return finding("schema", "failed", fault, newerSchemaFix)
  if (version > schemaVersion) {
    return finding(
      "schema",
      "warning",
      `The schema version is ${version}. It is newer than that of this release (${schemaVersion}), and compatible with it.`,
      "Complete the upgrade: replace all processes of this release."
    )
  }
  if (pending.length === 0) return finding("schema", "ok", `The schema version is ${version}. No migration is pending.`)
  const mustMigrate = database.kind === "postgres" && database.migrations === "check"
  return finding(
    "schema",
    mustMigrate ? "failed" : "warning",
    `The schema version is ${version}, but this release requires ${schemaVersion}: ${quantity(pending.length, "migration")} pending, from ${pending[0]} to ${pending.at(-1)}.`,
    mustMigrate ? "Run orgplane-server migrate." : "Run orgplane-server migrate, or start the server."
  )
}

/** Sessions, codes and the tokens for code hosts depend on the time. */
const clockMillisMax = { warning: 2000, failed: 30_000 }

const checkClock = Effect.fnUntraced(function* (sql: Sql) {
  const before = yield* Clock.currentTimeMillis
  const database = yield* repo.databaseMillis(sql)
  const after = yield* Clock.currentTimeMillis
  const apart = Math.round(database - (before + after) / 2)
  const offset = Math.max(0, Math.abs(apart) - (after - before) / 2)
  const message = `The clock of the database is ${Math.abs(apart)} ms ${apart < 0 ? "behind" : "ahead of"} the clock of this machine.`
  if (offset <= clockMillisMax.warning) return finding("clock", "ok", message)
  return finding(
    "clock",
    offset > clockMillisMax.failed ? "failed" : "warning",
    message,
    "Synchronize both clocks, for example with chrony or systemd-timesyncd."
  )
})

/** A wait for a lock that is longer than most transactions. */
const blockedSeconds = 10

const checkLocks = Effect.fnUntraced(function* (sql: Sql) {
  const { blockers, seconds, sessions } = yield* repo.findBlocked(sql, blockedSeconds)
  if (sessions === 0) return finding("locks", "ok", `No session waits longer than ${blockedSeconds} s for a lock.`)
  const [first] = blockers
  return finding(
    "locks",
    "warning",
    `${quantity(sessions, "session")} of the database ${sessions === 1 ? "waits" : "wait"} for a lock, the longest for ${duration(seconds)}. Blocked by process ${blockers.join(", ")} of PostgreSQL.`,
    first === undefined
      ? undefined
      : `Find out what it does in pg_stat_activity. To end it, run: SELECT pg_terminate_backend(${first})`
  )
})

const checkQueue = Effect.fnUntraced(function* (sql: Sql) {
  const queues = yield* repo.queueStates(sql, 2 * lockSeconds)
  if (queues.length === 0) return [finding("queue", "ok", "The queue is empty.")]
  return queues.flatMap((queue) => {
    const status = waitStatus(queue.seconds)
    const oldest = queue.waiting === 0 ? "" : `, the oldest for ${duration(queue.seconds)}`
    return [
      finding(
        "queue",
        status,
        `${queue.name}: ${queue.waiting} due${oldest}, ${queue.running} running, ${queue.delayed} scheduled for later.`,
        status === "ok" ? undefined : startFix
      ),
      ...(queue.failed === 0
        ? []
        : [
            finding(
              "queue",
              "warning",
              `${queue.name}: ${quantity(queue.failed, "job")} failed within the last 30 days.`,
              "Read the server's log for the reasons. The rows are deleted after 30 days."
            )
          ])
    ]
  })
})

const checkInbox = Effect.fnUntraced(function* (sql: Sql) {
  const { attempts, seconds, waiting } = yield* repo.inboxState(sql)
  if (waiting === 0) return finding("webhooks", "ok", "No webhook waits to be processed.")
  const status = waitStatus(seconds)
  return finding(
    "webhooks",
    status,
    `${quantity(waiting, "webhook")} ${waiting === 1 ? "waits" : "wait"}, the longest for ${duration(Math.max(0, seconds))}, after at most ${quantity(attempts, "attempt")}.`,
    status === "ok" ? undefined : startFix
  )
})

const checkOrphans = Effect.fnUntraced(function* (sql: Sql) {
  const queues = yield* repo.queueStates(sql, 2 * lockSeconds)
  const abandoned = queues.reduce((sum, queue) => sum + queue.abandoned, 0)
  const lost = yield* repo.countLostSyncs(sql)
  const { branches, consumers, runtimes } = yield* repo.countExpiredLeases(sql, 2 * lockSeconds)
  const expired = [
    [abandoned, "job"],
    [branches, "branch lease"],
    [runtimes, "worker runtime lease"],
    [consumers, "change consumer lease"]
  ] as const
  const listed = expired.filter(([count]) => count > 0).map(([count, noun]) => quantity(count, noun))
  const findings = [
    ...(listed.length === 0
      ? []
      : [
          finding(
            "orphaned work",
            "warning",
            `Held by processes that have stopped: ${listed.join(", ")}.`,
            "The next server takes it over within a minute of its start. Start a server that runs background work."
          )
        ]),
    ...(lost === 0
      ? []
      : [
          finding(
            "orphaned work",
            "failed",
            `${quantity(lost, "sync")} will not run, because the queue has no job for ${lost === 1 ? "it" : "them"}.`,
            "Start a sync of the branch again: orgplane connectors sync."
          )
        ])
  ]
  return findings.length > 0 ? findings : [finding("orphaned work", "ok", "No work is orphaned.")]
})

/** The daily check runs after the hourly deletion. */
const checkHoursMax = 50

const checkRetention = Effect.fnUntraced(function* (sql: Sql) {
  const { ageSeconds, isChecked, tables } = yield* retentionState(sql)
  if (tables.length > 0) {
    const listed = tables.slice(0, 5).map(({ rows, table }) => `${table} (${rows})`)
    const more = tables.length > listed.length ? ` and ${tables.length - listed.length} more` : ""
    return finding(
      "retention",
      "warning",
      `Tables had rows past their retention ${duration(ageSeconds)} ago: ${listed.join(", ")}${more}.`,
      'Search the server\'s log for "Housekeeping failed". Start a server that runs background work.'
    )
  }
  if (ageSeconds > checkHoursMax * 3600) {
    return finding(
      "retention",
      "warning",
      isChecked
        ? `The retention of the tables was last checked ${duration(ageSeconds)} ago.`
        : `The retention of the tables has not been checked since the upgrade ${duration(ageSeconds)} ago.`,
      "Start a server that runs background work."
    )
  }
  return isChecked
    ? finding("retention", "ok", `No table has rows past its retention, as of ${duration(ageSeconds)} ago.`)
    : finding("retention", "ok", "The retention of the tables is checked within a minute of the next start.")
})

/** The checks of an open database. */
export const checkDatabase = Effect.fnUntraced(function* (options: ControlPlaneOptions) {
  const sql = yield* SqlDatabase
  const { database } = options
  const state = yield* databaseState
  const server =
    database.kind === "postgres"
      ? [
          state.isWritable
            ? finding("database", "ok", `PostgreSQL ${state.server} at ${endpointOf(database.url)}.`)
            : finding(
                "database",
                "failed",
                `PostgreSQL ${state.server} at ${endpointOf(database.url)} is a standby or read-only.`,
                "Set ORGPLANE_DATABASE_URL to the primary."
              ),
          yield* checkClock(sql),
          yield* checkLocks(sql)
        ]
      : [
          finding("database", "ok", `The embedded database is PostgreSQL ${state.server}.`),
          finding("clock", "ok", "The embedded database uses the clock of this machine.")
        ]
  const schema = checkSchema(options, state)
  if (schema.status !== "ok") {
    const rest = ["keys", "queue", "webhooks", "orphaned work", "retention"]
    return [
      ...server,
      schema,
      ...rest.map((check) => finding(check, "skipped", "The schema version does not match this release."))
    ]
  }
  return [
    ...server,
    schema,
    ...(yield* checkKeys(options, sql)),
    ...(yield* checkQueue(sql)),
    yield* checkInbox(sql),
    ...(yield* checkOrphans(sql)),
    yield* checkRetention(sql)
  ]
})
