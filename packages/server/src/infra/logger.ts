import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import { SqlError } from "effect/sql/SqlError"
import { lineOf } from "./log-line.ts"
import type { ControlPlaneOptions } from "./options.ts"
import { requestIdOf } from "./origin.ts"
import type { LogEntry } from "./ports/log.ts"
import { databaseAway, isCrowded } from "./sql/unavailable.ts"
import { spanOf } from "./tracing.ts"

export const levels = { error: "Error", warn: "Warn", info: "Info", debug: "Debug" } as const

/** How often an ongoing database outage is logged, and how long the database must work before the outage ends. */
const summaryMillis = 10_000

const isAway = (error: unknown): boolean => {
  let at: unknown = error
  for (let depth = 0; depth < 10 && typeof at === "object" && at !== null; depth += 1) {
    if (at instanceof SqlError) return databaseAway(at) && !isCrowded(at)
    at = "cause" in at ? at.cause : undefined
  }
  return false
}

/** Every log line has a message. A line with only a cause uses the first line of the cause. */
const withMessage = (options: Logger.Options<unknown>): Logger.Options<unknown> => {
  const { message } = options
  const isEmpty =
    message === undefined || message === "" || (Array.isArray(message) && message.every((part) => part === ""))
  if (!isEmpty) return options
  const error: unknown = options.cause.reasons.length === 0 ? undefined : Cause.squash(options.cause)
  const text =
    error === undefined
      ? ""
      : error instanceof Error && error.message !== ""
        ? error.message
        : Inspectable.toStringUnknown(error, 0)
  return { ...options, message: [text === "" ? "(no message)" : (text.split("\n")[0] ?? text)] }
}

type Write = (options: Logger.Options<unknown>) => void

/**
 * During a database outage every request and every worker fails: the first error is logged in full, then a count every
 * few seconds, then the recovery. Returns a function that logs a line, and one that flushes the pending count.
 */
const makeSummary = (write: Write, pauseMillis: number) => {
  let away: { readonly sinceMillis: number; count: number; logged: number; last: Logger.Options<unknown> } | undefined
  let timer: NodeJS.Timeout | undefined

  const now = (options: Logger.Options<unknown>) => options.fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
  const writeText = (options: Logger.Options<unknown>, text: string) =>
    write({ ...options, message: [text], cause: Cause.empty, date: new Date(now(options)) })

  const report = () => {
    if (away === undefined) return
    const unlogged = away.count - away.logged
    if (unlogged > 0) {
      writeText(away.last, `The database is still unavailable: ${unlogged} more errors were not logged individually.`)
      away.logged = away.count
      return
    }
    const seconds = Math.max(1, Math.round((now(away.last) - pauseMillis - away.sinceMillis) / 1000))
    writeText(
      { ...away.last, logLevel: "Info" },
      `The database is available again after an outage of about ${seconds} s (${away.count} errors).`
    )
    away = undefined
    clearInterval(timer)
  }

  const log: Write = (options) => {
    if (!options.cause.reasons.some((reason) => isAway(errorOf(reason)))) return write(options)
    if (away === undefined) {
      away = { sinceMillis: now(options), count: 1, logged: 1, last: options }
      write(options)
      timer = setInterval(report, pauseMillis)
      timer.unref()
      return
    }
    away.count += 1
    away.last = options
  }

  const end = () => {
    clearInterval(timer)
    if (away !== undefined && away.count > away.logged) report()
  }
  return { log, end }
}

const errorOf = (reason: Cause.Reason<unknown>): unknown =>
  reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined

const entryLevels: Readonly<Record<string, LogEntry["level"]>> = {
  FATAL: "error",
  ERROR: "error",
  WARN: "warn",
  INFO: "info"
}

/** Objects among the parts of a message are fields. */
const isFields = (part: unknown): part is Readonly<Record<string, unknown>> =>
  Predicate.isObject(part) && !Array.isArray(part)

const entryOf = (options: Logger.Options<unknown>): LogEntry => {
  const { annotations, cause, level, message, timestamp } = Logger.formatStructured.log(options)
  const parts = Array.isArray(message) ? message : [message]
  const texts = parts.filter((part) => !isFields(part))
  const span = spanOf(options.fiber.context)
  const requestId = requestIdOf(options.fiber)
  return {
    level: entryLevels[level] ?? "debug",
    message:
      texts.map((part) => (typeof part === "string" ? part : Inspectable.toStringUnknown(part, 0))).join(" ") ||
      "(no message)",
    time: timestamp,
    ...(requestId === undefined ? {} : { requestId }),
    ...(span === undefined ? {} : { traceId: span.traceId.padStart(32, "0"), spanId: span.spanId }),
    fields: parts.filter(isFields).reduce((fields, part) => ({ ...fields, ...part }), annotations),
    ...(cause === undefined ? {} : { cause })
  }
}

const printError = (line: string) => void process.stderr.write(`${line}\n`)

/** Writes entries to an application's logger. A logger that throws or rejects affects neither requests nor the process. */
const writeTo = (logger: NonNullable<ControlPlaneOptions["logger"]>): Write => {
  let hasFailed = false
  const report = (error: unknown) => {
    if (hasFailed) return
    hasFailed = true
    printError(`orgplane: the logger option threw ${Inspectable.toStringUnknown(error, 0)}. Log entries may be lost.`)
  }
  return (options) => {
    try {
      // The type of an asynchronous function is assignable to the option's.
      const pending: unknown = logger(entryOf(withMessage(options)))
      if (Predicate.isPromiseLike(pending)) pending.then(undefined, report)
    } catch (error) {
      report(error)
    }
  }
}

const writeLines =
  (print: (line: string) => void): Write =>
  (options) =>
    print(lineOf(entryOf(withMessage(options))))

/** Logs at or above a level: to the application's logger, or as JSON lines to stderr. */
export const layerLogger = (
  level: NonNullable<ControlPlaneOptions["logLevel"]>,
  {
    pauseMillis = summaryMillis,
    print = printError,
    logger
  }: {
    readonly pauseMillis?: number
    readonly print?: (line: string) => void
    readonly logger?: ControlPlaneOptions["logger"] | undefined
  } = {}
) =>
  level === "none"
    ? Logger.layer([])
    : Layer.mergeAll(
        Logger.layer([
          Effect.map(
            Effect.acquireRelease(
              Effect.sync(() => makeSummary(logger === undefined ? writeLines(print) : writeTo(logger), pauseMillis)),
              ({ end }) => Effect.sync(end)
            ),
            ({ log }) => Logger.make(log)
          )
        ]),
        Layer.succeed(References.MinimumLogLevel, levels[level])
      )
