import { readFileSync, rmSync } from "node:fs"
import { relative } from "node:path"
import { root } from "./checks.ts"

export interface Counts {
  readonly passed: number
  readonly failed: number
  /** `<file> > <test>` of each failed test; only the file if it could not be loaded. */
  readonly names: ReadonlyArray<string>
}

interface Report {
  readonly numPassedTests: number
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
  }>
}

/** The arguments with which Vitest prints as usual and writes a JSON report to a file. Removes the file first. */
export const reportingTo = (file: string): ReadonlyArray<string> => {
  rmSync(file, { force: true })
  return ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`]
}

/**
 * Counts the results in a Vitest report. A failed run has at least one failure, whatever its report contains. Each of the
 * `expected` files, from the root of the repository, that is not in the report counts as one failure.
 */
export const countsOf = (file: string, isGood: boolean, expected: ReadonlyArray<string> = []): Counts => {
  try {
    const report = JSON.parse(readFileSync(file, "utf8")) as Report
    const ran = new Set(report.testResults.map(({ name }) => relative(root, name)))
    const missing = expected.filter((path) => !ran.has(path)).map((path) => `${path} (it did not run)`)
    const names = report.testResults.flatMap(({ assertionResults, name, status }) => {
      const path = relative(root, name)
      const tests = assertionResults.filter((assertion) => assertion.status === "failed")
      // A file that cannot be loaded, or whose setup failed, has no failed test and counts as one failure.
      if (tests.length === 0) return status === "failed" ? [path] : []
      return tests.map(({ fullName }) => `${path} > ${fullName}`)
    })
    names.push(...missing)
    return { passed: report.numPassedTests, failed: isGood ? names.length : Math.max(1, names.length), names }
  } catch {
    return { passed: 0, failed: 1, names: [] }
  }
}

/** Prints the failed tests, then `N passed, N failed`. */
export const printCounts = ({ failed, names, passed }: Counts): void => {
  for (const name of names) console.log(`FAILED ${name}`)
  console.log(`${passed} passed, ${failed} failed`)
}
