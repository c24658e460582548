/** `orgplane top` as a process, against a real server: in a pipe, and on a terminal, which `script` provides. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { compileCache } from "../../../test/compile-cache.ts"
import { makeDataDir, makeFolder, type Running, startServer } from "../../../test/process/server.fixture.ts"
import { cliProgram } from "../../../test/programs.ts"
import { serve, spawned } from "./harness.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const metricsToken = "token-of-the-metrics-in-this-test"
let server: Running
const load = new AbortController()
let work: Promise<void> = Promise.resolve()

beforeAll(async () => {
  server = await startServer({
    ORGPLANE_DATA_DIR: makeDataDir(),
    ORGPLANE_SEED: "none",
    ORGPLANE_METRICS_TOKEN: metricsToken
  })
  const send = async () => {
    while (!load.signal.aborted) {
      await (await fetch(`${server.baseUrl}/v1/version`)).text()
      // No webhook secret is configured, so the response is 503.
      await (await fetch(`${server.baseUrl}/v1/webhooks/connectors/codehost`, { method: "POST" })).text()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  work = send()
})
afterAll(async () => {
  load.abort()
  await work
})

const top = (argv: ReadonlyArray<string>, env: Record<string, string> = { ORGPLANE_METRICS_TOKEN: metricsToken }) =>
  spawned(["top", ...argv], { url: server.baseUrl, token: "", env })

describe("orgplane top in a pipe", () => {
  it("prints the state once as JSON, with rates, latency and errors", async () => {
    const { code, err, out } = await top(["--once", "-n", "1", "-o", "json"])
    expect([code, err]).toEqual([0, ""])
    const state = JSON.parse(out)
    expect(state).toMatchObject({
      server: server.baseUrl,
      engine: "pglite",
      database: { connectionsMax: 2, readable: true },
      queues: expect.arrayContaining([
        { queue: "connector_sync", waiting: 0, running: 0, delayed: 0, oldestSeconds: 0 },
        { queue: "webhook_inbox", waiting: 0, running: 0, delayed: 0, oldestSeconds: 0 }
      ]),
      pending: { scim_hold: 0, sync_review: 0, mcp_drift: 0 },
      readiness: { status: "ready", failed: [] },
      mails: { waiting: 0, perMinute: { sent: 0, failed: 0 } },
      webhooksPerMinute: { accepted: 0 },
      audit: { unsealedEvents: 0 },
      workers: { healthy: 0, failed: 0 }
    })
    expect(state.webhooksPerMinute.not_configured).toBeGreaterThan(0)
    expect(state.database.statementsPerSecond).toBeGreaterThan(0)
    const { errorsPerSecond, latencySeconds, perSecond } = state.requests
    expect(perSecond).toBeGreaterThan(errorsPerSecond)
    expect(errorsPerSecond).toBeGreaterThan(0)
    expect(latencySeconds.p99).toBeGreaterThanOrEqual(latencySeconds.p50)
    expect(state.process.memoryBytes).toBeGreaterThan(50_000_000)
    const operations: ReadonlyArray<{ operation: string; p50Seconds: number; p95Seconds: number }> = state.operations
    for (const { p50Seconds, p95Seconds } of operations) expect(p95Seconds).toBeGreaterThanOrEqual(p50Seconds)
    expect(operations.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(["system.version", "webhooks.codehost"])
    )
  })

  it("prints plain lines, or the selected fields, and reads the token from a file", async () => {
    const file = join(makeFolder(), "token")
    writeFileSync(file, `${metricsToken}\n`)
    const plain = await top(["--once", "-n", "1", "--metrics-token-file", file], {})
    expect([plain.code, plain.err]).toEqual([0, ""])
    expect(plain.out).not.toContain("\u001b")
    expect(plain.out).toMatch(/^Health +ready$/mu)
    expect(plain.out).toMatch(/^Webhooks\/min +not_configured \d+$/mu)
    for (const label of [
      "Requests",
      "Database",
      "Process",
      "Syncs/min",
      "Emails/min",
      "Pending",
      "Workers",
      "Audit",
      "QUEUE"
    ])
      expect(plain.out).toMatch(new RegExp(`^${label}`, "mu"))
    expect(plain.out).toMatch(/^system\.version +\d/mu)
    const selected = await top(["--once", "-n", "1", "--jq", ".workers.healthy"])
    expect(selected).toEqual({ code: 0, out: "0\n", err: "" })
  })

  it("prints one line of JSON per interval until it is interrupted", async () => {
    const child = spawn(process.execPath, [cliProgram, "top", "-n", "1", "-o", "ndjson"], {
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: "/nonexistent",
        ORGPLANE_BASE_URL: server.baseUrl,
        ORGPLANE_METRICS_TOKEN: metricsToken,
        ...compileCache
      }
    })
    let out = ""
    child.stdout.on("data", (chunk: Buffer) => (out += String(chunk)))
    while (out.split("\n").length < 3) await once(child.stdout, "data")
    child.kill("SIGINT")
    expect(await once(child, "close")).toEqual([130, null])
    const [first, second] = out.split("\n").map((line) => (line === "" ? undefined : JSON.parse(line)))
    expect(Date.parse(second.time)).toBeGreaterThan(Date.parse(first.time))
  })

  it("explains a missing token, a wrong token and a wrong interval", async () => {
    expect(await top(["--once"], {})).toMatchObject({ code: 4, err: expect.stringContaining("--metrics-token-file") })
    expect(await top(["--once"], { ORGPLANE_METRICS_TOKEN: "another" })).toMatchObject({
      code: 4,
      err: expect.stringContaining("differs from yours")
    })
    expect(await top(["--interval", "0"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--interval must be a number of seconds from 1 to 3600")
    })
  })

  const metrics = { body: "", headers: { "content-type": "text/plain" } }
  const ready = { status: "ready", checks: { database: "ok", queue: "ok", writes: "ok" } }
  const env = { ORGPLANE_METRICS_TOKEN: metricsToken }

  it("sends the metrics token and no other credential", async () => {
    const { seen, url } = await serve({ "GET /v1/metrics": metrics, "GET /v1/ready": { body: ready } })
    await spawned(["top", "--once", "-n", "1", "-o", "json"], { url, token: "ops_of_a_person", env })
    expect(seen.map(({ headers, path }) => [path, headers.authorization])).toEqual(
      ["/v1/metrics", "/v1/ready", "/v1/metrics", "/v1/ready"].map((path) => [path, `Bearer ${metricsToken}`])
    )
  })

  it("shows the failed components of a server that is not ready, and the checks of an earlier release", async () => {
    const since = new Date(Date.now() - 3_660_000).toISOString()
    const detail = { check: "mail", status: "failed", since, durationMs: 1, message: "The mail server is unreachable." }
    const checks = { database: "ok", queue: "ok", writes: "failed" }
    const body = {
      status: "not_ready",
      checks,
      details: [detail, { ...detail, check: "writes", message: "Escaped \u001b[31m." }, { ...detail, status: "ok" }]
    }
    const later = await serve({ "GET /v1/metrics": metrics, "GET /v1/ready": { status: 503, body } })
    const shown = await spawned(["top", "--once", "-n", "1"], { url: later.url, token: "", env })
    expect([shown.code, shown.err]).toEqual([0, ""])
    expect(shown.out).toMatch(
      /^Health +not ready   mail failed for 1h 1m: The mail server is unreachable\.   writes failed/mu
    )
    expect(shown.out).not.toContain("\u001b")

    const { details: _, ...earlier } = body
    const old = await serve({ "GET /v1/metrics": metrics, "GET /v1/ready": { status: 503, body: earlier } })
    const { out } = await spawned(["top", "--once", "-n", "1", "--json", "readiness"], { url: old.url, token: "", env })
    expect(JSON.parse(out)).toEqual({
      readiness: { status: "not_ready", failed: [{ check: "writes", since: null, message: "" }] }
    })
  })

  it("fails if the readiness is that of another program", async () => {
    const { url } = await serve({
      "GET /v1/metrics": metrics,
      "GET /v1/ready": { status: 502, body: { error: "bad_gateway", message: "The proxy has no server." } }
    })
    expect(await spawned(["top", "--once", "-n", "1"], { url, token: "", env })).toMatchObject({
      code: 1,
      err: expect.stringContaining("The proxy has no server.")
    })
  })
})

const hasTerminal = /util-linux/u.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout)

/** Starts the command on a terminal. When `resize` is called, the terminal becomes smaller. */
const onTerminal = () => {
  const mark = join(makeFolder(), "resize")
  const words = [process.execPath, cliProgram, "top", "-n", "1"].map((word) => `'${word}'`).join(" ")
  const command = `stty rows 30 cols 100; T=$(tty); (until [ -e '${mark}' ]; do sleep 0.1; done; stty rows 12 cols 50 < $T) & ${words}; echo "code $?"; stty -a`
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    env: {
      ...compileCache,
      PATH: process.env["PATH"] ?? "",
      HOME: "/nonexistent",
      SHELL: "/bin/sh",
      TERM: "xterm",
      ORGPLANE_BASE_URL: server.baseUrl,
      ORGPLANE_METRICS_TOKEN: metricsToken
    },
    stdio: "pipe"
  })
  let text = ""
  child.stdout.on("data", (chunk: Buffer) => (text += String(chunk)))
  const until = async (isExpected: (text: string) => boolean) => {
    while (!isExpected(text)) await once(child.stdout, "data")
  }
  return { child, ended: once(child, "close"), text: () => text, until, resize: () => writeFileSync(mark, "") }
}

