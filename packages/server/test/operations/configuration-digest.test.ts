/** Configuration as code: what the digest of a plan covers, and how many problems a plan lists. */
import { describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace, type Person } from "../harness.ts"
import { actions, applied, planned } from "./configuration.fixture.ts"

const plane = await makeControlPlane({ workers: false })

const send = (person: Person, verb: "plan" | "apply", body: object) =>
  person.call("POST", `/v1/configuration/${verb}`, body)

describe("the digest of a plan", () => {
  it("covers whether a secret would be set, which can change without a change of the object", async () => {
    const owner = await makeWorkspace(plane)
    const document = {
      version: 1,
      llmProviders: [
        {
          key: "acme",
          name: "Acme",
          providerId: "custom",
          baseUrl: "https://llm.example/v1",
          apiKey: { fromEnvironment: "ACME_KEY" }
        }
      ]
    }
    const withKey = (ACME_KEY: string) => ({ document, secrets: { ACME_KEY } })
    expect((await send(owner, "apply", withKey("one"))).text).toContain('"problems":[]')
    const { plan } = (await send(owner, "plan", withKey("one"))).body
    expect([plan.problems, plan.changes]).toEqual([[], []])
    expect((await send(owner, "apply", withKey("two"))).status).toBe(200)
    const stale = await send(owner, "apply", { ...withKey("one"), planDigest: plan.planDigest })
    expect([stale.status, stale.body.error]).toEqual([409, "plan_digest_mismatch"])
    expect((await send(owner, "plan", withKey("two"))).body.plan.changes).toEqual([])
  })

  it("is in the error of an outdated plan only if the current plan removes nothing", async () => {
    const owner = await makeWorkspace(plane)
    const document = { version: 1, teams: [{ key: "a", name: "A" }], prune: { teams: true } }
    const seen = await planned(owner, document)
    expect(actions(seen)).toEqual(["create teams a"])
    await owner.call("POST", "/v1/teams", { name: "B" })
    const refused = await send(owner, "apply", { document, planDigest: seen.planDigest })
    expect([refused.status, refused.body.error, refused.body.planDigest]).toEqual([
      409,
      "plan_digest_mismatch",
      undefined
    ])
    const current = await planned(owner, document)
    expect(actions(current)).toEqual(["delete teams b", "create teams a"])
    await applied(owner, document, current.planDigest)
  })
})

describe("the problems of a plan", () => {
  it("are at most 100, of which the last one has the number of the others", async () => {
    const owner = await makeWorkspace(plane)
    const members = (count: number) => Array.from({ length: count }, (_, index) => `m${index}@people.example`)
    const document = (count: number) => ({ version: 1, teams: [{ key: "a", name: "A", members: members(count) }] })
    expect((await planned(owner, document(100))).problems.length).toBe(100)
    const { problems } = await planned(owner, document(250))
    expect([problems.length, problems[98].path, problems[99]]).toEqual([
      100,
      ["teams", 0, "members", 98],
      { path: [], message: "has 151 more problems" }
    ])
    const refused = await send(owner, "apply", { document: document(250) })
    expect([refused.status, refused.body.details.length, refused.body.details[99]]).toEqual([
      400,
      100,
      { path: ["body", "document"], message: "has 151 more problems" }
    ])
  })
})
