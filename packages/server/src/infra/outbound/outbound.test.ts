import type { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Outbound, type OutboundFailed, type OutboundRequest } from "../ports/outbound.ts"
import { LocalInternet } from "./fixtures/local-internet.ts"
import { layerOutbound, type OutboundOptions } from "./index.ts"

let net: LocalInternet
beforeEach(() => {
  net = new LocalInternet()
  net.names.set("one.example", ["1.1.1.1"])
  net.names.set("two.example", ["1.0.0.1"])
  net.names.set("inside.example", ["10.0.0.7"])
})
afterEach(() => net.close())

const run = <A, E>(effect: Effect.Effect<A, E, Outbound>, options: OutboundOptions = {}) =>
  Effect.runPromise(effect.pipe(Effect.provide(layerOutbound({ ...net.options, ...options })), Effect.orDie))

type Ask = Partial<OutboundRequest> & { readonly url: string }

const request = (ask: Ask) =>
  Effect.gen(function* () {
    const outbound = yield* Outbound
    return yield* outbound.request({ destination: "supplied", ...ask })
  })

const get = (ask: Ask, options?: OutboundOptions) => run(request(ask), options)
const refusal = (ask: Ask, options?: OutboundOptions): Promise<OutboundFailed> =>
  run(Effect.flip(request(ask)), options)
const text = (body: Uint8Array) => new TextDecoder().decode(body)

const redirectTo =
  (location: string, status = 302) =>
  (_: unknown, response: ServerResponse) =>
    response.writeHead(status, { location }).end()

const until = async (condition: () => boolean) => {
  for (let tries = 0; tries < 200 && !condition(); tries++) await sleep(10)
  expect(condition()).toBe(true)
}

const many = (count: number, ask: Partial<OutboundRequest> = {}) =>
  Effect.all(
    Array.from({ length: count }, () => Effect.result(request({ url: "https://one.example/", ...ask }))),
    { concurrency: "unbounded" }
  )

const endless = () =>
  net.serve("1.1.1.1", (_, response) => {
    const drip = setInterval(() => response.write("x".repeat(1000)), 5)
    response.on("close", () => clearInterval(drip))
  })

