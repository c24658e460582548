/** Failures as an error message, as JSON and as an exit code. */
import { exit, type ExitCode, exitCodeOf } from "./exit-code.ts"
import { isObject, member, textAt } from "./output/value.ts"
import { json } from "./output/render.ts"
import type { TextStyle } from "./output/access-explanation.ts"
import { escapeControls, escapeLines } from "./output/escape.ts"
import { problemLine } from "./output/document-path.ts"
import { diagnostic, inspection } from "./output/http-exchange.ts"

/** A failure that the CLI detects, with the message for the user. */
export class Failure extends Error {
  override readonly name = "Failure"
  readonly exitCode: ExitCode
  /** Several problems, each with its message and location. */
  readonly details: ReadonlyArray<unknown> | undefined
  constructor(exitCode: ExitCode, message: string, details?: ReadonlyArray<unknown>) {
    super(message)
    this.exitCode = exitCode
    this.details = details
  }
}

export const usage = (message: string): Failure => new Failure(exit.usage, message)

/** The command was interrupted, for example with Ctrl+C. */
export class Interrupted extends Error {
  override readonly name = "Interrupted"
}

export interface FailureReport {
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

const defaultMessages: Readonly<Record<string, string>> = {
  invalid_request: "The request is invalid.",
  organization_not_found:
    "No organization is selected, or you are not a member of the selected one. Select an organization with --organization."
}

/** The client reads from the response whether the server received a credential. */
const unauthorized = (thrown: unknown): string => {
  const credential = textAt(thrown, "credential")
  if (credential === "missing") return "Not signed in: no credential was sent. Run 'orgplane login'."
  if (credential === undefined) return "Not signed in, or the credential is not valid. Run 'orgplane login'."
  const hint = /^The credential is not valid\. (.+)$/.exec(textAt(thrown, "message") ?? "")?.[1]
  return hint === undefined
    ? "The credential is not valid: it is unknown, has expired or was revoked. Run 'orgplane login'."
    : `The credential is not valid. ${hint}`
}

/** Converts anything that was thrown to a report. Errors with a status are responses of the server. */
export const describeFailure = (thrown: unknown): FailureReport => {
  if (thrown instanceof Failure) {
    return {
      exitCode: thrown.exitCode,
      error: thrown.exitCode === exit.usage ? "usage" : "failed",
      message: thrown.message,
      ...(thrown.details === undefined ? {} : { details: thrown.details })
    }
  }
  const status = member(thrown, "status")
  if (typeof status === "number") return describeResponse(status, thrown)
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return isNetwork(thrown)
    ? {
        exitCode: exit.network,
        error: "network",
        message: `Cannot reach the server: ${causeOf(thrown).replace(/\.$/, "")}. Check the server URL and your network connection.`
      }
    : { exitCode: exit.failure, error: "failed", message }
}

const objectMember = (body: unknown, name: "diagnostic" | "inspection") => {
  const value = member(body, name)
  return isObject(value) ? { [name]: value } : {}
}

const describeResponse = (status: number, thrown: unknown): FailureReport => {
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
      (error === "unauthorized" ? unauthorized(thrown) : defaultMessages[error]) ??
      textAt(thrown, "message") ??
      `The server responded with HTTP ${status}.`,
    status,
    ...(requestId === undefined ? {} : { requestId }),
    ...(reason === undefined ? {} : { reason }),
    ...(Array.isArray(details) ? { details } : {}),
    ...objectMember(body, "diagnostic"),
    ...objectMember(body, "inspection")
  }
}

/** The innermost message: `fetch` only reports "fetch failed" and nests the real cause. */
const causeOf = (thrown: unknown): string => {
  let error: unknown = thrown
  let message = thrown instanceof Error ? thrown.message : String(thrown)
  for (let depth = 0; depth < 4 && error instanceof Error; depth++) {
    const nested: unknown = error instanceof AggregateError ? error.errors[0] : error.cause
    if (nested instanceof Error && nested.message !== "") message = nested.message
    error = nested
  }
  return message
}

const isNetwork = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (/network|connection|timeout/i.test(thrown.name) ||
    (thrown instanceof TypeError && /fetch failed/.test(thrown.message)))

const detailLine = (detail: unknown): string => {
  const path = member(detail, "path")
  const location = textAt(detail, "location")
  if (location !== undefined) return `  ${problemLine(detail, location)}`
  const parts = Array.isArray(path) ? path.map(String) : []
  // A domain is not a request member. It is the subject of the message.
  const where = (parts[0] === "domains" ? parts.slice(1) : parts).join(".")
  return `  ${escapeControls(where === "" ? "" : `${where}: `)}${escapeControls(textAt(detail, "message") ?? "")}`
}

const plainStyle: TextStyle = { unicode: false, colors: false }

export const renderFailure = (report: FailureReport, asJson: boolean, style: TextStyle = plainStyle): string => {
  if (asJson) {
    const { exitCode: _, ...rest } = report
    return json(rest, false)
  }
  const reference = [
    report.status === undefined ? undefined : (report.reason ?? report.error),
    report.requestId && `request ${report.requestId}`
  ]
    .filter((part) => part !== undefined && part !== "")
    .join(", ")
  return [
    ...(report.inspection === undefined ? [] : [inspection(report.inspection, style), ""]),
    `orgplane: ${escapeLines(report.message)}${reference === "" ? "" : ` (${escapeControls(reference)})`}`,
    ...(report.details ?? []).map(detailLine),
    ...(report.diagnostic === undefined ? [] : diagnostic(report.diagnostic, style, report.message))
  ].join("\n")
}
