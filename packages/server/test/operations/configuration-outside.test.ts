/** Configuration as code: desktop policies, and servers outside orgplane with their secrets. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { makeKeyPair } from "../../src/infra/adapters/saml/saml.fixture.ts"
import { serveCatalog } from "../agents/llm.fixture.ts"
import { addMember, makeControlPlane, makeKey, makeTeam, makeWorkspace, runSql, type Workspace } from "../harness.ts"
import { type Caller, demanded, emailOf, exported, type Item, makeTwin } from "./configuration.fixture.ts"

/** Requests to it would be allowed, so a test can see that none is sent. */
let requests = 0
const server = createServer((_, response) => {
  requests += 1
  response.writeHead(401).end()
})
server.listen(0, "127.0.0.1")
await once(server, "listening")
const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const plane = await makeControlPlane({ outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } })

const planned = async (person: Caller, document: Item, secrets?: Item): Promise<Item> =>
  demanded(await person.call("POST", "/v1/configuration/plan", { document, ...(secrets && { secrets }) })).plan
const apply = (person: Caller, document: Item, secrets?: Item, planDigest?: string) =>
  person.call("POST", "/v1/configuration/apply", {
    document,
    ...(secrets && { secrets }),
    ...(planDigest && { planDigest })
  })
const applied = async (person: Caller, document: Item, secrets?: Item, planDigest?: string): Promise<Item> =>
  demanded(await apply(person, document, secrets, planDigest)).plan
const actions = (plan: Item) => plan.changes.map(({ action, key, kind }: Item) => `${action} ${kind} ${key ?? "-"}`)
/** Checks that the document of one organization makes the same document in another one with the same people. */
const expectSameInTwin = async (owner: Workspace, secrets?: Item) => {
  const first = await exported(owner)
  expect((await planned(owner, first)).changes.filter(({ action }: Item) => action !== "adopt")).toEqual([])
  const twin = await makeTwin(plane, owner)
  await applied(twin, first, secrets)
  expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(first))
  expect((await planned(twin, first, secrets)).changes).toEqual([])
}

