import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeRole, makeScimToken, makeWorkspace, runSql } from "../harness.ts"
import { makeGroup, makeUser, patchOf, someUser, type Directory, verifyDomain } from "./scim.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const root = "/v1/scim/directories"

interface User {
  readonly id: string
  readonly userName: string
}

/** A directory in its first hour with this many active users. */
const makeCompany = async (count: number) => {
  const owner = await makeWorkspace(plane)
  const { call, directoryId, token } = await makeScimToken(plane, owner)
  const directory: Directory = {
    owner,
    id: directoryId,
    token,
    scim: (method, path, body, headers = {}) => call(method, `/v1/scim/v2${path}`, body, headers)
  }
  const users: Array<User> = []
  for (let index = 0; index < count; index += 1) users.push(await makeUser(directory))
  const deactivate = async (user: User) => {
    const response = await directory.scim(
      "PATCH",
      `/Users/${user.id}`,
      patchOf({ op: "replace", value: { active: false } })
    )
    expect([response.status, response.body.active]).toEqual([200, false])
  }
  const activate = async (user: User) => {
    const response = await directory.scim(
      "PATCH",
      `/Users/${user.id}`,
      patchOf({ op: "replace", value: { active: true } })
    )
    expect([response.status, response.body.active]).toEqual([200, true])
  }
  const remove = async (user: User) => expect((await directory.scim("DELETE", `/Users/${user.id}`)).status).toBe(204)
  const members = async () => (await owner.call("GET", "/v1/members?limit=100")).body.items.length - 1
  const pending = async (): Promise<string | null> =>
    (await owner.call("GET", `${root}/${directoryId}`)).body.directory.pendingHoldId
  const hold = async () => {
    const id = await pending()
    expect(id).toMatch(/^sch_/)
    return `${root}/${directoryId}/holds/${id}`
  }
  return { ...directory, users, deactivate, activate, remove, members, pending, hold, path: `${root}/${directoryId}` }
}

const times = async (count: number, of: ReadonlyArray<User>, act: (user: User) => Promise<unknown>, from = 0) => {
  for (const user of of.slice(from, from + count)) await act(user)
}

describe("a mass deactivation", () => {
  it("of up to five users is never held, and the sixth of a small directory is", async () => {
    const { deactivate, hold, members, owner, pending, users } = await makeCompany(8)
    await times(5, users, deactivate)
    expect([await members(), await pending()]).toEqual([3, null])
    await times(2, users, deactivate, 5)
    expect(await members()).toBe(3)
    const path = await hold()
    expect((await owner.call("GET", path)).body.hold).toMatchObject({ status: "pending", count: 2, activeBefore: 8 })
    const held = (await owner.call("GET", `${path}/users`)).body.items
    expect(held.map(({ userName }: User) => userName).toSorted()).toEqual(
      users
        .slice(5, 7)
        .map(({ userName }) => userName)
        .toSorted()
    )
  })

  it("is held from the first user above 30 percent", { timeout: 240_000 }, async () => {
    const { deactivate, hold, members, owner, pending, remove, users } = await makeCompany(30)
    await times(9, users, deactivate)
    expect([await members(), await pending()]).toEqual([21, null])
    await times(1, users, deactivate, 9)
    await times(2, users, remove, 10)
    expect(await members()).toBe(21)
    expect((await owner.call("GET", await hold())).body.hold).toMatchObject({ count: 3, activeBefore: 30 })
  })

  it("ignores users created within the hour and earlier deactivations", async () => {
    const company = await makeCompany(20)
    const { deactivate, id, members, pending, users } = company
    // Six existed before the hour; creating others does not allow more deactivations.
    await runSql(
      plane,
      (sql) => sql`UPDATE scim_directories SET created_at = now() - interval '2 hours' WHERE id = ${id}`
    )
    const old = users.slice(0, 6).map((user) => user.id)
    await runSql(
      plane,
      (sql) => sql`UPDATE scim_users SET created_at = now() - interval '2 hours'
        WHERE directory_id = ${id} AND id IN (SELECT jsonb_array_elements_text(${sql.json(old)}))`
    )
    await times(5, users, deactivate)
    await runSql(
      plane,
      (sql) => sql`UPDATE scim_deactivations SET created_at = now() - interval '61 minutes' WHERE directory_id = ${id}`
    )
    await times(5, users, deactivate, 5)
    expect([await members(), await pending()]).toEqual([10, null])
    await times(1, users, deactivate, 10)
    expect(await members()).toBe(10)
    expect(await pending()).not.toBeNull()
  })

  it("is held despite concurrent requests", async () => {
    const { deactivate, hold, members, owner, users } = await makeCompany(12)
    await Promise.all(users.map(deactivate))
    expect(await members()).toBe(7)
    expect((await owner.call("GET", await hold())).body.hold.count).toBe(7)
  })
})

