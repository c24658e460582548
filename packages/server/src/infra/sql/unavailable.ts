import type { SqlError } from "effect/sql/SqlError"

/** The SQLSTATE of the error, if it has one. */
const stateOf = (error: SqlError): string | undefined => {
  const cause: unknown = error.reason.cause
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined
}

/** Whether the server is read-only: a standby, or a primary that was set to read-only. */
export const isReadOnly = (error: SqlError): boolean => stateOf(error) === "25006"

/** A statement was rejected before it was sent, because its organization or source address has too many waiting. */
export class TooManyWait extends Error {}

/**
 * Whether the database is available and the failure is only that this organization or source address sends too many
 * statements.
 */
export const isCrowded = (error: SqlError): boolean => error.reason.cause instanceof TooManyWait

/**
 * Whether the database is unavailable rather than the statement wrong: unreachable, starting, stopping, out of
 * connections, read-only. The client classifies only the first; the others are recognized by SQLSTATE.
 */
export const databaseAway = (error: SqlError): boolean =>
  error.reason._tag === "ConnectionError" || /^(57P0[1235]|53...|25P03|25006)$/.test(stateOf(error) ?? "")

const passingTags = new Set([
  "AuthenticationError",
  "DeadlockError",
  "LockTimeoutError",
  "SerializationError",
  "StatementTimeoutError"
])

/** Whether a retry may succeed because the statement itself is valid. */
export const isPassing = (error: SqlError): boolean => databaseAway(error) || passingTags.has(error.reason._tag)
