import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { Mailer, MailFailed } from "../../src/infra/ports/index.ts"
import {
  type TestResponse,
  call,
  emailTo,
  makeControlPlane,
  makeWorkspace,
  runSql,
  signIn,
  signInByEmail,
  someAddress
} from "../harness.ts"

const plane = await makeControlPlane({ publicUrl: "https://orgplane.example", hosts: ["localhost"] })

const start = (email: string, address = someAddress()) =>
  call(plane, undefined, address)("POST", "/v1/sessions/email", { email })

const codeOf = async (email: string, after = 0): Promise<string> =>
  /code=(\w+)/.exec((await emailTo(plane, email, after)).text)?.[1] ?? ""

const verify = (challengeId: string, code: string, address = someAddress()) =>
  call(plane, undefined, address)("POST", "/v1/sessions/email/verify", { challengeId, code })

const begin = async (email: string) => {
  const { body } = await start(email)
  return { challengeId: body.challengeId as string, code: await codeOf(email) }
}

const refusal = {
  error: "invalid_request",
  details: [{ path: ["body", "code"], message: "is wrong, used or expired" }]
}
const expectRefused = (response: TestResponse) => {
  expect(response.status).toBe(400)
  expect(response.body).toEqual(refusal)
}

const other = (code: string) => (code.startsWith("A") ? `B${code.slice(1)}` : `A${code.slice(1)}`)

describe("POST /v1/sessions/email", () => {
  it("returns the same 202 for known and unknown addresses and emails a code", async () => {
    await signInByEmail(plane, "known@example.com")
    const existing = await start("known@example.com")
    const unknown = await start("unknown@example.com")
    for (const response of [existing, unknown]) {
      expect(response.status).toBe(202)
      expect(Object.keys(response.body)).toEqual(["challengeId", "expiresAt"])
      const minutes = (Date.parse(response.body.expiresAt) - Date.now()) / 60_000
      expect(minutes).toBeGreaterThan(9)
      expect(minutes).toBeLessThan(11)
    }
    expect(existing.body.challengeId).toHaveLength(unknown.body.challengeId.length)
    const mail = await emailTo(plane, "unknown@example.com")
    expect(mail.subject).not.toContain("unknown")
    expect(mail.text).toMatch(/\b[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}\b/)
    expect(mail.text).toContain("https://orgplane.example/sign-in#challenge=")
  })

  it("returns 400 for an invalid email address and for header injection", async () => {
    for (const email of [
      "",
      "a",
      "a@b",
      "a@b.c\r\nbcc: x@y.z",
      "a b@c.de",
      "a@b.c,d@e.f",
      // A full-width comma and semicolon, which normalization turns into plain ones.
      "a@evil.example\uff0cgood.example",
      "a@evil.example\uff1bgood.example",
      "a@evil.example\u037egood.example",
      "<a@b.cd>",
      "a\u0000@b.cd"
    ]) {
      const response = await start(email)
      expect(response.status, email).toBe(400)
      expect(response.body.details[0].path).toEqual(["body", "email"])
    }
    expect((await call(plane)("POST", "/v1/sessions/email", {})).status).toBe(400)
  })

  it("returns 429 after five requests in an hour from one source for one email address in any spelling", async () => {
    const place = someAddress()
    const spellings = ["mail@example.com", "MAIL@example.com", "Mail@Example.COM", "mail@EXAMPLE.com"]
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) => start(spellings[index % spellings.length] ?? "", place))
    )
    expect(responses.map((response) => response.status).toSorted()).toEqual([202, 202, 202, 202, 202, 429, 429, 429])
    const refused = responses.find((response) => response.status === 429)
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(3000)
    // The owner of the email address can still sign in from elsewhere.
    expect((await start("mail@example.com")).status).toBe(202)
  })

  it("returns 429 after 60 requests in an hour from one source, and after 20 for one email address", async () => {
    const place = someAddress()
    const statuses = async (asks: ReadonlyArray<Promise<TestResponse>>) =>
      (await Promise.all(asks)).filter((response) => response.status === 202).length
    const ofMany = Array.from({ length: 62 }, (_, index) => start(`place-${index}@example.com`, place))
    expect(await statuses(ofMany)).toBe(60)
    const forOne = Array.from({ length: 22 }, () => start("wanted@example.com"))
    expect(await statuses(forOne)).toBe(20)
  })

  it("emails the normalized address, so that a lookalike cannot be verified in its place", async () => {
    // U+212A, the Kelvin sign, is normalized to k.
    await start("\u212Aate@example.com")
    expect((await emailTo(plane, "kate@example.com")).to).toBe("kate@example.com")
  })
})

