/** Webhooks: deliveries from the code host, and their processing. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { updatedResponse, itemResponse, endpointMetadata } from "./shared/endpoint.ts"
import { notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Timestamp } from "./shared/values.ts"

/** Maximum size of a delivery, in bytes. */
export const payloadBytesMax = 25_000_000

// Entities

/** The events that can affect a connected repository. All other events are ignored. */
export const eventKinds = [
  "push",
  "create",
  "delete",
  "installation",
  "installation_repositories",
  "repository",
  "ping"
] as const
export const EventKind = Schema.Literals(eventKinds).annotate({ identifier: "WebhookEvent" })
export type EventKind = typeof EventKind.Type

export const IgnoredReason = Schema.Literals(["event_ignored", "installation_unknown", "target_unknown"]).annotate({
  identifier: "WebhookIgnoredReason",
  description:
    "`event_ignored`: the event type has no effect. `installation_unknown`: the installation is not connected. `target_unknown`: no target uses that repository or branch."
})
export type IgnoredReason = typeof IgnoredReason.Type

/** The part of a delivery that concerns one organization. Only these fields of the payload are stored. */
export const Delivery = Schema.Struct({
  id: Ids.WebhookDeliveryId,
  deliveryId: Schema.String.annotate({ description: "The sender's delivery id, from `x-github-delivery`." }),
  event: EventKind,
  action: Schema.NullOr(Schema.String),
  status: Schema.Literals(["accepted", "ignored"]),
  reason: Schema.NullOr(IgnoredReason),
  repositoryFullName: Schema.NullOr(Schema.String),
  ref: Schema.NullOr(Schema.String),
  before: Schema.NullOr(Schema.String).annotate({
    description: "The commit before the push, as reported by the sender."
  }),
  after: Schema.NullOr(Schema.String).annotate({
    description:
      "The commit after the push, as reported by the sender. The sync always fetches the current branch head."
  }),
  connectorInstanceIds: Schema.Array(Ids.ConnectorInstanceId),
  syncEventIds: Schema.Array(Ids.ConnectorSyncEventId).annotate({
    description: "The syncs that it most recently queued. Several deliveries can share one sync."
  }),
  redeliveryCount: Schema.Int,
  receivedAt: Timestamp,
  actedAt: Timestamp.annotate({ description: "When the delivery was last processed." })
}).annotate({ identifier: "WebhookDelivery" })
export type Delivery = typeof Delivery.Type

// Responses of the webhook endpoint, fixed by the specification

export const Accepted = Schema.Struct({
  ok: Schema.Literal(true),
  accepted: Schema.Literal(true),
  deliveryId: Schema.String,
  queued: Schema.Literal(true)
}).annotate({ identifier: "WebhookAccepted" })

export const Ignored = Schema.Struct({
  ok: Schema.Literal(true),
  accepted: Schema.Literal(false),
  reason: IgnoredReason
}).annotate({ identifier: "WebhookIgnored" })

const FalseLiteral = Schema.Literal(false).pipe(Schema.withConstructorDefault(Effect.succeed(false as const)))

/** 401: the signature is missing, or does not match the body with any configured secret. */
export class SignatureInvalid extends Schema.Error<SignatureInvalid>("WebhookSignatureInvalid")(
  { _tag: Schema.tagDefaultOmit("WebhookSignatureInvalid"), ok: FalseLiteral, error: Schema.tag("invalid_signature") },
  { httpApiStatus: 401 }
) {}

/** 400: the signature is valid, but the payload does not match the event. */
export class PayloadInvalid extends Schema.Error<PayloadInvalid>("WebhookPayloadInvalid")(
  { _tag: Schema.tagDefaultOmit("WebhookPayloadInvalid"), ok: FalseLiteral, error: Schema.tag("invalid_payload") },
  { httpApiStatus: 400 }
) {}