describe("a hold", () => {
  it("ends all memberships and their sessions when approved, and reports the last owner, who stays", async () => {
    const { hold, members, owner, path, pending, remove, users } = await makeCompany(9)
    await times(5, users, remove)
    const heir = (await owner.call("GET", `/v1/members?q=${users[8]?.userName}`)).body.items[0]
    await owner.call("POST", "/v1/organization/transfer-ownership", { orgMembershipId: heir.id, keep: "admin" })
    const by = await addMember(plane, owner, "admin")
    await times(4, users, remove, 5)
    expect(await members()).toBe(5)
    const at = await hold()
    const viewer = await addMember(plane, owner, await makeRole(by, ["scim:read"]))
    expect((await viewer.call("POST", `${at}/approve`)).body.reason).toBe("permission_required")
    const approved = await by.call("POST", `${at}/approve`)
    expect(approved.body).toMatchObject({
      hold: { status: "approved", count: 4, decidedBy: by.membershipId },
      keptOrgMembershipId: heir.id
    })
    const left = (await by.call("GET", "/v1/members")).body.items
    expect(left.map(({ role }: { role: string }) => role).filter((role: string) => role === "owner")).toHaveLength(1)
    expect(left).toHaveLength(4)
    expect(await pending()).toBeNull()
    for (const verb of ["approve", "reject"]) {
      expect((await by.call("POST", `${at}/${verb}`)).body.error).toBe("scim_hold_not_pending")
    }
    expect((await by.call("GET", `${path}/holds`)).body.items).toMatchObject([{ status: "approved" }])
  })

  it("resets the count when approved", async () => {
    const { deactivate, hold, members, owner, pending, users } = await makeCompany(13)
    await times(6, users, deactivate)
    expect(await members()).toBe(8)
    expect((await owner.call("POST", `${await hold()}/approve`)).status).toBe(200)
    expect(await members()).toBe(7)
    await times(5, users, deactivate, 6)
    expect([await members(), await pending()]).toEqual([2, null])
    await times(1, users, deactivate, 11)
    expect(await members()).toBe(2)
    expect(await pending()).not.toBeNull()
  })

  it("reactivates users with their groups when rejected, also removed ones", async () => {
    const company = await makeCompany(8)
    const { deactivate, hold, members, owner, pending, remove, scim, users } = company
    const group = await makeGroup(
      company,
      users.slice(5).map(({ id }) => id)
    )
    await times(5, users, deactivate)
    await times(1, users, deactivate, 5)
    await times(2, users, remove, 6)
    expect((await scim("GET", `/Users/${users[7]?.id}`)).status).toBe(404)
    const at = await hold()
    expect((await owner.call("POST", `${at}/reject`)).body.hold).toMatchObject({ status: "rejected", count: 3 })
    expect([await members(), await pending()]).toEqual([3, null])
    for (const user of users.slice(5)) {
      expect((await scim("GET", `/Users/${user.id}`)).body).toMatchObject({
        active: true,
        groups: [{ value: group.id }]
      })
    }
    expect((await scim("GET", `/Groups/${group.id}`)).body.members).toHaveLength(3)
    expect((await owner.call("GET", `/v1/teams/${group.id}`)).body.team.memberCount).toBe(3)
    // Without an approval, the next deactivation is held again.
    await times(1, users, deactivate, 5)
    expect(await pending()).not.toBeNull()
  })

  it("releases users whom the directory reactivates, and is removed with the last of them", async () => {
    const company = await makeCompany(8)
    const { activate, deactivate, hold, members, owner, pending, remove, scim, users } = company
    await times(5, users, deactivate)
    await times(1, users, deactivate, 5)
    await times(1, users, remove, 6)
    const path = await hold()
    const lastUser = users[6] ?? users[0]
    await times(1, users, activate, 5)
    expect((await owner.call("GET", path)).body.hold.count).toBe(1)
    // A new SCIM user with the same name takes over the membership.
    const again = await scim("POST", "/Users", someUser({ userName: lastUser?.userName }))
    expect(again.status).toBe(201)
    expect(await members()).toBeGreaterThanOrEqual(3)
    if ((await pending()) !== null) expect((await owner.call("POST", `${path}/approve`)).status).toBe(200)
    expect((await scim("GET", `/Users/${again.body.id}`)).body.active).toBe(true)
    expect(await pending()).toBeNull()
  })

  it("continues with the user's new SCIM user, who stays a member regardless of the decision", async () => {
    const company = await makeCompany(7)
    const { deactivate, members, owner, pending, remove, users } = company
    await verifyDomain(plane, owner, "again.example")
    const person = { userName: "ann@again.example", emails: [{ value: "ann@again.example", primary: true }] }
    const before = await makeUser(company, person)
    await times(5, users, deactivate)
    await remove(before)
    expect([await members(), await pending()]).toEqual([3, expect.any(String)])
    const after = await makeUser(company, person)
    expect(after.id).not.toBe(before.id)
    expect([await members(), await pending()]).toEqual([3, null])
  })

  it("is decided once despite concurrent decisions", async () => {
    const { deactivate, hold, members, owner, users } = await makeCompany(8)
    const other = await addMember(plane, owner, "admin")
    await times(7, users, deactivate)
    const at = await hold()
    const responses = await Promise.all([
      owner.call("POST", `${at}/approve`),
      other.call("POST", `${at}/reject`),
      other.call("POST", `${at}/approve`)
    ])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    const status = (await owner.call("GET", at)).body.hold.status
    // One more for the admin.
    expect(await members()).toBe(status === "approved" ? 2 : 4)
  })

  it("and a concurrent reactivation leave a member or none, but no partial state", async () => {
    const { activate, deactivate, hold, members, owner, path, users } = await makeCompany(8)
    await times(7, users, deactivate)
    const at = await hold()
    await Promise.all([owner.call("POST", `${at}/approve`), times(1, users, activate, 5)])
    // The reactivated user is a member in either order; the other is not, unless the hold was empty.
    expect(await members()).toBe(2)
    const before = (await owner.call("POST", `${path}/reconcile`)).body.reconciliation
    expect(before).toMatchObject({ linked: 0, ended: 0 })
  })

  it("keeps all held members when the directory is removed, by default", async () => {
    for (const [query, left] of [
      ["", 3],
      ["?members=end", 0]
    ] as const) {
      const { deactivate, members, owner, path, users } = await makeCompany(8)
      await times(7, users, deactivate)
      expect(await members()).toBe(3)
      expect((await owner.call("DELETE", `${path}${query}`)).status).toBe(204)
      expect(await members()).toBe(left)
    }
  })

  it("is not affected by a reconciliation", async () => {
    const { deactivate, members, owner, path, users } = await makeCompany(8)
    await times(7, users, deactivate)
    expect((await owner.call("POST", `${path}/reconcile`)).body.reconciliation.ended).toBe(0)
    expect(await members()).toBe(3)
  })

  it("is not found by another organization or directory", async () => {
    const { deactivate, hold, owner, users } = await makeCompany(8)
    await times(7, users, deactivate)
    const at = await hold()
    const sibling = await makeScimToken(plane, owner)
    const elsewhere = at.replace(/directories\/[^/]+/, `directories/${sibling.directoryId}`)
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/users"],
      ["POST", "/approve"],
      ["POST", "/reject"]
    ] as const) {
      expect((await owner.call(method, elsewhere + path)).body.error).toBe("scim_hold_not_found")
      const other = await makeWorkspace(plane)
      expect((await other.call(method, at + path)).body.error).toBe("scim_directory_not_found")
    }
  })
})
