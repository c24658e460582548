import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { SqlDatabase } from "../../packages/server/src/infra/sql/client.ts"
import { schemaVersion } from "../../packages/server/src/infra/sql/database.ts"
import { migrate } from "../../packages/server/src/infra/sql/migrate.ts"
import { migrations } from "../../packages/server/src/infra/sql/migrations/index.ts"
import { layerPglite } from "../../packages/server/src/infra/sql/pglite.ts"
import { layerPostgres } from "../../packages/server/src/infra/sql/postgres.ts"
import { startPostgres, type StartedPostgres } from "../postgres/start.ts"
import { makeFolder, runServer, startServer } from "./server.fixture.ts"

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

const later = schemaVersion + 10

/** Records a migration as a later release would: it requires releases of a schema version or later. */
const record = (codeVersionMin: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlDatabase
    yield* sql`ALTER TABLE orgplane_migrations ADD COLUMN IF NOT EXISTS code_version_min integer`
    yield* sql`DELETE FROM orgplane_migrations WHERE migration_id = ${later}`
    yield* sql`INSERT INTO orgplane_migrations (migration_id, name, code_version_min)
      VALUES (${later}, 'later', ${codeVersionMin})`
  })

type Change = Effect.Effect<unknown, unknown, typeof SqlDatabase.Identifier | SqlClient.SqlClient>

const requires = `${later}, which requires a release with schema version ${schemaVersion + 1} or later, but this release has schema version ${schemaVersion}. Run the release that migrated it, or a later one.`
const compatible = `${later}. It is newer than that of this release (${schemaVersion}), and compatible with it.`

describe("a schema of a later release", () => {
  let postgres: StartedPostgres
  let environment: Record<string, string>
  beforeAll(async () => {
    postgres = await startPostgres()
    environment = {
      ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one",
      ORGPLANE_DATABASE_URL: postgres.url,
      ORGPLANE_DATA_DIR: makeFolder(),
      ORGPLANE_SEED: "none",
      ORGPLANE_MODELS_URL: "off"
    }
  })
  afterAll(() => postgres.stop())

  const command = (...args: ReadonlyArray<string>) => runServer(environment, { arguments: args })
  const onPostgres = (effect: Change) =>
    Effect.runPromise(Effect.provide(Effect.orDie(effect), layerPostgres({ url: postgres.url })))

  it("is refused by every command, each with the release that is required", async () => {
    await onPostgres(Effect.andThen(migrate(migrations), record(schemaVersion + 1)))
    for (const mode of ["run", "check"]) {
      const start = await runServer({ ...environment, ORGPLANE_MIGRATIONS: mode })
      expect(start).toMatchObject({ code: 1, stdout: "" })
      expect(start.stderr).toBe(`orgplane cannot start: The database's schema version is ${requires}\n`)
    }
    for (const name of ["migrate", "move-schema"]) {
      const refused = await command(name)
      expect([refused.code, refused.stdout]).toEqual([1, ""])
      expect(refused.stderr).toContain(`The database's schema version is ${later}, `)
    }
    const doctor = await command("doctor")
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(`The schema version is ${requires}`)])
    const config = await command("check-config")
    expect([config.code, config.stdout]).toEqual([1, expect.stringContaining(`has schema version ${requires}`)])
  })

  it("is used if the later release recorded that this one is compatible, and cannot be moved", async () => {
    await onPostgres(record(schemaVersion))
    for (const mode of ["run", "check"]) {
      const server = await startServer({ ...environment, ORGPLANE_MIGRATIONS: mode })
      expect((await fetch(`${server.baseUrl}/v1/ready`)).status).toBe(200)
      server.signal("SIGTERM")
      expect(await server.ended).toMatchObject({ code: 0 })
    }
    expect(await command("migrate")).toMatchObject({
      code: 0,
      stdout: `The database's schema version is ${compatible} No migrations ran.\n`
    })
    const doctor = await command("doctor")
    expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringContaining(`The schema version is ${compatible}`)])
    const config = await command("check-config")
    expect([config.code, config.stdout]).toEqual([0, expect.stringContaining(`has schema version ${compatible}`)])
    const moved = await command("move-schema")
    expect([moved.code, moved.stdout]).toEqual([1, ""])
    expect(moved.stderr).toBe(
      `The database's schema version is ${later}, and this release has schema version ${schemaVersion}, so it may not know all tables. Nothing was changed. Use the release that migrated the schema, or a later one.\n`
    )
  })

  it("is treated in the same way in a data directory", async () => {
    const dataDir = makeFolder()
    const start = { ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" }
    const onDirectory = (effect: Change) =>
      Effect.runPromise(Effect.provide(Effect.orDie(effect), layerPglite({ dataDir }), { local: true }))
    await onDirectory(Effect.andThen(migrate(migrations), record(schemaVersion + 1)))
    const refused = await runServer(start)
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The database's schema version is ${requires}`)
    })
    await onDirectory(record(schemaVersion))
    const server = await startServer(start)
    expect((await fetch(`${server.baseUrl}/v1/ready`)).status).toBe(200)
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0 })
  })
})
