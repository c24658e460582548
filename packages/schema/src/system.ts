/** Health, readiness, version and documents of the service. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { JsonObject, Text, Timestamp } from "./shared/values.ts"

export const Health = Schema.Struct({ status: Schema.Literal("ok") }).annotate({ identifier: "Health" })

const Check = Schema.Literals(["ok", "failed"])

const checks = Schema.Struct({
  database: Check.annotate({ description: "Whether the database responds and is not a standby." }),
  queue: Check,
  writes: Check.annotate({ description: "Whether a read-write transaction can begin." }),
  disk: Schema.optionalKey(
    Check.annotate({
      description:
        "Whether the embedded database's disk has at least `ORGPLANE_DISK_FREE_MIN_MIB` free. Absent with PostgreSQL."
    })
  )
})

export const ReadyDetail = Schema.Struct({
  check: Schema.Literals([
    "database",
    "queue",
    "writes",
    "disk",
    "schema",
    "keys",
    "audit",
    "mail",
    "workers",
    "shutdown"
  ]).annotate({
    description:
      "`schema`, `keys`, `audit`, `mail` and `workers` do not affect the status of the response: requests can be served without them."
  }),
  status: Check,
  since: Timestamp.annotate({ description: "Since when this process has observed this status without interruption." }),
  durationMs: Schema.NullOr(Schema.Int).annotate({
    description: "How long the last check took. Null if it is not timed."
  }),
  message: Schema.String
}).annotate({ identifier: "ReadyDetail", description: "The state of a component, for operators." })
export type ReadyDetail = typeof ReadyDetail.Type

const details = Schema.optionalKey(
  Schema.Array(ReadyDetail).annotate({
    description: "Only in responses to requests with the operator's `ORGPLANE_METRICS_TOKEN` as bearer token."
  })
)

export const Ready = Schema.Struct({ status: Schema.Literal("ready"), checks, details }).annotate({
  identifier: "Ready"
})
export const NotReady = Schema.Struct({ status: Schema.Literal("not_ready"), checks, details }).annotate({
  identifier: "NotReady"
})

export const Version = Schema.Struct({
  name: Schema.Literal("orgplane"),
  version: Schema.String,
  api: Schema.Literal("v1"),
  schemaVersion: Schema.Int.annotate({ description: "The number of the database's latest schema migration." })
}).annotate({ identifier: "ServerVersion" })

/** A public key of this installation: Ed25519 as a JWK (RFC 8037). */
export const SigningKey = Schema.Struct({
  kid: Schema.String,
  kty: Schema.Literal("OKP"),
  crv: Schema.Literal("Ed25519"),
  x: Schema.String,
  alg: Schema.Literal("EdDSA"),
  use: Schema.Literal("sig"),
  createdAt: Timestamp.annotate({ description: "When the key was created." }),
  retiredAt: Schema.NullOr(Timestamp).annotate({
    description:
      "When the operator replaced the key. Null for the current key. Signatures made before this time stay valid. Reject a desired state that you receive later and that is signed with this key; allow 10 minutes for clock differences."
  })
}).annotate({ identifier: "SigningKey" })
export type SigningKey = typeof SigningKey.Type
/** The key itself, as it is stored. */
export type SigningJwk = Omit<SigningKey, "createdAt" | "retiredAt">

const access = Access.anyone

export const group = HttpApiGroup.make("system")
  .annotateMerge(OpenApi.annotations({ title: "System", description: "Health, readiness, version and API documents." }))
  .add(
    HttpApiEndpoint.get("health", "/v1/health", { success: Health }).pipe(
      endpointMetadata({
        access,
        summary: "Check that the process responds",
        description: "Does not access the database."
      })
    ),
    HttpApiEndpoint.get("live", "/v1/live", { success: Health }).pipe(
      endpointMetadata({
        access,
        summary: "Check that the process is alive",
        description:
          "For liveness probes. Does not access the database, so an unavailable database does not restart the process."
      })
    ),
    HttpApiEndpoint.get("ready", "/v1/ready", {
      success: [Ready, NotReady.pipe(HttpApiSchema.status(503))]
    }).pipe(
      endpointMetadata({
        access,
        summary: "Check that the service is ready",
        description:
          "Checks that the database is reachable and writable, and checks the queue and the disk. Returns 503 when a check fails, and while the server shuts down. With the operator's `ORGPLANE_METRICS_TOKEN` as bearer token, the response contains the details of each check."
      })
    ),
    HttpApiEndpoint.get("version", "/v1/version", { success: Version }).pipe(
      endpointMetadata({ access, summary: "Get the versions of the server, the API and the database" })
    ),
    HttpApiEndpoint.get("keys", "/v1/keys", { success: Schema.Struct({ keys: Schema.Array(SigningKey) }) }).pipe(
      endpointMetadata({
        access,
        summary: "List the public signing keys",
        description: "The keys that verify this installation's signatures, newest first."
      })
    ),
    HttpApiEndpoint.get("openapi", "/v1/openapi.json", { success: JsonObject }).pipe(
      endpointMetadata({ access, summary: "Get the OpenAPI 3.1 document" })
    ),
    HttpApiEndpoint.get("docs", "/v1/docs", {
      query: {
        group: Schema.optionalKey(
          Text(1, 64).annotate({
            description:
              "The group whose operations are shown in full, such as `plugins`. Default: a list of all operations."
          })
        )
      },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
    }).pipe(endpointMetadata({ access, summary: "Get a page of the API reference as HTML" }))
  )
