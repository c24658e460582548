import { describe, expect, it } from "vitest"
import { folder, ran, type Reply, type Seen, serve, spawned, start } from "./harness.ts"

/** As long as a real key, and wider than the terminal below. */
const secretKey = `opk_${"k".repeat(49)}`
const key = { apiKey: { id: "key_1", name: "n", permissions: [], expiresAt: null }, key: secretKey }
const event = (sequence: number, more: object = {}) => ({
  id: `aud_${sequence}`,
  sequence,
  createdAt: "2026-03-01T09:30:00.000Z",
  action: "plugin.create",
  actorKind: "session",
  actorId: "om_1",
  targetId: "plg_1",
  address: "127.0.0.1",
  ...more
})
const page = (...items: ReadonlyArray<unknown>): Reply => ({ body: { items, nextCursor: null } })
const queryOf = (seen: Seen) => Object.fromEntries(new URL(seen.path, "http://x").searchParams)

describe("api-keys create", () => {
  const argv = [
    "api-keys",
    "create",
    "--permission",
    "connectors:read",
    "--permission",
    "plugins:read",
    "--expires",
    "90d"
  ]
  it("sends the flags, with a time instead of the duration", async () => {
    const { seen, url } = await serve({ "POST /v1/api-keys": { status: 201, body: key } })
    await ran(argv, { url })
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      name: "orgplane command line",
      permissions: ["connectors:read", "plugins:read"],
      expiresAt: "1970-04-01T00:00:00.000Z"
    })
  })
  it("prints only the response with -o json, and only the key with -q", async () => {
    const { url } = await serve({ "POST /v1/api-keys": { status: 201, body: key } })
    expect(await spawned([...argv, "-o", "json"], { url })).toEqual({
      code: 0,
      out: `${JSON.stringify(key)}\n`,
      err: ""
    })
    expect(await spawned([...argv, "-q"], { url })).toEqual({ code: 0, out: `${secretKey}\n`, err: "" })
  })
  it("tells terminal users that the key is not shown again", async () => {
    const { url } = await serve({ "POST /v1/api-keys": { status: 201, body: key } })
    const { err, out } = await ran([...argv, "--no-color"], { url, columns: 24 })
    expect(err).toBe("The key is not shown again.\n")
    expect(out).toMatch(new RegExp(`^key +${secretKey}\n`))
  })
  it.each([
    ["--expires", "90"],
    ["--permission", "everything"]
  ])("sends nothing if %s is %s", async (flag, value) => {
    const { seen, url } = await serve({})
    const result = await ran(["api-keys", "create", "--permission", "plugins:read", flag, value], { url })
    expect([result.code, seen.length]).toEqual([2, 0])
  })
})

