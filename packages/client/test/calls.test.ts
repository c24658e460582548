import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { createClient } from "../src/index.ts"
import { clientOf, failure, json } from "./server.ts"

const stranger = () => new Response("<html>", { headers: { "content-type": "text/html" } })
const plugin = { id: "plg_1", name: "Reviewer" }

describe("a call", () => {
  it("takes ids in path order, then one input, then options", async () => {
    const { client, seen } = clientOf([json(200, { ok: true, item: {} })])
    await client.connectors.apply(
      "cin_1",
      { selectedKeys: ["a"], autoImportNewPlugins: false, wait: "0" },
      { headers: { "x-trace": "t" } }
    )
    expect(seen[0]).toMatchObject({ method: "POST", body: { selectedKeys: ["a"], autoImportNewPlugins: false } })
    expect(seen[0]?.url.href).toBe("https://control.example/v1/connector-instances/cin_1/discovery/apply?wait=0")
    expect(seen[0]?.headers.get("content-type")).toBe("application/json")
    expect(seen[0]?.headers.get("x-trace")).toBe("t")
  })

  it("puts every member of a GET into the query, and omits undefined members", async () => {
    const { client, seen } = clientOf([json(200, { items: [], nextCursor: null })])
    await client.configObjects.list({ archived: true, limit: 5, q: "a&b", type: undefined })
    expect(seen[0]?.url.search).toBe("?archived=true&limit=5&q=a%26b")
    expect(seen[0]?.body).toBeUndefined()
  })

  it("returns the secret of a new or rotated webhook endpoint next to the endpoint", async () => {
    const created = { ok: true, item: { id: "whe_1" }, secret: "whsec_a" }
    const { client } = clientOf([json(201, created), json(200, { ...created, secret: "whsec_b" })])
    const input = { name: "Deployments", url: "https://hooks.example/events" }
    expect((await client.webhookEndpoints.create(input)).secret).toBe("whsec_a")
    expect((await client.webhookEndpoints.rotateSecret("whe_1")).secret).toBe("whsec_b")
  })

  it("sends no body if the operation has none", async () => {
    const { client, seen } = clientOf([json(200, { ok: true, item: {} })])
    await client.connectors.enable("cin_1")
    expect(seen[0]?.body).toBeUndefined()
    expect(seen[0]?.headers.has("content-type")).toBe(false)
  })

  it.each(["", ".", "..", undefined, 7])("rejects %j as an ID, which would change the path", async (id) => {
    const { client, seen } = clientOf([json(200, { item: {} })])
    const error = await failure(client.plugins.get(id as string))
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toContain("plugins.get")
    expect(seen).toEqual([])
  })

  it("escapes IDs in the path", async () => {
    const { client, seen } = clientOf([json(200, { item: {} })])
    await client.plugins.get("a/../b?c#d")
    expect(seen[0]?.url.pathname).toBe("/v1/plugins/a%2F..%2Fb%3Fc%23d")
  })

  it("keeps the path of the base URL", async () => {
    const { client, seen } = clientOf([json(200, { item: {} })], { baseUrl: new URL("https://host.example/a/b/") })
    await client.plugins.get("plg_1")
    await client.request("GET", "/v1/health")
    expect(seen.map(({ url }) => url.href)).toEqual([
      "https://host.example/a/b/v1/plugins/plg_1",
      "https://host.example/a/b/v1/health"
    ])
  })

  it("sends a session token as a bearer token, an API key in its own header, and the organization", async () => {
    const person = clientOf([json(200, { status: "ok" })], { token: "ops_1", organizationId: "org_1" })
    await person.client.system.health()
    expect(person.seen[0]?.headers.get("authorization")).toBe("Bearer ops_1")
    expect(person.seen[0]?.headers.get("x-organization-id")).toBe("org_1")
    const program = clientOf([json(200, { status: "ok" })], { apiKey: "opk_1" })
    await program.client.system.health()
    expect(program.seen[0]?.headers.get("x-api-key")).toBe("opk_1")
    expect(program.seen[0]?.headers.has("authorization")).toBe(false)
    expect(() => createClient({ baseUrl: "http://x", token: "a", apiKey: "b" })).toThrow("not both")
  })

  it("does not reveal the credential when the client is printed", () => {
    expect(
      inspect(createClient({ baseUrl: "http://x", token: "ops_secret" }), { depth: 9, showHidden: true })
    ).not.toContain("ops_secret")
  })

  it("sends If-Match and If-None-Match, and rejects with the server's error", async () => {
    const { client, seen } = clientOf([
      json(412, { error: "precondition_failed", message: "changed" }),
      new Response(null, { status: 304, headers: { etag: '"4"' } })
    ])
    expect(await failure(client.connectors.updateInstance("cin_1", { name: "n" }, { ifMatch: '"3"' }))).toMatchObject({
      name: "PreconditionFailedError",
      code: "precondition_failed"
    })
    expect(await failure(client.connectors.getInstance("cin_1", { ifNoneMatch: '"4"' }))).toMatchObject({
      name: "NotModifiedError",
      status: 304
    })
    expect(seen.map(({ headers }) => [headers.get("if-match"), headers.get("if-none-match")])).toEqual([
      ['"3"', null],
      [null, '"4"']
    ])
  })
})

