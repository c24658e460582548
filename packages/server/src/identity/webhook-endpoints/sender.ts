import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeGroup } from "../../infra/jobs/group.ts"
import { serveLeased, type Turn } from "../../infra/jobs/leased.ts"
import { MailQueue } from "../../infra/mail/index.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { wake } from "../../infra/sql/wakes.ts"
import { rolesWith } from "../auth/permissions.ts"
import { stoppedEmail } from "./stopped-email.ts"
import * as repo from "./sender-repo.ts"
import { type Message, WebhookRequests } from "./sending.ts"
import type { Signer } from "./signing.ts"

/** Endpoints that a process sends to at a time. Most of them wait for their receivers. */
const endpointsAtOnce = 1024
/** Endpoints whose messages are read, or whose attempts are recorded, at once. */
const groupMax = 256
const leaseSeconds = 30
const renewedEveryMillis = 10_000
const turnMillis = 10_000
/** How long a batch is sent with settings and secrets that were replaced, at most, besides the request that is in progress. */
const checkedEveryMillis = 1_000
/** Messages between two checks of whether the endpoint is still active. */
const batchMax = 32
const parallelMax = 8
/**
 * Requests of all parallel endpoints of an organization beyond the first one of each. The first ones always have a slot of
 * the outbound client, so receivers that do not respond delay no other endpoint.
 */
const furtherMax = 24
/** How long the record of a successful delivery can wait for others. Without it, the event is sent again after a crash. */
const recordedAfterMillis = 1_000
const failingDays = 2
/** The pause of an endpoint with messages whose bodies were deleted. They are never sent, and housekeeping deletes them. */
const bodylessPauseSeconds = 60
const notStopped = "not_stopped"
/** The maximum pause of an endpoint after errors of this server, and the number of endpoints for which they are counted. */
const errorPauseSecondsMax = 600
const brokenMax = 10_000

/** What is read to send the next messages of an endpoint. */
interface Reading {
  readonly lease: repo.Lease
  /** The endpoint if its lease has just been taken; otherwise, the lease is renewed. */
  readonly claimed: repo.LeasedRow | undefined
  readonly limit: number
}

/** `failing`: a parallel endpoint rejected everything. `stopped`: it must not be continued at once. */
type BatchEnd = "complete" | "failing" | "stopped"

interface Batch {
  readonly endpoint: repo.LeasedRow
  readonly signers: ReadonlyArray<Signer>
  readonly messages: ReadonlyArray<Message>
  /** Whether there are messages whose bodies were deleted. */
  readonly isIncomplete: boolean
}

/** Leaves out a second item of an endpoint: its claim has ended, or followed the one of the first item. */
const distinctBy = <A>(items: ReadonlyArray<A>, idOf: (item: A) => string): ReadonlySet<A> =>
  new Set(new Map(items.toReversed().map((item) => [idOf(item), item])).values())

