import type { Id } from "@orgplane/schema/shared/ids"
import * as Teams from "@orgplane/schema/teams"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { TeamsService } from "../../src/identity/teams/service.ts"
import { counted, memberOf } from "../infra/statements.fixture.ts"
import { addMember, call, makeControlPlane, makeKey, makeWorkspace, type Person, runSql } from "../harness.ts"

const plane = await makeControlPlane()
const missing = "tem_01h455vb4pex5vsknk084sn02q"
const nobody = "om_01h455vb4pex5vsknk084sn02q"

let teams = 0
const makeTeam = async (person: Person, name = `Team ${(teams += 1)}`): Promise<string> => {
  const response = await person.call("POST", "/v1/teams", { name })
  expect([response.status, response.body?.team?.name]).toEqual([201, name])
  return response.body.team.id
}

/** A plugin of the owner that is granted to a team. */
const granted = async (owner: Person, teamId: string) => {
  const { body } = await owner.call("POST", "/v1/plugins", { name: `Plugin ${(teams += 1)}` })
  const id = body.item.id as string
  const grant = await owner.call("POST", `/v1/plugins/${id}/access`, { teamId, role: "viewer" })
  expect(grant.status).toBe(201)
  return { path: `/v1/plugins/${id}`, grantId: grant.body.item.id as string }
}

describe("POST /v1/teams", () => {
  it("creates an empty team", async () => {
    const owner = await makeWorkspace(plane)
    const { body, status } = await owner.call("POST", "/v1/teams", { name: "Design", description: "Who draws" })
    expect(status).toBe(201)
    expect(Schema.decodeUnknownSync(Teams.Team)(body.team)).toMatchObject({
      organizationId: owner.organizationId,
      name: "Design",
      description: "Who draws",
      memberCount: 0
    })
    expect((await owner.call("GET", `/v1/teams/${body.team.id}`)).body).toEqual(body)
  })

  it("returns 409 for the name of a live team, ignoring case, also concurrently", async () => {
    const owner = await makeWorkspace(plane)
    const responses = await Promise.all(
      ["Sales", "sales", "Sales", "SALES"].map((name) => owner.call("POST", "/v1/teams", { name }))
    )
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 409, 409, 409])
    expect(responses.find((response) => response.status === 409)?.body.error).toBe("team_exists")
    const id = responses.find((response) => response.status === 201)?.body.team.id
    expect((await owner.call("DELETE", `/v1/teams/${id}`)).status).toBe(204)
    expect((await owner.call("POST", "/v1/teams", { name: "Sales" })).status).toBe(201)
    const elsewhere = await makeWorkspace(plane)
    expect((await elsewhere.call("POST", "/v1/teams", { name: "Sales" })).status).toBe(201)
  })

  it("returns 400 for invalid input and 403 without permission, and creates one team for an idempotency key", async () => {
    const owner = await makeWorkspace(plane)
    for (const body of [{}, { name: "" }, { name: "x".repeat(121) }, { name: null }, { name: "a\u0000" }]) {
      const response = await owner.call("POST", "/v1/teams", body)
      expect([response.status, response.body.details[0].path]).toEqual([400, ["body", "name"]])
    }
    const member = await addMember(plane, owner, "member")
    const refused = await member.call("POST", "/v1/teams", { name: "Mine" })
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    const once = () => owner.call("POST", "/v1/teams", { name: "Once" }, { "idempotency-key": "team-1" })
    expect((await once()).text).toBe((await once()).text)
  })
})

describe("GET /v1/teams", () => {
  it("lists teams in pages, newest first, filtered by name, also to a member", async () => {
    const owner = await makeWorkspace(plane)
    const ids = [await makeTeam(owner, "Red 1"), await makeTeam(owner, "Blue"), await makeTeam(owner, "Red 2")]
    await owner.call("DELETE", `/v1/teams/${await makeTeam(owner, "Red 3")}`)
    const member = await addMember(plane, owner, "member")
    const first = await member.call("GET", "/v1/teams?limit=2")
    expect(first.body.items.map((team: { id: string }) => team.id)).toEqual([ids[2], ids[1]])
    const second = await member.call("GET", `/v1/teams?limit=2&cursor=${first.body.nextCursor}`)
    expect(second.body).toMatchObject({ items: [{ id: ids[0] }], nextCursor: null })
    const red = await member.call("GET", "/v1/teams?q=rED%20")
    expect(red.body.items.map((team: { id: string }) => team.id)).toEqual([ids[2], ids[0]])
    expect((await member.call("GET", "/v1/teams?q=%25")).body.items).toEqual([])
    expect((await owner.call("GET", `/v1/teams?q=x&cursor=${first.body.nextCursor}`)).status).toBe(400)
  })
})

