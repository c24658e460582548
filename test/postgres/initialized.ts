import { execFile } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Binaries, own } from "./binaries.ts"

/** Git ignores this folder. */
const cache = join(import.meta.dirname, "../../.cache/postgres")

interface Spawning {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly uid?: number
  readonly gid?: number
}

const runInitdb = async (programs: Binaries, directory: string, options: ReadonlyArray<string>, spawning: Spawning) => {
  const passwordFile = join(directory, "password")
  await writeFile(passwordFile, randomBytes(12).toString("hex"))
  await promisify(execFile)(
    programs.initdb,
    [`--pgdata=${join(directory, "data")}`, `--pwfile=${passwordFile}`, ...options],
    spawning
  )
}

/** Keeps a complete copy only; another process may have been faster. */
const keep = async (directory: string, kept: string) => {
  await mkdir(cache, { recursive: true })
  const copy = await mkdtemp(join(cache, "making-"))
  for (const name of ["data", "password"]) await cp(join(directory, name), join(copy, name), { recursive: true })
  await rename(copy, kept).catch(() => rm(copy, { recursive: true, force: true }))
}

/**
 * Puts the files of a new server into `data` of the directory, and returns the password of its user `postgres`. Each
 * version is initialized once and then copied, because that takes a tenth of the time.
 */
export const initialize = async (programs: Binaries, directory: string, spawning: Spawning): Promise<string> => {
  const data = join(directory, "data")
  await mkdir(data, { mode: 0o700 })
  if (spawning.uid !== undefined) await own(directory)
  const { stdout: version } = await promisify(execFile)(programs.postgres, ["--version"], spawning)
  const major = Number(/(\d+)/.exec(version)?.[1] ?? 0)
  const options = [
    "--username=postgres",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--no-sync",
    ...(major >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : ["--locale=C.UTF-8"])
  ]
  const digest = createHash("sha256")
    .update(JSON.stringify([version, options]))
    .digest("hex")
  const kept = join(cache, digest.slice(0, 16))
  const password = await readFile(join(kept, "password"), "utf8").catch(() => undefined)
  if (password === undefined) {
    await runInitdb(programs, directory, options, spawning)
    await keep(directory, kept)
    return readFile(join(directory, "password"), "utf8")
  }
  await cp(join(kept, "data"), data, { recursive: true })
  await chmod(data, 0o700)
  if (spawning.uid !== undefined) await own(data)
  return password
}
