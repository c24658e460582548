import { Buffer } from "node:buffer"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import type { EngineData, Reply, Request } from "./pglite-messages.ts"
import type { Backend } from "./pglite-sessions.ts"

export interface Engine extends Backend {
  /** All files of the database as one archive. Must run alone. */
  readonly dump: () => Promise<Uint8Array>
  readonly close: () => Promise<void>
  /** Ends the thread at once, as a crash would. */
  readonly kill: () => Promise<void>
}

type WithoutId<A> = A extends unknown ? Omit<A, "id"> : never

interface Pending {
  readonly answered: (bytes: Buffer) => void
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (cause: Error) => void
}

const view = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Runs from source and from the build: the worker lies next to this file and has its extension. */
const workerUrl = () => {
  const extension = extname(new URL(import.meta.url).pathname)
  return new URL(`./pglite-worker${extension}`, import.meta.url)
}

/** Starts the engine in a thread of its own. */
export const startEngine = (data: EngineData): Promise<Engine> =>
  new Promise((resolve, reject) => {
    // The flags of this process (test runners, loaders) are not the thread's.
    const worker = new Worker(workerUrl(), { workerData: data, execArgv: [], name: "orgplane-database" })
    const pending = new Map<number, Pending>()
    let lastId = 0
    let ended: Error | undefined
    let tellGone: (cause: Error) => void = () => {}
    const gone = new Promise<Error>((settle) => {
      tellGone = settle
    })

    const end = (cause: Error) => {
      if (ended !== undefined) return
      ended = cause
      for (const each of pending.values()) each.reject(cause)
      pending.clear()
      tellGone(cause)
      reject(cause)
    }

    const ask = (request: WithoutId<Request>, responded: (bytes: Buffer) => void = () => {}) =>
      new Promise<Uint8Array>((done, fail) => {
        if (ended !== undefined) return fail(ended)
        const id = ++lastId
        pending.set(id, { answered: responded, resolve: done, reject: fail })
        worker.postMessage({ ...request, id })
      })

    const engine = (startup: Uint8Array): Engine => ({
      startup: view(startup),
      gone,
      exec: async (messages, responded) => {
        const last = await ask({ kind: "exec", bytes: messages }, responded)
        if (last.length > 0) responded(view(last))
      },
      dump: () => ask({ kind: "dump" }),
      close: async () => {
        try {
          await ask({ kind: "close" })
        } finally {
          end(new Error("The database in process is closed."))
          await worker.terminate()
        }
      },
      kill: async () => {
        await worker.terminate()
      }
    })

    worker.on("message", (reply: Reply) => {
      if (reply.kind === "started") return resolve(engine(reply.startup))
      if (reply.kind === "refused") {
        end(new Error(`The database in process did not start: ${reply.message}`))
        void worker.terminate()
        return
      }
      const waiting = pending.get(reply.id)
      if (waiting === undefined) return
      if (reply.kind === "part") return waiting.answered(view(reply.bytes))
      pending.delete(reply.id)
      if (reply.kind === "done") waiting.resolve(reply.bytes)
      else waiting.reject(new Error(`The database in process failed: ${reply.message}`))
    })
    worker.on("error", (cause) =>
      end(
        new Error(
          `The thread of the database in process died: ${cause instanceof Error ? cause.message : String(cause)}`,
          { cause }
        )
      )
    )
    worker.on("exit", (code) => end(new Error(`The thread of the database in process ended (exit code ${code}).`)))
  })
