/** `orgplane rollouts`: its output, its names, and the prompts before changes that reach all members. */
import { describe, expect, it } from "vitest"
import { ran, serve } from "./harness.ts"

const rolloutId = "rlo_01kf0x5me8e6razepq180mhf01"
const pluginId = "plg_01kf0x5me8e6razepq180mhf01"
const member = "om_01kf0x5me8e6razepq180mhf01"

const rollout = {
  id: rolloutId,
  organizationId: "org_1",
  pluginId,
  pluginName: "Deploy",
  releaseId: "rel_7",
  releaseNumber: 7,
  version: "1.4.0",
  digest: "5d2f".repeat(16),
  previousReleaseId: "rel_6",
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

const explanation = {
  orgMembershipId: member,
  pluginId,
  rule: "served",
  releaseId: "rel_6",
  digest: null,
  version: "1.3.0",
  assignmentId: null,
  ring: "Everyone",
  newer: {
    releaseId: "rel_7",
    digest: null,
    version: "1.4.0",
    rolloutId,
    reason: "soaking",
    expectedAt: "2026-01-17T12:00:00.000Z"
  }
}

const serving = () =>
  serve({
    "GET /v1/rollouts": {
      body: { items: [rollout, { ...rollout, id: "rlo_2", state: "completed" }], nextCursor: null }
    },
    [`GET /v1/rollouts/${rolloutId}`]: {
      body: { item: { ...rollout, rings: [], steps: [], installations: comparison, usage: null } }
    },
    "GET /v1/members": { body: { items: [{ id: member, email: "ada@acme.example" }], nextCursor: null } },
    "GET /v1/plugins": { body: { items: [{ id: pluginId, name: "Deploy" }], nextCursor: null } },
    [`GET /v1/members/${member}/plugins/${pluginId}/delivery`]: { body: { item: explanation } },
    "POST /v1/rollouts/withdraw": {
      body: {
        ok: true,
        item: {
          pluginId,
          digest: rollout.digest,
          servedReleaseId: "rel_6",
          rolloutIds: [rolloutId],
          unpinnedAssignmentIds: []
        }
      }
    },
    [`POST /v1/rollouts/${rolloutId}/roll-back`]: { body: { ok: true, item: { ...rollout, state: "rolled_back" } } },
    [`POST /v1/rollouts/${rolloutId}/release`]: { body: { ok: true, item: { ...rollout, state: "completed" } } }
  })

const terminal = { columns: 110, now: "2026-01-15T12:00:00.000Z", env: { NO_COLOR: "1" } }

describe("rollouts", () => {
  it("are listed with their release, state and ring", async () => {
    const { url } = await serving()
    const { out } = await ran(["rollouts", "list"], { url })
    expect(out.split("\n")[0]).toBe(`${rolloutId}\tDeploy\t1.4.0\tactive\tPilot (1 of 3)\t2026-01-16T12:00:00.000Z`)
    const json = await ran(["rollouts", "list", "-o", "json"], { url })
    expect(JSON.parse(json.out).items[0]).toEqual(rollout)
  })

  it("are looked up by the name of the plugin, and shown with their comparisons", async () => {
    const { url } = await serving()
    const { out } = await ran(["rollouts", "get", "deploy"], { url, ...terminal })
    expect(out).toContain("release     1.4.0 (rel_7)")
    expect(out).toContain("  3 of 40 installations failed; previous release: 1 of 200; evidence 2.1 of 100\n")
  })

  it("explain which release a member receives, and when the newer one arrives", async () => {
    const { url } = await serving()
    const sentences = [
      "The member receives version 1.3.0 (rel_6), which is the served release.",
      "Version 1.4.0 (rel_7) is in an earlier ring than the member's ring Everyone. The member receives it at 2026-01-17T12:00:00.000Z (in 2 days) if nothing pauses the rollout.",
      ""
    ]
    const drawn = await ran(["rollouts", "explain", "ada@acme.example", "Deploy"], { url, ...terminal })
    expect(drawn.out.split("\n")).toEqual(sentences)
    const piped = await ran(["rollouts", "explain", member, pluginId], { url })
    expect(piped.out.split("\n")).toEqual([sentences[0], sentences[1]?.replace(" (in 2 days)", ""), ""])
    const json = await ran(["rollouts", "explain", member, pluginId, "-o", "json"], { url })
    expect(JSON.parse(json.out)).toEqual({ item: explanation })
  })
})

describe("changes that reach all members", () => {
  const commands: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    ["roll-back", ["roll-back", rolloutId, "--comment", "It fails."], "All members get the previous release."],
    ["release", ["release", rolloutId, "--comment", "It fixes."], "Owners and admins get an email."],
    [
      "withdraw",
      ["withdraw", "--plugin-id", "Deploy", "--digest", rollout.digest, "--comment", "It leaks."],
      "It is removed from all members at once, even if an assignment pins it."
    ]
  ]

  it.each(commands)("%s asks for confirmation, and requires --yes in a script", async (_, argv, question) => {
    const { seen, url } = await serving()
    const isSent = () => seen.some(({ method }) => method === "POST")
    const canceled = await ran(["rollouts", ...argv], { url, ...terminal, typed: ["n"] })
    expect([canceled.code, canceled.err]).toEqual([1, expect.stringContaining(`${question} [y/N]`)])
    expect((await ran(["rollouts", ...argv], { url })).code).toBe(2)
    expect(isSent()).toBe(false)
    const confirmed = await ran(["rollouts", ...argv], { url, ...terminal, typed: ["y"] })
    expect([confirmed.code, isSent()]).toEqual([0, true])
    expect((await ran(["rollouts", ...argv, "--yes"], { url })).code).toBe(0)
  })

  it("are shown after a withdrawal", async () => {
    const { url } = await serving()
    const argv = [
      "rollouts",
      "withdraw",
      "--plugin-id",
      pluginId,
      "--digest",
      rollout.digest,
      "--comment",
      "x",
      "--yes"
    ]
    expect((await ran(argv, { url, ...terminal })).out.split("\n")).toEqual([
      "The release is withdrawn. Members now receive the release rel_6.",
      `Canceled rollouts: ${rolloutId}`,
      ""
    ])
    expect((await ran([...argv, "-q"], { url })).out).toBe("rel_6\n")
  })
})
