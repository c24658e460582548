/** Ranges of UTC days, which the URL holds: a number of days until today, or a first and a last day. */
import { type Parameters, useParameters } from "../../parameters.ts"

const dayMilliseconds = 86_400_000

/** A UTC date, such as `2026-03-01`. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

const addDays = (day: string, days: number): string => dayOf(timeOf(day) + days * dayMilliseconds)

/** The number of days from one to another, both included. */
const daysBetween = (from: string, to: string): number => Math.round((timeOf(to) - timeOf(from)) / dayMilliseconds) + 1

export interface Range {
  readonly from: string
  readonly to: string
}

export const ranges = [
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
  ["90", "Last 90 days"],
  ["365", "Last 365 days"]
] as const

export const defaultRange = "30"

/** A step for each day or week; the API has a limit. */
const stepsMax = 400

const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(timeOf(text))

/** The range that the parameters say, until `today`. */
export const rangeOf = ({ from, range = defaultRange, to }: Parameters, today: string): Range => {
  if (range === "custom" && isDay(from) && isDay(to) && from <= to) return { from, to }
  const listed = ranges.find(([days]) => days === range)?.[0] ?? defaultRange
  return { from: addDays(today, 1 - Number(listed)), to: today }
}

/** The range of the same length before it. */
export const before = ({ from, to }: Range): Range => {
  const days = daysBetween(from, to)
  return { from: addDays(from, -days), to: addDays(from, -1) }
}

export type Interval = "day" | "week"

export interface Query extends Range {
  readonly interval: Interval
  readonly compares: boolean
}

/** The range, the interval and the comparison of the page. */
export const useRange = (): Query => {
  const parameters = useParameters()
  const range = rangeOf(parameters, dayOf(Date.now()))
  const isLong = daysBetween(range.from, range.to) > stepsMax
  return {
    ...range,
    interval: parameters["interval"] === "week" || isLong ? "week" : "day",
    compares: parameters["compare"] === "true"
  }
}

/** A UTC day as the chart shows it: the same day, wherever the person is. */
export const chartTime = (day: string): string => `${day}T00:00:00`
