import { PGlite } from "@electric-sql/pglite"
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm"
import { unaccent } from "@electric-sql/pglite/contrib/unaccent"
import { parentPort, workerData } from "node:worker_threads"
import type { EngineData, Reply, Request } from "./pglite-messages.ts"

/** The engine computes for as long as a statement takes, so it has a thread to itself. */

const parent = parentPort
if (parent === null) throw new Error("pglite-worker runs as a worker thread only.")
// Both ends of this thread are ours and of one build, so what it is given and told is not checked again.
const given: unknown = workerData
const { answerBytesMax, dataDir, snapshot } = given as EngineData

const tell = (reply: Reply) =>
  parent.postMessage(reply, "bytes" in reply && reply.bytes.buffer instanceof ArrayBuffer ? [reply.bytes.buffer] : [])
const memberOf = (cause: object, name: "message" | "name" | "errno"): string =>
  name in cause ? String((cause as { readonly [member: string]: unknown })[name]) : ""

/** The engine also throws objects of its own that are no errors: with a message, or a name and a number. */
const messageOf = (cause: unknown): string => {
  if (cause instanceof Error) return cause.message
  if (typeof cause !== "object" || cause === null) return String(cause)
  return (
    memberOf(cause, "message") || `${memberOf(cause, "name")} ${memberOf(cause, "errno")}`.trim() || "unknown error"
  )
}

const partBytes = 256 * 1024

const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  // Not from Buffer's pool: the bytes are given away with their memory.
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
      // Nothing may be thrown through the engine: what is too much is dropped here and told at the end.
      if (total > answerBytesMax) return
      // The engine writes the next part over this one.
      chunks.push(bytes.slice())
      held += bytes.length
      if (held < partBytes) return
      tell({ kind: "part", id, bytes: concat(chunks, held) })
      chunks = []
      held = 0
    }
  })
  if (total > answerBytesMax) {
    throw new Error(`The answer has ${total} bytes; the database in process gives ${answerBytesMax} at most.`)
  }
  tell({ kind: "done", id, bytes: concat(chunks, held) })
}

const dump = async (engine: PGlite, id: number) => {
  // What is loaded later need not replay the log first.
  await engine.exec("CHECKPOINT")
  const blob = await engine.dumpDataDir("none")
  tell({ kind: "done", id, bytes: new Uint8Array(await blob.arrayBuffer()) })
}

const close = async (engine: PGlite, id: number) => {
  await engine.close()
  tell({ kind: "done", id, bytes: new Uint8Array(0) })
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
  // Shared by all sessions. Other pages are in the page cache of this machine, so every page costs the same.
  await engine.exec("SET random_page_cost = 1.1")
  // A copy: the answer lies in a buffer that the engine uses again.
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
      .catch((cause: unknown) => tell({ kind: "failed", id: request.id, message: messageOf(cause) }))
  })
  tell({ kind: "started", startup })
} catch (cause) {
  tell({ kind: "refused", message: messageOf(cause) })
}
