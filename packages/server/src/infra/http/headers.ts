import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

export interface HeaderOptions {
  /** Whether clients reach the server over https. */
  readonly secure: boolean
  /** Origins whose pages may read responses in a browser. */
  readonly corsOrigins: ReadonlySet<string>
}

/** A loopback name or address as it appears in a URL or a `host` header; invalid addresses do not match. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|\[::1\]|::1)$/i.test(host)

/**
 * Whether the text is an origin such as `https://app.example`: a scheme, a host, an optional port, and nothing else.
 */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text
}

/** The origins as a set; throws an error that names the first invalid one. */
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
  "prefer",
  "traceparent",
  "tracestate",
  "x-api-key",
  "x-bootstrap-token",
  "x-organization-id",
  "x-request-id"
].join(", ")
const exposed = [
  "content-disposition",
  "deprecation",
  "etag",
  "idempotent-replayed",
  "link",
  "orgplane-warning",
  "preference-applied",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "sunset",
  "www-authenticate",
  "x-request-id"
].join(", ")
const preflightSeconds = 7200

const policies = {
  data: "default-src 'none'; frame-ancestors 'none'",
  page: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

/**
 * Security headers and the ID of every response. Cookies do not authenticate requests, so pages from listed origins can
 * read responses, but never with the browser's credentials.
 */
export const securityHeaders = (
  options: HeaderOptions,
  request: HttpServerRequest,
  requestId: string
): Record<string, string> => {
  const { corsOrigins } = options
  const headers: Record<string, string> = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-request-id": requestId
  }
  if (options.secure) headers["strict-transport-security"] = "max-age=31536000"
  if (corsOrigins.size > 0) headers["vary"] = "Origin"
  const origin = request.headers["origin"]
  if (origin !== undefined && corsOrigins.has(origin)) {
    headers["access-control-allow-origin"] = origin
    headers["access-control-expose-headers"] = exposed
  } else headers["cross-origin-resource-policy"] = "same-origin"
  return headers
}

/**
 * Whether a browser sent the request on behalf of a page of another site whose origin is not listed. Such a page can
 * send simple requests without a preflight, and the browser adds its cookies.
 */
export const isForeignPage = (options: HeaderOptions, request: HttpServerRequest): boolean =>
  request.headers["sec-fetch-site"] === "cross-site" && !options.corsOrigins.has(request.headers["origin"] ?? "")

/** The response to a CORS preflight request; undefined for every other request. */
export const preflightOf = (
  options: HeaderOptions,
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

/** The Content-Security-Policy of a page or of data; undefined for a response that has its own. */
export const policyOf = (response: HttpServerResponse.HttpServerResponse): string | undefined => {
  if (response.headers["content-security-policy"] !== undefined) return undefined
  const type = "contentType" in response.body ? response.body.contentType : response.headers["content-type"]
  return type?.startsWith("text/html") === true ? policies.page : policies.data
}
