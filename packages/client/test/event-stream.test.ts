/** The stream of events: frames, reconnection, and its end. */
import { describe, expect, it } from "vitest"
import { createClient } from "../src/index.ts"

const frame = (sequence: number) =>
  `id: ${sequence}\nevent: plugin.create\ndata: ${JSON.stringify({ id: `aud_${sequence}`, sequence })}\n\n`

/** A server that responds to each connection with the next of these bodies, and then with 403. */
const serving = (...connections: ReadonlyArray<ReadonlyArray<string> | number>) => {
  const requests: Array<Request> = []
  const fetch = (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init)
    const parts = connections[requests.length]
    requests.push(request)
    if (parts === undefined || typeof parts === "number") {
      const status = parts ?? 403
      return Promise.resolve(
        Response.json({ error: status === 403 ? "forbidden" : "unavailable", message: "No." }, { status })
      )
    }
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const part of parts) controller.enqueue(encoder.encode(part))
        controller.close()
      }
    })
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }))
  }
  return { client: createClient({ baseUrl: "http://localhost", token: "t", fetch, retries: 0 }), requests }
}

const lastIds = (requests: ReadonlyArray<Request>) => requests.map(({ headers }) => headers.get("last-event-id"))

describe("client.events.stream", () => {
  it("yields each event once, also if a frame arrives in parts", async () => {
    const text = `: keep-alive\nid: 4\n\n${frame(5)}${frame(6)}`
    const { client, requests } = serving(text.split(""))
    const sequences: Array<number> = []
    const stream = client.events.stream({ types: "plugin.*", after: 4 })
    for await (const { sequence } of stream) {
      sequences.push(sequence)
      if (sequence === 6) break
    }
    expect([sequences, stream.position]).toEqual([[5, 6], 6])
    expect(new URL(requests[0]?.url ?? "").searchParams.get("types")).toBe("plugin.*")
  })

  it("connects again after the last position, also one without an event, and ends with the error of the server", async () => {
    const { client, requests } = serving([frame(1), ": keep-alive\nid: 3\n\n"], 503, [frame(4)])
    const sequences: Array<number> = []
    const read = async () => {
      for await (const { sequence } of client.events.stream()) sequences.push(sequence)
    }
    await expect(read()).rejects.toMatchObject({ status: 403, code: "forbidden" })
    expect(sequences).toEqual([1, 4])
    expect(lastIds(requests)).toEqual([null, "3", "3", "4"])
  }, 20_000)

  it("stops when its signal is aborted", async () => {
    const { client } = serving([frame(1)])
    const controller = new AbortController()
    const read = async () => {
      for await (const event of client.events.stream({}, { signal: controller.signal })) {
        expect(event.sequence).toBe(1)
        controller.abort()
      }
    }
    await expect(read()).rejects.toMatchObject({ code: "aborted" })
  })
})
