import { describe, expect, it } from "vitest"
import { entra } from "../src/scim-conformance/entra.ts"
import { google } from "../src/scim-conformance/google.ts"
import { okta } from "../src/scim-conformance/okta.ts"
import { type Send, runSequences } from "../src/scim-conformance/run.ts"
import {
  absent,
  differencesFrom,
  having,
  lacking,
  present,
  testDomain,
  testName
} from "../src/scim-conformance/sequence.ts"
import { ran, type Reply, type Seen, serve } from "./harness.ts"

const token = { ORGPLANE_SCIM_TOKEN: "opd_test" }
const scim = { "content-type": "application/scim+json" }
const refused: Reply = {
  status: 501,
  body: { schemas: [], status: "501", detail: "Not\u001b[2J here." },
  headers: scim
}

describe("differences from an expected response", () => {
  it.each([
    [{ a: 1 }, { a: 1, b: 2 }, []],
    [{ a: { b: false } }, { a: { b: true } }, ["a.b: expected false, got true"]],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, ["a[1].b: expected 2, got 3"]],
    [[1], [1, 2], ["the response: expected 1 elements, got 2"]],
    [{ a: [] }, {}, ["a: expected a list, got nothing"]],
    [{ a: present }, { a: null }, ["a: expected a value, got null"]],
    [{ a: absent }, { a: [] }, []],
    [{ a: absent }, { a: [1] }, ["a: expected no value, got [1]"]],
    [{ a: having({ id: 1 }) }, { a: [{ id: 2 }, { id: 1, more: true }] }, []],
    [{ a: having({ id: 1 }) }, { a: [{ id: 2 }] }, ['a: expected a list with {"id":1}, got [{"id":2}]']],
    [{ a: lacking({ id: 1 }) }, {}, []],
    [{ a: lacking({ id: 1 }) }, { a: [{ id: 1 }] }, ['a: expected a list without {"id":1}, got [{"id":1}]']],
    [{ a: 1 }, "text", ['the response: expected an object, got "text"']]
  ])("compares the expected %j with %j", (expected, got, faults) => {
    expect(differencesFrom(expected, got)).toEqual(faults)
  })
})

describe("SCIM conformance sequences", () => {
  /** Accepts every request and records it. */
  const recorded = async (sequence: typeof okta) => {
    const seen: Array<Parameters<Send>[0]> = []
    let resourceCount = 0
    const outcome = await runSequences({
      sequences: [sequence],
      run: "run",
      send: async (request) => {
        seen.push(request)
        const status = request.method === "POST" ? 201 : request.method === "DELETE" ? 204 : 200
        return { status, contentType: "", body: status === 204 ? undefined : { id: `id ${resourceCount++}` } }
      }
    })
    return { seen, outcome }
  }

  it.each([okta, entra, google])(
    "only changes the test users and groups of the run in the sequence of $provider",
    async (sequence) => {
      const { seen } = await recorded(sequence)
      for (const { body, method, path } of seen) {
        if (method === "POST") {
          const name = (body as { readonly userName?: string; readonly displayName: string }).userName
          expect(name ?? (body as { readonly displayName: string }).displayName).toMatch(/^orgplane-conformance-run/i)
          if (name !== undefined) expect(name.toLowerCase()).toMatch(new RegExp(`@${testDomain}$`))
        } else if (method !== "GET") expect(path).toMatch(/^\/(?:Users|Groups)\/id%20\d+$/)
      }
      expect(JSON.stringify(seen)).toContain(testName)
    }
  )
  it("deactivates at most five users in one run, so that no hold is created", () => {
    const deactivations = [okta, entra, google].flatMap(({ steps }) =>
      steps.filter(({ title }) => /^(Deactivate|Suspend)\b/.test(title))
    )
    // In one of Google's steps the user is already inactive.
    expect(deactivations.length - 1).toBeLessThanOrEqual(5)
  })
  it("removes every created object, including those that should not have been created", async () => {
    const { outcome, seen } = await recorded(okta)
    expect(outcome.leftovers).toEqual([])
    const createCount = seen.filter(({ method }) => method === "POST").length
    expect(new Set(seen.flatMap(({ method, path }) => (method === "DELETE" ? [path] : []))).size).toBe(createCount)
  })
})

