import type { MarketplaceEntry, MarketplaceManifest } from "@orgplane/schema/marketplace-manifest"
import type { Described } from "../plugins/archive-layout.ts"
import { slug } from "../plugins/archive-names.ts"

/** A plugin with the link to its archive. */
export interface Offered {
  readonly described: Described
  readonly sha256: string
  readonly url: string
}

/** The public format. Plugins of one name keep it in the order they were made: the later ones are numbered. */
export const manifestOf = (
  marketplace: { readonly name: string; readonly description: string | null },
  owner: string,
  plugins: ReadonlyArray<Offered>
): MarketplaceManifest => {
  const names = new Set<string>()
  const once = (wanted: string): string => {
    let name = wanted
    for (let count = 2; names.has(name); count += 1) name = `${wanted}-${count}`
    names.add(name)
    return name
  }
  return {
    name: slug(marketplace.name, "marketplace"),
    owner: { name: owner },
    metadata: { description: marketplace.description ?? marketplace.name },
    plugins: plugins.map(({ described: { name, ...described }, sha256, url }): MarketplaceEntry => ({
      name: once(name),
      source: { source: "archive", url, sha256 },
      ...described
    }))
  }
}
