import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import stringWidth from "string-width"
import { afterEach, describe, expect, it } from "vitest"
import { cacheHome } from "../src/compile-cache.ts"
import { width } from "../src/output/width.ts"
import { folder, ran, serve, spawned } from "./harness.ts"

const closers: Array<() => void> = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Sends these bytes, and ends the connection. */
const respond = async (head: Readonly<Record<string, string | number>>, body: Uint8Array) => {
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "application/json", ...head })
    response.write(body, () => response.destroy())
    request.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closers.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe("a request", () => {
  const text = JSON.stringify({ item: { id: "plg_1", name: "Ä".repeat(50_000) } })
  it.each([
    ["gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(text)]
  ])("accepts a response compressed with %s", async (encoding, body) => {
    const url = await respond({ "content-encoding": encoding, "content-length": body.length }, body)
    const { code, out } = await ran(["plugins", "get", "plg_1", "-o", "json"], { url })
    expect([code, out.trim()]).toEqual([0, text])
  })
  it("fails if the response ends early", async () => {
    const url = await respond({ "content-length": 1_000 }, Buffer.from('{"item":'))
    expect(await ran(["plugins", "get", "plg_1"], { url })).toMatchObject({ code: 8, out: "" })
  })
  it("fails if a compressed response ends early", async () => {
    const url = await respond({ "content-encoding": "gzip", "content-length": 1_000 }, gzipSync(text).subarray(0, 20))
    expect(await ran(["plugins", "get", "plg_1"], { url })).toMatchObject({ code: 8, out: "" })
  })
  it("with a character that no header can contain is not sent, and not reported as a network failure", async () => {
    const { seen, url } = await serve({})
    expect(await ran(["plugins", "get", "plg_1", "--organization", "org_\u2026"], { url })).toMatchObject({ code: 1 })
    expect(seen).toEqual([])
  })
  it("uses the proxy that Node's environment variables configure", async () => {
    const targets: Array<string | undefined> = []
    const proxy = createServer()
    proxy.on("connect", (request, socket) => {
      targets.push(request.url)
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    closers.push(() => proxy.close())
    const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    // No host has this name: only a proxy can receive the request.
    const { code } = await spawned(["api", "GET", "/v1/plugins"], {
      url: "http://orgplane.invalid",
      env: { NODE_USE_ENV_PROXY: "1", HTTP_PROXY }
    })
    expect([code, targets]).toEqual([8, ["orgplane.invalid:80"]])
  })
})

describe("the compile cache", () => {
  it("is below the user's cache directory", () => {
    expect(cacheHome("linux", { HOME: "/home/ada" })).toBe("/home/ada/.cache")
    expect(cacheHome("linux", { HOME: "/home/ada", XDG_CACHE_HOME: "/caches" })).toBe("/caches")
    expect(cacheHome("linux", { HOME: "/home/ada", XDG_CACHE_HOME: "caches" })).toBe("/home/ada/.cache")
    expect(cacheHome("darwin", { HOME: "/Users/ada" })).toBe("/Users/ada/Library/Caches")
  })
  it("is written by a command, and not if Node's variables disable it", async () => {
    const home = await folder()
    const env = { HOME: home, NODE_COMPILE_CACHE: "" }
    await spawned(["plugins", "--help"], { env: { ...env, NODE_DISABLE_COMPILE_CACHE: "1" } })
    expect(existsSync(join(home, ".cache"))).toBe(false)
    await spawned(["plugins", "--help"], { env })
    expect(existsSync(join(home, ".cache/orgplane"))).toBe(true)
  })
  it("is not needed: a command runs if no directory can be created", async () => {
    const { code, out } = await spawned(["plugins", "--help"], { env: { HOME: "/proc/none", NODE_COMPILE_CACHE: "" } })
    expect([code, out.includes("COMMANDS")]).toEqual([0, true])
  })
})

describe("the width of text", () => {
  it("is that of string-width for every character of the Basic Multilingual Plane, alone and after others", () => {
    const different: Array<string> = []
    for (let code = 0x20; code <= 0xffff; code++) {
      const character = String.fromCharCode(code)
      for (const text of [character, `ä${character}`, `${character}é`, `│${character}…`])
        if (width(text) !== stringWidth(text)) different.push(text)
    }
    expect(different).toEqual([])
  })
})
