/** The public model catalog: fetched, validated, shared by all processes, and served while its source fails. */
import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  addMember,
  call,
  engine,
  makeControlPlane,
  makeKey,
  makeWorkspace,
  runSql,
  type TestPlane
} from "../harness.ts"
import { aCatalog, aModel, json, letIn, serveCatalog } from "./llm.fixture.ts"

const source = await serveCatalog()
const plane = await makeControlPlane({ workers: false, modelsUrl: source.url, logLevel: "none" })
const owner = await makeWorkspace(plane)
const path = "/v1/llm-providers/catalog"
const get = (query = "", person: Pick<typeof owner, "call"> = owner) => person.call("GET", `${path}${query}`)
const idsOf = (result: Awaited<ReturnType<typeof get>>) =>
  (result.body.items as ReadonlyArray<{ providerId: string; id: string }>).map(({ id, providerId }) =>
    providerId === undefined ? id : `${providerId}/${id}`
  )

/** Ages the copy and the last fetch by this much. */
const age = (seconds: number, of: TestPlane = plane) =>
  runSql(
    of,
    (sql) => sql`UPDATE model_catalogs SET checked_at = checked_at - make_interval(secs => ${seconds}),
      tried_at = tried_at - make_interval(secs => ${seconds})`
  )
const forget = (of: TestPlane = plane) => runSql(of, (sql) => sql`DELETE FROM model_catalogs`)
const everything = [
  "anthropic/claude-large",
  "anthropic/claude-small",
  "azure/gpt-x",
  "clouds/cloud-9",
  "house/house/one",
  "house/house/two"
]

beforeEach(async () => {
  await forget()
  source.requests.length = 0
  source.instead = null
  source.served.catalog = aCatalog
  source.served.etag = `"one"`
})

describe("GET /v1/llm-providers/catalog", () => {
  it("lists models with capabilities, cost and limits, by provider and ID", async () => {
    const result = await get()
    expect([result.status, idsOf(result)]).toEqual([200, everything])
    expect(result.body).toMatchObject({ nextCursor: null, stale: false })
    expect(result.body.items[0]).toEqual({
      providerId: "anthropic",
      id: "claude-large",
      name: "The claude-large",
      capabilities: ["attachment", "reasoning", "tool_call", "temperature"],
      inputModalities: ["text", "image"],
      outputModalities: ["text"],
      cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      contextLimit: 200_000,
      outputLimit: 64_000,
      releaseDate: "2026-02-19",
      lifecycle: null
    })
    expect(result.body.items[5]).toMatchObject({ cost: null, contextLimit: 8192, outputLimit: null })
    expect(result.body.items[4]).toMatchObject({ lifecycle: "beta" })
    expect(source.requests).toEqual([
      expect.objectContaining({
        method: "GET",
        path: "/api.json",
        headers: expect.not.objectContaining({ cookie: "" })
      })
    ])
    // No caller data is sent with the request.
    expect(Object.keys(source.requests[0]?.headers ?? {}).sort()).toEqual(
      ["accept", "accept-encoding", "connection", "host", "user-agent"].sort()
    )
  })

  it("filters models by text, provider and capability, and pages through the matches", async () => {
    expect(idsOf(await get("?q=CLAUDE"))).toEqual(everything.slice(0, 2))
    expect(idsOf(await get("?providerId=house"))).toEqual(everything.slice(4))
    expect(idsOf(await get("?capability=reasoning"))).toEqual(everything.slice(0, 1))
    expect(idsOf(await get("?capability=tool_call&providerId=house"))).toEqual(["house/house/two"])
    expect(idsOf(await get("?q=%25"))).toEqual([])
    const listedIds: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof get>> = await get(`?limit=4${cursor === "" ? "" : `&cursor=${cursor}`}`)
      listedIds.push(...idsOf(page))
      cursor = page.body.nextCursor as string | null
    }
    expect(listedIds).toEqual(everything)
    const { body } = await get("?limit=1")
    for (const other of [
      `?limit=1&q=a&cursor=${body.nextCursor}`,
      "?cursor=nothing",
      "?capability=magic",
      "?limit=0"
    ]) {
      expect((await get(other)).status).toBe(400)
    }
    const stranger = await makeWorkspace(plane)
    expect((await get(`?limit=1&cursor=${body.nextCursor}`, stranger)).status).toBe(400)
  })

  it("lists providers with their API format", async () => {
    const result = await owner.call("GET", `${path}/providers`)
    expect(result.body.items).toEqual([
      {
        id: "anthropic",
        name: "Anthropic",
        apiFormat: "anthropic",
        baseUrl: "https://api.anthropic.com/v1",
        env: ["ANTHROPIC_API_KEY"],
        npm: "@ai-sdk/anthropic",
        docUrl: "https://docs.anthropic.example/models",
        modelCount: 2
      },
      expect.objectContaining({ id: "azure", apiFormat: "azure_openai", baseUrl: null }),
      expect.objectContaining({ id: "clouds", apiFormat: "other", baseUrl: null }),
      expect.objectContaining({ id: "house", apiFormat: "openai_compatible", baseUrl: "https://api.house.example/v1" })
    ])
    expect((await owner.call("GET", `${path}/providers?q=HOUSE OF`)).body.items).toHaveLength(1)
    const page = await owner.call("GET", `${path}/providers?limit=3`)
    expect(idsOf(await owner.call("GET", `${path}/providers?limit=3&cursor=${String(page.body.nextCursor)}`))).toEqual([
      "house"
    ])
  })

  it("requires permission to read providers", async () => {
    expect((await get("", await addMember(plane, owner, "member"))).status).toBe(200)
    const { key } = await makeKey(plane, owner, ["plugins:read"])
    const result = await call(plane, undefined)("GET", path, undefined, { "x-api-key": key })
    expect([result.status, result.body.reason]).toEqual([403, "permission_required"])
    expect((await call(plane, undefined)("GET", path)).status).toBe(401)
  })
})

