import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { createPublicKey, verify } from "node:crypto"
import { describe, expect, it } from "vitest"
import { AuditChain } from "../../src/identity/audit/chain.ts"
import { makeId } from "../../src/infra/ids.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import {
  addMember,
  type TestResponse,
  engine,
  makeControlPlane,
  makeWorkspace,
  type Person,
  runSql,
  withServices
} from "../harness.ts"
import { sealEvents } from "../seal-events.ts"

// Without the background worker, so that the tests decide what is sealed when.
const plane = await makeControlPlane({ workers: false })

const checkpoint = () =>
  withServices(plane, Effect.flatMap(AuditChain, (chain) => chain.checkpoint(0)).pipe(Effect.orDie))

/** Statements by someone with access to the database but not to the secret keys, with the audit trigger disabled. */
const tamper = (...statements: ReadonlyArray<string>) =>
  withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      yield* sql.unsafe("ALTER TABLE audit_events DISABLE TRIGGER USER")
      for (const statement of statements) yield* sql.unsafe(statement)
      yield* sql.unsafe("ALTER TABLE audit_events ENABLE TRIGGER USER")
    }).pipe(Effect.orDie)
  )

const run = (statement: string) =>
  withServices(plane, Effect.flatMap(SqlDatabase, (sql) => sql.unsafe(statement)).pipe(Effect.result))

const verified = async (person: Person) => {
  const { body, status } = await person.call("POST", "/v1/audit-events/verify")
  expect(status).toBe(200)
  return body.verification
}

/** An organization with this many events after its creation. */
const organizationWith = async (events: number) => {
  const owner = await makeWorkspace(plane)
  for (let index = 0; index < events; index++) await owner.client.plugins.create({ name: `Plugin ${index}` })
  await sealEvents(plane)
  return owner
}

