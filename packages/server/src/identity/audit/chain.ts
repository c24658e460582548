import type { Verification } from "@orgplane/schema/audit"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { SigningKeys } from "../../infra/crypto/signing-keys.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { restSeconds, roundsOf, shortPause, wake } from "../../infra/sql/wakes.ts"
import * as repo from "./chain-repo.ts"
import { chainPurpose, checkpointText, sealedText, truncationText } from "./chain-text.ts"
import { feedCheckpointText, isKnownAction, lineOf } from "./feed-lines.ts"
import { makeTruncate } from "./truncate.ts"

type Verdict = typeof Verification.Type

/** A checkpoint that was kept outside the database. */
export interface CheckpointReference {
  readonly sequence: number
  readonly hash: string
}

const batchMax = 500
/** A request that seals before it reads stops after this many batches of a backlog; the worker continues. */
const passesMax = 40
const signedAtOnce = 100
const everyEvents = 1000
const everySeconds = 60
const verificationsAtOnce = 2
/** Events of a chain that one transaction adds to the chain over the lines. */
const linkedMax = 2000
const behindAtOnce = 5
/**
 * How long the chain over the lines waits for a process of a newer release, which knows the type of an event. Later, for
 * example after a rollback, the event is treated as personal, so its content is never sent.
 */
const unknownMillisMax = 3_600_000
/** Attempts to verify a chain while another process deletes its first events. */
const verificationsMax = 3

/**
 * The sealed order of the audit log. Events are written without a sequence number, in the transaction of the change.
 * One process at a time then gives each event its sequence number in its organization and a hash of the event and
 * everything before it, keyed with the operator's secret. Signed checkpoints record the end of the chain, so anyone who
 * keeps one can later prove that events were removed.
 *
 * The second version of the seal is an unkeyed chain over the lines of the feed. The same checkpoints sign its end.
 * Receivers of the lines can verify it themselves. Events that were sealed before it are not part of it.
 */
