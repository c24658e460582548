/** What the responses about rollouts state after a change: ring states, times, reasons, steps and names. */
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeRole, runSql, type Person } from "../harness.ts"
import { pending } from "./approvals.fixture.ts"
import * as devices from "./devices.fixture.ts"
import { ring, start, succeeded } from "./rollouts.fixture.ts"

const plane = await makeControlPlane()

const freezeUntil = (endsAt: string) => ({
  name: "Freeze",
  timeZone: "UTC",
  weekdays: [],
  startTime: null,
  endTime: null,
  startsAt: "2020-01-01T00:00:00.000Z",
  endsAt
})
const details = async (owner: Person, id: string) => (await succeeded(owner, "GET", `/v1/rollouts/${id}`)).item
const statesOf = ({ rings }: { rings: ReadonlyArray<{ state: string }> }) => rings.map(({ state }) => state)
const explained = async (owner: Person, { membershipId }: { membershipId: string }, pluginId: string) =>
  (await succeeded(owner, "GET", `/v1/members/${membershipId}/plugins/${pluginId}/delivery`)).item
const steps = ({ steps: all }: { steps: ReadonlyArray<{ step: string; reason: string | null }> }) =>
  all.map(({ reason, step }) => [step, reason])

describe("the rings of a rollout", () => {
  it("have ended after a rollback", async () => {
    const { act, owner, release, rollout } = await start(plane)
    await release("Second")
    const { id } = await rollout()
    expect(statesOf(await details(owner, id))).toEqual(["soaking", "waiting", "waiting"])
    await act(id, "promote", { ring: "Canary" })
    expect(statesOf(await details(owner, id))).toEqual(["done", "soaking", "waiting"])
    await act(id, "roll-back", { comment: "It fails." })
    const item = await details(owner, id)
    expect(statesOf(item)).toEqual(["ended", "ended", "ended"])
    expect(item.rings.map(({ soakEndsAt }: { soakEndsAt: string | null }) => soakEndsAt)).toEqual([null, null, null])
  })

  it("are done after an emergency release, and have ended after it was rolled back", async () => {
    const { act, owner, release, rollout } = await start(plane)
    await release("Second")
    const { id } = await rollout()
    await act(id, "release", { comment: "Security fix." })
    const item = await details(owner, id)
    expect(statesOf(item)).toEqual(["done", "done", "done"])
    expect(item.rings[1]).toMatchObject({ startedAt: null, soakEndsAt: null })
    expect(item.rings[2].startedAt).toBe(item.endedAt)
    await act(id, "roll-back", { comment: "It fails." })
    expect(statesOf(await details(owner, id))).toEqual(["ended", "ended", "ended"])
  })

  it("keep the release of a superseded rollout until a newer one has reached all of them", async () => {
    const { act, owner, release, rollout } = await start(plane)
    await release("Second")
    const { id } = await rollout()
    await act(id, "promote", { ring: "Canary" })
    await release("Third")
    expect(statesOf(await details(owner, id))).toEqual(["done", "done", "ended"])
    await act((await rollout()).id, "promote", { ring: "Canary" })
    expect(statesOf(await details(owner, id))).toEqual(["ended", "ended", "ended"])
  })

  it("have no end of the soak time while the rollout is paused", async () => {
    const { act, owner, release, rollout } = await start(plane)
    await release("Second")
    const { id } = await rollout()
    expect((await details(owner, id)).rings[0].soakEndsAt).not.toBe(null)
    await act(id, "pause", {})
    expect((await details(owner, id)).rings[0]).toMatchObject({ state: "soaking", soakEndsAt: null })
  })

  it("have ended, with a step, when the delivery mode becomes auto", async () => {
    const { owner, release, rollout } = await start(plane)
    await release("Second")
    const { id } = await rollout()
    await succeeded(owner, "PATCH", "/v1/approval-settings", { deliveryMode: "auto" })
    const item = await details(owner, id)
    expect(item.state).toBe("cancelled")
    expect(statesOf(item)).toEqual(["ended", "ended", "ended"])
    expect(item.steps.at(-1)).toMatchObject({
      step: "cancelled",
      reason: "delivery_mode_auto",
      byOrgMembershipId: owner.membershipId
    })
  })
})