describe("desktop policies in a configuration document", () => {
  it("are created, changed and removed with the teams and members that they apply to", async () => {
    const owner = await makeWorkspace(plane)
    const ada = await emailOf(plane, await addMember(plane, owner, "member"))
    const document = {
      version: 1,
      teams: [{ key: "platform", name: "Platform", members: [ada] }],
      desktopPolicies: [
        { key: "all", name: "All", appliesTo: "everyone", settings: { allowAlphaUpdates: false } },
        {
          key: "platform",
          name: "Platform",
          priority: 10,
          isEnabled: false,
          appliesTo: { teams: ["platform"], members: [ada.toUpperCase()] },
          settings: { onboardingPrompts: ["Hello"], showWelcomePage: null }
        },
        { key: "none", name: "None", appliesTo: {} }
      ]
    }
    const plan = await planned(owner, document)
    expect([plan.problems, actions(plan)]).toEqual([
      [],
      [
        "create teams platform",
        "create desktopPolicies all",
        "create desktopPolicies platform",
        "create desktopPolicies none"
      ]
    ])
    expect((await exported(owner)).desktopPolicies).toEqual([])
    expect(await applied(owner, document, undefined, plan.planDigest)).toEqual(plan)
    expect((await applied(owner, document)).changes).toEqual([])
    const { desktopPolicies } = await exported(owner, "desktopPolicies")
    expect(desktopPolicies).toEqual([
      {
        key: "all",
        name: "All",
        settings: { allowAlphaUpdates: false },
        priority: 0,
        isEnabled: true,
        appliesTo: "everyone"
      },
      {
        key: "none",
        name: "None",
        settings: {},
        priority: 0,
        isEnabled: true,
        appliesTo: { members: [], teams: [] }
      },
      {
        key: "platform",
        name: "Platform",
        settings: { onboardingPrompts: ["Hello"], onboardingPromptDescriptions: [""] },
        priority: 10,
        isEnabled: false,
        appliesTo: { members: [ada], teams: ["platform"] }
      }
    ])
    await expectSameInTwin(owner)
    const listed = demanded(await owner.call("GET", "/v1/desktop-policies")).items
    expect(listed.map(({ audience, policyName }: Item) => [policyName, audience]).toSorted()).toEqual([
      ["All", "organization"],
      ["None", "nobody"],
      ["Platform", "assigned"]
    ])
    // The team is removed in the same apply as the policy changes.
    const changed = {
      version: 1,
      teams: [],
      desktopPolicies: [{ key: "platform", name: "Platform 2", appliesTo: { members: [ada] } }],
      prune: { teams: true, desktopPolicies: true }
    }
    expect((await apply(owner, changed)).body.error).toBe("plan_digest_required")
    const changes = await planned(owner, changed)
    expect(actions(changes)).toEqual([
      "delete desktopPolicies all",
      "delete desktopPolicies none",
      "delete teams platform",
      "update desktopPolicies platform"
    ])
    expect(await applied(owner, changed, undefined, changes.planDigest)).toEqual(changes)
    expect((await exported(owner)).desktopPolicies).toMatchObject([
      { key: "platform", name: "Platform 2", priority: 10, appliesTo: { members: [ada], teams: [] } }
    ])
    const events = demanded(await owner.call("GET", "/v1/audit-events?limit=100")).items
    expect(events.map(({ action }: Item) => action)).toEqual(
      expect.arrayContaining(["desktop_policy.create", "desktop_policy.update", "desktop_policy.remove"])
    )
  })

  it("keep members without an email address, and everyone else is replaced", async () => {
    const owner = await makeWorkspace(plane)
    const ada = await emailOf(plane, await addMember(plane, owner, "member"))
    const { membershipId } = await addMember(plane, owner, "member")
    await owner.call("POST", "/v1/desktop-policies", { policyName: "One", policy: {}, memberIds: [membershipId] })
    expect((await exported(owner)).desktopPolicies).toMatchObject([{ key: "one", appliesTo: { members: [] } }])
    await applied(owner, {
      version: 1,
      desktopPolicies: [{ key: "one", name: "One", appliesTo: { members: [ada] } }]
    })
    const [policy] = demanded(await owner.call("GET", "/v1/desktop-policies")).items
    expect([policy.memberIds.length, policy.memberIds.includes(membershipId)]).toEqual([2, true])
  })

  it("report references that do not resolve, and permissions and a plan that are missing", async () => {
    const owner = await makeWorkspace(plane)
    const ada = await emailOf(plane, await addMember(plane, owner, "member"))
    const document = (appliesTo: Item) => ({
      version: 1,
      desktopPolicies: [{ key: "a", name: "A", appliesTo }]
    })
    const { problems } = await planned(owner, document({ members: [ada, "Nobody@nowhere.example"], teams: ["x"] }))
    expect(problems).toEqual([
      {
        path: ["desktopPolicies", 0, "appliesTo", "members", 1],
        message: "is not the email address of a member: nobody@nowhere.example"
      },
      { path: ["desktopPolicies", 0, "appliesTo", "teams", 0], message: "does not exist: x" }
    ])
    const refused = await apply(owner, document({ teams: ["x"] }))
    expect([refused.status, refused.body.details[0].path]).toEqual([
      400,
      ["body", "document", "desktopPolicies", 0, "appliesTo", "teams", 0]
    ])
    const permissions = ["organizations:read", "organizations:write", "desktopPolicies:read"]
    const all = document("everyone")
    const reader = await makeKey(plane, owner, [...permissions, "teams:read", "members:read"])
    expect((await apply(await makeKey(plane, owner, permissions), all)).body.reason).toBe("permission_required")
    expect((await apply(reader, all)).body.message).toContain("desktopPolicies:write")
    expect((await exported(reader, "desktopPolicies")).desktopPolicies).toEqual([])
    const free = await makeWorkspace(plane)
    await runSql(plane, (sql) => sql`UPDATE organizations SET plan = 'free' WHERE id = ${free.organizationId}`)
    expect((await planned(free, all)).problems[0]).toEqual({
      path: ["desktopPolicies", 0],
      message: "cannot be created: This feature needs the enterprise plan."
    })
    expect((await apply(free, all)).status).toBe(400)
  })

  it("export the same bytes after an apply to another organization, for random policies", async () => {
    const owner = await makeWorkspace(plane)
    const emails = await Promise.all([1, 2].map(async () => emailOf(plane, await addMember(plane, owner, "member"))))
    const teams = ["Red", "Green"]
    for (const name of teams) await makeTeam(owner, [], name)
    const flag = fc.constantFrom(true, false, null)
    const policy = fc.record(
      {
        settings: fc.record(
          {
            allowAlphaUpdates: flag,
            showWelcomePage: flag,
            allowCustomProviders: flag,
            onboardingPrompts: fc.option(fc.array(fc.constantFrom("a", "b"), { maxLength: 3 }))
          },
          { requiredKeys: [] }
        ),
        priority: fc.integer({ min: 0, max: 5 }),
        isEnabled: fc.boolean(),
        appliesTo: fc.oneof(
          fc.constant("everyone"),
          fc.record({ members: fc.subarray(emails), teams: fc.subarray(["red", "green"]) }, { requiredKeys: [] })
        )
      },
      { requiredKeys: ["appliesTo"] }
    )
    // The documents refer to the teams without containing them.
    expect((await owner.call("POST", "/v1/configuration/adopt", {})).status).toBe(200)
    await fc.assert(
      fc.asyncProperty(fc.array(policy, { maxLength: 4 }), async (policies) => {
        const desktopPolicies = policies.map((one, index) => ({ key: `p${index}`, name: `Policy ${index}`, ...one }))
        const document = { version: 1, desktopPolicies }
        const plan = await planned(owner, document)
        expect(plan.problems).toEqual([])
        expect(await applied(owner, document, undefined, plan.planDigest)).toEqual(plan)
        expect((await planned(owner, document)).changes).toEqual([])
        await expectSameInTwin(owner)
      }),
      { numRuns: 6 }
    )
  })
})

