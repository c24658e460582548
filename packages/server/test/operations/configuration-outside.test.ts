/** Configuration as code: desktop policies, and servers outside orgplane with their secrets. */
import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { addMember, makeControlPlane, makeKey, makeTeam, makeWorkspace, type Person, runSql } from "../harness.ts"

const plane = await makeControlPlane()

// oxlint-disable-next-line typescript/no-explicit-any -- documents of responses, checked by expect()
type Item = any
type Caller = Pick<Person, "call">

const demanded = ({ body, status, text }: Item): Item => {
  expect([status, text]).toEqual([200, text])
  return body
}
const exported = async (person: Caller, kinds?: string): Promise<Item> =>
  demanded(await person.call("GET", `/v1/configuration${kinds === undefined ? "" : `?kinds=${kinds}`}`)).document
const planned = async (person: Caller, document: Item, secrets?: Item): Promise<Item> =>
  demanded(await person.call("POST", "/v1/configuration/plan", { document, ...(secrets && { secrets }) })).plan
const apply = (person: Caller, document: Item, secrets?: Item, planDigest?: string) =>
  person.call("POST", "/v1/configuration/apply", {
    document,
    ...(secrets && { secrets }),
    ...(planDigest && { planDigest })
  })
const applied = async (person: Caller, document: Item, secrets?: Item, planDigest?: string): Promise<Item> =>
  demanded(await apply(person, document, secrets, planDigest)).plan
