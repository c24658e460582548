import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { migrations } from "../../packages/server/src/infra/sql/migrations/index.ts"
import { startPostgres } from "../postgres/start.ts"
import { addDatabase } from "../programs.ts"
import { ask, beginServer, makeDataDir, makeFolder, runServer, startServer, until } from "./server.fixture.ts"

// Each test starts several processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const keys = { ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one" }
/** Internal terms of libraries and of the engine, which do not help an operator. */
const inward = /ServeError|SqlError|Query failed|PgConnection|object Object|Aborted|-sASSERTIONS|\n./

describe("the program's arguments", () => {
  it("print help and the version, and unknown arguments are a usage error", async () => {
    for (const line of ["--help", "-h", "help", "migrate --help", "move-schema -h", "help migrate", "config --help"]) {
      const help = await runServer({}, { arguments: line.split(" ") })
      expect(help).toMatchObject({ code: 0, stderr: "" })
      expect(help.stdout).toMatch(/^Usage: orgplane-server \[command\] \[options\]\n/)
      for (const text of ["config", "--version", "ORGPLANE_PORT", "ORGPLANE_DATABASE_URL", "Exit codes"]) {
        expect(help.stdout).toContain(text)
      }
    }
    expect((await runServer({}, { arguments: ["--version"] })).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
    expect(await runServer({}, { arguments: ["serve", "--port"] })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "Unknown arguments: serve --port. Run orgplane-server --help for usage.\n"
    })
    expect(await runServer({}, { arguments: ["migrat"] })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "Unknown arguments: migrat. Did you mean migrate? Run orgplane-server --help for usage.\n"
    })
    expect(
      await runServer({}, { arguments: ["mvoe", "--to", "postgres://orgplane:password@db/orgplane"] })
    ).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "Unknown arguments: mvoe --to postgres://…. Did you mean move? Run orgplane-server --help for usage.\n"
    })
    expect(await runServer({}, { arguments: ["migrate", "--json"] })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "migrate does not support --json.\n"
    })
  })

  it("start the server with the command start", async () => {
    const server = beginServer({ ORGPLANE_DATA_DIR: makeDataDir(), ORGPLANE_SEED: "none" }, { arguments: ["start"] })
    expect((await ask(await server.serves, undefined, "GET", "/v1/ready")).status).toBe(200)
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
  })
})

