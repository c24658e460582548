/** The order of the operations of a bulk request, as properties of any request. See also scim-bulk.test.ts. */
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

/** For each operation, the operations it needs. */
const anyNeeds = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.array(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size })
  )

const orderedOf = (needs: ReadonlyArray<ReadonlyArray<number>>) => {
  const operations = needs.map((needed, index) => operation(index, needed))
  return orderOf(operations, makersOf(operations))
}

/** The transitive dependencies of an operation. */
const reached = (needs: ReadonlyArray<ReadonlyArray<number>>, from: number): ReadonlySet<number> => {
  const dependencies = new Set<number>()
  const look = (index: number) => {
    for (const next of needs[index] ?? []) {
      if (dependencies.has(next)) continue
      dependencies.add(next)
      look(next)
    }
  }
  look(from)
  return dependencies
}

describe("orderOf", () => {
  it("orders each operation once, after its dependencies unless they are circular", () => {
    fc.assert(
      fc.property(anyNeeds, (needs) => {
        const { order, ring } = orderedOf(needs)
        expect(order.toSorted((one, other) => one - other)).toEqual([...needs.keys()])
        for (const [index, needed] of needs.entries()) {
          // An operation that needs a circular dependency fails anyway, so its position does not matter.
          if ([index, ...reached(needs, index)].some((one) => ring.has(one))) continue
          for (const one of needed) expect(order.indexOf(one)).toBeLessThan(order.indexOf(index))
        }
      })
    )
  })

  it("reports circular dependencies, and nothing that is not part of one", () => {
    fc.assert(
      fc.property(anyNeeds, (needs) => {
        const { ring } = orderedOf(needs)
        const inRings = [...needs.keys()].filter((index) => reached(needs, index).has(index))
        expect(inRings).toEqual(expect.arrayContaining([...ring]))
        // Each operation of a circle is reported, or needs one that is.
        for (const index of inRings) {
          expect([index, ...reached(needs, index)].some((one) => ring.has(one))).toBe(true)
        }
      })
    )
  })

  it("keeps the order of the request when no operation needs a later one", () => {
    fc.assert(
      fc.property(anyNeeds, (needs) => {
        const earlier = needs.map((needed, index) => needed.filter((one) => one < index))
        expect(orderedOf(earlier).order).toEqual([...needs.keys()])
      })
    )
  })
})
