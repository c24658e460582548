/** Webhook endpoints: URLs that receive events, signed according to the Standard Webhooks specification. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { EventType, filterTypesMax } from "./events.ts"
import { Permission } from "./roles.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata, itemResponse, NoContent, updatedResponse } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery, search } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

/** Webhook endpoints of one organization. */
export const endpointsMax = 100
/** Events that one request can redeliver. */
export const redeliverEventsMax = 10_000
/** How long after the first attempt an event is retried. */
export const retryDaysMax = 3

export const WebhookOrdering = Schema.Literals(["ordered", "parallel"]).annotate({
  identifier: "WebhookOrdering",
  description:
    "`ordered`: an event is sent only after the previous one was delivered. `parallel`: up to 8 events are sent at a time, and a failed one does not delay the others."
})
export const WebhookSignature = Schema.Literals(["hmac", "ed25519"]).annotate({
  identifier: "WebhookSignature",
  description:
    "`hmac`: HMAC-SHA256 with a shared secret (`v1`). `ed25519`: a signature that receivers verify with the public key (`v1a`)."
})
export const WebhookEndpointState = Schema.Literals(["active", "paused", "disabled"]).annotate({
  identifier: "WebhookEndpointState",
  description:
    "`active`: events are sent. `paused`: events wait, and are sent after `resume`. `disabled`: the URL returned 410; `resume` activates it again."
})
export const WebhookPauseReason = Schema.Literals(["manual", "failing", "gone"]).annotate({
  identifier: "WebhookPauseReason",
  description: `\`manual\`: a member or an API key paused it. \`failing\`: an event could not be delivered for ${retryDaysMax} days. \`gone\`: the URL returned 410.`
})

const Patterns = Schema.Array(Text(1, 100)).check(Schema.isMaxLength(filterTypesMax))
const Permissions = Schema.Array(Permission).check(Schema.isMaxLength(100))
const Url = Text(8, 2048).annotate({
  format: "uri",
  description:
    "The URL that receives events with POST. It must use https and a public address. Redirects are not followed."
})

export const WebhookEndpoint = Schema.Struct({
  id: Ids.WebhookEndpointId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  url: Schema.String,
  types: Schema.Array(Schema.String).annotate({
    description: "Types of events, or all types of a resource such as `plugin.*`. Empty for all types that it can see."
  }),
  permissions: Schema.Array(Permission).annotate({
    description: "What the endpoint can see: the events of resources with these read permissions."
  }),
  ordering: WebhookOrdering,
  signature: WebhookSignature,
  publicKey: Schema.NullOr(Schema.String).annotate({
    description: "For `ed25519`: the public key, `whpk_` and base64. Null for `hmac`."
  }),
  previousSecretUntil: Schema.NullOr(Timestamp).annotate({
    description: "Until when deliveries are also signed with the secret or key before the last rotation."
  }),
  state: WebhookEndpointState,
  pauseReason: Schema.NullOr(WebhookPauseReason),
  position: Schema.Int.annotate({ description: "The sequence number of the last event that was queued for delivery." }),
  pendingCount: Schema.Int.annotate({
    description: "Deliveries that were not successful yet, up to 10,000 (1,000 in a list)."
  }),
  failingSince: Schema.NullOr(Timestamp).annotate({
    description: "Since when every attempt has failed. Null if the last one was successful."
  }),
  lastDeliveredAt: Schema.NullOr(Timestamp),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  version: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "WebhookEndpoint" })
export type WebhookEndpoint = typeof WebhookEndpoint.Type

export const CreateWebhookEndpoint = Schema.Struct({
  name: Text(1, 120),
  url: Url,
  types: Schema.optionalKey(
    Patterns.annotate({ description: "Types of events, or `<resource>.*`. Default: all types that it can see." })
  ),
  permissions: Schema.optionalKey(
    Permissions.annotate({
      description:
        "Read permissions of the endpoint, each of which the caller must have. Default: all read permissions of the caller."
    })
  ),
  ordering: Schema.optionalKey(WebhookOrdering.annotate({ description: "Default: `ordered`." })),
  signature: Schema.optionalKey(WebhookSignature.annotate({ description: "Default: `hmac`." })),
  after: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).annotate({
      description: "Starts after this sequence number. Default: sends only events that happen later."
    })
  )
}).annotate({ identifier: "CreateWebhookEndpoint" })

