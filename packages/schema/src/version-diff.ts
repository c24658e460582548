/** What differs between two versions of a config object. */
import * as Schema from "effect/Schema"
import * as Ids from "./shared/ids.ts"
import { Timestamp } from "./shared/values.ts"

/** Which version a side of a comparison is. */
export const ComparedVersion = Schema.Struct({
  id: Ids.ConfigObjectVersionId,
  ordinal: Schema.Int,
  contentDigest: Schema.String,
  createdAt: Timestamp
}).annotate({ identifier: "ComparedVersion" })

export const PayloadChange = Schema.Struct({
  op: Schema.Literals(["add", "remove", "replace"]),
  path: Schema.String.annotate({ description: "A JSON pointer (RFC 6901) into the payload." }),
  before: Schema.NullOr(Schema.Json).annotate({ description: "`null` for `add`." }),
  after: Schema.NullOr(Schema.Json).annotate({ description: "`null` for `remove`." })
}).annotate({ identifier: "PayloadChange" })
export type PayloadChange = typeof PayloadChange.Type

export const VersionDiff = Schema.Struct({
  configObjectId: Ids.ConfigObjectId,
  from: Schema.NullOr(ComparedVersion).annotate({
    description: "The version compared with; `null` before the first, where everything is new."
  }),
  to: ComparedVersion,
  textDiff: Schema.String.annotate({
    description: "From the one text to the other as a unified diff that `patch` applies; empty when they are the same."
  }),
  payloadChanges: Schema.Array(PayloadChange).annotate({
    description: "From the one payload to the other, at most 1 000 changes and 1 MiB of values."
  }),
  truncated: Schema.Boolean.annotate({ description: "There are more changes of the payload than are told." })
}).annotate({ identifier: "VersionDiff" })
export type VersionDiff = typeof VersionDiff.Type
