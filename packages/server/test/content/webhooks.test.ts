/** Accepted and rejected deliveries: signatures by an independent library, recorded payloads. */
import { describe, expect, it } from "vitest"
import { repositoryIn, connect, marketplace, until } from "./connectors.fixture.ts"
import { call, makeControlPlane, makeWorkspace, runSql, webhookSecret } from "../harness.ts"
import { anAddress } from "../infra/http-world.ts"
import { rowDigests } from "../infra/row-digests.ts"
import { drained, path, push, recordedKinds, recordedOf, send, tell } from "./webhooks.fixture.ts"

const plane = await makeControlPlane({
  workers: false,
  webhookSecrets: ["an older secret, still alive", webhookSecret]
})
const owner = await makeWorkspace(plane)
const dir = repositoryIn(plane, { ".claude-plugin/marketplace.json": marketplace(["alpha"]) })
const connected = await connect(owner, dir)
const cloneUrl = connected.instance.remoteId
const body = JSON.stringify(push({ cloneUrl }))

const refused = (error: string) => ({ ok: false, error })
const syncs = () =>
  runSql(
    plane,
    (sql) => sql<{ id: string }>`SELECT id FROM sync_events WHERE organization_id = ${owner.organizationId}`
  )

describe("a delivery with an invalid signature", () => {
  const ours = "sha256=" + "0".repeat(64)
  const cases: ReadonlyArray<readonly [string, Parameters<typeof send>[1]]> = [
    ["has none", { body, signature: null }],
    ["has an empty one", { body, signature: "" }],
    ["has a wrong one", { body, signature: ours }],
    ["has one that is too short", { body, signature: ours.slice(0, -2) }],
    ["has one that is too long", { body, signature: `${ours}00` }],
    ["has one that is no hex", { body, signature: `sha256=${"g".repeat(64)}` }],
    ["has one of another algorithm", { body, signature: `sha1=${"0".repeat(40)}` }],
    ["names another algorithm for it", { body, signature: `sha512=${"0".repeat(64)}` }],
    ["names no algorithm", { body, signature: "0".repeat(64) }],
    ["was made with another secret", { body, secret: "another secret altogether" }],
    ["was made of the same JSON in other bytes", { body: JSON.stringify(JSON.parse(body), null, 2), signed: body }],
    ["was made without the byte order mark that was sent", { body: `\ufeff${body}`, signed: body }],
    ["was made of the body but for a line break", { body: `${body}\n`, signed: body }],
    ["was made of nothing", { body, signed: "nothing" }]
  ]

  it.each(cases)("is rejected when it %s, whatever its content, and changes nothing", async (_, hook) => {
    const before = await rowDigests(plane)
    for (const variant of [hook, { ...hook, event: "nonsense" }]) {
      const deliveryResponse = await send(plane, variant)
      expect([deliveryResponse.status, deliveryResponse.body]).toEqual([401, refused("invalid_signature")])
    }
    expect(await rowDigests(plane)).toEqual(before)
  })

  it("stays invalid with an API credential", async () => {
    const deliveryResponse = await send(plane, {
      body,
      signature: null,
      headers: { authorization: `Bearer ${owner.token}` }
    })
    expect([deliveryResponse.status, deliveryResponse.body]).toEqual([401, refused("invalid_signature")])
    expect(deliveryResponse.headers.get("www-authenticate")).toContain("x-hub-signature-256")
  })

  it("counts as a failed authentication of its address, which can still send validly signed deliveries", async () => {
    const address = anAddress()
    const statuses = new Set<number>()
    for (let turn = 0; turn < 70; turn += 1)
      statuses.add((await send(plane, { body, signature: null, address })).status)
    expect([...statuses]).toEqual([401, 429])
    const wrong = await send(plane, { body, address, secret: "another secret altogether" })
    expect([wrong.status, wrong.body.error]).toEqual([429, "rate_limited"])
    expect(Number(wrong.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await send(plane, { body, address })).status).toBe(202)
  })

  it("is verified only as often as the budget of its address allows", async () => {
    const address = anAddress()
    for (let turn = 0; turn < 60; turn += 1) await send(plane, { body, signature: null, address })
    let read = 0
    const statuses = new Set<number>()
    // Each declares 20 MB, and the address may have 64 MiB verified.
    for (let turn = 0; turn < 10; turn += 1) {
      const response = await plane.fetch(
        new Request(`http://localhost${path}`, {
          method: "POST",
          headers: { "x-hub-signature-256": ours, "content-length": "20000000" },
          body: new ReadableStream<Uint8Array>(
            {
              pull: (controller) => {
                read += 1
                controller.enqueue(new TextEncoder().encode("{}"))
                controller.close()
              }
            },
            { highWaterMark: 0 }
          ),
          duplex: "half"
        } as RequestInit),
        { remoteAddress: address }
      )
      statuses.add(response.status)
    }
    expect([...statuses]).toEqual([429])
    expect(read).toBeLessThan(5)
  })
})

