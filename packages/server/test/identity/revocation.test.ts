import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { startNoticeProxy } from "../../../../test/postgres/notice-proxy.ts"
import { Principals } from "../../src/identity/auth/principals.ts"
import { makeId } from "../../src/infra/ids.ts"
import {
  addMember,
  type TestResponse,
  call,
  engine,
  makeControlPlane,
  makeKey,
  makeRole,
  makeScimToken,
  makeWorkspace,
  runSql,
  signIn,
  someAddress,
  type TestPlane,
  withServices,
  type Workspace
} from "../harness.ts"

const plane = await makeControlPlane({
  authenticator: (request) => {
    const subject = request.headers.get("x-person")
    return Promise.resolve(subject === null ? null : { subject, name: subject, email: null, emailVerified: false })
  }
})

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** One request with a credential from its own source address, because failures are counted by address. */
const ask = (
  on: TestPlane,
  credential: string,
  path: string,
  headers: Record<string, string> = {}
): Promise<TestResponse> =>
  credential.startsWith("opk_")
    ? call(on, undefined, someAddress())("GET", path, undefined, { "x-api-key": credential, ...headers })
    : call(on, credential, someAddress())("GET", path, undefined, headers)

/** Waits until a credential is rejected, checks that it stays rejected, and returns the elapsed time. */
const untilRefused = async (on: TestPlane, credential: string, path: string, status: number) => {
  const began = performance.now()
  let response = await ask(on, credential, path)
  while (response.status === 200) {
    // A session may make 600 requests a minute, and this can take three seconds.
    await pause(20)
    response = await ask(on, credential, path)
  }
  const millis = performance.now() - began
  for (let again = 0; again < 20; again += 1) {
    expect([response.status, path]).toEqual([status, path])
    response = await ask(on, credential, path)
  }
  return millis
}

interface Revocation {
  readonly credential: string
  readonly path: string
  readonly status: number
  readonly revoke: () => Promise<TestResponse>
}

