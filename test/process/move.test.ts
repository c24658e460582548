/** `orgplane-server move` between the embedded database and PostgreSQL. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type Ask, execute, inSession } from "../../packages/server/src/infra/sql/execute.ts"
import { startPostgres, type StartedPostgres } from "../postgres/start.ts"
import {
  ask,
  beginServer,
  hasTerminals,
  makeDataDir,
  makeFolder,
  makeWorkspace,
  onTerminal,
  type Running,
  runServer,
  startServer,
  until
} from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let postgres: StartedPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const alphabets = ["Reviews", 'Überprüfung \\ "x"', "レビュー", "null", "{}"]

let databases = 0
const makeDatabase = () => postgres.createDatabase(`move_${(databases += 1)}`)

const stop = async (server: Running) => {
  server.signal("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 0 })
}

/** An installation with plugins of several alphabets, telemetry of several months and a stored secret, whose server is killed during writes. */
const makeInstallation = async (dataDir: string) => {
  const server = await startServer({ ORGPLANE_DATA_DIR: dataDir })
  const token = await makeWorkspace(server.baseUrl)
  const post = (path: string, body: unknown) => ask(server.baseUrl, token, "POST", path, body)
  for (const name of alphabets) {
    expect(await post("/v1/plugins", { name, description: `${name}\n\u2028` })).toMatchObject({ status: 201 })
  }
  const events = Array.from({ length: 50 }, (_, index) => ({
    id: `event-${index}`,
    type: "task.completed",
    timestamp: new Date(Date.now() - index * 86_400_000).toISOString(),
    source: "app"
  }))
  expect(await post("/v1/telemetry/ingest", { events })).toMatchObject({ status: 204 })
  const provider = await post("/v1/llm-providers", {
    name: "Own",
    providerId: "custom",
    baseUrl: "https://llm.example/v1"
  })
  const path = `/v1/llm-providers/${provider.body.llmProvider.id}/credential`
  expect(await ask(server.baseUrl, token, "PUT", path, { apiKey: "sk-canary" })).toMatchObject({ status: 200 })
  const acknowledged: Array<string> = []
  const write = async (writer: number) => {
    for (let count = 0; ; count += 1) {
      const name = `Plugin ${writer} ${count}`
      const created = await post("/v1/plugins", { name }).catch(() => undefined)
      if (created === undefined) return
      if (created.status === 201) acknowledged.push(name)
    }
  }
  const writers = Promise.all([1, 2, 3].map(write))
  await until(
    async () => acknowledged.length,
    (count) => count >= 20
  )
  server.signal("SIGKILL")
  await server.ended
  await writers
  return { token, acknowledged }
}

/**
 * The relations of an installation with the digests of their rows, calculated without the code under test.
 * rate_windows is unlogged: PostgreSQL empties it when it recovers.
 */
const digestsOf = async (url: string) => {
  const { rows } = await execute(
    url,
    `SELECT c.relname::text AS name, c.relrowsecurity AND c.relforcerowsecurity AS secured, query_to_xml(
        format('SELECT count(*) AS rows, md5(string_agg(t::text, chr(10) ORDER BY t::text)) AS digest FROM orgplane.%I t', c.relname),
        false, true, '')::text AS digest,
      (SELECT count(*)::int FROM pg_policy p WHERE p.polrelid = c.oid) AS policies
    FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'orgplane'::regnamespace
      AND c.relname NOT IN ('orgplane_migrations', 'effect_queue_migrations', 'orgplane_moved_to', 'rate_windows')
    ORDER BY 1`
  )
  return rows
}

const ofMoves = "application_name = 'orgplane-move-schema' AND datname = current_database()"
const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ofMoves}`

/** Waits until a statement of the move waits for a lock of this test. */
const untilBlocked = (url: string) =>
  until(
    () =>
      execute(
        url,
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
          WHERE ${ofMoves} AND wait_event_type = 'Lock'`
      ),
    ({ rows }) => rows[0]?.["waiting"] === 1
  )

