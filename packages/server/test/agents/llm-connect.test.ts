/** Keys of LLM providers: sealed, returned to callers with a grant, and tested against real HTTP servers. */
import { describe, expect, it } from "vitest"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeRole,
  makeWorkspace,
  runSql,
  type Person,
  type Workspace
} from "../harness.ts"
import { interfaces, json, letIn, serve, serveCatalog, serveProvider, spoken } from "./llm.fixture.ts"
import { keepWritten } from "../written.fixture.ts"

const written = keepWritten()
const catalog = await serveCatalog()
const plane = await makeControlPlane({
  workers: false,
  modelsUrl: catalog.url,
  outbound: letIn,
  logLevel: "debug",
  metricsToken: "a token for metrics"
})
const owner = await makeWorkspace(plane)
const path = "/v1/llm-providers"
let providerCount = 0
const create = async (more: object, person: Pick<Person, "call"> = owner): Promise<string> => {
  const input = {
    name: `Provider ${(providerCount += 1)}`,
    providerId: "custom",
    baseUrl: "https://llm.example/v1",
    ...more
  }
  const result = await person.call("POST", path, input)
  if (result.status !== 201) throw new Error(result.text)
  return result.body.llmProvider.id
}
const setKey = (id: string, apiKey: string, person: Pick<Person, "call"> = owner) =>
  person.call("PUT", `${path}/${id}/credential`, { apiKey })
const removeKey = (id: string, person: Pick<Person, "call"> = owner) =>
  person.call("DELETE", `${path}/${id}/credential`)
const connect = (id: string, person: Pick<Person, "call"> = owner, headers: Record<string, string> = {}) =>
  person.call("POST", `${path}/${id}/connect`, undefined, headers)
const test = async (id: string, person: Pick<Person, "call"> = owner) => {
  const result = await person.call("POST", `${path}/${id}/test`)
  expect(result.status).toBe(200)
  return result.body.test
}
const grant = (id: string, receiver: object, role = "viewer") =>
  owner.call("POST", `${path}/${id}/access`, { ...receiver, role })
const viewerOf = async (id: string): Promise<Workspace> => {
  const member = await addMember(plane, owner, "member")
  await grant(id, { orgMembershipId: member.membershipId })
  return member
}
const errorOf = ({ body, status }: Awaited<ReturnType<Person["call"]>>) => [status, body?.reason ?? body?.error]
/** These tests exceed the rate limit of a minute. */
const forgetTests = () => runSql(plane, (sql) => sql`DELETE FROM rate_windows WHERE bucket LIKE 'llm-test:%'`)

