import fc from "fast-check"
import * as Tracer from "effect/Tracer"
import { expect, it } from "vitest"
import { isSampled, makeSampler } from "./tracing.ts"

const unit = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

it("samples new traces with the configured probability", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 500 }), (ratio, draws) => {
      let draw = 0
      // Evenly distributed random numbers.
      const sampler = makeSampler(ratio, () => draw++ / draws)
      let sampled = 0
      for (let count = 0; count < draws; count += 1) if (sampler()) sampled += 1
      expect(Math.abs(sampled - ratio * draws)).toBeLessThanOrEqual(1)
    })
  )
})

it("samples nothing at 0 and everything at 1", () => {
  fc.assert(
    fc.property(unit, (draw) => {
      expect(makeSampler(0, () => draw)()).toBe(false)
      expect(makeSampler(1, () => draw)()).toBe(true)
    })
  )
})

it("follows the decision of the parent, whatever the ratio", () => {
  fc.assert(
    fc.property(fc.boolean(), unit, unit, (sampled, ratio, draw) => {
      const parent = Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "2".repeat(16), sampled })
      expect(
        isSampled(
          parent,
          makeSampler(ratio, () => draw)
        )
      ).toBe(sampled)
    })
  )
})