/** Every operation that revokes access, with an affected credential and the expected response. */
const revocations: Readonly<Record<string, (owner: Workspace) => Promise<Revocation>>> = {
  "a session revoked": async (owner) => {
    const person = await addMember(plane, owner, "member")
    const { id, token } = await signIn(plane, person.userId, owner.organizationId)
    const revoke = () => person.call("DELETE", `/v1/sessions/${id}`)
    return { credential: token, path: "/v1/organization", status: 401, revoke }
  },
  "a session signed out": async (owner) => {
    const person = await addMember(plane, owner, "member")
    const revoke = () => person.call("DELETE", "/v1/sessions/current")
    return { credential: person.token, path: "/v1/organization", status: 401, revoke }
  },
  "a member removed": async (owner) => {
    const person = await addMember(plane, owner, "member")
    const revoke = () => owner.call("DELETE", `/v1/members/${person.membershipId}`)
    return { credential: person.token, path: "/v1/organization", status: 404, revoke }
  },
  "a member removed, whose session a key minted": async (owner) => {
    const person = await addMember(plane, owner, "member")
    const minted = await owner.call("POST", "/v1/sessions/exchange", { orgMembershipId: person.membershipId })
    const revoke = () => owner.call("DELETE", `/v1/members/${person.membershipId}`)
    return { credential: minted.body.session.token, path: "/v1/organization", status: 401, revoke }
  },
  "members removed together": async (owner) => {
    const person = await addMember(plane, owner, "member")
    const items = [{ action: "remove", orgMembershipId: person.membershipId }]
    const revoke = () => owner.call("POST", "/v1/members/batch", { items })
    return { credential: person.token, path: "/v1/organization", status: 404, revoke }
  },
  "a member demoted": async (owner) => {
    const person = await addMember(plane, owner, "admin")
    const revoke = () => owner.call("PATCH", `/v1/members/${person.membershipId}`, { role: "member" })
    return { credential: person.token, path: "/v1/api-keys", status: 403, revoke }
  },
  "a role narrowed": async (owner) => {
    const role = await makeRole(owner, ["roles:read"])
    const person = await addMember(plane, owner, role)
    const revoke = () => owner.call("PATCH", `/v1/roles/${role}`, { permissions: [] })
    return { credential: person.token, path: "/v1/roles", status: 403, revoke }
  },
  "a role deleted": async (owner) => {
    const role = await makeRole(owner, ["roles:read"])
    const person = await addMember(plane, owner, role)
    const revoke = async () => {
      await owner.call("PATCH", `/v1/members/${person.membershipId}`, { role: "member" })
      return await owner.call("DELETE", `/v1/roles/${role}`)
    }
    return { credential: person.token, path: "/v1/roles", status: 403, revoke }
  },
  "ownership handed over": async (owner) => {
    const heir = await addMember(plane, owner, "member")
    const revoke = () =>
      owner.call("POST", "/v1/organization/transfer-ownership", { orgMembershipId: heir.membershipId, keep: "member" })
    return { credential: owner.token, path: "/v1/roles", status: 403, revoke }
  },
  "an account deleted": async (owner) => {
    const person = await addMember(plane, owner, "member")
    const second = await signIn(plane, person.userId, owner.organizationId)
    const revoke = () => person.call("DELETE", "/v1/me")
    return { credential: second.token, path: "/v1/organization", status: 401, revoke }
  },
  "a key revoked": async (owner) => {
    const { id, key } = await makeKey(plane, owner, [])
    const revoke = () => owner.call("DELETE", `/v1/api-keys/${id}`)
    return { credential: key, path: "/v1/api-keys/current", status: 401, revoke }
  },
  "a key narrowed": async (owner) => {
    const { id, key } = await makeKey(plane, owner, ["members:read"])
    const revoke = () => owner.call("PATCH", `/v1/api-keys/${id}`, { permissions: [] })
    return { credential: key, path: "/v1/members", status: 403, revoke }
  },
  "a key rotated without a grace": async (owner) => {
    const { id, key } = await makeKey(plane, owner, [])
    const revoke = () => owner.call("POST", `/v1/api-keys/${id}/rotate`, { graceSeconds: 0 })
    return { credential: key, path: "/v1/api-keys/current", status: 401, revoke }
  },
  "a key revoked with its maker": async (owner) => {
    const person = await addMember(plane, owner, "admin")
    const { key } = await makeKey(plane, person, [])
    const revoke = () => owner.call("DELETE", `/v1/members/${person.membershipId}?revokeKeys=true`)
    return { credential: key, path: "/v1/api-keys/current", status: 401, revoke }
  },
  "an organization deleted, for a member": async (owner) => {
    const person = await addMember(plane, owner, "member")
    const revoke = () => owner.call("DELETE", "/v1/organization")
    return { credential: person.token, path: "/v1/organization", status: 404, revoke }
  },
  "a directory's token revoked": async (owner) => {
    const { directoryId, token, tokenId } = await makeScimToken(plane, owner)
    const revoke = () => owner.call("DELETE", `/v1/scim/directories/${directoryId}/tokens/${tokenId}`)
    return { credential: token, path: "/v1/scim/v2/Users", status: 401, revoke }
  },
  "a directory's token rotated without a grace": async (owner) => {
    const { directoryId, token } = await makeScimToken(plane, owner)
    const revoke = () => owner.call("POST", `/v1/scim/directories/${directoryId}/tokens`, { graceSeconds: 0 })
    return { credential: token, path: "/v1/scim/v2/Users", status: 401, revoke }
  },
  "a directory removed": async (owner) => {
    const { directoryId, token } = await makeScimToken(plane, owner)
    const revoke = () => owner.call("DELETE", `/v1/scim/directories/${directoryId}`)
    return { credential: token, path: "/v1/scim/v2/Users", status: 401, revoke }
  },
  "an organization deleted, for a directory": async (owner) => {
    const { token } = await makeScimToken(plane, owner)
    const revoke = () => owner.call("DELETE", "/v1/organization")
    return { credential: token, path: "/v1/scim/v2/Users", status: 401, revoke }
  },
  "a member whom a directory makes inactive": async (owner) => {
    const directory = await makeScimToken(plane, owner)
    const userName = `${makeId("scu")}@corp.example`
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"]
    const response = await directory.call("POST", "/v1/scim/v2/Users", { schemas, userName })
    const [member] = (await owner.call("GET", `/v1/members?q=${userName}`)).body.items
    const { token } = await signIn(plane, member.userId, owner.organizationId)
    const revoke = () =>
      directory.call("PATCH", `/v1/scim/v2/Users/${response.body.id}`, {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", path: "active", value: false }]
      })
    return { credential: token, path: "/v1/organization", status: 404, revoke }
  },
  "an organization deleted, for a key": async (owner) => {
    const { key } = await makeKey(plane, owner, [])
    const revoke = () => owner.call("DELETE", "/v1/organization")
    return { credential: key, path: "/v1/api-keys/current", status: 401, revoke }
  }
}

