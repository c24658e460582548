/** SCIM tokens cannot exceed the authority of the member who created them. */
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeScimToken, makeWorkspace, type Person, type Workspace } from "../harness.ts"
import { type Directory, expectRefused, makeGroup, makeUser, patchOf, verifyDomain } from "./scim.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const root = "/v1/scim/directories"
const deactivation = patchOf({ op: "replace", path: "active", value: false })
const back = patchOf({ op: "replace", path: "active", value: true })

/** A directory created by a given member, in an organization with a domain. */
const directoryOf = async (owner: Workspace, by: Person = owner) => {
  const { call, directoryId, token } = await makeScimToken(plane, by)
  const directory: Directory = {
    owner,
    id: directoryId,
    token,
    scim: (method, path, body, headers = {}) => call(method, `/v1/scim/v2${path}`, body, headers)
  }
  return { ...directory, path: `${root}/${directoryId}` }
}

const makeCompany = async () => {
  const owner = await makeWorkspace(plane)
  const domain = `d${owner.organizationId.slice(4)}.example`
  await verifyDomain(plane, owner, domain)
  return {
    owner,
    domain,
    someone: (name: string) => ({ userName: `${name}@${domain}`, emails: [{ value: `${name}@${domain}` }] })
  }
}

const memberOf = async (owner: Workspace, userName: string) =>
  (await owner.call("GET", `/v1/members?q=${encodeURIComponent(userName)}`)).body.items[0]

describe("organization owners", () => {
  it("cannot be removed by a directory whose token an admin created", async () => {
    const { owner, someone } = await makeCompany()
    const admin = await addMember(plane, owner, "admin")
    const directory = await directoryOf(owner, admin)
    const other = await makeUser(directory, someone("other-owner"))
    const membership = await memberOf(owner, other.userName)
    expect((await owner.call("PATCH", `/v1/members/${membership.id}`, { role: "owner" })).status).toBe(200)
    expect((await admin.call("DELETE", `/v1/members/${membership.id}`)).body.reason).toBe("owner_required")
    for (const [method, body] of [
      ["PATCH", deactivation],
      ["DELETE", undefined]
    ] as const) {
      const response = await directory.scim(method, `/Users/${other.id}`, body)
      expectRefused(response, 403)
      expect(response.body.detail).toContain("owner")
    }
    expect((await memberOf(owner, other.userName)).role).toBe("owner")
    expect((await directory.scim("GET", `/Users/${other.id}`)).body.active).toBe(true)
    // Neither by removing the directory with its members, nor by a held deactivation.
    const held = await Promise.all(Array.from({ length: 5 }, () => makeUser(directory)))
    for (const { id } of held) expect((await directory.scim("DELETE", `/Users/${id}`)).status).toBe(204)
    expect((await directory.scim("PATCH", `/Users/${other.id}`, deactivation)).status).toBe(200)
    const hold = (await owner.call("GET", directory.path)).body.directory.pendingHoldId
    const approved = await admin.call("POST", `${directory.path}/holds/${hold}/approve`)
    expect(approved.body).toMatchObject({ hold: { status: "approved" }, keptOrgMembershipId: membership.id })
    expect((await admin.call("POST", `${directory.path}/reconcile`)).body.reconciliation.ended).toBe(0)
    expect((await admin.call("DELETE", `${directory.path}?members=end`)).status).toBe(204)
    expect((await memberOf(owner, other.userName)).role).toBe("owner")
  })

  it("can be removed by a directory whose token an owner created, except the last one", async () => {
    const { owner, someone } = await makeCompany()
    const admin = await addMember(plane, owner, "admin")
    const directory = await directoryOf(owner, admin)
    const other = await makeUser(directory, someone("other-owner"))
    const membership = await memberOf(owner, other.userName)
    await owner.call("PATCH", `/v1/members/${membership.id}`, { role: "owner" })
    const rotated = await makeScimToken(plane, owner, directory.id)
    expect((await rotated.call("PATCH", `/v1/scim/v2/Users/${other.id}`, deactivation)).status).toBe(200)
    expect(await memberOf(owner, other.userName)).toBeUndefined()
  })
})

