/** Configuration as code: the limits of comparisons and of waiting requests, and large documents. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { engine, makeControlPlane, makeWorkspace, runSql, type Workspace } from "../harness.ts"
import { actions, applied, emailOf, exported, planned } from "./configuration.fixture.ts"

const plane = await makeControlPlane({ workers: false })

const shared = async (owner: Workspace) =>
  (await owner.call("POST", "/v1/marketplaces", { name: "Shared" })).body.item as { readonly id: string }

/** Adds members without email addresses. */
const addMembers = ({ organizationId }: Workspace, count: number) => {
  const prefix = organizationId.slice(-8)
  return runSql(plane, (sql) =>
    Effect.andThen(
      sql`INSERT INTO users (id, name, created_at, updated_at)
        SELECT 'usr_' || ${prefix} || lpad(i::text, 18, '0'), 'A member', now(), now() FROM generate_series(1, ${count}::int) i`,
      sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
        SELECT ${organizationId}, 'om_' || ${prefix} || lpad(i::text, 18, '0'), 'usr_' || ${prefix} || lpad(i::text, 18, '0'),
          'member', now(), now() FROM generate_series(1, ${count}::int) i`
    )
  )
}

/** Adds plugins to a marketplace. */
const addPlugins = ({ organizationId }: Workspace, marketplaceId: string, count: number) =>
  runSql(plane, (sql) =>
    Effect.andThen(
      sql`INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
        SELECT ${organizationId}, 'plg_' || lpad(i::text, 26, '0'), 'Plugin ' || i, now(), now()
        FROM generate_series(1, ${count}::int) i`,
      sql`INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
        SELECT ${organizationId}, 'mkp_' || lpad(i::text, 26, '0'), ${marketplaceId}, 'plg_' || lpad(i::text, 26, '0'), now()
        FROM generate_series(1, ${count}::int) i`
    )
  )

describe("the effects on access", () => {
  it("are not computed for more than 5 million combinations of objects and members, and the apply is made", async () => {
    const owner = await makeWorkspace(plane)
    const { id } = await shared(owner)
    await addMembers(owner, 2500)
    await addPlugins(owner, id, 2001)
    const document = { marketplaces: [{ key: "shared", name: "Shared", access: [{ everyone: true, role: "viewer" }] }] }
    const plan = await planned(owner, document)
    expect([plan.effects.access, plan.effects.notComputed.access]).toEqual([null, "too_much"])
    await applied(owner, document, plan.planDigest)
    expect((await exported(owner, "marketplaces")).marketplaces[0].access).toHaveLength(1)
  })

  it("are not computed for more than 200,000 grants to members, and the apply is made", async () => {
    const owner = await makeWorkspace(plane)
    await addMembers(owner, 2000)
    await applied(owner, { teams: [{ key: "all", name: "All" }] })
    const email = await emailOf(plane, owner)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO team_members (organization_id, team_id, membership_id)
      SELECT ${owner.organizationId}, t.id, m.id FROM teams t
      JOIN memberships m ON m.organization_id = t.organization_id AND m.role = 'member'
      WHERE t.organization_id = ${owner.organizationId}`
    )
    const access = [{ team: "all", role: "viewer" }]
    const marketplaces = Array.from({ length: 101 }, (_, index) => ({ key: `m${index}`, name: `M ${index}`, access }))
    const teams = [{ key: "all", name: "All" }]
    expect((await applied(owner, { teams, marketplaces })).effects.notComputed.access).toBe("too_much")
    const { effects, problems } = await planned(owner, { teams: [{ key: "all", name: "All", members: [email] }] })
    expect([problems, effects.access, effects.notComputed.access]).toEqual([[], null, "too_much"])
  })
})

describe("a plan of a large document", () => {
  it("does not delay other requests while it is compared", async () => {
    const owner = await makeWorkspace(plane)
    const other = await makeWorkspace(plane)
    const members = Array.from({ length: 400 }, (_, index) => `member-${index}@people.example`)
    // Every member is a problem, so no change is made: between reading the state and the response, the plan only computes.
    const teams = Array.from({ length: 240 }, (_, index) => ({ key: `t${index}`, name: `Team ${index}`, members }))
    const document = { version: 1, teams }
    // The first requests of a process are slow.
    for (let index = 0; index < 300; index += 1) await other.call("GET", "/v1/organization")
    const state = { isPlanned: false }
    const plan = owner.call("POST", "/v1/configuration/plan", { document }).finally(() => {
      state.isPlanned = true
    })
    let answered = 0
    while (!state.isPlanned) {
      expect((await other.call("GET", "/v1/organization")).status).toBe(200)
      answered += 1
    }
    expect((await plan).body.plan.problems).toHaveLength(100)
    // With pauses between the objects, 26 to more than 100; without, 10.
    expect(answered).toBeGreaterThan(15)
  })
})

describe("waiting plans", () => {
  it.skipIf(engine === "pglite")("are at most 64 in a process; others fail at once", async () => {
    const owner = await makeWorkspace(plane)
    const document = { version: 1, teams: [{ key: "a", name: "A" }] }
    const send = () => owner.call("POST", "/v1/configuration/plan", { document })
    const waiting: Array<ReturnType<typeof send>> = []
    await runSql(plane, (sql) =>
      sql.withTransaction(
        Effect.andThen(
          sql`LOCK TABLE configuration_keys IN ACCESS EXCLUSIVE MODE`,
          Effect.promise(async () => {
            const refused: Array<number> = []
            while (refused.length === 0) {
              const request = send()
              waiting.push(request)
              // One that waits has no response before the lock ends.
              const first = await Promise.race([request, owner.call("GET", "/v1/me").then(() => undefined)])
              if (first === undefined) continue
              expect([first.status, first.body.error]).toEqual([503, "configuration_busy"])
              refused.push(waiting.length)
            }
            expect(refused).toEqual([65])
          })
        )
      )
    )
    const plans = (await Promise.all(waiting)).filter(({ status }) => status === 200)
    expect(plans).toHaveLength(64)
    expect(actions(plans[63]?.body.plan)).toEqual(["create teams a"])
  })
})
