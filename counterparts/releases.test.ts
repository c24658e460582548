/** The last release, built from history, beside this version on one database. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as current from "../packages/client/src/index.ts"
import { chooseSchema } from "../packages/server/src/infra/sql/choose-schema.ts"
import { type Sql, SqlDatabase } from "../packages/server/src/infra/sql/client.ts"
import { schemaVersion } from "../packages/server/src/infra/sql/database.ts"
import { execute, inSession } from "../packages/server/src/infra/sql/execute.ts"
import { migrate } from "../packages/server/src/infra/sql/migrate.ts"
import { requirements } from "../packages/server/src/infra/sql/migrations/compatibility.ts"
import { migrations } from "../packages/server/src/infra/sql/migrations/index.ts"
import { backfill, createIndex, online } from "../packages/server/src/infra/sql/migrations/online.ts"
import { layerPglite } from "../packages/server/src/infra/sql/pglite.ts"
import { layerPostgres } from "../packages/server/src/infra/sql/postgres.ts"
import {
  type BuiltRelease,
  buildRelease,
  demandCommit,
  integrityOf,
  isBuilt,
  packCommit,
  releases,
  tarballsOf
} from "../scripts/release-packages.ts"
import { startPostgres, type StartedPostgres } from "../test/postgres/start.ts"
import { makeFolder, makeWorkspace, runServer, startServer, until } from "../test/process/server.fixture.ts"

type Clients = typeof current
type Client = ReturnType<Clients["createClient"]>

const last = releases().at(-1)
if (last === undefined) throw new Error("The folder releases is empty.")

const wasBuilt = isBuilt(last)

let built: BuiltRelease
let postgres: StartedPostgres
let program: string
let previous: Clients
beforeAll(async () => {
  built = buildRelease(last)
  program = join(built.app, "node_modules/@orgplane/server/dist/bin.js")
  const entry = join(built.app, "node_modules/@orgplane/client/dist/index.js")
  previous = (await import(pathToFileURL(entry).href)) as Clients
  postgres = await startPostgres()
}, 600_000)
afterAll(() => postgres.stop())

const settings = (url: string) => ({
  ORGPLANE_DATABASE_URL: url,
  ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one",
  ORGPLANE_SEED: "none",
  ORGPLANE_MIGRATIONS: "check"
})

/**
 * Migrates a database to this version, and then further with migrations of each allowed kind, so that the schema is newer
 * than both versions even while this version has no migration of its own.
 */
const migrateAhead = (url: string) => {
  const run = (text: string) => Effect.flatMap(SqlDatabase, (sql: Sql) => Effect.asVoid(sql.unsafe(text)))
  const ahead = {
    ...migrations,
    "9000_columns": Effect.andThen(
      run("ALTER TABLE teams ADD COLUMN note text NOT NULL DEFAULT ''"),
      run("ALTER TABLE memories ADD COLUMN size integer")
    ),
    "9001_constraint": run("ALTER TABLE memories ADD CONSTRAINT memories_size CHECK (size >= 0) NOT VALID"),
    "9002_sizes": online(
      Effect.gen(function* () {
        yield* createIndex({ name: "teams_notes", table: "teams", definition: "(organization_id, note)" })
        yield* backfill({
          table: "memories",
          key: ["organization_id", "id"],
          set: "size = 1",
          where: "size IS NULL"
        })
      })
    )
  }
  return Effect.runPromise(
    Effect.provide(Effect.andThen(chooseSchema(undefined), migrate(ahead, { requirements })), layerPostgres({ url }))
  )
}

interface Server {
  readonly baseUrl: string
  readonly clients: Clients
}

/** Two loops with four requests per round stay far below 600 requests per minute, the limit of a session. */
const pauseMillis = 1500

