/**
 * The checks to run before each commit, in about a minute: types, lint of the changed files, format, generated files,
 * compatibility with the last release, unit tests, and the suites that the changed files reach. `pnpm test` lints all files.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { type Check, compatible, format, generated, lint, type Outcome, root, run, types } from "./checks.ts"
import { suitesOf } from "./reached-suites.ts"

const git = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "")

/** Files that differ from the last commit, and untracked files. */
const changed = [...git("diff", "--name-only", "HEAD"), ...git("ls-files", "--others", "--exclude-standard")]
const testFolders = ["server", "cli", "client", "console"].map((name) => `packages/${name}/test`)
const suites = suitesOf(changed, git("ls-files", ...testFolders))

const linted = changed.filter((path) => /\.tsx?$/.test(path) && existsSync(join(root, path)))

mkdirSync(join(root, ".cache"), { recursive: true })
const unitTests = { name: "unit tests", command: ["vitest", "run", "--project", "unit", "--reporter", "dot"] } as const

/** The linter ignores generated files, which may be the only changed ones. */
const lintOf = (files: ReadonlyArray<string>): Check => ({
  ...lint,
  command: [...lint.command, "--no-error-on-unmatched-pattern", ...files]
})

/** Runs the other checks one after the other, concurrently with the type check, which keeps one processor busy. */
const others = async (): Promise<ReadonlyArray<Outcome>> => {
  const outcomes: Array<Outcome> = []
  if (linted.length > 0) outcomes.push(await run(lintOf(linted), false))
  for (const check of [format, generated, compatible, unitTests]) outcomes.push(await run(check, false))
  return outcomes
}
const outcomes = (await Promise.all([run(types, false).then((outcome) => [outcome]), others()])).flat()
if (suites.length > 0) {
  console.log(`Suites reached by the changed files (${suites.length}): ${suites.join(", ")}`)
  outcomes.push(
    await run(
      {
        name: "reached suites",
        command: [
          "vitest",
          "run",
          ...["postgres", "process", "browser"].flatMap((name) => ["--project", name]),
          "--reporter",
          "dot",
          ...suites
        ]
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
