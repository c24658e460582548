import { PGlite } from "@electric-sql/pglite"
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm"
import { unaccent } from "@electric-sql/pglite/contrib/unaccent"
import { parentPort, workerData } from "node:worker_threads"
import { type EngineData, messageOf, type Reply, type Request } from "./pglite-messages.ts"

/** The engine computes for as long as a statement takes, so it runs in its own thread. */

const parent = parentPort
if (parent === null) throw new Error("pglite-worker runs as a worker thread only.")
// Both ends of this channel are from the same build, so messages are not validated again.
const received: unknown = workerData
const { resultBytesMax, dataDir, snapshot } = received as EngineData
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

const exec = async (engine: PGlite, id: number, messages: Uint8Array) => {
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

try {
  const engine = await PGlite.create({
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(snapshot === undefined ? {} : { loadDataDir: new Blob([new Uint8Array(snapshot)]) }),
    extensions: { pg_trgm, unaccent }
  })
  // For all sessions. Other pages are in the page cache of this machine, so every page costs the same.
  await engine.exec("SET random_page_cost = 1.1")
  // A copy: the response is in a buffer that the engine reuses.
  const startup = (await engine.execProtocolRaw(startupPacket())).slice()

  let last = Promise.resolve()
  parent.on("message", (request: Request) => {
    const work =
      request.kind === "exec"
        ? () => exec(engine, request.id, request.bytes)
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
