/** A sign-in in a browser that has a session: the session that it replaces ends if the console created it. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { KeyRing } from "../../src/infra/crypto/key-ring.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { cookieName, sealCookie } from "../../src/operations/console/cookie.ts"
import { makeControlPlane, makeWorkspace, runSql, withServices } from "../harness.ts"

const plane = await makeControlPlane({ workers: false, console: true })

const address = "203.0.113.7"
const own = { "sec-fetch-site": "same-origin", "x-orgplane-console": "1", "user-agent": "A browser" }
const send = (path: string, init: RequestInit = {}) =>
  plane.fetch(new Request(`http://localhost${path}`, init), { remoteAddress: address })
const post = (path: string, body: unknown, cookie = "") => {
  const headers = { ...own, "content-type": "application/json", ...(cookie === "" ? {} : { cookie }) }
  return send(path, { method: "POST", headers, body: JSON.stringify(body) })
}
const cookieOf = (response: Response) => (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""

/** Requests a code, and returns what a sign-in with it sends. */
const codeFor = async (email: string) => {
  const sent = plane.mails.length
  const started = await post("/console/api/v1/sessions/email", { email })
  const { challengeId } = (await started.json()) as { readonly challengeId: string }
  const find = () => plane.mails.slice(sent).findLast(({ to }) => to === email)?.text ?? ""
  await expect.poll(find).not.toBe("")
  return { challengeId, code: /code=([2-9A-HJ-NP-Z]{8})/.exec(find())?.[1] ?? "" }
}

const byEmail = async (email: string, cookie = "") => {
  const response = await post("/console/api/v1/sessions/email/verify", await codeFor(email), cookie)
  expect(response.status).toBe(201)
  const { session } = (await response.json()) as { readonly session: { readonly id: string } }
  return { cookie: cookieOf(response), sessionId: session.id }
}

const keep = (token: string, cookie = "") => {
  const headers = { ...own, authorization: `Bearer ${token}`, ...(cookie === "" ? {} : { cookie }) }
  return send("/console/api/session", { headers })
}
const byToken = async (token: string, cookie = "") => {
  const response = await keep(token, cookie)
  expect(response.status).toBe(200)
  return cookieOf(response)
}

const statusOf = async (cookie: string) => (await send("/console/api/v1/me", { headers: { ...own, cookie } })).status

const isRevoked = (cookie: string) => expect.poll(() => statusOf(cookie)).toBe(401)

/** Waits until the session that an earlier sign-in replaced would have been revoked. */
const laterThanRevocations = async () => {
  const email = `${crypto.randomUUID()}@acme.example`
  const { cookie } = await byEmail(email)
  await byEmail(email, cookie)
  await isRevoked(cookie)
}

/** The audit events of a session. */
const eventsOf = (sessionId: string) =>
  runSql(
    plane,
    (sql) => sql<{ action: string; address: string; user_agent: string }>`SELECT action, address, user_agent
      FROM audit_events WHERE target_id = ${sessionId} ORDER BY created_at`
  )

describe("a sign-in of the console in a browser with a session", () => {
  it("signs out of the session that an earlier email code created, and of no other", async () => {
    const first = await byEmail("ada@acme.example")
    const elsewhere = await byEmail("ada@acme.example")
    const second = await byEmail("ada@acme.example", first.cookie)
    // Other tabs may have sent requests with the first cookie.
    expect(await statusOf(first.cookie)).toBe(200)
    await isRevoked(first.cookie)
    expect(await Promise.all([elsewhere, second].map(({ cookie }) => statusOf(cookie)))).toEqual([200, 200])
    const client = { address, user_agent: "A browser" }
    expect(await eventsOf(first.sessionId)).toEqual([
      { action: "session.create", ...client },
      { action: "session.revoke", ...client }
    ])
  })

  it("signs out of the session of another person, and of one that a session token replaces", async () => {
    const ada = await byEmail("ada@acme.example")
    const eve = await byEmail("eve@acme.example", ada.cookie)
    await isRevoked(ada.cookie)
    expect(await statusOf(eve.cookie)).toBe(200)
    const { token } = await makeWorkspace(plane)
    const given = await byToken(token, eve.cookie)
    await isRevoked(eve.cookie)
    expect(await statusOf(given)).toBe(200)
  })

  it("keeps a session whose token the person gave, because it may be in use elsewhere", async () => {
    const [first, second] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const given = await byToken(first.token)
    const replaced = await byToken(second.token, given)
    const { cookie } = await byEmail("grace@acme.example", replaced)
    await laterThanRevocations()
    expect(await Promise.all([given, replaced, cookie].map(statusOf))).toEqual([200, 200, 200])
    expect((await first.call("GET", "/v1/organization")).status).toBe(200)
  })

  it("keeps the session if the token is that of the session itself", async () => {
    const { token } = await makeWorkspace(plane)
    const value = await withServices(
      plane,
      Effect.map(KeyRing, (keyRing) => sealCookie(keyRing, { token, isOwn: true }))
    )
    const kept = await byToken(token, `${cookieName}=${value}`)
    await laterThanRevocations()
    expect(await statusOf(kept)).toBe(200)
  })

  it("keeps the session if the sign-in fails", async () => {
    const { cookie } = await byEmail("joan@acme.example")
    const { challengeId } = await codeFor("joan@acme.example")
    const wrong = await post("/console/api/v1/sessions/email/verify", { challengeId, code: "22222222" }, cookie)
    const { token } = await makeWorkspace(plane)
    const refused = await keep(`${token.slice(0, -2)}00`, cookie)
    await laterThanRevocations()
    expect([wrong.status, refused.status, await statusOf(cookie)]).toEqual([400, 401, 200])
  })

  it("succeeds if the session has ended, and while it cannot be revoked yet", async () => {
    const ended = await byEmail("mae@acme.example")
    await runSql(plane, (sql) => sql`UPDATE sessions SET expires_at = now() WHERE id = ${ended.sessionId}`)
    const locked = await byEmail("mae@acme.example", ended.cookie)
    await withServices(
      plane,
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT id FROM sessions WHERE id = ${locked.sessionId} FOR UPDATE`
            const { cookie } = yield* Effect.promise(() => byEmail("mae@acme.example", locked.cookie))
            expect(yield* Effect.promise(() => statusOf(cookie))).toBe(200)
          })
        )
      }).pipe(Effect.orDie)
    )
    await isRevoked(locked.cookie)
  })
})
