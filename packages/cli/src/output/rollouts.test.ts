/** Rollouts as text. */
import { describe, expect, it } from "vitest"
import {
  comparisonText,
  deliveryExplanation,
  releaseOf,
  ringText,
  rolloutDetails,
  rolloutPreview,
  stateText,
  withdrawal
} from "./rollouts.ts"

const style = {
  columns: 120,
  colors: false,
  unicode: true,
  terminal: true,
  now: Date.parse("2026-01-15T12:00:00.000Z")
}

const comparison = {
  reports: 40,
  failed: 3,
  baselineReports: 200,
  baselineFailed: 1,
  baselineRate: 0.03,
  evidence: 2.1,
  threshold: 100,
  enough: true
}

const rollout = {
  id: "rlo_1",
  pluginId: "plg_1",
  pluginName: "Deploy",
  releaseId: "rel_7",
  releaseNumber: 7,
  version: "1.4.0",
  state: "active",
  ring: "Pilot",
  ringNumber: 1,
  ringCount: 3,
  startsAt: null,
  nextRingAt: "2026-01-16T12:00:00.000Z",
  pauseReason: null,
  comment: null,
  emergency: false,
  createdAt: "2026-01-15T09:00:00.000Z",
  endedAt: null
}

describe("a comparison", () => {
  it("is shown on one line", () => {
    expect(comparisonText(comparison, "installations")).toBe(
      "3 of 40 installations failed; previous release: 1 of 200; evidence 2.1 of 100"
    )
  })

  it("states that there are too few results, or none", () => {
    expect(comparisonText({ ...comparison, enough: false, evidence: 140.4 }, "users")).toBe(
      "3 of 40 users failed; previous release: 1 of 200; evidence 140 of 100; too few results to pause"
    )
    const empty = { ...comparison, reports: 0, failed: 0, baselineReports: 0, evidence: 1, enough: false }
    expect(comparisonText(empty, "installations")).toBe(
      "no installations yet; previous release: no results; evidence 1 of 100; too few results to pause"
    )
  })
})

describe("a rollout", () => {
  it("is shown with short texts in lists", () => {
    expect([releaseOf(rollout), stateText(rollout), ringText(rollout)]).toEqual(["1.4.0", "active", "Pilot (1 of 3)"])
    const paused = {
      ...rollout,
      version: null,
      state: "paused",
      pauseReason: "install_failures",
      ring: null,
      ringNumber: 0
    }
    expect([releaseOf(paused), stateText(paused), ringText(paused)]).toEqual([
      "release 7",
      "paused: installations fail more often than before",
      "0 of 3"
    ])
    expect(stateText({ ...rollout, state: "rolled_back" })).toBe("rolled back")
  })

  it("shows its rings with their times, its comparisons and its steps", () => {
    const text = rolloutDetails(
      {
        item: {
          ...rollout,
          rings: [
            { name: "Pilot", state: "soaking", startedAt: "2026-01-15T09:00:00.000Z", soakEndsAt: rollout.nextRingAt },
            { name: "Everyone", state: "waiting", startedAt: null, soakEndsAt: null }
          ],
          installations: comparison,
          usage: null,
          steps: [
            {
              step: "ring_started",
              ring: "Pilot",
              reason: null,
              byOrgMembershipId: null,
              at: "2026-01-15T09:00:00.000Z"
            }
          ]
        }
      },
      style
    )
    expect(text.split("\n")).toEqual([
      "id          rlo_1",
      "plugin      Deploy (plg_1)",
      "release     1.4.0 (rel_7)",
      "state       active",
      "ring        Pilot (1 of 3)",
      "nextRingAt  2026-01-16T12:00:00.000Z (in 1 day)",
      "createdAt   2026-01-15T09:00:00.000Z (3 hours ago)",
      "",
      "RING      STATE    STARTED AT   SOAK ENDS AT",
      "Pilot     soaking  3 hours ago  in 1 day",
      "Everyone  waiting  -            -",
      "",
      "Compared with the previous release:",
      "  3 of 40 installations failed; previous release: 1 of 200; evidence 2.1 of 100",
      "",
      "AT           STEP          RING   BY  REASON",
      "3 hours ago  ring started  Pilot  -   -"
    ])
  })

  it("marks a comparison that has crossed the threshold", () => {
    const item = { ...rollout, rings: [], steps: [], installations: { ...comparison, evidence: 120 }, usage: null }
    expect(rolloutDetails({ item }, { ...style, colors: true })).toContain("\u001b[31m3 of 40 installations failed")
  })

  it("is previewed ring by ring, with the members who do not receive it", () => {
    const ring = { memberCount: 10, receiveCount: 8, enabledCount: 7, deviceCount: 12, startsAt: null }
    const preview = { rings: [{ name: "Pilot", ...ring }], pinnedCount: 1, blockedCount: 0, withoutAccessCount: 2 }
    expect(rolloutPreview({ item: preview }, style).split("\n")).toEqual([
      "RING   MEMBERS  RECEIVE  TURNED ON  DEVICES  STARTS AT",
      "Pilot  10       8        7          12       after a promotion",
      "",
      "1 member keeps a release that an assignment pins.",
      "2 members do not receive it, because the plugin is not visible to them."
    ])
  })
})

