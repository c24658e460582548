import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  baselineRateMin,
  baselineRateOf,
  type Counts,
  compareReleases,
  defaultBaselineRate,
  evidenceOf,
  upperLimit
} from "./evidence.ts"

const thresholds = { falseAlarmRate: 0.01, reportsMin: 20 }
const baseline = { reports: 1000, failed: 50 }

const counts = (max: number): fc.Arbitrary<Counts> =>
  fc.integer({ min: 0, max }).chain((reports) => fc.record({ reports: fc.constant(reports), failed: fc.nat(reports) }))
const rates = fc.double({ min: 0.01, max: 1, noNaN: true })

/** Uniform pseudorandom numbers from 0 to 1 (mulberry32). */
const randomFrom = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

describe("the baseline rate", () => {
  it("is the upper limit of the Clopper-Pearson interval", () => {
    // Reference values of the beta distribution: qbeta(1 - tail, failed + 1, reports - failed).
    expect(upperLimit({ reports: 20, failed: 0 }, 0.025)).toBeCloseTo(1 - 0.025 ** (1 / 20), 10)
    expect(upperLimit({ reports: 10, failed: 9 }, 0.025)).toBeCloseTo((1 - 0.025) ** (1 / 10), 10)
    expect(upperLimit({ reports: 10, failed: 2 }, 0.025)).toBeCloseTo(0.556095, 5)
    expect(upperLimit({ reports: 100, failed: 5 }, 0.025)).toBeCloseTo(0.112835, 5)
    expect(upperLimit({ reports: 7, failed: 7 }, 0.025)).toBe(1)
    // For large numbers, the normal approximation.
    expect(upperLimit({ reports: 1_000_000, failed: 50_000 }, 0.025)).toBeCloseTo(0.05 + 1.96 * 0.000_218, 5)
  })
  it("is at least 1%, and 5% without a usable baseline", () => {
    expect(baselineRateOf({ reports: 1_000_000, failed: 0 }, 0.01)).toBe(baselineRateMin)
    expect(baselineRateOf({ reports: 0, failed: 0 }, 0.01)).toBe(defaultBaselineRate)
    expect(baselineRateOf({ reports: 4, failed: 4 }, 0.01)).toBe(defaultBaselineRate)
    expect(baselineRateOf({ reports: 5, failed: 0 }, 0.01)).toBeGreaterThan(defaultBaselineRate)
  })
  it("is higher if false alarms must be rarer, and at least the limit of the 95% interval", () => {
    const limit95 = upperLimit(baseline, 0.025)
    expect(baselineRateOf(baseline, 0.2)).toBe(limit95)
    expect(baselineRateOf(baseline, 0.01)).toBeGreaterThan(limit95)
    expect(baselineRateOf(baseline, 0.0001)).toBeGreaterThan(baselineRateOf(baseline, 0.01))
  })
  it("is between the observed rate and 1, and increases with the number of failures", () => {
    fc.assert(
      fc.property(counts(1_000_000), fc.double({ min: 0.0001, max: 0.2, noNaN: true }), (counts, rate) => {
        const limit = baselineRateOf(counts, rate)
        expect(limit).toBeGreaterThan(0)
        expect(limit).toBeLessThanOrEqual(1)
        if (counts.reports < 5) return
        expect(limit).toBeGreaterThanOrEqual(counts.failed / counts.reports)
        if (counts.failed === counts.reports) return
        expect(baselineRateOf({ ...counts, failed: counts.failed + 1 }, rate)).toBeGreaterThanOrEqual(limit)
      }),
      { numRuns: 300 }
    )
  })
})

describe("the evidence", () => {
  it("is 1 without reports", () => {
    expect(evidenceOf({ reports: 0, failed: 0 }, 0.05)).toBe(1)
  })
  it("is the mean of the likelihood ratios of the alternatives", () => {
    const ratio = (odds: number) => {
      const rate = (odds * 0.05) / (0.95 + odds * 0.05)
      return (rate / 0.05) ** 3 * ((1 - rate) / 0.95) ** 7
    }
    const mean = [1.25, 1.5, 2, 3, 5, 10].map(ratio).reduce((sum, value) => sum + value, 0) / 6
    expect(evidenceOf({ reports: 10, failed: 3 }, 0.05)).toBeCloseTo(mean, 10)
  })
  it("is a martingale at the baseline rate, and a supermartingale below it", () => {
    fc.assert(
      fc.property(counts(200), rates, fc.double({ min: 0, max: 1, noNaN: true }), ({ failed, reports }, rate, part) => {
        const expectedNext = (p: number) =>
          p * evidenceOf({ reports: reports + 1, failed: failed + 1 }, rate) +
          (1 - p) * evidenceOf({ reports: reports + 1, failed }, rate)
        const current = evidenceOf({ reports, failed }, rate)
        fc.pre(current < 1e9)
        expect(expectedNext(rate) / current).toBeCloseTo(1, 8)
        expect(expectedNext(rate * part) / current).toBeLessThan(1 + 1e-8)
      })
    )
  })
  it("increases with the number of failures, and decreases with reports of success", () => {
    fc.assert(
      fc.property(counts(1_000_000), rates, ({ failed, reports }, rate) => {
        const current = evidenceOf({ reports, failed }, rate)
        // At a rate near 1, the differences are smaller than the precision of the numbers.
        const [least, most] = [current * (1 - 1e-8), current * (1 + 1e-8)]
        expect(evidenceOf({ reports: reports + 1, failed: failed + 1 }, rate)).toBeGreaterThanOrEqual(least)
        expect(evidenceOf({ reports: reports + 1, failed }, rate)).toBeLessThanOrEqual(most)
        if (failed > 0) expect(evidenceOf({ reports, failed: failed - 1 }, rate)).toBeLessThanOrEqual(most)
      })
    )
  })
  it("is finite for all counts up to a million", () => {
    for (const [failed, reports] of [
      [0, 1_000_000],
      [1_000_000, 1_000_000],
      [500_000, 1_000_000]
    ] as const) {
      for (const rate of [0.01, 0.5, 1]) {
        const evidence = evidenceOf({ reports, failed }, rate)
        expect(evidence).toBeGreaterThanOrEqual(0)
        expect(evidence).toBeLessThanOrEqual(1e12)
      }
    }
  })
})

