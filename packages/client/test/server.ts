import { createClient, type ClientOptions } from "../src/index.ts"

/** A request as received by the server. */
export interface Seen {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: unknown
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      "x-request-id": "req_1",
      ...headers
    }
  })

type Outcome = Response | Error

/** A client of a server that returns the responses in order and repeats the last one. `seen` records the requests. */
export const clientOf = (
  responses: ReadonlyArray<Outcome | ((seen: Seen, index: number) => Outcome | Promise<Outcome>)>,
  options: Partial<ClientOptions> = {}
) => {
  const seen: Array<Seen> = []
  const client = createClient({
    baseUrl: "https://control.example",
    ...options,
    fetch: async (request) => {
      const text = await request.text()
      const one: Seen = {
        method: request.method,
        url: new URL(request.url),
        headers: request.headers,
        body: text === "" ? undefined : (JSON.parse(text) as unknown)
      }
      const index = seen.push(one) - 1
      const next = responses[Math.min(index, responses.length - 1)]
      const response = typeof next === "function" ? await next(one, index) : next
      if (response instanceof Error) throw response
      return response === undefined ? json(500, undefined) : response.clone()
    }
  })
  return { client, seen }
}

/** Returns the error of a call that must fail. */
export const failure = async (call: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error("expected a failure")
}