/** Begins a move, holds it after it copied some tables, interrupts it, and returns how it ended. */
const interrupted = (
  url: string,
  begin: () => ReturnType<typeof beginServer>,
  { copied, schema = "orgplane" }: { readonly copied: number; readonly schema?: string },
  interrupt: (move: ReturnType<typeof beginServer>, query: Ask) => Promise<unknown> | void
) =>
  inSession(url, async (query) => {
    const table = `${schema}.orgplane_move_progress`
    const running = begin()
    await until(
      async () => {
        const [exists] = await query<{ begun: boolean }>(`SELECT to_regclass('${table}') IS NOT NULL AS begun`)
        if (exists?.begun !== true) return 0
        const [row] = await query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table} WHERE is_copied`)
        return row?.count ?? 0
      },
      (count) => count >= copied
    )
    await query("BEGIN")
    await query(`LOCK TABLE ${table} IN SHARE MODE`)
    await untilBlocked(url)
    await interrupt(running, query)
    const ended = await running.ended
    await query("ROLLBACK")
    return ended
  })
const killed = (running: ReturnType<typeof beginServer>) => running.signal("SIGKILL")

const secretKeyOf = (dataDir: string) => readFileSync(join(dataDir, "secret-key"), "utf8").trim()
const names = async (baseUrl: string, token: string): Promise<ReadonlyArray<string>> => {
  const { body } = await ask(baseUrl, token, "GET", "/v1/plugins?limit=100")
  return (body.items as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name).toSorted()
}
const move = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  runServer(environment, { arguments: ["move", ...args] })

describe("orgplane-server move", () => {
  it("moves an installation to PostgreSQL and back, and continues after each kind of interruption", async () => {
    const dataDir = makeDataDir()
    const { acknowledged, token } = await makeInstallation(dataDir)
    const source = { ORGPLANE_DATA_DIR: dataDir }
    const url = await makeDatabase()
    const begin = () => beginServer(source, { arguments: ["move", "--to", url] })

    const failed = await interrupted(url, begin, { copied: 3 }, (_, query) => query(terminate))
    expect(failed).toMatchObject({ code: 1, stdout: "" })
    expect(failed.stderr).toContain("Keep all servers stopped until the move is complete.")
    expect(failed.stderr).toContain("Run it again to continue.")
    const canceled = await interrupted(url, begin, { copied: 3 }, async (running, query) => {
      running.signal("SIGINT")
      await query("ROLLBACK")
    })
    expect(canceled).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("The move was canceled. Run it again")
    })
    await interrupted(url, begin, { copied: 6 }, killed)

    const environment = { ORGPLANE_DATABASE_URL: url, ORGPLANE_SECRET_KEYS: secretKeyOf(dataDir) }
    const refused = await runServer(environment)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("The move into this database is not complete. Run orgplane-server move again")

    // The last statement waits, so that the process is killed between the marks of the two databases.
    await inSession(url, async (query) => {
      await query("BEGIN")
      await query("LOCK TABLE orgplane_move_progress IN ACCESS SHARE MODE")
      const last = begin()
      await untilBlocked(url)
      last.signal("SIGKILL")
      await last.ended
      // Otherwise, PostgreSQL completes the statement of the process that no longer exists.
      await query(terminate)
      await until(
        () => execute(url, `SELECT pid FROM pg_stat_activity WHERE ${ofMoves}`),
        ({ rows }) => rows.length === 0
      )
      await query("ROLLBACK")
    })
    expect((await runServer(environment)).stderr).toContain("The move into this database is not complete.")
    const elsewhere = await move(source, "--to", join(makeFolder(), "elsewhere"))
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining("was already moved to PostgreSQL at ") })

    const moved = await move(source, "--to", url)
    expect([moved.code, moved.stderr]).toEqual([0, expect.anything()])
    expect(moved.stdout).toContain("Continued the move from ")
    expect(moved.stdout).toContain("the SHA-256 of each row is the same in both databases")
    expect(moved.stdout).toMatch(/ok\s+audit log .* every chain is valid/)
    expect(moved.stdout).toMatch(/ok\s+secrets\s+[1-9]\d* encrypted values?, and the keys decrypt each of them/)
    expect(moved.stdout).toContain(`Set ORGPLANE_SECRET_KEYS to the content of ${join(dataDir, "secret-key")}`)
    expect(moved.stdout + moved.stderr).not.toContain(secretKeyOf(dataDir))
    const repeated = await move(source, "--to", url)
    expect(repeated).toMatchObject({ code: 1, stderr: expect.stringContaining("was already moved to PostgreSQL at ") })

    // The source cannot be used by accident.
    const former = await runServer(source)
    expect(former).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("This installation was moved to PostgreSQL")
    })

    const server = await startServer(environment)
    const served = await names(server.baseUrl, token)
    expect(served).toEqual(expect.arrayContaining([...alphabets, ...acknowledged]))
    // Identities and audit positions continue after those of the source.
    expect(await ask(server.baseUrl, token, "POST", "/v1/plugins", { name: "After" })).toMatchObject({ status: 201 })
    const whileRunning = await move(environment, "--to", join(makeFolder(), "back"))
    expect(whileRunning).toMatchObject({ code: 1, stderr: expect.stringContaining("Stop all of them") })
    await stop(server)

    const back = join(makeFolder(), "back")
    await inSession(url, async (query) => {
      await query("BEGIN")
      await query("LOCK TABLE plugins IN ROW EXCLUSIVE MODE")
      const blocked = beginServer(environment, { arguments: ["move", "--to", back] })
      await untilBlocked(url)
      const early = await runServer(environment)
      expect(early).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("A move of this database is running. Start servers after it ends.")
      })
      blocked.signal("SIGKILL")
      await blocked.ended
      await query("ROLLBACK")
    })
    const returned = await move(environment, "--to", back, "--json")
    expect(returned).toMatchObject({ code: 0 })
    expect(JSON.parse(returned.stdout)).toMatchObject({ to: back })

    // There and back, the rows are the same.
    const other = await makeDatabase()
    const keys = { ORGPLANE_SECRET_KEYS: secretKeyOf(dataDir) }
    expect(await move({ ORGPLANE_DATA_DIR: back, ...keys }, "--to", other)).toMatchObject({ code: 0 })
    const digests = await digestsOf(other)
    expect(digests).toEqual(await digestsOf(url))
    const partitions = digests.filter(({ name }) => String(name).startsWith("telemetry_events_2"))
    expect(partitions.length).toBeGreaterThan(1)
    for (const partition of partitions) expect(partition).toMatchObject({ secured: true, policies: 1 })
  })

  it("refuses a target with an installation, and the configured database", async () => {
    const dataDir = makeDataDir()
    await makeInstallation(dataDir)
    const other = makeDataDir()
    await makeInstallation(other)
    const refused = await move({ ORGPLANE_DATA_DIR: dataDir }, "--to", other)
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${other} already contains an installation`)
    })
    const same = await move({ ORGPLANE_DATA_DIR: dataDir }, "--to", dataDir)
    expect(same).toMatchObject({ code: 2, stderr: expect.stringContaining("--to is the configured database") })
    const nothing = await move({ ORGPLANE_DATA_DIR: dataDir })
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining("requires either --to or --reopen") })
    const malformed = await move({ ORGPLANE_DATA_DIR: dataDir }, "--to", "mysql://host/db")
    expect(malformed).toMatchObject({ code: 2, stderr: expect.stringContaining("--to must be a postgres:// URL") })
    const unreachable = await move({ ORGPLANE_DATA_DIR: dataDir }, "--to", "postgres://u:canary@127.0.0.1:1/db")
    expect(unreachable).toMatchObject({ code: 1, stderr: expect.stringContaining("127.0.0.1:1 (ECONNREFUSED)") })
    expect(unreachable.stderr).not.toContain("canary")
    // A server runs on the source.
    const server = await startServer({ ORGPLANE_DATA_DIR: dataDir })
    const target = join(makeFolder(), "target")
    expect(await move({ ORGPLANE_DATA_DIR: dataDir }, "--to", target)).toMatchObject({ code: 1 })
    expect(existsSync(join(target, "database"))).toBe(false)
    await stop(server)
  })

  it("detects that the source changed after an interrupted move, and begins again with --restart", async () => {
    const dataDir = makeDataDir()
    const { token } = await makeInstallation(dataDir)
    const url = await makeDatabase()
    const target = ["--to", url, "--to-schema", "acme"]
    const begin = () => beginServer({ ORGPLANE_DATA_DIR: dataDir }, { arguments: ["move", ...target] })
    await interrupted(url, begin, { copied: 20, schema: "acme" }, killed)
    // The source was not marked, so it can still be used.
    const server = await startServer({ ORGPLANE_DATA_DIR: dataDir })
    expect(await ask(server.baseUrl, token, "POST", "/v1/plugins", { name: "Later" })).toMatchObject({ status: 201 })
    await stop(server)
    const changed = await move({ ORGPLANE_DATA_DIR: dataDir }, ...target)
    expect(changed.code).toBe(1)
    expect(changed.stderr).toMatch(/ changed after the move began \(.*plugins.*Run the command with --restart/)
    const restarted = await move({ ORGPLANE_DATA_DIR: dataDir }, ...target, "--restart")
    expect(restarted).toMatchObject({ code: 0 })
    expect(restarted.stdout).toContain("and ORGPLANE_DATABASE_SCHEMA to acme.")
    const { rows } = await execute(url, `SELECT count(*)::int AS later FROM acme.plugins WHERE name = 'Later'`)
    expect(rows[0]).toEqual({ later: 1 })
  })

  it.skipIf(!hasTerminals)(
    "asks for the target on a terminal, and ends with Ctrl+C (skipped without script of util-linux)",
    async () => {
      const dataDir = makeDataDir()
      const before = readdirSync(dataDir)
      const keyboard = join(makeFolder(), "keyboard")
      execFileSync("mkfifo", [keyboard])
      const moving = beginServer(
        { ORGPLANE_DATA_DIR: dataDir },
        { arguments: ["move", "--to", "-"], through: onTerminal(keyboard) }
      )
      await until(
        async () => moving.stdout(),
        (text) => text.includes("Target (a postgres:// URL or a data directory): ")
      )
      writeFileSync(keyboard, "\u0003")
      expect(await moving.ended).toMatchObject({
        code: 130,
        stdout: expect.stringContaining("\r\nThe move was canceled. Nothing was changed.\r\n")
      })
      expect(readdirSync(dataDir)).toEqual(before)
    }
  )

  it("requires a target that is not empty", async () => {
    const dataDir = makeDataDir()
    await makeInstallation(dataDir)
    const folder = makeFolder()
    for (const [to, message] of [
      ["-", "The first line of standard input is empty."],
      [" ", "--to is empty."]
    ] as const) {
      const moving = await runServer(
        { ORGPLANE_DATA_DIR: dataDir },
        { arguments: ["move", "--to", to], through: ["/bin/sh", "-c", 'cd "$0" && exec "$@" < /dev/null', folder] }
      )
      expect(moving).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it("reopens a source", async () => {
    const dataDir = makeDataDir()
    const { token } = await makeInstallation(dataDir)
    const folder = makeFolder()
    writeFileSync(join(folder, "target"), `${join(folder, "copy")}\n`)
    const moved = await runServer(
      { ORGPLANE_DATA_DIR: dataDir },
      {
        arguments: ["move", "--to", "-"],
        through: ["/bin/sh", "-c", 'exec "$@" < "$0"', join(folder, "target")]
      }
    )
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining(join(folder, "copy")) })
    expect(await runServer({ ORGPLANE_DATA_DIR: dataDir })).toMatchObject({ code: 1 })
    expect(await move({ ORGPLANE_DATA_DIR: dataDir }, "--reopen")).toMatchObject({ code: 0 })
    const server = await startServer({ ORGPLANE_DATA_DIR: dataDir })
    expect(await names(server.baseUrl, token)).toContain("Reviews")
    await stop(server)
  })
})