describe("the stored catalog copy", () => {
  it("is fetched once for a hundred concurrent requests, and not again within an hour", async () => {
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    source.instead = (_, response) => void gate.then(() => json(response, 200, aCatalog, { etag: `"one"` }))
    const requests = Array.from({ length: 100 }, () => get("?limit=1"))
    while (source.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    open()
    expect(new Set((await Promise.all(requests)).map(({ status }) => status))).toEqual(new Set([200]))
    await age(3000)
    await get()
    expect(source.requests).toHaveLength(1)
  })

  it("is kept when its ETag matches, and replaced when it has changed", async () => {
    const first = await get()
    await age(4000)
    const second = await get()
    expect(source.requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, `"one"`])
    expect([second.body.items, second.body.stale]).toEqual([first.body.items, false])
    expect(Date.parse(second.body.generatedAt)).toBeGreaterThanOrEqual(Date.parse(first.body.generatedAt))
    source.served.etag = `"two"`
    source.served.catalog = { ...aCatalog, house: { ...aCatalog.house, models: { three: aModel("three") } } }
    await age(4000)
    expect(idsOf(await get("?providerId=house"))).toEqual(["house/three"])
    expect(source.requests.at(-1)?.headers["if-none-match"]).toBe(`"one"`)
  })

  it("is returned as stale with its age while the source fails, and recovers by itself", async () => {
    const first = await get()
    const failures: ReadonlyArray<typeof source.instead> = [
      (_, response) => json(response, 503, "{}"),
      (_, response) => json(response, 200, "{ this is no JSON"),
      (_, response) => json(response, 200, "[]"),
      (_, response) => json(response, 200, {}),
      (_, response) => json(response, 200, { anthropic: "a text" }),
      (_, response) => json(response, 200, { anthropic: { models: { "a model": 7 } } }),
      (_, response) => json(response, 200, "<html>A portal wants you to sign in</html>"),
      (request) => request.socket.destroy(),
      // A redirect to an address that is not allowed.
      (_, response) => {
        response.writeHead(302, { location: "http://10.0.0.1/api.json" })
        response.end()
      }
    ]
    for (const failure of failures) {
      source.instead = failure
      await age(4000)
      const before = source.requests.length
      const result = await get()
      expect(source.requests.length).toBe(before + 1)
      expect([result.status, result.body.stale, idsOf(result)]).toEqual([200, true, everything])
      expect(Date.parse(result.body.generatedAt)).toBeLessThan(Date.parse(first.body.generatedAt))
      // No process fetches again at once.
      await get()
      expect(source.requests.length).toBe(before + 1)
    }
    source.instead = null
    await age(4000)
    expect((await get()).body).toMatchObject({ stale: false })
  }, 60_000)

  it("rejects a catalog above 50 MB, announced or not, or with too many entries", async () => {
    const piece = Buffer.alloc(1024 * 1024, 32)
    const most = (response: Parameters<NonNullable<typeof source.instead>>[1]) => {
      let sent = 0
      const more = () => {
        while (sent < 50 && !response.destroyed) {
          sent += 1
          if (!response.write(piece)) return void response.once("drain", more)
        }
        response.end()
      }
      more()
    }
    const manyModels = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`m${at}`, { name: "x" }]))
    const manyProviders = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`p${at}`, aCatalog.house]))
    const failures: ReadonlyArray<NonNullable<typeof source.instead>> = [
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        most(response)
      },
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": String(50 * 1024 * 1024) })
        most(response)
      },
      (_, response) => json(response, 200, { house: { models: manyModels } }),
      (_, response) => json(response, 200, manyProviders),
      (_, response) => json(response, 200, "[".repeat(200_000))
    ]
    for (const failure of failures) {
      await forget()
      source.instead = failure
      const result = await get()
      expect([result.status, result.body.error]).toEqual([503, "unavailable"])
      expect(result.headers.get("retry-after")).toBe("60")
    }
  }, 60_000)

  it("drops unusable entries and keeps the rest", async () => {
    source.served.catalog = {
      ...aCatalog,
      custom: aCatalog.house,
      "No Such Id": aCatalog.house,
      broken: { name: "Broken", models: [] },
      empty: { name: "Empty", models: { "": aModel("") } },
      odd: {
        name: 7,
        env: "NOT_A_LIST",
        npm: {},
        api: "https://api.odd.example/${ACCOUNT}/v1",
        doc: "javascript:alert(1)",
        models: {
          fine: {
            name: ["no"],
            attachment: "yes",
            reasoning: 1,
            tool_call: true,
            cost: { input: "3", output: -1 },
            limit: { context: 1.5, output: 2 ** 60 },
            release_date: "yesterday",
            modalities: { input: "text", output: [1, "text"] }
          },
          "with\u0000nothing": aModel("x"),
          null: null,
          ["x".repeat(300)]: aModel("x")
        }
      }
    }
    const result = await get("?providerId=odd")
    expect(result.body.items).toEqual([
      {
        providerId: "odd",
        id: "fine",
        name: "fine",
        capabilities: ["tool_call"],
        inputModalities: [],
        outputModalities: ["text"],
        cost: null,
        contextLimit: null,
        outputLimit: null,
        releaseDate: null,
        lifecycle: null
      }
    ])
    expect(idsOf(await get())).toEqual([...everything, "odd/fine"])
    const providers = await owner.call("GET", `${path}/providers?q=odd`)
    expect(providers.body.items).toEqual([
      { id: "odd", name: "odd", apiFormat: "other", baseUrl: null, env: [], npm: null, docUrl: null, modelCount: 1 }
    ])
  })

  it("accepts any JSON, and pages through all stored entries exactly once", async () => {
    const id = fc.oneof(
      fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/),
      fc.string({ maxLength: 40 }),
      fc.constant("x".repeat(200))
    )
    const model = fc.oneof(fc.constant(aModel("m")), fc.jsonValue())
    const models = fc.dictionary(fc.oneof(id, fc.stringMatching(/^\S{150,255}$/u)), model, { maxKeys: 8 })
    const provider = fc.oneof(
      models.map((models) => ({ ...aCatalog.house, models })),
      fc.jsonValue()
    )
    await fc.assert(
      fc.asyncProperty(fc.dictionary(id, provider, { maxKeys: 6 }), async (catalog) => {
        await forget()
        source.served.catalog = catalog
        const whole = await get("?limit=100")
        expect([200, 503]).toContain(whole.status)
        if (whole.status === 503) return
        const listedIds: Array<string> = []
        let cursor: string | null = ""
        while (cursor !== null) {
          const page: Awaited<ReturnType<typeof get>> = await get(`?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`)
          expect(page.status).toBe(200)
          listedIds.push(...idsOf(page))
          cursor = page.body.nextCursor as string | null
        }
        expect(listedIds).toEqual(idsOf(whole))
      }),
      { numRuns: 25, endOnFailure: true }
    )
  }, 120_000)

  it("returns 503 with an alternative until the first fetch, and 409 when the catalog is turned off", async () => {
    source.instead = (request) => request.socket.destroy()
    const result = await get()
    expect([result.status, result.body.error, result.headers.get("retry-after")]).toEqual([503, "unavailable", "60"])
    expect(result.body.message).toContain("custom")
    const input = { name: "Own", providerId: "custom", baseUrl: "https://llm.example/v1" }
    expect((await owner.call("POST", "/v1/llm-providers", input)).status).toBe(201)
    const byCatalog = await owner.call("POST", "/v1/llm-providers", { name: "Not own", providerId: "anthropic" })
    expect([byCatalog.status, byCatalog.body.error]).toEqual([503, "unavailable"])
    // The catalog is available once its source is.
    source.instead = null
    await age(100)
    expect((await get()).status).toBe(200)
  })
})

