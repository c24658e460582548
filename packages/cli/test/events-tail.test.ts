/** `events tail`: the latest events, and those that happen later. */
import { describe, expect, it } from "vitest"
import { ran, type Seen, serve } from "./harness.ts"

const event = (sequence: number, more: object = {}) => ({
  id: `aud_${sequence}`,
  sequence,
  type: "plugin.create",
  createdAt: "2026-03-01T09:30:00.000Z",
  actor: { kind: "session", id: "om_1", name: "Ada", email: "ada@acme.example" },
  object: { id: `plg_${sequence}`, kind: "plugin", name: "Reviewer" },
  ...more
})
const page = (...items: ReadonlyArray<unknown>) => ({ body: { items, nextCursor: null } })
const queryOf = ({ path }: Seen) => Object.fromEntries(new URL(path, "http://x").searchParams)
const frames = (...events: ReadonlyArray<{ readonly sequence: number }>) => ({
  raw: Buffer.from(events.map((one) => `id: ${one.sequence}\ndata: ${JSON.stringify(one)}\n\n`).join("")),
  headers: { "content-type": "text/event-stream" }
})
const list = "GET /v1/events"
const stream = "GET /v1/events/stream"

describe("events tail", () => {
  it("prints the latest events, oldest first, one per line", async () => {
    const { seen, url } = await serve({ [list]: page(event(2), event(1, { object: null })) })
    const { code, out } = await ran(["events", "tail", "--limit", "2", "--types", "plugin.*"], { url })
    const row = (sequence: number, object: string) =>
      `${sequence}\t2026-03-01T09:30:00.000Z\tplugin.create\tada@acme.example\t${object}\n`
    expect([code, out]).toEqual([0, row(1, "-") + row(2, "plg_2")])
    expect(seen.map(queryOf)).toEqual([{ types: "plugin.*", limit: "2" }])
  })

  it("prints what --json and -q select", async () => {
    const { url } = await serve({ [list]: page(event(1)) })
    expect((await ran(["events", "tail", "--json", "id,sequence"], { url })).out).toBe('{"id":"aud_1","sequence":1}\n')
    expect((await ran(["events", "tail", "-q"], { url })).out).toBe("aud_1\n")
  })

  it("prints all events after a sequence number", async () => {
    const next = (cursor: string, ...items: ReadonlyArray<unknown>) => ({ body: { items, nextCursor: cursor } })
    // The second page is empty: the server has passed events that do not match.
    const { seen, url } = await serve({ [list]: [next("c1", event(8), event(9)), next("c2"), page(event(100_010))] })
    expect(await ran(["events", "tail", "--after", "7", "-q"], { url })).toMatchObject({
      code: 0,
      out: "aud_8\naud_9\naud_100010\n"
    })
    expect(seen.map((one) => [queryOf(one)["after"], queryOf(one)["cursor"]])).toEqual([
      ["7", undefined],
      ["7", "c1"],
      ["7", "c2"]
    ])
  })

  it("follows the stream from the last event, connects again, and ends when access is denied", async () => {
    const { seen, url } = await serve({
      [list]: page(event(2), event(1)),
      [stream]: [frames(event(3)), frames(event(4)), { status: 401, body: { error: "unauthorized", message: "No." } }]
    })
    expect(await ran(["events", "tail", "-f", "-q"], { url })).toMatchObject({
      code: 4,
      out: "aud_1\naud_2\naud_3\naud_4\n"
    })
    expect(seen.slice(1).map((one) => queryOf(one)["after"])).toEqual(["2", "3", "4"])
  }, 20_000)

  it("rejects a number of events that the list cannot return", async () => {
    const { seen, url } = await serve({})
    const { code, err } = await ran(["events", "tail", "--limit", "101"], { url })
    expect([code, err, seen]).toEqual([2, expect.stringContaining("--limit must be 0 to 100."), []])
  })
})
