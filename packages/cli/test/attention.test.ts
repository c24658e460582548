/** `orgplane attention`, `search` and `access permissions`: their output on a terminal and in a pipe. */
import { describe, expect, it } from "vitest"
import { ran, serve } from "./harness.ts"

const item = (kind: string, severity: string, id: string, more: object = {}) => ({
  kind,
  severity,
  object: { kind: "connectorSyncEvent", id, name: "acme/plugins" },
  parent: { kind: "connectorInstance", id: "cin_1" },
  detail: "Branch main: 7 objects would be removed.",
  since: "2026-01-14T12:00:00.000Z",
  expiresAt: null,
  ...more
})

const pages = {
  first: {
    items: [item("sync_approval", "decision", "cse_1"), item("sync_failed", "failing", "cse_2", { detail: null })],
    nextCursor: "next",
    counts: [{ kind: "sync_approval", severity: "decision", count: 1, truncated: false }]
  },
  last: {
    items: [item("sync_failed", "failing", "cse_3")],
    nextCursor: null,
    counts: [{ kind: "sync_approval", severity: "decision", count: 1, truncated: false }]
  }
}

const serving = () =>
  serve({ "GET /v1/attention": ({ path }) => ({ body: path.includes("cursor=next") ? pages.last : pages.first }) })

describe("attention list", () => {
  it("shows a table with a summary on a terminal, rows in a pipe, and the counts as JSON", async () => {
    const { url } = await serving()
    const drawn = await ran(["attention", "list", "--all"], { url, columns: 200, env: { NO_COLOR: "1" } })
    const [header, ...rows] = drawn.out.split("\n")
    expect(header).toMatch(/^SEVERITY +KIND +OBJECT NAME +DETAIL +SINCE +OBJECT ID$/u)
    expect(rows[0]).toMatch(/^decision +sync_approval +acme\/plugins +Branch main: 7 objects would be removed\./u)
    expect(drawn.err).toContain("1 waits for a decision, 2 fail.")
    const piped = await ran(["attention", "list", "--all"], { url })
    expect(piped.out.split("\n")[1]).toBe("failing\tsync_failed\tacme/plugins\t-\t2026-01-14T12:00:00.000Z\t-\tcse_2")
    expect((await ran(["attention", "list", "--all", "-q"], { url })).out).toBe("cse_1\ncse_2\ncse_3\n")
    const json = JSON.parse((await ran(["attention", "list", "--all", "-o", "json"], { url })).out)
    expect(json).toEqual({
      items: [...pages.first.items, ...pages.last.items],
      nextCursor: null,
      counts: pages.first.counts
    })
  })

  it("sends the filters", async () => {
    const { seen, url } = await serving()
    await ran(["attention", "list", "--severity", "decision", "--kind", "sync_approval"], { url })
    expect(seen.at(-1)?.path).toBe("/v1/attention?kind=sync_approval&severity=decision")
    const refused = await ran(["attention", "list", "--severity", "high"], { url })
    expect([refused.code, seen.length]).toEqual([2, 1])
    expect(refused.err).toContain("expiring")
  })
})

describe("search objects", () => {
  it("sends the text, and shows the rows and whether there are more", async () => {
    const match = { kind: "member", id: "om_1", name: "Ada", detail: "ada@acme.example" }
    const { seen, url } = await serve({ "GET /v1/search": { body: { items: [match], truncated: true } } })
    const drawn = await ran(["search", "objects", "ad a", "--kind", "member", "--per-kind", "1"], {
      url,
      columns: 100,
      env: { NO_COLOR: "1" }
    })
    expect(drawn.out.split("\n")[1]).toMatch(/^member +Ada +ada@acme\.example +om_1$/u)
    expect(drawn.err).toContain("More objects match.")
    expect(new URL(`http://h${seen[0]?.path}`).searchParams.toString()).toBe("q=ad+a&kind=member&limit=1")
    expect((await ran(["search", "objects", "ada", "-q"], { url })).out).toBe("om_1\n")
    expect((await ran(["search", "objects"], { url })).code).toBe(2)
  })
})

it("prints the permissions of the caller, one per line with --quiet", async () => {
  const { url } = await serve({
    "GET /v1/access/permissions": {
      body: {
        item: {
          organizationId: "org_1",
          orgMembershipId: "om_1",
          apiKeyId: null,
          isOwner: false,
          managesAllObjects: true,
          permissions: ["plugins:read", "plugins:write"]
        }
      }
    }
  })
  expect((await ran(["access", "permissions", "-q"], { url })).out).toBe("plugins:read\nplugins:write\n")
  expect((await ran(["access", "permissions"], { url })).out).toContain("permissions\tplugins:read, plugins:write\n")
})
