import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Random from "effect/Random"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeId } from "../../infra/ids.ts"
import { MailQueue } from "../../infra/mail/index.ts"
import { counter } from "../../infra/metrics/metrics.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { Outbound } from "../../infra/ports/outbound.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { restSeconds, roundsOf, shortPause, wake } from "../../infra/sql/wakes.ts"
import { rolesWith } from "../auth/permissions.ts"
import { stoppedEmail } from "./stopped-email.ts"
import * as repo from "./queue-repo.ts"
import { pauseAfter, retryAfterOf } from "./retries.ts"
import { secretContext } from "./secrets.ts"
import { signedHeaders } from "./signing.ts"

/** Endpoints that a process sends to at a time. Most of them wait for their receivers. */
const endpointsAtOnce = 1024
/** After a crash, another process continues when the lease has ended. */
const leaseSeconds = 30
const renewedEveryMillis = 10_000
/** After this time, an endpoint with a backlog waits until those that were due before it were served. */
const servedMillis = 10_000
/** How long a batch is sent with settings and secrets that were replaced, at most, besides the request that is in progress. */
const checkedEveryMillis = 1_000
/** Less than the lease without the time until its renewal. */
const timeoutMillis = 15_000
/** Messages between two checks of whether the endpoint is still active. */
const batchMax = 20
const parallelMax = 8
/**
 * Requests of all parallel endpoints of an organization beyond the first one of each. The first ones always have a slot of
 * the outbound client, so receivers that do not respond delay no other endpoint.
 */
const furtherMax = 24
/** How long the record of a successful delivery can wait for others. Without it, the event is sent again after a crash. */
const recordedAfterMillis = 1_000
const failingDays = 2
const notStopped = "not_stopped"
/** The maximum pause of an endpoint after errors of this server, and the number of endpoints for which they are counted. */
const errorPauseSecondsMax = 600
const brokenMax = 10_000
const responseBytesMax = 4_096
const responseCharactersMax = 1_024

/** The outcome of one request. */
export interface Sent {
  readonly sentAt: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number | null
  readonly error: string | null
  readonly durationMillis: number
  readonly response: string | null
  readonly retryAfterSeconds: number | undefined
}

/** The secret must be rotated, because its key was lost. */
const unsigned = (startedAt: number): Sent => ({
  sentAt: new Date(startedAt).toISOString(),
  headers: {},
  status: null,
  error: "no_secret",
  durationMillis: 0,
  response: null,
  retryAfterSeconds: undefined
})

/** The start of a response of any length, or what was received before the connection broke. */
const readStart = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      bytes += chunk.byteLength
      if (bytes >= responseBytesMax) break
    }
  } catch {
    // The status was received, and it determines the outcome.
  }
  // PostgreSQL stores neither this character nor half of a surrogate pair.
  return text.slice(0, responseCharactersMax).toWellFormed().replaceAll("\u0000", "\uFFFD")
}

const attempts = (outcome: string) => counter("orgplane_webhook_attempts_total", { outcome })
const attemptsOf = {
  delivered: attempts("delivered"),
  rejected: attempts("rejected"),
  unreachable: attempts("unreachable"),
  busy: attempts("busy")
}

const isSuccess = ({ status }: Sent) => status !== null && status >= 200 && status < 300

