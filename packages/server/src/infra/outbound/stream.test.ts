import type { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { createGzip } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { OutboundFailed } from "../ports/outbound.ts"
import { type Ask, get, readAll, refusal, request, runWith, stream, text, until } from "./fixtures/requests.ts"
import { LocalInternet } from "./fixtures/local-internet.ts"

let net: LocalInternet
beforeEach(() => {
  net = new LocalInternet()
  net.names.set("one.example", ["1.1.1.1"])
  net.names.set("two.example", ["1.0.0.1"])
})
afterEach(() => net.close())

const url = "https://one.example/"

describe("the metadata of an outbound request", () => {
  it("has the names and values that were sent and received, in order", async () => {
    let onWire: ReadonlyArray<string> = []
    await net.serve("1.1.1.1", (incoming, response) => {
      onWire = incoming.rawHeaders
      response.writeHead(200, "Quite Fine", [
        "X-B",
        "1",
        "x-a",
        "2",
        "X-b",
        "3",
        "Set-Cookie",
        "a=1",
        "set-cookie",
        "b=2"
      ])
      response.end("ok")
    })
    const received = await get(
      { url, method: "POST", body: "{}", headers: { "X-Sent": "1", Accept: "*/*" } },
      net.options
    )
    expect(received.statusText).toBe("Quite Fine")
    expect(received.rawHeaders.slice(0, 5)).toEqual([
      ["X-B", "1"],
      ["x-a", "2"],
      ["X-b", "3"],
      ["Set-Cookie", "a=1"],
      ["set-cookie", "b=2"]
    ])
    expect(received.headers).toMatchObject({ "x-b": "1, 3", "set-cookie": "a=1, b=2" })
    expect(received.sent.method).toBe("POST")
    expect(received.sent.rawHeaders.flat()).toEqual(onWire)
    expect(onWire).toEqual(expect.arrayContaining(["x-sent", "accept", "host", "connection", "content-length"]))
  })

  it("describes the last request after a redirect, and keeps the original encoding in the raw headers", async () => {
    await net.serve("1.1.1.1", (_, response) => response.writeHead(303, { location: "https://two.example/" }).end())
    await net.serve("1.0.0.1", (_, response) => {
      const gzip = createGzip()
      gzip.pipe(response.writeHead(200, { "Content-Encoding": "gzip" }))
      gzip.end("plain")
    })
    const received = await get({ url, method: "POST", body: "{}", headers: { authorization: "canary" } }, net.options)
    expect(received.sent.method).toBe("GET")
    expect(Object.fromEntries(received.sent.rawHeaders)).toMatchObject({ host: "two.example" })
    expect(JSON.stringify(received.sent)).not.toContain("canary")
    expect(received.headers).not.toHaveProperty("content-encoding")
    expect(received.rawHeaders).toContainEqual(["Content-Encoding", "gzip"])
    expect(text(received.body)).toBe("plain")
  })

  it("has the time of each phase: all but the body for a stream, no lookup for an IP address", async () => {
    await net.serve("1.1.1.1", (_, response) => response.end("ok"))
    const whole = (await get({ url }, net.options)).phaseMillis
    expect(Object.keys(whole)).toEqual(["wait", "lookup", "connect", "secure", "headers", "body"])
    for (const phase of ["lookup", "connect", "secure", "headers", "body"] as const)
      expect(whole[phase]).toBeGreaterThan(0)
    const streamed = await runWith(stream({ url }), net.options)
    expect(streamed.phaseMillis.headers).toBeGreaterThan(0)
    expect(streamed.phaseMillis.body).toBe(0)
  })

  it("has the phase of a failure, unless the request was blocked", async () => {
    await net.serveSocket("1.0.0.1", () => undefined)
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/body") response.writeHead(200).write("half")
      if (incoming.url === "/cut") {
        response.writeHead(200, { "content-length": 9 }).write("half")
        setTimeout(() => response.destroy(), 20)
      }
    })
    const asks: ReadonlyArray<readonly [Ask, string, string]> = [
      [{ url: "https://9.9.9.9/" }, "unreachable", "connect"],
      [{ url: "https://two.example/", timeoutMillis: 1000 }, "timeout", "secure"],
      [{ url, timeoutMillis: 1000 }, "timeout", "headers"],
      [{ url, headersTimeoutMillis: 1000 }, "timeout", "headers"],
      [{ url: `${url}body`, timeoutMillis: 1000 }, "timeout", "body"],
      [{ url: `${url}body`, idleTimeoutMillis: 200 }, "timeout", "body"],
      [{ url: `${url}cut` }, "unreachable", "body"]
    ]
    for (const [ask, code, phase] of asks) {
      const failure = await refusal(ask, net.options)
      expect([ask, failure.code, failure.phase]).toEqual([ask, code, phase])
      expect(failure.phaseMillis?.[failure.phase ?? "wait"]).toBeGreaterThan(0)
    }
    const lookup = () => new Promise<never>(() => undefined)
    const silent = await refusal({ url, timeoutMillis: 200 }, { ...net.options, lookup })
    expect([silent.code, silent.phase]).toEqual(["timeout", "lookup"])
    for (const blocked of ["https://10.0.0.1/", "https://nowhere.example/", "http://one.example/"]) {
      const failure = await refusal({ url: blocked }, net.options)
      expect(failure).toMatchObject({ code: "blocked" })
      expect(JSON.parse(JSON.stringify(failure))).not.toHaveProperty("phase")
      expect(failure.phaseMillis).toBeUndefined()
    }
  })
})

