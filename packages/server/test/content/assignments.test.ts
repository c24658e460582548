/** Assignments of plugins and marketplaces: their endpoints, the precedence, choices and pinned versions. */
import { describe, expect, it } from "vitest"
import { approvePending } from "./approvals.fixture.ts"
import { skill } from "./connectors.fixture.ts"
import { addToTeam } from "../infra/http-world.ts"
import { expectSearch, searchedNames } from "../list-search.ts"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeRole,
  makeTeam,
  makeWorkspace,
  type Person,
  runSql,
  type Workspace
} from "../harness.ts"

const plane = await makeControlPlane()
const path = "/v1/assignments"

/** A plugin with a skill that every member can see. */
const makePlugin = async (owner: Workspace, name = "Review", isShared = true) => {
  const { id } = await owner.client.plugins.create({ name })
  await owner.client.configObjects.create({ input: { type: "skill", rawSourceText: skill("review") }, pluginIds: [id] })
  if (isShared) await owner.client.plugins.grantAccess(id, { role: "viewer", orgWide: true })
  return id
}

const start = async () => {
  const owner = await makeWorkspace(plane)
  const member = await addMember(plane, owner, "member")
  return { owner, member, pluginId: await makePlugin(owner) }
}

const assign = async (owner: Person, input: object) => {
  const response = await owner.call("POST", path, input)
  expect([response.status, response.text]).toEqual([201, response.text])
  return response.body.item
}

const effective = async (owner: Person, membershipId: string, query = "") => {
  const response = await owner.call("GET", `/v1/members/${membershipId}/assignments?explain=true${query}`)
  expect([response.status, response.text]).toEqual([200, response.text])
  return response.body.items
}

const ownOf = async (person: Person) => (await person.call("GET", "/v1/me/assignments")).body.items

const choose = (person: Person, pluginId: string, enabled: boolean) =>
  person.call("PUT", `/v1/me/plugin-choices/${pluginId}`, { enabled })
const reset = (person: Person, pluginId: string) => person.call("DELETE", `/v1/me/plugin-choices/${pluginId}`)

