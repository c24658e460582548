/** Explanations and previews of rollouts, and their settings. */
import { describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import { approvePending, pending } from "./approvals.fixture.ts"
import { ring, start, succeeded } from "./rollouts.fixture.ts"

const plane = await makeControlPlane()

describe("the explanation of a delivery", () => {
  const explained = async (owner: { call: Function }, membershipId: string, pluginId: string) =>
    (await owner.call("GET", `/v1/members/${membershipId}/plugins/${pluginId}/delivery`)).body.item

  it("states the release, the ring, and why and when the member receives the newer release", async () => {
    const { act, canary, first, last, early, owner, pluginId, release, rollout } = await start(plane, {
      rings: { soakMinutes: 60, promotion: "automatic" }
    })
    expect(await explained(owner, last.membershipId, pluginId)).toMatchObject({
      rule: "served",
      digest: first.digest,
      ring: "Everyone",
      newer: null
    })
    const second = await release("Second")
    const { id } = await rollout()
    expect(await explained(owner, canary.membershipId, pluginId)).toMatchObject({
      rule: "ring",
      digest: second.digest,
      ring: "Canary",
      newer: null
    })
    const { item } = await succeeded(owner, "GET", `/v1/rollouts/${id}`)
    const behind = await explained(owner, early.membershipId, pluginId)
    expect(behind).toMatchObject({
      rule: "served",
      digest: first.digest,
      ring: "Early",
      newer: { digest: second.digest, rolloutId: id, reason: "soaking", expectedAt: item.rings[0].soakEndsAt }
    })
    const afterTwo = (await explained(owner, last.membershipId, pluginId)).newer.expectedAt
    expect(Date.parse(afterTwo) - Date.parse(behind.newer.expectedAt)).toBe(3_600_000)
    await act(id, "pause", {})
    expect((await explained(owner, early.membershipId, pluginId)).newer).toMatchObject({
      reason: "paused",
      expectedAt: null
    })
    await act(id, "roll-back", { comment: "It fails." })
    expect((await explained(owner, early.membershipId, pluginId)).newer.reason).toBe("rolled_back")
  })

  it("states pins, blocks, releases that are pending approval, and missing access", async () => {
    const { assignmentId, first, last, owner, pluginId } = await start(plane)
    const mine = (input: object) =>
      succeeded(owner, "POST", "/v1/assignments", { pluginId, memberIds: [last.membershipId], ...input })
    const pin = await mine({ mode: "required", pinnedDigest: first.digest })
    expect(await explained(owner, last.membershipId, pluginId)).toMatchObject({
      rule: "pinned",
      assignmentId: pin.item.id
    })
    await succeeded(owner, "PATCH", `/v1/assignments/${pin.item.id}`, { pinnedDigest: null, mode: "blocked" })
    expect(await explained(owner, last.membershipId, pluginId)).toMatchObject({
      rule: "blocked",
      releaseId: null,
      newer: null
    })
    await owner.call("DELETE", `/v1/assignments/${pin.item.id}`)
    await owner.call("DELETE", `/v1/assignments/${assignmentId}`)
    expect(await explained(owner, last.membershipId, pluginId)).toMatchObject({ rule: "off" })
    const { id: hidden } = await owner.client.plugins.create({ name: "Hidden" })
    expect(await explained(owner, last.membershipId, hidden)).toMatchObject({ rule: "no_access" })
    expect(
      (await owner.call("GET", `/v1/members/om_00000000000000000000000000/plugins/${pluginId}/delivery`)).body.error
    ).toBe("member_not_found")
    const stranger = await makeWorkspace(plane)
    expect(
      (await owner.call("GET", `/v1/members/${last.membershipId}/plugins/plg_00000000000000000000000000/delivery`)).body
        .error
    ).toBe("plugin_not_found")
    expect(
      (await stranger.call("GET", `/v1/members/${last.membershipId}/plugins/${pluginId}/delivery`)).body.error
    ).toBe("member_not_found")
  })

  it("names the release of the open rollout before one that is pending approval", async () => {
    const { last, owner, pluginId, release, rollout, write } = await start(plane)
    const second = await release("Second")
    await write("Third")
    await pending(owner, pluginId)
    expect((await explained(owner, last.membershipId, pluginId)).newer).toMatchObject({
      releaseId: second.id,
      rolloutId: (await rollout()).id,
      reason: "waits_for_promotion"
    })
  })

  it("names the release that is pending approval", async () => {
    const { first, last, owner, pluginId } = await start(plane)
    const [object] = (await owner.call("GET", `/v1/config-objects?pluginId=${pluginId}`)).body.items
    await owner.client.configObjects.createVersion(object.id, {
      input: { rawSourceText: "---\nname: review\ndescription: Two\n---\nTwo." }
    })
    const [waiting] = await pending(owner, pluginId)
    expect(await explained(owner, last.membershipId, pluginId)).toMatchObject({
      digest: first.digest,
      newer: { releaseId: waiting.id, reason: "waits_for_approval", expectedAt: null }
    })
    await approvePending(owner, pluginId)
  })
})

describe("the preview of a rollout", () => {
  it("counts the members and devices of each ring, and the members whom the rollout does not reach", async () => {
    const { early, first, last, owner, pluginId } = await start(plane, {
      rings: { soakMinutes: 30, promotion: "automatic" }
    })
    await succeeded(owner, "POST", "/v1/assignments", { pluginId, mode: "blocked", memberIds: [last.membershipId] })
    const { item } = await succeeded(owner, "POST", "/v1/rollouts/preview", { releaseId: first.id })
    expect(item).toMatchObject({ pluginId, pinnedCount: 0, blockedCount: 1, withoutAccessCount: 0 })
    expect(item.rings.map((one: object) => ({ ...one, startsAt: "", memberIds: [] }))).toEqual([
      { name: "Canary", memberCount: 1, receiveCount: 1, enabledCount: 1, deviceCount: 0, startsAt: "", memberIds: [] },
      { name: "Early", memberCount: 1, receiveCount: 1, enabledCount: 1, deviceCount: 0, startsAt: "", memberIds: [] },
      // The owner, and the member for whom it is blocked.
      {
        name: "Everyone",
        memberCount: 2,
        receiveCount: 1,
        enabledCount: 1,
        deviceCount: 0,
        startsAt: "",
        memberIds: []
      }
    ])
    expect(item.rings[1].memberIds).toEqual([early.membershipId])
    const [one, two, three] = item.rings.map(({ startsAt }: { startsAt: string }) => Date.parse(startsAt))
    expect([two - one, three - two]).toEqual([1_800_000, 1_800_000])
    await succeeded(owner, "POST", "/v1/assignments", {
      pluginId,
      mode: "required",
      memberIds: [early.membershipId],
      pinnedDigest: first.digest
    })
    const rings = [ring("Half", { percent: 50 })]
    const other = await succeeded(owner, "POST", "/v1/rollouts/preview", { releaseId: first.id, rings })
    expect(other.item).toMatchObject({ pinnedCount: 1, blockedCount: 1 })
    expect(
      other.item.rings
        .map(({ memberCount }: { memberCount: number }) => memberCount)
        .reduce((a: number, b: number) => a + b)
    ).toBe(4)
    const stranger = await makeWorkspace(plane)
    expect((await stranger.call("POST", "/v1/rollouts/preview", { releaseId: first.id })).body.error).toBe(
      "plugin_release_not_found"
    )
  })
})

describe("rollout settings", () => {
  it("are the defaults at first, and are replaced field by field", async () => {
    const owner = await makeWorkspace(plane)
    const defaults = (await owner.call("GET", "/v1/rollout-settings")).body.item
    expect(defaults).toEqual({
      rings: [],
      thresholds: { reportsMin: 20, falseAlarmRate: 0.01, installFailures: true, usageFailures: true },
      freezes: []
    })
    const rings = [ring("Half", { percent: 50 })]
    expect((await succeeded(owner, "PATCH", "/v1/rollout-settings", { rings })).item).toEqual({ ...defaults, rings })
    const thresholds = { ...defaults.thresholds, reportsMin: 5 }
    expect((await succeeded(owner, "PATCH", "/v1/rollout-settings", { thresholds })).item).toEqual({
      ...defaults,
      rings,
      thresholds
    })
    expect((await owner.call("GET", "/v1/rollout-settings")).body.item).toEqual({ ...defaults, rings, thresholds })
  })

  it.each([
    ["two rings with the same name", { rings: [ring("A", { percent: 1 }), ring("A", { percent: 2 })] }],
    ["a ring without an audience", { rings: [ring("A")] }],
    ["a member who does not exist", { rings: [ring("A", { memberIds: ["om_00000000000000000000000000"] })] }],
    ["a percentage above 100", { rings: [ring("A", { percent: 101 })] }],
    [
      "a false alarm rate of 0",
      { thresholds: { reportsMin: 5, falseAlarmRate: 0, installFailures: true, usageFailures: true } }
    ],
    [
      "a time zone that does not exist",
      {
        freezes: [
          {
            name: "F",
            timeZone: "Mars/Base",
            weekdays: ["friday"],
            startTime: "17:00",
            endTime: "09:00",
            startsAt: null,
            endsAt: null
          }
        ]
      }
    ],
    [
      "a freeze of both kinds",
      {
        freezes: [
          {
            name: "F",
            timeZone: "UTC",
            weekdays: ["friday"],
            startTime: "17:00",
            endTime: "09:00",
            startsAt: "2026-01-01T00:00:00.000Z",
            endsAt: null
          }
        ]
      }
    ],
    [
      "a period that ends at a time that does not exist",
      {
        freezes: [
          {
            name: "F",
            timeZone: "UTC",
            weekdays: [],
            startTime: null,
            endTime: null,
            startsAt: "2026-01-02T00:00:00.000Z",
            endsAt: "2026-13-01T00:00:00.000Z"
          }
        ]
      }
    ],
    ["the reserved name of a ring", { rings: [ring("everyone", { percent: 1 })] }],
    [
      "a period that ends before it starts",
      {
        freezes: [
          {
            name: "F",
            timeZone: "UTC",
            weekdays: [],
            startTime: null,
            endTime: null,
            startsAt: "2026-01-02T00:00:00.000Z",
            endsAt: "2026-01-01T00:00:00.000Z"
          }
        ]
      }
    ]
  ])("reject %s, and do not change", async (_, input) => {
    const owner = await makeWorkspace(plane)
    const response = await owner.call("PATCH", "/v1/rollout-settings", input)
    expect([response.status, response.body.error]).toEqual([400, "invalid_request"])
    expect((await owner.call("GET", "/v1/rollout-settings")).body.item.rings).toEqual([])
  })
})
