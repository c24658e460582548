/** Telemetry events: the CLI as a process against a real server. */
import { afterAll, expect, it } from "vitest"
import { ran, serve, spawned } from "./harness.ts"
import { startWorkspace } from "./plane.ts"

const plane = await startWorkspace()
afterAll(() => plane.close())

const orgplane = (args: ReadonlyArray<string>, stdin = "") =>
  spawned(["telemetry", ...args], { url: plane.origin, token: plane.token, stdin })

it("sends a batch from stdin and lists its result in the ledger", async () => {
  const event = { id: "one", type: "task.completed", timestamp: new Date().toISOString(), source: "app" }
  const batch = JSON.stringify({
    events: [event, event, { ...event, type: "nothing" }, { ...event, id: "two", more: 1 }]
  })
  expect(await orgplane(["ingest", "--input", "-"], batch)).toMatchObject({ code: 0, out: "" })
  const ledger = await orgplane(["ledger"])
  expect(ledger.out).toMatch(/\t4\t2\t1\t1\t1\n$/)
  const json = JSON.parse((await orgplane(["ledger", "-o", "json"])).out)
  expect(json.items[0].reasons).toEqual([
    { reason: "type_unknown", count: 1 },
    { reason: "field_unknown", count: 1 }
  ])
  expect((await orgplane(["ledger", "--request-id", json.items[0].requestId, "-q"])).out.trim()).toBe(
    json.items[0].requestId
  )
  const none = await orgplane(["ingest", "--input", "-"], '{"events":[]}')
  expect(none.code).toBe(1)
  expect(none.err).toContain("must have 1 to 50 events")
  expect((await orgplane(["schema"])).out).toContain("retentionDays")
})

it("prints the sums of the ledger on a terminal", async () => {
  const row = { id: "2", requestId: "req_2", receivedAt: "2026-11-22T10:00:00.000Z", reasons: [] }
  const { url } = await serve({
    "GET /v1/telemetry/ledger": {
      body: {
        items: [
          { ...row, sent: 50, accepted: 40, duplicate: 8, dropped: 2, fieldsRemoved: 3 },
          { ...row, id: "1", sent: 10, accepted: 10, duplicate: 0, dropped: 0, fieldsRemoved: 0 }
        ],
        nextCursor: null
      }
    }
  })
  const seen = await ran(["telemetry", "ledger"], { url, columns: 120 })
  expect(seen.err).toContain("60 sent = 50 accepted + 8 duplicate + 2 dropped; 3 fields removed")
})