describe("the comparison of two releases", () => {
  it("pauses a release that fails much more often than the one before", () => {
    const { comparison, isCrossed } = compareReleases({ reports: 40, failed: 20 }, baseline, thresholds)
    expect(isCrossed).toBe(true)
    expect(comparison).toMatchObject({
      reports: 40,
      failed: 20,
      baselineReports: 1000,
      baselineFailed: 50,
      threshold: 100,
      enough: true
    })
    expect(comparison.evidence).toBeGreaterThanOrEqual(100)
  })
  it("pauses a release whose installations all fail, for every baseline that does not fail", () => {
    for (const reports of [0, 1, 2, 3, 4, 5, 10, 100]) {
      const { isCrossed } = compareReleases({ reports: 25, failed: 25 }, { reports, failed: 0 }, thresholds)
      expect([reports, isCrossed]).toEqual([reports, true])
    }
  })
  it("does not pause a release that fails as often as the one before, or less often", () => {
    expect(compareReleases({ reports: 1000, failed: 50 }, baseline, thresholds).isCrossed).toBe(false)
    expect(compareReleases({ reports: 1000, failed: 0 }, baseline, thresholds).isCrossed).toBe(false)
    expect(compareReleases({ reports: 0, failed: 0 }, { reports: 0, failed: 0 }, thresholds).isCrossed).toBe(false)
    expect(compareReleases({ reports: 500, failed: 500 }, { reports: 500, failed: 500 }, thresholds).isCrossed).toBe(
      false
    )
  })
  it("never pauses before reportsMin", () => {
    fc.assert(
      fc.property(counts(100), counts(100), fc.integer({ min: 1, max: 10_000 }), (release, baseline, reportsMin) => {
        const { comparison, isCrossed } = compareReleases(release, baseline, { falseAlarmRate: 0.2, reportsMin })
        expect(comparison.enough).toBe(release.reports >= reportsMin)
        expect(isCrossed).toBe(comparison.enough && comparison.evidence >= comparison.threshold)
      })
    )
  })
  it("does not depend on the order of the reports", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), fc.array(fc.nat()), (reports, keys) => {
        const add = (total: Counts, hasFailed: boolean): Counts => ({
          reports: total.reports + 1,
          failed: total.failed + Number(hasFailed)
        })
        const shuffled = reports
          .map((hasFailed, index) => [keys[index] ?? 0, hasFailed] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, hasFailed]) => hasFailed)
        const none = { reports: 0, failed: 0 }
        expect(compareReleases(shuffled.reduce(add, none), baseline, thresholds)).toEqual(
          compareReleases(reports.reduce(add, none), baseline, thresholds)
        )
      })
    )
  })
  it("only has finite numbers, for all counts up to a million", () => {
    fc.assert(
      fc.property(
        counts(1_000_000),
        counts(1_000_000),
        fc.double({ min: 0.0001, max: 0.2, noNaN: true }),
        (release, baseline, falseAlarmRate) => {
          const { comparison } = compareReleases(release, baseline, { falseAlarmRate, reportsMin: 20 })
          expect(Object.values(comparison).every((value) => typeof value === "boolean" || Number.isFinite(value))).toBe(
            true
          )
        }
      ),
      { numRuns: 300 }
    )
  })
})

describe("a simulation with a fixed seed", () => {
  const random = randomFrom(20_261_128)
  const isPaused = (rate: number, newRate: number, baselineReports: number, reports: number): boolean => {
    let failed = 0
    for (let report = 0; report < baselineReports; report += 1) failed += Number(random() < rate)
    const limit = baselineRateOf({ reports: baselineReports, failed }, thresholds.falseAlarmRate)
    const release = { reports: 0, failed: 0 }
    while (release.reports < reports) {
      release.reports += 1
      release.failed += Number(random() < newRate)
      if (release.reports >= thresholds.reportsMin && evidenceOf(release, limit) >= 100) return true
    }
    return false
  }
  const pausedOf = (rollouts: number, isPaused: () => boolean) =>
    Array.from({ length: rollouts }, isPaused).filter((paused) => paused).length

  it("pauses at most 1% of the rollouts of releases that are as good as the one before", () => {
    for (const rate of [0.005, 0.05, 0.2]) {
      for (const baselineReports of [20, 1000]) {
        expect(pausedOf(300, () => isPaused(rate, rate, baselineReports, 500))).toBeLessThanOrEqual(3)
      }
    }
  })
  it("pauses nearly all rollouts of releases that fail twice as often", () => {
    expect(pausedOf(100, () => isPaused(0.1, 0.2, 1000, 2000))).toBeGreaterThanOrEqual(95)
    expect(pausedOf(100, () => isPaused(0.2, 0.4, 1000, 1000))).toBeGreaterThanOrEqual(95)
  })
})
