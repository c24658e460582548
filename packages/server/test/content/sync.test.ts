import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commit, type Content, readRefs, writeCommit, writeRef } from "../../../../test/fixtures/git.ts"
import { treeData, writeObject } from "../../../../test/fixtures/git-objects.ts"
import {
  all,
  connect,
  type Connected,
  contents,
  ended,
  imported,
  marketplace,
  objectsOf,
  repositoryIn,
  rows,
  skill,
  synced,
  until,
  versionsOf,
  withoutApprovals
} from "./connectors.fixture.ts"
import { addMember, makeControlPlane, makeMarketplace, makeWorkspace, type Workspace } from "../harness.ts"

const plane = await makeControlPlane()

const manifestPath = ".claude-plugin/marketplace.json"

interface World {
  readonly owner: Workspace
  readonly dir: string
  readonly connected: Connected
  /** Plugin key to id. */
  readonly plugins: Readonly<Record<string, string>>
  readonly marketplaceId: string
  readonly change: (changes: Readonly<Record<string, Content | null>>) => string
  readonly sync: () => ReturnType<typeof synced>
}

const two = {
  [manifestPath]: marketplace(["alpha", "beta"]),
  "plugins/alpha/skills/plan/SKILL.md": skill("plan"),
  "plugins/alpha/commands/go.md": "# Go\n\nGo on.\n",
  "plugins/beta/agents/critic.md": "---\nname: critic\ndescription: Judges.\n---\nJudge.\n"
}

/** An organization that imported a repository. */
const world = async (
  files: Readonly<Record<string, Content>> = two,
  more: Parameters<typeof imported>[2] = {}
): Promise<World> => {
  const owner = await makeWorkspace(plane)
  const dir = repositoryIn(plane, files)
  const connected = await withoutApprovals(owner, await connect(owner, dir))
  const applied = await imported(owner, connected, more)
  expect(applied.syncEvent.status).toMatch(/^(completed|partial)$/)
  return {
    owner,
    dir,
    connected,
    plugins: Object.fromEntries(applied.plugins.map((plugin) => [plugin.key.replace("marketplace:", ""), plugin.id])),
    marketplaceId: applied.marketplace?.id ?? "",
    change: (changes) => commit(dir, changes),
    sync: () => synced(owner, connected)
  }
}

const counts = { objectsCreated: 0, objectsUpdated: 0, objectsDeleted: 0, objectsUnchanged: 0, pluginsCreated: 0 }

const many = (count: number, folder = "plugins/alpha/commands") =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/c${index}.md`, `# Command ${index}\n`]))

