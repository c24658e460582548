import { describe, expect, it } from "vitest"
import { pauseAfter, retryAfterOf } from "./retries.ts"

describe("pauseAfter", () => {
  it("spreads the attempts over three days, and ends after the last one", () => {
    const pauses = Array.from({ length: 9 }, (_, index) => pauseAfter(index + 1, undefined, 0.5) ?? 0)
    expect(pauses[0]).toBe(5)
    expect(pauses.every((pause, index) => index === 0 || pause >= (pauses[index - 1] ?? 0))).toBe(true)
    const days = pauses.reduce((sum, pause) => sum + pause, 0) / 86_400
    expect(days).toBeGreaterThan(2.9)
    expect(days).toBeLessThan(3.1)
    expect(pauseAfter(10, undefined, 0.5)).toBe(undefined)
  })

  it("varies each pause by a tenth in both directions", () => {
    expect([pauseAfter(2, undefined, 0), pauseAfter(2, undefined, 1)]).toEqual([270, 330])
  })

  it("waits as long as the receiver requires, up to one hour", () => {
    expect(pauseAfter(1, 120, 0.5)).toBe(120)
    expect(pauseAfter(1, 86_400, 0.5)).toBe(3600)
    expect(pauseAfter(4, 60, 0.5)).toBe(7200)
  })
})

describe("retryAfterOf", () => {
  it("reads seconds, and ignores dates and other texts", () => {
    expect([
      retryAfterOf("30"),
      retryAfterOf("Wed, 21 Oct 2026 07:28:00 GMT"),
      retryAfterOf("-1"),
      retryAfterOf(undefined)
    ]).toEqual([30, undefined, undefined, undefined])
  })
})
