/** Polls a growing list until the command is interrupted. */
import { exit } from "./exit-code.ts"
import { describeFailure } from "./failure.ts"
import { type Io, notify } from "./io.ts"

const firstPollMillis = 1_000
/** Longest interval while the server is unavailable. */
const unavailableMillisMax = 30_000

export interface PollingOptions {
  readonly io: Io
  readonly quiet: boolean
  /** Longest interval while nothing changes. */
  readonly pollMillisMax: number
  /** Returns whether to poll again soon: something changed, or is about to. */
  readonly poll: () => Promise<boolean>
}

/** Whether an error is transient: the server is unreachable, overloaded or rate limiting. */
export const isTransient = (error: unknown): boolean => {
  const { exitCode, status } = describeFailure(error)
  return exitCode === exit.network || exitCode === exit.rateLimited || (status !== undefined && status >= 500)
}

/** Never resolves. Rejects on an interruption or on an error that is not transient. */
export const keepPolling = async ({ io, poll, pollMillisMax, quiet }: PollingOptions): Promise<never> => {
  let wait = firstPollMillis
  let isUnavailable = false
  for (;;) {
    await io.sleep(wait)
    try {
      wait = (await poll()) ? firstPollMillis : Math.min(pollMillisMax, Math.round(wait * 1.5))
      isUnavailable = false
    } catch (error) {
      if (io.signal.aborted || !isTransient(error)) throw error
      // Print this once, not at every attempt.
      if (!isUnavailable && !quiet) await notify(io, `orgplane: ${describeFailure(error).message} Retrying.`)
      isUnavailable = true
      wait = Math.min(unavailableMillisMax, wait * 2)
    }
  }
}
