import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { lockDataDir } from "./data-dir.ts"
import { processStart } from "../process-start.ts"

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
  const outcome = await Effect.runPromise(Effect.result(Scope.provide(lockDataDir(directory), scope)))
  return { outcome, release: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** Another process that takes the lock, says `won` or the refusal, and lives until it is killed. */
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
  const [said] = await once(child.stdout, "data")
  return { child, said: String(said).trim() }
}

describe("the lock of a data directory", () => {
  it("makes the directory for its owner, holds it, and lets it go", async () => {
    const first = await take()
    expect(first.outcome._tag).toBe("Success")
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    const second = await take()
    expect(second.outcome).toMatchObject({
      _tag: "Failure",
      failure: { _tag: "DataDirLocked", pid: process.pid, message: expect.stringContaining(`process ${process.pid}.`) }
    })
    await first.release()
    expect(await readdir(directory)).toEqual([])
    const third = await take()
    expect(third.outcome._tag).toBe("Success")
    await third.release()
  })

  it("refuses while another process lives and takes over when it was killed", async () => {
    const { child, said } = await contender(0)
    expect(said).toBe("won")
    const refused = await take()
    expect(refused.outcome).toMatchObject({ _tag: "Failure", failure: { _tag: "DataDirLocked", pid: child.pid } })
    child.kill("SIGKILL")
    await once(child, "exit")
    const taken = await take()
    expect(taken.outcome._tag).toBe("Success")
    expect(await readdir(directory)).toHaveLength(1)
    await taken.release()
  })

  it("takes over from a process whose number went to another", async () => {
    const live = await take()
    await live.release()
    const lock = (holder: object) => writeFile(join(directory, "orgplane.lock.0.x"), JSON.stringify(holder))
    const startedAt = await processStart(process.pid)
    expect(startedAt).toMatch(/\d/)
    await lock({ pid: process.pid, startedAt, host: hostname() })
    expect((await take()).outcome._tag).toBe("Failure")
    await lock({ pid: process.pid, startedAt: `${startedAt}0`, host: hostname() })
    const taken = await take()
    expect(taken.outcome._tag).toBe("Success")
    await taken.release()
  })

  it("believes a holder on another machine for as long as it touches its file", async () => {
    await (await take()).release()
    const path = join(directory, "orgplane.lock.0.x")
    await writeFile(path, JSON.stringify({ pid: 1, startedAt: "1", host: "elsewhere" }))
    const refused = await take()
    expect(refused.outcome).toMatchObject({
      _tag: "Failure",
      failure: { message: expect.stringContaining("process 1 on elsewhere") }
    })
    const longAgo = new Date(Date.now() - 120_000)
    await utimes(path, longAgo, longAgo)
    const taken = await take()
    expect(taken.outcome._tag).toBe("Success")
    await taken.release()
  })

  it("lets exactly one of several racers take over a stale lock", async () => {
    await (await take()).release()
    for (let round = 0; round < 3; round++) {
      await writeFile(
        join(directory, `orgplane.lock.0.${round}`),
        JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "1", host: hostname() })
      )
      const startAt = Date.now() + 2500
      const racers = await Promise.all(Array.from({ length: 5 }, () => contender(startAt)))
      const winners = racers.filter(({ said }) => said === "won")
      expect(racers.map(({ said }) => said.split(" ")[0] ?? "").sort((a, b) => a.localeCompare(b))).toEqual([
        ...Array.from({ length: 4 }, () => "DataDirLocked"),
        "won"
      ])
      for (const { child } of winners) {
        child.kill("SIGKILL")
        await once(child, "exit")
      }
    }
  })

  it("says in a sentence that a path cannot be a directory", async () => {
    await (await take()).release()
    await rm(directory, { recursive: true })
    await writeFile(directory, "a file")
    expect((await take()).outcome).toMatchObject({
      _tag: "Failure",
      failure: { _tag: "DataDirUnusable", message: expect.stringContaining(`${directory} cannot be used`) }
    })
  })
})
