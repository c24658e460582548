import { Buffer } from "node:buffer"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { cancelSession, openSession, type OpenSession, Refused } from "./postgres-session.ts"
import type { PostgresHost, PostgresTarget } from "./postgres-url.ts"
import * as Wire from "./wire.ts"

/** A running statement; its link is closed when no ticks are left. */
export interface Statement {
  ticks: number
}

export interface LinksOptions {
  readonly target: PostgresTarget
  /** How long a link is idle before it is probed, and the timeout of the probe. */
  readonly probeMillis?: number
  readonly probeResponseMillis?: number
}

/** The purpose of a connection: pooled connections are probed while they are idle. */
export type Use = "shared" | "own" | "beside"

/**
 * Time is counted in ticks, so that nothing times out while the event loop is blocked and responses may wait to be
 * read. Nothing ticks while no response is pending, so that an idle server does not wake up.
 */
const tickMillis = 250
/** Number of checks after which an idle link is probed. */
const idleChecksMax = 2
const ticksOf = (millis: number) => Math.max(1, Math.ceil(millis / tickMillis))
const hurriedTicks = ticksOf(10_000)
/** How long a server may take to close its side after this side was closed. */
const closeMillisMax = 5000

/**
 * The connections of this process to a PostgreSQL server, or to the matching one of several hosts. Each is a stream
 * below the client's protocol: it chooses the host, authenticates, and detects a dead peer.
 */
export class Links {
  readonly target: PostgresTarget
  readonly #all = new Set<Link>()
  readonly #byId = new Map<number, Link>()
  readonly #responseTicks: number
  /** Runs while a link waits for a response. */
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #idleTimer: ReturnType<typeof setInterval>
  #isClosed = false
  #lastId = 0
  /** Where the last session was opened: tried first, so that an unreachable host costs its timeout only once. */
  #preferred: PostgresHost | undefined

