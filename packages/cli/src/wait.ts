/** Waits for work on the server, with progress on stderr and a timeout. */
import type { Connection } from "./connection.ts"
import { exit } from "./exit-code.ts"
import { Failure, Interrupted } from "./failure.ts"
import { type Io, notify } from "./io.ts"
import { startProgress } from "./progress.ts"

const firstPollMillis = 500
const pollMillisMax = 4_000

export interface WaitOptions {
  readonly io: Io
  readonly connection: Connection
  readonly quiet: boolean
  readonly timeoutSeconds: number
}

export interface Poll<State> {
  readonly initial: State
  readonly isRunning: (state: State) => boolean
  readonly load: () => Promise<State>
  readonly describe: (state: State) => string
  /** The completed fraction of the work, from 0 to 1, if known. */
  readonly shareOf?: (state: State) => number | undefined
  /** The unfinished work, for the message after a timeout: `The sync is not finished`. */
  readonly unfinished: string
  /** How to check on the work after a timeout or an interruption. */
  readonly continues: string
}

/** Polls until the work is no longer running. Returns its last state. */
export const waitFor = async <State>(options: WaitOptions, poll: Poll<State>): Promise<State> => {
  const { io, quiet, timeoutSeconds } = options
  const deadline = io.now() + timeoutSeconds * 1000
  const progress = await startProgress(io, poll.describe(poll.initial), quiet)
  let state = poll.initial
  try {
    for (let wait = firstPollMillis; poll.isRunning(state); wait = Math.min(wait * 1.5, pollMillisMax)) {
      if (io.now() + wait > deadline) {
        throw new Failure(exit.failure, `${poll.unfinished} after ${timeoutSeconds} s. ${poll.continues}`)
      }
      await io.sleep(wait)
      state = await poll.load()
      await progress.update(poll.describe(state), poll.shareOf?.(state))
    }
  } catch (error) {
    await progress.stop()
    if (error instanceof Interrupted) await notify(io, poll.continues)
    throw error
  }
  await progress.stop()
  return state
}
