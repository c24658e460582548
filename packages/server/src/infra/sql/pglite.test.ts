import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
import { SqlDatabase, type Sql } from "./client.ts"
import { layerPglite, Pglite, type PgliteOptions } from "./pglite.ts"

let snapshot: Uint8Array

const open = (options: Partial<PgliteOptions> = {}) => {
  const runtime = ManagedRuntime.make(layerPglite({ dataDir: "memory", snapshot, ...options }))
  return {
    runtime,
    run: <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) => runtime.runPromise(Effect.flatMap(SqlDatabase, use)),
    exit: <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) =>
      runtime.runPromise(Effect.exit(Effect.flatMap(SqlDatabase, use))),
    kill: () => runtime.runPromise(Effect.flatMap(Pglite, ({ kill }) => kill)),
    dump: () => runtime.runPromise(Effect.flatMap(Pglite, ({ dump }) => dump))
  }
}

const messageOf = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it succeeded"

beforeAll(async () => {
  const runtime = ManagedRuntime.make(layerPglite({ dataDir: "memory" }))
  snapshot = await runtime.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const pglite = yield* Pglite
      yield* sql`CREATE TABLE notes (n integer PRIMARY KEY)`
      yield* sql`INSERT INTO notes (n) VALUES (1)`
      return yield* pglite.dump
    })
  )
  await runtime.dispose()
})

