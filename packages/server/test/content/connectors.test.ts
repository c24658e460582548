import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Files, makeRepository } from "../../../../test/fixtures/git.ts"
import { commit, initRepository } from "../../../../test/fixtures/git.ts"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import {
  all,
  connect,
  contents,
  imported,
  marketplace,
  objectsOf,
  repositoryIn,
  rows,
  skill,
  synced,
  until,
  versionsOf
} from "./connectors.fixture.ts"
import { addMember, makeControlPlane, makeMarketplace, makeTeam, makeWorkspace, rowCounts } from "../harness.ts"

const plane = await makeControlPlane()

const server = (command: string) => ({ mcpServers: { [command]: { command } } })
const json = (value: unknown) => JSON.stringify(value)

const manifest = {
  name: "acme-tools",
  owner: { name: "Acme", email: "tools@acme.example" },
  metadata: { description: "Tools of Acme." },
  plugins: [
    {
      name: "alpha",
      displayName: "Alpha tools",
      source: "./plugins/alpha",
      description: "Does everything.",
      category: "delivery",
      tags: ["a", "b"]
    },
    { name: "beta", source: "./plugins/beta" },
    { name: "gamma", source: "./plugins/gamma", strict: false, ...server("inline-in-the-list") },
    { name: "broken", source: "./plugins/broken" },
    { name: "elsewhere", source: { source: "github", repo: "acme/elsewhere", sha: "a".repeat(40) } }
  ]
}

const files = {
  ".claude-plugin/marketplace.json": json(manifest),
  "README.md": "# Tools\n",
  "plugins/alpha/skills/plan/SKILL.md": skill("plan"),
  "plugins/alpha/skills/plan/references/how.md": "# How\n",
  "plugins/alpha/skills/review/SKILL.md": skill("review"),
  "plugins/alpha/agents/critic.md": "---\nname: critic\ndescription: Judges.\n---\nJudge.\n",
  "plugins/alpha/commands/go.md": "# Go\n",
  "plugins/alpha/commands/deep/stop.md": "# Stop\n",
  "plugins/alpha/hooks/hooks.json": json({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "x" }] }] } }),
  "plugins/alpha/.mcp.json": json(server("in-a-file")),
  "plugins/beta/.claude-plugin/plugin.json": json({
    name: "beta",
    version: "1.2.3",
    ...server("inline-in-the-plugin")
  }),
  "plugins/beta/commands/beta.md": "# Beta\n",
  "plugins/gamma/README.md": "# Gamma\n",
  "plugins/broken/.claude-plugin/plugin.json": "{",
  "plugins/broken/commands/never.md": "# Never\n"
} satisfies Files

const revisionOf = (dir: string, changes: Parameters<typeof commit>[1] = {}) => commit(dir, changes)

const noPaths = {
  agents: [],
  commands: [],
  hooks: [],
  lspServers: [],
  mcpServers: [],
  monitors: [],
  settings: [],
  skills: []
}

