import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { execute } from "../../packages/server/src/infra/sql/execute.ts"
import { startNetwork } from "../postgres/network.ts"
import { startPostgres } from "../postgres/start.ts"
import { ask, makeDataDir, makeFolder, makeWorkspace, startServer, until } from "./server.fixture.ts"

const primary = await startPostgres({ fsync: true })
afterAll(() => primary.stop())

const serve = (url: string, more: Readonly<Record<string, string>> = {}) =>
  startServer({
    ORGPLANE_DATABASE_URL: url,
    ORGPLANE_DATA_DIR: join(makeFolder(), "data"),
    ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one",
    ORGPLANE_LOG_LEVEL: "none",
    ...more
  })

const teams = (baseUrl: string, token: string) => ask(baseUrl, token, "GET", "/v1/teams")
const eventually = (check: () => Promise<boolean>) => until(check, Boolean)
let named = 0
const makeTeam = (baseUrl: string, token: string, name = `team ${(named += 1)}`) =>
  ask(baseUrl, token, "POST", "/v1/teams", { name })
const ready = async (baseUrl: string) => {
  const { body, status } = await ask(baseUrl, undefined, "GET", "/v1/ready")
  return { status, checks: body.checks }
}
const works = { status: 200, checks: { database: "ok", queue: "ok", writes: "ok" } }

it("returns 503 while the database is read-only, reports it at /v1/ready, and recovers when it accepts writes", async () => {
  const server = await serve(await primary.createDatabase("read_only"))
  const token = await makeWorkspace(server.baseUrl)
  expect((await makeTeam(server.baseUrl, token)).status).toBe(201)
  expect(await ready(server.baseUrl)).toEqual(works)
  await execute(primary.url, "ALTER SYSTEM SET default_transaction_read_only = on")
  await execute(primary.url, "SELECT pg_reload_conf()")
  await eventually(async () => (await makeTeam(server.baseUrl, token)).status !== 201)
  for (let n = 0; n < 5; n += 1) {
    const { body, status } = await makeTeam(server.baseUrl, token)
    expect({ status, error: body.error }).toEqual({ status: 503, error: "unavailable" })
    expect([200, 503]).toContain((await teams(server.baseUrl, token)).status)
  }
  await eventually(async () => (await ready(server.baseUrl)).status === 503)
  expect(await ready(server.baseUrl)).toEqual({ status: 503, checks: { ...works.checks, writes: "failed" } })
  await execute(primary.url, "ALTER SYSTEM RESET default_transaction_read_only")
  await execute(primary.url, "SELECT pg_reload_conf()")
  await eventually(async () => (await ready(server.baseUrl)).status === 200)
  expect((await makeTeam(server.baseUrl, token)).status).toBe(201)
})

// These two have their own databases and networks, and mostly wait for timeouts.
it.concurrent("returns 503 within the timeout while the network is dead, and works at once when it is restored", async () => {
  const network = await startNetwork(await primary.createDatabase("dead_network"))
  const server = await serve(network.url, { ORGPLANE_DATABASE_TIMEOUT_SECONDS: "2" })
  const token = await makeWorkspace(server.baseUrl)
  const many = () =>
    Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 2 ? teams(server.baseUrl, token) : makeTeam(server.baseUrl, token)))
    )
  expect((await many()).map(({ status }) => status).filter((status) => status >= 300)).toEqual([])
  for (let round = 0; round < 3; round += 1) {
    network.die()
    const responses = await many()
    expect(responses.map(({ body, status }) => [status, body.error])).toEqual(responses.map(() => [503, "unavailable"]))
    await eventually(async () => (await ready(server.baseUrl)).status === 503)
    network.live()
    expect((await teams(server.baseUrl, token)).status).toBe(200)
    expect((await makeTeam(server.baseUrl, token)).status).toBe(201)
    await eventually(async () => (await ready(server.baseUrl)).status === 200)
    expect(await ready(server.baseUrl)).toEqual(works)
  }
  network.stop()
})

it.concurrent("closes dead idle connections before a request uses them", async () => {
  const network = await startNetwork(await primary.createDatabase("idle"))
  const server = await serve(network.url)
  const token = await makeWorkspace(server.baseUrl)
  expect((await makeTeam(server.baseUrl, token)).status).toBe(201)
  network.die()
  // Without a request: by the probes of idle connections, and the timeouts of background work.
  await network.abandoned()
  network.live()
  expect((await makeTeam(server.baseUrl, token)).status).toBe(201)
  network.stop()
})

