import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The origin at which the client reached the host application. */
const originOf = ({ headers, originalUrl }: HttpServerRequest): string => {
  const received = URL.canParse(originalUrl) ? new URL(originalUrl) : new URL("http://localhost")
  const named = `${received.protocol}//${headers["host"] ?? received.host}`
  return (URL.canParse(named) ? new URL(named) : received).origin
}

/**
 * A request as the host application's `authenticator` receives it: the URL of the operation below the path prefix, and the
 * headers that the operation receives, without the body, which the operation reads. It does not depend on the server that
 * received the request, and is the same for a request through the console.
 */
export const toHostRequest = (request: HttpServerRequest, pathPrefix: string): Request =>
  new Request(originOf(request) + pathPrefix + request.url, { method: request.method, headers: { ...request.headers } })