describe("the path from a repository to what a member gets", async () => {
  const owner = await makeWorkspace(plane)
  const member = await addMember(plane, owner, "member")
  const dir = repositoryIn(plane, files, "acme/tools")
  const revision = revisionOf(dir)
  const url = pathToFileURL(dir).href
  const connection = await owner.client.connectors.setup({ adapter: "git", cloneUrl: dir })
  const { connectorInstance: instance, connectorTarget: target } = connection
  const at = `/v1/connector-instances/${instance.id}`

  it("connects a branch", () => {
    expect(connection).toMatchObject({
      connectorAccount: { connectorType: "codehost", adapter: "git", remoteId: "git:file", name: "file" },
      connectorInstance: {
        connectorAccountId: connection.connectorAccount.id,
        remoteId: url,
        name: "acme/tools",
        status: "active",
        statusReason: null,
        instanceConfigJson: {},
        lastSyncedAt: null,
        lastSyncCursor: null,
        createdByOrgMembershipId: owner.membershipId
      },
      connectorTarget: {
        connectorInstanceId: instance.id,
        remoteId: `${url}#main`,
        targetKind: "repository_branch",
        externalTargetRef: "refs/heads/main",
        targetConfigJson: {}
      }
    })
  })

  it("discovers its plugins, as in the specification", async () => {
    const discovered = await owner.client.connectors.discovery(instance.id)
    expect(discovered).toMatchObject({
      autoImportNewPlugins: false,
      connectorInstance: instance,
      connectorTarget: target,
      repositoryFullName: "acme/tools",
      sourceRevisionRef: revision,
      steps: [{ label: expect.any(String) }, { label: expect.any(String) }],
      treeSummary: { scannedEntryCount: Object.keys(files).length, strategy: "git-tree-recursive", truncated: false },
      warnings: ['"plugins/broken/.claude-plugin/plugin.json" is not valid JSON.']
    })
    expect(
      discovered.discoveredPlugins.map(({ key, selectedByDefault, supported }) => [key, supported, selectedByDefault])
    ).toEqual([
      ["marketplace:alpha", true, true],
      ["marketplace:beta", true, true],
      ["marketplace:gamma", true, true],
      ["marketplace:broken", false, false],
      ["marketplace:elsewhere", false, false]
    ])
    const [alpha, beta, , , elsewhere] = discovered.discoveredPlugins
    expect(alpha).toEqual({
      key: "marketplace:alpha",
      rootPath: "plugins/alpha",
      displayName: "Alpha tools",
      description: "Does everything.",
      selectedByDefault: true,
      supported: true,
      manifestPath: null,
      warnings: [],
      componentKinds: ["agents", "commands", "hooks", "mcpServers", "skills"],
      componentPaths: {
        ...noPaths,
        agents: ["plugins/alpha/agents"],
        commands: ["plugins/alpha/commands"],
        hooks: ["plugins/alpha/hooks/hooks.json"],
        mcpServers: ["plugins/alpha/.mcp.json"],
        skills: ["plugins/alpha/skills"]
      },
      metadata: expect.objectContaining({ name: "alpha", category: "delivery", tags: ["a", "b"], version: null })
    })
    expect(beta).toMatchObject({
      manifestPath: "plugins/beta/.claude-plugin/plugin.json",
      componentPaths: {
        ...noPaths,
        commands: ["plugins/beta/commands"],
        mcpServers: ["plugins/beta/.claude-plugin/plugin.json"]
      },
      metadata: { version: "1.2.3" }
    })
    expect(elsewhere?.warnings.join()).toContain("github.com")
  })

  it("pages through the tree", async () => {
    const whole = await all(owner.client.connectors.tree(instance.id, { limit: 500 }))
    expect(whole.map(({ path }) => path)).toEqual(Object.keys(files).sort())
    for (const limit of [1, 3, 15]) {
      expect(await all(owner.client.connectors.tree(instance.id, { limit }))).toEqual(whole)
    }
    const below = await all(owner.client.connectors.tree(instance.id, { prefix: "plugins/beta/", limit: 1 }))
    expect(below.map(({ path }) => path)).toEqual(
      Object.keys(files)
        .filter((path) => path.startsWith("plugins/beta/"))
        .sort()
    )
    const go = whole.find(({ path }) => path === "plugins/alpha/commands/go.md")
    expect(go).toEqual({
      id: expect.any(String),
      path: go?.path,
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      size: 5
    })
  })

  it("rejects imports that are missing, unsupported or too large, and writes nothing", async () => {
    const before = await rowCounts(plane)
    const apply = (selectedKeys: ReadonlyArray<string>, more: object = {}) =>
      owner.call("POST", `${at}/discovery/apply`, { selectedKeys, autoImportNewPlugins: false, ...more })
    const response = await apply(["marketplace:alpha", "nope", "marketplace:broken", "marketplace:elsewhere"])
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({
      error: "invalid_request",
      details: [
        { path: ["body", "selectedKeys", 1], message: "is not a plugin of the repository" },
        { path: ["body", "selectedKeys", 2], message: expect.stringContaining("not valid JSON") },
        { path: ["body", "selectedKeys", 3], message: expect.stringContaining("github.com") }
      ]
    })
    expect((await apply(Array.from({ length: 1001 }, (_, index) => `k${index}`))).status).toBe(400)
    const stranger = await makeMarketplace(plane, await makeWorkspace(plane))
    const [foreign, missing] = [
      await apply(["marketplace:alpha"], { marketplaceId: stranger }),
      await apply(["marketplace:alpha"], { marketplaceId: `mkt_${"0".repeat(26)}` })
    ]
    expect(foreign.status).toBe(400)
    expect(foreign.body.details).toEqual([
      { path: ["body", "marketplaceId"], message: "does not exist in the organization" }
    ])
    expect(missing.text).toBe(foreign.text)
    const after = await rowCounts(plane)
    for (const table of ["plugins", "connector_mappings", "sync_events", "plugin_memberships", "config_objects"]) {
      expect([table, after[table]]).toEqual([table, before[table]])
    }
  })

  const keys = ["marketplace:alpha", "marketplace:beta", "marketplace:gamma"]
  type Applied = Awaited<ReturnType<typeof owner.client.connectors.apply>>
  let applied: Applied

  it("imports each selected plugin once, and waits for the content", async () => {
    applied = await owner.client.connectors.apply(instance.id, {
      selectedKeys: [...keys, ...keys],
      autoImportNewPlugins: false
    })
    const item = applied
    expect(item).toMatchObject({
      autoImportNewPlugins: false,
      marketplace: { name: "acme-tools" },
      sourceRevisionRef: revision,
      syncEvent: { status: "completed", trigger: "apply", revision, counts: { objectsCreated: 11, filesScanned: 15 } }
    })
    expect(item.plugins.map(({ key, name }) => [key, name])).toEqual([
      ["marketplace:alpha", "Alpha tools"],
      ["marketplace:beta", "beta"],
      ["marketplace:gamma", "gamma"]
    ])
    expect(item.createdMappings.map(({ objectType, selector }) => [selector, objectType]).sort()).toEqual([
      [".claude-plugin/marketplace.json", "mcp"],
      ["plugins/alpha/.mcp.json", "mcp"],
      ["plugins/alpha/agents", "agent"],
      ["plugins/alpha/commands", "command"],
      ["plugins/alpha/hooks/hooks.json", "hook"],
      ["plugins/alpha/skills", "skill"],
      ["plugins/beta/.claude-plugin/plugin.json", "mcp"],
      ["plugins/beta/commands", "command"]
    ])
    expect(await contents(owner)).toMatchObject({
      "Alpha tools": {
        "skill plugins/alpha/skills/plan/SKILL.md": skill("plan"),
        "context plugins/alpha/skills/plan/references/how.md": "# How\n",
        "skill plugins/alpha/skills/review/SKILL.md": skill("review"),
        "agent plugins/alpha/agents/critic.md": files["plugins/alpha/agents/critic.md"],
        "command plugins/alpha/commands/go.md": "# Go\n",
        "command plugins/alpha/commands/deep/stop.md": "# Stop\n",
        "hook plugins/alpha/hooks/hooks.json": files["plugins/alpha/hooks/hooks.json"],
        "mcp plugins/alpha/.mcp.json": files["plugins/alpha/.mcp.json"]
      },
      beta: { "command plugins/beta/commands/beta.md": "# Beta\n" },
      gamma: { "mcp .claude-plugin/marketplace.json": JSON.stringify(server("inline-in-the-list").mcpServers, null, 2) }
    })
    expect(await owner.client.connectors.getInstance(instance.id)).toMatchObject({
      lastSyncCursor: revision,
      lastSyncedAt: expect.any(String)
    })
  })

  it("hides a private import from members, and shows all of a shared one", async () => {
    const { marketplace, plugins } = applied
    const resolved = `/v1/marketplaces/${marketplace?.id}/resolved`
    expect(await contents(member)).toEqual({})
    expect((await member.call("GET", resolved)).status).toBe(404)
    const again = await owner.client.connectors.apply(instance.id, {
      selectedKeys: keys,
      autoImportNewPlugins: false,
      share: "orgWide"
    })
    // The same plugins in the same marketplace; nothing is imported twice.
    expect(again).toMatchObject({ marketplace, plugins, createdMappings: [] })
    expect(again.syncEvent.counts).toMatchObject({ objectsCreated: 0, objectsUpdated: 0, objectsUnchanged: 11 })
    expect(await contents(member)).toEqual(await contents(owner))
    const seen = (await member.call("GET", resolved)).body.item
    expect(seen.source).toEqual({
      connectorAccountId: connection.connectorAccount.id,
      connectorInstanceId: instance.id,
      accountLogin: "file",
      repositoryFullName: "acme/tools",
      branch: "main"
    })
    const alpha = seen.plugins.find(({ name }: { name: string }) => name === "Alpha tools")
    expect(alpha).toMatchObject({
      memberCount: 8,
      componentCounts: { skill: 2, context: 1, agent: 1, command: 2, hook: 1, mcp: 1 },
      extension: { manifest: { source: { trusted: false, reference: `acme/tools@${revision}` } } }
    })
  })

  it("lists the mappings with every filter, in pages", async () => {
    const list = (input: object) => all(owner.client.connectors.listMappings(target.id, { limit: 3, ...input }))
    const whole = await list({})
    expect(whole).toHaveLength(8)
    expect(whole.map(({ id }) => id)).toEqual(
      whole
        .map(({ id }) => id)
        .sort()
        .toReversed()
    )
    const { plugins } = applied
    const beta = plugins.find(({ key }) => key === "marketplace:beta")?.id
    expect((await list({ objectType: "mcp" })).map(({ objectType }) => objectType)).toEqual(["mcp", "mcp", "mcp"])
    expect((await list({ pluginId: beta })).every(({ pluginId }) => pluginId === beta)).toBe(true)
    expect(await list({ pluginId: beta })).toHaveLength(2)
    expect(await list({ mappingKind: "path" })).toHaveLength(8)
    expect(await list({ mappingKind: "api" })).toEqual([])
    expect((await list({ q: "COMMANDS" })).map(({ selector }) => selector).sort()).toEqual([
      "plugins/alpha/commands",
      "plugins/beta/commands"
    ])
    expect(await list({ q: "%" })).toEqual([])
    expect(await list({ q: "beta", objectType: "command", pluginId: beta })).toHaveLength(1)
    const path = `/v1/connector-targets/${target.id}/mappings`
    for (const query of ["limit=0", "limit=101", "mappingKind=x", "objectType=x", "pluginId=x", "q=", "cursor=x"]) {
      expect([query, (await owner.call("GET", `${path}?${query}`)).status]).toEqual([query, 400])
    }
    const cursor = (await owner.client.connectors.listMappings(target.id, { limit: 1 })).nextCursor
    expect((await owner.call("GET", `${path}?cursor=${cursor}&q=other`)).status).toBe(400)
  })

  it("lists branches, syncs and access, and keeps the objects' versions", async () => {
    expect(await all(owner.client.connectors.listTargets(instance.id))).toMatchObject([{ id: target.id }])
    expect(await owner.client.connectors.getTarget(target.id)).toMatchObject({ externalTargetRef: "refs/heads/main" })
    const events = await all(owner.client.connectors.listSyncEvents(instance.id, { limit: 1 }))
    expect(events.map(({ status, trigger }) => [status, trigger])).toEqual([
      ["completed", "apply"],
      ["completed", "apply"]
    ])
    expect(await all(owner.client.connectors.listSyncEvents(instance.id, { status: "failed" }))).toEqual([])
    const { nextCursor } = await owner.client.connectors.listSyncEvents(instance.id, { status: "completed", limit: 1 })
    const page = `/v1/connector-instances/${instance.id}/sync-events?cursor=${nextCursor}`
    expect((await owner.call("GET", `${page}&status=completed`)).status).toBe(200)
    expect((await owner.call("GET", `${page}&status=failed`)).text).toContain("is not a cursor of this list")
    expect((await owner.call("GET", page)).status).toBe(400)
    expect(await owner.client.connectors.getSyncEvent(events[0]?.id ?? "")).toEqual(events[0])
    const { plugins } = applied
    const go = (await objectsOf(owner, plugins[0]?.id ?? "")).get("plugins/alpha/commands/go.md")
    expect(await versionsOf(owner, go?.id ?? "")).toMatchObject([{ ordinal: 1, sourceRevisionRef: revision }])

    const team = await makeTeam(owner, [member])
    expect((await member.call("GET", at)).status).toBe(404)
    const grant = await owner.client.connectors.grantAccess(instance.id, { teamId: team, role: "viewer" })
    expect(
      (await all(owner.client.connectors.listAccess(instance.id))).map((row) => [
        row.orgMembershipId,
        row.teamId,
        row.role
      ])
    ).toEqual([
      [null, team, "viewer"],
      [owner.membershipId, null, "manager"]
    ])
    expect((await member.call("GET", at)).status).toBe(200)
    expect((await member.call("POST", `${at}/access`, { orgWide: true, role: "viewer" })).status).toBe(403)
    await owner.client.connectors.revokeAccess(instance.id, grant.id)
    expect((await member.call("GET", at)).status).toBe(404)
    expect((await owner.call("DELETE", `${at}/access/${grant.id}`)).status).toBe(404)
  })

  it("shows a local path only to callers who can connect repositories", async () => {
    await owner.client.connectors.grantAccess(instance.id, { orgMembershipId: member.membershipId, role: "viewer" })
    const shownPaths = [
      await member.call("GET", at),
      await member.call("GET", "/v1/connector-instances"),
      await member.call("GET", `${at}/targets`),
      await member.call("GET", `/v1/connector-targets/${target.id}`),
      await member.call("GET", `${at}/discovery`),
      await member.call("GET", `${at}/discovery/tree`),
      await member.call("GET", `${at}/sync-events`)
    ]
    for (const { status, text } of shownPaths) {
      expect(status).toBe(200)
      expect(text).not.toContain(plane.repositories)
    }
    expect(shownPaths[0]?.body.item.remoteId).toBe("file:///tools")
    expect(shownPaths[3]?.body.item.remoteId).toBe("file:///tools#main")
    expect((await owner.client.connectors.getInstance(instance.id)).remoteId).toBe(url)
  })
})

