import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { version } from "../version.ts"
import { readCounter, readGauge } from "./metrics.ts"

/** A new period of the event loop's delay begins at the first collection after this time. */
const periodMillis = 10_000
/** The sampling wakes the process, so it is coarse. */
const resolutionMillis = 50
const percentiles = { p50: 50, p99: 99, max: 100 } as const
type Statistic = keyof typeof percentiles
const statistics: ReadonlyArray<Statistic> = ["p50", "p99", "max"]

/** The delays beyond the sampling interval, of the last complete period. */
const watchEventLoop = Effect.acquireRelease(
  Effect.sync(() => {
    const histogram = monitorEventLoopDelay({ resolution: resolutionMillis })
    histogram.enable()
    let since = performance.now()
    let last: Readonly<Record<Statistic, number>> = { p50: 0, p99: 0, max: 0 }
    const secondsOf = (statistic: Statistic) =>
      histogram.count === 0
        ? 0
        : Math.max(0, histogram.percentile(percentiles[statistic]) / 1e9 - resolutionMillis / 1000)
    const read = (statistic: Statistic): number => {
      const now = performance.now()
      if (now - since >= periodMillis) {
        last = { p50: secondsOf("p50"), p99: secondsOf("p99"), max: secondsOf("max") }
        histogram.reset()
        since = now
      }
      return last[statistic]
    }
    return { read, stop: () => histogram.disable() }
  }),
  ({ stop }) => Effect.sync(stop)
)

/** Registers the metrics of the process and its versions. */
export const watchProcess = Effect.fnUntraced(function* (
  context: Context.Context<never>,
  facts: { readonly database: "postgres" | "pglite"; readonly schemaVersion: number }
) {
  const { database, schemaVersion } = facts
  readGauge(context, "orgplane_build_info", { version, node: process.versions.node, database }, () => 1)
  readGauge(context, "orgplane_schema_version", {}, () => schemaVersion)
  readGauge(context, "orgplane_process_start_time_seconds", {}, () => performance.timeOrigin / 1000)
  readCounter(context, "orgplane_process_cpu_seconds_total", {}, () => {
    const { system, user } = process.cpuUsage()
    return (system + user) / 1e6
  })
  readGauge(context, "orgplane_process_resident_memory_bytes", {}, () => process.memoryUsage.rss())
  readGauge(context, "orgplane_process_heap_bytes", { state: "used" }, () => process.memoryUsage().heapUsed)
  readGauge(context, "orgplane_process_heap_bytes", { state: "total" }, () => process.memoryUsage().heapTotal)
  readCounter(
    context,
    "orgplane_process_event_loop_active_seconds_total",
    {},
    () => performance.eventLoopUtilization().active / 1000
  )
  const loop = yield* watchEventLoop
  for (const statistic of statistics)
    readGauge(context, "orgplane_process_event_loop_delay_seconds", { statistic }, () => loop.read(statistic))
})