describe("the shared key of a provider", () => {
  it("is set by a manager and returned only to callers with a grant", async () => {
    const key = "sk-canary-shared-1"
    const id = await create({ headers: { "x-team": "a" }, options: { region: "eu" }, env: ["HOUSE_KEY"] })
    const member = await viewerOf(id)
    expect(errorOf(await setKey(id, key, member))).toEqual([403, "grant_required"])
    expect(errorOf(await connect(id, member))).toEqual([409, "connection_not_ready"])
    expect((await connect(id, member)).body.message).toMatch(/^not_connected: /)
    const set = await setKey(id, key)
    expect([set.status, set.body.llmProvider.status, set.text.includes(key)]).toEqual([200, "ready", false])
    expect((await member.call("GET", `${path}/${id}`)).body.llmProvider).toMatchObject({ connectedForMe: true })
    const result = await connect(id, member)
    expect([result.status, result.headers.get("cache-control")]).toEqual([200, "no-store"])
    expect(result.body.connection).toEqual({
      llmProviderId: id,
      name: expect.any(String),
      providerId: "custom",
      apiFormat: "openai_compatible",
      baseUrl: "https://llm.example/v1",
      npm: null,
      env: ["HOUSE_KEY"],
      headers: { "x-team": "a" },
      options: { region: "eu" },
      models: null,
      credential: { apiKey: key, shared: true, header: "authorization", scheme: "Bearer" }
    })
    // The key is replaced, then removed.
    await setKey(id, "sk-canary-shared-2")
    expect((await connect(id, member)).body.connection.credential.apiKey).toBe("sk-canary-shared-2")
    expect(errorOf(await removeKey(id, member))).toEqual([403, "grant_required"])
    expect((await removeKey(id)).status).toBe(204)
    expect(errorOf(await removeKey(id))).toEqual([404, "llm_credential_not_found"])
    expect(errorOf(await connect(id, member))).toEqual([409, "connection_not_ready"])
  })

  it("requires a grant to the caller even for owners and admins, and an organization-wide grant for API keys", async () => {
    const admin = await addMember(plane, owner, "admin")
    const id = await create({})
    await setKey(id, "sk-canary-grants")
    expect((await admin.call("GET", `${path}/${id}`)).status).toBe(200)
    expect(errorOf(await connect(id, admin))).toEqual([403, "grant_required"])
    // Permission to test a key does not allow reading it.
    expect(await test(id, admin)).toMatchObject({ ok: false, code: "destination_blocked" })
    const apiKey = await makeKey(plane, owner, ["llmProviders:read", "llmProviders:manage"])
    const asKey = {
      call: (method: string, path: string) =>
        call(plane, undefined)(method, path, undefined, { "x-api-key": apiKey.key })
    }
    expect(errorOf(await connect(id, asKey))).toEqual([403, "grant_required"])
    const grantResponse = await grant(id, { orgWide: true })
    expect((await connect(id, admin)).status).toBe(200)
    expect((await connect(id, asKey)).status).toBe(200)
    const outsider = await makeWorkspace(plane)
    expect(errorOf(await connect(id, outsider))).toEqual([404, "llm_provider_not_found"])
    await owner.call("DELETE", `${path}/${id}/access/${String(grantResponse.body.grant.id)}`)
    expect(errorOf(await connect(id, admin))).toEqual([403, "grant_required"])
  })

  it("rejects a key that no header can carry, and a key for a provider without one", async () => {
    const id = await create({})
    for (const apiKey of ["a b", "a\r\nb", "schlüssel", "", "x".repeat(16_385)]) {
      expect([apiKey, (await setKey(id, apiKey)).status]).toEqual([apiKey, 400])
    }
    const other = await create({ apiFormat: "other" })
    const several = `{ "id": "a", "secret": "sk-canary-of-several" }`
    expect((await setKey(other, several)).status).toBe(200)
    expect((await connect(other)).body.connection.credential).toEqual({
      apiKey: several,
      shared: true,
      header: null,
      scheme: null
    })
    const none = await create({ credentialMode: "none" })
    expect(errorOf(await setKey(none, "k"))).toEqual([400, "invalid_request"])
    expect((await connect(none)).body.connection.credential).toBe(null)
  })

  it("is returned once per idempotency key, and every access is audited", async () => {
    const id = await create({})
    await setKey(id, "sk-canary-once")
    const headers = { "idempotency-key": "connect-once" }
    expect((await connect(id, owner, headers)).status).toBe(200)
    const again = await connect(id, owner, headers)
    expect([...errorOf(again), again.text.includes("sk-canary")]).toEqual([409, "idempotency_key_completed", false])
    const { body } = await owner.call("GET", `/v1/audit-events?action=llm_provider.connect&targetId=${id}`)
    expect(body.items).toHaveLength(1)
  })
})

describe("a personal key", () => {
  it("belongs to one member, is hidden from others, and ends with the membership", async () => {
    const id = await create({ credentialMode: "per_member" })
    const [ann, ben] = [await viewerOf(id), await viewerOf(id)]
    expect((await setKey(id, "sk-canary-ann", ann)).body.llmProvider.connectedForMe).toBe(true)
    expect((await ben.call("GET", `${path}/${id}`)).body.llmProvider).toMatchObject({
      status: "not_connected",
      statusReason: "You have not set your personal key yet."
    })
    expect(errorOf(await connect(id, ben))).toEqual([409, "connection_not_ready"])
    await setKey(id, "sk-canary-ben", ben)
    expect((await connect(id, ann)).body.connection.credential).toMatchObject({
      apiKey: "sk-canary-ann",
      shared: false
    })
    expect((await connect(id, ben)).body.connection.credential).toMatchObject({
      apiKey: "sk-canary-ben",
      shared: false
    })
    expect(errorOf(await connect(id))).toEqual([409, "connection_not_ready"])
    expect((await removeKey(id, ann)).status).toBe(204)
    expect((await connect(id, ben)).status).toBe(200)
    await owner.call("DELETE", `/v1/members/${ben.membershipId}`)
    const left = await runSql(plane, (sql) => sql`SELECT 1 AS one FROM oauth_credentials WHERE subject_id = ${id}`)
    expect(left).toEqual([])
  })

  it("is not available to API keys", async () => {
    const id = await create({ credentialMode: "per_member" })
    await grant(id, { orgWide: true })
    const { key } = await makeKey(plane, owner, ["llmProviders:read", "llmProviders:manage"])
    const asKey = {
      call: (method: string, path: string, body?: unknown) =>
        call(plane, undefined)(method, path, body, { "x-api-key": key })
    }
    expect(errorOf(await setKey(id, "k", asKey))).toEqual([403, "session_required"])
    expect(errorOf(await connect(id, asKey))).toEqual([403, "session_required"])
    expect(errorOf(await asKey.call("POST", `${path}/${id}/test`))).toEqual([403, "session_required"])
  })
})