describe("discovery/tree", () => {
  it("returns the whole tree in pages, for any page size and prefix", async () => {
    const owner = await makeWorkspace(plane)
    const part = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom("a", "b", "ab", "plugins", "é", "😀", "\uFFEE", "%", "_", "A1") },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 4 }) }
    )
    const paths = fc.uniqueArray(
      fc
        .array(part, { minLength: 1, maxLength: 4 })
        .map((parts) => parts.map((text) => text.replaceAll(/[/\\.]/g, "x")).join("/")),
      { minLength: 1, maxLength: 40 }
    )
    await fc.assert(
      fc.asyncProperty(paths, fc.integer({ min: 1, max: 50 }), fc.nat(), async (paths, limit, pick) => {
        // A file cannot be below another file.
        const usable = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)))
        const connected = await connect(
          owner,
          repositoryIn(plane, Object.fromEntries(usable.map((path) => [path, path])))
        )
        const id = connected.instance.id
        const whole = await all(owner.client.connectors.tree(id, { limit: 500 }))
        const names = whole.map(({ path }) => path)
        expect(names).toEqual([...names].sort())
        expect(usable).toEqual(expect.arrayContaining(names))
        const pages = []
        for await (const page of owner.client.connectors.tree(id, { limit }).pages()) pages.push(page.items)
        expect(pages.flat()).toEqual(whole)
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
        const some = names[pick % Math.max(1, names.length)] ?? "a"
        const prefix =
          some
            .slice(0, 1 + (pick % 5))
            .toWellFormed()
            .replace(/\uFFFD$/u, "") || "a"
        expect((await all(owner.client.connectors.tree(id, { limit, prefix }))).map(({ path }) => path)).toEqual(
          names.filter((path) => path.startsWith(prefix))
        )
      }),
      { numRuns: 12 }
    )
  })

  it("finds a prefix in a tree of many pages, including names with supplementary characters", async () => {
    const owner = await makeWorkspace(plane)
    const names = Array.from({ length: 2300 }, (_, index) => `${["a", "\uFFEE", "😀"][index % 3]}/f${index}`)
    const connected = await connect(owner, repositoryIn(plane, Object.fromEntries(names.map((name) => [name, "x"]))))
    for (const prefix of ["a/", "\uFFEE/", "😀/", "😀/f100", "b"]) {
      const matches = await all(owner.client.connectors.tree(connected.instance.id, { prefix, limit: 500 }))
      expect([prefix, matches.length]).toEqual([prefix, names.filter((name) => name.startsWith(prefix)).length])
    }
  })

  it("stays on the revision of its cursor while that is stored, and rejects the cursor elsewhere", async () => {
    const owner = await makeWorkspace(plane)
    const dir = repositoryIn(plane, { "a.md": "1", "b.md": "2", "c.md": "3" })
    const connected = await connect(owner, dir)
    const id = connected.instance.id
    const first = await owner.client.connectors.tree(id, { limit: 1 })
    const next = () => owner.call("GET", `/v1/connector-instances/${id}/discovery/tree?cursor=${first.nextCursor}`)
    commit(dir, { "b.md": null })
    await synced(owner, connected)
    expect((await next()).body.items.map(({ path }: { path: string }) => path)).toEqual(["b.md", "c.md"])
    for (const query of ["prefix=b&", "limit=501&"]) {
      const path = `/v1/connector-instances/${id}/discovery/tree?${query}cursor=${first.nextCursor}`
      expect((await owner.call("GET", path)).status).toBe(400)
    }
    const other = await connect(owner, repositoryIn(plane, { "a.md": "1" }))
    const elsewhere = `/v1/connector-instances/${other.instance.id}/discovery/tree?cursor=${first.nextCursor}`
    expect((await owner.call("GET", elsewhere)).status).toBe(400)
    for (let index = 0; index < 7; index++) {
      commit(dir, { "c.md": `c${index}` })
      await synced(owner, connected)
    }
    const late = await next()
    expect([late.status, late.body.details[0].path]).toEqual([400, ["query", "cursor"]])
    await owner.client.connectors.disable(id)
    expect((await next()).body.error).toBe("connector_instance_disabled")
  })
})

