import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { counter, readGauge } from "../metrics/metrics.ts"
import { type Mail, type MailFailed, Mailer } from "../ports/mailer.ts"

const waitingMax = 1000
/** Sign-in codes have their own queue, so that a thousand invitations cannot delay a sign-in. */
const sendersMax = { code: 2, invitation: 2, notice: 1 }
export type Lane = keyof typeof sendersMax
/** After the first attempt: 1, 4 and 16 seconds later. */
const retrySchedule = Schedule.max([Schedule.exponential("1 second", 4), Schedule.recurs(3)])
const farewellMillis = 10_000
const outcomes = {
  sent: counter("orgplane_mails_total", { outcome: "sent" }),
  failed: counter("orgplane_mails_total", { outcome: "failed" }),
  dropped: counter("orgplane_mails_total", { outcome: "dropped" })
}

/**
 * Sends emails in the background, after the change that they report is committed. No request waits for the mail server:
 * a response must not depend on how long delivery takes or whether the server accepts an address. A user who does not
 * receive an email can request it again.
 */
export class MailQueue extends Context.Service<MailQueue>()("@orgplane/server/mail/Post", {
  make: Effect.gen(function* () {
    const mailer = yield* Mailer
    const makeLane = () => Queue.dropping<Mail, Cause.Done>(waitingMax)
    const waiting = yield* Effect.all({ code: makeLane(), invitation: makeLane(), notice: makeLane() })

    readGauge(
      yield* Effect.context(),
      "orgplane_mails_waiting",
      {},
      () => Queue.sizeUnsafe(waiting.code) + Queue.sizeUnsafe(waiting.invitation) + Queue.sizeUnsafe(waiting.notice)
    )

    let last: "sent" | MailFailed["code"] | "unexpected" | undefined
    const note = (outcome: NonNullable<typeof last>) => Effect.sync(() => (last = outcome))

    const send = (mail: Mail) =>
      mailer.send(mail).pipe(
        Effect.retry({ schedule: retrySchedule, while: (failed) => failed.code === "unreachable" }),
        Effect.andThen(Metric.update(outcomes.sent, 1)),
        Effect.andThen(note("sent")),
        Effect.tapError(({ code }) => note(code)),
        Effect.tapDefect(() => note("unexpected")),
        Effect.catch((failed) =>
          Effect.andThen(
            Metric.update(outcomes.failed, 1),
            Effect.logWarning("An email was not sent.", { code: failed.code, why: failed.message })
          )
        ),
        Effect.catchDefect(() =>
          Effect.andThen(
            Metric.update(outcomes.failed, 1),
            Effect.logError("The mailer failed unexpectedly while sending an email.")
          )
        )
      )

    const lanes = Object.keys(waiting) as ReadonlyArray<Lane>
    const senderOf = (lane: Lane) => Effect.forever(Effect.flatMap(Queue.take(waiting[lane]), send)).pipe(Effect.ignore)
    const senders = yield* Effect.forEach(
      lanes.flatMap((lane) => Array.from({ length: sendersMax[lane] }, () => senderOf(lane))),
      (sender) => Effect.forkScoped(sender)
    )
    // Queued emails are sent before the senders stop.
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.forEach(lanes, (lane) => Queue.end(waiting[lane]), { discard: true }),
        Fiber.awaitAll(senders)
      ).pipe(
        Effect.timeoutOrElse({
          duration: farewellMillis,
          orElse: () =>
            Effect.logWarning("Some emails were not sent: the server stopped before the mailer accepted them.")
        })
      )
    )

    /** Queues an email. */
    const enqueue = (lane: Lane, mail: Mail): Effect.Effect<void> =>
      Effect.flatMap(Queue.offer(waiting[lane], mail), (accepted) =>
        accepted
          ? Effect.void
          : Effect.andThen(
              Metric.update(outcomes.dropped, 1),
              Effect.logWarning("An email was not sent: the mail queue is full.")
            )
      )

    /** What happened to the last email of this process; undefined before the first one. */
    const lastOutcome = () => last

    return { enqueue, lastOutcome } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
