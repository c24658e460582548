import { once } from "node:events"
import type { Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Outbound } from "../ports/outbound.ts"
import { LocalInternet } from "./fixtures/local-internet.ts"
import { type Ask, readAll, request, runWith, stream, text, until } from "./fixtures/requests.ts"
import { idleMillisOf } from "./pool.ts"

let net: LocalInternet
beforeEach(() => {
  net = new LocalInternet()
  net.names.set("one.example", ["1.1.1.1"])
  net.names.set("alias.example", ["1.1.1.1"])
})
afterEach(() => net.close())

const reuse = { owner: "emc_1", credential: "digest" }
const ask: Ask = { url: "https://one.example/", organizationId: "org_1", reuse }
const plain: Ask = { ...ask, url: "http://one.example/" }
const post: Ask = { ...ask, method: "POST", body: "{}" }
/** Idle for longer than a test waits, so that a connection that is closed was not only idle for too long. */
const long = "keep-alive: timeout=600\r\n"
const ok = `HTTP/1.1 200 OK\r\n${long}content-length: 2\r\n\r\nok`

const run = <A, E>(effect: Effect.Effect<A, E, Outbound>, options = {}) =>
  runWith(effect, { ...net.options, allowHttp: true, ...options })

const bodyOf = (ask: Ask) => Effect.map(request(ask), ({ body }) => text(body))

const closedAll = Effect.promise(() => until(() => net.sockets.size === 0))

/** Serves raw responses, each after a complete request without a body; returns the requests of each connection. */
const serveRaw = async (respond: (socket: Socket, request: number, connection: number) => void) => {
  const connections: Array<number> = []
  await net.serveSocket("1.1.1.1", (socket) => {
    const connection = connections.push(0) - 1
    let received = ""
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString()
      for (let end = received.indexOf("\r\n\r\n"); end >= 0; end = received.indexOf("\r\n\r\n")) {
        received = received.slice(end + 4)
        const number = connections[connection] ?? 0
        connections[connection] = number + 1
        respond(socket, number, connection)
      }
    })
  })
  return connections
}

