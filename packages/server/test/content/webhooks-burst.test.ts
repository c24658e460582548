/** A burst from a code host after a mass push or an outage: accepted completely, and processed later. */
import { createHmac } from "node:crypto"
import { expect, it } from "vitest"
import { connect, marketplace, repositoryIn } from "./connectors.fixture.ts"
import { type TestResponse, call, makeControlPlane, makeWorkspace, runSql, webhookSecret } from "../harness.ts"
import { drained, makeInstalled, path, push, repositoryEvent } from "./webhooks.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)
const { instance } = await connect(
  owner,
  repositoryIn(plane, { ".claude-plugin/marketplace.json": marketplace(["a"]) })
)
const installed = await makeInstalled(plane, owner)

const deliver = (event: string, payload: object, delivery: string, secret = webhookSecret) => {
  const body = JSON.stringify(payload)
  return call(plane, undefined, "192.0.2.5")("POST", path, body, {
    "content-length": String(Buffer.byteLength(body)),
    "x-github-event": event,
    "x-github-delivery": delivery,
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`
  })
}

const accepted = (deliveryId: string) => ({ ok: true, accepted: true, deliveryId, queued: true })
const ignored = (reason: string) => ({ ok: true, accepted: false, reason })

const kinds: ReadonlyArray<(n: number) => readonly [event: string, payload: object, expected: string | null]> = [
  () => ["push", push({ cloneUrl: instance.remoteId }), null],
  () => ["push", push({ cloneUrl: instance.remoteId, branch: "other" }), "target_unknown"],
  (n) => ["push", push({ cloneUrl: `https://code.example/acme/${n}.git` }), "target_unknown"],
  (n) => ["push", push({ repositoryId: n + 1, installationId: 999_999 }), "installation_unknown"],
  () => ["issues", { action: "opened" }, "event_ignored"],
  () => ["ping", { zen: "Keep it logically awesome." }, "event_ignored"],
  () => ["check_run", { action: "created" }, "event_ignored"],
  () => ["repository", repositoryEvent(installed, "starred"), "event_ignored"],
  () => ["repository", repositoryEvent(installed, "renamed", { fullName: "acme/other" }), null],
  (n) => [
    "push",
    { ...push({ cloneUrl: `https://code.example/acme/${n}.git` }), padding: "x".repeat(20_000) },
    "target_unknown"
  ]
]

const count = 5000

const waiting = async (): Promise<number> => {
  const rows = await runSql(plane, (sql) => sql<{ n: number }>`SELECT count(*)::int AS n FROM webhook_inbox`)
  return rows[0]?.n ?? -1
}

it(`takes ${count} signed deliveries at once from one address that also sends wrong signatures, and processes them`, async () => {
  // The address exceeds its failure limit before the burst begins.
  for (let n = 0; n < 61; n += 1) await deliver("push", push(), `wrong-${n}`, "an unknown secret")
  const payloads = Array.from({ length: count }, (_, n) => {
    const make = kinds[n % kinds.length]
    if (make === undefined) throw new Error("There is no such kind.")
    const [event, payload, reason] = make(n)
    return {
      event,
      payload,
      delivery: `burst-${n}`,
      expected: reason === null ? accepted(`burst-${n}`) : ignored(reason)
    }
  })
  const responses = await Promise.all(payloads.map(({ delivery, event, payload }) => deliver(event, payload, delivery)))
  const tally: Record<number, number> = {}
  for (const { status } of responses) tally[status] = (tally[status] ?? 0) + 1
  expect(tally).toEqual({ 200: count * 0.8, 202: count * 0.2 })
  expect(responses.map(({ body }: TestResponse) => body)).toEqual(payloads.map(({ expected }) => expected))
  // Deliveries that concern an organization are stored, even without an effect.
  expect(await waiting()).toBe(count * 0.3)
  // Some are redelivered before processing, and some after: the response is the same, and there is no second effect.
  const again = async () => {
    for (const n of [0, 8, 10, 18]) {
      const one = payloads[n]
      if (one === undefined) throw new Error("There is no such delivery.")
      expect((await deliver(one.event, one.payload, one.delivery)).body).toEqual(one.expected)
    }
  }
  await again()
  expect(await waiting()).toBe(count * 0.3)
  expect(await drained(plane)).toBe(count * 0.3)
  expect(await waiting()).toBe(0)
  await again()
  expect(await waiting()).toBe(0)
  const stored = await runSql(
    plane,
    (sql) => sql<{ status: string; n: number }>`SELECT status, count(*)::int AS n FROM webhook_deliveries
      WHERE organization_id = ${owner.organizationId} GROUP BY status ORDER BY status`
  )
  expect(stored).toEqual([
    { status: "accepted", n: count * 0.2 },
    { status: "ignored", n: count * 0.1 }
  ])
}, 300_000)
