/** A marketplace as agents read it: the public format of `marketplace.json`. */
import * as Schema from "effect/Schema"
import { Sha256 } from "./plugin-archives.ts"

const Author = Schema.Struct({
  name: Schema.String,
  email: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String)
})

/** The source of a plugin for an agent: a URL that does not require a credential. */
export const ArchiveSource = Schema.Struct({
  source: Schema.Literal("archive"),
  url: Schema.String,
  sha256: Sha256
}).annotate({ identifier: "PluginArchiveSource" })

/** A plugin in `marketplace.json`. Fields that its author did not set are omitted. */
export const MarketplaceEntry = Schema.Struct({
  name: Schema.String.annotate({
    description:
      "Kebab-case and unique in the marketplace. It does not change when the plugin is renamed, and is never reused for another plugin."
  }),
  displayName: Schema.optionalKey(Schema.String),
  source: ArchiveSource,
  description: Schema.optionalKey(Schema.String),
  version: Schema.String.annotate({
    description:
      "The author's version and the start of the archive's digest: `1.2.3+4f644febdfe8`. It changes whenever the content changes. Without a version of the author: `0.0.0+4f644febdfe8`."
  }),
  author: Schema.optionalKey(Author),
  homepage: Schema.optionalKey(Schema.String),
  repository: Schema.optionalKey(Schema.String),
  license: Schema.optionalKey(Schema.String),
  category: Schema.optionalKey(Schema.String),
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  keywords: Schema.optionalKey(Schema.Array(Schema.String))
}).annotate({ identifier: "MarketplaceEntry" })
export type MarketplaceEntry = typeof MarketplaceEntry.Type

export const MarketplaceManifest = Schema.Struct({
  name: Schema.String.annotate({
    description:
      "Kebab-case and unique in the organization. It does not change when the marketplace is renamed, and is never a name that Claude Code reserves."
  }),
  owner: Schema.Struct({ name: Schema.String }),
  metadata: Schema.Struct({
    description: Schema.String,
    version: Schema.String.annotate({
      description: "It changes whenever the marketplace or one of its plugins changes."
    })
  }),
  plugins: Schema.Array(MarketplaceEntry)
}).annotate({ identifier: "MarketplaceManifest" })
export type MarketplaceManifest = typeof MarketplaceManifest.Type
