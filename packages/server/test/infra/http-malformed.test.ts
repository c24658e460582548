/** Malformed bodies, queries, paths and headers, and their responses. */
import { createClient, UnauthorizedError } from "@orgplane/client"
import { describe, expect, it } from "vitest"
import { addMember, call, makeConnector, makeControlPlane, makeWorkspace, rowCounts } from "../harness.ts"
import { anAddress } from "./http-world.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)
const stranger = await makeWorkspace(plane, "Theirs")

const detailsOf = (response: { readonly body: { readonly details: ReadonlyArray<{ readonly path: unknown }> } }) =>
  response.body.details.map(({ path }) => path)

describe("validation messages", () => {
  const messagesOf = async (method: string, path: string, body?: unknown) => {
    const response = await owner.call(method, path, body)
    expect([response.status, response.body.error]).toEqual([400, "invalid_request"])
    return (response.body.details as ReadonlyArray<{ readonly path: ReadonlyArray<unknown>; readonly message: string }>)
      .map(({ message, path }) => `${path.join(".")} ${message}`)
      .sort()
  }

  it.each([
    ["a missing member", "/v1/plugins", {}, ["body.name is required"]],
    ["a member of another type", "/v1/plugins", { name: 1 }, ["body.name must be a string"]],
    [
      "a value that is neither a string nor null",
      "/v1/plugins",
      { name: "a", description: 1 },
      ["body.description must be a string or null"]
    ],
    ["a text that is too short", "/v1/plugins", { name: "" }, ["body.name must have 1 to 255 characters"]],
    ["a body that is not an object", "/v1/plugins", "[]", ["body must be an object"]],
    [
      "an unknown value of an enumeration",
      "/v1/config-objects",
      { input: { type: "song", normalizedPayloadJson: {} } },
      ["body.input.type must be one of: skill, agent, command, tool, mcp, hook, context, custom"]
    ],
    [
      "a value that matches no member of a union",
      "/v1/invitations",
      { email: "new@example.com", role: "boss" },
      ["body.role must be one of: owner, admin, member, or a role id: rol_ and 26 characters of base32"]
    ],
    [
      "an object without its discriminator",
      "/v1/members/batch",
      { items: [{ action: "promote" }] },
      ["body.items.0 must be an object with action: setRole or remove"]
    ],
    ["an empty list", "/v1/members/batch", { items: [] }, ["body.items must have at least 1 item"]],
    [
      "an id of another resource",
      "/v1/plugins/plg_01h455vb4pex5vsknk084sn02q/config-objects",
      { configObjectId: "plg_01h455vb4pex5vsknk084sn02q" },
      ["body.configObjectId must be a config object id: cob_ and 26 characters of base32"]
    ],
    [
      "a value that is not a list, and a fraction",
      "/v1/api-keys",
      { name: "k", permissions: "all", requestsPerMinute: 1.5 },
      ["body.permissions must be an array", "body.requestsPerMinute must be an integer"]
    ]
  ])("states the problem of %s in plain words", async (_, path, body, messages) => {
    expect(await messagesOf("POST", path, body)).toEqual(messages)
  })

  it.each([
    ["limit=abc", "query.limit must be a number"],
    ["limit=1.5", "query.limit must be an integer"],
    ["limit=0", "query.limit must be between 1 and 100"],
    ["limit=1&limit=2", "query.limit must be given only once"],
    ["archived=maybe", "query.archived must be one of: true, false"],
    ["cursor=", "query.cursor must have 1 to 255 characters"]
  ])("states the problem of the query ?%s", async (query, message) => {
    expect(await messagesOf("GET", `/v1/plugins?${query}`)).toEqual([message])
  })

  it("contains no schema names and no words of the framework", async () => {
    const messages = [
      ...(await messagesOf("POST", "/v1/config-objects", { input: { type: 1 }, pluginIds: "x" })),
      ...(await messagesOf("POST", "/v1/connectors/codehost/setup", { adapter: "ftp", credential: 1 })),
      ...(await messagesOf("POST", "/v1/members", { role: 1 })),
      ...(await messagesOf("POST", "/v1/teams", null))
    ]
    for (const message of messages) expect(message).not.toMatch(/Expected|Missing key|ObjectType|readonly|\[object/)
  })
})

describe("request bodies", () => {
  it.each([
    ["is not JSON", "{", ["body"]],
    ["is truncated", '{"name":"a"', ["body"]],
    ["is empty", "", ["body"]],
    ["is null", "null", ["body"]],
    ["is a list", "[]", ["body"]],
    ["is a string", '"name"', ["body"]],
    ["lacks a member", "{}", ["body", "name"]],
    ["has a member of another type", '{"name":1}', ["body", "name"]],
    ["hides a member in a prototype", '{"__proto__":{"name":"x"}}', ["body", "name"]],
    ["hides a member in a constructor", '{"constructor":{"prototype":{"name":"x"}}}', ["body", "name"]],
    ["is nested 100 000 deep", `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, ["body"]],
    ["contains U+0000", '{"name":"a\\u0000b"}', ["body", "name"]],
    ["contains a lone surrogate", '{"name":"a\\ud800"}', ["body", "name"]],
    ["has a null where none is allowed", '{"name":null}', ["body", "name"]],
    ["has a string that is too short", '{"name":""}', ["body", "name"]],
    ["has a string that is too long", JSON.stringify({ name: "é".repeat(256) }), ["body", "name"]]
  ])("rejects a request body that %s, with the path of the problem, and changes nothing", async (_, body, path) => {
    const before = await rowCounts(plane)
    const response = await owner.call("POST", "/v1/plugins", body)
    expect([response.status, response.body.error]).toEqual([400, "invalid_request"])
    expect(detailsOf(response)).toEqual([path])
    expect(await rowCounts(plane)).toEqual(before)
    expect(({} as Record<string, unknown>)["name"]).toBeUndefined()
  })

  it("reports all violations of a request body in one response", async () => {
    const response = await owner.call("POST", "/v1/config-objects", {
      input: { type: "song", schemaVersion: 1 },
      pluginIds: ["x"]
    })
    expect(response.status).toBe(400)
    expect(detailsOf(response)).toEqual(
      expect.arrayContaining([
        ["body", "input", "type"],
        ["body", "input", "schemaVersion"],
        ["body", "pluginIds", 0]
      ])
    )
  })

  it("rejects a request body whose content type is not JSON", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/xml",
      "multipart/form-data",
      "nonsense"
    ]) {
      const response = await owner.call("POST", "/v1/plugins", '{"name":"a"}', { "content-type": type })
      expect([type, response.status, response.body.error]).toEqual([type, 400, "invalid_request"])
    }
    const json = await owner.call("POST", "/v1/plugins", '{"name":"a"}', {
      "content-type": "application/json; charset=utf-8"
    })
    expect(json.status).toBe(201)
  })

  it("uses the last of repeated members in a request body and ignores unknown members", async () => {
    const twice = await owner.call("POST", "/v1/plugins", '{"name":"first","name":"second","role":"owner"}')
    expect(twice.body.item).toMatchObject({ name: "second" })
    expect(twice.body.item).not.toHaveProperty("role")
  })

  it("counts the length of a name in characters of any script", async () => {
    const name = "🐈".repeat(255)
    const response = await owner.call("POST", "/v1/plugins", { name })
    expect([response.status, response.body.item.name]).toEqual([201, name])
    expect((await owner.call("POST", "/v1/plugins", { name: "🐈".repeat(256) })).status).toBe(400)
  })

  it("ignores an actor and an organization in a request body", async () => {
    const response = await owner.call("POST", "/v1/plugins", {
      name: "Mine",
      userId: stranger.userId,
      organizationId: stranger.organizationId,
      createdByOrgMembershipId: stranger.membershipId
    })
    expect(response.body.item).toMatchObject({
      organizationId: owner.organizationId,
      createdByOrgMembershipId: owner.membershipId
    })
    expect(
      await stranger.client.plugins.get(response.body.item.id).catch((error: { status: number }) => error.status)
    ).toBe(404)
  })

  const mebibyte = 1_048_576
  const sized = (bytes: number) => {
    const frame = JSON.stringify({ name: "a", ignored: "" }).length
    return JSON.stringify({ name: "a", ignored: "x".repeat(bytes - frame) })
  }

  it("accepts a request body of exactly 1 MiB and returns 413 for one more byte, with or without a declared length", async () => {
    expect((await owner.call("POST", "/v1/plugins", sized(mebibyte))).status).toBe(201)
    const large = sized(mebibyte + 1)
    const before = await rowCounts(plane)
    for (const headers of [{}, { "content-length": String(large.length) }, { "idempotency-key": "large" }]) {
      const response = await owner.call("POST", "/v1/plugins", large, headers)
      expect([response.status, response.body.error]).toEqual([413, "payload_too_large"])
    }
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("returns 413 for an endless request body while it is still being sent", async () => {
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1
        controller.enqueue(new Uint8Array(65_536).fill(32))
      }
    })
    const response = await plane.fetch(
      new Request("http://localhost/v1/plugins", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${owner.token}` },
        body: endless,
        duplex: "half"
        // Node requires it, and its types lack it.
      } as RequestInit)
    )
    expect(response.status).toBe(413)
    expect(sent).toBeLessThan(32)
  })

  it("checks the size of a request body before authentication, and does not read a body that the operation does not use", async () => {
    const large = sized(2 * mebibyte)
    const unknown = await call(plane, undefined, anAddress())("POST", "/v1/plugins", large, {
      "content-length": String(large.length)
    })
    expect(unknown.status).toBe(413)
    const { connectorInstanceId } = await makeConnector(plane, owner)
    for (const headers of [{ "content-length": String(large.length) }, { "idempotency-key": "unread" }]) {
      const response = await owner.call(
        "POST",
        `/v1/connector-instances/${connectorInstanceId}/disable`,
        large,
        headers
      )
      expect(response.status).toBe(200)
    }
  })

  it("accepts request bodies of 8 MiB for config objects, with texts of at most 1 MiB in UTF-8", async () => {
    const create = (input: object, extra = "") => owner.call("POST", "/v1/config-objects", { input, extra })
    const full = await create({ type: "context", rawSourceText: "x".repeat(mebibyte) })
    expect([full.status, full.body.item.latestVersion.rawSourceText.length]).toEqual([201, mebibyte])
    expect((await create({ type: "context", rawSourceText: "x".repeat(mebibyte + 1) })).status).toBe(400)
    const half = "é".repeat(mebibyte / 2)
    expect((await create({ type: "context", rawSourceText: half })).status).toBe(201)
    const one = await create({ type: "context", rawSourceText: `${half}x` })
    expect([one.status, detailsOf(one)]).toEqual([400, [["body", "input", "rawSourceText"]]])
    expect((await create({ type: "context", rawSourceText: "# small" }, "x".repeat(7 * mebibyte))).status).toBe(201)
    expect((await create({ type: "context", rawSourceText: "# small" }, "x".repeat(8 * mebibyte))).status).toBe(413)
  })

  it("rejects a payload that is too large or too deep to store and does not truncate it", async () => {
    const many = Object.fromEntries(Array.from({ length: 600_000 }, (_, index) => [index.toString(36), 1]))
    const wide = await owner.call("POST", "/v1/config-objects", {
      input: { type: "custom", normalizedPayloadJson: many }
    })
    expect([wide.status, detailsOf(wide)]).toEqual([400, [["body"]]])
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"]
    ] as const) {
      const payload = `{"a":${open.repeat(100_000)}1${close.repeat(100_000)}}`
      const deep = await owner.call(
        "POST",
        "/v1/config-objects",
        `{"input":{"type":"custom","normalizedPayloadJson":${payload}}}`
      )
      expect([deep.status, detailsOf(deep)]).toEqual([400, [["body"]]])
    }
    for (const text of ["\\u0000", "\\ud800", "\\udc00\\ud800"]) {
      for (const payload of [`{"a":"${text}"}`, `{"${text}":1}`, `{"a":[{"b":"${text}"}]}`]) {
        for (const member of ["normalizedPayloadJson", "metadata"]) {
          const response = await owner.call(
            "POST",
            "/v1/config-objects",
            `{"input":{"type":"skill","rawSourceText":"x","${member}":${payload}}}`
          )
          expect([payload, response.status, detailsOf(response)]).toEqual([payload, 400, [["body", "input", member]]])
        }
      }
      const source = await owner.call(
        "POST",
        "/v1/config-objects",
        `{"input":{"type":"skill","rawSourceText":"${text}"}}`
      )
      expect(source.status).toBe(400)
    }
  })

  it("drops __proto__ from a payload and does not pollute prototypes", async () => {
    const response = await owner.call(
      "POST",
      "/v1/config-objects",
      '{"input":{"type":"custom","normalizedPayloadJson":{"kept":1,"__proto__":{"polluted":true}}}}'
    )
    expect(response.body.item.latestVersion.normalizedPayloadJson).toEqual({ kept: 1 })
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })
})

