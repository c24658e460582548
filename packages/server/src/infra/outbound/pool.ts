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
  readonly name: string
  readonly owner: string
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

const nameOf = ({ credential, organizationId, origin, owner }: PoolKey): string =>
  JSON.stringify([organizationId, owner, credential, origin])
const ownerOf = ({ organizationId, owner }: Pick<PoolKey, "organizationId" | "owner">): string =>
  JSON.stringify([organizationId, owner])

/** Sets by name. An empty set is not kept. */
class Sets<A> {
  readonly #sets = new Map<string, Set<A>>()
  get(name: string): ReadonlySet<A> {
    return this.#sets.get(name) ?? new Set()
  }
  add(name: string, item: A): void {
    const set = this.#sets.get(name)
    if (set === undefined) this.#sets.set(name, new Set([item]))
    else set.add(item)
  }
  delete(name: string, item: A): void {
    const set = this.#sets.get(name)
    set?.delete(item)
    if (set?.size === 0) this.#sets.delete(name)
  }
}

/**
 * Idle connections for later requests. An idle connection that receives anything is closed, because no response is
 * expected on it.
 */
export class Pool {
  /** The most recently used connection is last, here and in each of the sets. */
  readonly #idle = new Set<Idle>()
  readonly #byKey = new Sets<Idle>()
  readonly #byOwner = new Sets<Idle>()
  readonly #byOrganization = new Sets<Idle>()
  readonly #limits: PoolLimits
  #isClosed = false

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#idle.size
  }

  /** Keeps a connection whose response is complete, or closes it. */
  offer(key: PoolKey, connection: Connection, idleMillis: number): void {
    const { socket, openedAt } = connection
    const now = performance.now()
    const until = Math.min(now + idleMillis, openedAt + ageMillisMax)
    if (this.#isClosed || socket.destroyed || !socket.writable || until <= now) return void socket.destroy()
    const name = nameOf(key)
    const owner = ownerOf(key)
    this.#makeRoom(this.#byKey.get(name), this.#limits.perKey)
    this.#makeRoom(this.#byOrganization.get(key.organizationId), this.#limits.perOrganization)
    this.#makeRoom(this.#idle, this.#limits.perProcess)
    const close = (): void => this.#end(idle)
    const idle: Idle = { key, name, owner, connection, until, close, timer: setTimeout(close, until - now).unref() }
    this.#idle.add(idle)
    this.#byKey.add(name, idle)
    this.#byOwner.add(owner, idle)
    this.#byOrganization.add(key.organizationId, idle)
    for (const event of idleEvents) socket.on(event, close)
    socket.unref()
  }

  /**
   * A connection for a request with this key. The owner's connections with another credential are closed, because that
   * credential has been replaced.
   */
  async take(key: PoolKey): Promise<Connection | undefined> {
    for (const idle of [...this.#byOwner.get(ownerOf(key))]) {
      if (idle.key.credential !== key.credential) this.#end(idle)
    }
    const name = nameOf(key)
    for (;;) {
      const idle = [...this.#byKey.get(name)].at(-1)
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
    for (const idle of [...this.#byOwner.get(ownerOf(owner))]) this.#end(idle)
  }

  close(): void {
    this.#isClosed = true
    for (const idle of [...this.#idle]) this.#end(idle)
  }

  #makeRoom(counted: ReadonlySet<Idle>, max: number): void {
    while (counted.size >= max) {
      const [oldest] = counted
      if (oldest === undefined) return
      this.#end(oldest)
    }
  }

  #end(idle: Idle): void {
    this.#remove(idle)
    idle.connection.socket.destroy()
  }

  #remove(idle: Idle): void {
    clearTimeout(idle.timer)
    this.#idle.delete(idle)
    this.#byKey.delete(idle.name, idle)
    this.#byOwner.delete(idle.owner, idle)
    this.#byOrganization.delete(idle.key.organizationId, idle)
  }
}
