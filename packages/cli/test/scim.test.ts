import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeFollower } from "../src/follow-list.ts"
import { ran, type Reply, type Seen, serve, spawned } from "./harness.ts"

const entry = (number: number, more: object = {}) => ({
  id: `scl_${String(number).padStart(4, "0")}`,
  directoryId: "scd_1",
  method: "PATCH",
  path: "/Users/scu_1",
  status: 200,
  decision: "updated",
  scimType: null,
  detail: null,
  displayName: "ann@acme.com",
  differences: [],
  createdAt: "2026-03-01T09:30:00.000Z",
  ...more
})
const changed = entry(2, {
  differences: [
    { path: "active", before: true, after: false },
    { path: "title", before: null, after: "Le\u001b[2Jad" },
    { path: "members", before: ["scu_2"], after: null }
  ]
})
const page = (...items: ReadonlyArray<unknown>): Reply => ({ body: { items, nextCursor: null } })
const list = "GET /v1/scim/directories/scd_1/log"
const queryOf = (seen: Seen) => Object.fromEntries(new URL(seen.path, "http://x").searchParams)
const idsOf = (out: string) =>
  out
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly id: string }).id)

describe("scim log", () => {
  it("prints a table with the colored changes of each request below its row", async () => {
    const { url } = await serve({ [list]: page(changed, entry(1)) })
    const { out } = await ran(["scim", "log", "scd_1", "--changes-only"], { url, columns: 160 })
    const lines = out.trimEnd().split("\n")
    expect(lines).toHaveLength(7)
    expect(lines.slice(2, 6)).toEqual([
      "\u001b[31m    - active: true\u001b[0m",
      "\u001b[32m    + active: false\u001b[0m",
      '\u001b[32m    + title: "Le\\u001b[2Jad"\u001b[0m',
      '\u001b[31m    - members: ["scu_2"]\u001b[0m'
    ])
  })
  it("prints one line per request without changes in a pipe", async () => {
    const { seen, url } = await serve({ [list]: page(changed, entry(1)) })
    const { err, out } = await spawned(["scim", "log", "scd_1", "--decision", "updated"], { url })
    expect([
      err,
      out
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t").length)
    ]).toEqual(["", [8, 8]])
    expect(seen.map(queryOf)).toEqual([{ decision: "updated" }])
  })
})

