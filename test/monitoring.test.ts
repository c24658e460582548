/** The dashboards, the alerts and the runbook, against the list of metrics. `counterparts` also runs them with Prometheus. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Definition, definitions } from "../packages/server/src/infra/metrics/definitions.ts"

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8")
const alerts = read("deploy/prometheus/alerts.yml")
const dashboardNames = ["orgplane", "orgplane-background"]
const dashboardOf = (name: string) => read(`deploy/grafana/${name}.json`)
const dashboards = dashboardNames.map(dashboardOf)
const runbook = read("docs/runbook.md")

const metrics = definitions as Readonly<Record<string, Definition>>

/** The metrics that a text names; a histogram has three names. */
const named = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/\borgplane_[a-z0-9_]+/gu)].map(([name]) => {
      const base = name.replace(/_(?:bucket|sum|count)$/u, "")
      return metrics[base]?.type === "histogram" ? base : name
    })
  )

/** The selectors and groupings of queries, as metric and label. */
const selected = (text: string): ReadonlyArray<readonly [metric: string, label: string]> =>
  [...text.matchAll(/\b(orgplane_[a-z0-9_]+)\{([^}]*)\}/gu)].flatMap(([, name = "", selector = ""]) =>
    [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/gu)].map(([, label = ""]) => [name, label] as const)
  )

describe.each([
  ["the alerts", alerts],
  ["the dashboards", dashboards.join("").replaceAll('\\"', '"')],
  ["the runbook", runbook]
])("%s", (_, text) => {
  it("name only metrics that exist", () => {
    expect([...named(text)].filter((name) => metrics[name] === undefined)).toEqual([])
  })
  it("select only labels that the metrics have", () => {
    const ofPrometheus = ["job", "instance", "le"]
    const unknown = selected(text).filter(([name, label]) => {
      const base = name.replace(/_(?:bucket|sum|count)$/u, "")
      const labels = (metrics[name] ?? metrics[base])?.labels ?? {}
      return !ofPrometheus.includes(label) && !Object.hasOwn(labels, label)
    })
    expect(unknown).toEqual([])
  })
})

describe("the dashboards", () => {
  it("show every metric", () => {
    const shown = named(dashboards.join(""))
    expect(Object.keys(metrics).filter((name) => !shown.has(name))).toEqual([])
  })
  it.each(dashboardNames)("include %s, whose panels do not overlap", (name) => {
    const { panels, templating } = JSON.parse(dashboardOf(name)) as {
      readonly panels: ReadonlyArray<{
        readonly id: number
        readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
      }>
      readonly templating: { readonly list: ReadonlyArray<{ readonly name: string }> }
    }
    expect(templating.list.map(({ name }) => name)).toEqual(["datasource", "job"])
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const [at, { gridPos: one }] of panels.entries()) {
      expect(one.x + one.w).toBeLessThanOrEqual(24)
      for (const { gridPos: other } of panels.slice(at + 1)) {
        const isApart =
          one.x + one.w <= other.x ||
          other.x + other.w <= one.x ||
          one.y + one.h <= other.y ||
          other.y + other.h <= one.y
        expect(isApart).toBe(true)
      }
    }
  })
})

describe("the runbook", () => {
  const names = [...alerts.matchAll(/- alert: (\w+)/gu)].map(([, name = ""]) => name)
  it("has an entry with commands for each alert, and no others", () => {
    expect(names.length).toBeGreaterThan(10)
    expect([...runbook.matchAll(/^## (\w+)$/gmu)].map(([, name]) => name).sort()).toEqual([...names].sort())
    for (const name of names) expect(alerts).toContain(`runbook: docs/runbook.md#${name.toLowerCase()}\n`)
  })
  it("describes alerts that promtool tests", () => {
    const tests = ["alerts", "alerts-days"].map((name) => read(`deploy/prometheus/${name}.test.yml`)).join("")
    const tested = [...tests.matchAll(/alertname: (\w+)/gu)].map(([, name]) => name)
    expect(names.filter((name) => !tested.includes(name))).toEqual([])
  })
  it("is linked from a severity, a summary and an objective that exist", () => {
    for (const severity of alerts.matchAll(/severity: (\w+)/gu))
      expect(["page", "ticket", "info"]).toContain(severity[1])
    expect(alerts.match(/summary: "/gu)).toHaveLength(names.length)
  })
})