describe("members invite", () => {
  const createInvitation = ({ body }: Seen): Reply => {
    const invitation = JSON.parse(body) as { readonly email: string; readonly role?: string }
    return invitation.email.startsWith("bad")
      ? { status: 409, body: { error: "member_exists", message: "Already \u001b[31ma member." } }
      : {
          status: 201,
          body: { invitation: { id: `inv_${invitation.email}`, role: invitation.role ?? "member" }, link: null }
        }
  }
  it("continues after a failed invitation, and exits with 1", async () => {
    const { seen, url } = await serve({ "POST /v1/invitations": createInvitation })
    const result = await ran(["members", "invite", "a@b.c", "bad@b.c", "d@e.f", "--role", "admin"], { url })
    expect(result).toMatchObject({ code: 1, err: "1 of 3 lines failed.\n" })
    expect(result.out.split("\n")).toEqual([
      "1\ttrue\ta@b.c\tadmin\tinv_a@b.c\t-\t-",
      "2\tfalse\tbad@b.c\t-\t-\tmember_exists\tAlready \\u001b[31ma member.",
      "3\ttrue\td@e.f\tadmin\tinv_d@e.f\t-\t-",
      ""
    ])
    expect(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(3)
  })
  it("reads JSON lines from a pipe, and values of a line override flags", async () => {
    const { seen, url } = await serve({ "POST /v1/invitations": createInvitation })
    const stdin = '{"email":"a@b.c","role":"owner","teamIds":["tem_1"]}\n{"role":"x"}\n{"email":"d@e.f"}\n'
    const { code, out } = await ran(["members", "invite", "--file", "-", "--role", "admin", "-o", "ndjson"], {
      url,
      stdin
    })
    expect(code).toBe(1)
    expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { email: "a@b.c", role: "owner", teamIds: ["tem_1"] },
      { email: "d@e.f", role: "admin" }
    ])
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { readonly ok: boolean }).ok)
    ).toEqual([true, false, true])
  })
  it("stops when no further line can succeed, and prints the results so far", async () => {
    const { seen, url } = await serve({
      "POST /v1/invitations": [
        { status: 201, body: { invitation: { id: "inv_1", role: "member" } } },
        { status: 401, body: { error: "unauthorized" } }
      ]
    })
    const result = await ran(["members", "invite", "a@b.c", "b@b.c", "c@b.c", "-o", "json"], { url })
    expect([result.code, seen.length]).toEqual([4, 2])
    expect(JSON.parse(result.out)).toMatchObject({ results: [{ line: 1, id: "inv_1" }] })
    expect(result.err).toContain("Stopped after 1 line.")
  })
  it("stops at the first line if the server is unreachable", async () => {
    const result = await ran(["members", "invite", "a@b.c", "b@b.c", "-o", "json"], { url: "http://127.0.0.1:9" })
    expect([result.code, JSON.parse(result.out)]).toEqual([8, { results: [] }])
    expect(result.err).toContain("Stopped after 0 lines.")
  })
  it("treats an invitation with a lost response as created", async () => {
    const { seen, url } = await serve({
      "POST /v1/invitations": [
        { status: 503, body: { error: "unavailable", message: "Not now." }, headers: { "retry-after": "0" } },
        { status: 409, body: { error: "idempotency_key_completed", message: "Done before." } }
      ]
    })
    const result = await ran(["members", "invite", "a@b.c", "--file", "-", "-o", "ndjson"], {
      url,
      stdin: "# none\nd@e.f"
    })
    expect([result.code, seen.length]).toEqual([0, 3])
    expect(seen[1]?.headers["idempotency-key"]).toBe(seen[0]?.headers["idempotency-key"])
  })
  it("fails without an email address", async () => {
    expect(await ran(["members", "invite"], { url: "http://127.0.0.1:9" })).toMatchObject({ code: 2 })
  })
})

describe("invitations accept", () => {
  it("prompts for the token without showing it, and extracts it from a link", async () => {
    const { seen, url } = await serve({
      "POST /v1/invitations/accept": { body: { organization: { id: "org_1", name: "Acme" }, member: { id: "om_1" } } }
    })
    const argv = ["invitations", "accept", "--token", "-"]
    const link = "https://plane.example/invitation#token=opi_1"
    const { code, err, hidden } = await ran(argv, { url, columns: 80, typed: [link] })
    expect([code, hidden, err.includes("opi_1")]).toEqual([0, "token (hidden): ", false])
    await ran(argv, { url, stdin: "opi_2\n" })
    expect(seen.map(({ body }) => body)).toEqual(['{"token":"opi_1"}', '{"token":"opi_2"}'])
  })
})

describe("members batch", () => {
  it("sends a hundred lines per request, without the lines that the server rejects", async () => {
    const { seen, url } = await serve({
      "POST /v1/members/batch": ({ body }) => {
        const { items } = JSON.parse(body) as { readonly items: ReadonlyArray<{ readonly orgMembershipId: string }> }
        const bad = items.findIndex((item) => item.orgMembershipId === "om_nonsense")
        if (bad >= 0) {
          const details = [{ path: ["body", "items", String(bad), "orgMembershipId"], message: "is no id" }]
          return { status: 400, body: { error: "invalid_request", details } }
        }
        return { body: { results: items.map((item, index) => ({ index, ok: index !== 1, ...item, error: null })) } }
      }
    })
    const stdin = `om_nonsense,remove\n${Array.from({ length: 120 }, (_, index) => `om_${index},setRole,member`).join("\n")}\n`
    const { code, out } = await ran(["members", "batch", "--file", "-", "-o", "json"], { url, stdin })
    expect(seen.map(({ body }) => (JSON.parse(body) as { items: ReadonlyArray<unknown> }).items.length)).toEqual([
      100, 99, 21
    ])
    const { results } = JSON.parse(out) as { results: ReadonlyArray<{ line: number; ok: boolean }> }
    expect([code, results.length]).toEqual([1, 121])
    expect(results.filter(({ ok }) => !ok).map(({ line }) => line)).toEqual([1, 3, 102])
  })
})

