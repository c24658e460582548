const delays = new WeakMap<object, number>()

/**
 * The same error, with the time after which a retry can succeed. The delay is stored separately from the error, because
 * the API contract determines the fields of errors. `handlers.ts` sends it as the `retry-after` header.
 */
export const retryAfter = <E extends object>(error: E, seconds: number): E => {
  delays.set(error, seconds)
  return error
}

/** The delay of an error, in seconds. */
export const retryDelayOf = (error: unknown): number | undefined =>
  typeof error === "object" && error !== null ? delays.get(error) : undefined
