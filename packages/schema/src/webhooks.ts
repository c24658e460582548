/** Webhooks: what a code host tells of its repositories, and what became of it. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { changed, found, endpointMetadata } from "./shared/endpoint.ts"
import { notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Timestamp } from "./shared/values.ts"

/** Bytes of the largest delivery that is taken. */
export const payloadBytesMax = 25_000_000

// Entities

/** The kinds of events that can concern a repository that is connected; all others are ignored. */
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
    "`event_ignored`: of a kind that changes nothing here; `installation_unknown`: nobody connected that installation; `target_unknown`: nobody follows that repository or branch."
})
export type IgnoredReason = typeof IgnoredReason.Type

/** One delivery as one organization is concerned by it. Of the payload only these members are kept. */
export const Delivery = Schema.Struct({
  id: Ids.WebhookDeliveryId,
  deliveryId: Schema.String.annotate({ description: "As the sender named it, in `x-github-delivery`." }),
  event: EventKind,
  action: Schema.NullOr(Schema.String),
  status: Schema.Literals(["accepted", "ignored"]),
  reason: Schema.NullOr(IgnoredReason),
  repositoryFullName: Schema.NullOr(Schema.String),
  ref: Schema.NullOr(Schema.String),
  before: Schema.NullOr(Schema.String).annotate({ description: "The commit a push began at, as the sender says." }),
  after: Schema.NullOr(Schema.String).annotate({
    description: "The commit a push ended at, as the sender says; a sync reads the head itself."
  }),
  connectorInstanceIds: Schema.Array(Ids.ConnectorInstanceId),
  syncEventIds: Schema.Array(Ids.ConnectorSyncEventId).annotate({
    description: "The syncs that stood for it last; several deliveries may share one."
  }),
  redeliveryCount: Schema.Int,
  receivedAt: Timestamp,
  actedAt: Timestamp.annotate({ description: "When it was last acted upon." })
}).annotate({ identifier: "WebhookDelivery" })
export type Delivery = typeof Delivery.Type

// Answers of the ingress, exact in the specification

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

const no = Schema.Literal(false).pipe(Schema.withConstructorDefault(Effect.succeed(false as const)))

/** 401: no signature, or none that one of the live secrets makes of these bytes. */
export class SignatureInvalid extends Schema.Error<SignatureInvalid>("WebhookSignatureInvalid")(
  { _tag: Schema.tagDefaultOmit("WebhookSignatureInvalid"), ok: no, error: Schema.tag("invalid_signature") },
  { httpApiStatus: 401 }
) {}

/** 400: signed well, and not what an event of this kind looks like. */
export class PayloadInvalid extends Schema.Error<PayloadInvalid>("WebhookPayloadInvalid")(
  { _tag: Schema.tagDefaultOmit("WebhookPayloadInvalid"), ok: no, error: Schema.tag("invalid_payload") },
  { httpApiStatus: 400 }
) {}

/** 413: over 25 MB. */
export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("WebhookPayloadTooLarge")(
  { _tag: Schema.tagDefaultOmit("WebhookPayloadTooLarge"), ok: no, error: Schema.tag("payload_too_large") },
  { httpApiStatus: 413 }
) {}

/** 503: the operator has set no secret, so nothing can be verified. */
export class SecretMissing extends Schema.Error<SecretMissing>("WebhookSecretMissing")(
  { _tag: Schema.tagDefaultOmit("WebhookSecretMissing"), ok: no, error: Schema.tag("webhook_secret_missing") },
  { httpApiStatus: 503 }
) {}

/**
 * 503: no memory became available in time, the inbox is full, or the body arrived too slowly; `Retry-After` says when
 * to retry.
 */
export class Busy extends Schema.Error<Busy>("WebhookBusy")(
  { _tag: Schema.tagDefaultOmit("WebhookBusy"), ok: no, error: Schema.tag("unavailable") },
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

/** The body is verified as bytes before anybody parses it, so the framework is told of none. */
const signedBody = (operation: Record<string, unknown>) => ({
  ...operation,
  parameters: [
    header("x-hub-signature-256", "`sha256=` and the HMAC-SHA256 of the body's bytes in hex."),
    header("x-github-event", "The kind of event."),
    header("x-github-delivery", "The sender's name of the delivery: a repetition has the same.")
  ],
  requestBody: {
    required: true,
    description: "JSON of at most 25 MB, as the code host sends it. The signature is over these bytes.",
    content: { "application/json": { schema: { type: "object" } } }
  }
})

const read = Access.permission("webhooks:read")
const delivery = { webhookDeliveryId: Ids.WebhookDeliveryId }

export const group = HttpApiGroup.make("webhooks")
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "What the code host tells us, verified by its signature, and what came of it."
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
        summary: "Takes a signed delivery of the code host and queues the syncs it calls for.",
        description:
          "The payload is a hint: a sync reads the head of the branch itself. A delivery that comes again is answered as before; one that was ignored is judged again."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, signedBody)
    ),
    HttpApiEndpoint.get("listDeliveries", "/v1/webhook-deliveries", {
      query: {
        ...pageQuery,
        event: Schema.optionalKey(EventKind),
        status: Schema.optionalKey(Schema.Literals(["accepted", "ignored"]))
      },
      success: Page(Delivery)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "Lists the deliveries of the last 30 days that concerned the organization."
      })
    ),
    HttpApiEndpoint.get("getDelivery", "/v1/webhook-deliveries/:webhookDeliveryId", {
      params: delivery,
      success: found(Delivery),
      error: DeliveryNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Gets one delivery." })),
    HttpApiEndpoint.post("redeliver", "/v1/webhook-deliveries/:webhookDeliveryId/redeliver", {
      params: delivery,
      success: changed(Delivery),
      error: DeliveryNotFound
    }).pipe(
      endpointMetadata({
        access: Access.permission("webhooks:write"),
        audited: "webhook.redeliver",
        summary: "Acts upon a delivery again, from what was kept of it."
      })
    )
  )
