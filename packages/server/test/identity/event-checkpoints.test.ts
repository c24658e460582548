/** The second version of the seal: a chain over the lines of the feed, which receivers verify with public keys alone. */
import * as Effect from "effect/Effect"
import { verifyEvents } from "@orgplane/client"
import { describe, expect, it } from "vitest"
import { AuditChain } from "../../src/identity/audit/chain.ts"
import { sealed } from "../../src/identity/audit/chain-repo.ts"
import { checkpointLine, sealedLineOf } from "../../src/identity/audit/feed-lines.ts"
import { makeId } from "../../src/infra/ids.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { makeControlPlane, makeKey, makeWorkspace, type Person, runSql, withServices } from "../harness.ts"
import { sealEvents } from "../seal-events.ts"

// Without the background worker, so that the tests decide what is sealed when.
const plane = await makeControlPlane({ workers: false })

const link = () => withServices(plane, Effect.flatMap(AuditChain, (chain) => chain.link).pipe(Effect.orDie))
const sign = () => withServices(plane, Effect.flatMap(AuditChain, (chain) => chain.checkpoint(0)).pipe(Effect.orDie))

/** Statements with the trigger of the audit log disabled. */
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

const rowsOf = ({ organizationId }: Person) =>
  runSql(plane, (sql) => sealed(sql, organizationId, 0, Number.MAX_SAFE_INTEGER, 1000))

/** The lines of all events with a line; undefined for those that do not match their seal. */
const linesOf = async (person: Person): Promise<ReadonlyArray<string | undefined>> => {
  let previous: string | null = null
  const lines: Array<string | undefined> = []
  for (const row of await rowsOf(person)) {
    if (row.feed_hash === null) continue
    lines.push(sealedLineOf(row, { sequence: row.sequence, previous }, row.hash, row.feed_hash)?.text)
    previous = row.feed_hash
  }
  return lines
}

const checkpointsOf = async (person: Person) => {
  const { body, status } = await person.call("GET", "/v1/events/checkpoints")
  expect(status).toBe(200)
  return body.items
}

const verified = async (person: Person, lines: ReadonlyArray<string | undefined>) => {
  const { keys } = (await person.call("GET", "/v1/keys")).body
  const signed = (await checkpointsOf(person)).map(checkpointLine)
  return verifyEvents(
    [...lines, ...signed].map((text) => ({ text: text ?? "{}" })),
    { keys }
  )
}

const organizationWith = async (events: number) => {
  const owner = await makeWorkspace(plane)
  for (let index = 0; index < events; index += 1) await owner.client.plugins.create({ name: `Plugin ${index}` })
  await sealEvents(plane)
  return owner
}

