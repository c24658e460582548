import { readFileSync, rmSync } from "node:fs"

export interface Counts {
  readonly passed: number
  readonly failed: number
}

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: ReadonlyArray<{
    readonly status: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string }>
  }>
}

/** The arguments that make Vitest print as usual and write its report to a file, which is removed first. */
export const reportingTo = (file: string): ReadonlyArray<string> => {
  rmSync(file, { force: true })
  return ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`]
}

/** Counts what a run of Vitest reported; a run that failed has at least one failure, whatever its report says. */
export const countsOf = (file: string, isGood: boolean): Counts => {
  try {
    const report = JSON.parse(readFileSync(file, "utf8")) as Report
    // A file that cannot be loaded, or whose setup failed, has no failed test: it counts as one.
    const broken = report.testResults.filter(
      ({ assertionResults, status }) =>
        status === "failed" && !assertionResults.some((assertion) => assertion.status === "failed")
    ).length
    const failed = report.numFailedTests + broken
    return { passed: report.numPassedTests, failed: isGood ? failed : Math.max(1, failed) }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
