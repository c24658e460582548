/** Webhook endpoints and event streams in configuration documents. */
import * as Schema from "effect/Schema"
import { CreateEventStream, EventStreamTarget } from "../../event-streams.ts"
import { CreateWebhookEndpoint } from "../../webhook-endpoints.ts"
import { Text } from "../values.ts"
import { Key } from "./key.ts"
import { secret } from "./secrets.ts"

const State = Schema.Literals(["active", "paused"])

const { after: _after, permissions, signature, ...endpoint } = CreateWebhookEndpoint.fields

export const WebhookEndpointEntry = Schema.Struct({
  key: Key,
  ...endpoint,
  permissions: permissions.annotate({
    description:
      "Read permissions of the endpoint, each of which the caller must have. Default for a new endpoint: all read permissions of the caller."
  }),
  signature: signature.annotate({ description: "Default: `hmac`. Cannot be changed." }),
  state: Schema.optionalKey(
    State.annotate({
      description:
        "Whether events are sent. Default for a new endpoint: `active`. An endpoint that the server paused, or disabled because its URL returned 410, is still `active`: resume it with `webhookEndpoints.resume`."
    })
  )
}).annotate({
  identifier: "ConfigurationWebhookEndpoint",
  description:
    "A URL that receives events. The server generates its signing secret, which is never part of a document. To get a secret, rotate it after the apply."
})

const [https, s3] = EventStreamTarget.members

/** The fields that a destination requires, those that it can have, and its secret. */
const destinationFields = {
  https: { required: ["url"], optional: ["format"], secret: "token" },
  s3: { required: ["endpoint", "region", "bucket", "accessKeyId"], optional: ["prefix"], secret: "secretAccessKey" },
  otlp: { required: ["url"], optional: [], secret: "headers" }
} as const
const allFields = [
  ...new Set(
    Object.values(destinationFields).flatMap(({ optional, required, secret }) => [...required, ...optional, secret])
  )
]
type Field = (typeof allFields)[number]

type Stream = { readonly [field in Field]?: unknown } & { readonly destination: keyof typeof destinationFields }

const destinationErrors = (entry: Stream) => {
  const { optional, required, secret } = destinationFields[entry.destination]
  const allowed: ReadonlySet<string> = new Set([...required, ...optional, secret])
  return [
    ...required
      .filter((name) => entry[name] === undefined)
      .map((name) => ({ path: [name], issue: `is required for destination ${entry.destination}` })),
    ...allFields
      .filter((name) => entry[name] !== undefined && !allowed.has(name))
      .map((name) => ({ path: [name], issue: `is not allowed for destination ${entry.destination}` }))
  ]
}

export const EventStreamEntry = Schema.Struct({
  key: Key,
  name: CreateEventStream.fields.name,
  types: CreateEventStream.fields.types,
  state: Schema.optionalKey(
    State.annotate({ description: "Whether events are sent. Default for a new stream: `active`." })
  ),
  destination: Schema.Literals(["https", "s3", "otlp"]).annotate({
    description:
      "`https`: lines of JSON, or Splunk's HTTP Event Collector. `s3`: object storage. `otlp`: an OpenTelemetry collector."
  }),
  url: Schema.optionalKey(
    https.fields.url.annotate({ description: "For `https` and `otlp`: the URL that receives the events." })
  ),
  format: https.fields.format.annotate({
    description:
      "For `https`: `ndjson` has one line for each event, and `splunk_hec` is the format of Splunk's HTTP Event Collector. Default: `ndjson`."
  }),
  token: secret("For `https`: sent in the header `Authorization`, for `ndjson` as a bearer token."),
  endpoint: Schema.optionalKey(
    s3.fields.endpoint.annotate({
      description: "For `s3`: the URL of the S3 API, such as `https://s3.eu-central-1.amazonaws.com`."
    })
  ),
  region: Schema.optionalKey(s3.fields.region.annotate({ description: "For `s3`: the region." })),
  bucket: Schema.optionalKey(s3.fields.bucket.annotate({ description: "For `s3`: the name of the bucket." })),
  prefix: Schema.optionalKey(
    Text(0, 512).annotate({ description: "For `s3`: the start of the names of the objects. Default: empty." })
  ),
  accessKeyId: Schema.optionalKey(s3.fields.accessKeyId.annotate({ description: "For `s3`: the access key ID." })),
  secretAccessKey: secret("For `s3`: the secret of `accessKeyId`. Required for a new stream."),
  headers: secret(
    "For `otlp`: the headers of each request, one `Name: value` on each line; at most 10. For example `Authorization: Bearer …`."
  )
})
  .check(Schema.makeFilter(destinationErrors))
  .annotate({
    identifier: "ConfigurationEventStream",
    description:
      "Another system that receives every event, with the fields of its `destination`. The destination is not tested."
  })
