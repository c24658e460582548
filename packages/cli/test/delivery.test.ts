/** `orgplane delivery`: its output on a terminal and in a pipe, and `delivery watch`. */
import { describe, expect, it } from "vitest"
import { ran, type Reply, serve, spawned, start } from "./harness.ts"

const id = "plg_01kf0x5me8e6razepq180mhf01"
const member = "om_01kf0x5me8e6razepq180mhf01"
const counts = { wanted: 50, running: 0, behind: 0, missing: 0, failed: 0, offline: 0 }
type Counts = Partial<typeof counts>

const statusOf = (more: Counts, generatedAt = "2026-01-15T12:00:00.000Z") => {
  const installations = { ...counts, ...more }
  const failures = installations.failed === 0 ? [] : [{ failure: "integrity", count: installations.failed }]
  return {
    item: {
      generatedAt,
      memberCount: 40,
      devices: { total: 50, offline: installations.offline, failed: 0 },
      installations,
      failures,
      plugins: [{ pluginId: id, name: "Deploy", ...installations, unwanted: 0, failures, releases: [] }],
      truncated: false
    }
  }
}

const statusPath = "GET /v1/delivery/status"
const serving = (...replies: ReadonlyArray<Reply>) => serve({ [statusPath]: replies })
const of = (more: Counts, generatedAt?: string): Reply => ({ body: statusOf(more, generatedAt) })

describe("delivery status", () => {
  it("draws a summary and a table on a terminal, rows in a pipe, and the response as JSON", async () => {
    const { url } = await serving(of({ running: 45, offline: 2, failed: 3 }))
    const drawn = await ran(["delivery", "status"], { url, columns: 100, env: { NO_COLOR: "1" } })
    expect(drawn.out.split("\n").slice(0, 5)).toEqual([
      "50 wanted, 45 running, 2 offline, 3 failed: integrity",
      "40 members, 50 devices, 2 offline",
      "",
      expect.stringMatching(/^NAME +WANTED +RUNNING/u),
      expect.stringMatching(/^Deploy +50 +45/u)
    ])
    expect((await ran(["delivery", "status"], { url })).out).toBe(`${id}\tDeploy\t50\t45\t0\t0\t3\t2\t0\n`)
    expect((await ran(["delivery", "status", "-q"], { url })).out).toBe(
      "50 wanted, 45 running, 2 offline, 3 failed: integrity\n"
    )
    const json = await ran(["delivery", "status", "-o", "json"], { url })
    expect(JSON.parse(json.out)).toEqual(statusOf({ running: 45, offline: 2, failed: 3 }))
    expect((await ran(["delivery", "status", "--jq", ".installations.running"], { url })).out).toBe("45\n")
  })
})

