import { execFile } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createTelemetry, type TelemetryOptions } from "../src/index.ts"
import { clientOf, json, type Seen } from "./server.ts"

const described = json(200, {
  telemetry: {
    types: ["task.started", "task.completed"],
    fields: [
      ...["id", "type", "timestamp", "source", "sessionId", "durationMs", "success", "dimensions"].map((name) => ({
        of: "event",
        name
      })),
      ...["type", "value", "label", "metadata"].map((name) => ({ of: "dimension", name }))
    ],
    eventsMax: 50
  }
})
const done = json(204, undefined)
const away = (headers = {}) => json(503, { error: "unavailable", message: "" }, headers)
const lost = new TypeError("fetch failed")

interface Sent {
  readonly id: string
  readonly type: string
  readonly timestamp: string
}
const eventsOf = ({ body }: Seen) => (body as { readonly events: ReadonlyArray<Sent> }).events
const batches = (seen: ReadonlyArray<Seen>) => seen.filter(({ method }) => method === "POST").map(eventsOf)

/** A telemetry queue and a server that returns the ingest responses in order and repeats the last one. */
const makeTelemetry = (
  outcomes: ReadonlyArray<Response | Error | (() => Promise<Response>)>,
  options: Partial<TelemetryOptions> = {},
  describing: Response = described
) => {
  let index = 0
  const drops: Array<{ reason: string; events: number }> = []
  const errors: Array<unknown> = []
  const { client, seen } = clientOf([
    (one) => {
      if (one.method === "GET") return describing
      const outcome = outcomes[Math.min(index, outcomes.length - 1)] ?? done
      index += 1
      return typeof outcome === "function" ? outcome() : outcome
    }
  ])
  const telemetry = createTelemetry(client, {
    source: "app",
    beforeExit: false,
    onDrop: (drop) => drops.push(drop),
    onError: (error) => errors.push(error),
    ...options
  })
  return { telemetry, seen, drops, errors }
}
const task = { type: "task.completed" } as const
const count = (telemetry: { track: (event: { type: string }) => void }, events: number) => {
  for (let index = 0; index < events; index += 1) telemetry.track(task)
}

