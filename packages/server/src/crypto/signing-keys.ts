import type { SigningKey } from "@orgplane/schema/system"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { generateKeyPairSync } from "node:crypto"
import type { Sql } from "../sql/client.ts"
import { SqlDatabase } from "../sql/client.ts"
import { sha256 } from "./digest.ts"
import { KeyRing } from "./key-ring.ts"

const context = (kid: string) => `signing-key/${kid}`
/** One key is made, whichever of several processes comes first. */
const lockKey = 7_203_141_981

const exists = (sql: Sql) =>
  sql<{ found: boolean }>`SELECT EXISTS (SELECT 1 FROM signing_keys WHERE retired_at IS NULL) AS found`.pipe(
    Effect.map((rows) => rows[0]?.found === true)
  )

/** Ed25519 keys of the installation: what it signs, anyone can check with `GET /v1/keys`. */
export class SigningKeys extends Context.Service<SigningKeys>()("@orgplane/server/crypto/SigningKeys", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const keys = yield* KeyRing

    const create = Effect.gen(function* () {
      const pair = generateKeyPairSync("ed25519")
      const { x = "" } = pair.publicKey.export({ format: "jwk" })
      const kid = sha256(x).slice(0, 16)
      const jwk: SigningKey = { kid, kty: "OKP", crv: "Ed25519", x, alg: "EdDSA", use: "sig" }
      const sealed = keys.seal(context(kid), pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString())
      yield* sql`INSERT INTO signing_keys (id, public_jwk, key_id, nonce, ciphertext, created_at)
        VALUES (${kid}, ${sql.json(jwk)}, ${sealed.keyId}, ${sealed.nonce}, ${sealed.ciphertext}, now())`
    })

    const ensure = Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${lockKey}::bigint)::text`
      if (!(yield* exists(sql))) yield* create
    }).pipe(sql.withTransaction)

    /** The public keys, newest first; retired ones too, because what they signed stays signed. */
    const list = Effect.gen(function* () {
      yield* ensure
      const rows = yield* sql<{ public_jwk: SigningKey }>`SELECT public_jwk FROM signing_keys
        ORDER BY created_at DESC, id DESC LIMIT 100`
      return rows.map((row) => row.public_jwk)
    })

    return { list } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
