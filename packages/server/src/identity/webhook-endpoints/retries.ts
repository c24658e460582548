/** When a delivery is retried. */

const minute = 60
const hour = 3600
/** The pauses after the first attempts, in seconds, as the Standard Webhooks specification suggests. Three days in total. */
const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 20 * hour]
/** The maximum of a `Retry-After` header that is respected. */
const retryAfterSecondsMax = hour

/**
 * The seconds until the next attempt after this number of failed ones; undefined if it was the last. They vary by up to 10%,
 * so that the deliveries of an outage are not all retried at once. `random` is from 0 to 1.
 */
export const pauseAfter = (
  attempts: number,
  retryAfterSeconds: number | undefined,
  random: number
): number | undefined => {
  const pause = pauses[attempts - 1]
  if (pause === undefined) return undefined
  const varied = pause * (0.9 + 0.2 * random)
  return Math.max(varied, Math.min(retryAfterSeconds ?? 0, retryAfterSecondsMax))
}

/** The seconds of a `Retry-After` header; undefined for none, and for a date. */
export const retryAfterOf = (value: string | undefined): number | undefined =>
  value !== undefined && /^\d{1,6}$/u.test(value) ? Number(value) : undefined
