import type { Comparison, Thresholds } from "@orgplane/schema/rollouts"

/** The reports about a release, and how many of them are failures. */
export interface Counts {
  readonly reports: number
  readonly failed: number
}

export interface Evaluation {
  readonly comparison: Comparison
  /** Whether the comparison pauses the rollout. */
  readonly isCrossed: boolean
}

/** A lower failure rate is not a reason to pause. */
export const baselineRateMin = 0.01
/** The failure rate that a release is compared with if the baseline has too few reports. */
export const defaultBaselineRate = 0.05
/** With fewer reports, the limit of the confidence interval is so high that no release could exceed it. */
export const baselineReportsMin = 5
const tailMax = 0.025
const evidenceMax = 1e12

/** The alternatives: the odds of a failure, relative to the baseline rate. All have the same weight. */
const oddsRatios = [1.25, 1.5, 2, 3, 5, 10]

/** ln(n!), with Stirling's series for large numbers. */
const logFactorial = (n: number): number => {
  if (n >= 20) {
    const series = 1 / (12 * n) - 1 / (360 * n ** 3) + 1 / (1260 * n ** 5)
    return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series
  }
  let sum = 0
  for (let factor = 2; factor <= n; factor += 1) sum += Math.log(factor)
  return sum
}

/** The probability of at most `failed` failures, for a rate above `failed / reports`. */
const lowerTail = ({ failed, reports }: Counts, rate: number): number => {
  const rest = reports - failed
  const coefficient = logFactorial(reports) - logFactorial(failed) - logFactorial(rest)
  const last = Math.exp(coefficient + failed * Math.log(rate) + rest * Math.log1p(-rate))
  // The terms become smaller from the last to the first.
  let [sum, term] = [1, 1]
  for (let count = failed; count > 0 && term > sum * 1e-15; count -= 1) {
    term *= (count * (1 - rate)) / ((reports - count + 1) * rate)
    sum += term
  }
  return last * sum
}

/** The upper limit of the exact (Clopper-Pearson) confidence interval for the failure rate. */
export const upperLimit = (counts: Counts, tail: number): number => {
  if (counts.failed >= counts.reports) return 1
  let [low, high] = [counts.failed / counts.reports, 1]
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2
    if (lowerTail(counts, middle) > tail) low = middle
    else high = middle
  }
  return high
}

/**
 * The failure rate that a release is compared with: the upper limit of the Clopper-Pearson interval of the previous
 * release.
 *
 * The true rate is above the limit of the two-sided 95% interval with a probability of at most 2.5%. This is too much
 * if false alarms must be rarer, so the probability is reduced to `falseAlarmRate`: for 0.01, this is the 98% interval.
 * Then the complete procedure pauses a release that is as good as the previous one with a probability of at most twice
 * `falseAlarmRate`, because either the limit is too low or the evidence reaches the threshold by chance. This requires
 * at least 5 independent reports of the previous release. The actual probability is lower: computed for baselines of 5 to
 * 200 reports, it is at most 0.44 times `falseAlarmRate` within 2,000 reports. With the 95% interval and a
 * `falseAlarmRate` of 0.01, it was up to 1.25 times that within 2,000 reports, and 1.43 times within 10,000.
 */
export const baselineRateOf = (baseline: Counts, falseAlarmRate: number): number =>
  baseline.reports < baselineReportsMin
    ? defaultBaselineRate
    : Math.max(baselineRateMin, upperLimit(baseline, Math.min(tailMax, falseAlarmRate)))

/**
 * The mixture likelihood ratio of a higher failure rate against `rate`: the mean over the alternatives. It depends only
 * on the counts, not on the order of the reports. If the true rate is at most `rate`, it is a supermartingale that
 * starts at 1, so by Ville's inequality the probability that it ever reaches 1/α is at most α, no matter how often it
 * is checked.
 *
 * With odds ratio r, the likelihood ratio is r^failed / (1 + (r - 1) rate)^reports, which is finite for every rate.
 */
export const evidenceOf = ({ failed, reports }: Counts, rate: number): number => {
  let sum = 0
  for (const ratio of oddsRatios) {
    sum += Math.min(evidenceMax * 10, Math.exp(failed * Math.log(ratio) - reports * Math.log1p((ratio - 1) * rate)))
  }
  return Math.min(evidenceMax, sum / oddsRatios.length)
}

/** Compares a release with the previous release. */
export const compareReleases = (
  release: Counts,
  baseline: Counts,
  { falseAlarmRate, reportsMin }: Pick<Thresholds, "falseAlarmRate" | "reportsMin">
): Evaluation => {
  const baselineRate = baselineRateOf(baseline, falseAlarmRate)
  const evidence = evidenceOf(release, baselineRate)
  const threshold = 1 / falseAlarmRate
  const enough = release.reports >= reportsMin
  return {
    comparison: {
      reports: release.reports,
      failed: release.failed,
      baselineReports: baseline.reports,
      baselineFailed: baseline.failed,
      baselineRate,
      evidence,
      threshold,
      enough
    },
    isCrossed: enough && evidence >= threshold
  }
}

/**
 * Whether a rollout waits for more results: the evidence reaches the threshold, but there are too few reports to pause the
 * rollout. No ring starts automatically.
 */
export const waitsForResults = (
  { installations, usage }: Readonly<Record<"installations" | "usage", Evaluation>>,
  thresholds: Pick<Thresholds, "installFailures" | "usageFailures">
): boolean => {
  const isReached = ({ comparison }: Evaluation) => comparison.evidence >= comparison.threshold
  return (thresholds.installFailures && isReached(installations)) || (thresholds.usageFailures && isReached(usage))
}