describe("a sync of a new head", () => {
  it("creates one version of the one changed file, and none of the others", async () => {
    const { change, owner, plugins, sync } = await world()
    const before = await objectsOf(owner, plugins["alpha"] ?? "")
    const revision = change({ "plugins/alpha/commands/go.md": "# Go\n\nGo further.\n" })
    expect(await sync()).toMatchObject({
      status: "completed",
      trigger: "manual",
      attempt: 1,
      revision,
      warnings: [],
      error: null,
      counts: { ...counts, objectsUpdated: 1, objectsUnchanged: 2 }
    })
    const after = await objectsOf(owner, plugins["alpha"] ?? "")
    const go = after.get("plugins/alpha/commands/go.md")
    expect(go).toMatchObject({
      id: before.get("plugins/alpha/commands/go.md")?.id,
      latestVersion: {
        ordinal: 2,
        rawSourceText: "# Go\n\nGo further.\n",
        sourceRevisionRef: revision,
        createdVia: "connector"
      }
    })
    expect(await versionsOf(owner, go?.id ?? "")).toHaveLength(2)
    const plan = "plugins/alpha/skills/plan/SKILL.md"
    expect(after.get(plan)).toEqual(before.get(plan))
  })

  it("changes nothing if the head has not moved", async () => {
    const { owner, sync } = await world()
    const before = await contents(owner)
    expect(await sync()).toMatchObject({ status: "completed", counts: { ...counts, objectsUnchanged: 3 } })
    expect(await contents(owner)).toEqual(before)
    expect(
      await rows(
        plane,
        (sql) => sql`SELECT 1 FROM config_object_versions
      WHERE organization_id = ${owner.organizationId}`
      )
    ).toHaveLength(3)
  })

  it("keeps the object of a renamed file", async () => {
    const { change, owner, plugins, sync } = await world()
    const before = await objectsOf(owner, plugins["alpha"] ?? "")
    change({ "plugins/alpha/commands/go.md": null, "plugins/alpha/commands/further/run.md": "# Go\n\nGo on.\n" })
    expect(await sync()).toMatchObject({ counts: { ...counts, objectsUnchanged: 3 } })
    const after = await objectsOf(owner, plugins["alpha"] ?? "")
    const moved = after.get("plugins/alpha/commands/further/run.md")
    expect(moved).toMatchObject({
      id: before.get("plugins/alpha/commands/go.md")?.id,
      currentFileName: "run.md",
      latestVersion: { ordinal: 1 }
    })
    expect(after.size).toBe(2)
  })

  it("ends deleted objects: a deletion mark, no plugin membership, no grants", async () => {
    const { change, owner, plugins, sync } = await world()
    const friend = await addMember(plane, owner, "member")
    const go = (await objectsOf(owner, plugins["alpha"] ?? "")).get("plugins/alpha/commands/go.md")
    const id = go?.id ?? ""
    await owner.call("POST", `/v1/config-objects/${id}/access`, {
      orgMembershipId: friend.membershipId,
      role: "viewer"
    })
    expect((await friend.call("GET", `/v1/config-objects/${id}`)).status).toBe(200)
    const revision = change({ "plugins/alpha/commands/go.md": null })
    expect(await sync()).toMatchObject({ counts: { ...counts, objectsDeleted: 1, objectsUnchanged: 2 } })
    expect((await objectsOf(owner, plugins["alpha"] ?? "")).size).toBe(1)
    expect((await friend.call("GET", `/v1/config-objects/${id}`)).status).toBe(404)
    expect((await owner.call("GET", `/v1/config-objects/${id}`)).status).toBe(404)
    expect(
      await rows(
        plane,
        (sql) => sql`SELECT ordinal, is_deleted_version, source_text, source_revision
        FROM config_object_versions WHERE config_object_id = ${id} ORDER BY ordinal`
      )
    ).toEqual([
      expect.objectContaining({ ordinal: 1, is_deleted_version: false }),
      { ordinal: 2, is_deleted_version: true, source_text: null, source_revision: revision }
    ])
    expect(
      await rows(plane, (sql) => sql`SELECT 1 FROM grants WHERE object_id = ${id} AND removed_at IS NULL`)
    ).toEqual([])
  })

  it("creates another object for a file that moved to another plugin, because identity belongs to the plugin", async () => {
    const { change, owner, plugins, sync } = await world()
    const before = await objectsOf(owner, plugins["alpha"] ?? "")
    change({ "plugins/alpha/commands/go.md": null, "plugins/beta/commands/go.md": "# Go\n\nGo on.\n" })
    expect(await sync()).toMatchObject({ counts: { objectsCreated: 1, objectsDeleted: 1, objectsUnchanged: 2 } })
    const inBeta = (await objectsOf(owner, plugins["beta"] ?? "")).get("plugins/beta/commands/go.md")
    expect(inBeta?.id).not.toBe(before.get("plugins/alpha/commands/go.md")?.id)
    expect(await contents(owner)).toMatchObject({
      alpha: { "skill plugins/alpha/skills/plan/SKILL.md": skill("plan") },
      beta: { "command plugins/beta/commands/go.md": "# Go\n\nGo on.\n" }
    })
    expect((await objectsOf(owner, plugins["alpha"] ?? "")).size).toBe(1)
  })

  it("imports a file once per plugin, even if two mappings of a plugin select it", async () => {
    const { owner, plugins } = await world({
      [manifestPath]: JSON.stringify({
        name: "acme-tools",
        owner: { name: "Acme" },
        plugins: [
          { name: "alpha", source: "./shared", strict: false, commands: ["./extra/go.md", "./commands"] },
          { name: "beta", source: "./shared", strict: false, agents: [] }
        ]
      }),
      "shared/commands/go.md": "# Go\n",
      "shared/extra/go.md": "# Go there\n"
    })
    const alpha = await objectsOf(owner, plugins["alpha"] ?? "")
    const beta = await objectsOf(owner, plugins["beta"] ?? "")
    expect([...alpha.keys()].sort()).toEqual(["shared/commands/go.md", "shared/extra/go.md"])
    expect([...beta.keys()]).toEqual(["shared/commands/go.md"])
    expect(beta.get("shared/commands/go.md")?.id).not.toBe(alpha.get("shared/commands/go.md")?.id)
  })

  it("follows the lists of a manifest, and memberships name the mapping of their object", async () => {
    const manifest = (lists: object) => JSON.stringify({ name: "solo", ...lists })
    const { change, connected, owner, plugins, sync } = await world({
      ".claude-plugin/plugin.json": manifest({}),
      "commands/go.md": "# Go\n",
      "more/stop.md": "# Stop\n"
    })
    const id = plugins["."] ?? ""
    const selectors = async () =>
      (await all(owner.client.connectors.listMappings(connected.target.id))).map((row) => row.selector).sort()
    const mappingOf = async () => {
      const mappings = new Map(
        (await all(owner.client.connectors.listMappings(connected.target.id))).map((m) => [m.id, m])
      )
      return (await all(owner.client.plugins.listObjects(id))).map((row) => [
        row.configObject.currentRelativePath,
        mappings.get(row.connectorMappingId ?? "")?.selector
      ])
    }
    expect(await selectors()).toEqual(["commands"])
    change({ ".claude-plugin/plugin.json": manifest({ commands: ["./more/stop.md"] }) })
    expect(await sync()).toMatchObject({ counts: { objectsCreated: 1, objectsUnchanged: 1 } })
    expect(await selectors()).toEqual(["commands", "more/stop.md"])
    // The folder mapping now imports what a single mapping imported: the object stays, with another mapping.
    change({ ".claude-plugin/plugin.json": manifest({ commands: ["./more"] }) })
    expect(await sync()).toMatchObject({ counts: { objectsCreated: 0, objectsDeleted: 0, objectsUnchanged: 2 } })
    expect(await selectors()).toEqual(["commands", "more"])
    expect((await mappingOf()).sort()).toEqual([
      ["commands/go.md", "commands"],
      ["more/stop.md", "more"]
    ])
    change({ ".claude-plugin/plugin.json": manifest({}) })
    expect(await sync()).toMatchObject({ counts: { objectsDeleted: 1, objectsUnchanged: 1 } })
    expect(await selectors()).toEqual(["commands"])
  })
})

