import type { IncomingMessage, ServerResponse } from "node:http"
import type { JsonObject } from "@orgplane/schema/shared/values"
import { afterEach, describe, expect, it } from "vitest"
import { callTool, refusal } from "./fixtures/requests.ts"
import { closed, listen } from "./fixtures/counterparts.ts"

interface Streams {
  /** The events of a call's own stream before it ends. */
  onCall: (response: ServerResponse, id: unknown) => void
  /** The events of a stream that resumes after an event. */
  onResume: (response: ServerResponse, lastEventId: string, id: unknown) => void
  /** The events of the listening stream; false refuses the stream. */
  onListen: false | ((response: ServerResponse) => void)
  /** The responses and notifications of the client. */
  readonly said: Array<JsonObject>
}

const servers: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of servers.splice(0)) await close()
})

const result = (id: unknown) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } })}\n\n`
const request = (id: string, method: string) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, method })}\n\n`
const primed = (id: string, retryMillis: number) => `id: ${id}\nretry: ${retryMillis}\ndata: \n\n`

/** A server with sessions whose streams are scripted by the test. */
const serve = async (more: Partial<Streams>) => {
  const streams: Streams = {
    onCall: (response, id) => response.end(result(id)),
    onResume: (response, _, id) => response.end(result(id)),
    onListen: () => undefined,
    said: [],
    ...more
  }
  const seen: Array<string> = []
  const open = { listening: 0, mostListening: 0 }
  let called: unknown
  const events = (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
    return response
  }
  const get = (incoming: IncomingMessage, response: ServerResponse) => {
    const lastEventId = incoming.headers["last-event-id"]
    seen.push(lastEventId === undefined ? "GET" : `GET after ${String(lastEventId)}`)
    if (lastEventId !== undefined) return streams.onResume(events(response), String(lastEventId), called)
    if (streams.onListen === false) return response.writeHead(405).end()
    open.listening += 1
    open.mostListening = Math.max(open.mostListening, open.listening)
    response.on("close", () => (open.listening -= 1))
    return streams.onListen(events(response))
  }
  const { server, url } = await listen(async (incoming, response) => {
    if (incoming.method === "GET") return void get(incoming, response)
    if (incoming.method === "DELETE") {
      seen.push("DELETE")
      return void response.writeHead(200).end()
    }
    let text = ""
    for await (const chunk of incoming) text += String(chunk)
    const { id, method, ...rest } = JSON.parse(text)
    if (method === undefined) {
      streams.said.push({ id, ...rest })
      return void response.writeHead(202).end()
    }
    seen.push(method)
    if (method === "tools/call") {
      called = id
      return streams.onCall(events(response), id)
    }
    if (method !== "initialize") return void response.writeHead(method === "server/discover" ? 404 : 202).end()
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "session-1" })
    const result = {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "1" }
    }
    return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
  })
  servers.push(() => closed(server))
  return { url, seen, streams, open }
}

const begun = ["server/discover", "initialize", "notifications/initialized", "GET"]

describe("a stream that ends before the response", () => {
  it("is resumed after its last event, as often as the server ends it, without calling the tool again", async () => {
    const { seen, url } = await serve({
      onCall: (response) => response.end(primed("one", 100)),
      onResume: (response, after, id) => response.end(after === "one" ? primed("two", 100) : `id: three\n${result(id)}`)
    })
    expect((await callTool(url, "slow")).result).toEqual({ content: [] })
    expect(seen).toEqual([...begun, "tools/call", "GET after one", "GET after two", "DELETE"])
  })

  it("is resumed when the connection breaks after an event", async () => {
    const { seen, url } = await serve({
      onCall: (response) => response.write(primed("one", 100), () => response.destroy())
    })
    expect((await callTool(url, "slow")).result).toEqual({ content: [] })
    expect(seen.slice(-2)).toEqual(["GET after one", "DELETE"])
  })

  it("fails the call after 20 resumptions", async () => {
    const { seen, url } = await serve({
      onCall: (response) => response.end(primed("one", 0)),
      onResume: (response) => response.end()
    })
    expect(await refusal.callTool(url, "slow")).toMatchObject({ code: "closed_early", retryable: true })
    expect(seen.filter((one) => one === "GET after one")).toHaveLength(20)
  })

  it("is not resumed without an event ID, or when the server refuses", async () => {
    const without = await serve({ onCall: (response) => response.end("data: \n\n") })
    expect(await refusal.callTool(without.url, "slow")).toMatchObject({ code: "closed_early" })
    expect(without.seen).toEqual([...begun, "tools/call", "DELETE"])
    const refusing = await serve({
      onCall: (response) => response.end(primed("one", 100)),
      onResume: (response) => response.destroy()
    })
    expect(await refusal.callTool(refusing.url, "slow")).toMatchObject({ code: "closed_early" })
  })
})

describe("requests that a server with sessions sends during a call", () => {
  it("get a response while a call waits: a ping a result, any unknown method an error", async () => {
    let listening: ServerResponse | undefined
    const { streams, url } = await serve({
      onListen: (response) => (listening = response),
      onCall: (response, id) => {
        listening?.write(request("p", "ping") + request("r", "roots/list"))
        const isAnswered = setInterval(() => {
          if (streams.said.length < 2) return
          clearInterval(isAnswered)
          response.end(result(id))
        }, 10)
      }
    })
    expect((await callTool(url, "asks")).result).toEqual({ content: [] })
    expect(streams.said).toMatchObject([
      { id: "p", result: {} },
      { id: "r", error: { code: -32601 } }
    ])
  })

  it("end the call at once when they need a person, whatever the call's own stream does", async () => {
    let listening: ServerResponse | undefined
    const { url } = await serve({
      onListen: (response) => (listening = response),
      onCall: () => listening?.write(request("e", "elicitation/create"))
    })
    const failure = await refusal.callTool(url, "asks")
    expect(failure).toMatchObject({ category: "tool", code: "input_required" })
    expect(failure.exchange?.request.body.text).toContain("tools/call")
  })

  it("are not waited for when the server does not offer such a stream", async () => {
    const { seen, url } = await serve({ onListen: false })
    expect((await callTool(url, "quick")).result).toEqual({ content: [] })
    expect(seen).toEqual([...begun, "tools/call", "DELETE"])
  })
})
