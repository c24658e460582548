/** Sessions, and what a session can read about its organization and its members. */
import { UnauthorizedError } from "@orgplane/client"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { addMember, call, makeControlPlane, makeWorkspace, signIn, withServices } from "../harness.ts"

const plane = await makeControlPlane({
  workers: false,
  authenticator: (request) => {
    const subject = request.headers.get("x-person")
    return Promise.resolve(
      subject === null || subject === "nobody"
        ? null
        : { subject, email: `${subject}@example.com`, emailVerified: true, name: subject }
    )
  }
})
const owner = await makeWorkspace(plane)

describe("sessions", () => {
  it("lists the user's live sessions across organizations and marks the current one", async () => {
    const person = await makeWorkspace(plane, "Sessions")
    const [other, over, signedOut] = [
      await signIn(plane, person.userId, null),
      await signIn(plane, person.userId, null, { lifetimeSeconds: 0 }),
      await signIn(plane, person.userId, null)
    ]
    await person.client.sessions.revoke(signedOut.id)
    const { items } = await person.client.sessions.list()
    expect(items.map(({ id }) => id)).toContain(other.id)
    expect(items.map(({ id }) => id)).not.toContain(over.id)
    expect(items.map(({ id }) => id)).not.toContain(signedOut.id)
    expect(items).toHaveLength(2)
    expect(items.map(({ current, kind, organizationId }) => [current, kind, organizationId])).toEqual([
      [false, "email", null],
      [true, "seed", person.organizationId]
    ])
    expect(items.every(({ userId }) => userId === person.userId)).toBe(true)
    expect(JSON.stringify(items)).not.toContain(person.token)
  })

  it("rejects a revoked session from the next request on, and lets only its user revoke it", async () => {
    const other = await signIn(plane, owner.userId, owner.organizationId)
    const ask = () => call(plane, other.token)("GET", "/v1/organization")
    expect((await ask()).status).toBe(200)
    const admin = await addMember(plane, owner, "admin")
    const foreign = await admin.call("DELETE", `/v1/sessions/${other.id}`)
    const missing = await admin.call("DELETE", `/v1/sessions/${makeId("ses")}`)
    expect([foreign.status, foreign.text]).toEqual([404, missing.text])
    expect((await ask()).status).toBe(200)
    const revoke = () => owner.call("DELETE", `/v1/sessions/${other.id}`)
    expect([(await revoke()).status, (await ask()).status, (await revoke()).status]).toEqual([204, 401, 404])
    expect((await owner.call("GET", "/v1/organization")).status).toBe(200)
  })

  it("revokes a session once for concurrent requests", async () => {
    const other = await signIn(plane, owner.userId, owner.organizationId)
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => owner.call("DELETE", `/v1/sessions/${other.id}`))
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 7 }, () => 404)])
  })

  it("signs out the current session", async () => {
    const person = await addMember(plane, owner, "member")
    await person.client.sessions.revokeCurrent()
    await expect(person.client.organizations.get()).rejects.toBeInstanceOf(UnauthorizedError)
    expect((await person.call("DELETE", "/v1/sessions/current")).status).toBe(401)
  })

  it("rejects an expired session", async () => {
    const other = await signIn(plane, owner.userId, owner.organizationId)
    const ask = () => call(plane, other.token)("GET", "/v1/members")
    await withServices(
      plane,
      Effect.flatMap(SqlDatabase, (sql) => sql`UPDATE sessions SET expires_at = now() WHERE id = ${other.id}`)
    )
    expect((await ask()).status).toBe(401)
  })

  it("selects the active organization for new sessions, or requires a choice", async () => {
    const both = await addMember(plane, owner, "member")
    const second = await makeWorkspace(plane, "Second")
    await withServices(
      plane,
      Effect.flatMap(
        SqlDatabase,
        (sql) => sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
          VALUES (${second.organizationId}, ${makeId("om")}, ${both.userId}, 'member', now(), now())`
      )
    )
    const at = async (token: string, organization?: string) => {
      const headers: Record<string, string> = organization === undefined ? {} : { "x-organization-id": organization }
      const response = await call(plane, token)("GET", "/v1/organization", undefined, headers)
      return response.body.organization?.id ?? response.body.error
    }
    expect(await at(both.token)).toBe(owner.organizationId)
    expect(await at(both.token, second.organizationId)).toBe(second.organizationId)
    const free = await signIn(plane, both.userId, null)
    expect(await at(free.token)).toBe("organization_not_found")
    expect(await at(free.token, owner.organizationId)).toBe(owner.organizationId)
    expect(await at(free.token, second.organizationId)).toBe(second.organizationId)
    expect(await at(free.token, makeId("org"))).toBe("organization_not_found")
    // The user's own data needs no organization.
    expect((await call(plane, free.token)("GET", "/v1/sessions")).status).toBe(200)
  })

  it("lets users of the host application have no sessions here", async () => {
    const ask = (method: string, path: string, person: string) =>
      call(plane)(method, path, undefined, { "x-person": person })
    expect((await ask("GET", "/v1/sessions", "hana")).body.items).toEqual([])
    expect((await ask("DELETE", "/v1/sessions/current", "hana")).status).toBe(204)
    expect((await ask("GET", "/v1/sessions", "hana")).status).toBe(200)
    expect((await ask("GET", "/v1/sessions", "nobody")).status).toBe(401)
    // An invalid credential of ours is not replaced by the host's.
    const both = await call(plane, "ops_bad")("GET", "/v1/sessions", undefined, { "x-person": "hana" })
    expect(both.status).toBe(401)
  })
})

describe("the organization", () => {
  it("is visible to its members only", async () => {
    const member = await addMember(plane, owner, "member")
    for (const person of [owner, member]) {
      const { body, headers } = await person.call("GET", "/v1/organization")
      expect(body.organization).toMatchObject({
        id: owner.organizationId,
        name: "Acme",
        plan: "enterprise",
        provisional: false,
        provisionalExpiresAt: null
      })
      expect(headers.get("etag")).toBe('"1"')
    }
  })

  it("is not found after its deletion", async () => {
    const person = await makeWorkspace(plane, "Deleted")
    await withServices(
      plane,
      Effect.flatMap(
        SqlDatabase,
        (sql) => sql`UPDATE organizations SET deleted_at = now() WHERE id = ${person.organizationId}`
      )
    )
    const byMail = await signIn(plane, person.userId, person.organizationId)
    const response = await call(plane, byMail.token)("GET", "/v1/organization")
    expect([response.status, response.text]).toEqual([404, '{"error":"organization_not_found"}'])
    // A session that was created for the organization ends with it.
    expect((await person.call("GET", "/v1/organization")).status).toBe(401)
  })
})

describe("members", () => {
  it("are found by role and by part of a name or email address, without former members", async () => {
    const boss = await makeWorkspace(plane, "People")
    const [admin, member, left] = [
      await addMember(plane, boss, "admin"),
      await addMember(plane, boss, "member"),
      await addMember(plane, boss, "member")
    ]
    await withServices(
      plane,
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        yield* sql`UPDATE memberships SET removed_at = now() WHERE id = ${left.membershipId}`
        yield* sql`UPDATE users SET email = 'Ada.L@Example.com', name = 'Ada' WHERE id = ${admin.userId}`
        yield* sql`INSERT INTO user_subjects (subject, user_id, email)
          VALUES (${`subject of ${member.userId}`}, ${member.userId}, 'host_person@example.com')`
      })
    )
    const ids = async (query: string) =>
      (await boss.call("GET", `/v1/members?${query}`)).body.items.map(({ id }: { id: string }) => id)
    expect(await ids("")).toEqual([member.membershipId, admin.membershipId, boss.membershipId])
    expect(await ids("role=admin")).toEqual([admin.membershipId])
    expect(await ids("role=nothing")).toEqual([])
    expect(await ids("q=ada.l")).toEqual([admin.membershipId])
    expect(await ids("q=a%25l")).toEqual([])
    // By the shown email address, regardless of who reports it.
    expect(await ids("q=host_person")).toEqual([member.membershipId])
    expect(await ids("q=Demo")).toEqual([boss.membershipId])
    expect((await boss.call("GET", `/v1/members/${left.membershipId}`)).status).toBe(404)
    const one = (await boss.call("GET", `/v1/members/${member.membershipId}`)).body.member
    expect(one).toMatchObject({
      id: member.membershipId,
      userId: member.userId,
      role: "member",
      email: "host_person@example.com"
    })
  })

  it("see each other and no one in other organizations", async () => {
    const [one, two] = [await makeWorkspace(plane, "One"), await makeWorkspace(plane, "Two")]
    const member = await addMember(plane, one, "member")
    expect((await member.call("GET", "/v1/members")).body.items).toHaveLength(2)
    const foreign = await member.call("GET", `/v1/members/${two.membershipId}`)
    const missing = await member.call("GET", `/v1/members/${makeId("om")}`)
    expect([foreign.status, foreign.text]).toEqual([404, missing.text])
  })
})
