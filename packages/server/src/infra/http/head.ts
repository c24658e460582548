import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

export interface HeadOptions {
  /** People reach the server by https. */
  readonly secure: boolean
  /** Whose pages may read answers in a browser; nobody's when empty. */
  readonly corsOrigins: ReadonlySet<string>
}

/** A loopback name or address as it appears in a URL or a `host` header; invalid addresses do not match. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|\[::1\]|::1)$/i.test(host)

/** `https://app.example`: a scheme, a host, perhaps a port, and nothing else. */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text
}

/** Throws a sentence about the first that is none. */
export const corsOrigins = (origins: ReadonlyArray<string>): ReadonlySet<string> => {
  const wrong = origins.find((origin) => !isOrigin(origin))
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an origin like https://app.example.`)
  return new Set(origins)
}

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE"
const accepted = [
  "authorization",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "traceparent",
  "tracestate",
  "x-api-key",
  "x-bootstrap-token",
  "x-organization-id",
  "x-request-id"
].join(", ")
const exposed = [
  "content-disposition",
  "etag",
  "idempotent-replayed",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "www-authenticate",
  "x-request-id"
].join(", ")
const preflightSeconds = 7200

const policies = {
  data: "default-src 'none'; frame-ancestors 'none'",
  page: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

/**
 * What stands on every answer so that a browser does nothing with it that was not meant. No cookie authenticates, so
 * pages of listed origins are let read answers, never with credentials of the browser.
 */
export const headOf = (options: HeadOptions, request: HttpServerRequest): Readonly<Record<string, string>> => {
  const { corsOrigins } = options
  const origin = request.headers["origin"]
  const isListed = origin !== undefined && corsOrigins.has(origin)
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    ...(options.secure ? { "strict-transport-security": "max-age=31536000" } : {}),
    ...(corsOrigins.size > 0 ? { vary: "Origin" } : {}),
    ...(isListed
      ? { "access-control-allow-origin": origin, "access-control-expose-headers": exposed }
      : { "cross-origin-resource-policy": "same-origin" })
  }
}

/**
 * Whether a browser sent the request for a page of another site whose origin is not listed. Such a page may send without
 * asking first, and the browser adds its cookies.
 */
export const isForeignPage = (options: HeadOptions, request: HttpServerRequest): boolean =>
  request.headers["sec-fetch-site"] === "cross-site" && !options.corsOrigins.has(request.headers["origin"] ?? "")

/** The answer to a browser that asks before it sends; undefined for every other request. */
export const preflightOf = (
  options: HeadOptions,
  request: HttpServerRequest
): HttpServerResponse.HttpServerResponse | undefined => {
  const origin = request.headers["origin"]
  if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return undefined
  if (origin === undefined || !options.corsOrigins.has(origin)) return undefined
  return HttpServerResponse.empty({
    status: 204,
    headers: {
      "access-control-allow-methods": methods,
      "access-control-allow-headers": accepted,
      "access-control-max-age": String(preflightSeconds)
    }
  })
}

/** Says what a page or a text may load, unless who made it said so. */
export const withPolicy = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  if (response.headers["content-security-policy"] !== undefined) return response
  const type = "contentType" in response.body ? response.body.contentType : response.headers["content-type"]
  const isPage = type?.startsWith("text/html") === true
  return HttpServerResponse.setHeader(response, "content-security-policy", isPage ? policies.page : policies.data)
}