describe("revocation in the same process", () => {
  it.each(Object.entries(revocations))("rejects the next request: %s", async (_, make) => {
    const { credential, path, revoke, status } = await make(await makeWorkspace(plane))
    for (let warm = 0; warm < 3; warm += 1) expect((await ask(plane, credential, path)).status).toBe(200)
    expect((await revoke()).status).toBeLessThan(300)
    for (let again = 0; again < 5; again += 1) expect((await ask(plane, credential, path)).status).toBe(status)
  })

  it(
    "rejects revoked credentials every time while concurrent requests fill the cache with them",
    { timeout: 180_000 },
    async () => {
      const owner = await makeWorkspace(plane)
      const person = await addMember(plane, owner, "member")
      // The cache is the same on both engines.
      const rounds = engine === "postgres" ? 1000 : 100
      const lanes = 8
      let wrong = 0
      const lane = async (from: number) => {
        for (let round = from; round < rounds; round += lanes) {
          const { token } = await signIn(plane, person.userId, owner.organizationId)
          const reads = [1, 2, 3].map(() => ask(plane, token, "/v1/organization"))
          const revoked = call(plane, token, someAddress())("DELETE", "/v1/sessions/current")
          // Concurrent requests may succeed or fail; requests after the response of the revocation must fail.
          if ((await revoked).status !== 204) wrong += 1
          if ((await ask(plane, token, "/v1/organization")).status !== 401) wrong += 1
          for (const read of await Promise.all(reads)) if (read.status !== 200 && read.status !== 401) wrong += 1
          if ((await ask(plane, token, "/v1/organization")).status !== 401) wrong += 1
        }
      }
      await Promise.all(Array.from({ length: lanes }, (_, from) => lane(from)))
      expect(wrong).toBe(0)
    }
  )

  it("ends a session's access to other organizations when it ends with its own organization", async () => {
    const owner = await makeWorkspace(plane)
    const elsewhere = await makeWorkspace(plane)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
        SELECT ${elsewhere.organizationId}, 'om_01h455vb4pex5vsknk084sn02r', ${owner.userId}, 'member', now(), now()`
    )
    const there = { "x-organization-id": elsewhere.organizationId }
    expect((await ask(plane, owner.token, "/v1/organization", there)).status).toBe(200)
    expect((await owner.call("DELETE", "/v1/organization")).status).toBe(204)
    expect((await ask(plane, owner.token, "/v1/organization", there)).status).toBe(401)
  })
})

describe("an organization without a membership", () => {
  it("is not cached, so that invented names cannot evict valid entries", async () => {
    const owner = await makeWorkspace(plane)
    const other = await makeWorkspace(plane)
    const there = { "x-organization-id": other.organizationId }
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect((await owner.call("GET", "/v1/organization", undefined, there)).status).toBe(404)
    }
    // Changed directly, so that no notice evicts it.
    await runSql(
      plane,
      (sql) => sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
        VALUES (${other.organizationId}, ${makeId("om")}, ${owner.userId}, 'member', now(), now())`
    )
    const { body, status } = await owner.call("GET", "/v1/organization", undefined, there)
    expect([status, body.organization?.id]).toEqual([200, other.organizationId])
  })
})

describe("cached users of the host application", () => {
  it("cannot be impersonated with a token that looks like a cache key", async () => {
    const owner = await makeWorkspace(plane)
    await owner.call("POST", "/v1/members", { subject: "ada", role: "admin" })
    const host = { "x-person": "ada" }
    const ada = () => call(plane)("GET", "/v1/members", undefined, host)
    for (let warm = 0; warm < 3; warm += 1) expect((await ada()).status).toBe(200)
    const { userId } = (await owner.call("GET", "/v1/members?role=admin")).body.items[0]
    const texts = ["ada", "host/ada", "host/ada/", "host//ada", "/ada", "//ada", "host", `${userId}`]
    for (const text of texts) {
      const bearer = await call(plane, text, someAddress())("GET", "/v1/members")
      const key = await call(plane, undefined, someAddress())("GET", "/v1/members", undefined, { "x-api-key": text })
      expect([bearer.status, key.status], text).toEqual([401, 401])
    }
    expect((await ada()).status).toBe(200)
  })
})

