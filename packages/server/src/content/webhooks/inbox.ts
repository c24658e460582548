import * as Webhooks from "@orgplane/schema/webhooks"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { SqlError } from "effect/sql/SqlError"
import { recordAudit } from "../../infra/audit/record.ts"
import { type Outcome, RemoteEvents, type RemoteFacts } from "../connectors/remote-events.ts"
import { makeId } from "../../infra/ids.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { Notices } from "../../infra/sql/notices.ts"
import * as inbox from "./inbox-repo.ts"
import * as repo from "./repo.ts"

/** Maximum instances in the audit event of a delivery, which also has their number. */
const auditedInstancesMax = 20
/** Deliveries that one statement stores. */
const groupMax = 200
/** Maximum bytes waiting in the database; above it, the response is 503. */
const bytesMax = 256 * 1024 * 1024
const bytesCheckedMillis = 2000
/** Deliveries that one process handles at once. */
const drainsAtOnce = 2
/** With the increasing delays between them, the attempts take most of a day. */
const attemptsMax = 100
const wakeChannel = "orgplane_webhook_inbox"
/** How often the inbox is polled for deliveries without a notification, such as a retry that is due. */
const pollInterval = Duration.seconds(15)

export const statusOf = (outcome: Outcome) =>
  ({
    status: outcome.isActed ? "accepted" : "ignored",
    reason: outcome.isActed ? null : "target_unknown",
    connector_instance_ids: outcome.instanceIds,
    sync_event_ids: outcome.syncEventIds
  }) as const

/**
 * The durable queue between acknowledging and processing a delivery. Deliveries that arrive together are stored by one
 * statement; each is processed exactly once, in the transaction that removes it.
 */
