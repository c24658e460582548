import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { type FileHandle, mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { describeProcess, lockDataDir, lockFileName } from "./data-dir.ts"

let directory: string
const children: Array<ChildProcess> = []

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), "orgplane-lock-")), "data")
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
  await rm(join(directory, ".."), { recursive: true })
})

const take = async () => {
  const scope = await Effect.runPromise(Scope.make())
  const outcome = await Effect.runPromise(
    Effect.result(Scope.provide(lockDataDir(directory, { beatMillis: 20 }), scope))
  )
  return { outcome, release: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** The entries of the directory, without the permanent lock file of the operating system. */
const files = async () => (await readdir(directory)).filter((name) => name !== lockFileName)

/** Another process that takes the lock, prints `won` or the error, and runs until it is killed. */
const contender = async (startAt: number) => {
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { lockDataDir } = await import(${JSON.stringify(new URL("./data-dir.ts", import.meta.url).href)})
       const Effect = await import(${JSON.stringify(import.meta.resolve("effect/Effect"))})
       setInterval(() => {}, 1000)
       while (Date.now() < ${startAt});
       await Effect.runPromise(Effect.scoped(lockDataDir(${JSON.stringify(directory)}).pipe(
         Effect.matchEffect({
           onFailure: (error) => Effect.sync(() => console.log(error._tag + " " + error.pid)),
           onSuccess: () => Effect.andThen(Effect.sync(() => console.log("won")), Effect.never)
         }))))`
    ],
    { stdio: ["ignore", "pipe", "inherit"] }
  )
  children.push(child)
  const [output] = await once(child.stdout, "data")
  return { child, output: String(output).trim() }
}

describe("the lock of a data directory", () => {
  it("creates the directory for its owner only, holds it, and releases it", async () => {
    const first = await take()
    expect(first.outcome._tag).toBe("Success")
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    const second = await take()
    expect(second.outcome).toMatchObject({
      _tag: "Failure",
      failure: { _tag: "DataDirLocked", pid: process.pid, message: expect.stringContaining(`process ${process.pid}.`) }
    })
    await first.release()
    expect(await files()).toEqual([])
    const third = await take()
    expect(third.outcome._tag).toBe("Success")
    await third.release()
  })

  it("rejects the directory while another process runs, and takes over after it was killed", async () => {
    const { child, output } = await contender(0)
    expect(output).toBe("won")
    const refused = await take()
    expect(refused.outcome).toMatchObject({ _tag: "Failure", failure: { _tag: "DataDirLocked", pid: child.pid } })
    child.kill("SIGKILL")
    await once(child, "exit")
    const taken = await take()
    expect(taken.outcome._tag).toBe("Success")
    expect(await files()).toHaveLength(1)
    await taken.release()
  })

  it("rejects the directory while a process of this machine is paused, or its file names no process", async () => {
    const { child, output } = await contender(0)
    expect(output).toBe("won")
    child.kill("SIGSTOP")
    const [name] = await files()
    const nobody = { ...(await describeProcess(true)), pid: 2 ** 22 + 1, namespace: "pid:[1]", host: "elsewhere" }
    await writeFile(join(directory, name ?? ""), JSON.stringify(nobody))
    expect((await take()).outcome).toMatchObject({
      _tag: "Failure",
      failure: { message: expect.stringContaining(`in use by process ${nobody.pid} on elsewhere`) }
    })
    child.kill("SIGKILL")
    await once(child, "exit")
    const taken = await take()
    expect(taken.outcome._tag).toBe("Success")
    await taken.release()
  })

  it("takes over from a process whose PID was reused", async () => {
    await mkdir(directory)
    const lock = (holder: object) => writeFile(join(directory, "orgplane.lock.0.x"), JSON.stringify(holder))
    const own = await describeProcess(false)
    expect(own.startedAt).toMatch(/\d/)
    await lock(own)
    expect((await take()).outcome._tag).toBe("Failure")
    await lock({ ...own, startedAt: `${own.startedAt}0` })
    const taken = await take()
    expect(taken.outcome._tag).toBe("Success")
    await taken.release()
  })

  it("treats a holder on another machine as alive while its heartbeat continues", async () => {
    await mkdir(directory)
    const path = join(directory, "orgplane.lock.0.x")
    const holder = { ...(await describeProcess(false)), pid: 1, host: "elsewhere", kernel: "another" }
    let beat = 0
    // In place and of one length, as a holder writes it: a reader never sees half a file.
    const write = (file: FileHandle) =>
      file.write(JSON.stringify({ ...holder, beat: String((beat += 1)).padStart(16, "0") }), 0)
    const file = await open(path, "wx")
    await write(file)
    const stop = new AbortController()
    const heartbeat = (async () => {
      while (!stop.signal.aborted) {
        await write(file)
        await setImmediate()
      }
    })()
    try {
      const refused = await take()
      expect(refused.outcome).toMatchObject({
        _tag: "Failure",
        failure: { message: expect.stringContaining("process 1 on elsewhere") }
      })
    } finally {
      stop.abort()
      await heartbeat
      await file.close()
    }
    const taken = await take()
    expect(taken.outcome._tag).toBe("Success")
    expect((await files()).filter((name) => name === "orgplane.lock.0.x")).toEqual([])
    await taken.release()
  })

  it("notifies a holder when another process took the directory over", async () => {
    const scope = await Effect.runPromise(Scope.make())
    const lost = await Effect.runPromise(Scope.provide(lockDataDir(directory, { beatMillis: 20 }), scope))
    const [name] = await files()
    await rename(join(directory, name ?? ""), join(directory, "taken"))
    await Effect.runPromise(lost)
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("lets exactly one of several racers take over a stale lock", async () => {
    await (await take()).release()
    for (let round = 0; round < 3; round++) {
      await writeFile(
        join(directory, `orgplane.lock.0.${round}`),
        JSON.stringify({ ...(await describeProcess(true)), pid: 2 ** 22 + 1 })
      )
      const startAt = Date.now() + 2500
      const racers = await Promise.all(Array.from({ length: 5 }, () => contender(startAt)))
      const winners = racers.filter(({ output }) => output === "won")
      expect(racers.map(({ output }) => output.split(" ")[0] ?? "").sort((a, b) => a.localeCompare(b))).toEqual([
        ...Array.from({ length: 4 }, () => "DataDirLocked"),
        "won"
      ])
      for (const { child } of winners) {
        child.kill("SIGKILL")
        await once(child, "exit")
      }
    }
  })

  it("reports that a path cannot be a directory", async () => {
    await (await take()).release()
    await rm(directory, { recursive: true })
    await writeFile(directory, "a file")
    expect((await take()).outcome).toMatchObject({
      _tag: "Failure",
      failure: {
        _tag: "DataDirUnusable",
        message: expect.stringContaining(`Cannot use the data directory ${directory}`)
      }
    })
  })
})
