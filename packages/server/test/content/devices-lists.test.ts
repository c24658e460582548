/** The delivery status of teams, members and devices, and the removal of devices. */
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeKey, makeRole, makeTeam, makeWorkspace, runSql } from "../harness.ts"
import {
  counts,
  failed,
  installed,
  type Item,
  makeDelivered,
  makeDeviceId,
  read,
  reportAccepted,
  reportOf,
  reportsPath,
  start,
  statusOf,
  wantedBy
} from "./devices.fixture.ts"

const plane = await makeControlPlane()

const missing = (id: string) => `${id.slice(0, -26)}01h455vb4pex5vsknk084sn02q`

/** All items of a list, read in pages. */
const all = async (person: Parameters<typeof read>[0], path: string, limit = 2): Promise<ReadonlyArray<Item>> => {
  const items: Array<Item> = []
  let cursor = ""
  for (let page = 0; page < 50; page += 1) {
    const body = await read(person, `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${cursor}`)
    expect(body.items.length).toBeLessThanOrEqual(limit)
    items.push(...body.items)
    if (body.nextCursor === null) return items
    cursor = `&cursor=${body.nextCursor}`
  }
  throw new Error("The list does not end.")
}

/** Three members: one whose plugin runs, one with a failed and an offline device, and one without a plugin. */
const people = async () => {
  const started = await start(plane)
  const { member, owner } = started
  const plugins = await wantedBy(plane, member)
  const failing = await addMember(plane, owner, "member")
  const empty = await addMember(plane, owner, "member")
  for (const one of [failing, empty]) await wantedBy(plane, one)
  const [broken, offline] = [makeDeviceId(), makeDeviceId()]
  await reportAccepted(member, { plugins: installed(plugins), clientVersion: "1.0.0", revision: 1 })
  await reportAccepted(failing, { deviceId: broken, plugins: failed(plugins, "storage"), platform: "macos" })
  await reportAccepted(failing, { deviceId: offline, plugins: installed(plugins), agent: "other-agent" })
  await reportAccepted(empty, {})
  await runSql(
    plane,
    (sql) => sql`UPDATE devices SET last_seen_at = now() - interval '2 days'
      WHERE organization_id = ${owner.organizationId} AND id = ${offline}`
  )
  return { ...started, plugins, failing, empty, broken, offline }
}

describe("GET /v1/delivery/teams", () => {
  it("returns the installations of the members of each team, including teams without devices", async () => {
    const { empty, failing, member, owner, pluginId, plugins } = await people()
    const second = await makeDelivered(owner, "Second")
    const ofAll = await makeTeam(owner, [member, failing, empty])
    const ofOne = await makeTeam(owner, [failing])
    const ofNone = await makeTeam(owner, [])
    const items = await all(owner, "/v1/delivery/teams")
    expect(items).toMatchObject([
      { teamId: ofNone, memberCount: 0, deviceCount: 0, ...counts({ wanted: 0 }) },
      { teamId: ofOne, memberCount: 1, deviceCount: 2, ...counts({ wanted: 2, failed: 1, offline: 1 }) },
      {
        teamId: ofAll,
        memberCount: 3,
        deviceCount: 4,
        ...counts({ wanted: 4, running: 1, missing: 1, failed: 1, offline: 1 })
      }
    ])
    expect((await all(owner, `/v1/delivery/teams?pluginId=${pluginId}`))[1].wanted).toBe(2)
    expect((await all(owner, `/v1/delivery/teams?pluginId=${second.pluginId}`))[1].wanted).toBe(0)
    expect((await all(owner, `/v1/delivery/teams?digest=${plugins[0]?.digest}`))[1].failed).toBe(1)
  })
})

