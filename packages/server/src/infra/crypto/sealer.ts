import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"

export interface Sealed {
  readonly keyId: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

/** The key that encrypted a value is no longer in the key ring, or the value was encrypted for another purpose. */
export class UnsealFailed extends Error {
  constructor() {
    super("Cannot decrypt a stored secret: its key is not in ORGPLANE_SECRET_KEYS, or it belongs to another record.")
  }
}

/** Encrypts and decrypts stored secrets. Callers do not see the keys, so another implementation can keep them elsewhere. */
export interface Sealer {
  /** The ID of the key that encrypts new values. */
  readonly sealingKey: string
  /** Whether values that were encrypted with a key can be decrypted. */
  readonly canOpen: (keyId: string) => boolean
  /** Encrypts a value for an owner and a purpose; only the same context decrypts it. */
  readonly seal: (context: string, value: string) => Sealed
  readonly open: (context: string, sealed: Sealed) => Effect.Effect<string>
}

export interface SealingKey {
  readonly id: string
  readonly key: KeyObject
}

const tagLength = 16

/** A sealer with keys in memory, newest first: AES-256-GCM with a random nonce of 96 bits, and the context as its AAD. */
export const makeSealer = (newest: SealingKey, others: ReadonlyArray<SealingKey>): Sealer => {
  const ring = [newest, ...others]
  return {
    sealingKey: newest.id,
    canOpen: (keyId) => ring.some(({ id }) => id === keyId),
    seal: (context, value) => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv("aes-256-gcm", newest.key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()])
      return { keyId: newest.id, nonce, ciphertext: body }
    },
    open: (context, sealed) =>
      Effect.sync(() => {
        const key = ring.find(({ id }) => id === sealed.keyId)
        if (key === undefined) throw new UnsealFailed()
        const bytes = Buffer.from(sealed.ciphertext)
        const decipher = createDecipheriv("aes-256-gcm", key.key, sealed.nonce)
          .setAAD(Buffer.from(context))
          .setAuthTag(bytes.subarray(bytes.length - tagLength))
        try {
          const body = decipher.update(bytes.subarray(0, bytes.length - tagLength))
          return Buffer.concat([body, decipher.final()]).toString("utf8")
        } catch {
          throw new UnsealFailed()
        }
      })
  }
}
