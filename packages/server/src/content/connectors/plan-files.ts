import type { PlannedChange } from "@orgplane/schema/connector-operations"
import type { Id } from "@orgplane/schema/shared/ids"
import type { FileChange } from "./plan.ts"
import type { FolderChange } from "./plugin-folders.ts"
import type { SyncPlan } from "./sync-plan.ts"
import type { BindingRow } from "./sync-repo.ts"

/** Whether a file change is already reported as a change of a config object. */
export const isReportedAsObject = (
  { changes, removals }: Pick<SyncPlan, "changes" | "removals">,
  bindings: ReadonlyArray<BindingRow>,
  isSame: (change: FileChange) => boolean
) => {
  const bound = new Map(bindings.map((row) => [row.config_object_id, row.path]))
  const touched = new Set<string>()
  for (const change of changes) {
    if (change.kind === "unchanged" || change.file.pointer !== null || isSame(change)) continue
    const pluginId = change.file.pluginId ?? ""
    touched.add(`${pluginId}\0${change.file.path}`)
    if (change.kind === "moved") touched.add(`${pluginId}\0${bound.get(change.objectId) ?? ""}`)
  }
  const removed = new Set(removals.flatMap(({ path, pointer }) => (pointer === "" ? [path] : [])))
  return (pluginId: Id<"plg">, path: string): boolean => touched.has(`${pluginId}\0${path}`) || removed.has(path)
}

/** The plugin files that a plan would change, without those reported as config objects. */
export const plannedFiles = (
  changes: ReadonlyArray<FolderChange>,
  isReported: (pluginId: Id<"plg">, path: string) => boolean,
  keyOf: (pluginId: Id<"plg">) => string | null
) => {
  const of = (kind: FolderChange["kind"]): ReadonlyArray<PlannedChange> =>
    changes.flatMap((change) =>
      change.kind !== kind || isReported(change.pluginId, change.fullPath)
        ? []
        : [
            {
              kind: "file" as const,
              pluginKey: keyOf(change.pluginId),
              name: change.fullPath,
              was: null,
              objectType: null,
              pointer: null
            }
          ]
    )
  return { added: of("added"), changed: of("changed"), removed: of("removed") }
}
