import { describe, expect, it } from "vitest"
import { readLines } from "../src/batch-lines.ts"
import { durationMillis, timestampOf } from "../src/timestamp.ts"
import { chain } from "../src/output/access-explanation.ts"
import { ran, serve } from "./harness.ts"

const plain = { unicode: false, colors: false }
const explanation = (more: object) => ({
  explanation: { allowed: true, level: "viewer", needed: "viewer", paths: [], missing: null, ...more }
})
const path = {
  level: "viewer",
  steps: [
    { kind: "member", id: "om_1", label: "Ada" },
    { kind: "team", id: "tem_1", label: "Platform" },
    { kind: "grant", id: "mag_1", label: "viewer" },
    { kind: "marketplace", id: "mkt_1", label: "Acme" },
    { kind: "plugin", id: "plg_1", label: "Reviewer" },
    { kind: "object", id: "cob_1", label: "review" }
  ]
}

describe("an access explanation", () => {
  it("shows the path from the member over team, grant, marketplace and plugin to the object", () => {
    expect(chain(explanation({ paths: [path] }), { ...plain, unicode: true }).split("\n")).toEqual([
      "✓ allowed: needs viewer, has viewer",
      "",
      "as viewer",
      "  member Ada om_1",
      "  └─▶ team Platform tem_1",
      "     └─▶ grant viewer mag_1",
      "        └─▶ marketplace Acme mkt_1",
      "           └─▶ plugin Reviewer plg_1",
      "              └─▶ object review cob_1"
    ])
  })
  it("is plain ASCII without Unicode support", () => {
    const missing = 'No grant on the plugin "Reviewer" applies to you.'
    const drawn = chain(explanation({ allowed: false, level: null, paths: [path], missing }), plain)
    expect(drawn).toMatch(/^[\n -~]+$/)
    expect(drawn).toContain('missing: No grant on the plugin "Reviewer" applies to you.')
    expect(drawn).toContain("x not allowed: needs viewer, has no access")
  })
  it("names a missing permission as the cause when the access level is sufficient", async () => {
    const missing = "No grant is of use to Ada without the permission plugins:read."
    const denied = explanation({ allowed: false, paths: [path], missing })
    const request = { body: { object: { kind: "plugin", id: "plg_1" } } }
    const drawn = chain(denied, plain, request)
    expect(drawn.split("\n")[0]).toBe("x not allowed: needs the permission plugins:read (access level: viewer)")
    expect(drawn).toContain(`missing: ${missing}`)
    const { url } = await serve({ "POST /v1/access/explain": { body: denied } })
    const { out } = await ran(["access", "explain", "plg_1"], { url })
    expect(out).toMatch(/^x not allowed: needs the permission plugins:read/)
  })
  it("does not guess which permission is missing", () => {
    const denied = explanation({ allowed: false, level: "manager", missing: "Something else is missing." })
    const [headline] = chain(denied, plain, { body: { object: { kind: "plugin", id: "plg_1" } } }).split("\n")
    expect(headline).toBe("x not allowed: a permission is missing (access level: manager)")
  })
  it("names the missing level as the cause when it is too low", () => {
    const denied = explanation({ allowed: false, needed: "manager", missing: "Required: a grant with manager access." })
    expect(chain(denied, plain).split("\n")[0]).toBe("x not allowed: needs manager, has viewer")
  })
  it("shows hidden steps without a name or an ID", () => {
    const steps = [path.steps[0], { kind: "hidden", id: null, label: "Something you cannot see" }, path.steps[5]]
    expect(chain(explanation({ paths: [{ level: "viewer", steps }] }), plain)).toContain(
      "\n  `-> (Something you cannot see)\n     `-> object review cob_1"
    )
  })
  it("escapes control characters in names", () => {
    const steps = [{ kind: "team\u001b[2J", id: "tem_1", label: "a\n  `-> owner\u202e\u009b31m" }]
    const drawn = chain(explanation({ paths: [{ level: "viewer", steps }], missing: "\u001b]52;c;eA==\u0007" }), plain)
    // oxlint-disable-next-line no-control-regex
    expect(drawn).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(drawn.split("\n")).toHaveLength(6)
  })
  it.each([
    ["a terminal that speaks UTF-8", { LANG: "en_US.UTF-8" }, [], "└─▶ "],
    ["another locale", { LANG: "C" }, [], "`-> "],
    ["NO_COLOR", { LANG: "en_US.UTF-8", NO_COLOR: "1" }, [], "`-> "],
    ["--no-color", { LANG: "en_US.UTF-8" }, ["--no-color"], "`-> "]
  ])("uses the right characters for %s", async (_, env, flags, arrow) => {
    const { url } = await serve({ "POST /v1/access/explain": { body: explanation({ paths: [path] }) } })
    const { out } = await ran(["access", "explain", "cob_1", ...flags], { url, columns: 80, env })
    expect(out).toContain(`  ${arrow}team Platform tem_1\n`)
  })
  it("derives the kind of an object from its ID", async () => {
    const { seen, url } = await serve({ "POST /v1/access/explain": { body: explanation({}) } })
    await ran(["access", "explain", "mkt_1"], { url })
    await ran(["access", "explain", "cob_1", "--member", "om_1", "--action", "edit"], { url })
    expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { action: "view", object: { kind: "marketplace", id: "mkt_1" } },
      { action: "edit", orgMembershipId: "om_1", object: { kind: "configObject", id: "cob_1" } }
    ])
    for (const argv of [["usr_01h455vb4pex5vsknk084sn02q"], []])
      expect(await ran(["access", "explain", ...argv], { url })).toMatchObject({ code: 2 })
    expect(seen).toHaveLength(2)
  })
})

