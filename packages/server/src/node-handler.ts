import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ControlPlane } from "./control-plane.ts"

/** Express and similar frameworks remove the mount path from `url` and keep the complete path in `originalUrl`. */
type NodeRequest = IncomingMessage & { readonly originalUrl?: string }

const headersOf = (request: NodeRequest): Headers => {
  const headers = new Headers()
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? ""
    // HTTP/2 represents method and path as headers.
    if (!name.startsWith(":")) headers.append(name, request.rawHeaders[index + 1] ?? "")
  }
  return headers
}

const requestOf = (request: NodeRequest, signal: AbortSignal): Request => {
  const method = request.method ?? "GET"
  const path = request.originalUrl ?? request.url ?? "/"
  const body = method === "GET" || method === "HEAD" ? null : Readable.toWeb(request)
  // The host stays in the `Host` header, which is checked later. A request target that is not a path (`*`, an absolute
  // URL) becomes "/".
  return new Request(`http://localhost${path.startsWith("/") ? path : "/"}`, {
    method,
    headers: headersOf(request),
    signal,
    ...(body === null ? {} : { body: body as unknown as NonNullable<RequestInit["body"]>, duplex: "half" })
  })
}

const sendResponse = async (response: Response, out: ServerResponse): Promise<void> => {
  out.statusCode = response.status
  for (const [name, value] of response.headers) out.appendHeader(name, value)
  if (response.body === null) out.end()
  else await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), out)
}

/**
 * The control plane as a handler for `node:http`, Express, Connect and Fastify's `raw` pair. Mount it before body
 * parsers. The mount path must be its `pathPrefix`.
 */
export const toNodeHandler =
  (controlPlane: Pick<ControlPlane, "fetch">) =>
  (request: NodeRequest, response: ServerResponse, next?: (error: unknown) => void): void => {
    const controller = new AbortController()
    const run = async () => {
      if (request.readableEnded) {
        throw new TypeError("The request body was already read. Mount the control plane before body parsers.")
      }
      const { remoteAddress } = request.socket
      const peer = remoteAddress === undefined ? {} : { remoteAddress }
      await sendResponse(await controlPlane.fetch(requestOf(request, controller.signal), peer), response)
    }
    // This also fires after a complete response, when there is nothing to abort.
    response.once("close", () => controller.abort())
    run().catch((error: unknown) => {
      // A client that disconnected gets no response.
      if (controller.signal.aborted || response.headersSent) return response.destroy()
      if (next !== undefined) return next(error)
      response.statusCode = 500
      response.end()
    })
  }
