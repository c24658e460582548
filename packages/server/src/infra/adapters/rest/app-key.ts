import { createPrivateKey, type KeyObject } from "node:crypto"
import { SignJWT } from "jose"

/** The host counts seconds by its own clock: a token begins a little early and ends well within its ten minutes. */
const earlySeconds = 60
const lifetimeSeconds = 540

/** A private RSA key in PEM, in either of its two forms; undefined for anything else. */
export const readAppKey = (pem: string): KeyObject | undefined => {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === "rsa" ? key : undefined
  } catch {
    // The parser's own words would be about the value.
    return undefined
  }
}

/** Says that we are the app: good for some minutes. */
export const signAppToken = (appId: string, key: KeyObject, nowMillis: number): Promise<string> => {
  const now = Math.floor(nowMillis / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(appId)
    .setIssuedAt(now - earlySeconds)
    .setExpirationTime(now + lifetimeSeconds)
    .sign(key)
}
