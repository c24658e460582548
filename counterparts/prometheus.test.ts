/** Prometheus' own program reads the metrics of a server, and runs the alerts. It is part of Debian's package `prometheus`. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse, stringify } from "yaml"
import { ControlPlane } from "../packages/server/src/index.ts"
import { freePort } from "../test/free-port.ts"
import { makeFolder, startServer, until } from "../test/process/server.fixture.ts"

const promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].find((path) => existsSync(path))
const prometheus = ["/usr/bin/prometheus", "/usr/local/bin/prometheus"].find((path) => existsSync(path))
const alerts = join(import.meta.dirname, "../deploy/prometheus")
const token = "a token for the metrics of this test"

const run = (args: ReadonlyArray<string>, input = "") => {
  const { status, stderr, stdout } = spawnSync(promtool ?? "", args, { encoding: "utf8", input })
  return { status, output: stdout + stderr }
}

describe.skipIf(promtool === undefined)("promtool", () => {
  it("accepts the alerts, and their tests pass", () => {
    expect(run(["check", "rules", join(alerts, "alerts.yml")])).toMatchObject({ status: 0 })
    for (const name of ["alerts.test.yml", "alerts-days.test.yml"]) {
      expect(run(["test", "rules", join(alerts, name)])).toMatchObject({ status: 0 })
    }
  })

  it("finds no problem in the metrics of a server", async () => {
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
  })
})

interface Target {
  readonly health: string
  readonly lastError: string
  readonly scrapeUrl: string
}

describe.skipIf(prometheus === undefined)("Prometheus", () => {
  it("scrapes a server with a public URL by an IP address, as in Kubernetes", async () => {
    const folder = makeFolder()
    const server = await startServer({
      ORGPLANE_DATA_DIR: join(folder, "data"),
      ORGPLANE_SEED: "none",
      ORGPLANE_PUBLIC_URL: "https://orgplane.example",
      ORGPLANE_METRICS_TOKEN: token
    })
    // Connects to this machine, and sends a host that is neither the public one nor a loopback address.
    const target = `0.0.0.0:${new URL(server.baseUrl).port}`
    const { scrape_configs: scrapes } = parse(readFileSync(join(alerts, "scrape.yml"), "utf8")) as {
      readonly scrape_configs: ReadonlyArray<object>
    }
    writeFileSync(join(folder, "token"), token)
    writeFileSync(
      join(folder, "prometheus.yml"),
      stringify({
        scrape_configs: scrapes.map((scrape) => ({
          ...scrape,
          scrape_interval: "1s",
          scrape_timeout: "1s",
          authorization: { credentials_file: join(folder, "token") },
          static_configs: [{ targets: [target] }]
        }))
      })
    )
    const address = `127.0.0.1:${await freePort()}`
    const program = spawn(
      prometheus ?? "",
      [
        `--config.file=${join(folder, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(folder, "series")}`,
        `--web.listen-address=${address}`
      ],
      { stdio: "ignore" }
    )
    const ended = once(program, "exit")
    try {
      const read = async (): Promise<ReadonlyArray<Target>> => {
        const response = await fetch(`http://${address}/api/v1/targets`).catch(() => undefined)
        if (response?.ok !== true) return []
        const { data } = (await response.json()) as {
          readonly data: { readonly activeTargets: ReadonlyArray<Target> }
        }
        return data.activeTargets
      }
      const targets = await until(read, ([one]) => one !== undefined && one.health !== "unknown")
      expect(targets).toMatchObject([{ health: "up", lastError: "", scrapeUrl: `http://${target}/v1/metrics` }])
    } finally {
      program.kill("SIGTERM")
      await ended
      server.signal("SIGTERM")
      await server.ended
    }
  })
})
