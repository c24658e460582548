import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { createSecretKey, hkdfSync } from "node:crypto"
import { hmacWith, sha256 } from "./digest.ts"
import { makeSealer, type Sealer } from "./sealer.ts"

export { type Sealed, UnsealFailed } from "./sealer.ts"

/** Computes and verifies keyed digests: of links, cursors, sign-in codes and audit events. */
export interface Signer {
  /** A keyed digest with the newest key. */
  readonly sign: (purpose: string, text: string) => Buffer
  /** The valid keyed digests: one for each key in the ring. */
  readonly signatures: (purpose: string, text: string) => ReadonlyArray<Buffer>
  /** The ID of the newest key, for digests that may outlive the time in which it is the newest. */
  readonly signingKey: () => string
  /** The keyed digest with one key; undefined when it is not in the ring. */
  readonly signedBy: (keyId: string, purpose: string, text: string) => Buffer | undefined
}

const derive = (secret: string, purpose: string) =>
  createSecretKey(Buffer.from(hkdfSync("sha256", secret, "orgplane", purpose, 32)))

/** The ID of a key. It does not reveal the key, and is stored with each value. */
export const keyIdOf = (secret: string): string => sha256(`orgplane key ${secret}`).slice(0, 12)

const sealingKeyOf = (secret: string) => ({ id: keyIdOf(secret), key: derive(secret, "seal") })
const signingKeyOf = (secret: string) => ({ id: keyIdOf(secret), mac: hmacWith(derive(secret, "sign")) })

export interface KeyRingService extends Sealer, Signer {
  /**
   * Adds a secret key that encrypts from now on, and signs if no signing key is configured. The earlier keys still
   * decrypt and verify.
   */
  readonly addNewest: (secret: string) => void
}

/**
 * The operator's keys, newest first. The first secret key encrypts, and all of them decrypt. The first signing key
 * signs, or the first secret key when there is no signing key. All of both verify, so that what a secret key has signed
 * stays valid after the first signing key is added. An encryption key and a signing key are derived from each secret,
 * so that neither key reveals anything about the other, and only secret keys encrypt.
 */
export class KeyRing extends Context.Service<KeyRing, KeyRingService>()("@orgplane/server/crypto/KeyRing") {
  static readonly layer = (
    secrets: readonly [string, ...ReadonlyArray<string>],
    signingSecrets: ReadonlyArray<string> = []
  ) =>
    Layer.sync(this, () => {
      const [newestSecret, ...otherSecrets] = secrets
      const [newestSigning = newestSecret] = signingSecrets
      const { addNewest, ...sealer } = makeSealer(sealingKeyOf(newestSecret), otherSecrets.map(sealingKeyOf))
      // A key file with keys that only verify lists the newest secret key as the first signing key.
      const followsSecrets = newestSigning === newestSecret
      let newest = signingKeyOf(newestSigning)
      let ring = [...new Set([...signingSecrets, ...secrets])].map(signingKeyOf)
      const signed = (key: typeof newest, purpose: string, text: string) => key.mac(`${purpose}\n${text}`)
      return {
        ...sealer,
        addNewest: (secret) => {
          addNewest(sealingKeyOf(secret))
          const added = signingKeyOf(secret)
          ring = [added, ...ring.filter(({ id }) => id !== added.id)]
          if (followsSecrets) newest = added
        },
        sign: (purpose, text) => signed(newest, purpose, text),
        signatures: (purpose, text) => ring.map((key) => signed(key, purpose, text)),
        signingKey: () => newest.id,
        signedBy: (keyId, purpose, text) => {
          const key = ring.find((key) => key.id === keyId)
          return key === undefined ? undefined : signed(key, purpose, text)
        }
      }
    })
}
