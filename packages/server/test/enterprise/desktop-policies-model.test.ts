import type * as Policies from "@orgplane/schema/desktop-policies"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DesktopPoliciesService } from "../../src/enterprise/desktop-policies/service.ts"
import { makeId } from "../../src/infra/ids.ts"
import { decided, type ModelPolicy, type ModelWorld, policy, settings, sizes, world } from "./desktop-policies-model.ts"
import { makeControlPlane, makeWorkspace, runSql, rowCounts, type Workspace } from "../harness.ts"
import { counted, memberOf } from "../infra/statements.fixture.ts"
import { rowDigests } from "../infra/row-digests.ts"

const plane = await makeControlPlane({ workers: false })

/** Times long ago, so that policies created by tests are newer. */
const moments = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]

interface Lived {
  readonly owner: Workspace
  readonly members: ReadonlyArray<Id<"om">>
  readonly teams: ReadonlyArray<Id<"tem">>
  /** Ordered by id. */
  readonly policies: ReadonlyArray<Id<"dpo">>
}

const bodyOf = ({ settings, members, teams, priority, isEnabled }: ModelPolicy, lived: Lived, name: string) => ({
  policyName: name,
  policy: settings,
  priority,
  isEnabled,
  memberIds: members.map((place) => lived.members[place]),
  teamIds: teams.map((place) => lived.teams[place])
})

