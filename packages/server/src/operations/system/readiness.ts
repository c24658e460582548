/** Whether this process can serve requests, and why not. */
import type { ReadyDetail } from "@orgplane/schema/system"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Settings } from "../../infra/config/settings.ts"
import { equalBytes, sha256Bytes } from "../../infra/crypto/digest.ts"
import { inspectCanary } from "../../infra/crypto/canary.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { Stopping } from "../../infra/http/stopping.ts"
import { MailQueue } from "../../infra/mail/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { codeOf, rootOf } from "../../infra/sql/failure-code.ts"
import { canReadQueue, canWrite, hasSpace, isPrimary } from "../../infra/sql/health.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { WorkerSupervisor } from "../../agents/workers/supervisor.ts"
import { schemaVersionNow, sealLagSeconds } from "./repo.ts"

const checkSeconds = 2
/** How long the result of a readiness check is cached. */
const readyMillis = 1000

/** The age of an unsealed audit event above which sealing has failed; the alert `OrgplaneAuditNotSealed` uses the same. */
const sealLagSecondsMax = 300

interface Outcome {
  readonly status: "ok" | "failed"
  readonly durationMs: number
  readonly message: string
}

/** The messages of a check, for operators. */
interface Texts {
  readonly ok: string
  /** The check completed, and found a failure. */
  readonly bad: string
}

const reasonOf = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error && error._tag === "TimeoutError") {
    return `No response within ${checkSeconds} seconds.`
  }
  const cause = typeof error === "object" && error !== null && "reason" in error ? rootOf(error.reason) : rootOf(error)
  return `The check failed (${codeOf(cause) ?? (cause instanceof Error ? cause.message : "unknown error")}).`
}

const timed = <E, R>(check: Effect.Effect<Pick<Outcome, "status" | "message">, E, R>) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const outcome = yield* check.pipe(
      Effect.timeout(`${checkSeconds} seconds`),
      Effect.catch((error) => Effect.succeed({ status: "failed" as const, message: reasonOf(error) }))
    )
    return { ...outcome, durationMs: (yield* Clock.currentTimeMillis) - began } satisfies Outcome
  })

const resultOf = (isGood: boolean, { bad, ok }: Texts) =>
  isGood ? { status: "ok" as const, message: ok } : { status: "failed" as const, message: bad }

const holds = <E>(check: Effect.Effect<boolean, E>, texts: Texts) =>
  timed(Effect.map(check, (isGood) => resultOf(isGood, texts)))

const isOk = (message: string) => ({ status: "ok" as const, message })
const hasFailed = (message: string) => ({ status: "failed" as const, message })

const mailStates = {
  none: isOk("No email was sent since the start of this process."),
  sent: isOk("The last email was sent."),
  // The mail server rejected the address or the text of one email. Other emails can succeed.
  invalid: isOk("The last email could not be sent, because it is not valid."),
  refused: hasFailed("The mail server rejected the last email. The log has the reason."),
  unreachable: hasFailed("The mail server was unreachable for the last email. Check ORGPLANE_SMTP_URL."),
  not_configured: hasFailed("No mail server is configured. Set ORGPLANE_SMTP_URL."),
  unexpected: hasFailed("The mailer failed unexpectedly. The log has the reason.")
} as const

const supervisorStates = {
  unconfigured: isOk("Cloud workers are not configured."),
  idle: isOk("This process has not started or stopped runtimes yet."),
  ok: isOk("The last pass over the runtimes succeeded."),
  failed: hasFailed("The last pass over the runtimes failed. The log has the cause.")
} as const

