import type { Inspection, InspectedBody, InspectedHeader } from "@orgplane/schema/mcp-tools"
import * as Redacted from "effect/Redacted"
import type { CapturedBody, CapturedHeaders, McpExchange, McpFailed, McpTarget } from "../../infra/ports/mcp-servers.ts"
import { makeRedactor, type Redactor } from "./redact.ts"
import { secretsOfHeader } from "./secret-forms.ts"

/** Shorter query parameters are not treated as secrets. */
const parameterLengthMin = 8
/** Headers whose value is or contains a credential. */
const credentialHeaders = /^(?:authorization|proxy-authorization|cookie|set-cookie|mcp-session-id)$/i

const partsOf = (name: string, value: string): ReadonlyArray<string> =>
  /cookie$/i.test(name)
    ? value.split(";").flatMap((part) => {
        const secret = part.slice(part.indexOf("=") + 1).trim()
        return secret.length >= parameterLengthMin ? [secret] : []
      })
    : secretsOfHeader(value)

const parametersOf = (url: string): ReadonlyArray<string> =>
  [...(URL.parse(url)?.searchParams.values() ?? [])].filter((value) => value.length >= parameterLengthMin)

/** All known secrets of the exchange. */
const secretsOf = (target: McpTarget, exchange: McpExchange | undefined): ReadonlyArray<string> => {
  const headers = [...(exchange?.request.headers ?? []), ...(exchange?.response?.headers ?? [])]
  return [
    ...(target.credential === null ? [] : secretsOfHeader(Redacted.value(target.credential.value))),
    ...parametersOf(target.url),
    ...headers.filter(({ name }) => credentialHeaders.test(name)).flatMap(({ name, value }) => partsOf(name, value))
  ]
}

export const redactorOf = (target: McpTarget, exchange: McpExchange | undefined): Redactor =>
  makeRedactor(secretsOf(target, exchange))

const iso = (millis: number): string => new Date(millis).toISOString()

/** The exchange with secrets redacted. The header of the credential is secret, regardless of its name. */
export const inspectionOf = (
  target: McpTarget,
  exchange: McpExchange | undefined,
  redactor: Redactor,
  summary: string
): Inspection => {
  const own = target.credential?.header.toLowerCase()
  const headers = (list: CapturedHeaders): ReadonlyArray<typeof InspectedHeader.Type> =>
    list.map(({ name, value }) => {
      const isOwn = name.toLowerCase() === own && own !== "authorization"
      const visible = isOwn ? "[redacted]" : redactor.header(name, value)
      return { name, value: visible, redacted: visible !== value }
    })
  const body = ({ text, ...rest }: CapturedBody): typeof InspectedBody.Type => ({
    text: redactor.text(text, rest.truncated),
    ...rest
  })
  if (exchange === undefined) return { diagnosis: { summary } }
  const { request, response } = exchange
  return {
    diagnosis: { summary },
    request: {
      method: request.method,
      url: redactor.url(request.url),
      startedAt: iso(request.startedAtMillis),
      headers: headers(request.headers),
      body: body(request.body)
    },
    ...(response === undefined
      ? {}
      : {
          response: {
            status: response.status,
            statusText: redactor.text(response.statusText),
            durationMs: Math.round(response.durationMillis),
            headers: headers(response.headers),
            body: body(response.body)
          }
        })
  }
}

export const summaryOfResult = (exchange: McpExchange): string => {
  const { response } = exchange
  return response === undefined
    ? "The tool returned a result."
    : `The tool returned a result: the server returned ${response.status} with ${response.body.bytes} bytes in ${Math.round(response.durationMillis)} ms.`
}

/** The outcome, in one sentence; the request body shows the step. */
export const summaryOfFailure = (failure: McpFailed): string => {
  const reason = failure.message.replace(/\.$/, "")
  const status = failure.providerStatus === undefined ? "" : ` (the server returned ${failure.providerStatus})`
  return failure.exchange === undefined ? `No request was sent to the server: ${reason}.` : `${reason}${status}.`
}
