/** Failures as an error message, as JSON and as an exit code. */
import { isObject, member, textAt } from "./output/cell.ts"
import { json } from "./output/answer.ts"
import type { Pen } from "./output/chain.ts"
import { harmless, harmlessLines } from "./output/harmless.ts"
import { diagnostic, inspection } from "./output/inspection.ts"

export const exit = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  notSignedIn: 4,
  conflict: 5,
  refused: 6,
  rateLimited: 7,
  network: 8,
  interrupted: 130
} as const
export type ExitCode = (typeof exit)[keyof typeof exit]

/** A failure that the CLI detects, with the message for the user. */
export class Failure extends Error {
  override readonly name = "Failure"
  readonly exitCode: ExitCode
  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

export const usage = (message: string): Failure => new Failure(exit.usage, message)

/** The command was interrupted, for example with Ctrl+C. */
export class Interrupted extends Error {
  override readonly name = "Interrupted"
}

export const exitCodeOf = (status: number): ExitCode => {
  switch (status) {
    case 401:
      return exit.notSignedIn
    case 402:
    case 403:
      return exit.refused
    case 404:
      return exit.notFound
    case 409:
    case 412:
      return exit.conflict
    case 429:
      return exit.rateLimited
    default:
      return status >= 200 && status < 300 ? exit.ok : exit.failure
  }
}

export interface Told {
  readonly exitCode: ExitCode
  readonly error: string
  readonly message: string
  readonly status?: number
  readonly requestId?: string
  readonly reason?: string
  readonly details?: ReadonlyArray<unknown>
  /** Diagnosis of a failure at an MCP server. */
  readonly diagnostic?: unknown
  /** The HTTP exchange with that server. */
  readonly inspection?: unknown
}

const known: Readonly<Record<string, string>> = {
  unauthorized: "Not signed in, or the credential has expired or was revoked. Run 'orgplane login'.",
  invalid_request: "The request is invalid.",
  organization_not_found: "No organization is selected, or you are not a member of it. Select one with --organization."
}

/** Converts anything that was thrown to a report. Errors with a status are responses of the server. */
export const tell = (thrown: unknown): Told => {
  if (thrown instanceof Failure) {
    return {
      exitCode: thrown.exitCode,
      error: thrown.exitCode === exit.usage ? "usage" : "failed",
      message: thrown.message
    }
  }
  const status = member(thrown, "status")
  if (typeof status === "number") return tellAnswer(status, thrown)
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return isNetwork(thrown)
    ? { exitCode: exit.network, error: "network", message: `Cannot reach the server: ${causeOf(thrown)}` }
    : { exitCode: exit.failure, error: "failed", message }
}

const present = (body: unknown, name: "diagnostic" | "inspection") => {
  const found = member(body, name)
  return isObject(found) ? { [name]: found } : {}
}

const tellAnswer = (status: number, thrown: unknown): Told => {
  const body = member(thrown, "body")
  const requestId = textAt(thrown, "requestId")
  const reason = textAt(body, "reason")
  const details = member(body, "details")
  const error = textAt(thrown, "code") ?? `http_${status}`
  return {
    exitCode: exitCodeOf(status),
    error,
    message:
      textAt(body, "message") ??
      known[error] ??
      textAt(thrown, "message") ??
      `The server responded with HTTP ${status}.`,
    status,
    ...(requestId === undefined ? {} : { requestId }),
    ...(reason === undefined ? {} : { reason }),
    ...(Array.isArray(details) ? { details } : {}),
    ...present(body, "diagnostic"),
    ...present(body, "inspection")
  }
}

/** The innermost message: `fetch` only reports "fetch failed" and nests the real cause. */
const causeOf = (thrown: unknown): string => {
  let at: unknown = thrown
  let said = thrown instanceof Error ? thrown.message : String(thrown)
  for (let depth = 0; depth < 4 && at instanceof Error; depth++) {
    const nested: unknown = at instanceof AggregateError ? at.errors[0] : at.cause
    if (nested instanceof Error && nested.message !== "") said = nested.message
    at = nested
  }
  return said
}

const isNetwork = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (/network|connection|timeout/i.test(thrown.name) ||
    (thrown instanceof TypeError && /fetch failed/.test(thrown.message)))

const detailLine = (detail: unknown): string => {
  const path = member(detail, "path")
  const parts = Array.isArray(path) ? path.map(String) : []
  // A domain is not a request member. It is the subject of the message.
  const where = (parts[0] === "domains" ? parts.slice(1) : parts).join(".")
  return `  ${harmless(where === "" ? "" : `${where}: `)}${harmless(textAt(detail, "message") ?? "")}`
}

const plainPen: Pen = { unicode: false, colors: false }

export const renderFailure = (told: Told, asJson: boolean, pen: Pen = plainPen): string => {
  if (asJson) {
    const { exitCode: _, ...rest } = told
    return json(rest, false)
  }
  const reference = [
    told.status === undefined ? undefined : (told.reason ?? told.error),
    told.requestId && `request ${told.requestId}`
  ]
    .filter((part) => part !== undefined && part !== "")
    .join(", ")
  return [
    ...(told.inspection === undefined ? [] : [inspection(told.inspection, pen), ""]),
    `orgplane: ${harmlessLines(told.message)}${reference === "" ? "" : ` (${harmless(reference)})`}`,
    ...(told.details ?? []).map(detailLine),
    ...(told.diagnostic === undefined ? [] : diagnostic(told.diagnostic, pen, told.message))
  ].join("\n")
}
