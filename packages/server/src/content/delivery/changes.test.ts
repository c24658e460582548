import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type Counts, makeEpochs } from "./changes.ts"
import type { EventRow } from "./repo.ts"

const organizationId: Id<"org"> = "org_1"

/** The sealed events of a database, and the epochs that a process computes for it. */
const start = (count: number) => {
  let events: ReadonlyArray<EventRow> = []
  const add = (more: number, action: string) => {
    events = [
      ...events,
      ...Array.from({ length: more }, (_, index) => {
        const sequence = events.length + index + 1
        const id = `${action} ${sequence} ${Math.random()}`
        return { id, action, sequence, hash: `hash of ${id}` }
      })
    ]
  }
  const lose = (lost: number) => {
    events = events.slice(0, -lost)
  }
  add(count, "plugin.create")
  const counts = (): Counts => ({
    sealed: events.length,
    sealed_hash: events.at(-1)?.hash ?? null,
    unsealed: 0
  })
  const observe = makeEpochs((_, from, limit) =>
    Effect.sync(() => events.filter(({ sequence }) => (sequence ?? 0) >= from).slice(0, limit))
  )
  const epochOf = async (observed: Counts = counts()) =>
    (await Effect.runPromise(observe(organizationId, Effect.succeed(observed))))?.epoch
  /** An observation that returns after `during`. */
  const epochAfter = async (during: () => Promise<unknown>) => {
    const observed = counts()
    return (await Effect.runPromise(observe(organizationId, Effect.as(Effect.promise(during), observed))))?.epoch
  }
  return { add, epochAfter, epochOf, lose }
}

describe("the epoch of an organization", () => {
  it("changes with relevant events only", async () => {
    const { add, epochOf } = start(10)
    const first = await epochOf()
    expect(await epochOf()).toBe(first)
    add(3, "session.create")
    expect(await epochOf()).toBe(first)
    add(1, "plugin.update")
    expect(await epochOf()).not.toBe(first)
  })

  it("does not go back when an older observation returns after a newer one", async () => {
    const { add, epochAfter, epochOf } = start(10)
    await epochOf()
    let newer: number | undefined
    const older = await epochAfter(async () => {
      add(1, "plugin.update")
      newer = await epochOf()
    })
    expect(older).toBe(newer)
    expect(await epochOf()).toBe(newer)
  })

  it("changes once if the database lost events, and then with the events that replace them", async () => {
    const { add, epochOf, lose } = start(100)
    const first = await epochOf()
    lose(20)
    const second = await epochOf()
    expect(second).not.toBe(first)
    expect(await epochOf()).toBe(second)
    add(1, "plugin.update")
    const third = await epochOf()
    expect([first, second]).not.toContain(third)
    add(30, "session.create")
    expect(await epochOf()).toBe(third)
  })

  it.each([
    ["as many", 20],
    ["more", 30]
  ])("changes if the database lost events, and has %s other ones at the next observation", async (_, count) => {
    const { add, epochOf, lose } = start(100)
    const first = await epochOf()
    lose(20)
    add(count, "session.create")
    const second = await epochOf()
    expect(second).not.toBe(first)
    expect(await epochOf()).toBe(second)
  })
})
