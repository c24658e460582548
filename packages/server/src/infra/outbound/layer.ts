import { X509Certificate } from "node:crypto"
import { createSecureContext, getCACertificates } from "node:tls"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { counter } from "../metrics/metrics.ts"
import {
  type Destination,
  Outbound,
  type OutboundFailed,
  type OutboundRequest,
  type OutboundStart,
  type OutboundStream
} from "../ports/outbound.ts"
import { isTraced } from "../sql/is-traced.ts"
import { parseRange } from "./address.ts"
import type { Endpoint, ProxyServer } from "./connect.ts"
import { exchange, orAborted, type Rules } from "./exchange.ts"
import { failed, failureOf } from "./failure.ts"
import { type Gate, type GateLimits, makeGate } from "./gate.ts"
import { parsePlainHttp, type PlainHttp } from "./plain-http.ts"
import { Pool, type PoolLimits } from "./pool.ts"
import { type Lookup, makeLookup, parseDnsServer } from "./resolver.ts"
import { makeStopwatch, type Stopwatch } from "./stopwatch.ts"

export interface OutboundOptions {
  /**
   * Address ranges and host names for which supplied URLs may use plain http, or `true` for all. A private address also
   * needs `allowCidrs`.
   */
  readonly allowHttp?: boolean | ReadonlyArray<string>
  /** The exact origins that `configured` requests may use; a path after the origin is ignored. */
  readonly configuredOrigins?: ReadonlyArray<string>
  /** Whether `loopback` requests are allowed: this server starts local processes that it sends requests to. */
  readonly loopback?: boolean
  /** Private ranges that supplied URLs may resolve to, for every tenant. */
  readonly allowCidrs?: ReadonlyArray<string>
  /**
   * `http(s)://[user:password@]host:port`; receives CONNECT with checked addresses. Environment variables are ignored.
   */
  readonly proxy?: string
  /** Additional CA certificates, in PEM format. */
  readonly ca?: string
  /** Name servers used instead of the system's resolver: an address, with a port unless it is 53. */
  readonly dnsServers?: ReadonlyArray<string>
  /** Used instead of any name server. */
  readonly lookup?: Lookup
  readonly limits?: Partial<GateLimits>
  /** The maximum numbers of idle connections. */
  readonly poolLimits?: Partial<PoolLimits>
  /** For tests: maps a checked address to the endpoint to connect to. */
  readonly dial?: (address: string, port: number) => Endpoint
}

/** An invalid option, reported at startup. The message names the option and never contains its value. */
export class OutboundMisconfigured extends Data.TaggedError("OutboundMisconfigured")<{
  readonly option: keyof OutboundOptions
  readonly message: string
}> {}

const misconfigured = (option: keyof OutboundOptions, message: string) => new OutboundMisconfigured({ option, message })

const httpUrl = (text: string): URL | undefined => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url : undefined
}

const readOrigin = (text: string): string => {
  const url = httpUrl(text)
  if (url === undefined || url.username !== "" || url.password !== "") {
    throw misconfigured("configuredOrigins", "A configured origin must be an http or https URL without user info.")
  }
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1)
  return url.origin
}

export const readProxy = (text: string): ProxyServer => {
  const url = httpUrl(text)
  if (url === undefined) throw misconfigured("proxy", "ORGPLANE_OUTBOUND_PROXY must be an http or https URL.")
  const isSecure = url.protocol === "https:"
  const userInfo = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    secure: isSecure,
    authorization: userInfo === ":" ? undefined : `Basic ${Buffer.from(userInfo).toString("base64")}`
  }
}

/** Each certificate is parsed, because a secure context silently ignores invalid ones. */
const readAuthorities = (pem: string): ReadonlyArray<string> => {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    if (certificates.length > 0) return certificates.map((one) => new X509Certificate(one).toString())
  } catch {
    // Reported below: the parser's message could contain the value.
  }
  throw misconfigured(
    "ca",
    "The additional certificate authorities (ORGPLANE_OUTBOUND_CA) must be certificates as PEM."
  )
}

export const readSecureContext = (ca: string | undefined) =>
  createSecureContext(ca === undefined ? {} : { ca: [...getCACertificates("default"), ...readAuthorities(ca)] })

const readPlainHttp = (entries: boolean | ReadonlyArray<string>): PlainHttp => {
  const plainHttp = parsePlainHttp(entries)
  if (plainHttp !== undefined) return plainHttp
  throw misconfigured("allowHttp", "allowHttp must list ranges like 127.0.0.0/8 or host names like mcp.internal.")
}

