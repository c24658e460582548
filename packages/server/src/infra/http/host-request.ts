import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The origin at which the client reached the host application. */
const originOf = ({ headers, originalUrl, protocol }: HttpServerRequest): string => {
  const received = URL.canParse(originalUrl) ? new URL(originalUrl) : new URL("http://localhost")
  // A middleware of the host application may know the scheme from its reverse proxy.
  const isSecure = (protocol ?? received.protocol).startsWith("https")
  const named = `${isSecure ? "https" : "http"}://${headers["host"] ?? received.host}`
  return URL.canParse(named) ? new URL(named).origin : "http://localhost"
}

/** They would contradict the request, which has no body. */
const bodyHeaders = ["content-length", "transfer-encoding", "content-encoding"]

/**
 * A request as the host application's `authenticator` receives it: the URL of the operation below the path prefix, and the
 * headers that the operation receives, without the body, which the operation reads. It does not depend on the server that
 * received the request, and is the same for a request through the console.
 */
export const toHostRequest = (request: HttpServerRequest, pathPrefix: string): Request => {
  const headers = new Headers({ ...request.headers })
  for (const name of bodyHeaders) headers.delete(name)
  return new Request(originOf(request) + pathPrefix + request.url, { method: request.method, headers })
}
