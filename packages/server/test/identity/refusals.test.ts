/** Refused requests in the audit log: counted by principal and reason, and written together. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { Refusals } from "../../src/infra/audit/refusals.ts"
import type { Id } from "@orgplane/schema/shared/ids"
import {
  addMember,
  call,
  emailTo,
  makeControlPlane,
  makeKey,
  makeScimToken,
  makeWorkspace,
  type Person,
  runSql,
  signInByEmail,
  someAddress,
  type TestPlane,
  withServices
} from "../harness.ts"

const metricsToken = "the token of the metrics"
const plane = await makeControlPlane({ metricsToken })

/** The number of refusals that were dropped. */
const lost = async () => {
  const { text } = await call(plane, metricsToken)("GET", "/v1/metrics")
  return Number(/^orgplane_refusals_lost_total (\d+)/mu.exec(text)?.[1] ?? 0)
}

const flush = (of: TestPlane = plane) =>
  withServices(
    of,
    Effect.flatMap(Refusals, (refusals) => refusals.flush)
  )

interface Recorded {
  readonly actor_kind: string
  readonly actor_id: string | null
  readonly credential_id: string | null
  readonly address: string | null
  readonly after: {
    readonly reason: string
    readonly count: number
    readonly operations: ReadonlyArray<string>
    readonly firstAt: string
    readonly lastAt: string
  }
}

const recorded = (organizationId: string, of: TestPlane = plane): Promise<ReadonlyArray<Recorded>> =>
  runSql(
    of,
    (sql) => sql<Recorded>`SELECT actor_kind, actor_id, credential_id, address, after_json AS after FROM audit_events
      WHERE organization_id = ${organizationId} AND action = 'access.refuse' ORDER BY after_json->>'reason', id`
  )

const all = (of: TestPlane = plane) =>
  runSql(
    of,
    (sql) => sql<{ count: number }>`SELECT count(*)::int AS count FROM audit_events WHERE action = 'access.refuse'`
  ).then(([row]) => row?.count)

const refuse = async (person: Pick<Person, "call">, path: string, body: object, status = 403) => {
  const response = await person.call("POST", path, body)
  expect([path, response.status]).toEqual([path, status])
  return response
}

describe("requests that lack a permission", () => {
  it("are one event per member and reason, with the number of requests and their operations", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    await refuse(member, "/v1/teams", { name: "Platform" })
    await refuse(member, "/v1/teams", { name: "Platform" })
    await refuse(member, "/v1/roles", { name: "Reviewer", permissions: [] })
    expect(await recorded(owner.organizationId)).toEqual([])
    await flush()
    const [event, ...others] = await recorded(owner.organizationId)
    expect(others).toEqual([])
    expect(event).toMatchObject({
      actor_kind: "session",
      actor_id: member.membershipId,
      after: { reason: "permission_required", count: 3, operations: ["roles.create", "teams.create"] }
    })
    expect(Date.parse(event?.after.firstAt ?? "")).toBeLessThanOrEqual(Date.parse(event?.after.lastAt ?? ""))
    await flush()
    expect(await recorded(owner.organizationId)).toHaveLength(1)
  })

  it("are events for readers of the audit log, in this organization only", async () => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    await refuse(member, "/v1/teams", { name: "Platform" })
    await flush()
    const events = async (person: Person) =>
      (await person.call("GET", "/v1/events?types=access.refuse")).body.items as ReadonlyArray<{
        readonly actor: object
      }>
    await expect.poll(() => events(owner)).toHaveLength(1)
    expect((await events(owner))[0]).toMatchObject({
      type: "access.refuse",
      actor: { kind: "session", id: member.membershipId },
      object: null,
      after: { reason: "permission_required", count: 1 }
    })
    expect(await events(stranger)).toEqual([])
    const reader = await makeKey(plane, owner, ["events:read", "teams:read"])
    expect((await reader.call("GET", "/v1/events?types=access.refuse")).body.items ?? []).toEqual([])
    expect((await owner.call("POST", "/v1/audit-events/verify", {})).body.verification).toMatchObject({
      valid: true
    })
  })

  it("do not make a member active", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    await refuse(member, "/v1/teams", { name: "Platform" })
    await flush()
    const days = () =>
      runSql(
        plane,
        (sql) => sql`SELECT is_real FROM activity_days
          WHERE organization_id = ${owner.organizationId} AND user_id = ${member.userId} AND is_real`
      )
    // A later change is summed after the refusal.
    await owner.client.plugins.create({ name: "Reviewer" })
    const ownerDays = () =>
      runSql(
        plane,
        (sql) => sql`SELECT is_real FROM activity_days
          WHERE organization_id = ${owner.organizationId} AND user_id = ${owner.userId} AND is_real`
      )
    await expect.poll(ownerDays, { timeout: 20_000 }).toHaveLength(1)
    expect(await days()).toEqual([])
  })
})

