import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Outbound, OutboundFailed, OutboundResponse } from "../../ports/outbound.ts"
import { SuiteFailed, type SuiteUser } from "../../ports/suites.ts"

/** A message of 200,000 characters has many more bytes in its response; a larger response is not read. */
const responseBytesMax = 8 * 1024 * 1024
const waitSecondsMax = 86_400

export interface SuiteRequest {
  readonly method: "GET" | "POST" | "PATCH"
  /** The path below the base URL, with each segment encoded. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface SuiteResponse {
  readonly status: number
  readonly json: unknown
}

export const failed = (code: SuiteFailed["code"], message: string, retryAfterSeconds?: number) =>
  new SuiteFailed({ code, message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })

export const unexpected = () => failed("strange", "The suite's response is not in the format of its API.")

const ofOutbound = ({ code }: OutboundFailed): SuiteFailed => {
  switch (code) {
    case "timeout":
      return failed("unavailable", "The suite did not respond in time; it is not known whether the change was made.")
    case "busy":
      return failed("unavailable", "Your organization has too many requests in progress. No request was sent.")
    case "too_large":
      return failed("strange", "The suite's response is larger than 8 MiB and was not read.")
    case "blocked":
    case "invalid_url":
      return failed("unavailable", "The configured URL of the suite is not allowed.")
    case "too_many_redirects":
      return failed("strange", "The suite redirects, and redirects are not followed.")
    case "unreachable":
      return failed(
        "unavailable",
        "The suite is unreachable or closed the connection; it is not known whether the change was made."
      )
  }
}

/** `Retry-After` in whole seconds, at most a day; undefined without a valid value. */
const waitOf = (header: string | undefined, nowMillis: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - nowMillis) / 1000)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), waitSecondsMax) : undefined
}

/** Undefined unless the body is JSON and is declared as such. */
export const jsonOf = ({ body, headers }: OutboundResponse): unknown => {
  if (!/[/+]json\b/i.test(headers["content-type"] ?? "")) return undefined
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

const refusal = ({ headers, status }: OutboundResponse, nowMillis: number): SuiteFailed => {
  const wait = waitOf(headers["retry-after"], nowMillis)
  switch (status) {
    case 401:
      return failed("unauthorized", "The suite rejects the connected account's token.")
    case 403:
      return failed(
        "forbidden",
        "Your account at the suite is not allowed to do this, or the connection lacks the permission."
      )
    case 404:
    case 410:
      return failed("not_found", "The suite has no object with this ID that your account can access.")
    case 429:
      return failed("rate_limited", "The suite's rate limit is exceeded.", wait)
    default:
      return status >= 500
        ? failed(
            "unavailable",
            `The suite responded with status ${status}; it is not known whether the change was made.`,
            wait
          )
        : failed("refused", `The suite rejected the request with status ${status}.`)
  }
}

export const baseOf = (url: string): string => url.replace(/\/+$/, "")

/** Sends requests to one suite. There are no retries, so that no change is made twice. */
export const makeAsk = (outbound: Outbound["Service"], url: string, timeoutMillis: number) => {
  const base = baseOf(url)
  /** The response, when it is successful or its status is one of `also`. */
  return Effect.fnUntraced(function* (user: SuiteUser, request: SuiteRequest, also: ReadonlyArray<number> = []) {
    const response = yield* outbound
      .request({
        destination: "configured",
        url: base + request.path,
        method: request.method,
        headers: {
          accept: "application/json",
          "user-agent": "orgplane",
          authorization: `Bearer ${Redacted.value(user.token)}`,
          ...(request.body === undefined ? {} : { "content-type": "application/json" }),
          ...request.headers
        },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        redirectsMax: 0,
        timeoutMillis,
        bodyBytesMax: responseBytesMax,
        organizationId: user.organizationId
      })
      .pipe(Effect.mapError(ofOutbound))
    if (also.includes(response.status)) return { status: response.status, json: undefined }
    if (response.status < 200 || response.status > 299) return yield* refusal(response, yield* Clock.currentTimeMillis)
    const json = jsonOf(response)
    if (json === undefined) return yield* unexpected()
    return { status: response.status, json } satisfies SuiteResponse
  })
}

export type Ask = ReturnType<typeof makeAsk>

/** The used members of a response; fails when the response does not match. */
export const decoded = <S extends Schema.Codec<unknown, unknown>>(schema: S, json: unknown) =>
  Schema.decodeUnknownEffect(schema)(json).pipe(Effect.mapError(unexpected))
