/** The delivery of plugins as text. */
import { describe, expect, it } from "vitest"
import {
  countsText,
  deliveryHistory,
  deliveryStatus,
  deliveryUsage,
  deviceDetails,
  deviceState,
  failuresText
} from "./delivery.ts"

const style = {
  columns: 120,
  colors: false,
  unicode: true,
  terminal: true,
  now: Date.parse("2026-01-15T12:00:00.000Z")
}
const counts = { wanted: 5000, running: 4871, behind: 0, missing: 0, failed: 39, offline: 90 }
const failures = [{ failure: "integrity", count: 39 }]
const none = { wanted: 0, running: 0, behind: 0, missing: 0, failed: 0, offline: 0 }

const status = (more: object = {}) => ({
  item: {
    generatedAt: "2026-01-15T12:00:00.000Z",
    memberCount: 1,
    devices: { total: 2, offline: 1, failed: 0 },
    installations: counts,
    failures,
    plugins: [],
    truncated: false,
    ...more
  }
})

const plugin = (more: object = {}) => ({
  pluginId: "plg_1",
  name: "Deploy",
  ...counts,
  unwanted: 0,
  failures,
  releases: [],
  ...more
})

describe("the summary of installations", () => {
  it("names only the states that occur, and why installations failed", () => {
    expect(countsText(counts, failures)).toBe("5000 wanted, 4871 running, 90 offline, 39 failed: integrity")
    expect(countsText({ ...none, wanted: 2, behind: 1, missing: 1 })).toBe("2 wanted, 0 running, 1 behind, 1 missing")
    expect(countsText(none, failures)).toBe("0 wanted, 0 running")
    expect(failuresText([...failures, { failure: "download", count: 1 }])).toBe("39 integrity, 1 download")
  })
})

describe("the delivery status", () => {
  it("shows the summary, the devices, and a row for each plugin", () => {
    expect(deliveryStatus(status({ plugins: [plugin(), plugin({ pluginId: "plg_2", name: null })] }), style)).toBe(
      [
        "5000 wanted, 4871 running, 90 offline, 39 failed: integrity",
        "1 member, 2 devices, 1 offline",
        "",
        "NAME    WANTED  RUNNING  BEHIND  MISSING  FAILED  OFFLINE  FAILURES   PLUGIN ID",
        "Deploy  5000    4871     0       0        39      90       integrity  plg_1",
        "plg_2   5000    4871     0       0        39      90       integrity  plg_2",
        "",
        "as of 2026-01-15T12:00:00.000Z"
      ].join("\n")
    )
  })

  it("shows the releases of a single plugin", () => {
    const releases = [{ sha256: "a", digest: "5d2f", version: "1.4.0", ...none, wanted: 3, running: 3 }]
    expect(deliveryStatus(status({ plugins: [plugin({ releases })] }), style)).toContain(
      "By release:\nVERSION  WANTED  RUNNING  BEHIND  MISSING  FAILED  OFFLINE  RELEASE\n1.4.0    3       3        0       0        0       0        5d2f\n"
    )
  })

  it("explains an empty status, and escapes names", () => {
    const devices = { total: 0, offline: 0, failed: 0 }
    expect(deliveryStatus(status({ devices, installations: none }), style)).toMatch(/^No device has reported yet\./u)
    expect(deliveryStatus(status({ plugins: [plugin({ name: "a\u001b[31m" })] }), style)).not.toContain("\u001b")
  })
})

describe("a device", () => {
  const device = {
    id: "0f8b2c1e-6f0b-4c27-9a55-0d6c0c4f2f11",
    orgMembershipId: "om_1",
    workerId: null,
    agent: "claude-code",
    clientVersion: "1.0.0",
    platform: "linux",
    offline: false,
    revision: 6,
    wantedRevision: 7,
    failure: null,
    firstSeenAt: "2026-01-14T12:00:00.000Z",
    lastSeenAt: "2026-01-15T11:00:00.000Z",
    installations: { ...none, wanted: 2, running: 1, failed: 1 },
    plugins: [{ pluginId: "plg_1", name: "Deploy", state: "failed", failure: "content", wantedSha256: "b".repeat(64) }]
  }

  it.each([
    ["offline", { offline: true, failure: "storage" }],
    ["failed: storage", { failure: "storage" }],
    ["1 plugin failed", {}],
    ["behind", { installations: { ...none, wanted: 2, running: 1, behind: 1 } }],
    ["up to date", { installations: { ...none, wanted: 2, running: 2 } }]
  ])("is %s", (expected, more) => expect(deviceState({ ...device, ...more })).toBe(expected))

  it("is shown with the state of each plugin", () => {
    const text = deviceDetails({ item: device }, style)
    expect(text).toContain("revision         6 of 7")
    expect(text).toContain("lastSeenAt       2026-01-15T11:00:00.000Z (1 hour ago)")
    expect(text).toContain("Deploy  failed: content  bbbbbbbbbbbb  -          plg_1")
    expect(text).not.toContain("workerId")
  })
})

describe("the history and the usage", () => {
  it("show the share of installations that run, rounded down", () => {
    const days = [{ day: "2026-01-15", deviceCount: 9, ...none, wanted: 2000, running: 1999, missing: 1 }]
    const history = { from: "2026-01-01", to: "2026-01-15", pluginId: null, digest: null, days }
    expect(deliveryHistory({ item: history }, style).split("\n")).toEqual([
      "2026-01-01 to 2026-01-15, all plugins",
      "",
      "DAY         DEVICES  WANTED  RUNNING  BEHIND  MISSING  FAILED  OFFLINE  SHARE",
      "2026-01-15  9        2000    1999     0       1        0       0        99.9%"
    ])
    expect(deliveryHistory({ item: { ...history, days: [] } }, style)).toContain("There are no records in this period.")
  })

  it("show unused plugins, releases that fail, and duplicates", () => {
    const release = {
      digest: "5d2f",
      version: "1.4.0",
      running: 3,
      installFailed: 1,
      events: 20,
      failedEvents: 2,
      userDays: 10,
      failedUserDays: 2
    }
    const used = { pluginId: "plg_1", name: "Deploy", running: 3, events: 20, users: 4, lastUsedDay: "2026-01-14" }
    const text = deliveryUsage(
      {
        item: {
          from: "2026-01-01",
          to: "2026-01-15",
          plugins: [
            { ...used, unused: false, releases: [release] },
            { ...used, pluginId: "plg_2", name: "Notes", events: 0, users: 0, unused: true, releases: [] }
          ],
          duplicates: [{ title: "Review", objectType: "skill", pluginIds: ["plg_1", "plg_3"] }],
          truncated: false
        }
      },
      style
    )
    expect(text).toContain("Deploy  3        4      20      2026-01-14  plg_1")
    expect(text).toContain("Notes   3        0      0       unused      plg_2")
    expect(text).toContain("Deploy  1.4.0    3        1               20      2              2 of 10           5d2f")
    expect(text).toContain("  skill Review: Deploy, plg_3")
  })
})