/** Stores the model as an organization: its members by SQL, its policies through the API. */
const live = async (world: ModelWorld): Promise<Lived> => {
  const owner = await makeWorkspace(plane)
  const org = owner.organizationId
  const members = world.members.map(() => makeId("om"))
  const teams = Array.from({ length: sizes.teams }, () => makeId("tem"))
  await runSql(plane, (sql) =>
    Effect.gen(function* () {
      for (const id of members) {
        yield* sql`INSERT INTO users (id, created_at, updated_at) VALUES (${`usr${id.slice(2)}`}, now(), now())`
        yield* sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
          VALUES (${org}, ${id}, ${`usr${id.slice(2)}`}, 'member', now(), now())`
      }
      for (const [place, id] of teams.entries()) {
        yield* sql`INSERT INTO teams (organization_id, id, name, created_at, updated_at)
          VALUES (${org}, ${id}, ${`Team ${place}`}, now(), now())`
      }
      for (const [member, theirs] of world.members.entries()) {
        for (const team of theirs) {
          yield* sql`INSERT INTO team_members (organization_id, team_id, membership_id)
            VALUES (${org}, ${teams[team] ?? ""}, ${members[member] ?? ""})`
        }
      }
    })
  )
  const policies: Array<Id<"dpo">> = []
  const lived = { owner, members, teams, policies }
  for (const [place, one] of world.policies.entries()) {
    const response = await owner.call("POST", "/v1/desktop-policies", bodyOf(one, lived, `Policy ${place}`))
    expect([response.status, response.text]).toEqual([201, response.text])
    policies.push(response.body.desktopPolicy.id)
    await runSql(
      plane,
      (sql) => sql`UPDATE desktop_policies SET created_at = ${moments[one.moment] ?? ""}::timestamptz
        WHERE organization_id = ${org} AND id = ${response.body.desktopPolicy.id}`
    )
  }
  return lived
}

type Explained = Policies.SettingExplanation

/** The effective value of each setting for each member. */
const holds = (lived: Lived): Promise<ReadonlyArray<ReadonlyArray<Explained>>> =>
  Promise.all(
    lived.members.map(async (id) => {
      const response = await lived.owner.call("GET", `/v1/members/${id}/desktop-policy?explain=true`)
      const plain = await lived.owner.call("GET", `/v1/members/${id}/desktop-policy`)
      expect(plain.body).toEqual({ desktopPolicy: response.body.desktopPolicy, explanation: null })
      const policy = response.body.desktopPolicy
      for (const { setting, value } of response.body.explanation as ReadonlyArray<Explained>) {
        const shown =
          setting === "onboardingPrompts"
            ? policy.onboardingPrompts.map((prompt: string, index: number) => ({
                prompt,
                description: policy.onboardingPromptDescriptions[index]
              }))
            : policy[setting]
        expect([setting, shown]).toEqual([setting, value])
      }
      return response.body.explanation
    })
  )

type SimulationInput = Policies.SimulateDesktopPolicies

interface Change {
  readonly kind: "create" | "patch" | "delete" | "reorder"
  readonly at: number
  readonly policy: ModelPolicy
  /** The members of a policy that a patch lists. */
  readonly parts: ReadonlyArray<string>
  readonly priorities: ReadonlyArray<number>
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("create", "patch", "delete", "reorder"),
  at: fc.nat({ max: sizes.policies }),
  policy,
  parts: fc.subarray(["policy", "priority", "isEnabled", "memberIds", "teamIds"]),
  priorities: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: sizes.policies })
})

/** The change as a simulation input, and as a request. */
const requestOf = (lived: Lived, { at, kind, parts, policy, priorities }: Change) => {
  const { owner, policies } = lived
  const id = policies[at % Math.max(1, policies.length)]
  const path = `/v1/desktop-policies/${String(id)}`
  const body = bodyOf(policy, lived, "The new one")
  if (kind === "create" || id === undefined) {
    return { request: { create: body }, apply: async () => [await owner.call("POST", "/v1/desktop-policies", body)] }
  }
  if (kind === "delete") {
    return { request: { delete: { desktopPolicyId: id } }, apply: async () => [await owner.call("DELETE", path)] }
  }
  if (kind === "patch") {
    const changes = Object.fromEntries(Object.entries(body).filter(([name]) => parts.includes(name)))
    return {
      request: { patch: { desktopPolicyId: id, changes } },
      apply: async () => [await owner.call("PATCH", path, changes)]
    }
  }
  const reorder = priorities
    .slice(0, policies.length)
    .map((priority, place) => ({ desktopPolicyId: policies[(at + place) % policies.length] ?? id, priority }))
  return {
    request: { reorder },
    apply: () =>
      Promise.all(
        reorder.map(({ desktopPolicyId, priority }) =>
          owner.call("PATCH", `/v1/desktop-policies/${desktopPolicyId}`, { priority })
        )
      )
  }
}

/** Removes a member from a policy that stays, which random changes do not always do. */
const away = (members: ReadonlyArray<number>): [ModelWorld, Change] => {
  const one: ModelPolicy = {
    settings: { showWelcomePage: false, onboardingPrompts: ["a"] },
    priority: 1,
    isEnabled: true,
    members: [1, 2],
    teams: [],
    moment: 0
  }
  const change = { kind: "patch", at: 0, parts: ["memberIds"], priorities: [0], policy: { ...one, members } } as const
  return [{ members: Array.from({ length: sizes.members }, () => []), policies: [one] }, change]
}

const seen = { effective: 0, simulated: 0, changes: 0 }

describe("desktop policies of changing organizations", () => {
  it("match the model, including the winner", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(world, async (world) => {
        const lived = await live(world)
        for (const [member, explained] of (await holds(lived)).entries()) {
          for (const { loserCount, losers, rule, setting, value, winner } of explained) {
            const expected = decided(world, member, setting)
            const at = expected.winner === undefined ? null : lived.policies[expected.winner]
            expect([setting, value, winner?.id ?? null]).toEqual([setting, expected.value, at])
            expect(rule).toBe(losers[0]?.lostBy ?? (winner === null ? "unstated" : "only"))
            expect(loserCount).toBe(losers.length)
            seen.effective += 1
          }
        }
      }),
      { numRuns: 25 }
    )
    expect(seen.effective).toBe(25 * sizes.members * settings.length)
  })

  it("change as the simulation predicted, and the simulation changes nothing", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(world, change, async (world, change) => {
        const lived = await live(world)
        const { apply, request } = requestOf(lived, change)
        const before = await holds(lived)
        const rows = await rowDigests(plane)
        const response = await lived.owner.call("POST", "/v1/desktop-policies/simulate", request)
        expect([response.status, response.text]).toEqual([200, response.text])
        expect(await rowDigests(plane)).toEqual(rows)
        const simulation = response.body.simulation as Policies.Simulation
        let isNew: string | undefined
        for (const done of await apply()) {
          expect([200, 201, 204]).toContain(done.status)
          if (done.status === 201) isNew = done.body.desktopPolicy.id
        }
        const after = await holds(lived)
        const sourceIds = (source: Policies.Source | null) =>
          source === null ? null : source.id === isNew ? { ...source, id: null, createdAt: null } : source
        const expected = lived.members.flatMap((orgMembershipId, member) =>
          settings.flatMap((setting, index) => {
            const [was, is] = [before[member]?.[index], after[member]?.[index]]
            if (was === undefined || is === undefined) throw new Error("A member has no decision.")
            return JSON.stringify(was.value) === JSON.stringify(is.value)
              ? []
              : [
                  {
                    orgMembershipId,
                    setting,
                    before: { value: was.value, winner: was.winner },
                    after: { value: is.value, winner: sourceIds(is.winner) }
                  }
                ]
          })
        )
        // The owner has decisions too, and is not in the model.
        const memberChanges = simulation.changes.filter(
          ({ orgMembershipId }) => orgMembershipId !== lived.owner.membershipId
        )
        expect(memberChanges).toEqual(expected)
        const { changes } = simulation
        expect(simulation).toMatchObject({
          changeCount: changes.length,
          memberCount: new Set(changes.map(({ orgMembershipId }) => orgMembershipId)).size,
          truncated: false
        })
        expect(simulation.settings.map(({ memberCount, setting }) => [setting, memberCount])).toEqual(
          settings.flatMap((setting) => {
            const count = changes.filter((one) => one.setting === setting).length
            return count === 0 ? [] : [[setting, count]]
          })
        )
        for (const { setting, turnedOff, turnedOn } of simulation.settings) {
          const to = (value: boolean) =>
            setting === "onboardingPrompts"
              ? null
              : changes.filter((one) => one.setting === setting && one.after.value === value).length
          expect([setting, turnedOn, turnedOff]).toEqual([setting, to(true), to(false)])
        }
        seen.simulated += 1
        seen.changes += changes.length
      }),
      { numRuns: 40, examples: [away([]), away([2, 3])] }
    )
    expect(seen.simulated).toBe(40)
    expect(seen.changes).toBeGreaterThan(20)
  })
})

/** The number of SQL statements of a service call. */
const statementsOf = <A, E>(use: (service: typeof DesktopPoliciesService.Service) => Effect.Effect<A, E>) =>
  counted(
    plane,
    Effect.flatMap(DesktopPoliciesService, use).pipe(Effect.provide(Layer.fresh(DesktopPoliciesService.layer)))
  )

/**
 * An organization with this many members, a tenth of them in one team, and this many policies for the whole
 * organization.
 */
const filled = async (members: number, policies: number) => {
  const owner = await makeWorkspace(plane)
  const org = owner.organizationId
  const teamId = makeId("tem")
  const at = org.slice(4, 24)
  const id = (prefix: string) => `'${prefix}_${at}' || lpad(i::text, 6, '0')`
  await runSql(plane, (sql) =>
    Effect.gen(function* () {
      yield* sql`INSERT INTO teams (organization_id, id, name, created_at, updated_at)
        VALUES (${org}, ${teamId}, 'A tenth', now(), now())`
      yield* sql`INSERT INTO users (id, created_at, updated_at)
        SELECT ${sql.literal(id("usr"))}, now(), now() FROM generate_series(1, ${members}::int) i`
      yield* sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
        SELECT ${org}, ${sql.literal(id("om"))}, ${sql.literal(id("usr"))}, 'member', now(), now()
        FROM generate_series(1, ${members}::int) i`
      yield* sql`INSERT INTO team_members (organization_id, team_id, membership_id)
        SELECT ${org}, ${teamId}, ${sql.literal(id("om"))} FROM generate_series(10, ${members}::int, 10) i`
      yield* sql`INSERT INTO desktop_policies (organization_id, id, name, settings_json, priority, is_enabled,
          for_organization, created_at, updated_at)
        SELECT ${org}, ${sql.literal(id("dpo"))}, 'p' || i,
          jsonb_build_object('allowAlphaUpdates', i % 2 = 0, 'showWelcomePage', true), i, true, true, now(), now()
        FROM generate_series(1, ${policies}::int) i`
    })
  )
  return { owner, teamId }
}

describe("a simulated reorder", () => {
  it("covers everyone when a policy for the whole organization moves and another one stays", async () => {
    const { owner } = await filled(2, 2)
    const rows = (await owner.call("GET", "/v1/desktop-policies")).body.items
    const lowest = rows.find(({ priority }: { readonly priority: number }) => priority === 1)
    const response = await owner.call("POST", "/v1/desktop-policies/simulate", {
      reorder: [{ desktopPolicyId: lowest.id, priority: 3 }]
    })
    expect(response.body.simulation).toMatchObject({ memberCount: 3, changeCount: 3 })
  })
})

describe("desktop policies of a large organization", () => {
  it("are resolved in one statement, for a thousand policies as for ten", { timeout: 240_000 }, async () => {
    for (const policies of [0, 10, 1000]) {
      const { owner } = await filled(1, policies)
      for (const explain of ["true", "false"] as const) {
        const { response, count } = await statementsOf((service) =>
          service.own(memberOf(owner, "desktopPolicies:read"), { explain })
        )
        expect([policies, count]).toEqual([policies, 1])
        expect(response.desktopPolicy).toMatchObject({ allowAlphaUpdates: true, showWelcomePage: true })
      }
    }
  })

  it(
    "are simulated with exact counts, 500 listed changes, and one read per 2000 members",
    {
      timeout: 120_000
    },
    async () => {
      const { owner, teamId } = await filled(4500, 300)
      const simulate = (input: SimulationInput) =>
        statementsOf((service) => service.simulate(memberOf(owner, "desktopPolicies:read"), input))
      const before = await rowCounts(plane)
      const all = await simulate({
        create: { policyName: "No alphas", policy: { allowAlphaUpdates: false }, priority: 1000 }
      })
      expect(all.response.simulation).toMatchObject({
        memberCount: 4501,
        changeCount: 4501,
        settings: [{ setting: "allowAlphaUpdates", memberCount: 4501, turnedOn: 0, turnedOff: 4501 }],
        truncated: true
      })
      expect(all.response.simulation.changes).toHaveLength(500)
      // The policies, their teams, the check of the name, and three reads of up to 2000 members.
      expect(all.count).toBe(6)
      const some = await simulate({
        create: {
          policyName: "No alphas",
          policy: { allowAlphaUpdates: false },
          priority: 1000,
          teamIds: [teamId]
        }
      })
      expect(some.response.simulation).toMatchObject({ memberCount: 450, changeCount: 450, truncated: false })
      // Only members of the team are read.
      expect(some.count).toBe(5)
      expect(await rowCounts(plane)).toEqual(before)
    }
  )

  it("are simulated with the teams of policies read in batches of 5000", { timeout: 240_000 }, async () => {
    const { owner } = await filled(1, 300)
    const org = owner.organizationId
    await runSql(plane, (sql) =>
      Effect.gen(function* () {
        yield* sql`INSERT INTO teams (organization_id, id, name, created_at, updated_at)
          SELECT ${org}, ${sql.literal(`'tem_${org.slice(4, 24)}' || lpad(i::text, 6, '0')`)}, 'Team ' || i, now(), now()
          FROM generate_series(1, 40) i`
        yield* sql`INSERT INTO desktop_policy_teams (organization_id, policy_id, team_id)
          SELECT p.organization_id, p.id, t.id FROM desktop_policies p
          JOIN teams t ON t.organization_id = p.organization_id AND t.name LIKE 'Team %'
          WHERE p.organization_id = ${org}`
        yield* sql`UPDATE desktop_policies SET for_organization = false WHERE organization_id = ${org}`
      })
    )
    const { response, count } = await statementsOf((service) =>
      service.simulate(memberOf(owner, "desktopPolicies:read"), {
        create: { policyName: "No alphas", policy: { allowAlphaUpdates: false }, priority: 1000 }
      })
    )
    expect(response.simulation).toMatchObject({ memberCount: 2, changeCount: 2 })
    // The policies, three batches of 12,000 team assignments, the check of the name, and the members.
    expect(count).toBe(6)
  })
})
