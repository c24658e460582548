/** Both suites simulated on loopback: a mailbox, a calendar, and sign-in, with configurable faults. */
import { createHash, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll } from "vitest"
import type { SuiteSettings } from "../../src/infra/ports/index.ts"
import type { TestResponse, Person } from "../harness.ts"
import { visit } from "./oauth.fixture.ts"

export type SuiteName = "suite-a" | "suite-b"

/** The fault that replaces a response. */
export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | "cut"
  | "silence"
  | "endless"

export interface Seen {
  readonly method: string
  /** The request target, unparsed. */
  readonly target: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

type Json = Record<string, unknown>

export interface SuitesServer {
  readonly origin: string
  /** API requests, in order. */
  readonly seen: ReadonlyArray<Seen>
  readonly tokenRequests: ReadonlyArray<URLSearchParams>
  readonly revoked: ReadonlyArray<string>
  /** All issued tokens, codes and secrets: canaries. */
  readonly secrets: ReadonlySet<string>
  readonly messages: Map<string, Json>
  readonly events: Map<string, Json>
  /** Messages that were sent; must stay empty. */
  readonly sent: ReadonlyArray<string>
  /** Created meetings. */
  readonly meetings: ReadonlyArray<string>
  /** The behavior; restored by `reset`. */
  readonly behavior: {
    intercept: (method: string, path: string) => Fault | undefined
    token: { status: number; members: Json; expiresIn: number; hasRefreshToken: boolean; turnsRefreshTokens: boolean }
    /** The number of reads until a meeting is ready; `never` for a failure. */
    meetingLooks: number | "never"
    bodyType: "text" | "html"
    clientSecret: string
    /** Event reads are held until this many have arrived. */
    gathered: number
  }
  readonly options: Readonly<Record<SuiteName, SuiteSettings>>
  /** Invalidates all access tokens, and with `refresh` the refresh tokens too. */
  readonly endTokens: (refresh?: boolean) => void
  /** A token for the suite's official client. */
  readonly tokenOf: () => string
  readonly reset: () => void
}

const clientId = "the app of tests"
export const clientSecret = "the client secret of the app of tests"

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString()
}

const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

/** The body of a mail suite error, with text that must not be repeated. */
const refuse = (response: ServerResponse, status: number, code: string) =>
  send(response, status, { error: { code, message: "private words of the suite", innerError: { "request-id": "1" } } })

const usual = (): SuitesServer["behavior"] => ({
  intercept: () => undefined,
  token: { status: 200, members: {}, expiresIn: 3600, hasRefreshToken: true, turnsRefreshTokens: true },
  meetingLooks: 0,
  bodyType: "text",
  clientSecret,
  gathered: 1
})

