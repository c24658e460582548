/** The temporary directories in which backups are verified. They contain secret keys. */
import * as Effect from "effect/Effect"
import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isLockFile, lockDataDir } from "../../infra/sql/data-dir.ts"
import { codeOf, rootOf } from "../../infra/sql/failure-code.ts"
import { diskFullCode, failed } from "./failure.ts"

const prefix = "orgplane-verify-"
const leftoversMax = 100
const attemptsMax = 5

const remove = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 })

/** Whether this user owns the directory, and a process has locked it. */
const isOwn = async (directory: string): Promise<boolean> => {
  const stats = await lstat(directory).catch(() => undefined)
  if (stats?.isDirectory() !== true || stats.uid !== (process.getuid?.() ?? stats.uid)) return false
  return (await readdir(directory).catch(() => [])).some(isLockFile)
}

/** Deletes a directory unless a process holds its lock. */
const removeDead = (directory: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* lockDataDir(directory)
      yield* Effect.tryPromise(async () => {
        const names = await readdir(directory)
        for (const name of names.filter((name) => !isLockFile(name))) await remove(join(directory, name))
      })
    })
  ).pipe(Effect.andThen(Effect.tryPromise(() => remove(directory))), Effect.ignore)

/** Deletes the directories that killed verifications left. */
const removeLeftovers = Effect.gen(function* () {
  const names = yield* Effect.promise(() => readdir(tmpdir()).catch((): Array<string> => []))
  const directories = names.filter((name) => name.startsWith(prefix)).map((name) => join(tmpdir(), name))
  for (const directory of directories.slice(0, leftoversMax)) {
    if (yield* Effect.promise(() => isOwn(directory))) yield* removeDead(directory)
  }
})

/** A new directory that only this user can read. It is locked, so that other verifications do not delete it. */
const makeLocked = Effect.gen(function* () {
  for (let attempt = 1; ; attempt += 1) {
    const directory = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => mkdtemp(join(tmpdir(), prefix)), catch: (cause) => cause }),
      (directory) => Effect.promise(() => remove(directory).catch(() => {}))
    )
    // Until the directory is locked, another verification can treat it as a leftover and lock it.
    const locked = yield* Effect.result(lockDataDir(directory))
    if (locked._tag === "Success") return directory
    if (attempt === attemptsMax) return yield* Effect.fail(locked.failure)
  }
}).pipe(
  Effect.mapError((error) =>
    diskFullCode(error) === undefined
      ? failed(
          `Cannot create a directory in the temporary directory ${tmpdir()} (${codeOf(rootOf(error)) ?? "unknown error"}). Set the environment variable TMPDIR to a directory that this user can write to.`
        )
      : error
  )
)

/** Passes an empty temporary directory, and deletes it afterwards. First deletes those of killed verifications. */
export const inTemporaryDirectory = <A, E, R>(use: (directory: string) => Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* removeLeftovers
      const directory = join(yield* makeLocked, "data")
      yield* Effect.tryPromise({ try: () => mkdir(directory, { mode: 0o700 }), catch: (cause) => cause })
      return yield* use(directory)
    })
  )
