/**
 * Every check of the project, one after another, with a line each; ends with «N passed, N failed».
 * A check that is not a test counts as one.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { countsOf, reportingTo } from "./vitest-report.ts"

const root = new URL("..", import.meta.url).pathname
const report = `${root}.cache/vitest.json`

interface Check {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

const checks: ReadonlyArray<Check> = [
  { name: "types", command: ["tsc", "-p", "tsconfig.json"] },
  { name: "lint", command: ["oxlint", "--type-aware", "--deny-warnings"] },
  { name: "format", command: ["oxfmt", "--check", "."] },
  { name: "generated files are fresh", command: ["node", "scripts/codegen.ts", "--check"] }
]

const run = (command: ReadonlyArray<string>) => {
  const [program = "", ...args] = command
  const began = Date.now()
  const { status } = spawnSync(`${root}node_modules/.bin/${program}`, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, PATH: `${root}node_modules/.bin:${process.env["PATH"] ?? ""}`, NO_COLOR: "1" }
  })
  return { isGood: status === 0, seconds: ((Date.now() - began) / 1000).toFixed(1) }
}

let passed = 0
let failed = 0
const count = (isGood: boolean) => {
  if (isGood) passed += 1
  else failed += 1
}

for (const check of checks) {
  const { isGood, seconds } = run(check.command)
  count(isGood)
  console.log(`${isGood ? "ok    " : "FAILED"} ${check.name} (${seconds} s)`)
}

mkdirSync(`${root}.cache`, { recursive: true })
const tests = run(["vitest", "run", ...reportingTo(report), ...process.argv.slice(2)])
const counts = countsOf(report, tests.isGood)
passed += counts.passed
failed += counts.failed
console.log(`${tests.isGood ? "ok    " : "FAILED"} tests (${tests.seconds} s)`)

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