describe("repeated deactivation and reactivation", () => {
  it("counts each deactivation, because members return without access", async () => {
    const { owner } = await makeCompany()
    const directory = await directoryOf(owner)
    const users: Array<{ readonly id: string; readonly userName: string }> = []
    for (let count = 0; count < 8; count += 1) users.push(await makeUser(directory))
    const before = (await owner.call("GET", "/v1/members?limit=100")).body.items.map(({ id }: { id: string }) => id)
    for (const { id } of users) {
      expect((await directory.scim("PATCH", `/Users/${id}`, deactivation)).status).toBe(200)
      expect((await directory.scim("PATCH", `/Users/${id}`, back)).status).toBe(200)
    }
    const after = (await owner.call("GET", "/v1/members?limit=100")).body.items.map(({ id }: { id: string }) => id)
    expect(after).toHaveLength(9)
    // The owner, and the three who were not deactivated.
    expect(after.filter((id: string) => before.includes(id))).toHaveLength(4)
  })
})

describe("a role from a SCIM group", () => {
  const makeHeld = async () => {
    const { owner, someone } = await makeCompany()
    const directory = await directoryOf(owner)
    const ann = await makeUser(directory, someone("ann"))
    const group = await makeGroup(directory, [ann.id], "Admins")
    const mapped = await owner.call("PUT", `${directory.path}/groups/${group.id}/role`, { role: "admin" })
    expect([mapped.status, mapped.text.slice(0, 0)]).toEqual([200, ""])
    expect((await memberOf(owner, ann.userName)).role).toBe("admin")
    for (let left = 5; left > 0; left -= 1) {
      const user = await makeUser(directory)
      expect((await directory.scim("DELETE", `/Users/${user.id}`)).status).toBe(204)
    }
    expect((await directory.scim("DELETE", `/Users/${ann.id}`)).status).toBe(204)
    const hold = (await owner.call("GET", directory.path)).body.directory.pendingHoldId
    expect(hold).toMatch(/^sch_/)
    return { owner, directory, ann, group, someone, at: `${directory.path}/holds/${hold}` }
  }

  it("is lost by a held user when the group no longer assigns it, and does not return", async () => {
    const { ann, at, directory, group, owner } = await makeHeld()
    await owner.call("PUT", `${directory.path}/groups/${group.id}/role`, { role: null })
    expect((await memberOf(owner, ann.userName)).role).toBe("member")
    expect((await owner.call("POST", `${at}/reject`)).status).toBe(200)
    expect((await memberOf(owner, ann.userName)).role).toBe("member")
  })

  it("is lost by a held user who is removed from the group", async () => {
    const { ann, directory, group, owner } = await makeHeld()
    const out = patchOf({ op: "remove", path: `members[value eq "${ann.id}"]` })
    expect((await directory.scim("PATCH", `/Groups/${group.id}`, out)).status).toBe(204)
    expect((await memberOf(owner, ann.userName)).role).toBe("member")
  })

  it("is not inherited by a new SCIM user, and neither are teams", async () => {
    const { ann, directory, group, owner, someone } = await makeHeld()
    const again = await makeUser(directory, someone("ann"))
    expect(again.id).not.toBe(ann.id)
    expect((await directory.scim("GET", `/Users/${again.id}`)).body.groups).toBeUndefined()
    expect((await memberOf(owner, ann.userName)).role).toBe("member")
    expect((await owner.call("GET", `/v1/teams/${group.id}`)).body.team.memberCount).toBe(0)
    // It can be assigned again.
    const into = patchOf({ op: "add", path: "members", value: [{ value: again.id }] })
    expect((await directory.scim("PATCH", `/Groups/${group.id}`, into)).status).toBe(204)
    expect((await memberOf(owner, ann.userName)).role).toBe("admin")
    expect((await owner.call("GET", `/v1/teams/${group.id}`)).body.team.memberCount).toBe(1)
  })
})
