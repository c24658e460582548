import type { Id } from "@orgplane/schema/shared/ids"
import type { Discovery } from "./discovery/candidate.ts"
import { isRemotePath, remoteRoot, showPath } from "./discovery/paths.ts"
import { remoteFolder } from "./discovery/remote.ts"

/**
 * Makes the judgement whether something belongs to a plugin that lies elsewhere and is not there to be read: that keeps
 * what it has, for its place says nothing about what should go.
 */
export const isOfRemotes = (
  found: Discovery,
  pluginIds: ReadonlyMap<string, Id<"plg">>,
  /** The marketplace cannot be read: nobody knows what it would take from where. */
  isMarketplaceUnreadable: boolean
) => {
  const absent = found.candidates.filter(({ supported }) => !supported)
  const ids = new Set<string>(absent.flatMap(({ key, remote }) => (remote === null ? [] : (pluginIds.get(key) ?? []))))
  // Also of an entry that no longer says a place: it may have said one.
  const folders = new Set(absent.map(({ key }) => remoteFolder(key)))
  return (pluginId: string | null, path: string): boolean =>
    (pluginId !== null && ids.has(pluginId)) ||
    (path.startsWith(`${remoteRoot}/`) && folders.has(path.split("/").slice(0, 2).join("/"))) ||
    (isMarketplaceUnreadable && isRemotePath(path))
}

/** What a sync says of plugins that it should have brought up to date and could not. */
export const remoteNotes = (
  found: Discovery,
  imported: ReadonlySet<string>,
  isImportingNew: boolean
): ReadonlyArray<string> => {
  const unread = new Set(found.unread)
  return found.candidates.flatMap(({ displayName, key, remote, remoteProblem, supported, warnings }) => {
    if (remote === null || supported) return []
    if (imported.has(key)) {
      return [`Plugin ${showPath(displayName)} keeps its current content. ${remoteProblem ?? warnings[0] ?? ""}`.trim()]
    }
    return isImportingNew && unread.has(key)
      ? [`Plugin ${showPath(displayName)} is not imported yet. ${remoteProblem ?? ""}`.trim()]
      : []
  })
}
