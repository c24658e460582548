/** Lets one process at a time change the files of a data directory. */
import { open, readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { exit } from "../exit-code.ts"
import { Failure } from "../failure.ts"
import { type Files } from "./files.ts"

/** No sync takes longer. The process ID of an older lock may belong to a different process by now. */
const heldMillisMax = 3_600_000

const isRunning = (processId: number): boolean => {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** Fails at once if a process is already working: the next scheduled run will succeed. */
export const underDataLock = async <A>(
  files: Files,
  directory: string,
  directoryMode: number,
  now: number,
  work: () => Promise<A>
): Promise<A> => {
  await files.makeDirectory(directory, directoryMode)
  const path = join(directory, "lock")
  for (let tries = 1; ; tries += 1) {
    try {
      const handle = await open(path, "wx", 0o600)
      try {
        await handle.writeFile(String(process.pid))
      } finally {
        await handle.close()
      }
      break
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
      const holder = Number(await readFile(path, "utf8").catch(() => ""))
      const since = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => now
      )
      // An empty file is a lock that is just being written, or whose holder was killed at that moment.
      const isHeld = holder > 0 ? isRunning(holder) && now - since < heldMillisMax : now - since < 5_000
      if (isHeld || tries === 3) {
        throw new Failure(exit.conflict, `Another 'orgplane agents' command is running (process ${holder}). Try again.`)
      }
      await rm(path, { force: true })
    }
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}
