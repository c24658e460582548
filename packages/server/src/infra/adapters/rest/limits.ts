import type { OutboundMetadata } from "../../ports/outbound.ts"

/** What the host says without naming a time is waited for that long; nothing is waited for longer than an hour. */
const unsaidMillis = 60_000
const leastMillis = 1000
const mostMillis = 3_600_000

const bounded = (millis: number) => Math.min(Math.max(millis, leastMillis), mostMillis)

type Headers = OutboundMetadata["headers"]

/** `retry-after` in seconds or as a date. */
const toldBy = (headers: Headers, nowMillis: number): number | undefined => {
  const told = headers["retry-after"]?.trim()
  if (told === undefined || told === "") return undefined
  if (/^\d+$/.test(told)) return Number(told) * 1000
  const moment = Date.parse(told)
  return Number.isNaN(moment) ? undefined : moment - nowMillis
}

const untilReset = (headers: Headers, nowMillis: number): number | undefined => {
  const reset = headers["x-ratelimit-reset"]
  return reset !== undefined && /^\d{1,12}$/.test(reset) ? Number(reset) * 1000 - nowMillis : undefined
}

const isUsedUp = (headers: Headers) => headers["x-ratelimit-remaining"] === "0"

/**
 * How long nothing more may be asked, when an answer says so: the hourly limit, the limit on bursts (which may come
 * without any number), or a host that is away and says until when. Undefined when it may be asked.
 */
export const pauseOf = (
  { headers, status }: Pick<OutboundMetadata, "headers" | "status">,
  message: string,
  nowMillis: number
): number | undefined => {
  const told = toldBy(headers, nowMillis)
  if (status === 503) return told === undefined ? undefined : bounded(told)
  if (status !== 403 && status !== 429) return undefined
  if (told !== undefined) return bounded(told)
  if (isUsedUp(headers)) return bounded(untilReset(headers, nowMillis) ?? unsaidMillis)
  return status === 429 || /rate limit|abuse/i.test(message) ? unsaidMillis : undefined
}

/** An answer that came, and was the last one for now. */
export const pauseAfter = ({ headers }: Pick<OutboundMetadata, "headers">, nowMillis: number): number | undefined => {
  const left = isUsedUp(headers) ? untilReset(headers, nowMillis) : undefined
  return left === undefined || left <= 0 ? undefined : bounded(left)
}