describe("query strings", () => {
  it.each(["0", "101", "-1", "1.5", "abc", "1e9", "NaN", "Infinity", "0x10", "", "%205", "5&limit=6", "1000000"])(
    "rejects a query string with limit=%s",
    async (limit) => {
      const response = await owner.call("GET", `/v1/plugins?limit=${limit}`)
      expect([response.status, detailsOf(response)]).toEqual([400, [["query", "limit"]]])
    }
  )

  it("accepts an unknown query parameter and rejects an invalid value of a known one", async () => {
    expect((await owner.call("GET", "/v1/plugins?nothing=1&limit=100")).status).toBe(200)
    for (const query of [
      "q=",
      "q=%00",
      `q=${"x".repeat(256)}`,
      "marketplaceId=x",
      "marketplaceId=plg_01h455vb4pex5vsknk084sn02q"
    ]) {
      const response = await owner.call("GET", `/v1/plugins?${query}`)
      expect([query, response.status]).toEqual([query, 400])
    }
    for (const query of ["type=song", "archived=1", "archived=TRUE", "pluginId=", "connectorInstanceId=%00"]) {
      expect([query, (await owner.call("GET", `/v1/config-objects?${query}`)).status]).toEqual([query, 400])
    }
  })

  it("searches for wildcards and operators literally", async () => {
    const searcher = await makeWorkspace(plane, "Search")
    const names = ["100%", "100", "a_b", "aXb", "back\\slash", "'; DROP TABLE plugins; --", '"quoted"', "ÄÖ", "日本"]
    for (const name of names) await searcher.client.plugins.create({ name })
    for (const [q, names] of [
      ["%", ["100%"]],
      ["_", ["a_b"]],
      ["\\", ["back\\slash"]],
      ["'; DROP", ["'; DROP TABLE plugins; --"]],
      ['"', ['"quoted"']],
      ["äö", ["ÄÖ"]],
      ["本", ["日本"]],
      ["% OR 1=1", []]
    ] as const) {
      const response = await searcher.call("GET", `/v1/plugins?q=${encodeURIComponent(q)}`)
      expect([q, response.body.items.map(({ name }: { name: string }) => name)]).toEqual([q, names])
    }
  })

  it("returns 200 or 400 for a query string with invalid percent-encoding", async () => {
    for (const query of ["q=%", "q=%E0%A4%A", "q=%ED%A0%80", "%=1", "&&&", "=", "q=a%2"]) {
      expect([200, 400]).toContain((await owner.call("GET", `/v1/plugins?${query}`)).status)
    }
  })
})

