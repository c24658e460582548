/** The order of a bulk request's operations, as laws of any request; bulk requests themselves are in scim-bulk.test.ts. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makersOf, type Operation, orderOf } from "./bulk-request.ts"

const operation = (index: number, needs: ReadonlyArray<number>): Operation => ({
  method: "POST",
  bulkId: String(index),
  path: "/Users",
  version: undefined,
  data: undefined,
  needs: new Set(needs.map(String))
})

/** Of each operation, which others it needs. */
const anyNeeds = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.array(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size })
  )

const orderedOf = (needs: ReadonlyArray<ReadonlyArray<number>>) => {
  const operations = needs.map((needed, index) => operation(index, needed))
  return orderOf(operations, makersOf(operations))
}

/** Everything that one needs, and what that needs. */
const reached = (needs: ReadonlyArray<ReadonlyArray<number>>, from: number): ReadonlySet<number> => {
  const found = new Set<number>()
  const look = (index: number) => {
    for (const next of needs[index] ?? []) {
      if (found.has(next)) continue
      found.add(next)
      look(next)
    }
  }
  look(from)
  return found
}

describe("the order of operations", () => {
  it("has each once, and none in a ring before what it needs", () => {
    fc.assert(
      fc.property(anyNeeds, (needs) => {
        const { order, ring } = orderedOf(needs)
        expect(order.toSorted((one, other) => one - other)).toEqual([...needs.keys()])
        for (const [index, needed] of needs.entries()) {
          // What needs a ring waits for something that is refused, wherever it stands.
          if ([index, ...reached(needs, index)].some((one) => ring.has(one))) continue
          for (const one of needed) expect(order.indexOf(one)).toBeLessThan(order.indexOf(index))
        }
      })
    )
  })

  it("tells a ring where there is one, and nothing that is in none", () => {
    fc.assert(
      fc.property(anyNeeds, (needs) => {
        const { ring } = orderedOf(needs)
        const inRings = [...needs.keys()].filter((index) => reached(needs, index).has(index))
        expect(inRings).toEqual(expect.arrayContaining([...ring]))
        // Each that is in one is told, or needs one that is.
        for (const index of inRings) {
          expect([index, ...reached(needs, index)].some((one) => ring.has(one))).toBe(true)
        }
      })
    )
  })

  it("is that of the request where nothing is needed that comes later", () => {
    fc.assert(
      fc.property(anyNeeds, (needs) => {
        const earlier = needs.map((needed, index) => needed.filter((one) => one < index))
        expect(orderedOf(earlier).order).toEqual([...needs.keys()])
      })
    )
  })
})
