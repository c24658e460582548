/** `--json`, `--jq` and `--template` against prepared responses. */
import { describe, expect, it, vi } from "vitest"
import { ran, serve, start } from "./harness.ts"

const created = { apiKey: { id: "key_1", name: "CI" }, key: "opk_secret" }
const creating = () => serve({ "POST /v1/api-keys": { status: 201, body: created } })
const create = ["api-keys", "create", "--name", "CI", "--permission", "plugins:read"]

it.each([
  [["--jq", ".key["], "--jq: syntax error"],
  [["--jq", "nope"], "--jq: nope/0 is not defined"],
  [["--jq", ""], "--jq: Top-level program not given"],
  [["--template", "{{.key"], "no closing braces"],
  [["--template", "{{if .absent}}{{nope .key}}{{end}}"], "'nope' is not a function"],
  [["--template", "{{if .absent}}{{join .key}}{{end}}"], "'join' has too few arguments"],
  [["--template", "{{json .key .id}}"], "'json' has too many arguments"],
  [["--template", "{{if .a .b}}x{{end}}"], "must have one field"],
  [["--template", '{{.key "}}'], "no closing quotation mark"],
  [["--json", ","], "--json requires the names of fields"],
  [["--json", "nmae,key"], "Unknown field: nmae. Fields: apiKey, key."]
] as const)("sends nothing if %j is not valid", async (flags, problem) => {
  const { seen, url } = await creating()
  const { code, err, out } = await ran([...create, ...flags], { url })
  expect([code, out, err]).toEqual([2, "", expect.stringContaining(problem)])
  expect(seen).toEqual([])
})

it.each([
  [["--json", "apiKey.nmae"], "Unknown field: apiKey.nmae. Fields: apiKey, key."],
  [["--jq", '.key | error("unexpected")'], "unexpected"],
  [["--jq", ".key.value"], "Cannot index string"]
] as const)("prints the whole response to a write if %j does not fit it", async (flags, problem) => {
  const { seen, url } = await creating()
  const { code, err, out } = await ran([...create, ...flags], { url })
  expect([code, JSON.parse(out), seen.length]).toEqual([1, created, 1])
  expect(err).toContain("The operation was completed, but its output could not be selected.")
  expect(err).toContain(problem)
})

it("prints all results of a batch if the selection does not fit them", async () => {
  const invitation = { id: "inv_1", email: "ada@acme.example", role: "member" }
  const { url } = await serve({ "POST /v1/invitations": { status: 201, body: { invitation, link: null } } })
  const invite = ["members", "invite", "ada@acme.example", "bob@acme.example", "--json", "nmae"]
  const { code, out } = await ran(invite, { url })
  expect([code, (JSON.parse(out) as { readonly results: ReadonlyArray<unknown> }).results.length]).toEqual([1, 2])
})

it("prints nothing if the selection does not fit the response to a read", async () => {
  const { url } = await serve({ "GET /v1/plugins/plg_1": { body: { item: { id: "plg_1" } } } })
  const { code, out } = await ran(["plugins", "get", "plg_1", "--jq", ".id.name"], { url })
  expect([code, out]).toEqual([2, ""])
})

it("stops a filter that does not terminate on Ctrl+C", async () => {
  const { seen, url } = await serve({ "GET /v1/plugins": { body: { items: [], nextCursor: null } } })
  const { child, ended } = start(["plugins", "list", "--jq", "def f: f; f"], { url })
  await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 60_000 })
  // The response has arrived when the filter runs.
  await new Promise((resolve) => setTimeout(resolve, 500))
  child.kill("SIGINT")
  expect(await ended).toEqual({ code: 130, out: "", err: "" })
})

it("prints the whole response to a write if Ctrl+C stops the filter", async () => {
  const { seen, url } = await creating()
  const { child, ended } = start([...create, "--jq", "def f: f; f"], { url })
  await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 60_000 })
  await new Promise((resolve) => setTimeout(resolve, 500))
  child.kill("SIGINT")
  const { code, out } = await ended
  expect([code, JSON.parse(out)]).toEqual([130, created])
})

it.each([
  ["-1", "-1\n"],
  ["--arg", undefined],
  [".[0].id # the first", "plg_1\n"],
  [".[] | select(false)", ""]
] as const)("runs the filter %j as it is", async (filter, result) => {
  const { url } = await serve({ "GET /v1/plugins": { body: { items: [{ id: "plg_1" }], nextCursor: null } } })
  const { code, out } = await ran(["plugins", "list", `--jq=${filter}`], { url })
  expect([code, out]).toEqual(result === undefined ? [2, ""] : [0, result])
})

it("fails if the filter fails after its first results", async () => {
  const items = [
    { id: "plg_1", name: { first: "A" } },
    { id: "plg_2", name: "B" }
  ]
  const { url } = await serve({ "GET /v1/plugins": { body: { items, nextCursor: null } } })
  const { code, err, out } = await ran(["plugins", "list", "--jq", ".[].name.first"], { url })
  expect([code, out, err]).toEqual([2, "", 'orgplane: --jq: Cannot index string with string "first"\n'])
})

