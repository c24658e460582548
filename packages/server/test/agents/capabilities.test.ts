import { beforeEach, describe, expect, it } from "vitest"
import { addMember, call, makeControlPlane, makeKey, makeWorkspace, runSql, type Workspace } from "../harness.ts"
import { anEvent, connectSuite, type Fault, startSuites } from "./suites.fixture.ts"

const suites = await startSuites()
const timeoutMillis = 1500
const plane = await makeControlPlane({ outbound: { allowHttp: true }, suites: { ...suites.options, timeoutMillis } })
const owner = await makeWorkspace(plane)
await connectSuite(owner, "suite-a")
await connectSuite(owner, "suite-b")
beforeEach(() => suites.reset())

const draft = { to: ["ann@example.com"], subject: "Hello", body: "Some text\r\nin two lines" }
const make = (body: unknown = draft, headers: Record<string, string> = {}, person: Pick<Workspace, "call"> = owner) =>
  person.call("POST", "/v1/capabilities/suite-a/mail-drafts", body, headers)
const read = (id: string, person: Pick<Workspace, "call"> = owner) =>
  person.call("GET", `/v1/capabilities/suite-a/mail-message/${encodeURIComponent(id)}`)
const meet = (id: string, createMeetLink: unknown = true, person: Pick<Workspace, "call"> = owner) =>
  person.call("PATCH", `/v1/capabilities/suite-b/calendar-event/${encodeURIComponent(id)}`, { createMeetLink })
const targets = () => suites.seen.map(({ method, target }) => `${method} ${target}`)
const audited = (action: string) =>
  runSql(
    plane,
    (sql) => sql<{ after_json: Record<string, unknown>; actor_id: string }>`SELECT after_json, actor_id
      FROM audit_events WHERE action = ${action} AND organization_id = ${owner.organizationId} ORDER BY id`
  )

