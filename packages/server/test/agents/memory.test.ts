/** Personal memories: limits, search, and privacy. */
import * as fc from "fast-check"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import {
  addMember,
  call,
  makeControlPlane,
  makeKey,
  makeWorkspace,
  mintSession,
  type Person,
  rowCounts,
  runSql,
  signInByEmail
} from "../harness.ts"

const plane = await makeControlPlane({
  workers: false,
  authenticator: (request) => {
    const subject = request.headers.get("x-person")
    return Promise.resolve(subject === null ? null : { subject, name: null, email: null, emailVerified: false })
  }
})
const mine = await makeWorkspace(plane)

const save = async (person: Pick<Person, "call">, content: string, more: object = {}, headers = {}) => {
  const response = await person.call("POST", "/v1/memory", { content, ...more }, headers)
  expect([response.status, response.text]).toEqual([201, expect.any(String)])
  return response.body.memory
}
const find = async (person: Pick<Person, "call">, q: string, more = "", headers = {}) => {
  const response = await person.call("GET", `/v1/memory/search?q=${encodeURIComponent(q)}${more}`, undefined, headers)
  expect([response.status, response.text]).toEqual([200, expect.any(String)])
  const { results } = response.body
  for (const { score } of results) {
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThanOrEqual(1)
  }
  return results.map(({ content }: { readonly content: string }) => content)
}
const contents = async (person: Pick<Person, "call">, query = "", headers = {}) =>
  (await person.call("GET", `/v1/memory?limit=100${query}`, undefined, headers)).body.items.map(
    ({ content }: { readonly content: string }) => content
  )

