import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto"
import { hmacWith, sha256 } from "./digest.ts"

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

interface Key {
  readonly id: string
  readonly seal: KeyObject
  readonly mac: (text: string) => Buffer
}

const derive = (secret: string, purpose: string) =>
  createSecretKey(Buffer.from(hkdfSync("sha256", secret, "orgplane", purpose, 32)))

const tagLength = 16

/**
 * The operator's secret keys, newest first. The first one encrypts and signs; all of them decrypt and verify. An
 * encryption key and a signing key are derived from each, so that neither key reveals anything about the other.
 */
export class KeyRing extends Context.Service<
  KeyRing,
  {
    /** Encrypts a value for an owner and a purpose; only the same context decrypts it. */
    readonly seal: (context: string, value: string) => Sealed
    readonly open: (context: string, sealed: Sealed) => Effect.Effect<string>
    /** A keyed digest with the newest key. */
    readonly sign: (purpose: string, text: string) => Buffer
    /** The valid keyed digests: one for each key in the ring. */
    readonly signatures: (purpose: string, text: string) => ReadonlyArray<Buffer>
    /** The ID of the newest key, for digests that may outlive the time in which it is the newest. */
    readonly newest: string
    /** The keyed digest with one key; undefined when it is not in the ring. */
    readonly signedBy: (keyId: string, purpose: string, text: string) => Buffer | undefined
  }
>()("@orgplane/server/crypto/KeyRing") {
  static readonly layer = (secrets: readonly [string, ...ReadonlyArray<string>]) =>
    Layer.sync(this, () => {
      const make = (secret: string): Key => ({
        id: sha256(`orgplane key ${secret}`).slice(0, 12),
        seal: derive(secret, "seal"),
        mac: hmacWith(derive(secret, "sign"))
      })
      const [first, ...others] = secrets
      const newest = make(first)
      const ring = [newest, ...others.map(make)]
      const signed = (key: Key, purpose: string, text: string) => key.mac(`${purpose}\n${text}`)
      return {
        seal: (context, value) => {
          const nonce = randomBytes(12)
          const cipher = createCipheriv("aes-256-gcm", newest.seal, nonce).setAAD(Buffer.from(context))
          const body = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()])
          return { keyId: newest.id, nonce, ciphertext: body }
        },
        open: (context, sealed) =>
          Effect.sync(() => {
            const key = ring.find((key) => key.id === sealed.keyId)
            if (key === undefined) throw new UnsealFailed()
            const bytes = Buffer.from(sealed.ciphertext)
            const decipher = createDecipheriv("aes-256-gcm", key.seal, sealed.nonce)
              .setAAD(Buffer.from(context))
              .setAuthTag(bytes.subarray(bytes.length - tagLength))
            try {
              const body = decipher.update(bytes.subarray(0, bytes.length - tagLength))
              return Buffer.concat([body, decipher.final()]).toString("utf8")
            } catch {
              throw new UnsealFailed()
            }
          }),
        sign: (purpose, text) => signed(newest, purpose, text),
        signatures: (purpose, text) => ring.map((key) => signed(key, purpose, text)),
        newest: newest.id,
        signedBy: (keyId, purpose, text) => {
          const key = ring.find((key) => key.id === keyId)
          return key === undefined ? undefined : signed(key, purpose, text)
        }
      }
    })
}