export const startSuites = async ({ isShared = false } = {}): Promise<SuitesServer> => {
  const behavior = usual()
  const seen: Array<Seen> = []
  const tokenRequests: Array<URLSearchParams> = []
  const revoked: Array<string> = []
  const secrets = new Set<string>([clientSecret])
  const messages = new Map<string, Json>()
  const events = new Map<string, Json>()
  const sent: Array<string> = []
  const meetings: Array<string> = []
  const access = new Set<string>()
  const refresh = new Set<string>()
  const codes = new Map<string, URLSearchParams>()
  const waiting: Array<() => void> = []
  let origin = ""

  const secret = (word: string) => {
    const value = `${word}-${randomBytes(24).toString("base64url")}`
    secrets.add(value)
    return value
  }

  const tokenOf = () => {
    const token = secret("access")
    access.add(token)
    return token
  }

  const granted = (scope: string | null, before?: string): Json => {
    const { expiresIn, hasRefreshToken, members, turnsRefreshTokens } = behavior.token
    const tokens: Json = { token_type: "Bearer", access_token: tokenOf(), expires_in: expiresIn, scope: scope ?? "" }
    if (hasRefreshToken && (before === undefined || turnsRefreshTokens)) {
      const refreshToken = secret("refresh")
      refresh.add(refreshToken)
      if (before !== undefined) refresh.delete(before)
      tokens["refresh_token"] = refreshToken
    }
    return { ...tokens, ...members }
  }

  const token = async (request: IncomingMessage, response: ServerResponse) => {
    const parameters = new URLSearchParams(await readBody(request))
    tokenRequests.push(parameters)
    const no = (status: number, error: string) => send(response, status, { error, error_description: "private words" })
    if (behavior.token.status !== 200) return no(behavior.token.status, "server_error")
    if (parameters.get("client_id") !== clientId || parameters.get("client_secret") !== behavior.clientSecret)
      return no(401, "invalid_client")
    if (parameters.get("grant_type") === "refresh_token") {
      const tokens = parameters.get("refresh_token") ?? ""
      return refresh.has(tokens) ? send(response, 200, granted(null, tokens)) : no(400, "invalid_grant")
    }
    const begun = codes.get(parameters.get("code") ?? "")
    codes.delete(parameters.get("code") ?? "")
    const challenge = createHash("sha256")
      .update(parameters.get("code_verifier") ?? "")
      .digest("base64url")
    const isRight =
      parameters.get("grant_type") === "authorization_code" &&
      begun?.get("code_challenge") === challenge &&
      begun.get("code_challenge_method") === "S256" &&
      begun.get("redirect_uri") === parameters.get("redirect_uri")
    return isRight ? send(response, 200, granted(begun.get("scope"))) : no(400, "invalid_grant")
  }

  const authorize = (url: URL, response: ServerResponse) => {
    const parameters = url.searchParams
    if (parameters.get("client_id") !== clientId || parameters.get("response_type") !== "code")
      return send(response, 400, {})
    const code = secret("code")
    codes.set(code, parameters)
    const back = new URL(parameters.get("redirect_uri") ?? "")
    back.searchParams.set("code", code)
    back.searchParams.set("state", parameters.get("state") ?? "")
    response.writeHead(302, { location: back.href })
    response.end()
  }

  const shown = (message: Json, prefer: string): Json =>
    prefer.includes('outlook.body-content-type="text"') && behavior.bodyType === "text"
      ? message
      : {
          ...message,
          body: { contentType: "html", content: `<p>${(message["body"] as Json)["content"] as string}</p>` }
        }

  const isRecipients = (value: unknown) =>
    value === undefined ||
    (Array.isArray(value) &&
      value.every((one: { emailAddress?: { address?: unknown } }) => typeof one.emailAddress?.address === "string"))

  const mail = ({ body, headers, method }: Seen, url: URL, response: ServerResponse) => {
    const path = url.pathname.slice("/v1.0".length)
    const prefer = String(headers["prefer"] ?? "")
    if (path === "/me/messages" && method === "POST") {
      const wish = JSON.parse(body)
      const isRight =
        (wish.body === undefined || ["Text", "text", "HTML", "html"].includes(wish.body.contentType)) &&
        [wish.toRecipients, wish.ccRecipients, wish.bccRecipients].every(isRecipients)
      if (!isRight) return refuse(response, 400, "ErrorInvalidRequest")
      const id = `AAMk${randomBytes(30).toString("base64url")}=`
      const message: Json = {
        "@odata.context": `${origin}/v1.0/$metadata#users('me')/messages/$entity`,
        "@odata.etag": 'W/"1"',
        id,
        createdDateTime: "2026-03-01T09:30:00Z",
        receivedDateTime: "2026-03-01T09:30:00Z",
        hasAttachments: false,
        subject: wish.subject ?? "",
        bodyPreview: String(wish.body?.content ?? "").slice(0, 255),
        importance: "normal",
        conversationId: "AAQkconversation=",
        isDraft: true,
        webLink: "https://mail.example/owa/?ItemID=1",
        body: { contentType: "text", content: wish.body?.content ?? "" },
        toRecipients: wish.toRecipients ?? [],
        ccRecipients: wish.ccRecipients ?? [],
        bccRecipients: wish.bccRecipients ?? []
      }
      messages.set(id, message)
      return send(response, 201, shown(message, prefer))
    }
    const [, id, action] = /^\/me\/messages\/([^/]+)(\/.*)?$/.exec(path) ?? []
    if (path === "/me/sendMail" || (action === "/send" && method === "POST")) {
      sent.push(path)
      return send(response, 202, undefined)
    }
    const message = messages.get(decodeURIComponent(id ?? ""))
    if (method !== "GET" || action !== undefined || id === undefined) return refuse(response, 405, "Other")
    if (message === undefined) return refuse(response, 404, "ErrorItemNotFound")
    const select = url.searchParams.get("$select")?.split(",")
    const whole = shown(message, prefer)
    return send(
      response,
      200,
      select === undefined ? whole : Object.fromEntries(Object.entries(whole).filter(([name]) => select.includes(name)))
    )
  }

  const withMeeting = (event: Json, id: string) => {
    meetings.push(id)
    const uri = `https://meet.example/${id.slice(0, 8)}`
    const solution = { key: { type: "hangoutsMeet" }, name: "Meet" }
    event["hangoutLink"] = uri
    event["conferenceData"] = {
      createRequest: {
        requestId: id,
        conferenceSolutionKey: { type: "hangoutsMeet" },
        status: { statusCode: "success" }
      },
      entryPoints: [{ entryPointType: "video", uri }],
      conferenceSolution: solution
    }
  }

  const changed = (event: Json) => {
    event["etag"] = `"${Number(String(event["etag"]).replaceAll('"', "")) + 1}"`
  }

  const readEvent = (event: Json) => {
    const request = (event["conferenceData"] as { createRequest?: { requestId: string; status: Json } } | undefined)
      ?.createRequest
    if (request?.status["statusCode"] !== "pending" || behavior.meetingLooks === "never") return
    const left = Number(request.status["looks"]) - 1
    if (left > 0) request.status["looks"] = left
    else withMeeting(event, request.requestId)
  }

  const calendar = ({ body, headers, method }: Seen, url: URL, response: ServerResponse) => {
    const [, id] = /^\/calendar\/v3\/calendars\/primary\/events\/([^/]+)$/.exec(url.pathname) ?? []
    const event = id === undefined ? undefined : events.get(decodeURIComponent(id))
    if (event === undefined) return refuse(response, 404, "notFound")
    const deliver = () => {
      send(response, 200, event, { etag: String(event["etag"]) })
    }
    if (method === "GET") {
      waiting.push(() => {
        readEvent(event)
        deliver()
      })
      if (waiting.length >= behavior.gathered) for (const go of waiting.splice(0)) go()
      return undefined
    }
    if (method !== "PATCH") return refuse(response, 405, "other")
    const match = headers["if-match"]
    if (match !== undefined && match !== "*" && match !== event["etag"]) return refuse(response, 412, "conditionNotMet")
    const { conferenceData, ...rest } = JSON.parse(body)
    Object.assign(event, rest)
    changed(event)
    // Without this parameter the suite ignores conferences.
    if (url.searchParams.get("conferenceDataVersion") !== "1" || conferenceData === undefined) return deliver()
    const wish = conferenceData.createRequest
    if (typeof wish?.requestId !== "string" || wish.conferenceSolutionKey?.type !== "hangoutsMeet") {
      return refuse(response, 400, "invalid")
    }
    const before = (event["conferenceData"] as { createRequest?: Json } | undefined)?.createRequest
    if (before?.["requestId"] === wish.requestId) return deliver()
    if (behavior.meetingLooks === 0) withMeeting(event, wish.requestId)
    else {
      const statusCode = behavior.meetingLooks === "never" ? "failure" : "pending"
      event["conferenceData"] = { createRequest: { ...wish, status: { statusCode, looks: behavior.meetingLooks } } }
    }
    return deliver()
  }

  const meet = (fault: Fault, request: IncomingMessage, response: ServerResponse) => {
    if (fault === "silence") return
    if (fault === "cut") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
      response.write('{"id":')
      setTimeout(() => request.socket.destroy(), 20)
      return
    }
    if (fault === "endless") {
      response.writeHead(200, { "content-type": "application/json" })
      const piece = Buffer.alloc(1024 * 1024, 32)
      const more = () => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once("drain", more)
      }
      more()
      return
    }
    response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers })
    response.end(fault.body ?? JSON.stringify({ error: { code: "Some", message: "private words of the suite" } }))
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const target = request.url ?? "/"
    const url = new URL(target, origin)
    if (url.pathname === "/oauth/authorize") return authorize(url, response)
    if (url.pathname === "/oauth/token") return token(request, response)
    if (url.pathname === "/oauth/revoke") {
      revoked.push(new URLSearchParams(await readBody(request)).get("token") ?? "")
      return send(response, 200, {})
    }
    const method = request.method ?? ""
    const one: Seen = { method, target, headers: request.headers, body: await readBody(request) }
    seen.push(one)
    const tokens = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1]
    const fault = behavior.intercept(method, url.pathname)
    if (fault !== undefined) return meet(fault, request, response)
    if (tokens === undefined || !access.has(tokens)) return refuse(response, 401, "InvalidAuthenticationToken")
    if (url.pathname.startsWith("/v1.0/")) return mail(one, url, response)
    return calendar(one, url, response)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => refuse(response, 500, "broken"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  if (isShared) server.unref()
  else {
    afterAll(() => {
      server.closeAllConnections()
      server.close()
    })
  }
  const oauth = {
    authorizationUrl: `${origin}/oauth/authorize`,
    tokenUrl: `${origin}/oauth/token`,
    revocationUrl: `${origin}/oauth/revoke`,
    clientId,
    clientSecret
  }
  return {
    origin,
    seen,
    tokenRequests,
    revoked,
    secrets,
    messages,
    events,
    sent,
    meetings,
    behavior,
    options: {
      "suite-a": { url: `${origin}/v1.0`, oauth },
      "suite-b": { url: `${origin}/calendar/v3`, oauth }
    },
    endTokens: (alsoRefresh = false) => {
      access.clear()
      if (alsoRefresh) refresh.clear()
    },
    tokenOf,
    reset: () => {
      Object.assign(behavior, usual())
      messages.clear()
      events.clear()
      for (const list of [seen, tokenRequests, revoked, sent, meetings]) list.length = 0
    }
  }
}

