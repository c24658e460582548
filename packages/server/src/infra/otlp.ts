import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Otlp from "effect/observability/Otlp"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { layerLogger } from "./logger.ts"
import { withoutTrailing } from "./normalize.ts"
import type { ControlPlaneOptions } from "./options.ts"
import { version } from "./version.ts"

/** An orgplane credential anywhere in a path: see `crypto/tokens.ts`. */
const credential = /op[a-z]_[0-9A-Za-z]{40,}/g

/** Paths may contain credentials (marketplace links), and spans leave this process. */
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
    // Queries contain signatures, one-time codes and search terms; the parameter names are enough.
    Layer.merge(Layer.succeed(UrlParams.CurrentRedactedNames, [/^/]))
  )

/**
 * Logs, traces and metrics of one control plane. Build it in the scope of the control plane, before everything else: it
 * exports the remaining telemetry when the scope closes, so it must close last.
 */
export const layerObservability = (options: Pick<ControlPlaneOptions, "logger" | "logLevel" | "otlpUrl">) =>
  // Without a collector, no spans are created.
  (options.otlpUrl === undefined
    ? Layer.succeed(References.TracerEnabled, false)
    : layerCollector(options.otlpUrl)
  ).pipe(
    // The exporter's logger is added to the loggers of the layer below, and it exports that layer's metric registry.
    Layer.provideMerge(layerLogger(options.logLevel ?? "warn", { logger: options.logger })),
    // Each control plane has its own registry, so that the metrics of two control planes in one process stay separate.
    Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map()))
  )

/** The status with which a collector responds to an empty export. Fails if it does not respond. */
export const probeCollector = (url: string) =>
  HttpClient.execute(
    HttpClientRequest.post(`${withoutTrailing(url, "/")}/v1/traces`).pipe(
      HttpClientRequest.bodyJsonUnsafe({ resourceSpans: [] })
    )
  ).pipe(
    Effect.map(({ status }) => status),
    Effect.timeout("10 seconds"),
    Effect.provide(FetchHttpClient.layer)
  )