describe("a response", () => {
  it("is unwrapped to the item if the body is only a wrapper", async () => {
    expect(await clientOf([json(200, { item: plugin })]).client.plugins.get("plg_1")).toEqual(plugin)
    expect(await clientOf([json(201, { ok: true, item: plugin })]).client.plugins.create({ name: "R" })).toEqual(plugin)
  })

  it("is the only object of the body, regardless of its name", async () => {
    const body = { member: { id: "om_1" } }
    expect(await clientOf([json(200, body)]).client.members.get("om_1")).toEqual(body.member)
    const session = { session: { id: "ses_1" }, isNew: true }
    expect(await clientOf([json(200, session)]).client.sessions.verifyEmail({ challengeId: "a", code: "b" })).toEqual(
      session
    )
  })

  it("is undefined if there is no body", async () => {
    expect(await clientOf([json(204, undefined)]).client.sessions.revokeCurrent()).toBeUndefined()
  })

  it("is a string for text content", async () => {
    const page = new Response("<p>", { headers: { "content-type": "text/html; charset=utf-8" } })
    expect(await clientOf([page]).client.system.docs()).toBe("<p>")
  })

  it("is bytes for content that is neither JSON nor text", async () => {
    const archive = new Response(new Uint8Array([31, 139]), { headers: { "content-type": "application/gzip" } })
    expect(await clientOf([archive]).client.request("GET", "/v1/a")).toEqual(new Uint8Array([31, 139]))
  })

  it("is returned for a failure status that the operation declares", async () => {
    const body = { status: "not_ready", checks: { database: "failed", queue: "ok" } }
    const { client, seen } = clientOf([json(503, body)])
    expect(await client.system.ready()).toEqual(body)
    expect(seen).toHaveLength(1)
    const away = clientOf([json(503, { error: "unavailable", message: "Not now." })], { retries: 0 })
    expect(await failure(away.client.system.ready())).toMatchObject({ name: "ServerError", code: "unavailable" })
  })

  it("includes status, headers and request ID with withResponse", async () => {
    const { client, seen } = clientOf([json(200, { item: plugin }, { etag: '"3"' })])
    const call = client.plugins.get("plg_1")
    const { data, response } = await call.withResponse()
    expect(data).toEqual(plugin)
    expect(response).toMatchObject({ status: 200, requestId: "req_1" })
    expect(response.headers.get("etag")).toBe('"3"')
    expect(await call).toBe(data)
    expect(seen).toHaveLength(1)
  })

  it("causes an error if it is not from an orgplane server", async () => {
    for (const call of [
      clientOf([stranger()]).client.plugins.get("plg_1"),
      clientOf([stranger()]).client.plugins.list()
    ]) {
      expect(await failure(call)).toMatchObject({ name: "OrgplaneError", code: "invalid_answer", body: "<html>" })
    }
  })
})

describe("a raw request", () => {
  it("sends any method, path, query and body", async () => {
    const { client, seen } = clientOf([json(200, { any: 1 })])
    const result = await client.request<{ any: number }>("post", "/v1/new", {
      query: { tag: ["a", "b"], limit: 2, none: undefined },
      body: { x: 1 }
    })
    expect(result.any).toBe(1)
    expect(seen[0]).toMatchObject({ method: "POST", body: { x: 1 } })
    expect(seen[0]?.url.search).toBe("?tag=a&tag=b&limit=2")
  })

  it("sends text unchanged", async () => {
    const bodies: Array<string> = []
    const client = createClient({
      baseUrl: "http://x",
      fetch: async (request) => {
        bodies.push(`${request.headers.get("content-type")} ${await request.text()}`)
        return json(200, {})
      }
    })
    await client.request("POST", "/v1/new", { body: "a\nb", headers: { "content-type": "application/x-ndjson" } })
    expect(bodies).toEqual(["application/x-ndjson a\nb"])
  })

  it("is never sent to another server", async () => {
    const { client, seen } = clientOf([json(200, {})])
    for (const path of ["https://other.example/x", "@other.example/x", ""]) {
      expect(() => client.request("GET", path)).toThrow(TypeError)
    }
    await client.request("GET", "//other.example/x")
    expect(seen.map(({ url }) => url.origin)).toEqual(["https://control.example"])
  })
})