describe("the chain over the lines of events", () => {
  it("starts with the first event, and a receiver verifies it with the public keys", async () => {
    const owner = await organizationWith(3)
    await sign()
    const lines = await linesOf(owner)
    const result = await verified(owner, lines)
    expect(result).toMatchObject({ valid: true, problem: null })
    expect(result.organizations).toMatchObject([
      { organizationId: owner.organizationId, first: 1, isStart: true, provenThrough: lines.length, omitted: 0 }
    ])
    await owner.client.plugins.create({ name: "Later" })
    await sealEvents(plane)
    await sign()
    expect((await verified(owner, await linesOf(owner))).organizations).toMatchObject([
      { provenThrough: lines.length + 1 }
    ])
  })

  it("contains nothing about personal data", async () => {
    const owner = await organizationWith(1)
    const saved = await owner.call("POST", "/v1/memory", { content: "Prefers short answers." })
    expect(saved.status).toBeLessThan(300)
    await sealEvents(plane)
    await sign()
    const lines = await linesOf(owner)
    const personal = JSON.parse(lines.at(-1) ?? "{}")
    expect(Object.keys(personal)).toEqual(["kind", "organizationId", "previous", "seal", "sequence", "version"])
    expect(personal.kind).toBe("personal")
    expect((await verified(owner, lines)).organizations).toMatchObject([{ personal: 1, provenThrough: lines.length }])
  })

  it("does not produce the line of an event that was changed in the database", async () => {
    const owner = await organizationWith(2)
    const [, event] = await rowsOf(owner)
    await tamper(`UPDATE audit_events SET actor_id = 'om_other' WHERE id = '${event?.id}'`)
    expect((await linesOf(owner))[1]).toBeUndefined()
  })

  it("starts with the first event after an upgrade, and leaves the first version of the seal as it is", async () => {
    const owner = await organizationWith(3)
    const before = (await rowsOf(owner)).length
    await tamper(
      `UPDATE audit_events SET feed_hash = NULL WHERE organization_id = '${owner.organizationId}'`,
      `UPDATE audit_chains SET feed_start = NULL, feed_sequence = NULL, feed_hash = NULL
        WHERE organization_id = '${owner.organizationId}'`
    )
    await owner.client.plugins.create({ name: "After the upgrade" })
    await sealEvents(plane)
    await sign()
    const lines = await linesOf(owner)
    expect(lines.length).toBe(1)
    expect((await verified(owner, lines)).organizations).toMatchObject([
      { first: before + 1, isStart: true, provenThrough: before + 1 }
    ])
    expect((await owner.call("POST", "/v1/audit-events/verify")).body.verification).toMatchObject({
      valid: true,
      eventCount: before + 1
    })
  })

  it("continues with events that an earlier version sealed during a rolling upgrade", async () => {
    const owner = await organizationWith(4)
    const rows = await rowsOf(owner)
    const kept = rows.at(-3)
    await tamper(
      `UPDATE audit_events SET feed_hash = NULL
        WHERE organization_id = '${owner.organizationId}' AND sequence > ${kept?.sequence}`,
      `UPDATE audit_chains SET feed_sequence = ${kept?.sequence}, feed_hash = '${kept?.feed_hash}'
        WHERE organization_id = '${owner.organizationId}'`
    )
    // The end of the chain over the lines is earlier, so the checkpoint does not sign it.
    await sign()
    expect(await checkpointsOf(owner)).toEqual([])
    // Without a new event, the last one is signed again with its line.
    await link()
    await sign()
    expect((await verified(owner, await linesOf(owner))).organizations).toMatchObject([{ provenThrough: rows.length }])
    await owner.client.plugins.create({ name: "Next" })
    await sealEvents(plane)
    await sign()
    const lines = await linesOf(owner)
    expect(lines.length).toBe(rows.length + 1)
    expect(await verified(owner, lines)).toMatchObject({
      valid: true,
      organizations: [{ first: 1, provenThrough: rows.length + 1 }]
    })
  })
})

describe("events of types that only a newer release knows", () => {
  const insert = ({ organizationId }: Person, age: string) =>
    tamper(`INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
      VALUES ('${makeId("aud")}', '${organizationId}', 'newer.create', 'system', now() - interval '${age}')`)

  it("are left to a process of that release, with all later ones", async () => {
    const owner = await organizationWith(1)
    const before = (await linesOf(owner)).length
    await insert(owner, "1 second")
    await owner.client.plugins.create({ name: "Later" })
    await sealEvents(plane)
    await link()
    expect([(await rowsOf(owner)).length, (await linesOf(owner)).length]).toEqual([before + 2, before])
    expect((await owner.call("POST", "/v1/audit-events/verify")).body.verification).toMatchObject({ valid: true })
  })

  it("are sealed without their content after an hour without such a process", async () => {
    const owner = await organizationWith(1)
    await insert(owner, "2 hours")
    await sealEvents(plane)
    await sign()
    const lines = await linesOf(owner)
    expect(JSON.parse(lines.at(-1) ?? "{}").kind).toBe("personal")
    expect((await verified(owner, lines)).valid).toBe(true)
  })
})

describe("GET /v1/events/checkpoints", () => {
  it("lists the checkpoints newest first, in pages", async () => {
    const owner = await organizationWith(1)
    await sign()
    await owner.client.plugins.create({ name: "Two" })
    await sealEvents(plane)
    await sign()
    const [newest, first] = await checkpointsOf(owner)
    expect(newest.sequence).toBe(first.sequence + 1)
    const page = (await owner.call("GET", "/v1/events/checkpoints?limit=1")).body
    expect(page.items).toEqual([newest])
    const next = (await owner.call("GET", `/v1/events/checkpoints?limit=1&cursor=${page.nextCursor}`)).body
    expect(next.items).toEqual([first])
  })

  it("requires the permission to read events, and returns nothing of another organization", async () => {
    const owner = await organizationWith(1)
    await sign()
    const key = await makeKey(plane, owner, ["plugins:read"])
    expect((await key.call("GET", "/v1/events/checkpoints")).body.reason).toBe("permission_required")
    const reader = await makeKey(plane, owner, ["events:read"])
    expect((await reader.call("GET", "/v1/events/checkpoints")).body.items).toEqual(await checkpointsOf(owner))
    const stranger = await makeWorkspace(plane)
    expect(await checkpointsOf(stranger)).toEqual([])
    expect((await owner.call("GET", "/v1/events/checkpoints?cursor=x")).status).toBe(400)
  })
})
