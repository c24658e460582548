import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { Text, Timestamp } from "./values.ts"

const loopbackHost = /^(127\.0\.0\.1|\[::1\])$/u

/** Where a browser goes after our callback: a program that waits on loopback, or a page of the host's application. */
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
        : "must be https://… of an origin that the operator lists, or http://127.0.0.1:port/…"
    })
  )
  .annotate({
    description:
      "Where our callback sends the browser on with state, code and issuer: a port of 127.0.0.1 that waits, or an address of one of the operator's `ORGPLANE_CORS_ORIGINS`. Without it the callback shows what to hand in."
  })

/** An OAuth sign-in that was begun. */
export const StartedConnect = Schema.Struct({
  url: Schema.String.annotate({ description: "The authorization server's page: open it in a browser." }),
  state: Schema.String.annotate({ description: "Comes back with the browser; good for this session only, and once." }),
  expiresAt: Timestamp
}).annotate({ identifier: "StartedConnect" })
export type StartedConnect = typeof StartedConnect.Type

/** What an authorization server lets a browser bring back to our callback. */
export const callbackQuery = {
  state: Schema.optionalKey(Schema.String),
  code: Schema.optionalKey(Schema.String),
  iss: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String)
}

/** A page that shows what to hand in, or the way on. */
export const callbackSuccess = [
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" })),
  // HTML pages for a failed sign-in (403), and for a sign-in that expired, was used or does not exist (410).
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }), HttpApiSchema.status(403)),
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }), HttpApiSchema.status(410)),
  HttpApiSchema.Empty(303)
] as const
