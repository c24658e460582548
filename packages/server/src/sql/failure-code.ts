/** The innermost cause of a failure: of several addresses that were tried, the last one's. */
export const rootOf = (cause: unknown): unknown => {
  let at = cause
  for (let depth = 0; depth < 10; depth += 1) {
    if (at instanceof AggregateError && at.errors.length > 0) at = at.errors.at(-1)
    else if (at instanceof Error && at.cause !== undefined && at.cause !== null) at = at.cause
    else break
  }
  return at
}

/** `ECONNREFUSED`, `28P01`: how the system or PostgreSQL names a failure. */
export const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined
