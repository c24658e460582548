import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import { processStart } from "../process-start.ts"

/** Another living process has the directory. */
export class DataDirLocked extends Data.TaggedError("DataDirLocked")<{
  readonly directory: string
  readonly pid: number
  readonly message: string
}> {}

/** The directory cannot be made or written. */
export class DataDirUnusable extends Data.TaggedError("DataDirUnusable")<{
  readonly directory: string
  readonly message: string
  readonly cause: unknown
}> {}

interface Holder {
  readonly pid: number
  readonly startedAt: string | undefined
  readonly host: string
}

const prefix = "orgplane.lock."
const touchMillis = 10_000
/** A holder on another machine (or container) cannot be asked; it counts as living while it touches its file. */
const foreignStaleMillis = 60_000

const parse = (text: string): Holder | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== "object" || value === null || !("pid" in value) || typeof value.pid !== "number")
      return undefined
    return {
      pid: value.pid,
      startedAt: "startedAt" in value && typeof value.startedAt === "string" ? value.startedAt : undefined,
      host: "host" in value && typeof value.host === "string" ? value.host : hostname()
    }
  } catch {
    return undefined
  }
}

const lives = async (holder: Holder, path: string): Promise<boolean> => {
  if (holder.host !== hostname()) {
    const touched = await stat(path).catch(() => undefined)
    return touched !== undefined && Date.now() - touched.mtimeMs < foreignStaleMillis
  }
  try {
    process.kill(holder.pid, 0)
  } catch (cause) {
    // EPERM: it is there, but not ours.
    if (!(cause instanceof Error && "code" in cause && cause.code === "EPERM")) return false
  }
  const startedAt = await processStart(holder.pid)
  // The number may have gone to another process since.
  return holder.startedAt === undefined || startedAt === undefined || startedAt === holder.startedAt
}

/** The living holder of another lock file here, if any; files of the dead are removed on the way. */
const otherHolder = async (directory: string, own: string): Promise<Holder | undefined> => {
  const names = (await readdir(directory)).filter((name) => name.startsWith(prefix) && name !== own)
  for (const name of names) {
    const path = join(directory, name)
    const text = await readFile(path, "utf8").catch(() => undefined)
    if (text === undefined) continue
    const holder = parse(text)
    if (holder !== undefined && (await lives(holder, path))) return holder
    // No file name is used twice, so this cannot be the lock of somebody who came in between.
    await rm(path, { force: true })
  }
  return undefined
}

const attempts = 8
const pause = () => new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 80))

/**
 * Every contender first shows its own file, whole at once by a rename, and only then looks for others:
 * of two, the later to look sees the other, so both cannot win. When both step back, they try again at odd times.
 */
const take = async (directory: string): Promise<string | Holder> => {
  const own = `${prefix}${process.pid}.${randomUUID()}`
  const path = join(directory, own)
  const content: Holder = { pid: process.pid, startedAt: await processStart(process.pid), host: hostname() }
  const hidden = join(directory, `.${own}`)
  for (let attempt = 1; ; attempt++) {
    const before = await otherHolder(directory, own)
    if (before === undefined) {
      await writeFile(hidden, JSON.stringify(content), { flag: "wx", mode: 0o600 })
      await rename(hidden, path)
      const after = await otherHolder(directory, own)
      if (after === undefined) return path
      await rm(path, { force: true })
    }
    if (before !== undefined && attempt >= attempts) return before
    // A rival that steps back is gone in a moment; a real holder stays through every attempt.
    await pause()
    if (attempt > attempts * 4) throw new Error("Other processes keep contending for the directory.")
  }
}

/** Makes the directory for this user alone and holds it for this process until the scope closes. */
export const lockDataDir = (directory: string): Effect.Effect<void, DataDirLocked | DataDirUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const taken = yield* Effect.tryPromise({
        try: async () => {
          await mkdir(directory, { recursive: true, mode: 0o700 })
          return take(directory)
        },
        catch: (cause) =>
          new DataDirUnusable({
            directory,
            message: `The data directory ${directory} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`,
            cause
          })
      })
      if (typeof taken !== "string") {
        const where = taken.host === hostname() ? "" : ` on ${taken.host}`
        return yield* new DataDirLocked({
          directory,
          pid: taken.pid,
          message:
            `The data directory ${directory} is in use by process ${taken.pid}${where}. ` +
            "Stop that process, or name another directory."
        })
      }
      const touch = setInterval(() => {
        const now = new Date()
        utimes(taken, now, now).catch(() => {})
      }, touchMillis)
      touch.unref()
      return { path: taken, touch }
    }),
    ({ path, touch }) =>
      Effect.promise(async () => {
        clearInterval(touch)
        await rm(path, { force: true }).catch(() => {})
      })
  ).pipe(Effect.asVoid)
