/** Configuration as code: export, plan, apply and adopt. */
import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { addMember, makeControlPlane, makeKey, makeTeam, makeWorkspace, runSql } from "../harness.ts"
import { applied, type Caller, demanded, emailOf, exported, type Item, planned } from "./configuration.fixture.ts"

const plane = await makeControlPlane()

const refusal = async (person: Caller, document: Item, planDigest?: string) => {
  const { body, status } = await person.call("POST", "/v1/configuration/apply", {
    document,
    ...(planDigest && { planDigest })
  })
  return [status, body.error ?? body.reason, body.details?.[0]] as const
}
const actions = (plan: Item) => plan.changes.map(({ action, key, kind }: Item) => `${action} ${kind} ${key ?? "-"}`)
describe("the configuration of an organization", () => {
  it("plans exactly what an apply does, and a second apply changes nothing", async () => {
    const owner = await makeWorkspace(plane)
    const ada = await emailOf(plane, await addMember(plane, owner, "member"))
    const document = {
      version: 1,
      organization: { name: "Acme Engineering" },
      roles: [{ key: "reviewer", name: "Reviewer", permissions: ["plugins:read", "approvals:read"] }],
      teams: [{ key: "platform", name: "Platform", description: "Runs it", members: [ada.toUpperCase()] }]
    }
    const before = await exported(owner)
    const plan = await planned(owner, document)
    expect([plan.problems, plan.hasChanges, actions(plan)]).toEqual([
      [],
      true,
      ["update organization -", "create roles reviewer", "create teams platform"]
    ])
    // A plan changes nothing.
    expect(await exported(owner)).toEqual(before)
    expect(await applied(owner, document, plan.planDigest)).toEqual(plan)
    const after = await exported(owner)
    expect(after).toMatchObject({ organization: { name: "Acme Engineering" }, teams: [{ members: [ada] }] })
    expect((await planned(owner, document)).changes).toEqual([])
    expect((await planned(owner, after)).changes).toEqual([])
    expect((await applied(owner, document)).changes).toEqual([])
    // The digest is the one of an earlier state.
    const stale = await owner.call("POST", "/v1/configuration/apply", { document, planDigest: plan.planDigest })
    expect([stale.status, stale.body.error]).toEqual([409, "plan_digest_mismatch"])
    expect(stale.body.planDigest).toBe((await planned(owner, document)).planDigest)
    const events = demanded(await owner.call("GET", "/v1/audit-events?limit=100")).items
    expect(events.map(({ action }: Item) => action)).toEqual(
      expect.arrayContaining(["role.create", "team.create", "team.member.add", "configuration.apply"])
    )
  })

  it("reports references that do not resolve, and an apply then changes nothing", async () => {
    const owner = await makeWorkspace(plane)
    const document = {
      version: 1,
      teams: [
        { key: "a", name: "A" },
        { key: "b", name: "B", members: ["nobody@nowhere.example"] }
      ]
    }
    const { problems } = await planned(owner, document)
    expect(problems).toEqual([
      { path: ["teams", 1, "members", 0], message: "is not the email address of a member: nobody@nowhere.example" }
    ])
    expect(await refusal(owner, document)).toMatchObject([
      400,
      "invalid_request",
      { path: ["body", "document", "teams", 1, "members", 0] }
    ])
    expect((await exported(owner)).teams).toEqual([])
  })

  it("rolls everything back when the service of one kind refuses a change, and the plan says so", async () => {
    const owner = await makeWorkspace(plane)
    const document = {
      version: 1,
      roles: [
        { key: "good", name: "Good", permissions: [] },
        { key: "chief", name: "Owner", permissions: [] }
      ]
    }
    const { problems } = await planned(owner, document)
    expect(problems).toEqual([{ path: ["roles", 1, "name"], message: "is the name of a built-in role" }])
    expect(await refusal(owner, document)).toMatchObject([400, "invalid_request", {}])
    expect((await exported(owner)).roles).toEqual([])
    const twice = {
      version: 1,
      teams: [
        { key: "a", name: "Same" },
        { key: "b", name: "Same" }
      ]
    }
    expect((await planned(owner, twice)).problems[0].message).toContain(
      "cannot be created: The organization already has"
    )
    expect((await refusal(owner, twice))[0]).toBe(400)
    expect((await exported(owner)).teams).toEqual([])
  })

  it("keeps keys across renames, moves declared keys, and never uses a key again", async () => {
    const owner = await makeWorkspace(plane)
    const teamId = await makeTeam(owner, [], "Writers")
    const { adopted } = demanded(await owner.call("POST", "/v1/configuration/adopt", {}))
    expect(adopted).toEqual([{ kind: "teams", id: teamId, key: "writers" }])
    expect(demanded(await owner.call("POST", "/v1/configuration/adopt", {})).adopted).toEqual([])
    await owner.call("PATCH", `/v1/teams/${teamId}`, { name: "Authors" })
    expect((await exported(owner)).teams).toMatchObject([{ key: "writers", name: "Authors" }])
    const moved = {
      version: 1,
      teams: [{ key: "authors", name: "Authors" }],
      moved: [{ kind: "teams", from: "writers", to: "authors" }]
    }
    expect(actions(await applied(owner, moved))).toEqual(["move teams authors"])
    expect(actions(await applied(owner, moved))).toEqual([])
    const again = { version: 1, teams: [{ key: "writers", name: "Writers" }] }
    expect((await planned(owner, again)).problems[0].path).toEqual(["teams", 0, "key"])
    await owner.call("DELETE", `/v1/teams/${teamId}`)
    expect((await refusal(owner, { version: 1, teams: [{ key: "authors", name: "New" }] }))[0]).toBe(400)
    const other = await makeTeam(owner, [], "Other")
    const taken = await owner.call("POST", "/v1/configuration/adopt", {
      adoptions: [{ kind: "teams", id: other, key: "authors" }]
    })
    expect([taken.status, taken.body.error]).toEqual([409, "configuration_key_taken"])
  })

  it("does not resolve a reference to an object outside of the document by a derived key", async () => {
    const owner = await makeWorkspace(plane)
    const { body } = await owner.call("POST", "/v1/marketplaces", { name: "Shared" })
    const { id } = body.item
    const plugins = [{ key: "tools", name: "Tools", marketplaces: ["shared"] }]
    const message = `is derived from the name of an object that may be another one: Shared. Add the object to the document, or store its key with: orgplane configuration adopt marketplaces/${id}=shared`
    expect((await planned(owner, { plugins })).problems).toEqual([{ path: ["plugins", 0, "marketplaces", 0], message }])
    expect(await refusal(owner, { version: 1, plugins })).toEqual([
      400,
      "invalid_request",
      { path: ["body", "document", "plugins", 0, "marketplaces", 0], message }
    ])
    const marketplaces = [{ key: "shared", name: "Shared" }]
    expect((await planned(owner, { plugins, marketplaces })).problems).toEqual([])
    const adoptions = [{ kind: "marketplaces", id, key: "shared" }]
    expect((await owner.call("POST", "/v1/configuration/adopt", { adoptions })).status).toBe(200)
    expect(actions(await applied(owner, { plugins }))).toEqual(["create plugins tools"])
  })

  it("does not take an object for a declared one only because the key is derived from its name", async () => {
    const owner = await makeWorkspace(plane)
    const teamId = await makeTeam(owner, [], "Platform!")
    const document = { version: 1, teams: [{ key: "platform", name: "Platform" }] }
    const message =
      "is derived from the name of an object that may be another one: Platform!. Adopt the object with this key, or choose another key"
    const place = { path: ["teams", 0, "key"], message }
    const moved = {
      version: 1,
      teams: [{ key: "infra", name: "Platform" }],
      moved: [{ kind: "teams", from: "platform", to: "infra" }]
    }
    for (const each of [document, moved]) {
      const plan = await planned(owner, each)
      expect([plan.problems, plan.changes]).toEqual([[place], []])
      expect((await refusal(owner, each))[0]).toBe(400)
    }
    expect(actions(await planned(owner, { version: 1, teams: [{ key: "other", name: "Platform" }] }))).toEqual([
      "create teams other"
    ])
    // The unchanged export means the same objects. It stores their keys, which is not a difference.
    const plan = await planned(owner, await exported(owner))
    expect([plan.hasChanges, actions(plan)]).toEqual([false, ["adopt teams platform"]])
    const adoptions = [{ kind: "teams", id: teamId, key: "platform" }]
    demanded(await owner.call("POST", "/v1/configuration/adopt", { adoptions }))
    expect(actions(await applied(owner, document))).toEqual(["update teams platform"])
  })

  it("adopts no objects of other organizations or kinds, and none that do not exist", async () => {
    const [owner, stranger] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const [own, foreign] = [await makeTeam(owner, [], "Own"), await makeTeam(stranger, [], "Foreign")]
    const adopting = (...adoptions: ReadonlyArray<Item>) => owner.call("POST", "/v1/configuration/adopt", { adoptions })
    const responses = [
      await adopting({ kind: "teams", id: foreign, key: "a" }),
      await adopting({ kind: "teams", id: "tem_01h455vb4pex5vsknk084sn02q", key: "a" }),
      await adopting({ kind: "roles", id: own, key: "a" })
    ]
    const missing = [{ path: ["body", "adoptions", 0, "id"], message: "does not exist in the organization" }]
    for (const { body, status } of responses) expect([status, body.details]).toEqual([400, missing])
    // One request cannot give two keys to an object, or one key to two objects.
    const other = await makeTeam(owner, [], "Other")
    const twice = await adopting({ kind: "teams", id: own, key: "a" }, { kind: "teams", id: own, key: "b" })
    const shared = await adopting({ kind: "teams", id: own, key: "a" }, { kind: "teams", id: other, key: "a" })
    expect([twice.body.error, shared.body.error]).toEqual(Array(2).fill("configuration_key_taken"))
    expect((await exported(owner)).teams).toMatchObject([{ key: "other" }, { key: "own" }])
  })

  it("removes objects only with prune and the digest of the plan", async () => {
    const owner = await makeWorkspace(plane)
    await makeTeam(owner, [], "Kept")
    await makeTeam(owner, [], "Removed")
    const teams = [{ key: "kept", name: "Kept" }]
    expect(actions(await planned(owner, { version: 1, teams }))).toEqual(["adopt teams kept"])
    const document = { version: 1, teams, prune: { teams: true } }
    const plan = await planned(owner, document)
    expect(actions(plan)).toEqual(["delete teams removed", "adopt teams kept"])
    expect((await refusal(owner, document)).slice(0, 2)).toEqual([409, "plan_digest_required"])
    await applied(owner, document, plan.planDigest)
    expect((await exported(owner)).teams).toMatchObject([{ key: "kept" }])
  })

  it("requires the permissions of each kind, and a digest of the same organization", async () => {
    const [owner, stranger] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const document = { version: 1, teams: [{ key: "a", name: "A" }] }
    const { planDigest } = await planned(owner, document)
    expect((await refusal(stranger, document, planDigest)).slice(0, 2)).toEqual([409, "plan_digest_mismatch"])
    const permissions = ["organizations:read", "organizations:write", "teams:read", "members:read"]
    const key = await makeKey(plane, owner, permissions)
    expect((await refusal(key, document)).slice(0, 2)).toEqual([403, "permission_required"])
    expect((await key.call("GET", "/v1/configuration")).status).toBe(403)
    expect((await key.call("GET", "/v1/configuration?kinds=teams")).status).toBe(200)
    const writer = await makeKey(plane, owner, [...permissions, "teams:write"])
    expect(actions(await applied(writer, document))).toEqual(["create teams a"])
    const member = await addMember(plane, owner, "member")
    expect((await refusal(member, document)).slice(0, 2)).toEqual([403, "permission_required"])
    expect((await exported(stranger)).teams).toEqual([])
  })

  it("rejects malformed documents", async () => {
    const owner = await makeWorkspace(plane)
    for (const document of [
      undefined,
      {},
      { version: 2 },
      { version: 1, team: [] },
      { version: 1, teams: [{ key: "A", name: "A" }] },
      { version: 1, teams: [{ key: "a", name: "A", color: "red" }] },
      {
        version: 1,
        teams: [
          { key: "a", name: "A" },
          { key: "a", name: "B" }
        ]
      }
    ]) {
      expect((await owner.call("POST", "/v1/configuration/plan", { document })).status).toBe(400)
    }
    expect((await owner.call("GET", "/v1/configuration?kinds=cats")).status).toBe(400)
  })

  it("exports the same bytes after an apply to an empty organization, for random documents", async () => {
    const owner = await makeWorkspace(plane)
    const emails = await Promise.all([1, 2, 3].map(async () => emailOf(plane, await addMember(plane, owner, "member"))))
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ]{0,20}[a-z]$/)
    const list = (extra: Record<string, fc.Arbitrary<unknown>>) =>
      fc
        .uniqueArray(fc.record({ name, description: fc.option(name), ...extra }), {
          maxLength: 5,
          selector: (one) => (one as { name: string }).name.toLowerCase()
        })
        .map((items) => items.map((item, index) => ({ key: `k${index}`, ...item })))
    const role = list({ permissions: fc.subarray(["plugins:read", "teams:read", "audit:read"]) })
    const arbitrary = fc.record({
      version: fc.constant(1),
      roles: role.map((roles) =>
        roles.filter((one: Item) => !["owner", "admin", "member"].includes(one.name.toLowerCase()))
      ),
      teams: list({ members: fc.subarray(emails) })
    })
    let generation = 0
    await fc.assert(
      fc.asyncProperty(arbitrary, async (document) => {
        // Keys are never used again, so each run has its own.
        generation += 1
        const fresh = JSON.parse(JSON.stringify(document).replaceAll('"key":"k', `"key":"g${generation}-`))
        const emptied = { ...fresh, prune: { roles: true, teams: true } }
        const plan = await planned(owner, emptied)
        expect(plan.problems).toEqual([])
        expect(await applied(owner, emptied, plan.planDigest)).toEqual(plan)
        const first = await exported(owner)
        expect((await planned(owner, first)).changes).toEqual([])
        // The same keys in another organization with the same people.
        const other = await makeWorkspace(plane)
        await runSql(
          plane,
          (sql) => sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
          SELECT ${other.organizationId}, 'om_' || substr(id, 4, 10) || substr(md5(${other.organizationId} || id), 1, 16), user_id, role, now(), now()
          FROM memberships WHERE organization_id = ${owner.organizationId} AND role = 'member' AND removed_at IS NULL`
        )
        await applied(other, first)
        expect(JSON.stringify(await exported(other))).toBe(JSON.stringify(first))
      }),
      { numRuns: 6 }
    )
  })
})
