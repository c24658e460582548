import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Id } from "@orgplane/schema/shared/ids"
import { describe, expect, it } from "vitest"
import { MarketplacesService } from "../../src/content/marketplaces/service.ts"
import { makeControlPlane, makeKey, makeMarketplace, makeWorkspace, runSql } from "../harness.ts"
import { counted, memberOf } from "../infra/statements.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)

/** The number of statements that an operation of the service sends. */
const statementsOf = <A, E>(use: (service: typeof MarketplacesService.Service) => Effect.Effect<A, E>) =>
  counted(plane, Effect.flatMap(MarketplacesService, use).pipe(Effect.provide(Layer.fresh(MarketplacesService.layer))))

/** A marketplace with this number of plugins, each with a skill and a server. */
const filled = async (count: number) => {
  const marketplace = await makeMarketplace(plane, owner, [], `Of ${count}`)
  const org = owner.organizationId
  await runSql(plane, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const at = marketplace.slice(4, 24)
        const id = (prefix: string) => sql`${`${prefix}_${at}`} || lpad(i::text, 6, '0')`
        const each = sql`generate_series(1, ${count}::int) i`
        yield* sql`INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
          SELECT ${org}, ${id("plg")}, 'p' || i, now(), now() FROM ${each}`
        yield* sql`INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
          SELECT ${org}, ${id("mkp")}, ${marketplace}, ${id("plg")}, now() FROM ${each}`
        yield* sql`INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title,
            latest_version_id, created_at, updated_at)
          SELECT ${org}, ${id("cob")}, CASE WHEN i % 2 = 0 THEN 'skill' ELSE 'mcp' END, 'cloud', 'active', 't',
            ${id("cov")}, now(), now() FROM ${each}`
        yield* sql`INSERT INTO config_object_versions (organization_id, id, config_object_id, ordinal, payload_json,
            content_digest, created_via, created_at)
          SELECT ${org}, ${id("cov")}, ${id("cob")}, 1, '{"servers":{"s":{"url":"https://mcp.example"}}}', 'd', 'cloud',
            now() FROM ${each}`
        yield* sql`INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at)
          SELECT ${org}, ${id("pco")}, ${id("plg")}, ${id("cob")}, now() FROM ${each}`
      })
    )
  )
  return marketplace as Id<"mkt">
}

describe("a resolved marketplace", () => {
  it("takes as many statements for 500 plugins as for one, and at most eight", async () => {
    const [one, many] = [await filled(1), await filled(500)]
    const small = await statementsOf((service) => service.resolved(memberOf(owner, "marketplaces:read"), one))
    const large = await statementsOf((service) => service.resolved(memberOf(owner, "marketplaces:read"), many))
    expect(large.response.plugins).toHaveLength(500)
    expect(large.response.marketplace.pluginCount).toBe(500)
    const states = Map.groupBy(large.response.plugins, ({ cloudReadiness }) => cloudReadiness.state)
    expect([...states].map(([state, plugins]) => [state, plugins.length]).toSorted()).toEqual([
      ["needs_admin_setup", 250],
      ["ready", 250]
    ])
    expect(small.count).toBeGreaterThan(2)
    expect([large.count, large.count <= 8]).toEqual([small.count, true])
  })

  it("is offered to agents with a constant number of statements, once its archives exist", async () => {
    const [one, many] = [await filled(1), await filled(60)]
    const responses = []
    for (const id of [one, many]) {
      await statementsOf((service) => service.manifest(memberOf(owner, "marketplaces:read"), id))
      responses.push(await statementsOf((service) => service.manifest(memberOf(owner, "marketplaces:read"), id)))
    }
    expect(responses.map(({ response }) => response.item.plugins.length)).toEqual([1, 60])
    expect(responses[1]?.count).toBe(responses[0]?.count)
    expect(responses[1]?.count).toBeLessThanOrEqual(8)
  })

  it("counts existing objects, and does not count removed ones", async () => {
    const id = await filled(3)
    await runSql(
      plane,
      (sql) => sql`UPDATE plugins SET deleted_at = now() WHERE id IN (
        SELECT plugin_id FROM marketplace_memberships WHERE marketplace_id = ${id} ORDER BY id LIMIT 1)`
    )
    const listed = await owner.client.marketplaces.list({ q: "Of 3" })
    expect(listed.items.find((row) => row.id === id)?.pluginCount).toBe(2)
  })
})

describe("an API key that manages marketplaces", () => {
  it("sees no plugin that it cannot get", async () => {
    const [hidden, shared] = [
      await owner.client.plugins.create({ name: "Hidden" }),
      await owner.client.plugins.create({ name: "Shared" })
    ]
    await owner.client.plugins.grantAccess(shared.id, { orgWide: true, role: "viewer" })
    const marketplace = await makeMarketplace(plane, owner, [hidden.id, shared.id])
    const key = await makeKey(plane, owner, ["marketplaces:read", "marketplaces:manage", "plugins:read"])
    expect((await key.call("GET", `/v1/plugins/${hidden.id}`)).status).toBe(404)
    const at = `/v1/marketplaces/${marketplace}`
    const listed = (await key.call("GET", `${at}/plugins`)).body.items
    expect(listed.map(({ pluginId }: { pluginId: string }) => pluginId)).toEqual([shared.id])
    const { plugins } = (await key.call("GET", `${at}/resolved`)).body.item
    expect(plugins.map(({ id }: { id: string }) => id)).toEqual([shared.id])
    const all = await makeKey(plane, owner, ["marketplaces:read", "marketplaces:manage", "plugins:manage"])
    expect((await all.call("GET", `${at}/plugins`)).body.items).toHaveLength(2)
    expect((await owner.call("GET", `${at}/plugins`)).body.items).toHaveLength(2)
  })

  it("finds nothing in a removed marketplace or plugin", async () => {
    const plugin = await owner.client.plugins.create({ name: "Inside" })
    const input = { type: "context", rawSourceText: "# A text" }
    await owner.call("POST", "/v1/config-objects", { input, pluginIds: [plugin.id] })
    const marketplace = await makeMarketplace(plane, owner, [plugin.id])
    const key = await makeKey(plane, owner, [
      "marketplaces:read",
      "marketplaces:manage",
      "plugins:read",
      "plugins:manage",
      "configObjects:read",
      "configObjects:manage"
    ])
    const ask = async (path: string) => (await key.call("GET", path)).body.items.length
    const paths = [`/v1/plugins?marketplaceId=${marketplace}`, `/v1/config-objects?pluginId=${plugin.id}`] as const
    expect([await ask(paths[0]), await ask(paths[1])]).toEqual([1, 1])
    await runSql(plane, (sql) => sql`UPDATE marketplaces SET deleted_at = now() WHERE id = ${marketplace}`)
    expect((await key.call("GET", `/v1/marketplaces/${marketplace}`)).status).toBe(404)
    expect(await ask(paths[0])).toBe(0)
    await runSql(plane, (sql) => sql`UPDATE plugins SET deleted_at = now() WHERE id = ${plugin.id}`)
    expect(await ask(paths[1])).toBe(0)
  })
})
