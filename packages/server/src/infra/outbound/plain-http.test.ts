import type { ServerResponse } from "node:http"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { get, refusal, text } from "./fixtures/requests.ts"
import { LocalInternet } from "./fixtures/local-internet.ts"
import type { OutboundOptions } from "./index.ts"

let net: LocalInternet
beforeEach(() => {
  net = new LocalInternet()
  net.names.set("one.example", ["1.1.1.1"])
  net.names.set("inside.example", ["10.0.0.7"])
  net.names.set("mixed.example", ["10.0.0.7", "1.1.1.1"])
})
afterEach(() => net.close())

const withHttp = (allowHttp: ReadonlyArray<string>, allowCidrs: ReadonlyArray<string> = []): OutboundOptions => ({
  ...net.options,
  allowHttp,
  allowCidrs
})
const outcomeOf = async (url: string, options: OutboundOptions) => {
  const failure = await refusal({ url }, options)
  return failure.code
}

describe("plain http", () => {
  it("reaches only a listed host or range", async () => {
    await net.serve("1.1.1.1", (_, response) => response.end("public"), "http")
    for (const entry of ["one.example", "ONE.example.", "1.1.1.0/24", "1.1.1.1"]) {
      expect([entry, text((await get({ url: "http://one.example/" }, withHttp([entry]))).body)]).toEqual([
        entry,
        "public"
      ])
    }
    for (const entry of ["other.example", "example", "1.0.0.0/24"]) {
      expect([entry, await outcomeOf("http://one.example/", withHttp([entry]))]).toEqual([entry, "blocked"])
    }
    expect(await outcomeOf("http://one.example/", withHttp([]))).toBe("blocked")
  })

  it("requires that a private address is also allowed, whether it is listed by range or by name", async () => {
    await net.serve("10.0.0.7", (_, response) => response.end("inside"), "http")
    for (const entry of ["inside.example", "10.0.0.0/8"]) {
      expect(await outcomeOf("http://inside.example/", withHttp([entry]))).toBe("blocked")
      const options = withHttp([entry], ["10.0.0.0/24"])
      expect(text((await get({ url: "http://inside.example/" }, options)).body)).toBe("inside")
    }
    expect(await outcomeOf("http://inside.example/", withHttp([], ["10.0.0.0/24"]))).toBe("blocked")
    expect(net.dialled).toEqual(["10.0.0.7:80", "10.0.0.7:80"])
  })

  it("is refused when only some addresses of a name are in a listed range", async () => {
    const options = withHttp(["10.0.0.0/8"], ["10.0.0.0/8"])
    expect(await outcomeOf("http://mixed.example/", options)).toBe("blocked")
    expect(net.dialled).toEqual([])
  })

  it("reaches localhost when only one of its address families is allowed", async () => {
    await net.serve("127.0.0.1", (_, response) => response.end("laptop"), "http")
    const options = withHttp(["localhost"], ["127.0.0.0/8"])
    expect(text((await get({ url: "http://localhost:3000/" }, options)).body)).toBe("laptop")
    expect(net.dialled).toEqual(["127.0.0.1:3000"])
    expect(await outcomeOf("http://localhost:3000/", withHttp(["localhost"]))).toBe("blocked")
  })

  it("checks each redirect, sends no credential to another host, and never follows a redirect from https to http", async () => {
    const redirect = (location: string) => (_: unknown, response: ServerResponse) =>
      response.writeHead(302, { location }).end()
    const seen = await net.serve("10.0.0.7", (_, response) => response.end("inside"), "http")
    await net.serve("1.1.1.1", redirect("http://inside.example/"), "http")
    const options = withHttp(["one.example", "inside.example"], ["10.0.0.0/8"])
    const ask = { url: "http://one.example/", headers: { authorization: "Bearer secret" } }
    expect(text((await get(ask, options)).body)).toBe("inside")
    expect(seen[0]?.headers["authorization"]).toBeUndefined()
    expect(await outcomeOf(ask.url, withHttp(["one.example"], ["10.0.0.0/8"]))).toBe("blocked")
    await net.serve("1.1.1.1", redirect("http://inside.example/"))
    expect(await outcomeOf("https://one.example/", options)).toBe("blocked")
    expect(seen).toHaveLength(1)
  })
})
