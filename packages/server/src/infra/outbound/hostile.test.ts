import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { get, readAll, refusal, request, runWith, stream, text, until } from "./fixtures/requests.ts"
import { LocalInternet } from "./fixtures/local-internet.ts"
import type { OutboundOptions } from "./index.ts"
import type { Outbound } from "../ports/outbound.ts"

let net: LocalInternet
let options: OutboundOptions
/** TCP sockets of this process, both ends of each connection, without listening ones. */
const tcpSockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
let before = 0
beforeEach(() => {
  before = tcpSockets()
  net = new LocalInternet()
  net.names.set("one.example", ["1.1.1.1"])
  options = { ...net.options, allowHttp: true }
})
/** Whatever a server did, no socket remains on either side. */
afterEach(async () => {
  await until(() => net.sockets.size === 0)
  await until(() => tcpSockets() <= before)
  await net.close()
})

/** Unencrypted, so that every byte of a response can be chosen. */
const plain = "http://one.example/"
const url = "https://one.example/"
const pour = (socket: Socket, next: () => string | Buffer) => {
  const more = () => {
    while (!socket.destroyed && socket.write(next()));
  }
  socket.on("drain", more)
  more()
}
/** Sends these bytes after the request, and then closes the connection or keeps it open. */
const respondWith = (bytes: string | Buffer, isEnd = true) =>
  net.serveSocket("1.1.1.1", (socket) =>
    socket.once("data", () => {
      socket.write(bytes)
      if (isEnd) socket.end()
    })
  )
const patient = { timeoutMillis: 30_000 }

describe("an endless response", () => {
  const statusLine = "HTTP/1.1 200 OK\r\n"
  const chunked = `${statusLine}transfer-encoding: chunked\r\n\r\n`
  const endless: ReadonlyArray<readonly [string, string, () => string | Buffer]> = [
    ["of informational responses", "", () => "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"],
    ["of 100 Continue responses", "", () => "HTTP/1.1 100 Continue\r\n\r\n"],
    ["of headers", statusLine, () => "x-a: b\r\n"],
    ["of one header", `${statusLine}x-a: `, () => "a".repeat(1000)],
    ["of a status line", "HTTP/1.1 200 ", () => "OK ".repeat(1000)],
    ["of a folded header", `${statusLine}x-a: b\r\n`, () => " c\r\n"],
    ["of empty lines before the status line", "", () => "\r\n".repeat(1000)],
    ["of body without a length", `${statusLine}\r\n`, () => Buffer.alloc(65_536)],
    ["of chunks", chunked, () => `400\r\n${"a".repeat(1024)}\r\n`],
    ["of one-byte chunks with large extensions", chunked, () => `1;${"a".repeat(10_000)}\r\nb\r\n`],
    ["of a chunk extension", `${chunked}1;`, () => "a".repeat(1000)],
    ["of a chunk size", chunked, () => "0".repeat(1000)],
    ["of trailers", `${chunked}0\r\n`, () => "x-a: b\r\n"]
  ]

  it.each(endless)("%s is cut off by its bytes, long before its time", async (_, start, more) => {
    await net.serveSocket("1.1.1.1", (socket) =>
      socket.once("data", () => {
        socket.write(start)
        pour(socket, more)
      })
    )
    const failure = await refusal({ url: plain, timeoutMillis: 300_000 }, options)
    expect(["too_large", "unreachable"]).toContain(failure.code)
  })

  it("of a proxy is aborted too", async () => {
    const proxies = [
      "HTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.1 200 OK\r\nx-a: ",
      "HTTP/1.1 407 No\r\ncontent-length: 9999999\r\n\r\n"
    ]
    for (const start of proxies) {
      await net.serveSocket("127.0.0.2", (socket) => {
        socket.write(start)
        pour(socket, () => (start.includes("100") ? start : "a".repeat(1000)))
      })
      const { port } = options.dial?.("127.0.0.2", 80) ?? { port: 1 }
      const failure = await refusal({ url, timeoutMillis: 300_000 }, { ...options, proxy: `http://127.0.0.1:${port}` })
      expect(["too_large", "unreachable"]).toContain(failure.code)
    }
  })
})

