import { execFile } from "node:child_process"
import { chmod, copyFile, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { own } from "../../../../../test/postgres/binaries.ts"
import { startPostgres, type StartedPostgres } from "../../../../../test/postgres/start.ts"

const fixture = (name: string) => new URL(`../outbound/fixtures/${name}`, import.meta.url)
let folder: string
let server: StartedPostgres
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orgplane-tls-"))
  for (const name of ["server.pem", "server-key.pem"]) {
    await copyFile(fixture(name), join(folder, name))
    await chmod(join(folder, name), 0o600)
  }
  if (process.getuid?.() === 0) await own(folder)
  server = await startPostgres({
    settings: { ssl: "on", ssl_cert_file: join(folder, "server.pem"), ssl_key_file: join(folder, "server-key.pem") }
  })
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const program = `
  const { layerPostgres } = await import(${JSON.stringify(new URL("./postgres.ts", import.meta.url).href)})
  const { SqlDatabase } = await import(${JSON.stringify(new URL("./client.ts", import.meta.url).href)})
  const Effect = await import(${JSON.stringify(import.meta.resolve("effect/Effect"))})
  const query = Effect.flatMap(SqlDatabase, (sql) => sql\`SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()\`)
  const exit = await Effect.runPromiseExit(Effect.provide(query, layerPostgres({ url: process.argv[1] })))
  console.log(JSON.stringify(exit))`

/**
 * The result in a separate process that trusts the authority or does not, because trusted certificates are set per
 * process.
 */
const connect = async (url: string, trusts: boolean) => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, url], {
    env: { NODE_NO_WARNINGS: "1", ...(trusts ? { NODE_EXTRA_CA_CERTS: fixture("authority.pem").pathname } : {}) }
  })
  return stdout
}

it("encrypts according to sslmode, to a name and to an address, also after an unreachable host in the list", async () => {
  const named = server.url.replace("127.0.0.1", "localhost")
  const second = server.url.replace("@127", "@localhost:1,127")
  for (const url of [named, server.url, second]) {
    expect(await connect(`${url}?sslmode=require`, true)).toContain('"ssl":"true"')
    expect(await connect(`${url}?sslmode=prefer&target_session_attrs=read-write`, true)).toContain('"ssl":"true"')
    expect(await connect(`${url}?sslmode=disable`, true)).toContain('"ssl":"false"')
  }
})

it("rejects an untrusted certificate, and a server without TLS when TLS is required", async () => {
  expect(await connect(`${server.url}?sslmode=require`, false)).toMatch(/"_tag":"Failure".*(SELF_SIGNED|UNABLE_TO_)/)
  const plain = await startPostgres()
  expect(await connect(`${plain.url}?sslmode=require`, true)).toContain('"_tag":"Failure"')
  expect(await connect(`${plain.url}?sslmode=prefer`, true)).toContain('"ssl":"false"')
  await plain.stop()
})

it("reports a wrong password as a failed authentication", async () => {
  const url = new URL(server.url)
  url.password = "wrong"
  expect(await connect(url.href, true)).toMatch(/"_tag":"Failure".*AuthenticationError/)
})
