import { ControlPlane } from "@orgplane/server"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { execute } from "../packages/server/src/infra/sql/execute.ts"
import { freePort } from "../test/free-port.ts"
import { startPostgres } from "../test/postgres/start.ts"
import { inheritedEnvironment } from "./server-program.ts"

/** An implementation of the same API: a program that listens on `PORT` and reads `DATABASE_URL`. */
export interface Candidate {
  readonly name: string
  readonly file: URL
}

export interface Running {
  readonly name: string
  readonly port: number
  readonly pid: number
  readonly stop: () => Promise<void>
}

/**
 * On Linux the server has the first core to itself; load and database share the second. The suite turns this off with
 * `ORGPLANE_BENCH_PIN=no`, because other tests run at the same time.
 */
const canPin =
  process.env["ORGPLANE_BENCH_PIN"] !== "no" &&
  process.platform === "linux" &&
  availableParallelism() >= 2 &&
  spawnSync("taskset", ["-V"]).status === 0
const serverCore = "0"
const otherCore = "1"

/** Pins this process, and processes it starts from here on, to the second core. */
export const stepAside = () => {
  if (canPin) spawnSync("taskset", ["-a", "-c", "-p", otherCore, String(process.pid)])
  return canPin
}

/** Lets this process, and processes it starts from here on, use both cores, for long work with several processes. */
export const spreadOut = () => {
  if (canPin) spawnSync("taskset", ["-a", "-c", "-p", `${serverCore},${otherCore}`, String(process.pid)])
}

export const say = (line: string) => process.stderr.write(`${line}\n`)

/** Creates the service's tables in a database. */
export const migrated = async (url: string): Promise<string> => {
  const controlPlane = await ControlPlane.make({
    database: ControlPlane.postgres(url),
    secretKeys: ["a-secret-of-the-benchmark-and-of-nothing-else"],
    workers: false
  })
  await controlPlane.dispose()
  return url
}

/** A durable PostgreSQL (fsync on) with the service's tables. */
export const openDatabase = async () => {
  const server = await startPostgres({
    fsync: true,
    settings: { shared_buffers: "256MB", autovacuum: "off", jit: "off" }
  })
  // The peers and the benchmarks name orgplane's tables without the schema.
  await execute(server.url, "ALTER ROLE CURRENT_USER SET search_path = orgplane, public")
  await migrated(server.url)
  return server
}

const end = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}

/** Starts a candidate as its own process and waits until it responds. */
export const startCandidate = async (
  { file, name }: Candidate,
  databaseUrl: string,
  nodeOptions: ReadonlyArray<string> = [],
  environment: Readonly<Record<string, string>> = {},
  mayPin = true
): Promise<Running> => {
  const port = await freePort()
  const node = [process.execPath, ...nodeOptions, fileURLToPath(file)]
  const [command, ...rest] = canPin && mayPin ? ["taskset", "-c", serverCore, ...node] : node
  const child = spawn(command as string, rest, {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...inheritedEnvironment,
      NODE_ENV: "production",
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      ...environment
    }
  })
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/v1/health`).then(
      (response) => response.ok,
      () => false
    )
  for (const began = Date.now(); !(await isUp()); await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (child.exitCode !== null) throw new Error(`${name} exited before it responded.`)
    if (Date.now() - began > 120_000) {
      await end(child)
      throw new Error(`${name} did not respond within 120 s.`)
    }
  }
  return { name, port, pid: child.pid as number, stop: () => end(child) }
}

/** CPU time of a process in microseconds, over all its threads. */
export const cpuMicros = (pid: number): number => {
  let nanos = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanos += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0])
    } catch {
      // The thread ended after it was listed.
    }
  }
  return nanos / 1000
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const high = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? high) + high) / 2
}

/**
 * Requests a liveness response at an interval, without waiting for the previous one, in a separate thread. The returned
 * function stops it and returns the latency of each request in milliseconds.
 */
export const askHealth = async (port: number, everyMillis: number): Promise<() => Promise<ReadonlyArray<number>>> => {
  const worker = new Worker(new URL("health-asker.ts", import.meta.url), { workerData: { port, everyMillis } })
  await once(worker, "online")
  return async () => {
    const message = once(worker, "message")
    worker.postMessage("stop")
    const [millis]: ReadonlyArray<unknown> = await message
    await worker.terminate()
    if (!Array.isArray(millis)) throw new Error("The health check thread returned no latencies.")
    return millis.map(Number)
  }
}
