import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import { get, refusal, text } from "./fixtures/requests.ts"

const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const listen = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const loopback = { destination: "loopback" } as const

it("reaches a local process, regardless of the proxy and the allowed ranges", async () => {
  const port = await listen((_, response) => response.end("ours"))
  const options = { loopback: true, proxy: "http://127.0.0.1:1" }
  expect(text((await get({ ...loopback, url: `http://127.0.0.1:${port}/runtime` }, options)).body)).toBe("ours")
  // Every notation of the same address.
  expect(text((await get({ ...loopback, url: `http://0x7f.1:${port}/` }, options)).body)).toBe("ours")
})

it("is blocked when this server starts no processes, and for URLs of callers", async () => {
  const requests: Array<string> = []
  const port = await listen((request, response) => {
    requests.push(request.url ?? "")
    response.end()
  })
  const url = `http://127.0.0.1:${port}/`
  expect((await refusal({ ...loopback, url }, {})).code).toBe("blocked")
  expect((await refusal({ url }, { loopback: true, allowHttp: true })).code).toBe("blocked")
  expect((await refusal({ destination: "configured", url }, { loopback: true })).code).toBe("blocked")
  expect(requests).toEqual([])
})

it.each([
  "https://127.0.0.1/",
  "http://localhost/",
  "http://127.0.0.2/",
  "http://0.0.0.0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://10.0.0.1/",
  "http://169.254.169.254/",
  "http://public.example/"
])("is not allowed for a loopback destination: %s", async (url) => {
  expect((await refusal({ ...loopback, url }, { loopback: true, allowHttp: true })).code).toBe("blocked")
})

it("does not follow redirects to another origin, not even to another port", async () => {
  const requests: Array<string> = []
  const other = await listen((request, response) => {
    requests.push(request.url ?? "")
    response.end()
  })
  const port = await listen((request, response) => {
    const to = request.url === "/port" ? `http://127.0.0.1:${other}/` : "http://169.254.169.254/"
    response.writeHead(302, { location: to }).end()
  })
  for (const path of ["/port", "/away"]) {
    const ask = { ...loopback, url: `http://127.0.0.1:${port}${path}`, redirectsMax: 3 }
    expect((await refusal(ask, { loopback: true, allowHttp: true })).code).toBe("blocked")
  }
  expect(requests).toEqual([])
})
