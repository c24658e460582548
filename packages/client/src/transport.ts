import { AbortedError, codeOf, ConnectionError, errorOf, OrgplaneError, TimeoutError } from "./errors.ts"
import { makeList, type Page } from "./page.ts"

/** What every call takes last. */
export interface RequestOptions {
  /** Ends the call with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined
  /** For the whole call with its retries; 60 000 unless the client says otherwise. */
  readonly timeoutMillis?: number | undefined
  /**
   * Names a POST for 24 hours, so that a repetition changes nothing and gets the first answer. The client makes one for
   * every operation that honours it; give your own to repeat across processes.
   */
  readonly idempotencyKey?: string | undefined
  /** The `ETag` that was read: the change is refused with a `PreconditionFailedError` when the row has another by now. */
  readonly ifMatch?: string | undefined
  /** The `ETag` in hand: ends with a `NotModifiedError` when it still holds. */
  readonly ifNoneMatch?: string | undefined
  /** Sent as they are, over what the client would send. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Tries after the first; 2 unless the client says otherwise. */
  readonly retries?: number | undefined
}

/** What a raw request takes. */
export interface RawOptions extends RequestOptions {
  /** Undefined members are left out, arrays repeat the name. */
  readonly query?: Readonly<Record<string, QueryValue | ReadonlyArray<QueryValue> | undefined>> | undefined
  /** Text and bytes go as they are and need a `content-type` of yours; everything else goes as JSON. */
  readonly body?: unknown
  /** The data is the answer's bytes as they come, a `ReadableStream<Uint8Array>`. */
  readonly streams?: boolean | undefined
}
type QueryValue = string | number | boolean

/** Facts about an answer besides its data. */
export interface ResponseInfo {
  readonly status: number
  /** `etag`, `ratelimit`, … */
  readonly headers: Headers
  /** Names the request in logs and audit of the server. */
  readonly requestId: string | undefined
}

export interface Answer<Data> {
  readonly data: Data
  readonly response: ResponseInfo
}

/** A call under way: a promise of the data, or by `withResponse` of the data with status and headers. */
export interface Call<Data> extends Promise<Data> {
  withResponse(): Promise<Answer<Data>>
}

export interface ClientOptions {
  /** Where the control plane is; a path in it is kept: `https://example.com/orgplane`. */
  readonly baseUrl: string | URL
  /** The token of a session. */
  readonly token?: string | undefined
  /** A key of the organization; instead of `token`. */
  readonly apiKey?: string | undefined
  /** The organization to act in, for a person who is in several. */
  readonly organizationId?: string | undefined
  /** Sends the requests; the platform's `fetch` unless told. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** For a whole call with its retries; 60 000 unless told. */
  readonly timeoutMillis?: number | undefined
  /** Tries after the first for what can be repeated safely; 2 unless told. */
  readonly retries?: number | undefined
}

interface Plan {
  readonly method: string
  readonly path: string
  readonly query?: RawOptions["query"]
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
  /** Statuses from 400 on that the operation declares as answers. */
  readonly answers?: number | undefined
  /** The member the answer must have: `item` is the answer itself, `items` makes it a page. */
  readonly holds?: "item" | "items" | undefined
  /** The answer is handed on as it comes. */
  readonly streams?: boolean | undefined
  readonly options: RequestOptions
}

const delayMillisMax = 8_000
const delayMillisMin = 250
/** A server that asks for a longer pause is not asked again: the caller decides. */
const retryAfterMillisMax = 60_000

const retryAfterMillis = (headers: Headers): number | undefined => {
  const said = headers.get("retry-after")
  if (said === null) return undefined
  const millis = /^\d+$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - Date.now()
  return Number.isNaN(millis) ? undefined : Math.max(0, millis)
}

const pause = (tried: number, asked: number | undefined): number => {
  const grown = Math.min(delayMillisMax, delayMillisMin * 2 ** tried)
  // Spread out, so that clients that failed together do not come back together; never before the server said.
  return (asked ?? grown / 2) + (Math.random() * grown) / 2
}

const contentOf = async (response: Response): Promise<unknown> => {
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

const eventually = (millis: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end)
      resolve()
    }, millis)
    signal.addEventListener("abort", end, { once: true })
  })

/** One segment of a path. `.` and `..` would change the path itself, and an empty one would ask for the list. */
const segment = (id: unknown, operation: string): string => {
  if (typeof id !== "string" || id === "" || id === "." || id === "..") {
    throw new TypeError(`${operation}: ${JSON.stringify(id) ?? "undefined"} is not an id`)
  }
  return encodeURIComponent(id)
}

