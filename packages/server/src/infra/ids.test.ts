import { fromString, getType, toUUID } from "typeid-js"
import { afterEach, expect, it, vi } from "vitest"
import { makeCountedIds, makeId } from "./ids.ts"

afterEach(() => vi.useRealTimers())

const millisOf = (id: string) => Number.parseInt(toUUID(fromString(id)).replaceAll("-", "").slice(0, 12), 16)

it("generates UUIDv7 identifiers with the prefix and the current time", () => {
  const before = Date.now()
  const ids = Array.from({ length: 5000 }, () => makeId("plg"))
  const after = Date.now()
  for (const id of ids) {
    expect(getType(fromString(id))).toBe("plg")
    expect(toUUID(fromString(id))).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(millisOf(id)).toBeGreaterThanOrEqual(before)
    expect(millisOf(id)).toBeLessThanOrEqual(after)
  }
  expect(new Set(ids.map((id) => id.slice(-4))).size).toBeGreaterThan(4000)
})

it("generates identifiers in ascending order, even if the clock stops or is set back", () => {
  const ids = Array.from({ length: 2000 }, () => makeId("aud"))
  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] })
  ids.push(...Array.from({ length: 2000 }, () => makeId("aud")))
  vi.setSystemTime(Date.now() - 3_600_000)
  ids.push(...Array.from({ length: 2000 }, () => makeId("aud")))
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

it("generates unique counted identifiers within one millisecond", () => {
  const make = makeCountedIds("req")
  const ids = Array.from({ length: 3000 }, (_, index) => make(1_700_000_000_000 + Math.floor(index / 2000)))
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(toUUID(fromString(id))).toMatch(/^[0-9a-f-]{36}$/)
})
