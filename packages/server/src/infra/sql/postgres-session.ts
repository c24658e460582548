import * as PgAuth from "@effect/sql-pg/PgAuth"
import * as PgProtocol from "@effect/sql-pg/PgProtocol"
import * as Result from "effect/Result"
import { Buffer } from "node:buffer"
import { randomBytes } from "node:crypto"
import { connect, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import type { PostgresHost, PostgresTarget, SessionAttrs } from "./postgres-url.ts"
import * as Wire from "./wire.ts"

/** An accepted session: authenticated, idle, and matching `target_session_attrs`. */
export interface OpenSession {
  readonly socket: Socket
  readonly host: PostgresHost
  readonly processId: number
  readonly secret: number
  /** Bytes that arrived after ReadyForQuery. */
  readonly rest: Buffer
}

/** The server refused the session with an ErrorResponse. */
export class Refused extends Error {
  readonly frame: Buffer
  readonly code: string
  constructor(frame: Buffer) {
    const fields = new Map(
      frame
        .toString("utf8", 5)
        .split("\0")
        .filter((field) => field !== "")
        .map((field) => [field.slice(0, 1), field.slice(1)])
    )
    super(fields.get("M") ?? "The server refused the connection.")
    this.frame = frame
    this.code = fields.get("C") ?? "08000"
  }
}

const refused = (code: string, message: string) => new Refused(Wire.errorResponse(code, message))
const keepAliveMillis = 10_000
const frameBytesMax = 1024 * 1024

export const nameOf = ({ host, port }: PostgresHost) =>
  host.startsWith("/") ? host : `${isIP(host) === 6 ? `[${host}]` : host}:${port}`

/** Reads the server's startup messages, one at a time. */
class Reader {
  readonly #socket: Socket
  #bytes: Buffer = Buffer.alloc(0)
  #failure: Error | undefined
  #wake: () => void = () => {}

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on("data", this.#onData).on("error", this.#onError).on("close", this.#onClose)
  }
  readonly #onData = (chunk: Buffer) => {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    this.#wake()
  }
  readonly #onError = (cause: Error) => {
    this.#failure ??= cause
    this.#wake()
  }
  readonly #onClose = () => this.#onError(new Error("The server closed the connection during startup."))

  async #take<A>(take: (bytes: Buffer) => A | undefined): Promise<A> {
    for (;;) {
      const taken = take(this.#bytes)
      if (taken !== undefined) return taken
      if (this.#failure !== undefined) throw this.#failure
      if (this.#bytes.length > frameBytesMax) throw new Error("The server's startup message is too large.")
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /**
   * The one-byte response to an SSLRequest. Further bytes could come from a man-in-the-middle attacker, so they are
   * rejected.
   */
  async tlsResponse(): Promise<"S" | "N"> {
    const first = await this.#take((bytes) => bytes[0])
    if (first === 0x45) throw new Refused(await this.frame())
    const response = String.fromCharCode(first)
    if (this.#bytes.length !== 1 || (response !== "S" && response !== "N")) {
      throw new Error("The server's response to the request for TLS is invalid.")
    }
    this.#bytes = Buffer.alloc(0)
    return response
  }

  frame(): Promise<Buffer> {
    return this.#take((bytes) => {
      const frame = Wire.firstFrame(bytes)
      if (frame !== undefined) this.#bytes = bytes.subarray(frame.length)
      return frame
    })
  }

  /** Releases the socket and returns the unread bytes. */
  detach(): Buffer {
    this.#socket.off("data", this.#onData).off("error", this.#onError).off("close", this.#onClose)
    return this.#bytes
  }
}

const connected = (socket: Socket, event: "connect" | "secureConnect") =>
  new Promise<void>((resolve, reject) => {
    const onError = (cause: Error) => settle(() => reject(cause))
    const onClose = () => onError(new Error("The server closed the connection during startup."))
    const onReady = () => settle(resolve)
    const settle = (then: () => void) => {
      socket.off("error", onError).off("close", onClose).off(event, onReady)
      then()
    }
    socket.once("error", onError).once("close", onClose).once(event, onReady)
  })

const readBytesMax = 64 * 1024

/**
 * Reuses one buffer, because Node otherwise allocates one for each read. The bytes of a "data" event are
 * valid only until its listeners return.
 */
const reusedBuffer = (current: () => Socket) => {
  const buffer = Buffer.allocUnsafeSlow(readBytesMax)
  return {
    buffer,
    callback: (size: number) => {
      current().emit("data", buffer.subarray(0, size))
      return true
    }
  }
}

const connectPlain = (host: PostgresHost, reusesBuffer: boolean): Socket => {
  const onread = reusesBuffer ? { onread: reusedBuffer(() => socket) } : {}
  const socket: Socket = host.host.startsWith("/")
    ? connect({ path: `${host.host}/.s.PGSQL.${host.port}`, ...onread })
    : connect({ ...host, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMillis, ...onread })
  return socket
}

/**
 * Opens a socket to a host, encrypted if the URL requires it. `onSocket` is called with each socket as soon as it
 * exists.
 */
const dial = async (
  target: PostgresTarget,
  host: PostgresHost,
  onSocket: (socket: Socket) => void
): Promise<Socket> => {
  // TLS reads the socket without "data" events, so it cannot use `onread`.
  const socket = connectPlain(host, target.tls === "off")
  onSocket(socket)
  await connected(socket, "connect")
  if (target.tls === "off") return socket
  const reader = new Reader(socket)
  socket.write(PgProtocol.encodeSslRequest())
  const response = await reader.tlsResponse()
  reader.detach()
  if (response === "N") {
    if (target.tls === "optional") return socket
    throw new Error("The server does not support TLS, which sslmode requires.")
  }
  const encrypted = connectTls({
    ...(isIP(host.host) === 0 ? { servername: host.host } : {}),
    ...target.tlsOptions,
    socket,
    host: host.host
  })
  onSocket(encrypted)
  await connected(encrypted, "secureConnect")
  return encrypted
}

/** Unwraps the result of the authentication library; its errors are failed authentications. */
const proven = <A>(result: Result.Result<A, { readonly message: string }>): A => {
  if (Result.isFailure(result)) throw refused("28000", result.failure.message)
  return result.success
}

const authentication = { ok: 0, cleartext: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 }

/** The user in a startup message, which MD5 authentication requires. */
const usernameOf = (startup: Buffer) => {
  const fields = startup.toString("utf8", 8).split("\0")
  return fields[fields.indexOf("user") + 1] ?? ""
}

/**
 * Responds to the server's authentication requests; throws unless a server that began SCRAM also proves its identity.
 */
const makeAuthenticator = (given: string | undefined, username: string, write: (bytes: Uint8Array) => void) => {
  let scram: PgAuth.ScramState | undefined
  const password = () => {
    if (given === undefined) throw refused("28000", "The server requires a password, and none is set.")
    return given
  }
  return {
    hear: (frame: Buffer) => {
      const data = frame.subarray(9)
      switch (frame.readInt32BE(5)) {
        case authentication.ok:
          return
        case authentication.cleartext:
          return write(PgProtocol.encodePasswordMessage({ password: password() }))
        case authentication.md5: {
          const hashed = proven(PgAuth.md5Password({ user: username, password: password(), salt: data }))
          return write(PgProtocol.encodePasswordMessage({ password: hashed }))
        }
        case authentication.sasl: {
          const mechanism = PgAuth.SCRAM_SHA_256
          if (!data.toString("latin1").split("\0").includes(mechanism)) {
            throw refused("28000", `The server does not offer ${mechanism} authentication.`)
          }
          const { response, state } = proven(
            PgAuth.scramInit({ password: password(), nonce: randomBytes(18).toString("base64") })
          )
          scram = state
          return write(PgProtocol.encodeSASLInitialResponse({ mechanism, initialResponse: response }))
        }
        case authentication.saslContinue: {
          if (scram?._tag !== "ScramFirst") throw refused("08P01", "The server sent an unexpected SASL message.")
          const { response, state } = proven(PgAuth.scramContinue(scram, data))
          scram = state
          return write(PgProtocol.encodeSASLResponse({ data: response }))
        }
        case authentication.saslFinal:
          if (scram?._tag !== "ScramFinal") throw refused("08P01", "The server sent an unexpected SASL message.")
          proven(PgAuth.scramFinish(scram, data))
          scram = undefined
          return
        default:
          throw refused(
            "28000",
            "The server requires an authentication method that is not supported. Use SCRAM-SHA-256."
          )
      }
    },
    end: () => {
      if (scram !== undefined) {
        throw refused("28000", "The server completed authentication without proving its identity.")
      }
    }
  }
}

const recoveryQuery =
  "SELECT pg_catalog.pg_is_in_recovery()::text || ' ' || pg_catalog.current_setting('transaction_read_only')"

/** Why a server does not match `target_session_attrs`; undefined when it does. */
const unfit = async (reader: Reader, socket: Socket, wanted: SessionAttrs): Promise<string | undefined> => {
  if (wanted === "any") return undefined
  socket.write(Wire.query(recoveryQuery))
  let row = ""
  for (;;) {
    const frame = await reader.frame()
    if (frame[0] === Wire.type.errorResponse) throw new Refused(frame)
    if (frame[0] === Wire.type.dataRow) row = frame.toString("latin1", 11)
    if (frame[0] === Wire.type.readyForQuery) break
  }
  const [inRecovery, readOnly] = row.split(" ")
  if (inRecovery !== "false") return "in recovery"
  return wanted === "read-write" && readOnly !== "off" ? "read-only" : undefined
}

/** The server does not match `target_session_attrs`. */
export class Unfit extends Error {}

const start = async (
  target: PostgresTarget,
  host: PostgresHost,
  startup: Buffer,
  onSocket: (socket: Socket) => void
): Promise<OpenSession> => {
  const socket = await dial(target, host, onSocket)
  const reader = new Reader(socket)
  const password = typeof target.password === "function" ? await target.password() : target.password
  const authenticator = makeAuthenticator(password, usernameOf(startup), (bytes) => socket.write(bytes))
  socket.write(startup)
  let processId = 0
  let secret = 0
  for (;;) {
    const frame = await reader.frame()
    if (frame[0] === Wire.type.errorResponse) throw new Refused(frame)
    if (frame[0] === Wire.type.authentication) authenticator.hear(frame)
    if (frame[0] === Wire.type.backendKeyData) {
      processId = frame.readInt32BE(5)
      secret = frame.readInt32BE(9)
    }
    if (frame[0] === Wire.type.readyForQuery) break
  }
  authenticator.end()
  const fault = await unfit(reader, socket, target.sessionAttrs)
  if (fault !== undefined) throw new Unfit(fault)
  return { socket, host, processId, secret, rest: reader.detach() }
}

/** Runs `attempt` with the sockets that it opens; all are destroyed when it fails, times out or is canceled. */
const bounded = async <A>(
  millis: number,
  signal: AbortSignal,
  attempt: (onSocket: (socket: Socket) => void) => Promise<A>
): Promise<A> => {
  const sockets: Array<Socket> = []
  const destroy = (cause: Error) => {
    for (const socket of sockets) socket.destroy(cause)
  }
  const given = () => destroy(new Error("The connection attempt was canceled."))
  const timer = setTimeout(
    () => destroy(Object.assign(new Error("The server did not respond in time."), { code: "ETIMEDOUT" })),
    millis
  )
  signal.addEventListener("abort", given)
  try {
    return await attempt((socket) => {
      // Waiting code has its own listeners; a late error must not end the process.
      socket.on("error", () => {})
      sockets.push(socket)
      if (signal.aborted) given()
    })
  } catch (cause) {
    destroy(new Error("The connection attempt was canceled."))
    throw cause
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", given)
  }
}

/** Refusals that would be the same on every host: a wrong credential or database. */
const isFinal = (cause: unknown) => cause instanceof Refused && /^(28|3D)/.test(cause.code)
const asError = (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause)))
const codeOf = (cause: Error) => ("code" in cause && typeof cause.code === "string" ? cause.code : undefined)

