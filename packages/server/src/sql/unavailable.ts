import type { SqlError } from "effect/sql/SqlError"

/**
 * Whether the database is away rather than the statement wrong: unreachable, starting, stopping, out of connections.
 * The client names only the first of these; the others it passes on by their code.
 */
export const databaseAway = (error: SqlError): boolean => {
  if (error.reason._tag === "ConnectionError") return true
  const cause: unknown = error.reason.cause
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  return typeof code === "string" && /^(57P0[1235]|53...|25P03)$/.test(code)
}

const passingTags = new Set([
  "AuthenticationError",
  "DeadlockError",
  "LockTimeoutError",
  "SerializationError",
  "StatementTimeoutError"
])

/** Whether the same request may succeed a moment later: nothing is wrong with the statement. */
export const isPassing = (error: SqlError): boolean => databaseAway(error) || passingTags.has(error.reason._tag)
