/**
 * Where the built console is. The published package contains it. A checkout builds it when its sources change, which takes
 * a few seconds, and keeps the result.
 */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { readdir, readFile, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
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

const buildMillisMax = 120_000

/** Builds in another process, so that the server keeps serving meanwhile, and keeps none of the memory of the build. */
const build = (script: string, directory: string) =>
  new Promise<void>((resolve, reject) => {
    execFile(process.execPath, [script, directory], { timeout: buildMillisMax }, (error, _, stderr) => {
      if (error === null) return resolve()
      const reason = stderr.trim() === "" ? error.message : stderr.trim().slice(0, 2000)
      reject(new Error(`The build of the console failed: ${reason}`))
    })
  })

const keptBuilds = 3

/** Removes the builds of earlier sources, and those that were interrupted, except the newest ones. */
const removeOldBuilds = async (folder: string) => {
  const names = await readdir(folder)
  const builds = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), at: (await stat(join(folder, name))).mtimeMs }))
  )
  const old = builds.toSorted((one, other) => other.at - one.at).slice(keptBuilds)
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })))
}

/** The directory of the built console: `index.html`, and hashed files below `assets/` with compressed copies. */
export const consoleDirectory = async (onProgress: (progress: BuildProgress) => void = () => {}): Promise<string> => {
  const published = fileOf("./static/")
  if (existsSync(join(published, "index.html"))) return published
  const script = fileOf("../scripts/build.ts")
  if (!existsSync(script)) throw new Error("The files of @orgplane/console are missing. Install the package again.")
  const directory = join(fileOf("../../../.cache/console"), await digestOfSources())
  if (existsSync(join(directory, "index.html"))) return directory
  const started = performance.now()
  onProgress({ isBuilding: true })
  await build(script, directory)
  // Another process may remove them at the same time.
  await removeOldBuilds(dirname(directory)).catch(() => {})
  onProgress({ isBuilding: false, seconds: Math.round((performance.now() - started) / 100) / 10 })
  return directory
}
