import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it, onTestFinished } from "vitest"
import { createClient, ForbiddenError, type OrgplaneClient } from "../src/index.ts"
import { clientOf, failure, json } from "./server.ts"

const chunkBytes = 1024 * 1024

/** A server with an export of many chunks. Records how many were sent, and whether the connection was closed. */
const exporting = async (chunks: number) => {
  const sent = { chunks: 0, closed: false }
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" })
    response.on("close", () => (sent.closed = true))
    const more = () => {
      while (sent.chunks < chunks) {
        sent.chunks++
        if (!response.write(Buffer.alloc(chunkBytes, "x"))) return void response.once("drain", more)
      }
      response.end()
    }
    more()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { sent, client: createClient({ baseUrl: `http://127.0.0.1:${port}`, timeoutMillis: 5_000 }) }
}

const bytesOf = async (client: OrgplaneClient) => {
  let bytes = 0
  for await (const chunk of await client.audit.export()) bytes += chunk.byteLength
  return bytes
}

describe("a stream", () => {
  it("of a gigabyte is complete, and the server sends only what is read", async () => {
    const { client, sent } = await exporting(1024)
    const stream = await client.audit.export({ format: "ndjson" })
    // The server has filled the network buffers and waits.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(sent.chunks).toBeLessThan(64)
    let bytes = 0
    for await (const chunk of stream) bytes += chunk.byteLength
    expect(bytes).toBe(1024 * chunkBytes)
  })

  it("is complete if garbage is collected before it is read", async () => {
    const { client } = await exporting(64)
    const stream = await client.audit.export()
    setFlagsFromString("--expose-gc")
    const collectGarbage = runInNewContext("gc") as () => void
    for (let times = 0; times < 5; times++) {
      collectGarbage()
      // The objects that were registered for it are finalized in a later task.
      await new Promise((resolve) => setImmediate(resolve))
    }
    let bytes = 0
    for await (const chunk of stream) bytes += chunk.byteLength
    expect(bytes).toBe(64 * chunkBytes)
  })

  it("is closed on the server when the reader stops early", async () => {
    const { client, sent } = await exporting(1024)
    for await (const chunk of await client.audit.export()) {
      expect(chunk.byteLength).toBeGreaterThan(0)
      break
    }
    await expect.poll(() => sent.closed).toBe(true)
    expect(sent.chunks).toBeLessThan(1024)
  })

  it("is aborted by the caller's signal after the call has returned", async () => {
    const { client, sent } = await exporting(1024)
    const abort = new AbortController()
    const stream = await client.audit.export({}, { signal: abort.signal })
    const reader = stream.getReader()
    await reader.read()
    abort.abort()
    const rest = async () => {
      while (!(await reader.read()).done);
    }
    await expect(rest()).rejects.toThrow()
    await expect.poll(() => sent.closed).toBe(true)
  })

  it("is complete if it is short", async () => {
    const { client } = await exporting(3)
    expect(await bytesOf(client)).toBe(3 * chunkBytes)
  })

  it("rejects with the response body if access is denied, and retries a transient failure", async () => {
    const refused = clientOf([json(403, { error: "forbidden", reason: "permission_required", message: "No." })])
    expect(await failure(refused.client.audit.export())).toBeInstanceOf(ForbiddenError)
    const { client, seen } = clientOf([
      json(503, { error: "unavailable", message: "Not now." }, { "retry-after": "0" }),
      () => new Response('{"a":1}\n', { headers: { "content-type": "application/x-ndjson" } })
    ])
    expect(await bytesOf(client)).toBe(8)
    expect(seen).toHaveLength(2)
  })

  it("is available for any path with client.request", async () => {
    const { client, seen } = clientOf([new Response("id\n", { headers: { "content-type": "text/csv" } })])
    const stream = await client.request<ReadableStream<Uint8Array>>("GET", "/v1/audit-events/export", {
      query: { format: "csv" },
      streams: true
    })
    expect(await new Response(stream).text()).toBe("id\n")
    expect(seen[0]?.url.search).toBe("?format=csv")
  })
})

describe("a credential", () => {
  it("is an API key in x-api-key or a session token as a bearer token, never both", async () => {
    const credentials = async (options: Parameters<typeof clientOf>[1]) => {
      const { client, seen } = clientOf([json(200, { items: [], nextCursor: null })], options)
      await client.apiKeys.list()
      return [seen[0]?.headers.get("x-api-key"), seen[0]?.headers.get("authorization")]
    }
    expect(await credentials({ apiKey: "opk_1" })).toEqual(["opk_1", null])
    expect(await credentials({ token: "ops_1" })).toEqual([null, "Bearer ops_1"])
    expect(() => createClient({ baseUrl: "https://control.example", token: "ops_1", apiKey: "opk_1" })).toThrow(
      "not both"
    )
  })
})