describe("POST /v1/assignments", () => {
  it("creates by default an assignment for the whole organization with the lowest priority", async () => {
    const { owner, pluginId } = await start()
    const assignment = await owner.client.assignments.create({ pluginId, mode: "required" })
    expect(assignment).toEqual({
      id: expect.stringMatching(/^asg_/),
      organizationId: owner.organizationId,
      pluginId,
      marketplaceId: null,
      mode: "required",
      priority: 0,
      pinnedDigest: null,
      memberIds: [],
      teamIds: [],
      audience: "organization",
      createdByOrgMembershipId: owner.membershipId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String)
    })
    expect(await owner.client.assignments.get(assignment.id)).toEqual(assignment)
    const marketplaceId = await makeMarketplace(plane, owner, [pluginId])
    const other = await assign(owner, { marketplaceId, mode: "blocked" })
    const listed = async (query: string) =>
      (await owner.call("GET", `${path}?${query}`)).body.items.map(({ id }: { id: string }) => id)
    expect(await listed("")).toEqual([other.id, assignment.id])
    expect(await listed(`pluginId=${pluginId}`)).toEqual([assignment.id])
    expect(await listed(`marketplaceId=${marketplaceId}`)).toEqual([other.id])
    expect(await listed("mode=blocked")).toEqual([other.id])
    expect(await listed("mode=available")).toEqual([])
  })

  it("stores all given members and teams, and a repeated id once", async () => {
    const { member, owner, pluginId } = await start()
    const teamId = await makeTeam(owner, [])
    const memberIds = [member.membershipId, member.membershipId]
    expect(
      await assign(owner, { pluginId, mode: "default_on", priority: 1_000_000, memberIds, teamIds: [teamId] })
    ).toMatchObject({
      priority: 1_000_000,
      memberIds: [member.membershipId],
      teamIds: [teamId],
      audience: "assigned"
    })
  })

  it("creates one assignment for a repeated request with the same idempotency key", async () => {
    const { owner, pluginId } = await start()
    const headers = { "idempotency-key": "assign once" }
    const [first, second] = [
      await owner.call("POST", path, { pluginId, mode: "required" }, headers),
      await owner.call("POST", path, { pluginId, mode: "required" }, headers)
    ]
    expect(second.body).toEqual(first.body)
    expect((await owner.call("GET", path)).body.items).toHaveLength(1)
  })

  it("rejects malformed assignments and names the field", async () => {
    const { owner, pluginId } = await start()
    const marketplaceId = await makeMarketplace(plane, owner, [pluginId])
    const digest = "a".repeat(64)
    for (const [body, at] of [
      [{ mode: "required" }, "body"],
      [{ pluginId, marketplaceId, mode: "required" }, "body"],
      [{ pluginId, mode: "sometimes" }, "mode"],
      [{ pluginId }, "mode"],
      [{ pluginId, mode: "required", priority: -1 }, "priority"],
      [{ pluginId, mode: "required", priority: 1_000_001 }, "priority"],
      [{ pluginId: "plg_1", mode: "required" }, "pluginId"],
      [{ pluginId, mode: "required", pinnedDigest: "abc" }, "pinnedDigest"],
      [{ pluginId, mode: "required", pinnedDigest: digest }, "pinnedDigest"],
      [{ marketplaceId, mode: "required", pinnedDigest: digest }, "pinnedDigest"],
      [{ pluginId, mode: "required", memberIds: Array.from({ length: 501 }, () => owner.membershipId) }, "memberIds"]
    ] as const) {
      const response = await owner.call("POST", path, body)
      expect([response.status, response.body.error]).toEqual([400, "invalid_request"])
      expect(response.text).toContain(at)
    }
    expect((await owner.call("GET", path)).body.items).toEqual([])
  })

  it("rejects plugins, members and teams of another organization like missing ones", async () => {
    const { owner, pluginId } = await start()
    const other = await start()
    const teamId = await makeTeam(other.owner, [])
    const marketplaceId = await makeMarketplace(plane, other.owner, [])
    const missing = (id: string) => `${id.slice(0, -26)}01h455vb4pex5vsknk084sn02q`
    for (const [body, absent, at] of [
      [{ pluginId: other.pluginId }, { pluginId: missing(other.pluginId) }, ["body", "pluginId"]],
      [{ marketplaceId }, { marketplaceId: missing(marketplaceId) }, ["body", "marketplaceId"]],
      [
        { pluginId, memberIds: [owner.membershipId, other.member.membershipId] },
        { pluginId, memberIds: [owner.membershipId, missing(other.member.membershipId)] },
        ["body", "memberIds", 1]
      ],
      [{ pluginId, teamIds: [teamId] }, { pluginId, teamIds: [missing(teamId)] }, ["body", "teamIds", 0]]
    ] as const) {
      const response = await owner.call("POST", path, { mode: "required", ...body })
      expect([response.status, response.body.details[0].path]).toEqual([400, at])
      expect((await owner.call("POST", path, { mode: "required", ...absent })).text).toBe(response.text)
    }
  })

  it("requires the permission for each operation, and visibility of the plugin", async () => {
    const { member, owner, pluginId } = await start()
    const { id } = await assign(owner, { pluginId, mode: "required" })
    const refused = async (person: Person, method: string, at: string, body?: object) =>
      expect((await person.call(method, at, body)).body).toMatchObject({
        reason: "permission_required"
      })
    for (const [method, at, body] of [
      ["POST", path, { pluginId, mode: "required" }],
      ["GET", path],
      ["GET", `${path}/${id}`],
      ["PATCH", `${path}/${id}`, {}],
      ["DELETE", `${path}/${id}`],
      ["POST", `${path}/simulate`, { delete: { assignmentId: id } }],
      ["GET", `/v1/members/${owner.membershipId}/assignments`]
    ] as const) {
      await refused(member, method, at, body)
    }
    const writer = await addMember(plane, owner, await makeRole(owner, ["assignments:read", "assignments:write"]))
    await assign(writer, { pluginId, mode: "available" })
    await refused(writer, "DELETE", `${path}/${id}`)
    const hidden = await makePlugin(owner, "Hidden", false)
    const response = await writer.call("POST", path, { pluginId: hidden, mode: "available" })
    expect([response.status, response.body.details[0].path]).toEqual([400, ["body", "pluginId"]])
    const { call } = await makeKey(plane, owner, ["assignments:read", "assignments:write", "plugins:manage"])
    expect((await call("POST", path, { pluginId: hidden, mode: "available" })).status).toBe(201)
    expect((await call("GET", "/v1/me/assignments")).body.reason).toBe("session_required")
    expect((await call("PUT", `/v1/me/plugin-choices/${hidden}`, { enabled: true })).body.reason).toBe(
      "session_required"
    )
  })

  it("rejects the assignment above the limit", async () => {
    const { owner, pluginId } = await start()
    await runSql(
      plane,
      (
        sql
      ) => sql`INSERT INTO assignments (organization_id, id, plugin_id, mode, priority, for_organization, created_at,
          updated_at)
        SELECT ${owner.organizationId}, 'asg_' || lpad(i::text, 26, '0'), ${pluginId}, 'available', 0, true, now(), now()
        FROM generate_series(1, 2000) i`
    )
    const response = await owner.call("POST", path, { pluginId, mode: "required" })
    expect([response.status, response.body.error]).toEqual([409, "quota_exceeded"])
    const simulated = await owner.call("POST", `${path}/simulate`, { create: { pluginId, mode: "required" } })
    expect(simulated.text).toBe(response.text)
  })
})