describe("a rollout that fails, with too few reports to pause it", () => {
  it("has no next start, because it waits for more results", async () => {
    const { canary, early, last, owner, pluginId, release, rollout } = await start(plane)
    const thresholds = { reportsMin: 20, falseAlarmRate: 0.2, installFailures: true, usageFailures: true }
    const timing = { soakMinutes: 60, promotion: "automatic" }
    const memberIds = [canary.membershipId, early.membershipId]
    const rings = [ring("Two", { memberIds, ...timing }), ring("Half", { percent: 50, ...timing })]
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { rings, thresholds })
    for (const person of [canary, early]) await devices.reportAccepted(person, { sequence: 1 })
    await release("Second")
    const { id } = await rollout()
    expect((await explained(owner, last, pluginId)).newer.reason).toBe("soaking")
    expect((await details(owner, id)).nextRingAt).not.toBe(null)
    for (const person of [canary, early]) {
      const plugins = devices.failed(await devices.wantedBy(plane, person))
      await devices.reportAccepted(person, { sequence: 2, plugins })
    }
    await runSql(plane, (sql) => sql`UPDATE rollouts SET soaks_from = soaks_from - interval '2 hours' WHERE id = ${id}`)
    const item = await details(owner, id)
    expect(item.installations).toMatchObject({ reports: 2, failed: 2, enough: false })
    expect(item.installations.evidence).toBeGreaterThanOrEqual(item.installations.threshold)
    expect(item).toMatchObject({ state: "active", ring: "Two", nextRingAt: null })
    expect((await explained(owner, last, pluginId)).newer).toMatchObject({
      rolloutId: id,
      reason: "waits_for_results",
      expectedAt: null
    })
    // With this comparison turned off, it no longer waits.
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { thresholds: { ...thresholds, installFailures: false } })
    await expect.poll(async () => (await rollout()).ring).toBe("Half")
  })
})

describe("a pause by a member", () => {
  it("replaces an automatic pause, and a later comment replaces an earlier one", async () => {
    const { act, owner, release, rollout } = await start(plane)
    await release("Second")
    const { id } = await rollout()
    // As the worker does.
    await runSql(
      plane,
      (sql) => sql`UPDATE rollouts SET state = 'paused', pause_reason = 'install_failures' WHERE id = ${id}`
    )
    const pause = async (input: object) => {
      const { body, status } = await act(id, "pause", input)
      return [status, body.item.pauseReason, body.item.comment]
    }
    expect(await pause({ comment: "Do not resume." })).toEqual([200, "manual", "Do not resume."])
    expect(await pause({ comment: "Do not resume." })).toEqual([200, "manual", "Do not resume."])
    expect(await pause({})).toEqual([200, "manual", "Do not resume."])
    expect(await pause({ comment: "Until Monday." })).toEqual([200, "manual", "Until Monday."])
    expect(steps(await details(owner, id)).slice(2)).toEqual([
      ["paused", "Do not resume."],
      ["paused", "Until Monday."]
    ])
  })
})

describe("a freeze", () => {
  it("until the year 9999 has no end for the rings after it", async () => {
    const { last, owner, pluginId, release, rollout } = await start(plane, {
      rings: { soakMinutes: 43_200, promotion: "automatic" }
    })
    const endsAt = "9999-12-31T23:59:59.999Z"
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { freezes: [freezeUntil(endsAt)] })
    const { id: releaseId } = await release("Second")
    expect((await rollout()).nextRingAt).toBe(endsAt)
    const response = await owner.call("GET", `/v1/members/${last.membershipId}/plugins/${pluginId}/delivery`)
    expect(response).toMatchObject({ status: 200, body: { item: { newer: { reason: "frozen", expectedAt: null } } } })
    const { item } = await succeeded(owner, "POST", "/v1/rollouts/preview", { releaseId })
    expect(item.rings.map(({ startsAt }: { startsAt: string | null }) => startsAt)).toEqual([endsAt, null, null])
  })
})