describe("added and removed plugins", () => {
  it("are removed when their marketplace no longer lists them", async () => {
    const { change, marketplaceId, owner, plugins, sync } = await world()
    change({ [manifestPath]: marketplace(["alpha"]) })
    expect(await sync()).toMatchObject({ status: "completed", counts: { objectsDeleted: 1, objectsUnchanged: 2 } })
    expect((await owner.call("GET", `/v1/plugins/${plugins["beta"]}`)).status).toBe(404)
    const listed = await all(owner.client.marketplaces.listPlugins(marketplaceId))
    expect(listed.map((row) => row.plugin.name)).toEqual(["alpha"])
  })

  it("stay when they contain something of a user, although their marketplace no longer lists them", async () => {
    const { change, owner, plugins, sync } = await world()
    const own = await owner.call("POST", "/v1/config-objects", {
      input: { type: "context", rawSourceText: "# Mine\n" },
      pluginIds: [plugins["beta"]]
    })
    expect(own.status).toBe(201)
    change({ [manifestPath]: marketplace(["alpha"]) })
    await sync()
    const left = await all(owner.client.plugins.listObjects(plugins["beta"] ?? ""))
    expect(left.map((row) => row.configObject.id)).toEqual([own.body.item.id])
    // When it is listed again, it is the same plugin.
    change({ [manifestPath]: marketplace(["alpha", "beta"]) })
    expect(await sync()).toMatchObject({ counts: { objectsCreated: 1, pluginsCreated: 0 } })
    expect(await all(owner.client.plugins.listObjects(plugins["beta"] ?? ""))).toHaveLength(2)
  })

  it("keep their identity, objects and grants when the marketplace renames them", async () => {
    const { change, owner, plugins, sync } = await world()
    const friend = await addMember(plane, owner, "member")
    const id = plugins["alpha"] ?? ""
    await owner.call("POST", `/v1/plugins/${id}/access`, { orgMembershipId: friend.membershipId, role: "viewer" })
    const before = await objectsOf(friend, id)
    change({
      [manifestPath]: JSON.stringify({
        name: "acme-tools",
        owner: { name: "Acme" },
        plugins: [
          { name: "omega", source: "./plugins/alpha" },
          { name: "beta", source: "./plugins/beta" }
        ],
        renames: { alpha: "omega" }
      })
    })
    expect(await sync()).toMatchObject({ counts: { ...counts, objectsUnchanged: 3 } })
    expect((await friend.client.plugins.get(id)).name).toBe("omega")
    const after = await objectsOf(friend, id)
    expect([...after.values()].map((object) => object.id).sort()).toEqual(
      [...before.values()].map((object) => object.id).sort()
    )
    // The next sync finds it by its new name.
    expect(await sync()).toMatchObject({ counts: { ...counts, objectsUnchanged: 3 } })
  })

  it("are imported into the same marketplace if configured, and ignored otherwise", async () => {
    const more = {
      // A plugin without components, as delta, is not imported automatically.
      [manifestPath]: marketplace(["alpha", "beta", "gamma", "delta"]),
      "plugins/gamma/commands/new.md": "# New\n",
      "plugins/delta/README.md": "# Delta\n"
    }
    const withAutoImport = await world(two, { autoImportNewPlugins: true, share: "orgWide" })
    const member = await addMember(plane, withAutoImport.owner, "member")
    withAutoImport.change(more)
    expect(await withAutoImport.sync()).toMatchObject({ counts: { pluginsCreated: 1, objectsCreated: 1 } })
    expect(await contents(member)).toMatchObject({ gamma: { "command plugins/gamma/commands/new.md": "# New\n" } })

    const plain = await world(two, { autoImportNewPlugins: false })
    plain.change({ ...more, "plugins/alpha/commands/go.md": "# Changed\n" })
    expect(await plain.sync()).toMatchObject({ counts: { pluginsCreated: 0, objectsCreated: 0, objectsUpdated: 1 } })
    expect(Object.keys(await contents(plain.owner)).sort()).toEqual(["alpha", "beta"])
  })

  it("are listed in the marketplace of the import", async () => {
    const owner = await makeWorkspace(plane)
    const marketplaceId = await makeMarketplace(plane, owner)
    const dir = repositoryIn(plane, two)
    const connected = await withoutApprovals(owner, await connect(owner, dir))
    await imported(owner, connected, { autoImportNewPlugins: true, marketplaceId })
    commit(dir, { [manifestPath]: marketplace(["alpha", "beta", "gamma"]), "plugins/gamma/commands/new.md": "# New\n" })
    await synced(owner, connected)
    const listed = await all(owner.client.marketplaces.listPlugins(marketplaceId))
    expect(listed.map((row) => row.plugin.name).sort()).toEqual(["alpha", "beta", "gamma"])
  })

  it("stay unchanged with a warning while their manifest is broken", async () => {
    const { change, owner, plugins, sync } = await world({
      ...two,
      "plugins/beta/.claude-plugin/plugin.json": '{"name":"beta"}'
    })
    const before = await contents(owner)
    change({ "plugins/beta/.claude-plugin/plugin.json": '{"name":' })
    const event = await sync()
    expect(event).toMatchObject({ status: "completed", counts: { ...counts, objectsUnchanged: 3 } })
    expect(event.warnings.join("\n")).toContain("plugins/beta/.claude-plugin/plugin.json")
    expect(await contents(owner)).toEqual(before)
    expect((await owner.client.plugins.get(plugins["beta"] ?? "")).memberCount).toBe(1)
    change({ "plugins/beta/.claude-plugin/plugin.json": '{"name":"beta"}' })
    expect((await sync()).warnings).toEqual([])
  })

  it.each([
    ["no JSON", "{"],
    ["no list", '{"name":"acme-tools","plugins":7}']
  ])("all stay while the marketplace manifest is broken (%s), and their contents are synced", async (_, text) => {
    const files = { ...two, "plugins/beta/.claude-plugin/plugin.json": '{"name":"beta"}' }
    const { change, owner, sync } = await world(files, { autoImportNewPlugins: true })
    const before = await contents(owner)
    change({ [manifestPath]: text, "plugins/alpha/commands/go.md": "# Gone on\n" })
    const event = await sync()
    expect(event).toMatchObject({
      status: "completed",
      counts: { ...counts, objectsUpdated: 1, objectsUnchanged: 2 }
    })
    expect(event.warnings.join("\n")).toContain(manifestPath)
    expect(await contents(owner)).toEqual({
      ...before,
      alpha: { ...before["alpha"], "command plugins/alpha/commands/go.md": "# Gone on\n" }
    })
    change({ [manifestPath]: null })
    expect(await sync()).toMatchObject({ counts: { objectsDeleted: 3, objectsCreated: 1, pluginsCreated: 1 } })
  })

  it("stay without a marketplace while their own manifest is broken", async () => {
    const { change, owner, sync } = await world({
      "tool/.claude-plugin/plugin.json": '{"name":"tool"}',
      "tool/commands/go.md": "# Go\n"
    })
    const before = await contents(owner)
    change({ "tool/.claude-plugin/plugin.json": "{" })
    expect(await sync()).toMatchObject({ status: "completed", counts: { ...counts, objectsUnchanged: 1 } })
    expect(await contents(owner)).toEqual(before)
    change({ "tool/.claude-plugin/plugin.json": null })
    expect(await sync()).toMatchObject({ counts: { objectsDeleted: 1 } })
    expect(await contents(owner)).toEqual({})
  })

  it("keep inline components of a manifest separate and stable when its list is reordered", async () => {
    const entry = (name: string, command: string) => ({
      name,
      source: `./plugins/${name}`,
      mcpServers: { [name]: { command } }
    })
    const list = (...plugins: ReadonlyArray<object>) =>
      JSON.stringify({ name: "acme-tools", owner: { name: "Acme" }, plugins })
    const { change, owner, plugins, sync } = await world({
      ...two,
      [manifestPath]: list(entry("alpha", "one"), entry("beta", "two"))
    })
    const before = (await objectsOf(owner, plugins["alpha"] ?? "")).get(manifestPath)
    expect(JSON.parse(before?.latestVersion?.rawSourceText ?? "")).toEqual({ alpha: { command: "one" } })
    change({ [manifestPath]: list(entry("gamma", "x"), entry("beta", "changed"), entry("alpha", "one")) })
    expect(await sync()).toMatchObject({
      status: "completed",
      counts: { ...counts, objectsUpdated: 1, objectsUnchanged: 4 }
    })
    const after = (await objectsOf(owner, plugins["alpha"] ?? "")).get(manifestPath)
    expect(after).toMatchObject({ id: before?.id, latestVersion: { id: before?.latestVersion?.id, ordinal: 1 } })
    const changed = (await objectsOf(owner, plugins["beta"] ?? "")).get(manifestPath)
    expect(changed?.latestVersion).toMatchObject({ ordinal: 2 })
    // A broken manifest does not show what was removed.
    change({ [manifestPath]: "{" })
    expect(await sync()).toMatchObject({ status: "partial", counts: { ...counts, objectsUnchanged: 3 } })
    expect((await objectsOf(owner, plugins["alpha"] ?? "")).get(manifestPath)).toEqual(after)
  })
})

