/**
 * Keeps the public surface of the sources beside this script as that of a release, so that the next versions are compared
 * with it: `node scripts/compatibility/record.ts <version>`. Run it on the release's commit, and commit its files.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { surfaceFile } from "./check.ts"
import { releasedTypes } from "./released-types.ts"
import { currentSurface, printSurface } from "./surface.ts"

const root = join(import.meta.dirname, "../..")

/** The declarations of the client by file name, without comments. */
const clientTypes = (): Readonly<Record<string, string>> => {
  const declarations = mkdtempSync(join(tmpdir(), "orgplane-declarations-"))
  try {
    const options = ["-p", "packages/client/tsconfig.build.json", "--removeComments", "--outDir", declarations]
    execFileSync(join(root, "node_modules/.bin/tsc"), options, { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
    return releasedTypes((name) => readFileSync(join(declarations, name), "utf8"))
  } finally {
    rmSync(declarations, { recursive: true, force: true })
  }
}

const [version = ""] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/u.test(version)) {
  console.error("The version is required, such as 0.2.0: node scripts/compatibility/record.ts <version>")
  process.exitCode = 2
} else {
  const folder = dirname(surfaceFile(version))
  const files = {
    "surface.json": printSurface(await currentSurface()),
    ...Object.fromEntries(Object.entries(clientTypes()).map(([name, text]) => [join("client", name), text]))
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const check = join(root, "test/compatibility/client-types.ts")
  const text = readFileSync(check, "utf8")
  writeFileSync(check, text.replaceAll(/(?<=releases\/)\d+\.\d+\.\d+(?=\/client\/)/gu, version))
  console.log(`wrote releases/${version}: ${Object.keys(files).length} files`)
}