/** Sends queued events to webhook endpoints. */
export class WebhookSender extends Context.Service<WebhookSender>()("@orgplane/server/webhookEndpoints/Sender", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const outbound = yield* Outbound
    const mails = yield* MailQueue
    const { mutate } = yield* Mutate
    const furtherOf = new Map<string, number>()
    /** How often in succession an endpoint could not be served, by its ID. */
    const brokenOf = new Map<string, number>()

    /** Excludes secrets whose key was lost, and those that the operator has discarded. */
    const secretsOf = Effect.fnUntraced(function* ({
      id,
      organization_id
    }: Pick<repo.ClaimedRow, "id" | "organization_id">) {
      const rows = yield* repo.usableSecrets(sql, organization_id, id)
      const readable = rows.filter((row) => keys.canOpen(row.key_id))
      return yield* Effect.forEach(readable, (row) =>
        keys.open(secretContext(organization_id, id, row.id), {
          keyId: row.key_id,
          nonce: row.nonce,
          ciphertext: row.ciphertext
        })
      )
    })

    /** Sends one request. It never fails. */
    const send = Effect.fnUntraced(function* (
      endpoint: Pick<repo.ClaimedRow, "id" | "organization_id" | "url">,
      messageId: string,
      body: string,
      secrets: ReadonlyArray<string>
    ) {
      const startedAt = yield* Clock.currentTimeMillis
      if (secrets.length === 0) return unsigned(startedAt)
      const headers = signedHeaders(messageId, Math.floor(startedAt / 1000), body, secrets)
      const outcome = yield* Effect.result(
        Effect.scoped(
          Effect.gen(function* () {
            const {
              body: response,
              headers: received,
              status
            } = yield* outbound.stream({
              destination: "supplied",
              url: endpoint.url,
              method: "POST",
              headers: { ...headers, "content-type": "application/json", "user-agent": "orgplane-webhooks" },
              body,
              redirectsMax: 0,
              // Receivers recognize repetitions by their ID.
              isIdempotent: true,
              timeoutMillis,
              // Only the start of the response is read.
              bodyBytesMax: Number.MAX_SAFE_INTEGER,
              organizationId: endpoint.organization_id,
              slots: "deliveries",
              reuse: { owner: endpoint.id, credential: endpoint.id }
            })
            const text = yield* Effect.promise(() => readStart(response))
            return { status, response: text, retryAfterSeconds: retryAfterOf(received["retry-after"]) }
          })
        )
      )
      const durationMillis = (yield* Clock.currentTimeMillis) - startedAt
      // The signature is not kept: with the body, it is all that is needed to send the event to the receiver again.
      const { "webhook-signature": _signature, ...kept } = headers
      const sent = { sentAt: new Date(startedAt).toISOString(), headers: kept, durationMillis }
      return outcome._tag === "Failure"
        ? ({
            ...sent,
            status: null,
            error: outcome.failure.code,
            response: null,
            retryAfterSeconds: undefined
          } satisfies Sent)
        : ({ ...sent, error: null, ...outcome.success } satisfies Sent)
    })

    /** Records attempts. If the database rejects what a receiver sent, it is left out, so that the event is not sent again and again. */
    const record = (endpoint: repo.ClaimedRow, outcomes: ReadonlyArray<repo.Outcome>) =>
      Effect.catch(repo.record(sql, endpoint, outcomes), (error) =>
        Effect.andThen(
          Effect.logWarning(
            "Cannot record the responses of a webhook endpoint. Recording the attempts without them.",
            error
          ),
          repo.record(
            sql,
            endpoint,
            outcomes.map((outcome) => ({ ...outcome, response: null }))
          )
        )
      )

    const sendMessage = (endpoint: repo.ClaimedRow, message: repo.PendingRow, secrets: ReadonlyArray<string>) =>
      Effect.tap(send(endpoint, message.event_id, message.body, secrets), (sent) => {
        const { error, status } = sent
        const outcome = isSuccess(sent)
          ? "delivered"
          : status !== null
            ? "rejected"
            : error === "busy"
              ? "busy"
              : "unreachable"
        return Metric.update(attemptsOf[outcome], 1)
      })

    const outcomeOf = Effect.fnUntraced(function* (endpoint: repo.ClaimedRow, message: repo.PendingRow, sent: Sent) {
      const { durationMillis, error, headers, response, sentAt, status } = sent
      const base = {
        messageId: message.id,
        number: message.attempts + 1,
        sentAt,
        url: endpoint.url,
        headers,
        status,
        error,
        durationMillis,
        response
      }
      if (isSuccess(sent)) return { ...base, state: "delivered", pauseSeconds: null } satisfies repo.Outcome
      const pauseSeconds = pauseAfter(message.failures + 1, sent.retryAfterSeconds, yield* Random.next)
      return pauseSeconds === undefined
        ? ({ ...base, state: "failed", pauseSeconds: null } satisfies repo.Outcome)
        : ({ ...base, state: "pending", pauseSeconds } satisfies repo.Outcome)
    })

    /** Stops an endpoint, with an audit event and an email to the members who can resume it. */
    const stop = Effect.fnUntraced(function* (
      endpoint: repo.ClaimedRow,
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

    /** Sends messages in their order. Returns whether to continue with the next batch. */
    const sendOrdered = Effect.fnUntraced(function* (
      endpoint: repo.LeasedRow,
      secrets: ReadonlyArray<string>,
      isHeld: Effect.Effect<boolean>
    ) {
      const messages = yield* repo.pending(sql, endpoint, false, batchMax)
      let delivered: Array<repo.Outcome> = []
      let savedAt = yield* Clock.currentTimeMillis
      const save = Effect.gen(function* () {
        const outcomes = delivered
        delivered = []
        savedAt = yield* Clock.currentTimeMillis
        if (outcomes.length > 0) yield* record(endpoint, outcomes)
      })
      for (const message of messages) {
        if (!message.is_due || !(yield* isHeld)) {
          yield* save
          return false
        }
        const sent = yield* sendMessage(endpoint, message, secrets)
        if (sent.error === "busy") {
          yield* save
          return false
        }
        const outcome = yield* outcomeOf(endpoint, message, sent)
        if (outcome.state === "delivered") {
          delivered.push(outcome)
          if ((yield* Clock.currentTimeMillis) - savedAt >= recordedAfterMillis) yield* save
          continue
        }
        yield* save
        // The event stays the next one, because a receiver that relies on the order must not miss it.
        const kept = outcome.state === "failed" ? ({ ...outcome, state: "pending", pauseSeconds: 0 } as const) : outcome
        yield* record(endpoint, [kept])
        if (sent.status === 410) yield* stop(endpoint, "disabled", "gone", 0)
        else if (outcome.state === "failed") yield* stop(endpoint, "paused", "failing", 0)
        return false
      }
      yield* save
      return messages.length === batchMax
    })

    const sendBatchOf = Effect.fnUntraced(function* (
      endpoint: repo.LeasedRow,
      secrets: ReadonlyArray<string>,
      isHeld: Effect.Effect<boolean>,
      furtherCount: number
    ) {
      const messages = yield* repo.pending(sql, endpoint, true, 1 + furtherCount)
      if (messages.length === 0 || !(yield* isHeld)) return false
      const results = yield* Effect.forEach(
        messages,
        (message) =>
          Effect.flatMap(sendMessage(endpoint, message, secrets), (sent) =>
            Effect.map(outcomeOf(endpoint, message, sent), (outcome) => ({ outcome, sent }))
          ),
        { concurrency: "unbounded" }
      )
      const attempted = results.filter(({ sent }) => sent.error !== "busy")
      if (attempted.length > 0) {
        yield* record(
          endpoint,
          attempted.map(({ outcome, sent }) =>
            sent.status === 410 ? { ...outcome, state: "pending", pauseSeconds: 0 } : outcome
          )
        )
      }
      if (attempted.some(({ sent }) => sent.status === 410)) {
        yield* stop(endpoint, "disabled", "gone", 0)
        return false
      }
      if (attempted.some(({ outcome }) => outcome.state === "failed")) {
        yield* stop(endpoint, "paused", "failing", failingDays)
      }
      return attempted.length === results.length
    })

    /** Sends the messages that are due, several at a time, and one at a time while the receiver fails. */
    const sendParallel = (endpoint: repo.LeasedRow, secrets: ReadonlyArray<string>, isHeld: Effect.Effect<boolean>) => {
      const { organization_id: organizationId } = endpoint
      const change = (count: number) => {
        const used = (furtherOf.get(organizationId) ?? 0) + count
        if (used === 0) furtherOf.delete(organizationId)
        else furtherOf.set(organizationId, used)
      }
      return Effect.acquireUseRelease(
        Effect.sync(() => {
          const free = furtherMax - (furtherOf.get(organizationId) ?? 0)
          const count = endpoint.is_failing ? 0 : Math.min(free, parallelMax - 1)
          change(count)
          return count
        }),
        (count) => sendBatchOf(endpoint, secrets, isHeld, count),
        (count) => Effect.sync(() => change(-count))
      )
    }

    /** The pause after an error of this server, for example of its database: what was sent may not be recorded. */
    const pauseAfterError = (id: string) => {
      const count = (brokenOf.get(id) ?? 0) + 1
      if (brokenOf.size >= brokenMax) brokenOf.clear()
      brokenOf.set(id, count)
      return Math.min(10 * 2 ** count, errorPauseSecondsMax)
    }

    const serve = (claimed: repo.ClaimedRow, holder: string) => {
      let pauseSeconds = 0
      return Effect.gen(function* () {
        let renewedAt = 0
        let checkedAt = 0
        const renew = Effect.gen(function* () {
          renewedAt = yield* Clock.currentTimeMillis
          checkedAt = renewedAt
          return yield* repo.renew(sql, claimed, holder, leaseSeconds)
        })
        const isHeldFor = (endpoint: repo.LeasedRow) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            if (now - renewedAt >= renewedEveryMillis) return (yield* renew)?.version === endpoint.version
            if (now - checkedAt < checkedEveryMillis) return true
            checkedAt = now
            return yield* repo.isCurrent(sql, endpoint, holder)
          }).pipe(Effect.orDie)
        const servedUntil = (yield* Clock.currentTimeMillis) + servedMillis
        while ((yield* Clock.currentTimeMillis) < servedUntil) {
          const endpoint = yield* renew
          if (endpoint === undefined) return
          const secrets = yield* secretsOf(endpoint)
          // Nothing is sent without a signature.
          if (secrets.length === 0) return yield* stop(endpoint, "paused", "failing", 0, true)
          const sendBatch = endpoint.ordering === "ordered" ? sendOrdered : sendParallel
          if (!(yield* sendBatch(endpoint, secrets, isHeldFor(endpoint)))) return
        }
      }).pipe(
        Effect.andThen(Effect.sync(() => brokenOf.delete(claimed.id))),
        Effect.catchCause((cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
          pauseSeconds = pauseAfterError(claimed.id)
          return Effect.logWarning(
            `Cannot send events to a webhook endpoint. Retrying in ${pauseSeconds} seconds.`,
            cause
          )
        }),
        Effect.ensuring(
          Effect.suspend(() =>
            Effect.ignore(
              Effect.flatMap(repo.release(sql, claimed, holder, pauseSeconds), (wasFull) =>
                Effect.andThen(wake(sql, "webhooks"), wasFull ? wake(sql, "changes") : Effect.void)
              )
            )
          )
        )
      )
    }

    /** Sends to the endpoints that are due, until it is interrupted. */
    const worker = Effect.gen(function* () {
      const fibers = yield* FiberSet.make()
      const round = Effect.gen(function* () {
        const free = endpointsAtOnce - (yield* FiberSet.size(fibers))
        if (free <= 0) return 1
        // Each round has its own, so that a fiber whose lease ended stops even if this process has claimed the endpoint again.
        const holder = makeId("req")
        const claimed = yield* repo.claim(sql, holder, leaseSeconds, free)
        for (const endpoint of claimed) yield* FiberSet.run(fibers, serve(endpoint, holder))
        const seconds = yield* repo.secondsUntilDue(sql)
        return seconds === null ? restSeconds : Math.max(1, Math.ceil(seconds) + 1)
      }).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.interrupt
            : Effect.as(Effect.logWarning("Cannot read which webhook endpoints are due. Retrying.", cause), 1)
        )
      )
      return yield* roundsOf(sql, ["webhooks"], round, shortPause)
    }).pipe(Effect.scoped)

    return { worker, send, secretsOf } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
