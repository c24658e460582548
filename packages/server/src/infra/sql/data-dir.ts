import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { mkdir, open, readdir, readFile, readlink, rename, rm, stat, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import { processStart } from "../process-start.ts"
import { type OsLock, takeOsLock } from "./os-lock.ts"

/** Another running process uses the directory. */
export class DataDirLocked extends Data.TaggedError("DataDirLocked")<{
  readonly directory: string
  readonly pid: number | undefined
  readonly message: string
}> {}

/** The directory cannot be created or written to. */
export class DataDirUnusable extends Data.TaggedError("DataDirUnusable")<{
  readonly directory: string
  readonly message: string
  readonly cause: unknown
}> {}

interface Holder {
  readonly pid: number
  readonly startedAt: string | undefined
  readonly host: string
  /** The boot ID of its kernel; unknown for holders of older releases. */
  readonly kernel: string | undefined
  /** The PID namespace: process IDs are valid only inside it. */
  readonly namespace: string | undefined
  /** Whether it also holds the operating system's lock. */
  readonly osLock: boolean
}

export const lockFileName = "orgplane.lock"
const prefix = `${lockFileName}.`

/** Files of the lock, which do not count when the directory is checked for content. */
export const isLockFile = (name: string): boolean =>
  name === lockFileName ||
  name.startsWith(prefix) ||
  name.startsWith(`.${prefix}`) ||
  name.startsWith(`${lockFileName}-`)

const beatMillisDefault = 1000
/** Number of missed heartbeats after which a holder that cannot be checked directly is considered stopped. */
const missedBeats = 10
/** Holders of older releases touch their file every ten seconds. */
const oldTouchMillis = 30_000

const textIn = (value: object, key: string): string | undefined => {
  const member: unknown = (value as Readonly<Record<string, unknown>>)[key]
  return typeof member === "string" ? member : undefined
}

const parse = (text: string): Holder | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== "object" || value === null || !("pid" in value) || typeof value.pid !== "number")
      return undefined
    return {
      pid: value.pid,
      startedAt: textIn(value, "startedAt"),
      host: textIn(value, "host") ?? hostname(),
      kernel: textIn(value, "kernel"),
      namespace: textIn(value, "namespace"),
      osLock: "osLock" in value && value.osLock === true
    }
  } catch {
    return undefined
  }
}

/**
 * Identifies this process to other processes. Without a boot ID, they do not assume that it runs on the same kernel.
 */
export const describeProcess = async (osLock: boolean): Promise<Holder> => {
  const isLinux = process.platform === "linux"
  const boot = isLinux
    ? await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => randomUUID())
    : hostname()
  const namespace = isLinux ? await readlink("/proc/self/ns/pid").catch(() => randomUUID()) : "all"
  return {
    pid: process.pid,
    startedAt: await processStart(process.pid),
    host: hostname(),
    kernel: boot.trim(),
    namespace,
    osLock
  }
}

