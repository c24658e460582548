/**
 * Builds, packs, describes and publishes a release: `node scripts/release/release.ts [--dry-run] [--out folder] [--registry
 * url]`. With `--dry-run`, nothing is published. The release workflow runs the same steps.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { packedPackages } from "../packed-packages.ts"
import { tarballsOf } from "../release-packages.ts"
import { licenseList, licensesOf, refusedLicenses } from "./licenses.ts"
import { filesOf, publish } from "./publish.ts"
import { manifestOf, publishOrder, sbomOf } from "./sbom.ts"

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
const folder = values.out
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  console.log(`wrote ${name}`)
}

mkdirSync(folder, { recursive: true })
// Those of an earlier run may have another version.
for (const file of tarballsOf(folder).values()) rmSync(file)
process.stdout.write(run(process.execPath, "scripts/compatibility/check.ts"))

// npm rejects a package with provenance and without the repository that it was built from.
const withoutRepository = publishOrder.filter((name) => !("repository" in manifestOf(name)))
if (process.env["GITHUB_ACTIONS"] === "true" && !values["dry-run"] && withoutRepository.length > 0) {
  const files = withoutRepository.map((name) => `packages/${name}/package.json`).join(", ")
  throw new Error(`Set repository in ${files}: npm requires it for a provenance statement.`)
}

const sboms = await Promise.all(publishOrder.map(async (name) => ({ name, sbom: await sbomOf(name) })))
const licenses = licensesOf(sboms.map(({ sbom }) => sbom))
const refused = refusedLicenses(licenses)
if (refused.length > 0) throw new Error(refused.join("\n"))
write("licenses.md", licenseList(licenses))
for (const { name, sbom } of sboms) write(`${name}.cdx.json`, `${JSON.stringify(sbom, null, 2)}\n`)

console.log("build and pack the packages")
for (const file of (await packedPackages()).values()) copyFileSync(file, join(folder, basename(file)))
const sums = filesOf(folder).map(({ file }) => {
  const digest = createHash("sha256").update(readFileSync(file)).digest("hex")
  return `${digest}  ${basename(file)}\n`
})
write("SHA256SUMS", sums.join(""))

publish(folder, { dryRun: values["dry-run"], registry: values.registry })
