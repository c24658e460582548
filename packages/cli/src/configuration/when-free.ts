/** Waits while the server runs other plans, applies or exports. */
import type { Io } from "../io.ts"
import { textAt } from "../output/value.ts"
import { type Progress, startProgress } from "../progress.ts"

/** Large documents need more than the usual minute. */
export const timeoutMillis = 600_000
const busyMillis = 2_000
const busyMillisMax = 10_000
const busyText = "Waiting for another plan or apply on the server"

/** The error if the server runs another plan or apply of the organization; it made no change. */
const isBusy = (error: unknown): boolean => textAt(error, "code") === "configuration_busy"

/** Repeats a request until no other plan or apply of the organization runs, or the time is over. */
export const whenFree = async (io: Io, quiet: boolean, request: () => Promise<unknown>): Promise<unknown> => {
  const deadline = io.now() + timeoutMillis
  let progress: Progress | undefined
  try {
    for (let wait = busyMillis; ; wait = Math.min(wait * 1.5, busyMillisMax)) {
      try {
        return await request()
      } catch (error) {
        if (!isBusy(error) || io.now() + wait > deadline) throw error
      }
      progress ??= await startProgress(io, busyText, quiet)
      await progress.update(busyText)
      await io.sleep(wait)
    }
  } finally {
    await progress?.stop()
  }
}
