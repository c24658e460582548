/** Sends one request to a webhook endpoint. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Random from "effect/Random"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { counter } from "../../infra/metrics/metrics.ts"
import { Outbound } from "../../infra/ports/outbound.ts"
import { pauseAfter, retryAfterOf } from "./retries.ts"
import { secretContext } from "./secrets.ts"
import type * as repo from "./sender-repo.ts"
import { signedHeaders, type Signer, signerOf } from "./signing.ts"

/** Less than the lease without the time until its renewal. */
const timeoutMillis = 15_000
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

/** A message that is sent. */
export interface Message extends Pick<repo.PendingRow, "id" | "event_id" | "attempts" | "failures" | "is_due"> {
  readonly body: string
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

const decoder = new TextDecoder()

/** The first characters of a response. PostgreSQL stores neither a null character nor half of a surrogate pair. */
const textOf = (body: Uint8Array): string =>
  body.byteLength === 0
    ? ""
    : decoder.decode(body).slice(0, responseCharactersMax).toWellFormed().replaceAll("\u0000", "\uFFFD")

const attempts = (outcome: string) => counter("orgplane_webhook_attempts_total", { outcome })
const attemptsOf = {
  delivered: attempts("delivered"),
  rejected: attempts("rejected"),
  unreachable: attempts("unreachable"),
  busy: attempts("busy")
}

const isSuccess = ({ status }: Sent) => status !== null && status >= 200 && status < 300

const kindOf = (sent: Sent): keyof typeof attemptsOf =>
  isSuccess(sent) ? "delivered" : sent.status !== null ? "rejected" : sent.error === "busy" ? "busy" : "unreachable"

/** Signs and sends webhooks. */
export class WebhookRequests extends Context.Service<WebhookRequests>()("@orgplane/server/webhookEndpoints/Requests", {
  make: Effect.gen(function* () {
    const keys = yield* KeyRing
    const outbound = yield* Outbound

    /** Excludes secrets whose key was lost, and those that the operator has discarded. */
    const signersOf = (rows: ReadonlyArray<repo.SecretRow>) =>
      Effect.forEach(
        rows.filter((row) => keys.canOpen(row.key_id)),
        (row) =>
          Effect.map(
            keys.open(secretContext(row.organization_id, row.id, row.secret_id), {
              keyId: row.key_id,
              nonce: row.nonce,
              ciphertext: row.ciphertext
            }),
            signerOf
          )
      )

    /** Sends one request. It never fails. */
    const send = Effect.fnUntraced(function* (
      endpoint: Pick<repo.LeasedRow, "id" | "organization_id" | "url">,
      messageId: string,
      body: string,
      signers: ReadonlyArray<Signer>
    ) {
      const startedAt = yield* Clock.currentTimeMillis
      if (signers.length === 0) return unsigned(startedAt)
      const headers = signedHeaders(messageId, Math.floor(startedAt / 1000), body, signers)
      const outcome = yield* Effect.result(
        outbound.start(
          {
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
          },
          responseBytesMax
        )
      )
      const durationMillis = (yield* Clock.currentTimeMillis) - startedAt
      // The signature is not kept: with the body, it is all that is needed to send the event to the receiver again.
      const { "webhook-signature": _signature, ...kept } = headers
      const sent = { sentAt: new Date(startedAt).toISOString(), headers: kept, durationMillis }
      if (outcome._tag === "Failure") {
        const error = outcome.failure.code
        return { ...sent, status: null, error, response: null, retryAfterSeconds: undefined } satisfies Sent
      }
      const { body: response, headers: received, status } = outcome.success
      const retryAfterSeconds = retryAfterOf(received["retry-after"])
      return { ...sent, error: null, status, response: textOf(response), retryAfterSeconds } satisfies Sent
    })

    /** Makes an attempt to deliver a message. Undefined if it was not sent, because too many requests are in progress. */
    const attempt = Effect.fnUntraced(function* (
      endpoint: repo.LeasedRow,
      message: Message,
      signers: ReadonlyArray<Signer>
    ) {
      const sent = yield* send(endpoint, message.event_id, message.body, signers)
      yield* Metric.update(attemptsOf[kindOf(sent)], 1)
      if (sent.error === "busy") return undefined
      const { retryAfterSeconds, ...kept } = sent
      const base = { messageId: message.id, number: message.attempts + 1, url: endpoint.url, ...kept }
      if (isSuccess(sent)) return { ...base, state: "delivered", pauseSeconds: null } satisfies repo.Outcome
      const pauseSeconds = pauseAfter(message.failures + 1, retryAfterSeconds, yield* Random.next)
      return pauseSeconds === undefined
        ? ({ ...base, state: "failed", pauseSeconds: null } satisfies repo.Outcome)
        : ({ ...base, state: "pending", pauseSeconds } satisfies repo.Outcome)
    })

    return { signersOf, send, attempt } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