const readRules = (options: OutboundOptions, pools: Rules["pools"]): Rules => ({
  pools,
  plainHttp: readPlainHttp(options.allowHttp ?? false),
  configuredOrigins: new Set((options.configuredOrigins ?? []).map(readOrigin)),
  loopback: options.loopback ?? false,
  allowRanges: (options.allowCidrs ?? []).map((text) => {
    const range = parseRange(text)
    if (range === undefined)
      throw misconfigured("allowCidrs", "Allowed ranges must be in CIDR notation, like 10.0.0.0/8.")
    return range
  }),
  lookup:
    options.lookup ??
    makeLookup(
      (options.dnsServers ?? []).map((text) => {
        const server = parseDnsServer(text)
        if (server === undefined)
          throw misconfigured("dnsServers", "Name servers must be addresses like 10.0.0.53 or 127.0.0.1:5353.")
        return server
      })
    ),
  proxy: options.proxy === undefined ? undefined : readProxy(options.proxy),
  secureContext: readSecureContext(options.ca),
  dial: options.dial ?? ((address, port) => ({ address, port }))
})

const defaultLimits: GateLimits = {
  perOrganization: 16,
  perProcess: 64,
  waitingPerOrganization: 32,
  waitingPerProcess: 256
}

/**
 * More slots than an organization has webhook endpoints and event streams, so that each of them can wait for its receiver.
 */
const deliveryLimits: GateLimits = {
  perOrganization: 160,
  perProcess: 768,
  waitingPerOrganization: 1024,
  waitingPerProcess: 4096
}

const defaultPoolLimits: PoolLimits = { perKey: 4, perOrganization: 16, perProcess: 64 }
/** A connection for each endpoint, and for each request of the endpoints that receive several at a time. */
const deliveryPoolLimits: PoolLimits = { perKey: 8, perOrganization: 160, perProcess: 768 }

export const timeoutDefaultMillis = 10_000
/** Longer than any exchange should take, and within the range of timers. */
const timeoutLimitMillis = 3_600_000

type Gates = Readonly<Record<NonNullable<OutboundRequest["slots"]>, Gate>>

interface Running {
  readonly response: Promise<OutboundStream>
  readonly stopwatch: Stopwatch
  /** `isClean`: the response was read, or is not needed further, and no error occurred. */
  readonly close: (isClean: boolean) => void
}

/** Waiting for a slot counts toward the timeout, so that a caller never waits longer than it specified. */
const begin = (request: OutboundRequest, rules: Rules, gates: Gates): Running => {
  const controller = new AbortController()
  const { signal } = controller
  const stopwatch = makeStopwatch()
  const ticket = gates[request.slots ?? "requests"].enter(request.organizationId)
  if (ticket === undefined) return { response: Promise.reject(failed("busy")), stopwatch, close: () => undefined }

  let isAdmitted = false
  const abort = (reason: OutboundFailed): void => controller.abort(reason)
  const endAfter = (millis: number) =>
    setTimeout(() => abort(failed(isAdmitted ? "timeout" : "busy")), Math.min(millis, timeoutLimitMillis))
  const timer = endAfter(request.timeoutMillis ?? timeoutDefaultMillis)
  const headersTimer = request.headersTimeoutMillis === undefined ? undefined : endAfter(request.headersTimeoutMillis)
  let end: (() => Promise<void>) | undefined
  const run = async (): Promise<OutboundStream> => {
    await orAborted(ticket.admitted, signal)
    isAdmitted = true
    const exchanged = await exchange(request, rules, { signal, abort, stopwatch, hold: ticket.hold })
    end = exchanged.end
    clearTimeout(headersTimer)
    return exchanged.stream
  }
  return {
    response: run(),
    stopwatch,
    close: (isClean) => {
      clearTimeout(timer)
      clearTimeout(headersTimer)
      if (isClean && end !== undefined && !signal.aborted) ticket.hold(end())
      else controller.abort(failed("unreachable", "The request was closed before it completed."))
      end = undefined
      ticket.leave()
    }
  }
}

const collect = async (stream: OutboundStream): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of stream.body) chunks.push(chunk)
  const body = new Uint8Array(chunks.reduce((bytes, chunk) => bytes + chunk.byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.byteLength
  }
  return body
}

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, OutboundFailed> =>
  Effect.tryPromise({ try: work, catch: failureOf })

const requestsTotal = new Map<string, Metric.Counter<number>>()
/** There are few destinations and outcomes. */
const totalOf = (destination: Destination, outcome: string): Metric.Counter<number> => {
  const name = `${destination} ${outcome}`
  const existing = requestsTotal.get(name)
  if (existing !== undefined) return existing
  const total = counter("orgplane_outbound_requests_total", { destination, outcome })
  requestsTotal.set(name, total)
  return total
}

