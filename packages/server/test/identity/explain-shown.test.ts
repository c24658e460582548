/** The exact explanations of access, for every path and for missing access. */
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeRole,
  makeTeam,
  makeWorkspace,
  type Person,
  runSql
} from "../harness.ts"

const plane = await makeControlPlane({ workers: false })
const explain = (person: Pick<Person, "call">, input: object) =>
  person.call("POST", "/v1/access/explain", { action: "view", ...input })

/** An organization with one plugin that only its owner can access. */
const setting = async () => {
  const owner = await makeWorkspace(plane)
  const member = await addMember(plane, owner, "member")
  const { id } = await owner.client.plugins.create({ name: "Reviewer" })
  const you = { kind: "member", id: member.membershipId, label: "You" }
  return { owner, member, you, plugin: { kind: "plugin", id }, object: { kind: "object", id, label: "Reviewer" } }
}
const allowed = { allowed: true, level: "viewer", needed: "viewer", missing: null }

describe("an access explanation", () => {
  it("describes a direct grant", async () => {
    const { member, object, owner, plugin, you } = await setting()
    const grant = await owner.client.plugins.grantAccess(plugin.id, {
      orgMembershipId: member.membershipId,
      role: "viewer"
    })
    const steps = [you, { kind: "grant", id: grant.id, label: "viewer" }, object]
    expect((await explain(member, { object: plugin })).body).toEqual({
      explanation: { ...allowed, paths: [{ level: "viewer", steps }] }
    })
  })

  it("describes a grant to a team", async () => {
    const { member, object, owner, plugin, you } = await setting()
    const team = await makeTeam(owner, [member], "Reviewers")
    const grant = await owner.client.plugins.grantAccess(plugin.id, { teamId: team, role: "editor" })
    const steps = [
      you,
      { kind: "team", id: team, label: "Reviewers" },
      { kind: "grant", id: grant.id, label: "editor" },
      object
    ]
    expect((await explain(member, { object: plugin, action: "edit" })).body).toEqual({
      explanation: {
        allowed: true,
        level: "editor",
        needed: "editor",
        missing: null,
        paths: [{ level: "editor", steps }]
      }
    })
  })

  it("describes a grant to the whole organization", async () => {
    const { member, object, owner, plugin, you } = await setting()
    const grant = await owner.client.plugins.grantAccess(plugin.id, { orgWide: true, role: "viewer" })
    const steps = [you, { kind: "grant", id: grant.id, label: "viewer for the whole organization" }, object]
    expect((await explain(member, { object: plugin })).body).toEqual({
      explanation: { ...allowed, paths: [{ level: "viewer", steps }] }
    })
  })

  it("describes a grant on the marketplace", async () => {
    const { member, object, owner, plugin, you } = await setting()
    const marketplace = await makeMarketplace(plane, owner, [plugin.id], "Shelf")
    const grant = await owner.client.marketplaces.grantAccess(marketplace, {
      orgMembershipId: member.membershipId,
      role: "manager"
    })
    const steps = [
      you,
      { kind: "grant", id: grant.id, label: "manager" },
      { kind: "marketplace", id: marketplace, label: "Shelf" },
      object
    ]
    expect((await explain(member, { object: plugin })).body).toEqual({
      explanation: { ...allowed, paths: [{ level: "viewer", steps }] }
    })
  })

  it("describes a missing grant to a caller who may ask about others", async () => {
    const { member, owner, plugin } = await setting()
    expect((await explain(owner, { orgMembershipId: member.membershipId, object: plugin })).body).toEqual({
      explanation: {
        allowed: false,
        level: null,
        needed: "viewer",
        paths: [],
        missing:
          'No grant on the plugin "Reviewer" applies to A member. Required: a grant with viewer access, for the member, one of their teams or the whole organization, or a grant on a marketplace that contains it.'
      }
    })
  })

  it("uses the permissions of a custom role", async () => {
    const { object, owner, plugin } = await setting()
    const without = await addMember(plane, owner, await makeRole(owner, ["members:read"]))
    const role = await makeRole(owner, ["plugins:read"])
    const reader = await addMember(plane, owner, role)
    const grant = await owner.client.plugins.grantAccess(plugin.id, { orgWide: true, role: "viewer" })
    const explainFor = (orgMembershipId: string) => explain(owner, { orgMembershipId, object: plugin })
    expect((await explainFor(reader.membershipId)).body.explanation).toMatchObject(allowed)
    const path = {
      level: "viewer",
      steps: [
        { kind: "member", id: without.membershipId, label: expect.any(String) },
        { kind: "grant", id: grant.id, label: "viewer for the whole organization" },
        object
      ]
    }
    const refused = (await explainFor(without.membershipId)).body.explanation
    expect(refused).toEqual({
      allowed: false,
      level: "viewer",
      needed: "viewer",
      paths: [path],
      missing: expect.stringContaining("without the permission plugins:read")
    })
    // Like the operation itself.
    expect((await reader.call("GET", `/v1/plugins/${plugin.id}`)).status).toBe(200)
    expect((await without.call("GET", `/v1/plugins/${plugin.id}`)).status).toBe(403)
  })

  it("describes an API key's permission or grant, and hides what the caller's role cannot see", async () => {
    const { member, object, owner, plugin } = await setting()
    const manager = await makeKey(plane, owner, ["plugins:read", "plugins:manage"])
    const self = { kind: "member", id: manager.id, label: "This API key" }
    expect((await explain(manager, { object: plugin, action: "manage" })).body.explanation).toEqual({
      allowed: true,
      level: "manager",
      needed: "manager",
      missing: null,
      paths: [{ level: "manager", steps: [self, { kind: "role", id: null, label: "plugins:manage" }, object] }]
    })
    const narrow = await makeKey(plane, owner, ["plugins:read", "access:read"])
    const unseen = await explain(narrow, { object: plugin })
    expect([unseen.status, unseen.text]).toEqual([
      404,
      (await explain(narrow, { object: { kind: "plugin", id: makeId("plg") } })).text
    ])
    expect((await explain(narrow, { orgMembershipId: member.membershipId, object: plugin })).text).toBe(unseen.text)

    // The team and the marketplace, which the caller cannot see, are one hidden step.
    const asker = await addMember(plane, owner, await makeRole(owner, ["access:read", "plugins:read"]))
    await owner.client.plugins.grantAccess(plugin.id, { orgMembershipId: asker.membershipId, role: "viewer" })
    const team = await makeTeam(owner, [member], "Secret")
    const marketplace = await makeMarketplace(plane, owner, [plugin.id], "Hidden shelf")
    const grant = await owner.client.marketplaces.grantAccess(marketplace, { teamId: team, role: "viewer" })
    const hidden = await explain(asker, { orgMembershipId: member.membershipId, object: plugin })
    expect(hidden.body.explanation.paths).toEqual([
      {
        level: "viewer",
        steps: [
          { kind: "member", id: member.membershipId, label: member.membershipId },
          { kind: "hidden", id: null, label: "Something you cannot see" },
          object
        ]
      }
    ])
    for (const secret of [team, marketplace, grant.id, "Secret", "Hidden"]) expect(hidden.text).not.toContain(secret)
  })

  it("returns the same response for a foreign and a missing object, even with a grant on the foreign one", async () => {
    const { owner, plugin } = await setting()
    const stranger = await makeWorkspace(plane)
    await owner.client.plugins.grantAccess(plugin.id, { orgWide: true, role: "manager" })
    const foreign = await explain(stranger, { object: plugin })
    const missing = await explain(stranger, { object: { kind: "plugin", id: makeId("plg") } })
    expect([foreign.status, foreign.text]).toEqual([404, missing.text])
  })
})