describe("an ordinary outbound request", () => {
  it("returns status, headers, body and URL, and sends the name as SNI and Host", async () => {
    const seen = await net.serve("1.1.1.1", (_, response) =>
      response.writeHead(201, "Made", { "X-One": "1", "set-cookie": ["a=1", "b=2"] }).end("hello")
    )
    const received = await get({
      url: "https://ONE.example./path?q=1#part",
      method: "POST",
      body: "sent",
      headers: { "X-Sent": "yes", Host: "elsewhere.example", "Content-Length": "999", Connection: "upgrade" }
    })
    expect({ ...received, body: text(received.body) }).toMatchObject({
      status: 201,
      statusText: "Made",
      url: "https://one.example/path?q=1",
      headers: { "x-one": "1", "set-cookie": "a=1, b=2" },
      body: "hello"
    })
    expect(seen).toMatchObject([
      { method: "POST", url: "/path?q=1", host: "one.example", sni: "one.example", body: "sent" }
    ])
    expect(seen[0]?.headers).toMatchObject({ "x-sent": "yes", "content-length": "4", connection: "close" })
    expect(net.dialled).toEqual(["1.1.1.1:443"])
  })

  it("keeps the port in Host and connects to it", async () => {
    const seen = await net.serve("1.1.1.1", (_, response) => response.end())
    await get({ url: "https://one.example:8443/" })
    expect(seen[0]?.host).toBe("one.example:8443")
    expect(net.dialled).toEqual(["1.1.1.1:8443"])
  })

  it("reaches a public IP address without a lookup, and verifies its certificate for the address", async () => {
    const seen = await net.serve("1.1.1.1", (_, response) => response.end("ok"))
    expect((await get({ url: "https://0x01010101/" })).url).toBe("https://1.1.1.1/")
    expect(net.lookups).toEqual([])
    expect(seen[0]?.sni).toBeFalsy()
  })

  it("tries the next checked address when one does not respond", async () => {
    await net.serve("1.1.1.1", (_, response) => response.end("ok"))
    net.names.set("one.example", ["2606:4700::1", "2606:4700::2", "1.1.1.1"])
    expect(text((await get({ url: "https://one.example/" })).body)).toBe("ok")
    expect(net.dialled).toEqual(["2606:4700::1:443", "1.1.1.1:443"])
  })

  it("supports HEAD, 204 and an empty compressed body", async () => {
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/204") response.writeHead(204).end()
      else
        response
          .writeHead(200, { "content-encoding": "gzip", "content-length": incoming.method === "HEAD" ? 9e9 : 0 })
          .end()
    })
    for (const ask of [
      { url: "https://one.example/", method: "HEAD" },
      { url: "https://one.example/204" },
      { url: "https://one.example/" }
    ] as const) {
      expect((await get(ask)).body).toEqual(new Uint8Array())
    }
  })

  it("is unreachable with a closed port, wrong name, unknown authority, invalid response or broken body", async () => {
    expect((await refusal({ url: "https://one.example/" })).code).toBe("unreachable")
    await net.serve("1.1.1.1", (_, response) => {
      response.writeHead(200, { "content-length": 10 }).write("half")
      setTimeout(() => response.destroy(), 20)
    })
    expect((await refusal({ url: "https://one.example/" })).code).toBe("unreachable")
    net.names.set("wrong.example", ["1.1.1.1"])
    expect(await refusal({ url: "https://wrong.example/" })).toMatchObject({
      code: "unreachable",
      message: "The server's certificate is invalid or not trusted."
    })
    const { ca: _, ...withoutAuthority } = net.options
    const untrusting = await Effect.runPromise(
      Effect.flip(request({ url: "https://one.example/" })).pipe(Effect.provide(layerOutbound(withoutAuthority)))
    )
    expect(untrusting.message).toBe("The server's certificate is invalid or not trusted.")
    await net.serveSocket("1.1.1.1", (socket) => socket.end("SSH-2.0\r\n"))
    expect((await refusal({ url: "https://one.example/" })).code).toBe("unreachable")
    expect((await refusal({ url: "http://one.example/" }, { allowHttp: true })).code).toBe("unreachable")
  })
})

