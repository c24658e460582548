import fc from "fast-check"
import { expect, test } from "vitest"
import { iso, isoOrNull } from "./timestamps.ts"

test("a timestamp is written as toISOString writes it, for every date", () => {
  fc.assert(
    fc.property(fc.array(fc.date({ noInvalidDate: true }), { minLength: 1, maxLength: 20 }), (dates) => {
      for (const date of dates) expect(iso(date)).toBe(date.toISOString())
    }),
    { numRuns: 500 }
  )
  for (const text of [
    "1969-12-31T23:59:59.999Z",
    "1970-01-01T00:00:00.000Z",
    "2026-02-28T23:59:59.999Z",
    "+010000-01-01T00:00:00.001Z",
    "-000001-12-31T12:00:00.000Z"
  ]) {
    expect(iso(new Date(text))).toBe(text)
  }
})

test("more days than are remembered do not mix up", () => {
  const start = Date.UTC(2020, 0, 1)
  for (let day = 0; day < 2500; day += 1) {
    const date = new Date(start + day * 86_400_000 + day)
    expect(iso(date)).toBe(date.toISOString())
  }
})

test("an invalid date is an error, and null stays null", () => {
  expect(() => iso(new Date(Number.NaN))).toThrow(RangeError)
  expect(isoOrNull(null)).toBe(null)
  expect(isoOrNull(new Date(0))).toBe("1970-01-01T00:00:00.000Z")
})
