import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { makeId } from "../../infra/ids.ts"
import { Mutate } from "../../infra/mutate/index.ts"
import { Outbound } from "../../infra/ports/outbound.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { restSeconds, roundsOf, shortPause } from "../../infra/sql/wakes.ts"
import * as repo from "./queue-repo.ts"
import { pauseAfter, retryAfterOf } from "./retries.ts"
import { secretContext } from "./secrets.ts"
import { signedHeaders } from "./signing.ts"

/** Endpoints that a process sends to at a time. Most of them wait for their receivers. */
const endpointsAtOnce = 256
const leaseSeconds = 60
const timeoutMillis = 15_000
const batchMax = 50
const parallelMax = 8
/** Successful deliveries that are recorded together. After a crash, they are sent again. */
const recordedAtOnce = 20
const responseBytesMax = 4_096
const responseCharactersMax = 1_024

/** The outcome of one request. */
export interface Sent {
  readonly status: number | null
  readonly error: string | null
  readonly durationMillis: number
  readonly response: string | null
  readonly retryAfterSeconds: number | undefined
}

const isSuccess = ({ status }: Sent) => status !== null && status >= 200 && status < 300

/** Sends queued events to webhook endpoints. */
export class WebhookSender extends Context.Service<WebhookSender>()("@orgplane/server/webhookEndpoints/Sender", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const outbound = yield* Outbound
    const { mutate } = yield* Mutate
    const holder = makeId("req")

    const secretsOf = Effect.fnUntraced(function* ({
      id,
      organization_id
    }: Pick<repo.ClaimedRow, "id" | "organization_id">) {
      const rows = yield* repo.usableSecrets(sql, organization_id, id)
      return yield* Effect.forEach(rows, (row) =>
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
      const headers = signedHeaders(messageId, Math.floor(startedAt / 1000), body, secrets)
      const outcome = yield* Effect.result(
        outbound.request({
          destination: "supplied",
          url: endpoint.url,
          method: "POST",
          headers: { ...headers, "content-type": "application/json", "user-agent": "orgplane-webhooks" },
          body,
          redirectsMax: 0,
          timeoutMillis,
          bodyBytesMax: responseBytesMax,
          organizationId: endpoint.organization_id,
          reuse: { owner: endpoint.id, credential: endpoint.id }
        })
      )
      const durationMillis = (yield* Clock.currentTimeMillis) - startedAt
      if (outcome._tag === "Failure") {
        const { code } = outcome.failure
        // A response that is too large was received: only its status matters, and it is unknown.
        return {
          status: null,
          error: code,
          durationMillis,
          response: null,
          retryAfterSeconds: undefined
        } satisfies Sent
      }
      const { body: bytes, headers: received, status } = outcome.success
      return {
        status,
        error: null,
        durationMillis,
        response: new TextDecoder().decode(bytes).slice(0, responseCharactersMax),
        retryAfterSeconds: retryAfterOf(received["retry-after"])
      } satisfies Sent
    })

    const outcomeOf = Effect.fnUntraced(function* (message: repo.PendingRow, sent: Sent) {
      const number = message.attempts + 1
      const { durationMillis, error, response, status } = sent
      const base = { messageId: message.id, number, status, error, durationMillis, response }
      if (isSuccess(sent)) return { ...base, state: "delivered", pauseSeconds: null } satisfies repo.Outcome
      const pauseSeconds = pauseAfter(number, sent.retryAfterSeconds, yield* Random.next)
      return pauseSeconds === undefined
        ? ({ ...base, state: "failed", pauseSeconds: null } satisfies repo.Outcome)
        : ({ ...base, state: "pending", pauseSeconds } satisfies repo.Outcome)
    })

    /** Stops an endpoint whose receiver is gone or has failed for days, with an audit event. */
    const stop = (endpoint: repo.ClaimedRow, state: "paused" | "disabled", reason: "failing" | "gone") =>
      mutate(
        { kind: "system", organizationId: endpoint.organization_id },
        state === "paused" ? "webhook_endpoint.pause" : "webhook_endpoint.disable",
        repo.stop(sql, endpoint, state, reason),
        () => ({ target: endpoint.id, after: { state, reason } })
      )

    /** Sends messages in their order. Returns whether to continue with the next batch. */
    const sendOrdered = Effect.fnUntraced(function* (endpoint: repo.ClaimedRow, secrets: ReadonlyArray<string>) {
      const messages = yield* repo.pending(sql, endpoint, false, batchMax)
      let delivered: Array<repo.Outcome> = []
      const save = Effect.suspend(() => {
        const outcomes = delivered
        delivered = []
        return outcomes.length === 0 ? Effect.void : repo.record(sql, endpoint, outcomes)
      })
      for (const message of messages) {
        if (!message.is_due) {
          yield* save
          return false
        }
        const sent = yield* send(endpoint, message.event_id, message.body, secrets)
        const outcome = yield* outcomeOf(message, sent)
        if (outcome.state === "delivered") {
          delivered.push(outcome)
          if (delivered.length === recordedAtOnce) yield* save
          continue
        }
        yield* save
        // The event stays the next one: a receiver that relies on the order must not miss it.
        const kept = outcome.state === "failed" ? ({ ...outcome, state: "pending", pauseSeconds: 0 } as const) : outcome
        yield* repo.record(sql, endpoint, [kept])
        if (sent.status === 410) yield* stop(endpoint, "disabled", "gone")
        else if (outcome.state === "failed") yield* stop(endpoint, "paused", "failing")
        return false
      }
      yield* save
      return messages.length === batchMax
    })

    /** Sends the messages that are due, several at a time. */
    const sendParallel = Effect.fnUntraced(function* (endpoint: repo.ClaimedRow, secrets: ReadonlyArray<string>) {
      const messages = yield* repo.pending(sql, endpoint, true, batchMax)
      const results = yield* Effect.forEach(
        messages,
        (message) =>
          Effect.flatMap(send(endpoint, message.event_id, message.body, secrets), (sent) =>
            Effect.map(outcomeOf(message, sent), (outcome) => ({ outcome, sent }))
          ),
        { concurrency: parallelMax }
      )
      if (results.length === 0) return false
      yield* repo.record(
        sql,
        endpoint,
        results.map(({ outcome }) => outcome)
      )
      if (results.some(({ sent }) => sent.status === 410)) {
        yield* stop(endpoint, "disabled", "gone")
        return false
      }
      const isFailing = results.every(({ outcome }) => outcome.state === "failed")
      if (isFailing) {
        yield* stop(endpoint, "paused", "failing")
        return false
      }
      return messages.length === batchMax
    })

    const serve = (endpoint: repo.ClaimedRow) =>
      Effect.gen(function* () {
        const sendBatch = endpoint.ordering === "ordered" ? sendOrdered : sendParallel
        for (;;) {
          if (!(yield* repo.renew(sql, endpoint, holder, leaseSeconds + (batchMax * timeoutMillis) / 1000))) return
          const secrets = yield* secretsOf(endpoint)
          if (!(yield* sendBatch(endpoint, secrets))) return
        }
      }).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.logWarning("Cannot send events to a webhook endpoint. Retrying.", cause)
        ),
        Effect.ensuring(Effect.ignore(repo.release(sql, endpoint, holder)))
      )

    /** Sends to the endpoints that are due, until it is interrupted. */
    const worker = Effect.gen(function* () {
      const fibers = yield* FiberSet.make()
      const round = Effect.gen(function* () {
        const free = endpointsAtOnce - (yield* FiberSet.size(fibers))
        if (free <= 0) return 1
        const claimed = yield* repo.claim(sql, holder, leaseSeconds, free)
        for (const endpoint of claimed) yield* FiberSet.run(fibers, serve(endpoint))
        return claimed.length > 0 ? 1 : restSeconds
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
