/** Telemetry: events of the desktop application and of workers, and what became of each batch of them. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, Text, Timestamp } from "./shared/values.ts"

/** What one event may hold. */
export const bounds = {
  events: 50,
  idLength: 128,
  typeLength: 64,
  sessionIdLength: 128,
  durationMsMax: 86_400_000,
  dimensions: 8,
  dimensionTypeLength: 64,
  dimensionValueLength: 128,
  dimensionLabelLength: 255,
  metadataBytes: 4096,
  /** How far an event may be ahead of this server's clock. */
  futureHours: 24,
  ledgerDays: 30
} as const

/** The types every server takes; its operator may add others. */
export const eventTypes = [
  "user.active",
  "session.active",
  "session.started",
  "session.ended",
  "task.started",
  "task.completed",
  "task.failed"
] as const

export const sources = ["app", "worker"] as const
export const Source = Schema.Literals(sources).annotate({ identifier: "TelemetrySource" })
export type Source = typeof Source.Type

/** Names that are stored in their own column. */
// oxlint-disable-next-line no-control-regex -- matching control characters is intended
const withoutControls = Schema.isPattern(/^[^\u0000-\u001f\u007f\ud800-\udfff]*$/u, {
  message: "must not contain control characters or unpaired surrogates"
})
const Name = (maximum: number) => Schema.String.check(Schema.isBetweenCodePoints(1, maximum), withoutControls)

// Entities

export const Dimension = Schema.Struct({
  type: Text(1, bounds.dimensionTypeLength).annotate({ description: "What it is about: `model`, `plugin`." }),
  label: Schema.optionalKey(Text(0, bounds.dimensionLabelLength).annotate({ description: "For people." })),
  value: Schema.optionalKey(
    Text(0, bounds.dimensionValueLength).annotate({ description: "What events are counted by." })
  ),
  metadata: Schema.optionalKey(
    JsonObject.annotate({ description: "At most 4 KiB of JSON and 32 levels; otherwise it is removed." })
  )
}).annotate({ identifier: "TelemetryDimension" })
export type Dimension = typeof Dimension.Type

export const Event = Schema.Struct({
  id: Schema.optionalKey(
    Name(bounds.idLength).annotate({
      description: "Yours; an event that comes again with the same id and timestamp is counted as a duplicate."
    })
  ),
  type: Text(1, bounds.typeLength).annotate({
    description: `One of ${eventTypes.map((type) => `\`${type}\``).join(", ")}, or a type that the operator added; see \`GET /v1/telemetry/schema\`. An event with another type is dropped.`
  }),
  timestamp: Schema.String.annotate({
    format: "date-time",
    description: "With `Z` or an offset; within the retention and at most 24 hours ahead."
  }),
  source: Source,
  sessionId: Schema.optionalKey(Name(bounds.sessionIdLength)),
  durationMs: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: bounds.durationMsMax }))),
  success: Schema.optionalKey(Schema.Boolean),
  dimensions: Schema.optionalKey(Schema.Array(Dimension).check(Schema.isMaxLength(bounds.dimensions)))
}).annotate({
  identifier: "TelemetryEvent",
  description:
    "An event that is stored unchanged. An event without a valid `type`, `timestamp` or `source` is dropped; any other unknown or invalid member is removed, and `null` means absent. The request succeeds in either case."
})
export type Event = typeof Event.Type

export const Ingest = Schema.Struct({
  events: Schema.Array(Event)
    .check(Schema.isBetweenLength(1, bounds.events))
    .annotate({
      description: `1 to ${bounds.events} events. Each event is validated separately: an event that is not a valid \`TelemetryEvent\` is dropped or stored without its invalid members, and the response is 204.`
    })
}).annotate({ identifier: "IngestTelemetry" })

/** Why events were dropped (the first block) or fields taken out of events that were kept (the second). */
export const reasons = [
  "event_malformed",
  "type_unknown",
  "timestamp_malformed",
  "timestamp_too_old",
  "timestamp_in_future",
  "source_unknown",

  "field_unknown",
  "field_identity",
  "id_malformed",
  "session_id_malformed",
  "duration_malformed",
  "success_malformed",
  "dimensions_malformed",
  "dimensions_too_many",
  "dimension_malformed",
  "metadata_malformed"
] as const
export const Reason = Schema.Literals(reasons).annotate({
  identifier: "TelemetryReason",
  description:
    "`event_…`, `type_…`, `timestamp_…` and `source_…`: the event was dropped. The others: the event was kept without the field; `field_identity` is one that says whose the event is, which the authentication alone says."
})
export type Reason = typeof Reason.Type

