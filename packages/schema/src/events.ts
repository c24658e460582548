/** Events: every change in the organization, in its sealed order, with readable names. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { endpointMetadata, itemResponse } from "./shared/endpoint.ts"
import { notFound } from "./shared/errors.ts"
import { eventTypes } from "./shared/event-types.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, Text, Timestamp } from "./shared/values.ts"

/** Types that one filter can contain. */
export const filterTypesMax = 50

export const EventType = Schema.Literals(eventTypes).annotate({
  identifier: "EventType",
  description:
    "The action of the audit event: `<resource>.<verb>`, such as `plugin.create`. Later releases can add types."
})

export const EventActor = Schema.Struct({
  kind: Schema.Literals(["session", "key", "worker", "directory", "platform", "system", "anonymous"]),
  id: Schema.NullOr(Schema.String).annotate({
    description:
      "The membership, API key, worker, SCIM directory or user. Null for orgplane itself and for anonymous callers."
  }),
  name: Schema.NullOr(Schema.String).annotate({
    description:
      "The current name. Null if there is none, if the actor was removed, or if the caller does not have permission to read it."
  }),
  email: Schema.NullOr(Schema.String).annotate({ description: "For members; null under the same conditions." })
}).annotate({ identifier: "EventActor" })

export const EventObject = Schema.Struct({
  id: Schema.String,
  kind: Schema.NullOr(Schema.String).annotate({
    description: "The kind of the object, such as `plugin`. Null if its id has no known prefix."
  }),
  name: Schema.NullOr(Schema.String).annotate({
    description:
      "The current name. Null if there is none, if the object was removed, or if the caller cannot see the object."
  })
}).annotate({ identifier: "EventObject" })

export const Event = Schema.Struct({
  id: Ids.AuditEventId,
  sequence: Schema.Int.annotate({
    description:
      "The position in the organization's events: 1 for the first event, without gaps. A caller who cannot see all events sees gaps."
  }),
  type: EventType,
  organizationId: Ids.OrganizationId,
  actor: EventActor,
  object: Schema.NullOr(EventObject),
  requestId: Schema.NullOr(Schema.String),
  before: Schema.NullOr(JsonObject),
  after: Schema.NullOr(JsonObject),
  createdAt: Timestamp
}).annotate({
  identifier: "OrganizationEvent",
  description: "Events contain no text that users entered, except the names of the actor and of the object."
})
export type Event = typeof Event.Type

export const EventTypeInfo = Schema.Struct({
  type: EventType,
  description: Schema.String,
  permission: Schema.NullOr(Schema.String).annotate({
    description:
      "The permission that a reader needs in addition to `events:read`. Null for events about personal data: only the person who acted sees them."
  })
}).annotate({ identifier: "EventTypeInfo" })

export const EventCheckpoint = Schema.Struct({
  organizationId: Ids.OrganizationId,
  sequence: Schema.Int.annotate({ description: "The sequence number of the last event that the checkpoint covers." }),
  hash: Schema.String.annotate({ description: "The SHA-256 hash of the line of this event, in hex." }),
  keyId: Schema.String.annotate({ description: "The ID of the signing key, as listed by `GET /v1/keys`." }),
  signature: Schema.String.annotate({
    description:
      "Ed25519 signature over `orgplane feed checkpoint`, the organization ID, the sequence number, the hash and the time, each followed by a line feed, in base64url."
  }),
  createdAt: Timestamp
}).annotate({ identifier: "EventCheckpoint" })
export type EventCheckpoint = typeof EventCheckpoint.Type

export class EventNotFound extends notFound("event")<EventNotFound>() {}

/** The cursor or sequence number is before the retained events. */
export class EventsExpired extends Schema.Error<EventsExpired>("EventsExpired")(
  {
    _tag: Schema.tagDefaultOmit("EventsExpired"),
    error: Schema.tag("events_expired"),
    message: Schema.String,
    oldestSequence: Schema.Int.annotate({
      description: "The sequence number of the oldest event that is stored. Continue with `after` = this number − 1."
    })
  },
  { httpApiStatus: 410 }
) {}

const filters = {
  types: Schema.optionalKey(
    Text(1, 4000).annotate({
      description: `Only these types, separated by commas, at most ${filterTypesMax}. A prefix with an asterisk selects all types of a resource: \`plugin.*\`.`
    })
  ),
  actorId: Schema.optionalKey(Text(1, 64).annotate({ description: "Only events of this actor." })),
  objectId: Schema.optionalKey(Text(1, 64).annotate({ description: "Only events about this object." }))
}

const Sequence = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const read = Access.permission("events:read")

export const group = HttpApiGroup.make("events")
  .annotateMerge(
    OpenApi.annotations({
      title: "Events",
      description: "Every change in the organization, in order: as a list, as a live stream, and as webhooks."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/events", {
      query: {
        ...pageQuery,
        ...filters,
        since: Schema.optionalKey(
          Text(1, 40).annotate({ format: "date-time", description: "Only events at or after this time." })
        ),
        until: Schema.optionalKey(
          Text(1, 40).annotate({ format: "date-time", description: "Only events before this time." })
        ),
        after: Schema.optionalKey(
          Sequence.annotate({
            description:
              "Only events after this sequence number, oldest first. Default: the newest events, newest first."
          })
        )
      },
      success: Page(Event),
      error: EventsExpired
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List events",
        description:
          "Returns the events of resources that the caller has the read permission for. An event is in the list within a second of its change."
      })
    ),
    HttpApiEndpoint.get("types", "/v1/event-types", {
      success: Schema.Struct({ items: Schema.Array(EventTypeInfo) })
    }).pipe(endpointMetadata({ access: Access.member, summary: "List the types of events" })),
    HttpApiEndpoint.get("stream", "/v1/events/stream", {
      query: {
        ...filters,
        after: Schema.optionalKey(
          Sequence.annotate({
            description: "Starts after this sequence number. Default: only events that happen later."
          })
        )
      },
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" }),
      error: EventsExpired
    }).pipe(
      endpointMetadata({
        access: read,
        streams: Event,
        summary: "Stream events",
        description:
          "Server-sent events: `id` is the sequence number, `event` the type, and `data` the event as JSON. A comment is sent every 15 seconds. The stream ends when the credential is revoked or its permissions change. To resume, send the last `id` in the header `Last-Event-ID`, which replaces `after`."
      })
    ),
    HttpApiEndpoint.get("checkpoints", "/v1/events/checkpoints", {
      query: pageQuery,
      success: Page(EventCheckpoint)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List the signed checkpoints of the events",
        description:
          "Newest first. Each checkpoint signs the chain over the lines that event streams send, up to its sequence number. `orgplane events verify` verifies received lines with the checkpoints among them and the keys of `GET /v1/keys`."
      })
    ),
    HttpApiEndpoint.get("get", "/v1/events/:eventId", {
      params: { eventId: Ids.AuditEventId },
      success: itemResponse(Event),
      error: EventNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Get an event" }))
  )