/** Clients that write and read through all servers in rotation, and the ledger of what was acknowledged. */
const startLoad = async (first: Server) => {
  const servers = new Set([first])
  const tokens = await Promise.all([1, 2, 3].map(() => makeWorkspace(first.baseUrl)))
  const ledger: Array<{ readonly token: string; readonly id: string; readonly name: string; readonly memory: string }> =
    []
  const failures: Array<unknown> = []
  const rounds = new Map<Server, number>()
  const stopping = new AbortController()
  const clients = new Map<string, Client>()
  const clientOf = (server: Server, token: string): Client => {
    const key = `${server.baseUrl} ${token}`
    const existing = clients.get(key)
    if (existing !== undefined) return existing
    const made = server.clients.createClient({ baseUrl: server.baseUrl, token, retries: 0 })
    clients.set(key, made)
    return made
  }
  let turn = 0
  const next = (token: string): [Server, Client] => {
    const all = [...servers]
    const server = all[(turn += 1) % all.length] ?? first
    return [server, clientOf(server, token)]
  }
  const worker = async (token: string, id: number) => {
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      const [server, client] = next(token)
      try {
        const team = await client.teams.create({ name: `team ${id} ${n}` })
        // The next request goes to another server.
        const [second, other] = next(token)
        const name = `team ${id} ${n} renamed`
        await other.teams.update(team.id, { name })
        const memory = await other.memory.save({ content: `Remember team ${id} ${n}.` })
        const [third, reader] = next(token)
        if ((await reader.teams.get(team.id)).name !== name) throw new Error(`${name} was not read.`)
        ledger.push({ token, id: team.id, name, memory: memory.id })
        for (const one of [server, second, third]) rounds.set(one, (rounds.get(one) ?? 0) + 1)
      } catch (error) {
        failures.push(error)
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMillis))
    }
  }
  const workers = tokens.flatMap((token, index) => [worker(token, index * 2), worker(token, index * 2 + 1)])
  return {
    add: (server: Server) => servers.add(server),
    /** Requests no longer go to the server, as behind a load balancer. */
    remove: (server: Server) => servers.delete(server),
    /** Waits until servers have handled more writes. */
    handle: (...those: ReadonlyArray<Server>) => {
      const before = new Map(those.map((server) => [server, rounds.get(server) ?? 0]))
      return until(
        () =>
          Promise.resolve(
            failures.length > 0 || those.every((one) => (rounds.get(one) ?? 0) >= (before.get(one) ?? 0) + 25)
          ),
        Boolean
      )
    },
    /** Ends the load, and compares what a server has with the ledger. */
    finish: async (server: Server, url: string) => {
      stopping.abort()
      await Promise.all(workers)
      const rows = await inSession(url, (query) => query<{ id: string }>("SELECT id FROM memories"))
      const memories = new Set(rows.map(({ id }) => id))
      const lost: Array<string> = []
      for (const token of tokens) {
        const client = server.clients.createClient({ baseUrl: server.baseUrl, token })
        const teams = new Map<string, string>()
        for await (const { id, name } of client.teams.list({ limit: 100 })) teams.set(id, name)
        for (const entry of ledger.filter((one) => one.token === token)) {
          if (teams.get(entry.id) !== entry.name) lost.push(entry.name)
          if (!memories.has(entry.memory)) lost.push(`the memory of ${entry.name}`)
        }
        const created = new Set<string | null>()
        for await (const { targetId } of client.audit.list({ action: "team.create", limit: 100 })) created.add(targetId)
        for (const { id, name } of ledger.filter((one) => one.token === token)) {
          if (!created.has(id)) lost.push(`the audit event of ${name}`)
        }
        const verification = await client.audit.verify()
        if (!verification.valid) lost.push("the audit chain")
      }
      return { acknowledged: ledger.length, failures, lost }
    }
  }
}

const start = async (url: string, version: "current" | "previous", more: Readonly<Record<string, string>> = {}) => {
  const server = await startServer({ ...settings(url), ...more }, version === "previous" ? { program } : {})
  const stop = async () => {
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0 })
  }
  return { baseUrl: server.baseUrl, clients: version === "previous" ? previous : current, stop }
}

describe("a recorded release", () => {
  it.each(releases())(
    "$version is packed from its commit with the recorded digests",
    async (release) => {
      expect(integrityOf(buildRelease(release).tarballs)).toEqual(release.integrity)
    },
    240_000
  )

  // Otherwise this run builds it, and the test above compares it with an earlier build.
  it.skipIf(!wasBuilt)(
    "has the same digests when it is built again in another folder",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "orgplane-another-folder-"))
      try {
        packCommit(last.commit, last.pnpm, join(folder, "in", "a", "clone"), join(folder, "packages"))
        expect(integrityOf(tarballsOf(join(folder, "packages")))).toEqual(last.integrity)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
    240_000
  )

  it("cannot be built from a shallow history, which the error states", async () => {
    const folder = makeFolder()
    execFileSync("git", [
      "clone",
      "--quiet",
      "--no-checkout",
      "--depth",
      "1",
      pathToFileURL(join(import.meta.dirname, "..")).href,
      folder
    ])
    expect(() => demandCommit(last.commit, folder)).toThrow(
      `The history of this repository is shallow and lacks the commit ${last.commit}. Run git fetch --unshallow, or set fetch-depth: 0 in the CI workflow.`
    )
  })
})

