import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startPostgres, type StartedPostgres } from "../../../../../test/postgres/start.ts"
import { SqlDatabase, type Sql } from "./client.ts"
import { commitWith, deferStatement } from "./defer.ts"
import { prepareStatement } from "./read.ts"
import { layerPostgres } from "./postgres.ts"

let server: StartedPostgres
const open = () => ManagedRuntime.make(layerPostgres({ url: server.url, maxConnections: 2 }))
let runtime: ReturnType<typeof open>
beforeAll(async () => {
  server = await startPostgres()
  runtime = open()
  await run((sql) => sql`CREATE TABLE kept (n integer PRIMARY KEY)`)
})
afterAll(async () => {
  await runtime.dispose()
  await server.stop()
})

const run = <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) => runtime.runPromise(Effect.flatMap(SqlDatabase, use))
const insertion = prepareStatement<{ readonly n: unknown }>((sql, { n }) => sql`INSERT INTO kept (n) VALUES (${n})`)
const insert = (sql: Sql, n: unknown) => deferStatement(sql, insertion(sql, { n }))
const stored = () =>
  run((sql) => Effect.map(sql<{ n: number }>`SELECT n FROM kept ORDER BY n`, (rows) => rows.map(({ n }) => n)))

describe("a deferred statement", () => {
  it("is executed before the next statement, and with a commit that nothing else precedes", async () => {
    const seen = await run((sql) =>
      sql.withTransaction(Effect.andThen(insert(sql, 1), sql<{ n: number }>`SELECT n FROM kept`))
    )
    expect(seen).toEqual([{ n: 1 }])
    await run((sql) => sql.withTransaction(Effect.andThen(insert(sql, 2), insert(sql, 3))))
    expect(await stored()).toEqual([1, 2, 3])
  })

  it("is not executed in a transaction that fails before it is sent", async () => {
    const exit = await run((sql) =>
      Effect.exit(sql.withTransaction(Effect.andThen(insert(sql, 10), Effect.fail("no"))))
    )
    expect(Exit.isFailure(exit)).toBe(true)
    expect(await stored()).not.toContain(10)
  })

  it("fails the next statement or the commit with its own error, and rolls the transaction back", async () => {
    const next = await run((sql) =>
      Effect.exit(
        sql.withTransaction(
          Effect.andThen(Effect.andThen(insert(sql, 1), sql`INSERT INTO kept (n) VALUES (20)`), sql`SELECT 1 AS one`)
        )
      )
    )
    expect(JSON.stringify(next)).toContain("UniqueViolation")
    const commit = await run((sql) => Effect.exit(sql.withTransaction(Effect.andThen(insert(sql, 21), insert(sql, 1)))))
    expect(JSON.stringify(commit)).toContain("UniqueViolation")
    const later = await stored()
    expect(later).not.toContain(20)
    expect(later).not.toContain(21)
  })

  it("leaves a working connection when the statement after it cannot be encoded", async () => {
    const exit = await run((sql) =>
      Effect.exit(sql.withTransaction(Effect.andThen(insert(sql, 30), sql`SELECT ${new Date(Number.NaN)} AS at`)))
    )
    expect(Exit.isFailure(exit)).toBe(true)
    await run((sql) => sql.withTransaction(insert(sql, 31)))
    const later = await stored()
    expect(later).not.toContain(30)
    expect(later).toContain(31)
  })

  it("does not make later transactions fail when the server skipped it", async () => {
    await run((sql) => sql`CREATE TABLE once (n integer PRIMARY KEY)`)
    const insertOnce = prepareStatement<{ readonly n: number }>((sql, { n }) => sql`INSERT INTO once (n) VALUES (${n})`)
    const insertKept = prepareStatement<{ readonly n: number }>(
      (sql, { n }) => sql`INSERT INTO kept (n) VALUES (${n}) `
    )
    // The second statement is new on the connection when the first one fails.
    const both = (once: number, kept: number) =>
      run((sql) =>
        Effect.exit(
          sql.withTransaction(
            Effect.andThen(
              Effect.andThen(
                deferStatement(sql, insertOnce(sql, { n: once })),
                deferStatement(sql, insertKept(sql, { n: kept }))
              ),
              sql`SELECT 1`
            )
          )
        )
      )
    await run((sql) => sql`INSERT INTO once (n) VALUES (1)`)
    expect((await both(1, 101))._tag).toBe("Failure")
    for (const n of [2, 3]) expect((await both(n, 100 + n))._tag).toBe("Success")
    expect(await stored()).toEqual(expect.arrayContaining([102, 103]))
    expect(await stored()).not.toContain(101)
  })

  it("is dropped with the nested transaction that deferred it, and does not fail the outer one", async () => {
    await run((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* insert(sql, 201)
          const inner = Effect.andThen(sql`SELECT 1`, Effect.andThen(insert(sql, 201), Effect.fail("no")))
          expect(Exit.isFailure(yield* Effect.exit(sql.withTransaction(inner)))).toBe(true)
          yield* insert(sql, 202)
        })
      )
    )
    expect(await stored()).toEqual(expect.arrayContaining([201, 202]))
  })
})