describe("a duration", () => {
  it.each([
    ["30s", 30_000],
    ["30m", 1_800_000],
    ["12h", 43_200_000],
    ["90d", 7_776_000_000],
    ["2w", 1_209_600_000],
    ["1d12h", 129_600_000]
  ])("of %s is %i ms", (text, millis) => {
    expect(durationMillis(text)).toBe(millis)
    expect(timestampOf(text, "future", 1_000)).toBe(new Date(1_000 + millis).toISOString())
    expect(timestampOf(text, "past", millis)).toBe("1970-01-01T00:00:00.000Z")
  })
  it.each(["90", "90 days", "90D", "1y", "0d", "999999999w", "40000d"])("cannot be %j", (text) => {
    expect(() => timestampOf(text, "future", 0)).toThrow(`'${text}'`)
  })
  it("is not confused with a time, which is sent unchanged", () => {
    for (const text of ["2026-03-01T09:30:00Z", "2026-03-01T09:30:00+02:00", "tomorrow"]) {
      expect(timestampOf(text, "future", 0)).toBe(text)
    }
  })
})

describe("lines of a batch", () => {
  const columns = ["email", "role"]
  const read = (text: string) => readLines(text, columns)
  it("are CSV with or without a header, in any order of columns", () => {
    const both = [{ line: 1, value: { email: "a@b.c", role: "admin" } }]
    expect(read("a@b.c,admin\n")).toEqual(both)
    expect(read("\ufeffRole,Email\r\nadmin,a@b.c\r\n")).toEqual([{ ...both[0], line: 2 }])
    expect(read('# who\n\n"a@b.c" , "ad""min,"')).toEqual([{ line: 3, value: { email: "a@b.c", role: 'ad"min,' } }])
    expect(read("a@b.c\nd@e.f,")).toEqual([
      { line: 1, value: { email: "a@b.c" } },
      { line: 2, value: { email: "d@e.f" } }
    ])
  })
  it("have no header if a cell of the first line is not a column name", () => {
    expect(read("a@b.c,role\nd@e.f,admin")).toEqual([
      { line: 1, value: { email: "a@b.c", role: "role" } },
      { line: 2, value: { email: "d@e.f", role: "admin" } }
    ])
  })
  it("are JSON objects if the first line is one", () => {
    expect(read('{"email":"a@b.c"}\n[1]\n{\n')).toEqual([
      { line: 1, value: { email: "a@b.c" } },
      { line: 2, error: "is not a JSON object" },
      { line: 3, error: "is not a JSON object" }
    ])
  })
  it("have individual errors, and an invalid line does not stop the others", () => {
    expect(read('"a@b.c\na,b,c\nd@e.f').map((each) => ("error" in each ? each.error : each.value))).toEqual([
      "has an unclosed quote",
      "has more than 2 columns",
      { email: "d@e.f" }
    ])
  })
  it("are limited in number and cannot be empty", () => {
    expect(() => read("\n\n")).toThrow("The input has no lines.")
    expect(() => read("a@b.c\n".repeat(10_001))).toThrow("10001")
  })
})