const actions = (plan: Item) => plan.changes.map(({ action, key, kind }: Item) => `${action} ${kind} ${key ?? "-"}`)
/** Gives the person an email address. */
const emailOf = async ({ userId }: Item): Promise<string> => {
  const email = `${userId}@people.example`
  await runSql(plane, (sql) => sql`UPDATE users SET email = ${email} WHERE id = ${userId}`)
  return email
}
/** Another organization with the same people. */
const makeTwin = async (owner: Person) => {
  const twin = await makeWorkspace(plane)
  await runSql(
    plane,
    (sql) => sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
      SELECT ${twin.organizationId}, 'om_' || substr(id, 4, 10) || substr(md5(${twin.organizationId} || id), 1, 16),
        user_id, role, now(), now()
      FROM memberships WHERE organization_id = ${owner.organizationId} AND role = 'member' AND removed_at IS NULL`
  )
  return twin
}
/** Checks that the document of one organization makes the same document in another one with the same people. */
const expectSameInTwin = async (owner: Person, secrets?: Item) => {
  const first = await exported(owner)
  expect((await planned(owner, first)).changes.filter(({ action }: Item) => action !== "adopt")).toEqual([])
  const twin = await makeTwin(owner)
  await applied(twin, first, secrets)
  expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(first))
  expect((await planned(twin, first, secrets)).changes).toEqual([])
}

describe("desktop policies in a configuration document", () => {
  it("are created, changed and removed with the teams and members that they apply to", async () => {
    const owner = await makeWorkspace(plane)
    const ada = await emailOf(await addMember(plane, owner, "member"))
    const document = {
      version: 1,
      teams: [{ key: "platform", name: "Platform", members: [ada] }],
      desktopPolicies: [
        { key: "all", name: "All", appliesTo: "everyone", settings: { allowAlphaUpdates: false } },
        {
          key: "platform",
          name: "Platform",
          priority: 10,
          isEnabled: false,
          appliesTo: { teams: ["platform"], members: [ada.toUpperCase()] },
          settings: { onboardingPrompts: ["Hello"], showWelcomePage: null }
        },
        { key: "none", name: "None", appliesTo: {} }
      ]
    }
    const plan = await planned(owner, document)
    expect([plan.problems, actions(plan)]).toEqual([
      [],
      [
        "create teams platform",
        "create desktopPolicies all",
        "create desktopPolicies platform",
        "create desktopPolicies none"
      ]
    ])
    expect((await exported(owner)).desktopPolicies).toEqual([])
    expect(await applied(owner, document, undefined, plan.planDigest)).toEqual(plan)
    expect((await applied(owner, document)).changes).toEqual([])
    const { desktopPolicies } = await exported(owner, "desktopPolicies")
    expect(desktopPolicies).toEqual([
      {
        key: "all",
        name: "All",
        settings: { allowAlphaUpdates: false },
        priority: 0,
        isEnabled: true,
        appliesTo: "everyone"
      },
      {
        key: "none",
        name: "None",
        settings: {},
        priority: 0,
        isEnabled: true,
        appliesTo: { members: [], teams: [] }
      },
      {
        key: "platform",
        name: "Platform",
        settings: { onboardingPrompts: ["Hello"], onboardingPromptDescriptions: [""] },
        priority: 10,
        isEnabled: false,
        appliesTo: { members: [ada], teams: ["platform"] }
      }
    ])
    await expectSameInTwin(owner)
    const listed = demanded(await owner.call("GET", "/v1/desktop-policies")).items
    expect(listed.map(({ audience, policyName }: Item) => [policyName, audience]).toSorted()).toEqual([
      ["All", "organization"],
      ["None", "nobody"],
      ["Platform", "assigned"]
    ])
    // The team is removed in the same apply as the policy changes.
    const changed = {
      version: 1,
      teams: [],
      desktopPolicies: [{ key: "platform", name: "Platform 2", appliesTo: { members: [ada] } }],
      prune: { teams: true, desktopPolicies: true }
    }
    expect((await apply(owner, changed)).body.error).toBe("plan_digest_required")
    const changes = await planned(owner, changed)
    expect(actions(changes)).toEqual([
      "delete desktopPolicies all",
      "delete desktopPolicies none",
      "delete teams platform",
      "update desktopPolicies platform"
    ])
    expect(await applied(owner, changed, undefined, changes.planDigest)).toEqual(changes)
    expect((await exported(owner)).desktopPolicies).toMatchObject([
      { key: "platform", name: "Platform 2", priority: 10, appliesTo: { members: [ada], teams: [] } }
    ])
    const events = demanded(await owner.call("GET", "/v1/audit-events?limit=100")).items
    expect(events.map(({ action }: Item) => action)).toEqual(
      expect.arrayContaining(["desktop_policy.create", "desktop_policy.update", "desktop_policy.remove"])
    )
  })

  it("keep members without an email address, and everyone else is replaced", async () => {
    const owner = await makeWorkspace(plane)
    const ada = await emailOf(await addMember(plane, owner, "member"))
    const { membershipId } = await addMember(plane, owner, "member")
    await owner.call("POST", "/v1/desktop-policies", { policyName: "One", policy: {}, memberIds: [membershipId] })
    expect((await exported(owner)).desktopPolicies).toMatchObject([{ key: "one", appliesTo: { members: [] } }])
    await applied(owner, {
      version: 1,
      desktopPolicies: [{ key: "one", name: "One", appliesTo: { members: [ada] } }]
    })
    const [policy] = demanded(await owner.call("GET", "/v1/desktop-policies")).items
    expect([policy.memberIds.length, policy.memberIds.includes(membershipId)]).toEqual([2, true])
  })

  it("report references that do not resolve, and permissions and a plan that are missing", async () => {
    const owner = await makeWorkspace(plane)
    const ada = await emailOf(await addMember(plane, owner, "member"))
    const document = (appliesTo: Item) => ({
      version: 1,
      desktopPolicies: [{ key: "a", name: "A", appliesTo }]
    })
    const { problems } = await planned(owner, document({ members: [ada, "Nobody@nowhere.example"], teams: ["x"] }))
    expect(problems).toEqual([
      {
        path: ["desktopPolicies", 0, "appliesTo", "members", 1],
        message: "is not the email address of a member: nobody@nowhere.example"
      },
      { path: ["desktopPolicies", 0, "appliesTo", "teams", 0], message: "does not exist: x" }
    ])
    const refused = await apply(owner, document({ teams: ["x"] }))
    expect([refused.status, refused.body.details[0].path]).toEqual([
      400,
      ["body", "document", "desktopPolicies", 0, "appliesTo", "teams", 0]
    ])
    const permissions = ["organizations:read", "organizations:write", "desktopPolicies:read"]
    const all = document("everyone")
    const reader = await makeKey(plane, owner, [...permissions, "teams:read", "members:read"])
    expect((await apply(await makeKey(plane, owner, permissions), all)).body.reason).toBe("permission_required")
    expect((await apply(reader, all)).body.message).toContain("desktopPolicies:write")
    expect((await exported(reader, "desktopPolicies")).desktopPolicies).toEqual([])
    const free = await makeWorkspace(plane)
    await runSql(plane, (sql) => sql`UPDATE organizations SET plan = 'free' WHERE id = ${free.organizationId}`)
    expect((await planned(free, all)).problems[0]).toEqual({
      path: ["desktopPolicies", 0],
      message: "cannot be created: This feature needs the enterprise plan."
    })
    expect((await apply(free, all)).status).toBe(400)
  })

  it("export the same bytes after an apply to another organization, for random policies", async () => {
    const owner = await makeWorkspace(plane)
    const emails = await Promise.all([1, 2].map(async () => emailOf(await addMember(plane, owner, "member"))))
    const teams = ["Red", "Green"]
    for (const name of teams) await makeTeam(owner, [], name)
    const flag = fc.constantFrom(true, false, null)
    const policy = fc.record(
      {
        settings: fc.record(
          {
            allowAlphaUpdates: flag,
            showWelcomePage: flag,
            allowCustomProviders: flag,
            onboardingPrompts: fc.option(fc.array(fc.constantFrom("a", "b"), { maxLength: 3 }))
          },
          { requiredKeys: [] }
        ),
        priority: fc.integer({ min: 0, max: 5 }),
        isEnabled: fc.boolean(),
        appliesTo: fc.oneof(
          fc.constant("everyone"),
          fc.record({ members: fc.subarray(emails), teams: fc.subarray(["red", "green"]) }, { requiredKeys: [] })
        )
      },
      { requiredKeys: ["appliesTo"] }
    )
    await fc.assert(
      fc.asyncProperty(fc.array(policy, { maxLength: 4 }), async (policies) => {
        const desktopPolicies = policies.map((one, index) => ({ key: `p${index}`, name: `Policy ${index}`, ...one }))
        const document = { version: 1, desktopPolicies }
        const plan = await planned(owner, document)
        expect(plan.problems).toEqual([])
        expect(await applied(owner, document, undefined, plan.planDigest)).toEqual(plan)
        expect((await planned(owner, document)).changes).toEqual([])
        await expectSameInTwin(owner)
      }),
      { numRuns: 6 }
    )
  })
})