export class AuditChain extends Context.Service<AuditChain>()("@orgplane/server/audit/Chain", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing
    const signingKeys = yield* SigningKeys
    const verifying = yield* Semaphore.make(verificationsAtOnce)

    /** Whether the line of an event has to be made by a process of a newer release. */
    const waitsForNewer = ({ action, created_micros: micros }: repo.Content, now: number) =>
      !isKnownAction(action) && now - Number(micros) / 1000 < unknownMillisMax

    /**
     * Continues the chain over the lines with events that are sealed without a line, for example by an earlier version. It
     * stops at an event of an unknown type, and after `linkedMax` events.
     */
    const catchUp = Effect.fnUntraced(function* (head: repo.ChainHead, now: number) {
      let at = head.feed_sequence ?? head.sequence
      let previous = head.feed_hash
      const end = Math.min(head.sequence, at + linkedMax)
      let isWaiting = false
      while (at < end && !isWaiting) {
        const events = yield* repo.sealed(sql, head.organization_id, at, end, batchMax)
        // The events were deleted at the end of their retention: a new chain starts after them.
        if (events[0]?.sequence !== at + 1) return { ...head, feed_start: null, feed_sequence: null, feed_hash: null }
        const hashes: Array<{ readonly sequence: number; readonly hash: string }> = []
        for (const event of events) {
          isWaiting = waitsForNewer(event, now)
          if (isWaiting) break
          previous = lineOf(event, { sequence: event.sequence, previous }, event.hash).hash
          at = event.sequence
          hashes.push({ sequence: at, hash: previous })
        }
        yield* repo.putFeedHashes(sql, head.organization_id, hashes)
      }
      return { ...head, feed_sequence: head.feed_sequence === null ? null : at, feed_hash: previous }
    })

    /**
     * Continues the chains over the lines that end before the last sealed event. Returns whether there were such chains
     * that it could continue.
     */
    const link = Effect.gen(function* () {
      let linked = 0
      let after = ""
      for (;;) {
        const from = after
        const { count, last } = yield* Effect.gen(function* () {
          if (!(yield* repo.lock(sql, false))) return { count: 0, last: undefined }
          const behind = yield* repo.chainsBehind(sql, from, behindAtOnce)
          const now = yield* Clock.currentTimeMillis
          const heads = yield* Effect.forEach(behind, (head) => catchUp(head, now))
          const moved = heads.filter((head, index) => head.feed_sequence !== behind[index]?.feed_sequence)
          if (moved.length > 0) {
            yield* repo.putFeedHeads(sql, moved)
            yield* wake(sql, "changes")
          }
          return { count: moved.length, last: behind.length === behindAtOnce ? behind.at(-1) : undefined }
        }).pipe(sql.withTransaction)
        linked += count
        if (last === undefined) return linked > 0
        after = last.organization_id
      }
    })

    /** Seals one batch. Returns the number of events, 0 when another process holds the lock. */
    const pass = (waits: boolean) =>
      Effect.gen(function* () {
        if (!(yield* repo.lock(sql, waits))) return 0
        const events = yield* repo.unsealed(sql, batchMax)
        if (events.length === 0) return 0
        const names = new Set(events.map((event) => event.organization_id ?? repo.platformChain))
        const existingChains = yield* repo.chains(sql, [...names])
        const now = yield* Clock.currentTimeMillis
        const heads = new Map(existingChains.map((row) => [row.organization_id, row]))
        const before = yield* repo.reservePositions(sql, events.length)
        const seals = events.map((event, index): repo.Seal => {
          const chain = event.organization_id ?? repo.platformChain
          const head = heads.get(chain)
          const sequence = (head?.sequence ?? 0) + 1
          const hash = keys.sign(chainPurpose, sealedText(head?.hash ?? "", chain, sequence, event)).toString("hex")
          // Otherwise `link` continues the chain over the lines.
          const isLinked = (head?.feed_sequence ?? sequence - 1) === sequence - 1
          const hasLine = event.organization_id !== null && isLinked && !waitsForNewer(event, now)
          const link = { sequence, previous: head?.feed_hash ?? null }
          const feedHash = hasLine ? lineOf(event, link, hash).hash : null
          heads.set(chain, {
            organization_id: chain,
            sequence,
            hash,
            feed_start: head?.feed_start ?? (hasLine ? sequence : null),
            feed_sequence: hasLine ? sequence : (head?.feed_sequence ?? null),
            feed_hash: hasLine ? feedHash : (head?.feed_hash ?? null)
          })
          return { id: event.id, txid: event.txid, sequence, hash, position: before + 1 + index, feed_hash: feedHash }
        })
        yield* repo.seal(sql, keys.signingKey(), seals, [...heads.values()])
        yield* wake(sql, "changes")
        return events.length
      }).pipe(sql.withTransaction)

    /** Seals all pending events, even while another process seals too. */
    const seal = Effect.gen(function* () {
      for (let passes = 0; passes < passesMax; passes++) {
        const { unsealed } = yield* repo.work(sql, everyEvents, everySeconds)
        if (!unsealed || (yield* pass(true)) === 0) return
      }
    })

    /** Signs the end of a chain, and of the chain over its lines. */
    const sign = Effect.fnUntraced(function* (chain: repo.ChainHead, createdAt: string) {
      const { feed_hash: feedHash, feed_sequence: feedSequence, hash, organization_id: id, sequence } = chain
      const { keyId, signature } = yield* signingKeys.signBytes(checkpointText(chain))
      const base = { organization_id: id, sequence, hash, key_id: keyId, signature: signature.toString("base64url") }
      if (feedHash === null || feedSequence !== sequence) {
        return { ...base, feed_hash: null, feed_signature: null, feed_signed_at: null }
      }
      const text = feedCheckpointText({ organizationId: id, sequence, hash: feedHash, createdAt })
      const feedSignature = (yield* signingKeys.signBytesWith(keyId, text)).toString("base64url")
      return { ...base, feed_hash: feedHash, feed_signature: feedSignature, feed_signed_at: createdAt }
    })

    /** Signs the chains that are due, or all that have new events. */
    const checkpoint = (seconds = everySeconds) =>
      Effect.gen(function* () {
        if (!(yield* repo.lock(sql, false))) return 0
        const due = yield* repo.chainsDue(sql, everyEvents, seconds, signedAtOnce)
        const createdAt = new Date(yield* Clock.currentTimeMillis).toISOString()
        const signed = yield* Effect.forEach(due, (chain) => sign(chain, createdAt))
        if (signed.length > 0) {
          yield* repo.putCheckpoints(sql, signed)
          yield* wake(sql, "changes")
        }
        // The checkpoint is also logged, so that someone with access only to the database cannot rewrite earlier events
        // undetected.
        for (const { hash, organization_id: chain, sequence } of signed) {
          yield* Effect.annotateLogs(Effect.logInfo("Signed an audit checkpoint."), { chain, sequence, hash })
        }
        return signed.length
      }).pipe(sql.withTransaction)

    /** The number of seconds until the next run, unless an event is written earlier; 0 if there was something to do. */
    const round = Effect.gen(function* () {
      const { behind, due, due_in: dueIn, unsealed } = yield* repo.work(sql, everyEvents, everySeconds)
      if (unsealed) while ((yield* pass(false)) === batchMax) yield* Effect.yieldNow
      const isLinked = behind && (yield* link)
      if (due) while ((yield* checkpoint()) === signedAtOnce) yield* Effect.yieldNow
      return due || unsealed || isLinked ? 0 : (dueIn ?? restSeconds)
    })

    /** Seals and signs until interrupted. */
    const worker = roundsOf(
      sql,
      ["audit"],
      Effect.catchCause(round, (cause) =>
        Effect.as(Effect.logWarning("Cannot seal the audit events. Retrying.", cause), 0)
      ),
      shortPause
    )

    const verifyFrom = Effect.fnUntraced(function* (
      chain: string,
      truncation: repo.SignedTruncation | undefined,
      keptCheckpoint: CheckpointReference | undefined
    ) {
      const ends = yield* repo.ends(sql, chain)
      const start = truncation?.sequence ?? 0
      let at = start
      let previous = truncation?.hash ?? ""
      const verdict = (firstInvalidSequence: number | null, reason: string | null): Verdict => ({
        valid: reason === null,
        eventCount: at - start,
        sealedThrough: ends.head === 0 ? null : ends.head,
        firstInvalidSequence,
        reason,
        truncatedThrough: truncation?.sequence ?? null,
        truncatedAt: truncation === undefined ? null : iso(truncation.truncated_at)
      })
      if (truncation !== undefined) {
        const signature = Buffer.from(truncation.signature, "base64url")
        if (!(yield* signingKeys.verifyBytes(truncation.key_id, truncationText(truncation), signature))) {
          return verdict(start, "The record of deleted events is not signed with a key of this installation.")
        }
        if (keptCheckpoint?.sequence === start && keptCheckpoint.hash !== truncation.hash) {
          return verdict(start, "The deleted events do not match the given checkpoint.")
        }
      }
      while (at < ends.head) {
        const events = yield* repo.sealed(sql, chain, at, ends.head, batchMax)
        const to = events.at(-1)?.sequence
        if (to === undefined) break
        const signed = new Map(
          (yield* repo.checkpointsBetween(sql, chain, at, to)).map((checkpoint) => [checkpoint.sequence, checkpoint])
        )
        for (const event of events) {
          if (event.sequence !== at + 1) return verdict(at + 1, "An event was removed.")
          const text = sealedText(previous, chain, event.sequence, event)
          const hash = keys.signedBy(event.seal_key_id, chainPurpose, text)?.toString("hex")
          if (hash === undefined) {
            return verdict(
              event.sequence,
              "An event was sealed with a key that is not in ORGPLANE_SIGNING_KEYS or ORGPLANE_SECRET_KEYS."
            )
          }
          if (hash !== event.hash) return verdict(event.sequence, "An event was changed, added or moved.")
          const checkpoint = signed.get(event.sequence)
          if (checkpoint !== undefined) {
            const { key_id, sequence, signature } = checkpoint
            const bytes = checkpointText({ organization_id: chain, sequence, hash: checkpoint.hash })
            if (!(yield* signingKeys.verifyBytes(key_id, bytes, Buffer.from(signature, "base64url")))) {
              return verdict(sequence, "A checkpoint is not signed with a key of this installation.")
            }
            if (checkpoint.hash !== hash) return verdict(sequence, "The events do not match a signed checkpoint.")
          }
          if (
            keptCheckpoint !== undefined &&
            keptCheckpoint.sequence === event.sequence &&
            keptCheckpoint.hash !== hash
          ) {
            return verdict(event.sequence, "The events do not match the given checkpoint.")
          }
          at = event.sequence
          previous = hash
        }
        yield* Effect.yieldNow
      }
      if (at < ends.head || ends.last_checkpoint > ends.head || (keptCheckpoint?.sequence ?? 0) > at)
        return verdict(at + 1, "The last events were removed.")
      if (ends.first_event < 1) {
        return verdict(ends.first_event, "An event was moved before the first sequence number.")
      }
      if (ends.last_event > ends.head) {
        return verdict(ends.head + 1, "An event was added after the end of the chain.")
      }
      return ends.head_hash === previous ? verdict(null, null) : verdict(at, "The end of the chain was changed.")
    })

    /** While events are deleted, their record can be newer than the one that the verification started with. */
    const verifyChain = Effect.fnUntraced(function* (chain: string, keptCheckpoint: CheckpointReference | undefined) {
      for (let attempts = 1; ; attempts += 1) {
        const truncation = yield* repo.findTruncation(sql, chain)
        const verdict = yield* verifyFrom(chain, truncation, keptCheckpoint)
        if (verdict.valid || attempts === verificationsMax) return verdict
        if ((yield* repo.findTruncation(sql, chain))?.sequence === truncation?.sequence) return verdict
      }
    })

    /**
     * Verifies the whole chain of an organization, from its start or from the signed record of deleted events, in batches
     * that yield to other work, and reports where it first breaks.
     */
    const verify = (organizationId: Id<"org">, keptCheckpoint?: CheckpointReference) =>
      Effect.andThen(seal, verifyChain(organizationId, keptCheckpoint)).pipe(verifying.withPermits(1))

    return {
      seal,
      /** Continues the chains over the lines after events that an earlier version sealed. */
      link,
      checkpoint,
      worker,
      verify,
      truncate: makeTruncate(sql, keys, signingKeys),
      /** The last sequence number that was deleted; 0 if there is none. */
      truncatedThrough: (organizationId: Id<"org">) =>
        Effect.map(repo.findTruncation(sql, organizationId), (truncation) => truncation?.sequence ?? 0),
      ends: (organizationId: Id<"org">) => repo.ends(sql, organizationId)
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