describe("an installation without the catalog", () => {
  it("allows providers with their own base URL", async () => {
    const off = await makeControlPlane({ workers: false, modelsUrl: "off" })
    const person = await makeWorkspace(off)
    for (const result of [
      await person.call("GET", path),
      await person.call("GET", `${path}/providers`),
      await person.call("POST", "/v1/llm-providers", { name: "A", providerId: "anthropic" })
    ]) {
      expect([result.status, result.body.error]).toEqual([409, "model_catalog_not_configured"])
    }
    const input = { name: "Own", providerId: "custom", baseUrl: "https://llm.example/v1" }
    const { body, status } = await person.call("POST", "/v1/llm-providers", input)
    expect([status, body.llmProvider.baseUrl]).toEqual([201, input.baseUrl])
    expect(await runSql(off, (sql) => sql`SELECT 1 AS one FROM model_catalogs`)).toEqual([])
  })
})

describe.runIf(engine === "postgres")("two processes on one database", () => {
  afterEach(() => forget())
  it("share one fetch of the catalog", async () => {
    const other = await makeControlPlane({
      workers: false,
      modelsUrl: source.url,
      logLevel: "none",
      outbound: letIn,
      database: plane.database
    })
    const asOther = { call: call(other, owner.token) }
    const responses = await Promise.all(Array.from({ length: 20 }, (_, at) => get("", at % 2 === 0 ? owner : asOther)))
    expect(responses.map((result) => [result.status, idsOf(result)])).toEqual(responses.map(() => [200, everything]))
    expect(source.requests).toHaveLength(1)
    source.served.etag = `"two"`
    source.served.catalog = { house: aCatalog.house }
    await age(4000)
    await get()
    expect(idsOf(await get("", asOther))).toEqual(everything.slice(4))
    expect(source.requests).toHaveLength(2)
  })
})
