/** Simulated rollouts: how often a healthy release is paused, and how soon one that fails more often. */
import { defaultSettings } from "@orgplane/schema/rollout-settings"
import { baselineRateOf, type Counts, evidenceOf } from "../packages/server/src/content/rollouts/evidence.ts"
import { type Chances, makeChances } from "../test/soak/random.ts"
import { say } from "./harness.ts"

export interface RolloutsOptions {
  readonly seed: number
  /** Number of rollouts of healthy releases. Each doubling gets a tenth of it. */
  readonly rollouts: number
}

/** Returns whether the next report is a failure. */
type NextReport = () => boolean

const { falseAlarmRate, reportsMin } = defaultSettings.thresholds
const threshold = 1 / falseAlarmRate
const rates = [0.005, 0.02, 0.05, 0.1, 0.2]
const baselines = [20, 50, 200, 1000]
const healthyReports = 2000
const doublings = [0.02, 0.05, 0.1, 0.2]
const doublingBaseline = 1000
const doublingReports = 50_000

const row = (cells: ReadonlyArray<string | number>) => `| ${cells.join(" | ")} |`
const align = (cells: ReadonlyArray<string>) => `|${cells.join("|")}|`
const percent = (rate: number) => `${Number((rate * 100).toFixed(2))} %`
const grouped = (count: number) => count.toLocaleString("en-US")

const independent =
  (chances: Chances, rate: number): NextReport =>
  () =>
    chances.isOne(rate)

const countReports = (next: NextReport, reports: number): Counts => {
  let failed = 0
  for (let report = 0; report < reports; report += 1) failed += Number(next())
  return { reports, failed }
}

/** The number of reports until the rollout is paused, checked after every report. Infinity if it is not paused. */
const reportsUntilPaused = (baselineRate: number, next: NextReport, reportsMax: number): number => {
  let failed = 0
  for (let reports = 1; reports <= reportsMax; reports += 1) {
    failed += Number(next())
    if (reports >= reportsMin && evidenceOf({ reports, failed }, baselineRate) >= threshold) return reports
  }
  return Number.POSITIVE_INFINITY
}

const healthyTable = (chances: Chances, rollouts: number) => {
  const perCell = Math.max(1, Math.round(rollouts / rates.length / baselines.length))
  const all = perCell * rates.length * baselines.length
  let total = 0
  const rows = baselines.map((baseline) => {
    const paused = rates.map((rate) => {
      let count = 0
      for (let rollout = 0; rollout < perCell; rollout += 1) {
        const baselineRate = baselineRateOf(countReports(independent(chances, rate), baseline), falseAlarmRate)
        const reports = reportsUntilPaused(baselineRate, independent(chances, rate), healthyReports)
        if (Number.isFinite(reports)) count += 1
      }
      return count
    })
    total += paused.reduce((sum, count) => sum + count, 0)
    return row([grouped(baseline), ...paused])
  })
  say("Healthy releases: simulated.")
  return [
    `${total} of ${grouped(all)} rollouts of healthy releases were paused (${percent(total / all)}; limit: ${percent(2 * falseAlarmRate)}). For each rate and baseline, paused of ${perCell}:`,
    "",
    row(["reports of the previous release", ...rates.map((rate) => `${percent(rate)} fail`)]),
    align(["---:", ...rates.map(() => "---:")]),
    ...rows
  ].join("\n")
}

const doublingTable = (chances: Chances, rollouts: number) => {
  const count = Math.max(1, Math.round(rollouts / 10))
  const rows = doublings.map((rate) => {
    const times = Array.from({ length: count }, () => {
      const baseline = countReports(independent(chances, rate), doublingBaseline)
      const next = independent(chances, rate * 2)
      return reportsUntilPaused(baselineRateOf(baseline, falseAlarmRate), next, doublingReports)
    }).sort((a, b) => a - b)
    const quantile = (part: number) => {
      const reports = times[Math.ceil(part * count) - 1] ?? Number.NaN
      return Number.isFinite(reports) ? grouped(reports) : `more than ${grouped(doublingReports)}`
    }
    const within = times.filter((reports) => reports <= healthyReports).length
    say(`${percent(rate)} to ${percent(rate * 2)}: simulated.`)
    return row([`${percent(rate)} → ${percent(rate * 2)}`, quantile(0.5), quantile(0.9), percent(within / count)])
  })
  return [
    `Reports until a release that fails twice as often is paused, with ${grouped(doublingBaseline)} reports of the previous release, ${grouped(count)} rollouts each:`,
    "",
    row(["failure rate", "median", "90th percentile", `paused within ${grouped(healthyReports)}`]),
    align(["---", "---:", "---:", "---:"]),
    ...rows
  ].join("\n")
}

export const rolloutsBench = ({ rollouts, seed }: RolloutsOptions): string => {
  const chances = makeChances(seed)
  return [healthyTable(chances, rollouts), doublingTable(chances, rollouts)].join("\n\n")
}
