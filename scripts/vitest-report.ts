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

/** The arguments with which Vitest prints as usual and writes a JSON report to a file. Removes the file first. */
export const reportingTo = (file: string): ReadonlyArray<string> => {
  rmSync(file, { force: true })
  return ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`]
}

/** Counts the results in a Vitest report. A failed run has at least one failure, whatever its report contains. */
export const countsOf = (file: string, isGood: boolean): Counts => {
  try {
    const report = JSON.parse(readFileSync(file, "utf8")) as Report
    // A file that cannot be loaded, or whose setup failed, has no failed test and counts as one failure.
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
