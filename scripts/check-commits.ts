/**
 * Checks that each commit of a range loads, so that it can be built and bisected: `node scripts/check-commits.ts [--full]
 * <range>`, such as `main..HEAD`. Each commit is checked out in its own work tree: its dependencies are installed, its
 * types are checked, and the packages are loaded. With `--full`, `pnpm check` runs too. The exit code is 1 if one fails.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

const root = join(import.meta.dirname, "..")
const stepMillisMax = 900_000

interface Step {
  readonly name: string
  readonly program: string
  readonly args: ReadonlyArray<string>
}

const pnpm = (name: string, ...args: ReadonlyArray<string>): Step => ({
  name,
  program: "npx",
  args: ["--yes", "pnpm@12", ...args]
})

const entries = ["schema/src/index.ts", "client/src/index.ts", "server/src/index.ts", "cli/src/main.ts"]

/** Loads every module of the packages. The CLI runs when it is loaded, and prints its help. */
const load = (tree: string): Step => {
  const files = entries.map((entry) => `./packages/${entry}`).filter((file) => existsSync(join(tree, file)))
  const code = `for (const file of ${JSON.stringify(files)}) await import(file)`
  return pnpm("load", "exec", "node", "--input-type=module", "--eval", `process.argv[2] = "--help"; ${code}`)
}

const stepsOf = (tree: string, full: boolean): ReadonlyArray<Step> => [
  pnpm("install", "install", "--frozen-lockfile", "--prefer-offline"),
  pnpm("types", "exec", "tsc", "-p", "tsconfig.json"),
  load(tree),
  ...(full ? [pnpm("check", "check")] : [])
]

const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()

/** The first failed step of a commit and its output; undefined if all pass. */
const failureOf = (tree: string, full: boolean): { readonly step: string; readonly output: string } | undefined => {
  for (const { args, name, program } of stepsOf(tree, full)) {
    const options = { cwd: tree, encoding: "utf8", timeout: stepMillisMax, maxBuffer: 1 << 26 } as const
    const { error, status, stderr, stdout } = spawnSync(program, args, options)
    if (status !== 0) return { step: name, output: `${stdout}${stderr}${error?.message ?? ""}` }
  }
  return undefined
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false } }
})
const [range] = positionals
if (range === undefined || !range.includes("..")) {
  console.error("A range of commits is required, such as main..HEAD: node scripts/check-commits.ts [--full] <range>")
  process.exit(2)
}

// Merges are checked too, because a merge of two good commits can fail. Their branches are checked where they begin.
const commits = git("rev-list", "--reverse", "--first-parent", range).split("\n").filter(Boolean)
const folder = mkdtempSync(join(tmpdir(), "orgplane-commits-"))
let failed = 0
try {
  for (const [index, commit] of commits.entries()) {
    const tree = join(folder, String(index))
    const title = git("log", "-1", "--format=%h %s", commit)
    git("worktree", "add", "--quiet", "--detach", tree, commit)
    const startedAt = performance.now()
    const failure = failureOf(tree, values.full)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    if (failure !== undefined) {
      failed += 1
      console.error(failure.output.trimEnd())
    }
    console.log(
      failure === undefined ? `ok     ${title} (${seconds} s)` : `FAILED ${title} (${failure.step}, ${seconds} s)`
    )
    git("worktree", "remove", "--force", tree)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
  git("worktree", "prune")
}
console.log(`${commits.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
