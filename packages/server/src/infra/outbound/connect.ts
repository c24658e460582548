import * as http from "node:http"
import { connect as connectSocket, isIP, isIPv6, type Socket } from "node:net"
import { connect as connectSecure, type SecureContext, type TLSSocket } from "node:tls"
import { failed } from "./failure.ts"

export interface Endpoint {
  readonly address: string
  readonly port: number
}

export interface ProxyServer {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly authorization: string | undefined
}

export const headerBytesMax = 16 * 1024

/** Maximum number of informational responses (100, 103). Without it, an endless series would run until the timeout. */
export const informationMax = 16

/** Short, so that a first address without a route (such as IPv6 in many containers) leaves time for the next. */
const attemptMillis = 3_000

/** Destroys the socket when the signal is aborted, until the returned function is called. */
export const destroyOnAbort = (socket: Socket, signal: AbortSignal): (() => void) => {
  const abort = (): void => void socket.destroy()
  const detach = (): void => {
    signal.removeEventListener("abort", abort)
    socket.off("close", detach)
  }
  signal.addEventListener("abort", abort, { once: true })
  socket.once("close", detach)
  if (signal.aborted) abort()
  return detach
}

/** Waits for one event of a socket; the error, or a close before it, is the failure. */
const opened = <S extends Socket>(socket: S, event: "connect" | "secureConnect"): Promise<S> =>
  new Promise((resolve, reject) => {
    // The listeners are kept, because a later error without a listener would terminate the process.
    socket.on("error", reject)
    socket.once("close", () => reject(failed("unreachable")))
    socket.once(event, () => resolve(socket))
  })

/** The proxy's host is configured by the operator, and is the only name that the system resolves itself. */
const connectTcp = async (host: string, port: number, signal: AbortSignal): Promise<Socket> => {
  const socket = connectSocket({ host, port, noDelay: true })
  destroyOnAbort(socket, signal)
  socket.setTimeout(attemptMillis, () => socket.destroy())
  await opened(socket, "connect")
  socket.removeAllListeners("timeout")
  return socket.setTimeout(0)
}

/**
 * TLS over a connected socket. The certificate is verified for `name`, which is sent as SNI unless it is an address.
 * Verification is set explicitly, so that environment variables cannot disable it.
 */
export const secure = (
  socket: Socket,
  name: string,
  isLiteral: boolean,
  secureContext: SecureContext
): Promise<TLSSocket> =>
  opened(
    connectSecure({
      socket,
      host: name,
      servername: isLiteral ? "" : name,
      secureContext,
      rejectUnauthorized: true,
      ALPNProtocols: ["http/1.1"]
    }),
    "secureConnect"
  )

/** The proxy did not open a tunnel. The status is undefined if it closed the connection without a response. */
export class ProxyRefused extends Error {
  readonly status: number | undefined
  constructor(status: number | undefined) {
    super("The proxy did not open a tunnel.")
    this.status = status
  }
}

/** Asks a connected proxy for a tunnel to an endpoint. */
export const tunnel = (socket: Socket, to: Endpoint, authorization: string | undefined): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const target = `${isIPv6(to.address) ? `[${to.address}]` : to.address}:${to.port}`
    const request = http.request({
      createConnection: () => socket,
      method: "CONNECT",
      path: target,
      setHost: false,
      headers: { host: target, ...(authorization === undefined ? {} : { "proxy-authorization": authorization }) },
      maxHeaderSize: headerBytesMax,
      insecureHTTPParser: false
    })
    let informations = 0
    let isOpen = false
    const refuse = (status?: number): void => {
      if (isOpen) return
      reject(new ProxyRefused(status))
      socket.destroy()
    }
    request.once("connect", (response: http.IncomingMessage, connected: Socket, firstBytes: Buffer) => {
      if (response.statusCode !== 200) return refuse(response.statusCode)
      isOpen = true
      if (firstBytes.length > 0) connected.unshift(firstBytes)
      resolve(connected)
    })
    request.on("information", () => {
      if (++informations > informationMax) refuse()
    })
    request.once("response", ({ statusCode }) => refuse(statusCode))
    request.once("close", () => refuse())
    request.on("error", reject)
    request.end()
  })

/** A socket to the operator's proxy itself. */
export const connectToProxy = async (
  proxy: ProxyServer,
  secureContext: SecureContext,
  signal: AbortSignal
): Promise<Socket> => {
  const plain = await connectTcp(proxy.host, proxy.port, signal)
  return proxy.secure ? secure(plain, proxy.host, isIP(proxy.host) !== 0, secureContext) : plain
}

/**
 * A socket to exactly this endpoint, directly or through the operator's proxy, which receives the address, not the
 * name.
 */
export const connectTo = async (
  to: Endpoint,
  proxy: ProxyServer | undefined,
  secureContext: SecureContext,
  signal: AbortSignal
): Promise<Socket> => {
  if (proxy === undefined) return connectTcp(to.address, to.port, signal)
  return tunnel(await connectToProxy(proxy, secureContext, signal), to, proxy.authorization)
}
