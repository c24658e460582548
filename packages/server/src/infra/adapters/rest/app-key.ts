import { createPrivateKey, type KeyObject } from "node:crypto"
import { SignJWT } from "jose"

/**
 * The host's clock may differ, so a token is valid from slightly before now and expires well within the maximum of ten
 * minutes.
 */
const earlySeconds = 60
const lifetimeSeconds = 540

/** A private RSA key as PEM, PKCS#1 or PKCS#8; undefined for anything else. */
export const readAppKey = (pem: string): KeyObject | undefined => {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === "rsa" ? key : undefined
  } catch {
    // The parser's message could contain the value.
    return undefined
  }
}

/** A token that authenticates the app, valid for nine minutes. */
export const signAppToken = (appId: string, key: KeyObject, nowMillis: number): Promise<string> => {
  const now = Math.floor(nowMillis / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(appId)
    .setIssuedAt(now - earlySeconds)
    .setExpirationTime(now + lifetimeSeconds)
    .sign(key)
}
