import type { IncomingHttpHeaders, RequestListener, ServerResponse } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { everythingServer, sessionServer, statelessServer } from "../../src/infra/adapters/mcp/fixtures/counterparts.ts"
import { knownServers } from "../../src/agents/mcp-connections/preset-list.ts"
import { LocalInternet } from "../../src/infra/outbound/fixtures/local-internet.ts"
import { addMember, makeControlPlane, makeKey, makeWorkspace, rowCounts, type Workspace } from "../harness.ts"
import {
  guarded,
  layerRenamed,
  metadataOf,
  resolve,
  resolved,
  sendJson,
  site,
  type Site
} from "./mcp-resolve.fixture.ts"

const blocked = "The address is not allowed. It must be a public https address that resolves."
const noneAnswered = "No MCP server responded at the addresses that were tried."

/** Allows requests to this machine over plain http. */
const open = await makeControlPlane({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })
/** The configuration of an operator who allows no private addresses. */
const shut = await makeControlPlane()
const net = new LocalInternet()
const names = new Map<string, string>()
/** Uses its own DNS. */
const online = await makeControlPlane({ ports: { outbound: layerRenamed(names, net.options) } })

const sites: Array<{ readonly close: () => Promise<void> }> = []
const closeLater = async <S extends { readonly close: () => Promise<void> }>(opening: Promise<S>): Promise<S> => {
  const one = await opening
  sites.push(one)
  return one
}
afterAll(() => Promise.all([net.close(), ...sites.map((one) => one.close())]))

/** Each test uses its own organization, because requests are limited per organization. */
let owner: Workspace
beforeAll(async () => {
  owner = await makeWorkspace(open)
})

