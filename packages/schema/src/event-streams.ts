/** Event streams: send every event, in order and with its place in the signed chain, to another system. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { filterTypesMax } from "./events.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata, itemResponse, NoContent, updatedResponse } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery, search } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

/** Event streams of one organization. */
export const streamsMax = 20

const Url = Text(8, 2048).annotate({
  format: "uri",
  description: "It must use https and a public address. Redirects are not followed."
})
const Format = Schema.Literals(["ndjson", "splunk_hec"])

const Https = Schema.Struct({
  kind: Schema.Literal("https"),
  url: Schema.String,
  format: Format
})
const S3 = Schema.Struct({
  kind: Schema.Literal("s3"),
  endpoint: Schema.String,
  region: Schema.String,
  bucket: Schema.String,
  prefix: Schema.String,
  accessKeyId: Schema.String
})
const Otlp = Schema.Struct({ kind: Schema.Literal("otlp"), url: Schema.String })

export const EventStreamDestination = Schema.Union([Https, S3, Otlp]).annotate({
  identifier: "EventStreamDestination",
  description: "Where the events are sent. Secrets are never returned."
})
export type EventStreamDestination = typeof EventStreamDestination.Type

const secretNote =
  "Never returned. An update can omit it if the kind and the URL of the destination stay the same, or the endpoint and the bucket."

export const EventStreamTarget = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("https"),
    url: Url,
    format: Schema.optionalKey(
      Format.annotate({
        description:
          "`ndjson`: one line for each event. `splunk_hec`: the format of Splunk's HTTP Event Collector. Default: `ndjson`."
      })
    ),
    token: Schema.optionalKey(
      Text(1, 4096).annotate({
        description: `Sent in the header \`Authorization\`, for \`ndjson\` as a bearer token. ${secretNote}`
      })
    )
  }),
  Schema.Struct({
    kind: Schema.Literal("s3"),
    endpoint: Url.annotate({
      description:
        "The URL of the S3 API, such as `https://s3.eu-central-1.amazonaws.com`. It must use https and a public address."
    }),
    region: Text(1, 64),
    bucket: Text(3, 63),
    prefix: Schema.optionalKey(
      Text(0, 512).annotate({ description: "The start of the names of the objects. Default: empty." })
    ),
    accessKeyId: Text(1, 128),
    secretAccessKey: Schema.optionalKey(Text(1, 512).annotate({ description: secretNote }))
  }),
  Schema.Struct({
    kind: Schema.Literal("otlp"),
    url: Url.annotate({
      description: "The URL that receives logs as OTLP/HTTP with JSON. Its path usually ends with `/v1/logs`."
    }),
    headers: Schema.optionalKey(
      Schema.Record(Schema.String, Text(0, 4096)).annotate({
        description: `Headers of each request, such as \`Authorization\`; at most 10. ${secretNote}`
      })
    )
  })
]).annotate({ identifier: "EventStreamTarget" })
export type EventStreamTarget = typeof EventStreamTarget.Type

export const EventStream = Schema.Struct({
  id: Ids.EventStreamId,
  organizationId: Ids.OrganizationId,
  name: Schema.String,
  destination: EventStreamDestination,
  hasSecret: Schema.Boolean,
  types: Schema.Array(Schema.String).annotate({
    description:
      "Types of events, or all types of a resource such as `plugin.*`. Empty for all types. Events of other types are sent as lines without content, so that the chain can be verified."
  }),
  state: Schema.Literals(["active", "paused"]),
  position: Schema.Int.annotate({ description: "The sequence number of the last event that was delivered." }),
  lag: Schema.Int.annotate({ description: "Events that were not delivered yet." }),
  failingSince: Schema.NullOr(Timestamp).annotate({
    description: "Since when every attempt has failed. Null if the last one was successful."
  }),
  lastError: Schema.NullOr(Schema.String).annotate({ description: "Why the last attempt failed, such as `HTTP 503`." }),
  nextAttemptAt: Schema.NullOr(Timestamp).annotate({
    description: "When a failing stream retries. Null if it is not failing."
  }),
  lastDeliveredAt: Schema.NullOr(Timestamp),
  createdByOrgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  version: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "OrganizationEventStream" })
export type EventStream = typeof EventStream.Type

const Patterns = Schema.Array(Text(1, 100)).check(Schema.isMaxLength(filterTypesMax))