/** Opens a session on the first host that accepts it and matches `target_session_attrs`. */
export const openSession = async (options: {
  readonly target: PostgresTarget
  readonly hosts: ReadonlyArray<PostgresHost>
  readonly startup: Buffer
  readonly signal: AbortSignal
}): Promise<OpenSession> => {
  const { hosts, signal, startup, target } = options
  const failures: Array<readonly [host: PostgresHost, cause: Error]> = []
  for (const host of hosts) {
    try {
      return await bounded(target.connectMillis, signal, (onSocket) => start(target, host, startup, onSocket))
    } catch (cause) {
      if (signal.aborted || isFinal(cause)) throw cause
      failures.push([host, asError(cause)])
    }
  }
  const [first] = failures
  if (failures.length === 1 && first !== undefined && !(first[1] instanceof Unfit)) throw first[1]
  const reasons = failures.map(([host, cause]) => `${nameOf(host)} (${codeOf(cause) ?? cause.message})`).join(", ")
  const kind = target.sessionAttrs === "any" ? "" : ` of target_session_attrs=${target.sessionAttrs}`
  throw Object.assign(new Error(`No PostgreSQL server${kind} accepted the connection: ${reasons}.`), {
    code: failures.map(([, cause]) => codeOf(cause)).find((code) => code !== undefined)
  })
}

/** Asks a host, over a separate connection, to cancel the running statement of a session. */
export const cancelSession = async (target: PostgresTarget, session: OpenSession, signal: AbortSignal) => {
  const { host, processId, secret } = session
  await bounded(target.connectMillis, signal, async (onSocket) => {
    const socket = await dial(target, host, onSocket)
    const frame = PgProtocol.encodeCancelRequest({ pid: processId, secret })
    await new Promise<void>((resolve) => {
      socket.once("close", () => resolve())
      socket.resume().write(frame)
    })
  })
}