describe("a delivery with a valid signature", () => {
  it.each(["an older secret, still alive", webhookSecret])("is accepted with a current secret", async (secret) => {
    const payload = { ...push({ cloneUrl }), secret: secret.length }
    const deliveryResponse = await send(plane, {
      body: JSON.stringify(payload),
      secret,
      delivery: `by-${secret.length}`
    })
    expect([deliveryResponse.status, deliveryResponse.body]).toEqual([
      202,
      { ok: true, accepted: true, deliveryId: `by-${secret.length}`, queued: true }
    ])
  })

  const wrong: ReadonlyArray<readonly [string, string, string]> = [
    ["is no JSON", "push", "{"],
    ["is JSON after a byte order mark", "push", `\ufeff${body}`],
    ["is a form", "push", `payload=${encodeURIComponent(body)}`],
    ["is null", "push", "null"],
    ["is a list", "push", `[${body}]`],
    ["is a text", "push", '"push"'],
    ["has no repository", "push", JSON.stringify({ ...push(), repository: undefined })],
    ["has a repository that is none", "push", JSON.stringify({ ...push(), repository: [] })],
    ["has an id that is a text", "push", body.replace('"id":1', '"id":"1"')],
    ["has an id that is no integer", "push", body.replace('"id":1', '"id":1.5')],
    ["has a negative id", "push", body.replace('"id":1', '"id":-1')],
    ["has a ref that is a number", "push", JSON.stringify({ ...push(), ref: 1 })],
    ["has a ref with U+0000", "push", JSON.stringify({ ...push(), ref: "refs/heads/\u0000" })],
    ["has a ref with half a surrogate pair", "push", JSON.stringify({ ...push(), ref: "refs/heads/\ud800" })],
    ["has a ref without end", "push", JSON.stringify({ ...push(), ref: "r".repeat(2000) })],
    ["has a commit that is none", "push", JSON.stringify({ ...push(), after: "../../etc/passwd" })],
    [
      "has an address that is an object",
      "push",
      JSON.stringify({ ...push(), repository: { id: 1, full_name: "a/b", clone_url: {} } })
    ],
    ["has an installation that is a number", "push", JSON.stringify({ ...push(), installation: 7 })],
    ["has no action", "installation", JSON.stringify({ installation: { id: 1 } })],
    ["has no installation", "installation", JSON.stringify({ action: "deleted" })],
    [
      "lists what is no repository",
      "installation_repositories",
      JSON.stringify({ action: "added", installation: { id: 1 }, repositories_added: [1] })
    ],
    [
      "has text as its archived flag",
      "repository",
      JSON.stringify({ action: "archived", repository: { id: 1, full_name: "a/b", archived: "yes" } })
    ],
    ["is of a kind we do not know, and no object", "nonsense", "[]"],
    ["is deeper than anything", "push", `${"[".repeat(100_000)}${"]".repeat(100_000)}`]
  ]
  it.each(wrong)("that %s is rejected, and changes nothing", async (_, event, text) => {
    const before = await rowDigests(plane)
    const deliveryResponse = await send(plane, { body: text, event })
    expect([deliveryResponse.status, deliveryResponse.body]).toEqual([400, refused("invalid_payload")])
    expect(await rowDigests(plane)).toEqual(before)
  })

  it.each([
    ["x-github-event", ""],
    ["x-github-event", "p".repeat(200)],
    ["x-github-delivery", ""],
    ["x-github-delivery", "a b"],
    ["x-github-delivery", "d".repeat(129)]
  ])("that names %s as «%s» is rejected", async (name, value) => {
    const deliveryResponse = await send(plane, { body, headers: { [name]: value } })
    expect([deliveryResponse.status, deliveryResponse.body]).toEqual([400, refused("invalid_payload")])
  })

  it("that is not UTF-8 is rejected", async () => {
    const { createHmac } = await import("node:crypto")
    const bytes = Buffer.concat([
      Buffer.from(body.slice(0, -1)),
      Buffer.from([0x2c, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])
    ])
    const response = await plane.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        body: bytes,
        headers: {
          "x-github-event": "push",
          "x-github-delivery": "not-utf-8",
          "x-hub-signature-256": `sha256=${createHmac("sha256", webhookSecret).update(bytes).digest("hex")}`
        }
      }),
      { remoteAddress: anAddress() }
    )
    expect([response.status, await response.json()]).toEqual([400, refused("invalid_payload")])
  })

  it("of any known event type is accepted, and never fails with 500", async () => {
    const statusCounts = new Map<string, number>()
    let count = 0
    const before = await syncs()
    for (const event of recordedKinds) {
      for (const example of recordedOf(event)) {
        count += 1
        const deliveryResponse = await tell(plane, event, example)
        expect([event, deliveryResponse.status, deliveryResponse.body.ok, deliveryResponse.body.accepted]).toEqual([
          event,
          200,
          true,
          false
        ])
        const reason = String(deliveryResponse.body.reason)
        statusCounts.set(`${event} ${reason}`, (statusCounts.get(`${event} ${reason}`) ?? 0) + 1)
      }
    }
    expect(count).toBeGreaterThan(200)
    expect(await syncs()).toEqual(before)
    const countsOf = (event: string) => [...statusCounts.keys()].filter((key) => key.startsWith(`${event} `)).sort()
    expect(countsOf("ping")).toEqual(["ping event_ignored"])
    expect(countsOf("issues")).toEqual(["issues event_ignored"])
    expect(countsOf("installation")).toEqual(["installation installation_unknown"])
    expect(countsOf("installation_repositories")).toEqual(["installation_repositories installation_unknown"])
    expect(countsOf("push")).toEqual(["push event_ignored", "push installation_unknown"])
    expect(countsOf("repository")).toEqual([
      "repository event_ignored",
      "repository installation_unknown",
      "repository target_unknown"
    ])
  })
})