const isRunning = async ({ pid, startedAt }: Holder): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    // EPERM: the process exists but belongs to another user.
    if (!(cause instanceof Error && "code" in cause && cause.code === "EPERM")) return false
  }
  const current = await processStart(pid)
  // The PID may have been reused.
  return startedAt === undefined || current === undefined || current === startedAt
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
/** A heartbeat changes the content, because network file systems may cache the modification time. */
const stateOf = async (path: string): Promise<string | undefined> => {
  const text = await readFile(path, "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  return parse(text)?.kernel === undefined ? `${text}${(await stat(path).catch(() => undefined))?.mtimeMs}` : text
}

interface Waiting {
  readonly own: Holder
  readonly ownPath: string
  readonly beatMillis: number
}

/**
 * Whether a holder is alive. On the same kernel, this is known immediately. A holder on another machine, or in another
 * container if the file system has no locks, is observed for heartbeats. Its timestamps are never compared with the
 * local clock.
 */
const lives = async (holder: Holder, path: string, { beatMillis, own, ownPath }: Waiting): Promise<boolean> => {
  if (holder.kernel === own.kernel) {
    if (holder.osLock && own.osLock) return false
    if (holder.namespace === own.namespace) return isRunning(holder)
  }
  const silentMillis = holder.kernel === undefined ? oldTouchMillis : beatMillis * missedBeats
  const before = await stateOf(path)
  if (holder.kernel === undefined) {
    if (holder.host === own.host && (await isRunning(holder))) return true
    const [theirs, ours] = await Promise.all([stat(path).catch(() => undefined), stat(ownPath).catch(() => undefined)])
    // Both times come from the file system's clock.
    if (theirs !== undefined && ours !== undefined && ours.mtimeMs - theirs.mtimeMs > silentMillis) return false
  }
  for (const began = performance.now(); performance.now() - began < silentMillis;) {
    await pause(Math.min(250, beatMillis))
    const now = await stateOf(path)
    if (now === undefined) return false
    if (now !== before) return true
  }
  // Renames the file first and then reads it again, so that a heartbeat in between is detected.
  const aside = `${path}.silent`
  await rename(path, aside).catch(() => {})
  const last = await stateOf(aside)
  if (last === undefined || last === before) {
    await rm(aside, { force: true })
    return false
  }
  await rename(aside, path).catch(() => {})
  return true
}

/** The live holder of another lock file, if any; files of dead holders are deleted. */
const otherHolder = async (directory: string, waiting: Waiting): Promise<Holder | undefined> => {
  const names = (await readdir(directory)).filter((name) => name.startsWith(prefix) && !name.endsWith(".silent"))
  for (const name of names) {
    const path = join(directory, name)
    if (path === waiting.ownPath) continue
    const text = await readFile(path, "utf8").catch(() => undefined)
    if (text === undefined) continue
    const holder = parse(text)
    if (holder !== undefined && (await lives(holder, path, waiting))) return holder
    // File names are never reused, so this cannot be the lock of a process that has started in the meantime.
    await rm(path, { force: true })
  }
  return undefined
}

/** The holder of the operating system's lock according to its file. */
const describedHolder = async (directory: string): Promise<Holder | undefined> => {
  const names = (await readdir(directory)).filter((name) => name.startsWith(prefix))
  const files = await Promise.all(
    names.map(async (name) => ({
      text: await readFile(join(directory, name), "utf8").catch(() => ""),
      at: (await stat(join(directory, name)).catch(() => undefined))?.mtimeMs ?? 0
    }))
  )
  const [newest] = files.toSorted((a, b) => b.at - a.at)
  return newest === undefined ? undefined : parse(newest.text)
}

const attempts = 8

interface Taken {
  readonly path: string
  readonly text: (beat: number) => string
  readonly osLock: OsLock | undefined
}

/**
 * The operating system's lock decides between processes on the same kernel. Otherwise, each process first publishes its
 * own file, atomically by a rename, and only then checks for others. The later of two processes sees the other's file,
 * so they cannot both get the lock. If both back off, they retry after random delays.
 */
const take = async (
  directory: string,
  beatMillis: number
): Promise<Taken | { readonly holder: Holder | undefined }> => {
  let lock = takeOsLock(join(directory, lockFileName))
  for (let attempt = 1; lock === "busy"; attempt += 1) {
    if (attempt >= attempts) return { holder: await describedHolder(directory) }
    await pause(20 + Math.random() * 80)
    lock = takeOsLock(join(directory, lockFileName))
  }
  const osLock = lock === "unsupported" ? undefined : lock
  try {
    const name = `${prefix}${process.pid}.${randomUUID()}`
    const path = join(directory, name)
    const own = await describeProcess(osLock !== undefined)
    // Fixed length, so that it can be overwritten in place.
    const text = (beat: number) => `${JSON.stringify({ ...own, beat: String(beat).padStart(16, "0") })}\n`
    const hidden = join(directory, `.${name}`)
    for (let attempt = 1; ; attempt += 1) {
      await writeFile(hidden, text(0), { flag: "wx", mode: 0o600 })
      await rename(hidden, path)
      const holder = await otherHolder(directory, { own, ownPath: path, beatMillis })
      if (holder === undefined) return { path, text, osLock }
      await rm(path, { force: true })
      if (attempt >= attempts || holder.kernel !== own.kernel || holder.namespace !== own.namespace) {
        osLock?.release()
        return { holder }
      }
      // The file of a process that backs off disappears soon, while that of an actual holder stays during all attempts.
      await pause(20 + Math.random() * 80)
    }
  } catch (cause) {
    osLock?.release()
    throw cause
  }
}

/** Writes a heartbeat; false when the file is missing, because another process took the directory over. */
const beatOnce = async ({ path, text }: Taken, beat: number): Promise<boolean> => {
  try {
    const file = await open(path, "r+")
    try {
      await file.write(text(beat), 0)
    } finally {
      await file.close()
    }
    return true
  } catch (cause) {
    return !(cause instanceof Error && "code" in cause && cause.code === "ENOENT")
  }
}

const whereOf = (holder: Holder): string => {
  if (holder.host !== hostname()) return ` on ${holder.host}`
  return ""
}

/**
 * Creates the directory with access for this user only, and holds it for this process until the scope closes. Returns
 * an effect that ends when another process took the directory over after missed heartbeats: then nothing may be
 * written.
 */
export const lockDataDir = (
  directory: string,
  { beatMillis = beatMillisDefault }: { readonly beatMillis?: number } = {}
): Effect.Effect<Effect.Effect<void>, DataDirLocked | DataDirUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const taken = yield* Effect.tryPromise({
        try: async () => {
          await mkdir(directory, { recursive: true, mode: 0o700 })
          return take(directory, beatMillis)
        },
        catch: (cause) =>
          new DataDirUnusable({
            directory,
            message: `Cannot use the data directory ${directory}: ${cause instanceof Error ? cause.message : String(cause)}. Check ORGPLANE_DATA_DIR.`,
            cause
          })
      })
      if (!("path" in taken)) {
        const { holder } = taken
        const owner = holder === undefined ? "another process" : `process ${holder.pid}${whereOf(holder)}`
        return yield* new DataDirLocked({
          directory,
          pid: holder?.pid,
          message: `The data directory ${directory} is in use by ${owner}. Stop that process, or set ORGPLANE_DATA_DIR to another directory.`
        })
      }
      const lost = yield* Deferred.make<void>()
      let beat = 0
      let beating = Promise.resolve()
      const timer = setInterval(() => {
        beating = beating.then(async () => {
          if (!(await beatOnce(taken, (beat += 1)))) {
            clearInterval(timer)
            Deferred.doneUnsafe(lost, Effect.void)
          }
        })
      }, beatMillis)
      timer.unref()
      return { taken, timer, lost, idle: () => beating }
    }),
    ({ idle, taken, timer }) =>
      Effect.promise(async () => {
        clearInterval(timer)
        await idle()
        await rm(taken.path, { force: true }).catch(() => {})
        taken.osLock?.release()
      })
  ).pipe(Effect.map(({ lost }) => Deferred.await(lost)))
