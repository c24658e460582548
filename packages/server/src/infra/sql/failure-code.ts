/** The innermost cause of a failure; with several addresses, the cause of the last one. */
export const rootOf = (cause: unknown): unknown => {
  let at = cause
  for (let depth = 0; depth < 10; depth += 1) {
    if (at instanceof AggregateError && at.errors.length > 0) at = at.errors.at(-1)
    else if (at instanceof Error && at.cause !== undefined && at.cause !== null) at = at.cause
    else break
  }
  return at
}

/** `ECONNREFUSED`, `28P01`: the error code of the system or of PostgreSQL. */
export const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined
