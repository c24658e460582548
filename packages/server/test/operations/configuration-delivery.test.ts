/** Configuration as code: assignments, and the settings of rollouts and approvals. */
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeKey, makeWorkspace, type Person } from "../harness.ts"
import {
  actions,
  applied,
  exported,
  type Item,
  makePeople,
  makeTwin,
  planned,
  refusal
} from "./configuration.fixture.ts"

const plane = await makeControlPlane()

const assignmentsOf = async (person: Person): Promise<ReadonlyArray<Item>> =>
  (await person.call("GET", "/v1/assignments")).body.items

const content = {
  teams: [{ key: "platform", name: "Platform" }],
  marketplaces: [{ key: "tools", name: "Tools" }],
  plugins: [
    { key: "lint", name: "Lint" },
    { key: "docs", name: "Docs" }
  ]
}

describe("assignments in a configuration document", () => {
  it("are created, changed and removed, and name their plugins, marketplaces, teams and members", async () => {
    const { emails, owner, people } = await makePeople(plane, 1)
    const document = {
      ...content,
      assignments: [
        { key: "lint-all", plugin: "lint", mode: "required", priority: 5, to: { everyone: true } },
        {
          key: "docs-some",
          plugin: "docs",
          mode: "default_on",
          to: { teams: ["platform"], members: [emails[0]?.toUpperCase()] }
        },
        { key: "no-tools", marketplace: "tools", mode: "blocked", to: { teams: ["platform"] } }
      ]
    }
    const plan = await planned(owner, document)
    expect(actions(plan).slice(4)).toEqual([
      "create assignments lint-all",
      "create assignments docs-some",
      "create assignments no-tools"
    ])
    expect(await applied(owner, document, plan.planDigest)).toEqual(plan)
    const [blocked, some, all] = await assignmentsOf(owner)
    const [team] = (await owner.call("GET", "/v1/teams")).body.items
    expect([all.mode, all.priority, all.audience]).toEqual(["required", 5, "organization"])
    expect([some.mode, some.teamIds, some.memberIds]).toEqual(["default_on", [team.id], [people[0]?.membershipId]])
    expect([blocked.mode, blocked.marketplaceId !== null, blocked.teamIds]).toEqual(["blocked", true, [team.id]])
    expect((await exported(owner, "assignments")).assignments).toEqual([
      {
        key: "docs-some",
        plugin: "docs",
        mode: "default_on",
        priority: 0,
        pinnedDigest: null,
        to: { teams: ["platform"], members: emails }
      },
      { key: "lint-all", plugin: "lint", mode: "required", priority: 5, pinnedDigest: null, to: { everyone: true } },
      {
        key: "no-tools",
        marketplace: "tools",
        mode: "blocked",
        priority: 0,
        pinnedDigest: null,
        to: { teams: ["platform"], members: [] }
      }
    ])
    expect(actions(await applied(owner, document))).toEqual([])
    // The keys of plugins, marketplaces and teams resolve, although the document does not mention these kinds.
    const changed = {
      assignments: [
        { key: "lint-all", plugin: "lint", mode: "default_on", to: { members: emails } },
        { key: "docs-some", plugin: "docs", mode: "default_on", to: { everyone: true } }
      ],
      prune: { assignments: true }
    }
    const { planDigest, ...rest } = await planned(owner, changed)
    expect(actions(rest)).toEqual([
      "delete assignments no-tools",
      "update assignments lint-all mode to",
      "update assignments docs-some to"
    ])
    expect(await refusal(owner, changed)).toEqual([409, "plan_digest_required"])
    await applied(owner, changed, planDigest)
    expect((await assignmentsOf(owner)).map(({ audience, memberIds, mode }) => [mode, audience, memberIds])).toEqual([
      ["default_on", "organization", []],
      ["default_on", "assigned", [people[0]?.membershipId]]
    ])
    expect(actions(await planned(owner, changed))).toEqual([])
    const twin = await makeTwin(plane, owner)
    const complete = await exported(owner)
    await applied(twin, complete)
    expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(complete))
  })

  it("follow the keys and the removals of what they refer to, in one document", async () => {
    const owner = await makeWorkspace(plane)
    const assignment = { key: "a", plugin: "lint", mode: "required", to: { teams: ["platform"] } }
    await applied(owner, { ...content, assignments: [assignment] })
    const [before] = await assignmentsOf(owner)
    const renamed = {
      teams: [{ key: "infra", name: "Platform" }],
      marketplaces: [{ key: "gear", name: "Tools" }],
      plugins: [{ key: "linter", name: "Lint", marketplaces: ["gear"] }],
      moved: [
        { kind: "teams", from: "platform", to: "infra" },
        { kind: "marketplaces", from: "tools", to: "gear" },
        { kind: "plugins", from: "lint", to: "linter" }
      ]
    }
    const moved = { ...assignment, plugin: "linter", to: { teams: ["infra"] } }
    expect((await refusal(owner, { ...renamed, assignments: [assignment] })).slice(2)).toEqual([
      ["assignments", 0, "plugin"],
      "does not exist: lint"
    ])
    expect(actions(await applied(owner, { ...renamed, assignments: [moved] }))).toEqual([
      "move teams infra",
      "move marketplaces gear",
      "move plugins linter",
      "update plugins linter marketplaces"
    ])
    expect(actions(await applied(owner, { ...renamed, assignments: [moved] }))).toEqual([])
    const pruned = { teams: [], prune: { teams: true } }
    expect((await planned(owner, { ...pruned, assignments: [moved] })).problems).toEqual([
      { path: ["assignments", 0, "to", "teams", 0], message: "is removed by the document: infra" }
    ])
    // The team is removed first, and with it the last recipient of the assignment.
    const shared = { ...pruned, assignments: [{ ...moved, to: { everyone: true } }] }
    const plan = await planned(owner, shared)
    expect(actions(plan)).toEqual(["delete teams infra", "update assignments a to"])
    expect(await applied(owner, shared, plan.planDigest)).toEqual(plan)
    const [after] = await assignmentsOf(owner)
    expect([after.audience, after.id === before.id, after.mode]).toEqual(["organization", true, "required"])
    expect(actions(await applied(owner, { assignments: shared.assignments }))).toEqual([])
  })

  it("keep members without an email address", async () => {
    const owner = await makeWorkspace(plane)
    const silent = await addMember(plane, owner, "member")
    await applied(owner, content)
    const [plugin] = (await owner.call("GET", "/v1/plugins")).body.items
    await owner.call("POST", "/v1/assignments", {
      pluginId: plugin.id,
      mode: "required",
      memberIds: [silent.membershipId]
    })
    const { assignments } = await exported(owner, "assignments")
    expect(assignments).toMatchObject([{ key: "docs-required", to: { teams: [], members: [] } }])
    expect(actions(await planned(owner, { assignments }))).toEqual(["adopt assignments docs-required"])
    await applied(owner, { assignments: [{ ...assignments[0], to: { teams: ["platform"] } }] })
    const [after] = await assignmentsOf(owner)
    expect([after.memberIds, after.teamIds.length]).toEqual([[silent.membershipId], 1])
  })

  it("report what does not exist, what cannot change, and malformed entries by their location", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, {
      ...content,
      assignments: [{ key: "a", plugin: "lint", mode: "required", to: { everyone: true } }]
    })
    const entry = { key: "b", plugin: "lint", mode: "required", to: { everyone: true } }
    const at = (...place: ReadonlyArray<unknown>) => ["assignments", 0, ...place]
    for (const [item, place] of [
      [{ ...entry, plugin: "x" }, at("plugin")],
      [{ ...entry, to: { teams: ["platform", "x"] } }, at("to", "teams", 1)],
      [{ ...entry, to: { members: ["x@y.example"] } }, at("to", "members", 0)],
      [{ ...entry, to: { teams: [], members: [] } }, at("to")],
      [{ ...entry, to: {} }, at("to")],
      [{ ...entry, to: { everyone: true, teams: ["platform"] } }, at("to")],
      [{ ...entry, marketplace: "tools" }, at()],
      [{ ...entry, mode: "always" }, at("mode")],
      [{ ...entry, priority: -1 }, at("priority")],
      [{ ...entry, pinnedDigest: "0".repeat(64) }, at("pinnedDigest")],
      [{ ...entry, key: "a", plugin: "docs" }, at("plugin")]
    ] as const) {
      expect((await refusal(owner, { assignments: [item] })).slice(0, 3)).toEqual([400, "invalid_request", place])
    }
    expect((await assignmentsOf(owner)).length).toBe(1)
  })

  it("require their own permissions, and those to read what they refer to", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, content)
    const document = { assignments: [{ key: "a", plugin: "lint", mode: "required", to: { everyone: true } }] }
    const most = [
      "organizations:read",
      "organizations:write",
      "assignments:read",
      "teams:read",
      "members:read",
      "marketplaces:read",
      "marketplaces:manage",
      "approvals:read",
      "plugins:read",
      "plugins:manage",
      "configObjects:read",
      "configObjects:manage"
    ]
    expect(await refusal(await makeKey(plane, owner, most), document)).toEqual([403, "permission_required"])
    const unseeing = most.filter((permission) => permission !== "plugins:manage")
    const writing = [...unseeing, "assignments:write"]
    expect(await refusal(await makeKey(plane, owner, writing), document)).toEqual([403, "permission_required"])
    const key = await makeKey(plane, owner, [...writing, "plugins:manage"])
    expect(actions(await applied(key, document))).toEqual(["create assignments a"])
    const emptied = { assignments: [], prune: { assignments: true } }
    const { planDigest } = await planned(owner, emptied)
    expect(await refusal(key, emptied, planDigest)).toEqual([403, "permission_required"])
    expect(actions(await applied(owner, emptied, planDigest))).toEqual(["delete assignments a"])
  })
})

