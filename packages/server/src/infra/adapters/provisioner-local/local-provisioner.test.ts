import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFileSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it, vi } from "vitest"
import { Provisioner } from "../../ports/provisioner.ts"
import { isRunning } from "../../process-start.ts"
import { layerLocalProvisioner, type LocalProvisionerOptions } from "./index.ts"

const program = join(import.meta.dirname, "../../../../test/agents/worker-runtime.fixture.ts")
const folder = mkdtempSync(join(tmpdir(), "orgplane-provisioner-"))
const settings = {
  controlPlaneUrl: "http://127.0.0.1:1",
  workerId: "wrk_1",
  workerToken: Redacted.make("opw_a-token-of-the-worker"),
  runtimeToken: Redacted.make("a-token-of-the-runtime"),
  heartbeatSeconds: 30
}

/** A provisioner as in one process. */
const provisioner = (options: Partial<LocalProvisionerOptions> = {}) =>
  Effect.runPromise(
    Effect.provide(Provisioner, layerLocalProvisioner({ command: ["node", program], directory: folder, ...options }))
  )
const run = Effect.runPromise
const pidOf = (key: string) =>
  (JSON.parse(readFileSync(join(folder, key, "process.json"), "utf8")) as { pid: number }).pid

afterAll(async () => {
  const one = await provisioner()
  for (const key of readdirSync(folder)) await run(one.stop(key))
  rmSync(folder, { recursive: true, force: true })
})

it("starts a runtime that another provisioner finds and stops, and leaves no files", async () => {
  const [one, two] = [await provisioner(), await provisioner()]
  const started = await run(one.start("wki_a", settings))
  expect(await run(two.find("wki_a"))).toEqual(started)
  expect(await run(two.keys)).toEqual(["wki_a"])
  const pid = pidOf("wki_a")
  expect(statSync(join(folder, "wki_a")).mode & 0o077).toBe(0)
  for (const name of readdirSync(join(folder, "wki_a"))) {
    if (name !== "ready.json" && name !== "requests.log")
      expect([name, statSync(join(folder, "wki_a", name)).mode & 0o077]).toEqual([name, 0])
  }
  await run(two.stop("wki_a"))
  expect([await isRunning(pid, undefined), existsSync(join(folder, "wki_a"))]).toEqual([false, false])
  expect([await run(one.find("wki_a")), await run(one.keys)]).toEqual([undefined, []])
  await run(one.stop("wki_a"))
})

it("runs one runtime per key, however often it is started", async () => {
  const one = await provisioner()
  await run(one.start("wki_b", settings))
  const first = pidOf("wki_b")
  await run(one.start("wki_b", settings))
  expect([await isRunning(first, undefined), await isRunning(pidOf("wki_b"), undefined)]).toEqual([false, true])
})

it("does not mistake another process with a reused PID for its own", async () => {
  const one = await provisioner()
  await run(one.start("wki_c", settings))
  const path = join(folder, "wki_c", "process.json")
  const record = JSON.parse(readFileSync(path, "utf8")) as { pid: number }
  writeFileSync(path, JSON.stringify({ ...record, startedAt: "1" }))
  expect(await run(one.find("wki_c"))).toBe(undefined)
  await run(one.stop("wki_c"))
  expect(await isRunning(record.pid, undefined)).toBe(true)
  process.kill(record.pid, "SIGKILL")
})

it.each([
  ["that reports a foreign URL", ["node", program, "foreign"], 3000, "The runtime did not report its URL in time."],
  ["that ends at once", ["node", program, "short-lived"], 60_000, "The runtime exited before it reported its URL."],
  ["that does not exist", ["/nowhere/at/all"], 60_000, "The program of the runtime cannot be started (ENOENT)."]
])("reports the problem of a runtime program %s, and leaves no files", async (_, command, startMillisMax, message) => {
  const one = await provisioner({ command, startMillisMax })
  const failed = await run(Effect.flip(one.start("wki_d", settings)))
  expect(failed.message).toBe(message)
  expect(await run(one.find("wki_d"))).toBe(undefined)
})