describe("the size of a delivery", () => {
  const padded = (bytes: number) => {
    const text = JSON.stringify({ ...push({ cloneUrl }), padding: "" })
    return text.replace('"padding":""', `"padding":"${"x".repeat(bytes - text.length)}"`)
  }

  it("can be 25 MB and not a byte more, declared or not", async () => {
    const most = await send(plane, { body: padded(25_000_000) })
    expect([most.status, most.body.accepted]).toEqual([202, true])
    const over = padded(25_000_001)
    const deliveryResponse = await send(plane, { body: over })
    expect([deliveryResponse.status, deliveryResponse.body]).toEqual([413, refused("payload_too_large")])
    const declared = await send(plane, { body: "{}", headers: { "content-length": "25000001" } })
    expect([declared.status, declared.body]).toEqual([413, refused("payload_too_large")])
  })

  it("makes the third of three large deliveries wait, and admits small ones meanwhile", async () => {
    const text = padded(2_000_000)
    const { sign } = await import("@octokit/webhooks-methods")
    const signature = await sign(webhookSecret, text)
    const bytes = new TextEncoder().encode(text)
    const open: Array<() => void> = []
    /** Sends all but the last bytes, and those on request. */
    const slow = (delivery: string) =>
      plane.fetch(
        new Request(`http://localhost${path}`, {
          method: "POST",
          headers: { "x-github-event": "push", "x-github-delivery": delivery, "x-hub-signature-256": signature },
          body: new ReadableStream<Uint8Array>({
            start: async (controller) => {
              controller.enqueue(bytes.subarray(0, 1_500_000))
              await new Promise<void>((resolve) => open.push(resolve))
              controller.enqueue(bytes.subarray(1_500_000))
              controller.close()
            }
          }),
          duplex: "half"
        } as RequestInit),
        { remoteAddress: anAddress() }
      )
    const held = [slow("large-1"), slow("large-2")]
    await until(
      () => Promise.resolve(open.length),
      (count) => count === 2
    )
    let isAnswered = false
    const third = send(plane, { body: text }).finally(() => (isAnswered = true))
    // Small ones are admitted meanwhile, even from the same address.
    for (let turn = 0; turn < 5; turn += 1) expect((await send(plane, { body })).status).toBe(202)
    expect(isAnswered).toBe(false)
    for (const go of open) go()
    for (const deliveryResponse of await Promise.all(held)) expect(deliveryResponse.status).toBe(202)
    expect((await third).status).toBe(202)
  })

  it("is not checked before there is a signature", async () => {
    let received = 0
    const response = await plane.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "x-github-event": "push", "x-github-delivery": "endless" },
        body: new ReadableStream<Uint8Array>(
          {
            pull: (controller) => {
              received += 1
              controller.enqueue(new Uint8Array(65_536))
            }
          },
          { highWaterMark: 0 }
        ),
        duplex: "half"
      } as RequestInit),
      { remoteAddress: anAddress() }
    )
    expect(response.status).toBe(401)
    expect(received).toBeLessThan(5)
  })

  it("is read only up to the limit if the body never ends", async () => {
    let received = 0
    const response = await plane.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: {
          "x-github-event": "push",
          "x-github-delivery": "endless",
          "x-hub-signature-256": `sha256=${"0".repeat(64)}`
        },
        body: new ReadableStream<Uint8Array>(
          {
            pull: (controller) => {
              received += 1
              controller.enqueue(new Uint8Array(1_000_000))
            }
          },
          { highWaterMark: 0 }
        ),
        duplex: "half"
      } as RequestInit),
      { remoteAddress: anAddress() }
    )
    expect([response.status, await response.json()]).toEqual([413, refused("payload_too_large")])
    expect(received).toBeLessThan(30)
  })
})