describe("an incomplete response", () => {
  const ok = "HTTP/1.1 200 OK\r\n"
  it.each([
    ["nothing", ""],
    ["half a status line", "HTTP/1.1 2"],
    ["half of the headers", `${ok}x-a: b\r\n`],
    ["a body shorter than its length", `${ok}content-length: 10\r\n\r\nhalf`],
    ["half a chunk", `${ok}transfer-encoding: chunked\r\n\r\na\r\nhalf`],
    ["no last chunk", `${ok}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`],
    [
      "half of a compressed body",
      Buffer.concat([Buffer.from(`${ok}content-encoding: gzip\r\n\r\n`), gzipSync("half").subarray(0, 15)])
    ],
    ["two content lengths", `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
    ["a content length and chunks", `${ok}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["a negative content length", `${ok}content-length: -1\r\n\r\n`],
    ["a content length that is not a decimal number", `${ok}content-length: 0x10\r\n\r\n${"a".repeat(16)}`],
    ["a line feed in a header", `${ok}x-a: b\nx-c: d\r\n\r\n`],
    ["a NUL in a header", `${ok}x-a: b\0c\r\n\r\n`],
    ["a space before a colon", `${ok}x-a : b\r\n\r\n`],
    ["another protocol", "SSH-2.0-OpenSSH_9.9\r\n"],
    ["a page without headers", "<html></html>"],
    ["HTTP/2", Buffer.from("000012040000000000000300000064000400100000000600004000", "hex")],
    ["a status out of range", "HTTP/1.1 99999 Odd\r\n\r\n"],
    [
      "an unrequested upgrade",
      "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n\x81\x05hello"
    ],
    ["invalid TLS", Buffer.from("1603010200010001fc0303", "hex")]
  ])("with %s is reported as unreachable", async (_, bytes) => {
    await respondWith(bytes)
    expect((await refusal({ url: plain, ...patient }, options)).code).toBe("unreachable")
    expect((await refusal({ url, ...patient }, options)).code).toBe("unreachable")
  })

  it("with a reset at any time is reported as unreachable", async () => {
    for (const bytes of ["", "HTTP/1.1 2", `${ok}content-length: 10\r\n\r\nhalf`]) {
      await net.serveSocket("1.1.1.1", (socket) =>
        socket.once("data", () => void socket.write(bytes, () => socket.resetAndDestroy()))
      )
      expect((await refusal({ url: plain, ...patient }, options)).code).toBe("unreachable")
    }
  })

  it("is accepted when unusual but valid: early hints, 100 Continue, a few trailers, one-byte chunks", async () => {
    const early = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(5) + "HTTP/1.1 100 Continue\r\n\r\n"
    await respondWith(
      `${early}${ok}transfer-encoding: chunked\r\n\r\n${"1;a=b\r\nx\r\n".repeat(500)}0\r\nx-end: 1\r\n\r\n`
    )
    expect(text((await get({ url: plain, ...patient }, options)).body)).toBe("x".repeat(500))
  })
})

describe("a response sent one byte at a time", () => {
  it.each([
    ["in its headers", "HTTP/1.1 200 OK\r\nx-a: "],
    ["in its body", "HTTP/1.1 200 OK\r\n\r\n"],
    ["in a chunk extension", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;"],
    ["in informational responses", "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 102 Processing\r\nx-a: "]
  ])("times out: %s", async (_, start) => {
    await net.serveSocket("1.1.1.1", (socket) => {
      socket.write(start)
      const drip = setInterval(() => socket.write("a"), 50)
      socket.once("close", () => clearInterval(drip))
    })
    expect((await refusal({ url: plain, timeoutMillis: 1000 }, options)).code).toBe("timeout")
  })

  describe("a server that does not accept connections", () => {
    let stopped: ChildProcess
    const fillers: Array<Socket> = []
    afterEach(() => {
      for (const filler of fillers) filler.destroy()
      stopped.kill("SIGKILL")
    })

    it("times out", async () => {
      const program =
        'require("net").createServer().listen(0, "127.0.0.1", 1, function () { console.log(this.address().port) })'
      stopped = spawn(process.execPath, ["-e", program])
      const [line]: Array<unknown> = await once(stopped.stdout ?? stopped, "data")
      const port = Number(String(line))
      stopped.kill("SIGSTOP")
      // Its queue is full after two; the SYN of a third gets no response.
      for (let index = 0; index < 4; index++) fillers.push(connect(port, "127.0.0.1").on("error", () => undefined))
      await until(() => fillers.filter(({ connecting }) => !connecting).length >= 2)
      const failure = await refusal(
        { url: plain, timeoutMillis: 1500 },
        { ...options, dial: () => ({ address: "127.0.0.1", port }) }
      )
      expect([failure.code, failure.phase]).toEqual(["timeout", "connect"])
      for (const filler of fillers) filler.destroy()
    })
  })
})

describe("a decompression bomb", () => {
  const bytes = Buffer.alloc(24 * 1024 * 1024)
  const bombs: ReadonlyArray<readonly [string, () => Buffer, string]> = [
    ["gzip", () => gzipSync(bytes), "too_large"],
    ["x-gzip", () => gzipSync(bytes), "too_large"],
    ["deflate", () => deflateSync(bytes), "too_large"],
    ["br", () => brotliCompressSync(bytes), "too_large"],
    ["zstd", () => zstdCompressSync(bytes), "unreachable"],
    ["gzip, gzip", () => gzipSync(gzipSync(bytes)), "unreachable"],
    ["br, gzip", () => gzipSync(brotliCompressSync(gzipSync(bytes))), "unreachable"],
    ["identity, gzip", () => gzipSync(bytes), "unreachable"],
    ["GZIP", () => gzipSync(bytes), "too_large"],
    [
      "gzip",
      () => Buffer.concat(Array.from({ length: 24 }, () => gzipSync(bytes.subarray(0, 1024 * 1024)))),
      "too_large"
    ]
  ]

  it.each(bombs)("of %s goes off nowhere, and another request is served meanwhile", async (coding, make, code) => {
    const bomb = make()
    net.names.set("two.example", ["1.0.0.1"])
    await net.serve("1.1.1.1", (_, response) => response.writeHead(200, { "content-encoding": coding }).end(bomb))
    await net.serve("1.0.0.1", (_, response) => response.end("served"))
    const memory = process.memoryUsage().rss
    const [codes, served] = await runWith(
      Effect.all(
        [
          Effect.all(
            Array.from({ length: 16 }, () =>
              Effect.flip(request({ url, organizationId: "a", ...patient })).pipe(Effect.map((failure) => failure.code))
            ),
            { concurrency: "unbounded" }
          ),
          Effect.all(
            Array.from({ length: 8 }, () => request({ url: "https://two.example/", organizationId: "b", ...patient }))
          )
        ],
        { concurrency: "unbounded" }
      ),
      options
    )
    expect(new Set(codes)).toEqual(new Set([code]))
    expect(served.map(({ body }) => text(body))).toEqual(Array.from({ length: 8 }, () => "served"))
    // All sixteen together would be 384 MiB.
    expect(process.memoryUsage().rss - memory).toBeLessThan(256 * 1024 * 1024)
  })

  it("is rejected when two headers name two encodings", async () => {
    const response = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-encoding: gzip\r\n\r\n"
    await respondWith(Buffer.concat([Buffer.from(response), gzipSync(gzipSync("x"))]))
    expect((await refusal({ url: plain, ...patient }, options)).code).toBe("unreachable")
  })

  it("of nested brackets counts by bytes: 100,000 are accepted, and a million exceed the size limit", async () => {
    await net.serve("1.1.1.1", (incoming, response) =>
      response.end("[".repeat(incoming.url === "/deep" ? 100_000 : 1_100_000))
    )
    expect((await get({ url: `${url}deep`, ...patient }, options)).body).toHaveLength(100_000)
    expect((await refusal({ url, ...patient }, options)).code).toBe("too_large")
  })
})

describe("a redirect to another origin", () => {
  const secrets = {
    authorization: "canary",
    cookie: "canary",
    "x-api-key": "canary",
    "mcp-session-id": "canary",
    "proxy-authorization": "canary",
    "private-token": "canary",
    referer: "canary",
    origin: "canary"
  }
  const places = ["https://two.example/", "https://one.example:8443/", "https://two.example:8443/"]
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const

  it("sends no credential and no body, in 180 combinations of status, method, body and origin", async () => {
    let next = { status: 0, location: "" }
    const first = await net.serve("1.1.1.1", (_, response) =>
      response.writeHead(next.status, { location: next.location }).end()
    )
    const second = await net.serve("1.0.0.1", (_, response) => response.end())
    net.names.set("two.example", ["1.0.0.1"])
    const dial = (address: string, port: number) => net.options.dial?.(port === 8443 ? "1.0.0.1" : address, port)
    const options = {
      ...net.options,
      dial: (address: string, port: number) => dial(address, port) ?? { address, port }
    }
    let blocked = 0
    let combinations = 0
    for (const status of [301, 302, 303, 307, 308]) {
      for (const method of methods) {
        for (const location of places) {
          for (const body of ["canary", ""]) {
            combinations++
            next = { status, location }
            first.length = second.length = 0
            const ask = { url, method, headers: secrets, ...patient, ...(body === "" ? {} : { body }) }
            const result = await runWith(Effect.result(request(ask)), options)
            expect(first).toMatchObject([{ headers: { ...secrets } }])
            expect(JSON.stringify(second)).not.toContain("canary")
            if (result._tag === "Success") expect(second).toHaveLength(1)
            else {
              blocked++
              expect([result.failure.code, second.length, body]).toEqual(["blocked", 0, "canary"])
            }
          }
        }
      }
    }
    expect([combinations, blocked]).toEqual([180, 72])
  })
})

describe("blocked requests", () => {
  it("fail with identical bytes", async () => {
    net.names.set("inside.example", ["10.0.0.7"])
    net.names.set("mixed.example", ["1.1.1.1", "10.0.0.7"])
    net.names.set("empty.example", [])
    await net.serve("1.1.1.1", (incoming, response) =>
      response.writeHead(307, { location: decodeURIComponent((incoming.url ?? "/").slice(1)) }).end()
    )
    const to = (location: string) => `${url}${encodeURIComponent(location)}`
    const failures = await Promise.all([
      ...[
        "10.0.0.7",
        "127.0.0.1:1",
        "[::1]",
        "localhost",
        "inside.example",
        "mixed.example",
        "empty.example",
        "none.example"
      ]
        .flatMap((host) => [`https://${host}/`, `https://${host}:22/`.replace(":1:22", ":22"), to(`https://${host}/`)])
        .map((url) => refusal({ url }, net.options)),
      refusal({ url: plain }, net.options),
      refusal({ url: to(plain) }, options),
      refusal({ url: to("https://two.example/"), mayFollow: () => false }, net.options),
      refusal({ url: to("https://two.example/"), method: "POST", body: "x" }, net.options),
      refusal({ url, destination: "configured" }, net.options)
    ])
    expect(failures).toHaveLength(29)
    expect(new Set(failures.map((failure) => JSON.stringify(failure))).size).toBe(1)
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(["blocked"]))
  })
})

describe("200 exchanges that end in different ways", () => {
  it("leave no socket, timer or slot in use", async () => {
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/cut") return void response.writeHead(200).write("x", () => response.destroy())
      if (incoming.url === "/silent") return
      if (incoming.url === "/to") return void response.writeHead(302, { location: "https://127.0.0.1/" }).end()
      response.writeHead(200, incoming.url === "/bad" ? { "content-encoding": "gzip" } : {}).end("ok")
    })
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
    const timersBefore = timers()
    const ways = [
      request({ url, organizationId: "a" }),
      request({ url: `${url}cut`, organizationId: "a" }),
      request({ url: `${url}silent`, organizationId: "a", timeoutMillis: 50 }),
      request({ url: `${url}silent`, organizationId: "a" }).pipe(Effect.timeout(50)),
      request({ url: `${url}to`, organizationId: "a" }),
      request({ url: `${url}bad`, organizationId: "a" }),
      Effect.scoped(stream({ url, organizationId: "a", idleTimeoutMillis: 5000, headersTimeoutMillis: 5000 })),
      Effect.scoped(Effect.flatMap(stream({ url: `${url}cut`, organizationId: "a" }), readAll))
    ]
    await runWith(
      Effect.gen(function* () {
        for (let round = 0; round < 25; round++) {
          yield* Effect.all(
            ways.map((way) => Effect.exit(Effect.asVoid<unknown, unknown, Outbound>(way))),
            { concurrency: "unbounded" }
          )
        }
        // Every slot is free: the maximum number runs at once without waiting.
        const all = Array.from({ length: 16 }, () => request({ url, organizationId: "a", ...patient }))
        expect(yield* Effect.all(all, { concurrency: "unbounded" })).toHaveLength(16)
        yield* Effect.promise(() => until(() => timers() <= timersBefore))
      }),
      { ...options, limits: { waitingPerOrganization: 0 } }
    )
  })
})
