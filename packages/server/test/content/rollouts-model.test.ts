/** Random histories of rollouts against a model: each ring receives exactly the release that the rules give it. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { makeControlPlane } from "../harness.ts"
import { start } from "./rollouts.fixture.ts"

const plane = await makeControlPlane()

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: "release" } as const) },
  { weight: 5, arbitrary: fc.constant({ kind: "promote" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "pause" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "resume" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "rollBack" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "emergency" } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), index: fc.nat(20) }) }
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const ringNames = ["Canary", "Early"]

interface ModelRollout {
  readonly release: number
  readonly previous: number
  state: "active" | "paused" | "completed" | "rolled_back" | "superseded" | "cancelled"
  reached: number
  delivers: boolean
}

/** The rules of rollouts, for two rings and all other members. Releases are numbers; null is nothing. */
const makeModel = () => {
  let served: number | null = 0
  /** Releases that can be delivered: approved, and not withdrawn. */
  const approved = new Set([0])
  const rollouts: Array<ModelRollout> = []
  const newest = () => rollouts.at(-1)
  const isOpen = (rollout: ModelRollout | undefined): rollout is ModelRollout =>
    rollout?.state === "active" || rollout?.state === "paused"
  const endDeliveries = () => {
    for (const rollout of rollouts) rollout.delivers = false
  }
  const complete = (rollout: ModelRollout) => {
    rollout.state = "completed"
    endDeliveries()
    served = rollout.release
  }
  const statusOf = (isAllowed: boolean) => (isAllowed ? 200 : 409)
  return {
    newest,
    served: () => served,
    /** What the members of the first ring, of the second one, and all others receive. */
    received: () =>
      [0, 1, 2].map((ring) => {
        if (served === null) return null
        const delivering = rollouts.filter(({ delivers, reached }) => delivers && reached > ring)
        return delivering.at(-1)?.release ?? served
      }),
    release: (release: number) => {
      approved.add(release)
      if (served === null) {
        served = release
        return
      }
      const open = newest()
      if (isOpen(open)) open.state = "superseded"
      rollouts.push({ release, previous: served, state: "active", reached: 1, delivers: true })
      // Of the rollouts that still deliver to their rings, only five are kept.
      for (const old of rollouts.filter(({ delivers }) => delivers).slice(0, -5)) old.delivers = false
    },
    promote: () => {
      const rollout = newest()
      const isAllowed = rollout?.state === "active"
      if (isAllowed && rollout.reached === ringNames.length) complete(rollout)
      else if (isAllowed) rollout.reached += 1
      return statusOf(isAllowed)
    },
    pause: () => {
      const rollout = newest()
      if (!isOpen(rollout)) return 409
      rollout.state = "paused"
      return 200
    },
    resume: () => {
      const rollout = newest()
      const isAllowed = rollout?.state === "paused"
      if (isAllowed) rollout.state = "active"
      return statusOf(isAllowed)
    },
    rollBack: () => {
      const rollout = newest()
      if (rollout === undefined) return 409
      if (rollout.state !== "active" && rollout.state !== "paused") {
        const isRevertible =
          rollout.state === "completed" && served === rollout.release && approved.has(rollout.previous)
        if (!isRevertible) return 409
        served = rollout.previous
      }
      rollout.state = "rolled_back"
      endDeliveries()
      return 200
    },
    emergency: () => {
      const rollout = newest()
      if (!isOpen(rollout)) return 409
      complete(rollout)
      return 200
    },
    /** `fallback` is what the server serves then: an earlier release that is still stored. */
    withdraw: (release: number, fallback: (served: number) => number | null) => {
      if (!approved.delete(release)) return 409
      for (const rollout of rollouts.filter((one) => one.release === release)) {
        rollout.delivers = false
        if (!isOpen(rollout)) continue
        rollout.state = "cancelled"
        endDeliveries()
      }
      if (served !== release) return 200
      served = fallback(release)
      if (served !== null) return 200
      for (const rollout of rollouts) {
        if (isOpen(rollout)) rollout.state = "cancelled"
        rollout.delivers = false
      }
      return 200
    },
    isApproved: (release: number) => approved.has(release)
  }
}

const run = async (steps: ReadonlyArray<Step>) => {
  const { act, digests, first, owner, pluginId, release, rollout } = await start(plane)
  const releases = [first]
  const model = makeModel()
  for (const one of steps) {
    if (one.kind === "release") {
      releases.push(await release(`Release ${releases.length}`))
      model.release(releases.length - 1)
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
    } else {
      const current = await rollout()
      if (current === undefined) continue
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
    const current = await rollout()
    expect(current?.state).toBe(model.newest()?.state)
    const expected = model.received().map((index) => (index === null ? null : (releases[index]?.digest ?? null)))
    expect(await digests()).toEqual(expected)
  }
}

it("rollouts match the model after each step", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), (steps) => run(steps)),
    { numRuns: 12, endOnFailure: true }
  )
})
