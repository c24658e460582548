import type { Id } from "@orgplane/schema/shared/ids"
import { describe, expect, it } from "vitest"
import { bucketOf } from "../../identity/audiences/bucket.ts"
import { makeRingIndexOf, makeWinners } from "./audience.ts"
import type { AssignmentRow } from "./members-repo.ts"

const ring = (more: { percent?: number; memberIds?: ReadonlyArray<string>; teamIds?: ReadonlyArray<string> }) => ({
  percent: 0,
  memberIds: [],
  teamIds: [],
  ...more
})

describe("the ring of a member", () => {
  it("is the first one that contains the member, one of the member's teams, or the member's share", () => {
    const percent = 1 + bucketOf("om_c")
    const ringIndexOf = makeRingIndexOf([
      ring({ memberIds: ["om_a"] }),
      ring({ memberIds: ["om_a"], teamIds: ["tem_x"] }),
      ring({ teamIds: ["tem_x", "tem_y"], percent })
    ])
    expect(ringIndexOf("om_a", ["tem_y"])).toBe(0)
    expect(ringIndexOf("om_b", ["tem_y", "tem_x"])).toBe(1)
    expect(ringIndexOf("om_c", [])).toBe(2)
    expect(makeRingIndexOf([ring({ percent: percent - 1 })])("om_c", ["tem_x"])).toBe(1)
  })
})

describe("the winning assignment of a member", () => {
  const assignment = (id: AssignmentRow["id"], more: Partial<AssignmentRow>): AssignmentRow => ({
    id,
    plugin_id: "plg_1",
    marketplace_id: null,
    mode: "required",
    priority: 0,
    pinned_digest: null,
    created_at: new Date(0),
    for_organization: false,
    member_ids: [],
    team_ids: [],
    ...more
  })
  const winnerOf = (rows: ReadonlyArray<AssignmentRow>, id: Id<"om">, teamIds: ReadonlyArray<Id<"tem">>) => {
    const winners = makeWinners()
    for (const row of rows) winners.add(row)
    const winner = winners.winnerOf({ id, team_ids: teamIds })
    return winner === undefined ? undefined : [winner.id, winner.through]
  }

  it("is the most specific one with the highest priority, of those that apply", () => {
    const rows = [
      assignment("asg_organization", { for_organization: true }),
      assignment("asg_team", { team_ids: ["tem_x"], priority: 1 }),
      assignment("asg_both", { member_ids: ["om_a"], team_ids: ["tem_x"], priority: 1 }),
      assignment("asg_first", { team_ids: ["tem_y"], priority: 2 }),
      assignment("asg_blocked", { member_ids: ["om_z"], mode: "blocked" })
    ]
    expect(winnerOf(rows, "om_a", [])).toEqual(["asg_both", "member"])
    expect(winnerOf(rows, "om_a", ["tem_x"])).toEqual(["asg_both", "member"])
    expect(winnerOf(rows, "om_b", ["tem_x", "tem_y"])).toEqual(["asg_first", "team"])
    expect(winnerOf(rows, "om_z", ["tem_y"])).toEqual(["asg_blocked", "member"])
    expect(winnerOf(rows, "om_b", [])).toEqual(["asg_organization", "organization"])
    expect(winnerOf(rows.slice(1), "om_b", [])).toBe(undefined)
  })
})
