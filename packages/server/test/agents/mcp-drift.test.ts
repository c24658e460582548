import { afterAll, describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { OAuthTokens } from "../../src/agents/oauth/index.ts"
import {
  addMember,
  call,
  engine,
  makeControlPlane,
  makeKey,
  makeWorkspace,
  runSql,
  withServices,
  type Workspace
} from "../harness.ts"
import { letIn, serveTools, tool, type ToolServer } from "./mcp.fixture.ts"

const plane = await makeControlPlane({ outbound: letIn })
const owner = await makeWorkspace(plane)
const servers: Array<ToolServer> = []
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()))
})

let connectionCount = 0
const connect = async (tools: ToolServer["tools"], person: Workspace = owner) => {
  const server = await serveTools(tools)
  servers.push(server)
  const name = `Server ${(connectionCount += 1)}`
  const { body, text } = await person.call("POST", "/v1/mcp-connections", { name, url: server.url, authType: "none" })
  if (body.mcpConnection === undefined) throw new Error(text)
  const id: string = body.mcpConnection.id
  const at = `/v1/mcp-connections/${id}`
  const listed = async (query = "", as: Workspace = person) => (await as.call("GET", `${at}/tools${query}`)).body
  return {
    server,
    id,
    at,
    listed,
    refreshed: () => listed("?refresh=true"),
    decisions: async (query = "?refresh=true") =>
      Object.fromEntries(
        (await listed(query)).items.map(({ decision, name }: { decision: string; name: string }) => [name, decision])
      ),
    get: async () => (await person.call("GET", at)).body.mcpConnection,
    review: () => person.call("GET", `${at}/review`),
    decide: (decision: string, fingerprint: string) => person.call("POST", `${at}/review`, { decision, fingerprint })
  }
}

/** Ages the listing by more than five minutes. */
const age = (id: string) =>
  runSql(
    plane,
    (sql) => sql`UPDATE mcp_tool_looks SET checked_at = now() - interval '6 minutes' WHERE connection_id = ${id}`
  )

/** A personal or shared key; entering it is tested with connecting. */
const keepKey = (id: string, membershipId: string | null, apiKey: string) =>
  withServices(
    plane,
    Effect.flatMap(OAuthTokens, (tokens) =>
      tokens.storeKey(
        {
          organizationId: owner.organizationId as `org_${string}`,
          purpose: "mcp",
          subjectId: id,
          membershipId: membershipId as `om_${string}` | null
        },
        Redacted.make(apiKey)
      )
    ).pipe(Effect.orDie)
  )

