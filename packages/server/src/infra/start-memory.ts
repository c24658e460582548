import * as Effect from "effect/Effect"
import { performance } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const intervalMillis = 5000
const intervalsMax = 12
/** A collection blocks the event loop for tens of milliseconds, so it runs only if utilization was at most this. */
const utilizationMax = 0.1

const collectGarbage = () => {
  // Node has no API for this. Only contexts that are created while the flag is set have the function.
  setFlagsFromString("--expose-gc")
  try {
    runInNewContext("gc()")
  } finally {
    setFlagsFromString("--no-expose-gc")
  }
}

/**
 * Collects garbage at most once: after the first five seconds in which the event loop is mostly idle, within a minute of
 * startup. V8 collects garbage only when memory is allocated, so an idle server would keep all memory that startup used.
 * V8 then also returns the free memory to the operating system. A busy server does not need this.
 *
 * A collection affects the whole process, so only the program calls this, not the library.
 */
export const collectStartMemory = Effect.gen(function* () {
  for (let interval = 1; interval <= intervalsMax; interval += 1) {
    const before = performance.eventLoopUtilization()
    yield* Effect.sleep(intervalMillis)
    if (performance.eventLoopUtilization(before).utilization <= utilizationMax) return collectGarbage()
  }
})
