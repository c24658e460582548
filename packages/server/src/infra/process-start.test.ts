import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { isRunning, processStart } from "./process-start.ts"

const isZombie = (pid: number) => /\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))

// Without /proc there is no zombie to see.
it.skipIf(process.platform !== "linux")(
  "does not count a process as running that is reaped during the check",
  async () => {
    const child = spawn("true")
    const exited = once(child, "exit")
    const pid = child.pid ?? 0
    // Node reaps it as soon as the event loop turns: that is during the check below.
    while (!isZombie(pid));
    expect(await isRunning(pid, undefined)).toBe(false)
    await exited
    expect(await isRunning(pid, undefined)).toBe(false)
  }
)

it("recognizes a process by its PID and start time", async () => {
  const startedAt = await processStart(process.pid)
  expect(await isRunning(process.pid, startedAt)).toBe(true)
  expect(await isRunning(process.pid, undefined)).toBe(true)
  expect(await isRunning(process.pid, "another start")).toBe(process.platform === "win32")
})
