import { type DeliveryExplanation, everyone, type ExplainRule } from "@orgplane/schema/rollouts"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isAdminRole } from "../../identity/auth/permissions.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as assignments from "../assignments/repo.ts"
import { groupByTarget, resolve, type Resolved } from "../assignments/resolve.ts"
import { makeRingIndexOf } from "./audience.ts"
import { waitsForResults } from "./evidence.ts"
import { frozenUntil, makeNextAllowed } from "./freezes.ts"
import * as members from "./members-repo.ts"
import * as repo from "./repo.ts"
import { readResults } from "./results.ts"
import { settings } from "./settings-repo.ts"
import { isoOf, startsOf, versionOf } from "./wire.ts"

const ruleOf = ({ enabled, mode, version }: Resolved, hasAccess: boolean, row: members.DeliveredRow): ExplainRule => {
  if (!hasAccess) return "no_access"
  if (mode === "blocked") return "blocked"
  if (row.is_gated && row.served_release_id === null) return "not_served"
  if (!enabled) return "off"
  if (version === "pinned" || version === "pinned_not_stored") return version
  if (!row.is_gated) return "auto"
  return row.release_id === row.served_release_id ? "served" : "ring"
}

type Newer = NonNullable<DeliveryExplanation["newer"]>

/** Explains which release of a plugin a member receives, and why not the latest one. */
export const makeExplain = (sql: Sql) => {
  /** Why the member does not receive a release that is newer, or in a rollout. */
  const reasonOf = Effect.fnUntraced(function* (
    organizationId: Id<"org">,
    latest: Pick<members.LatestRow, "id" | "state">,
    isPinned: boolean,
    member: { readonly id: Id<"om">; readonly teamIds: ReadonlyArray<string> }
  ): Effect.fn.Return<Pick<Newer, "reason" | "expectedAt" | "rolloutId"> | undefined> {
    const withoutDate = (reason: Newer["reason"], rolloutId: Id<"rlo"> | null = null) => ({
      reason,
      expectedAt: null,
      rolloutId
    })
    if (latest.state === "pending") return withoutDate("waits_for_approval")
    if (latest.state === "rejected") return withoutDate("rejected")
    if (isPinned) return withoutDate("pinned")
    const row = yield* Effect.orDie(repo.findLatestOf(sql, organizationId, latest.id))
    if (row === undefined) return undefined
    if (row.state === "rolled_back") return withoutDate("rolled_back", row.id)
    if (!repo.isOpen(row)) return undefined
    if (row.state === "paused") return withoutDate("paused", row.id)
    const { freezes, thresholds } = yield* Effect.orDie(settings(sql, organizationId))
    const now = yield* Clock.currentTimeMillis
    const ringIndex = makeRingIndexOf(row.rings)(member.id, member.teamIds)
    const { nextRingAt, starts } = startsOf(row, makeNextAllowed(freezes), now)
    const isFrozen = frozenUntil(freezes, now) !== undefined
    if (nextRingAt !== null && row.reached > 0) {
      const results = yield* Effect.orDie(readResults(sql, row, thresholds))
      if (waitsForResults(results, thresholds)) return withoutDate("waits_for_results", row.id)
    }
    const expected = starts[ringIndex] ?? null
    if (expected === null) {
      const isManual = row.rings
        .slice(Math.max(0, row.reached - 1), ringIndex)
        .some(({ promotion }) => promotion === "manual")
      return withoutDate(isManual ? "waits_for_promotion" : "frozen", row.id)
    }
    const reason = isFrozen ? "frozen" : row.state === "scheduled" ? "scheduled" : "soaking"
    return { reason, expectedAt: isoOf(expected), rolloutId: row.id }
  })

  return Effect.fnUntraced(function* (caller: Member, membershipId: Id<"om">, pluginId: Id<"plg">) {
    const { organizationId } = caller
    const applied = yield* assignments.applied(sql, organizationId, membershipId)
    if (applied === undefined) return "no member" as const
    const principal = { kind: "session", membershipId } as const
    const holder = { organizationId, isAdmin: isAdminRole(applied.role), principal }
    const { candidates } = applied
    const which = { pluginId, seenOnly: false, after: null, limit: 1 }
    const [plugin] = yield* assignments.plugins(sql, { ...which, caller, holder, candidates })
    const row = yield* members.delivered(sql, holder, pluginId)
    if (plugin === undefined || row === undefined) return "no plugin" as const
    const resolved = resolve(groupByTarget(candidates), plugin)
    const rule = ruleOf(resolved, plugin.hasAccess, row)
    const isReceived = rule === "served" || rule === "ring" || rule === "pinned"
    const releaseId = isReceived ? row.release_id : null
    const latest = row.is_gated ? yield* members.latest(sql, organizationId, pluginId) : undefined
    const isPinned = rule === "pinned" || rule === "pinned_not_stored"
    const open = yield* repo.findOpen(sql, organizationId, pluginId)
    const rings = open?.rings ?? (yield* settings(sql, organizationId)).rings
    const member = { id: membershipId, teamIds: row.team_ids }
    const isOther = (id: Id<"rel"> | undefined) =>
      id !== undefined && id !== releaseId && (isReceived || isPinned || rule === "not_served")
    // The release of the open rollout comes before one that is pending approval.
    const newerRelease =
      open !== undefined && isOther(open.release_id)
        ? { ...open, id: open.release_id, state: "approved" }
        : isOther(latest?.id)
          ? latest
          : undefined
    const withheld =
      newerRelease === undefined ? undefined : yield* reasonOf(organizationId, newerRelease, isPinned, member)
    return {
      orgMembershipId: membershipId,
      pluginId,
      rule,
      releaseId,
      digest: isReceived ? row.digest : null,
      version: isReceived && row.name !== null ? versionOf({ name: row.name, manifest_json: row.manifest_json }) : null,
      assignmentId: resolved.winner?.id ?? null,
      ring: rings[makeRingIndexOf(rings)(membershipId, row.team_ids)]?.name ?? everyone,
      newer:
        newerRelease === undefined || withheld === undefined
          ? null
          : { releaseId: newerRelease.id, digest: newerRelease.digest, version: versionOf(newerRelease), ...withheld }
    } satisfies DeliveryExplanation
  })
}
