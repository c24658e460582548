/** The telemetry client against the server: each event counts once, whatever fails in between. */
import { createClient, createTelemetry, type TelemetryOptions } from "@orgplane/client"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeControlPlane, makeWorkspace, runSql } from "../harness.ts"

const plane = await makeControlPlane({ workers: false })

type Fetch = (request: Request) => Promise<Response>

/** A telemetry client in a new organization, over a connection that `through` can break. */
const makeClient = async (
  through: (send: Fetch) => Fetch = (send) => send,
  options: Partial<TelemetryOptions> = {}
) => {
  const owner = await makeWorkspace(plane)
  const client = createClient({
    baseUrl: "http://localhost",
    token: owner.token,
    fetch: through((request) => plane.fetch(request))
  })
  const telemetry = createTelemetry(client, { source: "app", beforeExit: false, ...options })
  const stored = () =>
    runSql(
      plane,
      (sql) => sql<{ event_id: string; type: string }>`SELECT event_id, type FROM telemetry_events
        WHERE organization_id = ${owner.organizationId} ORDER BY event_id`
    )
  const ledger = async () => {
    const sums = { sent: 0, accepted: 0, duplicate: 0, dropped: 0, fieldsRemoved: 0 }
    const { items } = (await owner.call("GET", "/v1/telemetry/ledger?limit=100")).body
    for (const entry of items) {
      for (const name of Object.keys(sums) as ReadonlyArray<keyof typeof sums>) sums[name] += entry[name]
    }
    return sums
  }
  return { owner, telemetry, stored, ledger }
}

const task = { type: "task.completed" }

describe("the telemetry client", () => {
  it("delivers events unchanged, and sends nothing that would be dropped or removed", async () => {
    const { ledger, stored, telemetry } = await makeClient()
    for (let index = 0; index < 120; index += 1) telemetry.track({ ...task, id: `e${index}`, durationMs: index })
    telemetry.track({ type: "mouse.moved" })
    const more = { ...task, id: "more", userName: "Ada", dimensions: [{ type: "model", value: "small", color: "red" }] }
    telemetry.track(more)
    expect(await telemetry.flush()).toBe(true)
    expect(await stored()).toHaveLength(121)
    expect(await ledger()).toEqual({ sent: 121, accepted: 121, duplicate: 0, dropped: 0, fieldsRemoved: 0 })
    expect([telemetry.sent, telemetry.dropped, telemetry.fieldsRemoved]).toEqual([121, 1, 2])
    await telemetry.dispose()
  })

  it("counts events once when the response was lost", async () => {
    let lostCount = 0
    const { ledger, stored, telemetry } = await makeClient((send) => async (request) => {
      const response = await send(request)
      if (request.method === "POST" && (lostCount += 1) <= 1) throw new TypeError("the response is lost")
      return response
    })
    for (let index = 0; index < 30; index += 1) telemetry.track({ ...task, id: `e${index}` })
    expect(await telemetry.flush()).toBe(false)
    expect(await stored()).toHaveLength(30)
    await telemetry.dispose()
    expect([telemetry.sent, telemetry.dropped]).toEqual([30, 0])
    expect(await stored()).toHaveLength(30)
    expect(await ledger()).toEqual({ sent: 60, accepted: 30, duplicate: 30, dropped: 0, fieldsRemoved: 0 })
  })

  it("keeps waiting events and reports it when its credential is invalid", async () => {
    const errors: Array<unknown> = []
    const client = createClient({ baseUrl: "http://localhost", token: "ops_nothing", fetch: plane.fetch })
    const telemetry = createTelemetry(client, {
      source: "app",
      beforeExit: false,
      disposeMillis: 500,
      onError: (error) => errors.push(error)
    })
    telemetry.track(task)
    expect(await telemetry.flush()).toBe(false)
    expect([telemetry.queued, errors]).toEqual([1, [expect.objectContaining({ name: "UnauthorizedError" })]])
    await telemetry.dispose()
    expect([telemetry.queued, telemetry.dropped]).toEqual([0, 1])
  })

  it("loses and duplicates nothing over any connection that eventually works", async () => {
    const faults = fc.constantFrom("fine", "refused", "lost", "away", "gateway", "busy")
    await fc.assert(
      fc.asyncProperty(
        fc.array(faults, { maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 4 }),
        async (course, bursts) => {
          let request = 0
          const responseOf = (status: number, headers: Record<string, string> = {}) =>
            Response.json({ error: "unavailable", message: "" }, { status, headers })
          const { ledger, stored, telemetry } = await makeClient(
            (send) => async (one) => {
              const fault = course[request] ?? "fine"
              request += 1
              if (fault === "refused") throw new TypeError("nobody is there")
              if (fault === "away") return responseOf(503, { "retry-after": "0" })
              if (fault === "busy") return responseOf(429, { "retry-after": "0" })
              if (fault === "gateway") return new Response("", { status: 502 })
              const response = await send(one)
              if (fault === "lost") throw new TypeError("the response is lost")
              return response
            },
            { disposeMillis: 60_000, flushMillis: 50 }
          )
          let reported = 0
          for (const burst of bursts) {
            for (let index = 0; index < burst; index += 1) telemetry.track({ ...task, id: `e${(reported += 1)}` })
            await telemetry.flush()
          }
          await telemetry.dispose()
          expect([telemetry.sent, telemetry.dropped, telemetry.queued]).toEqual([reported, 0, 0])
          const ids = (await stored()).map((row) => row.event_id)
          expect([ids.length, new Set(ids).size]).toEqual([reported, reported])
          const sums = await ledger()
          expect([sums.accepted, sums.sent - sums.duplicate, sums.dropped]).toEqual([reported, reported, 0])
        }
      ),
      { numRuns: 8 }
    )
  }, 240_000)
})
