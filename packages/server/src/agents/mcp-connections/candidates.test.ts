import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  looksLikeSentence,
  candidatesMax,
  notAnAddress,
  otherScheme,
  parseQuery,
  displayUrl,
  suggestedName
} from "./candidates.ts"
import { knownServers } from "./preset-list.ts"
import { nameKey, presetsFrom } from "./presets.ts"

const urlsOf = (query: string): ReadonlyArray<string> => {
  const reading = parseQuery(query)
  return reading.kind === "nothing" ? [] : reading.candidates.map(({ url }) => url)
}

describe("a resolve query", () => {
  it.each([
    [
      "an address as typed, then where its host may have one",
      "https://one.example/mcp",
      ["https://one.example/mcp", "https://one.example/sse", "https://one.example/"]
    ],
    [
      "an address with a path",
      "https://one.example/v1/tools?team=7#here",
      [
        "https://one.example/v1/tools?team=7",
        "https://one.example/v1/tools/mcp",
        "https://one.example/mcp",
        "https://one.example/sse",
        "https://one.example/"
      ]
    ],
    [
      "plain http, then https",
      "http://one.example/mcp",
      ["http://one.example/mcp", "https://one.example/mcp", "https://one.example/sse", "https://one.example/"]
    ],
    [
      "a port of its own",
      "http://one.example:8080/",
      ["http://one.example:8080/", "http://one.example:8080/mcp", "http://one.example:8080/sse"]
    ],
    [
      "a bare host",
      "one.example",
      [
        "https://one.example/mcp",
        "https://one.example/",
        "https://mcp.one.example/mcp",
        "https://mcp.one.example/",
        "https://one.example/sse"
      ]
    ],
    [
      "a bare host of servers of tools",
      "MCP.One.Example",
      ["https://mcp.one.example/mcp", "https://mcp.one.example/", "https://mcp.one.example/sse"]
    ],
    [
      "a host with a port",
      "one.example:8443",
      ["https://one.example:8443/mcp", "https://one.example:8443/", "https://one.example:8443/sse"]
    ],
    [
      "a host with a path",
      " one.example/api/mcp ",
      ["https://one.example/api/mcp", "https://one.example/mcp", "https://one.example/sse", "https://one.example/"]
    ],
    [
      "a host in another script",
      "bücher.example/mcp",
      ["https://xn--bcher-kva.example/mcp", "https://xn--bcher-kva.example/sse", "https://xn--bcher-kva.example/"]
    ],
    [
      "a name",
      "Acme Tools",
      [
        "https://mcp.acmetools.com/mcp",
        "https://mcp.acmetools.com/",
        "https://mcp.acmetools.app/mcp",
        "https://mcp.acmetools.dev/mcp",
        "https://mcp.acmetools.io/mcp"
      ]
    ],
    [
      "a name in another script",
      "Bücher",
      [
        "https://mcp.xn--bcher-kva.com/mcp",
        "https://mcp.xn--bcher-kva.com/",
        "https://mcp.xn--bcher-kva.app/mcp",
        "https://mcp.xn--bcher-kva.dev/mcp",
        "https://mcp.xn--bcher-kva.io/mcp"
      ]
    ],
    [
      "this machine, which the guard refuses",
      "localhost",
      ["https://localhost/mcp", "https://localhost/", "https://localhost/sse"]
    ],
    [
      "an address in hexadecimal",
      "0x7f000001",
      ["https://127.0.0.1/mcp", "https://127.0.0.1/", "https://127.0.0.1/sse"]
    ],
    ["an IPv6 address without brackets", "::1", ["https://[::1]/mcp", "https://[::1]/", "https://[::1]/sse"]],
    ["a password, which goes nowhere else", "https://u:p@one.example/", ["https://u:p@one.example/"]]
  ])("is parsed: %s", (_, query, urls) => {
    expect(urlsOf(query)).toEqual(urls)
  })

  it.each([
    ["what is the server of our ticket system", looksLikeSentence],
    ["    ", notAnAddress],
    ["ftp://one.example/", otherScheme],
    ["file:///etc/passwd", otherScheme],
    ["https://one example/", notAnAddress],
    ["https://", notAnAddress],
    ["https://%zz/", notAnAddress],
    ["!!!", notAnAddress],
    ["a\u0007b", notAnAddress],
    ["-", notAnAddress],
    ["x".repeat(64), notAnAddress],
    ["1.2.3.4.5/%", notAnAddress]
  ])("%j is rejected", (query, reason) => {
    expect(parseQuery(query)).toEqual({ kind: "nothing", reason })
  })

  it("never fails, and yields at most five valid URLs", () => {
    const part = fc.oneof(
      fc.constantFrom(
        "https://",
        "http://",
        "//",
        ".",
        ":",
        "@",
        "/",
        "mcp",
        "sse",
        "?",
        "#",
        "[",
        "]",
        "%",
        "localhost"
      ),
      fc.constantFrom("127.1", "0x7f", "::", "1", "example", "Linear", "com", " ", "\\", "é", "ß", "。", "-", "_"),
      fc.string({ unit: "grapheme", maxLength: 6 })
    )
    const query = fc.oneof(
      fc.webUrl(),
      fc.domain(),
      fc.array(part, { minLength: 1, maxLength: 8 }).map((all) => all.join(""))
    )
    fc.assert(
      fc.property(query, (text) => {
        const urls = urlsOf(text)
        expect(urls.length).toBeLessThanOrEqual(candidatesMax)
        expect(new Set(urls).size).toBe(urls.length)
        for (const text of urls) {
          const url = new URL(text)
          expect(url.href).toBe(text)
          expect(url.hash).toBe("")
          expect(["https:", "http:"]).toContain(url.protocol)
          if (url.username !== "" || url.password !== "") expect(urls.length).toBe(1)
        }
        if (!/^\s*http:/iu.test(text)) expect(urls.filter((url) => url.startsWith("http:"))).toEqual([])
        expect(parseQuery(text)).toEqual(parseQuery(text))
      }),
      { numRuns: 3000 }
    )
  })

  it("that is a URL is probed first as it was typed", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (text) => {
        const reading = parseQuery(text)
        if (reading.kind === "guess") expect(reading.candidates[0]).toEqual({ url: new URL(text).href, typed: true })
      })
    )
  })
})