describe("scim log --follow", () => {
  /** A list that grows with each poll, newest first. */
  const written = (...looks: ReadonlyArray<ReadonlyArray<ReturnType<typeof entry>>>) => {
    let look = -1
    return (seen: Seen): Reply => {
      const { cursor, limit = "50" } = queryOf(seen)
      if (cursor === undefined) look++
      const all = looks
        .slice(0, look + 1)
        .flat()
        .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      const from = Number(cursor ?? 0)
      const items = all.slice(from, from + Number(limit))
      return { body: { items, nextCursor: from + items.length < all.length ? String(from + items.length) : null } }
    }
  }
  it("prints the latest entries and each new one, as JSON lines in a pipe, in order and once", async () => {
    const late = entry(5)
    const { seen, url } = await serve({
      [list]: written([entry(1), entry(2), entry(3)], [], [entry(4), entry(6)], [late], [entry(7)], [], [], [])
    })
    const result = await ran(["scim", "log", "scd_1", "-f", "--limit", "2"], { url, interruptAt: 60_000 })
    expect([result.code, result.err]).toEqual([130, ""])
    expect(idsOf(result.out).map((id) => Number(id.slice(4)))).toEqual([2, 3, 4, 5, 6, 7])
    expect(seen.length).toBeLessThan(40)
  })
  it("catches up when more than one page was added", async () => {
    const many = Array.from({ length: 250 }, (_, index) => entry(100 + index))
    const { url } = await serve({ [list]: written([entry(1)], [], many, [], []) })
    const result = await ran(["scim", "log", "scd_1", "-f"], { url, interruptAt: 20_000 })
    expect(idsOf(result.out)).toEqual([entry(1), ...many].map(({ id }) => id))
  })
  it("prints no existing entries beyond the limit, even if there are several pages", async () => {
    const past = Array.from({ length: 350 }, (_, index) => entry(index))
    const { url } = await serve({ [list]: written(past, [], [entry(900)], [], []) })
    const result = await ran(["scim", "log", "scd_1", "-f", "--limit", "0", "-q"], { url, interruptAt: 20_000 })
    expect(result.out).toBe(`${entry(900).id}\n`)
  })
  it("prints each entry with its changes below on a terminal", async () => {
    const refused = entry(3, { decision: "refused", status: 400, detail: "No such path." })
    const { url } = await serve({ [list]: written([changed, refused], [], []) })
    const result = await ran(["scim", "log", "scd_1", "-f", "--no-color"], { url, columns: 200, interruptAt: 5_000 })
    expect(result.out.trimEnd().split("\n")).toEqual([
      "2026-03-01T09:30:00.000Z  updated    200  PATCH   /Users/scu_1  ann@acme.com",
      "    - active: true",
      "    + active: false",
      '    + title: "Le\\u001b[2Jad"',
      '    - members: ["scu_2"]',
      "2026-03-01T09:30:00.000Z  refused    400  PATCH   /Users/scu_1  ann@acme.com",
      "    No such path."
    ])
  })
  it("retries while the server is unavailable, and ends when access is denied", async () => {
    const away: Reply = { status: 503, body: { error: "unavailable" }, headers: { "retry-after": "0" } }
    let requestCount = 0
    const { url } = await serve({
      [list]: () => {
        requestCount++
        return requestCount === 1
          ? page(entry(1))
          : requestCount < 6
            ? away
            : requestCount < 9
              ? page(entry(2), entry(1))
              : { status: 403, body: { error: "forbidden" } }
      }
    })
    const result = await ran(["scim", "log", "scd_1", "-f", "-q"], { url })
    expect(result.code).toBe(6)
    expect(result.out).toBe(`${entry(1).id}\n${entry(2).id}\n`)
  })
  it.each([["--all"], ["--cursor", "c"], ["--limit", "101"]])("rejects %s together with --follow", async (...more) => {
    const { seen, url } = await serve({})
    expect((await ran(["scim", "log", "scd_1", "--follow", ...more], { url })).code).toBe(2)
    expect(seen).toHaveLength(0)
  })

  it("prints every entry once and in order if it is written at most one poll late", () => {
    const arrival = fc.record({ pause: fc.nat(2), late: fc.nat(1) })
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 60 }), fc.nat(5), (arrivals, count) => {
        let due = 0
        const rows = arrivals.map(({ late, pause }, index) => {
          due += pause
          return { id: entry(index).id, look: due + late }
        })
        const follower = makeFollower(count)
        const shown: Array<string> = []
        for (let look = 0; look <= due + 3; look++) {
          const there = rows.filter((row) => row.look <= look)
          shown.push(...follower.take(there, false).map((row) => (row as { readonly id: string }).id))
        }
        const atFirst = rows.filter(({ look }) => look === 0)
        const past = new Set(atFirst.slice(0, Math.max(0, atFirst.length - count)).map(({ id }) => id))
        expect(shown).toEqual(rows.map(({ id }) => id).filter((id) => !past.has(id)))
      }),
      { numRuns: 500 }
    )
  })
})

