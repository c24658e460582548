import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"

/** The media type of SCIM (RFC 7644, 3.1). */
export const scimMediaType = "application/scim+json"

export const scimErrorTypes = [
  "invalidFilter",
  "tooMany",
  "uniqueness",
  "mutability",
  "invalidSyntax",
  "invalidPath",
  "noTarget",
  "invalidValue",
  "invalidVers",
  "sensitive"
] as const

/** Every error below `/v1/scim/v2` (RFC 7644, 3.12). */
export const ScimError = Schema.Struct({
  schemas: Schema.Array(Schema.String),
  status: Schema.String.annotate({ description: "The HTTP status, as a string." }),
  scimType: Schema.optionalKey(Schema.Literals(scimErrorTypes)),
  detail: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ScimError" })

/** The SCIM errors that an operation can return in addition to the shared ones, by status. */
export const scimErrors = (...statuses: ReadonlyArray<number>) =>
  statuses.map((status) =>
    ScimError.pipe(HttpApiSchema.asJson({ contentType: scimMediaType }), HttpApiSchema.status(status))
  )
