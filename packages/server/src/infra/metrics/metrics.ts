/** Creates and registers the metrics of `definitions.ts`, so that none has a name, a label or a text of its own. */
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { type CounterName, definitions, type GaugeName, type HistogramName, type LabelsOf } from "./definitions.ts"

/** A counter, for `Metric.update` in the context of a control plane. */
export const counter = <N extends CounterName>(name: N, labels: LabelsOf<N>): Metric.Counter<number> =>
  Metric.withAttributes(
    Metric.counter(name, { description: definitions[name].help, incremental: true }),
    labels
  ) as Metric.Counter<number>

export const histogramOf = (name: HistogramName, boundaries: ReadonlyArray<number>): Metric.Histogram<number> =>
  Metric.histogram(name, { description: definitions[name].help, boundaries })

const ignored = { update: () => {}, modify: () => {} }

/** Registers a gauge whose value is read whenever the metrics are collected. */
export const readGauge = <N extends GaugeName>(
  context: Context.Context<never>,
  name: N,
  labels: LabelsOf<N>,
  read: () => number
): void => {
  const gauge = Metric.gauge(name, { description: definitions[name].help })
  Metric.registerUnsafe(Metric.withAttributes(gauge, labels), context, { ...ignored, get: () => ({ value: read() }) })
}

/** Registers a counter whose value is read whenever the metrics are collected. */
export const readCounter = <N extends CounterName>(
  context: Context.Context<never>,
  name: N,
  labels: LabelsOf<N>,
  read: () => number
): void => {
  Metric.registerUnsafe(
    Metric.withAttributes(Metric.counter(name, { description: definitions[name].help, incremental: true }), labels),
    context,
    { ...ignored, get: () => ({ count: read(), incremental: true }) }
  )
}