describe("rewritten history", () => {
  const point = (dir: string, sha: string) => writeRef(dir, "refs/heads/main", sha)

  it("converges to the head after a force-push to unrelated history, and back", async () => {
    const { change, dir, owner, sync } = await world()
    const first = readRefs(dir).get("refs/heads/main") ?? ""
    const before = await contents(owner)
    rmSync(join(dir, ".git/refs/heads/main"))
    const unrelated = change({
      ...two,
      "plugins/alpha/commands/go.md": "# Another history\n",
      "plugins/beta/agents/critic.md": "Other.\n"
    })
    expect(unrelated).not.toBe(first)
    expect(await sync()).toMatchObject({ status: "completed", revision: unrelated, counts: { objectsUpdated: 2 } })
    expect(await contents(owner)).toMatchObject({
      alpha: { "command plugins/alpha/commands/go.md": "# Another history\n" }
    })
    point(dir, first)
    expect(await sync()).toMatchObject({ revision: first, counts: { objectsUpdated: 2 } })
    expect(await contents(owner)).toEqual(before)
  })

  it("reports a deleted branch, keeps imported content, and recovers when the branch is back", async () => {
    const { connected, dir, owner, sync } = await world()
    const before = await contents(owner)
    const head = readRefs(dir).get("refs/heads/main") ?? ""
    writeRef(dir, "refs/heads/other", head)
    rmSync(join(dir, ".git/refs/heads/main"))
    expect(await sync()).toMatchObject({
      status: "failed",
      attempt: 1,
      revision: null,
      error: { code: "branch_not_found" }
    })
    const broken = await owner.client.connectors.getInstance(connected.instance.id)
    expect(broken).toMatchObject({
      status: "error",
      statusReason: "The repository has no such branch. Content imported from main is kept.",
      lastSyncCursor: head
    })
    expect(await contents(owner)).toEqual(before)
    point(dir, head)
    expect(await sync()).toMatchObject({ status: "completed" })
    expect(await owner.client.connectors.getInstance(connected.instance.id)).toMatchObject({
      status: "active",
      statusReason: null
    })
  })

  it("records a new reason when a failing instance fails differently, but not when it is stopped", async () => {
    const { connected, dir, owner, sync } = await world()
    writeRef(dir, "refs/heads/other", readRefs(dir).get("refs/heads/main") ?? "")
    rmSync(join(dir, ".git/refs/heads/main"))
    await sync()
    rmSync(join(dir, ".git"), { recursive: true })
    expect(await sync()).toMatchObject({ status: "failed", error: { code: "not_a_repository" } })
    const item = await owner.client.connectors.getInstance(connected.instance.id)
    expect(item.statusReason).toBe("The path is not a git repository.")
  })

  it("fails immediately for a repository without branches", async () => {
    const { dir, sync } = await world()
    rmSync(join(dir, ".git/refs/heads/main"))
    expect(await sync()).toMatchObject({ status: "failed", attempt: 1, error: { code: "empty_repository" } })
  })
})