/** Every response, audit event and plan that a person can read after the test. */
const readableTexts = async (person: Caller): Promise<string> => {
  const paths = [
    "/v1/configuration",
    "/v1/audit-events?limit=100",
    "/v1/llm-providers",
    "/v1/mcp-connections",
    "/v1/events?limit=100"
  ]
  return (await Promise.all(paths.map(async (path) => (await person.call("GET", path)).text))).join("\n")
}

describe("LLM providers in a configuration document", () => {
  const provider = {
    key: "acme",
    name: "Acme models",
    providerId: "custom",
    baseUrl: "https://llm.example/v1",
    apiKey: { fromEnvironment: "ACME_KEY" }
  }
  const document = (changes: Item = {}) => ({ version: 1, llmProviders: [{ ...provider, ...changes }] })

  it("are created with their key, which appears nowhere, and a second apply changes nothing", async () => {
    const owner = await makeWorkspace(plane)
    const ada = await emailOf(plane, await addMember(plane, owner, "member"))
    const secrets = { ACME_KEY: "sk-very-secret-1" }
    const full = {
      ...document({
        models: [{ id: "m1", label: "Model 1", capabilities: ["reasoning", "reasoning"] }, { id: "m2" }],
        headers: { "x-team": "a" },
        options: { timeout: 5, nested: { b: 1, a: 2 } },
        access: [
          { team: "platform", role: "viewer" },
          { everyone: true, role: "viewer" },
          { member: ada, role: "editor" }
        ]
      }),
      teams: [{ key: "platform", name: "Platform" }]
    }
    const plan = await planned(owner, full, secrets)
    expect([plan.problems, actions(plan)]).toEqual([[], ["create teams platform", "create llmProviders acme"]])
    const field = plan.changes[1].fields.find(({ field }: Item) => field === "apiKey")
    expect(field).toEqual({ field: "apiKey", before: null, after: { fromEnvironment: "ACME_KEY" } })
    expect((await exported(owner)).llmProviders).toEqual([])
    expect(await applied(owner, full, secrets, plan.planDigest)).toEqual(plan)
    expect((await applied(owner, full, secrets)).changes).toEqual([])
    // Without a value, the current key is kept.
    expect((await applied(owner, full)).changes).toEqual([])
    const { llmProviders } = await exported(owner, "llmProviders")
    expect(llmProviders).toEqual([
      {
        key: "acme",
        name: "Acme models",
        providerId: "custom",
        credentialMode: "shared",
        apiFormat: "openai_compatible",
        baseUrl: "https://llm.example/v1",
        env: [],
        models: [{ id: "m1", label: "Model 1", capabilities: ["reasoning"] }, { id: "m2" }],
        headers: { "x-team": "a" },
        options: { nested: { a: 2, b: 1 }, timeout: 5 },
        apiKey: { fromEnvironment: "LLM_ACME_API_KEY" },
        access: [
          { everyone: true, role: "viewer" },
          { member: ada, role: "editor" },
          { team: "platform", role: "viewer" }
        ]
      }
    ])
    const [{ id, status }] = demanded(await owner.call("GET", "/v1/llm-providers")).items
    expect(status).toBe("ready")
    const connected = await owner.call("POST", `/v1/llm-providers/${id}/connect`)
    expect(demanded(connected).connection.credential.apiKey).toBe(secrets.ACME_KEY)
    expect(await readableTexts(owner)).not.toContain("sk-very-secret")
    await expectSameInTwin(owner, { LLM_ACME_API_KEY: secrets.ACME_KEY })
  })

  it("get another key only if the value differs, and need it again if a change removes it", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document(), { ACME_KEY: "one" })
    const rotation = await planned(owner, document(), { ACME_KEY: "two" })
    expect(rotation.changes).toMatchObject([
      {
        action: "update",
        fields: [{ field: "apiKey", before: "(current secret)", after: { fromEnvironment: "ACME_KEY" } }]
      }
    ])
    // The digest is for this value only.
    const other = await apply(owner, document(), { ACME_KEY: "three" }, rotation.planDigest)
    expect(other.body.error).toBe("plan_digest_mismatch")
    await applied(owner, document(), { ACME_KEY: "two" }, rotation.planDigest)
    expect((await applied(owner, document(), { ACME_KEY: "two" })).changes).toEqual([])
    const moved = document({ baseUrl: "https://other.example/v1" })
    expect((await planned(owner, moved)).problems).toEqual([
      {
        path: ["llmProviders", 0, "apiKey"],
        message: "needs the value of the secret in `secrets`, because the change removes the current secret"
      }
    ])
    await applied(owner, moved, { ACME_KEY: "two" })
    const [{ status }] = demanded(await owner.call("GET", "/v1/llm-providers")).items
    expect(status).toBe("ready")
    expect((await applied(owner, moved, { ACME_KEY: "two" })).changes).toEqual([])
    // A rename keeps the key.
    await applied(owner, document({ name: "Renamed", baseUrl: "https://other.example/v1" }))
    expect((await exported(owner)).llmProviders[0]).toMatchObject({ name: "Renamed", apiKey: {} })
  })

  it("need the value of a new secret, and no value that the document does not name", async () => {
    const owner = await makeWorkspace(plane)
    expect((await planned(owner, document())).problems).toEqual([
      { path: ["llmProviders", 0, "apiKey"], message: "needs the value of the secret in `secrets`" }
    ])
    for (const [secrets, path] of [
      [{ ACME_KEY: "sk-very-secret", "sk-very-secret": "ACME_KEY" }, ["body", "secrets"]],
      [{ ACME_KEY: ["sk-very-secret"] }, ["body", "secrets", "ACME_KEY"]],
      [{ ACME_KEY: "sk-very-secret".repeat(2000) }, ["body", "secrets", "ACME_KEY"]]
    ] as const) {
      const refused = await apply(owner, document(), secrets)
      expect([refused.status, refused.body.details[0].path]).toEqual([400, path])
      expect(refused.text).not.toContain("sk-very-secret")
    }
    const spaced = await planned(owner, document(), { ACME_KEY: "sk very secret" })
    expect(spaced.problems).toEqual([
      { path: ["llmProviders", 0, "apiKey"], message: "must be printable ASCII without spaces" }
    ])
    const personal = await planned(owner, document({ credentialMode: "per_member" }), { ACME_KEY: "sk" })
    expect(personal.problems).toEqual([
      { path: ["llmProviders", 0, "apiKey"], message: "is not allowed unless credentialMode is shared" }
    ])
    const mixed = {
      version: 1,
      llmProviders: [provider, { ...provider, key: "b", name: "B", apiKey: { fromFile: "ACME_KEY" } }]
    }
    expect((await planned(owner, mixed, { ACME_KEY: "sk" })).problems[0].path).toEqual(["llmProviders", 0, "apiKey"])
    for (const apiKey of ["sk", { fromEnvironment: "A B" }, { fromEnvironment: "A", fromFile: "b" }, { value: "sk" }]) {
      const refused = await apply(owner, document({ apiKey }))
      expect([refused.status, refused.body.details[0].path.slice(0, 5)]).toEqual([
        400,
        ["body", "document", "llmProviders", 0, "apiKey"]
      ])
    }
    expect((await exported(owner)).llmProviders).toEqual([])
  })

  it("from the catalog are created with the stored catalog, and a plan never fetches it", async () => {
    const source = await serveCatalog()
    const other = await makeControlPlane({ workers: false, modelsUrl: source.url, logLevel: "none" })
    const owner = await makeWorkspace(other)
    const listed = { version: 1, llmProviders: [{ key: "a", name: "A", providerId: "anthropic" }] }
    expect((await planned(owner, listed)).problems).toMatchObject([
      { path: ["llmProviders", 0], message: expect.stringContaining("The model catalog has not been fetched yet") }
    ])
    expect((await apply(owner, listed)).status).toBe(400)
    expect(source.requests).toEqual([])
    demanded(await owner.call("GET", "/v1/llm-providers/catalog"))
    const fetched = source.requests.length
    await runSql(
      other,
      (sql) => sql`UPDATE model_catalogs SET checked_at = checked_at - interval '1 day',
      tried_at = tried_at - interval '1 day'`
    )
    await applied(owner, listed)
    expect((await exported(owner, "llmProviders")).llmProviders).toMatchObject([{ providerId: "anthropic" }])
    expect(source.requests.length).toBe(fetched)
    const unknown = { version: 1, llmProviders: [{ key: "b", name: "B", providerId: "nothing" }] }
    expect((await planned(owner, unknown)).problems[0].path).toEqual(["llmProviders", 0, "providerId"])
  })

  it("are removed only with prune and the digest, and never those of another organization", async () => {
    const [owner, stranger] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    await applied(owner, document(), { ACME_KEY: "one" })
    const emptied = { version: 1, llmProviders: [], prune: { llmProviders: true } }
    expect((await planned(stranger, emptied)).changes).toEqual([])
    const plan = await planned(owner, emptied)
    expect(plan.changes[0].fields).toContainEqual({ field: "apiKey", before: "(current secret)", after: null })
    expect((await apply(owner, emptied)).body.error).toBe("plan_digest_required")
    expect((await apply(stranger, emptied, undefined, plan.planDigest)).body.error).toBe("plan_digest_mismatch")
    await applied(owner, emptied, undefined, plan.planDigest)
    expect((await exported(owner)).llmProviders).toEqual([])
  })

  it("need the permissions of their own operations", async () => {
    const owner = await makeWorkspace(plane)
    const base = ["organizations:read", "organizations:write", "teams:read", "members:read", "llmProviders:read"]
    const reader = await makeKey(plane, owner, base)
    expect((await reader.call("GET", "/v1/configuration?kinds=llmProviders")).body.reason).toBe("permission_required")
    const manager = await makeKey(plane, owner, [...base, "llmProviders:manage"])
    expect((await exported(manager, "llmProviders")).llmProviders).toEqual([])
    expect((await apply(manager, document(), { ACME_KEY: "one" })).body.message).toContain("llmProviders:write")
    const writer = await makeKey(plane, owner, [...base, "llmProviders:manage", "llmProviders:write"])
    expect(actions(await applied(writer, document(), { ACME_KEY: "one" }))).toEqual(["create llmProviders acme"])
  })
})