describe("the check of a supplied URL", () => {
  it.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://0x7f000001/",
    "https://127.0.0.1./",
    "https://%31%32%37.0.0.1/",
    "https://①②⑦.⓪.⓪.①/",
    "https://127。0。0。1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[2002:7f00:1::]/",
    "https://0/",
    "https://169.254.169.254/latest/meta-data/",
    "http://169.254.169.254/",
    "http://one.example/",
    "https://inside.example/",
    "https://INSIDE.example./",
    "https://nowhere.example/",
    "https://mixed.example/",
    "https://mapped.example/",
    "https://strange.example/",
    "https://nothing.example/"
  ])("blocks %s with the same message, without connecting", async (url) => {
    net.names.set("mixed.example", ["1.1.1.1", "2606:4700::1", "10.0.0.1"])
    net.names.set("mapped.example", ["::ffff:1.1.1.1"])
    net.names.set("strange.example", ["not an address"])
    net.names.set("nothing.example", [])
    const failure = await refusal({ url })
    expect(failure).toMatchObject({
      code: "blocked",
      message:
        "The URL is not allowed: it must be an https URL whose host resolves to public addresses, or one that the operator allows."
    })
    expect(net.dialled).toEqual([])
  })

  it.each([
    "",
    "one.example",
    "/path",
    "ftp://one.example/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "https://",
    "https://./",
    "https://one.example../",
    "https://user:secret@one.example/",
    "https://user@one.example/",
    "https://[fe80::1%25eth0]/",
    "https://[::1",
    "https://one.example:99999/",
    "https://256.256.256.256/",
    "https://a b.example/",
    `https://one.example/${"a".repeat(9000)}`
  ])("rejects %j as an invalid URL, without a lookup", async (url) => {
    const failure = await refusal({ url })
    expect(failure.code).toBe("invalid_url")
    expect(failure.message).not.toContain("secret")
    expect(net.lookups).toEqual([])
  })

  it.each([{ "x-a": "1\r\nx-b: 2" }, { "bad name": "1" }, { "x-a": "\0" }])(
    "rejects a header that HTTP does not allow",
    async (headers) => {
      await net.serve("1.1.1.1", (_, response) => response.end())
      expect((await refusal({ url: "https://one.example/", headers })).code).toBe("invalid_url")
    }
  )

  it("resolves a name once, so that a later result cannot change the address", async () => {
    await net.serve("1.1.1.1", (_, response) => response.end("public"))
    const addresses = ["1.1.1.1", "127.0.0.1"]
    let lookups = 0
    const lookup = () => Promise.resolve([{ address: addresses[lookups++] ?? "" }])
    expect(text((await get({ url: "https://one.example/" }, { lookup })).body)).toBe("public")
    expect(lookups).toBe(1)
    expect(net.dialled).toEqual(["1.1.1.1:443"])
  })

  it("resolves the name again for a redirect, and blocks a private address then", async () => {
    await net.serve("1.1.1.1", redirectTo("https://one.example/again"))
    const addresses = ["1.1.1.1", "127.0.0.1"]
    const lookup = () => Promise.resolve([{ address: addresses.shift() ?? "" }])
    expect((await refusal({ url: "https://one.example/" }, { lookup })).code).toBe("blocked")
    expect(net.dialled).toEqual(["1.1.1.1:443"])
  })

  it("allows the operator's ranges and no other private addresses", async () => {
    await net.serve("10.0.0.7", (_, response) => response.end("inside"), "http")
    const options = { allowCidrs: ["10.0.0.0/24"], allowHttp: true }
    expect(text((await get({ url: "http://inside.example/" }, options)).body)).toBe("inside")
    expect((await refusal({ url: "http://10.0.1.7/" }, options)).code).toBe("blocked")
    expect((await refusal({ url: "http://[::ffff:10.0.0.7]/" }, options)).code).toBe("blocked")
    expect((await refusal({ url: "http://10.0.0.7/" }, { allowCidrs: ["10.0.0.0/24"] })).code).toBe("blocked")
  })
})

const inside = (path = "/") => ({ destination: "configured" as const, url: `http://inside.example:3000${path}` })

describe("a configured origin", () => {
  const configuredOrigins = ["http://inside.example:3000"]

  it("may be private", async () => {
    await net.serve("10.0.0.7", (_, response) => response.end("inside"), "http")
    expect(text((await get(inside("/api"), { configuredOrigins })).body)).toBe("inside")
    for (const url of [
      "http://inside.example/",
      "https://inside.example:3000/",
      "http://inside.example:3001/",
      "https://one.example/"
    ]) {
      expect((await refusal({ destination: "configured", url }, { configuredOrigins })).code).toBe("blocked")
    }
    expect((await refusal({ url: inside().url }, { configuredOrigins })).code).toBe("blocked")
  })

  it("redirects within its origin; another origin is checked as supplied, also when it redirects back", async () => {
    const seen = await net.serve(
      "10.0.0.7",
      (incoming, response) => {
        if (incoming.url === "/here") redirectTo("/there")(incoming, response)
        else if (incoming.url === "/neighbor") redirectTo("http://inside.example:3001/")(incoming, response)
        else if (incoming.url === "/metadata") redirectTo("http://169.254.169.254/")(incoming, response)
        else if (incoming.url === "/out") redirectTo("https://one.example/")(incoming, response)
        else response.end("there")
      },
      "http"
    )
    await net.serve("1.1.1.1", redirectTo("http://inside.example:3000/back"))
    expect(text((await get(inside("/here"), { configuredOrigins })).body)).toBe("there")
    for (const path of ["/neighbor", "/metadata", "/out"]) {
      expect((await refusal(inside(path), { configuredOrigins, allowHttp: true })).code).toBe("blocked")
    }
    expect(seen.map(({ url }) => url)).not.toContain("/back")
  })

  it("may redirect to a public address, but not to another configured origin, nor back to itself", async () => {
    net.names.set("two.example", ["10.0.0.9"])
    const two = await net.serve("10.0.0.9", (incoming, response) =>
      redirectTo(incoming.url === "/out" ? "https://one.example/end" : "https://one.example/back")(incoming, response)
    )
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/end") response.end("public")
      else redirectTo("https://two.example/")(incoming, response)
    })
    await net.serve("10.0.0.7", redirectTo("https://two.example/neighbor"), "http")
    const options = { configuredOrigins: [...configuredOrigins, "https://two.example/"] }
    const destination = "configured"
    expect(text((await get({ destination, url: "https://two.example/out" }, options)).body)).toBe("public")
    expect((await refusal({ destination, url: "https://two.example/and-back" }, options)).code).toBe("blocked")
    expect((await refusal(inside(), options)).code).toBe("blocked")
    expect(two.map(({ url }) => url)).toEqual(["/out", "/and-back"])
  })

  it("is unreachable when its name does not exist", async () => {
    const url = "http://nowhere.example/"
    expect((await refusal({ destination: "configured", url }, { configuredOrigins: [url] })).code).toBe("unreachable")
  })
})

