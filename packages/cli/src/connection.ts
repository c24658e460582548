/** One server, one credential: sends what the commands mean. */
import { harmless } from "./output/harmless.ts"
import { type Io, say } from "./io.ts"
import type { WireRequest } from "./request.ts"
import { headersOf, type Settings } from "./settings.ts"
import { version } from "./version.ts"

export interface Connection {
  send(request: WireRequest): Promise<unknown>
}

/** The address of a request; never of another host, whatever the path says. */
export const addressOf = (settings: Settings, path: string, query: WireRequest["query"]): URL => {
  const url = new URL(`${settings.baseUrl}${path}`)
  for (const [name, value] of Object.entries(query)) {
    for (const each of typeof value === "string" ? [value] : value) url.searchParams.append(name, each)
  }
  return url
}

export const userAgent = `orgplane-cli/${version}`

/** A line for each request and answer; query values stay, credentials are never in an address. */
export const debugged = (io: Io, debug: boolean): typeof fetch => {
  if (!debug) return io.fetch
  return async (input, init) => {
    const started = io.now()
    const url = new URL(input instanceof Request ? input.url : input)
    const line = harmless(`${init?.method ?? "GET"} ${url.pathname}${url.search}`)
    try {
      const response = await io.fetch(input, init)
      const id = response.headers.get("x-request-id")
      await say(
        io,
        `orgplane: ${line} ${response.status} ${io.now() - started}ms${id === null ? "" : ` ${harmless(id)}`}`
      )
      return response
    } catch (error) {
      await say(io, `orgplane: ${line} failed after ${io.now() - started}ms`)
      throw error
    }
  }
}

/** An answer that is not a success. */
class Refusal extends Error {
  override readonly name = "Refusal"
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly body: unknown
  constructor(response: Response, body: unknown) {
    super(`HTTP ${response.status}`)
    const after = Number(response.headers.get("retry-after") ?? Number.NaN)
    this.status = response.status
    this.requestId = response.headers.get("x-request-id") ?? undefined
    this.retryAfterSeconds = Number.isFinite(after) ? after : undefined
    this.body = body
  }
}

export const connect = (io: Io, settings: Settings, debug: boolean): Connection => {
  const fetch = debugged(io, debug)
  return {
    send: async ({ body, method, path, query }) => {
      const response = await fetch(addressOf(settings, path, query), {
        method,
        headers: {
          ...headersOf(settings),
          accept: "application/json",
          "user-agent": userAgent,
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: "manual",
        signal: io.signal
      })
      const text = await response.text()
      let answer: unknown = text === "" ? undefined : text
      try {
        answer = text === "" ? undefined : JSON.parse(text)
      } catch {}
      if (response.ok) return answer
      throw new Refusal(response, answer)
    }
  }
}