describe("scim conformance", () => {
  const okOf = (seen: Seen): Reply =>
    seen.method === "DELETE"
      ? { status: 500, body: {}, headers: scim }
      : seen.method === "POST"
        ? { status: 201, body: { id: "1" }, headers: scim }
        : refused
  const argv = (url: string) => ["scim", "conformance", "--url", url, "--provider", "google", "--yes"]

  it("reports unexpected responses, skipped steps and objects that could not be removed", async () => {
    const paths = ["/ServiceProviderConfig", "/ResourceTypes", "/Users"]
    const { url } = await serve({
      ...Object.fromEntries(paths.map((path) => [`GET ${path}`, refused])),
      "POST /Users": okOf,
      "DELETE /Users/1": okOf
    })
    const result = await ran([...argv(url), "--no-color"], { url, env: token, columns: 200 })
    expect(result.code).toBe(1)
    const lines = result.out.trimEnd().split("\n")
    expect(lines.slice(0, 3)).toEqual([
      "Google Workspace",
      "  failed  Read the service provider configuration  GET /ServiceProviderConfig 501",
      "      expected 200, got 501: Not\\u001b[2J here."
    ])
    expect(result.out).toContain("\n      userName: expected ")
    expect(lines.at(-2)).toBe("0 of 14 requests returned the expected response; 14 failed.")
    expect(lines.at(-1)).toBe("Not removed: /Users/1")
    expect(result.err).toContain(
      `The names of test objects start with ${testName}-0, and their email addresses end with @${testDomain}.`
    )
  })
  it("skips steps that need an object that could not be created", async () => {
    const { seen, url } = await serve({})
    const run = await ran([...argv(url), "-o", "json"], { url, env: token })
    const { ok, steps } = JSON.parse(run.out) as {
      readonly ok: boolean
      readonly steps: ReadonlyArray<{ readonly result: string }>
    }
    const skipped = steps.filter(({ result }) => result === "skipped").length
    expect([run.code, ok, skipped > 5]).toEqual([1, false, true])
    expect(seen).toHaveLength(steps.length - skipped)
    expect(seen.every(({ headers }) => headers.authorization === "Bearer opd_test")).toBe(true)
    expect(seen[0]?.headers["user-agent"]).toMatch(/^orgplane-cli\/\S+ \(as Google-Auto-Provisioning\)$/)
    expect(run.out).not.toContain("opd_test")
  })
  it("waits as long as the Retry-After header says", async () => {
    let requestCount = 0
    const { url } = await serve({
      "GET /ServiceProviderConfig": () =>
        ++requestCount < 3 ? { status: 429, headers: { "retry-after": "7" } } : refused
    })
    const result = await ran(argv(url), { url, env: token })
    expect([requestCount, result.out.split("\t")[5]]).toEqual([3, "501"])
  })
  it("asks for confirmation before using an existing directory, and sends nothing without a terminal", async () => {
    const { seen, url } = await serve({})
    expect((await ran(["scim", "conformance", "--url", url], { url, env: token })).code).toBe(2)
    expect(
      (await ran(["scim", "conformance", "--directory", "scd_1"], { url, env: token, columns: 80, typed: ["n"] })).code
    ).toBe(1)
    expect(seen).toHaveLength(0)
  })
  it("does not run in a directory with a pending hold", async () => {
    const directory = { id: "scd_1", baseUrl: "http://127.0.0.1:1/v1/scim/v2", pendingHoldId: "sch_1" }
    const { seen, url } = await serve({ "GET /v1/scim/directories/scd_1": { body: { directory } } })
    const result = await ran(["scim", "conformance", "--directory", "scd_1", "--yes"], { url, env: token })
    expect(result.code).toBe(5)
    expect(result.err).toContain("orgplane scim holds get scd_1 sch_1")
    expect(seen).toHaveLength(1)
  })
  it("removes its temporary directory and ends the memberships, even after a failure", async () => {
    const { seen, url } = await serve({
      "POST /v1/scim/directories": ({ headers }) => ({
        status: 201,
        body: { directory: { id: "scd_9", baseUrl: `http://${headers.host ?? ""}/v1/scim/v2` }, token: "opd_own" }
      }),
      "DELETE /v1/scim/directories/scd_9": { status: 204 }
    })
    expect((await ran(["scim", "conformance", "--provider", "entra"], { url })).code).toBe(1)
    expect(seen.at(-1)).toMatchObject({ method: "DELETE", path: "/v1/scim/directories/scd_9?members=end" })
    expect(seen[1]?.headers.authorization).toBe("Bearer opd_own")
  })
  it.each([
    ["--directory", "scd_1", "--url", "http://x"],
    ["--token", "-"],
    ["--url", "ftp://x", "--yes"],
    ["--provider", "nobody"]
  ])("rejects the flags %s %s %s", async (...more) => {
    const { seen, url } = await serve({})
    expect((await ran(["scim", "conformance", ...more], { url, env: token })).code).toBe(2)
    expect(seen).toHaveLength(0)
  })
})