describe("settings in a configuration document", () => {
  const ring = { teams: [], members: [], percent: 10, soakMinutes: 60, promotion: "automatic" }

  it("change the rings, thresholds and freezes of rollouts, and omitted fields stay", async () => {
    const { emails, owner, people } = await makePeople(plane, 1)
    const document = {
      teams: [{ key: "platform", name: "Platform" }],
      rolloutSettings: {
        rings: [
          { ...ring, name: "First", percent: 0, teams: ["platform"], members: emails },
          { ...ring, name: "Second" }
        ],
        thresholds: { reportsMin: 5, falseAlarmRate: 0.05, installFailures: true, usageFailures: false }
      }
    }
    const plan = await planned(owner, document)
    expect(actions(plan)).toEqual(["create teams platform", "update rolloutSettings - rings thresholds"])
    await applied(owner, document, plan.planDigest)
    const [team] = (await owner.call("GET", "/v1/teams")).body.items
    const settings = (await owner.call("GET", "/v1/rollout-settings")).body.item
    expect(settings.rings.map(({ memberIds, name, teamIds }: Item) => [name, teamIds, memberIds])).toEqual([
      ["First", [team.id], [people[0]?.membershipId]],
      ["Second", [], []]
    ])
    expect(settings.thresholds.reportsMin).toBe(5)
    expect(actions(await applied(owner, document))).toEqual([])
    const frozen = {
      rolloutSettings: {
        freezes: [
          {
            name: "Weekend",
            timeZone: "Europe/Berlin",
            weekdays: ["saturday"],
            startTime: "00:00",
            endTime: "23:59",
            startsAt: null,
            endsAt: null
          }
        ]
      }
    }
    expect(actions(await applied(owner, frozen))).toEqual(["update rolloutSettings - freezes"])
    const complete = await exported(owner)
    expect(complete.rolloutSettings).toMatchObject({ ...document.rolloutSettings, ...frozen.rolloutSettings })
    const twin = await makeTwin(plane, owner)
    await applied(twin, complete)
    expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(complete))
  })

  it("change the delivery mode of the organization and four-eyes approval", async () => {
    const owner = await makeWorkspace(plane)
    const approvalSettings = { deliveryMode: "hold_all", fourEyes: true }
    expect(actions(await applied(owner, { approvalSettings }))).toEqual([
      "update approvalSettings - deliveryMode fourEyes"
    ])
    expect((await owner.call("GET", "/v1/approval-settings")).body.item).toEqual(approvalSettings)
    expect((await exported(owner, "approvalSettings")).approvalSettings).toEqual(approvalSettings)
    expect(actions(await applied(owner, { approvalSettings: { fourEyes: true } }))).toEqual([])
  })

  it("report malformed values by their location, and require their own permissions", async () => {
    const owner = await makeWorkspace(plane)
    const rings = (...list: ReadonlyArray<object>) => ({ rolloutSettings: { rings: list } })
    const at = (...place: ReadonlyArray<unknown>) => ["rolloutSettings", "rings", ...place]
    for (const [document, place] of [
      [rings({ ...ring, name: "A" }, { ...ring, name: "B", percent: 0 }), at(1)],
      [rings({ ...ring, name: "A", teams: ["x"] }), at(0, "teams", 0)],
      [rings({ ...ring, name: "Everyone" }), at(0, "name")],
      [rings({ ...ring, name: "A" }, { ...ring, name: "A" }), at()],
      [{ approvalSettings: { deliveryMode: "never" } }, ["approvalSettings", "deliveryMode"]],
      [{ approvalSettings: { eyes: 4 } }, ["approvalSettings", "eyes"]]
    ] as const) {
      expect((await refusal(owner, document)).slice(0, 3)).toEqual([400, "invalid_request", place])
    }
    const read = [
      "organizations:read",
      "organizations:write",
      "approvals:read",
      "rollouts:read",
      "teams:read",
      "members:read"
    ]
    const key = await makeKey(plane, owner, read)
    expect(await refusal(key, rings({ ...ring, name: "A" }))).toEqual([403, "permission_required"])
    expect(await refusal(key, { approvalSettings: { fourEyes: true } })).toEqual([403, "permission_required"])
    expect(actions(await planned(key, { approvalSettings: { fourEyes: false } }))).toEqual([])
  })
})
