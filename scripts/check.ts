/**
 * The checks to run before each commit, in about a minute: types, lint, format, generated files, unit tests, and the suites
 * that the changed files reach.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { root, run, runStaticChecks } from "./checks.ts"
import { suitesOf } from "./reached-suites.ts"

const git = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "")

/** Files that differ from the last commit, and untracked files. */
const changed = [...git("diff", "--name-only", "HEAD"), ...git("ls-files", "--others", "--exclude-standard")]
const suites = suitesOf(changed, git("ls-files", "packages/server/test", "packages/cli/test", "packages/client/test"))

mkdirSync(join(root, ".cache"), { recursive: true })
const outcomes = [...(await runStaticChecks())]
outcomes.push(
  await run({ name: "unit tests", command: ["vitest", "run", "--project", "unit", "--reporter", "dot"] }, false)
)
if (suites.length > 0) {
  console.log(`Suites reached by the changed files (${suites.length}): ${suites.join(", ")}`)
  outcomes.push(
    await run(
      {
        name: "reached suites",
        command: ["vitest", "run", "--project", "postgres", "--project", "process", "--reporter", "dot", ...suites]
      },
      false
    )
  )
}
const failed = outcomes.filter(({ isGood }) => !isGood)
console.log(
  failed.length === 0 ? "All checks passed." : `Failed: ${failed.map(({ name }) => name).join(", ")}.`,
  `${(performance.now() / 1000).toFixed(0)} s`
)
process.exitCode = failed.length === 0 ? 0 : 1
