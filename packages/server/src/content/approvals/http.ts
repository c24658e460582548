import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, ok, one } from "../../infra/http/handlers.ts"
import { ReleaseCapabilitiesService } from "./capabilities-service.ts"
import { ApprovalsService } from "./service.ts"
import { ApprovalSettingsService } from "./settings-service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "approvals",
  Effect.fn(function* (handlers) {
    const approvals = yield* ApprovalsService
    const capabilities = yield* ReleaseCapabilitiesService
    const settings = yield* ApprovalSettingsService
    return handlers.handleAll({
      list: forMember((caller, { query }) => approvals.list(caller, query)),
      get: forMember((caller, { params }) => Effect.map(approvals.get(caller, params.releaseId), one)),
      capabilities: forMember((caller, { params, query }) =>
        Effect.map(capabilities.get(caller, params.releaseId, query.disabledRules), one)
      ),
      approve: forMember((caller, { payload }) => Effect.map(approvals.approve(caller, payload), ok)),
      reject: forMember((caller, { payload }) => Effect.map(approvals.reject(caller, payload), ok)),
      getSettings: forMember((caller) => Effect.map(settings.get(caller), one)),
      updateSettings: forMember((caller, { payload }) => Effect.map(settings.update(caller, payload), ok)),
      getInstanceMode: forMember((caller, { params }) =>
        Effect.map(settings.getInstanceMode(caller, params.connectorInstanceId), one)
      ),
      setInstanceMode: forMember((caller, { params, payload }) =>
        Effect.map(settings.setInstanceMode(caller, params.connectorInstanceId, payload.deliveryMode), ok)
      ),
      getMarketplaceMode: forMember((caller, { params }) =>
        Effect.map(settings.getMarketplaceMode(caller, params.marketplaceId), one)
      ),
      setMarketplaceMode: forMember((caller, { params, payload }) =>
        Effect.map(settings.setMarketplaceMode(caller, params.marketplaceId, payload.deliveryMode), ok)
      )
    })
  })
).pipe(
  Layer.provide(ApprovalsService.layer),
  Layer.provide(ReleaseCapabilitiesService.layer),
  Layer.provide(ApprovalSettingsService.layer)
)