export const CreateEventStream = Schema.Struct({
  name: Text(1, 120),
  destination: EventStreamTarget,
  types: Schema.optionalKey(
    Patterns.annotate({ description: "Types of events, or `<resource>.*`. Default: all types." })
  ),
  after: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).annotate({
      description: "Starts after this sequence number. Default: sends only events that happen later."
    })
  )
}).annotate({ identifier: "CreateEventStream" })

export const UpdateEventStream = Schema.Struct({
  name: Schema.optionalKey(Text(1, 120)),
  destination: Schema.optionalKey(EventStreamTarget.annotate({ description: "Replaces the destination." })),
  types: Schema.optionalKey(Patterns.annotate({ description: "Replaces the types, for events that are sent later." }))
}).annotate({ identifier: "UpdateEventStream" })

export const EventStreamTest = Schema.Struct({
  ok: Schema.Boolean,
  error: Schema.NullOr(Schema.String).annotate({ description: "Why the destination did not accept the test." }),
  durationMillis: Schema.Int
}).annotate({ identifier: "EventStreamTest" })

export class EventStreamNotFound extends notFound("event_stream")<EventStreamNotFound>() {}
export class EventStreamQuota extends conflict(
  "quota_exceeded",
  `The organization has ${streamsMax} event streams. Remove one that is no longer used, then try again.`
)<EventStreamQuota>() {}

const at = "/v1/event-streams/:eventStreamId"
const one = { eventStreamId: Ids.EventStreamId }
const read = Access.permission("eventStreams:read")
const write = Access.permission("eventStreams:write")
/** A stream sends the events of all resources. */
const writeAll = Access.permission("eventStreams:write", "audit:read")
const manage = Access.permission("eventStreams:manage")

export const group = HttpApiGroup.make("eventStreams")
  .annotateMerge(
    OpenApi.annotations({
      title: "Event streams",
      description:
        "Send every event to an HTTPS endpoint, S3-compatible object storage or an OpenTelemetry collector, so that receivers can verify that it is complete."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/event-streams", {
      query: { ...pageQuery, q: search() },
      success: Page(EventStream)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List event streams" })),
    HttpApiEndpoint.post("create", "/v1/event-streams", {
      payload: CreateEventStream,
      success: itemResponse(EventStream).pipe(HttpApiSchema.status(201)),
      error: EventStreamQuota
    }).pipe(
      endpointMetadata({
        access: writeAll,
        audited: "event_stream.create",
        summary: "Create an event stream"
      })
    ),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: itemResponse(EventStream),
      error: EventStreamNotFound
    }).pipe(endpointMetadata({ access: read, versioned: "match", summary: "Get an event stream" })),
    HttpApiEndpoint.patch("update", at, {
      params: one,
      payload: UpdateEventStream,
      success: updatedResponse(EventStream),
      error: EventStreamNotFound
    }).pipe(
      endpointMetadata({
        access: writeAll,
        audited: "event_stream.update",
        versioned: true,
        summary: "Update an event stream"
      })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: EventStreamNotFound }).pipe(
      endpointMetadata({
        access: manage,
        audited: "event_stream.remove",
        summary: "Remove an event stream",
        description: "Deletes its position and its secret. No further events are sent."
      })
    ),
    HttpApiEndpoint.post("pause", `${at}/pause`, {
      params: one,
      success: updatedResponse(EventStream),
      error: EventStreamNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "event_stream.pause",
        summary: "Pause an event stream",
        description: "Events wait until it is resumed."
      })
    ),
    HttpApiEndpoint.post("resume", `${at}/resume`, {
      params: one,
      success: updatedResponse(EventStream),
      error: EventStreamNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "event_stream.resume",
        summary: "Resume an event stream",
        description: "Sends the undelivered events. A failing stream retries immediately."
      })
    ),
    HttpApiEndpoint.post("test", `${at}/test`, {
      params: one,
      success: itemResponse(EventStreamTest),
      error: EventStreamNotFound
    }).pipe(
      endpointMetadata({
        access: write,
        audited: "event_stream.test",
        idempotency: "none",
        summary: "Send a test to an event stream",
        description:
          "Sends a line with the kind `test` immediately, even if the stream is paused, and returns the outcome. It is not retried."
      })
    )
  )