describe("the tools of a connection", () => {
  it("are accepted at the first listing, by name, and not requested again within five minutes", async () => {
    const { at, decisions, get, id, listed, server } = await connect([
      tool("b", { title: "Bee", annotations: { readOnlyHint: true } }),
      tool("a")
    ])
    expect(await get()).toMatchObject({ status: "ready", fingerprint: null, toolsCheckedAt: null })
    const first = await listed()
    expect(first).toMatchObject({
      items: [
        {
          name: "a",
          title: null,
          description: "Does a.",
          inputSchema: { type: "object" },
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
          decision: "allowed"
        },
        { name: "b", title: "Bee", readOnlyHint: true }
      ],
      nextCursor: null,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/)
    })
    expect(await listed()).toEqual(first)
    expect(server.lists).toBe(1)
    expect(await get()).toMatchObject({
      status: "ready",
      fingerprint: first.fingerprint,
      toolsCheckedAt: first.checkedAt
    })
    await age(id)
    expect(await decisions("")).toEqual({ a: "allowed", b: "allowed" })
    expect(server.lists).toBe(2)
    expect((await owner.call("GET", `${at}/review`)).body.error).toBe("mcp_review_not_found")
  })

  it("are requested once for concurrent callers", async () => {
    const { listed, server } = await connect([tool("a")])
    let open = () => {}
    server.gate = new Promise((resolve) => {
      open = resolve
    })
    const requests = Promise.all([listed(), listed(), listed("?refresh=true")])
    await expect.poll(() => server.lists, { interval: 100 }).toBe(1)
    open()
    expect((await requests).map(({ items }) => items.length)).toEqual([1, 1, 1])
    expect(server.lists).toBe(1)
  })

  it("are paged, and a cursor is valid for its connection only", async () => {
    const long = "x".repeat(250)
    const names = ["a", "b", "é", "日本", long, `${long}y`]
    const { listed } = await connect(names.map((name) => tool(name)))
    const toolNames: Array<string> = []
    let cursor = ""
    for (let page = 0; page < 10; page++) {
      const { items, nextCursor } = await listed(`?limit=2${cursor}`)
      toolNames.push(...items.map(({ name }: { name: string }) => name))
      if (nextCursor === null) break
      cursor = `&cursor=${nextCursor}`
    }
    expect(toolNames.slice(0, 4)).toEqual(["a", "b", "é", "日本"])
    expect(toolNames.toSorted()).toEqual(names.toSorted())
    const other = await connect(names.map((name) => tool(name)))
    const response = await owner.call("GET", `${other.at}/tools?limit=2${cursor}`)
    expect([response.status, response.body.details[0].path]).toEqual([400, ["query", "cursor"]])
  })

  it("return 502 with a diagnostic while the server fails, and stay accepted", async () => {
    const { at, get, listed, server } = await connect([tool("a")])
    await listed()
    const before = await get()
    server.broken = 500
    const response = await owner.call("GET", `${at}/tools?refresh=true`)
    expect([response.status, response.body]).toMatchObject([
      502,
      {
        error: "mcp_server_error",
        diagnostic: { category: "http", code: "server_error", providerStatus: 500, httpStatus: 502 }
      }
    ])
    expect(response.text).not.toContain("/mcp")
    server.broken = null
    expect(await get()).toEqual(before)
    expect((await listed()).items).toHaveLength(1)
  })
})

describe("an MCP server that changes", () => {
  it("is in review until it changes back", async () => {
    const { decisions, get, review, server } = await connect([tool("kept"), tool("changing"), tool("going")])
    await decisions()
    const { fingerprint } = await get()
    server.tools = [tool("kept"), tool("changing", { description: "Does harm." }), tool("new")]
    expect(await decisions()).toEqual({ kept: "allowed", changing: "review_required", new: "review_required" })
    expect(await get()).toMatchObject({ status: "review_required", fingerprint })
    const { body } = await review()
    expect(body.review).toMatchObject({
      acceptedFingerprint: fingerprint,
      decision: null,
      changesTruncated: false,
      changes: [
        {
          kind: "tool_changed",
          name: "changing",
          members: ["description"],
          before: { description: "Does changing." },
          after: { description: "Does harm." }
        },
        { kind: "tool_removed", name: "going", before: { name: "going" }, after: null },
        { kind: "tool_added", name: "new", before: null, after: { name: "new" } }
      ]
    })
    server.tools = [tool("going"), tool("changing"), tool("kept")]
    expect(await decisions()).toEqual({ kept: "allowed", changing: "allowed", going: "allowed" })
    expect(await get()).toMatchObject({ status: "ready", fingerprint })
    expect((await review()).status).toBe(404)
  })

  it("is accepted exactly as reviewed, or not at all", async () => {
    const { decide, decisions, get, review, server } = await connect([tool("a")])
    await decisions()
    server.tools = [tool("a"), tool("b")]
    await decisions()
    const reviewedFingerprint = (await review()).body.review.fingerprint
    server.tools = [tool("a"), tool("b", { title: "Other" })]
    await decisions()
    const stale = await decide("accept", reviewedFingerprint)
    expect([stale.status, stale.body.error]).toEqual([409, "stale_revision"])
    const now = (await review()).body.review.fingerprint
    const accepted = await decide("accept", now)
    expect([accepted.status, accepted.body.mcpConnection]).toMatchObject([200, { status: "ready", fingerprint: now }])
    expect(await decisions("")).toEqual({ a: "allowed", b: "allowed" })
    expect(await get()).toMatchObject({ status: "ready", statusReason: null })
    const again = await decide("accept", now)
    expect([again.status, again.body.error]).toEqual([404, "mcp_review_not_found"])
    server.tools = [tool("a")]
    await decisions()
    expect((await review()).body.review.changes).toMatchObject([{ kind: "tool_removed", name: "b" }])
  })

  it("stays rejected after a manager's decision, until it changes again", async () => {
    const { decide, decisions, get, review, server } = await connect([tool("a")])
    await decisions()
    server.tools = [tool("a"), tool("b")]
    await decisions()
    const { fingerprint } = (await review()).body.review
    expect((await decide("reject", fingerprint)).body.mcpConnection).toMatchObject({ status: "review_required" })
    expect(await decisions()).toEqual({ a: "allowed", b: "review_required" })
    expect((await review()).body.review).toMatchObject({ fingerprint, decision: "reject" })
    expect((await get()).statusReason).toContain("rejected")
    server.tools = [tool("a"), tool("c")]
    await decisions()
    expect((await review()).body.review.decision).toBeNull()
  })

  it("is audited once, as a system event", async () => {
    const { decide, decisions, id, review, server } = await connect([tool("a")])
    await decisions()
    server.tools = [tool("a"), tool("b")]
    await decisions()
    await decisions()
    await decide("accept", (await review()).body.review.fingerprint)
    const { items } = (await owner.call("GET", `/v1/audit-events?targetId=${id}`)).body
    const events = items.filter((event: { targetId: string }) => event.targetId === id)
    expect(
      events.map(({ action, actorKind }: { action: string; actorKind: string }) => [action, actorKind]).toReversed()
    ).toEqual([
      ["mcp_connection.create", "session"],
      ["mcp_connection.drift", "system"],
      ["mcp_connection.review", "session"]
    ])
    expect(JSON.stringify(events)).not.toContain("Does b.")
  })

  it("shows at most 500 changes", async () => {
    const { decisions, review, server } = await connect([tool("a")])
    await decisions()
    server.tools = Array.from({ length: 600 }, (_, index) => tool(`t${index}`))
    await decisions()
    const { changes, changesTruncated } = (await review()).body.review
    expect([changes.length, changesTruncated]).toEqual([500, true])
  })
})

