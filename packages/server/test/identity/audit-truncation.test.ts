/** Audit events that reach the end of their retention are deleted, and the rest of the chain is still verified. */
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { describe, expect, it } from "vitest"
import { AuditChain } from "../../src/identity/audit/chain.ts"
import { retentionDefaults } from "../../src/infra/config/retention.ts"
import { checkBounds } from "../../src/operations/housekeeping/check.ts"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import { retentionState } from "../../src/operations/housekeeping/state-repo.ts"
import {
  makeControlPlane,
  makeWorkspace,
  type Person,
  platformAdmin,
  runSql,
  signInByEmail,
  withServices
} from "../harness.ts"
import { sealEvents } from "../seal-events.ts"

// Without the background worker, so that the tests decide what is sealed and deleted when.
const plane = await makeControlPlane({ workers: false, logLevel: "none" })

const onChain = <A>(use: (chain: AuditChain["Service"]) => Effect.Effect<A, unknown>) =>
  withServices(
    plane,
    Effect.flatMap(AuditChain, use).pipe(Effect.orDie, Effect.provideService(References.MinimumLogLevel, "None"))
  )
const checkpoint = () => onChain((chain) => chain.checkpoint(0))
const truncate = (report?: (table: string, rows: number) => Effect.Effect<void>) =>
  onChain((chain) => chain.truncate(30, report))

const run = (...statements: ReadonlyArray<string>) =>
  runSql(plane, (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement)))

/** Statements by someone with access to the database but not to the secret keys. */
const tamper = (...statements: ReadonlyArray<string>) =>
  run("ALTER TABLE audit_events DISABLE TRIGGER USER", ...statements, "ALTER TABLE audit_events ENABLE TRIGGER USER")

const verified = async (person: Person, query = "") => {
  const { body, status } = await person.call("POST", `/v1/audit-events/verify${query}`)
  expect(status).toBe(200)
  return body.verification
}
const eventsOf = async (person: Person): Promise<ReadonlyArray<{ id: string; sequence: number; targetId: string }>> =>
  (await person.call("GET", "/v1/audit-events?limit=100")).body.items

/** Seals all events, and makes them look a month old for the retention. */
const age = async (person: Person) => {
  await sealEvents(plane)
  await checkpoint()
  await run(
    `UPDATE audit_checkpoints SET created_at = now() - interval '31 days' WHERE organization_id = '${person.organizationId}'`
  )
  return (await eventsOf(person))[0]?.sequence ?? 0
}

/** An organization with old events that were deleted, and younger ones. */
const truncated = async () => {
  const owner = await makeWorkspace(plane)
  for (const name of ["Old", "Older"]) await owner.client.plugins.create({ name })
  const last = await age(owner)
  for (const name of ["One", "Two", "Three"]) await owner.client.plugins.create({ name })
  await sealEvents(plane)
  await checkpoint()
  await truncate()
  return { owner, last }
}