describe("the telemetry queue", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }))
  afterEach(() => vi.useRealTimers())

  it("sends nothing before the interval, then all queued events in one request", async () => {
    const { seen, telemetry } = makeTelemetry([done], { flushMillis: 5_000, sessionId: "s" })
    telemetry.track({ ...task, durationMs: 12, success: true, dimensions: [{ type: "model", value: "small" }] })
    telemetry.track({ type: "task.started", source: "worker", timestamp: new Date(0), id: "mine" })
    await vi.advanceTimersByTimeAsync(4_999)
    expect([seen.length, telemetry.queued]).toEqual([0, 2])
    await vi.advanceTimersByTimeAsync(1)
    expect(batches(seen)).toEqual([
      [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          type: "task.completed",
          timestamp: expect.stringMatching(/Z$/),
          source: "app",
          sessionId: "s",
          durationMs: 12,
          success: true,
          dimensions: [{ type: "model", value: "small" }]
        },
        { id: "mine", type: "task.started", timestamp: "1970-01-01T00:00:00.000Z", source: "worker", sessionId: "s" }
      ]
    ])
    expect([telemetry.queued, telemetry.sent, telemetry.dropped]).toEqual([0, 2, 0])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(seen).toHaveLength(2)
  })

  it("sends immediately when a batch of fifty is full", async () => {
    const { seen, telemetry } = makeTelemetry([done])
    count(telemetry, 120)
    await vi.advanceTimersByTimeAsync(1)
    expect(batches(seen).map((events) => events.length)).toEqual([50, 50, 20])
    expect(telemetry.sent).toBe(120)
  })

  it("removes types and fields that the server does not accept before sending", async () => {
    const { drops, seen, telemetry } = makeTelemetry([done])
    telemetry.track({ type: "mouse.moved" })
    const more = { ...task, userName: "Ada", dimensions: [{ type: "model", secret: "x" }] }
    telemetry.track(more)
    expect(await telemetry.flush()).toBe(true)
    const [[event] = []] = batches(seen)
    expect(event).not.toHaveProperty("userName")
    expect(event).toMatchObject({ dimensions: [{ type: "model" }] })
    expect(JSON.stringify(seen)).not.toMatch(/mouse|Ada|secret/)
    expect([drops, telemetry.fieldsRemoved]).toEqual([[{ reason: "type_unknown", events: 1 }], 2])
  })

  it("sends unfiltered events to a server without a schema endpoint", async () => {
    const { seen, telemetry } = makeTelemetry([done], {}, json(404, { error: "route_not_found", message: "" }))
    telemetry.track({ type: "mouse.moved" })
    expect(await telemetry.flush()).toBe(true)
    telemetry.track({ type: "mouse.moved" })
    expect(await telemetry.flush()).toBe(true)
    expect(seen.map(({ method }) => method)).toEqual(["GET", "POST", "POST"])
  })

  it("retries with the same IDs and timestamps and growing delays until it succeeds", async () => {
    const { errors, seen, telemetry } = makeTelemetry([lost, away(), lost, done])
    count(telemetry, 3)
    expect(await telemetry.flush()).toBe(false)
    expect(telemetry.queued).toBe(3)
    const times: Array<number> = []
    const start = Date.now()
    while (telemetry.queued > 0) {
      const before = batches(seen).length
      await vi.advanceTimersToNextTimerAsync()
      if (batches(seen).length > before) times.push(Date.now() - start)
    }
    expect(batches(seen)).toHaveLength(4)
    expect(new Set(batches(seen).map((events) => JSON.stringify(events))).size).toBe(1)
    expect(times).toHaveLength(3)
    const [one = 0, two = 0, three = 0] = times
    expect([one >= 500, two - one >= 1_000, three - two >= 2_000]).toEqual([true, true, true])
    expect([telemetry.sent, telemetry.dropped, errors.length]).toEqual([3, 0, 3])
  })

  it("waits for Retry-After even on flush, and sends no event twice", async () => {
    const { seen, telemetry } = makeTelemetry([away({ "retry-after": "90" }), done])
    count(telemetry, 1)
    expect(await telemetry.flush()).toBe(false)
    await vi.advanceTimersByTimeAsync(89_000)
    expect(await telemetry.flush()).toBe(false)
    expect(batches(seen)).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(3_000)
    expect([batches(seen).length, telemetry.sent]).toEqual([2, 1])
  })

  it("retries a rejected credential at most every five minutes and keeps the queue", async () => {
    const refused = json(401, { error: "unauthorized" })
    const { errors, seen, telemetry } = makeTelemetry([refused])
    count(telemetry, 200)
    await vi.advanceTimersByTimeAsync(299_000)
    expect([batches(seen).length, telemetry.queued, errors.length]).toEqual([1, 200, 1])
    await vi.advanceTimersByTimeAsync(40_000)
    expect(batches(seen)).toHaveLength(2)
  })

  it("drops a rejected batch and continues with the next", async () => {
    const { drops, telemetry } = makeTelemetry([json(400, { error: "invalid_request", details: [] }), done])
    count(telemetry, 60)
    expect(await telemetry.flush()).toBe(true)
    expect([drops, telemetry.sent]).toEqual([[{ reason: "refused", events: 50 }], 10])
  })

  it("sends smaller batches after a request was too large", async () => {
    const { drops, seen, telemetry } = makeTelemetry([json(413, { error: "payload_too_large", message: "" }), done])
    count(telemetry, 50)
    expect(await telemetry.flush()).toBe(true)
    expect(batches(seen).map((events) => events.length)).toEqual([50, 25, 25])
    expect([drops, telemetry.sent]).toEqual([[], 50])
  })

  it("drops a single event that is too large for the server, and sends the others", async () => {
    const tooLarge = json(413, { error: "payload_too_large", message: "" })
    const { drops, seen, telemetry } = makeTelemetry([tooLarge, tooLarge, done])
    count(telemetry, 2)
    expect(await telemetry.flush()).toBe(true)
    expect(batches(seen).map((events) => events.length)).toEqual([2, 1, 1])
    expect([drops, telemetry.sent, telemetry.queued]).toEqual([[{ reason: "refused", events: 1 }], 1, 0])
  })

  it("keeps requests below a megabyte, and drops events that are too large", async () => {
    const { drops, seen, telemetry } = makeTelemetry([done])
    const large = (size: number) => ({
      ...task,
      mood: 1,
      dimensions: [{ type: "t", metadata: { a: "é".repeat(size) } }]
    })
    for (let index = 0; index < 5; index += 1) telemetry.track(large(200_000))
    telemetry.track(large(600_000))
    expect(await telemetry.flush()).toBe(true)
    expect(batches(seen).map((events) => events.length)).toEqual([2, 2, 1])
    // Each field counts once, even if its event moved to the next request.
    expect(telemetry.fieldsRemoved).toBe(5)
    expect(drops).toEqual([{ reason: "malformed", events: 1 }])
  })

  it("limits the number of events and drops the oldest", async () => {
    const { drops, seen, telemetry } = makeTelemetry([lost, done], { queueMax: 100 })
    for (let index = 0; index < 40; index += 1) telemetry.track({ ...task, id: `old-${index}` })
    expect(await telemetry.flush()).toBe(false)
    for (let index = 0; index < 90; index += 1) telemetry.track({ ...task, id: `new-${index}` })
    expect([telemetry.queued, telemetry.dropped]).toEqual([100, 30])
    expect(new Set(drops.map(({ reason }) => reason))).toEqual(new Set(["queue_full"]))
    await vi.advanceTimersByTimeAsync(120_000)
    const ids = batches(seen)
      .slice(1)
      .flat()
      .map(({ id }) => id)
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([100, "old-30", "new-89"])
  })

  it("limits the number of characters", () => {
    const { telemetry } = makeTelemetry([lost], { queueCharactersMax: 10_000, batchMax: 50 })
    for (let index = 0; index < 40; index += 1) {
      telemetry.track({ ...task, dimensions: [{ type: "t", label: "x".repeat(900) }] })
    }
    expect(telemetry.queued).toBeLessThan(10)
    expect(telemetry.queued + telemetry.dropped).toBe(40)
  })

  it("reloads the schema after an hour", async () => {
    const { seen, telemetry } = makeTelemetry([done])
    count(telemetry, 1)
    await telemetry.flush()
    await vi.advanceTimersByTimeAsync(3_600_000)
    count(telemetry, 1)
    await telemetry.flush()
    expect(seen.map(({ method }) => method)).toEqual(["GET", "POST", "GET", "POST"])
  })

  it("never throws, for any tracked event and any error from a callback", async () => {
    const circle: Record<string, unknown> = {}
    circle["self"] = circle
    const { telemetry } = makeTelemetry([lost], {
      onDrop: () => {
        throw new Error("theirs")
      },
      onError: () => {
        throw new Error("theirs too")
      }
    })
    telemetry.track({ ...task, dimensions: [{ type: "t", metadata: circle }] })
    telemetry.track({ ...task, dimensions: [{ type: "t", metadata: { big: 1n } }] })
    telemetry.track({ ...task, timestamp: new Date(Number.NaN) })
    expect(telemetry.dropped).toBe(3)
    telemetry.track(task)
    expect(await telemetry.flush()).toBe(false)
  })

  it("sends events as they were when tracked, with timestamps of the given clock", async () => {
    const { seen, telemetry } = makeTelemetry([done], { now: () => 1_700_000_000_000 })
    const event = { type: "task.completed" }
    telemetry.track(event)
    event.type = "task.started"
    await telemetry.flush()
    expect(batches(seen)).toMatchObject([[{ type: "task.completed", timestamp: "2023-11-14T22:13:20.000Z" }]])
  })

  it("sends queued events on dispose, retries a short outage, and stops", async () => {
    const { drops, seen, telemetry } = makeTelemetry([lost, done])
    count(telemetry, 3)
    expect(await telemetry.flush()).toBe(false)
    const disposed = telemetry[Symbol.asyncDispose]()
    await vi.runAllTimersAsync()
    await disposed
    expect([telemetry.sent, telemetry.queued, batches(seen).length]).toEqual([3, 0, 2])
    telemetry.track(task)
    expect(drops).toEqual([{ reason: "disposed", events: 1 }])
    expect(vi.getTimerCount()).toBe(0)
    await telemetry.dispose()
  })

  it("ends dispose in time without a response, and counts the remaining events", async () => {
    const { drops, telemetry } = makeTelemetry([() => new Promise<Response>(() => {})], { disposeMillis: 2_000 })
    count(telemetry, 60)
    const start = Date.now()
    const disposed = telemetry.dispose()
    await vi.runAllTimersAsync()
    await disposed
    expect(Date.now() - start).toBe(2_000)
    expect([drops, telemetry.queued]).toEqual([[{ reason: "undelivered", events: 60 }], 0])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("works without process and crypto", async () => {
    vi.stubGlobal("process", undefined)
    vi.stubGlobal("crypto", undefined)
    try {
      const { seen, telemetry } = makeTelemetry([done], { beforeExit: true, signals: ["SIGTERM"] })
      count(telemetry, 2)
      expect(await telemetry.flush()).toBe(true)
      expect(
        new Set(
          batches(seen)
            .flat()
            .map(({ id }) => id)
        ).size
      ).toBe(2)
      await telemetry.dispose()
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

describe("telemetry in a process", () => {
  const source = join(import.meta.dirname, "../src/index.ts")
  /** Runs a script with a telemetry queue against a server with this status. Returns the received event IDs. */
  const run = async (body: string, status = 204, options = "") => {
    const ids: Array<string> = []
    const server = createServer((request, response) => {
      let text = ""
      request.on("data", (chunk: Buffer) => (text += chunk.toString()))
      request.on("end", () => {
        if (request.method === "GET") {
          response.writeHead(404, { "content-type": "application/json" }).end('{"error":"route_not_found"}')
          return
        }
        for (const { id } of (JSON.parse(text) as { events: ReadonlyArray<Sent> }).events) ids.push(id)
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const program = `
      import { createClient, createTelemetry } from ${JSON.stringify(source)}
      const client = createClient({ baseUrl: "http://127.0.0.1:${port}", token: "t" })
      const telemetry = createTelemetry(client, { source: "app", flushMillis: 3_600_000, disposeMillis: 3_000, ${options} })
      ${body}`
    const ended = await new Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>(
      (resolve) => {
        const child = execFile(
          process.execPath,
          ["--input-type=module", "--eval", program],
          (error, stdout, stderr) => {
            resolve({ code: error === null ? 0 : (child.exitCode ?? null), signal: child.signalCode, stdout, stderr })
          }
        )
      }
    )
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    return { ids, ...ended }
  }
  const track = `for (let i = 0; i < 60; i++) telemetry.track({ type: "task.completed", id: "e" + i })`

  it("sends queued events before the process exits, and no timer delays the exit", async () => {
    const { code, ids, stderr } = await run(
      `for (let i = 0; i < 7; i++) telemetry.track({ type: "task.completed", id: "e" + i })`
    )
    expect([code, stderr, new Set(ids).size, ids.length]).toEqual([0, "", 7, 7])
  })

  it("lets the process exit if the queue is empty or the server unavailable", async () => {
    expect(await run("")).toMatchObject({ code: 0, ids: [] })
    const { code, ids } = await run(`telemetry.track({ type: "task.completed", id: "e" })`, 503)
    expect(code).toBe(0)
    expect(new Set(ids)).toEqual(new Set(["e"]))
  })

  it("sends queued events on a signal, and then exits by the signal", async () => {
    const { ids, signal } = await run(
      `${track}; setInterval(() => {}, 1000); process.kill(process.pid, "SIGTERM")`,
      204,
      'signals: ["SIGTERM"]'
    )
    expect([signal, new Set(ids).size]).toEqual(["SIGTERM", 60])
  })
})