describe("orgplane api", () => {
  const pages = () =>
    serve({
      "GET /v1/plugins": ({ path }) =>
        path.includes("cursor=")
          ? { body: { items: [{ id: "plg_2", name: "B" }], nextCursor: null } }
          : { body: { items: [{ id: "plg_1", name: "A" }], nextCursor: "c1" } },
      "POST /v1/api-keys": { status: 201, body: created },
      "GET /v1/text": { body: "no JSON" },
      "POST /v1/text": { body: "no JSON" },
      "DELETE /v1/plugins/plg_1": { status: 204 }
    })

  it.each([
    [["--json", "nextCursor"], '{"nextCursor":"c1"}\n'],
    [["--jq", ".items[].name"], "A\n"],
    [["--template", "{{range .items}}{{.id}}{{end}}"], "plg_1\n"],
    [["--paginate", "--jq", ".items[].name"], "A\nB\n"]
  ] as const)("prints what %j selects of the response, or of each page", async (flags, result) => {
    const { url } = await pages()
    expect(await ran(["api", "GET", "/v1/plugins", ...flags], { url })).toMatchObject({ code: 0, out: result, err: "" })
  })

  it("prints nothing for a response without a body, and the whole error of a request that fails", async () => {
    const { url } = await pages()
    const removed = await ran(["api", "DELETE", "/v1/plugins/plg_1", "--jq", ".id"], { url })
    expect([removed.code, removed.out]).toEqual([0, ""])
    const absent = await ran(["api", "GET", "/v1/absent", "--jq", ".id"], { url })
    expect([absent.code, JSON.parse(absent.out)]).toMatchObject([3, { error: "route_not_found" }])
  })

  it("sends nothing with a filter that is not valid, and prints the whole response to a write that it does not fit", async () => {
    const { seen, url } = await pages()
    expect((await ran(["api", "POST", "/v1/api-keys", "--jq", ".key["], { url })).code).toBe(2)
    expect(seen).toEqual([])
    const { code, out } = await ran(["api", "POST", "/v1/api-keys", "--jq", ".key.value"], { url })
    expect([code, JSON.parse(out)]).toEqual([1, created])
  })

  it("fails for a response that is not JSON", async () => {
    const { url } = await pages()
    const read = await ran(["api", "GET", "/v1/text", "--jq", ".id"], { url })
    expect([read.code, read.out, read.err]).toEqual([2, "", expect.stringContaining("require a JSON response")])
    const write = await ran(["api", "POST", "/v1/text", "--jq", ".id"], { url })
    expect([write.code, write.out]).toEqual([1, '"no JSON"\n'])
  })
})

describe("fields and templates", () => {
  const rows = [
    { id: "plg_1", name: "A", marketplaces: [], latestVersion: null },
    {
      id: "plg_2",
      name: "B",
      marketplaces: [
        { id: "mkt_1", name: "Public" },
        { id: "mkt_2", name: "Internal" }
      ],
      latestVersion: { ordinal: 2, createdAt: "2026-01-15T09:30:00.000Z" },
      extension: { kind: "x" }
    }
  ]
  const list = async (...flags: ReadonlyArray<string>) => {
    const { url } = await serve({ "GET /v1/plugins": { body: { items: rows, nextCursor: null } } })
    return ran(["plugins", "list", ...flags], { url })
  }

  it.each([
    [
      "name,marketplaces.name",
      [
        { name: "A", marketplaces: [] },
        { name: "B", marketplaces: [{ name: "Public" }, { name: "Internal" }] }
      ]
    ],
    ["latestVersion.ordinal", [{ latestVersion: { ordinal: null } }, { latestVersion: { ordinal: 2 } }]],
    ["marketplaces.id,marketplaces", [{ marketplaces: [] }, { marketplaces: rows[1]?.marketplaces }]],
    // Only some rows have it.
    ["extension.kind", [{ extension: { kind: null } }, { extension: { kind: "x" } }]]
  ])("selects --json %s, also from the objects in a list", async (fields, result) => {
    const { code, err, out } = await list("--json", fields)
    expect([code, err, JSON.parse(out)]).toEqual([0, "", result])
  })

  it.each(["marketplaces.nmae", "name.first", "name."])("rejects --json %s", async (field) => {
    expect(await list("--json", field)).toMatchObject({ code: 2, out: "" })
  })

  it("chooses the first branch of a template that is true", async () => {
    const template = "{{range .}}{{if .latestVersion}}v{{else if .name}}{{.name}}{{else}}none{{end}} {{end}}"
    expect(await list("--template", template)).toMatchObject({ code: 0, out: "A v \n" })
    const long = "{{range .}}{{if .absent}}1{{else if .latestVersion}}2{{else if .absent}}3{{else}}4{{end}}{{end}}"
    expect(await list("--template", long)).toMatchObject({ code: 0, out: "42\n" })
  })

  it.each([
    ["{{range .}}{{.marketplaces.name}}{{end}}", "a field of the objects in a list"],
    ["{{.name}}", "a field of the objects in a list"],
    ["{{range .}}{{.name.first}}{{end}}", "is not a field"],
    ["{{if .}}a{{else foo}}b{{end}}", "{{else foo}} is not supported here"],
    ["{{if .}}a{{end if}}", "{{end if}} is not supported here"],
    ["{{range .}}a{{else if .}}b{{end}}", "{{else if .}} is not supported here"],
    ["{{if .}}a{{else if}}b{{end}}", "must have one field"],
    ["{{if .}}a{{else}}b{{else}}c{{end}}", "has no {{end}}"],
    ["{{if .}}a{{else if .}}b", "has no {{end}}"],
    ["{{else if .}}", "outside a block"]
  ])("rejects the template %s", async (template, problem) => {
    const { code, err, out } = await list("--template", template)
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(problem)])
  })
})