describe("redirects of outbound requests", () => {
  it.each([
    "https://127.0.0.1/",
    "https://inside.example/",
    "https://[::1]/",
    "http://two.example/",
    "//169.254.169.254/"
  ])("are blocked to %s", async (location) => {
    await net.serve("1.1.1.1", redirectTo(location))
    expect((await refusal({ url: "https://one.example/" }, { allowHttp: true })).code).toBe("blocked")
    expect(net.dialled).toEqual(["1.1.1.1:443"])
  })

  it.each(["ftp://two.example/", "https://a:b@two.example/", "https://", "javascript:alert(1)"])(
    "are rejected as an invalid URL to %s",
    async (location) => {
      await net.serve("1.1.1.1", redirectTo(location))
      expect((await refusal({ url: "https://one.example/" })).code).toBe("invalid_url")
    }
  )

  it("are followed five times by default, not six times, and never when turned off", async () => {
    let left = 0
    const seen = await net.serve("1.1.1.1", (incoming, response) =>
      left-- > 0 ? redirectTo(`/${left}`)(incoming, response) : response.end("end")
    )
    left = 5
    expect(await get({ url: "https://one.example/" })).toMatchObject({ url: "https://one.example/0", status: 200 })
    left = 6
    expect((await refusal({ url: "https://one.example/", redirectsMax: 99 })).code).toBe("too_many_redirects")
    left = 1
    expect((await refusal({ url: "https://one.example/", redirectsMax: 0 })).code).toBe("too_many_redirects")
    expect(seen).toHaveLength(6 + 6 + 1)
  })

  it("are returned unchanged without a location", async () => {
    await net.serve("1.1.1.1", (_, response) => response.writeHead(302).end())
    expect((await get({ url: "https://one.example/" })).status).toBe(302)
  })

  const headers = {
    Authorization: "Bearer canary",
    Cookie: "canary",
    "Proxy-Authorization": "canary",
    "X-Api-Key": "canary",
    "X-Whatever": "canary",
    Accept: "text/plain"
  }

  it("keep credentials within the origin and drop them for another origin, including another port", async () => {
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/") redirectTo("/same")(incoming, response)
      else redirectTo("https://two.example/")(incoming, response)
    })
    const two = await net.serve("1.0.0.1", (incoming, response) => {
      if (incoming.headers.host === "two.example") redirectTo("https://two.example:444/")(incoming, response)
      else response.end()
    })
    await get({ url: "https://one.example/", headers })
    expect(two.map(({ headers }) => headers.accept)).toEqual(["text/plain", "text/plain"])
    expect(JSON.stringify(two)).not.toContain("canary")

    const same = await net.serve("1.1.1.1", (incoming, response) =>
      incoming.url === "/" ? redirectTo("/same")(incoming, response) : response.end()
    )
    await get({ url: "https://one.example/", headers })
    expect(same.map(({ headers }) => headers.authorization)).toEqual(["Bearer canary", "Bearer canary"])
  })

  it("do not restore credentials when they return to the first origin", async () => {
    const one = await net.serve("1.1.1.1", (incoming, response) =>
      incoming.url === "/" ? redirectTo("https://two.example/")(incoming, response) : response.end()
    )
    await net.serve("1.0.0.1", redirectTo("https://one.example/back"))
    await get({ url: "https://one.example/", headers })
    expect(one.map(({ headers }) => headers["x-api-key"])).toEqual(["canary", undefined])
  })

  it.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [303, "HEAD", "HEAD", ""],
    [301, "PUT", "PUT", "sent"],
    [307, "POST", "POST", "sent"],
    [308, "DELETE", "DELETE", "sent"]
  ] as const)("change a %i of %s to %s", async (status, method, then, body) => {
    const seen = await net.serve("1.1.1.1", (incoming, response) =>
      incoming.url === "/" ? redirectTo("/then", status)(incoming, response) : response.end()
    )
    await get({
      url: "https://one.example/",
      method,
      ...(method === "HEAD" ? {} : { body: "sent" }),
      headers: { "content-type": "text/plain" }
    })
    expect(seen[1]).toMatchObject({ method: then, body })
    expect(seen[1]?.headers["content-type"]).toBe(then === "GET" ? undefined : "text/plain")
  })
})