describe("GET /v1/delivery/members", () => {
  it("returns the members with devices, or only those with an installation that matches the filters", async () => {
    const { empty, failing, member, owner, pluginId, plugins } = await people()
    const items = await all(owner, "/v1/delivery/members", 1)
    expect(items).toEqual([
      {
        orgMembershipId: empty.membershipId,
        name: "A member",
        email: null,
        deviceCount: 1,
        lastSeenAt: expect.any(String),
        ...counts({ wanted: 1, missing: 1 })
      },
      expect.objectContaining({
        orgMembershipId: failing.membershipId,
        deviceCount: 2,
        ...counts({ wanted: 2, failed: 1, offline: 1 })
      }),
      expect.objectContaining({ orgMembershipId: member.membershipId, ...counts({ wanted: 1, running: 1 }) })
    ])
    const teamId = await makeTeam(owner, [member, empty])
    const listed = async (query: string) =>
      (await all(owner, `/v1/delivery/members?${query}`)).map((one) => one.orgMembershipId)
    for (const [query, expected] of [
      ["state=running", [member]],
      ["state=failed", [failing]],
      ["state=offline", [failing]],
      ["state=missing", [empty]],
      ["state=behind", []],
      [`pluginId=${pluginId}`, [empty, failing, member]],
      [`pluginId=${pluginId}&state=running`, [member]],
      [`digest=${plugins[0]?.digest}&state=missing`, [empty]],
      [`digest=${"0".repeat(64)}`, []],
      [`teamId=${teamId}`, [empty, member]],
      [`teamId=${teamId}&state=failed`, []],
      [`orgMembershipId=${failing.membershipId}`, [failing]]
    ] as const) {
      expect([query, await listed(query)]).toEqual([query, expected.map(({ membershipId }) => membershipId)])
    }
    expect((await owner.call("GET", "/v1/delivery/members?state=unwanted")).status).toBe(400)
  })
})

describe("GET /v1/delivery/devices", () => {
  it("returns the devices that match the filters", async () => {
    const { broken, empty, failing, member, offline, owner, plugins } = await people()
    const items = await all(owner, "/v1/delivery/devices", 1)
    expect(items.map((one) => [one.orgMembershipId, one.id])).toEqual([
      [empty.membershipId, "device-of-a-member"],
      [failing.membershipId, offline],
      [failing.membershipId, broken],
      [member.membershipId, "device-of-a-member"]
    ])
    expect(items[3]).toEqual({
      id: "device-of-a-member",
      orgMembershipId: member.membershipId,
      workerId: null,
      agent: "claude-code",
      clientVersion: "1.0.0",
      platform: "linux",
      offline: false,
      revision: 1,
      wantedRevision: expect.any(Number),
      failure: null,
      firstSeenAt: expect.any(String),
      lastSeenAt: expect.any(String),
      installations: counts({ wanted: 1, running: 1 })
    })
    const listed = async (query: string) => (await all(owner, `/v1/delivery/devices?${query}`)).map(({ id }) => id)
    for (const [query, expected] of [
      ["failure=storage", [broken]],
      ["failure=download", []],
      ["state=failed", [broken]],
      ["state=failed&failure=storage", [broken]],
      ["state=offline", [offline]],
      ["platform=macos", [broken]],
      ["agent=other-agent", [offline]],
      ["agent=other-agent&state=failed", []],
      [`orgMembershipId=${failing.membershipId}&digest=${plugins[0]?.digest}`, [offline, broken]]
    ] as const) {
      expect([query, await listed(query)]).toEqual([query, expected])
    }
    const { nextCursor } = await read(owner, "/v1/delivery/devices?limit=1")
    for (const query of ["platform=amiga", "failure=weather", "agent=", `limit=2&state=failed&cursor=${nextCursor}`]) {
      expect((await owner.call("GET", `/v1/delivery/devices?${query}`)).status).toBe(400)
    }
  })

  it("returns the devices with a state among thousands of devices with different reports", async () => {
    const { member, owner } = await start(plane)
    const [plugin] = await wantedBy(plane, member)
    const old = { ...plugin, state: "installed", failure: null, installedSha256: null, sha256: "a".repeat(64) }
    await runSql(
      plane,
      (sql) => sql`WITH named AS (INSERT INTO users (id, name, created_at, updated_at)
          SELECT 'usr_' || lpad(i::text, 26, '0'), 'Member ' || i, now(), now()
          FROM generate_series(1, 5000) i RETURNING id),
        people AS (INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
          SELECT ${owner.organizationId}, replace(u.id, 'usr_', 'om_'), u.id, 'member', now(), now()
          FROM named u RETURNING id),
        states AS (INSERT INTO desired_state_revisions
            (organization_id, membership_id, worker_id, revision, digest, plugins_digest, updated_at)
          SELECT r.organization_id, p.id, '', 1, r.digest, r.plugins_digest, now()
          FROM desired_state_revisions r CROSS JOIN people p
          WHERE r.organization_id = ${owner.organizationId} AND r.membership_id = ${member.membershipId}),
        reports AS (INSERT INTO device_reports (organization_id, digest, plugins_json, used_at)
          SELECT ${owner.organizationId}, p.id, jsonb_build_array(CASE WHEN p.id LIKE '%7'
            THEN ${sql.json(old)}::jsonb ELSE ${sql.json({ ...old, sha256: plugin?.sha256 })}::jsonb END), now()
          FROM people p)
        INSERT INTO devices (organization_id, membership_id, id, worker_id, agent, platform, sequence, report_digest,
          first_seen_at, last_seen_at)
        SELECT ${owner.organizationId}, p.id, 'device-0123456789', '', 'claude-code', 'linux', 1, p.id, now(), now()
        FROM people p`
    )
    expect(await statusOf(owner)).toMatchObject({
      memberCount: 5000,
      devices: { total: 5000 },
      installations: counts({ wanted: 5000, running: 4500, behind: 500 })
    })
    for (const list of ["members", "devices"]) {
      const items = await all(owner, `/v1/delivery/${list}?state=behind`, 100)
      expect(items.length).toBe(500)
      expect(items.every((one) => one.orgMembershipId.endsWith("7"))).toBe(true)
    }
  })
})

