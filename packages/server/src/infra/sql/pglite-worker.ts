import { PGlite } from "@electric-sql/pglite"
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm"
import { unaccent } from "@electric-sql/pglite/contrib/unaccent"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { parentPort } from "node:worker_threads"
import { messageOf, type Reply, type Request, type Start } from "./pglite-messages.ts"

/** The engine computes for as long as a statement takes, so it runs in its own thread. */

const parent = parentPort
if (parent === null) throw new Error("pglite-worker runs as a worker thread only.")
const send = (reply: Reply) =>
  parent.postMessage(reply, "bytes" in reply && reply.bytes.buffer instanceof ArrayBuffer ? [reply.bytes.buffer] : [])

const partBytes = 256 * 1024

const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  // Not from Buffer's pool: the memory is transferred with the bytes.
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/**
 * The engine's settings. Its cache is memory of this process, and other pages are in the operating system's page cache.
 * The smallest working set that does not slow down statements is enough.
 */
const settings = ["-c", "shared_buffers=32MB"]

/**
 * A function is compiled with optimizations after it has run for this number of bytes of code, ten times as many as by
 * default: otherwise functions that are used only at startup are optimized too, which costs more than it saves.
 */
const optimizeAfterBytes = 130_000_000

/** Applies flags of V8 for as long as a task runs. They are flags of the whole process. */
const withFlag = async <A>(name: string, value: number, usual: number, task: () => Promise<A>): Promise<A> => {
  setFlagsFromString(`--${name}=${value}`)
  try {
    return await task()
  } finally {
    setFlagsFromString(`--${name}=${usual}`)
  }
}

class Postgres extends PGlite {
  /**
   * Runs an empty statement instead, when the engine is ready. The types of arrays are needed only to decode rows here.
   *
   * The parser's main function is one switch with over a thousand cases. V8 needs 600 MB of memory and seconds of CPU
   * time to optimize it, and statements do not become faster. V8 decides when it first compiles a function whether it
   * may be optimized later, so the functions that the first statement uses are compiled without that possibility.
   */
  override async _initArrayTypes() {
    await withFlag("wasm-tier-up-filter", 0, -1, () => this.exec(""))
  }
}

const exec = async (engine: PGlite, id: number, messages: Uint8Array, resultBytesMax: number) => {
  let chunks: Array<Uint8Array> = []
  let held = 0
  let total = 0
  await engine.execProtocolRawStream(messages, {
    onRawData: (bytes) => {
      total += bytes.length
      // Nothing may be thrown through the engine: excess bytes are dropped here and reported at the end.
      if (total > resultBytesMax) return
      // The engine overwrites this part with the next one.
      chunks.push(bytes.slice())
      held += bytes.length
      if (held < partBytes) return
      send({ kind: "part", id, bytes: concat(chunks, held) })
      chunks = []
      held = 0
    }
  })
  if (total > resultBytesMax) {
    throw new Error(`The result has ${total} bytes; the embedded database returns at most ${resultBytesMax}.`)
  }
  send({ kind: "done", id, bytes: concat(chunks, held) })
}

const dump = async (engine: PGlite, id: number) => {
  // A database that is loaded from the dump need not replay the log first.
  await engine.exec("CHECKPOINT")
  const blob = await engine.dumpDataDir("none")
  send({ kind: "done", id, bytes: new Uint8Array(await blob.arrayBuffer()) })
}

const close = async (engine: PGlite, id: number) => {
  await engine.close()
  send({ kind: "done", id, bytes: new Uint8Array(0) })
}

const startupPacket = () => {
  const body = new TextEncoder().encode("user\0postgres\0database\0postgres\0client_encoding\0UTF8\0\0")
  const packet = new Uint8Array(8 + body.length)
  const view = new DataView(packet.buffer)
  view.setInt32(0, packet.length)
  view.setInt32(4, 196608)
  packet.set(body, 8)
  return packet
}

const open = async ({ dataDir, snapshot }: Start, pgliteWasmModule: WebAssembly.Module) => {
  const engine = new Postgres({
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(snapshot === undefined ? {} : { loadDataDir: new Blob([new Uint8Array(snapshot)]) }),
    extensions: { pg_trgm, unaccent },
    pgliteWasmModule,
    startParams: [...PGlite.defaultStartParams, ...settings]
  })
  await engine.waitReady
  return engine
}

const compile = async () =>
  WebAssembly.compile(await readFile(fileURLToPath(import.meta.resolve("@electric-sql/pglite/pglite.wasm"))))

try {
  const compiled = compile()
  // The thread may start before it is known which directory to open.
  const first = await new Promise<unknown>((received) => parent.once("message", received))
  // Both ends of this channel are from the same build, so messages are not validated again.
  const start = first as Start
  const program = await compiled
  const engine = await withFlag("wasm-tiering-budget", optimizeAfterBytes, 13_000_000, () => open(start, program))
  const { resultBytesMax } = start
  // For all sessions. Other pages are in the page cache of this machine, so every page costs the same.
  await engine.exec("SET random_page_cost = 1.1")
  // A copy: the response is in a buffer that the engine reuses.
  const startup = (await engine.execProtocolRaw(startupPacket())).slice()

  let last = Promise.resolve()
  parent.on("message", (request: Request) => {
    const work =
      request.kind === "exec"
        ? () => exec(engine, request.id, request.bytes, resultBytesMax)
        : request.kind === "dump"
          ? () => dump(engine, request.id)
          : () => close(engine, request.id)
    last = last
      .then(work)
      .catch((cause: unknown) => send({ kind: "failed", id: request.id, message: messageOf(cause) }))
  })
  send({ kind: "started", startup })
} catch (cause) {
  send({ kind: "refused", message: messageOf(cause) })
}
