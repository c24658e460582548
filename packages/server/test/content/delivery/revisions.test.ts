import { describe, expect, it } from "vitest"
import { addMember, engine, makeControlPlane, makeRole, makeWorkspace, runSql } from "../../harness.ts"
import { polled, requested, stateOf } from "./desired-state.fixture.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)
const member = await addMember(plane, owner, "member")

const share = async (name: string) => {
  const { body } = await owner.call("POST", "/v1/plugins", { name })
  const granted = await owner.call("POST", `/v1/plugins/${body.item.id}/access`, { orgWide: true, role: "viewer" })
  expect(granted.status).toBe(201)
  return { pluginId: body.item.id as string, grantId: granted.body.item.id as string }
}

describe("the revision of a desired state", () => {
  it("increases with each change, also when the earlier content returns", async () => {
    const before = (await stateOf(plane, member.token)).body
    const { grantId, pluginId } = await share("One")
    const shared = (await stateOf(plane, member.token)).body
    expect((await owner.call("DELETE", `/v1/plugins/${pluginId}/access/${grantId}`)).status).toBe(204)
    const after = (await stateOf(plane, member.token)).body
    expect([shared.revision, after.revision]).toEqual([before.revision + 1, before.revision + 2])
    expect(after.plugins).toEqual(before.plugins)
    expect((await stateOf(plane, member.token)).body.revision).toBe(after.revision)
  })

  it("never belongs to two contents and never decreases while requests and changes overlap", async () => {
    const contents = new Map<number, Set<string>>()
    let highest = 0
    const reader = async () => {
      for (let round = 0; round < 12; round += 1) {
        const { body, etag } = await stateOf(plane, member.token).catch(() => ({ body: undefined, etag: "" }))
        if (body === undefined) continue
        contents.set(body.revision, (contents.get(body.revision) ?? new Set()).add(etag))
        highest = Math.max(highest, body.revision)
      }
    }
    const writer = async (name: string) => {
      for (let round = 0; round < 5; round += 1) await share(`${name} ${round}`)
    }
    await Promise.all([reader(), reader(), reader(), reader(), writer("A"), writer("B")])
    expect([...contents.values()].filter((etags) => etags.size > 1)).toEqual([])
    expect(contents.size).toBeGreaterThan(2)
    const { body } = await stateOf(plane, member.token)
    expect(body.revision).toBeGreaterThanOrEqual(highest)
    expect(body.plugins.length).toBe(10)
  })

  it.skipIf(engine === "pglite")(
    "is the same in every process, and a change in one is seen by the others",
    async () => {
      const other = await makeControlPlane({ database: plane.database, workers: false })
      const first = await requested(plane, member.token)
      const same = await requested(other, member.token)
      expect([same.etag, same.text]).toEqual([first.etag, first.text])
      for (let round = 0; round < 5; round += 1) {
        const { etag } = await requested(other, member.token)
        expect(await polled(other, member.token, etag)).toBe(304)
        await share(`Seen ${round}`)
        expect(await polled(other, member.token, etag)).toBe(200)
      }
    }
  )

  it("never decreases, even if the database loses the last revisions", async () => {
    const { membershipId, token } = await addMember(plane, owner, "member")
    const first = (await stateOf(plane, token)).body
    await share("Lost")
    const issued = (await stateOf(plane, token)).body
    expect(issued.revision).toBe(first.revision + 1)
    // The row as a standby that lagged has it.
    await runSql(
      plane,
      (sql) => sql`UPDATE desired_state_revisions SET revision = ${first.revision}, digest = 'earlier'
        WHERE organization_id = ${owner.organizationId} AND membership_id = ${membershipId}`
    )
    const after = (await stateOf(plane, token)).body
    expect(after.revision).toBe(issued.revision + 1)
    await runSql(
      plane,
      (sql) => sql`DELETE FROM desired_state_revisions
        WHERE organization_id = ${owner.organizationId} AND membership_id = ${membershipId}`
    )
    expect((await stateOf(plane, token)).body.revision).toBe(after.revision + 1)
    expect((await stateOf(plane, token)).body.revision).toBe(after.revision + 1)
  })

  it("changes when the permissions of the role change without an audit event", async () => {
    const role = await makeRole(owner, ["plugins:read"])
    const { token } = await addMember(plane, owner, role)
    const { etag } = await requested(plane, token)
    expect(await polled(plane, token, etag)).toBe(304)
    await runSql(
      plane,
      (sql) => sql`UPDATE roles SET permissions_json = '["members:read"]'
        WHERE organization_id = ${owner.organizationId} AND id = ${role}`
    )
    expect(await polled(plane, token, etag)).toBe(200)
  })
})