describe("limits of outbound requests", () => {
  it.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync]
  ] as const)("decompress %s and remove its header", async (coding, compress) => {
    await net.serve("1.1.1.1", (_, response) =>
      response.writeHead(200, { "content-encoding": coding }).end(compress("hello ".repeat(1000)))
    )
    const received = await get({ url: "https://one.example/" })
    expect(text(received.body)).toBe("hello ".repeat(1000))
    expect(received.headers).not.toHaveProperty("content-encoding")
    expect((await get({ url: "https://one.example/", bodyBytesMax: 6000 })).body).toHaveLength(6000)
    expect((await refusal({ url: "https://one.example/", bodyBytesMax: 5999 })).code).toBe("too_large")
  })

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync]
  ] as const)("stop a %s bomb early", async (coding, compress) => {
    const bomb = compress(Buffer.alloc(64 * 1024 * 1024))
    await net.serve("1.1.1.1", (_, response) => response.writeHead(200, { "content-encoding": coding }).end(bomb))
    const before = process.memoryUsage().rss
    expect((await refusal({ url: "https://one.example/" })).code).toBe("too_large")
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024)
    await until(() => net.sockets.size === 0)
  })

  it.each(["gzip, gzip", "zstd", "compress"])("refuses a body coded as %j", async (coding) => {
    await net.serve("1.1.1.1", (_, response) => response.writeHead(200, { "content-encoding": coding }).end("x"))
    expect((await refusal({ url: "https://one.example/" })).code).toBe("unreachable")
  })

  it("reject a truncated or invalid compressed body", async () => {
    const whole = gzipSync("hello ".repeat(1000))
    await net.serve("1.1.1.1", (incoming, response) =>
      response
        .writeHead(200, { "content-encoding": "gzip" })
        .end(incoming.url === "/cut" ? whole.subarray(0, 30) : "plain")
    )
    expect((await refusal({ url: "https://one.example/cut" })).code).toBe("unreachable")
    expect((await refusal({ url: "https://one.example/false" })).code).toBe("unreachable")
  })

  it("count bytes on the wire even when they inflate to nothing", async () => {
    const nothing = Buffer.concat(Array.from({ length: 2000 }, () => gzipSync("")))
    await net.serve("1.1.1.1", (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" })
      const pour = () => {
        while (!response.destroyed && response.write(nothing));
      }
      response.on("drain", pour)
      pour()
    })
    expect((await refusal({ url: "https://one.example/", bodyBytesMax: 1000 })).code).toBe("too_large")
    await until(() => net.sockets.size === 0)
  })

  it("reject an endless body, a long declared body and large headers", async () => {
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/announced") return response.writeHead(200, { "content-length": 9_000_000 }).flushHeaders()
      if (incoming.url === "/headers") return response.writeHead(200, { "x-long": "a".repeat(20_000) }).end()
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65536)));
      }
      response.on("drain", pour)
      pour()
    })
    for (const path of ["/endless", "/announced", "/headers"]) {
      expect((await refusal({ url: `https://one.example${path}`, timeoutMillis: 50_000 })).code).toBe("too_large")
    }
    await until(() => net.sockets.size === 0)
  })

  it("time out slow headers, a slow body, a slow lookup, a silent handshake and a slow redirect chain", async () => {
    await net.serveSocket("1.0.0.1", () => undefined)
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/headers") return
      if (incoming.url === "/chain") {
        setTimeout(() => redirectTo("/chain")(incoming, response), 120)
        return
      }
      const drip = setInterval(() => response.write("."), 20)
      response.on("close", () => clearInterval(drip))
    })
    const cases: ReadonlyArray<readonly [string, OutboundOptions]> = [
      ["/headers", {}],
      ["/body", {}],
      ["/chain", {}],
      ["/lookup", { lookup: () => new Promise(() => undefined) }],
      ["/handshake", { lookup: () => Promise.resolve([{ address: "1.0.0.1" }]) }]
    ]
    for (const [path, options] of cases) {
      expect([path, (await refusal({ url: `https://one.example${path}`, timeoutMillis: 300 }, options)).code]).toEqual([
        path,
        "timeout"
      ])
    }
    await until(() => net.sockets.size === 0)
  })
})

