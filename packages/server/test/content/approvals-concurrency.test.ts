/** Approvals and modes that change while other requests run: nobody receives content that was not approved. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { skill } from "./connectors.fixture.ts"
import { fetched, unpacked } from "./plugin-archives.fixture.ts"
import {
  makeControlPlane,
  makeMarketplace,
  makeWorkspace,
  runSql,
  type TestResponse,
  type Workspace
} from "../harness.ts"
import type { Sql } from "../../src/infra/sql/client.ts"
import { makeId } from "../../src/infra/ids.ts"

const plane = await makeControlPlane()

const settings = (person: Workspace, deliveryMode: string) =>
  person.call("PATCH", "/v1/approval-settings", { deliveryMode })

const makePlugin = async (owner: Workspace, text: string) => {
  const { id } = await owner.client.plugins.create({ name: "Notes" })
  const object = await owner.client.configObjects.create({
    input: { type: "skill", rawSourceText: skill("review", text) },
    pluginIds: [id]
  })
  return { id, objectId: object.id }
}

const pending = async (person: Workspace, pluginId: string) =>
  (await person.call("GET", `/v1/approvals?pluginId=${pluginId}`)).body.items

const approve = (person: Workspace, release: { readonly id: string; readonly digest: string }) =>
  person.call("POST", "/v1/approvals/approve", { releases: [{ releaseId: release.id, digest: release.digest }] })

const received = async (person: Workspace, pluginId: string) => {
  const { bytes, status } = await fetched(plane, `/v1/plugins/${pluginId}/archive`, {
    authorization: `Bearer ${person.token}`
  })
  return status === 200 ? unpacked(bytes).files : null
}

const modeOf = async (pluginId: string) => {
  const [row] = await runSql(
    plane,
    (sql) => sql<{ mode: string | null }>`SELECT delivery_mode AS mode FROM plugins WHERE id = ${pluginId}`
  )
  return row?.mode
}

/** Waits until that many statements wait for a lock. */
const untilWaiting = async (count: number) => {
  for (let waiting = 0; waiting < count; await new Promise((resolve) => setTimeout(resolve, 5))) {
    const [row] = await runSql(
      plane,
      (sql) => sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`
    )
    waiting = row?.count ?? 0
  }
}

/** Runs `locked` in a transaction, then starts the requests one after the other. They wait for it until it ends. */
const whileWaiting = async <A>(
  locked: (sql: Sql) => Effect.Effect<unknown, unknown>,
  requests: ReadonlyArray<() => Promise<A>>,
  then: (sql: Sql) => Effect.Effect<unknown, unknown> = () => Effect.void
): Promise<ReadonlyArray<A>> => {
  const started = await runSql(plane, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* locked(sql)
        const all: Array<Promise<A>> = []
        for (const request of requests) {
          all.push(request())
          yield* Effect.promise(() => untilWaiting(all.length))
        }
        yield* then(sql)
        return all
      })
    )
  )
  return Promise.all(started)
}

describe("a download", () => {
  it("contains a complete approved release if another one is approved meanwhile", async () => {
    const owner = await makeWorkspace(plane)
    await settings(owner, "hold_all")
    const { id, objectId } = await makePlugin(owner, "First text.")
    const [first] = await pending(owner, id)
    await approve(owner, first)
    await owner.client.configObjects.createVersion(objectId, {
      input: { rawSourceText: skill("review", "Second text.") }
    })
    const [second] = await pending(owner, id)
    const [files] = await whileWaiting(
      (sql) => sql`LOCK TABLE plugin_releases IN ACCESS EXCLUSIVE MODE`,
      [() => received(owner, id)],
      // The statements of an approval.
      (sql) =>
        Effect.all([
          sql`UPDATE plugin_releases SET state = 'approved' WHERE id = ${second.id}`,
          sql`UPDATE plugins SET served_release_id = ${second.id} WHERE id = ${id}`,
          sql`UPDATE plugin_releases SET has_contents = false WHERE id = ${first.id}`,
          sql`DELETE FROM plugin_release_objects WHERE release_id = ${first.id}`
        ])
    )
    expect(files?.["skills/review/SKILL.md"]).toContain("Second text.")
  })

  it("does not contain content that is held since the request began", async () => {
    const owner = await makeWorkspace(plane)
    const { id } = await makePlugin(owner, "First text.")
    const [files] = await whileWaiting(
      (sql) => sql`LOCK TABLE connector_mappings IN ACCESS EXCLUSIVE MODE`,
      [() => received(owner, id)],
      (sql) => sql`UPDATE plugins SET delivery_mode = 'hold_all', description = 'Held.' WHERE id = ${id}`
    )
    expect(files).toBeNull()
  })
})

describe("a change of the delivery mode", () => {
  it("includes a plugin that is created meanwhile", async () => {
    const owner = await makeWorkspace(plane)
    const { id } = await makePlugin(owner, "First text.")
    let created = ""
    await whileWaiting<unknown>(
      (sql) => sql`SELECT id FROM plugins WHERE id = ${id} FOR UPDATE`,
      [
        () => settings(owner, "hold_all"),
        async () => {
          created = (await owner.client.plugins.create({ name: "Other" })).id
        }
      ]
    )
    expect([await modeOf(id), await modeOf(created)]).toEqual(["hold_all", "hold_all"])
  })

  it("keeps the mode of a marketplace to which a plugin is added meanwhile", async () => {
    const owner = await makeWorkspace(plane)
    await settings(owner, "hold_growth")
    const { id } = await makePlugin(owner, "First text.")
    const marketplaceId = await makeMarketplace(plane, owner)
    await owner.call("PUT", `/v1/approval-settings/marketplaces/${marketplaceId}`, { deliveryMode: "hold_all" })
    const [changed] = await whileWaiting<TestResponse>(
      (sql) => sql`INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
        VALUES (${owner.organizationId}, ${makeId("mkp")}, ${marketplaceId}, ${id}, now())`,
      [() => settings(owner, "auto")]
    )
    expect(changed?.status).toBe(200)
    expect(await modeOf(id)).toBe("hold_all")
  })

  it("of a marketplace includes a plugin that is added meanwhile", async () => {
    const owner = await makeWorkspace(plane)
    const { id } = await makePlugin(owner, "First text.")
    const marketplaceId = await makeMarketplace(plane, owner)
    const [changed] = await whileWaiting<TestResponse>(
      (sql) => sql`INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
        VALUES (${owner.organizationId}, ${makeId("mkp")}, ${marketplaceId}, ${id}, now())`,
      [() => owner.call("PUT", `/v1/approval-settings/marketplaces/${marketplaceId}`, { deliveryMode: "hold_all" })]
    )
    expect(changed?.status).toBe(200)
    expect(await modeOf(id)).toBe("hold_all")
  })
})