describe("an assignment", () => {
  it("can be updated and removed, and a foreign one is not found", async () => {
    const { member, owner, pluginId } = await start()
    const { id } = await assign(owner, { pluginId, mode: "required", memberIds: [member.membershipId] })
    const other = await start()
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const foreign = await other.owner.call(method, `${path}/${id}`, method === "PATCH" ? {} : undefined)
      expect([foreign.status, foreign.text]).toEqual([
        404,
        '{"error":"assignment_not_found","message":"No such assignment."}'
      ])
    }
    const updated = await owner.call("PATCH", `${path}/${id}`, { mode: "default_on", priority: 7, memberIds: [] })
    expect(updated.body.item).toMatchObject({
      mode: "default_on",
      priority: 7,
      memberIds: [],
      audience: "organization"
    })
    const etag = updated.headers.get("etag") ?? ""
    const same = await owner.call("PATCH", `${path}/${id}`, { priority: 7 })
    expect([same.status, same.headers.get("etag")]).toEqual([200, etag])
    const stale = await owner.call("PATCH", `${path}/${id}`, { priority: 8 }, { "if-match": '"1"' })
    expect(stale.status).toBe(412)
    for (const [body, at] of [
      [{ mode: "never" }, "mode"],
      [{ pinnedDigest: "a".repeat(64) }, "pinnedDigest"],
      [{ memberIds: [other.member.membershipId] }, "memberIds"]
    ] as const) {
      const response = await owner.call("PATCH", `${path}/${id}`, body)
      expect(response.status).toBe(400)
      expect(response.text).toContain(at)
    }
    expect((await owner.call("DELETE", `${path}/${id}`)).status).toBe(204)
    expect((await owner.call("DELETE", `${path}/${id}`)).status).toBe(404)
    expect((await owner.call("GET", `${path}/${id}`)).status).toBe(404)
    const events = (await owner.call("GET", `/v1/audit-events?targetId=${id}`)).body.items
    expect(events.map(({ action }: { action: string }) => action)).toEqual([
      "assignment.remove",
      "assignment.update",
      "assignment.update",
      "assignment.create"
    ])
    expect(events[2].after).toMatchObject({ mode: "default_on", priority: 7, audience: "organization" })
  })

  it("applies to no one after its members and teams were removed", async () => {
    const { member, owner, pluginId } = await start()
    const teamId = await makeTeam(owner, [])
    const memberIds = [member.membershipId]
    const { id } = await assign(owner, { pluginId, mode: "blocked", memberIds, teamIds: [teamId] })
    expect((await owner.call("DELETE", `/v1/members/${member.membershipId}`)).status).toBe(204)
    expect((await owner.call("GET", `${path}/${id}`)).body.item).toMatchObject({ memberIds: [], audience: "assigned" })
    expect((await owner.call("DELETE", `/v1/teams/${teamId}`)).status).toBe(204)
    expect((await owner.call("GET", `${path}/${id}`)).body.item).toMatchObject({ teamIds: [], audience: "nobody" })
    const next = await addMember(plane, owner, "member")
    expect(await effective(owner, next.membershipId)).toEqual([])
    const updated = await owner.call("PATCH", `${path}/${id}`, { memberIds: [], teamIds: [] })
    expect(updated.body.item.audience).toBe("nobody")
  })

  it("is part of the export of the organization", async () => {
    const { member, owner, pluginId } = await start()
    const { id } = await assign(owner, { pluginId, mode: "required", memberIds: [member.membershipId] })
    const { text } = await owner.call("GET", "/v1/organization/export")
    const lines = text.split("\n").filter((line) => line.includes('"assignment"'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(id)
    expect(lines[0]).toContain(member.membershipId)
  })
})

describe("GET /v1/assignments", () => {
  const listed = async (person: Pick<Person, "call">, query: string) =>
    (await person.call("GET", `${path}?${query}`)).body.items.map(({ id }: { id: string }) => id)

  it("filters assignments by part of the name of the plugin or marketplace, together with the other filters", async () => {
    const { owner, pluginId } = await start()
    await assign(owner, { pluginId, mode: "available" })
    const ids: Array<string> = []
    for (const name of searchedNames) {
      ids.push((await assign(owner, { pluginId: await makePlugin(owner, name), mode: "available" })).id)
    }
    await expectSearch(owner, { path, ids, filter: "mode=available" })
    const marketplaceId = await makeMarketplace(plane, owner, [], "Deep Blue")
    const { id } = await assign(owner, { marketplaceId, mode: "required" })
    expect(await listed(owner, "q=blue")).toEqual([id, ids[1]])
    expect(await listed(owner, "q=blue&mode=required")).toEqual([id])
  })

  it("does not find names that the caller cannot read", async () => {
    const owner = await makeWorkspace(plane)
    await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
    const reader = await addMember(
      plane,
      owner,
      await makeRole(owner, ["assignments:read", "plugins:read", "marketplaces:read"])
    )
    const lister = await addMember(plane, owner, await makeRole(owner, ["assignments:read"]))
    const shown = await makePlugin(owner, "Blue notes")
    const unapproved = await makePlugin(owner, "Blue drafts")
    const hidden = await makePlugin(owner, "Blue secrets", false)
    await approvePending(owner, shown)
    await approvePending(owner, hidden)
    await owner.client.plugins.update(shown, { name: "Green notes" })
    const marketplaceId = await makeMarketplace(plane, owner, [], "Blue market")
    const ids: Array<string> = []
    for (const target of [{ pluginId: shown }, { pluginId: unapproved }, { pluginId: hidden }, { marketplaceId }]) {
      ids.push((await assign(owner, { ...target, mode: "available" })).id)
    }
    expect(await listed(reader, "")).toHaveLength(4)
    // The reader reads the name in the approved release, and the owner the latest one.
    expect(await listed(reader, "q=blue")).toEqual([ids[0]])
    expect(await listed(reader, "q=green")).toEqual([])
    expect(await listed(owner, "q=blue")).toEqual([ids[3], ids[2], ids[1]])
    expect(await listed(owner, "q=green")).toEqual([ids[0]])
    await owner.client.marketplaces.grantAccess(marketplaceId, { role: "viewer", orgWide: true })
    expect(await listed(reader, "q=blue")).toEqual([ids[3], ids[0]])
    expect(await listed(lister, "")).toHaveLength(4)
    expect(await listed(lister, "q=blue")).toEqual([])
  })
})

describe("the effective assignments of a member", () => {
  it("follow block, priority, specificity, target and age, and name the rule", async () => {
    const { member, owner, pluginId } = await start()
    const marketplaceId = await makeMarketplace(plane, owner, [pluginId])
    const teamId = await makeTeam(owner, [])
    await addToTeam(owner, teamId, member)
    const of = async () => {
      const [one] = await effective(owner, member.membershipId)
      const { explanation, mode } = one
      return [mode, explanation.rule, explanation.winner?.through, explanation.loserCount]
    }
    expect(await effective(owner, member.membershipId)).toEqual([])
    await assign(owner, { marketplaceId, mode: "default_on" })
    expect(await of()).toEqual(["default_on", "only", "organization", 0])
    await assign(owner, { marketplaceId, mode: "required" })
    expect(await of()).toEqual(["default_on", "age", "organization", 1])
    await assign(owner, { pluginId, mode: "available" })
    expect(await of()).toEqual(["available", "target", "organization", 2])
    await assign(owner, { marketplaceId, mode: "required", teamIds: [teamId] })
    expect(await of()).toEqual(["required", "specificity", "team", 3])
    await assign(owner, { marketplaceId, mode: "default_on", memberIds: [member.membershipId], teamIds: [teamId] })
    expect(await of()).toEqual(["default_on", "specificity", "member", 4])
    await assign(owner, { pluginId, mode: "available", priority: 1 })
    expect(await of()).toEqual(["available", "priority", "organization", 5])
    await assign(owner, { marketplaceId, mode: "blocked" })
    expect(await of()).toEqual(["blocked", "block", "organization", 6])
    const [one] = await effective(owner, member.membershipId)
    expect(one.explanation.losers.map(({ lostBy }: { lostBy: string }) => lostBy)).toEqual(Array(6).fill("block"))
    expect(one.explanation.winner).toMatchObject({ target: "marketplace", marketplaceId, pinnedDigest: null })
    expect(one).toMatchObject({ pluginId, pluginName: "Review", enabled: false, hasAccess: true, choice: null })
  })

  it("do not grant access", async () => {
    const { member, owner } = await start()
    const pluginId = await makePlugin(owner, "Hidden", false)
    await assign(owner, { pluginId, mode: "required" })
    expect(await effective(owner, member.membershipId)).toMatchObject([
      { pluginId, mode: "required", enabled: true, hasAccess: false }
    ])
    expect(await ownOf(member)).toEqual([])
    expect((await member.call("GET", `/v1/plugins/${pluginId}`)).status).toBe(404)
    expect((await choose(member, pluginId, true)).status).toBe(404)
    await owner.client.plugins.grantAccess(pluginId, { role: "viewer", orgMembershipId: member.membershipId })
    expect(await ownOf(member)).toMatchObject([{ pluginId, mode: "required", hasAccess: true, explanation: null }])
  })

  it("are paged, filtered by plugin, and hidden from other organizations", async () => {
    const { member, owner, pluginId } = await start()
    const second = await makePlugin(owner, "Second")
    const marketplaceId = await makeMarketplace(plane, owner, [pluginId, second])
    await assign(owner, { marketplaceId, mode: "required" })
    const at = `/v1/members/${member.membershipId}/assignments`
    const first = (await owner.call("GET", `${at}?limit=1`)).body
    expect(first.items).toMatchObject([{ pluginId: second, explanation: null }])
    const next = (await owner.call("GET", `${at}?limit=1&cursor=${first.nextCursor}`)).body
    expect(next).toMatchObject({ items: [{ pluginId }], nextCursor: null })
    const unassigned = await makePlugin(owner, "Third")
    expect(await effective(owner, member.membershipId, `&pluginId=${unassigned}`)).toMatchObject([
      { pluginId: unassigned, mode: "available", enabled: false, explanation: { rule: "default", winner: null } }
    ])
    const other = await makeWorkspace(plane)
    expect((await other.call("GET", at)).body.error).toBe("member_not_found")
    const foreign = (await other.call("GET", `/v1/members/${other.membershipId}/assignments?pluginId=${pluginId}`)).body
    expect(foreign.items).toEqual([])
    expect((await owner.call("GET", `${at}?explain=yes`)).status).toBe(400)
  })

  it("show a member without the permission no marketplace of an assignment", async () => {
    const { member, owner, pluginId } = await start()
    const marketplaceId = await makeMarketplace(plane, owner, [pluginId])
    await assign(owner, { marketplaceId, mode: "required" })
    const own = (await member.call("GET", "/v1/me/assignments?explain=true")).body.items
    expect(own[0].explanation.winner).toMatchObject({ target: "marketplace", marketplaceId: null, mode: "required" })
  })
})

describe("a member's choice", () => {
  it("turns default_on and available plugins on and off", async () => {
    const { member, owner, pluginId } = await start()
    const { id } = await assign(owner, { pluginId, mode: "default_on" })
    expect(await ownOf(member)).toMatchObject([{ enabled: true, choice: null }])
    const off = await choose(member, pluginId, false)
    expect([off.status, off.body.item]).toEqual([
      200,
      expect.objectContaining({ pluginId, mode: "default_on", enabled: false, choice: false })
    ])
    expect((await choose(member, pluginId, false)).body).toEqual(off.body)
    expect(await ownOf(member)).toMatchObject([{ enabled: false, choice: false }])
    expect(await ownOf(owner)).toMatchObject([{ enabled: true, choice: null }])

    await owner.call("PATCH", `${path}/${id}`, { mode: "required" })
    expect(await ownOf(member)).toMatchObject([{ enabled: true, choice: false, mode: "required" }])
    for (const response of [await choose(member, pluginId, true), await reset(member, pluginId)]) {
      expect([response.status, response.body.error]).toEqual([409, "plugin_choice_fixed"])
    }
    await owner.call("PATCH", `${path}/${id}`, { mode: "blocked" })
    expect((await choose(member, pluginId, true)).body.error).toBe("plugin_choice_fixed")
    await owner.call("PATCH", `${path}/${id}`, { mode: "available" })
    expect(await ownOf(member)).toMatchObject([{ enabled: false, choice: false }])
    expect((await choose(member, pluginId, true)).body.item).toMatchObject({ enabled: true, choice: true })
    expect((await reset(member, pluginId)).status).toBe(204)
    expect((await reset(member, pluginId)).status).toBe(204)
    expect(await ownOf(member)).toMatchObject([{ enabled: false, choice: null }])
  })

  it("applies to a plugin without assignments, and is kept until it is reset", async () => {
    const { member, owner, pluginId } = await start()
    expect((await choose(member, pluginId, true)).body.item).toMatchObject({ mode: "available", enabled: true })
    expect(await ownOf(member)).toMatchObject([{ pluginId, mode: "available", enabled: true, choice: true }])
    expect(await effective(owner, member.membershipId)).toMatchObject([{ pluginId, choice: true }])
    const events = (await owner.call("GET", `/v1/audit-events?targetId=${pluginId}&action=plugin_choice.set`)).body
      .items
    expect(events).toMatchObject([{ before: { enabled: null }, after: { enabled: true } }])
    await reset(member, pluginId)
    expect(await ownOf(member)).toEqual([])
  })

  it("is rejected for missing, foreign and unseen plugins in the same way", async () => {
    const { member, owner } = await start()
    const other = await start()
    const unseen = await makePlugin(owner, "Hidden", false)
    const missing = "plg_01h455vb4pex5vsknk084sn02q"
    const responses = await Promise.all(
      [missing, other.pluginId, unseen].flatMap((id) => [choose(member, id, true), reset(member, id)])
    )
    for (const { status, text } of responses) {
      expect([status, text]).toEqual([404, '{"error":"plugin_not_found","message":"No such plugin."}'])
    }
    expect((await member.call("PUT", `/v1/me/plugin-choices/${unseen}`, { enabled: "yes" })).status).toBe(400)
  })
})

describe("a pinned digest", () => {
  it("must be that of an approved release whose files are stored", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
    const { id: pluginId } = await owner.client.plugins.create({ name: "Notes" })
    await owner.client.plugins.grantAccess(pluginId, { role: "viewer", orgWide: true })
    const { id } = await assign(owner, { pluginId, mode: "required" })
    expect(await effective(owner, member.membershipId)).toMatchObject([{ version: "none", hasAccess: true }])
    expect(await ownOf(member)).toEqual([])
    const object = await owner.client.configObjects.create({
      input: { type: "skill", rawSourceText: skill("review", "One.") },
      pluginIds: [pluginId]
    })
    const release = async (decision: "approve" | "reject" = "approve") => {
      const [one] = (await owner.call("GET", `/v1/approvals?pluginId=${pluginId}`)).body.items
      const body = { releases: [{ releaseId: one.id, digest: one.digest }], comment: "Reviewed." }
      const { text } = await owner.call("POST", `/v1/approvals/${decision}`, body)
      expect(text).toContain(one.digest)
      return one.digest as string
    }
    const edit = (text: string) =>
      owner.client.configObjects.createVersion(object.id, { input: { rawSourceText: skill("review", text) } })
    const first = await release()
    const pin = (pinnedDigest: string | null) => owner.call("PATCH", `${path}/${id}`, { pinnedDigest })
    expect((await pin(first)).body.item.pinnedDigest).toBe(first)
    expect(await ownOf(member)).toMatchObject([{ version: "pinned", pinnedDigest: first }])
    await edit("Two.")
    const rejected = await release("reject")
    expect((await pin(rejected)).status).toBe(400)
    await edit("Three.")
    const third = await release()
    expect(await ownOf(member)).toMatchObject([{ version: "pinned", pinnedDigest: first }])
    expect((await pin(third)).status).toBe(200)
    expect(await ownOf(member)).toMatchObject([{ version: "pinned" }])
    // The files of the release before the served one are kept for a rollback.
    await edit("Four.")
    await release()
    const refused = await pin(first)
    expect([refused.status, refused.body.details[0].path]).toEqual([400, ["body", "pinnedDigest"]])
    expect(refused.text).toContain("whose files are stored")
    expect((await pin(null)).status).toBe(200)
    expect(await ownOf(member)).toMatchObject([{ version: "latest_approved", pinnedDigest: null }])
  })
})

