import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type StartedPostgres, startPostgres } from "../../../../../test/postgres/start.ts"
import { type Sql, SqlDatabase } from "./client.ts"
import { layerPostgres } from "./postgres.ts"
import { read } from "./read.ts"

let server: StartedPostgres
const open = () => ManagedRuntime.make(layerPostgres({ url: server.url, maxConnections: 2 }))
let runtime: ReturnType<typeof open>
beforeAll(async () => {
  server = await startPostgres()
  runtime = open()
  await run((sql) => sql`CREATE TABLE kept (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED, kind text, bytes bytea)`)
})
afterAll(async () => {
  await runtime.dispose()
  await server.stop()
})
beforeEach(() => run((sql) => sql`TRUNCATE kept`))

const run = <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) => runtime.runPromise(Effect.flatMap(SqlDatabase, use))
const exitOf = <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) => run((sql) => Effect.exit(use(sql)))
const insert = (sql: Sql, n: number) => sql`INSERT INTO kept (n) VALUES (${n})`
const numbers = (sql: Sql) =>
  Effect.map(sql<{ n: number }>`SELECT n FROM kept ORDER BY n`, (rows) => rows.map(({ n }) => n))

describe("a transaction", () => {
  it("commits its changes when it succeeds, and rolls them back when it fails, dies or is interrupted", async () => {
    expect(await run((sql) => sql.withTransaction(Effect.as(insert(sql, 1), "done")))).toBe("done")
    const failed = await exitOf((sql) => sql.withTransaction(Effect.andThen(insert(sql, 2), Effect.fail("no"))))
    expect(failed).toEqual(Exit.fail("no"))
    const died = await exitOf((sql) => sql.withTransaction(Effect.andThen(insert(sql, 3), Effect.die("bug"))))
    expect(died).toEqual(Exit.die("bug"))
    await run((sql) =>
      Effect.gen(function* () {
        const written = yield* Deferred.make<void>()
        const work = Effect.andThen(insert(sql, 4), Effect.andThen(Deferred.succeed(written, undefined), Effect.never))
        const fiber = yield* Effect.forkChild(sql.withTransaction(work))
        yield* Deferred.await(written)
        yield* Fiber.interrupt(fiber)
      })
    )
    expect(await run(numbers)).toEqual([1])
  })

  it("fails when its commit fails, and leaves the connection usable", async () => {
    const exit = await exitOf((sql) => sql.withTransaction(Effect.andThen(insert(sql, 1), insert(sql, 1))))
    expect(Exit.isFailure(exit)).toBe(true)
    await run((sql) => sql.withTransaction(insert(sql, 2)))
    expect(await run(numbers)).toEqual([2])
  })

  it("fails if one of its statements failed, even if the error is ignored", async () => {
    const exit = await exitOf((sql) =>
      sql.withTransaction(Effect.andThen(insert(sql, 1), Effect.ignore(sql`SELECT 1 / 0`)))
    )
    expect(String(exit)).toContain("The transaction had failed and was rolled back.")
    expect(await run(numbers)).toEqual([])
  })

  it("runs after-commit effects only after a successful commit, outside the transaction", async () => {
    const log: Array<string> = []
    const note = (sql: Sql, name: string) =>
      sql.afterCommit(Effect.orDie(Effect.map(numbers(sql), (seen) => void log.push(`${name} sees ${seen.join(" ")}`))))
    await run((sql) => sql.withTransaction(Effect.andThen(note(sql, "committed"), insert(sql, 1))))
    await exitOf((sql) => sql.withTransaction(Effect.andThen(note(sql, "failed"), Effect.fail("no"))))
    await exitOf((sql) =>
      sql.withTransaction(Effect.all([note(sql, "not committed"), insert(sql, 1)], { discard: true }))
    )
    await run((sql) => note(sql, "without a transaction"))
    expect(log).toEqual(["committed sees 1", "without a transaction sees 1"])
  })

  it("accepts no after-commit effect once it has ended", async () => {
    const exit = await run((sql) =>
      Effect.gen(function* () {
        const ended = yield* Deferred.make<void>()
        const late = Effect.andThen(Deferred.await(ended), sql.afterCommit(Effect.void))
        const fiber = yield* sql.withTransaction(Effect.forkDetach(late))
        yield* Deferred.succeed(ended, undefined)
        return yield* Fiber.await(fiber)
      })
    )
    expect(String(exit)).toContain("The transaction has already ended.")
  })

  it("succeeds and logs the error if an after-commit effect fails", async () => {
    expect(
      await run((sql) => sql.withTransaction(Effect.andThen(sql.afterCommit(Effect.die("bug")), insert(sql, 1))))
    ).toEqual([])
    expect(await run(numbers)).toEqual([1])
  })
})

