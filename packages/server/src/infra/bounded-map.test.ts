import { describe, expect, it } from "vitest"
import { BoundedMap } from "./bounded-map.ts"

describe("a bounded map", () => {
  it("drops only its oldest entry when it is full", () => {
    const map = new BoundedMap<string, number>(3)
    for (const [value, key] of ["a", "b", "c", "d"].entries()) map.set(key, value)
    expect(["a", "b", "c", "d"].map((key) => map.get(key))).toEqual([undefined, 1, 2, 3])
    expect(map.size).toBe(3)
  })

  it("drops nothing when an entry is replaced, which makes that entry the newest", () => {
    const map = new BoundedMap<string, number>(2)
    map.set("a", 1)
    map.set("b", 2)
    map.set("a", 3)
    expect([map.get("a"), map.get("b"), map.size]).toEqual([3, 2, 2])
    map.set("c", 4)
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([3, undefined, 4])
  })
})
