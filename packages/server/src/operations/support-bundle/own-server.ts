/** Reads from the running server of the same configuration. */
import { request } from "node:http"
import type { Configuration } from "../../infra/config/environment.ts"

const responseBytesMax = 8 * 1024 * 1024
const timeoutMillis = 10_000

/** Why there is no response, as a sentence. */
export class NoResponse extends Error {}

const hosts: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

/** The body of a response with the status 200, or 503 of a server that is not ready. */
export const readOwnServer = (
  { host, options, port }: Configuration,
  path: "/v1/metrics" | "/v1/ready",
  signal: AbortSignal
): Promise<string> =>
  new Promise((done, fail) => {
    if (port === 0) return fail(new NoResponse("The server listens on a port that the system chose (ORGPLANE_PORT=0)."))
    const where = `${host.includes(":") ? `[${host}]` : host}:${port}`
    const token = options.metricsToken
    const limit = AbortSignal.timeout(timeoutMillis)
    const sent = request(
      {
        host: hosts[host] ?? host,
        port,
        path: `${options.pathPrefix ?? ""}${path}`,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        signal: AbortSignal.any([signal, limit])
      },
      (response) => {
        const chunks: Array<Buffer> = []
        let bytes = 0
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > responseBytesMax) response.destroy(new NoResponse(`The response of ${where} is too large.`))
          else chunks.push(chunk)
        })
        response.on("error", fail)
        response.on("end", () => {
          const status = response.statusCode ?? 0
          if (status === 200 || status === 503) return done(Buffer.concat(chunks).toString("utf8"))
          fail(
            new NoResponse(
              status === 404 && path === "/v1/metrics"
                ? "The server has no metrics: set ORGPLANE_METRICS_TOKEN."
                : `The server at ${where} responded with the status ${status}.`
            )
          )
        })
      }
    )
    sent.on("error", (cause: NodeJS.ErrnoException) =>
      fail(
        cause instanceof NoResponse
          ? cause
          : new NoResponse(
              limit.aborted
                ? `The server at ${where} did not respond within ${timeoutMillis / 1000} s.`
                : `No server responds at ${where} (${cause.code ?? cause.name}).`
            )
      )
    )
    sent.end()
  })
