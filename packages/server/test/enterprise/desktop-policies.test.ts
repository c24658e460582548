import { OrgplaneError } from "@orgplane/client"
import { describe, expect, it } from "vitest"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeRole,
  makeTeam,
  makeWorkspace,
  mintSession,
  rowCounts,
  runSql,
  signIn,
  type Workspace
} from "../harness.ts"
import { missing } from "../infra/http-world.ts"

const plane = await makeControlPlane({ workers: false })
const path = "/v1/desktop-policies"

const refusal = (request: PromiseLike<unknown>) =>
  Promise.resolve(request).then(
    () => undefined,
    (error: unknown) => (error instanceof OrgplaneError ? [error.status, error.code] : error)
  )

const unstated = {
  allowCustomProviders: null,
  allowPartnerModel: null,
  allowMultipleWorkspaces: null,
  allowControlSettings: null,
  allowManageExtensions: null,
  allowBuiltInExtensions: null,
  allowAlphaUpdates: null,
  showWelcomePage: null,
  onboardingPrompts: null,
  onboardingPromptDescriptions: null
}
const allOn = {
  allowCustomProviders: true,
  allowPartnerModel: true,
  allowMultipleWorkspaces: true,
  allowControlSettings: true,
  allowManageExtensions: true,
  allowBuiltInExtensions: true,
  allowAlphaUpdates: true,
  showWelcomePage: true,
  onboardingPrompts: [],
  onboardingPromptDescriptions: []
}

let policies = 0
const makePolicy = async (owner: Workspace, policy: object, input: object = {}) => {
  const response = await owner.call("POST", path, { policyName: `Policy ${(policies += 1)}`, policy, ...input })
  expect([response.status, response.text]).toEqual([201, response.text])
  return response.body.desktopPolicy
}
const ownOf = async (person: Pick<Workspace, "call">) =>
  (await person.call("GET", "/v1/me/desktop-policy")).body.desktopPolicy
const demote = (owner: Workspace, plan: string) =>
  runSql(plane, (sql) => sql`UPDATE organizations SET plan = ${plan} WHERE id = ${owner.organizationId}`)