const eventsOf = async (person: Person, query: string): Promise<ReadonlyArray<TestResponse["body"]>> => {
  const { body, status } = await person.call("GET", `/v1/audit-events?${query}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body.items
}

describe("GET /v1/audit-events", () => {
  it("lists events newest first, with their sequence number once they are sealed", async () => {
    const owner = await makeWorkspace(plane)
    await owner.client.plugins.create({ name: "One" })
    expect((await eventsOf(owner, "limit=1"))[0]).toMatchObject({ action: "plugin.create", sequence: null })
    await sealEvents(plane)
    const sealed = await eventsOf(owner, "")
    const sequences = sealed.map((event) => event.sequence as number)
    expect(sequences).toEqual(sequences.toSorted((a, b) => b - a))
    expect(sequences.at(-1)).toBe(1)
  })

  it("follows the sealed order after an event across pages, without gaps or repetition", async () => {
    const owner = await organizationWith(1)
    const [start] = await eventsOf(owner, "limit=1")
    const pluginIds: Array<string> = []
    for (let index = 0; index < 5; index++) pluginIds.push((await owner.client.plugins.create({ name: "x" })).id)
    expect(await eventsOf(owner, `after=${start.id}`)).toEqual([])
    await sealEvents(plane)
    const first = (await owner.call("GET", `/v1/audit-events?after=${start.id}&limit=2`)).body
    expect(first.items.map(({ targetId }: { targetId: string }) => targetId)).toEqual(pluginIds.slice(0, 2))
    const second = (await owner.call("GET", `/v1/audit-events?after=${start.id}&limit=2&cursor=${first.nextCursor}`))
      .body
    expect(second.items.map(({ targetId }: { targetId: string }) => targetId)).toEqual(pluginIds.slice(2, 4))
    const third = await eventsOf(owner, `after=${second.items.at(-1).id}`)
    expect(third.map((event) => event.targetId)).toEqual(pluginIds.slice(4))
    expect(await eventsOf(owner, `after=${third.at(-1).id}`)).toEqual([])
    // A cursor of one direction is not valid for the other.
    expect((await owner.call("GET", `/v1/audit-events?cursor=${first.nextCursor}`)).status).toBe(400)
  })

  it("returns nothing after an event that is not sealed yet", async () => {
    const owner = await organizationWith(1)
    await owner.client.plugins.create({ name: "x" })
    const [newest] = await eventsOf(owner, "limit=1")
    expect(newest.sequence).toBe(null)
    expect(await eventsOf(owner, `after=${newest.id}`)).toEqual([])
  })

  it("filters by action, actor, target and time with any offset", async () => {
    const owner = await organizationWith(2)
    const [event] = await eventsOf(owner, "action=plugin.create")
    expect((await eventsOf(owner, `targetId=${event.targetId}`)).map(({ id }) => id)).toEqual([event.id])
    expect((await eventsOf(owner, `actorId=${owner.membershipId}&action=plugin.create`)).length).toBe(2)
    const at = new Date(event.createdAt).getTime()
    const shifted = `${new Date(at + 5.5 * 3_600_000).toISOString().slice(0, -1)}+05:30`
    const since = (await eventsOf(owner, `since=${encodeURIComponent(shifted)}`)).map(({ id }) => id)
    expect(since).toContain(event.id)
    const until = (await eventsOf(owner, `until=${encodeURIComponent(shifted)}`)).map(({ id }) => id)
    expect(until).not.toContain(event.id)
    expect((await eventsOf(owner, "since=2999-01-01T00:00:00Z")).length).toBe(0)
    expect((await eventsOf(owner, "until=0001-01-01T00:00:00-14:00")).length).toBe(0)
  })

  it("lists an event exactly at since, but not one exactly at until", async () => {
    const owner = await makeWorkspace(plane)
    const id = makeId("aud")
    // Events have microseconds, and the filters milliseconds.
    const at = Date.now()
    const timeAfter = (millis: number) => new Date(at + millis).toISOString()
    await runSql(
      plane,
      (
        sql
      ) => sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, payload_digest, created_at)
        VALUES (${id}, ${owner.organizationId}, 'plugin.archive', 'system', 'test', '', ${new Date(at)})`
    )
    const idsOf = async (query: string) =>
      (await eventsOf(owner, `action=plugin.archive&${query}`)).map((event) => event.id)
    expect(await idsOf(`since=${timeAfter(0)}&until=${timeAfter(1)}`)).toEqual([id])
    expect(await idsOf(`since=${timeAfter(-1)}&until=${timeAfter(0)}`)).toEqual([])
  })

  it.each([
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59-01:00",
    "yesterday",
    "2026-01-01T00:00:00 02:00"
  ])("returns 400 for the time %s", async (text) => {
    const owner = await makeWorkspace(plane)
    for (const name of ["since", "until"]) {
      const response = await owner.call("GET", `/v1/audit-events?${name}=${encodeURIComponent(text)}`)
      expect([response.status, response.body.details?.[0]?.path]).toEqual([400, ["query", name]])
      expect((await owner.call("GET", `/v1/audit-events/export?${name}=${encodeURIComponent(text)}`)).status).toBe(400)
    }
  })

  it("returns the same 400 after an event that is missing or foreign, and for an invalid id", async () => {
    const owner = await organizationWith(1)
    const [foreign] = await eventsOf(await organizationWith(1), "limit=1")
    const missing = await owner.call("GET", `/v1/audit-events?after=${makeId("aud")}`)
    expect([missing.status, missing.body.details[0].path]).toEqual([400, ["query", "after"]])
    expect((await owner.call("GET", `/v1/audit-events?after=${foreign.id}`)).text).toBe(missing.text)
    expect((await owner.call("GET", "/v1/audit-events?after=aud_1")).status).toBe(400)
  })

  it("returns 403 without audit:read, for every operation", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    for (const [method, path] of [
      ["GET", "/v1/audit-events"],
      ["GET", "/v1/audit-events/export"],
      ["GET", "/v1/audit-events/checkpoints"],
      ["POST", "/v1/audit-events/verify"]
    ] as const) {
      const refused = await member.call(method, path)
      expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    }
  })
})

