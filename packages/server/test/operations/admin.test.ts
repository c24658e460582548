import { AdminMetrics } from "@orgplane/schema/admin"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeTeam,
  makeWorkspace,
  type Person,
  platformAdmin,
  runSql,
  signIn,
  signInByEmail,
  type Workspace
} from "../harness.ts"
import { counted, dayAfter, dayOf, type Happened, putEvents } from "../agents/telemetry-analytics.fixture.ts"

const plane = await makeControlPlane()
let root: Person
beforeAll(async () => {
  root = await signInByEmail(plane, platformAdmin)
})

const metricsOf = async (person: Person, headers?: Record<string, string>) => {
  const response = await person.call("GET", "/v1/admin/metrics", undefined, headers)
  expect([response.status, Object.keys(response.body)]).toEqual([200, ["summary", "generatedAt"]])
  return response.body.summary as typeof AdminMetrics.Type
}

/** Invariants of every summary. */
const expectIdentities = (of: typeof AdminMetrics.Type) => {
  expect(of.usersWithWorkers + of.usersWithoutWorkers).toBe(of.totalUsers)
  expect(of.cloudWorkers + of.localWorkers).toBe(of.totalWorkers)
  expect(of.paidUsers + of.unpaidUsers + of.billingUnavailableUsers).toBe(of.totalUsers)
  expect(of.billingLoaded).toBe(false)
  const grows = (...figures: ReadonlyArray<number>) => expect(figures).toEqual(figures.toSorted((a, b) => a - b))
  grows(of.activeUsers1d, of.activeUsers7d, of.activeUsers30d, of.totalUsers)
  grows(of.realActiveUsers1d, of.realActiveUsers7d, of.realActiveUsers30d)
  grows(of.realActiveUsers1d, of.activeUsers1d)
  grows(of.realActiveUsers7d, of.activeUsers7d)
  grows(of.realActiveUsers30d, of.activeUsers30d)
  grows(of.recurringUsers, of.activeUsers30d)
  grows(of.recentUsers7d, of.recentUsers30d, of.totalUsers)
  grows(of.verifiedUsers, of.totalUsers)
  grows(of.adminCount, of.totalUsers)
  grows(of.inviters, of.totalUsers)
  const { activitySeries: series } = of
  expect(series).toHaveLength(30)
  expect(series.at(-1)).toMatchObject({ activeUsers: of.activeUsers1d, realActiveUsers: of.realActiveUsers1d })
  expect(series.reduce((all, { signups }) => all + signups, 0)).toBe(of.recentUsers30d)
  for (const [index, { activeUsers, day, realActiveUsers }] of series.entries()) {
    expect(day).toBe(dayAfter(series[0]?.day ?? "", index))
    grows(realActiveUsers, activeUsers, of.activeUsers30d)
  }
}

interface Story {
  /** How many days ago each user joined, was verified, became an admin, left. */
  readonly people: ReadonlyArray<{
    readonly joined: number
    readonly verified: boolean
    readonly admin: boolean
    readonly gone: boolean
    readonly invited: ReadonlyArray<number>
    readonly workers: ReadonlyArray<"local" | "cloud" | "removed">
    readonly sessions: ReadonlyArray<number>
    readonly changes: ReadonlyArray<readonly [daysAgo: number, late: boolean]>
    readonly events: ReadonlyArray<readonly [daysAgo: number, late: boolean, isTask: boolean]>
  }>
}

const ago = fc.nat(33)
const story: fc.Arbitrary<Story> = fc.record({
  people: fc.array(
    fc.record({
      joined: fc.nat(40),
      verified: fc.boolean(),
      admin: fc.boolean(),
      gone: fc.nat(4).map((n) => n === 0),
      invited: fc.array(fc.nat(35), { maxLength: 2 }),
      workers: fc.array(fc.constantFrom("local" as const, "cloud" as const, "removed" as const), { maxLength: 2 }),
      sessions: fc.array(ago, { maxLength: 3 }),
      changes: fc.array(fc.tuple(ago, fc.boolean()), { maxLength: 2 }),
      events: fc.array(fc.tuple(ago, fc.boolean(), fc.boolean()), { maxLength: 3 })
    }),
    { minLength: 1, maxLength: 5 }
  )
})

