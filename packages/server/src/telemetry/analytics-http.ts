import * as Effect from "effect/Effect"
import { forMember } from "../http/handlers.ts"
import { type AdoptionQuery, type AnalyticsQuery, TelemetryAnalytics } from "./analytics-service.ts"
import type { PageQuery } from "@orgplane/schema/shared/page"

type Asked<Q> = { readonly query: Q }

/** The reading handlers of the group `telemetry`. */
export const analyticsHandlers = Effect.gen(function* () {
  const telemetry = yield* TelemetryAnalytics
  return {
    dimensions: forMember((caller, { query }: Asked<PageQuery & { readonly type?: string; readonly q?: string }>) =>
      telemetry.dimensions(caller, query)
    ),
    adoption: forMember((caller, { query }: Asked<AdoptionQuery>) => telemetry.adoption(caller, query)),
    analytics: forMember((caller, { query }: Asked<AnalyticsQuery>) => telemetry.analytics(caller, query))
  }
})
