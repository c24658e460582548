/** Marketplaces in configuration documents. */
import * as Schema from "effect/Schema"
import { DeliveryMode } from "../../approvals.ts"
import { LogoUrl } from "../../marketplaces.ts"
import { Name } from "../names.ts"
import { Text } from "../values.ts"
import { access } from "./access.ts"
import { description, Key, keyOf } from "./key.ts"

const connector = keyOf("The key of the connector.")
const branch = Text(1, 255).annotate({ description: "The branch of the repository." })

export const sourceFields = { connector, branch }

export const MarketplaceSource = Schema.Struct(sourceFields).annotate({
  identifier: "ConfigurationMarketplaceSource",
  description: "The branch of the connector that the marketplace was imported from."
})

/** An imported object has a source instead of fields that come from the repository. */
export const isOwnOrImported = Schema.makeFilter(
  (entry: { readonly name?: string; readonly description?: string | null; readonly source?: object }) =>
    (entry.name === undefined) === (entry.source === undefined)
      ? "must include exactly one of: name, source"
      : entry.source !== undefined && entry.description !== undefined
        ? { path: ["description"], issue: "must be omitted, because it comes from the repository" }
        : undefined
)

export const MarketplaceEntry = Schema.Struct({
  key: Key,
  name: Schema.optionalKey(Name(1, 255).annotate({ description: "Required unless `source` is present." })),
  description,
  source: Schema.optionalKey(MarketplaceSource),
  logoUrl: Schema.optionalKey(Schema.NullOr(LogoUrl).annotate({ description: "The https URL of an image." })),
  deliveryMode: Schema.optionalKey(DeliveryMode),
  access
})
  .check(isOwnOrImported)
  .annotate({
    identifier: "ConfigurationMarketplace",
    description:
      "A marketplace. An imported marketplace has a `source` instead of a name and a description. It must exist already, and is never removed."
  })