describe("a repeated delivery", () => {
  it("has one effect and one response when it arrives a hundred times at once", async () => {
    await runSql(
      plane,
      (sql) => sql`UPDATE sync_events SET status = 'ignored', ended_at = now() WHERE status = 'queued'`
    )
    const before = await syncs()
    const delivery = "raced-a-hundred-times"
    const responses = await Promise.all(
      Array.from({ length: 100 }, () =>
        until(
          () => send(plane, { body, delivery }),
          ({ status }) => status !== 503
        )
      )
    )
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([`202 {"ok":true,"accepted":true,"deliveryId":"${delivery}","queued":true}`])
    )
    expect(await syncs()).toHaveLength(before.length + 1)
    const stored = await runSql(
      plane,
      (sql) =>
        sql<{ count: number }>`SELECT count(*)::int AS count FROM webhook_deliveries WHERE delivery_id = ${delivery}`
    )
    expect(stored).toEqual([{ count: 1 }])
    const audited = await runSql(
      plane,
      (sql) => sql<{ count: number }>`SELECT count(*)::int AS count FROM audit_events a
        JOIN webhook_deliveries d ON d.id = a.target_id WHERE d.delivery_id = ${delivery}`
    )
    expect(audited).toEqual([{ count: 1 }])
  })

  it("is separate for another event type, and evaluated again if it was ignored", async () => {
    const delivery = "judged-again"
    const other = repositoryIn(plane, { "plugin.json": '{"name":"later"}' })
    const pushed = { ...push({ cloneUrl: `file://${other}` }) }
    const first = await tell(plane, "push", pushed, delivery)
    expect([first.status, first.body]).toEqual([200, { ok: true, accepted: false, reason: "target_unknown" }])
    await connect(owner, other, "Later")
    const second = await tell(plane, "push", pushed, delivery)
    expect([second.status, second.body.deliveryId]).toEqual([202, delivery])
    const created = { ref: "main", ref_type: "branch", repository: pushed.repository }
    const third = await tell(plane, "create", created, delivery)
    expect([third.status, third.body.deliveryId]).toEqual([202, delivery])
  })

  it("is processed later, completely, when its audit event cannot be written", async () => {
    const delivery = "not-audited"
    await runSql(plane, (sql) => sql`ALTER TABLE audit_events ADD CONSTRAINT not_now CHECK (false) NOT VALID`)
    const before = await rowDigests(plane)
    const received = await send(plane, { body, delivery })
    expect([received.status, received.body.queued]).toEqual([202, true])
    const after = await rowDigests(plane)
    expect(Object.keys(after).filter((table) => after[table] !== before[table])).toEqual(["webhook_inbox"])
    await runSql(plane, (sql) => sql`ALTER TABLE audit_events DROP CONSTRAINT not_now`)
    await runSql(plane, (sql) => sql`UPDATE webhook_inbox SET due_at = now()`)
    expect(await drained(plane)).toBe(1)
    expect((await call(plane, owner.token)("GET", "/v1/webhook-deliveries")).body.items[0]).toMatchObject({
      deliveryId: delivery,
      status: "accepted"
    })
  })
})

it("rejects every delivery while no secret is configured", async () => {
  const open = await makeControlPlane({ workers: false, webhookSecrets: [] })
  for (const hook of [{ body }, { body, signature: null }, { body, secret: webhookSecret }]) {
    const deliveryResponse = await send(open, hook)
    expect([deliveryResponse.status, deliveryResponse.body]).toEqual([503, refused("webhook_secret_missing")])
    expect(Number(deliveryResponse.headers.get("retry-after"))).toBeGreaterThan(0)
  }
})

it("stores only the required parts of a payload", async () => {
  const payload = { ...push({ cloneUrl }), canary: "canary-5b1c", head_commit: { message: "canary-5b1c" } }
  expect((await tell(plane, "push", { ...payload, pusher: { name: "canary-5b1c" } }, "with-a-mark")).status).toBe(202)
  const rows = await runSql(
    plane,
    (sql) => sql<{ row: string }>`SELECT to_jsonb(d)::text AS row FROM webhook_deliveries d
      UNION ALL SELECT to_jsonb(a)::text FROM audit_events a UNION ALL SELECT to_jsonb(e)::text FROM sync_events e`
  )
  expect(rows.filter(({ row }) => row.includes("canary"))).toEqual([])
  expect((await call(plane, owner.token)("GET", "/v1/webhook-deliveries")).text).not.toContain("canary")
})
