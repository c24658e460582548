/** Whether this process can serve requests, and why not. */
import type { ReadyDetail } from "@orgplane/schema/system"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Settings } from "../../infra/config/settings.ts"
import { equalBytes, sha256Bytes } from "../../infra/crypto/digest.ts"
import { Stopping } from "../../infra/http/stopping.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { codeOf, rootOf } from "../../infra/sql/failure-code.ts"
import { canReadQueue, canWrite, hasSpace, isPrimary } from "../../infra/sql/health.ts"
import { iso } from "../../infra/sql/timestamps.ts"

const checkSeconds = 2
/** How long the result of a readiness check is cached. */
const readyMillis = 1000

interface Outcome {
  readonly status: "ok" | "failed"
  readonly durationMs: number
  readonly message: string
}

/** The texts of a check, for operators. */
interface Texts {
  readonly ok: string
  /** The check completed, and its result is bad. */
  readonly bad: string
}

const reasonOf = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error && error._tag === "TimeoutError") {
    return `No response within ${checkSeconds} seconds.`
  }
  const cause = typeof error === "object" && error !== null && "reason" in error ? rootOf(error.reason) : rootOf(error)
  return `The check failed (${codeOf(cause) ?? (cause instanceof Error ? cause.message : "unknown error")}).`
}

const holds = <E>(check: Effect.Effect<boolean, E>, { bad, ok }: Texts) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const outcome = yield* check.pipe(
      Effect.timeout(`${checkSeconds} seconds`),
      Effect.match({
        onSuccess: (isGood) => ({ status: isGood ? ("ok" as const) : ("failed" as const), message: isGood ? ok : bad }),
        onFailure: (error) => ({ status: "failed" as const, message: reasonOf(error) })
      })
    )
    return { ...outcome, durationMs: (yield* Clock.currentTimeMillis) - began } satisfies Outcome
  })

export const makeReadiness = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const settings = yield* Settings
  const stopping = yield* Stopping
  const scope = yield* Effect.scope
  const startedAt = yield* Clock.currentTimeMillis
  const { disk, metricsToken } = settings
  const expected = metricsToken === null ? undefined : sha256Bytes(`Bearer ${metricsToken}`)

  const check = Effect.gen(function* () {
    const outcomes = yield* Effect.all(
      {
        database: holds(isPrimary(sql), { ok: "Responds, and is the primary.", bad: "Is a standby." }),
        queue: holds(canReadQueue(sql), { ok: "Can be read.", bad: "" }),
        writes: holds(canWrite(sql), {
          ok: "A read-write transaction can begin.",
          bad: "The database accepts no changes."
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

  let last: { readonly at: number; readonly fiber: Fiber.Fiber<Effect.Success<typeof check>> } | undefined
  /** When each check got its present status. */
  const since = new Map<string, { readonly status: string; readonly at: number }>()
  const sinceOf = (name: string, status: string, at: number) => {
    const before = since.get(name)
    if (before?.status === status) return before.at
    since.set(name, { status, at })
    return at
  }

  const detailsOf = ({ at, outcomes }: Effect.Success<typeof check>): ReadonlyArray<ReadyDetail> => {
    const own = (["database", "queue", "writes", "disk"] as const).flatMap((name): ReadonlyArray<ReadyDetail> => {
      const outcome = outcomes[name]
      if (outcome === undefined) return []
      return [{ check: name, ...outcome, since: iso(new Date(sinceOf(name, outcome.status, at))) }]
    })
    const shutdown = stopping.requested ? "failed" : "ok"
    return [
      ...own,
      {
        check: "schema",
        status: "ok",
        since: iso(new Date(startedAt)),
        durationMs: null,
        message: `Version ${settings.schemaVersion} at the start of this process, which runs orgplane ${settings.version}.`
      },
      {
        check: "shutdown",
        status: shutdown,
        since: iso(new Date(shutdown === "ok" ? startedAt : sinceOf("shutdown", shutdown, at))),
        durationMs: null,
        message:
          shutdown === "ok" ? "No shutdown was requested." : "The server shuts down, and completes its open requests."
      }
    ]
  }

  /**
   * Anyone can call this, and each check writes to the transaction pool, so one check per second serves all callers.
   */
  return (authorization: string | undefined) =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      if (last === undefined || at - last.at >= readyMillis) last = { at, fiber: yield* Effect.forkIn(check, scope) }
      const result = yield* Fiber.join(last.fiber)
      const { database, disk: space, queue, writes } = result.outcomes
      const checks = {
        database: database.status,
        queue: queue.status,
        writes: writes.status,
        ...(space === undefined ? {} : { disk: space.status })
      }
      // Also without an operator's request, so that `since` is known when one comes.
      const details = detailsOf(result)
      const isReady = Object.values(checks).every((one) => one === "ok") && !stopping.requested
      const isOperator = expected !== undefined && equalBytes(sha256Bytes(authorization ?? ""), expected)
      return {
        status: isReady ? ("ready" as const) : ("not_ready" as const),
        checks,
        ...(isOperator ? { details } : {})
      }
    })
})
