import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { OutboundFailed } from "../ports/outbound.ts"
import { type Ask, get, refusal, request, runWith, text } from "./fixtures/requests.ts"
import { LocalInternet } from "./fixtures/local-internet.ts"
import { addresses, respond, failing, NameServer, type Zone } from "./fixtures/name-server.ts"
import type { OutboundOptions } from "./index.ts"

let net: LocalInternet
let names: NameServer
let options: OutboundOptions
beforeEach(async () => {
  net = new LocalInternet()
  names = new NameServer()
  await names.start()
  const { lookup: _, ...rest } = net.options
  options = { ...rest, ...names.options }
  await net.serve("1.1.1.1", (_, response) => response.end("public"))
})
afterEach(async () => {
  await net.close()
  await names.close()
})

const url = "https://one.example/"
const serve = (zone: Zone, name = "one.example") => names.zones.set(name, zone)
const ask = (more: Partial<Ask> = {}) => get({ url, timeoutMillis: 50_000, ...more }, options)
const refused = (more: Partial<Ask> = {}) => refusal({ url, timeoutMillis: 50_000, ...more }, options)

const blockedText =
  "The URL is not allowed: it must be an https URL whose host resolves to public addresses, or one that the operator allows."
const expectBlocked = (failure: OutboundFailed) =>
  expect(JSON.parse(JSON.stringify(failure))).toEqual({ _tag: "OutboundFailed", code: "blocked", message: blockedText })

const privates = [
  "0.0.0.0",
  "10.0.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "192.168.0.1",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:1.1.1.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::7f00:1",
  "2002:7f00:1::",
  "2001:0:7f00:1::1",
  "fd00:ec2::254",
  "fe80::1",
  "fec0::1",
  "ff02::1",
  "2606:4700::5efe:7f00:1"
]

describe("a name whose records change", () => {
  it("is resolved once and connected to at the checked address, then blocked when it becomes private", async () => {
    serve((query) => addresses(query.count === 1 ? "1.1.1.1" : "127.0.0.1")(query))
    expect(text((await ask()).body)).toBe("public")
    expect([...names.queries].sort()).toEqual(["A one.example", "AAAA one.example"])
    expectBlocked(await refused())
    expect(net.dialled).toEqual(["1.1.1.1:443"])
  })

  it("never reaches a private address in 100 concurrent requests, whatever the order of its records", async () => {
    let turn = 0
    serve((query) => addresses(...(turn++ % 3 === 0 ? ["127.0.0.1"] : ["1.1.1.1"]))(query))
    const results = await runWith(
      Effect.all(
        Array.from({ length: 100 }, () => Effect.result(request({ url, timeoutMillis: 60_000 }))),
        { concurrency: 64 }
      ),
      options
    )
    const reached = results.filter(
      (result) => result._tag === "Success" && text(result.success.body) === "public"
    ).length
    const stopped = results.filter((result) => result._tag === "Failure" && result.failure.code === "blocked").length
    expect(reached).toBeGreaterThan(0)
    expect(stopped).toBeGreaterThan(0)
    expect(reached + stopped).toBe(100)
    expect(new Set(net.dialled)).toEqual(new Set(["1.1.1.1:443"]))
  })

  it("is resolved and checked again when it redirects to itself", async () => {
    await net.serve("1.1.1.1", (_, response) => response.writeHead(302, { location: "/again" }).end())
    serve((query) => addresses(query.count === 1 ? "1.1.1.1" : "169.254.169.254")(query))
    expectBlocked(await refused())
    expect(net.dialled).toEqual(["1.1.1.1:443"])
  })

  it("is never cached, with a TTL of zero or of a year", async () => {
    serve((query) => respond(query, query.type === "A" ? [{ address: "1.1.1.1", ttlSeconds: 31_536_000 }] : []))
    for (let time = 0; time < 3; time++) await ask()
    expect(names.queries.filter((query) => query.startsWith("A "))).toHaveLength(3)
  })
})

