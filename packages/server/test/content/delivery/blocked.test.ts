/** Blocks in desired states, which end only with their assignments. */
import { describe, expect, it } from "vitest"
import {
  addMember,
  makeControlPlane,
  makeMarketplace,
  makeRole,
  makeTeam,
  makeWorkspace,
  runSql,
  type Workspace
} from "../../harness.ts"
import { sweep } from "../../../src/operations/housekeeping/housekeeping.ts"
import { polled, requested, stateOf } from "./desired-state.fixture.ts"

const plane = await makeControlPlane()

const start = async () => {
  const owner = await makeWorkspace(plane)
  const member = await addMember(plane, owner, "member")
  const ok = async (method: string, path: string, body?: unknown) => {
    const response = await owner.call(method, path, body)
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
    return response.body
  }
  const makePlugin = async (name: string): Promise<string> => (await ok("POST", "/v1/plugins", { name })).item.id
  const share = async (kind: string, id: string, receiver: object): Promise<string> =>
    (await ok("POST", `/v1/${kind}/${id}/access`, { role: "viewer", ...receiver })).item.id
  const assign = async (input: object): Promise<string> => (await ok("POST", "/v1/assignments", input)).item.id
  /** A marketplace with a published name. */
  const publish = async (name: string, pluginIds: ReadonlyArray<string>) => {
    const id = await makeMarketplace(plane, owner, pluginIds, name)
    await ok("GET", `/v1/marketplaces/${id}/marketplace.json`)
    return id
  }
  return { owner, member, ok, makePlugin, share, assign, publish }
}

const blockedOf = async ({ token }: Pick<Workspace, "token">) => (await stateOf(plane, token)).body.blocked
const idsOf = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)

