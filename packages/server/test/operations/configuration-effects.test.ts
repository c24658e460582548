/** What a plan of a configuration document means for people. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  addMember,
  callWithKey,
  engine,
  makeControlPlane,
  makeKey,
  makeTeam,
  makeWorkspace,
  type Person,
  runSql
} from "../harness.ts"
import { applied, emailOf, exported, planned } from "./configuration.fixture.ts"

const plane = await makeControlPlane()

const created = async (owner: Person, path: string, body: object) => {
  const response = await owner.call("POST", path, body)
  expect([response.status, response.text]).toEqual([201, response.text])
  return response.body
}

/** A team with one member, a marketplace with a plugin that the team can view, and a desktop policy of the team. */
const makeWorld = async () => {
  const owner = await makeWorkspace(plane)
  const [inside, outside] = [await addMember(plane, owner, "member"), await addMember(plane, owner, "member")]
  const emails = [await emailOf(plane, inside), await emailOf(plane, outside)] as const
  const teamId = await makeTeam(owner, [inside], "Platform")
  const { item: marketplace } = await created(owner, "/v1/marketplaces", { name: "Shared" })
  const { item: plugin } = await created(owner, "/v1/plugins", { name: "Reviewer" })
  await owner.call("POST", `/v1/marketplaces/${marketplace.id}/plugins`, { pluginId: plugin.id })
  await created(owner, `/v1/marketplaces/${marketplace.id}/access`, { teamId, role: "viewer" })
  await created(owner, "/v1/desktop-policies", {
    policyName: "Locked",
    policy: { allowCustomProviders: false },
    teamIds: [teamId]
  })
  return { owner, inside, outside, emails, marketplace, plugin }
}

describe("the effects of a plan", () => {
  it("list the members who gain and lose access, and those whose desktop settings change", async () => {
    const { emails, inside, marketplace, outside, owner, plugin } = await makeWorld()
    const document = { teams: [{ key: "platform", name: "Platform", members: [emails[1]] }] }
    const { effects } = await planned(owner, document)
    const objects = [
      { kind: "marketplace", id: marketplace.id, name: "Shared" },
      { kind: "plugin", id: plugin.id, name: "Reviewer" }
    ]
    const both = [
      { orgMembershipId: inside.membershipId, from: "viewer", to: null },
      { orgMembershipId: outside.membershipId, from: null, to: "viewer" }
    ].toSorted((one, other) => (one.orgMembershipId < other.orgMembershipId ? -1 : 1))
    expect(effects.access).toEqual({
      memberCount: 2,
      changeCount: 4,
      changes: objects.flatMap((object) => both.map((one) => ({ ...one, object }))),
      truncated: false
    })
    expect(effects.desktopPolicies).toMatchObject({
      memberCount: 2,
      changeCount: 2,
      settings: [{ setting: "allowCustomProviders", memberCount: 2, turnedOn: 1, turnedOff: 1 }]
    })
    const applied = await owner.call("POST", "/v1/configuration/apply", { document: { version: 1, ...document } })
    expect(applied.body.plan.effects).toEqual(effects)
    const none = { memberCount: 0, changeCount: 0, changes: [], truncated: false }
    expect((await planned(owner, document)).effects).toEqual({
      access: none,
      desktopPolicies: { ...none, settings: [] },
      held: [],
      notComputed: { access: null, desktopPolicies: null, held: null }
    })
  })

  it("include those of removed objects, and a plan removes nothing", async () => {
    const { inside, owner } = await makeWorld()
    const { effects } = await planned(owner, { prune: { teams: true }, teams: [] })
    expect(effects.access.changes.map((change: { orgMembershipId: string }) => change.orgMembershipId)).toEqual([
      inside.membershipId,
      inside.membershipId
    ])
    expect((await owner.call("GET", "/v1/teams")).body.items).toHaveLength(1)
  })

  it("are null without the permission to read them, and with problems", async () => {
    const { owner } = await makeWorld()
    const { key } = await makeKey(plane, owner, [
      "organizations:read",
      "teams:read",
      "members:read",
      "teams:write",
      "desktopPolicies:read"
    ])
    const { effects } = await planned({ call: callWithKey(plane, key) }, { teams: [{ key: "a", name: "A" }] })
    expect([effects.access, effects.desktopPolicies.memberCount]).toEqual([null, 0])
    expect(effects.notComputed).toEqual({
      access: "permission_required",
      desktopPolicies: null,
      held: "permission_required"
    })
    const refused = await planned(owner, { teams: [{ key: "a", name: "A", members: ["nobody@nowhere.example"] }] })
    expect([refused.problems.length, refused.effects]).toEqual([1, null])
  })

  it.skipIf(engine === "pglite")(
    "are read only if a change concerns them, and do not prevent an apply if this takes too long",
    async () => {
      const { emails, owner } = await makeWorld()
      await runSql(plane, (sql) =>
        sql.withTransaction(
          Effect.andThen(
            sql`LOCK TABLE grants, desktop_policies IN ACCESS EXCLUSIVE MODE`,
            Effect.promise(async () => {
              const added = await applied(owner, { teams: [{ key: "new", name: "New", members: [emails[0]] }] })
              expect(added.effects.notComputed).toEqual({ access: null, desktopPolicies: null, held: null })
              const changed = await applied(owner, { teams: [{ key: "platform", name: "Platform", members: [] }] })
              expect([changed.effects.access, changed.effects.desktopPolicies]).toEqual([null, null])
              expect(changed.effects.notComputed).toEqual({ access: "timeout", desktopPolicies: "timeout", held: null })
            })
          )
        )
      )
      const { teams } = await exported(owner, "teams")
      expect(teams.map(({ key, members }: { key: string; members: Array<string> }) => [key, members])).toEqual([
        ["new", [emails[0]]],
        ["platform", []]
      ])
    }
  )

  it("do not prevent an apply if they cannot be read", async () => {
    const { emails, owner } = await makeWorld()
    await runSql(plane, (sql) => sql`ALTER TABLE desktop_policy_teams RENAME COLUMN policy_id TO broken_id`)
    const { effects } = await applied(owner, { teams: [{ key: "platform", name: "Platform", members: [emails[1]] }] })
    await runSql(plane, (sql) => sql`ALTER TABLE desktop_policy_teams RENAME COLUMN broken_id TO policy_id`)
    expect(effects.access.memberCount).toBe(2)
    expect([effects.desktopPolicies, effects.notComputed]).toEqual([
      null,
      { access: null, desktopPolicies: "failed", held: null }
    ])
    expect((await exported(owner, "teams")).teams).toMatchObject([{ key: "platform", members: [emails[1]] }])
  })
})
