/** Withdrawals of releases. */
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeWorkspace, runSql } from "../harness.ts"
import { approvePending, pending } from "./approvals.fixture.ts"
import { stateOf } from "./delivery/desired-state.fixture.ts"
import { start, succeeded } from "./rollouts.fixture.ts"

const plane = await makeControlPlane()

describe("a withdrawn release", () => {
  const withdraw = (owner: { call: Function }, body: object) => owner.call("POST", "/v1/rollouts/withdraw", body)

  it("is removed from all desired states at once, even if it is pinned, and the previous release is served", async () => {
    const { act, canary, digests, early, first, last, owner, pluginId, release, rollout } = await start(plane)
    const second = await release("Second")
    await act((await rollout()).id, "release", { comment: "All." })
    const pin = await succeeded(owner, "POST", "/v1/assignments", {
      pluginId,
      mode: "required",
      memberIds: [last.membershipId],
      pinnedDigest: second.digest
    })
    expect(await digests()).toEqual([second.digest, second.digest, second.digest])
    const { item } = (await withdraw(owner, { pluginId, digest: second.digest, comment: "Leaks." })).body
    expect(item).toEqual({
      pluginId,
      digest: second.digest,
      servedReleaseId: first.id,
      rolloutIds: [],
      unpinnedAssignmentIds: [pin.item.id]
    })
    expect(await digests([canary, early, last, owner])).toEqual(Array.from({ length: 4 }, () => first.digest))
    expect((await owner.call("GET", `/v1/approvals/${second.id}`)).body.item).toMatchObject({
      state: "rejected",
      decidedBecause: "withdrawn",
      comment: "Leaks."
    })
    expect((await withdraw(owner, { pluginId, digest: second.digest, comment: "Again." })).body.error).toBe(
      "release_not_approved"
    )
    expect(
      await owner.call("POST", "/v1/assignments", { pluginId, mode: "required", pinnedDigest: second.digest })
    ).toMatchObject({ status: 400 })
  })

  it("cancels its rollout, and is not served again without an approver", async () => {
    const { digests, first, owner, pluginId, release, rollout, write } = await start(plane)
    const second = await release("Second")
    const { id } = await rollout()
    expect((await withdraw(owner, { pluginId, digest: second.digest, comment: "Leaks." })).body.item).toMatchObject({
      servedReleaseId: first.id,
      rolloutIds: [id]
    })
    expect((await rollout()).state).toBe("cancelled")
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
    // A change without new capabilities is served without an approver. The content of the withdrawn release is not.
    await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_growth" })
    await write("Third")
    await expect.poll(async () => (await rollout()).digest).not.toBe(second.digest)
    await write("Second")
    await expect
      .poll(async () => (await pending(owner, pluginId)).map(({ digest }: { digest: string }) => digest))
      .toEqual([second.digest])
    expect((await rollout()).digest).not.toBe(second.digest)
    await approvePending(owner, pluginId)
    expect(await rollout()).toMatchObject({ digest: second.digest, state: "active" })
  })

  it("requires all approvals again with four-eyes approval", async () => {
    const { first, owner, pluginId } = await start(plane)
    const approver = await addMember(plane, owner, "admin")
    await owner.call("PATCH", "/v1/approval-settings", { fourEyes: true })
    await succeeded(owner, "POST", "/v1/rollouts/withdraw", { pluginId, digest: first.digest, comment: "Leaks." })
    const rows = await runSql(
      plane,
      (sql) => sql`SELECT 1 AS one FROM plugin_release_approvals WHERE release_id = ${first.id}`
    )
    expect(rows).toEqual([])
    expect(approver.membershipId).toBeDefined()
  })

  it("ends the deliveries of superseded rollouts if its own rollout is open", async () => {
    const { act, digests, first, owner, pluginId, release, rollout } = await start(plane)
    await release("Second")
    await act((await rollout()).id, "promote", { ring: "Canary" })
    const third = await release("Third")
    await succeeded(owner, "POST", "/v1/rollouts/withdraw", { pluginId, digest: third.digest, comment: "Leaks." })
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
  })

  it("is removed with the delivery mode auto where an assignment pins it, but not if it is the latest content", async () => {
    const { last, owner, pluginId, release, write } = await start(plane)
    const second = await release("Second")
    const memberIds = [last.membershipId]
    await succeeded(owner, "POST", "/v1/assignments", {
      pluginId,
      mode: "required",
      memberIds,
      pinnedDigest: second.digest
    })
    await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "auto" })
    const pluginOf = async () => (await stateOf(plane, last.token)).body.plugins[0]
    expect(await pluginOf()).toMatchObject({ delivery: "pinned", digest: second.digest })
    const body = { pluginId, digest: second.digest, comment: "Leaks." }
    expect((await withdraw(owner, body)).body.error).toBe("delivery_mode_auto")
    await write("Third")
    expect((await withdraw(owner, body)).body.item).toMatchObject({
      servedReleaseId: null,
      unpinnedAssignmentIds: [expect.any(String)]
    })
    const plugin = await pluginOf()
    expect(plugin.delivery).not.toBe("pinned")
    expect(plugin.digest).not.toBe(second.digest)
  })

  it("waits for an approver after the delivery mode was auto in between", async () => {
    const { act, digests, owner, pluginId, release, rollout } = await start(plane)
    const second = await release("Second")
    await act((await rollout()).id, "release", { comment: "All." })
    await withdraw(owner, { pluginId, digest: second.digest, comment: "Leaks." })
    await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "auto" })
    await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
    expect(await digests()).toEqual([null, null, null])
    await expect
      .poll(async () => (await pending(owner, pluginId)).map(({ digest }: { digest: string }) => digest))
      .toEqual([second.digest])
    await approvePending(owner, pluginId)
    expect(await digests()).toEqual([second.digest, second.digest, second.digest])
  })

  it("leaves members without the plugin if it was the only release", async () => {
    const { digests, first, owner, pluginId } = await start(plane)
    expect((await withdraw(owner, { pluginId, digest: first.digest, comment: "Leaks." })).body.item).toMatchObject({
      servedReleaseId: null
    })
    expect(await digests()).toEqual([null, null, null])
  })

  it("requires an existing release, and a caller from the organization with permission", async () => {
    const { canary, first, owner, pluginId } = await start(plane)
    const stranger = await makeWorkspace(plane)
    const body = { pluginId, digest: first.digest, comment: "Leaks." }
    expect((await withdraw(stranger, body)).body.error).toBe("plugin_not_found")
    expect((await withdraw(canary, body)).status).toBe(403)
    expect((await withdraw(owner, { ...body, digest: "0".repeat(64) })).body.error).toBe("plugin_release_not_found")
    expect((await withdraw(owner, { pluginId, digest: first.digest })).status).toBe(400)
  })
})
