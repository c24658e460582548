import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { engines } from "../../../../../test/postgres/engines.ts"
import { startPostgres, type StartedPostgres } from "../../../../../test/postgres/start.ts"
import { SqlDatabase } from "./client.ts"
import { inSession } from "./execute.ts"
import { migrate, type MigrateOptions, type Migrations, schemaState } from "./migrate.ts"
import {
  backfill,
  createIndex,
  MigrationProgress,
  online,
  type Progress,
  validateConstraint
} from "./migrations/online.ts"
import { layerPostgres } from "./postgres.ts"

const run = (statement: string) => Effect.flatMap(SqlDatabase, (sql) => Effect.asVoid(sql.unsafe(statement)))
const ask = <A extends object>(statement: string) => Effect.flatMap(SqlDatabase, (sql) => sql.unsafe<A>(statement))

/** Migrations up to 2 run together, as those of the first release do. */
const first: Migrations = {
  "0001_things": run(
    "CREATE TABLE things (organization_id text, n bigint, doubled bigint, PRIMARY KEY (organization_id, n))"
  ),
  "0002_rows": run("INSERT INTO things SELECT 'org_' || n % 7, n FROM generate_series(1, 5000) n")
}
const column = run("ALTER TABLE things ADD COLUMN note text")
const steps = online(
  Effect.gen(function* () {
    yield* createIndex({ name: "things_doubled", table: "things", definition: "(doubled)" })
    yield* backfill({
      table: "things",
      key: ["organization_id", "n"],
      set: "doubled = target.n * 2",
      where: "doubled IS NULL"
    })
    yield* validateConstraint("things", "things_are_doubled")
  })
)
const constraint = run("ALTER TABLE things ADD CONSTRAINT things_are_doubled CHECK (doubled IS NOT NULL) NOT VALID")
const later: Migrations = { ...first, "0003_column": column, "0004_constraint": constraint, "0005_doubled": steps }
const together: MigrateOptions = { togetherMax: 2 }

const state = ask<{ wrong: number; valid: boolean; validated: boolean }>(`SELECT
  (SELECT count(*)::int FROM things WHERE doubled IS DISTINCT FROM n * 2) AS wrong,
  (SELECT indisvalid FROM pg_index WHERE indexrelid = 'things_doubled'::regclass) AS valid,
  (SELECT convalidated FROM pg_constraint WHERE conname = 'things_are_doubled') AS validated`)

describe.each(engines)("a migration in batches on $name", ({ open }) => {
  it("changes all rows, and records which releases work afterwards", async () => {
    const engine = await open()
    const runtime = ManagedRuntime.make(engine.layer)
    await runtime.runPromise(migrate(first, together))
    const options = { ...together, requirements: { "0004_constraint": { codeVersionMin: 3, reason: "A test." } } }
    expect(await runtime.runPromise(migrate(later, options))).toEqual([
      [3, "column"],
      [4, "constraint"],
      [5, "doubled"]
    ])
    expect(await runtime.runPromise(state)).toEqual([{ wrong: 0, valid: true, validated: true }])
    expect(await runtime.runPromise(schemaState)).toEqual({ version: 5, codeVersionMin: 3 })
    expect(await runtime.runPromise(migrate(later, options))).toEqual([])
    await runtime.dispose()
    await engine.close()
  })
})

describe("a migration of tables that are in use", () => {
  let server: StartedPostgres
  let url: string
  let databases = 0
  const open = () => ManagedRuntime.make(layerPostgres({ url, maxConnections: 2 }))
  let runtime: ReturnType<typeof open>
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    url = await server.createDatabase(`used_${(databases += 1)}`)
    runtime = open()
    await runtime.runPromise(migrate(first, together))
  })
  afterEach(() => runtime.dispose())

  it("resumes after it was interrupted between two batches, and builds an invalid index again", async () => {
    const seen: Array<Progress> = []
    const interrupted = Effect.gen(function* () {
      const halted = yield* Effect.forkChild(
        Effect.provideService(migrate(later, together), MigrationProgress, (progress) =>
          Effect.suspend(() => {
            seen.push(progress)
            return progress.done > 0 ? Effect.never : Effect.void
          })
        )
      )
      while (!seen.some(({ done }) => done > 0)) yield* Effect.sleep(5)
      yield* Fiber.interrupt(halted)
    })
    await runtime.runPromise(interrupted)
    expect(seen.at(-1)).toMatchObject({ step: "Update things", done: 500 })
    expect(await runtime.runPromise(state)).toEqual([{ wrong: 4500, valid: true, validated: false }])
    expect(await runtime.runPromise(schemaState)).toEqual({ version: 4, codeVersionMin: 2 })
    await runtime.runPromise(
      run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'things_doubled'::regclass")
    )
    expect(await runtime.runPromise(migrate(later, together))).toEqual([[5, "doubled"]])
    expect(await runtime.runPromise(state)).toEqual([{ wrong: 0, valid: true, validated: true }])
  })

  it("runs once when several processes start at once", async () => {
    const others = [runtime, open(), open()]
    const ran = await Promise.all(others.map((each) => each.runPromise(migrate(later, together))))
    expect(ran.flat().length).toBe(3)
    expect(await runtime.runPromise(state)).toEqual([{ wrong: 0, valid: true, validated: true }])
    for (const other of others.slice(1)) await other.dispose()
  })

  it("stops waiting for a lock so that requests continue, and retries until it gets the lock", async () => {
    let ran: unknown
    await inSession(url, async (query) => {
      await query("BEGIN")
      await query("SELECT count(*) FROM things")
      const refused = await runtime.runPromise(Effect.flip(migrate(later, { ...together, attemptsMax: 2 })))
      expect(refused).toMatchObject({
        _tag: "MigrationBlocked",
        message: expect.stringMatching(
          /^The migration 0003_column could not lock its tables within 400 ms, because other transactions use them\. It was tried 2 times, and changed nothing\. /
        )
      })
      expect(await runtime.runPromise(schemaState)).toEqual({ version: 2, codeVersionMin: 2 })

      const waiting = runtime.runPromise(migrate(later, together))
      const other = open()
      const isWaiting = ask<{ waits: number }>(`SELECT count(*)::int AS waits FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE things%'`)
      // The test observes two attempts, each followed by a write that is not canceled within a second.
      for (let attempt = 0; attempt < 2; attempt += 1) {
        while ((await other.runPromise(isWaiting))[0]?.waits === 0)
          await new Promise((resolve) => setTimeout(resolve, 5))
        await inSession(url, async (write) => {
          await write("SET statement_timeout = 1000")
          await write(`UPDATE things SET organization_id = organization_id WHERE n = ${attempt + 1}`)
        })
      }
      await other.dispose()
      await query("COMMIT")
      ran = await waiting
    })
    expect(ran).toEqual([
      [3, "column"],
      [4, "constraint"],
      [5, "doubled"]
    ])
  })
})
