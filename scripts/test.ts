/** Runs all checks and tests. The last line is `N passed, N failed`; each static check counts as one test. */
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { temporaryParent } from "../test/temporary-parent.ts"
import { root, run, runStaticChecks } from "./checks.ts"
import { countsOf, printCounts, reportingTo } from "./vitest-report.ts"

mkdirSync(join(root, ".cache"), { recursive: true })
const report = join(root, ".cache/vitest.json")
const checks = await runStaticChecks()
const temporary = mkdtempSync(join(await temporaryParent(), "orgplane-tests-"))
// Test servers run as another user when the tests run as root.
chmodSync(temporary, 0o755)
// Ctrl-C also reaches the tests. The temporary files are removed when they have ended.
process.on("SIGINT", () => undefined)
const filters = process.argv.slice(2)
const tests = await run({ name: "tests", command: ["vitest", "run", ...reportingTo(report), ...filters] }, true, {
  TMPDIR: temporary
})
rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
/** A run of everything runs each of them: a project that is left out, or a pattern that matches nothing, is a failure. */
const suites = globSync(["packages/*/{src,test}/**/*.test.ts", "{test,examples,bench}/**/*.test.ts"], {
  cwd: root,
  exclude: ["**/node_modules/**", "**/dist/**"]
})
const counts = countsOf(report, tests.isGood, filters.length === 0 ? suites : [])
const failed = counts.failed + checks.filter(({ isGood }) => !isGood).length
const passed = counts.passed + checks.filter(({ isGood }) => isGood).length
printCounts({ passed, failed, names: counts.names })
process.exitCode = failed === 0 ? 0 : 1
