/** The differences between two versions of a config object. */
import * as Schema from "effect/Schema"
import { CapabilityComparison } from "./plugin-capabilities.ts"
import * as Ids from "./shared/ids.ts"
import { Timestamp } from "./shared/values.ts"

/** One side of the comparison. */
export const ComparedVersion = Schema.Struct({
  id: Ids.ConfigObjectVersionId,
  ordinal: Schema.Int,
  contentDigest: Schema.String,
  createdAt: Timestamp
}).annotate({ identifier: "ComparedVersion" })

export const PayloadChange = Schema.Struct({
  op: Schema.Literals(["add", "remove", "replace"]),
  path: Schema.String.annotate({ description: "A JSON pointer (RFC 6901) into the payload." }),
  before: Schema.NullOr(Schema.Json).annotate({ description: "Null for `add`." }),
  after: Schema.NullOr(Schema.Json).annotate({ description: "Null for `remove`." })
}).annotate({ identifier: "PayloadChange" })
export type PayloadChange = typeof PayloadChange.Type

export const VersionDiff = Schema.Struct({
  configObjectId: Ids.ConfigObjectId,
  from: Schema.NullOr(ComparedVersion).annotate({
    description: "The version that this version is compared with. Null for the first version, where everything is new."
  }),
  to: ComparedVersion,
  textDiff: Schema.String.annotate({
    description: "The text difference as a unified diff that `patch` can apply. Empty if the text is the same."
  }),
  payloadChanges: Schema.Array(PayloadChange).annotate({
    description: "The differences of the payloads: at most 1,000 changes and 1 MiB of values."
  }),
  truncated: Schema.Boolean.annotate({ description: "Whether there are more payload changes than listed." }),
  capabilities: CapabilityComparison.annotate({
    description:
      "How the capabilities of the config object differ between the versions, as if the object were the only file of a plugin."
  })
}).annotate({ identifier: "VersionDiff" })
export type VersionDiff = typeof VersionDiff.Type