  constructor(options: LinksOptions) {
    this.target = options.target
    this.#responseTicks = ticksOf(options.probeResponseMillis ?? 2000)
    const checkMillis = Math.max(tickMillis, (options.probeMillis ?? 5000) / idleChecksMax)
    this.#idleTimer = setInterval(() => {
      for (const link of this.#all) link.checkIdle()
    }, checkMillis)
    this.#idleTimer.unref()
  }

  connect(use: Use): Link {
    const id = (this.#lastId = (this.#lastId % 0x7fff_ffff) + 1)
    const link = new Link(this, id, use)
    this.#all.add(link)
    this.#byId.set(id, link)
    return link
  }

  /** The link of a connection, by its backend process ID. */
  of(processId: number): Link | undefined {
    return this.#byId.get(processId)
  }

  hosts(): ReadonlyArray<PostgresHost> {
    const { hosts } = this.target
    const preferred = this.#preferred
    return preferred === undefined ? hosts : [preferred, ...hosts.filter((host) => host !== preferred)]
  }

  opened(host: PostgresHost) {
    this.#preferred = host
  }

  left(link: Link, id: number) {
    this.#all.delete(link)
    this.#byId.delete(id)
  }

  /** A statement timed out, so idle links are probed immediately, before a request uses a dead one. */
  suspect() {
    for (const link of this.#all) link.probe()
  }

  /** A probe got no response, so the network is dead: statements on other links get a shorter timeout. */
  hurry() {
    for (const link of this.#all) link.hurry(hurriedTicks)
  }

  /** The server is read-only: none of these connections is used again. */
  retire() {
    this.#preferred = undefined
    for (const link of this.#all) link.retire()
  }

  close() {
    this.#isClosed = true
    clearInterval(this.#timer)
    clearInterval(this.#idleTimer)
  }

  /** A link waits for a response from now on. True when the next tick is a whole tick away. */
  await(): boolean {
    if (this.#timer !== undefined || this.#isClosed) return false
    this.#timer = setInterval(() => this.#tick(), tickMillis)
    this.#timer.unref()
    return true
  }

  #tick() {
    for (const link of this.#all) link.tick(this.#responseTicks)
    for (const link of this.#all) if (link.awaits) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

const lost = (message: string) => Object.assign(new Error(message), { code: "ETIMEDOUT" })

/** Takes the bytes of a connection without a stream in between. */
export interface Receiver {
  readonly onBytes: (bytes: Buffer) => void
  readonly onClose: (cause: Error | undefined) => void
}

/** One connection. Until its session is open it holds the client's startup message; after that it passes bytes on. */
export class Link extends Duplex {
  session: OpenSession | undefined
  readonly #links: Links
  readonly #id: number
  readonly use: Use
  readonly #given = new AbortController()
  readonly #statements: Array<Statement> = []
  #socket: Socket | undefined
  /** Number of users that hold the connection for more than one statement: transactions, streams. */
  #holders = 0
  /** Number of checks since the link was last used. */
  #idleChecks = 0
  /** Remaining ticks for the response to a probe; undefined if no probe is pending. */
  #probe: number | undefined
  #probed: Buffer = Buffer.alloc(0)
  #retired = false
  #receiver: Receiver | undefined

  constructor(links: Links, id: number, use: Use) {
    super({ allowHalfOpen: false })
    this.#links = links
    this.#id = id
    this.use = use
  }

  /** Passes all bytes to a receiver; call it before anything is written. */
  receive(receiver: Receiver) {
    this.#receiver = receiver
    // `onClose` informs the receiver.
    this.on("error", () => {})
  }

  /** Sends bytes on an open connection that has a receiver. */
  send(bytes: Buffer) {
    this.#socket?.write(bytes)
  }

  begin(millis: number): Statement {
    const statement = { ticks: ticksOf(millis) }
    this.#statements.push(statement)
    this.#idleChecks = 0
    // The link is closed before its caller's own timeout, so that the next statement does not use it.
    if (this.#links.await() && statement.ticks > 1) statement.ticks -= 1
    return statement
  }

  settle(statement: Statement) {
    const last = this.#statements.pop()
    if (last !== undefined && last !== statement) this.#statements[this.#statements.indexOf(statement)] = last
    this.#rest()
  }

  hold() {
    this.#holders += 1
    this.#idleChecks = 0
  }

  release() {
    this.#holders -= 1
    this.#rest()
  }

  /** Ends the connection immediately. Every statement on it fails with `cause`. */
  cut(cause: Error) {
    const { session } = this
    // If the server is alive, its remaining work on this connection is no longer needed.
    if (session !== undefined) {
      cancelSession(this.#links.target, session, new AbortController().signal).catch(() => {})
    }
    this.destroy(cause)
  }

  /** Closes the connection as soon as it is idle. */
  retire() {
    if (this.use === "beside") return
    this.#retired = true
    this.#rest()
  }

  probe() {
    if (this.use === "beside" || this.#busy || this.#probe !== undefined || this.#socket === undefined) return
    this.#probe = Number.POSITIVE_INFINITY
    this.#socket.write(Wire.sync)
    this.#links.await()
  }

  hurry(ticks: number) {
    for (const statement of this.#statements) statement.ticks = Math.min(statement.ticks, ticks)
  }

  /** Whether a response is pending. */
  get awaits(): boolean {
    return this.#statements.length > 0 || this.#probe !== undefined
  }

  tick(responseTicks: number) {
    for (const statement of this.#statements) {
      if (--statement.ticks <= 0) {
        this.cut(lost("The database did not respond in time. The connection was closed."))
        this.#links.suspect()
        return
      }
    }
    if (this.#probe === undefined) return
    this.#probe = Math.min(this.#probe, responseTicks) - 1
    if (this.#probe >= 0) return
    this.cut(lost("The database did not respond to a probe. The connection was closed."))
    this.#links.suspect()
    this.#links.hurry()
  }

  /** Probes the link when it has been idle for several checks. */
  checkIdle() {
    this.#idleChecks = this.#busy ? 0 : this.#idleChecks + 1
    if (this.#idleChecks < idleChecksMax) return
    this.#idleChecks = 0
    this.probe()
  }

  get #busy(): boolean {
    return this.#statements.length > 0 || this.#holders > 0
  }

  #rest() {
    if (this.#retired && !this.#busy)
      this.destroy(lost("The server no longer accepts writes. The connection was closed."))
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void) {
    if (this.#socket !== undefined) this.#socket.write(chunk)
    else this.#first(Buffer.from(chunk))
    done()
  }

  override _final(done: (error?: Error | null) => void) {
    this.#socket?.end()
    setTimeout(() => this.destroy(), closeMillisMax).unref()
    done()
  }

  override _read() {
    this.#socket?.resume()
  }

  override _destroy(cause: Error | null, done: (error?: Error | null) => void) {
    this.#links.left(this, this.#id)
    this.#given.abort()
    this.#socket?.destroy()
    this.#receiver?.onClose(cause ?? undefined)
    done(cause)
  }

  #hand(bytes: Buffer): boolean {
    // A copy, because the socket's next read overwrites the buffer.
    if (this.#receiver === undefined) return this.push(Buffer.from(bytes))
    this.#receiver.onBytes(bytes)
    return true
  }

  #first(message: Buffer) {
    const isCancel = message.length === 16 && message.readInt32BE(4) === Wire.startupCode.cancel
    if (isCancel) void this.#cancel(message.readInt32BE(8))
    else void this.#open(message)
  }

  async #cancel(id: number) {
    const session = this.#links.of(id)?.session
    if (session !== undefined) await cancelSession(this.#links.target, session, this.#given.signal).catch(() => {})
    this.destroy()
  }

  async #open(startup: Buffer) {
    try {
      const { target } = this.#links
      const session = await openSession({ target, hosts: this.#links.hosts(), startup, signal: this.#given.signal })
      if (this.destroyed) return void session.socket.destroy()
      this.session = session
      this.#links.opened(session.host)
      this.#listen(session.socket)
      this.#hand(
        Buffer.concat([Wire.authenticationOk, Wire.backendKeyData(this.#id, 0), Wire.readyForQuery("I"), session.rest])
      )
    } catch (cause) {
      if (cause instanceof Refused) this.#hand(cause.frame)
      else this.destroy(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  #listen(socket: Socket) {
    this.#socket = socket
    socket.on("data", (chunk: Buffer) => {
      try {
        const bytes = this.#probe === undefined ? chunk : this.#withoutProbe(chunk)
        if (bytes.length > 0 && !this.#hand(bytes)) socket.pause()
      } catch (cause) {
        this.destroy(cause instanceof Error ? cause : new Error(String(cause)))
      }
    })
    socket.on("error", (cause) => this.destroy(cause))
    socket.on("close", () => this.destroy())
  }

  /** Hides the response to a probe from the client, which did not send it. */
  #withoutProbe(chunk: Buffer): Buffer {
    const { frames, rest } = Wire.splitFrames(Buffer.concat([this.#probed, chunk]))
    const at = frames.findIndex((frame) => frame[0] === Wire.type.readyForQuery)
    if (at < 0) {
      this.#probed = rest
      return Buffer.concat(frames)
    }
    this.#probe = undefined
    this.#probed = Buffer.alloc(0)
    return Buffer.concat([...frames.slice(0, at), ...frames.slice(at + 1), rest])
  }
}
