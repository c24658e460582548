import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, ok, one, withVersion } from "../../infra/http/handlers.ts"
import { WebhookEndpointsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "webhookEndpoints",
  Effect.fn(function* (handlers) {
    const endpoints = yield* WebhookEndpointsService
    return handlers.handleAll({
      list: forMember((caller, { query }) => endpoints.list(caller, query)),
      create: forMember((caller, { payload }) => endpoints.create(caller, payload)),
      get: forMember((caller, { params }) =>
        Effect.map(endpoints.get(caller, params.webhookEndpointId), (item) =>
          withVersion(caller, { item: one(item), version: item.version })
        )
      ),
      update: forMember((caller, { params, payload }) =>
        Effect.map(endpoints.update(caller, params.webhookEndpointId, payload), (item) =>
          withVersion(caller, { item: ok(item), version: item.version })
        )
      ),
      remove: forMember((caller, { params }) => endpoints.remove(caller, params.webhookEndpointId)),
      rotateSecret: forMember((caller, { params, payload }) =>
        endpoints.rotateSecret(caller, params.webhookEndpointId, payload)
      ),
      test: forMember((caller, { params }) => Effect.map(endpoints.test(caller, params.webhookEndpointId), one)),
      pause: forMember((caller, { params }) => Effect.map(endpoints.pause(caller, params.webhookEndpointId), ok)),
      resume: forMember((caller, { params, payload }) =>
        Effect.map(endpoints.resume(caller, params.webhookEndpointId, payload), ok)
      ),
      redeliver: forMember((caller, { params, payload }) =>
        Effect.map(endpoints.redeliver(caller, params.webhookEndpointId, payload), ok)
      ),
      listMessages: forMember((caller, { params, query }) =>
        endpoints.listMessages(caller, params.webhookEndpointId, query)
      ),
      getMessage: forMember((caller, { params }) =>
        Effect.map(endpoints.getMessage(caller, params.webhookEndpointId, params.webhookMessageId), one)
      )
    })
  })
).pipe(Layer.provide(WebhookEndpointsService.layer))