describe("POST /v1/sessions/email/verify", () => {
  it("creates a new user with a verified email address and without an organization", async () => {
    const { challengeId, code } = await begin("new@example.com")
    const response = await verify(challengeId, `${code.slice(0, 4).toLowerCase()} - ${code.slice(4)}`)
    expect(response.status).toBe(201)
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.body.user).toMatchObject({ email: "new@example.com", emailVerified: true, name: null })
    const days = (Date.parse(response.body.session.expiresAt) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(29.9)
    const me = call(plane, response.body.session.token)
    expect((await me("GET", "/v1/me")).body.user).toEqual({ ...response.body.user, isPlatformAdministrator: false })
    const { body } = await me("GET", "/v1/sessions")
    expect(body.items).toMatchObject([
      { id: response.body.session.id, kind: "email", current: true, organizationId: null }
    ])
    const nowhere = await me("GET", "/v1/organization")
    expect([nowhere.status, nowhere.body]).toEqual([404, { error: "organization_not_found" }])
  })

  it("signs in the same user again, ignoring the case of the email address", async () => {
    const first = await signInByEmail(plane, "same@example.com")
    const again = await signInByEmail(plane, "Same@Example.com")
    expect(again.userId).toBe(first.userId)
    expect(again.token).not.toBe(first.token)
  })

  it("selects the organization when the user has only one", async () => {
    const person = await signInByEmail(plane, "single@example.com")
    const response = await person.call("POST", "/v1/organizations", { name: "Only one" })
    const again = await signInByEmail(plane, "single@example.com")
    expect((await again.call("GET", "/v1/sessions")).body.items[0].organizationId).toBe(response.body.organization.id)
    expect((await again.call("GET", "/v1/organization")).body.organization.id).toBe(response.body.organization.id)
  })

  it("returns the same 400 for a wrong, used, expired and unknown code", async () => {
    const wrong = await begin("refused@example.com")
    expectRefused(await verify(wrong.challengeId, other(wrong.code)))
    expect((await verify(wrong.challengeId, wrong.code)).status).toBe(201)
    const texts = [
      await verify(wrong.challengeId, wrong.code),
      await verify("never-was", wrong.code),
      await verify(wrong.challengeId, "")
    ]
    expectRefused(texts[0] as TestResponse)
    expectRefused(texts[1] as TestResponse)
    expect(texts[0]?.text).toBe(texts[1]?.text)
    // An empty code is malformed, not wrong.
    expect(texts[2]?.status).toBe(400)
    const late = await begin("late@example.com")
    await runSql(plane, (sql) => sql`UPDATE sign_in_challenges SET expires_at = now() WHERE id = ${late.challengeId}`)
    expectRefused(await verify(late.challengeId, late.code))
  })

  it("returns 400 for the right code after five wrong ones, also concurrently", async () => {
    const { challengeId, code } = await begin("tries@example.com")
    const responses = await Promise.all(Array.from({ length: 12 }, () => verify(challengeId, other(code))))
    for (const response of responses) expectRefused(response)
    expectRefused(await verify(challengeId, code))
    const rows = await runSql(plane, (sql) => sql`SELECT tries FROM sign_in_challenges WHERE id = ${challengeId}`)
    expect(rows).toEqual([{ tries: 5 }])
  })

  it("invalidates the previous code with a new one", async () => {
    const before = await begin("replaced@example.com")
    const at = plane.mails.length
    const { body } = await start("replaced@example.com")
    const code = await codeOf("replaced@example.com", at)
    expectRefused(await verify(before.challengeId, before.code))
    expectRefused(await verify(body.challengeId, before.code))
    expect((await verify(body.challengeId, code)).status).toBe(201)
  })

  it("allows five attempts again with a new code", async () => {
    const email = "again@example.com"
    const before = await begin(email)
    for (let tries = 0; tries < 5; tries += 1) expectRefused(await verify(before.challengeId, other(before.code)))
    const at = plane.mails.length
    const { body } = await start(email)
    const code = await codeOf(email, at)
    for (let tries = 0; tries < 4; tries += 1) expectRefused(await verify(body.challengeId, other(code)))
    expect((await verify(body.challengeId, code)).status).toBe(201)
  })

  it("creates one session for one code despite concurrent requests", async () => {
    const { challengeId, code } = await begin("race@example.com")
    const responses = await Promise.all(Array.from({ length: 5 }, () => verify(challengeId, code)))
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 400, 400, 400, 400])
    const winner = responses.find((response) => response.status === 201)
    const { body } = await call(plane, winner?.body.session.token)("GET", "/v1/sessions")
    expect(body.items).toHaveLength(1)
  })

  it("keeps the codes of two addresses apart", async () => {
    const ada = await begin("ada-code@example.com")
    const bob = await begin("bob-code@example.com")
    expectRefused(await verify(ada.challengeId, bob.code))
    expectRefused(await verify(bob.challengeId, ada.code))
  })

  it("signs out a user who had set the email address without verifying it", async () => {
    const squatter = await signInByEmail(plane, "squatter@example.com")
    await runSql(
      plane,
      (sql) => sql`UPDATE users SET email = 'victim@example.com', email_verified = false WHERE id = ${squatter.userId}`
    )
    const victim = await signInByEmail(plane, "victim@example.com")
    expect(victim.userId).toBe(squatter.userId)
    expect((await squatter.call("GET", "/v1/me")).status).toBe(401)
    expect((await victim.call("GET", "/v1/me")).body.user.emailVerified).toBe(true)
  })
})

