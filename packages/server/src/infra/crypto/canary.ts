import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { advisoryLocks } from "../sql/advisory-locks.ts"
import { lockKey } from "../sql/schema.ts"
import { type Sql, SqlDatabase } from "../sql/client.ts"
import { KeyRing, type Sealed } from "./key-ring.ts"
import { signingKeyContext } from "./signing-keys.ts"

/** The secret keys do not belong to this database. */
export class SecretKeysWrong extends Data.TaggedError("SecretKeysWrong")<{ readonly message: string }> {}

const context = "secret-canary"
const text = "orgplane"
const wrong = () =>
  new SecretKeysWrong({
    message:
      "The secret keys cannot decrypt the secrets in this database: they were changed or lost, or the database belongs " +
      "to another installation. Set ORGPLANE_SECRET_KEYS to the keys used before; put a new key first, separated by a " +
      "comma. With the embedded database and no ORGPLANE_SECRET_KEYS, restore the file secret-key in its data directory."
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

const opens = (keys: KeyRing["Service"], purpose: string, row: Row) =>
  keys.open(purpose, sealedOf(row)).pipe(
    Effect.as(true),
    Effect.catchDefect(() => Effect.succeed(false))
  )

/** Whether the keys decrypt the canary or, when there is none yet, the installation's signing key. */
export const inspectCanary = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  const [canary, signingKey] = yield* Effect.all([canaryOf(sql), signingKeyOf(sql)])
  if (canary !== undefined) return (yield* opens(keys, context, canary)) ? "decrypted" : "undecryptable"
  if (signingKey === undefined) return "absent"
  return (yield* opens(keys, signingKeyContext(signingKey.id), signingKey)) ? "decrypted" : "undecryptable"
})

/** Rejects keys that cannot decrypt the canary or, when there is none yet, the installation's signing key. */
const check = Effect.gen(function* () {
  const sql = yield* SqlDatabase
  const keys = yield* KeyRing
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.secretKeyCanary)}::bigint)::text`
      const canary = yield* canaryOf(sql)
      if (canary === undefined) {
        const signingKey = yield* signingKeyOf(sql)
        if (signingKey !== undefined && !(yield* opens(keys, signingKeyContext(signingKey.id), signingKey))) {
          return yield* wrong()
        }
      } else {
        if (!(yield* opens(keys, context, canary))) return yield* wrong()
        if (canary.key_id === keys.sealingKey) return
      }
      // The canary is encrypted with the newest key, so that an older key is not required at the next startup.
      const { ciphertext, keyId, nonce } = keys.seal(context, text)
      yield* sql`INSERT INTO secret_canary (key_id, nonce, ciphertext, sealed_at)
        VALUES (${keyId}, ${nonce}, ${ciphertext}, now())
        ON CONFLICT (only_row) DO UPDATE SET key_id = excluded.key_id, nonce = excluded.nonce,
          ciphertext = excluded.ciphertext, sealed_at = excluded.sealed_at`
    })
  )
})

/** Fails the start unless the keys belong to this database. */
export const layerCanary = Layer.effectDiscard(check)
