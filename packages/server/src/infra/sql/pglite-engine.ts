import { Buffer } from "node:buffer"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { messageOf, type Reply, type Request, type Start } from "./pglite-messages.ts"
import type { Backend } from "./pglite-sessions.ts"

export interface Engine extends Backend {
  /** All files of the database as one archive. No other operation may run at the same time. */
  readonly dump: () => Promise<Uint8Array>
  readonly close: () => Promise<void>
  /** Terminates the thread immediately, like a crash. */
  readonly kill: () => Promise<void>
}

type WithoutId<A> = A extends unknown ? Omit<A, "id"> : never

interface Pending {
  readonly onPart: (bytes: Buffer) => void
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (cause: Error) => void
}

const view = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Works from source and from the build: the worker is next to this file and has its extension. */
const workerUrl = () => {
  const extension = extname(new URL(import.meta.url).pathname)
  return new URL(`./pglite-worker${extension}`, import.meta.url)
}

/**
 * Limits of the thread's JavaScript heap. The memory that V8 reserves for young objects stays resident, and the thread
 * creates few of them, because rows are outside the heap.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 4 }

/**
 * Starts a thread that loads and compiles the engine, before it is known which directory it opens. It does not keep the
 * process alive until the engine starts.
 */
export const prepareThread = (): Worker => {
  // The flags of this process (test runners, loaders) do not apply to the thread.
  const worker = new Worker(workerUrl(), { execArgv: [], name: "orgplane-database", resourceLimits })
  worker.unref()
  return worker
}

/** Starts the engine in its own thread, or in a prepared one. */
export const startEngine = (start: Start, prepared?: Worker): Promise<Engine> =>
  new Promise((resolve, reject) => {
    const worker = prepared ?? prepareThread()
    worker.ref()
    worker.postMessage(start)
    const pending = new Map<number, Pending>()
    let lastId = 0
    let endCause: Error | undefined
    let isStarted = false
    let settleEnded: (cause: Error) => void = () => {}
    const ended = new Promise<Error>((settle) => {
      settleEnded = settle
    })

    const end = (cause: Error) => {
      if (endCause !== undefined) return
      endCause = cause
      for (const each of pending.values()) each.reject(cause)
      pending.clear()
      settleEnded(cause)
      reject(cause)
    }

    const ask = (request: WithoutId<Request>, responded: (bytes: Buffer) => void = () => {}) =>
      new Promise<Uint8Array>((done, fail) => {
        if (endCause !== undefined) return fail(endCause)
        const id = ++lastId
        pending.set(id, { onPart: responded, resolve: done, reject: fail })
        worker.postMessage({ ...request, id })
      })

    const engine = (startup: Uint8Array): Engine => ({
      startup: view(startup),
      ended,
      exec: async (messages, responded) => {
        const last = await ask({ kind: "exec", bytes: messages }, responded)
        if (last.length > 0) responded(view(last))
      },
      dump: () => ask({ kind: "dump" }),
      close: async () => {
        try {
          await ask({ kind: "close" })
        } finally {
          end(new Error("The embedded database is closed."))
          await worker.terminate()
        }
      },
      kill: async () => {
        await worker.terminate()
      }
    })

    worker.on("message", (reply: Reply) => {
      if (reply.kind === "started") {
        isStarted = true
        return resolve(engine(reply.startup))
      }
      if (reply.kind === "refused") {
        end(new Error(`The embedded database cannot start: ${reply.message}`))
        void worker.terminate()
        return
      }
      const waiting = pending.get(reply.id)
      if (waiting === undefined) return
      if (reply.kind === "part") return waiting.onPart(view(reply.bytes))
      pending.delete(reply.id)
      if (reply.kind === "done") waiting.resolve(reply.bytes)
      else waiting.reject(new Error(`The embedded database failed: ${reply.message}`))
    })
    worker.on("error", (cause) => {
      // A stream that reads an invalid dump can fail in the thread before the load itself is rejected.
      const failed = isStarted ? "The thread of the embedded database failed" : "The embedded database cannot start"
      end(new Error(`${failed}: ${messageOf(cause)}`, { cause }))
    })
    worker.on("exit", (code) => end(new Error(`The thread of the embedded database ended (exit code ${code}).`)))
  })