describe("a DNS response with a private address", () => {
  it.each(privates)("%s alone is refused", async (address) => {
    serve(addresses(address))
    expectBlocked(await refused())
    expect(net.dialled).toEqual([])
  })

  it.each(privates)("%s among public ones of both families, wherever it stands, is refused", async (address) => {
    const others = ["1.1.1.1", "1.0.0.1", "2606:4700::1111", "2606:4700::1001"]
    for (let place = 0; place <= others.length; place++) {
      serve(addresses(...others.slice(0, place), address, ...others.slice(place)))
      expectBlocked(await refused())
    }
    expect(net.dialled).toEqual([])
  })

  it("is blocked behind aliases too, while aliases to public addresses are followed", async () => {
    const chain =
      (length: number, address: string): Zone =>
      (query) =>
        respond(query, [
          { alias: "a0.example" },
          ...Array.from({ length }, (_, step) => ({ name: `a${step}.example`, alias: `a${step + 1}.example` })),
          ...(query.type === "A" ? [{ name: `a${length}.example`, address }] : [])
        ])
    for (const length of [0, 1, 8]) {
      serve(chain(length, "10.0.0.1"))
      expectBlocked(await refused())
      serve(chain(length, "1.1.1.1"))
      expect(text((await ask()).body)).toBe("public")
    }
    expect(new Set(net.dialled)).toEqual(new Set(["1.1.1.1:443"]))
  })

  it("is blocked over TCP, when it is too long for a datagram", async () => {
    const many = Array.from({ length: 60 }, (_, index) => `1.1.1.${index + 2}`)
    serve(addresses("1.1.1.1", ...many))
    expect(text((await ask()).body)).toBe("public")
    serve(addresses("1.1.1.1", ...many, "10.0.0.1"))
    expectBlocked(await refused())
    expect(names.tcpConnections).toBeGreaterThan(1)
    expect(net.dialled.filter((dialled) => dialled.startsWith("10."))).toEqual([])
  })

  it("is blocked with more than 64 addresses, even public ones", async () => {
    for (const count of [65, 1000]) {
      serve(addresses(...Array.from({ length: count }, (_, index) => `1.${index >> 8}.${index & 255}.1`)))
      expectBlocked(await refused())
    }
    expect(net.dialled).toEqual([])
  })

  it("is ignored under another name, in another section or family, or in another query's response", async () => {
    const besides: ReadonlyArray<Zone> = [
      (query) => respond(query, [{ address: "1.1.1.1" }, { name: "other.example", address: "127.0.0.1" }]),
      (query) => respond(query, [{ name: "other.example", address: "127.0.0.1" }]),
      (query) => respond(query, [{ address: "::1" }, { address: "127.0.0.1" }]),
      (query) => {
        const response = respond(query, query.type === "A" ? [{ address: "1.1.1.1" }] : [])
        response.additionals.push(...respond(query, [{ address: "127.0.0.1" }]).answers)
        response.authorities.push(...respond(query, [{ address: "127.0.0.1" }]).answers)
        return response
      }
    ]
    for (const zone of besides) {
      serve(zone)
      await runWith(Effect.result(request({ url })), options)
    }
    expect(net.dialled.filter((dialled) => dialled !== "1.1.1.1:443")).toEqual([])
  })
})