describe("credentials", () => {
  it("that were revoked are recorded with their principal, and those that never existed are not", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["plugins:read"])
    await owner.call("DELETE", `/v1/api-keys/${key.id}`)
    for (let time = 0; time < 3; time += 1) expect((await key.call("GET", "/v1/plugins")).status).toBe(401)
    const directory = await makeScimToken(plane, owner)
    await runSql(plane, (sql) => sql`UPDATE scim_tokens SET expires_at = now() WHERE id = ${directory.tokenId}`)
    const scim = () => call(plane, directory.token, someAddress())("GET", "/v1/scim/v2/Users")
    expect((await scim()).status).toBe(401)
    await flush()
    const events = await recorded(owner.organizationId)
    expect(events).toMatchObject([
      {
        actor_kind: "directory",
        actor_id: directory.directoryId,
        credential_id: directory.tokenId,
        after: { reason: "credential_expired", count: 1 }
      },
      { actor_kind: "key", actor_id: key.id, after: { reason: "credential_revoked", count: 3 } }
    ])
    expect(JSON.stringify(events)).not.toContain(key.key)

    const before = await all()
    const invented = key.key.replace(/.{6}$/u, "000000")
    expect((await call(plane, undefined, someAddress())("GET", "/v1/plugins")).status).toBe(401)
    const from = call(plane, undefined, someAddress())
    expect((await from("GET", "/v1/plugins", undefined, { "x-api-key": invented })).status).toBe(401)
    await flush()
    expect(await all()).toBe(before)
  })

  it("that exceed their rate limit add one event", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["plugins:read"], { requestsPerMinute: 60 })
    const statuses = await Promise.all(Array.from({ length: 80 }, () => key.call("GET", "/v1/plugins")))
    const refused = statuses.filter(({ status }) => status === 429).length
    expect(refused).toBeGreaterThan(0)
    await flush()
    expect(await recorded(owner.organizationId)).toMatchObject([
      { actor_kind: "key", actor_id: key.id, after: { reason: "rate_limited", count: refused } }
    ])
  })

  it("by email with a wrong code are recorded in the organizations of the user, despite many made-up credentials", async () => {
    const owner = await makeWorkspace(plane)
    const email = "ada@refusals.example"
    const { body } = await owner.call("POST", "/v1/invitations", { email, send: false })
    const person = await signInByEmail(plane, email)
    expect((await person.call("POST", "/v1/invitations/accept", { token: body.link.token })).status).toBeLessThan(300)
    // As a single sign-on connection may have stored it.
    await runSql(plane, (sql) => sql`UPDATE users SET email = 'Ada@Refusals.example' WHERE id = ${person.userId}`)
    const lostBefore = await lost()
    await withServices(
      plane,
      Effect.gen(function* () {
        const refusals = yield* Refusals
        const now = yield* Clock.currentTimeMillis
        for (let index = 0; index < 2100; index += 1) {
          refusals.note(
            { kind: "key", tokenDigest: Buffer.from(`invented ${index}`) },
            { reason: "unauthorized", operation: undefined, address: "192.0.2.1", userAgent: null },
            now
          )
        }
      })
    )
    expect(await lost()).toBe(lostBefore + 100)
    const from = call(plane, undefined, someAddress())
    const before = plane.mails.length
    const { challengeId } = (await from("POST", "/v1/sessions/email", { email })).body
    await emailTo(plane, email, before)
    const verify = { challengeId, code: "AAAA2222" }
    expect((await from("POST", "/v1/sessions/email/verify", verify)).status).toBe(400)
    await flush()
    expect(await recorded(owner.organizationId)).toMatchObject([
      { actor_kind: "session", credential_id: null, after: { reason: "code_invalid", count: 1 } }
    ])
  })
})