describe("GET /v1/delivery/members/{id}/devices/{id}", () => {
  it("returns the state of each plugin", async () => {
    const { failing, broken, owner, pluginId, plugins } = await people()
    const other = missing(pluginId)
    const [plugin] = plugins
    await reportAccepted(failing, {
      deviceId: broken,
      sequence: 2,
      plugins: [
        ...failed(plugins, "content", "b".repeat(64)),
        ...installed([{ pluginId: other, sha256: "c".repeat(64), digest: "d".repeat(64) }])
      ]
    })
    const { item } = await read(owner, `/v1/delivery/members/${failing.membershipId}/devices/${broken}`)
    expect(item).toMatchObject({ id: broken, installations: counts({ wanted: 1, failed: 1 }) })
    expect(item.plugins).toEqual(
      [
        {
          pluginId,
          name: "Notes",
          state: "failed",
          wantedSha256: plugin?.sha256,
          wantedDigest: plugin?.digest,
          installedSha256: "b".repeat(64),
          installedDigest: null,
          failure: "content"
        },
        {
          pluginId: other,
          name: null,
          state: "unwanted",
          wantedSha256: null,
          wantedDigest: null,
          installedSha256: "c".repeat(64),
          installedDigest: null,
          failure: null
        }
      ].toSorted((a, b) => (a.pluginId < b.pluginId ? -1 : 1))
    )
  })

  it("returns 404 for devices that do not exist or belong to other members or organizations", async () => {
    const { broken, empty, failing, owner } = await people()
    const other = await people()
    const at = (membershipId: string, id: string) => `/v1/delivery/members/${membershipId}/devices/${id}`
    for (const [path, error] of [
      [at(failing.membershipId, "device-that-does-not-exist"), "device_not_found"],
      [at(empty.membershipId, broken), "device_not_found"],
      [at(other.failing.membershipId, other.broken), "member_not_found"],
      [at(missing(failing.membershipId), broken), "member_not_found"]
    ] as const) {
      for (const method of ["GET", "DELETE"]) {
        const response = await owner.call(method, path)
        expect([response.status, response.body.error]).toEqual([404, error])
      }
    }
    expect((await owner.call("GET", at(failing.membershipId, "short"))).status).toBe(400)
    expect((await read(other.owner, at(other.failing.membershipId, other.broken))).item.id).toBe(other.broken)
  })
})