export const makeReadiness = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const settings = yield* Settings
  const stopping = yield* Stopping
  const scope = yield* Effect.scope
  const mail = yield* MailQueue
  const supervisor = yield* WorkerSupervisor
  const keys = yield* KeyRing
  const startedAt = yield* Clock.currentTimeMillis
  const { disk, metricsToken } = settings
  const expected = metricsToken === null ? undefined : sha256Bytes(`Bearer ${metricsToken}`)

  const check = Effect.gen(function* () {
    const outcomes = yield* Effect.all(
      {
        database: holds(isPrimary(sql), {
          ok: "The database responds, and is the primary.",
          bad: "The database is a standby."
        }),
        queue: holds(canReadQueue(sql), { ok: "The queue can be read.", bad: "" }),
        writes: holds(canWrite(sql), {
          ok: "A read-write transaction can begin.",
          bad: "The database does not accept changes."
        }),
        disk:
          disk === null
            ? Effect.undefined
            : holds(hasSpace(disk.directory, disk.bytesMin), {
                ok: `At least ${Math.round(disk.bytesMin / 1_048_576)} MiB are free.`,
                bad: `Less than ${Math.round(disk.bytesMin / 1_048_576)} MiB are free. Free disk space.`
              })
      },
      { concurrency: "unbounded" }
    )
    return { at: yield* Clock.currentTimeMillis, outcomes }
  })

  const canaryState = inspectCanary.pipe(Effect.provideService(SqlDatabase, sql), Effect.provideService(KeyRing, keys))

  /** Components without which requests can still be served. Only operators see them. */
  const checkComponents = Effect.gen(function* () {
    const outcomes = yield* Effect.all(
      {
        schema: timed(
          Effect.map(schemaVersionNow(sql), (version) =>
            resultOf(version === settings.schemaVersion, {
              ok: `Version ${version}, for orgplane ${settings.version}.`,
              bad: `The database has schema version ${version}. This process runs orgplane ${settings.version}, which uses version ${settings.schemaVersion}. Finish or roll back the upgrade.`
            })
          )
        ),
        keys: timed(
          Effect.map(canaryState, (canary) =>
            resultOf(canary !== "undecryptable", {
              ok: "The secret keys decrypt the secrets in the database.",
              bad: "The secret keys cannot decrypt the secrets in the database. Set ORGPLANE_SECRET_KEYS to the keys used before."
            })
          )
        ),
        audit: timed(
          Effect.map(sealLagSeconds(sql), (lag) =>
            resultOf(lag <= sealLagSecondsMax, {
              ok: "Audit events are sealed in time.",
              bad: `The oldest audit event has waited for ${Math.round(lag)} seconds to be sealed.`
            })
          )
        ),
        mail: timed(Effect.sync(() => mailStates[mail.lastOutcome() ?? "none"])),
        workers: timed(Effect.sync(() => supervisorStates[supervisor.lastPass()]))
      },
      { concurrency: "unbounded" }
    )
    return { at: yield* Clock.currentTimeMillis, outcomes }
  })

  /** Runs a check at most once per `readyMillis`, for all callers together. */
  const shared = <A extends { readonly at: number }>(work: Effect.Effect<A>): Effect.Effect<A> => {
    let last: { readonly at: number; readonly fiber: Fiber.Fiber<A> } | undefined
    return Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      if (last === undefined || at - last.at >= readyMillis) last = { at, fiber: yield* Effect.forkIn(work, scope) }
      return yield* Fiber.join(last.fiber)
    })
  }
  const sharedCheck = shared(check)
  const sharedComponents = shared(checkComponents)

  /** The time since which each check has its current status. */
  const since = new Map<string, { readonly status: string; readonly at: number }>()
  const sinceOf = (name: string, status: string, at: number) => {
    const before = since.get(name)
    if (before?.status === status) return before.at
    since.set(name, { status, at })
    return at
  }
  const rowsOf = <N extends ReadyDetail["check"]>(
    at: number,
    names: ReadonlyArray<N>,
    outcomes: Readonly<Record<N, Outcome | undefined>>
  ) =>
    names.flatMap((name): ReadonlyArray<ReadyDetail> => {
      const outcome = outcomes[name]
      if (outcome === undefined) return []
      return [{ check: name, ...outcome, since: iso(new Date(sinceOf(name, outcome.status, at))) }]
    })

  const shutdownOf = (at: number): ReadyDetail => {
    const status = stopping.requested ? "failed" : "ok"
    return {
      check: "shutdown",
      status,
      since: iso(new Date(status === "ok" ? startedAt : sinceOf("shutdown", status, at))),
      durationMs: null,
      message:
        status === "ok" ? "No shutdown was requested." : "The server is shutting down, and completes its open requests."
    }
  }

  /**
   * Anyone can call this, and each check writes to the transaction pool, so one check per second serves all callers.
   */
  return (authorization: string | undefined) =>
    Effect.gen(function* () {
      const result = yield* sharedCheck
      const { database, disk: space, queue, writes } = result.outcomes
      const checks = {
        database: database.status,
        queue: queue.status,
        writes: writes.status,
        ...(space === undefined ? {} : { disk: space.status })
      }
      // Also without an operator's request, so that `since` is correct when an operator requests the details.
      const own = rowsOf(result.at, ["database", "queue", "writes", "disk"], result.outcomes)
      const isReady = Object.values(checks).every((one) => one === "ok") && !stopping.requested
      const isOperator = expected !== undefined && equalBytes(sha256Bytes(authorization ?? ""), expected)
      const components = isOperator ? yield* sharedComponents : undefined
      const details =
        components === undefined
          ? undefined
          : [
              ...own,
              ...rowsOf(components.at, ["schema", "keys", "audit", "mail", "workers"], components.outcomes),
              shutdownOf(result.at)
            ]
      return {
        status: isReady ? ("ready" as const) : ("not_ready" as const),
        checks,
        ...(details === undefined ? {} : { details })
      }
    })
})