/** One request that brought events: `sent` is always `accepted + duplicate + dropped`. */
export const LedgerEntry = Schema.Struct({
  id: Schema.String,
  requestId: Schema.String.annotate({ description: "The request's `x-request-id`." }),
  receivedAt: Timestamp,
  userId: Schema.NullOr(Ids.UserId).annotate({ description: "Of a worker, whom it works for; null for an API key." }),
  orgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  workerId: Schema.NullOr(Schema.String),
  apiKeyId: Schema.NullOr(Ids.ApiKeyId),
  sent: Schema.Int,
  accepted: Schema.Int.annotate({ description: "Stored by this request." }),
  duplicate: Schema.Int.annotate({ description: "Stored before, by their id." }),
  dropped: Schema.Int,
  fieldsRemoved: Schema.Int,
  reasons: Schema.Array(Schema.Struct({ reason: Reason, count: Schema.Int }))
}).annotate({ identifier: "TelemetryLedgerEntry" })
export type LedgerEntry = typeof LedgerEntry.Type

const Field = Schema.Struct({
  of: Schema.Literals(["event", "dimension"]),
  name: Schema.String,
  kind: Schema.Literals(["string", "date-time", "integer", "boolean", "object", "array"]),
  required: Schema.Boolean,
  minimum: Schema.NullOr(Schema.Int).annotate({
    description: "Of an integer, or of a string's length in characters; null where there is none."
  }),
  maximum: Schema.NullOr(Schema.Int).annotate({
    description: "The same; of an array its length, of an object its bytes as JSON."
  })
}).annotate({ identifier: "TelemetryField" })

/** All that a sender needs to send nothing that would be dropped or removed. */
export const Description = Schema.Struct({
  types: Schema.Array(Schema.String),
  sources: Schema.Array(Source),
  fields: Schema.Array(Field).annotate({ description: "Members that are kept; whatever else is sent is removed." }),
  eventsMax: Schema.Int.annotate({ description: "Of one request." }),
  retentionDays: Schema.Int,
  ledgerDays: Schema.Int,
  futureHours: Schema.Int,
  acceptedFrom: Timestamp.annotate({ description: "An older event is dropped." }),
  acceptedUntil: Timestamp.annotate({ description: "A later event is dropped." }),
  serverTime: Timestamp.annotate({ description: "For a sender to see how far its clock is off." })
}).annotate({ identifier: "TelemetryDescription" })
export type Description = typeof Description.Type

// Operations

export const group = HttpApiGroup.make("telemetry")
  .annotateMerge(
    OpenApi.annotations({ title: "Telemetry", description: "What people and workers do, told by their programs." })
  )
  .add(
    HttpApiEndpoint.post("ingest", "/v1/telemetry/ingest", { payload: Ingest, success: Done }).pipe(
      endpointMetadata({
        access: Access.memberOrWorker,
        specified: true,
        idempotency: "none",
        summary: "Takes a batch of events; answers once they are durable.",
        description:
          "The authentication alone says whose the events are. An event without a known `type`, `timestamp` or `source` is dropped and a member that is not allowed is removed, without an error; the ledger counts both under the request's `x-request-id`. With an `id` on each event the same batch can be sent again after any failure: nothing is counted twice."
      })
    ),
    HttpApiEndpoint.get("describe", "/v1/telemetry/schema", {
      success: Schema.Struct({ telemetry: Description })
    }).pipe(
      endpointMetadata({
        access: Access.memberOrWorker,
        summary: "Tells which events and fields are kept, and their bounds."
      })
    ),
    HttpApiEndpoint.get("ledger", "/v1/telemetry/ledger", {
      query: {
        ...pageQuery,
        requestId: Schema.optionalKey(Text(8, 128).annotate({ description: "Only what this request brought." }))
      },
      success: Page(LedgerEntry)
    }).pipe(
      endpointMetadata({
        access: Access.permission("telemetry:read"),
        paged: true,
        summary: "Lists what became of each batch of the last 30 days."
      })
    )
  )