describe("a session", () => {
  it("is extended while it is used, at most once a day", async () => {
    const person = await signInByEmail(plane, "sliding@example.com")
    const expiry = async () =>
      Date.parse(
        (await person.call("GET", "/v1/sessions")).body.items.find((row: { id: string }) => row.id === person.sessionId)
          .expiresAt
      )
    await runSql(
      plane,
      (sql) => sql`UPDATE sessions SET expires_at = now() + interval '29 days 1 hour' WHERE id = ${person.sessionId}`
    )
    const young = await expiry()
    expect(young - Date.now()).toBeLessThan(29.1 * 86_400_000)
    await runSql(
      plane,
      (sql) => sql`UPDATE sessions SET expires_at = now() + interval '2 days' WHERE id = ${person.sessionId}`
    )
    // Credentials are cached briefly; naming another organization forces a new lookup.
    await person.call("GET", "/v1/me", undefined, { "x-organization-id": "org_01h455vb4pex5vsknk084sn02q" })
    expect((await expiry()) - Date.now()).toBeGreaterThan(29.9 * 86_400_000)
  })

  it("is rejected after it expires and after its user signs out", async () => {
    const person = await signInByEmail(plane, "ended@example.com")
    const second = await signInByEmail(plane, "ended@example.com")
    expect((await person.call("DELETE", `/v1/sessions/${second.sessionId}`)).status).toBe(204)
    expect((await second.call("GET", "/v1/me")).status).toBe(401)
    expect((await person.call("DELETE", `/v1/sessions/${second.sessionId}`)).body.error).toBe("session_not_found")
    expect((await person.call("DELETE", "/v1/sessions/current")).status).toBe(204)
    expect((await person.call("GET", "/v1/me")).status).toBe(401)
    const late = await signInByEmail(plane, "ended@example.com")
    await runSql(plane, (sql) => sql`UPDATE sessions SET expires_at = now() WHERE id = ${late.sessionId}`)
    expect((await late.call("GET", "/v1/me")).status).toBe(401)
  })

  it("returns the same 404 for another user's session and a missing one", async () => {
    const person = await signInByEmail(plane, "mine@example.com")
    const stranger = await signInByEmail(plane, "stranger@example.com")
    const foreign = await person.call("DELETE", `/v1/sessions/${stranger.sessionId}`)
    const missing = await person.call("DELETE", "/v1/sessions/ses_01h455vb4pex5vsknk084sn02q")
    expect([foreign.status, foreign.text]).toEqual([missing.status, missing.text])
    expect(foreign.status).toBe(404)
    expect((await stranger.call("GET", "/v1/me")).status).toBe(200)
    expect((await person.call("DELETE", "/v1/sessions/nonsense")).status).toBe(400)
  })

  it("is required for all operations on the user", async () => {
    for (const [method, path] of [
      ["GET", "/v1/sessions"],
      ["DELETE", "/v1/sessions/current"],
      ["POST", "/v1/sessions/exchange"]
    ] as const) {
      expect((await call(plane)(method, path)).status).toBe(401)
    }
  })
})

