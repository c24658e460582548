import type { Socket } from "node:net"
import { setImmediate } from "node:timers/promises"

export interface PoolLimits {
  readonly perKey: number
  readonly perOrganization: number
  readonly perProcess: number
}

/** The requests that may share a connection: all members must be equal. */
export interface PoolKey {
  readonly organizationId: string
  readonly owner: string
  /** A digest of the credential. */
  readonly credential: string
  /** Destination and origin: kind of URL, scheme, host and port. */
  readonly origin: string
}

/** An open connection and the address that was checked before it was opened. */
export interface Connection {
  readonly socket: Socket
  readonly address: string
  readonly openedAt: number
}

/** A connection that has just been opened. */
export const connectionOf = (socket: Socket, address: string): Connection => ({
  socket,
  address,
  openedAt: performance.now()
})

interface Idle {
  readonly key: PoolKey
  readonly connection: Connection
  readonly until: number
  readonly timer: NodeJS.Timeout
  /** The listener for anything that happens to the idle connection. */
  readonly close: () => void
}

/**
 * Many servers close idle connections after 5 seconds without announcing it. A request that is sent at that moment fails,
 * so connections are closed earlier here. An announced limit is used instead, with a margin.
 */
const idleMillisDefault = 4_000
const idleMillisMax = 30_000
const idleMarginMillis = 1_000
/** A server that moves to another address is reached there after this time at the latest. */
const ageMillisMax = 120_000

/** How long a connection may be idle; 0 when it must not be reused. */
export const idleMillisOf = (keepAlive: string): number => {
  const seconds = /(?:^|[,\s])timeout\s*=\s*"?(\d{1,6})/i.exec(keepAlive)?.[1]
  if (seconds === undefined) return idleMillisDefault
  return Math.min(Math.max(0, Number(seconds) * 1_000 - idleMarginMillis), idleMillisMax)
}

const idleEvents = ["data", "end", "close"] as const

const isSameOwner = (left: PoolKey, right: Pick<PoolKey, "organizationId" | "owner">): boolean =>
  left.organizationId === right.organizationId && left.owner === right.owner

const isSame = (left: PoolKey, right: PoolKey): boolean =>
  isSameOwner(left, right) && left.credential === right.credential && left.origin === right.origin

/**
 * Idle connections for later requests. An idle connection that receives anything is closed, because no response is
 * expected on it.
 */
export class Pool {
  /** The most recently used connection is last. */
  readonly #idle: Array<Idle> = []
  readonly #limits: PoolLimits
  #isClosed = false

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#idle.length
  }

  /** Keeps a connection whose response is complete, or closes it. */
  offer(key: PoolKey, connection: Connection, idleMillis: number): void {
    const { socket, openedAt } = connection
    const now = performance.now()
    const until = Math.min(now + idleMillis, openedAt + ageMillisMax)
    if (this.#isClosed || socket.destroyed || !socket.writable || until <= now) return void socket.destroy()
    this.#makeRoom((idle) => isSame(idle.key, key), this.#limits.perKey)
    this.#makeRoom((idle) => idle.key.organizationId === key.organizationId, this.#limits.perOrganization)
    this.#makeRoom(() => true, this.#limits.perProcess)
    const close = (): void => this.#end(idle)
    const idle: Idle = { key, connection, until, close, timer: setTimeout(close, until - now).unref() }
    this.#idle.push(idle)
    for (const event of idleEvents) socket.on(event, close)
    socket.unref()
  }

  /**
   * A connection for a request with this key. The owner's connections with another credential are closed, because that
   * credential has been replaced.
   */
  async take(key: PoolKey): Promise<Connection | undefined> {
    this.#closeWhere((idle) => isSameOwner(idle.key, key) && idle.key.credential !== key.credential)
    for (;;) {
      const idle = this.#idle.findLast((candidate) => isSame(candidate.key, key))
      if (idle === undefined) return undefined
      this.#remove(idle)
      // Afterwards, the event loop has read everything that had arrived: a server that has closed its end is noticed
      // before the request is sent, not after.
      await setImmediate()
      await setImmediate()
      const { socket } = idle.connection
      if (socket.destroyed || performance.now() >= idle.until) {
        socket.destroy()
        continue
      }
      for (const event of idleEvents) socket.off(event, idle.close)
      socket.ref()
      return idle.connection
    }
  }

  /** Closes the idle connections of an owner. */
  closeOf(owner: Pick<PoolKey, "organizationId" | "owner">): void {
    this.#closeWhere((idle) => isSameOwner(idle.key, owner))
  }

  close(): void {
    this.#isClosed = true
    this.#closeWhere(() => true)
  }

  #makeRoom(isCounted: (idle: Idle) => boolean, max: number): void {
    const counted = this.#idle.filter(isCounted)
    for (const idle of counted.slice(0, Math.max(0, counted.length - max + 1))) this.#end(idle)
  }

  #closeWhere(isClosed: (idle: Idle) => boolean): void {
    for (const idle of this.#idle.filter(isClosed)) this.#end(idle)
  }

  #end(idle: Idle): void {
    this.#remove(idle)
    idle.connection.socket.destroy()
  }

  #remove(idle: Idle): void {
    clearTimeout(idle.timer)
    const index = this.#idle.indexOf(idle)
    if (index >= 0) this.#idle.splice(index, 1)
  }
}
