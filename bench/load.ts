import { connect, type Socket } from "node:net"

export interface Load {
  readonly requests: number
  readonly seconds: number
  readonly p99Millis: number
}

const headEnd = Buffer.from("\r\n\r\n")

/** The length of the response at the start of `bytes`, or 0 if it is incomplete. */
const responseLength = (bytes: Buffer): number => {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return 0
  const head = bytes.toString("latin1", 0, end)
  if (head.startsWith("HTTP/1.1 204")) return end + 4
  if (!/^HTTP\/1\.1 20[01] /.test(head)) {
    throw new Error(`Unexpected response: ${head}\n${bytes.toString("utf8", end + 4)}`)
  }
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`A response without a content-length: ${head}`)
  const total = end + 4 + Number(length)
  return bytes.length < total ? 0 : total
}

/**
 * Sends requests as fast as responses arrive, over keep-alive connections, for a given time. Then waits for open
 * requests. Fails at the first response that is not 200, 201 or 204. Does as little work as possible, so that the
 * results reflect the server.
 */
export const load = async (options: {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Stops the load early. */
  readonly requestsMax?: number
  readonly next: () => Buffer
}): Promise<Load> => {
  const { connections, next, port, requestsMax = Number.POSITIVE_INFINITY, seconds } = options
  const sockets = await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket))
          socket.once("error", reject)
        })
    )
  )
  const times: Array<number> = []
  const began = performance.now()
  const until = began + seconds * 1000
  try {
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve, reject) => {
            let rest: Buffer | undefined
            let requestedAt = 0
            const ask = () => {
              requestedAt = performance.now()
              if (requestedAt >= until || times.length >= requestsMax) return resolve()
              socket.write(next())
            }
            socket.on("data", (chunk: Buffer) => {
              const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk])
              try {
                if (responseLength(bytes) === 0) {
                  rest = bytes
                  return
                }
              } catch (cause) {
                return reject(cause)
              }
              rest = undefined
              times.push(performance.now() - requestedAt)
              ask()
            })
            socket.once("close", () => reject(new Error("The server closed a connection.")))
            socket.once("error", reject)
            ask()
          })
      )
    )
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  times.sort((a, b) => a - b)
  return {
    requests: times.length,
    seconds: (performance.now() - began) / 1000,
    p99Millis: times[Math.floor(times.length * 0.99)] ?? 0
  }
}
