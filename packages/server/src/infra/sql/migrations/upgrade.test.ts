import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { describe, expect, it } from "vitest"
import { engines } from "../../../../../../test/postgres/engines.ts"
import { type Sql, SqlDatabase } from "../client.ts"
import { migrate } from "../migrate.ts"
import { migrations } from "./index.ts"

const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0038"))

const emptyOf: Readonly<Record<string, unknown>> = {
  text: "x",
  boolean: false,
  integer: 1,
  smallint: 1,
  bigint: 1,
  ARRAY: "{}",
  bytea: new Uint8Array([1]),
  jsonb: "{}"
}

/** Writes a row of a table as it was then, and fills in missing required columns. */
const put = Effect.fnUntraced(function* (sql: Sql, table: string, given: Readonly<Record<string, unknown>>) {
  const needed = yield* sql<{ name: string; type: string }>`SELECT column_name AS name, data_type AS type
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ${table}
      AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AND is_generated = 'NEVER'`
  const row = {
    ...Object.fromEntries(
      needed.map(({ name, type }) => [name, type.startsWith("timestamp") ? new Date() : (emptyOf[type] ?? "x")])
    ),
    ...given
  }
  yield* sql`INSERT INTO ${sql(table)} ${sql.insert(row)}`
})

const id = (prefix: string, letter: string) => `${prefix}_${letter.repeat(26)}`
const [organization, other] = [id("org", "a"), id("org", "b")]
const [market, otherMarket] = [id("mkt", "a"), id("mkt", "b")]
const [oldest, middle, youngest, left] = [id("plg", "c"), id("plg", "d"), id("plg", "e"), id("plg", "b")]

/** Two organizations, each with plugins of one name in a marketplace, and a row that later migrations change. */
const fill = Effect.fnUntraced(function* (sql: Sql) {
  yield* sql`SET LOCAL session_replication_role = replica`
  for (const one of [organization, other]) yield* put(sql, "organizations", { id: one, name: one })
  const offered = [
    [organization, market, youngest, "Déploy!", null],
    [organization, market, oldest, "Deploy", null],
    [organization, market, middle, "deploy", null],
    // It was removed from the marketplace, and is older than those in it.
    [organization, market, left, "deploy", new Date()],
    [other, otherMarket, middle, "deploy", null]
  ] as const
  for (const [organization_id, marketplace_id, plugin_id, name, removed_at] of offered) {
    yield* put(sql, "plugins", { organization_id, id: plugin_id, name, manifest_json: "{}" })
    yield* put(sql, "marketplace_memberships", {
      organization_id,
      id: plugin_id.replace("plg", "mkp"),
      marketplace_id,
      plugin_id,
      removed_at
    })
  }
  yield* put(sql, "plugin_archives", { organization_id: organization, plugin_id: oldest })
  yield* put(sql, "connector_accounts", { organization_id: organization, id: id("cac", "a"), adapter: "rest" })
  yield* put(sql, "connector_targets", { organization_id: organization, id: id("ctg", "a") })
  yield* put(sql, "oauth_credentials", { organization_id: organization })
  yield* put(sql, "memories", { organization_id: organization, user_id: id("usr", "a"), id: id("mem", "a") })
})

const statistics = (sql: Sql, table: string) =>
  Effect.map(
    sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_stats
      WHERE schemaname = current_schema() AND tablename = ${table}`,
    (rows) => rows[0]?.count
  )

describe.each(engines)("a database of the release before on $name", ({ open }) => {
  it("keeps existing rows, renames colliding plugins by age, and does not change the host's tables", async () => {
    const engine = await open()
    const runtime = ManagedRuntime.make(engine.layer)
    const seen = await runtime.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        yield* migrate(before)
        yield* sql`CREATE TABLE accounts_of_the_host (id text NOT NULL, organization_id text)`
        yield* sql.withTransaction(fill(sql))
        yield* migrate(migrations)
        const [can] = yield* sql<{ can: boolean }>`SELECT to_regproc('pg_catalog.pg_restore_attribute_stats')
          IS NOT NULL AS can`
        return {
          names: yield* sql<Record<string, string>>`SELECT organization_id, marketplace_id, plugin_id, name
            FROM marketplace_plugin_names ORDER BY organization_id, plugin_id`,
          archives: yield* sql`SELECT plugin_id, format FROM plugin_archives`,
          accounts: yield* sql`SELECT reconcile_at > now() AS later FROM connector_accounts`,
          targets: yield* sql`SELECT reading_version FROM connector_targets`,
          credentials: yield* sql`SELECT requested_scopes_json, demanded_scopes_json FROM oauth_credentials`,
          memories: yield* sql`SELECT embedding_tries FROM memories`,
          can: can?.can,
          ours: yield* statistics(sql, "marketplace_links"),
          partitions: yield* sql<{ name: string }>`SELECT c.relname::text AS name FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid AND c.relkind = 'r'
            WHERE c.relnamespace = current_schema()::regnamespace
              AND NOT EXISTS (SELECT 1 FROM pg_stats s WHERE s.tablename = c.relname)`,
          hosts: yield* statistics(sql, "accounts_of_the_host")
        }
      })
    )
    expect(seen.names).toEqual(
      [
        [organization, market, left, `deploy-${"b".repeat(6)}`],
        [organization, market, oldest, "deploy"],
        [organization, market, middle, `deploy-${"d".repeat(6)}`],
        [organization, market, youngest, `deploy-${"e".repeat(6)}`],
        [other, otherMarket, middle, "deploy"]
      ].map(([organization_id, marketplace_id, plugin_id, name]) => ({
        organization_id,
        marketplace_id,
        plugin_id,
        name
      }))
    )
    expect(seen.archives).toEqual([{ plugin_id: oldest, format: "tar.gz" }])
    expect(seen.accounts).toEqual([{ later: true }])
    // A branch that was read without rules is read again.
    expect(seen.targets).toEqual([{ reading_version: null }])
    expect(seen.credentials).toEqual([{ requested_scopes_json: [], demanded_scopes_json: [] }])
    expect(seen.memories).toEqual([{ embedding_tries: 0 }])
    expect(seen.hosts).toBe(0)
    if (seen.can === true) {
      expect(seen.ours).toBeGreaterThan(0)
      expect(seen.partitions).toEqual([])
    }
    await runtime.dispose()
    await engine.close()
  })
})