describe("the models of a connection", () => {
  it("combine members set by hand with the catalog's", async () => {
    await owner.call("GET", `${path}/catalog`)
    const all = await create({ providerId: "anthropic", baseUrl: undefined, credentialMode: "none" })
    const { connection } = (await connect(all)).body
    expect(connection).toMatchObject({ npm: "@ai-sdk/anthropic", env: ["ANTHROPIC_API_KEY"] })
    expect(connection.models.map(({ id }: { id: string }) => id)).toEqual(["claude-large", "claude-small"])
    const models = [{ id: "claude-large", label: "Ours", contextLimit: 1000 }, { id: "unheard-of" }]
    const some = await create({ providerId: "anthropic", baseUrl: undefined, credentialMode: "none", models })
    expect((await connect(some)).body.connection.models).toEqual([
      {
        id: "claude-large",
        name: "Ours",
        capabilities: ["attachment", "reasoning", "tool_call", "temperature"],
        contextLimit: 1000,
        outputLimit: 64_000,
        cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
      },
      { id: "unheard-of", name: "unheard-of", capabilities: null, contextLimit: null, outputLimit: null, cost: null }
    ])
  })
})

describe.each(spoken)("testing a provider with the API format %s", (apiFormat) => {
  it("lists models with a valid key, and reports an invalid one", async () => {
    const key = `canary-${apiFormat}-key`
    const provider = await serveProvider(apiFormat, key)
    const models = [{ id: "large" }, { id: "gone" }]
    const id = await create({ apiFormat, baseUrl: provider.baseUrl, models, headers: { "X-Team": "a" } })
    await setKey(id, key)
    expect(await test(id)).toEqual({
      ok: true,
      category: null,
      code: null,
      message: expect.stringContaining("Models listed: 2."),
      latencyMs: expect.any(Number),
      providerStatus: 200,
      modelsSeen: 2,
      models: ["large", "small"],
      missingModels: ["gone"]
    })
    expect(provider.requests).toEqual([
      expect.objectContaining({
        method: "GET",
        path: interfaces[apiFormat].path,
        headers: expect.objectContaining({ "x-team": "a" })
      })
    ])
    await setKey(id, "a-wrong-key")
    expect(await test(id)).toMatchObject({
      ok: false,
      category: "authentication",
      code: "unauthorized",
      providerStatus: interfaces[apiFormat].refusal[0],
      modelsSeen: null,
      models: [],
      missingModels: null
    })
  })
})