describe("a release without rings", () => {
  const withoutRings = async () => {
    const one = await start(plane)
    await succeeded(one.owner, "PATCH", "/v1/rollout-settings", { rings: [] })
    return one
  }

  it("has a completed rollout, and the previous release is served after a rollback", async () => {
    const { act, digests, first, owner, release, rollout } = await withoutRings()
    const second = await release("Second")
    expect(await digests()).toEqual([second.digest, second.digest, second.digest])
    const { id, ...completed } = await rollout()
    expect(completed).toMatchObject({ state: "completed", ring: "Everyone", ringCount: 1, previousReleaseId: first.id })
    expect(steps(await details(owner, id))).toEqual([
      ["created", null],
      ["completed", null]
    ])
    expect((await act(id, "roll-back", { comment: "It fails." })).status).toBe(200)
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
  })

  it("is replaced by the previous release when it is withdrawn", async () => {
    const { digests, first, owner, pluginId, release } = await withoutRings()
    const { digest } = await release("Second")
    const { item } = await succeeded(owner, "POST", "/v1/rollouts/withdraw", { pluginId, digest, comment: "Leaks." })
    expect(item.servedReleaseId).toBe(first.id)
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
  })

  it("waits for the end of a freeze, as the preview states", async () => {
    const { act, digests, first, last, owner, pluginId, rollout, write } = await withoutRings()
    const freeze = freezeUntil("2100-01-01T00:00:00.000Z")
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { freezes: [freeze] })
    await write("Second")
    const [{ digest, id: releaseId }] = await pending(owner, pluginId)
    const preview = await succeeded(owner, "POST", "/v1/rollouts/preview", { releaseId })
    expect(preview.item.rings).toMatchObject([{ name: "Everyone", startsAt: freeze.endsAt }])
    await succeeded(owner, "POST", "/v1/approvals/approve", { releases: [{ releaseId, digest }] })
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
    const { id, ...waiting } = await rollout()
    expect(waiting).toMatchObject({ state: "scheduled", nextRingAt: freeze.endsAt })
    expect(await details(owner, id)).toMatchObject({ installations: null, usage: null })
    expect((await explained(owner, last, pluginId)).newer).toMatchObject({
      reason: "frozen",
      expectedAt: freeze.endsAt
    })
    expect((await act(id, "start")).body.item.state).toBe("completed")
    expect(await digests()).toEqual([digest, digest, digest])
  })
})

describe("the permission to read rollouts", () => {
  it("includes the names of plugins that the caller cannot see, like the permission to read approvals", async () => {
    const { first, owner, pluginId, release } = await start(plane)
    await release("Second")
    const granted = (await succeeded(owner, "GET", `/v1/plugins/${pluginId}/access`)).items
    for (const { id } of granted) await owner.call("DELETE", `/v1/plugins/${pluginId}/access/${id}`)
    const role = await makeRole(owner, ["rollouts:read", "approvals:read", "plugins:read"])
    const reader = await addMember(plane, owner, role)
    expect((await reader.call("GET", `/v1/plugins/${pluginId}`)).status).toBe(404)
    const [rollout] = (await succeeded(reader, "GET", "/v1/rollouts")).items
    expect(rollout).toMatchObject({ pluginId, pluginName: "Notes" })
    expect((await details(reader, rollout.id)).pluginName).toBe("Notes")
    const [approved] = (await succeeded(reader, "GET", "/v1/approvals?state=approved")).items
    expect(approved).toMatchObject({ pluginId, name: "Notes" })
    const preview = await succeeded(reader, "POST", "/v1/rollouts/preview", { releaseId: first.id })
    expect(preview.item.pluginId).toBe(pluginId)
  })
})