describe("the explanation of a delivery", () => {
  const explanation = {
    rule: "served",
    releaseId: "rel_6",
    version: "1.3.0",
    assignmentId: null,
    ring: "Broad",
    newer: null
  }
  const newer = { releaseId: "rel_7", version: "1.4.0", rolloutId: "rlo_1", reason: "soaking", expectedAt: null }
  const explained = (more: object) => deliveryExplanation({ item: { ...explanation, ...more } }, style)

  it.each([
    ["served", "The member receives version 1.3.0 (rel_6), which is the served release."],
    ["ring", "The member receives version 1.3.0 (rel_6), because the rollout has reached the member's ring Broad."],
    ["pinned", "The member receives version 1.3.0 (rel_6), because an assignment pins it."],
    ["blocked", "The member does not receive the plugin, because an assignment blocks it."],
    ["no_access", "The member does not receive the plugin, because the member cannot see it."],
    ["not_served", "The member does not receive the plugin, because no release of it is served."],
    ["off", "The member does not receive the plugin, because it is not turned on."],
    ["auto", "The member receives the latest content, because the delivery mode of the plugin is auto."]
  ])("is one sentence for the rule %s", (rule, sentence) => expect(explained({ rule })).toBe(sentence))

  it("names the assignment, and the release without a version", () => {
    expect(explained({ rule: "pinned", assignmentId: "asg_1", version: null })).toBe(
      "The member receives the release rel_6, because the assignment asg_1 pins it."
    )
  })

  it.each([
    ["soaking", "Version 1.4.0 (rel_7) is in an earlier ring than the member's ring Broad."],
    ["waits_for_approval", "Version 1.4.0 (rel_7) is pending approval."],
    ["paused", "Version 1.4.0 (rel_7) waits because the rollout rlo_1 is paused."],
    [
      "waits_for_results",
      "Version 1.4.0 (rel_7) waits because the rollout rlo_1 needs more results: too many failures, but too few reports to pause it."
    ],
    ["pinned", "Version 1.4.0 (rel_7) is available, but the member keeps the pinned release."]
  ])("adds a second sentence for a newer release: %s", (reason, sentence) => {
    expect(explained({ newer: { ...newer, reason } }).split("\n")[1]).toBe(sentence)
  })

  it("states when the newer release arrives", () => {
    expect(explained({ newer: { ...newer, expectedAt: "2026-01-17T12:00:00.000Z" } })).toContain(
      "ring Broad. The member receives it at 2026-01-17T12:00:00.000Z (in 2 days) if nothing pauses the rollout."
    )
  })
})

describe("a withdrawal", () => {
  it("states the release that is served now, and what it has changed", () => {
    const item = { servedReleaseId: "rel_6", rolloutIds: ["rlo_1"], unpinnedAssignmentIds: ["asg_1", "asg_2"] }
    expect(withdrawal({ item }).split("\n")).toEqual([
      "The release is withdrawn. Members now receive the release rel_6.",
      "Canceled rollouts: rlo_1",
      "Assignments that no longer pin a release: asg_1, asg_2"
    ])
    expect(withdrawal({ item: { ...item, servedReleaseId: null, rolloutIds: [], unpinnedAssignmentIds: [] } })).toBe(
      "The release is withdrawn. Members no longer receive the plugin."
    )
  })
})
