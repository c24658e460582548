/**
 * Audit: the trail of changes, each with its actor and time. Events are sealed in sequence so that tampering can be
 * detected.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { EventNotFound } from "./events.ts"
import { auditActions } from "./shared/audit-actions.ts"
import * as Access from "./shared/auth.ts"
import { endpointMetadata, itemResponse } from "./shared/endpoint.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, Text, Timestamp } from "./shared/values.ts"

/** The framework documents one media type per stream. */
const alsoCsv = (operation: Record<string, unknown>) => {
  const { responses } = operation as unknown as OpenApi.OpenAPISpecOperation
  Object.assign(responses[200]?.content ?? {}, { "text/csv": { schema: { type: "string" } } })
  return operation
}

export const AuditAction = Schema.Literals(auditActions).annotate({
  identifier: "AuditAction",
  description: "`<resource>.<verb>`, such as `api_key.create`. Later releases can add actions."
})

export const AuditEvent = Schema.Struct({
  id: Ids.AuditEventId,
  organizationId: Schema.NullOr(Ids.OrganizationId),
  sequence: Schema.NullOr(Schema.Int).annotate({
    description: "Position in the sealed sequence. Null until the event is sealed."
  }),
  action: AuditAction,
  actorKind: Schema.Literals(["session", "key", "worker", "directory", "platform", "system", "anonymous"]),
  actorId: Schema.NullOr(Schema.String).annotate({
    description:
      "The membership, API key, worker, SCIM directory or user that caused the event. Null for the system and for anonymous callers."
  }),
  targetId: Schema.NullOr(Schema.String),
  requestId: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  before: Schema.NullOr(JsonObject),
  after: Schema.NullOr(JsonObject),
  createdAt: Timestamp
}).annotate({
  identifier: "AuditEvent",
  description: "Events do not contain text that users entered, only its digest and length."
})
export type AuditEvent = typeof AuditEvent.Type

export const Checkpoint = Schema.Struct({
  sequence: Schema.Int,
  hash: Schema.String.annotate({ description: "Hash of all events up to this sequence number, in hex." }),
  keyId: Schema.String.annotate({ description: "The id of the signing key, as listed by `GET /v1/keys`." }),
  signature: Schema.String.annotate({
    description: "Ed25519 signature over `<organizationId>.<sequence>.<hash>`, base64url."
  }),
  createdAt: Timestamp
}).annotate({ identifier: "AuditCheckpoint" })

export const Verification = Schema.Struct({
  valid: Schema.Boolean,
  eventCount: Schema.Int,
  sealedThrough: Schema.NullOr(Schema.Int),
  firstInvalidSequence: Schema.NullOr(Schema.Int),
  reason: Schema.NullOr(Schema.String),
  truncatedThrough: Schema.NullOr(Schema.Int).annotate({
    description:
      "The sequence number of the last event that was deleted at the end of its retention. The events after it are verified from the signed record of the deletion. Null if no events were deleted."
  }),
  truncatedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "AuditVerification" })

const filters = {
  action: Schema.optionalKey(
    Text(1, 128).annotate({
      description:
        "Only events with this action. Accepts the current name, such as `api_key.create`, and the older stored name, such as `apiKey.create`."
    })
  ),
  actorId: Schema.optionalKey(Text(1, 64).annotate({ description: "Only events with this `actorId`." })),
  targetId: Schema.optionalKey(
    Text(1, 64).annotate({ description: "Only events that affected the resource with this id." })
  ),
  since: Schema.optionalKey(
    Text(1, 40).annotate({ format: "date-time", description: "Only events at or after this time." })
  ),
  until: Schema.optionalKey(Text(1, 40).annotate({ format: "date-time", description: "Only events before this time." }))
}
const read = Access.permission("audit:read")

export const group = HttpApiGroup.make("audit")
  .annotateMerge(
    OpenApi.annotations({
      title: "Audit",
      description: "The audit log: every change, recorded in the same transaction as the change itself."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/audit-events", {
      query: {
        ...pageQuery,
        ...filters,
        after: Schema.optionalKey(
          Ids.AuditEventId.annotate({
            description: "Return events in ascending order, starting after this event. Use it to follow new events."
          })
        )
      },
      success: Page(AuditEvent)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "List audit events",
        description:
          "Newest first, or oldest first if `after` is set. The `action` filter accepts both an action's current name and the older name stored in existing events."
      })
    ),
    HttpApiEndpoint.get("export", "/v1/audit-events/export", {
      query: {
        ...filters,
        format: Schema.optionalKey(
          Schema.Literals(["ndjson", "csv"]).annotate({ description: "The format of the export. Default: `ndjson`." })
        )
      },
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" })
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Export audit events",
        description:
          "Streams events in order as NDJSON or CSV. In CSV, cells that a spreadsheet would interpret as a formula are escaped with a leading apostrophe."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, alsoCsv)
    ),
    HttpApiEndpoint.post("verify", "/v1/audit-events/verify", {
      query: {
        sequence: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).annotate({
            description: "The sequence number of a checkpoint that you stored elsewhere. Requires `hash`."
          })
        ),
        hash: Schema.optionalKey(
          Text(64, 64)
            .check(Schema.isPattern(/^[0-9a-f]*$/u))
            .annotate({ description: "The hash of that checkpoint, in hex." })
        )
      },
      success: Schema.Struct({ verification: Verification })
    }).pipe(
      endpointMetadata({
        access: read,
        idempotency: "none",
        summary: "Verify the integrity of the audit log",
        description:
          "Detects changed, missing and added events. An attacker with access to the database but not to the secret keys cannot change events undetected, but could delete the latest events together with their checkpoints. Pass a checkpoint that you stored elsewhere to detect that too. If the operator has set a retention for audit events, older events are deleted, and `truncatedThrough` is the sequence number of the last deleted event. `eventCount` is the number of events that were verified."
      })
    ),
    HttpApiEndpoint.get("checkpoints", "/v1/audit-events/checkpoints", {
      query: pageQuery,
      success: Page(Checkpoint)
    }).pipe(endpointMetadata({ access: read, paged: true, summary: "List the signed checkpoints of the audit log" })),
    HttpApiEndpoint.get("get", "/v1/audit-events/:auditEventId", {
      params: { auditEventId: Ids.AuditEventId },
      success: itemResponse(AuditEvent),
      error: EventNotFound
    }).pipe(endpointMetadata({ access: read, summary: "Get an audit event" }))
  )