// oxlint-disable-next-line no-control-regex -- the escape sequences of terminals
const visible = (text: string) => text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/gu, "")
// oxlint-disable-next-line no-control-regex -- the same
const afterScreen = /\u001b\[\?25h\u001b\[\?1049l[^]*code 0/u
const framesOf = (text: string) =>
  text
    .split("\u001b[H")
    .slice(1)
    .map((frame) => visible(frame).split(/\r+\n/u))

describe.skipIf(!hasTerminal)("orgplane top on a terminal", () => {
  it("refreshes, follows the size of the terminal, and restores it when the user presses q", async () => {
    const { child, ended, resize, text, until } = onTerminal()
    await until((shown) => shown.includes("system.version"))
    const large = framesOf(text()).at(-1) ?? []
    expect(large[0]).toContain(server.baseUrl)
    resize()
    await until((shown) =>
      framesOf(shown).some((lines) => lines.length === 12 && lines.every((line) => line.length <= 50))
    )
    child.stdin.write("q")
    await ended
    expect(text()).toContain("\u001b[?1049h")
    expect(text()).toMatch(afterScreen)
    expect(text()).toMatch(/ icanon [^]* echo /u)
  })

  it("restores the terminal when the user presses Ctrl+C", async () => {
    const { child, ended, resize, text, until } = onTerminal()
    await until((shown) => shown.includes("Reading") || shown.includes("Requests"))
    child.stdin.write("\u0003")
    await until((shown) => shown.includes("code "))
    resize()
    await ended
    expect(text()).toMatch(afterScreen)
    expect(text()).toMatch(/ icanon [^]* echo /u)
  })
})
