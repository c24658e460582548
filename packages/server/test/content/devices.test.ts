/** Reports of devices, and the status that is computed from them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DeliveryService } from "../../src/content/devices/service.ts"
import { counted, memberOf } from "../infra/statements.fixture.ts"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeRole,
  makeTeam,
  makeWorkspace,
  type Person,
  runSql,
  withServices
} from "../harness.ts"
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
  reportOf,
  reportsPath,
  start,
  statusOf,
  wantedBy
} from "./devices.fixture.ts"

const plane = await makeControlPlane()

const sha = (digit: string) => digit.repeat(64)
const missing = (id: string) => `${id.slice(0, -26)}01h455vb4pex5vsknk084sn02q`
const rows = (organizationId: string, table: string): Promise<number> =>
  runSql(
    plane,
    (sql) => sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql(table)} WHERE organization_id = ${organizationId}`
  ).then(([row]) => row?.n ?? 0)

describe("POST /v1/delivery/reports", () => {
  it("stores the state of a device, and replaces the previous one", async () => {
    const { member, owner, pluginId } = await start(plane)
    const plugin = await pluginOf(plane, member)
    expect(plugin).toMatchObject({ pluginId, digest: expect.stringMatching(/^[0-9a-f]{64}$/u) })
    const report = reportOf({ sequence: 7, revision: 1, clientVersion: "1.2.3" })
    const response = await member.call("POST", reportsPath, report)
    expect([response.status, response.body]).toEqual([200, { accepted: true, lastSequence: 7 }])
    expect(await statusOf(owner)).toMatchObject({
      memberCount: 1,
      devices: { total: 1, offline: 0, failed: 0 },
      installations: counts({ wanted: 1, missing: 1 })
    })
    await reportAccepted(member, { sequence: 8, plugins: installed([plugin]) })
    const status = await statusOf(owner)
    expect(status.installations).toEqual(counts({ wanted: 1, running: 1 }))
    expect(status.plugins).toEqual([
      {
        pluginId,
        name: "Notes",
        ...counts({ wanted: 1, running: 1 }),
        unwanted: 0,
        failures: [],
        releases: [
          { sha256: plugin.sha256, digest: plugin.digest, version: null, ...counts({ wanted: 1, running: 1 }) }
        ]
      }
    ])
    expect(status.truncated).toBe(false)
  })

  it("ignores a report whose sequence is not higher than the last accepted one", async () => {
    const { member, owner } = await start(plane)
    const plugins = installed(await wantedBy(plane, member))
    await reportAccepted(member, { sequence: 5, plugins })
    const before = await statusOf(owner)
    for (const sequence of [5, 4, 1]) {
      const response = await member.call("POST", reportsPath, reportOf({ sequence, plugins: [] }))
      expect([response.status, response.body]).toEqual([200, { accepted: false, lastSequence: 5 }])
    }
    expect((await statusOf(owner)).installations).toEqual(before.installations)
    // Another device of the member, and a device of another member with the same id, have their own sequences.
    await reportAccepted(member, { deviceId: makeDeviceId(), sequence: 1 })
    await reportAccepted(owner, { sequence: 1 })
    expect((await statusOf(owner)).devices.total).toBe(3)
  })

  it("stores the state with the highest sequence if reports arrive out of order, repeatedly or concurrently", async () => {
    const { member, owner } = await start(plane)
    const plugin = await pluginOf(plane, member)
    // Each sequence has its own content.
    const contentOf = (sequence: number) =>
      [
        { plugins: [] },
        { plugins: installed([plugin]) },
        { plugins: failed([plugin], "storage") },
        { plugins: installed([{ ...plugin, sha256: sha("a") }]) },
        { plugins: [], failure: "settings" }
      ][sequence % 5] ?? {}
    const expected = [
      counts({ wanted: 1, missing: 1 }),
      counts({ wanted: 1, running: 1 }),
      counts({ wanted: 1, failed: 1 }),
      counts({ wanted: 1, behind: 1 }),
      counts({ wanted: 1, failed: 1 })
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }), {
          minLength: 1,
          maxLength: 6
        }),
        async (rounds) => {
          const deviceId = makeDeviceId()
          let highest = 0
          for (const sequences of rounds) {
            const responses = await Promise.all(
              sequences.map((sequence) =>
                member.call("POST", reportsPath, reportOf({ deviceId, sequence, ...contentOf(sequence) }))
              )
            )
            expect(responses.map(({ status }) => status)).toEqual(sequences.map(() => 200))
            const next = Math.max(highest, ...sequences)
            const accepted = new Set(
              responses.flatMap(({ body }, at) => (body.accepted === true ? [sequences[at]] : []))
            )
            expect(accepted.has(next)).toBe(next > highest)
            highest = next
          }
          const at = `/v1/delivery/members/${member.membershipId}/devices/${deviceId}`
          const { item } = await read(owner, at)
          expect(item.installations).toEqual(expected[highest % 5])
          expect((await owner.call("DELETE", at)).status).toBe(204)
        }
      ),
      { numRuns: 15 }
    )
    // Only the reports that devices refer to are kept, except for those that were locked at the same time.
    expect(await rows(owner.organizationId, "device_reports")).toBeLessThanOrEqual(5)
  })

  it("keeps the plugins that any device refers to, when many devices change their reports at the same time", async () => {
    const { owner } = await start(plane)
    const contents = [sha("1"), sha("2"), sha("3")].map((sha256) =>
      installed([{ pluginId: missing("plg_01h455vb4pex5vsknk084sn02q"), sha256, digest: null }])
    )
    const members = await Promise.all(Array.from({ length: 8 }, () => addMember(plane, owner, "member")))
    await Promise.all(
      members.map(async (member, offset) => {
        for (let sequence = 1; sequence <= 12; sequence += 1) {
          await reportAccepted(member, { sequence, plugins: contents[(sequence * (1 + (offset % 2)) + offset) % 3] })
        }
      })
    )
    const [row] = await runSql(
      plane,
      (sql) => sql<{ devices: number; dangling: number }>`SELECT count(*)::int AS devices,
          (count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM device_reports r
            WHERE r.organization_id = d.organization_id AND r.digest = d.report_digest)))::int AS dangling
        FROM devices d WHERE d.organization_id = ${owner.organizationId}`
    )
    expect(row).toEqual({ devices: 8, dangling: 0 })
  })

  it("rejects malformed reports and names the field", async () => {
    const { member } = await start(plane)
    const plugin = await pluginOf(plane, member)
    const one = { ...plugin, state: "installed", failure: null }
    for (const [input, at] of [
      [{ deviceId: "short" }, "deviceId"],
      [{ deviceId: "a".repeat(65) }, "deviceId"],
      [{ deviceId: "a device with spaces" }, "deviceId"],
      [{ sequence: 0 }, "sequence"],
      [{ sequence: 1.5 }, "sequence"],
      [{ sequence: Number.MAX_SAFE_INTEGER + 1 }, "sequence"],
      [{ agent: "" }, "agent"],
      [{ platform: "amiga" }, "platform"],
      [{ revision: 0 }, "revision"],
      [{ failure: "weather" }, "failure"],
      [{ plugins: [one, one] }, "plugins"],
      [{ plugins: [{ ...one, sha256: "abc" }] }, "sha256"],
      [{ plugins: [{ ...one, failure: "download" }] }, "failure"],
      [{ plugins: [{ ...one, state: "failed" }] }, "failure"],
      [{ plugins: [{ ...one, pluginId: "plg_1" }] }, "pluginId"]
    ] as const) {
      const response = await member.call("POST", reportsPath, reportOf(input))
      expect([response.status, response.body.error, at]).toEqual([400, "invalid_request", at])
      expect(response.text).toContain(at)
    }
    const rest = { ...reportOf({}), sequence: undefined }
    expect((await member.call("POST", reportsPath, rest)).status).toBe(400)
  })

  it("rejects API keys, and requires no permission from a member", async () => {
    const { owner } = await start(plane)
    const { call } = await makeKey(plane, owner, ["delivery:read"])
    expect((await call("POST", reportsPath, reportOf({}))).body.reason).toBe("session_required")
    await reportAccepted(await addMember(plane, owner, await makeRole(owner, [])), {})
  })

  it("stores the device of a worker with the member who created the worker", async () => {
    const { member, owner } = await start(plane)
    const { token, worker } = (await member.call("POST", "/v1/workers", { name: "Builds", destination: "local" })).body
    const call: Person["call"] = (method, path, body) =>
      member.call(method, path, body, { authorization: `Bearer ${token}` })
    const plugins = installed(await wantedBy(plane, { token }))
    await reportAccepted({ call }, { plugins })
    await reportAccepted(member, { deviceId: makeDeviceId() })
    expect((await statusOf(owner)).memberCount).toBe(1)
    const { items } = await read(owner, "/v1/delivery/devices")
    expect(
      items.map((item: Item) => [item.orgMembershipId, item.workerId, item.installations.running]).toSorted()
    ).toEqual(
      [
        [member.membershipId, null, 0],
        [member.membershipId, worker.id, 1]
      ].toSorted()
    )
    expect((await member.call("DELETE", `/v1/workers/${worker.id}`)).status).toBe(204)
    expect((await statusOf(owner)).devices.total).toBe(1)
    expect((await call("POST", reportsPath, reportOf({ sequence: 2 }))).status).toBe(401)
  })

  it("replaces the device that has not reported for the longest time above the limit, even with concurrent reports", async () => {
    const { member, owner } = await start(plane)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO devices (organization_id, membership_id, id, worker_id, agent, platform, sequence,
          report_digest, first_seen_at, last_seen_at)
        SELECT ${owner.organizationId}, ${member.membershipId}, 'device-' || lpad(i::text, 20, '0'), '', 'claude-code',
          'linux', 1, 'none', now(), now() FROM generate_series(1, 47) i`
    )
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => member.call("POST", reportsPath, reportOf({ deviceId: makeDeviceId() })))
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect((await statusOf(owner)).devices.total).toBe(50)
    // The fourth one is the first that was not replaced.
    const ids = (
      await runSql(
        plane,
        (sql) => sql<{ id: string }>`SELECT id FROM devices
      WHERE organization_id = ${owner.organizationId} ORDER BY last_seen_at, id LIMIT 1`
      )
    ).map(({ id }) => id)
    expect(ids).toEqual([`device-${"4".padStart(20, "0")}`])
    await reportAccepted(owner, { deviceId: makeDeviceId() })
    // A late report does not restore a device that was replaced.
    const replaced = { deviceId: `device-${"1".padStart(20, "0")}` }
    const late = await member.call("POST", reportsPath, reportOf({ ...replaced, sequence: 1 }))
    expect(late.body).toEqual({ accepted: false, lastSequence: 1 })
    await reportAccepted(member, { ...replaced, sequence: 2 })
  })

  it("stores no device of a member who leaves at the same time", async () => {
    const { member, owner } = await start(plane)
    await reportAccepted(member, {})
    const [left, ...reports] = await Promise.all([
      owner.call("DELETE", `/v1/members/${member.membershipId}`),
      ...Array.from({ length: 5 }, () => member.call("POST", reportsPath, reportOf({ deviceId: makeDeviceId() })))
    ])
    expect(left?.status).toBe(204)
    expect(reports.every(({ status }) => [200, 401, 404].includes(status))).toBe(true)
    expect(await rows(owner.organizationId, "devices")).toBe(0)
    expect((await statusOf(owner)).memberCount).toBe(0)
    expect((await member.call("POST", reportsPath, reportOf({ sequence: 2 }))).status).toBeGreaterThanOrEqual(401)
  })

  it("compares a report only with the desired state of the device's own member", async () => {
    const { member, owner, pluginId } = await start(plane)
    const plugin = await pluginOf(plane, member)
    const other = await start(plane)
    const { pluginId: foreignId } = await makeDelivered(other.owner, "Secrets")
    const foreign = await pluginOf(plane, other.member, foreignId)
    // A digest of another organization, an unknown digest, and plugins that do not exist.
    await reportAccepted(member, {
      plugins: [
        ...installed([{ ...plugin, digest: foreign.digest }, foreign]),
        ...installed([{ pluginId: missing(pluginId), sha256: sha("b"), digest: sha("c") }])
      ]
    })
    expect(await rows(owner.organizationId, "release_outcomes")).toBe(0)
    expect(await rows(other.owner.organizationId, "release_outcomes")).toBe(0)
    expect((await statusOf(other.owner)).devices.total).toBe(0)
    const status = await statusOf(owner)
    expect(status.installations).toEqual(counts({ wanted: 1, running: 1 }))
    // Plugins that do not exist in the organization are not counted.
    expect(status.plugins.map((entry: Item) => entry.pluginId)).toEqual([pluginId])
  })

  it("counts an unwanted plugin even if a device reports thousands of plugins that do not exist", async () => {
    const { member, owner, pluginId } = await start(plane)
    const plugin = await pluginOf(plane, member)
    const liar = await addMember(plane, owner, "member")
    await owner.client.assignments.create({ pluginId, mode: "blocked" })
    for (const person of [member, liar]) expect(await wantedBy(plane, person)).toEqual([])
    await reportAccepted(member, { plugins: installed([plugin]) })
    const invented = (device: number) =>
      Array.from({ length: 2000 }, (_, at) => ({
        pluginId: `plg_00000000000000000${device}${String(at).padStart(8, "0")}`,
        sha256: sha("d"),
        digest: null
      }))
    for (const device of [1, 2, 3]) {
      await reportAccepted(liar, { deviceId: makeDeviceId(), plugins: installed(invented(device)) })
    }
    const status = await statusOf(owner)
    expect(status.plugins).toMatchObject([{ pluginId, wanted: 0, unwanted: 1 }])
    expect(status.truncated).toBe(false)
    await owner.client.plugins.archive(pluginId)
    expect((await statusOf(owner)).plugins).toMatchObject([{ pluginId, unwanted: 1 }])
    const { plugins } = (await read(owner, "/v1/delivery/usage")).item
    expect(plugins).toMatchObject([{ pluginId, running: 1 }])
    const tooMany = [...invented(4), ...invented(5)].slice(0, 2001)
    expect((await member.call("POST", reportsPath, reportOf({ plugins: installed(tooMany) }))).status).toBe(400)
  })

  it("records the first result of each member with a release", async () => {
    const { member, owner, pluginId, release } = await start(plane)
    const unknown = { pluginId: missing(pluginId), sha256: sha("e"), digest: sha("e") }
    const first = await wantedBy(plane, member)
    // The first report of a device has no results, because its plugins may have been installed long before.
    const other = { deviceId: makeDeviceId() }
    await reportAccepted(member, { ...other, sequence: 1, plugins: installed(first) })
    await reportAccepted(member, { ...other, sequence: 2, plugins: [...installed(first), ...failed([unknown])] })
    await reportAccepted(member, { sequence: 1 })
    await reportAccepted(member, { sequence: 2, plugins: failed(first) })
    await reportAccepted(member, { sequence: 3, plugins: installed(first) })
    await release("Two")
    // Not a result until the release is in the desired state of the member.
    const [latest] = (await owner.call("GET", `/v1/approvals?state=approved&pluginId=${pluginId}`)).body.items
    const { digest } = latest
    await reportAccepted(member, { sequence: 4, plugins: failed(first.map((plugin) => ({ ...plugin, digest }))) })
    await reportAccepted(member, { sequence: 5, plugins: installed(first) })
    const second = await wantedBy(plane, member)
    await reportAccepted(member, { sequence: 6, plugins: installed(second) })
    await reportAccepted(member, { sequence: 7, plugins: failed(second) })
    const outcomes = await runSql(
      plane,
      (sql) => sql<{ digest: string; is_failed: boolean }>`SELECT digest, is_failed FROM release_outcomes
        WHERE organization_id = ${owner.organizationId} AND membership_id = ${member.membershipId} ORDER BY created_at`
    )
    expect(outcomes).toEqual([
      { digest: first[0]?.digest, is_failed: true },
      { digest: second[0]?.digest, is_failed: false }
    ])
  })
})

describe("a report of a removal", () => {
  it("deletes the device, which only a report with a higher sequence restores", async () => {
    const { member, owner } = await start(plane)
    const plugins = installed(await wantedBy(plane, member))
    await reportAccepted(member, { sequence: 1, plugins })
    await reportAccepted(member, { sequence: 5, removed: true })
    const nothing = { accepted: false, lastSequence: 5 }
    for (const late of [
      { sequence: 1, plugins },
      { sequence: 4, plugins },
      { sequence: 5, plugins },
      { sequence: 5, removed: true }
    ]) {
      expect((await member.call("POST", reportsPath, reportOf(late))).body).toEqual(nothing)
    }
    expect(await statusOf(owner)).toMatchObject({ memberCount: 0, devices: { total: 0 }, plugins: [] })
    expect((await read(owner, "/v1/delivery/devices")).items).toEqual([])
    expect(await rows(owner.organizationId, "device_reports")).toBe(0)
    await reportAccepted(member, { sequence: 6, plugins })
    expect((await statusOf(owner)).installations).toEqual(counts({ wanted: 1, running: 1 }))
    expect(await rows(owner.organizationId, "removed_devices")).toBe(0)
  })

  it("is stored even if it arrives before the other reports of the device", async () => {
    const { member, owner } = await start(plane)
    await reportAccepted(member, { sequence: 2, removed: true })
    const late = await member.call("POST", reportsPath, reportOf({ sequence: 1 }))
    expect(late.body).toEqual({ accepted: false, lastSequence: 2 })
    expect((await statusOf(owner)).devices.total).toBe(0)
  })

  it("does not count toward the limit of devices, and the 50 newest removals are kept until the member leaves", async () => {
    const { member, owner } = await start(plane)
    const ids = Array.from({ length: 52 }, makeDeviceId)
    for (const deviceId of ids) await reportAccepted(member, { deviceId, sequence: 2, removed: true })
    const isAccepted = async (deviceId: string | undefined) =>
      (await member.call("POST", reportsPath, reportOf({ deviceId, sequence: 1 }))).body.accepted
    expect([await isAccepted(ids[0]), await isAccepted(ids[1]), await isAccepted(ids[2])]).toEqual([true, true, false])
    expect((await statusOf(owner)).devices.total).toBe(2)
    expect(await rows(owner.organizationId, "removed_devices")).toBe(50)
    expect((await owner.call("DELETE", `/v1/members/${member.membershipId}`)).status).toBe(204)
    expect(await rows(owner.organizationId, "removed_devices")).toBe(0)
  })
})

describe("GET /v1/delivery/status", () => {
  it("returns each state of an installation", async () => {
    const { member, owner, pluginId, release } = await start(plane)
    const old = await pluginOf(plane, member)
    await release("Two")
    const plugin = await pluginOf(plane, member)
    const { id: otherId } = await owner.client.plugins.create({ name: "Not assigned" })
    const other = { pluginId: otherId, sha256: sha("e"), digest: null }
    const ages: Array<string> = []
    for (const [name, plugins, rest] of [
      ["running", installed([plugin])],
      ["behind", installed([old])],
      ["behind after a failure of an older archive", failed([{ ...old, sha256: sha("f") }], "content", old.sha256)],
      ["missing", []],
      ["missing after a failure of an older archive", failed([old])],
      ["failed", failed([plugin], "integrity", old.sha256)],
      ["failed", [], { failure: "settings" }],
      ["failed", installed([old]), { failure: "settings" }],
      ["running", installed([plugin]), { failure: "settings" }],
      ["running after a failure of an older archive", failed([old], "content", plugin.sha256)],
      ["offline", installed([plugin])],
      ["running and unwanted", installed([plugin, other])],
      ["missing and not unwanted", failed([other])]
    ] as const) {
      const deviceId = makeDeviceId()
      await reportAccepted(member, { deviceId, plugins, ...rest })
      if (name === "offline") ages.push(deviceId)
    }
    const age = (interval: string) =>
      runSql(
        plane,
        (sql) => sql`UPDATE devices SET last_seen_at = now() - ${interval}::interval
          WHERE organization_id = ${owner.organizationId} AND id = ${ages[0]}`
      )
    await age("23 hours 50 minutes")
    expect((await statusOf(owner)).devices).toEqual({ total: 13, offline: 0, failed: 3 })
    await age("24 hours 10 minutes")
    const status = await statusOf(owner)
    expect(status).toMatchObject({ memberCount: 1, devices: { total: 13, offline: 1, failed: 3 } })
    const expected = counts({ wanted: 13, running: 4, behind: 2, missing: 3, failed: 3, offline: 1 })
    expect(status.installations).toEqual(expected)
    const failures = [
      { failure: "settings", count: 2 },
      { failure: "integrity", count: 1 }
    ]
    expect(status.failures).toEqual(failures)
    expect(status.plugins).toMatchObject([
      { pluginId, ...expected, unwanted: 0, failures },
      { pluginId: other.pluginId, wanted: 0, unwanted: 1, releases: [] }
    ])
  })

  it("counts only the installations that match the filters", async () => {
    const { member, owner, pluginId, release } = await start(plane)
    const { pluginId: otherId } = await makeDelivered(owner, "Other")
    const [first] = (await wantedBy(plane, member)).filter((one) => one.pluginId === pluginId)
    await reportAccepted(member, { plugins: installed(await wantedBy(plane, member)) })
    // The state of the other member has the next release.
    const colleague = await addMember(plane, owner, "member")
    await release("Two")
    const plugins = await wantedBy(plane, colleague)
    await reportAccepted(colleague, { plugins: installed(plugins) })
    const teamId = await makeTeam(owner, [colleague])
    const digest = plugins.find((one) => one.pluginId === pluginId)?.digest
    const runningWith = async (query: string) => (await statusOf(owner, query)).installations.running
    expect(await runningWith("")).toBe(4)
    expect(await runningWith(`?pluginId=${otherId}`)).toBe(2)
    expect(await runningWith(`?digest=${digest}`)).toBe(1)
    expect(await runningWith(`?digest=${first?.digest}`)).toBe(1)
    expect(await runningWith(`?digest=${sha("0")}`)).toBe(0)
    expect(await runningWith(`?teamId=${teamId}`)).toBe(2)
    expect(await runningWith(`?orgMembershipId=${member.membershipId}&pluginId=${pluginId}`)).toBe(1)
    expect((await statusOf(owner, `?teamId=${teamId}`)).memberCount).toBe(1)
    const one = await statusOf(owner, `?pluginId=${pluginId}`)
    expect(one.plugins).toHaveLength(1)
    expect(one.plugins[0].releases.map((entry: Item) => entry.digest).toSorted()).toEqual(
      [digest, first?.digest].toSorted()
    )
  })

  it("counts a device without a desired state, but no installations of it", async () => {
    const { member, owner, pluginId } = await start(plane)
    const plugins = installed([{ pluginId, sha256: sha("a"), digest: null }])
    await reportAccepted(member, { plugins })
    expect(await statusOf(owner)).toMatchObject({
      devices: { total: 1 },
      installations: counts({ wanted: 0 }),
      plugins: []
    })
    // As after the upgrade: the state was issued before its plugins were stored.
    await wantedBy(plane, member)
    await runSql(
      plane,
      (sql) => sql`UPDATE desired_state_revisions SET plugins_digest = NULL, plugins_for = NULL
        WHERE organization_id = ${owner.organizationId}`
    )
    expect((await statusOf(owner)).plugins).toEqual([])
    await wantedBy(plane, member)
    expect((await statusOf(owner)).installations).toEqual(counts({ wanted: 1, behind: 1 }))
  })

  it("returns 404 for plugins, teams and members of another organization, as for missing ones", async () => {
    const { owner } = await start(plane)
    const other = await start(plane)
    const teamId = await makeTeam(other.owner, [])
    for (const [name, id] of [
      ["pluginId", other.pluginId],
      ["teamId", teamId],
      ["orgMembershipId", other.member.membershipId]
    ] as const) {
      const response = await owner.call("GET", `/v1/delivery/status?${name}=${id}`)
      expect(response.status).toBe(404)
      const absent = await owner.call("GET", `/v1/delivery/status?${name}=${missing(id)}`)
      expect([absent.status, absent.text]).toEqual([404, response.text])
    }
    for (const query of ["pluginId=plg_1", "digest=abc", "teamId=1", "orgMembershipId="]) {
      expect((await owner.call("GET", `/v1/delivery/status?${query}`)).status).toBe(400)
    }
  })

  it("requires delivery:read, and names only the plugins that the caller can see", async () => {
    const { member, owner, pluginId } = await start(plane)
    await reportAccepted(member, { plugins: installed(await wantedBy(plane, member)) })
    expect((await member.call("GET", "/v1/delivery/status")).body.reason).toBe("permission_required")
    const hidden = await makeDelivered(owner, "Hidden")
    const access = (await owner.call("GET", `/v1/plugins/${hidden.pluginId}/access`)).body.items
    const grant = access.find((one: Item) => one.orgWide)
    await reportAccepted(member, { sequence: 2, plugins: installed(await wantedBy(plane, member)) })
    await owner.call("DELETE", `/v1/plugins/${hidden.pluginId}/access/${grant.id}`)
    const reader = await addMember(plane, owner, await makeRole(owner, ["delivery:read"]))
    const status = await statusOf(reader)
    const releasesOf = (one: Item) => one.releases.map((entry: Item) => [entry.digest === null, entry.running])
    expect(status.plugins.map((one: Item) => [one.pluginId, one.name, ...releasesOf(one)]).toSorted()).toEqual(
      [
        [pluginId, "Notes", [false, 1]],
        [hidden.pluginId, null, [true, 1]]
      ].toSorted()
    )
    const { plugins } = (await read(reader, `/v1/delivery/members/${member.membershipId}/devices/device-of-a-member`))
      .item
    expect(plugins.find((one: Item) => one.pluginId === hidden.pluginId)).toMatchObject({
      name: null,
      state: "running",
      wantedDigest: null,
      installedDigest: null
    })
    expect((await reader.call("GET", `/v1/delivery/status?pluginId=${hidden.pluginId}`)).status).toBe(404)
    const { call } = await makeKey(plane, owner, ["delivery:read"])
    expect((await statusOf({ call })).devices.total).toBe(1)
  })

  it("runs a fixed number of SQL statements for any number of devices with the same report", async () => {
    const { member, owner, pluginId } = await start(plane)
    await reportAccepted(member, { plugins: installed(await wantedBy(plane, member)) })
    const delivery = await withServices(plane, Effect.provide(DeliveryService, Layer.fresh(DeliveryService.layer)))
    const read = () => counted(plane, delivery.status(memberOf(owner, "delivery:read"), {}))
    const one = await read()
    await runSql(
      plane,
      (sql) => sql`INSERT INTO devices (organization_id, membership_id, id, worker_id, agent, platform, sequence,
          report_digest, first_seen_at, last_seen_at)
        SELECT d.organization_id, d.membership_id, 'device-' || lpad(i::text, 20, '0'), '', d.agent, d.platform, 1,
          d.report_digest, now(), now()
        FROM devices d CROSS JOIN generate_series(1, 20000) i WHERE d.organization_id = ${owner.organizationId}`
    )
    const many = await read()
    expect(many.response.plugins).toMatchObject([{ pluginId, running: 20_001 }])
    expect(many.count).toBe(one.count)
    expect(many.count).toBeLessThanOrEqual(10)
  })

  it("returns an empty status for an organization without devices", async () => {
    expect(await statusOf(await makeWorkspace(plane))).toMatchObject({
      memberCount: 0,
      devices: { total: 0, offline: 0, failed: 0 },
      installations: counts({ wanted: 0 }),
      failures: [],
      plugins: [],
      truncated: false
    })
  })
})
