/** `--json`, `--jq` and `--template` against prepared responses. */
import { expect, it } from "vitest"
import { ran, serve } from "./harness.ts"

const created = { item: { id: "key_1", name: "CI" }, key: "opk_secret" }
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
  [["--json", ","], "--json requires the names of fields"]
] as const)("sends nothing if %j is not valid", async (flags, problem) => {
  const { seen, url } = await creating()
  const { code, err, out } = await ran([...create, ...flags], { url })
  expect([code, out, err]).toEqual([2, "", expect.stringContaining(problem)])
  expect(seen).toEqual([])
})

it.each([
  [["--json", "nmae"], "Unknown field: nmae. Fields: item, key."],
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
