import { describe, expect, it } from "vitest"
import { browserCommand } from "../src/browser.ts"
import { inspection, resultText, toolCall } from "../src/output/http-exchange.ts"
import { resolution } from "../src/output/mcp-resolution.ts"
import { review } from "../src/output/mcp-review.ts"
import { ran, serve } from "./harness.ts"

const plain = { unicode: false, colors: false }
const nasty = "\u001b[2J\n+ owned\u202e"
// oxlint-disable-next-line no-control-regex
const harmful = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/

const body = (text: string, more: object = {}) => ({
  text,
  bytes: text.length,
  truncated: false,
  unavailable: text === "",
  ...more
})
const toolResult = (content: ReadonlyArray<unknown>) => ({
  referenceId: "req_1",
  durationMs: 12,
  result: { content },
  inspection: {
    diagnosis: { summary: "The tool returned a result." },
    request: {
      method: "POST",
      url: "https://mcp.example/mcp",
      startedAt: "2026-03-01T09:30:00.000Z",
      headers: [{ name: "authorization", value: "Bearer [redacted]", redacted: true }],
      body: body('{"a":1}')
    },
    response: {
      status: 200,
      statusText: "OK",
      durationMs: 10,
      headers: [{ name: "content-type", value: "application/json", redacted: false }],
      body: body("x", { truncated: true, bytes: 900_000 })
    }
  }
})
const text = (value: string) => ({ type: "text", text: value })

