/** The results of releases that reports of devices record, and that rollouts compare. */
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, runSql } from "../harness.ts"
import {
  counts,
  failed,
  installed,
  makeDelivered,
  pluginOf,
  read,
  reportAccepted,
  start,
  statusOf,
  wantedBy
} from "./devices.fixture.ts"
import { ring, start as startRollout, succeeded } from "./rollouts.fixture.ts"

const plane = await makeControlPlane()

const outcomesOf = (organizationId: string) =>
  runSql(
    plane,
    (sql) => sql<{ plugin_id: string; digest: string; is_failed: boolean }>`SELECT plugin_id, digest, is_failed
      FROM release_outcomes WHERE organization_id = ${organizationId} ORDER BY created_at, plugin_id`
  )

describe("a report of a device that could not apply its desired state", () => {
  it("counts as a failure of the release, and pauses its rollout", async () => {
    const { owner, pluginId, release, rollout } = await startRollout(plane)
    const people = await Promise.all(Array.from({ length: 6 }, () => addMember(plane, owner, "member")))
    await succeeded(owner, "PATCH", "/v1/rollout-settings", {
      rings: [ring("Six", { memberIds: people.map(({ membershipId }) => membershipId) })],
      thresholds: { reportsMin: 1, falseAlarmRate: 0.2, installFailures: true, usageFailures: true }
    })
    const old = await pluginOf(plane, people[0] ?? owner)
    for (const person of people) {
      await wantedBy(plane, person)
      await reportAccepted(person, { sequence: 1 })
      await reportAccepted(person, { sequence: 2, plugins: installed([old]) })
    }
    await release("Second")
    const { id } = await rollout()
    for (const person of people) {
      await wantedBy(plane, person)
      // The old archive is still installed, so the plugins of the report do not change.
      await reportAccepted(person, { sequence: 3, failure: "storage", plugins: installed([old]) })
    }
    expect((await statusOf(owner, `?pluginId=${pluginId}`)).installations.failed).toBe(6)
    const { item } = await read(owner, `/v1/rollouts/${id}`)
    expect(item.installations).toMatchObject({ reports: 6, failed: 6, baselineReports: 6, baselineFailed: 0 })
    await expect.poll(async () => (await rollout()).state, { timeout: 20_000 }).toBe("paused")
  }, 60_000)

  it("records a failure only of the releases that are not installed and have no earlier result", async () => {
    const { member, owner, pluginId, release } = await start(plane)
    const other = await makeDelivered(owner, "Other")
    const third = await makeDelivered(owner, "Third")
    const before = await wantedBy(plane, member)
    const only = (...ids: ReadonlyArray<string>) => before.filter((plugin) => ids.includes(plugin.pluginId))
    const digestOf = (id: string) => only(id)[0]?.digest
    // The first report of a device has no results, because the failure may be older than the release.
    await reportAccepted(member, { sequence: 1, failure: "settings" })
    expect(await outcomesOf(owner.organizationId)).toEqual([])
    await reportAccepted(member, { sequence: 2, plugins: installed(only(pluginId)) })
    await reportAccepted(member, {
      sequence: 3,
      failure: "settings",
      plugins: [...installed(only(pluginId)), ...failed(only(other.pluginId), "content")]
    })
    // The fault also counts against the release that is in the desired state before the next one.
    const expected = [
      { plugin_id: pluginId, digest: digestOf(pluginId), is_failed: false },
      ...[other.pluginId, third.pluginId]
        .toSorted()
        .map((id) => ({ plugin_id: id, digest: digestOf(id), is_failed: true }))
    ]
    expect(await outcomesOf(owner.organizationId)).toEqual(expected)
    await reportAccepted(member, { sequence: 4, plugins: installed(before) })
    await reportAccepted(member, { sequence: 5, failure: "storage" })
    expect(await outcomesOf(owner.organizationId)).toEqual(expected)
    await release("Two")
    const next = await pluginOf(plane, member, pluginId)
    await reportAccepted(member, { sequence: 6, failure: "storage", plugins: installed(before) })
    expect(await outcomesOf(owner.organizationId)).toEqual([
      ...expected,
      { plugin_id: pluginId, digest: next.digest, is_failed: true }
    ])
    expect((await statusOf(owner)).installations).toEqual(counts({ wanted: 3, running: 2, failed: 1 }))
  })
})
