import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { type Sql, SqlDatabase } from "../../packages/server/src/infra/sql/client.ts"
import { layerPostgres } from "../../packages/server/src/infra/sql/postgres.ts"
import { startPostgres } from "../postgres/start.ts"
import { addDatabase } from "../programs.ts"
import { makeDataDir, makeFolder, makeWorkspace, runServer, startServer } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

interface Finding {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly fix?: string
}

/** Runs the doctor, and returns its exit code and the findings of each check. */
const examine = async (environment: Record<string, string>) => {
  const ended = await runServer(environment, { arguments: ["doctor", "--json"] })
  expect(ended.stderr).toBe("")
  expect(ended.stdout).not.toContain("undisclosed")
  const { findings, status } = JSON.parse(ended.stdout) as {
    readonly status: string
    readonly findings: ReadonlyArray<Finding>
  }
  const of = (check: string) => findings.filter((finding) => finding.check === check)
  return { code: ended.code, status, of, findings }
}

const stop = async (server: {
  readonly signal: (signal: NodeJS.Signals) => void
  readonly ended: Promise<unknown>
}) => {
  server.signal("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 0 })
}

describe("the doctor of an embedded database", () => {
  it("examines the directory before the first start, during a run, and after a crash", async () => {
    const missing = join(makeFolder(), "data")
    const fresh = await examine({ ORGPLANE_DATA_DIR: missing })
    expect([fresh.code, fresh.status]).toEqual([0, "ok"])
    expect(fresh.of("data directory")).toMatchObject([
      { status: "ok", message: expect.stringContaining("first start") }
    ])
    expect(fresh.of("keys")).toMatchObject([{ status: "skipped", message: "There is no database to examine." }])

    const environment = { ORGPLANE_DATA_DIR: makeDataDir(), ORGPLANE_SEED: "none" }
    const server = await startServer(environment)
    await makeWorkspace(server.baseUrl)
    const during = await examine(environment)
    expect([during.code, during.of("lock")]).toMatchObject([
      0,
      [{ status: "ok", message: `Process ${server.pid} uses the data directory.` }]
    ])
    // The server runs the checks of its database, because no other process can open it.
    expect(during.findings.filter(({ status }) => status === "skipped")).toEqual([])
    for (const check of ["database", "schema", "keys", "queue", "webhooks", "orphaned work", "retention"]) {
      expect([check, during.of(check)]).toMatchObject([check, [{ status: "ok" }]])
    }
    server.signal("SIGKILL")
    await server.ended

    const after = await runServer(environment, { arguments: ["doctor"] })
    expect(after).toMatchObject({ code: 0, stderr: "" })
    const lines = after.stdout.trimEnd().split("\n")
    expect(lines.map((line) => line.slice(0, 25).trimEnd())).toEqual([
      "ok       version",
      "ok       data directory",
      "ok       disk",
      "ok       temporary files",
      "ok       lock",
      "ok       database",
      "ok       clock",
      "ok       schema",
      "ok       keys",
      "ok       queue",
      "ok       webhooks",
      "ok       orphaned work",
      "ok       retention"
    ])
    expect(after.stdout).toContain("The lock file of a process that was killed was removed.")
    // The database can still be used.
    await stop(await startServer(environment))
  })

  it("skips the checks that a running server of another release does not run, and states the reason", async () => {
    const environment = { ORGPLANE_DATA_DIR: makeDataDir(), ORGPLANE_SEED: "none" }
    const server = await startServer(environment)
    const socket = join(environment.ORGPLANE_DATA_DIR, "operator.sock")
    rmSync(socket)
    const withoutSocket = await examine(environment)
    expect([withoutSocket.code, withoutSocket.of("queue")]).toMatchObject([
      0,
      [{ status: "skipped", message: expect.stringContaining("Stop it to run this check.") }]
    ])
    const other = createServer((_, response) => response.writeHead(404).end("{}"))
    await new Promise<void>((done) => other.listen(socket, done))
    const { code, of } = await examine(environment)
    expect([code, of("keys")]).toMatchObject([
      0,
      [{ status: "skipped", message: expect.stringContaining("Use the orgplane-server of that release.") }]
    ])
    other.close()
    await stop(server)
  })

  it("reports permissions, disk space, lost keys and missing files, each with its fix", async () => {
    const dataDir = makeDataDir()
    const environment = { ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" }
    const server = await startServer(environment)
    await makeWorkspace(server.baseUrl)
    await stop(server)

    chmodSync(dataDir, 0o755)
    const key = join(dataDir, "secret-key")
    chmodSync(key, 0o644)
    const open = await examine({ ...environment, ORGPLANE_DISK_FREE_MIN_MIB: "1048576" })
    expect([open.code, open.status]).toEqual([1, "failed"])
    expect(open.of("data directory")).toEqual([
      {
        check: "data directory",
        status: "warning",
        message: `Other users of this machine can access ${dataDir} (mode 0755).`,
        fix: `Run: chmod 700 ${dataDir}`
      },
      expect.objectContaining({ status: "warning", fix: `Run: chmod 600 ${key}` })
    ])
    expect(open.of("disk")).toMatchObject([
      { status: "failed", message: expect.stringContaining("ORGPLANE_DISK_FREE_MIN_MIB"), fix: expect.any(String) }
    ])
    chmodSync(dataDir, 0o700)
    chmodSync(key, 0o600)

    const secret = readFileSync(key, "utf8")
    rmSync(key)
    const lost = await examine(environment)
    expect([lost.code, lost.of("keys")]).toMatchObject([
      1,
      [{ status: "failed", message: expect.stringContaining("secret-key is missing") }]
    ])
    writeFileSync(key, "a wrong secret key that is long enough to be one\n", { mode: 0o600 })
    const wrong = await examine(environment)
    expect([wrong.code, wrong.of("keys")]).toMatchObject([
      1,
      [{ status: "failed", message: expect.stringContaining("Not decrypted: check values (secret_canary: 1)") }]
    ])
    writeFileSync(key, secret)

    renameSync(join(dataDir, "database/PG_VERSION"), join(dataDir, "PG_VERSION"))
    const partial = await examine(environment)
    expect([partial.code, partial.of("data directory"), partial.of("schema")]).toMatchObject([
      1,
      [{ status: "failed", message: expect.stringContaining("database/PG_VERSION is missing or truncated") }],
      [{ status: "skipped" }]
    ])
  })

  it.skipIf(process.getuid?.() !== 0)(
    "does not open a database of another user (skipped unless the tests run as root)",
    async () => {
      const dataDir = makeDataDir()
      chownSync(dataDir, 65_534, 65_534)
      const { code, of } = await examine({ ORGPLANE_DATA_DIR: dataDir })
      expect([code, of("data directory"), of("keys")]).toMatchObject([
        1,
        [
          {
            status: "failed",
            message: `${dataDir} belongs to user 65534, but this command runs as user 0.`,
            fix: "Run this command as the user of the server."
          }
        ],
        [{ status: "skipped", message: "There is no database to examine." }]
      ])
    }
  )

  it("prints commands that a shell can run for paths with spaces and quotes", async () => {
    const dataDir = join(makeFolder(), "it's the data")
    addDatabase(dataDir)
    chmodSync(dataDir, 0o755)
    const [finding] = (await examine({ ORGPLANE_DATA_DIR: dataDir })).of("data directory")
    expect(finding?.fix).toMatch(/^Run: chmod 700 '/)
    execFileSync("sh", ["-c", finding?.fix?.replace("Run: ", "") ?? "false"])
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  })

  it("reports a configuration that is malformed, and a configuration file that others can read", async () => {
    const malformed = await examine({ ORGPLANE_PORT: "undisclosed" })
    expect([malformed.code, malformed.findings]).toMatchObject([
      2,
      [{ check: "configuration", status: "failed", message: "ORGPLANE_PORT must be a port from 0 to 65535." }]
    ])
    const folder = makeFolder()
    const path = join(folder, "config.json")
    writeFileSync(path, JSON.stringify({ metricsToken: "undisclosed", database: { dataDir: join(folder, "data") } }))
    chmodSync(path, 0o644)
    const { code, of } = await examine({ ORGPLANE_CONFIG_FILE: path })
    expect([code, of("configuration file")]).toMatchObject([0, [{ status: "warning", fix: `Run: chmod 640 ${path}` }]])
  })
})

/** Shifts the clock of a process. */
const shiftedBy = (millis: number) =>
  `--import=data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${millis}`)}`

describe("the doctor of a PostgreSQL database", () => {
  it("reports the schema, keys, clock, locks, queue and orphaned work, each with its fix", async () => {
    const postgres = await startPostgres()
    try {
      const [old, newer] = [
        "an older secret that is long enough to be one",
        "a newer secret that is long enough to be one"
      ]
      const environment = {
        ORGPLANE_DATA_DIR: makeFolder(),
        ORGPLANE_DATABASE_URL: postgres.url,
        ORGPLANE_SECRET_KEYS: old,
        ORGPLANE_SEED: "none"
      }
      const run = <A>(use: (sql: Sql) => Effect.Effect<A, unknown>) =>
        Effect.runPromise(
          Effect.provide(Effect.orDie(Effect.flatMap(SqlDatabase, use)), layerPostgres({ url: postgres.url }))
        )

      const unmigrated = await examine(environment)
      expect([unmigrated.code, unmigrated.of("schema"), unmigrated.of("queue")]).toMatchObject([
        0,
        [
          {
            status: "warning",
            message: expect.stringMatching(/^The schema version is 0, but .* pending, from 0001_identity to/)
          }
        ],
        [{ status: "skipped" }]
      ])
      const refused = await examine({ ...environment, ORGPLANE_MIGRATIONS: "check" })
      expect([refused.code, refused.of("schema")]).toMatchObject([1, [{ fix: "Run orgplane-server migrate." }]])

      const server = await startServer(environment)
      await makeWorkspace(server.baseUrl)
      expect(await examine(environment)).toMatchObject({ code: 0, status: "ok" })
      await stop(server)

      const rotated = await examine({ ...environment, ORGPLANE_SECRET_KEYS: `${newer},${old}` })
      expect([rotated.code, rotated.of("keys")]).toMatchObject([
        0,
        [
          {
            status: "warning",
            message: expect.stringContaining("check values (secret_canary: 1)"),
            fix: expect.stringContaining("Keep the older key.")
          }
        ]
      ])
      const wrong = await examine({ ...environment, ORGPLANE_SECRET_KEYS: newer })
      expect([wrong.code, wrong.of("keys")]).toMatchObject([1, [{ status: "failed", fix: expect.any(String) }]])

      for (const [millis, status, text] of [
        [60_000, "failed", /behind the clock of this machine/],
        [-5000, "warning", /ahead of the clock of this machine/]
      ] as const) {
        const { of } = await examine({ ...environment, NODE_OPTIONS: shiftedBy(millis) })
        expect(of("clock")).toMatchObject([{ status, message: expect.stringMatching(text), fix: expect.any(String) }])
      }

      await run((sql) =>
        Effect.gen(function* () {
          const job = (id: string, state: string, minutes: number, isAcquired: boolean) =>
            sql`INSERT INTO orgplane.effect_queue (id, queue_name, element, state, attempts, visible_at, acquired_at,
                acquired_by, created_at, updated_at)
              VALUES (${id}, 'connector-sync', '{}', ${state}, 0, now() - make_interval(mins => ${minutes}::int),
                CASE WHEN ${isAcquired}::boolean THEN now() - interval '10 minutes' END,
                CASE WHEN ${isAcquired}::boolean THEN gen_random_uuid() END, now(), now())`
          yield* job("waiting", "pending", 120, false)
          yield* job("abandoned", "pending", 10, true)
          yield* job("failed", "failed", 10, false)
          yield* sql`INSERT INTO orgplane.webhook_inbox (delivery_id, event, facts_json, bytes, attempts, due_at)
            VALUES ('one', 'push', '{}', 2, 3, now() - interval '10 minutes')`
          yield* sql`INSERT INTO orgplane.sync_events (organization_id, id, connector_instance_id, connector_target_id,
              status, trigger, counts_json, created_at)
            SELECT id, 'cse_lost', 'cin_1', 'ctg_1', 'queued', 'manual', '{}', now() - interval '1 hour'
            FROM orgplane.organizations LIMIT 1`
          yield* sql`INSERT INTO orgplane.retention_checks (table_name, overdue_rows, overdue_seconds, checked_at)
            VALUES ('sessions', 12, 60, now() - interval '3 hours'), ('invitations', 0, 0, now() - interval '3 hours')`
        })
      )
      const work = await examine(environment)
      expect(work.code).toBe(1)
      expect(work.of("queue")).toMatchObject([
        {
          status: "failed",
          message: "connector-sync: 1 due, the oldest for 2 h, 1 running, 0 scheduled for later.",
          fix: expect.stringContaining("Start a server")
        },
        { status: "warning", message: "connector-sync: 1 job failed within the last 30 days." }
      ])
      expect(work.of("webhooks")).toMatchObject([
        { status: "warning", message: "1 webhook waits, the longest for 10 min, after at most 3 attempts." }
      ])
      expect(work.of("orphaned work")).toMatchObject([
        { status: "warning", message: "Held by processes that have stopped: 1 job." },
        { status: "failed", message: "1 sync will not run, because the queue has no job for it." }
      ])

      expect(work.of("retention")).toMatchObject([
        {
          status: "warning",
          message: "Tables had rows past their retention 3 h ago: sessions (12).",
          fix: expect.stringContaining("Housekeeping failed")
        }
      ])
      await run(
        (sql) => sql`UPDATE orgplane.retention_checks SET overdue_rows = 0, checked_at = now() - interval '3 days'`
      )
      expect((await examine(environment)).of("retention")).toMatchObject([
        { status: "warning", message: "The retention of the tables was last checked 3 d ago." }
      ])

      const { examined, pid } = await run((sql) =>
        Effect.gen(function* () {
          const [holder] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
          yield* sql`SELECT id FROM orgplane.organizations FOR UPDATE`
          const waiter = yield* Effect.forkChild(
            Effect.provide(
              Effect.flatMap(SqlDatabase, (other) => other`UPDATE orgplane.organizations SET updated_at = now()`),
              layerPostgres({ url: postgres.url })
            ),
            { startImmediately: true }
          )
          yield* Effect.sleep("11 seconds")
          const examined = yield* Effect.promise(() => examine(environment))
          return { examined, pid: holder?.pid, waiter }
        }).pipe(sql.withTransaction)
      )
      expect(examined.of("locks")).toMatchObject([
        {
          status: "warning",
          message: expect.stringContaining("1 session of the database waits for a lock"),
          fix: expect.stringContaining(`SELECT pg_terminate_backend(${pid})`)
        }
      ])

      await postgres.stop()
      const url = new URL(postgres.url)
      url.password = "undisclosed"
      const down = await examine({ ...environment, ORGPLANE_DATABASE_URL: url.href })
      expect([down.code, down.of("database"), down.of("keys")]).toMatchObject([
        1,
        [{ status: "failed", message: expect.stringContaining("ECONNREFUSED") }],
        [{ status: "skipped" }]
      ])
    } finally {
      await postgres.stop()
    }
  })
})
