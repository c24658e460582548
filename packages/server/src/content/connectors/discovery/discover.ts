import { nameProblem, safeName } from "@orgplane/schema/shared/names"
import * as Effect from "effect/Effect"
import { type PluginBounds, pluginBoundsDefault } from "../../../infra/config/settings.ts"
import type { TreeEntry } from "../../../infra/ports/code-host.ts"
import { inTimeSlices } from "../../../infra/time-slices.ts"
import type { Discovery, Marketplace, PlannedCandidate } from "./candidate.ts"
import { fromMarketplace, marketplacePath, type Remotes } from "./from-marketplace.ts"
import { fromPlugins } from "./from-plugins.ts"
import { warningsMax } from "./limits.ts"
import { type MarketplaceManifest, readMarketplace } from "./manifest.ts"
import { loadManifests, type Read } from "./manifests.ts"
import { remoteRoot, showPath } from "./paths.ts"
import { ownEntries } from "./remote.ts"
import { treeInSlices } from "./tree.ts"
import { makeWarnings } from "./warnings.ts"
import { withFolders } from "./with-folders.ts"

export interface DiscoverInput<E = never, R = never> {
  readonly entries: ReadonlyArray<TreeEntry>
  /** The code host truncated the listing, so a file that is not listed may exist. */
  readonly truncated: boolean
  readonly strategy?: Discovery["tree"]["strategy"]
  /** Plugins from other sources, and how they are listed. Without it, only the repository is read. */
  readonly remotes?: Remotes<E, R>
  readonly repositoryFullName: string
  /** Size limits of a plugin; a larger one has no archive. */
  readonly folderBounds?: PluginBounds
  readonly isReadByRequest?: boolean
}

/**
 * Discovers the plugins of a repository: those its marketplace lists; otherwise every folder with a plugin manifest;
 * otherwise none, with a hint. The result depends on the tree and the manifests, not on the order of the entries.
 */
export const discover = Effect.fnUntraced(function* <E, R>(
  {
    entries,
    folderBounds = pluginBoundsDefault,
    isReadByRequest = false,
    remotes,
    repositoryFullName,
    strategy,
    truncated
  }: DiscoverInput<E, R>,
  read: Read<E, R>
): Effect.fn.Return<Discovery, E, R> {
  const ownFiles = ownEntries(entries)
  const tree = yield* treeInSlices(ownFiles)
  const warnings = makeWarnings(warningsMax)
  let marketplace: Marketplace | null = null
  let candidates: ReadonlyArray<PlannedCandidate> | null = null
  let unreadKeys: ReadonlyArray<string> = []
  let treeWithRemotes = tree

  if (tree.file(marketplacePath) !== undefined) {
    const loaded = (yield* loadManifests(tree, [marketplacePath], read)).get(marketplacePath)
    let manifest: MarketplaceManifest | null = null
    if (loaded?.ok === true) {
      for (const warning of loaded.warnings) warnings.add(warning)
      const finalWarnings = makeWarnings(warningsMax)
      manifest = yield* inTimeSlices(readMarketplace(loaded.value, repositoryFullName, finalWarnings))
      for (const warning of finalWarnings.list()) warnings.add(`${showPath(marketplacePath)}: ${warning}`)
    } else if (loaded !== undefined) warnings.add(loaded.warning)
    if (manifest !== null) {
      marketplace = manifest.marketplace
      const marketplaceResult = yield* fromMarketplace({ remotes, tree, truncated, warnings }, manifest, read)
      candidates = marketplaceResult.candidates
      unreadKeys = marketplaceResult.unread
      treeWithRemotes = marketplaceResult.tree
    }
  }
  if (candidates === null) candidates = yield* fromPlugins({ repositoryFullName, tree, warnings }, read)
  if (candidates === null && tree.file(marketplacePath) === undefined) {
    warnings.add(
      `No plugin manifest was found. Add ${marketplacePath} to list several plugins, or .claude-plugin/plugin.json for one.`
    )
  }
  if (truncated) warnings.add("The repository is too large to list completely; plugins or files may be missing here.")
  if (ownFiles.length < entries.length) {
    warnings.add(`Ignored ${showPath(`${remoteRoot}/`)}: the name is reserved for plugins from other sources.`)
  }
  const named = (name: string, fallback: string): string => {
    const safe = safeName(name, fallback)
    if (safe !== name) warnings.add(`${showPath(name)} ${nameProblem(name)}: it is imported as ${showPath(safe)}.`)
    return safe
  }
  const safeCandidates = (candidates ?? []).map((candidate) => ({
    ...candidate,
    displayName: named(candidate.displayName, "Plugin")
  }))
  if (marketplace !== null) marketplace = { ...marketplace, name: named(marketplace.name, "Marketplace") }
  const finalWarnings = yield* withFolders(
    { tree: treeWithRemotes, bounds: folderBounds, isReadByRequest, truncated, warnings },
    safeCandidates,
    read
  )
  // These come last, because a repository may have hundreds of harmless links.
  for (const warning of tree.warnings) warnings.add(warning)

  return {
    candidates: finalWarnings,
    marketplace,
    warnings: warnings.list(),
    unread: unreadKeys,
    tree: {
      scannedEntryCount: entries.length,
      strategy: strategy ?? (truncated ? "git-tree-walk" : "git-tree-recursive"),
      truncated
    }
  }
})
