/**
 * `/console/api` forwards the requests of the console to the operations of the API. It replaces the cookie by the session
 * in it, so that the operations themselves never read cookies. A page of another origin cannot use the cookie: a request
 * must come from the console's own origin, and have a header that a form cannot send.
 */
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Headers from "effect/http/Headers"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Sealer } from "../../infra/crypto/sealer.ts"
import { clearCookie, type CookieOptions, openCookie, otherCookies, sealCookie, setCookie } from "./cookie.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

export const apiPath = "/console/api"
const header = "x-orgplane-console"

/** Why the console's API does not accept a request; undefined for a request of the console. */
const refusalOf = ({ headers }: Request): InvalidRequest | undefined => {
  if (headers["sec-fetch-site"] !== "same-origin") {
    return InvalidRequest.at(["header", "sec-fetch-site"], "must be same-origin. Other clients use /v1 with a token.")
  }
  return headers[header] === "1" ? undefined : InvalidRequest.at(["header", header], "must be 1")
}

/** The response to a request that is not the console's. */
export const refused = (request: Request): Response =>
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
      session: Schema.StructWithRest(Schema.Struct({ token: Schema.String, expiresAt: Schema.String }), [
        Schema.Record(Schema.String, Schema.Unknown)
      ])
    }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
)
const decodeNewSession = Schema.decodeUnknownOption(NewSessionResponse)

const withoutCookie = (headers: Headers.Headers) => {
  const others = otherCookies(headers["cookie"])
  return others === "" ? Headers.remove(headers, "cookie") : Headers.set(headers, "cookie", others)
}

export interface Exchange {
  /** The request to the operation; undefined if the request is not the console's. */
  readonly forwarded: (request: Request, url: string) => Request | undefined
  /** The response to the console: a sign-in sets the cookie instead of returning the token, a sign-out removes it. */
  readonly answered: (request: Request, response: Response) => Response
}

export const makeExchange = (sealer: Sealer, options: CookieOptions): Exchange => ({
  forwarded: (request, url) => {
    const target = url.slice(apiPath.length)
    if (!target.startsWith("/v1/") || refusalOf(request) !== undefined) return undefined
    const token = openCookie(sealer, request.headers["cookie"])
    const others = withoutCookie(Headers.removeMany(request.headers, credentials))
    return request.modify({
      url: target,
      headers: token === undefined ? others : Headers.set(others, "authorization", `Bearer ${token}`)
    })
  },
  answered: (request, response) => {
    const path = request.url.split("?", 1)[0] ?? ""
    if (request.method === "DELETE" && path === "/v1/sessions/current" && response.status < 300) {
      return HttpServerResponse.setHeader(response, "set-cookie", clearCookie(options))
    }
    if (request.method !== "POST" || !signIns.has(path) || response.status !== 201) return response
    const body = response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : ""
    const content = Option.getOrThrow(decodeNewSession(body))
    const { token, ...session } = content.session
    return HttpServerResponse.jsonUnsafe({ ...content, session: { ...session, token: "" } }, { status: 201 }).pipe(
      HttpServerResponse.setHeaders(Headers.remove(response.headers, "content-length")),
      HttpServerResponse.setHeader("set-cookie", setCookie(options, sealCookie(sealer, token), session.expiresAt))
    )
  }
})
