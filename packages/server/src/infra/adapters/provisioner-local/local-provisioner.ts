import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:fs"
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { crc32 } from "node:zlib"
import { join, resolve } from "node:path"
import { isRunning, processStart } from "../../process-start.ts"
import { Provisioner, ProvisionerFailed, type Runtime, type RuntimeSettings } from "../../ports/provisioner.ts"
import { executableOf, type RuntimeCommand } from "./program.ts"

export interface LocalProvisionerOptions extends RuntimeCommand {
  /** Directory for the state and output of its processes, used by this installation only. */
  readonly directory: string
  /** How long a runtime may take to report its URL, in milliseconds. Default: 20,000. */
  readonly startMillisMax?: number
  /** How long a runtime may take to exit after a signal, in milliseconds. Default: 10,000. */
  readonly stopMillisMax?: number
}

/**
 * A process that this server started. It is recorded before it receives its settings, so that a later server process
 * can find it.
 */
interface Process {
  readonly pid: number
  readonly startedAt: string | undefined
  readonly host: string
}

const isKey = (name: string) => /^[a-z]+_[0-9a-z]+$/.test(name)
const pollMillis = 50

const fileBytesMax = 4096

/**
 * Reads a small regular file that belongs to this user, without following links or blocking on a pipe. Undefined when
 * the file is missing, invalid or too large.
 */