describe("POST /v1/mcp-connections/resolve", () => {
  it.each([
    ["a server without sessions", statelessServer, "2026-07-28", ["echo", "mirror", "fail"]],
    ["a server of sessions", sessionServer, "2025-11-25", ["echo", "ask", "ping"]]
  ] as const)("finds %s with its tools from its URL", async (_, begin, protocolVersion, tools) => {
    const server = await closeLater(begin())
    const { match, ...rest } = await resolved(owner, server.url)
    expect(rest.resolution).toBe("discovered")
    expect(rest.reason).toBe(null)
    expect(rest.attempted[0]).toBe(`${server.url}: supports MCP ${protocolVersion}`)
    expect(match?.discovery).toMatchObject({
      server: { url: server.url, protocolVersion },
      authentication: null,
      tools: { count: tools.length },
      manualRequirements: [],
      warnings: [{ code: "plain_http" }]
    })
    expect(match?.discovery.tools?.items.map(({ name }) => name)).toEqual(tools)
    expect(match?.suggestedName).toBe("127.0.0.1")
  })

  it("finds the reference server from its origin", async () => {
    const server = await closeLater(everythingServer())
    const { attempted, match, resolution } = await resolved(owner, new URL(server.url).origin)
    expect([resolution, match?.url]).toEqual(["discovered", server.url])
    expect(attempted.length).toBeLessThanOrEqual(5)
    expect(match?.discovery.tools?.count).toBeGreaterThan(3)
  })

  it("chooses by the order of the candidates, not by response time", async () => {
    const server = await closeLater(statelessServer())
    const slow = await closeLater(
      site(() => (request, response) => {
        // The typed URL responds last and is still chosen.
        const send = () =>
          fetch(server.url, { method: "POST", headers: forwarded(request.headers), body: chunks.join("") }).then(
            async (answered) =>
              response
                .writeHead(answered.status, { "content-type": answered.headers.get("content-type") ?? "" })
                .end(await answered.text())
          )
        const chunks: Array<string> = []
        request.on("data", (chunk) => chunks.push(String(chunk)))
        request.on("end", () => {
          if (request.method !== "POST") return response.writeHead(405).end()
          if (request.url === "/tools") setTimeout(() => void send(), 300)
          else void send()
          return response
        })
      })
    )
    const { attempted, match } = await resolved(owner, `${slow.origin}/tools`)
    expect(match?.url).toBe(`${slow.origin}/tools`)
    expect(attempted.filter((line) => line.includes("supports MCP")).length).toBeGreaterThan(1)
  })

  it("follows a redirect, reports it, and sends no secrets", async () => {
    const server = await closeLater(statelessServer())
    const first = await closeLater(site(() => (_, response) => response.writeHead(302, { location: server.url }).end()))
    const { attempted, attempts, match } = await resolved(owner, `${first.origin}/old?key=canary`)
    expect(match).toMatchObject({ url: server.url })
    expect(match?.discovery.warnings.map(({ code }) => code)).toEqual(["plain_http", "redirected"])
    expect(attempted[0]).toBe(`${first.origin}/old?… redirects to ${server.url}: supports MCP 2026-07-28`)
    expect(attempts[0]).toEqual({
      url: `${first.origin}/old?…`,
      redirectedTo: server.url,
      result: "supports MCP 2026-07-28"
    })
    expect(first.heads.flatMap((head) => [head.authorization, head.cookie, head["x-api-key"]]).filter(Boolean)).toEqual(
      []
    )
  })

  it("reports the 2024-11-05 transport as not supported", async () => {
    const old = await closeLater(
      site(() => (request, response) => {
        if (request.method !== "GET" || request.url !== "/sse") return response.writeHead(404).end()
        return response
          .writeHead(200, { "content-type": "text/event-stream" })
          .write("event: endpoint\ndata: /m?id=1\n\n")
      })
    )
    const { attempted, match, resolution } = await resolved(owner, `${old.origin}/sse`)
    expect([resolution, match?.url, match?.discovery.server.protocolVersion]).toEqual([
      "discovered",
      `${old.origin}/sse`,
      null
    ])
    expect(match?.discovery.warnings.map(({ code }) => code)).toContain("legacy_sse_only")
    expect(attempted[0]).toBe(`${old.origin}/sse: supports only the 2024-11-05 transport`)
  })

  it.each([
    [
      "a page in HTML",
      () => (_request: unknown, response: ServerResponse) =>
        response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Hello</title>")
    ],
    ["an empty answer", () => (_request: unknown, response: ServerResponse) => response.writeHead(204).end()],
    ["an error", () => (_request: unknown, response: ServerResponse) => response.writeHead(500).end("canary")],
    [
      "a 401 that says nothing, where nobody typed it",
      () => (request: { url?: string }, response: ServerResponse) =>
        response.writeHead(request.url === "/" ? 404 : 401).end()
    ],
    ["an endless answer", () => (_request: unknown, response: ServerResponse) => pour(response)]
  ] as const)("finds no server in %s", async (_, listenerFor) => {
    const page = await closeLater(site(listenerFor as () => RequestListener))
    const resolution = await resolved(owner, `${page.origin}/`)
    expect(resolution).toMatchObject({ resolution: "not_found", reason: noneAnswered })
    expect(resolution).not.toHaveProperty("match")
    expect(resolution.attempted[0]).toMatch(new RegExp(`^${page.origin}/: `, "u"))
    expect(JSON.stringify(resolution)).not.toContain("canary")
    expect(resolution.attempted.length).toBeLessThanOrEqual(5)
  })
})

const pour = (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/json" })
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, 32)));
  }
  response.on("drain", more)
  more()
}
const forwarded = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (header): header is [string, string] =>
        typeof header[1] === "string" && /^(mcp-|accept$|content-type)/u.test(header[0])
    )
  )

const resource = (origin: string, servers: ReadonlyArray<string> = [origin], more: object = {}) => ({
  resource: `${origin}/mcp`,
  authorization_servers: servers,
  scopes_supported: ["read", "write", "admin"],
  ...more
})
const inserted = "/.well-known/oauth-protected-resource/mcp"
const rooted = "/.well-known/oauth-protected-resource"
const server = "/.well-known/oauth-authorization-server"
const oidc = "/.well-known/openid-configuration"

