/** Runs all checks and tests. The last line is `N passed, N failed`; each static check counts as one test. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
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
const tests = await run(
  { name: "tests", command: ["vitest", "run", ...reportingTo(report), ...process.argv.slice(2)] },
  true,
  { TMPDIR: temporary }
)
rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
const counts = countsOf(report, tests.isGood)
const failed = counts.failed + checks.filter(({ isGood }) => !isGood).length
const passed = counts.passed + checks.filter(({ isGood }) => isGood).length
printCounts({ passed, failed, names: counts.names })
process.exitCode = failed === 0 ? 0 : 1