describe("a tool policy", () => {
  it.each([
    ["all", [], ["b"], { a: "allowed", b: "denied", r: "allowed" }],
    ["read_only", ["b"], [], { a: "denied", b: "allowed", r: "allowed" }],
    ["listed", ["a", "b", "not there yet"], ["b"], { a: "allowed", b: "denied", r: "denied" }]
  ])("with %s decides about each tool", async (mode, allowed, denied, expected) => {
    const { at, decisions, server } = await connect([
      tool("a"),
      tool("b"),
      tool("r", { annotations: { readOnlyHint: true } })
    ])
    const policy = { mode, allowed, denied }
    expect((await owner.call("PUT", `${at}/tool-policy`, policy)).body).toEqual({ toolPolicy: policy })
    expect((await owner.call("GET", `${at}/tool-policy`)).body).toEqual({ toolPolicy: policy })
    expect(await decisions()).toEqual(expected)
    // A changed hint allows nothing before a review.
    server.tools = [tool("a", { annotations: { readOnlyHint: true } }), tool("b"), tool("r")]
    const after = await decisions()
    expect(Object.values(after).filter((decision) => decision === "allowed").length).toBeLessThanOrEqual(
      Object.values(expected).filter((decision) => decision === "allowed").length
    )
  })

  it("can only be set by a manager", async () => {
    const { at, id } = await connect([tool("a")])
    const member = await addMember(plane, owner, "admin")
    expect((await member.call("PUT", `${at}/tool-policy`, { mode: "all", allowed: [], denied: [] })).status).toBe(200)
    const other = await makeWorkspace(plane, "Other")
    const foreign = await other.call("GET", `/v1/mcp-connections/${id}/tool-policy`)
    expect([foreign.status, foreign.body.error]).toEqual([404, "connection_not_found"])
    const malformed = await owner.call("PUT", `${at}/tool-policy`, { mode: "some", allowed: [""], denied: "a" })
    expect(malformed.status).toBe(400)
    expect(malformed.body.details.map(({ path }: { path: Array<string> }) => path[1]).toSorted()).toEqual([
      "allowed",
      "denied",
      "mode"
    ])
  })
})

