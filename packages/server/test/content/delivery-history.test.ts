/** The delivery status of past days, and the usage of plugins. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { DeliveryHistoryService } from "../../src/content/devices/history-service.ts"
import { counted, putEvents } from "../agents/telemetry-analytics.fixture.ts"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeRole,
  makeWorkspace,
  type Person,
  runSql,
  withServices,
  type Workspace
} from "../harness.ts"
import { skill } from "./connectors.fixture.ts"
import {
  counts,
  failed,
  installed,
  type Item,
  makeDelivered,
  makeDeviceId,
  pluginOf,
  read,
  reportAccepted,
  start,
  wantedBy
} from "./devices.fixture.ts"
import { start as startRollout } from "./rollouts.fixture.ts"

const plane = await makeControlPlane()

const dayMillis = 86_400_000
const dayText = (ago: number) => new Date(Date.now() - ago * dayMillis).toISOString().slice(0, 10)
const missing = (id: string) => `${id.slice(0, -26)}01h455vb4pex5vsknk084sn02q`

const record = (of = plane) =>
  withServices(
    of,
    Effect.flatMap(DeliveryHistoryService, (history) => history.record)
  )

const historyOf = async (person: Pick<Person, "call">, query = "") =>
  (await read(person, `/v1/delivery/history${query}`)).item
const usageOf = async (person: Pick<Person, "call">, query = "") =>
  (await read(person, `/v1/delivery/usage${query}`)).item

describe("GET /v1/delivery/history", () => {
  it("returns the last record of each day for all plugins, for a plugin and for a release", async () => {
    const { member, owner, pluginId, release } = await start(plane)
    const other = await makeDelivered(owner, "Other")
    const first = await wantedBy(plane, member)
    const digest = first.find((one) => one.pluginId === pluginId)?.digest
    await reportAccepted(member, { plugins: installed(first) })
    await record()
    const today = dayText(0)
    const all = await historyOf(owner)
    expect(all).toEqual({
      from: dayText(29),
      to: today,
      pluginId: null,
      digest: null,
      days: [{ day: today, deviceCount: 1, ...counts({ wanted: 2, running: 2 }) }]
    })
    // The next record of the day replaces the last one.
    await release("Two")
    await wantedBy(plane, member)
    await reportAccepted(owner, { deviceId: makeDeviceId(), plugins: failed(await wantedBy(plane, owner)) })
    await record()
    await record()
    expect((await historyOf(owner)).days).toEqual([
      { day: today, deviceCount: 2, ...counts({ wanted: 4, running: 1, behind: 1, failed: 2 }) }
    ])
    expect((await historyOf(owner, `?pluginId=${pluginId}`)).days).toEqual([
      { day: today, deviceCount: 2, ...counts({ wanted: 2, behind: 1, failed: 1 }) }
    ])
    expect((await historyOf(owner, `?pluginId=${other.pluginId}`)).days).toMatchObject([
      counts({ running: 1, failed: 1 })
    ])
    // No device should have the first release any more.
    expect((await historyOf(owner, `?pluginId=${pluginId}&digest=${digest}`)).days).toEqual([])
    const second = (await wantedBy(plane, member)).find((one) => one.pluginId === pluginId)?.digest
    for (const query of [`?pluginId=${pluginId}&digest=${second}`, `?digest=${second}`]) {
      expect((await historyOf(owner, query)).days).toMatchObject([counts({ behind: 1, failed: 1 })])
    }
  })

  it("keeps the records of earlier days, and selects days by their UTC date", async () => {
    const { member, owner } = await start(plane)
    await reportAccepted(member, { plugins: installed(await wantedBy(plane, member)) })
    await record()
    for (const ago of [3, 2]) {
      await runSql(
        plane,
        (sql) => sql`INSERT INTO delivery_days
          SELECT organization_id, day - ${ago}::int, plugin_id, digest, devices, running, behind, missing, failed, offline
          FROM delivery_days WHERE organization_id = ${owner.organizationId} AND day = ${dayText(0)}::date`
      )
    }
    await record()
    const daysOf = async (query: string) => (await historyOf(owner, query)).days.map(({ day }: { day: string }) => day)
    expect(await daysOf("")).toEqual([dayText(3), dayText(2), dayText(0)])
    expect(await daysOf(`?to=${dayText(2)}`)).toEqual([dayText(3), dayText(2)])
    expect(await daysOf(`?from=${dayText(2)}&to=${dayText(2)}`)).toEqual([dayText(2)])
    expect(await daysOf(`?from=${dayText(399)}`)).toHaveLength(3)
    for (const query of [
      `from=${dayText(400)}`,
      `from=${dayText(0)}&to=${dayText(1)}`,
      "from=2026-02-30",
      "to=2026-13-01",
      "from=yesterday",
      "digest=abc",
      "pluginId=1"
    ]) {
      const response = await owner.call("GET", `/v1/delivery/history?${query}`)
      expect([query, response.status]).toEqual([query, 400])
    }
  })

  it("provides the metrics of devices and installations", async () => {
    const metricsToken = "the token of the metrics"
    const watched = await makeControlPlane({ metricsToken })
    const { member, owner } = await start(watched)
    const plugins = await wantedBy(watched, member)
    await reportAccepted(member, { plugins: installed(plugins) })
    await reportAccepted(member, { deviceId: makeDeviceId(), plugins: failed(plugins) })
    const offline = makeDeviceId()
    await reportAccepted(member, { deviceId: offline, plugins: installed(plugins) })
    await runSql(
      watched,
      (sql) => sql`UPDATE devices SET last_seen_at = now() - interval '2 days'
        WHERE organization_id = ${owner.organizationId} AND id = ${offline}`
    )
    await record(watched)
    const { text } = await call(watched, metricsToken)("GET", "/v1/metrics")
    for (const line of [
      'orgplane_devices{status="online"} 2',
      'orgplane_devices{status="offline"} 1',
      'orgplane_plugin_installations{state="running"} 1',
      'orgplane_plugin_installations{state="behind"} 0',
      'orgplane_plugin_installations{state="missing"} 0',
      'orgplane_plugin_installations{state="failed"} 1',
      'orgplane_plugin_installations{state="offline"} 1'
    ]) {
      expect(text).toContain(line)
    }
  })

  it("returns 404 for a plugin of another organization, as for a missing one, and requires delivery:read", async () => {
    const { member, owner, pluginId } = await start(plane)
    const other = await start(plane)
    await reportAccepted(other.member, { plugins: installed(await wantedBy(plane, other.member)) })
    await record()
    expect((await historyOf(owner)).days).toEqual([])
    for (const path of ["history", "usage"]) {
      const foreign = await owner.call("GET", `/v1/delivery/${path}?pluginId=${other.pluginId}`)
      const absent = await owner.call("GET", `/v1/delivery/${path}?pluginId=${missing(pluginId)}`)
      expect([foreign.status, foreign.text]).toEqual([404, absent.text])
      expect((await member.call("GET", `/v1/delivery/${path}`)).body.reason).toBe("permission_required")
    }
    const reader = await addMember(plane, owner, await makeRole(owner, ["delivery:read"]))
    expect((await reader.call("GET", "/v1/delivery/history")).status).toBe(200)
    expect((await reader.call("GET", "/v1/delivery/usage")).body.reason).toBe("permission_required")
    const key = await makeKey(plane, owner, ["delivery:read", "analytics:read"])
    for (const path of ["history", "usage"]) expect((await key.call("GET", `/v1/delivery/${path}`)).status).toBe(200)
  })
})

/** Events of a person with a plugin and its release. */
const use = async (
  owner: Workspace,
  person: Workspace,
  input: { plugin: string; digest: string; success: boolean }
) => {
  await putEvents(plane, owner, [
    {
      at: new Date(Date.now() - dayMillis).toISOString(),
      type: "task.completed",
      source: "app",
      person,
      durationMs: 100,
      success: input.success,
      dimensions: [
        { type: "plugin", value: input.plugin },
        { type: "plugin_release", value: input.digest }
      ]
    }
  ])
}

