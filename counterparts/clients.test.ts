/**
 * How the API clients of other vendors retry, and for how long they wait: the measured rows of the comparison in
 * docs/sdk.md. Each client sends requests to a server that always fails in the same way.
 */
import { readFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { folderOf, pins } from "./programs.ts"

type Reply = "lost" | "silent" | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }

let reply: Reply = "lost"
let requests: Array<IncomingHttpHeaders> = []
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    requests.push(request.headers)
    if (reply === "lost") request.socket.destroy()
    else if (reply !== "silent") {
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
      response.end(JSON.stringify({ message: "failed", error: { message: "failed", type: "failed" } }))
    }
  })
})

const load = async (name: string): Promise<Readonly<Record<string, unknown>>> => {
  const require = createRequire(join(folderOf(name), "package.json"))
  return (await import(pathToFileURL(require.resolve(name)).href)) as Readonly<Record<string, unknown>>
}

type Call = () => Promise<unknown>
type New<Client> = new (...options: ReadonlyArray<unknown>) => Client
interface Stripe {
  readonly customers: { readonly list: Call; readonly create: (body: object) => Promise<unknown> }
  readonly getApiField: (name: string) => unknown
}
interface OpenAi {
  readonly timeout: number
  readonly models: { readonly list: Call }
  readonly responses: { readonly create: (body: object) => Promise<unknown> }
}
interface Octokit {
  readonly request: ((route: string, body?: object) => Promise<unknown>) & {
    readonly endpoint: { readonly DEFAULTS: { readonly request?: { readonly timeout?: number } } }
  }
}

const ignore = () => undefined
const clients = async (options: { readonly timeoutMillis?: number; readonly retries?: number } = {}) => {
  const { port } = server.address() as AddressInfo
  const timeout = options.timeoutMillis === undefined ? {} : { timeout: options.timeoutMillis }
  const [stripe, openai, octokit] = await Promise.all([load("stripe"), load("openai"), load("octokit")])
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
  return {
    stripe: new (stripe["default"] as New<Stripe>)("sk_test_1", {
      ...{ host: "127.0.0.1", port, protocol: "http", telemetry: false, ...timeout },
      ...(options.retries === undefined ? {} : { maxNetworkRetries: options.retries })
    }),
    openai: new (openai["default"] as New<OpenAi>)({
      ...{ apiKey: "key", baseURL: `http://127.0.0.1:${port}/v1`, ...timeout },
      ...(options.retries === undefined ? {} : { maxRetries: options.retries })
    }),
    // The delays between attempts are a hundredth of the default.
    octokit: new (octokit["Octokit"] as New<Octokit>)({
      ...{ auth: "key", baseUrl: `http://127.0.0.1:${port}`, log, retry: { retryAfterBaseValue: 10 } }
    })
  }
}

let calls: Readonly<Record<string, Readonly<Record<"GET" | "POST", Call>>>> = {}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { octokit, openai, stripe } = await clients()
  calls = {
    stripe: { GET: () => stripe.customers.list(), POST: () => stripe.customers.create({}) },
    openai: { GET: () => openai.models.list(), POST: () => openai.responses.create({ model: "m", input: "i" }) },
    octokit: { GET: () => octokit.request("GET /user"), POST: () => octokit.request("POST /user/repos", { name: "n" }) }
  }
})
beforeEach(() => {
  requests = []
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** The number of attempts that a client makes. */
const attemptsOf = async (call: Call | undefined, failure: Reply): Promise<number> => {
  reply = failure
  requests = []
  await expect(call?.()).rejects.toThrow()
  return requests.length
}

describe("the comparison in docs/sdk.md", () => {
  it("names the versions that are measured", () => {
    const page = readFileSync(join(import.meta.dirname, "../docs/sdk.md"), "utf8")
    for (const name of ["stripe", "openai", "octokit"]) expect(page).toContain(`\`${name}\` ${pins[name]}`)
  })

  const retried = {
    stripe: ["lost", 409, 500, 503],
    openai: ["lost", 408, 409, 429, 500, 503],
    octokit: ["lost", 408, 409, 429, 500, 503]
  } as const
  const failures = ["lost", 400, 401, 403, 404, 408, 409, 410, 422, 429, 451, 500, 503] as const
  it.each(["stripe", "openai", "octokit"] as const)(
    "states how often %s repeats a read and a change after each failure",
    async (name) => {
      const again = name === "octokit" ? 4 : 3
      for (const failure of failures) {
        const expected = (retried[name] as ReadonlyArray<unknown>).includes(failure) ? again : 1
        const failing: Reply = failure === "lost" ? "lost" : { status: failure }
        const attempts = [await attemptsOf(calls[name]?.GET, failing), await attemptsOf(calls[name]?.POST, failing)]
        expect([failure, ...attempts]).toEqual([failure, expected, expected])
      }
    },
    120_000
  )

  it("states what each client does at a rate limit", async () => {
    const limited: Reply = { status: 429, headers: { "retry-after": "1" } }
    expect(await attemptsOf(calls["stripe"]?.GET, limited)).toBe(1)
    const startedAt = performance.now()
    expect(await attemptsOf(calls["openai"]?.GET, limited)).toBe(3)
    expect(performance.now() - startedAt).toBeGreaterThan(1_900)
    const reset = String(Math.floor(Date.now() / 1000))
    const exhausted = { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset } }
    expect(await attemptsOf(calls["octokit"]?.GET, exhausted)).toBe(2)
  })

  it("states which client creates idempotency keys", async () => {
    const keys = async (name: string, method: "GET" | "POST") => {
      await attemptsOf(calls[name]?.[method], { status: 500 })
      return new Set(requests.map((headers) => headers["idempotency-key"]))
    }
    expect(await keys("stripe", "GET")).toEqual(new Set([undefined]))
    const [key, ...others] = await keys("stripe", "POST")
    expect([typeof key, others]).toEqual(["string", []])
    for (const name of ["openai", "octokit"]) expect(await keys(name, "POST")).toEqual(new Set([undefined]))
  })

  it("states the default timeouts, which apply to each attempt", async () => {
    const { octokit, openai, stripe } = await clients()
    expect(stripe.getApiField("timeout")).toBe(80_000)
    expect(openai.timeout).toBe(600_000)
    expect(octokit.request.endpoint.DEFAULTS.request?.timeout).toBeUndefined()
    const impatient = await clients({ timeoutMillis: 200, retries: 1 })
    expect(await attemptsOf(() => impatient.stripe.customers.list(), "silent")).toBe(2)
    expect(await attemptsOf(() => impatient.openai.models.list(), "silent")).toBe(2)
  })
})
