import { describe, expect, it } from "vitest"
import { ran, serve, spawned } from "./harness.ts"

const failing = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  serve({ "GET /v1/plugins/plg_1": { status, body, headers } })

describe("exit codes", () => {
  const statuses: ReadonlyArray<readonly [status: number, body: unknown, code: number, said: string]> = [
    [
      400,
      { error: "invalid_request", details: [] },
      1,
      "orgplane: The request is invalid. (invalid_request, request req_1)\n"
    ],
    [
      401,
      { error: "unauthorized" },
      4,
      "orgplane: Not signed in, or the credential is not valid. Run 'orgplane login'. (unauthorized, request req_1)\n"
    ],
    [
      402,
      { error: "enterprise_plan_required", feature: "sso", message: "Not in the plan." },
      6,
      "orgplane: Not in the plan. (enterprise_plan_required, request req_1)\n"
    ],
    [
      403,
      { message: "You may not.", reason: "permission_required" },
      6,
      "orgplane: You may not. (permission_required, request req_1)\n"
    ],
    [
      404,
      { error: "plugin_not_found", message: "No such plugin." },
      3,
      "orgplane: No such plugin. (plugin_not_found, request req_1)\n"
    ],
    [
      409,
      { error: "plugin_exists", message: "There is one." },
      5,
      "orgplane: There is one. (plugin_exists, request req_1)\n"
    ],
    [
      412,
      { error: "precondition_failed", message: "It changed." },
      5,
      "orgplane: It changed. (precondition_failed, request req_1)\n"
    ],
    [429, { error: "rate_limited", message: "Too many." }, 7, "orgplane: Too many. (rate_limited, request req_1)\n"],
    [500, { error: "internal_error", message: "Ours." }, 1, "orgplane: Ours. (internal_error, request req_1)\n"]
  ]
  it.each(statuses)("maps the status %i to its exit code and message", async (status, body, code, message) => {
    const { url } = await failing(status, body)
    expect(await ran(["plugins", "get", "plg_1"], { url })).toMatchObject({ code, out: "", err: message })
  })
  it("exits with 8 if the server is unreachable", async () => {
    const { code, err } = await ran(["plugins", "get", "plg_1"], { url: "http://127.0.0.1:9" })
    expect([code, err]).toEqual([8, expect.stringMatching(/^orgplane: Cannot reach the server: /)])
  })
  it("exits with 4 without a credential, before sending anything", async () => {
    const { seen, url } = await failing(200, {})
    expect(await ran(["plugins", "get", "plg_1"], { url, token: "" })).toMatchObject({ code: 4 })
    expect(seen).toEqual([])
  })
  it("exits with 4 if no server is configured", async () => {
    expect(await ran(["plugins", "list"])).toMatchObject({
      code: 4,
      err: expect.stringContaining("orgplane login") as string
    })
  })
  it("exits with 1 and prints the response if the operation declares a failure status", async () => {
    const body = { status: "not_ready", checks: { database: "failed", queue: "ok" } }
    const { url } = await serve({ "GET /v1/ready": { status: 503, body } })
    expect(await ran(["system", "ready", "-o", "json"], { url, token: "" })).toMatchObject({
      code: 1,
      out: `${JSON.stringify(body)}\n`
    })
  })
})

describe("error output", () => {
  const body = {
    error: "invalid_request",
    details: [
      { path: ["query", "limit"], message: "expected a value between 1 and 100" },
      { path: ["body", "input", 0], message: "is missing" }
    ]
  }
  it("lists every validation error with its path", async () => {
    const { url } = await failing(400, body)
    expect((await ran(["plugins", "get", "plg_1"], { url })).err.split("\n").slice(1, 3)).toEqual([
      "  query.limit: expected a value between 1 and 100",
      "  body.input.0: is missing"
    ])
  })
  it("prints one JSON object to stderr with -o json", async () => {
    const { url } = await failing(400, body)
    const { code, err, out } = await spawned(["plugins", "get", "plg_1", "-o", "json"], { url })
    expect([code, out, err.trim().split("\n").length]).toEqual([1, "", 1])
    expect(JSON.parse(err)).toEqual({
      error: "invalid_request",
      message: "The request is invalid.",
      status: 400,
      requestId: "req_1",
      details: body.details
    })
  })
  it("never contains the credential, even with --debug", async () => {
    const { url } = await failing(401, { error: "unauthorized" })
    const { err } = await ran(["--debug", "plugins", "get", "plg_1"], { url, token: "ops_verysecret" })
    expect(err).toMatch(/^orgplane: GET \/v1\/plugins\/plg_1 401 \d+ms req_1\n/)
    expect(err).not.toContain("verysecret")
  })
  it("never contains the token of a marketplace link, which is part of the path", async () => {
    const { url } = await failing(404, { error: "marketplace_link_not_found" })
    const token = `opl_${"x".repeat(49)}`
    const { err } = await ran(["--debug", "api", "GET", `/v1/marketplace-links/${token}/marketplace.json`], {
      url,
      token: "ops_x"
    })
    expect(err).toMatch(/^orgplane: GET \/v1\/marketplace-links\/opl_redacted\/marketplace\.json 404 /)
    expect(err).not.toContain(token)
  })
  it("does not print a token with characters that are not allowed in a header", async () => {
    const { url } = await failing(200, {})
    const { code, err } = await ran(["plugins", "get", "plg_1"], { url, token: "ops_very\nsecret" })
    expect([code, err.includes("secret")]).toEqual([2, false])
  })
})

describe("destructive commands", () => {
  const counts = { deletedConfigObjectCount: 3, deletedConnectorMappingCount: 1, removedConnectorInstanceId: "cin_1" }
  const removing = () => serve({ "POST /v1/connector-instances/cin_1/remove": { body: { ok: true, item: counts } } })
  it("fails in a pipe without --yes", async () => {
    const { seen, url } = await removing()
    expect(await spawned(["connectors", "remove", "cin_1"], { url })).toMatchObject({
      code: 2,
      out: "",
      err: "orgplane: Remove cin_1 and everything imported through it? Cannot prompt without a terminal. Use --yes to confirm.\n"
    })
    expect(seen).toEqual([])
  })
  it("runs with --yes and prints the counts", async () => {
    const { url } = await removing()
    expect(await ran(["connectors", "remove", "cin_1", "-y", "-o", "json"], { url })).toMatchObject({
      code: 0,
      out: `${JSON.stringify({ ok: true, item: counts })}\n`
    })
  })
  it("asks for confirmation on a terminal, and only accepts yes", async () => {
    const { seen, url } = await removing()
    for (const typed of ["", "no", "yet"]) {
      expect(await ran(["connectors", "remove", "cin_1"], { url, columns: 80, typed: [typed] })).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringContaining("[y/N] Canceled. Nothing was changed.") as string
      })
    }
    expect(seen).toEqual([])
    const yes = await ran(["connectors", "remove", "cin_1"], { url, columns: 80, typed: ["y"] })
    expect(yes.code).toBe(0)
    expect(yes.out).toContain("3")
    expect(seen).toHaveLength(1)
  })
})
