import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"

/** Of everything that is said in SCIM (RFC 7644, 3.1). */
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

/** Every refusal below `/v1/scim/v2`, whoever refused (RFC 7644, 3.12). */
export const ScimError = Schema.Struct({
  schemas: Schema.Array(Schema.String),
  status: Schema.String.annotate({ description: "The status of the answer, as a text." }),
  scimType: Schema.optionalKey(Schema.Literals(scimErrorTypes)),
  detail: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ScimError" })

/** The refusals of an operation, by the statuses it has beside those that all have. */
export const scimRefused = (...statuses: ReadonlyArray<number>) =>
  statuses.map((status) =>
    ScimError.pipe(HttpApiSchema.asJson({ contentType: scimMediaType }), HttpApiSchema.status(status))
  )
