/** Signatures of webhooks: https://github.com/standard-webhooks/standard-webhooks */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  randomBytes,
  sign
} from "node:crypto"

export type SignatureKind = "hmac" | "ed25519"

const secretPrefix = "whsec_"
const publicPrefix = "whpk_"
const privatePrefix = "whsk_"
const secretBytes = 32
/** The DER headers of an Ed25519 private key (PKCS #8) and public key (SPKI), which precede the 32 bytes of the key. */
const pkcs8Header = Buffer.from("302e020100300506032b657004220420", "hex")
const spkiHeaderBytes = 12

export interface SigningSecret {
  /** `whsec_` or `whsk_`, and base64. It is stored encrypted. */
  readonly secret: string
  /** Null for a shared secret. */
  readonly publicKey: string | null
}

/** A new shared secret, or a new key pair. */
export const makeSecret = (kind: SignatureKind): SigningSecret => {
  if (kind === "hmac") return { secret: secretPrefix + randomBytes(secretBytes).toString("base64"), publicKey: null }
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(pkcs8Header.length)
  const point = publicKey.export({ format: "der", type: "spki" }).subarray(spkiHeaderBytes)
  return { secret: privatePrefix + seed.toString("base64"), publicKey: publicPrefix + point.toString("base64") }
}

/** The public key of a private key, as in `makeSecret`. */
export const publicKeyOf = (secret: string): string | null => {
  if (!secret.startsWith(privatePrefix)) return null
  const point = createPublicKey(privateKeyOf(secret)).export({ format: "der", type: "spki" }).subarray(spkiHeaderBytes)
  return publicPrefix + point.toString("base64")
}

const privateKeyOf = (secret: string) =>
  createPrivateKey({
    key: Buffer.concat([pkcs8Header, Buffer.from(secret.slice(privatePrefix.length), "base64")]),
    format: "der",
    type: "pkcs8"
  })

/** Signs texts with one secret. */
export type Signer = (signed: string) => string

/** Preparing the key takes longer than a signature, so it is done once for many messages. */
export const signerOf = (secret: string): Signer => {
  if (secret.startsWith(privatePrefix)) {
    const key = privateKeyOf(secret)
    return (signed) => `v1a,${sign(null, Buffer.from(signed), key).toString("base64")}`
  }
  const key = createSecretKey(Buffer.from(secret.slice(secretPrefix.length), "base64"))
  return (signed) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`
}

/** The headers of a message, with one signature for each secret. `seconds` is the Unix time of the attempt. */
export const signedHeaders = (id: string, seconds: number, body: string, signers: ReadonlyArray<Signer>) => {
  const signed = `${id}.${seconds}.${body}`
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signers.map((signer) => signer(signed)).join(" ")
  }
}