describe("a server that requires OAuth", () => {
  it.each([
    [
      "that its challenge names",
      "/where/it/is",
      "",
      "",
      (origin: string) => `Bearer resource_metadata="${origin}/where/it/is", scope="read"`
    ],
    ["below the path of the server", inserted, "", server, undefined],
    ["at the root", rooted, "", server, undefined],
    ["with an issuer's path inserted", inserted, "/tenant", `${server}/tenant`, undefined],
    ["of OpenID Connect with the path inserted", inserted, "/tenant", `${oidc}/tenant`, undefined],
    ["of OpenID Connect with the path before it", inserted, "/tenant", `/tenant${oidc}`, undefined],
    ["of its own origin, as it was before", null, "", server, undefined]
  ] as const)("is described by metadata %s", async (_, documentPath, tenant, serverPath, challenge) => {
    const guard = await closeLater(
      site(
        guarded(
          (origin) => ({
            ...(documentPath === null ? {} : { [documentPath]: resource(origin, [`${origin}${tenant}`]) }),
            [serverPath === "" ? server : serverPath]: metadataOf(`${origin}${tenant}`)
          }),
          challenge
        )
      )
    )
    const workspace = await makeWorkspace(open)
    const { attempted, match, resolution } = await resolved(workspace, `${guard.origin}/mcp`)
    const issuer = `${guard.origin}${tenant}`
    expect(resolution).toBe("discovered")
    expect(attempted[0]).toBe(
      `${guard.origin}/mcp: 401, requires ${challenge === undefined ? "a credential" : "OAuth"}`
    )
    expect(match?.discovery).toMatchObject({
      server: { url: `${guard.origin}/mcp`, protocolVersion: null },
      tools: null,
      authentication: {
        authorizationServers: [
          {
            issuer,
            authorizationEndpoint: `${issuer}/authorize`,
            tokenEndpoint: `${issuer}/token`,
            registrationEndpoint: `${issuer}/register`,
            clientIdMetadataDocumentSupported: false,
            scopesSupported: ["read", "write"],
            codeChallengeMethodsSupported: ["S256"]
          }
        ],
        requiredScopes: challenge === undefined ? [] : ["read"],
        recommendedScopes: documentPath === null ? [] : ["read", "write", "admin"],
        availableRegistrationMethods: ["pre_registered", "dynamic"],
        resource: documentPath === null ? null : `${guard.origin}/mcp`,
        protectedResourceMetadataUrl: documentPath === null ? null : `${guard.origin}${documentPath}`
      },
      manualRequirements: []
    })
    // No side effects: no client is registered, and only protocol handshake messages are posted.
    expect(guard.seen.filter((line) => !/^GET |^POST \/(mcp|sse|)$/u.test(line))).toEqual([])
  })

  it.each([
    ["names another issuer", (origin: string) => ({ [server]: metadataOf(`${origin}/other`) }), "issuer_mismatch"],
    [
      "does not know S256",
      (origin: string) => ({ [server]: metadataOf(origin, { code_challenge_methods_supported: ["plain"] }) }),
      "pkce_not_supported"
    ],
    ["names no endpoints", (origin: string) => ({ [server]: { issuer: origin } }), "metadata_invalid"],
    [
      "has its metadata in HTML",
      () => ({
        [server]: (response: ServerResponse) => response.writeHead(200, { "content-type": "text/html" }).end("<p>")
      }),
      "metadata_invalid"
    ],
    ["has metadata without an end", () => ({ [server]: pour }), "unreachable"],
    ["has no metadata", () => ({}), "metadata_missing"]
  ] as const)("is found with a warning although its authorization server %s", async (_, documents, code) => {
    const guard = await closeLater(
      site(
        guarded(
          (origin) => ({ [inserted]: resource(origin), ...documents(origin) }),
          () => "Bearer"
        )
      )
    )
    const workspace = await makeWorkspace(open)
    const { match } = await resolved(workspace, `${guard.origin}/mcp`)
    expect(match?.url).toBe(`${guard.origin}/mcp`)
    expect(match?.discovery.authentication).toMatchObject({
      authorizationServers: [],
      availableRegistrationMethods: []
    })
    const codes = match?.discovery.warnings.map((warning) => warning.code) ?? []
    if (code === "unreachable") expect(codes.some((one) => one === code || one === "metadata_invalid")).toBe(true)
    else expect(codes).toContain(code)
    expect(match?.discovery.manualRequirements.map((requirement) => requirement.code)).toEqual(["credential"])
  })

  it("is reported as requiring manual client registration when it registers no clients", async () => {
    const guard = await closeLater(
      site(
        guarded((origin) => ({
          [inserted]: resource(origin),
          [server]: metadataOf(origin, {
            registration_endpoint: undefined,
            client_id_metadata_document_supported: true
          })
        }))
      )
    )
    const { match } = await resolved(await makeWorkspace(open), `${guard.origin}/mcp`)
    expect(match?.discovery.authentication?.availableRegistrationMethods).toEqual(["pre_registered"])
    expect(match?.discovery.manualRequirements.map(({ code, required }) => [code, required])).toEqual([
      ["oauth_client", true],
      ["public_url", false]
    ])
  })

  it("is found by a plain 401 when its URL was typed, and requires a credential", async () => {
    const guard = await closeLater(site(guarded(() => ({}))))
    const { match } = await resolved(await makeWorkspace(open), `${guard.origin}/mcp`)
    expect(match?.discovery.authentication).toMatchObject({ authorizationServers: [], resource: null })
    expect(match?.discovery.manualRequirements.map(({ code }) => code)).toEqual(["credential"])
  })
})

