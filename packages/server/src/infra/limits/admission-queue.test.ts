import * as fc from "fast-check"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { makeAdmissionQueue } from "./admission-queue.ts"

const limits = { max: 10, perKeyMax: 7, waitersMax: 100 }
const settle = Effect.yieldNow.pipe(Effect.repeat({ times: 5 }))

/** A client that requests memory; `leave` releases it, or stops waiting. */
const visit = Effect.fnUntraced(function* (
  room: ReturnType<typeof makeAdmissionQueue>,
  address: string,
  amount: number
) {
  const scope = yield* Scope.make()
  const visitor = { address, amount, isIn: false, leave: Effect.void }
  const fiber = yield* room.enter(address, amount).pipe(
    Scope.provide(scope),
    Effect.map((isIn) => (visitor.isIn = isIn)),
    Effect.forkChild
  )
  visitor.leave = Effect.andThen(Fiber.interrupt(fiber), Scope.close(scope, Exit.void))
  return visitor
})

describe("the memory for webhook bodies", () => {
  it("never exceeds its limit or an address's share, and admits waiting deliveries as soon as they fit", async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("come" as const),
        address: fc.constantFrom("a", "b", "c"),
        amount: fc.integer({ min: 1, max: 9 })
      }),
      fc.record({ kind: fc.constant("go" as const), which: fc.nat(1000) })
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), (steps) =>
        Effect.runPromise(
          Effect.gen(function* () {
            const room = makeAdmissionQueue(limits)
            const visitors: Array<Effect.Success<ReturnType<typeof visit>>> = []
            for (const one of steps) {
              if (one.kind === "come") visitors.push(yield* visit(room, one.address, one.amount))
              else if (visitors.length > 0) {
                const [visitor] = visitors.splice(one.which % visitors.length, 1)
                if (visitor !== undefined) yield* visitor.leave
              }
              yield* settle
              const inside = visitors.filter(({ isIn }) => isIn)
              const held = inside.reduce((sum, { amount }) => sum + Math.min(amount, limits.perKeyMax), 0)
              expect(held).toBe(room.held())
              expect(held).toBeLessThanOrEqual(limits.max)
              expect(room.waiting()).toBe(visitors.length - inside.length)
              for (const address of ["a", "b", "c"]) {
                const own = inside.filter((visitor) => visitor.address === address)
                const amount = own.reduce((sum, visitor) => sum + Math.min(visitor.amount, limits.perKeyMax), 0)
                expect(amount).toBeLessThanOrEqual(limits.perKeyMax)
              }
              // No client waits when no memory is used.
              if (held === 0) expect(room.waiting()).toBe(0)
            }
            yield* Effect.forEach(visitors, ({ leave }) => leave, { discard: true })
            expect([room.held(), room.waiting()]).toEqual([0, 0])
          })
        )
      )
    )
  })

  it("rejects requests of one key above its share of the queue", async () => {
    await Effect.runPromise(
      Effect.gen(function* () {
        const room = makeAdmissionQueue({ max: 1, perKeyMax: 1, waitersMax: 4, waitersPerKeyMax: 1 })
        yield* visit(room, "busy", 1)
        yield* settle
        yield* visit(room, "busy", 1)
        yield* settle
        expect(yield* Effect.scoped(room.enter("busy", 1))).toBe(false)
        yield* visit(room, "quiet", 1)
        yield* settle
        expect(room.waiting()).toBe(2)
      })
    )
  })

  it("serves waiting addresses in turn, and rejects deliveries above the maximum number waiting", async () => {
    await Effect.runPromise(
      Effect.gen(function* () {
        const room = makeAdmissionQueue({ max: 1, perKeyMax: 1, waitersMax: 4 })
        const first = yield* visit(room, "busy", 1)
        yield* settle
        const busy = [yield* visit(room, "busy", 1), yield* visit(room, "busy", 1), yield* visit(room, "busy", 1)]
        const quiet = yield* visit(room, "quiet", 1)
        yield* settle
        expect(room.waiting()).toBe(4)
        expect(yield* Effect.scoped(room.enter("late", 1))).toBe(false)
        yield* first.leave
        yield* settle
        yield* Effect.forEach(busy.slice(0, 1), ({ leave }) => leave)
        yield* settle
        expect(quiet.isIn).toBe(true)
        expect(busy.filter(({ isIn }) => isIn)).toHaveLength(1)
      })
    )
  })
})
