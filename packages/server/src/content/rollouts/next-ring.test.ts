import type { Freeze } from "@orgplane/schema/rollouts"
import { describe, expect, it } from "vitest"
import { makeNextAllowed } from "./freezes.ts"
import { ringStarts as computeRingStarts, type RingTiming, type RolloutProgress } from "./next-ring.ts"

const at = (text: string) => Date.parse(text)
const minute = 60_000
/** A Wednesday. */
const now = at("2026-11-25T12:00:00Z")
const rings = [
  { soakMinutes: 60, promotion: "automatic" },
  { soakMinutes: 120, promotion: "automatic" }
] as const
const scheduled: RolloutProgress = { state: "scheduled", reached: 0, soaksFrom: null, startsAt: null }
const active: RolloutProgress = { state: "active", reached: 1, soaksFrom: now, startsAt: null }
const freeze = (startsAt: string, endsAt: string): Freeze => ({
  name: "Release of the product",
  timeZone: "UTC",
  weekdays: [],
  startTime: null,
  endTime: null,
  startsAt,
  endsAt
})
const permanent: Freeze = {
  name: "Always",
  timeZone: "Europe/Berlin",
  weekdays: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
  startTime: "00:00",
  endTime: "00:00",
  startsAt: null,
  endsAt: null
}
const ringStarts = (
  rings: ReadonlyArray<RingTiming>,
  progress: RolloutProgress,
  freezes: ReadonlyArray<Freeze>,
  now: number
) => computeRingStarts(rings, progress, makeNextAllowed(freezes), now)

describe("a scheduled rollout", () => {
  it("starts its first ring now, and each later ring after the soak time of the one before", () => {
    expect(ringStarts(rings, scheduled, [], now)).toEqual({
      nextRingAt: now,
      starts: [now, now + 60 * minute, now + 180 * minute]
    })
  })
  it("starts at its start time, or now if that has passed", () => {
    const later = now + 5 * minute
    expect(ringStarts(rings, { ...scheduled, startsAt: later }, [], now).nextRingAt).toBe(later)
    expect(ringStarts(rings, { ...scheduled, startsAt: now - minute }, [], now).nextRingAt).toBe(now)
  })
  it("starts when the freeze ends", () => {
    const freezes = [freeze("2026-11-25T11:00:00Z", "2026-11-25T15:00:00Z")]
    expect(ringStarts(rings, scheduled, freezes, now).nextRingAt).toBe(at("2026-11-25T15:00:00Z"))
  })
  it("without rings reaches everyone at once", () => {
    expect(ringStarts([], scheduled, [], now)).toEqual({ nextRingAt: now, starts: [now] })
  })
})

describe("an active rollout", () => {
  it("starts the next ring when the soak time ends", () => {
    expect(ringStarts(rings, active, [], now + 10 * minute)).toEqual({
      nextRingAt: now + 60 * minute,
      starts: [null, now + 60 * minute, now + 180 * minute]
    })
  })
  it("starts the next ring now if the soak time has ended, and the later rings relative to that", () => {
    const later = now + 90 * minute
    expect(ringStarts(rings, active, [], later)).toEqual({
      nextRingAt: later,
      starts: [null, later, later + 120 * minute]
    })
  })
  it("moves every start out of freezes", () => {
    const freezes = [
      freeze("2026-11-25T13:00:00Z", "2026-11-25T14:00:00Z"),
      freeze("2026-11-25T15:30:00Z", "2026-11-26T08:00:00Z")
    ]
    expect(ringStarts(rings, active, freezes, now)).toEqual({
      nextRingAt: at("2026-11-25T14:00:00Z"),
      starts: [null, at("2026-11-25T14:00:00Z"), at("2026-11-26T08:00:00Z")]
    })
  })
  it("waits for the end of the current freeze even if the soak time ended before it", () => {
    const freezes = [freeze("2026-11-25T14:00:00Z", "2026-11-25T16:00:00Z")]
    expect(ringStarts(rings, active, freezes, at("2026-11-25T15:00:00Z")).nextRingAt).toBe(at("2026-11-25T16:00:00Z"))
  })
  it("has no start after a ring with manual promotion", () => {
    const manual = [{ soakMinutes: 60, promotion: "manual" }, rings[1], rings[1]] as const
    const none = [null, null, null, null]
    expect(ringStarts(manual, active, [], now)).toEqual({ nextRingAt: null, starts: none })
    expect(ringStarts(manual, scheduled, [], now)).toEqual({ nextRingAt: now, starts: [now, null, null, null] })
  })
  it("has no start in a freeze without an end", () => {
    expect(ringStarts(rings, active, [permanent], now)).toEqual({ nextRingAt: null, starts: [null, null, null] })
  })
  it("has no start after the year 9999", () => {
    const freezes = [freeze("2026-11-25T00:00:00Z", "9999-12-31T23:30:00Z")]
    const last = at("9999-12-31T23:30:00Z")
    expect(ringStarts(rings, active, freezes, now)).toEqual({ nextRingAt: last, starts: [null, last, null] })
  })
  it("computes only the start of the next ring on request", () => {
    expect(computeRingStarts(rings, active, makeNextAllowed([]), now, true)).toEqual({
      nextRingAt: now + 60 * minute,
      starts: [null, now + 60 * minute, null]
    })
  })
  it("starts the next ring at once after a soak time of zero", () => {
    expect(ringStarts([{ soakMinutes: 0, promotion: "automatic" }], active, [], now).nextRingAt).toBe(now)
  })
})

it("has no next ring if the rollout is paused, has ended, or has reached everyone", () => {
  for (const state of ["paused", "completed", "rolled_back", "superseded", "cancelled"] as const) {
    expect(ringStarts(rings, { ...active, state }, [], now)).toEqual({ nextRingAt: null, starts: [null, null, null] })
  }
  expect(ringStarts(rings, { ...active, reached: 3 }, [], now).nextRingAt).toBe(null)
})