describe("POST /v1/assignments/simulate", () => {
  it("returns the same errors as the change, and requires exactly one change", async () => {
    const { member, owner, pluginId } = await start()
    const { id } = await assign(owner, { pluginId, mode: "required" })
    const simulate = (body: object) => owner.call("POST", `${path}/simulate`, body)
    for (const body of [{}, { delete: { assignmentId: id }, create: { pluginId, mode: "required" } }]) {
      const response = await simulate(body)
      expect(response.status).toBe(400)
      expect(response.text).toContain("exactly one of: create, patch, delete")
    }
    const missing = "asg_01h455vb4pex5vsknk084sn02q"
    const other = await start()
    const foreign = await assign(other.owner, { pluginId: other.pluginId, mode: "required" })
    for (const [body, at] of [
      [{ delete: { assignmentId: missing } }, ["body", "delete", "assignmentId"]],
      [{ delete: { assignmentId: foreign.id } }, ["body", "delete", "assignmentId"]],
      [{ patch: { assignmentId: missing, changes: {} } }, ["body", "patch", "assignmentId"]],
      [{ create: { pluginId: other.pluginId, mode: "required" } }, ["body", "create", "pluginId"]],
      [
        { patch: { assignmentId: id, changes: { memberIds: [other.member.membershipId] } } },
        ["body", "patch", "changes", "memberIds", 0]
      ],
      [
        { patch: { assignmentId: id, changes: { pinnedDigest: "a".repeat(64) } } },
        ["body", "patch", "changes", "pinnedDigest"]
      ]
    ] as const) {
      const response = await simulate(body)
      expect([response.status, response.body.details?.[0].path]).toEqual([400, at])
    }
    const memberIds = [member.membershipId]
    const { simulation } = (await simulate({ patch: { assignmentId: id, changes: { mode: "blocked", memberIds } } }))
      .body
    expect(simulation).toMatchObject({
      memberCount: 2,
      changeCount: 2,
      modes: [
        { before: "required", after: "available", changeCount: 1 },
        { before: "required", after: "blocked", changeCount: 1 }
      ],
      truncated: false
    })
    expect((await owner.call("GET", `${path}/${id}`)).body.item.mode).toBe("required")
  })
})
