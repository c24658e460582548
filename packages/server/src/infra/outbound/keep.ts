import type { IncomingMessage } from "node:http"
import type { OutboundStream } from "../ports/outbound.ts"
import { type Connection, idleMillisOf, type Pool, type PoolKey } from "./pool.ts"
import type { Wire } from "./wire.ts"

/** How much of a response that the reader did not need is read, so that its connection can be kept. */
const restBytesMax = 64 * 1024
const restMillisMax = 250

/** A response whose connection may be kept. */
export interface Keeping {
  readonly pool: Pool
  readonly key: PoolKey
  readonly connection: Connection
  readonly message: IncomingMessage
  readonly wire: Wire
  /** Settles when Node has released the connection, which it does only if both sides keep it open. */
  readonly free: Promise<void>
  readonly isFree: () => boolean
  readonly hasBody: boolean
  /** Removes everything that the exchange has attached to the connection. */
  readonly detach: () => void
  /** How reading the body ended; undefined while it has not. */
  bodyEnd: "complete" | "failed" | undefined
}

const readRest = async (body: OutboundStream["body"]): Promise<void> => {
  const rest = body[Symbol.asyncIterator]()
  for (let bytes = 0; bytes <= restBytesMax;) {
    const next = await rest.next()
    if (next.done === true) return
    bytes += next.value.byteLength
  }
}

/**
 * Whether the connection is safe to use again: the response was persistent HTTP/1.1, was read without an error, and
 * ended exactly where it said.
 */
const isSafe = ({ bodyEnd, hasBody, isFree, wire }: Keeping): boolean =>
  bodyEnd === "complete" && isFree() && wire.isExact(hasBody)

/** Keeps the connection of a response that was read without an error, or closes it. */
export const keepOrClose = async (keeping: Keeping, body: OutboundStream["body"]): Promise<void> => {
  const { connection, detach, free, isFree, key, message, pool } = keeping
  const { socket } = connection
  if (socket.destroyed) return
  if (keeping.bodyEnd !== "complete" || !isFree()) {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const timer = setTimeout(end, restMillisMax)
    socket.once("close", end)
    const read = readRest(body).then(() => (keeping.bodyEnd === "complete" ? free : undefined))
    await Promise.race([read.catch(() => undefined), ended])
    clearTimeout(timer)
    socket.off("close", end)
  }
  if (!isSafe(keeping)) return void socket.destroy()
  detach()
  pool.offer(key, connection, idleMillisOf(String(message.headers["keep-alive"] ?? "")))
}
