import * as http from "node:http"
import { isIP, type Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import type { SecureContext } from "node:tls"
import {
  OutboundFailed,
  type OutboundRawHeaders,
  type OutboundRequest,
  type OutboundStream
} from "../ports/outbound.ts"
import { isPublicAddress, isWithin, type Range } from "./address.ts"
import { acceptEncoding, type Coding, codingOf, readBody } from "./body.ts"
import {
  connectTo,
  destroyOnAbort,
  type Endpoint,
  headerBytesMax,
  informationMax,
  type ProxyServer,
  secure
} from "./connect.ts"
import { failed, failureOf, headersTooLarge } from "./failure.ts"
import { firstHop, type Hop, type HopRules, isRedirect, literalOf, nextHop } from "./hop.ts"
import { type Keeping, keepOrClose } from "./keep.ts"
import { isPlainAllowed } from "./plain-http.ts"
import { type Connection, connectionOf, type Pool, type PoolKey } from "./pool.ts"
import { isLocalhost, type Lookup } from "./resolver.ts"
import type { Stopwatch } from "./stopwatch.ts"
import { Wire } from "./wire.ts"

export interface Rules extends HopRules {
  readonly allowRanges: ReadonlyArray<Range>
  readonly lookup: Lookup
  readonly proxy: ProxyServer | undefined
  readonly secureContext: SecureContext
  readonly dial: (address: string, port: number) => Endpoint
  /** Deliveries have a pool of their own, as they have slots of their own. */
  readonly pools: Readonly<Record<NonNullable<OutboundRequest["slots"]>, Pool>>
}

/** The state of one exchange while it runs. */
export interface Course {
  readonly signal: AbortSignal
  readonly abort: (reason: OutboundFailed) => void
  readonly stopwatch: Stopwatch
  readonly hold: (work: Promise<unknown>) => void
}

const redirectsLimit = 5
const bodyBytesDefault = 1024 * 1024
const addressesMax = 64
const attemptsMax = 4

/** Settles like the promise, or rejects with the abort reason, whichever happens first. */
export const orAborted = <A>(work: Promise<A>, signal: AbortSignal): Promise<A> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(failureOf(signal.reason))
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })

const lookUp = async (hop: Hop, rules: Rules, course: Course): Promise<ReadonlyArray<string>> => {
  if (isLocalhost(hop.url.hostname)) return ["127.0.0.1", "::1"]
  course.signal.throwIfAborted()
  // Uses `async`, so that a lookup that throws synchronously fails like one that rejects.
  const work = (async () => rules.lookup(hop.url.hostname, course.signal))()
  course.hold(work)
  const records = await orAborted(work, course.signal).catch(() => [])
  course.signal.throwIfAborted()
  return records.map(({ address }) => address)
}

/** Alternates between the address families, so that a family without a route costs one attempt. */
const interleave = (addresses: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = addresses.filter((address) => isIP(address) === isIP(addresses[0] ?? ""))
  const second = addresses.filter((address) => !first.includes(address))
  return addresses.flatMap((_, index) => [...first.slice(index, index + 1), ...second.slice(index, index + 1)])
}

const isDialable = (hop: Hop, address: string, rules: Rules): boolean =>
  isIP(address) !== 0 &&
  (hop.destination !== "supplied" ||
    ((isPublicAddress(address) || isWithin(address, rules.allowRanges)) &&
      (hop.url.protocol === "https:" || isPlainAllowed(rules.plainHttp, hop.url, address))))

/**
 * The addresses that a hop may connect to. They are resolved and checked once, and never resolved again. For a supplied
 * URL, a name without addresses fails like a private one, because a difference would reveal which names exist in a
 * private zone.
 */