describe("scim directories", () => {
  const directory = {
    id: "scd_1",
    name: "Okta",
    provider: "okta",
    baseUrl: "https://o.example/v1/scim/v2",
    tokens: [{ id: "sct_1" }],
    users: { active: 3, inactive: 1 },
    groups: 2,
    pendingHoldId: "sch_1",
    lastRequestAt: null
  }
  const token = `opd_${"t".repeat(49)}`
  it("prints the complete base URL and token once, with setup instructions", async () => {
    const { url } = await serve({ "POST /v1/scim/directories": { status: 201, body: { directory, token } } })
    const argv = ["scim", "directories", "create", "--name", "Okta", "--provider", "okta", "--no-color"]
    const result = await ran(argv, { url, columns: 30 })
    expect(result.out).toMatch(new RegExp(`^token +${token}$`, "m"))
    expect(result.out).toMatch(/^directory\.baseUrl +https:\/\/o\.example\/v1\/scim\/v2$/m)
    expect(result.err).toMatch(/^The token is not shown again\.\nOkta: .*userName/)
    expect((await ran([...argv, "-q"], { url })).out).toBe(`${token}\n`)
  })
  it("points to a pending hold, and prints a hold with its users", async () => {
    const hold = { id: "sch_1", directoryId: "scd_1", status: "pending", count: 2, activeBefore: 4 }
    const { seen, url } = await serve({
      "GET /v1/scim/directories/scd_1": { body: { directory } },
      "GET /v1/scim/directories/scd_1/holds/sch_1": { body: { hold } },
      "GET /v1/scim/directories/scd_1/holds/sch_1/users": page({
        userName: "ann@acme.com",
        action: "deactivate",
        orgMembershipId: "om_1",
        createdAt: "2026"
      })
    })
    expect((await ran(["scim", "directories", "get", "scd_1"], { url, columns: 100 })).err).toContain(
      "orgplane scim holds get scd_1 sch_1"
    )
    const result = await ran(["scim", "holds", "get", "scd_1", "sch_1", "--no-color"], { url, columns: 100 })
    expect(result.out).toMatch(/\n\nUSER NAME +ACTION +ORG MEMBERSHIP ID +CREATED AT\nann@acme\.com +deactivate +om_1/)
    expect(result.err).toContain("orgplane scim holds approve scd_1 sch_1, or reject")
    // JSON output only contains the hold.
    expect(JSON.parse((await ran(["scim", "holds", "get", "scd_1", "sch_1", "-o", "json"], { url })).out)).toEqual({
      hold
    })
    expect(seen.filter(({ path }) => path.endsWith("/users"))).toHaveLength(1)
  })
  it.each([
    ["scim holds approve scd_1 sch_1", "POST /v1/scim/directories/scd_1/holds/sch_1/approve"],
    ["scim holds reject scd_1 sch_1", "POST /v1/scim/directories/scd_1/holds/sch_1/reject"],
    ["scim directories remove scd_1", "DELETE /v1/scim/directories/scd_1"],
    ["scim tokens revoke scd_1 sct_1", "DELETE /v1/scim/directories/scd_1/tokens/sct_1"]
  ])("asks for confirmation before `%s`", async (line, request) => {
    const { seen, url } = await serve({ [request]: { body: { hold: { id: "sch_1" } } } })
    expect((await ran(line.split(" "), { url })).code).toBe(2)
    expect((await ran(line.split(" "), { url, columns: 80, typed: ["no"] })).code).toBe(1)
    // A terminal that closes at the prompt is not a confirmation.
    expect((await ran(line.split(" "), { url, columns: 80, typed: [] })).code).toBe(1)
    expect(seen).toHaveLength(0)
    expect((await ran(line.split(" "), { url, columns: 80, typed: ["y"] })).code).toBe(0)
    expect(seen).toHaveLength(1)
  })
  it("prints the approved hold and the member who was kept", async () => {
    const { url } = await serve({
      "POST /v1/scim/directories/scd_1/holds/sch_1/approve": {
        body: { hold: { id: "sch_1", status: "approved", count: 4 }, keptOrgMembershipId: "om_1" }
      }
    })
    const approve = ["scim", "holds", "approve", "scd_1", "sch_1", "--yes"]
    const result = await ran([...approve, "--no-color"], { url, columns: 100 })
    expect(result.out).toMatch(/hold\.status +approved\n.*hold\.count +4\n[^]*keptOrgMembershipId +om_1/)
    expect((await ran([...approve, "-q"], { url })).out).toBe("sch_1\n")
  })
})