describe("the retention of audit events", () => {
  it("deletes the events before the last old checkpoint, and the rest is verified from its signed record", async () => {
    const { last, owner } = await truncated()
    expect(last).toBeGreaterThan(1)
    expect((await eventsOf(owner)).map(({ sequence }) => sequence)).toEqual([last + 3, last + 2, last + 1])
    expect(await verified(owner)).toEqual({
      valid: true,
      eventCount: 3,
      sealedThrough: last + 3,
      firstInvalidSequence: null,
      reason: null,
      truncatedThrough: last,
      truncatedAt: expect.stringMatching(/^\d{4}-.*Z$/)
    })
    const exported = await owner.call("GET", "/v1/audit-events/export")
    const sequences = exported.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).sequence)
    expect(sequences).toEqual([last + 1, last + 2, last + 3])
    const { body } = await owner.call("GET", "/v1/audit-events/checkpoints")
    expect(body.items.map(({ sequence }: { sequence: number }) => sequence)).toEqual([last + 3, last])
  })

  it("continues: later events follow, and are deleted later, each counted once", async () => {
    const { last, owner } = await truncated()
    const next = await age(owner)
    await owner.client.plugins.create({ name: "Newest" })
    await sealEvents(plane)
    const counts = new Map<string, number>()
    await truncate((table, rows) => Effect.sync(() => counts.set(table, (counts.get(table) ?? 0) + rows)))
    expect(next).toBe(last + 3)
    expect([counts.get("audit_events"), counts.get("audit_checkpoints")]).toEqual([3, 1])
    expect(await verified(owner)).toMatchObject({ valid: true, eventCount: 1, truncatedThrough: next })
    const [row] = await runSql(
      plane,
      (sql) => sql<{ event_count: number }>`SELECT event_count FROM audit_truncations
      WHERE organization_id = ${owner.organizationId}`
    )
    expect(row?.event_count).toBe(next)
    // Nothing else is old.
    await truncate()
    expect(await verified(owner)).toMatchObject({ valid: true, eventCount: 1, truncatedThrough: next })
  })

  it("covers events without an organization", async () => {
    await signInByEmail(plane, platformAdmin)
    await sealEvents(plane)
    await checkpoint()
    const platformEvents = () =>
      runSql(
        plane,
        (sql) => sql<{ count: number }>`SELECT count(*)::int AS count FROM audit_events
        WHERE organization_id IS NULL AND sequence IS NOT NULL`
      ).then(([row]) => row?.count)
    expect(await platformEvents()).toBeGreaterThan(0)
    await run("UPDATE audit_checkpoints SET created_at = now() - interval '31 days' WHERE organization_id = 'platform'")
    await truncate()
    expect(await platformEvents()).toBe(0)
  })

  it("is completed by the next run if a process exits between the record and the deletion", async () => {
    const { last, owner } = await truncated()
    const before = await age(owner)
    await owner.client.plugins.create({ name: "Young" })
    await sealEvents(plane)
    // The report fails after the record was written.
    await truncate(() => Effect.die("the process exits")).catch(() => {})
    expect((await verified(owner)).valid).toBe(true)
    await truncate()
    expect((await eventsOf(owner)).map(({ sequence }) => sequence)).toEqual([before + 1])
    expect(before).toBeGreaterThan(last)
  })

  it("keeps events that were changed, so that the evidence remains, and the daily check reports them", async () => {
    const owner = await makeWorkspace(plane)
    await owner.client.plugins.create({ name: "Evidence" })
    await run(
      "ALTER TABLE audit_events DISABLE TRIGGER USER",
      `UPDATE audit_events SET created_at = now() - interval '40 days' WHERE organization_id = '${owner.organizationId}'`,
      "ALTER TABLE audit_events ENABLE TRIGGER USER"
    )
    await age(owner)
    await tamper(
      `UPDATE audit_events SET actor_id = 'om_another' WHERE organization_id = '${owner.organizationId}' AND sequence = 1`
    )
    const before = (await eventsOf(owner)).length
    await truncate()
    expect((await eventsOf(owner)).length).toBe(before)
    expect(await verified(owner)).toMatchObject({ valid: false, firstInvalidSequence: 1, truncatedThrough: null })
    const { tables } = await runSql(plane, (sql) =>
      Effect.andThen(
        checkBounds(sql, { retention: { ...retentionDefaults, auditDays: 30 }, telemetryDays: 400 }),
        retentionState(sql)
      ).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    )
    expect(tables).toEqual([{ table: "audit_events", rows: before, seconds: expect.any(Number) }])
    await tamper(`DELETE FROM audit_events WHERE organization_id = '${owner.organizationId}'`)
  })

  it("does not apply by default", async () => {
    const owner = await makeWorkspace(plane)
    await owner.client.plugins.create({ name: "Old" })
    const last = await age(owner)
    await runSql(plane, (sql) => sweep(sql))
    expect((await eventsOf(owner)).at(-1)?.sequence).toBe(1)
    expect(await verified(owner)).toMatchObject({ valid: true, eventCount: last, truncatedThrough: null })
  })

  it("does not let anyone else delete sealed events", async () => {
    const { last, owner } = await truncated()
    for (const statement of [
      `DELETE FROM audit_events WHERE organization_id = '${owner.organizationId}' AND sequence = ${last + 1}`,
      `DELETE FROM audit_events WHERE organization_id = '${owner.organizationId}'`,
      "TRUNCATE audit_events"
    ]) {
      await expect(run(statement)).rejects.toThrow()
    }
    expect((await eventsOf(owner)).length).toBe(3)
  })
})

