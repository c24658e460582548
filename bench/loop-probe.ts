/**
 * Loaded before the server by `--import`. Measures the event loop delay. On SIGUSR2 it writes the delay to
 * `BENCH_LOOP_FILE` and starts over. The product does not know about it.
 */
import { renameSync, writeFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

const file = process.env["BENCH_LOOP_FILE"]
const everyMillis = 10
/** The interval between two measurements, which is not a delay. */
const delay = monitorEventLoopDelay({ resolution: everyMillis })
delay.enable()
process.on("SIGUSR2", () => {
  if (file === undefined) return
  const millis = (nanos: number) => Math.max(0, nanos / 1e6 - everyMillis)
  writeFileSync(`${file}.new`, JSON.stringify({ p99: millis(delay.percentile(99)), max: millis(delay.max) }))
  renameSync(`${file}.new`, file)
  delay.reset()
})