describe("an address that is not allowed", () => {
  const queries = [
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "https://127.0.0.1/mcp",
    "http://127.0.0.1:8787/",
    "https://%31%32%37.0.0.1/mcp",
    "https://①②⑦.⓪.⓪.①/mcp",
    "localhost",
    "LOCALHOST:8443/mcp",
    "localhost.",
    "https://localhost/mcp?key=canary",
    "::1",
    "[::1]",
    "https://[::ffff:127.0.0.1]/mcp",
    "10.0.0.7:8443",
    "192.168.0.1/mcp",
    "169.254.169.254/latest/meta-data",
    "https://[fd00::1]/mcp",
    "https://user:canary@1.1.1.1/mcp",
    "user@10.0.0.7"
  ]

  it("has the same response in every notation", async () => {
    const responses = new Set<string>()
    const workspace = await makeWorkspace(shut)
    for (const query of queries) responses.add(JSON.stringify([(await resolve(workspace, query)).text]))
    const text = JSON.stringify({ resolution: "not_found", attempted: [blocked], attempts: [], reason: blocked })
    expect([...responses].map((result) => JSON.parse(JSON.parse(result)[0]))).toEqual([JSON.parse(text)])
  })

  it("is not reached through a host name, a redirect or a document either", async () => {
    const workspace = await makeWorkspace(online)
    net.names.set("one.example", ["10.0.0.7"])
    expect(await resolved(workspace, "https://one.example/mcp")).toEqual({
      resolution: "not_found",
      attempted: [blocked],
      attempts: [],
      reason: blocked
    })
    net.names.set("one.example", ["1.1.1.1"])
    net.dialled.length = 0
    await net.serve("1.1.1.1", (_, response) => response.writeHead(302, { location: "https://10.0.0.7/secret" }).end())
    const sent = await resolved(workspace, "https://one.example/mcp")
    expect(sent).toMatchObject({ resolution: "not_found", attempted: [blocked], reason: blocked })
    expect(JSON.stringify(sent)).not.toContain("10.0.0.7")
    expect(net.dialled.filter((address) => !address.startsWith("1.1.1.1:"))).toEqual([])
  })
})

describe("a query that is not an address", () => {
  it("resolves to nothing and sends no request", async () => {
    const workspace = await makeWorkspace(online)
    net.lookups.length = 0
    for (const query of ["what is the server of our ticket system", "   ", "!!!", "ftp://one.example/", "https://"]) {
      const result = await resolved(workspace, query)
      expect([query, result]).toMatchObject([query, { resolution: "not_found", attempted: [] }])
      expect(result.reason?.length).toBeGreaterThan(10)
    }
    expect(net.lookups).toEqual([])
  })

  it.each([
    ["nothing", ""],
    ["201 characters", "x".repeat(201)],
    ["no text", 7],
    ["nothing at all", undefined]
  ])("is rejected when it is %s", async (_, query) => {
    const refused = await resolve(owner, query)
    expect([refused.status, refused.body.error, refused.body.details[0].path]).toEqual([
      400,
      "invalid_request",
      ["body", "query"]
    ])
  })

  it("is accepted up to 200 characters", async () => {
    expect((await resolved(owner, "x".repeat(200))).resolution).toBe("not_found")
  })
})

