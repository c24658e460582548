import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { SqlError } from "effect/sql/SqlError"
import { namingOptions, SettingNames } from "../config/setting-names.ts"
import { SqlDatabase } from "./client.ts"
import { codeOf, rootOf } from "./failure-code.ts"
import { databaseAway } from "./unavailable.ts"

/** Host and port of a connection string for messages, without the user or the password. */
export const endpointOf = (url: string): string => {
  const authority = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? ""
  const hosts = authority.slice(authority.lastIndexOf("@") + 1)
  return hosts
    .split(",")
    .map((host) => (host === "" ? "localhost:5432" : /:\d+$/.test(host) ? host : `${host}:5432`))
    .join(", ")
}

/** How long startup waits for PostgreSQL by default. */
export const waitSecondsDefault = 60

const progressMillis = 5000
const pauseMillisMax = 2000

/** The server responds but is read-only: a standby, or a primary with `default_transaction_read_only`. */
export class PostgresReadOnly extends Data.TaggedError("PostgresReadOnly")<{ readonly message: string }> {}

/** Fails when the server is read-only; otherwise a migration would fail later with a misleading error. */
export const demandWritable = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const [row] = yield* sql<{ standby: boolean; readonly: boolean }>`SELECT pg_is_in_recovery() AS standby,
      current_setting('transaction_read_only')::boolean AS readonly`
    if (row?.standby !== true && row?.readonly !== true) return
    return yield* new PostgresReadOnly({
      message:
        `PostgreSQL at ${endpointOf(url)} is ${row.standby ? "a standby" : "read-only"}. ` +
        "Check ORGPLANE_DATABASE_URL: it must point to the primary."
    })
  })

const stateOf = (error: SqlError) => codeOf(rootOf(error.reason.cause))

/**
 * A read-only server may become the primary after a failover, so it is retried. A wrong password is not, and neither is
 * a protocol violation: a pooler that rejects a parameter.
 */
const mayPass = (error: unknown): boolean =>
  error instanceof PostgresReadOnly ||
  (error instanceof SqlError && stateOf(error) !== "08P01" && (databaseAway(error) || stateOf(error) === "25006"))

const reasonOf = (error: unknown): string => {
  const cause = error instanceof SqlError ? rootOf(error.reason.cause) : error
  return codeOf(cause) ?? (cause instanceof Error ? cause.message : String(cause))
}

/**
 * Tries to connect until it succeeds or times out, and logs the reason every few seconds: orchestrators start the
 * server and the database together, and a restore or a failover takes some time.
 */
export const awaitPostgres = <A, E, R>(
  connect: Effect.Effect<A, E, R>,
  { url, waitSeconds }: { readonly url: string; readonly waitSeconds: number }
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const names = yield* SettingNames
    const began = clock.currentTimeMillisUnsafe()
    const until = began + waitSeconds * 1000
    let loggedAt: number | undefined
    for (let pause = 100; ; pause = Math.min(pause * 1.5, pauseMillisMax)) {
      const outcome = yield* Effect.result(connect)
      if (outcome._tag === "Success") {
        if (loggedAt !== undefined) {
          const seconds = Math.round((clock.currentTimeMillisUnsafe() - began) / 1000)
          yield* Effect.logWarning(`PostgreSQL at ${endpointOf(url)} is available after ${seconds} s.`)
        }
        return outcome.success
      }
      const now = clock.currentTimeMillisUnsafe()
      if (!mayPass(outcome.failure) || now + pause > until) return yield* Effect.fail(outcome.failure)
      if (loggedAt === undefined || now - loggedAt >= progressMillis) {
        loggedAt = now
        const left = Math.ceil((until - now) / 1000)
        const problem =
          outcome.failure instanceof PostgresReadOnly
            ? `PostgreSQL at ${endpointOf(url)} is read-only.`
            : `Cannot connect to PostgreSQL at ${endpointOf(url)} (${reasonOf(outcome.failure)}). Check ORGPLANE_DATABASE_URL.`
        yield* Effect.logWarning(
          `${names === "options" ? namingOptions(problem) : problem} Retrying for up to ${left} s.`
        )
      }
      yield* Effect.sleep(pause)
    }
  })