describe("GET /v1/audit-events/export", () => {
  it("streams NDJSON in the sealed order, seals pending events first, and excludes other organizations", async () => {
    const owner = await organizationWith(0)
    await organizationWith(1)
    const pluginIds = [
      (await owner.client.plugins.create({ name: "a" })).id,
      (await owner.client.plugins.create({ name: "b" })).id
    ]
    const response = await owner.call("GET", "/v1/audit-events/export?action=plugin.create")
    expect(response.headers.get("content-type")).toBe("application/x-ndjson")
    const events = response.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
    expect(events.map((event) => event.targetId)).toEqual(pluginIds)
    expect(events.map((event) => event.organizationId)).toEqual([owner.organizationId, owner.organizationId])
    const streamed = await owner.client.audit.export()
    const chunks: Array<Uint8Array> = []
    for await (const chunk of streamed) chunks.push(chunk)
    const all = Buffer.concat(chunks)
      .toString("utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).sequence)
    expect(all).toEqual(all.map((_, index) => index + 1))
  })

  it("streams CSV with cells that no spreadsheet executes", async () => {
    const owner = await organizationWith(0)
    await owner.call("POST", "/v1/plugins", { name: "x" }, { "user-agent": '=HYPERLINK("http://evil.example","a,b")' })
    const response = await owner.call("GET", "/v1/audit-events/export?format=csv&action=plugin.create")
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    expect(response.headers.get("content-disposition")).toContain("audit-events.csv")
    const lines = response.text.split("\r\n")
    expect(lines[0]).toBe(
      "id,organizationId,sequence,action,actorKind,actorId,targetId,requestId,address,userAgent,before,after,createdAt"
    )
    expect(response.text).toContain(`"'=HYPERLINK(""http://evil.example"",""a,b"")"`)
    expect(lines.length).toBe(3)
    // The header is there even without rows.
    expect((await owner.call("GET", "/v1/audit-events/export?format=csv&action=none")).text.split("\r\n").length).toBe(
      2
    )
    expect((await owner.call("GET", "/v1/audit-events/export?action=none")).text).toBe("")
    expect((await owner.call("GET", "/v1/audit-events/export?format=xlsx")).status).toBe(400)
  })

  it("streams more than one batch, each event once", async () => {
    const owner = await organizationWith(1)
    await run(`INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
      SELECT 'aud_0' || lpad(i::text, 25, '0'), '${owner.organizationId}', 'worker.update', 'system', now()
      FROM generate_series(1, 1234) i`)
    const { text } = await owner.call("GET", "/v1/audit-events/export?action=worker.update")
    const sequences = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).sequence as number)
    expect(new Set(sequences).size).toBe(1234)
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
    expect(await verified(owner)).toMatchObject({ valid: true, firstInvalidSequence: null, reason: null })
  })
})