export const UpdateWebhookEndpoint = Schema.Struct({
  name: Schema.optionalKey(Text(1, 120)),
  url: Schema.optionalKey(Url),
  types: Schema.optionalKey(
    Patterns.annotate({ description: "Replaces the types, for events that are queued later." })
  ),
  permissions: Schema.optionalKey(
    Permissions.annotate({
      description:
        "Replaces the permissions, for events that are queued later. The caller must have each of them. If one is removed, pending deliveries are skipped."
    })
  ),
  ordering: Schema.optionalKey(WebhookOrdering)
}).annotate({ identifier: "UpdateWebhookEndpoint" })

export const RotateWebhookSecret = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 })).annotate({
      description: "How long deliveries are also signed with the old secret. Default: 86,400 (a day)."
    })
  )
}).annotate({ identifier: "RotateWebhookSecret" })

export const ResumeWebhookEndpoint = Schema.Struct({
  skip: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether to skip the pending events. They can be delivered later with `redeliver`. Default: false."
    })
  )
}).annotate({ identifier: "ResumeWebhookEndpoint" })

export const RedeliverEvents = Schema.Struct({
  from: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).annotate({
    description: "The first sequence number."
  }),
  to: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).annotate({
    description: `The last sequence number, at most ${redeliverEventsMax - 1} after \`from\`.`
  })
}).annotate({ identifier: "RedeliverEvents" })

export const WebhookAttempt = Schema.Struct({
  at: Timestamp,
  url: Schema.String.annotate({ description: "The URL at that time." }),
  requestHeaders: Schema.Record(Schema.String, Schema.String).annotate({
    description: "`webhook-id` and `webhook-timestamp`, as they were sent. The signature is not stored."
  }),
  status: Schema.NullOr(Schema.Int).annotate({ description: "The HTTP status. Null if there was no response." }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Why there was no response, such as `timeout`. `no_secret`: the secret was lost, and must be rotated."
  }),
  durationMillis: Schema.Int,
  response: Schema.NullOr(Schema.String).annotate({
    description:
      "The first 1,024 characters of the response. Null if there was none, and if the caller does not have every permission that the endpoint had."
  })
}).annotate({ identifier: "WebhookAttempt" })

const deliveryMembers = {
  id: Ids.WebhookMessageId,
  webhookEndpointId: Ids.WebhookEndpointId,
  eventId: Schema.NullOr(Ids.AuditEventId).annotate({ description: "Null for a test." }),
  sequence: Schema.NullOr(Schema.Int),
  type: Schema.Union([EventType, Schema.Literal("webhook.test")]),
  state: Schema.Literals(["pending", "delivered", "failed", "skipped"]).annotate({
    description: `\`pending\`: it is sent or retried at \`nextAttemptAt\`. \`failed\`: every attempt failed for ${retryDaysMax} days. \`skipped\`: while it was pending, the endpoint was resumed with \`skip\` or lost a permission.`
  }),
  attemptCount: Schema.Int,
  nextAttemptAt: Schema.NullOr(Timestamp),
  deliveredAt: Schema.NullOr(Timestamp),
  createdAt: Timestamp
}

export const WebhookMessage = Schema.Struct(deliveryMembers).annotate({ identifier: "WebhookMessage" })
export type WebhookMessage = typeof WebhookMessage.Type
export const WebhookMessageDetails = Schema.Struct({
  ...deliveryMembers,
  body: Schema.NullOr(Schema.String).annotate({
    description:
      "The exact body of every attempt. Null if the caller does not have every permission that the endpoint has had."
  }),
  attempts: Schema.Array(WebhookAttempt).annotate({ description: "The latest attempts, at most 20, oldest first." })
}).annotate({ identifier: "WebhookMessageDetails" })

export class WebhookEndpointNotFound extends notFound("webhook_endpoint")<WebhookEndpointNotFound>() {}
export class WebhookMessageNotFound extends notFound("webhook_message")<WebhookMessageNotFound>() {}
export class WebhookEndpointQuota extends conflict(
  "quota_exceeded",
  `The organization has ${endpointsMax} webhook endpoints. Remove one that is no longer used, then try again.`
)<WebhookEndpointQuota>() {}

const at = "/v1/webhook-endpoints/:webhookEndpointId"
const one = { webhookEndpointId: Ids.WebhookEndpointId }
const message = { ...one, webhookMessageId: Ids.WebhookMessageId }
const read = Access.permission("webhookEndpoints:read")
const write = Access.permission("webhookEndpoints:write")
const manage = Access.permission("webhookEndpoints:manage")

const EndpointWithSecret = Schema.Struct({
  item: WebhookEndpoint,
  secret: Schema.NullOr(
    Schema.String.annotate({
      description: "For `hmac`: `whsec_` and base64. Returned only in this response. Null for `ed25519`."
    })
  )
}).annotate({ identifier: "WebhookEndpointWithSecret" })

