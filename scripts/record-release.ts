/**
 * Records a release: `node scripts/record-release.ts [commit]` builds the packages of the commit, by default HEAD, and
 * writes `releases/<version>.json`. Commit the file after the release's commit.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { buildRelease, integrityOf, type Release } from "./release-packages.ts"

const root = join(import.meta.dirname, "..")
const output = (program: string, ...args: ReadonlyArray<string>) =>
  execFileSync(program, args, { cwd: root, encoding: "utf8" }).trim()

const commit = output("git", "rev-parse", `${process.argv[2] ?? "HEAD"}^{commit}`)
const pnpm = output("npx", "--yes", "pnpm@12", "--version")
const { app, tarballs } = buildRelease({ commit, pnpm })
const manifest = JSON.parse(readFileSync(join(app, "node_modules/@orgplane/server/package.json"), "utf8")) as {
  readonly version: string
}
const names = output("git", "ls-tree", "--name-only", commit, "packages/server/src/infra/sql/migrations/")
const schemaVersion = Math.max(...[...names.matchAll(/\/(\d{4})_/g)].map((match) => Number(match[1])))
const release: Release = {
  version: manifest.version,
  commit,
  schemaVersion,
  pnpm,
  integrity: integrityOf(tarballs)
}
const file = join("releases", `${release.version}.json`)
writeFileSync(join(root, file), `${JSON.stringify(release, null, 2)}\n`)
console.log(`wrote ${file}`)