describe("stored sign-ins", () => {
  it("leave no email address, code or token in the audit, and no code in the database", async () => {
    const email = "canary@example.com"
    const { challengeId, code } = await begin(email)
    const response = await verify(challengeId, code)
    const audit = await runSql(
      plane,
      (sql) => sql<{ text: string }>`SELECT to_jsonb(a)::text AS text FROM audit_events a
        UNION ALL SELECT to_jsonb(r)::text FROM rate_windows r`
    )
    const challenges = await runSql(
      plane,
      (sql) => sql<{ text: string }>`SELECT to_jsonb(c)::text AS text FROM sign_in_challenges c
        UNION ALL SELECT to_jsonb(s)::text FROM sessions s`
    )
    const rows = [...audit, ...challenges]
    expect(rows.filter((row) => row.text.includes(code) || row.text.includes(response.body.session.token))).toEqual([])
    expect(audit.filter((row) => row.text.includes(email))).toEqual([])
    expect(audit.some((row) => row.text.includes('"session.create"'))).toBe(true)
    expect(audit.some((row) => row.text.includes('"session.challenge"'))).toBe(true)
  })
})

describe("a failing mailer", () => {
  it("does not change responses or lose invitations", async () => {
    const deaf = await makeControlPlane({ mailer: { send: () => Promise.reject(new Error("down")) }, logLevel: "none" })
    const response = await call(deaf, undefined, someAddress())("POST", "/v1/sessions/email", {
      email: "a@example.com"
    })
    expect(response.status).toBe(202)
    const owner = await makeWorkspace(deaf)
    const invited = await owner.call("POST", "/v1/invitations", { email: "a@example.com" })
    expect(invited.status).toBe(201)
    const { body } = await owner.call("GET", `/v1/invitations/${invited.body.invitation.id}`)
    expect(body.invitation.status).toBe("pending")
  })
})

describe("a slow mailer", () => {
  it("sends sign-in codes despite many queued invitations", { timeout: 240_000 }, async () => {
    const isSent: Array<string> = []
    let go = () => {}
    const stuck = new Promise<void>((resolve) => (go = resolve))
    const slow = await makeControlPlane({
      workers: false,
      logLevel: "none",
      mailer: {
        send: async ({ to }) => {
          if (to.startsWith("invited")) await stuck
          isSent.push(to)
        }
      }
    })
    const owner = await makeWorkspace(slow)
    // Two organizations, because one may not send that many emails.
    const senders = [owner, await makeWorkspace(slow, "Another")]
    const others = await Promise.all(
      Array.from({ length: 4 }, (_, index) => {
        const { userId, organizationId } = senders[index % 2] ?? owner
        return signIn(slow, userId, organizationId)
      })
    )
    for (let n = 0; n < 1020; n += 30) {
      const session = call(slow, others[(n / 30) % 4]?.token)
      await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          session("POST", "/v1/invitations", { email: `invited-${n + i}@example.com` })
        )
      )
    }
    const from = call(slow, undefined, someAddress())
    expect((await from("POST", "/v1/sessions/email", { email: "waiting@example.com" })).status).toBe(202)
    await expect.poll(() => isSent).toEqual(["waiting@example.com"])
    go()
  })
})

describe("outgoing email", () => {
  it("is stored in an outbox file that only its user can read and no route serves", async () => {
    const directory = await mkdtemp(join(tmpdir(), "orgplane-outbox-"))
    const outboxFile = join(directory, "outbox.ndjson")
    const quiet = await makeControlPlane({ mailer: { outboxFile } })
    const from = call(quiet, undefined, someAddress())
    const { body } = await from("POST", "/v1/sessions/email", { email: "ada@example.com" })
    // Accepted emails are sent before the control plane stops.
    await quiet.dispose()
    const [line] = (await readFile(outboxFile, "utf8")).trim().split("\n")
    expect(JSON.parse(line ?? "")).toMatchObject({ to: "ada@example.com" })
    expect(line).toContain(body.challengeId)
    expect((await stat(outboxFile)).mode & 0o777).toBe(0o600)
    await rm(directory, { recursive: true })
  })

  it("leaves no address, code or link in the log, even when it cannot be sent", async () => {
    const lines: Array<string> = []
    const stderr = vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0)
    try {
      const refusing = Layer.succeed(Mailer, {
        send: () => Effect.fail(new MailFailed({ code: "refused", message: "The mail server refused the letter." }))
      })
      const deaf = await makeControlPlane({ ports: { mailer: refusing }, logLevel: "debug" })
      const owner = await makeWorkspace(deaf)
      await owner.call("POST", "/v1/invitations", { email: "secretive@example.com" })
      await call(deaf, undefined, someAddress())("POST", "/v1/sessions/email", { email: "secretive@example.com" })
      await deaf.dispose()
    } finally {
      stderr.mockRestore()
    }
    const log = lines.join("")
    expect(log.split("An email was not sent.")).toHaveLength(3)
    expect(log).not.toContain("secretive")
    expect(log).not.toMatch(/opi_\w{20}|code=/)
  })
})