describe("hosts and names", () => {
  it("find a server on a related host", async () => {
    const upstream = await closeLater(statelessServer())
    names.set("mcp.acme.example", "two.example")
    net.names.set("two.example", ["1.0.0.1"])
    await net.serve("1.0.0.1", (request, response) => {
      if (request.url !== "/mcp" || request.method !== "POST") return response.writeHead(404).end()
      // The fixture read the body, so the first request of a search is known.
      return void fetch(upstream.url, {
        method: "POST",
        headers: forwarded(request.headers),
        body: JSON.stringify(messageFor(request.headers["mcp-method"]))
      }).then(async (answered) =>
        response
          .writeHead(answered.status, { "content-type": answered.headers.get("content-type") ?? "" })
          .end(await answered.text())
      )
    })
    const { attempted, attempts, match, resolution } = await resolved(await makeWorkspace(online), "Acme.Example")
    expect([resolution, match?.url, match?.suggestedName]).toEqual([
      "discovered",
      "https://mcp.acme.example/mcp",
      "Acme"
    ])
    expect(match?.discovery.tools?.count).toBe(3)
    expect(attempted).toEqual([
      "https://acme.example/mcp: not allowed or does not resolve",
      "https://acme.example/: not allowed or does not resolve",
      "https://mcp.acme.example/mcp: supports MCP 2026-07-28",
      "https://mcp.acme.example/: 404, The server has no MCP endpoint at this URL",
      "https://acme.example/sse: not allowed or does not resolve"
    ])
    expect(attempts.map(({ redirectedTo, result, url }) => [url, redirectedTo, result]).slice(0, 3)).toEqual([
      ["https://acme.example/mcp", null, "not allowed or does not resolve"],
      ["https://acme.example/", null, "not allowed or does not resolve"],
      ["https://mcp.acme.example/mcp", null, "supports MCP 2026-07-28"]
    ])
    expect(attempts).toHaveLength(attempted.length)
  })

  it("resolve a well-known product through its preset, and probe it", async () => {
    const workspace = await makeWorkspace(online)
    const linear = knownServers.find(({ presetId }) => presetId === "linear")
    names.delete("mcp.linear.app")
    const preset = {
      presetId: "linear",
      displayName: "Linear",
      description: linear?.description,
      url: linear?.url,
      requiresOAuthClient: false
    }
    const away = await resolved(workspace, "  LÍNEAR ")
    expect(away).toEqual({
      resolution: "preset",
      preset,
      attempted: ["https://mcp.linear.app/mcp: not allowed or does not resolve"],
      attempts: [{ url: "https://mcp.linear.app/mcp", redirectedTo: null, result: "not allowed or does not resolve" }],
      reason: noneAnswered
    })
    names.set("mcp.linear.app", "two.example")
    net.names.set("two.example", ["1.0.0.2"])
    await net.serve("1.0.0.2", (request, response) =>
      request.method === "POST" ? response.writeHead(401).end() : sendJson(response, {}, 404)
    )
    const result = await resolved(workspace, "https://linear.app/acme/issue/ACM-1")
    expect(result).toMatchObject({
      resolution: "preset",
      preset,
      reason: null,
      match: { url: "https://mcp.linear.app/mcp", suggestedName: "Linear" }
    })
  })

  it("give up after five unreachable candidates, with at most five sockets", async () => {
    const workspace = await makeWorkspace(online)
    let held = 0
    let most = 0
    for (const ending of ["com", "app", "dev", "io"]) {
      names.set(`mcp.silent.${ending}`, ending === "com" ? "one.example" : `${ending}.silent.example`)
    }
    for (const name of ["one.example", "app.silent.example", "dev.silent.example", "io.silent.example"]) {
      net.names.set(name, ["1.2.3.4"])
    }
    await net.serveSocket("1.2.3.4", (socket) => {
      held += 1
      most = Math.max(most, held)
      socket.once("close", () => (held -= 1))
    })
    net.dialled.length = 0
    const result = await resolved(workspace, "Silent")
    expect(result).toMatchObject({ resolution: "not_found", reason: noneAnswered })
    expect(result.attempted.map((line) => line.split(": ")[0])).toEqual([
      "https://mcp.silent.com/mcp",
      "https://mcp.silent.com/",
      "https://mcp.silent.app/mcp",
      "https://mcp.silent.dev/mcp",
      "https://mcp.silent.io/mcp"
    ])
    expect(most).toBe(5)
    expect(net.dialled.length).toBe(5)
  })
})

const messageFor = (method: unknown) => ({
  jsonrpc: "2.0",
  id: method === "server/discover" ? 1 : 2,
  method,
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  }
})