describe("GET /v1/teams?orgMembershipId", () => {
  const listed = async (caller: Person, query: string) => {
    const response = await caller.call("GET", `/v1/teams?${query}`)
    expect(response.status).toBe(200)
    return response.body.items.map((team: { id: string }) => team.id)
  }

  it("lists the teams of a member in pages, also with a part of the name, and not those that were left or removed", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const ids = [await makeTeam(owner, "Red 1"), await makeTeam(owner, "Blue"), await makeTeam(owner, "Red 2")]
    await makeTeam(owner, "Red 3")
    const removed = await makeTeam(owner, "Red 4")
    const path = (id: string) => `/v1/teams/${id}/members/${member.membershipId}`
    for (const id of [...ids, removed]) expect((await owner.call("PUT", path(id))).status).toBe(200)
    await owner.call("DELETE", `/v1/teams/${removed}`)
    const of = `orgMembershipId=${member.membershipId}`
    expect(await listed(member, of)).toEqual([ids[2], ids[1], ids[0]])
    expect(await listed(owner, `${of}&q=red`)).toEqual([ids[2], ids[0]])
    const first = await member.call("GET", `/v1/teams?${of}&limit=2`)
    expect(await listed(member, `${of}&limit=2&cursor=${first.body.nextCursor}`)).toEqual([ids[0]])
    const other = await owner.call("GET", `/v1/teams?limit=2&cursor=${first.body.nextCursor}`)
    expect([other.status, other.body.details[0].path]).toEqual([400, ["query", "cursor"]])
    await owner.call("DELETE", path(ids[1] ?? ""))
    expect(await listed(member, of)).toEqual([ids[2], ids[0]])
    expect(await listed(owner, `orgMembershipId=${owner.membershipId}`)).toEqual([])
  })

  it("lists no team for a former, a missing or another organization's member, and returns 400 for an invalid id", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const foreign = await makeTeam(elsewhere)
    await elsewhere.call("PUT", `/v1/teams/${foreign}/members/${elsewhere.membershipId}`)
    const left = await addMember(plane, owner, "member")
    const id = await makeTeam(owner)
    await owner.call("PUT", `/v1/teams/${id}/members/${left.membershipId}`)
    await owner.call("DELETE", `/v1/members/${left.membershipId}`)
    for (const member of [elsewhere.membershipId, left.membershipId, nobody]) {
      expect(await listed(owner, `orgMembershipId=${member}`)).toEqual([])
    }
    const invalid = await owner.call("GET", "/v1/teams?orgMembershipId=om_x")
    expect([invalid.status, invalid.body.details[0].path]).toEqual([400, ["query", "orgMembershipId"]])
    const key = await makeKey(plane, owner, ["plugins:read"])
    const refused = await key.call("GET", `/v1/teams?orgMembershipId=${owner.membershipId}`)
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
  })
})

