/**
 * `/console/api` forwards the requests of the console to the operations of the API. It replaces the cookie by the session
 * in it, so that the operations themselves never read cookies. A page of another origin cannot use the cookie: a request
 * must come from the console's own origin, and have a header that a form cannot send.
 */
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Headers from "effect/http/Headers"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { decoded } from "../../infra/normalize.ts"
import {
  clearCookie,
  type CookieOptions,
  type CookieSession,
  openCookie,
  otherCookies,
  sealCookie,
  type Sealer,
  setCookie
} from "./cookie.ts"

type HttpRequest = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export const apiPath = "/console/api"
const header = "x-orgplane-console"

/** Why the console's API does not accept a request; undefined for a request of the console. */
const refusalOf = ({ headers }: HttpRequest): InvalidRequest | undefined => {
  if (headers["sec-fetch-site"] !== "same-origin") {
    return InvalidRequest.at(["header", "sec-fetch-site"], "must be same-origin. Other clients use /v1 with a token.")
  }
  return headers[header] === "1" ? undefined : InvalidRequest.at(["header", header], "must be 1")
}

/** The response to a request that is not the console's. */
export const refused = (request: HttpRequest): Response =>
  HttpServerResponse.jsonUnsafe(
    Schema.encodeUnknownSync(InvalidRequest)(
      refusalOf(request) ?? InvalidRequest.at(["path"], `must start with ${apiPath}/v1/`)
    ),
    { status: 400 }
  )

/** Credentials that only other clients send. The host application's own cookies reach its `authenticator`. */
const credentials = ["authorization", "x-api-key", "x-bootstrap-token"]

/** The operations whose response has the token of a new session of the caller. */
const signIns: ReadonlySet<string> = new Set(["/v1/sessions/email/verify", "/v1/sso/sign-in/complete"])

const NewSessionResponse = Schema.fromJsonString(
  Schema.StructWithRest(
    Schema.Struct({
      session: Schema.StructWithRest(Schema.Struct({ token: Schema.String }), [
        Schema.Record(Schema.String, Schema.Unknown)
      ])
    }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
)
const decodeNewSession = Schema.decodeUnknownOption(NewSessionResponse)

/**
 * The organization and the person are in headers, and two organizations have the same URLs and may have the same entity
 * tags: a copy that a browser or a proxy keeps would be shown in the wrong one.
 */
const notStored =
  (toResponse: (response: Response) => Response) =>
  (response: Response): Response =>
    HttpServerResponse.setHeader(toResponse(response), "cache-control", "no-store")

const withoutCookie = (headers: Headers.Headers) => {
  const others = otherCookies(headers["cookie"])
  return others === "" ? Headers.remove(headers, "cookie") : Headers.set(headers, "cookie", others)
}

/** Signs in with a session token that the person has, such as that of the demo workspace. */
const tokenPath = "/session"
const sessionToken = /^Bearer (ops_\w{1,128})$/

export interface Forwarded {
  /** The request to the operation. */
  readonly request: HttpRequest
  /**
   * The response to the console. A sign-in sets the cookie instead of returning the token. A sign-out removes it, and so
   * does the response of `GET /v1/me` that the session in it has ended.
   */
  readonly toResponse: (response: Response) => Response
  /** Signs out of the session that a successful sign-in replaces. */
  readonly signOut: HttpRequest | undefined
}

/** Headers copied from the sign-in to the sign-out. They identify the client, and show that the request is same-origin. */
const clientHeaders = ["host", "sec-fetch-site", "user-agent", "x-forwarded-for"] as const

const signOutOf = (request: HttpRequest, token: string): HttpRequest => {
  const { headers, peerAddress, remoteAddress } = request
  const kept = clientHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]))
  return HttpServerRequest.fromWeb(new Request("http://localhost/v1/sessions/current", { method: "DELETE" })).modify({
    headers: Headers.fromInput([...kept, ["authorization", `Bearer ${token}`]]),
    peerAddress,
    remoteAddress
  })
}

/** The request to an operation and the way back; undefined if the request is not the console's. */
export type Exchange = (request: HttpRequest, url: string) => Forwarded | undefined

export const makeExchange = (sealer: Sealer, options: CookieOptions): Exchange => {
  const withSession = (response: Response, session: CookieSession) =>
    HttpServerResponse.setHeader(response, "set-cookie", setCookie(options, sealCookie(sealer, session)))
  const withoutSession = (response: Response) =>
    HttpServerResponse.setHeader(response, "set-cookie", clearCookie(options))

  const toSignInResponse = (response: Response): Response => {
    if (response.status !== 201) return response
    const body = response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : ""
    const content = Option.getOrThrow(decodeNewSession(body))
    const { token, ...session } = content.session
    const withoutToken = HttpServerResponse.jsonUnsafe(
      { ...content, session: { ...session, token: "" } },
      { status: 201 }
    )
    return withSession(
      HttpServerResponse.setHeaders(withoutToken, Headers.remove(response.headers, "content-length")),
      { token, isOwn: true }
    )
  }

  return (request, url) => {
    if (refusalOf(request) !== undefined) return undefined
    const target = url.slice(apiPath.length)
    // Routes match decoded paths.
    const path = decoded(target.split("?", 1)[0] ?? "")
    const others = withoutCookie(Headers.removeMany(request.headers, credentials))
    const withToken = (token: string) => Headers.set(others, "authorization", `Bearer ${token}`)
    const session = openCookie(sealer, request.headers["cookie"])
    // Only this browser has the token, and the new cookie replaces it.
    const signOut = () => (session?.isOwn === true ? signOutOf(request, session.token) : undefined)

    const [, given] = sessionToken.exec(request.headers["authorization"] ?? "") ?? []
    if (path === tokenPath && request.method === "GET" && given !== undefined) {
      return {
        request: request.modify({ url: "/v1/me", headers: withToken(given) }),
        toResponse: notStored((response) =>
          response.status === 200 ? withSession(response, { token: given, isOwn: false }) : response
        ),
        signOut: session?.token === given ? undefined : signOut()
      }
    }
    if (!target.startsWith("/v1/")) return undefined
    if (request.method === "POST" && signIns.has(path)) {
      return {
        request: request.modify({ url: target, headers: others }),
        toResponse: notStored(toSignInResponse),
        signOut: signOut()
      }
    }
    const isSignOut = request.method === "DELETE" && path === "/v1/sessions/current"
    // Not in any other response: one that arrives late must not remove the cookie of a newer sign-in.
    const asksWho = request.method === "GET" && path === "/v1/me"
    return {
      request: request.modify({ url: target, headers: session === undefined ? others : withToken(session.token) }),
      signOut: undefined,
      toResponse: notStored((response) =>
        (isSignOut && response.status < 300) || (asksWho && session !== undefined && response.status === 401)
          ? withoutSession(response)
          : response
      )
    }
  }
}
