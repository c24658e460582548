/** The warning about a deprecated operation. */
import { expect, it } from "vitest"
import { ran, serve } from "./harness.ts"

const headers = {
  deprecation: "@1793491200",
  sunset: "Sat, 01 May 2027 00:00:00 GMT",
  link: '</openapi.json#operation/notes.get>; rel="successor-version"'
}
const line = "orgplane: warning: This operation is deprecated and works until 2027-05-01. Use notes.get instead.\n"

const plugin = { id: "plg_01h455vb4pex5vsknk084sn02q", name: "Review" }
const deprecated = () =>
  serve({
    "GET /v1/plugins": ({ path }) => ({
      body: { items: [plugin], nextCursor: path.includes("cursor=next") ? null : "next" },
      headers
    }),
    [`GET /v1/plugins/${plugin.id}`]: { status: 404, body: { error: "plugin_not_found", message: "No." }, headers }
  })

it("is one line on standard error, for all pages, and leaves every format of the output as it is", async () => {
  const { url } = await deprecated()
  for (const format of ["json", "ndjson", "yaml"]) {
    const { code, err, out } = await ran(["plugins", "list", "--all", "-o", format], { url })
    expect([format, code, err]).toEqual([format, 0, line])
    expect(out).not.toContain("deprecated")
    if (format === "json") expect(JSON.parse(out)).toMatchObject({ items: [plugin, plugin] })
  }
  const selected = await ran(["plugins", "list", "--all", "--jq", ".[].name"], { url })
  expect([selected.code, selected.err, selected.out]).toEqual([0, line, "Review\nReview\n"])
})

it("is printed before the error of a failed command", async () => {
  const { url } = await deprecated()
  const { code, err, out } = await ran(["plugins", "get", plugin.id], { url })
  expect([code, out, err.startsWith(line), err.split("deprecated").length]).toEqual([3, "", true, 2])
})

it("is not printed with --quiet", async () => {
  const { url } = await deprecated()
  const { code, err, out } = await ran(["plugins", "list", "--quiet"], { url })
  expect([code, err, out]).toEqual([0, "", `${plugin.id}\n`])
  expect(await ran(["api", "GET", "/v1/plugins", "--quiet"], { url })).toMatchObject({ code: 0, err: "" })
})

it("is printed once by orgplane api, also with --paginate", async () => {
  const { url } = await deprecated()
  const { code, err, out } = await ran(["api", "GET", "/v1/plugins", "--paginate"], { url })
  expect([code, err]).toEqual([0, line])
  for (const text of out.trimEnd().split("\n")) expect(JSON.parse(text)).toMatchObject({ items: [plugin] })
})