const addressesOf = async (hop: Hop, rules: Rules, course: Course): Promise<ReadonlyArray<string>> => {
  const literal = literalOf(hop.url)
  course.stopwatch.enter("lookup")
  const dialable = (address: string): boolean => isDialable(hop, address, rules)
  const resolved = literal === undefined ? await lookUp(hop, rules, course) : [literal]
  // Both addresses of `localhost` are known without a lookup, and the operator may have allowed only one family.
  const addresses = isLocalhost(hop.url.hostname) ? resolved.filter(dialable) : resolved
  if (addresses.length === 0 || addresses.length > addressesMax || !addresses.every(dialable)) {
    throw failed(hop.destination === "supplied" ? "blocked" : "unreachable")
  }
  return interleave(addresses).slice(0, attemptsMax)
}

let lastStart: Promise<unknown> = Promise.resolve()
/**
 * Starts at most one connection per round of the event loop, over all clients of the process: a handshake takes a
 * millisecond or two of CPU, and dozens that start together would block everything else.
 */
const nextTimeSlice = (): Promise<unknown> => (lastStart = lastStart.then(() => setImmediate()))

const portOf = (url: URL): number => (url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port))

const connectHop = async (hop: Hop, rules: Rules, course: Course): Promise<Connection> => {
  const isSecure = hop.url.protocol === "https:"
  const port = portOf(hop.url)
  let failure: unknown
  for (const address of await addressesOf(hop, rules, course)) {
    // A configured private address is not reached through the outbound proxy.
    const proxy = hop.destination !== "supplied" && !isPublicAddress(address) ? undefined : rules.proxy
    const to = proxy === undefined ? rules.dial(address, port) : { address, port }
    try {
      course.stopwatch.enter("connect")
      await nextTimeSlice()
      const socket = await connectTo(to, proxy, rules.secureContext, course.signal)
      if (!isSecure) return connectionOf(socket, address)
      course.stopwatch.enter("secure")
      await nextTimeSlice()
      // A socket that has already closed emits no further events.
      if (socket.destroyed) throw failed("unreachable")
      const literal = literalOf(hop.url)
      const name = literal ?? hop.url.hostname
      return connectionOf(await secure(socket, name, literal !== undefined, rules.secureContext), address)
    } catch (cause) {
      course.signal.throwIfAborted()
      failure = cause
    }
  }
  throw failure
}

const headersOf = (hop: Hop, isKept: boolean): Record<string, string> => {
  const length = hop.body?.byteLength ?? (hop.method === "GET" || hop.method === "HEAD" ? undefined : 0)
  return {
    "accept-encoding": acceptEncoding,
    ...Object.fromEntries(hop.headers),
    ...(length === undefined ? {} : { "content-length": String(length) }),
    host: hop.url.host,
    // Set here and not by `node:http`, so that these are all the headers that are sent.
    connection: isKept ? "keep-alive" : "close"
  }
}

/** Maximum bytes on the wire: the framing of a body may be larger than the body, but not a thousand times. */
const wireBytesMax = (bodyBytesMax: number): number => bodyBytesMax * 8 + 1024 * 1024

interface Sending {
  readonly hop: Hop
  readonly headers: Record<string, string>
  readonly socket: Socket
  readonly bodyBytesMax: number
}

interface Sent {
  readonly message: http.IncomingMessage
  readonly wire: Wire
  readonly free: Promise<void>
  readonly isFree: () => boolean
  readonly detach: () => void
}

const send = ({ hop, headers, socket, bodyBytesMax }: Sending, course: Course): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => socket,
      method: hop.method,
      path: hop.url.pathname + hop.url.search,
      setHost: false,
      headers,
      maxHeaderSize: headerBytesMax,
      insecureHTTPParser: false
    })
    let informations = 0
    let hasResponse = false
    request.on("information", () => {
      if (++informations > informationMax) course.abort(headersTooLarge())
    })
    const wire = new Wire()
    const read = (chunk: Buffer): void => {
      wire.add(chunk)
      if (wire.bytes > wireBytesMax(bodyBytesMax)) course.abort(failed("too_large"))
    }
    const { promise: free, resolve: release } = Promise.withResolvers<void>()
    let isFree = false
    request.once("socket", () => {
      socket.prependListener("data", read)
      socket.once("free", () => {
        isFree = true
        release()
      })
    })
    request.once("response", (message) => {
      wire.begin(message)
      const detach = (): void => void socket.off("data", read)
      hasResponse = true
      resolve({ message, wire, free, isFree: () => isFree, detach })
    })
    request.on("error", reject)
    // An error takes time to make, and every request closes.
    request.once("close", () => {
      if (!hasResponse) reject(failed("unreachable"))
    })
    request.end(hop.body)
  })

