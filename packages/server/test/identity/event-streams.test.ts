/** Event streams: their operations, and delivery to receivers on loopback. */
import { verifyEvents } from "@orgplane/client"
import * as Effect from "effect/Effect"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import { afterAll, describe, expect, it } from "vitest"
import { AuditChain } from "../../src/identity/audit/chain.ts"
import { pauseAfter } from "../../src/identity/event-streams/sender.ts"
import {
  makeControlPlane,
  makeKey,
  makeRole,
  makeWorkspace,
  addMember,
  type Person,
  runSql,
  withServices
} from "../harness.ts"
import { expectSearch, searchedNames } from "../list-search.ts"
import { checkpointEvents } from "../seal-events.ts"

const plane = await makeControlPlane({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

// oxlint-disable-next-line typescript/no-explicit-any -- members of responses, checked by expect()
type Item = any

const closers: Array<() => void> = []
afterAll(() => {
  for (const close of closers) close()
})

const serveReceiver = async () => {
  const receiver = {
    url: "",
    received: [] as Array<Received>,
    status: 200,
    response: "",
    held: undefined as Promise<void> | undefined,
    respond: undefined as (() => Promise<void>) | undefined
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const bytes = Buffer.concat(chunks)
      const body = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString()
      receiver.received.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body })
      void Promise.resolve(receiver.respond?.() ?? receiver.held).then(() =>
        response.writeHead(receiver.status).end(receiver.response)
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}
type Receiver = Awaited<ReturnType<typeof serveReceiver>>

const secret = "a-token-that-nobody-sees"
const path = "/v1/event-streams"

const create = async (person: Pick<Person, "call">, destination: object, input: object = {}): Promise<Item> => {
  const { status, body, text } = await person.call("POST", path, { name: "SIEM", destination, ...input })
  expect([status, text]).toEqual([201, text])
  return body.item
}
const https = (url: string) => ({ kind: "https", url, token: secret })
const get = async (person: Pick<Person, "call">, id: string): Promise<Item> =>
  (await person.call("GET", `${path}/${id}`)).body.item

const linesOf = ({ received }: Receiver) =>
  received.flatMap(({ body }) => body.split("\n").filter((line) => line !== ""))
const parsed = (receiver: Receiver): ReadonlyArray<Item> => linesOf(receiver).map((line) => JSON.parse(line))
const kindsOf = (receiver: Receiver) => parsed(receiver).map(({ kind }) => kind)

const verified = async (person: Person, lines: ReadonlyArray<string>) =>
  verifyEvents(
    lines.map((text) => ({ text })),
    { keys: (await person.call("GET", "/v1/keys")).body.keys }
  )

/** Waits until a checkpoint of all received events arrived, and returns what the lines prove. */
const proven = async (person: Person, receiver: Receiver) => {
  await checkpointEvents(plane)
  const isProven = async () => {
    const [one] = (await verified(person, linesOf(receiver))).organizations
    return one !== undefined && one.provenThrough === one.last
  }
  await expect.poll(isProven).toBe(true)
  return verified(person, linesOf(receiver))
}

describe("delivery", () => {
  it("sends every event once, in order, and the receiver proves that it is complete", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const stream = await create(owner, https(`${receiver.url}/in`), { after: 0 })
    for (let index = 0; index < 5; index += 1) await owner.client.plugins.create({ name: `Plugin ${index}` })
    await owner.call("POST", "/v1/memory", { content: "Prefers short answers." })
    await expect.poll(() => kindsOf(receiver)).toContain("personal")
    const result = await proven(owner, receiver)
    expect(result).toMatchObject({ valid: true, organizations: [{ first: 1, isStart: true, personal: 1, omitted: 0 }] })
    expect(receiver.received[0]).toMatchObject({
      method: "POST",
      path: "/in",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/x-ndjson" }
    })
    expect(linesOf(receiver).join()).not.toContain("memory.save")
    const numbers = parsed(receiver).flatMap(({ kind, sequence }) => (kind === "checkpoint" ? [] : [sequence]))
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index + 1))
    const after = await get(owner, stream.id)
    expect(after).toMatchObject({
      position: numbers.length,
      lag: 0,
      failingSince: null,
      lastError: null,
      hasSecret: true
    })
    expect(after.lastDeliveredAt).not.toBeNull()
  })

  it("sends events of other types without content, and the chain is still verified", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    await create(owner, https(receiver.url), { after: 0, types: ["plugin.*"] })
    await owner.client.plugins.create({ name: "One" })
    await expect.poll(() => kindsOf(receiver)).toContain("event")
    const { organizations, valid } = await proven(owner, receiver)
    expect(valid).toBe(true)
    expect(organizations[0]?.omitted).toBeGreaterThan(0)
    for (const { kind, type } of parsed(receiver)) if (kind === "event") expect(type).toBe("plugin.create")
  })

  it("keeps its position while the destination fails, and continues without a gap", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    receiver.status = 503
    receiver.response = secret
    const stream = await create(owner, https(receiver.url), { after: 0 })
    await expect.poll(async () => (await get(owner, stream.id)).lastError).toBe("HTTP 503")
    const failing = await get(owner, stream.id)
    expect(failing).toMatchObject({ position: 0 })
    expect([failing.failingSince, failing.nextAttemptAt]).not.toContain(null)
    expect(failing.lag).toBeGreaterThan(0)
    const [first] = receiver.received
    await owner.client.plugins.create({ name: "Later" })
    receiver.status = 200
    expect((await owner.call("POST", `${path}/${stream.id}/resume`)).status).toBe(200)
    // The retry has the same content, although there are later events.
    await expect.poll(async () => (await get(owner, stream.id)).lag).toBe(0)
    expect(receiver.received.filter(({ body }) => body === first?.body).length).toBeGreaterThan(1)
    expect(await proven(owner, receiver)).toMatchObject({ valid: true, organizations: [{ first: 1, isStart: true }] })
  })

  it("does not record the outcome of a batch after the stream was claimed again", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const { promise, resolve } = Promise.withResolvers<void>()
    receiver.held = promise
    const { id } = await create(owner, https(receiver.url), { after: 0 })
    await expect.poll(() => receiver.received.length).toBe(1)
    const lease = (holder: string, until: string) =>
      runSql(plane, (sql) =>
        sql.unsafe(`UPDATE event_streams SET lease_holder = '${holder}', lease_until = now() + interval '${until}'
          WHERE id = '${id}'`)
      )
    await lease("another claim", "1 hour")
    receiver.held = undefined
    resolve()
    await lease("another claim", "-1 second")
    await owner.client.plugins.create({ name: "Wakes the sender" })
    // The position is still before the batch, so it is sent again.
    const [first] = receiver.received
    await expect.poll(() => receiver.received.filter(({ body }) => body === first?.body).length).toBe(2)
    await expect.poll(async () => (await get(owner, id)).lag).toBe(0)
  })

  it("sends nothing while it is paused, and only later events without `after`", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    await checkpointEvents(plane)
    const stream = await create(owner, https(receiver.url))
    const paused = await owner.call("POST", `${path}/${stream.id}/pause`)
    expect(paused.body.item).toMatchObject({ state: "paused" })
    expect((await owner.call("POST", `${path}/${stream.id}/pause`)).status).toBe(200)
    await owner.client.plugins.create({ name: "Waits" })
    await checkpointEvents(plane)
    await expect.poll(async () => (await get(owner, stream.id)).lag).toBeGreaterThan(2)
    const sentBefore = linesOf(receiver).length
    await owner.call("POST", `${path}/${stream.id}/resume`)
    await expect.poll(() => parsed(receiver).map(({ type }) => type)).toContain("plugin.create")
    expect(linesOf(receiver).length).toBeGreaterThan(sentBefore)
    expect(parsed(receiver)[0].sequence).toBe(stream.position + 1)
  })

  it("reports events that it cannot send as a gap", async () => {
    const owner = await makeWorkspace(plane)
    await owner.client.plugins.create({ name: "Before" })
    await checkpointEvents(plane)
    // As after an upgrade: the first events have no line.
    await runSql(plane, (sql) =>
      sql.unsafe(`UPDATE audit_chains SET feed_start = sequence + 1, feed_hash = NULL
        WHERE organization_id = '${owner.organizationId}'`)
    )
    const receiver = await serveReceiver()
    const stream = await create(owner, https(receiver.url), { after: 0 })
    await expect.poll(() => kindsOf(receiver)).toContain("event")
    expect(parsed(receiver)[0]).toMatchObject({
      kind: "gap",
      from: 1,
      to: stream.position + stream.lag,
      reason: "not_chained"
    })
    expect(await proven(owner, receiver)).toMatchObject({ valid: true, organizations: [{ isStart: true }] })
  })

  it("reports deleted events as a gap, and continues the chain after them", async () => {
    const owner = await makeWorkspace(plane)
    await owner.client.plugins.create({ name: "Old" })
    await checkpointEvents(plane)
    await withServices(plane, Effect.flatMap(AuditChain, (chain) => chain.truncate(0)).pipe(Effect.orDie))
    const receiver = await serveReceiver()
    await create(owner, https(receiver.url), { after: 0 })
    await expect.poll(() => kindsOf(receiver)).toContain("event")
    expect(parsed(receiver)[0]).toMatchObject({ kind: "gap", from: 1, to: 1, reason: "deleted" })
    expect(await proven(owner, receiver)).toMatchObject({
      valid: true,
      organizations: [{ first: 2, isStart: false, problem: null }]
    })
  })

  it("sends checkpoints while it has a backlog", async () => {
    const owner = await makeWorkspace(plane)
    const insert = (count: number) =>
      runSql(plane, (sql) =>
        sql.unsafe(`INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
          SELECT 'aud_' || gen_random_uuid(), '${owner.organizationId}', 'plugin.create', 'system', now()
          FROM generate_series(1, ${count})`)
      )
    await insert(3000)
    await checkpointEvents(plane)
    await insert(4000)
    await checkpointEvents(plane)
    const receiver = await serveReceiver()
    const { id } = await create(owner, https(receiver.url), { after: 0 })
    await expect.poll(async () => (await get(owner, id)).lag, { timeout: 60_000 }).toBe(0)
    const kinds = kindsOf(receiver)
    expect(kinds.indexOf("checkpoint")).toBeGreaterThan(0)
    expect(kinds.indexOf("checkpoint")).toBeLessThan(kinds.lastIndexOf("event"))
    expect(await proven(owner, receiver)).toMatchObject({ valid: true, organizations: [{ first: 1 }] })
  }, 120_000)

  it("releases its lease after 10 batches, and continues with another claim", async () => {
    const owner = await makeWorkspace(plane)
    await runSql(plane, (sql) =>
      sql.unsafe(`INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
        SELECT 'aud_' || gen_random_uuid(), '${owner.organizationId}', 'plugin.create', 'system', now()
        FROM generate_series(1, 12000)`)
    )
    await checkpointEvents(plane)
    const receiver = await serveReceiver()
    const holders: Array<string> = []
    receiver.respond = async () => {
      const [row] = await runSql(
        plane,
        (sql) => sql<{ lease_holder: string }>`SELECT lease_holder FROM event_streams
          WHERE organization_id = ${owner.organizationId}`
      )
      holders.push(row?.lease_holder ?? "")
    }
    const { id } = await create(owner, https(receiver.url), { after: 0 })
    await expect.poll(async () => (await get(owner, id)).lag, { timeout: 60_000 }).toBe(0)
    const counts = [...Map.groupBy(holders, (holder) => holder).values()].map(({ length }) => length)
    expect(counts.slice(0, 2)).toEqual([10, holders.length - 10])
    expect(holders).not.toContain("")
  }, 120_000)

  it("sends nothing of an organization that was deleted", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const [receiver, witness] = [await serveReceiver(), await serveReceiver()]
    receiver.status = 503
    const { id } = await create(owner, https(receiver.url), { after: 0 })
    await expect.poll(async () => (await get(owner, id)).lastError).toBe("HTTP 503")
    expect((await owner.call("DELETE", "/v1/organization")).status).toBe(204)
    const { length } = receiver.received
    await runSql(plane, (sql) => sql`UPDATE event_streams SET next_attempt_at = now() WHERE id = ${id}`)
    await create(other, https(witness.url))
    for (const name of ["One", "Two"]) {
      await other.client.plugins.create({ name })
      await expect
        .poll(() => linesOf(witness).filter((line) => line.includes("plugin.create")).length)
        .toBe(name === "One" ? 1 : 2)
    }
    expect(receiver.received).toHaveLength(length)
  })

  it("stops at an event that was changed in the database", async () => {
    const owner = await makeWorkspace(plane)
    await owner.client.plugins.create({ name: "Changed" })
    await checkpointEvents(plane)
    await runSql(plane, (sql) =>
      Effect.gen(function* () {
        yield* sql.unsafe("ALTER TABLE audit_events DISABLE TRIGGER USER")
        yield* sql.unsafe(
          `UPDATE audit_events SET actor_id = 'om_other' WHERE organization_id = '${owner.organizationId}'`
        )
        yield* sql.unsafe("ALTER TABLE audit_events ENABLE TRIGGER USER")
      })
    )
    const receiver = await serveReceiver()
    const stream = await create(owner, https(receiver.url), { after: 0 })
    await expect
      .poll(async () => (await get(owner, stream.id)).lastError)
      .toBe("Event 1 does not match its seal. Verify the audit log with POST /v1/audit-events/verify.")
    expect(receiver.received).toEqual([])
  })

  it("sends the format of Splunk's HTTP Event Collector, with the line as its event", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    await create(owner, { ...https(receiver.url), format: "splunk_hec" }, { after: 0 })
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0)
    await checkpointEvents(plane)
    await expect.poll(() => linesOf(receiver).some((line) => line.includes("checkpoint"))).toBe(true)
    expect(receiver.received[0]?.headers.authorization).toBe(`Splunk ${secret}`)
    const [event] = parsed(receiver)
    expect(event).toMatchObject({ source: "orgplane", sourcetype: "orgplane:event", time: expect.any(Number) })
    expect(
      (
        await verified(
          owner,
          parsed(receiver).map(({ event }) => event)
        )
      ).valid
    ).toBe(true)
  })

  it("sends objects with fixed names to S3-compatible storage, signed", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const stream = await create(
      owner,
      {
        kind: "s3",
        endpoint: receiver.url,
        region: "eu-central-1",
        bucket: "audit-logs",
        prefix: "orgplane/x",
        accessKeyId: "AKID",
        secretAccessKey: secret
      },
      { after: 0 }
    )
    expect(stream.destination).toEqual({
      kind: "s3",
      endpoint: `${receiver.url}/`,
      region: "eu-central-1",
      bucket: "audit-logs",
      prefix: "orgplane/x",
      accessKeyId: "AKID"
    })
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0)
    const [first] = receiver.received
    expect(first?.method).toBe("PUT")
    expect(first?.path).toMatch(
      new RegExp(
        `^/audit-logs/orgplane/x/${owner.organizationId}/\\d{4}/\\d\\d/\\d\\d/0{15}1-\\d{16}\\.ndjson\\.gz$`,
        "u"
      )
    )
    expect(first?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=.*, Signature=[0-9a-f]{64}$/u
    )
    expect(await proven(owner, receiver)).toMatchObject({ valid: true })
    expect(receiver.received.at(-1)?.path).toMatch(/\d{16}-checkpoint\.ndjson\.gz$/u)
  })

  it("sends log records to an OpenTelemetry collector, and retries those that it rejects", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    receiver.response = JSON.stringify({ partialSuccess: { rejectedLogRecords: "1" } })
    const destination = { kind: "otlp", url: `${receiver.url}/v1/logs`, headers: { "x-api-key": secret } }
    const stream = await create(owner, destination, { after: 0 })
    await expect.poll(async () => (await get(owner, stream.id)).lastError).toBe("The collector rejected 1 log records.")
    receiver.response = "{}"
    await owner.call("POST", `${path}/${stream.id}/resume`)
    await expect.poll(async () => (await get(owner, stream.id)).lag).toBe(0)
    expect(receiver.received[0]).toMatchObject({ path: "/v1/logs", headers: { "x-api-key": secret } })
    const [body] = parsed(receiver)
    expect(body.resourceLogs[0].scopeLogs[0].logRecords[0]).toMatchObject({
      timeUnixNano: expect.stringMatching(/^\d{19}$/u),
      severityNumber: 9,
      body: { stringValue: expect.stringContaining('"sequence":1') }
    })
  })

  it("pauses for up to five minutes between attempts", () => {
    expect([1, 2, 3, 9, 10, 50].map(pauseAfter)).toEqual([1, 2, 4, 256, 300, 300])
  })
})

