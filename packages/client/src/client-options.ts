import { type OrgplaneError } from "./errors.ts"

/** An attempt to send a request. */
export interface RequestEvent {
  readonly method: string
  /** The token of a marketplace link is replaced by `opl_redacted`. */
  readonly url: URL
  /** Keyed by lowercase name. Credentials are replaced by `***`. */
  readonly headers: Readonly<Record<string, string>>
  /** 0 for the first attempt. */
  readonly attempt: number
}

/** The operation of a response will be removed. */
export interface DeprecationNotice {
  /** A sentence with the sunset and the replacement. */
  readonly message: string
  /** The operation works at least until this date, such as `2027-05-01`. */
  readonly sunset: string | undefined
  /** The operation to use instead, such as `plugins.create`. */
  readonly instead: string | undefined
}

/** A response, successful or not. */
export interface ResponseEvent extends RequestEvent {
  readonly status: number
  /** Identifies the request in the server's logs and audit log. */
  readonly requestId: string | undefined
  /** From sending the request to reading the response's headers. */
  readonly durationMillis: number
  /** Set if the operation is deprecated. */
  readonly deprecation?: DeprecationNotice | undefined
}

/** A failed attempt that will be retried. */
export interface RetryEvent extends RequestEvent {
  readonly error: OrgplaneError
  readonly delayMillis: number
}

/** Receives log lines. `console` is a valid logger. */
export interface ClientLogger {
  readonly debug: (message: string) => void
  readonly warn: (message: string) => void
}

/** A value, or a function that returns it before each attempt, such as a token that expires. */
export type Provided = string | (() => string | Promise<string>)

export interface ClientOptions {
  /**
   * The control plane's URL. It may contain a path: `https://example.com/orgplane`. Default: the environment variable
   * `ORGPLANE_BASE_URL`.
   */
  readonly baseUrl?: string | URL | undefined
  /**
   * A session token, or a function that returns one before each attempt. `null` sends no credential. Default: the
   * environment variable `ORGPLANE_TOKEN`, for any `baseUrl`, if neither `token` nor `apiKey` is set.
   */
  readonly token?: Provided | null | undefined
  /** An API key of the organization, instead of `token`. Default: the environment variable `ORGPLANE_API_KEY`. */
  readonly apiKey?: string | undefined
  /** The organization to act in, for users who belong to several. */
  readonly organizationId?: string | undefined
  /** Additional headers for every request. The headers of a call override them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Timeout for a whole call, including retries, in milliseconds. `Infinity` disables it. Default: 60,000. */
  readonly timeoutMillis?: number | undefined
  /** Maximum number of retries after the first attempt, for requests that are safe to retry. Default: 2. */
  readonly retries?: number | undefined
  /** Called before each attempt. An error that it throws ends the call. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called for each response. An error that it throws ends the call. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Called before the delay of each retry. An error that it throws ends the call. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  /**
   * Called when the server ignored part of a request, such as an unknown field, and once for each deprecated operation
   * that is called. To make the server reject a request with unknown fields instead, send the header
   * `prefer: handling=strict`. Default: `logger.warn`, or without a logger `console.warn`, once for each message.
   */
  readonly onWarning?: ((message: string, event: ResponseEvent) => void) | undefined
  /** Logs each attempt (`debug`), and retries and warnings of the server (`warn`). Default: none. */
  readonly logger?: ClientLogger | undefined
}

/** The deprecation that the headers of a response declare: RFC 9745, RFC 8594 and a link to the replacement. */
export const deprecationOf = (headers: Pick<Headers, "get">): DeprecationNotice | undefined => {
  if (headers.get("deprecation") === null) return undefined
  const time = Date.parse(headers.get("sunset") ?? "")
  const sunset = Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10)
  const instead = /#operation\/([\w.]+)>; rel="successor-version"/.exec(headers.get("link") ?? "")?.[1]
  const message = [
    `This operation is deprecated${sunset === undefined ? "" : ` and works until ${sunset}`}.`,
    ...(instead === undefined ? [] : [`Use ${instead} instead.`])
  ].join(" ")
  return { message, sunset, instead }
}

/** A set of shown warnings is cleared at this size, so that memory stays bounded; they can then be shown again. */
export const shownWarningsMax = 100
const shownWarnings = new Set<string>()

/** Shows a warning of the server, unless the options handle it. */
export const showWarning = (client: ClientOptions, message: string, event: ResponseEvent): void => {
  if (client.onWarning !== undefined) return client.onWarning(message, event)
  const text = `orgplane: ${event.method} ${event.url.pathname}: ${message}`
  if (client.logger !== undefined) return client.logger.warn(text)
  const key = `${event.method} ${message}`
  if (shownWarnings.has(key)) return
  if (shownWarnings.size >= shownWarningsMax) shownWarnings.clear()
  shownWarnings.add(key)
  console.warn(text)
}

