/** A server on loopback under a public name over TLS, for programs that go through a proxy and know its authority. */
import { once } from "node:events"
import { createServer, request as send, type Server } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { type AddressInfo, connect, type Socket } from "node:net"
import { makeCertificates } from "./certificates.ts"

const listen = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

export interface PublicHost {
  /** PEM of the authority that issued the host's certificate. */
  readonly ca: string
  /** A proxy that connects only to this host. */
  readonly proxyUrl: string
  /** Requests that the host received: method and path. */
  readonly requests: Array<string>
  /** Other hosts that programs requested from the proxy; all were refused. */
  readonly refused: Set<string>
  readonly close: () => void
}

/** Serves `target()` as `https://<host>`. */
export const servePublicly = async (host: string, target: () => string): Promise<PublicHost> => {
  const { ca, cert, key } = makeCertificates(host)
  const requests: Array<string> = []
  const refused = new Set<string>()
  const sockets = new Set<Socket>()
  const secure = createSecureServer({ cert, key }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const forwarded = send(
      new URL(request.url ?? "/", target()),
      { method: request.method, headers: { ...request.headers, host } },
      (answered) => {
        response.writeHead(answered.statusCode ?? 500, answered.headers)
        answered.pipe(response)
      }
    )
    forwarded.on("error", () => response.destroy())
    request.pipe(forwarded)
  })
  const securePort = await listen(secure)
  const proxy = createServer((_, response) => response.writeHead(403).end())
  proxy.on("connect", (request, socket: Socket, head: Buffer) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    if (request.url !== `${host}:443`) {
      refused.add(request.url ?? "")
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n")
      return
    }
    const upstream = connect(securePort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
      upstream.write(head)
      upstream.pipe(socket)
      socket.pipe(upstream)
    })
    sockets.add(upstream)
    upstream.on("error", () => socket.destroy())
  })
  const proxyPort = await listen(proxy)
  return {
    ca,
    proxyUrl: `http://127.0.0.1:${proxyPort}`,
    requests,
    refused,
    close: () => {
      for (const socket of sockets) socket.destroy()
      secure.close()
      proxy.close()
    }
  }
}