describe("presets", () => {
  it.each(knownServers.map((preset) => [preset.displayName, preset] as const))(
    "%s is found by its names",
    (_, preset) => {
      const endpoint = new URL(preset.url)
      const queries = [
        preset.presetId,
        preset.displayName.toUpperCase(),
        ` ${preset.displayName.toLowerCase()} `,
        preset.displayName.replace(/[aeo]/gu, (character) => `${character}\u0301`),
        ...preset.aliases,
        ...preset.hosts,
        ...preset.hosts.map((host) => `https://www.${host}/any/page`),
        preset.url,
        endpoint.host
      ]
      for (const query of queries) {
        expect([query, parseQuery(query)]).toMatchObject([query, { kind: "preset", preset }])
      }
      expect(urlsOf(preset.displayName)).toEqual([endpoint.href])
      expect(preset.url).toMatch(/^https:\/\/[a-z0-9.-]+(\/[a-z0-9/-]*)?$/u)
      expect(preset.checkedOn).toMatch(/^\d{4}-\d{2}-\d{2}$/u)
    }
  )

  it("are each listed once, with distinct names", () => {
    const words = knownServers.flatMap((preset) => {
      const names = [preset.presetId, preset.displayName, ...preset.aliases].map(nameKey)
      return [...new Set([...names, ...preset.hosts, new URL(preset.url).host])]
    })
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([])
    const listed = presetsFrom(undefined, null, 1000).map(({ server }) => server.presetId)
    expect(listed.toSorted()).toEqual(knownServers.map(({ presetId }) => presetId).toSorted())
  })

  it("do not match a host with a port, user info, or another name before it", () => {
    for (const query of [
      "https://linear.app:8443/",
      "https://u@linear.app/",
      "evil-linear.app",
      "linear.app.example"
    ]) {
      expect([query, parseQuery(query).kind]).toEqual([query, "guess"])
    }
  })

  it("keep a more specific URL on their own host", () => {
    expect(urlsOf("https://mcp.supabase.com/mcp?project_ref=abc")).toEqual([
      "https://mcp.supabase.com/mcp?project_ref=abc",
      "https://mcp.supabase.com/mcp"
    ])
    expect(urlsOf("https://linear.app/acme/issue/ACM-1")).toEqual(["https://mcp.linear.app/mcp"])
  })
})

describe("the display of a URL", () => {
  it("shows neither query nor user info, and is limited in length", () => {
    expect(displayUrl("https://u:canary@one.example/mcp?key=canary")).toBe("https://one.example/mcp?…")
    expect(displayUrl(`https://one.example/${"a".repeat(500)}`).length).toBe(200)
  })

  it.each([
    ["https://mcp.acme.com/mcp", "Acme"],
    ["https://www.acme.example/", "Acme"],
    ["https://localhost/mcp", "Localhost"],
    ["https://127.0.0.1/mcp", "127.0.0.1"],
    ["https://mcp.com/", "Mcp.com"],
    ["https://acme.co.uk/", "Acme"],
    ["https://mcp.x.ai/", "X"]
  ])("names %s as %s", (url, name) => {
    expect(suggestedName(url)).toBe(name)
  })
})
