/** Deletes the values that no key decrypts, after a key was lost, so that their owners can replace them. */
import * as Effect from "effect/Effect"
import { recordAudit } from "../../infra/audit/record.ts"
import { inspectCanary, replaceCanary } from "../../infra/crypto/canary.ts"
import { keyHolders, nameOf } from "../../infra/crypto/key-holders.ts"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { countSealed, type SealedColumn, sealedColumns } from "../../infra/crypto/sealed-columns.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import { batchMax, openRow } from "./index.ts"
import { forEachPlace, type SealedPlace } from "./places.ts"
import * as repo from "./repo.ts"
import { RotationRefused } from "./rotate.ts"

export interface DiscardResult {
  /** False if the command only listed the values. */
  readonly isDone: boolean
  readonly values: ReadonlyArray<{ readonly column: SealedColumn; readonly what: string; readonly count: number }>
}

const discardPlace = Effect.fnUntraced(function* <R extends repo.Row>(place: SealedPlace<R>, isDone: boolean) {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  let count = 0
  let after: R | undefined
  for (;;) {
    const rows = yield* sql.withTransaction(
      Effect.gen(function* () {
        const batch = yield* repo.listSealed(sql, place, { except: "", limit: batchMax, after, locks: isDone })
        for (const row of batch) {
          if (openRow(keys, place, row) !== undefined) continue
          count += 1
          if (isDone) {
            const text = place.lostText?.(row)
            const sealed = text === undefined ? undefined : keys.seal(place.contextOf(row), text)
            yield* repo.discardSeal(sql, place, row, sealed)
            const subject = place.belongsTo?.(row)
            if (subject === undefined) continue
            const { organizationId, target } = subject
            yield* recordAudit(sql, { kind: "system", organizationId }, "secret.discard", {
              target,
              after: { value: place.column }
            })
          }
        }
        return batch
      })
    )
    after = rows.at(-1)
    if (rows.length < batchMax || after === undefined) break
  }
  return { column: place.column, what: sealedColumns[place.column], count }
})

/**
 * Counts the values. If `isDone`, also deletes them and records an audit event for each value of an organization. Servers
 * must be stopped: one of them may have the key.
 */
export const discardUnreadable = Effect.fnUntraced(
  function* (isDone: boolean) {
    const sql = yield* SqlDatabase
    const [holder] = yield* keyHolders
    if (holder !== undefined) {
      return yield* new RotationRefused({
        message: `Stop all servers first: ${nameOf(holder)} is running. Nothing was changed.`
      })
    }
    const canary = yield* inspectCanary
    const values = yield* Effect.all(forEachPlace((place) => discardPlace(place, isDone)))
    const orphans = (yield* countSealed(sql)).filter(({ column }) => column === "sealed_values without owner")
    const orphanCount = orphans.reduce((sum, { count }) => sum + count, 0)
    if (isDone) {
      yield* repo.deleteOrphans(sql)
      if (canary !== "decrypted") yield* replaceCanary
    }
    const all = [
      ...(canary === "undecryptable" ? [{ column: "secret_canary" as const, count: 1 }] : []),
      ...values,
      { column: "sealed_values without owner" as const, count: orphanCount }
    ]
    return {
      isDone,
      values: all
        .filter(({ count }) => count > 0)
        .map(({ column, count }) => ({ column, what: sealedColumns[column], count }))
    } satisfies DiscardResult
  },
  Effect.provideService(StatementMillisMax, longStatementMillis)
)
