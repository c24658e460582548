/** A caller that keeps failing, and other callers at its address: only failures are limited. */
import { describe, expect, it } from "vitest"
import { makeToken } from "../../src/infra/crypto/tokens.ts"
import {
  addMember,
  type TestResponse,
  call,
  makeControlPlane,
  makeKey,
  makeScimToken,
  makeWorkerToken,
  makeWorkspace,
  signIn,
  type TestPlane
} from "../harness.ts"
import { push, send } from "../content/webhooks.fixture.ts"

const bootstrapToken = "the bootstrap token of the tests, long enough"
const plane = await makeControlPlane({ workers: false, bootstrap: { token: bootstrapToken } })
const owner = await makeWorkspace(plane)

const organization = (headers: Record<string, string>, address: string, on: Pick<TestPlane, "fetch"> = plane) =>
  call(on, undefined, address)("GET", "/v1/organization", undefined, headers)
const bySession = (token: string) => ({ authorization: `Bearer ${token}` })
const byKey = (key: string) => ({ "x-api-key": key })

const tally = (responses: ReadonlyArray<Pick<TestResponse, "status">>) => {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Sends random tokens, one after the other. */
const guess = async (address: string, count: number, on: Pick<TestPlane, "fetch"> = plane) => {
  const responses: Array<TestResponse> = []
  for (let n = 0; n < count; n++) responses.push(await organization(bySession(makeToken("ops")), address, on))
  return responses
}

/** Makes an address exceed its failure limit for this minute. */
const exhaust = async (address: string, on: Pick<TestPlane, "fetch"> = plane) =>
  expect(tally(await guess(address, 61, on))).toEqual({ 401: 60, 429: 1 })

describe("behind an address with too many failed authentications", () => {
  it("serves 50 valid users while a script with one revoked token gets 401 and then 429", async () => {
    const address = "192.0.2.10"
    const people = await Promise.all(Array.from({ length: 25 }, () => addMember(plane, owner, "member")))
    const keys = await Promise.all(Array.from({ length: 25 }, () => makeKey(plane, owner, ["connectors:read"])))
    const revoked = await signIn(plane, owner.userId, owner.organizationId)
    expect((await organization(bySession(revoked.token), "192.0.2.11")).status).toBe(200)
    expect((await owner.call("DELETE", `/v1/sessions/${revoked.id}`)).status).toBe(204)
    const script: Array<TestResponse> = []
    const users: Array<TestResponse> = []
    for (let turn = 0; turn < 6; turn++) {
      for (let n = 0; n < 40; n++) script.push(await organization(bySession(revoked.token), address))
      users.push(
        ...(await Promise.all([
          ...people.map(({ token }) => organization(bySession(token), address)),
          ...keys.map(({ key }) => organization(byKey(key), address))
        ]))
      )
    }
    expect(tally(script)).toEqual({ 401: 60, 429: 180 })
    expect(tally(users)).toEqual({ 200: 300 })
    const refused = script.at(-1)
    const seconds = refused?.headers.get("retry-after")
    expect(refused?.body).toEqual({
      error: "rate_limited",
      message: `Too many failed authentications from this address. Valid credentials are still accepted. Retry after ${seconds} ${seconds === "1" ? "second" : "seconds"}.`
    })
    expect(Number(seconds)).toBeGreaterThanOrEqual(1)
    expect(Number(seconds)).toBeLessThanOrEqual(60)
  })

  it("serves recently authenticated users during any number of requests with random tokens", async () => {
    const address = "192.0.2.20"
    const people = await Promise.all(Array.from({ length: 20 }, () => addMember(plane, owner, "member")))
    for (const { token } of people) expect((await organization(bySession(token), "192.0.2.21")).status).toBe(200)
    await exhaust(address)
    await guess(address, 200)
    const headers = { "x-organization-id": owner.organizationId }
    const users = await Promise.all(
      people.flatMap(({ token }) => [
        organization(bySession(token), address),
        // With an organization other than the cached one, the caller is looked up in the database.
        organization({ ...bySession(token), ...headers }, address)
      ])
    )
    expect(tally(users)).toEqual({ 200: 40 })
  })

  it("serves a credential of every kind that this process has never seen", async () => {
    const address = "192.0.2.30"
    const member = await addMember(plane, owner, "member")
    const key = await makeKey(plane, owner, ["connectors:read"])
    const worker = await makeWorkerToken(plane, owner)
    const directory = await makeScimToken(plane, owner)
    await exhaust(address)
    const from = call(plane, undefined, address)
    expect((await organization(bySession(member.token), address)).status).toBe(200)
    expect((await organization(byKey(key.key), address)).status).toBe(200)
    // The token is accepted; the missing worker is detected after the limit.
    const beat = await from("POST", `/v1/workers/${worker.workerId}/heartbeat`, {}, bySession(worker.token))
    expect([401, 429]).not.toContain(beat.status)
    expect((await from("GET", "/v1/scim/v2/Users", undefined, bySession(directory.token))).status).toBe(200)
    const workspace = { workspaceName: "Acme" }
    const wrong = await from("POST", "/v1/bootstrap/workspace", workspace, { "x-bootstrap-token": "wrong" })
    expect(wrong.status).toBe(429)
    const right = await from("POST", "/v1/bootstrap/workspace", workspace, { "x-bootstrap-token": bootstrapToken })
    expect(right.status).toBe(201)
    const delivery = await send(plane, { body: JSON.stringify(push()), address })
    expect(delivery.status).toBe(200)
  })

  it("refuses a malformed credential and a missing one", async () => {
    const address = "192.0.2.40"
    await exhaust(address)
    for (const headers of [{}, bySession("nonsense"), byKey("nonsense"), { authorization: "Basic YTpi" }]) {
      expect((await organization(headers, address)).status).toBe(429)
    }
  })

  it("checks a valid credential on its retry after it was refused unchecked, during requests with random tokens", async () => {
    const address = "192.0.2.50"
    const member = await addMember(plane, owner, "member")
    await exhaust(address)
    // More random tokens at once than the budget of the address.
    const flood = () =>
      Promise.all(Array.from({ length: 400 }, () => organization(bySession(makeToken("ops")), address)))
    const [responses, first] = await Promise.all([flood(), organization(bySession(member.token), address)])
    expect(tally(responses)).toEqual({ 429: 400 })
    expect(first.status).toBe(429)
    expect(first.body.message).toContain("was not checked")
    expect(first.headers.get("retry-after")).toBe("1")
    const [again] = await Promise.all([organization(bySession(member.token), address), flood()])
    expect(again.status).toBe(200)
  })

  it("refuses a credential that was valid as soon as it is revoked", async () => {
    const address = "192.0.2.60"
    const session = await signIn(plane, owner.userId, owner.organizationId)
    await exhaust(address)
    expect((await organization(bySession(session.token), address)).status).toBe(200)
    expect((await owner.call("DELETE", `/v1/sessions/${session.id}`)).status).toBe(204)
    expect((await organization(bySession(session.token), address)).status).toBe(429)
  })
})

describe("a host application's own sign-in", async () => {
  let calls = 0
  const hosted = await makeControlPlane({
    workers: false,
    authenticator: (request) => {
      calls += 1
      const subject = /who=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1]
      return Promise.resolve(subject === undefined ? null : { subject, name: null, email: null, emailVerified: false })
    }
  })
  const me = (cookie: string, address: string) =>
    call(hosted, undefined, address)("GET", "/v1/me", undefined, { cookie })

  it("still authenticates users from an address with too many failed authentications", async () => {
    await exhaust("192.0.2.70", hosted)
    expect((await me("who=ada", "192.0.2.70")).status).toBe(200)
    expect((await me("who=grace", "192.0.2.70")).status).toBe(200)
    expect((await me("who=", "192.0.2.70")).status).toBe(429)
  })

  it("is called for unknown credentials no more often than the address's budget allows", async () => {
    const address = "192.0.2.71"
    expect((await me("who=ada", address)).status).toBe(200)
    await exhaust(address, hosted)
    calls = 0
    const responses = await Promise.all(Array.from({ length: 1000 }, (_, n) => me(`other=${n}`, address)))
    expect(tally(responses)).toEqual({ 429: 1000 })
    // 60 at once and 10 more each second; a thousand requests take a few seconds at most.
    expect(calls).toBeLessThan(500)
    expect((await me("who=ada", address)).status).toBe(200)
  })
})

describe("invitation and claim tokens", () => {
  it("are accepted from an address that sent 60 invalid ones", async () => {
    const address = "192.0.2.80"
    const from = call(plane, undefined, address)
    const response = await owner.call("POST", "/v1/invitations", {
      email: "ada@example.com",
      role: "member",
      send: false
    })
    expect(response.status).toBe(201)
    const responses: Array<TestResponse> = []
    for (let n = 0; n < 70; n++)
      responses.push(await from("POST", "/v1/invitations/preview", { token: makeToken("opi") }))
    expect(tally(responses)).toEqual({ 404: 60, 429: 10 })
    const preview = await from("POST", "/v1/invitations/preview", { token: response.body.link.token })
    expect([preview.status, preview.body.email]).toEqual([200, "ada@example.com"])
  })
})
