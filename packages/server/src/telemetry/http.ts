import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { analyticsHandlers } from "./analytics-http.ts"
import { TelemetryAnalytics } from "./analytics-service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "telemetry",
  Effect.fn(function* (handlers) {
    return handlers.handleAll(yield* analyticsHandlers)
  })
).pipe(Layer.provide(TelemetryAnalytics.layer))
