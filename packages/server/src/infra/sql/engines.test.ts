import { PgClient } from "@effect/sql-pg"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Queue from "effect/Queue"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { engines } from "../../../../../test/postgres/engines.ts"
import { toTimestamp } from "./timestamp.ts"

describe.each(engines)("$name", ({ name, open }) => {
  let run: <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) => Promise<A>
  let stop: () => Promise<void>
  let tables = 0

  beforeAll(async () => {
    const engine = await open()
    const runtime = ManagedRuntime.make(engine.layer)
    run = (use) => runtime.runPromise(Effect.flatMap(PgClient.PgClient, use))
    stop = async () => {
      await runtime.dispose()
      await engine.close()
    }
    await run((sql) => sql`SELECT 1`)
  })
  afterAll(() => stop())

  /** A table of one integer column for one test. */
  const table = async () => {
    const name = `t${++tables}`
    await run((sql) => sql`CREATE TABLE ${sql(name)} (n integer PRIMARY KEY)`)
    return name
  }
  const rowsOf = (tableName: string) =>
    run((sql) =>
      Effect.map(sql<{ n: number }>`SELECT n FROM ${sql(tableName)} ORDER BY n`, (rows) => rows.map((row) => row.n))
    )

  it("decodes rows to the types that int8.ts documents", async () => {
    const [row] = await run(
      (sql) => sql`
        SELECT 7::smallint AS s, 7::integer AS i, 7::bigint AS b, 9007199254740993::bigint AS big, count(*) AS n,
          1.5::double precision AS d, 1.50::numeric AS num, true AS yes, 'ü€😀'::text AS t, NULL::text AS nothing,
          '2026-01-31'::date AS day, '\\x00ff'::bytea AS bytes,
          ARRAY[1, NULL, 3]::bigint[] AS bigs, ARRAY['a', NULL]::text[] AS texts, '{}'::text[] AS none
        FROM generate_series(1, 5)`
    )
    expect(row).toEqual({
      s: 7,
      i: 7,
      b: 7,
      big: 9007199254740993n,
      n: 5,
      d: 1.5,
      num: "1.50",
      yes: true,
      t: "ü€😀",
      nothing: null,
      day: "2026-01-31",
      bytes: new Uint8Array([0, 255]),
      bigs: [1, null, 3],
      texts: ["a", null],
      none: []
    })
  })

  it("continues after the client could not encode a statement", async () => {
    const mixed = await run((sql) => Effect.exit(sql`SELECT ${[1, 2 ** 31]}::bigint[] AS v`))
    // One array has one element type: mixed sizes need an explicit type.
    expect(mixed._tag).toBe("Failure")
    expect(await run((sql) => sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
  })

  it("encodes and decodes safe and unsafe integers", async () => {
    const values = [0, -1, 2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, 2n ** 63n - 1n, -(2n ** 63n)]
    for (const value of values) {
      const rows = await run((sql) => sql`SELECT ${value}::bigint AS v`)
      expect(rows).toEqual([{ v: value }])
    }
    expect(await run((sql) => sql`SELECT ${[2 ** 40, 2 ** 41]}::bigint[] AS v`)).toEqual([{ v: [2 ** 40, 2 ** 41] }])
  })

  it("decodes timestamptz as Date, formatted with milliseconds and Z", async () => {
    const [row] = await run(
      (sql) => sql<{ at: Date; back: Date; endless: Date }>`
        SELECT '2026-01-31 13:00:00.123999+01'::timestamptz AS at, ${new Date(1234567890123)} AS back,
          'infinity'::timestamptz AS endless`
    )
    if (row === undefined) throw new Error("no row")
    expect(row.at).toBeInstanceOf(Date)
    expect(toTimestamp(row.at)).toBe("2026-01-31T12:00:00.123Z")
    expect(toTimestamp(row.back)).toBe("2009-02-13T23:31:30.123Z")
    expect(() => toTimestamp(row.endless)).toThrow("infinity")
    expect(await run((sql) => sql`SELECT current_setting('TimeZone') AS zone`)).toEqual([
      { zone: name === "PGlite" ? expect.stringMatching(/^(UTC|GMT|Etc\/UTC)$/) : "UTC" }
    ])
  })

  it("passes arrays as one parameter", async () => {
    expect(
      await run(
        (sql) =>
          sql`SELECT u.a, u.b FROM unnest(${["x", "y"]}::text[], ${[1, 2]}::int[]) AS u(a, b)
            WHERE u.a = ANY(${["y", "z"]}) AND NOT u.a = ANY(${[]}::text[])`
      )
    ).toEqual([{ a: "y", b: 2 }])
  })

  it("keeps jsonb values unchanged", async () => {
    const value = { a: [1, null, { "b\n": "ü\"'\\" }], c: 1e21, d: true, __proto__x: {} }
    expect(await run((sql) => sql`SELECT ${sql.json(value)}::jsonb AS v, ${sql.json([])}::jsonb -> 0 AS w`)).toEqual([
      { v: value, w: null }
    ])
  })

  it("supports full-text and trigram search", async () => {
    await run((sql) => sql`CREATE EXTENSION IF NOT EXISTS pg_trgm`)
    await run((sql) => sql`CREATE EXTENSION IF NOT EXISTS unaccent`)
    expect(
      await run(
        (sql) => sql`
          SELECT to_tsvector('english', 'The quick foxes') @@ websearch_to_tsquery('english', ${'fox -"lazy dog"'}) AS hit,
            to_tsvector('simple', 'fox') @@ websearch_to_tsquery('simple', ${"& | ! ( 'fox' <->"}) AS operators,
            round(similarity('memory', 'memori')::numeric, 2)::text AS near, unaccent('Hôtel') AS plain`
      )
    ).toEqual([{ hit: true, operators: true, near: "0.56", plain: "Hotel" }])
  })

  it("rolls back failures and keeps what a savepoint kept", async () => {
    const tableName = await table()
    const insert = (sql: PgClient.PgClient, n: number) => sql`INSERT INTO ${sql(tableName)} (n) VALUES (${n})`
    await run((sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* insert(sql, 1)
          const inner = yield* Effect.flip(
            sql.withTransaction(Effect.andThen(insert(sql, 2), Effect.andThen(insert(sql, 1), Effect.void)))
          )
          expect(inner.reason._tag).toBe("UniqueViolation")
          yield* insert(sql, 3)
        })
      )
    )
    expect(await rowsOf(tableName)).toEqual([1, 3])
    const failed = await run((sql) =>
      Effect.flip(sql.withTransaction(Effect.andThen(insert(sql, 4), Effect.fail("no"))))
    )
    expect(failed).toBe("no")
    expect(await rowsOf(tableName)).toEqual([1, 3])
  })

  it("rolls back an interrupted transaction", async () => {
    const tableName = await table()
    await run((sql) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(
          sql.withTransaction(Effect.andThen(sql`INSERT INTO ${sql(tableName)} (n) VALUES (1)`, Effect.never))
        )
        yield* Effect.sleep(100)
        yield* Fiber.interrupt(fiber)
      })
    )
    expect(await rowsOf(tableName)).toEqual([])
  })

  it("continues after interrupted statements", async () => {
    await run((sql) =>
      Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        (n) => Effect.timeoutOption(sql`SELECT count(*) FROM generate_series(1, 200000)`, Duration.millis(n)),
        { concurrency: "unbounded" }
      )
    )
    expect(await run((sql) => sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
  })

  it("keeps the results of 200 parallel queries separate", async () => {
    const responses = await run((sql) =>
      Effect.forEach(
        Array.from({ length: 200 }, (_, n) => n),
        (n) => sql<{ n: number }>`SELECT ${n}::int AS n`,
        { concurrency: "unbounded" }
      )
    )
    expect(responses.map(([row]) => row?.n)).toEqual(Array.from({ length: 200 }, (_, n) => n))
  })

  it("keeps 50 parallel transactions separate, beside reads", async () => {
    const tableName = await table()
    await run((sql) => sql`INSERT INTO ${sql(tableName)} (n) VALUES (0)`)
    await run((sql) =>
      Effect.all(
        [
          Effect.forEach(
            Array.from({ length: 50 }, (_, n) => n),
            () =>
              sql.withTransaction(
                Effect.gen(function* () {
                  const [row] = yield* sql<{ n: number }>`SELECT n FROM ${sql(tableName)} FOR UPDATE`
                  yield* Effect.yieldNow
                  yield* sql`UPDATE ${sql(tableName)} SET n = ${(row?.n ?? -1000) + 1}`
                })
              ),
            { concurrency: "unbounded", discard: true }
          ),
          Effect.forEach(
            Array.from({ length: 100 }, (_, n) => n),
            () =>
              Effect.map(sql<{ n: number }>`SELECT n FROM ${sql(tableName)}`, (rows) => expect(rows).toHaveLength(1)),
            { concurrency: "unbounded", discard: true }
          )
        ],
        { concurrency: 2 }
      )
    )
    expect(await rowsOf(tableName)).toEqual([50])
  })

  it("streams many rows, and ends a partly read stream", async () => {
    const sum = await run((sql) =>
      Stream.runFold(
        sql<{ n: number }>`SELECT n FROM generate_series(1, 50000) AS s(n)`.stream,
        () => 0,
        (total, row) => total + row.n
      )
    )
    expect(sum).toBe(1250025000)
    const few = await run((sql) =>
      Stream.runCollect(Stream.take(sql<{ n: number }>`SELECT n FROM generate_series(1, 50000) AS s(n)`.stream, 3))
    )
    expect(few.map((row) => row.n)).toEqual([1, 2, 3])
    expect(await run((sql) => sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
  })

  it("receives notifications, also after another listener on the channel left", async () => {
    const received = await run((sql) =>
      Effect.scoped(
        Effect.gen(function* () {
          const queue = yield* sql.listen("news")
          yield* Effect.scoped(Effect.andThen(sql.listen("news"), Effect.void))
          yield* sql.notify("news", "one")
          yield* sql.notify("other", "not for us")
          yield* sql.withTransaction(sql`SELECT pg_notify('news', 'two')::text`)
          yield* Effect.exit(
            sql.withTransaction(Effect.andThen(sql`SELECT pg_notify('news', 'never')::text`, Effect.fail("no")))
          )
          yield* sql.notify("news", "three")
          return yield* Queue.takeN(queue, 3)
        })
      )
    )
    expect(received.map(({ payload }) => payload)).toEqual(["one", "two", "three"])
  })

  it("locks each row for one taker with SKIP LOCKED", async () => {
    const tableName = await table()
    await run((sql) => sql`INSERT INTO ${sql(tableName)} (n) SELECT n FROM generate_series(1, 10) AS s(n)`)
    const taken = await run((sql) =>
      Effect.forEach(
        Array.from({ length: 10 }, (_, n) => n),
        () =>
          sql.withTransaction(
            sql<{ n: number }>`DELETE FROM ${sql(tableName)} WHERE n =
              (SELECT n FROM ${sql(tableName)} ORDER BY n LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING n`
          ),
        { concurrency: "unbounded" }
      )
    )
    expect(taken.map(([row]) => row?.n).sort((a, b) => Number(a) - Number(b))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  it("admits one transaction at a time to an advisory lock", async () => {
    let inside = 0
    let most = 0
    let passed = 0
    await run((sql) =>
      Effect.forEach(
        Array.from({ length: 8 }, (_, n) => n),
        () =>
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT pg_advisory_xact_lock(42)::text`
              most = Math.max(most, ++inside)
              yield* Effect.sleep(5)
              yield* sql`SELECT 1`
              inside--
              passed++
            })
          ),
        { concurrency: "unbounded", discard: true }
      )
    )
    expect({ most, passed }).toEqual({ most: 1, passed: 8 })
  })

  it("sends and receives a parameter of 2 MB", async () => {
    const text = "0123456789abcdéf".repeat(131072)
    const [row] = await run((sql) => sql<{ t: string; n: number }>`SELECT ${text}::text AS t, length(${text}) AS n`)
    expect(row?.n).toBe(text.length)
    expect(row?.t === text).toBe(true)
  })

  it("reports failed statements, and continues", async () => {
    const tableName = await table()
    await run((sql) => sql`INSERT INTO ${sql(tableName)} (n) VALUES (1)`)
    const failing: ReadonlyArray<[string, (sql: PgClient.PgClient) => Effect.Effect<unknown, SqlError>]> = [
      ["UniqueViolation", (sql) => sql`INSERT INTO ${sql(tableName)} (n) VALUES (1)`],
      ["ConstraintError", (sql) => sql`INSERT INTO ${sql(tableName)} (n) VALUES (NULL)`],
      ["SqlSyntaxError", (sql) => sql`SELEC 1`],
      ["SqlSyntaxError", (sql) => sql`SELECT 1; SELECT 2`],
      ["UnknownError", (sql) => sql`SELECT 1 / 0`],
      ["UnknownError", (sql) => sql`SELECT pg_notify('c', repeat('x', 9000))::text`],
      ["SqlSyntaxError", (sql) => sql.withTransaction(sql`SELECT * FROM absent`)],
      ["UnknownError", (sql) => sql.withTransaction(Effect.andThen(Effect.exit(sql`SELECT 1 / 0`), sql`SELECT 1`))]
    ]
    for (const [tag, effect] of failing) {
      const error = await run((sql) => Effect.flip(effect(sql)))
      expect(error.reason._tag).toBe(tag)
      expect(await run((sql) => sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
    }
  })

  it("rejects COPY through the connection without hanging", async () => {
    const tableName = await table()
    for (const statement of [`COPY ${tableName} FROM STDIN`, `/* x */ COPY ${tableName} TO STDOUT`]) {
      const error = await run((sql) => Effect.flip(Effect.timeout(sql.unsafe(statement), "10 seconds")))
      expect(error._tag).toBe("SqlError")
    }
    expect(await rowsOf(tableName)).toEqual([])
  })
})
