import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { addMember, call, makeControlPlane, makeDatabase, makeKey, makeWorkspace, runSql, signIn } from "../harness.ts"
import { beginSuite, clientSecret, connectSuite, startSuites, type SuiteName } from "./suites.fixture.ts"

const suites = await startSuites()
const mailSuite = suites.options["suite-a"]
const plane = await makeControlPlane({
  outbound: { allowHttp: true },
  suites: suites.options,
  corsOrigins: ["https://app.example"]
})
const owner = await makeWorkspace(plane)
const member = await addMember(plane, owner, "member")
beforeEach(() => suites.reset())

const at = (suite: string) => `/v1/capabilities/connections/${suite}`
const connectionOf = async (suite: SuiteName, person = owner) => (await person.call("GET", at(suite))).body.connection
const rows = () =>
  runSql(
    plane,
    (sql) => sql<{ membership_id: string; subject_id: string }>`SELECT membership_id, subject_id
      FROM oauth_credentials WHERE purpose = 'capability' ORDER BY membership_id, subject_id`
  )
const none = { status: "not_connected", statusReason: null, scopes: [], connectedAt: null, updatedAt: null }

describe("GET /v1/capabilities/connections", () => {
  it("lists one connection per suite, page by page, whether connected or not", async () => {
    const { body } = await member.call("GET", "/v1/capabilities/connections")
    expect(body).toEqual({
      items: [
        { suite: "suite-b", configured: true, ...none },
        { suite: "suite-a", configured: true, ...none }
      ],
      nextCursor: null
    })
    const first = (await member.call("GET", "/v1/capabilities/connections?limit=1")).body
    const next = `/v1/capabilities/connections?limit=1&cursor=${encodeURIComponent(first.nextCursor)}`
    const second = (await member.call("GET", next)).body
    expect([...first.items, ...second.items]).toEqual(body.items)
    expect(second.nextCursor).toBeNull()
    expect((await owner.call("GET", next)).status).toBe(400)
  })

  it("returns 401 without a credential, 403 for an API key, and 400 for an unknown suite", async () => {
    expect((await call(plane)("GET", at("suite-a"))).status).toBe(401)
    const key = await makeKey(plane, owner, ["members:read"])
    for (const [method, path, body] of [
      ["GET", "/v1/capabilities/connections", undefined],
      ["GET", at("suite-a"), undefined],
      ["POST", `${at("suite-a")}/start`, {}],
      ["POST", `${at("suite-a")}/complete`, { state: "s", code: "c" }],
      ["POST", `${at("suite-a")}/disconnect`, undefined]
    ] as const) {
      const response = await key.call(method, path, body)
      expect([path, response.status, response.body.reason]).toEqual([path, 403, "session_required"])
    }
    expect((await owner.call("GET", at("suite-c"))).body.details[0].path).toEqual(["path", "suite"])
  })
})

