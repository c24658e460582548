import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isSensitive, makeRedactor } from "./redact.ts"
import { secretsOfHeader } from "./secret-forms.ts"

const nothing = makeRedactor([])
const long = "Zm9vYmFyYmF6cXV4cXV1eGNvcmdl0123456789"

/** Examples of many kinds of secrets, with the part that must not be shown. */
const shapes: Readonly<Record<string, readonly [text: string, secret: string]>> = {
  "a bearer token": [`it said Bearer ${long} and left`, long],
  "a lower-case bearer token": [`bearer ${long}`, long],
  "a basic credential": ["Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA"],
  "a JWT": ["x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl y", "eyJzdWIiOiIxIn0"],
  "a JWE": ["eyJhbGciOiJSU0EifQ.a2V5a2V5.aXZpdml2.Y2lwaGVy.dGFndGFn", "Y2lwaGVy"],
  "a personal token of a code host": [`ghp_${"a1".repeat(18)}`, "a1a1a1a1"],
  "a token of an app of a code host": [`ghs_${"a1".repeat(18)}`, "a1a1a1a1"],
  "a fine-grained token": [`github_pat_${"a1".repeat(20)}`, "a1a1a1a1"],
  "a token of another code host": [`glpat-${"a1".repeat(10)}`, "a1a1a1a1"],
  "a token of a chat's bot": ["xoxb-123456789-abcdefgh", "123456789"],
  "a token of a chat's user": ["xoxp-123456789-abcdefgh", "123456789"],
  "a token of a chat's app": ["xapp-1-A012-34567-abcdef", "34567"],
  "a key of a model": [`sk-${"a1".repeat(20)}`, "a1a1a1a1"],
  "a key of a project": [`sk-proj-${"a1".repeat(20)}`, "a1a1a1a1"],
  "a live key of payments": [`sk_live_${"a1".repeat(12)}`, "a1a1a1a1"],
  "a restricted key of payments": [`rk_test_${"a1".repeat(12)}`, "a1a1a1a1"],
  "a secret of webhooks": [`whsec_${"a1".repeat(12)}`, "a1a1a1a1"],
  "a cloud's key": ["AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"],
  "a cloud's key for a while": ["ASIAIOSFODNN7EXAMPLE", "IOSFODNN7"],
  "a map's key": [`AIza${"a1".repeat(18)}`, "a1a1a1a1"],
  "a token of a suite": [`ya29.${"a1".repeat(18)}`, "a1a1a1a1"],
  "a client's secret of a suite": [`GOCSPX-${"a1".repeat(14)}`, "a1a1a1a1"],
  "a registry's token": [`npm_${"a1".repeat(18)}`, "a1a1a1a1"],
  "another registry's token": [`pypi-AgEI${"a1".repeat(18)}`, "a1a1a1a1"],
  "a model hub's token": [`hf_${"a1".repeat(18)}`, "a1a1a1a1"],
  "a mailer's key": [`SG.${"a1".repeat(11)}.${"b2".repeat(20)}`, "b2b2b2"],
  "a shop's token": [`shpat_${"a1".repeat(16)}`, "a1a1a1a1"],
  "a bot's token": [`123456789:${"a1".repeat(17)}A`, "a1a1a1a1"],
  "a private key": ["-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"],
  "a private key that was cut": ["-----BEGIN PRIVATE KEY-----\nMIIEow", "MIIEow"],
  "a private key in JSON": [
    JSON.stringify({ a: "-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIVATE KEY-----" }),
    "MIIEow"
  ],
  "user info": ["see https://user:hunter2@db.example/x", "hunter2"],
  "a token as user info": ["git clone https://hunter2@git.example/x.git", "hunter2"],
  "a database's address": ["postgres://app:hunter2@db.example:5432/app", "hunter2"],
  "a parameter": ["/x?a=1&access_token=hunter2&b=2", "hunter2"],
  "a parameter of a form": ["grant_type=password&password=hunter2", "hunter2"],
  "a signature in an address": ["https://x.example/a?X-Amz-Signature=hunter2&b=1", "hunter2"],
  "a member": ['{"password":"hunter2"}', "hunter2"],
  "a member with spaces": ['{ "api_key" : "hunter2" }', "hunter2"],
  "a member whose name is escaped": ['{"pass\\u0077ord":"hunter2"}', "hunter2"],
  "a number": ['{"secret":4711471147}', "4711471147"],
  "a list": ['{"tokens":["hunter2","hunter3"],"a":1}', "hunter"],
  "an object": ['{"credentials":{"user":"hunter2","deep":{"a":["hunter3"]}},"a":1}', "hunter"],
  "a member that was cut": ['{"a":1,"clientSecret":"hunter2', "hunter2"],
  "an object that was cut": ['{"a":1,"credentials":{"user":"hunter2', "hunter2"],
  "JSON in a string": [JSON.stringify({ text: JSON.stringify({ token: "hunter2" }) }), "hunter2"],
  "JSON in JSON in a string": [
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ token: "hunter2" }) }) }),
    "hunter2"
  ],
  "an event": ['event: message\ndata: {"result":{"token":"hunter2"}}\n\n', "hunter2"],
  "an event after an odd quote": ['data: say "hi\n\ndata: {"token":"hunter2"}\n\n', "hunter2"],
  "text with a member": ['The response was {"token": "hunter2"}.', "hunter2"],
  "text with an odd quote and a member": ['5" wide, {"token": "hunter2"}', "hunter2"]
}

