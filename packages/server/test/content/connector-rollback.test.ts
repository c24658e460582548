/** Applies with a plan digest, and rollbacks to earlier revisions. */
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { commit, readRefs, writeRef } from "../../../../test/fixtures/git.ts"
import * as repo from "../../src/content/connectors/repo.ts"
import { SyncService } from "../../src/content/connectors/sync.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { firstPublications } from "../../src/infra/sql/migrations/0013_connector_operations.ts"
import {
  all,
  connect,
  type Connected,
  contents,
  ended,
  imported,
  isEnded,
  marketplace,
  objectsOf,
  repositoryIn,
  rows,
  synced,
  until,
  versionsOf
} from "./connectors.fixture.ts"
import {
  addMember,
  type TestResponse,
  makeControlPlane,
  makeRole,
  makeWorkspace,
  rowCounts,
  withServices,
  type Workspace
} from "../harness.ts"

const plane = await makeControlPlane()

const files = {
  ".claude-plugin/marketplace.json": marketplace(["alpha", "beta"]),
  "plugins/alpha/commands/go.md": "# Go\n",
  "plugins/alpha/commands/wait.md": "# Wait\n",
  "plugins/beta/commands/stop.md": "# Stop\n"
}

const world = async () => {
  const owner = await makeWorkspace(plane)
  const dir = repositoryIn(plane, files)
  const connected = await connect(owner, dir)
  const applied = await imported(owner, connected)
  const first = applied.sourceRevisionRef
  return { owner, dir, connected, applied, first, at: `/v1/connector-instances/${connected.instance.id}` }
}

const refusal = ({ body, status }: TestResponse) => [
  status,
  body?.reason ?? body?.error,
  ...((body?.details ?? []) as ReadonlyArray<{ readonly path: ReadonlyArray<string> }>).map(({ path }) =>
    path.join(".")
  )
]

const rolledBack = async (owner: Workspace, { instance }: Connected, revision: string) =>
  ended(owner, (await owner.client.connectors.rollback(instance.id, { revision })).id)

/** An automatic sync, as from a push or the reconciler. */
const pushed = async (owner: Workspace, { instance, target }: Connected) => {
  const event = await withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const sync = yield* SyncService
      const row = yield* repo.findInstance(sql, owner.organizationId as Id<"org">, instance.id as Id<"cin">)
      if (row === undefined) throw new Error("There is no such instance.")
      return yield* sync.queue(row, target.id as Id<"ctg">, "webhook").pipe(sql.withTransaction)
    })
  )
  return ended(owner, event.id)
}

const settled = (owner: Workspace, { instance }: Connected) =>
  until(
    () => all(owner.client.connectors.listSyncEvents(instance.id)),
    (events) => events.every(isEnded)
  )