describe("audit tail", () => {
  /** The audit list: in sequence order with `after`, otherwise newest first. */
  const written = (batches: ReadonlyArray<ReadonlyArray<ReturnType<typeof event>>>) => {
    let polls = 0
    return (seen: Seen): Reply => {
      const { after, limit = "50" } = queryOf(seen)
      const all = batches.slice(0, polls + 1).flat()
      if (after === undefined) return page(...all.toReversed().slice(0, Number(limit)))
      polls++
      const at = all.findIndex(({ id }) => id === after)
      return page(...all.slice(at + 1).slice(0, Number(limit)))
    }
  }
  const list = "GET /v1/audit-events"

  it("prints the latest events, oldest first, one per line", async () => {
    const { url } = await serve({ [list]: written([[event(1), event(2), event(3, { targetId: "a\u001b[2Jb" })]]) })
    const { code, out } = await ran(["audit", "tail", "--limit", "2", "--action", "plugin.create"], { url })
    const row = (target: string) => `2026-03-01T09:30:00.000Z\tplugin.create\tsession\tom_1\t${target}\t127.0.0.1`
    expect([code, out]).toEqual([0, `${row("plg_1")}\n${row("a\\u001b[2Jb")}\n`])
  })
  it("prints what --json, --jq and --template select, one line per event, and nothing for an event that they drop", async () => {
    const { url } = await serve({ [list]: written([[event(1), event(2)]]) })
    const tail = async (...flags: ReadonlyArray<string>) => (await ran(["audit", "tail", ...flags], { url })).out
    expect(await tail("--json", "id,action")).toBe(
      '{"id":"aud_1","action":"plugin.create"}\n{"id":"aud_2","action":"plugin.create"}\n'
    )
    expect(await tail("--jq", 'select(.id == "aud_2") | .targetId')).toBe("plg_1\n")
    expect(await tail("--template", "{{.id}}")).toBe("aud_1\naud_2\n")
    expect((await ran(["audit", "tail", "--json", "nothing"], { url })).code).toBe(2)
  })
  it("follows the sealed order, polls less often while nothing happens, and prints no event twice", async () => {
    const unsealed = { ...event(3), sequence: null as unknown as number }
    const { seen, url } = await serve({
      [list]: written([[event(1), event(2), unsealed], [], [event(4), event(5)], [], [], [], [], [], [], []])
    })
    const { code, err, out } = await ran(["audit", "tail", "-f", "-q"], { url, interruptAt: 60_000 })
    expect([code, err]).toEqual([130, ""])
    expect(out.trim().split("\n")).toEqual(["aud_1", "aud_2", "aud_3", "aud_4", "aud_5"])
    // The interval grows to ten seconds.
    expect(seen.length).toBeLessThan(20)
    expect(seen.slice(2).every((one) => queryOf(one)["after"] !== undefined)).toBe(true)
  })
  it("retries while the server is unavailable, and prints one message", async () => {
    const away: Reply = {
      status: 503,
      body: { error: "unavailable", message: "Not now." },
      headers: { "retry-after": "0" }
    }
    let requestCount = 0
    const { url } = await serve({
      [list]: () => (++requestCount <= 2 ? page(event(1)) : requestCount < 9 ? away : page(event(requestCount)))
    })
    const result = await ran(["audit", "tail", "-f"], { url, interruptAt: 120_000 })
    expect(result.code).toBe(130)
    expect(result.err.match(/Retrying\./g)).toHaveLength(1)
    expect(result.out.split("\n").length).toBeGreaterThan(2)
  })
  it("ends when access is denied", async () => {
    let requestCount = 0
    const { url } = await serve({
      [list]: () => (++requestCount <= 2 ? page(event(1)) : { status: 401, body: { error: "unauthorized" } })
    })
    expect(await ran(["audit", "tail", "-f"], { url })).toMatchObject({ code: 4 })
  })
  it("continues after the event in --after", async () => {
    const { seen, url } = await serve({ [list]: written([[event(1), event(2), event(3)]]) })
    expect(await ran(["audit", "tail", "--after", "aud_1", "-q"], { url })).toMatchObject({
      code: 0,
      out: "aud_2\naud_3\n"
    })
    expect(seen.map(queryOf)).toEqual([{ after: "aud_1", limit: "100" }])
  })
})