describe("the redaction of secret patterns", () => {
  it.each(Object.entries(shapes))("removes %s, also in a JSON string", (_, [text, secret]) => {
    expect(nothing.text(text)).not.toContain(secret)
    expect(nothing.text(text)).toContain("[redacted]")
    expect(nothing.text(JSON.stringify({ note: text }))).not.toContain(secret)
    expect(nothing.text(`data: ${JSON.stringify({ content: [{ text }] })}\n\n`)).not.toContain(secret)
  })

  it("is tested with at least fifty kinds", () => expect(Object.keys(shapes).length).toBeGreaterThanOrEqual(50))

  it("leaves other text unchanged", () => {
    const text =
      '{ "name" : "Bob",\n "monkeys": [1, 2.50],"keyword":"a", "hasToken": true, "nextToken": null, "x": "\\u00fc" }'
    const { text: clean } = nothing
    expect(clean(text)).toBe(text.replace('"monkeys": [1, 2.50]', '"monkeys": "[redacted]"'))
    expect(clean("Basic information, the bearer of news")).toBe("Basic information, the bearer of news")
    expect(clean('<p class="a">It\'s fine</p>')).toBe('<p class="a">It\'s fine</p>')
    fc.assert(
      fc.property(fc.json(), (json) => {
        fc.pre(!/key|token|secret|passw|pwd|signature|credential|authorization|cookie|session/i.test(json))
        expect(clean(json)).toBe(json)
      })
    )
  })
})