describe("the delivery commands", () => {
  const device = {
    id: "0f8b2c1e-6f0b-4c27-9a55-0d6c0c4f2f11",
    orgMembershipId: member,
    workerId: null,
    agent: "claude-code",
    clientVersion: "1.0.0",
    platform: "linux",
    offline: true,
    revision: 7,
    wantedRevision: 7,
    failure: null,
    firstSeenAt: "2026-01-14T12:00:00.000Z",
    lastSeenAt: "2026-01-14T12:00:00.000Z",
    installations: counts
  }

  it("show the devices with their status, and look up a member by email address", async () => {
    const { seen, url } = await serve({
      "GET /v1/members": { body: { items: [{ id: member, email: "ada@acme.example" }], nextCursor: null } },
      "GET /v1/delivery/devices": { body: { items: [device], nextCursor: null } }
    })
    const { out } = await ran(["delivery", "list-devices", "--member", "ada@acme.example"], { url })
    expect(out).toBe(`${device.id}\t${member}\tclaude-code\tlinux\t1.0.0\toffline\t-\t2026-01-14T12:00:00.000Z\n`)
    expect(seen.at(-1)?.path).toBe(`/v1/delivery/devices?orgMembershipId=${member}`)
  })

  it("show the columns of teams and members", async () => {
    const { url } = await serve({
      "GET /v1/delivery/teams": {
        body: {
          items: [{ teamId: "tem_1", name: "Platform", memberCount: 2, deviceCount: 3, ...counts }],
          nextCursor: null
        }
      },
      "GET /v1/delivery/members": {
        body: {
          items: [
            {
              orgMembershipId: member,
              name: "Ada",
              email: "ada@acme.example",
              deviceCount: 1,
              lastSeenAt: "2026-01-14T12:00:00.000Z",
              ...counts
            }
          ],
          nextCursor: null
        }
      }
    })
    expect((await ran(["delivery", "list-teams"], { url })).out).toBe("tem_1\tPlatform\t2\t3\t50\t0\t0\t0\t0\t0\n")
    expect((await ran(["delivery", "list-teams", "-q"], { url })).out).toBe("tem_1\n")
    expect((await ran(["delivery", "list-members"], { url })).out).toBe(
      `${member}\tAda\tada@acme.example\t1\t50\t0\t0\t0\t0\t0\t2026-01-14T12:00:00.000Z\n`
    )
  })

  it("show a device with its plugins, and remove it only after a confirmation", async () => {
    const path = `/v1/delivery/members/${member}/devices/${device.id}`
    const { seen, url } = await serve({
      [`GET ${path}`]: { body: { item: { ...device, plugins: [{ pluginId: id, name: "Deploy", state: "running" }] } } },
      [`DELETE ${path}`]: { status: 204 }
    })
    const shown = await ran(["delivery", "get-device", member, device.id], {
      url,
      columns: 100,
      env: { NO_COLOR: "1" }
    })
    expect(shown.out).toMatch(/^status +offline$/mu)
    expect(shown.out).toMatch(/^Deploy +running/mu)
    const refused = await ran(["delivery", "remove-device", member, device.id], { url })
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("Use --yes to confirm.")])
    expect(seen.some(({ method }) => method === "DELETE")).toBe(false)
    expect((await ran(["delivery", "remove-device", member, device.id, "--yes"], { url })).code).toBe(0)
  })

  it("show the history and the usage as rows in a pipe", async () => {
    const { url } = await serve({
      "GET /v1/delivery/history": {
        body: {
          item: {
            from: "2026-01-14",
            to: "2026-01-15",
            pluginId: null,
            digest: null,
            days: [{ day: "2026-01-15", deviceCount: 50, ...counts }]
          }
        }
      },
      "GET /v1/delivery/usage": {
        body: {
          item: {
            from: "2026-01-14",
            to: "2026-01-15",
            plugins: [
              {
                pluginId: id,
                name: "Deploy",
                running: 3,
                users: 0,
                events: 0,
                lastUsedDay: null,
                unused: true,
                releases: []
              }
            ],
            duplicates: [],
            truncated: false
          }
        }
      }
    })
    expect((await ran(["delivery", "history"], { url })).out).toBe("2026-01-15\t50\t50\t0\t0\t0\t0\t0\n")
    expect((await ran(["delivery", "usage"], { url })).out).toBe(`${id}\tDeploy\t3\t0\t0\t-\ttrue\n`)
    const drawn = await ran(["delivery", "usage"], { url, columns: 100, env: { NO_COLOR: "1" } })
    expect(drawn.out).toMatch(/^Deploy +3 +0 +0 +unused/mu)
  })
})

const second = (seconds: number) => `2026-01-15T12:00:0${seconds}.000Z`