describe("revocation impact in a large organization", () => {
  it("counts all members and lists the first 500, regardless of the contents of the marketplace", async () => {
    const owner = await makeWorkspace(plane)
    const organizationId = owner.organizationId
    const marketplace = await makeMarketplace(plane, owner)
    await runSql(plane, (sql) =>
      sql.unsafe(
        `WITH people AS (
          INSERT INTO users (id, name, created_at, updated_at)
          SELECT $1 || i, 'A person', now(), now() FROM generate_series(1, 2000) i RETURNING id),
        plugs AS (
          INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
          SELECT $1, 'plg_0' || lpad(i::text, 25, '0'), 'P', now(), now() FROM generate_series(1, 2100) i RETURNING id)
        SELECT (SELECT count(*) FROM people) AS a, (SELECT count(*) FROM plugs) AS b`,
        [organizationId]
      )
    )
    await runSql(plane, (sql) =>
      sql.unsafe(
        `INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
        SELECT $1, 'mkp_0' || lpad(i::text, 25, '0'), $2, 'plg_0' || lpad(i::text, 25, '0'), now()
        FROM generate_series(1, 2100) i`,
        [organizationId, marketplace]
      )
    )
    const impactOf = async (grantId: string) => (await owner.call("POST", "/v1/access/impact", { grantId })).body.impact
    // One member keeps one of the plugins by another path: the contents are more than what is inspected.
    const member = await addMember(plane, owner, "member")
    const pluginId = `plg_0${"1".padStart(25, "0")}`
    await owner.client.plugins.grantAccess(pluginId, { orgMembershipId: member.membershipId, role: "editor" })
    const one = await owner.client.marketplaces.grantAccess(marketplace, {
      orgMembershipId: member.membershipId,
      role: "viewer"
    })
    const single = await impactOf(one.id)
    expect([single.memberCount, single.losses.length, single.truncated]).toEqual([1, 500, true])
    expect(single.losses.map((loss: { object: { id: string } }) => loss.object.id)).not.toContain(pluginId)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
        SELECT ${organizationId}, 'om_0' || lpad(i::text, 25, '0'), ${organizationId} || i, 'member', now(), now()
        FROM generate_series(1, 2000) i`
    )
    const all = await owner.client.marketplaces.grantAccess(marketplace, { orgWide: true, role: "viewer" })
    const many = await impactOf(all.id)
    // The member with a grant of their own keeps access.
    expect([many.memberCount, many.losses.length, many.truncated]).toEqual([2000, 500, true])
    expect(new Set(many.losses.map((loss: { object: { kind: string } }) => loss.object.kind))).toEqual(
      new Set(["marketplace"])
    )
  })
})
