/**
 * A socket in the data directory, through which commands of `orgplane-server` use the database of a running server. The
 * permissions of the directory and of the socket decide who can use it.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { chmod, type FileHandle, open, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { join, resolve } from "node:path"
import { isMainThread } from "node:worker_threads"

const socketName = "operator.sock"

/** The shortest limit of an operating system for the path of a socket. */
const pathBytesMax = 100

interface Place {
  readonly path: string
  readonly close: () => Promise<void>
}

/** The path of the socket. If it is too long for the operating system, Linux reaches the directory by its descriptor. */
const placeIn = async (dataDir: string): Promise<Place> => {
  const path = join(resolve(dataDir), socketName)
  if (Buffer.byteLength(path) <= pathBytesMax) return { path, close: async () => {} }
  if (process.platform !== "linux") throw new Error(`The path ${path} is too long for a socket.`)
  const directory: FileHandle = await open(resolve(dataDir), "r")
  return { path: `/proc/self/fd/${directory.fd}/${socketName}`, close: () => directory.close() }
}

export const refuse = (response: ServerResponse, status: number, message: string) => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ message }))
}

/** Responds to a request. `signal` is aborted when the client is gone or the server stops. */
export type Respond = (request: IncomingMessage, response: ServerResponse, signal: AbortSignal) => Promise<void>

const listening = async (dataDir: string, respond: Respond) => {
  const place = await placeIn(dataDir)
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const disconnect = new AbortController()
    response.on("close", () => disconnect.abort())
    const task: Promise<void> = respond(request, response, AbortSignal.any([disconnect.signal, stopping.signal]))
      .catch(() => void response.destroy())
      .finally(() => running.delete(task))
    running.add(task)
  })
  // Left by a server that was killed. The lock of the directory excludes another server.
  await rm(place.path, { force: true })
  const bound = new Promise<void>((done, fail) => server.once("listening", done).once("error", fail))
  // The socket gets its permissions when it is created, so that no other user can connect before `chmod`.
  const umask = isMainThread ? process.umask(0o177) : undefined
  try {
    server.listen(place.path)
  } finally {
    if (umask !== undefined) process.umask(umask)
  }
  try {
    await bound
    await chmod(place.path, 0o600)
  } catch (cause) {
    await place.close()
    throw cause
  }
  server.unref()
  return async () => {
    stopping.abort()
    const closed = new Promise<void>((done) => server.close(() => done()))
    await Promise.allSettled(running)
    server.closeAllConnections()
    await closed
    await place.close()
  }
}

/** Listens until the scope closes. A file system without sockets does not prevent the start. */
export const listenForOperator = (dataDir: string, respond: Respond): Effect.Effect<void, never, Scope.Scope> =>
  process.platform === "win32"
    ? Effect.void
    : Effect.acquireRelease(
        Effect.tryPromise(() => listening(dataDir, respond)).pipe(
          Effect.catch((error) =>
            Effect.as(
              Effect.logWarning(
                `Cannot listen on ${socketName} in the data directory, so orgplane-server backup and rotate-keys work only while the server is stopped, and support-bundle does not contain the state of the database.`,
                error.cause
              ),
              async () => {}
            )
          )
        ),
        (close) => Effect.promise(close)
      )

/** Sends a request to the server that uses the data directory; undefined if none listens. */
export const askServer = async (
  dataDir: string,
  path: `/${string}`,
  signal: AbortSignal
): Promise<IncomingMessage | undefined> => {
  if (process.platform === "win32") return undefined
  const place = await placeIn(dataDir).catch((cause: unknown) => {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw cause
  })
  if (place === undefined) return undefined
  try {
    return await new Promise<IncomingMessage | undefined>((done, fail) => {
      request({ socketPath: place.path, path, method: "POST", signal })
        .on("response", done)
        .on("error", (cause: NodeJS.ErrnoException) => {
          if (cause.code === "ENOENT" || cause.code === "ECONNREFUSED") done(undefined)
          else fail(cause)
        })
        .end()
    })
  } finally {
    await place.close()
  }
}
