import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { CodeHostFailed } from "../../ports/code-host.ts"
import type { InstallationRef } from "../../ports/code-host-app.ts"
import { Outbound, type OutboundRequest, type OutboundResponse } from "../../ports/outbound.ts"
import { failed, ofOutbound } from "../git/failure.ts"
import { readAppKey, signAppToken } from "./app-key.ts"
import { pauseAfter, pauseOf } from "./limits.ts"
import { makeRemembered } from "./remembered.ts"
import * as shapes from "./shapes.ts"

export interface AppOptions {
  /** Base of the host's interface, as `https://api.example.com` or `https://git.example.com/api/v3`. */
  readonly url: string
  /** Where people see the host; made from `url` unless told. */
  readonly webUrl?: string
  /** The app's id or client id, whichever signs its tokens. */
  readonly appId: string
  /** The app's private RSA key in PEM. */
  readonly privateKey: Redacted.Redacted
  /** For the proof that who connects an installation administers it. */
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** Who is spoken for: the app itself, an installation of it, or a person for the length of a proof. */
export type Speaker =
  | { readonly kind: "app"; readonly organizationId: string }
  | ({ readonly kind: "installation" } & InstallationRef)
  | { readonly kind: "user"; readonly token: Redacted.Redacted; readonly organizationId: string }

export interface Answer {
  readonly status: number
  readonly headers: OutboundResponse["headers"]
  /** Undefined where the answer has no JSON. */
  readonly json: unknown
}

interface AskOptions {
  readonly method?: "GET" | "POST"
  readonly body?: unknown
  /** 1 MiB unless told. */
  readonly bodyBytesMax?: number
  /** Keeps the answer and asks next time only whether it is still the same, which costs nothing of the limit. */
  readonly conditional?: true
}

interface Token {
  readonly value: Redacted.Redacted
  /** From when another is asked for. */
  readonly renewAt: number
}

interface Kept {
  readonly etag: string
  readonly json: unknown
}

const requestTimeoutMillis = 30_000
/** Pauses before a request is sent once more, when the host failed or the connection broke. */
const retryPausesMillis = [250, 1000] as const
/** A token is renewed this long before it ends: a sync that has begun with it goes on. */
const renewMillis = 300_000
const keptMax = 2000
const keptBytesMax = 16 * 1024 * 1024
/** Of one answer that is kept. */
const keptAnswerBytesMax = 256 * 1024

const strange = () => failed("unreachable", "The code host answered with something that is not its interface's.")
const away = () => failed("unreachable", "The code host has a fault; it is asked again later.")

const jsonOf = ({ body, headers }: OutboundResponse): unknown => {
  if (!/[/+]json\b/.test(headers["content-type"] ?? "")) return undefined
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"))
  } catch {
    return undefined
  }
}

const messageOf = (json: unknown): string =>
  typeof json === "object" && json !== null && "message" in json && typeof json.message === "string" ? json.message : ""

/** An answer's JSON as it is promised; the host's own words about a mismatch are nobody's business. */
export const decoded = <A, I>(schema: Schema.Codec<A, I>, json: unknown): Effect.Effect<A, CodeHostFailed> =>
  Effect.mapError(Schema.decodeUnknownEffect(schema)(json), strange)

/** The web address that belongs to an interface's, as hosts lay them out. */
export const webUrlOf = ({ url, webUrl }: Pick<AppOptions, "url" | "webUrl">): string => {
  if (webUrl !== undefined) return webUrl.replace(/\/+$/, "")
  const base = new URL(url)
  return base.hostname.startsWith("api.") ? `${base.protocol}//${base.host.slice(4)}` : base.origin
}

/** The origins that the guarded client must know as configured. */
export const originsOf = (options: Pick<AppOptions, "url" | "webUrl">): ReadonlyArray<string> => [
  new URL(options.url).origin,
  new URL(webUrlOf(options)).origin
]