describe("GET /v1/delivery/usage", () => {
  it("returns the installations, events and users of plugins and of their releases", async () => {
    const { member, owner, pluginId, release } = await start(plane)
    const unused = await makeDelivered(owner, "Unused")
    const first = await wantedBy(plane, member)
    const old = await pluginOf(plane, member, pluginId)
    // The first report of a device has no results.
    await reportAccepted(member, { sequence: 1 })
    await reportAccepted(member, { sequence: 2, plugins: failed(first) })
    await reportAccepted(member, { sequence: 3, plugins: installed(first) })
    await release("Two")
    const second = await wantedBy(plane, owner)
    const current = await pluginOf(plane, owner, pluginId)
    await reportAccepted(owner, { plugins: installed(second) })
    const offline = makeDeviceId()
    await reportAccepted(owner, { deviceId: offline, plugins: installed(second) })
    await runSql(
      plane,
      (sql) => sql`UPDATE devices SET last_seen_at = now() - interval '2 days'
        WHERE organization_id = ${owner.organizationId} AND id = ${offline}`
    )
    await use(owner, member, { plugin: pluginId, digest: old.digest ?? "", success: false })
    await use(owner, member, { plugin: pluginId, digest: old.digest ?? "", success: true })
    await use(owner, owner, { plugin: pluginId, digest: current.digest ?? "", success: true })
    await use(owner, owner, { plugin: "plg_of_nobody", digest: "none", success: true })
    await counted(owner)
    const usage = await usageOf(owner)
    expect(usage).toMatchObject({ from: dayText(29), to: dayText(0), truncated: false })
    const none = { events: 0, failedEvents: 0, userDays: 0, failedUserDays: 0 }
    expect(usage.plugins.toSorted((a: Item, b: Item) => (a.name < b.name ? -1 : 1))).toEqual([
      {
        pluginId,
        name: "Notes",
        running: 2,
        events: 3,
        users: 2,
        lastUsedDay: dayText(1),
        unused: false,
        releases: [
          {
            digest: current.digest,
            releaseId: expect.stringMatching(/^rel_/u),
            version: null,
            running: 1,
            installReports: 0,
            installFailed: 0,
            events: 1,
            failedEvents: 0,
            userDays: 1,
            failedUserDays: 0,
            failing: false
          },
          {
            digest: old.digest,
            releaseId: expect.stringMatching(/^rel_/u),
            version: null,
            running: 1,
            installReports: 1,
            installFailed: 1,
            events: 2,
            failedEvents: 1,
            userDays: 1,
            failedUserDays: 1,
            failing: false
          }
        ],
        objects: []
      },
      {
        pluginId: unused.pluginId,
        name: "Unused",
        running: 2,
        events: 0,
        users: 0,
        lastUsedDay: null,
        unused: true,
        releases: [expect.objectContaining({ running: 2, installFailed: 1, ...none })],
        objects: []
      }
    ])
    expect((await usageOf(owner, `?pluginId=${unused.pluginId}`)).plugins).toHaveLength(1)
    const earlier = await usageOf(owner, `?to=${dayText(5)}&pluginId=${pluginId}`)
    expect(earlier.plugins[0]).toMatchObject({ running: 2, events: 0, users: 0, unused: true })
  })

  it("returns config objects with the same content in several installed plugins that the caller can see", async () => {
    const { member, owner, pluginId } = await start(plane)
    const other = await makeDelivered(owner, "Notes")
    const different = await makeDelivered(owner, "Different")
    await reportAccepted(member, { plugins: installed(await wantedBy(plane, member)) })
    const { id: idle } = await owner.client.plugins.create({ name: "Not installed" })
    await owner.client.configObjects.create({
      input: { type: "skill", rawSourceText: skill("review", "Notes.") },
      pluginIds: [idle]
    })
    const expected = [{ title: "review", objectType: "skill", pluginIds: [pluginId, other.pluginId].toSorted() }]
    expect((await usageOf(owner)).duplicates).toEqual(expected)
    expect((await usageOf(owner)).plugins.map((one: Item) => one.pluginId)).toContain(different.pluginId)
    const reader = await addMember(plane, owner, await makeRole(owner, ["delivery:read", "analytics:read"]))
    expect((await usageOf(reader)).duplicates).toEqual(expected)
    const access = (await owner.call("GET", `/v1/plugins/${other.pluginId}/access`)).body.items
    await owner.call("DELETE", `/v1/plugins/${other.pluginId}/access/${access.find((one: Item) => one.orgWide).id}`)
    const seen = await usageOf(reader)
    expect(seen.duplicates).toEqual([])
    const hidden = { running: 1, digest: null, releaseId: null, version: null }
    expect(seen.plugins.find((one: Item) => one.pluginId === other.pluginId)).toMatchObject({
      name: null,
      running: 1,
      releases: [hidden]
    })
    const visible = seen.plugins.find((one: Item) => one.pluginId === different.pluginId).releases[0]
    expect(visible).toMatchObject({
      digest: expect.stringMatching(/^[0-9a-f]{64}$/u),
      releaseId: expect.stringMatching(/^rel_/u)
    })
  })

  /** Adds results of 40 members with a release. */
  const putOutcomes = (organizationId: string, pluginId: string, digest: string, failures: number) =>
    runSql(
      plane,
      (
        sql
      ) => sql`INSERT INTO release_outcomes (organization_id, plugin_id, digest, membership_id, is_failed, created_at)
        SELECT ${organizationId}, ${pluginId}, ${digest}, 'om_' || n, n <= ${failures}::int, now()
        FROM generate_series(1, 40) n`
    )

  /** Whether each release of the plugin is failing, newest first. */
  const failing = async (person: Pick<Person, "call">, pluginId: string, query = ""): Promise<ReadonlyArray<boolean>> =>
    (await usageOf(person, `?pluginId=${pluginId}${query}`)).plugins[0].releases.map((one: Item) => one.failing)

  it("compares a release with the one that was served before it, not with one that was rolled back", async () => {
    const { act, canary, first, owner, pluginId, release, rollout } = await startRollout(plane)
    const second = await release("Second")
    await act((await rollout()).id, "roll-back", { comment: "Fails." })
    const third = await release("Third")
    await putOutcomes(owner.organizationId, pluginId, first.digest, 0)
    await putOutcomes(owner.organizationId, pluginId, second.digest, 40)
    await putOutcomes(owner.organizationId, pluginId, third.digest, 40)
    await reportAccepted(canary, { plugins: installed(await wantedBy(plane, canary)) })
    expect(await failing(owner, pluginId)).toEqual([true, true, false])
    // Without rollouts, as after an upgrade: the next older approved release that was not withdrawn.
    await owner.call("POST", "/v1/rollouts/withdraw", { pluginId, digest: second.digest, comment: "Fails." })
    await runSql(plane, (sql) => sql`DELETE FROM rollouts WHERE organization_id = ${owner.organizationId}`)
    expect(await failing(owner, pluginId)).toEqual([true, true, false])
  })

  it("compares the first day of each user, even if it is outside the range", async () => {
    const { member, owner, pluginId, release } = await start(plane)
    const old = await pluginOf(plane, member)
    await release("Two")
    const current = await pluginOf(plane, member)
    await reportAccepted(member, { plugins: installed([current]) })
    /** Events of 40 users. */
    const put = (digest: string | null, ago: number, isFailed: boolean) =>
      putEvents(
        plane,
        owner,
        Array.from({ length: 40 }, (_, at) => ({
          at: new Date(Date.now() - ago * dayMillis).toISOString(),
          type: "task.completed",
          source: "app",
          person: { ...owner, userId: `usr_${at}` },
          durationMs: 100,
          success: !isFailed,
          dimensions: [{ type: "plugin_release", value: digest ?? "" }]
        }))
      )
    await put(old.digest, 30, false)
    await put(current.digest, 20, true)
    await put(current.digest, 2, false)
    await counted(owner)
    expect(await failing(owner, pluginId)).toEqual([true, false])
    expect(await failing(owner, pluginId, `&from=${dayText(5)}`)).toEqual([true, false])
  })

  it("returns no plugins for an organization without devices and events", async () => {
    expect(await usageOf(await makeWorkspace(plane))).toMatchObject({ plugins: [], duplicates: [], truncated: false })
  })
})