export const group = HttpApiGroup.make("webhookEndpoints")
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhook endpoints",
      description: "Send events to other systems, signed according to the Standard Webhooks specification."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/webhook-endpoints", {
      query: { ...pageQuery, q: search("Filter by part of the name or the URL. Case-insensitive.") },
      success: Page(WebhookEndpoint)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List webhook endpoints" })),
    HttpApiEndpoint.post("create", "/v1/webhook-endpoints", {
      payload: CreateWebhookEndpoint,
      success: EndpointWithSecret.pipe(HttpApiSchema.status(201)),
      error: WebhookEndpointQuota
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "webhook_endpoint.create",
        holdsSecret: true,
        idempotency: "fact",
        summary: "Create a webhook endpoint",
        description:
          "Returns the secret once. The endpoint sees events with its own permissions, which do not change with those of its creator."
      })
    ),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: itemResponse(WebhookEndpoint),
      error: WebhookEndpointNotFound
    }).pipe(endpointMetadata({ access: read, versioned: "match", summary: "Get a webhook endpoint" })),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateWebhookEndpoint,
      success: updatedResponse(WebhookEndpoint),
      error: WebhookEndpointNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "webhook_endpoint.update",
        versioned: true,
        summary: "Update a webhook endpoint",
        description: "To change the URL or the permissions, the caller must have all permissions of the endpoint."
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: WebhookEndpointNotFound }).pipe(
      endpointMetadata({
        access: manage,
        audited: "webhook_endpoint.remove",
        summary: "Remove a webhook endpoint",
        description: "Deletes its deliveries. No further events are sent."
      })
    ),
    HttpApiEndpoint.post("rotateSecret", `${at}/rotate-secret`, {
      params: one,
      payload: RotateWebhookSecret,
      success: EndpointWithSecret,
      error: WebhookEndpointNotFound
    }).pipe(
      endpointMetadata({
        access: manage,
        audited: "webhook_endpoint.rotate_secret",
        holdsSecret: true,
        idempotency: "fact",
        summary: "Rotate the secret of a webhook endpoint",
        description:
          "Returns the new secret once. Until the overlap ends, `webhook-signature` contains a signature with each secret."
      })
    ),
    HttpApiEndpoint.post("test", `${at}/test`, {
      params: one,
      success: itemResponse(WebhookAttempt),
      error: WebhookEndpointNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "webhook_endpoint.test",
        idempotency: "none",
        summary: "Send a test to a webhook endpoint",
        description:
          "Sends an event of the type `webhook.test` immediately, even to a paused endpoint, and returns the outcome. It is not retried."
      })
    ),
    HttpApiEndpoint.post("pause", `${at}/pause`, {
      params: one,
      success: updatedResponse(WebhookEndpoint),
      error: WebhookEndpointNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "webhook_endpoint.pause",
        summary: "Pause a webhook endpoint",
        description: "Events wait until it is resumed."
      })
    ),
    HttpApiEndpoint.post("resume", `${at}/resume`, {
      params: one,
      payload: ResumeWebhookEndpoint,
      success: updatedResponse(WebhookEndpoint),
      error: WebhookEndpointNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "webhook_endpoint.resume",
        summary: "Resume a webhook endpoint",
        description: "Pending deliveries are sent immediately. Their three days of retries start again."
      })
    ),
    HttpApiEndpoint.post("redeliver", `${at}/redeliver`, {
      params: one,
      payload: RedeliverEvents,
      success: updatedResponse(Schema.Struct({ count: Schema.Int })),
      error: [WebhookEndpointNotFound, WebhookEndpointQuota]
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "webhook_endpoint.redeliver",
        summary: "Redeliver events",
        description:
          "Queues every event of the range that the endpoint selects and can see, including those that it never received. Their `webhook-id` is the same as before."
      })
    ),
    HttpApiEndpoint.get("listMessages", `${at}/messages`, {
      params: one,
      query: {
        ...pageQuery,
        state: Schema.optionalKey(
          Schema.Literals(["pending", "delivered", "failed", "skipped"]).annotate({ description: "Only this state." })
        )
      },
      success: Page(WebhookMessage),
      error: WebhookEndpointNotFound
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List deliveries of a webhook endpoint",
        description: "Newest first. Deliveries are kept for 30 days."
      })
    ),
    HttpApiEndpoint.get("getMessage", `${at}/messages/:webhookMessageId`, {
      params: message,
      success: itemResponse(WebhookMessageDetails),
      error: [WebhookEndpointNotFound, WebhookMessageNotFound]
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Get a delivery of a webhook endpoint",
        description:
          "Includes the exact body, and each attempt with its response. Both require every permission that the endpoint has had."
      })
    )
  )