/** Starts at once; a failure is told to whoever waits, in either form. */
const makeCall = (answer: Promise<Answer<unknown>>): Call<unknown> => {
  const data = () => answer.then((answer) => answer.data)
  return {
    [Symbol.toStringTag]: "Call",
    then: (onFulfilled, onRejected) => data().then(onFulfilled, onRejected),
    catch: (onRejected) => data().catch(onRejected),
    finally: (onFinally) => data().finally(onFinally),
    withResponse: () => answer
  }
}

/** What sends: everything a client does besides naming its operations. */
export const makeTransport = (client: ClientOptions) => {
  const base = new URL(client.baseUrl)
  const root = base.origin + base.pathname.replace(/\/+$/, "")
  if (client.token !== undefined && client.apiKey !== undefined) {
    throw new TypeError("createClient: give a token or an apiKey, not both")
  }
  const send = client.fetch ?? ((request: Request) => fetch(request))

  const requestOf = (plan: Plan, signal: AbortSignal): Request => {
    const url = new URL(root + plan.path)
    for (const [name, value] of Object.entries(plan.query ?? {})) {
      for (const one of Array.isArray(value) ? (value as ReadonlyArray<QueryValue>) : [value]) {
        if (one !== undefined) url.searchParams.append(name, String(one))
      }
    }
    const headers = new Headers({ accept: "application/json" })
    const put = (name: string, value: string | undefined) => {
      if (value !== undefined) headers.set(name, value)
    }
    put("authorization", client.token === undefined ? undefined : `Bearer ${client.token}`)
    put("x-api-key", client.apiKey)
    put("x-organization-id", client.organizationId)
    put("idempotency-key", plan.idempotencyKey)
    put("if-match", plan.options.ifMatch)
    put("if-none-match", plan.options.ifNoneMatch)
    const verbatim = typeof plan.body === "string" || plan.body instanceof Uint8Array
    if (plan.body !== undefined && !verbatim) put("content-type", "application/json")
    for (const [name, value] of Object.entries(plan.options.headers ?? {})) put(name, value)
    return new Request(url, {
      method: plan.method,
      headers,
      // A redirect could carry the credential to another origin.
      redirect: "manual",
      signal,
      ...(plan.body === undefined
        ? {}
        : { body: verbatim ? (plan.body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(plan.body) })
    })
  }

  /** One try: the answer, or the error and whether another try may help. */
  const attempt = async (plan: Plan, signal: AbortSignal, tried: number) => {
    const request = requestOf(plan, signal)
    let response: Response
    let body: unknown
    try {
      response = await send(request)
      body = plan.streams === true && response.ok ? response.body : await contentOf(response)
    } catch (cause) {
      const error = new ConnectionError({ code: "connection_failed", message: `No answer from ${base.origin}.`, cause })
      return { error, again: true, asked: undefined }
    }
    const { status, headers } = response
    const requestId = headers.get("x-request-id") ?? undefined
    const code = codeOf(body)
    if ((status >= 200 && status < 300) || (status === plan.answers && code === undefined)) {
      const held = plan.holds && (body as Record<string, unknown> | undefined)?.[plan.holds]
      if (plan.holds !== undefined && held === undefined) {
        const message = `The answer holds no ${plan.holds}: is ${base.origin} a control plane?`
        return {
          error: new OrgplaneError({ code: "invalid_answer", status, requestId, body, message }),
          again: false,
          asked: undefined
        }
      }
      return { answer: { data: plan.holds === "item" ? held : body, response: { status, headers, requestId } } }
    }
    if (response.type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304)) {
      const to = headers.get("location")
      const where = to === null ? "elsewhere" : `to ${new URL(to, request.url).origin}`
      const message = `The server redirects ${where}, which is not followed; is baseUrl right?`
      return {
        error: new OrgplaneError({ code: "redirected", status, requestId, body, message }),
        again: false,
        asked: undefined
      }
    }
    const asked = retryAfterMillis(headers)
    const again =
      status === 429 ||
      status === 503 ||
      // A bad gateway that names its cause did the work: what only POST starts is not started again.
      ((status === 502 || status === 504) && (plan.method !== "POST" || code === undefined)) ||
      // Our own first try is still at work.
      (tried > 0 && code === "idempotency_key_in_use")
    return { error: errorOf(status, body, requestId, asked), again, asked }
  }

  /** Tries until there is an answer, nothing more to try, or no time. */
  const run = async (plan: Plan): Promise<Answer<unknown>> => {
    const { options, method } = plan
    const timeoutMillis = options.timeoutMillis ?? client.timeoutMillis ?? 60_000
    const repeatable =
      ["GET", "HEAD", "PUT", "DELETE"].includes(method) || (method === "POST" && plan.idempotencyKey !== undefined)
    const retries = repeatable ? (options.retries ?? client.retries ?? 2) : 0
    const end = new AbortController()
    const deadline = Date.now() + timeoutMillis
    const timer = setTimeout(
      () =>
        end.abort(
          new TimeoutError({ code: "timeout", message: `${method} ${plan.path} took over ${timeoutMillis} ms.` })
        ),
      timeoutMillis
    )
    const abort = () =>
      end.abort(
        new AbortedError({
          code: "aborted",
          message: `${method} ${plan.path} was aborted.`,
          cause: options.signal?.reason
        })
      )
    if (options.signal?.aborted) abort()
    options.signal?.addEventListener("abort", abort, { once: true })
    // A stream goes on after the call: the caller's signal still ends it, the timeout does not.
    const sent =
      plan.streams === true && options.signal !== undefined ? AbortSignal.any([end.signal, options.signal]) : end.signal
    // A `fetch` of the caller's own may not heed the signal.
    const ended = new Promise<never>((_, reject) =>
      end.signal.addEventListener("abort", () => reject(end.signal.reason as Error), { once: true })
    )
    ended.catch(() => {})
    try {
      for (let tried = 0; ; tried++) {
        end.signal.throwIfAborted()
        const { answer, error, again, asked } = await Promise.race([attempt(plan, sent, tried), ended])
        if (answer !== undefined) return answer
        const millis = pause(tried, asked)
        const worthwhile =
          again && tried < retries && (asked ?? 0) <= retryAfterMillisMax && Date.now() + millis < deadline
        if (!worthwhile) throw error
        await eventually(millis, end.signal)
      }
    } catch (error) {
      // `fetch` may wrap the reason of its signal.
      throw end.signal.aborted ? (end.signal.reason as Error) : error
    } finally {
      clearTimeout(timer)
      options.signal?.removeEventListener("abort", abort)
    }
  }

  /**
   * The function of one operation, from its line in the route table: `METHOD<flags> path ?names`.
   * Flags: `*` a list, `+` honours an idempotency key, `>` answers `item`, `~` a stream, `{` takes a body, `503` is an
   * answer too.
   * In the path each `:` is an id; `?` says there are query members, named when there is a body besides.
   */
  const operation = (name: string, route: string) => {
    const [head = "", path = "", names] = route.split(" ")
    const [, method = "", flags = ""] = /^([A-Z]+)(.*)$/.exec(head) ?? []
    const pieces = path.split(":")
    const holes = pieces.length - 1
    const hasBody = flags.includes("{")
    const inQuery = new Set(names?.slice(1).split(","))
    const answers = flags.includes("503") ? 503 : undefined

    const planOf = (args: ReadonlyArray<unknown>): Plan => {
      const rest = args.slice(holes)
      const input = (hasBody || names !== undefined ? rest.shift() : undefined) as Record<string, unknown> | undefined
      const options = (rest[0] ?? {}) as RequestOptions
      const members = Object.entries(input ?? {})
      const query = hasBody ? members.filter(([name]) => inQuery.has(name)) : members
      const body = hasBody ? members.filter(([name]) => !inQuery.has(name)) : undefined
      return {
        method,
        path: pieces.reduce((path, piece, index) => path + segment(args[index - 1], name) + piece),
        query: Object.fromEntries(query) as RawOptions["query"],
        body: body && Object.fromEntries(body),
        // One key for all tries of one call; where no key is honoured none is sent, and nothing is tried twice.
        idempotencyKey: flags.includes("+") ? (options.idempotencyKey ?? globalThis.crypto?.randomUUID?.()) : undefined,
        answers,
        holds: flags.includes(">") ? "item" : flags.includes("*") ? "items" : undefined,
        streams: flags.includes("~"),
        options
      }
    }

    return (...args: ReadonlyArray<unknown>) => {
      if (!flags.includes("*")) return makeCall(new Promise((resolve) => resolve(run(planOf(args)))))
      const plan = planOf(args)
      const start = plan.query?.["cursor"] as string | undefined
      return makeList(
        (cursor) => run({ ...plan, query: { ...plan.query, cursor } }) as Promise<Answer<Page<unknown>>>,
        start
      )
    }
  }

  /** Any request, for what has no operation. POST is tried again only with an `idempotencyKey`. */
  const request = <Data = unknown>(method: string, path: string, options: RawOptions = {}): Call<Data> => {
    if (!path.startsWith("/")) throw new TypeError(`request: ${JSON.stringify(path)} must begin with a slash`)
    const { query, body, idempotencyKey, streams } = options
    return makeCall(
      run({ method: method.toUpperCase(), path, query, body, idempotencyKey, streams, options })
    ) as Call<Data>
  }

  return { operation, request }
}
