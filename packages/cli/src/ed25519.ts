/** Verifies Ed25519 signatures of the server. */
import { createPublicKey, verify } from "node:crypto"

/** Whether a base64 signature of a text matches a base64url public key. Throws if the key is malformed. */
export const verifyEd25519 = (x: string, text: string, signature: string): boolean => {
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"))
}
