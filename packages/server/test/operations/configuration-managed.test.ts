/** Objects that a configuration document manages. */
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeKey, makeTeam, makeWorkspace, type Person } from "../harness.ts"

const plane = await makeControlPlane()

const apply = async (person: Person, document: object) => {
  const response = await person.call("POST", "/v1/configuration/apply", { document: { version: 1, ...document } })
  expect([response.status, response.text]).toEqual([200, response.text])
  return response.body.plan
}

/** A workspace whose document has one team, with the ID of that team. */
const withTeam = async (managed: object) => {
  const owner = await makeWorkspace(plane)
  const plan = await apply(owner, { teams: [{ key: "platform", name: "Platform" }], managed })
  const { body } = await owner.call("GET", "/v1/teams")
  return { owner, plan, teamId: String(body.items[0].id) }
}

describe("objects that a configuration document manages", () => {
  it("can be changed only by the document if other changes are refused", async () => {
    const { owner, plan, teamId } = await withTeam({ teams: "refuse" })
    expect(plan.changes.at(-1)).toEqual({
      kind: "teams",
      key: null,
      name: "teams",
      action: "update",
      fields: [{ field: "managed", before: "off", after: "refuse" }]
    })
    const member = await addMember(plane, owner, "member")
    const key = await makeKey(plane, owner, ["teams:read", "teams:write", "teams:manage"])
    for (const caller of [owner, key]) {
      for (const [method, path, body] of [
        ["PATCH", `/v1/teams/${teamId}`, { name: "Other" }],
        ["PUT", `/v1/teams/${teamId}/members/${member.membershipId}`, {}],
        ["DELETE", `/v1/teams/${teamId}`, undefined]
      ] as const) {
        const response = await caller.call(method, path, body)
        expect([method, response.status, response.body]).toEqual([
          method,
          403,
          expect.objectContaining({
            reason: "managed_by_configuration",
            message: "A configuration document manages teams/platform. Change it there, and apply the document."
          })
        ])
      }
    }
    expect((await owner.call("GET", `/v1/teams/${teamId}`)).body.team).toMatchObject({ name: "Platform" })
    // Objects without a key are not in a document, and objects of other kinds are not managed.
    const other = await makeTeam(owner, [], "Writers")
    expect((await owner.call("PATCH", `/v1/teams/${other}`, { name: "Authors" })).status).toBe(200)
    const role = await owner.call("POST", "/v1/roles", { name: "Reader", permissions: [] })
    expect(role.status).toBe(201)
    // The document itself can change them, also with the mode in place.
    await apply(owner, { teams: [{ key: "platform", name: "Platform team" }] })
    expect((await owner.call("GET", `/v1/teams/${teamId}`)).body.team).toMatchObject({ name: "Platform team" })
  })

  it("get a warning if other changes are allowed", async () => {
    const { owner, teamId } = await withTeam({ teams: "warn" })
    const response = await owner.call("PATCH", `/v1/teams/${teamId}`, { name: "Other" })
    expect([response.status, response.headers.get("orgplane-warning")]).toEqual([
      200,
      "A configuration document manages teams/platform."
    ])
  })

  it("are released by the document, and the mode is part of the export", async () => {
    const { owner, teamId } = await withTeam({ teams: "refuse" })
    const { document } = (await owner.call("GET", "/v1/configuration")).body
    expect(document.managed).toEqual({ teams: "refuse" })
    expect((await apply(owner, document)).changes).toEqual([])
    expect((await owner.call("GET", "/v1/configuration?kinds=roles")).body.document).not.toHaveProperty("managed")
    await apply(owner, { managed: { teams: "off" } })
    const response = await owner.call("PATCH", `/v1/teams/${teamId}`, { name: "Other" })
    expect([response.status, response.headers.get("orgplane-warning")]).toEqual([200, null])
    expect((await owner.call("GET", "/v1/configuration")).body.document).not.toHaveProperty("managed")
  })

  it("are managed in their own organization only", async () => {
    const { teamId } = await withTeam({ teams: "refuse" })
    const stranger = await makeWorkspace(plane)
    expect((await stranger.call("PATCH", `/v1/teams/${teamId}`, { name: "Other" })).status).toBe(404)
    const own = await makeTeam(stranger, [], "Platform")
    expect((await stranger.call("PATCH", `/v1/teams/${own}`, { name: "Other" })).status).toBe(200)
  })
})
