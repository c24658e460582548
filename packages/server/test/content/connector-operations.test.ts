/** Branches, manual mappings, configuration, resync and retry. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commit, readRefs, writeRef } from "../../../../test/fixtures/git.ts"
import {
  all,
  connect,
  contents,
  ended,
  imported,
  marketplace,
  objectsOf,
  repositoryIn,
  rows,
  synced,
  until,
  versionsOf
} from "./connectors.fixture.ts"
import { addMember, type TestResponse, makeControlPlane, makeRole, makeWorkspace, type Workspace } from "../harness.ts"

const plane = await makeControlPlane()

const files = {
  ".claude-plugin/marketplace.json": marketplace(["alpha", "beta"]),
  "plugins/alpha/commands/go.md": "# Go\n",
  "plugins/beta/commands/stop.md": "# Stop\n",
  "docs/guide.md": "# Guide\n",
  "docs/more.md": "# More\n"
}

const world = async () => {
  const owner = await makeWorkspace(plane)
  const dir = repositoryIn(plane, files)
  const connected = await connect(owner, dir)
  return { owner, dir, connected, at: `/v1/connector-instances/${connected.instance.id}` }
}

const withImport = async () => {
  const createdWorld = await world()
  return { ...createdWorld, applied: await imported(createdWorld.owner, createdWorld.connected) }
}

const settledEvents = async (owner: Workspace, instanceId: string) =>
  until(
    () => all(owner.client.connectors.listSyncEvents(instanceId)),
    (events) => events.every(({ status }) => status !== "queued" && status !== "running")
  )

/** The status, code and paths of a rejected request. */
const refusal = ({ body, status }: TestResponse) => [
  status,
  body?.reason ?? body?.error,
  ...((body?.details ?? []) as ReadonlyArray<{ readonly path: ReadonlyArray<string> }>).map(({ path }) =>
    path.join(".")
  )
]

describe("archive", () => {
  it("hides an instance from lists by default, keeps its name and content, and ignores queued syncs", async () => {
    const { at, connected, dir, owner } = await withImport()
    const before = await contents(owner)
    const archived = await owner.client.connectors.archive(connected.instance.id)
    expect(archived.status).toBe("archived")
    expect(await owner.client.connectors.archive(connected.instance.id)).toEqual(archived)
    expect((await owner.client.connectors.listInstances()).items).toEqual([])
    expect((await owner.client.connectors.listInstances({ archived: true })).items).toHaveLength(1)
    expect((await owner.client.connectors.listInstances({ archived: true, q: "nothing" })).items).toEqual([])
    expect(refusal(await owner.call("POST", `${at}/sync`))).toEqual([409, "connector_instance_disabled"])
    expect(refusal(await owner.call("GET", `${at}/discovery`))).toEqual([409, "connector_instance_disabled"])
    const conflict = await owner.call("POST", "/v1/connectors/codehost/setup", {
      adapter: "git",
      cloneUrl: dir,
      name: connected.instance.name
    })
    expect(refusal(conflict)).toEqual([409, "connector_instance_exists"])
    expect(await contents(owner)).toEqual(before)
    // Disabling keeps an archived instance archived; enabling restores it.
    expect((await owner.client.connectors.disable(connected.instance.id)).status).toBe("archived")
    expect((await owner.client.connectors.enable(connected.instance.id)).status).toBe("active")
    expect((await owner.client.connectors.listInstances()).items).toHaveLength(1)
  })
})