describe("request paths", () => {
  it("returns 400 for a path with invalid percent-encoding, with or without a credential", async () => {
    for (const path of ["/v1/plugins/%", "/v1/plugins/%E0%A4%A", "/v1/plugins/%ff", "/%c0%af"]) {
      for (const ask of [owner.call, call(plane, undefined, anAddress())]) {
        const response = await ask("GET", path)
        expect([path, response.status, response.body.error]).toEqual([path, 400, "invalid_request"])
      }
    }
  })

  it("returns 400 for a path with an invalid ID in any encoding", async () => {
    const good = (await owner.client.plugins.create({ name: "Good" })).id
    for (const id of [
      "x",
      good.toUpperCase(),
      `${good}0`,
      good.slice(0, -1),
      `${good}%00`,
      `${good}%0a`,
      `%20${good}`,
      "..%2f..",
      "%2e%2e%2fplugins",
      good.replace("plg_", "mkt_"),
      `plg_8${"0".repeat(25)}`,
      "plg_" + "i".repeat(26),
      "x".repeat(5000)
    ]) {
      const response = await owner.call("GET", `/v1/plugins/${id}`)
      expect([id, response.status]).toEqual([id, 400])
      expect(detailsOf(response)).toEqual([["path", "pluginId"]])
    }
    expect((await owner.call("GET", `/v1/plugins/${good.replace("plg_", "plg%5F")}`)).status).toBe(200)
  })

  it("returns 404 for an unknown route and for an unsupported method", async () => {
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/v1"],
      ["GET", "/v1/nothing"],
      ["GET", "/v2/organization"],
      ["POST", "/v1/organization"],
      ["PUT", "/v1/plugins"],
      ["DELETE", "/v1/plugins"],
      ["OPTIONS", "/v1/plugins"],
      ["GET", "/v1/metrics"],
      ["GET", "/v1/PLUGINS"],
      ["GET", "/.env"]
    ] as const) {
      const response = await owner.call(method, path)
      expect([method, path, response.status, response.body.error]).toEqual([method, path, 404, "route_not_found"])
      expect(response.headers.get("x-request-id")).toMatch(/^req_/)
    }
  })

  it("accepts a path with a trailing slash", async () => {
    const plain = await owner.call("GET", "/v1/organization")
    expect((await owner.call("GET", "/v1/organization/")).text).toBe(plain.text)
    expect((await owner.call("GET", "/v1/organization/?x=1")).text).toBe(plain.text)
    expect((await call(plane)("GET", "/health/")).body).toEqual({ status: "ok" })
  })

  it("responds to HEAD like to GET, without the body", async () => {
    const plain = await owner.call("GET", "/v1/organization")
    const head = await owner.call("HEAD", "/v1/organization")
    expect([head.status, head.text]).toEqual([200, ""])
    for (const name of ["content-type", "content-length", "etag"]) {
      expect([name, head.headers.get(name)]).toEqual([name, plain.headers.get(name)])
    }
    expect((await call(plane, undefined, anAddress())("HEAD", "/v1/organization")).status).toBe(401)
    expect((await owner.call("HEAD", "/v1/nothing")).status).toBe(404)
    const cached = await owner.call("HEAD", "/v1/organization", undefined, {
      "if-none-match": plain.headers.get("etag") ?? ""
    })
    expect(cached.status).toBe(304)
  })

  it("serves health, readiness, the OpenAPI document and the API reference at short paths too", async () => {
    for (const path of ["/health", "/ready", "/openapi.json", "/docs"]) {
      const [short, long] = await Promise.all([call(plane)("GET", path), call(plane)("GET", `/v1${path}`)])
      expect([path, short.status, short.text]).toEqual([path, 200, long.text])
    }
  })

  it("loads nothing from other origins in the HTML page of the API reference", async () => {
    const { headers, text } = await call(plane)("GET", "/docs")
    expect(headers.get("content-type")).toMatch(/^text\/html/)
    expect(text).not.toMatch(/(?:src|href)\s*=\s*["'](?:https?:)?\/\//)
    expect(text).not.toMatch(/@import|url\(\s*["']?https?:/)
  })
})

describe("request headers", () => {
  it("returns 421 for an unknown host, for every route and credential", async () => {
    for (const host of [
      "evil.example",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
      "evil.example:80",
      "0.0.0.0",
      "10.0.0.1",
      "127.999.999.999",
      "127.0.0.256:80",
      "[::2]"
    ]) {
      for (const [ask, path] of [
        [owner.call, "/v1/organization"],
        [call(plane), "/v1/health"],
        [call(plane), "/nothing"]
      ] as const) {
        const response = await ask("GET", path, undefined, { host })
        expect([host, response.status, response.body.error]).toEqual([host, 421, "misdirected_request"])
      }
    }
    for (const host of [
      "localhost",
      "localhost:1234",
      "127.0.0.1",
      "127.9.9.9:80",
      "[::1]",
      "[::1]:3000",
      "LOCALHOST"
    ]) {
      expect([host, (await call(plane)("GET", "/v1/health", undefined, { host })).status]).toEqual([host, 200])
    }
  })

  it("keeps a valid request ID and replaces an invalid one", async () => {
    const named = async (id: string) =>
      (await call(plane)("GET", "/v1/health", undefined, { "x-request-id": id })).headers.get("x-request-id")
    for (const id of ["12345678", "trace-0af7651916cd43dd8448eb211c80319c", "a.b:c/d+e=f", "x".repeat(128)]) {
      expect(await named(id)).toBe(id)
    }
    for (const id of [
      "short",
      "x".repeat(129),
      "has space here",
      'quote"quote',
      "<script>alert</script>",
      "ünïcödé-x"
    ]) {
      expect(await named(id)).toMatch(/^req_[0-9a-z]{26}$/)
    }
    const [first, second] = await Promise.all([call(plane)("GET", "/v1/health"), call(plane)("GET", "/v1/health")])
    expect(first.headers.get("x-request-id")).not.toBe(second.headers.get("x-request-id"))
  })

  it("returns 401 without an error for a missing credential, with one for an invalid one, and with a hint for a misplaced one", async () => {
    const ask = (headers: Record<string, string>) =>
      call(plane, undefined, anAddress())("GET", "/v1/organization", undefined, headers)
    const invalid = 'Bearer error="invalid_token"'
    const form =
      'Bearer error="invalid_token", error_description="The authorization header must be Bearer, a space and the token."'
    for (const [headers, challenge] of [
      [{}, "Bearer"],
      [{ authorization: "" }, "Bearer"],
      [{ authorization: "Bearer" }, "Bearer"],
      [{ authorization: "Bearer  " }, "Bearer"],
      [{ "x-api-key": "" }, "Bearer"],
      [{ cookie: `session=${owner.token}; authorization=Bearer ${owner.token}` }, "Bearer"],
      [{ authorization: owner.token }, form],
      [{ authorization: "Basic b3duZXI6c2VjcmV0" }, form],
      [{ authorization: `Token ${owner.token}` }, form],
      [{ authorization: "Bearer nonsense" }, invalid],
      [{ authorization: `Bearer ${owner.token}x` }, invalid],
      [{ authorization: `Bearer ${owner.token.slice(0, -1)}` }, invalid],
      [{ authorization: `Bearer ${owner.token}, Bearer ${owner.token}` }, invalid],
      [{ "x-api-key": "opk_unknown" }, invalid]
    ] as ReadonlyArray<readonly [Record<string, string>, string]>) {
      const response = await ask(headers)
      expect([headers, response.status, response.text]).toEqual([headers, 401, '{"error":"unauthorized"}'])
      expect([headers, response.headers.get("www-authenticate")]).toEqual([headers, challenge])
    }
    const misplaced = await ask({ authorization: "Bearer opk_0000000000000000000000000000000000000000000000000" })
    expect(misplaced.headers.get("www-authenticate")).toContain("Send API keys in the x-api-key header")
    const other = await ask({ "x-api-key": owner.token })
    expect([other.status, other.text]).toEqual([401, misplaced.text])
    expect(other.headers.get("www-authenticate")).toContain("Send session tokens in the authorization header")
    expect((await ask({ authorization: `bearer ${owner.token}` })).status).toBe(200)
  })

  it("lets the client distinguish a missing credential from one that is not valid", async () => {
    const reason = async (options: object) => {
      const complete = { baseUrl: "http://localhost", fetch: plane.fetch, retries: 0, ...options }
      const error: unknown = await createClient(complete)
        .plugins.list()
        .then(undefined, (thrown: unknown) => thrown)
      return error instanceof UnauthorizedError ? [error.credential, error.message] : error
    }
    expect(await reason({})).toEqual(["missing", "No credential was sent."])
    for (const options of [{ token: "bogus" }, { token: `${owner.token}x` }, { apiKey: `opk_${"0".repeat(49)}` }])
      expect(await reason(options)).toEqual(["invalid", "The credential is not valid."])
    expect(await reason({ apiKey: owner.token })).toEqual([
      "invalid",
      "The credential is not valid. Send session tokens in the authorization header."
    ])
  })

  it("selects the organization by header and treats another organization as missing", async () => {
    const named = (organization: string) =>
      owner.call("GET", "/v1/organization", undefined, { "x-organization-id": organization })
    expect((await named(owner.organizationId)).body.organization.id).toBe(owner.organizationId)
    const missing = await named("org_01h455vb4pex5vsknk084sn02q")
    expect([missing.status, missing.text]).toEqual([404, '{"error":"organization_not_found"}'])
    for (const organization of [
      stranger.organizationId,
      "",
      "x",
      owner.membershipId,
      owner.organizationId.toUpperCase()
    ]) {
      const response = await named(organization)
      expect([organization, response.status, response.text]).toEqual([organization, 404, missing.text])
    }
    for (const [method, path, body] of [
      ["POST", "/v1/plugins", { name: "a" }],
      ["PATCH", "/v1/connector-instances/cin_01h455vb4pex5vsknk084sn02q", { name: "a" }],
      ["DELETE", "/v1/plugins/plg_01h455vb4pex5vsknk084sn02q/access/pag_01h455vb4pex5vsknk084sn02q", undefined]
    ] as const) {
      const response = await owner.call(method, path, body, { "x-organization-id": stranger.organizationId })
      expect([method, response.status, response.body.error]).toEqual([method, 404, "organization_not_found"])
    }
  })

  it("sets Cache-Control: no-store only on responses that contain secrets", async () => {
    const response = await call(plane, undefined, anAddress())("POST", "/v1/bootstrap/workspace", {
      workspaceName: "Acme"
    })
    expect([response.status, response.headers.get("cache-control")]).toEqual([201, "no-store"])
    expect((await owner.call("GET", "/v1/organization")).headers.get("cache-control")).toBeNull()
    expect(response.headers.get("set-cookie")).toBeNull()
  })

  it("returns 304 while an ETag matches and the full response otherwise", async () => {
    const object = await owner.client.configObjects.create({ input: { type: "context", rawSourceText: "# One" } })
    const path = `/v1/config-objects/${object.id}`
    const etag = (await owner.call("GET", path)).headers.get("etag") ?? ""
    expect(etag).toMatch(/^"\d+"$/)
    for (const header of [etag, `W/${etag}`, `"0", ${etag}`, "*"]) {
      const response = await owner.call("GET", path, undefined, { "if-none-match": header })
      expect([header, response.status, response.text, response.headers.get("etag")]).toEqual([header, 304, "", etag])
    }
    for (const header of ['"0"', "nonsense", etag.replaceAll('"', "")]) {
      expect([header, (await owner.call("GET", path, undefined, { "if-none-match": header })).status]).toEqual([
        header,
        200
      ])
    }
    const member = await addMember(plane, owner, "member")
    expect((await member.call("GET", path, undefined, { "if-none-match": "*" })).status).toBe(404)
  })

  it("accepts only one of several concurrent writes with the same If-Match version", async () => {
    const { connectorInstanceId } = await makeConnector(plane, owner, "Two writers")
    const path = `/v1/connector-instances/${connectorInstanceId}`
    const etag = (await owner.call("GET", path)).headers.get("etag") ?? ""
    const write = (name: string, headers: Record<string, string>) => owner.call("PATCH", path, { name }, headers)
    const responses = await Promise.all(
      ["a", "b", "c"].map((name) => write(`Two writers ${name}`, { "if-match": etag }))
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412])
    const winner = responses.find(({ status }) => status === 200)
    expect(responses.find(({ status }) => status === 412)?.body.error).toBe("precondition_failed")
    const now = await owner.call("GET", path)
    expect(now.body.item.name).toBe(winner?.body.item.name)
    expect(now.headers.get("etag")).toBe(winner?.headers.get("etag"))
    expect(now.headers.get("etag")).not.toBe(etag)
    expect((await write("Two writers d", { "if-match": "nonsense" })).status).toBe(412)
    expect((await write("Two writers e", { "if-match": "*" })).status).toBe(200)
    expect((await write("Two writers f", {})).status).toBe(200)
  })
})
