/** orgplane beside the tables of a host application in one database. */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { SqlClient } from "effect/sql/SqlClient"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { ControlPlane } from "../../src/index.ts"
import { SqlDatabase, type Sql } from "../../src/infra/sql/client.ts"
import { migrate } from "../../src/infra/sql/migrate.ts"
import { migrations } from "../../src/infra/sql/migrations/index.ts"
import { moveSchema } from "../../src/infra/sql/move-schema.ts"
import { objects } from "../../src/infra/sql/objects.ts"
import { layerPostgres } from "../../src/infra/sql/postgres.ts"
import { copyDatabase, engine, makeControlPlane, makeWorkspace, runSql, type TestPlane } from "../harness.ts"
import { releaseAfterEachTest } from "../setup/file-state.ts"

releaseAfterEachTest()

/** Runs statements as the host application does, on its own connection. */
const asHost = async <A>(url: string, use: (sql: Sql) => Effect.Effect<A, unknown, SqlClient>) => {
  const runtime = ManagedRuntime.make(layerPostgres({ url }))
  try {
    return await runtime.runPromise(Effect.flatMap(SqlDatabase, use))
  } finally {
    await runtime.dispose()
  }
}

/** The names, owners' grants and columns of everything in the host's schema, and its default privileges. */
const hostState = (sql: Sql) =>
  Effect.gen(function* () {
    const relations = yield* sql`SELECT c.relname::text AS name, c.relkind::text AS kind, c.relacl::text AS privileges,
        (SELECT string_agg(a.attname || ' ' || a.atttypid::regtype, ', ' ORDER BY a.attnum) FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns
      FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace ORDER BY 1, 2`
    const functions = yield* sql`SELECT proname::text AS name, prosrc AS source FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace ORDER BY 1`
    const defaults = yield* sql`SELECT defaclacl::text AS privileges FROM pg_default_acl
      WHERE defaclnamespace = 'public'::regnamespace`
    const rows = yield* sql`SELECT * FROM public.users`
    return { relations, functions, defaults, rows }
  })

/** Writes through the API in every wing, and reads it back. */
const useEverything = async (plane: TestPlane) => {
  const owner = await makeWorkspace(plane)
  const plugin = await owner.client.plugins.create({ name: "A plugin" })
  const market = await owner.client.marketplaces.create({ name: "A marketplace" })
  await owner.client.marketplaces.addPlugin(market.id, { pluginId: plugin.id })
  await owner.client.memory.save({ content: "The host's tables are its own." })
  expect((await owner.client.plugins.list()).items.map(({ id }) => id)).toEqual([plugin.id])
  expect((await owner.client.memory.list()).items).toHaveLength(1)
  return { owner, pluginId: plugin.id }
}

