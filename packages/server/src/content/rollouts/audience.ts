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

/** Returns the position of the first ring that contains a member; the number of rings if none does. */
export type RingIndexOf = (membershipId: string, teamIds: ReadonlyArray<string>) => number

export const makeRingIndexOf = (rings: ReadonlyArray<RingAudience>): RingIndexOf => {
  const ofMembers = new Map<string, number>()
  const ofTeams = new Map<string, number>()
  const addFirst = (map: Map<string, number>, ids: ReadonlyArray<string>, index: number) => {
    for (const id of ids) if (!map.has(id)) map.set(id, index)
  }
  for (const [index, { memberIds, teamIds }] of rings.entries()) {
    addFirst(ofMembers, memberIds, index)
    addFirst(ofTeams, teamIds, index)
  }
  return (membershipId, teamIds) => {
    const bucket = bucketOf(membershipId)
    const ofBucket = rings.findIndex(({ percent }) => percent > bucket)
    let first = Math.min(ofBucket === -1 ? rings.length : ofBucket, ofMembers.get(membershipId) ?? rings.length)
    for (const id of teamIds) first = Math.min(first, ofTeams.get(id) ?? rings.length)
    return first
  }
}

/** The winning assignments. Those of each member and each team are compared once, when they are added. */
export interface Winners {
  readonly add: (row: AssignmentRow) => void
  /** Returns the winning assignment of a member; undefined if none applies. */
  readonly winnerOf: (member: Pick<MemberRow, "id" | "team_ids">) => Candidate | undefined
}

export const makeWinners = (): Winners => {
  const ofMembers = new Map<string, Candidate | undefined>()
  const ofTeams = new Map<string, Candidate | undefined>()
  let ofOrganization: Candidate | undefined
  return {
    add: (row) => {
      const assigned = {
        id: row.id,
        pluginId: row.plugin_id,
        marketplaceId: row.marketplace_id,
        mode: row.mode,
        priority: row.priority,
        pinnedDigest: row.pinned_digest,
        createdAt: row.created_at
      }
      const toMember: Candidate = { ...assigned, through: "member" }
      for (const id of row.member_ids) ofMembers.set(id, better(ofMembers.get(id), toMember))
      const toTeam: Candidate = { ...assigned, through: "team" }
      for (const id of row.team_ids) ofTeams.set(id, better(ofTeams.get(id), toTeam))
      if (row.for_organization) ofOrganization = better(ofOrganization, { ...assigned, through: "organization" })
    },
    winnerOf: (member) => {
      let best = better(ofOrganization, ofMembers.get(member.id))
      for (const id of member.team_ids) best = better(best, ofTeams.get(id))
      return best
    }
  }
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
  ringIndexOf: RingIndexOf,
  { winnerOf }: Winners,
  member: MemberRow
): void => {
  const ring = audience.rings[ringIndexOf(member.id, member.team_ids)]
  if (ring === undefined) return
  ring.memberCount += 1
  const winner = winnerOf(member)
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