describe("the embedded database in its thread", () => {
  it("starts from a dump, as bytes or as a Blob, with its data", async () => {
    for (const form of [snapshot, new Blob([new Uint8Array(snapshot)])]) {
      const { run, runtime } = open({ snapshot: form })
      expect(await run((sql) => sql`SELECT n FROM notes`)).toEqual([{ n: 1 }])
      await runtime.dispose()
    }
  })

  it("does not block this thread while a statement runs", async () => {
    const { run, runtime } = open()
    await run((sql) => sql`SELECT 1`)
    let ticks = 0
    const ticking = setInterval(() => ticks++, 5)
    await run((sql) => sql`SELECT count(*) FROM generate_series(1, 3000000)`)
    clearInterval(ticking)
    await runtime.dispose()
    expect(ticks).toBeGreaterThan(10)
  })

  it("reports the deadlock of a transaction that waits for a query on another connection, and continues", async () => {
    const { exit, run, runtime } = open({ heldMillisMax: 300 })
    const outcome = await exit((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`INSERT INTO notes (n) VALUES (2)`
          yield* Effect.promise(() => run((other) => other`SELECT 1`))
          return yield* sql`SELECT 1`
        })
      )
    )
    expect(messageOf(outcome)).toMatch(/used the embedded database for 300 ms .* was rolled back/)
    // A failure that becomes a response, not a defect.
    expect(Exit.isFailure(outcome) && outcome.cause.reasons.map((reason) => reason._tag)).toEqual(["Fail"])
    expect(await run((sql) => sql`SELECT n FROM notes`)).toEqual([{ n: 1 }])
    await runtime.dispose()
  })

  it("fails running, waiting and new statements when its thread ends", async () => {
    const { exit, kill, run, runtime } = open()
    await run((sql) => sql`SELECT 1`)
    const running = exit((sql) => sql`SELECT count(*) FROM generate_series(1, 300000000)`)
    const waiting = exit((sql) => sql`SELECT 1`)
    const streaming = exit((sql) => Stream.runDrain(sql`SELECT 1`.stream))
    await new Promise((resolve) => setTimeout(resolve, 100))
    await kill()
    for (const outcome of [await running, await waiting, await streaming, await exit((sql) => sql`SELECT 1`)]) {
      expect(messageOf(outcome)).toMatch(/thread of the embedded database ended/)
    }
    await runtime.dispose()
  })

  it("fails a transaction whose thread ended between its statements", async () => {
    const { exit, kill, runtime } = open()
    const outcome = await exit((sql) =>
      sql.withTransaction(Effect.andThen(sql`SELECT 1`, Effect.andThen(Effect.promise(kill), sql`SELECT 2`)))
    )
    expect(messageOf(outcome)).toMatch(/thread of the embedded database ended/)
    expect(Exit.isFailure(outcome) && outcome.cause.reasons.map((reason) => reason._tag)).toEqual(["Fail"])
    await runtime.dispose()
  })

  it("keeps a transaction's own failure when its rollback is lost", async () => {
    const { exit, kill, runtime } = open()
    const outcome = await exit((sql) =>
      sql.withTransaction(
        Effect.andThen(sql`SELECT 1`, Effect.andThen(Effect.promise(kill), Effect.fail("the transaction's own")))
      )
    )
    expect(Exit.isFailure(outcome) && Cause.squash(outcome.cause)).toBe("the transaction's own")
    await runtime.dispose()
  })

  it("rejects a result above the limit, ends that transaction, and continues", async () => {
    const { exit, run, runtime } = open({ resultBytesMax: 1_000_000 })
    const outcome = await exit((sql) =>
      sql.withTransaction(
        Effect.andThen(
          sql`INSERT INTO notes (n) VALUES (2)`,
          sql`SELECT repeat('x', 1000) FROM generate_series(1, 5000)`
        )
      )
    )
    expect(messageOf(outcome)).toMatch(/returns at most 1000000/)
    expect(await run((sql) => sql`SELECT n FROM notes`)).toEqual([{ n: 1 }])
    await runtime.dispose()
  })

  it("never shows a transaction that was aborted by closing", async () => {
    const home = await mkdtemp(join(tmpdir(), "orgplane-pglite-"))
    const first = open({ dataDir: home })
    await first.run((sql) => sql`INSERT INTO notes (n) VALUES (2)`)
    const cutOff = first
      .exit((sql) => sql.withTransaction(Effect.andThen(sql`INSERT INTO notes (n) VALUES (3)`, Effect.never)))
      .then(messageOf, String)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await first.runtime.dispose()
    expect(await cutOff).toMatch(/interrupted/)
    const again = ManagedRuntime.make(layerPglite({ dataDir: home }))
    const rows = await again.runPromise(Effect.flatMap(SqlDatabase, (sql) => sql`SELECT n FROM notes ORDER BY n`))
    expect(rows).toEqual([{ n: 1 }, { n: 2 }])
    await again.dispose()
    await rm(home, { recursive: true })
  })

  it("locks its directory and makes it private", async () => {
    const home = join(await mkdtemp(join(tmpdir(), "orgplane-pglite-")), "made", "here")
    const first = open({ dataDir: home })
    await first.run((sql) => sql`SELECT 1`)
    expect((await stat(home)).mode & 0o777).toBe(0o700)
    const second = open({ dataDir: home })
    const refused = await second.runtime.runPromiseExit(Effect.void)
    expect(messageOf(refused)).toMatch(new RegExp(`in use by process ${process.pid}`))
    await first.runtime.dispose()
    expect((await readdir(home)).sort()).toEqual(["database", "orgplane.lock"])
    await rm(join(home, "..", ".."), { recursive: true })
  })

  // Each fails elsewhere in the thread, and some both in the load and in a stream of it.
  it.each([
    ["zeros", new Uint8Array(512)],
    ["half a gzip archive", gzipSync(new Uint8Array(100_000)).subarray(0, 60)],
    ["gzip with invalid content", Buffer.concat([gzipSync(new Uint8Array(512)).subarray(0, 10), Buffer.alloc(64, 7)])],
    ["text", Buffer.from("not an archive ".repeat(100))]
  ])("rejects %s as a dump, and releases the directory", async (_, snapshot) => {
    const home = await mkdtemp(join(tmpdir(), "orgplane-pglite-"))
    const { runtime } = open({ dataDir: home, snapshot })
    expect(messageOf(await runtime.runPromiseExit(Effect.void))).toMatch(/embedded database cannot start: ./)
    await runtime.dispose()
    expect((await readdir(home)).filter((name) => name.startsWith("orgplane.lock."))).toEqual([])
    await rm(home, { recursive: true })
  })

  it("creates a dump of committed data during transactions", async () => {
    const { dump, run, runtime } = open()
    const writes = run((sql) =>
      Effect.forEach(
        [2, 3, 4, 5],
        (n) => sql.withTransaction(Effect.andThen(sql`INSERT INTO notes (n) VALUES (${n})`, sql`SELECT 1`)),
        { concurrency: "unbounded", discard: true }
      )
    )
    const taken = await dump()
    await writes
    await runtime.dispose()
    const copy = open({ snapshot: taken })
    const rows = await copy.run((sql) => sql<{ n: number }>`SELECT n FROM notes ORDER BY n`)
    expect(rows.map((row) => row.n)).toEqual([1, 2, 3, 4, 5].slice(0, rows.length))
    await copy.runtime.dispose()
  })
})