describe.skipIf(engine === "pglite")("two processes on one database", () => {
  const makeOther = async () => {
    const { database } = plane
    if (database.kind !== "postgres") throw new Error("Two processes need a server.")
    const proxy = await startNoticeProxy(database.url)
    afterAll(() => proxy.stop())
    return { other: await makeControlPlane({ database: { ...database, url: proxy.url } }), proxy }
  }
  /** Whether a process accepts a session without querying the database. */
  const remembers = (on: TestPlane, token: string) =>
    withServices(
      on,
      Effect.map(Principals, ({ cachedSession: recallSession }) => recallSession(token, Date.now()) !== undefined)
    )
  const untilHears = async (on: TestPlane, token: string) => {
    while (!(await remembers(on, token))) {
      await ask(on, token, "/v1/organization")
      await pause(25)
    }
  }
  const untilDeaf = async (on: TestPlane, token: string) => {
    while (await remembers(on, token)) await pause(10)
  }

  it("reject on one process what was revoked on the other, permanently", { timeout: 240_000 }, async () => {
    const { other } = await makeOther()
    await untilHears(other, (await makeWorkspace(plane)).token)
    for (const [name, make] of Object.entries(revocations)) {
      const { credential, path, revoke, status } = await make(await makeWorkspace(plane))
      for (let warm = 0; warm < 3; warm += 1) expect((await ask(other, credential, path)).status, name).toBe(200)
      expect((await revoke()).status, name).toBeLessThan(300)
      const millis = await untilRefused(other, credential, path, status)
      console.info(`${name}: refused by the other process after ${millis.toFixed(1)} ms`)
    }
  })

  it("query the database for every request once the notification channel is cut", { timeout: 240_000 }, async () => {
    const { other, proxy } = await makeOther()
    const owner = await makeWorkspace(plane)
    const witness = (await addMember(plane, owner, "member")).token
    await untilHears(other, witness)
    const first = await revocations["a session revoked"]?.(owner)
    const late = await revocations["a session revoked"]?.(owner)
    if (first === undefined || late === undefined) throw new Error("No such revocation.")
    for (const { credential, path } of [first, late]) expect((await ask(other, credential, path)).status).toBe(200)
    proxy.cut()
    expect((await first.revoke()).status).toBe(204)
    const millis = await untilRefused(other, first.credential, first.path, 401)
    console.info(`with the channel cut: refused after ${millis.toFixed(1)} ms`)
    await untilDeaf(other, witness)
    for (const [name, make] of Object.entries(revocations)) {
      const { credential, path, revoke, status } = await make(await makeWorkspace(plane))
      expect((await ask(other, credential, path)).status).toBe(200)
      expect((await revoke()).status).toBeLessThan(300)
      // Without notices nothing is cached, so the very next request is rejected.
      expect((await ask(other, credential, path)).status, name).toBe(status)
    }
    // Cached before the cut, and revoked during it without a request in between.
    expect((await late.revoke()).status).toBe(204)
    proxy.open()
    while (!(await remembers(other, witness))) {
      for (const { credential, path } of [first, late]) expect((await ask(other, credential, path)).status).toBe(401)
      await ask(other, witness, "/v1/organization")
      await pause(5)
    }
    for (const { credential, path } of [first, late]) expect((await ask(other, credential, path)).status).toBe(401)
    const { credential, path, revoke } = await (revocations["a key revoked"] ?? (() => Promise.reject(new Error())))(
      owner
    )
    expect((await ask(other, credential, path)).status).toBe(200)
    await revoke()
    await untilRefused(other, credential, path, 401)
  })

  it("accept nothing that arrives late on a stuck channel", { timeout: 240_000 }, async () => {
    const { other, proxy } = await makeOther()
    const owner = await makeWorkspace(plane)
    const witness = (await addMember(plane, owner, "member")).token
    for (let round = 0; round < 2; round += 1) {
      await untilHears(other, witness)
      const revocation = await revocations["a member demoted"]?.(owner)
      if (revocation === undefined) throw new Error("No such revocation.")
      const { credential, path, revoke } = revocation
      expect((await ask(other, credential, path)).status).toBe(200)
      proxy.hold()
      expect((await revoke()).status).toBe(200)
      const millis = await untilRefused(other, credential, path, 403)
      console.info(`with the channel stuck: refused after ${millis.toFixed(1)} ms`)
      proxy.open()
      while (!(await remembers(other, witness))) {
        expect((await ask(other, credential, path)).status).toBe(403)
        await ask(other, witness, "/v1/organization")
        await pause(25)
      }
      expect((await ask(other, credential, path)).status).toBe(403)
    }
  })

  it("do not cache an outdated result of the database", { timeout: 240_000 }, async () => {
    const { other, proxy } = await makeOther()
    const owner = await makeWorkspace(plane)
    const witness = (await addMember(plane, owner, "member")).token
    await untilHears(other, witness)
    const [activeKey, silent] = [await makeKey(plane, owner, []), await makeKey(plane, owner, [])]
    for (const { key } of [activeKey, silent]) {
      for (let warm = 0; warm < 3; warm += 1) expect((await ask(other, key, "/v1/api-keys/current")).status).toBe(200)
    }
    proxy.hold()
    while (proxy.heldCount() === 0) await pause(5)
    for (const { id } of [activeKey, silent])
      expect((await owner.call("DELETE", `/v1/api-keys/${id}`)).status).toBe(204)
    await untilRefused(other, activeKey.key, "/v1/api-keys/current", 401)
    await pause(2000)
    // The result of a query from before the revocations; the notices since then are still on their way.
    proxy.trickle()
    for (let again = 0; again < 20; again += 1) {
      for (const { key } of [activeKey, silent]) {
        expect((await ask(other, key, "/v1/api-keys/current")).status).toBe(401)
      }
      await pause(5)
    }
    proxy.open()
  })

  it.each(["the same process", "the other process"])(
    "do not restore a session that was revoked by %s while it was loaded",
    async (where) => {
      const { other } = await makeOther()
      const revoker = where === "the same process" ? other : plane
      for (let round = 0; round < 5; round += 1) {
        const owner = await makeWorkspace(plane)
        const person = await addMember(plane, owner, "member")
        const target = await signIn(plane, person.userId, owner.organizationId)
        for (const on of [other, revoker]) expect((await ask(on, person.token, "/v1/organization")).status).toBe(200)
        await untilHears(other, person.token)

        let release = () => {}
        let locked = () => {}
        const isLocked = new Promise<void>((resolve) => (locked = resolve))
        const gate = new Promise<void>((resolve) => (release = resolve))
        // Reads the session first and then its membership, which waits for this lock.
        const holding = runSql(plane, (sql) =>
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`LOCK TABLE roles IN ACCESS EXCLUSIVE MODE`
              locked()
              yield* Effect.promise(() => gate)
            })
          )
        )
        await isLocked
        const reading = ask(other, target.token, "/v1/organization")
        for (let isWaiting = false; !isWaiting; await pause(5)) {
          const [row] = await runSql(
            plane,
            (sql) => sql<{
              waits: boolean
            }>`SELECT EXISTS (SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
              WHERE d.datname = current_database() AND NOT l.granted AND l.relation = 'roles'::regclass) AS waits`
          )
          isWaiting = row?.waits === true
        }
        const revoked = await call(revoker, person.token)("DELETE", `/v1/sessions/${target.id}`)
        expect(revoked.status).toBe(204)
        // Notices arrive in order: when this one has arrived, the earlier one has too.
        expect((await call(revoker, person.token)("DELETE", "/v1/sessions/current")).status).toBe(204)
        await untilDeaf(other, person.token)
        release()
        await holding
        expect([200, 401]).toContain((await reading).status)
        for (let again = 0; again < 3; again += 1) {
          expect((await ask(other, target.token, "/v1/organization")).status).toBe(401)
        }
      }
    }
  )

  it("share the rate limit of a key", async () => {
    const { other } = await makeOther()
    const owner = await makeWorkspace(plane)
    const { key } = await makeKey(plane, owner, [], { requestsPerMinute: 120 })
    let good = 0
    for (let count = 0; count < 130; count += 1) {
      for (const on of [plane, other]) {
        const { status } = await ask(on, key, "/v1/api-keys/current")
        if (status === 200) good += 1
        else expect(status).toBe(429)
      }
    }
    expect(good).toBe(120)
  })
})