describe("POST /v1/memory", () => {
  it("saves a memory as the member's own, whatever scope and source are sent", async () => {
    const sent = {
      tags: ["food", "food", "People"],
      contexts: [
        { snippet: "I take oat milk", conversation_id: "c1", message_id: "m1", origin: "active_conversation" }
      ],
      scope: "organization",
      source: "elsewhere",
      userId: "usr_01h455vb4pex5vsknk084sn02q"
    }
    const memory = await save(mine, "Ada takes oat milk", sent)
    expect(memory).toEqual({
      id: expect.stringMatching(/^mem_/),
      organizationId: mine.organizationId,
      content: "Ada takes oat milk",
      tags: ["food", "People"],
      source: "chat",
      scope: "user",
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: memory.createdAt
    })
    const whole = await mine.call("GET", `/v1/memory/${memory.id}`)
    expect(whole.body.memory).toEqual({ ...memory, contexts: sent.contexts })
  })

  it("audits the length of a memory, and nothing that would confirm a guess of its text", async () => {
    const { id } = await save(mine, "Is ill 😷", { tags: ["health"] })
    const [saved] = await runSql(
      plane,
      (sql) => sql<{ after: object }>`SELECT after_json AS after FROM audit_events
        WHERE organization_id = ${mine.organizationId} AND action = 'memory.save' AND target_id = ${id}`
    )
    expect(saved?.after).toEqual({ length: 8, tags: 1, contexts: 0 })
  })

  it("rejects a memory beyond its limits, or one that cannot be stored", async () => {
    const content = "x"
    const snippet = (text: string) => ({ content, contexts: [{ snippet: text }] })
    const bad: ReadonlyArray<readonly [body: object, path: ReadonlyArray<string | number>]> = [
      [{}, ["content"]],
      [{ content: "" }, ["content"]],
      [{ content: "x".repeat(8001) }, ["content"]],
      [{ content: "a\u0000b" }, ["content"]],
      [{ content, tags: Array.from({ length: 33 }, (_, n) => `t${n}`) }, ["tags"]],
      [{ content, tags: ["t".repeat(65)] }, ["tags", 0]],
      [{ content, tags: [""] }, ["tags", 0]],
      [{ content, contexts: Array.from({ length: 17 }, () => ({ snippet: "s" })) }, ["contexts"]],
      [snippet("s".repeat(4001)), ["contexts", 0, "snippet"]],
      [snippet(""), ["contexts", 0, "snippet"]],
      [snippet("\u0000"), ["contexts", 0, "snippet"]],
      [{ content, contexts: [{ snippet: "s", origin: "a dream" }] }, ["contexts", 0, "origin"]]
    ]
    const before = await rowCounts(plane)
    for (const [body, path] of bad) {
      const response = await mine.call("POST", "/v1/memory", body)
      expect([response.status, response.body.details?.[0]?.path]).toEqual([400, ["body", ...path]])
    }
    expect(await rowCounts(plane)).toEqual(before)
    const person = await addMember(plane, mine, "member")
    await save(person, "🎂".repeat(8000), {
      tags: Array.from({ length: 32 }, (_, n) => `${n}`.padEnd(64, "t")),
      contexts: Array.from({ length: 16 }, () => ({ snippet: "字".repeat(4000) }))
    })
    expect(await find(person, "🎂")).toHaveLength(1)
  })

  it("saves once per idempotency key, and stores no text with it", async () => {
    const person = await addMember(plane, mine, "member")
    const headers = { "idempotency-key": "remember" }
    const body = { content: "a secret wish, canary-5512" }
    const [first, again] = [
      await person.call("POST", "/v1/memory", body, headers),
      await person.call("POST", "/v1/memory", body, headers)
    ]
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    const other = await person.call("POST", "/v1/memory", { content: "else" }, headers)
    expect([other.status, other.body.error]).toEqual([409, "idempotency_key_reused"])
    expect(await contents(person)).toHaveLength(1)
    await person.call("DELETE", `/v1/memory/${first.body.memory.id}`)
    const storedRows = await runSql(
      plane,
      (sql) => sql<{ text: string }>`SELECT to_jsonb(k)::text AS text FROM idempotency_keys k
        UNION ALL SELECT to_jsonb(a)::text FROM audit_events a UNION ALL SELECT to_jsonb(m)::text FROM memories m`
    )
    expect(storedRows.filter(({ text }) => text.includes("canary-5512"))).toEqual([])
  })

  it("returns 409 when the member's quota of memories or words is used up", async () => {
    const person = await addMember(plane, mine, "member")
    const fill = (count: number, words: number) =>
      runSql(
        plane,
        (sql) => sql`INSERT INTO memories (user_id, id, organization_id, content, tags, tag_keys, source, contexts_json,
            words, stems, weights, word_count, created_at, updated_at)
          SELECT ${person.userId}, 'mem_' || n, ${mine.organizationId}, 'x', '{}', '{}', 'chat', '[]', '{x}', '{x}',
            '{850}', ${words}, now(), now() FROM generate_series(1, ${count}::int) n`
      )
    await fill(9999, 1)
    await save(person, "the last one")
    const full = await person.call("POST", "/v1/memory", { content: "too much" })
    expect([full.status, full.body.error]).toEqual([409, "quota_exceeded"])
    await person.call("DELETE", "/v1/memory")
    await fill(1, 100_000)
    expect((await person.call("POST", "/v1/memory", { content: "too much" })).body.error).toBe("quota_exceeded")
    expect((await mine.call("POST", "/v1/memory", { content: "mine has room" })).status).toBe(201)
  }, 60_000)

  it("returns 403 for an API key and 401 without a credential", async () => {
    const key = await makeKey(plane, mine, [])
    for (const [method, path] of [
      ["POST", "/v1/memory"],
      ["GET", "/v1/memory/search?q=x"],
      ["GET", "/v1/memory/export"],
      ["DELETE", "/v1/memory"]
    ] as const) {
      const body = method === "POST" ? { content: "x" } : undefined
      expect((await key.call(method, path, body)).body.reason).toBe("session_required")
      expect((await call(plane)(method, path, body)).status).toBe(401)
    }
  })
})