describe("POST /v1/capabilities/suite-a/mail-drafts", () => {
  it("creates a draft that is never sent, and audits it without its text", async () => {
    const before = (await audited("capability.create_mail_draft")).length
    const response = await make({ ...draft, cc: ["bob@example.com"], bcc: ["eve@example.com"] })
    expect(response.status, response.text).toBe(200)
    expect(response.headers.get("cache-control")).toBe("no-store")
    const { draft: createdDraft, ok } = response.body
    expect([ok, Object.keys(createdDraft).sort()]).toEqual([
      true,
      [
        "body",
        "bodyContentType",
        "bodyTruncated",
        "cc",
        "conversationId",
        "from",
        "hasAttachments",
        "id",
        "preview",
        "receivedDateTime",
        "subject",
        "to",
        "webLink"
      ]
    ])
    expect(createdDraft).toMatchObject({
      subject: "Hello",
      body: draft.body,
      bodyContentType: "text",
      bodyTruncated: false,
      from: null,
      to: [{ name: null, address: "ann@example.com" }],
      cc: [{ name: null, address: "bob@example.com" }]
    })
    expect(targets()).toEqual(["POST /v1.0/me/messages"])
    expect(suites.seen[0]?.headers["prefer"]).toBe('outlook.body-content-type="text"')
    expect(JSON.parse(suites.seen[0]?.body ?? "")).toMatchObject({
      body: { contentType: "Text", content: draft.body },
      bccRecipients: [{ emailAddress: { address: "eve@example.com" } }]
    })
    expect([suites.messages.size, suites.sent]).toEqual([1, []])
    const events = await audited("capability.create_mail_draft")
    expect(events).toHaveLength(before + 1)
    expect(events.at(-1)).toMatchObject({
      actor_id: owner.membershipId,
      after_json: {
        suite: "suite-a",
        operation: "capabilities.createMailDraft",
        recipients: { count: 3 },
        subject: { length: 5 },
        body: { length: draft.body.length }
      }
    })
    expect(JSON.stringify(events)).not.toMatch(/Hello|Some text|example\.com/)
  })

  it("creates one draft per idempotency key for any number of concurrent requests", async () => {
    const headers = { "idempotency-key": "one draft" }
    const responses = await Promise.all(Array.from({ length: 10 }, () => make(draft, headers)))
    const later = await make(draft, headers)
    expect([suites.messages.size, responses.filter(({ status }) => status === 200).length]).toEqual([1, 1])
    const errors = new Set(responses.filter(({ status }) => status !== 200).map(({ body }) => body.error))
    expect([...errors].filter((error) => !/^idempotency_key_(in_use|completed)$/.test(error))).toEqual([])
    expect([later.status, later.body.error]).toEqual([409, "idempotency_key_completed"])
    expect((await make({ ...draft, subject: "Other" }, headers)).body.error).toBe("idempotency_key_reused")
    expect(suites.messages.size).toBe(1)
  })

  it("allows a retry with the same idempotency key after a failure", async () => {
    const headers = { "idempotency-key": "another try" }
    suites.behavior.intercept = () => ({ status: 503 })
    expect((await make(draft, headers)).status).toBe(502)
    suites.behavior.intercept = () => undefined
    expect((await make(draft, headers)).status).toBe(200)
    expect((await make(draft, headers)).body.error).toBe("idempotency_key_completed")
  })

  it("holds an idempotency key while its draft is created, but not forever after a crash", async () => {
    const headers = { "idempotency-key": "of a process that is gone" }
    expect((await make(draft, headers)).status).toBe(200)
    const started = (ago: string) =>
      runSql(
        plane,
        (sql) => sql`UPDATE idempotency_keys SET status = 102, created_at = now() - ${ago}::interval
          WHERE key = ${headers["idempotency-key"]}`
      )
    await started("10 seconds")
    expect((await make(draft, headers)).body.error).toBe("idempotency_key_in_use")
    await started("3 minutes")
    expect((await make(draft, headers)).status).toBe(200)
    expect((await make(draft, headers)).body.error).toBe("idempotency_key_completed")
    expect(suites.messages.size).toBe(2)
  })

  const addresses = (count: number) => Array.from({ length: count }, (_, at) => `p${at}@example.com`)
  it.each([
    ["nobody", { ...draft, to: [] }, ["body", "to"]],
    ["51 recipients", { ...draft, to: addresses(51) }, ["body", "to"]],
    ["51 in copy", { ...draft, cc: addresses(51) }, ["body", "cc"]],
    ["51 in blind copy", { ...draft, bcc: addresses(51) }, ["body", "bcc"]],
    ["no subject", { ...draft, subject: "" }, ["body", "subject"]],
    ["a subject of 999", { ...draft, subject: "x".repeat(999) }, ["body", "subject"]],
    ["a body of 200 001", { ...draft, body: "x".repeat(200_001) }, ["body", "body"]],
    ["a header in the subject", { ...draft, subject: "Hello\r\nBcc: eve@example.com" }, ["body", "subject"]],
    ["a line feed in the subject", { ...draft, subject: "Hello\nthere" }, ["body", "subject"]],
    ["a separator in the subject", { ...draft, subject: "Hello\u2028there" }, ["body", "subject"]],
    ["a header in a recipient", { ...draft, to: ["a@example.com\r\nBcc: eve@example.com"] }, ["body", "to", 0]],
    ["a line feed after a recipient", { ...draft, to: ["a@example.com\n"] }, ["body", "to", 0]],
    ["two in one recipient", { ...draft, cc: ["a@example.com,b@example.com"] }, ["body", "cc", 0]],
    ["a leading dot", { ...draft, bcc: [".a@example.com"] }, ["body", "bcc", 0]],
    ["two dots", { ...draft, to: ["a..b@example.com"] }, ["body", "to", 0]],
    ["a short last label", { ...draft, to: ["a@example.c"] }, ["body", "to", 0]]
  ])("rejects %s with 400 without a request to the suite", async (_, body, path) => {
    const response = await make(body)
    expect([response.status, response.body.error, response.body.details[0].path]).toEqual([
      400,
      "invalid_request",
      path
    ])
    expect(suites.seen).toEqual([])
  })

  it("accepts a draft at its maximum size", async () => {
    const most = {
      to: addresses(50),
      cc: addresses(50),
      bcc: addresses(50),
      subject: "x".repeat(998),
      body: "\u{1f600}".repeat(200_000)
    }
    const response = await make(most)
    expect([response.status, response.body.draft.to.length]).toEqual([200, 50])
    expect(response.body.draft.body).toBe(most.body)
  })

  it("returns 401 without a credential, 403 for an API key, and 409 without a connection", async () => {
    expect((await call(plane)("POST", "/v1/capabilities/suite-a/mail-drafts", draft)).status).toBe(401)
    const key = await makeKey(plane, owner, ["members:read"])
    const byKey = await key.call("POST", "/v1/capabilities/suite-a/mail-drafts", draft)
    expect([byKey.status, byKey.body.reason]).toEqual([403, "session_required"])
    const colleague = await addMember(plane, owner, "admin")
    for (const response of [
      await make(draft, {}, colleague),
      await read("x", colleague),
      await meet("x", true, colleague)
    ]) {
      expect([response.status, response.body.error]).toEqual([409, "needs_connection"])
      expect(response.body.message).toMatch(/^not_connected: /)
    }
    expect(suites.seen).toEqual([])
  })
})

