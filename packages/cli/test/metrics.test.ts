/** Metrics on a terminal, in a pipe and as JSON, from fixed data and from a real server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ran, serve } from "./harness.ts"
import { startPlane } from "./plane.ts"

const series = Array.from({ length: 30 }, (_, index) => ({
  day: new Date(Date.UTC(2026, 9, 1 + index)).toISOString().slice(0, 10),
  activeUsers: index,
  realActiveUsers: Math.floor(index / 3),
  signups: index % 10 === 0 ? 2 : 0
}))
const summary = {
  totalUsers: 40,
  totalOrganizations: 1,
  verifiedUsers: 38,
  recentUsers7d: 2,
  recentUsers30d: 6,
  totalWorkers: 3,
  cloudWorkers: 2,
  localWorkers: 1,
  usersWithWorkers: 2,
  usersWithoutWorkers: 38,
  paidUsers: 0,
  unpaidUsers: 0,
  billingUnavailableUsers: 40,
  adminCount: 2,
  activeUsers1d: 29,
  activeUsers7d: 33,
  activeUsers30d: 35,
  realActiveUsers1d: 9,
  realActiveUsers7d: 12,
  realActiveUsers30d: 20,
  recurringUsers: 30,
  inviters: 4,
  medianHoursToFirstInvite: 12.5,
  billingLoaded: false,
  activitySeries: series
}
const generatedAt = "2026-10-30T12:00:00.000Z"
const analytics = {
  measure: "durationAverage",
  unit: "milliseconds",
  from: "2026-10-01",
  to: "2026-10-03",
  interval: "day",
  groupBy: "team",
  steps: ["2026-10-01", "2026-10-02", "2026-10-03"],
  total: 90_000,
  values: [60_000, null, 120_000],
  groups: 5,
  series: [
    { key: "tem_1", label: "Platform 平台", total: 120_000, values: [60_000, null, 120_000] },
    { key: null, label: null, total: 500, values: [500, null, null] }
  ]
}
const table = {
  "GET /v1/admin/metrics": { body: { summary, generatedAt } },
  "GET /v1/telemetry/analytics": { body: { analytics, generatedAt } }
}
// oxlint-disable-next-line no-control-regex
const bare = (text: string) => text.replace(/\u001b\[\d+m/g, "")
const fine = { LANG: "en_US.UTF-8" }

describe("metrics", () => {
  it.each([40, 60, 80, 200])("fit into %d columns", async (columns) => {
    const { url } = await serve(table)
    const { code, out } = await ran(["metrics", "--base-url", url], { columns, env: { ...fine, ORGPLANE_TOKEN: "x" } })
    expect(code).toBe(0)
    const lines = bare(out).split("\n")
    for (const line of lines) expect([line, line.length <= columns]).toEqual([line, true])
    expect(lines[0]).toBe("Daily active users")
    // The busiest day reaches the top of the chart.
    expect(lines[1]).toMatch(/^29 │ +[▁-█]*█+$/)
    expect(out).toContain("as of 2026-10-30T12:00:00.000Z")
    expect(bare(out)).toMatch(/2026-10-01 +2026-10-30/)
  })
  it("use neither colors nor characters beyond ASCII with NO_COLOR", async () => {
    const { url } = await serve(table)
    const { out } = await ran(["metrics", "--base-url", url], {
      columns: 80,
      env: { ...fine, NO_COLOR: "1", ORGPLANE_TOKEN: "x" }
    })
    expect(out).toMatch(/^[\n -~]+$/)
    expect(out).toContain("29 |")
    expect(out).toContain("12.5 median hours to first invitation")
  })
  it("are tab-separated lines in a pipe, and the response body as JSON", async () => {
    const { url } = await serve(table)
    const env = { ORGPLANE_TOKEN: "x" }
    const piped = await ran(["metrics", "--base-url", url], { env })
    expect(piped.out.split("\n").slice(0, 1)).toEqual(["totalUsers\t40"])
    expect(piped.out).toContain("\n2026-10-30\t29\t9\t0")
    const json = await ran(["admin", "metrics", "-o", "json", "--base-url", url], { env })
    expect(JSON.parse(json.out)).toEqual({ summary, generatedAt })
  })
})

describe("analytics", () => {
  it("are a sparkline for the total, and a bar and a sparkline for each group", async () => {
    const { url } = await serve(table)
    const { out } = await ran(["telemetry", "analytics", "--group-by", "team", "--base-url", url], {
      columns: 60,
      env: { ...fine, ORGPLANE_TOKEN: "x" }
    })
    const lines = bare(out).split("\n")
    expect(lines.slice(0, 3)).toEqual(["durationAverage by day, 2026-10-01 to 2026-10-03", "total 1.5 min", "▄ █"])
    expect(lines.find((line) => line.startsWith("Platform 平台"))).toMatch(/2 min {2}█+ +▄ █$/)
    expect(lines.find((line) => line.startsWith("none"))).toMatch(/500 ms {2}█ +▁$/)
    expect(out).toContain("and 3 more: --top 5")
  })
  it("do not suggest more groups than a response may have", async () => {
    const many = Array.from({ length: 50 }, (_, index) => ({
      key: `tem_${index}`,
      label: null,
      total: 1,
      values: [1, 1, 1]
    }))
    const body = { analytics: { ...analytics, groups: 60, series: many }, generatedAt }
    const { url } = await serve({ "GET /v1/telemetry/analytics": { body } })
    const { out } = await ran(["telemetry", "analytics", "--base-url", url], {
      columns: 60,
      env: { ...fine, ORGPLANE_TOKEN: "x" }
    })
    expect(out).toContain("\nand 10 more\n")
  })
  it("are one line per step and group in a pipe", async () => {
    const { url } = await serve(table)
    const { out } = await ran(["telemetry", "analytics", "--base-url", url], { env: { ORGPLANE_TOKEN: "x" } })
    expect(out.trimEnd().split("\n")).toEqual([
      "2026-10-01\ttem_1\t60000",
      "2026-10-02\ttem_1\t-",
      "2026-10-03\ttem_1\t120000",
      "2026-10-01\t-\t500",
      "2026-10-02\t-\t-",
      "2026-10-03\t-\t-"
    ])
  })
})

describe("metrics of a real server", () => {
  let plane: Awaited<ReturnType<typeof startPlane>>
  beforeAll(async () => {
    plane = await startPlane()
  })
  afterAll(() => plane.stop())

  it("count the creator of the workspace, and list the days of analytics", { timeout: 240_000 }, async () => {
    const workspace = await plane.run("ada", ["bootstrap", "workspace", "--workspace-name", "Acme", "-o", "json"])
    const env = { ORGPLANE_TOKEN: String(JSON.parse(workspace.out).session.token) }
    const metrics = await plane.run("ada", ["metrics", "-o", "json"], "", env)
    expect(metrics.err).toBe("")
    const { summary } = JSON.parse(metrics.out)
    expect(summary).toMatchObject({ totalUsers: 1, activeUsers1d: 1, billingLoaded: false })
    expect(summary.activitySeries).toHaveLength(30)
    const lines = await plane.run("ada", ["metrics"], "", env)
    expect(lines.out).toContain("activeUsers1d\t1")
    const days = await plane.run(
      "ada",
      ["telemetry", "analytics", "--from", "2026-01-01", "--to", "2026-01-03"],
      "",
      env
    )
    expect(days.out).toBe("2026-01-01\t-\t0\n2026-01-02\t-\t0\n2026-01-03\t-\t0\n")
    const wrong = await plane.run("ada", ["telemetry", "analytics", "--from", "yesterday"], "", env)
    expect([wrong.code, wrong.err.includes("must be a date")]).toEqual([1, true])
    const refused = await plane.run("ada", ["admin", "list-platform-users"], "", env)
    expect(refused.code).not.toBe(0)
  })
})
