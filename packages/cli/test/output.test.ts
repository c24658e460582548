import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parse as parseYaml } from "yaml"
import { table } from "../src/output/table.ts"
import { escapeControls, escapeJson } from "../src/output/escape.ts"
import { truncate, width } from "../src/output/width.ts"
import { yaml } from "../src/output/yaml.ts"
import { overrides } from "../src/overrides/index.ts"
import { ran, serve } from "./harness.ts"

const rows = [
  { id: "plg_1", name: "レビュー", memberCount: 2, description: null, updatedAt: "2026-03-01T09:30:00.000Z" },
  { id: "plg_2", name: "Release notes", memberCount: 0, description: "a\tb", updatedAt: "2026-03-01T09:30:00.000Z" }
]
const page = { items: rows, nextCursor: null }
const listing = () => serve({ "GET /v1/plugins": { body: page } })

describe("a list", () => {
  it("is an aligned table on a terminal", async () => {
    const { url } = await listing()
    const { out } = await ran(["plugins", "list", "--no-color"], { url, columns: 100, now: "2026-03-01T12:00:00.000Z" })
    expect(out).toBe(
      [
        "ID     NAME           MEMBER COUNT  DESCRIPTION  UPDATED AT",
        "plg_1  レビュー       2             -            2 hours ago",
        "plg_2  Release notes  0             a\\tb         2 hours ago",
        ""
      ].join("\n")
    )
  })
  it("has the column of pending releases on a terminal only if there is one, and always in a pipe", async () => {
    const { url } = await serve({
      "GET /v1/plugins": {
        body: {
          items: [
            { ...rows[0], pendingReleaseId: null },
            { ...rows[1], pendingReleaseId: "rel_1" }
          ],
          nextCursor: null
        }
      }
    })
    const { out } = await ran(["plugins", "list", "--no-color"], { url, columns: 120, now: "2026-03-01T12:00:00.000Z" })
    expect(out.split("\n").slice(0, 3)).toEqual([
      "ID     NAME           MEMBER COUNT  DESCRIPTION  UPDATED AT   PENDING RELEASE ID",
      "plg_1  レビュー       2             -            2 hours ago  -",
      "plg_2  Release notes  0             a\\tb         2 hours ago  rel_1"
    ])
    const piped = await ran(["plugins", "list"], { url: (await listing()).url })
    expect(piped.out.split("\n").map((line) => line.split("\t").length)).toEqual([6, 6, 1])
  })
  it("fits into the width of the terminal", async () => {
    const { url } = await listing()
    const { out } = await ran(["plugins", "list", "--no-color"], { url, columns: 50 })
    for (const line of out.split("\n")) expect(width(line)).toBeLessThanOrEqual(50)
  })
  it.each([
    [
      100,
      [
        "ID                              NAME              MEMBER COUNT  DESCRIPTION               UPDATED AT",
        "plg_01h455vb4pex5vsknk084sn02q  Incident reviews  12            What happens after an i…  3 days ago"
      ]
    ],
    [
      80,
      [
        "ID                              NAME       MEMBER COUNT  DESCRIPTION  UPDATED AT",
        "plg_01h455vb4pex5vsknk084sn02q  Incident…  12            What happe…  3 days ago"
      ]
    ],
    [
      60,
      [
        "ID                              NAME            MEMBER COUNT",
        "plg_01h455vb4pex5vsknk084sn02q  Incident revi…  12"
      ]
    ],
    [30, ["ID                              NAME", "plg_01h455vb4pex5vsknk084sn02q  Inciden…"]]
  ])("never cuts an ID on a terminal of %d columns, and leaves out the last columns", async (columns, lines) => {
    const row = {
      id: "plg_01h455vb4pex5vsknk084sn02q",
      name: "Incident reviews",
      memberCount: 12,
      description: "What happens after an incident, from the first message to the review",
      updatedAt: "2026-03-01T09:30:00.000Z"
    }
    const { url } = await serve({ "GET /v1/plugins": { body: { items: [row], nextCursor: null } } })
    const { out } = await ran(["plugins", "list", "--no-color"], { url, columns, now: "2026-03-04T12:00:00.000Z" })
    expect(out.trimEnd().split("\n")).toEqual(lines)
  })
  it.each([
    [
      160,
      "CREATED AT  ACTION                  ACTOR KIND  ACTOR ID                       TARGET ID                       ADDRESS",
      "3 days ago  plugin.grant_access     session     om_01h455vb4pex5vsknk084sn02q  plg_01h455vb4pex5vsknk084sn02q  203.0.113.7",
      "3 days ago  connector.sync_started  system      -                              cin_01h455vb4pex5vsknk084sn02q  -"
    ],
    [
      80,
      "CREATED AT  ACTION                  ACTOR KIND  TARGET ID",
      "3 days ago  plugin.grant_access     session     plg_01h455vb4pex5vsknk084sn02q",
      "3 days ago  connector.sync_started  system      cin_01h455vb4pex5vsknk084sn02q"
    ],
    [50, "CREATED AT  ACTION", "3 days ago  plugin.grant_access", "3 days ago  connector.sync_started"]
  ])("shows the action and the target of audit events first, %d columns wide", async (columns, ...lines) => {
    const event = {
      createdAt: "2026-03-01T09:30:00.000Z",
      action: "plugin.grant_access",
      actorKind: "session",
      actorId: "om_01h455vb4pex5vsknk084sn02q",
      targetId: "plg_01h455vb4pex5vsknk084sn02q",
      address: "203.0.113.7"
    }
    const ofSystem = {
      ...event,
      action: "connector.sync_started",
      actorKind: "system",
      actorId: null,
      targetId: "cin_01h455vb4pex5vsknk084sn02q",
      address: null
    }
    const { url } = await serve({ "GET /v1/audit-events": { body: { items: [event, ofSystem], nextCursor: null } } })
    const { out } = await ran(["audit", "list", "--no-color"], { url, columns, now: "2026-03-04T12:00:00.000Z" })
    expect(out.trimEnd().split("\n")).toEqual(lines)
  })
  it("declares a priority only for columns that a table has", () => {
    for (const [id, { columns = [], priority = [] }] of Object.entries(overrides)) {
      expect([id, priority.filter((column) => !columns.includes(column))]).toEqual([id, []])
    }
  })
  it("shows every ID whole or not at all, and fits, for all widths and texts", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), fc.boolean()), {
          minLength: 1,
          maxLength: 5
        }),
        fc.integer({ min: 45, max: 200 }),
        (values, columns) => {
          const rows = values.map(([name, text, isShared], index) => ({
            name,
            id: `plg_${String(index).padStart(26, "0")}`,
            text,
            isShared,
            versionId: `cov_${String(index).padStart(26, "0")}`,
            createdAt: "2026-03-01T09:30:00.000Z"
          }))
          const style = { columns, colors: false, terminal: true, now: Date.parse("2026-03-04T12:00:00.000Z") }
          const lines = table(rows, Object.keys(rows[0] ?? {}), style).split("\n")
          for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns)
          for (const [index, { id }] of rows.entries()) expect(lines[index + 1]).toContain(id)
          for (const part of lines.join(" ").match(/\b(plg|cov)_\S*/g) ?? []) expect(part).toMatch(/^(plg|cov)_\d{26}$/)
        }
      )
    )
  })
  it("has absolute times in a pipe", async () => {
    const { url } = await listing()
    const { out } = await ran(["plugins", "list", "-o", "table"], { url, now: "2026-03-01T12:00:00.000Z" })
    expect(out).toContain("2026-03-01T09:30:00.000Z")
  })
  it("has a bold header on a terminal, but not with NO_COLOR", async () => {
    const { url } = await listing()
    expect((await ran(["plugins", "list"], { url, columns: 80 })).out).toContain("\u001b[1mID")
    expect((await ran(["plugins", "list"], { url, columns: 80, env: { NO_COLOR: "1" } })).out).not.toContain("\u001b")
  })
  it("is tab-separated and not truncated in a pipe", async () => {
    const { url } = await listing()
    expect((await ran(["plugins", "list"], { url })).out).toBe(
      "plg_1\tレビュー\t2\t-\t2026-03-01T09:30:00.000Z\t-\nplg_2\tRelease notes\t0\ta\\tb\t2026-03-01T09:30:00.000Z\t-\n"
    )
  })
  it("is the unchanged page as JSON, on one line in a pipe and indented on a terminal", async () => {
    const { url } = await listing()
    expect((await ran(["plugins", "list", "-o", "json"], { url })).out).toBe(`${JSON.stringify(page)}\n`)
    expect((await ran(["plugins", "list", "-o", "json"], { url, columns: 80 })).out).toBe(
      `${JSON.stringify(page, null, 2)}\n`
    )
  })
  it("is one object per line as ndjson, the page as yaml, and only IDs with --quiet", async () => {
    const { url } = await listing()
    expect((await ran(["plugins", "list", "-o", "ndjson"], { url })).out).toBe(
      rows.map((row) => `${JSON.stringify(row)}\n`).join("")
    )
    expect(parseYaml((await ran(["plugins", "list", "-o", "yaml"], { url })).out)).toEqual(page)
    expect((await ran(["plugins", "list", "-q"], { url })).out).toBe("plg_1\nplg_2\n")
  })
  it("prints a message if it is empty on a terminal, and nothing in a pipe", async () => {
    const { url } = await serve({ "GET /v1/plugins": { body: { items: [], nextCursor: null } } })
    expect(await ran(["plugins", "list"], { url, columns: 80 })).toMatchObject({ out: "", err: "Nothing found.\n" })
    expect(await ran(["plugins", "list"], { url })).toMatchObject({ code: 0, out: "", err: "" })
  })
})