describe("a plan", () => {
  it("is rejected when it is stale, and nothing is written", async () => {
    const { applied, at, connected, dir, owner } = await world()
    const other = await connect(owner, repositoryIn(plane, files))
    const body = { selectedKeys: ["marketplace:alpha"], autoImportNewPlugins: false }
    const stale = await owner.client.connectors.plan(connected.instance.id, body)
    expect([stale.added, stale.changed, stale.removed]).toEqual([[], [], []])
    const head = commit(dir, {
      "plugins/alpha/commands/go.md": "# Gone on\n",
      "plugins/alpha/commands/new.md": "# N\n"
    })
    const plan = await until(
      async () => {
        // The last head is cached for two seconds, for whatever repository it was read.
        await owner.client.connectors.discovery(other.instance.id)
        return owner.client.connectors.plan(connected.instance.id, body)
      },
      ({ revision }) => revision === head
    )
    expect(plan).toMatchObject({
      baseRevision: applied.sourceRevisionRef,
      added: [{ kind: "object", name: "plugins/alpha/commands/new.md", pluginKey: "marketplace:alpha" }],
      changed: [{ kind: "object", name: "plugins/alpha/commands/go.md", was: null }],
      removed: [],
      counts: { unchangedObjects: 2 },
      truncated: false
    })
    expect(plan.digest).toMatch(/^[0-9a-f]{64}$/)
    const before = await rowCounts(plane)
    for (const [more, digest] of [
      [{}, stale.digest],
      [{}, "nonsense"],
      [{ autoImportNewPlugins: true }, plan.digest],
      [{ share: "orgWide" }, plan.digest],
      [{ selectedKeys: ["marketplace:beta"] }, plan.digest]
    ] as const) {
      const response = await owner.call("POST", `${at}/discovery/apply`, { ...body, ...more, planDigest: digest })
      expect(refusal(response)).toEqual([409, "plan_digest_mismatch"])
      expect(response.body.planDigest).toMatch(/^[0-9a-f]{64}$/)
    }
    expect(await rowCounts(plane)).toEqual(before)
    const done = await owner.client.connectors.apply(connected.instance.id, { ...body, planDigest: plan.digest })
    expect(done.syncEvent).toMatchObject({ status: "completed", revision: head, counts: { objectsCreated: 1 } })
  })

  it("imports the planned revision, even if the branch has moved since", async () => {
    const { at, connected, dir, owner } = await world()
    const body = { selectedKeys: ["marketplace:alpha"], autoImportNewPlugins: false }
    const plan = await owner.client.connectors.plan(connected.instance.id, body)
    // The head is cached for a moment: the apply uses it, and the sync reads later.
    commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    const response = await owner.call("POST", `${at}/discovery/apply`, { ...body, planDigest: plan.digest })
    if (response.status === 409) expect(response.body.error).toBe("plan_digest_mismatch")
    else expect(response.body.item.syncEvent).toMatchObject({ revision: plan.revision, counts: { objectsUpdated: 0 } })
  })

  it("is unaffected by a push while its sync waits, and the push is synced afterwards", async () => {
    const { connected, dir, owner } = await world()
    const planned = commit(dir, { "plugins/alpha/commands/go.md": "# Planned\n" })
    const head = commit(dir, { "plugins/alpha/commands/go.md": "# Pushed\n" })
    const event = await withServices(
      plane,
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        const sync = yield* SyncService
        const row = yield* repo.findInstance(sql, owner.organizationId as Id<"org">, connected.instance.id as Id<"cin">)
        if (row === undefined) throw new Error("There is no such instance.")
        const targetId = connected.target.id as Id<"ctg">
        return yield* Effect.andThen(
          sync.queue(row, targetId, "apply", { revision: planned }),
          sync.queue(row, targetId, "webhook")
        ).pipe(sql.withTransaction)
      })
    )
    expect(await ended(owner, event.id)).toMatchObject({ trigger: "apply", revision: planned })
    const [last] = await settled(owner, connected)
    expect(last).toMatchObject({ trigger: "reconcile", status: "completed", revision: head })
  })

  it("lists conflicts that the caller should know about", async () => {
    const { connected, dir, owner } = await world()
    const fresh = await connect(owner, dir, "Another use")
    await owner.client.plugins.create({ name: "beta" })
    const plan = await owner.client.connectors.plan(fresh.instance.id, {
      selectedKeys: ["marketplace:alpha", "marketplace:beta"],
      autoImportNewPlugins: false
    })
    expect(plan.counts.added).toEqual({ marketplaces: 1, plugins: 2, mappings: 2, objects: 3, files: 0 })
    expect(plan.conflicts.map(({ code, name }) => [code, name]).sort()).toEqual([
      ["fed_by_another_target", "alpha"],
      ["fed_by_another_target", "beta"],
      ["plugin_name_taken", "beta"]
    ])
    // The plan omits what the caller cannot see, and its digest is the same.
    const member = await addMember(plane, owner, "member")
    await owner.call("POST", `/v1/connector-instances/${fresh.instance.id}/access`, {
      orgMembershipId: member.membershipId,
      role: "viewer"
    })
    const seen = await member.client.connectors.plan(fresh.instance.id, {
      selectedKeys: ["marketplace:beta", "marketplace:alpha"],
      autoImportNewPlugins: false
    })
    expect([seen.conflicts, seen.digest]).toEqual([[], plan.digest])
    expect(
      refusal(
        await member.call("POST", `/v1/connector-instances/${connected.instance.id}/discovery/plan`, {
          selectedKeys: [],
          autoImportNewPlugins: false
        })
      )
    ).toEqual([404, "connector_instance_not_found"])
  })

  it("rejects missing plugins and marketplaces of other organizations", async () => {
    const { at, owner } = await world()
    const stranger = await makeWorkspace(plane)
    const foreign = await stranger.client.plugins.create({ name: "Theirs" })
    const ask = (more: object) =>
      owner.call("POST", `${at}/discovery/plan`, { selectedKeys: [], autoImportNewPlugins: false, ...more })
    expect(refusal(await ask({ selectedKeys: ["nothing"] }))).toEqual([400, "invalid_request", "body.selectedKeys.0"])
    expect(refusal(await ask({ marketplaceId: "mkt_01h455vb4pex5vsknk084sn02q" }))).toEqual([
      400,
      "invalid_request",
      "body.marketplaceId"
    ])
    expect(foreign.id).toMatch(/^plg_/)
  })
})