describe("a sync that removes many objects", () => {
  const large = { [manifestPath]: marketplace(["alpha"]), ...many(20) }
  const remove = (count: number) => Object.fromEntries(Object.keys(many(count)).map((path) => [path, null]))

  const held = async () => {
    const createdWorld = await world(large)
    const revision = createdWorld.change(remove(7))
    const event = await createdWorld.sync()
    expect(event).toMatchObject({
      status: "review_required",
      revision,
      counts: { objectsDeleted: 7, filesScanned: 14 }
    })
    expect(event.warnings).toEqual(["7 of 20 objects would be removed. Approve the sync or change the repository."])
    return { ...createdWorld, event, revision }
  }

  it("runs for thirty per cent or five objects, and is held above", async () => {
    const six = await world(large)
    six.change(remove(6))
    expect(await six.sync()).toMatchObject({ status: "completed", counts: { objectsDeleted: 6 } })
    const five = await world({ [manifestPath]: marketplace(["alpha"]), ...many(6) })
    five.change(remove(5))
    expect(await five.sync()).toMatchObject({ status: "completed", counts: { objectsDeleted: 5 } })
    const { connected, owner } = await held()
    expect((await contents(owner))["alpha"]).toMatchObject({ "command plugins/alpha/commands/c0.md": "# Command 0\n" })
    expect(Object.keys((await contents(owner))["alpha"] ?? {})).toHaveLength(20)
    expect((await owner.client.connectors.getInstance(connected.instance.id)).lastSyncCursor).not.toBeNull()
  })

  it("runs at its revision after approval", async () => {
    const { event, owner, revision } = await held()
    const approved = await owner.client.connectors.approveSync(event.id)
    expect(approved).toMatchObject({ id: event.id, status: "queued", endedAt: null })
    expect(await ended(owner, event.id)).toMatchObject({ status: "completed", revision, counts: { objectsDeleted: 7 } })
    expect(Object.keys((await contents(owner))["alpha"] ?? {})).toHaveLength(13)
    const audit = await rows(
      plane,
      (sql) => sql`SELECT action, after_json FROM audit_events
      WHERE organization_id = ${owner.organizationId} AND action = 'connector.approve_sync'`
    )
    expect(audit).toEqual([{ action: "connector.approve_sync", after_json: { syncEventId: event.id, revision } }])
  })

  it("is evaluated again when the branch moved after approval", async () => {
    const { change, event, owner } = await held()
    const later = change({ "plugins/alpha/commands/c7.md": null })
    await owner.client.connectors.approveSync(event.id)
    expect(await ended(owner, event.id)).toMatchObject({
      status: "review_required",
      revision: later,
      counts: { objectsDeleted: 8 }
    })
    expect(Object.keys((await contents(owner))["alpha"] ?? {})).toHaveLength(20)
    await owner.client.connectors.approveSync(event.id)
    expect(await ended(owner, event.id)).toMatchObject({ status: "completed", revision: later })
  })

  it("imports nothing after rejection, until the branch has a new commit", async () => {
    const { change, event, owner, revision, sync } = await held()
    const before = await contents(owner)
    expect(await owner.client.connectors.rejectSync(event.id)).toMatchObject({ status: "rejected", revision })
    expect(await sync()).toMatchObject({
      status: "ignored",
      revision,
      warnings: ["This revision was rejected. Nothing is imported until the branch has a new commit."]
    })
    expect(await contents(owner)).toEqual(before)
    const later = change({ "plugins/alpha/commands/c19.md": "# Changed\n", ...many(7) })
    expect(await sync()).toMatchObject({ status: "completed", revision: later, counts: { objectsUpdated: 1 } })
  })

  it("is decided once, by a manager of the instance, while the instance exists and is active", async () => {
    const { connected, event, owner } = await held()
    const path = `/v1/connector-sync-events/${event.id}`
    const member = await addMember(plane, owner, "member")
    const admin = await addMember(plane, owner, "admin")
    const stranger = await makeWorkspace(plane)
    const refused = (response: { status: number; body: unknown }) => [response.status, response.body]
    expect(refused(await member.call("POST", `${path}/approve`))).toEqual([
      403,
      expect.objectContaining({ reason: "permission_required" })
    ])
    const missing = await stranger.call("POST", "/v1/connector-sync-events/cse_00000000000000000000000000/reject")
    expect((await stranger.call("POST", `${path}/reject`)).text).toBe(missing.text)
    expect(missing.status).toBe(404)
    await owner.client.connectors.disable(connected.instance.id)
    expect((await owner.call("POST", `${path}/approve`)).body.error).toBe("connector_instance_disabled")
    await owner.client.connectors.enable(connected.instance.id)
    expect((await admin.call("POST", `${path}/reject`)).status).toBe(200)
    for (const verb of ["approve", "reject"]) {
      expect(refused(await owner.call("POST", `${path}/${verb}`))).toEqual([
        409,
        { error: "sync_not_held", message: "The sync is not pending approval." }
      ])
    }
    await owner.client.connectors.remove(connected.instance.id)
    expect((await owner.call("POST", `${path}/approve`)).status).toBe(404)
  })

  it("replaces a waiting sync", async () => {
    const plane = await makeControlPlane({ workers: false })
    const owner = await makeWorkspace(plane)
    const { connectorInstanceId, connectorSyncEventId } = await import("../harness.ts").then((harness) =>
      harness.makeConnector(plane, owner)
    )
    await rows(
      plane,
      (sql) => sql`UPDATE sync_events SET status = 'review_required', revision = ${"a".repeat(40)}
      WHERE id = ${connectorSyncEventId}`
    )
    const waiting = await owner.client.connectors.sync(connectorInstanceId)
    expect((await owner.client.connectors.approveSync(connectorSyncEventId)).status).toBe("queued")
    expect(await owner.client.connectors.getSyncEvent(waiting.id)).toMatchObject({
      status: "ignored",
      warnings: ["Superseded by an approved sync."]
    })
    // A request now returns the waiting sync.
    expect((await owner.client.connectors.sync(connectorInstanceId)).id).toBe(connectorSyncEventId)
  })
})

