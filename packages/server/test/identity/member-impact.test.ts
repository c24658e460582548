/** What the removal of a member ends, before it is done. */
import * as Members from "@orgplane/schema/members"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeKey, makeTeam, makeWorkspace, type Person, rowCounts } from "../harness.ts"

const plane = await makeControlPlane()
const missing = "om_01h455vb4pex5vsknk084sn02q"
const at = (id: string) => `/v1/members/${id}`
const remove = (by: Pick<Person, "call">, id: string) => by.call("DELETE", at(id))

describe("GET /v1/members/{id}/impact", () => {
  it("counts what a removal ends, and lists the objects that are granted to the member", async () => {
    const owner = await makeWorkspace(plane)
    const person = await addMember(plane, owner, "admin")
    await makeTeam(owner, [person])
    const key = await makeKey(plane, person, ["plugins:read"])
    const revoked = await makeKey(plane, person, ["plugins:read"])
    await person.call("DELETE", `/v1/api-keys/${revoked.id}`)
    await person.call("POST", "/v1/invitations", { email: "guest@acme.example" })
    const plugin = await person.call("POST", "/v1/plugins", { name: "Theirs" })
    const before = await rowCounts(plane)
    const { body, status } = await owner.call("GET", `${at(person.membershipId)}/impact`)
    expect(status).toBe(200)
    expect(Schema.decodeUnknownSync(Members.MemberImpact)(body.impact)).toEqual({
      orgMembershipId: person.membershipId,
      managedByScim: false,
      teamCount: 1,
      grantCount: 1,
      objects: [{ kind: "plugin", id: plugin.body.item.id, name: "Theirs", role: "manager" }],
      assignmentCount: 0,
      desktopPolicyCount: 0,
      deviceCount: 0,
      sessionCount: 1,
      connectionCount: 0,
      workerCount: 0,
      workerTokenCount: 0,
      invitationCount: 1,
      apiKeyCount: 1
    })
    expect(await rowCounts(plane)).toEqual(before)
    expect((await remove(owner, person.membershipId)).status).toBe(204)
    expect((await person.call("GET", "/v1/plugins")).status).not.toBe(200)
    expect((await key.call("GET", "/v1/plugins")).status).toBe(200)
    expect((await owner.call("GET", "/v1/invitations?status=pending")).body.items).toEqual([])
  })

  it("leaves out objects that the caller cannot see, and returns 403 without members:manage", async () => {
    const owner = await makeWorkspace(plane)
    await owner.call("POST", "/v1/plugins", { name: "Hidden" })
    const key = await makeKey(plane, owner, ["members:manage"])
    const { body } = await key.call("GET", `${at(owner.membershipId)}/impact`)
    expect(body.impact).toMatchObject({ grantCount: 1, objects: [] })
    const member = await addMember(plane, owner, "member")
    const refused = await member.call("GET", `${at(member.membershipId)}/impact`)
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
  })

  it("returns the same 404 for a foreign, a former and a missing member, and 400 for an invalid id", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    const left = await addMember(plane, owner, "member")
    await remove(owner, left.membershipId)
    const responses = await Promise.all(
      [elsewhere.membershipId, left.membershipId, missing].map((id) => owner.call("GET", `${at(id)}/impact`))
    )
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect((await owner.call("GET", `${at("om_x")}/impact`)).status).toBe(400)
  })
})