describe("output that cannot be written", () => {
  it.skipIf(!existsSync("/dev/full"))("does not stop the server when the disk of the log is full", async () => {
    const server = beginServer(
      { ORGPLANE_DATA_DIR: makeDataDir(), ORGPLANE_SEED: "none", ORGPLANE_LOG_LEVEL: "debug" },
      { arguments: ["start"], through: ["sh", "-c", 'exec "$@" 2> /dev/full', "sh"] }
    )
    expect((await ask(await server.serves, undefined, "GET", "/v1/ready")).status).toBe(200)
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  it("does not stop the server when the reader of its log exits", async () => {
    const folder = makeFolder()
    // Descriptor 4 is a pipe without a reader.
    const script = 'mkfifo "$0/log"; exec 3<>"$0/log" 4>"$0/log" 3<&-; exec "$@" 2>&4'
    const server = beginServer(
      { ORGPLANE_DATA_DIR: makeDataDir(), ORGPLANE_SEED: "none", ORGPLANE_LOG_LEVEL: "debug" },
      { arguments: ["start"], through: ["sh", "-c", script, folder] }
    )
    expect((await ask(await server.serves, undefined, "GET", "/v1/ready")).status).toBe(200)
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  it.skipIf(!existsSync("/dev/full"))("fails a command whose result is lost", async () => {
    const lost = await runServer({}, { arguments: ["config"], through: ["sh", "-c", 'exec "$@" > /dev/full', "sh"] })
    expect(lost).toMatchObject({ code: 1, stderr: "Cannot write to standard output (ENOSPC).\n" })
    const script = 'mkfifo "$0/result"; exec 3<>"$0/result" 4>"$0/result" 3<&-; exec "$@" >&4'
    const closed = await runServer({}, { arguments: ["config"], through: ["sh", "-c", script, makeFolder()] })
    expect(closed).toMatchObject({ code: 0, stderr: "" })
  })
})

describe("a failed start", () => {
  it("prints the cause and the fix on one line, for ports, hosts and files", async () => {
    const folder = makeFolder()
    const running = await startServer({ ORGPLANE_DATA_DIR: makeDataDir(), ORGPLANE_SEED: "none" })
    const { port } = new URL(running.baseUrl)
    const version = await ask(running.baseUrl, undefined, "GET", "/v1/version")
    expect(version.body.schemaVersion).toBe(
      Math.max(...Object.keys(migrations).map((name) => Number(name.slice(0, 4))))
    )
    const other = { ORGPLANE_DATA_DIR: join(folder, "two"), ORGPLANE_SEED: "none" }
    addDatabase(other.ORGPLANE_DATA_DIR)
    const cases: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
      [
        { ORGPLANE_PORT: port },
        /Cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)\. Another process is using this port\. Stop it, or set ORGPLANE_PORT/
      ],
      [{ ORGPLANE_HOST: "192.0.2.1" }, /Cannot listen on 192\.0\.2\.1:0 \(EADDRNOTAVAIL\)\..* Check ORGPLANE_HOST\./],
      [{ ORGPLANE_HOST: "no-such-host.invalid" }, /host name cannot be resolved\. Check ORGPLANE_HOST\./]
    ]
    for (const [environment, sentence] of cases) {
      const ended = await runServer({ ...other, ...environment })
      expect(ended).toMatchObject({ code: 1, stdout: "" })
      expect(ended.stderr).toMatch(sentence)
      expect(ended.stderr.trimEnd()).not.toMatch(inward)
    }
    running.signal("SIGTERM")
    expect(await running.ended).toMatchObject({ code: 0 })

    const control = join(folder, "two/database/global/pg_control")
    const before = readFileSync(control)
    writeFileSync(control, Buffer.alloc(before.length, 1))
    const damaged = await runServer(other)
    expect(damaged).toMatchObject({ code: 1, stdout: "" })
    expect(damaged.stderr).toMatch(
      /Cannot open the embedded database in .*two\/database: its files are damaged.*backup/
    )
    expect(damaged.stderr.trimEnd()).not.toMatch(inward)
    writeFileSync(control, before)
    renameSync(join(folder, "two/database/PG_VERSION"), join(folder, "PG_VERSION"))
    const partial = await runServer(other)
    expect(partial).toMatchObject({ code: 1, stdout: "" })
    expect(partial.stderr).toBe(
      `orgplane cannot start: The data directory ${join(folder, "two")} does not contain a complete orgplane database: ` +
        "database/PG_VERSION is missing or truncated. Nothing was changed. If a copy or restore is unfinished, finish " +
        "it; otherwise restore the whole directory from a backup. To start with an empty database, set " +
        "ORGPLANE_DATA_DIR to a new or empty directory.\n"
    )
    renameSync(join(folder, "PG_VERSION"), join(folder, "two/database/PG_VERSION"))
    const again = await startServer(other)
    again.signal("SIGTERM")
    expect(await again.ended).toMatchObject({ code: 0, stderr: "" })
  })

  it("prints what is wrong with PostgreSQL, and waits for a server that is not available yet", async () => {
    const postgres = await startPostgres()
    const environment = { ...keys, ORGPLANE_DATA_DIR: makeFolder(), ORGPLANE_SEED: "none" }
    const at = new URL(postgres.url)
    const fails = async (change: (url: URL) => void) => {
      const url = new URL(postgres.url)
      change(url)
      const ended = await runServer({
        ...environment,
        ORGPLANE_DATABASE_URL: url.href,
        ORGPLANE_DATABASE_WAIT_SECONDS: "0"
      })
      expect(ended).toMatchObject({ code: 1, stdout: "" })
      expect(ended.stderr.trimEnd()).not.toMatch(inward)
      return ended.stderr
    }
    expect(await fails((url) => (url.port = "1"))).toBe(
      "orgplane cannot start: Cannot connect to PostgreSQL at 127.0.0.1:1 (ECONNREFUSED). Check ORGPLANE_DATABASE_URL.\n"
    )
    expect(await fails((url) => (url.hostname = "no-such-host.invalid"))).toMatch(
      /Cannot connect to PostgreSQL at no-such-host\.invalid:\d+ \((ENOTFOUND|EAI_AGAIN)\)\. The host name cannot be resolved/
    )
    expect(await fails((url) => (url.pathname = "/missing"))).toMatch(/3D000.*The database does not exist\. Create it/)

    const url = await postgres.createDatabase("waits")
    process.kill(postgres.pid, "SIGKILL")
    const server = beginServer({ ...environment, ORGPLANE_DATABASE_URL: url, ORGPLANE_LOG_LEVEL: "warn" })
    await until(
      () => Promise.resolve(server.stderr()),
      (text) =>
        text.includes(
          `Cannot connect to PostgreSQL at 127.0.0.1:${at.port} (ECONNREFUSED). Check ORGPLANE_DATABASE_URL. Retrying for up to`
        )
    )
    const restarted = await postgres.restart()
    const baseUrl = await server.serves
    expect((await ask(baseUrl, undefined, "GET", "/v1/ready")).status).toBe(200)
    expect(server.stderr()).toContain(`PostgreSQL at 127.0.0.1:${at.port} is available after`)
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0 })

    // A signal during the wait stops the process at once.
    process.kill(restarted.pid, "SIGKILL")
    const waiting = beginServer({ ...environment, ORGPLANE_DATABASE_URL: url, ORGPLANE_LOG_LEVEL: "warn" })
    await until(
      () => Promise.resolve(waiting.stderr()),
      (text) => text.includes("Retrying")
    )
    waiting.signal("SIGTERM")
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: "" })
    await restarted.stop()
  })

  it("reports a read-only server", async () => {
    const postgres = await startPostgres({ settings: { default_transaction_read_only: "on" } })
    const ended = await runServer({
      ...keys,
      ORGPLANE_DATA_DIR: makeFolder(),
      ORGPLANE_DATABASE_URL: postgres.url,
      ORGPLANE_DATABASE_WAIT_SECONDS: "1"
    })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(
      /: PostgreSQL at 127\.0\.0\.1:\d+ is read-only\. Check ORGPLANE_DATABASE_URL: it must point to the primary\.\n$/
    )
    await postgres.stop()
  })
})

