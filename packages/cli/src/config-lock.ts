/** Lets one process at a time change a file in the configuration directory. */
import { chmod, mkdir, open, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Io } from "./io.ts"
import { configDirectoryOf } from "./profiles.ts"

const pauseMillis = 20
/** A change takes milliseconds. The process of an older lock was killed. */
const waitMillisMax = 5_000

const isHeld = (error: unknown) => error instanceof Error && (error as NodeJS.ErrnoException).code === "EEXIST"

/** Reads and writes a file of the configuration directory while no other process does. */
export const underLock = async <A>(io: Io, name: string, change: () => Promise<A>): Promise<A> => {
  const directory = configDirectoryOf(io.env)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  const path = join(directory, `${name}.lock`)
  const owner = crypto.randomUUID()
  const read = () => readFile(path, "utf8").catch(() => "")
  let [holder, waitedMillis] = ["", 0]
  for (;;) {
    try {
      const file = await open(path, "wx", 0o600)
      try {
        await file.writeFile(owner)
      } finally {
        await file.close()
      }
      break
    } catch (error) {
      if (!isHeld(error)) throw error
    }
    const current = await read()
    if (current !== holder) [holder, waitedMillis] = [current, 0]
    else if (waitedMillis >= waitMillisMax) await rm(path, { force: true })
    await io.sleep(pauseMillis)
    waitedMillis += pauseMillis
  }
  try {
    return await change()
  } finally {
    // After a change that took too long, it may be the lock of another process.
    if ((await read()) === owner) await rm(path, { force: true })
  }
}
