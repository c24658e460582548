import type { Change } from "@orgplane/schema/configuration"
import { type Document, type Kind, kinds, type ManagedMode } from "@orgplane/schema/shared/configuration-document"
import type { Permission } from "@orgplane/schema/shared/permissions"
import { isSingleton, type Kind as KindService } from "./kind.ts"

/** How other changes to objects with a key are treated, by kind. */
export type Modes = Readonly<Partial<Record<Kind, ManagedMode>>>

/** What a document changes in the modes: the changes of the plan, and the modes after them. */
export const changedModes = (before: Modes, { managed = {} }: Document) => {
  const changes: Array<Change> = []
  const after: Partial<Record<Kind, ManagedMode>> = { ...before }
  for (const kind of kinds) {
    const from = before[kind] ?? "off"
    const to = managed[kind] ?? from
    if (to === from) continue
    after[kind] = to
    changes.push({
      kind,
      key: null,
      name: kind,
      action: "update",
      fields: [{ field: "managed", before: from, after: to }]
    })
  }
  return { changes, after }
}

/** The modes that are not the default; null if there are none. */
export const storedModes = (modes: Modes): Modes | null => {
  const set = Object.entries(modes).filter(([, mode]) => mode !== "off")
  return set.length === 0 ? null : Object.fromEntries(set)
}

const strictness: Readonly<Record<ManagedMode, number>> = { off: 0, warn: 1, refuse: 2 }

/** What changed modes require: to prevent changes of a kind, the permission to make them; to allow them again, to remove. */
export const permissionsOfModes = (
  all: ReadonlyArray<KindService>,
  before: Modes,
  after: Modes
): ReadonlyArray<Permission> =>
  all.flatMap(({ kind, permissions }) => {
    if (isSingleton(kind)) return []
    const change = strictness[after[kind] ?? "off"] - strictness[before[kind] ?? "off"]
    return change === 0 ? [] : [change < 0 ? permissions.remove : permissions.write]
  })
