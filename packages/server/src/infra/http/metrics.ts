import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { Settings } from "../config/settings.ts"
import { equalBytes, sha256Bytes } from "../crypto/digest.ts"
import { routeNotFound } from "./edge.ts"

/** `GET /v1/metrics` for scrapers with the token; without a configured token the route does not exist. */
export const layerMetrics = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { metricsToken } = yield* Settings
    if (metricsToken === null) return
    const expected = sha256Bytes(`Bearer ${metricsToken}`)
    yield* router.add(
      "GET",
      "/v1/metrics",
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (!equalBytes(sha256Bytes(request.headers["authorization"] ?? ""), expected)) return routeNotFound()
        return HttpServerResponse.text(yield* PrometheusMetrics.format(), {
          contentType: "text/plain; version=0.0.4; charset=utf-8"
        })
      })
    )
  })
)
