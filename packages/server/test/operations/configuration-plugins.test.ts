/** Configuration as code: plugins, their objects, marketplaces and access. */
import { describe, expect, it } from "vitest"
import { connect, imported, marketplace, repositoryIn, skill } from "../content/connectors.fixture.ts"
import { makeControlPlane, makeKey, makeWorkspace, type Person, rowCounts } from "../harness.ts"
import {
  actions,
  applied,
  exported,
  type Item,
  makePeople,
  makeTwin,
  planned,
  refusal
} from "./configuration.fixture.ts"

const plane = await makeControlPlane()

const reviewSkill = {
  type: "skill",
  relativePath: "skills/review/SKILL.md",
  rawSourceText: skill("review")
}
const server = {
  type: "mcp",
  fileName: ".mcp.json",
  rawSourceText: JSON.stringify({ mcpServers: { docs: { url: "https://docs.example/mcp" } } })
}
const custom = { type: "custom", title: "Limits", normalizedPayloadJson: { limits: [1, 2], name: "x" } }

const pluginsOf = async (person: Person, query = ""): Promise<ReadonlyArray<Item>> =>
  (await person.call("GET", `/v1/plugins${query}`)).body.items
const objectsOf = async (person: Person, pluginId: string): Promise<ReadonlyArray<Item>> =>
  (await person.call("GET", `/v1/plugins/${pluginId}/config-objects`)).body.items.map(
    ({ configObject }: Item) => configObject
  )