describe("a connection that is kept", () => {
  it("is used again for the same organization, owner, credential and origin, with one lookup and handshake", async () => {
    const seen = await net.serve("1.1.1.1", (incoming, response) => response.end(incoming.url))
    await run(
      Effect.gen(function* () {
        for (let index = 0; index < 30; index++) {
          expect(yield* bodyOf({ ...post, url: `https://one.example/${index}` })).toBe(`/${index}`)
        }
      })
    )
    expect(seen).toHaveLength(30)
    expect(new Set(seen.map(({ headers }) => headers.connection))).toEqual(new Set(["keep-alive"]))
    expect([net.dialled, net.lookups]).toEqual([["1.1.1.1:443"], ["one.example"]])
  })

  it("is not kept for a request without an owner", async () => {
    const seen = await net.serve("1.1.1.1", (_, response) => response.end("ok"))
    const { reuse: _, ...without } = ask
    await run(Effect.all([request(without), request(without)]))
    expect(seen.map(({ headers }) => headers.connection)).toEqual(["close", "close"])
    expect(net.dialled).toHaveLength(2)
  })

  it.each<readonly [string, Partial<Ask>]>([
    ["organization", { organizationId: "org_2" }],
    ["owner", { reuse: { ...reuse, owner: "emc_2" } }],
    ["credential", { reuse: { ...reuse, credential: "another" } }],
    ["name of the same host", { url: "https://alias.example/" }],
    ["port", { url: "https://one.example:8443/" }],
    ["scheme", { url: "http://one.example:443/" }],
    ["destination", { destination: "configured" }]
  ])("is not used by a request with another %s", async (_, other) => {
    await net.serve("1.1.1.1", (_, response) => response.end("ok"))
    const options = { configuredOrigins: ["https://one.example"] }
    await run(Effect.all([request(ask), Effect.ignore(request({ ...ask, ...other }))]), options)
    expect(net.dialled).toHaveLength(2)
  })

  it("stays connected to the address that was checked, whatever its name resolves to afterwards", async () => {
    await net.serve("1.1.1.1", (_, response) => response.end("public"))
    await net.serve("10.0.0.7", (_, response) => response.end("private"))
    await run(
      Effect.gen(function* () {
        yield* request(ask)
        net.names.set("one.example", ["10.0.0.7"])
        expect(yield* bodyOf(ask)).toBe("public")
        const outbound = yield* Outbound
        yield* outbound.closeIdle("org_1", "emc_1")
        expect((yield* Effect.flip(request(ask))).code).toBe("blocked")
      })
    )
    expect(net.dialled).toEqual(["1.1.1.1:443"])
  })

  it.each([
    ["chunked", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
    ["without a body", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["with a length", ok]
  ])("is used again after a response %s that arrives in pieces", async (_, response) => {
    const connections = await serveRaw((socket) => {
      const pieces = [response.slice(0, 20), response.slice(20, -3), response.slice(-3)]
      for (const [index, piece] of pieces.entries()) setTimeout(() => socket.write(piece), index * 10)
    })
    await run(Effect.all([request(plain), request(plain)]))
    expect(connections).toEqual([2])
  })

  it("is never used by two requests at a time", async () => {
    const waiting: Array<() => void> = []
    await net.serve("1.1.1.1", (_, response) => {
      waiting.push(() => response.end("ok"))
      if (waiting.length === 3) for (const respond of waiting) respond()
    })
    await run(Effect.all([request(ask), request(ask), request(ask)], { concurrency: 3 }))
    expect(net.dialled).toHaveLength(3)
  })

  it("is closed when its owner's credential is replaced, when it is closed by name, and with the client", async () => {
    await net.serve("1.1.1.1", (_, response) => response.end("ok"))
    await run(
      Effect.gen(function* () {
        yield* request(ask)
        yield* request({ ...ask, reuse: { ...reuse, credential: "renewed" } })
        yield* Effect.promise(() => until(() => net.sockets.size === 1))
        yield* request({ ...ask, organizationId: "org_2" })
        const outbound = yield* Outbound
        yield* outbound.closeIdle("org_1", "emc_1")
        yield* Effect.promise(() => until(() => net.sockets.size === 1))
      })
    )
    await until(() => net.sockets.size === 0)
  })

  it("is closed above the limits per key, organization and process, the oldest first", async () => {
    await net.serve("1.1.1.1", (_, response) => response.end("ok"))
    const owner = (name: string, organizationId = "org_1"): Ask => ({
      ...ask,
      organizationId,
      reuse: { ...reuse, owner: name }
    })
    const dials = (ask: Ask) =>
      Effect.gen(function* () {
        const before = net.dialled.length
        yield* request(ask)
        return net.dialled.length - before
      })
    const poolLimits = { perKey: 1, perOrganization: 2, perProcess: 3 }
    await run(
      Effect.gen(function* () {
        yield* Effect.all([request(owner("a")), request(owner("a"))], { concurrency: 2 })
        yield* Effect.promise(() => until(() => net.sockets.size === 1))
        yield* request(owner("b"))
        yield* request(owner("c"))
        yield* Effect.promise(() => until(() => net.sockets.size === 2))
        expect(yield* dials(owner("c"))).toBe(0)
        yield* request(owner("d", "org_2"))
        yield* request(owner("e", "org_3"))
        yield* Effect.promise(() => until(() => net.sockets.size === 3))
        expect(yield* dials(owner("c"))).toBe(0)
        expect(yield* dials(owner("b"))).toBe(1)
      }),
      { poolLimits }
    )
  })

  it("of a delivery does not take the place of others, and is kept for each of 100 owners", async () => {
    const connections = await serveRaw((socket) => void socket.write(ok))
    const other = { ...plain, timeoutMillis: 60_000 }
    const deliveries = Array.from({ length: 100 }, (_, index): Ask => ({
      ...other,
      slots: "deliveries",
      reuse: { ...reuse, owner: `whe_${index}` }
    }))
    const all = Effect.all([other, ...deliveries].map(request), { concurrency: "unbounded" })
    await run(Effect.andThen(all, all))
    expect(connections).toEqual(Array.from({ length: 101 }, () => 2))
  })

  it("is closed after the time that its server announces, with a margin of a second, or after 4 seconds", () => {
    expect(
      ["", "timeout=5, max=100", "max=7,timeout=20", "timeout=600", "timeout=1", "timeout=0"].map(idleMillisOf)
    ).toEqual([4000, 4000, 19_000, 30_000, 0, 0])
  })
})

describe("a connection is closed after a response that", () => {
  const after = async (first: (socket: Socket) => void, asked: Ask = plain, isClosed = true) => {
    const connections = await serveRaw((socket, number, connection) =>
      connection === 0 && number === 0 ? first(socket) : socket.write(ok)
    )
    const outcome = await run(
      Effect.gen(function* () {
        const outcome = yield* Effect.result(bodyOf(asked))
        if (isClosed) yield* closedAll
        expect(yield* bodyOf(plain)).toBe("ok")
        return outcome
      })
    )
    return { outcome, connections }
  }
  const cases: ReadonlyArray<readonly [string, string]> = [
    ["says so", ok.replace("content", "connection: close\r\ncontent")],
    ["is HTTP/1.0", ok.replace("1.1", "1.0")],
    ["announces that its connection closes soon", ok.replace("600", "1")],
    ["is followed by one byte", `${ok}H`],
    ["is followed by the beginning of another", `${ok}HTTP/1.1 200 OK\r\ncontent-le`],
    ["is followed by the headers of another", `${ok}${ok.slice(0, -2)}`],
    ["is followed by another", `${ok}${ok}`],
    ["is followed by empty lines", `${ok}\r\n\r\n`],
    ["follows empty lines", `\r\n\r\n${ok}`],
    ["follows an informational response", `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}`],
    [
      "is chunked and followed by a byte",
      `HTTP/1.1 200 OK\r\n${long}transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nH`
    ],
    ["has no body and is followed by a byte", `HTTP/1.1 204 No Content\r\n${long}\r\nH`]
  ]
  it.each(cases)("%s", async (_, response) => {
    const { connections } = await after((socket) => socket.write(response))
    expect(connections).toEqual([1, 1])
  })

  it.each(cases.filter(([name]) => name.includes("follow")))("%s, later", async (_, response) => {
    const cut = response.startsWith(ok) ? ok.length : response.length - 1
    const { connections } = await after((socket) => {
      socket.write(response.slice(0, cut))
      setTimeout(() => socket.write(response.slice(cut)), 20)
    })
    expect(connections).toEqual([1, 1])
  })

  it("is too large", async () => {
    const { connections, outcome } = await after((socket) => socket.write(ok), { ...plain, bodyBytesMax: 1 })
    expect([connections, outcome]).toMatchObject([[1, 1], { _tag: "Failure", failure: { code: "too_large" } }])
  })

  it.each([
    ["is truncated", Buffer.from("not gzip")],
    ["is too large when decompressed", gzipSync("x".repeat(100_000))]
  ])("%s", async (_, body) => {
    const headers = `HTTP/1.1 200 OK\r\n${long}content-encoding: gzip\r\ncontent-length: ${body.byteLength}\r\n\r\n`
    const { connections, outcome } = await after(
      (socket) => socket.write(Buffer.concat([Buffer.from(headers), body])),
      {
        ...plain,
        bodyBytesMax: 50_000
      }
    )
    expect([connections, outcome]).toMatchObject([[1, 1], { _tag: "Failure" }])
  })

  it("times out", async () => {
    const { connections, outcome } = await after(() => undefined, { ...plain, timeoutMillis: 50 })
    expect([connections, outcome]).toMatchObject([[1, 1], { _tag: "Failure", failure: { code: "timeout" } }])
  })

  it("redirects", async () => {
    const { connections } = await after((socket) =>
      socket.write(`HTTP/1.1 307 Moved\r\n${long}location: /again\r\ncontent-length: 0\r\n\r\n`)
    )
    expect(connections[0]).toBe(1)
  })
})

describe("a stream whose reader stops", () => {
  const readOne = Effect.scoped(
    Effect.gen(function* () {
      const { body } = yield* stream(ask)
      const { value } = yield* Effect.promise(() => body[Symbol.asyncIterator]().next())
      return text(value ?? new Uint8Array())
    })
  )

  it("keeps its connection when the rest is short", async () => {
    await net.serve("1.1.1.1", (_, response) => {
      response.write("first")
      setTimeout(() => response.end("rest"), 20)
    })
    // The second stream waits until the connection of the first has been kept or closed.
    const limits = { perOrganization: 1 }
    expect(await run(Effect.all([readOne, readOne]), { limits })).toEqual(["first", "first"])
    expect(net.dialled).toHaveLength(1)
  })

  it("closes its connection when the rest is long or does not end", async () => {
    await net.serve("1.1.1.1", (incoming, response) => {
      response.write("first")
      if (incoming.url === "/long") response.write(Buffer.alloc(1024 * 1024))
    })
    await run(
      Effect.gen(function* () {
        yield* readOne
        yield* closedAll
        yield* Effect.scoped(stream({ ...ask, url: "https://one.example/long" }))
        yield* closedAll
      })
    )
    expect(net.dialled).toHaveLength(2)
  })
})

describe("a stream that its reader ends without an error", () => {
  const readThen = (work: Effect.Effect<unknown>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { failure } = yield* readAll(yield* stream(plain))
        yield* work
        return failure
      })
    )

  it("closes its connection when reading the body failed", async () => {
    const headers = `HTTP/1.1 200 OK\r\n${long}content-encoding: gzip\r\ncontent-length: 2\r\n\r\nok`
    const connections = await serveRaw((socket) => socket.write(headers))
    await run(
      Effect.gen(function* () {
        expect(yield* readThen(Effect.void)).toMatchObject({ code: "unreachable" })
        yield* closedAll
      })
    )
    expect(connections).toEqual([1])
  })

  it("closes its connection when another response has arrived before the stream is closed", async () => {
    const served: Array<Socket> = []
    const connections = await serveRaw((socket) => {
      served.push(socket)
      socket.write(ok)
    })
    const arrive = Effect.promise(async () => {
      const another = ok.slice(0, -2).replace("length: 2", "length: 0")
      await new Promise((resolve) => served[0]?.write(another, resolve))
      for (let rounds = 0; rounds < 5; rounds++) await setImmediate()
    })
    await run(Effect.andThen(readThen(arrive), closedAll))
    expect(connections).toEqual([1])
  })
})