describe("personal credentials", () => {
  const both = async () => {
    const server = await serveTools((authorization) =>
      authorization === "Bearer key-of-owner" ? [tool("a"), tool("admin-only")] : [tool("a")]
    )
    servers.push(server)
    const input = {
      name: `Own ${(connectionCount += 1)}`,
      url: server.url,
      authType: "apikey",
      credentialMode: "per_member"
    }
    const { id } = (await owner.call("POST", "/v1/mcp-connections", input)).body.mcpConnection
    const member = await addMember(plane, owner, "member")
    const at = `/v1/mcp-connections/${id}`
    await owner.call("POST", `${at}/access`, { orgMembershipId: member.membershipId, role: "viewer" })
    const tools = async (person: Pick<Workspace, "call">) =>
      (await person.call("GET", `${at}/tools?refresh=true`)).body.items?.map(
        ({ decision, name }: { decision: string; name: string }) => `${name} ${decision}`
      )
    const status = async (person: Pick<Workspace, "call">) => (await person.call("GET", at)).body.mcpConnection.status
    return { server, id, at, member, tools, status }
  }

  it("show each member their own tools, and a tool missing for one member is no drift", async () => {
    const { at, id, member, server, status, tools } = await both()
    const rejected = await member.call("GET", `${at}/tools`)
    expect([rejected.status, rejected.body.error, rejected.body.message]).toEqual([
      409,
      "connection_not_ready",
      expect.stringMatching(/^not_connected: /)
    ])
    await keepKey(id, owner.membershipId, "key-of-owner")
    await keepKey(id, member.membershipId, "key-of-member")
    expect(await tools(owner)).toEqual(["a allowed", "admin-only allowed"])
    expect(await tools(member)).toEqual(["a allowed"])
    expect([await status(owner), await status(member)]).toEqual(["ready", "ready"])
    server.tools = (authorization) =>
      authorization === "Bearer key-of-owner" ? [tool("a"), tool("admin-only")] : [tool("a"), tool("extra")]
    expect(await tools(member)).toEqual(["a allowed", "extra review_required"])
    expect(await tools(owner)).toEqual(["a allowed", "admin-only allowed"])
    const { changes, fingerprint } = (await member.call("GET", `${at}/review`)).body.review
    expect(changes).toMatchObject([{ kind: "tool_added", name: "extra" }])
    const byViewer = await member.call("POST", `${at}/review`, { fingerprint, decision: "accept" })
    expect([byViewer.status, byViewer.body.reason]).toEqual([403, "permission_required"])
    await owner.call("POST", `${at}/review`, { fingerprint, decision: "accept" })
    expect(await tools(member)).toEqual(["a allowed", "extra allowed"])
    expect(await status(owner)).toBe("ready")
  })

  it("allow different descriptions per member after each has been accepted", async () => {
    const { at, id, member, server, status, tools } = await both()
    await keepKey(id, owner.membershipId, "key-of-owner")
    await keepKey(id, member.membershipId, "key-of-member")
    server.tools = (authorization) => [tool("a", { title: authorization ?? "nobody" })]
    expect(await tools(owner)).toEqual(["a allowed"])
    expect(await tools(member)).toEqual(["a review_required"])
    expect(await tools(owner)).toEqual(["a allowed"])
    const { changes, fingerprint } = (await owner.call("GET", `${at}/review`)).body.review
    expect(changes).toMatchObject([{ kind: "tool_changed", name: "a", members: ["title"] }])
    await owner.call("POST", `${at}/review`, { fingerprint, decision: "accept" })
    expect([await tools(owner), await tools(member)]).toEqual([["a allowed"], ["a allowed"]])
    expect(await status(member)).toBe("ready")
  })

  it("are not available to API keys", async () => {
    const { at, id } = await both()
    await owner.call("POST", `${at}/access`, { orgWide: true, role: "viewer" })
    const key = await makeKey(plane, owner, ["mcpConnections:read"])
    const response = await key.call("GET", `${at}/tools`)
    expect([response.status, response.body.reason]).toEqual([403, "session_required"])
    expect((await key.call("GET", at)).body.mcpConnection).toMatchObject({ id, connectedForMe: false })
  })
})