describe("testing a provider", () => {
  const provider = serve((_, response) => json(response, 200, { data: [] }))
  const key = "sk-canary-with-plus+slash/and=equals"
  const prepared = (async () => {
    const id = await create({ baseUrl: `${(await provider).origin}/v1/` })
    await setKey(id, key)
    return id
  })()

  it.each([
    [401, "authentication", "unauthorized"],
    [403, "authentication", "forbidden"],
    [404, "provider", "not_found"],
    [429, "provider", "rate_limited"],
    [500, "provider", "server_error"],
    [529, "provider", "server_error"],
    [400, "provider", "http_error"]
  ])("reports a response %i as %s, %s", async (status, category, code) => {
    const [id, local] = [await prepared, await provider]
    local.instead = (_, response) => json(response, status, { error: { message: `Key ${key} is not good.` } })
    expect(await test(id)).toMatchObject({ ok: false, category, code, providerStatus: status })
  })

  it.each([
    ["a page for people", "<html>Sign in</html>"],
    ["something else", { hello: "world" }],
    ["a list of something else", { data: [{ name: "x" }] }],
    ["a deep nothing", "[".repeat(100_000)]
  ])("reports that %s is not a model list", async (_, body) => {
    const [id, local] = [await prepared, await provider]
    local.instead = (_, response) => json(response, 200, body)
    expect(await test(id)).toMatchObject({ ok: false, category: "protocol", code: "unexpected_answer" })
  })

  it("reveals no part of the key, however the provider echoes it", async () => {
    await forgetTests()
    const [id, local] = [await prepared, await provider]
    const forms = [
      key,
      `model-${key}`,
      encodeURIComponent(key),
      Buffer.from(key).toString("base64"),
      `x${Buffer.from(`ab${key}`).toString("base64url")}`,
      Buffer.from(key).toString("hex"),
      "sk-key-of-another-user-000000000000"
    ]
    local.instead = (_, response) =>
      json(response, 200, { data: ["fine", ...forms].map((id) => ({ id })) }, { "x-key": encodeURIComponent(key) })
    const result = await owner.call("POST", `${path}/${id}/test`)
    expect(result.body.test).toMatchObject({ ok: true, modelsSeen: forms.length + 1, models: ["fine"] })
    for (const form of forms) expect(result.text).not.toContain(form)
  })

  it("counts repeated models once, returns five hundred, and reports no missing models for a partial list", async () => {
    const [id, local] = [await prepared, await provider]
    const many = Array.from({ length: 700 }, (_, at) => ({ id: `m${at}` }))
    local.instead = (_, response) => json(response, 200, [...many, ...many])
    const whole = await test(id)
    expect([whole.modelsSeen, whole.models.length]).toEqual([700, 500])
    const paged = await serve((_, response) => json(response, 200, { data: [{ id: "a" }], has_more: true }))
    const anthropic = await create({ baseUrl: paged.origin, apiFormat: "anthropic", models: [{ id: "b" }] })
    await setKey(anthropic, "k")
    expect(await test(anthropic)).toMatchObject({ ok: true, missingModels: null })
  })

  it("follows a redirect without the key or other headers", async () => {
    const [id, local] = [await prepared, await provider]
    const elsewhere = await serve((_, response) => json(response, 200, { data: [{ id: "theirs" }] }))
    await owner.call("PATCH", `${path}/${id}`, { headers: { "x-internal": "private-word" } })
    local.instead = (_, response) => {
      response.writeHead(307, { location: `${elsewhere.origin}/v1/models` })
      response.end()
    }
    expect(await test(id)).toMatchObject({ ok: true })
    const sent = JSON.stringify(elsewhere.requests)
    expect([elsewhere.requests.length, sent.includes(key), sent.includes("private-word")]).toEqual([1, false, false])
    local.instead = (request, response) => {
      response.writeHead(302, { location: request.url ?? "/" })
      response.end()
    }
    expect(await test(id)).toMatchObject({ ok: false, category: "network", code: "too_many_redirects" })
  })

  it("rejects internal addresses in any notation with the same message", async () => {
    await forgetTests()
    const inside = [
      "http://10.0.0.1/v1",
      "https://169.254.169.254/latest",
      "https://[::1]/v1",
      "https://[fd00::1]/v1",
      "https://0x0a000001/v1",
      "https://192.168.1.1:8443/v1"
    ]
    for (const baseUrl of inside) {
      const id = await create({ baseUrl })
      await setKey(id, "k")
      expect(await test(id)).toMatchObject({
        ok: false,
        category: "network",
        code: "destination_blocked",
        message: "The provider's address is blocked by this server's outbound rules."
      })
    }
  })

  it("reports an unreachable provider, an aborted response, and one that is too large", async () => {
    await forgetTests()
    const closedServer = await serve(() => undefined)
    const id = await create({ baseUrl: closedServer.origin })
    await setKey(id, "k")
    closedServer.instead = (request) => request.socket.destroy()
    expect(await test(id)).toMatchObject({ ok: false, code: "unreachable" })
    closedServer.instead = (_, response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write("{")
      setImmediate(() => response.destroy())
    }
    expect(await test(id)).toMatchObject({ ok: false, code: "unreachable" })
    closedServer.instead = (_, response) => json(response, 200, { data: [{ id: "x".repeat(5 * 1024 * 1024) }] })
    expect(await test(id)).toMatchObject({ ok: false, category: "protocol", code: "answer_too_large" })
    await closedServer.close()
    expect(await test(id)).toMatchObject({ ok: false, category: "network", code: "unreachable", providerStatus: null })
  })

  it("times out when the provider does not respond", async () => {
    const silent = await serve(() => undefined)
    const id = await create({ baseUrl: silent.origin })
    await setKey(id, "k")
    expect(await test(id)).toMatchObject({ ok: false, category: "network", code: "timeout" })
  }, 90_000)

  it("sends no request for a format that cannot be tested, and returns 409 without a key", async () => {
    const other = await create({ apiFormat: "other" })
    expect(errorOf(await owner.call("POST", `${path}/${other}/test`))).toEqual([409, "connection_not_ready"])
    await setKey(other, "k")
    expect(await test(other)).toMatchObject({ ok: false, category: "configuration", code: "not_testable" })
  })

  it("returns 429 above thirty tests per minute and organization", async () => {
    const person = await makeWorkspace(plane)
    const id = await create({ baseUrl: "https://192.0.2.1/v1", credentialMode: "none" }, person)
    const responses = []
    for (let count = 0; count < 31; count++) responses.push(await person.call("POST", `${path}/${id}/test`))
    expect(responses.slice(0, 30).every(({ status }) => status === 200)).toBe(true)
    const last = responses.at(-1)
    expect([last?.status, last?.body.error]).toEqual([429, "rate_limited"])
    expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0)
  }, 60_000)
})