describe("POST /v1/audit-events/verify, after events were deleted", () => {
  it.each([
    ["an earlier end", "sequence = sequence - 1"],
    ["a later end", "sequence = sequence + 1"],
    ["the hash", "hash = repeat('0', 64)"],
    ["the number of events", "event_count = event_count + 1"],
    ["the time", "truncated_at = truncated_at + interval '1 millisecond'"],
    ["the signature", "signature = 'AAAA'"],
    ["the key", "key_id = 'another'"]
  ])("detects a changed record: %s", async (_, change) => {
    const { owner } = await truncated()
    await run(`UPDATE audit_truncations SET ${change} WHERE organization_id = '${owner.organizationId}'`)
    const { reason, valid } = await verified(owner)
    expect([valid, reason]).toEqual([
      false,
      "The record of deleted events is not signed with a key of this installation."
    ])
  })

  it("detects a removed record, the record of another organization, and an earlier record", async () => {
    const { last, owner } = await truncated()
    const [own] = await runSql(
      plane,
      (sql) => sql<Record<string, unknown>>`SELECT organization_id, sequence, hash,
      event_count, key_id, signature, truncated_at FROM audit_truncations WHERE organization_id = ${owner.organizationId}`
    )
    const other = await truncated()
    await run(
      `DELETE FROM audit_truncations WHERE organization_id = '${other.owner.organizationId}'`,
      `UPDATE audit_truncations SET organization_id = '${other.owner.organizationId}'
        WHERE organization_id = '${owner.organizationId}'`
    )
    expect(await verified(owner)).toMatchObject({
      valid: false,
      firstInvalidSequence: 1,
      reason: "An event was removed."
    })
    expect((await verified(other.owner)).valid).toBe(false)
    await run(`DELETE FROM audit_truncations WHERE organization_id = '${other.owner.organizationId}'`)
    await runSql(plane, (sql) => sql`INSERT INTO audit_truncations ${sql.insert(own ?? {})}`)
    expect((await verified(owner)).valid).toBe(true)
    await age(owner)
    await owner.client.plugins.create({ name: "Young" })
    await sealEvents(plane)
    await truncate()
    expect((await verified(owner)).valid).toBe(true)
    await runSql(plane, (sql) =>
      Effect.andThen(
        sql`DELETE FROM audit_truncations WHERE organization_id = ${owner.organizationId}`,
        sql`INSERT INTO audit_truncations ${sql.insert(own ?? {})}`
      )
    )
    expect(await verified(owner)).toMatchObject({ valid: false, firstInvalidSequence: last + 1 })
  })

  it("detects further events that were deleted or changed", async () => {
    const { last, owner } = await truncated()
    await tamper(
      `DELETE FROM audit_events WHERE organization_id = '${owner.organizationId}' AND sequence = ${last + 1}`
    )
    expect(await verified(owner)).toMatchObject({ valid: false, firstInvalidSequence: last + 1 })
    const changed = await truncated()
    await tamper(
      `UPDATE audit_events SET actor_id = 'om_another'
        WHERE organization_id = '${changed.owner.organizationId}' AND sequence = ${changed.last + 2}`
    )
    expect(await verified(changed.owner)).toMatchObject({ valid: false, firstInvalidSequence: changed.last + 2 })
  })

  it("compares a checkpoint that was stored elsewhere, unless its events were deleted", async () => {
    const { last, owner } = await truncated()
    const { body } = await owner.call("GET", "/v1/audit-events/checkpoints")
    const [newest, oldest] = body.items
    for (const { hash, sequence } of [newest, oldest]) {
      expect(await verified(owner, `?sequence=${sequence}&hash=${hash}`)).toMatchObject({ valid: true })
      expect(await verified(owner, `?sequence=${sequence}&hash=${"0".repeat(64)}`)).toMatchObject({ valid: false })
    }
    const early = await owner.call("POST", `/v1/audit-events/verify?sequence=${last - 1}&hash=${"0".repeat(64)}`)
    expect([early.status, early.body.details]).toMatchObject([
      400,
      [{ path: ["query", "sequence"], message: expect.stringContaining(`must be at least ${last};`) }]
    ])
  })
})