describe("MCP connections in a configuration document", () => {
  const keyed = {
    key: "issues",
    name: "Issues",
    url: serverUrl,
    authType: "apikey",
    apiKeyHeader: "X-Key",
    apiKey: { fromFile: "./issues.key" },
    toolPolicy: { mode: "read_only", allowed: ["search", "search"], denied: ["drop"] }
  }
  const signedIn = {
    key: "git-hub",
    name: "GitHub",
    url: "https://mcp.example/mcp",
    authType: "oauth",
    scopes: ["repo", "repo"],
    oauthClient: { clientId: "client-1" },
    oauthClientSecret: { fromEnvironment: "GITHUB_SECRET" },
    access: [{ everyone: true, role: "viewer" }]
  }
  const open = { key: "git.hub", name: "Open", url: "https://open.example/mcp", authType: "none" }
  const document = { version: 1, mcpConnections: [keyed, signedIn, open] }
  const secrets = { "./issues.key": "key-very-secret", GITHUB_SECRET: "client-very-secret" }

  it("are created with their credentials and tool policy, without a request to the server", async () => {
    const owner = await makeWorkspace(plane)
    const plan = await planned(owner, document, secrets)
    expect([plan.problems, actions(plan)]).toEqual([
      [],
      ["create mcpConnections issues", "create mcpConnections git-hub", "create mcpConnections git.hub"]
    ])
    expect(await applied(owner, document, secrets, plan.planDigest)).toEqual(plan)
    expect(requests).toBe(0)
    expect((await applied(owner, document, secrets)).changes).toEqual([])
    expect((await applied(owner, document)).changes).toEqual([])
    const { mcpConnections } = await exported(owner, "mcpConnections")
    expect(mcpConnections).toEqual([
      {
        key: "git-hub",
        name: "GitHub",
        url: "https://mcp.example/mcp",
        authType: "oauth",
        credentialMode: "per_member",
        scopes: ["repo"],
        oauthClient: { clientId: "client-1" },
        oauthClientSecret: { fromEnvironment: "MCP_GIT_HUB_OAUTH_CLIENT_SECRET" },
        toolPolicy: { mode: "all", allowed: [], denied: [] },
        access: [{ everyone: true, role: "viewer" }]
      },
      {
        key: "git.hub",
        name: "Open",
        url: "https://open.example/mcp",
        authType: "none",
        credentialMode: "shared",
        toolPolicy: { mode: "all", allowed: [], denied: [] },
        access: []
      },
      {
        key: "issues",
        name: "Issues",
        url: serverUrl,
        authType: "apikey",
        credentialMode: "shared",
        apiKeyHeader: "x-key",
        apiKeyScheme: null,
        apiKey: { fromEnvironment: "MCP_ISSUES_API_KEY" },
        toolPolicy: { mode: "read_only", allowed: ["search"], denied: ["drop"] },
        access: []
      }
    ])
    expect(await readableTexts(owner)).not.toContain("very-secret")
    await expectSameInTwin(owner, {
      MCP_GIT_HUB_OAUTH_CLIENT_SECRET: secrets.GITHUB_SECRET,
      MCP_ISSUES_API_KEY: secrets["./issues.key"]
    })
    // The key is sent to the server when its tools are listed, and the response decides about the credential.
    expect(requests).toBe(0)
  })

  it("replace only the credentials that differ, and keep the others across changes", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document, secrets)
    const rotation = await planned(owner, document, { ...secrets, GITHUB_SECRET: "another-very-secret" })
    expect(rotation.changes).toMatchObject([{ key: "git-hub", fields: [{ field: "oauthClientSecret" }] }])
    await applied(owner, document, { ...secrets, GITHUB_SECRET: "another-very-secret" })
    expect((await planned(owner, document, { GITHUB_SECRET: "another-very-secret" })).changes).toEqual([])
    const renamed = { version: 1, mcpConnections: [{ ...signedIn, name: "Renamed", scopes: null }, keyed] }
    expect((await applied(owner, renamed)).changes).toMatchObject([
      { fields: [{ field: "name" }, { field: "scopes" }] }
    ])
    expect((await planned(owner, renamed, { GITHUB_SECRET: "another-very-secret" })).changes).toEqual([])
    const elsewhere = {
      version: 1,
      mcpConnections: [
        { ...signedIn, oauthClient: { clientId: "client-2" } },
        { ...keyed, url: "https://other.example/mcp" }
      ]
    }
    expect((await planned(owner, elsewhere)).problems.map(({ path }: Item) => path)).toEqual([
      ["mcpConnections", 0, "oauthClientSecret"],
      ["mcpConnections", 1, "apiKey"]
    ])
    await applied(owner, elsewhere, secrets)
    expect((await applied(owner, elsewhere, secrets)).changes).toEqual([])
    expect(requests).toBe(0)
  })

  it("report errors of their service by location, without secrets", async () => {
    const owner = await makeWorkspace(plane)
    const cases: ReadonlyArray<readonly [Item, ReadonlyArray<string>]> = [
      [{ ...open, apiKey: { fromEnvironment: "K" } }, ["apiKey"]],
      [{ ...keyed, credentialMode: "per_member", apiKey: { fromEnvironment: "K" } }, ["apiKey"]],
      [{ ...signedIn, oauthClient: null, oauthClientSecret: { fromEnvironment: "K" } }, ["oauthClientSecret"]],
      [{ ...open, scopes: ["a"] }, ["scopes"]],
      [{ ...open, presetId: "nothing" }, ["presetId"]]
    ]
    for (const [entry, path] of cases) {
      const wrong = { version: 1, mcpConnections: [entry] }
      const values = JSON.stringify(entry).includes('"K"') ? { K: "key-very-secret" } : {}
      const { problems } = await planned(owner, wrong, values)
      expect(problems.map((problem: Item) => problem.path)).toEqual([["mcpConnections", 0, ...path]])
      const refused = await apply(owner, wrong, values)
      expect([refused.status, refused.text.includes("very-secret")]).toEqual([400, false])
    }
    const malformed = await apply(owner, { version: 1, mcpConnections: [open, { ...open, key: "b", url: "ftp://x" }] })
    expect(malformed.body.details[0].path).toEqual(["body", "document", "mcpConnections", 1, "url"])
    expect((await exported(owner)).mcpConnections).toEqual([])
  })

  it("are removed only with prune and the digest, and changed only with the permissions of their operations", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document, secrets)
    const pruned = { version: 1, mcpConnections: [open], prune: { mcpConnections: true } }
    const plan = await planned(owner, pruned)
    expect(actions(plan)).toEqual(["delete mcpConnections issues", "delete mcpConnections git-hub"])
    expect((await apply(owner, pruned)).body.error).toBe("plan_digest_required")
    const base = ["organizations:read", "organizations:write", "teams:read", "members:read", "mcpConnections:read"]
    const writer = await makeKey(plane, owner, [...base, "mcpConnections:write"])
    expect((await apply(writer, pruned, undefined, plan.planDigest)).body.reason).toBe("permission_required")
    await applied(owner, pruned, undefined, plan.planDigest)
    expect((await exported(owner)).mcpConnections).toMatchObject([{ key: "git.hub" }])
  })
})

