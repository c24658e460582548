/** What callers without the permissions of a kind can learn and change with configuration documents. */
import { describe, expect, it } from "vitest"
import { connect, imported, marketplace, repositoryIn, skill } from "../content/connectors.fixture.ts"
import { makeControlPlane, makeKey, makeWorkspace } from "../harness.ts"
import { applied, type Caller, exported, type Item } from "./configuration.fixture.ts"

const plane = await makeControlPlane()

const planWith = (person: Caller, document: Item, secrets?: Item) =>
  person.call("POST", "/v1/configuration/plan", { document: { version: 1, ...document }, ...(secrets && { secrets }) })

describe("secrets in a plan", () => {
  const document = {
    llmProviders: [
      {
        key: "models",
        name: "Models",
        providerId: "custom",
        apiFormat: "openai_compatible",
        baseUrl: "https://models.example/v1",
        models: [{ id: "one" }],
        credentialMode: "shared",
        apiKey: { fromEnvironment: "MODELS_KEY" }
      }
    ]
  }

  it("require the permission to change the kind, also if the value is the current one", async () => {
    const owner = await makeWorkspace(plane)
    const first = await owner.call("POST", "/v1/configuration/apply", {
      document: { version: 1, ...document },
      secrets: { MODELS_KEY: "sk-current" }
    })
    expect([first.status, first.text]).toEqual([200, first.text])
    const reads = ["organizations:read", "llmProviders:read", "llmProviders:manage", "members:read", "teams:read"]
    const reader = await makeKey(plane, owner, reads)
    expect((await planWith(reader, document)).status).toBe(200)
    for (const value of ["sk-current", "sk-guess"]) {
      const { body, status } = await planWith(reader, document, { MODELS_KEY: value })
      expect([status, body.message]).toEqual([403, "This requires the permission llmProviders:write."])
    }
    const writer = await makeKey(plane, owner, [...reads, "llmProviders:write"])
    expect((await planWith(writer, document, { MODELS_KEY: "sk-current" })).body.plan.changes).toEqual([])
  })

  it("are limited to 30 plans a minute for one organization", async () => {
    const owner = await makeWorkspace(plane)
    const secrets = { MODELS_KEY: "sk-guess" }
    const responses = await Promise.all(Array.from({ length: 61 }, () => planWith(owner, document, secrets)))
    // The window may change between two of the requests.
    expect(responses.map(({ status }) => status)).toContain(429)
    expect((await planWith(owner, document)).status).toBe(200)
  })
})

describe("how a document manages other changes", () => {
  it("is seen by those who can read the kind, and changed by those who can change or remove its objects", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, { roles: [], managed: { roles: "warn" } })
    const base = ["organizations:read", "organizations:write"]
    const messageOf = async (permissions: ReadonlyArray<string>, mode: string) => {
      const { body, status } = await planWith(await makeKey(plane, owner, [...base, ...permissions]), {
        managed: { roles: mode }
      })
      return status === 200 ? body.plan.changes.length : body.message
    }
    expect(await messageOf([], "warn")).toBe("This requires the permission roles:read.")
    expect(await messageOf(["roles:read"], "warn")).toBe(0)
    expect(await messageOf(["roles:read"], "refuse")).toBe("This requires the permission roles:write.")
    expect(await messageOf(["roles:read", "roles:write"], "refuse")).toBe(1)
    expect(await messageOf(["roles:read", "roles:write"], "off")).toBe("This requires the permission roles:manage.")
    expect(await messageOf(["roles:read", "roles:manage"], "off")).toBe(1)
    expect((await exported(owner, "roles")).managed).toEqual({ roles: "warn" })
  })
})

describe("an assignment whose teams were removed", () => {
  it("becomes one for everyone without the permission to remove assignments, and keeps its ID", async () => {
    const owner = await makeWorkspace(plane)
    const assignment = { key: "lint", plugin: "lint", mode: "required", to: { teams: ["platform"] } }
    await applied(owner, {
      teams: [{ key: "platform", name: "Platform" }],
      plugins: [{ key: "lint", name: "Lint" }],
      assignments: [assignment]
    })
    const [team] = (await owner.call("GET", "/v1/teams")).body.items
    expect((await owner.call("DELETE", `/v1/teams/${team.id}`)).status).toBe(204)
    const [before] = (await owner.call("GET", "/v1/assignments")).body.items
    expect(before.audience).toBe("nobody")
    const writer = await makeKey(plane, owner, [
      ...["organizations:read", "organizations:write", "assignments:read", "assignments:write", "approvals:read"],
      ...["marketplaces:read", "marketplaces:manage", "plugins:read", "plugins:manage", "members:read"],
      ...["configObjects:read", "configObjects:manage", "connectors:read", "teams:read"]
    ])
    await applied(writer, { assignments: [{ ...assignment, to: { everyone: true } }] })
    expect((await owner.call("GET", "/v1/assignments")).body.items).toMatchObject([
      { id: before.id, audience: "organization" }
    ])
  })
})

describe("the connectors of imported marketplaces and plugins", () => {
  it("are exported only to callers who can read connectors", async () => {
    const owner = await makeWorkspace(plane)
    const permissions = [
      ...["organizations:read", "marketplaces:read", "marketplaces:manage", "approvals:read", "plugins:read"],
      ...["plugins:manage", "configObjects:read", "configObjects:manage", "members:read", "teams:read"]
    ]
    const reader = await makeKey(plane, owner, permissions)
    expect(await exported(reader, "marketplaces,plugins")).toMatchObject({ marketplaces: [], plugins: [] })
    const files = {
      ".claude-plugin/marketplace.json": marketplace(["lint"]),
      "plugins/lint/skills/lint/SKILL.md": skill("lint")
    }
    await imported(owner, await connect(owner, repositoryIn(plane, files), "Acme tools"))
    for (const kinds of ["marketplaces", "plugins"]) {
      const { body, status } = await reader.call("GET", `/v1/configuration?kinds=${kinds}`)
      expect([status, body.message]).toEqual([
        403,
        "This requires the permission connectors:read, because some objects are imported."
      ])
    }
    const full = await makeKey(plane, owner, [...permissions, "connectors:read"])
    expect((await exported(full, "plugins")).plugins).toMatchObject([{ source: { connector: "acme-tools" } }])
  })
})