describe("configuration", () => {
  it("returns branches, plugins, mappings and the last sync", async () => {
    const { applied, connected, owner } = await withImport()
    const { id } = connected.instance
    const configuration = await owner.client.connectors.configuration(id)
    expect(configuration).toMatchObject({
      autoImportNewPlugins: false,
      connectorInstance: { id },
      plugins: applied.plugins.map((plugin) => ({ ...plugin, connectorTargetId: connected.target.id })),
      targets: [
        {
          connectorTarget: { id: connected.target.id, pinnedRevision: null, lastSyncCursor: applied.sourceRevisionRef },
          marketplace: applied.marketplace,
          mappings: { imported: 2, byHand: 0, objects: 2 },
          lastSyncEvent: { id: applied.syncEvent.id, status: "completed" }
        }
      ]
    })
    expect(await owner.client.connectors.setAutoImport(id, { enabled: true })).toEqual({
      connectorInstanceId: id,
      autoImportNewPlugins: true
    })
    expect((await owner.client.connectors.configuration(id)).autoImportNewPlugins).toBe(true)
  })

  it("includes only plugins and marketplaces that the caller can see", async () => {
    const { at, connected, owner } = await withImport()
    const member = await addMember(plane, owner, "member")
    await owner.call("POST", `${at}/access`, { orgMembershipId: member.membershipId, role: "viewer" })
    expect(await member.client.connectors.configuration(connected.instance.id)).toMatchObject({
      plugins: [],
      targets: [{ marketplace: null, mappings: { imported: 2 } }]
    })
  })
})