const pairsOf = (rawHeaders: ReadonlyArray<string>): OutboundRawHeaders =>
  Array.from({ length: rawHeaders.length >> 1 }, (_, index) => [
    rawHeaders[2 * index] ?? "",
    rawHeaders[2 * index + 1] ?? ""
  ])

/** Own properties only, regardless of the names of the server's headers. */
const headersFrom = (rawHeaders: OutboundRawHeaders): Record<string, string> => {
  const joined = new Map<string, string>()
  for (const [rawName, value] of rawHeaders) {
    const name = rawName.toLowerCase()
    const before = joined.get(name)
    joined.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(joined)
}

interface HopResponse {
  readonly message: http.IncomingMessage
  readonly rawHeaders: OutboundRawHeaders
  readonly headers: Record<string, string>
  readonly sentHeaders: Record<string, string>
  readonly hop: Hop
  /** Present if the connection may be kept. */
  readonly keeping: Keeping | undefined
}

const requestOver = async (
  connection: Connection,
  key: PoolKey | undefined,
  { hop, bodyBytesMax }: Pick<Sending, "hop" | "bodyBytesMax">,
  pool: Pool,
  course: Course
): Promise<HopResponse> => {
  const { socket } = connection
  const detach = destroyOnAbort(socket, course.signal)
  try {
    course.stopwatch.enter("headers")
    const sentHeaders = headersOf(hop, key !== undefined)
    const sent = await send({ hop, headers: sentHeaders, socket, bodyBytesMax }, course)
    const { message } = sent
    const rawHeaders = pairsOf(message.rawHeaders)
    const hasBody = !isBodiless(hop, message.statusCode ?? 0)
    const keeping: Keeping | undefined =
      key === undefined
        ? undefined
        : {
            ...sent,
            pool,
            key,
            connection,
            hasBody,
            bodyEnd: undefined,
            detach: () => {
              sent.detach()
              detach()
            }
          }
    return { message, rawHeaders, headers: headersFrom(rawHeaders), sentHeaders, hop, keeping }
  } catch (cause) {
    socket.destroy()
    throw cause
  }
}

const keyOf = ({ organizationId = "", reuse }: OutboundRequest, { destination, url }: Hop): PoolKey | undefined =>
  reuse === undefined
    ? undefined
    : { organizationId, ...reuse, origin: `${destination} ${url.protocol}//${url.hostname}:${portOf(url)}` }

const idempotentMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE"])

/**
 * Only the request to the supplied URL uses an idle connection, not one after a redirect. If the server closes that
 * connection before it responds, it may have processed the request: only an idempotent one is sent again.
 */
const requestHop = async (
  hop: Hop,
  key: PoolKey | undefined,
  request: OutboundRequest,
  rules: Rules,
  course: Course
): Promise<HopResponse> => {
  const sending = { hop, bodyBytesMax: request.bodyBytesMax ?? bodyBytesDefault }
  const pool = rules.pools[request.slots ?? "requests"]
  const idle = key === undefined ? undefined : await pool.take(key)
  if (idle !== undefined && !isDialable(hop, idle.address, rules)) idle.socket.destroy()
  else if (idle !== undefined) {
    try {
      return await requestOver(idle, key, sending, pool, course)
    } catch (cause) {
      const isClosed = failureOf(cause).code === "unreachable"
      if (course.signal.aborted || !isClosed || !(request.isIdempotent ?? idempotentMethods.has(hop.method)))
        throw cause
    }
  }
  return requestOver(await connectHop(hop, rules, course), key, sending, pool, course)
}

/** Follows redirects to the final response, and checks each hop like the first. */
const follow = async (request: OutboundRequest, rules: Rules, course: Course): Promise<HopResponse> => {
  const redirectsMax = Math.min(request.redirectsMax ?? redirectsLimit, redirectsLimit)
  let hop = firstHop(request, rules)
  let key = keyOf(request, hop)
  for (let redirects = 0; ; redirects++) {
    const response = await requestHop(hop, key, request, rules, course)
    const status = response.message.statusCode ?? 0
    const location = response.headers["location"]
    if (!isRedirect(status, location)) return response
    response.message.destroy()
    if (redirects >= redirectsMax) throw failed("too_many_redirects")
    hop = nextHop(hop, status, location, rules)
    key = undefined
    if (request.mayFollow?.(hop.url) === false) throw failed("blocked")
  }
}

/**
 * Adds the phase only to failures of exchanges that may have reached their server. For other failures, the phase must
 * not be revealed.
 */
const broken = (cause: unknown, course: Course): OutboundFailed => {
  const failure = failureOf(course.signal.aborted ? course.signal.reason : cause)
  const hasPhase = failure.code === "unreachable" || failure.code === "timeout" || failure.code === "too_large"
  return hasPhase
    ? new OutboundFailed({ code: failure.code, message: failure.message, ...course.stopwatch.read() })
    : failure
}

/** The next chunk; aborts the exchange when none arrives in time. */
const nextWithin = async (source: AsyncGenerator<Uint8Array>, idleMillis: number | undefined, course: Course) => {
  const timer =
    idleMillis === undefined ? undefined : setTimeout(() => course.abort(failed("timeout")), Math.max(idleMillis, 1))
  try {
    return await source.next()
  } finally {
    clearTimeout(timer)
  }
}

async function* guarded(
  source: AsyncGenerator<Uint8Array>,
  { keeping, message }: Pick<HopResponse, "keeping" | "message">,
  idleMillis: number | undefined,
  course: Course
) {
  try {
    course.signal.throwIfAborted()
    for (;;) {
      const next = await nextWithin(source, idleMillis, course)
      if (next.done === true) {
        if (keeping !== undefined) keeping.bodyEnd = "complete"
        return
      }
      yield next.value
    }
  } catch (cause) {
    if (keeping !== undefined) keeping.bodyEnd = "failed"
    throw broken(cause, course)
  } finally {
    message.destroy()
  }
}

const isBodiless = (hop: Hop, status: number): boolean =>
  hop.method === "HEAD" || status === 204 || status === 205 || status === 304

export interface Exchange {
  readonly stream: OutboundStream
  /** Ends an exchange whose response was read without an error; its connection is then kept or closed. */
  readonly end: (() => Promise<void>) | undefined
}

/** One exchange up to the response headers. The caller ends it with the signal, or with `end` if there is one. */
export const exchange = async (request: OutboundRequest, rules: Rules, course: Course): Promise<Exchange> => {
  try {
    const response = await follow(request, rules, course)
    const { hop, keeping, message, rawHeaders, headers, sentHeaders } = response
    const status = message.statusCode ?? 0
    const bytesMax = request.bodyBytesMax ?? bodyBytesDefault
    const coding: Coding = isBodiless(hop, status) ? "identity" : codingOf(headers["content-encoding"])
    if (coding !== "identity") {
      delete headers["content-encoding"]
      delete headers["content-length"]
    } else if (!isBodiless(hop, status) && Number(headers["content-length"] ?? 0) > bytesMax) throw failed("too_large")
    const { phaseMillis } = course.stopwatch.read()
    course.stopwatch.enter("body")
    const body = guarded(readBody(message, coding, bytesMax), response, request.idleTimeoutMillis, course)
    const stream: OutboundStream = {
      status,
      statusText: message.statusMessage ?? "",
      url: hop.url.href,
      headers,
      rawHeaders,
      sent: { method: hop.method, rawHeaders: Object.entries(sentHeaders) },
      phaseMillis,
      body
    }
    return { stream, end: keeping === undefined ? undefined : () => keepOrClose(keeping, body) }
  } catch (cause) {
    throw broken(cause, course)
  }
}
