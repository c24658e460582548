import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import { limits, RateLimiter } from "../../../src/infra/limits/index.ts"
import { makeControlPlane, makeWorkspace, withServices } from "../../harness.ts"
import { requested } from "./desired-state.fixture.ts"

const plane = await makeControlPlane()

it("accepts 60 requests per hour from one device across many processes", async () => {
  const request = { responseState: { headers: {} } }
  // Each limiter is that of one process, or of one that was restarted.
  for (let process = 0; process < 20; process += 1) {
    const limiter = await withServices(plane, Effect.provide(RateLimiter, Layer.fresh(RateLimiter.layer)))
    for (let poll = 0; poll < 3; poll += 1) {
      await Effect.runPromise(limiter.take(request, limits.desiredState, "a device"))
    }
  }
})

it("limits the requests of one device to 600 per hour, also with two processes", async () => {
  const request = { responseState: { headers: {} } }
  const make = () => withServices(plane, Effect.provide(RateLimiter, Layer.fresh(RateLimiter.layer)))
  const processes = [await make(), await make()]
  let accepted = 0
  for (let poll = 0; poll < 700; poll += 1) {
    const limiter = processes[poll % 2]
    if (limiter === undefined) throw new Error("There are two processes.")
    const result = await Effect.runPromise(Effect.result(limiter.take(request, limits.desiredState, "another device")))
    if (result._tag === "Success") accepted += 1
  }
  expect(accepted).toBe(600)
})

it("counts requests of the desired state separately from others", async () => {
  const owner = await makeWorkspace(plane)
  const { headers } = await requested(plane, owner.token)
  expect(headers.get("ratelimit-policy")).toBe('"desired-state";q=600;w=3600')
})
