import { blockedMax, type BlockedItem } from "@orgplane/schema/desired-state"
import type { Id } from "@orgplane/schema/shared/ids"
import { type AppliedAssignments, type Candidate, decide } from "../assignments/resolve.ts"
import { describedOf } from "../plugins/archive-layout.ts"
import type { BlockedRow, BlockedTargets } from "./blocked-repo.ts"
import { reasonOf, viaOf } from "./reasons.ts"

export const manifestUrlOf = (publicUrl: string, marketplaceId: Id<"mkt">): string =>
  `${publicUrl}/v1/marketplaces/${marketplaceId}/marketplace.json`

/** What the assignments block; undefined if they block nothing. */
export const blockedTargetsOf = (candidates: ReadonlyArray<Candidate>): BlockedTargets | undefined => {
  const blocking = candidates.filter(({ mode }) => mode === "blocked")
  if (blocking.length === 0) return undefined
  return {
    pluginIds: [...new Set(blocking.flatMap(({ pluginId }) => pluginId ?? []))],
    marketplaceIds: [...new Set(blocking.flatMap(({ marketplaceId }) => marketplaceId ?? []))]
  }
}

interface BlockedInput {
  readonly membershipId: Id<"om">
  readonly blocked: ReadonlyArray<BlockedRow>
  readonly applied: AppliedAssignments
  readonly publicUrl: string
}

const ascending = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Everything that assignments block for the member. If there is too much, blocked marketplaces come first, because they
 * block their plugins too, then plugins with an assignment of their own.
 */
export const blockedOf = (
  { applied, blocked, membershipId, publicUrl }: BlockedInput,
  seen: ReadonlySet<string>
): ReadonlyArray<BlockedItem> => {
  const items = blocked.flatMap((row): ReadonlyArray<{ readonly place: number; readonly item: BlockedItem }> => {
    const names = row.names.toSorted(ascending)
    if (row.kind === "marketplace") {
      const winner = decide(applied.ofMarketplaces.get(row.id) ?? [])
      if (winner === undefined) return []
      const reason = { rule: winner.mode, assignmentId: winner.id, ...viaOf(winner, membershipId) }
      const { id, kind, name } = row
      return [{ place: 0, item: { kind, id, name, names, manifestUrl: manifestUrlOf(publicUrl, id), reason } }]
    }
    const own = applied.ofPlugins.get(row.id) ?? []
    const winner = decide([...own, ...row.marketplace_ids.flatMap((id) => applied.ofMarketplaces.get(id) ?? [])])
    if (winner === undefined) return []
    const { id, kind } = row
    const reason = reasonOf(winner, false, membershipId, seen)
    return [
      {
        place: own.some(({ mode }) => mode === "blocked") ? 1 : 2,
        item: { kind, id, name: describedOf(row).name, names, manifestUrl: null, reason }
      }
    ]
  })
  return items
    .toSorted((a, b) => a.place - b.place || ascending(a.item.id, b.item.id))
    .slice(0, blockedMax)
    .map(({ item }) => item)
    .toSorted((a, b) => ascending(a.kind, b.kind) || ascending(a.id, b.id))
}