const events = (response: ServerResponse, texts: Iterable<string>, pauseMillis: number) => {
  const all = [...texts]
  response.writeHead(200, { "content-type": "text/event-stream" })
  const next = () => {
    const data = all.shift()
    if (data === undefined) return response.end()
    response.write(`data: ${data}\n\n`)
    return void setTimeout(next, pauseMillis)
  }
  next()
}

describe("a stream of events over the outbound client", () => {
  it("delivers each event as it arrives, also when compressed", async () => {
    const responses: Array<ServerResponse> = []
    await net.serve("1.1.1.1", (incoming, response) => {
      responses.push(response)
      if (incoming.url !== "/gzip") return void response.writeHead(200).write("data: 1\n\n")
      const gzip = createGzip()
      gzip.pipe(response.writeHead(200, { "content-encoding": "gzip" }))
      gzip.write("data: 1\n\n")
      gzip.flush()
    })
    for (const path of ["", "gzip"]) {
      await runWith(
        Effect.gen(function* () {
          const received = yield* stream({ url: url + path })
          const iterator = received.body[Symbol.asyncIterator]()
          // The server sends no more: this ends only if the event is not buffered.
          const first = yield* Effect.promise(() => iterator.next())
          expect(first.done === true ? "" : text(first.value)).toBe("data: 1\n\n")
          expect(responses.at(-1)?.writableEnded).toBe(false)
        }),
        net.options
      )
    }
    await until(() => net.sockets.size === 0)
  })

  it("outlives the timeout of its headers, and pauses shorter than the idle timeout", async () => {
    await net.serve("1.1.1.1", (_, response) => events(response, ["1", "2", "3", "4", "5", "6"], 900))
    const { chunks, failure } = await runWith(
      Effect.flatMap(
        stream({ url, headersTimeoutMillis: 4000, idleTimeoutMillis: 20_000, timeoutMillis: 30_000 }),
        readAll
      ),
      net.options
    )
    expect(failure).toBeUndefined()
    expect(chunks.join("")).toBe([1, 2, 3, 4, 5, 6].map((data) => `data: ${data}\n\n`).join(""))
  })

  it("does not count the reader's own time as a pause", async () => {
    await net.serve("1.1.1.1", (_, response) => events(response, ["1", "2", "3"], 1))
    const read = await runWith(
      Effect.flatMap(stream({ url, idleTimeoutMillis: 1500, timeoutMillis: 30_000 }), (received) =>
        Effect.promise(async () => {
          let all = ""
          for await (const chunk of received.body) {
            all += text(chunk)
            await sleep(1800)
          }
          return all
        })
      ),
      net.options
    )
    expect(read).toBe("data: 1\n\ndata: 2\n\ndata: 3\n\n")
  })

  it("fails at its limits after the chunks before, and closes the connection inside the scope", async () => {
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/silent") response.writeHead(200).write("data: 1\n\n")
      else
        events(
          response,
          Array.from({ length: 1000 }, (_, index) => String(index)),
          5
        )
    })
    const bounds: ReadonlyArray<readonly [Ask, string]> = [
      [{ url: `${url}silent`, idleTimeoutMillis: 200 }, "timeout"],
      [{ url, timeoutMillis: 1500 }, "timeout"],
      [{ url, bodyBytesMax: 100 }, "too_large"]
    ]
    await runWith(
      Effect.gen(function* () {
        for (const [ask, code] of bounds) {
          const { chunks, failure } = yield* Effect.flatMap(stream(ask), readAll)
          expect(failure).toBeInstanceOf(OutboundFailed)
          expect(failure).toMatchObject({ code, phase: "body" })
          expect(chunks.join("")).toContain("data: ")
          yield* Effect.promise(() => until(() => net.sockets.size === 0))
        }
      }),
      net.options
    )
  })

  it("ends when its reader is interrupted, and releases its slot", async () => {
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/ok") response.end("ok")
      else response.writeHead(200).write("data: 1\n\n")
    })
    const options = { ...net.options, limits: { perOrganization: 1, waitingPerOrganization: 0 } }
    const own = { organizationId: "a" }
    await runWith(
      Effect.gen(function* () {
        const reader = yield* Effect.forkChild(Effect.scoped(Effect.flatMap(stream({ url, ...own }), readAll)))
        yield* Effect.promise(() => until(() => net.sockets.size === 1))
        expect((yield* Effect.flip(request({ url: `${url}ok`, ...own }))).code).toBe("busy")
        yield* Fiber.interrupt(reader)
        yield* Effect.promise(() => until(() => net.sockets.size === 0))
        expect(text((yield* request({ url: `${url}ok`, ...own })).body)).toBe("ok")
      }),
      options
    )
  })

  it.each(["GET", "POST", "DELETE"] as const)("may be the response to %s", async (method) => {
    const seen = await net.serve("1.1.1.1", (_, response) => events(response, ["1"], 1))
    const body = method === "POST" ? { body: "{}" } : {}
    const { chunks } = await runWith(Effect.flatMap(stream({ url, method, ...body }), readAll), net.options)
    expect(chunks.join("")).toBe("data: 1\n\n")
    expect(seen).toMatchObject([{ method, body: method === "POST" ? "{}" : "" }])
  })
})