const small = { ".claude-plugin/marketplace.json": marketplace(["alpha"]), "plugins/alpha/commands/go.md": "# Go\n" }

describe("apply", () => {
  it("returns the queued sync without waiting when asked", async () => {
    const owner = await makeWorkspace(plane)
    const { instance } = await connect(owner, repositoryIn(plane, small))
    const response = await owner.call("POST", `/v1/connector-instances/${instance.id}/discovery/apply?wait=0`, {
      selectedKeys: ["marketplace:alpha"],
      autoImportNewPlugins: true
    })
    expect(response.body.item.syncEvent).toMatchObject({ status: "queued", startedAt: null })
    const event = await until(
      () => owner.client.connectors.getSyncEvent(response.body.item.syncEvent.id),
      ({ status }) => status === "completed"
    )
    expect(event.counts.objectsCreated).toBe(1)
  })

  it("lists the plugins in one of the caller's marketplaces, which only its manager can share", async () => {
    const owner = await makeWorkspace(plane)
    const admin = await addMember(plane, owner, "admin")
    const marketplaceId = await makeMarketplace(plane, admin)
    const { instance } = await connect(owner, repositoryIn(plane, small))
    const item = await owner.client.connectors.apply(instance.id, {
      selectedKeys: ["marketplace:alpha"],
      autoImportNewPlugins: false,
      marketplaceId
    })
    expect(item.marketplace?.id).toBe(marketplaceId)
    expect(await all(owner.client.marketplaces.listPlugins(marketplaceId))).toHaveLength(1)
    expect(await all(owner.client.marketplaces.list())).toHaveLength(1)
  })

  it("imports nothing if nothing is selected", async () => {
    const owner = await makeWorkspace(plane)
    const { instance } = await connect(owner, repositoryIn(plane, small))
    const item = await owner.client.connectors.apply(instance.id, { selectedKeys: [], autoImportNewPlugins: false })
    expect(item).toMatchObject({ plugins: [], createdMappings: [], syncEvent: { status: "completed" } })
    expect(await contents(owner)).toEqual({})
  })
})

