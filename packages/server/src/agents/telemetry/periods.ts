/** An inclusive range of days in UTC, in steps of a day or a week. */
export interface Span {
  readonly from: string
  readonly to: string
  readonly interval: "day" | "week"
}

/** Days are numbered from 0001-01-01, which is a Monday and the first day of a period. */
export interface DayRange {
  readonly from: number
  readonly to: number
}

/** Whole periods plus or minus some days: together exactly a requested range. */
export interface Cover {
  /** The first days of the first and the last period; empty if `from` is after `to`. */
  readonly periods: DayRange
  readonly edges: ReadonlyArray<DayRange & { readonly sign: 1 | -1 }>
}

/** The stored period: four whole weeks. */
export const periodDays = 28
const dayMillis = 86_400_000
const daysBefore1970 = 719_162

export const daysOf = ({ from, to }: Span): DayRange => {
  const numberOf = (text: string) => Date.parse(`${text}T00:00:00.000Z`) / dayMillis + daysBefore1970
  return { from: numberOf(from), to: numberOf(to) }
}

export const periodOf = (day: number): number => day - (day % periodDays)

/**
 * Covers a range with as few stored days as possible: a period that lies partly in the range is added day by day, or as
 * a whole from which the other days are subtracted. `usedDays` are the days with events in the first and last period of
 * the range, each once. They determine only which of the two is cheaper.
 */
export const coverOf = (range: DayRange, usedDays: ReadonlyArray<number>): Cover => {
  const first = periodOf(range.from)
  const last = periodOf(range.to)
  const lastDay = last + periodDays - 1
  const outside = [
    { from: first, to: range.from - 1 },
    { from: range.to + 1, to: lastDay }
  ].filter(({ from, to }) => from <= to)
  const used = (ranges: ReadonlyArray<DayRange>) =>
    usedDays.filter((day) => ranges.some(({ from, to }) => from <= day && day <= to)).length
  const subtracted = (ranges: ReadonlyArray<DayRange>) => ranges.map((days) => ({ ...days, sign: -1 as const }))
  if (first === last) {
    if (outside.length === 0 || used(outside) < used([range])) {
      return { periods: { from: first, to: last }, edges: subtracted(outside) }
    }
    return { periods: { from: first, to: first - 1 }, edges: [{ ...range, sign: 1 }] }
  }
  const whole = { from: first, to: last }
  const edges: Array<DayRange & { readonly sign: 1 | -1 }> = []
  for (const days of outside) {
    const isFirst = days.to < range.from
    const inside = isFirst ? { from: range.from, to: first + periodDays - 1 } : { from: last, to: range.to }
    if (used([days]) < used([inside])) {
      edges.push({ ...days, sign: -1 })
      continue
    }
    edges.push({ ...inside, sign: 1 })
    if (isFirst) whole.from += periodDays
    else whole.to -= periodDays
  }
  return { periods: whole, edges }
}
