/** Telemetry: events of the desktop app and of workers, and the result of each batch. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, Text, Timestamp } from "./shared/values.ts"

/** Limits of an event. */
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
  /** The maximum time that an event can be ahead of this server's clock. */
  futureHours: 24,
  ledgerDays: 30
} as const

/** The built-in event types. The operator can add more. */
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

/** Matches the characters allowed in values that have their own database column. */
// oxlint-disable-next-line no-control-regex -- matching control characters is intended
const withoutControls = Schema.isPattern(/^[^\u0000-\u001f\u007f\ud800-\udfff]*$/u, {
  message: "must not contain control characters or unpaired surrogates"
})
const Name = (maximum: number) => Schema.String.check(Schema.isBetweenCodePoints(1, maximum), withoutControls)

// Entities

export const Dimension = Schema.Struct({
  type: Text(1, bounds.dimensionTypeLength).annotate({
    description: "The type of the dimension, such as `model` or `plugin`."
  }),
  label: Schema.optionalKey(Text(0, bounds.dimensionLabelLength).annotate({ description: "The display name." })),
  value: Schema.optionalKey(
    Text(0, bounds.dimensionValueLength).annotate({ description: "The value that events are counted by." })
  ),
  metadata: Schema.optionalKey(
    JsonObject.annotate({ description: "At most 4 KiB of JSON and 32 levels deep. Larger metadata is removed." })
  )
}).annotate({ identifier: "TelemetryDimension" })
export type Dimension = typeof Dimension.Type

export const Event = Schema.Struct({
  id: Schema.optionalKey(
    Name(bounds.idLength).annotate({
      description: "Your id for the event. A repeated event with the same id and timestamp counts as a duplicate."
    })
  ),
  type: Text(1, bounds.typeLength).annotate({
    description: `One of ${eventTypes.map((type) => `\`${type}\``).join(", ")}, or a type that the operator added; see \`GET /v1/telemetry/schema\`. An event with another type is dropped.`
  }),
  timestamp: Schema.String.annotate({
    format: "date-time",
    description: "With `Z` or an offset. Within the retention period and at most 24 hours ahead."
  }),
  source: Source,
  sessionId: Schema.optionalKey(Name(bounds.sessionIdLength)),
  durationMs: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: bounds.durationMsMax }))),
  success: Schema.optionalKey(Schema.Boolean),
  dimensions: Schema.optionalKey(Schema.Array(Dimension).check(Schema.isMaxLength(bounds.dimensions)))
}).annotate({
  identifier: "TelemetryEvent",
  description:
    "A telemetry event. Valid fields are stored unchanged. An event without a valid `type`, `timestamp` or `source` is dropped; any other unknown or invalid field is removed, and `null` is treated as absent. The request succeeds in either case."
})
export type Event = typeof Event.Type

export const Ingest = Schema.Struct({
  events: Schema.Array(Event)
    .check(Schema.isBetweenLength(1, bounds.events))
    .annotate({
      description: `1 to ${bounds.events} events. Each event is validated separately: an event that is not a valid \`TelemetryEvent\` is dropped or stored without its invalid fields, and the response is 204.`
    })
}).annotate({ identifier: "IngestTelemetry" })

/** Why events were dropped (first block), or fields were removed from stored events (second block). */
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
    "`event_…`, `type_…`, `timestamp_…` and `source_…`: the event was dropped. Others: the event was stored without the field. `field_identity`: the event contained a field that identifies the organization or member. These are taken only from the credential."
})
export type Reason = typeof Reason.Type

/** The result of one ingest request. `sent` always equals `accepted + duplicate + dropped`. */
export const LedgerEntry = Schema.Struct({
  id: Schema.String,
  requestId: Schema.String.annotate({ description: "The `x-request-id` of the request." }),
  receivedAt: Timestamp,
  userId: Schema.NullOr(Ids.UserId).annotate({
    description: "For a worker, the user it works for. Null for an API key."
  }),
  orgMembershipId: Schema.NullOr(Ids.OrgMembershipId),
  workerId: Schema.NullOr(Schema.String),
  apiKeyId: Schema.NullOr(Ids.ApiKeyId),
  sent: Schema.Int,
  accepted: Schema.Int.annotate({ description: "Events stored by this request." }),
  duplicate: Schema.Int.annotate({ description: "Events already stored with the same id and timestamp." }),
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
    description:
      "The minimum value of an integer, or the minimum number of characters in a string. Null if there is no minimum."
  }),
  maximum: Schema.NullOr(Schema.Int).annotate({
    description:
      "The maximum value of an integer, or the maximum number of characters in a string, items in an array, or bytes in an object's JSON. Null if there is no maximum."
  })
}).annotate({ identifier: "TelemetryField" })

/** The rules that a batch must follow so that no event is dropped and no field is removed. */
export const Description = Schema.Struct({
  types: Schema.Array(Schema.String),
  sources: Schema.Array(Source),
  fields: Schema.Array(Field).annotate({ description: "The fields that are stored. All others are removed." }),
  eventsMax: Schema.Int.annotate({ description: "The maximum number of events in a request." }),
  retentionDays: Schema.Int,
  ledgerDays: Schema.Int,
  futureHours: Schema.Int,
  acceptedFrom: Timestamp.annotate({ description: "Older events are dropped." }),
  acceptedUntil: Timestamp.annotate({ description: "Later events are dropped." }),
  serverTime: Timestamp.annotate({ description: "The server's time, to detect clock skew." })
}).annotate({ identifier: "TelemetryDescription" })
export type Description = typeof Description.Type

// Operations

export const group = HttpApiGroup.make("telemetry")
  .annotateMerge(
    OpenApi.annotations({
      title: "Telemetry",
      description: "Events that the desktop app and workers send for members."
    })
  )
  .add(
    HttpApiEndpoint.post("ingest", "/v1/telemetry/ingest", { payload: Ingest, success: NoContent }).pipe(
      endpointMetadata({
        access: Access.memberOrWorker,
        specified: true,
        idempotency: "none",
        checksBody: true,
        ignoresUnknown: true,
        summary: "Ingest a batch of telemetry events",
        description:
          "Responds after the events are stored durably. The organization and member come only from the credential. Events with a missing or invalid `type`, `timestamp` or `source` are dropped, and fields that are not allowed are removed. Neither causes an error; the ledger counts both under the request's `x-request-id`. If each event has an `id`, you can retry the batch after any failure: no event is counted twice."
      })
    ),
    HttpApiEndpoint.get("describe", "/v1/telemetry/schema", {
      success: Schema.Struct({ telemetry: Description })
    }).pipe(
      endpointMetadata({
        access: Access.memberOrWorker,
        summary: "Get the accepted telemetry events and fields",
        description: "Includes their limits."
      })
    ),
    HttpApiEndpoint.get("ledger", "/v1/telemetry/ledger", {
      query: {
        ...pageQuery,
        requestId: Schema.optionalKey(Text(8, 128).annotate({ description: "Only the batch with this request id." }))
      },
      success: Page(LedgerEntry)
    }).pipe(
      endpointMetadata({
        access: Access.permission("telemetry:read"),
        paged: true,
        summary: "List the results of telemetry batches",
        description: "Covers the last 30 days."
      })
    )
  )
