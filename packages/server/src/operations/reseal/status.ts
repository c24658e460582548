/** How many values each key encrypts, and which server processes have it. */
import * as Effect from "effect/Effect"
import { keyHolders, nameOf } from "../../infra/crypto/key-holders.ts"
import { keyIdOf } from "../../infra/crypto/key-ring.ts"
import { countSealed, type SealedColumn } from "../../infra/crypto/sealed-columns.ts"
import type { ConfiguredKeys } from "../../infra/secret-keys.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"

export interface KeyStatus {
  readonly keyId: string
  /** What the configured keys do with its values. */
  readonly use: "encrypts" | "decrypts" | "signs" | "verifies" | "not configured"
  readonly total: number
  readonly values: ReadonlyArray<{ readonly column: SealedColumn; readonly count: number }>
  /** The servers that cannot decrypt with it; none for an embedded database. */
  readonly missingOn: ReadonlyArray<string>
}

export interface RotationStatus {
  readonly keys: ReadonlyArray<KeyStatus>
  readonly servers: number
}

/** The configured keys; none if they are lost. */
export const statusOfKeys = Effect.fnUntraced(function* (configured: ConfiguredKeys | undefined) {
  const secrets = configured?.secrets.map(keyIdOf) ?? []
  const signing = configured?.signing.map(keyIdOf) ?? []
  const counts = yield* countSealed(yield* SqlDatabase)
  const holders = yield* keyHolders
  const useOf = (keyId: string): KeyStatus["use"] => {
    if (keyId === secrets[0]) return "encrypts"
    if (secrets.includes(keyId)) return "decrypts"
    if (keyId === signing[0]) return "signs"
    return signing.includes(keyId) ? "verifies" : "not configured"
  }
  const keys = [...new Set([...secrets, ...counts.map(({ keyId }) => keyId), ...signing])].map((keyId): KeyStatus => {
    const values = counts.filter((row) => row.keyId === keyId).map(({ column, count }) => ({ column, count }))
    return {
      keyId,
      use: useOf(keyId),
      total: values.reduce((sum, { count }) => sum + count, 0),
      values,
      missingOn: secrets.includes(keyId) ? holders.filter((holder) => !holder.decrypts(keyId)).map(nameOf) : []
    }
  })
  return { keys, servers: holders.length } satisfies RotationStatus
})
