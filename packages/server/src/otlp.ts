import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Otlp from "effect/observability/Otlp"
import { version } from "./version.ts"

/** Traces, metrics and logs to a collector that the operator names; nothing without one. */
export const layerOtlp = (url: string | null) =>
  url === null
    ? Layer.empty
    : Otlp.layerJson({ baseUrl: url, resource: { serviceName: "orgplane", serviceVersion: version } }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
