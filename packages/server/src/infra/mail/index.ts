import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { type Mail, Mailer } from "../ports/mailer.ts"

const waitingMax = 1000
/** Codes wait among themselves: whoever has a thousand people invited keeps nobody from signing in. */
const sendersMax = { code: 2, invitation: 2 }
export type Lane = keyof typeof sendersMax
/** After the first try: 1, 4 and 16 seconds later. */
const again = Schedule.max([Schedule.exponential("1 second", 4), Schedule.recurs(3)])
const farewellMillis = 10_000

/**
 * Letters on their way out, after the change they tell of is committed. Nobody waits for the mail server: how long it
 * takes and whether it takes an address is nothing that an answer may depend on. A letter that is lost is asked for
 * again by the person who misses it.
 */
export class Post extends Context.Service<Post>()("@orgplane/server/mail/Post", {
  make: Effect.gen(function* () {
    const mailer = yield* Mailer
    const makeLane = () => Queue.dropping<Mail, Cause.Done>(waitingMax)
    const waiting = yield* Effect.all({ code: makeLane(), invitation: makeLane() })

    const send = (mail: Mail) =>
      mailer.send(mail).pipe(
        Effect.retry({ schedule: again, while: (failed) => failed.code === "unreachable" }),
        Effect.catch((failed) =>
          Effect.logWarning("A letter was not sent.", { code: failed.code, why: failed.message })
        ),
        Effect.catchDefect(() => Effect.logError("The mailer died of a letter."))
      )

    const lanes = Object.keys(waiting) as ReadonlyArray<Lane>
    const senderOf = (lane: Lane) => Effect.forever(Effect.flatMap(Queue.take(waiting[lane]), send)).pipe(Effect.ignore)
    const senders = yield* Effect.forEach(
      lanes.flatMap((lane) => Array.from({ length: sendersMax[lane] }, () => senderOf(lane))),
      (sender) => Effect.forkScoped(sender)
    )
    // What was accepted is sent before the senders end.
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.forEach(lanes, (lane) => Queue.end(waiting[lane]), { discard: true }),
        Fiber.awaitAll(senders)
      ).pipe(
        Effect.timeoutOrElse({
          duration: farewellMillis,
          orElse: () => Effect.logWarning("Letters were not sent: the server stops and the mailer does not take them.")
        })
      )
    )

    /** Takes a letter to send it soon. */
    const post = (lane: Lane, mail: Mail): Effect.Effect<void> =>
      Effect.flatMap(Queue.offer(waiting[lane], mail), (taken) =>
        taken ? Effect.void : Effect.logWarning("A letter was not sent: too many wait.")
      )

    return { post } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
