import { describe, expect, it } from "vitest"
import { readEnvironment } from "../../config/environment.ts"
import { makeRules, parseRemoteSource } from "./rules.ts"

describe("parseRemoteSource", () => {
  it.each([
    ["github.com", { host: "github.com", mirror: null }],
    [" GitHub.com ", { host: "github.com", mirror: null }],
    ["git.example.com:8443", { host: "git.example.com:8443", mirror: null }],
    ["github.com=http://127.0.0.1:1234", { host: "github.com", mirror: "http://127.0.0.1:1234" }],
    ["npm=https://npm.corp/api/npm/", { host: "npm", mirror: "https://npm.corp/api/npm" }]
  ])("parses the remote source %s", (text, rule) => expect(parseRemoteSource(text)).toEqual(rule))

  it.each([
    "",
    "*",
    "https://github.com",
    "github.com/acme",
    "github.com.",
    "github.com:443",
    "github.com:99999",
    "user@github.com",
    "github.com=",
    "github.com=mirror.corp",
    "github.com=ftp://mirror.corp",
    "github.com=https://user:secret@mirror.corp",
    "github.com=https://mirror.corp/?token=secret",
    "=https://mirror.corp",
    "npm",
    "npm=npm.corp"
  ])("rejects the remote source %j", (text) => expect(parseRemoteSource(text)).toBe(undefined))
})

describe("the rules for remote sources", () => {
  const rules = makeRules([
    { host: "github.com", mirror: "http://127.0.0.1:1234/git" },
    { host: "files.example.com", mirror: null }
  ])

  it("map a URL to its mirror, as a configured destination", () => {
    expect(rules.resolve("https://github.com/acme/x")).toEqual({
      url: "http://127.0.0.1:1234/git/acme/x",
      destination: "configured"
    })
    expect(rules.resolve("https://files.example.com/a.zip")).toEqual({
      url: "https://files.example.com/a.zip",
      destination: "supplied"
    })
  })

  it.each([
    "https://other.example.com/a",
    "http://127.0.0.1:1234/git/acme/x",
    "https://github.com.evil.example/a",
    "https://github.com@evil.example/a",
    "https://user:secret@github.com/a",
    "not an address"
  ])("reject a host that is not listed: %s", (url) => expect(rules.resolve(url)).toBe(undefined))

  it("keep the path below the mirror's own path", () => {
    expect(rules.resolve("https://github.com/../../admin")?.url).toBe("http://127.0.0.1:1234/git/admin")
    expect(rules.resolve("https://github.com/%2e%2e/admin")?.url).toBe("http://127.0.0.1:1234/git/admin")
  })

  it("follow redirects to allowed hosts and within a mirror only", () => {
    const may = (url: string) => rules.mayFollow(new URL(url))
    expect(may("https://files.example.com/b")).toBe(true)
    expect(may("http://127.0.0.1:1234/elsewhere")).toBe(true)
    expect(may("https://github.com/a")).toBe(false)
    expect(may("https://evil.example/a")).toBe(false)
    expect(may("http://127.0.0.1:1235/a")).toBe(false)
  })
})

describe("ORGPLANE_REMOTE_SOURCES", () => {
  it("lists hosts and mirrors only", () => {
    const read = (value: string) => readEnvironment({ ORGPLANE_REMOTE_SOURCES: value }).options.remoteSources
    expect(read(" github.com , npm=https://npm.corp ")).toEqual(["github.com", "npm=https://npm.corp"])
    expect(read("")).toEqual([])
    // The message names the variable and never contains its value.
    expect(() => read("github.com,https://user:secret@x")).toThrow(
      /^ORGPLANE_REMOTE_SOURCES must list hosts[^]*npm\.example\.$/
    )
  })
})