describe("audit export and verify", () => {
  it("streams the export before it is complete", async () => {
    const { createServer } = await import("node:http")
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" })
      response.write('{"a":1}\n')
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as { readonly port: number }
    const { child, ended } = start(["audit", "export"], { url: `http://127.0.0.1:${port}` })
    const [first] = (await new Promise((resolve) =>
      child.stdout.once("data", (chunk: Buffer) => resolve([chunk]))
    )) as [Buffer]
    expect(first.toString()).toBe('{"a":1}\n')
    // The exit code reports the incomplete output.
    server.closeAllConnections()
    expect(await ended).toMatchObject({
      code: 8,
      out: '{"a":1}\n',
      err: expect.stringContaining("The output is incomplete")
    })
    server.close()
  })
  it("fails if the audit chain is broken", async () => {
    const verification = { valid: false, eventCount: 9, sealedThrough: 9, firstInvalidSequence: 4, reason: "changed" }
    const { url } = await serve({ "POST /v1/audit-events/verify": { body: { verification } } })
    const { code, out } = await ran(["audit", "verify"], { url })
    expect(code).toBe(1)
    expect(out).toContain("firstInvalidSequence\t4\n")
  })
})

describe("login with an email code", () => {
  const organization = { id: "org_1", name: "Acme" }
  const server = () =>
    serve({
      "POST /v1/sessions/email": { status: 202, body: { challengeId: "-ch_1", expiresAt: "2026-03-01T09:30:00.000Z" } },
      "POST /v1/sessions/email/verify": ({ body }) =>
        body === '{"challengeId":"-ch_1","code":"ABCD-2345"}'
          ? { status: 201, body: { session: { id: "ses_1", token: "ops_made" }, user: { id: "usr_1" } } }
          : {
              status: 400,
              body: { error: "invalid_request", details: [{ path: ["body", "code"], message: "is wrong" }] }
            },
      "GET /v1/organization": { body: { organization } }
    })
  it("prompts for the email address and the code, and saves the session", async () => {
    const [config, { seen, url }] = await Promise.all([folder(), server()])
    const typed = [url, "ada@acme.example", "ABCD-2345"]
    const result = await ran(["login"], { config, token: "", columns: 80, typed })
    expect([result.code, result.out, result.hidden]).toEqual([0, "", ""])
    expect(seen.map(({ headers, path }) => [path, headers.authorization])).toEqual([
      ["/v1/sessions/email", undefined],
      ["/v1/sessions/email/verify", undefined],
      ["/v1/organization", "Bearer ops_made"]
    ])
    expect(result.err).not.toContain("ops_made")
  })
  it("reads the code from stdin, immediately or later", async () => {
    const [config, { url }] = await Promise.all([folder(), server()])
    const base = ["login", "--base-url", url]
    const options = { config, token: "" }
    expect(await ran([...base, "--email", "ada@acme.example"], { ...options, stdin: "ABCD-2345\n" })).toMatchObject({
      code: 0
    })
    const later = await ran([...base, "--email", "ada@acme.example"], options)
    expect(later).toMatchObject({ code: 1, err: expect.stringContaining("orgplane login --challenge=-ch_1\n") })
    expect(await ran([...base, "--challenge=-ch_1"], { ...options, stdin: "ABCD-2345\n" })).toMatchObject({ code: 0 })
  })
  it("saves nothing if the code is wrong", async () => {
    const [config, { url }] = await Promise.all([folder(), server()])
    const result = await ran(["login", "--base-url", url, "--email", "a@b.c"], { config, token: "", stdin: "WRONG" })
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining("is wrong") })
    expect((await ran(["profiles", "list", "-q"], { config, token: "" })).out).toBe("")
  })
})
