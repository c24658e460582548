import { describe, expect, it } from "vitest"
import { createTemplate } from "../content/templates.fixture.ts"
import {
  addMember,
  call,
  makeConnector,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeRole,
  makeTeam,
  makeWorkspace,
  mintSession,
  type Person,
  runSql
} from "../harness.ts"

const plane = await makeControlPlane({ workers: false })

const search = async (person: Pick<Person, "call">, query: string) => {
  const { body, status, text } = await person.call("GET", `/v1/search?${query}`)
  expect([status, status === 200 ? "" : text]).toEqual([200, ""])
  return body as { items: Array<{ kind: string; id: string; name: string; detail: string | null }>; truncated: boolean }
}

/** The id of the object that the request creates. */
const created = async (person: Pick<Person, "call">, path: string, input: object): Promise<string> => {
  const { body, status, text } = await person.call("POST", path, input)
  if (status !== 201) throw new Error(`POST ${path} ended with ${status}: ${text}`)
  return (body.role ?? body.desktopPolicy ?? body.worker ?? body.llmProvider ?? body.item).id
}

/** An organization with one object of each kind whose name contains `word`. */
const makeNamed = async (word: string) => {
  const owner = await makeWorkspace(plane)
  const plugin = await owner.client.plugins.create({ name: `The ${word}`, description: "Reviews\nchanges." })
  const marketplaceId = await makeMarketplace(plane, owner, [], word)
  const { connectorInstanceId } = await makeConnector(plane, owner, `${word}/plugins`)
  const { body } = await owner.call("POST", "/v1/mcp-connections", {
    name: `${word} tools`,
    url: "https://mcp.example/mcp",
    authType: "none"
  })
  const member = await addMember(plane, owner, "member")
  await runSql(plane, (sql) => sql`UPDATE users SET name = ${`Ada ${word}`} WHERE id = ${member.userId}`)
  const teamId = await makeTeam(owner, [], `team ${word}`)
  const skill = await owner.client.configObjects.create({
    input: {
      type: "skill",
      rawSourceText: `---\nname: ${word.toLowerCase()}-skill\ndescription: Does it.\n---\nDo it.`
    }
  })
  const { body: template } = await createTemplate(
    owner,
    { plugin: { name: "P" }, objects: [{ type: "context", rawSourceText: "a" }], variables: [] },
    `A ${word} template`
  )
  return {
    owner,
    member,
    ids: {
      plugin: plugin.id,
      configObject: skill.id,
      marketplace: marketplaceId,
      connectorInstance: connectorInstanceId,
      mcpConnection: body.mcpConnection.id as string,
      member: member.membershipId,
      team: teamId,
      template: template.template.id as string,
      role: await created(owner, "/v1/roles", { name: `A ${word} role`, description: "For it.", permissions: [] }),
      apiKey: (await makeKey(plane, owner, ["teams:read"], { name: `A ${word} key` })).id,
      desktopPolicy: await created(owner, "/v1/desktop-policies", { policyName: `A ${word} policy`, policy: {} }),
      worker: await created(owner, "/v1/workers", { name: `A ${word} worker`, destination: "local" }),
      llmProvider: await created(owner, "/v1/llm-providers", {
        name: `A ${word} provider`,
        providerId: "custom",
        baseUrl: "https://llm.example/v1"
      })
    }
  }
}