describe("branches", () => {
  it("are added once, verified on the code host, and synced independently", async () => {
    const { at, connected, dir, owner } = await withImport()
    const main = readRefs(dir).get("refs/heads/main") ?? ""
    writeRef(dir, "refs/heads/next", main)
    commit(dir, { "plugins/alpha/commands/go.md": "# Go on\n" }, { branch: "next" })
    const target = await owner.client.connectors.createTarget(connected.instance.id, { branch: "next" })
    expect(target).toMatchObject({ externalTargetRef: "refs/heads/next", lastSyncCursor: null })
    expect(refusal(await owner.call("POST", `${at}/targets`, { branch: "next" }))).toEqual([
      409,
      "connector_target_exists"
    ])
    expect(refusal(await owner.call("POST", `${at}/targets`, { branch: "never" }))).toEqual([
      400,
      "invalid_request",
      "body.branch"
    ])
    const discovered = await owner.client.connectors.discovery(connected.instance.id, { connectorTargetId: target.id })
    expect([discovered.connectorTarget.id, discovered.sourceRevisionRef === main]).toEqual([target.id, false])
    const page = await owner.client.connectors.tree(connected.instance.id, { connectorTargetId: target.id, limit: 1 })
    expect(page.items).toHaveLength(1)
    // A cursor of one branch is invalid for another.
    const elsewhere = await owner.call("GET", `${at}/discovery/tree?limit=1&cursor=${page.nextCursor}`)
    expect(refusal(elsewhere)).toEqual([400, "invalid_request", "query.cursor"])

    await owner.client.connectors.apply(connected.instance.id, {
      selectedKeys: ["marketplace:alpha"],
      autoImportNewPlugins: false,
      connectorTargetId: target.id
    })
    const texts = (await all(owner.client.plugins.list())).filter(({ name }) => name === "alpha")
    const seen = await Promise.all(texts.map(async ({ id }) => [...(await objectsOf(owner, id)).values()]))
    expect(seen.map(([object]) => object?.latestVersion?.rawSourceText).sort()).toEqual(["# Go\n", "# Go on\n"])
    // A sync of one branch does not change another.
    commit(dir, { "plugins/alpha/commands/go.md": "# Gone\n" })
    const event = await owner.client.connectors.sync(connected.instance.id, { connectorTargetId: target.id })
    expect(await ended(owner, event.id)).toMatchObject({
      connectorTargetId: target.id,
      counts: { objectsUpdated: 0, objectsUnchanged: 1 }
    })
    expect((await synced(owner, connected)).counts).toMatchObject({ objectsUpdated: 1 })
    // Enabling syncs all branches.
    await owner.client.connectors.disable(connected.instance.id)
    await owner.client.connectors.enable(connected.instance.id)
    const events = await settledEvents(owner, connected.instance.id)
    expect(events.filter(({ trigger }) => trigger === "enable").map((each) => each.connectorTargetId)).toHaveLength(2)
  })

  it("of another instance are not found in any operation", async () => {
    const { at, owner } = await withImport()
    const other = await connect(owner, repositoryIn(plane, files))
    const connectorTargetId = other.target.id
    const body = { selectedKeys: [], autoImportNewPlugins: false, connectorTargetId }
    for (const [method, path, payload, place] of [
      ["GET", `${at}/discovery?connectorTargetId=${connectorTargetId}`, undefined, "query"],
      ["GET", `${at}/discovery/tree?connectorTargetId=${connectorTargetId}`, undefined, "query"],
      ["POST", `${at}/sync?connectorTargetId=${connectorTargetId}`, undefined, "query"],
      ["POST", `${at}/discovery/plan`, body, "body"],
      ["POST", `${at}/discovery/apply`, body, "body"],
      ["POST", `${at}/rollback`, { revision: "0".repeat(40), connectorTargetId }, "body"]
    ] as const) {
      expect([path, ...refusal(await owner.call(method, path, payload))]).toEqual([
        path,
        400,
        "invalid_request",
        `${place}.connectorTargetId`
      ])
    }
  })

  it("can be changed to another branch, and keep configuration that an import stored", async () => {
    const { applied, connected, dir, owner } = await withImport()
    writeRef(dir, "refs/heads/next", readRefs(dir).get("refs/heads/main") ?? "")
    commit(dir, { "plugins/alpha/commands/go.md": "# Go on\n" }, { branch: "next" })
    const path = `/v1/connector-targets/${connected.target.id}`
    const unchanged = await owner.client.connectors.getTarget(connected.target.id)
    expect((await owner.call("PATCH", path, {})).body.item).toEqual(unchanged)
    const changed = await owner.client.connectors.updateTarget(connected.target.id, {
      branch: "next",
      config: { owner: "me", marketplaceId: "mkt_01h455vb4pex5vsknk084sn02q" }
    })
    expect(changed).toMatchObject({
      externalTargetRef: "refs/heads/next",
      targetConfigJson: { owner: "me", marketplaceId: applied.marketplace?.id }
    })
    expect(changed.remoteId.endsWith("#next")).toBe(true)
    await synced(owner, connected)
    expect(JSON.stringify(await contents(owner))).toContain("# Go on")
    expect(refusal(await owner.call("PATCH", path, { branch: "never" }))).toEqual([
      400,
      "invalid_request",
      "body.branch"
    ])
    await owner.client.connectors.createTarget(connected.instance.id, { branch: "main" })
    expect(refusal(await owner.call("PATCH", path, { branch: "main" }))).toEqual([409, "connector_target_exists"])
    // Permission to change a connector's settings does not include permission to choose another repository.
    const role = await makeRole(owner, ["connectors:read", "connectors:write"])
    const engineer = await addMember(plane, owner, role)
    await owner.call("POST", `/v1/connector-instances/${connected.instance.id}/access`, {
      orgMembershipId: engineer.membershipId,
      role: "editor"
    })
    expect((await engineer.call("PATCH", path, { config: {} })).status).toBe(200)
    expect(refusal(await engineer.call("PATCH", path, { branch: "next" }))).toEqual([403, "grant_required"])
  })
})

