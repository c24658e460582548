import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Schedule from "effect/Schedule"
import { Settings } from "../../infra/config/settings.ts"
import { equalBytes, sha256Bytes } from "../../infra/crypto/digest.ts"
import { routeNotFound } from "../../infra/http/edge.ts"
import { counter } from "../../infra/metrics/metrics.ts"
import { watchProcess } from "../../infra/metrics/process.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { watchDatabase } from "../../infra/sql/usage.ts"
import { watchInstallation } from "./installation.ts"
import { deletedRows, failedSteps, watchRetention } from "./retention.ts"
import { watchStorage } from "./storage.ts"

const initial = [
  ...deletedRows,
  ...failedSteps,
  counter("orgplane_scim_log_lost_total", {}),
  counter("orgplane_refusals_lost_total", {}),
  ...["https", "s3", "otlp"].flatMap((kind) =>
    ["accepted", "failed"].map((outcome) => counter("orgplane_event_stream_batches_total", { kind, outcome }))
  ),
  ...["completed", "partial", "failed", "review_required", "ignored"].map((status) =>
    counter("orgplane_syncs_total", { status })
  ),
  ...["unchanged", "planned", "applied", "held", "superseded", "failed"].map((status) =>
    counter("orgplane_configuration_runs_total", { status })
  ),
  ...[
    "accepted",
    "ignored",
    "invalid_signature",
    "invalid",
    "too_large",
    "busy",
    "rate_limited",
    "not_configured",
    "error"
  ].map((outcome) => counter("orgplane_webhook_deliveries_total", { outcome })),
  ...["delivered", "rejected", "unreachable", "busy"].map((outcome) =>
    counter("orgplane_webhook_attempts_total", { outcome })
  ),
  ...["traces", "metrics", "logs"].flatMap((signal) =>
    ["accepted", "rejected", "unreachable", "dropped"].map((outcome) =>
      counter("orgplane_otlp_exports_total", { signal, outcome })
    )
  ),
  ...["sent", "failed", "dropped"].map((outcome) => counter("orgplane_mails_total", { outcome })),
  ...["stored", "gone", "unavailable"].map((outcome) => counter("orgplane_telemetry_batches_total", { outcome }))
]

/** How often the metrics of the installation are read for a collector, which sends no requests for them. */
const exported = Schedule.spaced("30 seconds")

/**
 * `GET /v1/metrics` for scrapers with the token; without a configured token the route does not exist. Without a
 * scraper or collector, no costly measurement runs.
 */
export const layerMetrics = ({ database, otlpUrl }: Pick<ControlPlaneOptions, "database" | "otlpUrl">) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { metricsToken, schemaVersion, storageQuotas } = yield* Settings
      if (metricsToken === null && otlpUrl === undefined) return
      const sql = yield* SqlDatabase
      const context = yield* Effect.context()
      yield* watchProcess(context, { database: database.kind, schemaVersion })
      watchDatabase(context, sql)
      // A counter that has not counted yet is 0 and not absent, so that its first increase is visible.
      yield* Effect.forEach(initial, (counter) => Metric.update(counter, 0), { discard: true })
      const readInstallation = Effect.all(
        [watchInstallation(context, sql), watchRetention(context, sql), watchStorage(context, sql, storageQuotas)],
        { discard: true }
      )
      if (otlpUrl !== undefined) yield* Effect.forkScoped(Effect.repeat(readInstallation, exported))
      if (metricsToken === null) return
      const expected = sha256Bytes(`Bearer ${metricsToken}`)
      yield* router.add(
        "GET",
        "/v1/metrics",
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          if (!equalBytes(sha256Bytes(request.headers["authorization"] ?? ""), expected)) return routeNotFound()
          yield* readInstallation
          return HttpServerResponse.text(yield* PrometheusMetrics.format(), {
            contentType: "text/plain; version=0.0.4; charset=utf-8"
          })
        })
      )
    })
  )
