import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { Text, Timestamp } from "./values.ts"

const loopbackHost = /^(127\.0\.0\.1|\[::1\])$/u

/** Where the callback redirects the browser: a program that listens on loopback, a page of the console or of the host application. */
export const ReturnTo = Text(1, 2048)
  .check(
    Schema.makeFilter((text: string) => {
      const url = URL.parse(text)
      return url !== null &&
        (url.protocol === "https:" || (url.protocol === "http:" && loopbackHost.test(url.hostname))) &&
        url.username === "" &&
        url.password === "" &&
        url.hash === ""
        ? undefined
        : "must be an https URL on an origin that the operator allows, or an http URL on 127.0.0.1 or [::1]"
    })
  )
  .annotate({
    description:
      "The URL that the callback redirects the browser to, with the state, code and issuer. Must be on 127.0.0.1 or [::1] (any port), a page of the console, or on an origin in `ORGPLANE_CORS_ORIGINS`. Default: the callback shows a page with the values to pass to the operation that completes the flow."
  })

/** An OAuth sign-in in progress. */
export const StartedConnect = Schema.Struct({
  url: Schema.String.annotate({ description: "The authorization server's page to open in a browser." }),
  state: Schema.String.annotate({
    description: "Returned in the browser's redirect. Can be used once, and only in this session."
  }),
  expiresAt: Timestamp
}).annotate({ identifier: "StartedConnect" })
export type StartedConnect = typeof StartedConnect.Type

/** The query parameters with which an authorization server redirects the browser to the callback. */
export const callbackQuery = {
  state: Schema.optionalKey(Schema.String),
  code: Schema.optionalKey(Schema.String),
  iss: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String)
}

/** An HTML page that shows the values to complete the flow with, or a redirect. */
export const callbackSuccess = [
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" })),
  // HTML pages for a failed sign-in (403), and for a sign-in that expired, was used or does not exist (410).
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }), HttpApiSchema.status(403)),
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }), HttpApiSchema.status(410)),
  HttpApiSchema.Empty(303)
] as const
