import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Otlp from "effect/observability/Otlp"
import * as References from "effect/References"
import { version } from "./version.ts"

/** Spans that nobody collects are not even made. */
export const layerUntraced = Layer.succeed(References.TracerEnabled, false)

/** Traces, metrics and logs to a collector that the operator names; nothing without one. */
export const layerOtlp = (url: string | null) =>
  url === null
    ? layerUntraced
    : Otlp.layerJson({ baseUrl: url, resource: { serviceName: "orgplane", serviceVersion: version } }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