describe("disable and enable", () => {
  it("stop everything, and start it again with a sync; both are idempotent", async () => {
    const owner = await makeWorkspace(plane)
    const dir = repositoryIn(plane, small)
    const connected = await connect(owner, dir)
    const id = connected.instance.id
    await imported(owner, connected)
    const disabled = await owner.client.connectors.disable(id)
    expect(disabled.status).toBe("disabled")
    expect(await owner.client.connectors.disable(id)).toEqual(disabled)
    const refusals = [
      await owner.call("GET", `/v1/connector-instances/${id}/discovery`),
      await owner.call("GET", `/v1/connector-instances/${id}/discovery/tree`),
      await owner.call("POST", `/v1/connector-instances/${id}/discovery/apply`, {
        selectedKeys: [],
        autoImportNewPlugins: false
      }),
      await owner.call("POST", `/v1/connector-instances/${id}/sync`)
    ]
    for (const { body, status } of refusals) {
      expect([status, body.error]).toEqual([409, "connector_instance_disabled"])
    }
    expect(await contents(owner)).toMatchObject({ alpha: {} })
    commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    const before = (await all(owner.client.connectors.listSyncEvents(id))).length
    const enabled = await owner.client.connectors.enable(id)
    expect(enabled.status).toBe("active")
    const [event] = await until(
      () => all(owner.client.connectors.listSyncEvents(id)),
      ([newest]) => newest?.status === "completed" && newest.trigger === "enable"
    )
    expect(event?.counts.objectsUpdated).toBe(1)
    const after = await owner.client.connectors.getInstance(id)
    expect(await owner.client.connectors.enable(id)).toEqual(after)
    expect(await all(owner.client.connectors.listSyncEvents(id))).toHaveLength(before + 1)
  })

  it("ignore a waiting sync when the instance is stopped", async () => {
    const idle = await makeControlPlane({ workers: false })
    const owner = await makeWorkspace(idle)
    const { instance } = await connect(owner, repositoryIn(idle, small))
    const event = await owner.client.connectors.sync(instance.id)
    await owner.client.connectors.disable(instance.id)
    const working = await import("../../src/content/connectors/sync.ts")
    const { withServices } = await import("../harness.ts")
    const Effect = await import("effect/Effect")
    await withServices(
      idle,
      Effect.flatMap(working.SyncService, (sync) =>
        sync.work({ organizationId: instance.organizationId as never, syncEventId: event.id as never })
      )
    )
    expect(await owner.client.connectors.getSyncEvent(event.id)).toMatchObject({ status: "ignored", attempt: 0 })
  })
})

