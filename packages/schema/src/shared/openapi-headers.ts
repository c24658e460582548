/** The headers and the descriptions of responses in the OpenAPI document. */
import { type Deprecation, deprecationText } from "./auth.ts"
import type * as OpenApi from "effect/http-api/OpenApi"

export const successText: { readonly [status: number]: string } = {
  200: "Success.",
  201: "Created.",
  202: "Accepted. The work continues.",
  204: "Success. The response has no body.",
  303: "Redirect.",
  304: "Not modified since the version in `If-None-Match`."
}

const text = (description: string): OpenApi.OpenAPISpecHeader => ({
  required: false,
  description,
  schema: { type: "string" }
})
export const headers = {
  "x-request-id": {
    ...text("Identifies the request in logs and in the audit log."),
    required: true
  },
  etag: text("The version of the resource."),
  "www-authenticate": text(
    'The authentication schemes that the server accepts. Contains `error="invalid_token"` if the request contained a credential.'
  ),
  "retry-after": {
    required: false,
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", minimum: 0 }
  },
  ratelimit: text("The requests left in the current window (`r`) and the seconds until it resets (`t`)."),
  "ratelimit-policy": text("The rate limit: the number of requests (`q`) per window of `w` seconds."),
  "idempotent-replayed": {
    required: false,
    description: "`true` if this is the stored response of an earlier request with the same idempotency key.",
    schema: { const: "true" }
  }
} satisfies Record<string, OpenApi.OpenAPISpecHeader>

/** A header can be a `$ref`, which the framework's types do not express. */
export const headerAt = (name: keyof typeof headers) =>
  ({ $ref: `#/components/headers/${name}` }) as unknown as OpenApi.OpenAPISpecHeader

export const header = (name: string, maxLength: number, description: string): OpenApi.OpenAPISpecParameter => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string", minLength: 1, maxLength }
})

/** The fields of a deprecated operation in the document. */
export const deprecatedFields = (description: string | undefined, deprecation: Deprecation) => ({
  deprecated: true,
  description: [description, deprecationText(deprecation)].filter((part) => part !== undefined).join(" "),
  "x-deprecated-since": deprecation.since,
  "x-sunset": deprecation.sunset
})

/** The tags of operations that are not titles of groups. */
export const furtherTags: ReadonlyArray<OpenApi.OpenAPISpecTag> = [
  { name: "Worker Runtime", description: "Runtimes of cloud workers, and worker heartbeats." },
  { name: "Worker Activity", description: "Activities that workers report." }
]
