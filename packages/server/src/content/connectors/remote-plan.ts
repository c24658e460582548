import type { Id } from "@orgplane/schema/shared/ids"
import type { Discovery } from "./discovery/candidate.ts"
import { isRemotePath, remoteRoot, showPath } from "./discovery/paths.ts"
import { remoteFolder } from "./discovery/remote.ts"

/**
 * Creates the function that returns whether something belongs to a plugin from another source that cannot be read. Such
 * content is kept, because nothing shows that it was removed.
 */
export const isOfRemotes = (
  discovery: Discovery,
  pluginIds: ReadonlyMap<string, Id<"plg">>,
  /** The marketplace cannot be read, so its other sources are unknown. */
  isMarketplaceUnreadable: boolean
) => {
  const absent = discovery.candidates.filter(({ supported }) => !supported)
  const ids = new Set<string>(absent.flatMap(({ key, remote }) => (remote === null ? [] : (pluginIds.get(key) ?? []))))
  // This includes entries that no longer have a source, because they may have had one before.
  const folders = new Set(absent.map(({ key }) => remoteFolder(key)))
  return (pluginId: string | null, path: string): boolean =>
    (pluginId !== null && ids.has(pluginId)) ||
    (path.startsWith(`${remoteRoot}/`) && folders.has(path.split("/").slice(0, 2).join("/"))) ||
    (isMarketplaceUnreadable && isRemotePath(path))
}

/** Warnings about plugins that a sync could not update. */
export const remoteNotes = (
  discovery: Discovery,
  imported: ReadonlySet<string>,
  isImportingNew: boolean
): ReadonlyArray<string> => {
  const unreadKeys = new Set(discovery.unread)
  return discovery.candidates.flatMap(({ displayName, key, remote, remoteProblem, supported, warnings }) => {
    if (remote === null || supported) return []
    if (imported.has(key)) {
      return [`Plugin ${showPath(displayName)} keeps its current content. ${remoteProblem ?? warnings[0] ?? ""}`.trim()]
    }
    return isImportingNew && unreadKeys.has(key)
      ? [`Plugin ${showPath(displayName)} is not imported yet. ${remoteProblem ?? ""}`.trim()]
      : []
  })
}
