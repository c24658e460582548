import { isIP } from "node:net"
import type { Destination, OutboundRequest } from "../ports/outbound.ts"
import { failed } from "./failure.ts"
import { mayBePlain, type PlainHttp } from "./plain-http.ts"

/** One request to one server: the first, or one after a redirect. */
export interface Hop {
  readonly destination: Destination
  readonly url: URL
  readonly method: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array | undefined
}

export interface HopRules {
  readonly plainHttp: PlainHttp
  readonly configuredOrigins: ReadonlySet<string>
  /** Whether this server starts local processes that it sends requests to. */
  readonly loopback: boolean
}

const urlCharactersMax = 8192

/** WHATWG URL parsing normalizes every notation of a host (decimal, octal, hex, percent, full-width, uppercase). */
export const parseUrl = (text: string, base?: URL): URL => {
  const url = text.length <= urlCharactersMax ? URL.parse(text, base) : null
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) throw failed("invalid_url")
  if (url.username !== "" || url.password !== "") {
    throw failed("invalid_url", "The URL must not contain a user name or a password.")
  }
  // `host.` is the same origin as `host`; certificates and SNI never have the trailing dot.
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1)
  if (url.hostname === "" || url.hostname.endsWith(".")) throw failed("invalid_url")
  url.hash = ""
  return url
}

/** The host as an IP address without brackets; undefined when it is a name. */
export const literalOf = (url: URL): string | undefined => {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  return isIP(host) === 0 ? undefined : host
}

/** Headers that only this client sets: they frame the message or belong to one connection. */
const framing = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/**
 * The headers that are sent to another origin after a redirect. This is an allowlist, because tenants choose the names
 * of headers with secrets.
 */
const safeAcrossOrigins = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-language",
  "content-type",
  "git-protocol",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-unmodified-since",
  "mcp-protocol-version",
  "pragma",
  "range",
  "user-agent"
])

const bodyHeaders = new Set(["content-encoding", "content-language", "content-location", "content-type"])

const only = (headers: ReadonlyMap<string, string>, keep: (name: string) => boolean): ReadonlyMap<string, string> =>
  new Map([...headers].filter(([name]) => keep(name)))

const checked = (hop: Hop, rules: HopRules): Hop => {
  if (hop.destination === "configured") {
    if (!rules.configuredOrigins.has(hop.url.origin)) throw failed("blocked")
  } else if (hop.destination === "loopback") {
    const isOwn = rules.loopback && hop.url.protocol === "http:" && hop.url.hostname === "127.0.0.1"
    if (!isOwn) throw failed("blocked")
  } else if (hop.url.protocol !== "https:" && !mayBePlain(rules.plainHttp, hop.url)) throw failed("blocked")
  return hop
}

export const firstHop = (request: OutboundRequest, rules: HopRules): Hop => {
  const headers = new Map(Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  return checked(
    {
      destination: request.destination,
      url: parseUrl(request.url),
      method: request.method ?? "GET",
      headers: only(headers, (name) => !framing.has(name)),
      body: typeof request.body === "string" ? Buffer.from(request.body) : request.body
    },
    rules
  )
}

const redirects = new Set([301, 302, 303, 307, 308])

export const isRedirect = (status: number, location: string | undefined): location is string =>
  location !== undefined && redirects.has(status)

/**
 * Method and body follow the Fetch standard, except that a redirect that would send a body to another origin is
 * blocked: the body may contain a refresh token or the arguments of a call, and without it the request would have
 * another meaning. A configured origin may redirect within itself; after a redirect to another origin, every further
 * URL counts as supplied, even its own.
 */
export const nextHop = (hop: Hop, status: number, location: string, rules: HopRules): Hop => {
  const url = parseUrl(location, hop.url)
  if (hop.url.protocol === "https:" && url.protocol === "http:") throw failed("blocked")
  const sameOrigin = url.origin === hop.url.origin
  const toGet = status === 303 ? hop.method !== "HEAD" && hop.method !== "GET" : status <= 302 && hop.method === "POST"
  if (!sameOrigin && !toGet && (hop.body?.byteLength ?? 0) > 0) throw failed("blocked")
  return checked(
    {
      destination: sameOrigin ? hop.destination : "supplied",
      url,
      method: toGet ? "GET" : hop.method,
      headers: only(
        hop.headers,
        (name) => (sameOrigin || safeAcrossOrigins.has(name)) && !(toGet && bodyHeaders.has(name))
      ),
      body: toGet ? undefined : hop.body
    },
    rules
  )
}