describe("GET /v1/memory/search", () => {
  it("finds stop words only if the query has no other words", async () => {
    const person = await addMember(plane, mine, "member")
    await save(person, "The band The Who")
    await save(person, "Peanuts")
    expect(await find(person, "the who")).toEqual(["The band The Who"])
    expect(await find(person, "the peanuts")).toEqual(["Peanuts"])
  })

  it("searches content, tags and snippets regardless of typos, endings, accents and case, best first", async () => {
    const person = await addMember(plane, mine, "member")
    await save(person, "Clara is allergic to peanuts", { tags: ["Family"] })
    await save(person, "The deployment needs two approvals")
    await save(person, "Она не ест грибы", { contexts: [{ snippet: "про ужин у тёщи" }] })
    await save(person, "我对海鲜过敏")
    expect(await find(person, "alergies of clara")).toEqual(["Clara is allergic to peanuts"])
    expect(await find(person, "FAMILY")).toEqual(["Clara is allergic to peanuts"])
    expect(await find(person, "who approves deployments")).toEqual(["The deployment needs two approvals"])
    expect(await find(person, "теща")).toEqual(["Она не ест грибы"])
    expect(await find(person, "海鲜")).toEqual(["我对海鲜过敏"])
    expect(await find(person, "allergic", "&tag=family")).toEqual(["Clara is allergic to peanuts"])
    expect(await find(person, "allergic", "&tag=Work")).toEqual([])
    expect(await find(person, "nothing like it, volcano")).toEqual([])
  })

  it("orders equal scores newest first, up to the limit", async () => {
    const person = await addMember(plane, mine, "member")
    for (let n = 0; n < 22; n += 1) await save(person, `tram ${"abcdefghijklmnopqrstuvw".charAt(n)}`)
    const all = await find(person, "tram", "&limit=50")
    expect(all).toHaveLength(22)
    expect(all).toEqual(await contents(person))
    expect(await find(person, "tram")).toEqual(all.slice(0, 20))
    expect(await find(person, "tram", "&limit=1")).toEqual(all.slice(0, 1))
  })

  it("accepts any text, and returns 400 beyond its limits", async () => {
    const texts = [
      "the and of",
      "a & b | !c <-> 'd:*'",
      '"(',
      "%_\\",
      "🎂🏽‍❤️",
      "'; DROP TABLE memories",
      "\\y(?i)[a",
      "   "
    ]
    for (const text of [...texts, "x ".repeat(256), "字".repeat(512), "\u202e\ufeff", "C:\\*?", "ﬀ…½"])
      await find(mine, text)
    // The longest possible query words, next to a memory with a nearly equal one.
    for (const length of [31, 32, 33, 256, 512]) {
      await save(mine, `${"a".repeat(length - 1)}b`)
      await find(mine, "a".repeat(length))
    }
    const ask = (query: string) => mine.call("GET", `/v1/memory/search?${query}`)
    for (const query of ["", "q=", `q=${"x".repeat(513)}`, "q=a%00b"]) {
      const response = await ask(query)
      expect([response.status, response.body.details[0].path]).toEqual([400, ["query", "q"]])
    }
    for (const bad of ["limit=0", "limit=51", "limit=x", "organization=other", `tag=${"t".repeat(65)}`]) {
      expect([bad, (await ask(`q=x&${bad}`)).status]).toEqual([bad, 400])
    }
  })

  it("never finds another member's memory, with random texts and queries with operators and quotes", async () => {
    const [ada, bob, foreign] = [
      await addMember(plane, mine, "member"),
      await addMember(plane, mine, "admin"),
      await makeWorkspace(plane, "Elsewhere")
    ]
    const people = [ada, bob, foreign]
    const piece = fc.oneof(
      fc.constantFrom(
        "shared",
        "secret",
        "Größe",
        "ключ",
        "鍵です",
        "🎂",
        "'",
        '"',
        "%",
        "_",
        "\\",
        "&",
        "|",
        "!",
        ":*",
        "OR 1=1",
        "--"
      ),
      fc.string({ unit: "grapheme", maxLength: 6 })
    )
    const text = fc
      .array(piece, { minLength: 1, maxLength: 8 })
      .map((pieces) => pieces.join(" "))
      .filter((text) => text.isWellFormed() && !text.includes("\u0000"))
    await fc.assert(
      fc.asyncProperty(fc.tuple(text, text, text), text, async (saved, q) => {
        for (const [index, person] of people.entries()) await save(person, `${saved[index] ?? ""} of ${person.userId}`)
        for (const person of people) {
          for (const content of await find(person, `${q} shared`, "&limit=50")) expect(content).toContain(person.userId)
          for (const content of await find(person, people.map(({ userId }) => userId).join(" "), "&limit=50")) {
            expect(content).toContain(person.userId)
          }
        }
      }),
      { numRuns: 25 }
    )
    for (const person of people) {
      for (const content of await contents(person)) expect(content).toContain(person.userId)
    }
  }, 120_000)
})

