import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember } from "../../infra/http/handlers.ts"
import { ApiKeysService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "apiKeys",
  Effect.fn(function* (handlers) {
    const apiKeys = yield* ApiKeysService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => apiKeys.create(caller, payload)),
      list: forMember((caller, { query }) => apiKeys.list(caller, query)),
      current: forMember((caller) => apiKeys.current(caller)),
      get: forMember((caller, { params }) => apiKeys.get(caller, params.apiKeyId)),
      update: forMember((caller, { params, payload }) => apiKeys.update(caller, params.apiKeyId, payload)),
      rotate: forMember((caller, { params, payload }) => apiKeys.rotate(caller, params.apiKeyId, payload)),
      revoke: forMember((caller, { params }) => apiKeys.revoke(caller, params.apiKeyId))
    })
  })
).pipe(Layer.provide(ApiKeysService.layer))
