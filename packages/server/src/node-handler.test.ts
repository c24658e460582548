import { createServer, request as nodeRequest } from "node:http"
import { connect, type AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { afterEach, describe, expect, it } from "vitest"
import { toNodeHandler } from "./node-handler.ts"
import type { Peer } from "./start.ts"

const cleanups: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

type Fetch = (request: Request, peer?: Peer) => Promise<Response>
type Handler = ReturnType<typeof toNodeHandler>
type Wrap = (handler: Handler) => (...args: Parameters<Handler>) => void

const serve = async (fetch: Fetch, wrap: Wrap = (handler) => handler) => {
  const handler = wrap(toNodeHandler({ fetch }))
  const server = createServer((request, response) => handler(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  cleanups.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port }
}

describe("the handler for node:http", () => {
  it("passes on method, path, headers, body and the caller's address, and returns the complete response", async () => {
    const seen: Array<unknown> = []
    const { url } = await serve(async (request, peer) => {
      seen.push([request.method, new URL(request.url).pathname, request.headers.get("x-a"), await request.text(), peer])
      const headers = new Headers([
        ["x-b", "1"],
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"]
      ])
      return new Response("made", { status: 201, headers })
    })
    const response = await fetch(`${url}/v1/x?y=1`, { method: "POST", headers: { "x-a": "2" }, body: "é" })
    expect(seen).toEqual([["POST", "/v1/x", "2", "é", { remoteAddress: "127.0.0.1" }]])
    expect([response.status, response.headers.get("x-b"), await response.text()]).toEqual([201, "1", "made"])
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"])
  })

  it("keeps the requested host in its header, where it is checked", async () => {
    const { port } = await serve(async (request) => new Response(request.headers.get("host")))
    const response = await new Promise<string>((resolve, reject) => {
      const outgoing = nodeRequest({ port, host: "127.0.0.1", path: "/", headers: { host: "a b:c" } }, (response) =>
        resolve(text(response))
      )
      outgoing.on("error", reject).end()
    })
    expect(response).toBe("a b:c")
  })

  it("uses the whole path if a framework removed the mount path", async () => {
    const { url } = await serve(
      async (request) => new Response(new URL(request.url).pathname),
      (handler) => (request, response) =>
        handler(Object.assign(request, { originalUrl: request.url ?? "", url: "/cut" }), response)
    )
    expect(await (await fetch(`${url}/orgplane/v1/health`)).text()).toBe("/orgplane/v1/health")
  })

  it("streams both ways: the response begins before the request ends", async () => {
    const { port } = await serve(async (request) => new Response(request.body))
    const outgoing = nodeRequest({ port, host: "127.0.0.1", method: "POST", path: "/" })
    const parts: Array<string> = []
    const ended = new Promise<void>((resolve) =>
      outgoing.on("response", (response) => {
        response.on("data", (chunk: Buffer) => {
          parts.push(chunk.toString())
          if (parts.length === 1) outgoing.end("two")
        })
        response.on("end", () => resolve())
      })
    )
    outgoing.write("one")
    await ended
    expect(parts.join(" ")).toBe("one two")
  })

  it("aborts the request of a client that disconnects", async () => {
    const hungUp = Promise.withResolvers<string>()
    const { port } = await serve((request) => {
      request.signal.addEventListener("abort", () => hungUp.resolve("aborted"))
      socket.destroy()
      return new Promise(() => {})
    })
    const socket = connect(port, "127.0.0.1")
    socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
    expect(await hungUp.promise).toBe("aborted")
  })

  it("reports an error to applications that mount it behind a body parser", async () => {
    const errors: Array<unknown> = []
    const { url } = await serve(
      async () => new Response(),
      (handler) => (request, response) => {
        void text(request).then(() =>
          handler(request, response, (error) => {
            errors.push(error)
            response.writeHead(500).end()
          })
        )
      }
    )
    expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(500)
    expect(String(errors[0])).toContain("before body parsers")
  })

  it("responds 500 if there is no error handler", async () => {
    const { url } = await serve(() => Promise.reject(new Error("no")))
    expect((await fetch(url)).status).toBe(500)
  })
})
