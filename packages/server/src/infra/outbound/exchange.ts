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
import { connectTo, type Endpoint, headerBytesMax, informationMax, type ProxyServer, secure } from "./connect.ts"
import { failed, failureOf, headTooLarge } from "./failure.ts"
import { firstHop, type Hop, type HopRules, isRedirect, literalOf, nextHop } from "./hop.ts"
import { isPlainAllowed } from "./plain-http.ts"
import { isLocalhost, type Lookup } from "./resolver.ts"
import type { Stopwatch } from "./stopwatch.ts"

export interface Rules extends HopRules {
  readonly allowRanges: ReadonlyArray<Range>
  readonly lookup: Lookup
  readonly proxy: ProxyServer | undefined
  readonly secureContext: SecureContext
  readonly dial: (address: string, port: number) => Endpoint
}

/** What one exchange may lean on while it runs. */
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

/** The promise, or the reason of the abort, whichever is first. */
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
  // Through `async`, so that a lookup that throws at once fails like one that rejects.
  const work = (async () => rules.lookup(hop.url.hostname, course.signal))()
  course.hold(work)
  const found = await orAborted(work, course.signal).catch(() => [])
  course.signal.throwIfAborted()
  return found.map(({ address }) => address)
}

/** One address of each family in turn, so that a family without a route costs one attempt. */
const interleave = (addresses: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = addresses.filter((address) => isIP(address) === isIP(addresses[0] ?? ""))
  const second = addresses.filter((address) => !first.includes(address))
  return addresses.flatMap((_, index) => [...first.slice(index, index + 1), ...second.slice(index, index + 1)])
}

/**
 * The addresses a hop may dial, looked up once: they are judged here and nothing is resolved again. For a supplied name
 * "none" answers as "private" does; else the difference would list the names of a private zone.
 */
const addressesOf = async (hop: Hop, rules: Rules, course: Course): Promise<ReadonlyArray<string>> => {
  const literal = literalOf(hop.url)
  course.stopwatch.enter("lookup")
  const dialable = (address: string): boolean =>
    isIP(address) !== 0 &&
    (hop.destination !== "supplied" ||
      ((isPublicAddress(address) || isWithin(address, rules.allowRanges)) &&
        (hop.url.protocol === "https:" || isPlainAllowed(rules.plainHttp, hop.url, address))))
  const found = literal === undefined ? await lookUp(hop, rules, course) : [literal]
  // Both addresses of `localhost` are known without a lookup: the operator may have allowed one family only.
  const addresses = isLocalhost(hop.url.hostname) ? found.filter(dialable) : found
  if (addresses.length === 0 || addresses.length > addressesMax || !addresses.every(dialable)) {
    throw failed(hop.destination === "supplied" ? "blocked" : "unreachable")
  }
  return interleave(addresses).slice(0, attemptsMax)
}

let lastTurn: Promise<unknown> = Promise.resolve()
/**
 * A turn of the event loop for each connection that begins, over all clients of the process: a handshake costs it a
 * millisecond or two, and dozens that begin together would hold up everything else.
 */
const inTurn = (): Promise<unknown> => (lastTurn = lastTurn.then(() => setImmediate()))

const connectHop = async (hop: Hop, rules: Rules, course: Course): Promise<Socket> => {
  const isSecure = hop.url.protocol === "https:"
  const port = hop.url.port === "" ? (isSecure ? 443 : 80) : Number(hop.url.port)
  let failure: unknown
  for (const address of await addressesOf(hop, rules, course)) {
    // A configured address inside is not one for the proxy on the way out.
    const proxy = hop.destination !== "supplied" && !isPublicAddress(address) ? undefined : rules.proxy
    const to = proxy === undefined ? rules.dial(address, port) : { address, port }
    try {
      course.stopwatch.enter("connect")
      await inTurn()
      const socket = await connectTo(to, proxy, rules.secureContext, course.signal)
      if (!isSecure) return socket
      course.stopwatch.enter("secure")
      await inTurn()
      // What closed meanwhile would never say so again.
      if (socket.destroyed) throw failed("unreachable")
      const literal = literalOf(hop.url)
      return await secure(socket, literal ?? hop.url.hostname, literal !== undefined, rules.secureContext)
    } catch (cause) {
      course.signal.throwIfAborted()
      failure = cause
    }
  }
  throw failure
}

const headersOf = (hop: Hop): Record<string, string> => {
  const length = hop.body?.byteLength ?? (hop.method === "GET" || hop.method === "HEAD" ? undefined : 0)
  return {
    "accept-encoding": acceptEncoding,
    ...Object.fromEntries(hop.headers),
    ...(length === undefined ? {} : { "content-length": String(length) }),
    host: hop.url.host,
    // Said here and not left to `node:http`, so that this is all that is sent.
    connection: "close"
  }
}

/** All that may come over the wire: the framing of a body may weigh more than the body, but not a thousand times. */
const wireBytesMax = (bodyBytesMax: number): number => bodyBytesMax * 8 + 1024 * 1024

interface Sending {
  readonly hop: Hop
  readonly headers: Record<string, string>
  readonly socket: Socket
  readonly bodyBytesMax: number
}