describe("POST /v1/desktop-policies", () => {
  it("creates by default an enabled policy for the whole organization with the lowest priority", async () => {
    const owner = await makeWorkspace(plane)
    const desktopPolicy = await owner.client.desktopPolicies.create({
      policyName: "No alphas",
      policy: { allowAlphaUpdates: false }
    })
    expect(desktopPolicy).toEqual({
      id: expect.stringMatching(/^dpo_/),
      organizationId: owner.organizationId,
      policyName: "No alphas",
      policy: { ...unstated, allowAlphaUpdates: false },
      priority: 0,
      isEnabled: true,
      memberIds: [],
      teamIds: [],
      audience: "organization",
      createdByOrgMembershipId: owner.membershipId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String)
    })
    expect(await owner.client.desktopPolicies.get(desktopPolicy.id)).toEqual(desktopPolicy)
    expect(await owner.client.desktopPolicies.list({ q: "ALPHA" })).toMatchObject({ items: [desktopPolicy] })
    expect(await owner.client.desktopPolicies.list({ q: "beta" })).toMatchObject({ items: [] })
  })

  it("stores all given members, and a repeated id once", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const teamId = await makeTeam(owner, [])
    const policy = await makePolicy(
      owner,
      { showWelcomePage: true, onboardingPrompts: ["a", "b"], onboardingPromptDescriptions: ["", "of b"] },
      {
        priority: 1_000_000,
        isEnabled: false,
        memberIds: [member.membershipId, member.membershipId],
        teamIds: [teamId]
      }
    )
    expect(policy).toMatchObject({
      priority: 1_000_000,
      isEnabled: false,
      memberIds: [member.membershipId],
      teamIds: [teamId],
      audience: "assigned",
      policy: {
        ...unstated,
        showWelcomePage: true,
        onboardingPrompts: ["a", "b"],
        onboardingPromptDescriptions: ["", "of b"]
      }
    })
  })

  it("stores empty descriptions for prompts without descriptions", async () => {
    const owner = await makeWorkspace(plane)
    const policy = await makePolicy(owner, { onboardingPrompts: ["a", "b"] })
    expect(policy.policy.onboardingPromptDescriptions).toEqual(["", ""])
  })

  it("ignores descriptions without prompts", async () => {
    const owner = await makeWorkspace(plane)
    const policy = await makePolicy(owner, { onboardingPrompts: null, onboardingPromptDescriptions: [] })
    expect(policy.policy).toMatchObject({ onboardingPrompts: null, onboardingPromptDescriptions: null })
  })

  it("returns 409 for an existing name of the organization, ignoring case, but not for a removed or foreign policy", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const { id } = await makePolicy(owner, {}, { policyName: "Kiosk" })
    const create = (workspace: Workspace) =>
      refusal(workspace.client.desktopPolicies.create({ policyName: "KIOSK", policy: {} }))
    expect(await create(owner)).toEqual([409, "desktop_policy_exists"])
    expect(await create(other)).toBeUndefined()
    await owner.client.desktopPolicies.remove(id)
    expect(await create(owner)).toBeUndefined()
  })

  it("returns 409 beyond the maximum number of policies", async () => {
    const owner = await makeWorkspace(plane)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO desktop_policies (organization_id, id, name, settings_json, priority, is_enabled,
          for_organization, created_at, updated_at)
        SELECT ${owner.organizationId}, 'dpo_' || lpad(i::text, 26, '0'), 'p' || i, '{}', 0, true, true, now(), now()
        FROM generate_series(1, 2000) i`
    )
    const input = { policyName: "One more", policy: {} }
    expect(await refusal(owner.client.desktopPolicies.create(input))).toEqual([409, "quota_exceeded"])
    expect(await refusal(owner.client.desktopPolicies.simulate({ create: input }))).toEqual([409, "quota_exceeded"])
  })

  it("creates one policy for an idempotency key", async () => {
    const owner = await makeWorkspace(plane)
    const input = { policyName: "Once", policy: { showWelcomePage: false } }
    const ask = () => owner.call("POST", path, input, { "idempotency-key": "once" })
    const [first, again] = [await ask(), await ask()]
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([201, 201, "true"])
    expect(again.body).toEqual(first.body)
    expect((await owner.client.desktopPolicies.list()).items).toHaveLength(1)
  })

  const om = (count: number) => Array.from({ length: count }, () => missing("OrganizationMembershipId"))
  const tem = (count: number) => Array.from({ length: count }, () => missing("TeamId"))
  it.each<[name: string, input: object, at: ReadonlyArray<ReadonlyArray<string | number>>]>([
    ["no name", { policyName: undefined }, [["policyName"]]],
    ["an empty name", { policyName: "" }, [["policyName"]]],
    ["a name of 256", { policyName: "é".repeat(256) }, [["policyName"]]],
    ["a name that is null", { policyName: null }, [["policyName"]]],
    ["no policy", { policy: undefined }, [["policy"]]],
    ["a policy that is null", { policy: null }, [["policy"]]],
    ["a switch that is no boolean", { policy: { allowAlphaUpdates: "false" } }, [["policy", "allowAlphaUpdates"]]],
    ["a priority below 0", { priority: -1 }, [["priority"]]],
    ["a priority above a million", { priority: 1_000_001 }, [["priority"]]],
    ["half a priority", { priority: 1.5 }, [["priority"]]],
    ["a priority that is null", { priority: null }, [["priority"]]],
    ["isEnabled that is null", { isEnabled: null }, [["isEnabled"]]],
    ["members that are null", { memberIds: null }, [["memberIds"]]],
    ["teams that are null", { teamIds: null }, [["teamIds"]]],
    ["a member that is null", { memberIds: [null] }, [["memberIds", 0]]],
    ["501 members", { memberIds: om(501) }, [["memberIds"]]],
    ["501 teams", { teamIds: tem(501) }, [["teamIds"]]],
    [
      "an invalid id",
      { memberIds: ["om_1"], teamIds: ["tem_1"] },
      [
        ["memberIds", 0],
        ["teamIds", 0]
      ]
    ],
    ["a team among members", { memberIds: [missing("TeamId")] }, [["memberIds", 0]]],
    ["four prompts", { policy: { onboardingPrompts: ["a", "b", "c", "d"] } }, [["policy", "onboardingPrompts"]]],
    ["an empty prompt", { policy: { onboardingPrompts: [""] } }, [["policy", "onboardingPrompts", 0]]],
    ["a prompt of 501", { policy: { onboardingPrompts: ["é".repeat(501)] } }, [["policy", "onboardingPrompts", 0]]],
    [
      "a description of 121",
      { policy: { onboardingPrompts: ["a"], onboardingPromptDescriptions: ["é".repeat(121)] } },
      [["policy", "onboardingPromptDescriptions", 0]]
    ],
    [
      "fewer descriptions than prompts",
      { policy: { onboardingPrompts: ["a", "b"], onboardingPromptDescriptions: ["a"] } },
      [["policy", "onboardingPromptDescriptions"]]
    ],
    [
      "descriptions without prompts",
      { policy: { onboardingPromptDescriptions: ["a"] } },
      [["policy", "onboardingPromptDescriptions"]]
    ]
  ])("returns 400 for %s and stores nothing", async (_, input, at) => {
    const owner = await shared
    const before = await rowCounts(plane)
    const response = await owner.call("POST", path, { policyName: "Never", policy: {}, ...input })
    expect([response.status, response.body.error]).toEqual([400, "invalid_request"])
    const details = response.body.details as ReadonlyArray<{ readonly path: unknown }>
    expect(details.map(({ path }) => path)).toEqual(at.map((place) => ["body", ...place]))
    expect(await rowCounts(plane)).toEqual(before)
  })
  const shared = makeWorkspace(plane)

  it("returns the same 400 with the location for the first foreign or missing id", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const teamId = await makeTeam(owner, [])
    const foreign = { om: other.membershipId, tem: await makeTeam(other, []) }
    const never = { om: missing("OrganizationMembershipId"), tem: missing("TeamId") }
    const formerMember = await addMember(plane, owner, "member")
    await owner.call("DELETE", `/v1/members/${formerMember.membershipId}`)
    const texts = new Set<string>()
    for (const id of [foreign.om, never.om, formerMember.membershipId]) {
      const input = { policyName: "Never", policy: {}, memberIds: [owner.membershipId, id], teamIds: [teamId] }
      const response = await owner.call("POST", path, input)
      expect([response.status, response.body.details.length, response.body.details[0].path]).toEqual([
        400,
        1,
        ["body", "memberIds", 1]
      ])
      texts.add(response.text)
    }
    expect(texts.size).toBe(1)
    const responses = await Promise.all(
      [foreign.tem, never.tem].map((id) => owner.call("POST", path, { policyName: "Never", policy: {}, teamIds: [id] }))
    )
    expect(responses.map(({ body, status }) => [status, body.details[0].path])).toEqual([
      [400, ["body", "teamIds", 0]],
      [400, ["body", "teamIds", 0]]
    ])
    expect(responses[0]?.text).toBe(responses[1]?.text)
    expect((await owner.client.desktopPolicies.list()).items).toEqual([])
  })
})

describe("the enterprise plan", () => {
  it("is required to create, change and simulate policies, but not to read, remove or apply them", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const { id } = await makePolicy(owner, { allowPartnerModel: false })
    await demote(owner, "team")
    // A new session, because the plan of an earlier one is cached.
    const now = call(plane, (await signIn(plane, owner.userId, owner.organizationId)).token)
    const required = {
      error: "enterprise_plan_required",
      feature: "desktop_policies",
      message: "This feature needs the enterprise plan."
    }
    const gated = [
      ["POST", path, { policyName: "No", policy: {} }],
      ["PATCH", `${path}/${id}`, { priority: 1 }],
      ["POST", `${path}/simulate`, { delete: { desktopPolicyId: id } }]
    ] as const
    for (const [method, at, body] of gated) {
      const response = await now(method, at, body)
      expect([response.status, response.body]).toEqual([402, required])
      // Before the request is validated, so that nothing about it is revealed.
      expect((await now(method, at.replace(id, missing("DesktopPolicyId")), "[")).status).toBe(402)
    }
    expect((await now("GET", `${path}/${id}`)).status).toBe(200)
    expect((await now("GET", path)).body.items).toHaveLength(1)
    expect((await now("GET", `/v1/members/${member.membershipId}/desktop-policy`)).body.desktopPolicy).toMatchObject({
      allowPartnerModel: false
    })
    expect(await ownOf(member)).toMatchObject({ allowPartnerModel: false })
    expect((await now("DELETE", `${path}/${id}`)).status).toBe(204)
  })

  it("is checked after credential, organization, kind of caller and permission, and before the body", async () => {
    const owner = await makeWorkspace(plane)
    const other = await makeWorkspace(plane)
    await demote(owner, "free")
    const member = await addMember(plane, owner, "member")
    const reader = await addMember(plane, owner, await makeRole(owner, ["desktopPolicies:read"]))
    const key = await makeKey(plane, owner, ["desktopPolicies:write"])
    const session = call(plane, (await signIn(plane, owner.userId, owner.organizationId)).token)
    const outcomeOf = async (
      pending: Promise<{ readonly status: number; readonly body: { reason?: string; error?: string } }>
    ) => {
      const { body, status } = await pending
      return [status, body.reason ?? body.error]
    }
    const elsewhere = { "x-organization-id": other.organizationId }
    expect(await outcomeOf(call(plane)("POST", path, "["))).toEqual([401, "unauthorized"])
    expect(await outcomeOf(session("POST", path, "[", elsewhere))).toEqual([404, "organization_not_found"])
    expect(await outcomeOf(member.call("POST", path, "["))).toEqual([403, "permission_required"])
    expect(await outcomeOf(reader.call("POST", path, "["))).toEqual([403, "permission_required"])
    expect(await outcomeOf(reader.call("POST", `${path}/simulate`, "["))).toEqual([402, "enterprise_plan_required"])
    expect(await outcomeOf(session("POST", path, "["))).toEqual([402, "enterprise_plan_required"])
    expect(await outcomeOf(key.call("POST", path, "["))).toEqual([402, "enterprise_plan_required"])
    await demote(owner, "enterprise")
    const again = call(plane, (await signIn(plane, owner.userId, owner.organizationId)).token)
    expect(await outcomeOf(again("POST", path, "["))).toEqual([400, "invalid_request"])
  })
})

describe("PATCH /v1/desktop-policies/{id}", () => {
  it("changes the given fields, increments the version once, and not at all without a difference", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const policy = await makePolicy(owner, { allowAlphaUpdates: false }, { memberIds: [member.membershipId] })
    const at = `${path}/${policy.id}`
    const etag = async () => (await owner.call("GET", at)).headers.get("etag")
    expect(await etag()).toBe('"1"')
    for (const same of [
      {},
      { policyName: policy.policyName, policy: policy.policy, memberIds: policy.memberIds, teamIds: [] }
    ]) {
      const response = await owner.call("PATCH", at, same)
      expect([response.status, response.body.desktopPolicy, response.headers.get("etag")]).toEqual([200, policy, '"1"'])
    }
    const changed = await owner.call("PATCH", at, { priority: 7, isEnabled: false, policy: { showWelcomePage: false } })
    expect(changed.body.desktopPolicy).toEqual({
      ...policy,
      policy: { ...unstated, showWelcomePage: false },
      priority: 7,
      isEnabled: false,
      updatedAt: expect.any(String)
    })
    expect([changed.headers.get("etag"), await etag()]).toEqual(['"2"', '"2"'])
    expect((await owner.call("GET", at, undefined, { "if-none-match": '"2"' })).status).toBe(304)
  })

  it("clears assignments with [], which applies the policy to everyone; another list restricts it", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const teamId = await makeTeam(owner, [member])
    const { id } = await makePolicy(owner, {}, { memberIds: [member.membershipId], teamIds: [teamId] })
    const patch = async (input: object) => {
      const { body } = await owner.call("PATCH", `${path}/${id}`, input)
      const { audience, memberIds, teamIds } = body.desktopPolicy
      return [audience, memberIds, teamIds]
    }
    expect(await patch({ memberIds: [] })).toEqual(["assigned", [], [teamId]])
    expect(await patch({ teamIds: [] })).toEqual(["organization", [], []])
    expect(await patch({ memberIds: [], teamIds: [] })).toEqual(["organization", [], []])
    expect(await patch({ memberIds: [owner.membershipId] })).toEqual(["assigned", [owner.membershipId], []])
  })

  it("changes nothing for 400, 404, 409 and 412", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const policy = await makePolicy(owner, {})
    const taken = await makePolicy(owner, {}, { policyName: "Taken" })
    const at = `${path}/${policy.id}`
    const bad: ReadonlyArray<[object, ReadonlyArray<string | number>]> = [
      [{ policyName: "" }, ["policyName"]],
      [{ policyName: null }, ["policyName"]],
      [{ policy: null }, ["policy"]],
      [{ priority: 1.5 }, ["priority"]],
      [{ isEnabled: null }, ["isEnabled"]],
      [{ memberIds: null }, ["memberIds"]],
      [{ memberIds: [other.membershipId] }, ["memberIds", 0]],
      [{ memberIds: [missing("OrganizationMembershipId")] }, ["memberIds", 0]],
      [{ teamIds: [missing("TeamId")] }, ["teamIds", 0]],
      [
        { policy: { onboardingPrompts: [], onboardingPromptDescriptions: ["a"] } },
        ["policy", "onboardingPromptDescriptions"]
      ]
    ]
    for (const [input, place] of bad) {
      const response = await owner.call("PATCH", at, input)
      expect([response.status, response.body.details?.[0].path]).toEqual([400, ["body", ...place]])
    }
    const nothing = await owner.call("PATCH", `${path}/${missing("DesktopPolicyId")}`, { priority: 1 })
    const foreign = await other.call("PATCH", at, { priority: 1 })
    expect([nothing.status, nothing.body.error, foreign.text]).toEqual([404, "desktop_policy_not_found", nothing.text])
    expect(await refusal(owner.client.desktopPolicies.update(policy.id, { policyName: "TAKEN" }))).toEqual([
      409,
      "desktop_policy_exists"
    ])
    expect((await owner.call("PATCH", at, { priority: 1 }, { "if-match": '"2"' })).status).toBe(412)
    expect((await owner.call("DELETE", at, undefined, { "if-match": '"2"' })).status).toBe(412)
    expect(await owner.client.desktopPolicies.get(policy.id)).toEqual(policy)
    // A change of case of its own name is no conflict.
    expect((await owner.call("PATCH", `${path}/${taken.id}`, { policyName: "tAKEN" })).status).toBe(200)
  })

  it("returns 412 for one of two updates with the same If-Match", async () => {
    const owner = await makeWorkspace(plane)
    const { id } = await makePolicy(owner, {})
    const write = (priority: number) => owner.call("PATCH", `${path}/${id}`, { priority }, { "if-match": '"1"' })
    const responses = await Promise.all([write(1), write(2)])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412])
  })

  it("returns 409 for one of two concurrent requests with the same name", async () => {
    const owner = await makeWorkspace(plane)
    const create = () => owner.call("POST", path, { policyName: "Raced", policy: {} })
    const responses = await Promise.all([create(), create(), create()])
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})

describe("DELETE /v1/desktop-policies/{id}", () => {
  it("removes a policy once with immediate effect, and returns 403 with only write permission", async () => {
    const owner = await makeWorkspace(plane)
    const { id } = await makePolicy(owner, { showWelcomePage: false })
    const key = await makeKey(plane, owner, ["desktopPolicies:read", "desktopPolicies:write"])
    expect((await key.call("DELETE", `${path}/${id}`)).body.reason).toBe("permission_required")
    expect(await ownOf(owner)).toMatchObject({ showWelcomePage: false })
    expect((await owner.call("DELETE", `${path}/${id}`)).status).toBe(204)
    expect(await ownOf(owner)).toEqual(allOn)
    expect((await owner.call("DELETE", `${path}/${id}`)).body.error).toBe("desktop_policy_not_found")
    expect((await owner.call("GET", `${path}/${id}`)).status).toBe(404)
  })
})

describe("the removal of a member or team", () => {
  it("removes its assignments, and leaves a policy that applies to no one, not to everyone", async () => {
    const owner = await makeWorkspace(plane)
    const [member, bystander] = [await addMember(plane, owner, "member"), await addMember(plane, owner, "member")]
    const teamId = await makeTeam(owner, [member])
    const { id } = await makePolicy(
      owner,
      { allowManageExtensions: false },
      { memberIds: [member.membershipId], teamIds: [teamId] }
    )
    const get = () => owner.call("GET", `${path}/${id}`)
    const before = await get()
    await owner.call("DELETE", `/v1/members/${member.membershipId}`)
    const one = await get()
    expect(one.body.desktopPolicy).toMatchObject({ memberIds: [], teamIds: [teamId], audience: "assigned" })
    expect(one.headers.get("etag")).not.toBe(before.headers.get("etag"))
    await owner.call("DELETE", `/v1/teams/${teamId}`)
    expect((await get()).body.desktopPolicy).toMatchObject({ memberIds: [], teamIds: [], audience: "nobody" })
    for (const person of [owner, bystander]) expect(await ownOf(person)).toEqual(allOn)

    // Sending the empty lists back does not widen it either.
    const sent = await owner.call("PATCH", `${path}/${id}`, { priority: 3, memberIds: [], teamIds: [] })
    expect(sent.body.desktopPolicy).toMatchObject({ priority: 3, audience: "nobody" })
    expect(await ownOf(bystander)).toEqual(allOn)
    const { body } = await owner.call("POST", `${path}/simulate`, {
      patch: { desktopPolicyId: id, changes: { memberIds: [] } }
    })
    expect(body.simulation.changeCount).toBe(0)

    await owner.call("PATCH", `${path}/${id}`, { memberIds: [bystander.membershipId] })
    expect(await ownOf(bystander)).toMatchObject({ allowManageExtensions: false })
    expect(await ownOf(owner)).toEqual(allOn)
  })

  it("is not undone for assignments when the member returns", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const { id } = await makePolicy(owner, { showWelcomePage: false }, { memberIds: [member.membershipId] })
    await owner.call("DELETE", `/v1/members/${member.membershipId}`)
    await runSql(plane, (sql) => sql`UPDATE memberships SET removed_at = NULL WHERE id = ${member.membershipId}`)
    expect((await owner.call("GET", `/v1/members/${member.membershipId}/desktop-policy`)).body.desktopPolicy).toEqual(
      allOn
    )
    expect((await owner.call("GET", `${path}/${id}`)).body.desktopPolicy.audience).toBe("nobody")
  })

  it("covers a member who leaves a team, and a user who deletes their account", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const teamId = await makeTeam(owner, [member])
    await makePolicy(owner, { allowAlphaUpdates: false }, { teamIds: [teamId] })
    const { id } = await makePolicy(owner, { showWelcomePage: false }, { memberIds: [member.membershipId] })
    expect(await ownOf(member)).toMatchObject({ allowAlphaUpdates: false, showWelcomePage: false })
    await owner.call("DELETE", `/v1/teams/${teamId}/members/${member.membershipId}`)
    expect(await ownOf(member)).toMatchObject({ allowAlphaUpdates: true, showWelcomePage: false })
    const own = call(plane, (await signIn(plane, member.userId, null)).token)
    expect((await own("DELETE", "/v1/me")).status).toBe(204)
    expect((await owner.call("GET", `${path}/${id}`)).body.desktopPolicy).toMatchObject({ audience: "nobody" })
  })

  it("leaves no assignment despite a concurrent one", async () => {
    const owner = await makeWorkspace(plane)
    const { id } = await makePolicy(owner, {})
    for (let round = 0; round < 8; round += 1) {
      const member = await addMember(plane, owner, "member")
      const teamId = await makeTeam(owner, [])
      const [assigned] = await Promise.all([
        owner.call("PATCH", `${path}/${id}`, { memberIds: [member.membershipId], teamIds: [teamId] }),
        owner.call("DELETE", `/v1/members/${member.membershipId}`),
        owner.call("DELETE", `/v1/teams/${teamId}`)
      ])
      expect([200, 400]).toContain(assigned.status)
    }
    const left = await runSql(
      plane,
      (sql) => sql`SELECT 1 AS one FROM desktop_policy_members WHERE organization_id = ${owner.organizationId}
        UNION ALL SELECT 1 FROM desktop_policy_teams WHERE organization_id = ${owner.organizationId}`
    )
    expect(left).toEqual([])
    const { body } = await owner.call("GET", `${path}/${id}`)
    expect(["nobody", "organization"]).toContain(body.desktopPolicy.audience)
  })
})

describe("GET /v1/me/desktop-policy", () => {
  it("returns defaults without policies, and an explanation only on request", async () => {
    const owner = await makeWorkspace(plane)
    const { body } = await owner.call("GET", "/v1/me/desktop-policy")
    expect(body).toEqual({ desktopPolicy: allOn, explanation: null })
    const { explanation } = (await owner.call("GET", "/v1/me/desktop-policy?explain=true")).body
    expect(explanation).toHaveLength(9)
    expect(explanation[0]).toEqual({
      setting: "allowCustomProviders",
      value: true,
      rule: "unstated",
      winner: null,
      losers: [],
      loserCount: 0
    })
    expect(explanation[8]).toMatchObject({ setting: "onboardingPrompts", value: [], rule: "unstated" })
  })

  it("explains decisions by priority, specificity, age and id, with the best losers first", async () => {
    const owner = await makeWorkspace(plane)
    const teamId = await makeTeam(owner, [owner])
    const off = { allowAlphaUpdates: false }
    const on = { allowAlphaUpdates: true }
    const everybody = await makePolicy(owner, on, { policyName: "everybody", priority: 5 })
    const later = await makePolicy(owner, off, { policyName: "later", priority: 5 })
    const twin = await makePolicy(owner, on, { policyName: "twin", priority: 5 })
    const low = await makePolicy(owner, on, { policyName: "low", priority: 4, memberIds: [owner.membershipId] })
    await makePolicy(owner, on, { policyName: "disabled", priority: 9, isEnabled: false })
    await makePolicy(owner, { showWelcomePage: true }, { policyName: "silent", priority: 9 })
    await runSql(
      plane,
      (sql) => sql`UPDATE desktop_policies SET created_at = created_at + CASE WHEN name = 'everybody' THEN interval '0'
          ELSE interval '1 minute' + (${later.createdAt}::timestamptz - created_at) END
        WHERE organization_id = ${owner.organizationId} AND name IN ('everybody', 'later', 'twin')`
    )
    const decided = async () => {
      const { body } = await owner.call("GET", "/v1/me/desktop-policy?explain=true")
      return body.explanation.find(({ setting }: { setting: string }) => setting === "allowAlphaUpdates")
    }
    const first = await decided()
    expect(first).toMatchObject({
      value: true,
      rule: "age",
      winner: { id: everybody.id, policyName: "everybody", priority: 5, through: "organization" },
      loserCount: 3
    })
    expect(
      first.losers.map((loser: Record<string, unknown>) => [loser["id"], loser["value"], loser["lostBy"]])
    ).toEqual([
      [later.id, false, "age"],
      [twin.id, true, "age"],
      [low.id, true, "priority"]
    ])
    await owner.client.desktopPolicies.remove(everybody.id)
    expect(await decided()).toMatchObject({ value: false, rule: "id", winner: { id: later.id } })
    const team = await makePolicy(owner, on, { priority: 5, teamIds: [teamId] })
    expect(await decided()).toMatchObject({ rule: "specificity", winner: { id: team.id, through: "team" } })
    // Assigned in both ways, the more specific one counts.
    const both = await makePolicy(owner, off, { priority: 5, teamIds: [teamId], memberIds: [owner.membershipId] })
    expect(await decided()).toMatchObject({
      value: false,
      rule: "specificity",
      winner: { id: both.id, through: "member" }
    })
    await owner.client.desktopPolicies.update(low.id, { priority: 6 })
    expect(await decided()).toMatchObject({ value: true, rule: "priority", winner: { id: low.id } })
  })

  it("takes prompts and descriptions from the same policy, also an empty list", async () => {
    const owner = await makeWorkspace(plane)
    await makePolicy(owner, { onboardingPrompts: ["a", "b"], onboardingPromptDescriptions: ["1", "2"] })
    await makePolicy(owner, { showWelcomePage: false }, { priority: 8 })
    expect(await ownOf(owner)).toMatchObject({
      showWelcomePage: false,
      onboardingPrompts: ["a", "b"],
      onboardingPromptDescriptions: ["1", "2"]
    })
    await makePolicy(owner, { onboardingPrompts: [] }, { priority: 1 })
    expect(await ownOf(owner)).toMatchObject({ onboardingPrompts: [], onboardingPromptDescriptions: [] })
  })

  it("shows names of policies only to members who may read policies", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    await makePolicy(owner, { showWelcomePage: false }, { policyName: "Whom we watch", priority: 2 })
    await makePolicy(owner, { showWelcomePage: true }, { policyName: "Whom we watch less" })
    const theirs = await member.call("GET", "/v1/me/desktop-policy?explain=true")
    const welcome = theirs.body.explanation.find(({ setting }: { setting: string }) => setting === "showWelcomePage")
    expect(welcome).toMatchObject({ winner: { policyName: null, priority: 2 }, losers: [{ policyName: null }] })
    expect(theirs.text).not.toContain("Whom we watch")
    const explained = await owner.call("GET", `/v1/members/${member.membershipId}/desktop-policy?explain=true`)
    expect(explained.text).toContain("Whom we watch less")
  })

  it("lists 20 of many losers with their total number", async () => {
    const owner = await makeWorkspace(plane)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO desktop_policies (organization_id, id, name, settings_json, priority, is_enabled,
          for_organization, created_at, updated_at)
        SELECT ${owner.organizationId}, 'dpo_' || lpad(i::text, 26, '0'), 'p' || i, '{"showWelcomePage": true}', i, true,
          true, now(), now()
        FROM generate_series(1, 30) i`
    )
    const { body } = await owner.call("GET", "/v1/me/desktop-policy?explain=true")
    const welcome = body.explanation.find(({ setting }: { setting: string }) => setting === "showWelcomePage")
    expect(welcome).toMatchObject({ rule: "priority", winner: { priority: 30 }, loserCount: 29 })
    expect(welcome.losers.map(({ priority }: { priority: number }) => priority)).toEqual(
      Array.from({ length: 20 }, (_, index) => 29 - index)
    )
  })

  it("returns 403 for an API key and 200 for an exchanged session, and ignores foreign policies", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    await makePolicy(other, { showWelcomePage: false })
    const key = await makeKey(plane, owner, ["desktopPolicies:read"])
    expect((await key.call("GET", "/v1/me/desktop-policy")).body.reason).toBe("session_required")
    const minted = await mintSession(plane, owner, owner.membershipId)
    expect(await ownOf(minted)).toEqual(allOn)
    expect((await owner.call("GET", "/v1/me/desktop-policy?explain=yes")).status).toBe(400)
  })
})