describe("a sign-in by email", () => {
  it("is an event in each organization of the user", async () => {
    const owners = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const email = "grace@refusals.example"
    const person = await signInByEmail(plane, email)
    for (const owner of owners) {
      const { body } = await owner.call("POST", "/v1/invitations", { email, send: false })
      const accepted = await person.call("POST", "/v1/invitations/accept", { token: body.link.token })
      expect(accepted.status).toBeLessThan(300)
    }
    const { sessionId } = await signInByEmail(plane, email)
    for (const owner of owners) {
      const events = async () =>
        (await owner.call("GET", `/v1/events?types=session.create&objectId=${sessionId}`)).body.items
      await expect
        .poll(events)
        .toMatchObject([{ organizationId: owner.organizationId, after: { userId: person.userId } }])
    }
  })
})

describe("a sign-out", () => {
  it("is an event in each organization that the session was valid for", async () => {
    const owners = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const email = "joan@refusals.example"
    const person = await signInByEmail(plane, email)
    const signOuts = async (owner: (typeof owners)[number], sessionId: string) =>
      (await owner.call("GET", `/v1/events?types=session.revoke&objectId=${sessionId}`)).body.items
    const joined: typeof owners = []
    for (const owner of owners) {
      const { body } = await owner.call("POST", "/v1/invitations", { email, send: false })
      const accepted = await person.call("POST", "/v1/invitations/accept", { token: body.link.token })
      expect(accepted.status).toBeLessThan(300)
      joined.push(owner)
      const session = await signInByEmail(plane, email)
      expect((await session.call("DELETE", "/v1/sessions/current")).status).toBe(204)
      for (const one of joined) {
        await expect
          .poll(() => signOuts(one, session.sessionId))
          .toMatchObject([{ organizationId: one.organizationId, after: { userId: person.userId, kind: "email" } }])
      }
    }
  })
})

describe("pending refusals", () => {
  it("are written when the server stops", async () => {
    const ending = await makeControlPlane()
    const owner = await makeWorkspace(ending)
    const member = await addMember(ending, owner, "member")
    await refuse(member, "/v1/teams", { name: "Platform" })
    await ending.dispose()
    const next = await makeControlPlane({ database: ending.database, workers: false })
    expect(await recorded(owner.organizationId, next)).toMatchObject([{ after: { count: 1 } }])
  })

  it("are bounded for one organization, and none is lost", async () => {
    const owner = await makeWorkspace(plane)
    const count = 250
    await withServices(
      plane,
      Effect.gen(function* () {
        const refusals = yield* Refusals
        const now = yield* Clock.currentTimeMillis
        for (let index = 0; index < count; index += 1) {
          const id = `key_${index}`
          refusals.note(
            { organizationId: owner.organizationId as Id<"org">, kind: "key", id, credential: id },
            { reason: "rate_limited", operation: "plugins.list", address: "192.0.2.1", userAgent: null },
            now
          )
        }
      })
    )
    await flush()
    const events = await recorded(owner.organizationId)
    expect(events).toHaveLength(201)
    expect(events.reduce((sum, { after }) => sum + after.count, 0)).toBe(count)
    expect(events.find(({ actor_kind }) => actor_kind === "anonymous")?.after).toMatchObject({
      reason: "other",
      count: 50
    })
  })
})
