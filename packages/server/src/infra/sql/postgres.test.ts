import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { access } from "node:fs/promises"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { startPostgres, type StartedPostgres } from "../../../../../test/postgres/start.ts"
import { SqlDatabase, type Sql } from "./client.ts"
import { databaseAway } from "./unavailable.ts"
import { layerPostgres, type PostgresOptions } from "./postgres.ts"

let server: StartedPostgres
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const open = (options: Partial<PostgresOptions> = {}) => {
  const runtime = ManagedRuntime.make(layerPostgres({ url: server.url, ...options }))
  return {
    runtime,
    run: <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) => runtime.runPromise(Effect.flatMap(SqlDatabase, use)),
    exit: <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) =>
      runtime.runPromise(Effect.exit(Effect.flatMap(SqlDatabase, use)))
  }
}
const messageOf = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it succeeded"
const pid = (sql: Sql) => Effect.map(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`, ([row]) => row?.pid)
const many = <A>(count: number, one: A) => Array.from({ length: count }, () => one)

describe("connections to PostgreSQL", () => {
  it("runs parallel reads over few connections, separate from those of transactions", async () => {
    const { run, runtime } = open({ maxConnections: 4 })
    const read = await run((sql) => Effect.all(many(60, pid(sql)), { concurrency: "unbounded" }))
    expect(new Set(read).size).toBeLessThanOrEqual(3)
    const seen = await run((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const mine = yield* pid(sql)
          const others = yield* Effect.promise(() =>
            run((other) => Effect.all(many(60, pid(other)), { concurrency: "unbounded" }))
          )
          return { same: (yield* pid(sql)) === mine, shared: others.includes(mine) }
        })
      )
    )
    expect(seen).toEqual({ same: true, shared: false })
    await runtime.dispose()
  })

  it("does not block a read behind a transaction that starts at the same time", async () => {
    // In one shared pool, a read just before got the connection that the transaction then took over.
    const waits = await Promise.all(
      Array.from({ length: 12 }, async (_, apart) => {
        const { run, runtime } = open({ maxConnections: 3 })
        const reader = Promise.resolve().then(() =>
          run((sql) => Effect.andThen(Effect.sleep(apart), sql`SELECT 2 AS two`))
        )
        // In the bad case both wait forever: the read for the transaction, the transaction for the read.
        const outcome = await run((sql) =>
          sql
            .withTransaction(
              Effect.andThen(
                sql`SELECT 1`,
                Effect.promise(() => reader)
              )
            )
            .pipe(Effect.timeout("10 seconds"))
        )
        await runtime.dispose()
        return outcome
      })
    )
    expect(waits).toEqual(many(12, [{ two: 2 }]))
  })

  it("joins nested transactions, and runs effects after the commit", async () => {
    const { run, runtime } = open()
    const order: Array<string> = []
    const say = (word: string) => Effect.sync(() => order.push(word))
    await run((sql) => sql`CREATE TABLE nested (n integer)`)
    await run((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.afterCommit(say("after commit"))
          yield* sql`INSERT INTO nested (n) VALUES (1)`
          yield* Effect.exit(
            sql.withTransaction(Effect.andThen(sql`INSERT INTO nested (n) VALUES (2)`, Effect.fail("no")))
          )
          yield* sql.withTransaction(sql`INSERT INTO nested (n) VALUES (3)`)
          yield* say("last word")
        })
      )
    )
    expect(await run((sql) => sql`SELECT n FROM nested ORDER BY n`)).toEqual([{ n: 1 }, { n: 3 }])
    expect(order).toEqual(["last word", "after commit"])
    await runtime.dispose()
  })

  it("does not block reads behind a slow transaction, and queues transactions without a connection", async () => {
    const { run, runtime } = open({ maxConnections: 3 })
    const finished: Array<string> = []
    await run((sql) =>
      Effect.all(
        [
          sql
            .withTransaction(sql`SELECT pg_sleep(0.5)::text`)
            .pipe(Effect.tap(() => Effect.sync(() => finished.push("slow")))),
          Effect.andThen(Effect.sleep(50), sql`SELECT 1`).pipe(
            Effect.tap(() => Effect.sync(() => finished.push("read")))
          )
        ],
        { concurrency: "unbounded" }
      )
    )
    expect(finished).toEqual(["read", "slow"])
    const twelve = await run((sql) =>
      Effect.all(many(12, sql.withTransaction(Effect.andThen(sql`SELECT pg_sleep(0.02)::text`, pid(sql)))), {
        concurrency: "unbounded"
      })
    )
    expect(new Set(twelve).size).toBeLessThanOrEqual(3)
    expect(twelve).toHaveLength(12)
    await runtime.dispose()
  })

  it("ends a statement at its timeout, and an idle transaction", async () => {
    const { exit, run, runtime } = open({ statementMillisMax: 100, idleTransactionMillisMax: 100 })
    expect(messageOf(await exit((sql) => sql`SELECT pg_sleep(5)::text`))).toMatch(/statement timeout/)
    const silent = await exit((sql) =>
      sql.withTransaction(Effect.andThen(sql`SELECT 1`, Effect.andThen(Effect.sleep(400), sql`SELECT 1`)))
    )
    expect(messageOf(silent)).toMatch(/idle-in-transaction timeout/)
    expect(await run((sql) => sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
    await runtime.dispose()
  })

  it("cancels an interrupted transaction's statement on the server", async () => {
    const { run, runtime } = open()
    await run((sql) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(sql.withTransaction(sql`SELECT pg_sleep(30)::text`))
        yield* Effect.sleep(100)
        yield* Fiber.interrupt(fiber)
      })
    )
    // The cancel request uses a separate connection, so the statement may end later.
    await vi.waitFor(
      async () =>
        expect(
          await run(
            (
              sql
            ) => sql`SELECT count(*) AS n FROM pg_stat_activity WHERE state <> 'idle' AND query LIKE '%pg_sleep(30)%'
              AND pid <> pg_backend_pid()`
          )
        ).toEqual([{ n: 0 }]),
      { timeout: 60_000 }
    )
    await runtime.dispose()
  })

  it("fails with a clear error while the server is down, and recovers", async () => {
    const own = await startPostgres({ fsync: true })
    const runtime = ManagedRuntime.make(layerPostgres({ url: own.url, maxConnections: 4 }))
    const run = <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) => runtime.runPromise(Effect.flatMap(SqlDatabase, use))
    await run((sql) => sql`CREATE TABLE kept (n integer)`)
    const acknowledged: Array<number> = []
    const failures: Array<string> = []
    let refused = 0
    const writers = new AbortController()
    const writing = (async () => {
      for (let n = 0; !writers.signal.aborted; n++) {
        const outcome = await run((sql) => Effect.exit(sql.withTransaction(sql`INSERT INTO kept (n) VALUES (${n})`)))
        if (Exit.isSuccess(outcome)) acknowledged.push(n)
        else {
          const odd = outcome.cause.reasons.filter(
            (reason) => !Cause.isFailReason(reason) || !databaseAway(reason.error)
          )
          failures.push(...odd.map((reason) => messageOf(Exit.failCause(Cause.fromReasons([reason])))))
          refused++
        }
      }
    })()
    await new Promise((resolve) => setTimeout(resolve, 200))
    process.kill(own.pid, "SIGKILL")
    const before = acknowledged.length
    const again = await own.restart()
    while (acknowledged.length < before + 10) await new Promise((resolve) => setTimeout(resolve, 10))
    writers.abort()
    await writing
    expect(before).toBeGreaterThan(0)
    expect(refused).toBeGreaterThan(0)
    expect(failures).toEqual([])
    const rows = await run((sql) => sql<{ n: number }>`SELECT n FROM kept`)
    const storedNumbers = new Set(rows.map(({ n }) => n))
    expect(acknowledged.filter((n) => !storedNumbers.has(n))).toEqual([])
    await runtime.dispose()
    await again.stop()
  })
})

describe("the PostgreSQL for tests", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)("ends with the process that started it, by %s", async (signal) => {
    const start = new URL("../../../../../test/postgres/start.ts", import.meta.url).href
    const child = spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `const { startPostgres } = await import(${JSON.stringify(start)})
         console.log((await startPostgres()).pid); setInterval(() => {}, 1000)`
      ],
      { stdio: ["ignore", "pipe", "inherit"] }
    )
    const [output] = await once(child.stdout, "data")
    const pid = Number(output)
    process.kill(pid, 0)
    child.kill(signal)
    await once(child, "exit")
    const alive = () => {
      try {
        process.kill(pid, 0)
        return true
      } catch {
        return false
      }
    }
    for (let n = 0; n < 100 && alive(); n++) await new Promise((resolve) => setTimeout(resolve, 50))
    expect(alive()).toBe(false)
  })

  it("copies a database from a template and deletes it when stopped", async () => {
    const own = await startPostgres()
    const first = await own.createDatabase("first")
    const at = (url: string) => ManagedRuntime.make(layerPostgres({ url }))
    const source = at(first)
    await source.runPromise(Effect.flatMap(SqlDatabase, (sql) => sql`CREATE TABLE there (n integer)`))
    const [row] = await source.runPromise(
      Effect.flatMap(SqlDatabase, (sql) => sql<{ dir: string }>`SELECT current_setting('data_directory') AS dir`)
    )
    await source.dispose()
    const copy = at(await own.createDatabase('se"cond', "first"))
    expect(await copy.runPromise(Effect.flatMap(SqlDatabase, (sql) => sql`SELECT n FROM there`))).toEqual([])
    await copy.dispose()
    await own.stop()
    await expect(access(row?.dir ?? "/")).rejects.toThrow(/ENOENT/)
  })
})