describe("GET /v1/members/{id}/desktop-policy", () => {
  it("returns the policy to a key with the permission, and 403 and 404 otherwise", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const member = await addMember(plane, owner, "member")
    await makePolicy(owner, { showWelcomePage: false }, { memberIds: [member.membershipId] })
    const key = await makeKey(plane, owner, ["desktopPolicies:read"])
    const at = (id: string) => `/v1/members/${id}/desktop-policy`
    const response = await key.call("GET", at(member.membershipId))
    expect(response.body).toEqual({ desktopPolicy: { ...allOn, showWelcomePage: false }, explanation: null })
    expect((await member.call("GET", at(member.membershipId))).body.reason).toBe("permission_required")
    const [foreign, never] = [
      await owner.call("GET", at(other.membershipId)),
      await owner.call("GET", at(missing("OrganizationMembershipId")))
    ]
    expect([never.status, never.body.error, foreign.text]).toEqual([404, "member_not_found", never.text])
    await owner.call("DELETE", `/v1/members/${member.membershipId}`)
    expect((await owner.call("GET", at(member.membershipId))).text).toBe(never.text)
  })
})

describe("the audit of a policy", () => {
  it("stores switches, numbers and ids, and only digests of texts", async () => {
    const owner = await makeWorkspace(plane)
    const policy = await makePolicy(
      owner,
      {
        allowAlphaUpdates: false,
        onboardingPrompts: ["secret prompt"],
        onboardingPromptDescriptions: ["secret words"]
      },
      { policyName: "secret name" }
    )
    await owner.client.desktopPolicies.update(policy.id, {
      policy: { allowAlphaUpdates: true },
      memberIds: [owner.membershipId]
    })
    await owner.client.desktopPolicies.remove(policy.id)
    const { body, text } = await owner.call("GET", `/v1/audit-events?targetId=${policy.id}`)
    expect(text).not.toContain("secret")
    const [removed, updated, created] = body.items
    expect([removed.action, updated.action, created.action]).toEqual([
      "desktop_policy.remove",
      "desktop_policy.update",
      "desktop_policy.create"
    ])
    expect(created.after).toMatchObject({ allowAlphaUpdates: false, priority: 0, audience: "organization", version: 1 })
    expect(updated.before).toEqual({
      allowAlphaUpdates: false,
      onboardingPrompts: { digest: expect.any(String), length: expect.any(Number) },
      audience: "organization",
      memberIds: [],
      version: 1
    })
    expect(updated.after).toEqual({
      allowAlphaUpdates: true,
      onboardingPrompts: null,
      audience: "assigned",
      memberIds: [owner.membershipId],
      version: 2
    })
    expect(removed.before).toMatchObject({ allowAlphaUpdates: true, memberIds: [owner.membershipId], version: 2 })
  })
})