/** 413: the payload is larger than 25 MB. */
export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("WebhookPayloadTooLarge")(
  { _tag: Schema.tagDefaultOmit("WebhookPayloadTooLarge"), ok: FalseLiteral, error: Schema.tag("payload_too_large") },
  { httpApiStatus: 413 }
) {}

/** 503: no webhook secret is configured, so deliveries cannot be verified. */
export class SecretMissing extends Schema.Error<SecretMissing>("WebhookSecretMissing")(
  {
    _tag: Schema.tagDefaultOmit("WebhookSecretMissing"),
    ok: FalseLiteral,
    error: Schema.tag("webhook_secret_missing")
  },
  { httpApiStatus: 503 }
) {}

/**
 * 503: no memory became available in time, the inbox is full, or the body arrived too slowly; `Retry-After` has the
 * time to wait.
 */
export class Busy extends Schema.Error<Busy>("WebhookBusy")(
  { _tag: Schema.tagDefaultOmit("WebhookBusy"), ok: FalseLiteral, error: Schema.tag("unavailable") },
  { httpApiStatus: 503 }
) {}

export class DeliveryNotFound extends notFound("webhook_delivery")<DeliveryNotFound>() {}

// Operations

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  schema: { type: "string" },
  description
})

/** The body is verified as bytes before it is parsed, so the framework has no schema for it. */
const signedBody = (operation: Record<string, unknown>) => ({
  ...operation,
  parameters: [
    header("x-hub-signature-256", "`sha256=` followed by the HMAC-SHA256 of the body's bytes, in hex."),
    header("x-github-event", "The name of the event."),
    header("x-github-delivery", "The sender's delivery id. A redelivery has the same id.")
  ],
  requestBody: {
    required: true,
    description: "JSON of at most 25 MB, as sent by the code host. The signature covers these bytes.",
    content: { "application/json": { schema: { type: "object" } } }
  }
})

const read = Access.permission("webhooks:read")
const delivery = { webhookDeliveryId: Ids.WebhookDeliveryId }

export const group = HttpApiGroup.make("webhooks")
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "Signed deliveries from the code host, and their results."
    })
  )
  .add(
    HttpApiEndpoint.post("codehost", "/v1/webhooks/connectors/codehost", {
      success: [Accepted.pipe(HttpApiSchema.status(202)), Ignored],
      error: [SignatureInvalid, PayloadInvalid, PayloadTooLarge, SecretMissing, Busy]
    }).pipe(
      endpointMetadata({
        access: Access.signature,
        specified: true,
        idempotency: "none",
        audited: "webhook.received",
        bodyBytesMax: payloadBytesMax,
        summary: "Receive a webhook delivery from the code host",
        description:
          "Verifies the signature and queues the syncs that the delivery requires. The payload is only a hint: the sync always fetches the current branch head. A repeated delivery gets the same response; a delivery that was ignored is evaluated again."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, signedBody)
    ),
    HttpApiEndpoint.get("listDeliveries", "/v1/webhook-deliveries", {
      query: {
        ...pageQuery,
        event: Schema.optionalKey(EventKind.annotate({ description: "Only deliveries of this event." })),
        status: Schema.optionalKey(
          Schema.Literals(["accepted", "ignored"]).annotate({ description: "Only deliveries with this status." })
        )
      },
      success: Page(Delivery)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List webhook deliveries",
        description: "Returns the deliveries of the last 30 days that concern the organization."
      })
    ),
    HttpApiEndpoint.get("getDelivery", "/v1/webhook-deliveries/:webhookDeliveryId", {
      params: delivery,
      success: itemResponse(Delivery),
      error: DeliveryNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Get a webhook delivery" })),
    HttpApiEndpoint.post("redeliver", "/v1/webhook-deliveries/:webhookDeliveryId/redeliver", {
      params: delivery,
      success: updatedResponse(Delivery),
      error: DeliveryNotFound
    }).pipe(
      endpointMetadata({
        access: Access.permission("webhooks:write"),
        audited: "webhook.redeliver",
        summary: "Process a webhook delivery again",
        description: "Uses the stored fields of the delivery."
      })
    )
  )