const readJson = async (path: string): Promise<unknown> => {
  try {
    // Non-blocking: a pipe without a writer would block one of the few threads that read files.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stats = await file.stat()
      if (!stats.isFile() || stats.uid !== (process.getuid?.() ?? stats.uid)) return undefined
      const { buffer, bytesRead } = await file.read(Buffer.alloc(fileBytesMax + 1), 0, fileBytesMax + 1, 0)
      return bytesRead > fileBytesMax ? undefined : (JSON.parse(buffer.toString("utf8", 0, bytesRead)) as unknown)
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

/** Writes a file atomically, readable by this user only. */
const put = async (path: string, value: unknown): Promise<void> => {
  await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

const processIn = async (directory: string): Promise<Process | undefined> => {
  const value = await readJson(join(directory, "process.json"))
  if (typeof value !== "object" || value === null || !("pid" in value)) return undefined
  // Numbers that are not PIDs of processes would send a signal to many processes.
  if (typeof value.pid !== "number" || !Number.isSafeInteger(value.pid) || value.pid <= 1) return undefined
  const startedAt = "startedAt" in value && typeof value.startedAt === "string" ? value.startedAt : undefined
  return { pid: value.pid, startedAt, host: "host" in value ? String(value.host) : hostname() }
}

/** The URL that the runtime reported; undefined unless it is on loopback. */
const addressIn = async (directory: string): Promise<string | undefined> => {
  const value = await readJson(join(directory, "ready.json"))
  const url = typeof value === "object" && value !== null && "url" in value ? URL.parse(String(value.url)) : null
  const isOwn = url?.protocol === "http:" && url.hostname === "127.0.0.1" && url.port !== "" && url.username === ""
  return isOwn ? url.origin : undefined
}

/**
 * The start time is compared too, because a PID may be reused. Windows does not report it, so only the PID is compared
 * there.
 */
const lives = async (record: Process) =>
  record.host === hostname() &&
  (record.startedAt !== undefined || process.platform === "win32") &&
  (await isRunning(record.pid, record.startedAt))

const kill = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already exited.
  }
}

const failed = (message: string) => new ProvisionerFailed({ message })
const attempt = <A>(problem: string, work: () => Promise<A>): Effect.Effect<A, ProvisionerFailed> =>
  Effect.tryPromise({
    try: work,
    // Only the code of a file system error is used, because its message contains a path.
    catch: (cause) =>
      failed(`${problem}${cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""}.`)
  })

/**
 * Runs runtimes as processes of this machine. Each leads its own process group and keeps running when this server
 * exits; the next server finds it by PID and start time. Its settings are passed through a pipe that no other process
 * can read. It is recorded before that, and a process that does not receive its settings exits at the end of its input.
 */
export const layerLocalProvisioner = (options: LocalProvisionerOptions): Layer.Layer<Provisioner> => {
  const directoryOf = (key: string) => join(options.directory, key)
  const [program = "", ...args] = options.command
  const startMillisMax = options.startMillisMax ?? 20_000
  const stopMillisMax = options.stopMillisMax ?? 10_000

  const find = Effect.fn("provisioner.find")((key: string) =>
    attempt("The runtime cannot be found", async (): Promise<Runtime | undefined> => {
      const directory = directoryOf(key)
      const record = await processIn(directory)
      if (record === undefined || !(await lives(record))) return undefined
      const url = await addressIn(directory)
      return url === undefined ? undefined : { url }
    })
  )

  const hasEnded = (record: Process) =>
    Effect.map(
      Effect.promise(() => lives(record)),
      (isAlive) => !isAlive
    )

  const until = (done: Effect.Effect<boolean>, millis: number) =>
    Effect.gen(function* () {
      while (!(yield* done)) yield* Effect.sleep(pollMillis)
      return true
    }).pipe(Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.succeed(false) }))

  const stop = Effect.fn("provisioner.stop")(function* (key: string) {
    const directory = directoryOf(key)
    const record = yield* Effect.promise(() => processIn(directory))
    if (record !== undefined && record.host !== hostname()) {
      return yield* failed("The runtime runs on another machine.")
    }
    if (record !== undefined && !(yield* hasEnded(record))) {
      kill(record.pid, "SIGTERM")
      const hasEndedInTime = yield* until(hasEnded(record), stopMillisMax)
      // Includes its child processes. The PID is not reused while any process of the group is running.
      kill(-record.pid, "SIGKILL")
      if (!hasEndedInTime) {
        kill(record.pid, "SIGKILL")
        if (!(yield* until(hasEnded(record), stopMillisMax))) return yield* failed("The runtime did not exit.")
      }
    }
    yield* attempt("The data of the runtime cannot be deleted", () => rm(directory, { recursive: true, force: true }))
  })

  const begin = async (key: string, settings: RuntimeSettings): Promise<{ child: ChildProcess; record: Process }> => {
    const directory = directoryOf(key)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const log = await open(join(directory, "output.log"), "w", 0o600)
    try {
      const child = spawn(executableOf(program), args, {
        cwd: directory,
        detached: true,
        stdio: ["pipe", log.fd, log.fd],
        env: { ...options.environment, ORGPLANE_WORKER_INSTANCE: key }
      })
      await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject))
      child.on("error", () => undefined)
      const { stdin } = child
      if (stdin === null) throw new Error("The process has no standard input.")
      stdin.on("error", () => undefined)
      const record = { pid: child.pid ?? 0, startedAt: await processStart(child.pid ?? 0), host: hostname() }
      try {
        await put(join(directory, "process.json"), record)
      } catch (cause) {
        // No later server process could find it.
        child.kill("SIGKILL")
        throw cause
      }
      const startSettings = {
        controlPlaneUrl: settings.controlPlaneUrl,
        workerId: settings.workerId,
        workerToken: Redacted.value(settings.workerToken),
        runtimeToken: Redacted.value(settings.runtimeToken),
        heartbeatSeconds: settings.heartbeatSeconds,
        readyFile: join(directory, "ready.json")
      }
      stdin.end(`${JSON.stringify(startSettings)}\n`)
      child.unref()
      return { child, record }
    } finally {
      await log.close()
    }
  }

  const start = Effect.fn("provisioner.start")(function* (key: string, settings: RuntimeSettings) {
    yield* stop(key)
    const { child, record } = yield* attempt("The program of the runtime cannot be started", () => begin(key, settings))
    const isReady = Effect.promise(async () => (await addressIn(directoryOf(key))) !== undefined)
    const isEnded = Effect.map(hasEnded(record), (ended) => ended || child.exitCode !== null)
    const settled = Effect.flatMap(isReady, (ready) => (ready ? Effect.succeed(true) : isEnded))
    const inTime = yield* until(settled, startMillisMax)
    const runtime = yield* find(key)
    if (runtime !== undefined) return runtime
    yield* stop(key)
    return yield* failed(
      inTime ? "The runtime exited before it reported its URL." : "The runtime did not report its URL in time."
    )
  })

  const keys = attempt("The directory of the runtimes cannot be read", async () => {
    const names = await readdir(options.directory).catch(() => [])
    return names.filter(isKey)
  })

  return Layer.succeed(Provisioner, {
    provider: "local-process",
    // Two installations on one machine keep their runtimes separate, even when they share a database.
    region: `${hostname()}-${crc32(resolve(options.directory)).toString(16).padStart(8, "0")}`,
    destination: "loopback",
    find,
    start,
    stop,
    keys
  })
}
