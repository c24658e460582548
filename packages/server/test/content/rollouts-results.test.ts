/** Rollouts whose release is compared with the previous release. */
import { describe, expect, it } from "vitest"
import { addMember, makeControlPlane, type Person, runSql, type Workspace } from "../harness.ts"
import { counted, putEvents } from "../agents/telemetry-analytics.fixture.ts"
import { stateOf } from "./delivery/desired-state.fixture.ts"
import { ring, start, succeeded } from "./rollouts.fixture.ts"

const plane = await makeControlPlane()

describe("a rollout whose results are compared", () => {
  const thresholds = { reportsMin: 5, falseAlarmRate: 0.05, installFailures: true, usageFailures: true }
  /** Reports a result of the release that the person's devices should have, with the person's only device. */
  const report = async (person: Person, deviceId: string, sequence: number, failure: string | null) => {
    const [plugin] = (await stateOf(plane, person.token)).body.plugins
    const item = {
      pluginId: plugin.pluginId,
      state: failure === null ? "installed" : "failed",
      sha256: plugin.archive.sha256,
      digest: plugin.digest,
      failure
    }
    const body = { deviceId, agent: "claude-code", platform: "linux", revision: 1 }
    // The first report of a device is not a result.
    const plugins = sequence === 1 ? [] : [item]
    const { accepted } = await succeeded(person, "POST", "/v1/delivery/reports", { ...body, sequence, plugins })
    expect(accepted).toBe(true)
  }
  /** A ring of 10 members, who all reported that the previous release works. */
  const startTen = async () => {
    const started = await start(plane)
    const { owner } = started
    const people: Array<Workspace> = []
    for (let index = 0; index < 10; index += 1) people.push(await addMember(plane, owner, "member"))
    const memberIds = people.map(({ membershipId }) => membershipId)
    await succeeded(owner, "PATCH", "/v1/rollout-settings", {
      rings: [ring("Ten", { memberIds, soakMinutes: 1, promotion: "automatic" })],
      thresholds
    })
    let sequence = 1
    /** Reports results of members, which replace those of their last reports. */
    const reports = async (of: ReadonlyArray<Workspace>, failure: string | null) => {
      sequence += 1
      for (const person of of) await report(person, `device-${person.membershipId}`, sequence, failure)
    }
    for (const person of people) await report(person, `device-${person.membershipId}`, 1, null)
    await reports(people, null)
    return { ...started, people, reports }
  }

  it("is paused when installations fail more often than with the previous release, and only then", async () => {
    const { act, last, owner, people, release, reports, rollout } = await startTen()
    await release("Second")
    const { id } = await rollout()
    const details = async () => (await succeeded(owner, "GET", `/v1/rollouts/${id}`)).item
    await reports(people.slice(0, 4), "integrity")
    // Members outside the ring do not count.
    await report(last, "device-outside-the-ring", 1, null)
    await report(last, "device-outside-the-ring", 2, "integrity")
    expect((await details()).installations).toMatchObject({
      reports: 4,
      failed: 4,
      baselineReports: 10,
      baselineFailed: 0,
      threshold: 20,
      enough: false
    })
    // A second result of the same member does not count.
    await reports(people.slice(0, 4), null)
    expect((await details()).installations).toMatchObject({ reports: 4, failed: 4 })
    expect((await rollout()).state).toBe("active")
    await reports(people.slice(4), "integrity")
    await expect.poll(async () => (await rollout()).state).toBe("paused")
    expect(await rollout()).toMatchObject({ pauseReason: "install_failures", nextRingAt: null })
    const paused = await details()
    expect(paused.installations.evidence).toBeGreaterThanOrEqual(20)
    expect(paused.steps.at(-1)).toMatchObject({ step: "paused", ring: "Ten", reason: "install_failures" })
    // After it is resumed, only later results count.
    await act(id, "resume")
    expect((await details()).installations).toMatchObject({ reports: 0, failed: 0, enough: false })
    expect((await rollout()).state).toBe("active")
  })

  it("does not start its next ring while the evidence exceeds the threshold with too few reports", async () => {
    const { owner, people, release, reports, rollout } = await startTen()
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { thresholds: { ...thresholds, reportsMin: 20 } })
    await release("Second")
    await reports(people, "integrity")
    const { id } = await rollout()
    const checkedAfter = async () => {
      const [row] = await runSql(
        plane,
        (sql) => sql<{ is_checked: boolean }>`SELECT checked_at > soaks_from + interval '1 minute' AS is_checked
          FROM rollouts WHERE id = ${id}`
      )
      return row?.is_checked
    }
    await runSql(
      plane,
      (sql) => sql`UPDATE rollouts SET soaks_from = soaks_from - interval '2 minutes' WHERE id = ${id}`
    )
    await expect.poll(checkedAfter).toBe(true)
    expect(await rollout()).toMatchObject({ state: "active", ring: "Ten" })
    const { item } = await succeeded(owner, "GET", `/v1/rollouts/${id}`)
    expect(item.installations).toMatchObject({ reports: 10, failed: 10, enough: false })
    expect(item.installations.evidence).toBeGreaterThan(item.installations.threshold)
  })

  it("is paused when the first event of more users fails than with the previous release", async () => {
    const { first, last, owner, people, release, rollout } = await startTen()
    const use = async (of: ReadonlyArray<Workspace>, digest: string, success: boolean) => {
      const event = { type: "task.completed", source: "app", durationMs: 100, success } as const
      const dimensions = [{ type: "plugin_release", value: digest }]
      await putEvents(
        plane,
        owner,
        of.map((person) => ({ ...event, at: new Date().toISOString(), person, dimensions }))
      )
      await counted(owner)
    }
    await use(people.slice(0, 9), first.digest, true)
    await use(people.slice(9), first.digest, false)
    // Only the first event of a user counts.
    await use(people, first.digest, false)
    const second = await release("Second")
    const { id } = await rollout()
    const usageOf = async () => (await succeeded(owner, "GET", `/v1/rollouts/${id}`)).item.usage
    const baseline = { baselineReports: 10, baselineFailed: 1 }
    // The rate of the previous release is fixed when the rollout starts.
    await use([last], first.digest, false)
    // Users outside the rings do not count.
    await use([last], second.digest, false)
    await use(people.slice(0, 4), second.digest, false)
    await use(people.slice(0, 4), second.digest, true)
    expect(await usageOf()).toMatchObject({ ...baseline, reports: 4, failed: 4, enough: false })
    expect((await rollout()).state).toBe("active")
    await use(people.slice(4), second.digest, false)
    await expect.poll(async () => (await rollout()).pauseReason).toBe("usage_failures")
    expect(await usageOf()).toMatchObject({ ...baseline, reports: 10, failed: 10, enough: true })
  })

  it("is not paused if both comparisons are turned off", async () => {
    const { act, owner, people, release, reports, rollout } = await startTen()
    await succeeded(owner, "PATCH", "/v1/rollout-settings", {
      thresholds: { ...thresholds, installFailures: false, usageFailures: false }
    })
    await release("Second")
    await reports(people, "content")
    const { id } = await rollout()
    await act(id, "promote", { ring: "Ten" })
    expect((await rollout()).state).toBe("completed")
    const { item } = await succeeded(owner, "GET", `/v1/rollouts/${id}`)
    expect(item.steps.map(({ step }: { step: string }) => step)).not.toContain("paused")
  })
})
