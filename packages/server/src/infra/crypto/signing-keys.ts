import type { SigningJwk, SigningKey } from "@orgplane/schema/system"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto"
import { advisoryLocks } from "../sql/advisory-locks.ts"
import { lockKey } from "../sql/schema.ts"
import type { Sql } from "../sql/client.ts"
import { SqlDatabase } from "../sql/client.ts"
import { sha256 } from "./digest.ts"
import { KeyRing } from "./key-ring.ts"
import { expectRow } from "../sql/expect-row.ts"
import { iso, isoOrNull } from "../sql/timestamps.ts"

/** The encryption context of the private half of a signing key. */
export const signingKeyContext = (kid: string) => `signing-key/${kid}`
const exists = (sql: Sql) =>
  sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM signing_keys WHERE retired_at IS NULL) AS exists`.pipe(
    Effect.map((rows) => rows[0]?.exists === true)
  )

const publicHeader = "-----BEGIN PUBLIC KEY-----"

/** The public half as it is sealed after the private half was lost, so that an injected row is still not trusted. */
export const publicHalfOf = ({ crv, kty, x }: SigningJwk): string =>
  createPublicKey({ key: { crv, kty, x }, format: "jwk" }).export({ format: "pem", type: "spki" }).toString()

interface SealedRow {
  readonly id: string
  readonly key_id: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

/** Ed25519 keys of the installation. Anyone can verify its signatures with `GET /v1/keys`. */
export class SigningKeys extends Context.Service<SigningKeys>()("@orgplane/server/crypto/SigningKeys", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing

    const create = Effect.gen(function* () {
      const pair = generateKeyPairSync("ed25519")
      const { x = "" } = pair.publicKey.export({ format: "jwk" })
      const kid = sha256(x).slice(0, 16)
      const jwk: SigningJwk = { kid, kty: "OKP", crv: "Ed25519", x, alg: "EdDSA", use: "sig" }
      const sealed = keys.seal(
        signingKeyContext(kid),
        pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString()
      )
      yield* sql`INSERT INTO signing_keys (id, public_jwk, key_id, nonce, ciphertext, created_at)
        VALUES (${kid}, ${sql.json(jwk)}, ${sealed.keyId}, ${sealed.nonce}, ${sealed.ciphertext}, now())`
      return kid
    })

    const ensure = Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.signingKeys)}::bigint)::text`
      if (!(yield* exists(sql))) yield* create
    }).pipe(sql.withTransaction)

    /** Creates a key that signs from now on, in every process. The earlier keys only verify. */
    const rotate = Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${lockKey(sql, advisoryLocks.signingKeys)}::bigint)::text`
      const retired = yield* sql<{ id: string }>`UPDATE signing_keys SET retired_at = now()
        WHERE retired_at IS NULL RETURNING id`
      return { created: yield* create, retired: retired.map(({ id }) => id) }
    }).pipe(sql.withTransaction)

    /** The public keys, newest first, including retired ones, so that earlier signatures can be verified. */
    const list = Effect.gen(function* () {
      yield* ensure
      const rows = yield* sql<{
        public_jwk: SigningJwk
        created_at: Date
        retired_at: Date | null
      }>`SELECT public_jwk, created_at, retired_at FROM signing_keys ORDER BY created_at DESC, id DESC LIMIT 100`
      return rows.map((row): SigningKey => ({
        ...row.public_jwk,
        createdAt: iso(row.created_at),
        retiredAt: isoOrNull(row.retired_at)
      }))
    })

    const pairs = new Map<string, { readonly privateKey: KeyObject | undefined; readonly publicKey: KeyObject }>()

    /** Decrypts the private half. The public half is derived from it, so that an injected row is not trusted. */
    const pairOf = Effect.fnUntraced(function* (row: SealedRow) {
      const cached = pairs.get(row.id)
      if (cached !== undefined) return cached
      const pem = yield* keys.open(signingKeyContext(row.id), {
        keyId: row.key_id,
        nonce: row.nonce,
        ciphertext: row.ciphertext
      })
      // The private half of a retired key may be lost.
      const privateKey = pem.startsWith(publicHeader) ? undefined : createPrivateKey(pem)
      const pair = { privateKey, publicKey: createPublicKey(privateKey ?? pem) }
      pairs.set(row.id, pair)
      return pair
    })

    const newest = sql<SealedRow>`SELECT id, key_id, nonce, ciphertext FROM signing_keys
      WHERE retired_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 1`

    /** The key that signs from now on. */
    const current = Effect.gen(function* () {
      let [row] = yield* newest
      if (row === undefined) {
        yield* ensure
        ;[row] = yield* newest
      }
      return yield* expectRow(row, "signing key")
    })

    /** The ID of the key that signs from now on. */
    const currentId = Effect.map(current, ({ id }) => id)

    const signed = Effect.fnUntraced(function* (bytes: Uint8Array, key: SealedRow) {
      const { privateKey } = yield* pairOf(key)
      if (privateKey === undefined) return yield* Effect.die(new Error("The signing key has no private half."))
      return { keyId: key.id, signature: sign(null, bytes, privateKey) }
    })

    /** Signs with the newest key. */
    const signBytes = (bytes: Uint8Array) => Effect.flatMap(current, (key) => signed(bytes, key))

    /** Signs with the key of this ID, without a statement if the process has used it before. */
    const signBytesWith = Effect.fnUntraced(function* (keyId: string, bytes: Uint8Array) {
      const pair = pairs.get(keyId)
      if (pair?.privateKey !== undefined) return sign(null, bytes, pair.privateKey)
      const [row] = yield* sql<SealedRow>`SELECT id, key_id, nonce, ciphertext FROM signing_keys WHERE id = ${keyId}`
      return (yield* signed(bytes, yield* expectRow(row, "signing key"))).signature
    })

    /** Whether a key of this installation signed the bytes. */
    const verifyBytes = Effect.fnUntraced(function* (keyId: string, bytes: Uint8Array, signature: Uint8Array) {
      const [row] = pairs.has(keyId)
        ? [{ id: keyId, key_id: "", nonce: bytes, ciphertext: bytes }]
        : yield* sql<SealedRow>`SELECT id, key_id, nonce, ciphertext FROM signing_keys WHERE id = ${keyId}`
      if (row === undefined) return false
      const pair = yield* Effect.option(Effect.catchDefect(pairOf(row), Effect.fail))
      return Option.isSome(pair) && verify(null, bytes, pair.value.publicKey, signature)
    })

    return { currentId, list, rotate, signBytes, signBytesWith, verifyBytes } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
