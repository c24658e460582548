import type { Id } from "@orgplane/schema/shared/ids"
import { bucketOf } from "../../identity/audiences/bucket.ts"
import { better, type Candidate, isEnabled, modeOf } from "../assignments/resolve.ts"
import type { AssignmentRow, MemberRow } from "./members-repo.ts"

/** The members that a preview names for each ring. */
const memberIdsMax = 100

interface RingAudience {
  readonly percent: number
  readonly memberIds: ReadonlyArray<string>
  readonly teamIds: ReadonlyArray<string>
}

/** The position of the first ring that contains the member; the number of rings if none does. */
export const ringIndexOf = (
  rings: ReadonlyArray<RingAudience>,
  membershipId: string,
  teamIds: ReadonlyArray<string>
): number => {
  const bucket = bucketOf(membershipId)
  const index = rings.findIndex(
    (ring) =>
      ring.percent > bucket ||
      ring.memberIds.includes(membershipId) ||
      ring.teamIds.some((teamId) => teamIds.includes(teamId))
  )
  return index === -1 ? rings.length : index
}

/** The winning assignment of a member; undefined if none applies. */
const winnerOf = (assignments: ReadonlyArray<AssignmentRow>, member: MemberRow): Candidate | undefined => {
  let best: Candidate | undefined
  for (const row of assignments) {
    const through = row.member_ids.includes(member.id)
      ? "member"
      : row.team_ids.some((id) => member.team_ids.includes(id))
        ? "team"
        : row.for_organization
          ? "organization"
          : undefined
    if (through === undefined) continue
    best = better(best, {
      id: row.id,
      pluginId: row.plugin_id,
      marketplaceId: row.marketplace_id,
      mode: row.mode,
      priority: row.priority,
      pinnedDigest: row.pinned_digest,
      createdAt: row.created_at,
      through
    })
  }
  return best
}

/** Numbers of members by ring, and of members whom the rollout does not reach. */
export interface Audience {
  readonly rings: ReadonlyArray<{
    memberCount: number
    receiveCount: number
    enabledCount: number
    deviceCount: number
    readonly memberIds: Array<Id<"om">>
  }>
  pinnedCount: number
  blockedCount: number
  withoutAccessCount: number
}

export const emptyAudience = (ringCount: number): Audience => ({
  rings: Array.from({ length: ringCount + 1 }, () => ({
    memberCount: 0,
    receiveCount: 0,
    enabledCount: 0,
    deviceCount: 0,
    memberIds: []
  })),
  pinnedCount: 0,
  blockedCount: 0,
  withoutAccessCount: 0
})

/** Adds a member to the numbers. */
export const addMember = (
  audience: Audience,
  rings: ReadonlyArray<RingAudience>,
  assignments: ReadonlyArray<AssignmentRow>,
  member: MemberRow
): void => {
  const ring = audience.rings[ringIndexOf(rings, member.id, member.team_ids)]
  if (ring === undefined) return
  ring.memberCount += 1
  const winner = winnerOf(assignments, member)
  const mode = modeOf(winner)
  if (!member.has_access) audience.withoutAccessCount += 1
  else if (mode === "blocked") audience.blockedCount += 1
  else if ((winner?.pinnedDigest ?? null) !== null) audience.pinnedCount += 1
  else {
    ring.receiveCount += 1
    if (!isEnabled(mode, member.choice)) return
    ring.enabledCount += 1
    ring.deviceCount += member.devices
    if (ring.memberIds.length < memberIdsMax) ring.memberIds.push(member.id)
  }
}
