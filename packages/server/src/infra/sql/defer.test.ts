import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startPostgres, type StartedPostgres } from "../../../../../test/postgres/start.ts"
import { SqlDatabase, type Sql } from "./client.ts"
import { deferStatement } from "./defer.ts"
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