/** A connection of its own for every hop, closed after it: no socket outlives the check that allowed it. */
const send = ({ hop, headers, socket, bodyBytesMax }: Sending, course: Course): Promise<http.IncomingMessage> =>
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
    request.on("information", () => {
      if (++informations > informationMax) course.abort(headTooLarge())
    })
    let wireBytes = 0
    request.once("socket", (socket: Socket) =>
      socket.on("data", (chunk: Buffer) => {
        wireBytes += chunk.byteLength
        if (wireBytes > wireBytesMax(bodyBytesMax)) course.abort(failed("too_large"))
      })
    )
    request.once("response", resolve)
    request.on("error", reject)
    request.once("close", () => reject(failed("unreachable")))
    request.end(hop.body)
  })

const pairsOf = (rawHeaders: ReadonlyArray<string>): OutboundRawHeaders =>
  Array.from({ length: rawHeaders.length >> 1 }, (_, index) => [
    rawHeaders[2 * index] ?? "",
    rawHeaders[2 * index + 1] ?? ""
  ])

/** Own properties only, whatever the server calls its headers. */
const headersFrom = (rawHeaders: OutboundRawHeaders): Record<string, string> => {
  const joined = new Map<string, string>()
  for (const [rawName, value] of rawHeaders) {
    const name = rawName.toLowerCase()
    const before = joined.get(name)
    joined.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(joined)
}

interface Answer {
  readonly message: http.IncomingMessage
  readonly rawHeaders: OutboundRawHeaders
  readonly headers: Record<string, string>
  readonly sentHeaders: Record<string, string>
  readonly hop: Hop
}

const ask = async (hop: Hop, bodyBytesMax: number, rules: Rules, course: Course): Promise<Answer> => {
  const socket = await connectHop(hop, rules, course)
  try {
    course.stopwatch.enter("head")
    const sentHeaders = headersOf(hop)
    const message = await send({ hop, headers: sentHeaders, socket, bodyBytesMax }, course)
    const rawHeaders = pairsOf(message.rawHeaders)
    return { message, rawHeaders, headers: headersFrom(rawHeaders), sentHeaders, hop }
  } catch (cause) {
    socket.destroy()
    throw cause
  }
}

/** Follows redirects to the answer that is none, each hop judged as if it were the first. */
const follow = async (request: OutboundRequest, rules: Rules, course: Course): Promise<Answer> => {
  const redirectsMax = Math.min(request.redirectsMax ?? redirectsLimit, redirectsLimit)
  let hop = firstHop(request, rules)
  for (let redirects = 0; ; redirects++) {
    const response = await ask(hop, request.bodyBytesMax ?? bodyBytesDefault, rules, course)
    const status = response.message.statusCode ?? 0
    const location = response.headers["location"]
    if (!isRedirect(status, location)) return response
    response.message.destroy()
    if (redirects >= redirectsMax) throw failed("too_many_redirects")
    hop = nextHop(hop, status, location, rules)
    if (request.mayFollow?.(hop.url) === false) throw failed("blocked")
  }
}

/** Only an exchange that reached its server says how far it came: the rest is nobody's to know, or nothing. */
const broken = (cause: unknown, course: Course): OutboundFailed => {
  const failure = failureOf(course.signal.aborted ? course.signal.reason : cause)
  const isTold = failure.code === "unreachable" || failure.code === "timeout" || failure.code === "too_large"
  return isTold
    ? new OutboundFailed({ code: failure.code, message: failure.message, ...course.stopwatch.read() })
    : failure
}

/** The next chunk, or the end of the exchange when none comes in time. */
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
  message: http.IncomingMessage,
  idleMillis: number | undefined,
  course: Course
) {
  try {
    course.signal.throwIfAborted()
    for (;;) {
      const next = await nextWithin(source, idleMillis, course)
      if (next.done === true) return
      yield next.value
    }
  } catch (cause) {
    throw broken(cause, course)
  } finally {
    message.destroy()
  }
}

const isBodiless = (hop: Hop, status: number): boolean =>
  hop.method === "HEAD" || status === 204 || status === 205 || status === 304

/** One exchange up to the head of its answer. The caller ends the rest by the signal. */
export const exchange = async (request: OutboundRequest, rules: Rules, course: Course): Promise<OutboundStream> => {
  try {
    const { hop, message, rawHeaders, headers, sentHeaders } = await follow(request, rules, course)
    const status = message.statusCode ?? 0
    const bytesMax = request.bodyBytesMax ?? bodyBytesDefault
    const coding: Coding = isBodiless(hop, status) ? "identity" : codingOf(headers["content-encoding"])
    if (coding !== "identity") {
      delete headers["content-encoding"]
      delete headers["content-length"]
    } else if (!isBodiless(hop, status) && Number(headers["content-length"] ?? 0) > bytesMax) throw failed("too_large")
    const { phaseMillis } = course.stopwatch.read()
    course.stopwatch.enter("body")
    return {
      status,
      statusText: message.statusMessage ?? "",
      url: hop.url.href,
      headers,
      rawHeaders,
      sent: { method: hop.method, rawHeaders: Object.entries(sentHeaders) },
      phaseMillis,
      body: guarded(readBody(message, coding, bytesMax), message, request.idleTimeoutMillis, course)
    }
  } catch (cause) {
    throw broken(cause, course)
  }
}
