import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { KeyRing } from "../../infra/crypto/key-ring.ts"
import type { SigningKeys } from "../../infra/crypto/signing-keys.ts"
import type { Sql } from "../../infra/sql/client.ts"
import * as repo from "./chain-repo.ts"
import { chainPurpose, checkpointText, sealedText, truncationText } from "./chain-text.ts"

const verifiedMax = 500
const deletedMax = 1000

type Report = (table: string, rows: number) => Effect.Effect<void>

/**
 * Deletes the events of all chains that are older than a number of days, up to the last checkpoint that is older. Before
 * that, it verifies them, so that evidence of tampering is never deleted, and signs a record of the last deleted event, from
 * which the chain is then verified.
 */
export const makeTruncate = (sql: Sql, keys: KeyRing["Service"], signingKeys: SigningKeys["Service"]) => {
  /** The number of events up to a checkpoint; undefined if they or the checkpoint were changed. */
  const countIntact = Effect.fnUntraced(function* (
    {
      hash,
      key_id,
      organization_id: chain,
      sequence,
      signature
    }: Effect.Success<ReturnType<typeof repo.findTruncatable>>[number],
    before: repo.SignedTruncation | undefined
  ) {
    if (before !== undefined) {
      const bytes = Buffer.from(before.signature, "base64url")
      if (!(yield* signingKeys.verifyBytes(before.key_id, truncationText(before), bytes))) return undefined
    }
    const signed = checkpointText({ organization_id: chain, sequence, hash })
    if (!(yield* signingKeys.verifyBytes(key_id, signed, Buffer.from(signature, "base64url")))) return undefined
    const start = before?.sequence ?? 0
    let at = start
    let previous = before?.hash ?? ""
    while (at < sequence) {
      const events = yield* repo.sealed(sql, chain, at, sequence, verifiedMax)
      if (events.length === 0) return undefined
      for (const event of events) {
        if (event.sequence !== at + 1) return undefined
        const text = sealedText(previous, chain, event.sequence, event)
        if (keys.signedBy(event.seal_key_id, chainPurpose, text)?.toString("hex") !== event.hash) return undefined
        at = event.sequence
        previous = event.hash
      }
      yield* Effect.yieldNow
    }
    return previous === hash ? at - start : undefined
  })

  /** Deletes what the records cover, including what a process left that exited in between. */
  const deleteCovered = Effect.fnUntraced(function* (report: Report) {
    for (const { organization_id: chain, sequence } of yield* repo.truncations(sql)) {
      const { checkpoints, events } = repo.deleteTruncated(sql, chain, sequence, deletedMax)
      for (const [table, step] of [
        ["audit_events", events],
        ["audit_checkpoints", checkpoints]
      ] as const) {
        yield* step.pipe(
          Effect.tap((rows) => report(table, rows.length)),
          Effect.repeat({ while: (rows) => rows.length === deletedMax })
        )
      }
    }
  })

  return Effect.fnUntraced(function* (days: number, report: Report = () => Effect.void) {
    for (const checkpoint of yield* repo.findTruncatable(sql, days)) {
      const { feed_hash: feedHash, hash, organization_id: chain, sequence } = checkpoint
      const before = yield* repo.findTruncation(sql, chain)
      const count = yield* countIntact(checkpoint, before)
      if (count === undefined) {
        yield* Effect.annotateLogs(
          Effect.logError(
            "Audit events are kept past their retention, because they do not match their signatures. Run orgplane audit verify."
          ),
          { chain, sequence }
        )
        continue
      }
      const truncation = {
        organization_id: chain,
        sequence,
        hash,
        event_count: (before?.event_count ?? 0) + count,
        truncated_at: new Date(yield* Clock.currentTimeMillis)
      }
      const { keyId, signature } = yield* signingKeys.signBytes(truncationText(truncation))
      yield* repo.putTruncation(sql, {
        ...truncation,
        key_id: keyId,
        signature: signature.toString("base64url"),
        feed_hash: feedHash
      })
      // The record is also logged, like a checkpoint.
      yield* Effect.annotateLogs(Effect.logInfo("Audit events reached the end of their retention."), {
        chain,
        sequence,
        hash,
        count
      })
    }
    yield* deleteCovered(report)
  })
}