describe("mcp-connections call", () => {
  const path = "POST /v1/mcp-connections/emc_1/tools/call"
  const argv = ["mcp-connections", "call", "emc_1", "search"]

  it("sends strings and JSON arguments", async () => {
    const { seen, url } = await serve({ [path]: { body: toolResult([text("hi")]) } })
    const args = ["a=1", "b:=1", "c:=[true]", "d=", "e==x:=y", 'f:={"g":null}', "__proto__=p", "h:i=j"]
    const { code, out } = await ran([...argv, ...args.flatMap((one) => ["--arg", one]), "-q"], { url })
    expect([code, out]).toEqual([0, "hi\n"])
    const sent = JSON.parse(seen[0]?.body ?? "")
    expect(sent.toolName).toBe("search")
    expect(Object.entries(sent.arguments)).toEqual([
      ["a", "1"],
      ["b", 1],
      ["c", [true]],
      ["d", ""],
      ["e", "=x:=y"],
      ["f", { g: null }],
      ["__proto__", "p"],
      ["h:i", "j"]
    ])
    expect(seen[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("sends nothing if an argument is malformed", async () => {
    const { seen, url } = await serve({})
    for (const one of ["a", "=b", "a:=b", "a:="]) expect((await ran([...argv, "--arg", one], { url })).code).toBe(2)
    for (const stdin of ["[]", "no"]) expect((await ran([...argv, "--args", "-"], { url, stdin })).code).toBe(2)
    expect(seen).toEqual([])
  })

  it("does not retry a tool call, whatever the server returns", async () => {
    const { seen, url } = await serve({ [path]: { status: 503, body: { error: "unavailable", message: "Not now." } } })
    expect((await ran(argv, { url })).code).toBe(1)
    expect(seen).toHaveLength(1)
  })

  it("dims redacted headers and marks truncated bodies", () => {
    const drawn = inspection(toolResult([]).inspection, { unicode: true, colors: true })
    expect(drawn).toContain("  \u001b[2mauthorization: Bearer [redacted]\u001b[0m")
    expect(drawn).toContain("(truncated, 900000 bytes in total)")
    const long = {
      ...toolResult([]).inspection,
      response: { ...toolResult([]).inspection.response, body: body("x\n".repeat(500)) }
    }
    expect(inspection(long, plain).split("\n").length).toBeLessThan(90)
    expect(inspection(long, plain)).toContain("use -o json for all")
  })

  it("prints non-text content by its type, and as JSON if there is no text", () => {
    const image = { type: "image", mimeType: "image/png", data: "AAAA" }
    expect(toolCall(toolResult([text("one"), image]), plain)).toMatch(/\none\n\(image image\/png\)$/)
    expect(resultText(toolResult([text("one"), image, text("two")]))).toBe("one\ntwo")
    expect(JSON.parse(resultText({ result: { content: [image], structuredContent: { a: 1 } } }))).toEqual({ a: 1 })
    expect(JSON.parse(resultText({ result: { content: [image] } }))).toEqual([image])
    expect(resultText({ result: null })).toBe("null")
  })

  it("escapes control characters in tool results", async () => {
    expect(toolCall(toolResult([text(nasty), { type: nasty, mimeType: nasty }]), plain)).not.toMatch(harmful)
    const { url } = await serve({ [path]: { body: toolResult([text(nasty)]) } })
    expect((await ran([...argv, "-q"], { url, columns: 80 })).out).not.toMatch(harmful)
    expect((await ran([...argv, "-q"], { url })).out).toBe(`${nasty}\n`)
  })
})

describe("mcp-connections review", () => {
  const changed = {
    review: {
      fingerprint: "5d2f",
      acceptedFingerprint: "aaaa",
      detectedAt: "2026-03-01T09:30:00.000Z",
      decision: "reject",
      changesTruncated: true,
      changes: [
        {
          kind: "token_endpoint",
          name: null,
          members: [],
          before: "https://a.example/t",
          after: "https://b.example/t"
        },
        { kind: "tool_added", name: "wipe", members: [], before: null, after: { description: "Wipes." } },
        { kind: "tool_removed", name: "read", members: [], before: {}, after: null },
        {
          kind: "tool_changed",
          name: "search",
          members: ["description"],
          before: { description: "Looks." },
          after: { description: nasty }
        }
      ]
    }
  }
  it("prints each change with the values before and after, and the command that accepts exactly these changes", async () => {
    const { url } = await serve({ "GET /v1/mcp-connections/emc_1/review": { body: changed } })
    const { code, out } = await ran(["mcp-connections", "review", "emc_1"], { url })
    expect(code).toBe(0)
    expect(out.trim().split("\n")).toEqual([
      "The server differs from the accepted state. First detected: 2026-03-01T09:30:00.000Z. An earlier review rejected these changes.",
      "",
      "! token endpoint",
      "    - https://a.example/t",
      "    + https://b.example/t",
      "+ wipe",
      "    Wipes.",
      "- read",
      "~ search",
      "    - description: Looks.",
      String.raw`    + description: \u001b[2J\n+ owned\u202e`,
      "more changes are not shown",
      "",
      "4 changes. Changed tools cannot be called until you accept the changes.",
      "orgplane mcp-connections decide-review emc_1 --fingerprint 5d2f --decision accept"
    ])
    expect((await ran(["mcp-connections", "review", "emc_1", "-q"], { url })).out).toBe("5d2f\n")
  })
  it("requires confirmation for a decision", async () => {
    const { seen, url } = await serve({})
    const argv = ["mcp-connections", "decide", "emc_1", "--fingerprint", "5d2f", "--decision", "accept"]
    expect([(await ran(argv, { url })).code, seen.length]).toEqual([2, 0])
  })
  it("escapes control characters in reviewed changes", () => {
    const bad = {
      review: { ...changed.review, fingerprint: nasty, changes: [{ kind: nasty, name: nasty, members: [] }] }
    }
    expect(review(bad, plain, { ids: [nasty], body: undefined })).not.toMatch(harmful)
  })
})

describe("mcp-connections resolve", () => {
  const presetMatch = {
    resolution: "preset",
    attempted: ["https://mcp.acme.example/mcp: 401"],
    reason: null,
    preset: {
      presetId: "acme",
      displayName: "Acme's tools",
      description: "Anvils.",
      url: "https://mcp.acme.example/mcp",
      requiresOAuthClient: true
    },
    match: {
      url: "https://mcp.acme.example/mcp",
      suggestedName: "Acme",
      discovery: {
        server: { url: "https://mcp.acme.example/mcp", protocolVersion: null },
        authentication: {
          authorizationServers: [{ issuer: "https://sign-in.acme.example" }],
          requiredScopes: ["read"],
          recommendedScopes: ["write"],
          availableRegistrationMethods: ["pre_registered"],
          resource: null,
          protectedResourceMetadataUrl: null
        },
        tools: null,
        manualRequirements: [{ code: "c", label: "Register a client", reason: "It registers none.", required: true }],
        warnings: [{ code: "no_s256", message: "It does not say S256." }]
      }
    }
  }
  it("prints the server, its authorization servers, the manual steps and the next command", () => {
    expect(resolution(presetMatch, plain).split("\n")).toEqual([
      "+ curated: Acme's tools  Anvils.",
      "",
      "URL       https://mcp.acme.example/mcp",
      "protocol  visible only after sign-in",
      "sign-in   OAuth at https://sign-in.acme.example",
      "client    pre registered",
      "scopes    read (required)",
      "          write (recommended)",
      "tools     visible only after sign-in",
      "",
      "manual steps",
      "! Register a client  It registers none.",
      "",
      "! It does not say S256. (no_s256)",
      "",
      "tried",
      "  https://mcp.acme.example/mcp: 401",
      "",
      "orgplane mcp-connections create --name Acme --url https://mcp.acme.example/mcp --auth-type oauth --preset-id acme"
    ])
  })
  it("escapes control characters and quotes shell arguments in the next command", () => {
    const match = { ...presetMatch.match, suggestedName: `${nasty}; rm -rf ~`, url: "https://x.example/$(id)" }
    const drawn = resolution({ ...presetMatch, match, attempted: [nasty], reason: nasty }, plain)
    expect(drawn).not.toMatch(harmful)
    expect(drawn).toMatch(/--name '.*; rm -rf ~' --url 'https:\/\/x\.example\/\$\(id\)'/)
  })
})

describe("the browser command", () => {
  it.each([
    ["linux", {}, undefined],
    ["linux", { DISPLAY: ":0" }, ["xdg-open"]],
    ["linux", { WAYLAND_DISPLAY: "w" }, ["xdg-open"]],
    ["linux", { DISPLAY: ":0", SSH_CONNECTION: "1" }, undefined],
    ["darwin", {}, ["open"]],
    ["win32", {}, ["rundll32", "url.dll,FileProtocolHandler"]]
  ] as const)("on %s with %o is %o", (platform, env, opener) => {
    expect(browserCommand(platform, env)).toEqual(opener)
  })
})