describe("unusual files", () => {
  it("are skipped with a warning when they are too large, binary or not text, and the rest is imported", async () => {
    const { change, owner, sync } = await world()
    change({
      "plugins/alpha/commands/large.md": "x".repeat(1_048_577),
      "plugins/alpha/commands/edge.md": "x".repeat(1_048_576),
      "plugins/alpha/commands/nul.md": "a\u0000b",
      "plugins/alpha/commands/latin.md": Buffer.from([0x61, 0xe9, 0x62]),
      "plugins/alpha/commands/image.md": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]),
      "plugins/alpha/commands/fine.md": "# Fine\n"
    })
    const event = await sync()
    expect(event).toMatchObject({ status: "partial", counts: { objectsCreated: 2, objectsUnchanged: 3 } })
    for (const name of ["large", "nul", "latin", "image"]) {
      expect(event.warnings.join("\n")).toContain(`"plugins/alpha/commands/${name}.md" is `)
    }
    expect(event.warnings.join("\n")).not.toContain("fine.md")
    expect(Object.keys((await contents(owner))["alpha"] ?? {})).toEqual(
      expect.arrayContaining(["command plugins/alpha/commands/fine.md", "command plugins/alpha/commands/edge.md"])
    )
  })

  it("keep the last good content when they become unreadable", async () => {
    const { change, owner, plugins, sync } = await world()
    change({ "plugins/alpha/commands/go.md": Buffer.from([0xff, 0xfe]) })
    expect(await sync()).toMatchObject({ status: "partial", counts: { objectsUpdated: 0, objectsDeleted: 0 } })
    const keptObject = (await objectsOf(owner, plugins["alpha"] ?? "")).get("plugins/alpha/commands/go.md")
    expect(keptObject?.latestVersion).toMatchObject({ ordinal: 1, rawSourceText: "# Go\n\nGo on.\n" })
    change({ "plugins/alpha/commands/go.md": "# Better\n" })
    expect(await sync()).toMatchObject({ status: "completed", counts: { objectsUpdated: 1 } })
  })

  it("are stored for any JSON and front matter, including escapes for NUL and lone surrogates", async () => {
    const nasty = String.raw`"a\u0000b\ud800c"`
    const { owner } = await world({
      [manifestPath]: String.raw`{"name":"x\u0000y","owner":{"name":"A\ud800"},"plugins":[{"name":"alpha","displayName":${nasty},"description":${nasty},"keywords":[${nasty}],"source":"./plugins/alpha","mcpServers":{${nasty}:{"command":${nasty}}}}]}`,
      "plugins/alpha/.mcp.json": String.raw`{"mcpServers":{"s":{"command":${nasty},"env":{${nasty}:1e999}}}}`,
      "plugins/alpha/hooks/hooks.json": "[".repeat(5000) + "]".repeat(5000),
      "plugins/alpha/commands/matter.md": `---\ndescription: ${nasty}\n---\n# x\n`
    })
    const [plugin] = await all(owner.client.plugins.list())
    expect(plugin?.memberCount).toBe(4)
  })

  it("are not imported when their paths leave the repository or collide", async () => {
    const { change, owner, sync } = await world()
    change({
      "plugins/alpha/commands/../../../escape.md": "# Out\n",
      "plugins/alpha/commands/GO.md": "# Same name\n",
      "plugins/alpha/commands/link.md": { symlink: "../../../../etc/passwd" },
      "plugins/alpha/commands/module.md": { submodule: "1".repeat(40) }
    })
    const event = await sync()
    const paths = Object.keys((await contents(owner))["alpha"] ?? {})
    expect(paths).toEqual(["skill plugins/alpha/skills/plan/SKILL.md"])
    expect(event.warnings.filter((warning) => warning.startsWith("Ignored"))).toHaveLength(5)
  })
})