it("kills a runtime that does not end when asked", async () => {
  const one = await provisioner({ command: ["node", program, "stubborn"], stopMillisMax: 500 })
  await run(one.start("wki_e", settings))
  const pid = pidOf("wki_e")
  await run(one.stop("wki_e"))
  expect(await isRunning(pid, undefined)).toBe(false)
})

it("ends the child processes of a runtime", async () => {
  const one = await provisioner({ command: ["node", program, "with-child"] })
  await run(one.start("wki_f", settings))
  const child = Number(readFileSync(join(folder, "wki_f", "child.pid"), "utf8"))
  expect(await isRunning(child, undefined)).toBe(true)
  await run(one.stop("wki_f"))
  await expect.poll(() => isRunning(child, undefined)).toBe(false)
})

/** A key with a file that records this process, and one with its URL. */
const written = (key: string, record: unknown, ready: unknown = { url: "http://127.0.0.1:1" }) => {
  const directory = join(folder, key)
  mkdirSync(directory)
  writeFileSync(join(directory, "process.json"), JSON.stringify(record))
  writeFileSync(join(directory, "ready.json"), JSON.stringify(ready))
  return directory
}

it.each([
  ["no process", { pid: 0 }],
  ["a process group", { pid: -process.pid }],
  ["every process", { pid: -1 }],
  ["the init process", { pid: 1 }],
  ["a fraction of a PID", { pid: process.pid + 0.5 }],
  ["a process without its start time", { pid: process.pid, host: hostname() }]
])("sends no signal to a PID that means %s", async (_, record) => {
  const one = await provisioner()
  const sent = vi.spyOn(process, "kill").mockReturnValue(true)
  const directory = written("wki_g", record)
  try {
    expect(await run(one.find("wki_g"))).toBe(undefined)
    await run(one.stop("wki_g"))
    expect([sent.mock.calls, existsSync(directory)]).toEqual([[], false])
  } finally {
    // No file remains that could be mistaken for a process.
    rmSync(directory, { recursive: true, force: true })
    sent.mockRestore()
  }
})

it("reads no file that is a device, a pipe, too long or a link", async () => {
  const one = await provisioner()
  await run(one.start("wki_h", settings))
  const ready = join(folder, "wki_h", "ready.json")
  const contents = readFileSync(ready, "utf8")
  const elsewhere = join(folder, "elsewhere")
  writeFileSync(elsewhere, contents)
  const places = [
    () => symlinkSync(elsewhere, ready),
    () => symlinkSync("/dev/zero", ready),
    () => void execFileSync("mkfifo", [ready]),
    () => mkdirSync(ready),
    () => writeFileSync(ready, contents + " ".repeat(4096))
  ]
  for (const put of places) {
    rmSync(ready, { recursive: true })
    put()
    expect(await run(one.find("wki_h"))).toBe(undefined)
  }
  rmSync(ready)
  writeFileSync(ready, contents)
  expect(await run(one.find("wki_h"))).toBeDefined()
  await run(one.stop("wki_h"))
  rmSync(elsewhere)
})

it.each([
  "http://127.0.0.2:80",
  "https://127.0.0.1:80",
  "http://localhost:80",
  "http://[::1]:80",
  "http://127.0.0.1",
  "http://user@127.0.0.1:80",
  "http://127.0.0.1.example:80",
  "http://10.0.0.1:80",
  "file:///etc/passwd",
  ""
])("rejects %s as the URL of a runtime", async (url) => {
  const one = await provisioner()
  await run(one.start("wki_i", settings))
  writeFileSync(join(folder, "wki_i", "ready.json"), JSON.stringify({ url }))
  expect(await run(one.find("wki_i"))).toBe(undefined)
  await run(one.stop("wki_i"))
})