const paged = () =>
  serve({
    "GET /v1/plugins": ({ path }) => {
      const url = new URL(path, "http://localhost")
      const from = Number(url.searchParams.get("cursor") ?? 0)
      const limit = Number(url.searchParams.get("limit") ?? 50)
      const items = Array.from({ length: Math.min(limit, 250 - from) }, (_, index) => ({ id: `plg_${from + index}` }))
      const next = from + items.length
      return { body: { items, nextCursor: next < 250 ? String(next) : null } }
    }
  })

describe("pagination", () => {
  it("prints the first page and reports that more rows are available", async () => {
    const { seen, url } = await paged()
    const { err, out } = await ran(["plugins", "list"], { url })
    expect(out.trim().split("\n")).toHaveLength(50)
    expect(err).toContain("--cursor 50")
    expect(seen).toHaveLength(1)
  })
  it("fetches all pages with a hundred rows each with --all", async () => {
    const { seen, url } = await paged()
    expect((await ran(["plugins", "list", "--all", "-q"], { url })).out.trim().split("\n")).toHaveLength(250)
    expect(seen.map(({ path }) => path)).toEqual([
      "/v1/plugins?limit=100",
      "/v1/plugins?limit=100&cursor=100",
      "/v1/plugins?limit=100&cursor=200"
    ])
  })
  it("stops at --limit, over several pages if needed", async () => {
    const { seen, url } = await paged()
    const { err, out } = await ran(["plugins", "list", "--limit", "120", "-o", "json"], { url })
    const body = JSON.parse(out) as { readonly items: ReadonlyArray<unknown>; readonly nextCursor: string }
    expect([body.items.length, body.nextCursor, err]).toEqual([120, "120", ""])
    expect(seen.map(({ path }) => path)).toEqual(["/v1/plugins?limit=100", "/v1/plugins?limit=20&cursor=100"])
  })
})