describe("the redaction of known secrets", () => {
  const secret = fc
    .string({ minLength: 8, maxLength: 60, unit: "grapheme-ascii" })
    .filter((text) => /^\S.*\S$/.test(text) && !"[redacted]".includes(text))

  it("finds them in every encoding", () => {
    const forms: ReadonlyArray<(secret: string) => string> = [
      (text) => text,
      encodeURIComponent,
      (text) => encodeURIComponent(encodeURIComponent(text)),
      (text) => (encodeURIComponent(text).toLowerCase().includes(text.toLowerCase()) ? text : encodeURIComponent(text)),
      (text) => JSON.stringify(text),
      (text) => JSON.stringify({ note: JSON.stringify({ a: text }) }),
      (text) =>
        JSON.stringify(text)
          .replace(/[a-z]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .replace(/\\\\u/g, "\\u"),
      (text) => Buffer.from(text).toString("base64"),
      (text) => Buffer.from(text).toString("base64url"),
      (text) => Buffer.from(`user:${text}`).toString("base64"),
      (text) => Buffer.from(`u:${text} and more`).toString("base64"),
      (text) => Buffer.from(text).toString("hex"),
      (text) => Buffer.from(text).toString("hex").toUpperCase()
    ]
    fc.assert(
      fc.property(secret, fc.nat(forms.length - 1), fc.string(), fc.string(), (text, form, before, after) => {
        fc.pre(!/[\\"]/.test(text))
        const written = (forms[form] ?? String)(text)
        const clean = makeRedactor([text]).text(`${before} ${written} ${after}`)
        fc.pre(!`${before}${after}`.includes(text))
        expect(clean).not.toContain(text)
        // A base64 part shared with neighboring data may stay; the part that belongs only to the secret may not.
        if (form < 7 || form > 10) expect(clean).not.toContain(written)
        else expect(clean).toContain("[redacted]")
      }),
      { numRuns: 500 }
    )
  })

  it("finds them in results and member names, and changes nothing else", () => {
    const { json } = makeRedactor(["hunter2secret"])
    expect(json({ a: ["x hunter2secret y", 1, null], hunter2secret: { token: "stays" } })).toEqual({
      a: ["x [redacted] y", 1, null],
      "[redacted]": { token: "stays" }
    })
  })

  it("covers the header value after its scheme, and the password of Basic", () => {
    expect(secretsOfHeader("Bearer abcdef")).toEqual(["Bearer abcdef", "abcdef"])
    const basic = Buffer.from("me:hunter2").toString("base64")
    expect(secretsOfHeader(`Basic ${basic}`)).toEqual([`Basic ${basic}`, basic, "me:hunter2", "hunter2"])
    expect(secretsOfHeader("just-a-key")).toEqual(["just-a-key"])
  })

  it("leaves no part of one in a truncated body", () => {
    const { text } = makeRedactor(["hunter2-hunter2"])
    expect(text("so it is hunter2-hun", true)).toBe("so it is [redacted]")
    expect(text('{"a":"ghp_a1a1', true)).toBe('{"a":"[redacted]')
    expect(text("password=letmein and ghp_a1a1", true)).toBe("password=[redacted] and [redacted]")
  })
})

describe("the redaction of headers and URLs", () => {
  const { header, url } = makeRedactor(["hunter2-hunter2"])

  it("keeps the scheme of authorization, and removes values of sensitive headers", () => {
    expect(header("Authorization", "Bearer hunter2")).toBe("Bearer [redacted]")
    expect(header("authorization", "hunter2")).toBe("[redacted]")
    for (const name of [
      "cookie",
      "Set-Cookie",
      "Mcp-Session-Id",
      "X-Api-Key",
      "x-auth-token",
      "X-Hub-Signature-256",
      "x-client-secret",
      "X-Password",
      "x-amz-credential"
    ]) {
      expect(header(name, "hunter2")).toBe("[redacted]")
      expect(isSensitive(name) || /session/i.test(name)).toBe(true)
    }
    expect(header("content-type", "application/json")).toBe("application/json")
    expect(header("x-echo", "is hunter2-hunter2")).toBe("is [redacted]")
    expect(header("location", "https://a.example/b?code=hunter2")).toBe("https://a.example/b?code=[redacted]")
  })

  it("keeps parameter names, and the path except for secrets", () => {
    expect(url("https://a.example/mcp/hunter2-hunter2/x?user=bob&k&z=")).toBe(
      "https://a.example/mcp/[redacted]/x?user=[redacted]&[redacted]&z=[redacted]"
    )
    expect(url(`https://a.example/s/ghp_${"a1".repeat(18)}/mcp`)).toBe("https://a.example/s/[redacted]/mcp")
    expect(url("https://a.example/mcp")).toBe("https://a.example/mcp")
  })
})

it("takes linear time for adversarial texts", () => {
  const slow = [
    "eyJaaaaaa-",
    "a",
    '"',
    '{"a":',
    "-----BEGIN A",
    "Bearer ",
    "a.",
    "token",
    '"a" ',
    "http://",
    "[",
    '\\"',
    "ghp_",
    "xoxb-",
    "eyJ-",
    '"key" ',
    '\\\n\\"'
  ]
  for (const piece of slow) {
    const text = piece.repeat(Math.ceil((512 * 1024) / piece.length)).slice(0, 512 * 1024)
    expect(typeof makeRedactor(["hunter2-hunter2"]).text(text, true)).toBe("string")
    // An unterminated string at each quote, and a line end.
    expect(typeof makeRedactor(["hunter2-hunter2"]).text(`"${text}\n"`, false)).toBe("string")
  }
}, 30_000)

it("takes linear time for adversarial secrets", () => {
  const text = `\\u0061${"a".repeat(512 * 1024)}`
  const chosen = [
    [`${"a".repeat(4000)}b`],
    [`b${"a".repeat(4000)}`],
    [`${"a".repeat(2000)}b${"a".repeat(2000)}`],
    Array.from({ length: 1000 }, (_, index) => `${"a".repeat(8)}${index}`)
  ]
  for (const secrets of chosen) expect(makeRedactor(secrets).text(text)).toBe(text)
}, 30_000)

describe("the redaction of truncated text", () => {
  const secret = "part-one, part two; part-three"

  it.each(Array.from({ length: secret.length - 3 }, (_, index) => index + 4))(
    "shows nothing of a secret of which %i characters remain",
    (length) => {
      const shown = makeRedactor([secret]).text(`It said ${secret.slice(0, length)}`, true)
      expect(shown).not.toContain("part")
      expect(shown).toContain("It said ")
    }
  )

  it("shows nothing of an escaped secret either", () => {
    const escaped = Array.from(secret, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
    for (const length of [4, 12, 29, 30]) {
      const shown = makeRedactor([secret]).text(`It said ${escaped.slice(0, length).join("")}`, true)
      expect(shown).toMatch(/^It said (\[redacted\])+$/)
    }
  })
})

it("finds escaped secrets among other escapes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("\\u0041", "\\\\u0041", "x", " ", "caf\u00e9", "[", "\\n"), { maxLength: 8 }),
      fc.array(fc.constantFrom("\\u0041", "y", "."), { maxLength: 8 }),
      fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 7, maxLength: 7 }),
      (before, after, how) => {
        const written = Array.from("hunter2", (char, index) => {
          const escape = `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
          return [char, escape, `\\\\${escape}`][how[index] ?? 0] ?? char
        })
        const shown = makeRedactor(["hunter2"]).text(`${before.join("")}${written.join("")}${after.join("")}`)
        expect(shown).toBe(`${before.join("")}[redacted]${after.join("")}`)
      }
    ),
    { numRuns: 500 }
  )
})

it("treats a user name without a password as the secret", () => {
  const basic = `Basic ${Buffer.from("key-4711-4711:").toString("base64")}`
  expect(makeRedactor(secretsOfHeader(basic)).text("You are key-4711-4711.")).toBe("You are [redacted].")
})

it("never fails on any text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ":", ",", "\n", " ", "t", "token", "1") }),
      fc.boolean(),
      (text, isCut) => {
        expect(typeof nothing.text(text, isCut)).toBe("string")
      }
    ),
    { numRuns: 2000 }
  )
})
