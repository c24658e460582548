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

export interface LocalProvisionerOptions {
  /** The program and its arguments, run as they stand, by no shell; `node` is the one that runs this server. */
  readonly command: ReadonlyArray<string>
  /** Where it keeps what it knows of its processes, and their output; of one installation alone. */
  readonly directory: string
  /** All that the program finds in its environment: this server's own holds secrets. */
  readonly environment?: Readonly<Record<string, string>>
  /** How long a runtime may take until it says where it answers; 20 000 unless told. */
  readonly startMillisMax?: number
  /** How long one that is asked to end may take; 10 000 unless told. */
  readonly stopMillisMax?: number
}

/** A process of ours: written before it is told anything, so that whoever comes after us knows it. */
interface Process {
  readonly pid: number
  readonly startedAt: string | undefined
  readonly host: string
}

const isKey = (name: string) => /^[a-z]+_[0-9a-z]+$/.test(name)
const pollMillis = 50

const fileBytesMax = 4096

/**
 * A small file of our own user's: nothing that waits for a writer, leads elsewhere or has no end, whoever put it there.
 * Undefined when it is none, or not what it should be.
 */
const readJson = async (path: string): Promise<unknown> => {
  try {
    // Without waiting: a pipe without a writer would hold one of the few threads that read files.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const found = await file.stat()
      if (!found.isFile() || found.uid !== (process.getuid?.() ?? found.uid)) return undefined
      const { buffer, bytesRead } = await file.read(Buffer.alloc(fileBytesMax + 1), 0, fileBytesMax + 1, 0)
      return bytesRead > fileBytesMax ? undefined : (JSON.parse(buffer.toString("utf8", 0, bytesRead)) as unknown)
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

/** Whole or not at all, and nobody else's to read. */
const put = async (path: string, value: unknown): Promise<void> => {
  await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

const processIn = async (place: string): Promise<Process | undefined> => {
  const value = await readJson(join(place, "process.json"))
  if (typeof value !== "object" || value === null || !("pid" in value)) return undefined
  // A number that is none of a process means many of them to whoever sends a signal.
  if (typeof value.pid !== "number" || !Number.isSafeInteger(value.pid) || value.pid <= 1) return undefined
  const startedAt = "startedAt" in value && typeof value.startedAt === "string" ? value.startedAt : undefined
  return { pid: value.pid, startedAt, host: "host" in value ? String(value.host) : hostname() }
}

/** Where the runtime says that it answers: this machine's loopback, or it is none of ours. */
const addressIn = async (place: string): Promise<string | undefined> => {
  const value = await readJson(join(place, "ready.json"))
  const url = typeof value === "object" && value !== null && "url" in value ? URL.parse(String(value.url)) : null
  const isOwn = url?.protocol === "http:" && url.hostname === "127.0.0.1" && url.port !== "" && url.username === ""
  return isOwn ? url.origin : undefined
}

/** Without the moment it began a number is anybody's by now; where that is never to be had, the number has to do. */
const lives = async (found: Process) =>
  found.host === hostname() &&
  (found.startedAt !== undefined || process.platform === "win32") &&
  (await isRunning(found.pid, found.startedAt))

const kill = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended meanwhile.
  }
}

const failed = (message: string) => new ProvisionerFailed({ message })
const attempt = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, ProvisionerFailed> =>
  Effect.tryPromise({
    try: work,
    // The code of an error of the file system says enough, and no path.
    catch: (cause) => failed(`${what}${cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""}.`)
  })

/**
 * Runtimes as processes of this machine. Each is a leader of its own group and lives on when this server ends: the one
 * that comes after it finds it by its number and the moment it began. What a process is told goes through a pipe that
 * nobody else can read; until then it is on record, and one that is never told ends by the end of its input.
 */
export const layerLocalProvisioner = (options: LocalProvisionerOptions): Layer.Layer<Provisioner> => {
  const placeOf = (key: string) => join(options.directory, key)
  const [program = "", ...args] = options.command
  const startMillisMax = options.startMillisMax ?? 20_000
  const stopMillisMax = options.stopMillisMax ?? 10_000

  const find = Effect.fn("provisioner.find")((key: string) =>
    attempt("The runtime could not be looked for", async (): Promise<Runtime | undefined> => {
      const place = placeOf(key)
      const found = await processIn(place)
      if (found === undefined || !(await lives(found))) return undefined
      const url = await addressIn(place)
      return url === undefined ? undefined : { url }
    })
  )

  const hasEnded = (found: Process) =>
    Effect.map(
      Effect.promise(() => lives(found)),
      (isAlive) => !isAlive
    )

  const until = (done: Effect.Effect<boolean>, millis: number) =>
    Effect.gen(function* () {
      while (!(yield* done)) yield* Effect.sleep(pollMillis)
      return true
    }).pipe(Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.succeed(false) }))

  const stop = Effect.fn("provisioner.stop")(function* (key: string) {
    const place = placeOf(key)
    const found = yield* Effect.promise(() => processIn(place))
    if (found !== undefined && found.host !== hostname()) {
      return yield* failed("The runtime runs on another machine.")
    }
    if (found !== undefined && !(yield* hasEnded(found))) {
      kill(found.pid, "SIGTERM")
      const hasListened = yield* until(hasEnded(found), stopMillisMax)
      // With all that it has started: what is left of its group keeps the number from becoming another's.
      kill(-found.pid, "SIGKILL")
      if (!hasListened) {
        kill(found.pid, "SIGKILL")
        if (!(yield* until(hasEnded(found), stopMillisMax))) return yield* failed("The runtime does not end.")
      }
    }
    yield* attempt("What the runtime kept could not be removed", () => rm(place, { recursive: true, force: true }))
  })

  const begin = async (key: string, settings: RuntimeSettings): Promise<{ child: ChildProcess; known: Process }> => {
    const place = placeOf(key)
    await mkdir(place, { recursive: true, mode: 0o700 })
    const log = await open(join(place, "output.log"), "w", 0o600)
    try {
      const child = spawn(program === "node" ? process.execPath : program, args, {
        cwd: place,
        detached: true,
        stdio: ["pipe", log.fd, log.fd],
        env: { ...options.environment, ORGPLANE_WORKER_INSTANCE: key }
      })
      await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject))
      child.on("error", () => undefined)
      const { stdin } = child
      if (stdin === null) throw new Error("A process without its input.")
      stdin.on("error", () => undefined)
      const known = { pid: child.pid ?? 0, startedAt: await processStart(child.pid ?? 0), host: hostname() }
      try {
        await put(join(place, "process.json"), known)
      } catch (cause) {
        // Nobody would know of it.
        child.kill("SIGKILL")
        throw cause
      }
      const told = {
        controlPlaneUrl: settings.controlPlaneUrl,
        workerId: settings.workerId,
        workerToken: Redacted.value(settings.workerToken),
        runtimeToken: Redacted.value(settings.runtimeToken),
        heartbeatSeconds: settings.heartbeatSeconds,
        readyFile: join(place, "ready.json")
      }
      stdin.end(`${JSON.stringify(told)}\n`)
      child.unref()
      return { child, known }
    } finally {
      await log.close()
    }
  }

  const start = Effect.fn("provisioner.start")(function* (key: string, settings: RuntimeSettings) {
    yield* stop(key)
    const { child, known } = yield* attempt("The runtime's program could not be started", () => begin(key, settings))
    const isReady = Effect.promise(async () => (await addressIn(placeOf(key))) !== undefined)
    const isOver = Effect.map(hasEnded(known), (ended) => ended || child.exitCode !== null)
    const settled = Effect.flatMap(isReady, (ready) => (ready ? Effect.succeed(true) : isOver))
    const inTime = yield* until(settled, startMillisMax)
    const found = yield* find(key)
    if (found !== undefined) return found
    yield* stop(key)
    return yield* failed(
      inTime
        ? "The runtime ended before it said where it answers."
        : "The runtime did not say in time where it answers."
    )
  })

  const keys = attempt("The directory of the runtimes could not be read", async () => {
    const names = await readdir(options.directory).catch(() => [])
    return names.filter(isKey)
  })

  return Layer.succeed(Provisioner, {
    provider: "local-process",
    // Two installations of one machine keep their runtimes apart, whatever database they share.
    region: `${hostname()}-${crc32(resolve(options.directory)).toString(16).padStart(8, "0")}`,
    destination: "loopback",
    find,
    start,
    stop,
    keys
  })
}
