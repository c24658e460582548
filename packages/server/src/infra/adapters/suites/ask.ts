import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Outbound, OutboundFailed, OutboundResponse } from "../../ports/outbound.ts"
import { SuiteFailed, type SuiteUser } from "../../ports/suites.ts"

/** A message of 200 000 characters comes with much more around it; what is longer than this is not read. */
const answerBytesMax = 8 * 1024 * 1024
const waitSecondsMax = 86_400

export interface SuiteRequest {
  readonly method: "GET" | "POST" | "PATCH"
  /** Behind the base, each part of it encoded. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface SuiteAnswer {
  readonly status: number
  readonly json: unknown
}

export const failed = (code: SuiteFailed["code"], message: string, retryAfterSeconds?: number) =>
  new SuiteFailed({ code, message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })

export const strange = () => failed("strange", "The suite's answer is not what its interface promises.")

const ofOutbound = ({ code }: OutboundFailed): SuiteFailed => {
  switch (code) {
    case "timeout":
      return failed("unavailable", "The suite gave no answer in time; whether it did anything is not known.")
    case "busy":
      return failed("unavailable", "Too many requests of your organization are under way; nothing was asked.")
    case "too_large":
      return failed("strange", "The suite's answer is larger than 8 MiB, and was not read.")
    case "blocked":
    case "invalid_url":
      return failed("unavailable", "The suite's address is not one that this server may reach.")
    case "too_many_redirects":
      return failed("strange", "The suite sends us to another place, which is not asked.")
    case "unreachable":
      return failed("unavailable", "The suite cannot be reached, or broke off; whether it did anything is not known.")
  }
}

/** `Retry-After` in whole seconds, a day at most; undefined when it says none. */
const waitOf = (told: string | undefined, nowMillis: number): number | undefined => {
  if (told === undefined) return undefined
  const text = told.trim()
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - nowMillis) / 1000)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), waitSecondsMax) : undefined
}

const jsonOf = ({ body, headers }: OutboundResponse): unknown => {
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
      return failed("unauthorized", "The suite does not accept the connection.")
    case 403:
      return failed("forbidden", "The suite does not let your account do this, or the connection lacks the permission.")
    case 404:
    case 410:
      return failed("not_found", "The suite has nothing under this identifier that your account can see.")
    case 429:
      return failed("rate_limited", "The suite asks to wait before it is asked again.", wait)
    default:
      return status >= 500
        ? failed("unavailable", `The suite answered ${status}; whether it did anything is not known.`, wait)
        : failed("refused", `The suite refused the request with ${status}.`)
  }
}

/** Speaks to one suite: one request each time, never a second one by itself, so that nothing is done twice. */
export const makeAsk = (outbound: Outbound["Service"], url: string, timeoutMillis: number) => {
  const base = url.replace(/\/+$/, "")
  /** The answer to a success, or to one of `also`. Never more than one request, so that nothing is done twice. */
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
        bodyBytesMax: answerBytesMax,
        organizationId: user.organizationId
      })
      .pipe(Effect.mapError(ofOutbound))
    if (also.includes(response.status)) return { status: response.status, json: undefined }
    if (response.status < 200 || response.status > 299) return yield* refusal(response, yield* Clock.currentTimeMillis)
    const json = jsonOf(response)
    if (json === undefined) return yield* strange()
    return { status: response.status, json } satisfies SuiteAnswer
  })
}

export type Ask = ReturnType<typeof makeAsk>

/** What is read of an answer; anything else is no answer. */
export const decoded = <S extends Schema.Codec<unknown, unknown>>(schema: S, json: unknown) =>
  Schema.decodeUnknownEffect(schema)(json).pipe(Effect.mapError(strange))
