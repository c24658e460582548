import type { OutboundMetadata } from "../../ports/outbound.ts"

/** The pause if the host does not specify one. No pause is longer than an hour. */
const defaultMillis = 60_000
const minMillis = 1000
const maxMillis = 3_600_000

const bounded = (millis: number) => Math.min(Math.max(millis, minMillis), maxMillis)
type Headers = OutboundMetadata["headers"]
/** `retry-after` in seconds or as a date. */
const retryAfterOf = (headers: Headers, nowMillis: number): number | undefined => {
  const value = headers["retry-after"]?.trim()
  if (value === undefined || value === "") return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : date - nowMillis
}

const untilReset = (headers: Headers, nowMillis: number): number | undefined => {
  const reset = headers["x-ratelimit-reset"]
  return reset !== undefined && /^\d{1,12}$/.test(reset) ? Number(reset) * 1000 - nowMillis : undefined
}

const isUsedUp = (headers: Headers) => headers["x-ratelimit-remaining"] === "0"

/**
 * How long to pause requests after a response that requires it: because of the hourly limit, the burst limit (for which
 * the host may give no duration), or because the host is unavailable until a given time. Undefined if requests may be
 * sent.
 */
export const pauseOf = (
  { headers, status }: Pick<OutboundMetadata, "headers" | "status">,
  message: string,
  nowMillis: number
): number | undefined => {
  const retryAfter = retryAfterOf(headers, nowMillis)
  if (status === 503) return retryAfter === undefined ? undefined : bounded(retryAfter)
  if (status !== 403 && status !== 429) return undefined
  if (retryAfter !== undefined) return bounded(retryAfter)
  if (isUsedUp(headers)) return bounded(untilReset(headers, nowMillis) ?? defaultMillis)
  return status === 429 || /rate limit|abuse/i.test(message) ? defaultMillis : undefined
}

/** How long to pause requests after a successful response that used up the limit. */
export const pauseAfter = ({ headers }: Pick<OutboundMetadata, "headers">, nowMillis: number): number | undefined => {
  const left = isUsedUp(headers) ? untilReset(headers, nowMillis) : undefined
  return left === undefined || left <= 0 ? undefined : bounded(left)
}
