import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { type Lane, laneOf, makeLanes } from "./lanes.ts"

const lane = fc.record({
  organizationId: fc.constantFrom("a", "b", "c", "d"),
  origin: fc.constantFrom("https://one", "https://two", null)
})

it("admits no more than the limits at once and everyone eventually, even if some are interrupted", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ lane, turns: fc.nat(4), isGivenUp: fc.boolean() }), { maxLength: 40 }),
      async (jobs) => {
        const limits = { total: 5, perOrganization: 2, perOrigin: 3 }
        const lanes = makeLanes(limits)
        const inside: Array<Lane> = []
        let done = 0
        const judge = () => {
          expect(inside.length).toBeLessThanOrEqual(limits.total)
          for (const { organizationId, origin } of inside) {
            expect(inside.filter((one) => one.organizationId === organizationId).length).toBeLessThanOrEqual(2)
            if (origin !== null) expect(inside.filter((one) => one.origin === origin).length).toBeLessThanOrEqual(3)
          }
        }
        await Effect.runPromise(
          Effect.gen(function* () {
            const fibers = yield* Effect.forEach(jobs, (job) =>
              Effect.forkChild(
                lanes.within(
                  job.lane,
                  Effect.gen(function* () {
                    inside.push(job.lane)
                    judge()
                    for (let turn = 0; turn < job.turns; turn += 1) yield* Effect.yieldNow
                    done += 1
                  }).pipe(Effect.ensuring(Effect.sync(() => inside.splice(inside.indexOf(job.lane), 1))))
                )
              )
            )
            for (const [index, fiber] of fibers.entries()) {
              if (jobs[index]?.isGivenUp === true) yield* Fiber.interrupt(fiber)
            }
            for (const [index, fiber] of fibers.entries()) {
              if (jobs[index]?.isGivenUp !== true) yield* Fiber.join(fiber)
            }
          })
        )
        expect(done).toBeGreaterThanOrEqual(jobs.filter(({ isGivenUp }) => !isGivenUp).length)
        expect(inside).toEqual([])
        // Checks that no slot is leaked.
        const free = { organizationId: "new", origin: "https://one" }
        const taken = await Effect.runPromise(
          lanes.tryWithin(free, Effect.succeed("in"), (full) => Effect.succeed(full))
        )
        expect(taken).toBe("in")
      }
    )
  )
})

it("assigns local paths to no host, and repositories read by id to their adapter", () => {
  const origins = [
    laneOf("org_a", { adapter: "git", remote_id: "file:///srv/repositories/a" }),
    laneOf("org_a", { adapter: "git", remote_id: "https://code.example:8443/acme/plugins" }),
    laneOf("org_a", { adapter: "rest", remote_id: "186853002" })
  ].map(({ origin }) => origin)
  expect(origins).toEqual([null, "https://code.example:8443", "rest"])
})