it("loses no acknowledged write when the primary is killed and its standby promoted, without a restart", async () => {
  const url = await primary.createDatabase("failover")
  const standby = await primary.startStandby()
  const [, port] = /:(\d+)\/postgres$/.exec(standby.url) ?? []
  const network = await startNetwork(url)
  const behindName = await serve(network.url)
  const server = await serve(
    `${url.replace("/failover", `,127.0.0.1:${port}/failover`)}?target_session_attrs=read-write`
  )
  // From here on, writes are acknowledged only when the standby has them too.
  await execute(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
  await execute(primary.url, "SELECT pg_reload_conf()")
  const token = await makeWorkspace(server.baseUrl)

  // The name resolves to a standby: the server returns 503, and never 500.
  network.lead(standby.url)
  await eventually(async () => (await ready(behindName.baseUrl)).checks.database === "failed")
  expect(await ready(behindName.baseUrl)).toMatchObject({ status: 503, checks: { writes: "failed" } })
  expect((await makeTeam(behindName.baseUrl, token)).status).toBe(503)

  const acknowledged: Array<{ readonly name: string; readonly at: number }> = []
  const refused: Array<number> = []
  const odd: Array<unknown> = []
  const writing = new AbortController()
  const client = async (id: number) => {
    for (let n = 0; !writing.signal.aborted; n += 1) {
      const name = `written ${id} ${n}`
      const { body, status } = await makeTeam(server.baseUrl, token, name)
      if (status === 201) acknowledged.push({ name, at: Date.now() })
      else if (status === 503) refused.push(Date.now())
      else odd.push([status, body])
      await new Promise((resolve) => setTimeout(resolve, status === 201 ? 10 : 50))
    }
  }
  const clients = [1, 2, 3, 4].map(client)
  await eventually(() => Promise.resolve(acknowledged.length >= 40))
  process.kill(primary.pid, "SIGKILL")
  await eventually(() => Promise.resolve(refused.length >= 8))
  const before = acknowledged.length
  await standby.promote()
  await eventually(() => Promise.resolve(acknowledged.length >= before + 40))
  writing.abort()
  await Promise.all(clients)
  expect(odd).toEqual([])

  const there = new Set<string>()
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await ask(
      server.baseUrl,
      token,
      "GET",
      `/v1/teams?limit=100${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
    )
    for (const { name } of page.body.items) there.add(name)
    cursor = page.body.nextCursor
  }
  const lost = acknowledged.filter(({ name }) => !there.has(name))
  expect(lost).toEqual([])
  expect(await ready(server.baseUrl)).toEqual(works)
  // The name resolves to a primary again, which is the same server as before.
  await eventually(async () => (await makeTeam(behindName.baseUrl, token)).status === 201)
  if (process.env["ORGPLANE_SHOW_LEDGER"] !== undefined) {
    const gap = (acknowledged[before]?.at ?? 0) - (acknowledged[before - 1]?.at ?? 0)
    process.stderr.write(
      `acknowledged ${acknowledged.length}, refused ${refused.length}, lost ${lost.length}, outage ${gap / 1000} s\n`
    )
  }
  network.stop()
})

it("is not ready when the embedded database's disk has less free space than configured", async () => {
  const embedded = (mebibytes: string) =>
    startServer({
      ORGPLANE_DATA_DIR: makeDataDir(),
      ORGPLANE_DISK_FREE_MIN_MIB: mebibytes,
      ORGPLANE_METRICS_TOKEN: "a token of the operator"
    })
  const [full, roomy] = await Promise.all([embedded("1048576"), embedded("0")])
  expect(await ready(full.baseUrl)).toEqual({ status: 503, checks: { ...works.checks, disk: "failed" } })
  const { body } = await ask(full.baseUrl, "a token of the operator", "GET", "/v1/ready")
  expect(body.details).toContainEqual(
    expect.objectContaining({ check: "disk", status: "failed", message: expect.stringContaining("Free disk space.") })
  )
  expect(await ready(roomy.baseUrl)).toEqual({ ...works, checks: { ...works.checks, disk: "ok" } })
})
