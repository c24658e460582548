import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { Provisioner } from "../../ports/provisioner.ts"
import { isRunning } from "../../process-start.ts"
import { layerLocalProvisioner, type LocalProvisionerOptions } from "./index.ts"

const program = join(import.meta.dirname, "../../../test/worker-runtime.fixture.ts")
const folder = mkdtempSync(join(tmpdir(), "orgplane-provisioner-"))
const settings = {
  controlPlaneUrl: "http://127.0.0.1:1",
  workerId: "wrk_1",
  workerToken: Redacted.make("opw_a-token-of-the-worker"),
  runtimeToken: Redacted.make("a-token-of-the-runtime"),
  heartbeatSeconds: 30
}

/** A provisioner as one process has it. */
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

it("starts a runtime that another one finds and stops, and leaves nothing", async () => {
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

it("has one runtime of a key, however often it is started", async () => {
  const one = await provisioner()
  await run(one.start("wki_b", settings))
  const first = pidOf("wki_b")
  await run(one.start("wki_b", settings))
  expect([await isRunning(first, undefined), await isRunning(pidOf("wki_b"), undefined)]).toEqual([false, true])
})

it("does not take another process for its own that has the number now", async () => {
  const one = await provisioner()
  await run(one.start("wki_c", settings))
  const path = join(folder, "wki_c", "process.json")
  const known = JSON.parse(readFileSync(path, "utf8")) as { pid: number }
  writeFileSync(path, JSON.stringify({ ...known, startedAt: "1" }))
  expect(await run(one.find("wki_c"))).toBe(undefined)
  await run(one.stop("wki_c"))
  expect(await isRunning(known.pid, undefined)).toBe(true)
  process.kill(known.pid, "SIGKILL")
})

it.each([
  ["that answers elsewhere", ["node", program, "foreign"], "The runtime did not say in time where it answers."],
  ["that ends at once", ["node", program, "short-lived"], "The runtime ended before it said where it answers."],
  ["that is not there", ["/nowhere/at/all"], "The runtime's program could not be started (ENOENT)."]
])("says of a program %s what is wrong, and leaves nothing of it", async (_, command, message) => {
  const one = await provisioner({ command, startMillisMax: 3000 })
  const failed = await run(Effect.flip(one.start("wki_d", settings)))
  expect(failed.message).toBe(message)
  expect(await run(one.find("wki_d"))).toBe(undefined)
})

it("ends by force who does not end when asked", async () => {
  const one = await provisioner({ command: ["node", program, "stubborn"], stopMillisMax: 500 })
  await run(one.start("wki_e", settings))
  const pid = pidOf("wki_e")
  await run(one.stop("wki_e"))
  expect(await isRunning(pid, undefined)).toBe(false)
})
