import {
  AuthenticationError,
  AuthorizationError,
  ConnectionError,
  ConstraintError,
  DeadlockError,
  LockTimeoutError,
  SerializationError,
  SqlError,
  type SqlErrorReason,
  SqlSyntaxError,
  StatementTimeoutError,
  UniqueViolation,
  UnknownError
} from "effect/sql/SqlError"
import type { Buffer } from "node:buffer"

const operation = "query"

export const connectionFailed = (cause: unknown): SqlError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new SqlError({ reason: new ConnectionError({ cause, message, operation }) })
}

/** A statement that could not be sent, or whose result could not be read. */
export const statementFailed = (cause: unknown): SqlError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new SqlError({ reason: new UnknownError({ cause, message, operation }) })
}

const names: Readonly<Record<string, string>> = {
  S: "severity",
  C: "code",
  M: "message",
  D: "detail",
  H: "hint",
  P: "position",
  W: "where",
  s: "schema",
  t: "table",
  c: "column",
  n: "constraint"
}

const reasonOf = (code: string, cause: Error, constraint: string | undefined): SqlErrorReason => {
  const failure = { cause, message: cause.message, operation }
  switch (code) {
    case "42501":
      return new AuthorizationError(failure)
    case "23505":
      return new UniqueViolation({ ...failure, constraint: constraint ?? "unknown" })
    case "40P01":
      return new DeadlockError(failure)
    case "40001":
      return new SerializationError(failure)
    case "55P03":
      return new LockTimeoutError(failure)
    case "57014":
      return new StatementTimeoutError(failure)
  }
  switch (code.slice(0, 2)) {
    case "08":
      return new ConnectionError(failure)
    case "28":
      return new AuthenticationError(failure)
    case "42":
      return new SqlSyntaxError(failure)
    case "23":
      return new ConstraintError(failure)
    default:
      return new UnknownError(failure)
  }
}

/** The error in an ErrorResponse, with the reason that the client would give for its SQLSTATE. */
export const serverFailed = (
  bytes: Buffer,
  at: number,
  end: number
): { readonly code: string; readonly error: SqlError } => {
  const fields: Record<string, string> = {}
  for (const field of bytes.toString("utf8", at, end).split("\0")) {
    const name = names[field.slice(0, 1)]
    if (name !== undefined) fields[name] ??= field.slice(1)
  }
  const cause = Object.assign(new Error(fields["message"] ?? "Unknown PostgreSQL error"), fields)
  const code = fields["code"] ?? ""
  return { code, error: new SqlError({ reason: reasonOf(code, cause, fields["constraint"]) }) }
}
