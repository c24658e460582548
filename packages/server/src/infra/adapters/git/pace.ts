import { setImmediate } from "node:timers/promises"

/** Yields to the event loop between pieces of long work, and ends the work when it is aborted. */
export interface Pace {
  /** Call after each piece with its approximate cost in bytes. */
  readonly step: (bytes: number) => Promise<void>
  readonly signal: AbortSignal
}

/** About 5 ms of inflating and hashing. */
const bytesPerSlice = 512 * 1024
/** The fixed cost of a lookup and an inflate, about 150 µs, so that many tiny pieces count as well. */
const bytesPerStep = 16 * 1024

export const makePace = (signal: AbortSignal): Pace => {
  let spent = 0
  return {
    signal,
    step: async (bytes) => {
      spent += bytes + bytesPerStep
      if (spent < bytesPerSlice) return
      spent = 0
      await setImmediate()
      signal.throwIfAborted()
    }
  }
}
