/** Prometheus' own program reads the metrics of a server, and runs the alerts. It is part of Debian's package `prometheus`. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { ControlPlane } from "../packages/server/src/index.ts"

const promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].find((path) => existsSync(path))
const alerts = join(import.meta.dirname, "../deploy/prometheus")
const token = "a token for the metrics of this test"

const run = (args: ReadonlyArray<string>, input = "") => {
  const { status, stderr, stdout } = spawnSync(promtool ?? "", args, { encoding: "utf8", input })
  return { status, output: stdout + stderr }
}

describe.skipIf(promtool === undefined)("promtool", () => {
  it("accepts the alerts, and they fire as their tests say", () => {
    expect(run(["check", "rules", join(alerts, "alerts.yml")])).toMatchObject({ status: 0 })
    expect(run(["test", "rules", join(alerts, "alerts.test.yml")])).toMatchObject({ status: 0 })
  })

  it("has no remark about the metrics of a server", async () => {
    const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory"), metricsToken: token })
    try {
      await controlPlane.fetch(new Request("http://localhost/v1/health"))
      const response = await controlPlane.fetch(
        new Request("http://localhost/v1/metrics", { headers: { authorization: `Bearer ${token}` } })
      )
      const text = await response.text()
      expect(text).toContain("orgplane_build_info{")
      expect(run(["check", "metrics"], text)).toEqual({ status: 0, output: "" })
    } finally {
      await controlPlane.dispose()
    }
  }, 60_000)
})