describe("connectors in a configuration document", () => {
  const skills = {
    key: "skills",
    name: "Skills",
    remoteId: "https://Git.Example/acme/skills.git",
    branch: "main",
    config: { b: 1, a: [2] },
    status: "disabled",
    autoImportNewPlugins: true,
    username: "robot",
    token: { fromEnvironment: "GIT_TOKEN" },
    access: [{ everyone: true, role: "viewer" }]
  }
  const plain = { key: "plain", name: "Plain", remoteId: "https://git.example/acme/plain", branch: "main" }
  const document = { version: 1, connectors: [skills, plain] }
  const secrets = { GIT_TOKEN: "token-very-secret" }

  it("are created without reading their repositories, and a second apply changes nothing", async () => {
    const owner = await makeWorkspace(plane)
    const plan = await planned(owner, document, secrets)
    expect([plan.problems, actions(plan)]).toEqual([[], ["create connectors skills", "create connectors plain"]])
    expect((await exported(owner)).connectors).toEqual([])
    expect(await applied(owner, document, secrets, plan.planDigest)).toEqual(plan)
    expect((await applied(owner, document, secrets)).changes).toEqual([])
    expect((await applied(owner, document)).changes).toEqual([])
    expect((await exported(owner)).connectors).toMatchObject([
      { key: "plain", adapter: "git", status: "active", autoImportNewPlugins: false, config: {}, access: [] },
      {
        key: "skills",
        remoteId: "https://git.example/acme/skills",
        branch: "main",
        config: { b: 1, a: [2] },
        status: "disabled",
        username: "robot",
        token: { fromEnvironment: "CONNECTOR_SKILLS_TOKEN" },
        access: [{ everyone: true, role: "viewer" }]
      }
    ])
    const texts = await Promise.all(
      ["/v1/connector-instances", "/v1/connector-accounts"].map((path) => owner.call("GET", path))
    )
    expect([await readableTexts(owner), ...texts.map(({ text }) => text)].join("\n")).not.toContain("very-secret")
    await expectSameInTwin(owner, { CONNECTOR_SKILLS_TOKEN: secrets.GIT_TOKEN })
  })

  it("change their settings and their token, and refuse changes that need the code host", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document, secrets)
    const changed = {
      version: 1,
      connectors: [
        { ...skills, name: "Skills 2", status: "archived", autoImportNewPlugins: false, access: [] },
        { ...plain, status: "disabled", token: { fromFile: "git.token" } }
      ]
    }
    const values = { GIT_TOKEN: "another-very-secret", "git.token": "third-very-secret" }
    expect((await planned(owner, changed)).problems.map(({ path }: Item) => path)).toEqual([["connectors", 1, "token"]])
    const plan = await planned(owner, changed, values)
    expect(await applied(owner, changed, values, plan.planDigest)).toEqual(plan)
    expect((await applied(owner, changed, values)).changes).toEqual([])
    const { connectors } = await exported(owner)
    expect(connectors).toMatchObject([
      { key: "plain", status: "disabled", username: "git", token: {} },
      { key: "skills", name: "Skills 2", status: "archived", username: "robot", access: [] }
    ])
    await applied(owner, { version: 1, connectors: [{ ...skills, name: "Skills 2" }] }, secrets)
    expect((await exported(owner)).connectors[1].status).toBe("disabled")
    const wrong = [
      [{ ...plain, branch: "other" }, "branch"],
      [{ ...plain, adapter: "rest" }, "adapter"],
      [{ ...plain, key: "new", name: "New", adapter: "rest", remoteId: "1" }, "adapter"],
      [{ ...plain, key: "new", name: "New", remoteId: "nothing" }, "remoteId"],
      [{ ...plain, key: "new", name: "New", username: "robot" }, "username"]
    ] as const
    for (const [entry, field] of wrong) {
      const { problems } = await planned(owner, { version: 1, connectors: [entry] })
      expect(problems[0]).toMatchObject({ path: ["connectors", 0, field] })
    }
  })

  it("are removed only with prune and the digest, and need the permissions of their operations", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document, secrets)
    const pruned = { version: 1, connectors: [plain], prune: { connectors: true } }
    const plan = await planned(owner, pruned)
    expect(actions(plan)).toEqual(["delete connectors skills"])
    expect((await apply(owner, pruned)).body.error).toBe("plan_digest_required")
    const member = await addMember(plane, owner, "member")
    expect((await apply(member, pruned, undefined, plan.planDigest)).body.reason).toBe("permission_required")
    await applied(owner, pruned, undefined, plan.planDigest)
    expect((await exported(owner)).connectors).toMatchObject([{ key: "plain" }])
  })
})

