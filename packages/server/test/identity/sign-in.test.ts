import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { Mailer, MailFailed } from "../../src/infra/ports/index.ts"
import {
  type Answer,
  call,
  letterTo,
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
  /code=(\w+)/.exec((await letterTo(plane, email, after)).text)?.[1] ?? ""

const verify = (challengeId: string, code: string, address = someAddress()) =>
  call(plane, undefined, address)("POST", "/v1/sessions/email/verify", { challengeId, code })

const begin = async (email: string) => {
  const { body } = await start(email)
  return { challengeId: body.challengeId as string, code: await codeOf(email) }
}

const refusal = { error: "invalid_request", details: [{ path: ["body", "code"], message: "is wrong, used or over" }] }
const expectRefused = (response: Answer) => {
  expect(response.status).toBe(400)
  expect(response.body).toEqual(refusal)
}

const other = (code: string) => (code.startsWith("A") ? `B${code.slice(1)}` : `A${code.slice(1)}`)

describe("POST /v1/sessions/email", () => {
  it("202 answers the same for known and unknown addresses, and mails a code", async () => {
    await signInByEmail(plane, "known@example.com")
    const known = await start("known@example.com")
    const unknown = await start("unknown@example.com")
    for (const response of [known, unknown]) {
      expect(response.status).toBe(202)
      expect(Object.keys(response.body)).toEqual(["challengeId", "expiresAt"])
      const minutes = (Date.parse(response.body.expiresAt) - Date.now()) / 60_000
      expect(minutes).toBeGreaterThan(9)
      expect(minutes).toBeLessThan(11)
    }
    expect(known.body.challengeId).toHaveLength(unknown.body.challengeId.length)
    const mail = await letterTo(plane, "unknown@example.com")
    expect(mail.subject).not.toContain("unknown")
    expect(mail.text).toMatch(/\b[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}\b/)
    expect(mail.text).toContain("https://orgplane.example/sign-in#challenge=")
  })

  it("400 for what is no address, and for one that would end a header", async () => {
    for (const email of [
      "",
      "a",
      "a@b",
      "a@b.c\r\nbcc: x@y.z",
      "a b@c.de",
      "a@b.c,d@e.f",
      // A full-width comma and semicolon, which folding makes plain ones.
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

  it("429 after five in an hour from one place for one address, however it is written", async () => {
    const place = someAddress()
    const spellings = ["mail@example.com", "MAIL@example.com", "Mail@Example.COM", "mail@EXAMPLE.com"]
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) => start(spellings[index % spellings.length] ?? "", place))
    )
    expect(responses.map((response) => response.status).toSorted()).toEqual([202, 202, 202, 202, 202, 429, 429, 429])
    const refused = responses.find((response) => response.status === 429)
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(3000)
    // Whose address it is can still sign in from where they are.
    expect((await start("mail@example.com")).status).toBe(202)
  })

  it("429 after sixty in an hour from one place, and after twenty for one address", async () => {
    const place = someAddress()
    const statuses = async (asks: ReadonlyArray<Promise<Answer>>) =>
      (await Promise.all(asks)).filter((response) => response.status === 202).length
    const ofMany = Array.from({ length: 62 }, (_, index) => start(`place-${index}@example.com`, place))
    expect(await statuses(ofMany)).toBe(60)
    const forOne = Array.from({ length: 22 }, () => start("wanted@example.com"))
    expect(await statuses(forOne)).toBe(20)
  })

  it("writes to the address that it compares, so that a lookalike proves nothing", async () => {
    // U+212A, the Kelvin sign, becomes a k when it is folded.
    await start("\u212Aate@example.com")
    expect((await letterTo(plane, "kate@example.com")).to).toBe("kate@example.com")
  })
})

describe("POST /v1/sessions/email/verify", () => {
  it("201 makes an unknown person known, with a proved address and no organization", async () => {
    const { challengeId, code } = await begin("new@example.com")
    const response = await verify(challengeId, `${code.slice(0, 4).toLowerCase()} - ${code.slice(4)}`)
    expect(response.status).toBe(201)
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.body.user).toMatchObject({ email: "new@example.com", emailVerified: true, name: null })
    const days = (Date.parse(response.body.session.expiresAt) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(29.9)
    const me = call(plane, response.body.session.token)
    expect((await me("GET", "/v1/me")).body.user).toEqual(response.body.user)
    const { body } = await me("GET", "/v1/sessions")
    expect(body.items).toMatchObject([
      { id: response.body.session.id, kind: "email", current: true, organizationId: null }
    ])
    const nowhere = await me("GET", "/v1/organization")
    expect([nowhere.status, nowhere.body]).toEqual([404, { error: "organization_not_found" }])
  })

  it("201 is the same person the next time, in whatever case the address is written", async () => {
    const first = await signInByEmail(plane, "same@example.com")
    const again = await signInByEmail(plane, "Same@Example.com")
    expect(again.userId).toBe(first.userId)
    expect(again.token).not.toBe(first.token)
  })

  it("chooses the organization when there is one", async () => {
    const person = await signInByEmail(plane, "single@example.com")
    const made = await person.call("POST", "/v1/organizations", { name: "Only one" })
    const again = await signInByEmail(plane, "single@example.com")
    expect((await again.call("GET", "/v1/sessions")).body.items[0].organizationId).toBe(made.body.organization.id)
    expect((await again.call("GET", "/v1/organization")).body.organization.id).toBe(made.body.organization.id)
  })

  it("400 with the same bytes for a wrong code, a used one, one that is over, and one that never was", async () => {
    const wrong = await begin("refused@example.com")
    expectRefused(await verify(wrong.challengeId, other(wrong.code)))
    expect((await verify(wrong.challengeId, wrong.code)).status).toBe(201)
    const texts = [
      await verify(wrong.challengeId, wrong.code),
      await verify("never-was", wrong.code),
      await verify(wrong.challengeId, "")
    ]
    expectRefused(texts[0] as Answer)
    expectRefused(texts[1] as Answer)
    expect(texts[0]?.text).toBe(texts[1]?.text)
    // An empty code is malformed, not wrong.
    expect(texts[2]?.status).toBe(400)
    const late = await begin("late@example.com")
    await runSql(plane, (sql) => sql`UPDATE sign_in_challenges SET expires_at = now() WHERE id = ${late.challengeId}`)
    expectRefused(await verify(late.challengeId, late.code))
  })

  it("400 for the right code after five wrong ones, also when they come at once", async () => {
    const { challengeId, code } = await begin("tries@example.com")
    const responses = await Promise.all(Array.from({ length: 12 }, () => verify(challengeId, other(code))))
    for (const response of responses) expectRefused(response)
    expectRefused(await verify(challengeId, code))
    const rows = await runSql(plane, (sql) => sql`SELECT tries FROM sign_in_challenges WHERE id = ${challengeId}`)
    expect(rows).toEqual([{ tries: 5 }])
  })

  it("a new code takes the place of the one before", async () => {
    const before = await begin("replaced@example.com")
    const at = plane.mails.length
    const { body } = await start("replaced@example.com")
    const code = await codeOf("replaced@example.com", at)
    expectRefused(await verify(before.challengeId, before.code))
    expectRefused(await verify(body.challengeId, before.code))
    expect((await verify(body.challengeId, code)).status).toBe(201)
  })

  it("one session for one code, however many ask at once", async () => {
    const { challengeId, code } = await begin("race@example.com")
    const responses = await Promise.all(Array.from({ length: 5 }, () => verify(challengeId, code)))
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 400, 400, 400, 400])
    const winner = responses.find((response) => response.status === 201)
    const { body } = await call(plane, winner?.body.session.token)("GET", "/v1/sessions")
    expect(body.items).toHaveLength(1)
  })

  it("two codes of two addresses are not each other's", async () => {
    const ada = await begin("ada-code@example.com")
    const bob = await begin("bob-code@example.com")
    expectRefused(await verify(ada.challengeId, bob.code))
    expectRefused(await verify(bob.challengeId, ada.code))
  })

  it("signs out whoever wrote the address down before it was proved", async () => {
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
  it("lives on while it is used, prolonged once a day at most", async () => {
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
    // The credential is believed for a moment; another organization's name makes it asked for anew.
    await person.call("GET", "/v1/me", undefined, { "x-organization-id": "org_01h455vb4pex5vsknk084sn02q" })
    expect((await expiry()) - Date.now()).toBeGreaterThan(29.9 * 86_400_000)
  })

  it("ends when it is over, and when its person signs out", async () => {
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

  it("404 for another person's session, the same bytes as for a missing one", async () => {
    const person = await signInByEmail(plane, "mine@example.com")
    const stranger = await signInByEmail(plane, "stranger@example.com")
    const foreign = await person.call("DELETE", `/v1/sessions/${stranger.sessionId}`)
    const missing = await person.call("DELETE", "/v1/sessions/ses_01h455vb4pex5vsknk084sn02q")
    expect([foreign.status, foreign.text]).toEqual([missing.status, missing.text])
    expect(foreign.status).toBe(404)
    expect((await stranger.call("GET", "/v1/me")).status).toBe(200)
    expect((await person.call("DELETE", "/v1/sessions/nonsense")).status).toBe(400)
  })

  it("401 without a credential on everything of a person's", async () => {
    for (const [method, path] of [
      ["GET", "/v1/sessions"],
      ["DELETE", "/v1/sessions/current"],
      ["POST", "/v1/sessions/exchange"]
    ] as const) {
      expect((await call(plane)(method, path)).status).toBe(401)
    }
  })
})

describe("what is left behind", () => {
  it("holds no address, no code and no token in the audit, and no code in the database", async () => {
    const email = "canary@example.com"
    const { challengeId, code } = await begin(email)
    const response = await verify(challengeId, code)
    const audit = await runSql(
      plane,
      (sql) => sql<{ text: string }>`SELECT to_jsonb(a)::text AS text FROM audit_events a
        UNION ALL SELECT to_jsonb(r)::text FROM rate_windows r`
    )
    const kept = await runSql(
      plane,
      (sql) => sql<{ text: string }>`SELECT to_jsonb(c)::text AS text FROM sign_in_challenges c
        UNION ALL SELECT to_jsonb(s)::text FROM sessions s`
    )
    const rows = [...audit, ...kept]
    expect(rows.filter((row) => row.text.includes(code) || row.text.includes(response.body.session.token))).toEqual([])
    expect(audit.filter((row) => row.text.includes(email))).toEqual([])
    expect(audit.some((row) => row.text.includes('"session.create"'))).toBe(true)
    expect(audit.some((row) => row.text.includes('"session.challenge"'))).toBe(true)
  })
})

describe("a mailer that fails", () => {
  it("changes no answer and loses no invitation", async () => {
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

describe("a mailer that is slow", () => {
  it("has codes sent, however many invitations wait", { timeout: 120_000 }, async () => {
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
    // Two organizations: one alone may not send so many letters.
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
    await vi.waitFor(() => expect(isSent).toEqual(["waiting@example.com"]))
    go()
  })
})

describe("where letters go", () => {
  it("an outbox file holds them, nobody else may read it, and no route serves it", async () => {
    const directory = await mkdtemp(join(tmpdir(), "orgplane-outbox-"))
    const outboxFile = join(directory, "outbox.ndjson")
    const quiet = await makeControlPlane({ mailer: { outboxFile } })
    const from = call(quiet, undefined, someAddress())
    const { body } = await from("POST", "/v1/sessions/email", { email: "ada@example.com" })
    // What was taken is sent before the control plane ends.
    await quiet.dispose()
    const [letter] = (await readFile(outboxFile, "utf8")).trim().split("\n")
    expect(JSON.parse(letter ?? "")).toMatchObject({ to: "ada@example.com" })
    expect(letter).toContain(body.challengeId)
    expect((await stat(outboxFile)).mode & 0o777).toBe(0o600)
    await rm(directory, { recursive: true })
  })

  it("no address, code or link is in the log, also when a letter is lost", async () => {
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
