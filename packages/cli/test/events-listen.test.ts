/** `events listen`: forwards the live stream to a server on this machine, signed like webhooks. */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { verifyWebhook } from "@orgplane/client"
import { describe, expect, it } from "vitest"
import { ran, type Seen, serve, start } from "./harness.ts"

const event = (sequence: number) => ({
  id: `aud_${sequence}`,
  sequence,
  type: "plugin.create",
  createdAt: "2026-03-01T09:30:00.000Z",
  object: { id: `plg_${sequence}`, kind: "plugin", name: "Reviewer" }
})
const frames = (...sequences: ReadonlyArray<number>) => ({
  raw: Buffer.from(
    sequences.map((sequence) => `id: ${sequence}\ndata: ${JSON.stringify(event(sequence))}\n\n`).join("")
  ),
  headers: { "content-type": "text/event-stream" }
})
const denied = { status: 401, body: { error: "unauthorized", message: "No." } }
const stream = "GET /v1/events/stream"
const hook = "POST /hook"
const queryOf = ({ path }: Seen) => Object.fromEntries(new URL(path, "http://x").searchParams)
const secret = `whsec_${Buffer.from("a secret for tests").toString("base64")}`

/** Forwards to a receiver until the stream of the server ends with 401. */
const listen = async (
  streams: ReadonlyArray<object>,
  replies: Parameters<typeof serve>[0][string],
  flags: ReadonlyArray<string> = []
) => {
  const receiver = await serve({ [hook]: replies })
  const server = await serve({ [stream]: [...streams, denied] })
  const forwardTo = `${receiver.url}/hook`
  const result = await ran(["events", "listen", "--forward-to", forwardTo, ...flags], {
    url: server.url,
    now: () => Date.now()
  })
  return { ...result, received: receiver.seen, streamed: server.seen.map(queryOf), forwardTo }
}

/** A URL on this machine at which nothing listens. */
const closedUrl = async () => {
  const listener = createServer().listen(0, "127.0.0.1")
  await once(listener, "listening")
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, "close")
  return `http://127.0.0.1:${port}/`
}

describe("events listen", () => {
  it("sends each event with a signature of the secret that it prints, and prints a line for each", async () => {
    const { code, err, forwardTo, out, received } = await listen([frames(1, 2)], [{ status: 204 }, { status: 500 }])
    expect(code).toBe(4)
    const printed = /^Forwarding events to (\S+)\. The secret is (whsec_\S+)$/mu.exec(err) ?? []
    expect(printed[1]).toBe(forwardTo)
    expect(received).toHaveLength(2)
    for (const [index, { body, headers, method }] of received.entries()) {
      const sequence = index + 1
      expect([method, headers["content-type"]]).toEqual(["POST", "application/json"])
      expect(await verifyWebhook({ headers, body }, { secret: printed[2] ?? "" })).toEqual({
        id: `aud_${sequence}`,
        type: "plugin.create",
        timestamp: "2026-03-01T09:30:00.000Z",
        data: event(sequence)
      })
    }
    expect(out).toMatch(/^1\tplugin\.create\taud_1\t204\t\d+\t-\n2\tplugin\.create\taud_2\t500\t\d+\t-\n$/u)
  })

  it("signs with --secret, selects types, starts after a sequence number and continues after the last event", async () => {
    const flags = ["--secret", secret, "--types", "plugin.*", "--after", "6", "-q"]
    const { err, out, received, streamed } = await listen([frames(7), frames(8)], { status: 200 }, flags)
    expect(out).toBe("aud_7\naud_8\n")
    expect(streamed).toEqual(["6", "7", "8"].map((after) => ({ types: "plugin.*", after })))
    expect(err).not.toContain(secret)
    for (const { body, headers } of received) {
      expect(await verifyWebhook({ headers, body }, { secret })).toMatchObject({ type: "plugin.create" })
    }
  }, 20_000)

  it("prints why there was no response, and sends the next event", async () => {
    const server = await serve({ [stream]: [frames(1, 2), denied] })
    const flags = ["events", "listen", "--forward-to", await closedUrl(), "-o", "ndjson"]
    const { out } = await ran(flags, { url: server.url })
    const deliveries = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(deliveries.map(({ sequence, status }) => [sequence, status])).toEqual([
      [1, null],
      [2, null]
    ])
    expect(deliveries[0].error).toContain("ECONNREFUSED")
  })

  it.each([
    "http://192.0.2.1/",
    "https://hooks.example/",
    "http://127.0.0.1.hooks.example/",
    "http://localhost.example/"
  ])("sends nothing to %s, which is not on this machine", async (forwardTo) => {
    const { seen, url } = await serve({})
    const { code, err } = await ran(["events", "listen", "--forward-to", forwardTo], { url })
    expect([code, seen]).toEqual([2, []])
    expect(err).toContain("--allow-remote")
  })

  it.each([
    [["--forward-to", "localhost:3000"], "--forward-to must be an http or https URL"],
    [["--forward-to", "http://localhost", "--secret", "hunter2"], "--secret must be whsec_ and base64"],
    [["--forward-to", "http://localhost", "--secret", "whsec_"], "--secret must be whsec_ and base64"],
    [[], "--forward-to"]
  ])("rejects %j", async (flags, message) => {
    const { seen, url } = await serve({})
    const { code, err, out } = await ran(["events", "listen", ...flags], { url })
    expect([code, seen]).toEqual([2, []])
    expect(err + out).toContain(message)
  })

  it("sends to another machine with --allow-remote, and ends when it is interrupted", async () => {
    const { seen, url } = await serve({ [stream]: [{ silent: true }] })
    const flags = ["events", "listen", "--forward-to", "http://hooks.invalid/", "--allow-remote"]
    const { child, ended } = start(flags, { url })
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(1)
    child.kill("SIGINT")
    expect((await ended).code).toBe(130)
  }, 30_000)
})