describe("domains in a configuration document", () => {
  it("are added as pending, and removed with prune", async () => {
    const owner = await makeWorkspace(plane)
    const document = { version: 1, domains: [{ key: "acme", domain: "ACME.example" }] }
    const plan = await planned(owner, document)
    expect(actions(plan)).toEqual(["create domains acme"])
    expect(await applied(owner, document, undefined, plan.planDigest)).toEqual(plan)
    expect((await applied(owner, document)).changes).toEqual([])
    const listed = demanded(await owner.call("GET", "/v1/sso/domains")).items
    expect(listed).toMatchObject([{ domain: "acme.example", status: "pending" }])
    await expectSameInTwin(owner)
    const other = { version: 1, domains: [{ key: "acme", domain: "other.example" }] }
    expect((await planned(owner, other)).problems[0]).toMatchObject({ path: ["domains", 0, "domain"] })
    const suffix = { version: 1, domains: [{ key: "suffix", domain: "co.uk" }] }
    expect((await planned(owner, suffix)).problems[0]).toMatchObject({ path: ["domains", 0, "domain"] })
    const emptied = { version: 1, domains: [], prune: { domains: true } }
    await applied(owner, emptied, undefined, (await planned(owner, emptied)).planDigest)
    expect((await exported(owner)).domains).toEqual([])
  })
})