describe.runIf(engine === "postgres")("a database of a host application", () => {
  it("with tables of all names is not changed, and orgplane works beside it", async () => {
    const url = await copyDatabase("template1")
    const sequences = [...objects.names].filter((name) => name.endsWith("_ids"))
    const tables = [...objects.names].filter((name) => !sequences.includes(name) && name !== "audit_events_are_kept")
    await asHost(url, (sql) =>
      Effect.gen(function* () {
        for (const name of tables) yield* sql`CREATE TABLE public.${sql(name)} (of_the_host integer)`
        for (const name of sequences) yield* sql`CREATE SEQUENCE public.${sql(name)}`
        yield* sql`CREATE FUNCTION public.audit_events_are_kept() RETURNS integer LANGUAGE sql AS 'SELECT 1'`
        yield* sql`INSERT INTO public.users VALUES (7)`
      })
    )
    const before = await asHost(url, hostState)
    // The table of migrations is the host's as well, so the schema has to be named.
    const plane = await makeControlPlane({ database: { kind: "postgres", url, schema: "orgplane" } })
    await useEverything(plane)
    expect(await asHost(url, hostState)).toEqual(before)
    const [stored] = await asHost(url, (sql) => sql`SELECT count(*)::int AS count FROM orgplane.users`)
    expect(stored).toEqual({ count: 1 })
  })

  it("can hold several installations, each in its schema with its role and locks", async () => {
    const url = await copyDatabase("template1")
    const planes = []
    for (const schema of ["orgplane", "tools"]) {
      const plane = await makeControlPlane({ database: { kind: "postgres", url, schema } })
      await useEverything(plane)
      planes.push(plane)
    }
    for (const plane of planes) {
      const [found] = await runSql(plane, (sql) => sql`SELECT count(*)::int AS count FROM organizations`)
      expect(found).toEqual({ count: 1 })
    }
    const roles = await asHost(
      url,
      (sql) => sql`SELECT DISTINCT n.nspname::text AS schema, p.rolname::text AS role
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles p ON p.oid = a.grantee
        WHERE p.rolname LIKE '%\\_tenant' ORDER BY 1`
    )
    expect(roles).toEqual([
      { schema: "orgplane", role: "orgplane_tenant" },
      { schema: "tools", role: "tools_tenant" }
    ])
  })

  it.each(["orgplane", "tools"])("loses what an earlier release granted there, and can be moved to %s", async (to) => {
    const url = await copyDatabase("template1")
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0053"))
    await asHost(url, (sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE TABLE invoices (id serial)`
        yield* migrate(earlier)
        yield* sql`CREATE TABLE later_invoices (id serial)`
        // What the earlier releases granted on it, by default privileges.
        yield* sql`GRANT SELECT, INSERT, UPDATE, DELETE ON later_invoices TO orgplane_tenant`
        yield* sql`ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO orgplane_tenant`
      })
    )
    const database = { kind: "postgres", url } as const
    const inPlace = await makeControlPlane({ database })
    const { owner, pluginId } = await useEverything(inPlace)
    const granted = (sql: Sql) => sql<{ name: string }>`SELECT c.relname::text AS name FROM pg_class c
      CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles p ON p.oid = a.grantee
      WHERE c.relnamespace = 'public'::regnamespace AND p.rolname LIKE '%\\_tenant'
        AND c.relname LIKE '%invoices%'`
    expect(await asHost(url, granted)).toEqual([])
    await asHost(url, (sql) => sql`CREATE TABLE latest_invoices (id serial)`)
    expect(await asHost(url, granted)).toEqual([])

    // An empty installation beside the tables would look like a loss of all data.
    const wanted = { ...database, schema: to }
    const refused = `The tables of this installation are in the schema "public", not in "${to}".`
    await expect(makeControlPlane({ database: wanted })).rejects.toThrow(refused)
    await expect(ControlPlane.migrate({ database: wanted })).rejects.toThrow(refused)
    expect(
      await asHost(url, (sql) => sql`SELECT nspname FROM pg_namespace WHERE nspname IN ('orgplane', 'tools')`)
    ).toEqual([])

    const connected = await asHost(url, () => Effect.flip(moveSchema(to, Effect.void)))
    expect(connected.message).toMatch(/^Servers are connected to the database \(\d+ connections\)\. Stop them first\.$/)
    await inPlace.dispose()
    const moved = await (to === "orgplane"
      ? ControlPlane.moveSchema({ database }, to)
      : ControlPlane.moveSchema({ database: wanted }))
    expect(moved.from).toBe("public")
    const left = await asHost(
      url,
      (sql) => sql<{ name: string }>`SELECT relname::text AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S', 'i') ORDER BY 1`
    )
    expect(left.map(({ name }) => name).filter((name) => !name.includes("invoices"))).toEqual([])
    const again = await makeControlPlane({
      database: to === "orgplane" ? database : { ...database, schema: to }
    })
    const response = await again.fetch(
      new Request(`http://localhost/v1/plugins/${pluginId}`, { headers: { authorization: `Bearer ${owner.token}` } })
    )
    expect(response.status).toBe(200)
    await useEverything(again)
    await again.dispose()
    await expect(ControlPlane.moveSchema({ database: { ...database, schema: to } }, "another")).rejects.toThrow(
      "No tables of an earlier release were found."
    )
  })

  it("is not moved if the schema already contains another installation", async () => {
    const url = await copyDatabase("template1")
    await asHost(url, (sql) => Effect.andThen(sql`CREATE SCHEMA empty_path`, migrate(migrations)))
    const elsewhere = new URL(url)
    elsewhere.searchParams.set("options", "-c search_path=empty_path")
    const database = { kind: "postgres", url } as const
    await ControlPlane.migrate({ database: { ...database, url: elsewhere.href, schema: "orgplane" } })
    await expect(ControlPlane.moveSchema({ database })).rejects.toThrow(
      /^Both schemas "public" and "orgplane" contain an installation\. Nothing was moved\./
    )
  })

  it("can contain another installation whose role has the first one on its search path", async () => {
    const url = await copyDatabase("template1")
    const database = { kind: "postgres", url } as const
    await ControlPlane.migrate({ database })
    const own = new URL(url)
    own.searchParams.set("options", "-c search_path=orgplane,public")
    const staging = { ...database, url: own.href, schema: "staging" }
    expect((await ControlPlane.migrate({ database: staging })).length).toBeGreaterThan(0)
    const plane = await makeControlPlane({ database: staging })
    await useEverything(plane)
    await plane.dispose()
  })

  it("is not moved to another schema while a server is connected, also under another application name", async () => {
    const url = await copyDatabase("template1")
    await asHost(url, () => migrate(migrations))
    const database = { kind: "postgres", url: `${url}?application_name=A+host` } as const
    const plane = await makeControlPlane({ database })
    const { owner, pluginId } = await useEverything(plane)
    const move = () => ControlPlane.moveSchema({ database: { kind: "postgres", url } })
    await expect(move()).rejects.toThrow("Servers are connected to the database (1 connections). Stop them first.")
    expect((await owner.client.plugins.get(pluginId)).id).toBe(pluginId)
    await plane.dispose()
    expect(await move()).toMatchObject({ from: "public" })
  })

  it.each(["App", `We"ird's`])("is upgraded and moved from a schema with the name %s", async (schema) => {
    const plain = await copyDatabase("template1")
    const quoted = `"${schema.replaceAll('"', '""')}"`
    const url = `${plain}?${new URLSearchParams({ options: `-c search_path=${quoted}` })}`
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0053"))
    await asHost(url, (sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE SCHEMA ${sql(schema)}`
        yield* migrate(earlier)
        yield* sql`CREATE TABLE invoices (id serial)`
      })
    )
    const database = { kind: "postgres", url } as const
    expect((await ControlPlane.migrate({ database })).length).toBeGreaterThan(0)
    expect(await ControlPlane.moveSchema({ database })).toMatchObject({ from: schema })
    const left = await asHost(
      url,
      (sql) => sql`SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ${schema} AND c.relkind IN ('r', 'p', 'S') ORDER BY 1`
    )
    expect(left).toEqual([{ name: "invoices" }, { name: "invoices_id_seq" }])
    const plane = await makeControlPlane({ database })
    await useEverything(plane)
    await plane.dispose()
  })

  it("is reached with the settings of the host's pool, whose connections stay free and as they were", async () => {
    const url = new URL(await copyDatabase("template1"))
    const settings = {
      host: url.hostname,
      port: Number(url.port),
      user: url.username,
      database: url.pathname.slice(1),
      password: () => Promise.resolve(url.password)
    }
    const pool = new pg.Pool({ ...settings, max: 1, idleTimeoutMillis: 0 })
    try {
      const before = await pool.query("SELECT pg_backend_pid() AS pid, current_setting('search_path') AS path")
      const plane = await makeControlPlane({ database: ControlPlane.postgres(pool, { maxConnections: 4 }) })
      await useEverything(plane)
      expect([pool.totalCount, pool.idleCount, pool.waitingCount]).toEqual([1, 1, 0])
      expect((await pool.query("SELECT pg_backend_pid() AS pid, current_setting('search_path') AS path")).rows).toEqual(
        before.rows
      )
      await plane.dispose()
      for (const source of [settings, { connectionString: url.href }, url.href]) {
        const again = await makeControlPlane({ database: ControlPlane.postgres(source, { migrations: "check" }) })
        await makeWorkspace(again)
        await again.dispose()
      }
    } finally {
      await pool.end()
    }
  })

  it("is reached with all connection settings that are passed, including the string `options`", async () => {
    const url = new URL(await copyDatabase("template1"))
    const settings = {
      host: url.hostname,
      port: Number(url.port),
      user: url.username,
      password: url.password,
      database: url.pathname.slice(1),
      options: "-c search_path=tools",
      application_name: "A host"
    }
    const pool = new pg.Pool(settings)
    const withString = { connectionString: url.href, options: settings.options, application_name: "A host", max: 1 }
    for (const source of [settings, pool, withString]) {
      const plane = await makeControlPlane({ database: ControlPlane.postgres(source) })
      const [row] = await runSql(
        plane,
        (sql) => sql`SELECT current_database()::text AS database, current_setting('search_path') AS path,
          current_setting('application_name') AS name`
      )
      expect(row).toEqual({ database: settings.database, path: "tools", name: "A host" })
      await plane.dispose()
    }
    await pool.end()
  })

  it("is not replaced by the database of the environment if a setting is misspelled", () => {
    for (const [source, message] of [
      [{ hots: "db.internal", database: "prod" }, "ControlPlane.postgres: unknown setting hots. Did you mean host?"],
      [
        { host: "db.internal", databse: "prod" },
        "ControlPlane.postgres: unknown setting databse. Did you mean database?"
      ],
      [{ stream: () => {} }, "ControlPlane.postgres: unknown setting stream. Allowed: connectionString, host,"],
      [{ options: 5 }, "ControlPlane.postgres: options must be a string"],
      [undefined, "ControlPlane.postgres: the first argument must be a URL, connection settings, or a pg.Pool."]
    ] as const) {
      expect(() => ControlPlane.postgres(source as object)).toThrow(message)
    }
  })

  it("refuses a schema with tables of another program, and names that are no schema of its own", async () => {
    const url = await copyDatabase("template1")
    await asHost(url, (sql) =>
      Effect.andThen(sql`CREATE SCHEMA orgplane`, sql`CREATE TABLE orgplane.invoices (id integer)`)
    )
    await expect(makeControlPlane({ database: { kind: "postgres", url } })).rejects.toThrow(
      /The schema "orgplane" contains tables of another program\. Set the option `schema` to another name\./
    )
    for (const [schema, message] of [
      ["Tools", /must have 1 to 40 characters/],
      ["pg_tools", /must not be a PostgreSQL system schema/],
      ["", /must have 1 to 40 characters/]
    ] as const) {
      await expect(makeControlPlane({ database: { kind: "postgres", url, schema } })).rejects.toThrow(message)
    }
  })

  it("names the statement to run when its role may not create the schema", async () => {
    const url = await copyDatabase("template1")
    const name = `weak_${new URL(url).pathname.slice(3)}`
    await asHost(url, (sql) => sql`CREATE ROLE ${sql(name)} LOGIN PASSWORD 'weak'`)
    const weak = new URL(url)
    weak.username = name
    weak.password = "weak"
    await expect(makeControlPlane({ database: { kind: "postgres", url: weak.href } })).rejects.toThrow(
      `As an administrator, run: CREATE SCHEMA "orgplane" AUTHORIZATION "${name}"`
    )
    await asHost(url, (sql) => sql`CREATE SCHEMA orgplane AUTHORIZATION ${sql(name)}`)
    const plane = await makeControlPlane({ database: { kind: "postgres", url: weak.href } })
    await useEverything(plane)
    await plane.dispose()
    await asHost(url, (sql) => sql`DROP OWNED BY ${sql(name)}`)
    await asHost(url, (sql) => sql`DROP ROLE ${sql(name)}`)
  })
})