describe("a nested transaction", () => {
  it("rolls back only its own changes, and discards its after-commit effects", async () => {
    const log: Array<string> = []
    await run((sql) => {
      const note = (name: string) => sql.afterCommit(Effect.sync(() => void log.push(name)))
      const inner = (n: number, end: Effect.Effect<unknown, string>) =>
        sql.withTransaction(Effect.andThen(Effect.andThen(insert(sql, n), note(`after ${n}`)), end))
      return sql.withTransaction(
        Effect.gen(function* () {
          yield* insert(sql, 1)
          yield* Effect.ignore(inner(2, Effect.fail("no")))
          yield* inner(
            3,
            Effect.andThen(inner(4, Effect.void), Effect.ignore(inner(5, Effect.fail("no")))).pipe(Effect.orDie)
          )
          expect(log).toEqual([])
        })
      )
    })
    expect(await run(numbers)).toEqual([1, 3, 4])
    expect(log).toEqual(["after 3", "after 4"])
  })

  it("waits for other nested transactions of the same transaction", async () => {
    await run((sql) => {
      const inner = (n: number, end: Effect.Effect<unknown, string>) =>
        sql.withTransaction(Effect.andThen(insert(sql, n), end))
      const both = [inner(1, Effect.fail("no")), inner(2, Effect.void), inner(3, Effect.fail("no"))]
      return sql.withTransaction(Effect.all(both.map(Effect.exit), { concurrency: 3 }))
    })
    expect(await run(numbers)).toEqual([2])
  })
})

describe("a prepared read", () => {
  const readKept = read<{ readonly n: number }, { readonly kind: string | null; readonly limit: number }>(
    (sql, { kind, limit }) =>
      sql`SELECT n FROM kept WHERE (${kind}::text IS NULL OR kind = ${kind}) ORDER BY n LIMIT ${limit}`
  )

  it("uses a separate SQL text when a filter is absent, and returns the same rows in a transaction", async () => {
    await run((sql) => sql`INSERT INTO kept (n, kind) VALUES (1, 'a'), (2, 'b'), (3, 'a')`)
    const all = (sql: Sql) =>
      Effect.all([
        readKept(sql, { kind: null, limit: 2 }),
        readKept(sql, { kind: "a", limit: 5 }),
        readKept(sql, { kind: null, limit: 5 }),
        readKept(sql, { kind: "c", limit: 5 })
      ])
    const expected = [[1, 2], [1, 3], [1, 2, 3], []].map((some) => some.map((n) => ({ n })))
    expect(await run(all)).toEqual(expected)
    expect(await run((sql) => sql.withTransaction(all(sql)))).toEqual(expected)
  })
})

it("does not overwrite the bytes of a row when later rows are read", async () => {
  const some = (value: number) => Buffer.alloc(3, value)
  await run((sql) => sql`INSERT INTO kept (n, bytes) VALUES (1, ${some(1)}), (2, ${some(2)})`)
  const one = (n: number) =>
    run(
      (sql) => sql<{ one: Uint8Array; some: ReadonlyArray<Uint8Array> }>`SELECT bytes AS one, ARRAY[bytes] AS some
      FROM kept WHERE n = ${n}`
    )
  // The first response also describes the columns. Later ones have the same layout, so they reuse the same offsets.
  await one(2)
  const [first] = await one(1)
  await one(2)
  expect([first?.one, ...(first?.some ?? [])].map((bytes) => [...(bytes ?? [])])).toEqual([
    [1, 1, 1],
    [1, 1, 1]
  ])
})