describe("PATCH", () => {
  it("changes name, configuration and repository, separately or together, and nothing else", async () => {
    const owner = await makeWorkspace(plane)
    const dir = repositoryIn(plane, small)
    const other = repositoryIn(plane, { ...small, "plugins/alpha/commands/go.md": "# Elsewhere\n" })
    const connected = await connect(owner, dir)
    const id = connected.instance.id
    await imported(owner, connected)
    const first = await owner.client.connectors.getInstance(id)
    const patch = (body: unknown, headers: Record<string, string> = {}) =>
      owner.call("PATCH", `/v1/connector-instances/${id}`, body, headers)
    for (const body of [{}, { unknown: 1 }]) expect((await patch(body)).body.item).toEqual(first)
    for (const body of [{ name: "" }, { config: 7 }, { name: "x".repeat(256) }]) {
      expect([body, (await patch(body)).status]).toEqual([body, 400])
    }
    const named = await patch({ name: "Ours 😀", config: { a: [1, null] } })
    expect(named.body.item).toEqual({
      ...first,
      name: "Ours 😀",
      instanceConfigJson: { a: [1, null] },
      updatedAt: expect.any(String)
    })
    const etag = named.headers.get("etag") ?? ""
    expect((await patch({ name: "Late" }, { "if-match": '"1"' })).status).toBe(412)
    expect((await patch({ name: "In time" }, { "if-match": etag })).status).toBe(200)
    const moved = await patch({ remoteId: other })
    expect(moved.body.item).toMatchObject({ remoteId: pathToFileURL(other).href, name: "In time" })
    expect((await owner.client.connectors.getTarget(connected.target.id)).remoteId).toBe(
      `${pathToFileURL(other).href}#main`
    )
    expect(await synced(owner, connected)).toMatchObject({ status: "completed", counts: { objectsUpdated: 1 } })
    const outside = await patch({ remoteId: "/etc" })
    expect([outside.status, outside.body.details[0].path]).toEqual([400, ["body", "remoteId"]])
  })

  it("assigns a name once, also to concurrent requests", async () => {
    const owner = await makeWorkspace(plane)
    const dir = repositoryIn(plane, small)
    const instances = [await connect(owner, dir), await connect(owner, dir), await connect(owner, dir)]
    const names = instances.map(({ instance }) => instance.name)
    expect(new Set(names).size).toBe(3)
    const responses = await Promise.all(
      instances.map(({ instance }) => owner.call("PATCH", `/v1/connector-instances/${instance.id}`, { name: "One" }))
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(responses.find(({ status }) => status === 409)?.body.error).toBe("connector_instance_exists")
    const conflict = await owner.call("POST", "/v1/connectors/codehost/setup", {
      adapter: "git",
      cloneUrl: dir,
      name: "One"
    })
    expect([conflict.status, conflict.body.error]).toEqual([409, "connector_instance_exists"])
    const long = "😀".repeat(255)
    expect(
      (await owner.client.connectors.setup({ adapter: "git", cloneUrl: dir, name: long })).connectorInstance.name
    ).toBe(long)
  })
})

describe("remove", () => {
  it("removes exactly what only this instance feeds, once", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const dir = repositoryIn(plane, files)
    const [first, second] = [await connect(owner, dir), await connect(owner, dir)]
    const one = await imported(owner, first, {
      selectedKeys: ["marketplace:alpha", "marketplace:beta"],
      share: "orgWide"
    })
    const two = await imported(owner, second, { selectedKeys: ["marketplace:alpha"] })
    const [alpha, beta] = one.plugins
    const mine = await owner.call("POST", "/v1/config-objects", {
      input: { type: "context", rawSourceText: "# Mine\n" },
      pluginIds: [beta?.id]
    })
    expect(Object.keys(await contents(member))).toHaveLength(2)
    expect((await member.call("POST", `/v1/connector-instances/${first.instance.id}/remove`)).status).toBe(403)

    const counts = await owner.client.connectors.remove(first.instance.id)
    expect(counts).toEqual({
      deletedConfigObjectCount: 10,
      deletedConnectorMappingCount: 7,
      removedConnectorInstanceId: first.instance.id
    })
    for (const [method, path] of [
      ["POST", `/v1/connector-instances/${first.instance.id}/remove`],
      ["POST", `/v1/connector-instances/${first.instance.id}/enable`],
      ["GET", `/v1/connector-instances/${first.instance.id}`],
      ["GET", `/v1/connector-targets/${first.target.id}`],
      ["GET", `/v1/connector-targets/${first.target.id}/mappings`],
      ["GET", `/v1/plugins/${alpha?.id}`]
    ] as const) {
      expect([path, (await owner.call(method, path)).status]).toEqual([path, 404])
    }
    // A user's object keeps its plugin, and the plugin its marketplace, which no longer has a connector.
    expect([...(await objectsOf(owner, beta?.id ?? "")).values()].map(({ id }) => id)).toEqual([mine.body.item.id])
    const left = await owner.call("GET", `/v1/marketplaces/${one.marketplace?.id}/resolved`)
    expect(left.body.item).toMatchObject({ marketplace: { canDelete: true, pluginCount: 1 }, source: null })
    // What the other instance feeds is unchanged.
    expect((await objectsOf(owner, two.plugins[0]?.id ?? "")).size).toBe(8)
    expect((await synced(owner, second)).counts).toMatchObject({ objectsUnchanged: 8, objectsCreated: 0 })
    await owner.client.connectors.remove(second.instance.id)
    expect((await owner.call("GET", `/v1/marketplaces/${two.marketplace?.id}`)).status).toBe(404)
    expect(
      await rows(
        plane,
        (sql) => sql`SELECT object_kind FROM grants WHERE organization_id = ${owner.organizationId}
        AND removed_at IS NULL AND object_kind NOT IN ('configObject') ORDER BY 1`
      )
    ).toEqual([{ object_kind: "marketplace" }, { object_kind: "marketplace" }, { object_kind: "plugin" }])
    // The name is free again, and the versions are kept for the audit log.
    expect((await connect(owner, dir, first.instance.name)).instance.name).toBe(first.instance.name)
    expect(
      (
        await rows(
          plane,
          (sql) => sql`SELECT 1 FROM config_object_versions
        WHERE organization_id = ${owner.organizationId} AND is_deleted_version`
        )
      ).length
    ).toBe(18)
  })
})

