import { setImmediate } from "node:timers/promises"

/** Lets the event loop run between pieces of long work, and ends the work when nobody waits for it any more. */
export interface Pace {
  /** Call after each piece with about how many bytes it cost. */
  readonly step: (bytes: number) => Promise<void>
  readonly signal: AbortSignal
}

/** About 5 ms of inflating and hashing. */
const bytesPerTurn = 512 * 1024
/** So that many tiny pieces count as well: what a lookup and an inflate cost by themselves, 150 µs or so. */
const bytesPerStep = 16 * 1024

export const makePace = (signal: AbortSignal): Pace => {
  let spent = 0
  return {
    signal,
    step: async (bytes) => {
      spent += bytes + bytesPerStep
      if (spent < bytesPerTurn) return
      spent = 0
      await setImmediate()
      signal.throwIfAborted()
    }
  }
}
