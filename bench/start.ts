/** Time until the server responds, and its memory and CPU time while it is idle. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../test/free-port.ts"
import { cpuMicros, median, openDatabase, say, spreadOut, stepAside } from "./harness.ts"
import { inheritedEnvironment, serverProgram } from "./server-program.ts"

export interface StartOptions {
  readonly rounds: number
  /** How long a started server is left alone before its idle state is measured, and how long that takes. */
  readonly settleSeconds: number
  readonly idleSeconds: number
}

interface Started {
  readonly healthMillis: number
  readonly readyMillis: number
  readonly pid: number
  readonly stop: () => Promise<void>
}

const askEveryMillis = 5
const startMillisMax = 120_000

const pause = (millis: number) => new Promise((done) => setTimeout(done, millis))

const statusOf = (port: number, path: string) =>
  new Promise<number | undefined>((done) => {
    get({ port, host: "127.0.0.1", path, agent: false }, (response) => {
      response.resume().on("end", () => done(response.statusCode))
    }).on("error", () => done(undefined))
  })

const stopped = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  // SIGINT stops at once. SIGTERM first waits for load balancers.
  child.kill("SIGINT")
  await once(child, "exit")
}

/** Starts the server and measures the time until it responds, from the start of its process. */
const started = async (environment: Readonly<Record<string, string>>): Promise<Started> => {
  const port = await freePort()
  const began = performance.now()
  const child = spawn(process.execPath, [serverProgram], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...inheritedEnvironment, ORGPLANE_PORT: String(port), ORGPLANE_LOG_LEVEL: "warn", ...environment }
  })
  const millisUntil = async (path: string) => {
    while ((await statusOf(port, path)) !== 200) {
      if (child.exitCode !== null) throw new Error("The server exited before it responded.")
      if (performance.now() - began > startMillisMax) {
        child.kill("SIGKILL")
        throw new Error(`${path} did not return 200 within ${startMillisMax / 1000} s.`)
      }
      await pause(askEveryMillis)
    }
    return performance.now() - began
  }
  const healthMillis = await millisUntil("/v1/health")
  const readyMillis = await millisUntil("/v1/ready")
  return { healthMillis, readyMillis, pid: child.pid as number, stop: () => stopped(child) }
}

/** The resident memory of a process, and the part of it that is not backed by files, in megabytes. */
const memoryOf = (pid: number) => {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1]) / 1024
  return { resident: megabytes("Rss"), anonymous: megabytes("Anonymous") }
}

const measure = async (
  name: string,
  environment: Readonly<Record<string, string>>,
  { idleSeconds, rounds, settleSeconds }: StartOptions
): Promise<string> => {
  say(`starting the server on ${name}: 1 + ${rounds} times`)
  const first = await started(environment)
  await first.stop()
  const health: Array<number> = []
  const ready: Array<number> = []
  for (let round = 1; ; round += 1) {
    const server = await started(environment)
    try {
      health.push(server.healthMillis)
      ready.push(server.readyMillis)
      if (round < rounds) continue
      say(`leaving it idle for ${settleSeconds + idleSeconds} s`)
      await pause(settleSeconds * 1000)
      const [cpuBefore, before] = [cpuMicros(server.pid), performance.now()]
      await pause(idleSeconds * 1000)
      const share = (cpuMicros(server.pid) - cpuBefore) / 1000 / (performance.now() - before)
      const { anonymous, resident } = memoryOf(server.pid)
      const times = [first.healthMillis, first.readyMillis, Math.min(...health), median(health), Math.min(...ready)]
      const cells = [...times, median(ready), resident, anonymous].map((value) => value.toFixed(0))
      return `| ${[name, ...cells, (share * 100).toFixed(2)].join(" | ")} |`
    } finally {
      await server.stop()
    }
  }
}

export const startBench = async (options: StartOptions): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "orgplane-bench-start-"))
  // A server uses both cores while it starts.
  spreadOut()
  const database = await openDatabase()
  try {
    // The first start fills the compile cache in this directory.
    const environment = { HOME: folder, XDG_CACHE_HOME: join(folder, "cache") }
    const rows = [
      await measure("the embedded database", { ...environment, ORGPLANE_DATA_DIR: join(folder, "data") }, options),
      await measure(
        "PostgreSQL",
        {
          ...environment,
          ORGPLANE_DATA_DIR: join(folder, "postgres-data"),
          ORGPLANE_DATABASE_URL: database.url,
          ORGPLANE_SECRET_KEYS: "a-secret-of-the-benchmark-and-of-nothing-else",
          ORGPLANE_SEED: "none"
        },
        options
      )
    ]
    return [
      "| server on | first health, ms | first ready, ms | health, minimum, ms | health, median, ms | ready, minimum, ms | ready, median, ms | idle resident memory, MB | of it anonymous, MB | idle CPU, % of a core |",
      "|---|---|---|---|---|---|---|---|---|---|",
      ...rows
    ].join("\n")
  } finally {
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
    stepAside()
  }
}