describe("a single object", () => {
  const organization = { id: "org_1", name: "Acme", provisionalExpiresAt: null }
  const one = () => serve({ "GET /v1/organization": { body: { organization } } })
  it("is printed as keys and values", async () => {
    const { url } = await one()
    expect((await ran(["organizations", "get", "--no-color"], { url, columns: 80 })).out).toBe(
      "id                    org_1\nname                  Acme\nprovisionalExpiresAt  -\n"
    )
    expect((await ran(["organizations", "get"], { url })).out).toBe("id\torg_1\nname\tAcme\nprovisionalExpiresAt\t-\n")
    expect((await ran(["organizations", "get", "-q"], { url })).out).toBe("org_1\n")
    expect((await ran(["organizations", "get", "-o", "json"], { url })).out).toBe(
      `${JSON.stringify({ organization })}\n`
    )
  })
})

describe("untrusted text", () => {
  const evil = "\u001b]52;c;aGk=\u0007 \u009b31m \u202egnp.exe\u2066 \u0000 \r\n end"
  // oxlint-disable-next-line no-control-regex
  const live = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
  const named = () => serve({ "GET /v1/organization": { body: { organization: { id: "org_1", name: evil } } } })
  it.each([[[]], [["-o", "table"]], [["-o", "yaml"]], [["-o", "json"]], [["-o", "ndjson"]]])(
    "cannot control the terminal with %j",
    async (flags) => {
      const { url } = await named()
      const { out } = await ran(["organizations", "get", "--no-color", ...flags], { url, columns: 200 })
      expect(out).not.toMatch(live)
      expect(out).toContain("gnp.exe")
    }
  )
  it("is unchanged after parsing the JSON and YAML output", () => {
    expect(JSON.parse(escapeJson(JSON.stringify({ [evil]: evil })))).toEqual({ [evil]: evil })
    expect(parseYaml(yaml({ name: evil, plain: "two\nlines\n" }))).toEqual({ name: evil, plain: "two\nlines\n" })
  })
  it("cannot control the terminal through an error message", async () => {
    const { url } = await serve({
      "GET /v1/plugins/x": {
        status: 400,
        body: { error: "invalid_request", details: [{ path: ["query", evil], message: evil }] }
      }
    })
    const { err } = await ran(["plugins", "get", "x"], { url, columns: 80 })
    expect(err).not.toMatch(live)
  })
  it("is printed with visible escapes", () => {
    expect(escapeControls("a\u001b[2J\u202eb\n")).toBe("a\\u001b[2J\\u202eb\\n")
  })
})

describe("text width", () => {
  it.each([
    ["plain", 5],
    ["日本", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["한국어", 6],
    ["\u200b", 0],
    // Spacing marks take a column of their own.
    ["\u0915\u094d\u0937\u093f", 3],
    ["\u0e01\u0e33", 2]
  ])("of %j is %i columns", (text, columns) => {
    expect(width(text)).toBe(columns)
  })
  it("is never exceeded by truncated text", () => {
    for (let columns = 1; columns < 12; columns++)
      expect(width(truncate("日本語 text 한국어", columns))).toBeLessThanOrEqual(columns)
  })
  it("is reduced in the widest column first", () => {
    expect(table([{ a: "short", b: "x".repeat(40) }], ["a", "b"], { columns: 24, colors: false }).split("\n")[1]).toBe(
      `short  ${"x".repeat(16)}…`
    )
  })
})
