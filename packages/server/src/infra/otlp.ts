import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Otlp from "effect/observability/Otlp"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { credential } from "./log-line.ts"
import { layerLogger } from "./logger.ts"
import { counter } from "./metrics/metrics.ts"
import { withoutTrailing } from "./normalize.ts"
import type { ControlPlaneOptions } from "./options.ts"
import { CurrentSampler, makeSampler, type Sampler } from "./tracing.ts"
import { version } from "./version.ts"

/**
 * Paths may contain credentials (marketplace links), and spans leave this process. Background work without a parent is
 * sampled here, requests when they arrive.
 */
const exported = (tracer: Tracer.Tracer, sampler: Sampler): Tracer.Tracer =>
  Tracer.make({
    ...(tracer.context === undefined ? {} : { context: tracer.context }),
    span: (options) => {
      const isRoot = Option.isNone(options.parent) && options.kind !== "server"
      const span = tracer.span(isRoot ? { ...options, sampled: options.sampled && sampler() } : options)
      const attribute = span.attribute.bind(span)
      span.attribute = (name, value) =>
        attribute(
          name,
          name.startsWith("url.") && typeof value === "string" ? value.replace(credential, "REDACTED") : value
        )
      return span
    }
  })

/** Exports of one signal that may run at once. A batch has at most 1000 spans or lines, so this limits the memory. */
const exportsMax = 2
const exportTimeout = "10 seconds"

type ExportOutcome = "accepted" | "rejected" | "unreachable" | "dropped"
const count = (signal: string, outcome: ExportOutcome) =>
  Metric.update(counter("orgplane_otlp_exports_total", { signal, outcome }), 1)

const signalOf = (url: string): string => /\/v1\/(traces|logs|metrics)$/u.exec(url)?.[1] ?? "traces"

/**
 * Limits and counts the exports. When too many run because the collector is slow, the next batch is dropped, and the
 * exporter pauses for a minute.
 */
const layerBoundedClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) => {
    const running = new Map<string, number>()
    let isFailing = false
    const note = (signal: string, outcome: ExportOutcome, reason: string) =>
      Effect.suspend(() => {
        const isGood = outcome === "accepted"
        if (isGood !== isFailing) return count(signal, outcome)
        isFailing = !isGood
        return Effect.andThen(
          count(signal, outcome),
          isGood
            ? Effect.logInfo("The OpenTelemetry collector accepts telemetry again.")
            : Effect.logWarning(
                "The OpenTelemetry collector does not accept telemetry. The server drops telemetry until it does.",
                {
                  reason
                }
              )
        )
      })
    return HttpClient.transform(client, (sent, request) =>
      Effect.suspend(() => {
        const signal = signalOf(request.url)
        const active = running.get(signal) ?? 0
        if (active >= exportsMax) {
          // Not a transport error, because the exporter would retry it.
          const reason = new HttpClientError.InvalidUrlError({ request, description: "Too many exports run at once." })
          return Effect.andThen(
            note(signal, "dropped", "Earlier exports have not ended."),
            Effect.fail(new HttpClientError.HttpClientError({ reason }))
          )
        }
        running.set(signal, active + 1)
        return sent.pipe(
          Effect.timeoutOrElse({
            duration: exportTimeout,
            orElse: () =>
              Effect.fail(
                new HttpClientError.HttpClientError({
                  reason: new HttpClientError.TransportError({
                    request,
                    description: `No response within ${exportTimeout}.`
                  })
                })
              )
          }),
          Effect.tap(({ status }) =>
            status < 300 ? note(signal, "accepted", "") : note(signal, "rejected", `It responded with ${status}.`)
          ),
          Effect.tapError(({ message }) => note(signal, "unreachable", message)),
          Effect.ensuring(Effect.sync(() => running.set(signal, (running.get(signal) ?? 1) - 1)))
        )
      })
    )
  })
)

const layerCollector = (url: string, sampler: Sampler) =>
  Layer.effect(
    Tracer.Tracer,
    Effect.map(Tracer.Tracer, (tracer) => exported(tracer, sampler))
  ).pipe(
    Layer.provideMerge(
      Otlp.layerJson({ baseUrl: url, resource: { serviceName: "orgplane", serviceVersion: version } })
    ),
    Layer.provide(layerBoundedClient.pipe(Layer.provide(FetchHttpClient.layer))),
    Layer.merge(Layer.succeed(CurrentSampler, sampler)),
    // Queries contain signatures, one-time codes and search terms; the parameter names are enough.
    Layer.merge(Layer.succeed(UrlParams.CurrentRedactedNames, [/^/]))
  )

/**
 * Logs, traces and metrics of one control plane. Build it in the scope of the control plane, before everything else: it
 * exports the remaining telemetry when the scope closes, so it must close last.
 */
export const layerObservability = (
  options: Pick<ControlPlaneOptions, "logger" | "logLevel" | "otlpUrl" | "traceSampleRatio">
) =>
  // Without a collector, no spans are created.
  (options.otlpUrl === undefined
    ? Layer.succeed(References.TracerEnabled, false)
    : layerCollector(options.otlpUrl, makeSampler(options.traceSampleRatio ?? 1))
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