describe("the blocks of a desired state", () => {
  it("contain a plugin until its assignment is deleted, regardless of other changes of the plugin", async () => {
    const { assign, makePlugin, member, ok, owner, publish, share } = await start()
    const pluginId = await makePlugin("Review")
    const marketplaceId = await publish("Tools", [pluginId])
    const grantId = await share("plugins", pluginId, { orgWide: true })
    await share("marketplaces", marketplaceId, { orgWide: true })
    const before = (await stateOf(plane, member.token)).body
    expect([before.plugins.length, before.blocked]).toEqual([1, []])
    const assignmentId = await assign({ pluginId, mode: "blocked" })
    const item = {
      kind: "plugin",
      id: pluginId,
      name: "review",
      names: ["review@tools"],
      manifestUrl: null,
      reason: { rule: "blocked", assignmentId, via: "organization", viaId: null }
    }
    const changes: ReadonlyArray<() => Promise<unknown>> = [
      async () => undefined,
      () => ok("DELETE", `/v1/plugins/${pluginId}/access/${grantId}`),
      () => ok("DELETE", `/v1/marketplaces/${marketplaceId}/plugins/${pluginId}`),
      () => ok("POST", `/v1/plugins/${pluginId}/archive`)
    ]
    for (const change of changes) {
      await change()
      const { body } = await stateOf(plane, member.token)
      expect([body.plugins, body.blocked]).toEqual([[], [item]])
      expect((await stateOf(plane, owner.token)).body.blocked).toEqual([item])
    }
    await ok("DELETE", `/v1/assignments/${assignmentId}`)
    expect(await blockedOf(member)).toEqual([])
  })

  it("do not depend on the permissions of the member", async () => {
    const { assign, makePlugin, owner } = await start()
    const pluginId = await makePlugin("Review")
    const limited = await addMember(plane, owner, await makeRole(owner, ["members:read"]))
    await assign({ pluginId, mode: "blocked" })
    expect(idsOf(await blockedOf(limited))).toEqual([pluginId])
  })

  it("list every published name of a plugin, and the URL of a blocked marketplace", async () => {
    const { assign, makePlugin, member, ok, publish } = await start()
    const pluginId = await makePlugin("Review")
    const unpublished = await makePlugin("Notes")
    const [first, second] = [await publish("Tools", [pluginId]), await publish("More tools", [pluginId])]
    const kept = await publish("Archive", [pluginId])
    await ok("DELETE", `/v1/marketplaces/${first}/plugins/${pluginId}`)
    await ok("POST", `/v1/marketplaces/${kept}/archive`)
    await assign({ pluginId, mode: "blocked" })
    await assign({ pluginId: unpublished, mode: "blocked" })
    await assign({ marketplaceId: second, mode: "blocked" })
    const blocked = await blockedOf(member)
    const byId = Object.fromEntries(blocked.map((item: { id: string }) => [item.id, item]))
    expect(byId[pluginId].names).toEqual(["review@archive", "review@more-tools", "review@tools"])
    expect(byId[unpublished].names).toEqual([])
    expect(byId[second]).toMatchObject({ kind: "marketplace", name: "more-tools", names: ["more-tools"] })
    await ok("POST", `/v1/marketplaces/${first}/access`, { role: "viewer", orgWide: true })
    const { marketplaces } = (await stateOf(plane, member.token)).body
    expect(marketplaces).toHaveLength(1)
    expect(byId[second].manifestUrl).toBe(marketplaces[0].manifestUrl.replace(first, second))
  })

  it("keep the names of a plugin in a marketplace that was deleted long ago", async () => {
    const { assign, makePlugin, member, ok, owner, publish } = await start()
    const [pluginId, other] = [await makePlugin("Review"), await makePlugin("Notes")]
    const kept = await publish("Tools", [pluginId])
    const purged = await publish("Old", [other])
    const assignmentId = await assign({ pluginId, mode: "blocked" })
    const marketplaces = () =>
      runSql(
        plane,
        (sql) => sql<{ id: string }>`SELECT id FROM marketplaces WHERE organization_id = ${owner.organizationId}`
      )
    const housekeep = () => runSql(plane, (sql) => sweep(sql))
    await runSql(
      plane,
      (sql) => sql`UPDATE marketplaces SET deleted_at = now() - interval '400 days'
        WHERE organization_id = ${owner.organizationId}`
    )
    await housekeep()
    expect((await blockedOf(member))[0].names).toEqual(["review@tools"])
    expect(idsOf(await marketplaces())).toEqual([kept])
    expect(purged).not.toBe(kept)
    await ok("DELETE", `/v1/assignments/${assignmentId}`)
    await housekeep()
    expect(await marketplaces()).toEqual([])
  })

  it("do not contain the name of content that was never approved", async () => {
    const { assign, makePlugin, member, ok } = await start()
    await ok("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
    const pluginId = await makePlugin("A secret project")
    await assign({ pluginId, mode: "blocked" })
    const [item] = await blockedOf(member)
    expect([item.id, JSON.stringify(item)]).toEqual([pluginId, expect.not.stringContaining("secret")])
  })

  it("contain the plugins of a blocked marketplace, and its ID only for members who can see it", async () => {
    const { assign, makePlugin, member, owner, publish, share } = await start()
    const [pluginId, shown] = [await makePlugin("Review"), await makePlugin("Notes")]
    const marketplaceId = await publish("Tools", [pluginId, shown])
    const required = await publish("Required", [shown])
    await share("plugins", pluginId, { orgMembershipId: member.membershipId })
    const viewer = await addMember(plane, owner, "member")
    await share("marketplaces", marketplaceId, { orgMembershipId: viewer.membershipId })
    const teamId = await makeTeam(owner, [member, viewer])
    const assignmentId = await assign({ marketplaceId, mode: "blocked", teamIds: [teamId] })
    const seen = async (person: Workspace) =>
      (await blockedOf(person)).map(({ id, reason }: { id: string; reason: object }) => ({ id, reason }))
    const reason = { rule: "blocked", assignmentId, via: "marketplace" }
    const own = { id: marketplaceId, reason: { rule: "blocked", assignmentId, via: "team", viaId: teamId } }
    const plugins = (viaId: string | null) =>
      [pluginId, shown].toSorted().map((id) => ({ id, reason: { ...reason, viaId } }))
    expect(await seen(member)).toEqual([own, ...plugins(null)])
    expect(await seen(viewer)).toEqual([own, ...plugins(marketplaceId)])
    // A marketplace that requires a plugin, but that the member cannot see.
    await owner.call("DELETE", `/v1/assignments/${assignmentId}`)
    await assign({ marketplaceId: required, mode: "required" })
    await share("plugins", shown, { orgMembershipId: member.membershipId })
    const { body } = await stateOf(plane, member.token)
    const plugin = body.plugins.find((one: { pluginId: string }) => one.pluginId === shown)
    expect([plugin.mode, plugin.marketplaceIds]).toEqual(["required", []])
    expect(plugin.reason).toMatchObject({ rule: "required", via: "marketplace", viaId: null })
  })

  it("name the team of an assignment that decides", async () => {
    const { assign, makePlugin, member, owner, share } = await start()
    const [blocked, required] = [await makePlugin("Review"), await makePlugin("Notes")]
    await share("plugins", required, { orgWide: true })
    const teamId = await makeTeam(owner, [member])
    await assign({ pluginId: blocked, mode: "blocked", teamIds: [teamId] })
    await assign({ pluginId: required, mode: "required", teamIds: [teamId] })
    const { body } = await stateOf(plane, member.token)
    expect([body.blocked[0].reason, body.plugins[0].reason]).toMatchObject([
      { via: "team", viaId: teamId },
      { via: "team", viaId: teamId }
    ])
  })

  it("keep marketplaces and plugins with an assignment of their own if there are too many", async () => {
    const { assign, makePlugin, member, owner, publish } = await start()
    const marketplaceId = await publish("Tools", [])
    await runSql(
      plane,
      (sql) => sql`WITH added AS (INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
          SELECT ${owner.organizationId}, 'plg_01kf0x5me8e6razepq' || lpad(n::text, 8, '0'), 'Plugin ' || n, now(), now()
          FROM generate_series(1, 2001) n RETURNING id)
        INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
        SELECT ${owner.organizationId}, 'mkp' || substr(a.id, 4), ${marketplaceId}, a.id, now() FROM added a`
    )
    const own = await makePlugin("Review")
    await assign({ marketplaceId, mode: "blocked" })
    await assign({ pluginId: own, mode: "blocked" })
    const { body } = await stateOf(plane, member.token)
    expect([body.truncated, body.blocked.length]).toEqual([true, 2000])
    expect(idsOf(body.blocked)).toEqual(expect.arrayContaining([marketplaceId, own]))
  })

  it("are a part of the state that the next poll returns, and that further polls confirm", async () => {
    const { assign, makePlugin, member } = await start()
    const pluginId = await makePlugin("Review")
    const { etag } = await requested(plane, member.token)
    await assign({ pluginId, mode: "blocked" })
    expect(await polled(plane, member.token, etag)).toBe(200)
    const blocked = await requested(plane, member.token)
    expect(await polled(plane, member.token, blocked.etag)).toBe(304)
  })
})

describe("the lists of a desired state", () => {
  it("are truncated if more was read than they can contain, although an item was filtered out", async () => {
    const { assign, owner } = await start()
    await runSql(
      plane,
      (sql) => sql`INSERT INTO marketplaces (organization_id, id, name, created_at, updated_at)
        SELECT ${owner.organizationId}, 'mkt_01kf0x5me8e6razepq' || lpad(n::text, 8, '0'), 'Market ' || n, now(), now()
        FROM generate_series(1, 501) n`
    )
    await assign({ marketplaceId: "mkt_01kf0x5me8e6razepq00000300", mode: "blocked" })
    const { body } = await stateOf(plane, owner.token)
    expect([body.truncated, body.marketplaces.length]).toEqual([true, 500])
  })
})
