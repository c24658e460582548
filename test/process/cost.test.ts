/** Requests that once crashed or blocked the process: each is rejected or served, and the process keeps running. */
import { expect, it } from "vitest"
import { ask, makeDataDir, makeWorkspace, startServer } from "./server.fixture.ts"

const heap = { NODE_OPTIONS: "--max-old-space-size=512" }

it("rejects a template whose placeholders would expand beyond the heap, from an anonymous agent", async () => {
  const server = await startServer({ ...heap, ORGPLANE_DATA_DIR: makeDataDir() })
  const token = await makeWorkspace(server.baseUrl)
  // Each placeholder was replaced by a word longer than the longest run of "q" in the text.
  const rawSourceText = `b: z${"q".repeat(32_000)}\nc: '${"{{a}}".repeat(6_400)}'\n`
  const content = {
    plugin: { name: "P" },
    objects: Array.from({ length: 40 }, () => ({
      type: "custom",
      rawSourceText,
      metadata: { fileName: "f.yaml" }
    })),
    variables: [{ name: "a", label: "a" }]
  }
  const created = await ask(server.baseUrl, token, "POST", "/v1/templates", { name: "T", content })
  expect([created.status, created.body.error]).toEqual([400, "invalid_request"])
  expect(created.body.details).toHaveLength(40)
  expect(created.body.details[0]).toEqual({
    path: ["body", "content", "objects", 0, "rawSourceText"],
    message: "has more than 1000 placeholders in YAML"
  })
  const small = await ask(server.baseUrl, token, "POST", "/v1/templates", {
    name: "T",
    content: {
      ...content,
      objects: [{ ...content.objects[0], rawSourceText: `b: z${"q".repeat(32_000)}\nc: '{{a}}'\n` }]
    }
  })
  expect(small.status).toBe(201)
  const { id } = small.body.template
  const instantiated = await ask(server.baseUrl, token, "POST", `/v1/templates/${id}/instantiate`, {
    variables: { a: "x" }
  })
  expect(instantiated.status).toBe(201)
  const version = await ask(server.baseUrl, token, "POST", `/v1/templates/${id}/versions`, { content })
  expect(version.status).toBe(400)
  expect((await ask(server.baseUrl, undefined, "GET", "/v1/health")).status).toBe(200)
  server.signal("SIGTERM")
  expect((await server.ended).code).toBe(0)
}, 60_000)

it("rejects a body of more than 100000 values or 256 levels before it is parsed, on every endpoint", async () => {
  const server = await startServer({ ORGPLANE_DATA_DIR: makeDataDir() })
  const token = await makeWorkspace(server.baseUrl)
  const post = async (path: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${server.baseUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      body
    })
    return { status: response.status, body: await response.json() }
  }
  // Neither is valid JSON, so a parser would report that instead.
  const many = `{"name":"x","content":[${"1,".repeat(100_001)}`
  const deep = `{"name":"x","content":${"[".repeat(5000)}`
  for (const path of ["/v1/templates", "/v1/config-objects", "/v1/teams", "/v1/telemetry/ingest"]) {
    for (const [body, message] of [
      [many, "contains more than 100000 values"],
      [deep, "is nested deeper than 256 levels"]
    ] as const) {
      for (const headers of [{}, { "idempotency-key": `${path} ${message}` }]) {
        const refused = await post(path, body, headers)
        expect([path, refused.status, refused.body.details]).toEqual([path, 400, [{ path: ["body"], message }]])
      }
    }
  }
  const createResponse = await post("/v1/config-objects", JSON.stringify(list(90_000)))
  expect([createResponse.status, createResponse.body.details]).toEqual([201, undefined])
  server.signal("SIGTERM")
  await server.ended
}, 60_000)

const list = (values: number) => ({
  input: { type: "custom", normalizedPayloadJson: { list: Array.from({ length: values }, () => 1) } }
})
