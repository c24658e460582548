import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { histogramOf, readCounter } from "../metrics/metrics.ts"

const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const duration = histogramOf("orgplane_http_request_duration_seconds", boundaries)

interface Counter {
  count: number
}

/** The durations of one operation. */
class Durations {
  readonly #counts = new Uint32Array(boundaries.length + 1)
  #count = 0
  #sum = 0
  #min = Number.MAX_VALUE
  #max = -Number.MAX_VALUE

  add(seconds: number): void {
    let bucket = 0
    // Most requests are in the first buckets.
    while (bucket < boundaries.length && seconds > (boundaries[bucket] ?? 0)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#count += 1
    this.#sum += seconds
    if (seconds < this.#min) this.#min = seconds
    if (seconds > this.#max) this.#max = seconds
  }

  state(): Metric.HistogramState {
    let cumulated = 0
    return {
      buckets: boundaries.map((boundary, bucket): [number, number] => {
        cumulated += this.#counts[bucket] ?? 0
        return [boundary, cumulated]
      }),
      count: this.#count,
      min: this.#min,
      max: this.#max,
      sum: this.#sum
    }
  }
}

interface OperationSeries {
  readonly durations: Durations
  readonly byStatus: Map<number, Counter>
}

const ignored = { update: () => {}, modify: () => {} }

/**
 * Counts requests. The counts are plain numbers that the registry reads when the metrics are collected: an update through
 * the registry would look up each series in the context of the request.
 */
const makeRequestMetrics = (context: Context.Context<never>) => {
  const operations = new Map<string, OperationSeries>()

  const seriesOf = (operation: string): OperationSeries => {
    const existing = operations.get(operation)
    if (existing !== undefined) return existing
    const created: OperationSeries = { durations: new Durations(), byStatus: new Map() }
    operations.set(operation, created)
    Metric.registerUnsafe(Metric.withAttributes(duration, { operation }), context, {
      ...ignored,
      get: () => created.durations.state()
    })
    return created
  }

  const counterOf = ({ byStatus }: OperationSeries, operation: string, status: number): Counter => {
    const existing = byStatus.get(status)
    if (existing !== undefined) return existing
    const created: Counter = { count: 0 }
    byStatus.set(status, created)
    readCounter(context, "orgplane_http_requests_total", { operation, status: String(status) }, () => created.count)
    return created
  }

  return (operation: string, status: number, seconds: number): void => {
    const series = seriesOf(operation)
    counterOf(series, operation, status).count += 1
    series.durations.add(seconds)
  }
}

type Record = ReturnType<typeof makeRequestMetrics>
const recorders = new WeakMap<object, Record>()

/** Counts a request in the metrics of the context's registry, which several servers of one process may share. */
export const requestMetricsOf = (context: Context.Context<never>): Record => {
  const registry = Context.get(context, Metric.MetricRegistry)
  const existing = recorders.get(registry)
  if (existing !== undefined) return existing
  const created = makeRequestMetrics(context)
  recorders.set(registry, created)
  return created
}