describe("a resolve request", () => {
  it("writes nothing, even when it is rejected", async () => {
    const workspace = await makeWorkspace(open)
    const member = await addMember(open, workspace, "member")
    const guard: Site = await closeLater(
      site(
        guarded(
          (origin) => ({ [inserted]: resource(origin), [server]: metadataOf(origin) }),
          () => "Bearer"
        )
      )
    )
    const before = await rowCounts(open)
    await resolved(workspace, `${guard.origin}/mcp`)
    await resolved(workspace, "10.0.0.7")
    await resolved(workspace, "a sentence that means nothing here")
    expect((await resolve(workspace, "")).status).toBe(400)
    expect((await resolve(member, `${guard.origin}/mcp`)).status).toBe(403)
    expect(await rowCounts(open)).toEqual(before)
  })

  it("requires the permission, which an API key can have", async () => {
    const workspace = await makeWorkspace(open)
    const member = await addMember(open, workspace, "member")
    const refused = await resolve(member, "10.0.0.7")
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    const may = await makeKey(open, workspace, ["mcp:resolve"])
    const mayNot = await makeKey(open, workspace, ["mcpConnections:read"])
    expect((await resolve(may, "10.0.0.7")).status).toBe(200)
    expect((await resolve(mayNot, "10.0.0.7")).status).toBe(403)
  })

  it("waits for other requests of the organization, and finds as much in a crowd", async () => {
    const crowd = await makeWorkspace(open)
    const server = await closeLater(statelessServer())
    // Every search probes all candidates of an origin; 25 searches exceed the organization's concurrency limit.
    const [first, ...others] = await Promise.all(
      Array.from({ length: 25 }, () => resolved(crowd, new URL(server.url).origin))
    )
    expect(first?.resolution).toBe("discovered")
    for (const other of others) expect(other).toEqual(first)
  })

  it("is limited to 30 per minute and organization, independent of other organizations", async () => {
    const workspace = await makeWorkspace(open)
    const admin = await addMember(open, workspace, "admin")
    const statuses: Array<number> = []
    for (let count = 0; count < 30; count++) {
      statuses.push((await resolve(count % 2 === 0 ? workspace : admin, "a sentence that means nothing here")).status)
    }
    expect(new Set(statuses)).toEqual(new Set([200]))
    const refused = await resolve(admin, "10.0.0.7")
    expect([refused.status, refused.body.error]).toEqual([429, "rate_limited"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await resolve(await makeWorkspace(open), "10.0.0.7")).status).toBe(200)
  })
})

describe("GET /v1/mcp-connections/presets", () => {
  it("lists presets by name in pages, each once, with the date of their check", async () => {
    const all: Array<{ presetId: string; displayName: string; checkedOn: string }> = []
    for await (const preset of owner.client.mcpConnections.listPresets({ limit: 7 })) all.push(preset)
    expect(all.map(({ presetId }) => presetId).toSorted()).toEqual(
      knownServers.map(({ presetId }) => presetId).toSorted()
    )
    const called = all.map(({ displayName }) => displayName.toLowerCase())
    expect(called).toEqual(called.toSorted())
    expect(all.every(({ checkedOn }) => /^\d{4}-\d{2}-\d{2}$/u.test(checkedOn))).toBe(true)
  })

  it("finds presets by part of a name, alias or host, and ties a cursor to its filter", async () => {
    const presetIdsFor = async (q: string) =>
      (await owner.call("GET", `/v1/mcp-connections/presets?q=${encodeURIComponent(q)}`)).body.items.map(
        ({ presetId }: { presetId: string }) => presetId
      )
    expect(await presetIdsFor("CLOÚDFLARE")).toContain("cloudflare-docs")
    expect(await presetIdsFor("jira")).toEqual(["atlassian"])
    expect(await presetIdsFor("linear.app")).toEqual(["linear"])
    expect(await presetIdsFor("nothing of the kind")).toEqual([])
    const page = await owner.call("GET", "/v1/mcp-connections/presets?limit=1")
    const other = await owner.call("GET", `/v1/mcp-connections/presets?q=a&cursor=${page.body.nextCursor}`)
    expect([other.status, other.body.details[0].path]).toEqual([400, ["query", "cursor"]])
  })
})
