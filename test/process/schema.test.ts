import * as Effect from "effect/Effect"
import { expect, it, vi } from "vitest"
import { SqlDatabase } from "../../packages/server/src/infra/sql/client.ts"
import { migrate } from "../../packages/server/src/infra/sql/migrate.ts"
import { migrations } from "../../packages/server/src/infra/sql/migrations/index.ts"
import { layerPostgres } from "../../packages/server/src/infra/sql/postgres.ts"
import { startPostgres } from "../postgres/start.ts"
import { ask, hasTerminals, onTerminal, runServer, startServer } from "./server.fixture.ts"

vi.setConfig({ testTimeout: 240_000 })

it("migrates and moves the tables as steps of a deployment", async () => {
  const postgres = await startPostgres()
  try {
    const settings = { ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one" }
    const environment = { ...settings, ORGPLANE_DATABASE_URL: postgres.url, ORGPLANE_SEED: "none" }
    const command = (name: string, more: Record<string, string> = {}) =>
      runServer({ ...environment, ...more }, { arguments: [name] })
    expect(await command("migrate", { ORGPLANE_DATABASE_SCHEMA: "Not one" })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("ORGPLANE_DATABASE_SCHEMA must have 1 to 40 characters")
    })
    // The tables of an earlier release.
    await Effect.runPromise(Effect.provide(migrate(migrations), layerPostgres({ url: postgres.url })))

    const early = await runServer({ ...environment, ORGPLANE_DATABASE_SCHEMA: "tools", ORGPLANE_MIGRATIONS: "check" })
    expect(early).toMatchObject({ code: 1, stdout: "" })
    expect(early.stderr).toMatch(
      /^orgplane cannot start: The tables of this installation are in the schema "public", not in "tools"\. /
    )
    expect(await command("migrate", { ORGPLANE_DATABASE_SCHEMA: "tools" })).toMatchObject({ code: 1, stdout: "" })

    const moved = await command("move-schema")
    expect(moved).toMatchObject({ code: 0, stderr: "" })
    expect(moved.stdout).toMatch(/^Moved \d+ tables and sequences from the schema "public" to "orgplane"\.\n$/)
    expect(await command("move-schema")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: 'No tables of an earlier release were found. The tables are, or will be, in the schema "orgplane".\n'
    })
    expect((await command("migrate")).stdout).toBe("The database schema is up to date. No migrations ran.\n")

    const other = { ORGPLANE_DATABASE_SCHEMA: "tools" }
    const empty = await runServer({ ...environment, ...other, ORGPLANE_MIGRATIONS: "check" })
    expect(empty).toMatchObject({ code: 1, stdout: "" })
    expect(empty.stderr).toMatch(
      /^orgplane cannot start: The database's schema version is 0, but this release requires version \d+\. Run orgplane-server migrate, or call ControlPlane\.migrate, before you start the server\.\n$/
    )
    expect((await command("migrate", other)).stdout).toMatch(/^Ran \d+ migrations:\n {2}0001_identity\n/)
    const rows = await Effect.runPromise(
      Effect.provide(
        Effect.flatMap(
          SqlDatabase,
          (sql) => sql`SELECT schemaname::text, count(*)::int AS count FROM pg_tables WHERE tablename = 'users'
            GROUP BY 1 ORDER BY 1`
        ),
        layerPostgres({ url: postgres.url })
      )
    )
    expect(rows).toEqual([
      { schemaname: "orgplane", count: 1 },
      { schemaname: "tools", count: 1 }
    ])

    const server = await startServer({ ...environment, ...other, ORGPLANE_MIGRATIONS: "check" })
    expect((await ask(server.baseUrl, undefined, "GET", "/v1/ready")).status).toBe(200)
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0 })
  } finally {
    await postgres.stop()
  }
})

it.skipIf(!hasTerminals)(
  "prints an error of a migration on its own line of a terminal (skipped without script of util-linux)",
  async () => {
    const postgres = await startPostgres()
    try {
      const environment = {
        ORGPLANE_DATABASE_URL: postgres.url,
        ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one"
      }
      expect(await runServer(environment, { arguments: ["migrate"] })).toMatchObject({ code: 0 })
      // An index that the migration creates needs a column that is missing.
      await Effect.runPromise(
        Effect.provide(
          Effect.flatMap(SqlDatabase, (sql) =>
            Effect.forEach(
              [
                "DROP INDEX orgplane.sync_events_target",
                "ALTER TABLE orgplane.sync_events RENAME ended_at TO finished_at",
                "DELETE FROM orgplane.orgplane_migrations WHERE migration_id >= 58"
              ],
              (statement) => sql.unsafe(statement)
            )
          ),
          layerPostgres({ url: postgres.url })
        )
      )
      const { code, stdout } = await runServer(environment, { arguments: ["migrate"], through: onTerminal() })
      const [progress, error] = stdout.split("\r\u001b[K").slice(-2)
      expect([code, progress]).toEqual([1, "Create index sync_events_target on sync_events"])
      expect(error).toMatch(/^Cannot set up the database on PostgreSQL .* column "ended_at" does not exist/)
    } finally {
      await postgres.stop()
    }
  }
)
