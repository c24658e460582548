/** The packages as they are published. They are built and packed once for the same sources, because it takes a minute. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { cleanEnvironment, tarballsOf } from "./release-packages.ts"

const root = join(import.meta.dirname, "..")
/** Git ignores this folder. */
const cache = join(root, ".cache/packages")

/** What the builds read: each file that Git tracks or could track. */
const inputs = ["packages", "examples/sample-plugins", "LICENSE", "pnpm-lock.yaml", ":(glob)*.json", ":(glob)*.yaml"]

const run = async (command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const PATH = `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`
  const env = { ...cleanEnvironment, PATH, NO_COLOR: "1" }
  try {
    return (await promisify(execFile)(command, args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })).stdout
  } catch (error) {
    const { stderr, stdout } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${command} ${args.join(" ")} failed.\n${stdout ?? ""}\n${stderr ?? ""}`, { cause: error })
  }
}

const digestOfInputs = async (): Promise<string> => {
  const listed = await run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...inputs)
  const hash = createHash("sha256").update(process.version)
  for (const file of new Set(listed.split("\0").toSorted())) {
    const path = join(root, file)
    if (file !== "" && existsSync(path)) hash.update(file).update("\0").update(readFileSync(path))
  }
  return hash.digest("hex").slice(0, 16)
}

/** The folder of the tarballs. It is complete, because it is moved into its place at the end. */
const makeFolder = async (): Promise<string> => {
  const folder = join(cache, await digestOfInputs())
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(join(cache, "making-"))
  const pnpm = ["--yes", "pnpm@12", "-r", "--filter", "./packages/*"]
  await run("npx", ...pnpm, "--workspace-concurrency=2", "run", "build")
  await run("npx", ...pnpm, "pack", "--pack-destination", making)
  for (const earlier of await readdir(cache)) {
    if (join(cache, earlier) !== making) await rm(join(cache, earlier), { recursive: true, force: true })
  }
  await rename(making, folder)
  return folder
}

/** The tarballs of the packages by their names without the scope, such as `server`. */
export const packedPackages = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([...tarballsOf(await makeFolder())].map(([name, file]) => [name.replace("@orgplane/", ""), file]))