describe("delivery watch in a pipe", () => {
  it("prints a line for each change, and exits when nothing is behind or missing", async () => {
    const { seen, url } = await serving(
      of({ running: 10, behind: 40 }, second(0)),
      of({ running: 10, behind: 40 }, second(5)),
      of({ running: 45, behind: 5 }, second(6)),
      of({ running: 48, offline: 2 }, second(7))
    )
    const { code, err, out } = await spawned(["delivery", "watch", "--plugin-id", id, "--until-done", "-n", "1"], {
      url
    })
    expect([code, err, out.split("\n")]).toEqual([
      0,
      "",
      [
        `${second(0)}  50 wanted, 10 running, 40 behind`,
        `${second(6)}  50 wanted, 45 running, 5 behind`,
        `${second(7)}  50 wanted, 48 running, 2 offline`,
        ""
      ]
    ])
    expect(seen.map(({ path }) => path)).toEqual(Array(4).fill(`/v1/delivery/status?pluginId=${id}`))
  })

  it("exits with 1 if installations failed", async () => {
    const { url } = await serving(of({ running: 47, failed: 3 }))
    const { code, out } = await ran(["delivery", "watch", "--until-done", "-q"], { url })
    expect([code, out]).toEqual([1, "50 wanted, 47 running, 3 failed: integrity\n"])
  })

  it("continues after an outage, and prints the error once", async () => {
    const down: Reply = { status: 503, body: { error: "unavailable", message: "Down." } }
    const { url } = await serving(of({ missing: 50 }), ...Array.from({ length: 8 }, () => down), of({ running: 50 }))
    const { code, err, out } = await ran(["delivery", "watch", "--until-done"], { url })
    expect([code, err, out.split("\n").length]).toEqual([0, "orgplane: Down. Retrying.\n", 3])
  })

  it("prints the status or the selected fields as JSON", async () => {
    const { url } = await serving(of({ missing: 50 }), of({ running: 50 }))
    const json = await ran(["delivery", "watch", "--until-done", "-o", "ndjson"], { url })
    expect(
      json.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).installations.running)
    ).toEqual([0, 50])
    const other = await serving(of({ running: 50 }))
    const selected = await ran(["delivery", "watch", "--until-done", "--jq", ".installations.wanted"], other)
    expect(selected.out).toBe("50\n")
  })

  it("runs without --until-done until it is interrupted", async () => {
    const { seen, url } = await serving(of({ running: 50 }))
    const { child, ended } = start(["delivery", "watch", "-n", "1"], { url })
    await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThan(1)
    child.kill("SIGINT")
    const { code, out } = await ended
    expect([code, out.split("\n").length]).toEqual([130, 2])
  })

  it("fails at once if the first request fails or a flag is not valid", async () => {
    const { url } = await serve({
      [statusPath]: { status: 404, body: { error: "plugin_not_found", message: "The plugin does not exist." } }
    })
    expect((await ran(["delivery", "watch", "--plugin-id", id], { url })).code).toBe(3)
    const invalid = await ran(["delivery", "watch", "--interval", "0"], { url })
    expect([invalid.code, invalid.err]).toEqual([
      2,
      "orgplane: --interval must be a number of seconds from 1 to 3600.\n"
    ])
  })
})

describe("delivery watch on a terminal", () => {
  const terminal = (url: string) => ({ url, columns: 100, rows: 24, env: { NO_COLOR: "1" } })

  it("redraws the status, restores the screen, and prints the last status", async () => {
    const { url } = await serving(of({ running: 10, behind: 40 }), of({ running: 50 }))
    const { code, out } = await ran(["delivery", "watch", "--until-done"], terminal(url))
    const [screen = "", after = ""] = out.split("\u001b[?25h\u001b[?1049l")
    expect(code).toBe(0)
    expect(screen).toContain("50 wanted, 10 running, 40 behind\u001b[K\r\n")
    expect(screen).toContain("Press Ctrl+C to quit. Refreshes every 5 s.")
    expect(after.split("\n")[0]).toBe("50 wanted, 50 running")
    expect(after).not.toContain("\u001b")
  })

  it("exits with 0 when it is interrupted, or with 130 with --until-done", async () => {
    const { url } = await serving(of({ running: 10, behind: 40 }))
    expect((await ran(["delivery", "watch"], { ...terminal(url), interruptAt: 9_000 })).code).toBe(0)
    const waiting = await ran(["delivery", "watch", "--until-done"], { ...terminal(url), interruptAt: 9_000 })
    expect(waiting.code).toBe(130)
  })

  it("shows an outage in the last line, and fits a small terminal", async () => {
    const down: Reply = { status: 503, body: { error: "unavailable", message: "Down." } }
    const { url } = await serving(of({ missing: 50 }), ...Array.from({ length: 3 }, () => down), of({ running: 50 }))
    const { err, out } = await ran(["delivery", "watch", "--until-done"], { ...terminal(url), rows: 5 })
    expect([err, out]).toEqual(["", expect.stringContaining("Down. Retrying.")])
    const frames = out.split("\u001b[H").slice(1, 3)
    for (const frame of frames) expect(frame.split("\r\n")).toHaveLength(5)
  })
})