const momentOf = (today: string, daysAgo: number, late: boolean) =>
  `${dayAfter(today, -daysAgo)}T${late && daysAgo > 0 ? "23:59:59.999" : "00:00:00.000"}Z`

/** Writes a story directly to the database, because it is in the past. */
const live = async (
  owner: Workspace,
  people: ReadonlyArray<Workspace>,
  today: string,
  { people: storyPeople }: Story
) => {
  const { organizationId } = owner
  const events: Array<Happened> = []
  for (const [index, of] of storyPeople.entries()) {
    const person = people[index]
    if (person === undefined) continue
    const joined = momentOf(today, of.joined, true)
    await runSql(plane, (sql) =>
      Effect.gen(function* () {
        yield* sql`UPDATE memberships SET created_at = ${joined}::text::timestamptz, role = ${of.admin ? "admin" : "member"},
            removed_at = CASE WHEN ${of.gone} THEN now() END
          WHERE organization_id = ${organizationId} AND id = ${person.membershipId}`
        yield* sql`UPDATE users SET email = ${`${person.userId}@example.com`}, email_verified = ${of.verified}
          WHERE id = ${person.userId}`
        for (const days of of.invited) {
          const id = makeId("inv")
          yield* sql`INSERT INTO invitations (organization_id, id, email, role, team_ids_json, token_digest,
              created_by_membership_id, created_at, expires_at)
            VALUES (${organizationId}, ${id}, ${id}, 'member', '[]', ${new TextEncoder().encode(id)},
              ${person.membershipId}, ${momentOf(today, days, true)}::text::timestamptz, now())`
        }
        for (const kind of of.workers) {
          yield* sql`INSERT INTO workers (organization_id, id, name, destination, status, created_by_membership_id,
              created_by_user_id, created_at, updated_at, removed_at)
            VALUES (${organizationId}, ${makeId("wrk")}, 'A worker', ${kind === "cloud" ? "cloud" : "local"}, 'healthy',
              ${person.membershipId}, ${person.userId}, now(), now(), CASE WHEN ${kind === "removed"} THEN now() END)`
        }
        for (const days of of.sessions) {
          yield* sql`INSERT INTO activity_days (organization_id, day, user_id, is_real, by_app, by_worker)
            VALUES (${organizationId}, ${dayAfter(today, -days)}::text::date, ${person.userId}, false, false, false)
            ON CONFLICT DO NOTHING`
        }
        for (const [days, late] of of.changes) {
          yield* sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, created_at)
            VALUES (${makeId("aud")}, ${organizationId}, 'plugin.create', 'session', ${person.membershipId},
              ${momentOf(today, days, late)}::text::timestamptz)`
        }
      })
    )
    for (const [days, late, isTask] of of.events) {
      events.push({
        at: momentOf(today, days, late),
        type: isTask ? "task.started" : "session.started",
        source: "app",
        person,
        durationMs: null,
        success: null,
        dimensions: null
      })
    }
  }
  await putEvents(plane, owner, events)
}

/** The expected metrics of a story. */
const figuresOf = ({ people }: Story) => {
  const there = people.filter(({ gone }) => !gone)
  const daysOf = (of: Story["people"][number]) =>
    new Set([...of.sessions, ...of.changes.map(([days]) => days), ...of.events.map(([days]) => days)])
  const realOf = (of: Story["people"][number]) =>
    new Set([...of.changes.map(([days]) => days), ...of.events.flatMap(([days, , isTask]) => (isTask ? [days] : []))])
  const within = (days: ReadonlySet<number>, width: number) => [...days].filter((day) => day < width).length
  const count = (is: (of: Story["people"][number]) => boolean) => there.filter(is).length
  const hours = there
    .flatMap((of) => {
      // Only days since they joined; the first is the earliest.
      const since = of.invited.filter((days) => days <= of.joined)
      if (since.length === 0) return []
      const first = Math.max(...since)
      const late = (days: number) => (days > 0 ? 86_399_999 : 0)
      return [(of.joined - first) * 24 + (late(first) - late(of.joined)) / 3_600_000]
    })
    .filter((hours) => hours >= 0)
    .toSorted((a, b) => a - b)
  const [low, high] = [hours[Math.floor((hours.length - 1) / 2)], hours[Math.floor(hours.length / 2)]]
  return {
    totalUsers: there.length,
    verifiedUsers: count(({ verified }) => verified),
    recentUsers7d: count(({ joined }) => joined < 7),
    recentUsers30d: count(({ joined }) => joined < 30),
    adminCount: count(({ admin }) => admin),
    usersWithWorkers: count(({ workers }) => workers.some((kind) => kind !== "removed")),
    totalWorkers: people.flatMap(({ workers }) => workers).filter((kind) => kind !== "removed").length,
    cloudWorkers: people.flatMap(({ workers }) => workers).filter((kind) => kind === "cloud").length,
    activeUsers1d: count((of) => within(daysOf(of), 1) > 0),
    activeUsers7d: count((of) => within(daysOf(of), 7) > 0),
    activeUsers30d: count((of) => within(daysOf(of), 30) > 0),
    realActiveUsers1d: count((of) => within(realOf(of), 1) > 0),
    realActiveUsers7d: count((of) => within(realOf(of), 7) > 0),
    realActiveUsers30d: count((of) => within(realOf(of), 30) > 0),
    recurringUsers: count((of) => within(daysOf(of), 30) > 1),
    inviters: count(({ invited }) => invited.some((days) => days < 30)),
    medianHoursToFirstInvite: low === undefined || high === undefined ? null : expect.closeTo((low + high) / 2, 1),
    activitySeries: Array.from({ length: 30 }, (_, index) => 29 - index).map((days) =>
      expect.objectContaining({
        activeUsers: count((of) => daysOf(of).has(days)),
        realActiveUsers: count((of) => realOf(of).has(days)),
        signups: count(({ joined }) => joined === days)
      })
    )
  }
}

describe("admin.metrics", () => {
  it("returns consistent metrics of what happened", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(story, async (story) => {
        const owner = await makeWorkspace(plane)
        const people = await Promise.all(story.people.map(() => addMember(plane, owner, "member")))
        const today = dayOf(new Date().toISOString())
        await live(owner, people, today, story)
        // The caller is not in the story, so it uses an API key, which has no active days.
        const key = await makeKey(plane, owner, ["analytics:read"])
        await counted({ ...owner, call: key.call })
        await runSql(plane, (sql) =>
          Effect.andThen(
            sql`UPDATE memberships SET removed_at = now() WHERE organization_id = ${owner.organizationId}
              AND id = ${owner.membershipId}`,
            sql`SELECT 1 AS one`
          )
        )
        const metrics = await metricsOf({ ...owner, call: key.call })
        expectIdentities(metrics)
        if (dayOf(new Date().toISOString()) !== today) return
        expect(metrics).toMatchObject({ ...figuresOf(story), totalOrganizations: 1 })
      }),
      { numRuns: 12 }
    )
  })

  it("counts a request with a session as an active day, a change as a real one, and API keys not at all", async () => {
    const owner = await makeWorkspace(plane)
    const [reader, writer] = [await addMember(plane, owner, "member"), await addMember(plane, owner, "member")]
    const key = await makeKey(plane, owner, ["analytics:read"])
    const before = await metricsOf({ ...owner, call: key.call })
    expect([before.activeUsers1d, before.totalUsers]).toEqual([1, 3])
    await reader.call("GET", "/v1/plugins")
    await reader.call("GET", "/v1/no-such-thing")
    expect((await writer.call("POST", "/v1/plugins", { name: "A plugin" })).status).toBe(201)
    await counted({ ...owner, call: key.call })
    const after = await metricsOf({ ...owner, call: key.call })
    // The owner created an API key.
    expect([after.activeUsers1d, after.realActiveUsers1d]).toEqual([3, 2])
    expectIdentities(after)
  })

  it("covers the caller's organization, or the installation for a platform administrator without one", async () => {
    const owner = await makeWorkspace(plane)
    const other = await makeWorkspace(plane)
    await addMember(plane, other, "member")
    const all = await metricsOf(root)
    expectIdentities(all)
    expect(all.totalOrganizations).toBeGreaterThanOrEqual(2)
    expect(all.totalUsers).toBeGreaterThanOrEqual(4)
    // The number according to the database.
    const [right] = await runSql(
      plane,
      (sql) => sql<{ users: number; organizations: number; workers: number }>`SELECT
        (SELECT count(*)::int FROM users WHERE deleted_at IS NULL) AS users,
        (SELECT count(*)::int FROM organizations WHERE deleted_at IS NULL) AS organizations,
        (SELECT count(*)::int FROM workers WHERE removed_at IS NULL) AS workers`
    )
    expect([all.totalUsers, all.totalOrganizations, all.totalWorkers]).toEqual([
      right?.users,
      right?.organizations,
      right?.workers
    ])
    expect((await metricsOf(owner)).totalUsers).toBe(1)
    const named = { "x-organization-id": owner.organizationId }
    expect((await root.call("GET", "/v1/admin/metrics", undefined, named)).status).toBe(404)
    const member = await addMember(plane, owner, "member")
    expect((await member.call("GET", "/v1/admin/metrics")).body).toMatchObject({ reason: "permission_required" })
    expect((await call(plane)("GET", "/v1/admin/metrics")).status).toBe(401)
    // As a member of it, too.
    const asMember = await signIn(plane, owner.userId, owner.organizationId)
    expect(
      (await call(plane, asMember.token)("GET", "/v1/admin/metrics", undefined, named)).body.summary.totalUsers
    ).toBe(2)
    Schema.decodeUnknownSync(AdminMetrics)(all)
  })
})

describe("the metrics of the installation", () => {
  it("do not count a user as an administrator after their membership ended", async () => {
    const owner = await makeWorkspace(plane)
    const before = await metricsOf(root)
    const admin = await addMember(plane, owner, "admin")
    expect((await metricsOf(root)).adminCount).toBe(before.adminCount + 1)
    expect((await owner.call("DELETE", `/v1/members/${admin.membershipId}`)).status).toBe(204)
    const after = await metricsOf(root)
    expect([after.adminCount, after.totalUsers]).toEqual([before.adminCount, before.totalUsers + 1])
  })
})

describe("admin.overview", () => {
  it("counts existing items, and lists what requires attention", async () => {
    const owner = await makeWorkspace(plane)
    const empty = (await owner.call("GET", "/v1/admin/overview")).body.overview
    expect(empty).toMatchObject({ members: 1, admins: 1, plugins: 0, pendingInvitations: 0, syncsInTrouble: 0 })
    await makeTeam(owner, [await addMember(plane, owner, "member")])
    await owner.call("POST", "/v1/plugins", { name: "One" })
    await owner.call("POST", "/v1/invitations", { email: "ada@example.com", role: "member" })
    await owner.call("POST", "/v1/mcp-connections", {
      name: "Waits for its key",
      url: "https://mcp.example/mcp",
      authType: "apikey",
      credentialMode: "shared"
    })
    const { overview } = (await owner.call("GET", "/v1/admin/overview")).body
    expect(overview).toMatchObject({
      members: 2,
      admins: 1,
      teams: 1,
      plugins: 1,
      mcpConnections: 1,
      pendingInvitations: 1,
      connectionsNeedingAttention: 1,
      connectionTroubles: [{ name: "Waits for its key", reason: "not_connected" }]
    })
    expect(overview.recentChanges[0].action).toBe("mcp_connection.create")
    const other = await makeWorkspace(plane)
    expect((await other.call("GET", "/v1/admin/overview")).body.overview.plugins).toBe(0)
  })
})

describe("admin.platform", () => {
  it("tells a user whether they are a platform administrator", async () => {
    const owner = await makeWorkspace(plane)
    expect((await root.call("GET", "/v1/me")).body.user.isPlatformAdministrator).toBe(true)
    expect((await owner.call("GET", "/v1/me")).body.user.isPlatformAdministrator).toBe(false)
  })

  it("lists users and organizations to platform administrators only", async () => {
    const owner = await makeWorkspace(plane, "A name that is found")
    const organizationResponse = await root.call("GET", "/v1/admin/platform/organizations?q=THAT%20is%20found")
    expect(organizationResponse.body.items).toMatchObject([
      { id: owner.organizationId, memberCount: 1, plan: "enterprise" }
    ])
    const users = await root.call("GET", `/v1/admin/platform/users?q=${platformAdmin}`)
    expect(users.body.items).toMatchObject([{ email: platformAdmin, organizations: 0 }])
    const first = await root.call("GET", "/v1/admin/platform/users?limit=1")
    const next = await root.call("GET", `/v1/admin/platform/users?limit=1&cursor=${first.body.nextCursor}`)
    expect(next.body.items[0].id < first.body.items[0].id).toBe(true)
    for (const path of ["users", "organizations"]) {
      expect((await owner.call("GET", `/v1/admin/platform/${path}`)).body).toMatchObject({
        reason: "permission_required"
      })
    }
    expect(
      (await owner.call("PATCH", `/v1/admin/platform/organizations/${owner.organizationId}`, { plan: "x" })).status
    ).toBe(403)
  })

  it("changes a plan, which applies to the next request and is in the platform's audit log", async () => {
    const owner = await makeWorkspace(plane)
    const key = await makeKey(plane, owner, ["analytics:read"])
    const asks = async () => [
      (await owner.call("GET", "/v1/telemetry/analytics")).status,
      (await key.call("GET", "/v1/telemetry/analytics")).status
    ]
    expect(await asks()).toEqual([200, 200])
    const path = `/v1/admin/platform/organizations/${owner.organizationId}`
    const changed = await root.call("PATCH", path, { plan: "team" })
    expect(changed.body.organization).toMatchObject({ id: owner.organizationId, plan: "team" })
    expect(await asks()).toEqual([402, 402])
    await root.call("PATCH", path, { plan: "team" })
    await root.call("PATCH", path, { plan: "enterprise" })
    expect(await asks()).toEqual([200, 200])
    const rows = await runSql(
      plane,
      (sql) => sql<{
        organization_id: string | null
        actor_kind: string
        plans: string
      }>`SELECT organization_id, actor_kind,
          concat(before_json ->> 'plan', '>', after_json ->> 'plan') AS plans
        FROM audit_events WHERE target_id = ${owner.organizationId} AND action = 'platform.update_plan' ORDER BY id`
    )
    expect(rows).toEqual(
      ["enterprise>team", "team>team", "team>enterprise"].map((plans) => ({
        organization_id: null,
        actor_kind: "platform",
        plans
      }))
    )
    expect(
      (await root.call("PATCH", `/v1/admin/platform/organizations/${makeId("org")}`, { plan: "team" })).status
    ).toBe(404)
    for (const plan of ["", "With Spaces", "x".repeat(65), null]) {
      expect((await root.call("PATCH", path, { plan })).status).toBe(400)
    }
  })
})
