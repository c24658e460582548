import type { Call, CallResult } from "./call.ts"
import { delay } from "./delay.ts"
import { makeEventStream } from "./event-stream.ts"

export { makeEventStream } from "./event-stream.ts"
export { type ReceivedLine, verifyEvents } from "./verify-events.ts"
import {
  type ClientOptions,
  credentialOf,
  deprecationOf,
  rootOf,
  type RequestEvent,
  showWarning,
  shownWarningsMax,
  userAgentOf,
  withoutLinkTokens,
  withoutSecrets
} from "./client-options.ts"
import { AbortedError, codeOf, ConnectionError, errorOf, OrgplaneError, TimeoutError } from "./errors.ts"
import { version } from "./generated/version.ts"
import { makeList, type Page } from "./page.ts"

export type { CallResult } from "./call.ts"
export { type ClientOptions, deprecationOf, withoutLinkTokens } from "./client-options.ts"

/** Options for a call, passed as the last argument. */
export interface RequestOptions {
  /** Aborts the call with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined
  /**
   * Timeout for the whole call, including retries, in milliseconds. `Infinity` disables it. Default: the client's timeout
   * (60,000).
   */
  readonly timeoutMillis?: number | undefined
  /**
   * Makes a POST idempotent for 24 hours: a repeated request has no further effect and returns the first response.
   * The client creates a key for every operation that supports it. Set your own to retry across processes.
   */
  readonly idempotencyKey?: string | undefined
  /** Expected `ETag`. The call fails with a `PreconditionFailedError` if the object has changed since. */
  readonly ifMatch?: string | undefined
  /** Known `ETag`. The call fails with a `NotModifiedError` if the object has not changed. */
  readonly ifNoneMatch?: string | undefined
  /** Additional headers. They override the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Maximum number of retries after the first attempt. Default: the client's setting (2). */
  readonly retries?: number | undefined
}

/** Options of a raw request. */
export interface RawOptions extends RequestOptions {
  /** Query parameters. Undefined members are omitted, arrays repeat the name. */
  readonly query?: Readonly<Record<string, QueryValue | ReadonlyArray<QueryValue> | undefined>> | undefined
  /** Strings and bytes are sent unchanged and need a `content-type` header. Other values are sent as JSON. */
  readonly body?: unknown
  /** Returns the response body as a `ReadableStream<Uint8Array>`. */
  readonly streams?: boolean | undefined
}
type QueryValue = string | number | boolean

