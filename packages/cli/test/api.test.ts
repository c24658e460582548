import { describe, expect, it } from "vitest"
import { ran, serve } from "./harness.ts"

/** Two pages. */
const pages = () =>
  serve({
    "GET /v1/plugins": ({ path }) => ({
      body: path.includes("cursor=next")
        ? { items: [{ id: "plg_2" }], nextCursor: null }
        : { items: [{ id: "plg_1" }], nextCursor: "next" }
    }),
    "GET /v1/turning": { body: { items: [], nextCursor: "again" } },
    "GET /v1/text": { body: "no page" },
    "POST /v1/plugins": { status: 409, body: { error: "conflict", message: "It exists." } }
  })

describe("api --paginate", () => {
  it("prints one document for each page, with the fields in every request", async () => {
    const { seen, url } = await pages()
    const { code, err, out } = await ran(["api", "GET", "/v1/plugins", "--paginate", "-f", "limit=1"], { url })
    expect([code, err]).toEqual([0, ""])
    expect(
      out
        .trimEnd()
        .split("\n")
        .flatMap((line) => (JSON.parse(line) as { items: Array<{ id: string }> }).items.map(({ id }) => id))
    ).toEqual(["plg_1", "plg_2"])
    expect(seen.map(({ path }) => path)).toEqual(["/v1/plugins?limit=1", "/v1/plugins?limit=1&cursor=next"])
  })

  it("ends if the server repeats a cursor, and rejects other methods and bodies", async () => {
    const { seen, url } = await pages()
    expect((await ran(["api", "GET", "/v1/turning", "--paginate"], { url })).code).toBe(0)
    expect(seen).toHaveLength(2)
    expect(await ran(["api", "POST", "/v1/plugins", "--paginate"], { url })).toMatchObject({
      code: 2,
      err: expect.stringContaining("--paginate requires a GET request.") as string
    })
    expect(await ran(["api", "GET", "/v1/text", "--paginate"], { url })).toMatchObject({
      code: 2,
      err: expect.stringContaining("--paginate requires an endpoint that returns a page as JSON.") as string
    })
  })
})

describe("api --include", () => {
  it("prints the status and the headers before the body, also of a failure", async () => {
    const { url } = await pages()
    const { code, out } = await ran(["api", "POST", "/v1/plugins", "-i"], { url })
    const [head, body] = out.split("\n\n")
    expect([code, head?.split("\n")[0]]).toEqual([5, "HTTP 409"])
    expect(head).toContain("x-request-id: req_1")
    expect(JSON.parse(body ?? "")).toEqual({ error: "conflict", message: "It exists." })
  })
})

it("prints a warning of the server on standard error, without control characters", async () => {
  const { url } = await serve({
    "POST /v1/plugins": { body: { ok: true }, headers: { "orgplane-warning": "Unknown fields were ignored: body.zz" } }
  })
  const { code, err } = await ran(["api", "POST", "/v1/plugins", "-f", "zz=1"], { url })
  expect([code, err]).toEqual([0, "orgplane: warning: Unknown fields were ignored: body.zz\n"])
})
