import { OrgplaneApi } from "@orgplane/schema/api"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { forAnyone, forMember, ok, one } from "../../infra/http/handlers.ts"
import { counter } from "../../infra/metrics/metrics.ts"
import { WebhookIngress } from "./ingress.ts"
import { WebhooksService } from "./service.ts"

const outcomes: Readonly<Record<string, string>> = {
  WebhookSignatureInvalid: "invalid_signature",
  WebhookPayloadInvalid: "invalid",
  WebhookPayloadTooLarge: "too_large",
  WebhookSecretMissing: "not_configured",
  WebhookBusy: "busy",
  RateLimited: "rate_limited"
}

const outcomeOf = (exit: Exit.Exit<{ readonly accepted: boolean }, { readonly _tag: string }>): string => {
  if (Exit.isSuccess(exit)) return exit.value.accepted ? "accepted" : "ignored"
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return (error === undefined ? undefined : outcomes[error._tag]) ?? "error"
}

const count = (outcome: string) => Metric.update(counter("orgplane_webhook_deliveries_total", { outcome }), 1)

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
          Effect.onExit((exit) => count(outcomeOf(exit))),
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