describe("concurrency of outbound requests", () => {
  it("runs 16 at once per organization and 64 in total, and completes every request", async () => {
    const most = { organization: 0, all: 0 }
    const active = new Map<string, number>()
    const held: Array<() => void> = []
    let all = 0
    let isFull = false
    await net.serve("1.1.1.1", (incoming, response) => {
      const organization = String(incoming.headers["x-organization"])
      const count = (change: number) => {
        all += change
        active.set(organization, (active.get(organization) ?? 0) + change)
      }
      count(1)
      most.organization = Math.max(most.organization, active.get(organization) ?? 0)
      most.all = Math.max(most.all, all)
      held.push(() => {
        count(-1)
        response.end()
      })
      // No response is sent before the maximum number has arrived; then each a little later, so that slots are shared.
      isFull ||= all === 64
      if (isFull) setTimeout(() => held.splice(0).forEach((respond) => respond()), 20)
    })
    const organizations = ["a", "b", "c", "d", "e", "f"]
    const results = await run(
      Effect.all(
        organizations.map((organizationId) =>
          many(30, { organizationId, timeoutMillis: 30_000, headers: { "x-organization": organizationId } })
        ),
        { concurrency: "unbounded" }
      )
    )
    expect(results.flat().filter((result) => result._tag === "Failure")).toEqual([])
    expect(most).toEqual({ organization: 16, all: 64 })
  })

  it("is busy when the queue is full or the wait too long, and serves another organization meanwhile", async () => {
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/fast") response.end()
    })
    const codes = await run(
      Effect.gen(function* () {
        const stuck = yield* Effect.forkChild(many(60, { organizationId: "a", timeoutMillis: 500 }))
        yield* Effect.sleep(100)
        yield* request({ url: "https://one.example/fast", organizationId: "b" })
        return yield* Fiber.join(stuck)
      })
    )
    const count = (code: string) =>
      codes.filter((result) => result._tag === "Failure" && result.failure.code === code).length
    // 16 run and 32 wait; of those a few may be admitted with hardly any time left.
    expect(count("timeout") + count("busy")).toBe(60)
    expect(count("timeout")).toBeGreaterThanOrEqual(16)
    expect(count("busy")).toBeGreaterThanOrEqual(12)
  })

  it("releases slots after failures and interruptions", async () => {
    await net.serve("1.1.1.1", (incoming, response) => {
      if (incoming.url === "/ok") response.end()
    })
    await run(
      Effect.gen(function* () {
        for (let round = 0; round < 5; round++) {
          yield* many(10, { organizationId: "a", url: "https://127.0.0.1/" })
          const fiber = yield* Effect.forkChild(many(40, { organizationId: "a" }))
          yield* Effect.sleep(50)
          yield* Fiber.interrupt(fiber)
        }
        yield* request({ url: "https://one.example/ok", organizationId: "a", timeoutMillis: 5000 })
      })
    )
    await until(() => net.sockets.size === 0)
  })

  it("keeps the slot of an abandoned lookup until it settles", async () => {
    const { promise, resolve } = Promise.withResolvers<ReadonlyArray<{ address: string }>>()
    await net.serve("1.1.1.1", (_, response) => response.end())
    const code = await run(
      Effect.gen(function* () {
        yield* many(16, { organizationId: "a", timeoutMillis: 50 })
        const busy = yield* Effect.flip(request({ url: "https://1.1.1.1/", organizationId: "a", timeoutMillis: 50 }))
        resolve([])
        yield* request({ url: "https://1.1.1.1/", organizationId: "a", timeoutMillis: 5000 })
        return busy.code
      }),
      { lookup: () => promise }
    )
    expect(code).toBe("busy")
  })
})

