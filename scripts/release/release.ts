/**
 * Builds, packs, describes and publishes a release: `node scripts/release/release.ts [--dry-run] [--out folder] [--registry
 * url]`. With `--dry-run`, nothing is published. The release workflow runs the same steps.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { tarballsOf } from "../release-packages.ts"
import { licenseList, productionLicenses, refusedLicenses } from "./licenses.ts"

const root = join(import.meta.dirname, "../..")

/** Packages are published after those that they depend on, so that each of them can be installed at once. */
export const publishOrder = ["@orgplane/schema", "@orgplane/client", "@orgplane/server", "@orgplane/cli"] as const

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
const compatibility = run(process.execPath, "scripts/compatibility/check.ts")
process.stdout.write(compatibility)

const licenses = productionLicenses()
const refused = refusedLicenses(licenses)
if (refused.length > 0) throw new Error(refused.join("\n"))
write("licenses.md", licenseList(licenses))

console.log("build and pack the packages")
runPnpm("-r", "--workspace-concurrency=2", "--filter", "./packages/*", "run", "build")
runPnpm("-r", "--filter", "./packages/*", "pack", "--pack-destination", folder)
const tarballs = tarballsOf(folder)

for (const name of publishOrder) {
  const short = name.replace("@orgplane/", "")
  // The development dependencies of the CLI are in its bundle.
  const dependencies = name === "@orgplane/cli" ? [] : ["--prod"]
  const type = short === "cli" || short === "server" ? "application" : "library"
  const sbom = ["sbom", "--sbom-format", "cyclonedx", "--sbom-spec-version", "1.6", "--sbom-type", type]
  write(`${short}.cdx.json`, runPnpm("--filter", name, ...sbom, ...dependencies))
}

const files = publishOrder.map((name) => {
  const file = tarballs.get(name)
  if (file === undefined) throw new Error(`${name} was not packed.`)
  return { name, file, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") }
})
write("SHA256SUMS", files.map(({ file, sha256 }) => `${sha256}  ${file.slice(folder.length + 1)}\n`).join(""))

const registry = values.registry === undefined ? [] : ["--registry", values.registry]
for (const { file, name } of files) {
  if (values["dry-run"]) {
    console.log(`would publish ${name}: ${file.slice(folder.length + 1)}`)
    continue
  }
  // In CI, npm authenticates by OIDC and signs a provenance statement.
  const provenance = process.env["GITHUB_ACTIONS"] === "true" ? "--provenance" : "--provenance=false"
  run("npm", "publish", file, "--access", "public", provenance, ...registry)
  console.log(`published ${name}`)
}
