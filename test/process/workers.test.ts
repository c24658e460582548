import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { freePort } from "../free-port.ts"
import { startPostgres } from "../postgres/start.ts"
import { ask, makeFolder, makeWorkspace, type Running, startServer, until } from "./server.fixture.ts"

const postgres = await startPostgres()
afterAll(() => postgres.stop())

vi.setConfig({ testTimeout: 300_000 })

const runtime = join(import.meta.dirname, "../../examples/worker-runtime.ts")
const slow = join(import.meta.dirname, "slow-runtime.fixture.ts")

const isRunning = (pid: number): boolean => {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8")
    return !line.slice(line.lastIndexOf(")") + 2).startsWith("Z")
  } catch {
    return false
  }
}

/** The processes of runtimes that have this text in their arguments. */
const runtimesOf = (argument: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isOne = readFileSync(`/proc/${pid}/environ`, "utf8").includes("ORGPLANE_WORKER_INSTANCE=")
        return isOne && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(argument) && isRunning(pid)
      } catch {
        return false
      }
    })

const words: Array<string> = []
afterAll(() => {
  for (const pid of words.flatMap(runtimesOf)) process.kill(pid, "SIGKILL")
})

const setUp = async (databaseUrl: string) => {
  const folder = makeFolder()
  const signal = join(folder, "go")
  words.push(signal)
  const environment = {
    ORGPLANE_PORT: String(await freePort()),
    ORGPLANE_DATA_DIR: join(folder, "data"),
    ORGPLANE_SEED: "none",
    ORGPLANE_WORKER_COMMAND: JSON.stringify(["node", slow, signal, runtime]),
    ORGPLANE_WORKER_HEARTBEAT_SECONDS: "1",
    ORGPLANE_DATABASE_URL: databaseUrl,
    ORGPLANE_SECRET_KEYS: "a secret for tests only and long enough to be one"
  }
  return { signal, start: () => startServer(environment), go: () => writeFileSync(signal, "") }
}

const kill = async (server: Running) => {
  server.signal("SIGKILL")
  await server.ended
}

const read = async (server: Running, token: string, id: string) =>
  (await ask(server.baseUrl, token, "GET", `/v1/workers/${id}`)).body

const isUp = ({ instance, worker }: { instance: { status: string }; worker: { status: string } }) =>
  worker.status === "healthy" && instance.status === "running"

describe.concurrent.each(["before", "after"] as const)("a server that is killed while it starts a runtime", (when) => {
  it(`leaves one runtime, ready ${when} the next server starts, that can still be removed`, async () => {
    const { go, signal, start } = await setUp(await postgres.createDatabase(`workers_${when}`))
    const first = await start()
    const token = await makeWorkspace(first.baseUrl)
    const payload = { name: "Killed", destination: "cloud" }
    const { id } = (await ask(first.baseUrl, token, "POST", "/v1/workers", payload)).body.worker
    await until(
      () => Promise.resolve(runtimesOf(signal)),
      ({ length }) => length === 1
    )
    await kill(first)
    if (when === "before") go()
    const second = await start()
    if (when === "after") go()
    await until(() => read(second, token, id), isUp)
    const [pid = 0, ...others] = runtimesOf(signal)
    expect(others).toEqual([])
    const responded = await ask(second.baseUrl, token, "GET", `/v1/workers/${id}/runtime`)
    expect([responded.status, responded.body.pid]).toEqual([200, pid])

    // The runtime survives without a server, and the next server finds it.
    await kill(second)
    const third = await start()
    await until(() => read(third, token, id), isUp)
    expect(runtimesOf(signal)).toEqual([pid])
    expect((await ask(third.baseUrl, token, "DELETE", `/v1/workers/${id}`)).status).toBe(204)
    // The server that should stop it is killed too.
    await kill(third)
    const fourth = await start()
    await until(
      () => Promise.resolve(runtimesOf(signal)),
      ({ length }) => length === 0
    )
    fourth.signal("SIGTERM")
    await fourth.ended
  })
})
