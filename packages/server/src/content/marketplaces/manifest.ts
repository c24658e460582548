import type { MarketplaceManifest } from "@orgplane/schema/marketplace-manifest"
import { sha256 as digestOf } from "../../infra/crypto/digest.ts"
import type { Described } from "../plugins/archive-layout.ts"

/** A plugin, with its name in the marketplace and the link to its archive. */
export interface OfferedPlugin {
  readonly name: string
  readonly described: Described
  readonly sha256: string
  readonly url: string
}

const digestLength = 12

/**
 * A version that changes with the content: the author's version, and the start of a digest as build metadata of a
 * semantic version.
 */
const versionOf = (stated: string | undefined, digest: string): string => {
  const version = stated ?? "0.0.0"
  return `${version}${version.includes("+") ? "." : "+"}${digest.slice(0, digestLength)}`
}

/** The public format of `marketplace.json`. */
export const manifestOf = (
  marketplace: { readonly name: string; readonly title: string; readonly description: string | null },
  owner: string,
  plugins: ReadonlyArray<OfferedPlugin>
): MarketplaceManifest => {
  const entries = plugins.map(({ described: { name: _name, version, ...described }, name, sha256, url }) => ({
    name,
    source: { source: "archive" as const, url, sha256 },
    ...described,
    version: versionOf(version, sha256)
  }))
  const description = marketplace.description ?? marketplace.title
  // The links change every five minutes, and are not part of the version.
  const content = entries.map(({ source: { url: _url, ...source }, ...entry }) => ({ ...entry, source }))
  const version = versionOf(undefined, digestOf(JSON.stringify([marketplace.name, owner, description, content])))
  return {
    name: marketplace.name,
    owner: { name: owner === "" ? "orgplane" : owner },
    metadata: { description, version },
    plugins: entries
  }
}