describe("the operations of event streams", () => {
  it("lists, reads, updates and removes streams, and never returns a secret", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const one = await create(owner, https(`${receiver.url}/one`))
    const two = await create(owner, { kind: "otlp", url: `${receiver.url}/v1/logs` })
    expect(two.hasSecret).toBe(false)
    const list = await owner.call("GET", `${path}?limit=1`)
    expect(list.body.items).toMatchObject([{ id: two.id }])
    const rest = await owner.call("GET", `${path}?cursor=${list.body.nextCursor}`)
    expect(rest.body.items).toMatchObject([{ id: one.id }])
    const at = `${path}/${one.id}`
    const renamed = await owner.call("PATCH", at, { name: "Renamed", types: ["team.*"] })
    expect(renamed.body.item).toMatchObject({ name: "Renamed", types: ["team.*"], hasSecret: true })
    expect((await owner.call("PATCH", at, {})).status).toBe(200)
    const removed = await owner.call("DELETE", at)
    expect(removed.status).toBe(204)
    expect((await owner.call("DELETE", at)).body.error).toBe("event_stream_not_found")
    const audit = await owner.call("GET", "/v1/audit-events?limit=100")
    expect(audit.body.items.map(({ action }: Item) => action)).toContain("event_stream.remove")
    for (const { text } of [list, rest, renamed, audit]) expect(text).not.toContain(secret)
  })

  it("lists streams by part of the name", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const ids: Array<string> = []
    for (const name of searchedNames) ids.push((await create(owner, https(receiver.url), { name })).id)
    await expectSearch(owner, { path, ids })
    expect((await owner.call("GET", `${path}?q=${secret}`)).body.items).toEqual([])
  })

  it("keeps the secret only for a destination with the same URL or bucket, until the organization is deleted", async () => {
    const owner = await makeWorkspace(plane)
    const [receiver, other] = [await serveReceiver(), await serveReceiver()]
    const { id } = await create(owner, https(`${receiver.url}/one`))
    const change = (stream: string, destination: object) => owner.call("PATCH", `${path}/${stream}`, { destination })
    const same = await change(id, { kind: "https", url: `${receiver.url}/one`, format: "splunk_hec" })
    expect(same.body.item.hasSecret).toBe(true)
    // Other paths of an origin can belong to others.
    const moved = await change(id, { kind: "https", url: `${receiver.url}/two` })
    expect(moved.body.item.hasSecret).toBe(false)
    const bucket = { kind: "s3", endpoint: receiver.url, region: "r", bucket: "bucket-one", accessKeyId: "a" }
    const stored = await create(owner, { ...bucket, secretAccessKey: secret })
    expect((await change(stored.id, { ...bucket, prefix: "x" })).body.item.hasSecret).toBe(true)
    expect((await change(stored.id, { ...bucket, bucket: "bucket-two" })).status).toBe(400)
    const s3 = { kind: "s3", endpoint: other.url, region: "r", bucket: "bucket", accessKeyId: "a" }
    const refused = await owner.call("PATCH", `${path}/${id}`, { destination: s3 })
    expect([refused.status, refused.text.includes("secretAccessKey")]).toEqual([400, true])
    expect((await owner.call("POST", "/v1/webhook-endpoints", { name: "E", url: other.url })).status).toBe(201)
    expect((await owner.call("DELETE", "/v1/organization")).status).toBeLessThan(300)
    const left = await runSql(plane, (sql) =>
      sql.unsafe(`SELECT id FROM event_streams WHERE organization_id = '${owner.organizationId}' AND ciphertext IS NOT NULL
        UNION ALL SELECT id FROM webhook_secrets WHERE organization_id = '${owner.organizationId}'`)
    )
    expect(left).toEqual([])
  })

  it("sends a test and returns its outcome, without retrying", async () => {
    const owner = await makeWorkspace(plane)
    const receiver = await serveReceiver()
    const { id } = await create(owner, https(receiver.url))
    await owner.call("POST", `${path}/${id}/pause`)
    const passed = await owner.call("POST", `${path}/${id}/test`)
    expect(passed.body.item).toMatchObject({ ok: true, error: null })
    expect(kindsOf(receiver)).toContain("test")
    receiver.status = 401
    const failed = await owner.call("POST", `${path}/${id}/test`)
    expect(failed.body.item).toMatchObject({ ok: false, error: "HTTP 401" })
    expect((await get(owner, id)).lastError).toBeNull()
  })

  it("requires its permissions, and audit:read to create and update", async () => {
    const owner = await makeWorkspace(plane)
    const input = { name: "S", destination: https("https://siem.example/in") }
    const writer = await makeKey(plane, owner, ["eventStreams:write", "eventStreams:read"])
    const refused = await writer.call("POST", path, input)
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    const auditor = await makeKey(plane, owner, ["eventStreams:write", "eventStreams:read", "audit:read"])
    const { body } = await auditor.call("POST", path, input)
    expect(body.item.createdByOrgMembershipId).toBeNull()
    expect((await writer.call("PATCH", `${path}/${body.item.id}`, { name: "x" })).status).toBe(403)
    expect((await auditor.call("DELETE", `${path}/${body.item.id}`)).body.reason).toBe("permission_required")
    const member = await addMember(plane, owner, await makeRole(owner, ["plugins:read"]))
    expect((await member.call("GET", path)).body.reason).toBe("permission_required")
  })

  it("does not show streams of another organization", async () => {
    const owner = await makeWorkspace(plane)
    const stranger = await makeWorkspace(plane)
    const { id } = await create(owner, https("https://siem.example/in"))
    const absent = "evs_01kf0x5me8e6razepq180mhf01"
    for (const [method, suffix, payload] of [
      ["GET", "", undefined],
      ["PATCH", "", { name: "x" }],
      ["DELETE", "", undefined],
      ["POST", "/pause", undefined],
      ["POST", "/resume", undefined],
      ["POST", "/test", undefined]
    ] as const) {
      const foreign = await stranger.call(method, `${path}/${id}${suffix}`, payload)
      const missing = await stranger.call(method, `${path}/${absent}${suffix}`, payload)
      expect([foreign.status, foreign.body.error]).toEqual([404, "event_stream_not_found"])
      expect(foreign.body.error).toBe(missing.body.error)
    }
    expect((await stranger.call("GET", path)).body.items).toEqual([])
    expect((await get(owner, id)).state).toBe("active")
  })

  it("rejects malformed destinations and types", async () => {
    const owner = await makeWorkspace(plane)
    const s3 = {
      kind: "s3",
      endpoint: "https://s3.example",
      region: "r",
      bucket: "bucket",
      accessKeyId: "a",
      secretAccessKey: "s"
    }
    const otlp = { kind: "otlp", url: "https://otlp.example/v1/logs" }
    for (const destination of [
      { kind: "ftp", url: "https://a.example" },
      { kind: "https", url: "not a URL" },
      { kind: "https", url: "ftp://a.example" },
      { kind: "https", url: "https://user:pass@a.example" },
      { kind: "https", url: "https://a.example", token: "a\nb" },
      { ...s3, endpoint: "https://s3.example/?list-type=2" },
      { ...s3, endpoint: "https://s3.example/?" },
      { ...s3, bucket: "Upper_Case" },
      { ...s3, region: "../x" },
      { ...s3, prefix: "a/../b" },
      { ...s3, secretAccessKey: undefined },
      { ...otlp, headers: { "a b": "c" } },
      { ...otlp, headers: { a: "b\r\nc: d" } },
      { ...otlp, headers: Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`h${index}`, "x"])) }
    ]) {
      const { body, status } = await owner.call("POST", path, { name: "S", destination })
      expect([destination, status, body.error]).toEqual([destination, 400, "invalid_request"])
    }
    const types = await owner.call("POST", path, { name: "S", destination: otlp, types: ["plugin.created"] })
    expect([types.status, types.text.includes("plugin.create")]).toEqual([400, true])
    expect((await owner.call("GET", path)).body.items).toEqual([])
  })

  it("allows 20 streams in an organization", async () => {
    const owner = await makeWorkspace(plane)
    for (let index = 0; index < 20; index += 1) await create(owner, https(`https://siem-${index}.example/in`))
    const refused = await owner.call("POST", path, { name: "S", destination: https("https://siem.example/in") })
    expect([refused.status, refused.body.error]).toEqual([409, "quota_exceeded"])
  })
})