describe("manual mappings", () => {
  const mapped = async (owner: Workspace, targetId: string, more: object = {}) =>
    owner.call("POST", `/v1/connector-targets/${targetId}/mappings`, {
      selector: "docs",
      objectType: "context",
      ...more
    })

  it("import their selection into their plugin, and are unaffected by imports", async () => {
    const { connected, dir, owner } = await withImport()
    const plugin = await owner.client.plugins.create({ name: "Handbook" })
    const createdWorld = await mapped(owner, connected.target.id, { pluginId: plugin.id })
    expect(createdWorld).toMatchObject({
      status: 201,
      body: { item: { mappingKind: "path", selector: "docs", autoAddToPlugin: true, mappingConfigJson: null } }
    })
    expect(await settledEvents(owner, connected.instance.id)).toMatchObject([
      { trigger: "mapping", status: "completed", counts: { objectsCreated: 2 } },
      { trigger: "apply" }
    ])
    expect([...(await objectsOf(owner, plugin.id)).keys()].sort()).toEqual(["docs/guide.md", "docs/more.md"])
    commit(dir, { "docs/guide.md": "# Better\n", "docs/more.md": null })
    await synced(owner, connected)
    expect((await contents(owner))["Handbook"]).toEqual({ "context docs/guide.md": "# Better\n" })
    await imported(owner, connected)
    expect((await contents(owner))["Handbook"]).toEqual({ "context docs/guide.md": "# Better\n" })
    expect(refusal(await mapped(owner, connected.target.id, { pluginId: plugin.id }))).toEqual([
      409,
      "connector_mapping_exists"
    ])
  })

  it("without a plugin create objects in no plugin", async () => {
    const { connected, owner } = await withImport()
    const { body } = await mapped(owner, connected.target.id)
    expect(body.item).toMatchObject({ pluginId: null, autoAddToPlugin: false })
    await settledEvents(owner, connected.instance.id)
    const objects = await all(owner.client.configObjects.list({ type: "context" }))
    expect(objects.map((object) => object.currentRelativePath).sort()).toEqual(["docs/guide.md", "docs/more.md"])
    expect(Object.keys(await contents(owner)).sort()).toEqual(["alpha", "beta"])
  })

  it("select paths inside the repository only: other selectors are rejected with a reason", async () => {
    const { connected, owner } = await withImport()
    await mapped(owner, connected.target.id)
    for (const selector of [
      "..",
      "../docs",
      "docs/../../etc",
      "docs/..",
      "/docs",
      "C:/docs",
      "\\docs",
      "docs\\guide.md",
      "..\\docs",
      "docs//guide.md",
      "docs/",
      "./docs",
      "docs/./guide.md",
      "a\u0001b",
      "a\nb",
      "a\u0000b",
      "docs\ufffd",
      ".git",
      ".GIT/hooks",
      "docs/.git/hooks",
      "e\u0301tude",
      "Docs",
      "DOCS",
      "",
      "x".repeat(256)
    ]) {
      expect([selector, ...refusal(await mapped(owner, connected.target.id, { selector }))]).toEqual([
        selector,
        400,
        "invalid_request",
        "body.selector"
      ])
    }
    const mappings = await all(owner.client.connectors.listMappings(connected.target.id, { objectType: "context" }))
    expect(mappings.map((mapping) => mapping.selector)).toEqual(["docs"])
    expect((await mapped(owner, connected.target.id, { selector: "." })).status).toBe(201)
  })

  it("require a plugin of this organization that the caller can change", async () => {
    const { at, connected, owner } = await withImport()
    const stranger = await makeWorkspace(plane)
    const foreign = await stranger.client.plugins.create({ name: "Theirs" })
    const named = [400, "invalid_request", "body.pluginId"]
    expect(refusal(await mapped(owner, connected.target.id, { pluginId: foreign.id }))).toEqual(named)
    expect(refusal(await mapped(owner, connected.target.id, { autoAddToPlugin: true }))).toEqual([
      400,
      "invalid_request",
      "body.autoAddToPlugin"
    ])
    const role = await makeRole(owner, ["connectors:read", "connectors:write", "plugins:read"])
    const engineer = await addMember(plane, owner, role)
    await owner.call("POST", `${at}/access`, { orgMembershipId: engineer.membershipId, role: "editor" })
    const plugin = await owner.client.plugins.create({ name: "Shared" })
    const ask = () => mapped(engineer, connected.target.id, { pluginId: plugin.id })
    expect(refusal(await ask())).toEqual(named)
    const share = (level: string) =>
      owner.call("POST", `/v1/plugins/${plugin.id}/access`, { orgMembershipId: engineer.membershipId, role: level })
    await share("viewer")
    expect(refusal(await ask())).toEqual([403, "grant_required"])
    await share("editor")
    const { body, status } = await ask()
    expect(status).toBe(201)
    // A user who can no longer edit the plugin cannot change what feeds it.
    await share("viewer")
    const path = `/v1/connector-mappings/${body.item.id}`
    expect(refusal(await engineer.call("PATCH", path, { selector: "plugins" }))).toEqual([403, "grant_required"])
    expect((await engineer.call("PATCH", path, { pluginId: null })).status).toBe(200)
    expect(refusal(await engineer.call("DELETE", path))).toEqual([403, "permission_required"])
  })

  it("change their plugin immediately, and path and type with the next sync", async () => {
    const { connected, owner } = await withImport()
    const [one, two] = [
      await owner.client.plugins.create({ name: "One" }),
      await owner.client.plugins.create({ name: "Two" })
    ]
    const { body } = await mapped(owner, connected.target.id, { pluginId: one.id })
    await settledEvents(owner, connected.instance.id)
    const before = await objectsOf(owner, one.id)
    expect(before.size).toBe(2)
    const { id } = body.item
    await owner.client.connectors.updateMapping(id, { pluginId: two.id })
    expect((await objectsOf(owner, one.id)).size).toBe(0)
    expect([...(await objectsOf(owner, two.id)).values()].map((object) => object.id).sort()).toEqual(
      [...before.values()].map((object) => object.id).sort()
    )
    await owner.client.connectors.updateMapping(id, { autoAddToPlugin: false })
    expect((await objectsOf(owner, two.id)).size).toBe(0)
    await owner.client.connectors.updateMapping(id, { autoAddToPlugin: true })
    await synced(owner, connected)
    expect([...(await objectsOf(owner, two.id)).values()].map((object) => object.id).sort()).toEqual(
      [...before.values()].map((object) => object.id).sort()
    )
    await owner.client.connectors.updateMapping(id, { selector: "docs/guide.md", objectType: "command" })
    await settledEvents(owner, connected.instance.id)
    expect((await contents(owner))["Two"]).toEqual({ "command docs/guide.md": "# Guide\n" })
    const unchanged = await owner.call("PATCH", `/v1/connector-mappings/${id}`, {})
    expect(unchanged.body.item).toMatchObject({ id, selector: "docs/guide.md", objectType: "command" })
  })

  it("are removed immediately together with what only they feed", async () => {
    const { applied, connected, owner } = await withImport()
    const alpha = applied.plugins.find(({ name }) => name === "alpha")?.id ?? ""
    const whole = await mapped(owner, connected.target.id, { pluginId: alpha })
    const part = await mapped(owner, connected.target.id, { selector: "docs/guide.md", pluginId: alpha })
    await settledEvents(owner, connected.instance.id)
    const guide = (await objectsOf(owner, alpha)).get("docs/guide.md")?.id
    expect((await objectsOf(owner, alpha)).size).toBe(3)
    expect((await owner.call("DELETE", `/v1/connector-mappings/${whole.body.item.id}`)).status).toBe(204)
    const left = await objectsOf(owner, alpha)
    // The other mapping selects the guide too, so the object stays.
    expect([...left.keys()].sort()).toEqual(["docs/guide.md", "plugins/alpha/commands/go.md"])
    expect(left.get("docs/guide.md")?.id).toBe(guide)
    await synced(owner, connected)
    expect((await objectsOf(owner, alpha)).get("docs/guide.md")?.id).toBe(guide)
    await owner.client.connectors.deleteMapping(part.body.item.id)
    expect([...(await objectsOf(owner, alpha)).keys()]).toEqual(["plugins/alpha/commands/go.md"])
    expect(refusal(await owner.call("DELETE", `/v1/connector-mappings/${part.body.item.id}`))).toEqual([
      404,
      "connector_mapping_not_found"
    ])
    const [deletedCount] = await rows<{ deleted: number }>(
      plane,
      (sql) => sql`SELECT count(*)::int AS deleted FROM config_object_versions
        WHERE organization_id = ${owner.organizationId} AND is_deleted_version`
    )
    expect(deletedCount).toEqual({ deleted: 2 })
  })

  it("have an impact that lists exactly the objects that their deletion deletes", async () => {
    const { applied, connected, owner } = await withImport()
    const alpha = applied.plugins.find(({ name }) => name === "alpha")
    const whole = await mapped(owner, connected.target.id, { pluginId: alpha?.id })
    await mapped(owner, connected.target.id, { selector: "docs/guide.md", pluginId: alpha?.id })
    await settledEvents(owner, connected.instance.id)
    const before = await objectsOf(owner, alpha?.id ?? "")
    const path = `/v1/connector-mappings/${whole.body.item.id}`
    const impact = await owner.client.connectors.mappingImpact(whole.body.item.id)
    expect(impact).toEqual({
      objectsDeleted: 1,
      // The other mapping selects the guide too.
      objectsKept: 1,
      deleted: [
        {
          configObjectId: before.get("docs/more.md")?.id,
          objectType: "context",
          path: "docs/more.md",
          was: null,
          pointer: null,
          plugin: { id: alpha?.id, name: "alpha" }
        }
      ]
    })
    expect(await objectsOf(owner, alpha?.id ?? "")).toEqual(before)
    // A viewer does not learn the name of a plugin before its first approval.
    const reader = await addMember(plane, owner, "member")
    const grant = { orgMembershipId: reader.membershipId, role: "viewer" } as const
    await owner.client.connectors.grantAccess(connected.instance.id, grant)
    await owner.client.plugins.grantAccess(alpha?.id ?? "", grant)
    expect(await reader.client.connectors.mappingImpact(whole.body.item.id)).toEqual(impact)
    await rows(
      plane,
      (sql) =>
        sql`UPDATE plugins SET delivery_mode = 'hold_all', served_release_id = NULL WHERE id = ${alpha?.id ?? ""}`
    )
    const seen = await reader.client.connectors.mappingImpact(whole.body.item.id)
    expect(seen.deleted.map(({ plugin }) => plugin)).toEqual([null])
    const stranger = await makeWorkspace(plane)
    expect(refusal(await stranger.call("GET", `${path}/impact`))).toEqual([404, "connector_mapping_not_found"])
    await owner.client.connectors.deleteMapping(whole.body.item.id)
    const after = await objectsOf(owner, alpha?.id ?? "")
    expect([...before.keys()].filter((each) => !after.has(each))).toEqual(["docs/more.md"])
    expect(refusal(await owner.call("GET", `${path}/impact`))).toEqual([404, "connector_mapping_not_found"])
    const { items } = await owner.client.connectors.listMappings(connected.target.id)
    const own = items.find(({ mappingConfigJson }) => mappingConfigJson?.["candidateKey"] !== undefined)
    expect(refusal(await owner.call("GET", `/v1/connector-mappings/${own?.id ?? ""}/impact`))).toEqual([
      403,
      "managed_by_connector"
    ])
  })

  it("record the commit of their own branch on the objects they remove", async () => {
    const { applied, connected, dir, owner } = await withImport()
    const main = readRefs(dir).get("refs/heads/main") ?? ""
    const alpha = applied.plugins.find(({ name }) => name === "alpha")?.id ?? ""
    const mapping = await mapped(owner, connected.target.id, { selector: "docs/guide.md", pluginId: alpha })
    await settledEvents(owner, connected.instance.id)
    const guide = (await objectsOf(owner, alpha)).get("docs/guide.md")?.id ?? ""
    writeRef(dir, "refs/heads/next", main)
    commit(dir, { "docs/more.md": "# Even more\n" }, { branch: "next" })
    const target = await owner.client.connectors.createTarget(connected.instance.id, { branch: "next" })
    const { id } = await owner.client.connectors.sync(connected.instance.id, { connectorTargetId: target.id })
    expect(await ended(owner, id)).toMatchObject({ status: "completed" })
    await owner.client.connectors.deleteMapping(mapping.body.item.id)
    const [last] = await rows<{ revision: string }>(
      plane,
      (sql) => sql`SELECT source_revision AS revision FROM config_object_versions
        WHERE organization_id = ${owner.organizationId} AND config_object_id = ${guide} AND is_deleted_version`
    )
    expect(last?.revision).toBe(main)
  })

  it("are distinct from imported mappings, which cannot be changed", async () => {
    const { connected, owner } = await withImport()
    const [mapping] = (await owner.client.connectors.listMappings(connected.target.id)).items
    const path = `/v1/connector-mappings/${mapping?.id ?? ""}`
    expect(refusal(await owner.call("PATCH", path, { selector: "docs" }))).toEqual([403, "managed_by_connector"])
    expect(refusal(await owner.call("DELETE", path))).toEqual([403, "managed_by_connector"])
  })

  it("cannot be added while the instance is stopped", async () => {
    const { connected, owner } = await withImport()
    await owner.client.connectors.disable(connected.instance.id)
    expect(refusal(await mapped(owner, connected.target.id))).toEqual([409, "connector_instance_disabled"])
    // Errors in the request are reported first.
    expect(refusal(await mapped(owner, connected.target.id, { selector: "../guide.md" }))).toEqual([
      400,
      "invalid_request",
      "body.selector"
    ])
  })
})