describe("plugins in a configuration document", () => {
  it("are created with their objects, marketplaces and grants, which a plan shows before", async () => {
    const { owner } = await makePeople(plane, 0)
    const document = {
      teams: [{ key: "platform", name: "Platform" }],
      marketplaces: [{ key: "tools", name: "Tools", access: [] }],
      plugins: [
        {
          key: "reviews",
          name: "Reviews",
          description: "Reviews code",
          marketplaces: ["tools"],
          access: [{ team: "platform", role: "editor" }],
          objects: [server, reviewSkill, custom]
        }
      ]
    }
    await owner.call("GET", "/v1/me")
    const before = await rowCounts(plane)
    const plan = await planned(owner, document)
    expect(actions(plan)).toEqual(["create teams platform", "create marketplaces tools", "create plugins reviews"])
    // A plan leaves nothing behind: no row, and so no job.
    expect(await rowCounts(plane)).toEqual(before)
    expect(JSON.stringify(plan)).not.toContain("Do it well.")
    expect(plan.changes[2].fields.find(({ field }: Item) => field === "objects").after).toEqual(
      expect.arrayContaining([
        {
          type: "skill",
          relativePath: "skills/review/SKILL.md",
          title: "review",
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/)
        }
      ])
    )
    expect(await applied(owner, document, plan.planDigest)).toEqual(plan)
    const [made] = await pluginsOf(owner)
    expect(made).toMatchObject({ name: "Reviews", description: "Reviews code", marketplaces: [{ name: "Tools" }] })
    const objects = await objectsOf(owner, made.id)
    expect(
      objects
        .map(({ currentRelativePath, latestVersion, objectType, sourceMode, title }) => [
          objectType,
          currentRelativePath,
          title,
          sourceMode,
          latestVersion.rawSourceText
        ])
        .toSorted()
    ).toEqual([
      ["custom", null, "x", "cloud", null],
      ["mcp", null, "MCP: docs", "cloud", server.rawSourceText],
      ["skill", "skills/review/SKILL.md", "review", "cloud", reviewSkill.rawSourceText]
    ])
    expect((await exported(owner, "plugins")).plugins).toEqual([
      {
        ...document.plugins[0],
        objects: [{ type: "custom", normalizedPayloadJson: custom.normalizedPayloadJson }, server, reviewSkill]
      }
    ])
    expect(actions(await applied(owner, document))).toEqual([])
    // The same document gives another organization the same plugins.
    const twin = await makeTwin(plane, owner)
    const complete = await exported(owner)
    await applied(twin, complete)
    expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(complete))
  })

  it("change their objects in place, and archive those that are not listed", async () => {
    const owner = await makeWorkspace(plane)
    const document = (...objects: ReadonlyArray<object>) => ({ plugins: [{ key: "a", name: "A", objects }] })
    await applied(owner, document(reviewSkill, server, custom))
    const [made] = await pluginsOf(owner)
    const before = await objectsOf(owner, made.id)
    const edited = { ...reviewSkill, rawSourceText: skill("review", "Do it better.") }
    const plan = await applied(owner, document(custom, edited))
    expect(actions(plan)).toEqual(["update plugins a objects"])
    const [field] = plan.changes[0].fields
    expect([field.before.length, field.after.length]).toEqual([2, 1])
    const after = await objectsOf(owner, made.id)
    const idOf = (objects: ReadonlyArray<Item>, type: string) =>
      objects.find(({ objectType }) => objectType === type)?.id
    expect(after.length).toBe(2)
    expect([idOf(after, "skill"), idOf(after, "custom")]).toEqual([idOf(before, "skill"), idOf(before, "custom")])
    expect(after.find(({ objectType }) => objectType === "skill")?.latestVersion).toMatchObject({
      ordinal: 2,
      rawSourceText: edited.rawSourceText
    })
    const archived = (await owner.call("GET", `/v1/config-objects/${idOf(before, "mcp")}`)).body.item
    expect(archived.status).toBe("archived")
    expect(actions(await applied(owner, document(edited, custom)))).toEqual([])
    // Only the title differs, so the object is replaced.
    const titled = { ...custom, normalizedPayloadJson: { limits: [1, 2] }, title: "Other" }
    await applied(owner, document(edited, titled))
    const retitled = { ...titled, title: "Another" }
    expect(actions(await applied(owner, document(edited, retitled)))).toEqual(["update plugins a objects"])
    expect(actions(await applied(owner, document(edited, retitled)))).toEqual([])
    expect((await objectsOf(owner, made.id)).map(({ title }) => title).toSorted()).toEqual(["Another", "review"])
  })

  it("keep equal objects, and change only as many as differ", async () => {
    const owner = await makeWorkspace(plane)
    const command = (text: string) => ({ type: "command", relativePath: "commands/go.md", rawSourceText: text })
    const document = (...texts: ReadonlyArray<string>) => ({
      plugins: [{ key: "a", name: "A", objects: texts.map(command) }]
    })
    await applied(owner, document("One.", "One.", "Two.", "Three."))
    const [made] = await pluginsOf(owner)
    const idsOf = async () =>
      (await objectsOf(owner, made.id)).map(({ id, latestVersion }) => [latestVersion.rawSourceText, id]).toSorted()
    const before = await idsOf()
    await applied(owner, document("One.", "Four.", "Two."))
    const after = await idsOf()
    expect(after.map(([text]) => text)).toEqual(["Four.", "One.", "Two."])
    // One of the equal objects and the unchanged one stay; another gets the new content, and the last is archived.
    expect(before.filter(([text, id]) => after.some(([now, other]) => now === text && other === id)).length).toBe(2)
    expect(before.some(([, id]) => id === after[0]?.[1])).toBe(true)
    const statuses = await Promise.all(
      before.map(async ([, id]) => (await owner.call("GET", `/v1/config-objects/${id}`)).body.item.status)
    )
    expect(statuses.toSorted()).toEqual(["active", "active", "active", "archived"])
    expect(actions(await applied(owner, document("Two.", "One.", "Four.")))).toEqual([])
  })

  it("get their own copy of a changed object that is also in another plugin", async () => {
    const owner = await makeWorkspace(plane)
    const document = (text: string) => ({
      plugins: [
        { key: "a", name: "A", objects: [{ ...reviewSkill, rawSourceText: text }] },
        { key: "b", name: "B", objects: [reviewSkill] }
      ]
    })
    await applied(owner, {
      plugins: [
        { key: "a", name: "A", objects: [reviewSkill] },
        { key: "b", name: "B" }
      ]
    })
    const [second, first] = await pluginsOf(owner)
    const [object] = await objectsOf(owner, first.id)
    await owner.call("POST", `/v1/plugins/${second.id}/config-objects`, { configObjectId: object.id })
    const changed = document(skill("review", "Differently."))
    expect(actions(await applied(owner, changed))).toEqual(["update plugins a objects"])
    expect(actions(await applied(owner, changed))).toEqual([])
    expect((await objectsOf(owner, second.id))[0]).toMatchObject({ id: object.id, status: "active" })
    expect((await objectsOf(owner, first.id))[0].latestVersion.rawSourceText).toContain("Differently.")
  })

  it("move between marketplaces, and are archived by prune with the digest of the plan", async () => {
    const owner = await makeWorkspace(plane)
    const marketplaces = [
      { key: "m1", name: "M1" },
      { key: "m2", name: "M2" }
    ]
    await applied(owner, { marketplaces, plugins: [{ key: "a", name: "A", marketplaces: ["m1"] }] })
    // The marketplaces are read, although the document does not mention them.
    expect(actions(await applied(owner, { plugins: [{ key: "a", name: "A", marketplaces: ["m2"] }] }))).toEqual([
      "update plugins a marketplaces"
    ])
    expect((await pluginsOf(owner))[0].marketplaces).toMatchObject([{ name: "M2" }])
    const document = { plugins: [], prune: { plugins: true } }
    const plan = await planned(owner, document)
    expect(actions(plan)).toEqual(["delete plugins a"])
    expect(await refusal(owner, document)).toEqual([409, "plan_digest_required"])
    await applied(owner, document, plan.planDigest)
    expect(await pluginsOf(owner)).toEqual([])
    expect((await pluginsOf(owner, "?archived=true")).length).toBe(1)
    expect((await refusal(owner, { plugins: [{ key: "a", name: "A" }] })).slice(0, 3)).toEqual([
      400,
      "invalid_request",
      ["plugins", 0, "key"]
    ])
  })

  it("report invalid content and malformed entries by their location, and change nothing", async () => {
    const owner = await makeWorkspace(plane)
    const document = (entry: object) => ({ plugins: [{ key: "a", name: "A", ...entry }] })
    const invalidSkill = { ...reviewSkill, rawSourceText: "# Not a skill" }
    const { problems } = await planned(owner, document({ objects: [server, custom, invalidSkill] }))
    expect(problems[0].path).toEqual(["plugins", 0, "objects", 2, "rawSourceText"])
    for (const [entry, place] of [
      [{ objects: [server, invalidSkill] }, ["plugins", 0, "objects", 1, "rawSourceText"]],
      [{ objects: [{ type: "skill" }] }, ["plugins", 0, "objects", 0]],
      [{ objects: [{ ...server, type: "lsp" }] }, ["plugins", 0, "objects", 0, "type"]],
      [{ objects: [{ ...server, color: "red" }] }, ["plugins", 0, "objects", 0, "color"]],
      [{ marketplaces: ["x"] }, ["plugins", 0, "marketplaces", 0]],
      [{ name: "" }, ["plugins", 0, "name"]]
    ] as const) {
      expect((await refusal(owner, document(entry))).slice(0, 3)).toEqual([400, "invalid_request", place])
    }
    const source = { connector: "c", branch: "main", plugin: "." }
    expect((await refusal(owner, { plugins: [{ key: "a", source, objects: [] }] })).slice(2, 3)).toEqual([
      ["plugins", 0, "objects"]
    ])
    expect(
      (
        await refusal(owner, {
          plugins: [
            { key: "a", source },
            { key: "b", source }
          ]
        })
      ).slice(2)
    ).toEqual([["plugins"], "must not contain duplicate sources"])
    expect(await pluginsOf(owner)).toEqual([])
  })

  it("require access to all plugins and objects, and the permissions of the changed fields", async () => {
    const owner = await makeWorkspace(plane)
    const read = [
      "organizations:read",
      "organizations:write",
      "plugins:read",
      "configObjects:read",
      "marketplaces:read"
    ]
    const all = [...read, "approvals:read", "teams:read", "members:read", "marketplaces:manage", "plugins:manage"]
    const plain = { plugins: [{ key: "a", name: "A" }] }
    const filled = { plugins: [{ key: "a", name: "A", objects: [custom] }] }
    const withoutObjects = await makeKey(plane, owner, [...all, "plugins:write"])
    expect(await refusal(withoutObjects, plain)).toEqual([403, "permission_required"])
    const editor = await makeKey(plane, owner, [...all, "configObjects:manage", "plugins:write"])
    expect(await refusal(editor, filled)).toEqual([403, "permission_required"])
    expect(actions(await applied(editor, plain))).toEqual(["create plugins a"])
    const author = await makeKey(plane, owner, [...all, "configObjects:manage", "configObjects:write", "plugins:write"])
    expect(actions(await applied(author, filled))).toEqual(["update plugins a objects"])
    const stranger = await makeWorkspace(plane)
    expect((await exported(stranger, "plugins")).plugins).toEqual([])
  })

  it("that were imported are addressed by their source, and can be shared and offered", async () => {
    const owner = await makeWorkspace(plane)
    const files = {
      ".claude-plugin/marketplace.json": marketplace(["lint"]),
      "plugins/lint/skills/lint/SKILL.md": skill("lint")
    }
    await imported(owner, await connect(owner, repositoryIn(plane, files), "Acme tools"))
    const [before] = (await exported(owner, "plugins")).plugins
    expect(before).toEqual({
      key: "lint",
      source: { connector: "acme-tools", branch: "main", plugin: "marketplace:lint" },
      marketplaces: [expect.any(String)],
      access: expect.any(Array)
    })
    const [{ id }] = (await owner.call("GET", "/v1/marketplaces")).body.items
    const adoptions = [{ kind: "marketplaces", id, key: before.marketplaces[0] }]
    expect((await owner.call("POST", "/v1/configuration/adopt", { adoptions })).status).toBe(200)
    const document = {
      marketplaces: [{ key: "mine", name: "Mine" }],
      plugins: [
        {
          key: "linter",
          source: before.source,
          marketplaces: ["mine", before.marketplaces[0]],
          access: [{ everyone: true, role: "viewer" }]
        }
      ],
      prune: { plugins: true }
    }
    expect(actions(await applied(owner, document))).toEqual([
      "create marketplaces mine",
      "adopt plugins linter",
      "update plugins linter marketplaces access"
    ])
    expect(actions(await applied(owner, document))).toEqual([])
    const source = { ...before.source, plugin: "marketplace:other" }
    expect((await refusal(owner, { plugins: [{ key: "other", source }] })).slice(2)).toEqual([
      ["plugins", 0, "source"],
      "is not the source of an imported plugin"
    ])
    expect((await refusal(owner, { plugins: [{ key: "linter", name: "Mine", objects: [custom] }] })).slice(2)).toEqual([
      ["plugins", 0, "name"],
      "comes from the repository. Replace it with the `source` of the object"
    ])
  })
})
