/** LLM providers: created from the catalog or with a base URL, changed, shared, removed. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import {
  addMember,
  makeControlPlane,
  makeRole,
  makeTeam,
  makeWorkspace,
  runSql,
  withServices,
  type Person
} from "../harness.ts"
import { serveCatalog } from "./llm.fixture.ts"

const catalog = await serveCatalog()
const plane = await makeControlPlane({ workers: false, modelsUrl: catalog.url })
const owner = await makeWorkspace(plane)
const stranger = await makeWorkspace(plane, "Strangers")

const path = "/v1/llm-providers"
const notFound = { error: "llm_provider_not_found", message: "No such LLM provider." }
let nameCount = 0
const name = () => `Provider ${(nameCount += 1)}`
const own = { providerId: "custom", baseUrl: "https://llm.example/v1" }
const create = async (more: object = {}, person: Pick<Person, "call"> = owner) => {
  const response = await person.call("POST", path, { name: name(), ...own, ...more })
  if (response.status !== 201) throw new Error(response.text)
  return response.body.llmProvider
}
const setKey = (id: string, apiKey = "sk-some-key", person: Pick<Person, "call"> = owner) =>
  person.call("PUT", `${path}/${id}/credential`, { apiKey })
const keysOf = (id: string) =>
  runSql(
    plane,
    (sql) => sql<{ membership_id: string }>`SELECT membership_id FROM oauth_credentials WHERE subject_id = ${id}`
  )
const detailsOf = ({ body }: Awaited<ReturnType<Person["call"]>>) =>
  (body.details as ReadonlyArray<{ path: ReadonlyArray<string> }>).map((detail) => detail.path.join("."))

describe("POST /v1/llm-providers", () => {
  it("creates a private provider with its own base URL, and fills in defaults", async () => {
    const provider = await create()
    expect(provider).toEqual({
      id: expect.stringMatching(/^llm_/),
      organizationId: owner.organizationId,
      name: provider.name,
      providerId: "custom",
      apiFormat: "openai_compatible",
      baseUrl: "https://llm.example/v1",
      env: [],
      npm: null,
      docUrl: null,
      models: null,
      credentialMode: "shared",
      status: "not_connected",
      statusReason: "A manager must set the provider's key.",
      connectedForMe: false,
      headers: {},
      options: {},
      createdByOrgMembershipId: owner.membershipId,
      createdAt: provider.createdAt,
      updatedAt: provider.createdAt
    })
    expect((await owner.call("GET", `${path}/${provider.id}`)).body.llmProvider).toEqual(provider)
    const member = await addMember(plane, owner, "member")
    const hidden = await member.call("GET", `${path}/${provider.id}`)
    const missing = await member.call("GET", `${path}/${makeId("llm")}`)
    expect([hidden.status, hidden.body, hidden.text]).toEqual([404, notFound, missing.text])
    expect((await stranger.call("GET", `${path}/${provider.id}`)).text).toBe(missing.text)
    expect((await member.call("GET", path)).body.items).toEqual([])
  })

  it("takes omitted settings of a catalog provider from the catalog", async () => {
    expect(await create({ providerId: "anthropic", baseUrl: undefined })).toMatchObject({
      providerId: "anthropic",
      apiFormat: "anthropic",
      baseUrl: "https://api.anthropic.com/v1",
      env: ["ANTHROPIC_API_KEY"],
      npm: "@ai-sdk/anthropic",
      docUrl: "https://docs.anthropic.example/models"
    })
    expect(await create({ providerId: "clouds", baseUrl: undefined })).toMatchObject({
      apiFormat: "other",
      baseUrl: null,
      env: ["CLOUDS_ID", "CLOUDS_SECRET"]
    })
    const mirrored = { providerId: "anthropic", baseUrl: "https://mirror.example/v1", env: ["A", "B", "A"] }
    expect(await create(mirrored)).toMatchObject({ ...mirrored, env: ["A", "B"], apiFormat: "anthropic" })
    const azure = await owner.call("POST", path, { name: name(), providerId: "azure" })
    expect([azure.status, detailsOf(azure)]).toEqual([400, ["body.baseUrl"]])
    const unknown = await owner.call("POST", path, { name: name(), providerId: "nobody" })
    expect([unknown.status, detailsOf(unknown)]).toEqual([400, ["body.providerId"]])
    const nowhere = await owner.call("POST", path, { name: name(), providerId: "custom" })
    expect([nowhere.status, detailsOf(nowhere)]).toEqual([400, ["body.baseUrl"]])
  })

  it("stores the enabled models with their details", async () => {
    const models = [
      { id: "a", label: "Fast", capabilities: ["tool_call", "tool_call"], contextLimit: 8192, outputLimit: null },
      { id: "accounts/b" }
    ]
    expect((await create({ models })).models).toEqual([
      { id: "a", label: "Fast", capabilities: ["tool_call"], contextLimit: 8192, outputLimit: null },
      { id: "accounts/b", label: null, capabilities: null, contextLimit: null, outputLimit: null }
    ])
    expect((await create({ models: [] })).models).toEqual([])
  })

  it("returns 409 for a name in use in any case, and 403 without the permission", async () => {
    const { name: taken } = await create()
    const response = await owner.call("POST", path, { ...own, name: String(taken).toUpperCase() })
    expect([response.status, response.body.error]).toEqual([409, "llm_provider_exists"])
    expect((await stranger.call("POST", path, { ...own, name: taken })).status).toBe(201)
    const member = await addMember(plane, owner, "member")
    const rejected = await member.call("POST", path, { ...own, name: name() })
    expect([rejected.status, rejected.body.reason]).toEqual([403, "permission_required"])
  })

  const wrong: ReadonlyArray<readonly [string, object, string]> = [
    ["an address of files", { baseUrl: "file:///etc/passwd" }, "baseUrl"],
    ["an address with a user", { baseUrl: "https://a:b@llm.example/v1" }, "baseUrl"],
    ["an address with a query", { baseUrl: "https://llm.example/v1?key=x" }, "baseUrl"],
    ["an address with a fragment", { baseUrl: "https://llm.example/v1#x" }, "baseUrl"],
    ["an unknown format", { apiFormat: "soap" }, "apiFormat"],
    ["an unknown mode", { credentialMode: "everybody" }, "credentialMode"],
    ["a provider that is no word", { providerId: "Not A Word" }, "providerId"],
    ["a model twice", { models: [{ id: "a" }, { id: "a" }] }, "models"],
    ["too many models", { models: Array.from({ length: 501 }, (_, at) => ({ id: `m${at}` })) }, "models"],
    ["a model without an end", { models: [{ id: "x".repeat(256) }] }, "models.0.id"],
    ["a limit below one", { models: [{ id: "a", contextLimit: 0 }] }, "models.0.contextLimit"],
    ["a variable that is none", { env: ["A B"] }, "env.0"],
    ["a line break in a header", { headers: { "x-a": "b\r\nx-c: d" } }, "headers.x-a"],
    ["a header of HTTP", { headers: { Host: "elsewhere.example" } }, "headers"],
    ["a header twice", { headers: { "X-A": "1", "x-a": "2" } }, "headers"],
    [
      "seventeen headers",
      { headers: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`x-${at}`, "1"])) },
      "headers"
    ],
    ["options without an end", { options: { text: "x".repeat(20_000) } }, "options"],
    ["half of a character", { options: { a: "\ud800" } }, "options"]
  ]
  it.each(wrong)("rejects %s with 400", async (_, more, where) => {
    const response = await owner.call("POST", path, { name: name(), ...own, ...more })
    expect([response.status, detailsOf(response)]).toEqual([400, [`body.${where}`]])
  })

  it("rejects options that are nested too deeply", async () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"]
    ] as const) {
      const deep = `${open.repeat(50_000)}0${close.repeat(50_000)}`
      const body = JSON.stringify({ name: name(), ...own, options: { deep: "it" } }).replace('"it"', () => deep)
      const response = await plane.fetch(
        new Request(`http://localhost${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
          body
        })
      )
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([400, "invalid_request"])
    }
  })

  it("rejects a secret where everyone with a grant can read it, under any name", async () => {
    const secret = fc.constantFrom(
      ..."apiKey api_key api-key key x-api-key authorization Authorization Cookie token accessToken auth-token secret clientSecret".split(
        " "
      ),
      ..."password passwd passphrase credential x-signature OPENAI_API_KEY".split(" ")
    )
    await fc.assert(
      fc.asyncProperty(secret, fc.nat({ max: 3 }), async (called, depth) => {
        let options: Record<string, unknown> = { [called]: "sk-1" }
        for (let at = 0; at < depth; at++) options = { [`a${at}`]: at % 2 === 0 ? options : [options] }
        const inOptions = await owner.call("POST", path, { name: name(), ...own, options })
        expect([inOptions.status, detailsOf(inOptions)]).toEqual([400, ["body.options"]])
        expect(inOptions.text).not.toContain("sk-1")
        const inHeaders = await owner.call("POST", path, { name: name(), ...own, headers: { [called]: "sk-1" } })
        expect([inHeaders.status, detailsOf(inHeaders)]).toEqual([400, ["body.headers"]])
      }),
      { numRuns: 40 }
    )
    const harmless = {
      options: {
        maxTokens: 4096,
        max_tokens: "4096",
        tokenizer: "cl100k",
        apiVersion: "2026-01",
        keywords: "a",
        key: 7
      },
      headers: { "anthropic-beta": "context-1m", "OpenAI-Organization": "org-1" }
    }
    expect(await create(harmless)).toMatchObject(harmless)
  }, 60_000)
})

describe("GET /v1/llm-providers", () => {
  it("pages through the visible providers, newest first, and searches by part of the name", async () => {
    const person = await makeWorkspace(plane, "Lists")
    const ids: Array<string> = []
    for (const name of ["One of 100%", "Two", "Three of 100%"]) ids.unshift((await create({ name }, person)).id)
    const first = await person.call("GET", `${path}?limit=2`)
    const second = await person.call("GET", `${path}?limit=2&cursor=${String(first.body.nextCursor)}`)
    const all = [...first.body.items, ...second.body.items] as ReadonlyArray<{ id: string }>
    expect([all.map(({ id }) => id), second.body.nextCursor]).toEqual([ids, null])
    expect((await person.call("GET", `${path}?q=${encodeURIComponent("100%")}`)).body.items).toHaveLength(2)
    expect((await person.call("GET", `${path}?q=_`)).body.items).toEqual([])
  })
})

describe("PATCH /v1/llm-providers/{id}", () => {
  const patch = (id: string, body: object, headers: Record<string, string> = {}) =>
    owner.call("PATCH", `${path}/${id}`, body, headers)

  it.each([
    ["another address", { baseUrl: "https://elsewhere.example/v1" }],
    ["another provider", { providerId: "house", baseUrl: "https://llm.example/v1" }],
    ["another mode", { credentialMode: "per_member" }]
  ])("deletes the keys when the update has %s", async (_, body) => {
    const { id } = await create()
    await setKey(id)
    const changed = await patch(id, body)
    expect([changed.status, changed.body.llmProvider.connectedForMe]).toEqual([200, false])
    expect(await keysOf(id)).toEqual([])
  })

  it("keeps the keys for any other update, and changes only the given members", async () => {
    const before = await create({ headers: { "x-a": "1" }, options: { b: 1, a: [2] } })
    await setKey(before.id)
    const body = { name: name(), models: [{ id: "m" }], apiFormat: "anthropic", env: ["E"], headers: { "x-b": "2" } }
    const { llmProvider } = (await patch(before.id, body)).body
    expect(llmProvider).toMatchObject({ ...body, models: [{ id: "m" }], options: { b: 1, a: [2] }, status: "ready" })
    expect(await keysOf(before.id)).toHaveLength(1)
    expect((await patch(before.id, { models: null, options: {} })).body.llmProvider).toMatchObject({
      models: null,
      options: {},
      headers: { "x-b": "2" }
    })
  })

  it("resets the settings when the provider ID changes", async () => {
    const before = await create({ models: [{ id: "m" }], headers: { "x-a": "1" }, options: { a: 1 }, env: ["E"] })
    expect((await patch(before.id, { providerId: "house" })).body.llmProvider).toMatchObject({
      name: before.name,
      providerId: "house",
      baseUrl: "https://api.house.example/v1",
      env: ["HOUSE_API_KEY"],
      models: null,
      headers: {},
      options: {}
    })
    const nowhere = await patch(before.id, { providerId: "custom" })
    expect([nowhere.status, detailsOf(nowhere)]).toEqual([400, ["body.baseUrl"]])
    // An unchanged provider ID needs no catalog lookup.
    const requestCount = catalog.requests.length
    expect((await patch(before.id, { providerId: "house", name: name() })).status).toBe(200)
    expect(catalog.requests.length).toBe(requestCount)
  })

  it("returns 412 for an outdated version, and treats a repeated update as a no-op", async () => {
    const { id } = await create({ options: { z: 1, a: { d: 1, c: 2 } } })
    const first = await patch(id, { name: name() })
    const etag = first.headers.get("etag") ?? ""
    expect(etag).toBe(`"2"`)
    expect((await patch(id, { options: { a: { c: 2, d: 1 }, z: 1 } }, { "if-match": etag })).headers.get("etag")).toBe(
      etag
    )
    expect((await patch(id, { name: name() }, { "if-match": etag })).status).toBe(200)
    const late = await patch(id, { name: name() }, { "if-match": etag })
    expect([late.status, late.body.error]).toEqual([412, "precondition_failed"])
    const { name: taken } = await create()
    expect((await patch(id, { name: taken })).body.error).toBe("llm_provider_exists")
  })

  it("returns 403 for an editor and 404 for callers who cannot see the provider", async () => {
    const { id } = await create()
    const role = await makeRole(owner, ["llmProviders:read", "llmProviders:write", "llmProviders:manage"])
    const editor = await addMember(plane, owner, role)
    const rename = () => editor.call("PATCH", `${path}/${id}`, { name: name() })
    expect((await rename()).body).toEqual(notFound)
    await owner.call("POST", `${path}/${id}/access`, { orgMembershipId: editor.membershipId, role: "editor" })
    const rejected = await rename()
    expect([rejected.status, rejected.body.reason]).toEqual([403, "grant_required"])
    expect((await editor.call("DELETE", `${path}/${id}`)).body.reason).toBe("grant_required")
  })
})

describe("DELETE /v1/llm-providers/{id}", () => {
  it("frees the name, ends grants and keys, returns 404 the second time, and is purged after thirty days", async () => {
    const provider = await create()
    const { id } = provider
    await setKey(id)
    await owner.call("POST", `${path}/${id}/access`, { orgWide: true, role: "viewer" })
    expect((await owner.call("DELETE", `${path}/${id}`, undefined, { "if-match": `"7"` })).status).toBe(412)
    expect((await owner.call("DELETE", `${path}/${id}`)).status).toBe(204)
    const again = await owner.call("DELETE", `${path}/${id}`)
    expect([again.status, again.body]).toEqual([404, notFound])
    expect(await keysOf(id)).toEqual([])
    await create({ name: provider.name })
    const rows = (table: string) =>
      runSql(
        plane,
        (sql) => sql`SELECT 1 AS one FROM ${sql(table)}
        WHERE ${sql(table === "grants" ? "object_id" : "id")} = ${id}`
      )
    const live = await runSql(
      plane,
      (sql) => sql`SELECT 1 AS one FROM grants WHERE object_id = ${id} AND removed_at IS NULL`
    )
    expect(live).toEqual([])
    const purge = withServices(plane, Effect.flatMap(SqlDatabase, sweep).pipe(Effect.orDie))
    await purge
    expect([(await rows("llm_providers")).length, (await rows("grants")).length]).toEqual([1, 2])
    await runSql(plane, (sql) => sql`UPDATE llm_providers SET deleted_at = now() - interval '31 days' WHERE id = ${id}`)
    await withServices(plane, Effect.flatMap(SqlDatabase, sweep).pipe(Effect.orDie))
    expect([await rows("llm_providers"), await rows("grants")]).toEqual([[], []])
  })
})

describe("/v1/llm-providers/{id}/access", () => {
  it("grants, changes, revokes and lists access of members, teams and everyone", async () => {
    const { id } = await create()
    const member = await addMember(plane, owner, "member")
    const team = await makeTeam(owner, [member])
    const access = `${path}/${id}/access`
    const byTeam = await owner.call("POST", access, { teamId: team, role: "viewer" })
    expect([byTeam.status, byTeam.body.grant.id]).toEqual([201, expect.stringMatching(/^lla_/)])
    expect((await member.call("GET", `${path}/${id}`)).status).toBe(200)
    const again = await owner.call("POST", access, { teamId: team, role: "editor" })
    expect([again.status, again.body.grant]).toMatchObject([200, { id: byTeam.body.grant.id, role: "editor" }])
    expect((await member.call("POST", access, { orgWide: true, role: "viewer" })).body.reason).toBe("grant_required")
    const grantPath = `${access}/${String(byTeam.body.grant.id)}`
    expect((await member.call("DELETE", grantPath)).body.reason).toBe("grant_required")
    const listed = await member.call("GET", access)
    expect(listed.body.items).toHaveLength(2)
    expect((await owner.call("DELETE", grantPath)).status).toBe(204)
    expect((await owner.call("DELETE", grantPath)).body.error).toBe("llm_provider_grant_not_found")
    expect((await member.call("GET", `${path}/${id}`)).body).toEqual(notFound)
    const foreign = await owner.call("POST", access, { orgMembershipId: stranger.membershipId, role: "viewer" })
    const missing = await owner.call("POST", access, { orgMembershipId: makeId("om"), role: "viewer" })
    expect([foreign.status, foreign.text]).toEqual([400, missing.text])
  })

  it("explains access and the effect of a revocation", async () => {
    const { id, name: called } = await create()
    const member = await addMember(plane, owner, "member")
    const { body } = await owner.call("POST", `${path}/${id}/access`, {
      orgMembershipId: member.membershipId,
      role: "viewer"
    })
    const object = { kind: "llmProvider", id }
    const explained = await member.call("POST", "/v1/access/explain", { object, action: "edit" })
    expect(explained.body.explanation).toMatchObject({ allowed: false, level: "viewer", needed: "editor" })
    const impact = await owner.call("POST", "/v1/access/impact", { grantId: body.grant.id })
    expect(impact.body.impact.losses).toEqual([
      { orgMembershipId: member.membershipId, object: { ...object, name: called }, from: "viewer", to: null }
    ])
  })
})

describe("an organization export", () => {
  it("contains its providers without keys", async () => {
    const person = await makeWorkspace(plane, "Exports")
    const { id } = await create({ options: { region: "eu" } }, person)
    await setKey(id, "sk-never-in-an-export", person)
    const response = await person.call("GET", "/v1/organization/export")
    expect(response.text).toContain(id)
    expect(response.text).not.toContain("sk-never-in-an-export")
    const line = response.text.split("\n").find((one) => one.includes(`"llmProvider"`) && one.includes(id))
    expect(JSON.parse(line ?? "{}")).toMatchObject({ kind: "llmProvider", item: { id, options: { region: "eu" } } })
  })
})