type Environment = Readonly<Record<string, string | undefined>>

const environment = (): Environment => {
  const { process } = globalThis as { readonly process?: { readonly env?: Environment } }
  return process?.env ?? {}
}

const orUndefined = (text: string | undefined) => (text === undefined || text.trim() === "" ? undefined : text.trim())

/** Fills in the options from the environment. Options that are set, even to `""`, are not replaced. */
export const withEnvironment = (options: ClientOptions): ClientOptions => {
  const env = environment()
  const hasCredential = options.token !== undefined || options.apiKey !== undefined
  return {
    ...options,
    baseUrl: options.baseUrl ?? orUndefined(env["ORGPLANE_BASE_URL"]),
    ...(hasCredential
      ? {}
      : { token: orUndefined(env["ORGPLANE_TOKEN"]), apiKey: orUndefined(env["ORGPLANE_API_KEY"]) })
  }
}

/** The base URL without a trailing slash. */
export const rootOf = (baseUrl: string | URL | undefined): URL => {
  if (baseUrl === undefined) {
    throw new TypeError("createClient: set baseUrl, or the environment variable ORGPLANE_BASE_URL.")
  }
  const fail = (problem: string): never => {
    throw new TypeError(`createClient: baseUrl ${problem}. Example: https://orgplane.example.`)
  }
  if (String(baseUrl) === "") return fail("is empty. It must be an absolute URL")
  if (!URL.canParse(baseUrl)) return fail("must be an absolute URL")
  const url = new URL(baseUrl)
  if (url.protocol !== "https:" && url.protocol !== "http:") return fail("must be an http or https URL")
  if (url.username !== "" || url.password !== "") return fail("must not contain a user or a password")
  if (url.search !== "" || url.hash !== "") return fail("must not contain a query or a fragment")
  return url
}

const demandSecret = (name: string, value: unknown): string => {
  // `fetch` would reject other characters with a message that contains the secret.
  if (typeof value === "string" && /^[!-~]+$/.test(value)) return value
  throw new TypeError(
    value === ""
      ? `createClient: ${name} is empty. Set token to null to send no credential.`
      : typeof value === "string"
        ? `createClient: ${name} contains characters that are not allowed, such as spaces or line breaks.`
        : `createClient: ${name} must be a string${name === "token" ? ", or a function that returns one" : ""}.`
  )
}

/** Checks the credential options, and returns a function that gets the headers with the credential. */
export const credentialOf = ({ apiKey, token }: Pick<ClientOptions, "apiKey" | "token">) => {
  if (token !== undefined && token !== null && apiKey !== undefined) {
    throw new TypeError("createClient: set either token or apiKey, not both.")
  }
  if (typeof token === "function") {
    return async (): Promise<Readonly<Record<string, string>>> => ({
      authorization: `Bearer ${demandSecret("token", await token())}`
    })
  }
  const headers: Readonly<Record<string, string>> =
    token !== undefined && token !== null
      ? { authorization: `Bearer ${demandSecret("token", token)}` }
      : apiKey !== undefined
        ? { "x-api-key": demandSecret("apiKey", apiKey) }
        : {}
  return () => headers
}

const secretHeaders = new Set(["authorization", "x-api-key", "cookie", "proxy-authorization"])

/** Headers without credentials, for hooks and logs. */
export const withoutSecrets = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secretHeaders.has(name) ? "***" : value]))

/** The token of a marketplace link, which is part of a path. */
const linkToken = /opl(?:_|%5f)[0-9a-z%]+/gi

/** A path or URL without the tokens of marketplace links, for hooks, logs and messages. */
export const withoutLinkTokens = (text: string): string => text.replaceAll(linkToken, "opl_redacted")

/**
 * Names this client and its runtime. Browsers have their own `user-agent`, and another one would cause a CORS preflight.
 */
export const userAgentOf = (version: string): string | undefined => {
  const { document, navigator, process } = globalThis as {
    readonly document?: unknown
    readonly navigator?: { readonly userAgent?: string }
    readonly process?: { readonly versions?: { readonly node?: string } }
  }
  if (document !== undefined || navigator?.userAgent?.startsWith("Mozilla/") === true) return undefined
  const node = process?.versions?.node
  const runtime = navigator?.userAgent ?? (node === undefined ? undefined : `Node.js/${node}`)
  return `orgplane-client/${version}${runtime === undefined ? "" : ` ${runtime}`}`
}