describe("search.objects", () => {
  it("finds objects of every kind by part of the name: equal names first, then beginnings", async () => {
    const { ids, owner } = await makeNamed("Review")
    const { items, truncated } = await search(owner, "q=rEvIeW")
    expect(items.map(({ kind, id }) => [kind, id])).toEqual([
      ["marketplace", ids.marketplace],
      ["configObject", ids.configObject],
      ["connectorInstance", ids.connectorInstance],
      ["mcpConnection", ids.mcpConnection],
      ["plugin", ids.plugin],
      ["member", ids.member],
      ["team", ids.team],
      ["template", ids.template],
      ["role", ids.role],
      ["apiKey", ids.apiKey],
      ["desktopPolicy", ids.desktopPolicy],
      ["worker", ids.worker],
      ["llmProvider", ids.llmProvider]
    ])
    expect(truncated).toBe(false)
    expect(items.find(({ kind }) => kind === "plugin")).toMatchObject({
      name: "The Review",
      detail: "Reviews changes."
    })
    expect(items.find(({ kind }) => kind === "configObject")).toMatchObject({ name: "review-skill", detail: "skill" })
    expect(items.find(({ kind }) => kind === "apiKey")?.detail).toMatch(/^opk_/)
    for (const [kind, detail] of [
      ["mcpConnection", "https://mcp.example/mcp"],
      ["role", "For it."],
      ["desktopPolicy", null],
      ["llmProvider", "https://llm.example/v1"]
    ]) {
      expect(items.find((item) => item.kind === kind)?.detail).toBe(detail)
    }
    for (const [kind, id] of Object.entries(ids)) {
      expect((await search(owner, `q=review&kind=${kind}`)).items.map((item) => [item.kind, item.id])).toEqual([
        [kind, id]
      ])
    }
  })

  it("finds a member by email address, and treats wildcards as text", async () => {
    const { member, owner } = await makeNamed("Email")
    await runSql(
      plane,
      (sql) => sql`UPDATE users SET name = NULL, email = 'grace_h@acme.example' WHERE id = ${member.userId}`
    )
    expect((await search(owner, "q=grace_h")).items).toEqual([
      { kind: "member", id: member.membershipId, name: "grace_h@acme.example", detail: "grace_h@acme.example" }
    ])
    expect((await search(owner, "q=graceXh")).items).toEqual([])
    expect((await search(owner, "q=%25")).items).toEqual([])
    expect((await search(owner, "q=emai_")).items).toEqual([])
  })

  it("finds an API key by name, and not by the hint, whose beginning all keys share", async () => {
    const owner = await makeWorkspace(plane)
    const { id, key } = await makeKey(plane, owner, ["teams:read"], { name: "Nightly 100%" })
    expect((await search(owner, "q=100%25")).items).toEqual([
      { kind: "apiKey", id, name: "Nightly 100%", detail: key.slice(0, 10) }
    ])
    expect((await search(owner, `q=${key.slice(0, 4)}`)).items).toEqual([])
  })

  it("does not find archived, removed and revoked objects", async () => {
    const { ids, owner } = await makeNamed("Gone")
    for (const [method, path] of [
      ["POST", `/v1/config-objects/${ids.configObject}/archive`],
      ["DELETE", `/v1/templates/${ids.template}`],
      ["DELETE", `/v1/roles/${ids.role}`],
      ["DELETE", `/v1/api-keys/${ids.apiKey}`],
      ["DELETE", `/v1/desktop-policies/${ids.desktopPolicy}`],
      ["DELETE", `/v1/workers/${ids.worker}`],
      ["DELETE", `/v1/llm-providers/${ids.llmProvider}`]
    ] as const) {
      const { status, text } = await owner.call(method, path)
      expect([path, status < 300 ? "" : text]).toEqual([path, ""])
    }
    expect((await search(owner, "q=gone")).items.map(({ kind }) => kind)).toEqual([
      "marketplace",
      "connectorInstance",
      "mcpConnection",
      "plugin",
      "member",
      "team"
    ])
    await owner.client.configObjects.restore(ids.configObject)
    expect((await search(owner, "q=gone&kind=configObject")).items).toHaveLength(1)
    await owner.client.configObjects.remove(ids.configObject)
    expect((await search(owner, "q=gone&kind=configObject")).items).toEqual([])
  })

  it("returns only objects that the caller can see, of kinds that the caller can list", async () => {
    const { ids, member, owner } = await makeNamed("Secret")
    // Members see the templates and workers of the organization, and only the other objects that are shared with them.
    const kinds = async (person: Pick<Person, "call">) =>
      (await search(person, "q=secret")).items.map(({ kind }) => kind)
    expect(await kinds(member)).toEqual(["member", "team", "template", "worker"])
    await owner.client.plugins.grantAccess(ids.plugin, { role: "viewer", orgMembershipId: member.membershipId })
    expect(await kinds(member)).toEqual(["plugin", "member", "team", "template", "worker"])
    await owner.client.configObjects.grantAccess(ids.configObject, {
      role: "viewer",
      orgMembershipId: member.membershipId
    })
    await owner.client.llmProviders.grantAccess(ids.llmProvider, {
      role: "viewer",
      orgMembershipId: member.membershipId
    })
    expect(await kinds(member)).toEqual([
      "configObject",
      "plugin",
      "member",
      "team",
      "template",
      "worker",
      "llmProvider"
    ])
    const ofMinted = await kinds(await mintSession(plane, owner, owner.membershipId))
    expect(ofMinted).toContain("desktopPolicy")
    for (const kind of ["member", "role", "apiKey"]) expect(ofMinted).not.toContain(kind)
    for (const [permission, kind] of [
      ["roles:read", "role"],
      ["apiKeys:read", "apiKey"],
      ["desktopPolicies:read", "desktopPolicy"]
    ] as const) {
      expect(await kinds(await addMember(plane, owner, await makeRole(owner, [permission])))).toEqual([kind])
    }
    const nobody = await addMember(plane, owner, await makeRole(owner, []))
    expect(await search(nobody, "q=secret")).toEqual({ items: [], truncated: false })
    const key = await makeKey(plane, owner, ["teams:read"])
    expect((await search(key, "q=secret")).items.map(({ id }) => id)).toEqual([ids.team])
    expect((await search(await makeWorkspace(plane), "q=secret")).items).toEqual([])
    expect((await call(plane)("GET", "/v1/search?q=secret")).status).toBe(401)
  })

  it("limits the objects of each kind", async () => {
    const owner = await makeWorkspace(plane)
    for (let count = 0; count < 7; count += 1) await makeTeam(owner, [], `Crew ${count}`)
    const first = await search(owner, "q=crew")
    expect([first.items.length, first.truncated]).toEqual([5, true])
    const all = await search(owner, "q=crew&limit=7")
    expect([all.items.length, all.truncated]).toEqual([7, false])
  })

  it("rejects a missing or malformed query and names the member", async () => {
    const owner = await makeWorkspace(plane)
    for (const [query, member] of [
      ["", "q"],
      ["q=", "q"],
      [`q=${"a".repeat(256)}`, "q"],
      ["q=a&kind=session", "kind"],
      ["q=a&limit=21", "limit"]
    ] as const) {
      const { body, status } = await owner.call("GET", `/v1/search?${query}`)
      expect([status, body.error]).toEqual([400, "invalid_request"])
      expect(body.details[0].path).toEqual(["query", member])
    }
  })
})