describe("the SSO connection in a configuration document", () => {
  const oidc = {
    key: "login",
    protocol: "oidc",
    issuer: serverUrl,
    clientId: "client-1",
    clientSecret: { fromEnvironment: "SSO_SECRET" },
    jit: { enabled: true }
  }
  const saml = {
    key: "login",
    protocol: "saml",
    saml: {
      idpEntityId: "https://idp.example/entity",
      ssoUrl: "https://idp.example/sso",
      certificates: [makeKeyPair("configuration").certificate]
    }
  }
  const document = (entry: Item) => ({ version: 1, ssoConnections: [entry] })
  const secrets = { SSO_SECRET: "sso-very-secret" }

  it("is stored without a request to the provider, untested and disabled", async () => {
    const owner = await makeWorkspace(plane)
    const sent = requests
    const plan = await planned(owner, document(oidc), secrets)
    expect([plan.problems, actions(plan)]).toEqual([[], ["create ssoConnections login"]])
    expect(await applied(owner, document(oidc), secrets, plan.planDigest)).toEqual(plan)
    expect((await applied(owner, document(oidc), secrets)).changes).toEqual([])
    expect((await applied(owner, document(oidc))).changes).toEqual([])
    expect((await exported(owner)).ssoConnections).toEqual([
      {
        key: "login",
        protocol: "oidc",
        issuer: serverUrl,
        clientId: "client-1",
        scopes: ["openid", "email", "profile"],
        clientSecret: { fromEnvironment: "SSO_LOGIN_CLIENT_SECRET" },
        jit: { enabled: true, role: "member" }
      }
    ])
    const current = await owner.call("GET", "/v1/sso")
    expect(demanded(current).sso).toMatchObject({ enabled: false, lastTest: null, oidc: { hasClientSecret: true } })
    expect([await readableTexts(owner), current.text].join("\n")).not.toContain("very-secret")
    await expectSameInTwin(owner, { SSO_LOGIN_CLIENT_SECRET: secrets.SSO_SECRET })
    // Another setting keeps the secret, and another client needs its own.
    await applied(owner, document({ ...oidc, scopes: ["openid"], jit: { enabled: false } }))
    const rotated = { SSO_SECRET: "another-very-secret" }
    expect((await planned(owner, document(oidc), secrets)).changes[0].fields).toMatchObject([{ field: "jit" }])
    expect((await planned(owner, document(oidc), rotated)).changes[0].fields).toMatchObject([
      { field: "jit" },
      { field: "clientSecret" }
    ])
    const moved = document({ ...oidc, clientId: "client-2" })
    expect((await planned(owner, moved)).problems[0].path).toEqual(["ssoConnections", 0, "clientSecret"])
    await applied(owner, moved, rotated)
    expect(requests).toBe(sent)
  })

  it("changes to SAML, and is removed only with prune and the digest", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, document(oidc), secrets)
    expect((await applied(owner, document(saml))).changes).toMatchObject([{ action: "update" }])
    expect((await applied(owner, document(saml))).changes).toEqual([])
    expect((await exported(owner)).ssoConnections).toMatchObject([{ protocol: "saml", saml: { attributes: {} } }])
    await expectSameInTwin(owner)
    const second = document({ ...saml, key: "other" })
    expect((await planned(owner, second)).problems[0].path).toEqual(["ssoConnections", 0, "key"])
    const emptied = { version: 1, ssoConnections: [], prune: { ssoConnections: true } }
    expect((await apply(owner, emptied)).body.error).toBe("plan_digest_required")
    await applied(owner, emptied, undefined, (await planned(owner, emptied)).planDigest)
    expect((await exported(owner)).ssoConnections).toEqual([])
  })

  it("reports malformed settings by their location", async () => {
    const owner = await makeWorkspace(plane)
    const { saml: _saml, ...bare } = saml
    for (const [entry, field] of [
      [{ ...oidc, saml: saml.saml }, "saml"],
      [{ key: "a", protocol: "oidc", issuer: serverUrl }, "clientId"],
      [bare, "saml"],
      [{ ...saml, issuer: serverUrl }, "issuer"]
    ] as const) {
      const refused = await apply(owner, document(entry))
      expect(refused.body.details[0].path).toEqual(["body", "document", "ssoConnections", 0, field])
    }
    const wrong = await planned(owner, document({ ...oidc, issuer: "ftp://idp.example" }), secrets)
    expect(wrong.problems[0].path).toEqual(["ssoConnections", 0, "issuer"])
  })
})