describe("the plan of a rollback", () => {
  it("lists what the rollback then removes, restores, changes and moves, and changes nothing", async () => {
    const { applied, at, connected, dir, first, owner } = await world()
    const before = await contents(owner)
    const [alpha, beta] = ["alpha", "beta"].map((name) => applied.plugins.find((plugin) => plugin.name === name))
    const go = (await objectsOf(owner, alpha?.id ?? "")).get("plugins/alpha/commands/go.md")
    await imported(owner, connected, { autoImportNewPlugins: true })
    commit(dir, {
      ".claude-plugin/marketplace.json": marketplace(["beta", "gamma"]),
      "plugins/alpha/commands/go.md": null,
      "plugins/alpha/commands/wait.md": null,
      "plugins/beta/commands/stop.md": "# Halt\n",
      "plugins/beta/commands/more.md": "# More\n",
      "plugins/gamma/commands/new.md": "# New\n"
    })
    expect(await synced(owner, connected)).toMatchObject({ status: "completed" })
    const gamma = (await all(owner.client.plugins.list())).find(({ name }) => name === "gamma")
    const state = await rowCounts(plane)
    const now = await contents(owner)

    const plan = await owner.client.connectors.planRollback(connected.instance.id, { revision: first })
    expect(plan).toMatchObject({
      connectorTargetId: connected.target.id,
      revision: first,
      removed: [
        { path: "plugins/beta/commands/more.md", objectType: "command", was: null, plugin: { id: beta?.id } },
        { path: "plugins/gamma/commands/new.md", plugin: { name: "gamma" } }
      ],
      restored: [
        { configObjectId: go?.id, path: "plugins/alpha/commands/go.md", plugin: { id: alpha?.id, name: "alpha" } },
        { path: "plugins/alpha/commands/wait.md" }
      ],
      changed: [{ path: "plugins/beta/commands/stop.md", pointer: null, plugin: { name: "beta" } }],
      moved: [],
      removedPlugins: [{ id: gamma?.id, name: "gamma" }],
      restoredPlugins: [{ id: alpha?.id, name: "alpha" }],
      truncated: false
    })
    expect([await rowCounts(plane), await contents(owner)]).toEqual([state, now])
    expect((await owner.call("POST", `${at}/rollback/plan`, { revision: first })).body.item).toEqual(plan)

    const { counts } = await rolledBack(owner, connected, first)
    expect(plan.counts).toEqual({ ...counts, objectsMoved: 0, pluginsRemoved: 1 })
    expect(await contents(owner)).toEqual(before)
    const again = await owner.client.connectors.planRollback(connected.instance.id, { revision: first })
    expect([again.removed, again.restored, again.changed, again.moved, again.removedPlugins]).toEqual([
      [],
      [],
      [],
      [],
      []
    ])
  })

  it("lists renamed files as moved, and keeps a plugin that has other objects", async () => {
    const { connected, dir, first, owner } = await world()
    await imported(owner, connected, { autoImportNewPlugins: true })
    commit(dir, {
      ".claude-plugin/marketplace.json": marketplace(["alpha", "beta", "gamma"]),
      "plugins/alpha/commands/go.md": null,
      "plugins/alpha/commands/run.md": files["plugins/alpha/commands/go.md"],
      "plugins/gamma/commands/new.md": "# New\n"
    })
    await synced(owner, connected)
    const gamma = (await all(owner.client.plugins.list())).find(({ name }) => name === "gamma")
    await owner.client.configObjects.create({
      input: { type: "context", rawSourceText: "# Notes\n" },
      pluginIds: [gamma?.id ?? ""]
    })
    const plan = await owner.client.connectors.planRollback(connected.instance.id, { revision: first })
    expect(plan).toMatchObject({
      removed: [{ path: "plugins/gamma/commands/new.md" }],
      moved: [{ path: "plugins/alpha/commands/go.md", was: "plugins/alpha/commands/run.md" }],
      removedPlugins: [],
      counts: { objectsMoved: 1, objectsDeleted: 1, pluginsRemoved: 0 }
    })
    await rolledBack(owner, connected, first)
    expect(Object.keys(await contents(owner)).sort()).toEqual(["alpha", "beta", "gamma"])
  })

  it("lists at most 100 objects, and counts all", async () => {
    const { connected, dir, first, owner } = await world()
    const many = Array.from({ length: 103 }, (_, index) => [`plugins/beta/commands/n${index}.md`, `# ${index}\n`])
    commit(dir, Object.fromEntries(many))
    await synced(owner, connected)
    const plan = await owner.client.connectors.planRollback(connected.instance.id, { revision: first })
    expect([plan.removed.length, plan.counts.objectsDeleted, plan.truncated]).toEqual([100, 103, true])
  })

  it("does not name a plugin that the caller cannot see", async () => {
    const { at, connected, dir, first, owner } = await world()
    const plugin = await owner.client.plugins.create({ name: "Handbook" })
    commit(dir, { "docs/guide.md": "# Guide\n" })
    await owner.client.connectors.createMapping(connected.target.id, {
      selector: "docs",
      objectType: "context",
      pluginId: plugin.id
    })
    await synced(owner, connected)
    const pluginOf = async (caller: Workspace) => {
      const { body } = await caller.call("POST", `${at}/rollback/plan`, { revision: first })
      return body.item.removed.map((object: { path: string; plugin: unknown }) => [object.path, object.plugin])
    }
    expect(await pluginOf(owner)).toEqual([["docs/guide.md", { id: plugin.id, name: "Handbook" }]])
    const member = await addMember(plane, owner, "member")
    await owner.call("POST", `${at}/access`, { orgMembershipId: member.membershipId, role: "viewer" })
    expect(await pluginOf(member)).toEqual([["docs/guide.md", null]])
  })

  it("is rejected for an unknown revision, another branch, a malformed body or a disabled instance", async () => {
    const { at, connected, first, owner } = await world()
    const elsewhere = await world()
    const plan = (body: unknown, caller: Workspace = owner) => caller.call("POST", `${at}/rollback/plan`, body)
    expect(refusal(await plan({ revision: "0".repeat(40) }))).toEqual([400, "invalid_request", "body.revision"])
    expect(refusal(await plan({}))).toEqual([400, "invalid_request", "body.revision"])
    expect(refusal(await plan({ revision: 7 }))).toEqual([400, "invalid_request", "body.revision"])
    expect(refusal(await plan({ revision: first, connectorTargetId: elsewhere.connected.target.id }))).toEqual([
      400,
      "invalid_request",
      "body.connectorTargetId"
    ])
    const foreign = await plan({ revision: first }, elsewhere.owner)
    const missing = await owner.call("POST", "/v1/connector-instances/cin_01h455vb4pex5vsknk084sn02q/rollback/plan", {
      revision: first
    })
    expect(refusal(foreign)).toEqual([404, "connector_instance_not_found"])
    expect(refusal(missing)).toEqual(refusal(foreign))
    const role = await makeRole(owner, ["plugins:read"])
    expect(refusal(await plan({ revision: first }, await addMember(plane, owner, role)))).toEqual([
      403,
      "permission_required"
    ])
    await owner.client.connectors.disable(connected.instance.id)
    expect(refusal(await plan({ revision: first }))).toEqual([409, "connector_instance_disabled"])
  })
})

