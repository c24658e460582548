/** A server behind PgBouncer. It is part of Debian's package `pgbouncer`. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { freePort } from "../test/free-port.ts"
import { startPostgres } from "../test/postgres/start.ts"
import { ask, makeFolder, makeWorkspace, runServer, startServer } from "../test/process/server.fixture.ts"

const pgbouncer = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((path) => existsSync(path))
const stops: Array<() => Promise<unknown>> = []
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
})

const ignored = "statement_timeout,idle_in_transaction_session_timeout"

/** Starts PgBouncer in front of a new database, and returns the settings of a server that connects to it. */
const startPooler = async (mode: "session" | "transaction", ignoredParameters: string) => {
  const postgres = await startPostgres()
  stops.push(postgres.stop)
  const target = new URL(await postgres.createDatabase("pooled"))
  const folder = makeFolder()
  const port = await freePort()
  const users = join(folder, "users.txt")
  writeFileSync(users, `"postgres" "${target.password}"\n`)
  const settings = join(folder, "pgbouncer.ini")
  writeFileSync(
    settings,
    [
      "[databases]",
      `pooled = host=127.0.0.1 port=${target.port} user=postgres password=${target.password}`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = plain\nauth_file = ${users}`,
      `pool_mode = ${mode}\nignore_startup_parameters = extra_float_digits,${ignoredParameters}`
    ].join("\n")
  )
  // PgBouncer does not run as root.
  const asRoot = process.getuid?.() === 0
  if (asRoot) chmodSync(folder, 0o755)
  const child = spawn(pgbouncer ?? "", [...(asRoot ? ["-u", "nobody"] : []), settings], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = once(child, "exit")
  stops.push(() => {
    child.kill("SIGKILL")
    return ended
  })
  await new Promise<void>((resolve, reject) => {
    let output = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text
      if (output.includes("process up")) resolve()
    })
    void ended.then(() => reject(new Error(output)))
  })
  return {
    at: `127.0.0.1:${port}`,
    environment: {
      ORGPLANE_MODELS_URL: "off",
      ORGPLANE_DATABASE_URL: `postgres://postgres:${target.password}@127.0.0.1:${port}/pooled`,
      ORGPLANE_SECRET_KEYS: "a-key-for-the-test-of-a-pooler-that-is-long-enough"
    }
  }
}

describe.skipIf(pgbouncer === undefined)("a server behind PgBouncer", () => {
  it("works with pool_mode = session", async () => {
    const { environment } = await startPooler("session", ignored)
    const server = await startServer(environment)
    const token = await makeWorkspace(server.baseUrl)
    expect((await ask(server.baseUrl, token, "GET", "/v1/members")).body.items.length).toBe(1)
    const checked = await runServer(environment, { arguments: ["check-config"] })
    expect(checked.stdout).toMatch(/^ok +database /m)
    server.signal("SIGTERM")
    expect((await server.ended).code).toBe(0)
  })

  it("does not start with pool_mode = transaction, and states the fix", async () => {
    const { at, environment } = await startPooler("transaction", ignored)
    const fix = "Connect to PostgreSQL directly, or set pool_mode = session in PgBouncer."
    const { code, stderr } = await runServer(environment)
    expect(code).toBe(1)
    expect(stderr).toContain(at)
    expect(stderr).toContain(fix)
    expect((await runServer(environment, { arguments: ["check-config"] })).stdout).toContain(fix)
  })

  it("does not start, and does not wait, when a parameter is rejected", async () => {
    const { at, environment } = await startPooler("session", "options")
    const { code, stderr } = await runServer(environment)
    expect(code).toBe(1)
    expect(stderr).toContain(`Cannot connect to PostgreSQL at ${at} (08P01: `)
    expect(stderr).toContain(`ignore_startup_parameters = ${ignored}.`)
    expect(stderr).not.toContain("Retrying")
  })
})