describe("GET /v1/capabilities/suite-a/mail-message/{messageId}", () => {
  const keep = (id: string, more: object = {}) =>
    suites.messages.set(id, { id, subject: "Kept", body: { contentType: "text", content: "Words" }, ...more })

  it("returns every member of a message, with null where the suite has none", async () => {
    keep("m1")
    expect((await read("m1")).body).toEqual({
      ok: true,
      message: {
        id: "m1",
        conversationId: null,
        subject: "Kept",
        receivedDateTime: null,
        preview: "",
        from: null,
        to: [],
        cc: [],
        webLink: null,
        hasAttachments: false,
        body: "Words",
        bodyContentType: "text",
        bodyTruncated: false
      }
    })
    expect(suites.seen[0]?.headers["prefer"]).toBe('outlook.body-content-type="text"')
    expect(suites.seen[0]?.target).toMatch(/^\/v1\.0\/me\/messages\/m1\?\$select=id,/)
  })

  it("marks an HTML body as HTML, and accepts members that are null", async () => {
    const from = { emailAddress: { name: "Ann", address: "ann@example.com" } }
    keep("m2", {
      subject: null,
      conversationId: null,
      toRecipients: null,
      from,
      ccRecipients: [{ emailAddress: null }]
    })
    suites.behavior.bodyType = "html"
    const { message } = (await read("m2")).body
    expect([message.bodyContentType, message.body, message.subject]).toEqual(["html", "<p>Words</p>", ""])
    expect([message.from, message.to, message.cc]).toEqual([{ name: "Ann", address: "ann@example.com" }, [], []])
  })

  it.each([
    [199_999, 0],
    [200_000, 0],
    [200_001, 1]
  ])("truncates a body of %i characters at 200 000, and never inside one", async (length, isLonger) => {
    const content = "a".repeat(3) + "\u{1f600}".repeat(length - 3)
    keep("m3", { body: { contentType: "text", content } })
    const { message } = (await read("m3")).body
    expect([message.bodyTruncated, [...message.body].length]).toEqual([isLonger === 1, length - isLonger])
    expect([message.body.isWellFormed(), content.startsWith(message.body)]).toEqual([true, true])
  })

  it.each([
    "a/b",
    "a%2fb",
    "a%2Fsend",
    "x/send",
    "a?b=c",
    "a?$select=id#f",
    "a#b",
    "a\\b",
    "...",
    "a..b",
    "$count",
    "%2e%2e",
    "a%00b",
    "a;b",
    "a@b:c",
    "\u{1f600}",
    "x".repeat(1024)
  ])("keeps an identifier within one segment of the suite's path: %s", async (id) => {
    keep(id)
    const response = await read(id)
    expect([response.status, response.body.message?.id]).toEqual([200, id])
    expect(targets()).toHaveLength(1)
    const [path] = (suites.seen[0]?.target ?? "").split("?$select=")
    expect(path).toBe(`/v1.0/me/messages/${encodeURIComponent(id)}`)
    expect(path?.slice("/v1.0/me/messages/".length)).toMatch(/^[^/?#\\\s]+$/)
    expect(suites.sent).toEqual([])
  })

  it.each([
    "a/..",
    "../sendMail",
    "../../users",
    "x/../send",
    "./a",
    "a/.",
    "..\\x",
    "x\\..\\y",
    "a\r\nHost: evil",
    "a\tb",
    "a\u007f",
    "a\u0085b",
    "x".repeat(1025)
  ])("rejects an identifier that could form another route: %j", async (id) => {
    const response = await read(id)
    expect([response.status, response.body.details[0].path]).toEqual([400, ["path", "messageId"]])
    expect(suites.seen).toEqual([])
  })
})

describe("PATCH /v1/capabilities/suite-b/calendar-event/{eventId}", () => {
  it("adds one meeting to an event and keeps it", async () => {
    const before = (await audited("capability.update_calendar_event")).length
    anEvent(suites, "e1")
    const first = await meet("e1")
    expect(first.body).toEqual({
      ok: true,
      eventId: "e1",
      htmlLink: "https://calendar.example/event?eid=e1",
      summary: "A talk",
      start: "2026-03-01T10:00:00+01:00",
      end: "2026-03-01T11:00:00+01:00",
      meetLink: expect.stringMatching(/^https:\/\/meet\.example\//)
    })
    expect((await meet("e1")).body).toEqual(first.body)
    expect(targets()).toEqual([
      "GET /calendar/v3/calendars/primary/events/e1",
      "PATCH /calendar/v3/calendars/primary/events/e1?conferenceDataVersion=1",
      "GET /calendar/v3/calendars/primary/events/e1"
    ])
    expect([suites.meetings.length, suites.seen[1]?.headers["if-match"]]).toEqual([1, '"1000"'])
    const events = await audited("capability.update_calendar_event")
    expect(events).toHaveLength(before + 1)
    expect(events.at(-1)?.after_json).toMatchObject({ suite: "suite-b", event: { length: 2 } })
  })

  it("adds one meeting for ten concurrent requests", async () => {
    anEvent(suites, "raced")
    suites.behavior.gathered = 10
    // The request that lost the race reads the event again.
    suites.behavior.intercept = (method) => {
      if (method === "PATCH") suites.behavior.gathered = 1
      return undefined
    }
    const responses = await Promise.all(Array.from({ length: 10 }, () => meet("raced")))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(new Set(responses.map(({ body }) => body.meetLink)).size).toBe(1)
    expect(suites.meetings).toHaveLength(1)
  })

  it("adds another meeting after the user removed the first", async () => {
    anEvent(suites, "again")
    await meet("again")
    anEvent(suites, "again", { etag: '"2000"' })
    expect((await meet("again")).body.meetLink).toMatch(/^https:/)
    expect(new Set(suites.meetings).size).toBe(2)
  })

  it("keeps an existing link of another kind, and reads all-day events", async () => {
    const uri = "https://other.example/room"
    anEvent(suites, "e2", {
      summary: undefined,
      start: { date: "2026-03-01" },
      end: { date: "2026-03-02" },
      conferenceData: {
        entryPoints: [
          { entryPointType: "phone", uri: "tel:1" },
          { entryPointType: "video", uri }
        ]
      }
    })
    expect((await meet("e2")).body).toMatchObject({
      start: "2026-03-01",
      end: "2026-03-02",
      summary: "",
      meetLink: uri
    })
    expect(targets().filter((target) => target.startsWith("PATCH"))).toEqual([])
  })

  it("only reads the event when createMeetLink is false", async () => {
    anEvent(suites, "e3")
    const response = await meet("e3", false)
    expect([response.status, response.body.meetLink]).toEqual([200, null])
    expect(targets()).toEqual(["GET /calendar/v3/calendars/primary/events/e3"])
  })

  it("waits for a meeting that is being created, and reports when the suite creates none", async () => {
    anEvent(suites, "slow")
    suites.behavior.meetingLooks = 2
    expect((await meet("slow")).body.meetLink).toMatch(/^https:/)
    anEvent(suites, "never")
    suites.behavior.meetingLooks = "never"
    const response = await meet("never")
    expect([response.status, response.body.error]).toEqual([502, "suite_b_api_error"])
  })

  it.each(["x".repeat(512), "a/../b".replace("/../", "%2F"), "a?x#y\\z"])(
    "requests exactly the event: %s",
    async (id) => {
      anEvent(suites, id)
      expect((await meet(id, false)).body.eventId).toBe(id)
      expect(suites.seen[0]?.target).toBe(`/calendar/v3/calendars/primary/events/${encodeURIComponent(id)}`)
    }
  )

  it.each(["x".repeat(513), "a/..", "..\\a", "a\nb"])("rejects an invalid identifier: %j", async (id) => {
    const response = await meet(id, false)
    expect([response.status, response.body.details[0].path]).toEqual([400, ["path", "eventId"]])
    expect((await meet("e1", "yes")).body.details[0].path).toEqual(["body", "createMeetLink"])
    expect(suites.seen).toEqual([])
  })
})

const html = "<!doctype html><title>private words of the suite</title>"
const json = { "content-type": "application/json" }
const faults: ReadonlyArray<readonly [string, Fault]> = [
  ["403", { status: 403 }],
  ["404", { status: 404 }],
  ["429", { status: 429, headers: { "retry-after": "17" } }],
  ["500", { status: 500 }],
  ["503 with HTML", { status: 503, headers: { "content-type": "text/html" }, body: html }],
  ["HTML", { status: 200, headers: { "content-type": "text/html" }, body: html }],
  ["bad JSON", { status: 200, headers: json, body: '{"id": private words' }],
  ["another shape", { status: 200, headers: json, body: '{"id":7,"subject":"private words"}' }],
  ["nothing", { status: 204 }],
  ["a redirect", { status: 302, headers: { location: "https://evil.example/" } }],
  ["a truncated response", "cut"],
  ["silence", "silence"],
  ["an endless response", "endless"]
]

describe.each(faults)("returns 502 when the suite returns %s", (name, fault) => {
  it.each([
    ["suite_a_api_error", "a draft", () => make()],
    ["suite_a_api_error", "a message", () => read("m")],
    ["suite_b_api_error", "a look", () => meet("e", false)],
    ["suite_b_api_error", "a meeting", () => meet("e")]
  ] as const)("%s for %s", async (error, _, ask) => {
    suites.behavior.intercept = () => fault
    const response = await ask()
    expect([response.status, response.body.error], response.text).toEqual([502, error])
    expect(Object.keys(response.body).sort()).toEqual(["error", "message"])
    expect(response.text).not.toContain("private words")
    expect(response.headers.get("retry-after")).toBe(name === "429" ? "17" : null)
    // A draft is never requested twice automatically.
    expect(suites.seen).toHaveLength(1)
    for (const secret of suites.secrets) expect(response.text).not.toContain(secret)
  })
})

describe("a token that the suite rejects", () => {
  beforeEach(async () => {
    await connectSuite(owner, "suite-a")
    await connectSuite(owner, "suite-b")
    suites.reset()
  })

  it("is renewed once for concurrent requests, and each request is retried", async () => {
    suites.endTokens()
    const responses = await Promise.all(Array.from({ length: 8 }, () => make()))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(suites.tokenRequests.map((tokenRequest) => tokenRequest.get("grant_type"))).toEqual(["refresh_token"])
    expect(suites.messages.size).toBe(8)
  })

  it("requires a reconnect when a fresh token is rejected too", async () => {
    suites.behavior.intercept = () => ({ status: 401 })
    const response = await make()
    expect([response.status, response.body.error]).toEqual([409, "needs_connection"])
    expect(response.body.message).toMatch(/^reconnect_required: /)
    expect([suites.seen.length, suites.tokenRequests.length]).toEqual([2, 1])
    const { connection } = (await owner.call("GET", "/v1/capabilities/connections/suite-a")).body
    expect([connection.status, connection.statusReason]).toEqual(["reconnect_required", expect.any(String)])
    suites.behavior.intercept = () => undefined
    expect((await make()).body.error).toBe("needs_connection")
    expect(suites.seen).toHaveLength(2)
  })

  it("requires a reconnect when there is no refresh token", async () => {
    suites.endTokens(true)
    const response = await meet("e")
    expect([response.status, response.body.error]).toEqual([409, "needs_connection"])
    expect((await owner.call("GET", "/v1/capabilities/connections/suite-b")).body.connection.status).toBe(
      "reconnect_required"
    )
    // The other suite has a separate connection.
    expect((await owner.call("GET", "/v1/capabilities/connections/suite-a")).body.connection.status).toBe("ready")
  })

  it("keeps the connection while the suite cannot renew the token", async () => {
    suites.endTokens()
    suites.behavior.token = { ...suites.behavior.token, status: 503 }
    expect((await make()).body.error).toBe("suite_a_api_error")
    suites.behavior.token = { ...suites.behavior.token, status: 200 }
    expect((await make()).status).toBe(200)
  })
})

it("stores no secret and no message text in the database", async () => {
  await connectSuite(owner, "suite-a")
  await make({ ...draft, subject: "canary subject", body: "canary body", to: ["canary@example.com"] })
  const tables = await runSql(
    plane,
    (sql) => sql<{ name: string }>`SELECT table_name::text AS name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
  )
  expect(tables.length).toBeGreaterThan(20)
  for (const { name } of tables) {
    const rows = await runSql(plane, (sql) => sql<{ text: string }>`SELECT t::text AS text FROM ${sql(name)} t`)
    const text = rows.map((row) => row.text).join("\n")
    for (const secret of [...suites.secrets, "canary subject", "canary body", "canary@"]) {
      expect(text.includes(secret), `${secret} in ${name}`).toBe(false)
    }
  }
})
