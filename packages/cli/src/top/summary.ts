/** The state of a server between two readings of its metrics. */
import { labelOf, type Samples, sumOf, valuesOf } from "./metrics-text.ts"
import type { Readiness } from "./readiness.ts"

export interface Reading {
  readonly atMillis: number
  readonly samples: Samples
  readonly readiness: Readiness
}

/** Null if no request was served. */
export interface Latency {
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

export interface OperationRow {
  readonly operation: string
  readonly requestsPerSecond: number
  readonly errorsPerSecond: number
  readonly p50Seconds: number | null
  readonly p95Seconds: number | null
}

export interface QueueRow {
  readonly queue: string
  readonly waiting: number
  readonly running: number
  readonly delayed: number
  /** Null if it is not measured. */
  readonly oldestSeconds: number | null
}

export interface Summary {
  readonly time: string
  readonly server: string
  readonly version: string
  readonly engine: string
  readonly uptimeSeconds: number
  readonly readiness: Readiness
  readonly requests: {
    readonly perSecond: number
    readonly errorsPerSecond: number
    readonly latencySeconds: Latency
  }
  readonly operations: ReadonlyArray<OperationRow>
  readonly database: {
    readonly connectionsInUse: number
    readonly connectionsMax: number
    readonly waiting: number
    readonly timeoutsPerSecond: number
    readonly statementsPerSecond: number
    readonly bytes: number
    readonly readable: boolean
  }
  readonly process: {
    readonly cpu: number
    readonly eventLoopUtilization: number
    readonly eventLoopDelayP99Seconds: number
    readonly memoryBytes: number
    readonly heapBytes: number
  }
  readonly queues: ReadonlyArray<QueueRow>
  readonly syncsPerMinute: Readonly<Record<string, number>>
  readonly webhooksPerMinute: Readonly<Record<string, number>>
  readonly mails: { readonly waiting: number; readonly perMinute: Readonly<Record<string, number>> }
  readonly pending: Readonly<Record<string, number>>
  readonly workers: Readonly<Record<string, number>>
  readonly audit: { readonly unsealedEvents: number; readonly sealLagSeconds: number }
}

const operationsMax = 100
const requests = "orgplane_http_requests_total"
const durations = "orgplane_http_request_duration_seconds_bucket"
const jobs = "orgplane_queue_jobs"
const oldest = "orgplane_queue_oldest_seconds"

/** The upper bound of the bucket that contains the quantile, interpolated as Prometheus does. */
const quantile = (share: number, buckets: ReadonlyArray<readonly [bound: number, count: number]>): number | null => {
  const total = buckets.at(-1)?.[1] ?? 0
  if (total <= 0) return null
  let lower = 0
  let below = 0
  for (const [bound, count] of buckets) {
    if (count >= share * total && count > below) {
      return Number.isFinite(bound) ? lower + ((share * total - below) / (count - below)) * (bound - lower) : lower
    }
    if (Number.isFinite(bound)) lower = bound
    below = count
  }
  return lower
}

export const summarize = (server: string, before: Reading, after: Reading): Summary => {
  const { samples } = after
  const seconds = Math.max(0.001, (after.atMillis - before.atMillis) / 1000)
  // A process that restarted begins at 0 again.
  const increase = (name: string, selector: Readonly<Record<string, string>> = {}) => {
    const [old, now] = [sumOf(before.samples, name, selector), sumOf(samples, name, selector)]
    return now >= old ? now - old : now
  }
  const rate = (name: string, selector?: Readonly<Record<string, string>>) => increase(name, selector) / seconds
  const bounds = valuesOf(samples, durations, "le").toSorted((one, other) => boundOf(one) - boundOf(other))
  const quantileOf = (share: number, selector: Readonly<Record<string, string>> = {}) =>
    quantile(
      share,
      bounds.map((le) => [boundOf(le), increase(durations, { ...selector, le })])
    )
  const statuses = valuesOf(samples, requests, "status").filter((status) => status.startsWith("5"))
  const errors = (selector: Readonly<Record<string, string>> = {}) =>
    statuses.reduce((sum, status) => sum + rate(requests, { ...selector, status }), 0)
  const byLabel = (name: string, label: string, value: (selector: Readonly<Record<string, string>>) => number) =>
    Object.fromEntries(valuesOf(samples, name, label).map((each) => [each, value({ [label]: each })]))
  const perMinute = (name: string, label: string) => byLabel(name, label, (labels) => 60 * rate(name, labels))

  return {
    time: new Date(after.atMillis).toISOString(),
    server,
    version: labelOf(samples, "orgplane_build_info", "version") ?? "",
    engine: labelOf(samples, "orgplane_build_info", "database") ?? "",
    uptimeSeconds: Math.max(
      0,
      Math.round(after.atMillis / 1000 - sumOf(samples, "orgplane_process_start_time_seconds"))
    ),
    readiness: after.readiness,
    requests: {
      perSecond: rate(requests),
      errorsPerSecond: errors(),
      latencySeconds: { p50: quantileOf(0.5), p95: quantileOf(0.95), p99: quantileOf(0.99) }
    },
    operations: valuesOf(samples, requests, "operation")
      .map((operation) => ({
        operation,
        requestsPerSecond: rate(requests, { operation }),
        errorsPerSecond: errors({ operation }),
        p50Seconds: quantileOf(0.5, { operation }),
        p95Seconds: quantileOf(0.95, { operation })
      }))
      .filter(({ requestsPerSecond }) => requestsPerSecond > 0)
      .toSorted((one, other) => other.requestsPerSecond - one.requestsPerSecond)
      .slice(0, operationsMax),
    database: {
      connectionsInUse: sumOf(samples, "orgplane_database_connections", { state: "in_use" }),
      connectionsMax: sumOf(samples, "orgplane_database_connections_max"),
      waiting: sumOf(samples, "orgplane_database_waiting"),
      timeoutsPerSecond: rate("orgplane_database_timeouts_total"),
      statementsPerSecond: rate("orgplane_database_statements_total"),
      bytes: sumOf(samples, "orgplane_database_size_bytes"),
      readable: sumOf(samples, "orgplane_installation_readable") === 1
    },
    process: {
      cpu: rate("orgplane_process_cpu_seconds_total"),
      eventLoopUtilization: rate("orgplane_process_event_loop_active_seconds_total"),
      eventLoopDelayP99Seconds: sumOf(samples, "orgplane_process_event_loop_delay_seconds", { statistic: "p99" }),
      memoryBytes: sumOf(samples, "orgplane_process_resident_memory_bytes"),
      heapBytes: sumOf(samples, "orgplane_process_heap_bytes", { state: "used" })
    },
    queues: valuesOf(samples, jobs, "queue").map((queue) => ({
      queue,
      waiting: sumOf(samples, jobs, { queue, state: "waiting" }),
      running: sumOf(samples, jobs, { queue, state: "running" }),
      delayed: sumOf(samples, jobs, { queue, state: "delayed" }),
      oldestSeconds: valuesOf(samples, oldest, "queue").includes(queue) ? sumOf(samples, oldest, { queue }) : null
    })),
    syncsPerMinute: perMinute("orgplane_syncs_total", "status"),
    webhooksPerMinute: perMinute("orgplane_webhook_deliveries_total", "outcome"),
    mails: {
      waiting: sumOf(samples, "orgplane_mails_waiting"),
      perMinute: perMinute("orgplane_mails_total", "outcome")
    },
    pending: byLabel("orgplane_decisions_pending", "kind", (labels) =>
      sumOf(samples, "orgplane_decisions_pending", labels)
    ),
    workers: byLabel("orgplane_workers", "status", (labels) => sumOf(samples, "orgplane_workers", labels)),
    audit: {
      unsealedEvents: sumOf(samples, "orgplane_audit_unsealed_events"),
      sealLagSeconds: sumOf(samples, "orgplane_audit_seal_lag_seconds")
    }
  }
}

const boundOf = (le: string): number => (le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le))