describe("access to a memory by ID", () => {
  it("returns an identical 404 for another member's, another organization's and a missing memory, and deletes nothing", async () => {
    const boss = await makeWorkspace(plane, "Boss")
    const member = await addMember(plane, boss, "member")
    const { id } = await save(member, "not for the boss")
    for (const method of ["GET", "DELETE"]) {
      const responses = [
        await boss.call(method, `/v1/memory/${id}`),
        await mine.call(method, `/v1/memory/${id}`),
        await boss.call(method, "/v1/memory/mem_01h455vb4pex5vsknk084sn02q"),
        await boss.call(method, "/v1/memory/nothing%27")
      ]
      expect(responses.map(({ status, text }) => [status, text])).toEqual(
        responses.map(() => [404, '{"error":"memory_not_found","message":"No such memory."}'])
      )
      expect((await boss.call(method, `/v1/memory/${"x".repeat(256)}`)).status).toBe(400)
    }
    expect((await member.call("GET", `/v1/memory/${id}`)).status).toBe(200)
    expect((await member.call("DELETE", `/v1/memory/${id}`)).status).toBe(204)
    expect((await member.call("DELETE", `/v1/memory/${id}`)).status).toBe(404)
    expect(await find(member, "boss")).toEqual([])
  })
})

describe("GET /v1/memory", () => {
  it("pages newest first, by tag, with cursors valid for one member only", async () => {
    const person = await addMember(plane, mine, "member")
    for (const [n, tag] of ["a", "B", "a", "b"].entries()) await save(person, `memory ${n}`, { tags: [tag] })
    const first = await person.call("GET", "/v1/memory?limit=3")
    const rest = await person.call("GET", `/v1/memory?limit=3&cursor=${first.body.nextCursor}`)
    expect([first, rest].map(({ body }) => body.items.length)).toEqual([3, 1])
    expect(rest.body.nextCursor).toBeNull()
    expect(await contents(person, "&tag=b")).toEqual(["memory 3", "memory 1"])
    expect((await mine.call("GET", `/v1/memory?limit=3&cursor=${first.body.nextCursor}`)).status).toBe(400)
  })
})

describe("memory search in one of several organizations", () => {
  it("ranks without the memories of the others", async () => {
    const person = await signInByEmail(plane, "several@example.com")
    const makeOrganization = async (name: string) => {
      const { body } = await person.call("POST", "/v1/organizations", { name })
      return { "x-organization-id": String(body.organization.id) }
    }
    const [one, two] = [await makeOrganization("One"), await makeOrganization("Two")]
    for (const content of ["red tulips", "white tulips", "red roses"]) await save(person, content, {}, one)
    const ranking = async () => (await person.call("GET", "/v1/memory/search?q=red%20tulips", undefined, one)).body
    const before = await ranking()
    expect(before.results).toHaveLength(3)
    for (let n = 0; n < 30; n += 1) await save(person, "red tulips", {}, two)
    expect(await ranking()).toEqual(before)
  })
})

describe("memory search with organization=all", () => {
  it("covers every current organization of the user, for a session by email code only", async () => {
    const person = await signInByEmail(plane, "everywhere@example.com")
    const makeOrganization = async (name: string): Promise<string> =>
      (await person.call("POST", "/v1/organizations", { name })).body.organization.id
    const [one, two] = [await makeOrganization("One"), await makeOrganization("Two")]
    const at = (id: string) => ({ "x-organization-id": id })
    await save(person, "tulips of one", {}, at(one))
    await save(person, "tulips of two", {}, at(two))
    expect(await find(person, "tulips", "", at(one))).toEqual(["tulips of one"])
    expect((await find(person, "tulips", "&organization=all", at(one))).toSorted()).toEqual([
      "tulips of one",
      "tulips of two"
    ])
    expect(await contents(person, "&organization=all", at(two))).toEqual(["tulips of two", "tulips of one"])
    const exported = await person.call("GET", "/v1/memory/export?organization=all", undefined, at(one))
    expect(exported.text.split("\n").filter((line) => line.startsWith('{"kind":"memory"'))).toHaveLength(2)
    await person.call("DELETE", "/v1/organization", undefined, at(two))
    expect(await contents(person, "&organization=all", at(one))).toEqual(["tulips of one"])

    const minted = await mintSession(plane, mine, mine.membershipId)
    expect((await minted.call("GET", "/v1/memory?organization=all")).body.reason).toBe("session_required")
    expect((await minted.call("GET", "/v1/memory")).status).toBe(200)
  })

  it("returns 403 for a user of the host application, whose current organization works", async () => {
    const added = await mine.call("POST", "/v1/members", { subject: "hosted", role: "member" })
    expect(added.status).toBe(201)
    const hosted = {
      call: (method: string, path: string, body?: unknown) => call(plane)(method, path, body, { "x-person": "hosted" })
    }
    await save(hosted, "said to the host")
    expect(await find(hosted, "host")).toEqual(["said to the host"])
    expect((await hosted.call("GET", "/v1/memory/search?q=host&organization=all")).body.reason).toBe("session_required")
  })
})

