import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { forAnyone, forMember, ok, one } from "../../infra/http/handlers.ts"
import { WebhookIngress } from "./ingress.ts"
import { WebhooksService } from "./service.ts"

/** The signature scheme. */
const challenge = 'Signature algorithm="hmac-sha256", header="x-hub-signature-256"'

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "webhooks",
  Effect.fn(function* (handlers) {
    const ingress = yield* WebhookIngress
    const webhooks = yield* WebhooksService
    return handlers.handleAll({
      codehost: forAnyone((caller) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          ingress.receive(caller, request, webhooks.receive)
        ).pipe(
          Effect.tapErrorTag("WebhookSignatureInvalid", () =>
            Effect.sync(() => {
              caller.request.responseState.headers["www-authenticate"] = challenge
            })
          )
        )
      ),
      listDeliveries: forMember((caller, { query }) => webhooks.list(caller, query)),
      getDelivery: forMember((caller, { params }) => Effect.map(webhooks.get(caller, params.webhookDeliveryId), one)),
      redeliver: forMember((caller, { params }) => Effect.map(webhooks.redeliver(caller, params.webhookDeliveryId), ok))
    })
  })
).pipe(Layer.provide([WebhookIngress.layer, WebhooksService.layer]))
