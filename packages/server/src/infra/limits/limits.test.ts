import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AddressBudget } from "./address-budget.ts"
import { RecentSet } from "./recent-set.ts"

describe("AddressBudget", () => {
  it("never grants an address more than the burst and the refill, with other addresses and refunds in between", () => {
    const step = fc.record({
      address: fc.constantFrom("a", "b", "c"),
      wait: fc.integer({ min: 0, max: 5000 }),
      amount: fc.integer({ min: 1, max: 12 }),
      isRefunded: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const budget = new AddressBudget(10, 2)
        const amounts = new Map<string, number>()
        let now = 1_000_000
        for (const { address, amount, isRefunded, wait } of steps) {
          now += wait
          const isGranted = budget.take(address, now, amount)
          if (amount > 10) expect(isGranted).toBe(false)
          if (!isGranted) continue
          if (isRefunded) budget.refund(address, amount)
          else amounts.set(address, (amounts.get(address) ?? 0) + amount)
          const elapsed = (now - 1_000_000) / 1000
          expect(amounts.get(address) ?? 0).toBeLessThanOrEqual(10 + 2 * elapsed + 1e-6)
        }
      })
    )
  })

  it("refills completely after a pause, and remembers a bounded number of addresses", () => {
    const budget = new AddressBudget(3, 1)
    expect([1, 2, 3, 4].map(() => budget.take("a", 0))).toEqual([true, true, true, false])
    expect(budget.take("a", 999)).toBe(false)
    expect(budget.take("a", 1000)).toBe(true)
    expect(budget.take("a", 4000, 3)).toBe(true)
    for (let n = 0; n < 25_000; n += 1) budget.take(`address ${n}`, 5000)
    expect(budget.size).toBeLessThanOrEqual(20_000)
    expect([1, 2, 3, 4].map(() => budget.take("address 24999", 5000))).toEqual([true, true, false, false])
  })
})

describe("RecentSet", () => {
  it("keeps recent members while it has capacity, and never more than twice its capacity", () => {
    const step = fc.record({
      text: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
      wait: fc.integer({ min: -50, max: 700 }),
      kind: fc.constantFrom("add", "add", "add", "delete", "has")
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const room = 3
        const set = new RecentSet(room, 1000)
        /** When each text was last added, and which others came after. */
        const model = new Map<string, { at: number; after: Set<string> }>()
        let now = 1_000_000
        let highest = now
        for (const { kind, text, wait } of steps) {
          now += wait
          highest = Math.max(highest, now)
          if (kind === "delete") {
            set.delete(text)
            model.delete(text)
            expect(set.has(text, now)).toBe(false)
          } else if (kind === "add") {
            set.add(text, now)
            expect(set.has(text, now)).toBe(true)
            if (!model.has(text)) model.set(text, { at: highest, after: new Set() })
            for (const [other, state] of model) if (other !== text) state.after.add(text)
          } else if (set.has(text, now)) {
            // The set contains only members that were added and not removed.
            expect(model.has(text)).toBe(true)
          } else {
            const state = model.get(text)
            if (state !== undefined) expect(highest - state.at >= 1000 || state.after.size >= room).toBe(true)
          }
          expect(set.size).toBeLessThanOrEqual(2 * room)
        }
      })
    )
  })

  it("forgets members after twice the generation time", () => {
    const set = new RecentSet(10, 1000)
    set.add("a", 5000)
    expect(set.has("a", 5999)).toBe(true)
    set.add("b", 6500)
    expect(set.has("a", 6500)).toBe(true)
    expect(set.has("a", 7600)).toBe(false)
    expect(set.has("b", 7600)).toBe(true)
    expect(set.has("b", 9700)).toBe(false)
  })
})
