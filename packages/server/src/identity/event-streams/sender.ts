import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { serveLeased, type Turn } from "../../infra/jobs/leased.ts"
import { counter } from "../../infra/metrics/metrics.ts"
import { Outbound } from "../../infra/ports/outbound.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { wake } from "../../infra/sql/wakes.ts"
import { nextBatch } from "./batches.ts"
import { type Batch, refusalOf, requestOf } from "./destinations.ts"
import { streamSecretContext } from "./secrets.ts"
import * as repo from "./sender-repo.ts"

/** Streams that a process sends at a time. Most of them wait for their destinations. */
const streamsAtOnce = 256
/** A stream with a backlog then releases its lease, so that the streams that have waited longest are next. */
const batchesMax = 10
const turnMillis = 10_000
const timeoutMillis = 30_000
/** Longer than one request. After a crash, another process continues when the lease has ended. */
const leaseSeconds = 60
const responseBytesMax = 65_536
const pauseSecondsMax = 300

/** The seconds until the next attempt after this number of failed ones. */
export const pauseAfter = (attempts: number): number => Math.min(2 ** (attempts - 1), pauseSecondsMax)

/** Sends the lines of events to the destinations of streams, each in order and at least once. */
export class EventStreamSender extends Context.Service<EventStreamSender>()("@orgplane/server/eventStreams/Sender", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const outbound = yield* Outbound

    const secretOf = ({ ciphertext, id, key_id: keyId, nonce, organization_id: organizationId }: repo.SendingRow) =>
      keyId === null || nonce === null || ciphertext === null
        ? Effect.succeed(undefined)
        : keys.open(streamSecretContext(organizationId, id), { keyId, nonce, ciphertext })

    /** Sends a batch. Returns why it was not accepted; null if it was. It never contains a secret or a response. */
    const send = Effect.fnUntraced(function* (row: repo.SendingRow, batch: Batch) {
      const { destination_json: destination, id, organization_id: organizationId } = row
      const secret = yield* secretOf(row)
      const request = yield* requestOf(destination, secret, batch)
      const outcome = yield* Effect.result(
        outbound.request({
          ...request,
          destination: "supplied",
          redirectsMax: 0,
          // Receivers recognize repeated lines by their sequence numbers.
          isIdempotent: true,
          timeoutMillis,
          bodyBytesMax: responseBytesMax,
          organizationId,
          slots: "deliveries",
          reuse: { owner: id, credential: sha256(`${secret ?? ""}\n${destination.kind}`) }
        })
      )
      if (outcome._tag === "Failure") return outcome.failure.code
      const { body, status } = outcome.success
      return status >= 200 && status < 300 ? (refusalOf(destination, body) ?? null) : `HTTP ${status}`
    })

    /** Sends the next batch. Returns whether to continue. */
    const sendNext = Effect.fnUntraced(function* (row: repo.SendingRow, holder: string) {
      const now = new Date(yield* Clock.currentTimeMillis)
      const made = yield* Effect.result(nextBatch(sql, row, now))
      if (made._tag === "Failure") {
        if (made.failure._tag !== "SealBroken") return yield* made.failure
        const { sequence } = made.failure
        const message = `Event ${sequence} does not match its seal. Verify the audit log with POST /v1/audit-events/verify.`
        yield* Effect.annotateLogs(
          Effect.logError("An event stream stopped at an event that does not match its seal."),
          {
            stream: row.id,
            sequence
          }
        )
        yield* repo.failed(sql, row, holder, message, pauseSecondsMax)
        return false
      }
      const batch = made.success
      if (batch === undefined) return false
      if (batch.lines.length === 0) {
        yield* repo.skipCheckpoints(sql, row, holder, batch.checkpointPosition)
        return true
      }
      if (batch.isBounded && !(yield* repo.startBatch(sql, row, holder, batch.position))) return false
      const error = yield* send(row, batch)
      const outcome = error === null ? "accepted" : "failed"
      yield* Metric.update(
        counter("orgplane_event_stream_batches_total", { kind: row.destination_json.kind, outcome }),
        1
      )
      if (error !== null) {
        yield* repo.failed(sql, row, holder, error, pauseAfter(row.attempts + 1))
        return false
      }
      yield* repo.delivered(sql, row, holder, batch.position, batch.checkpointPosition)
      return true
    })

    const release = (stream: repo.StreamKey, { holder }: Turn) =>
      Effect.andThen(repo.release(sql, stream, holder), wake(sql, "streams"))

    const serve = Effect.fnUntraced(function* (stream: repo.StreamKey, turn: Turn) {
      for (let batches = 0; batches < batchesMax; batches += 1) {
        const row = yield* repo.renew(sql, stream, turn.holder, leaseSeconds)
        if (row === undefined || !(yield* sendNext(row, turn.holder)) || (yield* turn.isOver)) break
      }
      yield* release(stream, turn)
    })

    /** Sends the streams that are due, until it is interrupted. */
    const worker = serveLeased({
      sql,
      wakes: ["changes", "streams"],
      atOnce: streamsAtOnce,
      turnMillis,
      subject: "event streams",
      claim: (holder, limit) => repo.claim(sql, holder, leaseSeconds, limit),
      secondsUntilDue: repo.secondsUntilDue(sql),
      serve,
      onError: (stream, turn, cause) =>
        Effect.logWarning("Cannot send an event stream. Retrying.", cause).pipe(
          Effect.andThen(Effect.ignore(repo.failed(sql, stream, turn.holder, "internal", pauseSecondsMax))),
          Effect.andThen(release(stream, turn))
        ),
      release
    })

    /** Sends one line with the kind `test`. */
    const sendTest = Effect.fnUntraced(function* (row: repo.SendingRow) {
      const startedAt = yield* Clock.currentTimeMillis
      const time = new Date(startedAt)
      const organizationId = row.organization_id
      const text = canonicalJson({ version: 2, kind: "test", organizationId, createdAt: time.toISOString() })
      const error = yield* send(row, { organizationId, lines: [{ text, name: "test", time }], name: "test", time })
      return { ok: error === null, error, durationMillis: (yield* Clock.currentTimeMillis) - startedAt }
    })

    return { worker, sendTest } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
