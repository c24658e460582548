import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { engines } from "../../../../../test/postgres/engines.ts"
import { startPostgres, type StartedPostgres } from "../../../../../test/postgres/start.ts"
import { SqlDatabase, type Sql } from "./client.ts"
import { demandCurrent, demandNotNewer, migrate, type Migrations, schemaState } from "./migrate.ts"
import { layerPostgres } from "./postgres.ts"

const run = (statement: string) => Effect.flatMap(SqlDatabase, (sql) => Effect.asVoid(sql.unsafe(statement)))

const first: Migrations = {
  // Nothing in it could run twice or concurrently.
  "0001_things": Effect.andThen(run("CREATE TABLE things (n integer)"), Effect.sleep(200)),
  "0002_thing": run("INSERT INTO things (n) VALUES (1)")
}
const second: Migrations = { ...first, "0010_more": run("INSERT INTO things (n) VALUES (2)") }
const broken: Migrations = {
  ...second,
  "0011_kept": run("INSERT INTO things (n) VALUES (3)"),
  "0012_broken": run("INSERT INTO absent (n) VALUES (3)")
}

const things = (sql: Sql) =>
  Effect.map(sql<{ n: number }>`SELECT n FROM things ORDER BY n`, (rows) => rows.map(({ n }) => n))

describe.each(engines)("migrate on $name", ({ open }) => {
  it("runs missing migrations once, all or none, and rejects a newer schema unless it is recorded as compatible", async () => {
    const engine = await open()
    const runtime = ManagedRuntime.make(engine.layer)
    const ran = await runtime.runPromise(migrate(first))
    expect(ran).toEqual([
      [1, "things"],
      [2, "thing"]
    ])
    expect(await runtime.runPromise(migrate(first))).toEqual([])
    expect(await runtime.runPromise(migrate(second))).toEqual([[10, "more"]])

    const failed = await runtime.runPromise(Effect.flip(migrate(broken)))
    expect(failed).toMatchObject({ _tag: "MigrationError", message: expect.stringContaining("12_broken") })
    expect(await runtime.runPromise(Effect.flatMap(SqlDatabase, things))).toEqual([1, 2])

    const refused = await runtime.runPromise(Effect.flip(migrate(first)))
    expect(refused).toMatchObject({ _tag: "SchemaTooNew", database: 10, code: 2 })
    expect(refused.message).toBe(
      "The database's schema version is 10, which requires a release with schema version 10 or later, but this " +
        "release has schema version 2. Run the release that migrated it, or a later one."
    )

    // A later release records that its migration only adds to the schema.
    await runtime.runPromise(run("ALTER TABLE orgplane_migrations ADD COLUMN code_version_min integer"))
    expect(await runtime.runPromise(Effect.flip(migrate(first)))).toMatchObject({ _tag: "SchemaTooNew" })
    await runtime.runPromise(run("UPDATE orgplane_migrations SET code_version_min = 2 WHERE migration_id = 10"))
    expect(await runtime.runPromise(migrate(first))).toEqual([])
    expect(await runtime.runPromise(schemaState)).toEqual({ version: 10, codeVersionMin: 2 })
    await runtime.runPromise(demandCurrent(2))
    expect(await runtime.runPromise(Effect.flip(demandCurrent(1)))).toMatchObject({ _tag: "SchemaTooNew", code: 1 })
    expect(await runtime.runPromise(Effect.flip(demandNotNewer(2)))).toMatchObject({ _tag: "SchemaTooNew", code: 2 })

    const misnamed = await runtime.runPromise(Effect.flip(migrate({ ...second, next: Effect.void })))
    expect(misnamed.message).toMatch(/"next" must be named like/)
    await runtime.dispose()
    await engine.close()
  })
})

describe("concurrent migrations by several processes", () => {
  let server: StartedPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it("run once, and let all processes start", async () => {
    const url = await server.createDatabase("several")
    const runtimes = [1, 2, 3].map(() => ManagedRuntime.make(layerPostgres({ url, statementMillisMax: 50 })))
    const ran = await Promise.all(runtimes.map((runtime) => runtime.runPromise(migrate(second))))
    expect(ran.map((each) => each.length).sort((a, b) => a - b)).toEqual([0, 0, 3])
    expect(
      await Promise.all(runtimes.map((runtime) => runtime.runPromise(Effect.flatMap(SqlDatabase, things))))
    ).toEqual([
      [1, 2],
      [1, 2],
      [1, 2]
    ])
    await Promise.all(runtimes.map((runtime) => runtime.dispose()))
  })

  it("are taken over when the first process is killed in the middle", async () => {
    const url = await server.createDatabase("killed")
    const dying = ManagedRuntime.make(layerPostgres({ url }))
    const slow: Migrations = {
      "0001_things": Effect.andThen(run("CREATE TABLE things (n integer)"), Effect.sleep(60_000))
    }
    const attempt = dying.runPromise(Effect.exit(migrate(slow)))
    const heir = ManagedRuntime.make(layerPostgres({ url }))
    const ask = (text: string) =>
      heir.runPromise(Effect.flatMap(SqlDatabase, (sql) => sql.unsafe<{ pid: number }>(text)))
    const inTheMiddle = `SELECT pid FROM pg_stat_activity
      WHERE datname = 'killed' AND state = 'idle in transaction' AND query LIKE 'CREATE TABLE things%'`
    let rows = await ask(inTheMiddle)
    while (rows.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      rows = await ask(inTheMiddle)
    }
    const waiting = heir.runPromise(migrate(second))
    await ask(`SELECT ${rows[0]?.pid} AS pid, pg_terminate_backend(${rows[0]?.pid})`)
    expect((await waiting).length).toBe(3)
    await heir.dispose()
    await dying.dispose()
    await attempt.catch(() => {})
  })
})