/** Sends queued events to webhook endpoints. */
export class WebhookSender extends Context.Service<WebhookSender>()("@orgplane/server/webhookEndpoints/Sender", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const requests = yield* WebhookRequests
    const mails = yield* MailQueue
    const { mutate } = yield* Mutate
    const furtherOf = new Map<string, number>()
    /** How often in succession an endpoint could not be served, by its ID. */
    const brokenOf = new Map<string, number>()

    /** Without a result for endpoints that are locked, unless it waits. */
    const readAll = Effect.fnUntraced(function* (readings: ReadonlyArray<Reading>, waits: boolean) {
      const distinct = distinctBy(readings, ({ lease }) => lease.id)
      const leases = [...distinct].flatMap(({ claimed, lease }) => (claimed === undefined ? [lease] : []))
      const renewed = leases.length === 0 ? [] : yield* repo.renew(sql, leases, leaseSeconds, waits)
      const renewedOf = new Map(renewed.map((row) => [row.id, row]))
      const wanted = [...distinct].flatMap(({ claimed, lease, limit }) => {
        const endpoint = claimed ?? renewedOf.get(lease.id)
        return endpoint === undefined ? [] : [{ endpoint, limit: endpoint.is_failing ? 1 : limit }]
      })
      const [secrets, messages] = yield* Effect.all(
        [
          repo.usableSecrets(
            sql,
            wanted.map(({ endpoint }) => endpoint)
          ),
          repo.pending(
            sql,
            wanted.map(({ endpoint: { id, ordering, organization_id }, limit }) => ({
              organization_id,
              id,
              onlyDue: ordering === "parallel",
              limit
            }))
          )
        ],
        { concurrency: 2 }
      )
      const ofBodies = [...new Map(messages.map((message) => [message.body_id, message])).values()]
      const bodies = yield* repo.bodies(sql, ofBodies)
      const bodyOf = new Map(bodies.map(({ body, id }) => [id, body]))
      const secretsOf = Map.groupBy(secrets, ({ id }) => id)
      const messagesOf = Map.groupBy(messages, ({ endpoint_id: id }) => id)
      const endpoints = new Map(wanted.map(({ endpoint }) => [endpoint.id, endpoint]))
      return yield* Effect.forEach(
        readings,
        Effect.fnUntraced(function* (reading) {
          const endpoint = distinct.has(reading) ? endpoints.get(reading.lease.id) : undefined
          if (endpoint === undefined) return waits ? null : undefined
          const own = messagesOf.get(endpoint.id) ?? []
          const complete = own.flatMap((message) => {
            const body = bodyOf.get(message.body_id)
            return body === undefined ? [] : [{ ...message, body }]
          })
          return {
            endpoint,
            signers: yield* requests.signersOf(secretsOf.get(endpoint.id) ?? []),
            messages: complete,
            isIncomplete: complete.length < own.length
          } satisfies Batch
        })
      )
    })

    /** The next messages of an endpoint; null if another process has its lease, or if it is no longer active. */
    const read = yield* makeGroup({
      max: groupMax,
      together: (readings: ReadonlyArray<Reading>) => readAll(readings, false),
      alone: (reading) => Effect.map(readAll([reading], true), ([batch]) => batch ?? null)
    })

    const recordAlone = (report: repo.Report) =>
      Effect.map(
        // If the database rejects what a receiver sent, it is left out, so that the event is not sent again and again.
        Effect.catch(repo.record(sql, [report], true), (error) =>
          Effect.andThen(
            Effect.logWarning(
              "Cannot record the responses of a webhook endpoint. Recording the attempts without them.",
              error
            ),
            repo.record(
              sql,
              [{ ...report, outcomes: report.outcomes.map((outcome) => ({ ...outcome, response: null })) }],
              true
            )
          )
        ),
        ([recorded]) => recorded ?? { wasFull: false, isPending: false }
      )

    const record = yield* makeGroup({
      max: groupMax,
      together: (reports: ReadonlyArray<repo.Report>) => {
        const distinct = [...distinctBy(reports, ({ id }) => id)]
        return Effect.map(repo.record(sql, distinct, false), (recorded) => {
          const of = new Map(distinct.map((report, index) => [report, recorded[index]]))
          return reports.map((report) => of.get(report))
        })
      },
      alone: recordAlone
    })

    /** Wakes what waits for the release of an endpoint. */
    const released = ({ isPending, wasFull }: repo.Recorded) =>
      Effect.andThen(isPending ? wake(sql, "webhooks") : Effect.void, wasFull ? wake(sql, "changes") : Effect.void)

    const releaseAlone = (claimed: repo.LeasedRow, { holder }: Turn, pauseSeconds: number) =>
      Effect.flatMap(
        recordAlone({ ...claimed, holder, outcomes: [], isOrdered: false, releases: true, pauseSeconds }),
        released
      )

    /** Stops an endpoint, with an audit event and an email to the members who can resume it. */
    const stop = Effect.fnUntraced(function* (
      endpoint: repo.LeasedRow,
      state: "paused" | "disabled",
      pauseReason: "failing" | "gone",
      days: number,
      isSecretLost: boolean = false
    ) {
      const { id, organization_id: organizationId } = endpoint
      yield* mutate(
        { kind: "system", organizationId },
        state === "paused" ? "webhook_endpoint.pause" : "webhook_endpoint.disable",
        Effect.gen(function* () {
          if (!(yield* repo.stop(sql, endpoint, state, pauseReason, days))) return yield* Effect.fail(notStopped)
          // They are read in the transaction, so that an endpoint never stops without an email.
          const recipients = yield* repo.managers(sql, organizationId, id, rolesWith("webhookEndpoints:manage"))
          const emails = recipients.map(({ email, endpoint_name: endpointName, organization_name: organizationName }) =>
            stoppedEmail({ to: email, organizationName, endpointName, id, state, isSecretLost })
          )
          yield* sql.afterCommit(Effect.forEach(emails, (mail) => mails.enqueue("notice", mail), { discard: true }))
        }),
        () => ({ target: id, after: { state, pauseReason } })
      ).pipe(Effect.catch((error) => (error === notStopped ? Effect.void : Effect.die(error))))
    })

    /**
     * Sends messages, several at a time if the endpoint is parallel, until the turn is over. Returns the outcomes that are
     * not recorded yet, and how the batch ended. `isHeld` is whether the lease is still held, with the same settings.
     */
    const sendBatch = Effect.fnUntraced(function* (
      { endpoint, messages, signers }: Batch,
      concurrency: number,
      isHeld: Effect.Effect<boolean, unknown>,
      isOver: Effect.Effect<boolean>,
      report: (outcomes: ReadonlyArray<repo.Outcome>) => Effect.Effect<unknown, unknown>
    ) {
      const isOrdered = endpoint.ordering === "ordered"
      let outcomes: Array<repo.Outcome> = []
      let savedAt = yield* Clock.currentTimeMillis
      let hasSent = false
      const result: { end: BatchEnd; hasDelivered: boolean; isGone: boolean; isExhausted: boolean } = {
        end: "complete",
        hasDelivered: false,
        isGone: false,
        isExhausted: false
      }
      const sendOne = Effect.fnUntraced(function* (message: Message) {
        if (result.end !== "complete") return
        // Every turn sends something, also if reading the messages took long.
        const isSent = message.is_due && !(hasSent && (yield* isOver)) && (yield* isHeld)
        const outcome = isSent ? yield* requests.attempt(endpoint, message, signers) : undefined
        if (outcome === undefined) {
          result.end = "stopped"
          return
        }
        hasSent = true
        if (outcome.state === "delivered") {
          result.hasDelivered = true
          outcomes.push(outcome)
        } else {
          result.isGone ||= outcome.status === 410
          result.isExhausted ||= outcome.state === "failed"
          if (isOrdered || result.isGone) result.end = "stopped"
          // A receiver that rejects everything gets one request at a time.
          else if (!result.hasDelivered) result.end = "failing"
          // The event stays the next one, because a receiver that relies on the order must not miss it.
          const isKept = outcome.status === 410 || (isOrdered && outcome.state === "failed")
          outcomes.push(isKept ? { ...outcome, state: "pending", pauseSeconds: 0 } : outcome)
        }
        const now = yield* Clock.currentTimeMillis
        if (result.end !== "complete" || now - savedAt < recordedAfterMillis) return
        savedAt = now
        const finished = outcomes
        outcomes = []
        yield* report(finished)
      })
      yield* Effect.forEach(messages, sendOne, { concurrency, discard: true })
      return { ...result, outcomes }
    })

    /** Runs work with a number of requests at a time: one for an ordered endpoint, and while the receiver fails. */
    const withRequests = <A, E>(
      { is_failing: isFailing, ordering, organization_id: organizationId }: repo.LeasedRow,
      work: (concurrency: number) => Effect.Effect<A, E>
    ) => {
      const change = (count: number) => {
        const used = (furtherOf.get(organizationId) ?? 0) + count
        if (used === 0) furtherOf.delete(organizationId)
        else furtherOf.set(organizationId, used)
      }
      return Effect.acquireUseRelease(
        Effect.sync(() => {
          const free = furtherMax - (furtherOf.get(organizationId) ?? 0)
          const count = ordering === "ordered" || isFailing ? 0 : Math.min(free, parallelMax - 1)
          change(count)
          return count
        }),
        (count) => work(1 + count),
        (count) => Effect.sync(() => change(-count))
      )
    }

    const serve = Effect.fnUntraced(function* (claimed: repo.LeasedRow, { holder, isOver }: Turn) {
      const lease: repo.Lease = { organization_id: claimed.organization_id, id: claimed.id, holder }
      let renewedAt = yield* Clock.currentTimeMillis
      let checkedAt = renewedAt
      let isFirst = true
      const isHeldFor = (endpoint: repo.LeasedRow) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          if (now - renewedAt >= renewedEveryMillis) {
            renewedAt = now
            checkedAt = now
            const [row] = yield* repo.renew(sql, [lease], leaseSeconds, true)
            return row?.version === endpoint.version
          }
          if (now - checkedAt < checkedEveryMillis) return true
          checkedAt = now
          return yield* repo.isCurrent(sql, endpoint, holder)
        })
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const batch = yield* read({ lease, claimed: isFirst ? claimed : undefined, limit: batchMax })
        if (!isFirst) renewedAt = now
        isFirst = false
        checkedAt = now
        if (batch === null) return yield* releaseAlone(claimed, { holder, isOver }, 0)
        const { endpoint, isIncomplete, messages, signers } = batch
        const reportOf = (outcomes: ReadonlyArray<repo.Outcome>, releases: boolean): repo.Report => ({
          ...lease,
          outcomes,
          isOrdered: endpoint.ordering === "ordered",
          releases,
          pauseSeconds: isIncomplete ? bodylessPauseSeconds : 0
        })
        // Nothing is sent without a signature.
        if (signers.length === 0) {
          yield* stop(endpoint, "paused", "failing", 0, true)
          return yield* releaseAlone(endpoint, { holder, isOver }, 0)
        }
        const { end, isExhausted, isGone, outcomes } = yield* withRequests(endpoint, (concurrency) =>
          sendBatch(batch, concurrency, isHeldFor(endpoint), isOver, (sent) => record(reportOf(sent, false)))
        )
        const isStopping = isGone || isExhausted
        const hasMore =
          end === "failing" || (end === "complete" && messages.length >= (endpoint.is_failing ? 1 : batchMax))
        const continues = hasMore && !isStopping && !(yield* isOver)
        const recorded = yield* record(reportOf(outcomes, !continues && !isStopping))
        if (continues) continue
        if (!isStopping) return yield* released(recorded)
        const isOrdered = endpoint.ordering === "ordered"
        yield* isGone
          ? stop(endpoint, "disabled", "gone", 0)
          : stop(endpoint, "paused", "failing", isOrdered ? 0 : failingDays)
        return yield* releaseAlone(endpoint, { holder, isOver }, 0)
      }
    })

    /** The pause after an error of this server, for example of its database: what was sent may not be recorded. */
    const pauseAfterError = (id: string) => {
      const count = (brokenOf.get(id) ?? 0) + 1
      if (brokenOf.size >= brokenMax) brokenOf.clear()
      brokenOf.set(id, count)
      return Math.min(10 * 2 ** count, errorPauseSecondsMax)
    }

    /** Sends to the endpoints that are due, until it is interrupted. */
    const worker = serveLeased({
      sql,
      wakes: ["webhooks"],
      atOnce: endpointsAtOnce,
      turnMillis,
      subject: "webhook endpoints",
      claim: (holder, limit) => repo.claim(sql, holder, leaseSeconds, limit),
      secondsUntilDue: repo.secondsUntilDue(sql),
      serve: (claimed, turn) =>
        Effect.andThen(
          serve(claimed, turn),
          Effect.sync(() => brokenOf.delete(claimed.id))
        ),
      onError: (claimed, turn, cause) =>
        Effect.suspend(() => {
          const pauseSeconds = pauseAfterError(claimed.id)
          return Effect.andThen(
            Effect.logWarning(`Cannot send events to a webhook endpoint. Retrying in ${pauseSeconds} seconds.`, cause),
            releaseAlone(claimed, turn, pauseSeconds)
          )
        }),
      release: (claimed, turn) => releaseAlone(claimed, turn, 0)
    })

    return { worker } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