describe("PATCH /v1/teams/{id}", () => {
  it("changes the given fields, increments the version, and returns 412 for a stale ETag", async () => {
    const owner = await makeWorkspace(plane)
    const id = await makeTeam(owner, "Before")
    const renamed = await owner.call("PATCH", `/v1/teams/${id}`, { name: "After" })
    expect([renamed.status, renamed.body.team.name, renamed.headers.get("etag")]).toEqual([200, "After", '"2"'])
    const stale = await owner.call("PATCH", `/v1/teams/${id}`, { name: "Late" }, { "if-match": '"1"' })
    expect([stale.status, stale.body.error]).toEqual([412, "precondition_failed"])
    const described = await owner.call("PATCH", `/v1/teams/${id}`, { description: "What" }, { "if-match": '"2"' })
    expect(described.body.team).toMatchObject({ name: "After", description: "What" })
    const cleared = await owner.call("PATCH", `/v1/teams/${id}`, { description: null })
    expect([cleared.body.team.description, cleared.headers.get("etag")]).toEqual([null, '"4"'])
    const nothing = await owner.call("PATCH", `/v1/teams/${id}`, {})
    expect(nothing.headers.get("etag")).toBe('"4"')
    expect((await owner.call("DELETE", `/v1/teams/${id}`, undefined, { "if-match": '"3"' })).status).toBe(412)
    const responses = await Promise.all(
      ["One", "Two", "Three"].map((name) => owner.call("PATCH", `/v1/teams/${id}`, { name }, { "if-match": '"4"' }))
    )
    expect(responses.map((response) => response.status).toSorted()).toEqual([200, 412, 412])
  })

  it("returns 409 for another team's name, and accepts a change of case of its own", async () => {
    const owner = await makeWorkspace(plane)
    await makeTeam(owner, "Taken")
    const id = await makeTeam(owner, "Free")
    const refused = await owner.call("PATCH", `/v1/teams/${id}`, { name: "taken" })
    expect([refused.status, refused.body.error]).toEqual([409, "team_exists"])
    expect((await owner.call("PATCH", `/v1/teams/${id}`, { name: "FREE" })).status).toBe(200)
  })

  it("returns the same 404 for a foreign, a removed and a missing team, and 400 for an invalid id", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const foreign = await makeTeam(elsewhere)
    const removed = await makeTeam(owner)
    await owner.call("DELETE", `/v1/teams/${removed}`)
    const member = await addMember(plane, owner, "member")
    const requests: ReadonlyArray<readonly [string, string, object?]> = [
      ["GET", ""],
      ["PATCH", "", { name: "Mine" }],
      ["DELETE", ""],
      ["GET", "/impact"],
      ["GET", "/members"],
      ["PUT", `/members/${member.membershipId}`],
      ["DELETE", `/members/${member.membershipId}`]
    ]
    for (const [method, path, body] of requests) {
      const responses = await Promise.all(
        [foreign, removed, missing].map((id) => owner.call(method, `/v1/teams/${id}${path}`, body))
      )
      for (const response of responses) {
        expect([response.status, response.body.error, response.text]).toEqual([
          404,
          "team_not_found",
          responses[0]?.text
        ])
      }
      expect((await owner.call(method, `/v1/teams/tem_x${path}`, body)).status).toBe(400)
    }
    expect((await elsewhere.call("GET", `/v1/teams/${foreign}`)).body.team.memberCount).toBe(0)
  })
})

