import * as Effect from "effect/Effect"
import { performance } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const intervalMillis = 5000
const intervalsMax = 12
/** A collection takes some tens of milliseconds, so it waits for an interval in which this share is not exceeded. */
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
 * Collects garbage once, in the first minute in which the process is mostly idle. V8 collects garbage when memory is
 * allocated, so a server without requests would keep all memory that its start needed. After a collection in an idle
 * process, V8 also returns the free memory to the operating system. A busy server collects its garbage anyway.
 *
 * It affects the whole process, so it is only for the program, not for the library.
 */
export const collectStartMemory = Effect.gen(function* () {
  for (let interval = 1; interval <= intervalsMax; interval += 1) {
    const before = performance.eventLoopUtilization()
    yield* Effect.sleep(intervalMillis)
    if (performance.eventLoopUtilization(before).utilization <= utilizationMax) return collectGarbage()
  }
})