describe("export and deletion of memories", () => {
  const lines = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly kind: string; readonly item: Record<string, unknown> })

  it("streams complete memories without caching, and leaves them out of the organization export", async () => {
    const boss = await makeWorkspace(plane, "Exports")
    const member = await addMember(plane, boss, "member")
    for (let n = 0; n < 25; n += 1) await save(member, `line ${n}`, { contexts: [{ snippet: "why" }] })
    const response = await member.call("GET", "/v1/memory/export")
    expect([response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
      "application/x-ndjson",
      "no-store"
    ])
    const exportedLines = lines(response.text)
    expect(exportedLines.map(({ kind }) => kind)).toEqual([
      "memories",
      ...Array.from({ length: 25 }, () => "memory"),
      "end"
    ])
    expect(exportedLines[1]?.item).toMatchObject({ content: "line 24", contexts: [{ snippet: "why", origin: null }] })
    expect(exportedLines.at(-1)?.item).toEqual({ count: 26 })
    expect((await boss.call("GET", "/v1/organization/export")).text).not.toContain("line 24")
    expect(lines((await boss.call("GET", "/v1/memory/export")).text)).toHaveLength(2)
  })

  it("deletes all memories of the member and of no one else", async () => {
    const [ada, bob] = [await addMember(plane, mine, "member"), await addMember(plane, mine, "member")]
    for (const person of [ada, ada, bob]) await save(person, "to be or not")
    expect((await ada.call("DELETE", "/v1/memory")).status).toBe(204)
    expect((await ada.call("DELETE", "/v1/memory")).status).toBe(204)
    expect([await contents(ada), await contents(bob)]).toEqual([[], ["to be or not"]])
  })

  it("includes them in the user's own export, and deletes them with the user", async () => {
    const person = await signInByEmail(plane, "leaves-memories@example.com")
    const owner = await addMember(plane, mine, "member")
    await save(owner, "stays")
    const makeOrganization = await person.call("POST", "/v1/organizations", { name: "Left" })
    await save(person, "mine alone")
    const exportedLines = lines((await person.call("GET", "/v1/me/export")).text)
    expect(exportedLines.filter(({ kind }) => kind === "memory").map(({ item }) => item["content"])).toEqual([
      "mine alone"
    ])
    await person.call("DELETE", "/v1/organization", undefined, {
      "x-organization-id": makeOrganization.body.organization.id
    })
    expect((await person.call("DELETE", "/v1/me")).status).toBe(204)
    expect(await runSql(plane, (sql) => sql`SELECT 1 FROM memories WHERE user_id = ${person.userId}`)).toEqual([])
    expect(await contents(owner)).toEqual(["stays"])
  })

  it("keeps a former member's memories for a month, then deletes them", async () => {
    const [former, back] = [await addMember(plane, mine, "member"), await addMember(plane, mine, "member")]
    for (const person of [former, back]) {
      await save(person, "left behind")
      expect((await mine.call("DELETE", `/v1/members/${person.membershipId}`)).status).toBe(204)
    }
    const count = (userId: string) =>
      runSql(plane, (sql) =>
        Effect.map(
          sql<{ left: boolean }>`SELECT left_at IS NOT NULL AS left FROM memories WHERE user_id = ${userId}`,
          (rows) => rows.map(({ left }) => left)
        )
      )
    await runSql(plane, sweep)
    expect([await count(former.userId), await count(back.userId)]).toEqual([[true], [true]])
    await runSql(plane, (sql) => sql`UPDATE memberships SET removed_at = NULL WHERE id = ${back.membershipId}`)
    await runSql(
      plane,
      (sql) => sql`UPDATE memories SET left_at = now() - interval '31 days' WHERE left_at IS NOT NULL`
    )
    await runSql(plane, sweep)
    expect([await count(former.userId), await count(back.userId)]).toEqual([[], [false]])
  })
})