describe("team members", () => {
  it("are added and removed idempotently", async () => {
    const owner = await makeWorkspace(plane)
    const [one, two] = [await addMember(plane, owner, "member"), await addMember(plane, owner, "member")]
    const id = await makeTeam(owner)
    const put = (member: string) => owner.call("PUT", `/v1/teams/${id}/members/${member}`)
    expect((await put(one.membershipId)).body.team.memberCount).toBe(1)
    expect((await put(two.membershipId)).body.team.memberCount).toBe(2)
    const again = await put(one.membershipId)
    expect([again.status, again.body.team.memberCount]).toEqual([200, 2])
    const page = await one.call("GET", `/v1/teams/${id}/members?limit=1`)
    expect(page.body.items).toMatchObject([{ id: two.membershipId, role: "member" }])
    const next = await one.call("GET", `/v1/teams/${id}/members?limit=1&cursor=${page.body.nextCursor}`)
    expect(next.body).toMatchObject({ items: [{ id: one.membershipId }], nextCursor: null })
    const listed = await one.call("GET", `/v1/members?teamId=${id}`)
    expect(listed.body.items).toHaveLength(2)
    const take = () => owner.call("DELETE", `/v1/teams/${id}/members/${one.membershipId}`)
    expect([(await take()).status, (await take()).status]).toEqual([204, 204])
    expect((await owner.call("GET", `/v1/teams/${id}`)).body.team.memberCount).toBe(1)
  })

  it("are not listed with the cursor of another team's list", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const [one, two] = [await makeTeam(owner), await makeTeam(owner)]
    for (const team of [one, two]) {
      for (const { membershipId } of [owner, member]) {
        expect((await owner.call("PUT", `/v1/teams/${team}/members/${membershipId}`)).status).toBe(200)
      }
    }
    const { nextCursor } = (await owner.call("GET", `/v1/teams/${one}/members?limit=1`)).body
    const refused = await owner.call("GET", `/v1/teams/${two}/members?limit=1&cursor=${nextCursor}`)
    expect([refused.status, refused.body.details?.[0]?.path]).toEqual([400, ["query", "cursor"]])
    expect((await owner.call("GET", `/v1/teams/${one}/members?limit=1&cursor=${nextCursor}`)).status).toBe(200)
  })

  it("returns the same 404 for foreign, former and missing members, and 403 for a plain member", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const left = await addMember(plane, owner, "member")
    await owner.call("DELETE", `/v1/members/${left.membershipId}`)
    const id = await makeTeam(owner)
    for (const method of ["PUT", "DELETE"]) {
      const responses = await Promise.all(
        [elsewhere.membershipId, left.membershipId, nobody].map((member) =>
          owner.call(method, `/v1/teams/${id}/members/${member}`)
        )
      )
      for (const response of responses) {
        expect([response.status, response.body.error, response.text]).toEqual([
          404,
          "member_not_found",
          responses[0]?.text
        ])
      }
      const member = await addMember(plane, owner, "member")
      const refused = await member.call(method, `/v1/teams/${id}/members/${member.membershipId}`)
      expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    }
    expect((await owner.call("GET", `/v1/teams/${id}/members`)).body.items).toEqual([])
  })

  it("have the team's access while they are in it, and leave all teams with their membership", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const teamId = await makeTeam(owner)
    const { path } = await granted(owner, teamId)
    const sees = async () => (await member.call("GET", path)).status
    expect(await sees()).toBe(404)
    await owner.call("PUT", `/v1/teams/${teamId}/members/${member.membershipId}`)
    expect(await sees()).toBe(200)
    await owner.call("DELETE", `/v1/teams/${teamId}/members/${member.membershipId}`)
    expect(await sees()).toBe(404)
    await owner.call("PUT", `/v1/teams/${teamId}/members/${member.membershipId}`)
    await owner.call("DELETE", `/v1/members/${member.membershipId}`)
    expect((await owner.call("GET", `/v1/teams/${teamId}`)).body.team.memberCount).toBe(0)
  })

  it("does not keep a member who is added and removed concurrently", async () => {
    const owner = await makeWorkspace(plane)
    const teamId = await makeTeam(owner)
    for (let round = 0; round < 8; round += 1) {
      const member = await addMember(plane, owner, "member")
      const [added] = await Promise.all([
        owner.call("PUT", `/v1/teams/${teamId}/members/${member.membershipId}`),
        owner.call("DELETE", `/v1/members/${member.membershipId}`)
      ])
      expect([200, 404]).toContain(added.status)
    }
    const left = await runSql(plane, (sql) => sql`SELECT 1 AS one FROM team_members WHERE team_id = ${teamId}`)
    expect(left).toEqual([])
  })
})

