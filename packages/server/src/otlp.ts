import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Otlp from "effect/observability/Otlp"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { layerLogger } from "./logger.ts"
import type { ControlPlaneOptions } from "./options.ts"
import { version } from "./version.ts"

/** A credential of ours wherever it stands in a path: see `crypto/tokens.ts`. */
const credential = /op[a-z]_[0-9A-Za-z]{40,}/g

/** Paths may carry credentials (links that need no header), and spans leave this process. */
const withoutCredentials = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...(tracer.context === undefined ? {} : { context: tracer.context }),
    span: (options) => {
      const span = tracer.span(options)
      const attribute = span.attribute.bind(span)
      span.attribute = (name, value) =>
        attribute(
          name,
          name.startsWith("url.") && typeof value === "string" ? value.replace(credential, "REDACTED") : value
        )
      return span
    }
  })

const layerCollector = (url: string) =>
  Layer.effect(Tracer.Tracer, Effect.map(Tracer.Tracer, withoutCredentials)).pipe(
    Layer.provideMerge(
      Otlp.layerJson({ baseUrl: url, resource: { serviceName: "orgplane", serviceVersion: version } })
    ),
    Layer.provide(FetchHttpClient.layer),
    // Queries hold signatures, one-time codes and what people search for; names of parameters are enough.
    Layer.merge(Layer.succeed(UrlParams.CurrentRedactedNames, [/^/]))
  )

/**
 * Logs, traces and metrics of one control plane. Build it in the scope of the control plane, before everything else:
 * the collector gets what is left when the scope closes, so it must close last.
 */
export const layerObservability = (options: Pick<ControlPlaneOptions, "logLevel" | "otlpUrl">) =>
  // Spans that nobody collects are not even made.
  (options.otlpUrl === undefined
    ? Layer.succeed(References.TracerEnabled, false)
    : layerCollector(options.otlpUrl)
  ).pipe(
    // The collector's logger joins the loggers below it, and its metrics are those of the registry below it.
    Layer.provideMerge(layerLogger(options.logLevel ?? "warn")),
    // Metrics of its own: two control planes in one process do not count for each other.
    Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map()))
  )
