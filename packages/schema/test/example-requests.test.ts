/** The requests of the API references, read back by a shell and by JavaScript. */
import { execFileSync } from "node:child_process"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { examples } from "../src/generated/examples.ts"
import type { ExampleWithCalls } from "../src/shared/example.ts"
import { exampleRequests, exampleResponse, exampleTarget, shortened } from "../src/shared/example-requests.ts"

const session = [{ session: [] }, { apiKey: [] }]
const entries = Object.entries(examples)
const codeOf = (example: ExampleWithCalls, label: string, security: typeof session | undefined = session): string =>
  exampleRequests(example, security as never).find((request) => request.label === label)?.code ?? ""

interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const expected = (example: ExampleWithCalls): unknown => {
  const { body, headers, method } = example.request
  return {
    url: `https://orgplane.example${exampleTarget(example)}`,
    method,
    type: body === undefined ? undefined : (headers?.["content-type"] ?? "application/json"),
    body
  }
}

const received = ({ body, headers, method, url }: Sent): unknown => {
  const type = headers["content-type"]
  const isForm = type === "application/x-www-form-urlencoded"
  const value: unknown = isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body === "" ? "{}" : body)
  return { url, method, type, body: type === undefined ? undefined : value }
}

/** The arguments of each `curl` in the script. */
const curlArguments = (script: string): ReadonlyArray<ReadonlyArray<string>> =>
  execFileSync("sh", [], {
    input: `curl() { printf '%s\\0' "$@"; printf '\\001\\0'; }\nORGPLANE_TOKEN=the-token\nORGPLANE_API_KEY=the-key\n${script}\n`,
    encoding: "utf8",
    maxBuffer: 2 ** 26
  })
    .split("\u0001\0")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1))

const sentByCurl = (words: ReadonlyArray<string>): Sent => {
  const valuesOf = (flag: string) => words.flatMap((word, index) => (words[index - 1] === flag ? [word] : []))
  return {
    url: words.find((word) => word.startsWith("https://")) ?? "",
    method: valuesOf("-X")[0] ?? "GET",
    headers: Object.fromEntries(valuesOf("-H").map((header) => header.split(": ") as [string, string])),
    body: valuesOf("-d")[0] ?? ""
  }
}

describe("the requests of the examples", () => {
  it("are in three languages for every operation", () => {
    for (const [id, example] of entries) {
      const requests = exampleRequests(example, session)
      expect([id, requests.map(({ label }) => label)]).toEqual([id, ["curl", "TypeScript", "Command line"]])
      expect([id, requests.filter(({ code }) => code === "")]).toEqual([id, []])
    }
  })

  it("are sent by curl as recorded, with the credential", () => {
    const sent = curlArguments(entries.map(([, example]) => codeOf(example, "curl")).join("\n")).map(sentByCurl)
    expect(sent.length).toBe(entries.length)
    for (const [index, [id, example]] of entries.entries()) {
      const request = sent[index] as Sent
      expect([id, received(request)]).toEqual([id, expected(example)])
      expect(request.headers["authorization"]).toBe("Bearer the-token")
    }
  })

  it("call fetch where the client has no method, with the request as recorded", async () => {
    const withoutMethod = entries.filter(([, { typescript }]) => typescript === undefined)
    expect(withoutMethod.length).toBeGreaterThan(20)
    for (const [id, example] of withoutMethod) {
      let sent: Sent | undefined
      const fetch = (url: string, options: Partial<Sent> = {}) => {
        sent = { url, method: "GET", headers: {}, body: "", ...options }
      }
      const environment = { env: { ORGPLANE_TOKEN: "the-token" } }
      await runInNewContext(`(async () => { ${codeOf(example, "TypeScript")} })()`, { fetch, process: environment })
      expect([id, received(sent as Sent)]).toEqual([id, expected(example)])
      expect(sent?.headers["authorization"]).toBe("Bearer the-token")
    }
  })

  it("write the input of a command to a file before the command", () => {
    const command = codeOf(examples["roles.create"] as ExampleWithCalls, "Command line")
    const [first, ...rest] = command.split("\n")
    expect(first).toBe("cat > request.json <<'EOF'")
    expect(rest.slice(-2)).toEqual(["EOF", "orgplane roles create --input request.json"])
    expect(JSON.parse(rest.slice(0, -2).join("\n"))).toEqual(examples["roles.create"]?.request.body)
  })

  it("encode a form, and write it to a file of its own kind", () => {
    const formType = "application/x-www-form-urlencoded"
    const example: ExampleWithCalls = {
      request: { method: "POST", path: "/v1/a", headers: { "content-type": formType }, body: { a: "1 &", b: "é" } },
      response: { status: 200 }
    }
    const body = "a=1+%26&b=%C3%A9"
    expect(codeOf(example, "curl")).toContain(`-H 'content-type: ${formType}' \\\n  -d '${body}'`)
    expect(codeOf(example, "TypeScript")).toContain(`body: "${body}"`)
    expect(codeOf(example, "Command line")).toBe(
      `cat > request.txt <<'EOF'\n${body}\nEOF\norgplane api POST /v1/a --header 'content-type: ${formType}' --input request.txt`
    )
  })

  it("use the credential that the operation accepts", () => {
    const example: ExampleWithCalls = { request: { method: "GET", path: "/v1/a" }, response: { status: 200 } }
    expect(exampleRequests(example, undefined).map(({ code }) => code)).toEqual([
      "curl 'https://orgplane.example/v1/a'",
      'const response = await fetch("https://orgplane.example/v1/a")',
      "orgplane api GET /v1/a"
    ])
    const withKey = exampleRequests(example, [{ apiKey: [] }])
    expect(withKey[0]?.code).toContain('-H "x-api-key: $ORGPLANE_API_KEY"')
    expect(withKey[1]?.code).toContain('"x-api-key": process.env.ORGPLANE_API_KEY')
  })

  it("show the status, the headers and the body of the response", () => {
    const request = { method: "GET", path: "/v1/a" }
    expect(exampleResponse({ request, response: { status: 204 } })).toBe("HTTP 204")
    expect(exampleResponse({ request, response: { status: 200, headers: { etag: '"1"' }, body: { ok: true } } })).toBe(
      'HTTP 200\netag: "1"\n\n{\n  "ok": true\n}'
    )
    expect(shortened("a".repeat(200))).toBe(`${"a".repeat(100)}…`)
  })
})