/** V8 prints each garbage collection. If the program requested it, V8 states the reason "testing". */
const printCollections = `import { setFlagsFromString } from "node:v8"; setFlagsFromString("--trace-gc")`

describe("an idle server", () => {
  it("collects garbage once after startup, and keeps serving requests", async () => {
    const server = await startServer({
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(printCollections)}`
    })
    const requested = () => server.stdout().match(/^.*Mark-Compact.*\btesting\b.*$/gm) ?? []
    await until(
      () => Promise.resolve(requested()),
      (collections) => collections.length > 0
    )
    expect((await ask(server.baseUrl, undefined, "GET", "/v1/ready")).status).toBe(200)
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
    expect(requested()).toHaveLength(1)
  })
})

describe("a stop", () => {
  it("reports not ready and serves new connections during the drain, then refuses them", async () => {
    const server = await startServer({
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_DRAIN_SECONDS: "500",
      ORGPLANE_SHUTDOWN_SECONDS: "600",
      ORGPLANE_METRICS_TOKEN: "a token of the operator"
    })
    expect((await ask(server.baseUrl, undefined, "GET", "/v1/ready")).body.status).toBe("ready")
    server.signal("SIGTERM")
    const ready = await until(
      () => ask(server.baseUrl, undefined, "GET", "/v1/ready"),
      ({ status }) => status !== 200
    )
    expect([ready.status, ready.body.status]).toEqual([503, "not_ready"])
    const forOperator = await ask(server.baseUrl, "a token of the operator", "GET", "/v1/ready")
    expect(forOperator.body.details.at(-1)).toMatchObject({ check: "shutdown", status: "failed" })
    expect((await ask(server.baseUrl, undefined, "GET", "/v1/live")).status).toBe(200)
    const served = await fetch(`${server.baseUrl}/v1/version`)
    expect([served.status, served.headers.get("connection")]).toEqual([200, "close"])
    // A second signal skips the drain.
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
    await expect(fetch(`${server.baseUrl}/v1/version`)).rejects.toThrow()
  })

  it("completes within its time limit, even while a client holds a request open", async () => {
    const server = await startServer({
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_SEED: "none",
      ORGPLANE_SHUTDOWN_SECONDS: "10"
    })
    const url = new URL(server.baseUrl)
    const socket = connect(Number(url.port), url.hostname)
    socket.on("error", () => {})
    await once(socket, "connect")
    socket.write(`POST /v1/bootstrap/workspace HTTP/1.1\r\nhost: ${url.host}\r\ncontent-length: 100\r\n\r\n{`)
    // A later request got its response, so this one is in progress.
    expect((await ask(server.baseUrl, undefined, "GET", "/v1/health")).status).toBe(200)
    server.signal("SIGTERM")
    expect(await server.ended).toMatchObject({ code: 0 })
    socket.destroy()
  })
})

describe("secret keys of an embedded database", () => {
  it("fail the start when they are lost or wrong, but not after a rotation", async () => {
    const dataDir = makeDataDir()
    const environment = { ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" }
    const path = join(dataDir, "secret-key")
    const starts = async (more: Record<string, string> = {}) => {
      const server = await startServer({ ...environment, ...more })
      server.signal("SIGTERM")
      expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
    }
    const refused = async (more: Record<string, string> = {}) => {
      const ended = await runServer({ ...environment, ...more })
      expect(ended).toMatchObject({ code: 1, stdout: "" })
      return ended.stderr
    }
    await starts()
    const old = readFileSync(path, "utf8").trim()
    renameSync(path, `${path}.kept`)
    expect(await refused()).toMatch(/The secret key .*secret-key is missing.*Restore the file from a backup/)
    expect(existsSync(path)).toBe(false)
    const newer = "a newer secret that is long enough to be one"
    expect(await refused({ ORGPLANE_SECRET_KEYS: newer })).toMatch(
      /^orgplane cannot start: The secret keys cannot decrypt .* Set ORGPLANE_SECRET_KEYS to the keys used before;/
    )
    await starts({ ORGPLANE_SECRET_KEYS: `${newer},${old}` })
    await starts({ ORGPLANE_SECRET_KEYS: newer })
    renameSync(`${path}.kept`, path)
    expect(await refused()).toMatch(/The secret keys cannot decrypt/)
  })
})

describe("secret keys of a PostgreSQL database", () => {
  it("are those of the first of several processes that start at once, and others fail the start", async () => {
    const postgres = await startPostgres()
    const start = (secretKeys: string) =>
      beginServer({
        ORGPLANE_DATA_DIR: makeFolder(),
        ORGPLANE_SEED: "none",
        ORGPLANE_DATABASE_URL: postgres.url,
        ORGPLANE_SECRET_KEYS: secretKeys
      })
    const other = "another secret that is long enough to be one"
    const together = [keys.ORGPLANE_SECRET_KEYS, keys.ORGPLANE_SECRET_KEYS, other, other].map((secretKeys) => ({
      secretKeys,
      server: start(secretKeys)
    }))
    const started = await Promise.all(
      together.map(async ({ secretKeys, server }) => {
        const ended = await Promise.race([server.serves.then(() => undefined), server.ended])
        if (ended !== undefined) expect(ended.stderr).toMatch(/The secret keys cannot decrypt/)
        return { secretKeys, server, isUp: ended === undefined }
      })
    )
    // The process that stored the first text decides: both processes with its keys serve, the others do not.
    const up = started.filter(({ isUp }) => isUp)
    expect(up.map(({ secretKeys }) => secretKeys)).toEqual([up[0]?.secretKeys, up[0]?.secretKeys])
    for (const { server } of up) {
      server.signal("SIGTERM")
      // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
      expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
    }
    const late = await runServer({
      ORGPLANE_DATA_DIR: makeFolder(),
      ORGPLANE_DATABASE_URL: postgres.url,
      ORGPLANE_SECRET_KEYS: up[0]?.secretKeys === other ? keys.ORGPLANE_SECRET_KEYS : other
    })
    expect(late).toMatchObject({ code: 1, stdout: "" })
    expect(late.stderr).toMatch(/The secret keys cannot decrypt/)
    await postgres.stop()
  })
})

const namespaces = [
  ["unshare", "--pid", "--fork", "--mount-proc"],
  ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
] as const
const namespace = namespaces.find(([program, ...rest]) => {
  try {
    execFileSync(program, [...rest, "true"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})

describe("a data directory shared by two containers", () => {
  it.skipIf(namespace === undefined)(
    "cannot be opened by a process of another PID namespace (skipped where unshare is not permitted)",
    async () => {
      const dataDir = makeDataDir()
      const environment = { ORGPLANE_DATA_DIR: dataDir, ORGPLANE_SEED: "none" }
      const server = await startServer(environment)
      const second = await runServer(environment, { through: [...(namespace ?? ["false"])] as [string] })
      expect(second).toMatchObject({ code: 1, stdout: "" })
      expect(second.stderr).toContain(`The data directory ${dataDir} is in use by process ${server.pid}`)
      server.signal("SIGKILL")
      await server.ended
      // A stopped holder does not delay the next start.
      const third = await startServer(environment)
      third.signal("SIGTERM")
      expect(await third.ended).toMatchObject({ code: 0 })
    }
  )
})
