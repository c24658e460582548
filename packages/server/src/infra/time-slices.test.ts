import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { runToEnd, inParts, inTimeSlices, jsonSteps, mapSteps, sortedSteps, type Steps } from "./time-slices.ts"

const pieces = function* (count: number, each: () => void): Steps<number> {
  for (let piece = 0; piece < count; piece += 1) {
    each()
    yield
  }
  return count
}

/** A clock that the test advances. */
const handClock = (now: () => number): Clock.Clock => ({
  currentTimeMillisUnsafe: now,
  currentTimeMillis: Effect.sync(now),
  monotonicTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
  currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
  sleep: () => Effect.void
})

/** How often another fiber runs during work of the given number and duration of pieces. */
const turnsOfOthers = (count: number, millisOfPiece: number) => {
  let now = 0
  let turns = 0
  const work = inTimeSlices(pieces(count, () => (now += millisOfPiece)))
  const other = Effect.forever(
    Effect.andThen(
      Effect.sync(() => (turns += 1)),
      Effect.yieldNow
    )
  )
  return Effect.runPromise(
    Effect.raceFirst(work, other).pipe(
      Effect.map((done) => ({ done, turns })),
      Effect.provideService(
        Clock.Clock,
        handClock(() => now)
      )
    )
  )
}

describe("inTimeSlices", () => {
  it("lets other fibers run every few milliseconds", async () => {
    const { done, turns } = await turnsOfOthers(800, 1)
    expect(done).toBe(800)
    expect(turns).toBeGreaterThan(40)
  })

  it("yields at most once for short work", async () => {
    expect((await turnsOfOthers(800, 0)).turns).toBeLessThanOrEqual(2)
  })

  it("fails with the error of the work", async () => {
    const broken = pieces(3, () => {
      throw new Error("broken")
    })
    await expect(Effect.runPromise(inTimeSlices(broken))).rejects.toThrow("broken")
  })
})

describe("step functions", () => {
  it("sort like Array.sort, and as stably", () => {
    const items = fc.array(fc.record({ key: fc.integer({ min: 0, max: 300 }) }), {
      maxLength: 3000,
      size: "max"
    })
    fc.assert(
      fc.property(items, fc.boolean(), (some, isSorted) => {
        const given = isSorted ? some.toSorted((a, b) => a.key - b.key) : some
        const sorted = runToEnd(sortedSteps(given, (a, b) => a.key - b.key))
        const wanted = given.toSorted((a, b) => a.key - b.key)
        expect(sorted.length).toBe(wanted.length)
        expect(sorted.every((item, index) => item === wanted[index])).toBe(true)
      }),
      { numRuns: 50, endOnFailure: true }
    )
  })

  it("encode an array like JSON.stringify", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 100, size: "max" }), (items) => {
        expect(runToEnd(jsonSteps(items))).toBe(JSON.stringify(items))
        expect(runToEnd(jsonSteps(items, (item) => [item]))).toBe(JSON.stringify(items.map((item) => [item])))
      })
    )
  })

  it("map each item once, in order", () => {
    expect(runToEnd(mapSteps(["a", "b"], (item, index) => `${item}${index}`))).toEqual(["a0", "b1"])
  })
})

describe("inParts", () => {
  const sizes = async (count: number) => {
    const parts: Array<number> = []
    const responded = await Effect.runPromise(
      inParts(
        Array.from({ length: count }, (_, index) => index),
        (part) => {
          parts.push(part.length)
          return Effect.succeed(part)
        }
      )
    )
    expect(responded).toEqual(Array.from({ length: count }, (_, index) => index))
    return parts
  }

  it("runs no statement without rows", async () => {
    expect(await sizes(0)).toEqual([])
  })

  it("writes few rows at once and many in parts, one after another", async () => {
    expect(await sizes(3)).toEqual([3])
    const parts = await sizes(1201)
    expect(Math.max(...parts)).toBeLessThanOrEqual(500)
    expect(parts.reduce((sum, size) => sum + size, 0)).toBe(1201)
  })
})
