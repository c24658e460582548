import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { attempt } from "./failure.ts"

const prefix = "git-"

/** A folder that only this process's user can read, deleted with its scope. */
export const makeWorkFolder = (workDir: string) =>
  Effect.acquireRelease(
    attempt(async () => {
      await mkdir(workDir, { recursive: true, mode: 0o700 })
      return mkdtemp(join(workDir, prefix))
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }).catch(() => undefined))
  )

/** Longer than any snapshot is used; older folders were left by a process that was killed. */
const abandonedMillis = 6 * 60 * 60 * 1000

export const removeAbandoned = Effect.fnUntraced(function* (workDir: string) {
  const now = yield* Clock.currentTimeMillis
  yield* Effect.promise(async () => {
    const names = await readdir(workDir).catch(() => [])
    for (const name of names.filter((name) => name.startsWith(prefix))) {
      const path = join(workDir, name)
      const stats = await stat(path).catch(() => undefined)
      if (stats !== undefined && now - stats.mtimeMs > abandonedMillis) {
        await rm(path, { recursive: true, force: true }).catch(() => undefined)
      }
    }
  })
})