describe("the shared key of a connection", () => {
  it("is sent in the configured header, and is deleted when the connection changes", async () => {
    const server = await serveTools([tool("a")])
    servers.push(server)
    server.demands = { "x-key": "the-key" }
    const input = {
      name: `Shared ${(connectionCount += 1)}`,
      url: server.url,
      authType: "apikey",
      apiKeyHeader: "X-Key"
    }
    const { body } = await owner.call("POST", "/v1/mcp-connections", input)
    expect(body.mcpConnection).toMatchObject({ apiKeyHeader: "x-key", apiKeyScheme: null, status: "not_connected" })
    const at = `/v1/mcp-connections/${body.mcpConnection.id}`
    await keepKey(body.mcpConnection.id, null, "the-key")
    expect((await owner.call("GET", at)).body.mcpConnection).toMatchObject({ status: "ready", connectedForMe: true })
    expect((await owner.call("GET", `${at}/tools`)).body.items).toHaveLength(1)
    const moved = await owner.call("PATCH", at, { url: `${server.url}/other` })
    expect(moved.body.mcpConnection).toMatchObject({
      status: "not_connected",
      connectedForMe: false,
      fingerprint: null,
      toolsCheckedAt: null
    })
    expect(
      await runSql(
        plane,
        (sql) => sql`SELECT 1 AS one FROM oauth_credentials WHERE subject_id = ${body.mcpConnection.id}
          UNION ALL SELECT 1 FROM mcp_tools WHERE connection_id = ${body.mcpConnection.id}
          UNION ALL SELECT 1 FROM mcp_tool_looks WHERE connection_id = ${body.mcpConnection.id}`
      )
    ).toEqual([])
    const asking = await owner.call("GET", `${at}/tools`)
    expect([asking.status, asking.body.error]).toEqual([409, "connection_not_ready"])
  })
})