export class WebhookInbox extends Context.Service<WebhookInbox>()("@orgplane/server/webhooks/Inbox", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const fenced = yield* organizationTransaction
    const remote = yield* RemoteEvents
    const notices = yield* Notices
    const arrivals = yield* Queue.unbounded<{
      readonly arrival: inbox.Arrival
      readonly verdict: Deferred.Deferred<inbox.Verdict, Webhooks.Busy>
    }>()
    const wakes = yield* Queue.sliding<void>(1)
    let checkedAt = Number.NEGATIVE_INFINITY
    let isOverfull = false

    const storeGroup = Effect.fnUntraced(function* (group: ReadonlyArray<inbox.Arrival>) {
      const now = yield* Clock.currentTimeMillis
      if (Math.abs(now - checkedAt) >= bytesCheckedMillis) {
        isOverfull = (yield* inbox.bytesWaiting(sql)) > bytesMax
        checkedAt = now
      }
      if (isOverfull) return yield* new Webhooks.Busy()
      const verdicts = yield* inbox.put(sql, group)
      if (verdicts.some(({ is_done, is_known }) => is_known && !is_done)) {
        yield* notices.publish(wakeChannel, "")
        Queue.offerUnsafe(wakes, undefined)
      }
      return verdicts
    })

    /** Stores arrived deliveries in groups: while one group is stored, the next one is collected. */
    yield* Queue.takeBetween(arrivals, 1, groupMax).pipe(
      Effect.flatMap((group) =>
        storeGroup(group.map(({ arrival }) => arrival)).pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.matchCauseEffect({
            onFailure: (cause) =>
              Effect.forEach(group, ({ verdict }) => Deferred.failCause(verdict, cause), { discard: true }),
            onSuccess: (verdicts) =>
              Effect.forEach(
                group,
                ({ verdict: deferred }, n) => {
                  const verdict = verdicts[n]
                  return verdict === undefined
                    ? Deferred.die(deferred, new Error("A delivery that was just stored was not classified."))
                    : Deferred.succeed(deferred, verdict)
                },
                { discard: true }
              )
          })
        )
      ),
      Effect.forever,
      Effect.forkScoped
    )

    /** Stores a delivery that concerns an organization, and returns its effect. */
    const accept = Effect.fnUntraced(function* (arrival: inbox.Arrival) {
      const verdict = yield* Deferred.make<inbox.Verdict, Webhooks.Busy>()
      Queue.offerUnsafe(arrivals, { arrival, verdict })
      return yield* Deferred.await(verdict)
    })

    /** Processes a delivery for one organization, and stores the data that a redelivery needs. */
    const actFor = Effect.fnUntraced(function* (
      organizationId: Id<"org">,
      deliveryId: string,
      facts: RemoteFacts,
      place: Parameters<typeof remote.act>[2]
    ) {
      const id = makeId("dlv")
      const work = Effect.gen(function* () {
        const outcome = yield* remote.act(organizationId, facts, place)
        const row = yield* repo.put(sql, organizationId, {
          id,
          delivery_id: deliveryId,
          event: facts.event,
          facts_json: facts,
          ...statusOf(outcome)
        })
        return { id: row?.id ?? id, outcome }
      })
      return yield* work.pipe(
        Effect.tap(({ id, outcome }): Effect.Effect<unknown, SqlError> =>
          // Only a delivery with an effect is audited; others are only listed.
          outcome.isActed
            ? recordAudit(sql, { kind: "system", organizationId }, "webhook.received", {
                target: id,
                after: {
                  event: facts.event,
                  action: facts.action,
                  connectorInstanceIds: outcome.instanceIds.slice(0, auditedInstancesMax),
                  syncEvents: outcome.syncEventIds.length
                }
              })
            : Effect.void
        ),
        Effect.map(({ outcome }) => outcome.isActed),
        (work) => fenced(organizationId, work)
      )
    })

    const act = Effect.fnUntraced(function* ({ delivery_id: deliveryId, event, facts_json: facts }: inbox.WaitingRow) {
      const { organizationIds, place } = yield* remote.concerned(facts)
      if (organizationIds.length === 0) return
      if (!(yield* repo.takeReceipt(sql, deliveryId, event))) return
      const acted = yield* Effect.forEach(organizationIds, (organizationId) =>
        actFor(organizationId, deliveryId, facts, place)
      )
      if (!acted.some((one) => one)) yield* repo.dropReceipt(sql, deliveryId, event)
    })

    /** Processes the oldest waiting delivery, completely or not at all; false when none is due. */
    const drainOne = Effect.gen(function* () {
      let delivery: inbox.WaitingRow | undefined
      const work = Effect.gen(function* () {
        delivery = yield* inbox.takeNext(sql)
        if (delivery === undefined) return false
        yield* act(delivery)
        return true
      }).pipe(sql.withTransaction)
      return yield* work.pipe(
        Effect.catchCause((cause) => {
          const row = delivery
          if (row === undefined || Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
          return Effect.gen(function* () {
            const attempts = yield* inbox.putOff(sql, row)
            const isLast = attempts >= attemptsMax
            if (isLast) yield* inbox.drop(sql, row)
            const delivery = { event: row.event, deliveryId: row.delivery_id, attempts }
            yield* isLast
              ? Effect.logError("Discarding a webhook delivery after its last failed attempt.", delivery, cause)
              : Effect.logWarning("Processing a webhook delivery failed. It will be retried.", delivery, cause)
            return true
          })
        })
      )
    })

    /** Processes all due deliveries; returns their number. */
    const drain = Effect.gen(function* () {
      let count = 0
      while (yield* drainOne) count += 1
      return count
    })

    /** Processes all due deliveries, several at a time. One statement finds that none is due. */
    const drainAll = Effect.flatMap(drainOne, (isFound) =>
      isFound
        ? Effect.all(
            Array.from({ length: drainsAtOnce }, () => drain),
            { concurrency: drainsAtOnce, discard: true }
          )
        : Effect.void
    )

    /** Processes deliveries as they arrive, from all processes on the same database. */
    const worker = Effect.gen(function* () {
      yield* notices.subscribe(wakeChannel).pipe(
        Stream.runForEach(() => Effect.sync(() => Queue.offerUnsafe(wakes, undefined))),
        Effect.forkScoped
      )
      yield* drainAll.pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.logWarning("Reading the webhook inbox failed. It will be retried.", cause)
        ),
        Effect.andThen(Effect.timeoutOption(Queue.take(wakes), pollInterval)),
        Effect.forever
      )
    })

    return { accept, drain, worker } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