/** A request as data, which a program can send without `fetch`. */
export interface SentRequest {
  readonly method: string
  readonly url: URL
  /** By name in lowercase. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
  readonly signal: AbortSignal
}

type HeaderReader = Pick<Headers, "get">

/** What the transport reads of a response. */
export interface ReceivedResponse<ResponseHeaders extends HeaderReader = Headers> extends Pick<
  Response,
  "arrayBuffer" | "body" | "status" | "text"
> {
  readonly headers: ResponseHeaders
}

/** Sends a request. Throws immediately if the request is invalid, and rejects if there is no response. */
export type Send<ResponseHeaders extends HeaderReader = Headers> = (
  request: SentRequest
) => Promise<ReceivedResponse<ResponseHeaders>>

interface Plan {
  /** Such as `plugins.create`; undefined for a raw request. */
  readonly operation?: string | undefined
  readonly method: string
  readonly path: string
  readonly query?: RawOptions["query"]
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
  /** A read-only POST, which is safe to retry. */
  readonly reads?: boolean | undefined
  /** A failure status that the operation declares as a response. */
  readonly declaredFailure?: number | undefined
  /** The member that is returned instead of the body. */
  readonly member?: string | undefined
  /** The response is a page, which must have `items`. */
  readonly paged?: boolean | undefined
  /** The response body is returned as a stream. */
  readonly streams?: boolean | undefined
  readonly options: RequestOptions
}

/** A timer with a longer delay would fire immediately. */
const timerMillisMax = 2 ** 31 - 1
const delayMillisMax = 8_000
const delayMillisMin = 250
/** A request is not retried if the server asks for a longer delay. The caller decides. */
const retryAfterMillisMax = 60_000

const retryAfterMillis = (headers: HeaderReader): number | undefined => {
  const header = headers.get("retry-after")
  if (header === null) return undefined
  const millis = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(millis) ? undefined : Math.max(0, millis)
}

const delayBeforeRetry = (attempts: number, retryAfter: number | undefined): number => {
  const backoff = Math.min(delayMillisMax, delayMillisMin * 2 ** attempts)
  // Jitter, so that clients that failed together do not retry together. Never earlier than the server asks.
  return (retryAfter ?? backoff / 2) + (Math.random() * backoff) / 2
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/**
 * Whether a request is idempotent: it reads, sets fields to given values, deletes, or has an idempotency key. A PATCH with
 * `ifMatch` that was applied before its response was lost fails with a `PreconditionFailedError` when it is retried.
 */
const isRepeatable = ({ idempotencyKey, method, reads }: Plan): boolean =>
  method !== "POST" || reads === true || idempotencyKey !== undefined

/**
 * A 502 or 504 with an error code means that the operation ran, and that another system failed: a POST does not run again.
 */
const isTransient = (status: number, code: string | undefined, method: string): boolean =>
  status === 408 ||
  status === 500 ||
  status === 503 ||
  ((status === 502 || status === 504) && (method !== "POST" || code === undefined))

const contentOf = async (response: ReceivedResponse<HeaderReader>): Promise<unknown> => {
  const type = response.headers.get("content-type") ?? ""
  const isJson = /[/+]json\b/.test(type)
  if (!isJson && type !== "" && !type.startsWith("text/")) return new Uint8Array(await response.arrayBuffer())
  const text = await response.text()
  if (text === "") return undefined
  if (!isJson) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** One segment of a path. `.` and `..` would change the path, and an empty segment would request the list. */
const segment = (id: unknown, operation: string): string => {
  if (typeof id !== "string" || id === "" || id === "." || id === "..") {
    throw new TypeError(`${operation}: invalid ID ${JSON.stringify(id) ?? "undefined"}`)
  }
  return encodeURIComponent(id)
}

/** Wraps a request that has already started. Both forms reject if it fails. */
const makeCall = <ResponseHeaders>(
  result: Promise<CallResult<unknown, ResponseHeaders>>
): Call<unknown, ResponseHeaders> => {
  const data = () => result.then((result) => result.data)
  return {
    [Symbol.toStringTag]: "Call",
    then: (onFulfilled, onRejected) => data().then(onFulfilled, onRejected),
    catch: (onRejected) => data().catch(onRejected),
    finally: (onFinally) => data().finally(onFinally),
    withResponse: () => result
  }
}

const responses = new WeakMap<ReadableStream, object>()

/** Node cancels an unread body when its response is garbage-collected: the stream must keep the response. */
const streamOf = (response: ReceivedResponse<HeaderReader>) => {
  const { body } = response
  if (body !== null) responses.set(body, response)
  return body
}

/** Sends requests with `fetch`. */
export const sendWithFetch =
  (send: (request: Request) => Promise<Response> = (request) => fetch(request)): Send =>
  ({ body, headers, method, signal, url }) => {
    // A redirect could carry the credential to another origin.
    const request = new Request(url, {
      method,
      headers,
      redirect: "manual",
      signal,
      ...(body === undefined ? {} : { body })
    })
    return (async () => send(request))()
  }

/** Sends requests: credentials, retries, timeouts, errors. */
export const makeTransport = <ResponseHeaders extends HeaderReader>(
  client: Omit<ClientOptions, "fetch">,
  send: Send<ResponseHeaders>
) => {
  const base = rootOf(client.baseUrl)
  const root = base.origin + base.pathname.replace(/\/+$/, "")
  const credential = credentialOf(client)
  const userAgent = userAgentOf(version)
  // Raw requests are distinguished by the message, of which the server has one for each operation.
  const shownDeprecations = new Set<string>()

  const requestOf = async (plan: Plan, signal: AbortSignal): Promise<SentRequest> => {
    const url = new URL(root + plan.path)
    for (const [name, value] of Object.entries(plan.query ?? {})) {
      for (const one of Array.isArray(value) ? (value as ReadonlyArray<QueryValue>) : [value]) {
        if (one !== undefined) url.searchParams.append(name, String(one))
      }
    }
    const headers: Record<string, string> = { accept: "application/json" }
    const put = (name: string, value: string | undefined) => {
      if (value === undefined) return
      // `fetch` would reject it with a message that contains the value, which may be a secret.
      if (!/^[\t -~\u0080-\u00ff]*$/.test(value)) {
        throw new TypeError(`The header ${name} contains characters that are not allowed, such as line breaks.`)
      }
      headers[name.toLowerCase()] = value
    }
    put("user-agent", userAgent)
    for (const [name, value] of Object.entries(client.headers ?? {})) put(name, value)
    for (const [name, value] of Object.entries(await credential())) put(name, value)
    put("x-organization-id", client.organizationId)
    put("idempotency-key", plan.idempotencyKey)
    put("if-match", plan.options.ifMatch)
    put("if-none-match", plan.options.ifNoneMatch)
    const verbatim = typeof plan.body === "string" || plan.body instanceof Uint8Array
    if (plan.body !== undefined && !verbatim) put("content-type", "application/json")
    for (const [name, value] of Object.entries(plan.options.headers ?? {})) put(name, value)
    const body = verbatim ? (plan.body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(plan.body)
    return { method: plan.method, url, headers, body, signal }
  }

  /** One attempt: the result, or the error and whether a retry may succeed. */
  const attempt = async (plan: Plan, signal: AbortSignal, attempts: number) => {
    const request = await requestOf(plan, signal)
    const { method } = request
    const url = new URL(withoutLinkTokens(request.url.href))
    const event: RequestEvent = { method, url, headers: withoutSecrets(request.headers), attempt: attempts }
    client.onRequest?.(event)
    const sentAt = Date.now()
    const pending = send(request)
    let response: ReceivedResponse<ResponseHeaders>
    let body: unknown
    try {
      response = await pending
      body = plan.streams === true && isSuccess(response.status) ? streamOf(response) : await contentOf(response)
    } catch (cause) {
      const error = new ConnectionError({
        code: "connection_failed",
        message: `No response from ${base.origin}.`,
        cause
      })
      return { error, event, retryable: isRepeatable(plan), retryAfter: undefined }
    }
    const { status, headers } = response
    const requestId = headers.get("x-request-id") ?? undefined
    const durationMillis = Date.now() - sentAt
    const deprecation = deprecationOf(headers)
    const received = { ...event, status, requestId, durationMillis, deprecation }
    client.onResponse?.(received)
    const warning = headers.get("orgplane-warning")
    if (warning !== null) showWarning(client, warning, received)
    if (deprecation !== undefined) {
      const key = plan.operation ?? `${method} ${deprecation.message}`
      if (!shownDeprecations.has(key)) {
        if (shownDeprecations.size >= shownWarningsMax) shownDeprecations.clear()
        shownDeprecations.add(key)
        showWarning(client, deprecation.message, received)
      }
    }
    client.logger?.debug(
      `${method} ${url.pathname} ${status} in ${durationMillis} ms (${requestId ?? "no request ID"})`
    )
    const code = codeOf(body)
    if (isSuccess(status) || (status === plan.declaredFailure && code === undefined)) {
      const needed = plan.paged === true ? "items" : plan.member
      const value = needed === undefined ? undefined : (body as Record<string, unknown> | undefined)?.[needed]
      if (needed !== undefined && value === undefined) {
        const message = `The response has no member '${needed}'. Check that ${base.origin} is an orgplane server.`
        return {
          error: new OrgplaneError({ code: "invalid_answer", status, requestId, body, message }),
          event,
          retryable: false,
          retryAfter: undefined
        }
      }
      return { result: { data: plan.member === undefined ? body : value, response: { status, headers, requestId } } }
    }
    // 0: the browser hides the redirect.
    if (status === 0 || (status >= 300 && status < 400 && status !== 304)) {
      const to = headers.get("location")
      const target = to !== null && URL.canParse(to, request.url) ? ` to ${new URL(to, request.url).origin}` : ""
      const message = `The server redirected the request${target}. Redirects are not followed. Check baseUrl.`
      return {
        error: new OrgplaneError({ code: "redirected", status, requestId, body, message }),
        event,
        retryable: false,
        retryAfter: undefined
      }
    }
    const retryAfter = retryAfterMillis(headers)
    const retryable =
      // The server refused the request before it did anything.
      (status === 429 && (retryAfter !== undefined || isRepeatable(plan))) ||
      (isRepeatable(plan) && isTransient(status, code, plan.method)) ||
      // The first attempt of this call is still running.
      (attempts > 0 && code === "idempotency_key_in_use")
    const error = errorOf(status, body, requestId, retryAfter, headers.get("www-authenticate") ?? undefined)
    return { error, event, retryable, retryAfter }
  }

  /** Attempts a request until it succeeds, is not retryable, or runs out of retries or time. */
  const run = async (plan: Plan): Promise<CallResult<unknown, ResponseHeaders>> => {
    const { options, method } = plan
    const call = `${method} ${withoutLinkTokens(plan.path)}`
    const timeoutMillis = options.timeoutMillis ?? client.timeoutMillis ?? 60_000
    const retries = options.retries ?? client.retries ?? 2
    const end = new AbortController()
    const deadline = Date.now() + timeoutMillis
    const timeOut = () =>
      end.abort(new TimeoutError({ code: "timeout", message: `${call} timed out after ${timeoutMillis} ms.` }))
    const timer = timeoutMillis > timerMillisMax ? undefined : setTimeout(timeOut, timeoutMillis)
    const abort = () =>
      end.abort(
        new AbortedError({
          code: "aborted",
          message: `${call} was aborted.`,
          cause: options.signal?.reason
        })
      )
    if (options.signal?.aborted) abort()
    options.signal?.addEventListener("abort", abort, { once: true })
    // A stream outlives the call: the caller's signal still aborts it, the timeout does not.
    const sent =
      plan.streams === true && options.signal !== undefined ? AbortSignal.any([end.signal, options.signal]) : end.signal
    // A custom `fetch` may ignore the signal.
    const ended = new Promise<never>((_, reject) =>
      end.signal.addEventListener("abort", () => reject(end.signal.reason as Error), { once: true })
    )
    ended.catch(() => {})
    try {
      for (let attempts = 0; ; attempts++) {
        end.signal.throwIfAborted()
        const { error, event, result, retryable, retryAfter } = await Promise.race([
          attempt(plan, sent, attempts),
          ended
        ])
        if (result !== undefined) return result
        const millis = delayBeforeRetry(attempts, retryAfter)
        const shouldRetry =
          retryable && attempts < retries && (retryAfter ?? 0) <= retryAfterMillisMax && Date.now() + millis < deadline
        if (!shouldRetry) throw error
        client.onRetry?.({ ...event, error, delayMillis: millis })
        client.logger?.warn(`${call} failed (${error.code}). Retrying in ${Math.round(millis)} ms.`)
        await delay(millis, end.signal)
      }
    } catch (error) {
      // `fetch` may wrap the reason of its signal.
      throw end.signal.aborted ? (end.signal.reason as Error) : error
    } finally {
      clearTimeout(timer)
      options.signal?.removeEventListener("abort", abort)
    }
  }

  /** Sends any request. A POST is retried only with an `idempotencyKey`. */
  const request = <Data = unknown>(
    method: string,
    path: string,
    options: RawOptions = {}
  ): Call<Data, ResponseHeaders> => {
    if (!path.startsWith("/"))
      throw new TypeError(`request: ${JSON.stringify(withoutLinkTokens(path))} must start with a slash`)
    const { query, body, idempotencyKey, streams } = options
    return makeCall(run({ method: method.toUpperCase(), path, query, body, idempotencyKey, streams, options })) as Call<
      Data,
      ResponseHeaders
    >
  }

  return { run, request }
}

/**
 * Creates the function of an operation from its line in the route table: `METHOD<flags> path ?names`. Flags: `*`
 * returns a list, `=` is a read-only POST, `+` supports an idempotency key, `>` returns `item`, or the member whose name follows, `~` returns a stream, `~~` a stream of events, `{` has a body, `503` is
 * a declared response. In the path each `:` is an ID. `?` starts the query parameters. Their names are listed only if
 * there is also a body.
 */
export const operationWith = (run: (plan: Plan) => Promise<CallResult<unknown>>) => (name: string, route: string) => {
  const [methodAndFlags = "", path = "", names] = route.split(" ")
  const [, method = "", flags = ""] = /^([A-Z]+)(.*)$/.exec(methodAndFlags) ?? []
  const pieces = path.split(":")
  const idCount = pieces.length - 1
  const hasBody = flags.includes("{")
  const inQuery = new Set(names?.slice(1).split(","))
  const wrapped = />([A-Za-z]*)/.exec(flags)?.[1]
  const member = wrapped === "" ? "item" : wrapped
  const declaredFailure = flags.includes("503") ? 503 : undefined

  const planOf = (args: ReadonlyArray<unknown>): Plan => {
    const rest = args.slice(idCount)
    const input = (hasBody || names !== undefined ? rest.shift() : undefined) as Record<string, unknown> | undefined
    const options = (rest[0] ?? {}) as RequestOptions
    const members = Object.entries(input ?? {})
    const query = hasBody ? members.filter(([name]) => inQuery.has(name)) : members
    const body = hasBody ? members.filter(([name]) => !inQuery.has(name)) : undefined
    return {
      operation: name,
      method,
      path: pieces.reduce((path, piece, index) => path + segment(args[index - 1], name) + piece),
      query: Object.fromEntries(query) as RawOptions["query"],
      body: body && Object.fromEntries(body),
      // All attempts of a call share one key. Operations without support get no key and no retries.
      idempotencyKey: flags.includes("+") ? (options.idempotencyKey ?? globalThis.crypto?.randomUUID?.()) : undefined,
      reads: flags.includes("="),
      declaredFailure,
      member,
      paged: flags.includes("*"),
      streams: flags.includes("~"),
      options
    }
  }

  return (...args: ReadonlyArray<unknown>) => {
    if (flags.includes("~~")) {
      const plan = planOf(args)
      return makeEventStream((lastEventId) => {
        const headers = {
          ...plan.options.headers,
          ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
        }
        return run({ ...plan, options: { ...plan.options, headers } }) as Promise<
          CallResult<ReadableStream<Uint8Array>>
        >
      }, plan.options.signal)
    }
    if (!flags.includes("*")) return makeCall(new Promise<CallResult<unknown>>((resolve) => resolve(run(planOf(args)))))
    const plan = planOf(args)
    const start = plan.query?.["cursor"] as string | undefined
    return makeList(
      (cursor) => run({ ...plan, query: { ...plan.query, cursor } }) as Promise<CallResult<Page<unknown>>>,
      start
    )
  }
}