/** Speaks to the host: signs, keeps tokens, waits as told, asks again where that helps. */
export const makeApi = Effect.fnUntraced(function* (options: AppOptions) {
  const outbound = yield* Outbound
  const scope = yield* Scope.Scope
  const base = options.url.replace(/\/+$/, "")
  const webUrl = webUrlOf(options)
  const key = readAppKey(Redacted.value(options.privateKey))
  if (key === undefined)
    return yield* Effect.die(new Error("The code host app's private key is not an RSA key in PEM."))

  /** Until when nothing more may be asked, by speaker. */
  const paused = new Map<string, number>()
  const tokens = new Map<string, Token>()
  const fetching = new Map<string, Deferred.Deferred<Token, CodeHostFailed>>()
  const kept = makeRemembered<Kept>(keptMax, keptBytesMax)

  const speakerKey = (speaker: Speaker) =>
    speaker.kind === "installation" ? `installation/${speaker.installationId}` : speaker.kind

  const limited = (millis: number) =>
    failed("rate_limited", "The code host asks to wait before it is asked again.", millis)

  const demandOpen = Effect.fnUntraced(function* (who: string) {
    const until = paused.get(who)
    if (until === undefined) return
    const now = yield* Clock.currentTimeMillis
    if (until <= now) paused.delete(who)
    else return yield* limited(until - now)
  })

  const pause = (who: string, now: number, millis: number) =>
    Effect.sync(() => {
      // A person's limits are theirs, and gone with their token.
      if (who !== "user") paused.set(who, Math.max(paused.get(who) ?? 0, now + millis))
    })

  /** One request, sent again where the host failed; an answer that asks to wait is a failure. */
  const send = Effect.fnUntraced(function* (who: string, request: OutboundRequest) {
    for (let attempt = 0; ; attempt++) {
      yield* demandOpen(who)
      const exchanged = yield* outbound.request(request).pipe(Effect.result)
      const pauseMillis = retryPausesMillis[attempt]
      if (exchanged._tag === "Failure") {
        if (exchanged.failure.code !== "unreachable" || pauseMillis === undefined) {
          return yield* ofOutbound(exchanged.failure)
        }
        yield* Effect.sleep(pauseMillis)
        continue
      }
      const response = exchanged.success
      const now = yield* Clock.currentTimeMillis
      if (new URL(response.url).origin !== new URL(request.url).origin) {
        return yield* failed("blocked", "The code host sends us to another place, which is not asked.")
      }
      const json = jsonOf(response)
      const wait = pauseOf(response, messageOf(json), now)
      if (wait !== undefined) {
        yield* pause(who, now, wait)
        return yield* limited(wait)
      }
      if (response.status >= 500) {
        if (pauseMillis === undefined) return yield* away()
        yield* Effect.sleep(pauseMillis)
        continue
      }
      const rest = pauseAfter(response, now)
      if (rest !== undefined) yield* pause(who, now, rest)
      if (response.status < 300 && json === undefined && response.status !== 204) return yield* strange()
      return { status: response.status, headers: response.headers, json } satisfies Answer
    }
  })

  const appToken = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return Redacted.make(yield* Effect.promise(() => signAppToken(options.appId, key, now)))
  })

  const neutral = {
    accept: "application/vnd.github+json",
    "user-agent": "orgplane",
    "x-github-api-version": "2022-11-28"
  }

  const ofApp = Effect.fnUntraced(function* (organizationId: string, path: string, method: "GET" | "POST") {
    const token = yield* appToken
    const response = yield* send("app", {
      destination: "configured",
      url: base + path,
      method,
      headers: { ...neutral, authorization: `Bearer ${Redacted.value(token)}` },
      redirectsMax: method === "GET" ? 3 : 0,
      timeoutMillis: requestTimeoutMillis,
      organizationId
    })
    if (response.status === 401) {
      return yield* failed("unauthorized", "The code host does not accept this server's app: its id or key is wrong.")
    }
    return response
  })

  const requestToken = Effect.fnUntraced(function* ({ installationId, organizationId }: InstallationRef) {
    const response = yield* ofApp(organizationId, `/app/installations/${installationId}/access_tokens`, "POST")
    if (response.status === 404)
      return yield* failed("unauthorized", "The app is no longer installed at the code host.")
    if (response.status === 403) return yield* failed("unauthorized", "The installation is suspended at the code host.")
    if (response.status !== 201) return yield* strange()
    const { expires_at, token } = yield* decoded(shapes.AccessToken, response.json)
    const now = yield* Clock.currentTimeMillis
    const lifetime = Date.parse(expires_at) - now
    if (Number.isNaN(lifetime)) return yield* strange()
    const renewAt = now + Math.max(lifetime - renewMillis, lifetime / 2)
    return { value: Redacted.make(token), renewAt } satisfies Token
  })

  /** The installation's token; whoever needs it while it is asked for waits for the same answer. */
  const installationToken = Effect.fnUntraced(function* (ref: InstallationRef) {
    const now = yield* Clock.currentTimeMillis
    const known = tokens.get(ref.installationId)
    if (known !== undefined && known.renewAt > now) return known
    const asked = fetching.get(ref.installationId)
    if (asked !== undefined) return yield* Deferred.await(asked)
    const deferred = Deferred.makeUnsafe<Token, CodeHostFailed>()
    fetching.set(ref.installationId, deferred)
    yield* requestToken(ref).pipe(
      Effect.tap((token) =>
        Effect.sync(() => {
          // Installations that are over leave nothing behind.
          for (const [id, { renewAt }] of tokens) if (renewAt <= now) tokens.delete(id)
          tokens.set(ref.installationId, token)
        })
      ),
      Effect.exit,
      Effect.flatMap((exit) => {
        fetching.delete(ref.installationId)
        return Deferred.done(deferred, exit)
      }),
      // Whoever asked first may be gone before the answer is there; the others still want it.
      Effect.forkIn(scope)
    )
    return yield* Deferred.await(deferred)
  })

  const asBearer = Effect.fnUntraced(function* (
    speaker: Exclude<Speaker, { readonly kind: "app" }>,
    token: Redacted.Redacted,
    path: string,
    asked: AskOptions
  ) {
    const who = speakerKey(speaker)
    const keptKey = `${who} ${path}`
    const before = asked.conditional === true ? kept.get(keptKey) : undefined
    const response = yield* send(who, {
      destination: "configured",
      url: base + path,
      method: asked.method ?? "GET",
      headers: {
        ...neutral,
        authorization: `Bearer ${Redacted.value(token)}`,
        ...(before === undefined ? {} : { "if-none-match": before.etag })
      },
      redirectsMax: 3,
      timeoutMillis: requestTimeoutMillis,
      organizationId: speaker.organizationId,
      ...(asked.bodyBytesMax === undefined ? {} : { bodyBytesMax: asked.bodyBytesMax })
    })
    if (response.status === 304 && before !== undefined) return { ...response, status: 200, json: before.json }
    const etag = response.headers["etag"]
    if (asked.conditional === true && response.status === 200 && etag !== undefined) {
      const size = Number(response.headers["content-length"] ?? JSON.stringify(response.json).length)
      if (size <= keptAnswerBytesMax) kept.put(keptKey, { etag, json: response.json }, size)
    }
    return response
  })

  /** Asks for a path of the interface; a token that was taken back is replaced once. */
  const ask = Effect.fnUntraced(function* (speaker: Speaker, path: string, asked: AskOptions = {}) {
    if (speaker.kind === "app") return yield* ofApp(speaker.organizationId, path, asked.method ?? "GET")
    if (speaker.kind === "user") return yield* asBearer(speaker, speaker.token, path, asked)
    const token = yield* installationToken(speaker)
    const response = yield* asBearer(speaker, token.value, path, asked)
    if (response.status !== 401) return response
    if (tokens.get(speaker.installationId) === token) tokens.delete(speaker.installationId)
    const renewed = yield* installationToken(speaker)
    const again = yield* asBearer(speaker, renewed.value, path, asked)
    if (again.status === 401) return yield* failed("unauthorized", "The code host does not accept the app's token.")
    return again
  })

  /** Trades the code of a person's browser for their token; undefined when the host does not know the code. */
  const userToken = Effect.fnUntraced(function* (organizationId: string, code: string) {
    const response = yield* send("user", {
      destination: "configured",
      url: `${webUrl}/login/oauth/access_token`,
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json", "user-agent": "orgplane" },
      body: JSON.stringify({
        client_id: options.clientId,
        client_secret: Redacted.value(options.clientSecret),
        code
      }),
      redirectsMax: 0,
      timeoutMillis: requestTimeoutMillis,
      organizationId
    })
    const refused = Schema.decodeUnknownOption(shapes.Refusal)(response.json)
    if (refused._tag === "Some") {
      if (refused.value.error === "bad_verification_code") return undefined
      return yield* failed("unauthorized", "The code host does not accept this server's client id and secret.")
    }
    if (response.status !== 200) return yield* strange()
    return Redacted.make((yield* decoded(shapes.UserToken, response.json)).access_token)
  })

  /** Ends a person's token at the host: what is not needed any more is good for nothing. */
  const endUserToken = (organizationId: string, token: Redacted.Redacted) =>
    Effect.ignore(
      outbound.request({
        destination: "configured",
        url: `${base}/applications/${encodeURIComponent(options.clientId)}/token`,
        method: "DELETE",
        headers: {
          ...neutral,
          "content-type": "application/json",
          authorization: `Basic ${Buffer.from(`${options.clientId}:${Redacted.value(options.clientSecret)}`).toString("base64")}`
        },
        body: JSON.stringify({ access_token: Redacted.value(token) }),
        redirectsMax: 0,
        timeoutMillis: requestTimeoutMillis,
        organizationId
      })
    )

  return { ask, userToken, endUserToken, webUrl, strange }
})

export type Api = Effect.Success<ReturnType<typeof makeApi>>