describe("a rollback", () => {
  it("restores deleted and changed objects with their identity from stored content, without the commit", async () => {
    const { applied, connected, dir, first, owner } = await world()
    const alpha = applied.plugins.find(({ name }) => name === "alpha")?.id ?? ""
    const before = await contents(owner)
    const ids = [...(await objectsOf(owner, alpha)).values()].map(({ id }) => id).sort()
    // Rewritten history: another first commit, without the earlier content.
    const other = repositoryIn(plane, {
      ".claude-plugin/marketplace.json": marketplace(["beta"]),
      "plugins/beta/commands/stop.md": "# Halt\n",
      "plugins/beta/commands/more.md": "# More\n"
    })
    await owner.client.connectors.updateInstance(connected.instance.id, { remoteId: other })
    expect((await synced(owner, connected)).status).toBe("completed")
    expect(Object.keys(await contents(owner))).toEqual(["beta"])

    const event = await rolledBack(owner, connected, first)
    expect(event).toMatchObject({
      status: "completed",
      trigger: "rollback",
      revision: first,
      counts: { objectsCreated: 2, objectsUpdated: 1, objectsDeleted: 1, objectsUnchanged: 0, pluginsCreated: 1 },
      progress: { done: 3, total: 3 }
    })
    expect(await contents(owner)).toEqual(before)
    const after = await objectsOf(owner, alpha)
    expect([...after.values()].map(({ id }) => id).sort()).toEqual(ids)
    const versions = await versionsOf(owner, after.get("plugins/alpha/commands/go.md")?.id ?? "")
    expect(
      versions.map(({ isDeletedVersion, sourceRevisionRef }) => [isDeletedVersion, sourceRevisionRef === first])
    ).toEqual([
      [false, true],
      [true, false],
      [false, true]
    ])
    const listed = await all(owner.client.marketplaces.listPlugins(applied.marketplace?.id ?? ""))
    expect(listed.map(({ plugin }) => plugin.name).sort()).toEqual(["alpha", "beta"])
    expect(await owner.client.connectors.getInstance(connected.instance.id)).toMatchObject({ lastSyncCursor: first })
    expect(readRefs(dir).get("refs/heads/main")).toBe(first)
  })

  it("removes a plugin whose objects return to the plugin that had them", async () => {
    const { connected, dir, first, owner } = await world()
    const listing = (names: Readonly<Record<string, string>>) =>
      JSON.stringify({
        name: "acme-tools",
        owner: { name: "Acme" },
        plugins: Object.entries(names).map(([name, folder]) => ({ name, source: `./plugins/${folder}` })),
        renames: { alpha: "omega" }
      })
    const listed = async (names: Readonly<Record<string, string>>) => {
      commit(dir, { ".claude-plugin/marketplace.json": listing(names) })
      return (await synced(owner, connected)).revision ?? ""
    }
    await imported(owner, connected, { autoImportNewPlugins: true })
    const renamed = await listed({ omega: "alpha", beta: "beta" })
    const wanted = await contents(owner)
    expect(Object.keys(wanted).sort()).toEqual(["beta", "omega"])
    await listed({ beta: "beta" })
    await listed({ alpha: "alpha", beta: "beta" })
    expect(Object.keys(await contents(owner)).sort()).toEqual(["alpha", "beta"])
    // The new plugin takes the place of the old one, and gets its objects.
    expect(await rolledBack(owner, connected, first ?? "")).toMatchObject({ status: "completed" })
    expect(Object.keys(await contents(owner)).sort()).toEqual(["alpha", "beta"])
    expect(await rolledBack(owner, connected, renamed)).toMatchObject({ status: "completed" })
    expect(await contents(owner)).toEqual(wanted)
  })

  it("lets manual mappings feed again only what the caller can change", async () => {
    const { at, connected, dir, owner } = await world()
    const plugin = await owner.client.plugins.create({ name: "Handbook" })
    const { body } = await owner.call("POST", `/v1/connector-targets/${connected.target.id}/mappings`, {
      selector: "plugins/beta",
      objectType: "context",
      pluginId: plugin.id
    })
    const { revision } = await synced(owner, connected)
    expect((await objectsOf(owner, plugin.id)).size).toBe(1)
    await owner.client.connectors.deleteMapping(body.item.id)
    expect((await objectsOf(owner, plugin.id)).size).toBe(0)
    commit(dir, { "plugins/alpha/commands/go.md": "# Go on\n" })
    await synced(owner, connected)
    const role = await makeRole(owner, ["connectors:read", "connectors:write", "connectors:manage", "plugins:read"])
    const operator = await addMember(plane, owner, role)
    await owner.call("POST", `${at}/access`, { orgMembershipId: operator.membershipId, role: "manager" })
    const ask = () => operator.call("POST", `${at}/rollback`, { revision })
    expect(refusal(await ask())).toEqual([403, "grant_required"])
    expect((await objectsOf(owner, plugin.id)).size).toBe(0)
    await owner.call("POST", `/v1/plugins/${plugin.id}/access`, {
      orgMembershipId: operator.membershipId,
      role: "editor"
    })
    const allowed = await ask()
    expect(allowed.status).toBe(202)
    await ended(owner, allowed.body.item.id)
    expect((await objectsOf(owner, plugin.id)).size).toBe(1)
  })

  it("adds the objects of a mapping to its plugin again after the mapping stopped adding them", async () => {
    const { connected, dir, owner } = await world()
    const plugin = await owner.client.plugins.create({ name: "Handbook" })
    const mapping = await owner.client.connectors.createMapping(connected.target.id, {
      selector: "plugins/beta",
      objectType: "context",
      pluginId: plugin.id
    })
    const revision = (await synced(owner, connected)).revision ?? ""
    const before = await contents(owner)
    expect((await objectsOf(owner, plugin.id)).size).toBe(1)
    commit(dir, { "plugins/alpha/commands/go.md": "# Go on\n" })
    await owner.client.connectors.updateMapping(mapping.id, { autoAddToPlugin: false })
    await synced(owner, connected)
    expect((await objectsOf(owner, plugin.id)).size).toBe(0)
    expect((await rolledBack(owner, connected, revision)).status).toBe("completed")
    expect(await contents(owner)).toEqual(before)
  })

  it("is unaffected by pushes until a manual sync", async () => {
    const { connected, dir, first, owner } = await world()
    const before = await contents(owner)
    const second = commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    await synced(owner, connected)
    await rolledBack(owner, connected, first)
    const pinned = async () => (await owner.client.connectors.getTarget(connected.target.id)).pinnedRevision
    expect(await pinned()).toBe(first)
    commit(dir, { "plugins/alpha/commands/go.md": "# Further\n" })
    expect(await pushed(owner, connected)).toMatchObject({
      status: "ignored",
      warnings: [expect.stringContaining(first)]
    })
    expect([await contents(owner), await pinned()]).toEqual([before, first])
    // Rolling back to another revision pins the branch to it.
    expect((await rolledBack(owner, connected, second)).counts.objectsUpdated).toBe(1)
    expect(await pinned()).toBe(second)
    const resynced = await ended(owner, (await owner.client.connectors.resync(connected.target.id)).id)
    expect([resynced.status, await pinned()]).toEqual(["completed", null])
    expect(JSON.stringify(await contents(owner))).toContain("# Further")
    commit(dir, { "plugins/alpha/commands/go.md": "# On\n" })
    expect((await pushed(owner, connected)).status).toBe("completed")
  })

  it("to a revision that the branch never published is rejected, and changes nothing", async () => {
    const { at, connected, dir, owner } = await world()
    writeRef(dir, "refs/heads/next", readRefs(dir).get("refs/heads/main") ?? "")
    const next = await owner.client.connectors.createTarget(connected.instance.id, { branch: "next" })
    const elsewhere = await world()
    const unseen = commit(dir, { "plugins/alpha/commands/go.md": "# Unseen\n" })
    const before = await rowCounts(plane)
    for (const body of [
      { revision: unseen },
      { revision: "0".repeat(40) },
      { revision: "main" },
      { revision: readRefs(dir).get("refs/heads/next") ?? "", connectorTargetId: next.id }
    ]) {
      expect(refusal(await owner.call("POST", `${at}/rollback`, body))).toEqual([
        400,
        "invalid_request",
        "body.revision"
      ])
    }
    expect(refusal(await elsewhere.owner.call("POST", `${at}/rollback`, { revision: unseen }))).toEqual([
      404,
      "connector_instance_not_found"
    ])
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("can restore any stored publication, and none that was deleted", async () => {
    const { at, connected, dir, first, owner } = await world()
    const second = commit(dir, { "plugins/alpha/commands/go.md": "# Second\n" })
    expect((await synced(owner, connected)).status).toBe("completed")
    const held = await contents(owner)
    // As if a hundred publications were between the first and the second.
    await rows(
      plane,
      (sql) => sql`UPDATE target_publications SET sequence = 102
      WHERE connector_target_id = ${connected.target.id} AND sequence = 2`
    )
    await rows(
      plane,
      (sql) => sql`UPDATE published_files SET from_sequence = CASE from_sequence WHEN 2 THEN 102 ELSE from_sequence END,
      to_sequence = CASE to_sequence WHEN 2 THEN 102 END WHERE connector_target_id = ${connected.target.id}`
    )
    commit(dir, { "plugins/alpha/commands/go.md": "# Third\n" })
    expect((await synced(owner, connected)).status).toBe("completed")
    const body = { revision: first }
    expect(refusal(await owner.call("POST", `${at}/rollback`, body))).toEqual([400, "invalid_request", "body.revision"])
    expect((await rolledBack(owner, connected, second)).status).toBe("completed")
    expect(await contents(owner)).toEqual(held)
  })

  it("ends when the target is changed to another branch", async () => {
    const { connected, dir, first, owner } = await world()
    commit(dir, { "plugins/alpha/commands/go.md": "# Further\n" })
    writeRef(dir, "refs/heads/next", readRefs(dir).get("refs/heads/main") ?? "")
    await rolledBack(owner, connected, first)
    const { client } = owner
    expect((await client.connectors.updateTarget(connected.target.id, { config: {} })).pinnedRevision).toBe(first)
    expect((await client.connectors.updateTarget(connected.target.id, { branch: "next" })).pinnedRevision).toBeNull()
    expect((await pushed(owner, connected)).status).toBe("completed")
    expect(JSON.stringify(await contents(owner))).toContain("# Further")
  })

  it("requires the manager level and an active instance", async () => {
    const { at, connected, first, owner } = await world()
    const member = await addMember(plane, owner, "member")
    const ask = () => member.call("POST", `${at}/rollback`, { revision: first })
    expect(refusal(await ask())).toEqual([403, "permission_required"])
    await owner.client.connectors.disable(connected.instance.id)
    expect(refusal(await owner.call("POST", `${at}/rollback`, { revision: first }))).toEqual([
      409,
      "connector_instance_disabled"
    ])
  })

  it("keeps mappings that were created since, and restores deleted ones", async () => {
    const { connected, dir, owner } = await world()
    const plugin = await owner.client.plugins.create({ name: "Handbook" })
    commit(dir, { "docs/guide.md": "# Guide\n", "notes/day.md": "# Day\n" })
    const map = (selector: string) =>
      owner.client.connectors.createMapping(connected.target.id, {
        selector,
        objectType: "context",
        pluginId: plugin.id
      })
    const docs = await map("docs")
    const withDocs = (await synced(owner, connected)).revision ?? ""
    const before = await contents(owner)
    expect(before["Handbook"]).toEqual({ "context docs/guide.md": "# Guide\n" })
    commit(dir, { "docs/guide.md": "# Other\n" })
    await owner.client.connectors.deleteMapping(docs.id)
    const notes = await map("notes")
    await synced(owner, connected)
    expect((await contents(owner))["Handbook"]).toEqual({ "context notes/day.md": "# Day\n" })

    expect((await rolledBack(owner, connected, withDocs)).status).toBe("completed")
    expect(await contents(owner)).toEqual(before)
    const selectors = async () =>
      (await all(owner.client.connectors.listMappings(connected.target.id, { objectType: "context" })))
        .map(({ id, selector }) => [id, selector])
        .sort()
    expect(await selectors()).toEqual(
      [
        [docs.id, "docs"],
        [notes.id, "notes"]
      ].sort()
    )
    await synced(owner, connected)
    expect((await contents(owner))["Handbook"]).toEqual({
      "context docs/guide.md": "# Other\n",
      "context notes/day.md": "# Day\n"
    })
  })

  it("and concurrent syncs end in the state of the last one", async () => {
    const { connected, dir, first, owner } = await world()
    commit(dir, { "plugins/alpha/commands/go.md": "# Gone on\n" })
    await synced(owner, connected)
    const { id } = connected.instance
    await Promise.all([
      owner.client.connectors.sync(id),
      owner.client.connectors.rollback(id, { revision: first }),
      owner.client.connectors.resync(connected.target.id),
      owner.client.connectors.rollback(id, { revision: first })
    ])
    const last = await owner.client.connectors.rollback(id, { revision: first })
    await ended(owner, last.id)
    const events = await until(
      () => all(owner.client.connectors.listSyncEvents(id)),
      (list) => list.every(({ status }) => status !== "queued" && status !== "running")
    )
    expect(events.filter(({ status }) => !["completed", "ignored"].includes(status))).toEqual([])
    expect(JSON.stringify(await contents(owner))).not.toContain("# Gone on")
    expect((await owner.client.connectors.getTarget(connected.target.id)).pinnedRevision).toBe(first)
    await synced(owner, connected)
    expect(JSON.stringify(await contents(owner))).toContain("# Gone on")
  })

  it("restores imports from before publications were stored", async () => {
    const { connected, dir, first, owner } = await world()
    const before = await contents(owner)
    // The state on the day of the migration.
    for (const table of ["published_files", "published_plugins", "published_mappings", "target_publications"]) {
      await rows(plane, (sql) => sql`DELETE FROM ${sql(table)}`)
    }
    await rows(
      plane,
      (sql) => sql`UPDATE plugins SET source_revision = NULL, manifest_json = jsonb_set(manifest_json,
          '{source,reference}', to_jsonb((manifest_json #>> '{source,reference}') || '@' || ${first}::text))
        WHERE organization_id = ${owner.organizationId}`
    )
    await withServices(
      plane,
      Effect.flatMap(SqlDatabase, (sql) =>
        Effect.forEach(firstPublications, (text) => sql.unsafe(text), { discard: true })
      )
    )
    commit(dir, { "plugins/alpha/commands/go.md": null, "plugins/beta/commands/stop.md": "# Halt\n" })
    await synced(owner, connected)
    expect(await contents(owner)).not.toEqual(before)
    await rolledBack(owner, connected, first)
    expect(await contents(owner)).toEqual(before)
    expect(
      (await owner.client.plugins.list({})).items.map(({ extension }) => extension?.manifest.source.reference)
    ).toEqual([
      expect.stringMatching(new RegExp(`[^@]@${first}$`, "u")),
      expect.stringMatching(new RegExp(`[^@]@${first}$`, "u"))
    ])
  })

  it("fails with a clear error when required content was purged, and can be retried", async () => {
    const { applied, connected, dir, first, owner } = await world()
    const alpha = applied.plugins.find(({ name }) => name === "alpha")?.id ?? ""
    const object = (await objectsOf(owner, alpha)).get("plugins/alpha/commands/go.md")
    commit(dir, { "plugins/alpha/commands/go.md": null })
    await synced(owner, connected)
    const before = await contents(owner)
    await rows(
      plane,
      (sql) => sql`UPDATE config_object_versions SET id = 'cov_moved' WHERE organization_id = ${owner.organizationId}
        AND id = ${object?.latestVersion?.id ?? ""}`
    )
    const path = `/v1/connector-instances/${connected.instance.id}/rollback/plan`
    expect(refusal(await owner.call("POST", path, { revision: first }))).toEqual([409, "content_gone"])
    const failed = await rolledBack(owner, connected, first)
    expect(failed).toMatchObject({ status: "failed", error: { code: "content_gone" } })
    expect(await contents(owner)).toEqual(before)
    expect(await owner.client.connectors.getInstance(connected.instance.id)).toMatchObject({ status: "active" })
    await rows(
      plane,
      (sql) => sql`UPDATE config_object_versions SET id = ${object?.latestVersion?.id ?? ""}
        WHERE organization_id = ${owner.organizationId} AND id = 'cov_moved'`
    )
    const retried = await ended(owner, (await owner.client.connectors.retrySync(failed.id)).id)
    expect(retried).toMatchObject({ trigger: "retry", status: "completed", revision: first })
    expect((await owner.client.connectors.getTarget(connected.target.id)).pinnedRevision).toBe(first)
  })

  it("stores content that was published twice only once", async () => {
    const { connected, owner } = await world()
    const countStored = async () =>
      (
        await rows<{ publications: number; files: number; plugins: number; mappings: number }>(
          plane,
          (sql) => sql`SELECT
              (SELECT count(*)::int FROM target_publications WHERE organization_id = ${owner.organizationId}) AS publications,
              (SELECT count(*)::int FROM published_files WHERE organization_id = ${owner.organizationId}) AS files,
              (SELECT count(*)::int FROM published_plugins WHERE organization_id = ${owner.organizationId}) AS plugins,
              (SELECT count(*)::int FROM published_mappings WHERE organization_id = ${owner.organizationId}) AS mappings`
        )
      )[0]
    const before = await countStored()
    expect(before).toEqual({ publications: 1, files: 3, plugins: 2, mappings: 2 })
    for (let time = 0; time < 3; time++) await synced(owner, connected)
    expect(await countStored()).toEqual(before)
    await owner.client.connectors.remove(connected.instance.id)
    expect(await countStored()).toEqual({ publications: 0, files: 0, plugins: 0, mappings: 0 })
  })
})
