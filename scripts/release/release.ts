/**
 * Builds, packs, describes and publishes a release: `node scripts/release/release.ts [--dry-run] [--out folder] [--registry
 * url]`. With `--dry-run`, nothing is published. The release workflow runs the same steps.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { tarballsOf } from "../release-packages.ts"
import { licenseList, licensesOf, refusedLicenses } from "./licenses.ts"
import { publishOrder, sbomOf } from "./sbom.ts"

const root = join(import.meta.dirname, "../..")

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean", default: false },
    out: { type: "string", default: join(root, ".cache/release") },
    registry: { type: "string" }
  }
})
const run = (program: string, ...args: ReadonlyArray<string>) =>
  execFileSync(program, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", maxBuffer: 1 << 26 })
const runPnpm = (...args: ReadonlyArray<string>) => run("npx", "--yes", "pnpm@12", ...args)
const folder = values.out
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  console.log(`wrote ${name}`)
}

mkdirSync(folder, { recursive: true })
if (tarballsOf(folder).size > 0) throw new Error(`${folder} contains tarballs of another run. Remove them.`)
process.stdout.write(run(process.execPath, "scripts/compatibility/check.ts"))

const sboms = publishOrder.map((name) => ({ name, sbom: sbomOf(name) }))
const licenses = licensesOf(sboms.map(({ sbom }) => sbom))
const refused = refusedLicenses(licenses)
if (refused.length > 0) throw new Error(refused.join("\n"))
write("licenses.md", licenseList(licenses))
for (const { name, sbom } of sboms) write(`${name}.cdx.json`, `${JSON.stringify(sbom, null, 2)}\n`)

console.log("build and pack the packages")
runPnpm("-r", "--workspace-concurrency=2", "--filter", "./packages/*", "run", "build")
runPnpm("-r", "--filter", "./packages/*", "pack", "--pack-destination", folder)
const tarballs = tarballsOf(folder)

const files = publishOrder.map((short) => {
  const name = `@orgplane/${short}`
  const file = tarballs.get(name)
  if (file === undefined) throw new Error(`${name} was not packed.`)
  return { name, file, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") }
})
write("SHA256SUMS", files.map(({ file, sha256 }) => `${sha256}  ${basename(file)}\n`).join(""))

const registry = values.registry === undefined ? [] : ["--registry", values.registry]
for (const { file, name } of files) {
  if (values["dry-run"]) {
    console.log(`would publish ${name}: ${basename(file)}`)
    continue
  }
  // In CI, npm authenticates by OIDC and signs a provenance statement.
  const provenance = process.env["GITHUB_ACTIONS"] === "true" ? "--provenance" : "--provenance=false"
  run("npm", "publish", file, "--access", "public", provenance, ...registry)
  console.log(`published ${name}`)
}