describe("DELETE /v1/delivery/members/{id}/devices/{id}", () => {
  it("removes the device and its report, until it reports again", async () => {
    const { broken, failing, owner, plugins } = await people()
    const at = `/v1/delivery/members/${failing.membershipId}/devices/${broken}`
    const reports = () =>
      runSql(
        plane,
        (sql) => sql<{ n: number }>`SELECT count(*)::int AS n FROM device_reports
          WHERE organization_id = ${owner.organizationId}`
      ).then(([row]) => row?.n)
    expect(await reports()).toBe(3)
    expect((await owner.call("DELETE", at)).status).toBe(204)
    expect(await reports()).toBe(2)
    expect((await owner.call("DELETE", at)).status).toBe(404)
    expect((await owner.call("GET", at)).status).toBe(404)
    const { items } = await read(owner, "/v1/audit-events?action=device.remove")
    expect(items).toMatchObject([
      { action: "device.remove", targetId: failing.membershipId, before: { deviceId: broken } }
    ])
    // A repeated report does not restore the device.
    const report = { deviceId: broken, plugins: installed(plugins) }
    const repeated = await failing.call("POST", reportsPath, reportOf({ ...report, sequence: 1 }))
    expect(repeated.body).toEqual({ accepted: false, lastSequence: 1 })
    expect((await owner.call("GET", at)).status).toBe(404)
    await reportAccepted(failing, { ...report, sequence: 2 })
    expect((await read(owner, at)).item.installations.running).toBe(1)
  })

  it("requires delivery:manage", async () => {
    const { broken, failing, owner } = await people()
    const at = `/v1/delivery/members/${failing.membershipId}/devices/${broken}`
    const reader = await addMember(plane, owner, await makeRole(owner, ["delivery:read"]))
    expect((await reader.call("DELETE", at)).body.reason).toBe("permission_required")
    const { call } = await makeKey(plane, owner, ["delivery:manage"])
    expect((await call("DELETE", at)).status).toBe(204)
  })
})

describe("the lists of teams, members and devices", () => {
  it("require delivery:read", async () => {
    const { member, owner } = await people()
    const reader = await addMember(plane, owner, await makeRole(owner, ["delivery:read"]))
    const { call } = await makeKey(plane, owner, ["delivery:read"])
    for (const path of ["teams", "members", "devices"]) {
      expect((await member.call("GET", `/v1/delivery/${path}`)).body.reason).toBe("permission_required")
      expect((await reader.call("GET", `/v1/delivery/${path}`)).status).toBe(200)
      expect((await call("GET", `/v1/delivery/${path}`)).status).toBe(200)
    }
  })

  it("return 404 if the plugin, team or member of a filter does not exist or is hidden, as the status does", async () => {
    const { failing, owner, pluginId } = await people()
    const { id: hidden } = await owner.client.plugins.create({ name: "Hidden" })
    const other = await makeWorkspace(plane)
    const teamId = await makeTeam(other, [])
    const reader = await addMember(plane, owner, await makeRole(owner, ["delivery:read"]))
    const paths = ["status", "members", "devices"]
    for (const [query, error, of] of [
      [`pluginId=${hidden}`, "plugin_not_found", [...paths, "teams"]],
      [`pluginId=${missing(pluginId)}`, "plugin_not_found", [...paths, "teams"]],
      [`teamId=${teamId}`, "team_not_found", paths],
      [`teamId=${missing(teamId)}`, "team_not_found", paths],
      [`orgMembershipId=${other.membershipId}`, "member_not_found", paths],
      [`orgMembershipId=${missing(failing.membershipId)}`, "member_not_found", paths]
    ] as const) {
      for (const path of of) {
        const { body, status } = await reader.call("GET", `/v1/delivery/${path}?${query}`)
        expect([path, query, status, body.error]).toEqual([path, query, 404, error])
      }
    }
  })

  it("are empty in an organization without devices", async () => {
    const owner = await makeWorkspace(plane)
    for (const path of ["teams", "members", "devices"]) {
      expect(await read(owner, `/v1/delivery/${path}`)).toEqual({ items: [], nextCursor: null })
    }
  })
})
