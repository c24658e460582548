/**
 * Where the built console is. The published package contains it. A checkout builds it when its sources change, which takes
 * a few seconds, and keeps the result.
 */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The sources of the build: those of the console and of the client that it uses, and the versions of all packages. */
const sources = ["../src", "../scripts", "../../client/src", "../../../pnpm-lock.yaml"]

const filesBelow = async (path: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) return [path]
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

const digestOfSources = async () => {
  const hash = createHash("sha256")
  for (const source of sources) {
    for (const file of await filesBelow(fileOf(source))) {
      hash
        .update(file.slice(fileOf("..").length))
        .update("\0")
        .update(await readFile(file))
    }
  }
  return hash.digest("hex").slice(0, 16)
}

/** What a build of the console reports, such as the start and the end. */
export interface BuildProgress {
  readonly isBuilding: boolean
  readonly seconds?: number
}

/** The directory of the built console: `index.html`, and hashed files below `assets/` with compressed copies. */
export const consoleDirectory = async (onProgress: (progress: BuildProgress) => void = () => {}): Promise<string> => {
  const published = fileOf("./static/")
  if (existsSync(join(published, "index.html"))) return published
  const directory = join(fileOf("../../../.cache/console"), await digestOfSources())
  if (existsSync(join(directory, "index.html"))) return directory
  const started = performance.now()
  onProgress({ isBuilding: true })
  // The published package does not contain the build, so bundlers must not follow this import.
  const script = new URL("../scripts/build-app.ts", import.meta.url).href
  const { buildApp } = (await import(script)) as { readonly buildApp: (directory: string) => Promise<void> }
  await buildApp(directory)
  onProgress({ isBuilding: false, seconds: (performance.now() - started) / 1000 })
  return directory
}