describe("a name server that fails", () => {
  it.each(["NXDOMAIN", "SERVFAIL", "REFUSED", "NOTIMP", "FORMERR", "NOERROR"] as const)(
    "with %s makes a supplied name fail like a private one, and a configured one as unreachable",
    async (code) => {
      serve(failing(code))
      expectBlocked(await refused())
      const configured = await refusal({ url, destination: "configured" }, { ...options, configuredOrigins: [url] })
      expect(configured.code).toBe("unreachable")
    }
  )

  it("for one family only is no failure: the addresses of the other are checked and connected to", async () => {
    const half =
      (type: "A" | "AAAA", address: string): Zone =>
      (query) =>
        query.type === type ? addresses(address)(query) : failing("SERVFAIL")(query)
    serve(half("A", "1.1.1.1"))
    expect(text((await ask()).body)).toBe("public")
    for (const [type, address] of [
      ["A", "10.0.0.1"],
      ["AAAA", "::1"]
    ] as const) {
      serve(half(type, address))
      expectBlocked(await refused())
    }
  })

  const header = (query: Parameters<Zone>[0]) => respond(query, []).toBuffer().subarray(0, 12)
  const nonsense: ReadonlyArray<readonly [string, Zone]> = [
    ["is silent", () => undefined],
    [
      "responds with another query's ID",
      (query) => {
        const response = respond(query, [{ address: "127.0.0.1" }])
        response.header.id = (response.header.id + 1) & 0xffff
        return response
      }
    ],
    ["sends random bytes", () => Buffer.alloc(600, 0xff)],
    ["sends only a header", header],
    ["points a name at itself", (query) => Buffer.concat([header(query), Buffer.from([0xc0, 0x0c, 0, 1, 0, 1])])],
    [
      "truncates its response",
      (query) =>
        respond(query, [{ address: "127.0.0.1" }])
          .toBuffer()
          .subarray(0, -3)
    ],
    ["aliases a name to itself", (query) => respond(query, [{ alias: "one.example" }])]
  ]

  it.each(nonsense)("because it %s is given up in the time of the request", async (_, zone) => {
    serve(zone)
    expect(["timeout", "blocked"]).toContain((await refused({ timeoutMillis: 1000 })).code)
    expect(net.dialled).toEqual([])
  })

  it("is not queried further after cancellation: the slot of the lookup is free at once", async () => {
    serve(() => undefined)
    const codes = await runWith(
      Effect.gen(function* () {
        const own = { organizationId: "a" }
        const stuck = yield* Effect.flip(request({ url, ...own, timeoutMillis: 500 }))
        // The resolver would continue for seven seconds, and a query keeps its slot.
        const literal = yield* request({ url: "https://1.1.1.1/", ...own, timeoutMillis: 4000 })
        return [stuck.code, text(literal.body)]
      }),
      { ...options, limits: { perOrganization: 1 } }
    )
    expect(codes).toEqual(["timeout", "public"])
  })

  it("is waited for when it is slow, without delaying other lookups", async () => {
    serve(async (query) => {
      await sleep(500)
      return addresses("1.1.1.1")(query)
    })
    serve(() => undefined, "never.example")
    serve(addresses("1.1.1.1"), "quick.example")
    await runWith(
      Effect.gen(function* () {
        const stuck = Array.from({ length: 16 }, () =>
          Effect.flip(request({ url: "https://never.example/", organizationId: "a", timeoutMillis: 3000 }))
        )
        const others = [url, url, url].map((url) => request({ url, organizationId: "b", timeoutMillis: 30_000 }))
        const [failures, responses] = yield* Effect.all(
          [Effect.all(stuck, { concurrency: "unbounded" }), Effect.all(others, { concurrency: "unbounded" })],
          { concurrency: "unbounded" }
        )
        expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(["timeout"]))
        expect(responses.map(({ body }) => text(body))).toEqual(["public", "public", "public"])
      }),
      options
    )
  })
})

describe("names with a fixed address", () => {
  const octets = [
    [127, 0, 0, 1],
    [10, 0, 0, 1],
    [169, 254, 169, 254],
    [192, 168, 1, 1],
    [100, 64, 0, 1]
  ] as const
  const spellings = octets.flatMap(([a, b, c, d]) => {
    const hex = [a, b, c, d].map((octet) => octet.toString(16).padStart(2, "0")).join("")
    return [`${a}.${b}.${c}.${d}.nip.example`, `${a}-${b}-${c}-${d}.nip.example`, `${hex}.nip.example`].flatMap(
      (name) => [[name, `${a}.${b}.${c}.${d}`] as const, [`app.${name}.`, `${a}.${b}.${c}.${d}`] as const]
    )
  })

  it.each(spellings)("%s is resolved, and blocked for its address", async (name, address) => {
    names.otherwise = addresses(address)
    expectBlocked(await refusal({ url: `https://${name}/` }, options))
    expect(names.queries.length).toBeGreaterThan(0)
    expect(net.dialled).toEqual([])
  })

  it.each(["localhost", "localhost.", "LOCALHOST", "app.localhost", "a.b.localhost.", "ｌocalhost", "%6cocalhost"])(
    "resolve to this machine whatever the server returns, and are not queried: %s",
    async (name) => {
      names.otherwise = addresses("1.1.1.1")
      expectBlocked(await refusal({ url: `https://${name}/` }, options))
      expect(names.queries).toEqual([])
      expect(net.dialled).toEqual([])
    }
  )

  it("allow localhost as a configured origin", async () => {
    await net.serve("127.0.0.1", (_, response) => response.end("own"), "http")
    const own = "http://localhost:3000/"
    const received = await get({ url: own, destination: "configured" }, { ...options, configuredOrigins: [own] })
    expect(text(received.body)).toBe("own")
    expect(names.queries).toEqual([])
  })

  it("may be private when configured, and are queried from the configured servers only", async () => {
    await net.serve("10.0.0.7", (_, response) => response.end("inside"), "http")
    serve(addresses("10.0.0.7"), "inside.example")
    const inside = "http://inside.example/"
    const received = await get({ url: inside, destination: "configured" }, { ...options, configuredOrigins: [inside] })
    expect(text(received.body)).toBe("inside")
    expect([...names.queries].sort()).toEqual(["A inside.example", "AAAA inside.example"])
    expectBlocked(await refusal({ url: inside }, { ...options, configuredOrigins: [inside], allowHttp: true }))
  })
})
