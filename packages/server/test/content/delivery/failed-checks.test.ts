import { expect, it } from "vitest"
import { makeControlPlane, makeWorkspace, runSql } from "../../harness.ts"
import { hookFiles, importTools, received } from "../approvals.fixture.ts"
import { stateOf } from "./desired-state.fixture.ts"

const syncing = await makeControlPlane()
const plane = await makeControlPlane({ database: syncing.database, workers: false })

it("does not repeat a failed check of a release with each request of the desired state", async () => {
  const owner = await makeWorkspace(syncing)
  const { pluginId, push } = await importTools(syncing, owner)
  const before = await stateOf(plane, owner.token)
  const releases = async () =>
    (await runSql(plane, (sql) => sql`SELECT FROM plugin_releases WHERE plugin_id = ${pluginId}`)).length
  const count = await releases()
  await runSql(
    plane,
    (sql) => sql`ALTER TABLE plugin_releases ADD CONSTRAINT not_now
      CHECK (organization_id <> ${sql.literal(`'${owner.organizationId}'`)}) NOT VALID`
  )
  try {
    await push(hookFiles)
    // The process that imports also checks in the background, and must not do so after the constraint is dropped.
    await syncing.dispose()
    // A download checks the plugin, which fails, and gets the served release.
    await received(plane, owner, pluginId)
  } finally {
    await runSql(plane, (sql) => sql`ALTER TABLE plugin_releases DROP CONSTRAINT not_now`)
  }
  const { body } = await stateOf(plane, owner.token)
  expect(body.plugins[0].digest).toBe(before.body.plugins[0].digest)
  expect(await releases()).toBe(count)
  await received(plane, owner, pluginId)
  expect(await releases()).toBe(count + 1)
})