describe("POST /v1/audit-events/verify", () => {
  it("seals pending events and verifies an untampered chain", async () => {
    const owner = await organizationWith(3)
    await owner.client.plugins.create({ name: "not sealed yet" })
    const { eventCount, sealedThrough, ...rest } = await verified(owner)
    expect(rest).toEqual({
      valid: true,
      firstInvalidSequence: null,
      reason: null,
      truncatedThrough: null,
      truncatedAt: null
    })
    expect(eventCount).toBe(sealedThrough)
    expect((await eventsOf(owner, "limit=1"))[0].sequence).toBe(sealedThrough)
  })

  it.each([
    ["action", "action = 'plugin.get'"],
    ["actor", "actor_id = 'om_somebody'"],
    ["kind of actor", "actor_kind = 'key'"],
    ["credential", "credential_id = 'ses_another'"],
    ["target", "target_id = 'plg_another'"],
    ["request", "request_id = 'req_another'"],
    ["address", "address = '203.0.113.1'"],
    ["user agent", "user_agent = 'another'"],
    ["state before", "before_json = '{}'"],
    ["digest", "payload_digest = repeat('0', 64)"],
    ["transaction", "created_txid = created_txid + 1"],
    ["one character of the payload", `after_json = jsonb_set(after_json, '{name,length}', '9')`],
    ["a microsecond", "created_at = created_at + interval '1 microsecond'"],
    ["the hash", "hash = repeat('0', 64)"],
    ["the key", "seal_key_id = 'another'"]
  ])("detects a change of %s and its position", async (_, change) => {
    const owner = await organizationWith(4)
    const [, , , event] = await eventsOf(owner, "")
    await tamper(`UPDATE audit_events SET ${change} WHERE id = '${event.id}'`)
    expect(await verified(owner)).toMatchObject({ valid: false, firstInvalidSequence: event.sequence })
  })

  it("detects an event that was removed, moved to another organization, or swapped with its neighbor", async () => {
    const removed = await organizationWith(4)
    const [, event] = await eventsOf(removed, "")
    await tamper(`DELETE FROM audit_events WHERE id = '${event.id}'`)
    expect(await verified(removed)).toMatchObject({ valid: false, firstInvalidSequence: event.sequence })

    const robbed = await organizationWith(4)
    const given = await organizationWith(1)
    const [last, before] = await eventsOf(robbed, "")
    await tamper(
      `UPDATE audit_events SET organization_id = '${given.organizationId}', sequence = 99 WHERE id = '${last.id}'`
    )
    expect(await verified(robbed)).toMatchObject({ valid: false, firstInvalidSequence: last.sequence })
    expect((await verified(given)).valid).toBe(false)
    expect(before.sequence).toBe(last.sequence - 1)

    const swapped = await organizationWith(4)
    const [one, two] = await eventsOf(swapped, "")
    await tamper(
      `UPDATE audit_events SET sequence = 999 WHERE id = '${one.id}'`,
      `UPDATE audit_events SET sequence = ${one.sequence} WHERE id = '${two.id}'`,
      `UPDATE audit_events SET sequence = ${two.sequence} WHERE id = '${one.id}'`
    )
    expect(await verified(swapped)).toMatchObject({ valid: false, firstInvalidSequence: two.sequence })
  })

  it("detects an event that was added after the end", async () => {
    const owner = await organizationWith(2)
    const [last] = await eventsOf(owner, "limit=1")
    await tamper(
      `INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at, sequence, hash, seal_key_id)
        SELECT '${makeId("aud")}', organization_id, action, actor_kind, now(), sequence + 1, hash, seal_key_id
        FROM audit_events WHERE id = '${last.id}'`
    )
    expect(await verified(owner)).toMatchObject({ valid: false, firstInvalidSequence: last.sequence + 1 })
  })

  it("detects an event that was moved before the first sequence number, which the trigger allows", async () => {
    const owner = await organizationWith(2)
    await owner.client.plugins.create({ name: "to be hidden" })
    await runSql(
      plane,
      (sql) => sql`UPDATE audit_events SET sequence = -1, hash = '', seal_key_id = ''
        WHERE organization_id = ${owner.organizationId} AND sequence IS NULL`
    )
    expect(await verified(owner)).toMatchObject({ valid: false, firstInvalidSequence: -1 })
  })

  it("detects removed last events, even if the chain was shortened too", async () => {
    const owner = await organizationWith(4)
    await checkpoint()
    const [last, previous] = await eventsOf(owner, "")
    await tamper(`DELETE FROM audit_events WHERE id = '${last.id}'`)
    expect(await verified(owner)).toMatchObject({ valid: false, firstInvalidSequence: last.sequence })
    // If the chain is shortened too, a signed checkpoint reveals it.
    await run(`UPDATE audit_chains c SET sequence = e.sequence, hash = e.hash FROM audit_events e
      WHERE e.id = '${previous.id}' AND c.organization_id = e.organization_id`)
    expect(await verified(owner)).toMatchObject({ valid: false, firstInvalidSequence: last.sequence })
    // And so are other events in the place of the removed ones.
    await owner.client.plugins.create({ name: "instead" })
    expect(await verified(owner)).toMatchObject({ valid: false, firstInvalidSequence: last.sequence })
  })

  it("detects a rewritten history with a checkpoint that was kept elsewhere", async () => {
    const owner = await organizationWith(4)
    await checkpoint()
    const [savedCheckpoint] = (await owner.call("GET", "/v1/audit-events/checkpoints")).body.items
    const verify = () =>
      owner.call("POST", `/v1/audit-events/verify?sequence=${savedCheckpoint.sequence}&hash=${savedCheckpoint.hash}`)
    expect((await verify()).body.verification.valid).toBe(true)
    const of = `WHERE organization_id = '${owner.organizationId}'`
    await tamper(
      `UPDATE audit_events SET sequence = NULL, hash = NULL, seal_key_id = NULL ${of}`,
      `UPDATE audit_events SET action = 'plugin.other' ${of}`,
      `DELETE FROM audit_chains ${of}`,
      `DELETE FROM audit_checkpoints ${of}`
    )
    expect((await verified(owner)).valid).toBe(true)
    expect((await verify()).body.verification).toMatchObject({
      valid: false,
      firstInvalidSequence: savedCheckpoint.sequence,
      reason: "The events do not match the given checkpoint."
    })
    const ahead = await owner.call("POST", `/v1/audit-events/verify?sequence=999&hash=${savedCheckpoint.hash}`)
    expect(ahead.body.verification.reason).toBe("The last events were removed.")
  })

  it("returns 400 for half a checkpoint and for an invalid one", async () => {
    const owner = await organizationWith(1)
    for (const [query, name] of [
      ["sequence=1", "hash"],
      [`hash=${"a".repeat(64)}`, "sequence"],
      [`sequence=0&hash=${"a".repeat(64)}`, "sequence"],
      ["sequence=1&hash=x", "hash"]
    ] as const) {
      const response = await owner.call("POST", `/v1/audit-events/verify?${query}`)
      expect([query, response.status, response.body.details[0].path]).toEqual([query, 400, ["query", name]])
    }
  })

  it("detects a forged checkpoint", async () => {
    const owner = await organizationWith(2)
    await checkpoint()
    await run(`UPDATE audit_checkpoints SET signature = 'AAAA' WHERE organization_id = '${owner.organizationId}'`)
    const { reason, valid } = await verified(owner)
    expect([valid, reason]).toEqual([false, "A checkpoint is not signed with a key of this installation."])
  })
})

