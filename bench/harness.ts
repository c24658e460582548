import { ControlPlane } from "@orgplane/server"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { startPostgres } from "../test/postgres/start.ts"

/** One way to answer the same requests: a program that listens on `PORT` and reads `DATABASE_URL`. */
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

/** The server has the first core to itself; load and database share the second. Elsewhere the system decides. */
const canPin = process.platform === "linux" && availableParallelism() >= 2 && spawnSync("taskset", ["-V"]).status === 0
const serverCore = "0"
const otherCore = "1"

/** Puts this process, and what it starts from here on, beside the servers and not under them. */
export const stepAside = () => {
  if (canPin) spawnSync("taskset", ["-a", "-c", "-p", otherCore, String(process.pid)])
  return canPin
}

/** Gives this process, and what it starts from here on, all processors: of work that takes seconds of several processes. */
export const spreadOut = () => {
  if (canPin) spawnSync("taskset", ["-a", "-c", "-p", `${serverCore},${otherCore}`, String(process.pid)])
}

export const say = (line: string) => process.stderr.write(`${line}\n`)

/** Gives a database the service's tables. */
export const migrated = async (url: string): Promise<string> => {
  const controlPlane = await ControlPlane.make({
    database: ControlPlane.postgres(url),
    secretKeys: ["a-secret-of-the-benchmark-and-of-nothing-else"],
    workers: false
  })
  await controlPlane.dispose()
  return url
}

/** A PostgreSQL that keeps what it is told (fsync on), with the service's tables in it. */
export const openDatabase = async () => {
  const server = await startPostgres({
    fsync: true,
    settings: { shared_buffers: "256MB", autovacuum: "off", jit: "off" }
  })
  await migrated(server.url)
  return server
}

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("No port could be taken.")
  return address.port
}

const end = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "exit")
}

/** Starts a candidate as a process of its own and waits until it answers. */
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
      PATH: process.env["PATH"],
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
    if (child.exitCode !== null) throw new Error(`${name} ended before it answered.`)
    if (Date.now() - began > 120_000) {
      await end(child)
      throw new Error(`${name} did not answer within 120 s.`)
    }
  }
  return { name, port, pid: child.pid as number, stop: () => end(child) }
}

/** Microseconds that a process has spent on a processor, in all its threads. */
export const cpuMicros = (pid: number): number => {
  let nanos = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanos += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0])
    } catch {
      // The thread ended between the two looks.
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
 * Asks for a liveness answer every so often, whether or not the last has come, in a thread of its own. What it answers
 * ends it and tells how many milliseconds each took.
 */
export const askHealth = async (port: number, everyMillis: number): Promise<() => Promise<ReadonlyArray<number>>> => {
  const worker = new Worker(new URL("health-asker.ts", import.meta.url), { workerData: { port, everyMillis } })
  await once(worker, "online")
  return async () => {
    const told = once(worker, "message")
    worker.postMessage("stop")
    const [millis]: ReadonlyArray<unknown> = await told
    await worker.terminate()
    if (!Array.isArray(millis)) throw new Error("The thread that asks for health told nothing.")
    return millis.map(Number)
  }
}