describe("a server that closes an idle connection", () => {
  it("receives the next request once, over a new connection", async () => {
    const connections = await serveRaw((socket) => socket.end(ok))
    await run(
      Effect.gen(function* () {
        yield* bodyOf({ ...plain, method: "POST" })
        yield* closedAll
        yield* bodyOf({ ...plain, method: "POST" })
      })
    )
    expect(connections).toEqual([1, 1])
  })

  it("is noticed before a request is sent, even when this process was busy at that moment", async () => {
    const closed = new Int32Array(new SharedArrayBuffer(8))
    const worker = new Worker(
      `const { workerData: closed, parentPort } = require("node:worker_threads")
       const server = require("node:net").createServer((socket) => {
         socket.on("error", () => undefined)
         socket.on("data", () => {
           Atomics.add(closed, 1, 1)
           socket.write(${JSON.stringify(ok)})
           setTimeout(() => socket.end(() => { Atomics.store(closed, 0, 1); Atomics.notify(closed, 0) }), 100)
         })
       })
       server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port))`,
      { eval: true, workerData: closed }
    )
    try {
      const [port] = (await once(worker, "message")) as [number]
      const local = { ...plain, url: `http://127.0.0.1:${port}/`, method: "POST" as const }
      await runWith(
        Effect.gen(function* () {
          yield* bodyOf(local)
          // Blocks this thread, so that the end of the connection is unread when the request starts.
          Atomics.wait(closed, 0, 0)
          yield* bodyOf(local)
        }),
        { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }
      )
      expect(Atomics.load(closed, 1)).toBe(2)
    } finally {
      await worker.terminate()
    }
  })

  it.each([
    ["is not sent again", { method: "POST" }, "Failure", [2]],
    ["is sent again if it is idempotent by its method", { method: "DELETE" }, "Success", [2, 1]],
    ["is sent again if it is declared idempotent", { method: "POST", isIdempotent: true }, "Success", [2, 1]]
  ] as const)("instead of responding to a request, which %s", async (_, more, outcome, sent) => {
    const connections = await serveRaw((socket, number) => (number === 0 ? socket.write(ok) : socket.destroy()))
    const second = await run(Effect.andThen(bodyOf(plain), Effect.result(bodyOf({ ...plain, ...more }))))
    expect([second._tag, connections]).toEqual([outcome, sent])
  })

  it("after a part of its response fails the request, which is not sent again", async () => {
    const connections = await serveRaw((socket, number) => {
      if (number === 0) return socket.write(ok)
      return socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no")
    })
    const second = await run(Effect.andThen(bodyOf(plain), Effect.result(bodyOf(plain))))
    expect([second._tag, connections]).toEqual(["Failure", [2]])
  })
})
