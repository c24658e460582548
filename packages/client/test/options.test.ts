import { afterEach, describe, expect, it, vi } from "vitest"
import { createClient, type ClientOptions, UnauthorizedError } from "../src/index.ts"
import { clientOf, failure, json } from "./server.ts"

const good = json(200, { item: { id: "1" } })
const bad = (status: number, body: unknown, headers = {}) => json(status, body, headers)

afterEach(() => vi.unstubAllEnvs())

describe("the options of a client", () => {
  it("come from the environment if they are not set", async () => {
    vi.stubEnv("ORGPLANE_BASE_URL", "https://control.example/orgplane/")
    vi.stubEnv("ORGPLANE_TOKEN", "ops_1")
    const seen: Array<Request> = []
    const fetch = (request: Request) => {
      seen.push(request)
      return Promise.resolve(good.clone())
    }
    await createClient({ fetch }).plugins.get("plg_1")
    await createClient({ fetch, apiKey: "opk_1" }).plugins.get("plg_1")
    vi.stubEnv("ORGPLANE_TOKEN", "")
    vi.stubEnv("ORGPLANE_API_KEY", "opk_2")
    await createClient({ fetch, baseUrl: "https://other.example" }).plugins.get("plg_1")
    expect(seen.map(({ headers, url }) => [url, headers.get("authorization"), headers.get("x-api-key")])).toEqual([
      ["https://control.example/orgplane/v1/plugins/plg_1", "Bearer ops_1", null],
      ["https://control.example/orgplane/v1/plugins/plg_1", null, "opk_1"],
      ["https://other.example/v1/plugins/plg_1", null, "opk_2"]
    ])
  })

  it.each<readonly [ClientOptions, string]>([
    [{}, "createClient: set baseUrl, or the environment variable ORGPLANE_BASE_URL."],
    [{ baseUrl: "" }, "createClient: baseUrl is empty. It must be an absolute URL. Example: https://orgplane.example."],
    [
      { baseUrl: "orgplane.example" },
      "createClient: baseUrl must be an absolute URL. Example: https://orgplane.example."
    ],
    [{ baseUrl: "ftp://orgplane.example" }, "createClient: baseUrl must be an http or https URL"],
    [{ baseUrl: "https://a:b@orgplane.example" }, "createClient: baseUrl must not contain a user or a password"],
    [{ baseUrl: "https://orgplane.example/?a=1" }, "createClient: baseUrl must not contain a query or a fragment"],
    [
      { baseUrl: "https://orgplane.example", token: "" },
      "createClient: token is empty. Set token to null to send no credential."
    ],
    [
      { baseUrl: "https://orgplane.example", token: "ops_sec\nret" },
      "createClient: token contains characters that are not allowed, such as spaces or line breaks."
    ],
    [{ baseUrl: "https://orgplane.example", apiKey: "opk_sécret" }, "createClient: apiKey contains characters"],
    [{ baseUrl: "https://orgplane.example", apiKey: "" }, "createClient: apiKey is empty."],
    [{ baseUrl: "https://orgplane.example", token: "a", apiKey: "b" }, "createClient: set either token or apiKey"]
  ])("are refused with a sentence: %j", (options, sentence) => {
    vi.stubEnv("ORGPLANE_BASE_URL", "")
    vi.stubEnv("ORGPLANE_TOKEN", "")
    vi.stubEnv("ORGPLANE_API_KEY", "")
    expect(() => createClient(options)).toThrow(sentence)
  })

  it("has every group as a member that can be listed, is always the same, and can be replaced", async () => {
    const { client, seen } = clientOf([good.clone(), good.clone()])
    expect(Object.keys(client)).toEqual(expect.arrayContaining(["plugins", "teams", "request", "withOptions"]))
    expect(client.plugins).toBe(client.plugins)
    const { plugins } = { ...client }
    expect(await plugins.get("plg_1")).toEqual({ id: "1" })
    Object.assign(client, { plugins: { ...plugins, get: () => plugins.get("plg_2") } })
    await client.plugins.get("plg_1")
    expect(seen.map(({ url }) => url.pathname)).toEqual(["/v1/plugins/plg_1", "/v1/plugins/plg_2"])
  })

  it("ask for the token before each attempt", async () => {
    let tokens = 0
    const { client, seen } = clientOf([bad(503, { error: "unavailable" }, { "retry-after": "0" }), good], {
      token: () => Promise.resolve(`ops_${++tokens}`)
    })
    await client.plugins.get("plg_1")
    expect(seen.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer ops_1", "Bearer ops_2"])
    const { client: without } = clientOf([good], { token: () => "" })
    expect(await failure(without.plugins.get("plg_1"))).toMatchObject({
      message: "createClient: token is empty. Set token to null to send no credential."
    })
  })

  it("send no credential with token null, even if the environment has one", async () => {
    vi.stubEnv("ORGPLANE_TOKEN", "ops_1")
    vi.stubEnv("ORGPLANE_API_KEY", "")
    const { client, seen } = clientOf([good], { token: null })
    await client.plugins.get("plg_1")
    const { client: signedIn, seen: seenLater } = clientOf([good], { apiKey: "opk_1" })
    await signedIn.withOptions({ token: null }).plugins.get("plg_1")
    expect(
      [...seen, ...seenLater].map(({ headers }) => ["authorization", "x-api-key"].map((name) => headers.get(name)))
    ).toEqual([
      [null, null],
      [null, null]
    ])
  })

  it("never show a credential in the error for a header that cannot be sent", async () => {
    const calls = [
      clientOf([good], { token: () => "ops_sec\nret" }).client.plugins.get("plg_1"),
      clientOf([good], { headers: { "X-Secret": "ops_sec\nret" } }).client.plugins.get("plg_1"),
      clientOf([good]).client.plugins.get("plg_1", { headers: { cookie: "ops_sec\u0100ret" } })
    ]
    const errors = await Promise.all(calls.map(failure))
    expect(errors.map((error) => (error as Error).message)).toEqual([
      "createClient: token contains characters that are not allowed, such as spaces or line breaks.",
      "The header X-Secret contains characters that are not allowed, such as line breaks.",
      "The header cookie contains characters that are not allowed, such as line breaks."
    ])
  })

  it("redact the tokens of marketplace links in hooks, log lines, warnings and errors", async () => {
    const shown: Array<string> = []
    const note = (value: unknown) => shown.push(JSON.stringify(value))
    const { client, seen } = clientOf(
      [bad(503, { error: "unavailable" }, { "retry-after": "0" }), json(200, {}, { "orgplane-warning": "A warning" })],
      { onRequest: note, onResponse: note, onRetry: note, logger: { debug: note, warn: note } }
    )
    const token = "opl_SecretSecretSecretSecretSecretSecretSecretSecret"
    await client.marketplaces.manifestLinked(token)
    await client.request("GET", `/v1/linked/opl%5FSecret?token=${token}`)
    const silent = clientOf([() => new Promise<Response>(() => {})], { timeoutMillis: 20 })
    const aborted = AbortSignal.abort()
    const calls = [
      silent.client.marketplaces.manifestLinked(token),
      silent.client.marketplaces.manifestLinked(token, { signal: aborted })
    ]
    for (const error of await Promise.all(calls.map(failure))) note((error as Error).message)
    expect(() => client.request("GET", `linked/${token}`)).toThrow("linked/opl_redacted")
    expect(seen[0]?.url.pathname).toContain(token)
    expect(shown.filter((text) => /opl_redacted/.test(text)).length).toBeGreaterThanOrEqual(12)
    expect(shown.filter((text) => /Secret/.test(text))).toEqual([])
  })

  it("add headers, which those of a call override, and name the client", async () => {
    const { client, seen } = clientOf([good], { headers: { "X-Team": "a", "x-other": "b" } })
    await client.plugins.get("plg_1", { headers: { "x-team": "c" } })
    const [{ headers } = { headers: new Headers() }] = seen
    expect([headers.get("x-team"), headers.get("x-other")]).toEqual(["c", "b"])
    expect(headers.get("user-agent")).toMatch(/^orgplane-client\/\d+\.\d+\.\d+\S* Node\.js\/\d+/)
  })

  it("can be changed in a copy of the client, where the credentials replace each other", async () => {
    const { client, seen } = clientOf([good.clone(), good.clone(), good.clone()], { token: "ops_1", retries: 0 })
    const other = client.withOptions({ apiKey: "opk_1", organizationId: "org_1" })
    await other.plugins.get("plg_1")
    await other.withOptions({ token: "ops_2" }).plugins.get("plg_1")
    await client.plugins.get("plg_1")
    expect(
      seen.map(({ headers }) => ["authorization", "x-api-key", "x-organization-id"].map((name) => headers.get(name)))
    ).toEqual([
      [null, "opk_1", "org_1"],
      ["Bearer ops_2", null, "org_1"],
      ["Bearer ops_1", null, null]
    ])
  })

  it("observe each attempt, response and retry, without credentials", async () => {
    const events: Array<readonly [string, unknown]> = []
    const lines: Array<string> = []
    const { client } = clientOf([bad(503, { error: "unavailable" }, { "retry-after": "0" }), good], {
      token: "ops_secret",
      onRequest: (event) => events.push(["request", event]),
      onResponse: (event) => events.push(["response", event]),
      onRetry: (event) => events.push(["retry", event]),
      logger: { debug: (line) => lines.push(line), warn: (line) => lines.push(line) }
    })
    await client.plugins.get("plg_1")
    expect(events.map(([name]) => name)).toEqual(["request", "response", "retry", "request", "response"])
    expect(events[1]?.[1]).toMatchObject({ method: "GET", attempt: 0, status: 503, requestId: "req_1" })
    expect(events[2]?.[1]).toMatchObject({ attempt: 0, error: { code: "unavailable" } })
    expect(events[4]?.[1]).toMatchObject({ attempt: 1, status: 200 })
    expect(JSON.stringify([events, lines])).not.toContain("ops_secret")
    expect(lines).toEqual([
      expect.stringMatching(/^GET \/v1\/plugins\/plg_1 503 in \d+ ms \(req_1\)$/),
      expect.stringMatching(/^GET \/v1\/plugins\/plg_1 failed \(unavailable\)\. Retrying in \d+ ms\.$/),
      expect.stringMatching(/^GET \/v1\/plugins\/plg_1 200 in \d+ ms \(req_1\)$/)
    ])
    const { client: broken } = clientOf([good], {
      onRequest: () => {
        throw new Error("no")
      }
    })
    expect(await failure(broken.plugins.get("plg_1"))).toMatchObject({ message: "no" })
  })

  it("distinguish a missing credential from one that is not valid", async () => {
    const missing = bad(401, { error: "unauthorized" }, { "www-authenticate": "Bearer" })
    const invalid = bad(
      401,
      { error: "unauthorized" },
      {
        "www-authenticate": 'Bearer error="invalid_token", error_description="The session has expired."'
      }
    )
    const errors = await Promise.all(
      [missing, invalid].map((response) => failure(clientOf([response]).client.plugins.get("plg_1")))
    )
    expect(errors.map((error) => error instanceof UnauthorizedError && error.credential)).toEqual([
      "missing",
      "invalid"
    ])
    expect(errors.map((error) => (error as Error).message)).toEqual([
      "No credential was sent.",
      "The credential is not valid. The session has expired."
    ])
  })
})

describe("a warning of the server", () => {
  const warned = () => json(200, { item: { id: "1" } }, { "orgplane-warning": "Unknown fields were ignored: body.zz" })

  it("is passed to onWarning, with the request", async () => {
    const seen: Array<readonly [string, string, number]> = []
    const { client } = clientOf([warned()], {
      onWarning: (message, { status, url }) => seen.push([message, url.pathname, status])
    })
    await client.plugins.get("plg_1")
    expect(seen).toEqual([["Unknown fields were ignored: body.zz", "/v1/plugins/plg_1", 200]])
  })

  it("is logged, or shown once on the console without a logger", async () => {
    const lines: Array<string> = []
    const logger = { debug: () => {}, warn: (line: string) => lines.push(line) }
    await clientOf([warned()], { logger }).client.plugins.get("plg_1")
    const console = vi.spyOn(globalThis.console, "warn").mockImplementation(() => {})
    const { client } = clientOf([warned(), warned()])
    await client.plugins.get("plg_1")
    await client.plugins.get("plg_2")
    const line = "orgplane: GET /v1/plugins/plg_1: Unknown fields were ignored: body.zz"
    expect([lines, console.mock.calls]).toEqual([[line], [[line]]])
    console.mockRestore()
  })
})

describe("a deprecated operation", () => {
  const headers = {
    deprecation: "@1793491200",
    sunset: "Sat, 01 May 2027 00:00:00 GMT",
    link: '</openapi.json#operation/notes.get>; rel="successor-version"'
  }
  const deprecated = () => json(200, { item: { id: "1" } }, headers)
  const message = "This operation is deprecated and works until 2027-05-01. Use notes.get instead."
  const notice = { message, sunset: "2027-05-01", instead: "notes.get" }

  it("is logged once for each operation, whether it succeeds or fails, and is in every response event", async () => {
    const lines: Array<string> = []
    const seen: Array<unknown> = []
    const refused = () => bad(404, { error: "not_found" }, headers)
    const team = json(200, { team: { id: "1" } }, headers)
    const { client } = clientOf([refused(), deprecated(), team, refused(), json(200, { item: { id: "1" } })], {
      logger: { debug: () => {}, warn: (line) => lines.push(line) },
      onResponse: ({ deprecation, status }) => seen.push([status, deprecation])
    })
    await failure(client.plugins.get("plg_1"))
    await client.plugins.get("plg_2")
    await client.teams.get("tem_1")
    await failure(client.teams.get("tem_2"))
    await client.plugins.get("plg_3")
    expect(lines).toEqual([`orgplane: GET /v1/plugins/plg_1: ${message}`, `orgplane: GET /v1/teams/tem_1: ${message}`])
    expect(seen).toEqual([
      [404, notice],
      [200, notice],
      [200, notice],
      [404, notice],
      [200, undefined]
    ])
  })

  it("is passed to onWarning once, besides other warnings, and once for the pages of a list", async () => {
    const page = (nextCursor: string | null) =>
      json(200, { items: [], nextCursor }, { ...headers, "orgplane-warning": "Unknown fields were ignored: query.zz" })
    const seen: Array<string> = []
    const { client } = clientOf([page("next"), page(null)], { onWarning: (text) => seen.push(text) })
    for await (const plugin of client.plugins.list()) expect(plugin).toBeUndefined()
    const other = "Unknown fields were ignored: query.zz"
    expect(seen).toEqual([other, message, other])
  })

  it("is reported without the dates and the replacement that the headers omit", async () => {
    const seen: Array<string> = []
    const declarations = [
      { deprecation: "@1793491200" },
      { deprecation: "@1793491200", sunset: "soon", link: '<https://example.com/docs>; rel="deprecation"' },
      { sunset: headers.sunset }
    ]
    for (const declared of declarations) {
      const { client } = clientOf([json(200, { item: { id: "1" } }, declared)], {
        onWarning: (text) => seen.push(text)
      })
      await client.plugins.get("plg_1")
    }
    expect(seen).toEqual(["This operation is deprecated.", "This operation is deprecated."])
  })
})
