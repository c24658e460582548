import { expect, it } from "vitest"
import { makeGate, type Ticket } from "./gate.ts"

const limits = { perOrganization: 3, perProcess: 6, waitingPerOrganization: 10, waitingPerProcess: 100 }

/** Enters, and records who was admitted. */
const makeQueue = () => {
  const gate = makeGate(limits)
  const admitted: Array<string> = []
  const enter = (organizationId: string | undefined, name = organizationId ?? "own"): Ticket => {
    const ticket = gate.enter(organizationId)
    if (ticket === undefined) throw new Error("The queue is full.")
    void ticket.admitted.then(() => admitted.push(name))
    return ticket
  }
  return { enter, admitted }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it("admits the organization with the fewest slots first, regardless of how many others came before", async () => {
  const { admitted, enter } = makeQueue()
  const held = ["a", "a", "a", "b", "b", "b"].map((name) => enter(name))
  for (let i = 0; i < 5; i++) {
    enter("a")
    enter("b")
  }
  enter("c")
  enter(undefined)
  await settled()
  expect(admitted).toEqual(["a", "a", "a", "b", "b", "b"])
  held[0]?.leave()
  await settled()
  expect(admitted.slice(6)).toEqual(["c"])
  held[3]?.leave()
  await settled()
  expect(admitted.slice(7)).toEqual(["own"])
})

it("admits requests of one organization in order", async () => {
  const { admitted, enter } = makeQueue()
  const held = ["a", "a", "a"].map((name) => enter(name))
  for (const name of ["first", "second", "third"]) enter("a", name)
  for (const ticket of held) ticket.leave()
  await settled()
  expect(admitted.slice(3)).toEqual(["first", "second", "third"])
})
