/**
 * Checks that every commit of a range loads and passes `pnpm check`: `node scripts/release/check-commits.ts <from> [to]`.
 * Each commit is checked out in its own work tree.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")
const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()

const [from, to = "HEAD"] = process.argv.slice(2)
if (from === undefined) throw new Error("Usage: node scripts/release/check-commits.ts <from> [to]")

// Merges are checked too, because a merge of two good commits can fail.
const commits = git("rev-list", "--reverse", `${from}..${to}`).split("\n").filter(Boolean)
const folder = mkdtempSync(join(tmpdir(), "orgplane-commits-"))
const failed: Array<string> = []
try {
  for (const [index, commit] of commits.entries()) {
    const tree = join(folder, String(index))
    const title = git("log", "-1", "--format=%h %s", commit)
    git("worktree", "add", "--quiet", "--detach", tree, commit)
    const steps = [["install", "--frozen-lockfile", "--prefer-offline"], ["check"]]
    const isGood = steps.every((args) => {
      const { status, stderr, stdout } = spawnSync("npx", ["--yes", "pnpm@12", ...args], {
        cwd: tree,
        encoding: "utf8"
      })
      if (status !== 0) console.error(`${stdout}${stderr}`)
      return status === 0
    })
    console.log(`${isGood ? "ok    " : "FAILED"} ${title}`)
    if (!isGood) failed.push(title)
    git("worktree", "remove", "--force", tree)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
  git("worktree", "prune")
}
console.log(`${commits.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length === 0 ? 0 : 1