/** An event as stored by the calendar. */
export const anEvent = (suites: SuitesServer, id: string, more: Json = {}): string => {
  suites.events.set(id, {
    kind: "calendar#event",
    etag: '"1000"',
    id,
    status: "confirmed",
    htmlLink: `https://calendar.example/event?eid=${encodeURIComponent(id)}`,
    summary: "A talk",
    start: { dateTime: "2026-03-01T10:00:00+01:00", timeZone: "Europe/Paris" },
    end: { dateTime: "2026-03-01T11:00:00+01:00", timeZone: "Europe/Paris" },
    ...more
  })
  return id
}

/** Starts a sign-in, completes the browser part, and returns the input of the completion. */
export const beginSuite = async (person: Pick<Person, "call">, suite: SuiteName): Promise<Record<string, string>> => {
  const started = await person.call("POST", `/v1/capabilities/connections/${suite}/start`, {})
  if (started.status !== 200) throw new Error(`Beginning ended with ${started.status}: ${started.text}`)
  return Object.fromEntries(await visit(started.body.connect.url))
}

/** Connects the member's account. */
export const connectSuite = async (person: Pick<Person, "call">, suite: SuiteName): Promise<TestResponse> =>
  person.call("POST", `/v1/capabilities/connections/${suite}/complete`, await beginSuite(person, suite))