describe("resync", () => {
  it("reads every file again, and creates versions only for changed content", async () => {
    const { applied, connected, owner } = await withImport()
    const alpha = applied.plugins.find(({ name }) => name === "alpha")?.id ?? ""
    const object = (await objectsOf(owner, alpha)).get("plugins/alpha/commands/go.md")
    const resync = async () => ended(owner, (await owner.client.connectors.resync(connected.target.id)).id)
    expect(await resync()).toMatchObject({
      trigger: "resync",
      status: "completed",
      counts: { objectsCreated: 0, objectsUpdated: 0, objectsDeleted: 0, objectsUnchanged: 2 },
      progress: { done: 2, total: 2 }
    })
    expect(await versionsOf(owner, object?.id ?? "")).toHaveLength(1)
    // The stored text differs from the file for some reason.
    await rows(
      plane,
      (sql) => sql`UPDATE config_object_versions SET source_text = 'spoilt', content_digest = 'spoilt'
        WHERE organization_id = ${owner.organizationId} AND config_object_id = ${object?.id ?? ""}`
    )
    expect((await synced(owner, connected)).counts.objectsUpdated).toBe(0)
    expect((await resync()).counts).toMatchObject({ objectsUpdated: 1, objectsUnchanged: 1 })
    expect((await objectsOf(owner, alpha)).get("plugins/alpha/commands/go.md")?.latestVersion?.rawSourceText).toBe(
      "# Go\n"
    )
    expect((await resync()).counts.objectsUpdated).toBe(0)
  })
})