describe("a provider that changes concurrently", () => {
  it("never returns a key together with an address that it was not set for", async () => {
    const id = await create({})
    const pairs = Array.from({ length: 12 }, (_, at) => ({
      baseUrl: `https://llm-${at}.example/v1`,
      key: `key-of-${at}`
    }))
    const connections: Array<readonly [string, string]> = []
    const state = { isOver: false }
    const changing = (async () => {
      for (const { baseUrl, key } of pairs) {
        await owner.call("PATCH", `${path}/${id}`, { baseUrl })
        await setKey(id, key)
      }
      state.isOver = true
    })()
    const looking = Array.from({ length: 4 }, async () => {
      while (!state.isOver) {
        const { body, status } = await connect(id)
        expect([200, 409]).toContain(status)
        if (status === 200) connections.push([body.connection.baseUrl, body.connection.credential.apiKey])
      }
    })
    await Promise.all([changing, ...looking])
    connections.push(
      await connect(id).then(({ body }) => [body.connection.baseUrl, body.connection.credential.apiKey] as const)
    )
    const keyByUrl = new Map(pairs.map(({ baseUrl, key }) => [baseUrl, key]))
    for (const [baseUrl, key] of connections) expect(key).toBe(keyByUrl.get(baseUrl))
  }, 120_000)
})

describe("the keys of providers", () => {
  it("appear in no table, log line, metric or audit event", async () => {
    const role = await makeRole(owner, [])
    expect(role).toMatch(/^rol_/)
    const tables = await runSql(
      plane,
      (sql) => sql<{ name: string }>`SELECT table_name::text AS name
      FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
    )
    const rows = []
    for (const { name } of tables) {
      rows.push(
        ...(await runSql(
          plane,
          (sql) => sql<{ text: string }>`SELECT coalesce(string_agg(to_jsonb(t)::text, ' '), '') AS text
          FROM ${sql(name)} t`
        ))
      )
    }
    const metrics = await call(plane, "a token for metrics")("GET", "/v1/metrics")
    expect([rows.length > 20, written.length > 0, metrics.status]).toEqual([true, true, 200])
    const everything = [...rows.map(({ text }) => text), ...written, metrics.text].join("\n")
    expect(everything.match(/(?:sk-)?canary-[\w+/=-]*/g)).toBe(null)
    expect(everything).not.toContain("key-of-")
  }, 60_000)
})
