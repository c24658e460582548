/**
 * Raises the versions and writes the changelogs from the changesets: `node scripts/release/version.ts`. Also writes the
 * version into the files of `deploy`, and the generated files.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { manifestOf } from "./sbom.ts"

const root = join(import.meta.dirname, "../..")

/** Where files of `deploy`, and the page about them, contain the version. The groups are the text around it. */
const places: Readonly<Record<string, RegExp>> = {
  "deploy/container/Containerfile": /(^ARG VERSION=)\S+()$/gmu,
  "deploy/compose/compose.yaml": /(\$\{ORGPLANE_IMAGE:-orgplane:)[^}\s]+(\})/gu,
  "deploy/helm/orgplane/Chart.yaml": /(^(?:version|appVersion): "?)\d[\w.-]*("?)$/gmu,
  "docs/containers.md": /(\borgplane:)\d+\.\d+\.\d+()\b/gu
}

/** The text of a file with another version. Fails if it contains none. */
export const withVersion = (path: string, text: string, version: string): string => {
  const place = places[path]
  if (place === undefined || text.search(place) === -1) throw new Error(`${path} does not contain the version.`)
  return text.replaceAll(place, `$1${version}$2`)
}

export const versionedFiles = Object.keys(places)

if (import.meta.main) {
  const run = (...args: ReadonlyArray<string>) =>
    execFileSync("npx", ["--yes", "pnpm@12", ...args], { cwd: root, stdio: "inherit" })
  run("exec", "changeset", "version")
  const { version } = manifestOf("server")
  for (const path of versionedFiles) {
    const file = join(root, path)
    writeFileSync(file, withVersion(path, readFileSync(file, "utf8"), version))
  }
  run("codegen")
  console.log(`The version is ${version}.`)
}
