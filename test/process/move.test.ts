/** `orgplane-server move` between the embedded database and PostgreSQL. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { execute } from "../../packages/server/src/infra/sql/execute.ts"
import { startPostgres, type StartedPostgres } from "../postgres/start.ts"
import {
  ask,
  beginServer,
  makeDataDir,
  makeFolder,
  makeWorkspace,
  type Running,
  runServer,
  startServer,
  until
} from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

let postgres: StartedPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

let databases = 0
const makeDatabase = () => postgres.createDatabase(`move_${(databases += 1)}`)

const stop = async (server: Running) => {
  server.signal("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 0 })
}

/** An installation with plugins of several alphabets, telemetry and a stored secret. */
const makeInstallation = async (dataDir: string) => {
  const server = await startServer({ ORGPLANE_DATA_DIR: dataDir })
  const token = await makeWorkspace(server.baseUrl)
  const post = (path: string, body: unknown) => ask(server.baseUrl, token, "POST", path, body)
  for (const name of ["Reviews", 'Überprüfung \\ "x"', "レビュー", "null", "{}"]) {
    expect(await post("/v1/plugins", { name, description: `${name}\n\u2028` })).toMatchObject({ status: 201 })
  }
  const events = Array.from({ length: 50 }, (_, index) => ({
    id: `event-${index}`,
    type: "task.completed",
    timestamp: new Date(Date.now() - index * 86_400_000).toISOString(),
    source: "app"
  }))
  expect(await post("/v1/telemetry/ingest", { events })).toMatchObject({ status: 204 })
  await stop(server)
  return token
}

const secretKeyOf = (dataDir: string) => readFileSync(join(dataDir, "secret-key"), "utf8").trim()
const names = async (baseUrl: string, token: string): Promise<ReadonlyArray<string>> => {
  const { body } = await ask(baseUrl, token, "GET", "/v1/plugins?limit=100")
  return (body.items as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name).toSorted()
}
const move = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  runServer(environment, { arguments: ["move", ...args] })

describe("orgplane-server move", () => {
  it("moves an installation to PostgreSQL and back, and continues after kill -9", async () => {
    const dataDir = makeDataDir()
    const token = await makeInstallation(dataDir)
    const url = await makeDatabase()
    const killed = beginServer({ ORGPLANE_DATA_DIR: dataDir }, { arguments: ["move", "--to", url] })
    const copied = async () => {
      const rows = await execute(url, `SELECT to_regclass('orgplane.orgplane_move_progress') IS NOT NULL AS begun`)
      if (rows.rows[0]?.["begun"] !== true) return 0
      const {
        rows: [row]
      } = await execute(url, `SELECT count(*)::int AS copied FROM orgplane.orgplane_move_progress WHERE is_copied`)
      return Number(row?.["copied"] ?? 0)
    }
    await until(copied, (count) => count >= 5)
    killed.signal("SIGKILL")
    await killed.ended

    const environment = { ORGPLANE_DATABASE_URL: url, ORGPLANE_SECRET_KEYS: secretKeyOf(dataDir) }
    const refused = await runServer(environment)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("The move into this database is not complete. Run orgplane-server move again")

    const moved = await move({ ORGPLANE_DATA_DIR: dataDir }, "--to", url)
    expect(moved).toMatchObject({ code: 0 })
    expect(moved.stdout).toContain("Continued the move from ")
    expect(moved.stdout).toContain("the SHA-256 of each row is the same in both databases")
    expect(moved.stdout).toMatch(/ok\s+audit log .* every chain is valid/)
    expect(moved.stdout).toMatch(/ok\s+secrets .* the keys decrypt each of them/)
    expect(moved.stdout).toContain(`Set ORGPLANE_SECRET_KEYS to the content of ${join(dataDir, "secret-key")}`)
    expect(moved.stdout + moved.stderr).not.toContain(secretKeyOf(dataDir))

    // The source cannot be used by accident.
    const former = await runServer({ ORGPLANE_DATA_DIR: dataDir })
    expect(former).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("This installation was moved to PostgreSQL")
    })

    const server = await startServer(environment)
    expect(await names(server.baseUrl, token)).toEqual(
      ["Reviews", 'Überprüfung \\ "x"', "レビュー", "null", "{}"].toSorted()
    )
    // Identities and audit positions continue after those of the source.
    expect(await ask(server.baseUrl, token, "POST", "/v1/plugins", { name: "After" })).toMatchObject({ status: 201 })
    const whileRunning = await move(environment, "--to", join(makeFolder(), "back"))
    expect(whileRunning).toMatchObject({ code: 1, stderr: expect.stringContaining("Stop all of them") })
    await stop(server)

    const back = join(makeFolder(), "back")
    const targetFile = join(makeFolder(), "target")
    writeFileSync(targetFile, `${back}\n`, { mode: 0o600 })
    const returned = await move(environment, "--to-file", targetFile, "--json")
    expect(returned).toMatchObject({ code: 0 })
    expect(JSON.parse(returned.stdout)).toMatchObject({ to: back, isResumed: false })
    const again = await startServer({ ORGPLANE_DATA_DIR: back, ORGPLANE_SECRET_KEYS: secretKeyOf(dataDir) })
    expect(await names(again.baseUrl, token)).toContain("After")
    await stop(again)
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
    expect(nothing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("requires one of --to, --to-file and --reopen")
    })
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

  it("detects that the source changed after an interrupted move", async () => {
    const dataDir = makeDataDir()
    const token = await makeInstallation(dataDir)
    const url = await makeDatabase()
    const killed = beginServer({ ORGPLANE_DATA_DIR: dataDir }, { arguments: ["move", "--to", url] })
    await until(
      () => execute(url, `SELECT to_regclass('orgplane.orgplane_move_progress') IS NOT NULL AS begun`),
      ({ rows }) => rows[0]?.["begun"] === true
    )
    killed.signal("SIGKILL")
    await killed.ended
    // The source was not marked, so it can still be used.
    const server = await startServer({ ORGPLANE_DATA_DIR: dataDir })
    expect(await ask(server.baseUrl, token, "POST", "/v1/plugins", { name: "Later" })).toMatchObject({ status: 201 })
    await stop(server)
    const changed = await move({ ORGPLANE_DATA_DIR: dataDir }, "--to", url)
    expect(changed.code).toBe(1)
    expect(changed.stderr).toMatch(/The source changed after the move began \(.*plugins/)
  })

  it("reopens a source", async () => {
    const dataDir = makeDataDir()
    const token = await makeInstallation(dataDir)
    expect(await move({ ORGPLANE_DATA_DIR: dataDir }, "--to", join(makeFolder(), "copy"))).toMatchObject({ code: 0 })
    expect(await runServer({ ORGPLANE_DATA_DIR: dataDir })).toMatchObject({ code: 1 })
    expect(await move({ ORGPLANE_DATA_DIR: dataDir }, "--reopen")).toMatchObject({ code: 0 })
    const server = await startServer({ ORGPLANE_DATA_DIR: dataDir })
    expect(await names(server.baseUrl, token)).toContain("Reviews")
    await stop(server)
  })
})