describe("GET /v1/audit-events/checkpoints", () => {
  it("returns checkpoints that anyone can verify with the public keys", async () => {
    const owner = await organizationWith(1)
    await checkpoint()
    await owner.client.plugins.create({ name: "later" })
    await sealEvents(plane)
    await checkpoint()
    await checkpoint()
    const { body } = await owner.call("GET", "/v1/audit-events/checkpoints?limit=1")
    expect(body.items.length).toBe(1)
    const older = (await owner.call("GET", `/v1/audit-events/checkpoints?cursor=${body.nextCursor}`)).body
    expect(older.items.length).toBe(1)
    expect(older.nextCursor).toBe(null)
    const [{ hash, keyId, sequence, signature }] = body.items
    expect(sequence).toBe(older.items[0].sequence + 1)
    const { keys } = (await owner.call("GET", "/v1/keys")).body
    const jwk = keys.find((key: { kid: string }) => key.kid === keyId)
    const signed = Buffer.from(`${owner.organizationId}.${sequence}.${hash}`)
    expect(
      verify(null, signed, createPublicKey({ key: jwk, format: "jwk" }), Buffer.from(signature, "base64url"))
    ).toBe(true)
    expect((await owner.call("GET", "/v1/audit-events/checkpoints?cursor=x")).status).toBe(400)
  })
})

