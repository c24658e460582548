import * as fc from "fast-check"
import { expect, it } from "vitest"
import { coverOf, daysOf, periodDays } from "./periods.ts"

const start = daysOf({ from: "2026-03-01", to: "2026-03-01", interval: "day" }).from

it("numbers days from 0001-01-01", () => {
  expect(daysOf({ from: "0001-01-01", to: "0001-01-02", interval: "day" })).toEqual({ from: 0, to: 1 })
})

it("covers each day of a range exactly once, and no other day", () => {
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.nat(100),
      fc.uniqueArray(fc.integer({ min: -60, max: 260 })),
      (offset, length, usedOffsets) => {
        const range = { from: start + offset, to: start + offset + length }
        const { edges, periods } = coverOf(
          range,
          usedOffsets.map((used) => start + used)
        )
        const counts = new Map<number, number>()
        const add = (from: number, to: number, sign: number) => {
          for (let day = from; day <= to; day += 1) counts.set(day, (counts.get(day) ?? 0) + sign)
        }
        for (let first = periods.from; first <= periods.to; first += periodDays) add(first, first + periodDays - 1, 1)
        for (const { from, sign, to } of edges) add(from, to, sign)
        const covered = [...counts].filter(([, count]) => count !== 0)
        const days = Array.from({ length: length + 1 }, (_, index) => range.from + index)
        expect(covered.toSorted(([a], [b]) => a - b)).toEqual(days.map((day) => [day, 1]))
        // At most half a period is read by day at each end.
        const read = edges.map(({ from, to }) => to - from + 1)
        expect(read.filter((count) => count > periodDays)).toEqual([])
      }
    )
  )
})

it("reads no days outside a range that contains all events", () => {
  const range = { from: start + 3, to: start + 70 }
  const used = Array.from({ length: 68 }, (_, index) => range.from + index)
  const { edges } = coverOf(range, used)
  expect(edges.every(({ sign }) => sign === -1)).toBe(true)
})
