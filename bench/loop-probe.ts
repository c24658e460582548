/**
 * Loaded before the server by `--import`: how late its timers were, written where `BENCH_LOOP_FILE` says whenever the
 * process gets SIGUSR2, and counted anew from there. The product knows nothing of it.
 */
import { renameSync, writeFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

const file = process.env["BENCH_LOOP_FILE"]
const everyMillis = 10
/** It keeps the time between two looks, of which this much is no delay. */
const delay = monitorEventLoopDelay({ resolution: everyMillis })
delay.enable()
process.on("SIGUSR2", () => {
  if (file === undefined) return
  const millis = (nanos: number) => Math.max(0, nanos / 1e6 - everyMillis)
  writeFileSync(`${file}.new`, JSON.stringify({ p99: millis(delay.percentile(99)), max: millis(delay.max) }))
  renameSync(`${file}.new`, file)
  delay.reset()
})