describe("POST /v1/capabilities/connections/{suite}/start", () => {
  const startConnect = async (suite: SuiteName, body: object = {}) => owner.call("POST", `${at(suite)}/start`, body)

  it("returns an authorization URL with PKCE, state, scopes and the parameters for a refresh token", async () => {
    const { body, headers } = await startConnect("suite-b")
    expect(headers.get("cache-control")).toBe("no-store")
    const url = new URL(body.connect.url)
    expect(url.href.split("?")[0]).toBe(`${suites.origin}/oauth/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: "the app of tests",
      redirect_uri: "http://localhost/v1/capabilities/callback",
      state: body.connect.state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      scope: "https://www.googleapis.com/auth/calendar.events",
      access_type: "offline",
      prompt: "consent"
    })
    const mail = new URL((await startConnect("suite-a")).body.connect.url).searchParams
    expect([mail.get("scope"), mail.get("prompt"), mail.get("access_type")]).toEqual([
      "Mail.ReadWrite offline_access",
      null,
      null
    ])
  })

  it("rejects a returnTo that the operator does not allow", async () => {
    for (const returnTo of ["https://evil.example/", "http://localhost:1/", "javascript:alert(1)"]) {
      expect((await startConnect("suite-a", { returnTo })).body.details[0].path).toEqual(["body", "returnTo"])
    }
    expect((await startConnect("suite-a", { returnTo: "https://app.example/back" })).status).toBe(200)
  })

  it("returns 409 when the operator has not configured the suite", async () => {
    const bare = await makeControlPlane()
    const person = await makeWorkspace(bare)
    for (const [path, body] of [
      ["start", {}],
      ["complete", { state: "s", code: "c" }]
    ] as const) {
      const response = await person.call("POST", `${at("suite-a")}/${path}`, body)
      expect([response.status, response.body.error]).toEqual([409, "suite_not_configured"])
    }
    expect((await person.call("GET", at("suite-a"))).body.connection).toEqual({
      suite: "suite-a",
      configured: false,
      ...none
    })
    expect((await person.call("GET", "/v1/capabilities/suite-a/mail-message/m")).body.error).toBe("needs_connection")
  })
})

describe("POST /v1/capabilities/connections/{suite}/complete", () => {
  it("stores the member's own connection, sealed, and no one else's", async () => {
    const response = await connectSuite(member, "suite-a")
    expect(response.body.connection).toEqual({
      suite: "suite-a",
      configured: true,
      status: "ready",
      statusReason: null,
      scopes: ["Mail.ReadWrite", "offline_access"],
      connectedAt: expect.any(String),
      updatedAt: expect.any(String)
    })
    expect(suites.tokenRequests).toHaveLength(1)
    expect(suites.tokenRequests[0]?.get("client_secret")).toBe(clientSecret)
    expect(suites.tokenRequests[0]?.get("code_verifier")).toMatch(/^[\w-]{43,128}$/)
    expect((await connectionOf("suite-a")).status).toBe("not_connected")
    expect(await rows()).toEqual([{ membership_id: member.membershipId, subject_id: "suite-a" }])
    await member.call("POST", `${at("suite-a")}/disconnect`)
  })

  it("connects nothing when another member, another session or another suite presents the state", async () => {
    const callbackParameters = await beginSuite(member, "suite-a")
    const again = await signIn(plane, member.userId, member.organizationId)
    const attempts = [
      owner.call("POST", `${at("suite-a")}/complete`, callbackParameters),
      call(plane, again.token)("POST", `${at("suite-a")}/complete`, callbackParameters),
      member.call("POST", `${at("suite-b")}/complete`, callbackParameters),
      (await makeWorkspace(plane, "Theirs")).call("POST", `${at("suite-a")}/complete`, callbackParameters)
    ]
    for (const response of await Promise.all(attempts)) {
      expect([response.status, response.body.details[0].path]).toEqual([400, ["body", "state"]])
    }
    expect([await rows(), suites.tokenRequests]).toEqual([[], []])
    // The session that started the sign-in can still use it, once.
    expect((await member.call("POST", `${at("suite-a")}/complete`, callbackParameters)).status).toBe(200)
    expect((await member.call("POST", `${at("suite-a")}/complete`, callbackParameters)).body.details[0].path).toEqual([
      "body",
      "state"
    ])
    await member.call("POST", `${at("suite-a")}/disconnect`)
  })

  it("rejects the code of another sign-in, another issuer, and an expired state", async () => {
    const [one, other] = [await beginSuite(owner, "suite-a"), await beginSuite(owner, "suite-a")]
    const complete = (body: object) => owner.call("POST", `${at("suite-a")}/complete`, body)
    expect((await complete({ ...one, code: other["code"] })).body.details[0].path).toEqual(["body", "code"])
    expect((await complete({ ...other, iss: "https://evil.example" })).body.details[0].path).toEqual(["body", "iss"])
    const late = await beginSuite(owner, "suite-a")
    await runSql(plane, (sql) => sql`UPDATE oauth_states SET expires_at = now() - interval '1 second'`)
    expect((await complete(late)).body.details[0].path).toEqual(["body", "state"])
    expect(await rows()).toEqual([])
  })

  it.each(["suite-a", "suite-b"] as const)("returns 502 from %s when the suite issues no token", async (suite) => {
    const cases = [{ status: 500 }, { members: { token_type: "mac" } }, { members: { access_token: undefined } }]
    for (const behavior of cases) {
      const callbackParameters = await beginSuite(owner, suite)
      suites.behavior.token = { ...suites.behavior.token, ...behavior }
      const response = await owner.call("POST", `${at(suite)}/complete`, callbackParameters)
      expect([response.status, response.body.error]).toEqual([502, `${suite.replace("-", "_")}_api_error`])
      expect(response.text).not.toContain("private words")
      suites.reset()
    }
    expect(await rows()).toEqual([])
  })
})

describe("a suite connection", () => {
  it("is deleted and revoked by a disconnect, and a second disconnect is a no-op", async () => {
    await connectSuite(owner, "suite-b")
    const once = await owner.call("POST", `${at("suite-b")}/disconnect`)
    expect(once.body.connection).toEqual({ suite: "suite-b", configured: true, ...none })
    await expect.poll(() => suites.revoked.length, { interval: 100 }).toBe(1)
    expect(suites.revoked[0]).toMatch(/^refresh-/)
    expect((await owner.call("POST", `${at("suite-b")}/disconnect`)).body).toEqual(once.body)
    const removed = await runSql(
      plane,
      (sql) => sql`SELECT 1 AS one FROM audit_events WHERE action = 'capability.disconnect' AND target_id = 'suite-b'`
    )
    expect(removed).toHaveLength(1)
  })

  it("ends with the membership", async () => {
    const leaver = await addMember(plane, owner, "member")
    await connectSuite(leaver, "suite-a")
    expect(await rows()).toHaveLength(1)
    expect((await owner.call("DELETE", `/v1/members/${leaver.membershipId}`)).status).toBe(204)
    expect(await rows()).toEqual([])
    expect((await leaver.call("GET", at("suite-a"))).status).not.toBe(200)
  })

  it("survives a new client secret of the operator, but not another issuer", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "orgplane-suites-"))
    const newDatabase = await makeDatabase()
    const { oauth, url } = mailSuite
    const later = newDatabase.kind === "pglite" ? ({ kind: "pglite", dataDir } as const) : newDatabase
    const withSuite = (changed: object, database = later) =>
      makeControlPlane({
        database,
        outbound: { allowHttp: true },
        suites: { "suite-a": { url, oauth: { ...oauth, ...changed } } }
      })
    const first = await withSuite({}, { ...newDatabase, ...later })
    const person = await makeWorkspace(first)
    expect((await connectSuite(person, "suite-a")).status).toBe(200)
    await first.dispose()
    suites.behavior.clientSecret = "another client secret"
    suites.endTokens()
    const second = await withSuite({ clientSecret: "another client secret" })
    const missing = "/v1/capabilities/suite-a/mail-message/nothing"
    expect((await call(second, person.token)("GET", missing)).body.error).toBe("suite_a_api_error")
    expect(suites.tokenRequests.at(-1)?.get("grant_type")).toBe("refresh_token")
    await second.dispose()
    const third = await withSuite({ issuer: "https://elsewhere.example" })
    const connectionView = await call(third, person.token)("GET", at("suite-a"))
    expect([connectionView.body.connection.status, connectionView.body.connection.statusReason]).toEqual([
      "reconnect_required",
      expect.stringContaining("changed the suite")
    ])
    expect((await call(third, person.token)("GET", missing)).body.error).toBe("needs_connection")
    await third.dispose()
    await rm(dataDir, { recursive: true, force: true })
  })
})

describe("GET /v1/capabilities/callback", () => {
  const back = (query: Record<string, string>) =>
    call(plane)("GET", `/v1/capabilities/callback?${new URLSearchParams(query).toString()}`)

  it("shows the code and state on a page that loads nothing and stores nothing", async () => {
    const before = await rows()
    const callbackParameters = await beginSuite(owner, "suite-a")
    const response = await back(callbackParameters)
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(response.text).toContain(callbackParameters["code"])
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect([response.headers.get("cache-control"), response.headers.get("referrer-policy")]).toEqual([
      "no-store",
      "no-referrer"
    ])
    expect([await rows(), suites.tokenRequests]).toEqual([before, []])
  })

  it("redirects the browser to the returnTo of the sign-in", async () => {
    const { body } = await owner.call("POST", `${at("suite-a")}/start`, { returnTo: "https://app.example/back?a=b" })
    const response = await back({ state: body.connect.state, code: "c" })
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      `https://app.example/back?a=b&state=${body.connect.state}&code=c`
    ])
    const rejected = await back({ state: body.connect.state, error: "access_denied" })
    expect(rejected.headers.get("location")).toContain("error=access_denied")
  })

  it("repeats no query parameter when no sign-in matches", async () => {
    for (const query of [{}, { state: "x", code: "<script>" }, { state: "A".repeat(43), code: "<script>canary" }]) {
      const response = await back(query)
      expect([response.status, response.text.includes("script"), response.text.includes("canary")]).toEqual([
        410,
        false,
        false
      ])
    }
  })
})