describe("a statement that is sent with the commit", () => {
  interface Counted {
    readonly n: number
  }
  const last = (sql: Sql) => commitWith(sql, sql<Counted>`SELECT max(n) AS n FROM kept`)

  it("returns its rows after the commit and runs after-commit effects", async () => {
    const seen: Array<ReadonlyArray<number>> = []
    const numbers = (sql: Sql) =>
      Effect.map(sql<Counted>`SELECT n FROM kept ORDER BY n`, (rows) => rows.map(({ n }) => n))
    const rows = await run((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* insert(sql, 1000)
          yield* sql.afterCommit(Effect.orDie(Effect.map(numbers(sql), (all) => void seen.push(all))))
          const result = yield* last(sql)
          // The commit itself was sent with the statement, so other connections see the change.
          expect(yield* Effect.promise(stored)).toContain(1000)
          return result
        })
      )
    )
    expect(rows).toEqual([{ n: 1000 }])
    expect(seen).toEqual([expect.arrayContaining([1000])])
  })

  it("rolls back if the statement or the commit fails", async () => {
    const failing = (sql: Sql) => commitWith(sql, sql`SELECT 1 / (n - n) FROM kept`)
    const failed = await run((sql) => Effect.exit(sql.withTransaction(Effect.andThen(insert(sql, 1001), failing(sql)))))
    expect(JSON.stringify(failed)).toContain("22012")
    await run((sql) => sql`CREATE TABLE late (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED)`)
    const refused = await run((sql) =>
      Effect.exit(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* insert(sql, 1002)
            yield* sql`INSERT INTO late (n) VALUES (1), (1)`
            return yield* last(sql)
          })
        )
      )
    )
    expect(JSON.stringify(refused)).toContain("UniqueViolation")
    const later = await stored()
    expect(later).not.toContain(1001)
    expect(later).not.toContain(1002)
    await run((sql) => sql.withTransaction(insert(sql, 1003)))
    expect(await stored()).toContain(1003)
  })

  it("is completed despite an interruption, and after-commit effects run", async () => {
    let hasRun = false
    const waiting = Effect.sync(() => {
      hasRun = true
    })
    await run((sql) =>
      Effect.gen(function* () {
        // The only shared connection holds the lock that the statement waits for.
        yield* sql`SELECT pg_advisory_lock(77)::text`
        const statement = sql`SELECT pg_advisory_xact_lock(77)::text`
        const work = insert(sql, 1010).pipe(
          Effect.andThen(sql.afterCommit(waiting)),
          Effect.andThen(commitWith(sql, statement))
        )
        const fiber = yield* Effect.forkChild(sql.withTransaction(work))
        const isWaiting = sql<{ waits: boolean }>`SELECT EXISTS
          (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted) AS waits`
        while ((yield* isWaiting)[0]?.waits !== true) yield* Effect.yieldNow
        fiber.interruptUnsafe()
        yield* sql`SELECT pg_advisory_unlock(77)`
        yield* Fiber.await(fiber)
      })
    )
    expect(hasRun).toBe(true)
    expect(await stored()).toContain(1010)
  })

  it("rejects every later statement of the transaction", async () => {
    const exit = await run((sql) =>
      Effect.exit(sql.withTransaction(Effect.andThen(Effect.andThen(insert(sql, 1004), last(sql)), sql`SELECT 1`)))
    )
    expect(JSON.stringify(exit)).toContain("The transaction has already been committed.")
  })

  it("does not commit in a nested transaction", async () => {
    const exit = await run((sql) => {
      const nested = sql.withTransaction(Effect.andThen(insert(sql, 1005), last(sql)))
      return Effect.exit(sql.withTransaction(Effect.andThen(nested, Effect.fail("no"))))
    })
    expect(exit).toEqual(Exit.fail("no"))
    expect(await stored()).not.toContain(1005)
  })
})
