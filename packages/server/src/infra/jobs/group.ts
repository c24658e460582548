import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"

export interface GroupOptions<I, O, E, R> {
  /** The maximum number of calls in a group. */
  readonly max: number
  /**
   * Does the work of all calls, for example with one statement. The results have the order of the calls. A call without a
   * result is done alone: it would have delayed the others.
   */
  readonly together: (inputs: ReadonlyArray<I>) => Effect.Effect<ReadonlyArray<O | undefined>, unknown, R>
  /** Does the work of one call: of each call if the group fails. */
  readonly alone: (input: I) => Effect.Effect<O, E, R>
}

interface Call<I, O, E> {
  readonly input: I
  readonly result: Deferred.Deferred<O, E>
}

/**
 * Combines calls into groups. A call that arrives while a group is in progress waits for the next group, so groups become
 * larger under load, and a single call is not delayed. Interrupting a call does not cancel its work.
 */
export const makeGroup = Effect.fnUntraced(function* <I, O extends {} | null, E, R>({
  alone,
  max,
  together
}: GroupOptions<I, O, E, R>) {
  const scope = yield* Effect.scope
  const calls = yield* Queue.unbounded<Call<I, O, E>>()
  const doAlone = ({ input, result }: Call<I, O, E>) =>
    Effect.flatMap(Effect.exit(alone(input)), (exit) => Deferred.done(result, exit))
  const group = Effect.gen(function* () {
    const taken = yield* Queue.takeBetween(calls, 1, max)
    const [first, ...others] = taken
    const exit: Exit.Exit<ReadonlyArray<O | undefined>, unknown> = yield* Effect.exit(
      together(taken.map(({ input }) => input))
    )
    const results = Exit.isSuccess(exit) ? exit.value : []
    if (Exit.isFailure(exit) && first !== undefined && others.length > 0) {
      yield* Effect.logDebug("A group of background work failed. Doing the work of each member alone.", exit.cause)
    }
    for (const [index, call] of taken.entries()) {
      const result = results[index]
      // The next group does not wait for it.
      yield* result === undefined ? Effect.forkIn(doAlone(call), scope) : Deferred.succeed(call.result, result)
    }
  })
  yield* Effect.forkScoped(Effect.forever(group))
  return (input: I): Effect.Effect<O, E> =>
    Effect.suspend(() => {
      const result = Deferred.makeUnsafe<O, E>()
      Queue.offerUnsafe(calls, { input, result })
      return Deferred.await(result)
    })
})
