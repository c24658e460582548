/** The checks that changes of content request, and their cost. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { makeControlPlane, makeWorkspace, runSql } from "../harness.ts"
import { approvePending, hookFiles, importTools, received } from "./approvals.fixture.ts"

const plane = await makeControlPlane()

it("looks up the plugins of one changed object by index after a statement that changed thousands", async () => {
  const owner = await makeWorkspace(plane)
  await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
  const { id: pluginId } = await owner.client.plugins.create({ name: "Notes" })
  const { organizationId } = owner
  const scans = await runSql(plane, (sql) => {
    const scanned = sql<{ count: number }>`SELECT sum(seq_scan)::int AS count FROM pg_stat_xact_user_tables
      WHERE relname IN ('plugin_memberships', 'plugins')`.pipe(Effect.map((rows) => rows[0]?.count))
    const checked = sql<{ count: number }>`SELECT count(*)::int AS count FROM plugin_release_checks
      WHERE plugin_id = ${pluginId}`.pipe(Effect.map((rows) => rows[0]?.count ?? 0))
    return sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`DISCARD PLANS`
        yield* sql`INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title, created_at,
            updated_at)
          SELECT ${organizationId}, 'cob_' || lpad(n::text, 26, '0'), 'skill', 'cloud', 'active', 'A', now(), now()
          FROM generate_series(1, 5000) n`
        yield* sql`INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at)
          SELECT ${organizationId}, 'pco_' || lpad(n::text, 26, '0'), ${pluginId}, 'cob_' || lpad(n::text, 26, '0'), now()
          FROM generate_series(1, 5000) n`
        yield* sql`UPDATE config_objects SET title = 'B' WHERE organization_id = ${organizationId}`
        const [before, requested] = [yield* scanned, yield* checked]
        yield* sql`UPDATE config_objects SET title = 'C'
          WHERE organization_id = ${organizationId} AND id = ${`cob_${"1".padStart(26, "0")}`}`
        return { before, after: yield* scanned, requested: (yield* checked) - requested }
      })
    )
  })
  expect(scans.requested).toBe(1)
  expect(scans.after).toBe(scans.before)
})

it("serves the approved release and checks other plugins while the checks of an organization fail", async () => {
  const [broken, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
  const { pluginId, push } = await importTools(plane, broken)
  const before = await received(plane, broken, pluginId)
  expect(Object.keys(before ?? {})).not.toEqual([])
  await runSql(
    plane,
    (sql) => sql`ALTER TABLE plugin_releases ADD CONSTRAINT not_now
      CHECK (organization_id <> ${sql.literal(`'${broken.organizationId}'`)}) NOT VALID`
  )
  try {
    await push(hookFiles)
    expect(await received(plane, broken, pluginId)).toEqual(before)
    await broken.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
    await other.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
    // More than the worker checks in one round.
    for (let n = 0; n < 25; n += 1) await broken.client.plugins.create({ name: `Plugin ${n}` })
    const { id } = await other.client.plugins.create({ name: "Checked" })
    const releases = () => runSql(plane, (sql) => sql`SELECT FROM plugin_releases WHERE plugin_id = ${id}`)
    await expect.poll(async () => (await releases()).length).toBe(1)
  } finally {
    await runSql(plane, (sql) => sql`ALTER TABLE plugin_releases DROP CONSTRAINT not_now`)
  }
  // A download checks the plugin without a delay.
  expect(await received(plane, broken, pluginId)).toEqual(before)
  await approvePending(broken, pluginId)
  expect(Object.keys((await received(plane, broken, pluginId)) ?? {})).toContain("hooks/hooks.json")
})