describe("GET /v1/teams/{id}/impact", () => {
  it("counts the members who would lose each granted object, and nobody who keeps another way", async () => {
    const owner = await makeWorkspace(plane)
    const [one, two] = [await addMember(plane, owner, "member"), await addMember(plane, owner, "member")]
    const admin = await addMember(plane, owner, "admin")
    const [teamId, other] = [await makeTeam(owner), await makeTeam(owner)]
    for (const { membershipId } of [one, two, admin]) {
      await owner.call("PUT", `/v1/teams/${teamId}/members/${membershipId}`)
    }
    await owner.call("PUT", `/v1/teams/${other}/members/${one.membershipId}`)
    const lost = await granted(owner, teamId)
    const kept = await granted(owner, teamId)
    await owner.call("POST", `${kept.path}/access`, { teamId: other, role: "viewer" })
    const lowered = await granted(owner, teamId)
    await owner.call("POST", `${lowered.path}/access`, { teamId, role: "editor" })
    await owner.call("POST", `${lowered.path}/access`, { orgWide: true, role: "viewer" })
    await owner.call("POST", "/v1/invitations", { email: "new@acme.example", teamIds: [teamId] })
    const { body, status } = await owner.call("GET", `/v1/teams/${teamId}/impact`)
    expect(status).toBe(200)
    const { objects, ...counts } = Schema.decodeUnknownSync(Teams.TeamImpact)(body.impact)
    expect(counts).toEqual({
      teamId,
      managedByScim: false,
      memberCount: 3,
      grantCount: 3,
      assignmentCount: 0,
      desktopPolicyCount: 0,
      invitationCount: 1
    })
    const idOf = ({ path }: { readonly path: string }) => path.replace("/v1/plugins/", "")
    expect(objects.map(({ id, kind, memberCount, role }) => [kind, id, role, memberCount])).toEqual([
      ["plugin", idOf(lost), "viewer", 2],
      ["plugin", idOf(kept), "viewer", 1],
      ["plugin", idOf(lowered), "editor", 2]
    ])
    expect((await owner.call("GET", `/v1/teams/${teamId}`)).body.team.memberCount).toBe(3)
    expect((await two.call("GET", lost.path)).status).toBe(200)
    await owner.call("DELETE", `/v1/teams/${teamId}`)
    const seen = [lost, kept, lowered].map(async ({ path }) => [
      (await one.call("GET", path)).status,
      (await two.call("GET", path)).status
    ])
    expect(await Promise.all(seen)).toEqual([
      [404, 404],
      [200, 404],
      [200, 200]
    ])
  })

  it("reads any number of objects with the same number of statements", async () => {
    const owner = await makeWorkspace(plane)
    const { membershipId } = await addMember(plane, owner, "member")
    const teamId = await makeTeam(owner)
    await owner.call("PUT", `/v1/teams/${teamId}/members/${membershipId}`)
    const statements = () =>
      counted(
        plane,
        Effect.flatMap(TeamsService, (service) =>
          service.impact(memberOf(owner, "teams:manage"), teamId as Id<"tem">)
        ).pipe(Effect.provide(Layer.fresh(TeamsService.layer)))
      )
    const grantMarketplace = async () => {
      const { body } = await owner.call("POST", "/v1/marketplaces", { name: `Marketplace ${(teams += 1)}` })
      await owner.call("POST", `/v1/marketplaces/${body.item.id}/access`, { teamId, role: "viewer" })
    }
    await granted(owner, teamId)
    await grantMarketplace()
    const two = await statements()
    for (let index = 0; index < 4; index += 1) await granted(owner, teamId)
    await grantMarketplace()
    const seven = await statements()
    expect(seven.response.impact.objects.map(({ memberCount }) => memberCount)).toEqual(
      Array.from({ length: 7 }, () => 1)
    )
    expect([two.response.impact.objects.length, seven.count]).toEqual([2, two.count])
  })

  it("leaves out objects that the caller cannot see, and is only for callers who can remove the team", async () => {
    const owner = await makeWorkspace(plane)
    const teamId = await makeTeam(owner)
    await granted(owner, teamId)
    const key = await makeKey(plane, owner, ["teams:manage"])
    const { body } = await key.call("GET", `/v1/teams/${teamId}/impact`)
    expect(body.impact).toMatchObject({ grantCount: 1, objects: [] })
    const weaker = await makeKey(plane, owner, ["teams:read", "teams:write"])
    const member = await addMember(plane, owner, "member")
    for (const caller of [weaker, member]) {
      const refused = await caller.call("GET", `/v1/teams/${teamId}/impact`)
      expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    }
  })
})

describe("DELETE /v1/teams/{id}", () => {
  it("removes a team once with all its grants", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const teamId = await makeTeam(owner)
    await owner.call("PUT", `/v1/teams/${teamId}/members/${member.membershipId}`)
    const { grantId, path } = await granted(owner, teamId)
    expect((await member.call("GET", path)).status).toBe(200)
    expect((await owner.call("DELETE", `/v1/teams/${teamId}`)).status).toBe(204)
    expect((await member.call("GET", path)).status).toBe(404)
    const { body } = await owner.call("GET", `${path}/access`)
    const grant = body.items.find((row: { id: string }) => row.id === grantId)
    expect(grant).toMatchObject({ teamId, removedAt: expect.any(String) })
    expect((await owner.call("DELETE", `/v1/teams/${teamId}`)).status).toBe(404)
    const again = await owner.call("POST", `${path}/access`, { teamId, role: "viewer" })
    expect([again.status, again.body.details[0].path]).toEqual([400, ["body", "teamId"]])
  })

  it("returns 403 for a key with only teams:read and teams:write, and audits its changes as the key's", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["teams:read", "teams:write"])
    const response = await key.call("POST", "/v1/teams", { name: "Of a key" })
    expect(response.status).toBe(201)
    const refused = await key.call("DELETE", `/v1/teams/${response.body.team.id}`)
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    expect((await owner.call("DELETE", `/v1/teams/${response.body.team.id}`)).status).toBe(204)
    const { body } = await owner.call("GET", `/v1/audit-events?targetId=${response.body.team.id}`)
    expect(body.items).toMatchObject([
      { action: "team.remove", actorKind: "session", actorId: owner.membershipId },
      { action: "team.create", actorKind: "key", actorId: key.id }
    ])
    expect(JSON.stringify(body)).not.toContain("Of a key")
    expect((await call(plane)("GET", "/v1/teams")).status).toBe(401)
  })
})