describe("the end of an outbound request", () => {
  it("closes the socket when the fiber is interrupted", async () => {
    await net.serve("1.1.1.1", () => undefined)
    const fiber = Effect.runFork(
      request({ url: "https://one.example/" }).pipe(Effect.provide(layerOutbound(net.options)))
    )
    await until(() => net.sockets.size === 1)
    const exit = await Effect.runPromise(Effect.andThen(Fiber.interrupt(fiber), Fiber.await(fiber)))
    expect(Exit.isFailure(exit)).toBe(true)
    await until(() => net.sockets.size === 0)
  })

  it("streams chunks as they arrive, and closes with the scope even when the body was never read", async () => {
    await endless()
    await run(
      Effect.scoped(
        Effect.gen(function* () {
          const outbound = yield* Outbound
          const read = yield* outbound.stream({ destination: "supplied", url: "https://one.example/" })
          yield* outbound.stream({ destination: "supplied", url: "https://one.example/" })
          const iterator = read.body[Symbol.asyncIterator]()
          const first = yield* Effect.promise(() => iterator.next())
          expect(first.done).toBe(false)
          expect(net.sockets.size).toBe(2)
        })
      )
    )
    await until(() => net.sockets.size === 0)
  })

  it.each([
    ["too_large", { bodyBytesMax: 2500 }],
    ["timeout", { timeoutMillis: 200 }]
  ] as const)("rejects the body with %s when that limit is exceeded", async (code, bound) => {
    await endless()
    const failure = await run(
      Effect.scoped(
        Effect.gen(function* () {
          const outbound = yield* Outbound
          const stream = yield* outbound.stream({ destination: "supplied", url: "https://one.example/", ...bound })
          return yield* Effect.promise(async () => {
            try {
              for await (const _ of stream.body);
            } catch (failure) {
              return failure
            }
            return undefined
          })
        })
      )
    )
    expect(failure).toMatchObject({ _tag: "OutboundFailed", code })
  })

  it("closes the socket when the reader stops, and when the headers time out inside a longer scope", async () => {
    await endless()
    await net.serve("1.0.0.1", () => undefined)
    await run(
      Effect.scoped(
        Effect.gen(function* () {
          const outbound = yield* Outbound
          const stream = yield* outbound.stream({ destination: "supplied", url: "https://one.example/" })
          yield* Effect.promise(async () => {
            for await (const _ of stream.body) break
          })
          yield* Effect.promise(() => until(() => net.sockets.size === 0))
          yield* outbound
            .stream({ destination: "supplied", url: "https://two.example/" })
            .pipe(Effect.timeout(100), Effect.ignore)
          yield* Effect.promise(() => until(() => net.sockets.size === 0))
        })
      )
    )
  })
})

