import { OrgplaneApi } from "@orgplane/schema/api"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { forMember, forMemberOrWorker } from "../../infra/http/handlers.ts"
import { TelemetryAnalyticsService } from "./analytics-service.ts"
import { IngestBuffer } from "./buffer.ts"
import { TelemetryService } from "./service.ts"
import { layerEventStore } from "./store.ts"

const isJson = /^application\/json\s*(?:;|$)/i
const noContent = HttpServerResponse.empty({ status: 204 })

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "telemetry",
  Effect.fn(function* (handlers) {
    const telemetry = yield* TelemetryService
    const analytics = yield* TelemetryAnalyticsService
    const clock = yield* Clock.Clock
    return (
      handlers
        // The body is decoded here because events are checked one by one; the framework would reject the whole batch
        // for one invalid event.
        .handleRaw(
          "ingest",
          forMemberOrWorker((caller, { request }: { readonly request: HttpServerRequest.HttpServerRequest }) => {
            const type = request.headers["content-type"]
            return type !== undefined && !isJson.test(type)
              ? Effect.fail(InvalidRequest.at(["header", "content-type"], "must be application/json"))
              : Effect.flatMap(Effect.orDie(request.arrayBuffer), (body) =>
                  Effect.as(telemetry.ingest(caller, new Uint8Array(body), clock.currentTimeMillisUnsafe()), noContent)
                )
          })
        )
        .handleAll({
          describe: forMemberOrWorker(() => telemetry.describe),
          ledger: forMember((caller, { query }) => telemetry.ledger(caller, query)),
          dimensions: forMember((caller, { query }) => analytics.dimensions(caller, query)),
          adoption: forMember((caller, { query }) => analytics.adoption(caller, query)),
          analytics: forMember((caller, { query }) => analytics.analytics(caller, query))
        })
    )
  })
).pipe(
  Layer.provide([TelemetryService.layer, TelemetryAnalyticsService.layer]),
  Layer.provide(IngestBuffer.layer),
  Layer.provide(layerEventStore)
)
