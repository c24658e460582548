import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { advisoryLocks } from "../sql/advisory-locks.ts"
import { lockKey } from "../sql/schema.ts"
import { type Sql, SqlDatabase } from "../sql/client.ts"
import { type KeyHolder, keyHolders, nameOf, showKeys } from "./key-holders.ts"
import { KeyRing, type Sealed } from "./key-ring.ts"
import { describeUnreadable } from "./sealed-columns.ts"
import { signingKeyContext } from "./signing-keys.ts"

/** The secret keys do not belong to this database. */
export class SecretKeysWrong extends Data.TaggedError("SecretKeysWrong")<{ readonly message: string }> {}

const context = "secret-canary"
const text = "orgplane"
const wrong = (unreadable: string | undefined) =>
  new SecretKeysWrong({
    message:
      "The secret keys cannot decrypt the secrets in this database: they were changed or lost, or the database belongs " +
      `to another installation. ${unreadable === undefined ? "" : `${unreadable} `}` +
      "Set ORGPLANE_SECRET_KEYS to the keys used before; put a new key first, separated by a comma. With the embedded " +
      "database and no ORGPLANE_SECRET_KEYS, restore the file secret-key in its data directory. If the keys are lost, " +
      "see orgplane-server rotate-keys --discard-unreadable."
  })

interface Row {
  readonly id: string
  readonly key_id: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

const sealedOf = (row: Row): Sealed => ({ keyId: row.key_id, nonce: row.nonce, ciphertext: row.ciphertext })

const canaryOf = (sql: Sql) =>
  Effect.map(sql<Row>`SELECT '' AS id, key_id, nonce, ciphertext FROM secret_canary`, (rows) => rows[0])

/** An installation of an earlier release has no canary, but has a sealed key that signs its audit log. */
const signingKeyOf = (sql: Sql) =>
  Effect.map(
    sql<Row>`SELECT id, key_id, nonce, ciphertext FROM signing_keys WHERE retired_at IS NULL
      ORDER BY created_at DESC, id DESC LIMIT 1`,
    (rows) => rows[0]
  )

/** Whether the database contains secrets that need the existing keys, so that new keys must not be generated. */
export const isSealed = Effect.flatMap(SqlDatabase, (sql) =>
  Effect.map(
    Effect.all([canaryOf(sql), signingKeyOf(sql)]),
    ([canary, signingKey]) => canary !== undefined || signingKey !== undefined
  )
)

const opens = (keys: KeyRing["Service"], purpose: string, row: Row): boolean =>
  keys.tryOpen(purpose, sealedOf(row)) !== undefined

/** Whether the keys decrypt the canary or, when there is none yet, the installation's signing key. */
export const inspectCanary = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  const [canary, signingKey] = yield* Effect.all([canaryOf(sql), signingKeyOf(sql)])
  if (canary !== undefined) return opens(keys, context, canary) ? "decrypted" : "undecryptable"
  if (signingKey === undefined) return "absent"
  return opens(keys, signingKeyContext(signingKey.id), signingKey) ? "decrypted" : "undecryptable"
})

const putCanary = Effect.fnUntraced(function* (sql: Sql, keys: KeyRing["Service"]) {
  const { ciphertext, keyId, nonce } = keys.seal(context, text)
  yield* sql`INSERT INTO secret_canary (key_id, nonce, ciphertext, sealed_at)
    VALUES (${keyId}, ${nonce}, ${ciphertext}, now())
    ON CONFLICT (only_row) DO UPDATE SET key_id = excluded.key_id, nonce = excluded.nonce,
      ciphertext = excluded.ciphertext, sealed_at = excluded.sealed_at`
})

/**
 * Chooses the key that encrypts: the newest, if every server process can decrypt with it, or else the key of the canary,
 * with which every process can. A process shows its keys before it reads the canary, and the canary is replaced under a
 * lock, so a process that cannot decrypt with the newest key either prevents the change or does not start.
 *
 * @returns the processes that cannot decrypt with the newest key.
 */
export const chooseSealingKey = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  const [newest = keys.sealingKey()] = keys.keyIds()
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.secretKeyCanary)}::bigint)::text`
      const canary = yield* canaryOf(sql)
      if (canary === undefined) {
        const signingKey = yield* signingKeyOf(sql)
        if (signingKey !== undefined && !opens(keys, signingKeyContext(signingKey.id), signingKey)) {
          return yield* wrong(yield* describeUnreadable(sql, keys.canOpen))
        }
      } else if (!opens(keys, context, canary)) {
        return yield* wrong(yield* describeUnreadable(sql, keys.canOpen))
      }
      const behind: ReadonlyArray<KeyHolder> =
        canary === undefined || canary.key_id === newest
          ? []
          : (yield* keyHolders).filter((holder) => !holder.decrypts(newest))
      keys.sealWith(behind.length > 0 && canary !== undefined ? canary.key_id : newest)
      // The canary is encrypted with the newest key, so that an older key is not required at the next startup.
      if (canary?.key_id !== keys.sealingKey()) yield* putCanary(sql, keys)
      return behind
    })
  )
})

/** Encrypts the canary with the key that encrypts, whichever key it needs now. */
export const replaceCanary = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.secretKeyCanary)}::bigint)::text`
      yield* putCanary(sql, keys)
    })
  )
})

const showTimeout = "10 seconds"

/** Shows which keys this process has. Without the connection that shows them, other processes wait for this one. */
const show = Effect.fnUntraced(function* (encrypts: ReadonlySet<string>) {
  const keys = yield* KeyRing
  const shown = yield* Effect.timeoutOption(showKeys(keys.keyIds(), [...encrypts]), showTimeout)
  if (Option.isNone(shown)) {
    yield* Effect.logWarning("Cannot show other processes which secret keys this process has. Retrying.")
  }
})

const retryDelay = "5 seconds"

const start = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  const encrypts = new Set<string>()
  yield* show(encrypts)
  const choose = Effect.gen(function* () {
    const behind = yield* chooseSealingKey
    const before = encrypts.size
    encrypts.add(keys.sealingKey())
    if (encrypts.size > before) yield* show(encrypts)
    return behind
  })
  const [behind] = yield* choose
  if (behind !== undefined) {
    const [newest] = keys.keyIds()
    yield* Effect.logWarning(
      `The key ${newest} is the first in ORGPLANE_SECRET_KEYS, but ${nameOf(behind)} cannot decrypt with it. ` +
        `New secrets are encrypted with the key ${keys.sealingKey()} until every server has both keys.`
    )
    yield* choose.pipe(
      Effect.catchCause((cause) =>
        Effect.as(Effect.logWarning("Cannot choose the encryption key. Retrying.", cause), [behind])
      ),
      Effect.repeat({ until: (others) => others.length === 0, schedule: Schedule.spaced(retryDelay) }),
      Effect.andThen(Effect.logInfo(`New secrets are encrypted with the key ${newest}.`)),
      Effect.delay(retryDelay),
      Effect.forkScoped
    )
  }
  yield* describeUnreadable(sql, keys.canOpen).pipe(
    Effect.flatMap((sentence) =>
      sentence === undefined
        ? Effect.void
        : Effect.logWarning(`${sentence} Add it to the end of ORGPLANE_SECRET_KEYS, or see docs/keys.md if it is lost.`)
    ),
    Effect.catchCause((cause) => Effect.logWarning("Cannot check the keys of the stored secrets.", cause)),
    Effect.forkScoped
  )
})

/** Fails the start unless the keys belong to this database. */
export const layerCanary = Layer.effectDiscard(start)
