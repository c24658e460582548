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
  /** The IDs of the keys that decrypt, newest first. */
  readonly keyIds: () => ReadonlyArray<string>
  /** The ID of the key that encrypts new values: the newest, unless another process cannot decrypt its values yet. */
  readonly sealingKey: () => string
  /** Encrypts new values with a key of the key ring from now on. */
  readonly sealWith: (keyId: string) => void
  /** The IDs of the keys that have encrypted values since the start of this process. */
  readonly usedKeys: () => ReadonlySet<string>
  /** Whether values that were encrypted with a key can be decrypted. */
  readonly canOpen: (keyId: string) => boolean
  /** Encrypts a value for an owner and a purpose; only the same context decrypts it. */
  readonly seal: (context: string, value: string) => Sealed
  readonly open: (context: string, sealed: Sealed) => Effect.Effect<string>
  /** The same; undefined if no key decrypts the value, because its key was lost. */
  readonly tryOpen: (context: string, sealed: Sealed) => string | undefined
}

export interface SealingKey {
  readonly id: string
  readonly key: KeyObject
}

const tagLength = 16

/** A sealer with keys in memory, newest first: AES-256-GCM with a random nonce of 96 bits, and the context as its AAD. */
export const makeSealer = (
  newest: SealingKey,
  others: ReadonlyArray<SealingKey>
): Sealer & { readonly addNewest: (key: SealingKey) => void } => {
  let ring = [newest, ...others]
  let sealing = newest
  const used = new Set<string>()
  const keyOf = (keyId: string) => ring.find(({ id }) => id === keyId)
  const tryOpen = (context: string, sealed: Sealed): string | undefined => {
    const key = keyOf(sealed.keyId)
    if (key === undefined) return undefined
    const bytes = Buffer.from(sealed.ciphertext)
    try {
      const decipher = createDecipheriv("aes-256-gcm", key.key, sealed.nonce)
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(bytes.length - tagLength))
      const body = decipher.update(bytes.subarray(0, bytes.length - tagLength))
      return Buffer.concat([body, decipher.final()]).toString("utf8")
    } catch {
      return undefined
    }
  }
  return {
    keyIds: () => ring.map(({ id }) => id),
    sealingKey: () => sealing.id,
    sealWith: (keyId) => {
      sealing = keyOf(keyId) ?? sealing
    },
    usedKeys: () => used,
    canOpen: (keyId) => keyOf(keyId) !== undefined,
    // An earlier key stays until the process ends, because requests may have read values before they were re-encrypted.
    addNewest: (key) => {
      ring = [key, ...ring.filter(({ id }) => id !== key.id)]
      sealing = key
    },
    seal: (context, value) => {
      used.add(sealing.id)
      const nonce = randomBytes(12)
      const cipher = createCipheriv("aes-256-gcm", sealing.key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()])
      return { keyId: sealing.id, nonce, ciphertext: body }
    },
    open: (context, sealed) =>
      Effect.sync(() => {
        const value = tryOpen(context, sealed)
        if (value === undefined) throw new UnsealFailed()
        return value
      }),
    tryOpen
  }
}
