/** Audit: who did what, when; sealed in order, so that a change to it shows. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { JsonObject, Text, Timestamp } from "./shared/values.ts"

/** The framework knows one media type of a stream. */
const alsoCsv = (operation: Record<string, unknown>) => {
  const { responses } = operation as unknown as OpenApi.OpenAPISpecOperation
  Object.assign(responses[200]?.content ?? {}, { "text/csv": { schema: { type: "string" } } })
  return operation
}

export const AuditEvent = Schema.Struct({
  id: Ids.AuditEventId,
  organizationId: Schema.NullOr(Ids.OrganizationId),
  sequence: Schema.NullOr(Schema.Int).annotate({ description: "Place in the sealed order; null until it is sealed." }),
  action: Schema.String.annotate({ description: "`<thing>.<verb>`" }),
  actorKind: Schema.Literals(["session", "key", "worker", "directory", "platform", "system", "anonymous"]),
  actorId: Schema.NullOr(Schema.String).annotate({
    description: "The membership, key, worker or user; null for the system and for nobody known."
  }),
  targetId: Schema.NullOr(Schema.String),
  requestId: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  before: Schema.NullOr(JsonObject),
  after: Schema.NullOr(JsonObject),
  createdAt: Timestamp
}).annotate({ identifier: "AuditEvent", description: "Texts of people are never in it: only their digest and length." })
export type AuditEvent = typeof AuditEvent.Type

export const Checkpoint = Schema.Struct({
  sequence: Schema.Int,
  hash: Schema.String.annotate({ description: "Of everything up to the sequence, in hex." }),
  keyId: Schema.String.annotate({ description: "Which of `GET /v1/keys` signed it." }),
  signature: Schema.String.annotate({ description: "Ed25519 over `<organizationId>.<sequence>.<hash>`, base64url." }),
  createdAt: Timestamp
}).annotate({ identifier: "AuditCheckpoint" })

export const Verification = Schema.Struct({
  valid: Schema.Boolean,
  eventCount: Schema.Int,
  sealedThrough: Schema.NullOr(Schema.Int),
  firstInvalidSequence: Schema.NullOr(Schema.Int),
  reason: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AuditVerification" })

const filters = {
  action: Schema.optionalKey(Text(1, 128)),
  actorId: Schema.optionalKey(Text(1, 64)),
  targetId: Schema.optionalKey(Text(1, 64)),
  since: Schema.optionalKey(Text(1, 40).annotate({ format: "date-time", description: "Not before this moment." })),
  until: Schema.optionalKey(Text(1, 40).annotate({ format: "date-time", description: "Before this moment." }))
}
const read = Access.permission("audit:read")

export const group = HttpApiGroup.make("audit")
  .annotateMerge(OpenApi.annotations({ title: "Audit", description: "Every change, written with the change itself." }))
  .add(
    HttpApiEndpoint.get("list", "/v1/audit-events", {
      query: {
        ...pageQuery,
        ...filters,
        after: Schema.optionalKey(
          Ids.AuditEventId.annotate({ description: "Ascending, from the event after this one: for a tail." })
        )
      },
      success: Page(AuditEvent)
    }).pipe(
      endpointMetadata({
        access: read,
        paged: true,
        summary: "Lists audit events, newest first; ascending with `after`."
      })
    ),
    HttpApiEndpoint.get("export", "/v1/audit-events/export", {
      query: { ...filters, format: Schema.optionalKey(Schema.Literals(["ndjson", "csv"])) },
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" })
    }).pipe(
      endpointMetadata({
        access: read,
        summary: "Streams audit events in their order, as NDJSON or CSV; cells that a spreadsheet would run are quoted."
      }),
      (endpoint) => endpoint.annotate(OpenApi.Transform, alsoCsv)
    ),
    HttpApiEndpoint.post("verify", "/v1/audit-events/verify", {
      query: {
        sequence: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).annotate({
            description: "Of a checkpoint that was kept elsewhere; with `hash`."
          })
        ),
        hash: Schema.optionalKey(
          Text(64, 64)
            .check(Schema.isPattern(/^[0-9a-f]*$/u))
            .annotate({ description: "Of that checkpoint, in hex." })
        )
      },
      success: Schema.Struct({ verification: Verification })
    }).pipe(
      endpointMetadata({
        access: read,
        idempotency: "none",
        summary: "Checks the sealed order: a changed, lost or added event shows.",
        description:
          "Whoever has the database and not the secret keys cannot change it unnoticed, but could take back its end with all that was signed for it: a checkpoint that was kept elsewhere shows that too."
      })
    ),
    HttpApiEndpoint.get("checkpoints", "/v1/audit-events/checkpoints", {
      query: pageQuery,
      success: Page(Checkpoint)
    }).pipe(
      endpointMetadata({ access: read, paged: true, summary: "Lists the signed checkpoints of the sealed order." })
    )
  )