describe("concurrent operations", () => {
  it("return the waiting sync, and run it once", async () => {
    const { change, connected, owner } = await world()
    const revision = change({ "plugins/alpha/commands/go.md": "# Once\n" })
    const requests = await Promise.all(
      Array.from({ length: 20 }, () => owner.client.connectors.sync(connected.instance.id))
    )
    const ids = [...new Set(requests.map(({ id }) => id))]
    for (const id of ids) expect((await ended(owner, id)).status).toBe("completed")
    // Requests during a run return the next sync, and no further one.
    expect(ids.length).toBeLessThan(20)
    expect((await owner.client.connectors.getInstance(connected.instance.id)).lastSyncCursor).toBe(revision)
    const versions = await rows(
      plane,
      (sql) => sql`SELECT 1 FROM config_object_versions
      WHERE organization_id = ${owner.organizationId} AND ordinal > 1`
    )
    expect(versions).toHaveLength(1)
  })

  it("end in a correct state when imports, syncs, patches and a stop race", async () => {
    const { change, connected, owner } = await world(two, { autoImportNewPlugins: true })
    const id = connected.instance.id
    change({ [manifestPath]: marketplace(["alpha", "beta", "gamma"]), "plugins/gamma/commands/new.md": "# New\n" })
    const keys = ["marketplace:alpha", "marketplace:beta"]
    const responses = await Promise.all([
      ...Array.from({ length: 4 }, () => owner.call("POST", `/v1/connector-instances/${id}/sync`)),
      ...Array.from({ length: 4 }, () =>
        owner.call("POST", `/v1/connector-instances/${id}/discovery/apply?wait=0`, {
          selectedKeys: keys,
          autoImportNewPlugins: true
        })
      ),
      owner.call("PATCH", `/v1/connector-instances/${id}`, { name: "renamed" }),
      owner.call("POST", `/v1/connector-instances/${id}/disable`),
      owner.call("POST", `/v1/connector-instances/${id}/enable`)
    ])
    expect(
      [...new Set(responses.map(({ status }) => status))].filter((status) => ![200, 202, 409].includes(status))
    ).toEqual([])
    await owner.client.connectors.enable(id)
    await until(
      () => all(owner.client.connectors.listSyncEvents(id)),
      (events) => events.every(({ status }) => status !== "queued" && status !== "running")
    )
    expect((await synced(owner, connected)).status).toBe("completed")
    expect(Object.keys(await contents(owner)).sort()).toEqual(["alpha", "beta", "gamma"])
    const doubled = await rows(
      plane,
      (sql) => sql`SELECT plugin_id, selector FROM connector_mappings
      WHERE organization_id = ${owner.organizationId} AND removed_at IS NULL GROUP BY 1, 2 HAVING count(*) > 1`
    )
    expect(doubled).toEqual([])
    const lost = await rows(
      plane,
      (sql) => sql`SELECT m.id FROM connector_mappings m
      WHERE m.organization_id = ${owner.organizationId} AND m.removed_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM plugins p WHERE p.id = m.plugin_id AND p.deleted_at IS NULL)`
    )
    expect(lost).toEqual([])
    expect(await rows(plane, (sql) => sql`SELECT 1 FROM sync_staged`)).toEqual([])
  })

  it("stop for an instance that was removed meanwhile, and leave nothing behind", async () => {
    const { change, connected, owner } = await world()
    change(many(200))
    const item = await owner.client.connectors.sync(connected.instance.id)
    await owner.client.connectors.remove(connected.instance.id)
    await until(
      () => rows<{ status: string }>(plane, (sql) => sql`SELECT status FROM sync_events WHERE id = ${item.id}`),
      ([event]) => event?.status !== "queued" && event?.status !== "running"
    )
    expect(await contents(owner)).toEqual({})
    for (const table of ["sync_staged", "source_bindings", "discoveries", "discovery_tree_chunks"]) {
      expect(
        await rows(
          plane,
          (sql) => sql`SELECT 1 FROM ${sql(table)}
        WHERE organization_id = ${owner.organizationId}`
        )
      ).toEqual([])
    }
  })
})

describe("a commit with an empty tree", () => {
  it("is held like any removal of all objects", async () => {
    const { dir, owner, sync } = await world({ [manifestPath]: marketplace(["alpha"]), ...many(7) })
    const before = await contents(owner)
    const gitDir = join(dir, ".git")
    writeRef(dir, "refs/heads/main", writeCommit(dir, writeObject(gitDir, "tree", treeData([])), []))
    expect(await sync()).toMatchObject({ status: "review_required", counts: { objectsDeleted: 7 } })
    expect(await contents(owner)).toEqual(before)
  })
})
