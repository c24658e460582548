/** Random histories of rollouts against a model: each ring receives exactly the release that the rules give it. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { addMember, makeControlPlane, runSql } from "../harness.ts"
import { failed, installed, reportOf, wantedBy } from "./devices.fixture.ts"
import { makeModel } from "./rollouts-model.fixture.ts"
import { ring, start, succeeded } from "./rollouts.fixture.ts"

const plane = await makeControlPlane()

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: "release" } as const) },
  { weight: 4, arbitrary: fc.constant({ kind: "promote" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "soak" } as const) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("report" as const),
      isFailed: fc.boolean(),
      /** Reports that arrive twice, and older ones that arrive late. */
      repeated: fc.nat(2),
      late: fc.nat(2)
    })
  },
  { weight: 2, arbitrary: fc.constant({ kind: "pause" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "resume" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "rollBack" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "emergency" } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), index: fc.nat(20) }) }
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Two members of the first ring, whose reports can pause a rollout. */
const run = async (steps: ReadonlyArray<Step>, endsWithAuto: boolean) => {
  const { act, canary, digests, early, first, owner, pluginId, release, rollout, teamId } = await start(plane)
  const people = [canary, await addMember(plane, owner, "member")]
  const soak = { soakMinutes: 43_200, promotion: "automatic" } as const
  await succeeded(owner, "PATCH", "/v1/rollout-settings", {
    rings: [
      ring("Canary", { ...soak, memberIds: people.map(({ membershipId }) => membershipId) }),
      ring("Early", { ...soak, teamIds: [teamId] })
    ],
    thresholds: { reportsMin: 1, falseAlarmRate: 0.2, installFailures: true, usageFailures: false }
  })
  const releases = [first]
  const model = makeModel()
  let sequence = 1
  const send = (person: (typeof people)[number], input: object) =>
    succeeded(
      person,
      "POST",
      "/v1/delivery/reports",
      reportOf({ deviceId: `device-${person.membershipId}`, sequence, ...input })
    )
  // The first report of a device is not a result.
  for (const person of people) expect((await send(person, {})).accepted).toBe(true)

  const report = async ({ isFailed, late, repeated }: Extract<Step, { kind: "report" }>) => {
    const received = model.received()[0] ?? null
    sequence += 1
    for (const person of people) {
      const wanted = await wantedBy(plane, person)
      const plugins = isFailed ? failed(wanted) : installed(wanted)
      expect((await send(person, { plugins })).accepted).toBe(true)
      // The opposite result in a report that was sent before.
      const opposite = isFailed ? installed(wanted) : failed(wanted)
      for (let count = 0; count < repeated; count += 1) await send(person, { plugins })
      for (let count = 0; count < late; count += 1) {
        expect((await send(person, { plugins: opposite, sequence: sequence - 1 })).accepted).toBe(false)
      }
    }
    if (received !== null) model.report(received, isFailed)
  }

  for (const one of steps) {
    const current = await rollout()
    if (one.kind === "release") {
      releases.push(await release(`Release ${releases.length}`))
      model.release(releases.length - 1)
    } else if (one.kind === "report") {
      await report(one)
    } else if (one.kind === "soak") {
      await runSql(
        plane,
        (sql) => sql`UPDATE rollouts SET soaks_from = soaks_from - interval '31 days'
          WHERE plugin_id = ${pluginId} AND state = 'active'`
      )
      model.soak()
    } else if (one.kind === "withdraw") {
      const index = one.index % releases.length
      const body = { pluginId, digest: releases[index]?.digest, comment: "Withdrawn." }
      const response = await owner.call("POST", "/v1/rollouts/withdraw", body)
      const servedId = response.body.item?.servedReleaseId ?? null
      const status = model.withdraw(index, (served) => {
        const fallback = releases.findIndex(({ id }) => id === servedId)
        // An earlier release, which was approved and not withdrawn.
        expect(fallback < served && (fallback === -1 || model.isApproved(fallback))).toBe(true)
        return fallback === -1 ? null : fallback
      })
      expect([one.kind, response.status]).toEqual([one.kind, status])
    } else if (current !== undefined) {
      const requests = {
        promote: () => act(current.id, "promote", { ring: current.ring ?? "Canary" }),
        pause: () => act(current.id, "pause", {}),
        resume: () => act(current.id, "resume"),
        rollBack: () => act(current.id, "roll-back", { comment: "Back." }),
        emergency: () => act(current.id, "release", { comment: "Now." })
      }
      const { status } = await requests[one.kind]()
      expect([one.kind, status]).toEqual([one.kind, model[one.kind]()])
    }
    // The worker pauses rollouts, and starts their rings.
    await expect.poll(async () => (await rollout())?.state).toBe(model.newest()?.state)
    const digestOf = (index: number | null) => (index === null ? null : (releases[index]?.digest ?? null))
    await expect.poll(() => digests()).toEqual(model.received().map(digestOf))
  }
  expect(early.membershipId).not.toBe(canary.membershipId)
  if (!endsWithAuto) return
  await succeeded(owner, "PATCH", "/v1/approval-settings", { deliveryMode: "auto" })
  await succeeded(owner, "PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
  const newest = model.newest()
  if (newest !== undefined) {
    const isOpen = newest.state === "active" || newest.state === "paused"
    expect((await rollout()).state).toBe(isOpen ? "cancelled" : newest.state)
  }
  // The latest content is served to everyone, unless it was withdrawn.
  const content = model.isApproved(releases.length - 1) ? releases.at(-1)?.digest : null
  await expect.poll(() => digests()).toEqual([content, content, content])
}

it("rollouts match the model after each step", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), fc.boolean(), run), {
    numRuns: 10,
    endOnFailure: true
  })
})