describe("retry", () => {
  it("runs only a failed sync again", async () => {
    const { connected, dir, owner } = await withImport()
    const main = readRefs(dir).get("refs/heads/main") ?? ""
    writeRef(dir, "refs/heads/other", main)
    rmSync(join(dir, ".git/refs/heads/main"))
    const failed = await synced(owner, connected)
    expect(failed.status).toBe("failed")
    writeRef(dir, "refs/heads/main", main)
    const retried = await owner.client.connectors.retrySync(failed.id)
    expect(retried).toMatchObject({ trigger: "retry" })
    expect(retried.id).not.toBe(failed.id)
    const done = await ended(owner, retried.id)
    expect(done.status).toBe("completed")
    expect(refusal(await owner.call("POST", `/v1/connector-sync-events/${done.id}/retry`))).toEqual([
      409,
      "sync_not_failed"
    ])
  })

  it("of a partial sync reads the skipped files again", async () => {
    const { connected, dir, owner } = await withImport()
    commit(dir, { "plugins/alpha/commands/go.md": "x".repeat(1_048_577) })
    const partial = await synced(owner, connected)
    expect(partial.status).toBe("partial")
    const again = await ended(owner, (await owner.client.connectors.retrySync(partial.id)).id)
    expect(again).toMatchObject({ status: "partial", warnings: [expect.stringContaining("larger than 1 MiB")] })
  })
})
