/** Runs all checks and tests. The last line is `N passed, N failed`; each static check counts as one test. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { root, run, runStaticChecks } from "./checks.ts"
import { countsOf, reportingTo } from "./vitest-report.ts"

mkdirSync(join(root, ".cache"), { recursive: true })
const report = join(root, ".cache/vitest.json")
const checks = await runStaticChecks()
const tests = await run(
  { name: "tests", command: ["vitest", "run", ...reportingTo(report), ...process.argv.slice(2)] },
  true
)
const counts = countsOf(report, tests.isGood)
const failed = counts.failed + checks.filter(({ isGood }) => !isGood).length
const passed = counts.passed + checks.filter(({ isGood }) => isGood).length
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