describe("the last release and this version on one database", () => {
  it("serve side by side during a rolling upgrade, without a failed request or a lost write", async () => {
    const url = await postgres.createDatabase("upgraded")
    expect(await runServer(settings(url), { program, arguments: ["migrate"] })).toMatchObject({ code: 0 })
    const before = await start(url, "previous")
    const load = await startLoad(before)
    await load.handle(before)
    expect((await migrateAhead(url)).length).toBeGreaterThanOrEqual(3)
    await load.handle(before)
    const after = await start(url, "current")
    load.add(after)
    await load.handle(before, after)
    load.remove(before)
    await load.handle(after)
    await before.stop()
    await load.handle(after)
    const { acknowledged, failures, lost } = await load.finish(after, url)
    expect({ failures, lost }).toEqual({ failures: [], lost: [] })
    console.log(`Upgrade: ${acknowledged} acknowledged rounds, 0 failed requests, 0 lost.`)
    await after.stop()
  })

  it("serve side by side after a rollback of one process, in both migration modes", async () => {
    const url = await postgres.createDatabase("rolled_back")
    await migrateAhead(url)
    const after = await start(url, "current")
    const load = await startLoad(after)
    await load.handle(after)
    const [checking, running] = [
      await start(url, "previous"),
      await start(url, "previous", { ORGPLANE_MIGRATIONS: "run" })
    ]
    load.add(checking)
    load.add(running)
    await load.handle(after, checking, running)
    load.remove(after)
    await load.handle(checking, running)
    await after.stop()
    await load.handle(checking, running)
    const { acknowledged, failures, lost } = await load.finish(checking, url)
    expect({ failures, lost }).toEqual({ failures: [], lost: [] })
    console.log(`Rollback: ${acknowledged} acknowledged rounds, 0 failed requests, 0 lost.`)
    await checking.stop()
    await running.stop()
  })
})

describe("versions that do not work together", () => {
  it("are refused by the last release when the schema requires a later one", async () => {
    const url = await postgres.createDatabase("too_new")
    await migrateAhead(url)
    await execute(url, "UPDATE orgplane_migrations SET code_version_min = 9000 WHERE migration_id = 9002")
    const sentence = `The database's schema version is 9002, which requires a release with schema version 9000 or later, but this release has schema version ${last.schemaVersion}. Run the release that migrated it, or a later one.\n`
    for (const mode of ["check", "run"]) {
      expect(await runServer({ ...settings(url), ORGPLANE_MIGRATIONS: mode }, { program })).toMatchObject({
        code: 1,
        stderr: `orgplane cannot start: ${sentence}`
      })
    }
  })

  it("are refused by this version when the schema is older and it must not migrate", async () => {
    const url = await postgres.createDatabase("too_old")
    await Effect.runPromise(
      Effect.provide(
        Effect.andThen(
          chooseSchema(undefined),
          migrate(Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0054")))
        ),
        layerPostgres({ url })
      )
    )
    expect(await runServer(settings(url))).toMatchObject({
      code: 1,
      stderr: `orgplane cannot start: The database's schema version is 53, but this release requires version ${schemaVersion}. Run orgplane-server migrate, or call ControlPlane.migrate, before you start the server.\n`
    })
  })

  it("are refused by the last release when a data directory belongs to a later one", async () => {
    const dataDir = makeFolder()
    const environment = { ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" }
    await Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          yield* chooseSchema(undefined)
          yield* migrate(
            { ...migrations, "9000_later": Effect.void },
            { requirements: { "9000_later": { codeVersionMin: 9000, reason: "A test." } } }
          )
        }),
        layerPglite({ dataDir }),
        { local: true }
      )
    )
    const refused = await runServer(environment, { program })
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `The database's schema version is 9000, which requires a release with schema version 9000 or later, but this release has schema version ${last.schemaVersion}. `
      )
    })
  })
})