describe("setup of a path", () => {
  it("names each error, and writes nothing", async () => {
    const owner = await makeWorkspace(plane)
    const dir = repositoryIn(plane, small)
    const empty = join(plane.repositories, "empty")
    initRepository(empty)
    makeRepository(join(plane.repositories, "plain/.hidden"), { a: "b" })
    const before = await rowCounts(plane)
    const setup = (body: object) => owner.call("POST", "/v1/connectors/codehost/setup", { adapter: "git", ...body })
    const mistakes: ReadonlyArray<readonly [object, number, unknown]> = [
      [{ cloneUrl: "/etc" }, 400, ["body", "cloneUrl"]],
      [{ cloneUrl: "/nowhere/at/all" }, 400, ["body", "cloneUrl"]],
      [{ cloneUrl: `${plane.repositories}/../x` }, 400, ["body", "cloneUrl"]],
      [{ cloneUrl: "file:///etc" }, 400, ["body", "cloneUrl"]],
      [{ cloneUrl: "relative/path" }, 400, ["body", "cloneUrl"]],
      [{ cloneUrl: "git@host.example:a/b" }, 400, ["body", "cloneUrl"]],
      [{ cloneUrl: join(plane.repositories, "plain") }, 400, ["body", "cloneUrl"]],
      [{ cloneUrl: join(plane.repositories, "missing") }, 400, ["body", "cloneUrl"]],
      [{ cloneUrl: dir, branch: "nope" }, 400, ["body", "branch"]],
      [{ cloneUrl: dir, branch: "../../HEAD" }, 400, ["body", "branch"]],
      [{ cloneUrl: empty }, 409, "repository_empty"],
      [{ cloneUrl: empty, branch: "main" }, 409, "repository_empty"],
      [{}, 400, ["body", "cloneUrl"]]
    ]
    for (const [body, status, what] of mistakes) {
      const response = await setup(body)
      expect([body, response.status, response.body.details?.[0].path ?? response.body.error]).toEqual([
        body,
        status,
        what
      ])
    }
    const inside = await setup({ cloneUrl: "/etc/passwd" })
    expect((await setup({ cloneUrl: "/nowhere/at/all" })).text).toBe(inside.text)
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("limits an unclaimed workspace to one instance, also for concurrent requests", async () => {
    const connection = await plane.fetch(
      new Request("http://localhost/v1/bootstrap/workspace", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ workspaceName: "Passing" })
      })
    )
    const { session } = (await connection.json()) as { session: { token: string } }
    const { call } = await import("../harness.ts")
    const send = call(plane, session.token)
    const dir = repositoryIn(plane, small)
    const responses = await Promise.all(
      Array.from({ length: 3 }, () => send("POST", "/v1/connectors/codehost/setup", { adapter: "git", cloneUrl: dir }))
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(responses.find(({ status }) => status === 409)?.body.error).toBe("quota_exceeded")
  })
})
