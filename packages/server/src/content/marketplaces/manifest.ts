import type { MarketplaceEntry, MarketplaceManifest } from "@orgplane/schema/marketplace-manifest"
import type { Described } from "../plugins/archive-layout.ts"

/** A plugin, with its name in the marketplace and the link to its archive. */
export interface OfferedPlugin {
  readonly name: string
  readonly described: Described
  readonly sha256: string
  readonly url: string
}

/** The public format of `marketplace.json`. */
export const manifestOf = (
  marketplace: { readonly name: string; readonly title: string; readonly description: string | null },
  owner: string,
  plugins: ReadonlyArray<OfferedPlugin>
): MarketplaceManifest => ({
  name: marketplace.name,
  owner: { name: owner === "" ? "orgplane" : owner },
  metadata: { description: marketplace.description ?? marketplace.title },
  plugins: plugins.map(({ described: { name: _name, ...described }, name, sha256, url }): MarketplaceEntry => ({
    name,
    source: { source: "archive", url, sha256 },
    ...described
  }))
})