const count = (destination: Destination, outcome: string): Effect.Effect<void> =>
  Metric.update(totalOf(destination, outcome), 1)

/** The chunks up to this number of bytes. */
const readStart = async (body: OutboundStream["body"], bytesMax: number): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes >= bytesMax) break
    }
  } catch {
    // The status was received.
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}

/** Only the host is logged, because the path or query may contain a secret. */
const hostOf = (url: string): string => URL.parse(url)?.hostname ?? "invalid"

export const make = (options: OutboundOptions = {}) =>
  Effect.gen(function* () {
    const makePool = (limits: PoolLimits) =>
      Effect.acquireRelease(
        Effect.sync(() => new Pool({ ...limits, ...options.poolLimits })),
        (pool) => Effect.sync(() => pool.close())
      )
    const pools = {
      requests: yield* makePool(defaultPoolLimits),
      deliveries: yield* makePool(deliveryPoolLimits)
    }
    const rules = yield* Effect.try({
      try: () => readRules(options, pools),
      catch: (cause) =>
        cause instanceof OutboundMisconfigured
          ? cause
          : misconfigured("proxy", "The user info in ORGPLANE_OUTBOUND_PROXY is not percent-encoded correctly.")
    })
    const gates: Gates = {
      requests: makeGate({ ...defaultLimits, ...options.limits }),
      deliveries: makeGate(deliveryLimits)
    }

    /** Closes with the scope, and immediately on failure or interruption, because the scope may live much longer. */
    const open = Effect.fnUntraced(function* (request: OutboundRequest) {
      yield* Effect.annotateCurrentSpan("host", hostOf(request.url))
      const running = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const running = begin(request, rules, gates)
          running.response.catch(() => undefined)
          return running
        }),
        (running, exit) => Effect.sync(() => running.close(Exit.isSuccess(exit)))
      )
      const response = yield* attempt(() => running.response).pipe(
        Effect.onError(() => Effect.sync(() => running.close(false))),
        Effect.tapError(({ code }) => count(request.destination, code)),
        Effect.tap(({ status }) => count(request.destination, `${Math.trunc(status / 100)}xx`))
      )
      yield* Effect.annotateCurrentSpan("status", response.status)
      return { response, stopwatch: running.stopwatch }
    })

    const stream = Effect.fn("outbound.stream")((request: OutboundRequest) =>
      Effect.map(open(request), ({ response }) => response)
    )
    const request = Effect.fn("outbound.request")(function* (request: OutboundRequest) {
      const { response, stopwatch } = yield* open(request)
      const body = yield* attempt(() => collect(response))
      return { ...response, body, phaseMillis: stopwatch.read().phaseMillis }
    }, Effect.scoped)
    const begun = (request: OutboundRequest, bytes: number) =>
      Effect.callback<OutboundStart, OutboundFailed>((resume) => {
        const running = begin(request, rules, gates)
        const read = async (): Promise<OutboundStart> => {
          const { body, headers, status } = await running.response
          return { status, headers, body: await readStart(body, bytes) }
        }
        read().then(
          (start) => {
            running.close(true)
            resume(Effect.as(count(request.destination, `${Math.trunc(start.status / 100)}xx`), start))
          },
          (cause: unknown) => {
            running.close(false)
            const failure = failureOf(cause)
            resume(Effect.andThen(count(request.destination, failure.code), Effect.fail(failure)))
          }
        )
        return Effect.sync(() => running.close(false))
      })
    const traced = Effect.fn("outbound.start")(function* (request: OutboundRequest, bytes: number) {
      yield* Effect.annotateCurrentSpan("host", hostOf(request.url))
      const start = yield* begun(request, bytes)
      yield* Effect.annotateCurrentSpan("status", start.status)
      return start
    })
    const start = (request: OutboundRequest, bytes: number) =>
      Effect.withFiber((fiber) => (isTraced(fiber) ? traced(request, bytes) : begun(request, bytes)))
    const closeIdle = (organizationId: string, owner: string) =>
      Effect.sync(() => {
        for (const pool of Object.values(pools)) pool.closeOf({ organizationId, owner })
      })
    return Outbound.of({ request, start, stream, closeIdle })
  })

/** The outbound HTTP client: see `Outbound`. */
export const layerOutbound = (options: OutboundOptions = {}): Layer.Layer<Outbound, OutboundMisconfigured> =>
  Layer.effect(Outbound, make(options))