describe("the operator's proxy", () => {
  it.each(["http", "https"] as const)(
    "is used over %s for the checked address, with TLS for the name inside",
    async (kind) => {
      const seen = await net.serve("1.1.1.1", (_, response) => response.end("through"))
      const { port, requests } = await net.serveProxy(kind)
      const proxy = `${kind}://user:p%40ss@127.0.0.1:${port}`
      expect(text((await get({ url: "https://one.example/" }, { proxy })).body)).toBe("through")
      expect(requests).toMatchObject([{ method: "CONNECT", url: "1.1.1.1:443", host: "1.1.1.1:443" }])
      expect(requests[0]?.headers["proxy-authorization"]).toBe(`Basic ${Buffer.from("user:p@ss").toString("base64")}`)
      expect(seen).toMatchObject([{ host: "one.example", sni: "one.example" }])
      expect(seen[0]?.headers).not.toHaveProperty("proxy-authorization")
      expect(net.dialled).toEqual([])
    }
  )

  it("is not used for private addresses, nor for a private configured origin", async () => {
    await net.serve("10.0.0.7", (_, response) => response.end("inside"), "http")
    const { port, requests } = await net.serveProxy()
    const options = { proxy: `http://127.0.0.1:${port}`, configuredOrigins: ["http://inside.example"] }
    expect((await refusal({ url: "https://inside.example/" }, options)).code).toBe("blocked")
    const received = await get({ destination: "configured", url: "http://inside.example/" }, options)
    expect(text(received.body)).toBe("inside")
    expect(requests).toEqual([])
  })

  it("is unreachable when it rejects, fails or is down, and its password is not revealed", async () => {
    const { port } = await net.serveProxy()
    const away = await refusal({ url: "https://one.example/" }, { proxy: `http://u:canary@127.0.0.1:${port}` })
    const closedProxy = await refusal({ url: "https://one.example/" }, { proxy: "http://u:canary@127.0.0.1:1" })
    for (const failure of [away, closedProxy]) {
      expect(failure.code).toBe("unreachable")
      expect(JSON.stringify(failure) + failure.stack).not.toMatch(/canary|1\.1\.1\.1|127\.0\.0\.1/)
    }
  })

  it("is not read from the environment", async () => {
    await net.serve("1.1.1.1", (_, response) => response.end("direct"))
    const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"]
    const before = names.map((name) => [name, process.env[name]] as const)
    for (const name of names) process.env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : "http://127.0.0.1:1"
    try {
      expect(text((await get({ url: "https://one.example/" })).body)).toBe("direct")
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
  })
})

describe("a span of an outbound request", () => {
  it("has the host and the status, and no data from the request or response", async () => {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    await net.serve("1.1.1.1", (_, response) => response.writeHead(418).end("canary"))
    const url = "https://one.example/canary?canary=1"
    await run(request({ url, headers: { authorization: "canary" } }).pipe(Effect.withTracer(tracer)))
    await run(Effect.flip(request({ url: "https://u:canary@two.example/" })).pipe(Effect.withTracer(tracer)))
    expect(spans.map((span) => [span.name, Object.fromEntries(span.attributes)])).toEqual([
      ["outbound.request", { host: "one.example", status: 418 }],
      ["outbound.request", { host: "two.example" }]
    ])
  })
})

describe("options of the outbound client", () => {
  it.each([
    ["allowCidrs", { allowCidrs: ["10.0.0.0/99"] }],
    ["dnsServers", { dnsServers: ["canary.example"] }],
    ["configuredOrigins", { configuredOrigins: ["inside.example"] }],
    ["configuredOrigins", { configuredOrigins: ["https://u:canary@inside.example"] }],
    ["proxy", { proxy: "socks5://u:canary@proxy.example" }],
    ["proxy", { proxy: "canary" }],
    ["proxy", { proxy: "http://%zz:canary@proxy.example" }],
    ["ca", { ca: "canary" }],
    ["ca", { ca: "-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----" }]
  ] as const)("rejects an invalid %s at startup, without its value", async (option, options) => {
    const failure = await Effect.runPromise(
      Effect.flip(request({ url: "https://one.example/" }).pipe(Effect.provide(layerOutbound(options))))
    )
    expect(failure).toMatchObject({ _tag: "OutboundMisconfigured", option })
    expect(failure.message).not.toContain("canary")
  })
})