describe("the audit_events table", () => {
  it("rejects statements that change, seal twice, insert with a sequence number, delete or truncate events", async () => {
    const owner = await organizationWith(1)
    const of = `organization_id = '${owner.organizationId}'`
    for (const statement of [
      `UPDATE audit_events SET action = 'x' WHERE ${of}`,
      `UPDATE audit_events SET sequence = sequence + 100 WHERE ${of}`,
      `UPDATE audit_events SET hash = 'x' WHERE ${of}`,
      `INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at, sequence)
        VALUES ('${makeId("aud")}', '${owner.organizationId}', 'x', 'system', now(), 500)`,
      `DELETE FROM audit_events WHERE ${of}`,
      "TRUNCATE audit_events"
    ]) {
      const result = await run(statement)
      expect([statement, result._tag]).toEqual([statement, "Failure"])
    }
    expect((await verified(owner)).valid).toBe(true)
  })

  it("isolates the events of each organization from transactions of others", async () => {
    const owner = await organizationWith(1)
    const stranger = await organizationWith(1)
    const { Mutate } = await import("../../src/infra/mutate/index.ts")
    const caller = { kind: "system" as const, organizationId: stranger.organizationId as Id<"org"> }
    const attempt = (statement: string) =>
      withServices(
        plane,
        Effect.gen(function* () {
          const sql = yield* SqlDatabase
          const { mutate } = yield* Mutate
          return yield* mutate(caller, "worker.update", sql.unsafe(statement), () => ({}))
        }).pipe(Effect.sandbox, Effect.result)
      )
    const seen = await attempt(`SELECT id FROM audit_events WHERE organization_id = '${owner.organizationId}'`)
    expect(seen._tag === "Success" ? seen.success : undefined).toEqual([])
    const added = await attempt(`INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
      VALUES ('${makeId("aud")}', '${owner.organizationId}', 'x', 'system', now())`)
    expect(added._tag).toBe("Failure")
    expect((await attempt(`DELETE FROM audit_checkpoints`))._tag).toBe("Failure")
  })

  it("seals events without an organization into a separate chain", async () => {
    const id = makeId("aud")
    await run(`INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
      VALUES ('${id}', NULL, 'platform.test', 'system', now())`)
    await sealEvents(plane)
    const result = await run(`SELECT sequence FROM audit_events WHERE id = '${id}'`)
    expect(result._tag === "Success" && (result.success[0] as { sequence: number }).sequence > 0).toBe(true)
  })

  // In process, each transaction has exclusive use of the database.
  it.runIf(engine === "postgres")(
    "places the events of a transaction that commits late after those sealed meanwhile",
    async () => {
      const owner = await organizationWith(1)
      const late = makeId("aud")
      const opened = Promise.withResolvers<void>()
      const closing = Promise.withResolvers<void>()
      const transaction = withServices(
        plane,
        Effect.gen(function* () {
          const sql = yield* SqlDatabase
          yield* sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
          VALUES (${late}, ${owner.organizationId}, 'worker.update', 'system', now())`
          opened.resolve()
          yield* Effect.promise(() => closing.promise)
        }).pipe((effect) => Effect.flatMap(SqlDatabase, (sql) => sql.withTransaction(effect)), Effect.orDie)
      )
      await opened.promise
      await owner.client.plugins.create({ name: "Meanwhile" })
      await sealEvents(plane)
      const [meanwhile] = await eventsOf(owner, "limit=1&action=plugin.create")
      expect(meanwhile.sequence).not.toBe(null)
      closing.resolve()
      await transaction
      await sealEvents(plane)
      const followed = await eventsOf(owner, `after=${meanwhile.id}`)
      expect(followed.map((event) => event.id)).toEqual([late])
      expect((await verified(owner)).valid).toBe(true)
    }
  )

  it("assigns each event one sequence number when several processes seal concurrently with writes", async () => {
    const owner = await organizationWith(0)
    const other = engine === "postgres" ? await makeControlPlane({ workers: false, database: plane.database }) : plane
    const writers = Array.from({ length: 20 }, (_, index) => owner.client.plugins.create({ name: `Raced ${index}` }))
    const sealers = Array.from({ length: 6 }, (_, index) => sealEvents(index % 2 === 0 ? plane : other))
    await Promise.all([...writers, ...sealers])
    const { eventCount, valid } = await verified(owner)
    expect(valid).toBe(true)
    const { text } = await owner.call("GET", "/v1/audit-events/export?action=plugin.create")
    expect(text.trim().split("\n").length).toBe(20)
    expect(eventCount).toBeGreaterThanOrEqual(20)
  })
})