describe("an MCP server with another authorization server", () => {
  const documents = (url: string, issuerPath: string, token = "token") => {
    const { origin } = new URL(url)
    const issuer = `${origin}${issuerPath}`
    return {
      "/.well-known/oauth-protected-resource/mcp": {
        resource: url,
        authorization_servers: [issuer],
        scopes_supported: ["read"]
      },
      [`/.well-known/oauth-authorization-server${issuerPath}`]: {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/${token}`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"]
      }
    }
  }

  const makeConnection = async () => {
    const server = await serveTools([tool("a")])
    servers.push(server)
    server.documents = documents(server.url, "/as")
    const input = {
      name: `OAuth ${(connectionCount += 1)}`,
      url: server.url,
      authType: "oauth",
      credentialMode: "shared"
    }
    const { id } = (await owner.call("POST", "/v1/mcp-connections", input)).body.mcpConnection
    await keepKey(id, null, "the-token")
    server.demands = { authorization: "Bearer the-token" }
    const at = `/v1/mcp-connections/${id}`
    const refreshTools = () => owner.call("GET", `${at}/tools?refresh=true`)
    const get = async () => (await owner.call("GET", at)).body.mcpConnection
    return { server, id, at, refreshTools, get }
  }

  it("receives nothing until a manager decides, and is usable again when it changes back", async () => {
    const { at, get, refreshTools, server } = await makeConnection()
    expect((await refreshTools()).body.items).toMatchObject([{ name: "a", decision: "allowed" }])
    const { fingerprint } = await get()
    server.documents = documents(server.url, "/other")
    const { lists } = server
    const rejected = await refreshTools()
    expect([rejected.status, rejected.body.error, rejected.body.message]).toEqual([
      409,
      "connection_not_ready",
      expect.stringMatching(/^review_required: /)
    ])
    expect(server.lists).toBe(lists)
    const cached = await owner.call("GET", `${at}/tools`)
    expect(cached.body.error).toBe("connection_not_ready")
    expect(await get()).toMatchObject({ status: "review_required", connectedForMe: true, fingerprint })
    const { review } = (await owner.call("GET", `${at}/review`)).body
    expect(review.changes.map(({ kind }: { kind: string }) => kind)).toEqual([
      "issuer",
      "authorization_endpoint",
      "token_endpoint"
    ])
    server.documents = documents(server.url, "/as")
    expect((await refreshTools()).status).toBe(200)
    expect(await get()).toMatchObject({ status: "ready", fingerprint })
  })

  it("receives no credential of the previous authorization server after it is accepted", async () => {
    const { at, get, id, refreshTools, server } = await makeConnection()
    await refreshTools()
    server.documents = documents(server.url, "/as", "moved")
    await refreshTools()
    const { changes, fingerprint } = (await owner.call("GET", `${at}/review`)).body.review
    expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual(["token_endpoint"])
    const accepted = await owner.call("POST", `${at}/review`, { fingerprint, decision: "accept" })
    expect(accepted.body.mcpConnection).toMatchObject({ status: "not_connected", connectedForMe: false, fingerprint })
    expect((await refreshTools()).body.message).toMatch(/^not_connected: /)
    await keepKey(id, null, "the-token")
    expect((await refreshTools()).body.items).toHaveLength(1)
    expect(await get()).toMatchObject({ status: "ready", fingerprint })
  })

  it("receives no data of the client registered with the previous authorization server", async () => {
    const { at, get, id, refreshTools, server } = await makeConnection()
    const oauthClient = { clientId: "by hand", clientSecret: "secret there" }
    await owner.call("PATCH", at, { oauthClient })
    await keepKey(id, null, "the-token")
    await refreshTools()
    server.documents = documents(server.url, "/other")
    await refreshTools()
    const { fingerprint } = (await owner.call("GET", `${at}/review`)).body.review
    expect(await get()).toMatchObject({ oauthClient: { clientId: "by hand", hasSecret: true } })
    const accepted = await owner.call("POST", `${at}/review`, { fingerprint, decision: "accept" })
    expect(accepted.body.mcpConnection).toMatchObject({ status: "not_connected", oauthClient: null })
  })

  it("is not reported while its metadata is unreachable", async () => {
    const { get, refreshTools, server } = await makeConnection()
    await refreshTools()
    const { fingerprint } = await get()
    server.documents = {}
    expect((await refreshTools()).status).toBe(200)
    expect(await get()).toMatchObject({ status: "ready", fingerprint })
  })

  it("stays usable during review when only its scopes changed", async () => {
    const { get, refreshTools, server } = await makeConnection()
    await refreshTools()
    const metadataDocuments = documents(server.url, "/as")
    const resource = metadataDocuments["/.well-known/oauth-protected-resource/mcp"]
    server.documents = {
      ...metadataDocuments,
      "/.well-known/oauth-protected-resource/mcp": { ...resource, scopes_supported: ["all"] }
    }
    expect((await refreshTools()).body.items).toMatchObject([{ decision: "allowed" }])
    expect((await get()).status).toBe("review_required")
  })
})

it("two processes that observe at once store one observation", async () => {
  const second = await makeControlPlane({
    outbound: letIn,
    ...(engine === "postgres" ? { database: plane.database } : {})
  })
  const { at, decisions, get, server } = await connect([tool("a"), tool("b")])
  await decisions()
  const other = engine === "postgres" ? call(second, owner.token) : owner.call
  for (let round = 0; round < 5; round++) {
    server.tools = round % 2 === 0 ? [tool("a"), tool("c")] : [tool("a"), tool("b")]
    const responses = await Promise.all([
      owner.call("GET", `${at}/tools?refresh=true`),
      other("GET", `${at}/tools?refresh=true`)
    ])
    expect(responses.map(({ body }) => body.items.length)).toEqual([2, 2])
    expect((await get()).status).toBe(round % 2 === 0 ? "review_required" : "ready")
  }
})
