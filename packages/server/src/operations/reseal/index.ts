/** Encrypts stored values again with the key that encrypts, so that older keys are no longer required. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { KeyRing } from "../../infra/crypto/key-ring.ts"
import { sealedColumns } from "../../infra/crypto/sealed-columns.ts"
import { type Sql, SqlDatabase } from "../../infra/sql/client.ts"
import { longStatementMillis, StatementMillisMax } from "../../infra/sql/statement-timeout.ts"
import { forEachPlace, type SealedPlace } from "./places.ts"
import * as repo from "./repo.ts"

/** The rows of a batch stay locked for some milliseconds, until its transaction ends. */
export const batchMax = 100
/** Between two batches, the event loop runs other work. */
const pause = "20 millis"

type Keys = KeyRing["Service"]

/** The decrypted value; undefined if no key decrypts it, because a key was removed from the key ring too early. */
export const openRow = <R extends repo.Row>(keys: Keys, place: SealedPlace<R>, row: R) =>
  keys.tryOpen(place.contextOf(row), { keyId: row.key_id, nonce: row.nonce, ciphertext: row.ciphertext })

/** Re-encrypts the values of a place, each batch in one transaction. `show` gets the number of values of each batch. */
const resealPlace = Effect.fnUntraced(function* <R extends repo.Row>(
  sql: Sql,
  keys: Keys,
  place: SealedPlace<R>,
  show: (count: number) => void
) {
  let [resealed, skipped] = [0, 0]
  let after: R | undefined
  for (;;) {
    const selection = { except: keys.sealingKey(), limit: batchMax, after, locks: true }
    const rows = yield* sql.withTransaction(
      Effect.gen(function* () {
        const batch = yield* repo.listSealed(sql, place, selection)
        for (const row of batch) {
          const value = openRow(keys, place, row)
          if (value === undefined) skipped += 1
          else {
            yield* repo.putSeal(sql, place, row, keys.seal(place.contextOf(row), value))
            resealed += 1
          }
        }
        return batch
      })
    )
    show(rows.length)
    after = rows.at(-1)
    if (rows.length < batchMax || after === undefined) break
    yield* Effect.sleep(pause)
  }
  const what = sealedColumns[place.column]
  if (resealed > 0) yield* Effect.logInfo(`Re-encrypted ${resealed} ${what} with the newest key.`)
  if (skipped > 0) {
    yield* Effect.logWarning(`Cannot decrypt ${skipped} ${what} with any configured key. Check ORGPLANE_SECRET_KEYS.`)
  }
  return { resealed, skipped }
})

const inspectPlace = Effect.fnUntraced(function* <R extends repo.Row>(sql: Sql, keys: Keys, place: SealedPlace<R>) {
  let [total, unreadable] = [0, 0]
  let after: R | undefined
  for (;;) {
    // No key has this ID, so every value is visited.
    const rows = yield* repo.listSealed(sql, place, { except: "", limit: batchMax, after, locks: false })
    for (const row of rows) {
      total += 1
      if (openRow(keys, place, row) === undefined) unreadable += 1
    }
    after = rows.at(-1)
    if (rows.length < batchMax || after === undefined) {
      return { what: sealedColumns[place.column], total, unreadable }
    }
    yield* Effect.sleep(pause)
  }
})

/** The tables with sealed values. The canary is sealed again by each start. */
export const sealedTables: ReadonlySet<string> = new Set(forEachPlace(({ table }) => table))

/**
 * Reseals, once, every value that is not sealed with the key that seals. Values that another transaction has
 * locked are skipped. It can be interrupted and repeated, and other processes may use the values meanwhile.
 */
export const resealAll = Effect.fnUntraced(function* (sql: Sql, keys: Keys, show: (count: number) => void = () => {}) {
  const done = yield* Effect.all(forEachPlace((place) => resealPlace(sql, keys, place, show)))
  return {
    resealed: done.reduce((sum, { resealed }) => sum + resealed, 0),
    skipped: done.reduce((sum, { skipped }) => sum + skipped, 0)
  }
})

/** Decrypts every sealed value, and returns how many of each type there are, and how many no key decrypts. */
export const inspectSealed = (sql: Sql, keys: Keys) =>
  Effect.all(forEachPlace((place) => inspectPlace(sql, keys, place)))

/** Runs soon after the start, because new keys are configured with a restart, and then every hour. */
export const reseal = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  // While the newest key does not encrypt, another process may encrypt with it already.
  const isSettled = Effect.sync(() => keys.sealingKey() === keys.keyIds()[0])
  yield* Effect.when(resealAll(sql, keys), isSettled).pipe(
    Effect.catchCause((cause) => Effect.logWarning("Re-encryption failed. Retrying in one hour.", cause)),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.delay("20 seconds"),
    // Uses connections that are separate from those of requests.
    Effect.provideService(StatementMillisMax, longStatementMillis)
  )
})
